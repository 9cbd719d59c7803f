//! `gnomon capture -- make`: writes down what a build compiles, archives and links.
//!
//! A directory with scripts that are called like the compilers and archivers stands first in `PATH` while
//! the build runs; each script notes its words and calls the real program. So nothing of the build
//! changes, it may be parallel, and no tracing of processes is needed. What a build calls by its full
//! path is not seen, unless `CC` or `AR` says it; then those are replaced too.
//!
//! Afterwards commands are kept whose sources are still there (the tries of `configure` are not), as
//! `compile_commands.json` and as [`LINKS`](crate::commands::LINKS). What was written down of earlier builds and
//! was not made anew stays: a build that compiles one changed file says nothing of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::commands::{self, Entry, LINKS, Link, LinkKind, Word, is_c, plain, words};
use crate::{ProjectError, write_whole};

/// What was noted of a build.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// How files were compiled.
    pub entries: Vec<Entry>,
    /// What was linked.
    pub links: Vec<Link>,
    /// How many of the compilations are from earlier builds.
    pub kept: usize,
    /// How many calls of compilers and archivers there were.
    pub calls: usize,
    /// What the build returned.
    pub status: i32,
}

/// What a program does that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Compiler,
    Archiver,
    Linker,
}

/// What a program of that name is, if it is one to watch: `gcc`, `x86_64-linux-gnu-gcc-12`, `llvm-ar`.
fn tool(name: &str) -> Option<Tool> {
    let is_version = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let name = match name.rsplit_once('-') {
        Some((front, version)) if !version.is_empty() && is_version(version) => front,
        _ => name,
    };
    match name.rsplit('-').next().unwrap_or(name) {
        "cc" | "gcc" | "clang" | "c99" | "c89" | "c11" | "tcc" | "icx" => Some(Tool::Compiler),
        "ar" => Some(Tool::Archiver),
        "ld" => Some(Tool::Linker),
        _ => None,
    }
}

