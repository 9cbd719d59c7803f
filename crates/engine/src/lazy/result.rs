//! What an exploration leaves behind: invariants, the tree and figures.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gnomon_bdd::Bdd;
use gnomon_logic::Solver;
use gnomon_logic::encode::Ssa;
use gnomon_predabs::PostStatistics;

use super::needed::Facts;
use super::{Lazy, LazyError};
use crate::control::{Control, ControlId};
use crate::horn::ChcStatistics;
use crate::outline::{Fate, OutlineNode};
use crate::proof::{Invariant, Invariants};
use crate::refine::RefineStatistics;
use crate::tracked::TrackedElements;
use crate::tree::{NodeId, Status};

/// How many open places are shown.
const SHOWN_OPEN: usize = 8;

impl Lazy<'_> {
    /// What the abstract successors took.
    pub fn post_statistics(&self) -> PostStatistics {
        self.post.statistics
    }

    /// The median of the times that successors took.
    pub fn median_successor(&self) -> Option<Duration> {
        let mut times = self.successor_times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }

    /// The median of the work of successors, which is the same in every run.
    pub fn median_successor_work(&self) -> Option<u64> {
        let mut work = self.successor_work.clone();
        work.sort_unstable();
        work.get(work.len() / 2).copied()
    }

    /// What refining took.
    pub fn refine_statistics(&self) -> RefineStatistics {
        self.refiner.statistics
    }

    /// What CHC queries and candidate invariants did.
    pub fn chc_statistics(&self) -> ChcStatistics {
        self.chc.statistics
    }

    /// The elements that stand for arrays, if they do.
    pub fn tracked_elements(&self) -> Option<&TrackedElements> {
        self.blocks.tracked_elements()
    }

    /// How many nodes were made, removed ones included.
    pub fn node_count(&self) -> usize {
        self.tree.len()
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.tracking.predicates.len()
    }

    /// The number of predicates of every place that was reached and has some.
    pub fn predicates_of_places(&self) -> Vec<usize> {
        let places: BTreeSet<ControlId> = self.tree.present().map(|n| n.place).collect();
        places.into_iter().map(|p| self.tracked_at(p).len()).filter(|&n| n > 0).collect()
    }

    /// The invariant of every place that was reached, with the alias facts that they rely on;
    /// nothing can be explored after that.
    pub fn invariants(&mut self) -> Result<Invariants, LazyError> {
        // The invariants take the terms with them.
        self.outlined = Some(self.new_outline()?);
        let mut facts = Facts::new();
        match self.solution.take() {
            Some(solution) => {
                for (place, formula) in solution {
                    facts.insert(place, self.conjuncts_of(formula));
                }
            }
            None => {
                for (place, region) in self.regions()? {
                    let conjuncts = self.conjuncts(&region)?;
                    facts.insert(place, conjuncts);
                }
            }
        }
        let facts = self.needed(facts)?;
        let mut places = Vec::with_capacity(facts.len());
        for (place, conjuncts) in facts {
            let formula = self.terms.and(&conjuncts);
            let Control { func, loc, .. } = self.explorer.space.get(place);
            places.push(Invariant {
                calls: self.explorer.space.open_calls(place),
                func,
                loc,
                formula: self.terms.without_indices(formula),
            });
        }
        let theory = self.explorer.encoder.theory();
        let elements = match self.blocks.tracked_elements() {
            Some(tracked) => tracked.list(&mut self.terms),
            None => Vec::new(),
        };
        let terms = std::mem::take(&mut self.terms);
        Ok(Invariants { theory, terms, places, elements, held: Vec::new() })
    }

    /// The region of every place that was reached.
    fn regions(&self) -> Result<BTreeMap<ControlId, Bdd>, LazyError> {
        let mut regions: BTreeMap<ControlId, Bdd> = BTreeMap::new();
        for node in self.tree.present() {
            let region = match regions.get(&node.place) {
                Some(known) => known.or(&node.region)?,
                None => node.region.clone(),
            };
            regions.insert(node.place, region);
        }
        Ok(regions)
    }

    /// The tree for people: its oldest nodes.
    pub fn outline(&mut self) -> Result<Vec<OutlineNode>, LazyError> {
        match self.outlined.take() {
            Some(outlined) => Ok(outlined),
            None => self.new_outline(),
        }
    }

    fn new_outline(&mut self) -> Result<Vec<OutlineNode>, LazyError> {
        let mut outline = Vec::new();
        let mut numbers: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (id, node) in self.tree.present_ids().take(self.options.outlined) {
            let parent = node.parent.as_ref().and_then(|(parent, _)| numbers.get(parent).copied());
            let fate = match node.status {
                Status::CoveredBy(other) => {
                    numbers.get(&other).map_or(Fate::Expanded, |&number| Fate::CoveredBy(number))
                }
                Status::Waiting => Fate::Waiting,
                Status::Expanded | Status::Removed => Fate::Expanded,
            };
            numbers.insert(id, outline.len());
            let Control { func, loc, .. } = self.explorer.space.get(node.place);
            let formula =
                self.tracking.predicates.formula(&mut self.terms, &node.region, &Ssa::new())?;
            let formula = self.terms.without_indices(formula);
            let region = self.terms.display(formula).to_string();
            outline.push(OutlineNode { parent, func, loc, region, fate });
        }
        Ok(outline)
    }

    /// Where exploration would go on, for people.
    pub fn open_work(&self) -> Vec<String> {
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        for node in self.tree.present().filter(|n| n.status == Status::Waiting) {
            *open.entry(self.explorer.space.describe(node.place)).or_default() += 1;
        }
        let mut lines: Vec<String> = open
            .iter()
            .take(SHOWN_OPEN)
            .map(|(place, count)| format!("still open: {place} ({count} states)"))
            .collect();
        if open.len() > SHOWN_OPEN {
            lines.push(format!("still open: {} more locations", open.len() - SHOWN_OPEN));
        }
        lines
    }

    /// The solver.
    pub fn solver(&self) -> &dyn Solver {
        self.solver.as_ref()
    }
}
