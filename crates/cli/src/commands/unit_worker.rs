//! A worker of `gnomon verify`: one attempt at one unit. What it finds goes into the cache and, as one line
//! of JSON, to standard output.

use std::path::Path;

use clap::Parser;
use gnomon_project::pool::batch::{BEGUN, DONE, TASKS};
use gnomon_project::record::Record;
use gnomon_project::store::{Beside, Store};
use gnomon_project::worker::{Attempt, attempt};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::WorkerArgs;

/// Makes one attempt at one unit.
pub fn run(args: &WorkerArgs) -> Result<Status, Failure> {
    match &args.batch {
        None => one(args).map(|()| Status::True),
        Some(batch) => {
            let task = args.task.or_else(given_by_engine);
            let task = task.ok_or_else(|| Failure::error("which task of the batch is not said"))?;
            of_batch(&args.cache, batch, task)
        }
    }
}

/// The number that an engine gives to a task.
fn given_by_engine() -> Option<usize> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    number("HQ_TASK_ID").or_else(|| number("SLURM_ARRAY_TASK_ID"))
}

/// Arguments of a task as they stand in a file.
#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: WorkerArgs,
}

/// Does what stands in a line of a batch, and leaves marks.
fn of_batch(cache: &Path, batch: &Path, task: usize) -> Result<Status, Failure> {
    let file = batch.join(TASKS);
    let problem = |error| Failure::error(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(problem)?;
    let line = text.lines().nth(task).ok_or_else(|| Failure::error("there is no such task"))?;
    let cache = format!("--cache={}", cache.display());
    let words = ["worker", cache.as_str()].into_iter().chain(line.split(' '));
    let line = Line::try_parse_from(words).map_err(Failure::error)?;
    mark(batch, BEGUN, task)?;
    one(&line.args)?;
    mark(batch, DONE, task)?;
    Ok(Status::True)
}

fn mark(batch: &Path, marks: &str, task: usize) -> Result<(), Failure> {
    let mark = batch.join(marks).join(task.to_string());
    // The directory is gone when somebody else has done the task already.
    std::fs::write(&mark, "")
        .map_err(|error| Failure::error(format!("{}: {error}", mark.display())))
}

fn one(args: &WorkerArgs) -> Result<(), Failure> {
    // Whatever goes wrong, it ends.
    let most = Some(args.seconds * 3 + 30);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: most, maximum: most });
    let store = Store::open(&args.cache).map_err(Failure::error)?;
    let key = args.key.as_deref().unwrap_or_default();
    if let Some(known) = store.get(key)
        && (known.is_final() || known.tried >= args.seconds)
    {
        return told(&known);
    }
    let problem = |error| Failure::error(format!("the unit {key} cannot be read: {error}"));
    let (unit, text) = store.unit(key).map_err(problem)?;
    let limits = Attempt { seconds: args.seconds, memory: args.memory, is_last: args.last };
    let before = unit.before.as_deref().and_then(|key| store.beside(key, Beside::Proof));
    let done = attempt(&unit, &text, limits, before.as_deref());
    let kept = keep(&store, &unit.name(), &done.record, &done);
    // Where nothing can be kept, the driver of this machine still learns it.
    told(&done.record)?;
    kept.map_err(|error| Failure::error(format!("the result of {key} is not kept: {error}")))
}

fn keep(
    store: &Store,
    name: &str,
    record: &Record,
    done: &gnomon_project::worker::Attempted,
) -> std::io::Result<()> {
    if let Some(report) = &done.report {
        store.put_beside(&record.key, Beside::Report, &report.to_json()?)?;
    }
    if let Some(certificate) = &done.certificate {
        store.put_beside(&record.key, Beside::Proof, certificate)?;
        store.remember_proof(name, &record.key)?;
    }
    store.put(record)
}

fn told(record: &Record) -> Result<(), Failure> {
    let line = serde_json::to_string(record).map_err(Failure::error)?;
    output::result(&(line + "\n"));
    Ok(())
}
