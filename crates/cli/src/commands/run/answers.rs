//! Answers as users write them: numbers in order, and arguments of the entry function by name.

use std::collections::BTreeMap;

use gnomon_ir::interp::{Asked, InputSource};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{TypeId, Types};

use crate::exit::Failure;

/// A number whose type is known only when it is asked for.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    /// A whole number.
    Whole(i128),
    /// Anything else that is a number: as it was written.
    Fraction(String),
}

/// Answers from a list; when it ends, the run ends.
#[derive(Debug)]
pub struct AnswerSource {
    arguments: BTreeMap<String, Answer>,
    values: std::vec::IntoIter<Answer>,
}

impl AnswerSource {
    /// From `VALUE` and `NAME=VALUE`.
    pub fn new(list: &[String]) -> Result<Self, Failure> {
        let (mut arguments, mut values) = (BTreeMap::new(), Vec::new());
        for item in list.iter().map(|item| item.trim()).filter(|item| !item.is_empty()) {
            let (name, number) = match item.split_once('=') {
                Some((name, number)) => (Some(name.trim()), number.trim()),
                None => (None, item),
            };
            let answer = answer(number).ok_or_else(|| {
                Failure::error(format!("`{item}`: expected a number or NAME=NUMBER"))
            })?;
            match name {
                Some(name) => {
                    arguments.insert(name.to_owned(), answer);
                }
                None => values.push(answer),
            }
        }
        Ok(Self { arguments, values: values.into_iter() })
    }
}

impl InputSource for AnswerSource {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        bits(asked.scalar, &self.values.next()?)
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        match self.values.next()? {
            Answer::Whole(edge) => u32::try_from(edge).ok().filter(|&edge| edge < open),
            Answer::Fraction(_) => None,
        }
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        let answer = self.arguments.get(name)?;
        let bits = bits(types.scalar(ty)?, answer)?;
        Some(match bits {
            0 if types.is_pointer(ty) => ArgumentValue::Null,
            _ => ArgumentValue::Bits(bits),
        })
    }
}

/// Whole numbers in decimal, hexadecimal, as a character; or something with a point or exponent.
fn answer(text: &str) -> Option<Answer> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let whole = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16).ok().map(|value| value as i128),
        None => digits.parse::<u128>().ok().map(|value| value as i128),
    };
    if let Some(value) = whole {
        return Some(Answer::Whole(if negative { value.wrapping_neg() } else { value }));
    }
    if let ['\'', c, '\''] = text.chars().collect::<Vec<char>>()[..] {
        return Some(Answer::Whole(i128::from(u32::from(c))));
    }
    let is_number = ops::parse_float(gnomon_ir::types::FloatKind::F128, text).is_some();
    is_number.then(|| Answer::Fraction(text.to_owned()))
}

/// The number in the type that is asked for.
fn bits(scalar: Scalar, answer: &Answer) -> Option<u128> {
    match (scalar, answer) {
        (Scalar::Float(kind), Answer::Whole(value)) => ops::parse_float(kind, &value.to_string()),
        (Scalar::Float(kind), Answer::Fraction(text)) => ops::parse_float(kind, text),
        (Scalar::Bool, Answer::Whole(value)) => Some(u128::from(*value != 0)),
        (_, Answer::Whole(value)) => Some(ops::truncate(*value as u128, scalar.width())),
        (_, Answer::Fraction(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::types::FloatKind;

    #[test]
    fn numbers_in_all_forms() {
        assert_eq!(answer("-12"), Some(Answer::Whole(-12)));
        assert_eq!(answer("0xff"), Some(Answer::Whole(255)));
        assert_eq!(answer("'a'"), Some(Answer::Whole(97)));
        assert_eq!(answer("1.5"), Some(Answer::Fraction("1.5".into())));
        assert_eq!(answer("five"), None);
        assert_eq!(answer(""), None);
    }

    #[test]
    fn the_type_that_is_asked_for_decides() {
        let byte = Scalar::Int { bits: 8, signed: true };
        assert_eq!(bits(byte, &Answer::Whole(-1)), Some(255));
        assert_eq!(bits(Scalar::Bool, &Answer::Whole(7)), Some(1));
        let double = Scalar::Float(FloatKind::F64);
        assert_eq!(bits(double, &Answer::Whole(2)), Some(u128::from(2f64.to_bits())));
        assert_eq!(bits(byte, &Answer::Fraction("1.5".into())), None);
    }
}
