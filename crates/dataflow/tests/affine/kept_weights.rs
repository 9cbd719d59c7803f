//! Weights that are kept between runs: the same results with a shelf and without, whatever was edited.

use std::collections::BTreeMap;
use std::sync::Mutex;

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::{Relations, ShownNumbers};
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::kept::Shelf;
use gnomon_dataflow::points::Point;
use gnomon_wpds::TopWeights;
use gnomon_wpds::domains::affine::{Modular, Rationals};

use crate::programs::{Random, Shape, generate};
use crate::{points_to, program};

#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, Vec<u8>>>);

impl Shelf for Memory {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(name).cloned()
    }

    fn put(&self, name: &str, content: &[u8]) {
        self.0.lock().unwrap().insert(name.to_owned(), content.to_vec());
    }
}

/// The relations at all locations, and how many groups of procedures were recalled and solved.
fn everything<R: ShownNumbers + 'static>(
    text: &str,
    (ring, arithmetic): (R, Arithmetic),
    shelf: Option<&Memory>,
) -> (Vec<Relations<R::Number>>, (u64, u64)) {
    let program = program(text);
    let entry = program.find_function("main").unwrap();
    let options = AffineOptions { arithmetic, limits: VariableLimits::default() };
    let points_to = points_to(&program);
    let problem = AffineProblem::new(&program, &points_to, entry, ring, options).unwrap();
    let kept = shelf.map(|shelf| problem.kept(shelf));
    let mut solution = problem.solve(&Budget::unlimited()).unwrap();
    if let Some(kept) = &kept {
        solution = solution.with_store(kept);
    }
    let tops = TopWeights::new(&solution).unwrap();
    let mut all = Vec::new();
    for &func in problem.graph().functions() {
        for loc in program.funcs[func].body.as_ref().unwrap().locs() {
            all.push(problem.relations_at(&solution, &tops, Point { func, loc }).unwrap());
        }
    }
    (all, kept.map_or((0, 0), |kept| kept.counts()))
}

fn bits(n: u32) -> (Modular, Arithmetic) {
    (Modular::new(n).unwrap(), Arithmetic::Modular(n))
}

const TEXT: &str = "
extern int __VERIFIER_nondet_int(void);
int a, b, c;
void leaf(void) { a = a + 1; b = b + 2; }
void other(void) { c = c + 4; }
void even(int n);
void odd(int n) { if (n) { even(n - 1); } leaf(); }
void even(int n) { if (n) { odd(n - 1); } other(); }
void middle(void) { leaf(); leaf(); other(); }
int main(void) { middle(); even(__VERIFIER_nondet_int()); return a; }
";

#[test]
fn what_did_not_change_is_recalled() {
    let shelf = Memory::default();
    let fresh = everything(TEXT, bits(32), None).0;
    let (first, (recalled, solved)) = everything(TEXT, bits(32), Some(&shelf));
    assert_eq!(first, fresh);
    // leaf, other, odd with even, middle; nobody calls main.
    assert_eq!((recalled, solved), (0, 4));
    let (again, counts) = everything(TEXT, bits(32), Some(&shelf));
    assert_eq!((again, counts), (fresh.clone(), (4, 0)));
    // Other arithmetic is another analysis.
    assert_eq!(everything(TEXT, bits(16), Some(&shelf)).1, (0, 4));
    // More lines in front, and a new function: everything else is as it was.
    let longer = TEXT.replace("void leaf", "\n\nvoid more(void) { b = b - 1; }\nvoid leaf");
    let longer = longer.replace("{ middle(); even", "{ middle(); more(); even");
    let (relations, counts) = everything(&longer, bits(32), Some(&shelf));
    assert_eq!((relations, counts), (everything(&longer, bits(32), None).0, (4, 1)));
}

#[test]
fn a_change_stops_where_weights_stay_the_same() {
    let shelf = Memory::default();
    everything(TEXT, bits(32), Some(&shelf));
    // Written differently, the same in effect: only `leaf` itself is solved again.
    let same = TEXT.replace("a = a + 1; b = b + 2;", "b = b + 1; a = a + 1; b = b + 1;");
    assert_eq!(everything(&same, bits(32), Some(&shelf)).1, (3, 1));
    // Another effect: all that call it, but not `other`.
    let changed = TEXT.replace("a = a + 1; b = b + 2;", "a = a + 1; b = b + 3;");
    let (relations, counts) = everything(&changed, bits(32), Some(&shelf));
    assert_eq!(counts, (1, 3));
    assert_eq!(relations, everything(&changed, bits(32), None).0);
}

#[test]
fn damaged_entries_are_solved_again() {
    let shelf = Memory::default();
    let fresh = everything(TEXT, bits(32), Some(&shelf)).0;
    let damage: [fn(&mut Vec<u8>); 3] =
        [|e| e.truncate(40), |e| e.clear(), |e| e.last_mut().map_or((), |b| *b ^= 1)];
    for damage in damage {
        shelf.0.lock().unwrap().values_mut().for_each(damage);
        let (relations, counts) = everything(TEXT, bits(32), Some(&shelf));
        assert_eq!((relations, counts), (fresh.clone(), (0, 4)));
    }
}

/// Random programs that share one shelf, each with variants in which one constant differs.
#[test]
fn random_programs_and_edits_agree_with_fresh_solutions() {
    let (modular, rational) = (Memory::default(), Memory::default());
    let (mut recalled, mut solved) = (0, 0);
    for seed in 0..40 {
        let shape = Shape { loops: true, recursion: true, others: true };
        let text = generate(seed, shape, ["int"; 5]).text();
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let digits: Vec<usize> =
                text.match_indices(|c: char| ('2'..='8').contains(&c)).map(|(i, _)| i).collect();
            let mut edited = text.clone();
            if let Some(&at) = digits.get(random.below(digits.len().max(1) as u64) as usize) {
                edited.replace_range(at..=at, "9");
            }
            for text in [&text, &edited] {
                let fresh = everything(text, bits(32), None).0;
                let (kept, counts) = everything(text, bits(32), Some(&modular));
                assert_eq!(kept, fresh, "{text}");
                recalled += counts.0;
                solved += counts.1;
                let ring = || (Rationals, Arithmetic::Rational);
                let kept = everything(text, ring(), Some(&rational)).0;
                assert_eq!(kept, everything(text, ring(), None).0, "{text}");
            }
        }
    }
    assert!(recalled > solved, "{recalled} recalled, {solved} solved");
}
