//! Predicates that are kept wherever they hold.
//!
//! Given a pool of predicates over variables, the strongest conjunction of them at each cut is found
//! by one pass forward (the abstract postcondition of the path), and what of it is needed by one pass
//! backward with unsatisfiable cores. If the pool refutes the path at all, the result is a sequence
//! whose predicates are those of the pool, the same in every iteration of a loop.
//!
//! Both passes remember what they did at a step: with the same predicates before it, a step of the
//! same shape gives the same predicates after it. In an unrolled loop the predicates settle after a
//! few iterations, and the rest of the path costs a look into a table per step.

use super::check::Checker;
use super::path::Path;
use crate::solver::{Answer, Limits, Purpose, Solver};
use crate::term::{Symbol, Term, Terms, Value, Variable};
use gnomon_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Predicates of the pool, by number; `None` is falsity.
type Kept = Option<Vec<u32>>;

/// What is the same for all iterations of a loop: the shape of a step, and how the tracked variables
/// before and after it are named in it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Situation {
    shape: Term,
    names: Vec<(u8, u8, bool)>,
    kept: Vec<u32>,
}

/// The two passes over a path.
pub(super) struct Generalisation<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) solver: &'a mut dyn Solver,
    pub(super) checker: &'a mut Checker,
    pub(super) path: &'a Path,
    /// The shapes of its steps.
    pub(super) shapes: &'a [Term],
    pub(super) limits: Limits,
    pub(super) budget: &'a Budget,
}

/// The pool at the cuts of a path.
struct Instances {
    pool: Vec<Term>,
    variables: Vec<Vec<Variable>>,
    tracked: Vec<Variable>,
    /// The symbol of each variable at each cut.
    symbols: Vec<BTreeMap<Variable, Symbol>>,
}

impl Instances {
    fn new(terms: &mut Terms, path: &Path, pool: &[Term]) -> Self {
        let mut variables = Vec::with_capacity(pool.len());
        let mut tracked = BTreeSet::new();
        for &predicate in pool {
            let of: Vec<Variable> =
                terms.free_symbols(predicate).iter().map(|s| s.variable).collect();
            tracked.extend(of.iter().copied());
            variables.push(of);
        }
        // The current value has the greatest index.
        let symbols = path
            .shared_symbols()
            .into_iter()
            .map(|shared| shared.into_iter().map(|s| (s.variable, s)).collect())
            .collect();
        let tracked = tracked.into_iter().collect();
        Self { pool: pool.to_vec(), variables, tracked, symbols }
    }

    /// Whether all variables of a predicate have a value at a cut.
    fn is_possible(&self, predicate: u32, cut: usize) -> bool {
        let symbols = &self.symbols[cut];
        self.variables[predicate as usize].iter().all(|v| symbols.contains_key(v))
    }

    fn at(&self, terms: &mut Terms, predicate: u32, cut: usize) -> Term {
        let symbols = &self.symbols[cut];
        terms.reindex(self.pool[predicate as usize], |s| {
            symbols.get(&s.variable).map_or(s.index, |symbol| symbol.index)
        })
    }

    fn all_at(&self, terms: &mut Terms, predicates: &[u32], cut: usize) -> Vec<Term> {
        predicates.iter().map(|&p| self.at(terms, p, cut)).collect()
    }

    /// What matters at a step with some predicates before it; `formula` has the shape `shape`.
    fn situation(
        &self,
        terms: &mut Terms,
        (formula, shape): (Term, Term),
        step: usize,
        kept: &[u32],
    ) -> Situation {
        let inside = terms.free_symbols(formula);
        let rank = |symbol: Option<&Symbol>| -> u8 {
            let Some(symbol) = symbol else { return u8::MAX };
            let same = inside.iter().filter(|s| s.variable == symbol.variable);
            match same.clone().position(|s| s == symbol) {
                Some(rank) => rank as u8,
                None => u8::MAX - 1,
            }
        };
        let names = self
            .tracked
            .iter()
            .map(|v| {
                let (before, after) = (self.symbols[step].get(v), self.symbols[step + 1].get(v));
                (rank(before), rank(after), before == after)
            })
            .collect();
        Situation { shape, names, kept: kept.to_vec() }
    }
}

