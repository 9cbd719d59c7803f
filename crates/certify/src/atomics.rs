//! The `__sync_*` and `__atomic_*` functions of compilers: one scalar behind a pointer is read and
//! written. Whether that is one step is a question of threads, which there are none here.

use gnomon_ir::cfa::Call;
use gnomon_ir::expr::ExprId;
use gnomon_ir::ops::Scalar;
use gnomon_logic::{Sort, Term};

use crate::machine::{Followed, Machine};
use crate::state::State;

/// What a function does to the scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atomic {
    Load,
    Store,
    Clear,
    /// Returns what was there.
    Exchange,
    /// Returns what was there, or what is there then.
    Update(Update, Returned),
    /// Returns whether the scalar was what was expected, or what it was.
    CompareAndSwap(Returned),
    /// The same, with what is expected behind a pointer.
    CompareExchange,
    Fence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returned {
    Before,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

impl Update {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "sub" => Self::Sub,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "nand" => Self::Nand,
            _ => return None,
        })
    }
}

impl Atomic {
    fn named(name: &str) -> Option<Self> {
        if let Some(name) = name.strip_prefix("__sync_") {
            return Some(match name {
                "synchronize" => Self::Fence,
                "bool_compare_and_swap" => Self::CompareAndSwap(Returned::After),
                "val_compare_and_swap" => Self::CompareAndSwap(Returned::Before),
                "lock_test_and_set" => Self::Exchange,
                "lock_release" => Self::Clear,
                _ => match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
                    (Some(update), _) => Self::Update(Update::named(update)?, Returned::Before),
                    (_, Some(update)) => Self::Update(Update::named(update)?, Returned::After),
                    _ => return None,
                },
            });
        }
        let name = name.strip_prefix("__atomic_")?;
        Some(match name {
            "thread_fence" | "signal_fence" => Self::Fence,
            "load_n" => Self::Load,
            "store_n" => Self::Store,
            "exchange_n" => Self::Exchange,
            "compare_exchange_n" => Self::CompareExchange,
            _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
                (Some(update), _) => Self::Update(Update::named(update)?, Returned::Before),
                (_, Some(update)) => Self::Update(Update::named(update)?, Returned::After),
                _ => return None,
            },
        })
    }
}

impl Machine<'_> {
    /// The call of such a function: its result, if it has one. `None` if it is not known.
    pub(crate) fn atomic(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
    ) -> Followed<Option<Option<Term>>> {
        let Some(atomic) = Atomic::named(name) else { return Ok(None) };
        if atomic == Atomic::Fence {
            return Ok(Some(None));
        }
        let Some((width, at)) = self.scalar_behind(state, call.args.first())? else {
            return Ok(None);
        };
        let slot = self.undivided()?;
        let memory = self.value(state, slot);
        let present = self.read(memory, at, u64::from(width / 8))?;
        let given = self.given(state, &call.args[1..], width)?;
        let (written, result) = match (atomic, &given[..]) {
            (Atomic::Load, _) => (None, Some(present)),
            (Atomic::Store, [value, ..]) => (Some(*value), None),
            (Atomic::Clear, _) => (Some(self.terms.bv(0, width)), None),
            (Atomic::Exchange, [value, ..]) => (Some(*value), Some(present)),
            (Atomic::Update(update, returned), [value, ..]) => {
                let updated = self.updated(update, present, *value);
                let result = if returned == Returned::After { updated } else { present };
                (Some(updated), Some(result))
            }
            (Atomic::CompareAndSwap(returned), [expected, desired, ..]) => {
                let same = self.terms.eq(present, *expected);
                let result = match returned {
                    Returned::Before => present,
                    Returned::After => self.as_number(same),
                };
                (Some(self.terms.ite(same, *desired, present)), Some(result))
            }
            (Atomic::CompareExchange, [_, desired, weak, ..]) => {
                return self
                    .compare_exchange(state, call, (width, at), (*desired, *weak))
                    .map(|result| result.map(Some));
            }
            _ => return Ok(None),
        };
        if let Some(value) = written {
            let memory = self.written(memory, at, value)?;
            state.values.insert(slot, memory);
        }
        Ok(Some(result))
    }

    fn compare_exchange(
        &mut self,
        state: &mut State,
        call: &Call,
        (width, at): (u32, Term),
        (desired, weak): (Term, Term),
    ) -> Followed<Option<Term>> {
        let Some((other, expected_at)) = self.scalar_behind(state, call.args.get(1))? else {
            return Ok(None);
        };
        if other != width {
            return Ok(None);
        }
        let slot = self.undivided()?;
        let memory = self.value(state, slot);
        let bytes = u64::from(width / 8);
        let (present, expected) =
            (self.read(memory, at, bytes)?, self.read(memory, expected_at, bytes)?);
        let mut swaps = self.terms.eq(present, expected);
        let zero = self.terms.bv(0, width);
        if weak != zero {
            // A weak one may fail for no reason.
            let is_strong = self.terms.eq(weak, zero);
            let works = self.fresh("works", Sort::Bool);
            let may = self.terms.or2(is_strong, works);
            swaps = self.terms.and2(swaps, may);
            self.approximated.get_or_insert_with(|| "a weak compare and exchange".to_owned());
        }
        let (changed, told) =
            (self.written(memory, at, desired)?, self.written(memory, expected_at, present)?);
        let memory = self.terms.ite(swaps, changed, told);
        state.values.insert(slot, memory);
        Ok(Some(self.as_number(swaps)))
    }

    fn as_number(&mut self, truth: Term) -> Term {
        let (one, zero) = (self.terms.bv(1, 8), self.terms.bv(0, 8));
        self.terms.ite(truth, one, zero)
    }

    fn updated(&mut self, update: Update, present: Term, value: Term) -> Term {
        let t = &mut self.terms;
        match update {
            Update::Add => t.bv_add(present, value),
            Update::Sub => t.bv_sub(present, value),
            Update::And => t.bv_and(present, value),
            Update::Or => t.bv_or(present, value),
            Update::Xor => t.bv_xor(present, value),
            Update::Nand => {
                let and = t.bv_and(present, value);
                t.bv_not(and)
            }
        }
    }

    /// The width of the integer that an argument points to, and where it is.
    fn scalar_behind(
        &mut self,
        state: &mut State,
        pointer: Option<&ExprId>,
    ) -> Followed<Option<(u32, Term)>> {
        let Some(&pointer) = pointer else { return Ok(None) };
        let to = self.program.types.pointee(self.program.expr_ty(pointer));
        let scalar = to.and_then(|to| self.program.types.scalar(to));
        let Some(Scalar::Int { bits, .. }) = scalar else { return Ok(None) };
        let address = self.expr(state, pointer)?;
        Ok(Some((bits.into(), self.widened(address, 64, false))))
    }

    /// The other arguments in the width of the scalar.
    fn given(&mut self, state: &mut State, args: &[ExprId], width: u32) -> Followed<Vec<Term>> {
        let mut all = Vec::new();
        for &arg in args {
            let scalar = self.scalar(self.program.expr_ty(arg))?;
            let value = self.expr(state, arg)?;
            let signed = matches!(scalar, Scalar::Int { signed: true, .. });
            all.push(self.widened(value, width, signed));
        }
        Ok(all)
    }
}
