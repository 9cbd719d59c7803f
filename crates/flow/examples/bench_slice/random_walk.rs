//! Random walks through programs, first anywhere, then to a call of a chosen function.

use std::collections::VecDeque;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_flow::slice::unsatisfiable::Probe;
use gnomon_flow::slice::{
    Endings, MemoryFacts, Options, Slice, Slicer, Start, StepGraph, Undefined,
};
use gnomon_ir::arena::Id;
use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
use gnomon_ir::cfa::{Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Move, Theory};
use gnomon_logic::{Limits, Solver, Terms, Z3Solver};

use crate::{Prepared, Rng, blocks, new_slicer, seconds, slice, timed};

/// Calls deeper than this are not entered by chance.
const MAX_DEPTH: usize = 24;

/// Where a walk is, and how it came there.
pub struct Walk<'p> {
    program: &'p Program,
    target: FuncId,
    /// By function: how far each location is from a call that leads to the target, if there is one;
    /// by number of edges.
    to_call: Vec<Vec<u32>>,
    /// The same for the exit.
    to_exit: Vec<Vec<u32>>,
    pub calls: Vec<(FuncId, EdgeId)>,
    func: FuncId,
    loc: LocId,
    pub steps: Vec<Move>,
}

const FAR: u32 = u32::MAX;

impl<'p> Walk<'p> {
    pub fn new(program: &'p Program, main: FuncId, target: FuncId) -> Self {
        let leads = functions_that_lead_to(program, target);
        let near = |measure: &dyn Fn(&Cfa) -> Vec<u32>| -> Vec<Vec<u32>> {
            let bodies = program.funcs.iter().map(|function| function.body.as_ref());
            bodies.map(|body| body.map_or_else(Vec::new, measure)).collect()
        };
        let to_call = near(&|body| {
            distances(body, |edge| {
                called(&body.edge(edge).op).is_some_and(|f| f == target || leads[f.index()])
            })
        });
        let to_exit = near(&|body| backwards(body, [body.exit()].into_iter().collect()));
        let loc = program.funcs[main].body.as_ref().map_or(LocId(0), Cfa::entry);
        let calls = Vec::new();
        Self { program, target, to_call, to_exit, calls, func: main, loc, steps: Vec::new() }
    }

    fn body(&self) -> &'p Cfa {
        match &self.program.funcs[self.func].body {
            Some(body) => body,
            None => unreachable!("walks are in functions with a body"),
        }
    }

    fn enter_or_pass(&mut self, edge: EdgeId) {
        let body = self.body();
        let callee = called(&body.edge(edge).op);
        match callee.filter(|&f| self.program.funcs[f].body.is_some()) {
            Some(callee) if self.calls.len() < 10 * MAX_DEPTH => {
                self.steps.push(Move::Enter { caller: self.func, edge, callee });
                self.calls.push((self.func, edge));
                self.func = callee;
                self.loc = self.body().entry();
            }
            _ => {
                self.steps.push(Move::Edge(self.func, edge));
                self.loc = body.edge(edge).to;
            }
        }
    }

    /// Goes on by the edge of that number.
    pub fn take(&mut self, number: usize) {
        let edge = self.body().out_edges(self.loc)[number];
        self.enter_or_pass(edge);
    }

    /// Whether the walk is at a branch whose second edge leads out of a loop.
    pub fn would_leave_loop(&self) -> bool {
        self.body().out_edges(self.loc).len() == 2
    }

    fn leave(&mut self) -> bool {
        let Some((caller, edge)) = self.calls.pop() else { return false };
        self.steps.push(Move::Leave { caller, edge, callee: self.func });
        self.func = caller;
        self.loc = self.body().edge(edge).to;
        true
    }

    /// Whether the walk can still go where it must behind an edge: to the exit, and in the first
    /// function to a call that leads to the target.
    fn may_go_on(&self, edge: EdgeId) -> bool {
        let to = self.body().edge(edge).to.index();
        match self.calls.is_empty() {
            true => self.to_call[self.func.index()][to] != FAR,
            false => self.to_exit[self.func.index()][to] != FAR,
        }
    }

    fn chosen(&self, rng: &mut Rng) -> Option<EdgeId> {
        let edges = self.body().out_edges(self.loc).iter().copied();
        let edges: Vec<EdgeId> = edges.filter(|&edge| self.may_go_on(edge)).collect();
        (!edges.is_empty()).then(|| edges[rng.below(edges.len())])
    }

    /// Goes on by chance for about so many steps; ends before it could not get to the target.
    pub fn by_chance(&mut self, rng: &mut Rng, count: usize) {
        for _ in 0..count {
            if self.loc == self.body().exit() {
                if !self.leave() {
                    return;
                }
                continue;
            }
            let Some(edge) = self.chosen(rng) else { return };
            self.enter_or_pass(edge);
        }
    }

    /// Goes on to the next call of the target; whether there is a way.
    pub fn go_to_target(&mut self, rng: &mut Rng) -> bool {
        let limit = self.steps.len() + 100_000;
        while self.steps.len() < limit {
            let body = self.body();
            if self.loc == body.exit() {
                if !self.leave() {
                    return false;
                }
                continue;
            }
            let edges = body.out_edges(self.loc);
            let is_target = |&e: &EdgeId| called(&body.edge(e).op) == Some(self.target);
            if edges.iter().any(is_target) {
                return true;
            }
            let Some(nearer) = self.nearer() else { return false };
            // Sometimes another way: paths through loops are longer.
            let other = if rng.below(8) == 0 { self.chosen(rng) } else { None };
            self.enter_or_pass(other.unwrap_or(nearer));
        }
        false
    }

    /// The edge that leads nearer to a call that leads to the target, else nearer to the exit.
    fn nearer(&self) -> Option<EdgeId> {
        let body = self.body();
        let to_call = &self.to_call[self.func.index()];
        let edges = body.out_edges(self.loc);
        if to_call[self.loc.index()] == 0 {
            return edges.iter().copied().find(|&e| called(&body.edge(e).op).is_some());
        }
        let distances = match to_call[self.loc.index()] {
            FAR => &self.to_exit[self.func.index()],
            _ => to_call,
        };
        let far = |e: &EdgeId| distances[body.edge(*e).to.index()];
        edges.iter().copied().min_by_key(far).filter(|e| far(e) != FAR)
    }
}

