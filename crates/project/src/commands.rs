//! The commands of a build: `compile_commands.json`, and beside it what was linked.
//!
//! `compile_commands.json` (the format is that of Clang) says how each file was compiled. How objects
//! become programs and libraries it does not say; `gnomon capture` writes that into a second file,
//! [`LINKS`], beside it. A command is taken apart only as far as needed: what decides the text that the
//! compiler sees is kept word for word, the rest is dropped.

use std::path::{Path, PathBuf};

use gnomon_cfront::preprocess::Machine;
use serde::{Deserialize, Serialize};

use crate::ProjectError;

/// What `gnomon capture` knows of links, beside `compile_commands.json`.
pub const LINKS: &str = "link_commands.json";

/// How a file is compiled, as it stands in `compile_commands.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where the command was called.
    pub directory: PathBuf,
    /// The source, from there.
    pub file: PathBuf,
    /// The words of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// The command as a shell takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What it writes, from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
}

/// What a link or an archive is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where the command was called.
    pub directory: PathBuf,
    /// What it writes, from there.
    pub output: PathBuf,
    /// What it is.
    pub kind: LinkKind,
    /// Objects, archives and shared libraries, from there, in order; `-lNAME` as it is.
    pub inputs: Vec<String>,
    /// Where `-lNAME` is looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<PathBuf>,
}

/// What a link makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A program.
    Program,
    /// A shared library.
    Shared,
    /// An archive.
    Archive,
    /// Several objects as one.
    Object,
}

/// A translation unit: a source with everything that decides what the compiler sees of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilation {
    /// Where the command was called.
    pub directory: PathBuf,
    /// The source, as the command names it.
    pub given: PathBuf,
    /// The source, absolute.
    pub file: PathBuf,
    /// What it becomes, absolute, if that is known.
    pub output: Option<PathBuf>,
    /// The compiler.
    pub compiler: String,
    /// Its arguments that decide what it sees.
    pub arguments: Vec<String>,
    /// The name behind `-std=`.
    pub standard: Option<String>,
    /// The machine.
    pub machine: Machine,
}

/// Options of compilers whose argument is the next word.
const WITH_ARGUMENT: [&str; 26] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-imacros",
    "-iprefix",
    "-isysroot",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-L",
    "-l",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-T",
    "-u",
    "-z",
    "-A",
    "-wrapper",
    "--param",
];

/// A word of a command of a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// An option, and its argument if that is a word of its own.
    Option(&'a str, Option<&'a str>),
    /// A file, or something else that is no option.
    Operand(&'a str),
}

/// The words of a command behind the compiler.
pub fn words(arguments: &[String]) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        found.push(match word.as_str() {
            "-" => Word::Operand(word),
            option if WITH_ARGUMENT.contains(&option) => {
                Word::Option(option, rest.next().map(String::as_str))
            }
            option if option.starts_with('-') => Word::Option(option, None),
            operand => Word::Operand(operand),
        });
    }
    found
}

/// Whether a file is C.
pub fn is_c(file: &str) -> bool {
    matches!(Path::new(file).extension().and_then(|e| e.to_str()), Some("c" | "i"))
}

/// Reads `compile_commands.json`.
pub fn read(path: &Path) -> Result<Vec<Entry>, ProjectError> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ProjectError::NoCommands { path: path.to_owned() },
        _ => ProjectError::file(path, error),
    })?;
    let problem = |error: serde_json::Error| ProjectError::Config {
        path: path.to_owned(),
        problem: error.to_string(),
    };
    serde_json::from_str(&text).map_err(problem)
}

/// Reads what was linked, if that is known.
pub fn read_links(compile_commands: &Path) -> Result<Vec<Link>, ProjectError> {
    let path = compile_commands.with_file_name(LINKS);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ProjectError::file(&path, error)),
    };
    let problem =
        |error: serde_json::Error| ProjectError::Config { path, problem: error.to_string() };
    serde_json::from_str(&text).map_err(problem)
}

