//! Writing results and messages.
//!
//! `println!` panics when the reader of a pipe is gone (`gnomon cfa x.c | head`); here that is not
//! an error, because nobody is left to whom it matters.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use gnomon_budget::Progress;

use crate::exit::Failure;

/// Writes a result to standard output.
pub fn result(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes a message to standard error, with a line end.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a result to a file, or to standard output if there is none.
pub fn to_file_or_stdout(file: Option<&Path>, text: &str) -> Result<(), Failure> {
    match file {
        Some(path) => fs::write(path, text)
            .map_err(|error| Failure::error(format!("cannot write {}: {error}", path.display()))),
        None => {
            result(text);
            Ok(())
        }
    }
}

/// Tells what is being done on standard error.
pub struct Told;

impl Progress for Told {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        message(&format!("{phase}: {detail}"));
    }
}
