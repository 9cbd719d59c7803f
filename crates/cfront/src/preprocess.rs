//! Runs the preprocessor; the only place in the front end that reads files or starts processes.
//!
//! C files are handed to the C compiler (`cc -E`, or what the environment variable `CC` says, which
//! is split as a shell would: `ccache gcc`), so that system headers and macros are exactly those that
//! the user compiles with. Files that are preprocessed already (`.i`) are taken as they are. Bytes
//! that are not UTF-8 are kept.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use gnomon_ir::types::Target;

use crate::lower::volatile::Volatile;
use crate::source::{SourceBuffer, TextTooLarge};
use crate::token::Dialect;

/// A flag that goes to the preprocessor unchanged. The order of flags matters (`-D` and `-U`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PreprocessorFlag {
    /// `-I dir`.
    IncludeDir(PathBuf),
    /// `-isystem dir`.
    SystemIncludeDir(PathBuf),
    /// `-include file`.
    Include(PathBuf),
    /// `-D name` or `-D name=value`.
    Define(String),
    /// `-U name`.
    Undefine(String),
}

impl PreprocessorFlag {
    fn arguments(&self) -> [OsString; 2] {
        match self {
            PreprocessorFlag::IncludeDir(dir) => ["-I".into(), dir.into()],
            PreprocessorFlag::SystemIncludeDir(dir) => ["-isystem".into(), dir.into()],
            PreprocessorFlag::Include(file) => ["-include".into(), file.into()],
            PreprocessorFlag::Define(definition) => ["-D".into(), definition.into()],
            PreprocessorFlag::Undefine(name) => ["-U".into(), name.into()],
        }
    }
}

/// The machine that is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Machine {
    /// `-m64`: 64-bit pointers and `long`.
    #[default]
    Lp64,
    /// `-m32`: 32-bit pointers and `long`.
    Ilp32,
}

impl Machine {
    /// The flag of the compiler.
    pub fn flag(self) -> &'static str {
        match self {
            Machine::Lp64 => "-m64",
            Machine::Ilp32 => "-m32",
        }
    }

    /// The target of the model.
    pub fn target(self) -> Target {
        match self {
            Machine::Lp64 => Target::Lp64,
            Machine::Ilp32 => Target::Ilp32,
        }
    }

    /// The machine of a model.
    pub fn of(target: Target) -> Self {
        match target {
            Target::Lp64 => Machine::Lp64,
            Target::Ilp32 => Machine::Ilp32,
        }
    }
}

/// How to preprocess.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreprocessOptions {
    /// The compiler; `None` for the environment variable `CC`, or `cc` if it is not set. It is
    /// split into words as a shell would, and those after the first are arguments.
    pub compiler: Option<String>,
    /// Flags to pass on.
    pub flags: Vec<PreprocessorFlag>,
    /// The name after `-std=`.
    pub standard: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// Who changes `volatile` objects.
    pub volatile: Volatile,
}

impl PreprocessOptions {
    /// The dialect for the parser: that of `-std`, or the default for a name we do not know.
    pub fn dialect(&self) -> Dialect {
        self.standard.as_deref().and_then(Dialect::from_name).unwrap_or_default()
    }

    /// The compiler, with the arguments that stand in `CC`.
    pub fn compiler(&self) -> Result<Command, PreprocessError> {
        let chosen = self.compiler.clone().or_else(|| std::env::var("CC").ok());
        let chosen = chosen.filter(|name| !name.trim().is_empty());
        let chosen = chosen.unwrap_or_else(|| "cc".to_owned());
        let words = shlex::split(&chosen).filter(|words| !words.is_empty());
        let words = words.ok_or(PreprocessError::Quotes { compiler: chosen })?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        Ok(command)
    }

    /// The arguments that decide what the compiler reads: machine, standard and flags.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut all = vec![self.machine.flag().into()];
        if let Some(standard) = &self.standard {
            all.push(format!("-std={standard}").into());
        }
        all.extend(self.flags.iter().flat_map(PreprocessorFlag::arguments));
        all
    }
}

/// Why there is no preprocessed text.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// The file cannot be read.
    #[error("{}: {}", path.display(), unreadable(error))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The compiler's name cannot be split into words.
    #[error("the compiler `{compiler}` (CC) has a quotation mark that is not closed")]
    Quotes {
        /// As it was given.
        compiler: String,
    },
    /// The compiler cannot be started.
    #[error(
        "the preprocessor `{compiler}` cannot be started ({error}): install a C compiler, set CC, \
         or give preprocessed files (.i)"
    )]
    Start {
        /// The program.
        compiler: String,
        /// What the system says.
        error: io::Error,
    },
    /// The compiler reported errors.
    #[error("{name}: the preprocessor failed:\n{}", messages.trim_end())]
    Failed {
        /// The file.
        name: String,
        /// What it printed.
        messages: String,
    },
    /// The text is too large.
    #[error("{name}: {error}")]
    TooLarge {
        /// The file.
        name: String,
        /// The limit.
        error: TextTooLarge,
    },
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "it may not be read".into(),
        io::ErrorKind::IsADirectory => "this is a directory, not a file".into(),
        io::ErrorKind::UnexpectedEof => "the file is empty".into(),
        _ => error.to_string(),
    }
}

/// Preprocessed text, ready to be parsed.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text.
    pub source: SourceBuffer,
    /// What the preprocessor printed although it succeeded: warnings.
    pub warnings: String,
    /// Whether the preprocessor was called for it.
    pub called: bool,
}