/// Runs a build and writes down what it did; `into` is where the two files go.
pub fn capture(build: &[OsString], into: &Path, scratch: &Path) -> Result<Captured, ProjectError> {
    let before = written_before(into)?;
    let (shims, notes) = (scratch.join("bin"), scratch.join("notes"));
    for directory in [&shims, &notes] {
        std::fs::create_dir_all(directory).map_err(|e| ProjectError::file(directory, e))?;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    for (name, real) in programs(&path) {
        write_shim(&shims.join(&name), &name, &real)?;
    }
    let mut all = vec![shims.clone()];
    all.extend(std::env::split_paths(&path));
    let new_path = std::env::join_paths(all)
        .map_err(|error| ProjectError::Capture(format!("PATH cannot be extended: {error}")))?;
    let Some((program, arguments)) = build.split_first() else {
        return Err(ProjectError::Capture(
            "a command is needed, as in `gnomon capture -- make`".into(),
        ));
    };
    let mut command = Command::new(program);
    command.args(arguments).env("PATH", new_path).env("GNOMON_CAPTURE", &notes);
    for variable in ["CC", "AR", "LD"] {
        if let Some(shim) = shim_of(variable, &shims)? {
            command.env(variable, shim);
        }
    }
    let status = command.status().map_err(|error| {
        ProjectError::Capture(format!("`{}` cannot be started: {error}", program.to_string_lossy()))
    })?;
    let mut captured = noted(&notes)?;
    captured.status = status.code().unwrap_or(1);
    captured.merge(before);
    let write = |name: &str, text: serde_json::Result<String>| {
        let text = text.map_err(|error| ProjectError::Capture(error.to_string()))? + "\n";
        let file = into.join(name);
        write_whole(&file, &text).map_err(|error| ProjectError::file(&file, error))
    };
    if !captured.entries.is_empty() {
        write("compile_commands.json", serde_json::to_string_pretty(&captured.entries))?;
        write(LINKS, serde_json::to_string_pretty(&captured.links))?;
    }
    Ok(captured)
}

/// What is known of earlier builds.
fn written_before(into: &Path) -> Result<(Vec<Entry>, Vec<Link>), ProjectError> {
    let file = into.join("compile_commands.json");
    match file.exists() {
        true => Ok((commands::read(&file)?, commands::read_links(&file)?)),
        false => Ok((Vec::new(), Vec::new())),
    }
}

/// The source of a compilation and what it becomes; of what cannot be read, the source.
fn source_and_output(entry: &Entry) -> (PathBuf, Option<PathBuf>) {
    match entry.compilation() {
        Ok(compilation) => (compilation.file, compilation.output),
        Err(_) => (plain(&entry.directory.join(&entry.file)), None),
    }
}

impl Captured {
    /// Takes over from earlier builds what this one has not made anew, as far as it is still there.
    fn merge(&mut self, (entries, links): (Vec<Entry>, Vec<Link>)) {
        let made: BTreeSet<_> = self.entries.iter().map(source_and_output).collect();
        let is_there = |directory: &Path, file: &str| directory.join(file).exists();
        let mut all: Vec<Entry> = entries;
        all.retain(|entry| {
            entry.directory.join(&entry.file).exists() && !made.contains(&source_and_output(entry))
        });
        self.kept = all.len();
        all.append(&mut self.entries);
        self.entries = all;
        let place = |link: &Link| plain(&link.directory.join(&link.output));
        let mut all: Vec<Link> = Vec::new();
        for before in links.into_iter().filter(|link| place(link).exists()) {
            let Some(now) = self.links.iter_mut().find(|link| place(link) == place(&before)) else {
                all.push(before);
                continue;
            };
            if (before.kind, now.kind) != (LinkKind::Archive, LinkKind::Archive) {
                continue;
            }
            // An archive gets those of its members again that have changed.
            let known: BTreeSet<PathBuf> =
                now.inputs.iter().map(|input| plain(&now.directory.join(input))).collect();
            for input in before.inputs.iter().filter(|input| is_there(&before.directory, input)) {
                let path = plain(&before.directory.join(input));
                if !known.contains(&path) {
                    now.inputs.push(match before.directory == now.directory {
                        true => input.clone(),
                        false => path.display().to_string(),
                    });
                }
            }
        }
        all.append(&mut self.links);
        self.links = all;
    }
}

/// The programs to watch, by name, each where `PATH` finds it first.
fn programs(path: &OsString) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for directory in std::env::split_paths(path) {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if tool(&name).is_some() {
                found.entry(name).or_insert_with(|| entry.path());
            }
        }
    }
    found
}

/// Where a variable names a program by its path, a script that is called in its place.
fn shim_of(variable: &str, shims: &Path) -> Result<Option<OsString>, ProjectError> {
    let Ok(value) = std::env::var(variable) else { return Ok(None) };
    let Some(words) = shlex::split(&value) else { return Ok(None) };
    let Some(first) = words.first().filter(|first| first.contains('/')) else { return Ok(None) };
    let name = Path::new(first).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let directory = shims.with_file_name("named");
    std::fs::create_dir_all(&directory).map_err(|e| ProjectError::file(&directory, e))?;
    let shim = directory.join(name);
    write_shim(&shim, name, Path::new(first))?;
    let mut value = shim.into_os_string();
    for word in &words[1..] {
        value.push(" ");
        value.push(word);
    }
    Ok(Some(value))
}

/// A script that notes its words, each call in a file of its own, and becomes the real program. A call
/// that cannot be noted is made all the same.
fn write_shim(file: &Path, name: &str, real: &Path) -> Result<(), ProjectError> {
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let text = format!(
        "#!/bin/sh\nn=0\nwhile [ $n -lt 1000 ] && ! (set -C; : > \"$GNOMON_CAPTURE/$$.$n\") 2>/dev/null\n\
         do n=$((n+1)); done\n\
         printf '%s\\0' \"$PWD\" {} \"$@\" > \"$GNOMON_CAPTURE/$$.$n\" 2>/dev/null\n\
         exec {} \"$@\"\n",
        quote(name),
        quote(&real.to_string_lossy())
    );
    let problem = |error| ProjectError::file(file, error);
    std::fs::write(file, text).map_err(problem)?;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).map_err(problem)
}

