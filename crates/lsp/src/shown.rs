//! Outcomes as the protocol has them: diagnostics, code lenses, hovers and inlay hints.

use std::collections::BTreeMap;
use std::path::Path;

use gnomon_ir::property::Property;
use gnomon_report::model::{
    Answer, Assumption, AssumptionKind, Finding, Location, Report, Run, Step, VerdictName,
};
use gnomon_report::sarif;
use gnomon_report::terminal;
use lsp_types as lsp;
use serde_json::json;

use crate::job::{Function, Problem};

/// So many steps of a counterexample are related information of its diagnostic: the last ones.
const MOST_RELATED: usize = 40;
/// Longer lists of values are cut in hints.
const HINT_LENGTH: usize = 60;
/// Who says it.
const SOURCE: &str = "gnomon";

/// A document as far as places in it are concerned.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The file, absolute.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Document<'_> {
    /// A place of the protocol, which counts from 0 and in UTF-16.
    fn position(&self, line: u32, column: u32) -> lsp::Position {
        let text = self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let bytes = (column.saturating_sub(1) as usize).min(text.len());
        let before = String::from_utf8_lossy(&text.as_bytes()[..bytes]);
        let units = before.encode_utf16().count() as u32;
        lsp::Position::new(line.saturating_sub(1), units)
    }

    fn range(&self, place: &Location) -> lsp::Range {
        let start = self.position(place.line, place.column);
        let end = self.position(place.end_line, place.end_column);
        // What a macro becomes has columns that the source has not.
        let line = self.line(place.line);
        match end > start {
            true => lsp::Range::new(start, end),
            false => lsp::Range::new(start, line.end.max(start)),
        }
    }

    /// The text of a line, without what indents it.
    fn line(&self, line: u32) -> lsp::Range {
        let text = self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let indent = (text.len() - text.trim_start().len()) as u32;
        lsp::Range::new(self.position(line, indent + 1), self.position(line, text.len() as u32 + 1))
    }

    fn statement(&self, line: u32) -> &str {
        self.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default().trim()
    }

    fn is_here(&self, place: &Location) -> bool {
        place.file == self.path
    }
}

/// A file as a URI; names that are not absolute are in the folder of the document.
pub fn uri(file: &str, document: &Document<'_>) -> Option<lsp::Uri> {
    let folder = Path::new(document.path).parent().unwrap_or(Path::new("/"));
    sarif::uri(&folder.join(file).display().to_string()).parse().ok()
}

