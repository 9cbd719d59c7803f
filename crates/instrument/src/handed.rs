//! Pointers that are handed to functions which nobody executes: what the functions access behind them must be there.
//!
//! What the function does with a pointer is not seen by an execution, so all of this is no error that one could show.

use gnomon_ir::cfa::{Call, Callee};
use gnomon_ir::expr::{BinaryOp, ExprId, PlaceKind};
use gnomon_ir::library::{plain_name, scans};
use gnomon_ir::program::{InitItem, Program, Storage, source_name};
use gnomon_ir::types::{FloatKind, Type};

use crate::conditions::Conditions;
use crate::contracts::{Accessed, Use, fills, uses};
use crate::describe;
use crate::located::{Distance, Located, Root};
use crate::memory::{Reach, is_number};
use crate::pointers::{Object, Pointee};

impl Conditions<'_> {
    /// A pointer that a function without a body gets: null, or to a living object.
    pub(crate) fn handed_out(&mut self, arg: ExprId) {
        let ty = self.program.expr_ty(arg);
        let Some(memory) = self.memory.filter(|_| self.program.types.is_pointer(ty)) else {
            return;
        };
        let located = Located::pointer(self.program, arg);
        let Root::Pointer(pointer) = located.root else { return };
        let pointees = memory.pointers.pointees(self.program, arg);
        let is_code = |to: &Pointee| matches!(to.object, Object::Function(_));
        // Functions and what came from outside may go there again.
        if pointees.is_none_or(|pointees| pointees.iter().any(is_code))
            || is_number(self.program, pointer)
        {
            return;
        }
        let text = describe::expr(self.program, &self.temporaries, arg);
        let null = self.program.zero(ty);
        let is_some = self.program.binary(BinaryOp::Ne, arg, null);
        let reach = Reach { located, count: 0, more: Some(is_some), is_write: false };
        self.reach_as(&reach, &text, false);
    }

    /// What a function of the C library accesses that nobody executes in full.
    pub(crate) fn known_uses(&mut self, call: &Call) {
        let Callee::Direct(func) = call.callee else { return };
        let Some(uses) = uses(self.program, func).filter(|_| self.memory.is_some()) else { return };
        let name = source_name(&self.program.funcs[func].name).to_owned();
        let formatted = scanned(self.program, plain_name(&name), &call.args);
        for (number, &arg) in call.args.iter().enumerate() {
            // The function says of its own arguments only whether they may be null.
            let may_be_null = formatted.is_none() && uses_at(&uses, number).or_null;
            if !self.program.types.is_pointer(self.program.expr_ty(arg))
                || self.program.as_int(arg) == Some(0) && may_be_null
            {
                continue;
            }
            match &formatted {
                Some(_) if number == 0 && plain_name(&name) == "fscanf" => {
                    self.stream(arg, &name);
                }
                None => self.known_use(uses_at(&uses, number), arg, &call.args, &name),
                Some(sizes) => match sizes.get(number) {
                    Some(&Some(size)) => self.object_at(arg, size, false, &name),
                    _ => self.not_followed(&name),
                },
            }
        }
    }

    fn known_use(&mut self, used: Use, arg: ExprId, args: &[ExprId], name: &str) {
        let Some(memory) = self.memory else { return };
        let pointee = self.program.types.pointee(self.program.expr_ty(arg));
        let size = pointee.map_or(1, |ty| self.program.types.size(ty).max(1));
        match used.accessed {
            Accessed::Nothing => {}
            Accessed::Text => match self.is_constant_text(arg) {
                true => self.object_at(arg, 1, used.or_null, name),
                false => self.not_followed(name),
            },
            Accessed::Object => self.object_at(arg, size, used.or_null, name),
            // Standard streams come from outside, and null is to be told from them only by a proof.
            Accessed::Handle if memory.pointers.pointees(self.program, arg).is_none() => {}
            Accessed::Handle => self.object_at(arg, 1, used.or_null, name),
            Accessed::Bytes(count) => match args.get(count) {
                Some(&count) => self.range_as(arg, count, fills(name), name, false),
                None => self.not_followed(name),
            },
            Accessed::Product(one, other) => match (args.get(one), args.get(other)) {
                (Some(&one), Some(&other)) => {
                    match (self.program.as_int(one), self.program.as_int(other)) {
                        (Some(1), _) => self.range_as(arg, other, fills(name), name, false),
                        (_, Some(1)) => self.range_as(arg, one, fills(name), name, false),
                        (Some(one), Some(other)) => {
                            match u64::try_from(one.saturating_mul(other)) {
                                Ok(size) => self.object_at(arg, size, false, name),
                                Err(_) => self.not_followed(name),
                            }
                        }
                        _ => self.not_followed(name),
                    }
                }
                _ => self.not_followed(name),
            },
            Accessed::Something => {
                let is_record =
                    pointee.is_some_and(|ty| matches!(self.program.types.get(ty), Type::Record(_)));
                match is_record {
                    true => self.object_at(arg, size, used.or_null, name),
                    false => self.not_followed(name),
                }
            }
        }
    }

    fn not_followed(&mut self, name: &str) {
        self.unproved("what the function accesses is not followed", &format!("{name}(...)"));
    }

    /// So many bytes behind an argument; perhaps it is null.
    fn object_at(&mut self, arg: ExprId, size: u64, or_null: bool, name: &str) {
        let text = describe::expr(self.program, &self.temporaries, arg);
        let text = format!("{name}: {text}");
        let located = Located::pointer(self.program, arg);
        let is_open = or_null && matches!(located.root, Root::Pointer(_));
        let reach = Reach { located, count: i128::from(size), more: None, is_write: false };
        // Nothing at all if it is null.
        let guard = is_open.then(|| {
            let null = self.program.zero(self.program.expr_ty(arg));
            self.program.binary(BinaryOp::Ne, arg, null)
        });
        self.reach_if(guard, &reach, &text, false);
    }

    /// A number behind an argument that a function of `<math.h>` writes.
    pub(crate) fn written_number(&mut self, arg: ExprId, name: &str) {
        let Some(to) = self.program.types.pointee(self.program.expr_ty(arg)) else { return };
        let size = self.program.types.size(to).max(1);
        self.object_at(arg, size, false, name);
    }

    /// A stream that something is printed to.
    pub(crate) fn stream(&mut self, arg: ExprId, name: &str) {
        let Some(memory) = self.memory else { return };
        let pointee = self.program.types.pointee(self.program.expr_ty(arg));
        let is_stream =
            pointee.is_some_and(|to| matches!(self.program.types.get(to), Type::Record(_)));
        if is_stream && memory.pointers.pointees(self.program, arg).is_some() {
            self.object_at(arg, 1, name == "fflush", name);
        }
    }

    /// Pointers that are compared: one to an object that is gone may be that of a newer one (C17 6.2.4p2), which
    /// no execution here shows.
    pub(crate) fn memory_compared(&mut self, a: ExprId, b: ExprId) {
        let Some(memory) = self.memory else { return };
        let null = |program: &Program, e| program.as_int(e) == Some(0);
        if null(self.program, a) || null(self.program, b) {
            return;
        }
        for e in [a, b] {
            if !self.program.types.is_pointer(self.program.expr_ty(e)) {
                continue;
            }
            let pointees = memory.pointers.pointees(self.program, e).unwrap_or_default();
            let gone = pointees.iter().any(|to| match to.object {
                Object::Variable(_) => memory.pointers.may_outlive(to.object),
                Object::Allocated(..) => memory.frees || memory.pointers.may_outlive(to.object),
                Object::Function(_) => false,
            });
            if gone {
                let text = describe::expr(self.program, &self.temporaries, e);
                let located = Located::pointer(self.program, e);
                let zero = self.program.zero(self.program.expr_ty(e));
                let guard = self.program.binary(BinaryOp::Ne, e, zero);
                let reach = Reach { located, count: 0, more: None, is_write: false };
                self.reach_if(Some(guard), &reach, &text, false);
            }
        }
    }
}

