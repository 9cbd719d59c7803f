//! The one loader: from files or text to a program.
//!
//! C is preprocessed ([`preprocess`](crate::preprocess), which does the I/O), parsed in the dialect
//! of `-std`, lowered and linked ([`translate`](crate::translate)); a single `.ir` file is read as
//! the text form of the model. A program that was not read completely is an error.
//!
//! ```
//! use gnomon_cfront::load::{Input, load};
//! use gnomon_cfront::preprocess::PreprocessOptions;
//! use gnomon_cfront::translate::Models;
//!
//! let text = Input::text("a.c", "#define ANSWER 42\nint main(void) { return ANSWER; }\n");
//! let loaded = load(&[text], &PreprocessOptions::default(), |_| Models::None)?;
//! assert!(loaded.program.find_function("main").is_some());
//! assert_eq!((loaded.preprocessor_calls, loaded.files_parsed), (1, 1));
//! # Ok::<(), gnomon_cfront::load::LoadError>(())
//! ```

use std::path::{Path, PathBuf};

use gnomon_excerpt::{Message, Place};
use gnomon_ir::program::Program;
use gnomon_ir::{text, validate};

use crate::diag::Severity;
use crate::parser::ParseOptions;
use crate::preprocess::{self, PreprocessError, PreprocessOptions};
use crate::translate::{Models, translate_choosing};

/// So many defects of a model are told.
const DEFECTS: usize = 20;

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file: `.c` is preprocessed, `.i` taken as it is, `.ir` read as a model.
    File(PathBuf),
    /// Text with a name, which is treated as a file of that name would be.
    Text {
        /// The name.
        name: String,
        /// The text.
        text: Vec<u8>,
    },
}

impl Input {
    /// Text with a name.
    pub fn text(name: &str, text: &str) -> Self {
        Self::Text { name: name.to_owned(), text: text.as_bytes().to_vec() }
    }

    /// The name of the file or text.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Text { name, .. } => name.clone(),
        }
    }

    /// Whether it is a model rather than C.
    pub fn is_model(&self) -> bool {
        let path = match self {
            Self::File(path) => path.as_path(),
            Self::Text { name, .. } => Path::new(name),
        };
        path.extension().is_some_and(|extension| extension == "ir")
    }

    /// Its bytes, before the preprocessor.
    fn bytes(&self) -> Result<Vec<u8>, PreprocessError> {
        match self {
            Self::File(path) => preprocess::read(path),
            Self::Text { text, .. } => Ok(text.clone()),
        }
    }
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The text could not be had.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    /// A model is given beside other files.
    #[error("a .ir file is a whole program: it stands alone")]
    NotAlone,
    /// A model has another form.
    #[error("{name}: {problem}")]
    Model {
        /// The file.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The sources have errors; this is what the user reads, with places.
    #[error("{0}")]
    Rejected(String),
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// Warnings, as the user reads them; often empty.
    pub warnings: String,
    /// Names and bytes of what was read, before the preprocessor, in order.
    pub files: Vec<(String, Vec<u8>)>,
    /// How often the preprocessor was called.
    pub preprocessor_calls: u64,
    /// How many of the user's files were parsed.
    pub files_parsed: u64,
}

/// Reads a program. The models of library functions are chosen when it is known what it calls.
pub fn load(
    inputs: &[Input],
    options: &PreprocessOptions,
    models: impl FnOnce(&Program) -> Models,
) -> Result<Loaded, LoadError> {
    let mut files = Vec::with_capacity(inputs.len());
    for input in inputs {
        files.push((input.name(), input.bytes()?));
    }
    match (inputs, inputs.iter().filter(|input| input.is_model()).count()) {
        ([_], 1) => model(files),
        (_, 0) => c_program(inputs, options, files, models),
        _ => Err(LoadError::NotAlone),
    }
}

fn model(files: Vec<(String, Vec<u8>)>) -> Result<Loaded, LoadError> {
    let (name, bytes) = &files[0];
    let at = |problem: String| LoadError::Model { name: name.clone(), problem };
    let content = std::str::from_utf8(bytes).map_err(|error| at(error.to_string()))?;
    let program = text::parse(content).map_err(|error| {
        let place = Place::in_text(name, content, error.line, error.column);
        let message = Message::new(Severity::Error, &error.message, place);
        LoadError::Rejected(message.render())
    })?;
    let defects = validate::validate(&program);
    if !defects.is_empty() {
        let lines: Vec<String> =
            defects.iter().take(DEFECTS).map(|defect| format!("  {defect}")).collect();
        return Err(at(format!("the program is not well-formed:\n{}", lines.join("\n"))));
    }
    let warnings = String::new();
    Ok(Loaded { program, warnings, files, preprocessor_calls: 0, files_parsed: 1 })
}

fn c_program(
    inputs: &[Input],
    options: &PreprocessOptions,
    files: Vec<(String, Vec<u8>)>,
    models: impl FnOnce(&Program) -> Models,
) -> Result<Loaded, LoadError> {
    let mut sources = Vec::with_capacity(inputs.len());
    let mut preprocessor_calls = 0;
    for input in inputs {
        let preprocessed = match input {
            Input::File(path) => preprocess::load(path, options)?,
            Input::Text { name, text } => preprocess::load_text(name, text, options)?,
        };
        preprocessor_calls += u64::from(preprocessed.called);
        sources.push(preprocessed.source);
    }
    let files_parsed = sources.len() as u64;
    let (dialect, volatile) = (options.dialect(), options.volatile);
    let parse = ParseOptions { dialect, volatile, ..ParseOptions::default() };
    let translation = translate_choosing(sources, options.machine.target(), &parse, models);
    let warnings = translation.render(Severity::Warning);
    match translation.is_complete() {
        true => {
            let program = translation.program;
            Ok(Loaded { program, warnings, files, preprocessor_calls, files_parsed })
        }
        false => Err(LoadError::Rejected(warnings)),
    }
}
