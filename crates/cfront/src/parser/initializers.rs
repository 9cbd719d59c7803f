//! Initialisers and designations.

use super::{Parsed, Parser};
use crate::ast::{Designation, DesignationId, Designator, Init, InitItem, InitList, InitListId};
use crate::token::TokenKind;

impl Parser<'_> {
    /// What follows `=`.
    pub(super) fn initializer(&mut self) -> Parsed<Init> {
        if self.at(TokenKind::LBrace) {
            Ok(Init::List(self.init_list()?))
        } else {
            Ok(Init::Expr(self.assignment()?))
        }
    }

    /// `{ item, item, }`.
    pub(super) fn init_list(&mut self) -> Parsed<InitListId> {
        self.deeper(|p| {
            let open = p.expect(TokenKind::LBrace)?.span;
            let base = p.scratch.init_items.len();
            while !p.at(TokenKind::RBrace) {
                let designation = p.designation()?;
                let init = p.initializer()?;
                p.scratch.init_items.push(InitItem { designation, init });
                if !p.eat(TokenKind::Comma) {
                    break;
                }
            }
            if !p.at(TokenKind::RBrace) {
                let note = Some(("in the initialiser that begins here", open));
                return Err(p.expected_with_note("`,` or `}`", note));
            }
            p.bump();
            let items = p.finish_list(|s| &mut s.init_items, base);
            let span = p.span_from(open.lo);
            Ok(p.ast.push(InitList { items, span }))
        })
    }

    /// `.a[1] =`, `[1 ... 2] =`, or the old `a:` and `[1]`.
    fn designation(&mut self) -> Parsed<Option<DesignationId>> {
        let lo = self.lo();
        let mut designators = Vec::new();
        let mut equals_needed = true;
        match self.kind() {
            TokenKind::Ident if self.peek().kind == TokenKind::Colon => {
                designators.push(Designator::Field(self.bump().symbol));
                equals_needed = false;
            }
            TokenKind::Dot | TokenKind::LBracket => {
                while let Some(designator) = self.designator()? {
                    designators.push(designator);
                }
            }
            _ => return Ok(None),
        }
        let span = self.span_from(lo);
        if !equals_needed {
            self.bump();
        } else if !self.eat(TokenKind::Assign) {
            // GNU C once allowed `[1] value`.
            let is_old =
                matches!(designators.as_slice(), [Designator::Index(_)] | [Designator::Range(..)]);
            if !is_old {
                return Err(self.expected("`=`"));
            }
        }
        let designators = self.ast.append(&designators);
        Ok(Some(self.ast.push(Designation { designators, span })))
    }

    fn designator(&mut self) -> Parsed<Option<Designator>> {
        match self.kind() {
            TokenKind::Dot => {
                self.bump();
                Ok(Some(Designator::Field(self.expect(TokenKind::Ident)?.symbol)))
            }
            TokenKind::LBracket => {
                let open = self.bump().span;
                let first = self.assignment()?;
                let designator = if self.eat(TokenKind::Ellipsis) {
                    Designator::Range(first, self.assignment()?)
                } else {
                    Designator::Index(first)
                };
                self.expect_closing(TokenKind::RBracket, open)?;
                Ok(Some(designator))
            }
            _ => Ok(None),
        }
    }
}
