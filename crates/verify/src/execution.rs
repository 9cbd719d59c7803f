//! Compiling a program with a harness and running it, with limits, in an empty directory.
//!
//! The program is the user's, so it runs only when the user asks. It gets no input, its output is
//! dropped, its address space and processor time are limited by the shell that starts it, and
//! everything that it started is ended with it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use gnomon_cfront::load::Input;
use gnomon_report::harness::{Evidence, Harness, REACHED, REACHED_MARK, RENAMED_MAIN};
use gnomon_report::model::Execution;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::VerifyError;
use crate::request::Request;

/// Processor time of the program, in seconds.
const CPU_SECONDS: u32 = 10;
/// How long it may take at all.
const WALL_TIME: Duration = Duration::from_secs(20);
/// Its address space, in KiB.
const ADDRESS_SPACE: u64 = 4 << 20;
/// So much is kept of what it prints to standard error.
const KEPT_BYTES: u64 = 1 << 16;
/// How often it is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Compiles and runs.
pub(crate) fn execute(harness: &Harness, request: &Request) -> Result<Execution, VerifyError> {
    let build = tempfile::Builder::new().prefix("gnomon-build-").tempdir();
    let build = build?;
    let empty = tempfile::Builder::new().prefix("gnomon-run-").tempdir()?;
    let program = match compile(harness, request, build.path())? {
        Ok(program) => program,
        Err(complaint) => return Ok(Execution::NotConfirmed(complaint)),
    };
    let errors = build.path().join("stderr");
    let status = run(&program, empty.path(), &errors, &harness.evidence)?;
    Ok(judge(harness, status, &tail(&errors)?))
}

/// The executable, or what the compiler complains about.
fn compile(
    harness: &Harness,
    request: &Request,
    build: &Path,
) -> Result<Result<PathBuf, String>, VerifyError> {
    let source = build.join("harness.c");
    fs::write(&source, &harness.text)?;
    let compiler = || request.preprocess.compiler();
    let machine = request.preprocess.machine.flag();
    let mut objects: Vec<OsString> = Vec::new();
    for (number, input) in request.inputs.iter().enumerate() {
        let object = build.join(format!("{number}.o"));
        let file = match input {
            Input::File(path) => path.clone(),
            Input::Text { name, text } => {
                let name = Path::new(name).file_name().unwrap_or(OsStr::new("text.c"));
                let directory = build.join(number.to_string());
                fs::create_dir(&directory)?;
                fs::write(directory.join(name), text)?;
                directory.join(name)
            }
        };
        let mut command = compiler()?;
        command.args(["-c", "-g", "-O0", "-w", "-fPIC", "-fno-strict-aliasing", "-fno-builtin"]);
        command.args(request.preprocess.arguments());
        if harness.has_main {
            command.arg(format!("-Dmain={RENAMED_MAIN}"));
        }
        command.args(meaning(&harness.evidence));
        command.arg(file).arg("-o").arg(&object);
        if let Err(complaint) = finish(command, "the compiler")? {
            return Ok(Err(complaint));
        }
        if let Evidence::Function { name, is_defined: true } = &harness.evidence {
            let mut weaken = Command::new("objcopy");
            weaken.arg(format!("--weaken-symbol={name}")).arg(&object);
            if let Err(complaint) = finish(weaken, "objcopy")? {
                return Ok(Err(complaint));
            }
        }
        objects.push(object.into());
    }
    let object = build.join("harness.o");
    let mut command = compiler()?;
    command.args(["-c", "-O0", "-w", "-fno-builtin", machine]);
    command.arg(&source).arg("-o").arg(&object);
    if let Err(complaint) = finish(command, "the compiler, for the harness,")? {
        return Ok(Err(complaint));
    }
    objects.push(object.into());
    let program = build.join("program");
    let mut command = compiler()?;
    command.arg(machine).args(&objects).args(meaning(&harness.evidence));
    // What the run does not call need not exist.
    command.args(["-no-pie", "-Wl,--unresolved-symbols=ignore-all"]);
    command.args(harness.wrapped.iter().map(|name| format!("-Wl,--wrap={name}")));
    command.args(["-lm", "-lpthread", "-o"]).arg(&program);
    Ok(finish(command, "the linker")?.map(|()| program))
}

