//! The checker accepts right certificates, refuses wrong ones, and says so where it cannot tell.

use std::collections::BTreeSet;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_certify::certificate::{SCHEMA, VERSION};
use gnomon_certify::{
    Certificate, Claim, CutPoint, Forbidden, Formulas, Node, Outcome, Theory, check,
};
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::property::Specification;
use gnomon_testkit::program;

fn outcome(program: &Program, claim: Claim) -> Outcome {
    let sites = ErrorSites::of(program, &Property::default()).expect("sites");
    let forbidden = Forbidden {
        edges: sites.iter().map(|(site, _)| (site.func, site.edge)).collect(),
        functions: sites.functions().collect(),
    };
    let certificate = Certificate {
        schema: SCHEMA.into(),
        version: VERSION,
        program: String::new(),
        property: Specification::default(),
        forbidden: Vec::new(),
        claim,
        aliases: Vec::new(),
        calls: Vec::new(),
        memory: Vec::new(),
        escaped: None,
        left_out: Vec::new(),
    };
    let main = program.find_function("main").expect("main");
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    check(program, main, &forbidden, &certificate, &budget)
}

/// The loop heads of `main`.
fn heads(program: &Program) -> BTreeSet<LocId> {
    let main = program.find_function("main").expect("main");
    gnomon_certify::blocks::loop_heads(program, main)
}

fn variable(program: &Program, name: &str) -> Node {
    let main: FuncId = program.find_function("main").expect("main");
    Node::Variable { function: Some(main.0), name: name.into() }
}

/// The same formula, the last node, at every loop head of `main`.
fn everywhere(program: &Program, nodes: Vec<Node>) -> Claim {
    let formula = nodes.len() as u32 - 1;
    let place = |loc: LocId| CutPoint {
        calls: Vec::new(),
        function: "main".into(),
        location: loc.0,
        formula,
    };
    let places = heads(program).into_iter().map(place).collect();
    Claim::Invariants { formulas: Formulas { theory: Theory::Integers, nodes }, places }
}

fn apply(op: &str, args: &[u32]) -> Node {
    Node::Apply(op.into(), Vec::new(), args.to_vec())
}

const TWO_COUNTERS: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned i = 0, j = 0;
    while (__VERIFIER_nondet_int()) { i++; j++; }
    if (i != j) reach_error();
    return 0;
}
";

#[test]
fn an_inductive_invariant_is_accepted_and_nothing_weaker_or_stronger() {
    let program = program(TWO_COUNTERS);
    let (i, j) = (variable(&program, "i"), variable(&program, "j"));
    let claim = |last: &[Node]| {
        let mut nodes = vec![i.clone(), j.clone(), Node::Int("7".into())];
        nodes.extend_from_slice(last);
        everywhere(&program, nodes)
    };
    assert_eq!(outcome(&program, claim(&[apply("=", &[0, 1])])), Outcome::Accepted);
    // Weaker: safety does not follow.
    let weaker = [apply("<=", &[0, 1])];
    assert!(matches!(outcome(&program, claim(&weaker)), Outcome::Refused(_)));
    let nothing = [apply("true", &[])];
    assert!(matches!(outcome(&program, claim(&nothing)), Outcome::Refused(_)));
    // Stronger: it does not hold from the second iteration on.
    let stronger = [apply("=", &[0, 1]), apply("<=", &[0, 2]), apply("and", &[3, 4])];
    assert!(matches!(outcome(&program, claim(&stronger)), Outcome::Refused(_)));
    let never = [apply("false", &[])];
    assert!(matches!(outcome(&program, claim(&never)), Outcome::Refused(_)));
    // Dropped: the loop has no invariant.
    let formulas = Formulas { theory: Theory::Integers, nodes: vec![apply("true", &[])] };
    let dropped = Claim::Invariants { formulas, places: Vec::new() };
    assert!(matches!(outcome(&program, dropped), Outcome::Refused(_)));
}

#[test]
fn bits_count_where_integers_would_not() {
    // i <= 2 * n holds for mathematical integers and is wrong for unsigned ones that wrap around.
    let text = "\
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n) i += 3;
    if (i < n) reach_error();
    if (i > n + 2) reach_error();
    return 0;
}
";
    let program = program(text);
    let nodes = vec![
        variable(&program, "i"),
        variable(&program, "n"),
        Node::Int("2".into()),
        apply("+", &[1, 2]),
        apply("<=", &[0, 3]),
    ];
    let refused = outcome(&program, everywhere(&program, nodes));
    assert!(matches!(refused, Outcome::Refused(_)), "{refused:?}");
}

