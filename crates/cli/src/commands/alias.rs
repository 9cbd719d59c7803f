//! `gnomon alias`: alias pairs with single-level pointers, beside what the points-to analysis says.

use std::fmt::Write;

use gnomon_dataflow::alias::{Access, AliasError, AliasProblem, Named, Pair};
use gnomon_dataflow::contexts::Context;
use gnomon_dataflow::points::{self, Point};
use gnomon_flow::points_to::PointsTo;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::Program;

use crate::args::AliasArgs;
use crate::cache::Cache;
use crate::commands::affine::{of_context, prepared};
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Shows alias pairs.
pub fn run(args: &AliasArgs) -> Result<Status, Failure> {
    let program = load::program(&args.input)?;
    let budget = args.limits.budget();
    let (entry, points_to) = prepared(&program, &args.entry, &budget)?;
    let problem = AliasProblem::new(&program, &points_to, entry).map_err(of_alias)?;
    let cache = Cache::open(args.limits.cache.as_deref())?;
    let kept = cache.as_ref().map(|cache| problem.kept(cache));
    let mut solution = problem.solve(&budget).map_err(Failure::of_system)?;
    if let Some(kept) = &kept {
        solution = solution.with_store(kept);
    }
    let context = match &args.query.context {
        Some(stack) => Context::parse(stack).map_err(Failure::error)?,
        None => Context::default(),
    };
    let points = match &args.query.at {
        Some(at) => points::at_line(&program, problem.graph(), at).map_err(Failure::error)?,
        None => ends(&program, &problem),
    };
    // Expressions are made here that the program does not have.
    let mut scratch = program.clone();
    let mut text = String::new();
    for point in points {
        let pairs = problem.pairs_in(&solution, point, &context).map_err(of_alias)?;
        let function = &program.funcs[point.func].name;
        let _ = writeln!(text, "{} ({function}):", points::show(&program, point));
        let visible = problem.visible(point.func);
        let mut counts = [0; 3];
        for (i, &a) in visible.iter().enumerate() {
            for &b in &visible[i + 1..] {
                let here = pairs.contains(&Pair::new(a, b));
                let there = allows(&mut scratch, &points_to, &problem, a, b);
                let note = match (here, there) {
                    (true, true) => {
                        counts[0] += 1;
                        ""
                    }
                    (true, false) => {
                        counts[1] += 1;
                        "  (not by points-to)"
                    }
                    (false, true) => {
                        counts[2] += 1;
                        continue;
                    }
                    (false, false) => continue,
                };
                let _ = writeln!(text, "  {} ~ {}{note}", problem.show(a), problem.show(b));
            }
        }
        let _ = writeln!(
            text,
            "  {} pairs both allow, {} only alias pairs, {} only points-to",
            counts[0], counts[1], counts[2]
        );
    }
    if let Some(kept) = &kept {
        kept.report(&budget);
    }
    output::result(&text);
    Ok(Status::True)
}

/// Whether the points-to analysis allows two expressions to be the same.
fn allows(
    program: &mut Program,
    points_to: &PointsTo,
    problem: &AliasProblem<'_>,
    a: Access,
    b: Access,
) -> bool {
    let mut place = |access: Access| -> Option<PlaceId> {
        match problem.named(access)? {
            Named::Variable(v) => Some(program.var_place(v)),
            Named::Behind(v) => {
                let pointer = program.load_var(v);
                Some(program.deref(pointer))
            }
            Named::Result => None,
        }
    };
    match (place(a), place(b)) {
        (Some(a), Some(b)) => points_to.may_alias(program, a, b),
        _ => true,
    }
}

/// The ends of all functions.
fn ends(program: &Program, problem: &AliasProblem<'_>) -> Vec<Point> {
    let functions = problem.graph().functions().iter();
    functions
        .filter_map(|&func| Some(Point { func, loc: program.funcs[func].body.as_ref()?.exit() }))
        .collect()
}

fn of_alias(error: AliasError) -> Failure {
    match error {
        AliasError::System(error) => Failure::of_system(error),
        AliasError::Context(error) => of_context(error),
        error => Failure::error(error),
    }
}
