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
//! around it; a declaration gets the question before it. The condition of a branch and a call become
//! expressions that keep the value and ask ([`Wrap`]). What is not followed (`?:`, calls through pointers) is
//! left out and told: the runs then are more, and a violation that is confirmed is one of the program, if not
//! surely one of the witness.

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

/// A part of the text that becomes an expression with the same value, which also asks.
#[derive(Clone, Debug)]
struct Wrap {
    /// Where the part ends.
    end: usize,
    what: Wrapped,
    /// What must not be.
    avoided: String,
    /// What is asked in order, at most one at a time: a waypoint is passed once.
    asked: Vec<String>,
}

/// What is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrapped {
    /// A condition, which is `gnomon_value`; an empty one holds.
    Condition,
    /// What a `switch` looks at.
    Selector,
    /// A call, before it is made.
    Call,
    /// A call whose value is `gnomon_value` when it has returned.
    Returned,
    /// A call whose value nobody wants.
    ReturnedNothing,
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
    let mut weaver = Weaver {
        source,
        statements,
        inserted: BTreeMap::new(),
        wraps: BTreeMap::new(),
        left_out: Vec::new(),
    };
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
    /// By offset, and what is inside of what.
    wraps: BTreeMap<(usize, Wrapped), Wrap>,
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
                    (kind, action) => {
                        let Some(part) = self.part(waypoint)? else {
                            let line = waypoint.location.line;
                            self.left_out.push(format!("the {kind} waypoint at line {line}"));
                            continue;
                        };
                        if action == "follow" {
                            let next = passed + 1;
                            self.ask(&part, |condition| {
                                format!(
                                    "if (gnomon_waypoint == {passed} && ({condition})) \
                                     gnomon_waypoint = {next};"
                                )
                            });
                            passed = next;
                        } else {
                            self.avoid(&part, passed);
                        }
                    }
                }
            }
        }
        let target = target.ok_or(NotWoven::NoTarget)?;
        let question = format!("if (gnomon_waypoint != {passed}) __builtin_trap();");
        self.at_statement(&target.location, &question)?;
        Ok(Claimed::Violation { line: target.location.line })
    }

    /// The part of the text that a waypoint of a branch or a call is about; `None` if there is none.
    fn part(&self, waypoint: &Waypoint) -> Result<Option<Part>, NotWoven> {
        let at = self.offset(&waypoint.location)?;
        Ok(match waypoint.kind.as_str() {
            "branching" => self.branch(at, waypoint.constraint.as_ref()),
            "function_enter" => self.call(at).map(|(start, end)| Part {
                start,
                end,
                what: Wrapped::Call,
                condition: "1".to_owned(),
            }),
            "function_return" => match self.call(at) {
                None => None,
                Some((start, end)) => {
                    let before = self.source[..start].trim_end();
                    let alone = before.ends_with(['{', '}', ';', ')']) || before.is_empty();
                    let what = match (&waypoint.constraint, alone) {
                        (None, true) => Wrapped::ReturnedNothing,
                        _ => Wrapped::Returned,
                    };
                    let condition = match &waypoint.constraint {
                        None => "1".to_owned(),
                        Some(constraint) => {
                            text_of(&constraint.value).replace("\\result", "gnomon_value")
                        }
                    };
                    Some(Part { start, end, what, condition })
                }
            },
            _ => None,
        })
    }

    /// The condition of the branch that begins with a keyword.
    fn branch(&self, at: usize, constraint: Option<&Constraint>) -> Option<Part> {
        let rest = &self.source[at..];
        let keyword = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        let open = at + rest.find('(')? + 1;
        let close = open + matching(&self.source[open..])?;
        let (start, end) = match keyword {
            "if" | "while" | "switch" => (open, close),
            "for" => {
                let first = open + end_of_clause(&self.source[open..close])? + 1;
                (first, first + end_of_clause(&self.source[first..close])?)
            }
            _ => return None,
        };
        let value = text_of(&constraint?.value);
        let (what, condition) = match (keyword, value.as_str()) {
            ("switch", "default") => return None,
            ("switch", number) => (Wrapped::Selector, format!("gnomon_value == ({number})")),
            (_, "true" | "1") => (Wrapped::Condition, "gnomon_value".to_owned()),
            (_, "false" | "0") => (Wrapped::Condition, "!gnomon_value".to_owned()),
            _ => return None,
        };
        Some(Part { start, end, what, condition })
    }

    /// The call whose closing parenthesis stands at an offset, if it is one by name.
    fn call(&self, at: usize) -> Option<(usize, usize)> {
        if !self.source[at..].starts_with(')') {
            return None;
        }
        let mut depth = 0;
        let open = self.source[..at].char_indices().rev().find_map(|(offset, c)| match c {
            ')' => {
                depth += 1;
                None
            }
            '(' if depth == 0 => Some(offset),
            '(' => {
                depth -= 1;
                None
            }
            _ => None,
        })?;
        let name = self.source[..open].trim_end();
        let start = name
            .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(0, |before| before + 1);
        let is_name = name[start..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_keyword = matches!(&name[start..], "if" | "while" | "for" | "switch" | "sizeof");
        // Behind `->` and `.` the name is only the end of it.
        let is_member = name[..start].trim_end().ends_with(['.', '>']);
        (is_name && !is_keyword && !is_member).then_some((start, at + 1))
    }

    fn wrap(&mut self, part: &Part) -> &mut Wrap {
        let key = (part.start, part.what);
        self.wraps.entry(key).or_insert_with(|| Wrap {
            end: part.end,
            what: part.what,
            avoided: String::new(),
            asked: Vec::new(),
        })
    }

    fn ask(&mut self, part: &Part, question: impl FnOnce(&str) -> String) {
        let asked = question(&part.condition);
        self.wrap(part).asked.push(asked);
    }

    fn avoid(&mut self, part: &Part, passed: u32) {
        let condition = &part.condition;
        let question =
            format!("if (gnomon_waypoint == {passed} && ({condition})) __builtin_trap();");
        self.wrap(part).avoided += &question;
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

    /// Wherever the loop at a place begins an iteration or ends.
    fn at_loop(&mut self, invariant: &InvariantItem, question: &str) -> Result<(), NotWoven> {
        let at = &invariant.location;
        let none = || NotWoven::NoLoop(at.line, at.column.unwrap_or(1));
        let offset = self.offset(at)?;
        let rest = &self.source[offset..];
        let keyword = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let Some(keyword @ ("while" | "for" | "do")) = keyword else { return Err(none()) };
        if keyword != "do" {
            let open = offset + rest.find('(').ok_or_else(none)? + 1;
            if keyword == "while" {
                self.add(open, How::Condition, question);
                return Ok(());
            }
            let condition = open + end_of_clause(&self.source[open..]).ok_or_else(none)? + 1;
            let is_empty = self.source[condition..].trim_start().starts_with(';');
            let how = if is_empty { How::WholeCondition } else { How::Condition };
            self.add(condition, how, question);
            return Ok(());
        }
        // The body of a `do` is one statement, with braces or without.
        self.add(offset + "do".len(), How::Around, question);
        Ok(())
    }

    fn text(&self) -> String {
        let mut pieces: BTreeMap<usize, String> = BTreeMap::new();
        // Ends come before what begins at the same place; the inner ones first.
        let mut ends: Vec<&Wrap> = self.wraps.values().collect();
        ends.reverse();
        for wrap in ends {
            *pieces.entry(wrap.end).or_default() += &wrap.closing();
        }
        for (&offset, (how, question)) in &self.inserted {
            let block = format!("({{ {DECLARED} {question} 0; }})");
            *pieces.entry(offset).or_default() += &match how {
                How::Around => format!(" if ({block}) ; else "),
                How::Before => format!("{block}; "),
                How::Condition => format!("{block}, "),
                How::WholeCondition => format!("{block}, 1"),
            };
        }
        for (&(offset, _), wrap) in &self.wraps {
            let is_empty = self.source[offset..wrap.end].trim().is_empty();
            *pieces.entry(offset).or_default() += &wrap.opening(is_empty);
        }
        let mut text = String::with_capacity(self.source.len() + 200 * pieces.len());
        let mut from = 0;
        for (offset, piece) in pieces {
            text += &self.source[from..offset];
            from = offset;
            text += &piece;
        }
        text += &self.source[from..];
        text += "\nunsigned long gnomon_waypoint;\n";
        text
    }
}

/// What every question needs.
const DECLARED: &str = "extern unsigned long gnomon_waypoint; extern void gnomon_violation(void);";

/// A part of the text, and what is asked there.
struct Part {
    start: usize,
    end: usize,
    what: Wrapped,
    condition: String,
}

impl Wrap {
    fn opening(&self, is_empty: bool) -> String {
        let questions = self.questions();
        let one = if is_empty { "1" } else { "" };
        match self.what {
            Wrapped::Condition => format!("({{ {DECLARED} int gnomon_value = !!({one}"),
            Wrapped::Selector => format!("({{ {DECLARED} __auto_type gnomon_value = ("),
            Wrapped::Call => format!("({{ {DECLARED} {questions} "),
            Wrapped::Returned => format!("({{ {DECLARED} __auto_type gnomon_value = "),
            Wrapped::ReturnedNothing => format!("({{ {DECLARED} "),
        }
    }

    fn closing(&self) -> String {
        let questions = self.questions();
        match self.what {
            Wrapped::Condition | Wrapped::Selector => format!("); {questions} gnomon_value; }})"),
            Wrapped::Call => "; })".to_owned(),
            Wrapped::Returned => format!("; {questions} gnomon_value; }})"),
            Wrapped::ReturnedNothing => format!("; {questions} }})"),
        }
    }

    fn questions(&self) -> String {
        format!("{} {}", self.avoided, self.asked.join(" else "))
    }
}

/// Where the parenthesis is closed that is open at the start.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
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
        Some(Constraint { value, .. }) => Ok(text_of(value)),
    }
}

fn text_of(value: &ConstraintValue) -> String {
    match value {
        ConstraintValue::Truth(value) => u8::from(*value).to_string(),
        ConstraintValue::Number(value) => value.to_string(),
        ConstraintValue::Text(text) => text.clone(),
    }
}
