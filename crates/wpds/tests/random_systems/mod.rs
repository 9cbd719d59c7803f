//! Small random (extended) weighted pushdown systems and their meaning by enumeration.
//!
//! Weights are relations on two or three values. In a *layered* system a call goes one layer down and
//! everything else stays in its layer, so stacks are bounded and all runs can be enumerated; a
//! *recursive* system has no such bound and is enumerated up to a length.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use gnomon_wpds::domains::{ExplicitRelations, Relation, merge_by, plain_merge};
use gnomon_wpds::{
    Configuration, Control, Kind, Merge, MergeFunction, RelationalSemiring, Rhs, RuleId, Semiring,
    Symbol, WeightError, Wpds,
};

/// A small generator of pseudo-random numbers (xorshift), so that a seed names a system.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// What kind of system to make.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub kind: Kind,
    pub path_extension: bool,
    pub layered: bool,
}

pub const LAYERS: u32 = 3;
pub const PER_LAYER: u32 = 3;

pub fn relation(random: &mut Random, domain: &ExplicitRelations) -> Relation {
    let size = domain.size();
    let mut pairs = Vec::new();
    for a in 0..size {
        for b in 0..size {
            if random.chance(45) {
                pairs.push((a, b));
            }
        }
    }
    if pairs.is_empty() {
        pairs.push((random.below(size), random.below(size)));
    }
    domain.relation(pairs)
}

/// `caller ⊗ ((a ⊗ callee) ∩ mask) ⊗ b`, with or without its adjoint.
struct MaskedMerge {
    a: Relation,
    b: Relation,
    mask: Relation,
    with_adjoint: bool,
}

impl MergeFunction<ExplicitRelations> for MaskedMerge {
    fn merge(
        &self,
        domain: &ExplicitRelations,
        caller: &Relation,
        callee: &Relation,
    ) -> Result<Relation, WeightError> {
        let inner = domain.intersect(&domain.extend(&self.a, callee)?, &self.mask)?;
        domain.extend(&domain.extend(caller, &inner)?, &self.b)
    }

    fn adjoint(
        &self,
        domain: &ExplicitRelations,
        caller: &Relation,
        goal: &Relation,
    ) -> Option<Result<Relation, WeightError>> {
        let pull = || {
            let after = domain.extend(goal, &domain.transpose(&self.b)?)?;
            let inner = domain.extend(&domain.transpose(caller)?, &after)?;
            domain.extend(&domain.transpose(&self.a)?, &domain.intersect(&inner, &self.mask)?)
        };
        self.with_adjoint.then(pull)
    }
}

fn merge(
    random: &mut Random,
    domain: &ExplicitRelations,
    plan: Plan,
    with_adjoint: bool,
) -> Merge<ExplicitRelations> {
    let (a, b, mask) =
        (relation(random, domain), relation(random, domain), relation(random, domain));
    if !plan.path_extension {
        return merge_by("masked caller", false, move |d: &ExplicitRelations, caller, callee| {
            d.extend(&d.intersect(caller, &mask)?, callee)
        });
    }
    match random.below(4) {
        0 if !with_adjoint => plain_merge(a),
        1 => Arc::new(MaskedMerge { a, b, mask: domain.full(), with_adjoint }),
        2 => Arc::new(MaskedMerge { a, b: domain.one(), mask, with_adjoint }),
        _ => Arc::new(MaskedMerge { a, b, mask, with_adjoint }),
    }
}

/// A random system; the start symbol is number 0.
pub fn system(seed: u64, plan: Plan) -> Wpds<ExplicitRelations> {
    let mut random = Random::new(seed);
    let domain = ExplicitRelations::new(2 + random.below(2));
    let mut system = Wpds::new(domain, plan.kind);
    let controls: Vec<_> = (0..1 + u32::from(random.chance(35)))
        .map(|i| system.add_control(&format!("p{i}")))
        .collect();
    let symbols: Vec<_> =
        (0..LAYERS * PER_LAYER).map(|i| system.add_symbol(&format!("s{i}"))).collect();
    let control = |r: &mut Random| controls[r.below(controls.len() as u32) as usize];
    let in_layer =
        |r: &mut Random, layer: u32| symbols[(layer * PER_LAYER + r.below(PER_LAYER)) as usize];
    for _ in 0..14 + random.below(14) {
        let layer = random.below(LAYERS);
        let from = (control(&mut random), in_layer(&mut random, layer));
        let to = control(&mut random);
        let weight = relation(&mut random, &domain);
        let added = match random.below(10) {
            0..=2 => system.add_pop(from, to, weight),
            3..=6 => {
                let target = in_layer(&mut random, layer);
                system.add_step(from, (to, target), weight)
            }
            _ if plan.layered && layer + 1 == LAYERS => continue,
            _ => {
                let callee_layer = if plan.layered { layer + 1 } else { random.below(LAYERS) };
                let (entry, back) =
                    (in_layer(&mut random, callee_layer), in_layer(&mut random, layer));
                let merge = (plan.kind == Kind::Extended)
                    .then(|| merge(&mut random, &domain, plan, seed.is_multiple_of(2)));
                system.add_push(from, (to, entry, back), weight, merge)
            }
        };
        added.expect("the rule fits the system");
    }
    system
}

