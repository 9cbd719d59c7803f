//! Models of library functions: bodies in C for functions that a program calls and does not define.
//!
//! They are in `models/library.c`. Only those that are needed become part of a program, so that it
//! stays small.

use std::collections::BTreeMap;

use gnomon_ir::program::Program;

use crate::source::SourceBuffer;

const LIBRARY: &str = include_str!("../../../models/library.c");
/// Begins a line.
const MARK: &str = "\n// model: ";
/// The name of their source, for messages.
pub const SOURCE: &str = "<models of library functions>";

/// The text of every model, by the name of its function.
fn models() -> BTreeMap<&'static str, &'static str> {
    LIBRARY.split(MARK).skip(1).filter_map(|part| part.split_once('\n')).collect()
}

/// The models of all functions that the program declares without a body; `None` if it needs none.
pub(crate) fn needed(program: &Program) -> Option<SourceBuffer> {
    let models = models();
    let undefined = program.funcs.iter().filter(|f| f.body.is_none());
    let texts: Vec<&str> = undefined.filter_map(|f| models.get(f.name.as_str()).copied()).collect();
    if texts.is_empty() {
        return None;
    }
    SourceBuffer::new(SOURCE, texts.concat().into_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{ParseOptions, parse};

    #[test]
    fn every_model_defines_its_function() {
        assert!(models().len() > 10);
        for (name, text) in models() {
            assert!(text.contains(&format!(" {name}(")), "{name}: {text}");
            let source = SourceBuffer::new(SOURCE, text.as_bytes().to_vec()).expect("a text");
            let parsed = parse(&source, &ParseOptions::default());
            assert!(!parsed.has_errors(), "{name}: {:?}", parsed.diagnostics);
        }
    }
}
