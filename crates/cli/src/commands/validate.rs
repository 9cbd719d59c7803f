//! `gnomon validate`: is a witness of some tool right?

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gnomon_budget::Budget;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::{Program, StmtKind};
use gnomon_report::sha256;
use gnomon_report::weave::{Begins, Claimed, VIOLATION, Woven, weave};
use gnomon_report::witness::{self, Entry};
use gnomon_verify::decide::{Options, check};

use super::check::{Task, requested};
use crate::exit::{Failure, Status};
use crate::output;
use crate::output_args::ValidateArgs;

/// What a validation says.
enum Answer {
    Confirmed,
    Refuted(String),
    Unknown(String),
}

/// Validates a witness.
pub fn run(mut args: ValidateArgs) -> Result<Status, Failure> {
    let [file] = &args.check.input.files[..] else {
        return Err(Failure::error("a witness is validated for one file"));
    };
    let file = file.clone();
    let problem =
        |path: &Path, error: String| Failure::error(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(&args.witness)
        .map_err(|error| problem(&args.witness, error.to_string()))?;
    let entries =
        witness::read(&text).map_err(|error| problem(&args.witness, error.to_string()))?;
    let source = fs::read_to_string(&file).map_err(|error| problem(&file, error.to_string()))?;
    let mut answer = Answer::Refuted("the witness is empty".to_owned());
    for entry in &entries {
        answer = one(&mut args, &file, &source, entry)?;
        if !matches!(answer, Answer::Confirmed) {
            break;
        }
    }
    let (line, status) = match answer {
        Answer::Confirmed => ("WITNESS: CONFIRMED".to_owned(), Status::True),
        Answer::Refuted(reason) => (format!("WITNESS: REFUTED ({reason})"), Status::False),
        Answer::Unknown(reason) => (format!("WITNESS: UNKNOWN ({reason})"), Status::Unknown),
    };
    output::result(&format!("{line}\n"));
    Ok(status)
}

fn one(
    args: &mut ValidateArgs,
    file: &Path,
    source: &str,
    entry: &Entry,
) -> Result<Answer, Failure> {
    let hashes = &entry.metadata.task.input_file_hashes;
    if !hashes.is_empty() && !hashes.values().any(|hash| *hash == sha256(source.as_bytes())) {
        return Ok(Answer::Refuted("it is a witness of another program".to_owned()));
    }
    args.check.input.files = vec![file.to_owned()];
    let Task { program, options, .. } = requested(&args.check)?;
    let woven = match weave(source, entry, &statements(&program, file)) {
        Ok(woven) => woven,
        Err(reason) => return Ok(Answer::Refuted(reason.to_string())),
    };
    if let Claimed::Violation { line } = woven.claim
        && at_line(&program, &options, line)?.is_none()
    {
        return Ok(Answer::Refuted(format!("line {line} has no error")));
    }
    for what in &woven.left_out {
        output::message(&format!("left out: {what}"));
    }
    let directory = tempfile::Builder::new().prefix("gnomon-witness-").tempdir();
    let directory = directory.map_err(Failure::error)?;
    let name = file.file_name().map_or_else(|| PathBuf::from("witness.c"), PathBuf::from);
    let changed = directory.path().join(name);
    fs::write(&changed, &woven.text).map_err(Failure::error)?;
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).as_os_str().to_owned();
    args.check.input.include_dirs.insert(0, parent);
    args.check.input.files = vec![changed];
    let task = match requested(&args.check) {
        Ok(task) => task,
        Err(failure) => {
            return Ok(Answer::Unknown(format!(
                "with the witness in it, the program is not read: {failure}"
            )));
        }
    };
    decide(task, &woven, args)
}

/// Lines and columns where statements begin.
fn statements(program: &Program, file: &Path) -> BTreeMap<(u32, u32), Begins> {
    let name = file.display().to_string();
    let in_file = program.stmts.iter().filter(|stmt| {
        // The condition behind the body of a loop is no statement.
        stmt.kind != StmtKind::DoWhile
            && !stmt.span.is_none()
            && program.files.name(stmt.span.file) == name
    });
    let begins = |kind: StmtKind| match kind {
        StmtKind::Declaration => Begins::Declaration,
        _ => Begins::Statement,
    };
    in_file.map(|stmt| ((stmt.span.line, stmt.span.column.into()), begins(stmt.kind))).collect()
}

/// Asks the engines what the witness claims.
fn decide(task: Task, woven: &Woven, args: &ValidateArgs) -> Result<Answer, Failure> {
    let Task { program, options, .. } = task;
    let property = match woven.claim {
        Claimed::Violation { line } => match at_line(&program, &options, line)? {
            Some(property) => property,
            None => return Ok(Answer::Refuted(format!("line {line} has no error"))),
        },
        Claimed::Correctness => {
            let mut property = options.property.clone();
            property.functions.push(VIOLATION.to_owned());
            property
        }
    };
    let options = Options { property, ..options };
    let memory = (args.check.memory << 20) / 4 * 3;
    let budget = Budget::unlimited().with_cpu_time(args.check.time).with_memory(memory);
    let report = check(&program, &options, &budget).map_err(Failure::error)?;
    let is_violation = matches!(woven.claim, Claimed::Violation { .. });
    Ok(match (report.verdict, is_violation) {
        (Verdict::False(_), true) | (Verdict::True(_), false) => Answer::Confirmed,
        (Verdict::True(_), true) => {
            Answer::Refuted("no run passes the waypoints and reaches the error".to_owned())
        }
        (Verdict::False(run), false) if run.message.starts_with(VIOLATION) => {
            Answer::Refuted("an invariant does not hold".to_owned())
        }
        (Verdict::False(run), false) => Answer::Refuted(run.message.clone()),
        (Verdict::Unknown(reason), _) => Answer::Unknown(reason.to_string()),
    })
}

/// The errors in a line, alone.
fn at_line(program: &Program, options: &Options, line: u32) -> Result<Option<Property>, Failure> {
    let sites = ErrorSites::of(program, &options.property).map_err(Failure::error)?;
    let there = sites.iter().filter(|(site, _)| {
        let body = program.funcs[site.func].body.as_ref();
        body.is_some_and(|body| body.edge(site.edge).span.line == line)
    });
    let edges: Vec<_> = there.map(|(site, what)| (site, what.to_owned())).collect();
    let (functions, labels, lines) = (Vec::new(), Vec::new(), Vec::new());
    Ok((!edges.is_empty()).then_some(Property { functions, labels, lines, edges }))
}