fn called(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call(call) => match call.callee {
            Callee::Direct(func) => Some(func),
            Callee::Indirect(_) => None,
        },
        _ => None,
    }
}

/// By function: whether a direct call in it, or in what it calls, is of the target.
fn functions_that_lead_to(program: &Program, target: FuncId) -> Vec<bool> {
    let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); program.funcs.len()];
    for (func, function) in program.funcs.iter_ids() {
        for edge in function.body.iter().flat_map(|body| body.edges().iter()) {
            if let Some(callee) = called(&edge.op) {
                callers[callee.index()].push(func);
            }
        }
    }
    let mut leads = vec![false; program.funcs.len()];
    let mut work = vec![target];
    while let Some(func) = work.pop() {
        for &caller in &callers[func.index()] {
            if !std::mem::replace(&mut leads[caller.index()], true) {
                work.push(caller);
            }
        }
    }
    leads
}

fn distances(body: &Cfa, found: impl Fn(EdgeId) -> bool) -> Vec<u32> {
    let ids = body.edges().ids();
    backwards(body, ids.filter(|&edge| found(edge)).map(|edge| body.edge(edge).from).collect())
}

fn backwards(body: &Cfa, mut work: VecDeque<LocId>) -> Vec<u32> {
    let mut distances = vec![FAR; body.loc_count()];
    for loc in &work {
        distances[loc.index()] = 0;
    }
    while let Some(loc) = work.pop_front() {
        for &edge in body.in_edges(loc) {
            let from = body.edge(edge).from;
            if distances[from.index()] == FAR {
                distances[from.index()] = distances[loc.index()] + 1;
                work.push_back(from);
            }
        }
    }
    distances
}

struct Row {
    target: String,
    steps: usize,
    blocks: usize,
    depth: usize,
    /// How many steps each way of slicing kept, and the time that it took.
    kept: Vec<(usize, Duration)>,
    stopped_early: bool,
}

/// The ways of slicing.
const WAYS: [(&str, Options); 3] = [
    (
        "complete",
        Options {
            skip_functions: false,
            endings: Endings::Kept,
            undefined: Undefined::Absent,
            record_points: false,
        },
    ),
    (
        "without endings",
        Options {
            skip_functions: false,
            endings: Endings::Absent,
            undefined: Undefined::Absent,
            record_points: false,
        },
    ),
    (
        "functions skipped",
        Options {
            skip_functions: true,
            endings: Endings::Absent,
            undefined: Undefined::Absent,
            record_points: false,
        },
    ),
];

