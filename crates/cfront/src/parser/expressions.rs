//! Operators: comma, assignment, conditional, binary, prefix and postfix.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, ExprKind, List, TypeNameId, UnaryOp};
use crate::diag::Diagnostic;
use crate::span::Span;
use crate::symbol::Symbol;
use crate::token::TokenKind;

/// A prefix operator that waits for its operand.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    kind: PrefixKind,
    lo: u32,
}

#[derive(Clone, Copy)]
enum PrefixKind {
    Unary(UnaryOp),
    Cast(TypeNameId),
    Sizeof,
    Alignof { gnu: bool },
}

/// The binary operator of a token, with its precedence (larger binds tighter).
fn binary_op(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::PipePipe => (BinaryOp::Or, 1),
        TokenKind::AmpAmp => (BinaryOp::And, 2),
        TokenKind::Pipe => (BinaryOp::BitOr, 3),
        TokenKind::Caret => (BinaryOp::BitXor, 4),
        TokenKind::Amp => (BinaryOp::BitAnd, 5),
        TokenKind::EqEq => (BinaryOp::Eq, 6),
        TokenKind::Ne => (BinaryOp::Ne, 6),
        TokenKind::Lt => (BinaryOp::Lt, 7),
        TokenKind::Gt => (BinaryOp::Gt, 7),
        TokenKind::Le => (BinaryOp::Le, 7),
        TokenKind::Ge => (BinaryOp::Ge, 7),
        TokenKind::Shl => (BinaryOp::Shl, 8),
        TokenKind::Shr => (BinaryOp::Shr, 8),
        TokenKind::Plus => (BinaryOp::Add, 9),
        TokenKind::Minus => (BinaryOp::Sub, 9),
        TokenKind::Star => (BinaryOp::Mul, 10),
        TokenKind::Slash => (BinaryOp::Div, 10),
        TokenKind::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

/// `Some(None)` for `=`, `Some(Some(op))` for `op=`.
fn assignment_op(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Assign => None,
        TokenKind::PlusAssign => Some(BinaryOp::Add),
        TokenKind::MinusAssign => Some(BinaryOp::Sub),
        TokenKind::StarAssign => Some(BinaryOp::Mul),
        TokenKind::SlashAssign => Some(BinaryOp::Div),
        TokenKind::PercentAssign => Some(BinaryOp::Rem),
        TokenKind::AmpAssign => Some(BinaryOp::BitAnd),
        TokenKind::PipeAssign => Some(BinaryOp::BitOr),
        TokenKind::CaretAssign => Some(BinaryOp::BitXor),
        TokenKind::ShlAssign => Some(BinaryOp::Shl),
        TokenKind::ShrAssign => Some(BinaryOp::Shr),
        _ => return None,
    })
}

