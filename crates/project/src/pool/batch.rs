//! Pools of clusters: jobs go out in batches, workers anywhere write into the shared cache.
//!
//! A batch is a directory beside the cache with a file `tasks`, one line of arguments for each job; worker
//! number N of the batch reads line N, leaves a mark `begun/N`, and a mark `done/N` when its result is in the cache. So what
//! an engine must be able to do is small: start N workers with a number each, and say whether some are
//! left. Slurm does so by job arrays, HyperQueue by task arrays of `hq` or by its Python package.
//!
//! An engine that does not answer (its controller is restarted) is asked again later. A job that the engine
//! has forgotten without a mark was lost: if it had begun, the unit may be to blame, otherwise the engine is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ProjectError;
use crate::pool::{Ended, Job, Pool, Worker};
use crate::store::Store;

/// The file with the arguments of the jobs of a batch.
pub const TASKS: &str = "tasks";
/// The directory with the marks of jobs of a batch that have begun.
pub const BEGUN: &str = "begun";
/// The directory with the marks of those that are done.
pub const DONE: &str = "done";
/// The small program that hands batches to HyperQueue by its Python package.
const SUBMITTER: &str = include_str!("hyperqueue_submit.py");

/// At most so many jobs in a batch: what Slurm allows in an array by default.
const LARGEST: usize = 1_000;
/// How long jobs are gathered for a batch.
const GATHERING: Duration = Duration::from_millis(500);
/// How often marks are looked for, and how often the engine is asked.
const LOOK: Duration = Duration::from_millis(200);
const ASK: Duration = Duration::from_secs(2);
/// So often in a row nothing must be left of a batch before its other jobs are lost.
const SURE: u32 = 2;
/// So many batches in a row of which nothing has begun, and the engine is no use.
const BARREN: u32 = 3;

/// Who starts workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `sbatch`, with further arguments.
    Slurm(Vec<String>),
    /// `hq submit`, with further arguments.
    Hq(Vec<String>),
    /// The Python package, with this interpreter, and the directory of a server that runs; without one, a
    /// server and so many workers are started for the batch.
    HyperQueuePython {
        /// The interpreter.
        python: String,
        /// The directory of a server.
        server: Option<PathBuf>,
        /// How many workers, if there is no server.
        workers: usize,
    },
}

/// Jobs that were given out together.
struct Batch {
    directory: PathBuf,
    jobs: Vec<Job>,
    left: BTreeSet<usize>,
    handle: Handle,
    gone: u32,
}

/// How an engine knows a batch.
enum Handle {
    /// By a number that it is asked about.
    Number(String),
    /// A process waits for it.
    Process(Child),
}

/// A cluster.
pub struct Batches {
    engine: Engine,
    worker: Worker,
    store: Store,
    spool: PathBuf,
    waiting: Vec<Job>,
    since: Option<Instant>,
    batches: BTreeMap<usize, Batch>,
    made: usize,
    asked: Instant,
    /// How often the engine did not answer in a row.
    silent: u32,
    /// How many batches in a row were lost before one of their jobs began.
    barren: u32,
}

impl Batches {
    /// Work goes to an engine; the cache must be where its workers see it.
    pub fn new(engine: Engine, worker: Worker, cache: &Path) -> Result<Self, ProjectError> {
        let problem = |error| ProjectError::file(cache, error);
        let cache = std::fs::canonicalize(cache).map_err(problem)?;
        let store = Store::open(&cache).map_err(problem)?;
        let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let moment = moment.map_or(0, |since| since.as_millis());
        let spool = cache.join("batches").join(format!("{moment}-{}", std::process::id()));
        std::fs::create_dir_all(&spool).map_err(|error| ProjectError::file(&spool, error))?;
        Ok(Self {
            engine,
            worker,
            store,
            spool,
            waiting: Vec::new(),
            since: None,
            batches: BTreeMap::new(),
            made: 0,
            asked: Instant::now(),
            silent: 0,
            barren: 0,
        })
    }

