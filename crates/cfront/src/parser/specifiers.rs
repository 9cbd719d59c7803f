//! Declaration specifiers: storage class, qualifiers and the type.

use super::{Parsed, Parser};
use crate::ast::{
    Alignment, BasicType, DeclSpecs, ExprId, Quals, SpecFlags, SpecsId, Storage, TypeName,
    TypeNameId, TypeSpec,
};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind};

use super::declarators::DeclaratorMode;
use super::scope::NameKind;

/// The words of a type, in any order, until they are put together.
#[derive(Default)]
struct TypeWords {
    /// A type that stands alone, or the principal word of a basic type.
    principal: Option<TypeSpec>,
    longs: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    bit_int: Option<ExprId>,
}

impl TypeWords {
    /// Whether a type has been named, so that a typedef name is a declarator from now on.
    fn any(&self) -> bool {
        self.principal.is_some()
            || self.longs > 0
            || self.short
            || self.signed
            || self.unsigned
            || self.complex
            || self.bit_int.is_some()
    }

    /// The type, or `None` if the words contradict each other.
    fn resolve(&self) -> Option<TypeSpec> {
        use BasicType::*;
        let signs = self.signed || self.unsigned;
        let modified = signs || self.short || self.longs > 0;
        if (self.signed && self.unsigned) || (self.short && self.longs > 0) || self.longs > 2 {
            return None;
        }
        if let Some(width) = self.bit_int {
            let alone = self.principal.is_none() && !self.short && self.longs == 0 && !self.complex;
            return alone.then_some(TypeSpec::BitInt { width, unsigned: self.unsigned });
        }
        let sized = |plain, unsigned| Some(if self.unsigned { unsigned } else { plain });
        let basic = match self.principal {
            None if !modified && !self.complex => return Some(TypeSpec::Implicit),
            None if !modified => Some(Double),
            None | Some(TypeSpec::Basic(Int)) if self.short => sized(Short, UnsignedShort),
            None | Some(TypeSpec::Basic(Int)) => match self.longs {
                0 => sized(Int, UnsignedInt),
                1 => sized(Long, UnsignedLong),
                _ => sized(LongLong, UnsignedLongLong),
            },
            Some(TypeSpec::Basic(Char)) if !self.short && self.longs == 0 => {
                Some(match (self.signed, self.unsigned) {
                    (true, _) => SignedChar,
                    (_, true) => UnsignedChar,
                    _ => Char,
                })
            }
            Some(TypeSpec::Basic(Int128)) if !self.short && self.longs == 0 => {
                sized(Int128, UnsignedInt128)
            }
            Some(TypeSpec::Basic(Double)) if self.longs == 1 && !signs => Some(LongDouble),
            Some(TypeSpec::Basic(basic)) if !modified => Some(basic),
            Some(other) if !modified && !self.complex => return Some(other),
            _ => None,
        };
        let basic = basic?;
        match (self.complex, basic) {
            (true, Void | Bool) => None,
            (true, _) => Some(TypeSpec::Complex(basic)),
            (false, _) => Some(TypeSpec::Basic(basic)),
        }
    }
}

/// Types that gcc declares by itself. Unlike keywords, their names can be declared anew.
const BUILTIN_TYPES: [(&str, TypeSpec); 6] = [
    ("__builtin_va_list", TypeSpec::VaList),
    ("__int128_t", TypeSpec::Basic(BasicType::Int128)),
    ("__uint128_t", TypeSpec::Basic(BasicType::UnsignedInt128)),
    ("__float128", TypeSpec::Basic(BasicType::Float128)),
    ("__float80", TypeSpec::Basic(BasicType::Float80)),
    ("__bf16", TypeSpec::Basic(BasicType::BFloat16)),
];

/// The type that a single keyword names.
fn basic_type(kind: TokenKind) -> Option<BasicType> {
    Some(match kind {
        TokenKind::KwVoid => BasicType::Void,
        TokenKind::KwBool => BasicType::Bool,
        TokenKind::KwChar => BasicType::Char,
        TokenKind::KwInt => BasicType::Int,
        TokenKind::KwFloat => BasicType::Float,
        TokenKind::KwDouble => BasicType::Double,
        TokenKind::KwInt128 => BasicType::Int128,
        TokenKind::KwFloat16 => BasicType::Float16,
        TokenKind::KwFloat32 => BasicType::Float32,
        TokenKind::KwFloat64 => BasicType::Float64,
        TokenKind::KwFloat128 => BasicType::Float128,
        TokenKind::KwFloat32x => BasicType::Float32x,
        TokenKind::KwFloat64x => BasicType::Float64x,
        TokenKind::KwDecimal32 => BasicType::Decimal32,
        TokenKind::KwDecimal64 => BasicType::Decimal64,
        TokenKind::KwDecimal128 => BasicType::Decimal128,
        _ => return None,
    })
}

