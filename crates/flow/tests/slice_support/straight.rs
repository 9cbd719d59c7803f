//! Paths and slices as straight programs, to be executed.
//!
//! Every frame of the path gets variables of its own. The inputs of the program are always read, so
//! that all programs of one path take the same inputs. At the end `reach_error` is called.

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Op};
use gnomon_ir::expr::{Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind};
use gnomon_ir::interp::{
    Asked, Discarded, EdgeEvent, InputSource, Observer, Outcome, RunOptions, State, interpret,
    interpret_observed,
};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Function, Program, StmtId, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{Signature, Target, Type, TypeId, Types};
use gnomon_logic::encode::Move;
use std::collections::BTreeMap;

use super::{Walk, called, is_error, op};

/// Turns of loops and calls after which a run counts as endless.
const STEPS: u64 = 2_000;

/// Values for the inputs, then zeros.
pub struct Values<'v>(pub &'v [i32], pub usize);

impl InputSource for Values<'_> {
    fn nondet(&mut self, _: &Asked<'_>) -> Option<u128> {
        let value = self.0.get(self.1).copied().unwrap_or(0);
        self.1 += 1;
        Some(u128::from(value as u32))
    }

    fn choice(&mut self, _: u32) -> Option<u32> {
        Some(0)
    }

    fn argument(&mut self, _: &str, _: &Types, _: TypeId) -> Option<ArgumentValue> {
        Some(ArgumentValue::Bits(0))
    }
}

pub fn run(program: &Program, entry: &str, inputs: &[i32]) -> Outcome {
    let options = RunOptions { entry: entry.to_owned(), ..RunOptions::default() };
    let budget = Budget::unlimited().with_steps(STEPS);
    interpret(program, &options, &mut Values(inputs, 0), &mut Discarded, &budget).outcome
}

struct Trace(Vec<EdgeEvent>);

impl Observer for Trace {
    fn edge(&mut self, event: EdgeEvent, _: &State<'_>) {
        self.0.push(event);
    }
}

/// The path to `reach_error` that a run takes, if it does.
pub fn path_of_run(program: &Program, main: FuncId, inputs: &[i32]) -> Option<Vec<Move>> {
    let options = RunOptions::default();
    let budget = Budget::unlimited().with_steps(STEPS);
    let mut trace = Trace(Vec::new());
    let mut values = Values(inputs, 0);
    let run =
        interpret_observed(program, &options, &mut values, &mut Discarded, &budget, &mut trace);
    if !matches!(run.outcome, Outcome::Error { .. }) {
        return None;
    }
    let mut walk = Walk::new(program, main);
    for event in trace.0 {
        while walk.at_exit() {
            assert!(walk.leave());
        }
        assert_eq!(walk.func, event.func);
        if is_error(program, op(program, event.func, event.edge)) {
            break;
        }
        walk.take(event.edge);
    }
    Some(walk.steps)
}

/// A program that is one path with some of its steps.
pub struct Straight {
    pub program: Program,
}

impl Straight {
    /// The steps that are kept, and the inputs.
    pub fn new(program: &Program, steps: &[Move], kept: &[bool]) -> Self {
        let mut builder = Builder {
            program: program.clone(),
            func: program.funcs.next_id(),
            cfa: CfaBuilder::new(),
            locals: Vec::new(),
            vars: BTreeMap::new(),
            results: BTreeMap::new(),
            frames: 0,
        };
        builder.steps(steps, kept);
        Self { program: builder.finish() }
    }

    /// Whether it can be executed with the inputs.
    pub fn executes(&self, inputs: &[i32]) -> bool {
        matches!(run(&self.program, "straight", inputs), Outcome::Error { .. })
    }
}

struct Builder {
    program: Program,
    func: FuncId,
    cfa: CfaBuilder,
    locals: Vec<VarId>,
    vars: BTreeMap<(u32, VarId), VarId>,
    results: BTreeMap<u32, VarId>,
    frames: u32,
}

impl Builder {
    fn steps(&mut self, steps: &[Move], kept: &[bool]) {
        let mut at = self.cfa.entry();
        let mut stack = vec![0];
        for (&step, &kept) in steps.iter().zip(kept) {
            let frame = stack[stack.len() - 1];
            let ops = match step {
                Move::Start => Vec::new(),
                Move::Edge(func, edge) => {
                    let op = op(&self.program, func, edge).clone();
                    let is_input = called(&op).is_some_and(|f| self.is_input(f));
                    if kept || is_input { self.edge(frame, op) } else { Vec::new() }
                }
                Move::Enter { caller, edge, callee } => {
                    self.frames += 1;
                    stack.push(self.frames);
                    if kept {
                        self.enter(frame, self.frames, caller, edge, callee)
                    } else {
                        Vec::new()
                    }
                }
                Move::Leave { caller, edge, .. } => {
                    stack.pop();
                    let below = stack[stack.len() - 1];
                    if kept { self.leave(frame, below, caller, edge) } else { Vec::new() }
                }
            };
            for op in ops {
                let to = self.cfa.add_loc();
                self.add(at, to, op);
                at = to;
            }
        }
        let error = self.program.find_function("reach_error").unwrap();
        let call = Call { dst: None, callee: Callee::Direct(error), args: Box::new([]) };
        let end = self.cfa.exit();
        self.add(at, end, Op::Call(call));
    }

    fn is_input(&self, func: FuncId) -> bool {
        let function = &self.program.funcs[func];
        let library = classify(source_name(&function.name), Target::Lp64);
        function.body.is_none() && matches!(library, Library::Nondet(_))
    }

