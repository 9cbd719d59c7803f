//! Which engines there are, for which programs, and when each begins: the one table.
//!
//! A new engine is a file in [`engines`](crate::engines) and an entry here.

use gnomon_engine::check::{Engine as Chosen, Task};
use gnomon_engine::control::loop_heads;
use gnomon_engine::sliced::Relevance;
use gnomon_engine::verdict::Reason;
use gnomon_ir::program::Program;
use gnomon_logic::encode::Theory;

use crate::engine::Engine;
use crate::engines;
use crate::scheduler::{Begins, Role, SECOND};
use crate::sequential::Subject;

/// Makes an engine.
pub type Make = for<'a> fn(&'a Task<'a>, Theory) -> Result<Box<dyn Engine + 'a>, Reason>;

/// An engine of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, for people and in statistics.
    pub name: &'static str,
    /// What it is there for.
    pub role: Role,
    /// What it works in.
    pub theory: Theory,
    /// How it is made.
    pub make: Make,
    /// When it begins, if it is there for such a check at all.
    pub begins: fn(&Kind) -> Option<Begins>,
    /// The work of its first slice: what it may do before others have their next turn.
    pub first: u64,
    /// Its share of the work, beside the others.
    pub share: u64,
}

/// What matters of a check for the choice of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Whether functions call themselves.
    pub is_recursive: bool,
    /// Whether formulas may have arrays.
    pub has_arrays: bool,
    /// Whether there are loops.
    pub has_loops: bool,
    /// The proof engine that the user wants.
    pub chosen: Chosen,
    /// Whether plain runs are wanted.
    pub runs: bool,
    /// Whether a search for bugs is wanted.
    pub search: bool,
    /// Whether integers are wanted.
    pub integers: bool,
    /// Whether bits are wanted.
    pub bits: bool,
}

impl Kind {
    /// Of a check.
    pub fn of(subject: &Subject<'_>) -> Self {
        let Subject { program, entry, sites, facts, options, budget, .. } = *subject;
        let relevance = Relevance::new(facts);
        let task = Task { program, entry, sites, facts, relevance: &relevance, options, budget };
        Self {
            is_recursive: task.is_recursive(),
            has_arrays: facts.has_arrays(budget),
            has_loops: has_loops(program),
            chosen: options.engine,
            runs: options.runs,
            search: options.search,
            integers: options.theories.contains(&Theory::Int),
            bits: options.theories.contains(&Theory::Bits),
        }
    }

    fn lazy(&self) -> bool {
        matches!(self.chosen, Chosen::Auto | Chosen::Lazy)
    }

    fn pushdown(&self) -> bool {
        matches!(self.chosen, Chosen::Auto | Chosen::Pushdown)
    }

    fn values(&self) -> bool {
        matches!(self.chosen, Chosen::Auto | Chosen::Values)
    }

    fn numeric(&self) -> bool {
        matches!(self.chosen, Chosen::Auto | Chosen::Numeric)
    }
}

const RUNS: &str = "runs";
const AFFINE: &str = "affine relations";
const CHANCE: &str = "chance";
const NUMERIC: &str = "numeric";
const BOUNDS: &str = "bounds";
const PATHS: &str = "paths";
const VALUES: &str = "values";
const SEARCH: &str = "search";
const SEARCH_BITS: &str = "search, bits";
const K_INDUCTION: &str = "k-induction";
const LAZY: &str = "lazy";
const LAZY_BITS: &str = "lazy, bits";
const QUANTIFIED: &str = "quantified";
const ELEMENTS: &str = "lazy, elements";
const PUSHDOWN: &str = "pushdown";
const PUSHDOWN_BITS: &str = "pushdown, bits";

