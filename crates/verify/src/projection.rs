//! Error projections: for people, and for the page.

use std::cell::Cell;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::verdict::Reason;
use gnomon_report::html::error_paths::{ErrorPaths, ProjectedLines};
use gnomon_report::model::VerdictName;

use crate::clock::process_memory;
use crate::decide::{self, Options, ProjectionReport};
use crate::error::VerifyError;
use crate::listen::Listener;
use crate::request::Request;
use crate::subject::Subject;
use crate::task::Task;

/// What a projection may take besides the refinement before it.
const PROJECTION_TIME: Duration = Duration::from_secs(60);
/// Describing what was executed for a page has so much in any case.
const LEAST_DESCRIPTION: Duration = Duration::from_secs(1);

/// Limits of processor time and memory from now on, counting work with another budget.
fn limited(request: &Request, time: Duration, with: &Budget) -> Budget {
    let memory = process_memory(request);
    Budget::unlimited().with_cpu_time(time).with_memory(memory).counting_with(with)
}

/// The error projection under the last predicates of the pushdown engine.
pub(crate) fn projected(
    facts: &Facts<'_>,
    options: &Options,
    request: &Request,
    with: &Budget,
) -> Result<Result<ProjectionReport, Reason>, VerifyError> {
    let time = request.limits.time;
    let budget = limited(request, time, with);
    // It begins to count now.
    let later = limited(request, time + PROJECTION_TIME, with);
    Ok(decide::project(facts, options, &budget, &later)?)
}

/// The lines that can lie on an error path, for a page, or why they are not known; `time` is what is
/// left for that, and becomes less. Of it, refining has a third, projecting a third and what refining
/// leaves, and executing paths what both leave.
pub(crate) fn lines(
    subject: &Subject<'_>,
    verdict: VerdictName,
    request: &Request,
    with: &Budget,
    time: &Cell<Duration>,
) -> Result<Result<ProjectedLines, String>, VerifyError> {
    if verdict == VerdictName::True {
        return Ok(Err("No line lies on an error path: that is proved.".to_owned()));
    }
    let Some(facts) = subject.facts else {
        return Ok(Err("The error projection is not known: a limit was reached.".to_owned()));
    };
    let all = time.get();
    if all.is_zero() {
        return Ok(Err("The error projection is not known: its time is used up.".to_owned()));
    }
    let whole = limited(request, all, with);
    let lines = lines_within(subject, facts, all, &whole);
    time.set(whole.time_left().unwrap_or_default());
    lines
}

fn lines_within(
    subject: &Subject<'_>,
    facts: &Facts<'_>,
    all: Duration,
    whole: &Budget,
) -> Result<Result<ProjectedLines, String>, VerifyError> {
    let refining = whole.with_cpu_time(all / 3);
    // It begins to count now.
    let projecting = whole.with_cpu_time(all / 3 * 2);
    let found = match decide::project(facts, subject.options, &refining, &projecting)? {
        Ok(found) => found,
        Err(Reason::Limit(_)) => {
            let why = "The error projection is not known: it was not finished in the time that a page \
                       has; more --time gives it more.";
            return Ok(Err(why.to_owned()));
        }
        Err(reason) => return Ok(Err(format!("The error projection is not known: {reason}."))),
    };
    let error_paths = ErrorPaths::of(subject.program, &found.projection);
    let (numbers, paths): (Vec<_>, Vec<_>) = error_paths.to_execute().into_iter().unzip();
    let executed = decide::execute_error_paths(facts, subject.options, &paths, whole)?;
    let executed = numbers.into_iter().zip(executed).collect();
    // Describing what was executed is worth a little more.
    let describing = whole.time_left().unwrap_or_default().max(LEAST_DESCRIPTION);
    let describing = Budget::unlimited().with_cpu_time(describing).counting_with(whole);
    Ok(Ok(error_paths.shown(&subject.checked(), executed, &describing)))
}

/// Projects a program alone, whatever the verdict is; it may be changed before.
pub fn project(
    request: &Request,
    listener: &dyn Listener,
    change: impl FnOnce(&mut Task) -> Result<(), String>,
) -> Result<(Task, Result<ProjectionReport, Reason>), VerifyError> {
    let mut task = Task::read(request, listener)?;
    change(&mut task).map_err(VerifyError::Analysis)?;
    let budget = limited(request, request.limits.time, &Budget::unlimited());
    let budget = match listener.progress() {
        Some(progress) => budget.with_progress(progress),
        None => budget,
    };
    let entry = decide::entry(&task.program, &task.options)?;
    let report = match Facts::new(&task.program, entry, task.options.memory, &budget) {
        Ok(facts) => {
            // It begins to count now.
            let later = limited(request, request.limits.time + PROJECTION_TIME, &budget);
            decide::project(&facts, &task.options, &budget, &later)?
        }
        Err(limit) => Err(Reason::Limit(limit)),
    };
    Ok((task, report))
}
