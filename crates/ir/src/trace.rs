//! What a run takes from outside: the one type that solver models, the interpreter, replay and
//! witnesses exchange.

use serde::{Deserialize, Serialize};

/// Everything nondeterministic about one run, in the order in which the run asks for it.
///
/// ```
/// use gnomon_ir::trace::{InputTrace, Input};
///
/// let trace = InputTrace { inputs: vec![Input::Nondet { value: 3, line: None }] };
/// assert_eq!(trace.inputs.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputTrace {
    /// In order.
    pub inputs: Vec<Input>,
}

/// One answer from outside. Values are bits, zero-extended, of the type that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// The result of `__VERIFIER_nondet_*`, of a havoc, of reading what was never written.
    Nondet {
        /// The bits.
        value: u128,
        /// `file:line` of the question, for people and for checks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<String>,
    },
    /// What a function without a body did.
    Call {
        /// Its name.
        function: String,
        /// The bits of the result, if it has one.
        result: Option<u128>,
        /// Bytes that it wrote.
        writes: Vec<Write>,
    },
    /// Whether an allocation succeeded.
    Allocation {
        /// False for a null pointer.
        succeeds: bool,
    },
    /// Which of several open edges was taken, counted from 0.
    Choice {
        /// The position among the location's open edges.
        edge: u32,
    },
    /// An argument of the entry function.
    Argument {
        /// The name of the parameter.
        name: String,
        /// The value.
        value: ArgumentValue,
    },
}

/// Bytes written behind a pointer that was passed to a function without a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// Which argument, counted from 0.
    pub argument: u32,
    /// Offset from where it points.
    pub offset: i64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The value of an argument of the entry function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentValue {
    /// The bits of a number.
    Bits(u128),
    /// The null pointer.
    Null,
    /// A pointer to the start of an object of its own with these contents; pointers in it are
    /// given by position.
    Object {
        /// The contents.
        bytes: Vec<u8>,
        /// Pointers stored in it.
        pointers: Vec<(u64, ArgumentValue)>,
    },
}
