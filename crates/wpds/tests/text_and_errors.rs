//! The text form, and what bad input is told.

use gnomon_wpds::domains::{Boolean, ExplicitRelations, MinPath, merge_by};
use gnomon_wpds::text::{read_automaton, read_system, write_automaton, write_system};
use gnomon_wpds::{
    Automaton, ConfigSet, Configuration, Control, Fwpds, FwpdsOptions, Kind, Label, Merge,
    SaturationOptions, Semiring, State, Symbol, Wpds, WpdsError, poststar, prestar, weight_of,
    weight_of_set,
};

const RECURSIVE: &str = "
    # a procedure that calls itself or returns
    control p
    symbol main f ret exit
    rule <p, main> -> <p, f ret> : 1
    rule <p, f> -> <p, f exit> : 10   # recursion
    rule <p, f> -> <p, exit> : 2
    rule <p, exit> -> <p,> : 3
    rule <p, ret> -> <p,> : 1
";

fn no_merge<S: Semiring>(_: &str) -> Option<Merge<S>> {
    None
}

#[test]
fn a_system_is_read_solved_and_written_back() {
    let system = read_system(RECURSIVE, MinPath, &no_merge).unwrap();
    let written = write_system(&system);
    let again = read_system(&written, MinPath, &no_merge).unwrap();
    assert_eq!(write_system(&again), written);
    let start = read_automaton("state q\nfinal q\np -main-> q : 0", &system).unwrap();
    let copy = read_automaton(&write_automaton(&start, &system), &system).unwrap();
    assert_eq!(copy.transitions(), start.transitions());
    let result = poststar(&system, &start, &SaturationOptions::default()).unwrap();
    let symbols = |names: &[&str]| names.iter().map(|n| system.symbol(n).unwrap()).collect();
    let control = system.control("p").unwrap();
    let weight = |names: &[&str]| {
        weight_of(&result, &Configuration { control, stack: symbols(names) }).unwrap()
    };
    assert_eq!(weight(&["ret"]), Some(6));
    assert_eq!(weight(&["exit", "exit", "ret"]), Some(13));
    assert_eq!(weight(&[]), Some(7));
    assert_eq!(weight(&["main", "main"]), None);
    // The whole result, as a person would read it.
    let text = write_automaton(&result.automaton().unwrap(), &system);
    assert!(text.contains("p -ret-> q1 : 6") && text.contains("p -eps-> q1 : 7"), "{text}");
}

fn read(text: &str) -> Result<Wpds<ExplicitRelations>, WpdsError> {
    let merge = |name: &str| -> Option<Merge<ExplicitRelations>> {
        let known = merge_by("plain", true, |d: &ExplicitRelations, a, b| d.extend(a, b));
        (name == "plain").then_some(known)
    };
    read_system(&format!("control p\nsymbol a b\n{text}"), ExplicitRelations::new(2), &merge)
}

#[test]
fn bad_rules_are_named() {
    let error = |text: &str| read(text).unwrap_err();
    let rule = || "<p, a> -> <p, c>".to_owned();
    assert_eq!(
        error("rule <p, a> -> <p, c> : id"),
        WpdsError::UnknownSymbol { rule: rule(), symbol: "c".to_owned() }
    );
    assert_eq!(
        error("rule <p, a> -> <q, b> : id"),
        WpdsError::UnknownControl { rule: "<p, a> -> <q, b>".to_owned(), control: "q".to_owned() }
    );
    assert_eq!(
        error("rule <p, a> -> <p, a b a> : id"),
        WpdsError::TooManySymbols { rule: "<p, a> -> <p, a b a>".to_owned(), count: 3 }
    );
    assert_eq!(
        error("kind extended\nrule <p, a> -> <p, a b> : id"),
        WpdsError::MissingMerge { rule: "<p, a> -> <p, a b>".to_owned() }
    );
    assert_eq!(
        error("rule <p, a> -> <p, a b> : id merge plain"),
        WpdsError::UnexpectedMerge { rule: "<p, a> -> <p, a b>".to_owned() }
    );
    let unknown = error("kind extended\nrule <p, a> -> <p, a b> : id merge odd").to_string();
    assert_eq!(unknown, "line 4: rule <p, a> -> <p, a b>: no merge function is called `odd`");
    let weight = error("rule <p, a> -> <p, b> : 0>5").to_string();
    assert_eq!(weight, "line 3: rule <p, a> -> <p, b>: `0>5` is outside the 2 values");
    assert!(matches!(error("rules"), WpdsError::Syntax { line: 3, .. }));
    assert!(matches!(error("rule p a -> p b : id"), WpdsError::Syntax { line: 3, .. }));
}

