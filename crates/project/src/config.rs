//! `gnomon.toml`: what is checked in a project, and how.
//!
//! Everything has a default, so an empty file is a good one. Words that are not known are errors with the
//! line they stand in, since a misspelt option that is ignored would silently check something else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gnomon_ir::library::ERROR_FUNCTIONS;
use gnomon_ir::property::{CheckKind, Property};
use gnomon_verify::request::UnknownFunctions;
use gnomon_verify::specs;
use serde::{Deserialize, Serialize};

use crate::ProjectError;

/// The name of the file.
pub const FILE: &str = "gnomon.toml";

/// What `gnomon init` writes.
pub const TEMPLATE: &str = include_str!("gnomon.toml");

/// What is checked in a project, and how.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Config {
    /// The commands of the build.
    pub compile_commands: PathBuf,
    /// Where results are kept; a directory that several machines may share.
    pub cache: PathBuf,
    /// Groups of what must not happen.
    pub properties: Vec<String>,
    /// Where checks begin.
    pub entries: Entries,
    /// Files that are not looked at: no function of theirs is an entry, nothing in them is reported.
    pub exclude: Vec<String>,
    /// C files that belong to every program, with entries of their own.
    pub harness: Vec<PathBuf>,
    /// Findings that are known.
    pub baseline: PathBuf,
    /// What makes the run fail.
    pub fail_on: FailOn,
    /// Limits.
    pub limits: Limits,
    /// What is taken for granted.
    pub assumptions: Assumptions,
    /// Programs and libraries that differ from the rest.
    pub target: Vec<TargetConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            compile_commands: "compile_commands.json".into(),
            cache: ".gnomon/cache".into(),
            properties: ["assert", "memory", "division", "overflow"].map(str::to_owned).to_vec(),
            entries: Entries::default(),
            exclude: Vec::new(),
            harness: Vec::new(),
            baseline: "gnomon-baseline.json".into(),
            fail_on: FailOn::New,
            limits: Limits::default(),
            assumptions: Assumptions::default(),
            target: Vec::new(),
        }
    }
}

/// Where checks begin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "\"auto\", \"main\", \"exported\", \"all\" or names are needed")]
pub enum Entries {
    /// One of four words.
    Word(EntriesWord),
    /// These functions.
    Names(Vec<String>),
}

impl Default for Entries {
    fn default() -> Self {
        Self::Word(EntriesWord::Auto)
    }
}

/// Where checks begin, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntriesWord {
    /// `main` of programs, exported functions of libraries.
    Auto,
    /// `main`.
    Main,
    /// Every function that other files can call, with anything as arguments.
    Exported,
    /// Every function, with anything as arguments.
    All,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Findings that are not in the baseline.
    New,
    /// Any finding.
    Any,
    /// Nothing.
    Never,
}

/// Limits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Limits {
    /// Processor time of each attempt at a unit, in seconds.
    pub rounds: Vec<u64>,
    /// Memory of a unit in the last round, in MB; earlier rounds have less.
    pub memory: u64,
    /// Memory of all units together, in MB; of this machine four fifths of what is free if not given.
    pub total_memory: Option<u64>,
    /// How many units at once; as many as there are processors if not given.
    pub jobs: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rounds: vec![1, 4, 16, 60], memory: 4000, total_memory: None, jobs: None }
    }
}

/// What is taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Assumptions {
    /// What functions do that have no body and no model.
    pub unknown_functions: Unknown,
    /// Whether allocations can fail.
    pub malloc_may_fail: bool,
    /// A directory with models of functions.
    pub models: Option<PathBuf>,
}

/// What functions do that have no body and no model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// Return anything; unsound.
    Pure,
    /// Also write what their arguments reach.
    #[default]
    Args,
    /// Also write all memory that is not private, and call back.
    Anything,
}

impl From<Unknown> for UnknownFunctions {
    fn from(unknown: Unknown) -> Self {
        match unknown {
            Unknown::Pure => Self::Pure,
            Unknown::Args => Self::Args,
            Unknown::Anything => Self::Anything,
        }
    }
}

