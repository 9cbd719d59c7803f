//! Asking a CHC solver for invariants of the whole program.
//!
//! Arithmetic that wraps around makes clauses hard, and most programs never do it. So it is left out
//! first: forbidden, so that a solution is one of the program as it is, or ignored, so that it is
//! a proposal only; then taken as it is. Where nothing can wrap there is one question.
//!
//! A query is limited in the solver's own count of work, which its caller chooses, and which does
//! not depend on the user's limit or on the load of the machine; the time that is left is the last
//! guard. The same clauses are asked again only with more.

use std::time::Duration;

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::interpolate::system::{Applied as Relation, HornSystem, RelationId};
use gnomon_logic::{Term, Terms};
use std::collections::BTreeMap;

use super::Tools;
use super::clauses::{Applied, Body, Clauses, CutPoint, Invariants};

/// What a query says about arithmetic that wraps around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrapping {
    /// It is an error too. Most programs never wrap around, and if that can be shown, what shows it
    /// is true of the program as it is.
    Forbidden,
    /// It never happens: the solution is a proposal only.
    Ignored,
    /// It happens.
    Exact,
}

/// What the whole program taught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// Invariants that exclude every error: a proof.
    Solution,
    /// New predicates.
    Predicates,
    /// Nothing.
    Nothing,
    /// The clauses have no solution: as far as they know, an error can be reached.
    Refuted,
    /// Nothing, and nothing was asked: the same query had no less effort before, or the program is
    /// too large for one.
    NotAsked,
}

impl Learned {
    /// Whether there is something to go on with.
    pub fn is_something(self) -> bool {
        matches!(self, Self::Solution | Self::Predicates)
    }
}

/// Why a query has no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSolution {
    /// There is none.
    Refuted,
    /// The solver returned unknown, or what cannot be read.
    Unknown(String),
    /// The budget ran out before the solver was asked.
    Exhausted(Exhausted),
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChcStatistics {
    /// CHC queries, of all kinds of wrapping together.
    pub queries: u64,
    /// Those that gave a solution or new predicates.
    pub solved: u64,
    /// The solver resources that those had which gave nothing.
    pub fruitless: u64,
    /// Whether candidate invariants gave new predicates.
    pub candidates: bool,
}

/// What was asked already.
#[derive(Clone, Debug)]
struct Asked<P> {
    wrapping: Wrapping,
    clauses: Clauses<P>,
    /// The most that such a query had.
    resources: u32,
}

/// After this time a query is ended if there is no limit on time.
const GUARD: Duration = Duration::from_secs(600);

/// Tracks the atoms of formulas, and says whether any is new.
pub type Track<'a, P, E> = dyn FnMut(&mut Terms, &Invariants<P>) -> Result<bool, E> + 'a;

/// The CHC queries of one engine.
#[derive(Clone, Debug)]
pub struct ChcQueries<P> {
    /// The kinds of wrapping to ask about, in this order.
    wrappings: &'static [Wrapping],
    asked: Vec<Asked<P>>,
    /// Whether a solution of all clauses is a proof for this engine.
    proves: bool,
    /// What was done.
    pub statistics: ChcStatistics,
}

impl<P: CutPoint> ChcQueries<P> {
    /// None asked yet.
    pub fn new(wrappings: &'static [Wrapping]) -> Self {
        Self { wrappings, asked: Vec::new(), proves: true, statistics: ChcStatistics::default() }
    }

    /// None asked yet; solutions are proposals only.
    pub fn proposing(wrappings: &'static [Wrapping]) -> Self {
        Self { proves: false, ..Self::new(wrappings) }
    }

