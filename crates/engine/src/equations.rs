//! Candidate equations at locations, such as those of another analysis of the program.
//!
//! They become predicates that are tracked there from the beginning. As all predicates they are only
//! looked at, and the exploration finds out by itself in which states they hold: a candidate that is
//! wrong costs time, and never a verdict. What is saved are the refinements that would have
//! found them.

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, VarId};
use gnomon_logic::encode::{Encoder, Execution};
use gnomon_logic::number::power_of_two;
use gnomon_logic::{Sort, Term, Terms};

/// At a location, `Σ coefficients · variables + constant = 0` is a candidate, in integers or modulo 2^n.
/// In the theory of bits the width of the variables is the modulus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The function.
    pub func: FuncId,
    /// The location in it.
    pub loc: LocId,
    /// Variables of the function or globals, with their coefficients.
    pub terms: Vec<(VarId, i64)>,
    /// The constant.
    pub constant: i64,
    /// The bits of the modulus, if there is one.
    pub modulo_bits: Option<u32>,
}

impl Equation {
    /// The equation as an atom without indices; nothing if a variable lives in memory, or numbers of
    /// different widths meet.
    pub fn atom(&self, encoder: &mut Encoder<'_>, terms: &mut Terms) -> Option<Term> {
        let at_start = Execution::default();
        let mut values = Vec::with_capacity(self.terms.len());
        for &(var, coefficient) in &self.terms {
            values.push((encoder.read_variable(terms, &at_start, var)?, coefficient));
        }
        let sort = terms.sort(values.first()?.0);
        if values.iter().any(|(value, _)| terms.sort(*value) != sort) {
            return None;
        }
        let (sum, zero) = match sort {
            Sort::Int => {
                let mut sum = terms.int(self.constant);
                for (value, coefficient) in values {
                    let product = terms.mul_by(coefficient, value);
                    sum = terms.add(sum, product);
                }
                if let Some(bits) = self.modulo_bits {
                    let modulus = terms.int(power_of_two(bits));
                    sum = terms.modulo(sum, modulus);
                }
                (sum, terms.int(0))
            }
            Sort::BitVec(width) => {
                let mut sum = terms.bv(self.constant, width);
                for (value, coefficient) in values {
                    let coefficient = terms.bv(coefficient, width);
                    let product = terms.bv_mul(coefficient, value);
                    sum = terms.bv_add(sum, product);
                }
                (sum, terms.bv(0, width))
            }
            _ => return None,
        };
        let atom = terms.eq(sum, zero);
        let atom = terms.without_indices(atom);
        (atom != terms.tt() && atom != terms.ff()).then_some(atom)
    }
}
