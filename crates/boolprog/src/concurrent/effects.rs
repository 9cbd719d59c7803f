//! How the globals pass from thread to thread: the relations `E`, `E_before` and `E_after` of LAL
//! Figure 7.6.
//!
//! An effect of a thread over `k` contexts is a relation between the globals at the starts and at
//! the ends of these contexts. Threads run round-robin, so the ends of one thread are the starts of
//! the next, and the ends of the last thread in a context are the starts of the first in the
//! context after it. [`Effects::handover`] is what rule R18 needs of the others: with which globals
//! a thread can begin its next context, given how its contexts so far began and ended. With one
//! thread before or after it missing, the relation in question is the identity and is left out.

use std::collections::BTreeMap;

use gnomon_bdd::{Bdd, BddError, Var};

use super::schedule::{GlobalState, Passing};
use super::vocabulary::ContextEncoding;

/// The effects of all threads.
#[derive(Debug)]
pub struct Effects<'e, 's> {
    pub(super) encoding: &'e ContextEncoding<'s>,
    /// The globals when the first thread starts, over the start of its first context.
    pub(super) first: Bdd,
    pub(super) threads: usize,
    /// By thread and context.
    pub(super) effect: Vec<Vec<Bdd>>,
    /// From the first thread's starts to this thread's starts, by thread and context, as far as
    /// somebody asked. For the first thread it is the identity, which is left out.
    before: BTreeMap<(usize, usize), Bdd>,
    /// From this thread's ends to the last thread's ends, in the same way.
    after: BTreeMap<(usize, usize), Bdd>,
}

impl<'e, 's> Effects<'e, 's> {
    /// No effects yet; the first thread starts with the globals `first`.
    pub fn new(encoding: &'e ContextEncoding<'s>, first: Bdd) -> Self {
        let threads = encoding.system.threads.len();
        Self {
            encoding,
            first,
            threads,
            effect: vec![Vec::new(); threads],
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        }
    }

    pub(super) fn renamed(
        &self,
        relation: &Bdd,
        groups: &[(&[Var], &[Var])],
    ) -> Result<Bdd, BddError> {
        let pairs: Vec<(Var, Var)> = groups
            .iter()
            .flat_map(|(from, to)| from.iter().copied().zip(to.iter().copied()))
            .collect();
        relation.rename(&self.encoding.space().renaming(&pairs)?)
    }

    fn forget_third(&self, a: &Bdd, b: &Bdd, contexts: usize) -> Result<Bdd, BddError> {
        let copies = self.encoding.copies();
        let vars: Vec<Var> = (0..contexts).flat_map(|c| copies.third(c).iter().copied()).collect();
        a.and_exists(b, &self.encoding.space().variable_set(&vars)?)
    }

    /// First one effect, then the other, over the first `contexts` contexts.
    fn compose(&self, first: &Bdd, second: &Bdd, contexts: usize) -> Result<Bdd, BddError> {
        let copies = self.encoding.copies();
        let ends: Vec<_> = (0..contexts).map(|c| (copies.end(c), copies.third(c))).collect();
        let starts: Vec<_> = (0..contexts).map(|c| (copies.start(c), copies.third(c))).collect();
        self.forget_third(&self.renamed(first, &ends)?, &self.renamed(second, &starts)?, contexts)
    }

    /// The effect of a thread up to `context` is known, as are those of the contexts before.
    pub fn add(&mut self, thread: usize, effect: Bdd) {
        self.effect[thread].push(effect);
    }

    /// Rules R14 and R16; needs the effects of the threads before.
    fn before(&mut self, thread: usize, context: usize) -> Result<Option<Bdd>, BddError> {
        let known = (0..=thread).rev().find(|&t| t == 0 || self.before.contains_key(&(t, context)));
        for t in known.unwrap_or(0)..thread {
            let effect = &self.effect[t][context];
            let next = match self.before.get(&(t, context)) {
                None => effect.and(&self.first)?,
                Some(before) => self.compose(before, effect, context + 1)?,
            };
            self.before.insert((t + 1, context), next);
        }
        Ok(self.before.get(&(thread, context)).cloned())
    }

    /// Rules R13 and R15; needs the effects of the threads behind.
    fn after(&mut self, thread: usize, context: usize) -> Result<Option<Bdd>, BddError> {
        let last = self.threads - 1;
        let known = (thread..=last).find(|&t| t == last || self.after.contains_key(&(t, context)));
        for t in (thread..known.unwrap_or(last)).rev() {
            let effect = &self.effect[t + 1][context];
            let next = match self.after.get(&(t + 1, context)) {
                None => effect.clone(),
                Some(rest) => self.compose(effect, rest, context + 1)?,
            };
            self.after.insert((t, context), next);
        }
        Ok(self.after.get(&(thread, context)).cloned())
    }

