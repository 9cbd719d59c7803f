//! Errors of memory: what is asked beside assertions, or for itself.
//!
//! Two questions are decided one after the other. First, whether an assertion fails, in formulas
//! where a run ends at an access that is wrong; whatever is executed meanwhile and shows a wrong
//! access is an error at once. Then, if none fails, whether an access can be wrong, in the program
//! with checks of memory ([`gnomon_instrument::memory`]). So assertions are decided as fast as
//! before, and TRUE is said only if both are proved. What a check finds is executed by the
//! interpreter in the program without checks, which knows its objects: only what goes wrong there
//! is FALSE.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::check::AllRuns;
use gnomon_engine::property::{ErrorSites, Faults, Site};
use gnomon_engine::runs::{Shown, try_runs};
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::outlived::outlived;
use gnomon_flow::points_to::{ObjectId, ObjectKind, PointsTo};
use gnomon_instrument::objects::library;
use gnomon_instrument::pointers::{Object, Pointee, Pointers};
use gnomon_instrument::{Checks, Unproved, instrument_memory};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::interp::UbKind;
use gnomon_ir::library::Library;
use gnomon_ir::program::{FuncId, Program, Storage};
use gnomon_ir::property::{CheckKind, Property, Specification};
use gnomon_logic::encode::{Aliases, Object as Encoded, Offset, Targets, allocated_size};

use crate::decide::{self, Options};
use crate::error::VerifyError;
use crate::task::{KnownPointers, Task};

/// Wrong accesses and calls.
const ACCESS: &[UbKind] = &[
    UbKind::NullPointer,
    UbKind::InvalidPointer,
    UbKind::OutOfBounds,
    UbKind::UseAfterFree,
    UbKind::UseAfterReturn,
    UbKind::WriteToReadOnly,
    UbKind::InvalidCall,
];

/// What is asked of memory, and with it of divisions.
pub(crate) fn asked(specification: &Specification) -> Checks {
    let all: Checks = specification.checks().collect();
    let of_memory = |kind: &CheckKind| kind.is_of_memory();
    match specification.checks().any(|kind| of_memory(&kind)) {
        true => CheckKind::ALL
            .into_iter()
            .filter(|kind| all.contains(*kind))
            .filter(|kind| of_memory(kind) || *kind == CheckKind::Division)
            .collect(),
        false => Checks::NONE,
    }
}

/// What is asked without it.
pub(crate) fn without(specification: &Specification) -> Specification {
    let checks = asked(specification);
    let mut rest = specification.clone();
    rest.properties.retain(|property| match property {
        Property::Undefined(kind) => !checks.contains(*kind),
        _ => true,
    });
    rest
}

/// Error functions of SV-COMP. A program that calls one states by that what must not happen.
const STATES: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// The function by whose call a program states its property, if it does.
pub(crate) fn stated_property(program: &Program) -> Option<&str> {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let mut called =
        bodies.flat_map(|body| body.edges().iter()).filter_map(|edge| match &edge.op {
            Op::Call(call) => match call.callee {
                Callee::Direct(func) => Some(program.funcs[func].name.as_str()),
                Callee::Indirect(_) => None,
            },
            _ => None,
        });
    called.find(|name| STATES.contains(name))
}

/// Which behaviour of an execution is an error.
pub(crate) fn faults(program: &Program, checks: Checks) -> Faults {
    let mut undefined = Vec::new();
    if checks.contains(CheckKind::Access) {
        undefined.extend(ACCESS);
        // An address from a number may be that of a device.
        if names_addresses(program) {
            undefined.retain(|kind| *kind != UbKind::InvalidPointer);
        }
    }
    if checks.contains(CheckKind::Free) {
        undefined.extend([UbKind::DoubleFree, UbKind::InvalidFree]);
    }
    if checks.contains(CheckKind::Division) {
        undefined.push(UbKind::DivisionByZero);
    }
    let lost = checks.contains(CheckKind::Leak);
    Faults { undefined, lost, living: checks.contains(CheckKind::Cleanup) }
}

