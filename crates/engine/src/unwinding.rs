//! Unwinding: symbolic executions, block by block, from a place of the program.
//!
//! A layer holds the executions of each cut point that have passed the same number of blocks. A
//! program is searched from its start in this way ([`Unwinding::advance`]), and k-induction
//! unwinds from cut points of which nothing is known. What the solver refutes is dropped; where
//! no condition was added that could be false, it is not asked, and where asking is dear, not at
//! every layer ([`Pace`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_logic::encode::Move;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::{ControlId, Target};
use crate::explore::{ExploreError, Explorer, is_call};
use crate::property::Site;
use crate::symbolic::{Arrival, Executor, Symbolic};
use crate::unsupported::Unsupported;

/// The work of a step, in solver resources.
const STEP_WORK: u64 = 10;
/// The limit of one query.
const QUERY: u32 = 20_000_000;
/// The limit of a query that only saves work.
const FEASIBILITY_QUERY: u32 = 1_000_000;

/// What is reached in a layer.
#[derive(Default)]
pub struct Reached {
    /// Errors.
    pub errors: Vec<(Site, Symbolic)>,
    /// What is unsupported.
    pub stuck: Vec<(Rc<Unsupported>, Symbolic)>,
}

/// What an error query says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// None can be reached.
    Nothing,
    /// This one can, by this path.
    Error(Site, Vec<Move>),
    /// The solver does not know.
    Unknown,
}

/// When to ask a question that only becomes larger: as soon as as much else was done as it cost
/// to ask it the last time. So questions never cost more than about half of all work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    cost: u64,
    asked_at: u64,
}

impl Pace {
    /// Whether it is time.
    pub fn is_due(self, budget: &Budget) -> bool {
        budget.work() >= self.asked_at.saturating_add(self.cost)
    }

    /// It was asked, beginning at some work.
    pub fn asked(&mut self, beginning: u64, budget: &Budget) {
        self.asked_at = budget.work();
        self.cost = self.asked_at.saturating_sub(beginning);
    }
}

/// The program and the solver that unwindings share.
pub struct Unwinder<'p> {
    /// Where the program can be, and its encoding.
    pub explorer: Explorer<'p>,
    /// The arena.
    pub terms: Terms,
    /// Makes executions.
    pub executor: Executor,
    /// The solver.
    pub solver: Box<dyn Solver>,
    orders: FxHashMap<ControlId, Rc<[ControlId]>>,
    /// When to ask whether the executions of a layer are possible.
    pace: Pace,
    /// Conditions that are known to have a model.
    possible: FxHashSet<Term>,
}

/// An unwinding: the executions of the present layer.
pub struct Unwinding {
    /// By cut point.
    pub layer: BTreeMap<ControlId, Symbolic>,
    /// How many blocks they have passed.
    pub depth: usize,
}

impl Unwinding {
    /// From a place on.
    pub fn new(place: ControlId, state: Symbolic) -> Self {
        Self { layer: [(place, state)].into(), depth: 0 }
    }

    /// Whether nothing is left to look at.
    pub fn is_finished(&self) -> bool {
        self.layer.is_empty()
    }
}

impl<'p> Unwinder<'p> {
    /// Nothing was unwound yet.
    pub fn new(explorer: Explorer<'p>, solver: Box<dyn Solver>) -> Self {
        let terms = Terms::new();
        let executor = Executor::new(&terms);
        let possible = FxHashSet::from_iter([terms.tt()]);
        Self {
            explorer,
            terms,
            executor,
            solver,
            orders: FxHashMap::default(),
            pace: Pace::default(),
            possible,
        }
    }

    /// The start of the program; why it cannot be followed otherwise.
    pub fn start(&mut self) -> Result<Symbolic, String> {
        let state = self.executor.anything();
        let Self { explorer, terms, executor, .. } = self;
        let arrivals = executor.steps(terms, &mut explorer.encoder, state, &[(Move::Start, true)]);
        match arrivals.into_iter().next() {
            Some((_, Ok(arrival))) => {
                Ok(executor.meet(terms, &mut explorer.encoder, vec![arrival]))
            }
            Some((_, Err(reason))) => Err(reason.to_string()),
            None => Err("the program does not start".into()),
        }
    }

    /// Goes one layer further; gives the errors and what is unsupported on the way.
    pub fn advance(&mut self, unwinding: &mut Unwinding) -> Result<Reached, ExploreError> {
        unwinding.depth += 1;
        let mut reached = Reached::default();
        let mut arrived: BTreeMap<ControlId, Vec<Symbolic>> = BTreeMap::new();
        for (place, state) in std::mem::take(&mut unwinding.layer) {
            self.block(place, state, &mut arrived, &mut reached)?;
        }
        let is_due = self.pace.is_due(&self.explorer.budget);
        let beginning = self.explorer.budget.work();
        for (place, states) in arrived {
            let encoder = &mut self.explorer.encoder;
            let state = self.executor.meet_states(&mut self.terms, encoder, states);
            if !is_due || self.is_possible(&state) {
                unwinding.layer.insert(place, state);
            }
        }
        if is_due {
            self.pace.asked(beginning, &self.explorer.budget);
        }
        Ok(reached)
    }

