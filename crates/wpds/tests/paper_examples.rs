//! The papers' own examples with the papers' results. The figures are lost in the text that we have;
//! systems are put together again from what the text says about them.

use gnomon_budget::Budget;
use gnomon_wpds::domains::{
    CopyConstants, ExplicitRelations, Relation, Transformer, Value, VariableSource, merge_by,
};
use gnomon_wpds::{
    ConfigSet, Configuration, Control, FunctionalAutomaton, Fwpds, FwpdsOptions, Kind, Merge,
    RelationalSemiring, SaturationOptions, Semiring, Solution, Symbol, Wpds, poststar, prestar,
    weight_of, weight_of_set,
};

const P: Control = Control(0);

/// A system with one control location and symbols that are found by name.
struct Build<S: Semiring> {
    system: Wpds<S>,
}

impl<S: Semiring> Build<S> {
    fn new(domain: S, kind: Kind, symbols: &str) -> Self {
        let mut system = Wpds::new(domain, kind);
        system.add_control("p");
        for name in symbols.split_whitespace() {
            system.add_symbol(name);
        }
        Self { system }
    }

    fn symbol(&self, name: &str) -> Symbol {
        self.system.symbol(name).unwrap_or_else(|| panic!("no symbol {name}"))
    }

    fn step(&mut self, from: &str, to: &str, weight: S::Weight) {
        let (from, to) = (self.symbol(from), self.symbol(to));
        self.system.add_step((P, from), (P, to), weight).unwrap();
    }

    fn call(
        &mut self,
        at: &str,
        entry: &str,
        back: &str,
        weight: S::Weight,
        merge: Option<Merge<S>>,
    ) {
        let (at, entry, back) = (self.symbol(at), self.symbol(entry), self.symbol(back));
        self.system.add_push((P, at), (P, entry, back), weight, merge).unwrap();
    }

    fn pop(&mut self, at: &str, weight: S::Weight) {
        let at = self.symbol(at);
        self.system.add_pop((P, at), P, weight).unwrap();
    }

    fn stack(&self, names: &str) -> Configuration {
        let stack = names.split_whitespace().map(|name| self.symbol(name)).collect();
        Configuration { control: P, stack }
    }

    fn top(&self, name: &str) -> ConfigSet {
        ConfigSet::top(1, P, self.symbol(name)).unwrap()
    }

    fn only(&self, names: &str) -> ConfigSet {
        ConfigSet::single(1, &self.stack(names)).unwrap()
    }
}

/// Variables of Figures 2.1 and 3.1.
const A: u32 = 0;
const B: u32 = 1;
const Y: u32 = 2;

fn environments_at(solution: &impl Solution<CopyConstants>, set: &ConfigSet) -> Option<Vec<Value>> {
    let unknown = Some(vec![Value::Varying; 3]);
    weight_of_set(solution, set).unwrap().apply(&unknown)
}

#[test]
fn figure_2_1_copy_constant_propagation() {
    let domain = CopyConstants::new(3);
    let id = domain.one();
    let set = |v: u32, c: i64| domain.assign(&[(v, VariableSource::constant(c))]);
    let copy = |v: u32, from: u32| domain.assign(&[(v, VariableSource::copy(from))]);
    let names = "emain n1 n2 n3 n4 n5 n6 n7 n8 n9 xmain ef n10 n11 n12 n13 xf";
    let mut b = Build::new(domain, Kind::Weighted, names);
    b.step("emain", "n1", id.clone());
    b.step("n1", "n2", set(A, 5));
    b.step("n2", "n3", set(Y, 1));
    b.call("n3", "ef", "n4", id.clone(), None);
    b.step("n4", "n5", id.clone());
    b.step("n5", "n6", id.clone());
    b.step("n5", "n9", id.clone());
    b.step("n6", "n7", set(A, 2));
    b.call("n7", "ef", "n8", id.clone(), None);
    b.step("n8", "n9", id.clone());
    b.step("n9", "xmain", id.clone());
    b.pop("xmain", id.clone());
    b.step("ef", "n10", id.clone());
    b.step("n10", "n11", copy(B, A));
    b.step("n11", "n12", id.clone());
    b.step("n11", "n13", id.clone());
    b.step("n12", "xf", set(Y, 2));
    b.step("n13", "xf", copy(Y, B));
    b.pop("xf", id.clone());
    let input = b.only("emain").weighted(&id);
    let saturated = poststar(&b.system, &input, &SaturationOptions::default()).unwrap();
    let lazy = Fwpds::poststar(&b.system, &input, FwpdsOptions::default()).unwrap();
    use Value::{Constant, Varying};
    // Example 2.1.3.
    let n4 = Some(vec![Constant(5), Constant(5), Varying]);
    let n8 = Some(vec![Constant(2), Constant(2), Constant(2)]);
    assert_eq!(environments_at(&saturated, &b.top("n4")), n4);
    assert_eq!(environments_at(&saturated, &b.top("n8")), n8);
    assert_eq!(environments_at(&lazy, &b.top("n4")), n4);
    assert_eq!(environments_at(&lazy, &b.top("n8")), n8);
    // A stack-qualified query: inside f, called from the second call site only.
    let inside = ConfigSet::prefix(1, &b.stack("xf n8")).unwrap();
    assert_eq!(environments_at(&saturated, &inside), n8);
}

