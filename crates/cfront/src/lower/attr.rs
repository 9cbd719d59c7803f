//! Attributes that change what a declaration means.

use super::ctype::{CType, FloatType, IntKind, QType};
use super::{Lower, Res};
use crate::ast::{Alignment, Attribute, AttributeArg, ExprKind, List, StringId};
use crate::span::Span;

/// What the attributes of a declaration say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    /// `packed`.
    pub packed: bool,
    /// The largest `aligned` or `_Alignas`.
    pub align: Option<u64>,
    /// `mode(DI)` and the like.
    pub mode: Option<Mode>,
    /// `noreturn`.
    pub no_return: bool,
    /// `transparent_union`.
    pub transparent_union: bool,
    /// `constructor`, with its priority.
    pub constructor: Option<u16>,
    /// `destructor`, with its priority.
    pub destructor: Option<u16>,
    /// `alias` or `weakref` with the name of another one.
    pub alias: Option<StringId>,
    /// `weak` or `weakref`: it may be absent.
    pub weak: bool,
    /// `weakref`.
    pub weak_reference: bool,
    /// `gnu_inline`.
    pub gnu_inline: bool,
}

/// The argument of the attribute `mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Int(u16),
    Pointer,
    Float(FloatType),
}

/// What stands in such sections is called before or behind `main`.
const RUN_BY_SECTION: [&str; 7] =
    [".init", ".fini", ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"];

/// Whether the name is one of them, or one of them with a priority: `.init_array.00101`.
fn is_run_by_section(section: &str) -> bool {
    let (name, rest) = match section.get(1..).and_then(|rest| rest.find('.')) {
        Some(end) => section.split_at(end + 1),
        None => (section, ""),
    };
    let is_number = rest.trim_start_matches('.').bytes().all(|byte| byte.is_ascii_digit());
    is_number && RUN_BY_SECTION.contains(&name)
}

/// The largest alignment on x86: `aligned` without argument.
const BIGGEST_ALIGNMENT: u64 = 16;

impl Lower<'_> {
    /// Reads the lists of attributes; what is unknown changes nothing. Attributes whose meaning we
    /// would get wrong are refused by name.
    pub(super) fn attributes(&mut self, lists: &[List<Attribute>]) -> Res<Attributes> {
        let mut all = Attributes::default();
        for &list in lists {
            for attribute in &self.ast[list] {
                self.attribute(attribute, &mut all)?;
            }
        }
        Ok(all)
    }

    fn attribute(&mut self, attribute: &Attribute, all: &mut Attributes) -> Res<()> {
        let name = self.name(attribute.name);
        match name {
            "packed" => all.packed = true,
            "weak" => all.weak = true,
            "weakref" => {
                (all.weak, all.weak_reference) = (true, true);
                all.alias = self.text_argument(attribute).or(all.alias);
            }
            "alias" => all.alias = self.text_argument(attribute),
            "aligned" => {
                let align = match self.ast[attribute.args].first() {
                    None => BIGGEST_ALIGNMENT,
                    Some(&AttributeArg::Expr(e)) => {
                        let value = self.constant_int(e)?;
                        self.checked_alignment(value, attribute.span)?
                    }
                    Some(&AttributeArg::Type(ty)) => {
                        let ty = self.type_name(ty)?;
                        self.types.align(ty, false)
                    }
                    Some(AttributeArg::Tokens(_)) => 1,
                };
                all.align = Some(all.align.map_or(align, |a| a.max(align)));
            }
            "mode" => {
                all.mode = self.mode(attribute);
                if all.mode.is_none() {
                    return Err(self.unsupported(attribute.span, "this mode is not supported"));
                }
            }
            "noreturn" | "_Noreturn" => all.no_return = true,
            "transparent_union" => all.transparent_union = true,
            "gnu_inline" => all.gnu_inline = true,
            "constructor" => all.constructor = Some(self.priority(attribute)?),
            "destructor" => all.destructor = Some(self.priority(attribute)?),
            "section" => {
                let section = self.text_argument(attribute).map(|text| self.ast.string_text(text));
                let section = section.unwrap_or_default();
                if is_run_by_section(&section) {
                    let message = format!("the section `{section}` is not supported");
                    return Err(self.unsupported(attribute.span, message));
                }
            }
            "optimize" => {
                let texts: String = self.text_arguments(attribute).collect();
                if texts.contains("fast-math") || texts.contains("Ofast") {
                    let message = "the attribute `optimize` with fast arithmetic is not supported";
                    return Err(self.unsupported(attribute.span, message));
                }
            }
            "vector_size" | "ext_vector_type" => {
                return Err(self.unsupported(attribute.span, "vector types are not supported"));
            }
            "cleanup" => {
                let message = "the attribute `cleanup` is not supported";
                return Err(self.unsupported(attribute.span, message));
            }
            "scalar_storage_order" | "ms_struct" | "ifunc" | "naked" => {
                let message = format!("the attribute `{name}` is not supported");
                return Err(self.unsupported(attribute.span, message));
            }
            _ => {}
        }
        Ok(())
    }

    /// The arguments that are strings.
    fn text_arguments(&self, attribute: &Attribute) -> impl Iterator<Item = String> {
        let strings = self.ast[attribute.args].iter().filter_map(|arg| match *arg {
            AttributeArg::Expr(e) => match self.ast[e].kind {
                ExprKind::Str(text) => Some(self.ast.string_text(text)),
                _ => None,
            },
            _ => None,
        });
        strings.collect::<Vec<_>>().into_iter()
    }

    /// The argument of an attribute that takes a string.
    fn text_argument(&self, attribute: &Attribute) -> Option<StringId> {
        let Some(&AttributeArg::Expr(e)) = self.ast[attribute.args].first() else { return None };
        match self.ast[e].kind {
            ExprKind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The priority of a constructor or destructor; without one it is the last, or the first.
    fn priority(&mut self, attribute: &Attribute) -> Res<u16> {
        let Some(&AttributeArg::Expr(e)) = self.ast[attribute.args].first() else {
            return Ok(u16::MAX);
        };
        let value = self.constant_int(e)?;
        match u16::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.error(attribute.span, format!("the priority {value} is too large"))),
        }
    }

    fn checked_alignment(&mut self, value: i128, span: Span) -> Res<u64> {
        match u64::try_from(value) {
            Ok(0) => Ok(1),
            Ok(align) if align.is_power_of_two() && align <= 1 << 28 => Ok(align),
            _ => Err(self.error(span, format!("the alignment {value} is not a power of two"))),
        }
    }

    fn mode(&mut self, attribute: &Attribute) -> Option<Mode> {
        let Some(&AttributeArg::Expr(e)) = self.ast[attribute.args].first() else { return None };
        let ExprKind::Ident(name) = self.ast[e].kind else { return None };
        match self.name(name).trim_matches('_') {
            "QI" | "byte" => Some(Mode::Int(8)),
            "HI" => Some(Mode::Int(16)),
            "SI" => Some(Mode::Int(32)),
            "DI" => Some(Mode::Int(64)),
            "TI" => Some(Mode::Int(128)),
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => {
                Some(Mode::Pointer)
            }
            "HF" => Some(Mode::Float(FloatType::Float16)),
            "SF" => Some(Mode::Float(FloatType::Float)),
            "DF" => Some(Mode::Float(FloatType::Double)),
            "XF" => Some(Mode::Float(FloatType::LongDouble)),
            "TF" => Some(Mode::Float(FloatType::Float128)),
            _ => None,
        }
    }

    /// The type of the mode with the signedness of `ty`.
    pub(super) fn apply_mode(&mut self, ty: QType, mode: Mode) -> QType {
        let bits = match mode {
            Mode::Int(bits) => bits,
            Mode::Pointer => self.types.target().pointer_bits(),
            Mode::Float(float) => return self.types.plain(CType::Float(float)).with(ty.quals),
        };
        let signed = match bits {
            8 => IntKind::SChar,
            16 => IntKind::Short,
            32 => IntKind::Int,
            64 if self.types.target().pointer_bits() == 64 => IntKind::Long,
            64 => IntKind::LongLong,
            _ => IntKind::Int128,
        };
        let unsigned = self.types.int_kind(ty).is_some_and(|kind| !kind.signed());
        let kind = if unsigned { signed.to_unsigned() } else { signed };
        self.types.int(kind).with(ty.quals)
    }

    /// The largest of some `_Alignas`.
    pub(super) fn alignments(&mut self, list: List<Alignment>) -> Res<Option<u64>> {
        let mut largest = None;
        for &alignment in &self.ast[list] {
            let align = match alignment {
                Alignment::Expr(e) => {
                    let value = self.constant_int(e)?;
                    self.checked_alignment(value, self.ast[e].span)?
                }
                Alignment::Type(ty) => {
                    let ty = self.type_name(ty)?;
                    self.types.align(ty, false)
                }
            };
            largest = largest.max(Some(align));
        }
        Ok(largest)
    }
}