    fn add(&mut self, from: gnomon_ir::cfa::LocId, to: gnomon_ir::cfa::LocId, op: Op) {
        self.cfa.add_edge(Edge { from, to, op, span: Span::NONE, stmt: StmtId(0) });
    }

    fn edge(&mut self, frame: u32, op: Op) -> Vec<Op> {
        vec![match op {
            Op::Skip | Op::Return(None) => return Vec::new(),
            Op::Assume(e) => Op::Assume(self.expr(frame, e)),
            Op::Assign { dst, src } => {
                Op::Assign { dst: self.place(frame, dst), src: self.expr(frame, src) }
            }
            Op::Return(Some(e)) => {
                let src = self.expr(frame, e);
                let result = self.result(frame, self.program.expr_ty(src));
                Op::Assign { dst: self.program.var_place(result), src }
            }
            Op::Declare(var) => Op::Declare(self.var(frame, var)),
            Op::Havoc(place) => Op::Havoc(self.place(frame, place)),
            Op::Call(call) => Op::Call(Call {
                dst: call.dst.map(|dst| self.place(frame, dst)),
                callee: call.callee,
                args: call.args.iter().map(|&arg| self.expr(frame, arg)).collect(),
            }),
            other => panic!("{other:?} is not generated"),
        }]
    }

    fn enter(
        &mut self,
        below: u32,
        frame: u32,
        caller: FuncId,
        edge: gnomon_ir::cfa::EdgeId,
        callee: FuncId,
    ) -> Vec<Op> {
        let Op::Call(call) = op(&self.program, caller, edge).clone() else { unreachable!() };
        let params = self.program.funcs[callee].params.clone();
        let mut ops = Vec::new();
        for (param, &arg) in params.into_iter().zip(&call.args) {
            let src = self.expr(below, arg);
            let param = self.var(frame, param);
            ops.push(Op::Assign { dst: self.program.var_place(param), src });
        }
        ops
    }

    fn leave(
        &mut self,
        frame: u32,
        below: u32,
        caller: FuncId,
        edge: gnomon_ir::cfa::EdgeId,
    ) -> Vec<Op> {
        let Op::Call(call) = op(&self.program, caller, edge).clone() else { unreachable!() };
        let Some(dst) = call.dst else { return Vec::new() };
        let ty = self.program.place_ty(dst);
        let dst = self.place(below, dst);
        let result = self.result(frame, ty);
        vec![Op::Assign { dst, src: self.program.load_var(result) }]
    }

    fn result(&mut self, frame: u32, ty: TypeId) -> VarId {
        if let Some(&known) = self.results.get(&frame) {
            return known;
        }
        let var = self.new_var(ty, false);
        self.results.insert(frame, var);
        var
    }

    fn var(&mut self, frame: u32, var: VarId) -> VarId {
        let info = self.program.vars[var].clone();
        if matches!(info.storage, Storage::Static { .. }) {
            return var;
        }
        if let Some(&known) = self.vars.get(&(frame, var)) {
            return known;
        }
        let new = self.new_var(info.ty, info.address_taken);
        self.vars.insert((frame, var), new);
        new
    }

    fn new_var(&mut self, ty: TypeId, address_taken: bool) -> VarId {
        let name = format!(".s{}", self.locals.len());
        let storage = Storage::Local(self.func);
        let var =
            self.program.vars.push(Var { name, ty, storage, address_taken, span: Span::NONE });
        self.locals.push(var);
        var
    }

    fn expr(&mut self, frame: u32, e: ExprId) -> ExprId {
        let Expr { ty, kind } = self.program.exprs.expr(e);
        let kind = match kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => return e,
            ExprKind::Load(p) => ExprKind::Load(self.place(frame, p)),
            ExprKind::AddrOf(p) => ExprKind::AddrOf(self.place(frame, p)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(frame, a)),
            ExprKind::Binary(op, a, b) => {
                ExprKind::Binary(op, self.expr(frame, a), self.expr(frame, b))
            }
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(self.expr(frame, a), self.expr(frame, b)),
            ExprKind::PtrDiff(a, b) => ExprKind::PtrDiff(self.expr(frame, a), self.expr(frame, b)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(frame, a)),
        };
        self.program.exprs.intern_expr(Expr { ty, kind })
    }

    fn place(&mut self, frame: u32, p: PlaceId) -> PlaceId {
        let Place { ty, kind } = self.program.exprs.place(p);
        let kind = match kind {
            PlaceKind::Var(var) => PlaceKind::Var(self.var(frame, var)),
            PlaceKind::Deref(e) => PlaceKind::Deref(self.expr(frame, e)),
            PlaceKind::Field(base, field) => PlaceKind::Field(self.place(frame, base), field),
            PlaceKind::Index(base, i) => {
                PlaceKind::Index(self.place(frame, base), self.expr(frame, i))
            }
        };
        self.program.exprs.intern_place(Place { ty, kind })
    }

    fn finish(mut self) -> Program {
        let ty = self.program.types.intern(Type::Function(Signature {
            result: Types::VOID,
            params: [].into(),
            variadic: false,
            prototyped: true,
        }));
        self.program.funcs.push(Function {
            name: "straight".into(),
            ty,
            params: Vec::new(),
            locals: self.locals,
            body: Some(self.cfa.finish()),
            no_return: false,
            span: Span::NONE,
        });
        self.program
    }
}
