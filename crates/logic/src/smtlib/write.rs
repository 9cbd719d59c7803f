//! Terms as SMT-LIB text.
//!
//! Shared subterms, and every so many levels of nesting, are bound by `let`, so that the text is as
//! large as the graph and never deeper than [`DEPTH_LIMIT`] outside of `let`s. A symbol is written
//! as `|name#variable@index|`: the numbers make it unique and let [`super::parse`] find it again.

use crate::Integer;
use crate::term::{FloatSort, Function, Op, Rounding, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Terms nested deeper than this are cut by a `let`.
const DEPTH_LIMIT: u32 = 200;

/// A name without the characters that end a quoted SMT-LIB symbol.
fn quotable(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '|' | '\\' | '#') { '_' } else { c }).collect()
}

/// The SMT-LIB name of a symbol.
pub fn symbol_name(terms: &Terms, symbol: Symbol) -> String {
    let name = quotable(&terms.variable_info(symbol.variable).name);
    let variable = symbol.variable.index();
    match symbol.index {
        Some(index) => format!("|{name}#{variable}@{index}|"),
        None => format!("|{name}#{variable}|"),
    }
}

/// The SMT-LIB name of a function.
pub fn function_name(terms: &Terms, function: Function) -> String {
    let name = quotable(&terms.function_info(function).name);
    format!("|{name}#f{}|", function.index())
}

/// The SMT-LIB sort.
pub fn write_sort(terms: &Terms, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(f) => format!("(_ FloatingPoint {} {})", f.exponent, f.significand),
        Sort::Array(array) => {
            let (index, element) = terms.array_parts(array);
            format!("(Array {} {})", write_sort(terms, index), write_sort(terms, element))
        }
    }
}

/// Declarations of the symbols and functions that occur in `formulas`, one per line.
pub fn declarations(terms: &Terms, formulas: &[Term]) -> String {
    let mut text = String::new();
    let mut functions = Vec::new();
    for term in terms.subterms(formulas) {
        match terms.op(term) {
            Op::Symbol(symbol) => declare_symbol(&mut text, terms, symbol),
            Op::Apply(function) => functions.push(function),
            _ => {}
        }
    }
    functions.sort_unstable();
    functions.dedup();
    for function in functions {
        declare_function(&mut text, terms, function);
    }
    text
}

pub(crate) fn declare_symbol(text: &mut String, terms: &Terms, symbol: Symbol) {
    let sort = write_sort(terms, terms.variable_info(symbol.variable).sort);
    let _ = writeln!(text, "(declare-const {} {sort})", symbol_name(terms, symbol));
}

pub(crate) fn declare_function(text: &mut String, terms: &Terms, function: Function) {
    let info = terms.function_info(function);
    let domain: Vec<String> = info.arguments.iter().map(|&s| write_sort(terms, s)).collect();
    let _ = writeln!(
        text,
        "(declare-fun {} ({}) {})",
        function_name(terms, function),
        domain.join(" "),
        write_sort(terms, info.result)
    );
}

/// The SMT-LIB text of a term.
pub fn write_term(terms: &Terms, root: Term) -> String {
    let mut text = String::new();
    write_term_to(&mut text, terms, root);
    text
}

enum Piece {
    Term(Term),
    Text(&'static str),
}

/// Appends the SMT-LIB text of a term.
pub fn write_term_to(text: &mut String, terms: &Terms, root: Term) {
    let order = terms.subterms(&[root]);
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for &term in &order {
        for &arg in terms.args(term) {
            *uses.entry(arg).or_default() += 1;
        }
    }
    let mut height: FxHashMap<Term, u32> = FxHashMap::default();
    let mut bound: FxHashMap<Term, usize> = FxHashMap::default();
    let mut bindings = 0;
    for &term in &order {
        let args = terms.args(term);
        if args.is_empty() || term == root {
            continue;
        }
        let own = args.iter().filter_map(|a| height.get(a)).max().map_or(1, |h| h + 1);
        if uses.get(&term).is_some_and(|&n| n > 1) || own >= DEPTH_LIMIT {
            let _ = write!(text, "(let ((?{bindings} ");
            write_node(text, terms, term, &bound);
            text.push_str(")) ");
            bound.insert(term, bindings);
            bindings += 1;
        } else {
            height.insert(term, own);
        }
    }
    write_node(text, terms, root, &bound);
    text.extend(std::iter::repeat_n(')', bindings));
}

/// Writes a term in full down to the bound ones.
fn write_node(text: &mut String, terms: &Terms, root: Term, bound: &FxHashMap<Term, usize>) {
    let mut pending = vec![Piece::Term(root)];
    while let Some(piece) = pending.pop() {
        let term = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Term(term) => term,
        };
        if let Some(binding) = bound.get(&term) {
            let _ = write!(text, "?{binding}");
            continue;
        }
        let args = terms.args(term);
        if args.is_empty() {
            write_leaf(text, terms, term);
            continue;
        }
        text.push('(');
        write_head(text, terms, term);
        pending.push(Piece::Text(")"));
        for &arg in args.iter().rev() {
            pending.push(Piece::Term(arg));
            pending.push(Piece::Text(" "));
        }
    }
}

