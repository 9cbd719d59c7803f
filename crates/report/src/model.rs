//! One outcome of a check as data: what the JSON form is, and what all other forms are made of.
//!
//! The fields are documented here and nowhere else; a change that removes or renames one raises
//! [`VERSION`]. Readers should ignore fields that they do not know. Lines and columns count from 1,
//! columns in bytes; the end column is the one behind the last byte.

use gnomon_ir::property::Property;
use gnomon_ir::trace::InputTrace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the schema, the first field of every document.
pub const SCHEMA: &str = "gnomon-report";
/// The version of the schema.
pub const VERSION: u32 = 1;

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// What was checked.
    pub task: Task,
    /// The verdict of all findings together.
    pub verdict: VerdictName,
    /// One for the whole program, or one for each error site.
    pub findings: Vec<Finding>,
    /// What the verdict relies on.
    pub assumptions: Vec<Assumption>,
    /// Who decided, if an engine was asked.
    pub engine: Option<String>,
    /// Counts of what was done; the same for the same program, options and version, unless a limit
    /// struck.
    pub counts: BTreeMap<String, f64>,
    /// Seconds by purpose.
    pub seconds: BTreeMap<String, f64>,
}

/// Who wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Task {
    /// The files as they were given, in order.
    pub files: Vec<SourceFile>,
    /// `LP64` or `ILP32`.
    pub data_model: String,
    /// The function where runs begin.
    pub entry: String,
    /// What must not happen, in the notation of SV-COMP where that has one, else for people.
    pub property: String,
    /// The same as data.
    #[serde(default)]
    pub forbidden: Vec<Property>,
}

/// A file of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceFile {
    /// As it was given.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// A verdict without what stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum VerdictName {
    /// No run reaches an error.
    True,
    /// A run does.
    False,
    /// Not known.
    Unknown,
}

impl VerdictName {
    /// As it stands in the last line of `gnomon check`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "TRUE",
            Self::False => "FALSE",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// A part of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Location {
    /// The file, as line markers name it.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last byte.
    pub end_column: u32,
    /// The function.
    pub function: String,
}

/// The answer for one error site, or for all together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// What must not happen.
    pub what: String,
    /// The same as data: of one site what is forbidden there, of all together what a run violates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<Property>,
    /// Where, if it is one place.
    pub location: Option<Location>,
    /// The answer.
    pub answer: Answer,
}

/// An answer with what stands behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// No run reaches an error.
    Proved(Proof),
    /// This run does.
    Violated(Box<Run>),
    /// Not known.
    Unknown(Unknown),
}

impl Answer {
    /// The verdict.
    pub fn verdict(&self) -> VerdictName {
        match self {
            Self::Proved(_) => VerdictName::True,
            Self::Violated(_) => VerdictName::False,
            Self::Unknown(_) => VerdictName::Unknown,
        }
    }
}

/// Why a program is safe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Proof {
    /// How it was proved.
    pub kind: ProofKind,
    /// The same for people.
    pub text: String,
    /// What holds at cut points, if it was proved by invariants.
    pub invariants: Vec<PlaceInvariant>,
    /// What an independent check of the proof says.
    pub certificate: CertificateState,
    /// Where the certificate was written, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_file: Option<String>,
}

/// How a program was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofKind {
    /// The program has no error site.
    NoErrorSite,
    /// It takes no input, and its only run was done.
    OnlyRun,
    /// The search was exhaustive.
    AllExecutions,
    /// Inductive invariants at cut points.
    Invariants,
    /// Inductive summaries of functions.
    Summaries,
    /// The states that an automaton can have at every point.
    Typestate,
}

/// What is known of the certificate of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CertificateState {
    /// It was not asked for.
    NotChecked,
    /// The independent checker accepts it.
    Accepted,
    /// It accepts it, if pointers point where so many facts of the certificate say.
    AcceptedTrusting(u64),
    /// The independent checker has no answer, and why.
    NotDecided(String),
}

/// What holds at a place whenever it is passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlaceInvariant {
    /// The place; `None` for the start of the program.
    pub location: Option<Location>,
    /// The functions with the open calls, the innermost first.
    pub calls: Vec<String>,
    /// Whether it is the head of a loop that the user wrote.
    pub is_loop: bool,
    /// The formula, as C for people.
    pub formula: String,
    /// How many different predicates it has.
    pub predicates: usize,
    /// The formula as a C expression that a compiler accepts at the place, if there is one.
    pub c_expression: Option<String>,
}

