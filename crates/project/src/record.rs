//! What is known of a unit after an attempt: small, and kept for ever under the key of the unit.
//!
//! Places in the source are kept with *anchors*: for each function that is named, the places of all its
//! edges in order, as they were then. A unit whose key is the same has the same edges, so places move with
//! the text around them: comments and other functions change no key and no result, but lines.

use std::collections::BTreeMap;

use gnomon_ir::program::{FuncId, Function, Program, source_name};
use gnomon_ir::span::Span;
use gnomon_report::model::{self, Location, VerdictName};
use serde::{Deserialize, Serialize};

/// What is known of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// The key of the unit.
    pub key: String,
    /// The verdict.
    pub verdict: VerdictName,
    /// Why nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether more time or memory may bring more.
    #[serde(default)]
    pub limited: bool,
    /// Of sites, or of all together.
    pub findings: Vec<Site>,
    /// What the verdict relies on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The limit on processor time of the attempt, in seconds.
    pub tried: u64,
    /// Where memory was what it lacked, the limit on that, in MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked: Option<u64>,
    /// Processor time, in seconds.
    pub seconds: f64,
    /// The most memory in use, in MB.
    pub memory: u64,
    /// The places of functions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub anchors: Anchors,
}

/// What is known of a place where something must not happen, or of all together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Site {
    /// The kind of error, as in SARIF's rules.
    pub rule: String,
    /// What must not happen, or what happens.
    pub what: String,
    /// The verdict.
    pub verdict: VerdictName,
    /// Why nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where, if it is one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// By function, the places of its edges.
pub type Anchors = BTreeMap<String, Vec<Anchor>>;

/// A place: file, first line and column, last line and column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Anchor(pub String, pub u32, pub u32, pub u32, pub u32);

impl Anchor {
    fn of(location: &Location) -> Self {
        let Location { file, line, column, end_line, end_column, .. } = location;
        Self(file.clone(), *line, *column, *end_line, *end_column)
    }
}

/// The places of the edges of some functions of a program, by their names in the source; `part` says
/// which functions of these names are meant.
pub fn anchors(
    program: &Program,
    part: impl IntoIterator<Item = FuncId>,
    is_named: impl Fn(&str) -> bool,
) -> Anchors {
    let mut functions: Vec<&Function> = part.into_iter().map(|id| &program.funcs[id]).collect();
    functions.retain(|function| is_named(source_name(&function.name)));
    functions.sort_by_key(|function| &function.name);
    let anchor = |span: Span| {
        let file = program.files.name(span.file).to_owned();
        let (column, end) = (u32::from(span.column), u32::from(span.end_column));
        Anchor(file, span.line, column, span.end_line, end)
    };
    let mut all = Anchors::new();
    for function in functions {
        let edges = function.body.iter().flat_map(|body| body.edges().iter()).map(|edge| edge.span);
        let spans = std::iter::once(function.span).chain(edges).map(anchor);
        all.entry(source_name(&function.name).to_owned()).or_default().extend(spans);
    }
    all
}

/// Where places that were known are now.
pub struct Moves<'a> {
    before: &'a Anchors,
    now: &'a Anchors,
}

impl<'a> Moves<'a> {
    /// From anchors to others of the same functions.
    pub fn new(before: &'a Anchors, now: &'a Anchors) -> Self {
        Self { before, now }
    }

