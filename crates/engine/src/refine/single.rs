//! One single path of the many that an infeasible path of blocks stands for.
//!
//! A block is a disjunction over the paths through it, and no interpolants may be found for blocks
//! in a row although all of them are infeasible, or only slowly. AFP interpolates single paths. So
//! from the end of the path to its begin, a model is asked of each block that leads from its abstract
//! state to the valuation of predicates that was chosen behind it, and the block is replaced by the
//! conjunction of literals that make it true in that model (an implicant). What is left is one path
//! that the abstraction allows, cut by cut, and the program does not: predicates that exclude it are
//! new, and mostly exclude its siblings too.

use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Term};
use gnomon_predabs::implicant::{decided_by, implicant};

use super::tracking::Tracking;
use super::view::InfeasiblePath;
use crate::horn::Tools;

/// The limit of a query about one block.
const BLOCK_QUERY: u32 = 1_000_000;

/// The formulas, each restricted to one way to satisfy it between the states before and behind it.
/// `None` if that says no more than the formulas do, or was not found.
pub fn single_path<I: InfeasiblePath>(
    path: &mut I,
    formulas: &[Term],
    tracking: &Tracking,
    tools: &mut Tools<'_>,
) -> Result<Option<Vec<Term>>, I::Error> {
    let mut restricted = Vec::with_capacity(formulas.len());
    // The predicates behind the block, as the next block wants them.
    let mut behind: Vec<Term> = Vec::new();
    for (position, &formula) in formulas.iter().enumerate().rev() {
        let before = path.state(tracking, tools.terms, position)?;
        let mut asked = vec![formula];
        asked.extend(before);
        let alone = asked.clone();
        asked.extend_from_slice(&behind);
        if !is_possible(&asked, tools) {
            // The successor was not exact: any valuation of the state behind it will do.
            let mut asked = alone;
            asked.extend(path.state(tracking, tools.terms, position + 1)?);
            if !is_possible(&asked, tools) {
                return Ok(None);
            }
        }
        let mut decided = decided_by(tools.terms, formula);
        let predicates = path.predicates(tracking, tools.terms, position)?;
        decided.extend_from_slice(&predicates);
        let model = tools.solver.model(tools.terms, &decided);
        let Some(literals) = implicant(tools.terms, &model, formula) else { return Ok(None) };
        restricted.push(tools.terms.and(&literals));
        behind.clear();
        for atom in predicates {
            match model.get(atom) {
                Some(Value::Bool(true)) => behind.push(atom),
                Some(Value::Bool(false)) => behind.push(tools.terms.not(atom)),
                _ => {}
            }
        }
    }
    restricted.reverse();
    Ok((restricted != formulas).then_some(restricted))
}

fn is_possible(asked: &[Term], tools: &mut Tools<'_>) -> bool {
    let limits = Limits::default().with_resources(BLOCK_QUERY);
    tools.budget.check_now().is_ok()
        && tools.solver.check(tools.terms, asked, Purpose::INTERPOLATION, limits) == Answer::Sat
}
