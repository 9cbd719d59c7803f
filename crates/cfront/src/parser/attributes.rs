//! `__attribute__((...))` and `[[...]]`.

use super::{Parsed, Parser};
use crate::ast::{Attribute, AttributeArg, AttributeSyntax, ExprKind, List};
use crate::span::Span;
use crate::symbol::Symbol;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Whether an attribute begins here.
    pub(super) fn at_attribute(&mut self) -> bool {
        self.at(TokenKind::KwAttribute)
            || (self.at(TokenKind::LBracket) && self.peek().kind == TokenKind::LBracket)
    }

    /// Collects any number of attributes in the scratch list; see [`Parser::finish_attributes`].
    pub(super) fn attributes(&mut self) -> Parsed<()> {
        loop {
            if self.at(TokenKind::KwAttribute) {
                self.gnu_attributes()?;
            } else if self.at_attribute() {
                self.bracketed_attributes()?;
            } else {
                return Ok(());
            }
        }
    }

    /// The attributes collected since the scratch list had length `base`.
    pub(super) fn finish_attributes(&mut self, base: usize) -> List<Attribute> {
        self.finish_list(|s| &mut s.attributes, base)
    }

    /// `__attribute__((name, name(args), ...))`.
    fn gnu_attributes(&mut self) -> Parsed<()> {
        self.bump();
        let outer = self.expect(TokenKind::LParen)?.span;
        let inner = self.expect(TokenKind::LParen)?.span;
        while !self.at(TokenKind::RParen) {
            if self.eat(TokenKind::Comma) {
                continue;
            }
            let lo = self.lo();
            let Some(name) = self.attribute_name() else {
                return Err(self.expected("the name of an attribute"));
            };
            let args = self.attribute_args(true)?;
            let span = self.span_from(lo);
            let syntax = AttributeSyntax::Gnu;
            self.scratch.attributes.push(Attribute { name, namespace: None, syntax, args, span });
            if !self.at(TokenKind::RParen) {
                self.expect(TokenKind::Comma)?;
            }
        }
        self.expect_closing(TokenKind::RParen, inner)?;
        self.expect_closing(TokenKind::RParen, outer)
    }

    /// `[[name, space::name(args), ...]]`.
    fn bracketed_attributes(&mut self) -> Parsed<()> {
        let outer = self.bump().span;
        let inner = self.bump().span;
        while !self.at(TokenKind::RBracket) {
            if self.eat(TokenKind::Comma) {
                continue;
            }
            let lo = self.lo();
            let Some(mut name) = self.attribute_name() else {
                return Err(self.expected("the name of an attribute"));
            };
            let mut namespace = None;
            if self.eat(TokenKind::ColonColon) {
                namespace = Some(name);
                match self.attribute_name() {
                    Some(second) => name = second,
                    None => return Err(self.expected("the name of an attribute")),
                }
            }
            let is_gnu = namespace.is_some_and(|n| self.lexer.interner.name(n) == "gnu");
            let args = self.attribute_args(is_gnu)?;
            let span = self.span_from(lo);
            let syntax = AttributeSyntax::Bracketed;
            self.scratch.attributes.push(Attribute { name, namespace, syntax, args, span });
            if !self.at(TokenKind::RBracket) {
                self.expect(TokenKind::Comma)?;
            }
        }
        self.expect_closing(TokenKind::RBracket, inner)?;
        self.expect_closing(TokenKind::RBracket, outer)
    }

    /// An identifier or keyword, without double underscores around it.
    fn attribute_name(&mut self) -> Option<Symbol> {
        let token = self.token;
        let first = token.span.of(self.text).first()?;
        if !(first.is_ascii_alphabetic() || *first == b'_') || token.kind == TokenKind::Str {
            return None;
        }
        self.bump();
        let name = self.lexer.interner.name(token.symbol);
        let inner = name.strip_prefix("__").and_then(|n| n.strip_suffix("__"));
        match inner.filter(|n| !n.is_empty()).map(str::to_owned) {
            Some(inner) => Some(self.lexer.interner.intern(&inner)),
            None => Some(token.symbol),
        }
    }

    /// Arguments in parentheses, if any. Those of attributes that gcc does not know have a syntax
    /// of their own and are kept as text.
    fn attribute_args(&mut self, known_syntax: bool) -> Parsed<List<AttributeArg>> {
        if !self.at(TokenKind::LParen) {
            return Ok(List::EMPTY);
        }
        let open = self.bump().span;
        if !known_syntax {
            let span = self.skip_balanced(open)?;
            return Ok(self.ast.append(&[AttributeArg::Tokens(span)]));
        }
        let mut args = Vec::new();
        while !self.at(TokenKind::RParen) {
            args.push(self.attribute_arg()?);
            if !self.at(TokenKind::RParen) {
                self.expect(TokenKind::Comma)?;
            }
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(self.ast.append(&args))
    }

    fn attribute_arg(&mut self) -> Parsed<AttributeArg> {
        let token = self.token;
        // `mode(word)`: a lone name is not a type here even if there is such a typedef.
        let is_lone_name = token.kind == TokenKind::Ident
            && matches!(self.peek().kind, TokenKind::Comma | TokenKind::RParen);
        if is_lone_name {
            self.bump();
            let name = ExprKind::Ident(token.symbol);
            return Ok(AttributeArg::Expr(self.expr_from(token.span.lo, name)));
        }
        if self.starts_type_name(token) {
            return Ok(AttributeArg::Type(self.type_name()?));
        }
        Ok(AttributeArg::Expr(self.assignment()?))
    }

    /// Skips to the parenthesis that closes the one at `open`, and past it; the span of what is
    /// between them.
    fn skip_balanced(&mut self, open: Span) -> Parsed<Span> {
        let lo = self.lo();
        let mut depth = 0u32;
        loop {
            match self.kind() {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
                TokenKind::RParen if depth == 0 => break,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Eof => break,
                _ => {}
            }
            self.bump();
        }
        let span = Span::new(lo, self.prev_hi.max(lo));
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(span)
    }
}
