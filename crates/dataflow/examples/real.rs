//! Measures the analyses on real programs.
//!
//! ```text
//! cargo run --release -p gnomon-dataflow --example real -- GLOBALS LOCALS FILE.i...
//! ```
//!
//! Prints one line each for affine relations at all branch points (FWPDS against saturation), for
//! BTRACE with eight marked points and the last line of `main` that is reached as goal (FWPDS against saturation), for
//! BTRACE after a procedure was taken out and put back (incremental in memory against from scratch), and
//! for both analyses after a statement of a procedure was changed (weights of the other procedures from
//! files, as with `--cache`, against from scratch).

use std::path::PathBuf;
use std::time::Instant;

use gnomon_budget::Budget;
use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::btrace::stack::StackFrame;
use gnomon_dataflow::btrace::touched::{Touched, TouchedWeight};
use gnomon_dataflow::btrace::{BtraceProblem, SeenLine};
use gnomon_dataflow::kept::{Shelf, WrittenWeights};
use gnomon_dataflow::points::{Point, branch_points};
use gnomon_dataflow::supergraph::{CONTROL, Origin, Supergraph};
use gnomon_flow::points_to::{Options, PointsTo};
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::types::Target;
use gnomon_wpds::domains::affine::{AffineRelations, Modular};
use gnomon_wpds::{
    Configuration, Fwpds, FwpdsOptions, Rhs, RuleId, SaturationOptions, Semiring, Solution,
    TopWeights, Wpds, poststar, prestar, weight_of,
};

fn load(files: &[String]) -> Option<Program> {
    let sources = files
        .iter()
        .map(|f| SourceBuffer::new(f, std::fs::read(f).ok()?).ok())
        .collect::<Option<Vec<_>>>()?;
    let translation = translate(sources, Target::Lp64, &ParseOptions::default());
    if !translation.is_complete() {
        // What cannot be translated is left out: the figures are about the rest.
        println!("not complete:\n{}", translation.render(Severity::Error));
    }
    Some(translation.program)
}

/// Lines with something in them that do not come from headers of the system.
fn own_lines(files: &[String]) -> usize {
    let mut lines = std::collections::BTreeSet::new();
    for text in files.iter().filter_map(|f| std::fs::read_to_string(f).ok()) {
        let (mut file, mut number) = (String::new(), 0u32);
        for line in text.lines() {
            if let Some(marker) = line.strip_prefix("# ") {
                let mut words = marker.split_whitespace();
                number = words.next().and_then(|w| w.parse().ok()).unwrap_or(number);
                file = words.next().unwrap_or("").trim_matches('"').to_owned();
            } else {
                if !line.trim().is_empty() && !file.starts_with("/usr") && !file.starts_with('<') {
                    lines.insert((file.clone(), number));
                }
                number += 1;
            }
        }
    }
    lines.len()
}

/// Entries in files.
struct Files(PathBuf);

impl Shelf for Files {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(name)).ok()
    }

    fn put(&self, name: &str, content: &[u8]) {
        let _ = std::fs::write(self.0.join(name), content);
    }
}

/// The most memory that this process had, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let number = line.and_then(|l| l.split_whitespace().next());
    number.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

