//! What is known on one path: every value as a term over what the path took from outside.
//!
//! The encoding names every value that is assigned; here the names are replaced by what they stand
//! for as they come, so that a condition speaks about inputs only. Most conditions are then plainly
//! true or false, or decided by the bounds of single inputs, and need no solver.

use gnomon_logic::encode::{Auxiliary, Interval};
use gnomon_logic::number::floor_div;
use gnomon_logic::term::Op;
use gnomon_logic::term::linear::{Linear, Relation};
use gnomon_logic::{Integer, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bounds of a number, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bounds {
    low: Option<Integer>,
    high: Option<Integer>,
}

/// What is known on a path.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    values: FxHashMap<Term, Term>,
    /// Names that occur in what is kept: they are inputs.
    mentioned: FxHashSet<Symbol>,
    bounds: FxHashMap<Term, Bounds>,
    /// What holds, over inputs, each once.
    pub conditions: Vec<Term>,
    known: FxHashSet<Term>,
    /// How many values an input does not have, beside what its bounds say.
    excluded: FxHashMap<Term, u64>,
    /// Whether something holds that bounds of single inputs do not say.
    has_more: bool,
}

/// What a step adds to the knowledge.
#[derive(Clone, Debug, Default)]
pub struct News {
    values: Vec<(Term, Term)>,
    /// What holds then, as far as it was not known.
    pub conditions: Vec<Term>,
    mentioned: FxHashSet<Symbol>,
}

/// A condition in place of a comparison of its value as a number: `(c ? 1 : 0) == 1` is `c`.
fn without_choice(terms: &mut Terms, condition: Term) -> Term {
    let is_negated = terms.op(condition) == Op::Not;
    let equation = if is_negated { terms.arg(condition, 0) } else { condition };
    if terms.op(equation) != Op::Eq {
        return condition;
    }
    let (left, right) = (terms.arg(equation, 0), terms.arg(equation, 1));
    for (choice, other) in [(left, right), (right, left)] {
        let [test, then, otherwise] = match (terms.op(choice), terms.args(choice)) {
            (Op::Ite, &[test, then, otherwise]) => [test, then, otherwise],
            _ => continue,
        };
        let is_known = |t: Term| terms.value(t).is_some();
        if !is_known(other) || !is_known(then) || !is_known(otherwise) {
            continue;
        }
        let holds = match (then == other, otherwise == other) {
            (true, true) => terms.tt(),
            (true, false) => test,
            (false, true) => terms.not(test),
            (false, false) => terms.ff(),
        };
        return if is_negated { terms.not(holds) } else { holds };
    }
    condition
}

/// The input that a condition bounds, if it speaks about one integer only and in whole multiples that
/// leave no gaps.
fn single_input(terms: &Terms, condition: Term) -> Option<Term> {
    let is_negated = terms.op(condition) == Op::Not;
    let atom = if is_negated { terms.arg(condition, 0) } else { condition };
    let (linear, relation) = terms.linear_atom(atom)?;
    let [(term, factor)] = &linear.monomials[..] else { return None };
    let is_one = *factor == Integer::ONE || *factor == -Integer::ONE;
    // A negated order is an order, and comes as one.
    let is_plain = !is_negated || relation == Relation::EqZero;
    (is_one && is_plain && terms.as_symbol(*term).is_some() && terms.sort(*term) == Sort::Int)
        .then_some(*term)
}

impl Knowledge {
    /// What new facts mean; `None` if they cannot hold.
    pub fn learn(
        &mut self,
        terms: &mut Terms,
        facts: &[Term],
        auxiliaries: &[Auxiliary],
    ) -> Option<News> {
        let mut news = News::default();
        for auxiliary in auxiliaries {
            let Some(witness) = auxiliary.witness else { continue };
            let witness = self.replaced(terms, witness);
            if let Some(value) = self.only_value(terms, witness) {
                let (name, value) = (terms.symbol(auxiliary.symbol), terms.int(value));
                self.define(terms, &mut news, name, value);
            }
        }
        let possible = facts.iter().all(|&fact| self.learn_fact(terms, fact, &mut news));
        // The caller decides whether to take this branch.
        for (name, _) in &news.values {
            self.values.remove(name);
        }
        possible.then_some(news)
    }

