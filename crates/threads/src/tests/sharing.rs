//! What more than one thread can see.

use std::collections::BTreeSet;

use gnomon_budget::Budget;

use super::{name, program};
use crate::loops::Cycles;
use crate::operands::for_each_place;
use crate::sharing::Sharing;
use crate::stand_ins;

/// The variables of the user whose accesses are shared, and `*` for accesses through pointers.
fn shared(text: &str) -> BTreeSet<String> {
    let mut program = program(text);
    let entry = program.find_function("main").expect("main");
    stand_ins::add(&mut program);
    let cycles = Cycles::of(&program);
    let sharing = Sharing::of(&program, entry, &cycles, &Budget::unlimited()).expect("no limit");
    let mut found = BTreeSet::new();
    for own in ["main", "one", "two"] {
        let Some(body) = program.find_function(own).and_then(|f| program.funcs[f].body.as_ref())
        else {
            continue;
        };
        for edge in body.edges().iter() {
            for_each_place(&program, &edge.op, &mut |place, _| {
                if sharing.is_shared(&program, place) {
                    let root = program.exprs.root_var(place);
                    found.insert(root.map_or("*".to_owned(), |var| name(&program, var)));
                }
            });
        }
    }
    found
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn what_one_thread_writes_and_another_touches() {
    let found = shared(
        "int both, read_only_here, mine, constant = 3;
         void *one(void *a) { both = constant; read_only_here = 1; mine++; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, one, 0);
             return both + constant + read_only_here; }",
    );
    assert_eq!(found, names(&["both", "read_only_here"]), "nobody writes `constant`");
}

#[test]
fn a_function_that_is_started_twice_meets_itself() {
    let text = |second: &str| {
        format!(
            "int counter; void *one(void *a) {{ counter++; return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, one, 0); {second} return 0; }}"
        )
    };
    assert_eq!(shared(&text("")), names(&[]));
    assert_eq!(shared(&text("pthread_create(&t, 0, one, 0);")), names(&["counter"]));
    let in_a_loop = text("while (__VERIFIER_nondet_int()) pthread_create(&t, 0, one, 0);");
    assert_eq!(shared(&in_a_loop), names(&["counter"]));
}

#[test]
fn what_a_thread_is_given_can_be_seen_by_it() {
    let text = |argument: &str| {
        format!(
            "void *one(void *a) {{ *(int *)a = 1; return 0; }}
             int main(void) {{ pthread_t t; int given = 0, kept = 0; int *p = &kept; *p = 2;
                 pthread_create(&t, 0, one, {argument}); return given + kept + *p; }}"
        )
    };
    assert_eq!(shared(&text("&given")), names(&["*", "given"]));
    assert_eq!(shared(&text("&kept")), names(&["*", "kept"]));
}

#[test]
fn the_heap_is_shared_where_both_have_it() {
    let text = |published: &str| {
        format!(
            "int *common; void *one(void *a) {{ if (common) *common = 1; return 0; }}
             int main(void) {{ pthread_t t; int *own = malloc(4); *own = 5; {published}
                 pthread_create(&t, 0, one, 0); return *own; }}"
        )
    };
    assert_eq!(shared(&text("")), names(&[]));
    assert_eq!(shared(&text("common = own;")), names(&["*", "common"]));
}

#[test]
fn variables_of_threads_are_their_own() {
    let found = shared(
        "_Thread_local int own; void *one(void *a) { own = 1; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); return own; }",
    );
    assert_eq!(found, names(&[]));
}
