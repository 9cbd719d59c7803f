//! Text to tokens.
//!
//! Works on bytes and decides by the first one. Nothing is allocated per token; identifiers are
//! interned, constants stay text. Comments are skipped (text that was preprocessed with `-C` has
//! them), and so are directive lines, except `#pragma pack`, which the lexer keeps track of because
//! it changes the layout of the records that follow, and directives that only a preprocessor can
//! obey, which are errors.

use crate::diag::Diagnostic;
use crate::pragma::{PackState, SymbolPragma};
use crate::span::Span;
use crate::symbol::{Interner, Symbol};
use crate::token::{Dialect, KeywordTable, Token, TokenKind};

/// What a byte can be part of.
const IDENT: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;

static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        table[b] = match c {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => IDENT,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => BLANK,
            _ => 0,
        };
        b += 1;
    }
    table
};

/// The scanner.
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    pos: usize,
    /// Only blanks since the start of the line: a `#` starts a directive.
    at_line_start: bool,
    keywords: KeywordTable,
    /// The names seen so far.
    pub(crate) interner: Interner,
    /// The state of `#pragma pack` at the position of the lexer.
    pub(crate) pack: PackState,
    /// Pragmas about names.
    pub(crate) symbol_pragmas: Vec<(SymbolPragma, Span)>,
    /// Errors, to be taken by the parser.
    pub(crate) errors: Vec<Diagnostic>,
    no_symbol: Symbol,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8], dialect: Dialect) -> Self {
        let mut interner = Interner::new();
        let keywords = KeywordTable::new(dialect, &mut interner);
        let no_symbol = interner.intern("");
        // A byte order mark is not part of the program.
        let pos = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Lexer {
            text,
            pos,
            at_line_start: true,
            keywords,
            interner,
            pack: PackState::default(),
            symbol_pragmas: Vec::new(),
            errors: Vec::new(),
            no_symbol,
        }
    }

    /// Makes every further token the end of the text.
    pub(crate) fn stop(&mut self) {
        self.pos = self.text.len();
    }

    fn at(&self, pos: usize) -> u8 {
        self.text.get(pos).copied().unwrap_or(0)
    }

    /// The next token; the end of the text is returned again and again.
    pub(crate) fn next_token(&mut self) -> Token {
        self.skip_blanks();
        let start = self.pos;
        let kind = match self.text.get(start) {
            None => TokenKind::Eof,
            Some(&c) => {
                self.at_line_start = false;
                match CLASS[c as usize] {
                    IDENT => return self.identifier_or_literal(start),
                    DIGIT => self.number(),
                    _ => match c {
                        b'"' => self.quoted(b'"', TokenKind::Str),
                        b'\'' => self.quoted(b'\'', TokenKind::Char),
                        b'.' if self.at(start + 1).is_ascii_digit() => self.number(),
                        b'\\' if matches!(self.at(start + 1), b'u' | b'U') => {
                            return self.slow_identifier(start);
                        }
                        _ => self.punctuator(c),
                    },
                }
            }
        };
        Token { kind, span: Span::new(start as u32, self.pos as u32), symbol: self.no_symbol }
    }

    fn skip_blanks(&mut self) {
        while let Some(&c) = self.text.get(self.pos) {
            match c {
                b'\n' => {
                    self.at_line_start = true;
                    self.pos += 1;
                }
                _ if CLASS[c as usize] == BLANK => self.pos += 1,
                b'#' if self.at_line_start => self.directive(),
                b'/' => match self.at(self.pos + 1) {
                    b'/' => self.pos = self.end_of_line(self.pos),
                    b'*' => self.block_comment(),
                    _ => return,
                },
                b'\\' => match (self.at(self.pos + 1), self.at(self.pos + 2)) {
                    (b'\n', _) => self.pos += 2,
                    (b'\r', b'\n') => self.pos += 3,
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn end_of_line(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        from + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }

    /// Takes note of a pragma; `text` is what follows the word `pragma`.
    pub(crate) fn pragma(&mut self, text: &[u8], span: Span) {
        self.pack.pragma(text);
        self.symbol_pragmas.extend(SymbolPragma::read(text).map(|pragma| (pragma, span)));
    }

    fn directive(&mut self) {
        let start = self.pos;
        let end = self.end_of_line(start);
        let line = self.text[start + 1..end].trim_ascii();
        let name = &line[..line.iter().take_while(|b| b.is_ascii_lowercase()).count()];
        match name {
            b"pragma" => {
                let span = Span::new(start as u32, end as u32);
                self.pragma(&self.text[start + 1..end].trim_ascii()[name.len()..], span);
            }
            // They would include or exclude parts of the text. The others had their effect already.
            b"if" | b"ifdef" | b"ifndef" | b"elif" | b"else" | b"endif" | b"include"
            | b"include_next" | b"import" | b"error" => {
                let shown = String::from_utf8_lossy(name).into_owned();
                let message = format!("`#{shown}` in text that should be preprocessed");
                let span = Span::new(start as u32, start as u32 + 1);
                let note = "name the file `.c` to have it preprocessed";
                self.errors.push(Diagnostic::error(message, span).with_note(note));
            }
            _ => {}
        }
        self.pos = end;
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        let mut from = start + 2;
        loop {
            match memchr::memchr(b'*', &self.text[from.min(self.text.len())..]) {
                Some(offset) if self.at(from + offset + 1) == b'/' => {
                    self.pos = from + offset + 2;
                    return;
                }
                Some(offset) => from += offset + 1,
                None => {
                    let span = Span::new(start as u32, start as u32 + 2);
                    self.errors.push(Diagnostic::error("comment without end", span));
                    self.pos = self.text.len();
                    return;
                }
            }
        }
    }

    fn identifier_or_literal(&mut self, start: usize) -> Token {
        let mut pos = start + 1;
        while CLASS[self.at(pos) as usize] & (IDENT | DIGIT) != 0 {
            pos += 1;
        }
        let c = self.at(pos);
        if c == b'\\' && matches!(self.at(pos + 1), b'u' | b'U') {
            return self.slow_identifier(start);
        }
        if (c == b'"' || c == b'\'')
            && pos - start <= 3
            && let Some(kind) = self.prefixed_literal(start, pos, c)
        {
            let span = Span::new(start as u32, self.pos as u32);
            return Token { kind, span, symbol: self.no_symbol };
        }
        self.pos = pos;
        let span = Span::new(start as u32, pos as u32);
        match self.interner.intern_bytes(&self.text[start..pos]) {
            Some(symbol) => Token { kind: self.keywords.kind(symbol), span, symbol },
            None => self.foreign_bytes(span),
        }
    }

    /// Bytes that are not UTF-8 where a name was expected.
    fn foreign_bytes(&mut self, span: Span) -> Token {
        self.errors.push(Diagnostic::error("bytes that are not UTF-8 in a name", span));
        Token { kind: TokenKind::Invalid, span, symbol: self.no_symbol }
    }

    /// A literal with prefix `start..quote`, or `None` if that is no prefix.
    fn prefixed_literal(&mut self, start: usize, quote: usize, c: u8) -> Option<TokenKind> {
        let prefix = &self.text[start..quote];
        let raw = prefix.ends_with(b"R");
        let encoding = if raw { &prefix[..prefix.len() - 1] } else { prefix };
        if !matches!(encoding, b"" | b"L" | b"u" | b"U" | b"u8") {
            return None;
        }
        self.pos = quote;
        match (c, raw) {
            (b'"', true) => Some(self.raw_string()),
            (b'\'', true) => None,
            (b'"', false) => Some(self.quoted(b'"', TokenKind::Str)),
            _ => Some(self.quoted(b'\'', TokenKind::Char)),
        }
    }

    /// `"delimiter(...)delimiter"`, from the quote on.
    fn raw_string(&mut self) -> TokenKind {
        let start = self.pos;
        let rest = &self.text[start + 1..];
        let open = rest.iter().take(17).position(|&b| b == b'(');
        if let Some(open) = open {
            let delimiter = &rest[..open];
            let mut from = open + 1;
            while let Some(close) = memchr::memchr(b')', &rest[from..]) {
                let after = &rest[from + close + 1..];
                if after.starts_with(delimiter) && after.get(delimiter.len()) == Some(&b'"') {
                    self.pos = start + 1 + from + close + 1 + delimiter.len() + 1;
                    return TokenKind::Str;
                }
                from += close + 1;
            }
        }
        self.unterminated(start, self.end_of_line(start), "raw string literal");
        TokenKind::Invalid
    }

    /// A literal from its opening quote on.
    fn quoted(&mut self, quote: u8, kind: TokenKind) -> TokenKind {
        let start = self.pos;
        let mut pos = start + 1;
        loop {
            let rest = &self.text[pos..];
            let Some(offset) = memchr::memchr3(quote, b'\\', b'\n', rest) else {
                pos = self.text.len();
                break;
            };
            pos += offset;
            match self.text[pos] {
                b'\\' => {
                    // An escaped line end continues the literal.
                    let width = if self.text[pos + 1..].starts_with(b"\r\n") { 3 } else { 2 };
                    pos = (pos + width).min(self.text.len());
                }
                b'\n' => break,
                _ => {
                    self.pos = pos + 1;
                    return kind;
                }
            }
        }
        self.unterminated(start, pos, kind.describe());
        TokenKind::Invalid
    }

    fn unterminated(&mut self, start: usize, end: usize, what: &str) {
        let span = Span::new(start as u32, start as u32 + 1);
        self.errors.push(Diagnostic::error(format!("{what} without closing quote"), span));
        self.pos = end;
    }

    /// An identifier with universal character names (`\u00e9`).
    fn slow_identifier(&mut self, start: usize) -> Token {
        let mut name = Vec::new();
        let mut pos = start;
        loop {
            let c = self.at(pos);
            if CLASS[c as usize] & (IDENT | DIGIT) != 0 {
                name.push(c);
                pos += 1;
                continue;
            }
            let digits = match (c, self.at(pos + 1)) {
                (b'\\', b'u') => 4,
                (b'\\', b'U') => 8,
                _ => break,
            };
            let spelled = self.text.get(pos + 2..pos + 2 + digits).unwrap_or_default();
            let value = std::str::from_utf8(spelled)
                .ok()
                .filter(|s| s.len() == digits)
                .and_then(|s| u32::from_str_radix(s, 16).ok())
                .and_then(char::from_u32);
            let Some(character) = value else { break };
            name.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            pos += 2 + digits;
        }
        if pos == start {
            self.pos = start + 1;
            let kind = self.stray(self.text[start], start);
            let span = Span::new(start as u32, self.pos as u32);
            return Token { kind, span, symbol: self.no_symbol };
        }
        self.pos = pos;
        let span = Span::new(start as u32, pos as u32);
        match self.interner.intern_bytes(&name) {
            Some(symbol) => Token { kind: TokenKind::Ident, span, symbol },
            None => self.foreign_bytes(span),
        }
    }

    /// A preprocessing number (C17 6.4.8), with C23 digit separators.
    fn number(&mut self) -> TokenKind {
        let mut pos = self.pos + 1;
        loop {
            let c = self.at(pos);
            if CLASS[c as usize] & (IDENT | DIGIT) != 0 || c == b'.' {
                pos += 1;
                if matches!(c, b'e' | b'E' | b'p' | b'P') && matches!(self.at(pos), b'+' | b'-') {
                    pos += 1;
                }
            } else if c == b'\'' && CLASS[self.at(pos + 1) as usize] & (IDENT | DIGIT) != 0 {
                pos += 2;
            } else {
                break;
            }
        }
        self.pos = pos;
        TokenKind::Number
    }

    fn punctuator(&mut self, c: u8) -> TokenKind {
        use TokenKind::*;
        let start = self.pos;
        let (second, third) = (self.at(start + 1), self.at(start + 2));
        let (kind, len) = match (c, second, third) {
            (b'(', ..) => (LParen, 1),
            (b')', ..) => (RParen, 1),
            (b'[', ..) => (LBracket, 1),
            (b']', ..) => (RBracket, 1),
            (b'{', ..) => (LBrace, 1),
            (b'}', ..) => (RBrace, 1),
            (b';', ..) => (Semi, 1),
            (b',', ..) => (Comma, 1),
            (b'?', ..) => (Question, 1),
            (b'~', ..) => (Tilde, 1),
            (b':', b':', _) => (ColonColon, 2),
            (b':', b'>', _) => (RBracket, 2),
            (b':', ..) => (Colon, 1),
            (b'.', b'.', b'.') => (Ellipsis, 3),
            (b'.', ..) => (Dot, 1),
            (b'=', b'=', _) => (EqEq, 2),
            (b'=', ..) => (Assign, 1),
            (b'+', b'+', _) => (PlusPlus, 2),
            (b'+', b'=', _) => (PlusAssign, 2),
            (b'+', ..) => (Plus, 1),
            (b'-', b'-', _) => (MinusMinus, 2),
            (b'-', b'=', _) => (MinusAssign, 2),
            (b'-', b'>', _) => (Arrow, 2),
            (b'-', ..) => (Minus, 1),
            (b'*', b'=', _) => (StarAssign, 2),
            (b'*', ..) => (Star, 1),
            (b'/', b'=', _) => (SlashAssign, 2),
            (b'/', ..) => (Slash, 1),
            (b'%', b'=', _) => (PercentAssign, 2),
            (b'%', b'>', _) => (RBrace, 2),
            (b'%', b':', _) => (Hash, 2),
            (b'%', ..) => (Percent, 1),
            (b'&', b'&', _) => (AmpAmp, 2),
            (b'&', b'=', _) => (AmpAssign, 2),
            (b'&', ..) => (Amp, 1),
            (b'|', b'|', _) => (PipePipe, 2),
            (b'|', b'=', _) => (PipeAssign, 2),
            (b'|', ..) => (Pipe, 1),
            (b'^', b'=', _) => (CaretAssign, 2),
            (b'^', ..) => (Caret, 1),
            (b'!', b'=', _) => (Ne, 2),
            (b'!', ..) => (Bang, 1),
            (b'<', b'<', b'=') => (ShlAssign, 3),
            (b'<', b'<', _) => (Shl, 2),
            (b'<', b'=', _) => (Le, 2),
            (b'<', b':', _) => (LBracket, 2),
            (b'<', b'%', _) => (LBrace, 2),
            (b'<', ..) => (Lt, 1),
            (b'>', b'>', b'=') => (ShrAssign, 3),
            (b'>', b'>', _) => (Shr, 2),
            (b'>', b'=', _) => (Ge, 2),
            (b'>', ..) => (Gt, 1),
            (b'#', ..) => (Hash, 1),
            _ => {
                self.pos = start + 1;
                return self.stray(c, start);
            }
        };
        self.pos = start + len;
        kind
    }

    /// A byte that starts no token.
    fn stray(&mut self, c: u8, start: usize) -> TokenKind {
        let span = Span::new(start as u32, start as u32 + 1);
        let shown =
            if c.is_ascii_graphic() { format!("`{}`", c as char) } else { format!("{c:#04x}") };
        self.errors.push(Diagnostic::error(format!("stray {shown} in the program"), span));
        TokenKind::Invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &[u8]) -> (Vec<(TokenKind, String)>, Vec<String>) {
        let mut lexer = Lexer::new(text, Dialect::default());
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::Eof {
                break;
            }
            let spelled = String::from_utf8_lossy(token.span.of(text)).into_owned();
            tokens.push((token.kind, spelled));
        }
        (tokens, lexer.errors.iter().map(|e| e.message.clone()).collect())
    }

    fn spellings(text: &str) -> Vec<String> {
        let (tokens, errors) = lex(text.as_bytes());
        assert_eq!(errors, Vec::<String>::new(), "{text}");
        tokens.into_iter().map(|(_, spelled)| spelled).collect()
    }

    #[test]
    fn the_longest_punctuator_wins() {
        assert_eq!(
            spellings("a+++b<<=c...->--x&&y||z"),
            ["a", "++", "+", "b", "<<=", "c", "...", "->", "--", "x", "&&", "y", "||", "z"]
        );
        assert_eq!(spellings("..."), ["..."]);
        assert_eq!(spellings(".. ."), [".", ".", "."]);
    }

    #[test]
    fn digraphs_are_brackets() {
        let (tokens, _) = lex(b"<: :> <% %>");
        let kinds: Vec<TokenKind> = tokens.into_iter().map(|t| t.0).collect();
        use TokenKind::*;
        assert_eq!(kinds, [LBracket, RBracket, LBrace, RBrace]);
    }

    #[test]
    fn numbers_follow_the_preprocessor_rule() {
        assert_eq!(
            spellings("0x1p-3+1 .5e+2f 1'000'000u 1..2 0xe+1"),
            ["0x1p-3", "+", "1", ".5e+2f", "1'000'000u", "1..2", "0xe+1"]
        );
    }

    #[test]
    fn prefixes_belong_to_literals() {
        assert_eq!(
            spellings(r#"L"a" u8"b" u'c' U"d" R"x(a)"b)x" LR"(q)" v"e" 'it\'s'"#),
            [
                "L\"a\"",
                "u8\"b\"",
                "u'c'",
                "U\"d\"",
                "R\"x(a)\"b)x\"",
                "LR\"(q)\"",
                "v",
                "\"e\"",
                "'it\\'s'"
            ]
        );
    }

    #[test]
    fn directives_and_comments_are_skipped() {
        assert_eq!(
            spellings("a\n# 1 \"f.c\"\n  #pragma x\nb/*c\n*/d//e\nf \\\n g"),
            ["a", "b", "d", "f", "g"]
        );
        // Not at the start of a line: an ordinary token.
        assert_eq!(lex(b"a # b").0[1].0, TokenKind::Hash);
    }

    #[test]
    fn directives_that_change_the_text_are_errors() {
        let (tokens, errors) =
            lex(b"#define X 1\n#ident \"x\"\n# ifdef A\nint\n#endif\n#warning w\n");
        assert_eq!(tokens.len(), 1);
        assert_eq!(
            errors,
            [
                "`#ifdef` in text that should be preprocessed",
                "`#endif` in text that should be preprocessed"
            ]
        );
    }

    #[test]
    fn universal_names_are_the_characters_they_name() {
        let text = "\\u00e9x é\\u0041".as_bytes();
        let mut lexer = Lexer::new(text, Dialect::default());
        let names: Vec<String> = (0..2)
            .map(|_| {
                let symbol = lexer.next_token().symbol;
                lexer.interner.name(symbol).to_owned()
            })
            .collect();
        assert_eq!(names, ["éx", "éA"]);
    }

    #[test]
    fn bad_bytes_are_errors_and_the_rest_is_read() {
        let (tokens, errors) = lex(b"a @ \"x\nb \xff\xfe c /* d");
        let spelled: Vec<String> = tokens.into_iter().map(|t| t.1).collect();
        assert_eq!(spelled.len(), 6);
        assert_eq!((spelled[3].as_str(), spelled[5].as_str()), ("b", "c"));
        assert_eq!(
            errors,
            [
                "stray `@` in the program",
                "string literal without closing quote",
                "bytes that are not UTF-8 in a name",
                "comment without end"
            ]
        );
    }
}
