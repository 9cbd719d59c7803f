//! A whole program: types, expressions, variables, functions.

use crate::arena::Arena;
use crate::cfa::Cfa;
use crate::expr::{ExprId, Exprs, PlaceId};
use crate::ids;
use crate::span::{Files, Span};
use crate::types::{Target, TypeId, Types};

ids! {
    /// A variable of the program, global or local.
    VarId "v";
    /// A function, defined or only declared.
    FuncId "f";
    /// A statement of the user.
    StmtId "s";
}

/// The part of a unique name that the user wrote: what stands before the first `.`, which no C
/// identifier contains. Empty for what the front end made up itself.
pub fn source_name(unique: &str) -> &str {
    unique.split('.').next().unwrap_or_default()
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Unique among the globals, or in its function. The user's name is [`source_name`] of it:
    /// `i`, `i.2` for an `i` that stands beside another, `.t3` for a temporary, `count.f` for a
    /// static variable of function `f`.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Where it lives.
    pub storage: Storage,
    /// Whether its address is taken anywhere: if not, only places that are rooted in it reach it.
    pub address_taken: bool,
    /// Where it was declared.
    pub span: Span,
}

/// Where a variable lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As long as the program, once (or once per thread).
    Static {
        /// The value at the start; `None` if it is only declared (`extern`): then it is unknown.
        init: Option<Initializer>,
        /// `_Thread_local`.
        thread_local: bool,
        /// Must not be written: string literals and objects declared `const`.
        read_only: bool,
    },
    /// As long as the call of the function that has it as its parameter.
    Param(FuncId),
    /// As long as the call of the function.
    Local(FuncId),
}

impl Storage {
    /// The function of a parameter or local variable.
    pub fn function(&self) -> Option<FuncId> {
        match *self {
            Storage::Static { .. } => None,
            Storage::Param(f) | Storage::Local(f) => Some(f),
        }
    }
}

/// The value of a static variable at the start: all zero, but for what is written here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Initializer {
    /// Written in this order.
    pub items: Vec<InitItem>,
}

/// A part of an [`Initializer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitItem {
    /// A value; the expression has no loads but of constants.
    Value {
        /// Rooted in the variable, all indices constant.
        place: PlaceId,
        /// Of the same type.
        value: ExprId,
    },
    /// Bytes from the start of a place on (a string).
    Bytes {
        /// Rooted in the variable, all indices constant.
        place: PlaceId,
        /// At most as many as the place has.
        bytes: Box<[u8]>,
    },
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Unique in the program. The user's name is [`source_name`] of it: `f.2` is a static function
    /// `f` of another file than the one whose `f` is called just that.
    pub name: String,
    /// A function type.
    pub ty: TypeId,
    /// The parameters, in order; empty without a body.
    pub params: Vec<VarId>,
    /// The other local variables, temporaries too.
    pub locals: Vec<VarId>,
    /// `None` if it is only declared.
    pub body: Option<Cfa>,
    /// Known not to return (`_Noreturn`, `abort`).
    pub no_return: bool,
    /// Where its name stands.
    pub span: Span,
}

/// What kind of statement the user wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum StmtKind {
    Expression,
    Declaration,
    If,
    While,
    DoWhile,
    For,
    /// Where a loop begins: from its keyword to where the first statement of its body begins, which
    /// is what the location of the loop's head has if no condition is asked there. No edge belongs
    /// to it.
    LoopHead,
    Switch,
    Goto,
    Return,
    Asm,
    /// Made up by the front end or a transformation: entry, exit, monitors.
    Synthetic,
}

/// A statement of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands; for a loop or branch its head (`while (c)`), not its body.
    pub span: Span,
}

/// Something that the model assumes or leaves open and that a verdict must list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The class, a short stable name: `volatile`, `asm`, `weak-atomics`.
    pub kind: &'static str,
    /// For people.
    pub message: String,
    /// Where it was first met.
    pub span: Span,
}

impl Note {
    /// The class of a note about operands whose order of evaluation is open, and may matter: the
    /// model has one of several behaviours.
    pub const EVALUATION_ORDER: &'static str = "evaluation-order";
    /// The class of a note about behaviour that the model does not have: a proof for it is none.
    pub const NOT_COVERED: &'static str = "not-covered";
}

/// Operands whose order of evaluation is open, where it may matter; the model has one order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenOrder {
    /// Where one of them stands.
    pub span: Span,
    /// What each of them calls; `None` for a function behind a pointer.
    pub operands: Vec<Vec<Option<FuncId>>>,
}

/// A program: a set of control flow automata over a memory of objects.
#[derive(Clone, Debug)]
pub struct Program {
    /// The user's files.
    pub files: Files,
    /// The types.
    pub types: Types,
    /// The expressions and places.
    pub exprs: Exprs,
    /// The variables, global and local.
    pub vars: Arena<VarId, Var>,
    /// The functions.
    pub funcs: Arena<FuncId, Function>,
    /// The user's statements. The first stands for what nobody wrote.
    pub stmts: Arena<StmtId, Stmt>,
    /// What was assumed, sorted.
    pub notes: Vec<Note>,
    /// All operands that a note of the class [`Note::EVALUATION_ORDER`] stands for.
    pub open_orders: Vec<OpenOrder>,
    /// The variable that says which allocated objects live, if there is one: an array with an
    /// element for each address. Where a living object begins, it is the number of its bytes and one
    /// more; elsewhere it is zero. Checks keep it and ask it; nobody takes its address, and it has
    /// no place among the other objects. The interpreter, which knows its objects, answers for it.
    pub extents: Option<VarId>,
}

impl Program {
    /// The statement of what nobody wrote.
    pub const NO_STMT: StmtId = StmtId(0);

    /// A program of nothing.
    pub fn new(target: Target) -> Self {
        let mut stmts = Arena::new();
        stmts.push(Stmt { kind: StmtKind::Synthetic, span: Span::NONE });
        Self {
            files: Files::default(),
            types: Types::new(target),
            exprs: Exprs::default(),
            vars: Arena::new(),
            funcs: Arena::new(),
            stmts,
            notes: Vec::new(),
            open_orders: Vec::new(),
            extents: None,
        }
    }

    /// The function of that unique name.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter_ids().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }

    /// The static variables in order.
    pub fn globals(&self) -> impl Iterator<Item = VarId> {
        self.vars
            .iter_ids()
            .filter(|(_, v)| matches!(v.storage, Storage::Static { .. }))
            .map(|(id, _)| id)
    }

    /// Adds a note unless one of the same kind and message is there.
    pub fn add_note(&mut self, note: Note) {
        let same = |n: &Note| n.kind == note.kind && n.message == note.message;
        if !self.notes.iter().any(same) {
            self.notes.push(note);
            self.notes.sort();
        }
    }
}
