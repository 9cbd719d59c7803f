//! Shows how a preprocessed file is parsed: the messages, then the syntax tree.
//!
//! `cargo run -p gnomon-cfront --example dump_ast -- [--std=NAME] FILE.i` (`-` for standard input)

use std::io::Read as _;

use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::token::Dialect;
use gnomon_cfront::{diag, dump};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = ParseOptions::default();
    for arg in std::env::args().skip(1) {
        if let Some(name) = arg.strip_prefix("--std=") {
            options.dialect = Dialect::from_name(name).ok_or("unknown standard")?;
            continue;
        }
        let mut text = Vec::new();
        if arg == "-" {
            std::io::stdin().read_to_end(&mut text)?;
        } else {
            text = std::fs::read(&arg)?;
        }
        let source = SourceBuffer::new(&arg, text)?;
        let parsed = parse(&source, &options);
        print!("{}", diag::render_all(&parsed.diagnostics, &source));
        print!("{}", dump::dump(&parsed.ast, &parsed.interner));
    }
    Ok(())
}
