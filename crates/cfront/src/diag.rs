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
//! The renderer is our own because it is small and must not change: what users read is pinned by
//! tests, tabs and bytes that are not UTF-8 must keep the caret in place, and the very long lines
//! that macros leave behind are cut to a window around the caret.

use std::fmt::Write as _;

use crate::source::SourceBuffer;
use crate::span::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; the result is usable.
    Warning,
    /// The program is not valid C, or not C as we understand it.
    Error,
    /// The program may be valid, but uses what is not supported; it is named.
    Unsupported,
}

impl Severity {
    fn label(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
        }
    }
}

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
        let mut out = format!("{}: {}\n", self.severity.label(), self.message);
        excerpt(&mut out, source, self.span, self.label.as_deref());
        for note in &self.notes {
            match note.span {
                Some(span) => {
                    let _ = writeln!(out, "note: {}", note.message);
                    excerpt(&mut out, source, span, None);
                }
                None => {
                    let _ = writeln!(out, "  = note: {}", note.message);
                }
            }
        }
        out
    }
}

/// Renders all of them, separated by blank lines.
pub fn render_all(diagnostics: &[Diagnostic], source: &SourceBuffer) -> String {
    diagnostics.iter().map(|d| d.render(source)).collect::<Vec<_>>().join("\n")
}

/// At most this many columns of a source line are shown.
const WINDOW: usize = 100;

/// A tab moves to the next multiple of this.
const TAB_STOP: usize = 4;

/// Place, source line and caret.
fn excerpt(out: &mut String, source: &SourceBuffer, span: Span, label: Option<&str>) {
    let place = source.resolve(span.lo);
    let line_number = place.line.to_string();
    let margin = " ".repeat(line_number.len());
    let _ = writeln!(out, "{margin}--> {}:{}:{}", place.file, place.line, place.column);
    let _ = writeln!(out, "{margin} |");

    let line = source.line_span(span.lo);
    let hi = span.hi.clamp(span.lo, line.hi.max(span.lo));
    let before = expand(Span::new(line.lo, span.lo.min(line.hi)).of(source.text()), 0);
    let start = before.chars().count();
    let marked = expand(Span::new(span.lo, hi).of(source.text()), start);
    let width = marked.chars().count();
    let after = expand(Span::new(hi, line.hi).of(source.text()), start + width);

    // Keep the caret and some context to its left in view.
    let text: Vec<char> = before.chars().chain(marked.chars()).chain(after.chars()).collect();
    let first = if text.len() <= WINDOW { 0 } else { start.saturating_sub(WINDOW / 3) };
    let last = text.len().min(first + WINDOW);
    let (open, close) =
        (if first > 0 { "…" } else { "" }, if last < text.len() { "…" } else { "" });
    let shown: String = text[first..last].iter().collect();
    let _ = writeln!(out, "{line_number} | {open}{}{close}", shown.trim_end());

    let indent = start - first + open.chars().count();
    let carets = width.clamp(1, last.saturating_sub(start).max(1));
    let label = label.map(|l| format!(" {l}")).unwrap_or_default();
    let _ = writeln!(out, "{margin} | {}{}{label}", " ".repeat(indent), "^".repeat(carets));
}

/// The bytes as characters of one column each: tabs become blanks, bytes that are not UTF-8 and
/// control characters become U+FFFD.
fn expand(bytes: &[u8], start: usize) -> String {
    let mut out = String::new();
    let mut column = start;
    for c in String::from_utf8_lossy(bytes).chars() {
        let width = if c == '\t' { TAB_STOP - column % TAB_STOP } else { 1 };
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', width));
        } else {
            out.push(if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
        }
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &[u8], span: Span) -> String {
        let source = SourceBuffer::new("t.c", text.to_vec()).unwrap();
        Diagnostic::error("bad", span).render(&source)
    }

    #[test]
    fn tabs_and_foreign_bytes_keep_the_caret_in_place() {
        assert_eq!(
            render(b"\ta\t\xe9 xyz;\n", Span::new(5, 8)),
            "error: bad\n --> t.c:1:6\n  |\n1 |     a   \u{fffd} xyz;\n  |           ^^^\n"
        );
    }

    #[test]
    fn the_end_of_the_text_has_a_caret() {
        assert_eq!(
            render(b"int x\n", Span::new(6, 6)),
            "error: bad\n --> t.c:2:1\n  |\n2 | \n  | ^\n"
        );
    }

    #[test]
    fn a_span_over_several_lines_marks_the_first() {
        assert_eq!(
            render(b"f(a,\n  b)", Span::new(2, 8)),
            "error: bad\n --> t.c:1:3\n  |\n1 | f(a,\n  |   ^^\n"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let mut text = vec![b'a'; 500];
        text[300] = b'!';
        let shown = render(&text, Span::new(300, 301));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[3].chars().count(), 4 + 1 + WINDOW + 1);
        let column = lines[3].chars().position(|c| c == '!');
        assert_eq!(lines[4].chars().position(|c| c == '^'), column);
    }

    #[test]
    fn notes_follow() {
        let source = SourceBuffer::new("t.c", b"(a;".to_vec()).unwrap();
        let error = Diagnostic::error("expected `)`", Span::new(2, 3))
            .with_label("here")
            .with_note_at("to match this", Span::new(0, 1))
            .with_note("hint");
        assert_eq!(
            error.render(&source),
            "error: expected `)`\n --> t.c:1:3\n  |\n1 | (a;\n  |   ^ here\n\
             note: to match this\n --> t.c:1:1\n  |\n1 | (a;\n  | ^\n  = note: hint\n"
        );
    }
}
