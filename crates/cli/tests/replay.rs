//! For the bug programs of `tests/programs`, the compiled program fails as predicted.
//!
//! Daily a part of them is executed; `GNOMON_REPLAY=all cargo test -p gnomon --test replay` takes
//! all. What is not confirmed stands in `replay_exceptions.txt`, with the reason.

mod suite;

#[test]
fn compiled_programs_fail_as_predicted() {
    suite::Suite {
        header: "// gnomon: false",
        arguments: &["check", "--time", "60", "--replay"],
        expected: "confirmed by execution",
        variable: "GNOMON_REPLAY",
        exceptions: include_str!("replay_exceptions.txt"),
    }
    .run();
}
