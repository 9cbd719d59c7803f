//! The programs of `tests/programs` with known verdicts: none may be decided wrongly, and of the
//! areas that the engine covers, most must be decided quickly.
//!
//! Every third program is taken, with two seconds each; `GNOMON_PROGRAMS=all` takes all, and
//! `GNOMON_SECONDS` gives another limit.

mod corpus;

use std::time::Duration;

use corpus::{load, programs};
use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_verify::decide::{Options, check};

/// Checks an area; at least the given share, in percent, must be decided.
fn area(name: &str, least: usize) {
    let all = std::env::var("GNOMON_PROGRAMS").is_ok_and(|v| v == "all");
    let seconds = std::env::var("GNOMON_SECONDS").ok().and_then(|v| v.parse().ok()).unwrap_or(2);
    let step = if all { 1 } else { 3 };
    let (mut decided, mut tried) = (0, 0);
    let mut wrong = Vec::new();
    for (file, expected) in programs(name).into_iter().step_by(step) {
        let program = load(&file);
        let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
        let report = check(&program, &Options::default(), &budget).expect("a good request");
        tried += 1;
        match report.verdict {
            Verdict::Unknown(reason) => println!("{}: {reason}", file.display()),
            Verdict::True(_) if expected => decided += 1,
            Verdict::False(_) if !expected => decided += 1,
            _ => wrong.push(file),
        }
    }
    println!("{name}: {decided} of {tried} decided");
    assert!(wrong.is_empty(), "wrong verdicts: {wrong:?}");
    assert!(decided * 100 >= tried * least, "{name}: only {decided} of {tried} decided");
}

macro_rules! areas {
    ($($name:ident $least:literal;)*) => {$(
        #[test]
        fn $name() {
            area(stringify!($name), $least);
        }
    )*};
}

// The shares hold on a machine that has other work to do.
areas! {
    arithmetic 60;
    arrays 40;
    bits 40;
    branches 80;
    drivers 50;
    enums 60;
    floats 30;
    function_pointers 40;
    functions 50;
    goto 60;
    heap 40;
    loops 40;
    papers 50;
    pointers 50;
    recursion 10;
    strings 30;
    structs 30;
    switch 80;
    unions 40;
}
