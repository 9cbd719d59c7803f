//! The formulas of steps, and how predicates are read before and after them.
//!
//! A chain and the entering of a function relate two points. A finished call relates three: before
//! the call, the end of the callee, and behind the call. What the callee did in between is not in the
//! formula: all that it may assign has any value there. Which variables these are comes from the
//! encoding itself: a variable whose index no step of the callee moves keeps its value. So what a
//! caller knows about it needs no other analysis to survive the call.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::{Auxiliary, Encoder, NotEncoded, PathEncoder, PathStep, Ssa};
use gnomon_logic::{Term, Terms, Variable};

use super::ghosts::Reading;
use super::graph::{Action, Graph, Refused, StepId};
use crate::wrapping::Counters;

/// A formula between two or three points.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// What happens.
    pub formula: Term,
    /// What counts in it how often numbers wrap around.
    pub counters: Counters,
    /// How predicates are read before it.
    pub before: Reading,
    /// At the end of the callee, if this is a finished call.
    pub callee_end: Option<Reading>,
    /// Behind it.
    pub after: Reading,
}

/// What a step means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A start or a chain.
    Plain(Transfer),
    /// A call: into the callee, and from its end to behind the call.
    Call {
        /// Into the callee.
        enter: Transfer,
        /// The finished call.
        finished: Transfer,
    },
}

/// The meanings of all steps of a graph.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    meanings: Vec<Meaning>,
}

/// The variables that a step of a function may assign.
#[derive(Clone, Debug, Default)]
struct Assigned {
    /// By its own steps, the callees' own ones aside.
    directly: BTreeSet<Variable>,
    /// The functions that it calls.
    callees: BTreeSet<FuncId>,
}

impl Transfers {
    /// Encodes the steps of a graph. Edges that cannot be encoded are added to `refused`; then there
    /// are no transfers.
    pub fn new(
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        graph: &Graph,
        refused: &mut Refused,
    ) -> Result<Option<Self>, NotEncoded> {
        let mut plain: BTreeMap<StepId, Transfer> = BTreeMap::new();
        let mut assigned: BTreeMap<FuncId, Assigned> = BTreeMap::new();
        let mut own: BTreeMap<FuncId, BTreeSet<Variable>> = BTreeMap::new();
        let known = refused.len();
        for (id, step) in graph.steps() {
            match &step.action {
                Action::Start => {
                    plain.insert(id, start(encoder, terms)?);
                }
                Action::Chain { func, edges } => {
                    match chain(encoder, terms, *func, edges) {
                        Ok(transfer) => {
                            let changed = changed(&transfer.after.present);
                            assigned.entry(*func).or_default().directly.extend(changed);
                            plain.insert(id, transfer);
                        }
                        Err(NotEncoded::Exhausted(limit)) => return Err(limit.into()),
                        Err(_) => refuse_first(encoder, terms, *func, edges, refused)?,
                    };
                }
                Action::Call { caller, edge, callee } => {
                    let call = (*caller, *edge, *callee);
                    match finished_call(encoder, terms, call, &BTreeSet::new()) {
                        Ok((transfer, variables)) => {
                            let entry = assigned.entry(*caller).or_default();
                            entry.directly.extend(changed(&transfer.after.present));
                            entry.callees.insert(*callee);
                            own.insert(*callee, variables);
                        }
                        Err(NotEncoded::Exhausted(limit)) => return Err(limit.into()),
                        Err(reason) => {
                            refused.insert((*caller, *edge), reason.to_string());
                        }
                    }
                }
            }
        }
        if refused.len() > known {
            return Ok(None);
        }
        let assigned = close(&assigned, &own);
        let mut meanings = Vec::new();
        for (id, step) in graph.steps() {
            let meaning = match (&step.action, plain.remove(&id)) {
                (Action::Call { caller, edge, callee }, _) => {
                    let call = (*caller, *edge, *callee);
                    let none = BTreeSet::new();
                    let any = assigned.get(callee).unwrap_or(&none);
                    let enter = enter(encoder, terms, call)?;
                    let (finished, _) = finished_call(encoder, terms, call, any)?;
                    Meaning::Call { enter, finished }
                }
                (_, Some(transfer)) => Meaning::Plain(transfer),
                (_, None) => return Ok(None),
            };
            meanings.push(meaning);
        }
        Ok(Some(Self { meanings }))
    }

    /// What a step means.
    pub fn of(&self, step: StepId) -> &Meaning {
        &self.meanings[step.0 as usize]
    }
}

