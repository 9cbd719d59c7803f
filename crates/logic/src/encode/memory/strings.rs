//! Strings in objects of known size: exact, byte by byte.
//!
//! A function on strings looks at bytes up to the zero at the end, and the run stops if the object
//! ends before. With at most [`STRING_LIMIT`] bytes this is written out: byte `i` counts if all
//! before it are not zero. Strings elsewhere are approximated.

use super::partition::raw;
use super::partitioned::{Located, Partitioned};
use super::{LibraryCall, Returned};
use crate::encode::aliases::{Object, Offset, Target, Targets};
use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::constant;
use crate::encode::{NotEncoded, Theory};
use crate::term::Term;
use gnomon_ir::cfa::{Call, Callee};
use gnomon_ir::expr::ExprId;
use gnomon_ir::library::plain_name;
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{Program, source_name};

/// Objects with more bytes are not looked at byte by byte.
const STRING_LIMIT: u64 = 64;

const INT: Scalar = Scalar::Int { bits: 32, signed: true };

/// The arguments that are strings, or bytes to compare, of the functions that are exact.
pub(super) fn string_arguments(program: &Program, call: &Call) -> Vec<ExprId> {
    let Callee::Direct(func) = call.callee else { return Vec::new() };
    let function = &program.funcs[func];
    if function.body.is_some() {
        return Vec::new();
    }
    let count = match plain_name(source_name(&function.name)) {
        "strlen" | "strchr" => 1,
        "strcmp" | "strcpy" | "strcat" | "memcmp" => 2,
        _ => 0,
    };
    let mut strings: Vec<ExprId> = call.args.iter().copied().take(count).collect();
    strings.retain(|&arg| program.types.is_pointer(program.expr_ty(arg)));
    strings
}

/// The targets as strings: any byte of their objects; `None` if those are unknown or large.
pub(super) fn as_strings(program: &Program, targets: &[Target]) -> Option<Vec<Target>> {
    let mut strings = Vec::with_capacity(targets.len());
    for target in targets {
        match target.object {
            Object::Function(_) => continue,
            Object::Variable(var) if program.types.size(program.vars[var].ty) <= STRING_LIMIT => {}
            _ => return None,
        }
        strings.push(Target { offset: Offset::ANY, ..*target });
    }
    strings.dedup();
    Some(strings)
}

/// A string, written out.
struct Text {
    located: Located,
    /// The bytes, zero from the end on.
    bytes: Vec<Operand>,
    /// Whether the string reaches to each byte, the zero at the end included.
    reaches: Vec<Term>,
    length: Operand,
}

