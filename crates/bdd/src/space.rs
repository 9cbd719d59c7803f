//! The shared table of nodes and the variables.
//!
//! Variables are levels: a variable that was added later is tested later. There is no reordering,
//! so a caller puts variables that belong together (the copies of one program variable) side by side.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use gnomon_budget::Budget;
use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Manager, ManagerRef, Subst};

use crate::{Bdd, BddError};

/// How long it takes at most to give back collected room, about.
const HANDING_BACK: std::time::Duration = std::time::Duration::from_millis(5);

/// A variable, also its level in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A set of variables to quantify.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VarSet(pub(crate) Bdd);

/// A map from variables to variables, made once and applied often: results are cached by it.
#[derive(Clone)]
pub struct Renaming {
    pub(crate) substitution: Arc<Subst<BDDFunction>>,
}

impl fmt::Debug for Renaming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renaming").finish_non_exhaustive()
    }
}

/// The owner of variables and nodes. Clones share them.
#[derive(Clone)]
pub struct BddSpace {
    pub(crate) inner: Arc<SpaceInner>,
}

pub(crate) struct SpaceInner {
    table: BDDManagerRef,
    capacity: usize,
    budget: RwLock<Budget>,
    /// Nodes in the table when the clock was looked at last.
    watched_at: AtomicUsize,
}

impl fmt::Debug for BddSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BddSpace")
            .field("capacity", &self.inner.capacity)
            .field("variables", &self.variable_count())
            .finish_non_exhaustive()
    }
}

impl PartialEq for BddSpace {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for BddSpace {}

/// A node takes 16 bytes and its slot in the unique table 4 more: 2^28 nodes are about 5 GiB.
const MAX_CAPACITY: usize = 1 << 28;

/// The operation cache has one entry for this many nodes.
const NODES_PER_CACHE_ENTRY: usize = 16;

/// A budget looks at the clock once in many steps, but a step may be an operation of a second: after so
/// many new nodes it is made to look.
const NODES_BETWEEN_LOOKS: usize = 1 << 16;

impl BddSpace {
    /// A space with room for `capacity` nodes (about 20 bytes each, taken from the system as they
    /// are used) and no variables.
    pub fn new(capacity: usize) -> Result<Self, BddError> {
        if capacity > MAX_CAPACITY {
            return Err(BddError::CapacityTooLarge { capacity, max: MAX_CAPACITY });
        }
        let capacity = capacity.max(1 << 10);
        let cache = (capacity / NODES_PER_CACHE_ENTRY).clamp(1 << 12, 1 << 20);
        let table = oxidd::bdd::new_manager(capacity, cache, 1);
        Ok(Self {
            inner: Arc::new(SpaceInner {
                table,
                capacity,
                budget: RwLock::new(Budget::unlimited()),
                watched_at: AtomicUsize::new(0),
            }),
        })
    }

    /// From now on every operation counts as one step of `budget` and stops with it.
    pub fn set_budget(&self, budget: Budget) {
        match self.inner.budget.write() {
            Ok(mut guard) => *guard = budget,
            Err(poisoned) => *poisoned.into_inner() = budget,
        }
    }

    /// How many nodes the table can hold.
    pub fn capacity(&self) -> usize {
        self.inner.capacity
    }

    /// About how many nodes are in the table now, garbage included.
    pub fn nodes_in_table(&self) -> usize {
        self.inner.table.with_manager_shared(|table| table.approx_num_inner_nodes())
    }

    /// Drops every node that no handle needs, and says how many they were.
    pub fn collect_garbage(&self) -> usize {
        // The library collects in a thread of its own too, and does nothing if that is at work: so wait
        // until nobody is.
        self.inner.table.with_manager_exclusive(|table| table.gc())
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> u32 {
        self.inner.table.with_manager_shared(|table| table.num_vars())
    }

    /// Adds variables behind all others.
    pub fn add_variables(&self, count: u32) -> Result<Vec<Var>, BddError> {
        let present = self.variable_count();
        if present.checked_add(count).is_none_or(|all| all >= u32::MAX - 1) {
            let var = Var(present.saturating_add(count));
            return Err(BddError::UnknownVariable { var, variables: present });
        }
        let range = self.inner.table.with_manager_exclusive(|table| table.add_vars(count));
        Ok(range.map(Var).collect())
    }

    /// The constant true.
    pub fn top(&self) -> Bdd {
        self.wrap(self.inner.table.with_manager_shared(|table| BDDFunction::t(table)))
    }

    /// The constant false.
    pub fn bottom(&self) -> Bdd {
        self.wrap(self.inner.table.with_manager_shared(|table| BDDFunction::f(table)))
    }

    /// The constant `value`.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.top() } else { self.bottom() }
    }