/// Reads what was noted, in the order of time.
fn noted(notes: &Path) -> Result<Captured, ProjectError> {
    let entries = std::fs::read_dir(notes).map_err(|error| ProjectError::file(notes, error))?;
    let mut calls: Vec<(SystemTime, PathBuf, Vec<String>)> = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        let time =
            entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let words =
            text.strip_suffix('\0').map(|text| text.split('\0').map(str::to_owned).collect());
        calls.extend(words.map(|words| (time, entry.path(), words)));
    }
    calls.sort();
    let count = calls.len();
    let mut build = Build::default();
    for (_, _, words) in calls {
        build.call(&words);
    }
    Ok(Captured { calls: count, ..build.captured() })
}

/// A source, what it becomes, and a number where that was taken and then made again.
type Made = (PathBuf, PathBuf, usize);

/// What is known of a build so far.
#[derive(Default)]
struct Build {
    /// By source and output, which of a command that links, too, is what it links. Of several commands for
    /// one output the last counts, and those whose output somebody took before.
    entries: BTreeMap<Made, (usize, Entry)>,
    /// By output.
    links: BTreeMap<PathBuf, (usize, Link)>,
    /// Objects that went into something.
    taken: BTreeSet<PathBuf>,
    /// How many entries and links there were.
    number: usize,
}

impl Build {
    fn call(&mut self, call: &[String]) {
        let [directory, name, arguments @ ..] = call else { return };
        let directory = Path::new(directory);
        match tool(name) {
            Some(Tool::Compiler) => self.compiler(directory, name, arguments),
            Some(Tool::Archiver) => self.archiver(directory, arguments),
            Some(Tool::Linker) if arguments.iter().any(|word| word == "-r") => {
                self.link(directory, arguments, LinkKind::Object);
            }
            Some(Tool::Linker) | None => {}
        }
    }

    fn compiler(&mut self, directory: &Path, name: &str, arguments: &[String]) {
        let all = words(arguments);
        let has = |option: &str| all.contains(&Word::Option(option, None));
        if has("-E") || has("-M") || has("-MM") {
            return;
        }
        let operands = all.iter().filter_map(|word| match word {
            Word::Operand(operand) => Some(*operand),
            Word::Option(..) => None,
        });
        let sources: Vec<&str> = operands.filter(|operand| is_c(operand)).collect();
        let named = all.iter().find_map(|word| match word {
            Word::Option("-o", output) => output.map(PathBuf::from),
            _ => None,
        });
        let only_compiles = has("-c") || has("-S") || has("-fsyntax-only");
        for source in &sources {
            let mut own = vec![name.to_owned()];
            own.extend(
                arguments.iter().filter(|a| a == source || !sources.contains(&a.as_str())).cloned(),
            );
            let stem = Path::new(source).file_stem().unwrap_or_default();
            let output = match (only_compiles, &named) {
                (true, Some(output)) => Some(output.clone()),
                (true, None) => Some(PathBuf::from(stem).with_extension("o")),
                (false, _) => None,
            };
            let linked = named.clone().unwrap_or_else(|| PathBuf::from("a.out"));
            let made = plain(&directory.join(output.as_ref().unwrap_or(&linked)));
            let entry = Entry {
                directory: directory.to_owned(),
                file: PathBuf::from(source),
                arguments: Some(own),
                command: None,
                output,
            };
            self.made(plain(&directory.join(source)), made, entry);
        }
        if !only_compiles {
            let kind = match (has("-shared"), has("-r")) {
                (true, _) => LinkKind::Shared,
                (_, true) => LinkKind::Object,
                _ => LinkKind::Program,
            };
            self.link(directory, arguments, kind);
        }
    }

