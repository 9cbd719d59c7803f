//! How tightly operators bind: C's table, shared by the text form and the C printers.

use crate::expr::BinaryOp;

/// How tightly an expression holds together; an operand that binds less tightly than its place
/// asks for is put in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// Anything at all: an argument, a right side.
    Any,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `&`.
    And,
    /// `==` and `!=`.
    Equality,
    /// `<` and its like.
    Relation,
    /// `<<` and `>>`.
    Shift,
    /// `+` and `-`.
    Sum,
    /// `*`, `/`, `%`.
    Product,
    /// Prefix operators and casts.
    Prefix,
    /// Members, elements, calls, names and numbers.
    Postfix,
}

impl Binding {
    /// The next tighter one: what the right operand of a left-associative operator needs.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Self::Any => Self::Or,
            Self::Or => Self::Xor,
            Self::Xor => Self::And,
            Self::And => Self::Equality,
            Self::Equality => Self::Relation,
            Self::Relation => Self::Shift,
            Self::Shift => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Prefix,
            Self::Prefix | Self::Postfix => Self::Postfix,
        }
    }
}

/// How tightly the operator binds; all of them associate to the left.
pub(crate) fn binding(op: BinaryOp) -> Binding {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Binding::Product,
        BinaryOp::Add | BinaryOp::Sub => Binding::Sum,
        BinaryOp::Shl | BinaryOp::Shr => Binding::Shift,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Binding::Relation,
        BinaryOp::Eq | BinaryOp::Ne => Binding::Equality,
        BinaryOp::BitAnd => Binding::And,
        BinaryOp::BitXor => Binding::Xor,
        BinaryOp::BitOr => Binding::Or,
    }
}

/// Runs a step of a recursion over expressions with enough stack: expressions nest as deeply as
/// the user's source does.
pub(crate) fn with_stack<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, step)
}
