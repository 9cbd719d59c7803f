//! Bit-vectors, floating-point numbers, arrays and uninterpreted functions by bit-blasting to a SAT solver (CaDiCaL).
//!
//! Terms become circuits ([`blast`], [`float`], [`words`],
//! [`gates`]) and those parts of the circuits that a
//! query speaks about become clauses. The SAT solver is incremental: what it learned stays, and
//! assumptions are literals. Formulas of the base scope are clauses, those of inner scopes are
//! assumptions of every query.
//!
//! Work is counted in rounds of the SAT solver's search (a decision or a conflict each), which is the
//! same in every run, and weighted with the size of the formula; the user's clock is only the last
//! guard. What cannot be said in bits (integers, equations between arrays)
//! is [`UnknownReason::Incomplete`]; [`super::bits`] then asks another solver.

pub mod blast;
pub mod float;
pub mod gates;
pub mod words;

use super::{Answer, Limits, Model, Purpose, Solver, Statistics, UnknownReason, client};
use crate::term::{Sort, Term, Terms};
use blast::{Blaster, NotInBits};
use gates::{Assignment, Lit};
use gnomon_budget::{Budget, thread_time};
use std::time::{Duration, Instant};

/// The work between two looks at the limits of whom the solver works for.
const WORK_PER_CHECK: u64 = 2_000;
/// What a microsecond of processor time is charged at least: a sixth of what it is worth, so that counts
/// decide, and are the same in every run, wherever they are nearly right. Where propagation takes far longer than the size of the formula says (long chains of adders), counts would let one query go on
/// for minutes.
const WORK_PER_MICROSECOND: f64 = 0.5;

/// Rounds of the search between two looks: CaDiCaL's `terminateint`.
const ROUNDS_PER_LOOK: u64 = 10;
/// The work of a round, in solver resources, and for how many variables there is one more.
const ROUND_WORK: u64 = 6;
const VARIABLES_PER_UNIT: u64 = 2000;
/// The work of a gate that is made for a query. Every variable is one more unit: the solver visits it before
/// and after its search.
const WORK_PER_GATE: u64 = 2;

/// Counts the work of one query, and ends it at its limits.
struct Meter {
    /// The work of a look.
    look_work: u64,
    /// The work of all looks.
    counted: u64,
    /// What of it was charged.
    charged: u64,
    /// No more than this.
    most: u64,
    /// When it began, by the processor time of the thread: others may work while it waits.
    began: Duration,
    /// How long it may take.
    longest: Option<Duration>,
    client: Option<Budget>,
    struck: Option<UnknownReason>,
}

impl Meter {
    /// Begins a query.
    fn new(look_work: u64, limits: Limits) -> Self {
        Self {
            look_work,
            counted: 0,
            charged: 0,
            most: limits.resources.map_or(u64::MAX, u64::from),
            began: thread_time(),
            longest: limits.time,
            client: client::current(),
            struck: None,
        }
    }

    /// Charges what was done since the last time; how long the query has taken.
    fn charge(&mut self) -> Duration {
        let taken = thread_time().saturating_sub(self.began);
        let least = (taken.as_micros() as f64 * WORK_PER_MICROSECOND) as u64;
        self.counted = self.counted.max(least);
        if let Some(client) = &self.client {
            client.charge(self.counted - self.charged);
        }
        self.charged = self.counted;
        taken
    }
}

impl cadical::Callbacks for Meter {
    fn terminate(&mut self) -> bool {
        self.counted += self.look_work;
        if self.counted > self.most {
            self.struck = Some(UnknownReason::ResourceLimit);
            return true;
        }
        // The clock and the client only now and then.
        if self.counted - self.charged >= WORK_PER_CHECK {
            let taken = self.charge();
            let is_late = self.longest.is_some_and(|longest| taken >= longest);
            let is_over = self.client.as_ref().is_some_and(|client| client.check_now().is_err());
            if is_late || is_over {
                self.struck = Some(UnknownReason::Time);
                return true;
            }
        }
        false
    }
}

/// A solver for bits.
pub struct SatSolver {
    sat: cadical::Solver<Meter>,
    blaster: Blaster,
    /// The arena all terms come from, once one was seen.
    arena: Option<u64>,
    /// The literals of inner scopes; those of the base are clauses.
    frames: Vec<Vec<Lit>>,
    /// How many constraints of the blaster are clauses.
    constrained: usize,
    /// How many gates were charged.
    charged: usize,
    /// An assertion that failed makes every check unknown until its scope is closed.
    failed: Option<(usize, UnknownReason)>,
    last: Vec<(Term, Lit)>,
    /// A literal of the last query that is plainly false.
    refuted: Option<Lit>,
    model: Option<Assignment>,
    statistics: Statistics,
}

impl Default for SatSolver {
    fn default() -> Self {
        Self {
            sat: cadical::Solver::new(),
            blaster: Blaster::default(),
            arena: None,
            frames: Vec::new(),
            constrained: 0,
            charged: 0,
            failed: None,
            last: Vec::new(),
            refuted: None,
            model: None,
            statistics: Statistics::default(),
        }
    }
}

impl From<NotInBits> for UnknownReason {
    fn from(error: NotInBits) -> Self {
        Self::Incomplete(error.to_string())
    }
}

impl SatSolver {
    /// A solver without formulas.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many gates the formulas have so far.
    pub fn gates(&self) -> usize {
        self.blaster.gates.count()
    }