/// A program or library that differs from the rest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TargetConfig {
    /// The name of its file, as the build calls it.
    pub name: String,
    /// Where checks of it begin.
    pub entries: Option<Entries>,
    /// Groups of what must not happen in it.
    pub properties: Option<Vec<String>>,
    /// It is not checked.
    #[serde(default)]
    pub skip: bool,
}

impl Limits {
    /// Whether something can be done within them.
    pub fn are_possible(&self) -> Result<(), String> {
        let given = [
            ("jobs", self.jobs == Some(0)),
            ("memory", self.memory == 0),
            ("total-memory", self.total_memory == Some(0)),
        ];
        match given.into_iter().find(|(_, is_nothing)| *is_nothing) {
            Some((name, _)) => Err(format!("limits.{name}: a number above 0 is needed")),
            None => Ok(()),
        }
    }
}

impl TargetConfig {
    /// Whether it is about a program or library of this name.
    pub fn is_about(&self, name: &str) -> bool {
        let file = Path::new(name).file_name().and_then(|file| file.to_str());
        self.name == name || Some(self.name.as_str()) == file
    }
}

impl Config {
    /// Reads a file; without one, everything is as by default.
    pub fn read(path: &Path) -> Result<Self, ProjectError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text)
                .map_err(|problem| ProjectError::Config { path: path.to_owned(), problem }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ProjectError::file(path, error)),
        }
    }

    /// Reads a text; problems are told with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if config.limits.rounds.is_empty() || config.limits.rounds.contains(&0) {
            return Err("limits.rounds: seconds above 0 are needed, as in [1, 4, 16, 60]".into());
        }
        if !config.limits.rounds.is_sorted() {
            return Err("limits.rounds: each round is at least as long as the one before".into());
        }
        config.limits.are_possible()?;
        for name in config.properties() {
            Group::named(name)?;
        }
        Ok(config)
    }

    /// The names of all groups that are asked for.
    pub fn properties(&self) -> impl Iterator<Item = &String> {
        let of_targets = self.target.iter().flat_map(|target| &target.properties);
        of_targets.flatten().chain(&self.properties)
    }

    /// What is said of a program or library by name.
    pub fn target(&self, name: &str) -> Option<&TargetConfig> {
        self.target.iter().find(|target| target.is_about(name))
    }

    /// Whether a file is not looked at.
    pub fn is_excluded(&self, file: &str) -> bool {
        self.exclude.iter().any(|pattern| matches(pattern, file))
    }
}

/// Whether a path fits a pattern: `*` is anything but `/`, `**` is anything, `?` is one letter; a
/// pattern that ends in `/` stands for all that is below, one without `/` for names of files.
pub fn matches(pattern: &str, path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    let below = pattern.strip_suffix('/').map(|start| format!("{start}/**"));
    let pattern = below.as_deref().unwrap_or(pattern);
    match pattern.contains('/') {
        true => fits(pattern.as_bytes(), path.as_bytes()),
        false => fits(pattern.as_bytes(), path.rsplit('/').next().unwrap_or(path).as_bytes()),
    }
}

fn fits(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', b'*', b'/', rest @ ..] if fits(rest, text) => true,
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|n| fits(rest, &text[n..])),
        [b'*', rest @ ..] => {
            let most = text.iter().position(|&b| b == b'/').unwrap_or(text.len());
            (0..=most).any(|n| fits(rest, &text[n..]))
        }
        [b'?', rest @ ..] => text.first().is_some_and(|&b| b != b'/') && fits(rest, &text[1..]),
        [first, rest @ ..] => text.first() == Some(first) && fits(rest, &text[1..]),
    }
}

/// What is asked in one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name in `gnomon.toml`.
    pub name: String,
    /// What must not happen.
    pub properties: Vec<Property>,
}

