//! A worker of `gnomon verify`: one attempt at one unit. What it finds goes into the cache and, as one line
//! of JSON, to standard output. A thread looks how much memory it and its solvers use: above its limit, the unit
//! is told to be open, and the worker ends, before the machine swaps.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;
use gnomon_project::pool::batch::{BEGUN, DONE, TASKS};
use gnomon_project::record::Record;
use gnomon_project::store::{Beside, Store};
use gnomon_project::worker::{Attempt, attempt, earlier, family, memory_of, over_memory};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, kill_process, set_parent_process_death_signal, setrlimit,
};

use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::WorkerArgs;

/// Makes one attempt at one unit.
pub fn run(args: &WorkerArgs) -> Result<Status, Failure> {
    match &args.batch {
        None => {
            // Who has started it waits for it; when that one is killed, nobody does.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            one(args, || Ok(())).map(|()| Status::True)
        }
        Some(batch) => {
            let task = args.task.or_else(given_by_engine);
            let task = task.ok_or_else(|| Failure::error("which task of the batch is not said"))?;
            of_batch(args, batch, task)
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
fn of_batch(args: &WorkerArgs, batch: &Path, task: usize) -> Result<Status, Failure> {
    let file = batch.join(TASKS);
    let problem = |error| Failure::error(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(problem)?;
    let line = text.lines().nth(task).ok_or_else(|| Failure::error("there is no such task"))?;
    let cache = format!("--cache={}", args.cache.display());
    let run = format!("--run={}", args.run);
    let words = ["worker", &cache, &run].into_iter().chain(line.split(' '));
    let line = Line::try_parse_from(words).map_err(Failure::error)?;
    mark(batch, BEGUN, task)?;
    let place = batch.to_owned();
    one(&line.args, move || mark(&place, DONE, task))?;
    Ok(Status::True)
}

fn mark(batch: &Path, marks: &str, task: usize) -> Result<(), Failure> {
    let mark = batch.join(marks).join(task.to_string());
    // The directory is gone when somebody else has done the task already.
    std::fs::write(&mark, "")
        .map_err(|error| Failure::error(format!("{}: {error}", mark.display())))
}

/// How often it is looked how much memory is used.
const LOOK: Duration = Duration::from_millis(200);

/// Makes one attempt; `done` is called when its result is in the cache.
fn one(
    args: &WorkerArgs,
    done: impl Fn() -> Result<(), Failure> + Clone + Send + 'static,
) -> Result<(), Failure> {
    // Whatever goes wrong, it ends.
    let most = Some(args.seconds * 3 + 30);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: most, maximum: most });
    let store = Store::of_run(&args.cache, &args.run).map_err(Failure::error)?;
    let key = args.key.as_deref().unwrap_or_default();
    if let Some(known) = store.get(key)
        && known.covers(args.seconds, args.memory)
    {
        told(&known)?;
        return done();
    }
    let problem = |error| Failure::error(format!("the unit {key} cannot be read: {error}"));
    let (unit, text) = store.unit(key).map_err(problem)?;
    let limits = Attempt { seconds: args.seconds, memory: args.memory, is_last: args.last };
    let before = unit.before.as_deref().and_then(|key| {
        earlier(&store.beside(key, Beside::Proof)?, &store.beside(key, Beside::Shape)?)
    });
    // Who has this answers.
    let answers = Arc::new(Mutex::new(()));
    watch_memory(args.clone(), limits, answers.clone(), done.clone());
    let attempted = attempt(&unit, &text, limits, before)
        .map_err(|error| Failure::error(format!("{key}: {error}")))?;
    // It is held until this process has ended, so that nobody answers again.
    std::mem::forget(answers.lock().unwrap_or_else(PoisonError::into_inner));
    let kept = keep(&store, &unit.name(), &attempted.record, &attempted);
    // Where nothing can be kept, the driver of this machine still learns it.
    told(&attempted.record)?;
    kept.map_err(|error| Failure::error(format!("the result of {key} is not kept: {error}")))?;
    done()
}

/// Ends this process and those that it has started when they use too much memory together. The attempt itself gives
/// up at its limit where it can; solvers are processes of their own, and one query may take any amount.
fn watch_memory(
    args: WorkerArgs,
    limits: Attempt,
    answers: Arc<Mutex<()>>,
    done: impl Fn() -> Result<(), Failure> + Send + 'static,
) {
    let most = limits.memory + limits.memory / 4;
    let look = move || {
        let family = family();
        let used = memory_of(&family);
        if used <= most {
            return;
        }
        let Ok(_answer) = answers.lock() else { return };
        for process in family.iter().skip(1).filter_map(|&process| Pid::from_raw(process as i32)) {
            // It may have ended by itself.
            let _ = kill_process(process, Signal::KILL);
        }
        let key = args.key.as_deref().unwrap_or_default();
        let record = over_memory(key, limits, used);
        let kept = Store::of_run(&args.cache, &args.run).and_then(|store| store.put(&record));
        let told = told(&record).and_then(|()| done());
        std::process::exit(i32::from(kept.is_err() || told.is_err()));
    };
    look();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LOOK);
            look();
        }
    });
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
    if let Some((certificate, shape)) = &done.proof {
        store.put_beside(&record.key, Beside::Proof, certificate)?;
        store.put_beside(&record.key, Beside::Shape, shape)?;
        store.remember_proof(name, &record.key)?;
    }
    store.put(record)
}

fn told(record: &Record) -> Result<(), Failure> {
    let line = serde_json::to_string(record).map_err(Failure::error)?;
    output::result(&(line + "\n"));
    Ok(())
}
