//! Invariants about all elements of arrays: guessed from the shape of loops, checked by instances.
//!
//! What loops over arrays establish and need has most often one form: for all k, if k was passed
//! already (`lo <= k < i`), the elements at k have a property. The property is what somebody asserts of
//! the element at hand, with k in place of the counter, or what makes it true one loop earlier; the
//! border is a counter, or an index at which is written ([`guess`]). Such *candidates* are formulas
//! over the variables of the program and over *positions*, which can be any and never change. What
//! holds of one position that nobody knows holds of all; so a candidate may be assumed for every
//! position that a block reads at, and is to be shown for the unknown one (Flanagan and Qadeer,
//! Predicate Abstraction for Software Verification, POPL 2002; Bradley, Manna, Sipma, What's
//! Decidable About Arrays?, VMCAI 2006).
//!
//! Candidates that a block refutes are dropped until the rest is inductive (Houdini), by the models
//! that refute them; if the rest excludes every error, what the proof does not need is dropped by
//! unsatisfiable cores, and the rest is the proof ([`ForAll`]). All is in bits, and nothing is believed:
//! the checker does it again.

mod guess;

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Budget;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::{Encoder, Execution};
use gnomon_logic::{Answer, Limits, Purpose, Sort, Term, Terms, Value, Variable};
use rustc_hash::FxHashMap;

use crate::control::{Control, ControlId};
use crate::equations::Equation;
use crate::explore::ExploreError;
use crate::proof::{ForAll, Invariant, Invariants};
use crate::refine::Learned;
use crate::symbolic::Symbolic;
use crate::templates;
use crate::unwinding::{Unwinder, Unwinding};

/// Programs with more cut points are left to others.
const MOST_CUT_POINTS: usize = 60;
/// So many candidates without positions are looked at for each cut point.
const MOST_SIMPLE: usize = 120;
/// The limits of queries: about many candidates, and about one.
const QUERY: u32 = 3_000_000;
const SINGLE_QUERY: u32 = 600_000;

/// A way from a cut point, or from the start, to the next cut point.
struct Passage {
    from: Option<ControlId>,
    to: ControlId,
    /// Under which condition it is taken, over the values at its beginning.
    whole: Term,
    state: Symbolic,
}

/// A way to an error, or to something unsupported.
struct Forbidden {
    from: Option<ControlId>,
    whole: Term,
}

/// What a variable is at a location, if an equation that somebody proposes holds there; without indices.
struct Solved {
    func: FuncId,
    loc: LocId,
    variable: Variable,
    value: Term,
}

/// One assignment of terms to positions, without indices.
type Instance = Vec<(Variable, Term)>;

/// How far it came.
#[derive(Debug)]
pub enum Guessed {
    /// There is more to try.
    More,
    /// These invariants exclude every error.
    Proved(Box<ForAll>),
    /// There is nothing more to try.
    Over(String),
}

/// A proof in the making.
pub struct Quantified<'p> {
    unwinder: Unwinder<'p>,
    start: ControlId,
    budget: Budget,
    passages: Vec<Passage>,
    forbidden: Vec<Forbidden>,
    /// All cut points, in the order in which they were met.
    places: Vec<ControlId>,
    is_explored: bool,
    /// What others propose.
    proposed: Vec<Learned>,
    solved: Vec<Solved>,
    candidates: BTreeMap<ControlId, Vec<Term>>,
    positions: Vec<Variable>,
    instances: Vec<Instance>,
    /// The passages to look at.
    work: Option<BTreeSet<usize>>,
    /// How many kinds of candidates were tried.
    tried: usize,
    /// How many candidates there were.
    pub guessed: usize,
}

impl<'p> Quantified<'p> {
    /// Of the program that begins at `start`.
    pub fn new(unwinder: Unwinder<'p>, start: ControlId, budget: Budget) -> Self {
        Self {
            unwinder,
            start,
            budget,
            passages: Vec::new(),
            forbidden: Vec::new(),
            places: Vec::new(),
            is_explored: false,
            proposed: Vec::new(),
            solved: Vec::new(),
            candidates: BTreeMap::new(),
            positions: Vec::new(),
            instances: Vec::new(),
            work: None,
            tried: 0,
            guessed: 0,
        }
    }

