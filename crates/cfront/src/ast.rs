//! The syntax tree: what the parser makes and the lowering reads.
//!
//! All nodes of a translation unit live in the vectors of one [`Ast`] and refer to each other by
//! newtype indices ([`ExprId`], [`StmtId`], ...), so a tree of any depth is dropped without
//! recursion. Lists are contiguous ranges ([`List`]) of one vector per element type. Both are read
//! by indexing:
//!
//! ```
//! use gnomon_cfront::ast::{Ast, DeclKind};
//!
//! fn count_functions(ast: &Ast) -> usize {
//!     ast.items.iter().filter(|&&item| matches!(ast[item].kind, DeclKind::Function(_))).count()
//! }
//! # assert_eq!(count_functions(&Ast::default()), 0);
//! ```
//!
//! The tree is close to the text but not the text: parentheses and `__extension__` are dropped
//! (the spans of the enclosing nodes still cover them), adjacent string literals are joined and
//! decoded, `int unsigned long` is one [`BasicType`], and labels are statements of their own in
//! front of what they label (see [`StmtKind::Label`]), which keeps long chains of them flat.
//!
//! A tree made from erroneous text is complete in the sense that every id is valid;
//! [`ExprKind::Error`], [`StmtKind::Error`] and [`DeclKind::Error`] stand where nothing could be
//! understood, and there is at least one diagnostic for each of them.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::Index;

mod decl;
mod expr;
mod literal;
mod stmt;

pub use decl::*;
pub use expr::*;
pub use literal::*;
pub use stmt::*;

use crate::symbol::Symbol;

/// A contiguous list of `T` in the [`Ast`]; read it with `&ast[list]`.
pub struct List<T> {
    start: u32,
    len: u32,
    element: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The empty list.
    pub const EMPTY: List<T> = List { start: 0, len: 0, element: PhantomData };

    /// Number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the list has no elements.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.len == other.len
    }
}

impl<T> Eq for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}; {}]", self.start, self.len)
    }
}

