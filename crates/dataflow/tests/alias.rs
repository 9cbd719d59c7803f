//! Alias pairs: the merge function on calls, flow, contexts, and runs of the interpreter.

use gnomon_budget::Budget;
use gnomon_dataflow::alias::AliasProblem;
use gnomon_dataflow::contexts::Context;
use gnomon_dataflow::points::at_line;
use gnomon_flow::points_to::{Options, PointsTo};
use gnomon_testkit::program;

/// The pairs in the line with a mark, in order.
fn pairs(text: &str, mark: &str, context: &str) -> Vec<String> {
    let program = program(text);
    let budget = Budget::unlimited();
    let points_to = PointsTo::analyze(&program, &Options::default(), &budget).unwrap();
    let entry = program.find_function("main").unwrap();
    let problem = AliasProblem::new(&program, &points_to, entry).unwrap();
    let solution = problem.solve(&budget).unwrap();
    let line = text.lines().position(|l| l.contains(mark)).unwrap() + 1;
    let points = at_line(&program, problem.graph(), &format!("test.c:{line}")).unwrap();
    let context =
        if context.is_empty() { Context::default() } else { Context::parse(context).unwrap() };
    let mut shown: Vec<String> = problem
        .pairs_in(&solution, points[0], &context)
        .unwrap()
        .into_iter()
        .map(|p| {
            let mut names = p.both().map(|a| problem.show(a));
            names.sort();
            names.join(" ~ ")
        })
        .collect();
    shown.sort();
    shown
}

#[test]
fn assignments_kill_and_copy() {
    let text = "
int x, y;
int *p, *q;
int main(void) {
    p = &x;
    q = p;      /* one */
    p = &y;     /* two */
    return 0;   /* three */
}
";
    assert_eq!(pairs(text, "one", ""), ["*p ~ x"]);
    assert_eq!(pairs(text, "two", ""), ["*p ~ *q", "*p ~ x", "*q ~ x"]);
    assert_eq!(pairs(text, "three", ""), ["*p ~ y", "*q ~ x"]);
}

/// A callee makes a global point to a local of its caller, which it cannot name: the merge function
/// knows which one it was.
#[test]
fn the_invisible_is_given_back() {
    let text = "
int x;
int *p;
void remember(int *f) {
    p = f;      /* inside */
}
int main(void) {
    int a, b;
    int *l = &a;
    int *m = &b;
    remember(l);
    return *m;  /* after */
}
";
    assert_eq!(pairs(text, "after", ""), ["*l ~ *p", "*l ~ a", "*m ~ b", "*p ~ a"]);
    // Inside, neither a nor b has a name.
    assert_eq!(pairs(text, "inside", ""), Vec::<String>::new());
}

#[test]
fn contexts_are_told_apart() {
    let text = "
int x, y;
int *p;
void set(int *f) {
    p = f;
    return;     /* here */
}
int main(void) {
    set(&x);
    set(&y);
    return 0;
}
";
    let both = ["*f ~ *p", "*f ~ x", "*f ~ y", "*p ~ x", "*p ~ y"];
    assert_eq!(pairs(text, "here", ""), both);
    assert_eq!(pairs(text, "here", "main:9"), ["*f ~ *p", "*f ~ x", "*p ~ x"]);
    assert_eq!(pairs(text, "here", "main:10"), ["*f ~ *p", "*f ~ y", "*p ~ y"]);
}

#[test]
fn results_and_recursion() {
    let text = "
extern int __VERIFIER_nondet_int(void);
int x, y;
int *choose(int *a, int *b) {
    if (__VERIFIER_nondet_int()) return choose(b, a);
    return a;
}
int main(void) {
    int *r = choose(&x, &y);
    int *n = 0;
    return *r + (n != 0);   /* end */
}
";
    assert_eq!(pairs(text, "end", ""), ["*r ~ x", "*r ~ y"]);
}
