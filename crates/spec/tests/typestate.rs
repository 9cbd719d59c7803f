//! The typestate analysis on the programs under `tests/specs`: it never excludes an error that a
//! program has, and it excludes most of the errors that programs do not have.

mod ready;

use gnomon_budget::Budget;
use gnomon_dataflow::typestate::{Outcome, analyze};
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, PointsTo};
use gnomon_spec::{READY, Woven};
use gnomon_testkit::corpus;
use gnomon_testkit::header::Expected;

fn analyzed(woven: &Woven) -> Outcome {
    let (program, budget) = (&woven.program, Budget::unlimited());
    let points_to = PointsTo::analyze(program, &points_to::Options::default(), &budget);
    let points_to = points_to.expect("no limit");
    let calls = CallGraph::new(program, &points_to, &budget).expect("no limit");
    let mod_ref = ModRef::compute(program, &points_to, &calls, &budget).expect("no limit");
    let automaton = &woven.automata("main")[0];
    analyze(program, &points_to, &mod_ref, automaton, &budget).expect("no limit")
}

/// Sites in correct programs, and how many of them are excluded.
fn counted(spec: &str) -> (usize, usize) {
    let (mut sites, mut excluded) = (0, 0);
    for case in corpus::specs(spec) {
        let name = &case.name;
        let woven = ready::woven(spec, &case);
        let outcome = analyzed(&woven);
        if case.header.expected == Expected::True {
            sites += woven.violations.len();
            excluded += outcome.excluded.len();
            for v in &woven.violations {
                if !outcome.excluded.contains(&(v.func, v.edge)) {
                    println!("{name}:{}: {}: not excluded", v.span.line, v.message);
                }
            }
            continue;
        }
        let mut has_it = false;
        for v in &woven.violations {
            let here = format!("{} {}", v.span.line, v.message) == case.header.rest;
            has_it |= here && !outcome.excluded.contains(&(v.func, v.edge));
        }
        assert!(has_it, "{name}: the error is excluded: {}", case.header.rest);
    }
    (sites, excluded)
}

#[test]
fn no_error_is_excluded_and_most_others_are() {
    let (mut sites, mut excluded) = (0, 0);
    for ready in READY {
        let (all, found) = counted(ready.name);
        println!("{}: {found} of {all}", ready.name);
        sites += all;
        excluded += found;
    }
    assert!(excluded * 2 > sites, "only {excluded} of {sites}");
}

/// The lines of the sites that are not excluded.
fn left(spec: &str, text: &str) -> Vec<u32> {
    let woven = ready::woven_text(spec, text);
    let outcome = analyzed(&woven);
    let sites = woven.violations.iter();
    let left = sites.filter(|v| !outcome.excluded.contains(&(v.func, v.edge)));
    let mut lines: Vec<u32> = left.map(|v| v.span.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

const DESCRIPTORS: &str = "int open(const char *, int, ...); int close(int); long read(int, void *, unsigned long);
int fcntl(int, int, ...); int atoi(const char *); int pipe(int *); extern int printf(const char *, ...);
";

#[test]
fn numbers_that_nobody_knows_are_descriptors_only_where_they_can_be() {
    // A wrapper replaces the numbers of standard streams: it never sees another one.
    let wrapper = format!(
        "{DESCRIPTORS}
static int safe(int d) {{ if (0 <= d && d <= 2) {{ int e = fcntl(d, 0, 3); close(d); d = e; }} return d; }}
int current;
int main(int argc, char **argv) {{
    char c;
    for (int i = 0; i < argc; i++) {{
        current = safe(open(argv[i], 0));
        if (current < 0) continue;
        read(current, &c, 1);
        close(current);
    }}
    return 0;
}}"
    );
    assert!(left("fd", &wrapper).is_empty(), "{:?}", left("fd", &wrapper));
    let twice =
        wrapper.replace("        close(current);", "        close(current); close(current);");
    assert_eq!(left("fd", &twice), [12]);
    // What was read from outside may be the number of what was closed, and so may a constant.
    for number in ["atoi(argv[1])", "5", "argc * 3"] {
        let text = format!(
            "{DESCRIPTORS}int main(int argc, char **argv) {{
    int d = open(argv[0], 0);
    if (d < 0) return 1;
    close(d);
    close({number});
    return 0;
}}"
        );
        assert_eq!(left("fd", &text), [7], "{number}");
    }
}

#[test]
fn a_new_number_from_a_wrapper_is_followed() {
    let text = format!(
        "{DESCRIPTORS}
static int opened(const char *name) {{ int d = open(name, 0); return d; }}
struct input {{ int number; int descriptor; }};
static void finish(struct input *in) {{ close(in->descriptor); }}
int main(int argc, char **argv) {{
    struct input in = {{ 0, -1 }};
    int ends[2];
    in.descriptor = opened(argv[0]);
    if (in.descriptor < 0 || pipe(ends) < 0) return 1;
    finish(&in);
    close(ends[0]);
    return 0;
}}"
    );
    assert!(left("fd", &text).is_empty(), "{:?}", left("fd", &text));
    let twice = text.replace("    finish(&in);", "    finish(&in); finish(&in);");
    assert_eq!(left("fd", &twice), [6]);
}

const STREAMS: &str = "typedef struct _IO_FILE FILE; extern FILE *stderr; FILE *fopen(const char *, const char *);
int fclose(FILE *); int fgetc(FILE *); int fprintf(FILE *, const char *, ...); char *gettext(const char *);
";

#[test]
fn calls_in_one_expression_come_in_any_order() {
    let program = |expression: &str| {
        format!(
            "{STREAMS}int main(int argc, char **argv) {{
    FILE *f = fopen(argv[0], \"r\");
    if (!f) return 1;
    {expression};
    return 0;
}}"
        )
    };
    assert_eq!(left("file", &program("int n = fgetc(f) + fclose(f)")), [6]);
    assert_eq!(left("file", &program("fgetc(f) + fclose(f)")), [6]);
    assert_eq!(left("file", &program("int n = (fgetc(f) ? 1 : 0) + fclose(f)")), [6]);
    assert_eq!(left("file", &program("int n = fgetc(f) + (argc ? fclose(f) : 0)")), [6]);
    // Here it is open nowhere.
    let none: [u32; 0] = [];
    assert_eq!(left("file", &program("int n = fgetc(f) == 0 && fclose(f)")), none);
    assert_eq!(left("file", &program("fprintf(f, \"%d\", fgetc(f))")), none);
    assert_eq!(left("file", &program("int n = fgetc(f); fclose(f)")), none);
    assert_eq!(left("file", &program("int n = fgetc(f), m = fclose(f)")), none);
}

#[test]
fn printing_keeps_nothing_and_a_variable_of_main_is_one() {
    let text = format!(
        "{STREAMS}
struct output {{ FILE *stream; int lines; }};
static void start(struct output *o, const char *name) {{ o->stream = fopen(name, \"w\"); }}
static void stop(struct output *o) {{ if (o->stream) fclose(o->stream); }}
int main(int argc, char **argv) {{
    struct output o;
    char text[9] = \"a\";
    start(&o, argv[0]);
    while (o.stream) {{
        fprintf(o.stream, \"%s\", text);
        fprintf(stderr, gettext(\"written\"));
        stop(&o);
        o.stream = 0;
        start(&o, argv[1]);
    }}
    return 0;
}}"
    );
    assert!(left("file", &text).is_empty(), "{:?}", left("file", &text));
    let used = text.replace("        o.stream = 0;", "        fprintf(o.stream, \"%s\", text);");
    assert_eq!(left("file", &used), [15]);
}
