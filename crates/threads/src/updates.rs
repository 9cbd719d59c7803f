//! `x++` and `x += e` on `_Atomic` variables: one step.
//!
//! The front end notes where such an operator stands, and makes one or two operations of it: `x = x +
//! e`, or `t = x` and `x = t + 1` where the old value is used, `t = x + e` and `x = t` where the new
//! one is. All of them are one step if nothing else that is shared is touched there: the thread may
//! stop before the first of them only. Otherwise the program is refused.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Edge, Op};
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
        let bodies = program.funcs.iter().flat_map(|f| f.body.iter());
        let edges: Vec<&Edge> = bodies.flat_map(|body| body.edges().iter()).collect();
        let mut touched: BTreeSet<PlaceId> = BTreeSet::new();
        let (mut plain, mut found) = (true, false);
        let mut stmts = BTreeSet::new();
        for edge in edges.iter().filter(|edge| edge.span == note.span) {
            found = true;
            stmts.insert(edge.stmt);
            plain &= matches!(edge.op, Op::Assign { .. } | Op::Declare(_));
            for_each_place(program, &edge.op, &mut |place, _| {
                if facts.sharing.is_shared(program, place) {
                    touched.insert(place);
                }
            });
        }
        let used = edges.iter().any(|edge| {
            let near = stmts.contains(&edge.stmt) || encloses(edge.span, note.span);
            let mut reads = false;
            for_each_place(program, &edge.op, &mut |place, access| {
                reads |= access == Access::Read && touched.contains(&place);
            });
            near && reads && edge.span != note.span
        });
        if !found || !plain || used || touched.len() > 1 {
            return Err(Refused::not_modelled_update(note));
        }
    }
    Ok(())
}

fn encloses(outer: Span, inner: Span) -> bool {
    outer.file == inner.file
        && (outer.line, outer.column) <= (inner.line, inner.column)
        && (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
}

/// The access of an operation before which the thread may stop: none if it only writes what was
/// read before.
pub fn point_of(accesses: &[(PlaceId, Access)]) -> Vec<(PlaceId, Access)> {
    let reads = accesses.iter().filter(|(_, access)| *access == Access::Read);
    reads.take(1).copied().collect()
}
