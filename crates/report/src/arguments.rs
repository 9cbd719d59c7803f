//! What the entry function was called with, as users write values.

use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::program::{Program, source_name};
use gnomon_ir::trace::{ArgumentValue, Input, InputTrace};
use gnomon_ir::types::{Type, TypeId};

use crate::model::Stored;

/// More elements of arrays and fields of records are not shown.
const ELEMENTS: u64 = 8;
/// Longer strings are cut.
const LENGTH: usize = 40;
/// Objects are shown as deep as this.
const DEPTH: u32 = 4;

/// The arguments of the entry function, as far as the run has them.
pub fn arguments(program: &Program, entry: &str, inputs: &InputTrace) -> Vec<Stored> {
    let Some(entry) = program.find_function(entry) else { return Vec::new() };
    let given = |param: &str| {
        inputs.inputs.iter().find_map(|input| match input {
            Input::Argument { name, value } if name == param => Some(value),
            _ => None,
        })
    };
    let argument = |&param: &_| {
        let var = &program.vars[param];
        let place = source_name(&var.name).to_owned();
        let value = shown(program, var.ty, given(&place)?)?;
        // Witnesses speak of inputs where they are taken, not of what a call begins with.
        Some(Stored { place, value, is_input: false })
    };
    program.funcs[entry].params.iter().filter_map(argument).collect()
}

fn shown(program: &Program, ty: TypeId, value: &ArgumentValue) -> Option<String> {
    match value {
        ArgumentValue::Bits(bits) if !program.types.is_pointer(ty) => number(program, ty, *bits),
        ArgumentValue::Bits(bits) => Some(format!("{bits:#x}")),
        ArgumentValue::Null => Some("null".to_owned()),
        ArgumentValue::Object { bytes, pointers } => {
            let object = Object { program, bytes, pointers, depth: DEPTH };
            match program.types.pointee(ty) {
                Some(to) => Some(object.behind_pointer(to)),
                None => object.value(ty, 0),
            }
        }
    }
}

/// A number as users write it.
fn number(program: &Program, ty: TypeId, bits: u128) -> Option<String> {
    Some(match program.types.scalar(ty)? {
        Scalar::Float(kind) => ops::show_float(kind, bits),
        Scalar::Int { bits: 128, signed: false } => bits.to_string(),
        scalar => ops::extend(scalar, ops::truncate(bits, scalar.width())).to_string(),
    })
}

/// An object that an argument leads to.
#[derive(Clone, Copy)]
struct Object<'a> {
    program: &'a Program,
    bytes: &'a [u8],
    pointers: &'a [(u64, ArgumentValue)],
    depth: u32,
}

