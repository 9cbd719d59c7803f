//! `gnomon verify`: a project, unit by unit.

mod shown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gnomon_project::baseline::Baseline;
use gnomon_project::config::{Config, FILE, FailOn, Group};
use gnomon_project::driver::{Driven, Fate, drive, free_memory};
use gnomon_project::forms::{junit, page, sarif};
use gnomon_project::plan::{Place, Plan, plan};
use gnomon_project::pool::batch::{Batches, Engine, Patience};
use gnomon_project::pool::local::Local;
use gnomon_project::pool::{Pool, Worker};
use gnomon_project::record::Moves;
use gnomon_project::results::{Compared, Results};
use gnomon_project::sources::processors;
use gnomon_project::store::{Beside, Store};
use gnomon_project::{ProjectError, write_whole};
use gnomon_report::model::Report;

use self::shown::Shown;
use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::{VerifyArgs, Where};

/// The results of the last run, from the project.
const LAST: &str = ".gnomon/last.json";
/// What a shell says of a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// Checks a project.
pub fn run(args: &VerifyArgs) -> Result<Status, Failure> {
    let started = Instant::now();
    let stop = stopping()?;
    let root = std::fs::canonicalize(&args.project)
        .map_err(|error| Failure::error(format!("{}: {error}", args.project.display())))?;
    let config = config(args, &root)?;
    let cache = root.join(&config.cache);
    let problem = |error| Failure::error(format!("the cache {}: {error}", cache.display()));
    std::fs::create_dir_all(&cache).map_err(problem)?;
    let name = Store::new_run(&cache).map_err(problem)?;
    let store = Store::of_run(&cache, &name).map_err(problem)?;
    let done = checked(args, &root, &config, &store, &name, &stop, started);
    store.end_run();
    done
}

/// Checks a project with a cache; `run` is the name of the run in it.
fn checked(
    args: &VerifyArgs,
    root: &Path,
    config: &Config,
    store: &Store,
    run: &str,
    stop: &AtomicBool,
    started: Instant,
) -> Result<Status, Failure> {
    let output = output_of(args, root)?;
    let program = std::env::current_exe().map_err(Failure::error)?;
    let build = gnomon_project::build_of(&program).map_err(Failure::error)?;
    let jobs = config.limits.jobs.unwrap_or_else(processors);
    let place = Place { root: root.to_owned(), build, jobs: processors() };
    let mut shown = Shown::new(args.quiet, args.verbose);
    let mut follow = |what: &str, done: usize, all: usize| {
        shown.planning(what, done, all);
        !stop.load(Ordering::Relaxed)
    };
    let planned = plan(config, &place, store, &mut follow);
    shown.over();
    let plan = match planned {
        Ok(plan) => plan,
        Err(error @ ProjectError::Stopped) => {
            output::message(&error.to_string());
            return Ok(Status::PassedThrough(INTERRUPTED));
        }
        Err(error) => return Err(error.into()),
    };
    shown.planned(&plan);
    for unknown in &plan.unknown_names {
        // It may be in a file that was not read.
        match plan.unreadable.is_empty() {
            true => return Err(Failure::error(unknown)),
            false => output::message(unknown),
        }
    }
    let baseline = Baseline::read(&root.join(&config.baseline)).map_err(Failure::error)?;
    let last = Results::read(&root.join(LAST)).ok();
    let driven = {
        let mut pool = pool(args, &program, store.directory(), run, jobs)?;
        let memory = config.limits.total_memory.unwrap_or_else(free_memory);
        drive(&plan.units, &config.limits, memory, pool.as_mut(), store, &mut shown, stop)
    };
    shown.over();
    let compared = Compared { baseline: &baseline, last: last.as_ref() };
    let mut results = Results::of(&plan, &driven, config, &compared);
    results.counts.seconds = started.elapsed().as_secs_f64();
    let kept = args.write_baseline.as_ref().map_or(Ok(()), |file| {
        write_baseline(&baseline_file(file.as_deref(), root, config), &driven, &mut results)
    });
    // What was found is told, whatever can be written.
    output::result_with_sources(&shown::summary(&results, args.quiet));
    kept?;
    let report_of = |key: &str| full_report(&plan, &driven, store, key);
    write(&output, root, &results, &baseline, &report_of)?;
    let fail_on = args.fail_on.map_or(config.fail_on, Into::into);
    Ok(status(&results, &plan, &driven, fail_on))
}

