//! Runs the preprocessor; the only place in the front end that reads files or starts processes.
//!
//! C files are handed to the C compiler (`cc -E`, or what the environment variable `CC` names), so
//! that system headers and macros are exactly those that the user compiles with. Files that are
//! preprocessed already (`.i`) are taken as they are. Bytes that are not UTF-8 are kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// How to preprocess.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreprocessOptions {
    /// The compiler; `None` for the environment variable `CC`, or `cc` if it is not set. Words
    /// after the first are arguments.
    pub compiler: Option<String>,
    /// Flags to pass on.
    pub flags: Vec<PreprocessorFlag>,
    /// The name after `-std=`.
    pub standard: Option<String>,
    /// The machine.
    pub machine: Machine,
}

impl PreprocessOptions {
    /// The dialect for the parser: that of `-std`, or the default for a name we do not know.
    pub fn dialect(&self) -> Dialect {
        self.standard.as_deref().and_then(Dialect::from_name).unwrap_or_default()
    }
}

/// Why there is no preprocessed text.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The compiler cannot be started.
    #[error(
        "cannot run the preprocessor `{compiler}`: {error}\n\
         install a C compiler, or name one with the environment variable CC"
    )]
    Start {
        /// The program.
        compiler: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The compiler reported errors.
    #[error("the preprocessor `{compiler}` failed on {} ({status}):\n{messages}", path.display())]
    Failed {
        /// The program.
        compiler: String,
        /// The file.
        path: PathBuf,
        /// How it ended.
        status: String,
        /// What it printed.
        messages: String,
    },
    /// The text is too large.
    #[error("{}: {error}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        error: TextTooLarge,
    },
}

/// Preprocessed text, ready to be parsed.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text.
    pub source: SourceBuffer,
    /// What the preprocessor printed although it succeeded: warnings.
    pub warnings: String,
}

/// Reads a C file through the preprocessor, or a `.i` file directly.
pub fn load(path: &Path, options: &PreprocessOptions) -> Result<Preprocessed, PreprocessError> {
    let (text, warnings) = if path.extension().is_some_and(|extension| extension == "i") {
        let read = std::fs::read(path);
        let error = |error| PreprocessError::Read { path: path.to_owned(), error };
        (read.map_err(error)?, String::new())
    } else {
        preprocess(path, options)?
    };
    let source = SourceBuffer::new(&path.to_string_lossy(), text)
        .map_err(|error| PreprocessError::TooLarge { path: path.to_owned(), error })?;
    Ok(Preprocessed { source, warnings })
}

fn preprocess(
    path: &Path,
    options: &PreprocessOptions,
) -> Result<(Vec<u8>, String), PreprocessError> {
    // The compiler's own message about a missing file says less.
    if let Err(error) = std::fs::metadata(path) {
        return Err(PreprocessError::Read { path: path.to_owned(), error });
    }
    let chosen = options.compiler.clone().or_else(|| std::env::var("CC").ok());
    let chosen = chosen.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut words = chosen.split_whitespace();
    let compiler = words.next().unwrap_or("cc").to_owned();

    let mut command = Command::new(&compiler);
    command.args(words).arg("-E");
    command.arg(match options.machine {
        Machine::Lp64 => "-m64",
        Machine::Ilp32 => "-m32",
    });
    if let Some(standard) = &options.standard {
        command.arg(format!("-std={standard}"));
    }
    command.args(options.flags.iter().flat_map(PreprocessorFlag::arguments));
    command.args(["-x", "c"]).arg(path);
    // Messages in one language and without typographic quotes.
    command.env("LC_ALL", "C");

    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Err(PreprocessError::Start { compiler, error }),
    };
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let status = output.status.to_string();
        return Err(PreprocessError::Failed { compiler, path: path.to_owned(), status, messages });
    }
    Ok((output.stdout, messages))
}
