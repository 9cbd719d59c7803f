//! Paths through calls, step by step.
//!
//! A path is a list of steps; each becomes a formula of its own, over the values before and after
//! it, so that interpolation has a cut between any two. A call is two steps: entering passes the
//! arguments to the parameters of a new frame, leaving takes the result and gives the caller its
//! variables back. The local variables of a frame have indices of their own, also when a function
//! calls itself.

use super::block::Block;
use super::cells::{Part, Root};
use super::draft::{Draft, Operand};
use super::expr::PlainPlace;
use super::memory::{Argument, MemoryModel};
use super::ssa::Ssa;
use super::{Encoder, NotEncoded};
use crate::term::{Scope, Terms, Variable};
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage};
use gnomon_ir::types::TypeId;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// An edge of the function the path is in. A call here is one of a function without a body.
    Edge(EdgeId),
    /// The edge of a call: on to the entry of the function it calls.
    Enter(EdgeId),
    /// The edge of a call through a pointer: on to the entry of this function.
    EnterCallee(EdgeId, FuncId),
    /// Back to behind the call of the innermost frame.
    Leave,
}

/// An open call: who runs, and how to go back. The caller's values of variables that the function
/// has again are kept here while it runs, so that a function can call itself.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(super) callee: FuncId,
    pub(super) call: Call,
    /// The indices to give back.
    pub(super) saved: Vec<(Variable, u32)>,
}

impl Frame {
    /// The variables of the function that runs: its caller gets its own back.
    pub fn own_variables(&self) -> impl Iterator<Item = Variable> {
        self.saved.iter().map(|(variable, _)| *variable)
    }
}

/// Encodes a path step by step.
pub struct PathEncoder<'e, 'p> {
    encoder: &'e mut Encoder<'p>,
    first: FuncId,
    frames: Vec<Frame>,
    ssa: Ssa,
}

impl<'e, 'p> PathEncoder<'e, 'p> {
    /// A path that begins in a function with the given present values.
    pub fn new(encoder: &'e mut Encoder<'p>, func: FuncId, ssa: Ssa) -> Self {
        Self { encoder, first: func, frames: Vec::new(), ssa }
    }

    /// The present values.
    pub fn ssa(&self) -> &Ssa {
        &self.ssa
    }

    /// How many calls are open.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The function the path is in.
    pub fn function(&self) -> FuncId {
        self.frames.last().map_or(self.first, |f| f.callee)
    }

    /// The innermost open call.
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// From here on these variables have any values.
    pub fn havoc(&mut self, variables: impl IntoIterator<Item = Variable>) {
        for variable in variables {
            self.ssa.assign(variable);
        }
    }

    /// The formula of edges of the present function in a row, as one step.
    pub fn chain(&mut self, terms: &mut Terms, edges: &[EdgeId]) -> Result<Block, NotEncoded> {
        let block = self.encoder.sequence(terms, &self.ssa, self.function(), edges)?;
        self.ssa = block.after.clone();
        Ok(block)
    }

    /// The formula of the start of the program.
    pub fn start(&mut self, terms: &mut Terms) -> Result<Block, NotEncoded> {
        let block = self.encoder.initial(terms, &self.ssa)?;
        self.ssa = block.after.clone();
        Ok(block)
    }

    /// The formula of the next step.
    pub fn step(&mut self, terms: &mut Terms, step: PathStep) -> Result<Block, NotEncoded> {
        let func = self.function();
        let block = match step {
            PathStep::Edge(edge) => return self.chain(terms, &[edge]),
            PathStep::Enter(edge) => match self.encoder.call_at(func, edge)?.callee {
                Callee::Direct(callee) => self.enter(terms, func, edge, callee)?,
                Callee::Indirect(_) => {
                    return Err(NotEncoded::Call(
                        "a call through a pointer to a function that is not told".into(),
                    ));
                }
            },
            PathStep::EnterCallee(edge, callee) => self.enter(terms, func, edge, callee)?,
            PathStep::Leave => self.leave(terms)?,
        };
        self.ssa = block.after.clone();
        Ok(block)
    }

