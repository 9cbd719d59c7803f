//! The driver with a pool that answers as it is told.

use super::*;
use crate::config::Unknown;
use crate::record::Anchors;
use crate::unit::Unit;

/// Answers at once: by key, how much time decides it, or that it fails so often.
#[derive(Default)]
struct Told {
    needs: BTreeMap<String, u64>,
    fails: BTreeMap<String, usize>,
    jobs: usize,
    running: Vec<Job>,
    started: Vec<(String, u64, u64)>,
    most_at_once: usize,
    /// So many jobs are taken, and then there is nobody any more.
    breaks_after: Option<usize>,
}

impl Pool for Told {
    fn room(&self) -> usize {
        self.jobs - self.running.len()
    }
    fn is_here(&self) -> bool {
        true
    }
    fn start(&mut self, job: Job) -> Result<(), ProjectError> {
        if self.breaks_after.is_some_and(|most| self.started.len() >= most) {
            return Err(ProjectError::Pool("nobody is there".into()));
        }
        self.started.push((job.key.clone(), job.seconds, job.memory));
        self.running.push(job);
        self.most_at_once = self.most_at_once.max(self.running.len());
        Ok(())
    }
    fn ended(&mut self, _: Duration) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let done = std::mem::take(&mut self.running);
        let end = |job: Job| {
            if let Some(left) = self.fails.get_mut(&job.key).filter(|left| **left > 0) {
                *left -= 1;
                return (job.number, Ended::Failed("told so".into()));
            }
            let is_decided = job.seconds >= self.needs.get(&job.key).copied().unwrap_or(1);
            (job.number, Ended::Done(Box::new(record(&job.key, job.seconds, is_decided))))
        };
        Ok(done.into_iter().map(end).collect())
    }
    fn stop(&mut self) {}
}

fn record(key: &str, tried: u64, is_decided: bool) -> Record {
    Record {
        key: key.to_owned(),
        verdict: if is_decided { VerdictName::True } else { VerdictName::Unknown },
        reason: None,
        limited: !is_decided,
        findings: Vec::new(),
        assumptions: Vec::new(),
        engine: None,
        tried,
        lacked: None,
        seconds: 0.1,
        memory: 1,
        anchors: Anchors::new(),
    }
}

fn planned(key: &str, known: Option<Record>) -> Planned {
    let unit = Unit {
        key: key.to_owned(),
        part: "p".into(),
        target: "t".into(),
        entry: key.to_owned(),
        file: "a.c".into(),
        line: 1,
        group: "assert".into(),
        unknown_functions: Unknown::Args,
        malloc_may_fail: false,
        specs: BTreeMap::new(),
        before: None,
    };
    Planned { unit, is_main: false, known, anchors: Anchors::new(), problem: None }
}

struct Quiet(Vec<String>);

impl Watcher for Quiet {
    fn progress(&mut self, _: &Progress) {}
    fn done(&mut self, _: &str, _: &Fate) {}
    fn trouble(&mut self, what: &str) {
        self.0.push(what.to_owned());
    }
}

fn driven(units: &[Planned], pool: &mut Told, memory: u64) -> (Driven, Vec<String>) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::open(directory.path()).expect("a cache");
    let mut quiet = Quiet(Vec::new());
    let stop = AtomicBool::new(false);
    let limits = Limits::default();
    let done = drive(units, &limits, memory, pool, &store, &mut quiet, &stop);
    (done, quiet.0)
}

#[test]
fn cheap_answers_come_first() {
    let units = ["hard", "easy", "middle"].map(|key| planned(key, None));
    let needs = [("hard", 60), ("middle", 4)].map(|(key, time)| (key.to_owned(), time));
    let mut pool = Told { needs: needs.into(), jobs: 1, ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 100_000);
    let order: Vec<(&str, u64)> =
        pool.started.iter().map(|(key, s, _)| (key.as_str(), *s)).collect();
    let first = [("hard", 1), ("easy", 1), ("middle", 1)];
    assert_eq!(
        order,
        [&first[..], &[("hard", 4), ("middle", 4), ("hard", 16), ("hard", 60)]].concat()
    );
    assert_eq!(done.attempts, 7);
    assert!(
        done.fates
            .iter()
            .all(|fate| matches!(fate, Fate::Known(record, false) if record.is_final()))
    );
}

#[test]
fn what_is_known_is_not_asked_again() {
    let units = [
        planned("proved", Some(record("proved", 1, true))),
        planned("open", Some(record("open", 4, false))),
        planned("hopeless", Some(record("hopeless", 60, false))),
        planned("same", None),
        planned("same", None),
    ];
    let mut pool = Told { needs: [("open".to_owned(), 16)].into(), jobs: 4, ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 100_000);
    let mut order: Vec<(&str, u64)> =
        pool.started.iter().map(|(k, s, _)| (k.as_str(), *s)).collect();
    order.sort_unstable();
    assert_eq!(order, [("open", 16), ("same", 1)]);
    assert!(matches!(&done.fates[0], Fate::Known(_, true)));
    assert!(matches!(&done.fates[4], Fate::Known(_, false)));
}

#[test]
fn a_failure_costs_its_unit_only() {
    let units = ["a", "once", "twice"].map(|key| planned(key, None));
    let fails = [("once".to_owned(), 1), ("twice".to_owned(), 2)].into();
    let mut pool = Told { fails, jobs: 2, ..Told::default() };
    let (done, told) = driven(&units, &mut pool, 100_000);
    assert!(matches!(&done.fates[0], Fate::Known(..)) && matches!(&done.fates[1], Fate::Known(..)));
    let told_twice = |why: &str| why == "the worker failed twice: told so";
    assert!(matches!(&done.fates[2], Fate::Failed(why) if told_twice(why)));
    assert_eq!((done.failures, told.len()), (3, 3));
}

#[test]
fn units_wait_for_memory() {
    let names = ["a", "b", "c", "d"];
    let units = names.map(|key| planned(key, None));
    let mut pool = Told { jobs: 4, ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 1_100);
    assert_eq!((pool.most_at_once, done.most_memory), (2, 1_000));
    // One attempt is made in any case.
    let mut pool = Told { jobs: 4, ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 10);
    assert_eq!((pool.most_at_once, done.fates.len()), (1, 4));
}

#[test]
fn a_pool_that_breaks_loses_nothing_that_is_known() {
    let units = ["a", "b"].map(|key| planned(key, None));
    let mut pool = Told { jobs: 1, breaks_after: Some(1), ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 100_000);
    assert!(matches!(&done.fates[0], Fate::Known(..)), "{:?}", done.fates);
    assert!(matches!(&done.fates[1], Fate::NotTried), "{:?}", done.fates);
    assert_eq!((done.stopped, done.broken.as_deref()), (true, Some("nobody is there")));
}

#[test]
fn what_cannot_be_written_for_workers_costs_its_unit_only() {
    let units = ["a", "b"].map(|key| planned(key, None));
    let units = units.map(|planned| match planned.unit.key.as_str() {
        "a" => Planned { problem: Some("no space".into()), ..planned },
        _ => planned,
    });
    let mut pool = Told { jobs: 1, ..Told::default() };
    let (done, _) = driven(&units, &mut pool, 100_000);
    assert!(matches!(&done.fates[0], Fate::Failed(why) if why == "no space"), "{:?}", done.fates);
    assert!(matches!(&done.fates[1], Fate::Known(..)), "{:?}", done.fates);
}
