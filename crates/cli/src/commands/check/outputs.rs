//! The outcome of a check as files: the report, built once, in all forms that were asked for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gnomon_budget::Budget;
use gnomon_certify::Outcome;
use gnomon_engine::property::Property;
use gnomon_engine::verdict::{Reason, Verdict};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_report::collect::Checked;
use gnomon_report::model::{Answer, CertificateState, Execution, Report, SourceFile, Task};
use gnomon_report::witness::NoWitness;
use gnomon_report::{sarif, sha256, witness};
use gnomon_verify::decide::{Options, Report as EngineReport, SiteReport};

use super::certificate;
use super::page::{self, Course};
use crate::args::{CheckArgs, Machine};
use crate::commands::replay::{self, Attempt};
use crate::exit::Failure;
use crate::output;
use crate::output_args::OutputArgs;

/// What repeating and slicing a run may take.
const DESCRIPTION_TIME: Duration = Duration::from_secs(20);

/// What is told of a proof without a certificate.
pub const NONE_LEFT: &str = "the proof leaves no certificate";

/// Whose outcome it is.
pub struct Subject<'a> {
    /// The program, with checks.
    pub program: &'a Program,
    /// Edges of checks, which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    /// What was checked, and how.
    pub options: &'a Options,
    /// The command line.
    pub args: &'a CheckArgs,
}

