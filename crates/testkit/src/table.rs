//! Programs against their headers: everything that is not as told, in one table.

use std::any::Any;
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::corpus::Case;
use crate::header::{Expected, Header};
use crate::limits;

/// What was said of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No execution violates the property.
    True,
    /// Some execution does.
    False,
    /// Neither was decided, and why.
    Unknown(String),
    /// Something else is wrong, in words: a violation in the wrong line, a crash.
    Bad(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::True => f.write_str("true"),
            Outcome::False => f.write_str("false"),
            Outcome::Unknown(why) => write!(f, "unknown: {why}"),
            Outcome::Bad(what) => f.write_str(what),
        }
    }
}

/// What an outcome means for a program with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As the header says.
    AsTold,
    /// Not decided, and known to be so.
    KnownFailing,
    /// The opposite of what is true: never acceptable.
    Wrong,
    /// Not decided, and the header does not say so.
    NotDecided,
    /// Decided although `known-failing` or `unknown` is in the header, which must change.
    DecidedNow,
    /// An outcome that no header expects.
    Bad,
}

impl Judgement {
    /// Whether a test may end with this.
    pub fn is_fine(self) -> bool {
        matches!(self, Judgement::AsTold | Judgement::KnownFailing)
    }

    fn advice(self) -> &'static str {
        match self {
            Judgement::AsTold | Judgement::KnownFailing => "",
            Judgement::Wrong => "WRONG VERDICT",
            Judgement::NotDecided => "not decided",
            Judgement::DecidedNow => "decided now: change the header",
            Judgement::Bad => "bad outcome",
        }
    }
}

/// What an outcome means for a program with this header.
pub fn judge(header: &Header, outcome: &Outcome) -> Judgement {
    let known = header.known_failing.is_some();
    match (header.expected, outcome) {
        (_, Outcome::Bad(_)) | (Expected::Run(_), _) => Judgement::Bad,
        (Expected::Unknown, Outcome::Unknown(_)) => Judgement::AsTold,
        (Expected::Unknown, _) => Judgement::DecidedNow,
        (_, Outcome::Unknown(_)) if known => Judgement::KnownFailing,
        (_, Outcome::Unknown(_)) => Judgement::NotDecided,
        (Expected::True, Outcome::True) | (Expected::False, Outcome::False) if known => {
            Judgement::DecidedNow
        }
        (Expected::True, Outcome::True) | (Expected::False, Outcome::False) => Judgement::AsTold,
        (Expected::True, Outcome::False) | (Expected::False, Outcome::True) => Judgement::Wrong,
    }
}

/// So many programs are listed with the time they took.
const SLOWEST: usize = 10;

/// What came of several programs.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<(String, Header, Outcome)>,
    /// How long the programs of the rows took.
    times: Vec<Duration>,
    /// Those that are left to campaigns, with the reason.
    left: Vec<(String, String)>,
}

impl Table {
    /// Decides all programs, those that are marked as slow in campaigns only. While you work on some,
    /// `GNOMON_ONLY=PART,PART` takes those whose names have one of the parts, slow or not.
    ///
    /// A panic is one bad outcome; the other programs are decided all the same.
    pub fn of(cases: Vec<Case>, decide: impl Fn(&Case) -> Outcome) -> Self {
        let mut table = Self::default();
        let only = std::env::var("GNOMON_ONLY").ok();
        for case in cases {
            if let Some(parts) = &only
                && !parts.split(',').any(|part| case.name.contains(part))
            {
                continue;
            }
            match &case.header.slow {
                Some(reason) if !limits::is_campaign() && only.is_none() => {
                    table.left.push((case.name, reason.clone()));
                }
                _ => {
                    let begin = Instant::now();
                    let outcome = catch_unwind(AssertUnwindSafe(|| decide(&case)))
                        .unwrap_or_else(|what| Outcome::Bad(message(&*what)));
                    table.times.push(begin.elapsed());
                    table.rows.push((case.name, case.header, outcome));
                }
            }
        }
        table
    }

    /// How many outcomes mean this.
    pub fn count(&self, judgement: Judgement) -> usize {
        self.rows.iter().filter(|(_, header, outcome)| judge(header, outcome) == judgement).count()
    }