/// A run that reaches an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// What is wrong at its end.
    pub message: String,
    /// Where its end is.
    pub location: Option<Location>,
    /// How many steps the run took; `steps` may be fewer, the last ones then.
    pub length: u64,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The names of the threads of steps, of a program with threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// Everything that the run took from outside: `gnomon run --inputs` repeats it.
    pub inputs: InputTrace,
    /// What the marked steps prove, if the run was sliced.
    pub slice: Option<SliceClaim>,
    /// What an execution of the compiled program showed.
    pub execution: Execution,
}

/// What the steps of a slice prove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SliceClaim {
    /// So many steps matter.
    pub kept: u64,
    /// Of so many.
    pub steps: u64,
    /// What can be said of the end if only they are known.
    pub claim: String,
}

/// What an execution of the compiled program showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Execution {
    /// Nobody asked for one.
    NotTried,
    /// The error was reached.
    Confirmed,
    /// It was tried, and this came out.
    NotConfirmed(String),
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// The part of the source.
    pub location: Location,
    /// Line and column where the statement begins that it belongs to; none of a condition behind
    /// the body of its loop, before which no statement begins.
    pub statement: Option<(u32, u32)>,
    /// The number of open calls, 1 in the entry function.
    pub depth: u32,
    /// The thread that does it, by its place in [`Run::threads`]; none in a program without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// What happens.
    pub action: Action,
    /// What was stored.
    pub stored: Vec<Stored>,
    /// Whether the step matters for reaching the error; true for all if the run was not sliced.
    pub essential: bool,
}

impl Step {
    /// What happens, as a list for people; empty if there is nothing to tell.
    pub fn events(&self) -> Vec<String> {
        let mut events: Vec<String> = match &self.action {
            Action::Condition(condition) => vec![format!("[{condition}]")],
            // An input says by itself that it was asked for.
            Action::Call(_) if self.stored.iter().any(|stored| stored.is_input) => Vec::new(),
            Action::Call(function) => vec![format!("calls {function}")],
            Action::Back(function) => vec![format!("back from {function}")],
            Action::Return => vec!["returns".to_owned()],
            Action::Check | Action::Statement => Vec::new(),
        };
        for stored in &self.stored {
            let input = if stored.is_input { " (input)" } else { "" };
            events.push(format!("{} = {}{input}", stored.place, stored.value));
        }
        events
    }
}

/// What happens in a step, as C for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A condition that was found true.
    Condition(String),
    /// The condition of a check that nobody wrote.
    Check,
    /// A store, or something without effect on the user's variables.
    Statement,
    /// A call of the function of that name.
    Call(String),
    /// The return to the caller.
    Return,
    /// The function of that name came back.
    Back(String),
}

/// A value that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stored {
    /// As the user writes it: `a[2].x`.
    pub place: String,
    /// As the user writes it.
    pub value: String,
    /// Whether it comes from outside.
    pub is_input: bool,
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unknown {
    /// What the reason is, for programs.
    pub kind: UnknownKind,
    /// The reason, as it stands in the last line.
    pub reason: String,
    /// Where in the source, as `file:line:column`, if one place is to blame.
    pub place: Option<String>,
    /// What is known, and what is left to do.
    pub partial: Vec<String>,
    /// What the user can try.
    pub advice: Vec<String>,
}

/// Kinds of reasons why nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownKind {
    /// A limit of time, memory or work was reached.
    Limit,
    /// The program has something that is not supported.
    Unsupported,
    /// An error may be reached, but no run that does was found.
    NotConfirmed,
    /// The independent checker does not accept the proof.
    Uncertified,
    /// A run has undefined behaviour.
    UndefinedBehaviour,
    /// The order of evaluation is open, and matters.
    EvaluationOrder,
    /// Accesses to memory are not proved.
    Memory,
    /// The program decides by where its objects lie.
    AddressLayout,
    /// No engine has anything more to try.
    NoProgress,
}

/// Something that a verdict relies on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Assumption {
    /// What it is about.
    #[serde(default)]
    pub kind: AssumptionKind,
    /// For people.
    pub text: String,
    /// Where it was first met, as `file:line:column`.
    pub place: Option<String>,
}

/// What an assumption is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionKind {
    /// Every access to memory is inside an object.
    AccessesInside,
    /// No pointer to an object that is gone is compared with another one.
    DanglingNotCompared,
    /// Something else.
    #[default]
    Other,
}

impl Report {
    /// The JSON form, with a line end.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
