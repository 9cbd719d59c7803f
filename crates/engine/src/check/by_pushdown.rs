//! The pushdown engine as part of a check, and projections.

use gnomon_budget::Budget;
use gnomon_ir::program::Program;
use gnomon_logic::encode::Theory;

use super::{BadRequest, Engine, Explored, Options, Task, count_supposed, entry};
use crate::facts::Facts;
use crate::lazy::Step;
use crate::property::ErrorSites;
use crate::pushdown::graph::{Graph, Refused};
use crate::pushdown::projection::{Projection, ROUNDS};
use crate::pushdown::{GraphSource, Pushdown, PushdownError};
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
    program: &Program,
    options: &Options,
    budget: &Budget,
    projection_budget: &Budget,
) -> Result<Result<ProjectionReport, Reason>, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let facts = match Facts::new(program, entry, options.memory, budget) {
        Ok(facts) => facts,
        Err(limit) => return Ok(Err(Reason::Limit(limit))),
    };
    let relevance = Relevance::new(&facts);
    let task = |budget| Task {
        program,
        entry,
        sites: &sites,
        facts: &facts,
        relevance: &relevance,
        options,
        budget,
        statistics: Statistics::default(),
        explored: Explored::default(),
    };
    Ok(task(budget).project(&task(projection_budget)))
}

impl<'a> Task<'a> {
    /// The engines to ask, in this order, and whether paths are to be looked at one by one too.
    pub(super) fn engines(&self) -> (Vec<Engine>, bool) {
        match self.options.engine {
            Engine::Auto => {
                let is_recursive = Graph::new(&self.source(), &Refused::new()).is_recursive();
                let chosen = if is_recursive { "recursive" } else { "not recursive" };
                self.budget.report("engine", format_args!("the program is {chosen}"));
                let engines = match is_recursive {
                    true => vec![Engine::Pushdown, Engine::Lazy],
                    false => vec![Engine::Lazy, Engine::Pushdown],
                };
                (engines, is_recursive)
            }
            engine => (vec![engine], false),
        }
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

    /// The pushdown engine, before its first round.
    fn pushdown(&self, theory: Theory) -> Result<Pushdown<'a>, Reason> {
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

    /// The pushdown engine alone.
    pub(super) fn by_pushdown(
        &self,
        theory: Theory,
        statistics: &mut Statistics,
    ) -> Result<Verdict, Reason> {
        statistics.engine = Some("pushdown");
        let mut engine = self.pushdown(theory)?;
        let supposed = engine.suppose(&self.options.supposed).map_err(stopped)?;
        count_supposed(statistics, supposed);
        let mut verdict = self.run_pushdown(&mut engine);
        add_numbers(statistics, &engine);
        if let Ok(Verdict::True(Proof::Summaries(summaries))) = &mut verdict {
            // A proof is one, whether or not it can be written down.
            *summaries = engine.summaries(self.program).ok().flatten().map(std::sync::Arc::new);
        }
        verdict
    }

    /// Refines and projects; `later` has the budget of the projection.
    fn project(&self, later: &Self) -> Result<ProjectionReport, Reason> {
        let theory = self.options.theories.first().copied().unwrap_or(Theory::Int);
        let mut engine = self.pushdown(theory)?;
        let verdict = self.run_pushdown(&mut engine).unwrap_or_else(Verdict::Unknown);
        let mut statistics = Statistics::default();
        add_numbers(&mut statistics, &engine);
        let solver = later.solver(theory);
        let projection = engine.project(solver, later.budget, ROUNDS).map_err(stopped)?;
        Ok(ProjectionReport { verdict, projection, statistics })
    }

    fn run_pushdown(&self, engine: &mut Pushdown<'_>) -> Result<Verdict, Reason> {
        Ok(match engine.run(u64::MAX).map_err(stopped)? {
            Step::Proved => match engine.gaps.first() {
                None => Verdict::True(Proof::Summaries(None)),
                Some(gap) => Verdict::Unknown(Reason::NotCovered(gap.clone())),
            },
            Step::Error(_, path) => self.confirm(&path)?,
            Step::Stopped(reason) => Verdict::Unknown(Reason::NoProgress(reason)),
            Step::More => Verdict::Unknown(Reason::NoProgress("the engine stopped early".into())),
        })
    }
}

fn add_numbers(statistics: &mut Statistics, engine: &Pushdown<'_>) {
    let relations = engine.abstraction().statistics;
    let numbers = [
        ("rounds", engine.statistics.rounds),
        ("refinements", engine.statistics.refinements),
        ("rules", engine.statistics.rules),
        ("predicates", engine.predicate_count() as u64),
        ("predicates per location, maximum", engine.most_tracked() as u64),
        ("steps abstracted", engine.abstraction().abstracted),
        ("queries for relations", relations.queries),
        ("approximated clusters", relations.approximated),
        ("rounds with more effort", engine.statistics.focused),
        ("systems of the whole program", engine.statistics.systems),
        ("of them with new predicates", engine.statistics.solved_systems),
        ("nodes dropped by projections", engine.statistics.dropped),
        ("refinements, sliced paths", engine.statistics.slices.sliced),
        ("refinements, sliced paths infeasible", engine.statistics.slices.enough),
        ("refinements, steps of sliced paths", engine.statistics.slices.steps),
        ("refinements, steps kept by slices", engine.statistics.slices.kept),
    ];
    for (name, number) in numbers {
        *statistics.numbers.entry(name).or_default() += number as f64;
    }
    statistics.add_solver(engine.solver());
}

fn stopped(error: PushdownError) -> Reason {
    match error {
        PushdownError::Exhausted(limit) => Reason::Limit(limit),
        other => Reason::NoProgress(other.to_string()),
    }
}
