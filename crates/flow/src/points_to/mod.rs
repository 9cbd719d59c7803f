//! Points-to: which objects, and where in them, every pointer of a program may point to.
//!
//! The answer holds for every run as the interpreter has it, also for pointers that went through
//! integers, bytes, unions, `memcpy` or functions that nothing is known of, but for undefined
//! behaviour that leaves objects or declared arrays ([`layout`]). It does not depend on where in
//! the program a question is asked.
//!
//! The analysis is inclusion-based (`inclusion`), field-sensitive by byte offsets (`layout`,
//! `spot`), with arrays as one element, heap objects by allocation site and, for functions that
//! only allocate, by their call (`allocators`), and calls through pointers resolved on the fly.
//! Where that takes more than [`Options::max_work`], a count that does not depend on the machine,
//! the unifying analysis (`unification`) takes its place.
//!
//! ```
//! use gnomon_budget::Budget;
//! use gnomon_cfront::parser::ParseOptions;
//! use gnomon_cfront::source::SourceBuffer;
//! use gnomon_cfront::translate::translate;
//! use gnomon_flow::points_to::{Options, PointsTo};
//! use gnomon_ir::types::Target;
//!
//! let text = b"int x, y, *p; int main(void) { p = &x; return *p + y; }".to_vec();
//! let source = SourceBuffer::new("a.c", text).unwrap();
//! let mut program = translate(vec![source], Target::Lp64, &ParseOptions::default()).program;
//! let facts = PointsTo::analyze(&program, &Options::default(), &Budget::unlimited()).unwrap();
//!
//! let var = |name: &str| program.vars.iter_ids().find(|(_, v)| v.name == name).unwrap().0;
//! let (x, p) = (var("x"), var("p"));
//! let value = program.load_var(p);
//! let targets = facts.pointees(&program, value);
//! assert_eq!(targets.len(), 1);
//! assert_eq!(targets[0].object, facts.objects().variable(x));
//! ```

mod aliases;
mod allocators;
mod binding;
mod further;
mod generate;
mod inclusion;
mod layout;
mod leaves;
mod library;
mod objects;
mod observed;
mod query;
mod sink;
mod solution;
mod spot;
mod standard_functions;
mod transport;
mod unification;

use gnomon_budget::{Analysis, Budget, Exhausted};
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::library::{Library, classify, keeps_no_pointer, plain_name};
use gnomon_ir::program::{FuncId, Program, source_name};
pub use gnomon_logic::encode::aliases::Offset;
use gnomon_logic::encode::aliases::is_code_pointer;

pub use aliases::AliasFacts;
pub use layout::CellBytes;
pub use objects::{CellId, Object, ObjectId, ObjectKind, Objects, Site};
pub use observed::AddressDecision;
pub use transport::Moved;

use crate::sparse_set::SparseSet;
use allocators::Allocators;
use generate::{Further, Operands, access_bytes};
use inclusion::{Inclusion, Stopped};
use sink::NodeId;
use solution::Solution;
use unification::Unification;

/// How often constraints are solved with what the last solution showed.
const ROUNDS: usize = 6;

/// Which analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Andersen's: precise, and in the worst case cubic.
    Inclusion,
    /// Steensgaard's: coarse, almost linear.
    Unification,
}

/// How to analyse.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much the inclusion-based analysis may do before the other one takes over, in words of
    /// sets and constraints: about 20 to 50 million of them take a second.
    pub max_work: u64,
    /// The method to begin with.
    pub method: Method,
    /// The functions where runs begin, called with arguments from outside. If none of them has a
    /// body, every function may be one.
    pub entries: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let entries = vec!["main".to_owned()];
        Self { max_work: 2_000_000_000, method: Method::Inclusion, entries }
    }
}

/// An object and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The object.
    pub object: ObjectId,
    /// Where in it, in bytes.
    pub offset: Offset,
}

/// Who may be called on an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callees {
    /// Functions of the program, with a body or only declared, sorted.
    pub functions: Vec<FuncId>,
    /// Whether a function of the environment may be called, whose name is not known.
    pub outside: bool,
    /// Functions with a body that the library or the environment may call before it returns,
    /// sorted.
    pub callbacks: Vec<FuncId>,
    /// Those of them that functions without a body are handed as arguments. Where functions that
    /// nothing is known of are taken to call nothing of the program, these are still called.
    pub handed: Vec<FuncId>,
}

/// How large the problem was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The method that gave the result.
    pub method: Method,
    /// Objects.
    pub objects: usize,
    /// Cells of objects.
    pub cells: usize,
    /// Values: cells and what is computed.
    pub nodes: usize,
    /// Different pointers.
    pub pointers: usize,
    /// Words of sets and constraints that were looked at.
    pub work: u64,
}

/// What pointers may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    objects: Objects,
    operands: Operands,
    allocators: Allocators,
    solution: Solution,
    method: Method,
    escaped_cells: SparseSet,
    escaped_objects: Vec<ObjectId>,
    escaped_functions: Vec<FuncId>,
    observes_addresses: bool,
}