/// Declares the node types with an id, and the element types of lists; the vectors of [`Ast`] that
/// hold them, and the indexing that reads them.
macro_rules! arenas {
    (
        nodes { $($(#[$id_doc:meta])* $id:ident => $nodes:ident: $node:ty;)* }
        lists { $($lists:ident: $element:ty;)* }
    ) => {
        $(
            $(#[$id_doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $id(NonZeroU32);

            impl $id {
                /// Position in the arena, for side tables.
                pub fn index(self) -> usize {
                    self.0.get() as usize - 1
                }

                /// The id of the node at a position of the arena.
                fn from_index(index: usize) -> Self {
                    // The arena cannot hold more nodes than the text has bytes, and the text is
                    // limited to less than 2^32 - 1 bytes; saturating keeps this total.
                    let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
                    $id(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
                }
            }

            impl fmt::Debug for $id {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, concat!(stringify!($nodes), "#{}"), self.index())
                }
            }

            impl Index<$id> for Ast {
                type Output = $node;
                fn index(&self, id: $id) -> &$node {
                    &self.$nodes[id.index()]
                }
            }

            impl Node for $node {
                type Id = $id;
                fn push_to(self, ast: &mut Ast) -> $id {
                    let id = $id::from_index(ast.$nodes.len());
                    ast.$nodes.push(self);
                    id
                }
            }
        )*

        $(
            impl Index<List<$element>> for Ast {
                type Output = [$element];
                fn index(&self, list: List<$element>) -> &[$element] {
                    &self.$lists[list.range()]
                }
            }

            impl ListElement for $element {
                fn append_to(elements: &[Self], ast: &mut Ast) -> List<Self> {
                    if elements.is_empty() {
                        return List::EMPTY;
                    }
                    let start = ast.$lists.len() as u32;
                    ast.$lists.extend_from_slice(elements);
                    List { start, len: elements.len() as u32, element: PhantomData }
                }
            }
        )*

        /// The syntax tree of one translation unit.
        #[derive(Clone, Debug, Default)]
        pub struct Ast {
            /// The external declarations, in the order of the text.
            pub items: Vec<DeclId>,
            /// Pragmas about names, in the order of the text.
            pub(crate) symbol_pragmas: Vec<(crate::pragma::SymbolPragma, crate::span::Span)>,
            $($nodes: Vec<$node>,)*
            $($lists: Vec<$element>,)*
            narrow_units: Vec<u8>,
            wide_units: Vec<u32>,
        }

        impl Ast {
            /// Bytes of memory that the tree holds (capacity, not length).
            pub fn memory_bytes(&self) -> usize {
                self.items.capacity() * size_of::<DeclId>()
                    $(+ self.$nodes.capacity() * size_of::<$node>())*
                    $(+ self.$lists.capacity() * size_of::<$element>())*
                    + self.narrow_units.capacity()
                    + self.wide_units.capacity() * size_of::<u32>()
            }

            /// Gives back the spare capacity of every vector.
            pub(crate) fn shrink_to_fit(&mut self) {
                self.items.shrink_to_fit();
                $(self.$nodes.shrink_to_fit();)*
                $(self.$lists.shrink_to_fit();)*
                self.narrow_units.shrink_to_fit();
                self.wide_units.shrink_to_fit();
            }
        }
    };
}

/// A type whose values are stored one by one and named by an id.
pub trait Node: Sized {
    /// The index type.
    type Id: Copy;
    /// Stores the node at the end of its arena.
    fn push_to(self, ast: &mut Ast) -> Self::Id;
}

/// A type whose values are stored in contiguous lists.
pub trait ListElement: Copy {
    /// Stores the elements at the end of their arena.
    fn append_to(elements: &[Self], ast: &mut Ast) -> List<Self>;
}

arenas! {
    nodes {
        /// Names an [`Expr`].
        ExprId => exprs: Expr;
        /// Names a [`Stmt`].
        StmtId => stmts: Stmt;
        /// Names a [`Decl`].
        DeclId => decls: Decl;
        /// Names a [`DeclSpecs`].
        SpecsId => specs: DeclSpecs;
        /// Names a [`Declarator`].
        DeclaratorId => declarators: Declarator;
        /// Names a [`TypeName`].
        TypeNameId => type_names: TypeName;
        /// Names a [`Function`].
        FunctionId => functions: Function;
        /// Names a [`Record`].
        RecordId => records: Record;
        /// Names an [`Enum`].
        EnumId => enums: Enum;
        /// Names an [`InitList`].
        InitListId => init_lists: InitList;
        /// Names a [`Designation`].
        DesignationId => designations: Designation;
        /// Names an [`AsmStmt`].
        AsmId => asms: AsmStmt;
        /// Names an [`IntLit`].
        IntLitId => ints: IntLit;
        /// Names a [`StringLit`].
        StringId => strings: StringLit;
    }
    lists {
        expr_lists: ExprId;
        stmt_lists: StmtId;
        decl_lists: DeclId;
        symbol_lists: Symbol;
        string_lists: StringId;
        init_declarators: InitDeclarator;
        derived_parts: DerivedPart;
        params: Param;
        members: Member;
        member_declarators: MemberDeclarator;
        enumerators: Enumerator;
        init_items: InitItem;
        designators: Designator;
        attributes: Attribute;
        attribute_args: AttributeArg;
        alignments: Alignment;
        asm_operands: AsmOperand;
        generic_associations: GenericAssociation;
        offsetof_parts: OffsetofPart;
    }
}

impl Ast {
    /// Stores a node.
    pub fn push<N: Node>(&mut self, node: N) -> N::Id {
        node.push_to(self)
    }

    /// Stores a list.
    pub fn append<T: ListElement>(&mut self, elements: &[T]) -> List<T> {
        T::append_to(elements, self)
    }

    /// The decoded code units of a string literal, without a terminating zero.
    pub fn string_units(&self, id: StringId) -> StringUnits<'_> {
        let literal = &self[id];
        let range = literal.start as usize..literal.start as usize + literal.len as usize;
        match literal.encoding {
            Encoding::Plain | Encoding::Utf8 => StringUnits::Narrow(&self.narrow_units[range]),
            Encoding::Wide | Encoding::Utf16 | Encoding::Utf32 => {
                StringUnits::Wide(&self.wide_units[range])
            }
        }
    }

    /// The units of a narrow string as text, with U+FFFD where it is not UTF-8; wide strings are
    /// shown by their characters. For asm templates, messages and section names.
    pub fn string_text(&self, id: StringId) -> String {
        match self.string_units(id) {
            StringUnits::Narrow(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            StringUnits::Wide(units) => units
                .iter()
                .map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        }
    }

    /// Number of expressions, for side tables indexed by [`ExprId::index`].
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// All expressions, operands before what they belong to.
    pub fn expr_ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.exprs.len()).map(ExprId::from_index)
    }

    /// All statements, inner ones before outer ones.
    pub fn stmt_ids(&self) -> impl Iterator<Item = StmtId> + use<> {
        (0..self.stmts.len()).map(StmtId::from_index)
    }

    /// Number of struct and union specifiers, for side tables indexed by [`RecordId::index`].
    pub fn record_count(&self) -> usize {
        self.records.len()
    }

    /// Number of enum specifiers, for side tables indexed by [`EnumId::index`].
    pub fn enum_count(&self) -> usize {
        self.enums.len()
    }

    /// All function definitions, nested ones included, in the order in which they end.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().enumerate().map(|(i, f)| (FunctionId::from_index(i), f))
    }
}