/// Three numbers in a ring: that two of them differ needs the state of all, three blocks ago.
const RING: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned a = 1, b = 2, c = 3;
    while (__VERIFIER_nondet_int()) {
        unsigned first = a;
        a = b; b = c; c = first;
        if (a == b) reach_error();
    }
    return 0;
}
";

#[test]
fn induction_from_several_blocks_is_checked_for_its_number_of_blocks() {
    let induction = |program: &Program, k: u32, nodes: Vec<Node>| {
        let Claim::Invariants { formulas, places } = everywhere(program, nodes) else {
            panic!("invariants");
        };
        outcome(program, Claim::KInduction { k, formulas, places })
    };
    let nothing = || vec![apply("true", &[])];
    let ring = program(RING);
    assert_eq!(induction(&ring, 4, nothing()), Outcome::Accepted);
    for k in [0, 1, 2] {
        let refused = induction(&ring, k, nothing());
        assert!(matches!(refused, Outcome::Refused(_)), "{k}: {refused:?}");
    }
    // The step holds for any numbers, and the base only for different ones.
    let same = program(&RING.replace("b = 2", "b = 1"));
    assert!(matches!(induction(&same, 4, nothing()), Outcome::Refused(_)));
    let late = program(&RING.replace("c = 3", "c = 1"));
    assert!(matches!(induction(&late, 4, nothing()), Outcome::Refused(_)));
    // An auxiliary invariant must be inductive: with `false` every step would hold.
    assert!(matches!(induction(&same, 1, vec![apply("false", &[])]), Outcome::Refused(_)));
    assert!(matches!(induction(&ring, 1, vec![apply("false", &[])]), Outcome::Refused(_)));
    // And a loop must have a place.
    let formulas = Formulas { theory: Theory::Integers, nodes: nothing() };
    let dropped = Claim::KInduction { k: 4, formulas, places: Vec::new() };
    assert!(matches!(outcome(&ring, dropped), Outcome::Refused(_)));
    // What is proved from one block is proved without k.
    let counters = program(TWO_COUNTERS);
    let equal = vec![variable(&counters, "i"), variable(&counters, "j"), apply("=", &[0, 1])];
    assert_eq!(induction(&counters, 1, equal), Outcome::Accepted);
    assert!(matches!(induction(&counters, 3, nothing()), Outcome::Refused(_)));
}

#[test]
fn executions_that_end_are_unwound() {
    let safe = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair { int low, high; };
static int larger(int a, int b) { return a < b ? b : a; }
int main(void)
{
    int a[4];
    struct pair p = {0, 0}, *q = &p;
    for (int i = 0; i < 4; i++) { a[i] = __VERIFIER_nondet_int(); q->high = larger(q->high, a[i]); }
    for (int i = 0; i < 4; i++) if (a[i] > p.high) reach_error();
    return 0;
}
";
    assert_eq!(outcome(&program(safe), Claim::AllExecutions), Outcome::Accepted);
    // Where pointers are followed, a proof that fails here may know more of them.
    let wrong = safe.replace("q->high = larger", "q->low = larger");
    let open = outcome(&program(&wrong), Claim::AllExecutions);
    assert!(matches!(open, Outcome::NotDecided(_)), "{open:?}");
    let plain = wrong.replace(", *q = &p", "").replace("q->", "p.");
    let refused = outcome(&program(&plain), Claim::AllExecutions);
    assert!(matches!(refused, Outcome::Refused(_)), "{refused:?}");
}

#[test]
fn a_choice_keeps_the_states_of_its_branches_apart() {
    // Cases of a switch are no two opposite conditions.
    let text = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), y;
    switch (x) { case 1: y = 10; break; case 2: y = 20; break; default: y = 30; }
    if (x == LIMIT && y != 20) reach_error();
    return 0;
}
";
    let safe = program(&text.replace("LIMIT", "2"));
    assert_eq!(outcome(&safe, Claim::AllExecutions), Outcome::Accepted);
    let wrong = program(&text.replace("LIMIT", "3"));
    assert!(matches!(outcome(&wrong, Claim::AllExecutions), Outcome::Refused(_)));
}

