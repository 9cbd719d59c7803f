//! Parsing of Boolean programs: declarations, functions, statements.
//!
//! One grammar accepts what SLAM and Bebop, Moped, SATABS, Boom and Getafix write (the differences
//! are small and never contradict each other). After an error the parser goes on behind the next
//! `;` or at the next function, so several errors are reported in one run.

use super::ast::{Declaration, Expr, Function, Program, Statement, StatementKind};
use super::expression::{expression, expressions};
use crate::diagnostic::Diagnostics;
use crate::lex::{Cursor, Lexis, Parsed, Reported, TokenKind};
use crate::source::{Ident, Span};

/// Words that cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "enforce",
    "abortif",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "return",
    "assert",
    "assume",
    "constrain",
    "skip",
    "schoose",
    "start_thread",
    "end_thread",
    "atomic_begin",
    "atomic_end",
    "T",
    "F",
    "true",
    "false",
];

/// Whether a word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// What begins a label whose statement is done by a new thread, as SATABS and Boppo write it.
const STARTS_THREAD: &str = "ASYNC_";

/// Nesting of `if` and `while` beyond this is refused.
const MAX_NESTING: u32 = 500;

/// Parses a Boolean program. Without errors in `messages` the result is the whole program.
pub fn parse(text: &str, messages: &mut Diagnostics) -> Program {
    let cursor = Cursor::new(text, Lexis::BooleanProgram, messages);
    let mut parser = Parser { cursor, nesting: 0 };
    parser.program()
}

