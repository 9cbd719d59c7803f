//! Terms as circuits.
//!
//! Every Boolean term becomes a literal, every bit-vector and every floating-point number
//! ([`super::float`]) a word, once: what is shared in a formula
//! is shared in the circuit. Arrays never become bits as a whole. A read is pushed through writes,
//! choices and constant arrays (`select(store(a, i, v), j)` is `v` where `i == j`, else a read of
//! `a`), and what is read of an array symbol, or of an uninterpreted function, is a new word for each
//! different index, equal for equal indices (Ackermann's reduction).
//!
//! Equality of arrays and integers are not here: a formula with them is refused by name.

use super::float;
use super::gates::{Assignment, Gates, Lit};
use super::words::Word;
use crate::Integer;
use crate::solver::client;
use crate::term::{Function, Op, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What cannot be said in bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be said in bits")]
pub struct NotInBits(pub String);

/// More gates than these are too much memory.
const MOST_GATES: usize = 2_500_000;

/// The work of a new gate, and how many are made between two looks at the limits.
const GATE_WORK: u64 = 1;
const GATES_PER_CHECK: usize = 20_000;

/// Which unknown is read: of an array symbol or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Unknown {
    Array(Symbol),
    Function(Function),
}

/// A place of an unknown, and what is there.
#[derive(Clone, Debug)]
struct Entry {
    indices: Vec<Word>,
    value: Word,
}

/// Terms of one arena as circuits.
#[derive(Debug, Default)]
pub struct Blaster {
    /// The circuit.
    pub gates: Gates,
    words: FxHashMap<Term, Word>,
    reads: FxHashMap<(Term, Vec<Word>), Word>,
    unknowns: FxHashMap<Unknown, Vec<Entry>>,
    places: FxHashMap<(Unknown, Vec<Word>), usize>,
    /// What must hold of unknowns: equal indices, equal values. To be asserted.
    pub constraints: Vec<Lit>,
}

impl Blaster {
    /// The literal of a Boolean term.
    pub fn literal(&mut self, terms: &Terms, formula: Term) -> Result<Lit, NotInBits> {
        let word = self.word(terms, formula)?;
        word.first().copied().ok_or_else(|| NotInBits("a term without bits".into()))
    }

    /// The bits of a term, if they are known already.
    pub fn known(&self, term: Term) -> Option<&Word> {
        self.words.get(&term)
    }

    /// The bits of a term; arrays have none.
    pub fn word(&mut self, terms: &Terms, root: Term) -> Result<Word, NotInBits> {
        let mut pending = vec![root];
        let mut charged = self.gates.count();
        while let Some(&term) = pending.last() {
            if self.words.contains_key(&term) {
                pending.pop();
                continue;
            }
            let waiting = pending.len();
            let unknown = terms.args(term).iter().filter(|arg| !self.words.contains_key(arg));
            pending.extend(unknown);
            if pending.len() == waiting {
                if self.gates.count() > MOST_GATES {
                    return Err(NotInBits("so large a formula".into()));
                }
                let new = self.gates.count() - charged;
                if new >= GATES_PER_CHECK {
                    charged += new;
                    if client::spend(new as u64 * GATE_WORK).is_err() {
                        return Err(NotInBits("a formula of that size, within the limits,".into()));
                    }
                }
                let word = self.make(terms, term)?;
                self.words.insert(term, word);
                pending.pop();
            }
        }
        client::charge((self.gates.count() - charged) as u64 * GATE_WORK);
        Ok(self.words[&root].clone())
    }

