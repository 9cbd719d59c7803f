//! Z3 in this process.
//!
//! For the many small queries over integers, arrays and uninterpreted functions, where talking to
//! another process would cost more than the answer. A check that Z3 does not end in time is
//! interrupted, which Z3 obeys soon in these theories; bit-vector, floating-point and Horn queries
//! belong in a worker process ([`super::worker`]).
//!
//! Assumptions that are not literals over Boolean symbols get a proxy: a Boolean constant that
//! implies them. It is asserted in a scope that is closed before the next question, so that no query
//! is burdened with the formulas of earlier ones. Only for [`Configuration::small_queries`], which
//! asks about the same formulas again and again, it stays in the scope where it first occurs, and an
//! implication query is one call of Z3 on known literals.
//!
//! The context is replaced by a new one after [`Configuration::queries_per_context`] checks, or
//! when it was out of memory: everything Z3 keeps for terms of past queries is freed, and what is
//! asserted now is asserted again.

mod context;
mod translate;
mod watchdog;

pub use context::version;
pub(crate) use context::{Context, Z3Error};

use super::{Answer, Limits, Model, Purpose, Solver, Statistics, UnknownReason, client, time_of};
use crate::smtlib::parse_value;
use crate::term::{Op, Sort, Term, Terms};
use context::{Ast, Verdict};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use translate::Translation;

/// How the solver is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The SMT-LIB logic; `None` for whatever occurs.
    pub logic: Option<String>,
    /// After so many checks a new context is made.
    pub queries_per_context: u64,
    /// Less propagation: faster where few literals decide, slower on hard queries.
    pub small_queries: bool,
}

impl Configuration {
    /// For integers and uninterpreted functions: the fastest on small queries. With arrays Z3 would
    /// then give models that do not hold and cannot always be evaluated; so the first array makes
    /// this [`Configuration::arrays`].
    pub fn integers() -> Self {
        Self { logic: Some("QF_UFLIA".into()), queries_per_context: 50_000, small_queries: false }
    }

    /// For integers, uninterpreted functions and arrays.
    pub fn arrays() -> Self {
        Self { logic: Some("QF_AUFLIA".into()), ..Self::integers() }
    }

    /// For very many small implications over integers and functions, as abstraction asks them.
    pub fn implications() -> Self {
        Self { small_queries: true, ..Self::integers() }
    }

    /// For everything.
    pub fn all() -> Self {
        Self { logic: None, queries_per_context: 10_000, small_queries: false }
    }
}

/// So much time that no resources explain is no matter.
const UNCOUNTED: Duration = Duration::from_secs(1);

/// An assumption and the literal that stands for it.
#[derive(Clone, Copy)]
struct Proxy {
    assumption: Term,
    depth: usize,
}

/// Z3 in this process.
pub struct Z3Solver {
    configuration: Configuration,
    context: Option<Context>,
    translation: Translation,
    /// The arena all terms come from, once one was seen.
    arena: Option<u64>,
    /// What is asserted, by scope; the first is the base.
    frames: Vec<Vec<Term>>,
    /// How many frames, and how many formulas of the last of them, Z3 has seen.
    proxies: FxHashMap<Term, Ast>,
    proxy_stack: Vec<Proxy>,
    /// Whether a scope is open in Z3 for the assumptions of the last check alone.
    in_temporary_scope: bool,
    resource_limit: Option<u32>,
    /// What the context has used so far.
    resources_used: u64,
    queries: u64,
    last_assumptions: Vec<(Term, Ast)>,
    /// An assertion that failed makes every check unknown until its scope is closed.
    failed: Option<(usize, String)>,
    statistics: Statistics,
}

impl Z3Solver {
    /// A solver for integers and uninterpreted functions.
    pub fn integers() -> Self {
        Self::new(Configuration::integers())
    }

    /// A solver for integers, uninterpreted functions and arrays.
    pub fn arrays() -> Self {
        Self::new(Configuration::arrays())
    }

    /// A solver for very many small implications over integers and functions.
    pub fn implications() -> Self {
        Self::new(Configuration::implications())
    }

    /// A solver for every theory. Z3 cannot always be interrupted outside of linear arithmetic.
    pub fn all() -> Self {
        Self::new(Configuration::all())
    }

    /// A solver set up as told.
    pub fn new(configuration: Configuration) -> Self {
        Self {
            configuration,
            context: None,
            translation: Translation::default(),
            arena: None,
            frames: vec![Vec::new()],
            proxies: FxHashMap::default(),
            proxy_stack: Vec::new(),
            in_temporary_scope: false,
            resource_limit: None,
            resources_used: 0,
            queries: 0,
            last_assumptions: Vec::new(),
            failed: None,
            statistics: Statistics::default(),
        }
    }

