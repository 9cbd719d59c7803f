//! A process that takes SMT-LIB commands and answers, and that can be killed.
//!
//! A thread reads what the process writes, so that the asking side can stop waiting at any time;
//! then the process is killed and the next request starts a new one. Requests and answers are
//! framed in one of two ways: by their length (our own worker), or by an `echo` of a marker
//! (programs that know only SMT-LIB).

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use gnomon_budget::{Budget, turn};
use rustix::process::{Pid, Signal, kill_process};

use crate::solver::client;

/// How a program is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables added to its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// How it separates answers.
    pub framing: Framing,
}

/// How requests and answers are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Both carry their length in front (four bytes, lowest first); behind it, an answer has the
    /// solver resources that it took (eight bytes).
    Length,
    /// The request ends with an `echo` whose text ends the answer.
    Marker,
}

/// A process that did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// It was killed because it took too long.
    #[error("the solver process did not answer in time")]
    Time,
    /// It could not be started.
    #[error("the solver process `{0}` could not be started: {1}")]
    Start(String, String),
    /// It went away.
    #[error("the solver process ended: {0}")]
    Ended(String),
}

const MARKER: &str = "@@end-of-answer@@";

struct Process {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
}

/// A process to talk to, started when first needed.
pub struct Channel {
    program: Program,
    process: Option<Process>,
    /// How often a process was started.
    pub starts: u64,
}

impl Channel {
    /// A channel to a program that is not started yet.
    pub fn new(program: Program) -> Self {
        Self { program, process: None, starts: 0 }
    }

    /// Whether a process is there, with the state earlier requests left in it.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Ends the process, if there is one.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }

    fn start(&mut self) -> Result<&mut Process, ChannelError> {
        if self.process.is_none() {
            self.process = Some(spawn(&self.program)?);
            self.starts += 1;
        }
        self.process.as_mut().ok_or_else(|| ChannelError::Ended("it was not started".into()))
    }

