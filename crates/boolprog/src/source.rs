//! Places in a source text.
//!
//! A [`Span`] is a pair of byte offsets; lines and columns are computed from the text only when a
//! message is shown. Spans are carried by the syntax trees so that every later message can point
//! at the user's text, but they are no part of a program's meaning: two spans always compare
//! equal, hence two trees are equal exactly when they say the same thing. The round trip through
//! the printers relies on that.

use std::hash::{Hash, Hasher};

/// A range of bytes of the source text. All spans are equal to each other (see the module text).
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Span {
    /// The span from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A name or a line of source with its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The text as written (names in braces keep their braces).
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl Ident {
    /// A name that is written nowhere.
    pub fn synthetic(text: impl Into<String>) -> Self {
        Self { text: text.into(), span: Span::default() }
    }
}

/// Line and column, both counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

/// A text with the offsets of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Indexes `text`; `name` is how messages call it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, b)| b == b'\n')
                .map(|(i, _)| u32::try_from(i + 1).unwrap_or(u32::MAX)),
        );
        Self { name: name.into(), text, line_starts }
    }

    /// How messages call this text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&s| s <= offset).max(1) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |t| t.chars().count());
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: narrow(line + 1), column: narrow(column + 1) }
    }

    /// The text of a line, counted from one, without its end.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&e| e as usize - 1);
        self.text.get(start as usize..end).unwrap_or("").trim_end_matches('\r')
    }

    /// The text of a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_lines_from_one() {
        let source = Source::new("t", "ab\nçd\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(3), Position { line: 2, column: 1 });
        assert_eq!(source.position(5), Position { line: 2, column: 2 });
        assert_eq!(source.line(2), "çd");
        assert_eq!(source.line(9), "");
    }
}
