//! Reachability: all abstract states, by the call tree, until none is new or an error is met.
//!
//! States are kept where paths meet and at loop heads; between them, paths are followed without being
//! remembered. The search is breadth first, so error paths are short. When an error is met that the
//! values of its path refute, more is tracked and the search begins anew; an error that they do not
//! refute is handed out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::control::{Control, ControlId, ControlSpace, Target};
use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::unsupported::{Construct, Unsupported};
use gnomon_ir::cfa::Op;
use gnomon_ir::expr::Bits;
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_logic::encode::Move;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::eval::{Machine, Stop};
use crate::live::Live;
use crate::slots::{Root, SlotId};
use crate::state::{State, Value};
use crate::transfer::Stepped;

/// How far the search came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to explore.
    More,
    /// No error is reached.
    Proved,
    /// Everything was explored, but some errors are not refuted by values.
    NotRefuted,
    /// An error is reached by this path, as far as values tell.
    Error(Vec<Move>),
    /// It is of no use to go on.
    GivenUp(String),
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States that were kept, of all searches.
    pub states: u64,
    /// States that others covered.
    pub covered: u64,
    /// Steps that were made.
    pub steps: u64,
    /// Paths that were refuted by values.
    pub refinements: u64,
}

/// The work of a step.
const STEP_WORK: u64 = 4;
/// So many scalars of a state cost one unit more, since states are copied.
const SCALARS_PER_UNIT: u64 = 64;
/// More states than this are not kept.
const MAX_STATES: usize = 2_000_000;
/// Nor are states with more values than this in all, which is half a gigabyte, at loop heads and
/// where they wait.
const MAX_VALUES: usize = 10_000_000;
/// So many states are kept before counters are looked for; then twice as many each time.
const FIRST_LOOK: usize = 50_000;
/// A counter with more values than this at one loop head is not followed further.
const MANY_VALUES: usize = 1_000;
/// So many states that say little are asked whether they cover a new one.
const GENERAL: usize = 24;

/// A state at a place.
pub(crate) struct Node {
    pub(crate) place: ControlId,
    /// Proofs are about loop heads. Elsewhere it is gone when its successors are there.
    pub(crate) state: Option<Rc<State>>,
    parent: Option<u32>,
    /// The steps from the parent.
    steps: Box<[Move]>,
}

/// What is known of a place, whatever is tracked.
struct Info {
    steps: Vec<(Move, Target)>,
    /// Whether states are kept there.
    is_stop: bool,
    is_loop_head: bool,
}

/// What a state is recognised by. Two states with the same one would have to be met by a chance of one
/// in 2^128; and the checker of proofs would see what is missing then.
type Fingerprint = (u64, u64);

fn fingerprint(state: &State) -> Fingerprint {
    let (mut one, mut other) = (FxHasher::default(), DefaultHasher::new());
    state.hash(&mut one);
    state.hash(&mut other);
    (one.finish(), other.finish())
}

/// The states of a place.
#[derive(Default)]
struct Met {
    all: FxHashSet<Fingerprint>,
    /// Those that say least.
    general: Vec<Rc<State>>,
}

/// A path that is being followed from a node.
struct Strand {
    place: ControlId,
    state: State,
    steps: Vec<Move>,
}

/// The analysis of a program.
pub struct Values<'a> {
    facts: &'a Facts<'a>,
    pub(crate) machine: Machine<'a>,
    pub(crate) space: ControlSpace<'a>,
    pub(crate) start: ControlId,
    pub(crate) budget: Budget,
    live: Live<'a>,
    infos: Vec<Option<Rc<Info>>>,
    /// What is kept at a place, for the present precision.
    kept: FxHashMap<ControlId, Rc<[bool]>>,
    pub(crate) nodes: Vec<Node>,
    queue: VecDeque<u32>,
    met: FxHashMap<ControlId, Met>,
    /// Paths of the node that is being expanded.
    strands: Vec<Strand>,
    expanding: u32,
    /// Variables that count something.
    pub(crate) counters: FxHashSet<VarId>,
    /// Slots of counters that have too many values, of which only differences are kept.
    widened: BTreeSet<SlotId>,
    /// How many states there are when counters are looked for next.
    look_at: usize,
    /// How many values all states have together.
    kept_values: usize,
    /// Whether an error was handed out, which is not refuted.
    is_open: bool,
    /// What was done.
    pub statistics: Statistics,
}

