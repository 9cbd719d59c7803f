//! Terms as C, for people: `x == y - 1`, with as few parentheses as C's grammar allows.
//!
//! The normal forms of the arena are undone: `5 <= x` is shown as `x >= 5`, `x <= y - 1` as
//! `x < y`, a sum with a negative coefficient as a difference, `!(a == b)` as `a != b`. What C has
//! no operator for is shown as a call (`select(a, i)` as `a[i]`). Symbols with an SSA index show it
//! behind an `@`. Numbers that are known as addresses are shown as such (`&x`,
//! [`Terms::name_addresses`]), and elements of memory by their address (`*p`). The printer keeps its own stack: depth does not matter. Large masks and patterns
//! of bit-vectors are shown in hexadecimal.

use super::arena::{Term, Terms};
use super::linear::{Linear, Relation};
use super::op::{Op, Rounding};
use super::sort::Sort;
use crate::Integer;
use crate::number::{power_of_two, to_signed};
use std::fmt;

/// In the names of variables that hold memory by address.
pub(crate) const MEMORY_MARK: &str = "[]#";

/// How tightly C's operators bind, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Conditional,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relational,
    Shift,
    Additive,
    Multiplicative,
    Unary,
    Primary,
}

/// A piece of work of the printer.
enum Item {
    Text(&'static str),
    Owned(String),
    /// A term in a place that admits operators at least this tight.
    Term(Term, Level),
    /// A linear combination in such a place.
    Linear(Linear, Level),
}

/// Shows a term as C; made by [`Terms::display`].
pub struct DisplayC<'a> {
    terms: &'a Terms,
    root: Term,
}

impl Terms {
    /// Shows the integers from `first` on, so many, as addresses in what is called `name`.
    pub fn name_addresses(&mut self, first: impl Into<Integer>, count: u64, name: &str) {
        self.address_names.insert(first.into(), (count, name.to_owned()));
    }

    /// A number as an address, if it is known as one.
    fn address_text(&self, value: &Integer) -> Option<String> {
        let (first, (count, name)) = self.address_names.range(..=value.clone()).next_back()?;
        let offset = u64::try_from(&(value - first)).ok().filter(|offset| offset <= count)?;
        Some(match offset {
            0 => format!("&{name}"),
            _ => format!("((char *)&{name} + {offset})"),
        })
    }

    /// Shows a term as C.
    pub fn display(&self, root: Term) -> DisplayC<'_> {
        DisplayC { terms: self, root }
    }
}

impl fmt::Display for DisplayC<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pending = vec![Item::Term(self.root, Level::Conditional)];
        while let Some(item) = pending.pop() {
            match item {
                Item::Text(text) => f.write_str(text)?,
                Item::Owned(text) => f.write_str(&text)?,
                Item::Term(term, level) => {
                    let (own, items) = self.terms.layout(term);
                    push(&mut pending, own, level, items);
                }
                Item::Linear(linear, level) => {
                    let (own, items) = self.terms.layout_linear(&linear);
                    push(&mut pending, own, level, items);
                }
            }
        }
        Ok(())
    }
}

fn push(pending: &mut Vec<Item>, own: Level, place: Level, items: Vec<Item>) {
    let parentheses = own < place;
    if parentheses {
        pending.push(Item::Text(")"));
    }
    pending.extend(items.into_iter().rev());
    if parentheses {
        pending.push(Item::Text("("));
    }
}

fn infix(level: Level, operator: &'static str, args: &[Term]) -> (Level, Vec<Item>) {
    let tighter = next(level);
    let mut items = Vec::with_capacity(2 * args.len());
    for (position, &arg) in args.iter().enumerate() {
        if position > 0 {
            items.push(Item::Text(operator));
        }
        // All of C's binary operators associate to the left. People misread && inside || and bit
        // operators next to comparisons, but compilers only warn about them: parentheses for both.
        items.push(Item::Term(
            arg,
            if position == 0 { level.max(readable(level)) } else { tighter },
        ));
    }
    (level, items)
}

/// The level an operand must have to be read without thinking.
fn readable(level: Level) -> Level {
    match level {
        Level::LogicalOr => Level::BitOr,
        Level::BitOr | Level::BitXor | Level::BitAnd | Level::Shift => Level::Unary,
        other => other,
    }
}

fn next(level: Level) -> Level {
    let tighter = match level {
        Level::Conditional => Level::LogicalOr,
        Level::LogicalOr => Level::BitOr,
        Level::LogicalAnd => Level::BitOr,
        Level::BitOr | Level::BitXor | Level::BitAnd | Level::Shift => Level::Unary,
        Level::Equality => Level::Relational,
        Level::Relational => Level::Shift,
        Level::Additive => Level::Multiplicative,
        Level::Multiplicative => Level::Unary,
        Level::Unary | Level::Primary => Level::Primary,
    };
    tighter.max(readable(level))
}

