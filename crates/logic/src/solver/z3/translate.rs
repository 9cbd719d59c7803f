//! From terms to Z3's terms.
//!
//! The table from terms to Z3's grows with the context and dies with it. Names in Z3 are numbers:
//! nothing Z3 does depends on how the program's variables are called.

use super::context::{Ast, Context, FunctionRef, SortRef, Z3Error};
use crate::Integer;
use crate::term::{Function, Op, Sort, Term, Terms};
use rustc_hash::FxHashMap;
use z3_sys as sys;

/// What was translated into one context.
#[derive(Default)]
pub(super) struct Translation {
    terms: Vec<Option<Ast>>,
    sorts: FxHashMap<Sort, SortRef>,
    functions: FxHashMap<Function, FunctionRef>,
    names: u32,
    pending: Vec<Term>,
    arguments: Vec<Ast>,
    /// Whether a term with an array was translated.
    pub(super) has_arrays: bool,
}

impl Translation {
    /// A name that this context has not used.
    pub(super) fn fresh_name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    fn known(&self, term: Term) -> Option<Ast> {
        self.terms.get(term.index()).copied().flatten()
    }

    /// The Z3 term.
    #[inline]
    pub(super) fn term(
        &mut self,
        context: &Context,
        terms: &Terms,
        root: Term,
    ) -> Result<Ast, Z3Error> {
        match self.known(root) {
            Some(ast) => Ok(ast),
            None => self.translate(context, terms, root),
        }
    }

    fn translate(&mut self, context: &Context, terms: &Terms, root: Term) -> Result<Ast, Z3Error> {
        if self.terms.len() < terms.len() {
            self.terms.resize(terms.len(), None);
        }
        self.pending.clear();
        self.pending.push(root);
        while let Some(&term) = self.pending.last() {
            if self.known(term).is_some() {
                self.pending.pop();
                continue;
            }
            let waiting = self.pending.len();
            self.arguments.clear();
            for &arg in terms.args(term) {
                match self.terms[arg.index()] {
                    Some(ast) => self.arguments.push(ast),
                    None => self.pending.push(arg),
                }
            }
            if self.pending.len() > waiting {
                continue;
            }
            let arguments = std::mem::take(&mut self.arguments);
            let made = self.node(context, terms, term, &arguments);
            self.arguments = arguments;
            self.terms[term.index()] = Some(made?);
            self.pending.pop();
        }
        self.known(root).ok_or_else(|| Z3Error("a term was not translated".into()))
    }

    pub(super) fn sort(
        &mut self,
        context: &Context,
        terms: &Terms,
        sort: Sort,
    ) -> Result<SortRef, Z3Error> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let made = match sort {
            Sort::Bool => context.bool_sort()?,
            Sort::Int => context.int_sort()?,
            Sort::BitVec(width) => context.bitvec_sort(width)?,
            Sort::Float(f) => context.float_sort(f.exponent, f.significand)?,
            Sort::Array(array) => {
                self.has_arrays = true;
                // Sorts nest as deeply as they are written: recursion is fine.
                let (index, element) = terms.array_parts(array);
                let index = self.sort(context, terms, index)?;
                let element = self.sort(context, terms, element)?;
                context.array_sort(index, element)?
            }
        };
        self.sorts.insert(sort, made);
        Ok(made)
    }

    fn function(
        &mut self,
        context: &Context,
        terms: &Terms,
        function: Function,
    ) -> Result<FunctionRef, Z3Error> {
        if let Some(&known) = self.functions.get(&function) {
            return Ok(known);
        }
        let info = terms.function_info(function).clone();
        let domain: Result<Vec<SortRef>, Z3Error> =
            info.arguments.iter().map(|&s| self.sort(context, terms, s)).collect();
        let range = self.sort(context, terms, info.result)?;
        let name = self.fresh_name();
        let made = context.function(name, &domain?, range)?;
        self.functions.insert(function, made);
        Ok(made)
    }

    fn node(
        &mut self,
        context: &Context,
        terms: &Terms,
        term: Term,
        args: &[Ast],
    ) -> Result<Ast, Z3Error> {
        let sort = terms.sort(term);
        match (terms.op(term), args) {
            (Op::True, _) => context.truth(true),
            (Op::False, _) => context.truth(false),
            (Op::Int(id) | Op::BitVec(id), _) => {
                let sort = self.sort(context, terms, sort)?;
                numeral(context, terms.number(id), sort)
            }
            (Op::Symbol(_), _) => {
                let sort = self.sort(context, terms, sort)?;
                let name = self.fresh_name();
                context.constant(name, sort)
            }
            (Op::Apply(function), args) => {
                let function = self.function(context, terms, function)?;
                context.apply(function, args)
            }
            (Op::And, args) => context.nary(sys::Z3_mk_and, args),
            (Op::Or, args) => context.nary(sys::Z3_mk_or, args),
            (Op::Add, args) => context.nary(sys::Z3_mk_add, args),
            (Op::Mul, args) => context.nary(sys::Z3_mk_mul, args),
            (Op::Ite, &[condition, then, other]) => context.ite(condition, then, other),
            (Op::FloatFma, &[a, b, c]) => context.fused(a, b, c),
            (Op::Store, &[array, index, value]) => context.store(array, index, value),
            (op, &[a]) => self.unary(context, terms, op, a),
            (op, &[a, b]) => binary(context, op, a, b),
            (op, _) => Err(Z3Error(format!("{op:?} with {} arguments", args.len()))),
        }
    }

    fn unary(&mut self, context: &Context, terms: &Terms, op: Op, a: Ast) -> Result<Ast, Z3Error> {
        match op {
            Op::Not => context.unary(sys::Z3_mk_not, a),
            Op::BvNot => context.unary(sys::Z3_mk_bvnot, a),
            Op::BvNeg => context.unary(sys::Z3_mk_bvneg, a),
            Op::Extract { high, low } => context.extract(high, low, a),
            Op::ZeroExtend(by) => context.indexed(sys::Z3_mk_zero_ext, by, a),
            Op::SignExtend(by) => context.indexed(sys::Z3_mk_sign_ext, by, a),
            Op::ConstArray(array) => {
                let (index, _) = terms.array_parts(array);
                let index = self.sort(context, terms, index)?;
                context.const_array(index, a)
            }
            Op::FloatFromBits(sort) => {
                let sort = self.sort(context, terms, Sort::Float(sort))?;
                context.float_of_bits(a, sort)
            }
            Op::FloatNeg => context.unary(sys::Z3_mk_fpa_neg, a),
            Op::FloatAbs => context.unary(sys::Z3_mk_fpa_abs, a),
            Op::FloatSqrt => context.square_root(a),
            Op::FloatRound(rounding) => context.integral(rounding, a),
            Op::FloatIsNan => context.unary(sys::Z3_mk_fpa_is_nan, a),
            Op::FloatIsInfinite => context.unary(sys::Z3_mk_fpa_is_infinite, a),
            Op::FloatConvert(to) | Op::FloatFromSigned(to) | Op::FloatFromUnsigned(to) => {
                let to = self.sort(context, terms, Sort::Float(to))?;
                let function = match op {
                    Op::FloatConvert(_) => sys::Z3_mk_fpa_to_fp_float,
                    Op::FloatFromSigned(_) => sys::Z3_mk_fpa_to_fp_signed,
                    _ => sys::Z3_mk_fpa_to_fp_unsigned,
                };
                context.rounded_conversion(function, a, to)
            }
            Op::FloatToSigned(width) => context.float_to_bits(sys::Z3_mk_fpa_to_sbv, a, width),
            Op::FloatToUnsigned(width) => context.float_to_bits(sys::Z3_mk_fpa_to_ubv, a, width),
            op => Err(Z3Error(format!("{op:?} with one argument"))),
        }
    }
}

