//! Functions that the compiler knows: `__builtin_*`, `__atomic_*`, `__sync_*`, and library
//! functions that are called without a declaration.
//!
//! What can be said in the model is (predictions, constants, comparisons of floating point,
//! arithmetic with overflow, `alloca`, `va_start`); the rest are calls of functions without a body,
//! by name, with the right signature.

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::BinaryOp as IrBinary;
use gnomon_ir::program::Note;
use gnomon_ir::types as ir;

use super::conv::{LVal, Val};
use super::ctype::{CType, CTypes, FloatType, FuncType, IntKind, QType};
use super::{Lower, Res};
use crate::ast::{ExprId, ExprKind, List};
use crate::span::Span;

impl Lower<'_> {
    /// Whether an expression is the name of something that [`Lower::builtin_call`] may handle.
    pub(super) fn is_builtin_name(&self, callee: ExprId) -> bool {
        let ExprKind::Ident(name) = self.ast[callee].kind else { return false };
        let text = self.name(name);
        let prefixes = ["__builtin_", "__atomic_", "__sync_"];
        // The user may have functions whose names begin like that.
        let undeclared = self.entities.get(name).is_none();
        text == "alloca" || undeclared && prefixes.iter().any(|prefix| text.starts_with(prefix))
    }

    /// A call of a builtin that is not an ordinary function.
    pub(super) fn builtin_call(
        &mut self,
        callee: ExprId,
        args: List<ExprId>,
        span: Span,
    ) -> Res<Option<Val>> {
        if !self.is_builtin_name(callee) {
            return Ok(None);
        }
        let ExprKind::Ident(name) = self.ast[callee].kind else { return Ok(None) };
        let text = self.name(name);
        let list = self.ast[args].to_vec();
        if text.starts_with("__atomic_") || text.starts_with("__sync_") {
            return self.atomic_call(text, &list, span);
        }
        let bare = text.strip_prefix("__builtin_").unwrap_or(text);
        let value = match (bare, list.as_slice()) {
            ("expect", [e, hint]) | ("expect_with_probability", [e, hint, _]) => {
                self.unevaluated(|lower| lower.rvalue(*hint))?;
                let v = self.rvalue(*e)?;
                self.convert(v, CTypes::LONG)
            }
            ("constant_p", [e]) => {
                let v = self.unevaluated(|lower| lower.rvalue(*e))?;
                let literal = matches!(self.ast[*e].kind, ExprKind::Str(_));
                let constant = literal || self.program.exprs.const_bits(v.e).is_some();
                self.int_val(CTypes::INT, i128::from(constant))
            }
            ("classify_type", [e]) => {
                let ty = self.type_of_value(*e)?;
                let class = match self.types.get(ty) {
                    CType::Void => 0,
                    CType::Pointer(_) => 5,
                    CType::Float(_) => 8,
                    CType::Record(id) => match self.types.records[*id].kind {
                        ir::RecordKind::Struct => 12,
                        ir::RecordKind::Union => 13,
                    },
                    _ => 1,
                };
                self.int_val(CTypes::INT, class)
            }
            ("object_size" | "dynamic_object_size", [object, kind]) => {
                let kind = self.constant_int(*kind)?;
                let size_t = self.types.size_t();
                // Of an array by its name all compilers know it, of other pointers few.
                let ty = self.type_of(*object)?;
                if self.types.is_array(ty) {
                    let why = "what a compiler finds out of the size of an object";
                    self.note(Note::NOT_COVERED, why, span);
                }
                self.int_val(size_t, if kind & 2 == 0 { -1 } else { 0 })
            }
            ("prefetch", _) => {
                for &e in &list {
                    self.discard(e)?;
                }
                self.void_value()
            }
            ("alloca", [size]) | ("alloca_with_align", [size, ..]) => self.alloca(*size, span)?,
            ("va_start" | "c23_va_start", [ap, ..]) => {
                if !self.func.variadic {
                    let message = "`va_start` in a function without variable arguments";
                    return Err(self.error(span, message));
                }
                let ap = self.va_list_place(*ap, span)?;
                self.emit(Op::VaStart(ap), span);
                self.void_value()
            }
            ("va_end", [ap]) => {
                let ap = self.va_list_place(*ap, span)?;
                self.emit(Op::VaEnd(ap), span);
                self.void_value()
            }
            ("va_copy", [dst, src]) => {
                let dst = self.va_list_place(*dst, span)?;
                let src = self.va_list_place(*src, span)?;
                self.emit(Op::VaCopy { dst, src }, span);
                self.void_value()
            }
            ("inf" | "huge_val", []) => self.float_constant(FloatType::Double, "inf"),
            ("inff" | "huge_valf", []) => self.float_constant(FloatType::Float, "inf"),
            ("infl" | "huge_vall", []) => self.float_constant(FloatType::LongDouble, "inf"),
            ("infq" | "huge_valq" | "inff128" | "huge_valf128", []) => {
                self.float_constant(FloatType::Float128, "inf")
            }
            ("nan" | "nans", [_]) => self.float_constant(FloatType::Double, "nan"),
            ("nanf" | "nansf", [_]) => self.float_constant(FloatType::Float, "nan"),
            ("nanl" | "nansl", [_]) => self.float_constant(FloatType::LongDouble, "nan"),
            ("nanq" | "nanf128", [_]) => self.float_constant(FloatType::Float128, "nan"),
            ("LINE", []) => {
                let line = self.source.resolve(span.lo).line;
                self.int_val(CTypes::INT, i128::from(line))
            }
            _ => {
                if let Some(v) = self.bit_count(bare, &list)? {
                    v
                } else if let Some(v) = self.float_test(bare, &list, span)? {
                    v
                } else {
                    return self.overflow_call(bare, &list, span);
                }
            }
        };
        Ok(Some(value))
    }

    /// Counting bits of a constant gives a constant; otherwise it is a call.
    fn bit_count(&mut self, bare: &str, list: &[ExprId]) -> Res<Option<Val>> {
        let ([e], Some(signature)) = (list, self.known_signature(bare, true)) else {
            return Ok(None);
        };
        let stem = bare.trim_end_matches('l');
        let counts = ["clz", "ctz", "ffs", "popcount", "parity", "bswap16", "bswap32", "bswap64"];
        let Some(&[result, param]) = signature.as_bytes().first_chunk() else { return Ok(None) };
        if !counts.contains(&stem) || !self.looks_constant(*e) {
            return Ok(None);
        }
        let (Some(result), Some(param)) =
            (self.letter_type(char::from(result)), self.letter_type(char::from(param)))
        else {
            return Ok(None);
        };
        let v = self.rvalue(*e)?;
        let v = self.convert(v, param);
        let width = self.types.size(param).unwrap_or(4) as u32 * 8;
        let Some(bits) = self.program.exprs.const_bits(v.e) else { return Ok(None) };
        let value = match stem {
            // The result for zero is undefined.
            "clz" | "ctz" if bits == 0 => return Ok(None),
            "clz" => bits.leading_zeros() - (128 - width),
            "ctz" => bits.trailing_zeros(),
            "ffs" if bits == 0 => 0,
            "ffs" => bits.trailing_zeros() + 1,
            "popcount" => bits.count_ones(),
            "parity" => bits.count_ones() % 2,
            _ => {
                let swapped = bits.swap_bytes() >> (128 - width);
                return Ok(Some(self.int_val(result, swapped as i128)));
            }
        };
        Ok(Some(self.int_val(result, i128::from(value))))
    }

    /// A call of a function whose signature is that of these arguments.
    pub(super) fn call_generic(
        &mut self,
        name: &str,
        result: QType,
        args: &[Val],
        span: Span,
    ) -> Res<Val> {
        let params = args.iter().map(|v| v.ty).collect();
        let f = FuncType { result, params, variadic: false, prototyped: true };
        let ty = self.types.plain(CType::Function(f));
        let ty = self.ir_type(ty);
        let ir_span = self.ir_span(span);
        let func = self.linker.generic_function(self.program, name, ty, ir_span);
        let args = args.iter().map(|v| v.e).collect();
        let callee = Callee::Direct(func);
        self.func.calls.push(Some(func));
        if self.types.is_void(result) {
            self.emit(Op::Call(Call { dst: None, callee, args }), span);
            return Ok(self.void_value());
        }
        let ir = self.ir_type(result);
        let place = self.temp(ir);
        self.emit(Op::Call(Call { dst: Some(place), callee, args }), span);
        Ok(Val { e: self.program.load(place), ty: result })
    }

    /// `__builtin_add_overflow(a, b, &result)` and its relatives: computed in 128 bits.
    fn overflow_call(&mut self, bare: &str, list: &[ExprId], span: Span) -> Res<Option<Val>> {
        let op = ["add", "sub", "mul"].iter().find(|op| bare.contains(*op));
        let predicate = bare.ends_with("_overflow_p");
        let (Some(&op), [a, b, result]) = (op, list) else { return Ok(None) };
        if !bare.contains("_overflow") {
            return Ok(None);
        }
        let (mut a, mut b) = self.rvalue_pair(*a, *b)?;
        let fixed = fixed_overflow_type(bare, op).map(|kind| self.types.int(kind));
        if let Some(ty) = fixed {
            (a, b) = (self.convert(a, ty), self.convert(b, ty));
        }
        if self.has_effects(*result) {
            (a.e, b.e) = (self.keep(a.e), self.keep(b.e));
        }
        let mut destination = self.rvalue(*result)?;
        if let Some(ty) = fixed {
            let pointer = self.types.pointer(ty);
            destination = self.convert(destination, pointer);
        }
        let target =
            if predicate { Some(destination.ty) } else { self.types.pointee(destination.ty) };
        let Some(target) = target else {
            return Err(self.error(span, "a pointer is needed here"));
        };
        let wide =
            |ty| self.types.int_kind(ty).is_none_or(|kind| kind.rank() > IntKind::ULongLong.rank());
        if wide(a.ty) || wide(b.ty) || wide(target) {
            let message = format!("`__builtin_{bare}` is supported up to 64 bits only");
            return Err(self.unsupported(span, message));
        }
        let unsigned = |ty| self.types.int_kind(ty).is_some_and(|kind| !kind.signed());
        // Only the product of two unsigned numbers can need all 128 bits.
        let kind = if op == "mul" && unsigned(a.ty) && unsigned(b.ty) {
            IntKind::UInt128
        } else {
            IntKind::Int128
        };
        let exact_type = self.types.int(kind);
        let (a, b) = (self.convert(a, exact_type), self.convert(b, exact_type));
        let op = match op {
            "add" => IrBinary::Add,
            "sub" => IrBinary::Sub,
            _ => IrBinary::Mul,
        };
        let exact = Val { e: self.program.binary(op, a.e, b.e), ty: exact_type };
        let exact = Val { e: self.keep(exact.e), ty: exact_type };
        let cut = self.convert(exact, target.unqualified());
        let back = self.convert(cut, exact_type);
        let overflow = self.program.binary(IrBinary::Ne, back.e, exact.e);
        if !predicate {
            let place = self.program.deref(destination.e);
            self.store(LVal { place, ty: target, bits: None }, cut, span)?;
        }
        let v = Val { e: overflow, ty: CTypes::INT };
        Ok(Some(self.convert(v, CTypes::BOOL)))
    }

    /// `__atomic_*` and `__sync_*`: calls by name, so that an analysis of threads can see them,
    /// with a signature made from the type that is pointed to.
    fn atomic_call(&mut self, text: &str, list: &[ExprId], span: Span) -> Res<Option<Val>> {
        let (Some(&first), false) = (list.first(), text.ends_with("_fence")) else {
            return Ok(None);
        };
        if text == "__sync_synchronize" {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(list.len());
        let last_effect = list.iter().rposition(|&e| self.has_effects(e)).unwrap_or(0);
        for (position, &e) in list.iter().enumerate() {
            let v = self.rvalue(e)?;
            values.push(if position < last_effect {
                Val { e: self.keep(v.e), ty: v.ty }
            } else {
                v
            });
        }
        if matches!(text, "__atomic_always_lock_free" | "__atomic_is_lock_free") {
            return Ok(Some(self.int_val(CTypes::BOOL, 1)));
        }
        let Some(to) = self.types.pointee(values[0].ty) else {
            return Err(self.error(self.ast[first].span, "a pointer is needed here"));
        };
        let to = to.unqualified();
        let flag = matches!(text, "__atomic_test_and_set" | "__atomic_clear");
        let operation = text.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        // The operand is converted to the type of the object; memory orders are integers.
        let is_sync = text.starts_with("__sync_");
        let pointers = match operation {
            "load" | "store" => 2,
            "exchange" => 3,
            "compare_exchange" => 3,
            "compare_exchange_n" => 2,
            _ => 1,
        };
        for (position, v) in values.iter_mut().enumerate().skip(pointers) {
            let is_operand = is_sync || position == pointers;
            let value_operation =
                !matches!(operation, "load" | "store" | "exchange" | "compare_exchange" | "load_n")
                    && !flag;
            if is_operand && value_operation && self.types.is_scalar(to) {
                *v = self.convert(*v, to);
            } else {
                *v = self.convert(*v, CTypes::INT);
            }
        }
        let result = match operation {
            "load_n" | "exchange_n" => to,
            "store_n" | "store" | "load" | "exchange" | "clear" | "lock_release" => CTypes::VOID,
            "compare_exchange_n"
            | "compare_exchange"
            | "bool_compare_and_swap"
            | "test_and_set" => CTypes::BOOL,
            _ => to,
        };
        if is_sync && operation != "lock_release" {
            values.truncate(if operation.contains("compare_and_swap") { 3 } else { 2 });
        }
        self.call_generic(text, result, &values, span).map(Some)
    }
}

/// The type of operands and result of `__builtin_uaddl_overflow` and its relatives, whose names say
/// it; `None` for `__builtin_add_overflow`, which takes all types.
fn fixed_overflow_type(bare: &str, op: &str) -> Option<IntKind> {
    let name = bare.strip_suffix("_overflow")?;
    let is_signed = match name.chars().next()? {
        's' => true,
        'u' => false,
        _ => return None,
    };
    let size = name.get(1..)?.strip_prefix(op)?;
    Some(match (size, is_signed) {
        ("", true) => IntKind::Int,
        ("", false) => IntKind::UInt,
        ("l", true) => IntKind::Long,
        ("l", false) => IntKind::ULong,
        ("ll", true) => IntKind::LongLong,
        ("ll", false) => IntKind::ULongLong,
        _ => return None,
    })
}