fn call(name: String, args: &[Term]) -> (Level, Vec<Item>) {
    let mut items = vec![Item::Owned(name), Item::Text("(")];
    for (position, &arg) in args.iter().enumerate() {
        if position > 0 {
            items.push(Item::Text(", "));
        }
        items.push(Item::Term(arg, Level::Conditional));
    }
    items.push(Item::Text(")"));
    (Level::Primary, items)
}

fn number(value: &Integer) -> (Level, Vec<Item>) {
    let level = if *value < Integer::ZERO { Level::Unary } else { Level::Primary };
    (level, vec![Item::Owned(value.to_string())])
}

/// Bit patterns: small and nearly all-ones ones as signed numbers, others in hexadecimal.
fn bits(value: &Integer, width: u32) -> (Level, Vec<Item>) {
    let signed = to_signed(value, width);
    let small = Integer::from(-4096) <= signed && signed < Integer::from(4096);
    let power = *value > Integer::from(255)
        && (value & (value + Integer::ONE)) == Integer::ZERO
        && *value != power_of_two(width) - Integer::ONE;
    if small && !power {
        return number(&signed);
    }
    (Level::Primary, vec![Item::Owned(format!("0x{value:x}"))])
}

impl Terms {
    fn layout(&self, term: Term) -> (Level, Vec<Item>) {
        let args = self.args(term);
        match (self.op(term), args) {
            (Op::True, _) => (Level::Primary, vec![Item::Text("true")]),
            (Op::False, _) => (Level::Primary, vec![Item::Text("false")]),
            (Op::Int(id), _) => match self.address_text(self.number(id)) {
                Some(address) => (Level::Unary, vec![Item::Owned(address)]),
                None => number(self.number(id)),
            },
            (Op::BitVec(id), _) => match self.address_text(self.number(id)) {
                Some(address) => (Level::Unary, vec![Item::Owned(address)]),
                None => bits(self.number(id), self.width(term)),
            },
            (Op::Symbol(symbol), _) => {
                let name = &self.variable_info(symbol.variable).name;
                let text = match symbol.index {
                    Some(index) => format!("{name}@{index}"),
                    None => name.to_string(),
                };
                (Level::Primary, vec![Item::Owned(text)])
            }
            (Op::Apply(function), _) => call(self.function_info(function).name.to_string(), args),
            (Op::Not, &[a]) => self.layout_not(a),
            (Op::And, _) => infix(Level::LogicalAnd, " && ", args),
            (Op::Or, _) => infix(Level::LogicalOr, " || ", args),
            (Op::Ite, &[condition, then, other]) => (
                Level::Conditional,
                vec![
                    Item::Term(condition, Level::LogicalOr),
                    Item::Text(" ? "),
                    Item::Term(then, Level::Conditional),
                    Item::Text(" : "),
                    Item::Term(other, Level::Conditional),
                ],
            ),
            (Op::Eq, &[a, b]) => self.layout_eq(term, a, b, " == "),
            (Op::Le, _) => self.layout_le(term),
            (Op::Add | Op::Mul, _) => self.layout_sum(term),
            (Op::Div, _) => infix(Level::Multiplicative, " / ", args),
            (Op::Mod, _) => infix(Level::Multiplicative, " % ", args),
            (Op::BvUle | Op::BvSle | Op::FloatLe, _) => infix(Level::Relational, " <= ", args),
            (Op::BvUlt | Op::BvSlt | Op::FloatLt, _) => infix(Level::Relational, " < ", args),
            (Op::FloatEq, _) => infix(Level::Equality, " == ", args),
            (Op::BvAnd, _) => infix(Level::BitAnd, " & ", args),
            (Op::BvOr, _) => infix(Level::BitOr, " | ", args),
            (Op::BvXor, _) => infix(Level::BitXor, " ^ ", args),
            (Op::BvAdd, &[a, b]) => self.layout_bv_add(a, b),
            (Op::FloatAdd, _) => infix(Level::Additive, " + ", args),
            (Op::FloatSub, _) => infix(Level::Additive, " - ", args),
            (Op::BvMul | Op::FloatMul, _) => infix(Level::Multiplicative, " * ", args),
            (Op::BvUdiv | Op::BvSdiv | Op::FloatDiv, _) => {
                infix(Level::Multiplicative, " / ", args)
            }
            (Op::BvUrem | Op::BvSrem, _) => infix(Level::Multiplicative, " % ", args),
            (Op::BvShl, _) => infix(Level::Shift, " << ", args),
            (Op::BvLshr | Op::BvAshr, _) => infix(Level::Shift, " >> ", args),
            (Op::BvNot, &[a]) => prefix("~", a),
            (Op::BvNeg | Op::FloatNeg, &[a]) => prefix("-", a),
            (Op::ZeroExtend(_) | Op::SignExtend(_), &[a]) => {
                let signed = matches!(self.op(term), Op::SignExtend(_));
                let width = self.width(term);
                let cast = if signed { format!("(i{width})") } else { format!("(u{width})") };
                (Level::Unary, vec![Item::Owned(cast), Item::Term(a, Level::Unary)])
            }
            (Op::Extract { high, low: 0 }, &[a]) => {
                let cast = format!("(u{})", high + 1);
                (Level::Unary, vec![Item::Owned(cast), Item::Term(a, Level::Unary)])
            }
            (Op::Extract { high, low }, _) => call(format!("bits_{high}_{low}"), args),
            (Op::Select, &[array, index]) if self.is_memory(array) => {
                (Level::Unary, vec![Item::Text("*"), Item::Term(index, Level::Unary)])
            }
            (Op::Select, &[array, index]) => (
                Level::Primary,
                vec![
                    Item::Term(array, Level::Primary),
                    Item::Text("["),
                    Item::Term(index, Level::Conditional),
                    Item::Text("]"),
                ],
            ),
            (Op::Store, _) => call("store".into(), args),
            (Op::Concat, _) => call("concat".into(), args),
            (Op::ConstArray(_), _) => call("all".into(), args),
            (Op::FloatFromBits(_), _) => call("float_of_bits".into(), args),
            (Op::FloatAbs, _) => call("fabs".into(), args),
            (Op::FloatSqrt, _) => call("sqrt".into(), args),
            (Op::FloatFma, _) => call("fma".into(), args),
            (Op::FloatRem, _) => call("remainder".into(), args),
            (Op::FloatRound(rounding), _) => call(rounding_function(rounding).into(), args),
            (Op::FloatIsNan, _) => call("isnan".into(), args),
            (Op::FloatIsInfinite, _) => call("isinf".into(), args),
            (op, _) => call(format!("{op:?}").split(['(', ' ']).next().unwrap_or("").into(), args),
        }
    }

