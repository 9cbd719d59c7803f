//! Lowering of C in memory, for the tests of the lowering.

#![allow(dead_code, reason = "every test file uses a part of it")]

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Translation, translate};
use gnomon_ir::types::Target;

/// Both machines.
pub const TARGETS: [Target; 2] = [Target::Lp64, Target::Ilp32];

/// Lowers and links preprocessed texts; the first is `a.c`, the second `b.c`, and so on.
pub fn lower_units(texts: &[&str], target: Target) -> Translation {
    let sources = texts.iter().zip('a'..).map(|(text, letter)| {
        let name = format!("{letter}.c");
        SourceBuffer::new(&name, text.as_bytes().to_vec()).expect("a short text")
    });
    translate(sources.collect(), target, &ParseOptions::default())
}

/// Lowers one text completely.
pub fn lower(text: &str, target: Target) -> Translation {
    let translation = lower_units(&[text], target);
    assert!(translation.is_complete(), "{}\n{text}", translation.render(Severity::Error));
    let defects = gnomon_ir::validate::validate(&translation.program);
    assert!(defects.is_empty(), "{}\n{text}", defects[0]);
    translation
}

/// All messages about some texts, warnings too.
pub fn messages(texts: &[&str]) -> String {
    lower_units(texts, Target::Lp64).render(Severity::Warning)
}
