//! Objects of the stack that a pointer may outlive.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};

use crate::call_graph::CallGraph;
use crate::points_to::{ObjectId, ObjectKind, PointsTo};

/// The local variables, and objects allocated on the stack, to which a pointer may be held by what
/// lives longer than their function: by static and allocated objects, or by variables of functions
/// that may have called it. Those of recursive functions are several at once, and count as well.
#[must_use]
pub fn outlived(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> BTreeSet<ObjectId> {
    let objects = points_to.objects();
    let mut below: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
    let mut found: BTreeMap<ObjectId, FuncId> = BTreeMap::new();
    for (id, _) in objects.iter() {
        if let Some(owner) = on_stack(program, points_to, id)
            && calls.is_recursive(owner)
        {
            found.insert(id, owner);
        }
    }
    for (id, _) in objects.iter() {
        let holder = objects.function_of_local(program, id);
        let is_apart =
            matches!(objects.get(id).kind, ObjectKind::Outside | ObjectKind::Function(_));
        if is_apart {
            continue;
        }
        for target in objects.cells(id).flat_map(|cell| points_to.contents(cell)) {
            let Some(owner) = on_stack(program, points_to, target.object) else { continue };
            let is_shorter = holder.is_some_and(|holder| {
                holder == owner
                    || below.entry(owner).or_insert_with(|| reached(calls, owner)).contains(&holder)
                        && !below
                            .entry(holder)
                            .or_insert_with(|| reached(calls, holder))
                            .contains(&owner)
            });
            if !is_shorter {
                found.insert(target.object, owner);
            }
        }
    }
    // A function that nobody calls and that begins the program returns when it ends.
    found.retain(|_, owner| !calls.callers(*owner).is_empty());
    found.into_keys().collect()
}

/// The function as long as whose call an object lives, if it lies on the stack.
#[must_use]
pub fn on_stack(program: &Program, points_to: &PointsTo, id: ObjectId) -> Option<FuncId> {
    match points_to.objects().get(id).kind {
        ObjectKind::Variable(var) => program.vars[var].storage.function(),
        ObjectKind::Allocated { site, .. } => {
            let op = &program.funcs[site.function].body.as_ref()?.edge(site.edge).op;
            is_alloca(program, op).then_some(site.function)
        }
        _ => None,
    }
}

fn is_alloca(program: &Program, op: &Op) -> bool {
    match op {
        Op::Alloca { .. } => true,
        Op::Call(Call { callee: Callee::Direct(func), .. }) => {
            let function = &program.funcs[*func];
            let known = classify(source_name(&function.name), program.types.target());
            function.body.is_none() && matches!(known, Library::Alloc(AllocKind::Alloca))
        }
        _ => false,
    }
}

/// All functions that a function calls, directly or not.
fn reached(calls: &CallGraph, from: FuncId) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(func) = pending.pop() {
        for &callee in calls.callees(func) {
            if found.insert(callee) {
                pending.push(callee);
            }
        }
    }
    found
}
