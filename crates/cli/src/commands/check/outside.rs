//! Functions without a body: models from the user's own files, and the unsound assumption that
//! what nobody knows writes nothing.

use std::fs;
use std::path::PathBuf;

use gnomon_cfront::models::has_models;
use gnomon_cfront::translate::Models;
use gnomon_instrument::silent;
use gnomon_ir::program::{Note, Program};
use gnomon_ir::span::Span;

use crate::args::OutsideArgs;
use crate::exit::Failure;

/// The models that the arguments ask for.
pub fn models(args: &OutsideArgs) -> Result<Models, Failure> {
    let Some(directory) = &args.models else { return Ok(Models::BuiltIn) };
    let problem =
        |path: &PathBuf, what: String| Failure::error(format!("{}: {what}", path.display()));
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
    Ok(Models::Replaced(all))
}

/// Makes functions of which nothing is known write nothing, and says so.
pub fn write_nothing(program: &mut Program) {
    for name in silent::silence(program) {
        let message =
            format!("`{name}` has no body: it is taken to return anything and to write nothing");
        program.add_note(Note { kind: "UNSOUND", message, span: Span::NONE });
    }
}
