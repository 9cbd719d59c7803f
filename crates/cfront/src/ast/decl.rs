//! Declarations: specifiers, declarators, types, attributes.
//!
//! A declared type is the specifiers' type wrapped by the declarator's parts. The parts are listed
//! from the name outwards, as one reads a declaration aloud: `int *(*f[3])(void)` has the parts
//! array of 3, pointer, function, pointer. To build the type, start with the type of the
//! [`DeclSpecs`] and apply the parts from last to first.

use super::{
    AsmId, DeclId, DeclaratorId, EnumId, ExprId, FunctionId, Init, List, RecordId, SpecsId, StmtId,
    StringId, TypeNameId,
};
use crate::span::Span;
use crate::symbol::Symbol;

/// A declaration, at file scope, in a block, or between the head and the body of an old-style
/// function definition.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// What it is.
    pub kind: DeclKind,
    /// From its first to its last token, the semicolon included.
    pub span: Span,
}

/// The forms of declarations.
#[derive(Clone, Copy, Debug)]
pub enum DeclKind {
    /// `specs declarator = init, ...;`, possibly without declarators (`struct s { ... };`).
    Declaration {
        /// The specifiers; typedefs have [`Storage::Typedef`].
        specs: SpecsId,
        /// What is declared.
        declarators: List<InitDeclarator>,
    },
    /// A function definition.
    Function(FunctionId),
    /// `_Static_assert(cond, message);`.
    StaticAssert {
        /// Must not be zero.
        cond: ExprId,
        /// The message, if given.
        message: Option<StringId>,
    },
    /// `asm("...");` at file scope.
    Asm(AsmId),
    /// A stray `;`, or attributes alone (`[[...]];`).
    Empty,
    /// Could not be understood; a diagnostic says so.
    Error,
}

/// A declarator with its initialiser.
#[derive(Clone, Copy, Debug)]
pub struct InitDeclarator {
    /// The declarator; it has a name.
    pub declarator: DeclaratorId,
    /// The initialiser.
    pub init: Option<Init>,
    /// From the declarator to the end of the initialiser.
    pub span: Span,
}

/// A function definition.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Specifiers of the declaration.
    pub specs: SpecsId,
    /// The declarator; its name is present and its first part is [`DerivedKind::Function`]
    /// (a function type from a typedef cannot be used in a definition).
    pub declarator: DeclaratorId,
    /// Old-style parameter declarations between head and body; each one is
    /// [`DeclKind::Declaration`] (or [`DeclKind::Error`]).
    pub param_decls: List<DeclId>,
    /// The body, [`super::StmtKind::Compound`].
    pub body: StmtId,
    /// Defined inside another function (GNU extension).
    pub nested: bool,
    /// From the first specifier to the closing brace.
    pub span: Span,
}

/// Declaration specifiers.
#[derive(Clone, Copy, Debug)]
pub struct DeclSpecs {
    /// The storage class.
    pub storage: Option<Storage>,
    /// `inline`, `_Noreturn`, `_Thread_local`, `constexpr`.
    pub flags: SpecFlags,
    /// Qualifiers.
    pub quals: Quals,
    /// The type.
    pub ty: TypeSpec,
    /// `_Alignas`.
    pub alignments: List<Alignment>,
    /// Attributes among the specifiers; they apply to every declarator. (Attributes directly
    /// after `struct` or after its `}` are in [`Record::attributes`], likewise for enums.)
    pub attributes: List<Attribute>,
    /// From the first to the last specifier; empty (zero length) in front of the declarator when
    /// there are none, as in an old-style `main() {}`.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// `typedef`.
    Typedef,
    /// `extern`.
    Extern,
    /// `static`.
    Static,
    /// `auto`, also on GNU nested functions declared ahead.
    Auto,
    /// `register`.
    Register,
}

/// Specifiers that are independent of the storage class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SpecFlags(u8);

impl SpecFlags {
    /// `_Thread_local`, `thread_local`, `__thread`.
    pub const THREAD_LOCAL: SpecFlags = SpecFlags(1);
    /// `inline` in any spelling.
    pub const INLINE: SpecFlags = SpecFlags(2);
    /// `_Noreturn`. (The attribute is among the attributes.)
    pub const NORETURN: SpecFlags = SpecFlags(4);
    /// C23 `constexpr`.
    pub const CONSTEXPR: SpecFlags = SpecFlags(8);

    /// Whether all of `other` are set.
    pub fn contains(self, other: SpecFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds `other`.
    pub fn insert(&mut self, other: SpecFlags) {
        self.0 |= other.0;
    }
}

/// Type qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quals(u8);

impl Quals {
    /// No qualifier.
    pub const NONE: Quals = Quals(0);
    /// `const`.
    pub const CONST: Quals = Quals(1);
    /// `volatile`.
    pub const VOLATILE: Quals = Quals(2);
    /// `restrict`.
    pub const RESTRICT: Quals = Quals(4);
    /// `_Atomic` without parentheses.
    pub const ATOMIC: Quals = Quals(8);

