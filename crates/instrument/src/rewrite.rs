//! Puts the branches into the automata.
//!
//! What a branch of the user evaluates is checked before the location splits, so that the pairs of
//! complementary edges stay pairs. Every other operation gets its checks on its own edge. A call
//! whose result goes to a place that can be wrong stores into a variable first, because the place
//! is evaluated after the call.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Note, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;

use crate::conditions::{Condition, Conditions};
use crate::{CheckKind, Checks, Instrumented, Violation};

/// See [`crate::instrument`].
pub(crate) fn instrument(program: &Program, checks: Checks) -> Instrumented {
    let mut program = program.clone();
    let mut violations = Vec::new();
    let mut inserted = BTreeSet::new();
    let mut unbounded = None;
    let functions: Vec<FuncId> = program.funcs.iter_ids().map(|(id, _)| id).collect();
    for func in functions {
        let Some(body) = program.funcs[func].body.take() else { continue };
        let mut rewriting = Rewriting {
            conditions: Conditions::new(&mut program, checks, &body),
            func,
            loc_count: body.loc_count() as u32,
            edges: Vec::new(),
            inserted: Vec::new(),
            kept: Vec::new(),
            marked: Vec::new(),
            unbounded: &mut unbounded,
        };
        for loc in body.locs() {
            rewriting.location(&body, loc);
        }
        let Rewriting { loc_count, edges, inserted: new, kept, marked, .. } = rewriting;
        let body = assembled(&body, loc_count, edges, !marked.is_empty());
        violations.extend(placed(func, &body, marked));
        inserted.extend(new.into_iter().map(|index| (func, EdgeId::from_index(index))));
        program.funcs[func].locals.extend(kept);
        program.funcs[func].body = Some(body);
    }
    note_unsupported(&mut program, checks, unbounded);
    Instrumented { program, violations, inserted }
}

/// Where violations lead, as long as the number of locations is not known.
const DEAD: LocId = LocId(u32::MAX);

/// A condition whose edge is there.
struct Marked {
    condition: Condition,
    span: Span,
}

fn assembled(old: &Cfa, loc_count: u32, edges: Vec<Edge>, violated: bool) -> Cfa {
    let mut builder = CfaBuilder::new();
    for _ in 2..loc_count {
        builder.add_loc();
    }
    let dead = if violated { builder.add_loc() } else { DEAD };
    for edge in edges {
        let to = if edge.to == DEAD { dead } else { edge.to };
        builder.add_edge(Edge { to, ..edge });
    }
    for label in old.labels() {
        builder.add_label(label.clone());
    }
    builder.finish()
}

/// The edges of violations are those into the location that was added last, in order.
fn placed(func: FuncId, body: &Cfa, marked: Vec<Marked>) -> Vec<Violation> {
    let dead = body.locs().next_back();
    let edges = body.edges().iter_ids().filter(|(_, e)| Some(e.to) == dead).map(|(id, _)| id);
    let violation = |(Marked { condition, span }, edge): (Marked, EdgeId)| {
        let Condition { kind, message, .. } = condition;
        Violation { func, edge, kind, span, message }
    };
    marked.into_iter().zip(edges).map(violation).collect()
}

/// One function.
struct Rewriting<'a> {
    conditions: Conditions<'a>,
    func: FuncId,
    loc_count: u32,
    /// Locations and edges keep these numbers: all of them can be reached.
    edges: Vec<Edge>,
    /// Which of the edges are branches for checks.
    inserted: Vec<usize>,
    /// Variables for results of calls.
    kept: Vec<VarId>,
    /// In the order of their edges.
    marked: Vec<Marked>,
    /// The first access whose bounds are not checked.
    unbounded: &'a mut Option<Span>,
}

