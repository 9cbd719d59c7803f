//! What runs of sequential programs say about threads, in words: who waits, who races, who did what.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_engine::property::Site;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::steps::steps;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::program::{FuncId, source_name};
use gnomon_report::model::{Action, Run};
use gnomon_threads::intrinsics::reports::Kind;
use gnomon_threads::sequential::RACE_WRITES;
use gnomon_threads::{Sequential, waits};

/// The name of the file that models come from.
pub(crate) const MODELS: &str = gnomon_cfront::models::SOURCE;

/// What the reduction itself reports at a site, with what the report says beside.
pub(crate) fn reported_at(sequential: &Sequential, site: Site) -> Option<(Kind, Option<&str>)> {
    let body = sequential.program.funcs[site.func].body.as_ref()?;
    match &body.edge(site.edge).op {
        Op::Call(Call { callee: Callee::Direct(func), .. }) => {
            Kind::of(&sequential.program.funcs[*func].name)
        }
        _ => None,
    }
}

/// What happens at the end of a run, where the reduction itself reports it.
pub(crate) fn message(sequential: &Sequential, run: &Counterexample) -> Option<String> {
    match reported_at(sequential, run.site)? {
        (Kind::Misuse | Kind::NotModelled, Some(text)) => Some(text.to_owned()),
        (Kind::Race, Some(text)) => Some(format!("data race: {}", racing(sequential, run, text))),
        (Kind::Deadlock, _) => Some(format!("deadlock: {}", waiting(sequential, run))),
        _ => None,
    }
}

/// The two accesses of a data race at the end of a run; what the second one does is known.
fn racing(sequential: &Sequential, run: &Counterexample, second: &str) -> String {
    let program = &sequential.program;
    let shown = |taken: (FuncId, EdgeId), does: &str| {
        let span = program.funcs[taken.0].body.as_ref().map(|body| body.edge(taken.1).span);
        let thread = sequential.threads.iter().position(|thread| thread.func == taken.0);
        let who = thread.map_or(String::new(), |thread| title(sequential, thread));
        let place = span.map_or(String::new(), |span| program.files.show(span));
        format!("{who} {does} at {place}")
    };
    let mut first = None;
    for taken in &run.edges {
        let Some(body) = &program.funcs[taken.func].body else { continue };
        let Op::Assign { dst, src } = body.edge(taken.edge).op else { continue };
        let Some(var) = program.exprs.root_var(dst) else { continue };
        if program.vars[var].name == RACE_WRITES {
            let does = if program.as_int(src) == Some(0) { "reads" } else { "writes" };
            first = Some(((taken.func, taken.edge), does));
        }
    }
    let second = shown((run.site.func, run.site.edge), second);
    match first {
        Some((taken, does)) => format!("{second} while {}", shown(taken, does)),
        None => second,
    }
}

/// Where every thread stands that has not ended at the end of a run.
fn waiting(sequential: &Sequential, run: &Counterexample) -> String {
    let edges: Vec<_> = run.edges.iter().map(|taken| (taken.func, taken.edge)).collect();
    let files = &sequential.program.files;
    let waits = waits::waiting(sequential, &edges).into_iter().map(|waiting| {
        let (who, place) = (title(sequential, waiting.thread), files.show(waiting.span));
        match waiting.holder {
            Some(holder) => {
                format!("{who} waits at {place} for {}", title(sequential, holder))
            }
            None => format!("{who} waits at {place}"),
        }
    });
    waits.collect::<Vec<_>>().join(", ")
}

/// Says of every step of the report which thread does it, and leaves out what the reduction added.
pub(crate) fn name_threads(
    sequential: &Sequential,
    found: &Counterexample,
    run: &mut Run,
    budget: &Budget,
) {
    let program = &sequential.program;
    let threads: BTreeMap<FuncId, usize> =
        sequential.threads.iter().enumerate().map(|(i, thread)| (thread.func, i)).collect();
    let taken = steps(program, &sequential.entry, found, budget);
    let mut described = run.steps.iter_mut();
    let mut current = 0;
    for step in &taken {
        let Some(body) = &program.funcs[step.func].body else { continue };
        current = threads.get(&step.func).copied().unwrap_or(current);
        if body.edge(step.edge).span.is_none() {
            continue;
        }
        let Some(told) = described.next() else { break };
        told.thread = u32::try_from(current).ok();
        // Conditions of the reduction, and on temporaries, say nothing to people.
        if matches!(&told.action, Action::Condition(text) if text == "1" || text.contains("...")) {
            told.action = Action::Statement;
        }
    }
    let last = run.steps.len().saturating_sub(1);
    let mut at = 0..;
    run.steps.retain(|step| at.next() == Some(last) || step.location.file != MODELS);
    run.threads = (0..sequential.threads.len()).map(|thread| title(sequential, thread)).collect();
}

/// The name of a thread.
pub fn title(sequential: &Sequential, thread: usize) -> String {
    let start = sequential.threads[thread].starts.first();
    let name = start.map_or("", |&func| source_name(&sequential.program.funcs[func].name));
    format!("thread {thread}: {name}")
}
