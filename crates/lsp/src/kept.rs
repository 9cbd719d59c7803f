//! What checks found is kept: a unit that did not change is not checked again, also after the editor was closed.
//!
//! The key is a hash of all functions, variables and types that can be named from the entry, with their places
//! in the source (an outcome tells of places), of what is asked, and of the build of Gnomon. So a change of
//! another function leaves it, unless it moves lines. Only what is decided is kept, in the form of the cache of projects.

use std::path::Path;

use gnomon_cfront::load::{Input, load};
use gnomon_cfront::preprocess::PreprocessOptions;
use gnomon_cfront::translate::Models;
use gnomon_ir::part::Mentions;
use gnomon_ir::text;
use gnomon_project::store::{Beside, Store};
use gnomon_project::unit::hash;
use gnomon_report::model::VerdictName;
use serde::{Deserialize, Serialize};

use crate::job::{Event, Job};

/// Where outcomes are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeping {
    /// The directory.
    pub directory: String,
    /// Which build of Gnomon it is: another one may answer otherwise.
    pub build: String,
}

/// What begins threads.
const THREADS: [&str; 2] = ["pthread_create", "thrd_create"];

/// The place of the outcome of one job.
pub(crate) struct Kept {
    store: Store,
    key: String,
}

impl Kept {
    /// The place for a job, if outcomes are kept and the file can be read.
    pub(crate) fn of(job: &Job, options: &PreprocessOptions) -> Option<Self> {
        let (keeping, entry) = (job.keeping.as_ref()?, job.entry.as_ref()?);
        let input = Input::text(&job.path, &job.text);
        // Models of the library are in it, since they may call what the program defines (`malloc`). With threads
        // they are others.
        let program = load(&[input], options, |_| Models::BuiltIn).ok()?.program;
        let mentions = Mentions::of(&program);
        let makes_threads = THREADS.iter().any(|name| program.find_function(name).is_some());
        let part = match makes_threads {
            true => mentions.part(program.funcs.ids()),
            false => mentions.part([program.find_function(entry)?]),
        };
        let Job { checks, time, memory, .. } = job;
        let key = hash(&format!(
            "{}\n{entry}\n{checks:?} {time} {memory}\n{}",
            keeping.build,
            text::print_part(&program, &part)
        ));
        let store = Store::open(Path::new(&keeping.directory)).ok()?;
        Some(Self { store, key })
    }

    /// What was told before, with its outcome.
    pub(crate) fn told(&self) -> Option<Vec<Event>> {
        let text = self.store.beside(&self.key, Beside::Report)?;
        let events: Vec<Event> = serde_json::from_str(&text).ok()?;
        events.iter().any(|event| matches!(event, Event::Report(_))).then_some(events)
    }

    /// Keeps what is told, if something was decided. An outcome that cannot be kept is told all the same.
    pub(crate) fn keep(&self, events: &[&Event]) {
        let is_decided = |event: &&Event| match event {
            Event::Report(report) => report.verdict != VerdictName::Unknown,
            _ => false,
        };
        if events.iter().any(is_decided)
            && let Ok(text) = serde_json::to_string(events)
        {
            let _ = self.store.put_beside(&self.key, Beside::Report, &text);
        }
    }
}