    /// Moves a place, as well as it is known.
    pub fn apply(&self, at: &mut Location) {
        let (Some(before), Some(now)) = (self.before.get(&at.function), self.now.get(&at.function))
        else {
            return;
        };
        if before.len() != now.len() || before == now {
            return;
        }
        let place = Anchor::of(at);
        let exact = before.iter().position(|anchor| *anchor == place);
        // A part of a statement: as far from its beginning as before.
        let near = || {
            let mut around = before.iter().enumerate().filter(|(_, a)| a.0 == at.file);
            around.by_ref().filter(|(_, a)| a.1 <= at.line).max_by_key(|(_, a)| a.1).map(|(n, _)| n)
        };
        let Some(number) = exact.or_else(near) else { return };
        let (old, new) = (&before[number], &now[number]);
        let by = |line: u32| (i64::from(line) + i64::from(new.1) - i64::from(old.1)).max(1) as u32;
        at.file.clone_from(&new.0);
        (at.line, at.end_line) = (by(at.line), by(at.end_line));
        if exact.is_some() {
            (at.line, at.column, at.end_line, at.end_column) = (new.1, new.2, new.3, new.4);
        }
    }

    /// Moves all places of a full report.
    pub fn apply_to_report(&self, report: &mut model::Report) {
        for finding in &mut report.findings {
            finding.location.iter_mut().for_each(|at| self.apply(at));
            if let model::Answer::Violated(run) = &mut finding.answer {
                run.location.iter_mut().for_each(|at| self.apply(at));
                for step in &mut run.steps {
                    let before = step.location.line;
                    self.apply(&mut step.location);
                    if let Some((line, _)) = &mut step.statement {
                        let moved = i64::from(step.location.line) - i64::from(before);
                        *line = (i64::from(*line) + moved).max(1) as u32;
                    }
                }
            }
        }
    }
}

impl Record {
    /// Moves all places to where they are now; the anchors stay those of the cache, for what else is kept.
    pub fn move_to(&mut self, now: &Anchors) {
        let before = std::mem::take(&mut self.anchors);
        let moves = Moves::new(&before, now);
        for site in &mut self.findings {
            site.location.iter_mut().for_each(|at| moves.apply(at));
        }
        self.anchors = before;
    }

    /// Whether there is nothing left to try: a verdict, or a reason that no limit is.
    pub fn is_final(&self) -> bool {
        !self.limited
    }

    /// Whether an attempt with these limits would bring nothing more: there was one with as much time, which did not
    /// lack memory that this one has.
    pub fn covers(&self, seconds: u64, memory: u64) -> bool {
        self.is_final()
            || (self.tried >= seconds && self.lacked.is_none_or(|lacked| lacked >= memory))
    }

    /// Whether another record of the same unit says nothing more: whatever that one covers, this one does.
    pub fn stands_against(&self, other: &Self) -> bool {
        // One that lacked no memory covers any.
        let memory = other.lacked.unwrap_or(u64::MAX);
        self.is_final() || (!other.is_final() && self.covers(other.tried, memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_or_missing_memory_may_bring_more() {
        let text = r#"{"key": "", "verdict": "UNKNOWN", "limited": true, "findings": [], "tried": 4,
                       "seconds": 1.0, "memory": 1}"#;
        let open: Record = serde_json::from_str(text).expect("a record");
        assert!(open.covers(4, 9000) && !open.covers(16, 100));
        let lacked = Record { lacked: Some(500), ..open.clone() };
        assert!(lacked.covers(4, 500) && !lacked.covers(4, 1000) && !lacked.covers(16, 500));
        assert!(Record { limited: false, ..lacked }.covers(60, 9000));
    }

    #[test]
    fn places_move_with_the_text() {
        let at = |line| Anchor("a.c".into(), line, 3, line, 9);
        let before = Anchors::from([("f".to_owned(), vec![at(1), at(2), at(5)])]);
        let now = Anchors::from([("f".to_owned(), vec![at(11), at(13), at(17)])]);
        let moves = Moves::new(&before, &now);
        let place = |line, column| Location {
            file: "a.c".into(),
            line,
            column,
            end_line: line,
            end_column: 9,
            function: "f".into(),
        };
        let moved = |mut location: Location| {
            moves.apply(&mut location);
            location.line
        };
        assert_eq!(moved(place(5, 3)), 17);
        assert_eq!(moved(place(3, 4)), 14);
        assert_eq!(moved(Location { function: "g".into(), ..place(5, 3) }), 5);
    }
}
