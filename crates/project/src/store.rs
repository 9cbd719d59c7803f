//! The cache: what is known of units, by key, in a directory that machines may share.
//!
//! Files appear complete or not at all: they are written under another name and then linked or renamed.
//! What is final is written once, whoever comes second finds it there; what is open is replaced only by what
//! says more: an attempt with more time or memory. A file that cannot be read is no result, and whoever has one writes it in its place.
//!
//! ```text
//! CACHE/ab/cdef….json          a final record        CACHE/ab/cdef….report.json   the run to an error
//! CACHE/ab/cdef….open.json     an undecided one      CACHE/ab/cdef….proof.json    a certificate
//!                                                    CACHE/ab/cdef….shape.json    where its places are
//! CACHE/units/RUN/KEY.json, PART.ir    what the workers of a run read; it goes with the run
//! CACHE/batches/RUN/           what clusters are given; it goes with the run
//! CACHE/names/NAME             the last unit of that name that was proved
//! ```

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::de::IgnoredAny;

use crate::record::Record;
use crate::unit::{Unit, hash};

/// The directory with what clusters are given.
pub const BATCHES: &str = "batches";

/// What runs have left behind that were killed is removed after this time.
const LEFT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The cache.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    /// Where the units of a run are.
    units: PathBuf,
    written: AtomicU64,
}

/// Kinds of files that are kept for a unit beside its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The full report.
    Report,
    /// The certificate of a proof.
    Proof,
    /// What is needed to find its places in a changed program.
    Shape,
}

impl Beside {
    fn ending(self) -> &'static str {
        match self {
            Self::Report => "report.json",
            Self::Proof => "proof.json",
            Self::Shape => "shape.json",
        }
    }
}