#[test]
fn figure_2_11_boolean_program_with_globals() {
    // x and y over 0..8, a store is 8x + y.
    let domain = ExplicitRelations::new(64);
    let stores = || (0..8u32).flat_map(|x| (0..8u32).map(move |y| (x, y)));
    let change = |f: &dyn Fn(u32, u32) -> (u32, u32)| {
        domain.relation(stores().map(|(x, y)| {
            let (x2, y2) = f(x, y);
            (8 * x + y, 8 * x2 + y2)
        }))
    };
    let id = domain.one();
    let mut b = Build::new(domain, Kind::Weighted, "n1 n2 n3 n4 n5 n6 n7 n8");
    b.step("n1", "n2", change(&|_, y| (3, y)));
    b.step("n1", "n3", change(&|_, y| (7, y)));
    b.call("n2", "n7", "n4", id.clone(), None);
    b.call("n3", "n7", "n5", id.clone(), None);
    b.step("n4", "n6", id.clone());
    b.step("n5", "n6", id.clone());
    b.step("n7", "n8", change(&|x, _| (x, x)));
    b.pop("n8", id.clone());
    let options = SaturationOptions::default();
    let forward = poststar(&b.system, &b.only("n1").weighted(&id), &options).unwrap();
    let at_n6 = weight_of_set(&forward, &b.top("n6")).unwrap();
    // "Its range shows that either x = 3 and y = 3, or x = 7 and y = 7."
    assert_eq!(domain.targets(&at_n6).unwrap().elements(), [8 * 3 + 3, 8 * 7 + 7]);
    // "The automaton records that x = 3 and y = 3 at node n8 when bar is called from node n2."
    let from_n2 = weight_of(&forward, &b.stack("n8 n4")).unwrap();
    assert_eq!(domain.targets(&from_n2).unwrap().elements(), [8 * 3 + 3]);
    let backward = prestar(&b.system, &b.only("n6").weighted(&id), &options).unwrap();
    assert_eq!(weight_of(&backward, &b.stack("n1")).unwrap(), at_n6);
    assert_eq!(weight_of(&backward, &b.stack("n4")).unwrap(), id);
}

