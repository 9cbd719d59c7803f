//! What users read, pinned.

use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, Verdict, check, targets};
use gnomon_boolprog::project::project;
use gnomon_boolprog::read::{Dialect, ReadOptions, read};
use gnomon_boolprog::report;
use gnomon_boolprog::source::Source;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_budget::Budget;

const LOCK: &str = "\
decl locked;

bool acquire()
begin
    if (locked) then
        return F;
    fi
    locked := T;
    return T;
end

void main()
begin
    decl ok;
    locked := F;
    ok := acquire();
    assert(ok);
    ok := acquire();
    assert(ok);
    skip;
end
";

#[test]
fn a_counterexample() {
    let source = Source::new("lock.bp", LOCK);
    let result = read(&source, Dialect::BooleanProgram, &ReadOptions::default());
    let model = result.model.unwrap();
    let targets = targets(&model, true, &DEFAULT_LABELS);
    let options = CheckOptions { nodes: 1 << 16, ..CheckOptions::default() };
    let outcome = check(&model, &targets, &options, &Budget::unlimited()).unwrap();
    let Verdict::False(counterexample) = outcome.verdict else { panic!("{outcome:?}") };
    assert!(counterexample.shortest);
    let trace = report::trace(&source, &model, &counterexample.run);
    let shown: Vec<String> =
        report::trace_text(&trace).lines().map(|l| l.trim_end().to_owned()).collect();
    assert_eq!(
        shown,
        [
            "     start: locked=0 ok=0",
            "   15: main: locked := F",
            "   16: main: ok := acquire()",
            "    5:   acquire: if (locked)  then locked := T",
            "    8:   acquire: locked := T                           locked=1",
            "    9:   acquire: return T                              ok=1",
            "   17: main: assert(ok)  then ok := acquire()",
            "   18: main: ok := acquire()",
            "    5:   acquire: if (locked)  then return F",
            "    6:   acquire: return F                              ok=0",
            "   19: main: assert(ok)  fails",
            "       violated: assert(ok) at lock.bp:19:5",
        ]
    );
}

#[test]
fn a_projection_with_margins() {
    let source = Source::new("lock.bp", LOCK);
    let result = read(&source, Dialect::BooleanProgram, &ReadOptions::default());
    let model = result.model.unwrap();
    let budget = Budget::unlimited();
    let encoding = Encoding::new(&model, VariableOrder::Force, 1 << 16, &budget).unwrap();
    let found = project(&encoding, &model.assertion_failures(), &budget).unwrap();
    let statements = report::projection(&source, &encoding, &found).unwrap();
    let text = report::projection_text(&source, &statements);
    for line in [
        "+     6 |         return F;",
        "+       |    # fails if locked",
        "+    17 |     assert(ok);",
        "+       |    # fails if locked & ok",
        "-    20 |     skip;",
        "     12 | void main()",
    ] {
        assert!(text.contains(line), "no line {line:?} in\n{text}");
    }
    let dot = report::projection_dot(&model, &found);
    assert!(dot.starts_with("digraph projection {") && dot.contains("style=filled"));
}
