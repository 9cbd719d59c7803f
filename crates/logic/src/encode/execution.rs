//! Sets of executions in the making.
//!
//! An [`Execution`] is what is known of all executions that are at one place: a formula over the
//! values before and the present ones. [`Encoder::advance`] takes it over a step,
//! [`Encoder::merge`] puts together those that meet. So whoever explores a program decides how far
//! a formula reaches: one edge, a block between loop heads, or a whole unrolled program (adjustable
//! block encoding).
//!
//! Calls are steps too. With [`Encoder::advance`] every function has one frame at most: its variables
//! have one present value each, so an explorer must not enter a function that is open already. Who
//! keeps the [`Frame`]s of open calls can ([`Encoder::enter`], [`Encoder::leave`]).

use super::cells::{Part, Root};
use super::draft::{Draft, State};
use super::memory::MemoryModel;
use super::path::Frame;
use super::ssa::Ssa;
use super::{Auxiliary, Encoder, NotEncoded};
use crate::term::{Term, Terms};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{FuncId, VarId};
use gnomon_ir::types::TypeId;

/// A step of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// The program starts: static variables have their initial values.
    Start,
    /// An edge of a function. A call here is one of a function without a body.
    Edge(FuncId, EdgeId),
    /// From a call into the function that it calls.
    Enter {
        /// The function with the call.
        caller: FuncId,
        /// The edge of the call.
        edge: EdgeId,
        /// The function that is entered.
        callee: FuncId,
    },
    /// From the end of a function to behind the call.
    Leave {
        /// The function with the call.
        caller: FuncId,
        /// The edge of the call.
        edge: EdgeId,
        /// The function that is left.
        callee: FuncId,
    },
}

/// All executions at one place.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    pub(super) state: State,
    pub(super) auxiliaries: Vec<Auxiliary>,
    pub(super) approximated: Vec<String>,
}

impl Execution {
    /// Nothing happened yet; values have these indices.
    pub fn new(ssa: Ssa) -> Self {
        Self { state: State::new(ssa), ..Self::default() }
    }

    /// The indices of the present values.
    pub fn ssa(&self) -> &Ssa {
        &self.state.ssa
    }

    /// What holds, as a list of conjuncts.
    pub fn facts(&self) -> &[Term] {
        &self.state.facts
    }

    /// What holds.
    pub fn formula(&self, terms: &mut Terms) -> Term {
        terms.and(&self.state.facts)
    }

    /// Whether it is plain that there is no such execution.
    pub fn is_empty(&self, terms: &Terms) -> bool {
        self.state.facts.contains(&terms.ff())
    }

    /// Adds what holds.
    pub fn add(&mut self, terms: &Terms, fact: Term) {
        self.state.add(terms, fact);
    }

    /// Takes out what holds, with its auxiliary variables: for those who keep it themselves. What is
    /// said from here on may be said again.
    pub fn take(&mut self) -> (Vec<Term>, Vec<Auxiliary>) {
        self.approximated.clear();
        (self.state.take_facts(), std::mem::take(&mut self.auxiliaries))
    }

    /// The auxiliary variables of the formula.
    pub fn auxiliaries(&self) -> &[Auxiliary] {
        &self.auxiliaries
    }

    /// What was encoded less exactly than the theory could, for people.
    pub fn approximated(&self) -> &[String] {
        &self.approximated
    }
}

