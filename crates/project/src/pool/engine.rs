//! Engines of clusters: how a batch of tasks is handed over, asked about and called back.
//!
//! An engine starts tasks with a number each. It is asked by its own commands, each with a limit on time: one that
//! hangs is as silent as one that answers with an error. Slurm has job arrays; `hq` takes a job file; the Python
//! package of HyperQueue has no command, so a small program hands each batch over and waits for it, and where no
//! server is named another one keeps a server with workers for as long as the pool lives.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::ProjectError;

/// The small program that speaks to HyperQueue by its Python package.
const SUBMITTER: &str = include_str!("hyperqueue_submit.py");
/// What it prints when its server is ready.
const READY: &str = "ready";
/// The directory in a batch with what its tasks say on standard error.
pub const ERRORS: &str = "errors";
/// So long a command of an engine may take.
const ANSWER: Duration = Duration::from_secs(60);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Who starts workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `sbatch`, with further arguments.
    Slurm(Vec<String>),
    /// The command `hq`.
    Hq {
        /// The directory of the server, if it is not the usual one.
        server: Option<PathBuf>,
        /// Further arguments for `hq submit`; with them there is no job file, which knows no arguments.
        more: Vec<String>,
    },
    /// The Python package, with this interpreter, and the directory of a server that runs; without one, a
    /// server and so many workers are started for the pool.
    HyperQueuePython {
        /// The interpreter.
        python: String,
        /// The directory of a server.
        server: Option<PathBuf>,
        /// How many workers, if there is no server.
        workers: usize,
    },
}

/// What an engine is to start: the command of a worker, so many times.
pub struct Order<'a> {
    /// The directory of the batch.
    pub directory: &'a Path,
    /// How many tasks.
    pub tasks: usize,
    /// Memory of each, in MB.
    pub memory: u64,
    /// The command, to which `--task=N` is added.
    pub words: &'a [String],
}

/// How an engine knows a batch.
pub enum Handle {
    /// By a number that it is asked about.
    Number(String),
    /// A process waits for it.
    Process(Child),
}

/// Whether an engine has something left of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It has.
    Something,
    /// It has not, or does not know the batch.
    Nothing,
    /// It does not answer; why.
    Unknown(String),
}

/// Why a batch is not handed over.
pub enum Refused {
    /// The engine did not take it now: it may do so later.
    Now(String),
    /// It never will.
    Ever(ProjectError),
}

/// An engine, with what runs for it.
pub struct Connection {
    engine: Engine,
    spool: PathBuf,
    /// Where the commands of the engine are, if not where `PATH` finds them.
    pub(super) commands: Option<PathBuf>,
    /// A server of our own: the process that keeps it, and its directory.
    own: Option<(Child, PathBuf)>,
    servers: usize,
}

impl Connection {
    /// An engine whose files lie in a directory.
    pub fn new(engine: Engine, spool: &Path) -> Self {
        Self { engine, spool: spool.to_owned(), commands: None, own: None, servers: 0 }
    }

    fn command(&self, name: &str) -> Command {
        match &self.commands {
            Some(directory) => Command::new(directory.join(name)),
            None => Command::new(name),
        }
    }

    fn hq(&self, server: Option<&Path>, words: &[&str]) -> Command {
        let mut command = self.command("hq");
        command.args(server.map(|server| format!("--server-dir={}", server.display())));
        command.arg("--output-mode=quiet").args(words);
        command
    }

    /// Hands a batch over.
    pub fn submit(&mut self, order: &Order<'_>) -> Result<Handle, Refused> {
        let errors = order.directory.join(ERRORS);
        std::fs::create_dir_all(&errors).map_err(|e| ever(&errors, e))?;
        match &self.engine {
            Engine::Slurm(more) => self.slurm(order, more),
            Engine::Hq { server, more } => self.hq_job(order, server.as_deref(), more),
            Engine::HyperQueuePython { python, server, workers } => {
                let (python, workers) = (python.clone(), *workers);
                let server = match server {
                    Some(server) => server.clone(),
                    None => self.own_server(&python, workers)?,
                };
                by_python(order, &python, &server)
            }
        }
    }