    /// Whether a term is memory by address, and as it is at present.
    fn is_memory(&self, array: Term) -> bool {
        self.as_symbol(array).is_some_and(|symbol| {
            symbol.index.is_none() && self.variable_info(symbol.variable).name.contains(MEMORY_MARK)
        })
    }

    fn layout_not(&self, a: Term) -> (Level, Vec<Item>) {
        match (self.op(a), self.args(a)) {
            (Op::Eq, &[l, r]) => self.layout_eq(a, l, r, " != "),
            (Op::FloatEq, args) => infix(Level::Equality, " != ", args),
            _ => prefix("!", a),
        }
    }

    fn layout_eq(
        &self,
        atom: Term,
        a: Term,
        b: Term,
        operator: &'static str,
    ) -> (Level, Vec<Item>) {
        if self.sort(a) != Sort::Int {
            return infix(Level::Equality, operator, &[a, b]);
        }
        let Some((linear, _)) = self.linear_atom(atom) else {
            return infix(Level::Equality, operator, &[a, b]);
        };
        let (left, right) = self.sides(&linear, Relation::EqZero);
        self.comparison(Level::Equality, operator, left, right)
    }

    /// `x <= y - 1` is shown as `x < y`, `5 <= x` as `x >= 5`, `6 <= x` stays `x >= 6`.
    fn layout_le(&self, term: Term) -> (Level, Vec<Item>) {
        let Some((linear, _)) = self.linear_atom(term) else {
            return infix(Level::Relational, " <= ", self.args(term));
        };
        let (mut left, mut right) = self.sides(&linear, Relation::LeZero);
        let strict = !left.is_constant()
            && !right.is_constant()
            && (right.constant == -Integer::ONE || left.constant == Integer::ONE);
        let mut operator = if strict { " < " } else { " <= " };
        if strict {
            left.constant = Integer::ZERO;
            right.constant = Integer::ZERO;
        }
        if left.is_constant() {
            std::mem::swap(&mut left, &mut right);
            operator = " >= ";
        }
        self.comparison(Level::Relational, operator, left, right)
    }

    fn comparison(
        &self,
        level: Level,
        operator: &'static str,
        left: Linear,
        right: Linear,
    ) -> (Level, Vec<Item>) {
        let items = vec![
            Item::Linear(left, Level::Additive),
            Item::Text(operator),
            Item::Linear(right, Level::Additive),
        ];
        (level, items)
    }

