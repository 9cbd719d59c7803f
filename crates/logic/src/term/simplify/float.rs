//! Rules for floating-point numbers. Few: rounding leaves little that is always true.

use crate::term::op::Op;
use crate::term::rewrite::Rule;
use crate::term::{Term, Terms};

impl Terms {
    pub(in crate::term) fn simplify_float(
        &mut self,
        op: Op,
        args: &[Term],
    ) -> Option<(Rule, Term)> {
        let &[a] = args else { return None };
        match (op, self.op(a)) {
            (Op::FloatConvert(to), _) if self.float_sort(a) == Some(to) => {
                Some((Rule::FloatConvertSame, a))
            }
            (Op::FloatNeg, Op::FloatNeg) => Some((Rule::FloatInvolution, self.arg(a, 0))),
            (Op::FloatAbs, Op::FloatAbs) => Some((Rule::FloatInvolution, a)),
            (Op::FloatAbs, Op::FloatNeg) => {
                let inner = self.arg(a, 0);
                Some((Rule::FloatInvolution, self.make(Op::FloatAbs, &[inner])))
            }
            _ => None,
        }
    }
}