fn changed(ssa: &Ssa) -> impl Iterator<Item = Variable> {
    ssa.iter().filter(|(_, index)| *index != 0).map(|(variable, _)| variable)
}

/// What each function may assign, its own variables included, those of its callees not.
fn close(
    assigned: &BTreeMap<FuncId, Assigned>,
    own: &BTreeMap<FuncId, BTreeSet<Variable>>,
) -> BTreeMap<FuncId, BTreeSet<Variable>> {
    let mut all: BTreeMap<FuncId, BTreeSet<Variable>> =
        assigned.iter().map(|(&func, a)| (func, a.directly.clone())).collect();
    let none = BTreeSet::new();
    loop {
        let mut grown = false;
        for (func, Assigned { callees, .. }) in assigned {
            let mut more: BTreeSet<Variable> = BTreeSet::new();
            for callee in callees {
                let hidden = own.get(callee).unwrap_or(&none);
                more.extend(all.get(callee).unwrap_or(&none).difference(hidden));
            }
            let mine = all.entry(*func).or_default();
            let before = mine.len();
            mine.extend(more);
            grown |= mine.len() > before;
        }
        if !grown {
            return all;
        }
    }
}

/// What a formula from fresh indices on does, without a callee.
fn of_formula(
    terms: &mut Terms,
    formula: Term,
    auxiliaries: &[Auxiliary],
    after: Reading,
) -> Transfer {
    Transfer {
        formula,
        counters: Counters::of(terms, auxiliaries),
        before: Reading::inside(Ssa::new()),
        callee_end: None,
        after,
    }
}

fn start(encoder: &mut Encoder<'_>, terms: &mut Terms) -> Result<Transfer, NotEncoded> {
    let block = encoder.initial(terms, &Ssa::new())?;
    let entry = Rc::new(block.after.clone());
    let after = Reading::entered(block.after, entry);
    Ok(of_formula(terms, block.formula, &block.auxiliaries, after))
}

fn chain(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    func: FuncId,
    edges: &[EdgeId],
) -> Result<Transfer, NotEncoded> {
    let block = encoder.sequence(terms, &Ssa::new(), func, edges)?;
    let after = Reading::inside(block.after);
    Ok(of_formula(terms, block.formula, &block.auxiliaries, after))
}

/// Refuses the first edge of a chain that cannot be encoded.
fn refuse_first(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    func: FuncId,
    edges: &[EdgeId],
    refused: &mut Refused,
) -> Result<(), NotEncoded> {
    for end in 1..=edges.len() {
        match encoder.sequence(terms, &Ssa::new(), func, &edges[..end]) {
            Ok(_) => {}
            Err(NotEncoded::Exhausted(limit)) => return Err(limit.into()),
            Err(reason) => {
                refused.insert((func, edges[end - 1]), reason.to_string());
                return Ok(());
            }
        }
    }
    Ok(())
}

fn enter(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    (caller, edge, callee): (FuncId, EdgeId, FuncId),
) -> Result<Transfer, NotEncoded> {
    let mut path = PathEncoder::new(encoder, caller, Ssa::new());
    let block = path.step(terms, PathStep::EnterCallee(edge, callee))?;
    let entry = Rc::new(block.after.clone());
    let after = Reading::entered(block.after, entry);
    Ok(of_formula(terms, block.formula, &block.auxiliaries, after))
}

/// A call whose callee assigns any values to some variables; also gives the callee's own variables.
fn finished_call(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    (caller, edge, callee): (FuncId, EdgeId, FuncId),
    assigned: &BTreeSet<Variable>,
) -> Result<(Transfer, BTreeSet<Variable>), NotEncoded> {
    let mut path = PathEncoder::new(encoder, caller, Ssa::new());
    let into = path.step(terms, PathStep::EnterCallee(edge, callee))?;
    let own = path.frame().map(|f| f.own_variables().collect()).unwrap_or_default();
    path.havoc(assigned.iter().copied());
    let end = path.ssa().clone();
    let back = path.step(terms, PathStep::Leave)?;
    let formula = terms.and2(into.formula, back.formula);
    let auxiliaries = [into.auxiliaries, back.auxiliaries].concat();
    let mut transfer = of_formula(terms, formula, &auxiliaries, Reading::inside(back.after));
    transfer.callee_end = Some(Reading::entered(end, Rc::new(into.after)));
    Ok((transfer, own))
}
