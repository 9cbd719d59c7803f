//! The check every sequence passes before it leaves the crate.
//!
//! A sequence has one formula per cut. It is accepted when the first is true, the last false, the
//! formula at the entry of a call that returns true (its own part is empty there), every symbol of a
//! formula occurs on both sides of its cut, and every step preserves the sequence: a step inside a
//! function leads from the formula before it to the one after it; a return leads from the formula
//! before the call, the call, the formula at the end of the callee and the return to the formula
//! after it. These conditions make the formulas interpolants: by induction the own part of each cut
//! implies its formula, and the last one shows that the path is infeasible.
//!
//! Loops unrolled on a path repeat the same question with other SSA indices. Questions are therefore
//! renamed to a canonical form first (the indices of each variable are replaced by their ranks,
//! which is injective and so keeps validity), and the answers are remembered.

use super::path::Path;
use crate::solver::{Answer, Limits, Purpose, Solver};
use crate::term::{Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

/// Why a sequence was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not one formula per cut.
    #[error("{found} formulas for {expected} cuts")]
    Length {
        /// The number of cuts.
        expected: usize,
        /// The number of formulas.
        found: usize,
    },
    /// The formula must be true here.
    #[error("the formula at cut {cut} is not true")]
    NotTrue {
        /// The cut.
        cut: usize,
    },
    /// The last formula must be false.
    #[error("the last formula is not false")]
    NotFalse,
    /// A symbol occurs on one side of the cut only.
    #[error("the formula at cut {cut} mentions a symbol that is not shared there")]
    OutOfScope {
        /// The cut.
        cut: usize,
        /// The symbol.
        symbol: Symbol,
    },
    /// A step does not preserve the sequence.
    #[error("step {step} does not preserve the sequence")]
    NotInductive {
        /// The step.
        step: usize,
    },
    /// The solver could not tell.
    #[error("the solver could not decide step {step}")]
    Undecided {
        /// The step.
        step: usize,
    },
}

/// The same formula with the SSA indices of each variable replaced by their ranks.
pub fn canonical(terms: &mut Terms, formula: Term) -> Term {
    let symbols = terms.free_symbols(formula);
    let mut ranks: FxHashMap<Symbol, u32> = FxHashMap::default();
    let mut last: Option<(Variable, u32)> = None;
    for &symbol in symbols.iter().filter(|s| s.index.is_some()) {
        let rank = match last {
            Some((variable, rank)) if variable == symbol.variable => rank + 1,
            _ => 0,
        };
        last = Some((symbol.variable, rank));
        ranks.insert(symbol, rank);
    }
    terms.reindex(formula, |symbol| ranks.get(&symbol).copied())
}

/// Answers implication questions, remembering them up to the choice of SSA indices.
#[derive(Debug, Default)]
pub struct Checker {
    unsatisfiable: FxHashMap<Term, bool>,
    arena: Option<u64>,
    /// Questions that were asked.
    pub questions: u64,
    /// Questions that a remembered answer settled.
    pub remembered: u64,
}

impl Checker {
    /// Whether a formula is unsatisfiable; `None` when the solver cannot tell.
    pub fn is_unsatisfiable(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        formula: Term,
        limits: Limits,
    ) -> Option<bool> {
        if formula == terms.ff() {
            return Some(true);
        }
        if self.arena != Some(terms.identity()) {
            self.unsatisfiable.clear();
            self.arena = Some(terms.identity());
        }
        self.questions += 1;
        let question = canonical(terms, formula);
        if let Some(&known) = self.unsatisfiable.get(&question) {
            self.remembered += 1;
            return Some(known);
        }
        solver.push();
        solver.assert(terms, question);
        let answer = solver.check(terms, &[], Purpose::CHECK, limits);
        solver.pop();
        let unsatisfiable = match answer {
            Answer::Unsat => true,
            Answer::Sat => false,
            Answer::Unknown(_) => return None,
        };
        self.unsatisfiable.insert(question, unsatisfiable);
        Some(unsatisfiable)
    }

    /// Whether the premises imply the conclusion; `None` when the solver cannot tell.
    pub fn implies(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        premises: &[Term],
        conclusion: Term,
        limits: Limits,
    ) -> Option<bool> {
        if conclusion == terms.tt() || premises.contains(&conclusion) {
            return Some(true);
        }
        let mut all = premises.to_vec();
        all.push(terms.not(conclusion));
        let formula = terms.and(&all);
        self.is_unsatisfiable(terms, solver, formula, limits)
    }

    /// Checks a sequence against its path.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        path: &Path,
        formulas: &[Term],
        limits: Limits,
    ) -> Result<(), Refusal> {
        if formulas.len() != path.len() + 1 {
            return Err(Refusal::Length { expected: path.len() + 1, found: formulas.len() });
        }
        for (cut, &formula) in formulas.iter().enumerate() {
            let entry = cut == 0 || path.is_returning_call(cut - 1);
            if entry && formula != terms.tt() {
                return Err(Refusal::NotTrue { cut });
            }
            let symbols = terms.free_symbols(formula);
            if let Some(&symbol) = symbols.iter().find(|&&s| !path.is_shared(s, cut)) {
                return Err(Refusal::OutOfScope { cut, symbol });
            }
        }
        if formulas.last() != Some(&terms.ff()) {
            return Err(Refusal::NotFalse);
        }
        for (at, step) in path.steps().iter().enumerate() {
            if path.is_returning_call(at) {
                continue;
            }
            let premises = match path.call_of(at) {
                Some(call) => {
                    let passing = path.steps()[call].formula;
                    vec![formulas[call], passing, formulas[at], step.formula]
                }
                None => vec![formulas[at], step.formula],
            };
            match self.implies(terms, solver, &premises, formulas[at + 1], limits) {
                Some(true) => {}
                Some(false) => return Err(Refusal::NotInductive { step: at }),
                None => return Err(Refusal::Undecided { step: at }),
            }
        }
        Ok(())
    }
}
