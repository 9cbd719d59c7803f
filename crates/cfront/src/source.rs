//! The preprocessed text and where each byte of it comes from.
//!
//! Preprocessors leave line markers in their output (`# 12 "file.c" 1 3`, or `#line 12 "file.c"`)
//! that say which line of which file follows. [`SourceBuffer`] reads them all once, together with
//! the starts of all lines, so that [`SourceBuffer::resolve`] is two binary searches. Columns are
//! those of the preprocessed line, which are the user's own as long as no macro was expanded to the
//! left of the place.
//!
//! Departure from a full preprocessor: a line in a comment that looks like a marker is taken for
//! one. Preprocessed text contains no comments unless it was made with `-C`.

use crate::span::Span;

/// The text is too large for 32-bit offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the preprocessed text is larger than 4 GiB")]
pub struct TextTooLarge;

/// The preprocessed text of one translation unit with its line markers.
#[derive(Clone, Debug)]
pub struct SourceBuffer {
    text: Vec<u8>,
    line_starts: Vec<u32>,
    markers: Vec<Marker>,
    files: Vec<String>,
    /// How many characters stand before each block of [`COLUMN_BLOCK`] bytes: columns in very
    /// long lines are asked for often.
    characters: Vec<u32>,
}

const COLUMN_BLOCK: usize = 1024;

/// Characters, not bytes: UTF-8 continuation bytes do not count.
fn count_characters(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}

/// From line `first_line` of the buffer on, lines are those of `file` from `user_line` on.
#[derive(Clone, Copy, Debug)]
struct Marker {
    first_line: u32,
    user_line: u32,
    file: u32,
    in_system_header: bool,
}

/// A place in the user's terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The file's name as the preprocessor gave it.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1; a tab counts as one.
    pub column: u32,
    /// The preprocessor marked the file as a system header.
    pub in_system_header: bool,
}

impl SourceBuffer {
    /// Wraps `text`; `name` is the file's name for the lines in front of the first marker.
    pub fn new(name: &str, text: Vec<u8>) -> Result<SourceBuffer, TextTooLarge> {
        if text.len() >= (u32::MAX - 1) as usize {
            return Err(TextTooLarge);
        }
        let mut characters = vec![0];
        for block in text.chunks(COLUMN_BLOCK) {
            let before = characters[characters.len() - 1];
            characters.push(before + count_characters(block) as u32);
        }
        let mut buffer = SourceBuffer {
            text,
            characters,
            line_starts: vec![0],
            markers: vec![Marker { first_line: 0, user_line: 1, file: 0, in_system_header: false }],
            files: vec![name.to_owned()],
        };
        buffer.read_lines();
        Ok(buffer)
    }

    /// The whole text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The text of `span`, with U+FFFD for bytes that are not UTF-8.
    pub fn snippet(&self, span: Span) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(span.of(&self.text))
    }

    /// The user's file, line and column of a byte; a place past the end is the end.
    pub fn resolve(&self, offset: u32) -> Location<'_> {
        let line = self.line_of(offset);
        let index = self.markers.partition_point(|m| m.first_line <= line).saturating_sub(1);
        let marker = self.markers[index];
        let start = self.line_starts[line as usize] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let before = if end - start <= COLUMN_BLOCK {
            count_characters(&self.text[start..end])
        } else {
            self.characters_before(end) - self.characters_before(start)
        };
        Location {
            file: &self.files[marker.file as usize],
            line: marker.user_line.saturating_add(line - marker.first_line),
            column: before as u32 + 1,
            in_system_header: marker.in_system_header,
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / COLUMN_BLOCK;
        let counted = self.characters[block] as usize;
        counted + count_characters(&self.text[block * COLUMN_BLOCK..offset])
    }

    /// The line of the buffer that holds `offset`, without its end-of-line characters.
    pub(crate) fn line_span(&self, offset: u32) -> Span {
        let line = self.line_of(offset) as usize;
        let lo = self.line_starts[line];
        let next = self.line_starts.get(line + 1).map_or(self.text.len(), |&s| s as usize);
        let bytes = &self.text[lo as usize..next];
        let blank = bytes.iter().rev().take_while(|&&b| b == b'\n' || b == b'\r').count();
        Span::new(lo, (next - blank) as u32)
    }

    /// The line of the buffer that holds `offset`, from 0.
    fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1) as u32
    }

    fn read_lines(&mut self) {
        let mut start = 0;
        loop {
            let rest = &self.text[start..];
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            if let Some(marker) = parse_marker(line) {
                let current = self.markers[self.markers.len() - 1].file;
                let file = marker.file.map_or(current, |name| self.file_index(name));
                self.markers.push(Marker {
                    first_line: self.line_starts.len() as u32,
                    user_line: marker.line,
                    file,
                    in_system_header: marker.in_system_header,
                });
            }
            start += end + 1;
            if start > self.text.len() {
                break;
            }
            self.line_starts.push(start as u32);
        }
    }

    /// The index of a file name. Names recur soon, so the search starts with the newest.
    fn file_index(&mut self, name: String) -> u32 {
        match self.files.iter().rposition(|f| *f == name) {
            Some(index) => index as u32,
            None => {
                self.files.push(name);
                self.files.len() as u32 - 1
            }
        }
    }
}

