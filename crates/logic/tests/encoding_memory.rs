//! Memory in formulas against the interpreter: paths of random C programs about pointers.
//!
//! A path is what a run on some inputs did. The formula of the path must be satisfiable with just
//! those inputs on which the interpreter follows the path (see [`pointer_programs::compare`]);
//! apart are counted the places where formulas are known to allow more: the bounds of single objects of
//! the heap, and objects that live no longer. `GNOMON_ENCODING_SCALE=20` runs 20 times as many
//! programs.

mod pointer_programs;
mod random_model;

use gnomon_ir::program::Program;
use gnomon_logic::encode::{Aliases, Theory};
use pointer_programs::generate::{Generator, INPUTS};
use pointer_programs::points_to::PointsTo;
use pointer_programs::{Counts, compare};
use random_model::{Random, cases};

fn points_to(program: &Program) -> Box<dyn Aliases + '_> {
    Box::new(PointsTo::new(program))
}

fn inputs(random: &mut Random) -> Vec<u32> {
    let one = |random: &mut Random| match random.below(4) {
        0 => random.below(5) as u32,
        1 => (random.below(8) as u32).wrapping_sub(4),
        2 => random.next() as u32,
        _ => random.below(300) as u32,
    };
    (0..INPUTS).map(|_| one(random)).collect()
}

fn campaign(seed: u64, theory: Theory, programs: usize) -> Counts {
    let mut counts = Counts::default();
    for number in 0..programs {
        let mut random = Random(seed + 7919 * number as u64);
        random.next();
        let statements = 4 + random.below(10);
        let text = Generator::program(&mut random, statements);
        let vectors: Vec<Vec<u32>> = (0..4).map(|_| inputs(&mut random)).collect();
        compare(&text, &points_to, theory, &vectors, &mut counts);
    }
    println!("{theory:?}: {counts:?}");
    counts
}

#[test]
fn paths_through_memory_mean_the_same_in_integers() {
    let counts = campaign(0x11, Theory::Int, cases(100));
    assert!(counts.followed > cases(300), "{counts:?}");
}

#[test]
fn paths_through_memory_mean_the_same_in_bits() {
    let counts = campaign(0x22, Theory::Bits, cases(100));
    assert!(counts.followed > cases(300), "{counts:?}");
}
