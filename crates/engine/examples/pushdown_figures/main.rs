//! Figures of the pushdown engine: `pushdown_figures SECONDS FILE...`, one line for each file.
//!
//! For each program: verdict, iterations, refinements, steps abstracted and solver queries without and with
//! projections inside the loop (AEP 7.1); then the size of the error projection under the last
//! predicates in edges, beside what a slice of the control flow keeps and all edges; then the time of
//! full post* and pre*, and of the projection that follows them.
//!
//! `pushdown_figures family MODULES...` measures these times alone, on generated programs with so
//! many modules ([`family`]), under predicates that tell the states of the modules apart: runs that
//! are long enough to be measured. The last line is the median of those longer than a second.

mod family;

use std::path::Path;
use std::time::{Duration, Instant};

use family::Shape;
use gnomon_budget::Budget;
use gnomon_engine::explore::Cut;
use gnomon_engine::facts::Facts;
use gnomon_engine::lazy::Step;
use gnomon_engine::limited::Limited;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_engine::pushdown::system::Grain;
use gnomon_engine::pushdown::{GraphSource, Pushdown, PushdownOptions};
use gnomon_ir::program::Program;
use gnomon_logic::Solver;
use gnomon_logic::encode::Theory;
use gnomon_logic::solver::for_arrays;
use gnomon_testkit::Reader;
use gnomon_wpds::{FunctionalAutomaton, Fwpds, FwpdsOptions, Semiring};

fn load(file: &Path) -> Option<Program> {
    Reader::default().with_models().try_file(file).ok()
}

fn solver(budget: &Budget) -> Box<dyn Solver> {
    Box::new(Limited::new(Box::new(for_arrays()), budget.clone()))
}

/// One program, with or without projections inside the loop.
fn run(program: &Program, seconds: u64, projections: bool) -> Option<String> {
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(seconds));
    let sites = ErrorSites::of(program, &Property::default()).ok()?;
    let entry = program.find_function("main")?;
    let facts = Facts::new(program, entry, Default::default(), &budget).ok()?;
    let encoder = facts.encoder(Theory::Int, &budget).ok()?;
    let source = GraphSource { program, sites: &sites, calls: &facts, entry, cut: Cut::Loops };
    let options = PushdownOptions { projections, ..PushdownOptions::default() };
    let mut engine =
        Pushdown::new(&source, encoder, solver(&budget), &options, budget.clone()).ok()?;
    let verdict = match engine.run() {
        Ok(Step::Proved) if engine.unsupported.is_empty() => "proved",
        Ok(Step::Error(..)) => "error",
        Ok(Step::Proved) => "unsupported",
        Ok(Step::Stopped(_) | Step::More) => "stopped",
        Err(_) => "limit",
    };
    let statistics = engine.statistics;
    let mut text = format!(
        "{verdict} iterations {} refinements {} abstracted {} queries {}",
        statistics.iterations,
        statistics.refinements,
        engine.abstraction().abstracted,
        engine.abstraction().statistics.queries,
    );
    if !projections {
        let times = times(&mut engine);
        let later = Budget::unlimited().with_cpu_time(Duration::from_secs(seconds));
        if let Ok(projection) = engine.project(solver(&later), &later, 0) {
            text += &format!(
                " | edges {} slice {} all {}",
                projection.edges().len(),
                projection.control_flow_edges.len(),
                projection.all_edges.len()
            );
        }
        if let Some((both, projected)) = times {
            text += &format!(" | post*+pre* {both:?} projection {projected:?}");
        }
    }
    Some(text)
}

/// The time of full post* and pre*, and of the projection from them.
fn times(engine: &mut Pushdown<'_>) -> Option<(Duration, Duration)> {
    let system = engine.system(Grain::Steps).ok()?;
    let targets = engine.all_targets();
    let begun = Instant::now();
    let wpds = system.wpds();
    let forward = Fwpds::poststar(wpds, &system.start(), FwpdsOptions::default()).ok()?;
    forward.automaton().ok()?;
    let goal = system.goal(&targets).ok()?.weighted(&wpds.domain().one());
    let backward = Fwpds::prestar(wpds, &goal, FwpdsOptions::default()).ok()?;
    backward.automaton().ok()?;
    let both = begun.elapsed();
    let begun = Instant::now();
    FunctionalAutomaton::new(&forward, &backward).ok()?.projection().ok()?;
    Some((both, begun.elapsed()))
}

/// Full post* and pre* of a generated program, and its projection.
fn family_times(shape: Shape) -> Option<(Duration, Duration)> {
    let program = Reader::default().with_models().try_text(&family::text(shape)).ok()?;
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(600));
    let sites = ErrorSites::of(&program, &Property::default()).ok()?;
    let entry = program.find_function("main")?;
    let facts = Facts::new(&program, entry, Default::default(), &budget).ok()?;
    let encoder = facts.encoder(Theory::Int, &budget).ok()?;
    let source =
        GraphSource { program: &program, sites: &sites, calls: &facts, entry, cut: Cut::Loops };
    let options = PushdownOptions::default();
    let mut engine =
        Pushdown::new(&source, encoder, solver(&budget), &options, budget.clone()).ok()?;
    for module in 0..shape.modules {
        let name = family::state(module);
        let (var, _) = program.vars.iter_ids().find(|(_, info)| info.name == name)?;
        for value in family::STATES {
            engine.track_value(var, value).ok()?;
        }
    }
    times(&mut engine)
}

/// All shapes with so many modules.
fn family(modules: &[usize]) {
    let mut ratios = Vec::new();
    for &modules in modules {
        for (error_in, recursive) in
            [(0, false), (modules / 2, false), (modules - 1, false), (0, true), (modules / 2, true)]
        {
            let shape = Shape { modules, error_in, recursive };
            let Some((both, projected)) = family_times(shape) else {
                println!("{shape:?}: no result");
                continue;
            };
            let ratio = projected.as_secs_f64() / both.as_secs_f64();
            println!(
                "{shape:?}: post*+pre* {both:.2?} projection {projected:.2?} ratio {ratio:.2}"
            );
            if both >= Duration::from_secs(1) {
                ratios.push(ratio);
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("median of {} runs longer than a second: {median:.2}", ratios.len());
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "family").is_some() {
        family(&arguments.filter_map(|number| number.parse().ok()).collect::<Vec<usize>>());
        return;
    }
    let seconds = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(5);
    for file in arguments {
        let Some(program) = load(Path::new(&file)) else {
            println!("{file}: not read");
            continue;
        };
        let off = run(&program, seconds, false).unwrap_or_default();
        let on = run(&program, seconds, true).unwrap_or_default();
        println!("{file}: {off} || with projections: {on}");
    }
}
