//! All that few threads can see of one another, for any number of threads: a proof by views.
//!
//! A *view* is what is shared, where the first thread is, and what at most two other threads are and know; of the
//! rest of the threads nothing is said. The views of all states that any number of threads can reach are computed as a
//! fixpoint (Abdulla, Haziza and Holík, *All for the Price of Few*, VMCAI 2013): a thread of a view does a step, or a third
//! one does, which must fit to both of the others, as far as views of two tell. That is more than can happen, never less: each
//! part of a state with three threads is a view. So threads that are made in loops without end are looked at like
//! others, and errors that no view shows do not happen.
//!
//! What a view says of numbers is a zone ([`zone`]). For each place of the threads of a view there are a few zones;
//! where there would be more, two that differ little become one, and bounds that grow are widened.
//!
//! Nothing is said of errors: one that views show need not happen.

mod cells;
mod step;
mod values;
mod zone;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Budget;
use gnomon_ir::span::Span;

use crate::graph::{AT_START, ENDED};
use crate::sequential::Sequential;
use crate::views::cells::Dim;
use crate::views::step::{MADE, Open, SHARED, Steps, Stop};
use crate::views::zone::{Coarse, Zone};

/// What is told apart.
#[derive(Clone, Copy, Debug)]
struct Precision {
    /// How many zones there are at most for the same places.
    zones: usize,
    /// How many values a number may have before only bounds that count are kept of it.
    constants: usize,
    /// Whether numbers of one thread are compared with those of another.
    compares: bool,
}

/// One attempt after the other.
const ATTEMPTS: [Precision; 4] = [
    Precision { zones: 4, constants: 3, compares: false },
    Precision { zones: 16, constants: 4, compares: true },
    Precision { zones: 48, constants: 6, compares: false },
    Precision { zones: 120, constants: 10, compares: true },
];
/// How many views are kept at most.
const MOST_VIEWS: usize = 400_000;
/// How many bounds they have at most in all.
const MOST_BOUNDS: usize = 40_000_000;
/// What it costs to look whether three views fit.
const LOOK: u64 = 2;
/// After so many joins at the same places bounds that grow are widened.
const JOINS: usize = 4;

/// What the views showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// No error.
    Proved {
        /// How many views there are.
        views: u64,
    },
    /// Nothing.
    Open {
        /// Why.
        why: String,
        /// Where.
        span: Span,
    },
}

/// A thread: its kind, and where it stands.
type Thread = (usize, i128);

/// Where the threads of a view stand: the first one, and the others in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Places {
    first: i128,
    others: Vec<Thread>,
}

struct View {
    places: Places,
    zone: Zone,
    /// Whether no other view includes it.
    counts: bool,
    done: bool,
}

/// Looks at all views of a program that was taken apart by kinds of threads, until there is an error or no new view; two other
/// threads in each view. Calls of some functions are errors.
pub fn look(sequential: &Sequential, errors: &[String], budget: &Budget) -> Shown {
    let steps = match Steps::new(sequential, errors, budget) {
        Ok(steps) => steps,
        Err(why) => return Shown::Open { why, span: Span::NONE },
    };
    let mut last = Shown::Open { why: "no view was looked at".to_owned(), span: Span::NONE };
    for precision in ATTEMPTS {
        let mut search = Search::new(&steps, precision, budget);
        match search.run() {
            Ok(()) => {
                let views = search.views.iter().filter(|view| view.counts).count() as u64;
                return Shown::Proved { views };
            }
            Err(Open { why, span }) => {
                budget.report("views", format_args!("{} views: {why}", search.views.len()));
                last = Shown::Open { why, span };
            }
        }
        if budget.check_now().is_err() {
            break;
        }
    }
    last
}

