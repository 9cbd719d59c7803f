//! What can be wrong with a pushdown system or a question about it.

use gnomon_budget::Exhausted;

use crate::semiring::WeightError;

/// Why a system, an automaton or an analysis could not be made. Errors about rules name the rule as
/// its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WpdsError {
    /// A rule uses a control location that the system does not have.
    #[error("rule {rule}: control location {control} does not exist")]
    UnknownControl {
        /// The rule.
        rule: String,
        /// The location.
        control: String,
    },
    /// A rule uses a stack symbol that the system does not have.
    #[error("rule {rule}: stack symbol {symbol} does not exist")]
    UnknownSymbol {
        /// The rule.
        rule: String,
        /// The symbol.
        symbol: String,
    },
    /// A rule has more than two stack symbols on its right-hand side.
    #[error("rule {rule}: {count} stack symbols on the right-hand side, at most two are allowed")]
    TooManySymbols {
        /// The rule.
        rule: String,
        /// How many there are.
        count: usize,
    },
    /// A push rule of an extended system has no merge function.
    #[error("rule {rule}: a push rule of an extended system needs a merge function")]
    MissingMerge {
        /// The rule.
        rule: String,
    },
    /// A rule has a merge function that it cannot use.
    #[error("rule {rule}: only push rules of an extended system have a merge function")]
    UnexpectedMerge {
        /// The rule.
        rule: String,
    },
    /// The weight of a rule does not belong to the domain of the system.
    #[error("rule {rule}: {reason}")]
    ForeignWeight {
        /// The rule.
        rule: String,
        /// What the domain says.
        reason: WeightError,
    },
    /// A merge function without the path-extension property where the property is needed.
    #[error(
        "rule {rule}: {analysis} needs merge functions with the path-extension property \
         (merge(a⊗b, c) = a⊗merge(b, c))"
    )]
    NoPathExtension {
        /// The rule.
        rule: String,
        /// What was asked for.
        analysis: &'static str,
    },
    /// An automaton has a transition into a control location.
    #[error("the automaton has a transition into control location {control}")]
    TransitionIntoControl {
        /// The location.
        control: u32,
    },
    /// An automaton that was given as a set of configurations has an empty-word transition.
    #[error("the automaton has an empty-word transition from state {state}")]
    EpsilonInInput {
        /// Where it leaves.
        state: u32,
    },
    /// An automaton is for a system with other control locations.
    #[error("the automaton is for {found} control locations, the system has {expected}")]
    ControlCount {
        /// How many the system has.
        expected: u32,
        /// How many the automaton was made for.
        found: u32,
    },
    /// An automaton or a question names a state, symbol or rule that does not exist.
    #[error("{what} {index} does not exist")]
    OutOfRange {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        index: u32,
    },
    /// A forward result was given where a backward one is needed, or the other way round.
    #[error("{analysis} needs the result of {needed}")]
    WrongDirection {
        /// What was asked for.
        analysis: &'static str,
        /// Which result it works on.
        needed: &'static str,
    },
    /// A method that splits paths in two was asked about a system with merge functions.
    #[error(
        "{analysis} splits paths and cannot apply a merge function across a split: it needs a system \
         without merge functions"
    )]
    NeedsPlainCalls {
        /// What was asked for.
        analysis: &'static str,
    },
    /// Witnesses were asked for, but the solver was not told to record them.
    #[error("the solver was not asked to record witnesses")]
    NotTraced,
    /// A rule sequence that the system cannot perform.
    #[error("rule {rule} cannot fire at step {step}")]
    CannotFire {
        /// The rule.
        rule: String,
        /// Its position in the sequence.
        step: usize,
    },
    /// A line of a text form could not be read.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A JSON instance could not be read.
    #[error("{place}: {problem}")]
    Json {
        /// The rule, the transition or the part of the document.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An operation on weights failed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}
