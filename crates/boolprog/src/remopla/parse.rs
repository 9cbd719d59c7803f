//! Parsing of remopla.

use super::ast::{
    Assignment, BinaryOp, Branch, Declaration, Declarator, Define, EnumType, Expr, ExprKind,
    Global, Module, Program, Quantifier, RawRule, Reference, Statement, StatementKind, StructType,
    Type,
};
use crate::diagnostic::Diagnostics;
use crate::lex::{Cursor, Lexis, Parsed, Reported, TokenKind};
use crate::source::Ident;

const RESERVED: &[&str] = &[
    "define", "bool", "int", "enum", "struct", "init", "if", "fi", "else", "do", "od", "goto",
    "break", "return", "skip", "module", "void", "undef", "fork", "shared", "true", "false", "A",
    "E",
];

const MAX_DEPTH: u32 = 200;

/// Parses a remopla program. Without errors in `messages` the result is the whole program.
pub fn parse(text: &str, messages: &mut Diagnostics) -> Program {
    let cursor = Cursor::new(text, Lexis::Remopla, messages);
    let mut parser = Parser { cursor, depth: 0 };
    parser.program()
}

struct Parser<'m> {
    cursor: Cursor<'m>,
    depth: u32,
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while !self.cursor.at_end() && !self.cursor.messages.is_full() {
            let before = self.cursor.consumed();
            if self.item(&mut program).is_err() {
                self.recover(before);
            }
        }
        let empty = program.modules.is_empty() && program.rules.is_empty();
        if empty && !self.cursor.messages.has_errors() {
            let _: Parsed<()> = self.cursor.expected("at least one module or rule");
        }
        program
    }

    fn recover(&mut self, before: usize) {
        if self.cursor.consumed() == before {
            self.cursor.advance();
        }
        while !self.cursor.at_end()
            && !self.cursor.eat_symbol(";")
            && !self.cursor.is_word(0, "module")
        {
            self.cursor.advance();
        }
    }

    fn at_type(&self) -> bool {
        ["bool", "int", "enum", "struct"].iter().any(|w| self.cursor.is_word(0, w))
    }

    fn item(&mut self, program: &mut Program) -> Parsed<()> {
        if self.cursor.eat_word("define") {
            let name = self.cursor.name(RESERVED, "the name of a constant")?;
            let value = self.binary(BinaryOp::Add.level())?;
            self.cursor.eat_symbol(";");
            program.defines.push(Define { name, value });
        } else if self.cursor.eat_word("init") {
            while !self.cursor.eat_symbol(";") {
                program.init.push(self.cursor.name(RESERVED, "a module")?);
            }
        } else if self.cursor.is_word(0, "module") {
            program.modules.push(self.module()?);
        } else if self.cursor.is_word(0, "shared") || self.at_type() {
            let shared = self.cursor.eat_word("shared");
            program.globals.push(self.global(shared)?);
        } else if self.cursor.is_symbol(1, "<") {
            program.rules.push(self.rule()?);
        } else {
            program.statements.push(self.statement()?);
        }
        Ok(())
    }

    fn global(&mut self, shared: bool) -> Parsed<Global> {
        let ty = self.ty()?;
        if self.cursor.eat_symbol(";") {
            return match ty {
                Type::Enum(e) => Ok(Global::Enum(e)),
                Type::Struct(s) => Ok(Global::Struct(s)),
                Type::Bool | Type::Int => self.cursor.expected("the name of a variable"),
            };
        }
        let declaration = self.declarators(ty)?;
        Ok(Global::Variables { shared, declaration })
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.cursor.eat_word("bool") {
            return Ok(Type::Bool);
        }
        if self.cursor.eat_word("int") {
            return Ok(Type::Int);
        }
        let is_enum = self.cursor.eat_word("enum");
        if !is_enum && !self.cursor.eat_word("struct") {
            return self.cursor.expected("a type (`bool`, `int`, `enum`, `struct`)");
        }
        let name = match &self.cursor.peek(0).kind {
            TokenKind::Word(_) => Some(self.cursor.name(RESERVED, "the name of a type")?),
            _ => None,
        };
        if !self.cursor.is_symbol(0, "{") && name.is_none() {
            return self.cursor.expected("the name of a type or `{`");
        }
        if is_enum {
            let mut values = Vec::new();
            if self.cursor.eat_symbol("{") {
                loop {
                    values.push(self.cursor.name(RESERVED, "the name of a value")?);
                    if !self.cursor.eat_symbol(",") {
                        break;
                    }
                }
                self.cursor.expect_symbol("}")?;
            }
            return Ok(Type::Enum(EnumType { name, values }));
        }
        let mut fields = Vec::new();
        if self.cursor.eat_symbol("{") {
            self.deeper()?;
            while !self.cursor.eat_symbol("}") {
                let ty = self.ty()?;
                fields.push(self.declarators(ty)?);
            }
            self.depth -= 1;
        }
        Ok(Type::Struct(StructType { name, fields }))
    }

    fn declarators(&mut self, ty: Type) -> Parsed<Declaration> {
        let mut variables = vec![self.declarator()?];
        while self.cursor.eat_symbol(",") {
            variables.push(self.declarator()?);
        }
        if !self.cursor.eat_symbol(";") {
            return self.cursor.expected("`,` or `;`");
        }
        Ok(Declaration { ty, variables })
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.cursor.name(RESERVED, "the name of a variable")?;
        let mut dimensions = Vec::new();
        while dimensions.len() < 2 && self.cursor.eat_symbol("[") {
            let first = self.expression()?;
            dimensions.push(if self.cursor.eat_symbol(",") {
                (Some(first), self.expression()?)
            } else {
                (None, first)
            });
            self.cursor.expect_symbol("]")?;
        }
        let bits = self.width()?;
        Ok(Declarator { name, dimensions, bits })
    }

    fn width(&mut self) -> Parsed<Option<Expr>> {
        if !self.cursor.eat_symbol("(") {
            return Ok(None);
        }
        let bits = self.expression()?;
        self.cursor.expect_symbol(")")?;
        Ok(Some(bits))
    }

    fn module(&mut self) -> Parsed<Module> {
        self.cursor.advance();
        let result = if self.cursor.eat_word("void") {
            None
        } else {
            let ty = self.ty()?;
            Some((ty, self.width()?))
        };
        let name = self.cursor.name(RESERVED, "the name of a module")?;
        self.cursor.expect_symbol("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.eat_symbol(")") {
            if !parameters.is_empty() && !self.cursor.eat_symbol(",") {
                return self.cursor.expected("`,` or `)`");
            }
            let ty = self.ty()?;
            parameters.push((ty, self.declarator()?));
        }
        let mut module = Module { result, name, parameters, locals: Vec::new(), body: None };
        if self.cursor.eat_symbol(";") {
            return Ok(module);
        }
        self.cursor.expect_symbol("{")?;
        while self.at_type() {
            let ty = self.ty()?;
            module.locals.push(self.declarators(ty)?);
        }
        module.body = Some(self.statements());
        self.cursor.expect_symbol("}")?;
        Ok(module)
    }

    fn statements(&mut self) -> Vec<Statement> {
        let mut list = Vec::new();
        loop {
            let closes = self.cursor.at_end()
                || self.cursor.is_symbol(0, "}")
                || self.cursor.is_symbol(0, "::")
                || self.cursor.is_word(0, "fi")
                || self.cursor.is_word(0, "od")
                || self.cursor.is_word(0, "module");
            if closes || self.cursor.messages.is_full() {
                return list;
            }
            let before = self.cursor.consumed();
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(Reported) => self.recover(before),
            }
        }
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.cursor.span();
            self.cursor.messages.error(span, "nested too deeply (more than 200 levels)");
            return Err(Reported);
        }
        Ok(())
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while self.cursor.is_symbol(1, ":")
            && matches!(&self.cursor.peek(0).kind, TokenKind::Word(_))
        {
            labels.push(self.cursor.name(RESERVED, "a label")?);
            self.cursor.advance();
        }
        let start = self.cursor.span();
        self.deeper()?;
        let kind = self.statement_kind();
        self.depth = self.depth.saturating_sub(1);
        let kind = kind?;
        let span = match kind {
            StatementKind::If(_) | StatementKind::Do(_) => start,
            _ => start.to(self.cursor.previous_span()),
        };
        Ok(Statement { labels, kind, span })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.cursor.eat_word("if") {
            let branches = self.branches()?;
            self.cursor.expect_word("fi")?;
            self.cursor.eat_symbol(";");
            return Ok(StatementKind::If(branches));
        }
        if self.cursor.eat_word("do") {
            let branches = self.branches()?;
            self.cursor.expect_word("od")?;
            self.cursor.eat_symbol(";");
            return Ok(StatementKind::Do(branches));
        }
        let kind = self.action()?;
        self.cursor.expect_symbol(";")?;
        Ok(kind)
    }

    fn branches(&mut self) -> Parsed<Vec<Branch>> {
        let mut branches = Vec::new();
        while self.cursor.eat_symbol("::") {
            let condition =
                if self.cursor.eat_word("else") { None } else { Some(self.expression()?) };
            self.cursor.expect_symbol("->")?;
            branches.push(Branch { condition, body: self.statements() });
        }
        if branches.is_empty() {
            return self.cursor.expected("`::` and a condition");
        }
        Ok(branches)
    }

    fn action(&mut self) -> Parsed<StatementKind> {
        if self.cursor.eat_word("goto") {
            let label = self.cursor.name(RESERVED, "a label")?;
            return Ok(StatementKind::Goto(label, self.further_assignments()?));
        }
        if self.cursor.eat_word("break") {
            return Ok(StatementKind::Break);
        }
        if self.cursor.eat_word("skip") {
            let relation =
                if self.cursor.is_symbol(0, "(") { Some(self.expression()?) } else { None };
            return Ok(StatementKind::Skip(relation));
        }
        if self.cursor.eat_word("return") {
            let bare = self.cursor.is_symbol(0, ";");
            return Ok(StatementKind::Return(if bare { None } else { Some(self.expression()?) }));
        }
        if self.cursor.eat_word("fork") {
            let callee = self.cursor.name(RESERVED, "a module")?;
            return Ok(StatementKind::Fork { callee, arguments: self.arguments()? });
        }
        if self.cursor.is_symbol(1, "(") && !self.at_quantifier() {
            return self.call(None);
        }
        if !self.at_quantifier() {
            let target = self.reference()?;
            if self.cursor.is_symbol(0, "=")
                && matches!(&self.cursor.peek(1).kind, TokenKind::Word(w) if !RESERVED.contains(&w.as_str()))
                && self.cursor.is_symbol(2, "(")
            {
                self.cursor.advance();
                return self.call(Some(target));
            }
            let mut list = vec![self.assignment_to(target)?];
            list.extend(self.further_assignments()?);
            return Ok(StatementKind::Assign(list));
        }
        let mut list = vec![self.assignment()?];
        list.extend(self.further_assignments()?);
        Ok(StatementKind::Assign(list))
    }

    fn call(&mut self, target: Option<Reference>) -> Parsed<StatementKind> {
        let callee = self.cursor.name(RESERVED, "a module")?;
        let arguments = self.arguments()?;
        let assignments = self.further_assignments()?;
        Ok(StatementKind::Call { target, callee, arguments, assignments })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.cursor.expect_symbol("(")?;
        let mut arguments = Vec::new();
        while !self.cursor.eat_symbol(")") {
            if !arguments.is_empty() && !self.cursor.eat_symbol(",") {
                return self.cursor.expected("`,` or `)`");
            }
            arguments.push(self.value()?);
        }
        Ok(arguments)
    }

    fn further_assignments(&mut self) -> Parsed<Vec<Assignment>> {
        let mut list = Vec::new();
        while self.cursor.eat_symbol(",") {
            list.push(self.assignment()?);
        }
        Ok(list)
    }

    fn at_quantifier(&self) -> bool {
        self.cursor.is_word(0, "A") || self.cursor.is_word(0, "E")
    }

    fn assignment(&mut self) -> Parsed<Assignment> {
        if self.at_quantifier() {
            self.deeper()?;
            let quantifier = self.quantifier()?;
            let inner = self.assignment()?;
            self.depth -= 1;
            return Ok(Assignment::Quantified(quantifier, Box::new(inner)));
        }
        let target = self.reference()?;
        self.assignment_to(target)
    }

    fn assignment_to(&mut self, target: Reference) -> Parsed<Assignment> {
        if self.cursor.eat_symbol("!=") {
            return Ok(Assignment::NotEqual(target, self.expression()?));
        }
        if !self.cursor.eat_symbol("=") {
            return self.cursor.expected("`=`");
        }
        Ok(Assignment::Equal(target, self.value()?))
    }

    fn value(&mut self) -> Parsed<Expr> {
        let span = self.cursor.span();
        if self.cursor.eat_word("undef") {
            return Ok(Expr { kind: ExprKind::Undef, span });
        }
        self.expression()
    }

    fn quantifier(&mut self) -> Parsed<Quantifier> {
        let all = self.cursor.is_word(0, "A");
        self.cursor.advance();
        let variable = self.cursor.name(RESERVED, "the name of an index")?;
        self.cursor.expect_symbol("(")?;
        let low = Box::new(self.expression()?);
        self.cursor.expect_symbol(",")?;
        let high = Box::new(self.expression()?);
        self.cursor.expect_symbol(")")?;
        Ok(Quantifier { all, variable, low, high })
    }

    fn rule(&mut self) -> Parsed<RawRule> {
        let start = self.cursor.span();
        let from = self.cursor.name(RESERVED, "a state")?;
        self.cursor.expect_symbol("<")?;
        let top = self.cursor.name(RESERVED, "a stack symbol")?;
        self.cursor.expect_symbol(">")?;
        self.cursor.eat_symbol("-");
        self.cursor.expect_symbol("->")?;
        let to = self.cursor.name(RESERVED, "a state")?;
        self.cursor.expect_symbol("<")?;
        let mut push = Vec::new();
        while !self.cursor.eat_symbol(">") {
            if push.len() == 2 {
                return self.cursor.expected("`>` (a rule pushes at most two symbols)");
            }
            push.push(self.cursor.name(RESERVED, "a stack symbol or `>`")?);
        }
        let label = match &self.cursor.peek(0).kind {
            TokenKind::Text(text) => Some(text.clone()),
            _ => None,
        };
        if label.is_some() {
            self.cursor.advance();
        }
        let relation = if self.cursor.is_symbol(0, "(") { Some(self.expression()?) } else { None };
        self.cursor.eat_symbol(";");
        let span = start.to(self.cursor.previous_span());
        Ok(RawRule { from, top, to, push, label, relation, span })
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.deeper()?;
        let expr = self.binary(1);
        self.depth = self.depth.saturating_sub(1);
        expr
    }

    fn binary(&mut self, level: u8) -> Parsed<Expr> {
        if level > BinaryOp::Multiply.level() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        let mut length = 0;
        loop {
            let TokenKind::Symbol(symbol) = self.cursor.peek(0).kind else { return Ok(left) };
            let found = BinaryOp::ALL.iter().find(|o| o.level() == level && o.text() == symbol);
            let Some(&op) = found else { return Ok(left) };
            length += 1;
            if length > 1_000 {
                let span = self.cursor.span();
                self.cursor.messages.error(span, "more than 1000 operators in a row");
                return Err(Reported);
            }
            self.cursor.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span };
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        if self.cursor.eat_symbol("!") {
            self.deeper()?;
            let inner = self.unary()?;
            self.depth -= 1;
            let span = start.to(inner.span);
            return Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span });
        }
        if self.at_quantifier() {
            self.deeper()?;
            let quantifier = self.quantifier()?;
            // The body reaches over comparisons, as in Moped, but not over `&&` and `||`.
            let inner = self.binary(BinaryOp::Equal.level())?;
            self.depth -= 1;
            let span = start.to(inner.span);
            return Ok(Expr { kind: ExprKind::Quantified(quantifier, Box::new(inner)), span });
        }
        if self.cursor.eat_symbol("(") {
            let inner = self.expression()?;
            self.cursor.expect_symbol(")")?;
            return Ok(inner);
        }
        let kind = match &self.cursor.peek(0).kind {
            TokenKind::Number(number) => ExprKind::Number(*number),
            TokenKind::Word(w) if w == "true" => ExprKind::Bool(true),
            TokenKind::Word(w) if w == "false" => ExprKind::Bool(false),
            TokenKind::Word(_) => {
                let reference = self.reference()?;
                let span = start.to(self.cursor.previous_span());
                return Ok(Expr { kind: ExprKind::Reference(reference), span });
            }
            _ => return self.cursor.expected("an expression"),
        };
        self.cursor.advance();
        Ok(Expr { kind, span: start })
    }

    fn indices(&mut self) -> Parsed<Vec<Expr>> {
        let mut indices = Vec::new();
        while indices.len() < 2 && self.cursor.eat_symbol("[") {
            indices.push(self.expression()?);
            self.cursor.expect_symbol("]")?;
        }
        Ok(indices)
    }

    fn reference(&mut self) -> Parsed<Reference> {
        let name: Ident = self.cursor.name(RESERVED, "a variable")?;
        let mut primed = self.cursor.eat_symbol("'");
        let indices = self.indices()?;
        let field = if self.cursor.eat_symbol(".") {
            let field = self.cursor.name(RESERVED, "the name of a field")?;
            primed |= self.cursor.eat_symbol("'");
            Some((field, self.indices()?))
        } else {
            None
        };
        Ok(Reference { name, primed, indices, field })
    }
}
