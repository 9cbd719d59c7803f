//! The facts of a program, for the program with checks in it: so they are found once.
//!
//! Checks keep the numbers of functions, variables, expressions and places; edges have other numbers. They
//! add variables of their own, whose address nobody takes, and operations that store to nothing else. So what
//! old variables and objects hold stays as it was, allocating edges get their new numbers, and only what the
//! new variables hold is to be found: what is assigned to them, and what calls return into them, which is what
//! they hand on to the places that the calls stored into before.

use std::collections::BTreeMap;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::program::{FuncId, Program, VarId};
use rustc_hash::FxHashMap;

use super::PointsTo;
use super::objects::Site;
use super::query::Pointers;

/// Where the calls and allocations of a program are in the program with checks.
pub type Moved = BTreeMap<(FuncId, EdgeId), EdgeId>;

/// What a new variable holds.
#[derive(Default)]
struct Source {
    values: Vec<ExprId>,
    /// Results of calls.
    results: Vec<Site>,
}

impl PointsTo {
    /// The same facts about a program to which checks were added: `None` if it has more in it than that.
    pub fn transported(
        &self,
        program: &Program,
        moved: &Moved,
        budget: &Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let known = self.objects.variable_count();
        let mut new = program.vars.iter_ids().skip(known);
        if program.funcs.len() != self.objects.function_count()
            || new.any(|(_, var)| var.address_taken)
        {
            return Ok(None);
        }
        let mut result = self.clone();
        let site = |site: Site| {
            let edge = moved.get(&(site.function, site.edge));
            edge.map(|&edge| Site { edge, ..site })
        };
        if result.objects.rename(&site).and_then(|()| result.allocators.rename(&site)).is_none() {
            return Ok(None);
        }
        result.add_variables(program, known);
        result.fill(program, known, budget)?;
        result.observes_addresses = result.looks_at_addresses(program, budget)?;
        Ok(Some(result))
    }

    /// Makes the objects of new variables, which hold nothing yet.
    fn add_variables(&mut self, program: &Program, known: usize) {
        // A cell has the number of the node of its contents, and nodes of what is computed lie behind
        // the cells of the analysis.
        self.objects.begin_cells_at(self.solution.set_of.len());
        for (id, var) in program.vars.iter_ids().skip(known) {
            self.objects.add_variable(&program.types, id, var.ty);
            self.solution.escaped.push(false);
            let set = self.solution.sets.len() as u32;
            self.solution.sets.push(Default::default());
            self.solution.set_of.resize(self.objects.cell_count(), set);
        }
    }

    /// Finds what the new variables hold.
    fn fill(&mut self, program: &Program, known: usize, budget: &Budget) -> Result<(), Exhausted> {
        let sources = sources(program, known);
        let pointers = self.solution.pointers.iter().enumerate();
        let mut numbers: FxHashMap<_, u32> =
            pointers.map(|(number, &pointer)| (pointer, number as u32)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (&var, source) in &sources {
                budget.check()?;
                let mut held = Pointers::new();
                for &value in &source.values {
                    held.extend(self.value_pointers(program, value));
                }
                for result in &source.results {
                    held.extend(self.handed_on(program, known, var, *result));
                }
                for pointer in held {
                    let next = self.solution.pointers.len() as u32;
                    let number = *numbers.entry(pointer).or_insert(next);
                    if number == next {
                        self.solution.pointers.push(pointer);
                    }
                    for cell in self.objects.cells(self.objects.variable(var)) {
                        let set = self.solution.set_of[cell.index()];
                        changed |= self.solution.sets[set as usize].insert(number);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a call returns into a variable: what it allocates, what its arguments point to if it has no
    /// body, and all that is held where the result goes on.
    fn handed_on(&self, program: &Program, known: usize, var: VarId, at: Site) -> Pointers {
        let made = self.allocators.made_by(at).iter();
        let mut held: Pointers =
            made.map(|&object| (object, super::spot::Spot::Exact(0))).collect();
        let Some(body) = &program.funcs[at.function].body else { return held };
        if let Op::Call(call) = &body.edge(at.edge).op {
            for &argument in &call.args {
                held.extend(self.value_pointers(program, argument));
            }
        }
        for edge in body.edges().iter() {
            let Op::Assign { dst, src } = edge.op else { continue };
            let is_old = program.exprs.root_var(dst).is_none_or(|root| root.index() < known);
            if is_old && holds(program, src) == Some(var) {
                held.extend(self.cells(program, dst).iter().flat_map(|cell| {
                    self.operand_pointers(super::generate::Operand::Node(super::NodeId(cell)))
                }));
            }
        }
        held
    }
}

/// The variable whose value this is.
fn holds(program: &Program, value: ExprId) -> Option<VarId> {
    match program.exprs.expr(value).kind {
        ExprKind::Load(place) => program.exprs.root_var(place),
        ExprKind::Cast(inner) => holds(program, inner),
        _ => None,
    }
}

/// What is stored into new variables, wherever in them.
fn sources(program: &Program, known: usize) -> BTreeMap<VarId, Source> {
    let mut found: BTreeMap<VarId, Source> = BTreeMap::new();
    for (function, body) in
        program.funcs.iter_ids().filter_map(|(f, it)| Some((f, it.body.as_ref()?)))
    {
        for (edge, what) in body.edges().iter_ids() {
            let dst = match &what.op {
                Op::Assign { dst, .. } | Op::Alloca { dst, .. } => Some(*dst),
                Op::Call(call) => call.dst,
                _ => None,
            };
            let root = dst.and_then(|dst| program.exprs.root_var(dst));
            let Some(var) = root.filter(|root| root.index() >= known) else { continue };
            let source = found.entry(var).or_default();
            match what.op {
                Op::Assign { src, .. } => source.values.push(src),
                _ => source.results.push(Site { function, edge }),
            }
        }
    }
    found
}