    fn enter(
        &mut self,
        terms: &mut Terms,
        caller: FuncId,
        edge: EdgeId,
        callee: FuncId,
    ) -> Result<Block, NotEncoded> {
        let call = self.encoder.call_at(caller, edge)?;
        let mut saved = Vec::new();
        let block = self.encoder.draft(terms, &self.ssa, |draft, memory| {
            saved = draft.enter(memory, call, callee)?;
            Ok(())
        })?;
        self.frames.push(Frame { callee, call: call.clone(), saved });
        Ok(block)
    }

    fn leave(&mut self, terms: &mut Terms) -> Result<Block, NotEncoded> {
        let Some(frame) = self.frames.pop() else {
            return Err(NotEncoded::Call("the first frame of a path is left".into()));
        };
        self.encoder.draft(terms, &self.ssa, |draft, memory| draft.leave_frame(memory, &frame))
    }
}

/// An argument that was evaluated.
enum Passed {
    /// The cells of a record or array that is in no memory.
    Cells(Vec<Operand>),
    Argument(Argument),
}

impl Draft<'_> {
    /// Passes the arguments of a call to the parameters of the function that is called. Gives the
    /// indices that its variables had before.
    pub(super) fn enter(
        &mut self,
        memory: &mut dyn MemoryModel,
        call: &Call,
        callee: FuncId,
    ) -> Result<Vec<(Variable, u32)>, NotEncoded> {
        let function = &self.program.funcs[callee];
        let (passed, declared) = (call.args.len(), function.params.len());
        // Further arguments matter to a body that asks for them only, which is not encoded.
        let is_variadic =
            self.program.types.signature(function.ty).is_some_and(|signature| signature.variadic);
        let fits = passed == declared || is_variadic && passed > declared;
        if function.body.is_none() || !fits {
            return Err(NotEncoded::Call(format!("the call of `{}`", function.name)));
        }
        self.memo.clear();
        if let Callee::Indirect(pointer) = call.callee {
            let pointer = self.value(memory, pointer)?;
            let address = memory.function(self, callee)?;
            let is_callee = self.terms.eq(pointer.term, address.term);
            self.add(is_callee);
        }
        // All arguments are evaluated before the frame changes: they may be parameters of the same
        // function.
        let mut arguments = Vec::with_capacity(call.args.len());
        for (&param, &arg) in function.params.iter().zip(&call.args) {
            let ty = self.program.vars[param].ty;
            if !same_representation(self.program, ty, self.program.expr_ty(arg)) {
                return Err(NotEncoded::Call(format!(
                    "the call of `{}` with arguments of other types",
                    function.name
                )));
            }
            let plain = !memory.owns(self.program, param) && self.is_plain(memory, arg)?;
            arguments.push(if self.program.types.is_scalar(ty) {
                Passed::Argument(Argument::Scalar(self.value(memory, arg)?))
            } else if plain {
                Passed::Cells(self.values(memory, arg)?)
            } else {
                Passed::Argument(Argument::Record(self.record(memory, arg)?))
            });
        }
        let mut saved = Vec::new();
        for &var in function.params.iter().chain(&function.locals) {
            if memory.owns(self.program, var) {
                continue;
            }
            let info = &self.program.vars[var];
            // A variable we cannot encode is an error only where it is used.
            let part = Part::whole(Root::Var(var), info.ty);
            let Ok(cells) = self.cells(&part) else { continue };
            for (_, cell) in cells {
                saved.push((cell.variable, self.state.ssa.index(cell.variable)));
                self.havoc_cell(&cell, &[]);
            }
        }
        saved.extend(memory.enter(self, callee)?);
        for (&param, argument) in function.params.iter().zip(&arguments) {
            let part = Part::whole(Root::Var(param), self.program.vars[param].ty);
            match argument {
                Passed::Argument(argument) if memory.owns(self.program, param) => {
                    memory.pass(self, param, argument)?;
                }
                Passed::Argument(Argument::Record(record)) => {
                    self.assign_record(&PlainPlace { part, indices: Vec::new() }, record)?;
                }
                Passed::Argument(Argument::Scalar(value)) => {
                    for (_, cell) in self.cells(&part)? {
                        self.write_cell(&cell, &[], value.clone());
                    }
                }
                Passed::Cells(values) => {
                    for ((_, cell), value) in self.cells(&part)?.iter().zip(values) {
                        self.write_cell(cell, &[], value.clone());
                    }
                }
            }
        }
        self.memo.clear();
        Ok(saved)
    }

    /// Gives the caller its variables back and takes over the result of the call.
    pub(super) fn leave_frame(
        &mut self,
        memory: &mut dyn MemoryModel,
        frame: &Frame,
    ) -> Result<(), NotEncoded> {
        for &(variable, index) in &frame.saved {
            self.state.ssa.restore(variable, index);
            self.forget(variable);
        }
        self.leave(memory, &frame.call, frame.callee)
    }

    /// Takes over the result of a call.
    pub(super) fn leave(
        &mut self,
        memory: &mut dyn MemoryModel,
        call: &Call,
        callee: FuncId,
    ) -> Result<(), NotEncoded> {
        let Some(dst) = call.dst else { return Ok(()) };
        self.memo.clear();
        let ty = self.program.place_ty(dst);
        let result = self.program.types.signature(self.program.funcs[callee].ty).map(|s| s.result);
        if !result.is_some_and(|result| same_representation(self.program, ty, result)) {
            return Err(NotEncoded::Call("the result of a call as another type".into()));
        }
        let part = Part::whole(Root::Return(callee), ty);
        let results = self.cells(&part)?;
        let values: Vec<_> = results.iter().map(|(_, cell)| self.read_cell(cell, &[])).collect();
        let Some(to) = self.plain_place(memory, dst)? else {
            if self.program.types.is_scalar(ty) {
                let Some(value) = values.into_iter().next() else { return Ok(()) };
                return memory.write(self, dst, value);
            }
            let mut record = memory.shape(self.program, ty)?;
            record.values = self.leaf_values(&PlainPlace { part, indices: Vec::new() }, &record)?;
            return memory.write_record(self, dst, &record);
        };
        let cells = self.cells(&to.part)?;
        for ((_, cell), value) in cells.iter().zip(values) {
            let value = self.fit_field(cell, value);
            self.write_cell(cell, &to.indices, value);
        }
        Ok(())
    }
}

