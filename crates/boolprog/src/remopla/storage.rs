//! Types of remopla and where their bits are.
//!
//! A variable is a list of cells: the elements of an array, the fields of a structure, or both.
//! Each cell is a Boolean, a number of some bits, or a value of an enumeration.

use std::collections::BTreeMap;

use super::ast::{Declarator, EnumType, Expr, ExprKind, StructType, Type};
use crate::diagnostic::Diagnostics;
use crate::model::VarId;
use crate::source::{Ident, Span};

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One bit.
    Bool,
    /// A number of so many bits.
    Int(u32),
    /// A value below this size.
    Enum(u32),
}

impl Scalar {
    /// How many bits it takes.
    pub fn width(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(bits) => bits as usize,
            Self::Enum(size) => (32 - size.saturating_sub(1).leading_zeros()).max(1) as usize,
        }
    }
}

/// First index and number of elements.
pub type Dimension = (u32, u32);

/// The cells of one field (or of a variable that is no structure).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty if the variable is no structure.
    pub name: String,
    /// Its dimensions.
    pub dimensions: Vec<Dimension>,
    /// What each element holds.
    pub scalar: Scalar,
}

/// The shape of a variable: dimensions, and fields for each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its dimensions.
    pub dimensions: Vec<Dimension>,
    /// Its fields.
    pub fields: Vec<Field>,
}

fn elements(dimensions: &[Dimension]) -> usize {
    dimensions.iter().map(|d| d.1 as usize).product()
}

impl Shape {
    /// A single cell.
    pub fn scalar(scalar: Scalar) -> Self {
        let field = Field { name: String::new(), dimensions: Vec::new(), scalar };
        Self { dimensions: Vec::new(), fields: vec![field] }
    }

    /// Names and contents of all cells: element by element, field by field.
    pub fn cells(&self) -> Vec<(String, Scalar)> {
        let mut cells = Vec::new();
        for outer in suffixes(&self.dimensions) {
            for field in &self.fields {
                let dot = if field.name.is_empty() { "" } else { "." };
                for inner in suffixes(&field.dimensions) {
                    cells.push((format!("{outer}{dot}{}{inner}", field.name), field.scalar));
                }
            }
        }
        cells
    }

    /// Where the cells of a field start within an element, and how many cells an element has.
    pub fn field_offset(&self, field: usize) -> (usize, usize) {
        let sizes: Vec<_> = self.fields.iter().map(|f| elements(&f.dimensions)).collect();
        (sizes[..field].iter().sum(), sizes.iter().sum())
    }
}

fn suffixes(dimensions: &[Dimension]) -> Vec<String> {
    let mut list = vec![String::new()];
    for &(low, size) in dimensions {
        list =
            list.iter().flat_map(|s| (low..low + size).map(move |i| format!("{s}[{i}]"))).collect();
    }
    list
}

/// A variable with the bits of its cells.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its shape.
    pub shape: Shape,
    /// For each cell its content and its bits, lowest first.
    pub cells: Vec<(Scalar, Vec<VarId>)>,
}

/// Types and constants of a program.
#[derive(Debug, Default)]
pub struct Types {
    /// Constants and values of enumerations.
    pub constants: BTreeMap<String, u64>,
    enums: BTreeMap<String, u32>,
    structs: BTreeMap<String, Vec<Field>>,
    /// `DEFAULT_INT_BITS`
    pub default_bits: Option<u32>,
}

/// Variables with more cells than this are refused.
const MAX_CELLS: usize = 1 << 14;
/// Numbers with more bits than this are refused.
const MAX_BITS: u64 = 32;

