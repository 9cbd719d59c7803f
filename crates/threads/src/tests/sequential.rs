//! The sequential program: its threads, where they can stop, what it refuses, and what it does.

use gnomon_budget::Budget;
use gnomon_ir::interp::RunOptions;
use gnomon_ir::validate::validate;

use super::{BEFORE, program, sequential};
use crate::schedules::{Schedules, explore};
use crate::{Options, Refused, sequentialize};

const LOST_UPDATE: &str =
    "int count; void *one(void *a) { int n = count; count = n + 1; return 0; }
    int main(void) { pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, one, 0);
        pthread_join(t, 0); pthread_join(u, 0); if (count != 2) reach_error(); return 0; }";

fn refused(text: &str, options: &Options) -> Refused {
    let made = sequentialize(&program(text), options, &Budget::unlimited());
    match made {
        Ok(_) => panic!("it can be reduced"),
        Err(refused) => refused,
    }
}

/// Whether some schedule reaches an error; all are executed.
fn has_error(text: &str) -> bool {
    let errors = vec!["reach_error".to_owned()];
    let options = RunOptions { error_functions: errors, ..RunOptions::default() };
    match explore(&sequential(text), &options, &Budget::unlimited()) {
        Schedules::Error(_) => true,
        Schedules::All { .. } => false,
        Schedules::Open { why, .. } => panic!("{why}"),
    }
}

#[test]
fn it_is_well_formed_and_starts_with_the_driver() {
    let made = sequential(LOST_UPDATE);
    assert_eq!(validate(&made.program), []);
    assert!(made.program.find_function(&made.entry).is_some());
    assert_eq!(made.threads.len(), 3);
    assert_eq!(made.threads[0].starts, [made.program.find_function("main").expect("main")]);
}

#[test]
fn threads_stop_before_shared_accesses() {
    let made = sequential(
        "int common, own; void *one(void *a) {
             int n = 1;
             own = n;
             common = own;
             n++;
             return 0;
         }
         int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); return common; }",
    );
    let lines: Vec<u32> = made.threads[1].points.iter().map(|(_, span)| span.line).collect();
    assert!(lines.contains(&(BEFORE + 4)), "{lines:?}");
    for local in [BEFORE + 2, BEFORE + 3, BEFORE + 5] {
        assert!(!lines.contains(&local), "{lines:?}");
    }
}

#[test]
fn edges_are_found_again_in_every_thread_that_has_them() {
    let original = program(LOST_UPDATE);
    let made = sequential(LOST_UPDATE);
    let one = original.find_function("one").expect("a function");
    let body = original.funcs[one].body.as_ref().expect("a body");
    let (edge, _) = body.edges().iter_ids().next().expect("an edge");
    let of_threads: Vec<usize> = (0..3)
        .filter(|&number| {
            let func = made.threads[number].func;
            made.edges_of(one, edge).iter().any(|(found, _)| *found == func)
        })
        .collect();
    assert_eq!(of_threads, [1, 2]);
}

#[test]
fn a_call_in_a_loop_makes_as_many_threads_as_it_may() {
    let count = |creation: &str, threads_per_call: usize| {
        let text = format!(
            "void *one(void *a) {{ return 0; }}
             int main(void) {{ pthread_t t; {creation} pthread_create(&t, 0, one, 0); return 0; }}"
        );
        let options = Options { threads_per_call, ..Options::default() };
        let made = sequentialize(&program(&text), &options, &Budget::unlimited());
        made.expect("can be reduced").threads.len()
    };
    assert_eq!([1, 2, 5].map(|most| count("", most)), [2, 2, 2]);
    let in_a_loop = [1, 2, 5].map(|most| count("while (__VERIFIER_nondet_int())", most));
    assert!(in_a_loop[1] == in_a_loop[0] + 1 && in_a_loop[2] == in_a_loop[0] + 4, "{in_a_loop:?}");
}

#[test]
fn what_it_does_not_know_it_refuses_by_name() {
    let text = "extern int pthread_cancel(pthread_t); void *one(void *a) { return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); return pthread_cancel(t); }";
    let told = refused(text, &Options::default());
    assert!(told.to_string().contains("pthread_cancel"), "{told}");
    let options = Options { entry: "start".to_owned(), ..Options::default() };
    let told = refused(LOST_UPDATE, &options);
    assert!(told.to_string().contains("start"), "{told}");
}

#[test]
fn all_schedules_are_those_of_the_threads() {
    assert!(has_error(LOST_UPDATE));
    let together = LOST_UPDATE
        .replace(
            "int n = count; count = n + 1;",
            "pthread_mutex_lock(&m); int n = count;\n count = n + 1; pthread_mutex_unlock(&m);",
        )
        .replace("int count;", "int count; pthread_mutex_t m;");
    assert!(!has_error(&together));
    // One of them alone has nobody to lose an update to.
    let alone = LOST_UPDATE
        .replace("pthread_create(&u, 0, one, 0);", "")
        .replace("pthread_join(u, 0);", "")
        .replace("count != 2", "count != 1");
    assert!(!has_error(&alone));
}
