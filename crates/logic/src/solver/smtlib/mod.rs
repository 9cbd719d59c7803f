//! A solver that is talked to in SMT-LIB.
//!
//! The process holds the same stack of formulas as this side; commands are collected and sent with
//! the next check. When the process was killed (it took too long) or replaced (after so many
//! queries), the stack is written anew. Assumptions that are not literals get a proxy, as in
//! [`super::z3`].

mod channel;

pub use channel::{Channel, ChannelError, Framing, Program};

use super::{Answer, Limits, Model, Purpose, Solver, Statistics, UnknownReason};
use crate::smtlib::sexpr::Sexprs;
use crate::smtlib::value::read_value;
use crate::smtlib::write::{declare_function, declare_symbol};
use crate::smtlib::write_term_to;
use crate::term::{Function, Op, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What differs between programs that speak SMT-LIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Commands sent first.
    pub preamble: String,
    /// The option that limits the resources of a check, if there is one.
    pub resource_option: Option<&'static str>,
    /// After so many checks a new process is started.
    pub queries_per_process: u64,
}

impl Dialect {
    /// Z3.
    pub fn z3() -> Self {
        Self {
            preamble: "(set-option :produce-unsat-assumptions true)\n".into(),
            resource_option: Some("rlimit"),
            queries_per_process: 2_000,
        }
    }

    /// Any other solver, by the standard.
    pub fn standard() -> Self {
        Self {
            preamble: "(set-option :print-success false)\n\
                       (set-option :produce-models true)\n\
                       (set-option :produce-unsat-assumptions true)\n\
                       (set-logic ALL)\n"
                .into(),
            resource_option: None,
            queries_per_process: 10_000,
        }
    }
}

#[derive(Clone, Copy)]
enum Declared {
    Term(Term),
    Function(Function),
}

/// Time beyond the guard that the process gets to answer, for starting and for the pipes.
const GRACE: Duration = Duration::from_millis(500);

/// A solver that is talked to in SMT-LIB.
pub struct SmtLibSolver {
    channel: Channel,
    dialect: Dialect,
    arena: Option<u64>,
    frames: Vec<Vec<Term>>,
    /// Commands not sent yet.
    outgoing: String,
    /// Terms whose symbols and functions are declared, and where; declarations end with their
    /// scope.
    declared: FxHashSet<Term>,
    declared_functions: FxHashSet<Function>,
    declaration_stack: Vec<(Declared, usize)>,
    proxies: FxHashMap<Term, usize>,
    proxy_count: usize,
    proxy_stack: Vec<(Term, usize)>,
    last_assumptions: Vec<(Term, String)>,
    last_was_sat: bool,
    queries: u64,
    failed: Option<(usize, String)>,
    statistics: Statistics,
}

impl SmtLibSolver {
    /// A solver behind a program.
    pub fn new(program: Program, dialect: Dialect) -> Self {
        Self {
            channel: Channel::new(program),
            dialect,
            arena: None,
            frames: vec![Vec::new()],
            outgoing: String::new(),
            declared: FxHashSet::default(),
            declared_functions: FxHashSet::default(),
            declaration_stack: Vec::new(),
            proxies: FxHashMap::default(),
            proxy_count: 0,
            proxy_stack: Vec::new(),
            last_assumptions: Vec::new(),
            last_was_sat: false,
            queries: 0,
            failed: None,
            statistics: Statistics::default(),
        }
    }

    /// An external program by its command line (`cvc5`, `z3`, or a path with arguments). Programs
    /// we know get the arguments they need when none are given.
    pub fn external(command: &str) -> Self {
        let mut words = command.split_whitespace();
        let path = words.next().unwrap_or_default();
        let mut arguments: Vec<&str> = words.collect();
        let name = path.rsplit('/').next().unwrap_or(path);
        if arguments.is_empty() {
            match name {
                "cvc5" => arguments = vec!["--incremental", "--lang=smt2", "--fp-exp"],
                "z3" => arguments = vec!["-in", "-smt2"],
                _ => {}
            }
        }
        let dialect = if name == "z3" { Dialect::z3() } else { Dialect::standard() };
        let program = Program {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            framing: Framing::Marker,
        };
        Self::new(program, dialect)
    }

    /// Forgets what the process knows and writes the stack anew.
    fn restart(&mut self, terms: &Terms) {
        if self.channel.is_running() {
            self.channel.kill();
        }
        if self.channel.starts > 0 {
            self.statistics.restarts += 1;
        }
        self.queries = 0;
        self.outgoing.clear();
        self.outgoing.push_str(&self.dialect.preamble);
        self.declared.clear();
        self.declared_functions.clear();
        self.declaration_stack.clear();
        self.proxies.clear();
        self.proxy_stack.clear();
        for (depth, frame) in std::mem::take(&mut self.frames).into_iter().enumerate() {
            if depth > 0 {
                self.outgoing.push_str("(push 1)\n");
            }
            self.frames.push(Vec::new());
            for &formula in &frame {
                self.write_assertion(terms, formula);
            }
            self.frames[depth] = frame;
        }
    }

