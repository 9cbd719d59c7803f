//! Builtins that classify and compare floating-point numbers.

use gnomon_ir::expr::{BinaryOp as IrBinary, ExprId as IrExpr};
use gnomon_ir::ops;

use super::conv::Val;
use super::ctype::{CType, CTypes, FloatType, QType};
use super::{Lower, Res};
use crate::ast::ExprId;
use crate::span::Span;

impl Lower<'_> {
    pub(super) fn float_constant(&mut self, float: FloatType, text: &str) -> Val {
        let ty = self.types.plain(CType::Float(float));
        let ir = self.ir_type(ty);
        let bits = ops::parse_float(float.kind(), text).unwrap_or(0);
        Val { e: self.program.constant(ir, bits), ty }
    }

    /// Classification and unordered comparison of floating point.
    pub(super) fn float_test(
        &mut self,
        bare: &str,
        list: &[ExprId],
        span: Span,
    ) -> Res<Option<Val>> {
        let stem = bare.trim_end_matches("f128").trim_end_matches(['f', 'l']);
        let test = if ["isnan", "isinf"].contains(&stem) { stem } else { bare };
        let test = if ["isinf_sign", "isfinite", "finite", "isnormal"].contains(&bare) {
            bare
        } else {
            test
        };
        let test = if matches!(bare, "finitef" | "finitel") { "finite" } else { test };
        match (test, list) {
            ("isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite", [e]) => {
                let v = self.rvalue(*e)?;
                if !self.types.is_float(v.ty) {
                    return Err(self.error(span, "a floating-point number is needed here"));
                }
                let x = self.keep(v.e);
                let value = match test {
                    "isnan" => self.program.binary(IrBinary::Ne, x, x),
                    "isfinite" | "finite" => {
                        let difference = self.program.binary(IrBinary::Sub, x, x);
                        let zero = self.program.zero(self.program.expr_ty(x));
                        self.program.binary(IrBinary::Eq, difference, zero)
                    }
                    _ => self.infinity_sign(v.ty, x),
                };
                Ok(Some(Val { e: value, ty: CTypes::INT }))
            }
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater"
                | "isunordered",
                [a, b],
            ) => {
                let (a, b) = self.rvalue_pair(*a, *b)?;
                let (a, b) = self.balance(a, b);
                let mut compare = |op, x, y| self.program.binary(op, x, y);
                let e = match test {
                    "isgreater" => compare(IrBinary::Gt, a.e, b.e),
                    "isgreaterequal" => compare(IrBinary::Ge, a.e, b.e),
                    "isless" => compare(IrBinary::Lt, a.e, b.e),
                    "islessequal" => compare(IrBinary::Le, a.e, b.e),
                    "islessgreater" => {
                        let (lt, gt) =
                            (compare(IrBinary::Lt, a.e, b.e), compare(IrBinary::Gt, a.e, b.e));
                        compare(IrBinary::BitOr, lt, gt)
                    }
                    _ => {
                        let (x, y) =
                            (compare(IrBinary::Ne, a.e, a.e), compare(IrBinary::Ne, b.e, b.e));
                        compare(IrBinary::BitOr, x, y)
                    }
                };
                Ok(Some(Val { e, ty: CTypes::INT }))
            }
            ("isnormal" | "fpclassify" | "signbit", _) if !list.is_empty() => {
                let e = list[list.len() - 1];
                let v = self.rvalue(e)?;
                if let ("signbit", Some(bits), Some(scalar)) = (
                    test,
                    self.program.exprs.const_bits(v.e),
                    self.program.types.scalar(self.program.expr_ty(v.e)),
                ) {
                    let sign = bits >> (scalar.width() - 1) & 1;
                    return Ok(Some(self.int_val(CTypes::INT, sign as i128)));
                }
                self.generic_call(bare, list, v, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// 1 for plus infinity, -1 for minus infinity, else 0.
    fn infinity_sign(&mut self, ty: QType, x: IrExpr) -> IrExpr {
        let CType::Float(float) = *self.types.get(ty) else { return x };
        let plus = self.float_constant(float, "inf").e;
        let minus = self.program.unary(gnomon_ir::expr::UnaryOp::Neg, plus);
        let is_plus = self.program.binary(IrBinary::Eq, x, plus);
        let is_minus = self.program.binary(IrBinary::Eq, x, minus);
        self.program.binary(IrBinary::Sub, is_plus, is_minus)
    }

    /// `__builtin_fpclassify` and the like, whose last argument has any floating-point type.
    fn generic_call(&mut self, bare: &str, list: &[ExprId], last: Val, span: Span) -> Res<Val> {
        let mut values = Vec::new();
        for &e in &list[..list.len() - 1] {
            let v = self.rvalue(e)?;
            values.push(self.convert(v, CTypes::INT));
        }
        values.push(last);
        let name = format!("__builtin_{bare}");
        self.call_generic(&name, CTypes::INT, &values, span)
    }
}
