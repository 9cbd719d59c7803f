//! Checks that go on, each in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::job::{Event, Job};
use crate::kept::Keeping;

/// How a process for a check is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where outcomes are kept, if they are.
    pub keeping: Option<Keeping>,
}

/// A check that goes on. It is ended when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Arc<Mutex<Child>>,
}

impl Process {
    /// Starts a check. `tell` is called with what it tells, from another thread, and at its end with `None`.
    pub fn start(
        launcher: &Launcher,
        job: &Job,
        tell: impl Fn(Option<Event>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let directory = Path::new(&job.path).parent().filter(|directory| directory.is_dir());
        let mut child = Command::new(&launcher.program)
            .args(&launcher.arguments)
            .current_dir(directory.unwrap_or(Path::new("/")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let child = Arc::new(Mutex::new(child));
        let text = serde_json::to_vec(job)?;
        let ended = child.clone();
        std::thread::spawn(move || {
            // A process that is gone already tells that by the end of its output.
            if let Some(mut input) = input {
                let _ = input.write_all(&text);
            }
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
                match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
                    Some(event) => tell(Some(event)),
                    None => break,
                }
            }
            if let Ok(mut child) = ended.lock() {
                let _ = child.kill();
                let _ = child.wait();
            }
            tell(None);
        });
        Ok(Self { child })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(mut child) = self.child.lock() {
            let _ = child.kill();
        }
    }
}
