//! `--cache DIR`: weights of procedures that are kept between runs, each in a file of its own.
//!
//! A file is named after its content, written under another name first and then renamed, so that
//! several runs can share a directory. What cannot be read or written is computed again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gnomon_dataflow::kept::Shelf;

use crate::exit::Failure;

/// A directory of entries.
pub struct Cache {
    directory: PathBuf,
    written: AtomicU64,
}

impl Cache {
    /// The directory, if one was named; it is made if it is not there.
    pub fn open(directory: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(directory) = directory else { return Ok(None) };
        std::fs::create_dir_all(directory).map_err(|error| {
            Failure::error(format!("the cache {} cannot be used: {error}", directory.display()))
        })?;
        Ok(Some(Self { directory: directory.to_owned(), written: AtomicU64::new(0) }))
    }

    /// Two letters of the name make a directory, so that none becomes too large.
    fn path(&self, name: &str) -> PathBuf {
        let (first, rest) = name.split_at(name.len().min(2));
        self.directory.join(first).join(rest)
    }

    fn write(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let serial = self.written.fetch_add(1, Ordering::Relaxed);
        let draft = self.directory.join(format!("draft-{}-{serial}", std::process::id()));
        std::fs::write(&draft, content)?;
        std::fs::rename(&draft, path)
    }
}

impl Shelf for Cache {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(name)).ok()
    }

    fn put(&self, name: &str, content: &[u8]) {
        // A full disk costs time in the next run, nothing else.
        let _ = self.write(name, content);
    }
}
