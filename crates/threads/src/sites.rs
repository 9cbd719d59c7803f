//! Which threads there can be: one for each call that makes one, in each call string; several where
//! the call stands in a loop.

use std::collections::BTreeMap;

use gnomon_ir::arena::Arena;
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::expr::ExprId;
use gnomon_ir::ids;
use gnomon_ir::program::{FuncId, VarId};
use gnomon_ir::span::Span;

use crate::counters::Known;
use crate::frames::FrameId;

ids! {
    /// A thread: one instance of a function that runs beside the others.
    ThreadId "thread";
    /// A call that makes threads, with the calls around it.
    SpawnSite "site";
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it may start with; several only if that is not known.
    pub starts: Vec<FuncId>,
    /// Its argument, if that is always the same.
    pub argument: Option<ExprId>,
    /// Where it is made.
    pub span: Span,
    /// Where threads are taken apart by kinds: whether there can be several of this one.
    pub many: bool,
    /// What the model remembers of it.
    pub ghosts: ThreadGhosts,
}

/// The variables of a thread that others see.
#[derive(Clone, Copy, Debug)]
pub struct ThreadGhosts {
    /// Where it goes on.
    pub counter: VarId,
    /// Its result.
    pub result: VarId,
    /// Its argument, where that is not known.
    pub argument: VarId,
    /// Its function, where that is not known.
    pub start: VarId,
    /// What it sleeps on.
    pub sleeps_on: VarId,
    /// The threads that wait for its end, as bits (see [`crate::owing`]).
    pub awaited: VarId,
    /// Its number, where there can be several of its kind.
    pub number: VarId,
}

/// A call that makes threads.
#[derive(Clone, Debug)]
pub struct Spawning {
    /// The threads that it makes, in order.
    pub threads: Vec<ThreadId>,
    /// Whether it can be executed more than once.
    pub repeated: bool,
    /// Where it stands.
    pub span: Span,
}

/// A call in a call string, with what is known of variables there: what makes threads there makes
/// the same ones, however the thread came to it.
pub(crate) type Call = (ThreadId, FrameId, EdgeId, Known);

/// A call by the calls around it, with what is known of variables there, in whatever mode.
pub(crate) type Kind = (ThreadId, Vec<(FuncId, Option<LocId>)>, EdgeId, Known, Vec<FuncId>);

/// All threads; the first is the one that the program begins with.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// By number.
    pub threads: Arena<ThreadId, Thread>,
    /// By number.
    pub sites: Arena<SpawnSite, Spawning>,
    /// The sites that are known already.
    pub(crate) by_call: BTreeMap<Call, SpawnSite>,
    /// The same where threads are taken apart by kinds: by the functions whose calls are open, and where they go on.
    pub(crate) by_kind: BTreeMap<Kind, SpawnSite>,
}

impl Threads {
    /// What `pthread_self` is in a thread.
    pub fn number(thread: ThreadId) -> i128 {
        i128::from(thread.0) + 1
    }
}