fn names_addresses(program: &Program) -> bool {
    let exprs = &program.exprs;
    (0..exprs.expr_count()).map(|number| ExprId(number as u32)).any(|e| {
        let ExprKind::Cast(inner) = exprs.expr(e).kind else { return false };
        let number = program.as_int(inner).unwrap_or(0);
        program.types.is_pointer(program.expr_ty(e)) && !(-4096..4096).contains(&number)
    })
}

/// Whether anything in a program could be wrong: most small programs have no pointers at all.
pub(crate) fn is_needed(program: &Program, checks: Checks) -> bool {
    let exprs = &program.exprs;
    let mut places = (0..exprs.place_count()).map(|number| exprs.place(PlaceId(number as u32)));
    let accesses = places.any(|place| match place.kind {
        PlaceKind::Deref(_) => true,
        PlaceKind::Index(base, index) => {
            let len = gnomon_instrument::located::array_length(program, program.place_ty(base));
            program.as_int(index).is_none_or(|at| len.is_none_or(|len| at >= i128::from(len)))
        }
        PlaceKind::Var(_) | PlaceKind::Field(..) => false,
    });
    let is_null = |e| program.as_int(e) == Some(0);
    let mut all = (0..exprs.expr_count()).map(|number| exprs.expr(ExprId(number as u32)));
    let computes = all.any(|e| match e.kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
            checks.contains(CheckKind::Division) && program.as_int(by).is_none_or(|by| by == 0)
        }
        // One of them may be gone.
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            program.types.is_pointer(program.expr_ty(a)) && !is_null(a) && !is_null(b)
        }
        _ => false,
    });
    let mut edges = program.funcs.iter().flat_map(|f| f.body.iter()).flat_map(|b| b.edges().iter());
    accesses
        || computes
        || edges.any(|edge| match &edge.op {
            Op::Alloca { .. } => true,
            Op::Call(call) if gnomon_instrument::contracts::accesses(program, call) => true,
            Op::Call(call) => match call.callee {
                Callee::Indirect(_) => true,
                Callee::Direct(func)
                    if matches!(library(program, func), Some(Library::Unknown | Library::Pure)) =>
                {
                    call.args.iter().any(|&arg| program.types.is_pointer(program.expr_ty(arg)))
                }
                Callee::Direct(func) if library(program, func) == Some(Library::Output) => {
                    let is_text = |e| match program.exprs.expr(e).kind {
                        ExprKind::AddrOf(place) => {
                            program.exprs.root_var(place).is_some_and(|var| {
                                matches!(
                                    program.vars[var].storage,
                                    Storage::Static { read_only: true, .. }
                                )
                            })
                        }
                        _ => false,
                    };
                    let is_open = |&arg: &ExprId| {
                        program.types.is_pointer(program.expr_ty(arg)) && !is_text(arg)
                    };
                    call.args.iter().any(is_open)
                }
                Callee::Direct(func) => matches!(
                    library(program, func),
                    Some(
                        Library::Alloc(_)
                            | Library::Free
                            | Library::MemCopy
                            | Library::MemSet
                            | Library::MemRead
                            | Library::MemWrite
                            | Library::CallsBack
                    )
                ),
            },
            _ => false,
        })
}

/// How many looks at the budget the only run of a program may take.
const LONGEST: u64 = 50_000;

/// What plain runs show of a program in which nothing but memory is asked about.
pub(crate) fn executed(
    task: &Task,
    budget: &Budget,
) -> Result<Option<decide::Report>, VerifyError> {
    let Task { program, options, .. } = task;
    let entry = decide::entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    Ok(match try_runs(program, &sites, entry, LONGEST, budget).shown {
        Shown::Error(run) => decide::executed(program, options, run.inputs, budget)?,
        Shown::OnlyRun => {
            let facts = task.pointers.facts(program, entry, options.memory, budget);
            facts.ok().map(|facts| AllRuns { model: &facts, original: None, budget }.only_run())
        }
        Shown::Unfinished | Shown::Longer(_) | Shown::Nothing => None,
    })
}

