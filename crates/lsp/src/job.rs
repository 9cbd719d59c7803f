//! One check: a text in, what the editor shows out. It goes on in a process of its own, which reads a
//! [`Job`] and writes [`Event`]s, each a line of JSON.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gnomon_cfront::load::{Input, load};
use gnomon_cfront::translate::Models;
use gnomon_engine::pushdown::projection::{Feasibility, ProjectedStep};
use gnomon_ir::program::{Program, source_name};
use gnomon_ir::property::{CheckKind, Property};
use gnomon_report::model::Report;
use gnomon_verify::projection::project;
use gnomon_verify::request::Limits;
use gnomon_verify::task::Task;
use gnomon_verify::{Listener, Request, Silent, VerdictName, verify};
use serde::{Deserialize, Serialize};

use crate::flags;
use crate::kept::{Keeping, Kept};

/// What is asked of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The file, absolute.
    pub path: String,
    /// What the editor has of it, which may not be saved.
    pub text: String,
    /// Options of the preprocessor, as gcc takes them.
    pub flags: Vec<String>,
    /// Where runs begin; with none, only functions and errors in the source are told.
    pub entry: Option<String>,
    /// Undefined behaviour that is an error too.
    pub checks: Vec<CheckKind>,
    /// Seconds of processor time.
    pub time: u64,
    /// Memory in MiB.
    pub memory: u64,
    /// How many engines go on at once.
    pub jobs: usize,
    /// Where outcomes are kept, if they are.
    #[serde(default)]
    pub keeping: Option<Keeping>,
}

impl Job {
    /// The words behind `gnomon` that check the file in the same way, without what is kept.
    pub fn command_line(&self) -> Vec<String> {
        let directory = Path::new(&self.path).parent().unwrap_or(Path::new("/"));
        let mut words = vec!["check".to_owned(), "--quiet".to_owned()];
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        option("--time", self.time.to_string());
        option("--memory", self.memory.to_string());
        option("--jobs", self.jobs.to_string());
        if let Some(entry) = self.entry.as_ref().filter(|entry| *entry != "main") {
            option("--entry", entry.clone());
        }
        for kind in &self.checks {
            option("--check", kind.name().to_owned());
        }
        words.extend(flags::words(&flags::options(&self.flags, directory)));
        words.push(self.path.clone());
        words
    }
}

/// A function that has a body in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// As the user writes it.
    pub name: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// The column of its name, from 1, in bytes.
    pub column: u32,
}

/// Something that keeps the file from being read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in bytes.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// What a process tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The file was read: its functions.
    Functions(Vec<Function>),
    /// The file cannot be read.
    Problems(Vec<Problem>),
    /// What is being done.
    Progress(String),
    /// The outcome.
    Report(Box<Report>),
    /// The lines of the file that lie on a path to the error, as first and last ones.
    Projection(Vec<(u32, u32)>),
    /// There is none, and why.
    Failed(String),
}

/// Does what is asked, and tells of it line by line.
pub fn run(job: &Job, output: &mut (impl Write + Send)) -> std::io::Result<()> {
    let output = Mutex::new(output);
    let tell = |event: &Event| -> std::io::Result<()> {
        let line = serde_json::to_string(event)?;
        let mut output = output.lock().map_err(|_| std::io::ErrorKind::Other)?;
        writeln!(output, "{line}")?;
        output.flush()
    };
    let input = Input::text(&job.path, &job.text);
    let directory = Path::new(&job.path).parent().unwrap_or(Path::new("/"));
    let options = flags::options(&job.flags, directory);
    let Some(entry) = &job.entry else {
        return match load(&[input], &options, |_| Models::None) {
            Ok(loaded) => tell(&Event::Functions(functions(&loaded.program, &job.path))),
            Err(error) => tell(&Event::Problems(problems(&error.to_string(), &job.path))),
        };
    };
    let kept = Kept::of(job, &options);
    if let Some(events) = kept.as_ref().and_then(Kept::told) {
        return events.iter().try_for_each(tell);
    }
    let mut request = Request::of(vec![input]).entry(entry);
    request.preprocess = options;
    request.limits = Limits { time: Duration::from_secs(job.time), memory: job.memory };
    request.engine.jobs = job.jobs;
    for kind in [CheckKind::Division, CheckKind::Access, CheckKind::Free] {
        let property = Property::Undefined(kind);
        request.by_default.push(property.clone());
        request.specification.add(property);
    }
    if job.checks.iter().any(|kind| kind.is_of_memory()) {
        request.by_default.clear();
    }
    for kind in &job.checks {
        request.specification.add(Property::Undefined(*kind));
    }
    // Progress is told by another thread, since those who report it cannot wait for a reader.
    let (sender, receiver) = std::sync::mpsc::channel();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            for line in receiver {
                let _ = tell(&Event::Progress(line));
            }
        });
        verify(&request, &Telling(Arc::new(Sender(Mutex::new(sender)))))
    });
    let report = match result {
        Ok(outcome) => outcome.report,
        Err(error) => return tell(&Event::Failed(error.to_string())),
    };
    let fails = report.verdict == VerdictName::False;
    let report = Event::Report(Box::new(report));
    tell(&report)?;
    let lines = if fails { projected(request, &job.path) } else { Vec::new() };
    let projection = (!lines.is_empty()).then_some(Event::Projection(lines));
    if let Some(kept) = kept {
        kept.keep(&[&report].into_iter().chain(&projection).collect::<Vec<_>>());
    }
    projection.as_ref().map_or(Ok(()), tell)
}

/// What a projection may take, of the limit of the check.
const PART: u32 = 5;
const LEAST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(10);

