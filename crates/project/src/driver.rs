//! The driver: gives attempts at units to a pool, round by round, until all is known that the limits allow.
//!
//! Time grows over rounds, so that cheap answers come first: an undecided unit waits until all others had
//! their turn. Memory is accounted on this machine: an attempt begins when what it may use is free, so
//! units wait rather than swap. A worker that crashes, is killed or cannot write costs its attempt; that is
//! made once more, and then the unit is reported as failed; what a cluster loses before it began is not held
//! against the unit. A pool that cannot go on stops the run: what is known then is reported. What is known already is not asked again, and
//! units with the same key are asked once. The driver is the same for all pools.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gnomon_report::model::VerdictName;

use crate::ProjectError;
use crate::config::Limits;
use crate::plan::Planned;
use crate::pool::{Ended, Job, Pool};
use crate::record::Record;
use crate::store::Store;

/// How long the driver waits before it looks whether it should stop.
const TICK: Duration = Duration::from_millis(100);
/// An attempt has at least so much memory, in MB.
const LEAST_MEMORY: u64 = 500;
/// A cluster may lose an attempt so often before it began.
const MOST_LOST: usize = 10;

/// What became of a unit.
#[derive(Clone, Debug)]
pub enum Fate {
    /// This is known; whether it was known before this run.
    Known(Box<Record>, bool),
    /// There is no result; why.
    Failed(String),
    /// The run was stopped before.
    NotTried,
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Units that differ.
    pub units: usize,
    /// Of these, how many need nothing any more.
    pub done: usize,
    /// How many were known before.
    pub known: usize,
    /// Proved, violated, not decided, failed.
    pub verdicts: [usize; 4],
    /// The round that most attempts are in, from 1, and how many rounds there are.
    pub round: (usize, usize),
    /// Names of the units that run longest, with seconds.
    pub slowest: Vec<(String, u64)>,
    /// Seconds that may be left, if something can be said.
    pub left: Option<u64>,
}

/// Who is told how a run goes.
pub trait Watcher {
    /// Something has changed.
    fn progress(&mut self, progress: &Progress);
    /// A unit is done.
    fn done(&mut self, unit: &str, fate: &Fate);
    /// Something went wrong that does not end the run.
    fn trouble(&mut self, what: &str);
}

/// What a run brought.
#[derive(Debug)]
pub struct Driven {
    /// Of each planned unit, in order.
    pub fates: Vec<Fate>,
    /// Whether it was stopped.
    pub stopped: bool,
    /// Why the pool could not go on, if that stopped it.
    pub broken: Option<String>,
    /// Results that could not be written into the cache.
    pub unkept: usize,
    /// Attempts that were made.
    pub attempts: usize,
    /// Attempts that ended without a result.
    pub failures: usize,
    /// The most memory that attempts were allowed at once, in MB.
    pub most_memory: u64,
}

/// A unit of which something is to be found out.
struct Task {
    key: String,
    name: String,
    fate: Option<Fate>,
    failed: usize,
    lost: usize,
    round: usize,
}

/// Does what is left to do about units.
pub fn drive(
    units: &[Planned],
    limits: &Limits,
    total_memory: u64,
    pool: &mut dyn Pool,
    store: &Store,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> Driven {
    let mut drive = Drive::new(units, limits, total_memory);
    let mut broken = None;
    while !drive.is_done() {
        if stop.load(Ordering::Relaxed) {
            pool.stop();
            break;
        }
        let given = drive.give_out(pool);
        watcher.progress(&drive.progress());
        let ended = match given.and_then(|()| pool.ended(TICK)) {
            Ok(ended) => ended,
            Err(error) => {
                broken = Some(error.to_string());
                pool.stop();
                break;
            }
        };
        if let Some(trouble) = pool.trouble() {
            watcher.trouble(&trouble);
        }
        let lost = ended.iter().filter_map(|(_, ended)| match ended {
            Ended::Lost(why) => Some(why),
            _ => None,
        });
        if let Some(why) = lost.clone().next() {
            watcher.trouble(&format!("{} units were lost ({why}): once more", lost.count()));
        }
        for (number, ended) in ended {
            drive.ended(number, ended, store, watcher);
        }
    }
    watcher.progress(&drive.progress());
    let stopped = !drive.is_done();
    let fate = |planned: &Planned| match drive.by_key.get(planned.unit.key.as_str()) {
        Some(&number) => drive.tasks[number].fate.clone().unwrap_or(Fate::NotTried),
        None => Fate::NotTried,
    };
    Driven {
        fates: units.iter().map(fate).collect(),
        stopped,
        broken,
        unkept: drive.unkept,
        attempts: drive.attempts,
        failures: drive.failures,
        most_memory: drive.most_memory,
    }
}

struct Drive<'a> {
    limits: &'a Limits,
    total_memory: u64,
    tasks: Vec<Task>,
    by_key: BTreeMap<&'a str, usize>,
    /// By round, the tasks that wait.
    waiting: Vec<VecDeque<usize>>,
    running: BTreeMap<usize, (u64, Instant)>,
    reserved: u64,
    known: usize,
    done: usize,
    verdicts: [usize; 4],
    attempts: usize,
    failures: usize,
    unkept: usize,
    most_memory: u64,
    /// Of the present round: when it began, and how many attempts have ended in it.
    round: (usize, Instant, usize),
}

