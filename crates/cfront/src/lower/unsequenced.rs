//! Effects whose order C leaves open: `f(g(), h())`, `x + g()`, `a[i] = g()`, `x += g()`,
//! `f(*p, *q = 1)`, `{g(), h()}`.
//!
//! The lowering has a fixed order, from left to right, but the user's compiler may choose another
//! one. That matters only if one operand writes what another reads or writes. So for every pair of
//! operands with calls, it is remembered what they call; when the whole program is known, the
//! functions' effects on static variables and on memory behind pointers are compared, and a note
//! says where the order may matter. A function without a body that nothing is known of may read and
//! write memory behind pointers, known ones of the C library as they are documented. Who is called through a pointer may
//! be any function whose address is taken.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{self as ir, FuncId, Note, Program, VarId, source_name};
use gnomon_ir::span::Span;

/// What an operand does by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Operand {
    /// The functions that it calls; `None` for one behind a pointer.
    pub calls: Vec<Option<FuncId>>,
    /// What it stores to, temporaries too.
    pub stores: Vec<PlaceId>,
    /// What it reads on the way: in conditions, and as arguments.
    pub reads: Vec<ExprId>,
    /// What it reads in the end.
    pub value: Option<ExprId>,
    /// A place that is only found: what leads there is read.
    pub place: Option<PlaceId>,
    /// Whether it has a block in parentheses (`({ ... })`).
    pub has_block: bool,
}

/// What a function has done before an operand is evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub calls: usize,
    pub stores: usize,
    pub reads: usize,
    pub inner_blocks: usize,
}

/// Operands in no order.
#[derive(Clone, Debug)]
pub(super) struct OpenOrder {
    pub span: Span,
    pub operands: Vec<Operand>,
}

/// Variables, and memory behind pointers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Objects {
    variables: BTreeSet<VarId>,
    memory: bool,
}

impl Objects {
    fn meets(&self, other: &Self, program: &Program) -> bool {
        let exposed = |o: &Self| o.variables.iter().any(|v| program.vars[*v].address_taken);
        !self.variables.is_disjoint(&other.variables)
            || self.memory && (other.memory || exposed(other))
            || other.memory && exposed(self)
    }

    fn extend(&mut self, other: &Self) {
        self.variables.extend(&other.variables);
        self.memory |= other.memory;
    }
}

/// What a function reads and writes that others can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effects {
    reads: Objects,
    writes: Objects,
    /// Calls a function that nothing is known of: two of them do anything in every order.
    asks_outside: bool,
}

impl Effects {
    fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.asks_outside |= other.asks_outside;
    }

    /// Whether it changes anything.
    fn acts(&self) -> bool {
        self.asks_outside || self.writes != Objects::default()
    }

    /// Whether functions outside of the program may know what this reads or writes.
    fn is_exposed(&self, program: &Program) -> bool {
        let outside = Objects { variables: BTreeSet::new(), memory: true };
        self.reads.meets(&outside, program) || self.writes.meets(&outside, program)
    }

    fn conflicts(&self, other: &Self, program: &Program) -> bool {
        self.writes.meets(&other.writes, program)
            || self.writes.meets(&other.reads, program)
            || self.reads.meets(&other.writes, program)
            || self.asks_outside && other.is_exposed(program)
            || other.asks_outside && self.is_exposed(program)
    }
}

/// Notes where the order may matter.
pub(super) fn note_conflicts(program: &mut Program, open: &[OpenOrder]) {
    if open.is_empty() {
        return;
    }
    let effects = effects_of_functions(program);
    for order in open {
        let of_operands: Vec<Effects> =
            order.operands.iter().map(|o| effects_of_operand(program, &effects, o)).collect();
        // Long lists have few values with effects.
        let mut acting = of_operands.iter().enumerate().filter(|(_, one)| one.acts());
        let conflict = acting.any(|(position, one)| {
            let mut others = of_operands.iter().enumerate();
            others.any(|(number, other)| number != position && one.conflicts(other, program))
        });
        if conflict {
            let message = "operands with effects on one another are evaluated from left to right, \
                           where C leaves the order open";
            program.add_note(Note {
                kind: Note::EVALUATION_ORDER,
                message: message.into(),
                span: order.span,
            });
            // All places: who covers every order must know them.
            let operands = order.operands.iter().map(|operand| operand.calls.clone()).collect();
            program.open_orders.push(ir::OpenOrder { span: order.span, operands });
        }
    }
}

fn effects_of_operand(program: &Program, functions: &[Effects], operand: &Operand) -> Effects {
    let mut effects = Effects::default();
    for &value in operand.reads.iter().chain(&operand.value) {
        read(program, value, &mut effects.reads);
    }
    if let Some(place) = operand.place {
        within_place(program, place, &mut effects.reads);
    }
    for &place in &operand.stores {
        write(program, place, &mut effects);
    }
    // Nobody knows the temporaries of another operand.
    let is_named = |var: &VarId| !source_name(&program.vars[*var].name).is_empty();
    effects.writes.variables.retain(is_named);
    for call in &operand.calls {
        match call {
            Some(func) => effects.extend(&functions[func.index()]),
            None => functions.last().into_iter().for_each(|any| effects.extend(any)),
        }
    }
    effects
}

