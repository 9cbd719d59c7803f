//! All programs of `tests/programs`, area by area: each verdict is the one in the header of the program.
//!
//! What is not decided within the limits of the daily run says so in its header (`tests/README.md`);
//! `GNOMON_CAMPAIGN=1` takes the slow ones too, with more.

use gnomon_engine::verdict::Verdict;
use gnomon_testkit::corpus::Case;
use gnomon_testkit::table::{Outcome, Table};
use gnomon_testkit::{corpus, limits};
use gnomon_verify::decide::{Options, check};

fn decided(case: &Case) -> Outcome {
    assert!(case.header.rest.is_empty(), "options are not known here");
    let budget = limits::for_one_program();
    let report = check(&case.program(), &Options::default(), &budget).expect("a good request");
    println!("{}: {} units of work", case.name, budget.work());
    match report.verdict {
        Verdict::True(_) => Outcome::True,
        Verdict::False(_) => Outcome::False,
        Verdict::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

macro_rules! areas {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let name = stringify!($name);
            Table::of(corpus::area(name), decided).assert_as_told(name);
        })*

        #[test]
        fn every_area_is_checked() {
            assert_eq!(corpus::areas(), [$(stringify!($name)),*]);
        }
    };
}

areas! {
    addresses
    arithmetic
    arrays
    assembler
    bits
    branches
    drivers
    enums
    floats
    function_pointers
    functions
    goto
    heap
    loops
    orders
    outside
    papers
    pointers
    recursion
    strings
    structs
    switch
    unions
}
