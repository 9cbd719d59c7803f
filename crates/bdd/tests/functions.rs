//! Diagrams agree with truth tables; mistakes and a full table are errors.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var, Vocabulary};
use gnomon_budget::{Budget, Exhausted};
use proptest::prelude::*;

const VARS: usize = 5;

/// An expression over five variables, with its value as a truth table.
#[derive(Clone, Debug)]
enum Formula {
    Var(usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Xor(Box<Formula>, Box<Formula>),
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = (0..VARS).prop_map(Formula::Var);
    leaf.prop_recursive(5, 24, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Formula::Not),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::And(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Or(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Xor(a, b)),
            (boxed(), boxed(), boxed()).prop_map(|(a, b, c)| Formula::Ite(a, b, c)),
        ]
    })
}

fn value(f: &Formula, assignment: &[bool]) -> bool {
    let of = |g: &Formula| value(g, assignment);
    match f {
        Formula::Var(v) => assignment[*v],
        Formula::Not(a) => !of(a),
        Formula::And(a, b) => of(a) && of(b),
        Formula::Or(a, b) => of(a) || of(b),
        Formula::Xor(a, b) => of(a) ^ of(b),
        Formula::Ite(a, b, c) => {
            if of(a) {
                of(b)
            } else {
                of(c)
            }
        }
    }
}

fn build(f: &Formula, space: &BddSpace, vars: &[Var]) -> Result<Bdd, BddError> {
    let of = |g: &Formula| build(g, space, vars);
    match f {
        Formula::Var(v) => space.variable(vars[*v]),
        Formula::Not(a) => of(a)?.not(),
        Formula::And(a, b) => of(a)?.and(&of(b)?),
        Formula::Or(a, b) => of(a)?.or(&of(b)?),
        Formula::Xor(a, b) => of(a)?.xor(&of(b)?),
        Formula::Ite(a, b, c) => of(a)?.ite(&of(b)?, &of(c)?),
    }
}

fn assignments() -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << VARS).map(|bits| (0..VARS).map(|v| bits >> v & 1 == 1).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn operations_agree_with_truth_tables(f in formula(), g in formula()) {
        let space = BddSpace::new(1 << 12).unwrap();
        let vars = space.add_variables(VARS as u32).unwrap();
        let (a, b) = (build(&f, &space, &vars).unwrap(), build(&g, &space, &vars).unwrap());
        let models = assignments().filter(|s| value(&f, s)).count();
        prop_assert_eq!(a.sat_count(VARS as u32), models as f64);
        prop_assert_eq!(a == b, assignments().all(|s| value(&f, &s) == value(&g, &s)));
        prop_assert_eq!(a.is_false(), models == 0);
        prop_assert_eq!(a.is_true(), models == 1 << VARS);
        let quantified = [vars[1], vars[3]];
        let set = space.variable_set(&quantified).unwrap();
        let some = a.exists(&set).unwrap();
        let all = a.forall(&set).unwrap();
        let product = a.and_exists(&b, &set).unwrap();
        prop_assert_eq!(&product, &a.and(&b).unwrap().exists(&set).unwrap());
        let turned = a.rename(&space.renaming(&[(vars[0], vars[4]), (vars[4], vars[0])]).unwrap());
        let turned = turned.unwrap();
        let fixed = a.restrict(&[(vars[2], true)]).unwrap();
        for s in assignments() {
            prop_assert_eq!(a.eval(&s), value(&f, &s));
            prop_assert_eq!(a.minus(&b).unwrap().eval(&s), value(&f, &s) && !value(&g, &s));
            prop_assert_eq!(a.implies(&b).unwrap().eval(&s), !value(&f, &s) || value(&g, &s));
            let others = |f: &Formula| {
                let mut found = Vec::new();
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    let mut t = s.clone();
                    (t[1], t[3]) = (x, y);
                    found.push(value(f, &t));
                }
                found
            };
            prop_assert_eq!(some.eval(&s), others(&f).contains(&true));
            prop_assert_eq!(all.eval(&s), !others(&f).contains(&false));
            let mut swapped = s.clone();
            swapped.swap(0, 4);
            prop_assert_eq!(turned.eval(&s), value(&f, &swapped));
            let mut with = s.clone();
            with[2] = true;
            prop_assert_eq!(fixed.eval(&s), value(&f, &with));
        }
        let support = a.support();
        for (v, &var) in vars.iter().enumerate() {
            let matters = assignments().any(|s| {
                let mut t = s.clone();
                t[v] = !t[v];
                value(&f, &s) != value(&f, &t)
            });
            prop_assert_eq!(support.contains(&var), matters);
        }
        match a.pick_cube() {
            None => prop_assert!(a.is_false()),
            Some(cube) => prop_assert!(space.cube(&cube).unwrap().is_subset_of(&a).unwrap()),
        }
        let mut union = space.bottom();
        for cube in a.cubes() {
            union = union.or(&space.cube(&cube).unwrap()).unwrap();
        }
        prop_assert_eq!(union, a);
    }
}