    /// Takes over how something is made. What was made before under the same name is forgotten, unless it has
    /// another configuration and is in something already.
    fn made(&mut self, source: PathBuf, output: PathBuf, entry: Entry) {
        let number = self.next();
        let is_taken = self.taken.remove(&output);
        let of_both =
            (source.clone(), output.clone(), 0)..=(source.clone(), output.clone(), usize::MAX);
        let last =
            self.entries.range(of_both).next_back().map(|((_, _, n), (_, e))| (*n, e.clone()));
        let serial = match last {
            Some((serial, before)) if is_taken && before != entry => serial + 1,
            Some((serial, _)) => serial,
            None => 0,
        };
        self.entries.insert((source, output, serial), (number, entry));
    }

    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    /// Remembers what went into something.
    fn take(&mut self, directory: &Path, inputs: &[String]) {
        self.taken.extend(inputs.iter().map(|input| plain(&directory.join(input))));
    }

    fn link(&mut self, directory: &Path, arguments: &[String], kind: LinkKind) {
        let mut link = Link {
            directory: directory.to_owned(),
            output: PathBuf::from("a.out"),
            kind,
            inputs: Vec::new(),
            search: Vec::new(),
        };
        for word in words(arguments) {
            match word {
                Word::Operand(operand) => link.inputs.push(operand.to_owned()),
                Word::Option("-o", Some(output)) => link.output = output.into(),
                Word::Option("-l", Some(name)) => link.inputs.push(format!("-l{name}")),
                Word::Option("-L", Some(place)) => link.search.push(place.into()),
                Word::Option(option, _) if option.starts_with("-l") => {
                    link.inputs.push(option.to_owned());
                }
                Word::Option(option, _) if option.starts_with("-L") => {
                    link.search.push(option[2..].into());
                }
                Word::Option(..) => {}
            }
        }
        if link.inputs.iter().any(|input| !input.starts_with("-l")) {
            let number = self.next();
            self.take(directory, &link.inputs);
            self.links.insert(plain(&directory.join(&link.output)), (number, link));
        }
    }

    fn archiver(&mut self, directory: &Path, arguments: &[String]) {
        let mut rest = arguments.iter().filter(|word| !word.starts_with("--")).peekable();
        let Some(operation) = rest.next() else { return };
        let operation = operation.strip_prefix('-').unwrap_or(operation);
        if !operation.contains(['r', 'q']) || operation.contains(['t', 'x', 'd']) {
            return;
        }
        let Some(output) = rest.find(|word| !word.starts_with('-')) else { return };
        let members: Vec<String> = rest.filter(|word| !word.starts_with('-')).cloned().collect();
        let key = plain(&directory.join(output));
        let number = self.next();
        self.take(directory, &members);
        let (_, link) = self.links.entry(key).or_insert_with(|| {
            let link = Link {
                directory: directory.to_owned(),
                output: output.into(),
                kind: LinkKind::Archive,
                inputs: Vec::new(),
                search: Vec::new(),
            };
            (number, link)
        });
        // An archive grows; its members are told from where it was made first.
        for member in members {
            let member = match link.directory == directory {
                true => member,
                false => plain(&directory.join(member)).display().to_string(),
            };
            if !link.inputs.contains(&member) {
                link.inputs.push(member);
            }
        }
    }

