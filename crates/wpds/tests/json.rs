//! JSON instances: the same systems as the text form, and what bad documents are told.

mod random_systems;

use std::collections::BTreeMap;

use gnomon_wpds::domains::{Boolean, ExplicitRelations, MinPath, plain_merge};
use gnomon_wpds::json::{Instance, WeightJson, read_instance, write_instance};
use gnomon_wpds::text::{WeightSyntax, write_automaton, write_system};
use gnomon_wpds::{
    ConfigSet, Configuration, Kind, Merge, SaturationOptions, Semiring, WpdsError, poststar,
};
use random_systems::{Plan, configuration, system};

fn no_merge<S: Semiring>(_: &str) -> Option<Merge<S>> {
    None
}

/// Writes, reads, and compares both forms of what comes back.
fn round_trip<S: WeightJson + WeightSyntax>(
    instance: &Instance<S>,
    merge: &dyn Fn(&str) -> Option<Merge<S>>,
) {
    let written = write_instance(instance);
    let again = read_instance(&written, instance.system.domain().clone(), merge).unwrap();
    assert_eq!(write_system(&again.system), write_system(&instance.system));
    assert_eq!(
        again.automata.keys().collect::<Vec<_>>(),
        instance.automata.keys().collect::<Vec<_>>()
    );
    for (name, automaton) in &instance.automata {
        let read = write_automaton(&again.automata[name], &again.system);
        assert_eq!(read, write_automaton(automaton, &instance.system), "{name}");
    }
    assert_eq!(write_instance(&again), written);
}

#[test]
fn random_systems_come_back() {
    for seed in 0..300 {
        let kind = if seed % 2 == 0 { Kind::Weighted } else { Kind::Extended };
        let system = system(seed, Plan { kind, path_extension: true, layered: false });
        let one = system.domain().one();
        let start = ConfigSet::single(system.control_count(), &configuration(0, &[0, 3])).unwrap();
        let all = ConfigSet::all(system.control_count());
        let automata = BTreeMap::from([
            ("start".to_owned(), start.weighted(&one)),
            ("all".to_owned(), all.weighted(&system.domain().zero())),
        ]);
        // Merge functions are read back by name only: which one it is does not matter here.
        let named = |name: &str| -> Option<Merge<ExplicitRelations>> {
            (name == "merge" || name == "plain").then(|| {
                if name == "plain" { plain_merge(one.clone()) } else { std::sync::Arc::new(Named) }
            })
        };
        round_trip(&Instance { system, automata }, &named);
    }
}

/// Stands for the merge functions without a name of their own.
struct Named;

impl gnomon_wpds::MergeFunction<ExplicitRelations> for Named {
    fn merge(
        &self,
        domain: &ExplicitRelations,
        caller: &gnomon_wpds::domains::Relation,
        callee: &gnomon_wpds::domains::Relation,
    ) -> Result<gnomon_wpds::domains::Relation, gnomon_wpds::WeightError> {
        domain.extend(caller, callee)
    }
}

const RECURSIVE: &str = r#"{
    "domain": "min-path",
    "controls": ["p"],
    "symbols": ["main", "f", "ret", "exit"],
    "rules": [
        { "from": ["p", "main"], "to": ["p", "f", "ret"], "weight": 1 },
        { "from": ["p", "f"], "to": ["p", "f", "exit"], "weight": 10 },
        { "from": ["p", "f"], "to": ["p", "exit"], "weight": 2 },
        { "from": ["p", "exit"], "to": ["p"], "weight": 3 },
        { "from": ["p", "ret"], "to": ["p"], "weight": "inf" }
    ],
    "automata": {
        "start": {
            "states": ["q"],
            "final": ["q"],
            "transitions": [{ "from": "p", "read": "main", "to": "q", "weight": 0 }]
        },
        "any": {
            "states": ["rest"],
            "final": ["rest", "p"],
            "transitions": [{ "from": "rest", "read": "*", "to": "rest", "weight": 0 }]
        }
    }
}"#;

