//! Paths of growing length through a program of 2,000 functions, of which some, or none, write what
//! decides about the target.

use std::fmt::Write;

use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_flow::slice::{MemoryFacts, Options, Start};
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

use crate::random_walk::Walk;
use crate::{Prepared, Rng, blocks, new_slicer, seconds, slice};

const FUNCTIONS: usize = 2_000;

/// Each function has a loop, a branch and calls of two later ones. Every `relevant`th one writes
/// what decides; none if it is 0.
fn text(relevant: usize) -> String {
    let mut text = String::from("extern void reach_error(void);\nint decides, other[2000];\n");
    for at in (0..FUNCTIONS).rev() {
        let own = match relevant != 0 && at % relevant == relevant - 1 {
            true => "if (n == 77) decides = decides + 1;",
            false => "",
        };
        let call = |to: usize| match to < FUNCTIONS {
            true => format!("f{to}(n + 1);"),
            false => String::new(),
        };
        let _ = writeln!(
            text,
            "void f{at}(int n) {{ int s = n; for (int i = 0; i < n; i++) {{ if (s > 3) s = s - i; \
             else other[{at}] = s; }} {own} if (s > n) {{ {} }} else {{ {} }} }}",
            call(2 * at + 1),
            call(2 * at + 2),
        );
    }
    text.push_str(
        "int main(void) { int k = 0; while (k < 1000000) { f0(k); f1(k + 1); k++; }
         if (decides == 0) reach_error(); return 0; }",
    );
    text
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    for relevant in [0, 500, 50] {
        let source = SourceBuffer::new("scale.c", text(relevant).into_bytes())?;
        let program = translate(vec![source], Target::Lp64, &ParseOptions::default()).program;
        println!("\nevery {relevant}th of {FUNCTIONS} functions matters (0: none)");
        let prepared = Prepared::new(&program)?;
        let facts = MemoryFacts::new(&program, &prepared.points_to, &prepared.mod_ref);
        println!("| blocks | steps | kept | kept of blocks | first time | again | pairs of WrBt |");
        println!("|---:|---:|---:|---:|---:|---:|---:|");
        for length in [1_000, 10_000, 100_000, 1_000_000] {
            let mut slicer = new_slicer(&facts, Options::default());
            let steps = path(&program, length);
            let main = program.find_function("main").ok_or("no main")?;
            let start = Start::at_entry(&program, main);
            let (found, first) = slice(&mut slicer, start.clone(), &steps)?;
            let (_, again) = slice(&mut slicer, start, &steps)?;
            let blocks = blocks(&program, &steps);
            println!(
                "| {blocks} | {} | {} | {:.4}% | {} | {} | {} |",
                steps.len(),
                found.kept_count(),
                100.0 * found.kept_count() as f64 / blocks as f64,
                seconds(first),
                seconds(again),
                slicer.written_between().pairs(),
            );
        }
    }
    Ok(())
}

/// By chance, round the loop of `main` until the path has enough blocks, then to the target.
fn path(program: &Program, length: usize) -> Vec<gnomon_logic::encode::Move> {
    let Some(main) = program.find_function("main") else { return Vec::new() };
    let Some(error) = program.find_function("reach_error") else { return Vec::new() };
    let mut walk = Walk::new(program, main, error);
    let mut rng = Rng(1);
    let mut count = 1;
    while count < length || !walk.calls.is_empty() {
        let before = walk.steps.len();
        // Not out of the loop of `main` yet.
        if walk.calls.is_empty() && walk.would_leave_loop() {
            walk.take(0);
        } else {
            walk.by_chance(&mut rng, 1);
        }
        count += blocks(program, &walk.steps[before..]) - 1;
    }
    walk.go_to_target(&mut rng);
    walk.steps
}