#[test]
fn weights_of_another_domain_are_refused() {
    let mut system = Wpds::new(ExplicitRelations::new(2), Kind::Weighted);
    let p = system.add_control("p");
    let a = system.add_symbol("a");
    let foreign = ExplicitRelations::new(3).one();
    let error = system.add_step((p, a), (p, a), foreign).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rule <p, a> -> <p, a>: a weight of another domain: a relation on 3 values in a domain of 2"
    );
    let unknown = system.add_step((p, Symbol(7)), (p, a), system.domain().one()).unwrap_err();
    assert!(matches!(unknown, WpdsError::UnknownSymbol { .. }), "{unknown}");
    let unknown = system.add_pop((Control(3), a), p, system.domain().one()).unwrap_err();
    assert!(matches!(unknown, WpdsError::UnknownControl { .. }), "{unknown}");
}

#[test]
fn automata_with_transitions_into_control_locations_are_refused() {
    let mut system = Wpds::new(Boolean, Kind::Weighted);
    let p = system.add_control("p");
    let a = system.add_symbol("a");
    system.add_step((p, a), (p, a), true).unwrap();
    let mut bad = Automaton::new(1);
    bad.add(State(0), Label::Symbol(a), State(0), true).unwrap();
    let options = SaturationOptions::default();
    let expected = WpdsError::TransitionIntoControl { control: 0 };
    assert_eq!(poststar(&system, &bad, &options).unwrap_err(), expected);
    assert_eq!(prestar(&system, &bad, &options).unwrap_err(), expected);
    let lazy = Fwpds::prestar(&system, &bad, FwpdsOptions::default()).unwrap_err();
    assert_eq!(lazy, expected);
    let other = ConfigSet::all(2).weighted(&true);
    assert!(matches!(
        poststar(&system, &other, &options).unwrap_err(),
        WpdsError::ControlCount { expected: 1, found: 2 }
    ));
    assert!(matches!(
        bad.add(State(5), Label::Any, State(0), true).unwrap_err(),
        WpdsError::OutOfRange { what: "state", index: 5 }
    ));
}

#[test]
fn analyses_that_need_path_extension_say_so() {
    let mut system = Wpds::new(ExplicitRelations::new(2), Kind::Extended);
    let p = system.add_control("p");
    let (a, b) = (system.add_symbol("a"), system.add_symbol("b"));
    let one = system.domain().one();
    let odd = merge_by("odd", false, |d: &ExplicitRelations, x, y| d.extend(x, y));
    system.add_push((p, a), (p, a, b), one.clone(), Some(odd)).unwrap();
    let set = ConfigSet::top(1, p, a).unwrap().weighted(&one);
    let error = prestar(&system, &set, &SaturationOptions::default()).unwrap_err();
    let rule = "<p, a> -> <p, a b>".to_owned();
    assert_eq!(error, WpdsError::NoPathExtension { rule, analysis: "prestar" });
    assert!(Fwpds::poststar(&system, &set, FwpdsOptions::default()).is_err());
    assert!(poststar(&system, &set, &SaturationOptions::default()).is_ok());
}

#[test]
fn a_small_budget_and_a_small_table_end_in_errors() {
    use gnomon_budget::{Budget, Exhausted};
    let system = read_system(RECURSIVE, MinPath, &no_merge).unwrap();
    let start = read_automaton("state q\nfinal q\np -main-> q : 0", &system).unwrap();
    let budget = Budget::unlimited().with_steps(3);
    let options = SaturationOptions { budget, ..SaturationOptions::default() };
    let error = poststar(&system, &start, &options).unwrap_err();
    assert_eq!(error, WpdsError::Exhausted(Exhausted::Steps));
    let budget = Budget::unlimited().with_steps(0);
    let options = FwpdsOptions { budget, ..FwpdsOptions::default() };
    let lazy = Fwpds::poststar(&system, &start, options).unwrap();
    let all = ConfigSet::all(1);
    assert_eq!(weight_of_set(&lazy, &all).unwrap_err(), WpdsError::Exhausted(Exhausted::Steps));
    // The identity on 400 variables does not fit into the smallest table.
    let full = gnomon_wpds::domains::BddRelations::new(400, 1).unwrap_err();
    assert!(matches!(full, gnomon_bdd::BddError::OutOfNodes { .. }), "{full}");
}
