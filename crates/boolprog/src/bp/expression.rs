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
use crate::source::{Ident, Span};

/// Trees higher than this are refused: no tool writes them, and every later pass recurses. What is
/// limited is the tree and not the text, so that a program that is accepted is accepted again after
/// printing, which adds parentheses.
const MAX_HEIGHT: u32 = 2_000;
/// More parentheses than this are refused whatever is in them.
const MAX_PARENTHESES: u32 = 20_000;
/// Stack that one level of parentheses may need, and how much is added when it runs short.
const STACK_RESERVE: usize = 64 << 10;
const STACK_MORE: usize = 4 << 20;

/// A parsed operand.
struct Operand {
    expr: Expr,
    /// Whether it is a binary expression outside parentheses.
    open: bool,
    height: u32,
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
        if self.depth > MAX_PARENTHESES {
            let span = self.cursor.span();
            let text = format!("more than {MAX_PARENTHESES} levels of parentheses");
            self.cursor.messages.error(span, text);
            return Err(Reported);
        }
        let operand = stacker::maybe_grow(STACK_RESERVE, STACK_MORE, || self.conditional_here());
        self.depth -= 1;
        operand
    }

    fn conditional_here(&mut self) -> Parsed<Operand> {
        let condition = self.implication()?;
        if !self.cursor.eat_symbol("?") {
            return Ok(condition);
        }
        let yes = self.conditional()?;
        self.cursor.expect_symbol(":")?;
        let no = self.conditional()?;
        let span = condition.expr.span.to(no.expr.span);
        let height = condition.height.max(yes.height).max(no.height);
        let parts = (Box::new(condition.expr), Box::new(yes.expr), Box::new(no.expr));
        self.node(ExprKind::Conditional(parts.0, parts.1, parts.2), span, height)
    }

    /// A node above operands of the given height.
    fn node(&mut self, kind: ExprKind, span: Span, height: u32) -> Parsed<Operand> {
        if height >= MAX_HEIGHT {
            let text = format!("expression nested too deeply (more than {MAX_HEIGHT} levels)");
            self.cursor.messages.error(span, text);
            return Err(Reported);
        }
        let open = !matches!(kind, ExprKind::Not(_));
        Ok(Operand { expr: Expr { kind, span }, open, height: height + 1 })
    }

    fn implication(&mut self) -> Parsed<Operand> {
        let mut operands = vec![self.chain(BinaryOp::Or.level())?];
        let mut arrows = Vec::new();
        while self.cursor.is_symbol(0, "=>") {
            arrows.push(self.cursor.span());
            self.cursor.advance();
            operands.push(self.chain(BinaryOp::Or.level())?);
        }
        let Some(mut right) = operands.pop() else { return Err(Reported) };
        while let (Some(left), Some(arrow)) = (operands.pop(), arrows.pop()) {
            if left.open || right.open {
                self.cursor.messages.warning(
                    arrow,
                    "tools disagree on how tightly `=>` binds; here it binds loosest, to the right",
                    "write parentheses around the operands of `=>`",
                );
            }
            let span = left.expr.span.to(right.expr.span);
            let height = left.height.max(right.height);
            let parts = (Box::new(left.expr), Box::new(right.expr));
            right =
                self.node(ExprKind::Binary(BinaryOp::Implies, parts.0, parts.1), span, height)?;
        }
        Ok(right)
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
        while let Some(op) = self.operator(level) {
            self.cursor.advance();
            let right = self.chain(level + 1)?;
            let span = left.expr.span.to(right.expr.span);
            let height = left.height.max(right.height);
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
            left = self.node(kind, span, height)?;
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
        let mut operand = self.primary()?;
        for _ in 0..negations {
            let span = start.to(operand.expr.span);
            operand = self.node(ExprKind::Not(Box::new(operand.expr)), span, operand.height)?;
        }
        Ok(operand)
    }

    fn primary(&mut self) -> Parsed<Operand> {
        let token = self.cursor.peek(0).clone();
        let leaf = |kind| Operand { expr: Expr { kind, span: token.span }, open: false, height: 1 };
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
                let inner = self.conditional()?;
                self.cursor.expect_symbol(")")?;
                Ok(Operand { open: false, ..inner })
            }
            TokenKind::Symbol("'") => {
                self.cursor.advance();
                let name = self.cursor.name(RESERVED, "a variable after `'`")?;
                let span = token.span.to(name.span);
                Ok(Operand {
                    expr: Expr { kind: ExprKind::Post(name), span },
                    open: false,
                    height: 1,
                })
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

    fn schoose(&mut self) -> Parsed<Operand> {
        let start = self.cursor.span();
        self.cursor.advance();
        self.cursor.expect_symbol("[")?;
        let positive = self.conditional()?;
        self.cursor.expect_symbol(",")?;
        let negative = self.conditional()?;
        self.cursor.expect_symbol("]")?;
        let span = start.to(self.cursor.previous_span());
        let height = positive.height.max(negative.height);
        let kind = ExprKind::Schoose(Box::new(positive.expr), Box::new(negative.expr));
        Ok(Operand { open: false, ..self.node(kind, span, height)? })
    }
}
