//! Random walks through programs, first anywhere, then to a call of a chosen function.

use std::collections::VecDeque;
use std::time::Duration;

use gnomon_flow::slice::{MemoryFacts, Start};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::Move;

use crate::{Prepared, Rng, blocks, new_slicer, seconds, slice};

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
    kept: usize,
    time: Duration,
}

pub fn run(
    program: &Program,
    paths: u64,
    length: u64,
    seed: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let main = program.find_function("main").ok_or("no main")?;
    let prepared = Prepared::new(program)?;
    let facts = MemoryFacts::new(program, &prepared.points_to, &prepared.mod_ref);
    let mut slicer = new_slicer(&facts);
    let candidates: Vec<FuncId> = program
        .funcs
        .iter_ids()
        .filter(|(_, f)| f.body.is_some())
        .map(|(id, _)| id)
        .filter(|&f| functions_that_lead_to(program, f)[main.index()])
        .collect();
    println!("{} functions can be reached from main by direct calls", candidates.len());
    let mut rng = Rng(seed);
    let mut rows = Vec::new();
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
        let (found, time) = slice(&mut slicer, Start::at_entry(program, main), &walk.steps)?;
        rows.push(Row {
            target: program.funcs[target].name.clone(),
            steps: walk.steps.len(),
            blocks: blocks(program, &walk.steps),
            depth: walk.calls.len(),
            kept: found.kept_count(),
            time,
        });
    }
    rows.sort_by_key(|row| row.steps);
    println!("| blocks | steps | calls open | target | kept | kept of blocks | time |");
    println!("|---:|---:|---:|---|---:|---:|---:|");
    for row in &rows {
        println!(
            "| {} | {} | {} | `{}` | {} | {:.2}% | {:.1} ms |",
            row.blocks,
            row.steps,
            row.depth,
            row.target,
            row.kept,
            100.0 * row.kept as f64 / row.blocks as f64,
            1000.0 * row.time.as_secs_f64(),
        );
    }
    summary(&rows, slicer.written_between().pairs());
    Ok(())
}

fn summary(rows: &[Row], pairs: usize) {
    let blocks: usize = rows.iter().map(|row| row.blocks).sum();
    let kept: usize = rows.iter().map(|row| row.kept).sum();
    let time: Duration = rows.iter().map(|row| row.time).sum();
    let mut ratios: Vec<f64> =
        rows.iter().map(|row| 100.0 * row.kept as f64 / row.blocks as f64).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    println!(
        "{} paths, {blocks} blocks, {kept} kept ({:.2}%), median of kept {median:.2}%, {} in all, \
         {pairs} pairs of WrBt",
        rows.len(),
        100.0 * kept as f64 / blocks.max(1) as f64,
        seconds(time),
    );
}