    /// Splits `linear ~ 0` into two sides: single variables left, the rest right.
    fn sides(&self, linear: &Linear, relation: Relation) -> (Linear, Linear) {
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (term, coefficient) in &linear.monomials {
            let first = left.is_constant() && relation == Relation::EqZero;
            if *coefficient > Integer::ZERO || (first && linear.monomials.len() == 1) {
                left.monomials.push((*term, coefficient.clone()));
            } else {
                right.monomials.push((*term, -coefficient));
            }
        }
        if left.is_constant() && relation == Relation::EqZero {
            std::mem::swap(&mut left, &mut right);
            right.constant = linear.constant.clone();
        } else {
            right.constant = -&linear.constant;
        }
        if relation == Relation::EqZero && left.monomials.len() > 1 && right.monomials.len() == 1 {
            // z == x + y reads better than x + y == z.
            left.constant = -&right.constant;
            right.constant = Integer::ZERO;
            std::mem::swap(&mut left, &mut right);
        }
        if right.is_constant() || relation == Relation::EqZero {
            return (left, right);
        }
        if left.is_constant() {
            left.constant = -&right.constant;
            right.constant = Integer::ZERO;
        } else if right.constant < -Integer::ONE {
            // x + 2 <= y rather than x <= y - 2.
            left.constant = -&right.constant;
            right.constant = Integer::ZERO;
        }
        (left, right)
    }

    fn layout_sum(&self, term: Term) -> (Level, Vec<Item>) {
        if self.op(term) == Op::Mul && self.value(self.arg(term, 0)).is_none() {
            return infix(Level::Multiplicative, " * ", self.args(term));
        }
        self.layout_linear(&self.linear(term))
    }

    fn layout_linear(&self, linear: &Linear) -> (Level, Vec<Item>) {
        let negative = |c: &Integer| *c < Integer::ZERO;
        // Positive summands first, so that the text does not start with a sign needlessly.
        let (minus, plus): (Vec<_>, Vec<_>) =
            linear.monomials.iter().partition(|(_, c)| negative(c));
        let constant = &linear.constant;
        let constant_first = plus.is_empty() && *constant > Integer::ZERO;
        let mut summands: Vec<(Option<Term>, &Integer)> = Vec::new();
        if constant_first {
            summands.push((None, constant));
        }
        summands.extend(plus.iter().chain(&minus).map(|(t, c)| (Some(*t), c)));
        if !constant_first && (*constant != Integer::ZERO || summands.is_empty()) {
            summands.push((None, constant));
        }
        if let [(Some(term), coefficient)] = summands[..]
            && *coefficient == Integer::ONE
        {
            return self.layout(term);
        }
        let mut items = Vec::new();
        for (position, (term, coefficient)) in summands.iter().enumerate() {
            let sign = match (position, negative(coefficient)) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            items.push(Item::Text(sign));
            let magnitude = crate::number::abs(coefficient);
            match term {
                None => {
                    let address = self.address_text(&magnitude);
                    items.push(Item::Owned(address.unwrap_or_else(|| magnitude.to_string())));
                }
                Some(term) if magnitude == Integer::ONE => {
                    items.push(Item::Term(*term, Level::Multiplicative));
                }
                Some(term) => {
                    items.push(Item::Owned(format!("{magnitude} * ")));
                    items.push(Item::Term(*term, Level::Unary));
                }
            }
        }
        let level = match summands[..] {
            [(None, value)] if !negative(value) => Level::Primary,
            [(None, _)] => Level::Unary,
            [_] => Level::Multiplicative,
            _ => Level::Additive,
        };
        (level, items)
    }

    /// `a + (-b)` is shown as `a - b`, and a sum with a negative constant as a difference.
    fn layout_bv_add(&self, a: Term, b: Term) -> (Level, Vec<Item>) {
        for (left, right) in [(a, b), (b, a)] {
            if self.op(right) == Op::BvNeg {
                return infix(Level::Additive, " - ", &[left, self.arg(right, 0)]);
            }
        }
        if let Some(value) = self.value(b) {
            let signed = to_signed(value, self.width(b));
            if signed < Integer::ZERO && signed > Integer::from(-4096) {
                let items =
                    vec![Item::Term(a, Level::Additive), Item::Owned(format!(" - {}", -signed))];
                return (Level::Additive, items);
            }
        }
        infix(Level::Additive, " + ", &[a, b])
    }
}

fn prefix(operator: &'static str, a: Term) -> (Level, Vec<Item>) {
    (Level::Unary, vec![Item::Text(operator), Item::Term(a, Level::Primary)])
}
/// The function of C that rounds to an integer so.
fn rounding_function(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "roundeven",
        Rounding::NearestAway => "round",
        Rounding::TowardZero => "trunc",
        Rounding::Up => "ceil",
        Rounding::Down => "floor",
    }
}