    fn submit(&mut self) -> Result<(), ProjectError> {
        let count = self.waiting.len().min(LARGEST);
        let jobs: Vec<Job> = self.waiting.drain(..count).collect();
        self.since = (!self.waiting.is_empty()).then(Instant::now);
        let directory = self.spool.join(self.made.to_string());
        let problem = |error| ProjectError::file(&directory, error);
        for marks in [BEGUN, DONE] {
            std::fs::create_dir_all(directory.join(marks)).map_err(problem)?;
        }
        let line = |job: &Job| job.arguments().join(" ") + "\n";
        let tasks: String = jobs.iter().map(line).collect();
        std::fs::write(directory.join(TASKS), tasks).map_err(problem)?;
        let handle = self.hand_over(&directory, &jobs)?;
        let left = (0..jobs.len()).collect();
        self.batches.insert(self.made, Batch { directory, jobs, left, handle, gone: 0 });
        self.made += 1;
        Ok(())
    }

    fn hand_over(&self, directory: &Path, jobs: &[Job]) -> Result<Handle, ProjectError> {
        let last = jobs.len() - 1;
        let memory = jobs.iter().map(|job| job.memory).max().unwrap_or(0);
        let mut words = vec![self.worker.program.display().to_string()];
        words.extend(self.worker.arguments.iter().cloned());
        words.push(format!("--batch={}", directory.display()));
        match &self.engine {
            Engine::Slurm(more) => {
                let quoted = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
                let script = format!("#!/bin/sh\nexec {quoted} --task=\"$SLURM_ARRAY_TASK_ID\"\n");
                let mut command = Command::new("sbatch");
                command.args(["--parsable", "--requeue", "--job-name=gnomon", "--ntasks=1"]);
                command.args([format!("--array=0-{last}"), format!("--mem={memory}M")]);
                command.args(["--output=/dev/null", "--error=/dev/null"]).args(more);
                let number = self.answered(&mut command, Some(&script))?;
                let number = number.trim().split(';').next().unwrap_or_default().to_owned();
                Ok(Handle::Number(number))
            }
            Engine::Hq(more) => {
                let mut command = Command::new("hq");
                command.args([
                    "submit",
                    "--wait",
                    "--stdout=none",
                    "--stderr=none",
                    "--name=gnomon",
                ]);
                command.args([format!("--array=0-{last}")]).args(more).arg("--").args(&words);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                self.started(&mut command)
            }
            Engine::HyperQueuePython { python, server, workers } => {
                let program = directory.join("submit.py");
                let problem = |error| ProjectError::file(&program, error);
                std::fs::write(&program, SUBMITTER).map_err(problem)?;
                let mut command = Command::new(python);
                command.arg(&program).arg(format!("--tasks={}", jobs.len()));
                match server {
                    Some(server) => command.arg(format!("--server={}", server.display())),
                    None => command.arg(format!("--workers={workers}")),
                };
                let log = directory.join("log");
                let file = std::fs::File::create(&log).map_err(|e| ProjectError::file(&log, e))?;
                command.arg("--").args(&words).stdin(Stdio::null()).stdout(Stdio::null());
                command.stderr(Stdio::from(file));
                self.started(&mut command)
            }
        }
    }

    fn started(&self, command: &mut Command) -> Result<Handle, ProjectError> {
        let name = command.get_program().to_string_lossy().into_owned();
        match command.spawn() {
            Ok(child) => Ok(Handle::Process(child)),
            Err(error) => Err(ProjectError::Pool(format!("`{name}` cannot be started: {error}"))),
        }
    }

