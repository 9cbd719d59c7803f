//! By (PS 3.3): which locations can get past a location, so that it is never visited.
//!
//! A location bypasses another if a path from it to the end of the function misses the other: the
//! other does not postdominate it. The end is not only the exit: whatever may end or block a run
//! may hinder that a later location is reached, so it counts as a path to the end:
//!
//! - `__VERIFIER_assume`, whose condition may be false; `exit`, `abort`, error functions and other
//!   functions that are known not to return;
//! - calls of functions that may not return, because one of those may happen inside of them or
//!   because they can get into a loop without an exit;
//! - locations at which every edge has a condition and none of them need hold.
//!
//! Without these, slices are incomplete: a condition in front of `exit` would be cut, and with it
//! the reason why the target is not reached. PS does not speak of them.
//!
//! In real programs nearly every function may end the run: it allocates, and gives up if there is no
//! memory. [`Endings::Absent`] leaves `exit` and its like out, for slices that are small and complete
//! for runs that do not end early; they say so.
//!
//! Undefined behaviour ends runs too, at every dereference. [`Undefined`] says whether that counts;
//! if it did, most code would bypass everything, so by default it does not, and a slice says that
//! the target is reached if the cut code is well-defined.

use std::cell::OnceCell;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{ERROR_FUNCTIONS, Library};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::types::Type;
use rustc_hash::FxHashSet;

use crate::postdominance::components::components;
use crate::postdominance::{DeadEnds, Postdominators};
use crate::slice::facts::{MemoryFacts, called_library, is_call, library};

/// What operations without a meaning do: divisions by zero, indices that are out of bounds,
/// pointers to no object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// Code that is cut has none of them.
    #[default]
    Absent,
    /// They end the run, wherever they are possible by the form of the operation.
    Ends,
}

/// What calls do that end the run: `exit`, `abort`, error functions, functions that are known not to
/// return, and functions that nothing is known of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endings {
    /// They may be met in code that is cut, and hinder that the target is reached.
    #[default]
    Kept,
    /// Code that is cut has none of them. Assumptions still count.
    Absent,
}

/// By for all functions of a program; trees are made when they are first asked for, and kept.
pub struct Bypass<'p> {
    program: &'p Program,
    endings: Endings,
    /// By function and edge.
    may_end: Vec<Vec<bool>>,
    may_not_return: Vec<bool>,
    may_loop: Vec<bool>,
    looping_calls: FxHashSet<(FuncId, EdgeId)>,
    trees: Vec<OnceCell<Postdominators>>,
}

