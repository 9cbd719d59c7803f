//! What a run did, step by step, with the values that it stored: for people.
//!
//! A counterexample knows what its run took from outside, so the run can be repeated; an observer
//! then looks at the variable that each edge stores to, once the edge is behind.

use std::collections::BTreeSet;

use gnomon_budget::{Budget, Cancel};
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::interp::{
    Arguments, Discarded, EdgeEvent, Observer, RunOptions, State, TraceSource, interpret_observed,
};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::ops;
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_ir::types::{FloatKind, Type, TypeId};

use crate::property::Site;
use crate::replay::Counterexample;

/// An edge that the run took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The function.
    pub func: FuncId,
    /// The edge.
    pub edge: EdgeId,
    /// The number of open calls, 1 in the entry function.
    pub depth: u32,
    /// What it stored in variables of the user; at the start of a function its parameters.
    pub stored: Vec<Stored>,
    /// Whether this is the return of a call, which stores the result.
    pub is_return: bool,
}

/// A value that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// As the user writes it, indices as numbers: `a[2].x`.
    pub place: String,
    /// As the user writes it.
    pub value: String,
    /// Whether the value comes from outside of the program.
    pub is_input: bool,
}

/// Longer runs are cut: only the first steps have values.
const LIMIT: usize = 20_000;

/// The steps of a run that reaches an error, the last one being the error.
pub fn steps(program: &Program, entry: &str, run: &Counterexample, budget: &Budget) -> Vec<Step> {
    let budget = &budget.cancellable();
    let mut recorder = Recorder {
        program,
        end: budget.cancel_handle(),
        error: run.site,
        steps: Vec::new(),
        pending: Vec::new(),
        inputs: BTreeSet::new(),
        done: false,
    };
    let options = RunOptions {
        entry: entry.to_owned(),
        arguments: Arguments::FromInput,
        error_functions: Vec::new(),
        ..RunOptions::default()
    };
    let mut inputs = TraceSource::new(run.inputs.clone());
    interpret_observed(program, &options, &mut inputs, &mut Discarded, budget, &mut recorder);
    recorder.steps
}

/// Where an edge stores a scalar.
struct Destination {
    var: VarId,
    offset: usize,
    ty: TypeId,
    place: String,
}

/// A store that is on its way.
struct Pending {
    step: usize,
    to: Destination,
    is_input: bool,
}

struct Recorder<'a> {
    program: &'a Program,
    /// Ends the run.
    end: Cancel,
    error: Site,
    steps: Vec<Step>,
    /// By the number of open calls: a call stores when it is back.
    pending: Vec<Option<Pending>>,
    /// Temporaries of the front end that hold something from outside, with the number of open
    /// calls.
    inputs: BTreeSet<(usize, VarId)>,
    done: bool,
}

impl Observer for Recorder<'_> {
    fn edge(&mut self, event: EdgeEvent, state: &State<'_>) {
        if self.done || self.steps.len() >= LIMIT {
            // Nobody looks at what follows, and it may be long.
            self.end.cancel();
            return;
        }
        let EdgeEvent { func, edge, depth } = event;
        let is_new = self.pending.len() < depth + 1;
        self.pending.truncate(depth + 1);
        self.pending.resize_with(depth + 1, || None);
        self.settle(depth, state);
        let mut stored = Vec::new();
        if is_new {
            for &param in &self.program.funcs[func].params {
                let ty = self.program.vars[param].ty;
                let place = source_name(&self.program.vars[param].name).to_owned();
                let to = Destination { var: param, offset: 0, ty, place };
                stored.extend(self.read(&to, false, state));
            }
        }
        self.steps.push(Step { func, edge, depth: depth as u32, stored, is_return: false });
        let Some(body) = &self.program.funcs[func].body else { return };
        self.pending[depth] = self.begun(&body.edge(edge).op, depth, state);
        self.done = self.error == Site { func, edge };
    }
}

