//! `gnomon btrace`: the path that best explains a crash.

mod feasibility;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::Path as FilePath;

use gnomon_dataflow::btrace::search::Paths;
use gnomon_dataflow::btrace::{BtraceProblem, SeenLine, stack, tree};
use gnomon_dataflow::points::same_file;
use gnomon_wpds::WpdsError;

use crate::args::{BtraceArgs, TraceFormat};
use crate::cache::Cache;
use crate::commands::affine::prepared;
use crate::exit::{Failure, Status};
use crate::{load, output};
use feasibility::{Feasibility, Tester};

/// Finds the path.
pub fn run(args: &BtraceArgs) -> Result<Status, Failure> {
    let frames = stack::parse(&read(&args.stack)?);
    if frames.is_empty() {
        return Err(Failure::error(format!(
            "{}: there is no stack trace in it (lines such as `#0 0x55d1 in f file.c:31`)",
            args.stack.display()
        )));
    }
    let seen = args.seen.iter().map(|text| seen_line(text)).collect::<Result<Vec<_>, _>>()?;
    let program = load::program(&args.input)?;
    let budget = args.limits.budget();
    let (entry, points_to) = prepared(&program, &args.entry, &budget)?;
    let problem =
        BtraceProblem::new(&program, &points_to, entry, &frames, seen).map_err(Failure::error)?;
    let cache = Cache::open(args.limits.cache.as_deref())?;
    let kept = cache.as_ref().map(|cache| problem.kept(cache));
    let mut solution = problem.solve(&budget).map_err(Failure::of_system)?;
    if let Some(kept) = &kept {
        solution = solution.with_store(kept);
    }
    let body = program.funcs[entry].body.as_ref();
    let start = body.and_then(|b| problem.graph().symbol(entry, b.entry()));
    let start = start.ok_or_else(|| Failure::error("the entry function has no body"))?;
    let mut paths = Paths::new(&problem, &solution, start).map_err(Failure::of_system)?;
    if let Some(kept) = &kept {
        kept.report(&budget);
    }
    let facts = if args.no_feasibility {
        Err("not asked for".to_owned())
    } else {
        Tester::facts(&program, entry, &budget)
    };
    let mut tester = match &facts {
        Ok(facts) => Tester::new(facts, &budget),
        Err(reason) => Err(reason.clone()),
    };
    let mut tried = 0;
    let mut best = None;
    let found = loop {
        let next = match paths.next_path(&budget) {
            Err(WpdsError::Exhausted(limit)) => {
                output::message(&format!("the search was given up: {limit}"));
                None
            }
            next => next.map_err(Failure::of_system)?,
        };
        let Some(path) = next.filter(|_| tried < args.candidates) else { break None };
        tried += 1;
        let verdict = match &mut tester {
            Ok(tester) => tester.test(&path),
            Err(reason) => Feasibility::Undecided(reason.clone()),
        };
        match verdict {
            Feasibility::Infeasible(steps) => {
                paths.rule_out(&path, steps);
                best = best.or(Some(path));
            }
            verdict => break Some((path, verdict)),
        }
    };
    let (path, verdict) = match (found, best) {
        (Some(found), _) => found,
        (None, Some(path)) => (path, Feasibility::Infeasible(0)),
        (None, None) => {
            output::result("no path of the program ends with this stack\n");
            return Ok(Status::Unknown);
        }
    };
    let is_seen = |file: &str, line: u32| {
        problem.seen().iter().any(|s| s.line == line && same_file(file, &s.file))
    };
    let whole = tree::fold(&program, entry, &path, &is_seen);
    let summary = summary(&path.touched, problem.seen(), path.steps.len(), tried, &verdict);
    let text = match args.format {
        TraceFormat::Text => format!("{}{summary}\n", tree::text(&whole)),
        TraceFormat::Html => tree::html(&whole, &summary, &source_lines()),
        TraceFormat::Json => json(&whole, &summary, &verdict)?,
    };
    output::to_file_or_stdout(args.output.as_deref(), &text)?;
    Ok(match verdict {
        Feasibility::Infeasible(_) => Status::Unknown,
        _ => Status::True,
    })
}

fn json(whole: &tree::Activation, summary: &str, verdict: &Feasibility) -> Result<String, Failure> {
    let feasible = match verdict {
        Feasibility::Feasible => Some(true),
        Feasibility::Infeasible(_) => Some(false),
        Feasibility::Undecided(_) => None,
    };
    let value = serde_json::json!({ "path": whole, "summary": summary, "feasible": feasible });
    let text = serde_json::to_string_pretty(&value).map_err(Failure::error)?;
    Ok(format!("{text}\n"))
}

fn summary(
    touched: &[usize],
    seen: &[SeenLine],
    steps: usize,
    tried: usize,
    verdict: &Feasibility,
) -> String {
    let mut text = format!("{steps} steps");
    if !seen.is_empty() {
        let _ = write!(text, ", {} of {} lines seen", touched.len(), seen.len());
    }
    match verdict {
        Feasibility::Feasible => text.push_str(", feasible"),
        Feasibility::Infeasible(_) => {
            let _ = write!(text, ", infeasible as are all {tried} paths that were tried");
        }
        Feasibility::Undecided(reason) => {
            let _ = write!(text, ", not known whether feasible: {reason}");
        }
    }
    if tried > 1 && !matches!(verdict, Feasibility::Infeasible(_)) {
        let _ = write!(text, " ({} better ones are not)", tried - 1);
    }
    text
}

fn seen_line(text: &str) -> Result<SeenLine, Failure> {
    let parts = text.rsplit_once(':').and_then(|(f, l)| Some((f, l.parse::<u32>().ok()?)));
    let (file, line) =
        parts.ok_or_else(|| Failure::error(format!("`{text}` is no line: write FILE:LINE")))?;
    Ok(SeenLine { file: file.to_owned(), line })
}

/// The file, or standard input for `-`.
fn read(path: &FilePath) -> Result<String, Failure> {
    let problem = |error: std::io::Error| Failure::error(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    if path == FilePath::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map_err(problem)?;
    } else {
        bytes = std::fs::read(path).map_err(problem)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Looks lines up in the files, each of which is read once; a file that is not there has none.
fn source_lines() -> impl Fn(&str, u32) -> Option<String> {
    let known: RefCell<BTreeMap<String, Vec<String>>> = RefCell::default();
    move |file, line| {
        let mut known = known.borrow_mut();
        let lines = known.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read(file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        });
        lines.get(line.checked_sub(1)? as usize).cloned()
    }
}
