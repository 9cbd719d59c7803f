//! A witness woven into the source text: what a witness claims becomes a question about a program.
//!
//! A **violation** witness represents the runs that pass its waypoints in order. A counter follows
//! how many are passed; where the target is reached too early, and where a waypoint to avoid is
//! passed, the run ends. So the witness is right if the error at the target can still be reached.
//! An invariant of a **correctness** witness is asked wherever it is to hold: the witness is right
//! if no such question is answered with no, and no error is reached.
//!
//! Text is inserted where a statement begins, without line ends, so that lines keep their numbers.
//! A statement `S` becomes `if (question) ; else S`, which is one statement again, whatever is
//! around it; a declaration gets the question before it. What is not followed (waypoints of branches
//! and of calls) is left out and told: the runs then are more, and a violation that is confirmed is
//! one of the program, if not surely one of the witness.

use std::collections::BTreeMap;

use crate::witness::{Constraint, ConstraintValue, Entry, InvariantItem, Item, Place, Waypoint};

/// The function whose call means that an invariant does not hold.
pub const VIOLATION: &str = "gnomon_violation";

/// A source with a witness in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Woven {
    /// The text.
    pub text: String,
    /// What is claimed.
    pub claim: Claimed,
    /// What was left out, for people.
    pub left_out: Vec<String>,
}

/// What a witness claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The error in this line can be reached.
    Violation {
        /// The line.
        line: u32,
    },
    /// No error can be reached, nor a call of [`VIOLATION`].
    Correctness,
}

/// Why a witness is not woven in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWoven {
    /// Of another kind.
    #[error("entries of type `{0}` are not known")]
    Entry(String),
    /// There is no such place.
    #[error("no statement begins at line {0}, column {1}")]
    Place(u32, u32),
    /// A violation witness without a target.
    #[error("the witness has no target")]
    NoTarget,
    /// A loop that is none.
    #[error("no loop begins at line {0}, column {1}")]
    NoLoop(u32, u32),
    /// An expression in another language.
    #[error("constraints in the format `{0}` are not known")]
    Format(String),
}

/// How text is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// Around a statement.
    Around,
    /// Before a declaration.
    Before,
    /// Into the condition of a loop that has one.
    Condition,
    /// For the condition of a loop that has none.
    WholeCondition,
}

/// What begins at a line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// A declaration.
    Declaration,
    /// Another statement.
    Statement,
}

/// Weaves an entry into a source, of which is known where statements begin.
pub fn weave(
    source: &str,
    entry: &Entry,
    statements: &BTreeMap<(u32, u32), Begins>,
) -> Result<Woven, NotWoven> {
    let mut weaver = Weaver { source, statements, inserted: BTreeMap::new(), left_out: Vec::new() };
    let claim = match entry.entry_type.as_str() {
        "violation_sequence" => weaver.violation(&entry.content)?,
        "invariant_set" => weaver.correctness(&entry.content)?,
        other => return Err(NotWoven::Entry(other.to_owned())),
    };
    let text = weaver.text();
    Ok(Woven { text, claim, left_out: weaver.left_out })
}

struct Weaver<'a> {
    source: &'a str,
    statements: &'a BTreeMap<(u32, u32), Begins>,
    /// By offset, the questions in order.
    inserted: BTreeMap<usize, (How, String)>,
    left_out: Vec<String>,
}

