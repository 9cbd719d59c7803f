//! Figures of path slicing.
//!
//! - `bench_slice scale`: paths of growing length through a made program of 2,000 functions.
//! - `bench_slice real DIRECTORY [PATHS [LENGTH [SEED]]]`: random walks through a real program, from
//!   `main` to a call of a function chosen by chance; the directory has preprocessed C files. One
//!   path is shown.

mod random_walk;
mod scale;

use std::path::Path;
use std::time::{Duration, Instant};

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, PointsTo};
use gnomon_flow::slice::{MemoryFacts, Options, Slice, Slicer, Start, StepGraph};
use gnomon_ir::cfa::Op;
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;
use gnomon_logic::encode::Move;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["scale"] => scale::run(),
        ["real", directory, ref rest @ ..] => {
            let number = |at: usize, default: u64| {
                rest.get(at).and_then(|text| text.parse().ok()).unwrap_or(default)
            };
            let program = load(Path::new(directory))?;
            random_walk::run(&program, number(0, 50), number(1, 20_000), number(2, 1))
        }
        _ => Err("usage: bench_slice scale | real DIRECTORY [PATHS [LENGTH [SEED]]]".into()),
    }
}

fn load(directory: &Path) -> Result<Program, Box<dyn std::error::Error>> {
    let mut files: Vec<_> = std::fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "i"));
    files.sort();
    let mut sources = Vec::new();
    for file in &files {
        sources.push(SourceBuffer::new(&file.to_string_lossy(), std::fs::read(file)?)?);
    }
    let translation = translate(sources, Target::Lp64, &ParseOptions::default());
    eprintln!(
        "{} files, {} link errors, {} functions with a body",
        files.len(),
        translation.link_errors.len(),
        translation.program.funcs.iter().filter(|f| f.body.is_some()).count()
    );
    Ok(translation.program)
}

/// What slicing needs to know of a program, with the time that it took.
struct Prepared {
    points_to: PointsTo,
    mod_ref: ModRef,
}

impl Prepared {
    fn new(program: &Program) -> Result<Self, Box<dyn std::error::Error>> {
        let budget = Budget::unlimited();
        let (points_to, first) =
            timed(|| PointsTo::analyze(program, &points_to::Options::default(), &budget));
        let points_to = points_to?;
        let (mod_ref, second) = timed(|| {
            let calls = CallGraph::new(program, &points_to, &budget)?;
            ModRef::compute(program, &points_to, &calls, &budget)
        });
        println!("points-to {}, call graph and mod-ref {}", seconds(first), seconds(second));
        Ok(Self { points_to, mod_ref: mod_ref? })
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// Slices a path; with the time that it took.
fn slice(
    slicer: &mut Slicer<'_>,
    start: Start,
    steps: &[Move],
) -> Result<(Slice, Duration), Box<dyn std::error::Error>> {
    let graph = StepGraph::path(start, steps);
    let (slice, time) = timed(|| slicer.slice(&graph, &Budget::unlimited()));
    Ok((slice?, time))
}

fn new_slicer<'p>(facts: &'p MemoryFacts<'p>, options: Options) -> Slicer<'p> {
    let (slicer, time) = timed(|| Slicer::new(facts, options));
    println!("what may end a run {}", seconds(time));
    slicer
}

/// The number of basic blocks on a path: one begins at its start, behind each condition, and where
/// a function is entered or left.
fn blocks(program: &Program, steps: &[Move]) -> usize {
    let ends_block = |step: &&Move| match **step {
        Move::Edge(func, edge) => {
            let op = program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op);
            matches!(op, Some(Op::Assume(_)))
        }
        _ => true,
    };
    1 + steps.iter().filter(ends_block).count()
}

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}
