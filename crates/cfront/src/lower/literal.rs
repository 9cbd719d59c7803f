//! Numbers and characters as they are written (C17 6.4.4).

use gnomon_ir::ops;

use super::conv::Val;
use super::ctype::{CType, CTypes, FloatType, IntKind};
use super::{Lower, Res};
use crate::ast::{CharLit, Encoding, FloatLit, FloatSuffix, IntBase, IntLength, IntLit};
use crate::span::Span;

impl Lower<'_> {
    pub(super) fn int_literal(&mut self, literal: IntLit, span: Span) -> Res<Val> {
        if literal.imaginary {
            return Err(self.unsupported(span, "complex arithmetic is not supported"));
        }
        let decimal = literal.base == IntBase::Decimal;
        let unsigned = literal.suffix.unsigned;
        let first = match literal.suffix.length {
            IntLength::None => IntKind::Int,
            IntLength::Long => IntKind::Long,
            IntLength::LongLong => IntKind::LongLong,
            IntLength::BitInt => {
                return Err(self.unsupported(span, "`_BitInt` is not supported"));
            }
        };
        let ladder = [IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128];
        let target = self.types.target();
        let fits = |kind: IntKind| {
            let bits = kind.bits(target) - u16::from(kind.signed());
            bits >= 128 || literal.value >> bits == 0
        };
        let candidates = ladder.iter().copied().filter(|kind| *kind >= first).flat_map(|kind| {
            let signed = (!unsigned).then_some(kind);
            let unsigned = (unsigned || !decimal).then_some(kind.to_unsigned());
            [signed, unsigned].into_iter().flatten()
        });
        // A decimal constant that fits no signed type becomes unsigned as a last resort (gcc).
        let kind = candidates.into_iter().find(|&kind| fits(kind)).unwrap_or(IntKind::UInt128);
        let ty = self.types.int(kind);
        Ok(self.int_val(ty, literal.value as i128))
    }

    pub(super) fn float_literal(&mut self, literal: FloatLit, span: Span) -> Res<Val> {
        if literal.imaginary {
            return Err(self.unsupported(span, "complex arithmetic is not supported"));
        }
        let ty = match literal.suffix {
            FloatSuffix::None => FloatType::Double,
            FloatSuffix::F => FloatType::Float,
            FloatSuffix::L | FloatSuffix::W => FloatType::LongDouble,
            FloatSuffix::Q | FloatSuffix::F128 => FloatType::Float128,
            FloatSuffix::F16 => FloatType::Float16,
            FloatSuffix::F32 => FloatType::Float32,
            FloatSuffix::F64 => FloatType::Float64,
            FloatSuffix::F32x => FloatType::Float32x,
            FloatSuffix::F64x => FloatType::Float64x,
            FloatSuffix::D32 | FloatSuffix::D64 | FloatSuffix::D128 => {
                return Err(self.unsupported(span, "decimal floating point is not supported"));
            }
        };
        let Some(bits) = ops::parse_float(ty.kind(), self.name(literal.text)) else {
            return Err(self.error(span, "this is not a floating constant"));
        };
        let ty = self.types.plain(CType::Float(ty));
        let ir = self.ir_type(ty);
        Ok(Val { e: self.program.constant(ir, bits), ty })
    }

    pub(super) fn char_literal(&mut self, literal: CharLit) -> Val {
        let ty = match literal.encoding {
            Encoding::Plain => CTypes::INT,
            Encoding::Wide => self.types.wchar_t(),
            Encoding::Utf8 => CTypes::UCHAR,
            Encoding::Utf16 => CTypes::USHORT,
            Encoding::Utf32 => CTypes::UINT,
        };
        self.int_val(ty, i128::from(literal.value))
    }
}
