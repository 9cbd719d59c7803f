//! The laws of sequentializable tensor products (LAL Definitions 6.5.1 and 6.5.4), for every domain
//! that has them.

mod algebra;

use gnomon_bdd::Bdd;
use gnomon_wpds::domains::affine::{AffineRelations, AffineWeight, Modular, Rationals, Scalars};
use gnomon_wpds::domains::{BddRelations, Boolean, ExplicitRelations, MinPath, Relation};
use gnomon_wpds::transducer::{TensorOf, TensorProduct};
use gnomon_wpds::{RelationalSemiring, Semiring};
use proptest::prelude::*;

/// Checks the laws with six weights, as two triples and, shortened, as two pairs.
fn tensor_laws<S: TensorProduct>(d: &S, w: &[S::Weight; 6]) {
    for arity in [1, 2, 3] {
        let power = d.power(arity).unwrap();
        assert_eq!(d.arity(&power), arity);
        let (a, b) = (&w[..arity], &w[3..3 + arity]);
        let tensor = |factors: &[S::Weight]| d.tensor(&power, factors).unwrap();
        let times = |x: &S::Weight, y: &S::Weight| d.extend(x, y).unwrap();
        let plus = |x: &S::Weight, y: &S::Weight| d.combine(x, y).unwrap();
        let (s, t) = (tensor(a), tensor(b));
        let pairwise: Vec<_> = a.iter().zip(b).map(|(x, y)| times(x, y)).collect();
        assert_eq!(power.extend(&s, &t).unwrap(), tensor(&pairwise), "factor by factor");
        let in_sequence = a.iter().fold(d.one(), |all, x| times(&all, x));
        assert_eq!(d.detensor(&power, &s).unwrap(), in_sequence, "in sequence");
        let both = power.combine(&s, &t).unwrap();
        let apart = plus(&d.detensor(&power, &s).unwrap(), &d.detensor(&power, &t).unwrap());
        assert_eq!(d.detensor(&power, &both).unwrap(), apart, "detensor distributes");

        let turned = |x: &S::Weight| d.transposed(x).unwrap();
        assert_eq!(turned(&turned(&a[0])), a[0], "twice transposed");
        assert_eq!(times(&turned(&a[0]), &turned(&b[0])), turned(&times(&b[0], &a[0])));
        let alternating = a.iter().enumerate().fold(d.one(), |all, (i, x)| {
            if i % 2 == 0 { times(&all, x) } else { times(&all, &turned(x)) }
        });
        let found = d.transposed_detensor(&power, &s).unwrap();
        assert_eq!(found, alternating, "in sequence, transposed");
        let apart = plus(&found, &d.transposed_detensor(&power, &t).unwrap());
        assert_eq!(d.transposed_detensor(&power, &both).unwrap(), apart);

        assert_eq!(tensor(&vec![d.one(); arity]), power.one());
        assert!(power.is_zero(&tensor(&vec![d.zero(); arity])));
        for (position, other) in b.iter().enumerate() {
            linear_and_placed(d, &power, (a, position), (other, &t));
        }
        algebra::laws(&power, &s, &t, &both);
    }
}

/// A factor is linear, and one-sided extensions are what they stand for.
fn linear_and_placed<S: TensorProduct>(
    d: &S,
    power: &S::Power,
    (factors, position): (&[S::Weight], usize),
    (other, tensor): (&S::Weight, &TensorOf<S>),
) {
    let with = |x: &S::Weight| {
        let mut changed = factors.to_vec();
        changed[position] = x.clone();
        d.tensor(power, &changed).unwrap()
    };
    let sum = d.combine(&factors[position], other).unwrap();
    let apart = power.combine(&with(&factors[position]), &with(other)).unwrap();
    assert_eq!(with(&sum), apart, "linear");
    let placed = d.placed(power, position, other).unwrap();
    let left = d.extend_left(power, position, other, tensor).unwrap();
    assert_eq!(left, power.extend(&placed, tensor).unwrap(), "on the left");
    let right = d.extend_right(power, position, other, tensor).unwrap();
    assert_eq!(right, power.extend(tensor, &placed).unwrap(), "on the right");
}

fn relation(d: &ExplicitRelations, bits: u16) -> Relation {
    let all = (0..3u32).flat_map(|a| (0..3u32).map(move |b| (a, b)));
    d.relation(all.filter(|(a, b)| bits >> (3 * a + b) & 1 == 1))
}

/// A relation over two Boolean variables from a table of pairs.
fn diagram(d: &BddRelations, bits: u16) -> Bdd {
    let v = d.vocabulary();
    let mut all = d.zero();
    for pair in (0..16u32).filter(|pair| bits >> pair & 1 == 1) {
        let literals: Vec<_> = (0..2)
            .flat_map(|i| {
                [(v.before()[i], pair >> i & 1 == 1), (v.after()[i], pair >> (2 + i) & 1 == 1)]
            })
            .collect();
        all = all.or(&v.space().cube(&literals).unwrap()).unwrap();
    }
    all
}

/// One or two assignments to one variable, alternatives or one after the other, or nothing.
pub fn affine_weight<R: Scalars>(
    d: &AffineRelations<R>,
    (kind, first, second): (u8, (i64, i64), (i64, i64)),
) -> AffineWeight<R> {
    let assign = |(constant, factor): (i64, i64)| d.assign(&[(0, constant, &[(0, factor)])]);
    match kind {
        0 => d.zero(),
        1 => d.one(),
        2 | 3 => assign(first),
        4 => d.forget(&[0]).unwrap(),
        _ => d.combine(&assign(first), &assign(second)).unwrap(),
    }
}

type AffineChoice = (u8, (i64, i64), (i64, i64));

fn affine_choice() -> impl Strategy<Value = AffineChoice> {
    let numbers = || (prop::sample::select(vec![0, 1, 2, 3, -1, 4, 128]), -3..5i64);
    (0..8u8, numbers(), numbers())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn commutative_domains(a: [bool; 6], b in prop::array::uniform6(prop::option::of(0..20u64))) {
        tensor_laws(&Boolean, &a);
        tensor_laws(&MinPath, &b);
    }

    #[test]
    fn explicit_relations(bits in prop::array::uniform6(any::<(u16, u16)>())) {
        let d = ExplicitRelations::new(3);
        tensor_laws(&d, &bits.map(|(x, y)| relation(&d, x & y)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn bdd_relations(bits in prop::array::uniform6(any::<(u16, u16)>())) {
        let d = BddRelations::new(2, 1 << 15).unwrap();
        tensor_laws(&d, &bits.map(|(x, y)| diagram(&d, x & y)));
        // The two transpositions are the same.
        let w = diagram(&d, bits[0].0);
        prop_assert_eq!(d.transpose(&w).unwrap(), d.transposed(&w).unwrap());
    }

    #[test]
    fn affine_relations(choices in prop::array::uniform6(affine_choice()), bits in prop::sample::select(vec![3, 8, 64])) {
        let d = AffineRelations::new(Modular::new(bits).unwrap(), 1);
        tensor_laws(&d, &choices.map(|choice| affine_weight(&d, choice)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(15))]

    #[test]
    fn rational_affine_relations(choices in prop::array::uniform6(affine_choice())) {
        let d = AffineRelations::new(Rationals, 1);
        tensor_laws(&d, &choices.map(|choice| affine_weight(&d, choice)));
    }
}
