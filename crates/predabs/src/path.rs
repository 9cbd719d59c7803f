//! One path through a block, as a relation between the predicates before and behind it.
//!
//! The literals of a path ([`crate::implicant`]) are solved ([`crate::solved`]). Then a predicate
//! behind the path
//! - is true or false: the path assigns a constant, or has tested it;
//! - is a predicate before the path: nothing it speaks about was assigned, or only copied;
//! - or depends on what is left. Literals and predicates that share symbols ([`crate::components`])
//!   are one [`Part`], and only parts are asked about; each for itself, which loses nothing.
//!
//! A relation is a diagram over the bits of the predicates before and `next` behind the path. It does
//! not depend on the region that the path is taken from, so it is used again for other regions.

use std::collections::BTreeMap;
use std::rc::Rc;

use gnomon_bdd::{Bdd, BddError, Var};
use gnomon_logic::encode::Ssa;
use gnomon_logic::{Integer, Relation, Term, Terms};
use rustc_hash::FxHashMap;

use crate::components::Components;
use crate::predicates::{PredicateId, Predicates};
use crate::solved::Solved;

/// A predicate and what it says on a path.
pub(crate) type Said = (PredicateId, Term);

/// What of a path has to do with each other, and must be asked about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    /// What holds on the path.
    pub literals: Vec<Term>,
    /// Predicates before it.
    pub before: Vec<Said>,
    /// Predicates behind it; if there is none, the literals only say which states take the path.
    pub behind: Vec<Said>,
}

/// What is known of a path for predicates before and behind it.
#[derive(Debug)]
pub(crate) struct Plan {
    before: Vec<PredicateId>,
    wanted: Vec<PredicateId>,
    /// Predicates before the path that its tests decide.
    pub tested: Bdd,
    /// Predicates behind the path that it decides.
    pub decided: Bdd,
    /// Predicates behind the path that are one before it, or its negation: the bit behind it, the
    /// predicate before it, and whether they are the same.
    pub links: Vec<(Var, PredicateId, bool)>,
    /// What must be asked about.
    pub parts: Vec<Part>,
    /// Predicates before the path whose value is one of a wanted predicate behind it.
    pub kept: Vec<PredicateId>,
    /// Bits that mean the same before and behind the path.
    pub staying: Vec<PredicateId>,
    /// Wanted predicates whose bit behind the path is `next`.
    pub renamed: Vec<PredicateId>,
}

/// A path through a block.
#[derive(Debug)]
pub(crate) struct BlockPath {
    solved: Solved,
    before: FxHashMap<PredicateId, Term>,
    behind: FxHashMap<PredicateId, Term>,
    plan: Option<Rc<Plan>>,
}

impl BlockPath {
    /// Of the literals that hold on it.
    pub fn new(terms: &mut Terms, literals: &[Term]) -> Self {
        let solved = Solved::new(terms, literals);
        let (before, behind) = (FxHashMap::default(), FxHashMap::default());
        Self { solved, before, behind, plan: None }
    }

    fn says_before(&mut self, predicates: &Predicates, terms: &mut Terms, id: PredicateId) -> Term {
        if let Some(&known) = self.before.get(&id) {
            return known;
        }
        let atom = predicates.at(terms, id, &Ssa::new());
        let atom = self.solved.apply(terms, atom);
        self.before.insert(id, atom);
        atom
    }

    fn says_behind(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        id: PredicateId,
        after: &Ssa,
    ) -> Term {
        if let Some(&known) = self.behind.get(&id) {
            return known;
        }
        let atom = predicates.at(terms, id, after);
        let atom = self.solved.apply(terms, atom);
        self.behind.insert(id, atom);
        atom
    }

    /// What is known of the path for these predicates.
    pub fn plan(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        before: &[PredicateId],
        wanted: &[PredicateId],
        after: &Ssa,
    ) -> Result<Rc<Plan>, BddError> {
        if let Some(known) = &self.plan
            && known.before == before
            && known.wanted == wanted
        {
            return Ok(known.clone());
        }
        let plan = Rc::new(self.new_plan(predicates, terms, before, wanted, after)?);
        self.plan = Some(plan.clone());
        Ok(plan)
    }

