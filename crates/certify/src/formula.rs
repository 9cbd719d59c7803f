//! The formulas of certificates as terms over a state.
//!
//! Formulas over integers speak of the mathematical values of variables. Here an integer is a
//! bit-vector that is wide enough: with it goes the range in which it lies, found from the widths
//! of the variables, so that no operation wraps around. What names nothing in the program, and
//! operators that this reader does not know, make the formula unusable, which is no refusal of the
//! proof.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::{FloatKind, Type, TypeId};
use gnomon_logic::{FloatSort, Integer, Op, Sort, Term};

use crate::certificate::{AliasObject, Formulas, Node, Offset, Theory};
use crate::float::format;
use crate::machine::{Followed, Machine, not_followed};
use crate::state::{Slot, State};

/// So many choices of positions of a block are looked at.
const MAX_INSTANCES: usize = 48;
/// The widest integer that is computed with.
const MAX_WIDTH: u32 = 512;

/// What a node means.
#[derive(Clone, Debug)]
enum Meaning {
    /// A truth value.
    Truth(Term),
    /// An integer: a bit-vector in two's complement, and the range in which it lies.
    Number(Number),
    /// A bit-vector.
    Bits(Term),
    /// A floating-point number.
    Float(Term),
    /// An array in a variable, or all of memory: the elements are read by index.
    Elements(Elements),
}

#[derive(Clone, Debug)]
struct Number {
    term: Term,
    low: Integer,
    high: Integer,
}

/// An array of scalars.
#[derive(Clone, Copy, Debug)]
struct Elements {
    slot: Slot,
    /// Where element 0 is, and how far apart elements are.
    base: u64,
    stride: u64,
    scalar: Scalar,
}