    /// Whether the engine has something left of a batch.
    pub fn left(&self, handle: &mut Handle) -> Left {
        let number = match handle {
            Handle::Process(child) => {
                return match child.try_wait() {
                    Ok(Some(_)) => Left::Nothing,
                    _ => Left::Something,
                };
            }
            Handle::Number(number) => number,
        };
        let mut command = match &self.engine {
            Engine::Hq { server, .. } => self.hq(server.as_deref(), &["job", "list"]),
            _ => {
                let mut command = self.command("squeue");
                command.args(["--noheader", "--array", "--format=%i", "--jobs", number]);
                command
            }
        };
        let done = match ask(&mut command, None) {
            Ok(done) => done,
            Err(error) => return Left::Unknown(error.to_string()),
        };
        let (out, told) = (text(&done.stdout), text(&done.stderr));
        let is_there = match &self.engine {
            // Numbers and states of all jobs that wait or run.
            Engine::Hq { .. } => {
                out.lines().any(|line| line.split_whitespace().next() == Some(number.as_str()))
            }
            _ => !out.is_empty(),
        };
        match (done.status.success(), is_there) {
            (true, true) => Left::Something,
            (true, false) => Left::Nothing,
            // It is over for so long that nobody remembers.
            (false, _) if told.contains("Invalid job id") => Left::Nothing,
            (false, _) => Left::Unknown(last_line(&told)),
        }
    }

    /// Calls a batch back. Whoever is not there to be told does not go on either.
    pub fn cancel(&self, handle: &mut Handle) {
        match handle {
            Handle::Number(number) => {
                let mut command = match &self.engine {
                    Engine::Hq { server, .. } => {
                        self.hq(server.as_deref(), &["job", "cancel", number])
                    }
                    _ => {
                        let mut command = self.command("scancel");
                        command.arg(number.as_str());
                        command
                    }
                };
                let _ = ask(&mut command, None);
            }
            // Tasks of it that begin later find no batch any more, and end.
            Handle::Process(child) => end(child),
        }
    }

    /// The server of this pool; a new one, if there is none or it was killed.
    fn own_server(&mut self, python: &str, workers: usize) -> Result<PathBuf, Refused> {
        if let Some((child, directory)) = &mut self.own {
            match child.try_wait() {
                Ok(None) => return Ok(directory.clone()),
                _ => self.own = None,
            }
        }
        let directory = self.spool.join(format!("server-{}", self.servers));
        self.servers += 1;
        std::fs::create_dir_all(&directory).map_err(|e| ever(&directory, e))?;
        let mut command = python_command(python, &directory)?;
        command.arg(format!("--serve={}", directory.display()));
        command.arg(format!("--workers={workers}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = started(&mut command)?;
        let (give, take) = channel();
        if let Some(output) = child.stdout.take() {
            // What it says is read to the end, so that it never waits for a reader.
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if line == READY && give.send(()).is_err() {
                        return;
                    }
                }
            });
        }
        if take.recv_timeout(ANSWER).is_err() {
            end(&mut child);
            let told = std::fs::read_to_string(directory.join("log")).unwrap_or_default();
            let problem = format!("the server does not start: {}", last_line(&told));
            return Err(Refused::Ever(ProjectError::Pool(problem)));
        }
        self.own = Some((child, directory.clone()));
        Ok(directory)
    }

    fn slurm(&self, order: &Order<'_>, more: &[String]) -> Result<Handle, Refused> {
        let words = order.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let script = format!("#!/bin/sh\nexec {words} --task=\"$SLURM_ARRAY_TASK_ID\"\n");
        let mut command = self.command("sbatch");
        command.args(["--parsable", "--requeue", "--job-name=gnomon", "--ntasks=1"]);
        command
            .arg(format!("--array=0-{}", order.tasks - 1))
            .arg(format!("--mem={}M", order.memory));
        let errors = order.directory.join(ERRORS).join("%a");
        command.args(["--output=/dev/null", &format!("--error={}", errors.display())]).args(more);
        let told = submitted(&mut command, Some(&script))?;
        Ok(Handle::Number(told.trim().split(';').next().unwrap_or_default().to_owned()))
    }

    fn hq_job(
        &self,
        order: &Order<'_>,
        server: Option<&Path>,
        more: &[String],
    ) -> Result<Handle, Refused> {
        let last = order.tasks - 1;
        let errors = order.directory.join(ERRORS).display().to_string();
        let mut command;
        if more.is_empty() {
            let file = order.directory.join("job.toml");
            std::fs::write(&file, job_file(order, &errors)).map_err(|e| ever(&file, e))?;
            command = self.hq(server, &["job", "submit-file"]);
            command.arg(&file);
        } else {
            command = self.hq(server, &["submit", "--stdout=none", "--name=gnomon"]);
            command.arg(format!("--stderr={errors}/%{{TASK_ID}}")).arg(format!("--array=0-{last}"));
            // The worker knows its number by HQ_TASK_ID.
            command.args(more).arg("--").args(order.words);
        }
        let told = submitted(&mut command, None)?;
        let number: String = told
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        match number.is_empty() {
            false => Ok(Handle::Number(number)),
            true => Err(Refused::Now(format!("`hq` names no job: {}", last_line(&told)))),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            end(child);
        }
    }
}