/// The file that a baseline is written into: the one that is given, or that of the project.
fn baseline_file(given: Option<&Path>, root: &Path, config: &Config) -> PathBuf {
    given.map_or_else(|| root.join(&config.baseline), absolute)
}

/// Writes all findings down as known.
fn write_baseline(file: &Path, driven: &Driven, results: &mut Results) -> Result<(), Failure> {
    if driven.stopped {
        output::message("the baseline is left as it is: not all findings are known");
        return Ok(());
    }
    let mut baseline = Baseline::of(results);
    if results.counts.failed > 0 {
        output::message("not all findings are known: the baseline keeps what it has");
        baseline = baseline.with(Baseline::read(file).map_err(Failure::error)?);
    }
    to_file(file, &baseline.to_json().map_err(Failure::error)?)?;
    results.findings.iter_mut().for_each(|finding| finding.known = true);
    Ok(())
}

/// What the process returns, with a message where that is not what findings say.
fn status(results: &Results, plan: &Plan, driven: &Driven, fail_on: FailOn) -> Status {
    if let Some(problem) = &driven.broken {
        output::message(&format!("error: {problem}"));
        return Status::BadInput;
    }
    if driven.stopped {
        output::message("stopped: the next run goes on from here");
        return Status::PassedThrough(INTERRUPTED);
    }
    if let Some(why) = plan.why_nothing() {
        output::message(&format!("error: nothing was checked: {why}"));
        return Status::BadInput;
    }
    let failed = results.counts.failed;
    if failed > 0 {
        output::message(&format!("{failed} units have no result, since their workers failed"));
    }
    if driven.unkept > 0 {
        output::message(&format!("{} results could not be kept in the cache", driven.unkept));
    }
    match results.fails(fail_on) {
        true => Status::False,
        false if failed + driven.unkept > 0 => Status::Unknown,
        false => Status::True,
    }
}

/// What is set when the user presses Ctrl-C; the second time, the process ends.
fn stopping() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        output::message("\ninterrupted: writing what is known; once more to end at once");
    })
    .map_err(|error| Failure::error(format!("Ctrl-C cannot be watched: {error}")))?;
    Ok(stop)
}

/// A path of the command line, from where the command is called.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn config(args: &VerifyArgs, root: &Path) -> Result<Config, Failure> {
    let file = args.config.clone().unwrap_or_else(|| root.join(FILE));
    if args.config.is_some() && !file.exists() {
        return Err(Failure::error(format!("{}: there is no such file", file.display())));
    }
    let mut config = Config::read(&file).map_err(Failure::error)?;
    if let Some(commands) = &args.compile_commands {
        config.compile_commands = absolute(commands);
    }
    if let Some(cache) = &args.cache {
        config.cache = absolute(cache);
    }
    if let Some(baseline) = &args.baseline {
        config.baseline = absolute(baseline);
        // It may be about to be written.
        if args.write_baseline != Some(None) && !config.baseline.exists() {
            return Err(Failure::error(format!("{}: there is no such file", baseline.display())));
        }
    }
    if args.jobs == Some(0) {
        return Err(Failure::error("--jobs: a number above 0 is needed"));
    }
    if args.jobs.is_some() {
        config.limits.jobs = args.jobs;
    }
    if !args.rounds.is_empty() {
        config.limits.rounds.clone_from(&args.rounds);
        if args.rounds.contains(&0) || !args.rounds.is_sorted() {
            return Err(Failure::error("--rounds: seconds that grow are needed, as in 1,4,16,60"));
        }
    }
    if !args.properties.is_empty() {
        config.properties.clone_from(&args.properties);
        config.target.iter_mut().for_each(|target| target.properties = None);
        for name in &args.properties {
            Group::named(name).map_err(Failure::error)?;
        }
    }
    Ok(config)
}