impl Rewriting<'_> {
    fn new_loc(&mut self) -> LocId {
        self.loc_count += 1;
        LocId(self.loc_count - 1)
    }

    /// The edges that leave a location, with their checks.
    fn location(&mut self, body: &Cfa, loc: LocId) {
        let edges: Vec<&Edge> = body.out_edges(loc).iter().map(|&id| body.edge(id)).collect();
        let splits = edges.iter().all(|edge| matches!(edge.op, Op::Assume(_)));
        if let (true, Some(first)) = (splits, edges.first()) {
            for edge in &edges {
                self.conditions.operation(&edge.op);
            }
            let from = self.checked(first, loc);
            self.edges.extend(edges.iter().map(|&edge| Edge { from, ..edge.clone() }));
            return;
        }
        for edge in &edges {
            self.conditions.operation(&edge.op);
            let has_checks = self.conditions.is_open();
            // Of several edges that are open at once, one is chosen first.
            let from = if has_checks && edges.len() > 1 {
                let chosen = self.new_loc();
                self.edges.push(Edge { op: Op::Skip, to: chosen, ..(*edge).clone() });
                chosen
            } else {
                loc
            };
            let from = self.checked(edge, from);
            self.operation(Edge { from, ..(*edge).clone() });
        }
    }

    /// The operation itself; the place of a call's result is checked after the call.
    fn operation(&mut self, edge: Edge) {
        let Op::Call(Call { dst: Some(place), callee, args }) = &edge.op else {
            self.edges.push(edge);
            return;
        };
        self.conditions.accessed(*place);
        if !self.conditions.is_open() {
            self.checked(&edge, edge.from);
            self.edges.push(edge);
            return;
        }
        let program = self.conditions.program();
        let ty = program.place_ty(*place);
        let name = format!(".checked{}", self.kept.len());
        let storage = Storage::Local(self.func);
        let var = Var { name, ty, storage, address_taken: false, span: edge.span };
        let var = program.vars.push(var);
        let (dst, src) = (program.var_place(var), program.load_var(var));
        self.kept.push(var);
        let call = Call { dst: Some(dst), callee: *callee, args: args.clone() };
        let called = self.new_loc();
        self.edges.push(Edge { op: Op::Call(call), to: called, ..edge.clone() });
        let from = self.checked(&edge, called);
        self.edges.push(Edge { from, op: Op::Assign { dst: *place, src }, ..edge });
    }

    /// Branches for what was found since the last call, from a location on; where they end.
    fn checked(&mut self, of: &Edge, mut from: LocId) -> LocId {
        if self.conditions.take_unbounded() && self.unbounded.is_none() {
            *self.unbounded = Some(of.span);
        }
        for condition in self.conditions.take() {
            let holds = self.new_loc();
            let last = condition.all.len() - 1;
            for (position, &part) in condition.all.iter().enumerate() {
                let negated = self.conditions.program().not(part);
                let to = if position == last { DEAD } else { self.new_loc() };
                for (op, to) in [(Op::Assume(part), to), (Op::Assume(negated), holds)] {
                    let (span, stmt) = (of.span, of.stmt);
                    self.inserted.push(self.edges.len());
                    self.edges.push(Edge { from, to, op, span, stmt });
                }
                from = to;
            }
            self.marked.push(Marked { condition, span: of.span });
            from = holds;
        }
        from
    }
}

/// Writes down what is not checked.
fn note_unsupported(program: &mut Program, checks: Checks, unbounded: Option<Span>) {
    if let (Some(span), true) = (unbounded, checks.contains(CheckKind::Bounds)) {
        let message = "accesses through pointers, to variable length arrays and to flexible array \
                       members stay inside their objects: only indices of arrays of known length \
                       are checked";
        program.add_note(Note { kind: "bounds", message: message.to_owned(), span });
    }
    if !checks.contains(CheckKind::Bounds) && !checks.contains(CheckKind::Null) {
        return;
    }
    let accesses = |name: &str| {
        matches!(
            classify(name, program.types.target()),
            Library::MemCopy | Library::MemSet | Library::MemRead | Library::MemWrite
        )
    };
    let called = program.funcs.iter_ids().find_map(|(_, function)| {
        let body = function.body.as_ref()?;
        body.edges().iter().find_map(|edge| match &edge.op {
            Op::Call(Call { callee: Callee::Direct(func), .. }) => {
                let callee = &program.funcs[*func];
                let name = source_name(&callee.name);
                (callee.body.is_none() && accesses(name)).then(|| (name.to_owned(), edge.span))
            }
            _ => None,
        })
    });
    if let Some((name, span)) = called {
        let message =
            format!("functions of the library, such as `{name}`, are called with valid pointers");
        program.add_note(Note { kind: "library", message, span });
    }
}