impl Types {
    /// The value of a constant expression.
    pub fn evaluate(&self, e: &Expr, messages: &mut Diagnostics) -> Option<u64> {
        use super::ast::BinaryOp as Op;
        let value = match &e.kind {
            ExprKind::Number(n) => Some(u64::from(*n)),
            ExprKind::Reference(r) if r.indices.is_empty() && r.field.is_none() => {
                self.constants.get(&r.name.text).copied()
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(a, messages)?, self.evaluate(b, messages)?);
                match op {
                    Op::Add => a.checked_add(b),
                    Op::Subtract => a.checked_sub(b),
                    Op::Multiply => a.checked_mul(b),
                    Op::Divide => a.checked_div(b),
                    Op::ShiftLeft => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)),
                    Op::ShiftRight => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
                    Op::BitAnd => Some(a & b),
                    Op::BitOr => Some(a | b),
                    Op::BitXor => Some(a ^ b),
                    _ => None,
                }
            }
            _ => None,
        };
        if value.is_none() {
            messages.error(e.span, "expected a constant expression with a value");
        }
        value
    }

    /// Declares an enumeration with its values.
    pub fn declare_enum(&mut self, e: &EnumType, messages: &mut Diagnostics) {
        for (i, value) in e.values.iter().enumerate() {
            if self.constants.insert(value.text.clone(), i as u64).is_some() {
                let text = format!("the value `{}` is declared twice", value.text);
                messages.error(value.span, text);
            }
        }
        if let Some(name) = &e.name
            && !e.values.is_empty()
        {
            self.enums.insert(name.text.clone(), e.values.len() as u32);
        }
    }

    /// Declares a structure.
    pub fn declare_struct(&mut self, s: &StructType, messages: &mut Diagnostics) {
        let fields = self.fields(s, messages);
        if let (Some(name), Some(fields), false) = (&s.name, fields, s.fields.is_empty()) {
            self.structs.insert(name.text.clone(), fields);
        }
    }

    fn fields(&mut self, s: &StructType, messages: &mut Diagnostics) -> Option<Vec<Field>> {
        if s.fields.is_empty() {
            let name = s.name.as_ref()?;
            let known = self.structs.get(&name.text).cloned();
            if known.is_none() {
                messages.error(name.span, format!("unknown structure `{}`", name.text));
            }
            return known;
        }
        let mut fields = Vec::new();
        for declaration in &s.fields {
            for declarator in &declaration.variables {
                let shape = self.shape(&declaration.ty, declarator, messages)?;
                let [inner] = shape.fields.as_slice() else {
                    let span = declarator.name.span;
                    messages.error(span, "a structure cannot contain a structure");
                    return None;
                };
                fields.push(Field {
                    name: declarator.name.text.clone(),
                    dimensions: shape.dimensions.clone(),
                    scalar: inner.scalar,
                });
            }
        }
        Some(fields)
    }

    /// The width of a number, given or default.
    fn int_bits(
        &self,
        bits: Option<&Expr>,
        span: Span,
        messages: &mut Diagnostics,
    ) -> Option<Scalar> {
        let bits = match bits {
            Some(e) => self.evaluate(e, messages)?,
            None => match self.default_bits {
                Some(bits) => u64::from(bits),
                None => {
                    messages.error_with_help(
                        span,
                        "`int` without a number of bits",
                        "write `int x(8)`, or `define DEFAULT_INT_BITS 8`",
                    );
                    return None;
                }
            },
        };
        if bits == 0 || bits > MAX_BITS {
            messages.error(span, format!("expected 1 to {MAX_BITS} bits, found {bits}"));
            return None;
        }
        Some(Scalar::Int(bits as u32))
    }

    /// The shape of a type with a width and no dimensions.
    pub fn base(
        &mut self,
        ty: &Type,
        bits: Option<&Expr>,
        span: Span,
        messages: &mut Diagnostics,
    ) -> Option<Shape> {
        match ty {
            Type::Bool => Some(Shape::scalar(Scalar::Bool)),
            Type::Int => self.int_bits(bits, span, messages).map(Shape::scalar),
            Type::Enum(e) if !e.values.is_empty() => {
                Some(Shape::scalar(Scalar::Enum(e.values.len() as u32)))
            }
            Type::Enum(e) => {
                let name = e.name.as_ref()?;
                let size = self.enums.get(&name.text).copied();
                if size.is_none() {
                    messages.error(name.span, format!("unknown enumeration `{}`", name.text));
                }
                Some(Shape::scalar(Scalar::Enum(size?)))
            }
            Type::Struct(s) => {
                let fields = self.fields(s, messages)?;
                Some(Shape { dimensions: Vec::new(), fields })
            }
        }
    }

    /// The shape of a declared variable.
    pub fn shape(
        &mut self,
        ty: &Type,
        declarator: &Declarator,
        messages: &mut Diagnostics,
    ) -> Option<Shape> {
        let name: &Ident = &declarator.name;
        let mut shape = self.base(ty, declarator.bits.as_ref(), name.span, messages)?;
        for (low, high) in &declarator.dimensions {
            let first = match low {
                Some(low) => self.evaluate(low, messages)?,
                None => 0,
            };
            let last = self.evaluate(high, messages)?;
            let size = if low.is_some() { (last + 1).checked_sub(first) } else { Some(last) };
            match size {
                Some(size @ 1..=16_384) => shape.dimensions.push((first as u32, size as u32)),
                _ => {
                    messages.error(high.span, "expected a size of 1 to 16384 elements");
                    return None;
                }
            }
        }
        let (_, each) = shape.field_offset(0);
        if elements(&shape.dimensions).saturating_mul(each) > MAX_CELLS {
            messages.error(name.span, "the variable has more than 16384 elements");
            return None;
        }
        Some(shape)
    }
}