#[test]
fn figure_3_1_local_variables() {
    let domain = CopyConstants::new(3);
    let id = domain.one();
    let set = |v: u32, c: i64| domain.assign(&[(v, VariableSource::constant(c))]);
    // The call binds b to a and hides a.
    let call = domain.assign(&[(A, VariableSource::varying()), (B, VariableSource::copy(A))]);
    // a comes back from before the call, y from the callee.
    let through = call.clone();
    let merge: Merge<CopyConstants> =
        merge_by("locals", true, move |d: &CopyConstants, w1: &Transformer, w2| {
            let whole = d.extend(&d.extend(w1, &through)?, w2)?;
            Ok(d.pick(|variable| if variable == Y { &whole } else { w1 }))
        });
    let names = "emain n1 n2 n3 n4 n5 n6 n7 n8 n9 xmain ef n10 n11 n12 xf";
    let mut b = Build::new(domain, Kind::Extended, names);
    b.step("emain", "n1", id.clone());
    b.step("n1", "n2", set(A, 5));
    b.step("n2", "n3", set(Y, 1));
    b.call("n3", "ef", "n4", call.clone(), Some(merge.clone()));
    b.step("n4", "n5", id.clone());
    b.step("n5", "n6", id.clone());
    b.step("n5", "n9", id.clone());
    b.step("n6", "n7", set(A, 2));
    b.call("n7", "ef", "n8", call, Some(merge));
    b.step("n8", "n9", id.clone());
    b.step("n9", "xmain", id.clone());
    b.pop("xmain", id.clone());
    b.step("ef", "n10", id.clone());
    b.step("n10", "n11", id.clone());
    b.step("n10", "n12", id.clone());
    b.step("n11", "xf", set(Y, 2));
    b.step("n12", "xf", domain.assign(&[(Y, VariableSource::copy(B))]));
    b.pop("xf", id.clone());
    // Example 3.2.2: the path through n3 and n11 to the exit of f, and then back to main.
    let rules: Vec<_> = b.system.rules().map(|(rule, _)| rule).collect();
    let path = [0, 1, 2, 3, 12, 13, 15].map(|i| rules[i]);
    let (at, value) = b.system.run(&b.stack("emain"), &path).unwrap();
    assert_eq!(at, b.stack("xf n4"));
    let expected = domain.assign(&[
        (A, VariableSource::varying()),
        (B, VariableSource::constant(5)),
        (Y, VariableSource::constant(2)),
    ]);
    assert_eq!(value, expected);
    let path = [0, 1, 2, 3, 12, 13, 15, 17].map(|i| rules[i]);
    let (at, value) = b.system.run(&b.stack("emain"), &path).unwrap();
    assert_eq!(at, b.stack("n4"));
    let expected =
        domain.assign(&[(A, VariableSource::constant(5)), (Y, VariableSource::constant(2))]);
    assert_eq!(value, expected);
    // a stays what main made it; y is 2 or 5 after the first call, always 2 after the second.
    let input = b.only("emain").weighted(&id);
    let saturated = poststar(&b.system, &input, &SaturationOptions::default()).unwrap();
    let lazy = Fwpds::poststar(&b.system, &input, FwpdsOptions::default()).unwrap();
    use Value::{Constant, Varying};
    let n4 = Some(vec![Constant(5), Varying, Varying]);
    let n8 = Some(vec![Constant(2), Varying, Constant(2)]);
    assert_eq!(environments_at(&saturated, &b.top("n4")), n4);
    assert_eq!(environments_at(&saturated, &b.top("n8")), n8);
    assert_eq!(environments_at(&lazy, &b.top("n4")), n4);
    assert_eq!(environments_at(&lazy, &b.top("n8")), n8);
}

/// Fourteen different relations on four values.
fn weights(domain: &ExplicitRelations) -> Vec<Relation> {
    (0..15u32)
        .map(|i| {
            let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
            domain.relation(all.filter(|(a, b)| (a * 7 + b * 3 + i * 5) % 11 < 5))
        })
        .collect()
}

#[test]
fn figure_4_2_out_node_equations() {
    let domain = ExplicitRelations::new(4);
    let w = weights(&domain);
    let names = "n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 n11 n12";
    let mut b = Build::new(domain, Kind::Weighted, names);
    b.step("n1", "n2", w[1].clone());
    b.step("n2", "n3", w[2].clone());
    b.call("n3", "n6", "n4", w[3].clone(), None);
    b.step("n4", "n5", w[4].clone());
    b.pop("n5", w[5].clone());
    b.step("n6", "n7", w[6].clone());
    b.step("n7", "n8", w[7].clone());
    b.step("n8", "n9", w[8].clone());
    b.step("n8", "n12", w[9].clone());
    b.step("n9", "n10", w[10].clone());
    b.step("n9", "n11", w[11].clone());
    b.step("n10", "n9", w[12].clone());
    b.step("n11", "n12", w[13].clone());
    b.pop("n12", w[14].clone());
    let seq = |parts: &[&Relation]| {
        parts.iter().fold(domain.one(), |all, part| domain.extend(&all, part).unwrap())
    };
    let around = gnomon_wpds::semiring::star(&domain, &seq(&[&w[10], &w[12]])).unwrap();
    let choice = domain.combine(&w[9], &seq(&[&w[8], &around, &w[11], &w[13]])).unwrap();
    let t6 = seq(&[&w[6], &w[7], &choice, &w[14]]);
    let t1 = seq(&[&w[1], &w[2], &w[3], &t6, &w[4], &w[5]]);
    let empty = ConfigSet::single(1, &b.stack("")).unwrap().weighted(&domain.one());
    let lazy = Fwpds::prestar(&b.system, &empty, FwpdsOptions::default()).unwrap();
    assert_eq!(weight_of(&lazy, &b.stack("n6")).unwrap(), t6);
    assert_eq!(weight_of(&lazy, &b.stack("n1")).unwrap(), t1);
    let statistics = lazy.statistics();
    assert_eq!((statistics.intragraphs, statistics.out_nodes), (2, 1), "main and foo, and t6");
    assert_eq!(statistics.evaluations, 1, "no recursion: one evaluation for each out-node");
    let saturated = prestar(&b.system, &empty, &SaturationOptions::default()).unwrap();
    assert_eq!(weight_of(&saturated, &b.stack("n1")).unwrap(), t1);
}

