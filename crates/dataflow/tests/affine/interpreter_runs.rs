//! Relations hold in every state of runs of the interpreter.
//!
//! `GNOMON_AFFINE_RUNS` is the number of runs.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::{Relation, Relations};
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::points::Point;
use gnomon_ir::interp::{
    Discarded, EdgeEvent, Observer, RunOptions, SeedSource, State, interpret_observed,
};
use gnomon_ir::program::{Program, VarId};
use gnomon_wpds::TopWeights;
use gnomon_wpds::domains::affine::Modular;

use crate::programs::{Shape, generate};
use crate::{number, points_to, program};

/// Checks the relations wherever a run comes by.
struct Checker<'a> {
    program: &'a Program,
    bits: u32,
    relations: BTreeMap<Point, Relations<u64>>,
    checked: u64,
    wrong: Vec<String>,
}

impl Checker<'_> {
    /// The value of a variable modulo 2^64, as its type says.
    fn value(&self, state: &State<'_>, var: VarId) -> Option<u64> {
        let (width, signed) = self.program.types.int_shape(self.program.vars[var].ty)?;
        let bytes = state.variable(var)?.get(..usize::from(width) / 8)?;
        let mut low = [0u8; 8];
        low[..bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(low);
        let unused = 64 - u32::from(width);
        Some(if signed {
            ((value << unused).cast_signed() >> unused).cast_unsigned()
        } else {
            value
        })
    }

    fn holds(&self, state: &State<'_>, relation: &Relation<u64>) -> bool {
        let mut sum = relation.constant;
        for (var, coefficient) in &relation.terms {
            let Some(value) = self.value(state, *var) else { return false };
            sum = sum.wrapping_add(value.wrapping_mul(*coefficient));
        }
        sum << (64 - self.bits) == 0
    }
}

impl Observer for Checker<'_> {
    fn edge(&mut self, event: EdgeEvent, state: &State<'_>) {
        let Some(body) = &self.program.funcs[event.func].body else { return };
        let point = Point { func: event.func, loc: body.edge(event.edge).from };
        match &self.relations[&point] {
            Relations::Unreachable => self.wrong.push(format!("{point:?} is reached")),
            Relations::Hold(list) => {
                for relation in list {
                    self.checked += 1;
                    if !self.holds(state, relation) {
                        self.wrong.push(format!("{relation:?} at {point:?}"));
                    }
                }
            }
        }
    }
}

#[test]
fn relations_hold_in_every_state() {
    let runs = number("GNOMON_AFFINE_RUNS", 1000);
    let kinds = ["int", "unsigned", "unsigned char", "long", "short", "unsigned long"];
    let mut checked = 0;
    let mut relations_found = 0;
    for seed in 0..runs.div_ceil(5) {
        let shape = Shape { loops: true, others: true, recursion: seed % 2 == 0 };
        let types = std::array::from_fn(|i| kinds[((seed >> 2) as usize * (i + 1) + i) % 6]);
        let types = if seed % 3 == 0 { ["int"; 5] } else { types };
        let text = generate(seed, shape, types).text();
        let program = program(&text);
        let bits = [8, 16, 32, 64][(seed % 4) as usize];
        let options = AffineOptions {
            arithmetic: Arithmetic::Modular(bits),
            limits: VariableLimits::default(),
        };
        let entry = program.find_function("main").unwrap();
        let points_to = points_to(&program);
        let ring = Modular::new(bits).unwrap();
        let problem = AffineProblem::new(&program, &points_to, entry, ring, options).unwrap();
        let solution = problem.solve(&Budget::unlimited()).unwrap();
        let tops = TopWeights::new(&solution).unwrap();
        let mut relations = BTreeMap::new();
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for loc in body.locs() {
                let point = Point { func, loc };
                let found = problem.relations_at(&solution, &tops, point).unwrap();
                relations_found += found.all().len();
                relations.insert(point, found);
            }
        }
        let mut checker =
            Checker { program: &program, bits, relations, checked: 0, wrong: Vec::new() };
        for run in 0..5 {
            let mut source = SeedSource::new(seed * 31 + run);
            let budget = Budget::unlimited().with_steps(20_000);
            let options = RunOptions::default();
            interpret_observed(
                &program,
                &options,
                &mut source,
                &mut Discarded,
                &budget,
                &mut checker,
            );
            assert!(checker.wrong.is_empty(), "seed {seed}: {:?}\n{text}", checker.wrong[0]);
        }
        checked += checker.checked;
    }
    println!("{runs} runs, {relations_found} relations, {checked} checks");
    assert!(checked > runs * 20, "too little was checked: {checked}");
}
