//! Reporting errors, and finding a place to go on after one.

use super::{Failed, Mark, Parser};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// Records a diagnostic, unless there are too many already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.error_count >= self.options.max_errors {
            return;
        }
        self.error_count += usize::from(diagnostic.is_fatal());
        if self.error_count < self.options.max_errors {
            self.diagnostics.push(diagnostic);
            return;
        }
        let note = format!("stopped after {} errors", self.error_count);
        self.diagnostics.push(diagnostic.with_note(note));
        self.give_up();
    }

    /// Treats the rest of the text as absent.
    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
        self.lexer.stop();
        let end = self.text.len() as u32;
        self.ahead_len = 0;
        self.token =
            Token { kind: TokenKind::Eof, span: Span::new(end, end), symbol: self.token.symbol };
    }

    /// Reports that the current token is not `what`.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        self.expected_with_note(what, None)
    }

    pub(super) fn expected_with_note(&mut self, what: &str, note: Option<(&str, Span)>) -> Failed {
        let found = self.describe(self.token);
        let mut error =
            Diagnostic::error(format!("expected {what}, found {found}"), self.token.span);
        if let Some((message, span)) = note {
            error = error.with_note_at(message, span);
        }
        self.unexpected(error)
    }

    /// Reports an error at the current token, unless that token is the subject of one already.
    pub(super) fn unexpected(&mut self, error: Diagnostic) -> Failed {
        let is_known = self.diagnostics.iter().any(|d| d.is_fatal() && d.span.lo == error.span.lo);
        if !self.at(TokenKind::Invalid) && !is_known && !self.gave_up {
            self.report(error);
        }
        Failed
    }

    /// How a message names a token.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "end of file".to_owned(),
            _ => {
                let text = String::from_utf8_lossy(token.span.of(self.text));
                let mut shown: String = text.chars().take(40).collect();
                if shown.len() < text.len() {
                    shown.push('…');
                }
                match token.kind {
                    TokenKind::Str | TokenKind::Char | TokenKind::Number => {
                        format!("{} `{shown}`", token.kind.describe())
                    }
                    _ => format!("`{shown}`"),
                }
            }
        }
    }

    /// A semicolon that ends `what`.
    ///
    /// The message points behind the last token, where it is missing. If the next token is on
    /// another line, only the semicolon was forgotten, and parsing goes on as if it were there.
    pub(super) fn expect_semi(&mut self, what: &str) -> Result<(), Failed> {
        if self.at(TokenKind::Semi) {
            self.bump();
            return Ok(());
        }
        let place = Span::new(self.prev_hi, self.prev_hi);
        let found = self.describe(self.token);
        let error = Diagnostic::error(format!("expected `;` after {what}, found {found}"), place)
            .with_label("expected `;`");
        let failed = self.unexpected(error);
        let between = Span::new(self.prev_hi, self.lo()).of(self.text);
        let continues = between.contains(&b'\n') && !self.at(TokenKind::Invalid);
        if continues { Ok(()) } else { Err(failed) }
    }

    /// Skips the rest of a broken declaration, member or statement: past the next `;` or `{...}`,
    /// or up to a `}` that closes what is around it.
    pub(super) fn skip_broken(&mut self, mark: Mark) {
        self.reset(mark);
        let mut open = 0u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semi if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => open += 1,
                TokenKind::RBrace if open == 0 => return,
                TokenKind::RBrace => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        // `struct { ... } x;`, `int a[] = { ... };`: the end is still to come.
                        self.eat(TokenKind::Semi);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }
}