/// A program with checks of memory.
pub(crate) struct Checked {
    /// The program, and the checks as what must not be reached.
    pub task: Task,
    /// What is not checked.
    pub unproved: Vec<Unproved>,
}

/// Puts checks of memory into a program.
pub(crate) fn checked(
    task: &Task,
    checks: Checks,
    budget: &Budget,
) -> Result<Result<Checked, Exhausted>, VerifyError> {
    let program = &task.program;
    let entry = decide::entry(program, &task.options)?;
    let facts = match task.pointers.facts(program, entry, task.options.memory, budget) {
        Ok(facts) => facts,
        Err(limit) => return Ok(Err(limit)),
    };
    let known = match Known::new(program, facts.points_to(), entry, budget) {
        Ok(known) => known,
        Err(limit) => return Ok(Err(limit)),
    };
    let made = instrument_memory(program, checks, &known, entry);
    let pointers = match facts.points_to().transported(&made.program, &made.moved, budget) {
        Ok(found) => found.map(KnownPointers::of).unwrap_or_default(),
        Err(limit) => return Ok(Err(limit)),
    };
    let mut property = gnomon_engine::property::Property::nothing();
    let mut properties = BTreeMap::new();
    for violation in made.violations {
        let site = Site { func: violation.func, edge: violation.edge };
        property.edges.push((site, violation.message));
        properties.insert(site, Property::Undefined(violation.kind));
    }
    property.faults = faults(program, checks);
    let options = Options { property, ..task.options.clone() };
    let task = Task {
        program: made.program,
        options,
        inserted: made.inserted,
        properties,
        automata: None,
        pointers,
        files: task.files.clone(),
        ..*task
    };
    Ok(Ok(Checked { task, unproved: made.unproved }))
}

/// What the analysis of pointers knows.
struct Known<'a> {
    points_to: &'a PointsTo,
    program: &'a Program,
    /// Local variables, and objects on the stack, that a pointer may outlive.
    outlived: BTreeSet<Object>,
    /// Functions that are called at most once.
    once: BTreeSet<FuncId>,
    /// Edges of each function that lie on a cycle.
    cycles: BTreeMap<FuncId, BTreeSet<EdgeId>>,
}

impl<'a> Known<'a> {
    fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        entry: FuncId,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let calls = CallGraph::new(program, points_to, budget)?;
        let cycles: BTreeMap<FuncId, BTreeSet<EdgeId>> = program
            .funcs
            .iter_ids()
            .filter_map(|(func, function)| Some((func, on_cycles(function.body.as_ref()?))))
            .collect();
        let once = called_once(program, points_to, entry, &calls, &cycles);
        let outlived = outlived(program, points_to, &calls)
            .into_iter()
            .filter_map(|id| named(points_to, id))
            .collect();
        Ok(Self { points_to, program, outlived, once, cycles })
    }
}

