//! How a file is preprocessed: as `compile_commands.json` says, with what the settings add.

use std::path::{Path, PathBuf};

use gnomon_cfront::preprocess::{Machine, PreprocessOptions, PreprocessorFlag};
use gnomon_project::commands::{self, Word};

/// The file that says how a build compiles.
const COMMANDS: &str = "compile_commands.json";

/// What `compile_commands.json` says of a file: it is looked for beside the file and above, and there in
/// `build`; nothing if there is none, or if the file is not in it.
pub fn of_build(file: &Path) -> Vec<String> {
    let folders = file.ancestors().skip(1);
    let mut places = folders.flat_map(|folder| [folder.to_owned(), folder.join("build")]);
    let Some(entries) = places.find_map(|folder| commands::read(&folder.join(COMMANDS)).ok())
    else {
        return Vec::new();
    };
    let same = |entry: &&commands::Entry| entry.directory.join(&entry.file) == file;
    let Some(entry) = entries.iter().find(same) else { return Vec::new() };
    let words: Vec<String> = match (&entry.arguments, &entry.command) {
        (Some(words), _) => words.clone(),
        (None, Some(line)) => line.split_whitespace().map(str::to_owned).collect(),
        (None, None) => Vec::new(),
    };
    let mut found = Vec::new();
    for word in commands::words(words.get(1..).unwrap_or_default()) {
        let Word::Option(option, argument) = word else { continue };
        let wanted = ["-I", "-isystem", "-D", "-U", "-include", "-std", "-m32", "-m64"];
        if !wanted.iter().any(|start| option.starts_with(start)) {
            continue;
        }
        // Directories are those of the build.
        let place = |path: &str| entry.directory.join(path).display().to_string();
        match (option.strip_prefix("-I").filter(|dir| !dir.is_empty()), option, argument) {
            (Some(directory), _, _) => found.push(format!("-I{}", place(directory))),
            (None, "-I" | "-isystem" | "-include", Some(path)) => {
                found.extend([option.to_owned(), place(path)]);
            }
            (None, option, argument) => {
                found.push(option.to_owned());
                found.extend(argument.map(str::to_owned));
            }
        }
    }
    found
}

/// Options as gcc takes them; quoted includes are looked for in `directory` too, since the text comes from
/// the editor and not from there. What does not matter for the preprocessor is left out.
pub fn options(flags: &[String], directory: &Path) -> PreprocessOptions {
    let mut options = PreprocessOptions::default();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let start =
            ["-isystem", "-include", "-I", "-D", "-U"].iter().find(|s| flag.starts_with(**s));
        if let Some(start) = start {
            let glued = &flag[start.len()..];
            let value =
                if glued.is_empty() { rest.next().cloned() } else { Some(glued.to_owned()) };
            let Some(value) = value else { continue };
            let path = || directory.join(PathBuf::from(&value));
            options.flags.push(match *start {
                "-isystem" => PreprocessorFlag::SystemIncludeDir(path()),
                "-include" => PreprocessorFlag::Include(path()),
                "-I" => PreprocessorFlag::IncludeDir(path()),
                "-D" => PreprocessorFlag::Define(value),
                _ => PreprocessorFlag::Undefine(value),
            });
        } else if let Some(standard) = flag.strip_prefix("-std=") {
            options.standard = Some(standard.to_owned());
        } else if flag == "-m32" {
            options.machine = Machine::Ilp32;
        } else if flag == "-m64" {
            options.machine = Machine::Lp64;
        }
    }
    options.flags.push(PreprocessorFlag::IncludeDir(directory.to_owned()));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_apart() {
        let flags = ["-Iinc", "-D", "A=1", "-UB", "-std=c99", "-m32", "-O2", "-isystem", "/s"];
        let flags: Vec<String> = flags.map(str::to_owned).to_vec();
        let options = options(&flags, Path::new("/p"));
        assert_eq!(options.standard.as_deref(), Some("c99"));
        assert_eq!(options.machine, Machine::Ilp32);
        assert_eq!(
            options.flags,
            [
                PreprocessorFlag::IncludeDir("/p/inc".into()),
                PreprocessorFlag::Define("A=1".into()),
                PreprocessorFlag::Undefine("B".into()),
                PreprocessorFlag::SystemIncludeDir("/s".into()),
                PreprocessorFlag::IncludeDir("/p".into()),
            ]
        );
    }
}
