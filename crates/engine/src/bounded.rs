//! The bounded search: all executions at once, block by block.
//!
//! A layer holds one formula for each cut point, of all executions that pass the same number of
//! blocks. Formulas that the solver refutes are dropped. So bugs are found in the order of their
//! depth, and when a layer is empty every execution was searched: then the program is proved,
//! without a single predicate.
//!
//! The search can stop after any layer and go on later.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::encode::Move;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Terms};

use crate::control::ControlId;
use crate::explore::{End, ExploreError, Explorer, Strand};
use crate::property::Site;
use crate::unsupported::Unsupported;

/// How far the search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to look at.
    More,
    /// Every execution was searched, but for what is listed in [`Bounded::unsupported`].
    Finished,
    /// An error can be reached, by this path.
    Error(Site, Vec<Move>),
}

/// The state of the search.
pub struct Bounded {
    layer: BTreeMap<ControlId, Strand>,
    depth: usize,
    /// The work so far, in facts that were given to the solver.
    pub work: u64,
    /// What executions came to that were not followed to their end.
    pub unsupported: BTreeSet<Unsupported>,
    /// Whether an error is left that the solver could not decide.
    pub is_undecided: bool,
    /// Error paths that the solver could not decide, to be tried again with the next limit.
    hard: Vec<(Site, Strand)>,
    /// The limit of one query.
    query: u32,
}

/// The limit of one query at first, by how much it grows where the solver returned unknown, and
/// the greatest one.
const FIRST_QUERY: u32 = 1_000_000;
const QUERY_GROWTH: u32 = 8;
const LAST_QUERY: u32 = 1_000_000_000;

impl Bounded {
    /// From the start of the program on.
    pub fn new(start: ControlId, strand: Strand) -> Self {
        Self {
            layer: [(start, strand)].into(),
            depth: 0,
            work: 0,
            unsupported: BTreeSet::new(),
            is_undecided: false,
            hard: Vec::new(),
            query: FIRST_QUERY,
        }
    }

    /// How many blocks the executions of the present layer have passed.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// No error is reached within so many blocks.
    pub fn safe_depth(&self) -> usize {
        let is_safe = self.unsupported.is_empty() && self.hard.is_empty() && !self.is_undecided;
        if is_safe { self.depth } else { 0 }
    }

    /// Whether nothing is left to look at.
    pub fn is_finished(&self) -> bool {
        self.layer.is_empty() && self.hard.is_empty()
    }

    /// Goes one layer further.
    pub fn advance(
        &mut self,
        explorer: &mut Explorer<'_>,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Progress, ExploreError> {
        if self.is_finished() {
            return Ok(Progress::Finished);
        }
        if self.layer.is_empty() {
            return Ok(self.try_harder(explorer, terms, solver, budget)?);
        }
        self.depth += 1;
        budget.report("search", format_args!("{} blocks deep", self.depth));
        let mut arrived: BTreeMap<ControlId, Vec<Strand>> = BTreeMap::new();
        let mut errors = Vec::new();
        for (control, strand) in std::mem::take(&mut self.layer) {
            for (end, strand) in explorer.block(terms, control, strand)? {
                match end {
                    End::Control(to) => arrived.entry(to).or_default().push(strand),
                    End::Error(site) => errors.push((site, strand)),
                    End::Stuck(reason) => {
                        if !self.check(terms, solver, &strand).is_unsat() {
                            self.unsupported.insert(reason.as_ref().clone());
                        }
                    }
                }
            }
        }
        if let Some(error) = self.try_errors(explorer, terms, solver, errors) {
            return Ok(error);
        }
        for (control, strands) in arrived {
            let strand = explorer.meet_strands(terms, strands);
            if !self.check(terms, solver, &strand).is_unsat() {
                self.layer.insert(control, strand);
            }
        }
        Ok(if self.is_finished() { Progress::Finished } else { Progress::More })
    }

    /// The first error that can be reached; those for which the solver returned unknown are kept.
    fn try_errors(
        &mut self,
        explorer: &Explorer<'_>,
        terms: &Terms,
        solver: &mut dyn Solver,
        errors: Vec<(Site, Strand)>,
    ) -> Option<Progress> {
        for (site, strand) in errors {
            match self.check(terms, solver, &strand) {
                Answer::Unsat => {}
                Answer::Unknown(_) => self.hard.push((site, strand)),
                Answer::Sat => {
                    let facts = explorer.origins.facts(strand.origin);
                    let model = solver.model(terms, &facts);
                    match explorer.origins.path(strand.origin, &model) {
                        Some((_, path)) => return Some(Progress::Error(site, path)),
                        None => self.is_undecided = true,
                    }
                }
            }
        }
        None
    }

    /// The search was exhaustive, but some errors were not decided: they get more.
    fn try_harder(
        &mut self,
        explorer: &Explorer<'_>,
        terms: &Terms,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Progress, Exhausted> {
        budget.check_now()?;
        let hard = std::mem::take(&mut self.hard);
        budget.report(
            "search",
            format_args!("the solver returned unknown for {} errors", hard.len()),
        );
        if self.query >= LAST_QUERY {
            self.is_undecided = true;
            return Ok(Progress::Finished);
        }
        self.query = self.query.saturating_mul(QUERY_GROWTH).min(LAST_QUERY);
        // So that proving has its turn first.
        self.work *= 2;
        let error = self.try_errors(explorer, terms, solver, hard);
        let otherwise = if self.is_finished() { Progress::Finished } else { Progress::More };
        Ok(error.unwrap_or(otherwise))
    }

    /// Whether there are such executions; the solver is left ready to give a model.
    fn check(&mut self, terms: &Terms, solver: &mut dyn Solver, strand: &Strand) -> Answer {
        let facts = strand.execution.facts();
        self.work += facts.len() as u64 + 1;
        if facts.is_empty() {
            return Answer::Sat;
        }
        let limits = Limits::default().with_resources(self.query);
        solver.check(terms, facts, Purpose::FEASIBILITY, limits)
    }
}
