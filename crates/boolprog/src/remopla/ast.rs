//! The syntax tree of remopla, the input language of Moped 2.

use crate::source::{Ident, Span};

/// A remopla program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Constants and default widths, in order.
    pub defines: Vec<Define>,
    /// Types and global variables, in order.
    pub globals: Vec<Global>,
    /// `init m1 m2;`: where execution starts (the first is on top).
    pub init: Vec<Ident>,
    /// Modules.
    pub modules: Vec<Module>,
    /// Statements outside modules; any module may jump to their labels.
    pub statements: Vec<Statement>,
    /// Raw pushdown rules.
    pub rules: Vec<RawRule>,
}

/// `define NAME e`, also `define DEFAULT_INT_BITS e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// The name.
    pub name: Ident,
    /// Its value.
    pub value: Expr,
}

/// A declaration at the top level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Global {
    /// `enum name { a, b };`
    Enum(EnumType),
    /// `struct name { bool f; };`
    Struct(StructType),
    /// Variables.
    Variables {
        /// Marked `shared`: visible to all threads.
        shared: bool,
        /// The variables.
        declaration: Declaration,
    },
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its values.
    pub values: Vec<Ident>,
}

/// A structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructType {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its fields.
    pub fields: Vec<Declaration>,
}

/// The type in a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `enum e`, or with its definition.
    Enum(EnumType),
    /// `struct s`, or with its definition.
    Struct(StructType),
}

/// `type x, y[2](3);`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The type.
    pub ty: Type,
    /// The variables.
    pub variables: Vec<Declarator>,
}

/// A variable with its dimensions and width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// The name.
    pub name: Ident,
    /// `[n]` or `[low, high]`, up to two.
    pub dimensions: Vec<(Option<Expr>, Expr)>,
    /// `(bits)`
    pub bits: Option<Expr>,
}

/// A module; a prototype has no body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The type of the result and its width; `None` for `void`.
    pub result: Option<(Type, Option<Expr>)>,
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub parameters: Vec<(Type, Declarator)>,
    /// Local variables.
    pub locals: Vec<Declaration>,
    /// The statements, or `None` for a prototype.
    pub body: Option<Vec<Statement>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its labels.
    pub labels: Vec<Ident>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it is.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `if :: c -> ... fi`
    If(Vec<Branch>),
    /// `do :: c -> ... od`
    Do(Vec<Branch>),
    /// `x = e, y = undef;`
    Assign(Vec<Assignment>),
    /// `[x =] f(e, undef) [, y = e];`
    Call {
        /// Where the result goes.
        target: Option<Reference>,
        /// The module.
        callee: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// Assignments at the time of the call.
        assignments: Vec<Assignment>,
    },
    /// `goto L [, x = e];`
    Goto(Ident, Vec<Assignment>),
    /// `break;`
    Break,
    /// `skip [(e)];` where `e` may relate values before and after.
    Skip(Option<Expr>),
    /// `return [e];`
    Return(Option<Expr>),
    /// `fork f(e);`
    Fork {
        /// The module.
        callee: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
    },
}

/// A guarded branch; `None` is `else`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The condition.
    pub condition: Option<Expr>,
    /// What follows.
    pub body: Vec<Statement>,
}

/// An assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// `x = e` (`undef` for any value)
    Equal(Reference, Expr),
    /// `x != e`: any value but this one.
    NotEqual(Reference, Expr),
    /// `A i (0,3) x[i] = 0`: for all values of the index, or (`E`) for one of them.
    Quantified(Quantifier, Box<Assignment>),
}

/// `A i (low, high)` or `E i (low, high)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// For all, as opposed to for one.
    pub all: bool,
    /// The index.
    pub variable: Ident,
    /// Its first value.
    pub low: Box<Expr>,
    /// Its last value.
    pub high: Box<Expr>,
}

/// A raw rule `q <a> -> r <b c> "label" (e)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRule {
    /// State before.
    pub from: Ident,
    /// Symbol before.
    pub top: Ident,
    /// State after.
    pub to: Ident,
    /// Symbols after, topmost first, at most two.
    pub push: Vec<Ident>,
    /// A label for people.
    pub label: Option<String>,
    /// The relation on the variables.
    pub relation: Option<Expr>,
    /// Where it is.
    pub span: Span,
}

/// A variable, an element, or a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The variable.
    pub name: Ident,
    /// `x'`: the value afterwards.
    pub primed: bool,
    /// Indices of the variable.
    pub indices: Vec<Expr>,
    /// `.field` with its indices.
    pub field: Option<(Ident, Vec<Expr>)>,
}

/// An expression.
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
    /// A number.
    Number(u32),
    /// `true` or `false`
    Bool(bool),
    /// `undef`: any value; only as the whole of an assigned value or argument.
    Undef,
    /// A variable or constant.
    Reference(Reference),
    /// `!e`
    Not(Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `A i (0,3) e` or `E i (0,3) e`
    Quantified(Quantifier, Box<Expr>),
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $text:literal $level:literal;)*) => {
        /// Binary operators.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BinaryOp { $($(#[$doc])* $name,)* }

        impl BinaryOp {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The spelling.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How tightly it binds.
            pub fn level(self) -> u8 {
                match self { $(Self::$name => $level,)* }
            }
        }
    };
}

operators! {
    /// Disjunction.
    Or "||" 1;
    /// Exclusive disjunction.
    Xor "^^" 2;
    /// Conjunction.
    And "&&" 3;
    /// Bitwise or.
    BitOr "|" 4;
    /// Bitwise exclusive or.
    BitXor "^" 5;
    /// Bitwise and.
    BitAnd "&" 6;
    /// Equality.
    Equal "==" 7;
    /// Inequality.
    NotEqual "!=" 7;
    /// Equivalence.
    Equivalent "<->" 7;
    /// Less or equal.
    LessEqual "<=" 8;
    /// Greater or equal.
    GreaterEqual ">=" 8;
    /// Less.
    Less "<" 8;
    /// Greater.
    Greater ">" 8;
    /// Shift left.
    ShiftLeft "<<" 9;
    /// Shift right.
    ShiftRight ">>" 9;
    /// Addition.
    Add "+" 10;
    /// Subtraction.
    Subtract "-" 10;
    /// Multiplication.
    Multiply "*" 11;
    /// Division.
    Divide "/" 11;
}