impl Store {
    /// The cache in a directory, which is made if it is not there.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let units = directory.join("units");
        std::fs::create_dir_all(&units)?;
        Ok(Self { directory: directory.to_owned(), units, written: AtomicU64::new(0) })
    }

    /// The same cache for a run: its units lie apart from those of other runs, which may be others' projects.
    pub fn of_run(directory: &Path, run: &str) -> io::Result<Self> {
        let mut store = Self::open(directory)?;
        store.units.push(run);
        Ok(store)
    }

    /// A name for a run that no other run has, on whatever machine.
    pub fn new_run(directory: &Path) -> io::Result<String> {
        let units = directory.join("units");
        std::fs::create_dir_all(&units)?;
        remove_left(directory);
        remove_left(&units);
        remove_left(&directory.join(BATCHES));
        let process = std::process::id();
        for serial in 0..u32::MAX {
            let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let moment = moment.map_or(0, |since| since.as_nanos());
            let run = format!("{moment:x}-{process}-{serial}");
            match std::fs::create_dir(units.join(&run)) {
                Ok(()) => return Ok(run),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, key: &str, ending: &str) -> PathBuf {
        // Two letters make a directory, so that none becomes too large.
        let (first, rest) = key.split_at(key.len().min(2));
        self.directory.join(first).join(format!("{rest}.{ending}"))
    }

    /// What is known of a unit.
    pub fn get(&self, key: &str) -> Option<Record> {
        let read = |ending: &str| {
            let bytes = std::fs::read(self.path(key, ending)).ok()?;
            serde_json::from_slice::<Record>(&bytes).ok().filter(|record| record.key == key)
        };
        read("json").or_else(|| read("open.json"))
    }

    /// Keeps what an attempt brought.
    pub fn put(&self, record: &Record) -> io::Result<()> {
        let text = serde_json::to_vec(record)?;
        if record.is_final() {
            let path = self.path(&record.key, "json");
            let is_whole = |text: &[u8]| {
                serde_json::from_slice::<Record>(text).is_ok_and(|known| known.key == record.key)
            };
            return self.write_once(&path, &text, is_whole);
        }
        if self.get(&record.key).is_some_and(|known| known.stands_against(record)) {
            return Ok(());
        }
        self.replace(&self.path(&record.key, "open.json"), &text)
    }

    /// Keeps something beside the record of a unit; before the record, so that it is there with it.
    pub fn put_beside(&self, key: &str, what: Beside, text: &str) -> io::Result<()> {
        let is_whole = |text: &[u8]| serde_json::from_slice::<IgnoredAny>(text).is_ok();
        self.write_once(&self.path(key, what.ending()), text.as_bytes(), is_whole)
    }

    /// What is kept beside a record.
    pub fn beside(&self, key: &str, what: Beside) -> Option<String> {
        std::fs::read_to_string(self.path(key, what.ending())).ok()
    }

    /// The file of a unit that waits.
    pub fn unit_file(&self, key: &str) -> PathBuf {
        self.units.join(format!("{key}.json"))
    }

    fn part_file(&self, part: &str) -> PathBuf {
        self.units.join(format!("{part}.ir"))
    }

    /// Writes the text of a part for workers.
    pub fn put_part(&self, part: &str, text: &str) -> io::Result<()> {
        self.replace(&self.part_file(part), text.as_bytes())
    }

    /// Writes a unit for workers.
    pub fn put_unit(&self, unit: &Unit) -> io::Result<()> {
        self.replace(&self.unit_file(&unit.key), &serde_json::to_vec(unit)?)
    }

    /// Reads a unit with the text of its part.
    pub fn unit(&self, key: &str) -> io::Result<(Unit, String)> {
        let unit: Unit = serde_json::from_slice(&std::fs::read(self.unit_file(key))?)?;
        let text = std::fs::read_to_string(self.part_file(&unit.part))?;
        Ok((unit, text))
    }

    /// Removes what the workers of this run have read, and nothing of others.
    pub fn end_run(&self) {
        if self.units != self.directory.join("units") {
            // What is not removed now is removed some day.
            let _ = std::fs::remove_dir_all(&self.units);
        }
    }

    /// Remembers that a unit of this name was proved.
    pub fn remember_proof(&self, name: &str, key: &str) -> io::Result<()> {
        self.replace(&self.directory.join("names").join(hash(name)), key.as_bytes())
    }

    /// The last unit of this name that was proved and left a proof.
    pub fn last_proof(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.directory.join("names").join(hash(name))).ok()
    }

    fn draft(&self, text: &[u8]) -> io::Result<PathBuf> {
        let serial = self.written.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        // Machines that share a directory may have the same process numbers, but not the same moment.
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let moment = moment.map_or(0, |since| since.as_nanos());
        let draft = self.directory.join(format!("draft-{process}-{moment:x}-{serial}"));
        match std::fs::write(&draft, text) {
            Ok(()) => Ok(draft),
            Err(error) => {
                let _ = std::fs::remove_file(&draft);
                Err(error)
            }
        }
    }

    fn in_place(&self, path: &Path, text: &[u8]) -> io::Result<PathBuf> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        self.draft(text)
    }

    /// Writes a file that is not there yet, or is broken: cut off by a full disk, or when a machine stopped.
    fn write_once(
        &self,
        path: &Path,
        text: &[u8],
        is_whole: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        let draft = self.in_place(path, text)?;
        let linked = match std::fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match std::fs::read(path).is_ok_and(|known| is_whole(&known)) {
                    true => Ok(()),
                    false => std::fs::rename(&draft, path),
                }
            }
            other => other,
        };
        let _ = std::fs::remove_file(&draft);
        linked
    }

    /// Writes a file in place of what is there.
    fn replace(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        let draft = self.in_place(path, text)?;
        let renamed = std::fs::rename(&draft, path);
        if renamed.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        renamed
    }
}

