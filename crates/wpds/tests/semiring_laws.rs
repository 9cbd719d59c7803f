//! The laws of bounded idempotent semirings, differences, stars and merge functions, for every domain.

mod algebra;

use std::sync::Arc;

use algebra::{laws, merge_laws};

use gnomon_bdd::Bdd;
use gnomon_wpds::domains::{
    BddRelations, Boolean, CopyConstants, ExplicitRelations, GenKill, GenKillWeight, LocalsMerge,
    MinPath, Product, Relation, Transformer, VariableSource,
};
use gnomon_wpds::semiring::star;
use gnomon_wpds::{MergeFunction, RelationalSemiring, Semiring};
use proptest::prelude::*;

fn relational_laws<S: RelationalSemiring>(d: &S, a: &S::Weight, b: &S::Weight, c: &S::Weight) {
    let turned = |x: &S::Weight| d.transpose(x).unwrap();
    assert_eq!(&turned(&turned(a)), a);
    let ab = d.extend(a, b).unwrap();
    assert_eq!(turned(&ab), d.extend(&turned(b), &turned(a)).unwrap());
    // The adjoint of z -> a z b.
    let around = d.extend(&ab, c).unwrap();
    let pulled = d.extend(&d.extend(&turned(a), &around).unwrap(), &turned(c)).unwrap();
    assert_eq!(d.meets(&around, &around).unwrap(), d.meets(b, &pulled).unwrap());
    assert_eq!(d.chain_meets(a, b, c).unwrap(), d.meets(&ab, c).unwrap());
    assert_eq!(d.meets(a, b).unwrap(), !d.is_zero(&d.intersect(a, b).unwrap()));
    assert_eq!(d.intersect(a, &d.full()).unwrap(), *a);
    let kept = d.identity_on(&d.sources(a).unwrap()).unwrap();
    assert_eq!(d.extend(&kept, a).unwrap(), *a);
    let kept = d.identity_on(&d.targets(a).unwrap()).unwrap();
    assert_eq!(d.extend(a, &kept).unwrap(), *a);
}

fn explicit() -> impl Strategy<Value = Relation> {
    (any::<u16>(), any::<u16>()).prop_map(|(x, y)| {
        // Sparse relations are more telling than dense ones.
        let bits = x & y;
        let all = (0..4u32).flat_map(|a| (0..4u32).map(move |b| (a, b)));
        Relation::new(4, all.filter(|(a, b)| bits >> (4 * a + b) & 1 == 1))
    })
}

fn gen_kill() -> impl Strategy<Value = Option<(Vec<u32>, Vec<u32>)>> {
    let facts = || prop::collection::vec(0..70u32, 0..5);
    prop::option::weighted(0.9, (facts(), facts()))
}

fn environment() -> impl Strategy<Value = Option<Vec<(u32, u8, i64)>>> {
    let assignments = prop::collection::vec((0..3u32, 0..4u8, 0..3i64), 0..4);
    prop::option::weighted(0.9, assignments)
}

fn transformer(d: &CopyConstants, assignments: &Option<Vec<(u32, u8, i64)>>) -> Transformer {
    let Some(assignments) = assignments else { return d.zero() };
    let list: Vec<_> = assignments
        .iter()
        .map(|&(variable, kind, value)| {
            let source = match kind {
                0 => VariableSource::varying(),
                1 => VariableSource::constant(value),
                _ => VariableSource::copy(value as u32),
            };
            (variable, source)
        })
        .collect();
    d.assign(&list)
}

/// A relation over three Boolean variables from a table of pairs.
fn diagram(d: &BddRelations, bits: u64) -> Bdd {
    let v = d.vocabulary();
    let mut all = d.zero();
    for pair in (0..64u32).filter(|pair| bits >> pair & 1 == 1) {
        let literals: Vec<_> = (0..3)
            .flat_map(|i| {
                [(v.before()[i], pair >> i & 1 == 1), (v.after()[i], pair >> (3 + i) & 1 == 1)]
            })
            .collect();
        all = all.or(&v.space().cube(&literals).unwrap()).unwrap();
    }
    all
}

