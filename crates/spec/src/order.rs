//! Calls with events whose order C leaves open: `fgetc(f) + fclose(f)`.
//!
//! The model evaluates operands from left to right. Where they have effects on one another, the front
//! end says that the order is open; but calls can be related by an automaton alone. So a statement
//! with two such calls is taken for one without an order, unless it can be seen that the second call
//! waits for the first one: it uses its result, or is made only on one side of a branch on the result
//! (as in `fgetc(f) == EOF && fclose(f)`).

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, StmtId, VarId};
use gnomon_ir::span::Span;

/// The statements with calls at which, or in which, automata make steps in an order that is open.
pub(crate) fn unordered(
    program: &Program,
    inserted: &BTreeSet<(FuncId, EdgeId)>,
) -> BTreeSet<(FuncId, StmtId)> {
    let with_events = WithEvents::find(program, inserted);
    let mut found = BTreeSet::new();
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        let mut by_statement: BTreeMap<StmtId, Vec<EdgeId>> = BTreeMap::new();
        for (id, edge) in body.edges().iter_ids() {
            by_statement.entry(edge.stmt).or_default().push(id);
        }
        by_statement.remove(&Program::NO_STMT);
        for (stmt, edges) in by_statement {
            let own = edges.iter().copied().filter(|&id| inserted.contains(&(func, id)));
            let inserted: BTreeSet<EdgeId> = own.collect();
            let statement = Statement { program, body, edges, inserted };
            if !statement.is_in_sequence(&with_events) {
                found.insert((func, stmt));
            }
        }
    }
    found
}

/// Functions in which automata may make steps.
struct WithEvents {
    functions: Vec<bool>,
    /// Whether one of them may be called through a pointer.
    behind_pointers: bool,
}

impl WithEvents {
    fn find(program: &Program, inserted: &BTreeSet<(FuncId, EdgeId)>) -> Self {
        let mut functions = vec![false; program.funcs.len()];
        for (func, _) in inserted {
            functions[func.index()] = true;
        }
        let exprs = (0..program.exprs.expr_count()).map(ExprId::from_index);
        let pointed_to: BTreeSet<FuncId> = exprs
            .filter_map(|e| match program.exprs.expr(e).kind {
                ExprKind::FuncAddr(func) => Some(func),
                _ => None,
            })
            .collect();
        let mut found = Self { functions, behind_pointers: false };
        loop {
            let mut changed = false;
            let behind = pointed_to.iter().any(|func| found.functions[func.index()]);
            changed |= std::mem::replace(&mut found.behind_pointers, behind) != behind;
            for (func, function) in program.funcs.iter_ids() {
                let mut edges = function.body.iter().flat_map(|body| body.edges().iter());
                if !found.functions[func.index()]
                    && edges.any(|edge| matches!(&edge.op, Op::Call(call) if found.calls(call)))
                {
                    found.functions[func.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return found;
            }
        }
    }

    fn calls(&self, call: &Call) -> bool {
        match call.callee {
            Callee::Direct(func) => self.functions[func.index()],
            Callee::Indirect(_) => self.behind_pointers,
        }
    }
}

/// The edges of one statement.
struct Statement<'p> {
    program: &'p Program,
    body: &'p Cfa,
    edges: Vec<EdgeId>,
    /// Those that belong to automata.
    inserted: BTreeSet<EdgeId>,
}

impl Statement<'_> {
    /// Whether every call with events waits for those before it.
    fn is_in_sequence(&self, with_events: &WithEvents) -> bool {
        let spans: BTreeSet<Span> =
            self.inserted.iter().map(|&id| self.body.edge(id).span).collect();
        let is_event = |id: &&EdgeId| {
            let edge = self.body.edge(**id);
            let Op::Call(call) = &edge.op else { return false };
            spans.contains(&edge.span) || with_events.calls(call)
        };
        let events: Vec<EdgeId> = self.edges.iter().filter(is_event).copied().collect();
        events.len() < 2
            || events.iter().all(|&first| {
                let behind = self.reachable(self.body.edge(first).to);
                let later = events.iter().filter(|&&id| id != first);
                let mut later = later.filter(|&&id| behind.contains(&self.body.edge(id).from));
                let made = self.made_of(first);
                later.all(|&second| self.waits(&made, &behind, second))
            })
    }

    /// The locations of the statement that can be reached before the next declarator: behind the
    /// initializer of one everything is done.
    fn reachable(&self, from: LocId) -> BTreeSet<LocId> {
        let mut seen = BTreeSet::from([from]);
        let mut work = vec![from];
        while let Some(loc) = work.pop() {
            for &id in self.body.out_edges(loc) {
                let edge = self.body.edge(id);
                // What nobody declared has no place in the source.
                let declares = matches!(edge.op, Op::Declare(var)
                    if !self.program.vars[var].span.is_none());
                if !declares && self.edges.binary_search(&id).is_ok() && seen.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        seen
    }

    /// The variables that hold what was made of the result of a call, in the statement.
    fn made_of(&self, call: EdgeId) -> BTreeSet<VarId> {
        let root = |place: PlaceId| self.program.exprs.root_var(place);
        let dst = self.body.edge(call).op.destination();
        let mut made: BTreeSet<VarId> = dst.and_then(root).into_iter().collect();
        loop {
            let before = made.len();
            for &id in &self.edges {
                let op = &self.body.edge(id).op;
                let depends = match op {
                    Op::Assign { src, .. } => self.reads(*src, &made),
                    Op::Call(call) => call.args.iter().any(|&arg| self.reads(arg, &made)),
                    _ => false,
                };
                if depends {
                    made.extend(op.destination().and_then(root));
                }
            }
            if made.len() == before {
                return made;
            }
        }
    }

    /// Whether a call uses one of these variables, or is made only on one side of a branch that does.
    fn waits(&self, made: &BTreeSet<VarId>, behind: &BTreeSet<LocId>, second: EdgeId) -> bool {
        let edge = self.body.edge(second);
        if let Op::Call(call) = &edge.op
            && call.args.iter().any(|&arg| self.reads(arg, made))
        {
            return true;
        }
        let leads_there = |id: &EdgeId| {
            self.edges.binary_search(id).is_ok()
                && self.reachable(self.body.edge(*id).to).contains(&edge.from)
        };
        behind.iter().any(|&loc| {
            let branches = self.body.out_edges(loc);
            let tests = branches.iter().any(|id| match self.body.edge(*id).op {
                Op::Assume(condition) => !self.inserted.contains(id) && self.reads(condition, made),
                _ => false,
            });
            tests && branches.iter().any(leads_there) && !branches.iter().all(leads_there)
        })
    }

    fn reads(&self, e: ExprId, vars: &BTreeSet<VarId>) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => false,
            ExprKind::Load(place) => self.reads_place(place, vars),
            ExprKind::AddrOf(place) => self.reads_address(place, vars),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.reads(a, vars),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.reads(a, vars) || self.reads(b, vars)
            }
        }
    }

    fn reads_place(&self, place: PlaceId, vars: &BTreeSet<VarId>) -> bool {
        self.program.exprs.root_var(place).is_some_and(|var| vars.contains(&var))
            || self.reads_address(place, vars)
    }

    fn reads_address(&self, place: PlaceId, vars: &BTreeSet<VarId>) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => false,
            PlaceKind::Deref(e) => self.reads(e, vars),
            PlaceKind::Field(base, _) => self.reads_address(base, vars),
            PlaceKind::Index(base, index) => {
                self.reads_address(base, vars) || self.reads(index, vars)
            }
        }
    }
}
