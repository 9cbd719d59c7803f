//! Which threads can be exchanged without anybody noticing.

use super::{name, sequential};
use crate::symmetric::symmetric;

/// The members of each class of the threads of a program.
fn classes(text: &str) -> Vec<Vec<usize>> {
    symmetric(&sequential(text)).classes.into_iter().map(|class| class.members).collect()
}

/// Three threads of one function, with a body.
fn three(body: &str) -> String {
    format!(
        "int count; int array[4]; pthread_t ids[3]; pthread_mutex_t m;
         void *one(void *a) {{ {body} return 0; }}
         int main(void) {{ pthread_t t, u, v;
             pthread_create(&t, 0, one, 0); pthread_create(&u, 0, one, 0);
             pthread_create(&v, 0, one, 0); return count; }}"
    )
}

const LOCKED: &str = "pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m);";

#[test]
fn threads_of_one_function_are_one_class() {
    assert_eq!(classes(&three(LOCKED)), [[1, 2, 3]]);
}

#[test]
fn every_member_has_its_own_variables() {
    let found = sequential(&three("int own = count; count = own + 1;"));
    let symmetric = symmetric(&found);
    let [class] = &symmetric.classes[..] else { panic!("one class: {symmetric:?}") };
    assert_eq!(class.vars.len(), 3);
    let of = |member: usize| -> Vec<String> {
        class.vars[member].iter().map(|&var| name(&found.program, var)).collect()
    };
    for member in 1..3 {
        assert_eq!(of(member).len(), of(0).len());
        assert!(class.vars[0].iter().all(|var| !class.vars[member].contains(var)));
    }
    let common = class.vars.iter().flatten();
    assert!(common.map(|&var| name(&found.program, var)).all(|name| name != "count"));
}

#[test]
fn functions_that_differ_make_classes_of_their_own() {
    let found = classes(
        "int count; void *one(void *a) { count++; return 0; }
         void *two(void *a) { count--; return 0; }
         int main(void) { pthread_t t;
             pthread_create(&t, 0, one, 0); pthread_create(&t, 0, two, 0);
             pthread_create(&t, 0, one, 0); pthread_create(&t, 0, two, 0); return 0; }",
    );
    assert_eq!(found, [[1, 3], [2, 4]]);
}

#[test]
fn other_arguments_make_other_threads() {
    let found = classes(
        "int count; void *one(void *a) { count += (int)(long)a; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, one, (void *)1);
             pthread_create(&t, 0, one, (void *)2); pthread_create(&t, 0, one, (void *)1);
             return 0; }",
    );
    assert_eq!(found, [[1, 3]]);
}

#[test]
fn who_computes_with_numbers_of_threads_is_like_nobody() {
    assert_eq!(classes(&three("count = (int)pthread_self() + 1;")), [] as [Vec<usize>; 0]);
    assert_eq!(classes(&three("array[pthread_self() & 3] = 1;")), [] as [Vec<usize>; 0]);
    // Numbers may be copied, and compared with one another.
    assert_eq!(classes(&three("count = (int)pthread_self();")), [[1, 2, 3]]);
    let compared = "pthread_t me = pthread_self(); if (me == pthread_self()) count++;";
    assert_eq!(classes(&three(compared)), [[1, 2, 3]]);
}
