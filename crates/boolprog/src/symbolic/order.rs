//! The static order of the variables of the BDDs.
//!
//! A position of the state holds a global, a local (the locals of different procedures share
//! positions, *slots*, since they are never alive in one relation together), or a result on its
//! way from a callee to its caller. The copies before, between and after a step of one position
//! are neighbours; what is left to choose is the order of the positions. Variables that occur
//! together in an expression should be near each other.
//!
//! [`VariableOrder::Force`] is the heuristic of Aloul, Markov and Sakallah: each edge of the
//! program is a hyperedge over the positions it relates; positions move to the mean of the
//! centres of their hyperedges until the total span no longer shrinks. BENCH.md compares the
//! choices; the default is the one it justifies.

use crate::model::{Action, ExprId, Model, VarId};

/// What a position of the state holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// A global variable.
    Global(VarId),
    /// The local with this place in the list of its procedure.
    Slot(u32),
    /// A result of a returning procedure.
    Register(u32),
}

/// Which order to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariableOrder {
    /// Globals, locals, results as they are declared.
    Declaration,
    /// By first use along the text of the program.
    FirstUse,
    /// By the centres of gravity of the edges.
    #[default]
    Force,
}

/// The entity of a variable.
pub fn entity(model: &Model, variable: VarId) -> Entity {
    if variable.0 < model.globals {
        Entity::Global(variable)
    } else {
        Entity::Slot(crate::interpret::local_place(model, variable) as u32)
    }
}

/// All entities of a model, in the chosen order.
pub fn order(model: &Model, choice: VariableOrder) -> Vec<Entity> {
    let slots = model.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0) as u32;
    let registers = model.procedures.iter().map(|p| p.results).max().unwrap_or(0);
    let declared: Vec<Entity> = model
        .global_ids()
        .map(Entity::Global)
        .chain((0..slots).map(Entity::Slot))
        .chain((0..registers).map(Entity::Register))
        .collect();
    match choice {
        VariableOrder::Declaration => declared,
        VariableOrder::FirstUse => first_use(model, declared),
        VariableOrder::Force => force(declared.clone(), &hyperedges(model, &declared)),
    }
}

/// The entities that an edge relates, as lists.
fn groups(model: &Model) -> Vec<Vec<Entity>> {
    let mut groups = Vec::new();
    let reads = |e: ExprId| {
        let (pre, post) = model.exprs.variables(&[e]);
        pre.into_iter().chain(post).map(|v| entity(model, v)).collect::<Vec<_>>()
    };
    for edge in &model.edges {
        match &edge.action {
            Action::Step(step) => {
                groups.push(reads(step.guard));
                groups.push(reads(step.constraint));
                for &(variable, value) in &step.assignments {
                    let mut group = reads(value);
                    group.push(entity(model, variable));
                    groups.push(group);
                }
            }
            Action::Call { callee, arguments, results } => {
                let parameters = &model.procedure(*callee).parameters;
                for (&parameter, &argument) in parameters.iter().zip(arguments) {
                    let mut group = reads(argument);
                    group.push(entity(model, parameter));
                    groups.push(group);
                }
                for (i, target) in results.iter().enumerate() {
                    let target = target.map(|v| entity(model, v));
                    groups.push([Entity::Register(i as u32)].into_iter().chain(target).collect());
                }
            }
            Action::Return { values } => {
                for (i, &value) in values.iter().enumerate() {
                    let mut group = reads(value);
                    group.push(Entity::Register(i as u32));
                    groups.push(group);
                }
            }
            Action::Thread(_) => {}
        }
    }
    groups
}

fn first_use(model: &Model, declared: Vec<Entity>) -> Vec<Entity> {
    let mut seen = std::collections::BTreeSet::new();
    let mut result: Vec<Entity> =
        groups(model).into_iter().flatten().filter(|e| seen.insert(*e)).collect();
    result.extend(declared.into_iter().filter(|e| !seen.contains(e)));
    result
}

fn hyperedges(model: &Model, declared: &[Entity]) -> Vec<Vec<usize>> {
    let place = |e: &Entity| declared.iter().position(|d| d == e);
    let mut edges: Vec<Vec<usize>> = groups(model)
        .into_iter()
        .map(|group| {
            let mut places: Vec<_> = group.iter().filter_map(place).collect();
            places.sort_unstable();
            places.dedup();
            places
        })
        .filter(|places| places.len() > 1)
        .collect();
    edges.sort();
    edges.dedup();
    edges
}

fn force(declared: Vec<Entity>, edges: &[Vec<usize>]) -> Vec<Entity> {
    let count = declared.len();
    let span = |position: &[usize]| -> usize {
        edges
            .iter()
            .map(|e| {
                let places = e.iter().map(|&v| position[v]);
                places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
            })
            .sum()
    };
    let mut position: Vec<usize> = (0..count).collect();
    let mut best = (span(&position), position.clone());
    // The span shrinks fast at first; more rounds than this gain nothing.
    for _ in 0..20 + count.ilog2_or_zero() * 5 {
        let mut sums = vec![(0.0_f64, 0_u32); count];
        for e in edges {
            let centre = e.iter().map(|&v| position[v] as f64).sum::<f64>() / e.len() as f64;
            for &v in e {
                sums[v].0 += centre;
                sums[v].1 += 1;
            }
        }
        let key = |v: usize| match sums[v] {
            (_, 0) => position[v] as f64,
            (sum, n) => sum / f64::from(n),
        };
        let mut by_centre: Vec<usize> = (0..count).collect();
        by_centre.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(position[a].cmp(&position[b])));
        let mut next = vec![0; count];
        for (place, &v) in by_centre.iter().enumerate() {
            next[v] = place;
        }
        let total = span(&next);
        if total < best.0 {
            best = (total, next.clone());
        }
        if next == position {
            break;
        }
        position = next;
    }
    let mut result: Vec<(usize, Entity)> = best.1.into_iter().zip(declared).collect();
    result.sort_unstable();
    result.into_iter().map(|(_, e)| e).collect()
}

trait LogOrZero {
    fn ilog2_or_zero(self) -> u32;
}

impl LogOrZero for usize {
    fn ilog2_or_zero(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_brings_related_variables_together() {
        let entities: Vec<_> = (0..6).map(|i| Entity::Global(VarId(i))).collect();
        // A chain 0-4-1-5, whose links span 11 places in the order of declaration.
        let links = [(0, 4), (4, 1), (1, 5)];
        let edges: Vec<_> = links.iter().map(|&(a, b)| vec![a, b]).collect();
        let ordered = force(entities, &edges);
        let place =
            |i: usize| ordered.iter().position(|e| *e == Entity::Global(VarId(i as u32))).unwrap();
        let total: usize = links.iter().map(|&(a, b)| place(a).abs_diff(place(b))).sum();
        assert!(total <= 5, "{ordered:?}");
    }
}