    /// Whether all of `other` are set.
    pub fn contains(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds `other`.
    pub fn insert(&mut self, other: Quals) {
        self.0 |= other.0;
    }

    /// Whether no qualifier is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The type named by declaration specifiers.
#[derive(Clone, Copy, Debug)]
pub enum TypeSpec {
    /// No type at all: implicit `int`.
    Implicit,
    /// A type made of keywords.
    Basic(BasicType),
    /// `_Complex` with its part type (`double` when none is given).
    Complex(BasicType),
    /// C23 `_BitInt(width)`.
    BitInt {
        /// A constant.
        width: ExprId,
        /// `unsigned _BitInt`.
        unsigned: bool,
    },
    /// A typedef name.
    Typedef(Symbol),
    /// `struct` or `union`.
    Record(RecordId),
    /// `enum`.
    Enum(EnumId),
    /// `typeof (expr)`.
    TypeofExpr {
        /// Evaluated only if it has a variably modified type.
        expr: ExprId,
        /// `typeof_unqual`.
        unqual: bool,
    },
    /// `typeof (type)`.
    TypeofType {
        /// The type.
        ty: TypeNameId,
        /// `typeof_unqual`.
        unqual: bool,
    },
    /// `_Atomic (type)`.
    Atomic(TypeNameId),
    /// `__auto_type`, or C23 `auto` without a type.
    Auto,
    /// `__builtin_va_list`.
    VaList,
    /// Contradictory specifiers; a diagnostic says so.
    Error,
}

/// The types that are spelled by keywords alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BasicType {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// `char`.
    Char,
    /// `signed char`.
    SignedChar,
    /// `unsigned char`.
    UnsignedChar,
    /// `short`.
    Short,
    /// `unsigned short`.
    UnsignedShort,
    /// `int`, `signed`.
    Int,
    /// `unsigned`.
    UnsignedInt,
    /// `long`.
    Long,
    /// `unsigned long`.
    UnsignedLong,
    /// `long long`.
    LongLong,
    /// `unsigned long long`.
    UnsignedLongLong,
    /// `__int128`.
    Int128,
    /// `unsigned __int128`.
    UnsignedInt128,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`.
    LongDouble,
    /// `_Float16`.
    Float16,
    /// `__bf16`.
    BFloat16,
    /// `_Float32`.
    Float32,
    /// `_Float64`.
    Float64,
    /// `_Float128`, `__float128`.
    Float128,
    /// `__float80`.
    Float80,
    /// `_Float32x`.
    Float32x,
    /// `_Float64x`.
    Float64x,
    /// `_Decimal32`.
    Decimal32,
    /// `_Decimal64`.
    Decimal64,
    /// `_Decimal128`.
    Decimal128,
}

/// `_Alignas (...)`.
#[derive(Clone, Copy, Debug)]
pub enum Alignment {
    /// Of a constant.
    Expr(ExprId),
    /// Of a type.
    Type(TypeNameId),
}

/// Whether a record is a struct or a union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
}

/// A struct or union specifier: a definition, or a mention of its tag.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Struct or union.
    pub kind: RecordKind,
    /// The value of `#pragma pack` at the closing brace: the largest alignment of a member.
    pub pack: Option<u8>,
    /// The tag; records without a body always have one.
    pub tag: Option<Symbol>,
    /// Of the tag, or of the keyword when there is none.
    pub tag_span: Span,
    /// The members; `None` for a mention such as `struct s *p` or `struct s;`.
    pub members: Option<List<Member>>,
    /// Attributes in front of the tag and after the closing brace.
    pub attributes: List<Attribute>,
    /// From the keyword to the tag or the closing brace.
    pub span: Span,
}

/// One declaration in a struct or union.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// What it is.
    pub kind: MemberKind,
    /// From its first token to the semicolon.
    pub span: Span,
}

/// The forms of member declarations.
#[derive(Clone, Copy, Debug)]
pub enum MemberKind {
    /// Fields. Without declarators: an anonymous struct or union, or (with a tag and without
    /// `-fms-extensions`) a declaration that declares no member.
    Fields {
        /// The specifiers.
        specs: SpecsId,
        /// The fields.
        declarators: List<MemberDeclarator>,
    },
    /// `_Static_assert(cond, message);`.
    StaticAssert {
        /// Must not be zero.
        cond: ExprId,
        /// The message, if given.
        message: Option<StringId>,
    },
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct MemberDeclarator {
    /// Name, type and attributes; it has no name in an unnamed bit-field `int : 3`.
    pub declarator: DeclaratorId,
    /// The width of a bit-field.
    pub bit_width: Option<ExprId>,
    /// From the declarator to the end of the width.
    pub span: Span,
}

/// An enum specifier: a definition, or a mention of its tag.
#[derive(Clone, Copy, Debug)]
pub struct Enum {
    /// The tag; enums without a body always have one.
    pub tag: Option<Symbol>,
    /// Of the tag, or of the keyword when there is none.
    pub tag_span: Span,
    /// C23 `enum e : type`.
    pub underlying: Option<TypeNameId>,
    /// The enumerators; `None` for a mention such as `enum e x;`.
    pub enumerators: Option<List<Enumerator>>,
    /// Attributes in front of the tag and after the closing brace.
    pub attributes: List<Attribute>,
    /// From the keyword to the tag, type or closing brace.
    pub span: Span,
}

/// One enumerator.
#[derive(Clone, Copy, Debug)]
pub struct Enumerator {
    /// The name.
    pub name: Symbol,
    /// The value, if given.
    pub value: Option<ExprId>,
    /// Attributes.
    pub attributes: List<Attribute>,
    /// From the name to the end of the value.
    pub span: Span,
}

/// A declarator, possibly abstract (without a name). Types are built as the module says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Declarator {
    /// The name; absent in abstract declarators and unnamed bit-fields.
    pub name: Option<Symbol>,
    /// Of the name; the place where it would be in an abstract declarator.
    pub name_span: Span,
    /// From the name outwards.
    pub parts: List<DerivedPart>,
    /// Attributes after the declarator, or in parentheses in it (`int (__attribute__((x)) f)`).
    /// They belong to the declared entity; for those that change a type (`mode`, `vector_size`,
    /// `aligned`) this is the type of the entity.
    pub attributes: List<Attribute>,
    /// `asm("name")`: the name in the object file.
    pub asm_label: Option<StringId>,
    /// The declarator proper, without attributes and asm label.
    pub span: Span,
}

/// One step of a declarator.
#[derive(Clone, Copy, Debug)]
pub struct DerivedPart {
    /// What it is.
    pub kind: DerivedKind,
    /// `*` with its qualifiers, `[...]`, or `(...)`.
    pub span: Span,
}

/// The forms of steps of a declarator.
#[derive(Clone, Copy, Debug)]
pub enum DerivedKind {
    /// A pointer to what follows.
    Pointer {
        /// Qualifiers of the pointer itself.
        quals: Quals,
        /// Attributes after the `*`.
        attributes: List<Attribute>,
    },
    /// An array of what follows.
    Array {
        /// The number of elements.
        size: ArraySize,
        /// Qualifiers in the brackets, of the pointer that the parameter becomes.
        quals: Quals,
        /// `[static n]`.
        is_static: bool,
    },
    /// A function that returns what follows.
    Function(ParamList),
}

/// What is between the brackets of an array declarator.
#[derive(Clone, Copy, Debug)]
pub enum ArraySize {
    /// `[]`.
    Unspecified,
    /// `[*]`.
    Star,
    /// `[expr]`, constant or not.
    Expr(ExprId),
}

/// The parameters of a function declarator.
#[derive(Clone, Copy, Debug)]
pub enum ParamList {
    /// `()`: in C17 nothing is said about the parameters.
    Unspecified,
    /// `(int a, char b)`; `(void)` has no parameters here.
    Prototype {
        /// The parameters.
        params: List<Param>,
        /// `...` at the end (also C23 `(...)`).
        variadic: bool,
    },
    /// `(a, b)` of an old-style definition.
    Identifiers(List<Symbol>),
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The specifiers.
    pub specs: SpecsId,
    /// Name and type; may be abstract.
    pub declarator: DeclaratorId,
    /// From the first specifier to the end of the declarator.
    pub span: Span,
}

/// A type name: `(int *)`.
#[derive(Clone, Copy, Debug)]
pub struct TypeName {
    /// The specifiers.
    pub specs: SpecsId,
    /// Abstract. Type names without derived parts share one empty declarator, so its span says
    /// nothing; use the span of the type name.
    pub declarator: DeclaratorId,
    /// From the first specifier to the end of the declarator.
    pub span: Span,
}

/// One attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// The name, without surrounding double underscores.
    pub name: Symbol,
    /// The `gnu` of `[[gnu::packed]]`, without surrounding double underscores.
    pub namespace: Option<Symbol>,
    /// `__attribute__` or `[[...]]`.
    pub syntax: AttributeSyntax,
    /// The arguments in parentheses.
    pub args: List<AttributeArg>,
    /// The name with its arguments.
    pub span: Span,
}

/// How an attribute was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeSyntax {
    /// `__attribute__((name))`.
    Gnu,
    /// `[[name]]`.
    Bracketed,
}

/// An argument of an attribute.
#[derive(Clone, Copy, Debug)]
pub enum AttributeArg {
    /// An expression. A lone identifier (`mode(DI)`, `cleanup(f)`) is
    /// [`super::ExprKind::Ident`], whether or not it is declared.
    Expr(ExprId),
    /// A type.
    Type(TypeNameId),
    /// The argument text of an attribute with a syntax of its own, not looked into.
    Tokens(Span),
}
