//! The programs of `tests/programs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// The program in a file, preprocessed where it has directives.
pub fn load(file: &Path) -> Program {
    let text = fs::read(file).expect("a readable file");
    let bytes = if text.contains(&b'#') {
        let output = Command::new("cc").arg("-E").arg(file).output().expect("a C compiler");
        output.stdout
    } else {
        text
    };
    let name = file.display().to_string();
    let source = SourceBuffer::new(&name, bytes).expect("a source");
    let translation =
        translate_with(vec![source], Target::Lp64, &ParseOptions::default(), Models::BuiltIn);
    assert!(translation.is_complete(), "{name} is not translated completely");
    translation.program
}

/// The files of an area in order, with what their headers say.
pub fn programs(area: &str) -> Vec<(PathBuf, bool)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(area)).expect("an area") {
        let file = entry.expect("an entry").path();
        let text = fs::read_to_string(&file).expect("a readable file");
        let header = text.lines().next().unwrap_or_default();
        match header.strip_prefix("// gnomon: ").map(str::trim) {
            Some("true") => found.push((file, true)),
            Some("false") => found.push((file, false)),
            _ => {}
        }
    }
    found.sort();
    found
}
