//! The automaton of a thread while it is being built.
//!
//! Locations are made when something leads to them, so that all of them can be reached and keep
//! their numbers in the finished automaton. Some of what happens on edges depends on which threads
//! there are, which is known only when all of them have been looked at: those are [`Action`]s that
//! are written out at the end.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::program::{FuncId, StmtId};
use gnomon_ir::span::Span;

use crate::sites::SpawnSite;

/// A place where a thread can stop and go on: its number is what the thread's program counter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(pub u32);

/// What happens on an edge.
#[derive(Clone, Debug)]
pub enum Action {
    /// An operation of the model.
    Op(Op),
    /// Makes a thread of a site and stores its number.
    Spawn {
        /// Which threads it can be.
        site: SpawnSite,
        /// The function, where the threads do not know it already.
        start: ExprId,
        /// The argument, where they do not know it.
        argument: ExprId,
        /// Where the number goes.
        dst: Option<PlaceId>,
    },
    /// Stores whether a thread has ended.
    Ended {
        /// Its number.
        thread: ExprId,
        /// Where it goes.
        dst: PlaceId,
    },
    /// Stores the result of a thread.
    ResultOf {
        /// Its number.
        thread: ExprId,
        /// Where it goes.
        dst: PlaceId,
    },
    /// Wakes one thread that sleeps on an object.
    WakeOne(ExprId),
    /// Wakes all of them.
    WakeAll(ExprId),
    /// From here on the thread waits for the end of another one (see [`crate::owing`]).
    Owe {
        /// Its number.
        thread: ExprId,
    },
    /// All threads that this one waits for have ended.
    Settle,
}

/// Where an operation comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The part of the source.
    pub span: Span,
    /// The user's statement.
    pub stmt: StmtId,
    /// The edge, if the operation is all of what happens on it.
    pub edge: Option<(FuncId, EdgeId)>,
    /// What it means for the schedule.
    pub mark: Mark,
}

/// What an edge of a thread means for the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    Nothing,
    /// A point where the thread could have stopped is passed.
    Passes,
    /// The thread must wait at the point that it passed last: it is as if it had not passed it.
    Retreats,
    /// The value that is stored is an input of the run, not of the schedule.
    Asks,
    /// A variable begins to exist, with any value.
    Declares,
    /// Part of making a thread.
    Makes,
    /// Part of what is done for all threads alike, one after the other.
    Numbers,
    /// The same, where a thread notes which others it waits for.
    Owes,
    /// Asks whether all of them have ended.
    Settles,
}

impl Source {
    /// What is done for all threads alike, one after the other.
    pub fn numbers(self) -> Self {
        Self { mark: Mark::Numbers, ..self.beside() }
    }

    /// What belongs to the same statement, but is not the edge's own operation.
    pub fn beside(self) -> Self {
        Self { edge: None, mark: Mark::Nothing, ..self }
    }
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it starts.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
    /// What happens.
    pub action: Action,
    /// Where that comes from.
    pub source: Source,
}

/// A place where a thread can go on.
#[derive(Clone, Copy, Debug)]
pub struct Resumption {
    /// Its number.
    pub point: Point,
    /// Where the thread goes on.
    pub at: LocId,
    /// Whether a section begins there, which may have to wait.
    pub section: bool,
    /// What it is about to do there.
    pub span: Span,
}

/// The automaton of a thread.
#[derive(Clone, Debug)]
pub struct Graph {
    /// In the order in which they were made.
    pub arrows: Vec<Arrow>,
    /// Where the thread can go on.
    pub resumptions: Vec<Resumption>,
    /// Where it begins.
    pub start: LocId,
    loc_count: u32,
}

impl Graph {
    /// Where a finished automaton begins.
    pub const ENTRY: LocId = LocId(0);
    /// Where it ends.
    pub const EXIT: LocId = LocId(1);

    /// With the beginning of the thread and nothing else.
    pub fn new() -> Self {
        Self { arrows: Vec::new(), resumptions: Vec::new(), start: LocId(2), loc_count: 3 }
    }

    /// A new location.
    pub fn add_loc(&mut self) -> LocId {
        self.loc_count += 1;
        LocId(self.loc_count - 1)
    }

    /// How many locations there are, entry and exit among them.
    pub fn loc_count(&self) -> u32 {
        self.loc_count
    }

    /// Adds an edge with an operation.
    pub fn op(&mut self, from: LocId, to: LocId, op: Op, source: Source) {
        self.arrows.push(Arrow { from, to, action: Action::Op(op), source });
    }

    /// Adds an operation that leads to a new location.
    pub fn then(&mut self, from: LocId, op: Op, source: Source) -> LocId {
        let to = self.add_loc();
        self.op(from, to, op, source);
        to
    }

    /// Whether there is a way from one location to another.
    pub fn leads(&self, from: LocId, to: LocId) -> bool {
        let mut out: Vec<Vec<LocId>> = vec![Vec::new(); self.loc_count as usize];
        for arrow in &self.arrows {
            out[arrow.from.index()].push(arrow.to);
        }
        let mut seen = vec![false; self.loc_count as usize];
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at.index()], true) {
                work.extend(&out[at.index()]);
            }
        }
        false
    }

    /// The number of the next point.
    pub fn next_point(&self) -> Point {
        Point(FIRST_POINT + self.resumptions.len() as u32)
    }
}

/// The program counter of a thread that was not made yet.
pub const NOT_MADE: i128 = 0;
/// The program counter of a thread that has ended.
pub const ENDED: i128 = 1;
/// The program counter of a thread that has not run yet.
pub const AT_START: i128 = 2;
/// The smallest number of a point.
pub const FIRST_POINT: u32 = 3;
