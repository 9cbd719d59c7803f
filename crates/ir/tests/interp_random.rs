//! The interpreter on random well-formed programs: it never panics, what a run took from outside
//! repeats it, and being watched (all variables in memory instead of registers) changes nothing.

mod random;

use gnomon_budget::Budget;
use gnomon_ir::interp::{
    Arguments, Captured, InputSource, Observer, Outcome, Run, RunOptions, SeedSource, TraceSource,
    interpret, interpret_observed,
};
use gnomon_ir::program::Program;
use proptest::prelude::*;

struct Nobody;

impl Observer for Nobody {}

fn options(program: &Program) -> Option<RunOptions> {
    let entry = program.funcs.iter().find(|f| f.body.is_some())?.name.clone();
    let arguments = Arguments::FromInput;
    Some(RunOptions { entry, arguments, max_depth: 200, ..RunOptions::default() })
}

fn budget() -> Budget {
    Budget::unlimited().with_steps(300)
}

fn run(program: &Program, options: &RunOptions, inputs: &mut dyn InputSource) -> (Run, Captured) {
    let mut output = Captured::default();
    let run = interpret(program, options, inputs, &mut output, &budget());
    (run, output)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_repeat_and_do_not_mind_being_watched(seed: u64, inputs: u64) {
        let program = random::program(seed);
        let Some(options) = options(&program) else { return Ok(()) };
        let source = || SeedSource::new(inputs).answering_calls();
        let first = run(&program, &options, &mut source());
        let mut recorded = TraceSource::new(first.0.trace.clone());
        let again = run(&program, &options, &mut recorded);
        prop_assert_eq!(&first, &again);
        prop_assert_eq!(recorded.remaining(), 0);
        let mut output = Captured::default();
        let watched = interpret_observed(
            &program, &options, &mut source(), &mut output, &budget(), &mut Nobody,
        );
        let stopped = |run: &Run| matches!(run.outcome, Outcome::OutOfBudget(_));
        if !stopped(&first.0) && !stopped(&watched) {
            prop_assert_eq!(&first.0.outcome, &watched.outcome);
            prop_assert_eq!(&first.0.noted, &watched.noted);
            prop_assert_eq!(&first.0.trace, &watched.trace);
            prop_assert_eq!(first.1, output);
        }
    }
}