pub fn run(
    program: &Program,
    paths: u64,
    length: u64,
    seed: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let main = program.find_function("main").ok_or("no main")?;
    let prepared = Prepared::new(program)?;
    let facts = MemoryFacts::new(program, &prepared.points_to, &prepared.mod_ref);
    let mut slicers: Vec<Slicer<'_>> =
        WAYS.iter().map(|(_, options)| new_slicer(&facts, *options)).collect();
    let candidates: Vec<FuncId> = program
        .funcs
        .iter_ids()
        .filter(|(_, f)| f.body.is_some())
        .map(|(id, _)| id)
        .filter(|&f| functions_that_lead_to(program, f)[main.index()])
        .collect();
    println!("{} functions can be reached from main by direct calls", candidates.len());
    let (mut encoder, mut terms) = (Encoder::new(program, Theory::Int), Terms::new());
    let mut solver = Z3Solver::integers();
    let mut rng = Rng(seed);
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..paths * 20 {
        if rows.len() as u64 == paths {
            break;
        }
        let target = candidates[rng.below(candidates.len())];
        let mut walk = Walk::new(program, main, target);
        let chance = rng.below(length as usize);
        walk.by_chance(&mut rng, chance);
        if walk.loc == walk.body().exit() && walk.calls.is_empty()
            || !walk.go_to_target(&mut rng)
            || walk.steps.len() < 200
        {
            continue;
        }
        let start = Start::at_entry(program, main);
        let mut kept = Vec::new();
        for slicer in &mut slicers {
            let (found, time) = slice(slicer, start.clone(), &walk.steps)?;
            kept.push((found.kept_count(), time));
        }
        let graph = StepGraph::path(start, &walk.steps);
        solver.push();
        let limits = Limits::default().with_resources(200_000);
        let mut probe = Probe::new(&mut encoder, &mut terms, &mut solver, limits).without_memory();
        let (found, time) = timed(|| {
            slicers[0].slice_until_unsatisfiable(&graph, &mut probe, &Budget::unlimited())
        });
        solver.pop();
        let found = found?;
        if paths == 1 {
            show(program, &walk.steps, &found);
        }
        kept.push((found.kept_count(), time));
        rows.push(Row {
            target: program.funcs[target].name.clone(),
            steps: walk.steps.len(),
            blocks: blocks(program, &walk.steps),
            depth: walk.calls.len(),
            kept,
            stopped_early: found.cut.stopped_early,
        });
    }
    rows.sort_by_key(|row| row.steps);
    let ways: Vec<&str> = WAYS.iter().map(|(name, _)| *name).chain(["early stop"]).collect();
    println!("| blocks | steps | calls open | target | {} |", ways.join(" | "));
    println!("|---:|---:|---:|---|{}", "---:|".repeat(ways.len()));
    for row in &rows {
        let cells: Vec<String> = row
            .kept
            .iter()
            .map(|(kept, time)| {
                let percent = 100.0 * *kept as f64 / row.steps as f64;
                format!("{kept} ({percent:.2}%) {:.0} ms", 1000.0 * time.as_secs_f64())
            })
            .collect();
        let Row { blocks, steps, depth, target, .. } = row;
        println!("| {blocks} | {steps} | {depth} | `{target}` | {} |", cells.join(" | "));
    }
    println!();
    println!("| slicing | paths | steps | kept | median | time | longest |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (way, name) in ways.iter().enumerate() {
        summary(&rows, name, way);
    }
    let early = rows.iter().filter(|row| row.stopped_early).count();
    println!("{early} of {} paths were seen to be infeasible", rows.len());
    let pairs: Vec<usize> = slicers.iter().map(|s| s.written_between().pairs()).collect();
    println!("pairs of WrBt: {pairs:?}");
    Ok(())
}

/// What was kept, for people.
fn show(program: &Program, steps: &[Move], slice: &Slice) {
    let names = UniqueNames(program);
    let c = CText::new(program, &names, Fidelity::Readable);
    for at in slice.kept_edges() {
        let text = match steps[at] {
            Move::Edge(func, edge) => {
                let op = program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op);
                match op {
                    Some(Op::Assume(e)) => format!("assume {}", c.expr(*e)),
                    Some(Op::Assign { dst, src }) => {
                        format!("{} = {}", c.place(*dst), c.expr(*src))
                    }
                    Some(Op::Call(call)) => {
                        let callee = called(&Op::Call(call.clone()));
                        let name = callee.map_or("*", |f| &program.funcs[f].name);
                        format!("{} = {name}()", call.dst.map_or("_".into(), |dst| c.place(dst)))
                    }
                    other => format!("{other:?}"),
                }
            }
            other => format!("{other:?}"),
        };
        println!("{at}: {text}");
    }
}

fn summary(rows: &[Row], name: &str, way: usize) {
    let steps: usize = rows.iter().map(|row| row.steps).sum();
    let kept: usize = rows.iter().map(|row| row.kept[way].0).sum();
    let time: Duration = rows.iter().map(|row| row.kept[way].1).sum();
    let longest = rows.iter().map(|row| row.kept[way].1).max().unwrap_or_default();
    let ratio = |row: &Row| 100.0 * row.kept[way].0 as f64 / row.steps as f64;
    let mut ratios: Vec<f64> = rows.iter().map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    println!(
        "| {name} | {} | {steps} | {kept} ({:.2}%) | {median:.2}% | {} | {} |",
        rows.len(),
        100.0 * kept as f64 / steps.max(1) as f64,
        seconds(time),
        seconds(longest),
    );
}
