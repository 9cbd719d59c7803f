//! The words of a spec.

use crate::syntax::{Position, SpecError};

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name, possibly with `*` in it: `fopen`, `*_lock`.
    Name(String),
    /// `$f`.
    Variable(String),
    /// `@functions`.
    Option(String),
    /// A number.
    Number(i64),
    /// A text between quotation marks.
    Text(String),
    /// One of [`SYMBOLS`].
    Symbol(&'static str),
    /// Behind the last word.
    End,
}

impl Token {
    /// As messages show it.
    pub fn shown(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Variable(name) => format!("`${name}`"),
            Token::Option(name) => format!("`@{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a text".to_owned(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// Longer ones first.
const SYMBOLS: [&str; 25] = [
    "...", "->", "==", "!=", "<=", ">=", "&&", "||", ":=", "{", "}", "(", ")", ",", ";", "|", "=",
    "<", ">", "!", "+", "-", ".", "[", "]",
];

/// A word with its place.
pub type Placed = (Token, Position);

/// The words of a text; the last one is [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<Placed>, SpecError> {
    let mut lexer = Lexer { rest: text, at: Position { line: 1, column: 1 } };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let at = lexer.at;
        let token = lexer.next()?;
        let last = token == Token::End;
        found.push((token, at));
        if last {
            return Ok(found);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    at: Position,
}

impl<'t> Lexer<'t> {
    fn error(&self, message: impl Into<String>) -> SpecError {
        SpecError { at: self.at, message: message.into() }
    }

    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.at = Position { line: self.at.line + 1, column: 1 };
            } else {
                self.at.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        self.take(self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len()))
    }

    /// Blanks, `// ...` and `/* ... */`.
    fn skip_blanks(&mut self) -> Result<(), SpecError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or_else(|| self.error("the comment is open"))?;
                self.take(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Token, SpecError> {
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '*';
        let is_start = |c: char| is_part(c) && !c.is_ascii_digit();
        if first.is_ascii_digit() {
            let digits = self.rest;
            let at = self.at;
            let text = self.take_while(char::is_alphanumeric);
            let parsed = match text.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16),
                None => text.parse(),
            };
            let message = || format!("`{text}` is no number of 64 bits");
            debug_assert!(digits.starts_with(text));
            return parsed.map(Token::Number).map_err(|_| SpecError { at, message: message() });
        }
        if is_start(first) {
            return Ok(Token::Name(self.take_while(is_part).to_owned()));
        }
        if first == '$' || first == '@' {
            let at = self.at;
            self.take(1);
            let name = self.take_while(is_part).to_owned();
            if name.is_empty() || name.contains('*') {
                let message = format!("a name must follow `{first}`");
                return Err(SpecError { at, message });
            }
            return Ok(if first == '$' { Token::Variable(name) } else { Token::Option(name) });
        }
        if first == '"' {
            let rest = &self.rest[1..];
            let end = rest.find(['"', '\n']).filter(|&end| rest[end..].starts_with('"'));
            let end = end.ok_or_else(|| self.error("the text has no end on its line"))?;
            let text = self.take(end + 2);
            return Ok(Token::Text(text[1..text.len() - 1].to_owned()));
        }
        let symbol = SYMBOLS.into_iter().find(|symbol| self.rest.starts_with(symbol));
        let symbol = symbol.ok_or_else(|| self.error(format!("`{first}` means nothing here")))?;
        self.take(symbol.len());
        Ok(Token::Symbol(symbol))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_places() {
        let found = tokens("on f($x)\n  -> 0x1F // end\n").expect("words");
        let at = |line, column| Position { line, column };
        assert_eq!(found[0], (Token::Name("on".into()), at(1, 1)));
        assert_eq!(found[3], (Token::Variable("x".into()), at(1, 6)));
        assert_eq!(found[5], (Token::Symbol("->"), at(2, 3)));
        assert_eq!(found[6], (Token::Number(31), at(2, 6)));
        assert_eq!(found.len(), 8);
    }

    #[test]
    fn what_is_no_word_is_named() {
        for (text, message) in [
            ("a\n #", "2:2: `#` means nothing here"),
            ("\"open\n\"", "1:1: the text has no end on its line"),
            ("/* x", "1:1: the comment is open"),
            ("  $ x", "1:3: a name must follow `$`"),
            ("12ab", "1:1: `12ab` is no number of 64 bits"),
        ] {
            assert_eq!(tokens(text).expect_err(text).to_string(), message);
        }
    }
}