/// The bytes of a file; one that is empty, a directory or absent is refused by name.
pub fn read(path: &Path) -> Result<Vec<u8>, PreprocessError> {
    let problem = |error| PreprocessError::Read { path: path.to_owned(), error };
    if std::fs::metadata(path).map_err(problem)?.is_dir() {
        return Err(problem(io::ErrorKind::IsADirectory.into()));
    }
    match std::fs::read(path).map_err(problem)? {
        bytes if bytes.is_empty() => Err(problem(io::ErrorKind::UnexpectedEof.into())),
        bytes => Ok(bytes),
    }
}

/// Whether text of that name is taken as it is.
fn is_preprocessed(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "i")
}

/// Reads a C file through the preprocessor, or a `.i` file directly.
pub fn load(path: &Path, options: &PreprocessOptions) -> Result<Preprocessed, PreprocessError> {
    // The compiler's own message about a missing file says less.
    let bytes = read(path)?;
    let name = path.to_string_lossy();
    if is_preprocessed(path) {
        return finished(&name, bytes, String::new(), false);
    }
    let mut command = call(options)?;
    command.arg(path).stdin(Stdio::null());
    let (text, warnings) = output(&name, &command_name(&command), command.output())?;
    finished(&name, text, warnings, true)
}

/// How a build compiles a file.
#[derive(Clone, Copy, Debug)]
pub struct AsBuilt<'a> {
    /// The file, as the command names it.
    pub file: &'a Path,
    /// Where the command is called.
    pub directory: &'a Path,
    /// The compiler.
    pub compiler: &'a str,
    /// What decides what it sees.
    pub arguments: &'a [String],
}

impl AsBuilt<'_> {
    /// Reads the file through the preprocessor of the build; files get other names in line markers. The
    /// checks that `_FORTIFY_SOURCE` adds to calls of the library are left out.
    pub fn load(&self, rename: impl Fn(&str) -> String) -> Result<Preprocessed, PreprocessError> {
        let path = self.directory.join(self.file);
        let bytes = read(&path)?;
        let name = rename(&self.file.to_string_lossy());
        if is_preprocessed(&path) {
            return finished(&name, renamed(&bytes, rename), String::new(), false);
        }
        let mut command = Command::new(self.compiler);
        command.args(self.arguments).args(["-U_FORTIFY_SOURCE", "-E", "-x", "c"]).arg(self.file);
        command.current_dir(self.directory).env("LC_ALL", "C").stdin(Stdio::null());
        let (text, warnings) = output(&name, self.compiler, command.output())?;
        finished(&name, renamed(&text, rename), warnings, true)
    }
}

/// The text with other names in its line markers (`# 12 "name" flags`).
fn renamed(text: &[u8], rename: impl Fn(&str) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut last: Option<(Vec<u8>, Vec<u8>)> = None;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let quotes = (line.starts_with(b"# ") && line.get(2).is_some_and(u8::is_ascii_digit))
            .then(|| memchr::memchr(b'"', line).zip(memchr::memrchr(b'"', line)))
            .flatten()
            .filter(|(from, to)| from < to);
        let Some((from, to)) = quotes else {
            out.extend_from_slice(line);
            continue;
        };
        let name = &line[from + 1..to];
        let known = last.as_ref().filter(|(known, _)| known == name).map(|(_, new)| new.clone());
        let new = known.unwrap_or_else(|| match std::str::from_utf8(name) {
            Ok(text) if !text.starts_with('<') && !text.contains('\\') => rename(text).into_bytes(),
            _ => name.to_vec(),
        });
        out.extend_from_slice(&line[..=from]);
        out.extend_from_slice(&new);
        out.extend_from_slice(&line[to..]);
        last = Some((name.to_vec(), new));
    }
    out
}

/// Preprocesses text that is in no file; what it is called decides whether it needs to be.
pub fn load_text(
    name: &str,
    text: &[u8],
    options: &PreprocessOptions,
) -> Result<Preprocessed, PreprocessError> {
    if is_preprocessed(Path::new(name)) {
        return finished(name, text.to_vec(), String::new(), false);
    }
    let mut command = call(options)?;
    command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let compiler = command_name(&command);
    let marked = [format!("# 1 \"{name}\"\n").as_bytes(), text].concat();
    let done = command.spawn().and_then(|mut child| {
        let input = child.stdin.take();
        std::thread::scope(|scope| {
            // It may print before it has read everything.
            scope.spawn(move || input.map(|mut input| input.write_all(&marked)));
            child.wait_with_output()
        })
    });
    let (text, warnings) = output(name, &compiler, done)?;
    finished(name, text, warnings, true)
}

fn call(options: &PreprocessOptions) -> Result<Command, PreprocessError> {
    let mut command = options.compiler()?;
    command.arg("-E").args(options.arguments()).args(["-x", "c"]);
    // Messages in one language and without typographic quotes.
    command.env("LC_ALL", "C");
    Ok(command)
}

fn command_name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// What the preprocessor wrote, and its warnings.
fn output(
    name: &str,
    compiler: &str,
    done: io::Result<Output>,
) -> Result<(Vec<u8>, String), PreprocessError> {
    let compiler = compiler.to_owned();
    let output = done.map_err(|error| PreprocessError::Start { compiler, error })?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok((output.stdout, messages)),
        false => Err(PreprocessError::Failed { name: name.to_owned(), messages }),
    }
}

fn finished(
    name: &str,
    text: Vec<u8>,
    warnings: String,
    called: bool,
) -> Result<Preprocessed, PreprocessError> {
    let source = SourceBuffer::new(name, text)
        .map_err(|error| PreprocessError::TooLarge { name: name.to_owned(), error })?;
    Ok(Preprocessed { source, warnings, called })
}
