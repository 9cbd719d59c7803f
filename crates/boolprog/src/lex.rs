//! One tokeniser for Boolean programs, remopla and pushdown systems, and the cursor their parsers
//! share.
//!
//! The languages agree on names, numbers, comments and most symbols. They differ in what a brace
//! means (a quoted predicate such as `{x==0}` in Boolean programs, a block in remopla) and in
//! whether `#` starts a comment (pushdown systems): [`Lexis`] says which. Unknown bytes are
//! reported once per run of them, and lexing stops when the list of messages is full, so noise of
//! any size costs linear time.

use crate::diagnostic::Diagnostics;
use crate::source::{Ident, Span};

/// Which of the lexical conventions applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexis {
    /// Braces quote a name.
    BooleanProgram,
    /// Braces are blocks, strings are labels of rules.
    Remopla,
    /// `#` starts a comment.
    Pushdown,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word(String),
    /// A number; values above `u32::MAX` are reported and cut.
    Number(u32),
    /// A string in double quotes, without them.
    Text(String),
    /// An operator or a delimiter.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
    /// Whether it is the first on its line (pushdown rules end with their line).
    pub starts_line: bool,
}

const SYMBOLS: [&str; 40] = [
    "<->", ":=", "=>", "!=", "==", "&&", "||", "->", "::", "<=", ">=", "<<", ">>", "^^", ";", ",",
    ":", "(", ")", "[", "]", "{", "}", "<", ">", "!", "~", "^", "&", "|", "=", "?", "*", "'", ".",
    "+", "-", "/", "#", "%",
];

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexis: Lexis,
    line_start: bool,
    tokens: Vec<Token>,
    messages: &'a mut Diagnostics,
}

/// Splits `text` into tokens; the last one is always [`TokenKind::End`].
pub fn tokenize(text: &str, lexis: Lexis, messages: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, lexis, line_start: true, tokens: Vec::new(), messages };
    if text.len() >= u32::MAX as usize {
        lexer.messages.error(Span::default(), "the file is larger than 4 GiB");
    } else {
        while lexer.at < text.len() && !lexer.messages.is_full() {
            lexer.step();
        }
    }
    let end = Span::new(text.len(), text.len());
    lexer.tokens.push(Token { kind: TokenKind::End, span: end, starts_line: true });
    lexer.tokens
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn emit(&mut self, kind: TokenKind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.tokens.push(Token { kind, span, starts_line: self.line_start });
        self.line_start = false;
        self.at += length;
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        if first == '\n' {
            self.line_start = true;
            self.at += 1;
        } else if first.is_whitespace() || first == '\u{feff}' {
            self.at += first.len_utf8();
        } else if rest.starts_with("//") || (first == '#' && self.lexis == Lexis::Pushdown) {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else if is_word_start(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.emit(TokenKind::Word(rest[..length].to_owned()), length);
        } else if first.is_ascii_digit() {
            self.number();
        } else if first == '{' && self.lexis == Lexis::BooleanProgram {
            self.quoted_name();
        } else if first == '"' {
            self.string();
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|s| rest.starts_with(s)) {
            self.emit(TokenKind::Symbol(symbol), symbol.len());
        } else {
            self.unknown();
        }
    }

    fn block_comment(&mut self) {
        if let Some(end) = self.rest()[2..].find("*/") {
            self.line_start |= self.rest()[..end + 4].contains('\n');
            self.at += end + 4;
        } else {
            let span = Span::new(self.at, self.at + 2);
            self.messages.error(span, "comment without end: expected `*/`");
            self.at = self.text.len();
        }
    }

    fn number(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value = rest[..length].parse::<u32>();
        let span = Span::new(self.at, self.at + length);
        if value.is_err() {
            self.messages.error(span, "number too large: expected at most 4294967295");
        }
        self.emit(TokenKind::Number(value.unwrap_or(u32::MAX)), length);
    }

    fn quoted_name(&mut self) {
        let rest = self.rest();
        match rest.find(['}', '\n']) {
            Some(end) if rest.as_bytes()[end] == b'}' && end > 1 => {
                self.emit(TokenKind::Word(rest[..=end].to_owned()), end + 1);
            }
            _ => {
                let span = Span::new(self.at, self.at + 1);
                self.messages.error_with_help(
                    span,
                    "expected a name in braces such as `{x==0}` on one line",
                    "in a Boolean program blocks are written `begin ... end`",
                );
                self.at += 1;
            }
        }
    }

    fn string(&mut self) {
        let rest = self.rest();
        match rest[1..].find(['"', '\n']) {
            Some(end) if rest.as_bytes()[end + 1] == b'"' => {
                self.emit(TokenKind::Text(rest[1..=end].to_owned()), end + 2);
            }
            _ => {
                let span = Span::new(self.at, self.at + 1);
                self.messages.error(span, "string without end: expected `\"` on the same line");
                self.at += 1;
            }
        }
    }

    fn unknown(&mut self) {
        let rest = self.rest();
        let known = |c: char| c.is_ascii() && !c.is_ascii_control() || c.is_whitespace();
        let mut length = rest.find(known).unwrap_or(rest.len());
        if length == 0 {
            length = rest.chars().next().map_or(1, char::len_utf8);
        }
        let span = Span::new(self.at, self.at + length);
        let shown: String = rest[..length].chars().take(8).collect();
        self.messages.error(span, format!("unexpected characters {shown:?}"));
        self.at += length;
    }
}

