//! `gnomon check`: for now it reads the program and says honestly that nothing was decided.

use std::fmt::Write;

use gnomon_ir::program::Program;

use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Checks a program.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let program = load::program(&args.input)?;
    let mut text = summary(&program);
    text.push_str("VERDICT: UNKNOWN (no engine yet: the program was read, nothing was decided)\n");
    output::result(&text);
    Ok(Status::Unknown)
}

/// What was read, and what a verdict about it would assume.
fn summary(program: &Program) -> String {
    let bodies: Vec<_> = program.funcs.iter().filter_map(|f| f.body.as_ref()).collect();
    let edges: usize = bodies.iter().map(|body| body.edges().len()).sum();
    let mut text =
        format!("{} with a body, {}\n", count(bodies.len(), "function"), count(edges, "edge"));
    for note in &program.notes {
        let place = if note.span.is_none() {
            String::new()
        } else {
            format!(" ({})", program.files.show(note.span))
        };
        let _ = writeln!(text, "assumed: {}: {}{place}", note.kind, note.message);
    }
    text
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