fn unary_op(kind: TokenKind) -> Option<UnaryOp> {
    Some(match kind {
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Minus => UnaryOp::Minus,
        TokenKind::Tilde => UnaryOp::BitNot,
        TokenKind::Bang => UnaryOp::Not,
        TokenKind::Star => UnaryOp::Deref,
        TokenKind::Amp => UnaryOp::AddressOf,
        TokenKind::PlusPlus => UnaryOp::PreInc,
        TokenKind::MinusMinus => UnaryOp::PreDec,
        TokenKind::KwReal => UnaryOp::Real,
        TokenKind::KwImag => UnaryOp::Imag,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Stores an expression that began at `lo` and ends with the last token.
    pub(super) fn expr_from(&mut self, lo: u32, kind: ExprKind) -> ExprId {
        let span = self.span_from(lo);
        self.ast.push(Expr { kind, span })
    }

    /// `expression` of the grammar: with commas.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let mut lhs = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            let rhs = self.assignment()?;
            lhs = self.expr_from(lo, ExprKind::Comma { lhs, rhs });
        }
        Ok(lhs)
    }

    /// `assignment-expression`. All nesting of expressions passes through here.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        self.deeper(|p| {
            let lo = p.lo();
            let lhs = p.conditional()?;
            let Some(op) = assignment_op(p.kind()) else { return Ok(lhs) };
            p.bump();
            let rhs = p.assignment()?;
            Ok(p.expr_from(lo, ExprKind::Assign { op, lhs, rhs }))
        })
    }

    /// `conditional-expression`, which is also what a constant expression may be.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let cond = self.binary(1)?;
        if !self.eat(TokenKind::Question) {
            return Ok(cond);
        }
        let then = if self.at(TokenKind::Colon) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Colon)?;
        let els = self.deeper(|p| p.conditional())?;
        Ok(self.expr_from(lo, ExprKind::Conditional { cond, then, els }))
    }

    /// Binary operators of at least this precedence.
    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let lo = self.lo();
        let mut lhs = self.cast()?;
        while let Some((op, precedence)) = binary_op(self.kind()) {
            if precedence < least {
                break;
            }
            self.bump();
            let rhs = self.binary(precedence + 1)?;
            lhs = self.expr_from(lo, ExprKind::Binary { op, lhs, rhs });
        }
        Ok(lhs)
    }

    /// `cast-expression`: prefix operators and casts, collected in a loop, then their operand.
    fn cast(&mut self) -> Parsed<ExprId> {
        let base = self.scratch.prefixes.len();
        let operand = loop {
            let lo = self.lo();
            if let Some(op) = unary_op(self.kind()) {
                self.bump();
                self.scratch.prefixes.push(Prefix { kind: PrefixKind::Unary(op), lo });
                continue;
            }
            let found = match self.kind() {
                TokenKind::KwExtension => {
                    self.bump();
                    None
                }
                TokenKind::LParen => self.cast_or_parenthesized(lo)?,
                TokenKind::KwSizeof => self.size_query(lo, PrefixKind::Sizeof)?,
                TokenKind::KwAlignof => self.size_query(lo, PrefixKind::Alignof { gnu: false })?,
                TokenKind::KwAlignofGnu => {
                    self.size_query(lo, PrefixKind::Alignof { gnu: true })?
                }
                TokenKind::AmpAmp => {
                    self.bump();
                    let label = self.expect(TokenKind::Ident)?.symbol;
                    Some(self.expr_from(lo, ExprKind::LabelAddress(label)))
                }
                _ => {
                    let primary = self.primary()?;
                    Some(self.postfix(lo, primary)?)
                }
            };
            if let Some(operand) = found {
                break operand;
            }
        };
        Ok(self.apply_prefixes(base, operand))
    }

    /// Wraps the operand in the prefix operators from `base` on, innermost last.
    fn apply_prefixes(&mut self, base: usize, mut operand: ExprId) -> ExprId {
        while self.scratch.prefixes.len() > base {
            let Some(prefix) = self.scratch.prefixes.pop() else { break };
            let kind = match prefix.kind {
                PrefixKind::Unary(op) => ExprKind::Unary { op, operand },
                PrefixKind::Cast(ty) => ExprKind::Cast { ty, operand },
                PrefixKind::Sizeof => ExprKind::SizeofExpr(operand),
                PrefixKind::Alignof { gnu } => ExprKind::AlignofExpr { operand, gnu },
            };
            operand = self.expr_from(prefix.lo, kind);
        }
        operand
    }

    /// At `(`: a cast (`None`, its operand follows), a compound literal or a parenthesis.
    fn cast_or_parenthesized(&mut self, lo: u32) -> Parsed<Option<ExprId>> {
        let next = self.peek();
        if !self.starts_type_name(next) {
            let primary = self.primary()?;
            return Ok(Some(self.postfix(lo, primary)?));
        }
        let ty = self.parenthesized_type()?;
        if self.at(TokenKind::LBrace) {
            return Ok(Some(self.compound_literal(lo, ty)?));
        }
        self.scratch.prefixes.push(Prefix { kind: PrefixKind::Cast(ty), lo });
        Ok(None)
    }

    /// `( type-name )`.
    pub(super) fn parenthesized_type(&mut self) -> Parsed<TypeNameId> {
        self.in_parens(|p| p.type_name())
    }

    /// The braces after `(type)`, and postfix operators.
    fn compound_literal(&mut self, lo: u32, ty: TypeNameId) -> Parsed<ExprId> {
        let init = self.init_list()?;
        let literal = self.expr_from(lo, ExprKind::CompoundLiteral { ty, init });
        self.postfix(lo, literal)
    }

    /// `sizeof` and `_Alignof`: of a type, or (`None`) of the expression that follows.
    fn size_query(&mut self, lo: u32, query: PrefixKind) -> Parsed<Option<ExprId>> {
        self.bump();
        let next = if self.at(TokenKind::LParen) { Some(self.peek()) } else { None };
        if !next.is_some_and(|next| self.starts_type_name(next)) {
            self.scratch.prefixes.push(Prefix { kind: query, lo });
            return Ok(None);
        }
        let operand_lo = self.lo();
        let ty = self.parenthesized_type()?;
        if self.at(TokenKind::LBrace) {
            self.scratch.prefixes.push(Prefix { kind: query, lo });
            return Ok(Some(self.compound_literal(operand_lo, ty)?));
        }
        let kind = match query {
            PrefixKind::Alignof { gnu } => ExprKind::AlignofType { ty, gnu },
            _ => ExprKind::SizeofType(ty),
        };
        Ok(Some(self.expr_from(lo, kind)))
    }

    /// Postfix operators after an operand that began at `lo`.
    fn postfix(&mut self, lo: u32, mut operand: ExprId) -> Parsed<ExprId> {
        loop {
            let kind = match self.kind() {
                TokenKind::LParen => {
                    let args = self.call_args()?;
                    ExprKind::Call { callee: operand, args }
                }
                TokenKind::LBracket => {
                    let open = self.bump().span;
                    let index = self.expression()?;
                    self.expect_closing(TokenKind::RBracket, open)?;
                    ExprKind::Index { base: operand, index }
                }
                TokenKind::Dot => {
                    self.bump();
                    let field = self.member_name()?;
                    ExprKind::Member { base: operand, field }
                }
                TokenKind::Arrow => {
                    self.bump();
                    let field = self.member_name()?;
                    ExprKind::Arrow { base: operand, field }
                }
                TokenKind::PlusPlus => {
                    self.bump();
                    ExprKind::Unary { op: UnaryOp::PostInc, operand }
                }
                TokenKind::MinusMinus => {
                    self.bump();
                    ExprKind::Unary { op: UnaryOp::PostDec, operand }
                }
                _ => return Ok(operand),
            };
            operand = self.expr_from(lo, kind);
        }
    }

    pub(super) fn member_name(&mut self) -> Parsed<Symbol> {
        if self.at(TokenKind::Ident) {
            return Ok(self.bump().symbol);
        }
        Err(self.expected("the name of a member"))
    }

    /// `( arguments )`.
    fn call_args(&mut self) -> Parsed<List<ExprId>> {
        let open = self.expect(TokenKind::LParen)?.span;
        let base = self.scratch.exprs.len();
        if !self.at(TokenKind::RParen) {
            loop {
                let arg = self.assignment()?;
                self.scratch.exprs.push(arg);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if !self.at(TokenKind::RParen) {
            let what = if self.scratch.exprs.len() == base { "`)`" } else { "`,` or `)`" };
            return Err(self.expected_with_note(what, Some(("in the call that begins here", open))));
        }
        self.bump();
        Ok(self.finish_list(|s| &mut s.exprs, base))
    }

    /// Reports a typedef name where a value is needed.
    pub(super) fn type_is_no_expression(&mut self, span: Span) -> super::Failed {
        let found = self.describe(self.token);
        let message = format!("expected an expression, found the type {found}");
        self.unexpected(Diagnostic::error(message, span))
    }
}
