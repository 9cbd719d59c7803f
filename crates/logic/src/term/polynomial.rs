//! Bit-vector terms as polynomials modulo a power of two.
//!
//! Sums, products, shifts by constants, conditionals and cuts of the low bits are polynomials over
//! what is none of these, its *atoms*; a condition is an atom that is one where it holds and zero elsewhere, so
//! `c ? s + 1 : s - 1` is `s + 2[c] - 1`. Two terms with the same polynomial are equal, whatever
//! the order in which they were computed: a sum over an array and the sum over its permutation,
//! which no SAT solver finds equal.
//!
//! The difference of two terms is taken apart from the top, latest terms first, so what both
//! share is never looked into. Terms know only their arguments, so the arena's order is one of
//! dependence. What becomes too large is left alone ([`MOST_STEPS`]).

use std::collections::BTreeMap;

use super::op::Op;
use super::{Term, Terms};

/// So much is done for one difference, and for what lies inside of one conditional or product.
const MOST_STEPS: usize = 8_000;
const MOST_STEPS_INSIDE: usize = 200;
/// Products of polynomials with more monomials are atoms.
const MOST_FACTORS: usize = 12;
/// Conditionals inside of conditionals and products are followed so deep.
const DEEPEST: usize = 40;
/// Wider terms are left alone.
const WIDEST: u32 = 128;

/// What is not computed by sums and products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The low bits of a term.
    Term(Term),
    /// One where the condition holds, zero elsewhere.
    Condition(Term),
}

/// A product of atoms, sorted.
type Monomial = Vec<Atom>;

/// Coefficients that are not zero, modulo a power of two; the constant stands at the empty monomial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, u128>);

/// What the difference of two terms says of whether they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// They are always, or never.
    Is(bool),
    /// If the low bits of a term are this constant.
    Constant(Term, u128),
    /// If the low bits of two terms are the same.
    Terms(Term, Term),
    /// If a condition has this truth.
    Condition(Term, bool),
    /// That is not simpler than it was.
    Other,
}

/// Work that is left, and the bits that count.
struct Reader<'t> {
    terms: &'t Terms,
    width: u32,
    steps: usize,
}

/// There is too much of it.
struct TooLarge;

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Polynomial {
    fn add(&mut self, monomial: Monomial, coefficient: u128, width: u32) {
        if coefficient & mask(width) == 0 {
            return;
        }
        let sum = self.0.entry(monomial.clone()).or_default();
        *sum = sum.wrapping_add(coefficient) & mask(width);
        if *sum == 0 {
            self.0.remove(&monomial);
        }
    }
}

impl Reader<'_> {
    fn step(&mut self, count: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(count).ok_or(TooLarge)?;
        Ok(())
    }

    fn constant(&self, term: Term) -> Option<u128> {
        let value = self.terms.value(term)?;
        u128::try_from(value).ok().map(|value| value & mask(self.width))
    }

    /// The polynomial of a sum of terms with coefficients.
    fn read(
        &mut self,
        summands: impl IntoIterator<Item = (Term, u128)>,
        depth: usize,
    ) -> Result<Polynomial, TooLarge> {
        let width = self.width;
        let mut open: BTreeMap<Term, u128> = BTreeMap::new();
        let add = |open: &mut BTreeMap<Term, u128>, term: Term, coefficient: u128| {
            let sum = open.entry(term).or_default();
            *sum = sum.wrapping_add(coefficient) & mask(width);
        };
        for (term, coefficient) in summands {
            add(&mut open, term, coefficient);
        }
        let mut read = Polynomial::default();
        while let Some((term, coefficient)) = open.pop_last() {
            self.step(1)?;
            if coefficient == 0 {
                continue;
            }
            if let Some(value) = self.constant(term) {
                read.add(Vec::new(), value.wrapping_mul(coefficient), width);
                continue;
            }
            let args = self.terms.args(term);
            match (self.terms.op(term), args) {
                (Op::BvAdd, _) => args.iter().for_each(|&arg| add(&mut open, arg, coefficient)),
                (Op::BvNeg, &[a]) => add(&mut open, a, coefficient.wrapping_neg()),
                (Op::BvNot, &[a]) => {
                    add(&mut open, a, coefficient.wrapping_neg());
                    read.add(Vec::new(), coefficient.wrapping_neg(), width);
                }
                (Op::BvShl, &[a, by]) if self.shift(by).is_some() => {
                    let by = self.shift(by).unwrap_or_default();
                    add(&mut open, a, coefficient.checked_shl(by).unwrap_or(0));
                }
                (Op::Extract { low: 0, .. }, &[a]) => add(&mut open, a, coefficient),
                (Op::ZeroExtend(_) | Op::SignExtend(_), &[a]) if self.terms.width(a) >= width => {
                    add(&mut open, a, coefficient);
                }
                (Op::BvMul, &[a, b]) => match (self.constant(a), self.constant(b)) {
                    (Some(value), _) => add(&mut open, b, coefficient.wrapping_mul(value)),
                    (_, Some(value)) => add(&mut open, a, coefficient.wrapping_mul(value)),
                    (None, None) => match self.inside(depth, |this| this.product(a, b, depth)) {
                        Some(product) => self.add_scaled(&mut read, &[], &product, coefficient)?,
                        None => read.add(vec![Atom::Term(term)], coefficient, width),
                    },
                },
                (Op::Ite, &[condition, then, other]) => {
                    let between = [(then, 1), (other, mask(width))];
                    match self.inside(depth, |this| this.read(between, depth + 1)) {
                        Some(change) => {
                            let atom = [Atom::Condition(condition)];
                            self.add_scaled(&mut read, &atom, &change, coefficient)?;
                            add(&mut open, other, coefficient);
                        }
                        None => read.add(vec![Atom::Term(term)], coefficient, width),
                    }
                }
                _ => read.add(vec![Atom::Term(term)], coefficient, width),
            }
        }
        Ok(read)
    }

    fn shift(&self, by: Term) -> Option<u32> {
        let value = u32::try_from(self.terms.value(by)?).ok()?;
        (value < WIDEST).then_some(value)
    }

    /// What lies inside of a term, unless it is too deep or too much; then the term is an atom.
    fn inside(
        &mut self,
        depth: usize,
        read: impl FnOnce(&mut Self) -> Result<Polynomial, TooLarge>,
    ) -> Option<Polynomial> {
        if depth >= DEEPEST {
            return None;
        }
        let all = self.steps;
        let allowed = all.min(MOST_STEPS_INSIDE);
        self.steps = allowed;
        let found = read(self).ok();
        let left = if found.is_some() { self.steps } else { 0 };
        self.steps = all - (allowed - left);
        found
    }

    fn product(&mut self, a: Term, b: Term, depth: usize) -> Result<Polynomial, TooLarge> {
        let (a, b) = (self.read([(a, 1)], depth + 1)?, self.read([(b, 1)], depth + 1)?);
        if a.0.len() * b.0.len() > MOST_FACTORS {
            return Err(TooLarge);
        }
        let mut product = Polynomial::default();
        for (monomial, &coefficient) in &a.0 {
            self.add_scaled(&mut product, monomial, &b, coefficient)?;
        }
        Ok(product)
    }

    /// Adds a polynomial times a monomial.
    fn add_scaled(
        &mut self,
        to: &mut Polynomial,
        monomial: &[Atom],
        polynomial: &Polynomial,
        coefficient: u128,
    ) -> Result<(), TooLarge> {
        for (factor, scale) in &polynomial.0 {
            self.step(1 + factor.len())?;
            let mut all: Monomial = monomial.iter().chain(factor).copied().collect();
            all.sort_unstable();
            // A condition times itself is itself.
            all.dedup_by(|a, b| a == b && matches!(a, Atom::Condition(_)));
            to.add(all, scale.wrapping_mul(coefficient), self.width);
        }
        Ok(())
    }
}

