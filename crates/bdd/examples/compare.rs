//! The benchmark by which the BDD library was chosen: what a pushdown solver does with relations.
//!
//! Random procedures (assignments, branches and loops over a few of the variables, everything else
//! kept) are solved by a worklist: the relation at each node is extended by the relations of the edges
//! and joined until nothing changes. Both libraries do the same work and their relations are compared.
//!
//! `cargo run --release -p gnomon-bdd --example compare -- [procedures]`

use std::collections::BTreeSet;
use std::time::Instant;

use biodivine_lib_bdd::{Bdd as Diagram, BddVariable, BddVariableSet, op_function};
use gnomon_bdd::{Bdd, BddSpace, Vocabulary};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// What an edge does, in terms of variable numbers.
#[derive(Clone, Copy, Debug)]
enum Step {
    Set(usize, bool),
    Havoc(usize),
    Copy(usize, usize),
    And(usize, usize, usize),
    Xor(usize, usize, usize),
    Assume(usize, bool),
}

/// The operations that a solver needs of relations.
trait Library {
    type Relation: Clone + PartialEq;
    fn relation(&self, step: Step) -> Self::Relation;
    fn identity(&self) -> Self::Relation;
    fn compose(&self, a: &Self::Relation, b: &Self::Relation) -> Self::Relation;
    fn union(&self, a: &Self::Relation, b: &Self::Relation) -> Self::Relation;
    fn pairs(&self, a: &Self::Relation) -> f64;
}

struct Ours {
    vocabulary: Vocabulary,
}

impl Library for Ours {
    type Relation = Bdd;

    fn relation(&self, step: Step) -> Bdd {
        let v = &self.vocabulary;
        let old = |i: usize| v.space().variable(v.before()[i]).unwrap();
        let keep_but = |changed: usize, constraint: Bdd| {
            let kept: Vec<usize> = (0..v.len()).filter(|&i| i != changed).collect();
            v.identity_on(&kept).unwrap().and(&constraint).unwrap()
        };
        let set = |target: usize, value: Bdd| {
            let new = v.space().variable(v.after()[target]).unwrap();
            keep_but(target, new.iff(&value).unwrap())
        };
        match step {
            Step::Set(t, value) => set(t, v.space().constant(value)),
            Step::Havoc(t) => keep_but(t, v.space().top()),
            Step::Copy(t, a) => set(t, old(a)),
            Step::And(t, a, b) => set(t, old(a).and(&old(b)).unwrap()),
            Step::Xor(t, a, b) => set(t, old(a).xor(&old(b)).unwrap()),
            Step::Assume(a, true) => v.identity_within(&old(a)).unwrap(),
            Step::Assume(a, false) => v.identity_within(&old(a).not().unwrap()).unwrap(),
        }
    }

    fn identity(&self) -> Bdd {
        self.vocabulary.identity().clone()
    }

    fn compose(&self, a: &Bdd, b: &Bdd) -> Bdd {
        self.vocabulary.compose(a, b).unwrap()
    }

    fn union(&self, a: &Bdd, b: &Bdd) -> Bdd {
        a.or(b).unwrap()
    }

    fn pairs(&self, a: &Bdd) -> f64 {
        a.sat_count(2 * self.vocabulary.len() as u32)
    }
}

/// Three copies of every variable, side by side, as in our vocabulary.
struct Biodivine {
    set: BddVariableSet,
    vars: Vec<BddVariable>,
    count: usize,
    between: Vec<BddVariable>,
}

impl Biodivine {
    fn new(count: usize) -> Self {
        let set = BddVariableSet::new_anonymous(3 * count as u16);
        let vars = set.variables();
        let between = vars.iter().skip(1).step_by(3).copied().collect();
        Self { set, vars, count, between }
    }

    fn old(&self, i: usize) -> Diagram {
        self.set.mk_var(self.vars[3 * i])
    }

    fn new_value(&self, i: usize) -> Diagram {
        self.set.mk_var(self.vars[3 * i + 2])
    }

    fn keep_but(&self, changed: Option<usize>, constraint: &Diagram) -> Diagram {
        let mut all = self.set.mk_true();
        for i in (0..self.count).rev().filter(|&i| Some(i) != changed) {
            all = self.old(i).iff(&self.new_value(i)).and(&all);
        }
        all.and(constraint)
    }
}

impl Library for Biodivine {
    type Relation = Diagram;

    fn relation(&self, step: Step) -> Diagram {
        let set = |t: usize, value: Diagram| self.keep_but(Some(t), &self.new_value(t).iff(&value));
        match step {
            Step::Set(t, true) => set(t, self.set.mk_true()),
            Step::Set(t, false) => set(t, self.set.mk_false()),
            Step::Havoc(t) => self.keep_but(Some(t), &self.set.mk_true()),
            Step::Copy(t, a) => set(t, self.old(a)),
            Step::And(t, a, b) => set(t, self.old(a).and(&self.old(b))),
            Step::Xor(t, a, b) => set(t, self.old(a).xor(&self.old(b))),
            Step::Assume(a, true) => self.keep_but(None, &self.old(a)),
            Step::Assume(a, false) => self.keep_but(None, &self.old(a).not()),
        }
    }