fn binary(context: &Context, op: Op, a: Ast, b: Ast) -> Result<Ast, Z3Error> {
    let function = match op {
        Op::Eq => sys::Z3_mk_eq,
        Op::Le => sys::Z3_mk_le,
        Op::Div => sys::Z3_mk_div,
        Op::Mod => sys::Z3_mk_mod,
        Op::BvAnd => sys::Z3_mk_bvand,
        Op::BvOr => sys::Z3_mk_bvor,
        Op::BvXor => sys::Z3_mk_bvxor,
        Op::BvAdd => sys::Z3_mk_bvadd,
        Op::BvMul => sys::Z3_mk_bvmul,
        Op::BvUdiv => sys::Z3_mk_bvudiv,
        Op::BvUrem => sys::Z3_mk_bvurem,
        Op::BvSdiv => sys::Z3_mk_bvsdiv,
        Op::BvSrem => sys::Z3_mk_bvsrem,
        Op::BvShl => sys::Z3_mk_bvshl,
        Op::BvLshr => sys::Z3_mk_bvlshr,
        Op::BvAshr => sys::Z3_mk_bvashr,
        Op::BvUle => sys::Z3_mk_bvule,
        Op::BvUlt => sys::Z3_mk_bvult,
        Op::BvSle => sys::Z3_mk_bvsle,
        Op::BvSlt => sys::Z3_mk_bvslt,
        Op::Concat => sys::Z3_mk_concat,
        Op::Select => sys::Z3_mk_select,
        Op::FloatEq => sys::Z3_mk_fpa_eq,
        Op::FloatRem => sys::Z3_mk_fpa_rem,
        Op::FloatLt => sys::Z3_mk_fpa_lt,
        Op::FloatLe => sys::Z3_mk_fpa_leq,
        Op::FloatAdd => return context.rounded(sys::Z3_mk_fpa_add, a, b),
        Op::FloatSub => return context.rounded(sys::Z3_mk_fpa_sub, a, b),
        Op::FloatMul => return context.rounded(sys::Z3_mk_fpa_mul, a, b),
        Op::FloatDiv => return context.rounded(sys::Z3_mk_fpa_div, a, b),
        op => return Err(Z3Error(format!("{op:?} with two arguments"))),
    };
    context.binary(function, a, b)
}

fn numeral(context: &Context, value: &Integer, sort: SortRef) -> Result<Ast, Z3Error> {
    match i64::try_from(value) {
        Ok(small) => context.small_numeral(small, sort),
        Err(_) => context.numeral(&value.to_string(), sort),
    }
}
