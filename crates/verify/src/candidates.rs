//! Candidate invariants for the engines: affine relations at block boundaries. They are taken modulo 2^32;
//! whether they hold in the theory of the check as well is for the engine to find out, so nothing here
//! needs to be trusted.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::Relation;
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::points::Point;
use gnomon_engine::control::loop_heads;
use gnomon_engine::explore::Cut;
use gnomon_engine::facts::Facts;
use gnomon_engine::supposed::Equation;
use gnomon_ir::cfa::{Cfa, LocId};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::types::Type;
use gnomon_wpds::domains::affine::Modular;
use gnomon_wpds::{TopWeights, WpdsError};

use crate::clock::at_most;
use crate::error::VerifyError;
use crate::listen::{Listener, Note};

/// The bits of the arithmetic.
const BITS: u32 = 32;
/// Coefficients beyond say something about the last bits only.
const GREATEST: i64 = 1 << 16;
/// What the analysis may take of the engines' time.
const TIME: Duration = Duration::from_secs(30);

/// Affine relations of a program that starts in `entry`; as many as the budget allows.
pub(crate) fn by_affine_relations(
    facts: &Facts<'_>,
    entry: FuncId,
    cut: Cut,
    listener: &dyn Listener,
    budget: &Budget,
) -> Result<Vec<Equation>, VerifyError> {
    let budget = at_most(budget, TIME);
    budget.report("analyse", format_args!("affine relations"));
    let failed = |error: WpdsError| VerifyError::Analysis(error.to_string());
    let ring = Modular::new(BITS).map_err(|error| VerifyError::Analysis(error.to_string()))?;
    let options =
        AffineOptions { arithmetic: Arithmetic::Modular(BITS), limits: VariableLimits::default() };
    let program = facts.program();
    let problem =
        AffineProblem::new(program, facts.points_to(), entry, ring, options).map_err(failed)?;
    let mut equations = Vec::new();
    match collect(program, &problem, cut, &budget, &mut equations) {
        Ok(()) => {}
        Err(WpdsError::Exhausted(limit)) => {
            listener.note(&Note::Candidates(format!(" are missing at some places: {limit}")));
        }
        Err(error) => return Err(failed(error)),
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
