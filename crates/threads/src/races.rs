//! Data races: two accesses to the same place, one of them a write, that can come one directly
//! after the other, and neither is part of an atomic section.
//!
//! A thread that stops before an access to shared data leaves what it is about to do: where, and
//! whether it writes. In the next context the thread that runs looks at that before each of its
//! accesses: the one that stands there could go on directly behind it. This finds every race of two
//! accesses that some schedule has one behind the other: of two threads that both stand before their
//! accesses, one was the last to come there, and the other one may run next. Sections leave nothing
//! and look at nothing, so that locks, `__atomic_*` and `__VERIFIER_atomic_*` race with nothing.
//! Accesses meet if they have a byte in common. What has no address (bit-fields), and what functions
//! of the library access, is not looked at: programs where that is shared are refused.

use gnomon_ir::cfa::{Call, Callee, LocId, Op};
use gnomon_ir::expr::{BinaryOp, PlaceId, PlaceKind};
use gnomon_ir::program::{VarId, source_name};
use gnomon_ir::types::Types;

use crate::enforced::ACCESS;
use crate::frames::Mode;
use crate::graph::{Graph, Mark, Resumption, Source};
use crate::instance::Instance;
use crate::intrinsics::reports;
use crate::operands::Access;
use crate::refused::Refused;
use crate::sequential::declared_with;
use crate::sites::Threads;

/// What the thread that stopped last is about to do.
#[derive(Clone, Copy)]
pub struct RaceGhosts {
    /// Its number; 0 if it is not about to access shared data.
    pub by: VarId,
    /// Where it begins.
    pub address: VarId,
    /// How many bytes.
    pub size: VarId,
    /// Whether it writes.
    pub writes: VarId,
}

impl Instance<'_> {
    /// A point before an access to a place of this thread where the thread may stop. Gives where
    /// it goes on.
    pub(crate) fn access_point(
        &mut self,
        from: LocId,
        mode: Mode,
        source: Source,
        (place, access): (PlaceId, Access),
    ) -> LocId {
        if let Some(at) = self.shown_access(from, mode, source, (place, access)) {
            return at;
        }
        let looks = self.common.race.is_some() && self.point.is_none() && !mode.is_quiet();
        if looks && !self.has_address(place) {
            self.refused.get_or_insert_with(|| Refused::bit_field(source.span));
        }
        let is_plain = looks && self.has_address(place);
        let Some(race) = self.common.race.filter(|_| is_plain) else {
            return self.switch_point(from, mode, source);
        };
        let source = source.beside();
        let (point, on) = (self.graph.next_point(), self.graph.add_loc());
        let stopping = self.may_go_on(from, on, source);
        let writes = access == Access::Write;
        let number = Threads::number(self.id);
        let mut at = stopping;
        let size = i128::from(self.program.types.size(self.program.place_ty(place)));
        let stored = [(race.by, number), (race.writes, i128::from(writes)), (race.size, size)];
        for (var, value) in stored {
            let set = self.set(var, value);
            at = self.graph.then(at, set, source);
        }
        let (dst, ty) = (self.program.var_place(race.address), self.program.vars[race.address].ty);
        let address = self.program.address_of(place);
        let address = self.program.cast(ty, address);
        at = self.graph.then(at, Op::Assign { dst, src: address }, source);
        let stop = self.set(self.ghosts().counter, i128::from(point.0));
        self.graph.op(at, Graph::EXIT, stop, source);
        let (span, section) = (source.span, false);
        self.graph.resumptions.push(Resumption { point, at: on, section, span });
        // Another thread stands before a conflicting access.
        let by = self.program.load_var(race.by);
        let own = self.program.int(self.program.expr_ty(by), number);
        let other = self.program.binary(BinaryOp::Ne, by, own);
        let some = self.program.truth(by);
        let mut conflict = self.program.binary(BinaryOp::BitAnd, other, some);
        let (known, length) =
            (self.program.load_var(race.address), self.program.load_var(race.size));
        let size = self.program.int(ty, size);
        let behind = self.program.binary(BinaryOp::Add, known, length);
        let before = self.program.binary(BinaryOp::Lt, address, behind);
        let behind = self.program.binary(BinaryOp::Add, address, size);
        let after = self.program.binary(BinaryOp::Lt, known, behind);
        for meets in [before, after] {
            conflict = self.program.binary(BinaryOp::BitAnd, conflict, meets);
        }
        if !writes {
            let written = self.program.load_var(race.writes);
            let written = self.program.truth(written);
            conflict = self.program.binary(BinaryOp::BitAnd, conflict, written);
        }
        let none = self.program.not(conflict);
        let conflict = self.program.truth(conflict);
        let next = self.graph.then(on, Op::Assume(none), source);
        let found = self.graph.then(on, Op::Assume(conflict), source);
        let does = if writes { "writes" } else { "reads" };
        let name = format!("{}.{does} {}", reports::RACE, self.name_of(place));
        let report = crate::sequential::report(self.program, &name);
        let call = Call { dst: None, callee: Callee::Direct(report), args: Box::new([]) };
        self.graph.op(found, next, Op::Call(call), source);
        next
    }

    /// The same in a program that is executed: the access is told, so that it can be seen that two
    /// threads stand before conflicting ones.
    fn shown_access(
        &mut self,
        from: LocId,
        mode: Mode,
        source: Source,
        (place, access): (PlaceId, Access),
    ) -> Option<LocId> {
        let wanted = self.options.reported.race && self.point.is_some();
        if !wanted || mode.is_quiet() || !self.has_address(place) {
            return None;
        }
        let func = declared_with(self.program, ACCESS, 3);
        let size = self.program.types.size(self.program.place_ty(place));
        let address = self.program.address_of(place);
        let address = self.program.cast(Types::U64, address);
        let size = self.program.int(Types::U64, i128::from(size));
        let writes = self.program.int(Types::U64, i128::from(access == Access::Write));
        let (callee, args) = (Callee::Direct(func), Box::new([address, size, writes]));
        let call = Op::Call(Call { dst: None, callee, args });
        Some(self.graph.then(from, call, source.beside()))
    }

    /// The thread stops, and is not about to access anything.
    pub(crate) fn forget_access(&mut self, from: LocId, source: Source) -> LocId {
        match self.common.race {
            Some(race) => {
                let forget = self.set(race.by, 0);
                self.graph.then(from, forget, Source { mark: Mark::Nothing, ..source.beside() })
            }
            None => from,
        }
    }

    fn has_address(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Field(base, number) => {
                let record = self.program.types.as_record(self.program.place_ty(base));
                let field = record.and_then(|(_, record)| record.fields.get(number as usize));
                field.is_some_and(|field| field.bits.is_none())
            }
            _ => true,
        }
    }

    /// What the user calls a place, or something like it.
    fn name_of(&self, place: PlaceId) -> String {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => source_name(&self.program.vars[var].name).to_owned(),
            PlaceKind::Deref(_) => "memory behind a pointer".to_owned(),
            PlaceKind::Field(base, number) => {
                let record = self.program.types.as_record(self.program.place_ty(base));
                let field = record.and_then(|(_, record)| record.fields.get(number as usize));
                let name = field.map_or("", |field| &field.name);
                format!("{}->{name}", self.name_of(base))
            }
            PlaceKind::Index(base, _) => format!("an element of {}", self.name_of(base)),
        }
    }
}
