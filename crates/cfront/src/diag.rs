//! Messages to the user about their source, and how they are shown.
//!
//! A [`Diagnostic`] says what is wrong and where; [`Diagnostic::render`] shows it with file, line,
//! column, the source line and a caret, in the style of rustc:
//!
//! ```
//! use gnomon_cfront::diag::Diagnostic;
//! use gnomon_cfront::source::SourceBuffer;
//! use gnomon_cfront::span::Span;
//!
//! let source = SourceBuffer::new("a.c", b"int x = ;\n".to_vec()).unwrap();
//! let error = Diagnostic::error("expected an expression, found `;`", Span::new(8, 9));
//! assert_eq!(
//!     error.render(&source),
//!     "\
//! error: expected an expression, found `;`
//!  --> a.c:1:9
//!   |
//! 1 | int x = ;
//!   |         ^
//! "
//! );
//! ```
//!
//! The layout is that of all readers: [`gnomon_excerpt`].

pub use gnomon_excerpt::Severity;
use gnomon_excerpt::{self as excerpt, Message, Place};

use crate::source::SourceBuffer;
use crate::span::Span;

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line without a final period.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Shown beside the caret: what was expected there.
    pub label: Option<String>,
    /// More places and hints.
    pub notes: Vec<Note>,
}

/// An addition to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The text.
    pub message: String,
    /// A second place, such as that of an opening bracket.
    pub span: Option<Span>,
}

impl Diagnostic {
    /// A message of the given severity.
    pub fn new(severity: Severity, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic { severity, message: message.into(), span, label: None, notes: Vec::new() }
    }

    /// An error.
    pub fn error(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, message, span)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message, span)
    }

    /// Something that is not supported; `message` names the construct.
    pub fn unsupported(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Unsupported, message, span)
    }

    /// Adds the text beside the caret.
    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// Adds a hint.
    pub fn with_note(mut self, message: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { message: message.into(), span: None });
        self
    }

    /// Adds a second place.
    pub fn with_note_at(mut self, message: impl Into<String>, span: Span) -> Diagnostic {
        self.notes.push(Note { message: message.into(), span: Some(span) });
        self
    }

    /// Whether the program cannot be used because of this.
    pub fn is_fatal(&self) -> bool {
        self.severity != Severity::Warning
    }

    /// The message as text of several lines, ending with a newline.
    pub fn render(&self, source: &SourceBuffer) -> String {
        let notes = self.notes.iter().map(|note| excerpt::Note {
            text: &note.message,
            place: note.span.map(|span| place(source, span)),
        });
        Message::new(self.severity, &self.message, place(source, self.span))
            .label(self.label.as_deref())
            .notes(notes)
            .render()
    }
}

/// Renders all of them, separated by blank lines.
pub fn render_all(diagnostics: &[Diagnostic], source: &SourceBuffer) -> String {
    diagnostics.iter().map(|d| d.render(source)).collect::<Vec<_>>().join("\n")
}

/// The part of a span that lies on its first line.
fn place(source: &SourceBuffer, span: Span) -> Place<'_> {
    let at = source.resolve(span.lo);
    let line = source.line_span(span.lo);
    let lo = span.lo.clamp(line.lo, line.hi);
    let hi = span.hi.clamp(lo, line.hi);
    let part = |from, to| Span::new(from, to).of(source.text());
    Place {
        file: at.file,
        line: at.line as usize,
        before: part(line.lo, lo),
        marked: part(lo, hi),
        after: part(hi, line.hi),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &[u8], span: Span) -> String {
        let source = SourceBuffer::new("t.c", text.to_vec()).unwrap();
        Diagnostic::error("bad", span).render(&source)
    }

    #[test]
    fn the_end_of_the_text_has_a_caret() {
        assert_eq!(
            render(b"int x\n", Span::new(6, 6)),
            "error: bad\n --> t.c:2:1\n  |\n2 |\n  | ^\n"
        );
    }

    #[test]
    fn a_span_over_several_lines_marks_the_first() {
        assert_eq!(
            render(b"f(a,\n  b)", Span::new(2, 8)),
            "error: bad\n --> t.c:1:3\n  |\n1 | f(a,\n  |   ^^\n"
        );
    }
}
