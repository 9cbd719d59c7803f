//! What is known at a point of a run: a value for each cell, bounds of differences, and comparisons
//! whose results are kept in cells.
//!
//! A difference is `a - b <= c` between the mathematical values of two cells that the program relates
//! somewhere ([`Model::related`]): a sparse form of difference bound matrices (Miné, *A New Numerical
//! Abstract Domain Based on Difference-Bound Matrices*, 2001). Only what bounds of the two cells do
//! not say already is kept; closing is local, when a cell is written and when a bound is added.
//!
//! A comparison that was stored (`int c = x < y;`, and the argument of every `assume(x < y)`) is
//! remembered with the cell until something that it reads is written; where the cell is found to be
//! true, so is the comparison (symbolic constants, Miné 2006).

use std::rc::Rc;

use gnomon_ir::expr::ExprId;

use crate::int::{Int, Shape};
use crate::map::Map;
use crate::model::{Cell, Model};
use crate::value::Value;

/// What is known at a point of a run that can be reached.
#[derive(Clone, Debug, Default)]
pub struct State {
    values: Map<Value>,
    /// By `a` and `b`: the greatest value of `a - b`.
    differences: Map<i128>,
    /// What cells are the results of, sorted.
    comparisons: Rc<Vec<(Cell, ExprId)>>,
}

fn pair(a: Cell, b: Cell) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

fn cells(key: u64) -> (Cell, Cell) {
    ((key >> 32) as Cell, key as Cell)
}

/// Bounds of a cell, by what is known of it.
fn bounds(values: &Map<Value>, model: &Model<'_>, cell: Cell) -> Option<(i128, i128)> {
    let shape = model.shape(cell)?;
    Some(match values.get(u64::from(cell)) {
        Some(value) => {
            let int = value.as_int(shape);
            (int.low, int.high)
        }
        None => (shape.min(), shape.max()),
    })
}

/// The greatest difference that bounds allow.
fn implied(values: &Map<Value>, model: &Model<'_>, key: u64) -> Option<i128> {
    let (a, b) = cells(key);
    Some(bounds(values, model, a)?.1 - bounds(values, model, b)?.0)
}

impl State {
    /// What is known of a cell.
    pub fn value(&self, cell: Cell) -> Value {
        self.values.get(u64::from(cell)).copied().unwrap_or(Value::Any)
    }

    /// All that is known of cells, in order.
    pub fn values(&self) -> Vec<(Cell, Value)> {
        self.values.entries().into_iter().map(|(key, value)| (key as Cell, value)).collect()
    }

    /// All differences that are bounded by more than their cells, in order.
    pub fn differences(&self) -> Vec<(Cell, Cell, i128)> {
        let entry = |(key, bound)| (cells(key).0, cells(key).1, bound);
        self.differences.entries().into_iter().map(entry).collect()
    }

    /// Whether both are the same without looking.
    pub fn is_same(&self, other: &Self) -> bool {
        self.values.is_same(&other.values)
            && self.differences.is_same(&other.differences)
            && (Rc::ptr_eq(&self.comparisons, &other.comparisons)
                || self.comparisons == other.comparisons)
    }

    /// The comparison that a cell is the result of.
    pub fn comparison(&self, cell: Cell) -> Option<ExprId> {
        let at = self.comparisons.binary_search_by_key(&cell, |(cell, _)| *cell).ok()?;
        Some(self.comparisons[at].1)
    }

    /// A cell was written with what does not matter any more.
    pub fn forget(&mut self, model: &Model<'_>, cell: Cell) {
        self.forget_differences(model, cell);
        self.forget_comparisons(model, cell);
        self.values.remove(u64::from(cell));
    }

    /// A cell gets a value.
    pub fn set(&mut self, model: &Model<'_>, cell: Cell, value: Value) {
        self.forget_differences(model, cell);
        self.forget_comparisons(model, cell);
        self.put(cell, value);
    }

    fn put(&mut self, cell: Cell, value: Value) {
        match value {
            Value::Any => self.values.remove(u64::from(cell)),
            value => self.values.insert(u64::from(cell), value),
        }
    }

    /// A cell gets the result of a comparison.
    pub fn remember(&mut self, model: &Model<'_>, cell: Cell, comparison: ExprId) {
        if !model.reads(comparison).contains(&cell) {
            let all = Rc::make_mut(&mut self.comparisons);
            let at = all.partition_point(|(other, _)| *other < cell);
            all.insert(at, (cell, comparison));
        }
    }