impl Recorder<'_> {
    /// The store of the last edge of a call has happened.
    fn settle(&mut self, depth: usize, state: &State<'_>) {
        let Some(Pending { step, to, is_input }) = self.pending[depth].take() else { return };
        if to.place.is_empty() {
            return;
        }
        let Some(stored) = self.read(&to, is_input, state) else { return };
        if step + 1 == self.steps.len() {
            self.steps[step].stored.push(stored);
            return;
        }
        let Step { func, edge, depth, .. } = self.steps[step];
        self.steps.push(Step { func, edge, depth, stored: vec![stored], is_return: true });
    }

    fn read(&self, to: &Destination, is_input: bool, state: &State<'_>) -> Option<Stored> {
        if to.place.is_empty() {
            return None;
        }
        let size = self.program.types.size(to.ty) as usize;
        let bytes = state.variable(to.var)?.get(to.offset..to.offset.checked_add(size)?)?;
        let mut all = [0; 16];
        all.get_mut(..size)?.copy_from_slice(bytes);
        let value = shown(self.program, to.ty, u128::from_le_bytes(all))?;
        Some(Stored { place: to.place.clone(), value, is_input })
    }

    /// What an operation is going to store, if it is a scalar in a variable.
    fn begun(&mut self, op: &Op, depth: usize, state: &State<'_>) -> Option<Pending> {
        let (dst, is_input) = match op {
            Op::Return(Some(value)) => {
                self.returned(*value, depth);
                return None;
            }
            Op::Assign { dst, src } => (*dst, self.holds_input(*src, depth)),
            Op::Havoc(dst) => (*dst, true),
            Op::Call(Call { dst: Some(dst), callee, .. }) => (*dst, self.is_outside(*callee)),
            _ => return None,
        };
        let to = self.destination(dst, state)?;
        if to.place.is_empty() {
            if is_input {
                self.inputs.insert((depth, to.var));
            } else {
                self.inputs.remove(&(depth, to.var));
            }
        }
        Some(Pending { step: self.steps.len() - 1, to, is_input })
    }

    /// What a function took from outside and returns comes from outside for its caller, too.
    fn returned(&mut self, value: ExprId, depth: usize) {
        let Some(caller) = depth.checked_sub(1).filter(|_| self.holds_input(value, depth)) else {
            return;
        };
        if let Some(Some(pending)) = self.pending.get_mut(caller) {
            pending.is_input = true;
            if pending.to.place.is_empty() {
                self.inputs.insert((caller, pending.to.var));
            }
        }
    }

    fn is_outside(&self, callee: Callee) -> bool {
        let Callee::Direct(func) = callee else { return false };
        let function = &self.program.funcs[func];
        let library = classify(source_name(&function.name), self.program.types.target());
        function.body.is_none()
            && matches!(library, Library::Nondet(_) | Library::Environment | Library::Unknown)
    }

    fn holds_input(&self, e: ExprId, depth: usize) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Cast(inner) => self.holds_input(inner, depth),
            ExprKind::Load(place) => match self.program.exprs.place(place).kind {
                PlaceKind::Var(var) => self.inputs.contains(&(depth, var)),
                _ => false,
            },
            _ => false,
        }
    }

    /// A place in a variable, with the values that its indices have now. What the front end made
    /// up itself has no name.
    fn destination(&self, place: PlaceId, state: &State<'_>) -> Option<Destination> {
        let program = self.program;
        let ty = program.place_ty(place);
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => {
                let place = source_name(&program.vars[var].name).to_owned();
                Some(Destination { var, offset: 0, ty, place })
            }
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, field) => {
                let to = self.destination(base, state)?;
                let (_, record) = program.types.as_record(program.place_ty(base))?;
                let field = record.fields.get(field as usize)?;
                if field.bits.is_some() {
                    return None;
                }
                let offset = to.offset + field.offset as usize;
                let place = format!("{}.{}", to.place, field.name);
                Some(Destination { offset, ty, place, ..to })
            }
            PlaceKind::Index(base, index) => {
                let to = self.destination(base, state)?;
                let index = self.number(index, state)?;
                let distance =
                    usize::try_from(index).ok()?.checked_mul(program.types.size(ty) as usize)?;
                let place = format!("{}[{index}]", to.place);
                Some(Destination { offset: to.offset.checked_add(distance)?, ty, place, ..to })
            }
        }
    }

    /// The value of a constant or variable.
    fn number(&self, e: ExprId, state: &State<'_>) -> Option<i128> {
        let program = self.program;
        if let Some(value) = program.as_int(e) {
            return Some(value);
        }
        match program.exprs.expr(e).kind {
            ExprKind::Cast(inner) => self.number(inner, state),
            ExprKind::Load(place) => {
                let PlaceKind::Var(var) = program.exprs.place(place).kind else { return None };
                let scalar = program.types.scalar(program.place_ty(place))?;
                let size = program.types.size(program.place_ty(place)) as usize;
                let mut all = [0; 16];
                all.get_mut(..size)?.copy_from_slice(state.variable(var)?.get(..size)?);
                Some(ops::extend(scalar, u128::from_le_bytes(all)))
            }
            _ => None,
        }
    }
}

/// A scalar as users write it; `None` for what is no scalar.
fn shown(program: &Program, ty: TypeId, bits: u128) -> Option<String> {
    Some(match *program.types.get(ty) {
        Type::Pointer(_) => if bits == 0 { "null" } else { "not null" }.to_owned(),
        Type::Float(FloatKind::F32) => f32::from_bits(bits as u32).to_string(),
        Type::Float(FloatKind::F64) => f64::from_bits(bits as u64).to_string(),
        Type::Bool | Type::Int { .. } => {
            let scalar = program.types.scalar(ty)?;
            match scalar {
                ops::Scalar::Int { bits: 128, signed: false } => bits.to_string(),
                _ => ops::extend(scalar, bits).to_string(),
            }
        }
        _ => return None,
    })
}