/// Figure 5.1: x is 5, 8 or 9 before foo; 2, 3 or 1 is added after; 10 is an error.
fn figure_5_1(with_third_call: bool) -> Build<ExplicitRelations> {
    let domain = ExplicitRelations::new(256);
    let set = |c: u32| domain.relation((0..256).map(|x| (x, c)));
    let add = |c: u32| domain.relation((0..256).map(|x| (x, (x + c).min(255))));
    let id = domain.one();
    let names = "start c1 c2 c3 r1 r2 r3 test error foo n exit";
    let mut b = Build::new(domain, Kind::Weighted, names);
    let calls = [("c1", "r1", 5, 2), ("c2", "r2", 8, 3), ("c3", "r3", 9, 1)];
    for (call, back, value, added) in &calls[..if with_third_call { 3 } else { 2 }] {
        b.step("start", call, set(*value));
        b.call(call, "foo", back, id.clone(), None);
        b.step(back, "test", add(*added));
    }
    b.step("test", "error", domain.relation([(10, 10)]));
    b.step("foo", "n", id.clone());
    b.step("n", "exit", id.clone());
    b.pop("exit", id.clone());
    b
}

#[test]
fn figure_5_1_error_projection_and_stores() {
    let b = figure_5_1(true);
    let domain = *b.system.domain();
    let id = domain.one();
    let options = SaturationOptions { trace: true, ..SaturationOptions::default() };
    let forward = poststar(&b.system, &b.only("start").weighted(&id), &options).unwrap();
    let backward = prestar(&b.system, &b.top("error").weighted(&id), &options).unwrap();
    let n = b.symbol("n");
    let reach = weight_of_set(&forward, &b.top("n")).unwrap();
    assert_eq!(domain.targets(&reach).unwrap().elements(), [5, 8, 9]);
    // Stacks that no run makes (such as `n error`) also lead to the target; the paper leaves them out.
    let mut called = ConfigSet::new(1);
    for stack in ["n r1", "n r2", "n r3"] {
        called.add_stack(&b.stack(stack), false).unwrap();
    }
    let goes_wrong = weight_of_set(&backward, &called).unwrap();
    assert_eq!(goes_wrong, domain.relation([(7, 10), (8, 10), (9, 10)]));
    let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
    // WC(S, nΓ*, T) = {(-, 10)}, but the store at n has to be 9.
    let all_to_ten = domain.relation((0..256).map(|x| (x, 10)));
    assert_eq!(functional.weight_through(P, n).unwrap(), all_to_ten);
    let goals = functional.goals().unwrap().unwrap();
    assert_eq!(functional.stores_at(&goals, P, n).unwrap().elements(), [9]);
    assert!(functional.may_hold(P, n, &domain.stores([9])).unwrap());
    assert!(!functional.may_hold(P, n, &domain.stores([5, 7, 8])).unwrap());
    let above = functional.stores_above(P, n).unwrap();
    assert!(above.contains(9) && !above.contains(5), "the bound is {above:?}");
    let mut nodes: Vec<&str> = functional
        .projection()
        .unwrap()
        .into_iter()
        .map(|(_, symbol)| b.system.symbol_names().get(symbol.0).unwrap())
        .collect();
    nodes.sort_unstable();
    assert_eq!(nodes, ["c3", "error", "exit", "foo", "n", "r3", "start", "test"]);
    let path = functional.witness_through(P, n).unwrap();
    let path = path.shortest_path(&Budget::unlimited()).unwrap().unwrap();
    let (end, value) = b.system.run(&b.stack("start"), &path.rules).unwrap();
    assert_eq!((end, value), (b.stack("error"), all_to_ten));
    assert_eq!((path.rules.len(), path.mark), (7, Some(3)));
}

#[test]
fn figure_5_1_without_the_third_call_has_a_correlation_problem() {
    let b = figure_5_1(false);
    let domain = *b.system.domain();
    let id = domain.one();
    let options = SaturationOptions::default();
    let forward = poststar(&b.system, &b.only("start").weighted(&id), &options).unwrap();
    let backward = prestar(&b.system, &b.top("error").weighted(&id), &options).unwrap();
    let to = weight_of_set(&forward, &b.top("n")).unwrap();
    let from = weight_of_set(&backward, &b.top("n")).unwrap();
    assert!(!domain.is_zero(&domain.extend(&to, &from).unwrap()), "the naive answer is wrong");
    let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
    assert!(domain.is_zero(&functional.weight_through(P, b.symbol("n")).unwrap()));
    assert_eq!(functional.projection().unwrap(), []);
}

