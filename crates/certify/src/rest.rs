//! The rest of a program: what is left where a proof leaves out what cannot matter.
//!
//! A certificate may list operations that its claim leaves out. The claim then is about the *rest*, a
//! program with the same control flow automata in which these do nothing. It holds for the whole
//! program if the rest can do all that the whole can, as far as anybody looks: a condition that is
//! left out is taken to hold, a value that is left out can be any, and whatever else is left
//! out writes only slots whose values were never asked for, neither by what is kept nor by a formula.
//! Suppose a run of the whole program; the run of the rest that takes the same edges, and steps over
//! the calls that are left out, has the same values in all slots that are asked for, so it exists, and what
//! is proved of it holds for the other one. No error may be among what is left out.
//!
//! Which slots were asked for, the machine notes while it makes the verification conditions
//! (its field `read`); what is written is read off the text of the program, in the same parts of memory.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{Expr, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};

use crate::certificate::{LeftOut, Omission};
use crate::check::{Forbidden, Stop};
use crate::effects::{own, pointed_to};
use crate::machine::Machine;
use crate::state::Slot;

type Edges<'c> = BTreeMap<(FuncId, EdgeId), &'c Omission>;

fn refused<T>(why: &str) -> Result<T, Stop> {
    Err(Stop::NotDecided(format!("what is left out: {why}")))
}

fn edges<'c>(program: &Program, left_out: &'c [LeftOut]) -> Option<Edges<'c>> {
    let names: BTreeMap<&str, FuncId> =
        program.funcs.iter_ids().map(|(id, f)| (f.name.as_str(), id)).collect();
    let mut edges = BTreeMap::new();
    for LeftOut { function, edge, what } in left_out {
        let func = *names.get(function.as_str())?;
        let body = program.funcs[func].body.as_ref()?;
        body.edges().get(EdgeId(*edge))?;
        edges.insert((func, EdgeId(*edge)), what);
    }
    Some(edges)
}

/// The program without what is left out; `None` if the list is about another program.
pub fn rest(program: &Program, left_out: &[LeftOut]) -> Option<Program> {
    let edges = edges(program, left_out)?;
    let mut rest = program.clone();
    let mut changed: BTreeMap<FuncId, BTreeMap<EdgeId, Op>> = BTreeMap::new();
    for (&(func, edge), what) in &edges {
        let op = program.funcs[func].body.as_ref()?.edge(edge).op.clone();
        let op = match (what, op) {
            // A function that ends without a value returns anything.
            (Omission::Everything, _) | (Omission::Value, Op::Return(_)) => Op::Skip,
            (Omission::Value, op) => Op::Havoc(op.destination()?),
            (Omission::Parts { arguments, result }, Op::Call(mut call)) => {
                for &position in arguments {
                    let argument = call.args.get_mut(position as usize)?;
                    let ty = rest.exprs.ty(*argument);
                    *argument = rest.exprs.intern_expr(Expr { kind: ExprKind::Zero, ty });
                }
                if *result {
                    call.dst = None;
                }
                Op::Call(call)
            }
            (Omission::Parts { .. }, _) => return None,
        };
        changed.entry(func).or_default().insert(edge, op);
    }
    for (func, mut changed) in changed {
        if let Some(body) = &mut rest.funcs[func].body {
            // Operations are met in the order of their edges.
            let mut next = 0;
            body.rewrite_ops(|_| {
                next += 1;
                changed.remove(&EdgeId(next - 1))
            });
        }
    }
    Some(rest)
}

/// What is needed to see what an operation writes.
pub(crate) struct Writes<'a, 'p> {
    /// Of the whole program.
    pub machine: &'a Machine<'p>,
    /// What must not happen.
    pub forbidden: &'a Forbidden,
    /// What calls through pointers are believed to call.
    pub believed: &'a BTreeMap<(FuncId, EdgeId), BTreeSet<FuncId>>,
    /// What was asked for.
    pub read: &'a BTreeSet<Slot>,
}