/// The qualifier of a keyword; `_Atomic` is one only without a parenthesis after it.
pub(super) fn qualifier(kind: TokenKind) -> Option<Quals> {
    Some(match kind {
        TokenKind::KwConst => Quals::CONST,
        TokenKind::KwVolatile => Quals::VOLATILE,
        TokenKind::KwRestrict => Quals::RESTRICT,
        TokenKind::KwAtomic => Quals::ATOMIC,
        _ => return None,
    })
}

fn storage_class(kind: TokenKind) -> Option<Storage> {
    Some(match kind {
        TokenKind::KwTypedef => Storage::Typedef,
        TokenKind::KwExtern => Storage::Extern,
        TokenKind::KwStatic => Storage::Static,
        TokenKind::KwAuto => Storage::Auto,
        TokenKind::KwRegister => Storage::Register,
        _ => return None,
    })
}

fn spec_flag(kind: TokenKind) -> Option<SpecFlags> {
    Some(match kind {
        TokenKind::KwInline => SpecFlags::INLINE,
        TokenKind::KwNoreturn => SpecFlags::NORETURN,
        TokenKind::KwThreadLocal => SpecFlags::THREAD_LOCAL,
        TokenKind::KwConstexpr => SpecFlags::CONSTEXPR,
        _ => return None,
    })
}

/// Whether a name that is no typedef can be something else than a misspelled type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeNeed {
    /// Implicit `int` is possible: the name may be the declarator.
    Optional,
    /// A type must come: members, parameters, type names.
    Required,
}

