//! How much the driver itself costs: many units, and a worker that answers after some milliseconds.
//!
//! `cargo run --release -p gnomon-project --example scale -- UNITS JOBS DIRECTORY [DONE]` makes a cache in the
//! directory in which the first DONE units are known, drives the rest with JOBS workers at once, and prints
//! what the driver used of processor time and memory. The worker is a shell script that sleeps for 10 ms.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gnomon_project::config::{Limits, Unknown};
use gnomon_project::driver::{Fate, Progress, Watcher, drive};
use gnomon_project::plan::Planned;
use gnomon_project::pool::Worker;
use gnomon_project::pool::local::Local;
use gnomon_project::record::Record;
use gnomon_project::store::Store;
use gnomon_project::unit::{Unit, hash};
use gnomon_report::model::VerdictName;

const STUB: &str = r#"#!/bin/sh
for word; do case $word in --key=*) key=${word#--key=};; esac; done
sleep 0.01
printf '{"key":"%s","verdict":"TRUE","findings":[],"tried":1,"seconds":0.01,"memory":1}' "$key"
"#;

struct Silent;

impl Watcher for Silent {
    fn progress(&mut self, _: &Progress) {}
    fn done(&mut self, _: &str, _: &Fate) {}
    fn trouble(&mut self, what: &str) {
        println!("{what}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (units, jobs): (usize, usize) = (next("100000").parse()?, next("32").parse()?);
    let directory = next("scale-cache");
    let done: usize = next("0").parse()?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let stub = directory.join("stub.sh");
    std::fs::write(&stub, STUB)?;
    let store = Store::open(&directory.join("cache"))?;
    for number in 0..done {
        store.put(&record(&hash(&number.to_string())))?;
    }
    let begin = Instant::now();
    let before = own_seconds();
    // What a run does of what a plan gives it: looks up what is known, and drives the rest.
    let planned: Vec<Planned> = (0..units).map(|number| planned(number, &store)).collect();
    let looked_up = begin.elapsed();
    let known = planned.iter().filter(|planned| planned.known.is_some()).count();
    let worker = Worker { program: "/bin/sh".into(), arguments: vec![stub.display().to_string()] };
    let mut pool = Local::new(worker, jobs);
    let limits = Limits::default();
    let stop = AtomicBool::new(false);
    let driven = drive(&planned, &limits, u64::MAX, &mut pool, &store, &mut Silent, &stop);
    let all = begin.elapsed();
    let used = own_seconds() - before;
    let answered = driven.fates.iter().filter(|fate| matches!(fate, Fate::Known(..))).count();
    println!(
        "{units} units, {known} known before, {answered} answered, {} attempts",
        driven.attempts
    );
    println!(
        "{:.2} s for looking up what is known, {:.2} s in all",
        looked_up.as_secs_f64(),
        all.as_secs_f64()
    );
    println!(
        "{used:.2} s of processor time in the driver, {:.3} ms a unit",
        used * 1000.0 / units as f64
    );
    println!("{} MB at most", most_memory());
    Ok(())
}

fn record(key: &str) -> Record {
    Record {
        key: key.to_owned(),
        verdict: VerdictName::True,
        reason: None,
        limited: false,
        findings: Vec::new(),
        assumptions: Vec::new(),
        engine: None,
        tried: 1,
        lacked: None,
        seconds: 0.01,
        memory: 1,
        anchors: Default::default(),
    }
}

fn planned(number: usize, store: &Store) -> Planned {
    let key = hash(&number.to_string());
    let known = store.get(&key);
    let unit = Unit {
        key,
        part: "part".into(),
        target: "lib".into(),
        entry: format!("function_{number}"),
        file: format!("file_{}.c", number / 100),
        line: 1,
        group: "memory".into(),
        unknown_functions: Unknown::Args,
        malloc_may_fail: false,
        specs: Default::default(),
        before: None,
    };
    Planned { unit, is_main: false, known, anchors: Default::default(), problem: None }
}

/// Processor time of this process, without its children.
fn own_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