/// By function, with the effects of those that it calls; at the end those of whoever is called through a
/// pointer: all functions whose address is taken.
fn effects_of_functions(program: &Program) -> Vec<Effects> {
    let any = program.funcs.len();
    let mut effects = vec![Effects::default(); any + 1];
    let mut calls: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); any + 1];
    effects[any].reads.memory = true;
    effects[any].writes.memory = true;
    calls[any].extend((0..program.exprs.expr_count()).filter_map(|number| {
        match program.exprs.expr(ExprId(number as u32)).kind {
            ExprKind::FuncAddr(func) => Some(func.index()),
            _ => None,
        }
    }));
    for (func, function) in program.funcs.iter_ids() {
        let own = &mut effects[func.index()];
        let Some(body) = &function.body else {
            let name = source_name(&function.name);
            match classify(name, program.types.target()) {
                // `__builtin_signbit` and `__builtin_fpclassify` look at their operands only.
                Library::Unknown if name.starts_with("__builtin_") => {}
                Library::Unknown => own.asks_outside = true,
                Library::CallsBack => {
                    calls[func.index()].insert(any);
                }
                Library::Atomic if name.starts_with("__atomic_load_n") => own.reads.memory = true,
                Library::MemRead | Library::Output | Library::Alloc(AllocKind::Duplicate) => {
                    own.reads.memory = true
                }
                Library::MemCopy
                | Library::MemSet
                | Library::MemWrite
                | Library::Atomic
                | Library::Free
                | Library::Alloc(AllocKind::Realloc) => {
                    own.reads.memory = true;
                    own.writes.memory = true;
                }
                _ => {}
            }
            continue;
        };
        for edge in body.edges().iter() {
            match &edge.op {
                Op::Assume(e) => read(program, *e, &mut own.reads),
                Op::Assign { dst, src } => {
                    read(program, *src, &mut own.reads);
                    write(program, *dst, own);
                }
                Op::Havoc(dst) | Op::Alloca { dst, .. } => write(program, *dst, own),
                Op::Return(Some(e)) => read(program, *e, &mut own.reads),
                Op::HavocMemory => own.writes.memory = true,
                Op::Call(call) => {
                    call.args.iter().for_each(|e| read(program, *e, &mut own.reads));
                    if let Some(dst) = call.dst {
                        write(program, dst, own);
                    }
                    match call.callee {
                        Callee::Direct(callee) => {
                            calls[func.index()].insert(callee.index());
                        }
                        Callee::Indirect(pointer) => {
                            read(program, pointer, &mut own.reads);
                            calls[func.index()].insert(any);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    // Nobody else can see the local variables.
    let is_static = |v: &VarId| program.vars[*v].storage.function().is_none();
    for own in &mut effects {
        own.reads.variables.retain(is_static);
        own.writes.variables.retain(is_static);
    }
    loop {
        let mut changed = false;
        for func in 0..effects.len() {
            let mut all = effects[func].clone();
            calls[func].iter().for_each(|callee| all.extend(&effects[*callee]));
            changed |= all != effects[func];
            effects[func] = all;
        }
        if !changed {
            return effects;
        }
    }
}

fn write(program: &Program, place: PlaceId, effects: &mut Effects) {
    add(program, place, &mut effects.writes);
    within_place(program, place, &mut effects.reads);
}

/// Adds what an expression reads.
fn read(program: &Program, e: ExprId, reads: &mut Objects) {
    let mut work = vec![e];
    while let Some(e) = work.pop() {
        match program.exprs.expr(e).kind {
            ExprKind::Load(place) => {
                add(program, place, reads);
                within_place(program, place, reads);
            }
            ExprKind::AddrOf(place) => within_place(program, place, reads),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                work.extend([a, b]);
            }
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        }
    }
}

/// Adds the object of a place.
fn add(program: &Program, place: PlaceId, objects: &mut Objects) {
    match program.exprs.root_var(place) {
        Some(var) => {
            objects.variables.insert(var);
        }
        None => objects.memory = true,
    }
}

/// Adds what is read to know which place it is.
fn within_place(program: &Program, mut place: PlaceId, reads: &mut Objects) {
    loop {
        place = match program.exprs.place(place).kind {
            PlaceKind::Var(_) => return,
            PlaceKind::Deref(e) => return read(program, e, reads),
            PlaceKind::Index(base, index) => {
                read(program, index, reads);
                base
            }
            PlaceKind::Field(base, _) => base,
        };
    }
}
