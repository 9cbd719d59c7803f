//! Affine relations of C programs: the paper's examples, runs of the interpreter, and an oracle.

mod completeness;
mod examples;
mod interpreter_runs;
mod kept_weights;
mod programs;

use gnomon_budget::Budget;
use gnomon_flow::points_to::{Options, PointsTo};
use gnomon_ir::program::Program;
pub use gnomon_testkit::limits::number;
pub use gnomon_testkit::program;

/// Where its pointers point.
pub fn points_to(program: &Program) -> PointsTo {
    PointsTo::analyze(program, &Options::default(), &Budget::unlimited()).unwrap()
}
