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
    let compilations = entries.iter().filter_map(|entry| entry.compilation().ok());
    let Some(compilation) = compilations.into_iter().find(|compilation| compilation.file == file)
    else {
        return Vec::new();
    };
    // Directories are those of the build.
    let place = |path: &str| compilation.directory.join(path).display().to_string();
    let mut found = Vec::new();
    for word in commands::words(&compilation.arguments) {
        let Word::Option(option, argument) = word else { continue };
        let (name, value) = match (NAMES.iter().find(|name| option.starts_with(**name)), argument) {
            (None, _) => continue,
            (Some(name), Some(argument)) => (*name, argument),
            (Some(name), None) => (*name, &option[name.len()..]),
        };
        let is_place = matches!(name, "-I" | "-isystem" | "-include");
        found.extend([name.to_owned(), if is_place { place(value) } else { value.to_owned() }]);
    }
    found.extend(compilation.standard.map(|standard| format!("-std={standard}")));
    found.push(compilation.machine.flag().to_owned());
    found
}

/// Options of the preprocessor that have a value.
const NAMES: [&str; 5] = ["-isystem", "-include", "-I", "-D", "-U"];

/// Options as gcc takes them; quoted includes are looked for in `directory` too, since the text comes from
/// the editor and not from there. What does not matter for the preprocessor is left out.
pub fn options(flags: &[String], directory: &Path) -> PreprocessOptions {
    let mut options = PreprocessOptions::default();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let start = NAMES.iter().find(|name| flag.starts_with(**name));
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

/// The same options as `gnomon check` takes them.
pub fn words(options: &PreprocessOptions) -> Vec<String> {
    let mut words = Vec::new();
    for flag in &options.flags {
        let (name, value) = match flag {
            PreprocessorFlag::IncludeDir(directory) => ("-I", directory.display().to_string()),
            PreprocessorFlag::SystemIncludeDir(directory) => {
                ("-isystem", directory.display().to_string())
            }
            PreprocessorFlag::Include(file) => ("-include", file.display().to_string()),
            PreprocessorFlag::Define(definition) => ("-D", definition.clone()),
            PreprocessorFlag::Undefine(name) => ("-U", name.clone()),
        };
        words.extend([name.to_owned(), value]);
    }
    words.extend(options.standard.iter().map(|standard| format!("-std={standard}")));
    words.push(options.machine.flag().to_owned());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_build_are_words_of_a_shell() {
        let folder = tempfile::tempdir().expect("a folder");
        let build = folder.path().join("build");
        std::fs::create_dir(&build).expect("a folder");
        let command =
            r#"ccache cc -I'the headers' -DNAME='"a b"' -isystem ../s -ansi -O2 -c ../a.c -o a.o"#;
        let entries =
            serde_json::json!([{ "directory": build, "file": "../a.c", "command": command }]);
        std::fs::write(build.join(COMMANDS), entries.to_string()).expect("written");
        let there = |name: &str| build.join(name).display().to_string();
        assert_eq!(
            of_build(&folder.path().join("a.c")),
            [
                "-I",
                &there("the headers"),
                "-D",
                "NAME=\"a b\"",
                "-isystem",
                &there("../s"),
                "-std=c90",
                "-m64"
            ]
        );
        assert!(of_build(&folder.path().join("b.c")).is_empty());
    }

    #[test]
    fn options_become_words_again() {
        let given = ["-I", "/p/a b", "-D", "A=1", "-isystem", "/s", "-I", "/p", "-std=c99", "-m32"];
        let given: Vec<String> = given.map(str::to_owned).to_vec();
        let mut with_directory = given.clone();
        with_directory.splice(8..8, ["-I".to_owned(), "/d".to_owned()]);
        assert_eq!(words(&options(&given, Path::new("/d"))), with_directory);
    }

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