/// All engines. Of several that have done equally much, the first in the table is next.
pub const TABLE: &[Entry] = &[
    Entry {
        name: RUNS,
        role: Role::Helps,
        theory: Theory::Int,
        make: engines::plain_runs,
        begins: |kind| kind.runs.then_some(Begins::First),
        first: SECOND,
        share: 2,
    },
    Entry {
        name: NUMERIC,
        role: Role::Tries,
        theory: Theory::Int,
        make: engines::numeric,
        begins: |kind| kind.numeric().then_some(Begins::First),
        first: SECOND,
        share: 2,
    },
    Entry {
        name: BOUNDS,
        role: Role::Helps,
        theory: Theory::Int,
        make: engines::numeric_proposals,
        begins: |kind| (kind.has_loops && kind.chosen == Chosen::Lazy).then_some(Begins::First),
        first: SECOND,
        share: 2,
    },
    Entry {
        name: AFFINE,
        role: Role::Helps,
        theory: Theory::Int,
        make: engines::affine_relations,
        begins: |kind| kind.has_loops.then_some(Begins::First),
        first: SECOND,
        share: 2,
    },
    Entry {
        name: CHANCE,
        role: Role::Helps,
        theory: Theory::Bits,
        make: engines::by_chance,
        begins: |kind| (kind.runs && kind.search).then_some(Begins::Together),
        first: SECOND / 4,
        share: 1,
    },
    Entry {
        name: PATHS,
        role: Role::Tries,
        theory: Theory::Int,
        make: engines::path_by_path,
        begins: |kind| (kind.is_recursive && kind.chosen == Chosen::Auto).then_some(Begins::First),
        first: SECOND / 2,
        share: 2,
    },
    Entry {
        name: VALUES,
        role: Role::Tries,
        theory: Theory::Bits,
        make: engines::explicit_values,
        begins: |kind| kind.values().then_some(Begins::First),
        first: SECOND / 2,
        share: 2,
    },
    Entry {
        name: QUANTIFIED,
        role: Role::Tries,
        theory: Theory::Bits,
        make: engines::quantified,
        begins: |kind| {
            let is_for = kind.has_loops && kind.has_arrays && !kind.is_recursive;
            (is_for && kind.lazy() && kind.bits).then_some(Begins::Together)
        },
        first: SECOND,
        share: 2,
    },
    Entry {
        name: SEARCH_BITS,
        theory: Theory::Bits,
        make: engines::unwinding,
        begins: |kind| (kind.search && kind.lazy() && kind.bits).then_some(Begins::First),
        first: SECOND,
        share: 2,
        role: Role::Decides,
    },
    Entry {
        name: K_INDUCTION,
        role: Role::Tries,
        theory: Theory::Bits,
        make: engines::k_induction,
        begins: |kind| {
            let is_for = kind.has_loops && !kind.is_recursive && kind.lazy();
            (is_for && kind.search && kind.bits).then_some(Begins::Together)
        },
        first: SECOND / 2,
        share: 2,
    },
    Entry {
        name: SEARCH,
        role: Role::Decides,
        theory: Theory::Int,
        make: engines::bounded_search,
        begins: |kind| {
            let is_for = kind.search && kind.lazy() && kind.integers;
            // In bits it is faster.
            is_for.then_some(Begins::After(&[SEARCH_BITS]))
        },
        first: SECOND,
        share: 2,
    },
    Entry {
        name: LAZY,
        role: Role::Decides,
        theory: Theory::Int,
        make: engines::lazy_abstraction,
        begins: |kind| (kind.lazy() && kind.integers).then_some(Begins::Together),
        first: SECOND,
        share: 4,
    },
    Entry {
        name: PUSHDOWN,
        role: Role::Decides,
        theory: Theory::Int,
        make: engines::pushdown,
        begins: |kind| match kind.is_recursive {
            _ if !kind.pushdown() || !kind.integers => None,
            true => Some(Begins::Together),
            false => Some(Begins::After(&[LAZY])),
        },
        first: SECOND,
        share: 2,
    },
    Entry {
        name: ELEMENTS,
        role: Role::Tries,
        theory: Theory::Int,
        make: engines::by_elements,
        begins: |kind| {
            let is_for = kind.lazy() && kind.integers && kind.has_arrays;
            is_for.then_some(Begins::After(&[QUANTIFIED]))
        },
        first: SECOND,
        share: 4,
    },
    Entry {
        name: LAZY_BITS,
        role: Role::Decides,
        theory: Theory::Bits,
        make: engines::lazy_abstraction,
        begins: |kind| (kind.lazy() && kind.bits).then_some(Begins::After(&[LAZY])),
        first: SECOND,
        share: 2,
    },
    Entry {
        name: PUSHDOWN_BITS,
        role: Role::Decides,
        theory: Theory::Bits,
        make: engines::pushdown,
        begins: |kind| (kind.pushdown() && kind.bits).then_some(Begins::After(&[PUSHDOWN])),
        first: SECOND,
        share: 2,
    },
];

/// The names of all engines of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|entry| entry.name)
}

fn has_loops(program: &Program) -> bool {
    let mut bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    bodies.any(|body| !loop_heads(body).is_empty())
}