impl Machine<'_> {
    /// A formula over a state.
    pub fn formula(&mut self, state: &State, formulas: &Formulas, root: u32) -> Followed<Term> {
        match self.meaning(state, formulas, root)? {
            Meaning::Truth(term) => Ok(term),
            _ => not_followed("an invariant that is no truth value"),
        }
    }

    fn meaning(&mut self, state: &State, formulas: &Formulas, root: u32) -> Followed<Meaning> {
        let needed = needed(formulas, root)?;
        let mut meanings: Vec<Option<Meaning>> = vec![None; formulas.nodes.len()];
        for at in needed {
            let node = &formulas.nodes[at as usize];
            let meaning = self.node(state, formulas.theory, node, &meanings)?;
            meanings[at as usize] = Some(meaning);
        }
        match meanings[root as usize].take() {
            Some(meaning) => Ok(meaning),
            None => not_followed("an invariant that is missing"),
        }
    }

    fn node(
        &mut self,
        state: &State,
        theory: Theory,
        node: &Node,
        known: &[Option<Meaning>],
    ) -> Followed<Meaning> {
        match node {
            Node::Int(text) => match text.parse::<Integer>() {
                Ok(value) => self.constant(value).map(Meaning::Number),
                Err(_) => not_followed(format!("the number {text}")),
            },
            Node::Bits(text, width) => match text.parse::<Integer>() {
                Ok(value) if *width > 0 => Ok(Meaning::Bits(self.terms.bv(value, *width))),
                _ => not_followed(format!("the bits {text}")),
            },
            Node::Position(name) => Ok(Meaning::Number(self.position(name))),
            Node::BitsPosition(name, width) => self.bits_position(name, *width),
            Node::Variable { function, name } => self.variable(state, theory, *function, name),
            Node::AtEntry { function, name } => match self.at_entry.clone() {
                Some(entry) => self.variable(&entry, theory, *function, name),
                None => not_followed("an invariant about values at an entry"),
            },
            Node::Apply(op, numbers, args) => {
                let mut meanings = Vec::with_capacity(args.len());
                for arg in args {
                    match known.get(*arg as usize) {
                        Some(Some(meaning)) => meanings.push(meaning.clone()),
                        _ => return not_followed("a formula with loops"),
                    }
                }
                self.apply(state, theory, op, numbers, &meanings)
            }
        }
    }

    /// A position: a number of 64 bits.
    fn position(&mut self, name: &str) -> Number {
        let term = match self.positions.get(name) {
            Some(known) => *known,
            None => {
                let any = self.fresh("position", Sort::BitVec(64));
                self.positions.insert(name.to_owned(), any);
                any
            }
        };
        let bound = Integer::from(1) << 63usize;
        Number { term, low: -bound.clone(), high: bound - Integer::from(1) }
    }

    /// A position in bits.
    fn bits_position(&mut self, name: &str, width: u32) -> Followed<Meaning> {
        let term = match self.positions.get(name) {
            Some(known) => *known,
            None => {
                let any = self.fresh("position", Sort::BitVec(width));
                self.positions.insert(name.to_owned(), any);
                any
            }
        };
        match self.terms.sort(term) == Sort::BitVec(width) {
            true => Ok(Meaning::Bits(term)),
            false => not_followed("positions of different widths with one name"),
        }
    }

    /// What a formula over all positions says of some values of them, which are nodes over a state.
    pub fn instantiated(
        &mut self,
        state: &State,
        formulas: &Formulas,
        root: u32,
        instances: &[Vec<(String, u32)>],
    ) -> Followed<Vec<Term>> {
        let mut found = Vec::with_capacity(instances.len());
        for instance in instances {
            let mut chosen: BTreeMap<String, Term> = BTreeMap::new();
            for (name, value) in instance {
                match self.meaning(state, formulas, *value)? {
                    Meaning::Bits(term) => chosen.insert(name.clone(), term),
                    _ => return not_followed("a position that is no bit-vector"),
                };
            }
            let kept = self.positions.clone();
            self.positions.extend(chosen);
            let formula = self.formula(state, formulas, root);
            self.positions = kept;
            found.push(formula?);
        }
        Ok(found)
    }

    /// What a formula over all positions says of those at which the block reads: one formula for
    /// each choice of them. A position is called after its array.
    pub fn instances(
        &mut self,
        state: &State,
        formulas: &Formulas,
        root: u32,
    ) -> Followed<Vec<Term>> {
        let names = formulas.nodes.iter().filter_map(|node| match node {
            Node::Position(name) => Some(name.clone()),
            _ => None,
        });
        let names: BTreeSet<String> = names.collect();
        let mut instances = Vec::new();
        if names.is_empty() {
            return Ok(instances);
        }
        let kept = std::mem::take(&mut self.positions);
        // Each stays as it is, or is one of those that were noted; the last ones first.
        let mut choices: Vec<BTreeMap<String, Term>> = vec![BTreeMap::new()];
        for name in names {
            let mut of_name: Vec<Term> = kept.get(&name).copied().into_iter().collect();
            let slot = self.array_of(state, formulas.theory, &name);
            let noted = self.noted.iter().rev().filter(|(of, _)| of.is_none() || *of == slot);
            for (_, position) in noted {
                if !of_name.contains(position) {
                    of_name.push(*position);
                }
            }
            let mut next = Vec::new();
            for position in of_name {
                for choice in &choices {
                    let mut choice = choice.clone();
                    choice.insert(name.clone(), position);
                    next.push(choice);
                }
            }
            next.truncate(MAX_INSTANCES);
            choices = next;
        }
        for choice in choices {
            if choice != kept {
                self.positions = choice;
                instances.push(self.formula(state, formulas, root)?);
            }
        }
        self.positions = kept;
        Ok(instances)
    }

    /// The array that a position is called after.
    fn array_of(&mut self, state: &State, theory: Theory, position: &str) -> Option<Slot> {
        let (array, _) = position.rsplit_once("!at")?;
        match self.variable(state, theory, None, array) {
            // Others are read by index.
            Ok(Meaning::Elements(elements)) if elements.stride == 1 => Some(elements.slot),
            _ => None,
        }
    }

    fn constant(&mut self, value: Integer) -> Followed<Number> {
        let width = width_of(&value, &value)?;
        Ok(Number { term: self.terms.bv(value.clone(), width), low: value.clone(), high: value })
    }

    /// A value of the program as an integer. In formulas of bits it is the bits.
    fn meaning_of(&mut self, theory: Theory, value: Term, scalar: Scalar) -> Followed<Meaning> {
        if let (Theory::Bits, Scalar::Float(kind)) = (theory, scalar) {
            return Ok(Meaning::Float(self.number_of(format(kind)?, value)));
        }
        if theory == Theory::Bits {
            return Ok(Meaning::Bits(value));
        }
        let Scalar::Int { signed, .. } = (match scalar {
            Scalar::Bool => Scalar::Int { bits: 8, signed: false },
            other => other,
        }) else {
            return not_followed("an invariant about floating-point numbers");
        };
        let width = self.terms.width(value);
        let power = |exponent: u32| Integer::from(1) << exponent as usize;
        let (low, high) = if signed {
            (-power(width - 1), power(width - 1) - Integer::from(1))
        } else {
            (Integer::from(0), power(width) - Integer::from(1))
        };
        let needed = width_of(&low, &high)?;
        let term = self.widened(value, needed, signed);
        Ok(Meaning::Number(Number { term, low, high }))
    }

    fn apply(
        &mut self,
        state: &State,
        theory: Theory,
        op: &str,
        numbers: &[u32],
        args: &[Meaning],
    ) -> Followed<Meaning> {
        match (op, args) {
            ("true", []) => Ok(Meaning::Truth(self.terms.tt())),
            ("false", []) => Ok(Meaning::Truth(self.terms.ff())),
            ("and" | "or" | "not", _) => {
                let truths: Option<Vec<Term>> = args.iter().map(truth).collect();
                let Some(truths) = truths else { return not_followed("an ill-typed formula") };
                Ok(Meaning::Truth(match (op, &truths[..]) {
                    ("and", all) => self.terms.and(all),
                    ("or", any) => self.terms.or(any),
                    (_, [one]) => self.terms.not(*one),
                    _ => return not_followed("an ill-typed formula"),
                }))
            }
            ("=", [Meaning::Truth(a), Meaning::Truth(b)]) => {
                Ok(Meaning::Truth(self.terms.eq(*a, *b)))
            }
            ("=", [Meaning::Bits(a), Meaning::Bits(b)])
                if self.terms.width(*a) == self.terms.width(*b) =>
            {
                Ok(Meaning::Truth(self.terms.eq(*a, *b)))
            }
            ("=" | "<=", [Meaning::Number(a), Meaning::Number(b)]) => {
                let (a, b) = self.same_width(a, b);
                let compared =
                    if op == "=" { self.terms.eq(a, b) } else { self.terms.bv_sle(a, b) };
                Ok(Meaning::Truth(compared))
            }
            ("ite", [Meaning::Truth(c), Meaning::Number(a), Meaning::Number(b)]) => {
                let (ta, tb) = self.same_width(a, b);
                let term = self.terms.ite(*c, ta, tb);
                let (low, high) = (min(&a.low, &b.low), max(&a.high, &b.high));
                Ok(Meaning::Number(Number { term, low, high }))
            }
            ("ite", [Meaning::Truth(c), Meaning::Bits(a), Meaning::Bits(b)])
                if self.terms.width(*a) == self.terms.width(*b) =>
            {
                Ok(Meaning::Bits(self.terms.ite(*c, *a, *b)))
            }
            ("ite", [Meaning::Truth(c), Meaning::Truth(a), Meaning::Truth(b)]) => {
                Ok(Meaning::Truth(self.terms.ite(*c, *a, *b)))
            }
            ("+" | "*", [Meaning::Number(first), rest @ ..]) => {
                let mut sum = first.clone();
                for next in rest {
                    let Meaning::Number(next) = next else {
                        return not_followed("an ill-typed formula");
                    };
                    sum = self.combined(op, &sum, next)?;
                }
                Ok(Meaning::Number(sum))
            }
            ("div" | "mod", [Meaning::Number(a), Meaning::Number(b)]) => {
                self.quotient(op, a, b).map(Meaning::Number)
            }
            ("select", [Meaning::Elements(elements), index]) => {
                self.element(state, theory, *elements, index)
            }
            ("=", [Meaning::Float(a), Meaning::Float(b)])
                if self.terms.sort(*a) == self.terms.sort(*b) =>
            {
                Ok(Meaning::Truth(self.terms.eq(*a, *b)))
            }
            ("fp.eq" | "fp.lt" | "fp.leq", [Meaning::Float(a), Meaning::Float(b)])
                if self.terms.sort(*a) == self.terms.sort(*b) =>
            {
                let op = match op {
                    "fp.eq" => Op::FloatEq,
                    "fp.lt" => Op::FloatLt,
                    _ => Op::FloatLe,
                };
                Ok(Meaning::Truth(self.terms.make(op, &[*a, *b])))
            }
            ("fp.isNaN", [Meaning::Float(a)]) => {
                Ok(Meaning::Truth(self.terms.make(Op::FloatIsNan, &[*a])))
            }
            ("fp.isInfinite", [Meaning::Float(a)]) => {
                Ok(Meaning::Truth(self.terms.make(Op::FloatIsInfinite, &[*a])))
            }
            ("to_fp", [Meaning::Bits(bits)]) => match *numbers {
                [exponent, significand]
                    if exponent.checked_add(significand) == Some(self.terms.width(*bits))
                        && matches!(exponent, 5 | 8 | 11 | 15)
                        && matches!(significand, 11 | 24 | 53 | 113) =>
                {
                    let format = FloatSort { exponent, significand };
                    Ok(Meaning::Float(self.number_of(format, *bits)))
                }
                _ => not_followed("an ill-typed formula"),
            },
            _ => self.apply_bits(op, numbers, args),
        }
    }

    fn same_width(&mut self, a: &Number, b: &Number) -> (Term, Term) {
        let width = self.terms.width(a.term).max(self.terms.width(b.term));
        (self.widened(a.term, width, true), self.widened(b.term, width, true))
    }

    /// A sum or product, in a width in which it fits.
    fn combined(&mut self, op: &str, a: &Number, b: &Number) -> Followed<Number> {
        let (low, high) = if op == "+" {
            (&a.low + &b.low, &a.high + &b.high)
        } else {
            let corners = [&a.low * &b.low, &a.low * &b.high, &a.high * &b.low, &a.high * &b.high];
            let low = corners.iter().min().cloned().unwrap_or_default();
            (low, corners.into_iter().max().unwrap_or_default())
        };
        let width =
            width_of(&low, &high)?.max(self.terms.width(a.term)).max(self.terms.width(b.term));
        let (ta, tb) = (self.widened(a.term, width, true), self.widened(b.term, width, true));
        let term = if op == "+" { self.terms.bv_add(ta, tb) } else { self.terms.bv_mul(ta, tb) };
        Ok(Number { term, low, high })
    }

    /// Division of SMT-LIB by a positive constant: the remainder is never negative.
    fn quotient(&mut self, op: &str, a: &Number, b: &Number) -> Followed<Number> {
        if b.low != b.high || b.low <= Integer::from(0) {
            return not_followed("an invariant with a division by something else than a number");
        }
        let width = self.terms.width(a.term).max(self.terms.width(b.term)) + 1;
        let (ta, tb) = (self.widened(a.term, width, true), self.widened(b.term, width, true));
        let remainder = self.terms.bv_srem(ta, tb);
        let zero = self.terms.bv(0, width);
        let is_negative = self.terms.bv_slt(remainder, zero);
        let moved = self.terms.bv_add(remainder, tb);
        let remainder = self.terms.ite(is_negative, moved, remainder);
        if op == "mod" {
            let (low, high) = (Integer::from(0), &b.high - Integer::from(1));
            return Ok(Number { term: remainder, low, high });
        }
        let even = self.terms.bv_sub(ta, remainder);
        let term = self.terms.bv_sdiv(even, tb);
        let (low, high) = (min(&a.low, &-a.high.clone()), max(&a.high, &-a.low.clone()));
        Ok(Number { term, low, high })
    }

    fn element(
        &mut self,
        state: &State,
        theory: Theory,
        of: Elements,
        index: &Meaning,
    ) -> Followed<Meaning> {
        let index = match index {
            Meaning::Number(number) => self.widened(number.term, 64, true),
            Meaning::Bits(term) => self.widened(*term, 64, false),
            _ => return not_followed("an ill-typed formula"),
        };
        let (base, stride) = (self.terms.bv(of.base, 64), self.terms.bv(of.stride, 64));
        let distance = self.terms.bv_mul(index, stride);
        let at = self.terms.bv_add(base, distance);
        let array = self.value(state, of.slot);
        self.note_position(Some(of.slot), at);
        let value = self.read(array, at, u64::from(of.scalar.width().div_ceil(8)))?;
        self.meaning_of(theory, value, of.scalar)
    }

    fn apply_bits(&mut self, op: &str, numbers: &[u32], args: &[Meaning]) -> Followed<Meaning> {
        let bits: Vec<Term> = args
            .iter()
            .filter_map(|arg| match arg {
                Meaning::Bits(term) => Some(*term),
                _ => None,
            })
            .collect();
        if bits.len() != args.len() {
            return not_followed(format!("an invariant with `{op}`"));
        }
        let t = &mut self.terms;
        let same = |t: &gnomon_logic::Terms, a: Term, b: Term| t.width(a) == t.width(b);
        let term = match (op, &bits[..], numbers) {
            ("bvnot", [a], []) => t.bv_not(*a),
            ("bvneg", [a], []) => t.bv_neg(*a),
            ("concat", [a, b], []) => t.concat(*a, *b),
            ("extract", [a], [high, low]) if high >= low && *high < t.width(*a) => {
                t.extract(*high, *low, *a)
            }
            ("zero_extend", [a], [by]) => t.zero_extend(*by, *a),
            ("sign_extend", [a], [by]) => t.sign_extend(*by, *a),
            (_, [a, b], []) if same(t, *a, *b) => {
                let (a, b) = (*a, *b);
                let truth = match op {
                    "bvule" => Some(t.bv_ule(a, b)),
                    "bvult" => Some(t.bv_ult(a, b)),
                    "bvsle" => Some(t.bv_sle(a, b)),
                    "bvslt" => Some(t.bv_slt(a, b)),
                    _ => None,
                };
                if let Some(truth) = truth {
                    return Ok(Meaning::Truth(truth));
                }
                match op {
                    "bvand" => t.bv_and(a, b),
                    "bvor" => t.bv_or(a, b),
                    "bvxor" => t.bv_xor(a, b),
                    "bvadd" => t.bv_add(a, b),
                    "bvmul" => t.bv_mul(a, b),
                    "bvudiv" => t.bv_udiv(a, b),
                    "bvurem" => t.bv_urem(a, b),
                    "bvsdiv" => t.bv_sdiv(a, b),
                    "bvsrem" => t.bv_srem(a, b),
                    "bvshl" => t.bv_shl(a, b),
                    "bvlshr" => t.bv_lshr(a, b),
                    "bvashr" => t.bv_ashr(a, b),
                    _ => return not_followed(format!("an invariant with `{op}`")),
                }
            }
            // Sums of more than two are folded.
            ("bvadd" | "bvmul" | "bvand" | "bvor" | "bvxor", [first, rest @ ..], []) => {
                let mut all = Meaning::Bits(*first);
                for next in rest {
                    all = self.apply_bits(op, &[], &[all, Meaning::Bits(*next)])?;
                }
                return Ok(all);
            }
            _ => return not_followed(format!("an invariant with `{op}`")),
        };
        Ok(Meaning::Bits(term))
    }

    /// What a name of a formula stands for.
    fn variable(
        &mut self,
        state: &State,
        theory: Theory,
        function: Option<u32>,
        name: &str,
    ) -> Followed<Meaning> {
        let unknown = || crate::machine::Unsupported(format!("an invariant about `{name}`"));
        if name == "heap::end" {
            let end = self.value(state, Slot::HeapEnd);
            return self.meaning_of(theory, end, Scalar::Int { bits: 64, signed: false });
        }
        if name == "heap::begins" && self.remembers {
            let (slot, scalar) = (Slot::Begins, Scalar::Bool);
            return Ok(Meaning::Elements(Elements { slot, base: 0, stride: 1, scalar }));
        }
        if name.contains("[]#") {
            return self.by_address(name).map(Meaning::Elements);
        }
        if let Some(callee) = name.strip_suffix("()") {
            let func = self.program.find_function(callee).ok_or_else(unknown)?;
            let result = self.program.types.signature(self.program.funcs[func].ty);
            let scalar = result.and_then(|result| self.program.types.scalar(result.result));
            let value = self.value(state, Slot::Result(func));
            return self.meaning_of(theory, value, scalar.ok_or_else(unknown)?);
        }
        let (function, name) = match (function, name.split_once("::")) {
            (Some(function), _) => (Some(FuncId(function)), name),
            (None, Some((owner, rest))) => {
                (Some(self.program.find_function(owner).ok_or_else(unknown)?), rest)
            }
            (None, None) => (None, name),
        };
        let (var, path) = find(self.program, function, name).ok_or_else(unknown)?;
        let end = follow(self.program, self.program.vars[var].ty, path).ok_or_else(unknown)?;
        let scalar = self.program.types.scalar(end.ty).ok_or_else(unknown)?;
        let (slot, base) = match self.own_slot(var) {
            Some(slot) => (slot, 0),
            None => {
                let (object, size) = (AliasObject::Variable(var.0), u64::from(scalar.width() / 8));
                let offset = Offset::at(end.offset).repeated(end.stride.unwrap_or(0));
                let part = self.parts.holding(object, offset, size).ok_or_else(unknown)?;
                (Slot::Memory(part), self.layout.variable(var))
            }
        };
        match (slot, end.stride) {
            (Slot::Plain(_), None) if path.is_empty() => {
                let value = self.value(state, slot);
                self.meaning_of(theory, value, scalar)
            }
            (Slot::Plain(_), _) => Err(unknown()),
            (_, Some(stride)) => {
                let base = base + end.offset;
                Ok(Meaning::Elements(Elements { slot, base, stride, scalar }))
            }
            (_, None) => {
                let array = self.value(state, slot);
                let at = self.terms.bv(base + end.offset, 64);
                let value = self.read(array, at, u64::from(scalar.width().div_ceil(8)))?;
                self.meaning_of(theory, value, scalar)
            }
        }
    }

    /// What a name stands for that holds memory by address.
    fn by_address(&mut self, name: &str) -> Followed<Elements> {
        let unknown = || crate::machine::Unsupported(format!("an invariant about `{name}`"));
        let held = self.held.get(name).ok_or_else(unknown)?;
        let scalar = scalar_named(&held.holds).ok_or_else(unknown)?;
        let own = match held.object {
            AliasObject::Variable(var) => {
                let var = self.program.vars.get(VarId(var)).map(|_| VarId(var));
                let var = var.ok_or_else(unknown)?;
                self.own_slot(var).map(|slot| (slot, self.layout.variable(var)))
            }
            AliasObject::Allocated(_) | AliasObject::Outside => None,
        };
        let (slot, base) = match own {
            // Bytes that no pointer reaches are held by offset.
            Some((slot @ Slot::Bytes(_), address)) => (slot, address.wrapping_neg()),
            Some(_) => return Err(unknown()),
            None => {
                let size = u64::from(scalar.width().div_ceil(8));
                let part = self.parts.holding(held.object, held.offset, size);
                (Slot::Memory(part.ok_or_else(unknown)?), 0)
            }
        };
        Ok(Elements { slot, base, stride: 1, scalar })
    }
}