/// Removes what runs have left behind long ago: their units, their batches, and drafts of files.
fn remove_left(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let is_of_run = directory.ends_with("units")
            || directory.ends_with(BATCHES)
            || entry.file_name().to_string_lossy().starts_with("draft-");
        let age = entry.metadata().and_then(|data| data.modified());
        let is_old = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LEFT));
        if is_of_run && is_old {
            let path = entry.path();
            // Somebody else may have been faster.
            let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_report::model::VerdictName;

    fn record(tried: u64, verdict: VerdictName) -> Record {
        Record {
            key: "abcdef".into(),
            verdict,
            reason: None,
            limited: verdict == VerdictName::Unknown,
            findings: Vec::new(),
            assumptions: Vec::new(),
            engine: None,
            tried,
            lacked: None,
            seconds: 0.5,
            memory: 10,
            anchors: Default::default(),
        }
    }

    #[test]
    fn what_is_final_is_written_once_and_more_time_wins() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a cache");
        assert_eq!(store.get("abcdef"), None);
        for tried in [4, 1, 16] {
            store.put(&record(tried, VerdictName::Unknown)).expect("written");
        }
        assert_eq!(store.get("abcdef").map(|record| record.tried), Some(16));
        // With as much time, but it lacked memory; then with more of that, and then it lacked none.
        for (lacked, tried, kept) in
            [(Some(500), 16, None), (Some(500), 17, Some(500)), (Some(100), 17, Some(500))]
        {
            store.put(&Record { lacked, ..record(tried, VerdictName::Unknown) }).expect("written");
            assert_eq!(store.get("abcdef").map(|record| record.lacked), Some(kept));
        }
        for lacked in [Some(1000), None] {
            store.put(&Record { lacked, ..record(17, VerdictName::Unknown) }).expect("written");
            assert_eq!(store.get("abcdef").map(|record| record.lacked), Some(lacked));
        }
        store.put(&record(60, VerdictName::True)).expect("written");
        store.put(&record(61, VerdictName::True)).expect("not written again");
        store.put(&record(99, VerdictName::Unknown)).expect("nothing new");
        let known = store.get("abcdef").expect("a record");
        assert_eq!((known.tried, known.verdict), (60, VerdictName::True));
        let left = std::fs::read_dir(directory.path()).expect("entries");
        assert!(left.flatten().all(|e| !e.file_name().to_string_lossy().starts_with("draft")));
    }

    #[test]
    fn what_is_broken_is_no_result() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path()).expect("a cache");
        store.put(&record(1, VerdictName::True)).expect("written");
        store.put_beside("abcdef", Beside::Report, "{}").expect("written");
        std::fs::write(store.path("abcdef", "json"), "{\"key\"").expect("broken");
        std::fs::write(store.path("abcdef", "report.json"), "{\"").expect("broken");
        assert_eq!(store.get("abcdef"), None);
        // Whoever finds it out again writes it.
        store.put_beside("abcdef", Beside::Report, "[1]").expect("written");
        store.put(&record(2, VerdictName::True)).expect("written");
        assert_eq!(store.get("abcdef").map(|record| record.tried), Some(2));
        assert_eq!(store.beside("abcdef", Beside::Report).as_deref(), Some("[1]"));
    }

    #[test]
    fn a_run_removes_its_own_units_only() {
        let directory = tempfile::tempdir().expect("a directory");
        let run = || {
            let run = Store::new_run(directory.path()).expect("a name");
            Store::of_run(directory.path(), &run).expect("a cache")
        };
        let (one, two) = (run(), run());
        for store in [&one, &two] {
            store.put_part("part", "text").expect("written");
            std::fs::write(store.unit_file("key"), "").expect("written");
        }
        one.end_run();
        assert!(!one.unit_file("key").exists() && two.unit_file("key").exists());
        assert_eq!(std::fs::read_to_string(two.part_file("part")).expect("a part"), "text");
    }

    #[test]
    fn what_killed_runs_have_left_is_removed_after_a_while() {
        let directory = tempfile::tempdir().expect("a directory");
        let of = |name: &str| directory.path().join(BATCHES).join(name);
        for name in ["old", "new"] {
            std::fs::create_dir_all(of(name)).expect("a directory");
            std::fs::write(of(name).join("tasks"), "").expect("written");
        }
        let old = std::fs::File::open(of("old")).expect("a directory");
        old.set_modified(SystemTime::now() - 2 * LEFT).expect("it is old");
        Store::new_run(directory.path()).expect("a name");
        assert!(!of("old").exists() && of("new").exists());
    }
}