impl Entry {
    /// What the compiler sees, or why that is not known.
    pub fn compilation(&self) -> Result<Compilation, String> {
        let split = || self.command.as_deref().and_then(shlex::split);
        let Some(all) = self.arguments.clone().or_else(split).filter(|all| !all.is_empty()) else {
            return Err("the command cannot be split into words".into());
        };
        if !is_c(&self.file.to_string_lossy()) {
            return Err("it is no C".into());
        }
        let from = wrapped(&all);
        let (compiler, arguments) = (&all[from], &all[from + 1..]);
        let mut kept = Vec::new();
        let (mut standard, mut machine, mut output) = (None, Machine::Lp64, self.output.clone());
        for word in words(arguments) {
            match word {
                Word::Operand(_) => {}
                Word::Option("-o", argument) => {
                    output = output.or_else(|| argument.map(PathBuf::from));
                }
                Word::Option("-c" | "-S" | "-E" | "-pipe" | "-shared" | "-static" | "-g", _) => {}
                Word::Option("-L" | "-l" | "-Xlinker" | "-Xassembler" | "-T" | "-u" | "-z", _) => {}
                Word::Option("-x", _) => {}
                Word::Option(option, _) if option.starts_with("-M") => {}
                Word::Option(option, _)
                    if option.starts_with("-Wl,")
                        || option.starts_with("-Wa,")
                        || option.starts_with("-Wp,-M")
                        || option.starts_with("-L")
                        || option.starts_with("-l")
                        || option.starts_with("-flto") => {}
                Word::Option(option, argument) => {
                    standard = option.strip_prefix("-std=").map(str::to_owned).or(standard);
                    match option {
                        "-ansi" => standard = Some("c90".into()),
                        "-m32" => machine = Machine::Ilp32,
                        "-m64" => machine = Machine::Lp64,
                        _ => {}
                    }
                    kept.push(option.to_owned());
                    kept.extend(argument.map(str::to_owned));
                }
            }
        }
        let directory = self.directory.clone();
        Ok(Compilation {
            given: self.file.clone(),
            file: plain(&directory.join(&self.file)),
            output: output.map(|output| plain(&directory.join(output))),
            compiler: compiler.clone(),
            arguments: kept,
            standard,
            machine,
            directory,
        })
    }
}

/// Where the compiler stands behind programs that only call it.
fn wrapped(all: &[String]) -> usize {
    let is_wrapper = |word: &String| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        matches!(name, Some("ccache" | "distcc" | "sccache" | "icecc"))
    };
    match all {
        [first, _, ..] if is_wrapper(first) => 1,
        _ => 0,
    }
}

/// A path without `.` and `..`; links are not followed.
pub fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(command: &str) -> Entry {
        Entry {
            directory: "/p/build".into(),
            file: "../src/a.c".into(),
            arguments: None,
            command: Some(command.to_owned()),
            output: None,
        }
    }

    #[test]
    fn what_decides_the_text_is_kept() {
        let command = "ccache gcc -O2 -I ../include -DX='\"a b\"' -std=c99 -m32 -Wall -MD -MF a.d \
                       -c ../src/a.c -o a.o";
        let found = entry(command).compilation().expect("a compilation");
        assert_eq!(found.compiler, "gcc");
        assert_eq!(
            found.arguments,
            ["-O2", "-I", "../include", "-DX=\"a b\"", "-std=c99", "-m32", "-Wall"]
        );
        assert_eq!(found.file, Path::new("/p/src/a.c"));
        assert_eq!(found.output.as_deref(), Some(Path::new("/p/build/a.o")));
        assert_eq!((found.standard.as_deref(), found.machine), (Some("c99"), Machine::Ilp32));
    }

    #[test]
    fn what_is_no_c_is_told() {
        let other = Entry { file: "a.S".into(), ..entry("gcc -c a.S") };
        assert_eq!(other.compilation().expect_err("assembler"), "it is no C");
    }
}