    fn identity(&self) -> Diagram {
        self.keep_but(None, &self.set.mk_true())
    }

    // The library's renaming is an unsafe method: the caller vouches for the order of the levels.
    #[allow(unsafe_code)]
    fn compose(&self, a: &Diagram, b: &Diagram) -> Diagram {
        let (mut first, mut second) = (a.clone(), b.clone());
        let pairs = |from: usize| {
            (0..self.count).map(move |i| (self.vars[3 * i + from], self.vars[3 * i + 1])).collect()
        };
        // Both renamings keep the order.
        unsafe {
            first.rename_variables(&pairs(2));
            second.rename_variables(&pairs(0));
        }
        Diagram::binary_op_with_exists(&first, &second, op_function::and, &self.between)
    }

    fn union(&self, a: &Diagram, b: &Diagram) -> Diagram {
        a.or(b)
    }

    fn pairs(&self, a: &Diagram) -> f64 {
        a.cardinality() / 2f64.powi(self.count as i32)
    }
}

/// A procedure: edges between nodes, node 0 first, loops by edges to earlier nodes.
fn procedure(random: &mut Random, nodes: usize, variables: usize) -> Vec<(usize, usize, Step)> {
    const LOCALITY: usize = 6;
    let base = random.below(variables);
    let step = |random: &mut Random| {
        let mut pick = || (base + random.below(LOCALITY.min(variables))) % variables;
        let (t, a, b) = (pick(), pick(), pick());
        match random.below(10) {
            0..3 => Step::Set(t, random.below(2) == 0),
            3 | 4 => Step::Havoc(t),
            5 | 6 => Step::Copy(t, a),
            7 => Step::And(t, a, b),
            8 => Step::Xor(t, a, b),
            _ => Step::Assume(a, random.below(2) == 0),
        }
    };
    let mut edges = Vec::new();
    for node in 1..nodes {
        edges.push((node - 1, node, step(random)));
        if random.below(5) == 0 {
            edges.push((random.below(node), node, step(random)));
        }
        if random.below(8) == 0 {
            edges.push((node, node.saturating_sub(1 + random.below(8)), step(random)));
        }
    }
    edges
}

fn solve<L: Library>(library: &L, nodes: usize, edges: &[(usize, usize, Step)]) -> (f64, usize) {
    let relations: Vec<L::Relation> = edges.iter().map(|&(_, _, s)| library.relation(s)).collect();
    let mut values: Vec<Option<L::Relation>> = vec![None; nodes];
    values[0] = Some(library.identity());
    let mut waiting = BTreeSet::from([0]);
    let mut operations = 0;
    while let Some(node) = waiting.pop_first() {
        for (i, &(from, to, _)) in edges.iter().enumerate() {
            let (true, Some(value)) = (from == node, &values[node]) else { continue };
            let next = library.compose(value, &relations[i]);
            operations += 1;
            let joined = match &values[to] {
                Some(old) => library.union(old, &next),
                None => next,
            };
            if values[to].as_ref() != Some(&joined) {
                values[to] = Some(joined);
                waiting.insert(to);
            }
        }
    }
    (values.iter().flatten().map(|v| library.pairs(v).log2().max(0.0)).sum(), operations)
}

fn main() {
    let procedures = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(30);
    const NODES: usize = 40;
    println!("variables  compositions  ours ms  biodivine ms  ratio");
    for variables in [10usize, 20, 30, 40, 60] {
        let mut random = Random(variables as u64 * 7919 + 1);
        let space = BddSpace::new(1 << 22).unwrap();
        let ours = Ours { vocabulary: Vocabulary::new(&space, variables as u32).unwrap() };
        let other = Biodivine::new(variables);
        let (mut a, mut b, mut total) = (0.0, 0.0, 0);
        for _ in 0..procedures {
            let edges = procedure(&mut random, NODES, variables);
            let start = Instant::now();
            let (first, operations) = solve(&ours, NODES, &edges);
            a += start.elapsed().as_secs_f64();
            let start = Instant::now();
            let (second, _) = solve(&other, NODES, &edges);
            b += start.elapsed().as_secs_f64();
            assert!((first - second).abs() < 1e-6 * first.abs(), "{first} and {second}");
            total += operations;
        }
        let (ours_ms, other_ms) = (a * 1000.0, b * 1000.0);
        println!(
            "{variables:9}  {total:12}  {ours_ms:7.0}  {other_ms:12.0}  {:5.2}",
            ours_ms / other_ms
        );
    }
}
