//! The examples of LAL 3.5.2 and 6.1, contexts, and arithmetic that wraps around.

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::{Relations, Shown, ShownNumbers};
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::contexts::Context;
use gnomon_dataflow::points::at_line;
use gnomon_wpds::domains::affine::{Modular, Rationals};

use crate::{points_to, program};

fn shown<R: ShownNumbers + 'static>(
    text: &str,
    (ring, arithmetic): (R, Arithmetic),
    line: u32,
    context: &str,
) -> Vec<String> {
    let program = program(text);
    let entry = program.find_function("main").unwrap();
    let options = AffineOptions { arithmetic, limits: VariableLimits::default() };
    let points_to = points_to(&program);
    let problem = AffineProblem::new(&program, &points_to, entry, ring.clone(), options).unwrap();
    let solution = problem.solve(&Budget::unlimited()).unwrap();
    let points = at_line(&program, problem.graph(), &format!("test.c:{line}")).unwrap();
    let context =
        if context.is_empty() { Context::default() } else { Context::parse(context).unwrap() };
    match problem.relations_in(&solution, points[0], &context).unwrap() {
        Relations::Unreachable => vec!["unreachable".to_owned()],
        Relations::Hold(list) => list
            .iter()
            .map(|relation| Shown { ring: &ring, program: &program, relation }.to_string())
            .collect(),
    }
}

fn modulo(text: &str, bits: u32, line: u32) -> Vec<String> {
    shown(text, (Modular::new(bits).unwrap(), Arithmetic::Modular(bits)), line, "")
}

fn line_of(text: &str, mark: &str) -> u32 {
    text.lines().position(|l| l.contains(mark)).unwrap() as u32 + 1
}

/// LAL Figure 3.5: globals `x1` and `x2` with `x2 = x1 + 1` at the point in question. The drawing is
/// not in the text of the paper; this is a program with calls of which it says the same.
#[test]
fn the_affine_program_of_the_paper() {
    let text = "
extern int __VERIFIER_nondet_int(void);
int x1, x2;
void step(void) {
    x1 = x1 + 2 * x2;
    x2 = x2 + x1 - x1 + 2 * x2;
    x1 = x1 - x2 + x2;
}
void grow(void) {
    if (__VERIFIER_nondet_int()) {
        x1 = x1 + 1;
        grow();
        x2 = x2 + 1;
    }
}
int main(void) {
    x1 = 0;
    x2 = 1;
    grow();
    step();     /* n4 */
    return 0;   /* n5 */
}
";
    let n4 = modulo(text, 32, line_of(text, "n4"));
    assert_eq!(n4, ["x2 = x1 + 1 (mod 2^32)"]);
    // x1 + 2(x1 + 1) = 3 x1 + 2 and x2 becomes 3 x2 = 3 x1 + 3.
    let n5 = modulo(text, 32, line_of(text, "n5"));
    assert_eq!(n5, ["x2 = x1 + 1 (mod 2^32)"]);
    let line = line_of(text, "n4");
    let rational = shown(text, (Rationals, Arithmetic::Rational), line, "");
    assert_eq!(rational, ["x2 = x1 + 1"]);
}

/// LAL Figure 6.1, one thread: `(hd - tl + cnt) % SIZE = 0` for a queue of `2^8` elements.
#[test]
fn the_circular_queue_of_the_paper() {
    let text = "
extern int __VERIFIER_nondet_int(void);
int q[256];
int hd, cnt, tl;
void enq(int e) {
    while (1) {
        if (cnt < 256) {
            q[tl] = e;
            tl = (tl + 1) % 256;
            cnt++;
            break;
        }
    }
}
int deq(void) {
    while (1) {
        if (cnt > 0) {
            int e = q[hd];
            hd = (hd + 1) % 256;
            cnt--;
            return e;
        }
    }
}
int main(void) {
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) enq(7); else deq();
    }
    return 0; /* end */
}
";
    let line = line_of(text, "end");
    assert_eq!(modulo(text, 8, line), ["hd = tl - cnt (mod 2^8)"]);
    // Modulo 2^16 the remainder is not linear.
    assert_eq!(modulo(text, 16, line), Vec::<String>::new());
}

#[test]
fn a_context_says_more() {
    let text = "
int f(int a, int b) {
    return a + b; /* here */
}
int main(void) {
    int r = f(1, 2);
    r = f(r, 4);
    return r;
}
";
    let ring = || (Modular::new(32).unwrap(), Arithmetic::Modular(32));
    let line = line_of(text, "here");
    // Both a are odd.
    let both = ["b = a + 1 (mod 2^32)", "2147483648*a + 2147483648 = 0 (mod 2^32)"];
    assert_eq!(shown(text, ring(), line, ""), both);
    let first = ["b = 2 (mod 2^32)", "a = 1 (mod 2^32)"];
    assert_eq!(shown(text, ring(), line, "main:6"), first);
    let second = ["b = 4 (mod 2^32)", "a = 3 (mod 2^32)"];
    assert_eq!(shown(text, ring(), line, "main:7"), second);
}

#[test]
fn wrap_around_and_widths_are_exact() {
    let text = "
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    unsigned char c = __VERIFIER_nondet_uchar();
    unsigned char d = c + 1;
    int i = c;
    int j = d;
    long l = i;
    return 0; /* end */
}
";
    let line = line_of(text, "end");
    // 255 + 1 is 0 in a byte: only modulo 2^8 is d = c + 1.
    let eight = modulo(text, 8, line);
    assert!(eight.contains(&"d = c + 1 (mod 2^8)".to_owned()), "{eight:?}");
    let wide = modulo(text, 32, line);
    assert_eq!(wide, ["l = c (mod 2^32)", "j = d (mod 2^32)", "i = c (mod 2^32)"]);
}
