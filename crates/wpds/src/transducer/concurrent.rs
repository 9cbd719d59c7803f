//! Context-bounded reachability of several threads by composing transducers (LAL 6.5.3, "Putting it
//! all together").
//!
//! Departure from the paper, which puts all stacks on one tape and extends every transducer by the
//! identity on the stacks of the others: the stacks of different threads never meet, so each thread's
//! contexts are composed on their own, into tensors with one factor for each round. In round-robin
//! order the tensors of all threads, extended in the order of the threads, are the tensor of the
//! rounds, as in the reduction of LAL 7.5; only the rounds have to be put in sequence. The number of
//! states is the sum over the threads instead of the product, and the arity is that of the rounds.
//!
//! With several control locations, the location at the beginning of each round but the first is
//! guessed and checked at the end of the round before.

use std::collections::BTreeMap;

use gnomon_budget::Budget;

use crate::automaton::ConfigSet;
use crate::error::WpdsError;
use crate::ids::{Control, State};
use crate::semiring::Semiring;
use crate::system::Wpds;
use crate::transducer::composition::{Composition, Contexts, Summaries};
use crate::transducer::schedule::Schedule;
use crate::transducer::tensor::{TensorOf, TensorProduct};
use crate::transducer::weighted::{TransducerOptions, WeightedTransducer};

/// Threads that share the control location and what their weights speak about.
#[derive(Debug)]
pub struct ConcurrentSystem<'a, S: Semiring> {
    threads: Vec<WeightedTransducer<'a, S>>,
    controls: u32,
    budget: Budget,
}

/// What a context-bounded question was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextBounded<W> {
    /// The combined weight of all runs of the schedule from the start to the goal.
    pub weight: W,
    /// How many states of compositions were made.
    pub states: usize,
}