impl<'p> Bypass<'p> {
    /// For a program.
    pub fn new(facts: &MemoryFacts<'p>, endings: Endings, undefined: Undefined) -> Self {
        let program = facts.program();
        let mut bypass = Self {
            program,
            endings,
            may_end: Vec::with_capacity(program.funcs.len()),
            may_not_return: vec![false; program.funcs.len()],
            may_loop: vec![false; program.funcs.len()],
            looping_calls: FxHashSet::default(),
            trees: program.funcs.iter().map(|_| OnceCell::new()).collect(),
        };
        let mut callers: Vec<Vec<(FuncId, EdgeId)>> = vec![Vec::new(); program.funcs.len()];
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); program.funcs.len()];
        for (func, function) in program.funcs.iter_ids() {
            let Some(cfa) = &function.body else {
                bypass.may_end.push(Vec::new());
                continue;
            };
            let ends = edges_that_may_end(facts, func, cfa, endings, undefined);
            bypass.may_not_return[func.index()] =
                ends.contains(&true) || has_dead_end(cfa, endings);
            bypass.may_loop[func.index()] = has_loop(cfa);
            bypass.may_end.push(ends);
            for (edge, info) in cfa.edges().iter_ids() {
                if is_call(&info.op) {
                    for callee in facts.called(func, edge).functions {
                        callers[callee.index()].push((func, edge));
                        calls[func.index()].push(callee.0);
                    }
                }
            }
        }
        bypass.spread(&callers, &calls);
        bypass
    }

    /// From functions to those that call them.
    fn spread(&mut self, callers: &[Vec<(FuncId, EdgeId)>], calls: &[Vec<u32>]) {
        let ids = || self.program.funcs.ids();
        let mut work: Vec<FuncId> = ids().filter(|f| self.may_not_return[f.index()]).collect();
        while let Some(callee) = work.pop() {
            for &(caller, edge) in &callers[callee.index()] {
                self.may_end[caller.index()][edge.index()] = true;
                if !std::mem::replace(&mut self.may_not_return[caller.index()], true) {
                    work.push(caller);
                }
            }
        }
        let component = components(calls);
        for func in self.program.funcs.ids() {
            let mine = component[func.index()];
            self.may_loop[func.index()] |=
                calls[func.index()].iter().any(|&callee| component[callee as usize] == mine);
        }
        let ids = || self.program.funcs.ids();
        let mut work: Vec<FuncId> = ids().filter(|f| self.may_loop[f.index()]).collect();
        while let Some(callee) = work.pop() {
            for &(caller, edge) in &callers[callee.index()] {
                self.looping_calls.insert((caller, edge));
                if !std::mem::replace(&mut self.may_loop[caller.index()], true) {
                    work.push(caller);
                }
            }
        }
    }

    /// Whether a run may end or be blocked on an edge.
    pub fn may_end(&self, func: FuncId, edge: EdgeId) -> bool {
        self.may_end[func.index()][edge.index()]
    }

    /// Whether a call of the function may end or block the run, or get into a loop without a path
    /// out.
    pub fn may_not_return(&self, func: FuncId) -> bool {
        self.may_not_return[func.index()]
    }

    /// Whether the call on an edge may take for ever, by the form of the program.
    pub fn call_may_loop(&self, func: FuncId, edge: EdgeId) -> bool {
        self.looping_calls.contains(&(func, edge))
    }

    /// `loc ∈ By.later`: whether a path from `loc` ends without a visit of `later`. Functions
    /// without a body have no locations; for them the answer is no.
    pub fn can_bypass(&self, func: FuncId, loc: LocId, later: LocId) -> bool {
        let Some(cfa) = &self.program.funcs[func].body else { return false };
        let tree = self.trees[func.index()].get_or_init(|| {
            let dead_ends = match self.endings {
                Endings::Kept => DeadEnds::End,
                Endings::Absent => DeadEnds::Unreached,
            };
            Postdominators::new(cfa, dead_ends, |edge| self.may_end(func, edge))
        });
        !tree.postdominates(later, loc)
    }
}

fn edges_that_may_end(
    facts: &MemoryFacts<'_>,
    func: FuncId,
    cfa: &Cfa,
    endings: Endings,
    undefined: Undefined,
) -> Vec<bool> {
    let program = facts.program();
    let mut ends: Vec<bool> = cfa
        .edges()
        .iter_ids()
        .map(|(id, edge)| {
            let call_ends = match &edge.op {
                Op::Call(call) => call_may_end(facts, (func, id), call, endings),
                _ => false,
            };
            call_ends || undefined == Undefined::Ends && may_be_undefined(program, &edge.op)
        })
        .collect();
    for loc in cfa.locs().filter(|&loc| may_block(program, cfa, loc)) {
        for &edge in cfa.out_edges(loc) {
            ends[edge.index()] = true;
        }
    }
    ends
}

/// Whether a call ends the run by itself: what happens in functions with a body is not looked at.
fn call_may_end(
    facts: &MemoryFacts<'_>,
    (func, edge): (FuncId, EdgeId),
    call: &Call,
    endings: Endings,
) -> bool {
    let program = facts.program();
    if endings == Endings::Absent {
        return called_library(program, call) == Some(Library::Assume);
    }
    let ends = |callee: FuncId| {
        let function = &program.funcs[callee];
        function.no_return
            || ERROR_FUNCTIONS.contains(&source_name(&function.name))
            || library(program, callee).is_some_and(|library| {
                matches!(
                    library,
                    Library::Assume
                        | Library::Error
                        | Library::Abort
                        | Library::Exit
                        | Library::Unreachable
                )
            })
    };
    match call.callee {
        Callee::Direct(callee) => ends(callee),
        Callee::Indirect(_) => {
            let called = facts.called(func, edge);
            called.unknown
                || called.functions.is_empty()
                || called.functions.iter().any(|&callee| ends(callee))
        }
    }
}

/// Whether all edges of a location have conditions, and perhaps none of them holds.
fn may_block(program: &Program, cfa: &Cfa, loc: LocId) -> bool {
    let condition = |&edge: &EdgeId| match cfa.edge(edge).op {
        Op::Assume(condition) => Some(condition),
        _ => None,
    };
    let edges = cfa.out_edges(loc);
    let conditions: Option<Vec<ExprId>> = edges.iter().map(condition).collect();
    let Some(conditions) = conditions else { return false };
    if conditions.is_empty() {
        return false;
    }
    let open = |&a: &ExprId| {
        program.as_truth(a) == Some(true) || conditions.iter().any(|&b| is_negation(program, a, b))
    };
    !conditions.iter().any(open)
}

