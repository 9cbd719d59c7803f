//! GCC's `__sync_*` and `__atomic_*` functions on one scalar, in their sequential meaning.

use super::partitioned::{Located, Partitioned};
use super::{LibraryCall, Returned};
use crate::encode::aliases::Targets;
use crate::encode::draft::{Draft, Operand};
use crate::encode::scalar::constant;
use crate::encode::{NotEncoded, Theory};
use crate::term::Term;
use gnomon_ir::cfa::{Call, Callee};
use gnomon_ir::expr::{BinaryOp, ExprId};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{Program, source_name};

/// What a function does to the scalar.
enum Action {
    /// Computes; the result is the old value or the new one.
    Update {
        op: BinaryOp,
        inverted: bool,
        returns_old: bool,
    },
    Load,
    Store,
    Exchange,
    /// `__sync_*_compare_and_swap`: whether the result is the old value.
    CompareAndSwap {
        returns_old: bool,
    },
    /// `__atomic_compare_exchange_n`: the expected value is behind the second argument.
    CompareExchange,
    Fence,
}

fn action(name: &str) -> Option<Action> {
    let name = name.strip_prefix("__sync_").or_else(|| name.strip_prefix("__atomic_"))?;
    let sizes = ["_16", "_8", "_4", "_2", "_1"];
    let name = sizes.iter().find_map(|size| name.strip_suffix(size)).unwrap_or(name);
    let forms = [
        ("fetch_and_", "", true),
        ("fetch_", "", true),
        ("", "_and_fetch", false),
        ("", "_fetch", false),
    ];
    for (prefix, suffix, returns_old) in forms {
        let operation = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        let op = match operation {
            Some("add") => BinaryOp::Add,
            Some("sub") => BinaryOp::Sub,
            Some("and" | "nand") => BinaryOp::BitAnd,
            Some("or") => BinaryOp::BitOr,
            Some("xor") => BinaryOp::BitXor,
            _ => continue,
        };
        return Some(Action::Update { op, inverted: operation == Some("nand"), returns_old });
    }
    Some(match name {
        "load_n" => Action::Load,
        "store_n" | "lock_release" => Action::Store,
        "exchange_n" | "lock_test_and_set" => Action::Exchange,
        "bool_compare_and_swap" => Action::CompareAndSwap { returns_old: false },
        "val_compare_and_swap" => Action::CompareAndSwap { returns_old: true },
        "compare_exchange_n" => Action::CompareExchange,
        "synchronize" | "thread_fence" | "signal_fence" => Action::Fence,
        _ => return None,
    })
}

/// The integer type of the scalar behind a pointer.
fn integer_behind(program: &Program, pointer: ExprId) -> Option<Scalar> {
    let to = program.types.pointee(program.expr_ty(pointer))?;
    let integer = program.types.is_integer(to);
    program.types.scalar(to).filter(|scalar| integer && *scalar != Scalar::Bool)
}

/// Pointers behind which an atomic function accesses a scalar, with its type.
pub(super) fn atomic_accesses(program: &Program, call: &Call) -> Vec<(ExprId, Scalar)> {
    let Callee::Direct(func) = call.callee else { return Vec::new() };
    let function = &program.funcs[func];
    let (None, Some(action)) = (&function.body, action(source_name(&function.name))) else {
        return Vec::new();
    };
    let Some(scalar) = call.args.first().and_then(|&at| integer_behind(program, at)) else {
        return Vec::new();
    };
    let count = if matches!(action, Action::CompareExchange) { 2 } else { 1 };
    call.args.iter().take(count).map(|&pointer| (pointer, scalar)).collect()
}

