//! The interpreter's own limits hold whatever a program does.

use gnomon_budget::{Budget, Exhausted};
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_ir::interp::{Discarded, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;

fn outcome(text: &str, max_memory: u64) -> Outcome {
    outcome_of(text, max_memory, 10_000_000)
}

fn outcome_of(text: &str, max_memory: u64, steps: u64) -> Outcome {
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).expect("a source");
    let translation = translate(vec![source], Target::Lp64, &ParseOptions::default());
    assert!(translation.is_complete());
    let options = RunOptions { max_memory, ..RunOptions::default() };
    let budget = Budget::unlimited().with_steps(steps);
    interpret(&translation.program, &options, &mut ZeroSource, &mut Discarded, &budget).outcome
}

#[test]
fn many_small_objects_are_limited_as_few_large_ones() {
    let forever = "void *malloc(unsigned long); int main(void) { while (1) malloc(1); }";
    assert_eq!(outcome(forever, 64 << 20), Outcome::OutOfBudget(Exhausted::Memory));
    let few = "void *malloc(unsigned long);
        int main(void) { for (int i = 0; i < 1000; i++) malloc(1000); return 0; }";
    assert_eq!(outcome(few, 64 << 20), Outcome::Exit(0));
}

#[test]
fn what_is_done_with_many_bytes_at_once_counts() {
    let program = |bytes: &str, what: &str| {
        format!(
            "void *malloc(unsigned long); void *memset(void *, int, unsigned long);
            void *memcpy(void *, const void *, unsigned long);
            int memcmp(const void *, const void *, unsigned long);
            int main(void) {{ char *p = malloc({bytes}), *q = malloc({bytes}); {what} return 0; }}"
        )
    };
    let steps = 5_000;
    for what in ["memset(p, 1, BYTES);", "memcpy(p, q, BYTES);", "memcmp(p, p, BYTES);"] {
        let many = program("200000000ul", &what.replace("BYTES", "200000000ul"));
        assert_eq!(
            outcome_of(&many, 1 << 30, steps),
            Outcome::OutOfBudget(Exhausted::Steps),
            "{what}"
        );
        let few = program("100000ul", "memset(p, 1, 100000ul); memset(q, 1, 100000ul);");
        assert_eq!(outcome_of(&few, 1 << 30, steps), Outcome::Exit(0));
    }
}