/// A state of a run: the configuration and the stack of weights of LAL 3.2.2.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RunState {
    control: u32,
    stack: Vec<u32>,
    value: Relation,
    callers: Vec<(Relation, u32)>,
}

/// The weights of all configurations that are reached from `start`, by enumerating the states of
/// runs; `None` if there are too many.
pub fn reached(
    system: &Wpds<ExplicitRelations>,
    start: &Configuration,
    limit: usize,
) -> Option<BTreeMap<(u32, Vec<u32>), Relation>> {
    runs(system, start, None, limit)
}

/// The same over the runs that pass a configuration at which `passes` holds, with the weight
/// `bottleneck` put in there.
pub fn reached_through(
    system: &Wpds<ExplicitRelations>,
    start: &Configuration,
    (passes, bottleneck): Passing<'_>,
    limit: usize,
) -> Option<BTreeMap<(u32, Vec<u32>), Relation>> {
    runs(system, start, Some((passes, bottleneck)), limit)
}

/// Where a run has to pass, and the weight that is put in there.
pub type Passing<'a> = (&'a dyn Fn(u32, &[u32]) -> bool, &'a Relation);

fn runs(
    system: &Wpds<ExplicitRelations>,
    start: &Configuration,
    through: Option<Passing<'_>>,
    limit: usize,
) -> Option<BTreeMap<(u32, Vec<u32>), Relation>> {
    let domain = *system.domain();
    let first = RunState {
        control: start.control.0,
        stack: start.stack.iter().map(|s| s.0).collect(),
        value: domain.one(),
        callers: Vec::new(),
    };
    let first = (through.is_none(), first);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut queue = VecDeque::from([first]);
    let mut weights: BTreeMap<(u32, Vec<u32>), Relation> = BTreeMap::new();
    while let Some((passed, state)) = queue.pop_front() {
        if passed {
            let flat = flatten(system, &state);
            let entry = weights
                .entry((state.control, state.stack.clone()))
                .or_insert_with(|| domain.zero());
            *entry = domain.combine(entry, &flat).unwrap();
        }
        let mut next: Vec<(bool, RunState)> = Vec::new();
        if let Some((passes, bottleneck)) = through
            && !passed
            && passes(state.control, &state.stack)
        {
            let value = domain.extend(&state.value, bottleneck).unwrap();
            next.push((true, RunState { value, ..state.clone() }));
        }
        for (id, rule) in system.rules() {
            if rule.from.0 == state.control && state.stack.first() == Some(&rule.top.0) {
                next.push((passed, fire(system, &state, id)));
            }
        }
        for state in next {
            if seen.len() > limit {
                return None;
            }
            if seen.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
    Some(weights)
}

fn fire(system: &Wpds<ExplicitRelations>, state: &RunState, id: RuleId) -> RunState {
    let domain = system.domain();
    let rule = system.rule(id).unwrap();
    let mut next = state.clone();
    next.control = rule.to.0;
    next.stack.remove(0);
    match rule.rhs {
        Rhs::Step(top) => {
            next.stack.insert(0, top.0);
            next.value = domain.extend(&next.value, &rule.weight).unwrap();
        }
        Rhs::Push(top, below) => {
            next.stack.splice(0..0, [top.0, below.0]);
            next.callers.push((next.value, id.0));
            next.value = domain.one();
        }
        Rhs::Pop => {
            next.value = domain.extend(&next.value, &rule.weight).unwrap();
            if let Some((caller, call)) = next.callers.pop() {
                let call = system.rule(RuleId(call)).unwrap();
                next.value = match &call.merge {
                    Some(merge) => merge.merge(domain, &caller, &next.value).unwrap(),
                    None => {
                        let entered = domain.extend(&caller, &call.weight).unwrap();
                        domain.extend(&entered, &next.value).unwrap()
                    }
                };
            }
        }
    }
    next
}

fn flatten(system: &Wpds<ExplicitRelations>, state: &RunState) -> Relation {
    let domain = system.domain();
    let mut value = domain.one();
    for (caller, call) in &state.callers {
        let call = system.rule(RuleId(*call)).unwrap();
        value = domain.extend(&value, &domain.extend(caller, &call.weight).unwrap()).unwrap();
    }
    domain.extend(&value, &state.value).unwrap()
}

/// All rule sequences of at most `length` rules from a configuration.
pub fn sequences(
    system: &Wpds<ExplicitRelations>,
    start: &Configuration,
    length: usize,
    limit: usize,
) -> Vec<(Vec<RuleId>, Configuration)> {
    let mut all = vec![(Vec::new(), start.clone())];
    let mut done = 0;
    while done < all.len() && all.len() < limit {
        let (rules, at) = all[done].clone();
        done += 1;
        if rules.len() == length {
            continue;
        }
        for (id, rule) in system.rules() {
            if rule.from == at.control && at.stack.first() == Some(&rule.top) {
                let mut rules = rules.clone();
                rules.push(id);
                let (next, _) = system.run(&at, &[id]).unwrap();
                all.push((rules, next));
            }
        }
    }
    all
}

pub fn configuration(control: u32, stack: &[u32]) -> Configuration {
    Configuration { control: Control(control), stack: stack.iter().map(|&s| Symbol(s)).collect() }
}