/// The file that a URI names, if it names one.
pub fn path_of(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// What keeps a file from being read.
pub fn problems(problems: &[Problem], document: &Document<'_>) -> Vec<lsp::Diagnostic> {
    let shown = problems.iter().map(|problem| {
        let here = problem.file == document.path;
        let (line, column) = if here { (problem.line, problem.column) } else { (1, 1) };
        let start = document.position(line, column);
        let message = match here {
            true => problem.message.clone(),
            false => format!("{}:{}: {}", problem.file, problem.line, problem.message),
        };
        lsp::Diagnostic {
            range: lsp::Range::new(start, document.line(line).end.max(start)),
            severity: Some(lsp::DiagnosticSeverity::ERROR),
            source: Some(SOURCE.to_owned()),
            message,
            ..lsp::Diagnostic::default()
        }
    });
    shown.collect()
}

/// Lines on a path to the error, as hints: editors mark them without a squiggle.
pub fn projected(lines: &[(u32, u32)], document: &Document<'_>) -> Vec<lsp::Diagnostic> {
    let hint = |&(first, last): &(u32, u32)| lsp::Diagnostic {
        range: lsp::Range::new(document.line(first).start, document.line(last).end),
        severity: Some(lsp::DiagnosticSeverity::HINT),
        source: Some(SOURCE.to_owned()),
        message: "a run that fails can pass here".to_owned(),
        ..lsp::Diagnostic::default()
    };
    lines.iter().map(hint).collect()
}

/// What a report says of a document.
pub fn findings(report: &Report, document: &Document<'_>) -> Vec<lsp::Diagnostic> {
    report.findings.iter().filter_map(|finding| diagnostic(finding, report, document)).collect()
}

fn diagnostic(
    finding: &Finding,
    report: &Report,
    document: &Document<'_>,
) -> Option<lsp::Diagnostic> {
    let code = Some(lsp::NumberOrString::String(sarif::rule(finding).0));
    let source = Some(SOURCE.to_owned());
    match &finding.answer {
        Answer::Proved(_) => None,
        Answer::Violated(run) => {
            let place = run.location.as_ref().or(finding.location.as_ref());
            // What fails in another file is shown at the last step in this one.
            let here = place.filter(|place| document.is_here(place)).or_else(|| {
                let mut steps = run.steps.iter().rev().map(|step| &step.location);
                steps.find(|place| document.is_here(place))
            });
            let range = here.map_or(lsp::Range::default(), |place| document.range(place));
            let entry = &report.task.entry;
            let from = if entry == "main" { String::new() } else { format!(" (from {entry})") };
            Some(lsp::Diagnostic {
                range,
                severity: Some(lsp::DiagnosticSeverity::ERROR),
                code,
                source,
                message: message(finding, run, document) + &from,
                related_information: Some(related(run, document)),
                ..lsp::Diagnostic::default()
            })
        }
        Answer::Unknown(unknown) => {
            let place = unknown.place.as_deref().and_then(|place| line_of(place, document));
            let mut message = format!("not decided: {}", unknown.reason);
            for advice in &unknown.advice {
                message += &format!("\n{advice}");
            }
            Some(lsp::Diagnostic {
                range: document.line(place.unwrap_or(1)),
                severity: Some(lsp::DiagnosticSeverity::INFORMATION),
                code,
                source,
                message,
                ..lsp::Diagnostic::default()
            })
        }
    }
}

/// The line of `file:line:column`, if it is in the document.
fn line_of(place: &str, document: &Document<'_>) -> Option<u32> {
    let rest = place.strip_prefix(document.path)?.strip_prefix(':')?;
    rest.split(':').next()?.parse().ok()
}

/// What is wrong: of an assertion, its text.
fn message(finding: &Finding, run: &Run, document: &Document<'_>) -> String {
    let fails = matches!(&finding.property, Some(Property::Call(name)) if name == "__assert_fail");
    let place = run.location.as_ref().filter(|place| document.is_here(place));
    match place.filter(|_| fails).map(|place| document.statement(place.line)) {
        Some(line) if line.contains("assert") => {
            format!("this assertion can fail: {}", line.trim_end_matches(';'))
        }
        _ => run.message.clone(),
    }
}

/// The steps that matter, the last ones of many.
fn related(run: &Run, document: &Document<'_>) -> Vec<lsp::DiagnosticRelatedInformation> {
    let steps = run.steps.iter().filter(|step| step.essential && !step.events().is_empty());
    let all: Vec<lsp::DiagnosticRelatedInformation> = steps
        .filter_map(|step| {
            let range = document.range(&step.location);
            let location = lsp::Location::new(uri(&step.location.file, document)?, range);
            Some(lsp::DiagnosticRelatedInformation { location, message: step.events().join(", ") })
        })
        .collect();
    let first = all.len().saturating_sub(MOST_RELATED);
    all.into_iter().skip(first).collect()
}

/// A lens over each function, and over one that was checked what came out.
pub fn lenses(
    functions: &[Function],
    reports: &BTreeMap<String, Report>,
    document: &Document<'_>,
    own_uri: &str,
) -> Vec<lsp::CodeLens> {
    let shown = functions.iter().map(|function| {
        let title = match reports.get(&function.name) {
            None => "check this function".to_owned(),
            Some(report) => format!("{} · check again", outcome(report)),
        };
        let start = document.position(function.line, function.column);
        lsp::CodeLens {
            range: lsp::Range::new(start, start),
            command: Some(lsp::Command {
                title,
                command: "gnomon.checkFunction".to_owned(),
                arguments: Some(vec![json!(own_uri), json!(function.name)]),
            }),
            data: None,
        }
    });
    shown.collect()
}

/// A verdict in a few words. A proof that relies on something never stands there without it.
fn outcome(report: &Report) -> String {
    match report.verdict {
        VerdictName::False => "can fail".to_owned(),
        VerdictName::Unknown => "not decided".to_owned(),
        VerdictName::True => {
            let other = |assumption: &&Assumption| assumption.kind == AssumptionKind::Other;
            let others = report.assumptions.iter().filter(other).count();
            let under = match others {
                0 => String::new(),
                1 => ", 1 assumption".to_owned(),
                _ => format!(", {others} assumptions"),
            };
            format!("proved{}{under}", terminal::condition(report))
        }
    }
}

/// What is known at a line: values of a counterexample, in order, invariants of a proof, and at the beginning of a
/// function that was checked what its verdict relies on.
pub fn hover(
    functions: &[Function],
    reports: &BTreeMap<String, Report>,
    document: &Document<'_>,
    line: u32,
) -> Option<lsp::Hover> {
    let mut parts = Vec::new();
    let begins = functions.iter().filter(|function| function.line == line);
    for report in begins.filter_map(|function| reports.get(&function.name)) {
        let assumed = terminal::assumptions(report);
        let assumed: Vec<String> =
            assumed.lines().map(|line| line.trim_start_matches("assumed: ").to_owned()).collect();
        if !assumed.is_empty() {
            parts.push(format!("**{}, assumed**\n\n{}", outcome(report), listed(&assumed)));
        }
    }
    for finding in reports.values().flat_map(|report| &report.findings) {
        match &finding.answer {
            Answer::Violated(run) => {
                let values = values_at(run, document, line);
                if !values.is_empty() {
                    parts.push(format!("**in the counterexample**\n\n{}", listed(&values)));
                }
            }
            Answer::Proved(proof) => {
                let mut formulas: Vec<String> = Vec::new();
                for invariant in &proof.invariants {
                    let place = invariant.location.as_ref();
                    if place.is_some_and(|p| document.is_here(p) && p.line == line)
                        && !formulas.contains(&invariant.formula)
                    {
                        formulas.push(invariant.formula.clone());
                    }
                }
                if !formulas.is_empty() {
                    parts.push(format!("**always holds here**\n\n{}", listed(&formulas)));
                }
            }
            Answer::Unknown(_) => {}
        }
    }
    let value = parts.join("\n\n");
    let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value };
    let range = Some(document.line(line));
    (!parts.is_empty())
        .then_some(lsp::Hover { contents: lsp::HoverContents::Markup(contents), range })
}