    /// Takes this branch.
    pub fn keep(&mut self, terms: &Terms, news: News) {
        self.mentioned.extend(news.mentioned);
        self.values.extend(news.values);
        for condition in news.conditions {
            if self.known.insert(condition) {
                self.conditions.push(condition);
                self.has_more |= single_input(terms, condition).is_none();
                self.bound(terms, condition);
            }
        }
    }

    /// Whether conditions can hold beside what is known, as far as that is plain: if bounds of single
    /// inputs are all there is, and they leave room.
    pub fn leaves_room(&self, terms: &Terms, conditions: &[Term]) -> bool {
        if self.has_more {
            return false;
        }
        let mut inputs = Vec::new();
        for &condition in conditions {
            let Some(input) = single_input(terms, condition) else { return false };
            inputs.push(input);
        }
        let mut narrowed = Self::default();
        for input in &inputs {
            narrowed.bounds.insert(*input, self.bounds.get(input).cloned().unwrap_or_default());
            narrowed.excluded.insert(*input, self.excluded.get(input).copied().unwrap_or(0));
        }
        for &condition in conditions {
            narrowed.bound(terms, condition);
        }
        inputs.iter().all(|input| {
            let Some(Bounds { low: Some(low), high: Some(high) }) = narrowed.bounds.get(input)
            else {
                return true;
            };
            let excluded = narrowed.excluded.get(input).copied().unwrap_or(0);
            high - low >= Integer::from(excluded)
        })
    }

    fn define(&mut self, terms: &mut Terms, news: &mut News, name: Term, value: Term) {
        if self.values.insert(name, value).is_none() {
            news.mentioned.extend(terms.free_symbols(value).iter());
            news.values.push((name, value));
        }
    }

    fn learn_fact(&mut self, terms: &mut Terms, fact: Term, news: &mut News) -> bool {
        let fact = self.replaced(terms, fact);
        if let Some((name, value)) = self.definition(terms, fact, news) {
            self.define(terms, news, name, value);
            return true;
        }
        for conjunct in terms.conjuncts(fact) {
            let conjunct = without_choice(terms, conjunct);
            match self.decided(terms, conjunct) {
                Some(false) => return false,
                Some(true) => {}
                None => {
                    news.mentioned.extend(terms.free_symbols(conjunct).iter());
                    news.conditions.push(conjunct);
                }
            }
        }
        fact != terms.ff()
    }

    /// The name and value of a fact that gives a name its value.
    fn definition(&self, terms: &mut Terms, fact: Term, news: &News) -> Option<(Term, Term)> {
        if terms.op(fact) != Op::Eq {
            return None;
        }
        let (left, right) = (terms.arg(fact, 0), terms.arg(fact, 1));
        for (name, value) in [(left, right), (right, left)] {
            if self.is_new(terms, name, news)
                && let Some(symbol) = terms.as_symbol(name)
                && !terms.free_symbols(value).contains(&symbol)
            {
                return Some((name, value));
            }
        }
        // Sums are kept in a normal form, which may have the name on either side.
        let (linear, _) = terms.linear_atom(fact)?;
        let is_one = |c: &Integer| *c == Integer::ONE || *c == -Integer::ONE;
        let (name, factor) =
            linear.monomials.iter().find(|(t, c)| is_one(c) && self.is_new(terms, *t, news))?;
        let rest = linear.add_scaled(&Linear::of(*name), &-factor.clone());
        let value = terms.from_linear(&rest.scaled(&-factor.clone()));
        let symbol = terms.as_symbol(*name)?;
        (!terms.free_symbols(value).contains(&symbol)).then_some((*name, value))
    }

    /// Whether a term is a name that nothing is known of.
    fn is_new(&self, terms: &Terms, name: Term, news: &News) -> bool {
        let is_input = |s: Symbol| self.mentioned.contains(&s) || news.mentioned.contains(&s);
        terms.as_symbol(name).is_some_and(|s| !is_input(s)) && !self.values.contains_key(&name)
    }

    fn replaced(&self, terms: &mut Terms, term: Term) -> Term {
        terms.substitute(term, &self.values)
    }

