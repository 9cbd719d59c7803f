//! Functions without a body: models from the user's own files, and what those do that nobody
//! knows.

use std::fs;
use std::path::PathBuf;

use gnomon_cfront::models::has_models;
use gnomon_instrument::silent;
use gnomon_ir::program::{Note, Program};
use gnomon_ir::span::Span;

use crate::error::VerifyError;
use crate::request::{Outside, UnknownFunctions};

/// The text of the user's own models, if there are some.
pub(crate) fn models(outside: &Outside) -> Result<Option<String>, VerifyError> {
    let Some(directory) = &outside.models else { return Ok(None) };
    let problem =
        |path: &PathBuf, problem: String| VerifyError::File { path: path.clone(), problem };
    let entries = fs::read_dir(directory).map_err(|e| problem(directory, e.to_string()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    let mut all = String::new();
    for file in &files {
        let text = fs::read_to_string(file).map_err(|e| problem(file, e.to_string()))?;
        let text = format!("\n{text}\n");
        if !has_models(&text) {
            return Err(problem(file, "no line begins with `// model: NAME`".into()));
        }
        all += &text;
    }
    if files.is_empty() {
        return Err(problem(directory, "there is no C file in this directory".into()));
    }
    Ok(Some(all))
}

/// Gives functions of which nothing is known the meaning that is asked for, and says so. What their
/// arguments reach, they write without a body.
pub(crate) fn give_meaning(program: &mut Program, unknown: UnknownFunctions, entry: &str) {
    let (names, kind, taken) = match unknown {
        UnknownFunctions::Args => return,
        UnknownFunctions::Pure => {
            (silent::silence(program), "UNSOUND", "to return anything and to write nothing")
        }
        UnknownFunctions::Anything => (
            silent::unleash(program, entry),
            "unknown",
            "to write anything to all memory that is not private, and to call any function",
        ),
    };
    for name in names {
        let message = format!("`{name}` has no body: it is taken {taken}");
        program.add_note(Note { kind, message, span: Span::NONE });
    }
}