impl Partitioned<'_> {
    pub(super) fn atomic_call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        let refused = || NotEncoded::Call(format!("the call of `{}`", call.name));
        let action = action(call.name).ok_or_else(refused)?;
        if matches!(action, Action::Fence) {
            return Ok(Returned::Any);
        }
        let args = &call.call.args;
        let &at = args.first().ok_or_else(refused)?;
        let scalar = integer_behind(self.program, at).ok_or_else(refused)?;
        let located = self.scalar_behind(draft, at)?;
        let old = self.read_at(draft, &located, 0, scalar, None)?;
        let operand = |position: usize| args.get(position).copied().ok_or_else(refused);
        let (new, result) = match action {
            Action::Fence => return Ok(Returned::Any),
            Action::Load => return Ok(Returned::Value(old)),
            Action::Update { op, inverted, returns_old } => {
                let by = self.converted(draft, operand(1)?, scalar)?;
                let mut new = match draft.theory {
                    Theory::Int => draft.int_binary(op, scalar, &old, scalar, &by),
                    Theory::Bits => {
                        Operand::bits(draft.bits_binary(op, scalar, old.term, scalar, by.term))
                    }
                };
                if inverted {
                    let not = gnomon_ir::expr::UnaryOp::BitNot;
                    new = match draft.theory {
                        Theory::Int => draft.int_unary(not, scalar, &new),
                        Theory::Bits => Operand::bits(draft.bits_unary(not, scalar, new.term)),
                    };
                }
                let result = if returns_old { old } else { new.clone() };
                (new, Returned::Value(result))
            }
            Action::Store => {
                // `__sync_lock_release` stores zero.
                let new = match args.get(1) {
                    Some(&value) => self.converted(draft, value, scalar)?,
                    None => {
                        let zero = constant(draft.terms, draft.theory, scalar, 0);
                        draft.operand(zero, scalar)
                    }
                };
                (new, Returned::Any)
            }
            Action::Exchange => (self.converted(draft, operand(1)?, scalar)?, Returned::Value(old)),
            Action::CompareAndSwap { returns_old } => {
                let expected = self.converted(draft, operand(1)?, scalar)?;
                let new = self.converted(draft, operand(2)?, scalar)?;
                let same = draft.terms.eq(old.term, expected.term);
                let result = if returns_old { old.clone() } else { truth(draft, same) };
                (either(draft, same, &new, &old, scalar), Returned::Value(result))
            }
            Action::CompareExchange => {
                let behind = self.scalar_behind(draft, operand(1)?)?;
                let expected = self.read_at(draft, &behind, 0, scalar, None)?;
                let new = self.converted(draft, operand(2)?, scalar)?;
                let same = draft.terms.eq(old.term, expected.term);
                let seen = either(draft, same, &expected, &old, scalar);
                self.write_at(draft, &behind, 0, (scalar, None), &seen)?;
                let result = truth(draft, same);
                (either(draft, same, &new, &old, scalar), Returned::Value(result))
            }
        };
        self.write_at(draft, &located, 0, (scalar, None), &new)?;
        Ok(result)
    }

    fn scalar_behind(
        &mut self,
        draft: &mut Draft<'_>,
        pointer: ExprId,
    ) -> Result<Located, NotEncoded> {
        let Targets::Known(targets) = self.pointees.of_pointer(pointer) else {
            return Err(NotEncoded::Memory(
                "an access through a pointer that may point to anything".into(),
            ));
        };
        Ok(Located { address: draft.value(self, pointer)?, targets })
    }

    /// The value of an argument as another integer type.
    fn converted(
        &mut self,
        draft: &mut Draft<'_>,
        e: ExprId,
        to: Scalar,
    ) -> Result<Operand, NotEncoded> {
        let from = self.scalar_type(self.program.expr_ty(e))?;
        let value = draft.value(self, e)?;
        Ok(match draft.theory {
            Theory::Int => draft.int_cast(from, to, &value),
            Theory::Bits => draft.bits_cast(from, to, value.term),
        })
    }
}

fn either(draft: &mut Draft<'_>, first: Term, a: &Operand, b: &Operand, scalar: Scalar) -> Operand {
    let term = draft.terms.ite(first, a.term, b.term);
    draft.operand(term, scalar)
}

/// The result of a comparison, which is a `_Bool`.
fn truth(draft: &mut Draft<'_>, truth: Term) -> Operand {
    match draft.theory {
        Theory::Int => draft.truth_value(truth),
        Theory::Bits => Operand::bits(draft.bits_truth_value(truth, Scalar::Bool)),
    }
}