/// What an attempt of a round may use, in MB: half as much as one of the next.
pub fn memory_of_round(limits: &Limits, round: usize) -> u64 {
    let halvings = (limits.rounds.len() - 1 - round).min(16) as u32;
    (limits.memory >> halvings).max(LEAST_MEMORY).min(limits.memory)
}

impl<'a> Drive<'a> {
    fn new(units: &'a [Planned], limits: &'a Limits, total_memory: u64) -> Self {
        let mut drive = Self {
            limits,
            total_memory,
            tasks: Vec::new(),
            by_key: BTreeMap::new(),
            waiting: vec![VecDeque::new(); limits.rounds.len()],
            running: BTreeMap::new(),
            reserved: 0,
            known: 0,
            done: 0,
            verdicts: [0; 4],
            attempts: 0,
            failures: 0,
            unkept: 0,
            most_memory: 0,
            round: (0, Instant::now(), 0),
        };
        for planned in units {
            let key = planned.unit.key.as_str();
            if drive.by_key.contains_key(key) {
                continue;
            }
            let number = drive.tasks.len();
            drive.by_key.insert(key, number);
            let name = planned.unit.name();
            drive.tasks.push(Task {
                key: key.to_owned(),
                name,
                fate: None,
                failed: 0,
                lost: 0,
                round: 0,
            });
            let rounds = 0..limits.rounds.len();
            let tried = match &planned.known {
                Some(record) => rounds
                    .into_iter()
                    .find(|&round| !record.covers(limits.rounds[round], drive.memory(round))),
                None => Some(0),
            };
            match (tried, &planned.known) {
                (Some(_), _) if planned.problem.is_some() => {
                    let problem = planned.problem.clone().unwrap_or_default();
                    drive.settle(number, Fate::Failed(problem));
                }
                (Some(round), _) => {
                    drive.tasks[number].round = round;
                    drive.waiting[round].push_back(number);
                    let known = planned.known.clone();
                    // If it is stopped before, this is what is known.
                    drive.tasks[number].fate = known.map(|r| Fate::Known(Box::new(r), true));
                }
                (None, Some(record)) => {
                    drive.known += 1;
                    drive.settle(number, Fate::Known(Box::new(record.clone()), true));
                }
                (None, None) => {}
            }
        }
        drive
    }

    fn is_done(&self) -> bool {
        self.done == self.tasks.len()
    }

    fn settle(&mut self, number: usize, fate: Fate) {
        self.done += 1;
        let which = match &fate {
            Fate::Known(record, _) => match record.verdict {
                VerdictName::True => 0,
                VerdictName::False => 1,
                VerdictName::Unknown => 2,
            },
            Fate::Failed(_) | Fate::NotTried => 3,
        };
        self.verdicts[which] += 1;
        self.tasks[number].fate = Some(fate);
    }

    fn memory(&self, round: usize) -> u64 {
        memory_of_round(self.limits, round)
    }

