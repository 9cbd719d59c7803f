//! What is known at a point of the program in some of its runs.

use std::rc::Rc;

use gnomon_ir::expr::ExprId;

use super::value::Value;

/// A cell for what a function returns; no object has it.
pub(super) const RESULT_CELL: u32 = u32::MAX;
/// The expression for what a function returns; no program has it.
pub(super) const RESULT: ExprId = ExprId(u32::MAX);

/// Which cells may hold the watched value, or what was computed from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Holders {
    /// These, sorted.
    Only(Rc<[u32]>),
    /// Nobody knows.
    Any,
}

impl Holders {
    pub fn none() -> Self {
        Self::Only(Rc::from([]))
    }

    pub fn of(mut cells: Vec<u32>) -> Self {
        cells.sort_unstable();
        cells.dedup();
        if cells.len() > MOST_HOLDERS { Self::Any } else { Self::Only(cells.into()) }
    }

    /// With more cells.
    pub fn with(&self, more: impl IntoIterator<Item = u32>) -> Self {
        match self {
            Self::Any => Self::Any,
            Self::Only(cells) => Self::of(cells.iter().copied().chain(more).collect()),
        }
    }

    /// Only those for which it is so.
    pub fn retain(&self, keep: impl Fn(u32) -> bool) -> Self {
        match self {
            Self::Any => Self::Any,
            Self::Only(cells) if cells.iter().all(|&c| keep(c)) => Self::Only(cells.clone()),
            Self::Only(cells) => {
                Self::Only(cells.iter().copied().filter(|&c| keep(c)).collect::<Vec<_>>().into())
            }
        }
    }

    pub fn any(&self, is: impl Fn(u32) -> bool) -> bool {
        match self {
            Self::Any => true,
            Self::Only(cells) => cells.iter().any(|&c| is(c)),
        }
    }

    pub fn contains(&self, cell: u32) -> bool {
        match self {
            Self::Any => true,
            Self::Only(cells) => cells.binary_search(&cell).is_ok(),
        }
    }

    fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(_), Self::Only(cells)) => self.with(cells.iter().copied()),
            _ => Self::Any,
        }
    }

    fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Any) => true,
            (Self::Any, Self::Only(_)) => false,
            (Self::Only(cells), Self::Only(_)) => cells.iter().all(|&c| other.contains(c)),
        }
    }
}

/// More cells than this are all.
const MOST_HOLDERS: usize = 1_000;
/// More expressions than this are not remembered.
const MOST_VALUES: usize = 48;

/// Runs that have the same automaton state, and what is known of all of them.
///
/// Before something is watched, "the watched value" is the newest value that a function made which
/// only makes new ones: if it becomes the watched one, it is known who has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Fact {
    /// Where the watch began; 0 if it did not.
    pub origin: u32,
    /// The variables of the automaton, as constants where known.
    pub ghosts: Rc<[Option<i128>]>,
    /// What is known of expressions, sorted.
    pub values: Rc<[(ExprId, Value)]>,
    /// Who may have the watched value.
    pub holders: Holders,
    /// Cells that may hold any number by what the program does to them somewhere, but do not hold
    /// the watched one now, unless they are holders; sorted.
    pub cleaned: Rc<[u32]>,
}

impl Fact {
    pub fn get(&self, e: ExprId) -> Option<Value> {
        let found = self.values.binary_search_by_key(&e, |(key, _)| *key).ok()?;
        Some(self.values[found].1)
    }

    /// What is known of an expression from now on.
    pub fn set(&mut self, e: ExprId, value: Value) {
        let found = self.values.binary_search_by_key(&e, |(key, _)| *key);
        let mut values = self.values.to_vec();
        match (found, value.is_known()) {
            (Ok(at), true) => values[at].1 = value,
            (Ok(at), false) => {
                values.remove(at);
            }
            (Err(at), true) if values.len() < MOST_VALUES => values.insert(at, (e, value)),
            (Err(_), _) => return,
        }
        self.values = values.into();
    }

    /// Forgets what is known of some expressions.
    pub fn retain(&mut self, mut keep: impl FnMut(ExprId) -> bool) {
        if !self.values.iter().all(|(e, _)| keep(*e)) {
            let kept = self.values.iter().filter(|(e, _)| keep(*e)).copied();
            self.values = kept.collect::<Vec<_>>().into();
        }
    }

    /// These cells hold numbers from now on that are not the watched one.
    pub fn clean(&mut self, cells: impl Iterator<Item = u32>) {
        let mut all: Vec<u32> = self.cleaned.iter().copied().chain(cells).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= MOST_VALUES {
            self.cleaned = all.into();
        }
    }

    /// These cells may hold any number again.
    pub fn soil(&mut self, is: impl Fn(u32) -> bool) {
        if self.cleaned.iter().any(|&cell| is(cell)) {
            let kept = self.cleaned.iter().copied().filter(|&cell| !is(cell));
            self.cleaned = kept.collect::<Vec<_>>().into();
        }
    }

    /// Forgets what is the watched value, and who has it.
    pub fn forget_watched(&mut self) {
        let plain = self.values.iter().map(|(e, v)| (*e, v.number()));
        self.values = plain.filter(|(_, v)| v.is_known()).collect::<Vec<_>>().into();
        self.holders = Holders::none();
        self.cleaned = [].into();
    }

    /// What tells facts apart that are never joined.
    pub fn key(&self) -> (u32, Rc<[Option<i128>]>) {
        (self.origin, self.ghosts.clone())
    }

    /// What holds of both; they have the same key.
    pub fn join(&self, other: &Self) -> Self {
        let common = self.values.iter().filter_map(|(e, v)| {
            let both = v.join(&other.get(*e)?);
            both.is_known().then_some((*e, both))
        });
        Self {
            origin: self.origin,
            ghosts: self.ghosts.clone(),
            values: common.collect::<Vec<_>>().into(),
            holders: self.holders.join(&other.holders),
            cleaned: {
                let both = |cell: &u32| other.cleaned.binary_search(cell).is_ok();
                self.cleaned.iter().copied().filter(both).collect::<Vec<_>>().into()
            },
        }
    }

    /// Whether this says nothing that the other does not say; they have the same key.
    pub fn is_implied_by(&self, other: &Self) -> bool {
        other.holders.is_within(&self.holders)
            && self.cleaned.iter().all(|cell| other.cleaned.binary_search(cell).is_ok())
            && self.values.iter().all(|(e, v)| other.get(*e).is_some_and(|w| v.is_implied_by(&w)))
    }
}
