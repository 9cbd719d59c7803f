//! The syntax tree of Boolean programs, one for all dialects of the SLAM family.
//!
//! The tree keeps what a program says, not how it was typed: `decl a, b;` and two declarations
//! are the same, `async f()` and `start_thread f()` are the same, parentheses are gone. The
//! printer writes one canonical form.

use crate::source::{Ident, Span};

/// A Boolean program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Global variables in order of declaration.
    pub globals: Vec<Declaration>,
    /// Functions in order of definition.
    pub functions: Vec<Function>,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name.
    pub name: Ident,
    /// `decl x := e;` (a dialect of SATABS); without it the first value is arbitrary.
    pub initial: Option<Expr>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Marked `dfs`: a hint of Bebop for the search order, kept and otherwise ignored.
    pub dfs: bool,
    /// How many values it returns.
    pub results: u32,
    /// Its name.
    pub name: Ident,
    /// Names of the parameters.
    pub parameters: Vec<Ident>,
    /// Local variables.
    pub locals: Vec<Declaration>,
    /// `enforce e;`: executions of this function continue only while `e` can hold.
    pub enforce: Vec<Expr>,
    /// `abortif e;`: executions of this function end silently once `e` holds.
    pub abort_if: Vec<Expr>,
    /// The statements.
    pub body: Vec<Statement>,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Labels in the order they are written; numbers are labels too.
    pub labels: Vec<Ident>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it is (for compound statements: the head).
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `skip;` or the empty statement.
    Skip,
    /// `print(e, ...)`: no effect.
    Print(Vec<Expr>),
    /// `goto L1, L2;`
    Goto(Vec<Ident>),
    /// `return e1, e2;`
    Return(Vec<Expr>),
    /// `assert(e);`
    Assert(Expr),
    /// `assume(e);`
    Assume(Expr),
    /// `constrain(e);`: moves to any state that satisfies `e`, which relates the values before
    /// (`x`) and after (`'x`); variables without a condition become arbitrary.
    Constrain(Expr),
    /// `x, y := e1, e2 constrain e;`
    Assign {
        /// The targets; `_` discards.
        targets: Vec<Ident>,
        /// As many values.
        values: Vec<Expr>,
        /// Condition over the values before (`x`) and after (`'x`).
        constrain: Option<Expr>,
    },
    /// `x, _ := f(e);`
    Call {
        /// The targets, none for a bare call; `_` discards.
        targets: Vec<Ident>,
        /// The function.
        callee: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `if c then ... elsif c then ... else ... fi`
    If {
        /// The conditions with their statements, at least one.
        branches: Vec<(Expr, Vec<Statement>)>,
        /// The statements after `else`, if it is written.
        otherwise: Option<Vec<Statement>>,
    },
    /// `while c do ... od`
    While {
        /// The condition.
        condition: Expr,
        /// The loop body.
        body: Vec<Statement>,
    },
    /// `dead x, y;`: the values are forgotten.
    Dead(Vec<Ident>),
    /// `start_thread goto L;`: a copy of this thread goes on at `L`.
    StartThreadAt(Ident),
    /// `start_thread f();` or `async f();`
    StartThreadCall {
        /// The function.
        callee: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `end_thread;`
    EndThread,
    /// `sync L;`
    Sync(Ident),
    /// `atomic_begin;`
    AtomicBegin,
    /// `atomic_end;`
    AtomicEnd,
    /// `wait;` (of the broadcast dialect)
    Wait,
    /// `broadcast;` (of the broadcast dialect)
    Broadcast,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `0 1 F T`
    Constant(bool),
    /// `*`: each occurrence chooses anew at each evaluation.
    Nondet,
    /// A variable.
    Variable(Ident),
    /// `'x`: the value after the statement; only in `constrain`.
    Post(Ident),
    /// `!e` or `~e`
    Not(Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `schoose[a, b]`: true if `a`, else false if `b`, else anything.
    Schoose(Box<Expr>, Box<Expr>),
}

/// Binary operators, the loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `=>`, to the right.
    Implies,
    /// `|` or `||`
    Or,
    /// `^`
    Xor,
    /// `&` or `&&`
    And,
    /// `=` or `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl BinaryOp {
    /// The canonical spelling.
    pub fn text(self) -> &'static str {
        match self {
            Self::Implies => "=>",
            Self::Or => "|",
            Self::Xor => "^",
            Self::And => "&",
            Self::Equal => "=",
            Self::NotEqual => "!=",
        }
    }

    /// How tightly it binds.
    pub fn level(self) -> u8 {
        match self {
            Self::Implies => 1,
            Self::Or => 2,
            Self::Xor => 3,
            Self::And => 4,
            Self::Equal | Self::NotEqual => 5,
        }
    }
}
