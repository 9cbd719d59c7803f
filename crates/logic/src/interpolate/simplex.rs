//! Linear programming over exact rationals: an incremental simplex that explains infeasibility.
//!
//! The general simplex of Dutertre and de Moura: every constraint bounds a variable or a *direction*
//! (a primitive integer vector, first coefficient positive), which is a row of the tableau; parallel
//! constraints share one row, so the guards of an unrolled loop, once the assignments between them
//! are eliminated, cost one row together. When a row cannot be brought within its bounds, it names
//! the constraints that are in conflict, each with a multiplier: Farkas' lemma, AFP's rule COMB. As
//! the conflict comes from one row of a tableau, it is irredundant.
//!
//! Bland's rule makes it deterministic and ends it; a limit on pivots bounds it.

use crate::Integer;
use crate::number::abs;
use crate::term::{Linear, Term};
use dashu_ratio::RBig;
use gnomon_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An exact rational.
pub(super) type Rational = RBig;

/// Names a constraint; the numbers are the caller's.
pub(super) type ConstraintId = u32;

/// Multipliers of constraints whose weighted sum is a contradiction.
pub(super) type Multipliers = Vec<(ConstraintId, Rational)>;

/// What became of a new constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There is a rational solution.
    Consistent,
    /// There is none: the multipliers prove it.
    Conflict(Multipliers),
    /// The limit on pivots was reached.
    TooHard,
}

#[derive(Clone)]
struct Bound {
    value: Rational,
    constraint: ConstraintId,
    /// The bound (`variable - value <= 0`, or `value - variable <= 0`) is the constraint times
    /// this.
    factor: Rational,
}

type Variable = u32;

#[derive(Clone, Default)]
struct Column {
    lower: Option<Bound>,
    upper: Option<Bound>,
    value: Rational,
    /// The row of a basic variable.
    row: Option<u32>,
}

#[derive(Clone)]
struct Row {
    basic: Variable,
    coefficients: BTreeMap<Variable, Rational>,
}

/// The tableau. Cloned to try a case and come back.
#[derive(Clone)]
pub(super) struct Simplex {
    columns: Vec<Column>,
    rows: Vec<Row>,
    variable_of: FxHashMap<Term, Variable>,
    slack_of: FxHashMap<Vec<(Variable, Integer)>, Variable>,
    terms: Vec<(Term, Variable)>,
    pivots_left: u32,
}

enum Side {
    Below,
    Above,
}

impl Simplex {
    /// An empty tableau that may make so many pivots.
    pub(super) fn new(pivots: u32) -> Self {
        Self {
            columns: Vec::new(),
            rows: Vec::new(),
            variable_of: FxHashMap::default(),
            slack_of: FxHashMap::default(),
            terms: Vec::new(),
            pivots_left: pivots,
        }
    }

    /// Whether a term occurs in a constraint.
    pub(super) fn mentions(&self, term: Term) -> bool {
        self.variable_of.contains_key(&term)
    }

    /// The first term, in the order of occurrence, whose value in the current solution is no
    /// integer.
    pub(super) fn fractional(&self) -> Option<(Term, &Rational)> {
        self.terms
            .iter()
            .map(|&(term, variable)| (term, &self.columns[variable as usize].value))
            .find(|(_, value)| !value.is_int())
    }

    fn column(&mut self) -> Variable {
        self.columns.push(Column::default());
        (self.columns.len() - 1) as Variable
    }

    fn variable(&mut self, term: Term) -> Variable {
        if let Some(&known) = self.variable_of.get(&term) {
            return known;
        }
        let new = self.column();
        self.variable_of.insert(term, new);
        self.terms.push((term, new));
        new
    }

