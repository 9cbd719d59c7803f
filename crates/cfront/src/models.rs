//! Models of library functions: bodies in C for functions that a program calls and does not define.
//!
//! They are in `models/`, and users can replace them. Only those that are needed become part of a
//! program, so that it stays small.

use std::collections::BTreeMap;

use gnomon_ir::program::Program;

use crate::source::SourceBuffer;

/// The files, as they come with gnomon.
const LIBRARY: [&str; 5] = [
    include_str!("../../../models/library.c"),
    include_str!("../../../models/stdio.c"),
    include_str!("../../../models/unistd.c"),
    include_str!("../../../models/pthread.c"),
    include_str!("../../../models/kernel.c"),
];
/// Begins a line.
const MARK: &str = "\n// model: ";
/// The names of functions that only models call begin with this.
const SHARED: &str = "__gnomon_";
/// The name of their source, for messages.
pub const SOURCE: &str = gnomon_ir::library::MODELS_SOURCE;

/// The models in a text, by the name of their function.
fn models_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(MARK).skip(1).filter_map(|part| part.split_once('\n'))
}

/// The text of every model, by the name of its function; those of the user come before ours.
fn models(own: &str) -> BTreeMap<&str, &str> {
    LIBRARY.into_iter().flat_map(models_in).chain(models_in(own)).collect()
}

/// Whether a text has models in it, in the form of `models/`.
pub fn has_models(text: &str) -> bool {
    models_in(text).next().is_some()
}

/// The models of all functions that the program declares without a body; `None` if it needs none.
pub(crate) fn needed(program: &Program, own: &str) -> Option<SourceBuffer> {
    let models = models(own);
    let undefined = program.funcs.iter().filter(|f| f.body.is_none());
    let mut texts: Vec<&str> =
        undefined.filter_map(|f| models.get(f.name.as_str()).copied()).collect();
    if texts.is_empty() {
        return None;
    }
    // What models share among themselves.
    let shared = models.range(SHARED..).take_while(|(name, _)| name.starts_with(SHARED));
    let used = |name: &str| texts.iter().any(|text| text.contains(&format!("{name}(")));
    let shared: Vec<&str> = shared.filter(|(name, _)| used(name)).map(|(_, text)| *text).collect();
    texts.extend(shared);
    SourceBuffer::new(SOURCE, texts.concat().into_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{ParseOptions, parse};

    #[test]
    fn models_of_the_user_come_first() {
        let own = "\n// model: abs\nint abs(int x) { return 0; }\n// model: f\nint f(void);\n";
        assert!(has_models(own) && !has_models("int abs(int x) { return 0; }"));
        let models = models(own);
        assert_eq!(models["abs"], "int abs(int x) { return 0; }");
        assert!(models.contains_key("f") && models.contains_key("labs"));
    }

    #[test]
    fn every_model_defines_its_function() {
        assert!(models("").len() > 10);
        for (name, text) in models("") {
            let defines = [" ", "*"].iter().any(|c| text.contains(&format!("{c}{name}(")));
            assert!(defines, "{name}: {text}");
            let source = SourceBuffer::new(SOURCE, text.as_bytes().to_vec()).expect("a text");
            let parsed = parse(&source, &ParseOptions::default());
            assert!(!parsed.has_errors(), "{name}: {:?}", parsed.diagnostics);
        }
    }
}
