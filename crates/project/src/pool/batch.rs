//! Pools of clusters: jobs go out in batches, workers anywhere write into the shared cache.
//!
//! A batch is a directory beside the cache with a file `tasks`, one line of arguments for each job; worker
//! number N of the batch reads line N, leaves a mark `begun/N`, and a mark `done/N` when its result is in the cache. So what
//! an engine must be able to do is small: start N workers with a number each, and say whether some are
//! left. Slurm does so by job arrays, HyperQueue by task arrays of `hq` or by its Python package.
//!
//! An engine that does not answer (its controller is restarted) is told of, and asked again for a while. A job that the engine
//! has forgotten without a mark was lost: if it had begun, the unit may be to blame, otherwise the engine is.
//! An engine that ends batches without doing anything, or whose workers leave marks and no results, is no use;
//! what is known then is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::ProjectError;
pub use crate::pool::engine::Engine;
use crate::pool::engine::{Connection, Handle, Left, Order, Refused, last_words, last_words_of};
use crate::pool::{Ended, Job, Pool, Worker};
use crate::record::Record;
use crate::store::{BATCHES, Store};

/// The file with the arguments of the jobs of a batch.
pub const TASKS: &str = "tasks";
/// The directory with the marks of jobs of a batch that have begun.
pub const BEGUN: &str = "begun";
/// The directory with the marks of those that are done.
pub const DONE: &str = "done";

/// At most so many jobs in a batch: what Slurm allows in an array by default.
const LARGEST: usize = 1_000;
/// So often in a row nothing must be left of a batch before its other jobs are lost.
const SURE: u32 = 2;
/// So many batches in a row of which nothing has begun, and the engine is no use.
const BARREN: u32 = 3;
/// So many jobs in a row that leave marks and no results, and the cache is not the same for them.
const EMPTY: u32 = 20;

/// How long a pool waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Jobs are gathered for a batch.
    pub gathering: Duration,
    /// How often marks are looked for.
    pub look: Duration,
    /// How often the engine is asked.
    pub ask: Duration,
    /// A file that another machine has written is there at last.
    pub file: Duration,
    /// An engine that has not taken anything yet takes it.
    pub first: Duration,
    /// An engine that was there before answers again.
    pub again: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            gathering: Duration::from_millis(500),
            look: Duration::from_millis(200),
            ask: Duration::from_secs(2),
            file: Duration::from_secs(10),
            first: Duration::from_secs(60),
            again: Duration::from_secs(900),
        }
    }
}

/// Jobs that were given out together.
struct Batch {
    directory: PathBuf,
    jobs: Vec<Job>,
    left: BTreeSet<usize>,
    /// Jobs with a mark and without a result, since when.
    empty: BTreeMap<usize, Instant>,
    handle: Handle,
    gone: u32,
}

/// A cluster.
pub struct Batches {
    connection: Connection,
    worker: Worker,
    store: Store,
    spool: PathBuf,
    patience: Patience,
    waiting: Vec<Job>,
    /// When the next batch is made.
    due: Option<Instant>,
    batches: BTreeMap<usize, Batch>,
    made: usize,
    asked: Instant,
    /// Since when the engine takes nothing.
    refused: Option<Instant>,
    /// Since when it does not say what is left.
    silent: Option<Instant>,
    /// What is to be told of that.
    trouble: Option<String>,
    /// How many batches in a row were lost before one of their jobs began.
    barren: u32,
    /// How many jobs in a row left marks and no results.
    empty: u32,
}