struct Parser<'m> {
    cursor: Cursor<'m>,
    nesting: u32,
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while !self.cursor.at_end() && !self.cursor.messages.is_full() {
            let before = self.cursor.consumed();
            let outcome = if self.cursor.is_word(0, "decl") {
                self.declarations(&mut program.globals)
            } else if self.at_function() {
                self.function().map(|f| program.functions.push(f))
            } else {
                self.cursor.expected("`decl` or a function (`void f()`, `bool<2> f(x)`)")
            };
            if outcome.is_err() {
                self.recover_to_top_level(before);
            }
        }
        if program.functions.is_empty() && !self.cursor.messages.has_errors() {
            let _: Parsed<()> = self.cursor.expected("at least one function (`void main()`)");
        }
        program
    }

    fn at_function(&self) -> bool {
        ["void", "bool", "dfs"].iter().any(|w| self.cursor.is_word(0, w))
    }

    fn recover_to_top_level(&mut self, before: usize) {
        if self.cursor.consumed() == before {
            self.cursor.advance();
        }
        while !self.cursor.at_end() {
            let starts = self.at_function() || self.cursor.is_word(0, "decl");
            if starts && self.cursor.peek(0).starts_line {
                return;
            }
            self.cursor.advance();
        }
    }

    fn declarations(&mut self, into: &mut Vec<Declaration>) -> Parsed<()> {
        self.cursor.expect_word("decl")?;
        loop {
            let name = self.cursor.name(RESERVED, "the name of a variable")?;
            let initial = if self.cursor.eat_symbol(":=") {
                Some(expression(&mut self.cursor)?)
            } else {
                None
            };
            into.push(Declaration { name, initial });
            if !self.cursor.eat_symbol(",") {
                break;
            }
        }
        if self.cursor.eat_symbol(";") { Ok(()) } else { self.cursor.expected("`,` or `;`") }
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut dfs = self.cursor.eat_word("dfs");
        let results = self.result_type()?;
        dfs |= self.cursor.eat_word("dfs");
        let name = self.cursor.name(RESERVED, "the name of a function")?;
        self.cursor.expect_symbol("(")?;
        let parameters = self.parameters()?;
        self.cursor.expect_word("begin")?;
        let mut function = Function {
            dfs,
            results,
            name,
            parameters,
            locals: Vec::new(),
            enforce: Vec::new(),
            abort_if: Vec::new(),
            body: Vec::new(),
        };
        self.function_head(&mut function)?;
        function.body = self.statements(&["end"]);
        self.cursor.expect_word("end")?;
        self.cursor.eat_symbol(";");
        Ok(function)
    }

    fn result_type(&mut self) -> Parsed<u32> {
        if self.cursor.eat_word("void") {
            return Ok(0);
        }
        if !self.cursor.eat_word("bool") {
            return self.cursor.expected("`void` or `bool`");
        }
        if !self.cursor.eat_symbol("<") {
            return Ok(1);
        }
        let TokenKind::Number(count) = self.cursor.peek(0).kind else {
            return self.cursor.expected("the number of results");
        };
        const MAX_RESULTS: u32 = 1_000_000;
        if count > MAX_RESULTS {
            return self.cursor.expected("at most a million results");
        }
        self.cursor.advance();
        self.cursor.expect_symbol(">")?;
        Ok(count)
    }

    fn parameters(&mut self) -> Parsed<Vec<Ident>> {
        let mut parameters = Vec::new();
        while !self.cursor.eat_symbol(")") {
            if !parameters.is_empty() && !self.cursor.eat_symbol(",") {
                return self.cursor.expected("`,` or `)`");
            }
            self.cursor.eat_word("bool");
            parameters.push(self.cursor.name(RESERVED, "the name of a parameter")?);
        }
        Ok(parameters)
    }

    fn function_head(&mut self, function: &mut Function) -> Parsed<()> {
        loop {
            if self.cursor.is_word(0, "decl") {
                self.declarations(&mut function.locals)?;
            } else if self.cursor.eat_word("enforce") {
                function.enforce.push(expression(&mut self.cursor)?);
                self.cursor.expect_symbol(";")?;
            } else if self.cursor.eat_word("abortif") {
                function.abort_if.push(expression(&mut self.cursor)?);
                self.cursor.expect_symbol(";")?;
            } else {
                return Ok(());
            }
        }
    }

    fn at_any(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.cursor.is_word(0, w))
    }

    /// Statements up to one of `closers`, the end of the file, or what can only be a mistake
    /// (another closing word, the head of the next function), which the caller reports.
    fn statements(&mut self, closers: &[&str]) -> Vec<Statement> {
        const OTHER_CLOSERS: &[&str] = &["end", "fi", "od", "else", "elsif", "void", "bool"];
        let mut list = Vec::new();
        while !self.cursor.at_end() && !self.cursor.messages.is_full() {
            if self.at_any(closers) || self.at_any(OTHER_CLOSERS) {
                break;
            }
            let before = self.cursor.consumed();
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(Reported) => self.recover_in_body(before, closers),
            }
        }
        list
    }

    fn recover_in_body(&mut self, before: usize, closers: &[&str]) {
        if self.cursor.consumed() == before {
            self.cursor.advance();
        }
        while !self.cursor.at_end() && !self.at_any(closers) && !self.at_any(&["end", "void"]) {
            if self.cursor.eat_symbol(";") {
                return;
            }
            self.cursor.advance();
        }
    }

    fn labels(&mut self) -> Vec<Ident> {
        let mut labels = Vec::new();
        while self.cursor.is_symbol(1, ":") {
            let token = self.cursor.peek(0).clone();
            let text = match token.kind {
                TokenKind::Word(word) if !RESERVED.contains(&word.as_str()) => word,
                TokenKind::Number(number) => number.to_string(),
                _ => break,
            };
            labels.push(Ident { text, span: token.span });
            self.cursor.advance();
            self.cursor.advance();
        }
        labels
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let labels = self.labels();
        let start = self.cursor.span();
        if self.at_any(&["end", "fi", "od", "else", "elsif"]) && !labels.is_empty() {
            // A label in front of a closing word marks the place behind the last statement.
            return Ok(Statement { labels, kind: StatementKind::Skip, span: start });
        }
        let (kind, span) = self.statement_kind(start)?;
        let kind = match labels.iter().any(|label| label.text.starts_with(STARTS_THREAD)) {
            true => self.started(kind, span)?,
            false => kind,
        };
        Ok(Statement { labels, kind, span })
    }

    /// The statement of a thread of its own (SATABS).
    fn started(&mut self, kind: StatementKind, span: Span) -> Parsed<StatementKind> {
        match kind {
            StatementKind::Call { targets, callee, arguments } if targets.is_empty() => {
                Ok(StatementKind::StartThreadCall { callee, arguments })
            }
            StatementKind::Goto(mut labels) if labels.len() == 1 => {
                Ok(StatementKind::StartThreadAt(labels.remove(0)))
            }
            kind @ (StatementKind::StartThreadCall { .. }
            | StatementKind::StartThreadAt(_)
            | StatementKind::Skip) => Ok(kind),
            _ => {
                self.cursor.messages.error_with_help(
                    span,
                    format!("a label `{STARTS_THREAD}...` starts a thread, which can be a call or `goto` only"),
                    "put the statement into a function without results, and call it here",
                );
                Err(Reported)
            }
        }
    }

    /// The statement and the place to show for it.
    fn statement_kind(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        if self.at_any(&["if", "while"]) {
            self.nesting += 1;
            if self.nesting > MAX_NESTING {
                self.cursor.messages.error(start, "statements nested too deeply (more than 500)");
                return Err(Reported);
            }
            let result = self.compound(start);
            self.nesting -= 1;
            return result;
        }
        let kind = self.simple_statement()?;
        let span = start.to(self.cursor.previous_span());
        // The last statement of a block may go without.
        if !self.at_any(&["end", "fi", "od", "else", "elsif"]) {
            self.cursor.expect_symbol(";")?;
        } else {
            self.cursor.eat_symbol(";");
        }
        Ok((kind, span))
    }

    fn compound(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        if self.cursor.eat_word("while") {
            let condition = expression(&mut self.cursor)?;
            let span = start.to(self.cursor.previous_span());
            self.cursor.expect_word("do")?;
            let body = self.statements(&["od"]);
            self.cursor.expect_word("od")?;
            self.cursor.eat_symbol(";");
            return Ok((StatementKind::While { condition, body }, span));
        }
        self.cursor.expect_word("if")?;
        let mut branches = vec![self.branch()?];
        let span = start.to(branches[0].0.span);
        let mut otherwise = None;
        loop {
            if self.cursor.eat_word("elsif") {
                branches.push(self.branch()?);
            } else if self.cursor.eat_word("else") {
                otherwise = Some(self.statements(&["fi"]));
                break;
            } else {
                break;
            }
        }
        self.cursor.expect_word("fi")?;
        self.cursor.eat_symbol(";");
        Ok((StatementKind::If { branches, otherwise }, span))
    }

    fn branch(&mut self) -> Parsed<(Expr, Vec<Statement>)> {
        let condition = expression(&mut self.cursor)?;
        self.cursor.expect_word("then")?;
        let body = self.statements(&["elsif", "else", "fi"]);
        Ok((condition, body))
    }

    fn simple_statement(&mut self) -> Parsed<StatementKind> {
        if self.cursor.is_symbol(0, ";") {
            return Ok(StatementKind::Skip);
        }
        let TokenKind::Word(word) = &self.cursor.peek(0).kind else {
            return self.cursor.expected("a statement");
        };
        let word = word.clone();
        let is_name = matches!(&self.cursor.peek(1).kind, TokenKind::Word(_));
        match word.as_str() {
            "skip" => self.only(StatementKind::Skip),
            "end_thread" => self.only(StatementKind::EndThread),
            "atomic_begin" => self.only(StatementKind::AtomicBegin),
            "atomic_end" => self.only(StatementKind::AtomicEnd),
            "wait" if self.cursor.is_symbol(1, ";") => self.only(StatementKind::Wait),
            "broadcast" if self.cursor.is_symbol(1, ";") => self.only(StatementKind::Broadcast),
            "goto" => {
                self.cursor.advance();
                let mut targets = vec![self.label_reference()?];
                while self.cursor.eat_symbol(",") {
                    targets.push(self.label_reference()?);
                }
                Ok(StatementKind::Goto(targets))
            }
            "return" => {
                self.cursor.advance();
                let bare = self.cursor.is_symbol(0, ";");
                let values = if bare { Vec::new() } else { expressions(&mut self.cursor)? };
                Ok(StatementKind::Return(values))
            }
            "assert" => self.keyword_expression().map(StatementKind::Assert),
            "assume" => self.keyword_expression().map(StatementKind::Assume),
            "constrain" => self.keyword_expression().map(StatementKind::Constrain),
            "print" if self.cursor.is_symbol(1, "(") => {
                self.cursor.advance();
                self.arguments().map(StatementKind::Print)
            }
            "dead" if is_name => {
                self.cursor.advance();
                self.targets().map(StatementKind::Dead)
            }
            "sync" if is_name || matches!(self.cursor.peek(1).kind, TokenKind::Number(_)) => {
                self.cursor.advance();
                self.label_reference().map(StatementKind::Sync)
            }
            "start_thread" => self.start_thread(),
            "async" if is_name => self.start_thread(),
            "call" if is_name => {
                self.cursor.advance();
                self.call(Vec::new())
            }
            _ => self.assignment_or_call(),
        }
    }

    fn only(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        self.cursor.advance();
        Ok(kind)
    }

    fn keyword_expression(&mut self) -> Parsed<Expr> {
        self.cursor.advance();
        expression(&mut self.cursor)
    }

    fn label_reference(&mut self) -> Parsed<Ident> {
        if let TokenKind::Number(number) = self.cursor.peek(0).kind {
            let ident = Ident { text: number.to_string(), span: self.cursor.span() };
            self.cursor.advance();
            return Ok(ident);
        }
        self.cursor.name(RESERVED, "a label")
    }

    fn start_thread(&mut self) -> Parsed<StatementKind> {
        self.cursor.advance();
        if self.cursor.eat_word("goto") {
            return self.label_reference().map(StatementKind::StartThreadAt);
        }
        self.cursor.eat_word("call");
        let callee = self.cursor.name(RESERVED, "`goto` or a function")?;
        let arguments = self.arguments()?;
        Ok(StatementKind::StartThreadCall { callee, arguments })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.cursor.expect_symbol("(")?;
        if self.cursor.eat_symbol(")") {
            return Ok(Vec::new());
        }
        let list = expressions(&mut self.cursor)?;
        if self.cursor.eat_symbol(")") { Ok(list) } else { self.cursor.expected("`,` or `)`") }
    }

    fn targets(&mut self) -> Parsed<Vec<Ident>> {
        let mut targets = vec![self.cursor.name(RESERVED, "a variable")?];
        while self.cursor.eat_symbol(",") {
            targets.push(self.cursor.name(RESERVED, "a variable")?);
        }
        Ok(targets)
    }

    fn call(&mut self, targets: Vec<Ident>) -> Parsed<StatementKind> {
        let callee = self.cursor.name(RESERVED, "a function")?;
        let arguments = self.arguments()?;
        Ok(StatementKind::Call { targets, callee, arguments })
    }

    fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        if RESERVED.iter().any(|w| self.cursor.is_word(0, w)) {
            return self.cursor.expected("a statement");
        }
        if self.cursor.is_symbol(1, "(") {
            return self.call(Vec::new());
        }
        let targets = self.targets()?;
        if !self.cursor.eat_symbol(":=") {
            let what = if targets.len() > 1 { "`,` or `:=`" } else { "`:=`, `,`, `:` or `(`" };
            return self.cursor.expected(what);
        }
        self.cursor.eat_word("call");
        let names_function = matches!(&self.cursor.peek(0).kind,
            TokenKind::Word(w) if !RESERVED.contains(&w.as_str()));
        if names_function && self.cursor.is_symbol(1, "(") {
            return self.call(targets);
        }
        let values = expressions(&mut self.cursor)?;
        let constrain = if self.cursor.eat_word("constrain") {
            Some(expression(&mut self.cursor)?)
        } else {
            None
        };
        Ok(StatementKind::Assign { targets, values, constrain })
    }
}