/// The last use counts for all further arguments.
fn uses_at(uses: &[Use], number: usize) -> Use {
    let none = Use { accessed: Accessed::Nothing, or_null: true };
    uses.get(number).or(uses.last()).copied().unwrap_or(none)
}

/// The sizes of what `scanf` and its relatives access behind their arguments: known for numbers and for strings of the
/// program. `None` if the function is none of them.
fn scanned(program: &mut Program, plain: &str, args: &[ExprId]) -> Option<Vec<Option<u64>>> {
    if !scans(plain) {
        return None;
    }
    let at = usize::from(plain != "scanf");
    let mut sizes = vec![None; at];
    if plain == "sscanf" && string(program, args[0]).is_some() {
        sizes[0] = Some(1);
    }
    let format = args.get(at).and_then(|&arg| string(program, arg));
    sizes.push(format.as_ref().map(|_| 1));
    let mut rest = format.unwrap_or_default().into_iter();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut long = 0i32;
        let mut stored = true;
        let mut width = 0u64;
        let conversion = loop {
            match rest.next() {
                Some(b'l' | b'j' | b'z' | b't' | b'q') => long += 1,
                Some(b'L') => long += 2,
                Some(b'h') => long -= 1,
                Some(b'*') => stored = false,
                Some(digit @ b'0'..=b'9') => {
                    width = width.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
                }
                other => break other,
            }
        };
        let word = u64::from(program.types.target().pointer_bits() / 8);
        let size = match (conversion, long) {
            (Some(b'%'), _) => continue,
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'n'), -2) => Some(1),
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'n'), -1) => Some(2),
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'n'), 0) => Some(4),
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'n'), 1) => Some(word),
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'n'), _) => Some(8),
            (Some(b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'F' | b'A'), 0) => Some(4),
            (Some(b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'F' | b'A'), 1) => Some(8),
            (Some(b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'F' | b'A'), _) => {
                Some(program.types.float_size(FloatKind::X87))
            }
            (Some(b'c'), 0) => Some(width.max(1)),
            (Some(b's'), 0) if width > 0 => Some(width.saturating_add(1)),
            (Some(b'p'), 0) => Some(word),
            // Sets of characters, and strings of any length.
            _ => None,
        };
        if stored {
            sizes.push(size);
        }
        if size.is_none() {
            break;
        }
    }
    Some(sizes)
}

/// The bytes of a constant string at whose beginning a pointer points.
fn string(program: &mut Program, arg: ExprId) -> Option<Vec<u8>> {
    let located = Located::pointer(program, arg);
    let Root::Variable(var) = located.root else { return None };
    let Storage::Static { init: Some(init), read_only: true, .. } = &program.vars[var].storage
    else {
        return None;
    };
    let [InitItem::Bytes { place, bytes }] = &init.items[..] else { return None };
    let whole = matches!(program.exprs.place(*place).kind, PlaceKind::Var(_));
    (whole && located.distance == Distance::default()).then(|| bytes.to_vec())
}
