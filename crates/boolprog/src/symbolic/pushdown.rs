//! A model as an extended weighted pushdown system, and its reachability by saturation or FWPDS
//! (LAL 3.5.1 and chapter 4).
//!
//! One control location; one stack symbol for each point, and one for each call between the
//! return of its callee and the copying of the results. Weights are the relations of the
//! [encoding](super::encoding); the merge function is that of the paper with the call's weight in
//! front (parameters are bound there).

use std::sync::Arc;

use gnomon_bdd::Bdd;
use gnomon_budget::Budget;
use gnomon_wpds::domains::{BddRelations, LocalsMerge};
use gnomon_wpds::{
    Automaton, Control, Fwpds, FwpdsOptions, Kind, Label, SaturationOptions, Solution, State,
    Symbol, TopWeights, Wpds, WpdsError, poststar,
};

use super::encoding::{EdgeRelation, Encoding};
use crate::model::{Action, PointId};

/// A model as an extended weighted pushdown system.
#[derive(Debug)]
pub struct Pushdown<'e, 'm> {
    encoding: &'e Encoding<'m>,
    system: Wpds<BddRelations>,
    control: Control,
}

/// Which solver of the pushdown crate answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Chaotic iteration on the automaton.
    Saturation,
    /// Path expressions.
    Fwpds,
}

impl<'e, 'm> Pushdown<'e, 'm> {
    /// Encodes a model.
    pub fn new(encoding: &'e Encoding<'m>) -> Result<Self, WpdsError> {
        let model = encoding.model;
        let domain = BddRelations::over(encoding.vocabulary().clone());
        let mut system = Wpds::new(domain, Kind::Extended);
        let control = system.add_control("p");
        system.add_symbols(model.points.len() as u32);
        let slots = encoding.slots();
        for (id, edge) in model.edges() {
            let from = (control, symbol(edge.from));
            let to = (control, symbol(edge.to));
            match encoding.of(id) {
                EdgeRelation::Step(weight) => {
                    if !weight.is_false() {
                        system.add_step(from, to, weight.clone())?;
                    }
                }
                EdgeRelation::Call { enter, receive } => {
                    let Action::Call { callee, .. } = &edge.action else { continue };
                    let back = system.add_symbols(1)[0];
                    let merge = LocalsMerge::new(system.domain(), enter.clone(), &slots)?;
                    let entry = symbol(model.procedure(*callee).entry);
                    let push = (control, entry, back);
                    system.add_push(from, push, enter.clone(), Some(Arc::new(merge)))?;
                    system.add_step((control, back), to, receive.clone())?;
                }
                EdgeRelation::Return(weight) => {
                    system.add_pop(from, control, weight.clone())?;
                }
                EdgeRelation::Never => {}
            }
        }
        Ok(Self { encoding, system, control })
    }

    /// The system itself.
    pub fn system(&self) -> &Wpds<BddRelations> {
        &self.system
    }

    /// The start of the program: the entry of `main`, in one of its first states.
    pub fn start(&self) -> Result<Automaton<Bdd>, WpdsError> {
        let mut start = Automaton::new(1);
        let end = start.add_state();
        start.set_final(end);
        let weight = self
            .encoding
            .vocabulary()
            .identity_within(self.encoding.initial())
            .map_err(gnomon_wpds::WeightError::from)?;
        let entry = self.encoding.model.procedure(self.encoding.model.main).entry;
        start.add(State::from(self.control), Label::Symbol(symbol(entry)), end, weight)?;
        Ok(start)
    }

    /// For each of `points`, the states reachable there, over the copies before and the variables
    /// in scope.
    pub fn values(
        &self,
        solver: Solver,
        points: &[PointId],
        budget: &Budget,
    ) -> Result<Vec<Bdd>, WpdsError> {
        let start = self.start()?;
        match solver {
            Solver::Saturation => {
                let options = SaturationOptions {
                    differential: true,
                    budget: budget.clone(),
                    ..SaturationOptions::default()
                };
                self.read(&poststar(&self.system, &start, &options)?, points)
            }
            Solver::Fwpds => {
                let options = FwpdsOptions { budget: budget.clone(), ..FwpdsOptions::default() };
                self.read(&Fwpds::poststar(&self.system, &start, options)?, points)
            }
        }
    }

    fn read(
        &self,
        solution: &impl Solution<BddRelations>,
        points: &[PointId],
    ) -> Result<Vec<Bdd>, WpdsError> {
        let tops = TopWeights::new(solution)?;
        points
            .iter()
            .map(|&point| {
                let weight = tops.get(solution, self.control, symbol(point))?;
                let states = self.encoding.vocabulary().range(&weight);
                let procedure = self.encoding.model.point(point).procedure;
                let scoped = states.and_then(|s| self.encoding.in_scope(procedure, &s));
                Ok(scoped.map_err(gnomon_wpds::WeightError::from)?)
            })
            .collect()
    }
}

fn symbol(point: PointId) -> Symbol {
    Symbol(point.0)
}