impl Batches {
    /// Work goes to an engine; the cache must be where its workers see it.
    pub fn new(
        engine: Engine,
        worker: Worker,
        cache: &Path,
        patience: Patience,
    ) -> Result<Self, ProjectError> {
        let problem = |error| ProjectError::file(cache, error);
        let cache = std::fs::canonicalize(cache).map_err(problem)?;
        let store = Store::open(&cache).map_err(problem)?;
        let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let moment = moment.map_or(0, |since| since.as_nanos());
        let spool = cache.join(BATCHES).join(format!("{moment}-{}", std::process::id()));
        std::fs::create_dir_all(&spool).map_err(|error| ProjectError::file(&spool, error))?;
        Ok(Self {
            connection: Connection::new(engine, &spool),
            worker,
            store,
            spool,
            patience,
            waiting: Vec::new(),
            due: None,
            batches: BTreeMap::new(),
            made: 0,
            asked: Instant::now(),
            refused: None,
            silent: None,
            trouble: None,
            barren: 0,
            empty: 0,
        })
    }

    fn submit(&mut self) -> Result<(), ProjectError> {
        let count = self.waiting.len().min(LARGEST);
        let jobs: Vec<Job> = self.waiting[..count].to_vec();
        let directory = self.spool.join(self.made.to_string());
        let problem = |error| ProjectError::file(&directory, error);
        for marks in [BEGUN, DONE] {
            std::fs::create_dir_all(directory.join(marks)).map_err(problem)?;
        }
        let line = |job: &Job| job.arguments().join(" ") + "\n";
        let tasks: String = jobs.iter().map(line).collect();
        std::fs::write(directory.join(TASKS), tasks).map_err(problem)?;
        let mut words = vec![self.worker.program.display().to_string()];
        words.extend(self.worker.arguments.iter().cloned());
        words.push(format!("--batch={}", directory.display()));
        let memory = jobs.iter().map(|job| job.memory).max().unwrap_or(0);
        let order = Order { directory: &directory, tasks: jobs.len(), memory, words: &words };
        let handle = match self.connection.submit(&order) {
            Ok(handle) => handle,
            Err(Refused::Ever(error)) => return Err(error),
            Err(Refused::Now(why)) => {
                // They stay where they are, and are offered again.
                self.due = Some(Instant::now() + self.patience.ask);
                let patience = match self.made {
                    0 => self.patience.first,
                    _ => self.patience.again,
                };
                return waited(&mut self.refused, patience, &why, &mut self.trouble);
            }
        };
        self.refused = None;
        self.waiting.drain(..count);
        self.due = (!self.waiting.is_empty()).then(Instant::now);
        let left = (0..jobs.len()).collect();
        let empty = BTreeMap::new();
        self.batches.insert(self.made, Batch { directory, jobs, left, empty, handle, gone: 0 });
        self.made += 1;
        Ok(())
    }

