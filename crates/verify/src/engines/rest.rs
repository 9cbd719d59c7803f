//! Proofs of what is left of a program where operations that cannot matter are left out
//! ([`flow::relevance`](gnomon_flow::relevance)). The rest is a program of its own, and a contest of its own for the engines
//! of the [table](crate::table); at first without branches on what is behind
//! pointers. The rest can do more than the program, so it only ever proves; and the independent checker shows
//! that what was left out cannot matter.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_certify::rest::rest;
use gnomon_engine::check::Options;
use gnomon_engine::facts::Facts;
use gnomon_engine::proof::OfRest;
use gnomon_engine::verdict::{Proof, Reason, Statistics, Verdict};
use gnomon_flow::relevance::{Depth, Errors, Irrelevant, irrelevant};
use gnomon_ir::program::Program;

use crate::certificate::omitted;
use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;
use crate::scheduler::{Attendant, Begins, Entrant, Role, SECOND};
use crate::sequential::{Subject, decide_with};
use crate::table::{Kind, TABLE};

const NAME: &str = "rest";

/// What one look at a rest may take at first, and by how much that grows.
const FIRST_WORK: u64 = 4 * SECOND;
const GROWTH: u64 = 4;

/// Of so many parts of a program, one must be left out at least.
const LEAST: usize = 5;

/// What is left, and what is not.
struct Rest {
    program: Program,
    left_out: Irrelevant,
}

struct OfRests<'a> {
    subject: &'a Subject<'a>,
    budget: &'a Budget,
    options: Options,
    /// The rests that are yet to be looked at; the last one is next.
    open: Vec<Rest>,
    allowance: u64,
    statistics: Statistics,
}

/// Proofs of what is left of a program.
pub(crate) fn of_rest<'s>(subject: &'s Subject<'s>) -> Entrant<'s> {
    let make = move |budget: &Budget, attendant: Attendant<'_>| {
        let mut open = rests(subject, budget).map_err(Reason::Limit)?;
        open.reverse();
        // Errors of the rest are none of the program, so nobody looks for them.
        let options = Options { runs: false, search: false, ..subject.options.clone() };
        let (allowance, statistics) = (FIRST_WORK, Statistics::default());
        attendant(&mut OfRests { subject, budget, options, open, allowance, statistics });
        Ok(())
    };
    Entrant {
        name: NAME,
        role: Role::Tries,
        begins: Begins::Together,
        first: SECOND,
        share: 1,
        make: Box::new(make),
    }
}

/// The rests of a program, the smallest first.
fn rests(subject: &Subject<'_>, budget: &Budget) -> Result<Vec<Rest>, Exhausted> {
    let Subject { program, entry, sites, facts, .. } = *subject;
    budget.report("analyse", format_args!("what cannot matter"));
    let edges: BTreeSet<_> = sites.iter().map(|(site, _)| (site.func, site.edge)).collect();
    let functions: BTreeSet<_> = sites.functions().collect();
    let errors = Errors { edges: &edges, functions: &functions };
    let known = (facts.points_to(), facts.mod_ref(budget)?);
    let mut rests: Vec<Rest> = Vec::new();
    for depth in [Depth::Plain, Depth::Named, Depth::All] {
        let left_out = irrelevant(program, known, entry, &errors, depth, budget)?;
        let is_known = rests.iter().any(|rest| rest.left_out == left_out);
        let is_small = left_out.before.saturating_sub(left_out.kept) * LEAST >= left_out.before;
        if is_known || !is_small {
            continue;
        }
        budget.report(
            "analyse",
            format_args!("{} of {} operations can matter", left_out.kept, left_out.before),
        );
        if let Some(program) = rest(program, &omitted(program, &left_out)) {
            rests.push(Rest { program, left_out });
        }
    }
    Ok(rests)
}

impl OfRests<'_> {
    /// A contest about a rest.
    fn look(&mut self, Rest { program, left_out }: &Rest) -> Verdict {
        let Subject { entry, sites, facts, examine, .. } = *self.subject;
        let points_to = facts.shared_points_to();
        let facts = &Facts::known(program, entry, self.options.memory, points_to);
        let of_rest = |proof: &Proof| {
            let (proof, left_out) = (proof.clone(), left_out.clone());
            Proof::OfRest(Arc::new(OfRest { proof, memory: facts.memory_facts(), left_out }))
        };
        let examine_rest = |proof: &Proof, budget: &Budget| match examine {
            Some(examine) => examine(&of_rest(proof), budget),
            None => Ok(()),
        };
        let budget = &self.budget.with_work(self.allowance);
        let rest = Subject {
            program,
            entry,
            sites,
            facts,
            options: &self.options,
            budget,
            examine: Some(&examine_rest),
            earlier: None,
        };
        let decision = decide_with(&rest, Kind::of(&rest), TABLE);
        self.statistics.add(decision.statistics);
        match decision.verdict {
            Verdict::True(proof) => Verdict::True(of_rest(&proof)),
            other => other,
        }
    }
}

impl Engine for OfRests<'_> {
    fn step(&mut self, _: Slice, _: &Exchange) -> Progress {
        let Some(rest) = self.open.pop() else {
            return Progress::GivenUp(Reason::not_enough("too little is left out"));
        };
        match self.look(&rest) {
            Verdict::True(proof) => Progress::Proved(proof),
            Verdict::Unknown(Reason::Limit(Exhausted::Work)) => {
                if let Err(limit) = self.budget.check_now() {
                    return Progress::limit(limit);
                }
                self.open.push(rest);
                self.allowance = self.allowance.saturating_mul(GROWTH);
                Progress::More
            }
            // What is left out was not too little, but too much.
            Verdict::False(_) | Verdict::Unknown(_) => {
                self.allowance = FIRST_WORK;
                Progress::More
            }
        }
    }

    fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }
}