fn truth(meaning: &Meaning) -> Option<Term> {
    match meaning {
        Meaning::Truth(term) => Some(*term),
        _ => None,
    }
}

fn min(a: &Integer, b: &Integer) -> Integer {
    a.min(b).clone()
}

fn max(a: &Integer, b: &Integer) -> Integer {
    a.max(b).clone()
}

/// The bits that two's complement needs for all numbers of a range.
fn width_of(low: &Integer, high: &Integer) -> Followed<u32> {
    let mut width = 1u32;
    let power = |exponent: u32| Integer::from(1) << exponent as usize;
    while *high >= power(width - 1) || *low < -power(width - 1) {
        width += 1;
        if width > MAX_WIDTH {
            return not_followed("an invariant with enormous numbers");
        }
    }
    Ok(width)
}

/// The nodes that a root needs, arguments first. Arguments are earlier nodes.
fn needed(formulas: &Formulas, root: u32) -> Followed<Vec<u32>> {
    let mut wanted = vec![false; formulas.nodes.len()];
    let Some(first) = wanted.get_mut(root as usize) else {
        return not_followed("an invariant that is missing");
    };
    *first = true;
    for at in (0..=root as usize).rev() {
        let (true, Node::Apply(_, _, args)) = (wanted[at], &formulas.nodes[at]) else { continue };
        for &arg in args {
            if arg as usize >= at {
                return not_followed("a formula with loops");
            }
            wanted[arg as usize] = true;
        }
    }
    Ok((0..=root).filter(|at| wanted[*at as usize]).collect())
}