    /// With which globals a thread can start `context`: over the starts up to it and the ends
    /// before it.
    pub fn handover(&mut self, thread: usize, context: usize) -> Result<Bdd, BddError> {
        let others = self.others(thread, context)?;
        match &others.before {
            Some(before) => self.forget_third(&others.after, before, context + 1),
            None => Ok(others.after),
        }
    }

    /// Globals with which a thread can start `context`, over its start alone: those that the thread
    /// before it can leave, whatever the others did.
    pub fn arrivals(&self, thread: usize, context: usize) -> Result<Bdd, BddError> {
        let copies = self.encoding.copies();
        let (thread, ended) = match (thread.checked_sub(1), context.checked_sub(1)) {
            (Some(before), _) => (before, context),
            (None, Some(round)) => (self.threads - 1, round),
            (None, None) => return Ok(self.first.clone()),
        };
        let mut history: Vec<Var> = (0..=ended).flat_map(|c| copies.start(c).to_vec()).collect();
        history.extend((0..ended).flat_map(|c| copies.end(c).to_vec()));
        let left =
            self.effect[thread][ended].exists(&self.encoding.space().variable_set(&history)?)?;
        self.renamed(&left, &[(copies.end(ended), copies.start(context))])
    }

    fn others(&mut self, thread: usize, context: usize) -> Result<Others, BddError> {
        let (copies, space) = (self.encoding.copies(), self.encoding.space());
        let before = self.before(thread, context)?;
        let after = match context.checked_sub(1) {
            Some(round) => self.after(thread, round)?,
            None => None,
        };
        let whole = match (&before, &after) {
            (None, Some(after)) => {
                let mut groups = Vec::new();
                for c in 0..context {
                    groups.push((copies.start(c), copies.end(c)));
                    groups.push((copies.end(c), copies.start(c + 1)));
                }
                self.renamed(after, &groups)?.and(&self.first)?
            }
            // The only thread: it starts with what it left.
            (None, None) => {
                let mut result = self.first.clone();
                for c in 0..context {
                    for (&a, &b) in copies.end(c).iter().zip(copies.start(c + 1)) {
                        result = result.and(&space.variable(a)?.iff(&space.variable(b)?)?)?;
                    }
                }
                result
            }
            (Some(before), None) => {
                let mut groups = vec![(copies.start(0), copies.third(0))];
                for c in 0..context {
                    groups.push((copies.start(c + 1), copies.end(c)));
                }
                for c in 0..=context {
                    groups.push((copies.end(c), copies.start(c)));
                }
                let first = space.variable_set(copies.third(0))?;
                self.renamed(before, &groups)?.exists(&first)?
            }
            (Some(before), Some(after)) => {
                let mut groups = Vec::new();
                for c in 0..context {
                    groups.push((copies.start(c), copies.end(c)));
                    groups.push((copies.end(c), copies.third(c + 1)));
                }
                let after = self.renamed(after, &groups)?;
                let mut groups = Vec::new();
                for c in 0..=context {
                    groups.push((copies.start(c), copies.third(c)));
                    groups.push((copies.end(c), copies.start(c)));
                }
                let before = self.renamed(before, &groups)?;
                return Ok(Others { after, before: Some(before) });
            }
        };
        Ok(Others { after: whole, before: None })
    }

