//! From preprocessed text to a linked program: parse, lower, link.

use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

use crate::diag::{Diagnostic, Severity};
use crate::lower;
use crate::lower::link::FunctionCount;
use crate::models;
use crate::parser::{ParseOptions, parse};
use crate::source::SourceBuffer;

/// A message about one of the sources.
#[derive(Clone, Debug)]
pub struct UnitDiagnostic {
    /// Which source, counted from 0.
    pub unit: usize,
    /// The message.
    pub diagnostic: Diagnostic,
}

/// What came of some sources.
#[derive(Debug)]
pub struct Translation {
    /// The program; parts are missing from it if [`Translation::is_complete`] is false.
    pub program: Program,
    /// The sources, for showing messages.
    pub sources: Vec<SourceBuffer>,
    /// Errors and warnings, by source, in the order of the text.
    pub diagnostics: Vec<UnitDiagnostic>,
    /// Problems that belong to no single source.
    pub link_errors: Vec<String>,
    /// How many functions were lowered.
    pub functions: FunctionCount,
}

impl Translation {
    /// Whether everything was understood: only then a verdict about the program means anything.
    pub fn is_complete(&self) -> bool {
        self.link_errors.is_empty() && !self.diagnostics.iter().any(|d| d.diagnostic.is_fatal())
    }

    /// All messages of at least this severity, as the user reads them.
    pub fn render(&self, least: Severity) -> String {
        let mut text: String = self
            .diagnostics
            .iter()
            .filter(|d| d.diagnostic.severity >= least)
            .map(|d| d.diagnostic.render(&self.sources[d.unit]))
            .collect::<Vec<_>>()
            .join("\n");
        for error in &self.link_errors {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("error: {error}\n"));
        }
        text
    }
}

/// Parses, lowers and links preprocessed sources.
///
/// ```
/// use gnomon_cfront::parser::ParseOptions;
/// use gnomon_cfront::source::SourceBuffer;
/// use gnomon_cfront::translate::translate;
/// use gnomon_ir::types::Target;
///
/// let source = SourceBuffer::new("a.c", b"int main(void) { return 42; }".to_vec()).unwrap();
/// let translation = translate(vec![source], Target::Lp64, &ParseOptions::default());
/// assert!(translation.is_complete());
/// assert!(translation.program.find_function("main").is_some());
/// ```
pub fn translate(
    sources: Vec<SourceBuffer>,
    target: Target,
    options: &ParseOptions,
) -> Translation {
    translate_with(sources, target, options, Models::None)
}

/// Where bodies come from of library functions that the sources call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Models {
    /// From nowhere: they stay without.
    None,
    /// From [`models`].
    BuiltIn,
    /// From this text, in the form of the files in `models/`, or else from [`models`].
    Replaced(String),
}

/// The same as [`translate`], with models.
pub fn translate_with(
    sources: Vec<SourceBuffer>,
    target: Target,
    options: &ParseOptions,
    with: Models,
) -> Translation {
    translate_choosing(sources, target, options, |_| with)
}

/// The same as [`translate`], with models that are chosen when the program of the sources is known:
/// so nothing is read twice to find out which ones it needs.
pub fn translate_choosing(
    mut sources: Vec<SourceBuffer>,
    target: Target,
    options: &ParseOptions,
    choose: impl FnOnce(&Program) -> Models,
) -> Translation {
    let mut linked = lower::Linked::new(target, options.volatile);
    let mut diagnostics = Vec::new();
    let several = sources.len() > 1;
    for (unit, source) in sources.iter().enumerate() {
        let parsed = parse(source, options);
        let broken = parsed.has_errors();
        let mut messages = parsed.diagnostics;
        if !broken {
            messages.extend(linked.add_unit(&parsed.ast, &parsed.interner, source, several));
        }
        messages.sort_by_key(|d| d.span.lo);
        let located = messages.into_iter().map(|diagnostic| UnitDiagnostic { unit, diagnostic });
        diagnostics.extend(located);
    }
    let needed = match &choose(linked.program()) {
        Models::None => None,
        Models::BuiltIn => models::needed(linked.program(), ""),
        Models::Replaced(own) => models::needed(linked.program(), own),
    };
    if let Some(source) = needed {
        // Models are written in the default dialect, whatever the user's is.
        let parsed = parse(&source, &ParseOptions::default());
        let unit = sources.len();
        let messages = linked.add_unit(&parsed.ast, &parsed.interner, &source, true);
        diagnostics.extend(messages.into_iter().map(|d| UnitDiagnostic { unit, diagnostic: d }));
        sources.push(source);
        linked.note_models();
    }
    let (program, functions, link_errors) = linked.finish();
    Translation { program, sources, diagnostics, link_errors, functions }
}
