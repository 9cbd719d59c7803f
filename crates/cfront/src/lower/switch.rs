//! `switch`.

use gnomon_ir::cfa::{LocId, Op};
use gnomon_ir::expr::BinaryOp;
use gnomon_ir::program::StmtKind as IrStmtKind;

use super::conv::Val;
use super::ctype::QType;
use super::{Lower, Res};
use crate::ast::{ExprId, StmtId};
use crate::span::Span;

/// The labels of a `switch` whose body is being lowered.
#[derive(Debug)]
pub(crate) struct SwitchState {
    ty: QType,
    cases: Vec<Case>,
    default: Option<LocId>,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    first: i128,
    last: i128,
    loc: LocId,
    span: Span,
}

impl Lower<'_> {
    /// The body is lowered first, where only its labels lead; then the tests that jump to them, one
    /// after the other in the order of the labels.
    pub(super) fn switch(&mut self, cond: ExprId, body: StmtId, span: Span) -> Res<()> {
        self.begin_head(IrStmtKind::Switch, span, cond);
        let stmt = self.func.stmt;
        self.check_sequence(cond);
        let v = self.rvalue(cond)?;
        let v = self.require_integer(v, self.ast[cond].span)?;
        let v = self.promote(v);
        let v = Val { e: self.keep(v.e), ty: v.ty };
        let tests = self.func.cur;
        let end = self.new_loc();
        self.func.cur = self.new_loc();
        self.func.breaks.push(end);
        self.func.switches.push(SwitchState { ty: v.ty, cases: Vec::new(), default: None });
        let result = self.in_block(|lower| lower.statement(body));
        self.jump(end);
        self.func.breaks.pop();
        let Some(state) = self.func.switches.pop() else { return result };
        self.func.cur = tests;
        self.func.stmt = stmt;
        let duplicates = self.check_cases(&state);
        for case in &state.cases {
            self.test(v, case);
        }
        self.jump(state.default.unwrap_or(end));
        self.func.cur = end;
        result.and(duplicates)
    }

    fn test(&mut self, v: Val, case: &Case) {
        if case.first > case.last {
            return;
        }
        let next = self.new_loc();
        let first = self.int_val(v.ty, case.first);
        if case.first == case.last {
            let same = self.program.binary(BinaryOp::Eq, v.e, first.e);
            self.two_ways(same, case.span, case.loc, next);
        } else {
            let middle = self.new_loc();
            let last = self.int_val(v.ty, case.last);
            let above = self.program.binary(BinaryOp::Ge, v.e, first.e);
            self.two_ways(above, case.span, middle, next);
            self.func.cur = middle;
            let below = self.program.binary(BinaryOp::Le, v.e, last.e);
            self.two_ways(below, case.span, case.loc, next);
        }
        self.func.cur = next;
    }

    fn two_ways(&mut self, cond: gnomon_ir::expr::ExprId, span: Span, yes: LocId, no: LocId) {
        match self.program.as_truth(cond) {
            Some(true) => self.jump(yes),
            Some(false) => self.jump(no),
            None => {
                let not = self.program.not(cond);
                self.emit_to(Op::Assume(cond), span, yes);
                self.emit_to(Op::Assume(not), span, no);
            }
        }
    }

    fn check_cases(&mut self, state: &SwitchState) -> Res<()> {
        let mut sorted: Vec<&Case> = state.cases.iter().filter(|c| c.first <= c.last).collect();
        sorted.sort_by_key(|case| (case.first, case.span));
        for pair in sorted.windows(2) {
            if pair[0].last >= pair[1].first {
                return Err(self.error(pair[1].span, "this value has a `case` already"));
            }
        }
        Ok(())
    }

    pub(super) fn case_label(
        &mut self,
        first: ExprId,
        last: Option<ExprId>,
        span: Span,
    ) -> Res<()> {
        let Some(ty) = self.func.switches.last().map(|s| s.ty) else {
            return Err(self.error(span, "`case` outside of a `switch`"));
        };
        let loc = self.new_loc();
        self.continue_at(loc);
        let first = self.case_value(first, ty)?;
        let last = match last {
            Some(last) => self.case_value(last, ty)?,
            None => first,
        };
        if let Some(state) = self.func.switches.last_mut() {
            state.cases.push(Case { first, last, loc, span });
        }
        Ok(())
    }

    /// The value converted to the type of what is switched on.
    fn case_value(&mut self, e: ExprId, ty: QType) -> Res<i128> {
        let value = self.constant_int(e)?;
        let v = self.int_val(ty, value);
        Ok(self.program.as_int(v.e).unwrap_or(value))
    }

    pub(super) fn default_label(&mut self, span: Span) -> Res<()> {
        let loc = self.new_loc();
        self.continue_at(loc);
        match self.func.switches.last_mut() {
            Some(SwitchState { default: default @ None, .. }) => {
                *default = Some(loc);
                Ok(())
            }
            Some(_) => Err(self.error(span, "the `switch` has a `default` already")),
            None => Err(self.error(span, "`default` outside of a `switch`")),
        }
    }
}