#[test]
fn the_only_run_is_run() {
    let safe = "extern void reach_error(void); int main(void) { int s = 0; for (int i = 0; i < 9; i++) s += i; if (s != 36) reach_error(); return 0; }";
    assert_eq!(outcome(&program(safe), Claim::OnlyRun), Outcome::Accepted);
    let wrong = program(&safe.replace("36", "35"));
    assert!(matches!(outcome(&wrong, Claim::OnlyRun), Outcome::Refused(_)));
    let asks = program(TWO_COUNTERS);
    assert!(matches!(outcome(&asks, Claim::OnlyRun), Outcome::Refused(_)));
    assert!(matches!(outcome(&asks, Claim::NoErrorSite), Outcome::Refused(_)));
}

#[test]
fn what_is_not_followed_is_no_refusal_and_no_acceptance() {
    let recursive = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int down(int n) { return n <= 0 ? 0 : down(n - 1); }
int main(void) { if (down(__VERIFIER_nondet_int()) != 0) reach_error(); return 0; }
";
    let answer = outcome(&program(recursive), Claim::AllExecutions);
    assert!(matches!(answer, Outcome::NotDecided(_)), "{answer:?}");
}

#[test]
fn an_invariant_over_all_positions_says_something_of_each_element() {
    let text = "\
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    int a[1000];
    for (unsigned i = 0; i < 1000; i++) a[i] = 7;
    unsigned k = __VERIFIER_nondet_uint();
    if (k < 1000 && a[k] != 7) reach_error();
    return 0;
}
";
    let program = program(text);
    // i <= p or p < 0 or a[p] == 7, for every position p.
    let claim = |value: &str| {
        let nodes = vec![
            variable(&program, "i"),
            Node::Position("p".into()),
            variable(&program, "a[]"),
            apply("select", &[2, 1]),
            Node::Int(value.into()),
            apply("=", &[3, 4]),
            apply("<=", &[0, 1]),
            Node::Int("-1".into()),
            apply("<=", &[1, 7]),
            apply("or", &[5, 6, 8]),
        ];
        everywhere(&program, nodes)
    };
    assert_eq!(outcome(&program, claim("7")), Outcome::Accepted);
    let open = outcome(&program, claim("8"));
    assert!(matches!(open, Outcome::NotDecided(_)), "{open:?}");
}

/// A certificate by summaries: formulas at the ends of functions.
fn summaries(program: &Program, nodes: Vec<Node>, known: &[(&str, End, u32)]) -> Claim {
    let places = known.iter().map(|(function, end, formula)| {
        let func = program.find_function(function).expect("a function");
        let body = program.funcs[func].body.as_ref().expect("a body");
        let loc = match end {
            End::Entry => body.entry(),
            End::Exit => body.exit(),
        };
        let function = (*function).to_owned();
        CutPoint { calls: Vec::new(), function, location: loc.0, formula: *formula }
    });
    let places = places.collect();
    Claim::Summaries { formulas: Formulas { theory: Theory::Integers, nodes }, places }
}

#[derive(Clone, Copy)]
enum End {
    Entry,
    Exit,
}

#[test]
fn a_summary_of_a_recursive_function_is_an_induction_over_calls() {
    let text = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int same(int n) { if (n == 0) return 0; return same(n - 1) + 1; }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0) return 0;
    if (same(n) != n) reach_error();
    return 0;
}
";
    let program = program(text);
    let same = program.find_function("same").expect("same");
    let result = Node::Variable { function: None, name: "same()".into() };
    let old = Node::AtEntry { function: Some(same.0), name: "n".into() };
    let new = Node::Variable { function: Some(same.0), name: "n".into() };
    let claim = |entry: u32, exit: u32| {
        let nodes = vec![
            apply("true", &[]),
            result.clone(),
            old.clone(),
            new.clone(),
            Node::Int("0".into()),
            apply("=", &[1, 2]),
            apply("<=", &[4, 3]),
            apply("<=", &[4, 1]),
        ];
        let main = [("main", End::Entry, 0), ("main", End::Exit, 0)];
        let same = [("same", End::Entry, entry), ("same", End::Exit, exit)];
        outcome(&program, summaries(&program, nodes, &[main, same].concat()))
    };
    // What it gives back is its argument, for all arguments that are not negative.
    assert_eq!(claim(6, 5), Outcome::Accepted);
    // Without that, n wraps around, and the summary still holds.
    assert_eq!(claim(0, 5), Outcome::Accepted);
    // Too weak, and wrong.
    assert!(matches!(claim(6, 0), Outcome::Refused(_)));
    assert!(matches!(claim(6, 7), Outcome::Refused(_)));
}

