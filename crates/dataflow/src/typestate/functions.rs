//! Which functions the automaton makes steps in, with or without the watched value, and which return.

use std::collections::BTreeSet;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind};
use gnomon_ir::library::Library;
use gnomon_ir::program::{FuncId, VarId};

use super::fact::{Fact, Holders};
use super::fresh::FIRST_DESCRIPTOR;
use super::world::{AT_EXIT, SIGNALS, World};

impl World<'_> {
    /// Functions whose edges write variables of the automaton, and all that may call them.
    pub fn find_watched(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut own: BTreeSet<VarId> = self.ghosts.iter().copied().collect();
        own.extend(self.automaton.tracked);
        for (func, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            let sites = self.automaton.sites.range((func, EdgeId(0))..=(func, EdgeId(u32::MAX)));
            let mut makes_steps = sites.count() > 0;
            for edge in body.edges().iter() {
                budget.check()?;
                if let Op::Assign { dst, .. } = edge.op {
                    let root = self.program.exprs.root_var(dst);
                    makes_steps |= root.is_some_and(|var| own.contains(&var));
                }
            }
            self.watched[func.index()] = makes_steps;
        }
        let own = std::mem::take(&mut self.watched);
        self.watched = self.with_callers(own, budget)?;
        Ok(())
    }

    /// Pairs of a function and one that it may call, or have called back.
    fn calls(&self, budget: &Budget) -> Result<Vec<(FuncId, FuncId)>, Exhausted> {
        let mut calls = Vec::new();
        for (func, function) in self.program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                if matches!(edge.op, Op::Call(_)) {
                    let callees = self.points_to.callees(self.program, func, id);
                    let all = callees.functions.iter().chain(&callees.callbacks);
                    calls.extend(all.map(|&callee| (func, callee)));
                }
            }
        }
        calls.sort_unstable();
        calls.dedup();
        Ok(calls)
    }

    /// Functions that do not call themselves, and that nothing calls which may run at any moment
    /// or at the end.
    pub fn find_running_once(
        &mut self,
        called: &BTreeSet<&str>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut callees: Vec<Vec<FuncId>> = vec![Vec::new(); self.program.funcs.len()];
        for (func, callee) in self.calls(budget)? {
            callees[func.index()].push(callee);
        }
        let below = |roots: Vec<FuncId>| {
            let mut seen = vec![false; callees.len()];
            let mut work = roots;
            while let Some(func) = work.pop() {
                if !std::mem::replace(&mut seen[func.index()], true) {
                    work.extend(&callees[func.index()]);
                }
            }
            seen
        };
        let registers = SIGNALS.iter().chain(&AT_EXIT).any(|name| called.contains(name));
        let interrupting = below(if registers { self.escaped_functions() } else { Vec::new() });
        let mut once = Vec::with_capacity(callees.len());
        for func in self.program.funcs.ids() {
            budget.check()?;
            let calls_itself = below(callees[func.index()].clone())[func.index()];
            once.push(!calls_itself && !interrupting[func.index()]);
        }
        self.runs_once = once;
        Ok(())
    }

    /// These functions and all that may call them.
    fn with_callers(&self, mut some: Vec<bool>, budget: &Budget) -> Result<Vec<bool>, Exhausted> {
        let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); some.len()];
        for (func, callee) in self.calls(budget)? {
            callers[callee.index()].push(func);
        }
        let mut work: Vec<FuncId> = self.program.funcs.ids().filter(|f| some[f.index()]).collect();
        while let Some(func) = work.pop() {
            for &caller in &callers[func.index()] {
                if !std::mem::replace(&mut some[caller.index()], true) {
                    work.push(caller);
                }
            }
        }
        Ok(some)
    }

    /// Functions with a step that needs no comparison with the watched value, or one with a number
    /// that may be any.
    pub fn find_blind_steps(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut blind = vec![false; self.program.funcs.len()];
        for (func, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for (id, edge) in body.edges().iter_ids() {
                let is_step = match &edge.op {
                    Op::Assign { dst, .. } => {
                        let root = self.program.exprs.root_var(*dst);
                        root.is_some_and(|var| self.ghosts.contains(&var))
                    }
                    _ => self.automaton.sites.contains(&(func, id)),
                };
                blind[func.index()] |= is_step && !self.is_guarded(body, id);
            }
        }
        self.blind_steps = self.with_callers(blind, budget)?;
        Ok(())
    }

    /// Whether an edge of the automaton lies behind a comparison with the watched value, or behind
    /// the beginning of the watch.
    fn is_guarded(&self, body: &Cfa, mut id: EdgeId) -> bool {
        loop {
            let edge = body.edge(id);
            match &edge.op {
                Op::Assume(condition) if self.compares_watched(*condition) => return true,
                Op::Assign { dst, .. } => {
                    if self.program.exprs.root_var(*dst) == self.automaton.tracked
                        && self.automaton.tracked.is_some()
                    {
                        return true;
                    }
                }
                Op::Assume(_) | Op::Skip | Op::Havoc(_) => {}
                _ => return false,
            }
            match body.in_edges(edge.from) {
                [only] => id = *only,
                _ => return false,
            }
        }
    }

    /// What a condition compares with the watched value, if it says that they are the same.
    fn compared(&self, condition: ExprId) -> Option<ExprId> {
        let ExprKind::Binary(BinaryOp::Eq, a, b) = self.program.exprs.expr(condition).kind else {
            return None;
        };
        let (a, b) = (self.stripped(a), self.stripped(b));
        match (self.is_tracked_variable(a), self.is_tracked_variable(b)) {
            (true, false) => Some(b),
            (false, true) => Some(a),
            _ => None,
        }
    }

    /// The sites that a watch which began there may reach, by what expressions may hold alone.
    pub fn sites_of(&self, origin: u32) -> impl Iterator<Item = (FuncId, EdgeId)> + '_ {
        let sites = self.automaton.sites.iter().copied();
        sites.filter(move |&(func, edge)| {
            let body = self.program.funcs[func].body.as_ref();
            let argument = body.and_then(|body| self.site_argument(body, edge));
            argument.is_none_or(|argument| self.may_ever_be(origin, argument))
        })
    }

    /// What is compared with the watched value before a site.
    fn site_argument(&self, body: &Cfa, mut id: EdgeId) -> Option<ExprId> {
        loop {
            let edge = body.edge(id);
            match &edge.op {
                Op::Assume(condition) => {
                    if let Some(argument) = self.compared(*condition) {
                        return Some(argument);
                    }
                }
                Op::Skip | Op::Havoc(_) => {}
                _ => return None,
            }
            match body.in_edges(edge.from) {
                [only] => id = *only,
                _ => return None,
            }
        }
    }

    /// Whether an expression may be the watched value at any time.
    fn may_ever_be(&self, origin: u32, e: ExprId) -> bool {
        if self.origins.is_in_object(origin) && self.program.types.is_pointer(self.ty(e)) {
            return !self.pointees(e).is_disjoint(self.origins.objects(origin));
        }
        match (self.numbers.of(origin), self.program.exprs.expr(e).kind) {
            (Some(holders), ExprKind::Load(place)) => {
                let cells = self.cells(place);
                cells.intersects(&holders) || cells.intersects(&self.numbers.any)
            }
            _ => true,
        }
    }

    /// Whether a condition says that something is the watched value, which only who holds it is.
    fn compares_watched(&self, condition: ExprId) -> bool {
        let Some(other) = self.compared(condition) else { return false };
        if self.program.types.is_pointer(self.ty(other)) {
            return true;
        }
        match self.program.exprs.expr(other).kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                self.program.as_int(other).is_some_and(|number| number < FIRST_DESCRIPTOR)
            }
            ExprKind::Load(place) => !self.cells(place).intersects(&self.numbers.any),
            _ => false,
        }
    }

    /// Whether a function cannot do anything with the watched value, because nobody there has it.
    pub fn is_blind(&self, fact: &Fact, callee: FuncId, args: &[ExprId], knows: bool) -> bool {
        let Holders::Only(cells) = &fact.holders else { return false };
        if fact.origin == 0 || knows || self.blind_steps[callee.index()] {
            return false;
        }
        // Who looks closer may find that the result is not any number after all.
        if self.numbers.has_any_result(callee) {
            return false;
        }
        let visible = self.visible(callee);
        !cells.iter().any(|&cell| visible.contains(cell))
            && !args.iter().any(|&arg| self.may_hold(fact, arg))
    }

    /// Whether a call of the function may return.
    pub fn may_return(&self, func: FuncId) -> bool {
        self.may_return[func.index()]
    }

    /// Which functions have a path to their end, over calls that may return.
    pub fn find_returning(&mut self) {
        loop {
            let mut changed = false;
            for (func, function) in self.program.funcs.iter_ids() {
                let Some(body) = &function.body else {
                    let kind = self.library(func);
                    let ends = matches!(
                        kind,
                        Library::Abort | Library::Exit | Library::Unreachable | Library::Error
                    );
                    changed |=
                        !std::mem::replace(&mut self.may_return[func.index()], !ends) && !ends;
                    continue;
                };
                if self.may_return[func.index()] {
                    continue;
                }
                let mut seen = vec![false; body.loc_count()];
                let mut work = vec![body.entry()];
                seen[body.entry().index()] = true;
                while let Some(loc) = work.pop() {
                    for &id in body.out_edges(loc) {
                        let edge = body.edge(id);
                        let passes = match &edge.op {
                            Op::Call(call) => self.call_may_return(func, id, call),
                            _ => true,
                        };
                        if passes && !std::mem::replace(&mut seen[edge.to.index()], true) {
                            work.push(edge.to);
                        }
                    }
                }
                if seen[body.exit().index()] {
                    self.may_return[func.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn call_may_return(&self, func: FuncId, edge: EdgeId, call: &Call) -> bool {
        match call.callee {
            Callee::Direct(callee) => self.may_return[callee.index()],
            Callee::Indirect(_) => {
                let callees = self.points_to.callees(self.program, func, edge);
                callees.outside || callees.functions.iter().any(|f| self.may_return[f.index()])
            }
        }
    }
}
