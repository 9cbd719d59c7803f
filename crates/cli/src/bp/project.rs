//! `gnomon bp project`: error projections.

use std::io::Write;

use gnomon_boolprog::BddError;
use gnomon_boolprog::check::refuses;
use gnomon_boolprog::interpret::replay;
use gnomon_boolprog::model::PointId;
use gnomon_boolprog::project::{passing_through, project};
use gnomon_boolprog::report;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::explore::Exploration;

use super::{FALSE, Format, ProjectArgs, TRUE, internal, unknown, wanted};

/// Computes the projection and prints it.
pub(super) fn run(args: &ProjectArgs) -> Result<u8, u8> {
    let budget = args.limits.budget();
    let (source, model) = args.input.model(Some((&args.limits, &budget)))?;
    let labels: Vec<String> = args.target.iter().cloned().collect();
    let targets = wanted(&model, &labels, args.target.is_none())?;
    if let Some(reason) = refuses(&model) {
        return Err(unknown(&reason));
    }
    let bdd = |error: BddError| unknown(&error);
    let encoding =
        Encoding::new(&model, args.limits.order(), args.limits.nodes, &budget).map_err(bdd)?;
    let projection = project(&encoding, &targets, &budget).map_err(bdd)?;
    let mut statements = report::projection(&source, &encoding, &projection).map_err(bdd)?;
    if args.traces {
        for statement in statements.iter_mut().filter(|s| s.inside) {
            let through = passing_through(&model, PointId(statement.point), &targets);
            let encoding =
                Encoding::new(&through.model, args.limits.order(), args.limits.nodes, &budget)
                    .map_err(bdd)?;
            let mut search = Exploration::new(&encoding, &budget).map_err(bdd)?;
            let Some(target) = search.run(&through.targets).map_err(bdd)? else { continue };
            let plan = search.trace(target).map_err(|e| internal(&e.to_string()))?;
            let run = replay(&model, &through.lift(&plan)).map_err(|e| internal(&e.to_string()))?;
            statement.counterexample = Some(report::trace(&source, &model, &run));
        }
    }
    match args.format {
        Format::Text => {
            say_on!("{}", report::projection_text(&source, &statements));
            for s in &statements {
                if let Some(trace) = &s.counterexample {
                    say!("\nthrough line {}: {}", s.line, s.statement);
                    say_on!("{}", report::trace_text(trace));
                }
            }
        }
        Format::Json => {
            let text =
                serde_json::to_string_pretty(&statements).map_err(|e| internal(&e.to_string()))?;
            say!("{text}");
        }
        Format::Dot => say_on!("{}", report::projection_dot(&model, &projection)),
    }
    let reachable = targets.iter().any(|t| projection.contains(*t));
    if matches!(args.format, Format::Text) {
        say!("VERDICT: {}", if reachable { "FALSE" } else { "TRUE" });
    }
    Ok(if reachable { FALSE } else { TRUE })
}