/// The question for one pair of control locations at the beginning and at the end.
struct Question<'q, S: TensorProduct> {
    power: S::Power,
    schedule: &'q Schedule,
    start: (&'q [ConfigSet], Control),
    goal: (&'q [ConfigSet], Control),
    /// Answers for a thread, by the beginnings of its contexts.
    known: BTreeMap<(usize, Vec<Control>), Summaries<S>>,
    states: usize,
}

fn wrong_thread(thread: usize) -> WpdsError {
    WpdsError::OutOfRange { what: "thread", index: u32::try_from(thread).unwrap_or(u32::MAX) }
}

impl<'a, S: TensorProduct> ConcurrentSystem<'a, S> {
    /// Builds the transducers. All threads have the same control locations and no merge functions, and
    /// their weights belong to the domain of the first.
    pub fn new(threads: &[&'a Wpds<S>], options: &TransducerOptions) -> Result<Self, WpdsError> {
        Self::build(threads, options, |_, thread| WeightedTransducer::new(thread, options))
    }

    /// The same for runs that start in `start`: the transducers leave out what such runs do not need
    /// ([`WeightedTransducer::starting_at`]). Other starts are errors later.
    pub fn starting_at(
        threads: &[&'a Wpds<S>],
        start: &[ConfigSet],
        options: &TransducerOptions,
    ) -> Result<Self, WpdsError> {
        if start.len() != threads.len() {
            return Err(wrong_thread(start.len().max(threads.len()) - 1));
        }
        Self::build(threads, options, |i, thread| {
            WeightedTransducer::starting_at(thread, &start[i], options)
        })
    }

    fn build(
        threads: &[&'a Wpds<S>],
        options: &TransducerOptions,
        transducer: impl Fn(usize, &'a Wpds<S>) -> Result<WeightedTransducer<'a, S>, WpdsError>,
    ) -> Result<Self, WpdsError> {
        let Some(first) = threads.first() else { return Err(wrong_thread(0)) };
        let controls = first.control_count();
        for thread in threads {
            if thread.control_count() != controls {
                let found = thread.control_count();
                return Err(WpdsError::ControlCount { expected: controls, found });
            }
            for (_, rule) in thread.rules() {
                first.domain().admit(&rule.weight).map_err(|reason| WpdsError::ForeignWeight {
                    rule: thread.show(rule),
                    reason,
                })?;
            }
        }
        let transducers = threads.iter().enumerate().map(|(i, &thread)| transducer(i, thread));
        let threads = transducers.collect::<Result<_, _>>()?;
        Ok(Self { threads, controls, budget: options.budget.clone() })
    }

    /// The transducers of the threads.
    pub fn threads(&self) -> &[WeightedTransducer<'a, S>] {
        &self.threads
    }

    fn domain(&self) -> &'a S {
        self.threads[0].system().domain()
    }

    /// The combined weight of all runs of the schedule that start with every thread in its set of
    /// `start` and end with every thread in its set of `goal`. Where there are several control
    /// locations, a state `(p, u₁, u₂, …)` is in `start` when every `⟨p, uᵢ⟩` is in the set of thread
    /// `i`.
    pub fn weight(
        &self,
        start: &[ConfigSet],
        goal: &[ConfigSet],
        schedule: &Schedule,
    ) -> Result<S::Weight, WpdsError> {
        Ok(self.analyse(start, goal, schedule)?.weight)
    }

    /// The same, with what it took.
    pub fn analyse(
        &self,
        start: &[ConfigSet],
        goal: &[ConfigSet],
        schedule: &Schedule,
    ) -> Result<ContextBounded<S::Weight>, WpdsError> {
        self.check(start, goal, schedule)?;
        let domain = self.domain();
        let power = domain.power(schedule.round_count())?;
        let mut total = ContextBounded { weight: domain.zero(), states: 0 };
        for (first, last) in self.ends(start, goal) {
            let mut question = Question {
                power: power.clone(),
                schedule,
                start: (start, first),
                goal: (goal, last),
                known: BTreeMap::new(),
                states: 0,
            };
            for beginnings in self.beginnings(first, last, schedule.round_count()) {
                let weight = self.runs(&mut question, &beginnings)?;
                total.weight = domain.combine(&total.weight, &weight)?;
            }
            total.states += question.states;
        }
        Ok(total)
    }

    fn check(
        &self,
        start: &[ConfigSet],
        goal: &[ConfigSet],
        schedule: &Schedule,
    ) -> Result<(), WpdsError> {
        for count in [start.len(), goal.len(), schedule.thread_count()] {
            if count != self.threads.len() {
                return Err(wrong_thread(count.max(self.threads.len()) - 1));
            }
        }
        for (thread, set) in self.threads.iter().zip(start) {
            thread.check_start(set)?;
        }
        start.iter().chain(goal).try_for_each(|set| set.check_input(self.controls))
    }

    /// The control locations in which runs can begin and end.
    fn ends(&self, start: &[ConfigSet], goal: &[ConfigSet]) -> Vec<(Control, Control)> {
        let possible = |sets: &[ConfigSet]| -> Vec<Control> {
            let some = |set: &ConfigSet, p: Control| {
                let state = State::from(p);
                set.is_final(state) || set.outgoing(state).next().is_some()
            };
            let all = (0..self.controls).map(Control);
            all.filter(|&p| sets.iter().all(|set| some(set, p))).collect()
        };
        let lasts = possible(goal);
        let pairs = |first| lasts.iter().map(move |&last| (first, last));
        possible(start).into_iter().flat_map(pairs).collect()
    }

    /// The control locations at the beginnings of the rounds and at the end of the last, in all ways.
    fn beginnings(&self, first: Control, last: Control, rounds: usize) -> Vec<Vec<Control>> {
        let mut all = vec![vec![first]];
        for _ in 1..rounds {
            let longer = |known: Vec<Control>| {
                (0..self.controls).map(move |next| {
                    let mut longer = known.clone();
                    longer.push(Control(next));
                    longer
                })
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        if rounds == 0 {
            return if first == last { vec![vec![last]] } else { vec![] };
        }
        all.iter_mut().for_each(|known| known.push(last));
        all
    }

    /// The weight of the runs whose rounds begin as given.
    fn runs(
        &self,
        question: &mut Question<'_, S>,
        beginnings: &[Control],
    ) -> Result<S::Weight, WpdsError> {
        let domain = self.domain();
        let power = question.power.clone();
        let rounds = question.schedule.round_count();
        let mut reached = BTreeMap::from([(beginnings[..rounds].to_vec(), power.one())]);
        for thread in 0..self.threads.len() {
            let mut next: BTreeMap<Vec<Control>, TensorOf<S>> = BTreeMap::new();
            for (controls, before) in &reached {
                self.budget.check()?;
                for (after, tensor) in self.contexts(question, thread, controls)? {
                    let mut weight = power.extend(before, &tensor)?;
                    if let Some(known) = next.get(&after) {
                        weight = power.combine(known, &weight)?;
                    }
                    if !power.is_zero(&weight) {
                        next.insert(after, weight);
                    }
                }
            }
            reached = next;
        }
        // A round ends where the next one begins.
        match reached.get(&beginnings[beginnings.len() - rounds..]) {
            Some(tensor) => Ok(domain.detensor(&power, tensor)?),
            None => Ok(domain.zero()),
        }
    }

    /// What one thread makes of the control locations of the rounds.
    fn contexts(
        &self,
        question: &mut Question<'_, S>,
        thread: usize,
        controls: &[Control],
    ) -> Result<Summaries<S>, WpdsError> {
        let rounds = question.schedule.rounds_of(thread);
        let entries: Vec<Control> = rounds.iter().map(|&round| controls[round]).collect();
        let key = (thread, entries);
        if !question.known.contains_key(&key) {
            let contexts = Contexts {
                start: (&question.start.0[thread], question.start.1),
                goal: (&question.goal.0[thread], question.goal.1),
                entries: &key.1,
            };
            let composed = Composition::new(&self.threads[thread], contexts, &self.budget)?;
            question.states += composed.len();
            let weights = composed.weights(&question.power, &rounds)?;
            question.known.insert(key.clone(), weights);
        }
        let after = |(ends, tensor): &(Vec<Control>, TensorOf<S>)| {
            let mut after = controls.to_vec();
            for (&round, &end) in rounds.iter().zip(ends) {
                after[round] = end;
            }
            (after, tensor.clone())
        };
        Ok(question
            .known
            .get(&key)
            .map_or_else(Vec::new, |known| known.iter().map(after).collect()))
    }

    /// The weight of several contexts of one thread in a row, by the paper's own construction with
    /// transposed weights (LAL 6.5.3). It is what [`weight`](Self::weight) says of a system with this
    /// thread only; slower, for comparison.
    pub fn weight_by_transposition(
        &self,
        thread: usize,
        (start, goal): (&ConfigSet, &ConfigSet),
        contexts: usize,
    ) -> Result<S::Weight, WpdsError> {
        let Some(transducer) = self.threads.get(thread) else {
            return Err(wrong_thread(thread));
        };
        transducer.check_start(start)?;
        start.check_input(self.controls)?;
        goal.check_input(self.controls)?;
        let domain = self.domain();
        let mut total = domain.zero();
        let sets = (std::slice::from_ref(start), std::slice::from_ref(goal));
        for (first, last) in self.ends(sets.0, sets.1) {
            for beginnings in self.beginnings(first, last, contexts) {
                let entries = &beginnings[..contexts];
                let run = Contexts { start: (start, first), goal: (goal, last), entries };
                let composed = Composition::new(transducer, run, &self.budget)?;
                let ends = &beginnings[beginnings.len() - contexts..];
                let weight = composed.weight_by_transposition(ends)?;
                total = domain.combine(&total, &weight)?;
            }
        }
        Ok(total)
    }
}