#[test]
fn figure_5_5_functional_automata_with_merge_functions() {
    let domain = ExplicitRelations::new(4);
    let w = weights(&domain);
    let seq = |parts: &[&Relation]| {
        parts.iter().fold(domain.one(), |all, part| domain.extend(&all, part).unwrap())
    };
    for kind in [Kind::Weighted, Kind::Extended] {
        let names = "start c1 c2 c3 r1 r2 r3 error f1 n f2";
        let mut b = Build::new(domain, kind, names);
        let merge = |i: usize| {
            let (a, z) = (w[(i + 5) % 14].clone(), w[(i + 9) % 14].clone());
            merge_by("m", true, move |d: &ExplicitRelations, caller, callee| {
                d.extend(&d.extend(&d.extend(caller, &a)?, callee)?, &z)
            })
        };
        for (i, (call, back)) in [("c1", "r1"), ("c2", "r2"), ("c3", "r3")].into_iter().enumerate()
        {
            b.step("start", call, w[1 + i].clone());
            let extended = kind == Kind::Extended;
            let weight = if extended { domain.one() } else { w[4 + i].clone() };
            b.call(call, "f1", back, weight, extended.then(|| merge(i)));
            b.step(back, "error", w[7 + i].clone());
        }
        b.step("f1", "n", w[10].clone());
        b.step("n", "f2", w[11].clone());
        b.pop("f2", w[12].clone());
        let options = SaturationOptions::default();
        let one = domain.one();
        let forward = poststar(&b.system, &b.only("start").weighted(&one), &options).unwrap();
        let backward = prestar(&b.system, &b.only("error").weighted(&one), &options).unwrap();
        let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
        let found = functional.chop(&b.only("n r1")).unwrap();
        let expected = if kind == Kind::Extended {
            let callee = seq(&[&w[10], &w[11], &w[12]]);
            let merged = merge(0).merge(&domain, &w[1], &callee).unwrap();
            seq(&[&merged, &w[7]])
        } else {
            seq(&[&w[1], &w[4], &w[10], &w[11], &w[12], &w[7]])
        };
        assert_eq!(found, expected, "{kind:?}");
    }
}

/// AEP Table 1: the store is the sign of `i`; the array is positive, negative, negative.
#[test]
fn table_1_of_abstract_error_projection() {
    const POSITIVE: u32 = 0;
    const NEGATIVE: u32 = 1;
    let domain = ExplicitRelations::new(2);
    let id = domain.one();
    let set = |sign: u32| domain.relation([(0, sign), (1, sign)]);
    let names = "main bar case3 case2 case1 call3 call2 call1 done foo complex return error end";
    let mut b = Build::new(domain, Kind::Weighted, names);
    b.call("main", "bar", "end", id.clone(), None);
    b.step("bar", "case3", id.clone());
    b.step("bar", "case2", id.clone());
    b.step("bar", "case1", id.clone());
    b.step("case3", "call3", set(NEGATIVE));
    b.call("call3", "foo", "case2", id.clone(), None);
    b.step("case2", "call2", set(NEGATIVE));
    b.call("call2", "foo", "case1", id.clone(), None);
    b.step("case1", "call1", set(POSITIVE));
    b.call("call1", "foo", "done", id.clone(), None);
    b.pop("done", id.clone());
    b.step("foo", "error", domain.relation([(NEGATIVE, NEGATIVE)]));
    b.step("foo", "complex", domain.relation([(POSITIVE, POSITIVE)]));
    b.step("complex", "return", domain.relation([(0, 0), (0, 1), (1, 0), (1, 1)]));
    b.pop("return", id.clone());
    let options = SaturationOptions::default();
    let forward = poststar(&b.system, &b.only("main").weighted(&id), &options).unwrap();
    let backward = prestar(&b.system, &b.top("error").weighted(&id), &options).unwrap();
    let functional = FunctionalAutomaton::new(&forward, &backward).unwrap();
    let mut nodes: Vec<&str> = functional
        .projection()
        .unwrap()
        .into_iter()
        .map(|(_, symbol)| b.system.symbol_names().get(symbol.0).unwrap())
        .collect();
    nodes.sort_unstable();
    // Column (b): not the third call, and nothing behind the assertion.
    assert_eq!(nodes, ["bar", "call2", "call3", "case2", "case3", "error", "foo", "main"]);
}
