//! What is known of a program before it is explored: where its pointers point, and what its
//! functions write and read.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, CellId, ObjectId, PointsTo};
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, Var, source_name};
use gnomon_ir::span::Span;
use gnomon_logic::encode::{
    Aliases, Encoder, HeldMemory, MemoryOptions, PartitionError, Partitioned, Targets, Theory,
};

use crate::assumption::Assumption;
use crate::control::IndirectCalls;
use crate::proof::{AliasFact, MemoryFacts};

/// Facts about one program.
pub struct Facts<'p> {
    program: &'p Program,
    points_to: Arc<PointsTo>,
    mod_ref: OnceLock<ModRef>,
    memory: MemoryOptions,
    /// What formulas hold by address, since there were any.
    held: OnceLock<Vec<HeldMemory>>,
    entry: FuncId,
    /// Where the program decides something by addresses, if that was asked for.
    decision: OnceLock<Option<Span>>,
}

impl<'p> Facts<'p> {
    /// Analyses a program whose runs begin in `entry`.
    pub fn new(
        program: &'p Program,
        entry: FuncId,
        memory: MemoryOptions,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        budget.report("analyse", format_args!("where pointers point"));
        let entries = vec![program.funcs[entry].name.clone()];
        let options = points_to::Options { entries, ..points_to::Options::default() };
        let points_to = PointsTo::analyze(program, &options, budget)?;
        Ok(Self::known(program, entry, memory, Arc::new(points_to)))
    }

    /// What is known of a program whose pointers were analysed before, for the same entry.
    pub fn known(
        program: &'p Program,
        entry: FuncId,
        memory: MemoryOptions,
        points_to: Arc<PointsTo>,
    ) -> Self {
        let (mod_ref, held, decision) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { program, points_to, mod_ref, memory, held, entry, decision }
    }

    /// Where pointers point, for others who ask about the same program.
    pub fn shared_points_to(&self) -> Arc<PointsTo> {
        self.points_to.clone()
    }

    /// Where the program decides something by the addresses of its objects, which are chosen by
    /// the tool: a proof is one for these addresses only.
    pub fn address_decision(&self) -> Option<Span> {
        let found = self.decision.get_or_init(|| {
            let found = self.points_to.address_decision(self.program, self.entry)?;
            let body = self.program.funcs[found.function].body.as_ref()?;
            Some(body.edge(found.edge).span)
        });
        *found
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// What functions write and read, found out when first asked for.
    pub fn mod_ref(&self, budget: &Budget) -> Result<&ModRef, Exhausted> {
        if let Some(known) = self.mod_ref.get() {
            return Ok(known);
        }
        budget.report("analyse", format_args!("what functions write and read"));
        let calls = CallGraph::new(self.program, &self.points_to, budget)?;
        let found = ModRef::compute(self.program, &self.points_to, &calls, budget)?;
        Ok(self.mod_ref.get_or_init(|| found))
    }

    /// Whether any allocation may give the null pointer.
    pub fn allocation_may_fail(&self) -> bool {
        self.memory.allocation_may_fail
    }

    /// Where pointers point.
    pub fn points_to(&self) -> &PointsTo {
        &self.points_to
    }

    /// What formulas rely on.
    pub fn memory_facts(&self) -> MemoryFacts {
        let held = self.held.get().cloned().unwrap_or_default();
        let escaped = self.points_to.alias_facts(self.program).escaped().unwrap_or_default();
        MemoryFacts { aliases: self.aliases(), calls: self.indirect_calls(), held, escaped }
    }

    fn indirect_calls(&self) -> Vec<(FuncId, EdgeId, Vec<FuncId>)> {
        let mut calls = Vec::new();
        for (caller, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for (edge, op) in body.edges().iter_ids().map(|(edge, e)| (edge, &e.op)) {
                if matches!(op, Op::Call(call) if matches!(call.callee, Callee::Indirect(_)))
                    && !self.leaves(caller, edge)
                    && let Some(callees) = self.callees(caller, edge)
                {
                    calls.push((caller, edge, callees));
                }
            }
        }
        calls
    }

    fn aliases(&self) -> Vec<AliasFact> {
        let (exprs, objects) = (&self.program.exprs, self.points_to.objects());
        let aliases = self.points_to.alias_facts(self.program);
        let mut facts = Vec::new();
        for place in (0..exprs.place_count()).map(|i| PlaceId(i as u32)) {
            let PlaceKind::Deref(pointer) = exprs.place(place).kind else { continue };
            let cells = self.points_to.cells(self.program, place);
            let owners: BTreeSet<ObjectId> =
                cells.iter().map(|cell| objects.owner(CellId(cell))).collect();
            let objects = owners.into_iter().map(|owner| objects.get(owner).kind).collect();
            let targets = match aliases.targets(pointer) {
                Targets::Known(targets) => Some(targets),
                Targets::Anything => None,
            };
            facts.push(AliasFact { place, objects, targets });
        }
        facts
    }

    /// An encoder that knows these facts.
    pub fn encoder(&self, theory: Theory, budget: &Budget) -> Result<Encoder<'p>, PartitionError> {
        self.encoder_with(theory, self.memory, budget)
    }