/// Flags that make the program do what is to be seen: wrap around as the model does, or complain.
fn meaning(evidence: &Evidence) -> &'static [&'static str] {
    match evidence {
        Evidence::Function { .. } => &["-fwrapv"],
        Evidence::Sanitizer { .. } => {
            &["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
        }
    }
}

/// Runs a tool to its end; what it complains about, if it fails.
fn finish(mut command: Command, who: &str) -> Result<Result<(), String>, VerifyError> {
    let run = command.stdin(Stdio::null()).output();
    let done = run.map_err(|error| {
        let name = command.get_program().to_string_lossy();
        let problem = format!("`{name}` cannot be started ({error}): it is needed for a replay");
        VerifyError::Execution(problem)
    })?;
    if done.status.success() {
        return Ok(Ok(()));
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    let first = complaint.lines().find(|line| line.contains("error")).unwrap_or_default();
    Ok(Err(format!("{who} failed: {first}")))
}

/// Runs the program; `None` if it had to be ended.
fn run(
    program: &Path,
    directory: &Path,
    errors: &Path,
    evidence: &Evidence,
) -> Result<Option<ExitStatus>, VerifyError> {
    let limits = match evidence {
        Evidence::Function { .. } => {
            format!("ulimit -t {CPU_SECONDS}; ulimit -v {ADDRESS_SPACE}; ulimit -c 0; exec \"$0\"")
        }
        // Sanitizers reserve terabytes of addresses, and limit memory themselves.
        Evidence::Sanitizer { .. } => {
            format!("ulimit -t {CPU_SECONDS}; ulimit -c 0; exec \"$0\"")
        }
    };
    let megabytes = ADDRESS_SPACE >> 10;
    let mut command = Command::new("sh");
    command.arg("-c").arg(limits).arg(program).current_dir(directory).env_clear();
    command.env("PATH", std::env::var_os("PATH").as_deref().unwrap_or(OsStr::new("/usr/bin")));
    command.env("ASAN_OPTIONS", format!("detect_leaks=0:hard_rss_limit_mb={megabytes}"));
    command.env("UBSAN_OPTIONS", "print_stacktrace=0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command.stderr(File::create(errors)?);
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let status = wait(&mut child)?;
    // Also what it left behind.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    if status.is_none() {
        let _ = child.wait();
    }
    Ok(status)
}

fn wait(child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > WALL_TIME {
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

fn tail(path: &Path) -> Result<String, VerifyError> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(KEPT_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the end of the run shows.
fn judge(harness: &Harness, status: Option<ExitStatus>, errors: &str) -> Execution {
    let Some(status) = status else {
        return Execution::NotConfirmed(format!(
            "the program did not end within {} s",
            WALL_TIME.as_secs()
        ));
    };
    let last = errors.lines().last().unwrap_or_default();
    let seen = match &harness.evidence {
        Evidence::Function { .. } => {
            status.code() == Some(REACHED) && last.starts_with(REACHED_MARK)
        }
        Evidence::Sanitizer { file, line } => {
            let name = Path::new(file).file_name().map(OsStr::to_string_lossy).unwrap_or_default();
            let complains = |text: &str| text.contains(&format!("{name}:{line}"));
            let reports = ["runtime error:", "AddressSanitizer"];
            !status.success()
                && reports.iter().any(|report| errors.contains(report))
                && errors.lines().any(complains)
        }
    };
    if seen {
        return Execution::Confirmed;
    }
    let said = if last.is_empty() { String::new() } else { format!(" ({last})") };
    Execution::NotConfirmed(format!("the program ended otherwise: {status}{said}"))
}
