//! What a step does to an abstract state.

use std::ops::Range;

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{Bits, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::ops;
use gnomon_ir::program::{FuncId, Storage, source_name};
use gnomon_logic::encode::Move;

use crate::effects::{Bytes, Written};
use crate::eval::{Machine, Stop, is_truth};
use crate::slots::{Location, Root, SlotId};
use crate::state::{State, Value};

/// What a step leads to.
#[derive(Debug)]
pub enum Stepped {
    /// Nowhere.
    Dead,
    /// To the state, as it was changed.
    On,
    /// To the state, as it was changed, and to another one.
    Both(State),
}

impl Machine<'_> {
    /// What is known when the program starts.
    pub fn start(&mut self) -> State {
        let mut state = State::default();
        for number in 0..self.slots.len() {
            let slot = SlotId(number as u32);
            if self.tracked.contains(slot)
                && let Some(bits) = self.slots.initial(slot)
            {
                state.set(slot, Some(Value::Known(bits)));
            }
        }
        state
    }

    /// Makes a step.
    pub fn step(&mut self, state: &mut State, step: Move) -> Result<Stepped, Stop> {
        let made = match step {
            Move::Start => Ok(Stepped::On),
            Move::Edge(func, edge) => self.edge(state, func, edge),
            Move::Enter { caller, edge, callee } => self.enter(state, caller, edge, callee),
            Move::Leave { caller, edge, callee } => self.leave(state, caller, edge, callee),
        };
        match made {
            Err(Stop::Ends) => Ok(Stepped::Dead),
            other => other,
        }
    }

    fn edge(&mut self, state: &mut State, func: FuncId, edge: EdgeId) -> Result<Stepped, Stop> {
        let program = self.program;
        let Some(body) = &program.funcs[func].body else { return Ok(Stepped::Dead) };
        match &body.edge(edge).op {
            Op::Skip | Op::VaEnd(_) => {}
            Op::Assume(condition) => {
                if !self.assume(state, *condition, true)? {
                    return Ok(Stepped::Dead);
                }
            }
            Op::Assign { dst, src } => return self.assign(state, (func, edge), *dst, *src),
            Op::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(state, *value)?,
                    None => None,
                };
                if let Some(slot) = self.result(func) {
                    self.put(state, slot, value);
                }
            }
            Op::Havoc(dst) => {
                let at = self.locate(state, *dst)?;
                self.forget_place(state, (func, edge), *dst, at)?;
            }
            Op::Declare(var) => {
                for slot in self.slots.of_root(Root::Var(*var)).to_vec() {
                    self.put(state, slot, None);
                }
            }
            Op::Call(call) => {
                if let Some(stepped) = self.allocate(state, (func, edge), call)? {
                    return Ok(stepped);
                }
                if let Callee::Direct(callee) = call.callee {
                    let name = source_name(&program.funcs[callee].name);
                    let library = classify(name, program.types.target());
                    if let (Library::Assume, [condition]) = (library, &call.args[..])
                        && !self.assume(state, *condition, true)?
                    {
                        return Ok(Stepped::Dead);
                    }
                    // Only the place of the result is written, and it may be known better here.
                    if let (Library::Nondet(_), Some(dst)) = (library, call.dst)
                        && program.funcs[callee].body.is_none()
                    {
                        let at = self.locate(state, dst)?;
                        self.forget_place(state, (func, edge), dst, at)?;
                        return Ok(Stepped::On);
                    }
                }
                self.forget(state, func, edge)?;
            }
            Op::HavocMemory | Op::Alloca { .. } | Op::VaStart(_) | Op::VaArg { .. } => {
                self.forget(state, func, edge)?;
            }
            Op::VaCopy { .. } => self.forget(state, func, edge)?,
        }
        Ok(Stepped::On)
    }

    /// Forgets what an edge may write.
    pub(crate) fn forget(
        &mut self,
        state: &mut State,
        func: FuncId,
        edge: EdgeId,
    ) -> Result<(), Stop> {
        let budget = self.budget.clone();
        let written = self.effects.of(func, edge, &budget)?;
        for Written { root, bytes } in written.iter().copied() {
            let touched: Vec<SlotId> = match bytes {
                Bytes::Between(start, end) => {
                    self.slots.touched(root, start * 8, (end - start) * 8).collect()
                }
                Bytes::Cell(cell) => self.effects.slots_in(&self.slots, root, cell).to_vec(),
            };
            for slot in touched {
                self.put(state, slot, None);
            }
        }
        Ok(())
    }

    /// Forgets what is in a place, or all that the edge may write if nobody knows where it is.
    fn forget_place(
        &mut self,
        state: &mut State,
        (func, edge): (FuncId, EdgeId),
        place: PlaceId,
        at: Option<Location>,
    ) -> Result<(), Stop> {
        let Some((root, byte)) = at else { return self.forget(state, func, edge) };
        let (start, length) = match self.slots.bits_of(place) {
            Some(bits) => (byte * 8 + u64::from(bits.shift), u64::from(bits.width)),
            None => {
                let size = self.program.types.size(self.program.place_ty(place));
                (byte * 8, size.saturating_mul(8))
            }
        };
        let touched: Vec<SlotId> = self.slots.touched(root, start, length).collect();
        for slot in touched {
            self.put(state, slot, None);
        }
        Ok(())
    }

    /// Stores into one slot, whatever overlaps with it, what was computed from all that was read.
    fn put(&mut self, state: &mut State, slot: SlotId, value: Option<Value>) {
        self.put_from(state, slot, value, 0..self.journal.read.len());
    }

    /// Stores into one slot what was computed from a part of what was read.
    pub(crate) fn put_from(
        &mut self,
        state: &mut State,
        slot: SlotId,
        value: Option<Value>,
        from: Range<usize>,
    ) {
        if self.journal.is_kept {
            self.journal.written.push((slot, from));
        }
        let info = self.slots.get(slot);
        if let Some(Value::Address(Root::Allocated(_), _)) = value {
            self.tracked.add(slot);
        }
        if !self.tracked.contains(slot) {
            return;
        }
        let value = match value {
            Some(Value::Known(bits)) => Some(Value::Known(info.stored(bits))),
            Some(Value::Symbol { symbol, .. })
                if info.is_bit_field() || state.symbol(symbol).width != info.width =>
            {
                None
            }
            Some(Value::Wide { width, .. }) if info.is_bit_field() || width != info.width => None,
            Some(Value::Address(..) | Value::Function(_))
                if info.is_bit_field()
                    || info.width != self.program.types.target().pointer_bits() =>
            {
                None
            }
            other => other,
        };
        state.set(slot, value);
    }

    /// Stores into a place whose location is known.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        place: PlaceId,
        at: Location,
        value: Option<Value>,
    ) {
        let slot = self.slots.of_place(place, at);
        let (start, length) = match slot {
            Some(slot) => {
                let info = self.slots.get(slot);
                (info.start, info.length)
            }
            None => {
                let size = self.program.types.size(self.program.place_ty(place));
                (at.1 * 8, size.saturating_mul(8))
            }
        };
        let touched: Vec<SlotId> = self.slots.touched(at.0, start, length).collect();
        for other in touched {
            if Some(other) != slot {
                self.put(state, other, None);
            }
        }
        if let Some(slot) = slot {
            self.put(state, slot, value);
        }
    }

    fn assign(
        &mut self,
        state: &mut State,
        on: (FuncId, EdgeId),
        dst: PlaceId,
        src: ExprId,
    ) -> Result<Stepped, Stop> {
        let at = self.locate(state, dst)?;
        if !self.program.types.is_scalar(self.program.place_ty(dst)) {
            self.copy(state, on, dst, at, src)?;
            return Ok(Stepped::On);
        }
        let value = self.eval(state, src)?;
        let Some(at) = at else {
            self.forget(state, on.0, on.1)?;
            return Ok(Stepped::On);
        };
        // A comparison that is not decided: both values, each with what follows from it.
        if value.is_none()
            && is_truth(self.program, src)
            && self.slots.of_place(dst, at).is_some_and(|slot| self.tracked.contains(slot))
        {
            let mut other = state.clone();
            let holds = self.assume(state, src, true)?;
            let fails = self.assume(&mut other, src, false)?;
            self.store(state, dst, at, Some(self.truth(src, 1)));
            self.store(&mut other, dst, at, Some(self.truth(src, 0)));
            return Ok(match (holds, fails) {
                (true, true) => Stepped::Both(other),
                (true, false) => Stepped::On,
                (false, true) => {
                    *state = other;
                    Stepped::On
                }
                (false, false) => Stepped::Dead,
            });
        }
        self.store(state, dst, at, value);
        Ok(Stepped::On)
    }

    /// A truth value, converted as the expression says.
    fn truth(&self, expr: ExprId, bits: Bits) -> Value {
        let program = self.program;
        let scalar = |expr: ExprId| program.types.scalar(program.expr_ty(expr));
        let mut casts = Vec::new();
        let mut at = expr;
        while let ExprKind::Cast(inner) = program.exprs.expr(at).kind {
            casts.push((scalar(inner), scalar(at)));
            at = inner;
        }
        let mut value = bits;
        for (from, to) in casts.into_iter().rev() {
            if let (Some(from), Some(to)) = (from, to) {
                value = ops::cast(from, to, value);
            }
        }
        Value::Known(value)
    }

    /// Copies a record or an array.
    fn copy(
        &mut self,
        state: &mut State,
        on: (FuncId, EdgeId),
        dst: PlaceId,
        at: Option<Location>,
        src: ExprId,
    ) -> Result<(), Stop> {
        let program = self.program;
        let size = program.types.size(program.place_ty(dst)).saturating_mul(8);
        let source = match program.exprs.expr(src).kind {
            ExprKind::Load(place) => self.locate(state, place)?,
            _ => None,
        };
        let Some((root, byte)) = at else { return self.forget(state, on.0, on.1) };
        let is_zero = matches!(program.exprs.expr(src).kind, ExprKind::Zero);
        if let Some((from, first)) = source {
            // So that all that is known of the source has a place to go to.
            let known: Vec<SlotId> = self.slots.touched(from, first * 8, size).collect();
            for slot in known {
                self.slots.moved(slot, root, first, byte);
            }
        }
        let touched: Vec<SlotId> = self.slots.touched(root, byte * 8, size).collect();
        let mut values = Vec::with_capacity(touched.len());
        for slot in touched {
            let info = self.slots.get(slot);
            let before = self.journal.read.len();
            let is_inside = info.start >= byte * 8 && info.start + info.length <= byte * 8 + size;
            let value = match source {
                _ if !is_inside => None,
                _ if is_zero => Some(Value::Known(0)),
                Some((from, first)) => match self.slots.moved(slot, from, byte, first) {
                    Some(source) => self.load(state, source),
                    None => None,
                },
                None => None,
            };
            values.push((slot, value, before..self.journal.read.len()));
        }
        for (slot, value, from) in values {
            self.put_from(state, slot, value, from);
        }
        Ok(())
    }

    fn call(&self, func: FuncId, edge: EdgeId) -> Option<&Call> {
        match &self.program.funcs[func].body.as_ref()?.edge(edge).op {
            Op::Call(call) => Some(call),
            _ => None,
        }
    }

    fn enter(
        &mut self,
        state: &mut State,
        caller: FuncId,
        edge: EdgeId,
        callee: FuncId,
    ) -> Result<Stepped, Stop> {
        let program = self.program;
        let Some(call) = self.call(caller, edge).cloned() else { return Ok(Stepped::Dead) };
        if let Callee::Indirect(pointer) = call.callee {
            match self.eval(state, pointer)? {
                Some(Value::Function(known)) if known != callee => {
                    return Ok(Stepped::Dead);
                }
                Some(Value::Known(0)) => return Ok(Stepped::Dead),
                _ => {}
            }
        }
        let params = &program.funcs[callee].params;
        let mut values = Vec::with_capacity(params.len());
        for (number, &param) in params.iter().enumerate() {
            let ty = program.vars[param].ty;
            let before = self.journal.read.len();
            let value = match call.args.get(number) {
                Some(&arg) if program.types.is_scalar(ty) => {
                    let value = self.eval(state, arg)?;
                    let same =
                        program.types.scalar(program.expr_ty(arg)) == program.types.scalar(ty);
                    value.filter(|_| same)
                }
                _ => None,
            };
            values.push((value, before..self.journal.read.len()));
        }
        for (&param, (value, from)) in params.iter().zip(values) {
            let slot = self.slots.scalar(Root::Var(param), 0, program.vars[param].ty);
            for other in self.slots.of_root(Root::Var(param)).to_vec() {
                if Some(other) != slot {
                    self.put(state, other, None);
                }
            }
            if let Some(slot) = slot {
                self.put_from(state, slot, value, from);
            }
        }
        Ok(Stepped::On)
    }

    fn leave(
        &mut self,
        state: &mut State,
        caller: FuncId,
        edge: EdgeId,
        callee: FuncId,
    ) -> Result<Stepped, Stop> {
        let program = self.program;
        let Some(dst) = self.call(caller, edge).map(|call| call.dst) else {
            return Ok(Stepped::Dead);
        };
        let result = self.result(callee);
        let value = match result {
            Some(slot) if dst.is_some() => self.load(state, slot),
            _ => None,
        };
        let is_own = |root: Root| match root {
            Root::Result(func) => func == callee,
            Root::Var(var) => match program.vars[var].storage {
                Storage::Param(func) | Storage::Local(func) => func == callee,
                Storage::Static { .. } => false,
            },
            Root::Allocated(_) => false,
        };
        let slots = &self.slots;
        state.retain(|slot| !is_own(slots.get(slot).root));
        let Some(dst) = dst else { return Ok(Stepped::On) };
        match self.slots.fixed(dst) {
            Some(at) if program.types.is_scalar(program.place_ty(dst)) => {
                // A function without a prototype may return another type.
                let result = result.map(|slot| self.slots.get(slot).width);
                let wanted = program.types.scalar(program.place_ty(dst)).map(|s| s.width());
                let value = value.filter(|_| result == wanted);
                self.store(state, dst, at, value);
            }
            Some(at) => self.forget_place(state, (caller, edge), dst, Some(at))?,
            // Nobody knows when the address is computed.
            None => self.forget(state, caller, edge)?,
        }
        Ok(Stepped::On)
    }

    /// Whether a step stores into a variable a number that is computed from what it held: a counter.
    pub(crate) fn counts(&self, func: FuncId, edge: EdgeId) -> Option<gnomon_ir::program::VarId> {
        let body = self.program.funcs[func].body.as_ref()?;
        let Op::Assign { dst, src } = body.edge(edge).op else { return None };
        let PlaceKind::Var(var) = self.program.exprs.place(dst).kind else { return None };
        let mut read = Vec::new();
        crate::live::reads(&self.program.exprs, src, &mut read);
        read.contains(&var).then_some(var)
    }
}
