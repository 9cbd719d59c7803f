//! Compares what a run does with what points-to and mod-ref say that it may do.
//!
//! Every pointer that is loaded or was stored must be among those of the abstract location that
//! holds it; every load and store must be among what its edge may read and write, and among what
//! the edges of all open calls may, if their functions can see the object.
#![allow(dead_code, reason = "each program uses a part")]

pub mod generate;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gnomon_budget::Budget;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::{Effects, ModRef};
use gnomon_flow::points_to::{
    Method, ObjectId, ObjectKind, Objects, Offset, Options, PointsTo, Site,
};
use gnomon_ir::cfa::Op;
use gnomon_ir::interp::{
    self, Discarded, EdgeEvent, ObjectRef, Observer, PointerEvent, RunOptions, SeedSource, State,
    StoreEvent, interpret_observed,
};
use gnomon_ir::program::Program;

/// All analyses of a program.
pub struct Facts {
    pub points_to: PointsTo,
    pub calls: CallGraph,
    pub mod_ref: ModRef,
}

pub fn analyze(program: &Program, method: Method) -> Facts {
    let budget = Budget::unlimited();
    let options = Options { method, ..Options::default() };
    let points_to = PointsTo::analyze(program, &options, &budget).expect("no limits");
    let calls = CallGraph::new(program, &points_to, &budget).expect("no limits");
    let mod_ref = ModRef::compute(program, &points_to, &calls, &budget).expect("no limits");
    Facts { points_to, calls, mod_ref }
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub pointers: u64,
    pub accesses: u64,
}

/// Runs the program with inputs from a seed; the first thing that the analyses deny.
pub fn compare(
    program: &Program,
    facts: &Facts,
    seed: u64,
    steps: u64,
) -> Result<Compared, String> {
    let mut checker = Checker {
        program,
        facts,
        stack: Vec::new(),
        made: HashMap::new(),
        depth: HashMap::new(),
        effects: HashMap::new(),
        known: BTreeSet::new(),
        compared: Compared::default(),
        violation: None,
    };
    let budget = Budget::unlimited().with_steps(steps);
    let mut inputs = SeedSource::new(seed).answering_calls();
    interpret_observed(
        program,
        &RunOptions::default(),
        &mut inputs,
        &mut Discarded,
        &budget,
        &mut checker,
    );
    checker.violation.map_or(Ok(checker.compared), Err)
}

/// Runs a program and both methods.
pub fn compare_both(program: &Program, seeds: std::ops::Range<u64>) -> Result<Compared, String> {
    let mut total = Compared::default();
    for method in [Method::Inclusion, Method::Unification] {
        let facts = analyze(program, method);
        for seed in seeds.clone() {
            let compared = compare(program, &facts, seed, 300)
                .map_err(|violation| format!("{method:?}, seed {seed}: {violation}"))?;
            total.pointers += compared.pointers;
            total.accesses += compared.accesses;
        }
    }
    Ok(total)
}

struct Checker<'a> {
    program: &'a Program,
    facts: &'a Facts,
    /// The edge of each open call that runs now.
    stack: Vec<Site>,
    /// What a heap object may be.
    made: HashMap<ObjectRef, Vec<ObjectId>>,
    /// How many calls were open when a local object came to life.
    depth: HashMap<ObjectRef, usize>,
    effects: HashMap<Site, Effects>,
    /// Pointers that were compared before.
    known: BTreeSet<(ObjectId, u64, ObjectId, i64)>,
    compared: Compared,
    violation: Option<String>,
}