impl Group {
    /// The group of a name.
    pub fn named(name: &str) -> Result<Self, String> {
        let undefined =
            |kinds: &[CheckKind]| kinds.iter().copied().map(Property::Undefined).collect();
        let properties: Vec<Property> = match name {
            "assert" => ERROR_FUNCTIONS.map(|name| Property::Call(name.to_owned())).to_vec(),
            "memory" => undefined(&[CheckKind::Access, CheckKind::Free]),
            "leak" => undefined(&[CheckKind::Leak]),
            "division" => undefined(&[CheckKind::Division]),
            "overflow" => undefined(&[CheckKind::Overflow]),
            "shift" => undefined(&[CheckKind::Shift]),
            "bounds" => undefined(&[CheckKind::Bounds]),
            "null" => undefined(&[CheckKind::Null]),
            _ => match name.strip_prefix("spec:") {
                Some(spec) if !spec.is_empty() => {
                    // Those that are files are looked at where the project is.
                    if specs::file_of(spec).is_none() {
                        specs::read(spec, &BTreeMap::new()).map_err(|error| error.to_string())?;
                    }
                    vec![Property::Spec(spec.to_owned())]
                }
                _ => {
                    return Err(format!(
                        "there is no property `{name}`: choose from assert, memory, division, \
                         overflow, shift, bounds, null, leak, or spec:NAME (see gnomon specs)"
                    ));
                }
            },
        };
        Ok(Self { name: name.to_owned(), properties })
    }

    /// Whether sites can be decided one by one.
    pub fn has_single_sites(&self) -> bool {
        let is_plain = |property: &Property| match property {
            Property::Undefined(kind) => !kind.is_of_memory(),
            Property::Call(_) => true,
            _ => false,
        };
        self.properties.iter().all(is_plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_says_what_holds_anyway() {
        assert_eq!(Config::parse(TEMPLATE).expect("it is read"), Config::default());
    }

    #[test]
    fn what_is_misspelt_is_an_error_with_its_line() {
        let problem = Config::parse("cache = \"x\"\npropertys = []\n").expect_err("misspelt");
        assert!(problem.contains("line 2") && problem.contains("propertys"), "{problem}");
        let problem = Config::parse("properties = [\"asserts\"]").expect_err("no such group");
        assert!(problem.contains("choose from assert"), "{problem}");
        let problem = Config::parse("properties = [\"spec:nosuch\"]").expect_err("no such spec");
        assert!(problem.contains("no spec `nosuch`"), "{problem}");
        let problem =
            Config::parse("properties = [\"spec:file:closed=on\"]").expect_err("misspelt");
        assert!(problem.contains("no option of spec `file`"), "{problem}");
        assert!(Config::parse("properties = [\"spec:file:closed_at_exit=on\"]").is_ok());
        let problem = Config::parse("[limits]\nrounds = [4, 1]").expect_err("shorter");
        assert!(problem.contains("rounds"), "{problem}");
        for name in ["jobs", "memory", "total-memory"] {
            let problem = Config::parse(&format!("[limits]\n{name} = 0")).expect_err("nothing");
            assert!(problem.contains(&format!("limits.{name}")), "{problem}");
        }
    }

    #[test]
    fn entries_are_a_word_or_names() {
        let entries = |text| Config::parse(text).map(|config| config.entries);
        assert_eq!(entries(""), Ok(Entries::Word(EntriesWord::Auto)));
        assert_eq!(entries("entries = \"exported\""), Ok(Entries::Word(EntriesWord::Exported)));
        assert_eq!(entries("entries = [\"f\"]"), Ok(Entries::Names(vec!["f".into()])));
        assert!(entries("entries = \"everything\"").is_err());
    }

    #[test]
    fn patterns_are_those_of_shells() {
        assert!(matches("tests/**", "tests/a/b.c") && matches("tests/", "tests/b.c"));
        assert!(matches("*.gen.c", "src/x.gen.c") && !matches("src/*.c", "src/a/b.c"));
        assert!(matches("**/t?.c", "a/b/t1.c") && matches("**/t.c", "t.c"));
        assert!(!matches("tests/**", "src/tests.c"));
    }
}
