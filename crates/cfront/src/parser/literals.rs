//! Constants and strings: decoding the tokens and storing the values.

use super::{Failed, Parsed, Parser};
use crate::ast::{Encoding, ExprKind, FloatLit, StringId};
use crate::diag::Diagnostic;
use crate::numeral::{self, Numeral};
use crate::span::Span;
use crate::string_literal;
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn number(&mut self) -> ExprKind {
        let token = self.bump();
        match numeral::decode(token.span.of(self.text)) {
            Ok(Numeral::Int(literal)) => {
                // Constants recur; storing each value once keeps large tables small.
                let ast = &mut self.ast;
                let id = *self.int_ids.entry(literal).or_insert_with(|| ast.push(literal));
                ExprKind::Int(id)
            }
            Ok(Numeral::Float { text, suffix, imaginary }) => {
                let text = self.lexer.interner.intern(&text);
                ExprKind::Float(FloatLit { text, suffix, imaginary })
            }
            Err(message) => self.bad_literal(message, token.span),
        }
    }

    pub(super) fn character(&mut self) -> ExprKind {
        let token = self.bump();
        match string_literal::decode_char(token.span.of(self.text), &mut self.units) {
            Ok(literal) => ExprKind::Char(literal),
            Err(message) => self.bad_literal(message, token.span),
        }
    }

    fn bad_literal(&mut self, message: String, span: Span) -> ExprKind {
        self.report(Diagnostic::error(message, span));
        ExprKind::Error
    }

    /// One or more adjacent string literals.
    pub(super) fn string(&mut self) -> Parsed<StringId> {
        if !self.at(TokenKind::Str) {
            return Err(self.expected("a string literal"));
        }
        let lo = self.lo();
        // The encoding of the whole is known only at its end, so the tokens are kept meanwhile.
        let first = self.bump().span;
        let mut encoding = string_literal::prefix(first.of(self.text));
        let mut rest = Vec::new();
        while self.at(TokenKind::Str) {
            let span = self.bump().span;
            rest.push(span);
            match string_literal::join(encoding, string_literal::prefix(span.of(self.text))) {
                Some(joined) => encoding = joined,
                None => {
                    let message = "string literals of different encodings cannot be joined";
                    self.report(Diagnostic::error(message, span));
                    return Err(Failed);
                }
            }
        }
        self.units.clear();
        for span in std::iter::once(first).chain(rest) {
            let text = span.of(self.text);
            if let Err(message) = string_literal::decode_string(text, encoding, &mut self.units) {
                self.report(Diagnostic::error(message, span));
            }
        }
        let span = self.span_from(lo);
        Ok(match encoding {
            Encoding::Plain | Encoding::Utf8 => {
                self.ast.push_narrow_string(encoding, &self.units.narrow, span)
            }
            _ => self.ast.push_wide_string(encoding, &self.units.wide, span),
        })
    }
}