impl Writes<'_, '_> {
    /// Whether nothing that is left out can matter.
    pub fn cannot_matter(&self, left_out: &[LeftOut]) -> Result<(), Stop> {
        let program = self.machine.program;
        let Some(edges) = edges(program, left_out) else {
            return refused("there is no such edge");
        };
        let pointed_to = pointed_to(program);
        let mut known = BTreeMap::new();
        for (&(func, edge), what) in &edges {
            if self.forbidden.edges.contains(&(func, edge)) {
                return refused("an error is among it");
            }
            let Some(body) = &program.funcs[func].body else { continue };
            let op = &body.edge(edge).op;
            let mut written: BTreeSet<Slot> = BTreeSet::new();
            match (what, op) {
                (Omission::Everything, Op::Assume(_) | Op::Skip) => {}
                (Omission::Parts { arguments, result }, Op::Call(call)) => {
                    for callee in self.callees((func, edge), call, &pointed_to) {
                        let function = &program.funcs[callee];
                        if function.body.is_none() {
                            return refused("arguments of a function without a body");
                        }
                        for &position in arguments {
                            match function.params.get(position as usize) {
                                Some(&param) => written.extend(self.variable(param)),
                                None => return refused("further arguments"),
                            }
                        }
                    }
                    if let (true, Some(dst)) = (*result, call.dst) {
                        written.extend(self.place(dst));
                    }
                }
                (Omission::Parts { .. }, _) => return refused("arguments of no call"),
                (Omission::Value, Op::Return(_)) => {}
                (Omission::Value, _) => {
                    let Some(dst) = op.destination() else { return refused("a value of nothing") };
                    let exprs = &program.exprs;
                    let is_plain = matches!(exprs.place(dst).kind, PlaceKind::Var(var)
                        if matches!(self.machine.own_slot(var), Some(Slot::Plain(_))));
                    match op {
                        Op::Assign { .. } if is_plain => {}
                        Op::Call(call) if is_plain => {
                            written = self.call((func, edge), call, &pointed_to, &mut known)?;
                        }
                        _ => return refused("what is stored behind a pointer"),
                    }
                }
                (Omission::Everything, Op::Call(call)) => {
                    written = self.call((func, edge), call, &pointed_to, &mut known)?;
                    written.extend(call.dst.into_iter().flat_map(|dst| self.place(dst)));
                }
                (Omission::Everything, Op::Return(_)) => {
                    written.extend([Slot::Result(func), Slot::ResultBytes(func)]);
                }
                (Omission::Everything, Op::Declare(var)) => written.extend(self.variable(*var)),
                (Omission::Everything, Op::HavocMemory) => written.extend(self.memory()),
                (Omission::Everything, _) => {
                    written.extend(op.destination().into_iter().flat_map(|dst| self.place(dst)));
                    if matches!(op, Op::Alloca { .. }) {
                        written.extend([Slot::HeapEnd, Slot::Begins]);
                    }
                }
            }
            if written.iter().any(|slot| self.read.contains(slot)) {
                let name = source_name(&program.funcs[func].name);
                return refused(&format!("something in `{name}` that is looked at"));
            }
        }
        Ok(())
    }

    fn memory(&self) -> impl Iterator<Item = Slot> + use<> {
        self.machine.parts.ids().map(Slot::Memory)
    }

    fn variable(&self, var: gnomon_ir::program::VarId) -> Vec<Slot> {
        match self.machine.own_slot(var) {
            Some(slot) => vec![slot],
            None => self.machine.elements_of(var).into_iter().map(|(slot, _)| slot).collect(),
        }
    }

    fn place(&self, place: PlaceId) -> Vec<Slot> {
        let var = self.machine.program.exprs.root_var(place);
        match var.and_then(|var| self.machine.own_slot(var)) {
            Some(slot) => vec![slot],
            None => match self.machine.parts.of_place(place) {
                Some(part) => vec![Slot::Memory(part)],
                None => self.memory().collect(),
            },
        }
    }

    fn callees(
        &self,
        edge: (FuncId, EdgeId),
        call: &Call,
        pointed_to: &BTreeSet<FuncId>,
    ) -> BTreeSet<FuncId> {
        match call.callee {
            Callee::Direct(callee) => BTreeSet::from([callee]),
            Callee::Indirect(_) => self.believed.get(&edge).unwrap_or(pointed_to).clone(),
        }
    }

    /// What a call changes, but for where its result goes. It must not lead back to its caller.
    fn call(
        &self,
        (func, edge): (FuncId, EdgeId),
        call: &Call,
        pointed_to: &BTreeSet<FuncId>,
        known: &mut BTreeMap<FuncId, (BTreeSet<Slot>, BTreeSet<FuncId>)>,
    ) -> Result<BTreeSet<Slot>, Stop> {
        let mut called = self.callees((func, edge), call, pointed_to);
        let mut work: Vec<FuncId> = called.iter().copied().collect();
        if let (Callee::Indirect(_), None) = (call.callee, self.believed.get(&(func, edge))) {
            return refused("a call through a pointer of which nothing is known");
        }
        let mut written = BTreeSet::new();
        while let Some(callee) = work.pop() {
            if callee == func || self.forbidden.functions.contains(&callee) {
                return refused("a call that may lead to an error, or back");
            }
            let (own, calls) = match known.get(&callee) {
                Some(known) => known,
                None => {
                    let found = self.own(callee, pointed_to)?;
                    known.entry(callee).or_insert(found)
                }
            };
            written.extend(own.iter().copied());
            work.extend(calls.iter().filter(|callee| called.insert(**callee)));
        }
        Ok(written)
    }

    /// What a function changes itself, and what it calls; no error may be in it.
    fn own(
        &self,
        func: FuncId,
        pointed_to: &BTreeSet<FuncId>,
    ) -> Result<(BTreeSet<Slot>, BTreeSet<FuncId>), Stop> {
        let program = self.machine.program;
        let (changed, _) = own(self.machine, func, pointed_to);
        let mut called = BTreeSet::new();
        let Some(body) = &program.funcs[func].body else {
            let name = source_name(&program.funcs[func].name);
            return match classify(name, program.types.target()) {
                Library::CallsBack => refused("a function that calls others back"),
                _ => Ok((changed, called)),
            };
        };
        for (edge, held) in body.edges().iter_ids() {
            if self.forbidden.edges.contains(&(func, edge)) {
                return refused("a call that may lead to an error");
            }
            let Op::Call(call) = &held.op else { continue };
            if let (Callee::Indirect(_), None) = (call.callee, self.believed.get(&(func, edge))) {
                return refused("a call through a pointer of which nothing is known");
            }
            called.extend(self.callees((func, edge), call, pointed_to));
        }
        Ok((changed, called))
    }
}