    /// The unwinder, for its statistics.
    pub fn unwinder(&self) -> &Unwinder<'p> {
        &self.unwinder
    }

    /// Takes over candidates without positions: equations and predicates at locations.
    pub fn propose(
        &mut self,
        equations: &[Equation],
        predicates: impl FnOnce(&mut Terms) -> Vec<Learned>,
    ) {
        let Unwinder { explorer, terms, .. } = &mut self.unwinder;
        for equation in equations {
            if let Some(atom) = equation.atom(&mut explorer.encoder, terms) {
                self.proposed.push((equation.func, equation.loc, atom));
                self.solved.extend(solved(equation, &mut explorer.encoder, terms));
            }
        }
        self.proposed.extend(predicates(terms));
    }

    /// Goes on a little.
    pub fn advance(&mut self) -> Result<Guessed, ExploreError> {
        self.budget.check_now()?;
        if !self.is_explored {
            self.is_explored = true;
            if let Some(why) = self.explore()? {
                return Ok(Guessed::Over(why));
            }
            return Ok(Guessed::More);
        }
        let Some(work) = &mut self.work else {
            if !self.guess() {
                return Ok(Guessed::Over("there are no other candidates".into()));
            }
            self.work = Some((0..self.passages.len()).collect());
            return Ok(Guessed::More);
        };
        if let Some(number) = work.pop_first() {
            if self.eliminate(number) {
                let to = self.passages[number].to;
                let behind = |(_, p): &(usize, &Passage)| p.from == Some(to);
                let again = self.passages.iter().enumerate().filter(behind).map(|(n, _)| n);
                let again: Vec<usize> = again.collect();
                self.work.iter_mut().for_each(|work| work.extend(again.iter().copied()));
            }
            return Ok(Guessed::More);
        }
        self.work = None;
        Ok(match self.needed() {
            Some(needed) => Guessed::Proved(Box::new(self.proof(&needed))),
            None => Guessed::More,
        })
    }

    /// Finds all passages; says why not, if there are too many or nothing is to be won.
    fn explore(&mut self) -> Result<Option<String>, ExploreError> {
        let state = match self.unwinder.start() {
            Ok(state) => state,
            Err(why) => return Ok(Some(why)),
        };
        let mut work = vec![(None, self.start, state)];
        let mut seen: BTreeSet<ControlId> = BTreeSet::new();
        while let Some((from, place, state)) = work.pop() {
            let mut unwinding = Unwinding::new(place, state);
            let reached = self.unwinder.advance(&mut unwinding)?;
            let executor = &self.unwinder.executor;
            let errors = reached.errors.iter().map(|(_, state)| state);
            for state in errors.chain(reached.stuck.iter().map(|(_, state)| state)) {
                self.forbidden.push(Forbidden { from, whole: executor.whole(state.guard()) });
            }
            for (to, state) in unwinding.layer {
                let whole = self.unwinder.executor.whole(state.guard());
                self.passages.push(Passage { from, to, whole, state });
                if seen.insert(to) {
                    self.places.push(to);
                    work.push((Some(to), to, self.unwinder.executor.anything()));
                }
            }
            if seen.len() > MOST_CUT_POINTS {
                return Ok(Some("there are too many cut points".into()));
            }
        }
        let has_arrays = self.forbidden.iter().any(|f| guess::reads(&self.unwinder.terms, f.whole));
        Ok((!has_arrays).then(|| "no error depends on an array".into()))
    }

    /// The next kind of candidates; whether there is one.
    fn guess(&mut self) -> bool {
        let kind = self.tried;
        self.tried += 1;
        let Some(guessed) = guess::candidates(
            &mut self.unwinder,
            &self.passages,
            &self.forbidden,
            &self.places,
            &self.solved,
            kind,
        ) else {
            return false;
        };
        self.positions = guessed.positions;
        self.instances = guessed.instances;
        self.candidates = guessed.candidates;
        let Unwinder { explorer, terms, .. } = &mut self.unwinder;
        for &place in &self.places {
            let Control { func, loc, .. } = explorer.space.get(place);
            let here = self.candidates.entry(place).or_default();
            let proposed = self.proposed.iter().filter(|(f, l, _)| (*f, *l) == (func, loc));
            let mut simple: Vec<Term> = proposed.map(|(_, _, atom)| *atom).collect();
            let program = explorer.space.program();
            simple.extend(templates::candidates(program, func, &mut explorer.encoder, terms));
            simple.truncate(MOST_SIMPLE);
            here.extend(simple);
            let mut known = BTreeSet::new();
            here.retain(|&c| known.insert(c) && c != terms.tt());
            self.guessed += here.len();
        }
        self.budget
            .report("refine", format_args!("{} candidates about all positions", self.guessed));
        true
    }

    /// What may be assumed at the beginning of a passage: each candidate, for all instances. With
    /// the number of the candidate and that of the instance, none for the unknown position itself.
    fn premises(&mut self, from: Option<ControlId>) -> Vec<(Term, usize, Option<usize>)> {
        let Some(from) = from else { return Vec::new() };
        let candidates = self.candidates.get(&from).cloned().unwrap_or_default();
        let Unwinder { executor, terms, .. } = &mut self.unwinder;
        let beginning = executor.anything();
        let mut premises = Vec::new();
        for (number, candidate) in candidates.into_iter().enumerate() {
            premises.push((executor.value_of(terms, &beginning, candidate), number, None));
            let symbols = terms.free_symbols(candidate);
            let mentions = |v: &Variable| symbols.iter().any(|s| s.variable == *v);
            if !self.positions.iter().any(mentions) {
                continue;
            }
            for (at, instance) in self.instances.iter().enumerate() {
                if !instance.iter().any(|(v, _)| symbols.iter().any(|s| s.variable == *v)) {
                    continue;
                }
                let mut map: FxHashMap<Term, Term> = FxHashMap::default();
                for &(position, value) in instance {
                    map.insert(terms.var(position), value);
                }
                let instantiated = terms.substitute(candidate, &map);
                if instantiated != terms.tt() {
                    let premise = executor.value_of(terms, &beginning, instantiated);
                    premises.push((premise, number, Some(at)));
                }
            }
        }
        premises
    }

    /// Drops what a passage refutes; whether there was something.
    fn eliminate(&mut self, number: usize) -> bool {
        let (from, to) = (self.passages[number].from, self.passages[number].to);
        let before = self.candidates.get(&to).cloned().unwrap_or_default();
        if before.is_empty() {
            return false;
        }
        let premises = self.premises(from);
        let Unwinder { executor, terms, solver, .. } = &mut self.unwinder;
        let passage = &self.passages[number];
        let mut left: Vec<(Term, Term)> = Vec::with_capacity(before.len());
        for &candidate in &before {
            left.push((candidate, executor.value_of(terms, &passage.state, candidate)));
        }
        left.retain(|(_, there)| *there != terms.ff());
        solver.push();
        solver.assert(terms, passage.whole);
        for (premise, _, _) in premises {
            solver.assert(terms, premise);
        }
        loop {
            let open: Vec<Term> =
                left.iter().map(|(_, there)| *there).filter(|&there| there != terms.tt()).collect();
            if open.is_empty() {
                break;
            }
            let fails: Vec<Term> = open.iter().map(|&there| terms.not(there)).collect();
            let some_fails = terms.or(&fails);
            solver.push();
            solver.assert(terms, some_fails);
            let limits = Limits::default().with_resources(QUERY);
            let answer = solver.check(terms, &[], Purpose::ABSTRACTION, limits);
            let model = answer.is_sat().then(|| solver.model(terms, &open));
            solver.pop();
            let count = left.len();
            match (answer, model) {
                (Answer::Unsat, _) => break,
                (Answer::Sat, Some(model)) => {
                    left.retain(|(_, there)| model.get(*there) != Some(&Value::Bool(false)));
                }
                _ => {}
            }
            if left.len() == count {
                // One by one, where that all hold cannot be told at once.
                let limits = Limits::default().with_resources(SINGLE_QUERY);
                left.retain(|(_, there)| {
                    let fails = terms.not(*there);
                    *there == terms.tt()
                        || solver.check(terms, &[fails], Purpose::ABSTRACTION, limits).is_unsat()
                });
                break;
            }
        }
        solver.pop();
        let dropped = left.len() < before.len();
        self.candidates.insert(to, left.into_iter().map(|(candidate, _)| candidate).collect());
        dropped
    }

    /// The candidates, by place, and the instances that exclude every error and keep each other;
    /// `None` if an error is not excluded.
    fn needed(&mut self) -> Option<Needed> {
        let mut needed = Needed::default();
        let mut work: Vec<(ControlId, usize)> = Vec::new();
        for number in 0..self.forbidden.len() {
            let Forbidden { from, whole } = self.forbidden[number];
            let tt = self.unwinder.terms.tt();
            let used = self.used(from, &[whole], tt)?;
            needed.take(from, used, &mut work);
        }
        while let Some((place, candidate)) = work.pop() {
            for number in 0..self.passages.len() {
                if self.passages[number].to != place {
                    continue;
                }
                let candidate = self.candidates[&place][candidate];
                let Unwinder { executor, terms, .. } = &mut self.unwinder;
                let there = executor.value_of(terms, &self.passages[number].state, candidate);
                let fails = terms.not(there);
                let Passage { from, whole, .. } = self.passages[number];
                let used = self.used(from, &[whole], fails)?;
                needed.take(from, used, &mut work);
            }
        }
        Some(needed)
    }

    /// Which premises exclude something; `None` if they do not.
    fn used(
        &mut self,
        from: Option<ControlId>,
        facts: &[Term],
        goal: Term,
    ) -> Option<Vec<(usize, Option<usize>)>> {
        let premises = self.premises(from);
        let Unwinder { terms, solver, .. } = &mut self.unwinder;
        solver.push();
        for &fact in facts {
            solver.assert(terms, fact);
        }
        solver.assert(terms, goal);
        let assumptions: Vec<Term> = premises.iter().map(|(premise, _, _)| *premise).collect();
        let limits = Limits::default().with_resources(QUERY);
        let answer = solver.check(terms, &assumptions, Purpose::ABSTRACTION, limits);
        let core = if answer.is_unsat() { solver.core(terms) } else { Vec::new() };
        solver.pop();
        let of_core = |(premise, number, at): (Term, usize, Option<usize>)| {
            core.contains(&premise).then_some((number, at))
        };
        answer.is_unsat().then(|| premises.into_iter().filter_map(of_core).collect())
    }

    /// What the proof leaves behind.
    fn proof(&mut self, needed: &Needed) -> ForAll {
        let Unwinder { explorer, terms, .. } = &mut self.unwinder;
        let mut places = Vec::with_capacity(self.places.len());
        for &place in &self.places {
            let Control { func, loc, .. } = explorer.space.get(place);
            let used = needed.candidates.get(&place).into_iter().flatten();
            let formulas: Vec<Term> = used.map(|&number| self.candidates[&place][number]).collect();
            let formula = terms.and(&formulas);
            places.push(Invariant { calls: explorer.space.open_calls(place), func, loc, formula });
        }
        let instances = needed.instances.iter().map(|&at| self.instances[at].clone()).collect();
        let theory = explorer.encoder.theory();
        let terms = std::mem::take(terms);
        let invariants =
            Invariants { theory, terms, places, elements: Vec::new(), held: Vec::new() };
        ForAll { invariants, positions: self.positions.clone(), instances }
    }
}

