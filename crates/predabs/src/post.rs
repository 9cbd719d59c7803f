//! The abstract successor of a region (LA 5.2).
//!
//! The region before a block and the formula of the block are asserted once. Then:
//!
//! - Where few predicates are open, a first model gives a candidate value for each; as long as some
//!   candidate can be different, the solver says which ([`crate::valuations`]), and the predicates
//!   that vary are enumerated with blocking clauses.
//! - Where there are more, valuations would be too many. A model shows one path through the block
//!   ([`crate::implicant`]); all that the region becomes on that path is found at once, by rewriting
//!   and a few small questions ([`crate::path`]), and excluded; the next model shows another path,
//!   until there is none. What is independent is never multiplied out, paths are known again when
//!   the block is entered from another region, and correlation between predicates is kept.
//!
//! Both are exact. Above a number of predicates, valuations or paths, the successor says of each
//! predicate only whether it is the same in all successors (the Cartesian one, LA 5.2.2).
//!
//! A predicate that the block does not touch and whose value the region determines is not asked
//! about. What the solver does not know is left open, so the result is always an over-approximation.

use gnomon_bdd::{Bdd, BddError, Var};
use gnomon_logic::encode::Ssa;
use gnomon_logic::solver::{for_bits, for_integers};
use gnomon_logic::{Answer, Limits, Solver, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use crate::implicant::{decided_by, implicant};
use crate::path::{BlockPath, Part, Plan};
use crate::predicates::{PredicateId, Predicates, formula_of};
use crate::valuations::{Asked, Enumeration, Questions};

/// How successors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostOptions {
    /// So many predicates may be open before the successor becomes Cartesian; 0 is always Cartesian.
    pub exact_predicates: usize,
    /// So many open predicates are enumerated at once; above, the block is taken path by path.
    pub enumerated: usize,
    /// So many valuations are enumerated at most, at once and of a part of a path.
    pub valuations: usize,
    /// So many paths are taken at most.
    pub paths: usize,
    /// The limits of each query.
    pub limits: Limits,
}

