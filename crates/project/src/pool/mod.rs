//! Who does the work: processes of this machine, or a cluster by an engine that is there.
//!
//! A pool takes jobs, each one attempt at one unit, and says how they ended. It promises little: a job may
//! be lost, and it may be done twice. What a worker found lies in the cache under the key of its unit, so
//! doing it twice changes nothing; what was lost the [driver](crate::driver) gives out again, once.

pub mod batch;
pub mod engine;
pub mod local;

use std::path::PathBuf;
use std::time::Duration;

use crate::ProjectError;
use crate::record::Record;

/// An attempt at a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number that the driver gave it.
    pub number: usize,
    /// The key of the unit.
    pub key: String,
    /// Processor time, in seconds.
    pub seconds: u64,
    /// Memory, in MB.
    pub memory: u64,
    /// Whether no longer attempt follows.
    pub is_last: bool,
}

impl Job {
    /// The arguments of a worker.
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec![
            format!("--key={}", self.key),
            format!("--seconds={}", self.seconds),
            format!("--memory={}", self.memory),
        ];
        all.extend(self.is_last.then(|| "--last".to_owned()));
        all
    }
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// With something to keep.
    Done(Box<Record>),
    /// Without: what happened to the worker.
    Failed(String),
    /// It never began: what happened to the cluster.
    Lost(String),
}

/// How a worker is called: a program with arguments, to which those of a job are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Its first arguments.
    pub arguments: Vec<String>,
}

/// Who does the work.
pub trait Pool {
    /// How many jobs it would take now.
    fn room(&self) -> usize;

    /// Whether jobs share the memory of this machine.
    fn is_here(&self) -> bool;

    /// Takes a job.
    fn start(&mut self, job: Job) -> Result<(), ProjectError>;

    /// Jobs that have ended, by number; waits for some, but not for ever.
    fn ended(&mut self, most: Duration) -> Result<Vec<(usize, Ended)>, ProjectError>;

    /// What is the matter with the pool, if the user should know; each thing is told once.
    fn trouble(&mut self) -> Option<String> {
        None
    }

    /// Ends all work, at once.
    fn stop(&mut self);
}
