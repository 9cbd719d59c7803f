//! Checks programs with threads by several methods and prints one line for each.
//!
//! ```text
//! cargo run --release -p gnomon-boolprog --example concurrent -- SECONDS CONTEXTS METHODS FILE[+N]...
//! ```
//!
//! `METHODS` is a list such as `lazy,eager`; `proof` is the lazy method followed by an attempt to show
//! the answer for every number of contexts. A file name followed by `+N` adds `N` copies of the last
//! `start_thread` of `main`. Files whose name contains `unsafe` must fail, files with `safe` must not;
//! what disagrees is marked. Seconds are processor time, of the limit too, so that other work on the
//! machine does not matter; behind them are the BDD nodes in the table at the end and the number
//! of steps (about one for each BDD operation).

use std::time::Duration;

use gnomon_boolprog::bp;
use gnomon_boolprog::bp::ast::{Program, StatementKind};
use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, targets};
use gnomon_boolprog::concurrent::check::{
    ConcurrentOptions, ConcurrentVerdict, Method, check, is_concurrent,
};
use gnomon_boolprog::concurrent::system::{SystemOptions, ThreadSystem};
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_budget::{Budget, cpu_time};

/// Adds copies of the last start statement of `main`.
fn add_threads(program: &mut Program, copies: usize) {
    for function in program.functions.iter_mut().filter(|f| f.name.text == "main") {
        let last = function
            .body
            .iter()
            .rposition(|s| matches!(s.kind, StatementKind::StartThreadCall { .. }));
        if let Some(place) = last {
            let statement = function.body[place].clone();
            for _ in 0..copies {
                function.body.insert(place, statement.clone());
            }
        }
    }
}

fn system(path: &str, copies: usize) -> Result<ThreadSystem, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut messages = Diagnostics::default();
    let mut program = bp::parse::parse(&text, &mut messages);
    if messages.has_errors() {
        return Err("refused by the parser".to_owned());
    }
    add_threads(&mut program, copies);
    let model =
        bp::lower(&program, None, &mut messages).ok_or_else(|| "not well formed".to_owned())?;
    if !is_concurrent(&model) {
        return Err("one thread only".to_owned());
    }
    ThreadSystem::new(&model, SystemOptions::default()).map_err(|e| e.to_string())
}

fn answer(
    system: &ThreadSystem,
    (method, prove): (Method, bool),
    contexts: usize,
    limit: Duration,
) -> (String, usize, u64) {
    let goals = targets(&system.model, true, &DEFAULT_LABELS);
    let options = ConcurrentOptions {
        method,
        contexts: Some(contexts),
        prove,
        sequential: CheckOptions::default(),
        ..ConcurrentOptions::default()
    };
    let budget = Budget::unlimited().with_cpu_time(limit);
    let (text, nodes) = match check(system, &goals, &options, &budget) {
        Ok(outcome) => {
            let text = match outcome.verdict {
                ConcurrentVerdict::True(reason) => format!("true ({reason:?})"),
                ConcurrentVerdict::False(schedule) => {
                    format!("false ({} switches)", schedule.switches())
                }
                ConcurrentVerdict::Unknown { contexts: k, .. } if k == contexts => {
                    "no error".to_owned()
                }
                ConcurrentVerdict::Unknown { contexts: k, why } => {
                    format!("open: {why} after {k} contexts")
                }
            };
            (text, outcome.nodes)
        }
        Err(error) => (format!("WRONG: {error}"), 0),
    };
    (text, nodes, budget.steps())
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(60);
    let contexts = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(2);
    let methods: Vec<(Method, bool)> = arguments
        .next()
        .unwrap_or_default()
        .split(',')
        .filter_map(|name| match name {
            "lazy" => Some((Method::Lazy, false)),
            "proof" => Some((Method::Lazy, true)),
            "eager" => Some((Method::Eager, false)),
            "transducer" => Some((Method::Transducer, false)),
            "reduce" => Some((Method::Reduce, false)),
            _ => None,
        })
        .collect();
    for argument in arguments {
        let (path, copies) = match argument.rsplit_once('+') {
            Some((path, copies)) => (path, copies.parse().unwrap_or(0)),
            None => (argument.as_str(), 0),
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let system = match system(path, copies) {
            Ok(system) => system,
            Err(why) => {
                println!("| {name} | | | | {why} | | |");
                continue;
            }
        };
        for &(method, prove) in &methods {
            let start = cpu_time();
            let (text, nodes, steps) =
                answer(&system, (method, prove), contexts, Duration::from_secs(seconds));
            let fails = text.starts_with("false");
            let expected = name.contains("unsafe") || !name.contains("safe");
            let mark = if fails && !expected { " DISAGREES" } else { "" };
            println!(
                "| {name} | {} | {} | {contexts} | {method:?} | {text}{mark} | {:.2} | {nodes} | {steps} |",
                system.threads.len(),
                system.model.globals,
                cpu_time().saturating_sub(start).as_secs_f64()
            );
        }
    }
}
