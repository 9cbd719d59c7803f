//! The domain of affine relations: laws, canonical modules, completeness, wrap-around, local variables,
//! threads.

mod algebra;
mod random_systems;

use std::sync::Arc;

use algebra::{laws, merge_laws};
use gnomon_wpds::domains::affine::{
    AffineMerge, AffineRelations, AffineWeight, Modular, Module, Rationals, Scalars, kernel,
};
use gnomon_wpds::semiring::star;
use gnomon_wpds::transducer::{ConcurrentSystem, Schedule, TransducerOptions};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, Fwpds, FwpdsOptions, Kind, MergeFunction, Rhs, RuleId,
    SaturationOptions, Semiring, Symbol, Wpds, poststar, weight_of, weight_of_set,
};
use random_systems::Random;

/// The factors and constants of random assignments: also such as lose bits.
const NUMBERS: [i64; 8] = [0, 1, 1, 2, -1, 3, 4, 96];

/// A random assignment to one variable.
fn assignment(random: &mut Random, variables: u32) -> (usize, i64, Vec<(usize, i64)>) {
    let number = |random: &mut Random| NUMBERS[random.below(8) as usize];
    let target = random.below(variables) as usize;
    let terms = (0..random.below(3)).map(|_| (random.below(variables) as usize, number(random)));
    let terms = terms.collect();
    (target, number(random), terms)
}

fn weight<R: Scalars>(random: &mut Random, d: &AffineRelations<R>) -> AffineWeight<R> {
    let variables = d.variable_count() as u32;
    let one = |random: &mut Random| {
        let (target, constant, terms) = assignment(random, variables);
        d.assign(&[(target, constant, &terms)])
    };
    match random.below(8) {
        0 => d.zero(),
        1 => d.one(),
        2 => d.forget(&[random.below(variables) as usize]).unwrap(),
        3 | 4 => d.combine(&one(random), &one(random)).unwrap(),
        _ => one(random),
    }
}

#[test]
fn the_laws_hold_modulo_powers_of_two_and_for_rationals() {
    for seed in 0..240u64 {
        let mut random = Random::new(seed);
        let bits = [2, 8, 16, 32, 64][(seed % 5) as usize];
        let d = AffineRelations::new(Modular::new(bits).unwrap(), 2);
        let [a, b, c, call] = std::array::from_fn(|_| weight(&mut random, &d));
        laws(&d, &a, &b, &c);
        merge_laws(&d, &AffineMerge::new(call, &[1]), [&a, &b, &c]);
    }
    for seed in 0..40u64 {
        let mut random = Random::new(seed);
        let d = AffineRelations::new(Rationals, 2);
        let [a, b, c, call] = std::array::from_fn(|_| weight(&mut random, &d));
        laws(&d, &a, &b, &c);
        merge_laws(&d, &AffineMerge::new(call, &[1]), [&a, &b, &c]);
    }
}

/// All linear combinations of some vectors modulo `2^bits`.
fn span(ring: &Modular, vectors: &[Vec<u64>], length: usize) -> Vec<Vec<u64>> {
    let mut all = vec![vec![0; length]];
    for vector in vectors {
        let mut next = Vec::new();
        for known in &all {
            for factor in 0..1u64 << ring.bits() {
                let entry = |(x, y): (&u64, &u64)| ring.add(x, &ring.multiply(&factor, y));
                next.push(known.iter().zip(vector).map(entry).collect());
            }
        }
        next.sort();
        next.dedup();
        all = next;
    }
    all
}

#[test]
fn modules_are_canonical_and_their_kernels_complete() {
    for seed in 0..400u64 {
        let mut random = Random::new(seed);
        let ring = Modular::new(1 + random.below(3)).unwrap();
        let modulus = 1u32 << ring.bits();
        let vectors: Vec<Vec<u64>> = (0..random.below(4))
            .map(|_| (0..3).map(|_| u64::from(random.below(modulus))).collect())
            .collect();
        let module = Module::generated(&ring, vectors.clone());
        let everything = span(&ring, &vectors, 3);
        let units: Vec<Vec<u64>> =
            (0..3).map(|i| (0..3).map(|j| u64::from(i == j)).collect()).collect();
        for vector in span(&ring, &units, 3) {
            let inside = everything.binary_search(&vector).is_ok();
            assert_eq!(module.contains(&ring, &vector), inside, "seed {seed}: {vector:?}");
        }
        // Any generators of the same module give the same rows.
        let mut others: Vec<Vec<u64>> = (0..4)
            .map(|_| everything[random.below(everything.len() as u32) as usize].clone())
            .collect();
        others.extend(vectors.iter().rev().cloned());
        assert_eq!(Module::generated(&ring, others), module, "seed {seed}");
        // The kernel has exactly the vectors on which everything vanishes.
        let solutions = kernel(&ring, &module, 3);
        for vector in span(&ring, &units, 3) {
            let vanishes = vectors.iter().all(|equation| {
                let products = equation.iter().zip(&vector).map(|(x, y)| ring.multiply(x, y));
                products.fold(0, |sum, product| ring.add(&sum, &product)) == 0
            });
            assert_eq!(solutions.contains(&ring, &vector), vanishes, "seed {seed}: {vector:?}");
        }
    }
}