fn listed(lines: &[String]) -> String {
    let shown = lines.iter().take(20).map(|line| format!("- `{}`", line.replace('`', "'")));
    shown.collect::<Vec<_>>().join("\n")
}

/// What happens at a line, each pass for itself.
fn values_at(run: &Run, document: &Document<'_>, line: u32) -> Vec<String> {
    let here = |place: &Location| document.is_here(place) && place.line == line;
    let steps = run.steps.iter().filter(|step| here(&step.location));
    steps.map(|step| step.events().join(", ")).filter(|events| !events.is_empty()).collect()
}

/// The steps in a document at which something is to be told, of the first counterexample.
fn steps_of<'a>(
    mut reports: impl Iterator<Item = &'a Report>,
    document: &Document<'_>,
) -> Vec<(usize, &'a Step)> {
    let run = reports.find_map(|report| {
        report.findings.iter().find_map(|finding| match &finding.answer {
            Answer::Violated(run) => Some(run),
            _ => None,
        })
    });
    let steps = run.into_iter().flat_map(|run| run.steps.iter().enumerate());
    steps.filter(|(_, s)| document.is_here(&s.location) && !s.events().is_empty()).collect()
}

/// These steps one by one: where, and what happens.
pub fn steps<'a>(
    reports: impl Iterator<Item = &'a Report>,
    document: &Document<'_>,
) -> Vec<(lsp::Range, String)> {
    let steps = steps_of(reports, document);
    steps.iter().map(|(_, s)| (document.range(&s.location), s.events().join(", "))).collect()
}

