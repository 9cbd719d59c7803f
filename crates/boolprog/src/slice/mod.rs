//! Dropping what cannot matter to a question before any BDD is built.
//!
//! The question is whether one of some target points is reachable. Four steps, each on the model:
//!
//! 1. `relevant`: edges from which no target can be reached, or that cannot be reached, are cut
//!    (their guard becomes false);
//! 2. `copies`: variables that must be a constant or a copy of another are replaced where they
//!    are read;
//! 3. the cone of influence: variables that no remaining guard, directly or through assignments,
//!    arguments and results, depends on are dropped;
//! 4. `dead`: variables that will not be read again are set to false, so that equal states are
//!    equal.
//!
//! Points and edges keep their numbers, so an execution of the slice is an execution of the
//! program; the interpreter replays it there, which also guards this module.

mod copies;
mod dead;
mod relevant;
mod rewrite;

use std::collections::BTreeSet;

pub(crate) use rewrite::renumbered;

use crate::interpret::{PartialValues, TracePlan};
use crate::model::{Action, Model, PointId, VarId};

/// A model without what does not matter.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The smaller model, with the same points and edges.
    pub model: Model,
    /// For each of its variables, the variable of the whole model.
    original: Vec<VarId>,
    /// How many edges were cut.
    pub edges_cut: usize,
    /// How many variables were dropped.
    pub variables_dropped: usize,
}

/// Slices a model for the reachability of `targets`.
pub fn slice(model: &Model, targets: &[PointId]) -> Slice {
    let mut work = model.clone();
    let edges_cut = relevant::cut(&mut work, targets);
    copies::propagate(&mut work);
    // Known values can make further guards false.
    let edges_cut = edges_cut + relevant::cut(&mut work, targets);
    let kept = cone(&work);
    dead::forget(&mut work, &kept);
    let (sliced, original) = rewrite::restrict(&work, &kept);
    Slice {
        variables_dropped: model.variables.len() - original.len(),
        model: sliced,
        original,
        edges_cut,
    }
}

impl Slice {
    /// An execution of the slice as one of the whole model.
    pub fn lift(&self, plan: &TracePlan) -> TracePlan {
        let lift = |values: &PartialValues| -> PartialValues {
            values.iter().map(|&(v, value)| (self.original[v.index()], value)).collect()
        };
        TracePlan {
            start: lift(&plan.start),
            steps: plan.steps.iter().map(|(edge, values)| (*edge, lift(values))).collect(),
        }
    }
}

/// The variables that some guard or constraint depends on.
fn cone(model: &Model) -> BTreeSet<VarId> {
    let mut kept = BTreeSet::new();
    let mut results: BTreeSet<(u32, usize)> = BTreeSet::new();
    for edge in &model.edges {
        if let Action::Step(step) = &edge.action {
            let (pre, post) = model.exprs.variables(&[step.guard, step.constraint]);
            kept.extend(pre.into_iter().chain(post));
        }
    }
    loop {
        let before = (kept.len(), results.len());
        for edge in &model.edges {
            match &edge.action {
                Action::Step(step) if step.guard != crate::model::FALSE => {
                    for &(variable, value) in &step.assignments {
                        if kept.contains(&variable) {
                            kept.extend(model.exprs.variables(&[value]).0);
                        }
                    }
                }
                Action::Step(_) | Action::Thread(_) => {}
                Action::Call { callee, arguments, results: targets } => {
                    let parameters = &model.procedure(*callee).parameters;
                    for (parameter, &argument) in parameters.iter().zip(arguments) {
                        if kept.contains(parameter) {
                            kept.extend(model.exprs.variables(&[argument]).0);
                        }
                    }
                    for (i, target) in targets.iter().enumerate() {
                        if target.is_some_and(|t| kept.contains(&t)) {
                            results.insert((callee.0, i));
                        }
                    }
                }
                Action::Return { values } => {
                    let procedure = model.point(edge.from).procedure.0;
                    for (i, &value) in values.iter().enumerate() {
                        if results.contains(&(procedure, i)) {
                            kept.extend(model.exprs.variables(&[value]).0);
                        }
                    }
                }
            }
        }
        if before == (kept.len(), results.len()) {
            return kept;
        }
    }
}
