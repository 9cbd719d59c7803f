//! The abstract interpreter: proofs without a solver, and bounds for the others.
//!
//! If no error is reached in the abstract, what holds at the loops is written down as invariants; of
//! these only what the branches depend on that no run takes ([`cone`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gnomon_budget::Exhausted;
use gnomon_engine::check::Task;
use gnomon_engine::proof::{Invariant, Invariants};
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Theory;
use gnomon_numeric::analysis::{Errors, MAX_STATES, Noted, Outcome, analyse};
use gnomon_numeric::facts::{Fact, cone};
use gnomon_numeric::model::{Cell, Model};

use crate::bounds::Writer;
use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::SECOND;

/// What the analysis may take: programs that are too large for that are left to the others.
const WORK: u64 = 2 * SECOND;

/// So many predicates are proposed for a location: more of them make abstract successors slow.
const MAX_PROPOSED: usize = 6;

struct Numeric<'a> {
    task: &'a Task<'a>,
    /// Whether it may prove by itself, or is there for proposals only.
    proves: bool,
    numbers: Vec<(&'static str, f64)>,
}

/// The abstract interpreter.
pub fn numeric<'a>(task: &'a Task<'a>, _: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    Ok(Box::new(Numeric { task, proves: true, numbers: Vec::new() }))
}

/// The abstract interpreter as a supplier of predicates: what it finds is for others to prove.
pub fn numeric_proposals<'a>(
    task: &'a Task<'a>,
    _: Theory,
) -> Result<Box<dyn Engine + 'a>, Reason> {
    Ok(Box::new(Numeric { task, proves: false, numbers: Vec::new() }))
}

struct Sites<'a>(&'a ErrorSites);

impl Errors for Sites<'_> {
    fn is_error(&self, func: FuncId, edge: EdgeId) -> bool {
        self.0.contains(func, edge)
    }

    fn forbids(&self, func: FuncId) -> bool {
        self.0.forbids(func)
    }
}

impl Engine for Numeric<'_> {
    fn step(&mut self, _: Slice, exchange: &Exchange) -> Progress {
        match self.analyse(exchange) {
            Ok(proof) => Progress::Proved(proof),
            Err(reason) => Progress::GivenUp(reason),
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.numbers.extend(self.numbers.iter().copied());
        statistics
    }
}

impl Numeric<'_> {
    fn analyse(&mut self, exchange: &Exchange) -> Result<Proof, Reason> {
        let task = self.task;
        let budget = task.budget;
        budget.report("analyse", format_args!("ranges of variables"));
        let mod_ref = task.facts.mod_ref(budget).map_err(Reason::Limit)?;
        let model = Model::new(task.program, task.facts.points_to(), mod_ref);
        let run = |max_states| {
            let budget = budget.with_work(WORK);
            analyse(&model, task.entry, &Sites(task.sites), Noted::Loops, max_states, &budget)
        };
        let outcome = match run(MAX_STATES) {
            Err(Exhausted::Work) => run(1),
            first => first,
        };
        let outcome = outcome.map_err(|limit| match limit {
            Exhausted::Work if budget.check_now().is_ok() => {
                Reason::not_enough("the abstract interpreter does not come to an end")
            }
            limit => Reason::Limit(limit),
        })?;
        self.numbers.push(("numeric, places", outcome.places.len() as f64));
        self.numbers.push(("numeric, errors reached", outcome.errors.len() as f64));
        if let Some(what) = outcome.not_followed.first() {
            return Err(Reason::not_enough(format!(
                "the abstract interpreter does not follow {what}"
            )));
        }
        if !outcome.is_safe() {
            let cells = cone(&model, outcome.guarding_conditions(&model));
            self.propose(&model, &outcome, &cells, exchange);
            let what = "an error is reached in the abstract";
            return Err(Reason::not_enough(what));
        }
        let cells = cone(&model, outcome.pruned_conditions(&model));
        if !self.proves {
            self.propose(&model, &outcome, &cells, exchange);
            let what = "bounds were proposed";
            return Err(Reason::not_enough(what));
        }
        self.proof(&model, &outcome, &cells)
    }

    /// Bounds at loops that may have to do with the errors, as predicates for the others.
    fn propose(
        &mut self,
        model: &Model<'_>,
        outcome: &Outcome,
        cells: &BTreeSet<Cell>,
        exchange: &Exchange,
    ) {
        let wanted = |cell: Cell| cells.contains(&cell) && self.is_named(model, cell);
        let mut facts: BTreeMap<(FuncId, LocId), Vec<Fact>> = BTreeMap::new();
        for place in &outcome.places {
            let Some(state) = &place.state else { continue };
            let known = facts.entry((place.func, place.loc)).or_default();
            for fact in state.facts(model, &wanted) {
                if known.len() < MAX_PROPOSED && !known.contains(&fact) {
                    known.push(fact);
                }
            }
        }
        let Some(mut writer) = Writer::new(self.task, Theory::Int) else { return };
        let mut proposed = Vec::new();
        for ((func, loc), facts) in facts {
            let atoms = facts.iter().filter_map(|fact| writer.fact(fact));
            proposed.extend(atoms.map(|atom| (func, loc, atom)));
        }
        self.numbers.push(("numeric, predicates proposed", proposed.len() as f64));
        exchange.propose_predicates(Theory::Int, &writer.terms, &proposed);
    }

    /// Whether formulas have a name for a cell.
    fn is_named(&self, model: &Model<'_>, cell: Cell) -> bool {
        let place = model.name(cell);
        place.is_some_and(|place| self.task.program.exprs.root_var(place).is_some())
    }

    fn proof(
        &mut self,
        model: &Model<'_>,
        outcome: &Outcome,
        cells: &BTreeSet<Cell>,
    ) -> Result<Proof, Reason> {
        let wanted = |cell: Cell| cells.contains(&cell) && self.is_named(model, cell);
        let facts: Vec<Option<Vec<Fact>>> = outcome
            .places
            .iter()
            .map(|place| place.state.as_ref().map(|state| state.facts(model, &wanted)))
            .collect();
        let all = || facts.iter().flatten().flatten();
        self.numbers.push(("numeric, facts of the proof", all().count() as f64));
        let needs_bits = |fact: &Fact| matches!(fact, Fact::Bits(..) | Fact::Float(..));
        let theory = if all().any(needs_bits) { Theory::Bits } else { Theory::Int };
        let no_encoding = || Reason::not_enough("the program has no encoding");
        let mut writer = Writer::new(self.task, theory).ok_or_else(no_encoding)?;
        let mut places = Vec::with_capacity(facts.len());
        for (place, facts) in outcome.places.iter().zip(&facts) {
            let formula = match facts {
                Some(facts) => writer.all(facts),
                None => writer.terms.ff(),
            };
            let (calls, func, loc) = (place.calls.clone(), place.func, place.loc);
            places.push(Invariant { calls, func, loc, formula });
        }
        let invariants = Invariants {
            theory,
            terms: writer.terms,
            places,
            elements: Vec::new(),
            held: Vec::new(),
        };
        Ok(Proof::Invariants(Arc::new(invariants)))
    }
}