    fn declare(&mut self, terms: &Terms, formula: Term) {
        let declared = &self.declared;
        for term in terms.subterms_until(&[formula], |t| declared.contains(&t)) {
            if !self.declared.insert(term) {
                continue;
            }
            self.declaration_stack.push((Declared::Term(term), self.frames.len()));
            match terms.op(term) {
                Op::Symbol(symbol) => declare_symbol(&mut self.outgoing, terms, symbol),
                Op::Apply(function) if self.declared_functions.insert(function) => {
                    let declared = Declared::Function(function);
                    self.declaration_stack.push((declared, self.frames.len()));
                    declare_function(&mut self.outgoing, terms, function);
                }
                _ => {}
            }
        }
    }

    /// Whether all symbols and functions of a term are declared.
    fn has_seen_all_of(&self, terms: &Terms, term: Term) -> bool {
        let unseen = terms.subterms_until(&[term], |t| self.declared.contains(&t));
        unseen.into_iter().all(|t| match terms.op(t) {
            Op::Symbol(_) => self.declared.contains(&t),
            Op::Apply(function) => self.declared_functions.contains(&function),
            _ => true,
        })
    }

    fn write_assertion(&mut self, terms: &Terms, formula: Term) {
        self.declare(terms, formula);
        self.outgoing.push_str("(assert ");
        write_term_to(&mut self.outgoing, terms, formula);
        self.outgoing.push_str(")\n");
    }

    fn literal(&mut self, terms: &Terms, assumption: Term) -> String {
        let mut text = String::new();
        let positive = match terms.op(assumption) {
            Op::Not => terms.arg(assumption, 0),
            _ => assumption,
        };
        if matches!(terms.op(positive), Op::Symbol(_)) {
            self.declare(terms, assumption);
            write_term_to(&mut text, terms, assumption);
            return text;
        }
        if let Some(number) = self.proxies.get(&assumption) {
            return format!("|proxy {number}|");
        }
        let number = self.proxy_count;
        self.proxy_count += 1;
        self.proxies.insert(assumption, number);
        self.proxy_stack.push((assumption, self.frames.len()));
        self.declare(terms, assumption);
        let _ = write!(
            self.outgoing,
            "(declare-const |proxy {number}| Bool)\n(assert (=> |proxy {number}| "
        );
        write_term_to(&mut self.outgoing, terms, assumption);
        self.outgoing.push_str("))\n");
        format!("|proxy {number}|")
    }

    fn try_check(&mut self, terms: &Terms, assumptions: &[Term], limits: Limits) -> Answer {
        if *self.arena.get_or_insert(terms.identity()) != terms.identity() {
            return failed("terms of two arenas in one solver");
        }
        if !self.channel.is_running() || self.queries >= self.dialect.queries_per_process {
            self.restart(terms);
        }
        self.queries += 1;
        self.last_assumptions.clear();
        for &assumption in assumptions {
            let literal = self.literal(terms, assumption);
            self.last_assumptions.push((assumption, literal));
        }
        if let Some(option) = self.dialect.resource_option {
            let resources = limits.resources.unwrap_or(0);
            let _ = writeln!(self.outgoing, "(set-option :{option} {resources})");
        }
        if assumptions.is_empty() {
            self.outgoing.push_str("(check-sat)\n");
        } else {
            let literals: Vec<&str> =
                self.last_assumptions.iter().map(|(_, l)| l.as_str()).collect();
            let _ = writeln!(self.outgoing, "(check-sat-assuming ({}))", literals.join(" "));
        }
        match self.ask(limits.time) {
            Ok(answer) => self.understand(&answer),
            Err(ChannelError::Time) => Answer::Unknown(UnknownReason::Time),
            Err(error) => failed(&error.to_string()),
        }
    }

    /// Sends what is collected and waits for the answer.
    fn ask(&mut self, guard: Option<Duration>) -> Result<String, ChannelError> {
        let commands = std::mem::take(&mut self.outgoing);
        self.channel.request(&commands, guard.map(|g| g + GRACE))
    }

    fn understand(&mut self, answer: &str) -> Answer {
        let last = answer.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default().trim();
        // An error in an earlier command may have changed the question: then no answer counts.
        if let Some(error) = answer.lines().find(|l| l.trim_start().starts_with("(error")) {
            self.channel.kill();
            if error.contains("memory") {
                return Answer::Unknown(UnknownReason::Memory);
            }
            return failed(error.trim());
        }
        match last {
            "sat" => Answer::Sat,
            "unsat" => Answer::Unsat,
            "unknown" | "timeout" => {
                self.outgoing.push_str("(get-info :reason-unknown)\n");
                let reason = self.ask(Some(GRACE)).unwrap_or_default();
                let reason = reason
                    .trim()
                    .trim_start_matches("(:reason-unknown")
                    .trim_end_matches(')')
                    .trim()
                    .trim_matches('"');
                Answer::Unknown(super::z3::reason(reason, false))
            }
            other => {
                self.channel.kill();
                failed(&format!("unexpected answer `{other}`"))
            }
        }
    }
}

