//! Where in the user's own files a thing stands.

use std::fmt;

use crate::arena::{Arena, Id};
use crate::ids;

ids! {
    /// One of the user's files (after line markers: not the preprocessed text).
    FileId "file";
}

/// A range of the user's source, lines and columns counted from 1; the end is exclusive in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First line.
    pub line: u32,
    /// First column, in bytes.
    pub column: u16,
    /// Column behind the last byte, on `end_line`.
    pub end_column: u16,
    /// Last line.
    pub end_line: u32,
}

impl Span {
    /// A place that no user wrote: code made by the front end itself.
    pub const NONE: Span =
        Span { file: FileId(u32::MAX), line: 0, column: 0, end_column: 0, end_line: 0 };

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }
}

/// A place in the user's source that stands for itself: `file:line:column`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The name of the file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column, in bytes.
    pub column: u16,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The names of the user's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    names: Arena<FileId, String>,
}

impl Files {
    /// The id of the file of that name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> FileId {
        match self.names.iter().position(|n| n == name) {
            Some(index) => FileId::from_index(index),
            None => self.names.push(name.to_owned()),
        }
    }

    /// The name; `<none>` for [`Span::NONE`].
    pub fn name(&self, file: FileId) -> &str {
        self.names.get(file).map_or("<none>", String::as_str)
    }

    /// All files in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &str)> {
        self.names.iter_ids().map(|(id, name)| (id, name.as_str()))
    }

    /// Where that is, for whoever has no program at hand; `None` if no user wrote it.
    pub fn position(&self, span: Span) -> Option<Position> {
        let file = self.names.get(span.file)?.clone();
        Some(Position { file, line: span.line, column: span.column })
    }

    /// `file:line:column` as compilers print it.
    pub fn show(&self, span: Span) -> String {
        if span.is_none() {
            return "<none>".to_owned();
        }
        format!("{}:{}:{}", self.name(span.file), span.line, span.column)
    }
}
