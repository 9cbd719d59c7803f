//! The examples of the paper on path slicing, with the slices that it gives.

mod slice_support;

use gnomon_budget::Budget;
use gnomon_flow::slice::unsatisfiable::Probe;
use gnomon_flow::slice::{Options, Slice, Slicer, Start, StepGraph};
use gnomon_ir::program::Program;
use gnomon_logic::encode::{Encoder, Move, Theory};
use gnomon_logic::{Limits, Terms, Z3Solver};
use slice_support::{Analysis, Walk, compile, step_text};

fn slice(program: &Program, steps: &[Move], options: Options) -> Slice {
    let analysis = Analysis::of(program);
    let facts = analysis.facts(program);
    let main = program.find_function("main").unwrap();
    let mut slicer = Slicer::new(&facts, options);
    slicer.slice_path(Start::at_entry(program, main), steps, &Budget::unlimited()).unwrap()
}

fn path(program: &Program, conditions: &[&str]) -> Vec<Move> {
    let main = program.find_function("main").unwrap();
    Walk::new(program, main).find_target(conditions)
}

fn kept(program: &Program, steps: &[Move], slice: &Slice) -> Vec<String> {
    slice.kept_edges().map(|at| step_text(program, steps[at])).collect()
}

/// Figure 1 without the shaded code (what stands between the two marks).
const EX2: &str = "
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a, x, c, i;
int f(int n) { int s = 0; for (int k = 0; k < n; k++) s = s + k; return s; }
int main(void) {
  /*shaded*/
  c = 0;
  for (i = 1; i <= 1000; i++)
    c = c + f(i);
  if (a >= 0)
    if (x == 0)
      reach_error();
  return 0;
}";

fn ex2_shaded() -> String {
    EX2.replace("/*shaded*/", "if (a >= 0) x = 1;")
}

#[test]
fn ex2_is_reachable_without_the_loop() {
    let program = compile(EX2);
    let once = ["i <= 1000", "k < n", "k >= n", "i > 1000", "a >= 0", "x == 0"];
    let steps = path(&program, &once);
    let slice = slice(&program, &steps, Options { record_points: true, ..Options::default() });
    assert_eq!(kept(&program, &steps, &slice), ["a >= 0", "x == 0"]);
    assert!(slice.cut.is_complete() && slice.cut.may_loop);
    assert_eq!(slice.cut.claim(), "reachable if the skipped code terminates");
}

/// The live set and the step location at each point, from the end of the path to its start, as
/// annotated in Figure 1 (C); locations by what happens there.
#[test]
fn ex2_has_the_live_sets_and_step_locations_of_figure_1() {
    let program = compile(&ex2_shaded());
    let conditions = ["a < 0", "i <= 1000", "k >= n", "i > 1000", "a >= 0", "x == 0"];
    let steps = path(&program, &conditions);
    let options = Options { record_points: true, ..Options::default() };
    let slice = slice(&program, &steps, options);
    assert_eq!(kept(&program, &steps, &slice), ["a < 0", "a >= 0", "x == 0"]);
    // The location of a node is where the step behind it starts.
    let main = program.find_function("main").unwrap();
    let body = slice_support::body(&program, main);
    let here = |at: usize| match steps.get(at) {
        Some(&Move::Edge(func, edge)) if func == main => Some(body.edge(edge).from),
        _ => None,
    };
    let position = |text: &str| steps.iter().position(|&s| step_text(&program, s) == text).unwrap();
    let [zero, five, six, err] =
        [position("a < 0"), position("a >= 0"), position("x == 0"), steps.len()];
    let target = match steps.last() {
        Some(&Move::Edge(_, edge)) => body.edge(edge).to,
        _ => unreachable!("the path ends with a condition"),
    };
    for (node, point) in slice.points.iter().enumerate() {
        let Some(point) = point else {
            // Inside of `f`, which is cut as a whole.
            assert!(here(node).is_none(), "{node}");
            continue;
        };
        let mut live: Vec<String> =
            point.live.iter().map(|value| value.display(&program)).collect();
        live.sort();
        let (expected_live, expected_step): (&[&str], _) = match node {
            node if node == err => (&[], target),
            node if node == six => (&["x"], here(six).unwrap()),
            node if node > zero => (&["a", "x"], here(five).unwrap()),
            _ => (&["a", "x"], here(zero).unwrap()),
        };
        assert_eq!(
            (&live[..], point.step),
            (&expected_live.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..], expected_step),
            "node {node}"
        );
    }
    assert!(slice.points.iter().filter(|p| p.is_none()).count() > 2, "the path goes through f");
}

