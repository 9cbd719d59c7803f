//! The interpreter knows undefined behaviour by itself: on random programs, a run that has it
//! takes an edge of a violation in the instrumented program, and a run that takes one has it.

#[path = "../../ir/tests/random/mod.rs"]
#[allow(dead_code, reason = "shared with the tests of the model")]
mod random;

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_instrument::{CheckKind, Checks, Instrumented, instrument};
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{Expr, ExprId, ExprKind};
use gnomon_ir::interp::{
    Arguments, Asked, Discarded, EdgeEvent, InputSource, Observer, Outcome, Run, RunOptions, State,
    UbKind, UndefinedBehaviour, interpret, interpret_observed,
};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::{ArgumentValue, Input};
use gnomon_ir::types::{Type, TypeId, Types};
use gnomon_ir::validate::validate;
use proptest::prelude::*;

/// Always the same answer: so the order in which things are asked does not matter.
struct Same(u128);

impl InputSource for Same {
    fn nondet(&mut self, _asked: &Asked<'_>) -> Option<u128> {
        Some(self.0)
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        Some(0)
    }

    fn argument(&mut self, _name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        Some(match types.get(ty) {
            Type::Pointer(_) => ArgumentValue::Null,
            _ => ArgumentValue::Bits(self.0),
        })
    }
}

/// The first violation.
struct Watch {
    edges: BTreeMap<(FuncId, EdgeId), CheckKind>,
    taken: Option<CheckKind>,
}

impl Observer for Watch {
    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        if self.taken.is_none() {
            self.taken = self.edges.get(&(event.func, event.edge)).copied();
        }
    }
}

fn options(program: &Program) -> Option<RunOptions> {
    let entry = program.funcs.iter().find(|f| f.body.is_some())?.name.clone();
    let arguments = Arguments::FromInput;
    Some(RunOptions { entry, arguments, max_depth: 200, ..RunOptions::default() })
}

fn is_of(kind: CheckKind, ub: UbKind) -> bool {
    match kind {
        CheckKind::Overflow => matches!(ub, UbKind::SignedOverflow | UbKind::DivisionOverflow),
        CheckKind::Division => ub == UbKind::DivisionByZero,
        CheckKind::Shift => ub == UbKind::ShiftOutOfRange,
        CheckKind::Null => ub == UbKind::NullPointer,
        CheckKind::Bounds => ub == UbKind::OutOfBounds,
        // Checks of memory are compared with executions in the tests of `verify`.
        CheckKind::Access | CheckKind::Free | CheckKind::Leak | CheckKind::Cleanup => false,
    }
}

/// Undefined behaviour of a run that the program itself has, not a function of the library.
fn own(program: &Program, run: &Run) -> Option<Vec<UndefinedBehaviour>> {
    let mut all = run.noted.clone();
    if let Outcome::Undefined(last) = run.outcome {
        all.push(last);
    }
    let has_edge = |ub: &UndefinedBehaviour| {
        let site = ub.site?;
        let edge = program.funcs[site.func].body.as_ref()?.edge(site.edge);
        let library = matches!(&edge.op, Op::Call(call)
            if matches!(call.callee, Callee::Direct(f) if program.funcs[f].body.is_none()));
        (!library).then_some(())
    };
    all.iter().all(|ub| has_edge(ub).is_some()).then_some(all)
}

/// Whether pointers are made from numbers, small ones perhaps.
fn makes_pointers(program: &Program) -> bool {
    (0..program.exprs.expr_count()).any(|i| match program.exprs.expr(ExprId(i as u32)) {
        Expr { ty, kind: ExprKind::Cast(from) } => {
            program.types.is_pointer(ty) && program.types.is_integer(program.expr_ty(from))
        }
        _ => false,
    })
}

fn watched(instrumented: &Instrumented, options: &RunOptions, answer: u128) -> (Run, Watch) {
    let edges = instrumented.violations.iter().map(|v| ((v.func, v.edge), v.kind)).collect();
    let mut watch = Watch { edges, taken: None };
    let budget = Budget::unlimited().with_steps(2_000);
    let run = interpret_observed(
        &instrumented.program,
        options,
        &mut Same(answer),
        &mut Discarded,
        &budget,
        &mut watch,
    );
    (run, watch)
}

