//! Statements and blocks.

use super::declarations::{Declared, Place};
use super::{Parsed, Parser};
use crate::ast::{AsmId, AsmOperand, AsmStmt, ExprId, List, Stmt, StmtId, StmtKind, StringId};
use crate::symbol::Symbol;
use crate::token::TokenKind;

impl Parser<'_> {
    fn stmt_from(&mut self, lo: u32, kind: StmtKind) -> StmtId {
        let span = self.span_from(lo);
        self.ast.push(Stmt { kind, span })
    }

    fn push_stmt(&mut self, lo: u32, kind: StmtKind) {
        let stmt = self.stmt_from(lo, kind);
        self.scratch.stmts.push(stmt);
    }

    /// `{ ... }`, with a scope of its own.
    pub(super) fn compound(&mut self) -> Parsed<StmtId> {
        let open = self.expect(TokenKind::LBrace)?.span;
        self.scopes.push();
        let base = self.scratch.stmts.len();
        loop {
            match self.kind() {
                TokenKind::RBrace => break,
                TokenKind::Eof => {
                    let note = Some(("to match this", open));
                    return Err(self.expected_with_note("`}`", note));
                }
                _ => {
                    let lo = self.lo();
                    let mark = self.mark();
                    if self.block_item().is_err() {
                        self.skip_broken(mark);
                        self.push_stmt(lo, StmtKind::Error);
                    }
                }
            }
        }
        self.bump();
        self.scopes.pop();
        let items = self.finish_list(|s| &mut s.stmts, base);
        Ok(self.stmt_from(open.lo, StmtKind::Compound(items)))
    }

    /// One statement, declaration or label of a block, put into the scratch list.
    fn block_item(&mut self) -> Parsed<()> {
        if self.at_label() {
            return self.label();
        }
        let lo = self.lo();
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let has_attributes = self.scratch.attributes.len() > attribute_base;
        if has_attributes && self.at(TokenKind::Semi) {
            let attributes = self.finish_attributes(attribute_base);
            self.bump();
            self.push_stmt(lo, StmtKind::Attributes(attributes));
            return Ok(());
        }
        if self.at_declaration() {
            let kind = match self.declaration(lo, attribute_base, Place::Block)? {
                Declared::Decl(decl) => StmtKind::Decl(decl),
                Declared::NestedFunction(function) => StmtKind::NestedFunction(function),
            };
            self.push_stmt(lo, kind);
            return Ok(());
        }
        // Attributes of statements say nothing about their meaning.
        self.scratch.attributes.truncate(attribute_base);
        if self.at(TokenKind::KwLabel) {
            let labels = self.local_labels()?;
            self.push_stmt(lo, StmtKind::LocalLabels(labels));
            return Ok(());
        }
        if has_attributes && self.at_label() {
            return self.label();
        }
        let stmt = self.statement()?;
        self.scratch.stmts.push(stmt);
        Ok(())
    }

    fn at_declaration(&mut self) -> bool {
        let mut token = self.token;
        if token.kind == TokenKind::KwExtension {
            token = self.peek();
        }
        self.starts_declaration(token)
    }

    fn at_label(&mut self) -> bool {
        match self.kind() {
            TokenKind::KwCase | TokenKind::KwDefault => true,
            TokenKind::Ident => self.peek().kind == TokenKind::Colon,
            _ => false,
        }
    }

    /// One label, put into the scratch list.
    fn label(&mut self) -> Parsed<()> {
        let token = self.bump();
        let lo = token.span.lo;
        let kind = match token.kind {
            TokenKind::KwCase => {
                let first = self.conditional()?;
                let last =
                    if self.eat(TokenKind::Ellipsis) { Some(self.conditional()?) } else { None };
                self.expect(TokenKind::Colon)?;
                StmtKind::Case { first, last }
            }
            TokenKind::KwDefault => {
                self.expect(TokenKind::Colon)?;
                StmtKind::Default
            }
            _ => {
                self.expect(TokenKind::Colon)?;
                let attribute_base = self.scratch.attributes.len();
                if self.at(TokenKind::KwAttribute) {
                    self.attributes()?;
                }
                // Before a declaration they are part of it, in gcc as well as here.
                let attributes = self.finish_attributes(attribute_base);
                StmtKind::Label { name: token.symbol, attributes }
            }
        };
        self.push_stmt(lo, kind);
        Ok(())
    }

    fn local_labels(&mut self) -> Parsed<List<Symbol>> {
        self.bump();
        let mut labels = vec![self.expect(TokenKind::Ident)?.symbol];
        while self.eat(TokenKind::Comma) {
            labels.push(self.expect(TokenKind::Ident)?.symbol);
        }
        self.expect_semi("the label declaration")?;
        Ok(self.ast.append(&labels))
    }

    /// The statement that another one controls. With labels in front it becomes a block.
    fn substatement(&mut self) -> Parsed<StmtId> {
        self.deeper(|p| {
            let lo = p.lo();
            let attribute_base = p.scratch.attributes.len();
            p.attributes()?;
            let has_attributes = p.scratch.attributes.len() > attribute_base;
            p.scratch.attributes.truncate(attribute_base);
            if has_attributes && p.eat(TokenKind::Semi) {
                return Ok(p.stmt_from(lo, StmtKind::Empty));
            }
            if p.at_label() {
                let base = p.scratch.stmts.len();
                while p.at_label() {
                    p.label()?;
                }
                let stmt = p.statement()?;
                p.scratch.stmts.push(stmt);
                let items = p.finish_list(|s| &mut s.stmts, base);
                return Ok(p.stmt_from(lo, StmtKind::Compound(items)));
            }
            if p.at_declaration() {
                return Err(p.misplaced_declaration());
            }
            p.statement()
        })
    }

    /// A statement that is not a label.
    fn statement(&mut self) -> Parsed<StmtId> {
        let lo = self.lo();
        let kind = match self.kind() {
            TokenKind::LBrace => return self.deeper(|p| p.compound()),
            TokenKind::Semi => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::KwIf => self.if_statement()?,
            TokenKind::KwWhile => {
                self.bump();
                let cond = self.condition()?;
                let body = self.substatement()?;
                StmtKind::While { cond, body }
            }
            TokenKind::KwDo => {
                self.bump();
                let body = self.substatement()?;
                self.expect(TokenKind::KwWhile)?;
                let cond = self.condition()?;
                self.expect_semi("`do ... while`")?;
                StmtKind::DoWhile { body, cond }
            }
            TokenKind::KwFor => self.for_statement()?,
            TokenKind::KwSwitch => {
                self.bump();
                let cond = self.condition()?;
                let body = self.substatement()?;
                StmtKind::Switch { cond, body }
            }
            TokenKind::KwGoto => {
                self.bump();
                let kind = if self.eat(TokenKind::Star) {
                    StmtKind::GotoComputed(self.expression()?)
                } else if self.at(TokenKind::Ident) {
                    StmtKind::Goto(self.bump().symbol)
                } else {
                    return Err(self.expected("a label or `*`"));
                };
                self.expect_semi("`goto`")?;
                kind
            }
            TokenKind::KwContinue => {
                self.bump();
                self.expect_semi("`continue`")?;
                StmtKind::Continue
            }
            TokenKind::KwBreak => {
                self.bump();
                self.expect_semi("`break`")?;
                StmtKind::Break
            }
            TokenKind::KwReturn => {
                self.bump();
                let value = if self.at(TokenKind::Semi) { None } else { Some(self.expression()?) };
                self.expect_semi("`return`")?;
                StmtKind::Return(value)
            }
            TokenKind::KwAsm => {
                let asm = self.asm()?;
                self.expect_semi("`asm`")?;
                StmtKind::Asm(asm)
            }
            TokenKind::KwElse => {
                let error = crate::diag::Diagnostic::error(
                    "`else` without an `if` in front of it",
                    self.token.span,
                );
                return Err(self.unexpected(error));
            }
            TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket | TokenKind::Eof => {
                return Err(self.expected("a statement"));
            }
            _ => {
                let expr = self.expression()?;
                self.expect_semi("the expression")?;
                StmtKind::Expr(expr)
            }
        };
        Ok(self.stmt_from(lo, kind))
    }

    /// `( expression )` after `if`, `while` and `switch`.
    fn condition(&mut self) -> Parsed<ExprId> {
        self.in_parens(|p| p.expression())
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let cond = self.condition()?;
        let then = self.substatement()?;
        let els = if self.eat(TokenKind::KwElse) { Some(self.substatement()?) } else { None };
        Ok(StmtKind::If { cond, then, els })
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen)?.span;
        self.scopes.push();
        let lo = self.lo();
        let attribute_base = self.scratch.attributes.len();
        self.attributes()?;
        let init = if self.at(TokenKind::Semi) {
            self.bump();
            None
        } else if self.at_declaration() {
            match self.declaration(lo, attribute_base, Place::NoFunction)? {
                Declared::Decl(decl) => Some(self.stmt_from(lo, StmtKind::Decl(decl))),
                Declared::NestedFunction(_) => return Err(self.expected("a declaration")),
            }
        } else {
            let expr = self.expression()?;
            self.expect(TokenKind::Semi)?;
            Some(self.stmt_from(lo, StmtKind::Expr(expr)))
        };
        self.scratch.attributes.truncate(attribute_base);
        let cond = if self.at(TokenKind::Semi) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Semi)?;
        let step = if self.at(TokenKind::RParen) { None } else { Some(self.expression()?) };
        self.expect_closing(TokenKind::RParen, open)?;
        let body = self.substatement()?;
        self.scopes.pop();
        Ok(StmtKind::For { init, cond, step, body })
    }

    /// `asm` up to its closing parenthesis; the semicolon is the caller's.
    pub(super) fn asm(&mut self) -> Parsed<AsmId> {
        let lo = self.bump().span.lo;
        let (mut is_volatile, mut is_goto) = (false, false);
        loop {
            match self.kind() {
                TokenKind::KwVolatile => is_volatile = true,
                TokenKind::KwGoto => is_goto = true,
                TokenKind::KwInline | TokenKind::KwConst => {}
                _ => break,
            }
            self.bump();
        }
        let open = self.expect(TokenKind::LParen)?.span;
        let template = self.string()?;
        let is_basic = self.at(TokenKind::RParen);
        let mut operands = [List::EMPTY; 2];
        let (mut clobbers, mut labels) = (List::EMPTY, List::EMPTY);
        let mut section = 0;
        loop {
            match self.kind() {
                TokenKind::Colon => section += 1,
                TokenKind::ColonColon => section += 2,
                _ => break,
            }
            self.bump();
            let is_empty =
                matches!(self.kind(), TokenKind::Colon | TokenKind::ColonColon | TokenKind::RParen);
            match section {
                _ if is_empty => {}
                1 | 2 => operands[section - 1] = self.asm_operands()?,
                3 => clobbers = self.asm_clobbers()?,
                4 => labels = self.asm_labels()?,
                _ => return Err(self.expected("`)`")),
            }
        }
        self.expect_closing(TokenKind::RParen, open)?;
        let [outputs, inputs] = operands;
        let span = self.span_from(lo);
        Ok(self.ast.push(AsmStmt {
            template,
            is_volatile,
            is_goto,
            is_basic,
            outputs,
            inputs,
            clobbers,
            labels,
            span,
        }))
    }

    fn asm_operands(&mut self) -> Parsed<List<AsmOperand>> {
        let mut operands = Vec::new();
        loop {
            let mut name = None;
            if self.at(TokenKind::LBracket) {
                let open = self.bump().span;
                name = Some(self.expect(TokenKind::Ident)?.symbol);
                self.expect_closing(TokenKind::RBracket, open)?;
            }
            let constraint = self.string()?;
            let expr = self.in_parens(|p| p.expression())?;
            operands.push(AsmOperand { name, constraint, expr });
            if !self.eat(TokenKind::Comma) {
                return Ok(self.ast.append(&operands));
            }
        }
    }

    fn asm_clobbers(&mut self) -> Parsed<List<StringId>> {
        let mut clobbers = vec![self.string()?];
        while self.eat(TokenKind::Comma) {
            clobbers.push(self.string()?);
        }
        Ok(self.ast.append(&clobbers))
    }

    fn asm_labels(&mut self) -> Parsed<List<Symbol>> {
        let mut labels = vec![self.expect(TokenKind::Ident)?.symbol];
        while self.eat(TokenKind::Comma) {
            labels.push(self.expect(TokenKind::Ident)?.symbol);
        }
        Ok(self.ast.append(&labels))
    }
}
