//! Messages about a text, shown with the line that they are about, for all readers: C, Boolean programs,
//! pushdown systems, specs.
//!
//! Readers have messages of their own, with positions in their own texts; here is only how one looks.
//! The layout is that of `annotate-snippets`, which shows the messages of rustc. What is ours is
//! what a checker of other people's code needs: bytes that are not UTF-8 have a place, and control characters
//! never reach the terminal.
//!
//! ```
//! use gnomon_excerpt::{Message, Place, Severity};
//!
//! let place = Place { file: "a.c", line: 3, before: b"int x = ", marked: b";", after: b"" };
//! let message = Message::new(Severity::Error, "expected an expression", place);
//! assert_eq!(
//!     message.render(),
//!     "\
//! error: expected an expression
//!  --> a.c:3:9
//!   |
//! 3 | int x = ;
//!   |         ^
//! "
//! );
//! ```
//!
//! May depend on nothing of the workspace.

use annotate_snippets::{AnnotationKind, Element, Level, Renderer, Snippet};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; the result is usable.
    Warning,
    /// The text cannot be used.
    Error,
    /// The text may be right, but uses what is not supported; it is named.
    Unsupported,
}

impl Severity {
    fn level(self) -> Level<'static> {
        match self {
            Self::Warning => Level::WARNING,
            Self::Error => Level::ERROR,
            Self::Unsupported => Level::ERROR.with_name("unsupported"),
        }
    }
}

/// A part of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The name of the file, as its user knows it.
    pub file: &'a str,
    /// The number of the line, from 1.
    pub line: usize,
    /// The line up to what is meant.
    pub before: &'a [u8],
    /// What is meant; nothing means the position before `after`.
    pub marked: &'a [u8],
    /// The rest of the line, without its end.
    pub after: &'a [u8],
}

impl<'a> Place<'a> {
    /// The word, or else the character, at a position in a text, with lines and columns from 1, columns in bytes.
    pub fn in_text(file: &'a str, text: &'a str, line: u32, column: u32) -> Self {
        let content = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let mut start = (column.saturating_sub(1) as usize).min(content.len());
        while !content.is_char_boundary(start) {
            start -= 1;
        }
        let (before, rest) = content.split_at(start);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match rest.chars().next() {
            Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            Some(c) => c.len_utf8(),
            None => 0,
        };
        let (marked, after) = rest.split_at(end);
        let [before, marked, after] = [before, marked, after].map(str::as_bytes);
        Self { file, line: line as usize, before, marked, after }
    }
}

/// An addition to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// The text.
    pub text: &'a str,
    /// A second place, such as that of an opening bracket.
    pub place: Option<Place<'a>>,
}

/// A message that is ready to be shown.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    severity: Severity,
    text: &'a str,
    place: Place<'a>,
    label: Option<&'a str>,
    notes: Vec<Note<'a>>,
}

/// More columns of a line are not shown.
const WIDTH: usize = 120;

impl<'a> Message<'a> {
    /// A message without additions.
    pub fn new(severity: Severity, text: &'a str, place: Place<'a>) -> Self {
        Self { severity, text, place, label: None, notes: Vec::new() }
    }

    /// With a text beside the marked part: what was expected there.
    pub fn label(self, label: Option<&'a str>) -> Self {
        Self { label, ..self }
    }

    /// With additions.
    pub fn notes(self, notes: impl IntoIterator<Item = Note<'a>>) -> Self {
        Self { notes: notes.into_iter().collect(), ..self }
    }

    /// The text of several lines that a person reads, with a line end.
    pub fn render(&self) -> String {
        let title = self.severity.level().primary_title(self.text);
        let mut first = title.element(snippet(&self.place, self.label));
        let mut others = Vec::new();
        for note in &self.notes {
            match &note.place {
                Some(place) => {
                    let element: Element<'_> = snippet(place, None).into();
                    others.push(Level::NOTE.secondary_title(note.text).element(element));
                }
                None => match others.pop() {
                    Some(last) => others.push(last.element(Level::NOTE.message(note.text))),
                    None => first = first.element(Level::NOTE.message(note.text)),
                },
            }
        }
        others.insert(0, first);
        let mut text = Renderer::plain().term_width(WIDTH).render(&others);
        text.push('\n');
        text
    }
}

fn snippet<'a>(
    place: &Place<'a>,
    label: Option<&'a str>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut line = shown(place.before);
    let start = line.len();
    line += &shown(place.marked);
    let end = line.len();
    line += &shown(place.after);
    let annotation = AnnotationKind::Primary.span(start..end);
    Snippet::source(line)
        .line_start(place.line)
        .path(place.file)
        .annotation(annotation.label(label))
}

/// As characters of one column each, but for tabs: what is not UTF-8 or is a control character is U+FFFD.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_safe = |c: char| c == '\t' || !c.is_control();
    text.chars().map(|c| if is_safe(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place<'a>(before: &'a [u8], marked: &'a [u8], after: &'a [u8]) -> Place<'a> {
        Place { file: "t.c", line: 1, before, marked, after }
    }

    fn plain(before: &[u8], marked: &[u8], after: &[u8]) -> String {
        Message::new(Severity::Error, "bad", place(before, marked, after)).render()
    }

    #[test]
    fn tabs_and_foreign_bytes_keep_the_caret_in_place() {
        assert_eq!(
            plain(b"\ta\t\xe9 ", b"xyz", b";"),
            "error: bad\n --> t.c:1:6\n  |\n1 |     a    \u{fffd} xyz;\n  |            ^^^\n"
        );
    }

    #[test]
    fn the_end_of_a_text_has_a_caret() {
        assert_eq!(plain(b"", b"", b""), "error: bad\n --> t.c:1:1\n  |\n1 |\n  | ^\n");
    }

    #[test]
    fn a_position_in_a_text_has_its_word() {
        let at = |line, column| {
            let place = Place::in_text("t", "ä = b1;\n", line, column);
            [place.before, place.marked, place.after]
                .map(|part| String::from_utf8_lossy(part).into_owned())
        };
        assert_eq!(at(1, 6), ["ä = ", "b1", ";"]);
        assert_eq!(at(1, 8), ["ä = b1", ";", ""]);
        assert_eq!(at(1, 2), ["", "ä", " = b1;"]);
        assert_eq!(at(1, 99), ["ä = b1;", "", ""]);
        assert_eq!(at(7, 1), ["", "", ""]);
    }

    #[test]
    fn control_characters_are_not_sent_to_a_terminal() {
        let text = plain(b"\x1b[31m", b"x", b"\x07");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let text = plain(&[b'a'; 3000], b"!", &[b'b'; 3000]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].chars().count() < 2 * WIDTH, "{text}");
        let column = lines[3].chars().position(|c| c == '!');
        assert_eq!(lines[4].chars().position(|c| c == '^'), column);
    }

    #[test]
    fn additions_follow() {
        let all = place(b"(a", b";", b"");
        let open = place(b"", b"(", b"a;");
        let message =
            Message::new(Severity::Unsupported, "expected `)`", all).label(Some("here")).notes([
                Note { text: "to match this", place: Some(open) },
                Note { text: "hint", place: None },
            ]);
        assert_eq!(
            message.render(),
            "unsupported: expected `)`\n --> t.c:1:3\n  |\n1 | (a;\n  |   ^ here\n  |\n\
             note: to match this\n --> t.c:1:1\n  |\n1 | (a;\n  | ^\n  = note: hint\n"
        );
    }
}
