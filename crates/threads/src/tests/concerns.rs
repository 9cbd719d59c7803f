//! What functions are concerned with, with all that they call.

use gnomon_budget::Budget;

use super::program;
use crate::Options;
use crate::sequential::facts;
use crate::sharing::Concern;
use crate::stand_ins;

const PROGRAM: &str = "int common; pthread_mutex_t m;
    int plain(int n) { return n + 1; }
    int calls_plain(int n) { return plain(n) * 2; }
    int loops(int n) { while (n > 3) n--; return n; }
    int recursive(int n) { return n ? recursive(n - 1) : 0; }
    void ends(int n) { if (n) exit(1); }
    int shares(void) { return common; }
    int calls_shares(int n) { return loops(n) + shares(); }
    void locks(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
    void calls_locks(void) { common = plain(1); locks(); }
    void fails(int n) { if (n) reach_error(); }
    void *one(void *a) { common = plain(2); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, one, 0);
        calls_plain(1); recursive(3); ends(0); calls_shares(3); calls_locks(); fails(0); }";

fn concern(function: &str) -> Concern {
    let mut program = program(PROGRAM);
    stand_ins::add(&mut program);
    let entry = program.find_function("main").expect("main");
    let facts = facts(&program, entry, &Options::default(), &Budget::unlimited());
    let func = program.find_function(function).expect("a function");
    facts.unwrap_or_else(|_| panic!("no limit")).concerns.of(func)
}

#[test]
fn each_function_by_what_it_does_itself() {
    assert_eq!(concern("plain"), Concern::None);
    assert_eq!(concern("loops"), Concern::MayNotReturn);
    assert_eq!(concern("recursive"), Concern::MayNotReturn);
    assert_eq!(concern("ends"), Concern::MayNotReturn);
    assert_eq!(concern("shares"), Concern::Shares);
    assert_eq!(concern("locks"), Concern::Synchronises);
}

#[test]
fn each_function_by_what_it_calls() {
    assert_eq!(concern("calls_plain"), Concern::None);
    assert_eq!(concern("calls_shares"), Concern::Shares, "more than that it may not return");
    assert_eq!(concern("calls_locks"), Concern::Synchronises);
    assert_eq!(concern("fails"), Concern::None, "errors are not looked into");
}