/// A batch as `hq job submit-file` takes it.
fn job_file(order: &Order<'_>, errors: &str) -> String {
    // A string of JSON is one of TOML.
    let text = |word: &str| serde_json::Value::from(word).to_string();
    let words: Vec<String> = order.words.iter().map(|word| text(word)).collect();
    let mut file = String::from("name = \"gnomon\"\n");
    for task in 0..order.tasks {
        file += &format!(
            "\n[[task]]\nid = {task}\nstdout = \"none\"\nstderr = {}\ncommand = [{}, \"--task={task}\"]\n",
            text(&format!("{errors}/{task}")),
            words.join(", "),
        );
    }
    file
}

fn by_python(order: &Order<'_>, python: &str, server: &Path) -> Result<Handle, Refused> {
    let mut command = python_command(python, order.directory)?;
    command.arg(format!("--tasks={}", order.tasks)).arg(format!("--server={}", server.display()));
    command.arg(format!("--errors={}", order.directory.join(ERRORS).display()));
    command.arg("--").args(order.words).stdin(Stdio::null()).stdout(Stdio::null());
    started(&mut command).map(Handle::Process)
}

/// The small program, which says what goes wrong in the file `log` of a directory.
fn python_command(python: &str, directory: &Path) -> Result<Command, Refused> {
    let (program, log) = (directory.join("submit.py"), directory.join("log"));
    std::fs::write(&program, SUBMITTER).map_err(|e| ever(&program, e))?;
    let file = std::fs::File::create(&log).map_err(|e| ever(&log, e))?;
    let mut command = Command::new(python);
    // Bars of progress are no last words.
    command.arg(&program).stderr(Stdio::from(file)).env("TQDM_DISABLE", "1");
    Ok(command)
}

fn ever(path: &Path, error: std::io::Error) -> Refused {
    Refused::Ever(ProjectError::file(path, error))
}

fn started(command: &mut Command) -> Result<Child, Refused> {
    let name = command.get_program().to_string_lossy().into_owned();
    let problem = |error| ProjectError::Pool(format!("`{name}` cannot be started: {error}"));
    command.spawn().map_err(|error| Refused::Ever(problem(error)))
}

/// What a command prints by which something is submitted.
fn submitted(command: &mut Command, input: Option<&str>) -> Result<String, Refused> {
    let name = command.get_program().to_string_lossy().into_owned();
    match ask(command, input) {
        Ok(done) if done.status.success() => Ok(text(&done.stdout)),
        Ok(done) => Err(Refused::Now(format!("`{name}`: {}", last_line(&text(&done.stderr))))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let problem = format!("`{name}` cannot be started: {error}");
            Err(Refused::Ever(ProjectError::Pool(problem)))
        }
        Err(error) => Err(Refused::Now(format!("`{name}`: {error}"))),
    }
}

/// Calls a command of an engine; one that takes too long is ended.
fn ask(command: &mut Command, input: Option<&str>) -> std::io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take()
        && let Some(input) = input
    {
        // Whoever does not read it says why.
        let _ = pipe.write_all(input.as_bytes());
    }
    let begin = Instant::now();
    while child.try_wait()?.is_none() {
        if begin.elapsed() > ANSWER {
            end(&mut child);
            return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "it does not answer"));
        }
        std::thread::sleep(LOOK);
    }
    child.wait_with_output()
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or("it says nothing").to_owned()
}

/// What was said last in a batch, by the program that hands it over or by its tasks.
pub fn last_words(batch: &Path) -> Option<String> {
    let errors = std::fs::read_dir(batch.join(ERRORS)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = errors.map(|entry| entry.path()).collect();
    files.sort();
    files.push(batch.join("log"));
    files.iter().find_map(|file| words_in(file))
}

/// What a task of a batch said last.
pub fn last_words_of(batch: &Path, task: usize) -> Option<String> {
    words_in(&batch.join(ERRORS).join(task.to_string()))
}

fn words_in(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.trim().lines().last().map(str::to_owned)
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