    /// The globals at the starts of the threads in each context, for an execution in which `thread`
    /// reaches a target in `context`; `failing` are the starts and ends with which it does.
    pub fn passing(
        &mut self,
        thread: usize,
        context: usize,
        failing: &Bdd,
    ) -> Result<Option<Passing>, BddError> {
        let copies = self.encoding.copies();
        let others = self.others(thread, context)?;
        let possible = match &others.before {
            Some(before) => self.forget_third(&failing.and(before)?, &others.after, context + 1)?,
            None => failing.and(&others.after)?,
        };
        let Some(cube) = possible.pick_cube() else { return Ok(None) };
        let read = |vars: &[Var]| -> GlobalState {
            vars.iter().map(|v| cube.iter().any(|l| l.0 == *v && l.1)).collect()
        };
        let own: Vec<_> = (0..=context).map(|c| read(copies.start(c))).collect();
        let ends: Vec<_> = (0..context).map(|c| read(copies.end(c))).collect();
        let mut starts: Vec<Vec<GlobalState>> = vec![Vec::new(); self.threads + 1];
        // The starts of the first thread: its later ones are the ends of the last thread.
        let before = self.before.get(&(thread, context));
        starts[0] = match before {
            None => own.clone(),
            Some(before) => {
                let arriving = before.restrict(&self.fixed(Copy::End, &own))?;
                let arriving = match context.checked_sub(1) {
                    None => arriving,
                    Some(last) => {
                        let leaving = match self.after.get(&(thread, last)) {
                            Some(after) => {
                                let out = after.restrict(&self.fixed(Copy::Start, &ends))?;
                                let shift: Vec<_> = (0..context)
                                    .map(|c| (copies.end(c), copies.start(c + 1)))
                                    .collect();
                                self.renamed(&out, &shift)?
                            }
                            None => self.shifted(&ends)?,
                        };
                        arriving.and(&leaving)?
                    }
                };
                let Some(states) = self.pick(&arriving, Copy::Start, context + 1) else {
                    return Ok(None);
                };
                states
            }
        };
        starts[thread] = own;
        starts[thread + 1] = ends;
        let last: Vec<_> = starts[0][1..].to_vec();
        if thread + 1 < self.threads && context > 0 {
            for i in thread + 1..self.threads {
                let out =
                    self.effect[i][context - 1].restrict(&self.fixed(Copy::Start, &starts[i]))?;
                let fits = match self.after.get(&(i, context - 1)) {
                    None => self.space_cube(Copy::End, &last)?,
                    Some(rest) => {
                        let rest = rest.restrict(&self.fixed(Copy::End, &last))?;
                        let groups: Vec<_> =
                            (0..context).map(|c| (copies.start(c), copies.end(c))).collect();
                        self.renamed(&rest, &groups)?
                    }
                };
                let Some(states) = self.pick(&out.and(&fits)?, Copy::End, context) else {
                    return Ok(None);
                };
                starts[i + 1] = states;
            }
        }
        for i in (1..thread).rev() {
            let Some(before) = self.before.get(&(i, context)) else { return Ok(None) };
            let reached = before.restrict(&self.fixed(Copy::Start, &starts[0]))?;
            let groups: Vec<_> = (0..=context).map(|c| (copies.end(c), copies.start(c))).collect();
            let reached = self.renamed(&reached, &groups)?;
            let goal = self.effect[i][context].restrict(&self.fixed(Copy::End, &starts[i + 1]))?;
            let Some(states) = self.pick(&reached.and(&goal)?, Copy::Start, context + 1) else {
                return Ok(None);
            };
            starts[i] = states;
        }
        Ok(Some(Passing { thread, context, starts }))
    }

    fn vars(&self, copy: Copy, context: usize) -> &[Var] {
        match copy {
            Copy::Start => self.encoding.copies().start(context),
            Copy::End => self.encoding.copies().end(context),
        }
    }

    fn fixed(&self, copy: Copy, states: &[GlobalState]) -> Vec<(Var, bool)> {
        let mut literals = Vec::new();
        for (context, state) in states.iter().enumerate() {
            literals.extend(self.vars(copy, context).iter().copied().zip(state.iter().copied()));
        }
        literals
    }

    fn space_cube(&self, copy: Copy, states: &[GlobalState]) -> Result<Bdd, BddError> {
        self.encoding.space().cube(&self.fixed(copy, states))
    }

    /// The given states at the starts of the contexts from the second on.
    fn shifted(&self, states: &[GlobalState]) -> Result<Bdd, BddError> {
        let mut literals = Vec::new();
        for (context, state) in states.iter().enumerate() {
            let vars = self.vars(Copy::Start, context + 1);
            literals.extend(vars.iter().copied().zip(state.iter().copied()));
        }
        self.encoding.space().cube(&literals)
    }

    fn pick(&self, states: &Bdd, copy: Copy, contexts: usize) -> Option<Vec<GlobalState>> {
        let cube = states.pick_cube()?;
        let value = |v: &Var| cube.iter().any(|l| l.0 == *v && l.1);
        Some((0..contexts).map(|c| self.vars(copy, c).iter().map(value).collect()).collect())
    }
}

/// What the other threads make of a thread's ends: a relation from its ends to its next starts, as a
/// product of two if there are threads on both sides. Then the third copies are the starts of the
/// first thread.
struct Others {
    after: Bdd,
    before: Option<Bdd>,
}

#[derive(Clone, Copy)]
enum Copy {
    Start,
    End,
}