impl Encoder<'_> {
    /// The executions after a step.
    pub fn advance(
        &mut self,
        terms: &mut Terms,
        execution: Execution,
        step: Move,
    ) -> Result<Execution, NotEncoded> {
        match step {
            Move::Start => self.work_on(terms, execution, |draft, memory| draft.initial(memory)),
            Move::Edge(func, edge) => {
                let body = self.body(func)?;
                self.work_on(terms, execution, |draft, memory| draft.edge(memory, func, body, edge))
            }
            Move::Enter { caller, edge, callee } => {
                let call = self.call_at(caller, edge)?;
                self.work_on(terms, execution, |draft, memory| {
                    draft.enter(memory, call, callee).map(|_| ())
                })
            }
            Move::Leave { caller, edge, callee } => {
                let call = self.call_at(caller, edge)?;
                self.work_on(terms, execution, |draft, memory| draft.leave(memory, call, callee))
            }
        }
    }

    /// The executions behind the step into a function, and what is needed to leave it again.
    pub fn enter(
        &mut self,
        terms: &mut Terms,
        execution: Execution,
        (caller, edge): (FuncId, EdgeId),
        callee: FuncId,
    ) -> Result<(Execution, Frame), NotEncoded> {
        let call = self.call_at(caller, edge)?;
        let mut saved = Vec::new();
        let execution = self.work_on(terms, execution, |draft, memory| {
            saved = draft.enter(memory, call, callee)?;
            Ok(())
        })?;
        Ok((execution, Frame { callee, call: call.clone(), saved }))
    }

    /// The executions behind the end of a function.
    pub fn leave(
        &mut self,
        terms: &mut Terms,
        execution: Execution,
        frame: &Frame,
    ) -> Result<Execution, NotEncoded> {
        self.work_on(terms, execution, |draft, memory| draft.leave_frame(memory, frame))
    }

    /// The present value of a scalar in a place.
    pub fn read(
        &mut self,
        terms: &mut Terms,
        execution: &Execution,
        place: PlaceId,
    ) -> Result<Term, NotEncoded> {
        let mut value = terms.tt();
        self.work_on(terms, execution.clone(), |draft, memory| {
            value = draft.load(memory, place)?.term;
            Ok(())
        })?;
        Ok(value)
    }

    /// The present value of a scalar of the environment at an address.
    pub fn read_outside(
        &mut self,
        terms: &mut Terms,
        execution: &Execution,
        address: Term,
        ty: TypeId,
    ) -> Result<Term, NotEncoded> {
        let mut value = terms.tt();
        self.work_on(terms, execution.clone(), |draft, memory| {
            value = memory.read_outside(draft, address, ty)?.term;
            Ok(())
        })?;
        Ok(value)
    }

    /// The present value of a variable, if that is a scalar whose address is never taken.
    pub fn read_variable(
        &mut self,
        terms: &mut Terms,
        execution: &Execution,
        var: VarId,
    ) -> Option<Term> {
        let info = &self.program.vars[var];
        if self.memory.owns(self.program, var) || !self.program.types.is_scalar(info.ty) {
            return None;
        }
        let part = Part::whole(Root::Var(var), info.ty);
        let cells = self.cells.of(terms, self.program, self.theory, &part).ok()?;
        let symbol = execution.ssa().symbol(cells.first()?.1.variable);
        Some(terms.symbol(symbol))
    }

    /// The executions of all of these, which have met.
    pub fn merge(&mut self, terms: &mut Terms, executions: Vec<Execution>) -> Execution {
        let mut merged = Execution::default();
        let mut states = Vec::with_capacity(executions.len());
        for execution in executions {
            if execution.is_empty(terms) && !states.is_empty() {
                continue;
            }
            for auxiliary in execution.auxiliaries {
                if !merged.auxiliaries.contains(&auxiliary) {
                    merged.auxiliaries.push(auxiliary);
                }
            }
            merged.approximated.extend(execution.approximated);
            states.push(execution.state);
        }
        merged.approximated.sort_unstable();
        merged.approximated.dedup();
        merged.state = State::join(terms, states);
        merged
    }

    /// Takes executions over whatever `run` does on a draft.
    pub(super) fn work_on(
        &mut self,
        terms: &mut Terms,
        execution: Execution,
        run: impl FnOnce(&mut Draft<'_>, &mut dyn MemoryModel) -> Result<(), NotEncoded>,
    ) -> Result<Execution, NotEncoded> {
        let mut draft = Draft {
            program: self.program,
            terms,
            theory: self.theory,
            state: execution.state,
            auxiliaries: execution.auxiliaries,
            approximated: execution.approximated,
            cells: &mut self.cells,
            functions: &mut self.functions,
            wraps: &mut self.wraps,
            memo: Default::default(),
            budget: &self.budget,
        };
        run(&mut draft, &mut *self.memory)?;
        let Draft { state, auxiliaries, approximated, .. } = draft;
        Ok(Execution { state, auxiliaries, approximated })
    }
}