impl PointsTo {
    /// Analyses a program.
    pub fn analyze(
        program: &Program,
        options: &Options,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        budget.count(Analysis::PointsTo);
        let entries = entries(program, options);
        let mut objects = Objects::of_program(program);
        let allocators = Allocators::find(program, &mut objects, &entries);
        let mut further = Further::default();
        for _ in 0..ROUNDS {
            let known = (objects.clone(), allocators.clone());
            let found = Self::solved(program, options, known, &entries, &further, budget)?;
            let next = found.further(program, &further, budget)?;
            if next == further {
                return found.finished(program, budget);
            }
            further = next;
        }
        let known = (objects, allocators);
        Self::solved(program, options, known, &entries, &further, budget)?.finished(program, budget)
    }

    fn solved(
        program: &Program,
        options: &Options,
        (objects, allocators): (Objects, Allocators),
        entries: &[FuncId],
        further: &Further,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let mut found = None;
        if options.method == Method::Inclusion {
            let mut solver = Inclusion::new(&objects);
            let model = generate::model(program, &objects, &allocators, &mut solver);
            let operands = generate::generate(&model, &mut solver, entries, further, budget)?;
            match solver.solve(&model, options.max_work, budget) {
                Ok(solution) => found = Some((operands, solution, Method::Inclusion)),
                Err(Stopped::TooMuchWork) => {}
                Err(Stopped::Exhausted(exhausted)) => return Err(exhausted),
            }
        }
        let (operands, solution, method) = match found {
            Some(found) => found,
            None => {
                let mut solver = Unification::new(&objects);
                let model = generate::model(program, &objects, &allocators, &mut solver);
                let operands = generate::generate(&model, &mut solver, entries, further, budget)?;
                (operands, solver.solve(&model, budget)?, Method::Unification)
            }
        };
        Ok(Self {
            escaped_cells: SparseSet::new(),
            escaped_objects: Vec::new(),
            escaped_functions: Vec::new(),
            observes_addresses: true,
            objects,
            operands,
            allocators,
            solution,
            method,
        })
    }

    fn finished(mut self, program: &Program, budget: &Budget) -> Result<Self, Exhausted> {
        self.find_escaped(program);
        self.observes_addresses = self.looks_at_addresses(program, budget)?;
        Ok(self)
    }

    fn find_escaped(&mut self, program: &Program) {
        for (id, object) in self.objects.iter() {
            if !self.solution.escaped[id.0 as usize] && id != Objects::OUTSIDE {
                continue;
            }
            self.escaped_objects.push(id);
            match object.kind {
                ObjectKind::Function(func) if program.funcs[func].body.is_some() => {
                    self.escaped_functions.push(func);
                }
                _ => self.escaped_cells.extend(self.objects.cells(id).map(|cell| cell.0)),
            }
        }
    }

