//! Stack traces as gdb and the sanitizers print them.
//!
//! ```text
//! #0 0x55d0 in copy_name list.c:12:5          (sanitizers, with and without columns)
//! #1  0x0000 in main () at main.c:5           (gdb)
//! #0  copy_name (s=0x0) at list.c:12          (gdb, where the frame begins exactly)
//! #2 0x7f in __libc_start_main (/lib/libc.so.6+0x23)
//! ```
//!
//! What stands around the frames is passed over. If several stacks are printed (where memory was
//! freed, where it was allocated), the first one counts: it is where the program stopped.

/// A frame, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The function.
    pub function: String,
    /// File and line, if they are known.
    pub place: Option<(String, u32)>,
}

/// The frames of a text, the innermost first.
pub fn parse(text: &str) -> Vec<StackFrame> {
    let mut frames = Vec::new();
    for line in text.lines() {
        let Some((number, rest)) = numbered(line) else { continue };
        if number != frames.len() {
            // Another stack begins, or lines are missing: what we have is the innermost part.
            if frames.is_empty() { continue } else { break }
        }
        match frame(rest) {
            Some(frame) => frames.push(frame),
            None => break,
        }
    }
    frames
}

/// `#3 rest`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start().strip_prefix('#')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((rest[..digits].parse().ok()?, rest[digits..].trim()))
}

fn frame(text: &str) -> Option<StackFrame> {
    let text = match text.split_once(" in ") {
        Some((address, rest)) if address.trim().starts_with("0x") => rest.trim(),
        _ => text,
    };
    let end = text.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len());
    let function = &text[..end];
    if function.is_empty() {
        return None;
    }
    let place = text.split_whitespace().next_back().and_then(place);
    Some(StackFrame { function: function.to_owned(), place })
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`.
fn place(word: &str) -> Option<(String, u32)> {
    let number = |text: &str| text.parse::<u32>().ok();
    let (front, last) = word.rsplit_once(':')?;
    let last = number(last)?;
    match front.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) => Some((file.to_owned(), line)),
        None => Some((front.to_owned(), last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, place: Option<(&str, u32)>) -> StackFrame {
        let place = place.map(|(file, line)| (file.to_owned(), line));
        StackFrame { function: function.to_owned(), place }
    }

    #[test]
    fn the_output_of_a_sanitizer() {
        let text = "\
==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x55 bp 0x7f sp 0x7e
READ of size 4 at 0x602 thread T0
    #0 0x55d1 in total /home/me/account.c:31
    #1 0x55d2 in report src/main.c:12:9
    #2 0x7f03 in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2724a)

0x602 is located 0 bytes inside of 4-byte region
freed by thread T0 here:
    #0 0x7f11 in free ../../src/libsanitizer/asan/asan_malloc_linux.cpp:52
    #1 0x55d3 in drop account.c:40
";
        let expected = [
            frame("total", Some(("/home/me/account.c", 31))),
            frame("report", Some(("src/main.c", 12))),
            frame("__libc_start_main", None),
        ];
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn the_output_of_gdb() {
        let text = "\
Program received signal SIGSEGV, Segmentation fault.
#0  0x0000555555555131 in first (list=0x0) at list.c:7
#1  sum (list=0x0, flag=1) at list.c:15
#2  0x0000555555555160 in main (argc=1, argv=0x7ffe) at main.c:22
";
        let expected = [
            frame("first", Some(("list.c", 7))),
            frame("sum", Some(("list.c", 15))),
            frame("main", Some(("main.c", 22))),
        ];
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn text_without_frames_has_none() {
        assert_eq!(parse("nothing here\n# not a frame\n"), []);
        assert_eq!(parse(""), []);
    }
}
