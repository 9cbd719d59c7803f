//! The outcome of a check as files: all forms that were asked for, made of one report.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gnomon_certify::Certificate;
use gnomon_report::witness::NoWitness;
use gnomon_report::{sarif, witness};
use gnomon_verify::Outcome;

use super::page;
use crate::exit::{Failure, Status};
use crate::output;
use crate::output_args::OutputArgs;

/// Writes the forms; the page also shows when progress was reported.
pub fn write(
    outcome: &Outcome,
    wanted: &OutputArgs,
    times: BTreeMap<String, Vec<f64>>,
) -> Result<(), Failure> {
    let report = &outcome.report;
    if let (Some(file), Some(certificate)) = (&wanted.certificate, &outcome.certificate) {
        to_file(file, &certificate.to_json().map_err(Failure::error)?)?;
    }
    if let (Some(file), Some(harness)) = (&wanted.harness, &outcome.harness) {
        to_file(file, harness)?;
    }
    if let (Some(directory), Some(shown)) = (&wanted.html, &outcome.page) {
        page::write(outcome, shown, times, directory)?;
    }
    if let Some(file) = &wanted.json {
        to_file(file, &report.to_json().map_err(Failure::error)?)?;
    }
    if let Some(file) = &wanted.sarif {
        to_file(file, &sarif::log(report).map_err(Failure::error)?)?;
    }
    if let Some(file) = &wanted.witness {
        match witness::of(report, &now()) {
            Ok(text) => to_file(file, &text)?,
            Err(NoWitness::NoVerdict) => {
                output::message("no witness is written: there is no verdict");
            }
            Err(error) => return Err(Failure::error(error)),
        }
    }
    Ok(())
}

/// The checker refuses a proof: this is a bug, and the certificate shows it.
pub fn refused(
    reason: &str,
    certificate: &Certificate,
    wanted: &OutputArgs,
) -> Result<Status, Failure> {
    let text = certificate.to_json().map_err(Failure::error)?;
    if let Some(file) = &wanted.certificate {
        to_file(file, &text)?;
    }
    let path = std::env::temp_dir().join(format!("gnomon-refused-{}.json", std::process::id()));
    to_file(&path, &text)?;
    output::message(&format!(
        "internal error: the checker refuses the proof: {reason}\nThis is a bug in gnomon, not in \
         your program. No verdict was reached.\nThe certificate was written to {}. Please open an \
         issue with it, and with the input if you can share it.",
        path.display()
    ));
    Ok(Status::InternalError)
}

fn to_file(file: &Path, text: &str) -> Result<(), Failure> {
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
