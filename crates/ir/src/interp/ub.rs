//! Undefined behaviour: its kinds by name, and the record of where it happened.
//!
//! Two classes. A *fatal* kind leaves nothing to go on with (there is no object to read), so the
//! run ends there. A *noted* kind has a documented meaning (signed overflow wraps, see
//! [`ops`](crate::ops)): it is recorded once for each edge and the run goes on.

use crate::cfa::EdgeId;
use crate::ops::Trap;
use crate::program::FuncId;
use crate::span::Span;

/// A kind of undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UbKind {
    /// Access through the null pointer.
    NullPointer,
    /// Access through a pointer that points to no object.
    InvalidPointer,
    /// Access outside the object that the pointer belongs to.
    OutOfBounds,
    /// Access to a heap object that was freed.
    UseAfterFree,
    /// Access to a local variable whose function has returned.
    UseAfterReturn,
    /// An access whose address is not a multiple of the type's alignment.
    Misaligned,
    /// Write to an object that must not be written.
    WriteToReadOnly,
    /// `free` of an object that was freed before.
    DoubleFree,
    /// `free` of what is not the start of an allocated object.
    InvalidFree,
    /// Division by zero.
    DivisionByZero,
    /// The smallest signed number divided by -1.
    DivisionOverflow,
    /// The result of signed arithmetic does not fit.
    SignedOverflow,
    /// A shift count that is negative or not below the width.
    ShiftOutOfRange,
    /// Reading what was never written.
    UninitializedRead,
    /// A floating-point number that does not fit into the integer type it is converted to.
    FloatConversion,
    /// `memcpy` and the like with source and destination that overlap.
    OverlappingCopy,
    /// The result of a call is used but the function returned none.
    MissingReturn,
    /// A call with arguments that the function cannot take: too few, or of other classes.
    WrongSignature,
    /// A call with more arguments than the function has, or with others of the same size and
    /// class.
    DifferentSignature,
    /// A call through a pointer that points to no function.
    InvalidCall,
    /// Subtraction of pointers to different objects.
    PointerSubtraction,
    /// Comparison by order of pointers to different objects.
    PointerComparison,
    /// `va_arg` beyond the last argument, of another type, or on a list that was not started.
    VaArgMisuse,
    /// More calls are open than the stack holds.
    StackOverflow,
    /// `__builtin_unreachable` was reached.
    Unreachable,
    /// A function of the library was called with an argument that it must not get.
    InvalidArgument,
}

impl UbKind {
    /// A short stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NullPointer => "null-pointer",
            Self::InvalidPointer => "invalid-pointer",
            Self::OutOfBounds => "out-of-bounds",
            Self::UseAfterFree => "use-after-free",
            Self::UseAfterReturn => "use-after-return",
            Self::Misaligned => "misaligned-access",
            Self::WriteToReadOnly => "write-to-read-only",
            Self::DoubleFree => "double-free",
            Self::InvalidFree => "invalid-free",
            Self::DivisionByZero => "division-by-zero",
            Self::DivisionOverflow => "division-overflow",
            Self::SignedOverflow => "signed-overflow",
            Self::ShiftOutOfRange => "shift-out-of-range",
            Self::UninitializedRead => "uninitialized-read",
            Self::FloatConversion => "float-conversion",
            Self::OverlappingCopy => "overlapping-copy",
            Self::MissingReturn => "missing-return-value",
            Self::WrongSignature => "wrong-signature",
            Self::DifferentSignature => "different-signature",
            Self::InvalidCall => "invalid-call",
            Self::PointerSubtraction => "pointer-subtraction",
            Self::PointerComparison => "pointer-comparison",
            Self::VaArgMisuse => "va-arg-misuse",
            Self::StackOverflow => "stack-overflow",
            Self::Unreachable => "unreachable",
            Self::InvalidArgument => "invalid-argument",
        }
    }

    /// What happened, for people.
    pub fn message(self) -> &'static str {
        match self {
            Self::NullPointer => "access through the null pointer",
            Self::InvalidPointer => "access through a pointer that points to no object",
            Self::OutOfBounds => "access outside the object that the pointer belongs to",
            Self::UseAfterFree => "access to an object that was freed",
            Self::UseAfterReturn => "access to a local variable of a call that has ended",
            Self::Misaligned => "access to an address that is not aligned for its type",
            Self::WriteToReadOnly => "write to a read-only object",
            Self::DoubleFree => "object freed twice",
            Self::InvalidFree => "free of something that was not allocated",
            Self::DivisionByZero => "division by zero",
            Self::DivisionOverflow => "division of the smallest number by -1",
            Self::SignedOverflow => "signed arithmetic overflows",
            Self::ShiftOutOfRange => "shift count is negative or too large",
            Self::UninitializedRead => "value is read before anything was stored",
            Self::FloatConversion => "floating-point number does not fit into the integer type",
            Self::OverlappingCopy => "source and destination overlap",
            Self::MissingReturn => "result is used but the function returned none",
            Self::WrongSignature => "call does not fit the type of the function",
            Self::DifferentSignature => "call with other types than the function has",
            Self::InvalidCall => "call through a pointer that points to no function",
            Self::PointerSubtraction => "subtraction of pointers to different objects",
            Self::PointerComparison => "comparison of pointers to different objects",
            Self::VaArgMisuse => "va_arg does not fit the arguments that were passed",
            Self::StackOverflow => "stack overflow: too many open calls",
            Self::Unreachable => "__builtin_unreachable was reached",
            Self::InvalidArgument => "library function called with an invalid argument",
        }
    }

    /// Whether the run cannot go on.
    pub fn is_fatal(self) -> bool {
        !matches!(
            self,
            Self::Misaligned
                | Self::SignedOverflow
                | Self::ShiftOutOfRange
                | Self::UninitializedRead
                | Self::FloatConversion
                | Self::OverlappingCopy
                | Self::MissingReturn
                | Self::DifferentSignature
                | Self::PointerSubtraction
                | Self::PointerComparison
        )
    }
}

impl From<Trap> for UbKind {
    fn from(trap: Trap) -> Self {
        match trap {
            Trap::DivisionByZero => Self::DivisionByZero,
            Trap::DivisionOverflow => Self::DivisionOverflow,
        }
    }
}

/// Where in the program a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The function.
    pub func: FuncId,
    /// The edge of its automaton.
    pub edge: EdgeId,
    /// What the edge comes from.
    pub span: Span,
}

/// Undefined behaviour that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UndefinedBehaviour {
    /// What.
    pub kind: UbKind,
    /// Where; `None` before the entry function began.
    pub site: Option<Site>,
}