fn failed(what: &str) -> Answer {
    Answer::Unknown(UnknownReason::Failed(what.to_owned()))
}

impl Solver for SmtLibSolver {
    fn push(&mut self) {
        self.frames.push(Vec::new());
        if self.channel.is_running() {
            self.outgoing.push_str("(push 1)\n");
        }
    }

    fn pop(&mut self) {
        if self.frames.len() == 1 {
            return;
        }
        self.frames.pop();
        let depth = self.frames.len();
        while let Some((assumption, _)) = self.proxy_stack.pop_if(|p| p.1 > depth) {
            self.proxies.remove(&assumption);
        }
        while let Some((declared, _)) = self.declaration_stack.pop_if(|d| d.1 > depth) {
            match declared {
                Declared::Term(term) => self.declared.remove(&term),
                Declared::Function(function) => self.declared_functions.remove(&function),
            };
        }
        if self.channel.is_running() {
            self.outgoing.push_str("(pop 1)\n");
        }
        if self.failed.as_ref().is_some_and(|f| f.0 > depth) {
            self.failed = None;
        }
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        if *self.arena.get_or_insert(terms.identity()) != terms.identity() {
            self.failed = Some((self.frames.len(), "terms of two arenas in one solver".into()));
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.push(formula);
        }
        if self.channel.is_running() {
            self.write_assertion(terms, formula);
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
        let answer = match &self.failed {
            Some((_, reason)) => failed(reason),
            None => self.try_check(terms, assumptions, limits),
        };
        self.last_was_sat = answer.is_sat();
        self.statistics.count(purpose, &answer, start.elapsed());
        answer
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        let mut model = Model::new();
        if !self.last_was_sat || of.is_empty() {
            return model;
        }
        // Declaring something now would end the state that has a model: symbols the solver never
        // saw can have any value, and other terms with such symbols are left out.
        let (known, unknown): (Vec<Term>, Vec<Term>) =
            of.iter().partition(|t| self.has_seen_all_of(terms, **t));
        for term in unknown {
            if terms.as_symbol(term).is_some() {
                model.set(term, Value::zero(terms, terms.sort(term)));
            }
        }
        if known.is_empty() {
            return model;
        }
        self.outgoing.push_str("(get-value (");
        for &term in &known {
            write_term_to(&mut self.outgoing, terms, term);
            self.outgoing.push(' ');
        }
        self.outgoing.push_str("))\n");
        let Ok(answer) = self.ask(None) else { return model };
        let Ok(sexprs) = Sexprs::parse(&answer) else { return model };
        let pairs = sexprs.roots().first().and_then(|&r| sexprs.list(r)).unwrap_or_default();
        for (&term, &pair) in known.iter().zip(pairs) {
            if let Some(&[_, value]) = sexprs.list(pair)
                && let Some(value) = read_value(terms, &sexprs, terms.sort(term), value)
            {
                model.set(term, value);
            }
        }
        model
    }

    fn core(&mut self, _: &Terms) -> Vec<Term> {
        let all = |s: &Self| super::each_once(s.last_assumptions.iter().map(|a| a.0));
        if self.last_assumptions.is_empty() {
            return Vec::new();
        }
        self.outgoing.push_str("(get-unsat-assumptions)\n");
        let Ok(answer) = self.ask(None) else { return all(self) };
        // All assumptions suffice, whatever the answer looks like.
        let read = Sexprs::parse(&answer).ok().and_then(|sexprs| {
            let &[root] = sexprs.roots() else { return None };
            let members: Vec<String> =
                sexprs.list(root)?.iter().map(|&m| normalized(&sexprs, m)).collect();
            Some(members)
        });
        let Some(members) = read else { return all(self) };
        let needed = self.last_assumptions.iter().filter(|(_, literal)| {
            let literal = Sexprs::parse(literal)
                .ok()
                .and_then(|s| s.roots().first().map(|&r| normalized(&s, r)));
            literal.is_none_or(|l| members.contains(&l))
        });
        super::each_once(needed.map(|(assumption, _)| *assumption))
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

/// A literal without differences in quotation.
fn normalized(sexprs: &Sexprs<'_>, literal: crate::smtlib::sexpr::Sexpr) -> String {
    match sexprs.words(literal) {
        Some(words) => words.join(" "),
        None => sexprs.atom(literal).unwrap_or_default().to_owned(),
    }
}