    /// Gives out what there is room for, the earliest rounds first.
    fn give_out(&mut self, pool: &mut dyn Pool) -> Result<(), ProjectError> {
        let mut room = pool.room();
        while room > 0 {
            let Some(round) = self.waiting.iter().position(|waiting| !waiting.is_empty()) else {
                return Ok(());
            };
            if round > self.round.0 {
                self.round = (round, Instant::now(), 0);
            }
            let memory = self.memory(round);
            let is_free = self.running.is_empty() || self.reserved + memory <= self.total_memory;
            if pool.is_here() && !is_free {
                return Ok(());
            }
            let Some(number) = self.waiting[round].pop_front() else { return Ok(()) };
            let seconds = self.limits.rounds[round];
            let is_last = round + 1 == self.limits.rounds.len();
            let key = self.tasks[number].key.clone();
            self.tasks[number].round = round;
            pool.start(Job { number, key, seconds, memory, is_last })?;
            self.running.insert(number, (memory, Instant::now()));
            self.reserved += memory;
            self.most_memory = self.most_memory.max(self.reserved);
            self.attempts += 1;
            room -= 1;
        }
        Ok(())
    }

    fn ended(&mut self, number: usize, ended: Ended, store: &Store, watcher: &mut dyn Watcher) {
        // What was delivered before is known already.
        let Some((memory, _)) = self.running.remove(&number) else { return };
        self.reserved -= memory;
        self.round.2 += 1;
        let round = self.tasks[number].round;
        match ended {
            Ended::Failed(why) => {
                self.failures += 1;
                self.tasks[number].failed += 1;
                let name = &self.tasks[number].name;
                if self.tasks[number].failed == 1 {
                    watcher.trouble(&format!("{name}: the worker failed ({why}): once more"));
                    self.waiting[round].push_back(number);
                    return;
                }
                watcher.trouble(&format!("{name}: the worker failed again ({why})"));
                let why = format!("the worker failed twice: {why}");
                self.finish(number, Fate::Failed(why), watcher);
            }
            Ended::Lost(why) => {
                self.failures += 1;
                self.tasks[number].lost += 1;
                let lost = self.tasks[number].lost;
                if lost <= MOST_LOST {
                    self.waiting[round].push_back(number);
                    return;
                }
                let why = format!("it was lost {lost} times: {why}");
                self.finish(number, Fate::Failed(why), watcher);
            }
            Ended::Done(record) => {
                // The worker wrote it too; where it could not, this process may be able to.
                let is_kept = |known: Record| known.stands_against(&record);
                if !store.get(&record.key).is_some_and(is_kept)
                    && let Err(error) = store.put(&record)
                {
                    self.unkept += 1;
                    let name = &self.tasks[number].name;
                    watcher.trouble(&format!("{name}: the result is not kept: {error}"));
                }
                let is_open = !record.is_final() && round + 1 < self.limits.rounds.len();
                if is_open {
                    self.tasks[number].fate = Some(Fate::Known(record, false));
                    self.waiting[round + 1].push_back(number);
                } else {
                    self.finish(number, Fate::Known(record, false), watcher);
                }
            }
        }
    }

    fn finish(&mut self, number: usize, fate: Fate, watcher: &mut dyn Watcher) {
        watcher.done(&self.tasks[number].name, &fate);
        self.settle(number, fate);
    }

    fn progress(&self) -> Progress {
        let now = Instant::now();
        let mut slowest: Vec<(u64, usize)> = self
            .running
            .iter()
            .map(|(&number, (_, since))| (now.duration_since(*since).as_secs(), number))
            .collect();
        slowest.sort_by_key(|(seconds, number)| (std::cmp::Reverse(*seconds), *number));
        slowest.truncate(3);
        let name = |(seconds, number): (u64, usize)| (self.tasks[number].name.clone(), seconds);
        let (round, since, ended) = self.round;
        // For the round, as if what waits takes as long as what has ended; later rounds are not known.
        let waiting = self.waiting.get(round).map_or(0, VecDeque::len) + self.running.len();
        let left = (ended >= 5)
            .then(|| (since.elapsed().as_secs_f64() / ended as f64 * waiting as f64).ceil() as u64);
        Progress {
            units: self.tasks.len(),
            done: self.done,
            known: self.known,
            verdicts: self.verdicts,
            round: (round + 1, self.limits.rounds.len()),
            slowest: slowest.into_iter().map(name).collect(),
            left,
        }
    }
}

/// Memory of this machine that units may use together, in MB: four fifths of what is free.
pub fn free_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(4_000, |kilobytes| kilobytes / 1024 * 4 / 5)
}

#[cfg(test)]
mod tests;
