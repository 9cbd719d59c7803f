//! Whom a run tells what it does: an [`Observer`] of edges and stores, and an [`OutputSink`] for
//! what the program prints.

use crate::cfa::EdgeId;
use crate::interp::memory::{Memory, ObjectKind};
use crate::interp::value::{ObjectRef, Value};
use crate::program::{FuncId, VarId};

/// A stream that programs print to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives what the program prints.
pub trait OutputSink {
    /// Bytes printed to a stream.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
}

/// Keeps what was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl OutputSink for Captured {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.stdout.extend_from_slice(bytes),
            Stream::Stderr => self.stderr.extend_from_slice(bytes),
        }
    }
}

/// Throws away what is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discarded;

impl OutputSink for Discarded {
    fn write(&mut self, _stream: Stream, _bytes: &[u8]) {}
}

/// What an observer may look at.
pub struct State<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) statics: &'a [Value],
    pub(crate) locals: &'a [(VarId, Value)],
}

impl State<'_> {
    /// The bytes of a variable: a static one, or one of the call that runs.
    pub fn variable(&self, var: VarId) -> Option<&[u8]> {
        let local = self.locals.iter().find(|(v, _)| *v == var).map(|(_, address)| *address);
        let address = local.or_else(|| self.statics.get(var.0 as usize).copied())?;
        self.memory.bytes_to_end(address).ok()
    }
}

/// An edge that is taken; told before its operation happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEvent {
    /// The function.
    pub func: FuncId,
    /// The edge.
    pub edge: EdgeId,
    /// The number of open calls, 1 in the entry function.
    pub depth: usize,
}

/// Bytes that were stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreEvent {
    /// The object of this moment.
    pub object: ObjectRef,
    /// What the object is.
    pub kind: ObjectKind,
    /// From here on.
    pub offset: u64,
    /// So many.
    pub bytes: u64,
}

/// A pointer that lies in bytes that are being loaded or were just stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerEvent {
    /// The object that holds it.
    pub holder: ObjectRef,
    /// What that is.
    pub holder_kind: ObjectKind,
    /// Where in it.
    pub holder_offset: u64,
    /// The object that it points into; alive.
    pub target: ObjectRef,
    /// What that is.
    pub target_kind: ObjectKind,
    /// Where in it, or beside it.
    pub target_offset: i64,
}

/// What an observer wants to see of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Edges alone. The state that comes with them has no variables that are no objects; runs are faster, and
    /// leap over more.
    Edges,
    /// Every store, and all variables.
    Everything,
}

/// Sees what a run does.
pub trait Observer {
    /// What it must be told. It says the same whenever it is asked.
    fn needs(&self) -> Needs {
        Needs::Everything
    }

    /// Whether it need not be told of iterations of a loop that do the same as one it is told of.
    fn may_skip(&self) -> bool {
        true
    }

    /// So many edges were taken in iterations that it need not be told of.
    fn skipped(&mut self, edges: u64) {
        let _ = edges;
    }

    /// An edge is taken.
    fn edge(&mut self, event: EdgeEvent, state: &State<'_>) {
        let _ = (event, state);
    }

    /// An object came to life that is no static one.
    fn allocated(&mut self, object: ObjectRef, kind: &ObjectKind) {
        let _ = (object, kind);
    }

    /// The program is about to load something (functions of the library do not tell).
    fn load(&mut self, event: &StoreEvent) {
        let _ = event;
    }

    /// A pointer is in what is loaded or was stored; told behind the load or store.
    fn pointer(&mut self, event: &PointerEvent) {
        let _ = event;
    }

    /// Something was stored.
    fn store(&mut self, event: &StoreEvent) {
        let _ = event;
    }
}