    /// Sends commands and waits for the answer, until the process has used the processor time given;
    /// afterwards it is killed.
    pub fn request(
        &mut self,
        commands: &str,
        limit: Option<Duration>,
    ) -> Result<String, ChannelError> {
        let framing = self.program.framing;
        let process = self.start()?;
        let pid = process.child.id();
        let mut meter = Meter::new(pid, limit);
        let result = exchange(process, framing, commands, &mut meter);
        meter.count();
        if let Ok(Reply { resources: Some(resources), .. }) = &result {
            client::charge(resources.saturating_sub(meter.charged));
        }
        let result = result.map(|reply| reply.text);
        if result.is_err() {
            self.kill();
        }
        result
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a process does for a request. What counts is its processor time, so that other load on the
/// machine changes nothing; where nobody tells that, and if it does not work at all, the time.
struct Meter {
    pid: u32,
    /// When it began to work; the time during which it was stopped is not counted.
    began: Instant,
    /// The processor time it had used before.
    before: Option<Duration>,
    limit: Option<Duration>,
    /// The time that was counted for whom it works, and the work that was charged for it.
    counted: Duration,
    charged: u64,
}

/// So many times the limit a process may take that does not work.
const IDLE: u32 = 30;

impl Meter {
    fn new(pid: u32, limit: Option<Duration>) -> Self {
        Self {
            pid,
            began: Instant::now(),
            before: processor_time(pid),
            limit,
            counted: Duration::ZERO,
            charged: 0,
        }
    }

    /// How long it has worked.
    fn used(&self) -> Duration {
        let used = processor_time(self.pid).zip(self.before);
        used.map_or_else(|| self.began.elapsed(), |(now, before)| now.saturating_sub(before))
    }

    /// Counts what it did since the last time.
    fn count(&mut self) {
        let new = self.used().saturating_sub(self.counted);
        self.counted += new;
        gnomon_budget::count_elsewhere(new);
        let work = u64::try_from(new.as_micros()).unwrap_or(u64::MAX);
        client::charge(work);
        self.charged += work;
    }

    fn is_over(&self) -> bool {
        let Some(limit) = self.limit else { return false };
        let elapsed = self.began.elapsed();
        elapsed >= limit && (self.used() >= limit || elapsed >= limit.saturating_mul(IDLE))
    }

    /// Whether the answer is still wanted. If it is the turn of others, the process is stopped
    /// until it is that of this thread again.
    fn may_go_on(&mut self, client: &Budget) -> bool {
        self.count();
        if !turn::is_over() {
            return !client.is_cancelled();
        }
        let stopped = Instant::now();
        signal(self.pid, Signal::STOP);
        let may = client.check_now().is_ok();
        signal(self.pid, Signal::CONT);
        self.began += stopped.elapsed();
        may
    }
}

/// A process that is gone needs no signal.
fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// The processor time of a process so far, where the system tells (Linux).
fn processor_time(pid: u32) -> Option<Duration> {
    // In hundredths of a second, behind the name of the program, which ends with `)`.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let (user, system): (u32, u32) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(TICK * user.saturating_add(system))
}

fn spawn(program: &Program) -> Result<Process, ChannelError> {
    let name = program.path.display().to_string();
    let failed = |error: std::io::Error| ChannelError::Start(name.clone(), error.to_string());
    let mut child = Command::new(&program.path)
        .args(&program.arguments)
        .envs(program.environment.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (Some(input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ChannelError::Start(name, "its pipes are missing".into()));
    };
    // The thread ends when the process closes its output, at the latest when it is killed.
    let (sender, receiver) = sync_channel(64);
    std::thread::Builder::new()
        .name("solver output".into())
        .stack_size(128 * 1024)
        .spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(count) = output.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        })
        .map_err(failed)?;
    Ok(Process { child, input, output: receiver })
}

/// What a program answers.
struct Reply {
    text: String,
    /// The solver resources it took, where the program tells.
    resources: Option<u64>,
}

/// How often it is looked whether the answer is still wanted.
const TICK: Duration = Duration::from_millis(20);

fn exchange(
    process: &mut Process,
    framing: Framing,
    commands: &str,
    meter: &mut Meter,
) -> Result<Reply, ChannelError> {
    let ended = |what: String| ChannelError::Ended(what);
    let message = match framing {
        Framing::Length => {
            let length = u32::try_from(commands.len())
                .map_err(|_| ended("a request of more than 4 GiB".into()))?;
            let mut message = length.to_le_bytes().to_vec();
            message.extend_from_slice(commands.as_bytes());
            message
        }
        Framing::Marker => format!("{commands}\n(echo \"{MARKER}\")\n").into_bytes(),
    };
    process
        .input
        .write_all(&message)
        .and_then(|()| process.input.flush())
        .map_err(|e| ended(e.to_string()))?;
    let client = client::current();
    let mut received = Vec::new();
    loop {
        if let Some(answer) = complete(framing, &received) {
            return Ok(answer);
        }
        match process.output.recv_timeout(TICK) {
            Ok(chunk) => received.extend_from_slice(&chunk),
            Err(RecvTimeoutError::Timeout) => {
                let is_wanted = client.as_ref().is_none_or(|client| meter.may_go_on(client));
                if !is_wanted || meter.is_over() {
                    return Err(ChannelError::Time);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let said = String::from_utf8_lossy(&received);
                let said = if said.is_empty() { "without a word".into() } else { said };
                return Err(ended(said.chars().take(500).collect()));
            }
        }
    }
}

/// The answer, if all of it has arrived.
fn complete(framing: Framing, received: &[u8]) -> Option<Reply> {
    match framing {
        Framing::Length => {
            let (length, rest) = received.split_first_chunk::<4>()?;
            let (resources, answer) = rest.split_first_chunk::<8>()?;
            let text = answer.get(..u32::from_le_bytes(*length) as usize)?;
            let text = String::from_utf8_lossy(text).into_owned();
            Some(Reply { text, resources: Some(u64::from_le_bytes(*resources)) })
        }
        Framing::Marker => {
            let tail = received.len().saturating_sub(MARKER.len() + 8);
            let end = &received[tail..];
            let found = end.windows(MARKER.len()).position(|w| w == MARKER.as_bytes())?;
            // Some solvers print the marker with its quotation marks.
            let answer = String::from_utf8_lossy(&received[..tail + found]);
            let text = answer.trim_end_matches(['"', '\n']).to_owned();
            Some(Reply { text, resources: None })
        }
    }
}
