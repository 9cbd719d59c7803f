//! Declarators: names, pointers, arrays, functions.

use super::scope::NameKind;
use super::specifiers::{TypeNeed, qualifier};
use super::{Parsed, Parser};
use crate::ast::{
    ArraySize, BasicType, Declarator, DeclaratorId, DerivedKind, DerivedPart, List, Param,
    ParamList, Quals, StringId, TypeSpec,
};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::token::TokenKind;

/// Which declarators are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclaratorMode {
    /// With a name.
    Named,
    /// A parameter: with or without a name.
    Param,
    /// A member: the name may be missing in front of `:`.
    Member,
    /// A type name: without a name.
    Abstract,
}

/// A declarator whose attributes and parts are still in the scratch lists.
pub(super) struct DeclaratorHead {
    pub(super) name: Option<Symbol>,
    name_span: Span,
    derived_base: usize,
    attribute_base: usize,
    asm_label: Option<StringId>,
    span: Span,
}

impl Parser<'_> {
    /// A declarator with the asm label and attributes after it.
    pub(super) fn declarator(&mut self, mode: DeclaratorMode) -> Parsed<DeclaratorId> {
        let mut head = self.declarator_head(mode)?;
        self.declarator_suffixes(&mut head)?;
        Ok(self.finish_declarator(head))
    }

    /// The declarator proper, with attributes in front of it.
    pub(super) fn declarator_head(&mut self, mode: DeclaratorMode) -> Parsed<DeclaratorHead> {
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let lo = self.lo();
        let mut head = DeclaratorHead {
            name: None,
            name_span: Span::new(lo, lo),
            derived_base: self.scratch.derived.len(),
            attribute_base,
            asm_label: None,
            span: Span::new(lo, lo),
        };
        let is_unnamed_bit_field = mode == DeclaratorMode::Member && self.at(TokenKind::Colon);
        if !is_unnamed_bit_field {
            self.declarator_parts(mode, &mut head)?;
            head.span = self.span_from(lo);
        }
        Ok(head)
    }

    /// `asm("label")` and attributes after a declarator.
    pub(super) fn declarator_suffixes(&mut self, head: &mut DeclaratorHead) -> Parsed<()> {
        loop {
            if self.at(TokenKind::KwAsm) {
                self.bump();
                head.asm_label = Some(self.in_parens(|p| p.string())?);
            } else if self.at_attribute() {
                self.attributes()?;
            } else {
                return Ok(());
            }
        }
    }

    pub(super) fn finish_declarator(&mut self, head: DeclaratorHead) -> DeclaratorId {
        let parts = self.finish_list(|s| &mut s.derived, head.derived_base);
        let attributes = self.finish_attributes(head.attribute_base);
        self.ast.push(Declarator {
            name: head.name,
            name_span: head.name_span,
            parts,
            attributes,
            asm_label: head.asm_label,
            span: head.span,
        })
    }

    /// Pointers, name or parenthesis, then arrays and parameter lists. The parts go to the scratch
    /// list from the name outwards: what is in the parentheses, suffixes, pointers from right to
    /// left.
    fn declarator_parts(&mut self, mode: DeclaratorMode, head: &mut DeclaratorHead) -> Parsed<()> {
        let pointer_base = self.scratch.pointers.len();
        while self.at(TokenKind::Star) {
            let pointer = self.pointer()?;
            self.scratch.pointers.push(pointer);
        }
        match self.kind() {
            TokenKind::Ident if mode != DeclaratorMode::Abstract => {
                let token = self.bump();
                head.name = Some(token.symbol);
                head.name_span = token.span;
            }
            TokenKind::LParen if !self.is_abstract_function(mode) => {
                let open = self.bump().span;
                self.attributes()?;
                self.deeper(|p| p.declarator_parts(mode, head))?;
                self.expect_closing(TokenKind::RParen, open)?;
            }
            _ if mode == DeclaratorMode::Named || mode == DeclaratorMode::Member => {
                return Err(self.expected("a name"));
            }
            _ => head.name_span = Span::new(self.lo(), self.lo()),
        }
        self.array_and_function_parts()?;
        while self.scratch.pointers.len() > pointer_base {
            if let Some(pointer) = self.scratch.pointers.pop() {
                self.scratch.derived.push(pointer);
            }
        }
        Ok(())
    }

    /// At `(`: whether it opens the parameters of a function without a name.
    fn is_abstract_function(&mut self, mode: DeclaratorMode) -> bool {
        if mode == DeclaratorMode::Named || mode == DeclaratorMode::Member {
            return false;
        }
        let next = self.peek();
        match next.kind {
            TokenKind::RParen | TokenKind::Ellipsis => true,
            // `(__attribute__((x)) *)`: attributes belong to a nested declarator.
            TokenKind::KwAttribute => false,
            _ => self.starts_type_name(next),
        }
    }

    /// `* qualifiers attributes`.
    fn pointer(&mut self) -> Parsed<DerivedPart> {
        let lo = self.bump().span.lo;
        let attribute_base = self.scratch.attributes.len();
        let mut quals = Quals::NONE;
        loop {
            if let Some(qualifier) = qualifier(self.kind()) {
                quals.insert(qualifier);
                self.bump();
            } else if self.at_attribute() {
                self.attributes()?;
            } else {
                break;
            }
        }
        let attributes = self.finish_attributes(attribute_base);
        let kind = DerivedKind::Pointer { quals, attributes };
        Ok(DerivedPart { kind, span: self.span_from(lo) })
    }

    fn array_and_function_parts(&mut self) -> Parsed<()> {
        loop {
            let lo = self.lo();
            let kind = match self.kind() {
                TokenKind::LBracket if self.at_attribute() => {
                    self.attributes()?;
                    continue;
                }
                TokenKind::LBracket => self.array()?,
                TokenKind::LParen => {
                    let params = self.deeper(|p| p.param_list())?;
                    DerivedKind::Function(params)
                }
                _ => return Ok(()),
            };
            let span = self.span_from(lo);
            self.scratch.derived.push(DerivedPart { kind, span });
        }
    }

    fn array(&mut self) -> Parsed<DerivedKind> {
        let open = self.bump().span;
        let mut quals = Quals::NONE;
        let mut is_static = false;
        loop {
            if self.eat(TokenKind::KwStatic) {
                is_static = true;
            } else if let Some(qualifier) = qualifier(self.kind()) {
                quals.insert(qualifier);
                self.bump();
            } else {
                break;
            }
        }
        let size = if self.at(TokenKind::RBracket) {
            ArraySize::Unspecified
        } else if self.at(TokenKind::Star) && self.peek().kind == TokenKind::RBracket {
            self.bump();
            ArraySize::Star
        } else {
            ArraySize::Expr(self.assignment()?)
        };
        self.expect_closing(TokenKind::RBracket, open)?;
        Ok(DerivedKind::Array { size, quals, is_static })
    }

    fn param_list(&mut self) -> Parsed<ParamList> {
        let open = self.expect(TokenKind::LParen)?.span;
        if self.eat(TokenKind::RParen) {
            return Ok(ParamList::Unspecified);
        }
        if self.is_identifier_list() {
            let names = self.identifier_list()?;
            self.expect_closing(TokenKind::RParen, open)?;
            return Ok(ParamList::Identifiers(names));
        }
        self.scopes.push();
        let base = self.scratch.params.len();
        let mut variadic = false;
        loop {
            if self.eat(TokenKind::Ellipsis) {
                variadic = true;
                break;
            }
            // GNU forward declarations `(int n; int a[n])`: the real declaration follows.
            let param = self.param()?;
            if self.eat(TokenKind::Semi) {
                self.scratch.params.truncate(base);
                continue;
            }
            self.scratch.params.push(param);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.scopes.pop();
        if !self.at(TokenKind::RParen) {
            let note = Some(("in the parameters that begin here", open));
            return Err(self.expected_with_note("`,` or `)`", note));
        }
        self.bump();
        if !variadic && self.is_void_list(base) {
            self.scratch.params.truncate(base);
        }
        let params = self.finish_list(|s| &mut s.params, base);
        Ok(ParamList::Prototype { params, variadic })
    }

    /// Whether the parameters since `base` are a lone `void`.
    fn is_void_list(&self, base: usize) -> bool {
        let [param] = &self.scratch.params[base..] else { return false };
        let specs = &self.ast[param.specs];
        let declarator = &self.ast[param.declarator];
        matches!(specs.ty, TypeSpec::Basic(BasicType::Void))
            && declarator.name.is_none()
            && declarator.parts.is_empty()
    }

    /// `(a, b)` of an old-style definition: names that are no types, with nothing else.
    fn is_identifier_list(&mut self) -> bool {
        self.at(TokenKind::Ident)
            && !self.scopes.is_type(self.token.symbol)
            && matches!(self.peek().kind, TokenKind::Comma | TokenKind::RParen)
    }

    fn identifier_list(&mut self) -> Parsed<List<Symbol>> {
        let mut names = Vec::new();
        loop {
            if !self.at(TokenKind::Ident) {
                return Err(self.expected("the name of a parameter"));
            }
            names.push(self.bump().symbol);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(self.ast.append(&names))
    }

    fn param(&mut self) -> Parsed<Param> {
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let lo = self.lo();
        if !self.starts_type_name(self.token) && !self.at(TokenKind::Ident) {
            return Err(self.expected("a parameter"));
        }
        let specs = self.specifiers(attribute_base, TypeNeed::Required)?;
        let mut declarator = self.empty_declarator;
        if !matches!(self.kind(), TokenKind::Comma | TokenKind::RParen) {
            let mut head = self.declarator_head(DeclaratorMode::Param)?;
            if let Some(name) = head.name {
                self.scopes.declare(name, NameKind::Ordinary);
            }
            self.declarator_suffixes(&mut head)?;
            declarator = self.finish_declarator(head);
        }
        if self.at(TokenKind::Assign) {
            let message = "parameters have no default values in C";
            let error = Diagnostic::error(message, self.token.span);
            return Err(self.unexpected(error));
        }
        Ok(Param { specs, declarator, span: self.span_from(lo) })
    }
}