impl Default for PostOptions {
    fn default() -> Self {
        Self {
            exact_predicates: 500,
            enumerated: 8,
            valuations: 200,
            paths: 300,
            limits: Limits::default().with_resources(2_000_000),
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostStatistics {
    /// Successors asked for.
    pub asked: u64,
    /// Of them, answered from the cache.
    pub cached: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Paths through blocks that models showed.
    pub paths: u64,
    /// Successors that became Cartesian because there were too many predicates, valuations or paths.
    pub cartesian: u64,
}

/// A block, for the abstract successor.
#[derive(Clone, Copy, Debug)]
pub struct BlockFormula<'a> {
    /// Identifies the block in the cache.
    pub id: u32,
    /// What the block does, from the indices of [`Ssa::new`] on.
    pub formula: Term,
    /// The indices behind it.
    pub after: &'a Ssa,
}

type CacheKey = (Bdd, u32, Vec<PredicateId>);

/// Computes abstract successors.
#[derive(Default)]
pub struct AbstractPost {
    options: PostOptions,
    cache: FxHashMap<CacheKey, Bdd>,
    /// The paths of each block that were met.
    paths: FxHashMap<u32, KnownPaths>,
    /// What parts of paths relate, from the part of a region that they see.
    parts: FxHashMap<(Part, Vec<PredicateId>, Bdd), Bdd>,
    /// For questions about parts, beside what is asserted about a block.
    beside: Option<Box<dyn Solver>>,
    /// What was done so far.
    pub statistics: PostStatistics,
}

/// The paths through a block that were met.
#[derive(Debug, Default)]
struct KnownPaths {
    all: Vec<BlockPath>,
    by_literals: FxHashMap<Vec<Term>, usize>,
    /// The Boolean subterms of the block.
    decided: Vec<Term>,
}

impl AbstractPost {
    /// With options.
    pub fn new(options: PostOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The region over `wanted` behind a block that begins in `region`; the empty region if the
    /// block cannot be passed.
    pub fn successor(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
    ) -> Result<Bdd, BddError> {
        self.statistics.asked += 1;
        let key = (region.clone(), block.id, wanted.to_vec());
        if let Some(known) = self.cache.get(&key) {
            self.statistics.cached += 1;
            return Ok(known.clone());
        }
        let before = predicates.formula(terms, region, &Ssa::new())?;
        solver.push();
        solver.assert(terms, before);
        solver.assert(terms, block.formula);
        let result = self.found(predicates, terms, solver, region, block, wanted);
        solver.pop();
        let result = result?;
        self.cache.insert(key, result.clone());
        Ok(result)
    }

    fn check(&mut self, terms: &Terms, solver: &mut dyn Solver) -> Answer {
        Questions { solver, limits: self.options.limits, asked: &mut self.statistics.queries }
            .check(terms)
    }

    fn found(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
    ) -> Result<Bdd, BddError> {
        let space = predicates.space();
        let mut known = space.top();
        let mut open: Vec<(PredicateId, Asked)> = Vec::new();
        let fresh = Ssa::new();
        for &id in wanted {
            let bit = space.variable(predicates.get(id).bit)?;
            if predicates.is_untouched(id, &fresh, block.after) {
                if region.is_subset_of(&bit)? {
                    known = known.and(&bit)?;
                    continue;
                }
                let not = bit.not()?;
                if region.is_subset_of(&not)? {
                    known = known.and(&not)?;
                    continue;
                }
            }
            let atom = predicates.at(terms, id, block.after);
            if atom == terms.tt() {
                known = known.and(&bit)?;
            } else if atom == terms.ff() {
                known = known.and(&bit.not()?)?;
            } else {
                open.push((id, (predicates.get(id).bit, atom)));
            }
        }
        let is_exact = (1..=self.options.exact_predicates).contains(&open.len());
        if is_exact && open.len() > self.options.enumerated {
            let ids: Vec<PredicateId> = open.iter().map(|(id, _)| *id).collect();
            solver.push();
            let found = self.by_paths(predicates, terms, solver, region, block, &ids);
            solver.pop();
            if let Some(found) = found? {
                return known.and(&found);
            }
        }
        match self.check(terms, solver) {
            Answer::Unsat => return Ok(space.bottom()),
            Answer::Unknown(_) => return Ok(space.top()),
            Answer::Sat => {}
        }
        if open.is_empty() {
            return Ok(known);
        }
        let exact = if is_exact { self.options.enumerated } else { 0 };
        let asked: Vec<Asked> = open.into_iter().map(|(_, asked)| asked).collect();
        let found = self.enumerated(predicates, terms, solver, &asked, exact, false)?;
        known.and(&found)
    }

    /// The valuations of atoms, which have a model; exact if at most so many vary. Of a test, nobody
    /// expects that.
    fn enumerated(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        asked: &[Asked],
        exact: usize,
        is_test: bool,
    ) -> Result<Bdd, BddError> {
        let AbstractPost { options, statistics, .. } = self;
        let mut questions =
            Questions { solver, limits: options.limits, asked: &mut statistics.queries };
        let enumeration = Enumeration { exact, valuations: options.valuations };
        let (found, is_exact) = enumeration.of(predicates.space(), terms, &mut questions, asked)?;
        statistics.cartesian += u64::from(!is_exact && !is_test);
        Ok(found)
    }

    /// The exact successor, path by path; `None` if there are too many paths, or the solver gives up.
    fn by_paths(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
    ) -> Result<Option<Bdd>, BddError> {
        let mut paths = self.paths.remove(&block.id).unwrap_or_default();
        let found = self.with_paths(predicates, terms, solver, region, block, wanted, &mut paths);
        self.paths.insert(block.id, paths);
        found
    }

    #[allow(clippy::too_many_arguments, reason = "one question, split for the borrow of the paths")]
    fn with_paths(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
        paths: &mut KnownPaths,
    ) -> Result<Option<Bdd>, BddError> {
        let before = predicates.in_region(region);
        let mut found = predicates.space().bottom();
        for path in &mut paths.all {
            let plan = path.plan(predicates, terms, &before, wanted, block.after)?;
            // Those that need questions are asked about when a model shows that they matter.
            if plan.parts.is_empty() {
                found = found.or(&self.image(predicates, terms, region, &plan)?)?;
            }
        }
        let mut new = found.clone();
        for _ in 0..self.options.paths {
            let excluded = predicates.formula(terms, &new, block.after)?;
            let excluded = terms.not(excluded);
            solver.assert(terms, excluded);
            match self.check(terms, solver) {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            if paths.decided.is_empty() {
                paths.decided = decided_by(terms, block.formula);
            }
            let model = solver.model(terms, &paths.decided);
            let Some(literals) = implicant(terms, &model, block.formula) else { return Ok(None) };
            let number = match paths.by_literals.get(&literals) {
                Some(&known) => known,
                None => {
                    self.statistics.paths += 1;
                    paths.all.push(BlockPath::new(terms, &literals));
                    paths.by_literals.insert(literals, paths.all.len() - 1);
                    paths.all.len() - 1
                }
            };
            let plan = paths.all[number].plan(predicates, terms, &before, wanted, block.after)?;
            new = self.image(predicates, terms, region, &plan)?;
            let more = found.or(&new)?;
            if more == found {
                // A model that does not show what it should.
                return Ok(None);
            }
            found = more;
        }
        Ok(None)
    }

    /// What a region becomes on a path.
    fn image(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        region: &Bdd,
        plan: &Plan,
    ) -> Result<Bdd, BddError> {
        let space = predicates.space();
        let bits = |ids: &[PredicateId]| -> Vec<Var> {
            ids.iter().map(|id| predicates.get(*id).bit).collect()
        };
        // The region comes first: diagrams of relations between many predicates would be large, but of
        // the states of a region they are not.
        let mut image = region.and(&plan.tested)?;
        for part in &plan.parts {
            if image.is_false() {
                break;
            }
            image = image.and(&self.related(predicates, terms, region, plan, part)?)?;
        }
        let is_forgotten = |id: &PredicateId| plan.staying.binary_search(id).is_err();
        let is_linked = |id: &PredicateId| plan.links.iter().any(|(_, other, _)| other == id);
        let before = predicates.in_region(region);
        let at_once: Vec<PredicateId> =
            before.iter().copied().filter(|id| is_forgotten(id) && !is_linked(id)).collect();
        image = image.exists(&space.variable_set(&bits(&at_once))?)?;
        for links in plan.links.chunk_by(|a, b| a.1 == b.1) {
            for &(next, other, same) in links {
                let (next, bit) =
                    (space.variable(next)?, space.literal(predicates.get(other).bit, same)?);
                image = image.and(&next.iff(&bit)?)?;
            }
            let other = links[0].1;
            if is_forgotten(&other) {
                image = image.exists(&space.variable_set(&bits(&[other]))?)?;
            }
        }
        image = image.and(&plan.decided)?;
        let pairs: Vec<(Var, Var)> = plan
            .renamed
            .iter()
            .map(|id| (predicates.get(*id).next, predicates.get(*id).bit))
            .collect();
        image.rename(&space.renaming(&pairs)?)
    }

    /// How the predicates of a part are related, for states of a region.
    fn related(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        region: &Bdd,
        plan: &Plan,
        part: &Part,
    ) -> Result<Bdd, BddError> {
        let space = predicates.space();
        let own: Vec<PredicateId> = part.before.iter().map(|(id, _)| *id).collect();
        let of = |bits: &mut dyn Iterator<Item = PredicateId>| -> Result<_, BddError> {
            space.variable_set(&bits.map(|id| predicates.get(id).bit).collect::<Vec<_>>())
        };
        let others = predicates.in_region(region).into_iter().filter(|id| !own.contains(id));
        let seen = match part.behind.is_empty() {
            // Which states take the path does not depend on where they come from.
            true => space.top(),
            false => region.exists(&of(&mut others.into_iter())?)?,
        };
        let asked_before = if part.behind.is_empty() {
            own
        } else {
            let rest = region.exists(&of(&mut own.iter().copied())?)?;
            // What the rest of the region says is independent: then only what is kept matters.
            let is_apart = seen.and(&rest)? == *region;
            own.into_iter()
                .filter(|id| !is_apart || plan.kept.binary_search(id).is_ok())
                .collect::<Vec<_>>()
        };
        let key = (part.clone(), asked_before, seen);
        if let Some(known) = self.parts.get(&key) {
            return Ok(known.clone());
        }
        let (_, asked_before, seen) = &key;
        let mut asked: Vec<Asked> = Vec::new();
        for (id, atom) in &part.before {
            if asked_before.contains(id) {
                asked.push((predicates.get(*id).bit, *atom));
            }
        }
        asked.extend(part.behind.iter().map(|(id, atom)| (predicates.get(*id).next, *atom)));
        let says: FxHashMap<Var, Term> =
            part.before.iter().map(|(id, atom)| (predicates.get(*id).bit, *atom)).collect();
        let seen = formula_of(terms, seen, &mut |terms, bit| {
            says.get(&bit).copied().unwrap_or_else(|| terms.tt())
        })?;
        let mut solver = match self.beside.take() {
            Some(solver) => solver,
            None => beside(terms, part),
        };
        solver.push();
        for &literal in &part.literals {
            solver.assert(terms, literal);
        }
        solver.assert(terms, seen);
        let found = match self.check(terms, solver.as_mut()) {
            Answer::Unsat => Ok(space.bottom()),
            Answer::Unknown(_) => Ok(space.top()),
            Answer::Sat => {
                // Correlation between tests of a path is left to its literals.
                let is_test = part.behind.is_empty();
                let exact = if is_test { 0 } else { usize::MAX };
                self.enumerated(predicates, terms, solver.as_mut(), &asked, exact, is_test)
            }
        };
        solver.pop();
        self.beside = Some(solver);
        let found = found?;
        self.parts.insert(key, found.clone());
        Ok(found)
    }
}

/// A solver for questions about parts such as this one.
fn beside(terms: &Terms, part: &Part) -> Box<dyn Solver> {
    let said = part.before.iter().chain(&part.behind).map(|(_, atom)| *atom);
    let all: Vec<Term> = said.chain(part.literals.iter().copied()).collect();
    let is_of_bits = |term: &Term| matches!(terms.sort(*term), Sort::BitVec(_) | Sort::Float(_));
    match terms.subterms(&all).iter().any(is_of_bits) {
        true => for_bits(),
        false => Box::new(for_integers()),
    }
}
