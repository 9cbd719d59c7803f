//! Affine relations as users read them.

use std::fmt;

use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_wpds::domains::affine::{Modular, Module, Rationals, Scalars};

use crate::affine::variables::Variables;

/// Numbers that can be shown.
pub trait ShownNumbers: Scalars {
    /// Whether a number is shown as negative, and its size.
    fn parts(&self, number: &Self::Number) -> (bool, String);

    /// What is behind an equation.
    fn modulus(&self) -> Option<u32>;

    /// How large a number looks.
    fn size(&self, number: &Self::Number) -> f64;
}

impl ShownNumbers for Modular {
    /// The representative next to zero.
    fn parts(&self, number: &u64) -> (bool, String) {
        let half = 1u64 << (self.bits() - 1);
        if *number > half {
            (true, self.subtract(&0, number).to_string())
        } else {
            (false, number.to_string())
        }
    }

    fn modulus(&self) -> Option<u32> {
        Some(self.bits())
    }

    fn size(&self, number: &u64) -> f64 {
        (*number).min(self.subtract(&0, number)) as f64
    }
}

impl ShownNumbers for Rationals {
    fn parts(&self, number: &Self::Number) -> (bool, String) {
        let text = number.to_string();
        match text.strip_prefix('-') {
            Some(size) => (true, size.to_owned()),
            None => (false, text),
        }
    }

    fn modulus(&self) -> Option<u32> {
        None
    }

    fn size(&self, _number: &Self::Number) -> f64 {
        // Reduced rows over a field are as they are.
        0.0
    }
}

/// A relation `Σ coefficients · variables + constant = 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation<N> {
    /// Variables with coefficients other than zero, in order.
    pub terms: Vec<(VarId, N)>,
    /// The constant.
    pub constant: N,
}

/// The relations that hold at a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Relations<N> {
    /// The point cannot be reached.
    Unreachable,
    /// These and what follows from them.
    Hold(Vec<Relation<N>>),
}

impl<N> Relations<N> {
    /// The relations, none where the point cannot be reached.
    pub fn all(&self) -> &[Relation<N>] {
        match self {
            Relations::Unreachable => &[],
            Relations::Hold(relations) => relations,
        }
    }
}

/// The relations between the variables that are visible in a function, out of all relations
/// between places (the constant at position 0): those in which nothing else occurs.
pub(super) fn visible<R: ShownNumbers>(
    ring: &R,
    program: &Program,
    variables: &Variables,
    func: FuncId,
    all: &Module<R::Number>,
) -> Vec<Relation<R::Number>> {
    // Solved for what was declared last, where that is possible: `j = 2*i`, not `i = j/2`.
    let mut seen = variables.visible(program, func);
    seen.reverse();
    let hidden: Vec<usize> = (0..variables.count())
        .filter(|p| !seen.iter().any(|(place, _)| place == p))
        .map(|p| p + 1)
        .collect();
    // With what is hidden in front, the rows behind it generate exactly what is asked for.
    let order: Vec<usize> =
        hidden.iter().copied().chain(seen.iter().map(|(p, _)| p + 1)).chain([0]).collect();
    let permuted = all.generators().map(|g| order.iter().map(|&i| g[i].clone()).collect());
    let module = Module::generated(ring, permuted);
    let mut rows: Vec<Vec<R::Number>> = module.behind(hidden.len()).map(<[_]>::to_vec).collect();
    make_small(ring, &mut rows);
    rows.into_iter()
        .map(|own| {
            let terms = seen.iter().zip(&own).filter(|(_, n)| !ring.is_zero(n));
            Relation {
                terms: terms.map(|((_, var), n)| (*var, n.clone())).collect(),
                constant: own[seen.len()].clone(),
            }
        })
        .collect()
}

/// Adds rows to earlier ones where the numbers become smaller and no variable comes in: `b = a + 1`, though with
/// `128*a = 128` it could be `b = -127*a - 127`.
fn make_small<R: ShownNumbers>(ring: &R, rows: &mut [Vec<R::Number>]) {
    let size = |row: &[R::Number]| row.iter().map(|n| ring.size(n)).sum::<f64>();
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            let both = || rows[i].iter().zip(&rows[j]);
            let more: Vec<R::Number> = both().map(|(a, b)| ring.add(a, b)).collect();
            let less: Vec<R::Number> = both().map(|(a, b)| ring.subtract(a, b)).collect();
            let better = if size(&more) < size(&less) { more } else { less };
            let variables = |row: &[R::Number]| row.iter().filter(|n| !ring.is_zero(n)).count();
            if variables(&better) <= variables(&rows[i]) && size(&better) < size(&rows[i]) {
                rows[i] = better;
            }
        }
    }
}

/// Shows a relation: `x = 2*y + 1`, or `4*x + 8 = 0 (mod 2^8)` where nothing can be solved for.
pub struct Shown<'a, R: ShownNumbers> {
    /// The numbers.
    pub ring: &'a R,
    /// The program.
    pub program: &'a Program,
    /// The relation.
    pub relation: &'a Relation<R::Number>,
}

impl<R: ShownNumbers> Shown<'_, R> {
    fn sum(&self, terms: &[(String, R::Number)], constant: &R::Number) -> String {
        let mut text = String::new();
        let mut add = |negative: bool, part: &str| match (text.is_empty(), negative) {
            (true, false) => text.push_str(part),
            (true, true) => text.push_str(&format!("-{part}")),
            (false, false) => text.push_str(&format!(" + {part}")),
            (false, true) => text.push_str(&format!(" - {part}")),
        };
        for (name, number) in terms {
            let (negative, size) = self.ring.parts(number);
            if size == "1" {
                add(negative, name);
            } else {
                add(negative, &format!("{size}*{name}"));
            }
        }
        if !self.ring.is_zero(constant) {
            let (negative, size) = self.ring.parts(constant);
            add(negative, &size);
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn name(&self, var: VarId) -> String {
        let unique = &self.program.vars[var].name;
        let name = source_name(unique);
        if name.is_empty() { unique.clone() } else { name.to_owned() }
    }
}

impl<R: ShownNumbers> fmt::Display for Shown<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<(String, R::Number)> =
            self.relation.terms.iter().map(|(v, n)| (self.name(*v), n.clone())).collect();
        let negated = |n: &R::Number| self.ring.subtract(&self.ring.zero(), n);
        match named.split_first() {
            Some(((name, one), rest)) if *one == self.ring.one() => {
                let rest: Vec<_> = rest.iter().map(|(v, n)| (v.clone(), negated(n))).collect();
                let right = self.sum(&rest, &negated(&self.relation.constant));
                write!(f, "{name} = {right}")?;
            }
            _ => write!(f, "{} = 0", self.sum(&named, &self.relation.constant))?,
        }
        match self.ring.modulus() {
            Some(bits) => write!(f, " (mod 2^{bits})"),
            None => Ok(()),
        }
    }
}