    /// What is left: sources and results that are there.
    fn captured(self) -> Captured {
        let is_there = |directory: &Path, file: &Path| directory.join(file).exists();
        let mut entries: Vec<(usize, Entry)> = self.entries.into_values().collect();
        entries.retain(|(_, entry)| is_there(&entry.directory, &entry.file));
        entries.sort_by_key(|(number, _)| *number);
        let mut links: Vec<(usize, Link)> = self.links.into_values().collect();
        links.retain(|(_, link)| {
            let mut sources = link.inputs.iter().filter(|input| commands::is_c(input));
            sources.all(|input| is_there(&link.directory, Path::new(input)))
                && is_there(&link.directory, &link.output)
        });
        links.sort_by_key(|(number, _)| *number);
        Captured {
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            links: links.into_iter().map(|(_, link)| link).collect(),
            kept: 0,
            calls: 0,
            status: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_name() {
        assert_eq!(tool("x86_64-linux-gnu-gcc-12"), Some(Tool::Compiler));
        assert_eq!(tool("clang-16"), Some(Tool::Compiler));
        assert_eq!(tool("llvm-ar"), Some(Tool::Archiver));
        assert_eq!(tool("g++"), None);
        assert_eq!(tool("tar"), None);
    }

    #[test]
    fn one_command_may_compile_and_link() {
        let mut build = Build::default();
        let call = ["/p", "gcc", "-O2", "a.c", "b.c", "-o", "prog", "-L", "lib", "-lz"];
        build.call(&call.map(str::to_owned));
        assert_eq!(build.entries.len(), 2);
        let first = &build.entries[&("/p/a.c".into(), "/p/prog".into(), 0)].1;
        assert!(!first.arguments.as_ref().expect("words").contains(&"b.c".to_owned()));
        let (_, link) = &build.links[Path::new("/p/prog")];
        assert_eq!(link.inputs, ["a.c", "b.c", "-lz"]);
        assert_eq!((link.kind, &link.search[..]), (LinkKind::Program, &[PathBuf::from("lib")][..]));
    }

    #[test]
    fn configurations_of_one_source_are_kept() {
        let commands = |calls: &[&[&str]]| {
            let mut build = Build::default();
            for call in calls {
                let words = ["/p", "gcc"].iter().chain(call.iter()).map(|word| (*word).to_owned());
                build.call(&words.collect::<Vec<_>>());
            }
            build.entries.into_values().map(|(_, entry)| entry.arguments).collect::<Vec<_>>()
        };
        // To two programs, and to one object that is linked between.
        assert_eq!(commands(&[&["-DA", "a.c", "-o", "a"], &["-DB", "a.c", "-o", "b"]]).len(), 2);
        let again: [&[&str]; 3] =
            [&["-DA", "-c", "a.c"], &["a.o", "-o", "a"], &["-DB", "-c", "a.c"]];
        assert_eq!(commands(&again).len(), 2);
        // What nobody took is no configuration, and neither is the same again.
        assert_eq!(commands(&[&["-DA", "-c", "a.c"], &["-DB", "-c", "a.c"]]).len(), 1);
        assert_eq!(commands(&[again[0], again[1], again[0]]).len(), 1);
    }

    #[test]
    fn archives_grow() {
        let mut build = Build::default();
        build.call(&["/p", "ar", "cr", "liba.a", "a.o"].map(str::to_owned));
        build.call(&["/p", "ar", "-q", "liba.a", "b.o", "a.o"].map(str::to_owned));
        build.call(&["/p", "ar", "t", "liba.a"].map(str::to_owned));
        assert_eq!(build.links[Path::new("/p/liba.a")].1.inputs, ["a.o", "b.o"]);
    }

    #[test]
    fn an_incremental_build_forgets_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().display().to_string();
        for file in ["a.c", "b.c", "a.o", "b.o", "lib.a"] {
            std::fs::write(directory.path().join(file), "").expect("a file");
        }
        let build = |calls: &[&str]| {
            let mut build = Build::default();
            for call in calls {
                let words = std::iter::once(place.as_str()).chain(call.split(' '));
                build.call(&words.map(str::to_owned).collect::<Vec<_>>());
            }
            build.captured()
        };
        let first = build(&["cc -c a.c", "cc -c b.c", "cc -c gone.c", "ar cr lib.a a.o b.o"]);
        let mut second = build(&["cc -O2 -c b.c", "ar r lib.a b.o"]);
        second.merge((first.entries, first.links));
        let words: Vec<String> = second
            .entries
            .iter()
            .map(|entry| entry.arguments.as_ref().expect("words").join(" "))
            .collect();
        assert_eq!(words, ["cc -c a.c", "cc -O2 -c b.c"]);
        assert_eq!((second.kept, second.links.len()), (1, 1));
        assert_eq!(second.links[0].inputs, ["b.o", "a.o"]);
    }
}