struct Search<'s, 'a> {
    steps: &'s Steps<'a>,
    precision: Precision,
    budget: &'s Budget,
    views: Vec<View>,
    /// Those that count, by places, and how often two were joined.
    at: BTreeMap<Places, (Vec<usize>, usize)>,
    /// The other threads that one is seen with.
    with: BTreeMap<(i128, Thread), BTreeSet<Thread>>,
    work: BTreeSet<(usize, usize)>,
    /// The constants that cells were seen with, until there are too many to tell apart.
    constants: BTreeMap<u32, BTreeSet<i64>>,
    /// How many bounds are kept in all.
    bounds: usize,
    /// Whether one more cell has too many: what was seen before told too much apart.
    begins_again: bool,
}

/// The view's zone with its threads in other slots.
fn placed(zone: &Zone, slots: [u8; 2]) -> Zone {
    let mut zone = zone.clone();
    zone.keep(|dim| match dim.slot {
        1 | 2 => Some(Dim { slot: slots[usize::from(dim.slot) - 1], ..dim }),
        _ => Some(dim),
    });
    zone
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(steps: &'s Steps<'a>, precision: Precision, budget: &'s Budget) -> Self {
        let (views, at, with, work, constants) = Default::default();
        let (bounds, begins_again) = (0, true);
        Self { steps, precision, budget, views, at, with, work, constants, bounds, begins_again }
    }

    /// Forgets all views but the first one.
    fn begin(&mut self) {
        self.begins_again = false;
        self.views.clear();
        self.bounds = 0;
        self.at.clear();
        self.with.clear();
        self.work.clear();
        let places = Places { first: AT_START, others: Vec::new() };
        self.add(places, self.steps.beginning());
    }

    fn run(&mut self) -> Result<(), Open> {
        let open = |why: String| Open { why, span: Span::NONE };
        loop {
            if self.begins_again {
                self.begin();
                continue;
            }
            let Some((_, view)) = self.work.pop_first() else { return Ok(()) };
            self.budget.check().map_err(|limit| open(limit.to_string()))?;
            if self.views.len() > MOST_VIEWS || self.bounds > MOST_BOUNDS {
                return Err(open("there are too many views".to_owned()));
            }
            if self.views[view].counts {
                self.views[view].done = true;
                self.alone(view)?;
                self.disturbed(view)?;
            }
        }
    }

    /// Adds what a zone allows there, with the views that are parts of it. Of what has many values only bounds that
    /// count are kept.
    fn add(&mut self, places: Places, mut zone: Zone) {
        let cells = &self.steps.cells;
        for dim in zone.dims() {
            let seen = self.constants.entry(dim.cell).or_default();
            if let (least, most) = zone.range(*dim, cells)
                && least == most
                && seen.len() <= self.precision.constants
            {
                seen.insert(least);
                self.begins_again |= seen.len() > self.precision.constants;
            }
        }
        let (constants, precision) = (&self.constants, self.precision);
        let many = |dim: Option<Dim>| {
            let seen = dim.and_then(|dim| constants.get(&dim.cell));
            seen.is_some_and(|seen| seen.len() > precision.constants)
        };
        let strangers = |a: Option<Dim>, b: Option<Dim>| match (a, b) {
            (Some(a), Some(b)) => a.slot != b.slot && a.slot != SHARED && b.slot != SHARED,
            _ => false,
        };
        let coarse = |a, b| match () {
            () if !precision.compares && strangers(a, b) => Coarse::Out,
            () if many(a) || many(b) => Coarse::Next,
            () => Coarse::Kept,
        };
        zone.coarsen(coarse, cells);
        self.add_parts(places, zone);
    }

    fn add_parts(&mut self, places: Places, zone: Zone) {
        let Places { first, others } = &places;
        match others[..] {
            [a, b] if a > b => {
                let zone = placed(&zone, [2, 1]);
                return self.add_parts(Places { first: *first, others: vec![b, a] }, zone);
            }
            [a, b] => {
                for (left, slot, slots) in [(a, 1, [1, MADE]), (b, 2, [MADE, 1])] {
                    let mut part = placed(&zone, slots);
                    part.keep(|dim| (dim.slot != MADE).then_some(dim));
                    debug_assert!(slot == 1 || slot == 2, "two others");
                    self.add_one(Places { first: *first, others: vec![left] }, part);
                }
            }
            _ => {}
        }
        self.add_one(places, zone);
    }

    fn add_one(&mut self, places: Places, zone: Zone) {
        if places.others.len() == 1 {
            let mut part = zone.clone();
            part.keep(|dim| (dim.slot == SHARED).then_some(dim));
            self.add_one(Places { first: places.first, others: Vec::new() }, part);
        }
        let cells = &self.steps.cells;
        let (known, joins) = self.at.entry(places.clone()).or_default();
        if known.iter().any(|&view| self.views[view].zone.includes(&zone, cells)) {
            return;
        }
        let mut zone = zone;
        loop {
            let views = &mut self.views;
            let bounds = &mut self.bounds;
            known.retain(|&view| {
                let counts = !zone.includes(&views[view].zone, cells);
                if !counts {
                    views[view].counts = false;
                    let gone = std::mem::replace(&mut views[view].zone, Zone::any());
                    *bounds -= gone.size();
                }
                counts
            });
            if known.len() < self.precision.zones {
                break;
            }
            let near = known.iter().copied();
            let near = near.min_by_key(|&view| self.views[view].zone.distance(&zone, cells));
            let Some(near) = near else { break };
            let before = &self.views[near].zone;
            let joined = before.join(&zone, cells);
            *joins += 1;
            zone = match *joins > JOINS {
                true => before.widen(&joined, cells),
                false => joined,
            };
        }
        let view = self.views.len();
        known.push(view);
        if let [a, b] = places.others[..] {
            self.with.entry((places.first, a)).or_default().insert(b);
            self.with.entry((places.first, b)).or_default().insert(a);
        }
        self.work.insert((places.others.len(), view));
        self.bounds += zone.size();
        self.views.push(View { places, zone, counts: true, done: false });
    }

    /// What the threads of a view do.
    fn alone(&mut self, view: usize) -> Result<(), Open> {
        let View { places, zone, .. } = &self.views[view];
        let (places, zone) = (places.clone(), zone.clone());
        let Places { first, others } = &places;
        if *first != ENDED {
            for stop in self.steps.stops((0, SHARED), *first, zone.clone())? {
                self.arrive(others.clone(), None, stop.counter, stop);
            }
        }
        for (place, &(kind, counter)) in others.iter().enumerate() {
            let slot = place as u8 + 1;
            for stop in self.steps.stops((kind, slot), counter, zone.clone())? {
                let mut others = others.clone();
                others[place].1 = stop.counter;
                self.arrive(others, Some(place), *first, stop);
            }
        }
        Ok(())
    }

    /// Adds the view in which a thread has stopped, and those with a thread that it has made.
    fn arrive(&mut self, others: Vec<Thread>, moved: Option<usize>, first: i128, stop: Stop) {
        let Stop { zone, counter, made, .. } = stop;
        let has_ended = |place: usize| moved == Some(place) && counter == ENDED;
        // With the one that was made there are views of two in which one of the others is left out.
        if let Some(kind) = made {
            let new = (kind, AT_START);
            if others.is_empty() {
                let mut part = zone.clone();
                part.keep(|dim| Some(if dim.slot == MADE { Dim { slot: 1, ..dim } } else { dim }));
                self.add(Places { first, others: vec![new] }, part);
            }
            for (place, &other) in others.iter().enumerate() {
                let own = place as u8 + 1;
                let mut part = zone.clone();
                part.keep(|dim| match dim.slot {
                    SHARED => Some(dim),
                    MADE => Some(Dim { slot: 2, ..dim }),
                    slot if slot == own => Some(Dim { slot: 1, ..dim }),
                    _ => None,
                });
                match has_ended(place) {
                    false => self.add(Places { first, others: vec![other, new] }, part),
                    true => {
                        part.keep(|dim| match dim.slot {
                            1 => None,
                            2 => Some(Dim { slot: 1, ..dim }),
                            _ => Some(dim),
                        });
                        self.add(Places { first, others: vec![new] }, part);
                    }
                }
            }
        }
        let mut zone = zone;
        zone.keep(|dim| (dim.slot != MADE).then_some(dim));
        let mut left = others;
        if let Some(place) = moved.filter(|&place| has_ended(place)) {
            left.remove(place);
            let gone = place as u8 + 1;
            zone.keep(|dim| match dim.slot {
                SHARED => Some(dim),
                slot if slot == gone => None,
                _ => Some(Dim { slot: 1, ..dim }),
            });
        }
        self.add(Places { first, others: left }, zone);
    }

    /// What a third thread does to two, where this view is of the two, or of one of them and the third.
    fn disturbed(&mut self, view: usize) -> Result<(), Open> {
        let places = self.views[view].places.clone();
        let first = places.first;
        let [one, other] = places.others[..] else { return Ok(()) };
        let seen = |search: &Self, thread: Thread| -> Vec<Thread> {
            let found = search.with.get(&(first, thread));
            found.into_iter().flatten().copied().collect()
        };
        for third in seen(self, one) {
            if !self.steps.is_noticed(third.0, third.1) {
                continue;
            }
            for with_one in self.pairs(first, one, third) {
                for with_other in self.pairs(first, other, third) {
                    let all = [(view, false), with_one, with_other];
                    self.third(first, [one, other, third], all)?;
                }
            }
        }
        for (one, third, flipped) in [(one, other, false), (other, one, true)] {
            if !self.steps.is_noticed(third.0, third.1) {
                continue;
            }
            for other in seen(self, one) {
                for with_other in self.pairs(first, one, other) {
                    for others in self.pairs(first, other, third) {
                        let all = [with_other, (view, flipped), others];
                        self.third(first, [one, other, third], all)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The views of two threads that count and were looked at, and whether the second one is the first in it.
    fn pairs(&self, first: i128, one: Thread, other: Thread) -> Vec<(usize, bool)> {
        let others = vec![one.min(other), one.max(other)];
        let found = self.at.get(&Places { first, others });
        let found = found.into_iter().flat_map(|(views, _)| views.iter().copied());
        let found = found.filter(|&view| self.views[view].done);
        let flips: &[bool] = match one.cmp(&other) {
            std::cmp::Ordering::Less => &[false],
            std::cmp::Ordering::Greater => &[true],
            std::cmp::Ordering::Equal => &[false, true],
        };
        found.flat_map(|view| flips.iter().map(move |&flip| (view, flip))).collect()
    }

    /// The third of three threads does a step: views of the first and the second, the first and the third, the second and
    /// the third.
    fn third(
        &mut self,
        first: i128,
        [one, other, third]: [Thread; 3],
        views: [(usize, bool); 3],
    ) -> Result<(), Open> {
        self.budget.charge(LOOK);
        self.budget.check().map_err(|limit| Open { why: limit.to_string(), span: Span::NONE })?;
        let cells = &self.steps.cells;
        let zone = |(view, _): (usize, bool)| &self.views[view].zone;
        if views.iter().any(|&(view, _)| !self.views[view].counts) {
            return Ok(());
        }
        let shared = |dim: Dim| dim.slot == SHARED;
        let apart = |a, b| zone(a).excludes(zone(b), shared, cells);
        if apart(views[0], views[1]) || apart(views[0], views[2]) || apart(views[1], views[2]) {
            return Ok(());
        }
        let slots = [[1, 2], [1, 3], [2, 3]];
        let mut parts = views.into_iter().zip(slots).map(|((view, flipped), [a, b])| {
            placed(&self.views[view].zone, if flipped { [b, a] } else { [a, b] })
        });
        let (Some(two), Some(left), Some(right)) = (parts.next(), parts.next(), parts.next())
        else {
            return Ok(());
        };
        let met = two.meet(&left, cells).and_then(|met| met.meet(&right, cells));
        let Some(met) = met else { return Ok(()) };
        for stop in self.steps.stops((third.0, 3), third.1, met)? {
            if !stop.visible {
                continue;
            }
            let mut zone = stop.zone;
            zone.keep(|dim| (dim.slot < 3).then_some(dim));
            self.add(Places { first, others: vec![one, other] }, zone);
        }
        Ok(())
    }
}
