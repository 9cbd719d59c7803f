//! Witnesses of other tools, woven into the source text and decided like every other program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gnomon_budget::Budget;
use gnomon_cfront::load::Input;
use gnomon_cfront::preprocess::PreprocessorFlag;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{ErrorSites, Property, Site};
use gnomon_engine::verdict::Verdict;
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::program::{Program, StmtKind, source_name};
use gnomon_report::sha256;
use gnomon_report::weave::{Begins, Claimed, VIOLATION, Woven, weave};
use gnomon_report::witness::Entry;

use crate::clock::process_memory;
use crate::decide::{self, Options};
use crate::error::VerifyError;
use crate::listen::{Listener, Note};
use crate::request::Request;
use crate::task::Task;

/// What a validation says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validated {
    /// The witness is right.
    Confirmed,
    /// It is wrong, and why.
    Refuted(String),
    /// Not known, and why.
    Unknown(String),
}

/// Validates the entries of a witness for the one file of a request.
pub fn validate(
    request: &Request,
    entries: &[Entry],
    listener: &dyn Listener,
) -> Result<Validated, VerifyError> {
    let [Input::File(file)] = &request.inputs[..] else { return Err(VerifyError::OneFile) };
    let source = fs::read_to_string(file)
        .map_err(|error| VerifyError::File { path: file.clone(), problem: error.to_string() })?;
    let mut answer = Validated::Refuted("the witness is empty".to_owned());
    for entry in entries {
        answer = one(request, file, &source, entry, listener)?;
        if answer != Validated::Confirmed {
            break;
        }
    }
    Ok(answer)
}

fn one(
    request: &Request,
    file: &Path,
    source: &str,
    entry: &Entry,
    listener: &dyn Listener,
) -> Result<Validated, VerifyError> {
    let hashes = &entry.metadata.task.input_file_hashes;
    if !hashes.is_empty() && !hashes.values().any(|hash| *hash == sha256(source.as_bytes())) {
        return Ok(Validated::Refuted("it is a witness of another program".to_owned()));
    }
    let Task { program, options, .. } = Task::read(request, listener)?;
    let woven = match weave(source, entry, &statements(&program, file)) {
        Ok(woven) => woven,
        Err(reason) => return Ok(Validated::Refuted(reason.to_string())),
    };
    if let Claimed::Violation { line } = woven.claim
        && at_line(&program, &options, line)?.is_none()
    {
        return Ok(Validated::Refuted(format!("line {line} has no error")));
    }
    for what in &woven.left_out {
        listener.note(&Note::LeftOut(what.to_string()));
    }
    let directory = tempfile::Builder::new().prefix("gnomon-witness-").tempdir()?;
    let name = file.file_name().map_or_else(|| PathBuf::from("witness.c"), PathBuf::from);
    let changed = directory.path().join(name);
    fs::write(&changed, &woven.text)?;
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).to_owned();
    let mut request = Request { inputs: vec![Input::File(changed)], ..request.clone() };
    request.preprocess.flags.insert(0, PreprocessorFlag::IncludeDir(parent));
    match Task::read(&request, listener) {
        Ok(task) => decide(&task, &woven, &request),
        Err(error) => {
            let prefix = if error.is_rendered() { "" } else { "error: " };
            Ok(Validated::Unknown(format!(
                "with the witness in it, the program is not read: {prefix}{}",
                error.to_string().trim_end()
            )))
        }
    }
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
fn decide(task: &Task, woven: &Woven, request: &Request) -> Result<Validated, VerifyError> {
    let Task { program, options, .. } = task;
    let property = match woven.claim {
        Claimed::Violation { line } => match at_line(program, options, line)? {
            Some(property) => property,
            None => return Ok(Validated::Refuted(format!("line {line} has no error"))),
        },
        Claimed::Correctness => {
            let mut property = options.property.clone();
            property.functions.push(VIOLATION.to_owned());
            property
        }
    };
    let options = Options { property, ..options.clone() };
    let time = request.limits.time;
    let budget = Budget::unlimited().with_cpu_time(time).with_memory(process_memory(request));
    let entry = decide::entry(program, &options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let facts = Facts::new(program, entry, options.memory, &budget);
    let report = decide::check_known(&facts, entry, &sites, &options, &budget);
    let is_violation = matches!(woven.claim, Claimed::Violation { .. });
    Ok(match (report.verdict, is_violation) {
        (Verdict::False(_), true) | (Verdict::True(_), false) => Validated::Confirmed,
        (Verdict::True(_), true) => {
            Validated::Refuted("no run passes the waypoints and reaches the error".to_owned())
        }
        (Verdict::False(run), false) if is_invariant(program, run.site) => {
            Validated::Refuted("an invariant does not hold".to_owned())
        }
        (Verdict::False(run), false) => Validated::Refuted(run.message.clone()),
        (Verdict::Unknown(reason), _) => Validated::Unknown(reason.to_string()),
    })
}

/// Whether an invariant of the witness fails at a site.
fn is_invariant(program: &Program, site: Site) -> bool {
    let body = program.funcs[site.func].body.as_ref();
    match body.map(|body| &body.edge(site.edge).op) {
        Some(Op::Call(Call { callee: Callee::Direct(func), .. })) => {
            source_name(&program.funcs[*func].name) == VIOLATION
        }
        _ => false,
    }
}

/// The errors in a line, alone.
fn at_line(
    program: &Program,
    options: &Options,
    line: u32,
) -> Result<Option<Property>, VerifyError> {
    let sites = ErrorSites::of(program, &options.property)?;
    let there = sites.iter().filter(|(site, _)| {
        let body = program.funcs[site.func].body.as_ref();
        body.is_some_and(|body| body.edge(site.edge).span.line == line)
    });
    let edges: Vec<_> = there.map(|(site, what)| (site, what.to_owned())).collect();
    Ok((!edges.is_empty()).then_some(Property { edges, ..Property::nothing() }))
}
