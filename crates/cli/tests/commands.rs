//! What users see: each file under `cmd` holds commands with the output and exit code that they
//! must have. `TRYCMD=overwrite cargo test -p gnomon --test commands` writes what they have.

#[test]
fn commands_answer_as_written() {
    trycmd::TestCases::new()
        // Reports of internal errors go there.
        .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
        .case("tests/cmd/*.md")
        .run();
}
