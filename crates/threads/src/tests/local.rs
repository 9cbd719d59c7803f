//! Steps that are nobody else's business, and variables whose values nobody needs any more.

use super::{name, sequential};
use crate::graph::{AT_START, ENDED};
use crate::{Sequential, ThreadInfo};

fn thread<'a>(sequential: &'a Sequential, start: &str) -> &'a ThreadInfo {
    let start = sequential.program.find_function(start).expect("a function");
    let found = sequential.threads.iter().find(|thread| thread.starts == [start]);
    found.expect("a thread")
}

/// The two threads and `main`, with a body of each thread.
fn text(one: &str, two: &str) -> String {
    format!(
        "int common, other;
         void *one(void *a) {{ {one} return 0; }}
         void *two(void *a) {{ {two} return 0; }}
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, one, 0);
             pthread_create(&u, 0, two, 0); return 0; }}"
    )
}

#[test]
fn a_thread_that_shares_nothing_can_go_first() {
    let found = sequential(&text("int n = 3; n = n * n;", "common = 1;"));
    assert!(thread(&found, "one").alone.contains(&AT_START));
}

#[test]
fn a_thread_before_a_shared_access_cannot() {
    let found = sequential(&text("common = 1; other = 2;", "common = 2; other = 3;"));
    let one = thread(&found, "one");
    assert!(one.points.len() >= 2, "{:?}", one.points);
    for (point, _) in &one.points {
        assert!(!one.alone.contains(&i128::from(*point)), "{point} of {:?}", one.alone);
    }
    assert!(!one.alone.contains(&ENDED), "there is no step left");
}

#[test]
fn values_that_are_not_read_again_are_dead() {
    let body = "int early = common, late = common; other = early; other = late; common = late;";
    let found = sequential(&text(body, "common = 1; other = 2;"));
    let one = thread(&found, "one");
    let dead = |point: i128| -> Vec<String> {
        one.dead[&point].iter().map(|&var| name(&found.program, var)).collect()
    };
    let is_dead = |point: i128, var: &str| dead(point).iter().any(|name| name.contains(var));
    // By the position in the line, the points are in the order of the text.
    let mut points = one.points.clone();
    points.sort_by_key(|(_, span)| (span.line, span.column));
    let [.., before_early, before_late, last] = points[..] else { panic!("{points:?}") };
    assert!(!is_dead(i128::from(before_early.0), "early"), "{:?}", one.dead);
    assert!(is_dead(i128::from(before_late.0), "early"), "{:?}", one.dead);
    assert!(!is_dead(i128::from(before_late.0), "late"), "{:?}", one.dead);
    assert!(!is_dead(i128::from(last.0), "late"), "{:?}", one.dead);
    assert!(is_dead(ENDED, "early") && is_dead(ENDED, "late"), "{:?}", one.dead);
}
