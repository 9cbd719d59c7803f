//! Messages about the user's text: file, line, column, the line with a caret, what was expected.
//!
//! The readers collect as many as make sense in one run ([`Diagnostics`]); an error makes the
//! input unusable, a warning only says that a reading may surprise. Rendering is the same for
//! every dialect.

use std::fmt::Write as _;

use crate::source::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input can be used, but perhaps not as its author meant.
    Warning,
    /// The input cannot be used.
    Error,
}

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

    /// The text a person reads, each message as `file:line:column: error: ...`, the line and a
    /// caret.
    pub fn render(&self, source: &Source) -> String {
        let mut out = String::new();
        for diagnostic in &self.list {
            render_one(diagnostic, source, &mut out);
        }
        if self.suppressed > 0 {
            let _ = writeln!(out, "... and {} more", self.suppressed);
        }
        out
    }
}

fn render_one(diagnostic: &Diagnostic, source: &Source, out: &mut String) {
    let at = source.position(diagnostic.span.start);
    let kind = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let Diagnostic { message, .. } = diagnostic;
    let _ = writeln!(out, "{}:{}:{}: {kind}: {message}", source.name(), at.line, at.column);
    let (line, column) = excerpt(source.line(at.line), at.column as usize);
    if !line.is_empty() {
        let caret = " ".repeat(column - 1);
        let span = diagnostic.span;
        let rest = line.chars().count().saturating_sub(column - 1).max(1);
        let width = (span.end.saturating_sub(span.start) as usize).clamp(1, rest);
        let _ = writeln!(out, "{:>5} | {line}", at.line);
        let _ = writeln!(out, "      | {caret}{}", "^".repeat(width));
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "      = {help}");
    }
}

/// A window of a line that contains the column, so that a line of a megabyte is not printed;
/// control characters become spaces to keep the caret in its column.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    const WIDTH: usize = 100;
    let first = if column > WIDTH { column - WIDTH / 2 } else { 1 };
    let text: String = line
        .chars()
        .skip(first - 1)
        .take(WIDTH + 20)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    (text.trim_end().to_owned(), column - first + 1)
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
            "x.bp:2:3: error: expected a function\n    2 |   bad b;\n      |   ^^^\n      = write one\n"
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
