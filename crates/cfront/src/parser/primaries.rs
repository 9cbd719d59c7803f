//! Primary expressions, and the builtins whose arguments are not all expressions.

use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, GenericAssociation, OffsetofPart};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<ExprId> {
        let token = self.token;
        let lo = token.span.lo;
        let kind = match token.kind {
            TokenKind::Ident => {
                if self.scopes.is_type(token.symbol) {
                    return Err(self.type_is_no_expression(token.span));
                }
                self.bump();
                ExprKind::Ident(token.symbol)
            }
            TokenKind::Number => self.number(),
            TokenKind::Char => self.character(),
            TokenKind::Str => ExprKind::Str(self.string()?),
            TokenKind::LParen => return self.parenthesized(),
            TokenKind::KwTrue | TokenKind::KwFalse => {
                self.bump();
                ExprKind::Bool(token.kind == TokenKind::KwTrue)
            }
            TokenKind::KwNullptr => {
                self.bump();
                ExprKind::Nullptr
            }
            TokenKind::KwGeneric => self.generic()?,
            TokenKind::KwVaArg => {
                self.bump();
                let open = self.expect(TokenKind::LParen)?.span;
                let list = self.assignment()?;
                self.expect(TokenKind::Comma)?;
                let ty = self.type_name()?;
                self.expect_closing(TokenKind::RParen, open)?;
                ExprKind::VaArg { list, ty }
            }
            TokenKind::KwOffsetof => self.offsetof()?,
            TokenKind::KwTypesCompatible => {
                self.bump();
                let open = self.expect(TokenKind::LParen)?.span;
                let left = self.type_name()?;
                self.expect(TokenKind::Comma)?;
                let right = self.type_name()?;
                self.expect_closing(TokenKind::RParen, open)?;
                ExprKind::TypesCompatible { left, right }
            }
            TokenKind::KwChooseExpr => {
                self.bump();
                let open = self.expect(TokenKind::LParen)?.span;
                let cond = self.assignment()?;
                self.expect(TokenKind::Comma)?;
                let then = self.assignment()?;
                self.expect(TokenKind::Comma)?;
                let els = self.assignment()?;
                self.expect_closing(TokenKind::RParen, open)?;
                ExprKind::ChooseExpr { cond, then, els }
            }
            TokenKind::KwConvertVector => {
                self.bump();
                let open = self.expect(TokenKind::LParen)?.span;
                let operand = self.assignment()?;
                self.expect(TokenKind::Comma)?;
                let ty = self.type_name()?;
                self.expect_closing(TokenKind::RParen, open)?;
                ExprKind::ConvertVector { operand, ty }
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(self.expr_from(lo, kind))
    }

    /// `( expression )`, without a node of its own, or `({ ... })`.
    fn parenthesized(&mut self) -> Parsed<ExprId> {
        let open = self.expect(TokenKind::LParen)?.span;
        if !self.at(TokenKind::LBrace) {
            let inner = self.expression()?;
            self.expect_closing(TokenKind::RParen, open)?;
            return Ok(inner);
        }
        let block = self.deeper(|p| p.compound())?;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(self.expr_from(open.lo, ExprKind::StmtExpr(block)))
    }

    fn generic(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen)?.span;
        let control = self.assignment()?;
        let mut associations = Vec::new();
        while self.eat(TokenKind::Comma) {
            let ty = if self.eat(TokenKind::KwDefault) { None } else { Some(self.type_name()?) };
            self.expect(TokenKind::Colon)?;
            let expr = self.assignment()?;
            associations.push(GenericAssociation { ty, expr });
        }
        if associations.is_empty() {
            return Err(self.expected("`,` and an association"));
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(ExprKind::Generic { control, associations: self.ast.append(&associations) })
    }

    fn offsetof(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen)?.span;
        let ty = self.type_name()?;
        self.expect(TokenKind::Comma)?;
        let mut path = vec![OffsetofPart::Field(self.expect(TokenKind::Ident)?.symbol)];
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    path.push(OffsetofPart::Field(self.expect(TokenKind::Ident)?.symbol));
                }
                TokenKind::Arrow => {
                    self.bump();
                    path.push(OffsetofPart::Arrow);
                    path.push(OffsetofPart::Field(self.expect(TokenKind::Ident)?.symbol));
                }
                TokenKind::LBracket => {
                    let bracket = self.bump().span;
                    path.push(OffsetofPart::Index(self.expression()?));
                    self.expect_closing(TokenKind::RBracket, bracket)?;
                }
                _ => break,
            }
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(ExprKind::Offsetof { ty, path: self.ast.append(&path) })
    }
}
