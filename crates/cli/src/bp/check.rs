//! `gnomon bp check` on programs with one thread.

use std::io::Write;

use gnomon_boolprog::BddError;
use gnomon_boolprog::check::{CheckOptions, Counterexample, Engine, Verdict, check};
use gnomon_boolprog::concurrent::check::{CheckedContexts, is_concurrent};
use gnomon_boolprog::model::{Model, PointId, PointKind};
use gnomon_boolprog::report;
use gnomon_boolprog::source::Source;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::explore::Exploration;
use gnomon_budget::Budget;

use super::{
    BAD_INPUT, CheckArgs, EngineName, FALSE, TRUE, concurrent, internal, unknown, wanted,
    write_json,
};

impl CheckArgs {
    /// The options of sequential questions.
    pub(super) fn sequential_options(&self) -> CheckOptions {
        CheckOptions {
            engine: match self.engine {
                EngineName::OnTheFly => Engine::OnTheFly,
                EngineName::Saturation => Engine::Saturation,
                EngineName::Fwpds => Engine::Fwpds,
            },
            slice: !self.no_slice,
            order: self.limits.order(),
            nodes: self.limits.nodes,
            ..CheckOptions::default()
        }
    }
}

/// Decides and prints the verdict.
pub(super) fn run(args: &CheckArgs, checked: &CheckedContexts) -> Result<u8, u8> {
    let budget = args.limits.budget();
    let (source, model) = args.input.model(Some((&args.limits, &budget)))?;
    if is_concurrent(&model) {
        return concurrent::run(args, &source, &model, (checked, &budget));
    }
    let targets = wanted(&model, &args.label, !args.no_assertions)?;
    if args.invariants || !args.values.is_empty() {
        print_values(args, &source, &model, &budget)?;
    }
    let outcome = check(&model, &targets, &args.sequential_options(), &budget)
        .map_err(|error| internal(&error.to_string()))?;
    let s = outcome.statistics;
    say!(
        "{} variables ({} dropped), {} points, {} BDD nodes",
        s.variables,
        s.variables_dropped,
        model.points.len(),
        s.nodes
    );
    Ok(match outcome.verdict {
        Verdict::True => {
            say!("VERDICT: TRUE");
            TRUE
        }
        Verdict::False(counterexample) => {
            print_counterexample(args, &source, &model, &counterexample)?;
            say!("VERDICT: FALSE");
            FALSE
        }
        Verdict::Unknown(reason) => unknown(&reason),
    })
}

fn print_counterexample(
    args: &CheckArgs,
    source: &Source,
    model: &Model,
    counterexample: &Counterexample,
) -> Result<(), u8> {
    let trace = report::trace(source, model, &counterexample.run);
    let kind = if counterexample.shortest { "shortest " } else { "" };
    say!("{kind}counterexample, executed by the interpreter:");
    say_on!("{}", report::trace_text(&trace));
    if let Some(path) = &args.json {
        write_json(path, &trace)?;
    }
    Ok(())
}

fn print_values(
    args: &CheckArgs,
    source: &Source,
    model: &Model,
    budget: &Budget,
) -> Result<(), u8> {
    let line_of = |p: PointId| source.position(model.point(p).span.start).line.to_string();
    let mut points = Vec::new();
    for name in &args.values {
        let mut here = model.labelled(name);
        if here.is_empty() {
            let visible = |p: &PointId| model.point(*p).kind == PointKind::Statement;
            here = model.point_ids().filter(|p| visible(p) && line_of(*p) == *name).collect();
        }
        if here.is_empty() {
            warn!("error: there is no label or statement at `{name}`");
            return Err(BAD_INPUT);
        }
        points.extend(here);
    }
    if args.invariants {
        let visible = |p: &PointId| model.point(*p).kind != PointKind::Internal;
        points = model.point_ids().filter(visible).collect();
    }
    let print = || -> Result<(), BddError> {
        let limits = &args.limits;
        let encoding = Encoding::new(model, limits.order(), limits.nodes, budget)?;
        let mut search = Exploration::new(&encoding, budget)?;
        search.run(&[])?;
        for &point in &points {
            let set = report::state_set(&encoding, point, &search.values(point)?);
            let at = model.point(point);
            let line = line_of(point);
            say!("{line:>5}: {:<40} {}", at.text, report::state_set_text(&set));
        }
        Ok(())
    };
    print().map_err(|error| unknown(&error))
}
