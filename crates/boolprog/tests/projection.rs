//! Error projections against explicit-state enumeration.

use gnomon_boolprog::bp;
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_boolprog::explicit::{self, Limits};
use gnomon_boolprog::generate::{self, Shape};
use gnomon_boolprog::interpret::replay;
use gnomon_boolprog::model::Model;
use gnomon_boolprog::project::{passing_through, project};
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::explore::Exploration;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_budget::Budget;

fn model(seed: u64) -> (Model, String) {
    let program = generate::program(seed, Shape { statements: 5, ..Shape::default() });
    let text = bp::print::program(&program);
    let mut messages = Diagnostics::default();
    (bp::lower(&program, None, &mut messages).expect("valid"), text)
}

/// How many programs a test looks at; `GNOMON_BP_PROGRAMS` makes it a longer campaign.
fn programs(usual: u64) -> u64 {
    std::env::var("GNOMON_BP_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_point_is_in_the_projection_exactly_if_enumeration_finds_an_error_path_through_it() {
    let budget = Budget::unlimited();
    let (mut inside, mut outside, mut traces) = (0, 0, 0);
    for seed in 0..programs(400) {
        let (model, text) = model(seed);
        let targets = model.assertion_failures();
        let encoding = Encoding::new(&model, VariableOrder::Force, 1 << 20, &budget).unwrap();
        let projection = project(&encoding, &targets, &budget).unwrap();
        for point in model.point_ids() {
            let through = passing_through(&model, point, &targets);
            let limits = Limits { states: 100_000 };
            let Some(reached) = explicit::reachable(&through.model, limits) else { continue };
            let expected = through.targets.iter().any(|t| reached.contains(*t));
            let found = projection.contains(point);
            assert_eq!(
                found,
                expected,
                "seed {seed}, point {} {:?}\n{text}",
                point.0,
                model.point(point)
            );
            *(if expected { &mut inside } else { &mut outside }) += 1;
            if expected && seed % 4 == 0 {
                let encoding =
                    Encoding::new(&through.model, VariableOrder::Force, 1 << 20, &budget).unwrap();
                let mut search = Exploration::new(&encoding, &budget).unwrap();
                let target = search.run(&through.targets).unwrap().expect("reachable");
                let plan = through.lift(&search.trace(target).unwrap());
                let run = replay(&model, &plan).unwrap_or_else(|e| panic!("{seed} {e}\n{text}"));
                let entry = model.procedure(model.main).entry;
                let passes = |p| run.steps.iter().any(|s| s.after.point() == Some(p));
                assert!(point == entry || passes(point), "seed {seed}\n{text}");
                traces += 1;
            }
        }
    }
    assert!(inside > 500 && outside > 500 && traces > 100, "{inside} {outside} {traces}");
}
