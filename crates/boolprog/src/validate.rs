//! Checks that need more than the text: constraints that nothing can meet.
//!
//! `constrain(F)`, or `x := 1 constrain !'x`, stops every execution that reaches it. Tools that
//! write Boolean programs never mean that, so it is an error in the input rather than a silent
//! end of all paths.

use gnomon_bdd::BddError;
use gnomon_budget::Budget;

use crate::diagnostic::Diagnostics;
use crate::model::{Action, Model, TRUE};
use crate::symbolic::encoding::Encoding;
use crate::symbolic::order::VariableOrder;

/// Reports constraints that cannot be met.
pub fn constraints(
    model: &Model,
    nodes: usize,
    budget: &Budget,
    messages: &mut Diagnostics,
) -> Result<(), BddError> {
    let constrained = |a: &Action| matches!(a, Action::Step(s) if s.constraint != TRUE);
    if !model.edges.iter().any(|e| constrained(&e.action)) {
        return Ok(());
    }
    let encoding = Encoding::without_edges(model, VariableOrder::Force, nodes, budget)?;
    for edge in &model.edges {
        let Action::Step(step) = &edge.action else { continue };
        if step.constraint != TRUE && !encoding.can_meet_constraint(step)? {
            messages.error_with_help(
                model.point(edge.from).span,
                "this `constrain` cannot be met by any values",
                "if executions should end here, write `assume(F)`",
            );
        }
    }
    Ok(())
}