impl<'p> Encoder<'p> {
    /// The call of an edge.
    pub(super) fn call_at(&self, caller: FuncId, edge: EdgeId) -> Result<&'p Call, NotEncoded> {
        match &self.body(caller)?.edge(edge).op {
            Op::Call(call) => Ok(call),
            _ => Err(NotEncoded::Call("an edge that is no call is entered".into())),
        }
    }

    /// What holds when the program starts: the initial values of its static variables.
    pub fn initial(&mut self, terms: &mut Terms, ssa: &Ssa) -> Result<Block, NotEncoded> {
        self.draft(terms, ssa, |draft, memory| draft.initial(memory))
    }
}

impl Draft<'_> {
    /// Gives the static variables their initial values.
    pub(super) fn initial(&mut self, memory: &mut dyn MemoryModel) -> Result<(), NotEncoded> {
        let program = self.program;
        for var in program.globals() {
            let info = &program.vars[var];
            let Storage::Static { init: Some(init), .. } = &info.storage else { continue };
            self.check_budget()?;
            if memory.owns(program, var) {
                continue;
            }
            let Ok(zeros) = self.zeros(info.ty) else { continue };
            let cells = self.cells(&Part::whole(Root::Var(var), info.ty))?;
            for ((_, cell), value) in cells.iter().zip(zeros) {
                self.write_cell(cell, &[], value);
            }
            for item in &init.items {
                self.memo.clear();
                match item {
                    InitItem::Value { place, value } => {
                        if let Some(to) = self.plain_place(memory, *place)? {
                            self.assign_plain(memory, &to, *value)?;
                        }
                    }
                    InitItem::Bytes { place, bytes } => {
                        self.write_bytes(memory, *place, bytes)?;
                    }
                }
            }
        }
        self.memo.clear();
        memory.start(self)
    }
}

/// Whether values of two types are represented in the same way.
fn same_representation(program: &Program, a: TypeId, b: TypeId) -> bool {
    a == b
        || matches!((program.types.scalar(a), program.types.scalar(b)), (Some(x), Some(y)) if x == y)
}

/// Whether a predicate over a variable makes sense inside a function.
pub fn in_scope(terms: &Terms, variable: Variable, func: FuncId) -> bool {
    match terms.variable_info(variable).scope {
        Scope::Global => true,
        Scope::Function(owner) => owner == func.0,
        Scope::Auxiliary => false,
    }
}