    /// Fails with all that is not as told; prints what was left out and why, the counts, and what took
    /// longest.
    #[track_caller]
    pub fn assert_as_told(&self, what: &str) {
        for (name, reason) in &self.left {
            println!("{name}: left to campaigns: {reason}");
        }
        println!(
            "{what}: {} as told, {} known to fail, {} left to campaigns",
            self.count(Judgement::AsTold),
            self.count(Judgement::KnownFailing),
            self.left.len()
        );
        let mut times: Vec<_> = self.times.iter().zip(&self.rows).collect();
        times.sort_by_key(|(time, _)| std::cmp::Reverse(**time));
        for (time, (name, _, outcome)) in times.into_iter().take(SLOWEST) {
            println!("{:7.2} s  {name}: {outcome}", time.as_secs_f64());
        }
        let bad = self.bad();
        assert!(bad.is_empty(), "{what}: not as their headers say:\n{bad}");
    }

    /// A line for each program that is not as told.
    fn bad(&self) -> String {
        let judged = self.rows.iter().map(|row| (judge(&row.1, &row.2), row));
        let bad: Vec<_> = judged.filter(|(judgement, _)| !judgement.is_fine()).collect();
        let width = bad.iter().map(|(_, (name, ..))| name.len()).max().unwrap_or_default();
        let mut text = String::new();
        for (judgement, (name, header, outcome)) in bad {
            let expected = header.expected.to_string();
            let advice = judgement.advice();
            let _ = writeln!(text, "  {name:width$}  {expected:7}  {advice:30}  {outcome}");
        }
        text
    }
}

/// What a panic says.
fn message(what: &(dyn Any + Send)) -> String {
    let text = what.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| what.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    format!("panic: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn header(text: &str) -> Header {
        Header::parse(text).expect("a header")
    }

    fn unknown() -> Outcome {
        Outcome::Unknown("why".to_owned())
    }

    fn case(name: &str, text: &str) -> Case {
        let header = header(text);
        Case { name: name.to_owned(), file: PathBuf::new(), text: text.to_owned(), header }
    }

    #[test]
    fn what_starts_to_pass_is_noticed() {
        let failing = header("// gnomon: true\n// known-failing: hard\n");
        assert_eq!(judge(&failing, &unknown()), Judgement::KnownFailing);
        assert_eq!(judge(&failing, &Outcome::True), Judgement::DecidedNow);
        assert_eq!(judge(&failing, &Outcome::False), Judgement::Wrong);
        let unknown_is_right = header("// gnomon: unknown\n");
        assert_eq!(judge(&unknown_is_right, &unknown()), Judgement::AsTold);
        assert_eq!(judge(&unknown_is_right, &Outcome::True), Judgement::DecidedNow);
    }

    #[test]
    fn what_is_not_decided_is_not_fine() {
        let safe = header("// gnomon: true\n");
        assert_eq!(judge(&safe, &Outcome::True), Judgement::AsTold);
        assert_eq!(judge(&safe, &unknown()), Judgement::NotDecided);
        assert_eq!(judge(&safe, &Outcome::False), Judgement::Wrong);
        assert!(!judge(&safe, &unknown()).is_fine());
    }

    #[test]
    fn all_that_is_wrong_is_in_one_table() {
        let cases = vec![
            case("a/right.c", "// gnomon: true\n"),
            case("a/wrong.c", "// gnomon: false\n"),
            case("a/crash.c", "// gnomon: true --crash\n"),
            case("a/new.c", "// gnomon: true\n// known-failing: hard\n"),
        ];
        let table = Table::of(cases, |case| match case.header.rest.as_str() {
            "--crash" => panic!("index {} is out of bounds", 7),
            _ => Outcome::True,
        });
        let bad = table.bad();
        let lines: Vec<&str> = bad.lines().collect();
        assert_eq!(lines.len(), 3, "{bad}");
        assert!(lines[0].contains("a/wrong.c  false    WRONG VERDICT"), "{bad}");
        assert!(lines[1].ends_with("panic: index 7 is out of bounds"), "{bad}");
        assert!(lines[2].contains("decided now: change the header"), "{bad}");
        assert_eq!(table.count(Judgement::AsTold), 1);
    }

    #[test]
    fn slow_programs_are_left_to_campaigns_and_listed() {
        let cases = vec![case("a/slow.c", "// gnomon: true\n// slow: minutes\n")];
        let table = Table::of(cases, |_| Outcome::True);
        let left = [("a/slow.c".to_owned(), "minutes".to_owned())];
        match limits::is_campaign() {
            true => assert_eq!(table.rows.len(), 1),
            false => assert_eq!(table.left, left),
        }
    }
}