    /// Whether a condition is known to hold, or not to.
    fn decided(&self, terms: &Terms, condition: Term) -> Option<bool> {
        if condition == terms.tt() || self.known.contains(&condition) {
            return Some(true);
        }
        if condition == terms.ff() {
            return Some(false);
        }
        if terms.op(condition) == Op::Not {
            return self.decided(terms, terms.arg(condition, 0)).map(|holds| !holds);
        }
        let (linear, relation) = terms.linear_atom(condition)?;
        let Bounds { low, high } = self.bounds_of(&linear);
        let (above, below) = (|b: &Integer| *b > Integer::ZERO, |b: &Integer| *b < Integer::ZERO);
        match relation {
            Relation::LeZero if low.as_ref().is_some_and(above) => Some(false),
            Relation::LeZero if high.as_ref().is_some_and(|h| !above(h)) => Some(true),
            Relation::EqZero if low.as_ref().is_some_and(above) => Some(false),
            Relation::EqZero if high.as_ref().is_some_and(below) => Some(false),
            Relation::EqZero => {
                let is_zero = |b: Option<Integer>| b.is_some_and(|b| b == Integer::ZERO);
                (is_zero(low) && is_zero(high)).then_some(true)
            }
            _ => None,
        }
    }

    fn bounds_of(&self, linear: &Linear) -> Bounds {
        let mut sum =
            Bounds { low: Some(linear.constant.clone()), high: Some(linear.constant.clone()) };
        for (term, factor) in &linear.monomials {
            let Some(Bounds { low, high }) = self.bounds.get(term) else {
                return Bounds::default();
            };
            let (low, high) = if *factor < Integer::ZERO { (high, low) } else { (low, high) };
            let scaled = |bound: &Option<Integer>| bound.as_ref().map(|b| b * factor);
            sum.low = sum.low.zip(scaled(low)).map(|(a, b)| a + b);
            sum.high = sum.high.zip(scaled(high)).map(|(a, b)| a + b);
        }
        sum
    }

    /// The one value that an integer term can have: a constant, or a quotient of what is bounded.
    fn only_value(&self, terms: &Terms, term: Term) -> Option<Integer> {
        if let Some(value) = terms.value(term) {
            return Some(value.clone());
        }
        if terms.op(term) != Op::Div {
            return None;
        }
        let divisor = terms.value(terms.arg(term, 1)).filter(|d| **d > Integer::ZERO)?;
        let Bounds { low, high } = self.bounds_of(&terms.linear(terms.arg(term, 0)));
        let quotients = Interval::new(low?, high?).map(|bound| floor_div(bound, divisor));
        quotients.as_point().cloned()
    }

    /// A single input does not have a value: if that is its bound, there is a better one.
    fn exclude(&mut self, terms: &Terms, equation: Term) {
        let Some((linear, Relation::EqZero)) = terms.linear_atom(equation) else { return };
        let [(term, factor)] = &linear.monomials[..] else { return };
        *self.excluded.entry(*term).or_default() += 1;
        let Some(bounds) = self.bounds.get_mut(term) else { return };
        let excludes = |bound: &Integer| factor * bound + &linear.constant == Integer::ZERO;
        bounds.low = bounds.low.take().map(|b| if excludes(&b) { b + Integer::ONE } else { b });
        bounds.high = bounds.high.take().map(|b| if excludes(&b) { b - Integer::ONE } else { b });
    }

    /// The bounds that a condition gives to a single input.
    fn bound(&mut self, terms: &Terms, condition: Term) {
        if terms.op(condition) == Op::Not {
            self.exclude(terms, terms.arg(condition, 0));
            return;
        }
        let Some((linear, relation)) = terms.linear_atom(condition) else { return };
        let [(term, factor)] = &linear.monomials[..] else { return };
        if terms.sort(*term) != Sort::Int {
            return;
        }
        // `factor * term + constant` compares to zero; the factor becomes positive.
        let is_negative = *factor < Integer::ZERO;
        let sign = if is_negative { -Integer::ONE } else { Integer::ONE };
        let (factor, constant) = (factor * &sign, &linear.constant * &sign);
        let bounds = self.bounds.entry(*term).or_default();
        if !is_negative || relation == Relation::EqZero {
            let limit = floor_div(&-&constant, &factor);
            bounds.high = Some(bounds.high.take().map_or(limit.clone(), |h| h.min(limit)));
        }
        if is_negative || relation == Relation::EqZero {
            // Rounded up: the negated quotient of the other sign, rounded down.
            let limit = -floor_div(&constant, &factor);
            bounds.low = Some(bounds.low.take().map_or(limit.clone(), |l| l.max(limit)));
        }
    }
}
