//! Plain pushdown systems: rules `p a -> q b c`, one a line.
//!
//! `-` (or nothing) stands for the empty stack, `#` starts a comment, and the forms with brackets
//! `<p, a> -> <q, b c>` are read too. Systems of several threads (the format of CUBA) put the
//! number of shared states on the first line and `PDA low high` in front of each thread's rules.
//! A rule whose left side has `-` for a symbol applies to the empty stack.

mod lower;

use std::fmt::Write as _;

pub use lower::lower;

use crate::diagnostic::Diagnostics;
use crate::lex::{Cursor, Lexis, Parsed, TokenKind};
use crate::source::{Ident, Span};

/// One or more pushdown systems that share their states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Systems {
    /// The number of shared states, where the file says it.
    pub states: Option<u32>,
    /// The threads; files without `PDA` lines have one.
    pub threads: Vec<Thread>,
}

/// The rules of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// First and last stack symbol, where the file says them.
    pub symbols: Option<(u32, u32)>,
    /// The rules in order.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// State before.
    pub from: Ident,
    /// Top of the stack before; `None` if the stack is empty.
    pub top: Option<Ident>,
    /// State after.
    pub to: Ident,
    /// What replaces the top, topmost first.
    pub push: Vec<Ident>,
    /// Where it is.
    pub span: Span,
}

/// Parses pushdown systems.
pub fn parse(text: &str, messages: &mut Diagnostics) -> Systems {
    let mut parser = Parser { cursor: Cursor::new(text, Lexis::Pushdown, messages) };
    parser.systems()
}

struct Parser<'m> {
    cursor: Cursor<'m>,
}

impl Parser<'_> {
    fn systems(&mut self) -> Systems {
        let mut systems = Systems::default();
        if let TokenKind::Number(states) = self.cursor.peek(0).kind
            && self.cursor.peek(1).starts_line
        {
            systems.states = Some(states);
            self.cursor.advance();
        }
        while !self.cursor.at_end() && !self.cursor.messages.is_full() {
            let line = if self.cursor.is_word(0, "PDA") {
                self.thread_head().map(|t| systems.threads.push(t))
            } else {
                self.rule().map(|rule| {
                    if systems.threads.is_empty() {
                        systems.threads.push(Thread::default());
                    }
                    if let Some(thread) = systems.threads.last_mut() {
                        thread.rules.push(rule);
                    }
                })
            };
            if line.is_err() {
                self.cursor.advance();
                while !self.cursor.peek(0).starts_line {
                    self.cursor.advance();
                }
            }
        }
        if systems.threads.iter().all(|t| t.rules.is_empty()) && !self.cursor.messages.has_errors()
        {
            let _: Parsed<()> = self.cursor.expected("at least one rule `p a -> q b c`");
        }
        systems
    }

    fn thread_head(&mut self) -> Parsed<Thread> {
        self.cursor.advance();
        let mut bounds = [0, 0];
        for bound in &mut bounds {
            let TokenKind::Number(value) = self.cursor.peek(0).kind else {
                return self.cursor.expected("the first and the last stack symbol as numbers");
            };
            *bound = value;
            self.cursor.advance();
        }
        Ok(Thread { symbols: Some((bounds[0], bounds[1])), rules: Vec::new() })
    }

    fn skip_brackets(&mut self) {
        while ["<", ">", ",", "(", ")", ";"].iter().any(|s| self.cursor.is_symbol(0, s))
            && !self.cursor.peek(0).starts_line
        {
            self.cursor.advance();
        }
    }

    fn atom(&mut self) -> Parsed<Ident> {
        let token = self.cursor.peek(0).clone();
        let text = match token.kind {
            TokenKind::Word(word) => word,
            TokenKind::Number(number) => number.to_string(),
            _ => return self.cursor.expected("a state or a stack symbol"),
        };
        self.cursor.advance();
        Ok(Ident { text, span: token.span })
    }

    fn rule(&mut self) -> Parsed<Rule> {
        let start = self.cursor.span();
        self.cursor.eat_symbol("<");
        let from = self.atom()?;
        self.skip_brackets();
        let top = if self.cursor.eat_symbol("-") || self.cursor.is_symbol(0, "->") {
            None
        } else {
            Some(self.atom()?)
        };
        self.skip_brackets();
        self.cursor.expect_symbol("->")?;
        self.skip_brackets();
        let to = self.atom()?;
        let mut push = Vec::new();
        loop {
            self.skip_brackets();
            if self.cursor.peek(0).starts_line {
                break;
            }
            if !self.cursor.eat_symbol("-") {
                push.push(self.atom()?);
            }
        }
        let span = start.to(self.cursor.previous_span());
        Ok(Rule { from, top, to, push, span })
    }
}

/// The systems as text that parses to the same systems.
pub fn print(systems: &Systems) -> String {
    let mut out = String::new();
    if let Some(states) = systems.states {
        let _ = writeln!(out, "{states}");
    }
    for thread in &systems.threads {
        if let Some((low, high)) = thread.symbols {
            let _ = writeln!(out, "PDA {low} {high}");
        }
        for rule in &thread.rules {
            let _ = writeln!(out, "{}", print_rule(rule));
        }
    }
    out
}

/// A rule as text.
pub fn print_rule(rule: &Rule) -> String {
    let top = rule.top.as_ref().map_or("-", |t| t.text.as_str());
    let push: Vec<_> = rule.push.iter().map(|i| i.text.as_str()).collect();
    let push = if push.is_empty() { "-".to_owned() } else { push.join(" ") };
    format!("{} {top} -> {} {push}", rule.from.text, rule.to.text)
}