impl<'a> Values<'a> {
    /// For the errors of a program; `None` if its entry has no body.
    pub fn new(
        facts: &'a Facts<'a>,
        sites: &'a ErrorSites,
        entry: FuncId,
        budget: Budget,
    ) -> Option<Self> {
        let program = facts.program();
        let mut space = ControlSpace::new(program, sites, facts);
        let start = space.start(entry)?;
        let machine = Machine::new(facts, budget.clone());
        let counters = counters(program, &machine);
        let mut values = Self {
            facts,
            machine,
            space,
            start,
            budget,
            live: Live::new(program),
            infos: Vec::new(),
            kept: FxHashMap::default(),
            nodes: Vec::new(),
            queue: VecDeque::new(),
            met: FxHashMap::default(),
            strands: Vec::new(),
            expanding: 0,
            counters,
            widened: BTreeSet::new(),
            look_at: FIRST_LOOK,
            kept_values: 0,
            is_open: false,
            statistics: Statistics::default(),
        };
        values.begin();
        Some(values)
    }

    /// The slots that are tracked.
    pub fn tracked(&self) -> Vec<SlotId> {
        let all = (0..self.machine.slots.len()).map(|number| SlotId(number as u32));
        all.filter(|slot| self.machine.tracked.contains(*slot)).collect()
    }

    /// Begins the search anew.
    fn begin(&mut self) {
        self.kept.clear();
        self.nodes.clear();
        self.queue.clear();
        self.met.clear();
        self.kept_values = 0;
        self.strands.clear();
        let state = self.machine.start();
        let steps = Vec::new();
        self.nodes.push(Node {
            place: self.start,
            state: None,
            parent: None,
            steps: Box::default(),
        });
        self.expanding = 0;
        self.strands.push(Strand { place: self.start, state, steps });
    }

    /// Goes on until something is found, or somebody wants it to stop.
    pub fn run_until(&mut self, is_over: &dyn Fn() -> bool) -> Result<Step, Exhausted> {
        loop {
            self.budget.check()?;
            let Some(strand) = self.strands.pop() else {
                if is_over() {
                    return Ok(Step::More);
                }
                let Some(next) = self.queue.pop_front() else {
                    return Ok(if self.is_open { Step::NotRefuted } else { Step::Proved });
                };
                self.expanding = next;
                self.expand(next);
                continue;
            };
            if let Some(step) = self.follow(strand)? {
                return Ok(step);
            }
            if self.nodes.len() > self.look_at {
                self.look_at *= 2;
                if self.widen() {
                    self.begin();
                    continue;
                }
            }
            if self.nodes.len() > MAX_STATES || self.kept_values > MAX_VALUES {
                return Ok(Step::GivenUp("there are too many states".into()));
            }
        }
    }

    /// Begins a strand with the state of a node.
    fn expand(&mut self, number: u32) {
        let place = self.nodes[number as usize].place;
        let is_loop_head = self.info(place).is_loop_head;
        let state = &mut self.nodes[number as usize].state;
        let taken = if is_loop_head { state.clone() } else { state.take() };
        let Some(state) = taken else { return };
        if !is_loop_head {
            self.kept_values -= state.values().len();
        }
        let state = Rc::unwrap_or_clone(state);
        self.strands.push(Strand { place, state, steps: Vec::new() });
    }