impl Checker<'_> {
    fn objects(&self) -> &Objects {
        self.facts.points_to.objects()
    }

    /// The objects of the analysis that an object of the run may be.
    fn candidates(&self, object: ObjectRef, kind: &interp::ObjectKind) -> Vec<ObjectId> {
        let objects = self.objects();
        match kind {
            interp::ObjectKind::Function(func) => vec![objects.function(*func)],
            interp::ObjectKind::Static(var) | interp::ObjectKind::Local(var) => {
                vec![objects.variable(*var)]
            }
            interp::ObjectKind::Heap | interp::ObjectKind::Alloca => {
                self.made.get(&object).cloned().unwrap_or_default()
            }
            interp::ObjectKind::VarArgs(_) => objects
                .iter()
                .filter(|(_, found)| matches!(found.kind, ObjectKind::VarArgs(_)))
                .map(|(id, _)| id)
                .collect(),
            interp::ObjectKind::Argument
            | interp::ObjectKind::Stream(_)
            | interp::ObjectKind::Library => vec![Objects::OUTSIDE],
        }
    }

    fn fail(&mut self, message: impl FnOnce(&Self) -> String) {
        if self.violation.is_none() {
            let site = self.stack.last().map(|site| self.show(*site)).unwrap_or_default();
            self.violation = Some(format!("{site}: {}", message(self)));
        }
    }

    fn show(&self, site: Site) -> String {
        let function = &self.program.funcs[site.function];
        let Some(body) = &function.body else { return function.name.clone() };
        let edge = body.edge(site.edge);
        let place = self.program.files.show(edge.span);
        format!("{place} in {} ({:?})", function.name, edge.op)
    }

    fn effects(&mut self, site: Site) -> &Effects {
        let (program, facts) = (self.program, self.facts);
        self.effects.entry(site).or_insert_with(|| {
            let points_to = &facts.points_to;
            facts.mod_ref.edge_effects(program, points_to, site.function, site.edge)
        })
    }

    /// Whether the edge, or a condition behind it, may access one of the alternatives.
    fn allows(&mut self, site: Site, alternatives: &[Vec<u32>], writes: bool) -> bool {
        let mut sites = vec![site];
        if !writes {
            // The conditions of a branch are evaluated before its edge is known.
            sites.extend(self.branches_behind(site));
        }
        sites.into_iter().any(|site| {
            let effects = self.effects(site);
            let set = if writes { &effects.writes } else { &effects.reads };
            alternatives.iter().any(|cells| cells.iter().all(|&cell| set.contains(cell)))
        })
    }

    /// The edges that may be taken next, in the same function or in one that is called.
    fn branches_behind(&self, site: Site) -> Vec<Site> {
        let mut found = Vec::new();
        if let Some(body) = &self.program.funcs[site.function].body {
            let next = body.out_edges(body.edge(site.edge).to).iter();
            found.extend(next.map(|&edge| Site { edge, ..site }));
        }
        let called = self.facts.points_to.callees(self.program, site.function, site.edge);
        for function in called.functions.into_iter().chain(called.callbacks) {
            if let Some(body) = &self.program.funcs[function].body {
                let first = body.out_edges(body.entry()).iter();
                found.extend(first.map(|&edge| Site { function, edge }));
            }
        }
        found
    }

    fn access(&mut self, event: &StoreEvent, writes: bool) {
        if self.violation.is_some() || self.stack.is_empty() {
            return;
        }
        self.compared.accesses += 1;
        let candidates = self.candidates(event.object, &event.kind);
        let cells = |id: &ObjectId| {
            let found = self.objects().cells_of_bytes(*id, event.offset, event.bytes);
            found.into_iter().map(|cell| cell.0).collect()
        };
        let alternatives: Vec<Vec<u32>> = candidates.iter().map(cells).collect();
        // The innermost edge does it, unless its call has just ended and the caller stores the
        // result.
        let mut inner = self.stack.len();
        loop {
            let site = self.stack[inner - 1];
            if self.allows(site, &alternatives, writes) {
                break;
            }
            let body = self.program.funcs[site.function].body.as_ref();
            let ended = body.is_some_and(|body| body.edge(site.edge).to == body.exit());
            if !ended || inner == 1 {
                let what = if writes { "writes" } else { "reads" };
                self.fail(|_| format!("{what} {event:?}, candidates {candidates:?}"));
                return;
            }
            inner -= 1;
        }
        let born = self.depth.get(&event.object).copied().unwrap_or(0);
        for at in (0..inner - 1).rev() {
            let site = self.stack[at];
            if born <= at + 1 && !self.allows(site, &alternatives, writes) {
                let what = if writes { "writes" } else { "reads" };
                self.fail(|checker| {
                    let call = checker.show(site);
                    format!("{what} {event:?}, which the call {call} is said not to")
                });
            }
        }
    }
}

