//! What expressions are, and which conditions can hold, as far as a zone knows.
//!
//! A value is a number of the zone plus a constant, or one of an interval. Where it depends on a case, such as whether
//! an addition wraps, there is one zone for each case; operators that are not followed give any value of their type.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, UnaryOp};
use gnomon_ir::program::Program;
use gnomon_ir::types::{Type, TypeId};

use crate::views::cells::{Cells, Dim, Target, is_number, range_of};
use crate::views::zone::{NONE, Zone, sum};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number of the zone, and what is added.
    Of(Dim, i64),
    /// Something between two bounds.
    Between(i64, i64),
}

/// Cases: what holds in each, and the value.
type Cases = Vec<(Zone, Value)>;

/// More cases than this are not told apart.
const MOST: usize = 12;

/// Where values are looked up.
pub(crate) struct Values<'a> {
    pub program: &'a Program,
    pub cells: &'a Cells,
    /// The slot of a cell, if its value is followed.
    pub dim: &'a dyn Fn(u32) -> Option<Dim>,
}

impl Values<'_> {
    fn any(&self, ty: TypeId) -> Value {
        let (least, most) = range_of(self.program, ty);
        Value::Between(least, most)
    }

    /// The least and the greatest number that a value can be.
    pub(crate) fn range(&self, zone: &Zone, value: Value) -> (i64, i64) {
        match value {
            Value::Between(least, most) => (least, most),
            Value::Of(dim, more) => {
                let (least, most) = zone.range(dim, self.cells);
                (-sum(-least, -more), sum(most, more))
            }
        }
    }

    /// The value of an expression, case by case.
    pub(crate) fn value(&self, zone: Zone, e: ExprId) -> Cases {
        let ty = self.program.expr_ty(e);
        if !is_number(self.program, ty) {
            return vec![(zone, Value::Between(-NONE, NONE))];
        }
        if let Some(number) = self.program.as_int(e) {
            let value = match i64::try_from(number) {
                Ok(number) if number.abs() < 1 << 59 => Value::Between(number, number),
                _ => self.any(ty),
            };
            return vec![(zone, value)];
        }
        match self.program.exprs.expr(e).kind {
            ExprKind::Zero => vec![(zone, Value::Between(0, 0))],
            ExprKind::Const(_) | ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => {
                vec![(zone, self.any(ty))]
            }
            ExprKind::FuncAddr(_) => vec![(zone, Value::Between(1, NONE))],
            ExprKind::AddrOf(place) => {
                let named = self.program.exprs.root_var(place).is_some();
                vec![(zone, Value::Between(i64::from(named), NONE))]
            }
            ExprKind::Load(place) => {
                let value = self.load(place).unwrap_or(self.any(ty));
                vec![(zone, value)]
            }
            ExprKind::Unary(op, a) => self.unary(zone, op, a, ty),
            ExprKind::Binary(op, a, b) => self.binary(zone, e, op, (a, b), ty),
            ExprKind::Cast(a) => self.cast(zone, a, ty),
        }
    }

    fn load(&self, place: PlaceId) -> Option<Value> {
        let Target::Cell(cell) = self.cells.target(place) else { return None };
        (self.dim)(cell).map(|dim| Value::Of(dim, 0))
    }

    fn unary(&self, zone: Zone, op: UnaryOp, a: ExprId, ty: TypeId) -> Cases {
        let (least, most) = range_of(self.program, ty);
        let found = self.value(zone, a).into_iter();
        let found = found.map(|(zone, value)| {
            let (low, high) = self.range(&zone, value);
            // `~x` is `-x - 1`, or the greatest value minus `x`.
            let more = match op {
                UnaryOp::Neg => 0,
                UnaryOp::BitNot if least == 0 => sum(most, 0),
                UnaryOp::BitNot => -1,
            };
            let (low, high) = (-sum(high, -more), sum(-low, more));
            match low >= least && high <= most && more < NONE && low > -NONE && high < NONE {
                true => (zone, Value::Between(low, high)),
                false => (zone, self.any(ty)),
            }
        });
        found.collect()
    }

    fn binary(
        &self,
        zone: Zone,
        e: ExprId,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        ty: TypeId,
    ) -> Cases {
        if op.is_comparison() || self.is_truth(e) {
            let truths = [true, false].into_iter().flat_map(|wanted| {
                let value = Value::Between(i64::from(wanted), i64::from(wanted));
                self.assume(zone.clone(), e, wanted).into_iter().map(move |zone| (zone, value))
            });
            return truths.collect();
        }
        let mut cases = Vec::new();
        for (zone, left) in self.value(zone, a) {
            for (zone, right) in self.value(zone, b) {
                cases.extend(self.operation(zone, op, left, right, ty));
            }
        }
        cases
    }

    fn operation(&self, zone: Zone, op: BinaryOp, left: Value, right: Value, ty: TypeId) -> Cases {
        let any = self.any(ty);
        let (a, b) = (self.range(&zone, left), self.range(&zone, right));
        let single = |(least, most): (i64, i64)| (least == most).then_some(least);
        match (op, single(a), single(b)) {
            (BinaryOp::Add, _, Some(number)) => return self.plus(zone, left, number, ty),
            (BinaryOp::Add, Some(number), _) => return self.plus(zone, right, number, ty),
            (BinaryOp::Sub, _, Some(number)) => return self.plus(zone, left, -number, ty),
            _ => {}
        }
        let between = match op {
            BinaryOp::Add => Some((-sum(-a.0, -b.0), sum(a.1, b.1))),
            BinaryOp::Sub => Some(match (left, right) {
                (Value::Of(one, more), Value::Of(other, less)) => {
                    let by = more - less;
                    let most = sum(zone.difference(one, other, self.cells), by);
                    (-sum(zone.difference(other, one, self.cells), -by), most)
                }
                _ => (-sum(-a.0, b.1), sum(a.1, -b.0)),
            }),
            BinaryOp::Mul => product(a, b),
            BinaryOp::Div if a.0 >= 0 && b.0 > 0 && a.1 < NONE => Some((0, a.1 / b.0)),
            BinaryOp::Rem if b.0 > 0 && b.1 < NONE => match () {
                () if a.0 >= 0 && a.1 < b.0 => return vec![(zone, left)],
                () if single(a).is_some() && single(b).is_some() => Some((a.0 % b.0, a.0 % b.0)),
                () if a.0 >= 0 => Some((0, (b.1 - 1).min(a.1))),
                () => Some((1 - b.1, b.1 - 1)),
            },
            BinaryOp::BitAnd if a.0 >= 0 || b.0 >= 0 => {
                let masks = [a, b].into_iter().filter(|range| range.0 >= 0).map(|range| range.1);
                masks.min().map(|most| (0, most))
            }
            _ => None,
        };
        let (least, most) = range_of(self.program, ty);
        let fits =
            |&(low, high): &(i64, i64)| low >= least && high <= most && low > -NONE && high < NONE;
        let value = between.filter(fits).map_or(any, |(low, high)| Value::Between(low, high));
        vec![(zone, value)]
    }

    /// A value and a constant more: as numbers, or wrapped.
    fn plus(&self, zone: Zone, value: Value, more: i64, ty: TypeId) -> Cases {
        let (least, most) = range_of(self.program, ty);
        let moved = |value: Value| match value {
            Value::Of(dim, by) => Value::Of(dim, by + more),
            Value::Between(low, high) => Value::Between(-sum(-low, -more), sum(high, more)),
        };
        let (low, high) = self.range(&zone, moved(value));
        if low >= least && high <= most && low > -NONE && high < NONE {
            return vec![(zone, moved(value))];
        }
        if most >= NONE || least <= -NONE {
            // Where it wraps cannot be said.
            return vec![(zone.clone(), self.any(ty)), (zone, clipped(moved(value), least, most))];
        }
        let mut cases = Vec::new();
        let inside = self.at_least(zone.clone(), value, least - more);
        let inside = inside.and_then(|zone| self.at_most(zone, value, most - more));
        cases.extend(inside.map(|zone| (zone, clipped(moved(value), least, most))));
        let size = most - least + 1;
        if let Some(zone) = self.at_least(zone.clone(), value, most - more + 1) {
            let wrapped = Value::Between(least, (least + more.max(1) - 1).min(most));
            cases.push((zone, if more < size { wrapped } else { self.any(ty) }));
        }
        if let Some(zone) = self.at_most(zone, value, least - more - 1) {
            let wrapped = Value::Between((most + more.min(-1) + 1).max(least), most);
            cases.push((zone, if -more < size { wrapped } else { self.any(ty) }));
        }
        cases
    }

    fn at_least(&self, zone: Zone, value: Value, least: i64) -> Option<Zone> {
        self.at_most_apart(zone, Value::Between(least, least), value, 0)
    }

    fn at_most(&self, zone: Zone, value: Value, most: i64) -> Option<Zone> {
        self.at_most_apart(zone, value, Value::Between(most, most), 0)
    }

    fn cast(&self, zone: Zone, a: ExprId, ty: TypeId) -> Cases {
        let from = self.program.expr_ty(a);
        if !is_number(self.program, from) {
            return vec![(zone, self.any(ty))];
        }
        if matches!(self.program.types.get(ty), Type::Bool) {
            let truths = [true, false].into_iter().flat_map(|wanted| {
                let value = Value::Between(i64::from(wanted), i64::from(wanted));
                self.assume(zone.clone(), a, wanted).into_iter().map(move |zone| (zone, value))
            });
            return truths.collect();
        }
        let (least, most) = range_of(self.program, ty);
        let mut cases = Vec::new();
        for (zone, value) in self.value(zone, a) {
            let (low, high) = self.range(&zone, value);
            let alike = range_of(self.program, from).0 == least;
            if low >= least && high <= most && (high < NONE || alike) {
                cases.push((zone, value));
                continue;
            }
            if least <= -NONE || most >= NONE {
                // A negative number becomes a large one.
                let kept = self.at_least(zone.clone(), value, least.max(-(1 << 59)));
                let wide = matches!(value, Value::Of(..)) || low > -NONE;
                match wide && low >= -(1 << 59) && most >= NONE && least == 0 {
                    true => {
                        cases.extend(kept.map(|zone| (zone, clipped(value, least, most))));
                        let below = self.at_most(zone, value, -1);
                        cases.extend(below.map(|zone| (zone, Value::Between(1 << 59, NONE))));
                    }
                    false => cases.push((zone, self.any(ty))),
                }
                continue;
            }
            let size = most - least + 1;
            for turn in [0, size, -size] {
                let inside = self.at_least(zone.clone(), value, least - turn);
                let inside = inside.and_then(|zone| self.at_most(zone, value, most - turn));
                let Some(inside) = inside else { continue };
                let turned = match value {
                    Value::Of(dim, more) => Value::Of(dim, more + turn),
                    Value::Between(low, high) => Value::Between(sum(low, turn), sum(high, turn)),
                };
                cases.push((inside, clipped(turned, least, most)));
            }
            let beyond = self.at_least(zone.clone(), value, most + size + 1);
            let below = self.at_most(zone, value, least - size - 1);
            cases.extend(beyond.into_iter().chain(below).map(|zone| (zone, self.any(ty))));
        }
        cases
    }

    /// Whether an expression is 0 or 1 by a comparison.
    fn is_truth(&self, e: ExprId) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => true,
            ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr, a, b) => {
                self.is_truth(a) && self.is_truth(b)
            }
            ExprKind::Cast(a) => {
                matches!(self.program.types.get(self.program.expr_ty(e)), Type::Bool)
                    || self.is_truth(a)
            }
            _ => false,
        }
    }

    /// What holds where an expression is true, or is not: one of several zones.
    pub(crate) fn assume(&self, zone: Zone, e: ExprId, wanted: bool) -> Vec<Zone> {
        let mut found = match self.program.exprs.expr(e).kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.compared(zone, op, (a, b), wanted)
            }
            ExprKind::Binary(op @ (BinaryOp::BitAnd | BinaryOp::BitOr), a, b)
                if self.is_truth(e) =>
            {
                // All of them, or the first one that decides.
                let all = (op == BinaryOp::BitAnd) == wanted;
                let first = self.assume(zone.clone(), a, wanted);
                match all {
                    true => first.into_iter().flat_map(|z| self.assume(z, b, wanted)).collect(),
                    false => {
                        let others = self.assume(zone, a, !wanted).into_iter();
                        let others = others.flat_map(|z| self.assume(z, b, wanted));
                        first.into_iter().chain(others).collect()
                    }
                }
            }
            ExprKind::Cast(a) if self.is_truth(a) => self.assume(zone, a, wanted),
            _ if !is_number(self.program, self.program.expr_ty(e)) => vec![zone],
            _ => {
                let nought = Value::Between(0, 0);
                let op = if wanted { BinaryOp::Ne } else { BinaryOp::Eq };
                let cases = self.value(zone, e).into_iter();
                cases.flat_map(|(zone, value)| self.related(zone, op, value, nought)).collect()
            }
        };
        if found.len() > MOST {
            let joined = found.drain(MOST - 1..).reduce(|a, b| a.join(&b, self.cells));
            found.extend(joined);
        }
        found
    }

    fn compared(
        &self,
        zone: Zone,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        wanted: bool,
    ) -> Vec<Zone> {
        if !is_number(self.program, self.program.expr_ty(a)) {
            return vec![zone];
        }
        let op = match wanted {
            true => Some(op),
            false => op.negated(),
        };
        let Some(op) = op else { return vec![zone] };
        let mut found = Vec::new();
        for (zone, left) in self.value(zone, a) {
            for (zone, right) in self.value(zone, b) {
                found.extend(self.related(zone, op, left, right));
            }
        }
        found
    }

    fn related(&self, zone: Zone, op: BinaryOp, a: Value, b: Value) -> Vec<Zone> {
        let at_most = |zone: Zone, a, b, by| self.at_most_apart(zone, a, b, by);
        let found = match op {
            BinaryOp::Le => at_most(zone, a, b, 0),
            BinaryOp::Lt => at_most(zone, a, b, -1),
            BinaryOp::Ge => at_most(zone, b, a, 0),
            BinaryOp::Gt => at_most(zone, b, a, -1),
            BinaryOp::Eq => at_most(zone, a, b, 0).and_then(|zone| at_most(zone, b, a, 0)),
            _ => {
                let below = at_most(zone.clone(), a, b, -1);
                return below.into_iter().chain(at_most(zone, b, a, -1)).collect();
            }
        };
        found.into_iter().collect()
    }

    /// Assumes `a - b <= by`, if that is possible.
    fn at_most_apart(&self, mut zone: Zone, a: Value, b: Value, by: i64) -> Option<Zone> {
        let cells = self.cells;
        let possible = match (a, b) {
            (Value::Of(a, more), Value::Of(b, less)) => {
                zone.assume(Some(a), Some(b), by - more + less, cells)
            }
            (Value::Of(a, more), Value::Between(_, most)) => {
                zone.assume(Some(a), None, sum(most, by - more), cells)
            }
            (Value::Between(least, _), Value::Of(b, less)) => {
                zone.assume(None, Some(b), sum(-least, by + less), cells)
            }
            (Value::Between(least, _), Value::Between(_, most)) => sum(sum(most, -least), by) >= 0,
        };
        possible.then_some(zone)
    }
}

/// An interval without what is not of the type.
fn clipped(value: Value, least: i64, most: i64) -> Value {
    match value {
        Value::Between(low, high) => Value::Between(low.max(least), high.min(most)),
        of => of,
    }
}

fn product(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    let small = |value: i64| value.abs() < 1 << 29;
    if ![a.0, a.1, b.0, b.1].into_iter().all(small) {
        return None;
    }
    let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    Some((all.into_iter().min()?, all.into_iter().max()?))
}
