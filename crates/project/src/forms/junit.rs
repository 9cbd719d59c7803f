//! JUnit XML: a test suite for each program or library, a test case for each unit. A violation is a failure
//! unless the baseline knows all of its findings, what is open is skipped with the reason, and a worker
//! that failed is an error.

use std::collections::BTreeMap;
use std::fmt::Write;

use gnomon_report::model::VerdictName;

use crate::results::{Finding, Results, State, UnitResult};

/// The results as JUnit XML.
pub fn xml(results: &Results) -> String {
    let mut by_unit: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &results.findings {
        for unit in &finding.units {
            by_unit.entry(unit).or_default().push(finding);
        }
    }
    let mut suites: BTreeMap<&str, Vec<&UnitResult>> = BTreeMap::new();
    for unit in &results.units {
        suites.entry(&unit.target).or_default().push(unit);
    }
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gnomon\">\n");
    for (target, units) in suites {
        let cases: Vec<(&UnitResult, Outcome)> =
            units.into_iter().map(|unit| (unit, outcome(unit, &by_unit))).collect();
        let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|(_, o)| is(o)).count();
        let seconds: f64 = cases.iter().map(|(unit, _)| unit.seconds).sum();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">",
            escaped(target),
            cases.len(),
            count(|o| matches!(o, Outcome::Failure(_))),
            count(|o| matches!(o, Outcome::Error(_))),
            count(|o| matches!(o, Outcome::Skipped(_))),
        );
        for (unit, outcome) in &cases {
            case(&mut out, unit, outcome);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

enum Outcome {
    Passed,
    Failure(String),
    Error(String),
    Skipped(String),
}

fn outcome(unit: &UnitResult, by_unit: &BTreeMap<&str, Vec<&Finding>>) -> Outcome {
    let reason = || unit.reason.clone().unwrap_or_default();
    match (unit.state, unit.verdict) {
        (State::Failed, _) => Outcome::Error(reason()),
        (State::NotTried, _) | (State::Done, VerdictName::Unknown) => Outcome::Skipped(reason()),
        (State::Done, VerdictName::True) => Outcome::Passed,
        (State::Done, VerdictName::False) => {
            let all = by_unit.get(unit.name.as_str()).map_or(&[][..], Vec::as_slice);
            let new: Vec<String> = all.iter().filter(|f| !f.known).map(|f| f.shown()).collect();
            match new.is_empty() {
                true => Outcome::Passed,
                false => Outcome::Failure(new.join("\n")),
            }
        }
    }
}

fn case(out: &mut String, unit: &UnitResult, outcome: &Outcome) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}: {}\" file=\"{}\" line=\"{}\" time=\"{:.3}\"",
        escaped(&unit.file),
        escaped(&unit.entry),
        escaped(&unit.group),
        escaped(&unit.file),
        unit.line,
        unit.seconds
    );
    let (word, text) = match outcome {
        Outcome::Passed => {
            out.push_str("/>\n");
            return;
        }
        Outcome::Failure(text) => ("failure", text),
        Outcome::Error(text) => ("error", text),
        Outcome::Skipped(text) => ("skipped", text),
    };
    let first = text.lines().next().unwrap_or_default();
    let _ =
        writeln!(out, ">\n      <{word} message=\"{}\">{}</{word}>", escaped(first), escaped(text));
    out.push_str("    </testcase>\n");
}

/// Text as XML; what XML cannot say at all is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \"c\"\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
