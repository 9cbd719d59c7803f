//! Arrays and lists of any length: proofs by one element that stands for all, and what must not be
//! proved that way.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_testkit::verifier_program;
use gnomon_verify::decide::{Options, check};

const OUTSIDE: &str = "extern void *malloc(unsigned long); extern void __VERIFIER_assume(int);\n";

fn verdict(text: &str) -> Verdict {
    let program = verifier_program(&format!("{OUTSIDE}{text}"));
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(90));
    check(&program, &Options::default(), &budget).expect("a good request").verdict
}

#[track_caller]
fn is_proved(text: &str) {
    let found = verdict(text);
    let is_by_invariants = matches!(found, Verdict::True(Proof::Invariants(_) | Proof::ForAll(_)));
    assert!(is_by_invariants, "{found:?}");
}

#[track_caller]
fn is_refuted(text: &str) {
    let found = verdict(text);
    assert!(matches!(found, Verdict::False(_)), "{found:?}");
}

/// Fills an array, and reads it again.
fn filled(bound: &str, written: &str, checked: &str) -> String {
    format!(
        "int a[100000]; int main(void) {{ int i; int n = __VERIFIER_nondet_int();\n\
         __VERIFIER_assume(0 < n && n <= 100000);\n\
         for (i = 0; i < {bound}; i++) a[i] = {written};\n\
         for (i = 0; i < n; i++) if (!({checked})) reach_error(); }}"
    )
}

#[test]
fn what_holds_for_one_element_holds_for_all() {
    is_proved(&filled("n", "i + 3", "a[i] >= i + 2"));
}

#[test]
fn an_element_that_was_left_out_is_not_overlooked() {
    is_refuted(&filled("n - 1", "i + 3", "a[i] >= i + 2"));
    is_refuted(&filled("n", "i + 3", "a[i] >= i + 4"));
    is_refuted(&filled("n", "i == 2 ? 0 : 5", "a[i] == 5"));
}

#[test]
fn several_arrays_and_other_names_of_them() {
    let copy = |through: &str| {
        format!(
            "int a[1000], b[1000]; int main(void) {{ int i; int *p = {through};\n\
             for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();\n\
             for (i = 0; i < 1000; i++) b[i] = a[i];\n\
             p[5] = 1;\n\
             for (i = 0; i < 1000; i++) if (a[i] != b[i]) reach_error(); }}"
        )
    };
    is_refuted(&copy("a"));
    is_refuted(&copy("b"));
}

/// Builds a list, changes every value, and looks at all of them.
fn list(first: &str, change: &str, checked: &str) -> String {
    format!(
        "struct node {{ int pad; int val; struct node *next; }};\n\
         int main(void) {{ struct node *list = 0, *p;\n\
         while (__VERIFIER_nondet_int()) {{ int x = __VERIFIER_nondet_int();\n\
           p = malloc(sizeof *p); {first} p->next = list; list = p; }}\n\
         for (p = list; p; p = p->next) {{ {change} }}\n\
         for (p = list; p; p = p->next) if (!({checked})) reach_error(); }}"
    )
}

#[test]
fn lists_of_any_length() {
    let range = "__VERIFIER_assume(10 <= x && x <= 20); p->val = x;";
    is_proved(&list(range, "if (p->val < 20) p->val++;", "10 <= p->val && p->val <= 20"));
    is_refuted(&list(range, "p->val++;", "10 <= p->val && p->val <= 20"));
    is_refuted(&list(range, "if (p->next) p->next->val = 9;", "10 <= p->val && p->val <= 20"));
}

#[test]
fn a_field_that_nobody_wrote_can_hold_anything() {
    let found = verdict(&list("if (x) p->val = 1;", "", "p->val == 1"));
    assert!(!matches!(found, Verdict::True(_)), "{found:?}");
}

#[test]
fn pointers_into_the_middle_of_what_was_allocated() {
    // Every second int is 1, and the pointers lead to the others.
    let text = |step: &str| {
        format!(
            "struct node {{ int *where; struct node *next; }};\n\
             int main(void) {{ struct node *list = 0, *p;\n\
             while (__VERIFIER_nondet_int()) {{ int *two = malloc(2 * sizeof(int));\n\
               two[0] = 1; two[1] = 2; p = malloc(sizeof *p); p->where = two {step};\n\
               p->next = list; list = p; }}\n\
             for (p = list; p; p = p->next) if (*p->where != 1) reach_error(); }}"
        )
    };
    is_refuted(&text("+ 1"));
}