fn scalar_named(name: &str) -> Option<Scalar> {
    let (signed, bits) = match name.split_at_checked(1)? {
        _ if name == "bool" => return Some(Scalar::Bool),
        _ if name == "f32" => return Some(Scalar::Float(FloatKind::F32)),
        _ if name == "f64" => return Some(Scalar::Float(FloatKind::F64)),
        ("i", bits) => (true, bits),
        ("u", bits) => (false, bits),
        _ => return None,
    };
    let bits = bits.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(Scalar::Int { bits, signed })
}

/// The variable whose name is the longest beginning of a way, and the rest of it.
fn find<'n>(
    program: &Program,
    function: Option<FuncId>,
    name: &'n str,
) -> Option<(VarId, &'n str)> {
    let mut best: Option<(VarId, &str)> = None;
    for (var, info) in program.vars.iter_ids() {
        let fits = match info.storage {
            Storage::Static { .. } => function.is_none(),
            Storage::Param(f) | Storage::Local(f) => function == Some(f),
        };
        let Some(rest) = name.strip_prefix(info.name.as_str()).filter(|_| fits) else { continue };
        let at_end = rest.is_empty() || rest.starts_with(['.', '[']);
        if at_end && best.is_none_or(|(_, known)| rest.len() < known.len()) {
            best = Some((var, rest));
        }
    }
    best
}

/// Where a way ends.
struct End {
    ty: TypeId,
    offset: u64,
    /// If the way goes into all elements of an array.
    stride: Option<u64>,
}

/// Follows `.f`, `[3]` and `[]`.
fn follow(program: &Program, ty: TypeId, mut path: &str) -> Option<End> {
    let mut end = End { ty, offset: 0, stride: None };
    while !path.is_empty() {
        if let Some(rest) = path.strip_prefix('[') {
            let (index, rest) = rest.split_once(']')?;
            let Type::Array { elem, .. } = *program.types.get(end.ty) else { return None };
            let size = program.types.size(elem);
            match index {
                "" if end.stride.is_none() => end.stride = Some(size),
                "" => return None,
                number => end.offset += number.parse::<u64>().ok()?.checked_mul(size)?,
            }
            (end.ty, path) = (elem, rest);
            continue;
        }
        let rest = path.strip_prefix('.')?;
        let length = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(length);
        let (_, record) = program.types.as_record(end.ty)?;
        let field = record.fields.iter().find(|field| field.name == name)?;
        if field.bits.is_some() {
            return None;
        }
        end.offset += field.offset;
        (end.ty, path) = (field.ty, rest);
    }
    program.types.is_scalar(end.ty).then_some(end)
}
