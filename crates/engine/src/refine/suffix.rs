//! Where an infeasible path begins to be infeasible, seen from its end.
//!
//! PS 4.2 stops slicing as soon as what was kept cannot be executed. Going backwards, a slice is the
//! same whether or not it is stopped; so the slice is made first, which needs no solver, and then
//! cut off before its shortest infeasible end ([`stop_early`]). That works for graphs of steps as
//! well as for paths. The end of a path is not always the best reason why it is infeasible: on AFP
//! Figure 1 it takes up to six predicates at a location instead of three. So only long slices are
//! stopped early at once, others when all of the slice brings nothing. LA's pivot ([`pivot_of_state`]) is the latest node whose region, together with
//! the rest of the path, is unsatisfiable.

use gnomon_logic::interpolate::Step as CutStep;
use gnomon_logic::{Answer, Limits, Purpose, Term, Terms};

use crate::horn::Tools;

/// The limit of a query about a whole slice.
const SLICE_QUERY: u32 = 5_000_000;
/// The limit of a query about a part of a path: what takes longer is no help.
const PART_QUERY: u32 = 500_000;

/// Whether formulas are infeasible together.
pub fn is_infeasible(formulas: &[Term], tools: &mut Tools<'_>) -> bool {
    let limits = Limits::default().with_resources(SLICE_QUERY);
    let answer = tools.solver.check(tools.terms, formulas, Purpose::FEASIBILITY, limits);
    answer == Answer::Unsat
}

/// Makes all formulas before the shortest infeasible end of a path true, and says where that begins.
/// `None` if no end, and not all of it, is known to be infeasible.
pub fn stop_early(steps: &mut [CutStep], tools: &mut Tools<'_>) -> Option<usize> {
    let Tools { terms, solver, budget } = tools;
    let begin = {
        solver.push();
        let begin = shortest_end(steps, terms, |terms, formula, question| {
            solver.assert(terms, formula);
            let resources = match question {
                Question::None => return false,
                Question::Part => PART_QUERY,
                Question::Whole => SLICE_QUERY,
            };
            if budget.check_now().is_err() {
                return false;
            }
            let limits = Limits::default().with_resources(resources);
            solver.check(terms, &[], Purpose::FEASIBILITY, limits) == Answer::Unsat
        });
        solver.pop();
        begin?
    };
    for step in &mut steps[..begin] {
        step.formula = terms.tt();
    }
    Some(begin)
}

/// What is asked when one more formula was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    None,
    Part,
    Whole,
}

/// Where the shortest end that is infeasible begins. Ends are asked about each time they have grown
/// by a quarter, and the whole path is.
fn shortest_end(
    steps: &[CutStep],
    terms: &mut Terms,
    mut is_infeasible_with: impl FnMut(&mut Terms, Term, Question) -> bool,
) -> Option<usize> {
    let constrains = |step: &&CutStep| step.formula != terms.tt();
    let last = steps.iter().filter(constrains).count();
    let (mut added, mut ask_at) = (0, 1);
    for (begin, step) in steps.iter().enumerate().rev() {
        if step.formula == terms.tt() {
            continue;
        }
        added += 1;
        let question = match added {
            n if n == last => Question::Whole,
            n if n == ask_at => {
                ask_at = added + 1 + added / 4;
                Question::Part
            }
            _ => Question::None,
        };
        if is_infeasible_with(terms, step.formula, question) {
            return Some(begin);
        }
    }
    None
}

/// The latest position, but the first, whose abstract state makes the rest of the path infeasible,
/// with the formula of that state. There is one formula from each position to the next; `state`
/// gives those of states that say something.
pub fn pivot_of_state<E>(
    formulas: &[Term],
    tools: &mut Tools<'_>,
    mut state: impl FnMut(&mut Terms, usize) -> Result<Option<Term>, E>,
) -> Result<Option<(usize, Term)>, E> {
    let Tools { terms, solver, budget } = tools;
    solver.push();
    let mut search = || {
        for (position, &formula) in formulas.iter().enumerate().skip(1).rev() {
            solver.assert(terms, formula);
            if budget.check_now().is_err() {
                return Ok(None);
            }
            let Some(here) = state(terms, position)? else { continue };
            let limits = Limits::default().with_resources(PART_QUERY);
            let answer = solver.check(terms, &[here], Purpose::FEASIBILITY, limits);
            if answer == Answer::Unsat {
                return Ok(Some((position, here)));
            }
        }
        Ok(None)
    };
    let found = search();
    solver.pop();
    found
}