/// How often a kind was seen in a program, to know that the test tests something.
fn compare(
    seed: u64,
    answer: u128,
    seen: &mut BTreeMap<CheckKind, u32>,
) -> Result<(), TestCaseError> {
    let program = random::program(seed);
    let Some(options) = options(&program) else { return Ok(()) };
    let budget = Budget::unlimited().with_steps(300);
    let run = interpret(&program, &options, &mut Same(answer), &mut Discarded, &budget);
    let chooses = |run: &Run| run.trace.inputs.iter().any(|i| matches!(i, Input::Choice { .. }));
    let finished = !matches!(run.outcome, Outcome::OutOfBudget(_) | Outcome::Unsupported { .. });
    let Some(undefined) = own(&program, &run).filter(|_| finished && !chooses(&run)) else {
        return Ok(());
    };
    for kind in CheckKind::ALL {
        let instrumented = instrument(&program, Checks::NONE.with(kind));
        prop_assert_eq!(validate(&instrumented.program), [].to_vec());
        let (after, watch) = watched(&instrumented, &options, answer);
        // Where edges are open at once, the one that is taken may be another one.
        if chooses(&after) {
            continue;
        }
        let happens = undefined.iter().any(|ub| is_of(kind, ub.kind));
        let ends_badly = undefined.iter().any(|ub| ub.kind.is_fatal());
        let is_another = matches!(after.outcome, Outcome::Undefined(ub) if !is_of(kind, ub.kind));
        let is_complete = !instrumented.program.notes.iter().any(|n| n.kind == "bounds");
        match (happens, watch.taken) {
            (true, Some(_)) => *seen.entry(kind).or_default() += 1,
            // To the interpreter all small addresses are null. Of several mistakes another one
            // may come first.
            (true, None) => prop_assert!(
                kind == CheckKind::Bounds && !is_complete
                    || kind == CheckKind::Null && (answer != 0 || makes_pointers(&program))
                    || ends_badly && is_another,
                "seed {} answer {}: {:?} is missed: {:?}, then {:?}",
                seed,
                answer,
                kind,
                run,
                after
            ),
            // Of several mistakes on one edge another one may come first, and an element of an
            // array in a record can be outside of its array but inside of the record.
            (false, Some(_)) => prop_assert!(
                kind == CheckKind::Bounds || ends_badly,
                "seed {} answer {}: {:?} does not happen: {:?}, then {:?}",
                seed,
                answer,
                kind,
                run,
                after
            ),
            (false, None) => {
                let same = run.outcome_class() == after.outcome_class();
                prop_assert!(same, "seed {}: {:?}, then {:?}", seed, run, after);
            }
        }
    }
    Ok(())
}

/// How a run ended, without the numbers of edges.
trait OutcomeClass {
    fn outcome_class(&self) -> String;
}

impl OutcomeClass for Run {
    fn outcome_class(&self) -> String {
        match &self.outcome {
            Outcome::Exit(status) => format!("exit {status}"),
            // Of several mistakes another one may come first.
            Outcome::Undefined(_) => "undefined".to_owned(),
            Outcome::Error { function, .. } => function.clone(),
            Outcome::Abort { .. } => "abort".to_owned(),
            Outcome::AssumptionFailed { .. } => "assumption".to_owned(),
            Outcome::OutOfBudget(_) => "budget".to_owned(),
            Outcome::InputsExhausted { asked, .. } => asked.clone(),
            Outcome::Unsupported { what, .. } => what.clone(),
        }
    }
}

#[test]
fn violations_are_undefined_behaviour() {
    let mut seen = BTreeMap::new();
    let answers = [0, 1, u128::MAX, 1 << 31, (1 << 63) - 1, 40];
    for seed in 0..1500 {
        let answer = answers[seed as usize % answers.len()];
        if let Err(error) = compare(seed, answer, &mut seen) {
            panic!("{error}");
        }
    }
    for kind in CheckKind::ALL.into_iter().filter(|kind| !kind.is_of_memory()) {
        assert!(seen.get(&kind).copied().unwrap_or(0) > 5, "{seen:?}");
    }
}