impl Parser<'_> {
    /// Declares the types that exist without a declaration in the text.
    pub(super) fn declare_builtin_types(&mut self) {
        for (name, _) in BUILTIN_TYPES {
            let symbol = self.lexer.interner.intern(name);
            self.scopes.declare(symbol, NameKind::BuiltinType);
        }
    }

    /// The type that a name stands for.
    fn named_type(&self, symbol: Symbol) -> TypeSpec {
        if self.scopes.kind(symbol) == NameKind::BuiltinType {
            let name = self.lexer.interner.name(symbol);
            if let Some((_, spec)) = BUILTIN_TYPES.iter().find(|(builtin, _)| *builtin == name) {
                return *spec;
            }
        }
        TypeSpec::Typedef(symbol)
    }

    /// Whether `token` begins a type name (or an attribute in front of one).
    pub(super) fn starts_type_name(&self, token: Token) -> bool {
        match token.kind {
            TokenKind::Ident => self.scopes.is_type(token.symbol),
            TokenKind::KwStruct
            | TokenKind::KwUnion
            | TokenKind::KwEnum
            | TokenKind::KwShort
            | TokenKind::KwLong
            | TokenKind::KwSigned
            | TokenKind::KwUnsigned
            | TokenKind::KwComplex
            | TokenKind::KwImaginary
            | TokenKind::KwBitInt
            | TokenKind::KwTypeof
            | TokenKind::KwTypeofUnqual
            | TokenKind::KwAutoType
            | TokenKind::KwAlignas
            | TokenKind::KwAttribute => true,
            kind => {
                basic_type(kind).is_some()
                    || qualifier(kind).is_some()
                    || storage_class(kind).is_some()
                    || spec_flag(kind).is_some()
            }
        }
    }

    /// `type-name`.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        self.deeper(|p| {
            let lo = p.lo();
            let specs = p.specifiers(p.scratch.attributes.len(), TypeNeed::Required)?;
            let is_simple = matches!(
                p.kind(),
                TokenKind::RParen | TokenKind::Comma | TokenKind::Colon | TokenKind::Semi
            );
            let declarator = if is_simple {
                p.empty_declarator
            } else {
                p.declarator(DeclaratorMode::Abstract)?
            };
            let span = p.span_from(lo);
            Ok(p.ast.push(TypeName { specs, declarator, span }))
        })
    }

    /// `declaration-specifiers`, possibly none. Attributes that were collected in front of them
    /// begin at `attribute_base` of the scratch list.
    pub(super) fn specifiers(&mut self, attribute_base: usize, need: TypeNeed) -> Parsed<SpecsId> {
        let lo = self.lo();
        let mut words = TypeWords::default();
        let mut storage: Option<Storage> = None;
        // C23: `auto` is a storage class only beside a type; alone it asks for the type.
        let mut has_auto = false;
        let mut flags = SpecFlags::default();
        let mut quals = Quals::NONE;
        let mut alignments = Vec::new();
        loop {
            let token = self.token;
            if let Some(basic) = basic_type(token.kind) {
                if self.is_redundant_float_typedef(&words, storage) {
                    self.bump();
                    continue;
                }
                self.bump();
                self.add_principal(&mut words, TypeSpec::Basic(basic), token.span);
                continue;
            }
            match token.kind {
                TokenKind::Ident => {
                    if words.any() {
                        break;
                    }
                    if self.scopes.is_type(token.symbol) {
                        self.bump();
                        words.principal = Some(self.named_type(token.symbol));
                    } else if self.is_unknown_type(need, lo) {
                        self.report_unknown_type(token);
                        self.bump();
                        words.principal = Some(TypeSpec::Error);
                    } else {
                        break;
                    }
                }
                TokenKind::KwAtomic if self.peek().kind == TokenKind::LParen => {
                    self.bump();
                    let ty = self.parenthesized_type()?;
                    self.add_principal(&mut words, TypeSpec::Atomic(ty), token.span);
                }
                TokenKind::KwStruct | TokenKind::KwUnion => {
                    let record = self.record()?;
                    self.add_principal(&mut words, TypeSpec::Record(record), token.span);
                }
                TokenKind::KwEnum => {
                    let id = self.enumeration()?;
                    self.add_principal(&mut words, TypeSpec::Enum(id), token.span);
                }
                TokenKind::KwTypeof | TokenKind::KwTypeofUnqual => {
                    let spec = self.typeof_specifier()?;
                    self.add_principal(&mut words, spec, token.span);
                }
                TokenKind::KwAutoType => {
                    self.bump();
                    self.add_principal(&mut words, TypeSpec::Auto, token.span);
                }
                TokenKind::KwBitInt => {
                    self.bump();
                    words.bit_int = Some(self.in_parens(|p| p.conditional())?);
                }
                TokenKind::KwAlignas => alignments.push(self.alignas()?),
                TokenKind::KwAttribute => self.attributes()?,
                TokenKind::LBracket if self.at_attribute() => self.attributes()?,
                TokenKind::KwImaginary => {
                    let message = "imaginary types are not supported";
                    self.report(Diagnostic::unsupported(message, token.span));
                    self.bump();
                    words.principal = Some(TypeSpec::Error);
                }
                _ => {
                    if let Some(qualifier) = qualifier(token.kind) {
                        quals.insert(qualifier);
                    } else if token.kind == TokenKind::KwAuto && self.is_c23() {
                        has_auto = true;
                    } else if let Some(class) = storage_class(token.kind) {
                        if storage.is_some_and(|s| s != class) {
                            let message = "more than one storage class";
                            self.report(Diagnostic::error(message, token.span));
                        }
                        storage = Some(class);
                    } else if let Some(flag) = spec_flag(token.kind) {
                        flags.insert(flag);
                    } else if !self.add_modifier(&mut words) {
                        break;
                    }
                    self.bump();
                }
            }
        }
        let span = self.span_from(lo);
        let mut ty = words.resolve().unwrap_or_else(|| {
            let message = "these words do not make a type together";
            self.report(Diagnostic::error(message, span));
            TypeSpec::Error
        });
        match ty {
            _ if !has_auto => {}
            TypeSpec::Implicit => ty = TypeSpec::Auto,
            _ => storage = storage.or(Some(Storage::Auto)),
        }
        let attributes = self.finish_attributes(attribute_base);
        let alignments = self.ast.append(&alignments);
        let specs = DeclSpecs { storage, flags, quals, ty, alignments, attributes, span };
        Ok(self.ast.push(specs))
    }

    /// Notes `short`, `long`, `signed`, `unsigned`, `_Complex`, `__extension__`; false for other
    /// tokens. The token is not consumed.
    fn add_modifier(&mut self, words: &mut TypeWords) -> bool {
        match self.kind() {
            TokenKind::KwShort => words.short = true,
            TokenKind::KwLong => words.longs = words.longs.saturating_add(1),
            TokenKind::KwSigned => words.signed = true,
            TokenKind::KwUnsigned => words.unsigned = true,
            TokenKind::KwComplex => words.complex = true,
            TokenKind::KwExtension => {}
            _ => return false,
        }
        true
    }

    fn add_principal(&mut self, words: &mut TypeWords, spec: TypeSpec, span: Span) {
        if words.principal.is_some() {
            self.report(Diagnostic::error("two types in one declaration", span));
            words.principal = Some(TypeSpec::Error);
        } else {
            words.principal = Some(spec);
        }
    }

    /// `typedef float _Float32;` stands in glibc's headers for compilers without the keyword; text
    /// preprocessed by clang has it. It says nothing that we do not know.
    fn is_redundant_float_typedef(&mut self, words: &TypeWords, storage: Option<Storage>) -> bool {
        let is_keyword = matches!(
            self.kind(),
            TokenKind::KwFloat32
                | TokenKind::KwFloat64
                | TokenKind::KwFloat128
                | TokenKind::KwFloat32x
                | TokenKind::KwFloat64x
        );
        is_keyword
            && words.any()
            && storage == Some(Storage::Typedef)
            && matches!(self.peek().kind, TokenKind::Semi | TokenKind::KwAttribute)
    }

    /// Whether the current name, which is no typedef, stands where only a type can.
    /// After other specifiers, from `lo` on, it may be the declarator in any case.
    fn is_unknown_type(&mut self, need: TypeNeed, lo: u32) -> bool {
        if need == TypeNeed::Required && self.lo() == lo {
            return true;
        }
        let next = self.peek();
        match next.kind {
            TokenKind::Ident => true,
            // `unknown *x`, but not `f * ...` of no meaning at all.
            TokenKind::Star => matches!(
                self.peek2().kind,
                TokenKind::Ident | TokenKind::Star | TokenKind::KwConst | TokenKind::KwRestrict
            ),
            // `__CPROVER_bitvector[8] x`.
            TokenKind::LBracket => self.is_cbmc_type(self.token),
            kind => qualifier(kind).is_some(),
        }
    }

    /// Whether the name is a type of CBMC that is written with a width in brackets.
    pub(super) fn is_cbmc_type(&self, token: Token) -> bool {
        let name = self.lexer.interner.name(token.symbol);
        matches!(name, "__CPROVER_bitvector" | "__CPROVER_floatbv" | "__CPROVER_fixedbv")
    }

    /// Reports an unknown type name, once for each name.
    pub(super) fn report_unknown_type(&mut self, token: Token) {
        let name = self.lexer.interner.name(token.symbol).to_owned();
        let mut error = Diagnostic::error(format!("unknown type name `{name}`"), token.span);
        let hint = match name.as_str() {
            "bool" => Some("`bool` needs <stdbool.h> or -std=c23"),
            "size_t" | "ptrdiff_t" | "wchar_t" => Some("include <stddef.h>"),
            "int8_t" | "int16_t" | "int32_t" | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t"
            | "uint64_t" | "intptr_t" | "uintptr_t" => Some("include <stdint.h>"),
            "__CPROVER_bool"
            | "__CPROVER_bitvector"
            | "__CPROVER_floatbv"
            | "__CPROVER_fixedbv"
            | "__CPROVER_rational"
            | "__CPROVER_integer" => Some("this is a type of the verifier CBMC, not of C"),
            "__builtin_ms_va_list" => {
                Some("variable arguments of the Microsoft ABI are not supported")
            }
            _ => None,
        };
        if let Some(hint) = hint {
            error = error.with_note(hint);
        }
        self.report(error);
        self.scopes.declare_unknown_type(token.symbol);
    }

    fn typeof_specifier(&mut self) -> Parsed<TypeSpec> {
        let unqual = self.bump().kind == TokenKind::KwTypeofUnqual;
        self.in_parens(|p| {
            Ok(if p.starts_type_name(p.token) {
                TypeSpec::TypeofType { ty: p.type_name()?, unqual }
            } else {
                TypeSpec::TypeofExpr { expr: p.expression()?, unqual }
            })
        })
    }

    fn alignas(&mut self) -> Parsed<Alignment> {
        self.bump();
        self.in_parens(|p| {
            Ok(if p.starts_type_name(p.token) {
                Alignment::Type(p.type_name()?)
            } else {
                Alignment::Expr(p.conditional()?)
            })
        })
    }
}
