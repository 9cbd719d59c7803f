//! Z3 in a process of its own, which can be killed.
//!
//! Z3 does not always stop when asked: bit-vector, floating-point and Horn queries can run on for
//! minutes. So they are sent, as SMT-LIB text, to a worker: the same executable started again with
//! a variable in its environment, or the program `gnomon-solver-worker` beside it.
//!
//! - A program that wants to be its own worker calls [`run_if_requested`] at the start of `main`.
//! - [`locate`] finds the worker; test programs, which have no `main` of their own, find the
//!   program beside them if it was built. Callers that find none use Z3 in process.
//! - [`solver`] gives a [`Solver`](super::Solver) on a worker; [`Worker`] runs whole scripts, each
//!   in a new Z3 context, for Spacer.
//!
//! The worker ends when its input ends, even in the middle of a query, so it never outlives the
//! one who asked.

use super::memory;
use super::smtlib::{Channel, ChannelError, Dialect, Framing, Program, SmtLibSolver};
use super::z3::Context;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The variable that makes an executable a worker; its value is the memory limit in megabytes.
const VARIABLE: &str = "GNOMON_SOLVER_WORKER";
/// The program that is nothing but a worker.
const PROGRAM: &str = "gnomon-solver-worker";

/// A request starting with this byte is run in a new context.
const NEW_CONTEXT: char = '\u{1}';

static THIS_EXECUTABLE_SERVES: AtomicBool = AtomicBool::new(false);

/// Serves as a worker and never returns, if this process was started to be one. Otherwise notes
/// that this executable can be started as a worker.
pub fn run_if_requested() {
    if let Some(limit) = std::env::var_os(VARIABLE) {
        let megabytes =
            limit.to_str().and_then(|l| l.parse().ok()).unwrap_or_else(memory::of_a_worker);
        serve(megabytes);
    }
    THIS_EXECUTABLE_SERVES.store(true, Ordering::Relaxed);
}

/// How to start a worker, if there is a way.
pub fn locate() -> Option<Program> {
    let here = std::env::current_exe().ok()?;
    let path = if THIS_EXECUTABLE_SERVES.load(Ordering::Relaxed) {
        here
    } else {
        // Beside this executable, or one directory up (Cargo's test programs are in `deps`).
        let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
        here.ancestors().skip(1).take(2).map(|d| d.join(&name)).find(|p| p.is_file())?
    };
    Some(program(path, memory::of_a_worker()))
}

/// The worker that an executable is.
pub fn program(path: PathBuf, megabytes: u32) -> Program {
    Program {
        path,
        arguments: Vec::new(),
        environment: vec![(VARIABLE.into(), megabytes.to_string().into())],
        framing: Framing::Length,
    }
}

/// A solver for all theories on a worker.
pub fn solver(program: Program) -> SmtLibSolver {
    SmtLibSolver::new(program, Dialect::z3())
}

/// A worker that runs scripts.
pub struct Worker {
    channel: Channel,
}

impl Worker {
    /// A worker that is started with the first script.
    pub fn new(program: Program) -> Self {
        Self { channel: Channel::new(program) }
    }

    /// What Z3 prints when it runs the script in a new context. The worker is killed when the time
    /// is over.
    pub fn run(&mut self, script: &str, limit: Duration) -> Result<String, ChannelError> {
        self.channel.request(&format!("{NEW_CONTEXT}{script}"), Some(limit))
    }
}

/// Answers requests until the input ends.
fn serve(megabytes: u32) -> ! {
    // Who is stopped while others have their turn does not see the end of its input.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let (sender, requests) = channel::<String>();
    // Reading happens beside solving, so that the end of the input ends the process at once.
    let reader = std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut length = [0; 4];
        while input.read_exact(&mut length).is_ok() {
            let mut request = vec![0; u32::from_le_bytes(length) as usize];
            if input.read_exact(&mut request).is_err() {
                break;
            }
            let Ok(request) = String::from_utf8(request) else { break };
            if sender.send(request).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    let mut output = std::io::stdout().lock();
    let mut context = None;
    for request in requests {
        let (script, fresh) = match request.strip_prefix(NEW_CONTEXT) {
            Some(script) => (script, true),
            None => (request.as_str(), false),
        };
        if fresh {
            context = None;
        }
        let before = context.as_ref().map_or(0, resources);
        let answer = run(&mut context, script, megabytes);
        let used = context.as_ref().map_or(0, resources).saturating_sub(before);
        let length = u32::try_from(answer.len()).unwrap_or(0);
        let written = output
            .write_all(&length.to_le_bytes())
            .and_then(|()| output.write_all(&used.to_le_bytes()))
            .and_then(|()| output.write_all(&answer.as_bytes()[..length as usize]))
            .and_then(|()| output.flush());
        if written.is_err() {
            break;
        }
    }
    drop(reader);
    std::process::exit(0);
}

/// The resources that the scripts of a context have used so far, by Z3's own count.
fn resources(context: &Context) -> u64 {
    let answer = context.run_script("(get-info :rlimit)").unwrap_or_default();
    let number: String = answer.chars().filter(char::is_ascii_digit).collect();
    number.parse().unwrap_or(0)
}

fn run(context: &mut Option<Context>, script: &str, megabytes: u32) -> String {
    if context.is_none() {
        match Context::with_memory(None, megabytes) {
            Ok(new) => *context = Some(new),
            Err(error) => return format!("(error \"{error}\")"),
        }
    }
    match context {
        Some(context) => {
            context.run_script(script).unwrap_or_else(|error| format!("(error \"{error}\")"))
        }
        None => String::new(),
    }
}
