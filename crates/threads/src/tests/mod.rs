//! Small programs with threads, and what is found out about them.

mod concerns;
mod local;
mod sequential;
mod sharing;
mod symmetric;

use gnomon_budget::Budget;
use gnomon_ir::program::{Program, VarId, source_name};
use gnomon_testkit::Reader;

use crate::{Options, Rounds, Sequential, primitives, sequentialize};

const DECLARATIONS: &str = "typedef unsigned long pthread_t;
typedef struct { int lock; unsigned count; int owner; unsigned users; int kind; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern pthread_t pthread_self(void);
extern void *malloc(unsigned long);
extern void exit(int);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
";

/// How many lines stand before a text.
const BEFORE: u32 = 11;

/// A program whose primitives have the bodies that `check` gives them.
fn program(text: &str) -> Program {
    let text = format!("{DECLARATIONS}{text}");
    Reader::default().with_own_models(primitives::MODELS).text(&text)
}

/// The sequential program without a bound on rounds.
fn sequential(text: &str) -> Sequential {
    let options = Options { rounds: Rounds::Unbounded, ..Options::default() };
    sequentialize(&program(text), &options, &Budget::unlimited()).expect("can be reduced")
}

fn name(program: &Program, var: VarId) -> String {
    source_name(&program.vars[var].name).to_owned()
}