/// A position in a list of tokens, with what parsers of all dialects need.
pub struct Cursor<'m> {
    tokens: Vec<Token>,
    at: usize,
    /// Where errors go.
    pub messages: &'m mut Diagnostics,
}

/// A parse error that was already reported; the caller only has to find a place to go on.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// The result of a parsing function.
pub type Parsed<T> = Result<T, Reported>;

impl<'m> Cursor<'m> {
    /// Starts at the first token.
    pub fn new(text: &str, lexis: Lexis, messages: &'m mut Diagnostics) -> Self {
        let tokens = tokenize(text, lexis, messages);
        Self { tokens, at: 0, messages }
    }

    /// The token `ahead` places further (the end token if there are fewer).
    pub fn peek(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The place of the current token.
    pub fn span(&self) -> Span {
        self.peek(0).span
    }

    /// The place of the token before the current one.
    pub fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// How many tokens were consumed, to check that a loop makes progress.
    pub fn consumed(&self) -> usize {
        self.at
    }

    /// Goes one token further; the end is never passed.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Whether all is read.
    pub fn at_end(&self) -> bool {
        self.peek(0).kind == TokenKind::End
    }

    /// Whether the token `ahead` is this symbol.
    pub fn is_symbol(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek(ahead).kind, TokenKind::Symbol(s) if s == symbol)
    }

    /// Whether the token `ahead` is this word.
    pub fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(&self.peek(ahead).kind, TokenKind::Word(w) if w == word)
    }

    /// Consumes the symbol if it is there.
    pub fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(0, symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the word if it is there.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        if found {
            self.advance();
        }
        found
    }

    /// Reports that `what` was expected here.
    pub fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match &self.peek(0).kind {
            TokenKind::Word(word) => format!("`{}`", cut(word)),
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Text(text) => format!("\"{}\"", cut(text)),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::End => "the end of the file".to_owned(),
        };
        let span = self.span();
        self.messages.error(span, format!("expected {what}, found {found}"));
        Err(Reported)
    }

    /// Consumes the symbol or reports its absence.
    pub fn expect_symbol(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    /// Consumes the word or reports its absence.
    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Consumes a word that is none of `reserved`; `what` names it in the message.
    pub fn name(&mut self, reserved: &[&str], what: &str) -> Parsed<Ident> {
        let token = self.peek(0);
        if let TokenKind::Word(text) = &token.kind
            && !reserved.contains(&text.as_str())
        {
            let ident = Ident { text: text.clone(), span: token.span };
            self.advance();
            return Ok(ident);
        }
        self.expected(what)
    }
}

fn cut(text: &str) -> String {
    const MAX: usize = 40;
    if text.chars().count() <= MAX {
        return text.to_owned();
    }
    text.chars().take(MAX).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, lexis: Lexis) -> Vec<TokenKind> {
        let mut messages = Diagnostics::default();
        let tokens = tokenize(text, lexis, &mut messages);
        assert!(!messages.has_errors(), "{:?}", messages.iter().collect::<Vec<_>>());
        tokens.into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn braces_quote_names_only_in_boolean_programs() {
        let word = |s: &str| TokenKind::Word(s.to_owned());
        assert_eq!(kinds("{x==0}", Lexis::BooleanProgram), [word("{x==0}"), TokenKind::End]);
        assert_eq!(kinds("{x}", Lexis::Remopla).len(), 4);
    }

    #[test]
    fn comments_and_dollars() {
        let text = "// a\n/* b\n */ c$$main := 1 // end";
        let expected = [
            TokenKind::Word("c$$main".to_owned()),
            TokenKind::Symbol(":="),
            TokenKind::Number(1),
            TokenKind::End,
        ];
        assert_eq!(kinds(text, Lexis::BooleanProgram), expected);
    }

    #[test]
    fn noise_is_reported_once_per_run_and_bounded() {
        let mut messages = Diagnostics::default();
        tokenize("\u{1}\u{2}\u{3} a", Lexis::BooleanProgram, &mut messages);
        assert_eq!(messages.iter().count(), 1);
        let noise = "\u{1} ".repeat(100_000);
        let tokens = tokenize(&noise, Lexis::BooleanProgram, &mut messages);
        assert!(messages.is_full() && tokens.len() == 1);
    }
}