#[test]
fn a_full_table_is_an_error_and_not_the_end() {
    let space = BddSpace::new(1 << 10).unwrap();
    let vars = space.add_variables(40).unwrap();
    // Equality of two words in an order that needs exponentially many nodes.
    let build = || -> Result<Bdd, BddError> {
        let mut all = space.top();
        for i in 0..20 {
            let (x, y) = (space.variable(vars[i])?, space.variable(vars[20 + i])?);
            all = all.and(&x.iff(&y)?)?;
        }
        Ok(all)
    };
    assert_eq!(build().unwrap_err(), BddError::OutOfNodes { capacity: space.capacity() });
    // The space can be used again.
    let x = space.variable(vars[0]).unwrap();
    assert!(x.and(&x.not().unwrap()).unwrap().is_false());
    assert!(matches!(BddSpace::new(usize::MAX), Err(BddError::CapacityTooLarge { .. })));
}

#[test]
fn mistakes_are_errors() {
    let (one, other) = (BddSpace::new(1000).unwrap(), BddSpace::new(1000).unwrap());
    let x = one.add_variables(2).unwrap();
    let y = other.add_variables(1).unwrap();
    let (a, b) = (one.variable(x[0]).unwrap(), other.variable(y[0]).unwrap());
    assert_eq!(a.and(&b).unwrap_err(), BddError::DifferentSpaces);
    assert_ne!(a, b);
    let unknown = BddError::UnknownVariable { var: Var(9), variables: 2 };
    assert_eq!(one.variable(Var(9)).unwrap_err(), unknown);
    let twice = one.renaming(&[(x[0], x[1]), (x[1], x[1])]).unwrap_err();
    assert_eq!(twice, BddError::NotInjective { var: x[1] });
    one.set_budget(Budget::unlimited().with_steps(1));
    assert!(a.not().is_ok());
    assert_eq!(a.not().unwrap_err(), BddError::Exhausted(Exhausted::Steps));
}

#[test]
fn spaces_grow_by_variables() {
    let space = BddSpace::new(1000).unwrap();
    let first = space.add_variables(1).unwrap();
    let x = space.variable(first[0]).unwrap();
    let second = space.add_variables(1).unwrap();
    let both = x.and(&space.variable(second[0]).unwrap()).unwrap();
    assert_eq!(both.support(), [first[0], second[0]]);
    assert_eq!(both.sat_count(2), 1.0);
    assert_eq!(format!("{both:?}"), "Bdd(x0 & x1)");
}

#[test]
fn relations_have_images_and_ranges() {
    let space = BddSpace::new(1 << 12).unwrap();
    let v = Vocabulary::new(&space, 2).unwrap();
    let (x, y) = (space.variable(v.before()[0]).unwrap(), space.variable(v.before()[1]).unwrap());
    let (x2, y2) = (space.variable(v.after()[0]).unwrap(), space.variable(v.after()[1]).unwrap());
    // x' = y, y' = x
    let swap = x2.iff(&y).unwrap().and(&y2.iff(&x).unwrap()).unwrap();
    assert_eq!(&v.compose(&swap, &swap).unwrap(), v.identity());
    assert_eq!(v.image(&x, &swap).unwrap(), y);
    assert_eq!(v.preimage(&x, &swap).unwrap(), y);
    assert_eq!(v.transpose(&swap).unwrap(), swap);
    let only_x = v.identity_within(&x).unwrap();
    assert_eq!(v.range(&v.compose(&only_x, &swap).unwrap()).unwrap(), y);
    assert_eq!(v.domain(&only_x).unwrap(), x);
    assert_eq!(v.identity_on(&[0, 1]).unwrap(), *v.identity());
}