    /// The function that is true when `var` is.
    pub fn variable(&self, var: Var) -> Result<Bdd, BddError> {
        self.literal(var, true)
    }

    /// The function that is true when `var` has the value `positive`.
    pub fn literal(&self, var: Var, positive: bool) -> Result<Bdd, BddError> {
        self.check_variable(var)?;
        self.run(|| {
            self.inner.table.with_manager_shared(|table| {
                if positive {
                    BDDFunction::var(table, var.0)
                } else {
                    BDDFunction::not_var(table, var.0)
                }
            })
        })
    }

    /// The conjunction of literals.
    pub fn cube(&self, literals: &[(Var, bool)]) -> Result<Bdd, BddError> {
        // From the last level up, so that every conjunction adds one node on top.
        let mut sorted = literals.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let mut cube = self.top();
        for (var, positive) in sorted {
            cube = self.literal(var, positive)?.and(&cube)?;
        }
        Ok(cube)
    }

    /// A set of variables, for quantification.
    pub fn variable_set(&self, vars: &[Var]) -> Result<VarSet, BddError> {
        let literals: Vec<_> = vars.iter().map(|&var| (var, true)).collect();
        Ok(VarSet(self.cube(&literals)?))
    }

    /// The renaming that replaces the first variable of each pair by the second. It must be
    /// injective; a permutation (say, a swap) is fine.
    pub fn renaming(&self, pairs: &[(Var, Var)]) -> Result<Renaming, BddError> {
        for side in [|p: &(Var, Var)| p.0, |p: &(Var, Var)| p.1] {
            let mut seen: Vec<Var> = pairs.iter().map(side).collect();
            seen.sort_unstable();
            if let Some(twice) = seen.windows(2).find(|w| w[0] == w[1]) {
                return Err(BddError::NotInjective { var: twice[0] });
            }
        }
        let mut from = Vec::with_capacity(pairs.len());
        let mut to = Vec::with_capacity(pairs.len());
        for &(old, new) in pairs {
            self.check_variable(old)?;
            from.push(old.0);
            to.push(self.variable(new)?.function);
        }
        Ok(Renaming { substitution: Arc::new(Subst::new(from, to)) })
    }

    pub(crate) fn check_variable(&self, var: Var) -> Result<(), BddError> {
        let variables = self.variable_count();
        if var.0 < variables { Ok(()) } else { Err(BddError::UnknownVariable { var, variables }) }
    }

    pub(crate) fn wrap(&self, function: BDDFunction) -> Bdd {
        Bdd { function, space: self.clone() }
    }

    /// Runs one operation on the table: budget first, and a second try after collecting garbage.
    pub(crate) fn run(
        &self,
        operation: impl Fn() -> AllocResult<BDDFunction>,
    ) -> Result<Bdd, BddError> {
        self.spend()?;
        if let Ok(function) = operation() {
            return Ok(self.wrap(function));
        }
        if self.collect_garbage() == 0 {
            // The thread of the library may have collected, and be about to give the room back.
            std::thread::sleep(HANDING_BACK);
        }
        operation()
            .map(|function| self.wrap(function))
            .map_err(|_| BddError::OutOfNodes { capacity: self.inner.capacity })
    }

    fn spend(&self) -> Result<(), BddError> {
        let guard = match self.inner.budget.read() {
            Ok(budget) => budget,
            Err(poisoned) => poisoned.into_inner(),
        };
        guard.check()?;
        let nodes = self.nodes_in_table();
        let seen = self.inner.watched_at.load(Ordering::Relaxed);
        if nodes.abs_diff(seen) >= NODES_BETWEEN_LOOKS {
            self.inner.watched_at.store(nodes, Ordering::Relaxed);
            guard.check_now()?;
        }
        Ok(())
    }
}
