//! The sequential program is well formed, and its runs are those of the two threads.

use gnomon_ir::validate::validate;
use gnomon_testkit::program;
use gnomon_threads::{NoThread, two_switches};

const SHARED: &str = "int x, y; static int twice(int a) { x = a; return 2 * a; }\n\
    void first(int n) { int local = n; local = local + 1; y = twice(local); }\n\
    void second(void) { int a[2]; a[0] = y; x = a[0]; }\n\
    int many(int n, ...) { return n; }";

#[test]
fn the_program_is_well_formed() {
    let switched = two_switches(&program(SHARED), None, "first", "second").expect("threads");
    let defects = validate(&switched.program);
    assert!(defects.is_empty(), "{defects:?}");
}

#[test]
fn switches_come_before_shared_operations_only() {
    let switched = two_switches(&program(SHARED), None, "first", "second").expect("threads");
    let points = |name: &str| {
        let func = switched.program.find_function(name).expect("a function");
        switched.switch_points().iter().filter(|(f, _)| *f == func).count()
    };
    assert_eq!(points("twice"), 1, "`x = a`");
    assert_eq!(points("second"), 2, "`a[0] = y` and `x = a[0]`");
    assert_eq!(points("many"), 0);
    assert_eq!(points(".threads"), 1, "at the end of the first thread");
}

#[test]
fn what_cannot_run_as_a_thread() {
    let program = program(SHARED);
    let absent = two_switches(&program, None, "first", "nobody").map(|_| ());
    assert_eq!(absent, Err(NoThread::NoFunction("nobody".into())));
    let variadic = two_switches(&program, None, "many", "second").map(|_| ());
    assert_eq!(variadic, Err(NoThread::Variadic("many".into())));
}