    /// The variable that stands for a direction.
    fn direction(&mut self, direction: Vec<(Variable, Integer)>) -> Variable {
        if let [(variable, _)] = direction[..] {
            return variable;
        }
        if let Some(&known) = self.slack_of.get(&direction) {
            return known;
        }
        let slack = self.column();
        let mut coefficients: BTreeMap<Variable, Rational> = BTreeMap::new();
        for (variable, coefficient) in &direction {
            let coefficient = Rational::from(coefficient.clone());
            match self.columns[*variable as usize].row {
                None => add_to(&mut coefficients, *variable, &coefficient),
                Some(row) => {
                    for (&inner, c) in &self.rows[row as usize].coefficients {
                        add_to(&mut coefficients, inner, &(c * &coefficient));
                    }
                }
            }
        }
        let value = coefficients
            .iter()
            .fold(Rational::ZERO, |sum, (&v, c)| sum + c * &self.columns[v as usize].value);
        let at = self.rows.len() as u32;
        self.rows.push(Row { basic: slack, coefficients });
        self.columns[slack as usize].value = value;
        self.columns[slack as usize].row = Some(at);
        self.slack_of.insert(direction, slack);
        slack
    }

    /// Adds `linear <= 0`, or `linear = 0` if `equal`. The linear combination must mention a term.
    pub(super) fn assert(
        &mut self,
        linear: &Linear,
        equal: bool,
        constraint: ConstraintId,
        budget: &Budget,
    ) -> Result<Outcome, Exhausted> {
        let mut monomials: Vec<(Variable, Integer)> =
            linear.monomials.iter().map(|(t, c)| (self.variable(*t), c.clone())).collect();
        monomials.sort_unstable_by_key(|m| m.0);
        let content = linear.content();
        let scale = if monomials[0].1 < Integer::ZERO { -content } else { content };
        for (_, coefficient) in &mut monomials {
            *coefficient = &*coefficient / &scale;
        }
        // linear = scale * direction + constant.
        let variable = self.direction(monomials);
        let scale = Rational::from(scale);
        let value = -Rational::from(linear.constant.clone()) / &scale;
        let factor = Rational::ONE / &scale;
        let positive = scale > Rational::ZERO;
        if equal || positive {
            let bound = Bound { value: value.clone(), constraint, factor: factor.clone() };
            if let Some(conflict) = self.tighten_upper(variable, bound) {
                return Ok(Outcome::Conflict(conflict));
            }
        }
        if equal || !positive {
            let bound = Bound { value, constraint, factor: -factor };
            if let Some(conflict) = self.tighten_lower(variable, bound) {
                return Ok(Outcome::Conflict(conflict));
            }
        }
        self.solve(budget)
    }

    fn tighten_upper(&mut self, variable: Variable, bound: Bound) -> Option<Multipliers> {
        let column = &mut self.columns[variable as usize];
        if column.upper.as_ref().is_some_and(|b| b.value <= bound.value) {
            return None;
        }
        if let Some(lower) = column.lower.as_ref().filter(|l| l.value > bound.value) {
            return Some(vec![
                (lower.constraint, lower.factor.clone()),
                (bound.constraint, bound.factor),
            ]);
        }
        let target =
            (column.row.is_none() && column.value > bound.value).then(|| bound.value.clone());
        column.upper = Some(bound);
        if let Some(target) = target {
            self.move_to(variable, target);
        }
        None
    }

    fn tighten_lower(&mut self, variable: Variable, bound: Bound) -> Option<Multipliers> {
        let column = &mut self.columns[variable as usize];
        if column.lower.as_ref().is_some_and(|b| b.value >= bound.value) {
            return None;
        }
        if let Some(upper) = column.upper.as_ref().filter(|u| u.value < bound.value) {
            return Some(vec![
                (upper.constraint, upper.factor.clone()),
                (bound.constraint, bound.factor),
            ]);
        }
        let target =
            (column.row.is_none() && column.value < bound.value).then(|| bound.value.clone());
        column.lower = Some(bound);
        if let Some(target) = target {
            self.move_to(variable, target);
        }
        None
    }

