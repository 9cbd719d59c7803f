//! What a spec says, as a tree. The grammar is in `docs/specs.md`.

use std::fmt;

/// A place in the text of a spec, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with the text of a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}")]
pub struct SpecError {
    /// Where.
    pub at: Position,
    /// What.
    pub message: String,
}

/// An automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// What it demands, in a few words.
    pub summary: String,
    /// What users can change.
    pub options: Vec<SpecOption>,
    /// Variables of its own.
    pub ghosts: Vec<Ghost>,
    /// The pattern variable whose values have an instance each, if it is not one for the whole
    /// program.
    pub tracked: Option<String>,
    /// The states; a whole-program automaton begins in the first.
    pub states: Vec<String>,
    /// What happens on events.
    pub handlers: Vec<Handler>,
}

/// Something that users can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecOption {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: OptionValue,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// `on` or `off`; in conditions 1 or 0.
    Switch(bool),
    /// Names of functions, with `*` for any letters; for events `@name`.
    Names(Vec<String>),
}

/// A number that belongs to the automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// Its name.
    pub name: String,
    /// Its value at the start.
    pub initial: i64,
}

/// What happens on one of several events: the first rule that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Any of these.
    pub events: Vec<Event>,
    /// In order.
    pub rules: Vec<Rule>,
}

/// Something that a program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// Where the spec says so.
    pub at: Position,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A function is about to be called: `f($x)`.
    Call(FunctionPattern),
    /// A function was called and has returned: `$r = f($x)`.
    Returned(Pattern, FunctionPattern),
    /// A function of the program begins: `enter f($x)`.
    Enter(FunctionPattern),
    /// A function of the program returns: `leave f($x)`, `leave $r = f($x)`.
    Leave(Option<Pattern>, FunctionPattern),
    /// A variable or member is about to be assigned: `assign x = $v`, `assign .flag = $v`.
    Assign(LvaluePattern, Pattern),
    /// A label is reached: `label L`.
    Label(String),
    /// The program ends: its first function returns, or `exit` is called.
    End,
    /// A pointer is followed: `deref($p)`; moves of the pointer are left away.
    Deref(Pattern),
    /// Memory is read or written at an address: `access($p)`.
    Access(Pattern),
    /// A pointer is compared with null, or tested: `test($p)`.
    Test(Pattern),
    /// A variable that pointers can reach begins: `variable($p, $size)`.
    Variable(Pattern, Pattern),
}

impl EventKind {
    /// The patterns in it.
    pub fn patterns(&self) -> Vec<&Pattern> {
        match self {
            Self::Call(f) | Self::Enter(f) | Self::Leave(None, f) => f.args.iter().collect(),
            Self::Returned(r, f) | Self::Leave(Some(r), f) => {
                std::iter::once(r).chain(&f.args).collect()
            }
            Self::Assign(_, p) | Self::Deref(p) | Self::Access(p) | Self::Test(p) => vec![p],
            Self::Variable(p, size) => vec![p, size],
            Self::Label(_) | Self::End => Vec::new(),
        }
    }

    /// Whether a pattern of it gives the variable a value.
    pub fn binds(&self, name: &str) -> bool {
        self.patterns().iter().any(|p| matches!(p, Pattern::Bind(n) if n == name))
    }
}

/// Functions, and what they are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPattern {
    /// Their names, with `*` for any letters; `@option` for the names in an option.
    pub names: Vec<String>,
    /// The first arguments.
    pub args: Vec<Pattern>,
    /// Whether there may be more.
    pub more: bool,
}

/// What is assigned to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LvaluePattern {
    /// A variable of that name.
    Variable(String),
    /// A member of that name.
    Member(String),
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Anything: `_`.
    Any,
    /// Anything, which gets a name: `$x`.
    Bind(String),
    /// This number.
    Number(i64),
    /// The null pointer.
    Null,
}

/// What happens if the automaton is in one of some states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The states.
    pub from: From,
    /// What must hold besides.
    pub when: Option<Guard>,
    /// New values of ghosts, by number, all computed before any is stored.
    pub actions: Vec<(usize, Guard)>,
    /// What comes then.
    pub to: To,
    /// Where the spec says so.
    pub at: Position,
}

/// Where a rule begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// No value is watched yet: `new`.
    New,
    /// One of these, by number.
    States(Vec<usize>),
    /// Any of them: `*`.
    Any,
}

/// Where a rule leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// A state, by number.
    State(usize),
    /// Where it was: `same`.
    Same,
    /// Nowhere: the value is not watched any longer (`ignore`).
    Ignore,
    /// What must not happen, as users read it.
    Error(String),
}

/// A condition, or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A number.
    Number(i64),
    /// The null pointer.
    Null,
    /// A pattern variable.
    Variable(String, Position),
    /// A ghost, by number.
    Ghost(usize),
    /// A switch, by number of the option.
    Switch(usize),
    /// The value of a global variable of the program, null if it has none: `global(stdout)`.
    Global(String),
    /// The value points to a string literal: `literal($s)`.
    Literal(Box<Guard>),
    /// The first lies in the object of so many bytes that begins at the second: `inside(a, b, n)`.
    Inside(Box<[Guard; 3]>),
    /// `!a`.
    Not(Box<Guard>),
    /// An operation on two.
    Binary(Operator, Box<[Guard; 2]>),
}

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
}

impl Spec {
    /// The variables that a guard may use in a handler of the event: those that it binds, and the
    /// tracked one.
    pub fn knows(&self, event: &EventKind, variable: &str) -> bool {
        self.tracked.as_deref() == Some(variable) || event.binds(variable)
    }

    /// Sets an option from the command line; `None` if there is no such option, or no such value.
    pub fn set_option(&mut self, name: &str, text: &str) -> Option<()> {
        let option = self.options.iter_mut().find(|o| o.name == name)?;
        option.value = match (&option.value, text) {
            (OptionValue::Switch(_), "on") => OptionValue::Switch(true),
            (OptionValue::Switch(_), "off") => OptionValue::Switch(false),
            (OptionValue::Switch(_), _) => return None,
            (OptionValue::Names(_), text) => OptionValue::Names(names(text)),
        };
        Some(())
    }
}

/// Names with blanks between them.
pub fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
