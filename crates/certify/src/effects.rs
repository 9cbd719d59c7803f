//! What a call can change, from the text of the functions alone.
//!
//! A function changes the static variables that it or what it calls assigns by name, the memory
//! behind pointers if it or what it calls writes any of it, and the heap if something is allocated.
//! A call through a pointer can lead to every function whose address is taken.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::ExprKind;
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, VarId, source_name};

use crate::machine::Machine;
use crate::state::Slot;

/// The functions whose address is taken.
pub fn pointed_to(program: &Program) -> BTreeSet<FuncId> {
    let exprs = &program.exprs;
    let ids = (0..exprs.expr_count()).map(|at| gnomon_ir::expr::ExprId(at as u32));
    let taken = ids.filter_map(|e| match exprs.expr(e).kind {
        ExprKind::FuncAddr(func) => Some(func),
        _ => None,
    });
    taken.collect()
}

/// The variables that some operation assigns to, by name.
pub fn assigned(program: &Program) -> BTreeSet<VarId> {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let edges = bodies.flat_map(|body| body.edges().iter());
    let places = edges.filter_map(|edge| edge.op.destination());
    places.filter_map(|place| program.exprs.root_var(place)).collect()
}

/// What the calls of all functions can change, and which functions can be open twice.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    changed: BTreeMap<FuncId, BTreeSet<Slot>>,
    called: BTreeMap<FuncId, BTreeSet<FuncId>>,
    /// The variables of functions that are not what they were when the function was entered.
    own: BTreeMap<FuncId, BTreeSet<Slot>>,
}

impl Effects {
    /// Of a program.
    pub fn new(machine: &Machine<'_>) -> Self {
        let program = machine.program;
        let pointed_to = pointed_to(program);
        let mut effects = Self::default();
        for func in program.funcs.ids() {
            let (changed, called) = own(machine, func, &pointed_to);
            effects.changed.insert(func, changed);
            effects.called.insert(func, called);
        }
        effects.close();
        let assigned = assigned(program);
        for (var, info) in program.vars.iter_ids() {
            let func = match info.storage {
                Storage::Param(func) if assigned.contains(&var) => func,
                Storage::Local(func) => func,
                Storage::Param(_) | Storage::Static { .. } => continue,
            };
            let slots = effects.own.entry(func).or_default();
            match machine.own_slot(var) {
                Some(slot) => slots.extend([slot]),
                None => slots.extend(machine.elements_of(var).into_iter().map(|(slot, _)| slot)),
            }
        }
        effects
    }

    /// Until nothing is added by callees any more.
    fn close(&mut self) {
        loop {
            let mut grown = false;
            for func in self.called.keys().copied().collect::<Vec<_>>() {
                let (mut changed, mut called) = (BTreeSet::new(), BTreeSet::new());
                for callee in &self.called[&func] {
                    changed.extend(self.changed[callee].iter().copied());
                    called.extend(self.called[callee].iter().copied());
                }
                let own = self.changed.entry(func).or_default();
                let before = own.len();
                own.extend(changed);
                grown |= own.len() > before;
                let own = self.called.entry(func).or_default();
                let before = own.len();
                own.extend(called);
                grown |= own.len() > before;
            }
            if !grown {
                return;
            }
        }
    }

    /// What a call of a function can change that its caller sees.
    pub fn of(&self, func: FuncId) -> impl Iterator<Item = Slot> {
        self.changed.get(&func).into_iter().flatten().copied()
    }

    /// The variables of a function that are not at its end what they were at its entry.
    pub fn own(&self, func: FuncId) -> impl Iterator<Item = Slot> {
        self.own.get(&func).into_iter().flatten().copied()
    }

    /// Whether a function can be called while it is open.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.called.get(&func).is_some_and(|called| called.contains(&func))
    }
}

/// What a function changes itself, and what it calls.
pub(crate) fn own(
    machine: &Machine<'_>,
    func: FuncId,
    pointed_to: &BTreeSet<FuncId>,
) -> (BTreeSet<Slot>, BTreeSet<FuncId>) {
    let program = machine.program;
    let (mut changed, mut called) = (BTreeSet::new(), BTreeSet::new());
    let Some(body) = &program.funcs[func].body else {
        let name = source_name(&program.funcs[func].name);
        match classify(name, program.types.target()) {
            Library::Alloc(
                AllocKind::Malloc | AllocKind::Realloc | AllocKind::Aligned | AllocKind::Duplicate,
            ) => changed.extend([Slot::HeapEnd, Slot::Begins]),
            Library::Abort
            | Library::Exit
            | Library::Unreachable
            | Library::Error
            | Library::Assume
            | Library::Nondet(_)
            | Library::Free
            | Library::Output
            | Library::Environment
            | Library::Pure
            | Library::MemRead => {}
            _ => {
                changed.extend([Slot::HeapEnd, Slot::Begins]);
                changed.extend(machine.parts.ids().map(Slot::Memory));
            }
        }
        return (changed, called);
    };
    // Parameters and variables that pointers reach are written when they begin to exist.
    for (var, info) in program.vars.iter_ids() {
        let is_own = matches!(info.storage, Storage::Param(f) | Storage::Local(f) if f == func);
        if is_own && machine.own_slot(var).is_none() {
            changed.extend(machine.elements_of(var).into_iter().map(|(slot, _)| slot));
        }
    }
    for edge in body.edges().iter() {
        if let Some(dst) = edge.op.destination() {
            let var = program.exprs.root_var(dst);
            match var.and_then(|var| Some((var, machine.own_slot(var)?))) {
                Some((var, slot)) => {
                    if matches!(program.vars[var].storage, Storage::Static { .. }) {
                        changed.insert(slot);
                    }
                }
                None => match machine.parts.of_place(dst) {
                    Some(part) => changed.extend([Slot::Memory(part)]),
                    None => changed.extend(machine.parts.ids().map(Slot::Memory)),
                },
            }
        }
        match &edge.op {
            Op::HavocMemory => changed.extend(machine.parts.ids().map(Slot::Memory)),
            Op::Alloca { .. } => changed.extend([Slot::HeapEnd, Slot::Begins]),
            Op::Call(call) => match call.callee {
                Callee::Direct(callee) => {
                    called.insert(callee);
                }
                Callee::Indirect(_) => called.extend(pointed_to.iter().copied()),
            },
            _ => {}
        }
    }
    (changed, called)
}
