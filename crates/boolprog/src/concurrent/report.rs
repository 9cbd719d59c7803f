//! Schedules for people and tools: plain data first, text made from it second.

use std::fmt::Write as _;

use serde::Serialize;

use super::schedule::Schedule;
use super::switches::FatalSwitch;
use super::system::ThreadSystem;
use crate::report::{NamedValue, TraceStep, show_values, steps_text, trace};
use crate::source::Source;

/// What one thread does in one context.
#[derive(Clone, Debug, Serialize)]
pub struct ContextTrace {
    /// The number of the thread, from 1; 0 is the prologue.
    pub thread: usize,
    /// Its name.
    pub name: String,
    /// The number of its context, from 1.
    pub context: usize,
    /// The steps.
    pub steps: Vec<TraceStep>,
}

/// A schedule for people.
#[derive(Clone, Debug, Serialize)]
pub struct ScheduleTrace {
    /// The globals at the start.
    pub start: Vec<NamedValue>,
    /// How often the thread changes.
    pub switches: usize,
    /// The contexts in which something happens.
    pub contexts: Vec<ContextTrace>,
    /// How it ended.
    pub end: String,
}

fn thread_name(system: &ThreadSystem, thread: Option<usize>) -> String {
    match thread {
        Some(i) => system.threads[i].name.clone(),
        None => "before the threads".to_owned(),
    }
}

/// A schedule as data.
pub fn schedule(source: &Source, system: &ThreadSystem, schedule: &Schedule) -> ScheduleTrace {
    let model = &system.model;
    let globals = schedule.contexts.first().map(|c| &c.run.start.globals);
    let first: Vec<_> =
        model.global_ids().filter_map(|g| Some((g, *globals?.get(g.index())?))).collect();
    let mut end = String::new();
    let contexts = schedule
        .contexts
        .iter()
        .map(|c| {
            let shown = trace(source, model, &c.run);
            end = shown.end;
            ContextTrace {
                thread: c.thread.map_or(0, |t| t + 1),
                name: thread_name(system, c.thread),
                context: c.context + 1,
                steps: shown.steps,
            }
        })
        .collect();
    ScheduleTrace {
        start: crate::report::named_values(model, &first),
        switches: schedule.switches(),
        contexts,
        end,
    }
}

/// A schedule as text.
pub fn schedule_text(schedule: &ScheduleTrace) -> String {
    let mut out = String::new();
    let start = show_values(&schedule.start);
    let _ = writeln!(out, "     start: {}", if start.is_empty() { "no globals" } else { &start });
    for context in &schedule.contexts {
        let _ = match context.thread {
            0 => writeln!(out, "-- {}", context.name),
            n => writeln!(out, "-- thread {n} ({}), context {}", context.name, context.context),
        };
        out.push_str(&steps_text(&context.steps));
    }
    let _ = writeln!(out, "       {}", schedule.end);
    out
}

/// Statements at which a switch leads to an error, as text.
pub fn switches_text(source: &Source, system: &ThreadSystem, list: &[FatalSwitch]) -> String {
    let mut out = String::new();
    for switch in list {
        let point = system.model.point(switch.point);
        let at = source.position(point.span.start);
        let which = if switch.first { "first" } else { "second" };
        let procedure = &system.model.procedure(point.procedure).name;
        let _ = writeln!(
            out,
            "{:>5}: {procedure}: {:<40} {which} switch, away from thread {} ({})",
            at.line,
            point.text,
            switch.thread + 1,
            system.threads[switch.thread].name,
        );
    }
    out
}