#[test]
fn parameters_that_a_function_changes_are_not_what_they_were() {
    let text = "\
extern void reach_error(void);
static int down(int n) { n = n - 1; return n; }
int main(void)
{
    if (down(5) != 5) reach_error();
    return 0;
}
";
    let program = program(text);
    let down = program.find_function("down").expect("down");
    let nodes = vec![
        apply("true", &[]),
        Node::Variable { function: None, name: "down()".into() },
        Node::Variable { function: Some(down.0), name: "n".into() },
        apply("=", &[1, 2]),
    ];
    let known = [
        ("main", End::Entry, 0),
        ("main", End::Exit, 0),
        ("down", End::Entry, 0),
        ("down", End::Exit, 3),
    ];
    // The summary is right: the result is the present value of n. The program is not.
    let outcome = outcome(&program, summaries(&program, nodes, &known));
    assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
}

#[test]
fn what_a_call_changes_is_not_known_behind_it() {
    let text = "\
extern void reach_error(void);
static int count, other;
static void more(int n) { if (n > 0) { count = count + 1; more(n - 1); } }
int main(void)
{
    more(3);
    if (CONDITION) reach_error();
    return 0;
}
";
    for (condition, is_right) in [("count != 0", false), ("other != 0", true)] {
        let program = program(&text.replace("CONDITION", condition));
        let nodes = vec![
            apply("true", &[]),
            Node::Variable { function: None, name: "other".into() },
            Node::Int("0".into()),
            apply("=", &[1, 2]),
        ];
        let known = [
            ("main", End::Entry, 3),
            ("main", End::Exit, 0),
            ("more", End::Entry, 0),
            ("more", End::Exit, 0),
        ];
        let outcome = outcome(&program, summaries(&program, nodes, &known));
        assert_eq!(outcome == Outcome::Accepted, is_right, "{condition}: {outcome:?}");
    }
}

#[test]
fn recursion_is_followed_path_by_path() {
    let text = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int sum(int n) { int here = n; if (n <= 0) return 0; return sum(n - 1) + here; }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 4) return 0;
    if (sum(n) > LIMIT) reach_error();
    return 0;
}
";
    let right = program(&text.replace("LIMIT", "10"));
    assert_eq!(outcome(&right, Claim::AllPaths), Outcome::Accepted);
    let wrong = program(&text.replace("LIMIT", "9"));
    assert!(matches!(outcome(&wrong, Claim::AllPaths), Outcome::Refused(_)));
}

#[test]
fn floating_point_is_bit_for_bit() {
    let text = "\
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
int main(void)
{
    double x = __VERIFIER_nondet_double();
    float f = __VERIFIER_nondet_float();
    if (CONDITION) reach_error();
    return 0;
}
";
    let cases = [
        ("x >= 1.5 && x < 2.0 && x + 1.0 <= 2.0", true),
        // The sum is rounded to 2.
        ("x > 1.0 && x < 1.5 && x + 1.0 <= 2.0", false),
        // Not for NaN.
        ("x != x", false),
        ("x == x && !(x <= 0.0) && !(x >= 0.0)", true),
        // Rounding.
        ("0.1 + 0.2 == 0.3", true),
        ("0.1 + 0.2 != 0.3", false),
        ("f > 0.0f && (double)f <= 0.0", true),
        ("f >= 0.0f && f < 100.0f && (int)f > 99", true),
        ("f >= 0.0f && f <= 100.0f && (int)f > 99", false),
        ("(float)16777217 == 16777217.0", true),
        ("-x == x && x != 0.0", true),
    ];
    for (condition, is_safe) in cases {
        let program = program(&text.replace("CONDITION", condition));
        let outcome = outcome(&program, Claim::AllExecutions);
        assert_eq!(outcome == Outcome::Accepted, is_safe, "{condition}: {outcome:?}");
    }
}

