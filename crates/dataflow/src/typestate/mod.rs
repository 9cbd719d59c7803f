//! Typestate: which errors of an automaton no run can reach, found without a solver.
//!
//! A spec is woven into a program as a few variables that only the spec touches: the state, a
//! watched value, counters. So whether an error is reached is decided by the state, a small number,
//! and by comparisons with the watched value. This analysis follows just these two, through all
//! functions and at every point of them, and everything else only as far as it is cheap.
//!
//! A fact (`fact`) stands for some runs at a point: the state; expressions that are known to be the
//! watched value or known not to be (must and must-not aliases, in the words of Fink, Yahav, Dor,
//! Ramalingam and Geay, "Effective typestate verification in the presence of aliasing"), with
//! bounds of numbers beside; and all abstract locations that may hold the watched value, so that
//! what is read from others is none. If the watched value is new when the watch begins (what
//! `fopen` returns), nobody else holds it: this is what tells streams of different calls apart.
//! Facts of the same state are joined where they become many (property simulation, as in ESP by
//! Das, Lerner and Seigle). Functions are tabulated by the fact that they are entered with, so
//! recursion needs nothing special; functions in which the automaton cannot make a step are never
//! entered, but known by what they write and read.
//!
//! Each beginning of a watch is followed for itself (`tabulate`), those that need few steps first.
//! What takes too long is given up: it is taken to reach every error whose argument may be the
//! watched value by what can hold it at all (points-to sets; `numbers` for descriptors).
//!
//! Where nothing is known, both branches are followed. Errors that no fact reaches are reached by no
//! run; of the others nothing is said. Functions without a body do what [`gnomon_flow`] says of them,
//! with what they call back; functions that were given to `signal` may run between any two
//! operations. Where C leaves the order of operands open, all orders are covered (`orders`). Programs
//! with threads are refused.

mod eval;
mod fact;
mod fresh;
mod functions;
mod memory;
mod numbers;
mod orders;
mod paths;
mod tabulate;
mod transfer;
mod value;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{ObjectId, PointsTo};
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};
pub use gnomon_spec::Automaton;

use memory::static_address;
use tabulate::Tabulation;
use world::{Refused, World};

/// What was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Errors that no run reaches.
    pub excluded: BTreeSet<(FuncId, EdgeId)>,
    /// How many facts there are, at all points together.
    pub facts: u64,
    /// How many functions were entered with different facts.
    pub contexts: u64,
    /// How many beginnings of a watch were not followed to the end: their sites are not excluded.
    pub given_up: u64,
}

/// Finds errors of an automaton that no run of the program reaches; none if the analysis does not
/// cover the program.
pub fn analyze(
    program: &Program,
    points_to: &PointsTo,
    mod_ref: &ModRef,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<Outcome, Exhausted> {
    let Some(entry) = automaton.entry else { return Ok(Outcome::default()) };
    let world = match World::new(program, points_to, mod_ref, automaton, budget) {
        Ok(world) => world,
        Err(Refused::Exhausted(limit)) => return Err(limit),
        Err(Refused::Threads | Refused::Order) => return Ok(Outcome::default()),
    };
    let mut tabulation = Tabulation::new(&world);
    tabulation.run(entry, budget)?;
    let mut reached = std::mem::take(&mut tabulation.reached);
    for &origin in &tabulation.given_up {
        reached.extend(world.sites_of(origin));
    }
    let excluded = automaton.sites.difference(&reached).copied().collect();
    let (facts, contexts) = tabulation.size();
    let given_up = tabulation.given_up.len() as u64;
    Ok(Outcome { excluded, facts, contexts, given_up })
}

/// Where a watch can begin.
struct Origins {
    numbers: BTreeMap<(FuncId, EdgeId), u32>,
    known: Vec<Origin>,
    /// Whether what is watched is a number, not a pointer.
    of_numbers: bool,
}

struct Origin {
    /// What the watched value may point into.
    objects: BTreeSet<ObjectId>,
    /// The object and the byte that it points to.
    exact: Option<(ObjectId, u64)>,
    /// Whether it is the address of a variable.
    is_address: bool,
}

impl Origins {
    fn find(program: &Program, points_to: &PointsTo, automaton: &Automaton) -> Self {
        let (mut numbers, mut known) = (BTreeMap::new(), Vec::new());
        for (func, function) in program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                let Op::Assign { dst, src } = edge.op else { continue };
                let PlaceKind::Var(var) = program.exprs.place(dst).kind else { continue };
                if Some(var) != automaton.tracked {
                    continue;
                }
                let plain = without_casts(program, src);
                let targets = points_to.pointees(program, plain);
                numbers.insert((func, id), known.len() as u32);
                known.push(Origin {
                    objects: targets.iter().map(|target| target.object).collect(),
                    exact: static_address(program, points_to, plain),
                    is_address: match program.exprs.expr(plain).kind {
                        ExprKind::AddrOf(place) => program.exprs.root_var(place).is_some(),
                        _ => false,
                    },
                });
            }
        }
        let is_pointer = |var: VarId| program.types.is_pointer(program.vars[var].ty);
        let of_numbers = automaton.tracked.is_some_and(|var| !is_pointer(var));
        Self { numbers, known, of_numbers }
    }

    /// The number of a beginning; not 0.
    fn number(&self, func: FuncId, edge: EdgeId, is_new: bool) -> u32 {
        let index = self.numbers.get(&(func, edge)).copied().unwrap_or_default();
        1 + 2 * index + u32::from(is_new)
    }

    fn get(&self, origin: u32) -> &Origin {
        &self.known[(origin as usize - 1) / 2]
    }

    fn is_new(origin: u32) -> bool {
        origin != 0 && origin.is_multiple_of(2)
    }

    fn objects(&self, origin: u32) -> &BTreeSet<ObjectId> {
        &self.get(origin).objects
    }

    fn exact(&self, origin: u32) -> Option<(ObjectId, u64)> {
        self.get(origin).exact
    }

    /// Whether the watched value is a pointer into an object.
    fn is_in_object(&self, origin: u32) -> bool {
        !self.of_numbers && (Self::is_new(origin) || self.get(origin).is_address)
    }

    /// Whether the watched value is a number that was never given out before.
    fn is_new_descriptor(&self, origin: u32) -> bool {
        self.of_numbers && Self::is_new(origin)
    }
}

fn without_casts(program: &Program, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind {
        e = inner;
    }
    e
}