    fn looks_at_addresses(&self, program: &Program, budget: &Budget) -> Result<bool, Exhausted> {
        for number in 0..program.exprs.expr_count() {
            budget.check()?;
            let expr = ExprId(number as u32);
            let holds_pointer = match self.operands.value(expr) {
                Some(generate::Operand::Address(..)) => true,
                Some(generate::Operand::Node(node)) => !self.solution.of(node).is_empty(),
                Some(generate::Operand::Nothing) => false,
                // Of a check that was added.
                None => !self.value_pointers(program, expr).is_empty(),
            };
            if holds_pointer && program.types.is_integer(program.expr_ty(expr)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The objects that are told apart.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Where the value of an expression may point, whenever it is evaluated: sorted, each target
    /// once. Null and pointers into no object are always possible and never listed. An expression
    /// of integer type has the targets of the pointers that it was computed from.
    pub fn pointees(&self, program: &Program, expr: ExprId) -> Vec<Target> {
        self.targets_of(self.value_pointers(program, expr))
    }

    /// Where a place may be.
    pub fn targets(&self, program: &Program, place: PlaceId) -> Vec<Target> {
        match self.exact_place(program, place) {
            Some((object, offset)) => vec![Target { object, offset: Offset::Exact(offset) }],
            None => self.targets_of(self.place_pointers(program, place)),
        }
    }

    fn targets_of(&self, pointers: query::Pointers) -> Vec<Target> {
        let pointers = self.expanded(pointers);
        let target = |&(object, spot): &(ObjectId, spot::Spot)| Target {
            object,
            offset: spot.offset(self.objects.layout_of(object)),
        };
        let mut targets: Vec<Target> = pointers.iter().map(target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The abstract locations that an access to the place may touch.
    pub fn cells(&self, program: &Program, place: PlaceId) -> SparseSet {
        let bytes = access_bytes(program, place);
        match self.operands.address(place) {
            Some(generate::Operand::Node(node)) => {
                let found = self.solution.of(node).iter();
                self.touched_by(found.map(|p| self.solution.pointers[p as usize]), bytes)
            }
            _ => self.touched(&self.place_pointers(program, place), bytes),
        }
    }

    /// Where the pointers in an abstract location may point.
    pub fn contents(&self, cell: CellId) -> Vec<Target> {
        self.targets_of(self.operand_pointers(generate::Operand::Node(NodeId(cell.0))))
    }

    /// The objects that an edge allocates itself.
    pub fn allocated_on(&self, func: FuncId, edge: EdgeId) -> &[ObjectId] {
        self.allocators.made_by(Site { function: func, edge })
    }

    /// Who may be called on an edge that is a call.
    pub fn callees(&self, program: &Program, func: FuncId, edge: EdgeId) -> Callees {
        let op = program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op);
        let Some(Op::Call(call)) = op else { return Callees::default() };
        let mut called = match call.callee {
            Callee::Direct(callee) => Callees { functions: vec![callee], ..Callees::default() },
            Callee::Indirect(pointer) => self.called_through(program, pointer),
        };
        (called.callbacks, called.handed) = self.callbacks(program, &called, &call.args);
        called
    }

    /// Who may be called through a pointer; without callbacks, which depend on the arguments.
    pub fn called_through(&self, program: &Program, pointer: ExprId) -> Callees {
        let mut called = Callees::default();
        for (object, _) in self.expanded(self.value_pointers(program, pointer)) {
            match self.objects.get(object).kind {
                ObjectKind::Function(func) => called.functions.push(func),
                ObjectKind::Outside => called.outside = true,
                _ => {}
            }
        }
        called.functions.sort_unstable();
        called.functions.dedup();
        called
    }

    /// Whether a function without a body is known to keep and store no pointers.
    pub(crate) fn keeps_no_pointer(&self, program: &Program, func: FuncId) -> bool {
        let name = source_name(&program.funcs[func].name);
        keeps_no_pointer(plain_name(name))
    }

    /// The functions that those without a body may call back, and those that they are handed.
    fn callbacks(
        &self,
        program: &Program,
        called: &Callees,
        args: &[ExprId],
    ) -> (Vec<FuncId>, Vec<FuncId>) {
        let (mut found, mut handed) = (Vec::new(), Vec::new());
        let mut unknown = called.outside;
        for &callee in &called.functions {
            let function = &program.funcs[callee];
            if function.body.is_some() {
                continue;
            }
            match classify(source_name(&function.name), program.types.target()) {
                Library::CallsBack => {
                    for &arg in args {
                        let through = self.called_through(program, arg);
                        found.extend(&through.functions);
                        handed.extend(through.functions);
                        unknown |= through.outside;
                    }
                }
                Library::Unknown if !self.keeps_no_pointer(program, callee) => unknown = true,
                _ => {}
            }
        }
        if unknown {
            found.extend(&self.escaped_functions);
            for &arg in args {
                let through = self.called_through(program, arg);
                if !through.outside || is_code_pointer(program, arg) {
                    handed.extend(through.functions);
                }
            }
        }
        found.extend(&handed);
        for all in [&mut found, &mut handed] {
            all.retain(|&func| program.funcs[func].body.is_some());
            all.sort_unstable();
            all.dedup();
        }
        (found, handed)
    }

    /// The cells of the arguments that a `va_list` in a place may lead to.
    pub fn argument_cells(&self, program: &Program, list: PlaceId) -> SparseSet {
        let mut cells = SparseSet::new();
        for cell in self.cells(program, list).iter() {
            for pointer in self.solution.of(NodeId(cell)).iter() {
                let found = self.solution.pointers[pointer as usize];
                cells.union_with(&self.touched(&[(found.0, spot::Spot::Any)].into(), 1));
            }
        }
        cells
    }

    /// What code outside the program may know, functions among it.
    pub fn escaped_objects(&self) -> &[ObjectId] {
        &self.escaped_objects
    }

    /// The cells of everything that code outside the program may write and read.
    pub fn escaped_cells(&self) -> &SparseSet {
        &self.escaped_cells
    }

    /// Whether the program may compute with addresses as numbers: an expression of integer type
    /// may hold one.
    pub fn observes_addresses(&self) -> bool {
        self.observes_addresses
    }

    /// How large the problem was.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            method: self.method,
            objects: self.objects.len(),
            cells: self.objects.cell_count(),
            nodes: self.solution.set_of.len(),
            pointers: self.solution.pointers.len(),
            work: self.solution.work,
        }
    }
}

/// Where runs begin.
fn entries(program: &Program, options: &Options) -> Vec<FuncId> {
    let with_body = || program.funcs.iter_ids().filter(|(_, f)| f.body.is_some());
    let named: Vec<FuncId> =
        with_body().filter(|(_, f)| options.entries.contains(&f.name)).map(|(id, _)| id).collect();
    if named.is_empty() { with_body().map(|(id, _)| id).collect() } else { named }
}
