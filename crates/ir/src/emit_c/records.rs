//! Structs and unions with exactly the recorded layout.
//!
//! Where C lays out the members as recorded by itself, the record is written plainly: then it is
//! also passed to library functions as they expect. Otherwise (bit-fields, packed or aligned
//! members) it is packed, with padding written out.

use std::fmt::Write;

use crate::arena::Arena;
use crate::emit_c::{EmitError, Emitter};
use crate::types::{Field, Record, RecordId, RecordKind, Target, Type, TypeId};

impl Emitter<'_> {
    pub(super) fn records(&self, out: &mut String) -> Result<(), EmitError> {
        let types = &self.program.types;
        let text = self.text();
        for (id, _) in types.records().filter(|(id, _)| self.used.records[*id]) {
            let _ = writeln!(out, "{};", text.record_type(id));
        }
        let mut done: Arena<RecordId, bool> = types.records().map(|_| false).collect();
        for (id, _) in types.records() {
            self.record_with_parts(out, id, &mut done)?;
        }
        Ok(())
    }

    /// Writes the record behind the records that it contains.
    fn record_with_parts(
        &self,
        out: &mut String,
        root: RecordId,
        done: &mut Arena<RecordId, bool>,
    ) -> Result<(), EmitError> {
        let mut work = vec![(root, false)];
        while let Some((id, parts_are_done)) = work.pop() {
            let record = self.program.types.record(id);
            if done[id] || !self.used.records[id] || !record.complete {
                continue;
            }
            if parts_are_done {
                done[id] = true;
                self.record(out, id, record)?;
                continue;
            }
            work.push((id, true));
            for field in &record.fields {
                let mut ty = field.ty;
                while let Type::Array { elem, .. } = *self.program.types.get(ty) {
                    ty = elem;
                }
                if let Type::Record(part) = *self.program.types.get(ty)
                    && part != id
                {
                    work.push((part, false));
                }
            }
        }
        Ok(())
    }

    fn record(&self, out: &mut String, id: RecordId, record: &Record) -> Result<(), EmitError> {
        let tag = self.text().record_type(id);
        if self.is_natural(record) {
            let _ = writeln!(out, "{tag} {{");
            for (index, _) in record.fields.iter().enumerate() {
                let _ = writeln!(out, "  {};", self.member(id, record, index));
            }
        } else {
            let align = record.align;
            let _ = writeln!(out, "{tag} {{");
            match record.kind {
                RecordKind::Struct => self.packed_members(out, id, record)?,
                RecordKind::Union => self.packed_alternatives(out, id, record)?,
            }
            let _ = write!(out, "}} __attribute__((packed, aligned({align})))");
        }
        if out.ends_with('\n') {
            out.push('}');
        }
        out.push_str(";\n");
        let size = record.size;
        let _ = writeln!(out, "_Static_assert(sizeof({tag}) == {size}, \"size\");");
        let align = record.align;
        let _ = writeln!(out, "_Static_assert(_Alignof({tag}) == {align}, \"alignment\");");
        for (index, field) in record.fields.iter().enumerate() {
            if field.bits.is_none() {
                let name = self.field_name(id, index);
                let offset = field.offset;
                let _ = writeln!(
                    out,
                    "_Static_assert(__builtin_offsetof({tag}, {name}) == {offset}, \"{name}\");"
                );
            }
        }
        Ok(())
    }

    fn field_name(&self, id: RecordId, index: usize) -> String {
        use crate::c_text::Names;
        self.names.field(id, u32::try_from(index).unwrap_or(u32::MAX)).to_owned()
    }

    fn member(&self, id: RecordId, record: &Record, index: usize) -> String {
        let field = &record.fields[index];
        let name = self.field_name(id, index);
        let flexible =
            record.kind == RecordKind::Struct && index > 0 && index + 1 == record.fields.len();
        match *self.program.types.get(field.ty) {
            // An initialiser may give elements only to a flexible array.
            Type::Array { elem, len: 0 } if flexible => {
                self.text().declaration(elem, format!("{name}[]"))
            }
            Type::Int { bits: 8, signed: true } if field.bits.is_some() => {
                format!("signed char {name}")
            }
            _ => self.text().declaration(field.ty, name),
        }
    }

    /// Where C aligns members of the type.
    fn natural_align(&self, ty: TypeId) -> u64 {
        let types = &self.program.types;
        let small_target = types.target() == Target::Ilp32;
        match *types.get(ty) {
            Type::Array { elem, .. } => self.natural_align(elem),
            Type::Record(id) => types.record(id).align,
            Type::Int { bits: 64, .. } if small_target => 4,
            Type::Float(kind) if small_target => match types.float_size(kind) {
                8 | 12 => 4,
                size => size,
            },
            _ => types.size(ty).max(1),
        }
    }

    /// Whether C lays out the record as it is recorded.
    fn is_natural(&self, record: &Record) -> bool {
        let types = &self.program.types;
        let (mut end, mut align) = (0u64, 1);
        for field in &record.fields {
            let field_align = self.natural_align(field.ty).max(1);
            let start = match record.kind {
                RecordKind::Struct => end.next_multiple_of(field_align),
                RecordKind::Union => 0,
            };
            if field.bits.is_some() || field.offset != start {
                return false;
            }
            end = end.max(start.saturating_add(types.size(field.ty)));
            align = align.max(field_align);
        }
        record.align == align && end.checked_next_multiple_of(align) == Some(record.size)
    }

    fn packed_members(
        &self,
        out: &mut String,
        id: RecordId,
        record: &Record,
    ) -> Result<(), EmitError> {
        let mut padding = Padding { bit: 0, count: 0 };
        for (index, field) in record.fields.iter().enumerate() {
            let start = first_bit(field);
            if start < padding.bit {
                return Err(layout_error(record, format!("member {index} overlaps another")));
            }
            padding.fill(out, start);
            let member = self.member(id, record, index);
            let size = match field.bits {
                Some(bits) => {
                    let _ = writeln!(out, "  {member} : {};", bits.width);
                    u64::from(bits.width)
                }
                None => {
                    let _ = writeln!(out, "  {member};");
                    self.program.types.size(field.ty).saturating_mul(8)
                }
            };
            padding.bit = start.saturating_add(size);
        }
        let bytes = padding.bit.div_ceil(8);
        let flexible = record.fields.last().is_some_and(|f| self.program.types.size(f.ty) == 0);
        // The alignment of the whole rounds the size up; what it does not reach is filled, unless
        // a flexible array must stay the last member.
        if bytes.next_multiple_of(record.align.max(1)) < record.size && !flexible {
            padding.fill(out, record.size.saturating_mul(8));
        }
        Ok(())
    }

    fn packed_alternatives(
        &self,
        out: &mut String,
        id: RecordId,
        record: &Record,
    ) -> Result<(), EmitError> {
        for (index, field) in record.fields.iter().enumerate() {
            if first_bit(field) != 0 {
                return Err(layout_error(record, format!("member {index} does not start at 0")));
            }
            let member = self.member(id, record, index);
            let _ = match field.bits {
                Some(bits) => writeln!(out, "  {member} : {};", bits.width),
                None => writeln!(out, "  {member};"),
            };
        }
        let _ = writeln!(out, "  char __gnomon_whole[{}];", record.size);
        Ok(())
    }
}

fn layout_error(record: &Record, reason: String) -> EmitError {
    EmitError::Layout { record: record.name.clone(), reason }
}

fn first_bit(field: &Field) -> u64 {
    let shift = field.bits.map_or(0, |bits| u64::from(bits.shift));
    field.offset.saturating_mul(8).saturating_add(shift)
}

/// Fills the gaps between members.
struct Padding {
    /// How far the record is written.
    bit: u64,
    count: u32,
}

impl Padding {
    fn fill(&mut self, out: &mut String, to: u64) {
        let in_byte = self.bit.next_multiple_of(8).min(to);
        self.bits(out, in_byte);
        let bytes = (to - self.bit) / 8;
        if bytes > 0 {
            let _ = writeln!(out, "  char __gnomon_pad{}[{bytes}];", self.count);
            self.count += 1;
            self.bit += bytes * 8;
        }
        self.bits(out, to);
    }

    fn bits(&mut self, out: &mut String, to: u64) {
        if to > self.bit {
            let _ = writeln!(out, "  unsigned char : {};", to - self.bit);
            self.bit = to;
        }
    }
}
