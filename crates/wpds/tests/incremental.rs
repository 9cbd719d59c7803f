//! Solving again after a change gives what solving from scratch gives.

mod random_systems;

use gnomon_wpds::{
    Change, ConfigSet, Control, Fwpds, FwpdsOptions, Kind, RuleId, Semiring, Symbol, Witness,
    weight_of_set,
};
use random_systems::{Plan, Random, configuration, relation, system};

#[test]
fn updates_agree_with_solving_from_scratch() {
    let (mut kept, mut recomputed) = (0, 0);
    for seed in 0..900u64 {
        for kind in [Kind::Weighted, Kind::Extended] {
            for forward in [true, false] {
                let plan = Plan { kind, path_extension: true, layered: seed.is_multiple_of(2) };
                let first = system(seed, plan);
                let mut random = Random::new(seed + 77);
                let domain = *first.domain();
                let controls = first.control_count();
                let start = ConfigSet::single(controls, &configuration(0, &[0])).unwrap();
                let tops: Vec<ConfigSet> = (0..first.symbol_count())
                    .map(|s| ConfigSet::top(controls, Control(0), Symbol(s)).unwrap())
                    .collect();
                let goal = &tops[(seed % 9) as usize];
                let input = if forward { &start } else { goal }.weighted(&domain.one());
                let options = FwpdsOptions {
                    differential: seed.is_multiple_of(3),
                    trace: seed.is_multiple_of(5),
                    ..FwpdsOptions::default()
                };
                // A change: rules removed, and copies of rules with another weight added.
                let mut second = first.clone();
                let mut removed = false;
                for _ in 0..1 + random.below(3) {
                    let rule = RuleId(random.below(first.rule_bound() as u32));
                    let Some(old) = second.rule(rule).cloned() else { continue };
                    if random.chance(50) {
                        second.remove_rule(rule).unwrap();
                        removed = true;
                    }
                    let weight = relation(&mut random, &domain);
                    let written = match old.rhs {
                        gnomon_wpds::Rhs::Pop => vec![],
                        gnomon_wpds::Rhs::Step(a) => vec![a],
                        gnomon_wpds::Rhs::Push(a, b) => vec![a, b],
                    };
                    if random.chance(70) {
                        let from = (old.from, old.top);
                        second.add_rule(from, (old.to, &written), weight, old.merge).unwrap();
                    }
                }
                let begin = |s| {
                    if forward {
                        Fwpds::poststar(s, &input, options.clone()).unwrap()
                    } else {
                        Fwpds::prestar(s, &input, options.clone()).unwrap()
                    }
                };
                let old = begin(&first);
                // Only some questions are asked before the change.
                let ask = if forward { &tops[..4] } else { std::slice::from_ref(&start) };
                for set in ask {
                    weight_of_set(&old, set).unwrap();
                }
                let (updated, report) = old.update(&second).unwrap();
                let expected = if removed { Change::RulesReplaced } else { Change::RulesAdded };
                assert_eq!(report.change, expected);
                kept += report.out_nodes_kept;
                recomputed += report.out_nodes_recomputed;
                let scratch = begin(&second);
                let ask = if forward { &tops[..] } else { std::slice::from_ref(&start) };
                for set in ask {
                    let weight = weight_of_set(&scratch, set).unwrap();
                    assert_eq!(weight_of_set(&updated, set).unwrap(), weight, "seed {seed}");
                    if options.trace {
                        let witness = Witness::of_set(&updated, set).unwrap();
                        assert_eq!(witness.weight().unwrap(), weight, "seed {seed}");
                    }
                }
                // And back again.
                let (back, _) = updated.update(&first).unwrap();
                let original = begin(&first);
                for set in ask {
                    let weight = weight_of_set(&original, set).unwrap();
                    assert_eq!(weight_of_set(&back, set).unwrap(), weight, "seed {seed}, back");
                }
            }
        }
    }
    assert!(kept > 500 && recomputed > 500, "kept {kept}, recomputed {recomputed}");
}
