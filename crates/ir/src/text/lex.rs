//! Words, numbers, strings and signs of the text form, and the errors of its reader.

use crate::text::print::is_name_byte;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TextError {
    /// Counted from 1.
    pub line: u32,
    /// In bytes, counted from 1.
    pub column: u32,
    /// What was expected, and what is there.
    pub message: String,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word: a keyword or a bare name.
    Word(String),
    /// A name behind `%`, `@` or `$`.
    Signed(char, String),
    /// A number as it is written, without a sign.
    Number(String),
    /// The bytes of a string.
    String(Vec<u8>),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it starts.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Token {
    /// An error at this token.
    pub(super) fn error(&self, message: impl Into<String>) -> TextError {
        TextError { line: self.line, column: self.column, message: message.into() }
    }

    /// "expected this, found that".
    pub(super) fn expected(&self, what: &str) -> TextError {
        self.error(format!("expected {what}, found {}", self.kind))
    }
}

impl std::fmt::Display for TokenKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TokenKind::Word(text) | TokenKind::Number(text) => write!(f, "`{text}`"),
            TokenKind::Signed(sign, name) => write!(f, "`{sign}{name}`"),
            TokenKind::String(_) => write!(f, "a string"),
            TokenKind::Sign(text) => write!(f, "`{text}`"),
            TokenKind::End => write!(f, "the end"),
        }
    }
}

/// Longer signs before their beginnings.
const SIGNS: [&str; 34] = [
    "...", "->", "<-", "<<", ">>", "<=", ">=", "==", "!=", "::", "fn?", "{", "}", "(", ")", "[",
    "]", ",", ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "#", "?",
];

/// All tokens of the text, with [`TokenKind::End`] at the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, TextError> {
    let mut lexer = Lexer { bytes: text.as_bytes(), text, at: 0, line: 1, line_start: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let (line, column) = lexer.position();
        let kind = lexer.token()?;
        let last = kind == TokenKind::End;
        tokens.push(Token { kind, line, column });
        if last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl Lexer<'_> {
    fn position(&self) -> (u32, u32) {
        let column = u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX);
        (self.line, column)
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        let (line, column) = self.position();
        TextError { line, column, message: message.into() }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.peek(1) == Some(b'/') => {
                    while self.peek(0).is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn token(&mut self) -> Result<TokenKind, TextError> {
        let Some(first) = self.peek(0) else { return Ok(TokenKind::End) };
        let next = self.peek(1);
        match first {
            b'"' => Ok(TokenKind::String(self.string()?)),
            b'0'..=b'9' => Ok(TokenKind::Number(self.number())),
            b'%' | b'@' | b'$' if next.is_some_and(|b| b == b'"' || is_name_byte(b)) => {
                self.at += 1;
                let name = if next == Some(b'"') { self.quoted_name()? } else { self.word() };
                Ok(TokenKind::Signed(char::from(first), name))
            }
            _ => {
                let rest = &self.bytes[self.at..];
                if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
                    self.at += sign.len();
                    Ok(TokenKind::Sign(sign))
                } else if is_name_byte(first) {
                    Ok(TokenKind::Word(self.word()))
                } else {
                    Err(self.error("this character means nothing here"))
                }
            }
        }
    }

    /// The bytes of names are ASCII or parts of longer characters, so the cut is at a boundary.
    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default().to_owned()
    }

    fn number(&mut self) -> String {
        let start = self.at;
        let hexadecimal = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        while let Some(byte) = self.peek(0) {
            let exponent = match self.bytes[self.at.saturating_sub(1)] {
                b'e' | b'E' => !hexadecimal,
                b'p' | b'P' => hexadecimal,
                _ => false,
            };
            let sign = matches!(byte, b'+' | b'-') && exponent && self.at > start;
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || sign) {
                break;
            }
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default().to_owned()
    }

    fn quoted_name(&mut self) -> Result<String, TextError> {
        let bytes = self.string()?;
        String::from_utf8(bytes).map_err(|_| self.error("a name must be UTF-8"))
    }

    fn string(&mut self) -> Result<Vec<u8>, TextError> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek(0) {
                None | Some(b'\n') => {
                    return Err(self.error("expected `\"` at the end of a string"));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(bytes);
                }
                Some(b'\\') => {
                    bytes.push(self.escape()?);
                }
                Some(byte) => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<u8, TextError> {
        let (byte, len) = match self.peek(1) {
            Some(b'n') => (b'\n', 2),
            Some(b't') => (b'\t', 2),
            Some(b @ (b'"' | b'\\')) => (b, 2),
            Some(b'x') => {
                let digits = self.text.get(self.at + 2..self.at + 4);
                let byte = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
                (byte.ok_or_else(|| self.error("expected two hexadecimal digits"))?, 4)
            }
            _ => return Err(self.error("expected `\\n`, `\\t`, `\\\"`, `\\\\` or `\\x..`")),
        };
        self.at += len;
        Ok(byte)
    }
}
