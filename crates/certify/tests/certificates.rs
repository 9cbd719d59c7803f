//! The checker accepts right certificates, refuses wrong ones, and says so where it cannot tell.

use std::collections::BTreeSet;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_certify::certificate::{SCHEMA, VERSION};
use gnomon_certify::{
    Certificate, Claim, CutPoint, Forbidden, Formulas, Node, Outcome, Theory, check,
};
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::types::Target;

fn program(text: &str) -> Program {
    let source = SourceBuffer::new("a.c", text.as_bytes().to_vec()).expect("a source");
    let translation = translate(vec![source], Target::Lp64, &ParseOptions::default());
    assert!(translation.is_complete());
    translation.program
}

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
        entry: "main".into(),
        forbidden: Vec::new(),
        claim,
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
    // Stronger: it does not hold from the second round on.
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