impl Pointers for Known<'_> {
    fn pointees(&self, program: &Program, pointer: ExprId) -> Option<Vec<Pointee>> {
        let Targets::Known(targets) = self.points_to.alias_facts(program).targets(pointer) else {
            return None;
        };
        let pointee = |target: gnomon_logic::encode::Target| {
            let object = match target.object {
                Encoded::Variable(var) => Object::Variable(var),
                Encoded::Allocated { function, edge, .. } => Object::Allocated(function, edge),
                Encoded::Function(func) => Object::Function(func),
                // How large the objects of the environment are nobody knows.
                Encoded::Outside => return None,
            };
            let offset = match (target.offset, target.object) {
                (Offset::Exact(at), _) => Some(at),
                // An object with a single element has only its first one; that no pointer is
                // computed which leads elsewhere is checked.
                (
                    Offset::Modulo { remainder, modulus },
                    Encoded::Allocated { function, edge, .. },
                ) if allocated_size(self.program, function, edge)
                    .is_some_and(|size| size <= modulus) =>
                {
                    Some(remainder)
                }
                (Offset::Modulo { .. }, _) => None,
            };
            Some(Pointee { object, offset })
        };
        let mut all: Vec<Pointee> = targets.into_iter().map(pointee).collect::<Option<_>>()?;
        all.sort_unstable();
        all.dedup();
        // An object that is missed at several offsets is missed at all.
        let open: BTreeSet<Object> =
            all.iter().filter(|to| to.offset.is_none()).map(|to| to.object).collect();
        all.retain(|to| to.offset.is_none() || !open.contains(&to.object));
        Some(all)
    }

    fn may_outlive(&self, object: Object) -> bool {
        self.outlived.contains(&object)
    }

    fn at_most_once(&self, func: FuncId, edge: EdgeId) -> bool {
        self.once.contains(&func)
            && self.program.funcs[func].body.is_some()
            && self.cycles.get(&func).is_some_and(|cyclic| !cyclic.contains(&edge))
    }
}

/// The edges of an automaton that lie on a cycle: whose end leads to their beginning.
fn on_cycles(body: &gnomon_ir::cfa::Cfa) -> BTreeSet<EdgeId> {
    let count = body.loc_count();
    // Tarjan's components would do; automata are small, and backward edges are few.
    let mut component = vec![usize::MAX; count];
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in body.locs() {
        let mut stack = vec![(start, false)];
        while let Some((loc, done)) = stack.pop() {
            if done {
                order.push(loc);
            } else if !std::mem::replace(&mut seen[loc.index()], true) {
                stack.push((loc, true));
                let next = body.out_edges(loc).iter().map(|&edge| body.edge(edge).to);
                stack.extend(next.filter(|to| !seen[to.index()]).map(|to| (to, false)));
            }
        }
    }
    for (number, &root) in order.iter().rev().enumerate() {
        let mut stack = vec![root];
        while let Some(loc) = stack.pop() {
            if component[loc.index()] == usize::MAX {
                component[loc.index()] = number;
                stack.extend(body.in_edges(loc).iter().map(|&edge| body.edge(edge).from));
            }
        }
    }
    let cyclic = |(_, edge): &(EdgeId, &gnomon_ir::cfa::Edge)| {
        component[edge.from.index()] == component[edge.to.index()]
    };
    body.edges().iter_ids().filter(cyclic).map(|(id, _)| id).collect()
}

/// The functions that are called at most once in every run.
fn called_once(
    program: &Program,
    points_to: &PointsTo,
    entry: FuncId,
    calls: &CallGraph,
    cycles: &BTreeMap<FuncId, BTreeSet<EdgeId>>,
) -> BTreeSet<FuncId> {
    let mut sites: BTreeMap<FuncId, Vec<(FuncId, EdgeId)>> = BTreeMap::new();
    for (caller, function) in program.funcs.iter_ids() {
        for (edge, what) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
            if matches!(what.op, Op::Call(_)) {
                let called = points_to.callees(program, caller, edge);
                // A function that is called back may be called often.
                for func in called.callbacks {
                    sites.entry(func).or_default().extend([(caller, edge); 2]);
                }
                for func in called.functions {
                    sites.entry(func).or_default().push((caller, edge));
                }
            }
        }
    }
    let mut once = BTreeSet::new();
    if !sites.contains_key(&entry) {
        once.insert(entry);
    }
    loop {
        let next: Vec<FuncId> = sites
            .iter()
            .filter(|(func, from)| {
                let &[(caller, edge)] = &from[..] else { return false };
                **func != entry
                    && !once.contains(*func)
                    && !calls.is_recursive(**func)
                    && once.contains(&caller)
                    && cycles.get(&caller).is_some_and(|cyclic| !cyclic.contains(&edge))
            })
            .map(|(func, _)| *func)
            .collect();
        if next.is_empty() {
            return once;
        }
        once.extend(next);
    }
}