impl Weaver<'_> {
    /// The place of a line and a column in the text.
    fn offset(&self, at: &Place) -> Result<usize, NotWoven> {
        let mut start = 0;
        for (number, line) in self.source.split_inclusive('\n').enumerate() {
            if number as u32 + 1 == at.line {
                let indent = line.len() - line.trim_start().len();
                let column = at.column.map_or(indent, |column| column.saturating_sub(1) as usize);
                if column <= line.len() && self.source.is_char_boundary(start + column) {
                    return Ok(start + column);
                }
                break;
            }
            start += line.len();
        }
        Err(NotWoven::Place(at.line, at.column.unwrap_or(1)))
    }

    fn add(&mut self, offset: usize, how: How, question: &str) {
        let known = self.inserted.entry(offset).or_insert_with(|| (how, String::new()));
        known.1 += question;
    }

    /// Before the statement at a place; the first of the line, if no column is told.
    fn at_statement(&mut self, at: &Place, question: &str) -> Result<(), NotWoven> {
        let none = NotWoven::Place(at.line, at.column.unwrap_or(1));
        let columns = match at.column {
            Some(column) => (at.line, column)..=(at.line, column),
            None => (at.line, 0)..=(at.line, u32::MAX),
        };
        let Some(((line, column), begins)) = self.statements.range(columns).next() else {
            return Err(none);
        };
        let how = match begins {
            Begins::Declaration => How::Before,
            Begins::Statement => How::Around,
        };
        let place = Place { line: *line, column: Some(*column), ..at.clone() };
        let offset = self.offset(&place)?;
        self.add(offset, how, question);
        Ok(())
    }

    fn violation(&mut self, content: &[Item]) -> Result<Claimed, NotWoven> {
        let mut passed = 0;
        let mut target = None;
        for item in content {
            let Item::Segment { segment } = item else { continue };
            for step in segment {
                let waypoint = &step.waypoint;
                match (waypoint.kind.as_str(), waypoint.action.as_str()) {
                    ("target", _) => target = Some(waypoint),
                    ("assumption", "follow") => {
                        let condition = expression(waypoint)?;
                        let question = format!(
                            "if (gnomon_waypoint == {passed} && ({condition})) gnomon_waypoint = {};",
                            passed + 1
                        );
                        self.at_statement(&waypoint.location, &question)?;
                        passed += 1;
                    }
                    ("assumption", _) => {
                        let condition = expression(waypoint)?;
                        let question = format!(
                            "if (gnomon_waypoint == {passed} && ({condition})) __builtin_trap();"
                        );
                        self.at_statement(&waypoint.location, &question)?;
                    }
                    (kind, _) => self
                        .left_out
                        .push(format!("the {kind} waypoint at line {}", waypoint.location.line)),
                }
            }
        }
        let target = target.ok_or(NotWoven::NoTarget)?;
        let question = format!("if (gnomon_waypoint != {passed}) __builtin_trap();");
        self.at_statement(&target.location, &question)?;
        Ok(Claimed::Violation { line: target.location.line })
    }

    fn correctness(&mut self, content: &[Item]) -> Result<Claimed, NotWoven> {
        for item in content {
            let Item::Invariant { invariant } = item else { continue };
            if invariant.format != "c_expression" {
                return Err(NotWoven::Format(invariant.format.clone()));
            }
            let question = format!("if (!({})) {VIOLATION}();", invariant.value);
            match invariant.kind.as_str() {
                "location_invariant" => self.at_statement(&invariant.location, &question)?,
                _ => self.at_loop(invariant, &question)?,
            }
        }
        Ok(Claimed::Correctness)
    }

    /// Wherever the loop at a place begins a round or ends.
    fn at_loop(&mut self, invariant: &InvariantItem, question: &str) -> Result<(), NotWoven> {
        let at = &invariant.location;
        let none = || NotWoven::NoLoop(at.line, at.column.unwrap_or(1));
        let offset = self.offset(at)?;
        let rest = &self.source[offset..];
        if rest.starts_with("while") || rest.starts_with("for") {
            let open = offset + rest.find('(').ok_or_else(none)? + 1;
            if rest.starts_with("while") {
                self.add(open, How::Condition, question);
                return Ok(());
            }
            let condition = open + end_of_clause(&self.source[open..]).ok_or_else(none)? + 1;
            let is_empty = self.source[condition..].trim_start().starts_with(';');
            let how = if is_empty { How::WholeCondition } else { How::Condition };
            self.add(condition, how, question);
            return Ok(());
        }
        if rest.starts_with("do") {
            let open = rest.find('{').ok_or_else(none)?;
            self.add(offset + open + 1, How::Before, question);
            return Ok(());
        }
        Err(none())
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(self.source.len() + 200 * self.inserted.len());
        let mut from = 0;
        for (&offset, (how, question)) in &self.inserted {
            text += &self.source[from..offset];
            from = offset;
            let block = format!(
                "({{ extern unsigned long gnomon_waypoint; extern void {VIOLATION}(void); {question} 0; }})"
            );
            text += &match how {
                How::Around => format!("if ({block}) ; else "),
                How::Before => format!("{block}; "),
                How::Condition => format!("{block}, "),
                How::WholeCondition => format!("{block}, 1"),
            };
        }
        text += &self.source[from..];
        text += "\nunsigned long gnomon_waypoint;\n";
        text
    }
}

/// The first `;` that is not in parentheses.
fn end_of_clause(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ';' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

fn expression(waypoint: &Waypoint) -> Result<String, NotWoven> {
    match &waypoint.constraint {
        None => Ok("1".to_owned()),
        Some(Constraint { format: Some(format), .. }) if format != "c_expression" => {
            Err(NotWoven::Format(format.clone()))
        }
        Some(Constraint { value, .. }) => Ok(match value {
            ConstraintValue::Truth(value) => u8::from(*value).to_string(),
            ConstraintValue::Number(value) => value.to_string(),
            ConstraintValue::Text(text) => text.clone(),
        }),
    }
}