fn affine(program: &Program, points_to: &PointsTo, end: Point, limits: VariableLimits) {
    let entry = end.func;
    let options = AffineOptions { arithmetic: Arithmetic::Modular(32), limits };
    let Ok(ring) = Modular::new(32) else { return };
    let start = Instant::now();
    let Ok(problem) = AffineProblem::new(program, points_to, entry, ring, options) else { return };
    println!(
        "affine: {} places, {} rules, system in {:.2} s",
        problem.variables().count(),
        problem.system().rules().count(),
        seconds(start)
    );
    let points: Vec<Point> = (problem.graph().functions().iter())
        .flat_map(|&func| {
            let body = program.funcs[func].body.as_ref();
            body.map(branch_points)
                .unwrap_or_default()
                .into_iter()
                .map(move |loc| Point { func, loc })
        })
        .collect();
    let budget = || Budget::unlimited().with_time(std::time::Duration::from_secs(240));
    let start = Instant::now();
    let outcome = problem.solve(&budget()).and_then(|solution| {
        let tops = TopWeights::new(&solution)?;
        let mut found = 0;
        let mut reached = 0;
        for &point in &points {
            let relations = problem.relations_at(&solution, &tops, point)?;
            found += usize::from(!relations.all().is_empty());
            reached += 1;
        }
        Ok((found, reached))
    });
    match outcome {
        Ok((found, reached)) => println!(
            "affine FWPDS: {:.2} s, {} branch points, relations at {found}, {} MB",
            seconds(start),
            reached,
            memory()
        ),
        Err(error) => println!("affine FWPDS: {error} after {:.2} s", seconds(start)),
    }
    let start = Instant::now();
    let options = SaturationOptions { budget: budget(), ..SaturationOptions::default() };
    let outcome = poststar(problem.system(), problem.start(), &options).and_then(|solution| {
        let tops = TopWeights::new(&solution)?;
        for &point in &points {
            problem.relations_at(&solution, &tops, point)?;
        }
        Ok(())
    });
    match outcome {
        Ok(()) => println!("affine saturation: {:.2} s, {} MB", seconds(start), memory()),
        Err(error) => println!("affine saturation: {error} after {:.2} s", seconds(start)),
    }
    let Some(symbol) = problem.graph().symbol(entry, end.loc) else { return };
    let end = Configuration { control: CONTROL, stack: vec![symbol] };
    let solve = |system: &Wpds<AffineRelations<Modular>>, files: Option<&Files>| {
        let start = Instant::now();
        let kept = files.map(|files| problem.kept(files));
        let mut solution =
            Fwpds::poststar(system, problem.start(), FwpdsOptions::default()).ok()?;
        if let Some(kept) = &kept {
            solution = solution.with_store(kept);
        }
        let weight = weight_of(&solution, &end).ok()?;
        Some((weight, seconds(start), kept.map_or((0, 0), |kept| kept.counts())))
    };
    let system = (problem.system(), problem.origins());
    let edited = problem.system().domain().assign(&[(0, 1, &[(0, 1)])]);
    with_files("affine", system, problem.graph().functions(), &edited, solve);
}

/// A weight, the seconds it took, and how many groups of procedures were recalled and solved.
type Solved<W> = (W, f64, (u64, u64));

/// Changes a statement of every so-manieth procedure, and solves with the weights of the unchanged
/// system in files, and from scratch.
fn with_files<S: WrittenWeights, F>(
    what: &str,
    (system, origins): (&Wpds<S>, &[Origin]),
    functions: &[FuncId],
    edited: &S::Weight,
    solve: F,
) where
    F: Fn(&Wpds<S>, Option<&Files>) -> Option<Solved<S::Weight>>,
{
    let directory = std::env::temp_dir().join(format!("gnomon-real-{}", std::process::id()));
    if std::fs::create_dir_all(&directory).is_err() {
        return;
    }
    let files = Files(directory);
    let first = solve(system, Some(&files)).map_or(f64::NAN, |(_, time, _)| time);
    let (mut again, mut scratch, mut solved, mut rounds) = (0.0, 0.0, 0, 0u32);
    for &func in functions.iter().step_by((functions.len() / 12).max(1)).take(12) {
        let own: Vec<RuleId> = (system.rules())
            .filter(|(id, rule)| {
                matches!(origins[id.index()], Origin::Edge(f, _) if f == func)
                    && matches!(rule.rhs, Rhs::Step(_))
            })
            .map(|(id, _)| id)
            .collect();
        let Some(&id) = own.get(own.len() / 2) else { continue };
        let mut changed = system.clone();
        let Some(rule) = system.rule(id) else { continue };
        let Rhs::Step(to) = rule.rhs else { continue };
        let Ok(weight) = system.domain().extend(&rule.weight, edited) else { continue };
        if changed.remove_rule(id).is_err()
            || changed.add_step((rule.from, rule.top), (rule.to, to), weight).is_err()
        {
            continue;
        }
        let (Some((new, time, counts)), Some((old, slow, _))) =
            (solve(&changed, Some(&files)), solve(&changed, None))
        else {
            continue;
        };
        assert!(new == old, "results with and without files differ");
        again += time;
        scratch += slow;
        solved += counts.1;
        rounds += 1;
    }
    let _ = std::fs::remove_dir_all(&files.0);
    if rounds > 0 {
        let n = f64::from(rounds);
        println!(
            "{what} with files: first run {first:.3} s; {rounds} procedures changed, {:.1} groups solved again, {:.3} s against {:.3} s from scratch ({:.1} times)",
            solved as f64 / n,
            again / n,
            scratch / n,
            scratch / again
        );
    }
}