#[test]
fn an_instance_is_read_and_solved() {
    let instance = read_instance(RECURSIVE, MinPath, &no_merge).unwrap();
    round_trip(&instance, &no_merge);
    let options = SaturationOptions::default();
    let reached = poststar(&instance.system, &instance.automata["start"], &options).unwrap();
    let ret = instance.system.symbol("ret").unwrap();
    let back = Configuration { control: instance.system.control("p").unwrap(), stack: vec![ret] };
    assert_eq!(gnomon_wpds::weight_of(&reached, &back).unwrap(), Some(6));
}

#[test]
fn bad_documents_name_the_place() {
    let error = |from: &str, to: &str| {
        let text = RECURSIVE.replacen(from, to, 1);
        assert_ne!(text, RECURSIVE, "{from}");
        read_instance(&text, MinPath, &no_merge).unwrap_err()
    };
    let rule = |text: &str| text.to_owned();
    assert_eq!(
        error(r#"["p", "f", "ret"]"#, r#"["p", "g", "ret"]"#),
        WpdsError::UnknownSymbol { rule: rule("<p, main> -> <p, g ret>"), symbol: rule("g") }
    );
    assert_eq!(
        error(r#"["p", "exit"], "weight": 2"#, r#"["q", "exit"], "weight": 2"#),
        WpdsError::UnknownControl { rule: rule("<p, f> -> <q, exit>"), control: rule("q") }
    );
    assert_eq!(
        error(r#"["p", "f", "exit"]"#, r#"["p", "f", "exit", "exit"]"#),
        WpdsError::TooManySymbols { rule: rule("<p, f> -> <p, f exit exit>"), count: 3 }
    );
    assert!(matches!(
        error(r#""controls""#, r#""kind": "extended", "controls""#),
        WpdsError::MissingMerge { .. }
    ));
    let message = |from: &str, to: &str| error(from, to).to_string();
    assert_eq!(
        message(r#""weight": 10"#, r#""weight": true"#),
        "rule <p, f> -> <p, f exit>: true is not a number or \"inf\""
    );
    assert_eq!(
        message(r#""weight": 10"#, r#""weight": 10, "merge": "odd""#),
        "rule <p, f> -> <p, f exit>: no merge function is called `odd`"
    );
    assert_eq!(
        message(r#""domain": "min-path""#, r#""domain": "boolean""#),
        "domain: `boolean`, but weights of `min-path` are read"
    );
    assert_eq!(
        message(r#""read": "main""#, r#""read": "nowhere""#),
        "automaton `start`, transition p -nowhere-> q: there is no stack symbol `nowhere`"
    );
    assert_eq!(
        message(r#""final": ["q"]"#, r#""final": ["r"]"#),
        "automaton `start`: there is no state `r`"
    );
    assert_eq!(message(r#"["main", "f""#, r#"["f", "f""#), "symbols: `f` is there twice");
    assert!(message(r#""rules""#, r#""rulez""#).starts_with("the document: unknown field `rulez`"));
    assert_eq!(
        message(r#"["p"], "weight": 3"#, r#"[], "weight": 3"#),
        "rule <p, exit> -> <,>: `to` has no control location"
    );
    let relations = r#"{ "controls": ["p"], "symbols": ["a"],
        "rules": [{ "from": ["p", "a"], "to": ["p"], "weight": [[0, 5]] }] }"#;
    let told = read_instance(relations, ExplicitRelations::new(2), &no_merge).unwrap_err();
    assert_eq!(told.to_string(), "rule <p, a> -> <p,>: [0, 5] is outside the 2 values");
    let told = read_instance(relations, Boolean, &no_merge).unwrap_err();
    assert_eq!(told.to_string(), "rule <p, a> -> <p,>: [[0,5]] is not true or false");
}
