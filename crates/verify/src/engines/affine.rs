//! Affine relations between variables at block boundaries (LAL 3.5), proposed to the others.
//!
//! They are found modulo 2^32 and without branches, so whether they hold in the theory of an engine is
//! for that engine to find out. This one decides nothing by itself.

use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::Relation;
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::points::Point;
use gnomon_engine::check::Task;
use gnomon_engine::control::loop_heads;
use gnomon_engine::equations::Equation;
use gnomon_engine::explore::Cut;
use gnomon_engine::reason::NoProgress;
use gnomon_engine::verdict::{Reason, Statistics};
use gnomon_ir::cfa::{Cfa, LocId};
use gnomon_logic::encode::Theory;
use gnomon_wpds::domains::affine::Modular;
use gnomon_wpds::{TopWeights, WpdsError};

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::SECOND;

/// The bits of the arithmetic.
const BITS: u32 = 32;
/// Greater coefficients say something about the last bits only.
const GREATEST: i64 = 1 << 16;
/// What the analysis may take: programs that are too large for that are left to the others.
const WORK: u64 = SECOND;

struct Affine<'a> {
    task: &'a Task<'a>,
    relations: usize,
}

/// The analysis of affine relations.
pub fn affine_relations<'a>(task: &'a Task<'a>, _: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    Ok(Box::new(Affine { task, relations: 0 }))
}

impl Engine for Affine<'_> {
    fn step(&mut self, _: Slice, exchange: &Exchange) -> Progress {
        let mut equations = Vec::new();
        let outcome = collect(self.task, &mut equations);
        self.relations = equations.len();
        // What was found before a limit struck is worth proposing too.
        exchange.propose_equations(equations);
        let why = match outcome {
            Ok(()) => "affine relations were proposed".to_owned(),
            Err(error) => format!("affine relations: {error}"),
        };
        Progress::GivenUp(Reason::NoProgress(NoProgress::Done(why)))
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.numbers.insert("affine relations proposed", self.relations as f64);
        statistics
    }
}

fn collect(task: &Task<'_>, equations: &mut Vec<Equation>) -> Result<(), WpdsError> {
    let budget = task.budget.with_work(WORK);
    budget.report("analyse", format_args!("affine relations"));
    let ring = Modular::new(BITS)?;
    let options =
        AffineOptions { arithmetic: Arithmetic::Modular(BITS), limits: VariableLimits::default() };
    let problem =
        AffineProblem::new(task.program, task.facts.points_to(), task.entry, ring, options)?;
    let solution = problem.solve(&budget)?;
    let tops = TopWeights::new(&solution)?;
    for &func in problem.graph().functions() {
        let Some(body) = &task.program.funcs[func].body else { continue };
        for loc in block_boundaries(body, task.options.cut) {
            budget.check()?;
            let point = Point { func, loc };
            let relations = problem.relations_at(&solution, &tops, point)?;
            equations.extend(relations.all().iter().flat_map(|r| equations_of(r, point)));
        }
    }
    Ok(())
}

/// Where predicates are looked at in a function: loop heads, its entry and its exit.
fn block_boundaries(body: &Cfa, cut: Cut) -> Vec<LocId> {
    if cut == Cut::Edges {
        return body.locs().collect();
    }
    let mut all: Vec<LocId> = loop_heads(body).into_iter().collect();
    all.extend([body.entry(), body.exit()]);
    all.sort_unstable();
    all.dedup();
    all
}

/// The relation with the numbers next to zero, in integers, and modulo 2^32, where numbers wrap
/// around. Nothing if the numbers are large.
fn equations_of(relation: &Relation<u64>, point: Point) -> Vec<Equation> {
    let signed = |number: u64| i64::from(number as u32 as i32);
    let terms: Vec<_> = relation.terms.iter().map(|&(var, n)| (var, signed(n))).collect();
    if terms.is_empty() || terms.iter().any(|(_, n)| n.abs() > GREATEST) {
        return Vec::new();
    }
    let constant = signed(relation.constant);
    let Point { func, loc } = point;
    let plain = Equation { func, loc, terms, constant, modulo_bits: None };
    // A single variable that is constant wraps nowhere.
    let wraps = plain.terms.len() > 1;
    let modular = wraps.then(|| Equation { modulo_bits: Some(BITS), ..plain.clone() });
    std::iter::once(plain).chain(modular).collect()
}