    /// Gives a nonbasic variable another value.
    fn move_to(&mut self, variable: Variable, value: Rational) {
        let change = &value - &self.columns[variable as usize].value;
        self.columns[variable as usize].value = value;
        for row in &self.rows {
            if let Some(c) = row.coefficients.get(&variable) {
                self.columns[row.basic as usize].value += c * &change;
            }
        }
    }

    /// The basic variable with the smallest number that is out of its bounds.
    fn violated(&self) -> Option<(Variable, Side)> {
        let mut found: Option<(Variable, Side)> = None;
        for row in &self.rows {
            if found.as_ref().is_some_and(|(v, _)| *v < row.basic) {
                continue;
            }
            let column = &self.columns[row.basic as usize];
            if column.lower.as_ref().is_some_and(|b| column.value < b.value) {
                found = Some((row.basic, Side::Below));
            } else if column.upper.as_ref().is_some_and(|b| column.value > b.value) {
                found = Some((row.basic, Side::Above));
            }
        }
        found
    }

    fn solve(&mut self, budget: &Budget) -> Result<Outcome, Exhausted> {
        while let Some((basic, side)) = self.violated() {
            budget.check()?;
            let Some(row) = self.columns[basic as usize].row else { continue };
            let entering = self.rows[row as usize]
                .coefficients
                .iter()
                .find(|(v, c)| {
                    let column = &self.columns[**v as usize];
                    let increase = matches!(side, Side::Below) == (**c > Rational::ZERO);
                    if increase {
                        column.upper.as_ref().is_none_or(|b| column.value < b.value)
                    } else {
                        column.lower.as_ref().is_none_or(|b| column.value > b.value)
                    }
                })
                .map(|(&v, _)| v);
            let Some(entering) = entering else {
                return Ok(Outcome::Conflict(self.explain(row, &side)));
            };
            if self.pivots_left == 0 {
                return Ok(Outcome::TooHard);
            }
            self.pivots_left -= 1;
            let column = &self.columns[basic as usize];
            let bound = match side {
                Side::Below => &column.lower,
                Side::Above => &column.upper,
            };
            let Some(target) = bound.as_ref().map(|b| b.value.clone()) else { continue };
            self.pivot(row, entering, target);
        }
        Ok(Outcome::Consistent)
    }

    /// Exchanges the basic variable of a row, which gets the value `target`, with a nonbasic one.
    fn pivot(&mut self, row: u32, entering: Variable, target: Rational) {
        let leaving = self.rows[row as usize].basic;
        let coefficient = self.rows[row as usize].coefficients[&entering].clone();
        let change = (&target - &self.columns[leaving as usize].value) / &coefficient;
        self.columns[leaving as usize].value = target;
        let moved = &self.columns[entering as usize].value + &change;
        self.columns[entering as usize].value = moved;
        for (at, other) in self.rows.iter().enumerate() {
            if at as u32 != row
                && let Some(c) = other.coefficients.get(&entering)
            {
                self.columns[other.basic as usize].value += c * &change;
            }
        }
        // leaving = c * entering + rest gives entering = leaving/c - rest/c.
        let mut solved: BTreeMap<Variable, Rational> = BTreeMap::new();
        for (&variable, c) in &self.rows[row as usize].coefficients {
            if variable != entering {
                solved.insert(variable, -(c / &coefficient));
            }
        }
        solved.insert(leaving, Rational::ONE / &coefficient);
        for (at, other) in self.rows.iter_mut().enumerate() {
            if at as u32 != row
                && let Some(factor) = other.coefficients.remove(&entering)
            {
                for (&variable, c) in &solved {
                    add_to(&mut other.coefficients, variable, &(c * &factor));
                }
            }
        }
        self.rows[row as usize] = Row { basic: entering, coefficients: solved };
        self.columns[entering as usize].row = Some(row);
        self.columns[leaving as usize].row = None;
    }