/// The lines of a file that lie on a path to an error, as far as they are known in a short time.
fn projected(mut request: Request, path: &str) -> Vec<(u32, u32)> {
    request.limits.time = (request.limits.time / PART).clamp(LEAST, MOST);
    let without_threads = |task: &mut Task| match task.has_threads {
        true => Err("threads have no projection".to_owned()),
        false => Ok(()),
    };
    // Where there is none, nothing is shown: the verdict is known already.
    let Ok((task, Ok(report))) = project(&request, &Silent, without_threads) else {
        return Vec::new();
    };
    let program = &task.program;
    let lines = report.projection.lines(program);
    let on_path = lines.into_iter().filter(|((file, _), steps)| {
        let leads = |step: &&ProjectedStep| {
            step.ends_in_error && step.feasibility != Feasibility::Infeasible
        };
        program.files.name(*file) == path && steps.iter().any(leads)
    });
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for ((_, line), _) in on_path {
        match ranges.last_mut().filter(|(_, last)| *last + 1 == line) {
            Some((_, last)) => *last = line,
            None => ranges.push((line, line)),
        }
    }
    ranges
}

/// Passes on what is being done.
struct Telling(Arc<Sender>);

struct Sender(Mutex<std::sync::mpsc::Sender<String>>);

impl Listener for Telling {
    fn progress(&self) -> Option<Arc<dyn gnomon_budget::Progress>> {
        Some(self.0.clone())
    }
}

impl gnomon_budget::Progress for Sender {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        if let Ok(sender) = self.0.lock() {
            let _ = sender.send(format!("{phase}: {detail}"));
        }
    }
}

/// The functions that have a body in a file, by their places.
fn functions(program: &Program, path: &str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    for function in program.funcs.iter().filter(|function| function.body.is_some()) {
        let span = function.span;
        if span.is_none() || program.files.name(span.file) != path {
            continue;
        }
        let name = source_name(&function.name).to_owned();
        found.push(Function { name, line: span.line, column: span.column.into() });
    }
    found.sort_by_key(|function| (function.line, function.column));
    found
}

/// The messages of a compiler or of the front end, with their places.
fn problems(text: &str, path: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut message = None;
    for line in text.lines() {
        let line = line.trim_start();
        let begins = ["error: ", "unsupported: "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(what) = begins {
            message = Some(what.to_owned());
        } else if let Some(place) = line.strip_prefix("--> ") {
            let message = message.take().unwrap_or_default();
            found.extend(place_of(place).map(|(file, line, column)| Problem {
                file,
                line,
                column,
                message,
            }));
        } else if let Some((place, what)) =
            line.split_once(": error: ").or(line.split_once(": fatal error: "))
            && let Some((file, line, column)) = place_of(place)
        {
            found.push(Problem { file, line, column, message: what.to_owned() });
        }
    }
    if found.is_empty() {
        let message = text.lines().next().unwrap_or_default().to_owned();
        found.push(Problem { file: path.to_owned(), line: 1, column: 1, message });
    }
    found
}

/// `file:line:column`.
fn place_of(text: &str) -> Option<(String, u32, u32)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str, entry: Option<&str>) -> Job {
        Job {
            path: "/nowhere/a.c".into(),
            text: text.into(),
            flags: Vec::new(),
            entry: entry.map(str::to_owned),
            checks: Vec::new(),
            time: 20,
            memory: 1000,
            jobs: 1,
            keeping: None,
        }
    }

    fn told(job: &Job) -> Vec<Event> {
        let mut bytes = Vec::new();
        run(job, &mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }

    #[test]
    fn functions_are_listed_in_order() {
        let events = told(&job(
            "int g(void);\nint f(void) { return 1; }\nint main(void) { return f(); }\n",
            None,
        ));
        let [Event::Functions(functions)] = &events[..] else { panic!("{events:?}") };
        let names: Vec<(&str, u32)> = functions.iter().map(|f| (f.name.as_str(), f.line)).collect();
        assert_eq!(names, [("f", 2), ("main", 3)]);
    }

    #[test]
    fn errors_have_places() {
        let events = told(&job("int main(void) { return 0 }\n", None));
        let [Event::Problems(problems)] = &events[..] else { panic!("{events:?}") };
        assert_eq!((problems[0].file.as_str(), problems[0].line), ("/nowhere/a.c", 1));
        let events = told(&job("#include \"missing.h\"\n", None));
        let [Event::Problems(problems)] = &events[..] else { panic!("{events:?}") };
        assert_eq!(problems[0].line, 1, "{problems:?}");
        assert!(problems[0].message.contains("missing.h"), "{problems:?}");
    }

    #[test]
    fn a_report_comes_last() {
        let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) { return 1 / __VERIFIER_nondet_int(); }\n";
        let events = told(&job(text, Some("main")));
        let Some(Event::Report(report)) = events.last() else { panic!("{events:?}") };
        assert_eq!(report.verdict, VerdictName::False);
    }

    #[test]
    fn lines_on_a_path_to_the_error_follow_a_report() {
        let text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
            int main(void)\n{\n    int x = __VERIFIER_nondet_int();\n    if (x > 3) {\n\
            \x20       x = 2;\n        return x;\n    }\n    if (x < 0)\n        reach_error();\n\
            \x20   return 0;\n}\n";
        let events = told(&job(text, Some("main")));
        let Some(Event::Projection(lines)) = events.last() else { panic!("{events:?}") };
        let is_in = |line: u32| lines.iter().any(|&(from, to)| (from..=to).contains(&line));
        assert!(is_in(6) && is_in(11), "{lines:?}");
        assert!(!is_in(8) && !is_in(9) && !is_in(13), "{lines:?}");
    }
}
