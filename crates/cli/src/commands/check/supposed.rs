//! `gnomon check --with affine`: affine relations at the places where blocks end, as suppositions for
//! the engines. They are taken modulo 2^32; whether they hold in the theory of the check as well is
//! for the engine to find out, so nothing here needs to be trusted.

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::Relation;
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::points::Point;
use gnomon_engine::control::loop_heads;
use gnomon_engine::explore::Cut;
use gnomon_engine::supposed::Equation;
use gnomon_ir::cfa::{Cfa, LocId};
use gnomon_ir::program::Program;
use gnomon_ir::types::Type;
use gnomon_wpds::domains::affine::Modular;
use gnomon_wpds::{TopWeights, WpdsError};

use crate::commands::affine::prepared;
use crate::exit::{Failure, Status};
use crate::output;

/// The bits of the arithmetic.
const BITS: u32 = 32;
/// Coefficients beyond say something about the last bits only.
const GREATEST: i64 = 1 << 16;
/// The part of the time that the analysis may take.
const PART_OF_TIME: u32 = 5;

/// Affine relations of a program that starts in `entry`; as many as the budget allows.
pub fn by_affine_relations(
    program: &Program,
    entry: &str,
    cut: Cut,
    budget: &Budget,
) -> Result<Vec<Equation>, Failure> {
    let budget = match budget.time_left() {
        Some(time) => budget.with_cpu_time(time / PART_OF_TIME),
        None => budget.clone(),
    };
    let (entry, points_to) = match prepared(program, entry, &budget) {
        Ok(prepared) => prepared,
        Err(failure) if failure.status() == Status::Unknown => {
            output::message(&format!("affine relations: {failure}"));
            return Ok(Vec::new());
        }
        Err(failure) => return Err(failure),
    };
    budget.report("analyse", format_args!("affine relations"));
    let ring = Modular::new(BITS).map_err(Failure::error)?;
    let options =
        AffineOptions { arithmetic: Arithmetic::Modular(BITS), limits: VariableLimits::default() };
    let problem =
        AffineProblem::new(program, &points_to, entry, ring, options).map_err(Failure::error)?;
    let mut equations = Vec::new();
    let outcome = collect(program, &problem, cut, &budget, &mut equations);
    match outcome {
        Ok(()) => {}
        Err(WpdsError::Exhausted(limit)) => {
            output::message(&format!("affine relations are missing at some places: {limit}"));
        }
        Err(error) => return Err(Failure::error(error)),
    }
    Ok(equations)
}

fn collect(
    program: &Program,
    problem: &AffineProblem<'_, Modular>,
    cut: Cut,
    budget: &Budget,
    equations: &mut Vec<Equation>,
) -> Result<(), WpdsError> {
    let solution = problem.solve(budget)?;
    let tops = TopWeights::new(&solution)?;
    for &func in problem.graph().functions() {
        let Some(body) = &program.funcs[func].body else { continue };
        for loc in ends_of_blocks(body, cut) {
            budget.check()?;
            let point = Point { func, loc };
            let relations = problem.relations_at(&solution, &tops, point)?;
            let usable = relations.all().iter().flat_map(|r| equations_of(program, r, point));
            equations.extend(usable);
        }
    }
    Ok(())
}

/// Where predicates are looked at in a function: loop heads, its entry and its exit.
fn ends_of_blocks(body: &Cfa, cut: Cut) -> Vec<LocId> {
    if cut == Cut::Edges {
        return body.locs().collect();
    }
    let mut all: Vec<LocId> = loop_heads(body).into_iter().collect();
    all.extend([body.entry(), body.exit()]);
    all.sort_unstable();
    all.dedup();
    all
}

/// The relation with the numbers next to zero, in integers; and modulo 2^32 as well if it is about
/// unsigned numbers, which may wrap around. Nothing if the numbers are large.
fn equations_of(program: &Program, relation: &Relation<u64>, point: Point) -> Vec<Equation> {
    let signed = |number: u64| i64::from(number as u32 as i32);
    let terms: Vec<_> = relation.terms.iter().map(|&(var, n)| (var, signed(n))).collect();
    if terms.is_empty() || terms.iter().any(|(_, n)| n.abs() > GREATEST) {
        return Vec::new();
    }
    let wraps = terms.iter().any(|(var, _)| {
        matches!(program.types.get(program.vars[*var].ty), Type::Int { signed: false, .. })
    });
    let constant = signed(relation.constant);
    let Point { func, loc } = point;
    let plain = Equation { func, loc, terms, constant, modulo_bits: None };
    let modular = wraps.then(|| Equation { modulo_bits: Some(BITS), ..plain.clone() });
    std::iter::once(plain).chain(modular).collect()
}
