//! How the variables of the logic that hold memory are called.
//!
//! A scalar of a variable has the name that a C programmer would write, `x`, `s.f`, `a[2]`, with
//! the function in front if it is a local variable (`main::x`): its value can be changed by any
//! function that has a pointer to it, so its scope is the whole program. An array by address is
//! called after what it holds, and has a number to tell it from others that hold the same.

use super::partition::{Class, ClassId, Form};
use crate::encode::aliases::{Object, Offset};
use crate::term::print_c::MEMORY_MARK;
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{Program, VarId};
use gnomon_ir::types::{RecordKind, Type, TypeId};
use std::fmt::Write;

/// The next address that is handed out.
pub(super) const HEAP: &str = "heap::end";

/// Where allocated objects begin.
pub(super) const BEGINNINGS: &str = "heap::begins";

/// The name of the variable that holds a class.
pub(super) fn class_name(program: &Program, class: &Class, id: ClassId) -> String {
    let first = class.spots[0];
    match (class.form, first.object, first.offset) {
        (Form::Cell, Object::Variable(var), Offset::Exact(at)) => {
            let mut name = variable_name(program, var);
            add_way(program, program.vars[var].ty, at, first.size, &mut name);
            name
        }
        _ => {
            let single = class.spots.iter().all(|spot| spot.object == first.object);
            let what = match first.object {
                Object::Variable(var) if single => variable_name(program, var),
                _ => scalar_name(class.scalar),
            };
            format!("{what}{MEMORY_MARK}{}", id.0)
        }
    }
}

/// The name of a variable that is known everywhere.
pub(super) fn variable_name(program: &Program, var: VarId) -> String {
    let info = &program.vars[var];
    match info.storage.function() {
        Some(func) => format!("{}::{}", program.funcs[func].name, info.name),
        None => info.name.clone(),
    }
}

/// The name of a type that memory holds.
pub(super) fn scalar_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "bool".into(),
        Scalar::Int { bits, signed } => format!("{}{bits}", if signed { "i" } else { "u" }),
        Scalar::Float(kind) => format!("{kind:?}").to_lowercase(),
    }
}

/// Adds the fields and indices that lead to an offset; the offset itself where none do.
fn add_way(program: &Program, mut ty: TypeId, mut at: u64, size: u64, name: &mut String) {
    loop {
        match *program.types.get(ty) {
            Type::Array { elem, len } if at < len.saturating_mul(program.types.size(elem)) => {
                let stride = program.types.size(elem).max(1);
                let _ = write!(name, "[{}]", at / stride);
                (ty, at) = (elem, at % stride);
            }
            Type::Record(record) => {
                let record = program.types.record(record);
                let inside = |f: &&gnomon_ir::types::Field| {
                    f.bits.is_none() && f.offset <= at && at < f.offset + program.types.size(f.ty)
                };
                let field = match record.kind {
                    RecordKind::Struct => record.fields.iter().find(inside),
                    RecordKind::Union => record
                        .fields
                        .iter()
                        .find(|f| inside(f) && program.types.size(f.ty) == size)
                        .or_else(|| record.fields.iter().find(inside)),
                };
                let Some(field) = field else {
                    let _ = write!(name, ".{at}");
                    return;
                };
                if !field.name.is_empty() {
                    let _ = write!(name, ".{}", field.name);
                }
                (ty, at) = (field.ty, at - field.offset);
            }
            _ if at == 0 && program.types.size(ty) == size => return,
            _ => {
                // Not as it was declared.
                let _ = write!(name, ".{at}:{size}");
                return;
            }
        }
    }
}
