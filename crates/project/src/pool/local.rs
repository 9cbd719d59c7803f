//! The pool of this machine: a process for each attempt, so that what one does costs no other.
//!
//! A few threads start workers and wait for them. A worker is a group of processes with the solvers it
//! starts; a group that takes far longer than its limit is killed as a whole.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::ProjectError;
use crate::pool::{Ended, Job, Pool, Worker};
use crate::record::Record;

/// How much longer than its processor time a worker may take on a loaded machine.
const PATIENCE: u32 = 30;
/// And how long in any case.
const LEAST: Duration = Duration::from_secs(60);

/// Processes of this machine.
pub struct Local {
    jobs: usize,
    running: usize,
    give: Option<Sender<Job>>,
    take: Receiver<(usize, Ended)>,
    processes: Arc<Processes>,
    threads: Vec<JoinHandle<()>>,
}

/// The groups of processes that run, with the moment at which they are killed.
#[derive(Default)]
struct Processes {
    running: Mutex<Running>,
}

/// Whether no more are started, and those that run.
type Running = (bool, BTreeMap<usize, (Pid, Instant)>);

impl Processes {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self, which: impl Fn(Instant) -> bool) {
        for (pid, until) in self.lock().1.values() {
            if which(*until) {
                // It may have ended meanwhile.
                let _ = kill_process_group(*pid, Signal::KILL);
            }
        }
    }
}

impl Local {
    /// So many workers at once.
    pub fn new(worker: Worker, jobs: usize) -> Self {
        let (give, jobs_given) = channel::<Job>();
        let (done, take) = channel();
        let jobs_given = Arc::new(Mutex::new(jobs_given));
        let processes = Arc::new(Processes::default());
        let threads = (0..jobs.max(1)).map(|_| {
            let (given, done) = (jobs_given.clone(), done.clone());
            let (processes, worker) = (processes.clone(), worker.clone());
            std::thread::spawn(move || {
                loop {
                    let job = given.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { return };
                    let ended = attempt(&worker, &job, &processes);
                    if done.send((job.number, ended)).is_err() {
                        return;
                    }
                }
            })
        });
        let threads = threads.collect();
        Self { jobs: jobs.max(1), running: 0, give: Some(give), take, processes, threads }
    }
}

impl Pool for Local {
    fn room(&self) -> usize {
        self.jobs.saturating_sub(self.running)
    }

    fn is_here(&self) -> bool {
        true
    }

    fn start(&mut self, job: Job) -> Result<(), ProjectError> {
        let sent = self.give.as_ref().is_some_and(|give| give.send(job).is_ok());
        if !sent {
            return Err(ProjectError::Pool("the workers have been stopped".into()));
        }
        self.running += 1;
        Ok(())
    }

    fn ended(&mut self, most: Duration) -> Result<Vec<(usize, Ended)>, ProjectError> {
        let mut all: Vec<(usize, Ended)> = self.take.recv_timeout(most).into_iter().collect();
        all.extend(self.take.try_iter());
        self.running -= all.len();
        let now = Instant::now();
        self.processes.kill(|until| until < now);
        Ok(all)
    }

    fn stop(&mut self) {
        self.processes.lock().0 = true;
        self.give = None;
        self.processes.kill(|_| true);
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Starts a worker and waits for it.
fn attempt(worker: &Worker, job: &Job, processes: &Processes) -> Ended {
    let mut command = Command::new(&worker.program);
    command.args(&worker.arguments).args(job.arguments());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let started = {
        let mut running = processes.lock();
        if running.0 {
            return Ended::Failed("stopped".into());
        }
        let child = command.spawn();
        if let Ok(child) = &child
            && let Some(pid) = Pid::from_raw(child.id() as i32)
        {
            let time = LEAST + Duration::from_secs(job.seconds) * PATIENCE;
            running.1.insert(job.number, (pid, Instant::now() + time));
        }
        child
    };
    let ended = match started {
        Ok(child) => finished(child),
        Err(error) => Ended::Failed(format!("it cannot be started: {error}")),
    };
    processes.lock().1.remove(&job.number);
    match ended {
        Ended::Done(record) if record.key != job.key => {
            Ended::Failed("it answered for another unit".into())
        }
        ended => ended,
    }
}

fn finished(mut child: Child) -> Ended {
    let mut text = Vec::new();
    if let Some(mut output) = child.stdout.take() {
        // What was not read completely is no record.
        let _ = output.read_to_end(&mut text);
    }
    let record = serde_json::from_slice::<Record>(&text);
    match (child.wait(), record) {
        // It may have failed to keep it.
        (Ok(_), Ok(record)) => Ended::Done(Box::new(record)),
        (Ok(status), Err(_)) if status.success() => {
            Ended::Failed("it ended without a result".into())
        }
        (Ok(status), Err(_)) => Ended::Failed(how_it_ended(status)),
        (Err(error), _) => Ended::Failed(error.to_string()),
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "it was killed (by hand, or since memory ran out)".into(),
        (Some(signal), _) => format!("it was ended by signal {signal}"),
        (None, Some(code)) => format!("it failed with exit code {code}"),
        (None, None) => "it failed".into(),
    }
}
