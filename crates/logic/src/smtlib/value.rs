//! Values as solvers print them.

use super::sexpr::{Sexpr, Sexprs, Shape};
use crate::Integer;
use crate::number::power_of_two;
use crate::term::value::Value;
use crate::term::{FloatSort, Sort, Terms};
use std::collections::BTreeMap;

/// Reads a value of a sort; `None` if the text is no value we can express.
pub fn parse_value(terms: &Terms, sort: Sort, text: &str) -> Option<Value> {
    let sexprs = Sexprs::parse(text).ok()?;
    let &[root] = sexprs.roots() else { return None };
    read_value(terms, &sexprs, sort, root)
}

/// Reads a value of a sort from an S-expression.
pub(crate) fn read_value(
    terms: &Terms,
    sexprs: &Sexprs<'_>,
    sort: Sort,
    sexpr: Sexpr,
) -> Option<Value> {
    match sort {
        Sort::Bool => match sexprs.atom(sexpr)? {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Sort::Int => Some(Value::Int(read_integer(sexprs, sexpr)?)),
        Sort::BitVec(width) => {
            let (bits, found) = read_bits(sexprs, sexpr)?;
            (found == width).then_some(Value::BitVec { width, bits })
        }
        Sort::Float(sort) => read_float(sexprs, sort, sexpr),
        Sort::Array(array) => {
            let (index_sort, element_sort) = terms.array_parts(array);
            read_array(terms, sexprs, index_sort, element_sort, sexpr)
        }
    }
}

/// `5`, `(- 5)`.
fn read_integer(sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Option<Integer> {
    match sexprs.shape(sexpr) {
        Shape::Atom(word) => word.parse().ok(),
        Shape::List(&[minus, digits]) if sexprs.atom(minus) == Some("-") => {
            Some(-read_integer(sexprs, digits)?)
        }
        Shape::List(_) => None,
    }
}

/// `#x1f`, `#b101`, `(_ bv31 8)`, with the width.
pub(super) fn read_bits(sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Option<(Integer, u32)> {
    if let Some(words) = sexprs.words(sexpr) {
        let ["_", number, width] = words[..] else { return None };
        return Some((number.strip_prefix("bv")?.parse().ok()?, width.parse().ok()?));
    }
    let word = sexprs.atom(sexpr)?;
    let (digits, radix, bits_per_digit) = match word.strip_prefix("#x") {
        Some(digits) => (digits, 16, 4),
        None => (word.strip_prefix("#b")?, 2, 1),
    };
    let width = u32::try_from(digits.len()).ok()? * bits_per_digit;
    Some((Integer::from_str_radix(digits, radix).ok()?, width))
}

/// `(fp sign exponent fraction)`, `(_ NaN 8 24)`, `(_ +oo 8 24)`, `(_ -zero 8 24)`.
fn read_float(sexprs: &Sexprs<'_>, sort: FloatSort, sexpr: Sexpr) -> Option<Value> {
    let list = sexprs.list(sexpr)?;
    if let [head, sign, exponent, fraction] = *list
        && sexprs.atom(head) == Some("fp")
    {
        let mut bits = Integer::ZERO;
        for part in [sign, exponent, fraction] {
            let (value, width) = read_bits(sexprs, part)?;
            bits = (bits << width as usize) + value;
        }
        return Some(Value::float(sort, bits));
    }
    let fraction = sort.significand - 1;
    let infinity = (power_of_two(sort.exponent) - Integer::ONE) << fraction as usize;
    let sign = power_of_two(sort.width() - 1);
    let bits = match sexprs.atom(*list.get(1)?)? {
        "NaN" => return Some(Value::nan(sort)),
        "+oo" => infinity,
        "-oo" => sign + infinity,
        "+zero" => Integer::ZERO,
        "-zero" => sign,
        _ => return None,
    };
    Some(Value::Float { sort, bits })
}

/// Writes into a constant array; the innermost write is read last, so that outer ones win.
fn read_array(
    terms: &Terms,
    sexprs: &Sexprs<'_>,
    index_sort: Sort,
    element_sort: Sort,
    sexpr: Sexpr,
) -> Option<Value> {
    let mut entries = BTreeMap::new();
    let mut rest = sexpr;
    loop {
        let list = sexprs.list(rest)?;
        match *list {
            [store, array, index, element] if sexprs.atom(store) == Some("store") => {
                let index = read_value(terms, sexprs, index_sort, index)?;
                let element = read_value(terms, sexprs, element_sort, element)?;
                entries.entry(index).or_insert(element);
                rest = array;
            }
            // ((as const (Array ..)) default)
            [constant, default] if sexprs.list(constant).is_some() => {
                let default = read_value(terms, sexprs, element_sort, default)?;
                entries.retain(|_, element| *element != default);
                return Some(Value::Array { default: Box::new(default), entries });
            }
            _ => return None,
        }
    }
}