/// What the checks call an object that lies on the stack.
fn named(points_to: &PointsTo, id: ObjectId) -> Option<Object> {
    match points_to.objects().get(id).kind {
        ObjectKind::Variable(var) => Some(Object::Variable(var)),
        ObjectKind::Allocated { site, .. } => Some(Object::Allocated(site.function, site.edge)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gnomon_flow::points_to::{Options, Target};
    use gnomon_ir::property::CheckKind;
    use gnomon_testkit::corpus;

    use super::*;

    /// An object by what it stands for, and where in it: numbers differ between analyses.
    fn told(points_to: &PointsTo, targets: Vec<Target>) -> Vec<(ObjectKind, Offset)> {
        let told = |to: Target| (points_to.objects().get(to.object).kind, to.offset);
        targets.into_iter().map(told).collect()
    }

    fn covers(known: &[(ObjectKind, Offset)], (kind, at): &(ObjectKind, Offset)) -> bool {
        known.iter().filter(|(other, _)| other == kind).any(|(_, there)| match (*there, *at) {
            (Offset::Exact(a), Offset::Exact(b)) => a == b,
            (Offset::Modulo { remainder, modulus }, Offset::Exact(b)) => b % modulus == remainder,
            (
                Offset::Modulo { remainder, modulus },
                Offset::Modulo { remainder: other, modulus: by },
            ) => by % modulus == 0 && other % modulus == remainder,
            (Offset::Exact(_), Offset::Modulo { .. }) => false,
        })
    }

    /// What is taken over into the program with checks is all that an analysis of it finds.
    #[test]
    fn facts_taken_over_are_those_of_a_new_analysis() {
        let budget = Budget::unlimited();
        let checks: Checks = CheckKind::MEMORY
            .iter()
            .copied()
            .chain([CheckKind::Leak, CheckKind::Cleanup])
            .collect();
        let (mut programs, mut same, mut coarser) = (0, 0, 0);
        let areas = ["heap", "pointers", "structs", "strings", "function_pointers", "drivers"];
        for case in areas.into_iter().flat_map(corpus::area) {
            let program = case.program();
            let Some((entry, _)) = program.funcs.iter_ids().find(|(_, f)| f.name == "main") else {
                continue;
            };
            let options = Options::default();
            let old = PointsTo::analyze(&program, &options, &budget).expect("no limit");
            let known = Known::new(&program, &old, entry, &budget).expect("no limit");
            let made = instrument_memory(&program, checks, &known, entry);
            let new = old.transported(&made.program, &made.moved, &budget).expect("no limit");
            let new = new.unwrap_or_else(|| panic!("{}: nothing is taken over", case.name));
            let fresh = PointsTo::analyze(&made.program, &options, &budget).expect("no limit");
            for number in 0..made.program.exprs.expr_count() {
                let expr = ExprId(number as u32);
                let found = told(&fresh, fresh.pointees(&made.program, expr));
                let taken = told(&new, new.pointees(&made.program, expr));
                for target in &found {
                    assert!(
                        covers(&taken, target),
                        "{}: {expr:?}: {target:?} {taken:?}",
                        case.name
                    );
                }
                match found == taken {
                    true => same += 1,
                    false => coarser += 1,
                }
            }
            for (func, function) in made.program.funcs.iter_ids() {
                for edge in function.body.iter().flat_map(|body| body.edges().ids()) {
                    assert_eq!(
                        fresh.allocated_on(func, edge).len(),
                        new.allocated_on(func, edge).len()
                    );
                }
            }
            programs += 1;
        }
        assert!(programs > 100, "{programs}");
        assert!(coarser * 50 < same, "{coarser} of {same}");
    }
}