    /// Makes all steps from the end of a strand.
    fn follow(&mut self, strand: Strand) -> Result<Option<Step>, Exhausted> {
        let info = self.info(strand.place);
        if self.machine.allocations.is_any {
            self.machine.allocations.open = self.space.open_calls(strand.place);
        }
        let copied = strand.state.size() as u64 / SCALARS_PER_UNIT;
        self.budget.charge((STEP_WORK + copied) * info.steps.len() as u64);
        for (step, target) in &info.steps {
            self.statistics.steps += 1;
            let mut state = strand.state.clone();
            let is_made = match target {
                Target::Control(_) => true,
                // A call is an error already when it is made.
                Target::Error(_) => !is_call(self.space.program(), *step),
                Target::Stuck(_) => false,
            };
            let mut others = None;
            if is_made {
                match self.machine.step(&mut state, *step) {
                    Ok(Stepped::Dead) => continue,
                    Ok(Stepped::On) => {}
                    Ok(Stepped::Both(other)) => others = Some(other),
                    Err(Stop::Exhausted(limit)) => return Err(limit),
                    Err(Stop::Ends) => continue,
                }
            }
            match target {
                Target::Control(place) => {
                    for state in std::iter::once(state).chain(others) {
                        self.arrive(*place, state, &strand.steps, *step);
                    }
                }
                Target::Error(_) => {
                    let mut path = self.path_to(self.expanding, &strand.steps);
                    if is_made {
                        path.push(*step);
                    }
                    return self.met_error(path, None).map(Some);
                }
                Target::Stuck(reason) => {
                    let path = self.path_to(self.expanding, &strand.steps);
                    return self.met_error(path, Some(reason.to_string())).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// An error, or something that is not followed, may be reached by a path.
    fn met_error(&mut self, path: Vec<Move>, stuck: Option<String>) -> Result<Step, Exhausted> {
        if self.refine(&path)? {
            self.statistics.refinements += 1;
            self.begin();
            return Ok(Step::More);
        }
        match stuck {
            Some(reason) => Ok(Step::GivenUp(reason)),
            None => {
                self.is_open = true;
                Ok(Step::Error(path))
            }
        }
    }

    fn arrive(&mut self, place: ControlId, state: State, before: &[Move], step: Move) {
        let mut steps = Vec::with_capacity(before.len() + 1);
        steps.extend_from_slice(before);
        steps.push(step);
        if !self.info(place).is_stop {
            self.strands.push(Strand { place, state, steps });
            return;
        }
        let kept = self.kept(place);
        let mut state = state;
        if !self.widened.is_empty() {
            let slots = &self.machine.slots;
            state.keep_differences(&self.widened, |slot| slots.get(slot).width);
        }
        let reached = match self.machine.allocations.is_any {
            true => self.machine.reached(&state, &kept),
            false => FxHashSet::default(),
        };
        let state = state.canonical(|slot| {
            let root = self.machine.slots.get(slot).root;
            kept.get(slot.0 as usize).copied().unwrap_or(false)
                && (!matches!(root, Root::Allocated(_)) || reached.contains(&root))
        });
        let met = self.met.entry(place).or_default();
        let fingerprint = fingerprint(&state);
        if met.all.contains(&fingerprint) || met.general.iter().any(|known| known.covers(&state)) {
            self.statistics.covered += 1;
            return;
        }
        let state = Rc::new(state);
        met.all.insert(fingerprint);
        let size = state.values().len();
        self.kept_values += size;
        let at = met.general.partition_point(|known| known.values().len() <= size);
        if at < GENERAL {
            met.general.insert(at, state.clone());
            met.general.truncate(GENERAL);
        }
        self.statistics.states += 1;
        let parent = Some(self.expanding);
        self.queue.push_back(self.nodes.len() as u32);
        self.nodes.push(Node { place, state: Some(state), parent, steps: steps.into() });
    }

    /// Looks for counters that have too many values at a loop head; whether there are new ones.
    fn widen(&mut self) -> bool {
        let mut values: BTreeMap<(ControlId, SlotId), FxHashSet<Bits>> = BTreeMap::new();
        for node in &self.nodes {
            if !self.space.is_loop_head(node.place) {
                continue;
            }
            for &(slot, value) in node.state.iter().flat_map(|state| state.values()) {
                if let (Root::Var(var), Value::Known(bits)) =
                    (self.machine.slots.get(slot).root, value)
                    && self.counters.contains(&var)
                {
                    values.entry((node.place, slot)).or_default().insert(bits);
                }
            }
        }
        let mut is_new = false;
        for ((_, slot), values) in values {
            if values.len() > MANY_VALUES {
                is_new |= self.widened.insert(slot);
            }
        }
        is_new
    }

    /// The steps from the start to the end of a strand of a node.
    fn path_to(&self, node: u32, strand: &[Move]) -> Vec<Move> {
        let mut parts = vec![strand];
        let mut at = Some(node);
        while let Some(number) = at {
            let node = &self.nodes[number as usize];
            parts.push(&node.steps);
            at = node.parent;
        }
        parts.into_iter().rev().flatten().copied().collect()
    }

    fn info(&mut self, place: ControlId) -> Rc<Info> {
        let number = place.0 as usize;
        if let Some(Some(known)) = self.infos.get(number) {
            return known.clone();
        }
        let Control { func, loc, .. } = self.space.get(place);
        let mut steps = self.space.steps(place);
        for (step, target) in &mut steps {
            // Who is called back may reach an error, too.
            if let (Move::Edge(func, edge), Target::Control(_)) = (*step, &*target) {
                let program = self.space.program();
                let called = self.facts.points_to().callees(program, func, edge);
                if let Some(&callback) = called.handed.first() {
                    let name = source_name(&program.funcs[callback].name);
                    let what = Construct::NotEncoded(format!("`{name}` may be called back"));
                    *target = Target::Stuck(Unsupported::at(func, edge, what).into());
                }
            }
        }
        let body = self.space.program().funcs[func].body.as_ref();
        let meets = body.is_some_and(|body| body.in_edges(loc).len() > 1);
        let is_loop_head = self.space.is_loop_head(place);
        let info = Rc::new(Info { steps, is_stop: meets || is_loop_head, is_loop_head });
        if self.infos.len() <= number {
            self.infos.resize(number + 1, None);
        }
        self.infos[number] = Some(info.clone());
        info
    }

    /// The slots that matter at a place.
    fn kept(&mut self, place: ControlId) -> Rc<[bool]> {
        if let Some(known) = self.kept.get(&place) {
            return known.clone();
        }
        let program = self.space.program();
        let Control { func, loc, .. } = self.space.get(place);
        let mut live: FxHashSet<VarId> = FxHashSet::default();
        let mut open = vec![func];
        live.extend(&self.live.of(func)[gnomon_ir::arena::Id::index(loc)]);
        for (caller, edge) in self.space.open_calls(place) {
            open.push(caller);
            let Some(body) = &program.funcs[caller].body else { continue };
            let behind = body.edge(edge).to;
            live.extend(&self.live.of(caller)[gnomon_ir::arena::Id::index(behind)]);
            if let Op::Call(call) = &body.edge(edge).op {
                // The place of the result is found when the call ends.
                live.extend(call.dst.and_then(|dst| program.exprs.root_var(dst)));
            }
        }
        let is_exit = program.funcs[func].body.as_ref().is_some_and(|body| body.exit() == loc);
        let matters = |slot: SlotId| {
            self.machine.tracked.contains(slot)
                && match self.machine.slots.get(slot).root {
                    Root::Result(of) => is_exit && of == func,
                    Root::Allocated(_) => true,
                    Root::Var(var) if self.live.concerns(var) => live.contains(&var),
                    Root::Var(var) => {
                        program.vars[var].storage.function().is_none_or(|f| open.contains(&f))
                    }
                }
        };
        let all = (0..self.machine.slots.len()).map(|number| matters(SlotId(number as u32)));
        let kept: Rc<[bool]> = all.collect();
        self.kept.insert(place, kept.clone());
        kept
    }

    /// Tracks more slots; whether some of them are new.
    pub(crate) fn track(&mut self, slots: impl IntoIterator<Item = SlotId>) -> bool {
        let mut is_new = false;
        for slot in slots {
            is_new |= self.machine.tracked.add(slot);
        }
        is_new
    }
}

fn is_call(program: &Program, step: Move) -> bool {
    let (Move::Edge(func, edge) | Move::Enter { caller: func, edge, .. }) = step else {
        return false;
    };
    let body = program.funcs[func].body.as_ref();
    body.is_some_and(|body| matches!(body.edge(edge).op, Op::Call(_)))
}

/// The variables that hold numbers computed from what they held before.
fn counters(program: &Program, machine: &Machine<'_>) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        found.extend(body.edges().ids().filter_map(|edge| machine.counts(func, edge)));
    }
    found
}