impl Observer for Checker<'_> {
    fn edge(&mut self, event: EdgeEvent, _: &State<'_>) {
        self.stack.truncate(event.depth.saturating_sub(1));
        let site = Site { function: event.func, edge: event.edge };
        // Calls from inside the library have no edge of their own.
        while self.stack.len() + 1 < event.depth {
            self.stack.push(site);
        }
        if let Some(&caller) = self.stack.last() {
            let body = self.program.funcs[caller.function].body.as_ref();
            if let Some(Op::Call(_)) = body.map(|body| &body.edge(caller.edge).op) {
                let points_to = &self.facts.points_to;
                let called = points_to.callees(self.program, caller.function, caller.edge);
                let known = called.functions.contains(&event.func)
                    || called.callbacks.contains(&event.func);
                if !known {
                    self.fail(|checker| {
                        let name = &checker.program.funcs[event.func].name;
                        format!("{name} is called by {}", checker.show(caller))
                    });
                }
            }
        }
        self.stack.push(site);
    }

    fn allocated(&mut self, object: ObjectRef, kind: &interp::ObjectKind) {
        match kind {
            interp::ObjectKind::Heap | interp::ObjectKind::Alloca => {
                let here = self.stack.last().copied();
                let in_stack = |site: &Site| self.stack.contains(site);
                let found = |kind: ObjectKind| match kind {
                    ObjectKind::Allocated { site, context } => {
                        Some(site) == here && context.as_ref().is_none_or(in_stack)
                    }
                    _ => false,
                };
                let objects = self.objects().iter();
                let mut candidates: Vec<ObjectId> =
                    objects.filter(|(_, o)| found(o.kind)).map(|(id, _)| id).collect();
                if candidates.is_empty() {
                    // Made by a function that nothing is known of.
                    candidates.push(Objects::OUTSIDE);
                }
                self.made.insert(object, candidates);
                self.depth.remove(&object);
            }
            _ => {
                self.depth.insert(object, self.stack.len() + 1);
            }
        }
    }

    fn load(&mut self, event: &StoreEvent) {
        self.access(event, false);
    }

    fn store(&mut self, event: &StoreEvent) {
        self.access(event, true);
    }

    fn pointer(&mut self, event: &PointerEvent) {
        if self.violation.is_some() {
            return;
        }
        self.compared.pointers += 1;
        let holders = self.candidates(event.holder, &event.holder_kind);
        let targets = self.candidates(event.target, &event.target_kind);
        let key = (holders.first(), targets.first());
        if let (Some(&holder), Some(&target)) = key
            && holders.len() == 1
            && targets.len() == 1
            && !self.known.insert((holder, event.holder_offset, target, event.target_offset))
        {
            return;
        }
        let word = self.program.types.target().pointer_size();
        let held = holders.iter().any(|&holder| {
            let cells = self.objects().cells_of_bytes(holder, event.holder_offset, word);
            !cells.is_empty()
                && cells.iter().all(|&cell| {
                    let contents = self.facts.points_to.contents(cell);
                    contents.iter().any(|found| {
                        targets.contains(&found.object)
                            && includes(found.offset, event.target_offset)
                    })
                })
        });
        if !held {
            self.fail(|checker| {
                let cells: BTreeMap<ObjectId, Vec<_>> = holders
                    .iter()
                    .map(|&holder| {
                        let cells =
                            checker.objects().cells_of_bytes(holder, event.holder_offset, word);
                        let contents = cells.iter().map(|&c| checker.facts.points_to.contents(c));
                        (holder, contents.collect())
                    })
                    .collect();
                format!("{event:?}, targets {targets:?}, but {cells:?}")
            });
        }
    }
}

fn includes(offset: Offset, at: i64) -> bool {
    match offset {
        Offset::Exact(exact) => i128::from(exact) == i128::from(at),
        Offset::Modulo { remainder, modulus } => {
            i128::from(at).rem_euclid(i128::from(modulus)) == i128::from(remainder)
        }
    }
}