    fn forget_comparisons(&mut self, model: &Model<'_>, cell: Cell) {
        let is_over = |(kept, e): &(Cell, ExprId)| *kept == cell || model.reads(*e).contains(&cell);
        if self.comparisons.iter().any(is_over) {
            Rc::make_mut(&mut self.comparisons).retain(|entry| !is_over(entry));
        }
    }

    /// What goes through the cell is kept, the cell is not.
    fn forget_differences(&mut self, model: &Model<'_>, cell: Cell) {
        if self.differences.is_empty() {
            return;
        }
        let related = model.related(cell);
        let from: Vec<(Cell, i128)> = self.bounded(related, |a| pair(a, cell));
        let to: Vec<(Cell, i128)> = self.bounded(related, |b| pair(cell, b));
        for &(a, above) in &from {
            for &(b, below) in &to {
                if a != b && model.related(a).contains(&b) {
                    self.tighten(model, a, b, above + below);
                }
            }
        }
        for (other, _) in from {
            self.differences.remove(pair(other, cell));
        }
        for (other, _) in to {
            self.differences.remove(pair(cell, other));
        }
    }

    fn bounded(&self, related: &[Cell], key: impl Fn(Cell) -> u64) -> Vec<(Cell, i128)> {
        let bound = |&other: &Cell| Some((other, *self.differences.get(key(other))?));
        related.iter().filter_map(bound).collect()
    }

    /// Notes a bound if it says more than the bounds of the cells.
    fn tighten(&mut self, model: &Model<'_>, a: Cell, b: Cell, bound: i128) {
        let key = pair(a, b);
        let is_new = self.differences.get(key).is_none_or(|known| bound < *known)
            && implied(&self.values, model, key).is_some_and(|known| bound < known);
        if is_new {
            self.differences.insert(key, bound);
        }
    }