    /// The bits of a term whose arguments are known.
    fn make(&mut self, terms: &Terms, term: Term) -> Result<Word, NotInBits> {
        let sort = terms.sort(term);
        let (op, args) = (terms.op(term), terms.args(term));
        if let Sort::Array(_) = sort {
            return match op {
                // Read where something reads them.
                Op::Symbol(_) | Op::Select | Op::Store | Op::ConstArray(_) | Op::Ite => {
                    Ok(Vec::new())
                }
                _ => Err(NotInBits("a function that gives an array".into())),
            };
        }
        let width = match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
            Sort::Float(sort) => sort.width(),
            _ => return Err(NotInBits("an integer".into())),
        };
        match op {
            Op::Symbol(_) => {
                let word = self.gates.word_input(width);
                return Ok(self.of_sort(sort, word));
            }
            Op::Select => {
                let index = self.words[&args[1]].clone();
                let word = self.read(terms, args[0], vec![index])?;
                return Ok(self.of_sort(sort, word));
            }
            Op::Apply(function) => {
                let indices = args.iter().map(|a| self.words[a].clone()).collect();
                if args.iter().any(|a| matches!(terms.sort(*a), Sort::Array(_))) {
                    return Err(NotInBits("a function of an array".into()));
                }
                let word = self.unknown(Unknown::Function(function), indices, width);
                return Ok(self.of_sort(sort, word));
            }
            Op::Eq if matches!(terms.sort(args[0]), Sort::Array(_)) => {
                return Err(NotInBits("an equation between arrays".into()));
            }
            _ => {}
        }
        let words: Vec<Word> = args.iter().map(|a| self.words[a].clone()).collect();
        let operands: Vec<&[Lit]> = words.iter().map(Vec::as_slice).collect();
        let sorts: Vec<Sort> = args.iter().map(|&a| terms.sort(a)).collect();
        if let Some(word) = float::operator(&mut self.gates, op, &operands, &sorts) {
            return Ok(word);
        }
        self.operator(terms, op, &operands, width)
    }

    /// The word of what can be anything, as words of a sort are.
    fn of_sort(&mut self, sort: Sort, word: Word) -> Word {
        match sort {
            Sort::Float(sort) => float::canonical(&mut self.gates, sort, &word),
            _ => word,
        }
    }

    fn operator(
        &mut self,
        terms: &Terms,
        op: Op,
        words: &[&[Lit]],
        width: u32,
    ) -> Result<Word, NotInBits> {
        let gates = &mut self.gates;
        let width = width as usize;
        let firsts = || words.iter().filter_map(|w| w.first().copied()).collect::<Vec<Lit>>();
        Ok(match (op, words) {
            (Op::True, _) => vec![Lit::TRUE],
            (Op::False, _) => vec![Lit::FALSE],
            (Op::BitVec(id), _) => constant(terms.number(id), width),
            (Op::Not, [a]) => Gates::word_not(a),
            (Op::And, _) => vec![gates.all(&firsts())],
            (Op::Or, _) => vec![gates.any(&firsts())],
            (Op::Ite, [test, then, other]) => gates.word_choose(test[0], then, other),
            (Op::Eq, [a, b]) => vec![gates.word_eq(a, b)],
            (Op::BvNot, [a]) => Gates::word_not(a),
            (Op::BvNeg, [a]) => gates.word_neg(a),
            (Op::BvAnd, [first, rest @ ..]) => bitwise(gates, first, rest, Gates::and),
            (Op::BvOr, [first, rest @ ..]) => bitwise(gates, first, rest, Gates::or),
            (Op::BvXor, [first, rest @ ..]) => bitwise(gates, first, rest, Gates::xor),
            (Op::BvAdd, [first, rest @ ..]) => {
                rest.iter().fold(first.to_vec(), |sum, word| gates.word_add(&sum, word, Lit::FALSE))
            }
            (Op::BvMul, [first, rest @ ..]) => {
                rest.iter().fold(first.to_vec(), |product, word| gates.word_mul(&product, word))
            }
            (Op::BvUdiv, [a, b]) => gates.word_divide(a, b).0,
            (Op::BvUrem, [a, b]) => gates.word_divide(a, b).1,
            (Op::BvSdiv, [a, b]) => gates.word_divide_signed(a, b).0,
            (Op::BvSrem, [a, b]) => gates.word_divide_signed(a, b).1,
            (Op::BvShl, [a, b]) => gates.word_shift_left(a, b),
            (Op::BvLshr, [a, b]) => gates.word_shift_right(a, b, Lit::FALSE),
            (Op::BvAshr, [a, b]) => gates.word_shift_right(a, b, a[width - 1]),
            (Op::BvUle, [a, b]) => vec![gates.word_less(a, b, true)],
            (Op::BvUlt, [a, b]) => vec![gates.word_less(a, b, false)],
            (Op::BvSle, [a, b]) => vec![gates.word_less_signed(a, b, true)],
            (Op::BvSlt, [a, b]) => vec![gates.word_less_signed(a, b, false)],
            (Op::Concat, _) => words.iter().rev().flat_map(|w| w.iter().copied()).collect(),
            (Op::Extract { high, low }, [a]) => a[low as usize..=high as usize].to_vec(),
            (Op::ZeroExtend(_), [a]) => {
                let mut word = a.to_vec();
                word.resize(width, Lit::FALSE);
                word
            }
            (Op::SignExtend(_), [a]) => {
                let mut word = a.to_vec();
                word.resize(width, a[a.len() - 1]);
                word
            }
            _ => return Err(NotInBits(format!("{op:?}"))),
        })
    }

    /// What is in an array at the end of a list of indices, one for each dimension.
    fn read(&mut self, terms: &Terms, array: Term, indices: Vec<Word>) -> Result<Word, NotInBits> {
        let key = (array, indices);
        if let Some(known) = self.reads.get(&key) {
            return Ok(known.clone());
        }
        let (_, indices) = &key;
        // A loop along writes, which form long chains; choices and dimensions are few.
        let mut written = Vec::new();
        let mut base = array;
        let mut found = None;
        while let (Op::Store, &[inner, index, value]) = (terms.op(base), terms.args(base)) {
            let here = self.words[&index].clone();
            match self.gates.word_eq(&here, &indices[0]) {
                Lit::FALSE => {}
                Lit::TRUE => {
                    found = Some(self.stored(terms, value, &indices[1..])?);
                    break;
                }
                same => written.push((same, value)),
            }
            base = inner;
        }
        let mut result = match found {
            Some(found) => found,
            None => {
                let rest = indices.clone();
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.read_base(terms, base, rest))?
            }
        };
        for (same, value) in written.into_iter().rev() {
            let value = self.stored(terms, value, &indices[1..])?;
            result = self.gates.word_choose(same, &value, &result);
        }
        self.reads.insert(key, result.clone());
        Ok(result)
    }

    /// What a write stores, at what is left of the indices.
    fn stored(&mut self, terms: &Terms, value: Term, indices: &[Word]) -> Result<Word, NotInBits> {
        match indices {
            [] => Ok(self.words[&value].clone()),
            _ => self.read(terms, value, indices.to_vec()),
        }
    }

    /// A read of something that is no write.
    fn read_base(
        &mut self,
        terms: &Terms,
        array: Term,
        mut indices: Vec<Word>,
    ) -> Result<Word, NotInBits> {
        match (terms.op(array), terms.args(array)) {
            (Op::Select, &[outer, index]) => {
                indices.insert(0, self.words[&index].clone());
                self.read(terms, outer, indices)
            }
            (Op::Ite, &[test, then, other]) => {
                let test = self.words[&test][0];
                match test.as_constant() {
                    Some(true) => self.read(terms, then, indices),
                    Some(false) => self.read(terms, other, indices),
                    None => {
                        let then = self.read(terms, then, indices.clone())?;
                        let other = self.read(terms, other, indices)?;
                        Ok(self.gates.word_choose(test, &then, &other))
                    }
                }
            }
            (Op::ConstArray(_), &[value]) => self.stored(terms, value, &indices[1..]),
            (Op::Symbol(symbol), _) => {
                let mut sort = terms.sort(array);
                for _ in &indices {
                    if let Sort::Array(parts) = sort {
                        sort = terms.array_parts(parts).1;
                    }
                }
                let width = match sort {
                    Sort::Bool => 1,
                    Sort::BitVec(width) => width,
                    Sort::Float(sort) => sort.width(),
                    _ => return Err(NotInBits("an array of other than bits".into())),
                };
                Ok(self.unknown(Unknown::Array(symbol), indices, width))
            }
            _ => Err(NotInBits("an array that is neither a name nor written".into())),
        }
    }

    /// What an unknown has at some indices.
    fn unknown(&mut self, of: Unknown, indices: Vec<Word>, width: u32) -> Word {
        let entries = self.unknowns.entry(of).or_default();
        let key = (of, indices);
        if let Some(&at) = self.places.get(&key) {
            return entries[at].value.clone();
        }
        let (_, indices) = &key;
        let value = self.gates.word_input(width);
        for entry in entries.iter() {
            let mut same = Lit::TRUE;
            for (mine, theirs) in indices.iter().zip(&entry.indices) {
                let equal = self.gates.word_eq(mine, theirs);
                same = self.gates.and(same, equal);
            }
            if same != Lit::FALSE {
                let equal = self.gates.word_eq(&value, &entry.value);
                self.constraints.push(self.gates.or(!same, equal));
            }
        }
        entries.push(Entry { indices: indices.clone(), value: value.clone() });
        self.places.insert(key.clone(), entries.len() - 1);
        value
    }

    /// The value of a term whose bits are known, or of an array symbol.
    pub fn value(&self, terms: &Terms, term: Term, bits: &Assignment) -> Option<Value> {
        match (terms.sort(term), terms.op(term)) {
            (Sort::Array(_), Op::Symbol(symbol)) => {
                let entries = self.unknowns.get(&Unknown::Array(symbol));
                Some(self.array_value(terms, terms.sort(term), entries?, bits))
            }
            (Sort::Array(_), _) => None,
            (sort, _) => value_of(sort, self.words.get(&term)?, bits),
        }
    }

    fn array_value(
        &self,
        terms: &Terms,
        sort: Sort,
        entries: &[Entry],
        bits: &Assignment,
    ) -> Value {
        let mut array = Value::zero(terms, sort);
        for entry in entries {
            set(terms, &mut array, sort, &entry.indices, &entry.value, bits);
        }
        array
    }
}

