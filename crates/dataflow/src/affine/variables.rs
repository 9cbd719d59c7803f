//! Which variables are followed, and where they stand in the vectors.
//!
//! Followed are integer variables whose address is never taken: only their names reach them. Globals
//! come first, then the result of the last call, then the locals, for which all functions share
//! the same places. The work grows with the third power of the number of places or faster, so their
//! number is limited; those that take part in affine assignments most often are kept.

use std::collections::BTreeMap;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::{FuncId, Program, Storage, Var, VarId};
use gnomon_ir::types::Type;

use crate::supergraph::Supergraph;

/// How many variables are followed at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableLimits {
    /// Globals.
    pub globals: usize,
    /// Parameters and locals of a function.
    pub locals: usize,
}

impl Default for VariableLimits {
    fn default() -> Self {
        Self { globals: 8, locals: 8 }
    }
}

/// The places of variables in vectors.
#[derive(Clone, Debug)]
pub struct Variables {
    globals: Vec<VarId>,
    /// By function, the variable at each local place.
    locals: BTreeMap<FuncId, Vec<VarId>>,
    places: Vec<Option<u32>>,
    slots: usize,
    /// How many variables could have been followed but were not.
    left_out: usize,
}

impl Variables {
    /// Chooses the variables of a program.
    pub fn choose(program: &Program, graph: &Supergraph, limits: VariableLimits) -> Self {
        let uses = uses(program, graph);
        let mut left_out = 0;
        let mut best = |mut candidates: Vec<VarId>, limit: usize| -> Vec<VarId> {
            candidates.sort_by_key(|v| (std::cmp::Reverse(uses[v.index()]), *v));
            left_out += candidates.len().saturating_sub(limit);
            candidates.truncate(limit);
            candidates.sort_unstable();
            candidates
        };
        let followed = |v: &VarId| can_be_followed(program, &program.vars[*v]);
        let used = |v: &VarId| uses[v.index()] > 0;
        let globals: Vec<VarId> = program.globals().filter(followed).filter(used).collect();
        let mut globals = best(globals, limits.globals);
        // An edit elsewhere must not move them: weights are kept between runs.
        globals.sort_by_key(|v| &program.vars[*v].name);
        let mut locals = BTreeMap::new();
        for &func in graph.functions() {
            let function = &program.funcs[func];
            let own = function.params.iter().chain(&function.locals).copied();
            let own: Vec<VarId> = own.filter(followed).filter(used).collect();
            locals.insert(func, best(own, limits.locals));
        }
        let mut places = vec![None; program.vars.len()];
        for (i, var) in globals.iter().enumerate() {
            places[var.index()] = Some(i as u32);
        }
        for own in locals.values() {
            for (i, var) in own.iter().enumerate() {
                places[var.index()] = Some((globals.len() + 1 + i) as u32);
            }
        }
        let slots = locals.values().map(Vec::len).max().unwrap_or(0);
        Self { globals, locals, places, slots, left_out }
    }

    /// How many places there are.
    pub fn count(&self) -> usize {
        self.globals.len() + 1 + self.slots
    }

    /// How many variables were left out because of the limits.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The place of a variable, if it is followed.
    pub fn place(&self, var: VarId) -> Option<usize> {
        self.places[var.index()].map(|p| p as usize)
    }

    /// The place of the result of the last call.
    pub fn result(&self) -> usize {
        self.globals.len()
    }

    /// The globals that are followed.
    pub fn globals(&self) -> &[VarId] {
        &self.globals
    }

    /// The locals of a function that are followed, by place.
    pub fn locals(&self, func: FuncId) -> &[VarId] {
        self.locals.get(&func).map_or(&[], Vec::as_slice)
    }

    /// All local places.
    pub fn local_places(&self) -> Vec<usize> {
        (self.globals.len() + 1..self.count()).collect()
    }

    /// The variables that a user can see in a function, with their places.
    pub fn visible(&self, program: &Program, func: FuncId) -> Vec<(usize, VarId)> {
        let mut globals = self.globals.clone();
        globals.sort_unstable();
        (globals.into_iter().chain(self.locals(func).iter().copied()))
            .filter(|v| !program.vars[*v].name.starts_with('.'))
            .filter_map(|v| Some((self.place(v)?, v)))
            .collect()
    }
}

fn can_be_followed(program: &Program, var: &Var) -> bool {
    let integer = match *program.types.get(var.ty) {
        Type::Int { bits, .. } => bits <= 64,
        Type::Bool => true,
        _ => false,
    };
    let alone = !matches!(var.storage, Storage::Static { thread_local: true, .. });
    integer && alone && !var.address_taken
}

/// How often each variable is assigned or read as a number.
fn uses(program: &Program, graph: &Supergraph) -> Vec<u32> {
    let mut uses = vec![0; program.vars.len()];
    for &func in graph.functions() {
        let Some(body) = &program.funcs[func].body else { continue };
        for edge in body.edges().iter() {
            match &edge.op {
                Op::Assign { dst, src } => {
                    if let PlaceKind::Var(var) = program.exprs.place(*dst).kind {
                        uses[var.index()] += 1;
                        count_reads(program, *src, &mut uses);
                    }
                }
                Op::Assume(e) | Op::Return(Some(e)) => count_reads(program, *e, &mut uses),
                Op::Call(call) => {
                    call.args.iter().for_each(|&a| count_reads(program, a, &mut uses));
                    let target = call.dst.map(|d| program.exprs.place(d).kind);
                    if let Some(PlaceKind::Var(var)) = target {
                        uses[var.index()] += 1;
                    }
                }
                _ => {}
            }
        }
    }
    uses
}

/// Counts what numbers are made of; not what is behind pointers or in elements.
fn count_reads(program: &Program, expr: ExprId, uses: &mut [u32]) {
    let mut work = vec![expr];
    while let Some(e) = work.pop() {
        match program.exprs.expr(e).kind {
            ExprKind::Load(place) => {
                if let PlaceKind::Var(var) = program.exprs.place(place).kind {
                    uses[var.index()] += 1;
                }
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(a),
            ExprKind::Binary(_, a, b) => work.extend([a, b]),
            _ => {}
        }
    }
}
