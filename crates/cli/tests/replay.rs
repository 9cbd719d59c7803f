//! For the bug programs of `tests/programs`, the compiled program fails as predicted.
//!
//! Daily some areas are executed; `GNOMON_CAMPAIGN=1 cargo test -p gnomon --test replay` takes all. What is not confirmed stands in `replay_exceptions.txt`, with the reason.

mod suite;

use gnomon_testkit::header::Expected;

#[test]
fn compiled_programs_fail_as_predicted() {
    suite::Suite {
        of: Expected::False,
        arguments: &["check", "--time", "60", "--replay"],
        expected: "confirmed by execution",
        exceptions: include_str!("replay_exceptions.txt"),
    }
    .run();
}
