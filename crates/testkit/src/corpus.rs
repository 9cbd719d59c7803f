//! The programs of `tests`, in the order of their names.

use std::path::{Path, PathBuf};

use gnomon_ir::program::Program;

use crate::header::Header;
use crate::reader::Reader;

/// A test program.
#[derive(Clone, Debug)]
pub struct Case {
    /// `AREA/FILE`, below the folder it was found in.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
    /// What it says of itself.
    pub header: Header,
}

impl Case {
    /// The program, with models of library functions.
    #[track_caller]
    pub fn program(&self) -> Program {
        Reader::default().with_models().file(&self.file)
    }
}

/// The folder `tests` of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// All programs of `tests/programs`.
pub fn programs() -> Vec<Case> {
    cases("programs")
}

/// The programs of an area of `tests/programs`.
pub fn area(name: &str) -> Vec<Case> {
    named(programs(), name)
}

/// The programs for a spec, of `tests/specs`.
pub fn specs(spec: &str) -> Vec<Case> {
    named(cases("specs"), spec)
}

/// The programs of `tests/threads`.
pub fn threads() -> Vec<Case> {
    cases("threads")
}

/// The areas of `tests/programs` whose programs have verdicts, in order.
pub fn areas() -> Vec<String> {
    let mut areas: Vec<String> = folders(&root().join("programs"));
    areas.retain(|area| area != "interp");
    areas
}

fn named(mut cases: Vec<Case>, folder: &str) -> Vec<Case> {
    cases.retain(|case| case.name.starts_with(&format!("{folder}/")));
    assert!(!cases.is_empty(), "there are no programs in {folder}");
    cases
}

fn cases(part: &str) -> Vec<Case> {
    let folder = root().join(part);
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    let cases = files.into_iter().filter_map(|file| {
        let name = file.strip_prefix(&folder).expect("below it").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("a text");
        match Header::parse(&text) {
            Ok(header) => Some(Case { name, file, text, header }),
            Err(what) => {
                wrong.push(format!("{name}: {what}"));
                None
            }
        }
    });
    let cases: Vec<Case> = cases.collect();
    assert!(wrong.is_empty(), "programs of {part} with a bad header:\n{}", wrong.join("\n"));
    cases
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

fn folders(folder: &Path) -> Vec<String> {
    let folders = entries(folder).into_iter().filter(|path| path.is_dir());
    let mut names: Vec<String> =
        folders.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Expected;

    #[test]
    fn all_programs_have_good_headers() {
        let programs = programs();
        assert!(programs.len() >= 500, "{}", programs.len());
        assert!(threads().len() >= 60);
        assert!(programs.is_sorted_by_key(|case| case.file.clone()));
        for case in &programs {
            let runs = matches!(case.header.expected, Expected::Run(_));
            assert_eq!(runs, case.name.starts_with("interp/"), "{}", case.name);
        }
    }

    #[test]
    fn an_area_has_its_own_programs_only() {
        let loops = area("loops");
        assert!(loops.iter().all(|case| case.file.to_string_lossy().contains("programs/loops/")));
        let all: usize = areas().iter().map(|name| area(name).len()).sum();
        assert_eq!(all + area("interp").len(), programs().len());
    }
}