    fn literal(&mut self, terms: &Terms, formula: Term) -> Result<Lit, UnknownReason> {
        if *self.arena.get_or_insert(terms.identity()) != terms.identity() {
            return Err(UnknownReason::Failed("terms of two arenas in one solver".into()));
        }
        if terms.sort(formula) != Sort::Bool {
            return Err(UnknownReason::Failed("a formula that is not Boolean".into()));
        }
        Ok(self.blaster.literal(terms, formula)?)
    }

    /// The literal in the SAT solver, which is given its clauses.
    fn emit(&mut self, lit: Lit) -> i32 {
        let sat = &mut self.sat;
        self.blaster.gates.emit(lit, |clause| sat.add_clause(clause.iter().copied()))
    }

    /// What must hold of arrays and functions.
    fn constrain(&mut self) {
        while let Some(&constraint) = self.blaster.constraints.get(self.constrained) {
            self.constrained += 1;
            if constraint != Lit::TRUE {
                let literal = self.emit(constraint);
                self.sat.add_clause([literal]);
            }
        }
    }

    fn try_check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: Limits,
    ) -> Result<Answer, UnknownReason> {
        self.model = None;
        self.refuted = None;
        self.last.clear();
        if let Some((_, reason)) = &self.failed {
            return Err(reason.clone());
        }
        for &assumption in assumptions {
            let literal = self.literal(terms, assumption)?;
            self.last.push((assumption, literal));
        }
        self.constrain();
        let mut literals: Vec<Lit> = self.frames.iter().flatten().copied().collect();
        literals.extend(self.last.iter().map(|(_, literal)| *literal));
        if literals.contains(&Lit::FALSE) {
            self.refuted = Some(Lit::FALSE);
            return Ok(Answer::Unsat);
        }
        literals.retain(|&literal| literal != Lit::TRUE);
        literals.sort_unstable();
        literals.dedup();
        let assumed: Vec<i32> = literals.into_iter().map(|literal| self.emit(literal)).collect();
        let variables = u64::try_from(self.sat.max_variable()).unwrap_or(0);
        let gates = self.gates();
        let new_gates = (gates - std::mem::replace(&mut self.charged, gates)) as u64;
        client::charge(new_gates * WORK_PER_GATE + variables);
        let look_work = ROUNDS_PER_LOOK * (ROUND_WORK + variables / VARIABLES_PER_UNIT);
        self.sat.set_callbacks(Some(Meter::new(look_work, limits)));
        let answer = self.sat.solve_with(assumed);
        let struck = self.sat.get_callbacks().and_then(|meter| {
            meter.counted += meter.look_work;
            meter.charge();
            meter.struck.take()
        });
        match answer {
            Some(true) => Ok(Answer::Sat),
            Some(false) => Ok(Answer::Unsat),
            None => Err(struck.unwrap_or(UnknownReason::ResourceLimit)),
        }
    }

    /// The values of all gates in the model of the last check.
    fn assignment(&mut self) -> Assignment {
        let Self { sat, blaster, .. } = self;
        let gates = &blaster.gates;
        let is_sat = sat.status() == Some(true);
        let known = sat.max_variable();
        gates.evaluate(|input| match gates.sat_literal(input) {
            Some(literal) if is_sat && literal.abs() <= known => sat.value(literal) == Some(true),
            _ => false,
        })
    }
}

impl Solver for SatSolver {
    fn push(&mut self) {
        self.frames.push(Vec::new());
    }

    fn pop(&mut self) {
        self.frames.pop();
        if self.failed.as_ref().is_some_and(|(depth, _)| *depth > self.frames.len()) {
            self.failed = None;
        }
    }

    fn depth(&self) -> usize {
        self.frames.len()
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        self.model = None;
        match self.literal(terms, formula) {
            Err(reason) => {
                self.failed.get_or_insert((self.frames.len(), reason));
            }
            Ok(literal) => match self.frames.last_mut() {
                Some(frame) => frame.push(literal),
                None => {
                    let literal = self.emit(literal);
                    self.sat.add_clause([literal]);
                }
            },
        }
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        purpose: Purpose,
        limits: Limits,
    ) -> Answer {
        let start = Instant::now();
        let answer = self.try_check(terms, assumptions, limits).unwrap_or_else(Answer::Unknown);
        if answer.is_sat() {
            self.model = Some(self.assignment());
        }
        self.statistics.count(purpose, &answer, start.elapsed());
        answer
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        let mut found = Model::new();
        let Some(before) = self.model.take() else { return found };
        // What no query spoke about yet is computed from what they did.
        let count = self.blaster.gates.count();
        let constraints = self.blaster.constraints.len();
        for &term in of {
            if self.blaster.known(term).is_none() {
                let _ = self.blaster.word(terms, term);
            }
        }
        let bits = match self.blaster.gates.count() == count {
            true => before,
            false => self.assignment(),
        };
        // New unknowns may have values that contradict those of others: then nothing is said of
        // what was new.
        let consistent = self.blaster.constraints[constraints..].iter().all(|&c| bits.of(c));
        for &term in of {
            let is_old =
                self.blaster.known(term).is_some_and(|w| w.iter().all(|b| b.precedes(count)));
            if (is_old || consistent)
                && let Some(value) = self.blaster.value(terms, term, &bits)
            {
                found.set(term, value);
            }
        }
        self.model = Some(bits);
        found
    }

    fn core(&mut self, _: &Terms) -> Vec<Term> {
        let failed = |lit: Lit| match (self.refuted, self.blaster.gates.sat_literal(lit)) {
            (Some(refuted), _) => lit == refuted,
            (None, Some(literal)) => self.sat.status() == Some(false) && self.sat.failed(literal),
            (None, None) => false,
        };
        let needed = self.last.iter().filter(|(_, lit)| failed(*lit)).map(|(term, _)| *term);
        super::each_once(needed)
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