    /// The logic that has no arrays.
    fn logic_without_arrays() -> Option<String> {
        Configuration::integers().logic
    }

    /// The arena must be the one that the solver has worked with so far.
    fn accept(&mut self, terms: &Terms) -> Result<(), Z3Error> {
        if *self.arena.get_or_insert(terms.identity()) == terms.identity() {
            Ok(())
        } else {
            Err(Z3Error("terms of two arenas in one solver".into()))
        }
    }

    /// Makes a context if there is none, and asserts again what is on the stack.
    fn ensure_context(&mut self, terms: &Terms) -> Result<(), Z3Error> {
        if self.context.is_some() {
            return Ok(());
        }
        let context = Context::new(self.configuration.logic.as_deref())?;
        if self.configuration.small_queries {
            context.prefer_small_queries()?;
        }
        self.translation = Translation::default();
        self.proxies.clear();
        self.proxy_stack.clear();
        self.in_temporary_scope = false;
        self.resource_limit = None;
        self.resources_used = 0;
        self.queries = 0;
        for (depth, frame) in self.frames.iter().enumerate() {
            if depth > 0 {
                context.push();
            }
            for &formula in frame {
                let ast = self.translation.term(&context, terms, formula)?;
                context.assert(ast)?;
            }
        }
        self.context = Some(context);
        Ok(())
    }

    /// Throws the context away; the next use makes a new one.
    fn discard_context(&mut self) {
        if self.context.take().is_some() {
            self.statistics.restarts += 1;
        }
        self.last_assumptions.clear();
    }

    fn try_assert(&mut self, terms: &Terms, formula: Term) -> Result<(), Z3Error> {
        self.accept(terms)?;
        // Without a context, the formula waits in its frame.
        let Some(context) = &self.context else { return Ok(()) };
        let ast = self.translation.term(context, terms, formula)?;
        context.assert(ast)
    }

    /// Closes the scope of the last check.
    fn close_temporary_scope(&mut self) {
        if std::mem::take(&mut self.in_temporary_scope) {
            self.forget_proxies(self.frames.len());
            if let Some(context) = &self.context {
                context.pop(1);
            }
        }
    }

    /// Forgets the proxies of scopes deeper than that.
    fn forget_proxies(&mut self, depth: usize) {
        while let Some(proxy) = self.proxy_stack.pop_if(|p| p.depth > depth) {
            self.proxies.remove(&proxy.assumption);
        }
    }

    /// The literal for an assumption.
    fn literal(&mut self, terms: &Terms, assumption: Term) -> Result<Ast, Z3Error> {
        if let Some(&known) = self.proxies.get(&assumption) {
            return Ok(known);
        }
        let Some(context) = &self.context else {
            return Err(Z3Error("no context".into()));
        };
        let translated = self.translation.term(context, terms, assumption)?;
        let positive = match terms.op(assumption) {
            Op::Not => terms.arg(assumption, 0),
            _ => assumption,
        };
        if matches!(terms.op(positive), Op::Symbol(_)) {
            return Ok(translated);
        }
        let sort = self.translation.sort(context, terms, Sort::Bool)?;
        let proxy = context.constant(self.translation.fresh_name(), sort)?;
        let not = context.unary(z3_sys::Z3_mk_not, proxy)?;
        let definition = context.nary(z3_sys::Z3_mk_or, &[not, translated])?;
        context.assert(definition)?;
        self.proxies.insert(assumption, proxy);
        let depth = self.frames.len() + usize::from(self.in_temporary_scope);
        self.proxy_stack.push(Proxy { assumption, depth });
        Ok(proxy)
    }

