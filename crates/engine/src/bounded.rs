//! The bounded search: all executions at once, block by block.
//!
//! A layer holds one formula for each cut point, of all executions that pass the same number of
//! blocks. Formulas that the solver refutes are dropped. So bugs are found in the order of their
//! depth, and when a layer is empty every execution was looked at: then the program is proved,
//! without a single predicate.
//!
//! The search can stop after any layer and go on later.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_logic::encode::Move;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Terms};

use crate::control::ControlId;
use crate::explore::{End, ExploreError, Explorer, Strand};
use crate::property::Site;

/// How far the search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to look at.
    More,
    /// Every execution was looked at, but for what is listed in [`Bounded::gaps`].
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
    /// Why executions were not followed to their end: reason and how often.
    pub gaps: BTreeMap<String, usize>,
    /// Errors whose path turned out to be impossible bit by bit, or could not be executed.
    pub spurious: usize,
}

/// The limit of one query.
const QUERY: u32 = 1_000_000;

impl Bounded {
    /// From the start of the program on.
    pub fn new(start: ControlId, strand: Strand) -> Self {
        Self {
            layer: [(start, strand)].into(),
            depth: 0,
            work: 0,
            gaps: BTreeMap::new(),
            spurious: 0,
        }
    }

    /// How many blocks the executions of the present layer have passed.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether nothing is left to look at.
    pub fn is_finished(&self) -> bool {
        self.layer.is_empty()
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
        self.depth += 1;
        budget.report("search", format_args!("{} blocks deep", self.depth));
        let mut arrived: BTreeMap<ControlId, Vec<Strand>> = BTreeMap::new();
        let layer = std::mem::take(&mut self.layer);
        let mut error = None;
        for (control, strand) in layer {
            for (end, strand) in explorer.block(terms, control, strand)? {
                match end {
                    End::Control(to) => arrived.entry(to).or_default().push(strand),
                    End::Stuck(reason) => {
                        if !self.check(terms, solver, &strand).is_unsat() {
                            *self.gaps.entry(reason.to_string()).or_default() += 1;
                        }
                    }
                    End::Error(site) if error.is_none() => {
                        match self.check(terms, solver, &strand) {
                            Answer::Unsat => {}
                            Answer::Sat => {
                                let facts = explorer.origins.facts(strand.origin);
                                let model = solver.model(terms, &facts);
                                match explorer.origins.path(strand.origin, &model) {
                                    Some((_, path)) => error = Some((site, path)),
                                    None => self.gap("a model without a path"),
                                }
                            }
                            Answer::Unknown(_) => self.gap("a query that was too hard"),
                        }
                    }
                    End::Error(_) => self.gap("an error behind another one"),
                }
            }
        }
        for (control, strands) in arrived {
            let strand = explorer.meet_strands(terms, strands);
            if !self.check(terms, solver, &strand).is_unsat() {
                self.layer.insert(control, strand);
            }
        }
        Ok(match error {
            Some((site, path)) => Progress::Error(site, path),
            None if self.layer.is_empty() => Progress::Finished,
            None => Progress::More,
        })
    }

    fn gap(&mut self, reason: &str) {
        *self.gaps.entry(reason.to_owned()).or_default() += 1;
    }

    /// Whether there are such executions; the solver is left ready to give a model.
    fn check(&mut self, terms: &Terms, solver: &mut dyn Solver, strand: &Strand) -> Answer {
        let facts = strand.execution.facts();
        self.work += facts.len() as u64 + 1;
        if facts.is_empty() {
            return Answer::Sat;
        }
        let limits = Limits::default().with_resources(QUERY);
        solver.check(terms, facts, Purpose::FEASIBILITY, limits)
    }
}
