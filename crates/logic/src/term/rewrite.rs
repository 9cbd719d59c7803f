//! The simplifier: one entry point, named rules.
//!
//! Every term is made by [`Terms::make`]. It asks [`Terms::simplify`] for a rewrite of the new
//! node; a rewrite comes with the [`Rule`] that justifies it. While recording is on, each rewrite is
//! kept as a triple (rule, node as asked for, result), and a test proves each triple by the solver
//! and demands that every rule occurs: a rule without an instance in the test, or with a wrong one,
//! fails. Rules look at most a few nodes deep, so that making a term costs a constant, except
//! for sums and the flattening of conjunctions, which are bounded by [`FLATTEN_LIMIT`], and for equations of
//! bit-vectors, for which `polynomial` has bounds of its own.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;

/// Nested conjunctions, disjunctions and sums are joined up to this many members; beyond, they
/// stay nested, so that building a long chain one by one is not quadratic.
pub(super) const FLATTEN_LIMIT: usize = 256;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Why a rewrite is allowed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $($(#[$doc])* $name,)* }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];
        }
    };
}

rules! {
    /// `!true`, `!false`.
    NotConstant,
    /// `!!a` is `a`.
    NotNot,
    /// `!(a <= b)` is `b + 1 <= a`.
    NotLe,
    /// `!(a < b)` is `b <= a` and the like on bit-vectors.
    NotBvCompare,
    /// `false` in a conjunction.
    AndFalse,
    /// `a && !a`.
    AndComplement,
    /// Conjunctions are flat, sorted, without `true` and repetitions.
    AndNormalForm,
    /// `true` in a disjunction.
    OrTrue,
    /// `a || !a`.
    OrComplement,
    /// Disjunctions are flat, sorted, without `false` and repetitions.
    OrNormalForm,
    /// The condition is known.
    IteConstant,
    /// Both branches are the same.
    IteSame,
    /// `!c ? a : b` is `c ? b : a`.
    IteNot,
    /// A Boolean conditional with a constant branch.
    IteBoolean,
    /// `a = a`.
    EqSame,
    /// Different constants.
    EqConstants,
    /// `a = true`, `a = false`.
    EqBoolean,
    /// `a = !a`.
    EqComplement,
    /// Arguments in the order of the arena, constants last.
    EqOrder,
    /// A comparison of a conditional between constants with a constant.
    CompareIte,
    /// Integer equations in normal form.
    EqLinear,
    /// Integer comparisons in normal form.
    LeLinear,
    /// Sums in normal form.
    AddLinear,
    /// Products with a constant are distributed.
    MulLinear,
    /// Other products are ordered.
    MulOrder,
    /// Division of constants.
    DivConstants,
    /// Division by one.
    DivOne,
    /// Remainder of constants.
    ModConstants,
    /// Remainder by one.
    ModOne,
    /// Multiples of the modulus do not matter.
    ModMultiples,
    /// An operation on bit-vector constants.
    BvConstants,
    /// The constant of a commutative operation stands last; other arguments are ordered.
    BvOrder,
    /// `(a + c) + d` with constants, and the same for other associative operations.
    BvAssociate,
    /// An argument that does not change the other.
    BvUnit,
    /// An argument that decides the result.
    BvZero,
    /// Both arguments are the same.
    BvSame,
    /// `~~a`, `-(-a)`.
    BvInvolution,
    /// Shifts by the width or more.
    BvShiftOut,
    /// A comparison with the least or greatest value.
    BvCompareBound,
    /// All bits are taken, or none are added.
    BvWhole,
    /// Bits taken from bits taken.
    ExtractExtract,
    /// Bits taken from one part of a concatenation.
    ExtractConcat,
    /// Bits taken from an extension.
    ExtractExtend,
    /// An extension of an extension.
    ExtendExtend,
    /// Adjacent bits put together again.
    ConcatExtract,
    /// An equation of an extension with a constant.
    EqExtend,
    /// An equation of polynomials.
    EqPolynomial,
    /// A comparison of equal polynomials.
    ComparePolynomials,
    /// Reading what was written.
    SelectStoreSame,
    /// Reading elsewhere than written.
    SelectStoreOther,
    /// Reading a constant array.
    SelectConstArray,
    /// The second write wins.
    StoreStore,
    /// Writing back what is there.
    StoreSelect,
    /// Conversion to the same format.
    FloatConvertSame,
    /// `-(-a)`, `||a||`.
    FloatInvolution,
}

/// One application of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Why.
    pub rule: Rule,
    /// The node that was asked for, as it is.
    pub before: Term,
    /// What was given instead.
    pub after: Term,
}

/// The recorded rewrites, if anybody asked for them.
#[derive(Debug, Default)]
pub(super) struct Rewrites {
    log: Option<Vec<Rewrite>>,
}

impl Terms {
    /// Keeps the rewrites from now on, until [`Terms::take_rewrites`].
    pub fn record_rewrites(&mut self) {
        self.rewrites.log = Some(Vec::new());
    }

    /// The rewrites since [`Terms::record_rewrites`]; recording ends.
    pub fn take_rewrites(&mut self) -> Vec<Rewrite> {
        self.rewrites.log.take().unwrap_or_default()
    }

    /// The simplified term for a node. The arguments must fit the operator
    /// (see [`Terms::checked`] for arguments of unknown origin).
    pub fn make(&mut self, op: Op, args: &[Term]) -> Term {
        debug_assert!(self.check_sorts(op, args).is_ok(), "{op:?} on {args:?}");
        let Some((rule, after)) = self.simplify(op, args) else {
            let sort = self.result_sort(op, args);
            return self.raw(op, args, sort);
        };
        if self.rewrites.log.is_some() {
            let sort = self.result_sort(op, args);
            let before = self.raw(op, args, sort);
            if let Some(log) = &mut self.rewrites.log {
                log.push(Rewrite { rule, before, after });
            }
        }
        after
    }

    /// `before != after`, not simplified in any way: what must be unsatisfiable for a rewrite to be
    /// right. The terms must have one sort.
    pub fn unsimplified_difference(&mut self, before: Term, after: Term) -> Term {
        let equal = self.raw(Op::Eq, &[before, after], Sort::Bool);
        self.raw(Op::Not, &[equal], Sort::Bool)
    }

    fn simplify(&mut self, op: Op, args: &[Term]) -> Option<(Rule, Term)> {
        match op {
            Op::True | Op::False | Op::Int(_) | Op::BitVec(_) | Op::Symbol(_) | Op::Apply(_) => {
                None
            }
            Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq => self.simplify_core(op, args),
            Op::Add | Op::Mul | Op::Le | Op::Div | Op::Mod => self.simplify_int(op, args),
            Op::Select | Op::Store | Op::ConstArray(_) => self.simplify_array(op, args),
            Op::FloatFromBits(_)
            | Op::FloatAdd
            | Op::FloatSub
            | Op::FloatMul
            | Op::FloatDiv
            | Op::FloatNeg
            | Op::FloatAbs
            | Op::FloatSqrt
            | Op::FloatFma
            | Op::FloatRem
            | Op::FloatRound(_)
            | Op::FloatEq
            | Op::FloatLt
            | Op::FloatLe
            | Op::FloatIsNan
            | Op::FloatIsInfinite
            | Op::FloatConvert(_)
            | Op::FloatFromSigned(_)
            | Op::FloatFromUnsigned(_)
            | Op::FloatToSigned(_)
            | Op::FloatToUnsigned(_) => self.simplify_float(op, args),
            _ => self.simplify_bv(op, args),
        }
    }
}