    /// Asks with so many solver resources for each kind of wrapping, until something is learned.
    /// `track` tracks the atoms of formulas and says whether any is new.
    pub fn ask<E: From<Exhausted>>(
        &mut self,
        clauses: &Clauses<P>,
        resources: u32,
        tools: &mut Tools<'_>,
        track: &mut Track<'_, P, E>,
    ) -> Result<(Learned, Option<Invariants<P>>), E> {
        let mut learned = Learned::NotAsked;
        let wrappings =
            if clauses.can_wrap(tools.terms) { self.wrappings } else { &[Wrapping::Exact] };
        for &wrapping in wrappings {
            if !self.remember(wrapping, clauses, resources) {
                continue;
            }
            tools.budget.check_now()?;
            self.statistics.queries += 1;
            match clauses.solve(tools.terms, wrapping, resources, tools.budget) {
                Ok(invariants) => {
                    if self.proves && clauses.is_solution(&invariants, tools) {
                        self.statistics.solved += 1;
                        return Ok((Learned::Solution, Some(invariants)));
                    }
                    if track(tools.terms, &invariants)? {
                        self.statistics.solved += 1;
                        return Ok((Learned::Predicates, None));
                    }
                }
                // Without a solution there is none for more effort. And what is reached without
                // wrapping around is reached.
                Err(NoSolution::Refuted) => {
                    tools.budget.report("refine", format_args!("CHC query: refuted"));
                    self.remember(wrapping, clauses, u32::MAX);
                    if wrapping != Wrapping::Forbidden {
                        return Ok((Learned::Refuted, None));
                    }
                }
                Err(NoSolution::Exhausted(limit)) => return Err(limit.into()),
                Err(NoSolution::Unknown(reason)) => {
                    self.statistics.fruitless += u64::from(resources);
                    tools.budget.report("refine", format_args!("CHC query: {reason}"));
                }
            }
            learned = Learned::Nothing;
        }
        Ok((learned, None))
    }

    /// Remembers a question; says whether it is new, or has more effort than before.
    fn remember(&mut self, wrapping: Wrapping, clauses: &Clauses<P>, resources: u32) -> bool {
        match self.asked.iter_mut().find(|asked| asked.wrapping == wrapping) {
            Some(asked) if asked.clauses == *clauses => {
                let more = resources > asked.resources;
                asked.resources = asked.resources.max(resources);
                more
            }
            Some(asked) => {
                *asked = Asked { wrapping, clauses: clauses.clone(), resources };
                true
            }
            None => {
                self.asked.push(Asked { wrapping, clauses: clauses.clone(), resources });
                true
            }
        }
    }
}

impl<P: CutPoint> Clauses<P> {
    /// A formula for each cut point such that all clauses hold, under an assumption about wrapping.
    /// Not checked.
    pub fn solve(
        &self,
        terms: &mut Terms,
        wrapping: Wrapping,
        resources: u32,
        budget: &Budget,
    ) -> Result<Invariants<P>, NoSolution> {
        let mut system = HornSystem::new();
        let mut relations: BTreeMap<P, RelationId> = BTreeMap::new();
        for (&point, variables) in &self.parameters {
            let parameters = variables.iter().map(|&v| terms.var_at(v, 0)).collect();
            relations.insert(point, system.relation(parameters));
        }
        let applied = |terms: &mut Terms, applied: &Applied<P>| {
            let arguments = applied.arguments.iter().map(|&s| terms.symbol(s)).collect();
            Relation { relation: relations[&applied.point], arguments }
        };
        for clause in &self.all {
            let premises: Vec<Relation> =
                clause.premises.iter().map(|p| applied(terms, p)).collect();
            let conclusion = clause.conclusion.as_ref().map(|c| applied(terms, c));
            let Body { formula, counters } = &clause.body;
            if wrapping == Wrapping::Forbidden && counters.occur_in(terms, *formula) {
                let wraps = counters.some_counts(terms);
                let body: Term = terms.and2(*formula, wraps);
                system.clause(premises.clone(), body, None);
            }
            let body = match wrapping {
                Wrapping::Exact => *formula,
                Wrapping::Ignored | Wrapping::Forbidden => {
                    clause.body.unwrapped(terms, budget).map_err(NoSolution::Exhausted)?
                }
            };
            system.clause(premises, body, conclusion);
        }
        let guard = budget.time_left().unwrap_or(GUARD);
        let formulas = system.solve(terms, resources, guard).map_err(|why| match why.trim() {
            "unsat" => NoSolution::Refuted,
            _ => NoSolution::Unknown(why),
        })?;
        let mut invariants = BTreeMap::new();
        for (point, formula) in relations.keys().zip(formulas) {
            invariants.insert(*point, terms.without_indices(formula));
        }
        Ok(invariants)
    }
}