fn pool(
    args: &VerifyArgs,
    program: &Path,
    cache: &Path,
    run: &str,
    jobs: usize,
) -> Result<Box<dyn Pool>, Failure> {
    let of_run = [format!("--cache={}", cache.display()), format!("--run={run}")];
    let worker = match args.worker.as_deref().map(|text| text.split(' ').collect::<Vec<_>>()) {
        Some(words) => Worker {
            program: words.first().copied().unwrap_or_default().into(),
            arguments: words[1..].iter().map(|w| (*w).to_owned()).chain(of_run).collect(),
        },
        None => Worker {
            program: program.to_owned(),
            arguments: std::iter::once("unit-worker".to_owned()).chain(of_run).collect(),
        },
    };
    let more = args.engine_arg.clone();
    let engine = match args.on {
        Where::Local => return Ok(Box::new(Local::new(worker, jobs))),
        Where::Slurm => Engine::Slurm(more),
        Where::Hyperqueue if has_hq() => Engine::Hq { server: args.hq_server.clone(), more },
        Where::Hyperqueue => Engine::HyperQueuePython {
            python: std::env::var("GNOMON_PYTHON").unwrap_or_else(|_| "python3".into()),
            server: args.hq_server.clone(),
            workers: jobs,
        },
    };
    let batches =
        Batches::new(engine, worker, cache, Patience::default()).map_err(Failure::error)?;
    Ok(Box::new(batches))
}

fn has_hq() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join("hq").is_file())
}

/// The directory of the report, which is there before anything is checked.
fn output_of(args: &VerifyArgs, root: &Path) -> Result<PathBuf, Failure> {
    let output = root.join(&args.output);
    std::fs::create_dir_all(output.join("runs"))
        .map_err(|error| Failure::error(format!("{}: {error}", output.display())))?;
    Ok(output)
}

/// Writes all forms.
fn write(
    output: &Path,
    root: &Path,
    results: &Results,
    baseline: &Baseline,
    report_of: &dyn Fn(&str) -> Option<Report>,
) -> Result<(), Failure> {
    for finding in &results.findings {
        let script = report_of(&finding.key).and_then(|full| page::run_script(&full, finding));
        if let Some(script) = script {
            to_file(&output.join(page::run_file(finding)), &script)?;
        }
    }
    let json = results.to_json().map_err(Failure::error)?;
    let title = root.file_name().map_or("project".into(), |name| name.to_string_lossy());
    let html = page::html(results, &title).map_err(Failure::error)?;
    let log = sarif::log(results, baseline, report_of).map_err(Failure::error)?;
    let forms = [("index.html", html), ("results.sarif", log), ("junit.xml", junit::xml(results))];
    for (name, text) in &forms {
        to_file(&output.join(name), text)?;
    }
    to_file(&output.join("results.json"), &json)?;
    remove_old_runs(&output.join("runs"), results);
    // The next run is compared with the last one that came to its end.
    if results.stopped {
        return Ok(());
    }
    let last = root.join(LAST);
    if let Some(parent) = last.parent() {
        std::fs::create_dir_all(parent)
            .map_err(|error| Failure::error(format!("{}: {error}", parent.display())))?;
    }
    to_file(&last, &json)
}

fn to_file(file: &Path, text: &str) -> Result<(), Failure> {
    write_whole(file, text)
        .map_err(|error| Failure::error(format!("cannot write {}: {error}", file.display())))
}

/// Removes the runs of findings that are gone.
fn remove_old_runs(directory: &Path, results: &Results) {
    let runs: BTreeSet<String> = results.findings.iter().map(page::run_file).collect();
    for entry in std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        if !runs.contains(&format!("runs/{}", entry.file_name().to_string_lossy())) {
            // A page that nobody links to any more does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The full report of a unit, with its places where they are now.
fn full_report(plan: &Plan, driven: &Driven, store: &Store, key: &str) -> Option<Report> {
    let mut report: Report = serde_json::from_str(&store.beside(key, Beside::Report)?).ok()?;
    let mut units = plan.units.iter().zip(&driven.fates);
    let (planned, fate) = units.find(|(planned, _)| planned.unit.key == key)?;
    // What this run has found is where it says, whatever was known before.
    if let Fate::Known(record, true) = fate {
        Moves::new(&record.anchors, &planned.anchors).apply_to_report(&mut report);
    }
    Some(report)
}
