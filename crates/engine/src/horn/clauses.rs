//! Clauses between cut points, and their solutions.
//!
//! A relation has parameters: variables of the program, without indices. A clause applies it to
//! symbols of its formula. So a formula over the parameters can be read at each end of a clause, and
//! whoever works with clauses needs to know nothing of blocks, calls or values at entries.

use std::collections::BTreeMap;
use std::fmt::Debug;

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::{Answer, Limits, Purpose, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use super::Tools;
use crate::wrapping::Counters;

/// A point at which executions are cut into pieces.
pub trait CutPoint: Copy + Ord + Debug {}

impl<T: Copy + Ord + Debug> CutPoint for T {}

/// One formula without indices for each cut point.
pub type Invariants<P> = BTreeMap<P, Term>;

/// The relation of a cut point, applied to symbols: one for each of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied<P> {
    /// The cut point.
    pub point: P,
    /// In the order of the parameters.
    pub arguments: Vec<Symbol>,
}

/// What happens between cut points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// As it is.
    pub formula: Term,
    /// What counts in it how often numbers wrap around.
    pub counters: Counters,
}

impl Body {
    /// The formula if nothing wraps around: not sound, but simpler.
    pub fn unwrapped(&self, terms: &mut Terms, budget: &Budget) -> Result<Term, Exhausted> {
        self.counters.left_out(terms, self.formula, budget)
    }
}

/// Premises and body imply the conclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause<P> {
    /// None at the start of the program; two where a call returns.
    pub premises: Vec<Applied<P>>,
    /// The body.
    pub body: Body,
    /// `None` if this must not happen.
    pub conclusion: Option<Applied<P>>,
}

/// The clauses of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clauses<P> {
    /// The parameters of each cut point's relation.
    pub parameters: BTreeMap<P, Vec<Variable>>,
    /// The clauses.
    pub all: Vec<Clause<P>>,
}

/// The limit of a query whether one clause holds.
const SOLUTION_QUERY: u32 = 10_000_000;

impl<P: CutPoint> Clauses<P> {
    /// Without clauses.
    pub fn new(parameters: BTreeMap<P, Vec<Variable>>) -> Self {
        Self { parameters, all: Vec::new() }
    }

    /// Whether it matters for any clause that numbers wrap around.
    pub fn can_wrap(&self, terms: &mut Terms) -> bool {
        let bodies = self.all.iter().map(|clause| &clause.body);
        bodies.into_iter().any(|body| body.counters.occur_in(terms, body.formula))
    }

    /// A formula over the parameters of a cut point, read where its relation is applied. `None` if
    /// it mentions anything else.
    pub fn read(&self, terms: &mut Terms, at: &Applied<P>, formula: Term) -> Option<Term> {
        let parameters = self.parameters.get(&at.point)?;
        let arguments: FxHashMap<Variable, Symbol> =
            parameters.iter().copied().zip(at.arguments.iter().copied()).collect();
        let symbols = terms.free_symbols(formula);
        if symbols.iter().any(|s| !arguments.contains_key(&s.variable)) {
            return None;
        }
        Some(terms.rebuild(formula, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            Some(terms.symbol(*arguments.get(&symbol.variable)?))
        }))
    }

    /// Whether formulas make every clause true, with arithmetic as it is. If the solver returns
    /// unknown, or a cut point has no formula, they do not.
    pub fn is_solution(&self, invariants: &Invariants<P>, tools: &mut Tools<'_>) -> bool {
        self.all.iter().all(|clause| self.holds(clause, invariants, tools))
    }

    fn holds(&self, clause: &Clause<P>, invariants: &Invariants<P>, tools: &mut Tools<'_>) -> bool {
        let Tools { terms, solver, budget } = tools;
        if budget.check_now().is_err() {
            return false;
        }
        let mut facts = vec![clause.body.formula];
        for premise in &clause.premises {
            let Some(&before) = invariants.get(&premise.point) else { return false };
            let Some(before) = self.read(terms, premise, before) else { return false };
            facts.push(before);
        }
        if let Some(conclusion) = &clause.conclusion {
            let Some(&behind) = invariants.get(&conclusion.point) else { return false };
            let Some(behind) = self.read(terms, conclusion, behind) else { return false };
            facts.push(terms.not(behind));
        }
        let limits = Limits::default().with_resources(SOLUTION_QUERY);
        solver.check(terms, &facts, Purpose::ABSTRACTION, limits) == Answer::Unsat
    }
}
