//! Messages about the user's text: file, line, column, the line with a caret, what was expected.
//!
//! The readers collect as many as make sense in one run ([`Diagnostics`]); an error makes the
//! input unusable, a warning only says that a reading may surprise. The layout is that of all
//! readers: [`gnomon_excerpt`].

use std::fmt::Write as _;

pub use gnomon_excerpt::Severity;
use gnomon_excerpt::{Message, Note, Place};

use crate::source::{Source, Span};

/// One message.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub span: Span,
    /// What happened.
    pub message: String,
    /// What the user can do, or what else to know.
    pub help: Option<String>,
}

/// The messages of one run, in the order of their discovery.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    suppressed: usize,
}

/// More errors than this are counted, not kept: noise would otherwise bury the first ones.
const MAX_KEPT: usize = 20;

impl Diagnostics {
    fn push(&mut self, diagnostic: Diagnostic) {
        let same = |d: &Diagnostic| d.severity == diagnostic.severity;
        if self.list.iter().filter(|d| same(d)).count() < MAX_KEPT {
            self.list.push(diagnostic);
        } else {
            self.suppressed += 1;
        }
    }

    /// Records an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        let message = message.into();
        self.push(Diagnostic { severity: Severity::Error, span, message, help: None });
    }

    /// Records an error with advice.
    pub fn error_with_help(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (message, help) = (message.into(), Some(help.into()));
        self.push(Diagnostic { severity: Severity::Error, span, message, help });
    }

    /// Records a warning with advice.
    pub fn warning(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let (message, help) = (message.into(), Some(help.into()));
        self.push(Diagnostic { severity: Severity::Warning, span, message, help });
    }

    /// Whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether so many were found that going on makes no sense.
    pub fn is_full(&self) -> bool {
        self.suppressed > 0
    }

    /// All that were kept.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Adds the messages of another run.
    pub fn append(&mut self, other: Self) {
        self.suppressed += other.suppressed;
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }

    /// The text a person reads: each message with its line and a caret.
    pub fn render(&self, source: &Source) -> String {
        let mut out = String::new();
        for diagnostic in &self.list {
            let help = diagnostic.help.as_ref().map(|text| Note { text, place: None });
            out += &Message::new(
                diagnostic.severity,
                &diagnostic.message,
                place(source, diagnostic.span),
            )
            .notes(help)
            .render();
        }
        if self.suppressed > 0 {
            let _ = writeln!(out, "... and {} more", self.suppressed);
        }
        out
    }
}

/// The part of a span that lies on its first line.
fn place(source: &Source, span: Span) -> Place<'_> {
    let at = source.position(span.start);
    let line = source.line(at.line);
    let column = line.char_indices().nth(at.column as usize - 1);
    let start = column.map_or(line.len(), |(start, _)| start);
    let wanted = start + span.end.saturating_sub(span.start) as usize;
    let end = (start..=line.len()).rfind(|&end| end <= wanted && line.is_char_boundary(end));
    let (before, rest) = line.split_at(start);
    let (marked, after) = rest.split_at(end.unwrap_or(start) - start);
    Place {
        file: source.name(),
        line: at.line as usize,
        before: before.as_bytes(),
        marked: marked.as_bytes(),
        after: after.as_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_file_line_column_and_caret() {
        let source = Source::new("x.bp", "decl a;\n  bad b;\n");
        let mut messages = Diagnostics::default();
        messages.error_with_help(Span::new(10, 13), "expected a function", "write one");
        assert_eq!(
            messages.render(&source),
            "error: expected a function\n --> x.bp:2:3\n  |\n2 |   bad b;\n  |   ^^^\n  |\n  = note: write one\n"
        );
    }

    #[test]
    fn many_messages_are_counted_not_kept() {
        let mut messages = Diagnostics::default();
        for _ in 0..100 {
            messages.error(Span::new(0, 1), "x");
        }
        assert_eq!(messages.iter().count(), MAX_KEPT);
        assert!(messages.is_full());
    }
}
