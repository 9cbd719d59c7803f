//! Error projections, and what making a pushdown engine for a check takes.

use gnomon_budget::Budget;
use gnomon_logic::encode::Theory;

use super::{BadRequest, Options, Task, entry};
use crate::facts::Facts;
use crate::lazy::Step;
use crate::property::ErrorSites;
use crate::pushdown::graph::{Graph, Refused};
use crate::pushdown::projection::{ITERATIONS, Projection};
use crate::pushdown::{GraphSource, Pushdown, PushdownError};
use crate::reason::NoProgress;
use crate::sliced::Relevance;
use crate::verdict::{Proof, Reason, Statistics, Verdict};

/// What an error projection says, and under which verdict.
#[derive(Clone, Debug)]
pub struct ProjectionReport {
    /// What the pushdown engine says.
    pub verdict: Verdict,
    /// The projection under its last predicates.
    pub projection: Projection,
    /// What was done.
    pub statistics: Statistics,
}

/// Refines with the pushdown engine as far as the budget allows, and projects what is left with a
/// budget of its own.
pub fn project(
    facts: &Facts<'_>,
    options: &Options,
    budget: &Budget,
    projection_budget: &Budget,
) -> Result<Result<ProjectionReport, Reason>, BadRequest> {
    let program = facts.program();
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let relevance = Relevance::new(facts);
    let task = |budget| Task {
        program,
        entry,
        sites: &sites,
        facts,
        relevance: &relevance,
        options,
        budget,
    };
    Ok(task(budget).project(&task(projection_budget)))
}

impl<'a> Task<'a> {
    /// Whether a function calls itself, perhaps through others.
    pub fn is_recursive(&self) -> bool {
        Graph::new(&self.source(), &Refused::new()).is_recursive()
    }

    fn source(&self) -> GraphSource<'a> {
        GraphSource {
            program: self.program,
            sites: self.sites,
            calls: self.facts,
            entry: self.entry,
            cut: self.options.cut,
        }
    }

    /// The pushdown engine, before its first iteration.
    pub fn pushdown(&self, theory: Theory) -> Result<Pushdown<'a>, Reason> {
        let (encoder, solver) = (self.encoder(theory)?, self.solver(theory));
        let options = &self.options.pushdown;
        let mut engine =
            Pushdown::new(&self.source(), encoder, solver, options, self.budget.clone())
                .map_err(stopped)?;
        if self.options.slicing {
            engine.slice_with(self.relevance).map_err(Reason::Limit)?;
        }
        Ok(engine)
    }

    /// Refines and projects; `later` has the budget of the projection.
    fn project(&self, later: &Self) -> Result<ProjectionReport, Reason> {
        let theory = self.options.theories.first().copied().unwrap_or(Theory::Int);
        let mut engine = self.pushdown(theory)?;
        let verdict = self.run_pushdown(&mut engine).unwrap_or_else(Verdict::Unknown);
        let mut statistics = Statistics::default();
        add_pushdown(&mut statistics, &engine);
        let solver = later.solver(theory);
        let projection = engine.project(solver, later.budget, ITERATIONS).map_err(stopped)?;
        Ok(ProjectionReport { verdict, projection, statistics })
    }

    fn run_pushdown(&self, engine: &mut Pushdown<'_>) -> Result<Verdict, Reason> {
        Ok(match engine.run().map_err(stopped)? {
            Step::Proved => match engine.unsupported.first() {
                None => Verdict::True(Proof::Summaries(None)),
                Some(what) => Verdict::Unknown(Reason::Unsupported(what.located(self.program))),
            },
            Step::Error(_, path) => self.confirm(&path)?,
            Step::Stopped(reason) => {
                Verdict::Unknown(Reason::NoProgress(NoProgress::Refinement(reason.to_string())))
            }
            Step::More => Verdict::Unknown(Reason::not_enough("the engine stopped early")),
        })
    }
}

/// Counts what was done.
pub fn add_pushdown(statistics: &mut Statistics, engine: &Pushdown<'_>) {
    let relations = engine.abstraction().statistics;
    let (chc, slices) = (engine.chc_statistics(), engine.refine_statistics());
    let numbers = [
        ("iterations", engine.statistics.iterations),
        ("refinements", engine.statistics.refinements),
        ("rules", engine.statistics.rules),
        ("predicates", engine.predicate_count() as u64),
        ("predicates per location, maximum", engine.most_tracked() as u64),
        ("steps abstracted", engine.abstraction().abstracted),
        ("queries for relations", relations.queries),
        ("approximated clusters", relations.approximated),
        ("iterations with more effort", engine.statistics.focused),
        ("CHC queries", chc.queries),
        ("CHC queries with new predicates", chc.solved),
        ("invariants, candidates found", chc.candidates.into()),
        ("nodes dropped by projections", engine.statistics.dropped),
        ("refinements, sliced paths", slices.sliced),
        ("refinements, sliced paths infeasible", slices.enough),
        ("refinements, slices stopped early", slices.stopped_early),
        ("refinements, steps of sliced paths", slices.steps),
        ("refinements, steps kept by slices", slices.kept),
    ];
    for (name, number) in numbers {
        *statistics.numbers.entry(name).or_default() += number as f64;
    }
    statistics.add_solver(engine.solver());
}

fn stopped(error: PushdownError) -> Reason {
    match error {
        PushdownError::Exhausted(limit) => Reason::Limit(limit),
        other => Reason::NoProgress(NoProgress::Failed(other.to_string())),
    }
}