#[test]
fn bytes_that_are_moved_are_where_they_were_moved_to() {
    let text = "\
extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
int main(void)
{
    int from[3] = { 1, 2, 3 }, to[3];
    memcpy(to, from, sizeof to);
    memset(from, 0xff, 8);
    if (CONDITION) reach_error();
    return 0;
}
";
    let cases = [
        ("to[0] != 1 || to[2] != 3", true),
        ("from[0] != -1 || from[1] != -1 || from[2] != 3", true),
        ("from[1] == -1", false),
        ("to[1] == 2", false),
    ];
    for (condition, is_safe) in cases {
        let program = program(&text.replace("CONDITION", condition));
        let outcome = outcome(&program, Claim::AllExecutions);
        assert_eq!(outcome == Outcome::Accepted, is_safe, "{condition}: {outcome:?}");
    }
}

#[test]
fn atomic_operations_read_and_write_one_scalar() {
    let text = "\
extern void reach_error(void);
int main(void)
{
    int x = 5, expected = 6, one, two, three, four;
    one = __sync_fetch_and_add(&x, 2);
    two = __atomic_sub_fetch(&x, 1, 5);
    three = __sync_val_compare_and_swap(&x, 6, 9);
    four = __atomic_compare_exchange_n(&x, &expected, 1, 0, 5, 5);
    if (CONDITION) reach_error();
    return 0;
}
";
    let cases = [
        ("one != 5 || two != 6 || three != 6", true),
        ("four != 0 || expected != 9 || x != 9", true),
        ("x == 9", false),
    ];
    for (condition, is_safe) in cases {
        let program = program(&text.replace("CONDITION", condition));
        let outcome = outcome(&program, Claim::AllExecutions);
        assert_eq!(outcome == Outcome::Accepted, is_safe, "{condition}: {outcome:?}");
    }
}

/// Fills an array, and reads it.
const FILLED: &str = "\
extern void reach_error(void);
int main(void)
{
    int a[1000], i;
    for (i = 0; i < 1000; i++) a[i] = 7;
    for (i = 0; i < 1000; i++) if (a[i] != 7) reach_error();
    return 0;
}
";

/// For all k that were passed, a[k] is a number; with what is assumed of the counter, too.
fn filled(program: &Program, value: u32, instances: &[u32]) -> Claim {
    let nodes = vec![
        variable(program, "i"),
        Node::BitsPosition("k".into(), 32),
        Node::Bits("0".into(), 32),
        Node::Bits("1000".into(), 32),
        Node::Bits(value.to_string(), 32),
        variable(program, "a[]"),
        Node::Apply("sign_extend".into(), vec![32], vec![1]),
        apply("select", &[5, 6]),
        apply("=", &[7, 4]),
        apply("bvsle", &[2, 0]),
        apply("bvslt", &[1, 2]),
        // The element at k, if k was passed, or lies in the array.
        apply("bvsle", &[0, 1]),
        apply("bvsle", &[3, 1]),
        apply("or", &[8, 10, 11]),
        apply("or", &[8, 10, 12]),
        apply("and", &[9, 13]),
        apply("and", &[9, 14]),
    ];
    let mut places = Vec::new();
    for (loc, formula) in heads(program).into_iter().zip([15, 16]) {
        let (calls, function, location) = (Vec::new(), "main".into(), loc.0);
        places.push(CutPoint { calls, function, location, formula });
    }
    let instances = instances.iter().map(|&node| vec![("k".to_owned(), node)]).collect();
    Claim::ForAll { formulas: Formulas { theory: Theory::Bits, nodes }, places, instances }
}

#[test]
fn what_holds_for_all_positions_is_checked_for_the_positions_that_matter() {
    let program = program(FILLED);
    assert_eq!(outcome(&program, filled(&program, 7, &[0])), Outcome::Accepted);
    // The element at the counter is needed, and others do not help.
    for instances in [&[][..], &[2], &[3]] {
        let open = outcome(&program, filled(&program, 7, instances));
        assert!(matches!(open, Outcome::NotDecided(_)), "{open:?}");
    }
    let wrong = outcome(&program, filled(&program, 8, &[0]));
    assert!(matches!(wrong, Outcome::NotDecided(_)), "{wrong:?}");
    let other = gnomon_testkit::program(
        &FILLED.replace("i = 0; i < 1000; i++) a", "i = 1; i < 1000; i++) a"),
    );
    let left_out = outcome(&other, filled(&other, 7, &[0]));
    assert!(matches!(left_out, Outcome::NotDecided(_)), "{left_out:?}");
}