fn write_leaf(text: &mut String, terms: &Terms, term: Term) {
    match terms.op(term) {
        Op::True => text.push_str("true"),
        Op::False => text.push_str("false"),
        Op::Int(id) => write_integer(text, terms.number(id)),
        Op::BitVec(id) => {
            let _ = write!(text, "(_ bv{} {})", terms.number(id), terms.width(term));
        }
        Op::Symbol(symbol) => text.push_str(&symbol_name(terms, symbol)),
        Op::Apply(function) => text.push_str(&function_name(terms, function)),
        // Empty conjunctions and disjunctions are simplified away.
        Op::And => text.push_str("true"),
        _ => text.push_str("false"),
    }
}

fn write_integer(text: &mut String, value: &Integer) {
    let _ = if *value < Integer::ZERO {
        write!(text, "(- {})", -value)
    } else {
        write!(text, "{value}")
    };
}

fn write_head(text: &mut String, terms: &Terms, term: Term) {
    let to_fp = |text: &mut String, name: &str, sort: FloatSort, mode: &str| {
        let _ = write!(text, "(_ {name} {} {}){mode}", sort.exponent, sort.significand);
    };
    match terms.op(term) {
        Op::Apply(function) => text.push_str(&function_name(terms, function)),
        Op::Extract { high, low } => {
            let _ = write!(text, "(_ extract {high} {low})");
        }
        Op::ZeroExtend(by) => {
            let _ = write!(text, "(_ zero_extend {by})");
        }
        Op::SignExtend(by) => {
            let _ = write!(text, "(_ sign_extend {by})");
        }
        Op::ConstArray(array) => {
            let _ = write!(text, "(as const {})", write_sort(terms, Sort::Array(array)));
        }
        Op::FloatFromBits(sort) => to_fp(text, "to_fp", sort, ""),
        Op::FloatConvert(sort) | Op::FloatFromSigned(sort) => to_fp(text, "to_fp", sort, " RNE"),
        Op::FloatFromUnsigned(sort) => to_fp(text, "to_fp_unsigned", sort, " RNE"),
        Op::FloatToSigned(width) => {
            let _ = write!(text, "(_ fp.to_sbv {width}) RTZ");
        }
        Op::FloatToUnsigned(width) => {
            let _ = write!(text, "(_ fp.to_ubv {width}) RTZ");
        }
        op => text.push_str(simple_head(op).unwrap_or("?")),
    }
}

/// The name of an operator without parameters.
fn simple_head(op: Op) -> Option<&'static str> {
    SIMPLE_HEADS.iter().find(|(o, _)| *o == op).map(|(_, name)| *name)
}

/// Operators whose name is a word (or words that always go together).
pub(super) const SIMPLE_HEADS: &[(Op, &str)] = &[
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Ite, "ite"),
    (Op::Eq, "="),
    (Op::Add, "+"),
    (Op::Mul, "*"),
    (Op::Le, "<="),
    (Op::Div, "div"),
    (Op::Mod, "mod"),
    (Op::BvNot, "bvnot"),
    (Op::BvNeg, "bvneg"),
    (Op::BvAnd, "bvand"),
    (Op::BvOr, "bvor"),
    (Op::BvXor, "bvxor"),
    (Op::BvAdd, "bvadd"),
    (Op::BvMul, "bvmul"),
    (Op::BvUdiv, "bvudiv"),
    (Op::BvUrem, "bvurem"),
    (Op::BvSdiv, "bvsdiv"),
    (Op::BvSrem, "bvsrem"),
    (Op::BvShl, "bvshl"),
    (Op::BvLshr, "bvlshr"),
    (Op::BvAshr, "bvashr"),
    (Op::BvUle, "bvule"),
    (Op::BvUlt, "bvult"),
    (Op::BvSle, "bvsle"),
    (Op::BvSlt, "bvslt"),
    (Op::Concat, "concat"),
    (Op::Select, "select"),
    (Op::Store, "store"),
    (Op::FloatAdd, "fp.add RNE"),
    (Op::FloatSub, "fp.sub RNE"),
    (Op::FloatMul, "fp.mul RNE"),
    (Op::FloatDiv, "fp.div RNE"),
    (Op::FloatNeg, "fp.neg"),
    (Op::FloatAbs, "fp.abs"),
    (Op::FloatSqrt, "fp.sqrt RNE"),
    (Op::FloatFma, "fp.fma RNE"),
    (Op::FloatRem, "fp.rem"),
    (Op::FloatRound(Rounding::NearestEven), "fp.roundToIntegral RNE"),
    (Op::FloatRound(Rounding::NearestAway), "fp.roundToIntegral RNA"),
    (Op::FloatRound(Rounding::TowardZero), "fp.roundToIntegral RTZ"),
    (Op::FloatRound(Rounding::Up), "fp.roundToIntegral RTP"),
    (Op::FloatRound(Rounding::Down), "fp.roundToIntegral RTN"),
    (Op::FloatEq, "fp.eq"),
    (Op::FloatLt, "fp.lt"),
    (Op::FloatLe, "fp.leq"),
    (Op::FloatIsNan, "fp.isNaN"),
    (Op::FloatIsInfinite, "fp.isInfinite"),
];
