//! `gnomon affine`: affine relations between integer variables.

use std::fmt::Write;

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::{Relations, Shown, ShownNumbers};
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::contexts::{Context, ContextError};
use gnomon_dataflow::points::{self, Point};
use gnomon_flow::points_to::{self, PointsTo};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_report::names::Names;
use gnomon_wpds::domains::affine::{Modular, Rationals};
use gnomon_wpds::{TopWeights, WpdsError};

use crate::args::AffineArgs;
use crate::cache::Cache;
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Shows affine relations.
pub fn run(args: &AffineArgs) -> Result<Status, Failure> {
    let program = load::program(&args.input)?;
    let budget = args.limits.budget();
    let (entry, points_to) = prepared(&program, &args.entry, &budget)?;
    let limits = VariableLimits { globals: args.globals, locals: args.locals };
    if args.rational {
        let options = AffineOptions { arithmetic: Arithmetic::Rational, limits };
        let problem = AffineProblem::new(&program, &points_to, entry, Rationals, options);
        show(args, &program, problem, &Rationals, &budget)
    } else {
        let ring = Modular::new(args.bits).map_err(Failure::error)?;
        let options = AffineOptions { arithmetic: Arithmetic::Modular(args.bits), limits };
        let problem = AffineProblem::new(&program, &points_to, entry, ring, options);
        show(args, &program, problem, &ring, &budget)
    }
}

/// The function to start from, and where pointers point.
pub fn prepared(
    program: &Program,
    entry: &str,
    budget: &Budget,
) -> Result<(FuncId, PointsTo), Failure> {
    let found = program.find_function(entry).filter(|f| program.funcs[*f].body.is_some());
    let entry_id =
        found.ok_or_else(|| Failure::error(format!("there is no function {entry} with a body")))?;
    // What one thread knows of memory, another one may change.
    if gnomon_threads::primitives::makes_threads(program) {
        let what = "the program makes threads: these analyses follow one, and would not see what \
                    others do between its steps (`gnomon check` takes them into account)";
        return Err(Failure::error(what));
    }
    let options =
        points_to::Options { entries: vec![entry.to_owned()], ..points_to::Options::default() };
    budget.report("analyse", format_args!("where pointers point"));
    let points_to = PointsTo::analyze(program, &options, budget).map_err(Failure::limit)?;
    Ok((entry_id, points_to))
}

fn show<R: ShownNumbers + 'static>(
    args: &AffineArgs,
    program: &Program,
    problem: Result<AffineProblem<'_, R>, WpdsError>,
    ring: &R,
    budget: &Budget,
) -> Result<Status, Failure> {
    let problem = problem.map_err(Failure::of_system)?;
    let mut text = String::new();
    let left_out = problem.variables().left_out();
    if left_out > 0 {
        let _ = writeln!(text, "not followed: {left_out} variables (see --globals and --locals)");
    }
    let context = match &args.query.context {
        Some(stack) => Context::parse(stack).map_err(Failure::error)?,
        None => Context::default(),
    };
    let points = match &args.query.at {
        Some(at) => points::at_line(program, problem.graph(), at).map_err(Failure::error)?,
        None => all_points(program, &problem),
    };
    budget.report("analyse", format_args!("affine relations at {} points", points.len()));
    let cache = Cache::open(args.limits.cache.as_deref())?;
    let kept = cache.as_ref().map(|cache| problem.kept(cache));
    let mut solution = problem.solve(budget).map_err(Failure::of_system)?;
    if let Some(kept) = &kept {
        solution = solution.with_store(kept);
    }
    let tops = if context.frames.is_empty() && args.query.at.is_none() {
        Some(TopWeights::new(&solution).map_err(Failure::of_system)?)
    } else {
        None
    };
    let names = Names::of(program);
    for point in points {
        let relations = match &tops {
            Some(tops) => {
                problem.relations_at(&solution, tops, point).map_err(Failure::of_system)?
            }
            None => problem.relations_in(&solution, point, &context).map_err(of_context)?,
        };
        let place = points::show(program, point);
        let function = source_name(&program.funcs[point.func].name);
        match &relations {
            Relations::Unreachable => {
                let _ = writeln!(text, "{place} ({function}): not reached");
            }
            Relations::Hold(list) => {
                if list.is_empty() && args.query.at.is_none() {
                    continue;
                }
                let _ = writeln!(text, "{place} ({function}):");
                for relation in list {
                    let shown = Shown { ring, program, relation }.to_string();
                    let _ = writeln!(text, "  {}", names.readable(Some(point.func), &shown));
                }
            }
        }
    }
    if let Some(kept) = &kept {
        kept.report(budget);
    }
    output::result(&text);
    Ok(Status::True)
}

/// Branch points and ends of all functions.
fn all_points<R: ShownNumbers + 'static>(
    program: &Program,
    problem: &AffineProblem<'_, R>,
) -> Vec<Point> {
    let mut all = Vec::new();
    for &func in problem.graph().functions() {
        let Some(body) = &program.funcs[func].body else { continue };
        let locations = points::branch_points(body).into_iter().chain([body.exit()]);
        all.extend(locations.map(|loc| Point { func, loc }));
    }
    all
}

/// A failure of a question about a context.
pub fn of_context(error: ContextError) -> Failure {
    match error {
        ContextError::System(error) => Failure::of_system(error),
        error => Failure::error(error),
    }
}
