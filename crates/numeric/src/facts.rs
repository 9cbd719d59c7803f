//! What a state says, as facts about places of the program, for proofs and for other engines.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::types::FloatKind;

use crate::analysis::Outcome;
use crate::float::Float;
use crate::int::Shape;
use crate::model::{Access, Cell, Model};
use crate::state::State;
use crate::value::Value;

/// A fact about one or two places of the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// An integer is not smaller.
    AtLeast(PlaceId, Shape, i128),
    /// An integer is not greater.
    AtMost(PlaceId, Shape, i128),
    /// An integer is congruent to the second number modulo the first.
    Congruent(PlaceId, Shape, i128, i128),
    /// The bits that the first mask has are those of the second one.
    Bits(PlaceId, Shape, u64, u64),
    /// The first integer minus the second one is at most so much.
    Difference((PlaceId, Shape), (PlaceId, Shape), i128),
    /// A floating-point number.
    Float(PlaceId, FloatKind, Float),
    /// A pointer is null.
    Null(PlaceId),
    /// A pointer is not null.
    NonNull(PlaceId),
}

impl State {
    /// What is known of some cells, as facts.
    pub fn facts(&self, model: &Model<'_>, wanted: &dyn Fn(Cell) -> bool) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (cell, value) in self.values() {
            let Some(place) = model.name(cell).filter(|_| wanted(cell)) else { continue };
            match value {
                Value::Any => {}
                Value::Int(shape, int) => {
                    if model.shape(cell) != Some(shape) {
                        continue;
                    }
                    if int.low > shape.min() {
                        facts.push(Fact::AtLeast(place, shape, int.low));
                    }
                    if int.high < shape.max() {
                        facts.push(Fact::AtMost(place, shape, int.high));
                    }
                    if int.modulus > 1 {
                        facts.push(Fact::Congruent(place, shape, int.modulus, int.residue));
                    }
                    // What bounds and the congruence do not say.
                    let plain = crate::int::Int { known: 0, ones: 0, ..int };
                    let said = plain.reduced(shape).map_or(0, |plain| plain.known);
                    if int.known & !said != 0 {
                        facts.push(Fact::Bits(place, shape, int.known, int.ones));
                    }
                }
                Value::Float(kind, float) => facts.push(Fact::Float(place, kind, float)),
                Value::Null => facts.push(Fact::Null(place)),
                Value::NonNull => facts.push(Fact::NonNull(place)),
            }
        }
        for (a, b, bound) in self.differences() {
            let shaped = |cell: Cell| Some((model.name(cell)?, model.shape(cell)?));
            if let (true, true, Some(first), Some(second)) =
                (wanted(a), wanted(b), shaped(a), shaped(b))
            {
                facts.push(Fact::Difference(first, second, bound));
            }
        }
        facts
    }
}

/// The cells that decide why some conditions are false: what these read, and what flows into that,
/// by assignments, calls and other conditions.
pub fn cone(model: &Model<'_>, conditions: impl IntoIterator<Item = ExprId>) -> BTreeSet<Cell> {
    let (mut flows, mut together) = (Vec::new(), Vec::new());
    for (func, function) in model.program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (_, edge) in body.edges().iter_ids() {
            match &edge.op {
                Op::Assume(e) => together.push(model.reads(*e)),
                Op::Return(Some(e)) => flows.push((vec![model.result(func)], model.reads(*e))),
                Op::Assign { dst, src } => flows.push((written(model, *dst), model.reads(*src))),
                Op::Call(call) => {
                    if let Callee::Direct(callee) = call.callee {
                        let callee_function = &model.program.funcs[callee];
                        for (param, arg) in callee_function.params.iter().zip(&call.args) {
                            flows.push((model.cells_of_variable(*param), model.reads(*arg)));
                        }
                        if let Some(dst) = call.dst {
                            let result = vec![model.result(callee)];
                            flows.push((written(model, dst), result.into()));
                        }
                        if callee_function.body.is_none() {
                            together.extend(call.args.iter().map(|arg| model.reads(*arg)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut cone: BTreeSet<Cell> = BTreeSet::new();
    for condition in conditions {
        cone.extend(model.reads(condition).iter());
    }
    loop {
        let before = cone.len();
        for (to, from) in &flows {
            if to.iter().any(|cell| cone.contains(cell)) {
                cone.extend(from.iter());
            }
        }
        for cells in &together {
            if cells.iter().any(|cell| cone.contains(cell)) {
                cone.extend(cells.iter());
            }
        }
        if cone.len() == before {
            return cone;
        }
    }
}

fn written(model: &Model<'_>, place: PlaceId) -> Vec<Cell> {
    match model.access(place) {
        Access::Whole(cell) => vec![cell],
        Access::Bits(_, some) | Access::Some(some) => some.to_vec(),
    }
}

impl Outcome {
    /// The conditions of branches that no run takes.
    pub fn pruned_conditions(&self, model: &Model<'_>) -> Vec<ExprId> {
        let condition = |&(func, edge): &(_, _)| {
            let body = model.program.funcs[func].body.as_ref()?;
            match body.edge(edge).op {
                Op::Assume(condition) => Some(condition),
                _ => None,
            }
        };
        self.pruned.iter().filter_map(condition).collect()
    }

    /// The conditions right before the errors that are reached.
    pub fn guarding_conditions(&self, model: &Model<'_>) -> Vec<ExprId> {
        let mut conditions = Vec::new();
        for &(func, edge) in &self.errors {
            let Some(body) = &model.program.funcs[func].body else { continue };
            for before in body.in_edges(body.edge(edge).from) {
                if let Op::Assume(condition) = body.edge(*before).op {
                    conditions.push(condition);
                }
            }
        }
        conditions
    }

    /// Whether no error is reached, and everything was followed.
    pub fn is_safe(&self) -> bool {
        self.errors.is_empty() && self.not_followed.is_empty()
    }
}
