//! Where allocated objects begin, where that is the same however a place is reached.
//!
//! Allocation hands out addresses in order, so what is allocated before the first loop has an address that is
//! known. In proofs numbers are easier than relations between pointers, and a certificate may speak of them: the
//! addresses are part of what it means. This is constant propagation over the places of the call tree, for
//! the next address and the beginnings of objects.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Exhausted;
use gnomon_engine::control::{ControlId, Target};
use gnomon_flow::points_to::ObjectId;
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{Program, source_name};
use gnomon_logic::encode::{Layout, Move};

use crate::explore::Values;

/// What is known of addresses at a place. An object that is not mentioned is not allocated yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    /// The next address that is handed out.
    pub(crate) next: Option<u64>,
    /// Where objects begin; `None` if that depends on the path.
    pub(crate) begin: BTreeMap<ObjectId, Option<u64>>,
}

impl Addresses {
    /// What holds of both; whether that is less than before.
    fn join(&mut self, other: &Self) -> bool {
        let before = self.clone();
        if self.next != other.next {
            self.next = None;
        }
        for (&object, &begin) in &other.begin {
            let known = self.begin.entry(object).or_insert(begin);
            if *known != begin {
                *known = None;
            }
        }
        *self != before
    }
}

impl Values<'_> {
    /// What is known of addresses at places.
    pub(crate) fn addresses(
        &mut self,
        layout: &Layout,
    ) -> Result<BTreeMap<ControlId, Addresses>, Exhausted> {
        let first = Addresses { next: Some(layout.first_allocated()), begin: BTreeMap::new() };
        let mut known = BTreeMap::from([(self.start, first)]);
        let mut work = BTreeSet::from([self.start]);
        while let Some(place) = work.pop_first() {
            self.budget.check()?;
            self.machine.allocations.open = self.space.open_calls(place);
            for (step, target) in self.space.steps(place) {
                let Target::Control(to) = target else { continue };
                let mut behind = known[&place].clone();
                self.follow_addresses(&mut behind, step);
                let is_new = match known.get_mut(&to) {
                    Some(there) => there.join(&behind),
                    None => {
                        known.insert(to, behind);
                        true
                    }
                };
                if is_new {
                    work.insert(to);
                }
            }
        }
        Ok(known)
    }

    fn follow_addresses(&mut self, addresses: &mut Addresses, step: Move) {
        let Move::Edge(func, edge) = step else { return };
        let program = self.space.program();
        let Some(body) = &program.funcs[func].body else { return };
        let op = &body.edge(edge).op;
        if !may_allocate(program, op) {
            return;
        }
        let allocated = match op {
            Op::Call(call) => self.machine.allocations.of(func, edge, call),
            _ => None,
        };
        // One that fails hands out nothing.
        let always = !self.machine.allocations.may_fail();
        let Some(allocated) = allocated else {
            addresses.next = None;
            return;
        };
        addresses.begin.insert(allocated.object, addresses.next);
        let room = Layout::room(self.machine.allocations.size(allocated.object));
        addresses.next = addresses.next.filter(|_| always).and_then(|at| at.checked_add(room));
    }
}

/// Whether the next address may be another one behind an operation.
fn may_allocate(program: &Program, op: &Op) -> bool {
    match op {
        Op::Alloca { .. } => true,
        Op::Call(call) => match call.callee {
            Callee::Direct(callee) => {
                let name = source_name(&program.funcs[callee].name);
                let kind = classify(name, program.types.target());
                program.funcs[callee].body.is_none()
                    && matches!(kind, Library::Alloc(_) | Library::Unknown | Library::CallsBack)
            }
            Callee::Indirect(_) => true,
        },
        _ => false,
    }
}
