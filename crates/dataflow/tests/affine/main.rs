//! Affine relations of C programs: the paper's examples, runs of the interpreter, and an oracle.

mod completeness;
mod examples;
mod interpreter_runs;
mod kept_weights;
mod programs;

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_flow::points_to::{Options, PointsTo};
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

/// The program of a text.
pub fn program(text: &str) -> Program {
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).unwrap();
    let translation = translate(vec![source], Target::Lp64, &ParseOptions::default());
    assert!(translation.is_complete(), "{text}");
    translation.program
}

/// Where its pointers point.
pub fn points_to(program: &Program) -> PointsTo {
    PointsTo::analyze(program, &Options::default(), &Budget::unlimited()).unwrap()
}

/// A number in an environment variable.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}
