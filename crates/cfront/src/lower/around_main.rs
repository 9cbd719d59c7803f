//! What a hosted program calls before and behind `main`: constructors, destructors, and what `atexit` was given.
//!
//! Constructors are called when `main` begins, by priority and then in the order of the text. When `main` returns and
//! where `exit` is called, the functions that were registered are called, last first (the model of `atexit`
//! in `models/` keeps them), and then destructors, in the reverse order of constructors (C17 7.22.4.4, and
//! the manual of gcc). Nothing is called where a run ends by `_exit`, `quick_exit` or `abort`.

use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, LocId, Op};
use gnomon_ir::expr::ExprId;
use gnomon_ir::program::{FuncId, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;

use super::link::BadCall;
use super::other_names::takes_address;

/// Calls what was registered; it is there if the program calls `atexit`.
const REGISTERED: &str = "__gnomon_at_exit";
/// Ends the main thread and not the process: the others go on, and the handlers run when the last one ends.
const END_A_THREAD: [&str; 2] = ["pthread_exit", "thrd_exit"];

/// On which side of `main` a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// A constructor.
    Before,
    /// A destructor.
    Behind,
}

/// Constructors and destructors, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct AroundMain {
    all: Vec<(When, u16, FuncId)>,
}

impl AroundMain {
    /// Takes note of a function, once.
    pub(super) fn add(&mut self, when: When, priority: u16, func: FuncId) {
        match self.all.iter_mut().find(|(known, _, f)| *known == when && *f == func) {
            Some((_, known, _)) => *known = (*known).min(priority),
            None => self.all.push((when, priority, func)),
        }
    }

    fn of(&self, when: When) -> Vec<FuncId> {
        let mut functions: Vec<(u16, FuncId)> =
            self.all.iter().filter(|f| f.0 == when).map(|f| (f.1, f.2)).collect();
        functions.sort_by_key(|(priority, _)| *priority);
        functions.into_iter().map(|(_, func)| func).collect()
    }
}

/// Puts the calls into the program. What cannot be is returned.
pub(super) fn insert(program: &mut Program, around: &AroundMain) -> Vec<BadCall> {
    let before = around.of(When::Before);
    let mut behind: Vec<FuncId> = program
        .find_function(REGISTERED)
        .filter(|&f| program.funcs[f].body.is_some())
        .into_iter()
        .collect();
    behind.extend(around.of(When::Behind).into_iter().rev());
    if before.is_empty() && behind.is_empty() {
        return Vec::new();
    }
    let refuse = |span: Span, message: String| vec![BadCall { message, span }];
    for &func in before.iter().chain(&behind) {
        let function = &program.funcs[func];
        if function.body.is_none() || !function.params.is_empty() {
            let name = &function.name;
            let message =
                format!("`{name}` is called around `main` and has no body, or parameters");
            return refuse(function.span, message);
        }
    }
    let Some(main) = program.find_function("main") else { return Vec::new() };
    if program.funcs[main].body.is_none() {
        return Vec::new();
    }
    let exit = program.find_function("exit").filter(|&f| program.funcs[f].body.is_none());
    if !behind.is_empty() {
        let span = program.funcs[main].span;
        if super::command_line::is_called(program, main) {
            return refuse(span, "functions that run behind a `main` that is called".to_owned());
        }
        if exit.is_some_and(|exit| takes_address(program, exit)) {
            return refuse(span, "functions that run behind `exit` by its address".to_owned());
        }
        let ends = |name: &&str| program.find_function(name).is_some();
        if let Some(name) = END_A_THREAD.iter().find(|name| ends(name)) {
            return refuse(span, format!("functions that run at the end, beside `{name}`"));
        }
    }
    for func in program.funcs.ids().collect::<Vec<FuncId>>() {
        let Some(body) = program.funcs[func].body.take() else { continue };
        let is_main = func == main;
        let ends = |op: &Op| match op {
            Op::Call(call) => exit.is_some_and(|exit| call.callee == Callee::Direct(exit)),
            Op::Return(_) => is_main,
            _ => false,
        };
        let first: &[FuncId] = if is_main { &before } else { &[] };
        let body = with_calls(program, func, &body, first, &behind, ends);
        program.funcs[func].body = Some(body);
    }
    Vec::new()
}

/// The same automaton with calls at its beginning, and before every operation that ends the run.
fn with_calls(
    program: &mut Program,
    func: FuncId,
    body: &Cfa,
    first: &[FuncId],
    last: &[FuncId],
    ends: impl Fn(&Op) -> bool,
) -> Cfa {
    let changes = !first.is_empty() || body.edges().iter().any(|edge| ends(&edge.op));
    if !changes {
        return body.clone();
    }
    let mut builder = CfaBuilder::new();
    // Entry and exit are there already.
    for _ in 2..body.loc_count() {
        builder.add_loc();
    }
    let start = calls(&mut builder, body.entry(), first, Span::NONE);
    let moved = |loc: LocId| if loc == body.entry() { start } else { loc };
    for edge in body.edges().iter() {
        let mut edge = Edge { from: moved(edge.from), to: moved(edge.to), ..edge.clone() };
        if ends(&edge.op) && !last.is_empty() {
            // The value is found before anything else is called.
            if let Op::Return(Some(value)) = edge.op {
                let (var, kept) = temporary(program, func, value);
                let to = builder.add_loc();
                let (dst, stmt) = (program.var_place(var), edge.stmt);
                let op = Op::Assign { dst, src: value };
                builder.add_edge(Edge { from: edge.from, to, op, span: edge.span, stmt });
                (edge.from, edge.op) = (to, Op::Return(Some(kept)));
            }
            edge.from = calls(&mut builder, edge.from, last, edge.span);
        }
        builder.add_edge(edge);
    }
    for label in body.labels() {
        let mut label = label.clone();
        label.loc = moved(label.loc);
        builder.add_label(label);
    }
    builder.finish()
}

/// Calls some functions one after the other; gives where that ends.
fn calls(builder: &mut CfaBuilder, mut from: LocId, funcs: &[FuncId], span: Span) -> LocId {
    for &func in funcs {
        let to = builder.add_loc();
        let call = Call { dst: None, callee: Callee::Direct(func), args: Box::new([]) };
        builder.add_edge(Edge { from, to, op: Op::Call(call), span, stmt: Program::NO_STMT });
        from = to;
    }
    from
}

/// A variable for a value, and what is read from it.
fn temporary(program: &mut Program, func: FuncId, value: ExprId) -> (VarId, ExprId) {
    let var = program.vars.push(Var {
        name: format!(".end{}", program.funcs[func].locals.len()),
        ty: program.expr_ty(value),
        storage: Storage::Local(func),
        address_taken: false,
        span: Span::NONE,
    });
    program.funcs[func].locals.push(var);
    (var, program.load_var(var))
}