#[test]
fn the_slice_of_ex2_with_the_shaded_code_is_unsatisfiable_and_found_early() {
    let program = compile(&ex2_shaded());
    let conditions = ["a < 0", "i <= 1000", "k >= n", "i > 1000", "a >= 0", "x == 0"];
    let steps = path(&program, &conditions);
    let analysis = Analysis::of(&program);
    let facts = analysis.facts(&program);
    let main = program.find_function("main").unwrap();
    let mut slicer = Slicer::new(&facts, Options::default());
    let (mut encoder, mut terms) = (Encoder::new(&program, Theory::Int), Terms::new());
    let mut solver = Z3Solver::integers();
    let mut probe = Probe::new(&mut encoder, &mut terms, &mut solver, Limits::default());
    let graph = StepGraph::path(Start::at_entry(&program, main), &steps);
    let slice = slicer.slice_until_unsatisfiable(&graph, &mut probe, &Budget::unlimited()).unwrap();
    assert_eq!(probe.not_encoded(), []);
    assert!(slice.cut.stopped_early && !slice.cut.is_complete());
    assert_eq!(kept(&program, &steps, &slice), ["a < 0", "a >= 0", "x == 0"]);

    // Without the shaded code nothing stops it.
    let program = compile(EX2);
    let steps = path(&program, &["i <= 1000", "k >= n", "i > 1000", "a >= 0", "x == 0"]);
    let analysis = Analysis::of(&program);
    let facts = analysis.facts(&program);
    let mut slicer = Slicer::new(&facts, Options::default());
    let (mut encoder, mut terms) = (Encoder::new(&program, Theory::Int), Terms::new());
    let mut solver = Z3Solver::integers();
    let mut probe = Probe::new(&mut encoder, &mut terms, &mut solver, Limits::default());
    let main = program.find_function("main").unwrap();
    let graph = StepGraph::path(Start::at_entry(&program, main), &steps);
    let slice = slicer.slice_until_unsatisfiable(&graph, &mut probe, &Budget::unlimited()).unwrap();
    assert!(!slice.cut.stopped_early && slice.kept_count() == 2);
}

/// Figure 2: a program slice would keep `complex`.
const EX1: &str = "
extern void reach_error(void);
int a, x;
int complex(int n) { int d = 2; while (n % d != 0) d = d + 1; return d; }
int main(void) {
  int r = complex(91);
  if (a > 0) x = r; else x = 0;
  if (x == 0) reach_error();
  return 0;
}";

#[test]
fn ex1_loses_the_complex_function() {
    let program = compile(EX1);
    let steps = path(&program, &["n % d == 0", "a <= 0", "x == 0"]);
    let slice = slice(&program, &steps, Options::default());
    assert_eq!(kept(&program, &steps, &slice), ["a <= 0", "x = 0", "x == 0"]);
    assert_eq!(slice.cut.claim(), "reachable if the skipped code terminates");
}

#[test]
fn ex1_keeps_the_complex_function_where_its_result_is_used() {
    let program = compile(EX1);
    let steps = path(&program, &["n % d == 0", "a > 0", "x == 0"]);
    let slice = slice(&program, &steps, Options::default());
    let kept = kept(&program, &steps, &slice);
    assert!(
        kept.contains(&"return d".to_owned()) && kept.contains(&"x = r".to_owned()),
        "{kept:?}"
    );
}

/// Figure 4: a file that could not be opened is read, far from where opening it failed.
const FIGURE_4: &str = "
extern void reach_error(void);
extern int getrlimit_fails(void);
extern int printf(const char *, ...);
extern int __VERIFIER_nondet_int(void);
struct file { int open; int lines; } file;
int pids[4], count, verbose, dirs;
struct file *ftpd_popen(int program) {
  int i, rlim;
  for (i = 0; i < 4; i++) pids[i] = 0;
  rlim = __VERIFIER_nondet_int();
  if (rlim != 0) return (struct file *)0;
  count = count + 1;
  return &file;
}
void statfilecmd(int name) {
  struct file *fin;
  dirs = dirs + name;
  if (verbose) printf(\"status\");
  fin = ftpd_popen(name);
  printf(\"lines\");
  while (count > 0) count = count - 1;
  if (fin == 0) reach_error();
}
int main(void) {
  int cmd = __VERIFIER_nondet_int();
  if (cmd > 7) verbose = 1;
  if (cmd == 3) statfilecmd(cmd);
  return 0;
}";

#[test]
fn figure_4_shows_where_the_null_pointer_comes_from() {
    let program = compile(FIGURE_4);
    let conditions =
        ["cmd <= 7", "cmd == 3", "verbose == 0", "i < 4", "i >= 4", "rlim != 0", "count <= 0"];
    let conditions: Vec<&str> = conditions.into_iter().chain(["fin == NULL"]).collect();
    let steps = path(&program, &conditions);
    let slice = slice(&program, &steps, Options::default());
    assert_eq!(
        kept(&program, &steps, &slice),
        [
            "cmd = __VERIFIER_nondet_int()",
            "cmd == 3",
            "enter statfilecmd",
            "enter ftpd_popen",
            "rlim = __VERIFIER_nondet_int()",
            "rlim != 0",
            "return NULL",
            "leave ftpd_popen",
            "fin == NULL",
        ]
    );
}

/// Deep in a stack of calls (PS 4.2): the conditions of the calls need not matter.
const STACK: &str = "
extern void reach_error(void);
int mode, level, x;
void inner(void) { level = level + 1; if (x == 0) reach_error(); }
void middle(void) { if (mode > 3) { level = 2; if (level != 2) inner(); } }
int main(void) { x = 0; if (mode < 9) middle(); return 0; }";

#[test]
fn functions_are_skipped_on_demand_and_the_slice_says_so() {
    let program = compile(STACK);
    let steps = path(&program, &["mode < 9", "mode > 3", "level != 2", "x == 0"]);
    let full = slice(&program, &steps, Options::default());
    let names = kept(&program, &steps, &full);
    assert!(names.contains(&"level != 2".to_owned()) && full.cut.is_complete(), "{names:?}");
    let options = Options { skip_functions: true, ..Options::default() };
    let skipped = slice(&program, &steps, options);
    assert_eq!(
        kept(&program, &steps, &skipped),
        ["x = 0", "mode < 9", "enter middle", "enter inner", "x == 0"]
    );
    assert!(!skipped.cut.is_complete() && skipped.cut.skipped_functions == 1);
    assert_eq!(skipped.cut.claim(), "reachable if there are paths through the skipped functions");
}
