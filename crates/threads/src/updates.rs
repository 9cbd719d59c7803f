//! `x++` and `x += e` on `_Atomic` variables: one step.
//!
//! The front end notes where such an operator stands, and makes one or two operations of it: `x = x +
//! e`, or `t = x` and `x = t + 1` where the old value is used. All of them are one step if nothing
//! else that is shared is touched there: the thread may stop before the first of them only.

use std::collections::BTreeSet;

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::Program;
use gnomon_ir::span::Span;

use crate::instance::Facts;
use crate::operands::{Access, for_each_place};
use crate::refused::Refused;

/// What the front end calls the notes.
const KIND: &str = "atomic-update";

/// Where such operators stand.
pub fn of(program: &Program) -> BTreeSet<Span> {
    program.notes.iter().filter(|note| note.kind == KIND).map(|note| note.span).collect()
}

/// Whether all of them are known to be one step.
pub fn are_known(program: &Program, facts: &Facts) -> Result<(), Refused> {
    for note in program.notes.iter().filter(|note| note.kind == KIND) {
        let edges = program.funcs.iter().flat_map(|f| f.body.iter());
        let edges = edges.flat_map(|body| body.edges().iter());
        let mut touched: BTreeSet<PlaceId> = BTreeSet::new();
        let (mut plain, mut found) = (true, false);
        for edge in edges.filter(|edge| edge.span == note.span) {
            found = true;
            plain &= matches!(edge.op, Op::Assign { .. } | Op::Declare(_));
            for_each_place(program, &edge.op, &mut |place, _| {
                if facts.sharing.is_shared(program, place) {
                    touched.insert(place);
                }
            });
        }
        if !found || !plain || touched.len() > 1 {
            return Err(Refused::not_modelled_update(note));
        }
    }
    Ok(())
}

/// The access of an operation before which the thread may stop: none if it only writes what was
/// read before.
pub fn point_of(accesses: &[(PlaceId, Access)]) -> Vec<(PlaceId, Access)> {
    let reads = accesses.iter().filter(|(_, access)| *access == Access::Read);
    reads.take(1).copied().collect()
}
