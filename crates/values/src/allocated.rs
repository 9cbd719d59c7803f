//! Allocated objects: of all that one place allocates, the one that was allocated last.
//!
//! A place may allocate many objects, and a state has room for one of them. As in Balakrishnan and Reps,
//! *Recency-Abstraction for Heap-Allocated Storage* (SAS 2006), that is the youngest: there is one such object
//! at any time, so stores to it replace what it held. When the place allocates again, the former one is
//! an old object, of which nothing is known, and pointers to it are forgotten; what may be written
//! through unknown pointers is forgotten by [`crate::effects`], young or old. State that is allocated once, as
//! large programs have it, is so tracked as if it were in variables.
//!
//! Pointers to such objects are tracked without being asked for: they hardly ever change, and a checker of
//! proofs has to know which objects a store through them leaves as they are.
//!
//! Objects are those of the analysis of pointers, which tells apart the calls of functions that
//! allocate for others.

use gnomon_engine::facts::Facts;
use gnomon_flow::points_to::{ObjectId, ObjectKind, Site};
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::ExprId;
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_logic::encode::{Move, Object};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::{Machine, Stop};
use crate::slots::Root;
use crate::state::{State, Value};
use crate::transfer::Stepped;

/// Larger objects may be refused by a machine.
const LARGE: u64 = 1 << 20;

/// What an edge allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// The object.
    pub(crate) object: ObjectId,
    /// Whether all of it is zero.
    is_zero: bool,
}

/// The objects that edges allocate.
pub struct Allocations<'a> {
    facts: &'a Facts<'a>,
    /// Whether there are any.
    pub(crate) is_any: bool,
    /// The calls that are open where the next step is made, the innermost first.
    pub(crate) open: Vec<(FuncId, EdgeId)>,
    sizes: FxHashMap<ObjectId, u64>,
}

impl<'a> Allocations<'a> {
    /// By the facts about a program.
    pub(crate) fn new(facts: &'a Facts<'a>) -> Self {
        let is_allocated = |kind: ObjectKind| matches!(kind, ObjectKind::Allocated { .. });
        let is_any =
            facts.points_to().objects().iter().any(|(_, object)| is_allocated(object.kind));
        Self { facts, is_any, open: Vec::new(), sizes: FxHashMap::default() }
    }

    /// The bytes of an object that was met.
    pub(crate) fn size(&self, object: ObjectId) -> u64 {
        self.sizes.get(&object).copied().unwrap_or(0)
    }

    /// Whether an allocation may give the null pointer.
    pub(crate) fn may_fail(&self) -> bool {
        self.facts.allocation_may_fail()
    }

    /// An object as certificates name it.
    pub(crate) fn named(&self, object: ObjectId) -> Object {
        self.facts.points_to().alias_facts(self.facts.program()).named(object)
    }

    /// What an edge allocates, if that has a size that is known and is always there.
    pub(crate) fn of(&mut self, func: FuncId, edge: EdgeId, call: &Call) -> Option<Allocation> {
        let program = self.facts.program();
        let (size, is_zero) = requested(program, call)?;
        let object = self.object(Site { function: func, edge })?;
        self.sizes.insert(object, size);
        Some(Allocation { object, is_zero })
    }

    /// The object that stands for what a site allocates with these calls open: the analysis tells
    /// apart the calls of functions that do nothing but allocate, and these are called directly.
    fn object(&self, site: Site) -> Option<ObjectId> {
        let objects = self.facts.points_to().objects();
        for &(function, edge) in &self.open {
            let context = Some(Site { function, edge });
            if let Some(found) = objects.find(ObjectKind::Allocated { site, context }) {
                return Some(found);
            }
            let body = self.facts.program().funcs[function].body.as_ref()?;
            let Op::Call(Call { callee: Callee::Direct(_), .. }) = body.edge(edge).op else {
                break;
            };
        }
        // Told apart, and yet of another call.
        let is_of_site =
            |kind: ObjectKind| matches!(kind, ObjectKind::Allocated { site: s, .. } if s == site);
        let mut all = objects.iter().filter(|(_, object)| is_of_site(object.kind));
        let (only, found) = all.next()?;
        let is_only = all.next().is_none();
        (is_only && found.kind == ObjectKind::Allocated { site, context: None }).then_some(only)
    }

