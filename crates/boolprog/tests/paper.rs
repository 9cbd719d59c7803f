//! The running example of LAL (Figures 1.5 and 5.2) with what the text says about it.

use std::collections::BTreeSet;

use gnomon_boolprog::check::{CheckOptions, Verdict, check};
use gnomon_boolprog::model::Model;
use gnomon_boolprog::project::project;
use gnomon_boolprog::read::{Dialect, ReadOptions, read};
use gnomon_boolprog::report::{projection, state_set_text};
use gnomon_boolprog::source::Source;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_budget::Budget;

/// One line of the figure is one line here.
fn figure(cells: [&str; 11]) -> Source {
    let [l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11] = cells;
    let text = format!(
        "{l1}\nif {l2} then\nif {l3} then\n{l4}\n{l5}\n{l6} fi else\n{l7} fi\nif {l8} then\n\
         if {l9} then\n{l10} else\n{l11} fi fi end\n"
    );
    let head = "decl nU0; void getUnit() begin decl cE; ";
    Source::new("figure", head.to_owned() + &text)
}

fn b1() -> Source {
    figure(["skip;", "*", "*", "skip;", "skip;", "skip;", "skip;", "*", "*", "assert(F);", "skip;"])
}

fn b2() -> Source {
    let none = "skip;";
    figure([none, "nU0", "*", none, "nU0 := F;", none, none, "*", "nU0", "assert(F);", none])
}

fn b3() -> Source {
    figure([
        "cE := F;",
        "nU0",
        "*",
        "skip;",
        "nU0 := F;",
        "cE := T;",
        "cE := T;",
        "cE",
        "nU0",
        "assert(F);",
        "skip;",
    ])
}

fn model(source: &Source) -> Model {
    let result = read(source, Dialect::BooleanProgram, &ReadOptions::default());
    result.model.unwrap_or_else(|| panic!("{}", result.messages.render(source)))
}

fn is_safe(source: &Source) -> bool {
    let model = model(source);
    let options = CheckOptions { nodes: 1 << 16, ..CheckOptions::default() };
    let targets = model.assertion_failures();
    let outcome = check(&model, &targets, &options, &Budget::unlimited()).unwrap();
    matches!(outcome.verdict, Verdict::True)
}

/// The lines outside the projection, and the condition at line 2.
fn outside(source: &Source) -> (BTreeSet<u32>, String) {
    let model = model(source);
    let budget = Budget::unlimited();
    let encoding = Encoding::new(&model, VariableOrder::Force, 1 << 16, &budget).unwrap();
    let result = project(&encoding, &model.assertion_failures(), &budget).unwrap();
    let statements = projection(source, &encoding, &result).unwrap();
    let lines = statements.iter().filter(|s| !s.inside).map(|s| s.line).collect();
    let second = statements.iter().find(|s| s.line == 2).and_then(|s| s.fails_if.as_ref());
    (lines, second.map_or_else(String::new, state_set_text))
}

#[test]
fn line_10_is_reachable_in_the_first_two_abstractions_and_not_in_the_third() {
    assert!(!is_safe(&b1()));
    assert!(!is_safe(&b2()));
    assert!(is_safe(&b3()));
}

#[test]
fn error_projections_shade_what_the_paper_shades() {
    // "Error projection on B1 shows that line 11 cannot contribute to the bug."
    assert_eq!(outside(&b1()).0, BTreeSet::from([11]));
    // "B2 further reveals that lines 3 to 6 and line 7 do not contribute to the bug (the empty else
    // branch to the conditional at line 3 still can)": the condition itself is passed.
    let (lines, condition) = outside(&b2());
    assert_eq!(lines, BTreeSet::from([4, 5, 6, 7, 11]));
    // "nU0 can be assumed to be true, because otherwise the assertion cannot be reached."
    assert_eq!(condition, "nU0");
    assert_eq!(outside(&b3()).0, (1..=11).collect());
}