    /// What a command of the engine prints. An engine that is busy is asked again for a while.
    fn answered(&self, command: &mut Command, input: Option<&str>) -> Result<String, ProjectError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let problem = |text: String| ProjectError::Pool(format!("`{name}`: {}", text.trim()));
        let mut tries = 0;
        loop {
            let done = ask(command, input).map_err(|error| problem(error.to_string()))?;
            if done.status.success() {
                return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
            }
            tries += 1;
            if tries > 30 {
                return Err(problem(String::from_utf8_lossy(&done.stderr).into_owned()));
            }
            std::thread::sleep(ASK);
        }
    }

    /// Jobs of a batch that have left their mark.
    fn marked(&mut self) -> Vec<(usize, Ended)> {
        let mut ended = Vec::new();
        for batch in self.batches.values_mut() {
            for task in numbers(&batch.directory.join(DONE)) {
                if !batch.left.remove(&task) {
                    continue;
                }
                let Some(job) = batch.jobs.get(task) else { continue };
                ended.push((
                    job.number,
                    match self.store.get(&job.key) {
                        Some(record) => Ended::Done(Box::new(record)),
                        None => Ended::Failed("it left no result in the cache".into()),
                    },
                ));
            }
        }
        ended
    }

    /// Jobs that the engine has forgotten.
    fn lost(&mut self) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let mut lost = Vec::new();
        let mut silent = false;
        for batch in self.batches.values_mut() {
            match is_left(&mut batch.handle) {
                Some(true) => batch.gone = 0,
                Some(false) => batch.gone += 1,
                None => silent = true,
            }
            if batch.gone >= SURE && !batch.left.is_empty() {
                let begun = numbers(&batch.directory.join(BEGUN));
                self.barren = if begun.is_empty() { self.barren + 1 } else { 0 };
                if self.barren >= BARREN {
                    return Err(ProjectError::Pool(format!(
                        "{BARREN} times the cluster has ended without doing anything{}",
                        last_words(&batch.directory)
                    )));
                }
                for task in std::mem::take(&mut batch.left) {
                    let ended = match begun.contains(&task) {
                        true => Ended::Failed("it crashed, or its node was lost".into()),
                        false => Ended::Lost("the cluster has ended before".into()),
                    };
                    lost.push((batch.jobs[task].number, ended));
                }
            }
        }
        self.silent = if silent { self.silent + 1 } else { 0 };
        Ok(lost)
    }

    fn clean(&mut self) {
        self.batches.retain(|_, batch| {
            if !batch.left.is_empty() {
                return true;
            }
            if let Handle::Process(child) = &mut batch.handle
                && !matches!(child.try_wait(), Ok(Some(_)))
            {
                // It ends by itself; until then the directory is its own.
                return true;
            }
            let _ = std::fs::remove_dir_all(&batch.directory);
            false
        });
    }
}

/// The marks in a directory.
fn numbers(directory: &Path) -> BTreeSet<usize> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// What the program that hands a batch over said last.
fn last_words(batch: &Path) -> String {
    let log = std::fs::read_to_string(batch.join("log")).unwrap_or_default();
    log.trim().lines().last().map_or_else(String::new, |line| format!(": {line}"))
}

/// Whether an engine still has something of a batch; none if it does not answer.
fn is_left(handle: &mut Handle) -> Option<bool> {
    match handle {
        Handle::Process(child) => Some(!matches!(child.try_wait(), Ok(Some(_)))),
        Handle::Number(number) => {
            let mut command = Command::new("squeue");
            command.args(["--noheader", "--array", "--format=%i", "--jobs", number]);
            let done = ask(&mut command, None).ok()?;
            let told = String::from_utf8_lossy(&done.stderr);
            match done.status.success() {
                true => Some(!String::from_utf8_lossy(&done.stdout).trim().is_empty()),
                // It is over for so long that nobody remembers.
                false if told.contains("Invalid job id") => Some(false),
                false => None,
            }
        }
    }
}

fn ask(command: &mut Command, input: Option<&str>) -> std::io::Result<std::process::Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take()
        && let Some(input) = input
    {
        pipe.write_all(input.as_bytes())?;
    }
    child.wait_with_output()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Pool for Batches {
    fn room(&self) -> usize {
        let running: usize = self.batches.values().map(|batch| batch.left.len()).sum();
        (4 * LARGEST).saturating_sub(running + self.waiting.len())
    }

    fn is_here(&self) -> bool {
        false
    }

    fn start(&mut self, job: Job) -> Result<(), ProjectError> {
        self.waiting.push(job);
        self.since.get_or_insert_with(Instant::now);
        Ok(())
    }

    fn ended(&mut self, most: Duration) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let until = Instant::now() + most;
        loop {
            let is_due = self.since.is_some_and(|since| since.elapsed() >= GATHERING);
            if is_due || self.waiting.len() >= LARGEST {
                self.submit()?;
            }
            let mut ended = self.marked();
            if ended.is_empty() && self.asked.elapsed() >= ASK {
                self.asked = Instant::now();
                ended = self.lost()?;
            }
            self.clean();
            if !ended.is_empty() || Instant::now() >= until {
                return Ok(ended);
            }
            std::thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
    }

    fn stop(&mut self) {
        self.waiting.clear();
        for batch in self.batches.values_mut() {
            match &mut batch.handle {
                Handle::Number(number) => {
                    // Whoever is not there to be told does not go on either.
                    let _ = Command::new("scancel").arg(number).status();
                }
                Handle::Process(child) => {
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
        }
        self.batches.clear();
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.spool);
    }
}
