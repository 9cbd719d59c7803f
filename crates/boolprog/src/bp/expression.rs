//! Parsing of Boolean expressions.
//!
//! From loose to tight: `?:` (to the right), `=>` (to the right), `|`, `^`, `&`, `=` and `!=`
//! (to the left), then `!` and `~`. This is the grammar of Bebop and Getafix except that they read
//! chains of `=>` to the left, and some tools let `=>` bind tighter than `|`. Where the reading
//! could matter (an operand of `=>` that is itself an unparenthesised binary expression) a warning
//! says how it was read; the printer always writes the parentheses.
//!
//! `?` where an operand is expected is Getafix's second spelling of `*`.

use super::ast::{BinaryOp, Expr, ExprKind};
use super::parse::RESERVED;
use crate::lex::{Cursor, Parsed, Reported, TokenKind};
use crate::source::Ident;

/// Operands deeper than this are refused: no tool writes them, and every later pass recurses.
const MAX_DEPTH: u32 = 400;
/// Chains of one operator longer than this are refused for the same reason.
const MAX_CHAIN: u32 = 2_000;

/// A parsed operand, and whether it is a binary expression outside parentheses.
struct Operand {
    expr: Expr,
    open: bool,
}

/// Parses an expression.
pub fn expression(cursor: &mut Cursor<'_>) -> Parsed<Expr> {
    ExpressionParser { cursor, depth: 0 }.conditional().map(|o| o.expr)
}

/// Parses a comma-separated list of at least one expression.
pub fn expressions(cursor: &mut Cursor<'_>) -> Parsed<Vec<Expr>> {
    let mut list = vec![expression(cursor)?];
    while cursor.eat_symbol(",") {
        list.push(expression(cursor)?);
    }
    Ok(list)
}

struct ExpressionParser<'c, 'm> {
    cursor: &'c mut Cursor<'m>,
    depth: u32,
}

impl ExpressionParser<'_, '_> {
    fn conditional(&mut self) -> Parsed<Operand> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.cursor.span();
            self.cursor.messages.error(span, "expression nested too deeply (more than 400 levels)");
            return Err(Reported);
        }
        let condition = self.implication()?;
        let operand = if self.cursor.eat_symbol("?") {
            let yes = self.conditional()?.expr;
            self.cursor.expect_symbol(":")?;
            let no = self.conditional()?.expr;
            let span = condition.expr.span.to(no.span);
            let parts = (Box::new(condition.expr), Box::new(yes), Box::new(no));
            let kind = ExprKind::Conditional(parts.0, parts.1, parts.2);
            Operand { expr: Expr { kind, span }, open: true }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(operand)
    }

    fn implication(&mut self) -> Parsed<Operand> {
        let left = self.chain(BinaryOp::Or.level())?;
        if !self.cursor.is_symbol(0, "=>") {
            return Ok(left);
        }
        let arrow = self.cursor.span();
        self.cursor.advance();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.cursor.messages.error(arrow, "chain of `=>` too long (more than 400)");
            return Err(Reported);
        }
        let right = self.implication()?;
        self.depth -= 1;
        if left.open || right.open {
            self.cursor.messages.warning(
                arrow,
                "tools disagree on how tightly `=>` binds; here it binds loosest, to the right",
                "write parentheses around the operands of `=>`",
            );
        }
        let span = left.expr.span.to(right.expr.span);
        let kind = ExprKind::Binary(BinaryOp::Implies, Box::new(left.expr), Box::new(right.expr));
        Ok(Operand { expr: Expr { kind, span }, open: true })
    }

    fn operator(&self, level: u8) -> Option<BinaryOp> {
        let TokenKind::Symbol(symbol) = self.cursor.peek(0).kind else { return None };
        let op = match symbol {
            "|" | "||" => BinaryOp::Or,
            "^" => BinaryOp::Xor,
            "&" | "&&" => BinaryOp::And,
            "=" | "==" => BinaryOp::Equal,
            "!=" => BinaryOp::NotEqual,
            _ => return None,
        };
        (op.level() == level).then_some(op)
    }

    fn chain(&mut self, level: u8) -> Parsed<Operand> {
        if level > BinaryOp::Equal.level() {
            return self.unary();
        }
        let mut left = self.chain(level + 1)?;
        let mut length = 0;
        while let Some(op) = self.operator(level) {
            length += 1;
            if length > MAX_CHAIN {
                let span = self.cursor.span();
                let text = format!("chain of `{}` too long (more than {MAX_CHAIN})", op.text());
                self.cursor.messages.error(span, text);
                return Err(Reported);
            }
            self.cursor.advance();
            let right = self.chain(level + 1)?.expr;
            let span = left.expr.span.to(right.span);
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right));
            left = Operand { expr: Expr { kind, span }, open: true };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Operand> {
        let start = self.cursor.span();
        let mut negations = 0_u32;
        while self.cursor.is_symbol(0, "!") || self.cursor.is_symbol(0, "~") {
            self.cursor.advance();
            negations += 1;
        }
        if negations > MAX_DEPTH {
            self.cursor.messages.error(start, "more than 400 negations in a row");
            return Err(Reported);
        }
        let mut expr = self.primary()?;
        for _ in 0..negations {
            let span = start.to(expr.span);
            expr = Expr { kind: ExprKind::Not(Box::new(expr)), span };
        }
        Ok(Operand { expr, open: false })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.cursor.peek(0).clone();
        let leaf = |kind| Expr { kind, span: token.span };
        match &token.kind {
            TokenKind::Number(value @ (0 | 1)) => {
                self.cursor.advance();
                Ok(leaf(ExprKind::Constant(*value == 1)))
            }
            TokenKind::Number(_) => self.cursor.expected("a Boolean constant (`0` or `1`)"),
            TokenKind::Symbol("*" | "?") => {
                self.cursor.advance();
                Ok(leaf(ExprKind::Nondet))
            }
            TokenKind::Symbol("(") => {
                self.cursor.advance();
                let inner = self.conditional()?.expr;
                self.cursor.expect_symbol(")")?;
                Ok(inner)
            }
            TokenKind::Symbol("'") => {
                self.cursor.advance();
                let name = self.cursor.name(RESERVED, "a variable after `'`")?;
                let span = token.span.to(name.span);
                Ok(Expr { kind: ExprKind::Post(name), span })
            }
            TokenKind::Word(word) => match word.as_str() {
                "T" | "true" => {
                    self.cursor.advance();
                    Ok(leaf(ExprKind::Constant(true)))
                }
                "F" | "false" => {
                    self.cursor.advance();
                    Ok(leaf(ExprKind::Constant(false)))
                }
                "schoose" => self.schoose(),
                _ => {
                    let name: Ident = self.cursor.name(RESERVED, "an expression")?;
                    if self.cursor.is_symbol(0, "(") {
                        self.cursor.messages.error_with_help(
                            name.span,
                            format!("`{}(...)` cannot be part of an expression", name.text),
                            "a call is a statement of its own: `x := f(e);`",
                        );
                        return Err(Reported);
                    }
                    Ok(leaf(ExprKind::Variable(name)))
                }
            },
            _ => self.cursor.expected("an expression"),
        }
    }

    fn schoose(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        self.cursor.advance();
        self.cursor.expect_symbol("[")?;
        let positive = self.conditional()?.expr;
        self.cursor.expect_symbol(",")?;
        let negative = self.conditional()?.expr;
        self.cursor.expect_symbol("]")?;
        let span = start.to(self.cursor.previous_span());
        Ok(Expr { kind: ExprKind::Schoose(Box::new(positive), Box::new(negative)), span })
    }
}