    fn new_plan(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        before: &[PredicateId],
        wanted: &[PredicateId],
        after: &Ssa,
    ) -> Result<Plan, BddError> {
        let space = predicates.space();
        let mut tested: Vec<(Var, bool)> = Vec::new();
        let mut decided: Vec<(Var, bool)> = Vec::new();
        let mut open_before: Vec<Said> = Vec::new();
        let mut by_meaning: FxHashMap<Term, (PredicateId, bool)> = FxHashMap::default();
        for &id in before {
            let atom = self.says_before(predicates, terms, id);
            match self.solved.truth(terms, atom) {
                Some(value) => tested.push((predicates.get(id).bit, value)),
                None => {
                    let not = terms.not(atom);
                    by_meaning.entry(atom).or_insert((id, true));
                    by_meaning.entry(not).or_insert((id, false));
                    open_before.push((id, atom));
                }
            }
        }
        let fresh = Ssa::new();
        let (mut staying, mut renamed, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut links = Vec::new();
        let mut open_behind: Vec<Said> = Vec::new();
        for &id in wanted {
            if before.binary_search(&id).is_ok() && predicates.is_untouched(id, &fresh, after) {
                staying.push(id);
                kept.push(id);
                continue;
            }
            renamed.push(id);
            let next = predicates.get(id).next;
            let atom = self.says_behind(predicates, terms, id, after);
            match (self.solved.truth(terms, atom), by_meaning.get(&atom)) {
                (Some(value), _) => decided.push((next, value)),
                (None, Some(&(other, same))) => {
                    links.push((next, other, same));
                    kept.push(other);
                }
                (None, None) => open_behind.push((id, atom)),
            }
        }
        let (tested, decided) = (space.cube(&tested)?, space.cube(&decided)?);
        links.sort_unstable_by_key(|&(_, other, _)| other);
        let parts = self.parts(terms, &open_before, &open_behind);
        kept.sort_unstable();
        kept.dedup();
        let (before, wanted) = (before.to_vec(), wanted.to_vec());
        Ok(Plan { before, wanted, tested, decided, links, parts, kept, staying, renamed })
    }

    /// The parts of the path that say something.
    fn parts(&self, terms: &mut Terms, before: &[Said], behind: &[Said]) -> Vec<Part> {
        let mut components = Components::default();
        for &literal in &self.solved.rest {
            components.add(terms, literal);
        }
        for &(_, atom) in before.iter().chain(behind) {
            components.add(terms, atom);
        }
        let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
        let empty = || Part { literals: Vec::new(), before: Vec::new(), behind: Vec::new() };
        for &(id, atom) in before {
            let Some(group) = components.of(terms, atom) else { continue };
            parts.entry(group).or_insert_with(empty).before.push((id, atom));
        }
        for &(id, atom) in behind {
            let Some(group) = components.of(terms, atom) else { continue };
            parts.entry(group).or_insert_with(empty).behind.push((id, atom));
        }
        for &literal in &self.solved.rest {
            let Some(group) = components.of(terms, literal) else { continue };
            if let Some(part) = parts.get_mut(&group) {
                part.literals.push(literal);
            }
        }
        let mut found: Vec<Part> = parts.into_values().collect();
        for part in &mut found {
            if part.behind.is_empty() {
                part.literals.retain(|&literal| !is_range(terms, literal));
            }
        }
        found.retain(|part| match part.behind.len() {
            0 => !part.literals.is_empty(),
            1 => !part.literals.is_empty() || !part.before.is_empty(),
            _ => true,
        });
        found
    }
}

/// Whether a literal bounds one symbol as types do. Such a bound held before the path already.
fn is_range(terms: &Terms, literal: Term) -> bool {
    let Some((linear, Relation::LeZero)) = terms.linear_atom(literal) else { return false };
    let [(term, coefficient)] = &linear.monomials[..] else { return false };
    if terms.as_symbol(*term).is_none() {
        return false;
    }
    // x <= 2^k - 1, or x >= 0, or x >= -2^k.
    let bound = -linear.constant.clone();
    let bound = if *coefficient == Integer::ONE { bound + Integer::ONE } else { bound };
    let is_power = |bits: u32| bound == (Integer::ONE << bits as usize);
    bound == Integer::ZERO && *coefficient != Integer::ONE
        || [7, 8, 15, 16, 31, 32, 63, 64].into_iter().any(is_power)
}