/// The inverse of an odd number modulo a power of two.
fn inverse(odd: u128) -> u128 {
    // Each step doubles the bits that are right; three are at first.
    (0..6)
        .fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

impl Terms {
    /// Whether a bit-vector term is computed by what polynomials are made of.
    pub(super) fn is_polynomial(&self, term: Term) -> bool {
        match self.op(term) {
            Op::BvAdd | Op::BvMul | Op::BvNeg | Op::BvNot | Op::Ite => true,
            Op::BvShl => self.value(self.arg(term, 1)).is_some(),
            Op::Extract { low: 0, .. } => self.is_polynomial(self.arg(term, 0)),
            _ => false,
        }
    }

    /// What the polynomials of two bit-vector terms say of their equality.
    pub(super) fn difference(&self, a: Term, b: Term) -> Difference {
        let width = self.width(a);
        let are_polynomials = self.is_polynomial(a) || self.is_polynomial(b);
        if width == 0 || width > WIDEST || self.width(b) != width || !are_polynomials {
            return Difference::Other;
        }
        let mut reader = Reader { terms: self, width, steps: MOST_STEPS };
        match reader.read([(a, 1), (b, mask(width))], 0) {
            Ok(difference) => difference.when_zero(width),
            Err(TooLarge) => Difference::Other,
        }
    }
}

impl Polynomial {
    /// When it is zero.
    fn when_zero(&self, width: u32) -> Difference {
        let constant = self.0.get(&Vec::new()).copied().unwrap_or(0);
        let mut rest = self.0.iter().filter(|(monomial, _)| !monomial.is_empty());
        let (first, second, third) = (rest.next(), rest.next(), rest.next());
        let single = |monomial: &Monomial| match monomial[..] {
            [atom] => Some(atom),
            _ => None,
        };
        match (first, second, third) {
            (None, ..) => Difference::Is(constant == 0),
            (Some((monomial, &factor)), None, _) => match single(monomial) {
                Some(Atom::Condition(condition)) => {
                    let holds = factor.wrapping_add(constant) & mask(width) == 0;
                    match (holds, constant == 0) {
                        (false, false) => Difference::Is(false),
                        (truth, _) => Difference::Condition(condition, truth),
                    }
                }
                Some(Atom::Term(term)) if factor & 1 == 1 => {
                    let value = constant.wrapping_neg().wrapping_mul(inverse(factor));
                    Difference::Constant(term, value & mask(width))
                }
                _ => self.parity(constant),
            },
            (Some((one, &factor)), Some((other, &opposite)), None)
                if constant == 0
                    && factor & 1 == 1
                    && factor.wrapping_add(opposite) & mask(width) == 0 =>
            {
                match (single(one), single(other)) {
                    (Some(Atom::Term(one)), Some(Atom::Term(other))) => {
                        Difference::Terms(one, other)
                    }
                    _ => Difference::Other,
                }
            }
            _ => self.parity(constant),
        }
    }

    /// It is never zero if the constant has a lower bit than all other coefficients.
    fn parity(&self, constant: u128) -> Difference {
        let lowest = constant.trailing_zeros();
        let others = self.0.iter().filter(|(monomial, _)| !monomial.is_empty());
        match constant != 0 && others.into_iter().all(|(_, c)| c.trailing_zeros() > lowest) {
            true => Difference::Is(false),
            false => Difference::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_inverses() {
        for odd in [1u128, 3, 5, 255, 0x1234_5677, u128::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