impl Generalisation<'_> {
    /// A sequence with predicates of the pool, if the pool refutes the path. Undecided questions
    /// count as no.
    pub(super) fn formulas(&mut self, pool: &[Term]) -> Result<Option<Vec<Term>>, Exhausted> {
        let instances = Instances::new(self.terms, self.path, pool);
        let kept = self.forward(&instances)?;
        if !matches!(kept.last(), Some(None)) {
            return Ok(None);
        }
        let Some(needed) = self.backward(&instances, &kept)? else { return Ok(None) };
        let mut formulas = Vec::with_capacity(needed.len());
        for (cut, needed) in needed.iter().enumerate() {
            let formula = match needed {
                None => self.terms.ff(),
                Some(needed) => {
                    let all = instances.all_at(self.terms, needed, cut);
                    self.terms.and(&all)
                }
            };
            formulas.push(formula);
        }
        Ok(Some(formulas))
    }

    /// The predicates that hold at each cut.
    fn forward(&mut self, instances: &Instances) -> Result<Vec<Kept>, Exhausted> {
        let mut known: FxHashMap<Situation, Kept> = FxHashMap::default();
        let mut kept: Vec<Kept> = vec![Some(Vec::new())];
        for step in 0..self.path.len() {
            self.budget.check()?;
            let Some(before) = &kept[step] else {
                kept.push(None);
                continue;
            };
            if self.path.is_returning_call(step) {
                kept.push(Some(Vec::new()));
                continue;
            }
            if let Some(call) = self.path.call_of(step) {
                let caller = kept[call].clone().unwrap_or_default();
                let mut premises = instances.all_at(self.terms, &caller, call);
                premises.push(self.path.steps()[call].formula);
                premises.extend(instances.all_at(self.terms, &before.clone(), step));
                let after = self.post(instances, step, premises)?;
                kept.push(after);
                continue;
            }
            let formula = (self.path.steps()[step].formula, self.shapes[step]);
            let situation = instances.situation(self.terms, formula, step, before);
            if let Some(after) = known.get(&situation) {
                let after = after.clone();
                kept.push(after);
                continue;
            }
            let premises = instances.all_at(self.terms, &before.clone(), step);
            let after = self.post(instances, step, premises)?;
            known.insert(situation, after.clone());
            kept.push(after);
        }
        Ok(kept)
    }

    /// The predicates that the premises and a step imply after it. Models of the premises rule
    /// out most candidates at once; when no model rules out any more, the rest is implied.
    fn post(
        &mut self,
        instances: &Instances,
        step: usize,
        premises: Vec<Term>,
    ) -> Result<Kept, Exhausted> {
        let mut after = Vec::new();
        let mut open: Vec<(u32, Term)> = Vec::new();
        for predicate in 0..instances.pool.len() as u32 {
            if !instances.is_possible(predicate, step + 1) {
                continue;
            }
            let instance = instances.at(self.terms, predicate, step + 1);
            if premises.contains(&instance) {
                after.push(predicate);
            } else {
                open.push((predicate, instance));
            }
        }
        self.solver.push();
        for &premise in premises.iter().chain([&self.path.steps()[step].formula]) {
            self.solver.assert(self.terms, premise);
        }
        let mut question = Vec::new();
        let mut contradiction = false;
        loop {
            let purpose = Purpose::INTERPOLATION;
            match self.solver.check(self.terms, &question, purpose, self.limits) {
                Answer::Unsat => {
                    contradiction = question.is_empty();
                    break;
                }
                Answer::Unknown(_) => {
                    open.clear();
                    break;
                }
                Answer::Sat => {
                    let terms: Vec<Term> = open.iter().map(|o| o.1).collect();
                    let model = self.solver.model(self.terms, &terms);
                    let holds = |term| model.get(term).and_then(Value::as_bool) == Some(true);
                    let before = open.len();
                    open.retain(|&(_, instance)| holds(instance));
                    // A model that rules out nothing although it should: do not insist.
                    if open.is_empty() || (open.len() == before && !question.is_empty()) {
                        open.clear();
                        break;
                    }
                }
            }
            self.budget.check()?;
            let rest: Vec<Term> = open.iter().map(|o| o.1).collect();
            let all = self.terms.and(&rest);
            question = vec![self.terms.not(all)];
        }
        self.solver.pop();
        if contradiction {
            return Ok(None);
        }
        after.extend(open.into_iter().map(|o| o.0));
        after.sort_unstable();
        Ok(Some(after))
    }

    /// Of the predicates that hold at each cut, those that are needed.
    fn backward(
        &mut self,
        instances: &Instances,
        kept: &[Kept],
    ) -> Result<Option<Vec<Kept>>, Exhausted> {
        let mut known: FxHashMap<(Situation, Kept), Vec<u32>> = FxHashMap::default();
        let mut needed: Vec<Kept> = vec![Some(Vec::new()); kept.len()];
        if let Some(last) = needed.last_mut() {
            *last = None;
        }
        for step in (0..self.path.len()).rev() {
            self.budget.check()?;
            if kept[step].is_none() {
                needed[step] = None;
                continue;
            }
            let goal = needed[step + 1].clone();
            if goal.as_ref().is_some_and(Vec::is_empty) || self.path.is_returning_call(step) {
                continue;
            }
            let before = kept[step].clone().unwrap_or_default();
            if let Some(call) = self.path.call_of(step) {
                let caller = kept[call].clone().unwrap_or_default();
                let passing = self.path.steps()[call].formula;
                let places: Vec<(u32, usize)> = caller
                    .iter()
                    .map(|&p| (p, call))
                    .chain(before.iter().map(|&p| (p, step)))
                    .collect();
                let Some(kept) = self.sufficient(instances, step, &places, &[passing], &goal)?
                else {
                    return Ok(None);
                };
                let at = |cut: usize| {
                    kept.iter().filter(|(_, c)| *c == cut).map(|(p, _)| *p).collect::<Vec<u32>>()
                };
                merge(&mut needed[call], at(call));
                merge(&mut needed[step], at(step));
                continue;
            }
            let formula = (self.path.steps()[step].formula, self.shapes[step]);
            let situation = instances.situation(self.terms, formula, step, &before);
            let key = (situation, goal.clone());
            if let Some(found) = known.get(&key) {
                merge(&mut needed[step], found.clone());
                continue;
            }
            let places: Vec<(u32, usize)> = before.iter().map(|&p| (p, step)).collect();
            let Some(found) = self.sufficient(instances, step, &places, &[], &goal)? else {
                return Ok(None);
            };
            let found: Vec<u32> = found.into_iter().map(|(p, _)| p).collect();
            known.insert(key, found.clone());
            merge(&mut needed[step], found);
        }
        Ok(Some(needed))
    }

    /// Few of the predicates at their cuts that, with a step, imply the goal after it.
    fn sufficient(
        &mut self,
        instances: &Instances,
        step: usize,
        places: &[(u32, usize)],
        more: &[Term],
        goal: &Kept,
    ) -> Result<Option<Vec<(u32, usize)>>, Exhausted> {
        let goal = match goal {
            None => self.terms.ff(),
            Some(goal) => {
                let all = instances.all_at(self.terms, goal, step + 1);
                self.terms.and(&all)
            }
        };
        let mut base = more.to_vec();
        base.push(self.path.steps()[step].formula);
        base.push(self.terms.not(goal));
        let base = self.terms.and(&base);
        let assumptions: Vec<Term> =
            places.iter().map(|&(p, cut)| instances.at(self.terms, p, cut)).collect();
        self.solver.push();
        self.solver.assert(self.terms, base);
        let purpose = Purpose::INTERPOLATION;
        let answer = self.solver.check(self.terms, &assumptions, purpose, self.limits);
        let core: BTreeSet<Term> = if answer.is_unsat() {
            self.solver.core(self.terms).into_iter().collect()
        } else {
            BTreeSet::new()
        };
        self.solver.pop();
        if !answer.is_unsat() {
            return Ok(None);
        }
        let mut chosen: Vec<usize> =
            (0..places.len()).filter(|&at| core.contains(&assumptions[at])).collect();
        // Later members of the pool are left out first.
        for at in chosen.clone().into_iter().rev() {
            if chosen.len() == 1 && base != self.terms.ff() {
                break;
            }
            self.budget.check()?;
            let mut rest: Vec<Term> =
                chosen.iter().filter(|&&c| c != at).map(|&c| assumptions[c]).collect();
            rest.push(base);
            let formula = self.terms.and(&rest);
            let (checker, limits) = (&mut *self.checker, self.limits);
            if checker.is_unsatisfiable(self.terms, self.solver, formula, limits) == Some(true) {
                chosen.retain(|&c| c != at);
            }
        }
        Ok(Some(chosen.into_iter().map(|at| places[at]).collect()))
    }
}

fn merge(needed: &mut Kept, more: Vec<u32>) {
    if let Some(needed) = needed {
        needed.extend(more);
        needed.sort_unstable();
        needed.dedup();
    }
}