impl Subject<'_> {
    /// The report of a check of the whole program.
    pub fn whole(&self, report: &EngineReport) -> Result<Report, Failure> {
        Ok(self.checked()?.whole(report, &description_budget()))
    }

    /// The report of a check of every site for itself.
    pub fn each(&self, reports: &[SiteReport]) -> Result<Report, Failure> {
        Ok(self.checked()?.each(reports, &description_budget()))
    }

    /// The program with what was asked of it.
    pub fn checked(&self) -> Result<Checked<'_>, Failure> {
        let mut files = Vec::new();
        for file in &self.args.input.files {
            let bytes = fs::read(file)
                .map_err(|error| Failure::error(format!("{}: {error}", file.display())))?;
            files.push(SourceFile { name: file.display().to_string(), sha256: sha256(&bytes) });
        }
        let data_model = match self.args.input.machine {
            Machine::Bits32 => "ILP32",
            Machine::Bits64 => "LP64",
        };
        Ok(Checked {
            program: self.program,
            inserted: self.inserted,
            task: Task {
                files,
                data_model: data_model.to_owned(),
                entry: self.options.entry.clone(),
                property: self.property(),
            },
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// What must not happen, in the notation of SV-COMP where it has one.
    pub fn property(&self) -> String {
        let property = &self.options.property;
        let entry = &self.options.entry;
        let plain = property.labels.is_empty() && property.lines.is_empty();
        let function = match &property.functions[..] {
            [one] => Some(one.as_str()),
            // The default names the error functions of several worlds.
            several if several.iter().any(|f| f == "reach_error") => Some("reach_error"),
            _ => None,
        };
        match function {
            Some(function) if plain && property.edges.is_empty() => {
                format!("CHECK( init({entry}()), LTL(G ! call({function}())) )")
            }
            None if plain => format!("CHECK( init({entry}()), LTL(G ! overflow) )"),
            _ => "no error is reached".to_owned(),
        }
    }

    /// Makes the certificate of a proof, and asks the checker. Without its consent, and without a
    /// certificate, there is no verdict any more.
    pub fn certify(
        &self,
        report: &mut EngineReport,
        wanted: &OutputArgs,
        budget: &Budget,
    ) -> Result<Certified, Failure> {
        let reason = match self.asked(report, wanted, budget)? {
            Asked::Not => return Ok(Certified::As(CertificateState::NotChecked)),
            Asked::Answer(Outcome::Accepted) => {
                return Ok(Certified::As(CertificateState::Accepted));
            }
            Asked::Answer(Outcome::AcceptedTrusting(facts)) => {
                return Ok(Certified::As(CertificateState::AcceptedTrusting(facts as u64)));
            }
            Asked::Answer(Outcome::Refused(_)) => return Ok(Certified::Refused),
            Asked::Answer(Outcome::NotDecided(reason)) => reason,
        };
        report.verdict = Verdict::Unknown(Reason::Uncertified(reason));
        Ok(Certified::As(CertificateState::NotChecked))
    }

    fn asked(
        &self,
        report: &EngineReport,
        wanted: &OutputArgs,
        budget: &Budget,
    ) -> Result<Asked, Failure> {
        let Verdict::True(proof) = &report.verdict else { return Ok(Asked::Not) };
        if wanted.certificate.is_none() && wanted.no_certify {
            return Ok(Asked::Not);
        }
        let Some(made) = certificate::of(self.program, self.options, proof, &report.memory)? else {
            if wanted.certificate.is_some() {
                output::message("no certificate is written: the proof leaves none");
            }
            return Ok(match wanted.no_certify {
                true => Asked::Not,
                false => Asked::Answer(Outcome::NotDecided(NONE_LEFT.to_owned())),
            });
        };
        if let Some(file) = &wanted.certificate {
            write(file, &certificate::text(&made)?)?;
        }
        if wanted.no_certify {
            return Ok(Asked::Not);
        }
        budget.report("certify", format_args!("the independent checker looks at the proof"));
        let outcome = certificate::checked(self.program, self.options, &made, budget)?;
        if let Outcome::Refused(reason) = &outcome {
            let name = format!("gnomon-refused-{}.json", std::process::id());
            let path = std::env::temp_dir().join(name);
            write(&path, &certificate::text(&made)?)?;
            output::message(&format!(
                "internal error: the checker refuses the proof: {reason}\nThis is a bug in gnomon, \
                 not in your program. No verdict was reached.\nThe certificate was written to {}. \
                 Please open an issue with it, and with the input if you can share it.",
                path.display()
            ));
        }
        Ok(Asked::Answer(outcome))
    }

    /// The same for the proof of each site; `None` if the checker refuses one.
    pub fn certify_each(
        &self,
        reports: &mut [SiteReport],
        wanted: &OutputArgs,
        budget: &Budget,
    ) -> Result<Option<Vec<CertificateState>>, Failure> {
        let only_checked = OutputArgs { certificate: None, ..wanted.clone() };
        if wanted.certificate.is_some() {
            output::message("no certificate is written: there would be one for each site");
        }
        let mut states = Vec::with_capacity(reports.len());
        for SiteReport { site, what, report } in reports {
            let Some(site) = *site else {
                let reason = "calls through pointers have no site of their own".to_owned();
                if !wanted.no_certify && matches!(report.verdict, Verdict::True(_)) {
                    report.verdict = Verdict::Unknown(Reason::Uncertified(reason));
                }
                states.push(CertificateState::NotChecked);
                continue;
            };
            let property = Property { edges: vec![(site, what.clone())], ..Property::nothing() };
            let options = Options { property, ..self.options.clone() };
            let subject = Subject { options: &options, ..*self };
            match subject.certify(report, &only_checked, budget)? {
                Certified::As(state) => states.push(state),
                Certified::Refused => return Ok(None),
            }
        }
        Ok(Some(states))
    }

    /// Executes what was found, if that is asked for, and writes the forms.
    pub fn write(
        &self,
        report: &mut Report,
        wanted: &OutputArgs,
        course: Course,
    ) -> Result<(), Failure> {
        self.execute(report, wanted)?;
        if let Some(directory) = &wanted.html {
            page::write(self, report, course, directory)?;
        }
        if let Some(file) = &wanted.json {
            write(file, &report.to_json().map_err(Failure::error)?)?;
        }
        if let Some(file) = &wanted.sarif {
            write(file, &sarif::log(report).map_err(Failure::error)?)?;
        }
        if let Some(file) = &wanted.witness {
            match witness::of(report, &now()) {
                Ok(text) => write(file, &text)?,
                Err(NoWitness::NoVerdict) => {
                    output::message("no witness is written: there is no verdict");
                }
                Err(error) => return Err(Failure::error(error)),
            }
        }
        Ok(())
    }

    /// Makes harnesses of the runs, and executes them if that is asked for.
    fn execute(&self, report: &mut Report, wanted: &OutputArgs) -> Result<(), Failure> {
        if !wanted.replay && wanted.harness.is_none() {
            return Ok(());
        }
        for finding in &mut report.findings {
            let Answer::Violated(run) = &mut finding.answer else { continue };
            let attempt = Attempt {
                program: self.program,
                inserted: self.inserted,
                options: self.options,
                args: self.args,
                inputs: &run.inputs,
            };
            let harness = match attempt.harness()? {
                Ok(harness) => harness,
                Err(reason) => {
                    if wanted.replay {
                        run.execution = Execution::NotConfirmed(reason.to_string());
                    } else {
                        output::message(&format!("no harness is written: {reason}"));
                    }
                    continue;
                }
            };
            if let Some(file) = &wanted.harness {
                write(file, &harness.text)?;
            }
            if wanted.replay {
                run.execution = replay::execute(&harness, &self.args.input)?;
            }
        }
        Ok(())
    }
}

/// What came of asking the checker.
enum Asked {
    /// Nobody wants to know, or there is no proof.
    Not,
    /// Its answer.
    Answer(Outcome),
}

/// What became of a proof.
pub enum Certified {
    /// This is known of its certificate.
    As(CertificateState),
    /// The checker says that it is wrong.
    Refused,
}

/// What repeating and slicing a run may take.
pub fn description_budget() -> Budget {
    Budget::unlimited().with_time(DESCRIPTION_TIME)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    output::to_file_or_stdout(Some(file), text)
}

/// The time, as ISO 8601; `SOURCE_DATE_EPOCH` says another one, as for compilers.
fn now() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = given.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    });
    iso8601(seconds)
}

/// Seconds since 1970 as ISO 8601 (days to dates as H. Hinnant describes it).
fn iso8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso8601(1_790_000_001), "2026-09-21T14:13:21Z");
    }
}
