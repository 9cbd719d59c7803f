//! SMT-LIB text as terms: what solvers answer.
//!
//! Reads terms over our own names (see [`super::write`]), over names the caller binds (the
//! parameters of a relation that Spacer found), and over `let`. Quantifiers, reals, strings and
//! datatypes are no terms of ours and give an error. No recursion on the depth of the text.

use super::sexpr::{Sexpr, SexprError, Sexprs, Shape};
use super::value::read_bits;
use super::write::SIMPLE_HEADS;
use crate::Integer;
use crate::term::{
    FloatSort, Function, IllSorted, Op, Rounding, Sort, Symbol, Term, Terms, Value, Variable,
};
use rustc_hash::FxHashMap;

/// A text that is no term of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// It is not even an S-expression.
    #[error(transparent)]
    Sexpr(#[from] SexprError),
    /// An operator does not fit its arguments.
    #[error(transparent)]
    IllSorted(#[from] IllSorted),
    /// A name nobody declared.
    #[error("unknown name `{0}`")]
    UnknownName(String),
    /// Something we have no terms for.
    #[error("cannot read `{0}`")]
    Unsupported(String),
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError::Unsupported(what.into()))
}

/// Reads one term.
pub fn parse_term(terms: &mut Terms, text: &str) -> Result<Term, ParseError> {
    let sexprs = Sexprs::parse(text)?;
    match *sexprs.roots() {
        [root] => read_term(terms, &sexprs, root, &FxHashMap::default()),
        _ => unsupported(format!("{} expressions instead of one", sexprs.roots().len())),
    }
}