/// Values of the counterexample behind the lines that store them: the last ones of each place. If somebody
/// goes through it step by step, those of the first counterexample up to this step, which is marked.
pub fn hints<'a>(
    reports: impl Iterator<Item = &'a Report> + Clone,
    document: &Document<'_>,
    lines: lsp::Range,
    step: Option<usize>,
) -> Vec<lsp::InlayHint> {
    let all = steps_of(reports.clone(), document);
    let now = step.and_then(|step| all.get(step).map(|&(at, now)| (step, at, now)));
    let mut values: BTreeMap<u32, Vec<(String, String, u32)>> = BTreeMap::new();
    let violated = reports.flat_map(|report| &report.findings).filter_map(|f| match &f.answer {
        Answer::Violated(run) => Some(run),
        _ => None,
    });
    let most = if now.is_some() { 1 } else { usize::MAX };
    for run in violated.take(most) {
        let until = now.map_or(run.steps.len(), |(_, at, _)| at + 1);
        for step in run.steps.iter().take(until).filter(|s| document.is_here(&s.location)) {
            let at = values.entry(step.location.line).or_default();
            for stored in &step.stored {
                match at.iter_mut().find(|(place, ..)| *place == stored.place) {
                    Some((_, value, times)) => {
                        (*value, *times) = (stored.value.clone(), *times + 1);
                    }
                    None => at.push((stored.place.clone(), stored.value.clone(), 1)),
                }
            }
        }
    }
    let mut shown = Vec::new();
    if let Some((_, _, now)) = now {
        values.entry(now.location.line).or_default();
    }
    for (line, stored) in values {
        let mark = now.filter(|(_, _, now)| now.location.line == line);
        if (stored.is_empty() && mark.is_none())
            || line <= lines.start.line
            || line > lines.end.line + 1
        {
            continue;
        }
        let one = |(place, value, times): &(String, String, u32)| match times {
            1 => format!("{place} = {value}"),
            _ => format!("{place} = {value} (the last of {times})"),
        };
        let mut text = stored.iter().map(one).collect::<Vec<_>>().join(", ");
        if text.chars().count() > HINT_LENGTH {
            text = text.chars().take(HINT_LENGTH).collect::<String>() + "…";
        }
        if let Some((step, ..)) = mark {
            text = format!("◀ step {} of {} {text}", step + 1, all.len()).trim_end().to_owned();
        }
        shown.push(lsp::InlayHint {
            position: document.line(line).end,
            label: lsp::InlayHintLabel::String(text),
            kind: None,
            text_edits: None,
            tooltip: Some(lsp::InlayHintTooltip::String("in the counterexample".to_owned())),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_in_utf_16() {
        let document = Document { path: "/a.c", text: "int a; /* ä𝄞 */ int b;\n" };
        let column = 1 + document.text.find("int b").expect("there") as u32;
        assert_eq!(document.position(1, column), lsp::Position::new(0, 17));
        assert_eq!(document.position(9, 9), lsp::Position::new(8, 0));
    }

    #[test]
    fn uris_and_files() {
        let document = Document { path: "/a b/c.c", text: "" };
        let there = uri("d.h", &document).expect("a URI");
        assert_eq!(there.as_str(), "file:///a%20b/d.h");
        assert_eq!(path_of(there.as_str()).as_deref(), Some("/a b/d.h"));
        assert_eq!(path_of("untitled:1"), None);
    }
}