/// The last line of the entry function that can be reached; many programs end by `exit` there.
fn last_point(program: &Program, points_to: &PointsTo, entry: FuncId) -> Option<Point> {
    let limits = VariableLimits { globals: 0, locals: 0 };
    let options = AffineOptions { arithmetic: Arithmetic::Modular(8), limits };
    let ring = Modular::new(8).ok()?;
    let problem = AffineProblem::new(program, points_to, entry, ring, options).ok()?;
    let solution = problem.solve(&Budget::unlimited()).ok()?;
    let body = program.funcs[entry].body.as_ref()?;
    let mut by_line: Vec<(u32, LocId)> =
        body.edges().iter().map(|e| (e.span.line, e.from)).collect();
    by_line.sort_unstable();
    let is_reached = |loc: LocId| {
        let stack = vec![problem.graph().symbol(entry, loc)?];
        let weight = weight_of(&solution, &Configuration { control: CONTROL, stack }).ok()?;
        Some(!problem.system().domain().is_zero(&weight))
    };
    let last = by_line.into_iter().rev().find(|(_, loc)| is_reached(*loc) == Some(true))?;
    Some(Point { func: entry, loc: last.1 })
}

/// Eight lines at a fixed distance, and the line of a point.
fn question(program: &Program, graph: &Supergraph, end: Point) -> (Vec<StackFrame>, Vec<SeenLine>) {
    let mut lines = Vec::new();
    for &func in graph.functions() {
        let Some(body) = &program.funcs[func].body else { continue };
        let spans = body.edges().iter().map(|e| e.span).filter(|s| !s.is_none());
        lines.extend(spans.map(|s| (program.files.name(s.file).to_owned(), s.line)));
    }
    let step = (lines.len() / 8).max(1);
    let mut seen: Vec<SeenLine> = Vec::new();
    for (file, line) in lines.into_iter().skip(step / 2).step_by(step).take(8) {
        seen.push(SeenLine { file, line });
    }
    let body = program.funcs[end.func].body.as_ref();
    let spans = body.map(|b| b.out_edges(end.loc).iter().map(|&e| b.edge(e).span));
    let last = spans.and_then(|mut spans| spans.find(|s| !s.is_none()));
    let place = last.map(|s| (program.files.name(s.file).to_owned(), s.line));
    (vec![StackFrame { function: program.funcs[end.func].name.clone(), place }], seen)
}

/// A system without the rules of a function but for its return.
fn without<S: Semiring>(
    system: &Wpds<S>,
    origin: &dyn Fn(RuleId) -> Origin,
    func: FuncId,
) -> Option<(Wpds<S>, Vec<RuleId>)> {
    let mut smaller = system.clone();
    let mut gone = Vec::new();
    for (id, _) in system.rules() {
        let owner = match origin(id) {
            Origin::Edge(f, _) | Origin::Resume(f, _) => f,
            Origin::Enter { caller, .. } => caller,
            Origin::Exit(_) => continue,
        };
        if owner == func {
            smaller.remove_rule(id).ok()?;
            gone.push(id);
        }
    }
    Some((smaller, gone))
}

fn btrace(program: &Program, points_to: &PointsTo, end: Point) {
    let entry = end.func;
    let graph = Supergraph::new(program, points_to, entry);
    let (stack, seen) = question(program, &graph, end);
    let problem = match BtraceProblem::new(program, points_to, entry, &stack, seen) {
        Ok(problem) => problem,
        Err(error) => return println!("btrace: {error}"),
    };
    let body = program.funcs[entry].body.as_ref();
    let Some(symbol) = body.and_then(|b| problem.graph().symbol(entry, b.entry())) else { return };
    let start_config = Configuration { control: CONTROL, stack: vec![symbol] };
    let start = Instant::now();
    let budget = Budget::unlimited();
    let best = problem.solve(&budget).and_then(|s| weight_of(&s, &start_config));
    let fast = seconds(start);
    let start = Instant::now();
    let goal = problem.goal().weighted(&problem.system().domain().one());
    let plain = prestar(problem.system(), &goal, &SaturationOptions::default())
        .and_then(|s| weight_of(&s, &start_config));
    let slow = seconds(start);
    let shown = best.as_ref().ok().and_then(|w| w.best(0));
    let query = |solution: &Fwpds<'_, Touched>| weight_of(solution, &start_config).ok();
    println!(
        "btrace: {} symbols, {} procedures, FWPDS {fast:.2} s, saturation {slow:.2} s, agree {}, best {:?}, {} MB",
        problem.graph().symbol_count(),
        problem.graph().functions().len(),
        best == plain,
        shown.map(|(marks, length)| (marks.count_ones(), length)),
        memory()
    );
    incremental(&problem, &start_config);
    let solve = |system: &Wpds<Touched>, files: Option<&Files>| {
        let start = Instant::now();
        let kept = files.map(|files| problem.kept(files));
        let mut solution = Fwpds::prestar(system, &goal, FwpdsOptions::default()).ok()?;
        if let Some(kept) = &kept {
            solution = solution.with_store(kept);
        }
        let weight = query(&solution)?;
        Some((weight, seconds(start), kept.map_or((0, 0), |kept| kept.counts())))
    };
    let system = (problem.system(), problem.origins());
    let edited = TouchedWeight::path(0, 1);
    with_files("btrace", system, problem.graph().functions(), &edited, solve);
}

