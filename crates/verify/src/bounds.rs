//! Facts of the abstract interpreter as formulas over the variables of the program.

use gnomon_engine::check::Task;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::ops::Scalar;
use gnomon_logic::encode::scalar::constant;
use gnomon_logic::encode::{Encoder, Execution, Theory};
use gnomon_logic::{Op, Term, Terms};
use gnomon_numeric::facts::Fact;
use gnomon_numeric::float::{Float, bits};
use gnomon_numeric::int::Shape;

/// Writes facts as formulas.
pub(crate) struct Writer<'p> {
    encoder: Encoder<'p>,
    theory: Theory,
    /// Where the formulas live.
    pub terms: Terms,
}

impl<'p> Writer<'p> {
    /// In a theory; nothing where the program has no encoding.
    pub fn new(task: &Task<'p>, theory: Theory) -> Option<Self> {
        let encoder = task.encoder(theory).ok()?;
        Some(Self { encoder, theory, terms: Terms::new() })
    }

    /// All of the facts that can be written.
    pub fn all(&mut self, facts: &[Fact]) -> Term {
        let written: Vec<Term> = facts.iter().filter_map(|fact| self.fact(fact)).collect();
        self.terms.and(&written)
    }

    /// A fact without indices.
    pub fn fact(&mut self, fact: &Fact) -> Option<Term> {
        let formula = match self.theory {
            Theory::Int => self.in_integers(fact)?,
            Theory::Bits => self.in_bits(fact)?,
        };
        let formula = self.terms.without_indices(formula);
        (formula != self.terms.tt()).then_some(formula)
    }

    fn read(&mut self, place: PlaceId) -> Option<Term> {
        self.encoder.read(&mut self.terms, &Execution::default(), place).ok()
    }

    fn in_integers(&mut self, fact: &Fact) -> Option<Term> {
        Some(match *fact {
            Fact::AtLeast(place, _, low) => {
                let (value, low) = (self.read(place)?, self.terms.int(low));
                self.terms.le(low, value)
            }
            Fact::AtMost(place, _, high) => {
                let (value, high) = (self.read(place)?, self.terms.int(high));
                self.terms.le(value, high)
            }
            Fact::Congruent(place, _, modulus, residue) => {
                let value = self.read(place)?;
                let (modulus, residue) = (self.terms.int(modulus), self.terms.int(residue));
                let rest = self.terms.modulo(value, modulus);
                self.terms.eq(rest, residue)
            }
            Fact::Difference((a, _), (b, _), bound) => {
                let (a, b) = (self.read(a)?, self.read(b)?);
                let moved = self.terms.add_constant(b, bound);
                self.terms.le(a, moved)
            }
            Fact::Null(place) => {
                let (value, zero) = (self.read(place)?, self.terms.int(0));
                self.terms.eq(value, zero)
            }
            Fact::NonNull(place) => {
                let (value, zero) = (self.read(place)?, self.terms.int(0));
                self.terms.ne(value, zero)
            }
            Fact::Bits(..) | Fact::Float(..) => return None,
        })
    }

    fn in_bits(&mut self, fact: &Fact) -> Option<Term> {
        Some(match *fact {
            Fact::AtLeast(place, shape, low) => {
                let (value, low) = (self.read(place)?, self.number(shape, low));
                self.less_or_equal(shape, low, value)
            }
            Fact::AtMost(place, shape, high) => {
                let (value, high) = (self.read(place)?, self.number(shape, high));
                self.less_or_equal(shape, value, high)
            }
            Fact::Congruent(place, shape, modulus, residue) => {
                if modulus >= shape.count() {
                    return None;
                }
                let width = u32::from(shape.bits) + 2;
                let value = self.read(place)?;
                let value = self.extended(shape, value, width);
                let (modulus, residue) =
                    (self.terms.bv(modulus, width), self.terms.bv(residue, width));
                let moved = self.terms.bv_sub(value, residue);
                let rest = self.terms.bv_srem(moved, modulus);
                let zero = self.terms.bv(0, width);
                self.terms.eq(rest, zero)
            }
            Fact::Bits(place, shape, known, ones) => {
                let value = self.read(place)?;
                let mask = self.terms.bv(known, u32::from(shape.bits));
                let kept = self.terms.bv_and(value, mask);
                let ones = self.terms.bv(ones, u32::from(shape.bits));
                self.terms.eq(kept, ones)
            }
            Fact::Difference((a, first), (b, second), bound) => {
                let width = u32::from(first.bits.max(second.bits)) + 3;
                let (a, b) = (self.read(a)?, self.read(b)?);
                let (a, b) = (self.extended(first, a, width), self.extended(second, b, width));
                let bound = self.terms.bv(bound, width);
                let moved = self.terms.bv_add(b, bound);
                self.terms.bv_sle(a, moved)
            }
            Fact::Float(place, kind, float) => {
                let value = self.read(place)?;
                self.float(value, kind, &float)
            }
            Fact::Null(place) | Fact::NonNull(place) => {
                let value = self.read(place)?;
                let zero = self.terms.bv(0, self.terms.width(value));
                let equal = self.terms.eq(value, zero);
                if matches!(fact, Fact::Null(_)) { equal } else { self.terms.not(equal) }
            }
        })
    }

    /// In its range, or NaN.
    fn float(&mut self, value: Term, kind: gnomon_ir::types::FloatKind, float: &Float) -> Term {
        let end = |terms: &mut Terms, number: f64| {
            constant(terms, Theory::Bits, Scalar::Float(kind), bits(kind, number))
        };
        let mut within = Vec::new();
        if float.is_empty() {
            within.push(self.terms.ff());
        } else {
            // Comparisons are false for NaN, so the infinite end says that it is none.
            let low = end(&mut self.terms, float.low);
            let high = end(&mut self.terms, float.high);
            within.push(self.terms.make(Op::FloatLe, &[low, value]));
            within.push(self.terms.make(Op::FloatLe, &[value, high]));
        }
        let within = self.terms.and(&within);
        if !float.nan {
            return within;
        }
        let nan = self.terms.make(Op::FloatIsNan, &[value]);
        self.terms.or2(within, nan)
    }

    fn number(&mut self, shape: Shape, value: i128) -> Term {
        self.terms.bv(shape.pattern(value), u32::from(shape.bits))
    }

    fn less_or_equal(&mut self, shape: Shape, a: Term, b: Term) -> Term {
        if shape.signed { self.terms.bv_sle(a, b) } else { self.terms.bv_ule(a, b) }
    }

    fn extended(&mut self, shape: Shape, value: Term, width: u32) -> Term {
        let by = width - u32::from(shape.bits);
        if shape.signed {
            self.terms.sign_extend(by, value)
        } else {
            self.terms.zero_extend(by, value)
        }
    }
}