    /// The greatest value of `a - b`.
    pub fn difference(&self, model: &Model<'_>, a: Cell, b: Cell) -> Option<i128> {
        if a == b {
            return Some(0);
        }
        let implied = implied(&self.values, model, pair(a, b));
        let known = self.differences.get(pair(a, b)).copied();
        match (implied, known) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        }
    }

    /// The cell gets the value of another one plus a number, which is a value of the cell's type.
    pub fn copy(&mut self, model: &Model<'_>, to: Cell, from: Cell, by: i128, value: Value) {
        if to == from {
            let related = model.related(to);
            let above = self.bounded(related, |b| pair(to, b));
            let below = self.bounded(related, |a| pair(a, to));
            self.forget_comparisons(model, to);
            self.put(to, value);
            for (b, bound) in above {
                self.differences.insert(pair(to, b), bound + by);
            }
            for (a, bound) in below {
                self.differences.insert(pair(a, to), bound - by);
            }
            return;
        }
        self.set(model, to, value);
        if !model.related(to).contains(&from) {
            return;
        }
        self.tighten(model, to, from, by);
        self.tighten(model, from, to, -by);
        for &other in model.related(to) {
            if let Some(&bound) = self.differences.get(pair(from, other)) {
                self.tighten(model, to, other, bound + by);
            }
            if let Some(&bound) = self.differences.get(pair(other, from)) {
                self.tighten(model, other, to, bound - by);
            }
        }
    }

    /// Only runs go on in which `a - b <= bound`; `None` if there are none.
    pub fn assume_difference(
        &mut self,
        model: &Model<'_>,
        a: Cell,
        b: Cell,
        bound: i128,
    ) -> Option<()> {
        if self.difference(model, b, a).is_some_and(|back| back + bound < 0) {
            return None;
        }
        if a == b {
            return Some(());
        }
        if model.related(a).contains(&b) {
            self.tighten(model, a, b, bound);
            let into: Vec<(Cell, i128)> = self.bounded(model.related(a), |z| pair(z, a));
            let out: Vec<(Cell, i128)> = self.bounded(model.related(b), |w| pair(b, w));
            for &(z, first) in &into {
                if z != b && model.related(z).contains(&b) {
                    self.tighten(model, z, b, first + bound);
                }
            }
            for &(w, last) in &out {
                if w != a && model.related(a).contains(&w) {
                    self.tighten(model, a, w, bound + last);
                }
                for &(z, first) in &into {
                    if z != w && model.related(z).contains(&w) {
                        self.tighten(model, z, w, first + bound + last);
                    }
                }
            }
        }
        let (low, high) = (bounds(&self.values, model, a)?.0, bounds(&self.values, model, b)?.1);
        self.narrow(model, a, i128::MIN, high + bound)?;
        self.narrow(model, b, low - bound, i128::MAX)
    }

    /// Only runs go on in which an integer cell is within bounds.
    fn narrow(&mut self, model: &Model<'_>, cell: Cell, low: i128, high: i128) -> Option<()> {
        let Some(shape) = model.shape(cell) else { return Some(()) };
        let int = self.value(cell).as_int(shape);
        if low <= int.low && int.high <= high {
            return Some(());
        }
        let narrower =
            Int { low: int.low.max(low), high: int.high.min(high), ..int }.reduced(shape)?;
        self.put(cell, Value::int(shape, narrower));
        Some(())
    }

    /// Only runs go on in which a cell has one of these values.
    pub fn refine(&mut self, model: &Model<'_>, cell: Cell, value: Value) -> Option<()> {
        if value == self.value(cell) {
            return Some(());
        }
        self.put(cell, value);
        let Some((low, high)) = bounds(&self.values, model, cell) else { return Some(()) };
        for &other in model.related(cell) {
            if let Some(&bound) = self.differences.get(pair(other, cell)) {
                self.narrow(model, other, i128::MIN, high + bound)?;
            }
            if let Some(&bound) = self.differences.get(pair(cell, other)) {
                self.narrow(model, other, low - bound, i128::MAX)?;
            }
        }
        Some(())
    }

    /// What holds in both.
    #[must_use]
    pub fn join(&self, other: &Self, model: &Model<'_>) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        let values = self.values.common(&other.values, &mut |_, a, b| known(a.join(b)));
        let weaker = |key: u64, bound: i128| {
            implied(&values, model, key).filter(|implied| bound < *implied).map(|_| bound)
        };
        let differences = self.differences.merged(
            &other.differences,
            &mut |key, a, b| weaker(key, *a.max(b)),
            &mut |key, a| weaker(key, implied(&other.values, model, key)?.max(*a)),
            &mut |key, b| weaker(key, implied(&self.values, model, key)?.max(*b)),
        );
        let comparisons = self.common_comparisons(other);
        Self { values, differences, comparisons }
    }

    fn common_comparisons(&self, other: &Self) -> Rc<Vec<(Cell, ExprId)>> {
        if self.comparisons == other.comparisons {
            return self.comparisons.clone();
        }
        let common = self.comparisons.iter().filter(|entry| other.comparisons.contains(entry));
        Rc::new(common.copied().collect())
    }

    /// A state that contains both, such that chains end.
    #[must_use]
    pub fn widen(&self, next: &Self, model: &Model<'_>) -> Self {
        let values = self.values.common(&next.values, &mut |_, a, b| {
            known(a.widen(b, &model.thresholds, &model.float_thresholds))
        });
        // Only what was there can stay, and only as it is.
        let differences = self.differences.merged(
            &next.differences,
            &mut |_, a, b| (b <= a).then_some(*a),
            &mut |key, a| implied(&next.values, model, key).filter(|b| b <= a).map(|_| *a),
            &mut |_, _| None,
        );
        Self { values, differences, comparisons: self.common_comparisons(next) }
    }

    /// A state that contains both, in which nothing is left that is not the same in both.
    #[must_use]
    pub fn give_up(&self, next: &Self) -> Self {
        let values = self.values.common(&next.values, &mut |_, a, b| (a == b).then_some(*a));
        let differences =
            self.differences.common(&next.differences, &mut |_, a, b| (a == b).then_some(*a));
        Self { values, differences, comparisons: self.common_comparisons(next) }
    }

    /// Whether everything that is known in the other one is known in this one.
    pub fn is_in(&self, other: &Self, model: &Model<'_>) -> bool {
        self.values.all_of(&other.values, &mut |_, a, b| a.is_some_and(|a| a.is_in(b)))
            && self.differences.all_of(&other.differences, &mut |key, a, b| {
                a.is_some_and(|a| a <= b)
                    || implied(&self.values, model, key).is_some_and(|a| a <= *b)
            })
            && other.comparisons.iter().all(|entry| self.comparisons.contains(entry))
    }

    /// What is known of an integer cell.
    pub fn int(&self, cell: Cell, shape: Shape) -> Int {
        self.value(cell).as_int(shape)
    }
}

fn known(value: Value) -> Option<Value> {
    (value != Value::Any).then_some(value)
}