impl Partitioned<'_> {
    /// A function on strings, if it can be exact.
    pub(super) fn string_call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Option<Returned>, NotEncoded> {
        let arguments = string_arguments(self.program, call.call);
        let mut located = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let Targets::Known(targets) = self.pointees.of_pointer(argument) else {
                return Ok(None);
            };
            let Some(targets) = as_strings(self.program, &targets) else { return Ok(None) };
            let address = draft.value(self, argument)?;
            located.push(Located { address, targets });
        }
        let name = plain_name(call.name);
        Ok(match (name, &located[..]) {
            ("strlen", [text]) => {
                let text = self.text(draft, text)?;
                Some(Returned::Value(text.length))
            }
            ("strchr", [text]) => {
                let Some(&byte) = call.call.args.get(1) else { return Ok(None) };
                Some(Returned::Value(self.found(draft, text, byte)?))
            }
            ("strcmp", [a, b]) => {
                let (a, b) = (self.text(draft, a)?, self.text(draft, b)?);
                Some(Returned::Value(self.order(draft, &a.bytes, &b.bytes)))
            }
            ("memcmp", [a, b]) => {
                let size = call.call.args.get(2).and_then(|&size| self.program.as_int(size));
                let Some(size) = size.and_then(|n| u64::try_from(n).ok()) else {
                    return Ok(None);
                };
                if size > STRING_LIMIT {
                    return Ok(None);
                }
                let (a, b) = (self.bytes(draft, a, size)?, self.bytes(draft, b, size)?);
                Some(Returned::Value(self.order(draft, &a, &b)))
            }
            ("strcpy", [to, from]) => {
                let from = self.text(draft, from)?;
                self.put_text(draft, to, &from)?;
                Some(Returned::Value(to.address.clone()))
            }
            ("strcat", [to, from]) => {
                let from = self.text(draft, from)?;
                let start = self.text(draft, to)?;
                let end = self.behind_text(draft, &start);
                self.put_text(draft, &end, &from)?;
                Some(Returned::Value(to.address.clone()))
            }
            _ => None,
        })
    }

    /// The most bytes that a string in one of the targets can have, with the zero.
    fn room_for_text(&self, located: &Located) -> u64 {
        let sizes = located.targets.iter().map(|target| match target.object {
            Object::Variable(var) => self.program.types.size(self.program.vars[var].ty),
            _ => 0,
        });
        sizes.max().unwrap_or(0)
    }

    fn text(&mut self, draft: &mut Draft<'_>, located: &Located) -> Result<Text, NotEncoded> {
        let zero = self.number(draft, raw(1), 0);
        let mut reaches = draft.terms.tt();
        let mut text = Text {
            located: located.clone(),
            bytes: Vec::new(),
            reaches: Vec::new(),
            length: self.number(draft, self.pointer(), 0),
        };
        let mut ends = Vec::new();
        for position in 0..self.room_for_text(located) {
            let (byte, valid) = self.peek_at(draft, located, position, (raw(1), None))?;
            let there = draft.terms.implies(reaches, valid);
            draft.add(there);
            text.reaches.push(reaches);
            let term = draft.terms.ite(reaches, byte.term, zero.term);
            text.bytes.push(draft.operand(term, raw(1)));
            let is_end = draft.terms.eq(byte.term, zero.term);
            ends.push(is_end);
            let more = draft.terms.not(is_end);
            reaches = draft.terms.and2(reaches, more);
        }
        // The object is over: so was the string before.
        let over = draft.terms.not(reaches);
        draft.add(over);
        let pointer = self.pointer();
        for (position, is_end) in ends.into_iter().enumerate().rev() {
            let here = self.number(draft, pointer, position as u64);
            let term = draft.terms.ite(is_end, here.term, text.length.term);
            text.length = match draft.theory {
                Theory::Int => Operand::int(term, Interval::new(0, STRING_LIMIT)),
                Theory::Bits => Operand::bits(term),
            };
        }
        Ok(text)
    }

    fn bytes(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        size: u64,
    ) -> Result<Vec<Operand>, NotEncoded> {
        (0..size).map(|position| self.read_at(draft, located, position, raw(1), None)).collect()
    }

    fn number(&self, draft: &mut Draft<'_>, scalar: Scalar, value: u64) -> Operand {
        let term = constant(draft.terms, draft.theory, scalar, u128::from(value));
        match draft.theory {
            Theory::Int => Operand::int(term, Interval::point(value)),
            Theory::Bits => Operand::bits(term),
        }
    }

    /// The difference of the first bytes that differ; behind the last, bytes are zero.
    fn order(&self, draft: &mut Draft<'_>, a: &[Operand], b: &[Operand]) -> Operand {
        let zero = self.number(draft, raw(1), 0);
        let mut result = self.number(draft, INT, 0).term;
        for position in (0..a.len().max(b.len())).rev() {
            let x = a.get(position).unwrap_or(&zero).term;
            let y = b.get(position).unwrap_or(&zero).term;
            let difference = match draft.theory {
                Theory::Int => draft.terms.sub(x, y),
                Theory::Bits => {
                    let (x, y) = (draft.terms.zero_extend(24, x), draft.terms.zero_extend(24, y));
                    draft.terms.bv_sub(x, y)
                }
            };
            let same = draft.terms.eq(x, y);
            result = draft.terms.ite(same, result, difference);
        }
        match draft.theory {
            Theory::Int => Operand::int(result, Interval::new(-255, 255)),
            Theory::Bits => Operand::bits(result),
        }
    }

    /// The address of the first such byte, the zero at the end included; null if there is none.
    fn found(
        &mut self,
        draft: &mut Draft<'_>,
        located: &Located,
        byte: ExprId,
    ) -> Result<Operand, NotEncoded> {
        let scalar = self.scalar_type(self.program.expr_ty(byte))?;
        let byte = draft.value(self, byte)?;
        let byte = match draft.theory {
            Theory::Int => draft.int_cast(scalar, raw(1), &byte),
            Theory::Bits => draft.bits_cast(scalar, raw(1), byte.term),
        };
        let text = self.text(draft, located)?;
        let mut result = self.number(draft, self.pointer(), 0).term;
        for position in (0..text.bytes.len()).rev() {
            let same = draft.terms.eq(text.bytes[position].term, byte.term);
            let here = draft.terms.and2(text.reaches[position], same);
            let address = self.further(draft, &located.address, position as i64);
            result = draft.terms.ite(here, address.term, result);
        }
        Ok(draft.operand(result, self.pointer()))
    }

    /// Writes a string with the zero at its end.
    fn put_text(
        &mut self,
        draft: &mut Draft<'_>,
        to: &Located,
        text: &Text,
    ) -> Result<(), NotEncoded> {
        for (position, byte) in text.bytes.iter().enumerate() {
            let (reaches, at) = (text.reaches[position], position as u64);
            let valid = self.put_at(draft, to, at, (raw(1), None), byte, Some(reaches))?;
            let room = draft.terms.implies(reaches, valid);
            draft.add(room);
        }
        Ok(())
    }

    /// Where the zero at the end of a string is.
    fn behind_text(&self, draft: &mut Draft<'_>, text: &Text) -> Located {
        let start = &text.located.address;
        let address = match draft.theory {
            Theory::Int => {
                let end = draft.terms.add(start.term, text.length.term);
                let interval = start.interval(self.pointer()).add(&Interval::new(0, STRING_LIMIT));
                Operand::int(end, interval)
            }
            Theory::Bits => Operand::bits(draft.terms.bv_add(start.term, text.length.term)),
        };
        Located { address, targets: text.located.targets.clone() }
    }

    /// The length of a string of which only the size of its object is known.
    pub(super) fn any_length(&self, draft: &mut Draft<'_>, pointer: ExprId) -> Option<Operand> {
        let Targets::Known(targets) = self.pointees.of_pointer(pointer) else { return None };
        let mut most = 1;
        for target in targets {
            let Object::Variable(var) = target.object else { return None };
            most = self.program.types.size(self.program.vars[var].ty).max(most);
        }
        let length = draft.unknown("length", self.pointer());
        let zero = self.number(draft, self.pointer(), 0);
        let last = self.number(draft, self.pointer(), most - 1);
        let fits = self.between(draft, zero.term, length.term, last.term);
        draft.add(fits);
        Some(length)
    }
}