    /// Jobs of a batch that have left their mark.
    fn marked(&mut self) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let mut ended = Vec::new();
        for batch in self.batches.values_mut() {
            for task in numbers(&batch.directory.join(DONE)) {
                let Some(job) = batch.jobs.get(task).filter(|_| batch.left.contains(&task)) else {
                    continue;
                };
                let record = self.store.get(&job.key);
                let end = match record.filter(|record| record.covers(job.seconds, job.memory)) {
                    Some(record) => {
                        (self.barren, self.empty) = (0, 0);
                        Ended::Done(Box::new(record))
                    }
                    // Files of other machines may come later than their marks.
                    None if batch.empty.entry(task).or_insert_with(Instant::now).elapsed()
                        < self.patience.file =>
                    {
                        continue;
                    }
                    None => {
                        self.empty += 1;
                        Ended::Failed("it left no result in the cache".into())
                    }
                };
                batch.left.remove(&task);
                ended.push((job.number, end));
            }
        }
        if self.empty >= EMPTY {
            return Err(ProjectError::Pool(format!(
                "workers end without results in {}: do they see the same directory?",
                self.store.directory().display()
            )));
        }
        Ok(ended)
    }

    /// Jobs that the engine has forgotten.
    fn lost(&mut self) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let mut lost = Vec::new();
        let mut silent = None;
        for batch in self.batches.values_mut() {
            if batch.left.is_empty() {
                continue;
            }
            match self.connection.left(&mut batch.handle) {
                Left::Something => batch.gone = 0,
                Left::Nothing => batch.gone += 1,
                Left::Unknown(why) => {
                    // Others would not be answered either, and each question may take long.
                    silent = Some(why);
                    break;
                }
            }
            // Those with a mark wait for their results.
            let is_over = batch.left.iter().all(|task| batch.empty.contains_key(task));
            if batch.gone < SURE || is_over {
                continue;
            }
            let begun = numbers(&batch.directory.join(BEGUN));
            self.barren = if begun.is_empty() { self.barren + 1 } else { 0 };
            if self.barren >= BARREN {
                let told = last_words(&batch.directory);
                return Err(ProjectError::Pool(format!(
                    "{BARREN} times the cluster has ended without doing anything{}",
                    told.map_or_else(String::new, |line| format!(": {line}"))
                )));
            }
            for task in std::mem::take(&mut batch.left) {
                let job = &batch.jobs[task];
                let is_its = |record: &Record| record.covers(job.seconds, job.memory);
                let ended = match self.store.get(&job.key).filter(is_its) {
                    Some(record) => Ended::Done(Box::new(record)),
                    None if begun.contains(&task) => Ended::Failed(
                        last_words_of(&batch.directory, task)
                            .unwrap_or_else(|| "it crashed, or its node was lost".into()),
                    ),
                    None => Ended::Lost("the cluster has ended before".into()),
                };
                lost.push((job.number, ended));
            }
        }
        match silent {
            Some(why) => waited(&mut self.silent, self.patience.again, &why, &mut self.trouble)?,
            None => self.silent = None,
        }
        Ok(lost)
    }

    fn clean(&mut self) {
        let connection = &self.connection;
        self.batches.retain(|_, batch| {
            let is_over = batch.left.is_empty()
                // The program that waits for it ends by itself; until then the directory is its own.
                && (matches!(batch.handle, Handle::Number(_))
                    || connection.left(&mut batch.handle) == Left::Nothing);
            if is_over {
                let _ = std::fs::remove_dir_all(&batch.directory);
            }
            !is_over
        });
    }
}

/// An engine does not answer: that is told once, and it is waited for, but not for ever.
fn waited(
    since: &mut Option<Instant>,
    patience: Duration,
    why: &str,
    trouble: &mut Option<String>,
) -> Result<(), ProjectError> {
    if since.is_none() {
        let most = patience.as_secs();
        *trouble =
            Some(format!("the cluster does not answer ({why}): waiting for {most} s at most"));
    }
    match since.get_or_insert_with(Instant::now).elapsed() >= patience {
        true => Err(ProjectError::Pool(format!("the cluster does not answer: {why}"))),
        false => Ok(()),
    }
}

/// The marks in a directory.
fn numbers(directory: &Path) -> BTreeSet<usize> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
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
        let gathering = self.patience.gathering;
        self.due.get_or_insert_with(|| Instant::now() + gathering);
        Ok(())
    }

    fn ended(&mut self, most: Duration) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let until = Instant::now() + most;
        loop {
            let is_due = self.due.is_some_and(|due| Instant::now() >= due);
            if is_due || (self.waiting.len() >= LARGEST && self.refused.is_none()) {
                self.submit()?;
            }
            let mut ended = self.marked()?;
            if ended.is_empty() && self.asked.elapsed() >= self.patience.ask {
                ended = self.lost()?;
                self.asked = Instant::now();
            }
            self.clean();
            if !ended.is_empty() || Instant::now() >= until {
                return Ok(ended);
            }
            std::thread::sleep(
                self.patience.look.min(until.saturating_duration_since(Instant::now())),
            );
        }
    }

    fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    fn stop(&mut self) {
        self.waiting.clear();
        self.due = None;
        for batch in self.batches.values_mut() {
            self.connection.cancel(&mut batch.handle);
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

#[cfg(test)]
mod tests;
