//! Expressions with several reads of shared data, one read after the other.
//!
//! Every read becomes a step with a variable for what was read. Two reads of the same place are two
//! steps: another thread may write between them.

use gnomon_ir::cfa::{LocId, Op};
use gnomon_ir::expr::{Expr, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::VarId;

use crate::frames::{FrameId, Mode};
use crate::graph::Source;
use crate::instance::Instance;
use crate::operands::Access;

/// What was read for the edges of one branch: complementary edges read the same.
pub(crate) struct Reads {
    /// Whether the edges read the same places in the same order.
    alike: bool,
    /// In the order in which reads begin.
    known: Vec<Known>,
    next: usize,
}

/// A read.
#[derive(Clone, Copy)]
struct Known {
    place: PlaceId,
    /// `None` while what leads to the place is being read.
    var: Option<VarId>,
    /// Behind it and what leads to its place.
    after: usize,
}

impl Reads {
    /// Nothing was read.
    pub(crate) fn new(alike: bool) -> Self {
        Self { alike, known: Vec::new(), next: 0 }
    }

    /// Before the next edge.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }

    /// What was read for another edge, or the position of a new read.
    fn begin(&mut self, place: PlaceId) -> Result<VarId, usize> {
        let found = match self.alike {
            true => self.known.get(self.next).copied(),
            false => self.known.iter().copied().find(|known| known.place == place),
        };
        if let Some(Known { var: Some(var), after, .. }) = found.filter(|k| k.place == place) {
            self.next = after;
            return Ok(var);
        }
        self.known.push(Known { place, var: None, after: 0 });
        self.next = self.known.len();
        Err(self.known.len() - 1)
    }

    fn end(&mut self, position: usize, var: VarId) {
        self.known[position].var = Some(var);
        self.known[position].after = self.known.len();
    }
}

impl Instance<'_> {
    /// An expression of the frame's function, with a step for each shared read.
    pub(crate) fn split_expr(
        &mut self,
        frame: FrameId,
        from: LocId,
        e: ExprId,
        mode: Mode,
        source: Source,
    ) -> (LocId, ExprId) {
        let mut reads = Reads::new(true);
        self.split_with(&mut reads, frame, from, e, mode, source)
    }

    /// A place of the frame's function, with a step for each shared read on the way to it.
    pub(crate) fn split_place(
        &mut self,
        frame: FrameId,
        from: LocId,
        place: PlaceId,
        mode: Mode,
        source: Source,
    ) -> (LocId, PlaceId) {
        let mut reads = Reads::new(true);
        self.split_place_with(&mut reads, frame, from, place, mode, source)
    }

    pub(crate) fn split_with(
        &mut self,
        reads: &mut Reads,
        frame: FrameId,
        from: LocId,
        e: ExprId,
        mode: Mode,
        source: Source,
    ) -> (LocId, ExprId) {
        let Expr { ty, kind } = self.program.exprs.expr(e);
        match kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => (from, e),
            ExprKind::Load(place) if self.facts.sharing.is_shared(self.program, place) => {
                let position = match reads.begin(place) {
                    Ok(var) => return (from, self.program.load_var(var)),
                    Err(position) => position,
                };
                let (at, own) = self.split_place_with(reads, frame, from, place, mode, source);
                let at = self.access_point(at, mode, source, (own, Access::Read));
                let var = self.temporary(ty, source.span);
                let (dst, src) = (self.program.var_place(var), self.program.load(own));
                let src = self.program.cast(ty, src);
                let at = self.graph.then(at, Op::Assign { dst, src }, source.beside());
                reads.end(position, var);
                (at, self.program.load_var(var))
            }
            ExprKind::Load(place) => match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => (from, self.expr(frame, e)),
                _ => {
                    let (at, place) =
                        self.split_place_with(reads, frame, from, place, mode, source);
                    let value = self.program.load(place);
                    (at, self.program.cast(ty, value))
                }
            },
            ExprKind::AddrOf(place) => {
                let (at, place) = self.split_place_with(reads, frame, from, place, mode, source);
                (at, self.address_of(place, e))
            }
            ExprKind::Unary(op, a) => {
                let (at, a) = self.split_with(reads, frame, from, a, mode, source);
                (at, self.program.unary(op, a))
            }
            ExprKind::Cast(a) => {
                let (at, a) = self.split_with(reads, frame, from, a, mode, source);
                (at, self.program.cast(ty, a))
            }
            ExprKind::Binary(op, a, b) => {
                let (at, a) = self.split_with(reads, frame, from, a, mode, source);
                let (at, b) = self.split_with(reads, frame, at, b, mode, source);
                (at, self.program.binary(op, a, b))
            }
            ExprKind::PtrAdd(a, b) => {
                let (at, a) = self.split_with(reads, frame, from, a, mode, source);
                let (at, b) = self.split_with(reads, frame, at, b, mode, source);
                (at, self.program.ptr_add(a, b))
            }
            ExprKind::PtrDiff(a, b) => {
                let (at, a) = self.split_with(reads, frame, from, a, mode, source);
                let (at, b) = self.split_with(reads, frame, at, b, mode, source);
                (at, self.program.ptr_diff(a, b))
            }
        }
    }

    fn split_place_with(
        &mut self,
        reads: &mut Reads,
        frame: FrameId,
        from: LocId,
        place: PlaceId,
        mode: Mode,
        source: Source,
    ) -> (LocId, PlaceId) {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => (from, self.place(frame, place)),
            PlaceKind::Deref(pointer) => {
                let (at, pointer) = self.split_with(reads, frame, from, pointer, mode, source);
                (at, self.deref(pointer))
            }
            PlaceKind::Field(base, number) => {
                let (at, base) = self.split_place_with(reads, frame, from, base, mode, source);
                (at, self.program.field(base, number))
            }
            PlaceKind::Index(base, index) => {
                let (at, base) = self.split_place_with(reads, frame, from, base, mode, source);
                let (at, index) = self.split_with(reads, frame, at, index, mode, source);
                (at, self.program.index(base, index))
            }
        }
    }
}
