//! Facts at every point of every function, by the fact that the function was entered with.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, InitItem, Storage, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::{Fact, Holders};
use super::world::World;

/// Facts of one state at a point; more are joined.
const MOST_FACTS: usize = 4;
/// Facts of one state at a point if everybody may have the watched value.
const MOST_VAGUE_FACTS: usize = 1;
/// Facts of one state that a function is entered with; more are joined.
const MOST_ENTRIES: usize = 8;

/// Steps for one beginning of a watch; of what takes more, nothing is known.
const MOST_STEPS: u64 = 512_000;

/// Steps for one beginning before others have their turn.
const FIRST_STEPS: u64 = 8_000;

type FactId = u32;
type ContextId = u32;
type Key = (u32, Rc<[Option<i128>]>);
/// A fact at a location: by where the watch began, context, place in the function.
type Work = (u32, Reverse<ContextId>, u32, LocId, FactId);

/// A function that was entered with a fact.
struct Context {
    func: FuncId,
    /// By location.
    facts: BTreeMap<LocId, BTreeMap<Key, Vec<FactId>>>,
    callers: Vec<Caller>,
    known_callers: FxHashSet<Caller>,
}

/// Who waits for a function to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Caller {
    context: ContextId,
    before: FactId,
    by: Entered,
}

/// How a function was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Entered {
    /// By this call.
    Call(EdgeId),
    /// From inside of this call of something else.
    Callback(EdgeId),
    /// At any moment, when the other function was here.
    Moment(LocId),
}

/// The analysis.
pub(super) struct Tabulation<'w, 'p> {
    world: &'w World<'p>,
    facts: Vec<Fact>,
    fact_ids: FxHashMap<Fact, FactId>,
    contexts: Vec<Context>,
    entries: FxHashMap<(FuncId, Key), Vec<(FactId, ContextId)>>,
    ranks: FxHashMap<FuncId, Rc<[u32]>>,
    /// By where the watch began; callees first, then in the order of the function.
    work: BTreeSet<Work>,
    /// How many steps were made for each beginning.
    steps: BTreeMap<u32, u64>,
    /// Beginnings that are not followed to the end.
    pub given_up: BTreeSet<u32>,
    entry: FuncId,
    /// Errors that may be reached.
    pub reached: BTreeSet<(FuncId, EdgeId)>,
}

impl<'w, 'p> Tabulation<'w, 'p> {
    pub fn new(world: &'w World<'p>) -> Self {
        Self {
            world,
            facts: Vec::new(),
            fact_ids: FxHashMap::default(),
            contexts: Vec::new(),
            entries: FxHashMap::default(),
            ranks: FxHashMap::default(),
            work: BTreeSet::new(),
            steps: BTreeMap::new(),
            given_up: BTreeSet::new(),
            entry: FuncId(0),
            reached: BTreeSet::new(),
        }
    }

    /// How many facts at points, and how many contexts there are.
    pub fn size(&self) -> (u64, u64) {
        let at_points = |context: &Context| -> usize {
            context.facts.values().flat_map(|by_key| by_key.values()).map(Vec::len).sum()
        };
        (self.contexts.iter().map(|c| at_points(c) as u64).sum(), self.contexts.len() as u64)
    }

    /// Follows all runs from the beginning of a function. Each beginning of a watch is followed for
    /// itself, to the end or until it has become too much; fails if there is no time even to find
    /// out where a watch begins.
    pub fn run(&mut self, entry: FuncId, budget: &Budget) -> Result<(), Exhausted> {
        self.entry = entry;
        let ghosts = self.world.ghosts.iter().map(|&var| self.initial(var)).collect::<Vec<_>>();
        let first = Fact {
            origin: 0,
            ghosts: ghosts.into(),
            values: Rc::from([]),
            holders: Holders::none(),
            cleaned: Rc::from([]),
        };
        self.context(entry, first);
        let mut limit = FIRST_STEPS;
        // What waits until simpler beginnings are done.
        let mut waiting: BTreeSet<Work> = BTreeSet::new();
        loop {
            let Some(next) = self.work.pop_first() else {
                if waiting.is_empty() || limit >= MOST_STEPS {
                    break;
                }
                limit *= 4;
                self.work = std::mem::take(&mut waiting);
                continue;
            };
            let (origin, Reverse(context), _, loc, fact) = next;
            if let Err(out_of_time) = budget.check() {
                if origin == 0 {
                    return Err(out_of_time);
                }
                waiting.insert(next);
                waiting.append(&mut self.work);
                break;
            }
            let steps = self.steps.entry(origin).or_default();
            if *steps > limit && origin != 0 {
                waiting.insert(next);
                continue;
            }
            *steps += 1;
            self.step(context, loc, fact);
        }
        self.given_up = waiting.iter().map(|(origin, ..)| *origin).collect();
        Ok(())
    }