/// The same relation on eight explicit values.
fn table(bits: u64) -> Relation {
    let pairs = (0..64u32).filter(|pair| bits >> pair & 1 == 1);
    Relation::new(8, pairs.map(|pair| (pair & 7, pair >> 3)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn boolean(a: bool, b: bool, c: bool) {
        laws(&Boolean, &a, &b, &c);
        relational_laws(&Boolean, &a, &b, &c);
    }

    #[test]
    fn min_path(a in prop::option::of(0..20u64), b in prop::option::of(0..20u64), c in prop::option::of(0..20u64)) {
        laws(&MinPath, &a, &b, &c);
    }

    #[test]
    fn explicit_relations(a in explicit(), b in explicit(), c in explicit()) {
        let d = ExplicitRelations::new(4);
        laws(&d, &a, &b, &c);
        relational_laws(&d, &a, &b, &c);
    }

    #[test]
    fn products(a in explicit(), b in explicit(), c in explicit(), x in prop::option::of(0..9u64), y in prop::option::of(0..9u64), z in prop::option::of(0..9u64)) {
        laws(&Product(ExplicitRelations::new(4), MinPath), &(a, x), &(b, y), &(c, z));
    }

    #[test]
    fn gen_kill_transformers(a in gen_kill(), b in gen_kill(), c in gen_kill()) {
        let d = GenKill::new(70);
        let weight = |w: &Option<(Vec<u32>, Vec<u32>)>| -> GenKillWeight {
            w.as_ref().map_or(d.zero(), |(g, k)| d.transformer(g, k))
        };
        laws(&d, &weight(&a), &weight(&b), &weight(&c));
        if let (Some((g, k)), Some(_)) = (&a, &b) {
            let w = d.extend(&weight(&a), &d.one()).unwrap();
            for fact in 0..70 {
                prop_assert_eq!(w.generates(fact), g.contains(&fact));
                prop_assert_eq!(w.preserves(fact), !g.contains(&fact) && !k.contains(&fact));
            }
        }
    }

    #[test]
    fn copy_constants(a in environment(), b in environment(), c in environment()) {
        let d = CopyConstants::new(3);
        let (a, b, c) = (transformer(&d, &a), transformer(&d, &b), transformer(&d, &c));
        laws(&d, &a, &b, &c);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The laws, and agreement with the explicit relations.
    #[test]
    fn bdd_relations(x: (u64, u64), y: (u64, u64), z: (u64, u64)) {
        let d = BddRelations::new(3, 1 << 14).unwrap();
        let e = ExplicitRelations::new(8);
        let [x, y, z] = [x, y, z].map(|(p, q)| p & q & p.rotate_left(17));
        let (a, b, c) = (diagram(&d, x), diagram(&d, y), diagram(&d, z));
        laws(&d, &a, &b, &c);
        relational_laws(&d, &a, &b, &c);
        let same = |w: &Bdd, r: &Relation| {
            let bits = r.pairs().into_iter().fold(0u64, |all, (p, q)| all | 1 << (q << 3 | p));
            *w == diagram(&d, bits)
        };
        let (ta, tb) = (table(x), table(y));
        prop_assert!(same(&d.extend(&a, &b).unwrap(), &e.extend(&ta, &tb).unwrap()));
        prop_assert!(same(&d.combine(&a, &b).unwrap(), &e.combine(&ta, &tb).unwrap()));
        prop_assert!(same(&d.transpose(&a).unwrap(), &e.transpose(&ta).unwrap()));
        prop_assert!(same(&star(&d, &a).unwrap(), &star(&e, &ta).unwrap()));
        // The merge function of Boolean programs; variable 2 is local.
        let merge = LocalsMerge::new(&d, c.clone(), &[2]).unwrap();
        merge_laws(&d, &merge, [&a, &b, &c]);
        let merged = merge.merge(&d, &a, &b).unwrap();
        let through = e.extend(&table(z), &tb).unwrap();
        let restored = through.pairs().into_iter().map(|(p, q)| (p, q & 3 | p & 4));
        let expected = e.extend(&ta, &e.relation(restored)).unwrap();
        prop_assert!(same(&merged, &expected));
        let merge: Arc<dyn MergeFunction<BddRelations>> = Arc::new(merge);
        let goal = diagram(&d, x.rotate_left(5) & z);
        let pulled = merge.adjoint(&d, &a, &goal).unwrap().unwrap();
        prop_assert_eq!(d.meets(&merged, &goal).unwrap(), d.meets(&b, &pulled).unwrap());
    }
}
