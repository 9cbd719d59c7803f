//! Random programs are well-formed, and their text reads back to the same text.

mod random;

use gnomon_ir::{dot, text, validate};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_are_well_formed(seed: u64) {
        let program = random::program(seed);
        let defects: Vec<String> =
            validate::validate(&program).iter().map(ToString::to_string).collect();
        prop_assert!(defects.is_empty(), "{}", defects.join("\n"));
    }

    #[test]
    fn printing_what_was_read_gives_the_same_text(seed: u64) {
        let printed = text::print(&random::program(seed));
        let read = text::parse(&printed);
        prop_assert!(read.is_ok(), "{}\n{printed}", read.unwrap_err());
        let again = text::print(&read.unwrap());
        prop_assert_eq!(printed, again);
    }

    #[test]
    fn every_function_and_edge_is_in_the_picture(seed: u64) {
        let program = random::program(seed);
        let picture = dot::program(&program);
        let edges: usize = program
            .funcs
            .iter()
            .filter_map(|f| f.body.as_ref())
            .map(|body| body.edges().len())
            .sum();
        prop_assert_eq!(picture.lines().filter(|line| line.contains("->")).count() >= edges, true);
        prop_assert_eq!(picture.matches("subgraph").count(), program.funcs.len());
    }

    /// Cutting a text anywhere or changing a byte gives an error or a program, never a panic.
    #[test]
    fn damaged_text_does_not_panic(seed: u64, cut: prop::sample::Index, byte in 32u8..127) {
        let printed = text::print(&random::program(seed));
        let mut bytes = printed.into_bytes();
        let at = cut.index(bytes.len());
        bytes[at] = byte;
        if let Ok(damaged) = String::from_utf8(bytes.clone()) && let Ok(program) = text::parse(&damaged) {
            validate::validate(&program);
        }
        bytes.truncate(at);
        if let Ok(cut) = String::from_utf8(bytes) {
            let _ = text::parse(&cut);
        }
    }
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("gnomon-ir 2 lp64\n", "line 1, column 11: only version 1 of the text form can be read"),
        ("gnomon-ir 1 lp16\n", "line 1, column 13: expected `lp64` or `ilp32`, found `lp16`"),
        (
            "gnomon-ir 1 lp64\nglobal @x: i33 !- = {\n}\n",
            "line 2, column 12: expected a type, found `i33`",
        ),
        (
            "gnomon-ir 1 lp64\nglobal @x: i32 !- = {\n  @x = 5:i8 + @y\n}\n",
            "line 3, column 15: no variable `@y`",
        ),
        (
            "gnomon-ir 1 lp64\nfunc $f: fn() -> void !- = {\n  locs 2\n  L0 -> L7: skip !0\n}\n",
            "line 4, column 9: there are only 2 locations",
        ),
        (
            "gnomon-ir 1 lp64\nglobal @x: i8 !- = {\n  @x = 300:i8\n}\n",
            "line 3, column 8: this number does not fit its type",
        ),
    ];
    for (text, message) in cases {
        let error = text::parse(text).expect_err(text);
        assert_eq!(error.to_string(), message);
    }
}