    fn try_check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: Limits,
    ) -> Result<Answer, Z3Error> {
        self.accept(terms)?;
        if self.queries >= self.configuration.queries_per_context {
            self.discard_context();
        }
        self.ensure_context(terms)?;
        self.queries += 1;
        self.last_assumptions.clear();
        if !assumptions.is_empty()
            && !self.configuration.small_queries
            && let Some(context) = &self.context
        {
            context.push();
            self.in_temporary_scope = true;
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let literal = self.literal(terms, assumption)?;
            self.last_assumptions.push((assumption, literal));
            literals.push(literal);
        }
        if self.translation.has_arrays && self.configuration.logic == Self::logic_without_arrays() {
            self.configuration = Configuration::arrays();
            self.discard_context();
            return self.try_check(terms, assumptions, limits);
        }
        let Some(context) = &self.context else {
            return Err(Z3Error("no context".into()));
        };
        let resources = limits.resources.unwrap_or(0);
        if self.resource_limit != Some(resources) {
            context.set_resource_limit(resources)?;
            self.resource_limit = Some(resources);
        }
        // In processor time, so that other load on the machine costs nobody anything.
        let start = gnomon_budget::thread_time();
        let verdict = context.check(&literals, limits.guard());
        let used = context.resources();
        let counted = used.saturating_sub(self.resources_used);
        client::charge(counted);
        // What Z3 does without counting it is work too: else one query could hog what others wait
        // for. Ordinary queries take a small part of this time.
        let took = gnomon_budget::thread_time().saturating_sub(start);
        let uncounted = took.saturating_sub(time_of(counted));
        if uncounted > UNCOUNTED {
            client::charge_time(uncounted);
        }
        self.resources_used = used;
        let verdict = verdict?;
        Ok(match verdict {
            Verdict::Sat => Answer::Sat,
            Verdict::Unsat => Answer::Unsat,
            Verdict::Undefined => {
                Answer::Unknown(reason(&context.reason_unknown(), context.was_interrupted()))
            }
        })
    }

    fn try_model(&mut self, terms: &Terms, of: &[Term]) -> Result<Model, Z3Error> {
        self.accept(terms)?;
        let Some(context) = &self.context else { return Ok(Model::new()) };
        let mut asts = Vec::with_capacity(of.len());
        for &term in of {
            asts.push(self.translation.term(context, terms, term)?);
        }
        let mut model = Model::new();
        for (&term, text) in of.iter().zip(context.values(&asts)?) {
            if let Some(text) = text
                && let Some(value) = parse_value(terms, terms.sort(term), &text)
            {
                model.set(term, value);
            }
        }
        Ok(model)
    }
}

/// What Z3's words for not knowing mean.
pub(super) fn reason(text: &str, interrupted: bool) -> UnknownReason {
    if interrupted || text.contains("timeout") {
        UnknownReason::Time
    } else if text.contains("resource") || text.contains("canceled") {
        UnknownReason::ResourceLimit
    } else if text.contains("memory") || text.contains("memout") {
        UnknownReason::Memory
    } else {
        UnknownReason::Incomplete(text.to_owned())
    }
}

impl Solver for Z3Solver {
    fn push(&mut self) {
        self.close_temporary_scope();
        self.frames.push(Vec::new());
        if let Some(context) = &self.context {
            context.push();
        }
    }

    fn pop(&mut self) {
        if self.frames.len() == 1 {
            return;
        }
        self.close_temporary_scope();
        self.frames.pop();
        let depth = self.frames.len();
        self.forget_proxies(depth);
        if let Some(context) = &self.context {
            context.pop(1);
        }
        if self.failed.as_ref().is_some_and(|f| f.0 > depth) {
            self.failed = None;
        }
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        self.close_temporary_scope();
        if let Some(frame) = self.frames.last_mut() {
            frame.push(formula);
        }
        if let Err(error) = self.try_assert(terms, formula)
            && self.failed.is_none()
        {
            self.failed = Some((self.frames.len(), error.to_string()));
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
        self.close_temporary_scope();
        let answer = match &self.failed {
            Some((_, reason)) => Answer::Unknown(UnknownReason::Failed(reason.clone())),
            None => match self.try_check(terms, assumptions, limits) {
                Ok(answer) => answer,
                Err(error) => {
                    // After an error the state of the context is not trusted.
                    self.discard_context();
                    if error.0.contains("memory") {
                        Answer::Unknown(UnknownReason::Memory)
                    } else {
                        Answer::Unknown(UnknownReason::Failed(error.to_string()))
                    }
                }
            },
        };
        if matches!(answer, Answer::Unknown(UnknownReason::Memory)) {
            self.discard_context();
        }
        self.statistics.count(purpose, &answer, start.elapsed());
        answer
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        self.try_model(terms, of).unwrap_or_default()
    }

    fn core(&mut self, _: &Terms) -> Vec<Term> {
        let Some(context) = &self.context else { return Vec::new() };
        let core = context.core();
        let needed = self.last_assumptions.iter().filter(|(_, literal)| core.contains(literal));
        super::each_once(needed.map(|(assumption, _)| *assumption))
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

#[cfg(test)]
mod tests;