/// A term that is being read.
enum Frame<'a> {
    /// An application whose arguments are read one by one.
    Application { head: Sexpr, rest: &'a [Sexpr], args: Vec<Term>, rounded: Option<Rounding> },
    /// A `let` whose values are read one by one.
    Let { bindings: &'a [Sexpr], values: Vec<Term>, body: Sexpr },
    /// A `let` whose body is being read; these names get their old meaning back.
    Scope { shadowed: Vec<(&'a str, Option<Term>)> },
}

/// Reads a term in which the names of `names` mean the given terms.
pub fn read_term(
    terms: &mut Terms,
    sexprs: &Sexprs<'_>,
    root: Sexpr,
    names: &FxHashMap<String, Term>,
) -> Result<Term, ParseError> {
    let mut locals: FxHashMap<&str, Term> =
        names.iter().map(|(name, &term)| (name.as_str(), term)).collect();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut next = Some(root);
    let mut done: Option<Term> = None;
    loop {
        if let Some(sexpr) = next.take() {
            match sexprs.shape(sexpr) {
                Shape::Atom(word) => done = Some(leaf(terms, sexprs, sexpr, word, &locals)?),
                Shape::List(list) => match open_list(sexprs, list)? {
                    Opened::Value => done = Some(literal(terms, sexprs, sexpr)?),
                    Opened::Inside(inner) => next = Some(inner),
                    Opened::Frame(frame) => frames.push(frame),
                },
            }
        }
        if next.is_some() {
            continue;
        }
        match frames.last_mut() {
            None => match done {
                Some(term) => return Ok(term),
                None => return unsupported("an empty expression"),
            },
            Some(Frame::Application { rest, args, head, rounded }) => {
                args.extend(done.take());
                if let Some((&first, others)) = rest.split_first() {
                    *rest = others;
                    if let Some(rounding) = read_rounding(sexprs, first) {
                        *rounded = Some(rounding);
                        continue;
                    }
                    next = Some(first);
                } else {
                    let (head, args, rounded) = (*head, std::mem::take(args), *rounded);
                    frames.pop();
                    done = Some(apply(terms, sexprs, head, &args, rounded)?);
                }
            }
            Some(Frame::Let { bindings, values, body }) => {
                values.extend(done.take());
                match bindings.get(values.len()) {
                    Some(&binding) => match sexprs.list(binding) {
                        Some(&[_, value]) => next = Some(value),
                        _ => return unsupported("a malformed let"),
                    },
                    None => {
                        let mut shadowed = Vec::with_capacity(values.len());
                        for (&binding, &value) in bindings.iter().zip(values.iter()) {
                            let name = sexprs
                                .list(binding)
                                .and_then(|b| b.first())
                                .and_then(|&n| sexprs.atom(n))
                                .unwrap_or_default();
                            shadowed.push((name, locals.insert(name, value)));
                        }
                        next = Some(*body);
                        frames.pop();
                        frames.push(Frame::Scope { shadowed });
                    }
                }
            }
            Some(Frame::Scope { shadowed }) => {
                for (name, old) in shadowed.drain(..).rev() {
                    match old {
                        Some(term) => locals.insert(name, term),
                        None => locals.remove(name),
                    };
                }
                frames.pop();
            }
        }
    }
}

enum Opened<'a> {
    Value,
    Inside(Sexpr),
    Frame(Frame<'a>),
}

fn open_list<'a>(sexprs: &'a Sexprs<'_>, list: &'a [Sexpr]) -> Result<Opened<'a>, ParseError> {
    let Some((&head, rest)) = list.split_first() else { return unsupported("()") };
    match sexprs.atom(head) {
        Some("_" | "fp") => Ok(Opened::Value),
        Some("let") => match *rest {
            [bindings, body] => match sexprs.list(bindings) {
                Some(bindings) => {
                    Ok(Opened::Frame(Frame::Let { bindings, values: Vec::new(), body }))
                }
                None => unsupported("a malformed let"),
            },
            _ => unsupported("a malformed let"),
        },
        Some("!") => rest
            .first()
            .map(|&inner| Opened::Inside(inner))
            .ok_or_else(|| ParseError::Unsupported("a malformed annotation".into())),
        Some(quantifier @ ("forall" | "exists")) => unsupported(quantifier),
        _ => {
            let frame = Frame::Application { head, rest, args: Vec::new(), rounded: None };
            Ok(Opened::Frame(frame))
        }
    }
}

fn read_rounding(sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Option<Rounding> {
    Some(match sexprs.atom(sexpr)? {
        "RNE" | "roundNearestTiesToEven" => Rounding::NearestEven,
        "RNA" | "roundNearestTiesToAway" => Rounding::NearestAway,
        "RTZ" | "roundTowardZero" => Rounding::TowardZero,
        "RTP" | "roundTowardPositive" => Rounding::Up,
        "RTN" | "roundTowardNegative" => Rounding::Down,
        _ => return None,
    })
}

fn leaf(
    terms: &mut Terms,
    sexprs: &Sexprs<'_>,
    sexpr: Sexpr,
    word: &str,
    locals: &FxHashMap<&str, Term>,
) -> Result<Term, ParseError> {
    if let Some(&bound) = locals.get(word) {
        return Ok(bound);
    }
    match word {
        "true" => return Ok(terms.tt()),
        "false" => return Ok(terms.ff()),
        _ => {}
    }
    if sexprs.is_quoted(sexpr) {
        return match our_name(terms, word) {
            Some(Name::Symbol(symbol)) => Ok(terms.symbol(symbol)),
            Some(Name::Function(function)) => Ok(terms.checked(Op::Apply(function), &[])?),
            None => Err(ParseError::UnknownName(word.into())),
        };
    }
    if word.starts_with('#') {
        return literal(terms, sexprs, sexpr);
    }
    match word.parse::<Integer>() {
        Ok(value) => Ok(terms.int(value)),
        Err(_) => Err(ParseError::UnknownName(word.into())),
    }
}

/// A bit-vector or floating-point literal.
fn literal(terms: &mut Terms, sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Result<Term, ParseError> {
    if let Some((value, width)) = read_bits(sexprs, sexpr) {
        return Ok(terms.bv(value, width));
    }
    let text = || format!("{:?}", sexprs.words(sexpr).unwrap_or_default());
    let Some(list) = sexprs.list(sexpr) else { return unsupported(text()) };
    let number =
        |at: usize| list.get(at).and_then(|&s| sexprs.atom(s)).and_then(|w| w.parse::<u32>().ok());
    let sort = match *list {
        [_, _, exponent, fraction] if sexprs.atom(list[0]) == Some("fp") => {
            match (read_bits(sexprs, exponent), read_bits(sexprs, fraction)) {
                (Some((_, exponent)), Some((_, fraction))) => {
                    FloatSort { exponent, significand: fraction + 1 }
                }
                _ => return unsupported(text()),
            }
        }
        [_, _, _, _] => match (number(2), number(3)) {
            (Some(exponent), Some(significand)) => FloatSort { exponent, significand },
            _ => return unsupported(text()),
        },
        _ => return unsupported(text()),
    };
    match super::value::read_value(terms, sexprs, Sort::Float(sort), sexpr) {
        Some(value @ Value::Float { .. }) => Ok(terms.value_term(&value, Sort::Float(sort))),
        _ => unsupported(text()),
    }
}

enum Name {
    Symbol(Symbol),
    Function(Function),
}

/// What a name of ours (`name#12@3`, `name#f4`) stands for.
fn our_name(terms: &Terms, word: &str) -> Option<Name> {
    let (_, numbers) = word.rsplit_once('#')?;
    if let Some(function) = numbers.strip_prefix('f') {
        return terms.find_function(function.parse().ok()?).map(Name::Function);
    }
    let (variable, index) = match numbers.split_once('@') {
        Some((variable, index)) => (variable, Some(index.parse().ok()?)),
        None => (numbers, None),
    };
    let variable: Variable = terms.find_variable(variable.parse().ok()?)?;
    Some(Name::Symbol(Symbol { variable, index }))
}

fn apply(
    terms: &mut Terms,
    sexprs: &Sexprs<'_>,
    head: Sexpr,
    args: &[Term],
    rounded: Option<Rounding>,
) -> Result<Term, ParseError> {
    match sexprs.shape(head) {
        Shape::Atom(word) => {
            if sexprs.is_quoted(head)
                && let Some(Name::Function(function)) = our_name(terms, word)
            {
                return Ok(terms.checked(Op::Apply(function), args)?);
            }
            match (word, rounded) {
                ("fp.roundToIntegral", Some(rounding)) => {
                    Ok(terms.checked(Op::FloatRound(rounding), args)?)
                }
                (_, None | Some(Rounding::NearestEven)) => apply_word(terms, word, args),
                (_, Some(rounding)) => unsupported(format!("{word} rounded by {rounding:?}")),
            }
        }
        Shape::List(_) => apply_indexed(terms, sexprs, head, args, rounded),
    }
}

fn apply_word(terms: &mut Terms, word: &str, args: &[Term]) -> Result<Term, ParseError> {
    // Bit-vector subtraction and the comparisons to the other side.
    let swapped = match word {
        ">=" => Some(Op::Le),
        "bvuge" => Some(Op::BvUle),
        "bvugt" => Some(Op::BvUlt),
        "bvsge" => Some(Op::BvSle),
        "bvsgt" => Some(Op::BvSlt),
        "fp.geq" => Some(Op::FloatLe),
        "fp.gt" => Some(Op::FloatLt),
        _ => None,
    };
    if let Some(op) = swapped {
        return chain(terms, args, |terms, a, b| Ok(terms.checked(op, &[b, a])?));
    }
    match (word, args) {
        ("<", _) => chain(terms, args, |terms, a, b| {
            let le = terms.checked(Op::Le, &[b, a])?;
            Ok(terms.not(le))
        }),
        (">", _) => chain(terms, args, |terms, a, b| {
            let le = terms.checked(Op::Le, &[a, b])?;
            Ok(terms.not(le))
        }),
        ("<=" | "bvule" | "bvult" | "bvsle" | "bvslt" | "=" | "fp.lt" | "fp.leq" | "fp.eq", _) => {
            let op = simple(word)?;
            chain(terms, args, |terms, a, b| Ok(terms.checked(op, &[a, b])?))
        }
        ("=>", [premises @ .., conclusion]) => {
            let mut members = vec![*conclusion];
            for &premise in premises {
                members.push(terms.checked(Op::Not, &[premise])?);
            }
            Ok(terms.checked(Op::Or, &members)?)
        }
        ("xor", &[a, b]) => {
            let equal = terms.checked(Op::Eq, &[a, b])?;
            Ok(terms.not(equal))
        }
        ("distinct", _) => {
            let mut members = Vec::new();
            for (at, &a) in args.iter().enumerate() {
                for &b in &args[at + 1..] {
                    let equal = terms.checked(Op::Eq, &[a, b])?;
                    members.push(terms.not(equal));
                }
            }
            Ok(terms.and(&members))
        }
        ("-", &[a]) => {
            let minus = terms.int(-1);
            Ok(terms.checked(Op::Mul, &[minus, a])?)
        }
        ("-", [first, others @ ..]) => {
            let minus = terms.int(-1);
            let mut summands = vec![*first];
            for &other in others {
                summands.push(terms.checked(Op::Mul, &[minus, other])?);
            }
            Ok(terms.checked(Op::Add, &summands)?)
        }
        ("bvsub", &[a, b]) => {
            let negated = terms.checked(Op::BvNeg, &[b])?;
            Ok(terms.checked(Op::BvAdd, &[a, negated])?)
        }
        ("*" | "bvand" | "bvor" | "bvxor" | "bvadd" | "bvmul" | "concat", [first, others @ ..]) => {
            let op = simple(word)?;
            let mut result = *first;
            for &other in others {
                result = terms.checked(op, &[result, other])?;
            }
            Ok(result)
        }
        _ => Ok(terms.checked(simple(word)?, args)?),
    }
}

/// The operator a word names.
fn simple(word: &str) -> Result<Op, ParseError> {
    SIMPLE_HEADS
        .iter()
        .find(|(_, name)| name.split(' ').next() == Some(word))
        .map(|(op, _)| *op)
        .ok_or_else(|| ParseError::UnknownName(word.into()))
}

/// `(< a b c)` is `a < b` and `b < c`.
fn chain(
    terms: &mut Terms,
    args: &[Term],
    mut relate: impl FnMut(&mut Terms, Term, Term) -> Result<Term, ParseError>,
) -> Result<Term, ParseError> {
    let mut members = Vec::with_capacity(args.len());
    for pair in args.windows(2) {
        members.push(relate(terms, pair[0], pair[1])?);
    }
    Ok(terms.and(&members))
}

/// `((_ extract 7 0) x)`, `((as const (Array Int Int)) x)` and the like.
fn apply_indexed(
    terms: &mut Terms,
    sexprs: &Sexprs<'_>,
    head: Sexpr,
    args: &[Term],
    rounded: Option<Rounding>,
) -> Result<Term, ParseError> {
    let list = sexprs.list(head).unwrap_or_default();
    let words: Vec<&str> = list.iter().map(|&s| sexprs.atom(s).unwrap_or("()")).collect();
    let number = |at: usize| -> Result<u32, ParseError> {
        words
            .get(at)
            .and_then(|w| w.parse().ok())
            .ok_or_else(|| ParseError::Unsupported(words.join(" ")))
    };
    if words.starts_with(&["as", "const"])
        && let Some(&sort) = list.get(2)
    {
        return match read_sort(terms, sexprs, sort)? {
            Sort::Array(array) => Ok(terms.checked(Op::ConstArray(array), args)?),
            other => unsupported(format!("a constant array of sort {other:?}")),
        };
    }
    let float = || Ok::<_, ParseError>(FloatSort { exponent: number(2)?, significand: number(3)? });
    let op = match words.get(1).copied() {
        Some("extract") => Op::Extract { high: number(2)?, low: number(3)? },
        Some("zero_extend") => Op::ZeroExtend(number(2)?),
        Some("sign_extend") => Op::SignExtend(number(2)?),
        Some("to_fp") => match args.first().map(|&a| terms.sort(a)) {
            Some(Sort::Float(_)) => Op::FloatConvert(float()?),
            // One name for two conversions: numbers are rounded, bit patterns are not.
            _ if rounded.is_some() => Op::FloatFromSigned(float()?),
            _ => Op::FloatFromBits(float()?),
        },
        Some("to_fp_unsigned") => Op::FloatFromUnsigned(float()?),
        Some("fp.to_sbv") => Op::FloatToSigned(number(2)?),
        Some("fp.to_ubv") => Op::FloatToUnsigned(number(2)?),
        _ => return unsupported(words.join(" ")),
    };
    let usual = match op {
        Op::FloatToSigned(_) | Op::FloatToUnsigned(_) => Rounding::TowardZero,
        _ => Rounding::NearestEven,
    };
    if let Some(rounding) = rounded.filter(|&rounding| rounding != usual) {
        return unsupported(format!("{} rounded by {rounding:?}", words.join(" ")));
    }
    Ok(terms.checked(op, args)?)
}

/// Reads a sort.
pub fn read_sort(terms: &mut Terms, sexprs: &Sexprs<'_>, sexpr: Sexpr) -> Result<Sort, ParseError> {
    match sexprs.shape(sexpr) {
        Shape::Atom("Bool") => Ok(Sort::Bool),
        Shape::Atom("Int") => Ok(Sort::Int),
        Shape::Atom(other) => unsupported(format!("the sort {other}")),
        Shape::List(&[array, index, element]) if sexprs.atom(array) == Some("Array") => {
            let index = read_sort(terms, sexprs, index)?;
            let element = read_sort(terms, sexprs, element)?;
            Ok(terms.array_sort(index, element))
        }
        Shape::List(_) => {
            let words = sexprs.words(sexpr).unwrap_or_default();
            let number = |word: &str| {
                word.parse().map_err(|_| ParseError::Unsupported(format!("the width {word}")))
            };
            match words[..] {
                ["_", "BitVec", width] => Ok(Sort::BitVec(number(width)?)),
                ["_", "FloatingPoint", exponent, significand] => Ok(Sort::Float(FloatSort {
                    exponent: number(exponent)?,
                    significand: number(significand)?,
                })),
                _ => unsupported(format!("the sort {}", words.join(" "))),
            }
        }
    }
}
