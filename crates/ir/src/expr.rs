//! Expressions without side effects, and places: what can be read and written.
//!
//! Both live in one hash-consed arena, [`Exprs`]: equal expressions have equal ids, so clients can
//! compare in one step and cache by id. They carry types and no source position (edges have that).
//! They are made through the constructors of [`Program`](crate::program::Program) in
//! [`build`](crate::build), which fold constants by the meaning in [`ops`](crate::ops).

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;

use crate::arena::{Arena, Id};
use crate::ids;
use crate::program::{FuncId, VarId};
use crate::types::TypeId;

ids! {
    /// An expression in [`Exprs`].
    ExprId "e";
    /// A place in [`Exprs`].
    PlaceId "p";
    /// A constant in [`Exprs`].
    ConstId "c";
}

/// The bits of a constant, zero-extended: of an integer in two's complement, of a floating-point
/// number in its format. The type of the expression says how to read them.
pub type Bits = u128;

/// An expression with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// The type of the value.
    pub ty: TypeId,
    /// What it is.
    pub kind: ExprKind,
}

/// The kinds of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A number of integer, `_Bool` or floating-point type.
    Const(ConstId),
    /// All bytes zero, of any type: the null pointer, the zero of a record or array.
    Zero,
    /// The value in a place; of a record or array too, where it is only copied.
    Load(PlaceId),
    /// The address of a place; the type is a pointer to the place's type.
    AddrOf(PlaceId),
    /// The address of a function.
    FuncAddr(FuncId),
    /// An operation on one number.
    Unary(UnaryOp, ExprId),
    /// An operation on two numbers (or a comparison of pointers). Operands have the same type,
    /// which is the result's, except: comparisons give `int`, and the right side of a shift has any
    /// integer type.
    Binary(BinaryOp, ExprId, ExprId),
    /// A pointer moved by a number of elements; the index has any integer type and is sign- or
    /// zero-extended.
    PtrAdd(ExprId, ExprId),
    /// The number of elements between two pointers of the same type, as `ptrdiff_t`.
    PtrDiff(ExprId, ExprId),
    /// The value converted to the expression's type, see [`ops`](crate::ops).
    Cast(ExprId),
}

/// Operations on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-x`, wraps; flips the sign of a floating-point number.
    Neg,
    /// `~x`.
    BitNot,
}

/// Operations on two numbers; their meaning is in [`ops`](crate::ops).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// All of them.
    pub const ALL: [BinaryOp; 16] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
    ];

    /// Whether the result is a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// Whether it is `<<` or `>>`.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }

    /// The comparison that holds exactly when this one does not. Not for floating point, where
    /// NaN makes `<` and `>=` both false (`==` and `!=` are each other's negation there too).
    pub fn negated(self) -> Option<Self> {
        Some(match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Ge => Self::Lt,
            Self::Gt => Self::Le,
            Self::Le => Self::Gt,
            _ => return None,
        })
    }

    /// As written in C.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

impl UnaryOp {
    /// As written in C.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Neg => "-",
            Self::BitNot => "~",
        }
    }
}

/// A place with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The type of what is stored there.
    pub ty: TypeId,
    /// What it is.
    pub kind: PlaceKind,
}

/// The kinds of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    /// A variable.
    Var(VarId),
    /// What a pointer points to.
    Deref(ExprId),
    /// A member of a record in a place: the number of the field.
    Field(PlaceId, u32),
    /// An element of an array in a place; the index has any integer type.
    Index(PlaceId, ExprId),
}

/// All expressions and places of a program, each once.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    exprs: Arena<ExprId, Expr>,
    places: Arena<PlaceId, Place>,
    consts: Arena<ConstId, Bits>,
    expr_index: HashTable<ExprId>,
    place_index: HashTable<PlaceId>,
    const_index: HashTable<ConstId>,
}

fn intern<I: Id, T: Hash + Eq>(arena: &mut Arena<I, T>, index: &mut HashTable<I>, item: T) -> I {
    let hasher = rustc_hash::FxBuildHasher;
    let hash = hasher.hash_one(&item);
    if let Some(id) = index.find(hash, |&id| arena[id] == item) {
        return *id;
    }
    let id = arena.push(item);
    index.insert_unique(hash, id, |&id| hasher.hash_one(&arena[id]));
    id
}

impl Exprs {
    /// The id of the expression, as it is. Use the constructors of `Program` where you can: they
    /// check types and fold constants.
    pub fn intern_expr(&mut self, expr: Expr) -> ExprId {
        intern(&mut self.exprs, &mut self.expr_index, expr)
    }

    /// The id of the place, as it is.
    pub fn intern_place(&mut self, place: Place) -> PlaceId {
        intern(&mut self.places, &mut self.place_index, place)
    }

    /// The id of the constant.
    pub fn intern_const(&mut self, bits: Bits) -> ConstId {
        intern(&mut self.consts, &mut self.const_index, bits)
    }

    /// The expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id]
    }

    /// The type of the expression.
    pub fn ty(&self, id: ExprId) -> TypeId {
        self.exprs[id].ty
    }

    /// The place.
    pub fn place(&self, id: PlaceId) -> Place {
        self.places[id]
    }

    /// The bits of the constant.
    pub fn bits(&self, id: ConstId) -> Bits {
        self.consts[id]
    }

    /// The bits of an expression that is a constant; [`ExprKind::Zero`] is one.
    pub fn const_bits(&self, id: ExprId) -> Option<Bits> {
        match self.exprs[id].kind {
            ExprKind::Const(c) => Some(self.consts[c]),
            ExprKind::Zero => Some(0),
            _ => None,
        }
    }

    /// The number of expressions; ids are `0..count`.
    pub fn expr_count(&self) -> usize {
        self.exprs.len()
    }

    /// The number of places; ids are `0..count`.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// Changes the type of the place of a variable whose type became known better (the length of
    /// an array). Places in it and expressions over it keep their ids.
    pub fn retype_variable(&mut self, var: VarId, old: TypeId, new: TypeId) {
        let hasher = rustc_hash::FxBuildHasher;
        let (places, index) = (&mut self.places, &mut self.place_index);
        let kind = PlaceKind::Var(var);
        let hash = hasher.hash_one(Place { ty: old, kind });
        let Ok(entry) = index.find_entry(hash, |&id| places[id] == Place { ty: old, kind }) else {
            return;
        };
        let (id, _) = entry.remove();
        places[id].ty = new;
        let hash = hasher.hash_one(places[id]);
        index.insert_unique(hash, id, |&id| hasher.hash_one(places[id]));
    }

    /// The variable that the place is in, if it is not behind a pointer.
    pub fn root_var(&self, mut place: PlaceId) -> Option<VarId> {
        loop {
            match self.places[place].kind {
                PlaceKind::Var(v) => return Some(v),
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            }
        }
    }
}