/// Takes out every so-manieth procedure, solves, puts it back, and solves again in both ways.
fn incremental(problem: &BtraceProblem, start_config: &Configuration) {
    let functions = problem.graph().functions();
    let goal = problem.goal().weighted(&problem.system().domain().one());
    let (mut again, mut scratch, mut recomputed, mut rounds) = (0.0, 0.0, 0, 0);
    let origin = |rule: RuleId| problem.origin(rule);
    for &func in functions.iter().step_by((functions.len() / 12).max(1)).take(12) {
        if func == problem.graph().entry() {
            continue;
        }
        let Some((smaller, gone)) = without(problem.system(), &origin, func) else { continue };
        let Ok(first) = Fwpds::prestar(&smaller, &goal, FwpdsOptions::default()) else { continue };
        if weight_of(&first, start_config).is_err() {
            continue;
        }
        // The rules come back with new numbers.
        let mut whole = smaller.clone();
        for id in gone {
            let Some(rule) = problem.system().rule(id) else { continue };
            let rhs: Vec<_> = match rule.rhs {
                Rhs::Pop => Vec::new(),
                Rhs::Step(to) => vec![to],
                Rhs::Push(to, below) => vec![to, below],
            };
            let to = (rule.to, rhs.as_slice());
            let _ =
                whole.add_rule((rule.from, rule.top), to, rule.weight.clone(), rule.merge.clone());
        }
        let start = Instant::now();
        let Ok((updated, report)) = first.update(&whole) else { continue };
        let new = weight_of(&updated, start_config);
        let time = seconds(start);
        let start = Instant::now();
        let Ok(fresh) = Fwpds::prestar(&whole, &goal, FwpdsOptions::default()) else { continue };
        let old = weight_of(&fresh, start_config);
        if report.out_nodes_recomputed < 2 {
            continue;
        }
        scratch += seconds(start);
        again += time;
        recomputed += report.out_nodes_recomputed;
        rounds += 1;
        assert!(new == old, "incremental and fresh results differ");
        let _ = updated.shape();
    }
    if rounds > 0 {
        let n = f64::from(rounds);
        println!(
            "btrace incremental: {rounds} procedures, {:.1} recomputed, {:.3} s against {:.3} s from scratch ({:.1} times)",
            f64::from(recomputed as u32) / n,
            again / n,
            scratch / n,
            scratch / again
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|a| a.parse().ok()).unwrap_or(4);
    let limits = VariableLimits { globals: number(), locals: number() };
    let files: Vec<String> = arguments.collect();
    println!("{} files, {} lines of their own", files.len(), own_lines(&files));
    let start = Instant::now();
    let Some(program) = load(&files) else { return println!("not read") };
    let Some(entry) = program.find_function("main").filter(|f| program.funcs[*f].body.is_some())
    else {
        return println!("no main");
    };
    println!("read in {:.2} s", seconds(start));
    let start = Instant::now();
    let Ok(points_to) = PointsTo::analyze(&program, &Options::default(), &Budget::unlimited())
    else {
        return;
    };
    println!("points-to in {:.2} s, {} MB", seconds(start), memory());
    let Some(end) = last_point(&program, &points_to, entry) else {
        return println!("nothing of main is reached");
    };
    btrace(&program, &points_to, end);
    affine(&program, &points_to, end, limits);
}