    /// The constraints that keep a row out of its bounds.
    fn explain(&self, row: u32, side: &Side) -> Multipliers {
        let row = &self.rows[row as usize];
        let below = matches!(side, Side::Below);
        let mut multipliers = Vec::with_capacity(row.coefficients.len() + 1);
        let mut add = |bound: &Option<Bound>, weight: Rational| {
            if let Some(bound) = bound {
                multipliers.push((bound.constraint, &bound.factor * weight));
            }
        };
        let basic = &self.columns[row.basic as usize];
        add(if below { &basic.lower } else { &basic.upper }, Rational::ONE);
        for (&variable, c) in &row.coefficients {
            let column = &self.columns[variable as usize];
            let positive = *c > Rational::ZERO;
            let weight = if positive { c.clone() } else { -c.clone() };
            add(if positive == below { &column.upper } else { &column.lower }, weight);
        }
        multipliers
    }
}

fn add_to(sum: &mut BTreeMap<Variable, Rational>, variable: Variable, amount: &Rational) {
    use std::collections::btree_map::Entry;
    match sum.entry(variable) {
        Entry::Vacant(entry) => {
            if !amount.is_zero() {
                entry.insert(amount.clone());
            }
        }
        Entry::Occupied(mut entry) => {
            *entry.get_mut() += amount;
            if entry.get().is_zero() {
                entry.remove();
            }
        }
    }
}

/// The multipliers as integers without common divisor, in the same proportions.
pub(super) fn integral(multipliers: &[(ConstraintId, Rational)]) -> Vec<(ConstraintId, Integer)> {
    let mut denominator = Integer::ONE;
    for (_, m) in multipliers {
        let d = Integer::from(m.denominator().clone());
        let shared = crate::number::gcd(&denominator, &d);
        denominator = denominator * d / shared;
    }
    let mut content = Integer::ZERO;
    let mut scaled = Vec::with_capacity(multipliers.len());
    for (constraint, m) in multipliers {
        let d = Integer::from(m.denominator().clone());
        let value = m.numerator() * (&denominator / d);
        content = crate::number::gcd(&content, &value);
        scaled.push((*constraint, value));
    }
    if content > Integer::ONE {
        for (_, value) in &mut scaled {
            *value = &*value / &content;
        }
    }
    scaled.retain(|(_, value)| abs(value) > Integer::ZERO);
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Relation, Scope, Sort, Terms};

    fn assert_all(rows: &[Linear]) -> Outcome {
        let mut simplex = Simplex::new(1000);
        for (at, row) in rows.iter().enumerate() {
            match simplex.assert(row, false, at as u32, &Budget::unlimited()) {
                Ok(Outcome::Consistent) => {}
                Ok(other) => return other,
                Err(_) => return Outcome::TooHard,
            }
        }
        Outcome::Consistent
    }

    #[test]
    fn afp_figure_4_is_refuted_with_equal_multipliers() {
        // 0 <= y - x, 0 <= z - y, 0 <= x - z - 1.
        let mut t = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| {
            let variable = t.variable(name, Scope::Global, Sort::Int);
            t.var(variable)
        });
        let less = t.add_constant(x, -1);
        let atoms = [t.le(x, y), t.le(y, z), t.le(z, less)];
        let rows = atoms.map(|a| t.linear_atom(a).map(|(l, r)| (l, r == Relation::LeZero)));
        let rows: Vec<Linear> = rows.into_iter().flatten().map(|(l, _)| l).collect();
        let Outcome::Conflict(multipliers) = assert_all(&rows) else { panic!("no conflict") };
        let mut multipliers = integral(&multipliers);
        multipliers.sort();
        let one = Integer::ONE;
        assert_eq!(multipliers, [(0, one.clone()), (1, one.clone()), (2, one)]);
        assert_eq!(assert_all(&rows[..2]), Outcome::Consistent);
    }
}
