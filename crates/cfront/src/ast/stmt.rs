//! Statements.

use super::{AsmId, Attribute, DeclId, ExprId, FunctionId, List, StmtId, StringId};
use crate::span::Span;
use crate::symbol::Symbol;

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// From its first to its last token, the semicolon included.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    /// `expr;`.
    Expr(ExprId),
    /// `;`.
    Empty,
    /// `{ ... }`.
    ///
    /// Also made around a labelled statement that stands where one statement is expected
    /// (`if (c) L: x();`), so that a label and its statement are always neighbours in a list.
    Compound(List<StmtId>),
    /// A declaration in a block.
    Decl(DeclId),
    /// `if (cond) then else els`.
    If {
        /// The condition.
        cond: ExprId,
        /// The first branch.
        then: StmtId,
        /// The second branch. Long `else if` chains nest here.
        els: Option<StmtId>,
    },
    /// `while (cond) body`.
    While {
        /// The condition.
        cond: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do body while (cond);`.
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        cond: ExprId,
    },
    /// `for (init; cond; step) body`; opens a scope of its own.
    For {
        /// [`StmtKind::Expr`] or [`StmtKind::Decl`].
        init: Option<StmtId>,
        /// The condition.
        cond: Option<ExprId>,
        /// Evaluated after the body.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch (cond) body`.
    Switch {
        /// The controlling expression.
        cond: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `case first:` or GNU `case first ... last:`.
    ///
    /// Labels are statements of their own: they mark the place in front of the next statement of
    /// the same list (there is none when the label ends a block, as C23 allows). This loses
    /// nothing: a label opens no scope, and a declaration after it belongs to the same block.
    Case {
        /// The value.
        first: ExprId,
        /// The end of a range, inclusive.
        last: Option<ExprId>,
    },
    /// `default:`; see [`StmtKind::Case`] for how labels are stored.
    Default,
    /// `name:`; see [`StmtKind::Case`] for how labels are stored.
    Label {
        /// The label.
        name: Symbol,
        /// Attributes such as `unused`.
        attributes: List<Attribute>,
    },
    /// GNU `__label__ a, b;` at the beginning of a block.
    LocalLabels(List<Symbol>),
    /// `goto name;`.
    Goto(Symbol),
    /// GNU `goto *expr;`.
    GotoComputed(ExprId),
    /// `continue;`.
    Continue,
    /// `break;`.
    Break,
    /// `return expr;`.
    Return(Option<ExprId>),
    /// `asm (...)`.
    Asm(AsmId),
    /// A GNU nested function, with its body.
    NestedFunction(FunctionId),
    /// `__attribute__((fallthrough));` or `[[...]];`.
    Attributes(List<Attribute>),
    /// Could not be understood; a diagnostic says so.
    Error,
}

/// An `asm` statement.
#[derive(Clone, Copy, Debug)]
pub struct AsmStmt {
    /// The template.
    pub template: StringId,
    /// `asm volatile`. Statements without outputs are volatile without being marked.
    pub is_volatile: bool,
    /// `asm goto`.
    pub is_goto: bool,
    /// Without any colon: a basic `asm`, whose template is taken literally.
    pub is_basic: bool,
    /// What it writes.
    pub outputs: List<AsmOperand>,
    /// What it reads.
    pub inputs: List<AsmOperand>,
    /// Registers, `memory`, `cc`.
    pub clobbers: List<StringId>,
    /// Labels it may jump to.
    pub labels: List<Symbol>,
    /// The whole statement.
    pub span: Span,
}

/// `[name] "constraint" (expr)`.
#[derive(Clone, Copy, Debug)]
pub struct AsmOperand {
    /// The symbolic name.
    pub name: Option<Symbol>,
    /// The constraint.
    pub constraint: StringId,
    /// The operand.
    pub expr: ExprId,
}