impl Object<'_> {
    /// What a pointer to an object of that type leads to.
    fn behind_pointer(self, to: TypeId) -> String {
        let types = &self.program.types;
        let size = match types.get(to) {
            Type::Function(_) => 0,
            _ => types.size(to),
        };
        let count = (self.bytes.len() as u64).checked_div(size).unwrap_or(0);
        if self.depth == 0 || count == 0 {
            return "not null".to_owned();
        }
        if matches!(types.get(to), Type::Int { bits: 8, .. }) {
            return text(self.bytes);
        }
        if count == 1 {
            return self.value(to, 0).map_or("not null".to_owned(), |value| format!("&{value}"));
        }
        self.elements(to, size, count, 0).unwrap_or_else(|| "not null".to_owned())
    }

    /// Elements in a row; zeros at the end are left out.
    fn elements(self, ty: TypeId, size: u64, count: u64, at: u64) -> Option<String> {
        let is_zero = |index: &u64| {
            let begin = (at + index * size) as usize;
            let bytes = self.bytes.get(begin..begin + size as usize);
            let has_pointer = |(to, _): &(u64, _)| (at + index * size..).contains(to);
            bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
                && !self.pointers.iter().any(has_pointer)
        };
        let zeros = (0..count).rev().take_while(is_zero).count() as u64;
        let kept = (count - zeros).clamp(1, ELEMENTS);
        let values: Option<Vec<String>> =
            (0..kept).map(|index| self.value(ty, at + index * size)).collect();
        let rest = match (kept < count, count - zeros > ELEMENTS) {
            (true, false) if kept + zeros == count && zeros > 1 => ", 0, ...",
            (true, false) => "",
            (true, true) => ", ...",
            (false, _) => "",
        };
        Some(format!("{{{}{rest}}}", values?.join(", ")))
    }

    /// What is at an offset of the object.
    fn value(self, ty: TypeId, at: u64) -> Option<String> {
        let types = &self.program.types;
        match *types.get(ty) {
            Type::Pointer(to) => Some(self.pointer(to, at)),
            Type::Array { elem, len } if len > 0 => {
                if matches!(types.get(elem), Type::Int { bits: 8, .. }) {
                    return Some(text(self.bytes.get(at as usize..(at + len) as usize)?));
                }
                self.elements(elem, types.size(elem), len, at)
            }
            Type::Record(record) => {
                let fields = types.record(record).fields.iter();
                let named = fields.filter(|field| !field.name.is_empty() && field.bits.is_none());
                let shown = named.take(ELEMENTS as usize).filter_map(|field| {
                    let value = self.value(field.ty, at + field.offset)?;
                    Some(format!("{} = {value}", field.name))
                });
                Some(format!("{{{}}}", shown.collect::<Vec<_>>().join(", ")))
            }
            Type::Bool | Type::Int { .. } | Type::Float(_) => {
                let size = types.size(ty) as usize;
                let mut all = [0; 16];
                let bytes = self.bytes.get(at as usize..at as usize + size)?;
                all.get_mut(..size)?.copy_from_slice(bytes);
                number(self.program, ty, u128::from_le_bytes(all))
            }
            _ => None,
        }
    }

    fn pointer(self, to: TypeId, at: u64) -> String {
        let found = self.pointers.iter().find(|(offset, _)| *offset == at);
        match found.map(|(_, value)| value) {
            None | Some(ArgumentValue::Null) => "null".to_owned(),
            Some(ArgumentValue::Bits(bits)) => format!("{bits:#x}"),
            Some(ArgumentValue::Object { bytes, pointers }) => {
                Object { bytes, pointers, depth: self.depth - 1, ..self }.behind_pointer(to)
            }
        }
    }
}

/// Characters as a string literal, up to the first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let mut text = String::from("\"");
    for &byte in &bytes[..end.min(LENGTH)] {
        match byte {
            b'"' | b'\\' => text.extend(['\\', byte.into()]),
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b' '..=b'~' => text.push(byte.into()),
            // Three digits end the escape, whatever follows.
            _ => text += &format!("\\{byte:03o}"),
        }
    }
    text + if end > LENGTH { "\"..." } else { "\"" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_testkit::program;

    fn argument(name: &str, value: ArgumentValue) -> Input {
        Input::Argument { name: name.to_owned(), value }
    }

    fn object(bytes: &[u8], pointers: Vec<(u64, ArgumentValue)>) -> ArgumentValue {
        ArgumentValue::Object { bytes: bytes.to_vec(), pointers }
    }

    #[test]
    fn values_are_told_by_their_types() {
        let program = program(
            "struct node { int v; struct node *next; };
             int f(int n, const char *s, int *a, struct node *p, struct node *q, double d)
             { return 0; }",
        );
        let last = object(&[17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Vec::new());
        let first = object(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], vec![(8, last)]);
        let inputs = InputTrace {
            inputs: vec![
                argument("n", ArgumentValue::Bits(0xffff_fffe)),
                argument("s", object(b"a\"\x01\0rest", Vec::new())),
                argument("a", object(&[7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Vec::new())),
                argument("p", first),
                argument("q", ArgumentValue::Null),
                argument("d", ArgumentValue::Bits(2.5f64.to_bits().into())),
            ],
        };
        let shown: Vec<String> = arguments(&program, "f", &inputs)
            .iter()
            .map(|stored| format!("{} = {}", stored.place, stored.value))
            .collect();
        assert_eq!(
            shown,
            [
                "n = -2",
                r#"s = "a\"\001""#,
                "a = {7, 0, ...}",
                "p = &{v = 3, next = &{v = 17, next = null}}",
                "q = null",
                "d = 2.5",
            ]
        );
    }
}
