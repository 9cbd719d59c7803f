//! The variables of an automaton: its state, the watched value with the right type, its ghosts.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::program::{InitItem, Initializer, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{TypeId, Types};

use crate::events::{Finder, Occurrence, Value};
use crate::guard::address_type;
use crate::syntax::{From, Spec};
use crate::weave::Variables;

/// The variables of an automaton in a program.
pub(crate) struct Ghosts {
    pub state: VarId,
    pub tracked: Option<VarId>,
    /// Whether to watch the value of this event.
    pub choice: Option<VarId>,
    pub ghosts: Vec<VarId>,
}

impl Ghosts {
    pub fn new(program: &mut Program, spec: &Spec, tracked: Option<TypeId>) -> Self {
        let pointer = address_type(program);
        let mut variable = |name: &str, ty: TypeId, initial: i64| {
            let name = format!(".spec.{}.{name}", spec.name.replace('-', "_"));
            let storage = stored(Initializer::default());
            let var = Var { name, ty, storage, address_taken: false, span: Span::NONE };
            let id = program.vars.push(var);
            if initial != 0 {
                let place = program.var_place(id);
                let value = program.int(ty, i128::from(initial));
                let items = vec![InitItem::Value { place, value }];
                program.vars[id].storage = stored(Initializer { items });
            }
            id
        };
        let state = variable("state", Types::I32, 0);
        let choice = spec.tracked.as_ref().map(|_| variable("choice", Types::BOOL, 0));
        let ghosts = spec
            .ghosts
            .iter()
            .map(|g| variable(&format!("ghost.{}", g.name), Types::I64, g.initial))
            .collect();
        let ty = tracked.unwrap_or(pointer);
        let tracked = spec.tracked.as_ref().map(|_| variable("tracked", ty, 0));
        Self { state, tracked, choice, ghosts }
    }

    /// All of them, for others.
    pub fn variables(&self) -> Variables {
        let &Self { state, tracked, choice, ref ghosts } = self;
        Variables { state, tracked, choice, ghosts: ghosts.clone() }
    }

    /// The number of a state; 0 is where the automaton begins.
    pub fn number(&self, state: usize) -> i128 {
        state as i128 + i128::from(self.tracked.is_some())
    }
}

fn stored(init: Initializer) -> Storage {
    Storage::Static { init: Some(init), thread_local: false, read_only: false }
}

/// The type of the watched value of every spec, and what it points to where events say so.
pub(crate) fn tracked_types(
    program: &Program,
    specs: &[Spec],
    finder: &Finder<'_>,
) -> Vec<(Option<TypeId>, BTreeSet<TypeId>)> {
    let mut numbers = vec![false; specs.len()];
    let mut pointees = vec![BTreeSet::new(); specs.len()];
    let mut note = |occurrence: &Occurrence, result: Option<TypeId>| {
        let spec = occurrence.spec;
        let Some(tracked) = &specs[spec].tracked else { return };
        let ty = match occurrence.value(tracked) {
            Some(Value::Expr(e)) => Some(program.expr_ty(without_conversions(program, e))),
            Some(Value::Result) => result,
            None => None,
        };
        match ty.map(|ty| (ty, program.types.pointee(ty))) {
            Some((_, Some(pointee))) => {
                pointees[spec].insert(pointee);
            }
            Some((ty, None)) => {
                // What is watched has the type of what it begins with.
                let rules = &specs[spec].handlers[occurrence.handler].rules;
                let begins = rules.iter().any(|rule| rule.from == From::New);
                numbers[spec] |= begins && program.types.is_integer(ty);
            }
            None => {}
        }
    };
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for occurrence in finder.at_entry(func) {
            note(&occurrence, None);
        }
        for edge in body.edges().iter() {
            let result = match &edge.op {
                Op::Call(call) => result_type(program, call),
                _ => None,
            };
            for occurrence in finder.acts(func, edge).into_iter().chain(finder.after(edge)) {
                note(&occurrence, result);
            }
        }
    }
    let types = specs.iter().zip(numbers.into_iter().zip(pointees));
    types
        .map(|(spec, (number, pointees))| {
            // Any type: it is one that is used nowhere else.
            let ty = if number { Some(Types::I64) } else { None };
            (spec.tracked.as_ref().and(ty), pointees)
        })
        .collect()
}

/// A pointer before it was converted to another pointer: `free(p)` converts to `void *`.
fn without_conversions(program: &Program, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind
        && program.types.is_pointer(program.expr_ty(inner))
        && program.types.is_pointer(program.expr_ty(e))
        && program.types.pointee(program.expr_ty(e)) != Some(Types::VOID)
    {
        e = inner;
    }
    e
}

/// What a call returns.
pub(crate) fn result_type(program: &Program, call: &Call) -> Option<TypeId> {
    let ty = match call.callee {
        Callee::Direct(func) => program.funcs[func].ty,
        Callee::Indirect(e) => program.types.pointee(program.expr_ty(e))?,
    };
    program.types.signature(ty).map(|s| s.result)
}