    /// What a variable of the automaton is at the start.
    fn initial(&self, var: VarId) -> Option<i128> {
        let program = self.world.program;
        let Storage::Static { init: Some(init), .. } = &program.vars[var].storage else {
            return None;
        };
        match init.items.last() {
            None => Some(0),
            Some(InitItem::Value { value, .. }) => program.as_int(*value),
            Some(InitItem::Bytes { .. }) => None,
        }
    }

    fn fact_id(&mut self, fact: Fact) -> FactId {
        if let Some(&id) = self.fact_ids.get(&fact) {
            return id;
        }
        let id = self.facts.len() as FactId;
        self.facts.push(fact.clone());
        self.fact_ids.insert(fact, id);
        id
    }

    fn body(&self, func: FuncId) -> Option<&'p Cfa> {
        self.world.program.funcs[func].body.as_ref()
    }

    /// The function as it is entered with a fact.
    fn context(&mut self, func: FuncId, mut entry: Fact) -> Option<ContextId> {
        let body = self.body(func)?;
        let key = (func, entry.key());
        let known = self.entries.entry(key.clone()).or_default();
        let vague = self.world.is_vague(&entry);
        if known.len() >= if vague { MOST_VAGUE_FACTS } else { MOST_ENTRIES }
            && let Some(&(last, context)) = known.last()
        {
            let last = &self.facts[last as usize];
            if last.is_implied_by(&entry) {
                return Some(context);
            }
            entry = last.join(&entry);
        }
        let fact = self.fact_id(entry.clone());
        let known = self.entries.entry(key).or_default();
        if let Some(&(_, context)) = known.iter().find(|(other, _)| *other == fact) {
            return Some(context);
        }
        let context = self.contexts.len() as ContextId;
        known.push((fact, context));
        let (facts, callers, known_callers) = Default::default();
        self.contexts.push(Context { func, facts, callers, known_callers });
        self.insert(context, body.entry(), entry);
        Some(context)
    }

    /// A fact at a point.
    fn insert(&mut self, context: ContextId, loc: LocId, fact: Fact) {
        let fact = self.world.settled(fact);
        let func = self.contexts[context as usize].func;
        if let Some(group) = self.world.orders.elsewhere(func, loc) {
            for &other in group.iter().filter(|&&other| other != loc) {
                self.insert_one(context, other, fact.clone());
            }
        }
        self.insert_one(context, loc, fact);
    }

    fn insert_one(&mut self, context: ContextId, loc: LocId, fact: Fact) {
        let key = fact.key();
        let at = self.contexts[context as usize].facts.entry(loc).or_default();
        let known = at.entry(key).or_default();
        if known.iter().any(|&id| self.facts[id as usize].is_implied_by(&fact)) {
            return;
        }
        let mut all = fact;
        let most = if self.world.is_vague(&all) { MOST_VAGUE_FACTS } else { MOST_FACTS };
        if known.len() >= most {
            for id in known.drain(..) {
                all = self.facts[id as usize].join(&all);
            }
        } else {
            known.retain(|&id| !all.is_implied_by(&self.facts[id as usize]));
        }
        let mut ids = std::mem::take(known);
        let id = self.fact_id(all);
        ids.push(id);
        let (func, key) = (self.contexts[context as usize].func, self.facts[id as usize].key());
        let at = self.contexts[context as usize].facts.entry(loc).or_default();
        at.insert(key, ids);
        let rank = self.rank(func, loc);
        let origin = self.facts[id as usize].origin;
        self.work.insert((origin, Reverse(context), rank, loc, id));
    }

    fn rank(&mut self, func: FuncId, loc: LocId) -> u32 {
        if let Some(ranks) = self.ranks.get(&func) {
            return ranks[loc.index()];
        }
        let ranks: Rc<[u32]> = match self.body(func) {
            Some(body) => reverse_postorder(body).into(),
            None => Rc::from([0]),
        };
        let rank = ranks[loc.index()];
        self.ranks.insert(func, ranks);
        rank
    }

    fn step(&mut self, context: ContextId, loc: LocId, id: FactId) {
        let fact = self.facts[id as usize].clone();
        let here = &self.contexts[context as usize];
        let func = here.func;
        // It may have been joined with others meanwhile.
        let current = here.facts.get(&loc).and_then(|at| at.get(&fact.key()));
        if !current.is_some_and(|ids| ids.contains(&id)) {
            return;
        }
        let world = self.world;
        let Some(body) = self.body(func) else { return };
        let knows = world.is_known_outside(&fact);
        for &handler in &world.at_any_moment {
            // What happens at an event happens at once.
            if world.is_event(func, body, loc) || world.is_blind(&fact, handler, &[], knows) {
                continue;
            }
            let caller = Caller { context, before: id, by: Entered::Moment(loc) };
            self.enter(handler, world.entered(&fact, handler, None, knows), Some(caller));
        }
        if loc == body.exit() {
            if func == self.entry {
                self.end(&fact);
            }
            for caller in self.contexts[context as usize].callers.clone() {
                self.come_back(caller, func, &fact);
            }
            return;
        }
        for &edge_id in body.out_edges(loc) {
            let edge = body.edge(edge_id);
            if let Op::Call(call) = &edge.op {
                self.call(context, id, &fact, func, edge_id, call);
                continue;
            }
            let start = world.orders.weakened(world, func, edge_id, fact.clone());
            let Some(next) = world.stepped(func, edge_id, &edge.op, start) else { continue };
            let next = world.orders.weakened(world, func, edge_id, next);
            if world.automaton.sites.contains(&(func, edge_id)) {
                self.reached.insert((func, edge_id));
            } else {
                self.insert(context, edge.to, next);
            }
        }
    }

    fn call(
        &mut self,
        context: ContextId,
        before: FactId,
        fact: &Fact,
        func: FuncId,
        edge: EdgeId,
        call: &Call,
    ) {
        let world = self.world;
        let called = world.called(func, edge, call);
        let fact = &world.orders.weakened(world, func, edge, fact.clone());
        if world.automaton.sites.contains(&(func, edge)) {
            self.reached.insert((func, edge));
        }
        let mut others = called.others;
        for &callee in &called.watched {
            if world.is_blind(fact, callee, &call.args, false) {
                others |= world.may_return(callee);
                continue;
            }
            let caller = Caller { context, before, by: Entered::Call(edge) };
            self.enter(callee, world.entered(fact, callee, Some(&call.args), false), Some(caller));
        }
        if called.ends {
            self.end(fact);
        }
        if others && let Some(after) = world.skipped(fact, call, &called) {
            self.behind_call(context, func, edge, after);
        }
    }

    /// A call is over, but for functions that may be called back.
    fn behind_call(&mut self, context: ContextId, func: FuncId, edge: EdgeId, after: Fact) {
        let world = self.world;
        let Some(body) = self.body(func) else { return };
        let Op::Call(call) = &body.edge(edge).op else { return };
        let called = world.called(func, edge, call);
        let after = world.orders.weakened(world, func, edge, after);
        if !called.callbacks.is_empty() {
            let before = self.fact_id(after.clone());
            let knows = after.origin != 0 && world.knows(&after, call, &called.effects.reads);
            for &callback in &called.callbacks {
                if world.is_blind(&after, callback, &[], knows) {
                    continue;
                }
                let caller = Caller { context, before, by: Entered::Callback(edge) };
                self.enter(callback, world.entered(&after, callback, None, knows), Some(caller));
            }
        }
        self.insert(context, body.edge(edge).to, after);
    }

    /// The run ends, but for functions that were registered for that.
    fn end(&mut self, fact: &Fact) {
        let world = self.world;
        let knows = world.is_known_outside(fact);
        for &handler in &world.at_exit {
            self.enter(handler, world.entered(fact, handler, None, knows), None);
        }
    }

    fn enter(&mut self, callee: FuncId, entry: Fact, caller: Option<Caller>) {
        let Some(context) = self.context(callee, entry) else { return };
        let Some(caller) = caller else { return };
        let inner = &mut self.contexts[context as usize];
        if !inner.known_callers.insert(caller) {
            return;
        }
        inner.callers.push(caller);
        let Some(body) = self.body(callee) else { return };
        let ends = self.contexts[context as usize].facts.get(&body.exit());
        let ends: Vec<FactId> =
            ends.into_iter().flat_map(|m| m.values().flatten().copied()).collect();
        for end in ends {
            let end = self.facts[end as usize].clone();
            self.come_back(caller, callee, &end);
        }
    }

    fn come_back(&mut self, caller: Caller, callee: FuncId, end: &Fact) {
        let world = self.world;
        let before = self.facts[caller.before as usize].clone();
        let func = self.contexts[caller.context as usize].func;
        let Some(body) = self.body(func) else { return };
        match caller.by {
            Entered::Call(edge) => {
                let Op::Call(call) = &body.edge(edge).op else { return };
                let after = world.left(&before, end, callee, Some(call));
                let after = world.orders.weakened(world, func, edge, after);
                self.insert(caller.context, body.edge(edge).to, after);
            }
            Entered::Callback(edge) => {
                let after = world.left(&before, end, callee, None);
                self.behind_call(caller.context, func, edge, after);
            }
            Entered::Moment(loc) => {
                let after = world.left(&before, end, callee, None);
                self.insert(caller.context, loc, after);
            }
        }
    }
}

/// The number of every location in reverse postorder.
fn reverse_postorder(body: &Cfa) -> Vec<u32> {
    let count = body.loc_count();
    let (mut ranks, mut seen) = (vec![0; count], vec![false; count]);
    let mut next = count as u32;
    let mut work = vec![(body.entry(), 0usize)];
    seen[body.entry().index()] = true;
    while let Some((loc, position)) = work.last_mut() {
        match body.out_edges(*loc).get(*position) {
            Some(&edge) => {
                *position += 1;
                let to = body.edge(edge).to;
                if !std::mem::replace(&mut seen[to.index()], true) {
                    work.push((to, 0));
                }
            }
            None => {
                next = next.saturating_sub(1);
                ranks[loc.index()] = next;
                work.pop();
            }
        }
    }
    ranks
}