/// Sets an element of an array of as many dimensions as there are indices.
fn set(
    terms: &Terms,
    array: &mut Value,
    sort: Sort,
    indices: &[Word],
    value: &Word,
    bits: &Assignment,
) {
    let Sort::Array(parts) = sort else { return };
    let (index_sort, element_sort) = terms.array_parts(parts);
    let (Value::Array { default, entries }, [index, rest @ ..]) = (array, indices) else { return };
    let Some(index) = value_of(index_sort, index, bits) else { return };
    let entries: &mut BTreeMap<Value, Value> = entries;
    if rest.is_empty() {
        if let Some(value) = value_of(element_sort, value, bits)
            && value != **default
        {
            entries.insert(index, value);
        }
        return;
    }
    let inner = entries.entry(index).or_insert_with(|| (**default).clone());
    set(terms, inner, element_sort, rest, value, bits);
}

fn value_of(sort: Sort, word: &[Lit], bits: &Assignment) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(bits.of(*word.first()?))),
        Sort::BitVec(width) => Some(Value::BitVec { width, bits: number(word, bits) }),
        Sort::Float(sort) => Some(Value::float(sort, number(word, bits))),
        _ => None,
    }
}

fn number(word: &[Lit], bits: &Assignment) -> Integer {
    let bit = |&lit: &Lit| Integer::from(u8::from(bits.of(lit)));
    word.iter().rev().fold(Integer::ZERO, |value, lit| (value << 1) + bit(lit))
}

fn constant(value: &Integer, width: usize) -> Word {
    let mut word = Vec::with_capacity(width);
    for position in 0..width {
        let shifted: Integer = value >> position;
        let bit = crate::number::modulo_power_of_two(&shifted, 1) == Integer::ONE;
        word.push(Lit::constant(bit));
    }
    word
}

fn bitwise(
    gates: &mut Gates,
    first: &[Lit],
    rest: &[&[Lit]],
    join: fn(&mut Gates, Lit, Lit) -> Lit,
) -> Word {
    rest.iter().fold(first.to_vec(), |word, next| {
        word.iter().zip(next.iter()).map(|(&x, &y)| join(gates, x, y)).collect()
    })
}