/// Whether `b` is what `Program::not` makes of `a`.
fn is_negation(program: &Program, a: ExprId, b: ExprId) -> bool {
    let ExprKind::Binary(op, left, right) = program.exprs.expr(b).kind else { return false };
    if op == BinaryOp::Eq && left == a && program.exprs.const_bits(right) == Some(0) {
        return true;
    }
    let ExprKind::Binary(of, first, second) = program.exprs.expr(a).kind else { return false };
    let exact = matches!(of, BinaryOp::Eq | BinaryOp::Ne)
        || !program.types.is_float(program.expr_ty(first));
    exact && of.negated() == Some(op) && (first, second) == (left, right)
}

/// Whether some location has no path to the exit. Where endings are absent, what only leads to one
/// does not count.
fn has_dead_end(cfa: &Cfa, endings: Endings) -> bool {
    let mut seen = vec![false; cfa.loc_count()];
    seen[cfa.exit().index()] = true;
    let mut work = vec![cfa.exit()];
    if endings == Endings::Absent {
        work.extend(cfa.locs().filter(|&loc| cfa.out_edges(loc).is_empty()));
    }
    while let Some(loc) = work.pop() {
        seen[loc.index()] = true;
        for &edge in cfa.in_edges(loc) {
            let from = cfa.edge(edge).from;
            if !std::mem::replace(&mut seen[from.index()], true) {
                work.push(from);
            }
        }
    }
    seen.contains(&false)
}

fn has_loop(cfa: &Cfa) -> bool {
    let next: Vec<Vec<u32>> = cfa
        .locs()
        .map(|loc| cfa.out_edges(loc).iter().map(|&edge| cfa.edge(edge).to.0).collect())
        .collect();
    let component = components(&next);
    cfa.edges().iter().any(|edge| component[edge.from.index()] == component[edge.to.index()])
}

/// Whether an operation has no meaning for some values, by its form.
fn may_be_undefined(program: &Program, op: &Op) -> bool {
    let expr = |e: ExprId| expr_may_be_undefined(program, e);
    let place = |p: PlaceId| place_may_be_undefined(program, p);
    match op {
        Op::Skip | Op::Declare(_) | Op::HavocMemory | Op::Return(None) => false,
        Op::Assume(e) | Op::Return(Some(e)) => expr(*e),
        Op::Assign { dst, src } => place(*dst) || expr(*src),
        Op::Havoc(p) => place(*p),
        Op::Alloca { dst, size } => place(*dst) || expr(*size),
        Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => true,
        Op::Call(call) => {
            let touches_memory = called_library(program, call).is_some_and(|library| {
                !matches!(library, Library::Nondet(_) | Library::Pure | Library::Environment)
            });
            let through_pointer = matches!(call.callee, Callee::Indirect(_));
            touches_memory
                || through_pointer
                || call.dst.is_some_and(place)
                || call.args.iter().any(|&e| expr(e))
        }
    }
}

/// Whether an expression has no meaning for some values, by its form.
pub(crate) fn expr_may_be_undefined(program: &Program, e: ExprId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => false,
        ExprKind::Load(place) | ExprKind::AddrOf(place) => place_may_be_undefined(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => expr_may_be_undefined(program, a),
        ExprKind::Binary(op, a, b) => {
            let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
            let divisor_is_known = program.exprs.const_bits(b).is_some_and(|bits| bits != 0);
            divides && !(divisor_is_known && program.as_int(b) != Some(-1))
                || expr_may_be_undefined(program, a)
                || expr_may_be_undefined(program, b)
        }
        ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => true,
    }
}

fn place_may_be_undefined(program: &Program, p: PlaceId) -> bool {
    match program.exprs.place(p).kind {
        PlaceKind::Var(_) => false,
        PlaceKind::Deref(_) => true,
        PlaceKind::Field(base, _) => place_may_be_undefined(program, base),
        PlaceKind::Index(base, index) => {
            let len = match *program.types.get(program.place_ty(base)) {
                Type::Array { len, .. } => i128::from(len),
                _ => 0,
            };
            let in_bounds = program.as_int(index).is_some_and(|at| (0..len).contains(&at));
            !in_bounds || place_may_be_undefined(program, base)
        }
    }
}
