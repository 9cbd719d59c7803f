//! What the first lines of a test program say of it.
//!
//! ```c
//! // gnomon: true --contexts 4         the verdict, and what is said behind it
//! // known-failing: needs a disjunction today's answer is UNKNOWN, and why
//! // slow: 40 s of interpolation       checked in campaigns only, and why
//! // option: NAME=VALUE                an option of the spec
//! ```
//!
//! The first line is the truth about the program, whatever gnomon says of it: tools that read nothing
//! else stay right. `known-failing` says that gnomon does not decide it; a test that finds it decided
//! fails, so that the line goes. A wrong answer is never expected.

use std::fmt;

/// The first words of the first line.
const MARK: &str = "// gnomon: ";

/// What is true of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No execution violates the property.
    True,
    /// Some execution does.
    False,
    /// Gnomon must not decide it: it is not modelled, or the options leave it open.
    Unknown,
    /// No verdict, but an execution that ends with this status.
    Run(i32),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::True => f.write_str("true"),
            Expected::False => f.write_str("false"),
            Expected::Unknown => f.write_str("unknown"),
            Expected::Run(status) => write!(f, "run {status}"),
        }
    }
}

/// The header of a test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is true of the program.
    pub expected: Expected,
    /// What stands behind that word: options of `gnomon check`, or line and message of a spec.
    pub rest: String,
    /// Why gnomon does not decide it today.
    pub known_failing: Option<String>,
    /// Why it is checked in campaigns only.
    pub slow: Option<String>,
    /// Options of the spec, as they are written.
    pub options: Vec<(String, String)>,
}

impl Header {
    /// The header at the beginning of a text; what is wrong with it, if it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let said = first
            .strip_prefix(MARK)
            .ok_or_else(|| format!("the first line is not `{MARK}…` but `{first}`"))?;
        let (word, rest) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
        let rest = rest.trim();
        let expected = match word {
            "true" => Expected::True,
            "false" => Expected::False,
            "unknown" => Expected::Unknown,
            "run" => {
                let status = rest.parse();
                Expected::Run(status.map_err(|_| format!("`{rest}` is no exit status"))?)
            }
            _ => return Err(format!("`{word}` is none of true, false, unknown and run")),
        };
        let mut header = Self {
            expected,
            rest: rest.to_owned(),
            known_failing: None,
            slow: None,
            options: Vec::new(),
        };
        for line in lines.map_while(|line| line.strip_prefix("//")) {
            header.take(line.trim())?;
        }
        if header.known_failing.is_some() && expected == Expected::Unknown {
            return Err("`known-failing` of what is expected to be unknown".to_owned());
        }
        Ok(header)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let Some((name, value)) = line.split_once(':') else { return Ok(()) };
        let (name, value) = (name.trim(), value.trim());
        let reason = || match value {
            "" => Err(format!("`{name}` without a reason")),
            reason => Ok(Some(reason.to_owned())),
        };
        match name {
            "known-failing" => self.known_failing = reason()?,
            "slow" => self.slow = reason()?,
            "option" => {
                let (option, value) = value
                    .split_once('=')
                    .ok_or_else(|| format!("`{value}` is not of the form NAME=VALUE"))?;
                self.options.push((option.to_owned(), value.to_owned()));
            }
            // A misspelt mark would be read as a sentence.
            "known failing" | "known_failing" | "knownfailing" | "gnomon" => {
                return Err(format!("`{name}:` is no mark of a header"));
            }
            _ => {}
        }
        Ok(())
    }

    /// The options for `gnomon check`.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.rest.split_whitespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Header::parse(text).expect_err("no header")
    }

    #[test]
    fn the_truth_and_what_is_said_behind_it() {
        let header = Header::parse("// gnomon: true --contexts 4\n// A program.\nint x;").unwrap();
        assert_eq!(header.expected, Expected::True);
        assert_eq!(header.arguments().collect::<Vec<_>>(), ["--contexts", "4"]);
        let header = Header::parse("// gnomon: false 9 the lock is held\n").unwrap();
        assert_eq!(
            (header.expected, header.rest.as_str()),
            (Expected::False, "9 the lock is held")
        );
        let header = Header::parse("// gnomon: run 7\n").unwrap();
        assert_eq!(header.expected, Expected::Run(7));
    }

    #[test]
    fn marks_are_read_in_the_comment_at_the_beginning_only() {
        let text =
            "// gnomon: true\n// slow: big\n// option: a=b=c\nint x;\n// known-failing: no\n";
        let header = Header::parse(text).unwrap();
        assert_eq!(header.slow.as_deref(), Some("big"));
        assert_eq!(header.known_failing, None);
        assert_eq!(header.options, [("a".to_owned(), "b=c".to_owned())]);
    }

    #[test]
    fn a_mark_needs_a_reason_and_its_right_name() {
        assert!(error("// gnomon: true\n// slow:\n").contains("without a reason"));
        assert!(error("// gnomon: true\n// known failing: x\n").contains("no mark"));
        assert!(error("// gnomon: maybe\n").contains("maybe"));
        assert!(error("int main;").contains("int main;"));
        assert!(error("// gnomon: unknown\n// known-failing: x\n").contains("unknown"));
        assert!(error("// gnomon: run x\n").contains("exit status"));
    }
}
