//! From text to model: which dialect a text is in, and one function to read it.

use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::source::Source;
use crate::{bp, pds, remopla};

/// The languages that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Boolean programs of the SLAM family.
    BooleanProgram,
    /// The input language of Moped 2.
    Remopla,
    /// Rules `p a -> q b c`.
    Pushdown,
}

impl Dialect {
    /// The dialect a file name tells: `.rem` and `.pds` are special, all others are Boolean
    /// programs.
    pub fn of_file_name(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("rem") => Self::Remopla,
            Some("pds") => Self::Pushdown,
            _ => Self::BooleanProgram,
        }
    }
}

/// Choices of the user about where to start.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The procedure to start from, if not the usual one.
    pub entry: Option<String>,
    /// For pushdown systems: the first configuration, `p a` or `p|a,b` for several threads.
    pub initial: Option<String>,
}

/// What reading gave.
#[derive(Clone, Debug)]
pub struct ReadResult {
    /// The model, if there was no error.
    pub model: Option<Model>,
    /// All messages.
    pub messages: Diagnostics,
}

/// Reads a text: parses it, checks it, and lowers it to the model.
pub fn read(source: &Source, dialect: Dialect, options: &ReadOptions) -> ReadResult {
    let mut messages = Diagnostics::default();
    let entry = options.entry.as_deref();
    let model = match dialect {
        Dialect::BooleanProgram => {
            let program = bp::parse::parse(source.text(), &mut messages);
            if messages.has_errors() { None } else { bp::lower(&program, entry, &mut messages) }
        }
        Dialect::Remopla => {
            let program = remopla::parse::parse(source.text(), &mut messages);
            if messages.has_errors() {
                None
            } else {
                remopla::lower(&program, entry, &mut messages)
            }
        }
        Dialect::Pushdown => {
            let system = pds::parse(source.text(), &mut messages);
            if messages.has_errors() {
                None
            } else {
                pds::lower(&system, options.initial.as_deref(), &mut messages)
            }
        }
    };
    ReadResult { model, messages }
}

/// The program in canonical form, or the messages that say why there is none.
pub fn canonical(source: &Source, dialect: Dialect) -> Result<String, Diagnostics> {
    let mut messages = Diagnostics::default();
    let text = match dialect {
        Dialect::BooleanProgram => {
            bp::print::program(&bp::parse::parse(source.text(), &mut messages))
        }
        Dialect::Remopla => {
            remopla::print::program(&remopla::parse::parse(source.text(), &mut messages))
        }
        Dialect::Pushdown => pds::print(&pds::parse(source.text(), &mut messages)),
    };
    if messages.has_errors() { Err(messages) } else { Ok(text) }
}
