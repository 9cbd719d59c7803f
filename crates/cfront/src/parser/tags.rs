//! `struct`, `union` and `enum`.

use super::declarators::DeclaratorMode;
use super::scope::NameKind;
use super::specifiers::TypeNeed;
use super::{Parsed, Parser};
use crate::ast::{
    Enum, EnumId, Enumerator, List, Member, MemberDeclarator, MemberKind, Record, RecordId,
    RecordKind,
};
use crate::span::Span;
use crate::symbol::Symbol;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `struct` or `union`, with or without members.
    pub(super) fn record(&mut self) -> Parsed<RecordId> {
        let keyword = self.bump();
        let kind = match keyword.kind {
            TokenKind::KwUnion => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let (tag, tag_span) = self.tag(keyword.span);
        let mut pack = None;
        let mut members = None;
        if self.at(TokenKind::LBrace) {
            members = Some(self.deeper(|p| p.members())?);
            // The closing brace is the current token: the pragmas seen are those in front of it.
            pack = self.lexer.pack.current();
            self.expect(TokenKind::RBrace)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        let span = self.span_from(keyword.span.lo);
        if members.is_some() {
            self.attributes()?;
        }
        let attributes = self.finish_attributes(attribute_base);
        Ok(self.ast.push(Record { kind, pack, tag, tag_span, members, attributes, span }))
    }

    /// The tag after the keyword, if any.
    fn tag(&mut self, keyword: Span) -> (Option<Symbol>, Span) {
        if self.at(TokenKind::Ident) {
            let token = self.bump();
            (Some(token.symbol), token.span)
        } else {
            (None, keyword)
        }
    }

    /// From `{` up to, but not past, the closing brace.
    fn members(&mut self) -> Parsed<List<Member>> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let base = self.scratch.members.len();
        loop {
            match self.kind() {
                TokenKind::RBrace => break,
                TokenKind::Eof => {
                    let note = Some(("to match this", open));
                    return Err(self.expected_with_note("`}`", note));
                }
                TokenKind::Semi => {
                    self.bump();
                }
                _ => {
                    let mark = self.mark();
                    match self.member() {
                        Ok(member) => self.scratch.members.push(member),
                        Err(_) => self.skip_broken(mark),
                    }
                }
            }
        }
        Ok(self.finish_list(|s| &mut s.members, base))
    }

    fn member(&mut self) -> Parsed<Member> {
        let lo = self.lo();
        while self.eat(TokenKind::KwExtension) {}
        if self.at(TokenKind::KwStaticAssert) {
            let (cond, message) = self.static_assert()?;
            let span = self.span_from(lo);
            return Ok(Member { kind: MemberKind::StaticAssert { cond, message }, span });
        }
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let specs = self.specifiers(attribute_base, TypeNeed::Required)?;
        let base = self.scratch.member_declarators.len();
        if !self.at(TokenKind::Semi) {
            loop {
                let declarator = self.member_declarator()?;
                self.scratch.member_declarators.push(declarator);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let declarators = self.finish_list(|s| &mut s.member_declarators, base);
        // The semicolon before the closing brace may be missing, as in gcc.
        if !self.at(TokenKind::RBrace) {
            self.expect_semi("the member")?;
        }
        let span = self.span_from(lo);
        Ok(Member { kind: MemberKind::Fields { specs, declarators }, span })
    }

    fn member_declarator(&mut self) -> Parsed<MemberDeclarator> {
        let lo = self.lo();
        let mut head = self.declarator_head(DeclaratorMode::Member)?;
        let mut hi = self.prev_hi.max(lo);
        let mut bit_width = None;
        if self.eat(TokenKind::Colon) {
            bit_width = Some(self.conditional()?);
            hi = self.prev_hi;
        }
        self.declarator_suffixes(&mut head)?;
        let declarator = self.finish_declarator(head);
        Ok(MemberDeclarator { declarator, bit_width, span: Span::new(lo, hi) })
    }

    /// `enum`, with or without enumerators.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumId> {
        let keyword = self.bump();
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let (tag, tag_span) = self.tag(keyword.span);
        let mut underlying = None;
        // `enum e : 3` is an unnamed bit-field, `enum e : int` names the type.
        if self.at(TokenKind::Colon) {
            let next = self.peek();
            if self.starts_type_name(next) {
                self.bump();
                underlying = Some(self.underlying_type()?);
            }
        }
        let mut enumerators = None;
        if self.at(TokenKind::LBrace) {
            enumerators = Some(self.deeper(|p| p.enumerators())?);
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        let span = self.span_from(keyword.span.lo);
        if enumerators.is_some() {
            self.attributes()?;
        }
        let attributes = self.finish_attributes(attribute_base);
        Ok(self.ast.push(Enum { tag, tag_span, underlying, enumerators, attributes, span }))
    }

    /// The type after `enum e :`, which has no declarator.
    fn underlying_type(&mut self) -> Parsed<crate::ast::TypeNameId> {
        let lo = self.lo();
        let specs = self.specifiers(self.scratch.attributes.len(), TypeNeed::Required)?;
        let span = self.span_from(lo);
        let declarator = self.empty_declarator;
        Ok(self.ast.push(crate::ast::TypeName { specs, declarator, span }))
    }

    fn enumerators(&mut self) -> Parsed<List<Enumerator>> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut enumerators = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let lo = self.lo();
            if !self.at(TokenKind::Ident) {
                let note = Some(("in the enumeration that begins here", open));
                return Err(self.expected_with_note("an enumerator or `}`", note));
            }
            let name = self.bump().symbol;
            let attribute_base = self.scratch.attributes.len();
            self.attributes()?;
            let attributes = self.finish_attributes(attribute_base);
            let value = if self.eat(TokenKind::Assign) { Some(self.conditional()?) } else { None };
            self.scopes.declare(name, NameKind::Ordinary);
            let span = self.span_from(lo);
            enumerators.push(Enumerator { name, value, attributes, span });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.at(TokenKind::RBrace) {
            let note = Some(("in the enumeration that begins here", open));
            return Err(self.expected_with_note("`,` or `}`", note));
        }
        self.bump();
        Ok(self.ast.append(&enumerators))
    }
}
