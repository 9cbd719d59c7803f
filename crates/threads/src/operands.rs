//! The places that an operation touches.

use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::Program;

use crate::sharing::{for_each_load, for_each_load_on_the_way};

/// Reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The contents are read.
    Read,
    /// They are written.
    Write,
}

/// Calls `visit` for every place that the operation itself reads or writes, in the order in which
/// that happens: once for every occurrence. What functions do that are called is not in it.
pub fn for_each_place(program: &Program, op: &Op, visit: &mut impl FnMut(PlaceId, Access)) {
    let mut written = None;
    let mut read = |place| visit(place, Access::Read);
    match op {
        Op::Skip | Op::Declare(_) | Op::HavocMemory | Op::Return(None) => {}
        Op::Assume(e) | Op::Return(Some(e)) => for_each_load(program, *e, &mut read),
        Op::Assign { dst, src } => {
            for_each_load(program, *src, &mut read);
            written = Some(*dst);
        }
        Op::Call(call) => {
            if let Callee::Indirect(pointer) = call.callee {
                for_each_load(program, pointer, &mut read);
            }
            for &arg in &call.args {
                for_each_load(program, arg, &mut read);
            }
            written = call.dst;
        }
        Op::Havoc(place) | Op::VaStart(place) | Op::VaEnd(place) => written = Some(*place),
        Op::Alloca { dst, size } => {
            for_each_load(program, *size, &mut read);
            written = Some(*dst);
        }
        Op::VaArg { dst, list: other } | Op::VaCopy { dst, src: other } => {
            for_each_load_on_the_way(program, *other, &mut read);
            read(*other);
            written = Some(*dst);
        }
    }
    if let Some(place) = written {
        for_each_load_on_the_way(program, place, &mut |place| visit(place, Access::Read));
        visit(place, Access::Write);
    }
}
