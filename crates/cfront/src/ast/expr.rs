//! Expressions and initialisers.

use super::{
    CharLit, DesignationId, ExprId, FloatLit, InitListId, IntLitId, List, StmtId, StringId,
    TypeNameId,
};
use crate::span::Span;
use crate::symbol::Symbol;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// From its first to its last token. Parentheses around the whole expression are not part of
    /// it (`(a)` has the span of `a`), those around operands are.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// A name: variable, function, enumerator, or a builtin such as `__func__`.
    Ident(Symbol),
    /// An integer constant.
    Int(IntLitId),
    /// A floating constant.
    Float(FloatLit),
    /// A character constant.
    Char(CharLit),
    /// A string literal.
    Str(StringId),
    /// C23 `true` or `false`.
    Bool(bool),
    /// C23 `nullptr`.
    Nullptr,
    /// `op operand`, and the postfix `operand++`, `operand--`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it applies to.
        operand: ExprId,
    },
    /// `lhs op rhs`, including `&&` and `||`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `lhs = rhs`, or `lhs op= rhs`.
    Assign {
        /// The operator of a compound assignment (never a comparison or logical operator).
        op: Option<BinaryOp>,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// `cond ? then : els`; GNU `cond ?: els` has no `then`.
    Conditional {
        /// The condition.
        cond: ExprId,
        /// The value if true; absent in `cond ?: els`, where it is the condition's value.
        then: Option<ExprId>,
        /// The value if false.
        els: ExprId,
    },
    /// `lhs, rhs`.
    Comma {
        /// Evaluated first, value dropped.
        lhs: ExprId,
        /// The value.
        rhs: ExprId,
    },
    /// `(ty) operand`.
    Cast {
        /// The type.
        ty: TypeNameId,
        /// What is converted.
        operand: ExprId,
    },
    /// `(ty) { ... }`. C23 storage-class specifiers are in the specifiers of `ty`.
    CompoundLiteral {
        /// The type.
        ty: TypeNameId,
        /// The initialiser.
        init: InitListId,
    },
    /// `callee(args)`, including `__builtin_*` functions that take only expressions.
    Call {
        /// The function, or an undeclared name (implicit declaration, builtin).
        callee: ExprId,
        /// The arguments.
        args: List<ExprId>,
    },
    /// `base[index]`, in the order of the text (`3[a]` has base `3`).
    Index {
        /// In front of the bracket.
        base: ExprId,
        /// In the brackets.
        index: ExprId,
    },
    /// `base.field`.
    Member {
        /// A struct or union.
        base: ExprId,
        /// The name of the member; it ends the expression.
        field: Symbol,
    },
    /// `base->field`.
    Arrow {
        /// A pointer to a struct or union.
        base: ExprId,
        /// The name of the member; it ends the expression.
        field: Symbol,
    },
    /// `sizeof operand`.
    SizeofExpr(ExprId),
    /// `sizeof (type)`.
    SizeofType(TypeNameId),
    /// `_Alignof operand` in any spelling.
    AlignofExpr {
        /// The operand.
        operand: ExprId,
        /// Spelled `__alignof__` or `__alignof`: the preferred instead of the minimal alignment,
        /// which differ for `double` and `long long` on ILP32.
        gnu: bool,
    },
    /// `_Alignof (type)` in any spelling.
    AlignofType {
        /// The type.
        ty: TypeNameId,
        /// Spelled `__alignof__` or `__alignof`: the preferred instead of the minimal alignment,
        /// which differ for `double` and `long long` on ILP32.
        gnu: bool,
    },
    /// `_Generic(control, associations)`.
    Generic {
        /// The controlling expression; not evaluated.
        control: ExprId,
        /// At least one.
        associations: List<GenericAssociation>,
    },
    /// GNU `({ ... })`; the statement is always [`super::StmtKind::Compound`].
    StmtExpr(StmtId),
    /// GNU `&&label`.
    LabelAddress(Symbol),
    /// `__builtin_va_arg(list, ty)`.
    VaArg {
        /// The `va_list`.
        list: ExprId,
        /// The type that is read.
        ty: TypeNameId,
    },
    /// `__builtin_offsetof(ty, path)`.
    Offsetof {
        /// The struct or union.
        ty: TypeNameId,
        /// The member path; the first part is always a field.
        path: List<OffsetofPart>,
    },
    /// `__builtin_types_compatible_p(left, right)`.
    TypesCompatible {
        /// First type.
        left: TypeNameId,
        /// Second type.
        right: TypeNameId,
    },
    /// `__builtin_choose_expr(cond, then, els)`.
    ChooseExpr {
        /// A constant.
        cond: ExprId,
        /// Chosen if it is not zero.
        then: ExprId,
        /// Chosen if it is zero.
        els: ExprId,
    },
    /// `__builtin_convertvector(operand, ty)`.
    ConvertVector {
        /// A vector.
        operand: ExprId,
        /// The vector type to convert to.
        ty: TypeNameId,
    },
    /// Could not be understood; a diagnostic says so.
    Error,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+x`.
    Plus,
    /// `-x`.
    Minus,
    /// `~x`.
    BitNot,
    /// `!x`.
    Not,
    /// `*x`.
    Deref,
    /// `&x`.
    AddressOf,
    /// `++x`.
    PreInc,
    /// `--x`.
    PreDec,
    /// `x++`.
    PostInc,
    /// `x--`.
    PostDec,
    /// GNU `__real__ x`.
    Real,
    /// GNU `__imag__ x`.
    Imag,
}

/// Operators with two operands, without assignment and comma.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `<`.
    Lt,
    /// `>`.
    Gt,
    /// `<=`.
    Le,
    /// `>=`.
    Ge,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `&`.
    BitAnd,
    /// `^`.
    BitXor,
    /// `|`.
    BitOr,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// One `type: expr` of `_Generic`.
#[derive(Clone, Copy, Debug)]
pub struct GenericAssociation {
    /// The type; `None` for `default`.
    pub ty: Option<TypeNameId>,
    /// The expression.
    pub expr: ExprId,
}

/// One step of the member path of `offsetof`.
#[derive(Clone, Copy, Debug)]
pub enum OffsetofPart {
    /// `.name`, or the first name.
    Field(Symbol),
    /// `[index]`.
    Index(ExprId),
    /// The first half of `->name`: it stands for `[0]`, and a field follows.
    Arrow,
}

/// What initialises an object.
#[derive(Clone, Copy, Debug)]
pub enum Init {
    /// `= expr`.
    Expr(ExprId),
    /// `= { ... }`.
    List(InitListId),
}

/// `{ item, item }`.
#[derive(Clone, Copy, Debug)]
pub struct InitList {
    /// The items in the order of the text; empty for `{}`.
    pub items: List<InitItem>,
    /// From brace to brace.
    pub span: Span,
}

/// One item of a braced initialiser.
#[derive(Clone, Copy, Debug)]
pub struct InitItem {
    /// Where it goes; `None` for the next place.
    pub designation: Option<DesignationId>,
    /// The value.
    pub init: Init,
}

/// `.a[1].b =`, or the old forms `a:` and `[1] value`.
#[derive(Clone, Copy, Debug)]
pub struct Designation {
    /// At least one.
    pub designators: List<Designator>,
    /// From the first `.` or `[` to the `=` (exclusive).
    pub span: Span,
}

/// One step of a designation.
#[derive(Clone, Copy, Debug)]
pub enum Designator {
    /// `.name` or `name:`.
    Field(Symbol),
    /// `[index]`.
    Index(ExprId),
    /// GNU `[first ... last]`.
    Range(ExprId, ExprId),
}