/// What the variables of an equation are that occur in it with factor one or minus one.
fn solved(equation: &Equation, encoder: &mut Encoder<'_>, terms: &mut Terms) -> Vec<Solved> {
    let at_start = Execution::default();
    let mut values: Vec<(Term, i64)> = Vec::new();
    for &(var, factor) in &equation.terms {
        let Some(value) = encoder.read_variable(terms, &at_start, var) else { return Vec::new() };
        values.push((terms.without_indices(value), factor));
    }
    let mut all = Vec::new();
    for (number, &(own, factor)) in values.iter().enumerate() {
        let (Some(symbol), Sort::BitVec(width)) = (terms.as_symbol(own), terms.sort(own)) else {
            continue;
        };
        let sign = match factor {
            1 => -1,
            -1 => 1,
            _ => continue,
        };
        let mut value = terms.bv(equation.constant.wrapping_mul(sign), width);
        for &(other, factor) in values[..number].iter().chain(&values[number + 1..]) {
            let factor = terms.bv(factor.wrapping_mul(sign), width);
            let product = terms.bv_mul(factor, other);
            value = terms.bv_add(value, product);
        }
        let Equation { func, loc, .. } = *equation;
        all.push(Solved { func, loc, variable: symbol.variable, value });
    }
    all
}

/// What a proof needs.
#[derive(Default)]
struct Needed {
    candidates: BTreeMap<ControlId, BTreeSet<usize>>,
    instances: BTreeSet<usize>,
}

impl Needed {
    fn take(
        &mut self,
        from: Option<ControlId>,
        used: Vec<(usize, Option<usize>)>,
        work: &mut Vec<(ControlId, usize)>,
    ) {
        for (number, at) in used {
            self.instances.extend(at);
            if let Some(from) = from
                && self.candidates.entry(from).or_default().insert(number)
            {
                work.push((from, number));
            }
        }
    }
}