    /// Whether there are such executions, as far as that is easy to say.
    pub fn is_possible(&mut self, state: &Symbolic) -> bool {
        let whole = self.executor.whole(state.guard());
        if self.possible.contains(&whole) {
            return true;
        }
        let answer = self.ask(whole, FEASIBILITY_QUERY);
        if answer.is_sat() {
            self.possible.insert(whole);
        }
        !answer.is_unsat()
    }

    /// Asks whether a condition has a model.
    pub fn ask(&mut self, condition: Term, resources: u32) -> Answer {
        if condition == self.terms.ff() {
            return Answer::Unsat;
        }
        let limits = Limits::default().with_resources(resources);
        self.solver.check(&self.terms, &[condition], Purpose::FEASIBILITY, limits)
    }

    /// Which of several errors can be reached, and how.
    pub fn find(&mut self, errors: &[(Site, Symbolic)]) -> Found {
        let wholes: Vec<Term> =
            errors.iter().map(|(_, state)| self.executor.whole(state.guard())).collect();
        let any = self.terms.or(&wholes);
        match self.ask(any, QUERY) {
            Answer::Unsat => Found::Nothing,
            Answer::Unknown(_) => Found::Unknown,
            Answer::Sat => {
                let mut asked = wholes.clone();
                for (_, state) in errors {
                    asked.extend(self.executor.conditions_before(state.origin()));
                }
                asked.sort_unstable();
                asked.dedup();
                let model = self.solver.model(&self.terms, &asked);
                let path = errors.iter().zip(&wholes).find_map(|((site, state), whole)| {
                    let holds = *whole == self.terms.tt()
                        || model.get(*whole).and_then(gnomon_logic::Value::as_bool)?;
                    let path = holds.then(|| self.executor.path(state.origin(), &model))??;
                    Some(Found::Error(*site, path))
                });
                path.unwrap_or(Found::Unknown)
            }
        }
    }

    /// Takes executions from a place through its block.
    fn block(
        &mut self,
        from: ControlId,
        state: Symbolic,
        arrived: &mut BTreeMap<ControlId, Vec<Symbolic>>,
        reached: &mut Reached,
    ) -> Result<(), ExploreError> {
        let order = match self.orders.get(&from) {
            Some(known) => known.clone(),
            None => {
                let order: Rc<[ControlId]> = self.explorer.places(from)?.into();
                self.orders.insert(from, order.clone());
                order
            }
        };
        let Self { explorer, terms, executor, .. } = self;
        let program = explorer.space.program();
        let mut here: FxHashMap<ControlId, Vec<Arrival>> = FxHashMap::default();
        let mut cuts: BTreeMap<ControlId, Vec<Arrival>> = BTreeMap::new();
        let mut errors: BTreeMap<Site, Vec<Arrival>> = BTreeMap::new();
        let mut first = Some(state);
        let mut is_refused = false;
        for &place in order.iter() {
            let state = match first.take() {
                Some(state) => state,
                None => match here.remove(&place) {
                    Some(arrivals) => executor.meet(terms, &mut explorer.encoder, arrivals),
                    None => continue,
                },
            };
            explorer.budget.check_now()?;
            let steps = explorer.steps_from(place);
            explorer.budget.charge(STEP_WORK * steps.len() as u64);
            let moves: Vec<(Move, bool)> = steps
                .iter()
                .map(|(step, target)| {
                    // A call is an error already when it is made.
                    let made = match target {
                        Target::Control(_) => true,
                        Target::Error(_) => !is_call(program, *step),
                        Target::Stuck(_) => false,
                    };
                    (*step, made)
                })
                .collect();
            let unmoved = state.clone();
            for (number, arrival) in executor.steps(terms, &mut explorer.encoder, state, &moves) {
                let (step, target) = &steps[number];
                let arrival = match arrival {
                    Ok(arrival) => arrival,
                    Err(reason) => {
                        let reason = explorer.refuse(*step, &reason);
                        is_refused = true;
                        reached.stuck.push((reason, unmoved.clone()));
                        continue;
                    }
                };
                match target {
                    Target::Control(to) if !explorer.is_cut(*to) => {
                        here.entry(*to).or_default().push(arrival);
                    }
                    Target::Control(to) => cuts.entry(*to).or_default().push(arrival),
                    Target::Error(site) => errors.entry(*site).or_default().push(arrival),
                    Target::Stuck(reason) => {
                        let encoder = &mut explorer.encoder;
                        let state = executor.meet(terms, encoder, vec![arrival]);
                        reached.stuck.push((reason.clone(), state));
                    }
                }
            }
        }
        for (to, arrivals) in cuts {
            let state = executor.meet(terms, &mut explorer.encoder, arrivals);
            arrived.entry(to).or_default().push(state);
        }
        for (site, arrivals) in errors {
            let state = executor.meet(terms, &mut explorer.encoder, arrivals);
            reached.errors.push((site, state));
        }
        if is_refused {
            self.orders.clear();
        }
        Ok(())
    }
}