struct ParsedMarker {
    line: u32,
    file: Option<String>,
    in_system_header: bool,
}

/// Reads `# 12 "file" flags` or `#line 12 "file"`; `None` for any other line.
fn parse_marker(line: &[u8]) -> Option<ParsedMarker> {
    let rest = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let rest = rest[digits..].trim_ascii_start();
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        return Some(ParsedMarker { line: number, file: None, in_system_header: false });
    };
    let (name, flags) = unquote(quoted);
    let in_system_header = flags.split(|b| b.is_ascii_whitespace()).any(|flag| flag == b"3");
    let file = Some(String::from_utf8_lossy(&name).into_owned());
    Some(ParsedMarker { line: number, file, in_system_header })
}

/// The unescaped text up to the closing quote, and what follows it.
fn unquote(quoted: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut name = Vec::new();
    let mut i = 0;
    while i < quoted.len() && quoted[i] != b'"' {
        if quoted[i] == b'\\' && i + 1 < quoted.len() {
            let digits =
                quoted[i + 1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            if digits == 3 {
                let value =
                    quoted[i + 1..i + 4].iter().fold(0u32, |v, b| v * 8 + u32::from(b - b'0'));
                name.push(value as u8);
                i += 4;
                continue;
            }
            i += 1;
        }
        name.push(quoted[i]);
        i += 1;
    }
    (name, quoted.get(i + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &str) -> SourceBuffer {
        SourceBuffer::new("main.i", text.as_bytes().to_vec()).unwrap()
    }

    fn at(buffer: &SourceBuffer, needle: &str) -> (String, u32, u32, bool) {
        let text = String::from_utf8_lossy(buffer.text()).into_owned();
        let place = buffer.resolve(text.find(needle).unwrap() as u32);
        (place.file.to_owned(), place.line, place.column, place.in_system_header)
    }

    #[test]
    fn markers_rename_the_lines_that_follow() {
        let b = buffer(
            "first\n# 10 \"a.c\"\n  ten\n\ntwelve\n# 3 \"/usr/include/x.h\" 1 3 4\nsys\n# 11 \"a.c\" 2\neleven\n#line 99\nninety\n#line 5 \"b \\\"q\\\\.c\"\nfive",
        );
        assert_eq!(at(&b, "first"), ("main.i".into(), 1, 1, false));
        assert_eq!(at(&b, "ten"), ("a.c".into(), 10, 3, false));
        assert_eq!(at(&b, "twelve"), ("a.c".into(), 12, 1, false));
        assert_eq!(at(&b, "sys"), ("/usr/include/x.h".into(), 3, 1, true));
        assert_eq!(at(&b, "eleven"), ("a.c".into(), 11, 1, false));
        assert_eq!(at(&b, "ninety"), ("a.c".into(), 99, 1, false));
        assert_eq!(at(&b, "five"), ("b \"q\\.c".into(), 5, 1, false));
    }

    #[test]
    fn pragmas_and_odd_hash_lines_are_ordinary_lines() {
        let b = buffer("#pragma pack(1)\n# pragma x\n#\n#line\nfive");
        assert_eq!(at(&b, "five"), ("main.i".into(), 5, 1, false));
    }

    #[test]
    fn columns_count_characters() {
        let b = buffer("\té\u{4e16}x");
        assert_eq!(at(&b, "x").2, 4);
        assert_eq!(b.resolve(1000).column, 5);
    }

    #[test]
    fn lines_end_without_their_terminator() {
        let b = buffer("ab\r\ncd");
        assert_eq!(b.line_span(1), Span::new(0, 2));
        assert_eq!(b.line_span(5), Span::new(4, 6));
        assert_eq!(buffer("").line_span(0), Span::new(0, 0));
    }
}