    /// An encoder that also says where allocated objects begin.
    pub fn encoder_for_elements(
        &self,
        theory: Theory,
        budget: &Budget,
    ) -> Result<Encoder<'p>, PartitionError> {
        let memory = MemoryOptions { remember_allocations: true, ..self.memory };
        self.encoder_with(theory, memory, budget)
    }

    fn encoder_with(
        &self,
        theory: Theory,
        memory: MemoryOptions,
        budget: &Budget,
    ) -> Result<Encoder<'p>, PartitionError> {
        let memory = self.partition(memory, budget)?;
        self.held.get_or_init(|| memory.held());
        Ok(Encoder::with_memory(self.program, theory, Box::new(memory)))
    }

    /// Whether a pointer to an object that may be gone is compared with another one.
    pub fn compares_dangling(&self, budget: &Budget) -> bool {
        self.points_to.may_compare_dangling(self.program, budget)
    }

    /// What the encoding of memory assumes.
    pub fn assumptions(&self, budget: &Budget) -> Vec<Assumption> {
        let partition = self.partition(self.memory, budget).map(|p| p.assumptions());
        let mut all: Vec<Assumption> =
            partition.unwrap_or_default().into_iter().map(Assumption::Other).collect();
        if self.follows_pointers() {
            all.push(Assumption::AccessesInside);
        }
        if self.compares_dangling(budget) {
            all.push(Assumption::DanglingNotCompared);
        }
        if let Some(place) = self.call_of_environment() {
            all.push(Assumption::Other(format!(
                "a function of the environment that is called through a pointer ({place}) returns \
                 anything, writes what it may know, and calls nothing of the program"
            )));
        }
        if self.allocates() && !self.memory.allocation_may_fail {
            let enough = "every allocation succeeds, and there is no more than 1 GiB at once";
            all.push(Assumption::Other(enough.to_owned()));
        }
        all
    }

    /// A call through a pointer that may come from outside.
    fn call_of_environment(&self) -> Option<String> {
        self.program.funcs.iter_ids().find_map(|(caller, function)| {
            let body = function.body.as_ref()?;
            body.edges().iter_ids().find_map(|(id, edge)| {
                let Op::Call(call) = &edge.op else { return None };
                let indirect = matches!(call.callee, Callee::Indirect(_));
                let leaves = indirect && self.leaves(caller, id);
                leaves.then(|| self.program.files.show(edge.span))
            })
        })
    }

    /// Whether the program has elements or pointees that an access can miss.
    fn follows_pointers(&self) -> bool {
        let exprs = &self.program.exprs;
        let mut places = (0..exprs.place_count()).map(|i| exprs.place(PlaceId(i as u32)).kind);
        places.any(|kind| matches!(kind, PlaceKind::Deref(_) | PlaceKind::Index(..)))
    }

    /// Whether formulas have arrays: elements of arrays, and memory that is accessed at addresses
    /// which are not constant.
    pub fn has_arrays(&self, budget: &Budget) -> bool {
        let exprs = &self.program.exprs;
        let mut places = (0..exprs.place_count()).map(|i| exprs.place(PlaceId(i as u32)).kind);
        let is_element = |kind| match kind {
            PlaceKind::Index(base, index) => !self.is_of_constant(base, index),
            _ => false,
        };
        if places.any(is_element) {
            return true;
        }
        if self.held.get().is_none()
            && let Ok(memory) = self.partition(self.memory, budget)
        {
            self.held.get_or_init(|| memory.held());
        }
        self.held.get().is_none_or(|held| !held.is_empty())
    }

    /// Whether an element is a known one of what is never written, such as the first of a string.
    fn is_of_constant(&self, base: PlaceId, index: ExprId) -> bool {
        let var = self.program.exprs.root_var(base).map(|var| &self.program.vars[var]);
        let is_constant =
            |var: &Var| matches!(var.storage, Storage::Static { read_only: true, .. });
        self.program.as_int(index).is_some() && var.is_some_and(is_constant)
    }

    /// Whether the program allocates.
    fn allocates(&self) -> bool {
        self.program.funcs.iter().any(|function| {
            let name = source_name(&function.name);
            let kind = classify(name, self.program.types.target());
            function.body.is_none() && matches!(kind, Library::Alloc(_))
        })
    }

    fn partition(
        &self,
        memory: MemoryOptions,
        budget: &Budget,
    ) -> Result<Partitioned<'p>, PartitionError> {
        let aliases = self.points_to.alias_facts(self.program);
        Partitioned::new(self.program, &aliases, memory, budget)
    }
}

impl IndirectCalls for Facts<'_> {
    fn callees(&self, caller: FuncId, edge: EdgeId) -> Option<Vec<FuncId>> {
        Some(self.points_to.callees(self.program, caller, edge).functions)
    }

    fn leaves(&self, caller: FuncId, edge: EdgeId) -> bool {
        self.points_to.callees(self.program, caller, edge).outside
    }
}
