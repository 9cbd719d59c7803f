//! The arguments of `main` as a hosted program gets them (C17 5.1.2.2.1).
//!
//! Inputs say what they like: a null pointer for `argv`, an array that is too short, no end of a string. A run with
//! such arguments is none of the program. So what they say is completed: at least one argument, as many
//! strings as there are arguments, each with its end, and a null pointer behind them; an environment that is
//! not null.

use crate::trace::ArgumentValue;
use crate::types::{Type, TypeId, Types};

/// Most arguments that are made up, and how many there are where inputs say more. It is a run of the program
/// all the same; whoever needs more of them sees that it goes elsewhere.
const MOST: u128 = 4096;
const INSTEAD: u128 = 64;

/// Completes what inputs say, if the parameters are those of a hosted `main`.
pub(crate) fn as_promised(types: &Types, params: &[TypeId], given: &mut [ArgumentValue]) {
    let Some((&count_type, pointers)) = params.split_first() else { return };
    let are_hosted = types.is_integer(count_type)
        && pointers.iter().all(|&ty| types.pointee(ty).is_some_and(|to| is_text(types, to)));
    if !are_hosted {
        return;
    }
    let [ArgumentValue::Bits(count), given @ ..] = given else { return };
    // Negative numbers have large bits.
    let negative = *count >> 31 != 0;
    if negative || *count == 0 {
        *count = 1;
    }
    if *count > MOST {
        *count = INSTEAD;
    }
    let word = u64::from(types.target().pointer_bits() / 8);
    let counts = [*count as u64, 0];
    for (value, count) in given.iter_mut().zip(counts) {
        *value = texts(std::mem::replace(value, ArgumentValue::Null), count, word);
    }
}

/// A pointer to characters.
fn is_text(types: &Types, ty: TypeId) -> bool {
    let to = types.pointee(ty);
    to.is_some_and(|to| matches!(*types.get(to), Type::Int { bits: 8, .. }))
}

/// An array of at least so many strings with a null pointer behind them.
fn texts(value: ArgumentValue, count: u64, word: u64) -> ArgumentValue {
    let said = match value {
        ArgumentValue::Object { pointers, .. } => pointers,
        ArgumentValue::Bits(_) | ArgumentValue::Null => Vec::new(),
    };
    let text = |at: u64| {
        let found = said.iter().find(|(offset, _)| *offset == at * word);
        let mut bytes = match found {
            Some((_, ArgumentValue::Object { bytes, .. })) => bytes.clone(),
            _ => Vec::new(),
        };
        if !bytes.contains(&0) {
            bytes.push(0);
        }
        (at * word, ArgumentValue::Object { bytes, pointers: Vec::new() })
    };
    let bytes = vec![0; ((count + 1) * word) as usize];
    ArgumentValue::Object { bytes, pointers: (0..count).map(text).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Target;

    #[test]
    fn arguments_are_texts_with_a_null_pointer_behind_them() {
        let mut types = Types::new(Target::Lp64);
        let text = types.pointer(Types::I8);
        let texts = types.pointer(text);
        let mut given = [ArgumentValue::Bits(0), ArgumentValue::Null, ArgumentValue::Null];
        as_promised(&types, &[Types::I32, texts, texts], &mut given);
        let empty = ArgumentValue::Object { bytes: vec![0], pointers: Vec::new() };
        let expected = ArgumentValue::Object { bytes: vec![0; 16], pointers: vec![(0, empty)] };
        assert_eq!(given[..2], [ArgumentValue::Bits(1), expected]);
        assert_ne!(given[2], ArgumentValue::Null);
        // Somebody else's convention.
        let mut given = [ArgumentValue::Bits(0), ArgumentValue::Null];
        as_promised(&types, &[Types::I32, text], &mut given);
        assert_eq!(given, [ArgumentValue::Bits(0), ArgumentValue::Null]);
    }
}
