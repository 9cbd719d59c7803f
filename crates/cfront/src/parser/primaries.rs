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
                self.in_parens(|p| {
                    let list = p.assignment()?;
                    p.expect(TokenKind::Comma)?;
                    Ok(ExprKind::VaArg { list, ty: p.type_name()? })
                })?
            }
            TokenKind::KwOffsetof => self.offsetof()?,
            TokenKind::KwTypesCompatible => {
                self.bump();
                self.in_parens(|p| {
                    let left = p.type_name()?;
                    p.expect(TokenKind::Comma)?;
                    Ok(ExprKind::TypesCompatible { left, right: p.type_name()? })
                })?
            }
            TokenKind::KwChooseExpr => {
                self.bump();
                self.in_parens(|p| {
                    let cond = p.assignment()?;
                    p.expect(TokenKind::Comma)?;
                    let then = p.assignment()?;
                    p.expect(TokenKind::Comma)?;
                    Ok(ExprKind::ChooseExpr { cond, then, els: p.assignment()? })
                })?
            }
            TokenKind::KwConvertVector => {
                self.bump();
                self.in_parens(|p| {
                    let operand = p.assignment()?;
                    p.expect(TokenKind::Comma)?;
                    Ok(ExprKind::ConvertVector { operand, ty: p.type_name()? })
                })?
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(self.expr_from(lo, kind))
    }

    /// `( expression )`, without a node of its own, or `({ ... })`.
    fn parenthesized(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        if self.peek().kind != TokenKind::LBrace {
            return self.in_parens(|p| p.expression());
        }
        let block = self.in_parens(|p| p.deeper(|p| p.compound()))?;
        Ok(self.expr_from(lo, ExprKind::StmtExpr(block)))
    }

    fn generic(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.in_parens(|p| {
            let control = p.assignment()?;
            let mut associations = Vec::new();
            while p.eat(TokenKind::Comma) {
                let ty = if p.eat(TokenKind::KwDefault) { None } else { Some(p.type_name()?) };
                p.expect(TokenKind::Colon)?;
                let expr = p.assignment()?;
                associations.push(GenericAssociation { ty, expr });
            }
            if associations.is_empty() {
                return Err(p.expected("`,` and an association"));
            }
            Ok(ExprKind::Generic { control, associations: p.ast.append(&associations) })
        })
    }

    fn offsetof(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.in_parens(|p| {
            let ty = p.type_name()?;
            p.expect(TokenKind::Comma)?;
            let mut path = vec![OffsetofPart::Field(p.member_name()?)];
            loop {
                match p.kind() {
                    TokenKind::Dot => {
                        p.bump();
                        path.push(OffsetofPart::Field(p.member_name()?));
                    }
                    TokenKind::Arrow => {
                        p.bump();
                        path.push(OffsetofPart::Arrow);
                        path.push(OffsetofPart::Field(p.member_name()?));
                    }
                    TokenKind::LBracket => {
                        let bracket = p.bump().span;
                        path.push(OffsetofPart::Index(p.expression()?));
                        p.expect_closing(TokenKind::RBracket, bracket)?;
                    }
                    _ => break,
                }
            }
            Ok(ExprKind::Offsetof { ty, path: p.ast.append(&path) })
        })
    }
}