    /// Makes a move as far as calls are open.
    pub(crate) fn follow(&mut self, step: Move) {
        match step {
            Move::Enter { caller, edge, .. } => self.open.insert(0, (caller, edge)),
            Move::Leave { .. } if !self.open.is_empty() => {
                self.open.remove(0);
            }
            Move::Start | Move::Edge(..) | Move::Leave { .. } => {}
        }
    }
}

/// How many bytes a call allocates, and whether they are zero; `None` for other calls and sizes.
fn requested(program: &Program, call: &Call) -> Option<(u64, bool)> {
    let Callee::Direct(callee) = call.callee else { return None };
    if program.funcs[callee].body.is_some() {
        return None;
    }
    let name = source_name(&program.funcs[callee].name);
    let number = |expr: ExprId| u64::try_from(program.exprs.const_bits(expr)?).ok();
    let (size, is_zero) = match (classify(name, program.types.target()), &call.args[..]) {
        (Library::Alloc(AllocKind::Malloc), [size]) => (number(*size)?, false),
        (Library::Alloc(AllocKind::Calloc), [count, size]) => {
            (number(*count)?.checked_mul(number(*size)?)?, true)
        }
        _ => return None,
    };
    (1..=LARGE).contains(&size).then_some((size, is_zero))
}

impl Machine<'_> {
    /// The allocated objects that a state still has pointers to, from the kept slots on: of others
    /// nothing can be read any more.
    pub(crate) fn reached(&self, state: &State, kept: &[bool]) -> FxHashSet<Root> {
        let mut reached: FxHashSet<Root> = FxHashSet::default();
        loop {
            let before = reached.len();
            for &(slot, value) in state.values() {
                let Value::Address(root @ Root::Allocated(_), _) = value else { continue };
                let holder = self.slots.get(slot).root;
                let is_kept = kept.get(slot.0 as usize).copied().unwrap_or(false);
                if is_kept && (!matches!(holder, Root::Allocated(_)) || reached.contains(&holder)) {
                    reached.insert(root);
                }
            }
            if reached.len() == before {
                return reached;
            }
        }
    }

    /// Makes the call of a function that allocates; `None` if nothing is known of it.
    pub(crate) fn allocate(
        &mut self,
        state: &mut State,
        (func, edge): (FuncId, EdgeId),
        call: &Call,
    ) -> Result<Option<Stepped>, Stop> {
        let Some(Allocation { object, is_zero }) = self.allocations.of(func, edge, call) else {
            return Ok(None);
        };
        let Some(dst) = call.dst else { return Ok(None) };
        let root = Root::Allocated(object);
        let at = self.locate(state, dst)?;
        let before = state.clone();
        self.forget(state, func, edge)?;
        for slot in state.pointing_to(root) {
            self.put_from(state, slot, None, 0..0);
        }
        let value = is_zero.then_some(Value::Known(0));
        for slot in self.slots.of_root(root).to_vec() {
            self.put_from(state, slot, value, 0..0);
        }
        match at {
            // In the object that is old now.
            Some((of, _)) if of == root => {}
            Some(at) => self.store(state, dst, at, Some(Value::Address(root, 0))),
            None => {}
        }
        if !self.allocations.may_fail() {
            return Ok(Some(Stepped::On));
        }
        let mut failed = before;
        match at {
            Some(at) => self.store(&mut failed, dst, at, Some(Value::Known(0))),
            None => self.forget(&mut failed, func, edge)?,
        }
        Ok(Some(Stepped::Both(failed)))
    }
}
