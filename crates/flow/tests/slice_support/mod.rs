//! Programs from C text, their facts, and paths through them.
#![allow(dead_code, reason = "every test uses a part of it")]

pub mod generate;
pub mod straight;

use gnomon_budget::Budget;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, PointsTo};
use gnomon_flow::slice::MemoryFacts;
use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
use gnomon_ir::cfa::{Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_logic::encode::Move;
pub use gnomon_testkit::program as compile;

/// What points-to and mod-ref say.
pub struct Analysis {
    pub points_to: PointsTo,
    pub mod_ref: ModRef,
}

impl Analysis {
    pub fn of(program: &Program) -> Self {
        let budget = Budget::unlimited();
        let points_to =
            PointsTo::analyze(program, &points_to::Options::default(), &budget).unwrap();
        let calls = CallGraph::new(program, &points_to, &budget).unwrap();
        let mod_ref = ModRef::compute(program, &points_to, &calls, &budget).unwrap();
        Self { points_to, mod_ref }
    }

    pub fn facts<'a>(&'a self, program: &'a Program) -> MemoryFacts<'a> {
        MemoryFacts::new(program, &self.points_to, &self.mod_ref)
    }
}

pub fn body(program: &Program, func: FuncId) -> &Cfa {
    program.funcs[func].body.as_ref().unwrap()
}

pub fn op(program: &Program, func: FuncId, edge: EdgeId) -> &Op {
    &body(program, func).edge(edge).op
}

/// Whether the operation calls the function that reports an error.
pub fn is_error(program: &Program, op: &Op) -> bool {
    called(op).is_some_and(|f| source_name(&program.funcs[f].name) == "reach_error")
}

pub fn called(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call(call) => match call.callee {
            Callee::Direct(func) => Some(func),
            Callee::Indirect(_) => None,
        },
        _ => None,
    }
}

/// A walk through a program: calls of functions with a body are entered.
pub struct Walk<'p> {
    pub program: &'p Program,
    pub stack: Vec<(FuncId, EdgeId)>,
    pub func: FuncId,
    pub loc: LocId,
    pub steps: Vec<Move>,
}

impl<'p> Walk<'p> {
    pub fn new(program: &'p Program, func: FuncId) -> Self {
        let loc = body(program, func).entry();
        Self { program, stack: Vec::new(), func, loc, steps: Vec::new() }
    }

    pub fn out_edges(&self) -> &'p [EdgeId] {
        body(self.program, self.func).out_edges(self.loc)
    }

    pub fn op(&self, edge: EdgeId) -> &'p Op {
        op(self.program, self.func, edge)
    }

    pub fn at_exit(&self) -> bool {
        self.loc == body(self.program, self.func).exit()
    }

    /// Whether an edge from here reports an error: the target.
    pub fn at_target(&self) -> bool {
        self.out_edges().iter().any(|&edge| is_error(self.program, self.op(edge)))
    }

    pub fn take(&mut self, edge: EdgeId) {
        let callee = called(self.op(edge));
        let callee = callee.filter(|&f| self.program.funcs[f].body.is_some());
        match callee {
            Some(callee) => self.enter(edge, callee),
            None => {
                self.steps.push(Move::Edge(self.func, edge));
                self.loc = body(self.program, self.func).edge(edge).to;
            }
        }
    }

    pub fn enter(&mut self, edge: EdgeId, callee: FuncId) {
        self.steps.push(Move::Enter { caller: self.func, edge, callee });
        self.stack.push((self.func, edge));
        self.func = callee;
        self.loc = body(self.program, callee).entry();
    }

    /// Leaves the function that is at its exit; whether there was a call to go back to.
    pub fn leave(&mut self) -> bool {
        let Some((caller, edge)) = self.stack.pop() else { return false };
        self.steps.push(Move::Leave { caller, edge, callee: self.func });
        self.func = caller;
        self.loc = body(self.program, caller).edge(edge).to;
        true
    }

    /// Walks to the target; at each branch the next of the given conditions holds.
    pub fn find_target(mut self, conditions: &[&str]) -> Vec<Move> {
        let mut conditions = conditions.iter();
        while !self.at_target() {
            if self.at_exit() {
                assert!(self.leave(), "the target was not reached");
                continue;
            }
            let edges = self.out_edges();
            let edge = match edges {
                [edge] => *edge,
                _ => {
                    let wanted = conditions.next().expect("a condition for every branch");
                    let texts: Vec<String> =
                        edges.iter().map(|&e| text(self.program, self.op(e))).collect();
                    let at = texts.iter().position(|text| text == wanted);
                    edges[at.unwrap_or_else(|| panic!("`{wanted}` is none of {texts:?}"))]
                }
            };
            self.take(edge);
        }
        assert_eq!(conditions.next(), None, "conditions are left over");
        self.steps
    }
}

/// An operation for people, without types.
pub fn text(program: &Program, op: &Op) -> String {
    let names = UniqueNames(program);
    let c = CText::new(program, &names, Fidelity::Readable);
    match op {
        Op::Assume(condition) => c.expr(*condition),
        Op::Assign { dst, src } => format!("{} = {}", c.place(*dst), c.expr(*src)),
        Op::Return(Some(value)) => format!("return {}", c.expr(*value)),
        Op::Call(call) => {
            let name = called(op).map_or("*", |f| &program.funcs[f].name);
            match call.dst {
                Some(dst) => format!("{} = {name}()", c.place(dst)),
                None => format!("{name}()"),
            }
        }
        other => format!("{other:?}"),
    }
}

/// A step for people.
pub fn step_text(program: &Program, step: Move) -> String {
    match step {
        Move::Start => "start".to_owned(),
        Move::Edge(func, edge) => text(program, op(program, func, edge)),
        Move::Enter { callee, .. } => format!("enter {}", program.funcs[callee].name),
        Move::Leave { callee, .. } => format!("leave {}", program.funcs[callee].name),
    }
}