/// On programs without loops: a relation is found exactly if it holds at the end of every path.
fn complete<R: Scalars>(numbers: &R, seed: u64) {
    let mut random = Random::new(seed);
    let variables = 1 + random.below(3);
    let d = AffineRelations::new(numbers.clone(), variables as usize);
    let mut weight = d.one();
    let mut paths = vec![d.assignment_matrix(&[])];
    let size = variables as usize + 1;
    let product = |a: &[R::Number], b: &[R::Number]| -> Vec<R::Number> {
        let entry = |i: usize| {
            let terms = (0..size)
                .map(|k| numbers.multiply(&a[i / size * size + k], &b[k * size + i % size]));
            terms.fold(numbers.zero(), |sum, term| numbers.add(&sum, &term))
        };
        (0..size * size).map(entry).collect()
    };
    for _ in 0..1 + random.below(5) {
        let choices: Vec<_> =
            (0..1 + random.below(2)).map(|_| assignment(&mut random, variables)).collect();
        let step = choices.iter().fold(d.zero(), |all, (target, constant, terms)| {
            d.combine(&all, &d.assign(&[(*target, *constant, terms)])).unwrap()
        });
        weight = d.extend(&weight, &step).unwrap();
        let step = |path: &Vec<R::Number>| {
            let choices = choices.iter().map(|(target, constant, terms)| {
                product(path, &d.assignment_matrix(&[(*target, *constant, terms)]))
            });
            choices.collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(step).collect();
    }
    let relations = d.relations(&weight);
    let holds = |relation: &[R::Number]| {
        let row = |row: &[R::Number]| {
            let terms = row.iter().zip(relation).map(|(x, y)| numbers.multiply(x, y));
            numbers.is_zero(&terms.fold(numbers.zero(), |sum, term| numbers.add(&sum, &term)))
        };
        paths.iter().all(|matrix| matrix.chunks(size).all(row))
    };
    for relation in relations.generators() {
        assert!(holds(relation) && d.holds(&weight, relation), "seed {seed}: {relation:?}");
    }
    for _ in 0..200 {
        let relation: Vec<R::Number> = (0..size)
            .map(|_| numbers.integer([0, 1, 2, -1, 64, 128, 16][random.below(7) as usize]))
            .collect();
        assert_eq!(relations.contains(numbers, &relation), holds(&relation), "seed {seed}");
        assert_eq!(d.holds(&weight, &relation), holds(&relation), "seed {seed}");
    }
}

#[test]
fn relations_are_complete_without_loops() {
    for seed in 0..250u64 {
        let bits = [8, 16, 32, 64][(seed % 4) as usize];
        complete(&Modular::new(bits).unwrap(), seed);
    }
    for seed in 0..60u64 {
        complete(&Rationals, seed);
    }
}

#[test]
fn wrap_around_is_exact() {
    for bits in [8, 16, 32, 64] {
        let ring = Modular::new(bits).unwrap();
        let d = AffineRelations::new(ring, 1);
        let doubled = d.assign(&[(0, 0, &[(0, 2)])]);
        let mut weight = d.one();
        for _ in 0..bits - 1 {
            weight = d.extend(&weight, &doubled).unwrap();
        }
        assert!(!d.holds(&weight, &[0, 1]), "the highest bit is left");
        assert!(d.holds(&weight, &[0, 2]));
        weight = d.extend(&weight, &doubled).unwrap();
        assert!(d.holds(&weight, &[0, 1]), "{bits} bits are gone");
        // x := 1; x := 3x in a loop: odd, so 2^(bits-1) (x - 1) = 0; and 3x = x modulo 2.
        let start = d.assign(&[(0, 1, &[])]);
        let tripled = star(&d, &d.assign(&[(0, 0, &[(0, 3)])])).unwrap();
        let odd = d.extend(&start, &tripled).unwrap();
        let half = 1u64 << (bits - 1);
        assert!(d.holds(&odd, &[half, half]) && !d.holds(&odd, &[half / 2, half / 2]));
    }
    assert!(Modular::new(0).is_err() && Modular::new(65).is_err());
}

/// A caller with a local variable, and a callee that is given twice that value and adds it to the
/// global: x global, y local.
#[test]
fn local_variables_survive_calls() {
    let d = AffineRelations::new(Modular::new(32).unwrap(), 2);
    let mut system = Wpds::new(d.clone(), Kind::Extended);
    let p = system.add_control("p");
    let [main, call, back, body, exit] =
        ["main", "call", "back", "body", "exit"].map(|name| system.add_symbol(name));
    system.add_step((p, main), (p, call), d.assign(&[(0, 5, &[])])).unwrap();
    let bind = d.assign(&[(1, 0, &[(1, 2)])]);
    let merge = Arc::new(AffineMerge::new(bind.clone(), &[1]));
    system.add_push((p, call), (p, body, back), bind, Some(merge)).unwrap();
    let add = d.assign(&[(0, 0, &[(0, 1), (1, 1)]), (1, 99, &[])]);
    system.add_step((p, body), (p, exit), add).unwrap();
    system.add_pop((p, exit), p, d.one()).unwrap();
    let start = ConfigSet::single(1, &Configuration { control: p, stack: vec![main] }).unwrap();
    let start = start.weighted(&d.one());
    let at_back = Configuration { control: p, stack: vec![back] };
    let saturated = poststar(&system, &start, &SaturationOptions::default()).unwrap();
    let weight = weight_of(&saturated, &at_back).unwrap();
    let lazy = Fwpds::poststar(&system, &start, FwpdsOptions::default()).unwrap();
    assert_eq!(weight_of(&lazy, &at_back).unwrap(), weight);
    // x = 5 + 2y, with the caller's own y.
    let minus_one = d.numbers().integer(-1);
    assert!(d.holds(&weight, &[5, minus_one, 2]));
    let in_callee = weight_of_set(&saturated, &ConfigSet::top(1, p, exit).unwrap()).unwrap();
    assert!(d.holds(&in_callee, &[99, 0, minus_one]) && !d.holds(&in_callee, &[5, minus_one, 2]));
    assert_eq!(d.precondition(&weight, &[5, minus_one, 2]), d.zero());
    let needs = d.precondition(&weight, &[0, 1, 0]);
    assert!(needs.contains(d.numbers(), &[5, 0, 2]), "x = 0 needs 5 + 2y = 0");
}

/// The circular queue of LAL Figure 6.1 with two producers and two consumers, three contexts each:
/// `tl - hd - cnt = 0` modulo the size. (The paper has the two ends the other way round.)
#[test]
fn figure_6_1_circular_queue() {
    let d = AffineRelations::new(Modular::new(8).unwrap(), 3);
    let (hd, tl, cnt) = (0, 1, 2);
    let user = |weight: AffineWeight<Modular>| {
        let mut system = Wpds::new(d.clone(), Kind::Weighted);
        let p = system.add_control("p");
        let [again, done] = ["again", "done"].map(|name| system.add_symbol(name));
        system.add_step((p, again), (p, done), weight).unwrap();
        system.add_step((p, done), (p, again), d.one()).unwrap();
        system
    };
    let put = user(d.assign(&[(tl, 1, &[(tl, 1)]), (cnt, 1, &[(cnt, 1)])]));
    let take = user(d.assign(&[(hd, 1, &[(hd, 1)]), (cnt, -1, &[(cnt, 1)])]));
    let threads = [&put, &take, &put, &take];
    let concurrent = ConcurrentSystem::new(&threads, &TransducerOptions::default()).unwrap();
    let at = |symbol| {
        let only = Configuration { control: Control(0), stack: vec![Symbol(symbol)] };
        ConfigSet::single(1, &only).unwrap()
    };
    let start = vec![at(0); threads.len()];
    let goal = vec![ConfigSet::all(1); threads.len()];
    let schedule = Schedule::round_robin(threads.len(), 3);
    let found = concurrent.weight(&start, &goal, &schedule).unwrap();
    let empty = d.assign(&[(hd, 0, &[]), (tl, 0, &[]), (cnt, 0, &[])]);
    let reached = d.extend(&empty, &found).unwrap();
    let minus_one = d.numbers().integer(-1);
    let invariant = [0, minus_one, 1, minus_one];
    assert!(d.holds(&reached, &invariant));
    let relations = d.relations(&reached);
    assert_eq!(relations, Module::generated(d.numbers(), [invariant.to_vec()]), "and no other");
    assert!(!d.holds(&reached, &[0, 1, minus_one, minus_one]));
}

/// A run of a thread without loops: the rules that fire in each of its contexts.
fn runs(
    system: &Wpds<AffineRelations<Modular>>,
    from: &Configuration,
) -> Vec<(Configuration, AffineWeight<Modular>)> {
    let mut all = vec![(from.clone(), system.domain().one())];
    let mut done = 0;
    while done < all.len() {
        let (at, weight) = all[done].clone();
        done += 1;
        let fits: Vec<RuleId> = system
            .rules()
            .filter(|(_, rule)| at.control == rule.from && at.stack.first() == Some(&rule.top))
            .map(|(id, _)| id)
            .collect();
        for id in fits {
            let (next, step) = system.run(&at, &[id]).unwrap();
            all.push((next, system.domain().extend(&weight, &step).unwrap()));
        }
    }
    all
}

/// Threads without loops: the weight of a schedule is generated by the matrices of its runs.
#[test]
fn threads_agree_with_enumeration() {
    let mut reached = 0;
    for seed in 0..2000u64 {
        let mut random = Random::new(seed);
        let bits = [2, 8, 32][random.below(3) as usize];
        let d = AffineRelations::new(Modular::new(bits).unwrap(), 1);
        let systems: Vec<Wpds<AffineRelations<Modular>>> = (0..2)
            .map(|_| {
                let mut system = Wpds::new(d.clone(), Kind::Weighted);
                let p = system.add_control("p");
                let symbols = system.add_symbols(6);
                for _ in 0..6 {
                    // Numbers of symbols only grow: there are no loops.
                    let from = random.below(5);
                    let later =
                        |random: &mut Random| symbols[(from + 1 + random.below(5 - from)) as usize];
                    let (target, constant, terms) = assignment(&mut random, 1);
                    let weight = d.assign(&[(target, constant, &terms)]);
                    let head = (p, symbols[from as usize]);
                    let added = match random.below(6) {
                        0 => system.add_pop(head, p, weight),
                        1 | 2 => {
                            let (entry, back) = (later(&mut random), later(&mut random));
                            system.add_push(head, (p, entry, back), weight, None)
                        }
                        _ => system.add_step(head, (p, later(&mut random)), weight),
                    };
                    added.unwrap();
                }
                system
            })
            .collect();
        assert!(systems.iter().all(|s| s.rules().all(|(_, r)| r.rhs != Rhs::Step(r.top))));
        let threads: Vec<&Wpds<_>> = systems.iter().collect();
        let concurrent = ConcurrentSystem::new(&threads, &TransducerOptions::default()).unwrap();
        let single = |stack: Vec<Symbol>| Configuration { control: Control(0), stack };
        let start = vec![single(vec![Symbol(0)]); 2];
        let goal = [
            ConfigSet::top(1, Control(0), Symbol(1 + random.below(5))).unwrap(),
            ConfigSet::all(1),
        ];
        let contexts: Vec<usize> =
            (0..1 + random.below(4)).map(|_| random.below(2) as usize).collect();
        let mut states = vec![(start.clone(), d.one())];
        for &thread in &contexts {
            let mut next = Vec::new();
            for (stacks, before) in &states {
                for (end, weight) in runs(&systems[thread], &stacks[thread]) {
                    let mut stacks = stacks.clone();
                    stacks[thread] = end;
                    next.push((stacks, d.extend(before, &weight).unwrap()));
                }
            }
            states = next;
            if states.len() > 20_000 {
                break;
            }
        }
        if states.len() > 20_000 {
            continue;
        }
        let mut expected = d.zero();
        for (stacks, weight) in &states {
            if stacks.iter().zip(&goal).all(|(stack, set)| set.contains(stack)) {
                expected = d.combine(&expected, weight).unwrap();
            }
        }
        let sets: Vec<ConfigSet> =
            start.iter().map(|only| ConfigSet::single(1, only).unwrap()).collect();
        let schedule = Schedule::sequence(2, &contexts);
        let found = concurrent.weight(&sets, &goal, &schedule).unwrap();
        assert_eq!(found, expected, "seed {seed}, {contexts:?}");
        reached += usize::from(!d.is_zero(&found));
    }
    assert!(reached > 300, "{reached}");
}

#[test]
fn weights_of_another_size_are_refused() {
    let d = AffineRelations::new(Modular::new(8).unwrap(), 1);
    let foreign = AffineRelations::new(Modular::new(8).unwrap(), 2).one();
    assert!(d.admit(&foreign).is_err() && d.transformation(vec![1; 9]).is_err());
    let merge: Arc<dyn MergeFunction<AffineRelations<Modular>>> =
        Arc::new(AffineMerge::new(d.one(), &[0]));
    assert!(merge.has_path_extension());
}
