//! The typestate analysis: the states of property automata, followed through the whole program without a
//! solver. It looks at all sites of a request at once, before they are grouped; what no state leads to is
//! proved, and told to the others.

use std::collections::BTreeSet;

use gnomon_budget::Budget;
use gnomon_dataflow::typestate::{Automaton, Outcome, analyze};
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{ErrorSites, Site};
use gnomon_engine::verdict::{Proof, Reason, Statistics};

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Begins, Entrant, Role, SECOND};

/// What the analysis may take, for all automata together, and the work of one of its steps.
const WORK: u64 = 60 * SECOND;
const STEP_WORK: u64 = 10;

struct Typestate<'a> {
    facts: &'a Facts<'a>,
    automata: std::slice::Iter<'a, Automaton>,
    sites: &'a ErrorSites,
    budget: &'a Budget,
    statistics: Statistics,
}

/// The analysis of these automata.
pub(crate) fn typestate<'s>(
    facts: &'s Facts<'s>,
    automata: &'s [Automaton],
    sites: &'s ErrorSites,
) -> Entrant<'s> {
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        let statistics = Statistics::default();
        let automata = automata.iter();
        attendant(&mut Typestate { facts, automata, sites, budget, statistics });
        Ok(())
    };
    Entrant {
        name: "typestate",
        role: Role::Tries,
        begins: Begins::First,
        first: SECOND,
        share: 1,
        make: Box::new(make),
    }
}

impl Typestate<'_> {
    fn analyze(&mut self, automaton: &Automaton) -> Option<Outcome> {
        let left = WORK.checked_sub(self.budget.work())?;
        let budget = self.budget.with_work(left / STEP_WORK);
        budget.report("typestate", format_args!("{} places", automaton.sites.len()));
        let mod_ref = self.facts.mod_ref(&budget).ok()?;
        let (program, points_to) = (self.facts.program(), self.facts.points_to());
        let outcome = analyze(program, points_to, mod_ref, automaton, &budget);
        self.budget.charge(budget.work() * (STEP_WORK - 1));
        outcome.ok()
    }

    fn count(&mut self, automaton: &Automaton, outcome: &Outcome) {
        let counts = [
            ("typestate, sites", automaton.sites.len() as u64),
            ("typestate, sites excluded", outcome.excluded.len() as u64),
            ("typestate, facts", outcome.facts),
            ("typestate, contexts", outcome.contexts),
            ("typestate, beginnings given up", outcome.given_up),
        ];
        for (name, count) in counts {
            *self.statistics.numbers.entry(name).or_default() += count as f64;
        }
    }
}

impl Engine for Typestate<'_> {
    /// One automaton after the other.
    fn step(&mut self, _: Slice, exchange: &Exchange) -> Progress {
        if let Some(automaton) = self.automata.next() {
            if let Some(outcome) = self.analyze(automaton) {
                self.count(automaton, &outcome);
                let excluded = outcome.excluded.into_iter();
                exchange.prove_unreached(excluded.map(|(func, edge)| Site { func, edge }));
            }
            return Progress::More;
        }
        let unreached: BTreeSet<Site> = exchange.unreached();
        match self.sites.iter().all(|(site, _)| unreached.contains(&site)) {
            true => Progress::Proved(Proof::Typestate),
            false => Progress::GivenUp(Reason::not_enough("some sites may be reached")),
        }
    }

    fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }
}
