//! Points-to: which objects, and where in them, every pointer of a program may point to.
//!
//! The answer holds for every run as the interpreter has it, also for pointers that went through
//! integers, bytes, unions, `memcpy` or functions that nothing is known of, but for undefined
//! behaviour that leaves objects or declared arrays ([`layout`]).
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
//! let program = translate(vec![source], Target::Lp64, &ParseOptions::default()).program;
//! let facts = PointsTo::analyze(&program, &Options::default(), &Budget::unlimited()).unwrap();
//! assert!(facts.objects().len() > 3);
//! ```

#[allow(dead_code, reason = "the inclusion-based analysis comes next")]
mod layout;
#[allow(dead_code, reason = "the inclusion-based analysis comes next")]
mod objects;
#[allow(dead_code, reason = "the inclusion-based analysis comes next")]
mod spot;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program};
pub use gnomon_logic::encode::aliases::Offset;

pub use layout::CellBytes;
pub use objects::{CellId, Object, ObjectId, ObjectKind, Objects, Site};

use crate::sparse_set::SparseSet;
use spot::Spot;

/// How to analyse.
#[derive(Clone, Debug, Default)]
pub struct Options {}

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
}

/// What pointers may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    objects: Objects,
    everything: Vec<Target>,
    escaped: SparseSet,
    functions: Vec<FuncId>,
}

impl PointsTo {
    /// Analyses a program.
    pub fn analyze(program: &Program, _: &Options, budget: &Budget) -> Result<Self, Exhausted> {
        let mut objects = Objects::of_program(program);
        for (function, info) in program.funcs.iter_ids() {
            for (edge, found) in info.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                if gnomon_logic::encode::aliases::allocates(program, &found.op) {
                    let site = Site { function, edge };
                    let kind = ObjectKind::Allocated { site, context: None };
                    objects.add_allocated(&program.types, kind, None);
                }
            }
        }
        let pointed_to = |kind| match kind {
            ObjectKind::Variable(var) => program.vars[var].address_taken,
            _ => true,
        };
        let everything: Vec<Target> = objects
            .iter()
            .filter(|(_, object)| pointed_to(object.kind))
            .map(|(object, _)| Target { object, offset: Offset::ANY })
            .collect();
        let cells = everything.iter().flat_map(|t| objects.cells(t.object)).map(|cell| cell.0);
        let escaped = cells.collect();
        Ok(Self { objects, everything, escaped, functions: program.funcs.ids().collect() })
    }

    /// The objects that are told apart.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Where the value of an expression may point, whenever it is evaluated: sorted, each target
    /// once. Null and pointers into no object are always possible and never listed. An expression
    /// of integer type has the targets of the pointers that it was computed from.
    pub fn pointees(&self, program: &Program, expr: ExprId) -> Vec<Target> {
        match program.exprs.expr(expr).kind {
            ExprKind::AddrOf(place) => self.targets(program, place),
            ExprKind::FuncAddr(func) => {
                let offset = Offset::Exact(0);
                vec![Target { object: self.objects.function(func), offset }]
            }
            ExprKind::Const(_) | ExprKind::Zero => Vec::new(),
            _ => self.everything.clone(),
        }
    }

    /// Where a place may be.
    pub fn targets(&self, program: &Program, place: PlaceId) -> Vec<Target> {
        match self.fixed_spot(program, place) {
            Some((object, spot)) => {
                let offset = spot.offset(self.objects.layout_of(object));
                vec![Target { object, offset }]
            }
            None => self.everything.clone(),
        }
    }

    /// The spot of a place in a variable.
    fn fixed_spot(&self, program: &Program, place: PlaceId) -> Option<(ObjectId, Spot)> {
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Some((self.objects.variable(var), Spot::Exact(0))),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                Some((self.fixed_spot(program, base)?.0, Spot::Any))
            }
        }
    }

    /// The abstract locations that an access to the place may touch.
    pub fn cells(&self, program: &Program, place: PlaceId) -> SparseSet {
        let targets = self.targets(program, place);
        targets.iter().flat_map(|t| self.objects.cells(t.object)).map(|cell| cell.0).collect()
    }

    /// Whether accesses to the two places may touch the same bytes.
    pub fn may_alias(&self, program: &Program, a: PlaceId, b: PlaceId) -> bool {
        self.cells(program, a).intersects(&self.cells(program, b))
    }

    /// Whether the two places are the same bytes, whenever both are valid at the same moment.
    pub fn must_alias(&self, _program: &Program, a: PlaceId, b: PlaceId) -> bool {
        a == b
    }

    /// Who may be called on an edge that is a call.
    pub fn callees(&self, program: &Program, func: FuncId, edge: EdgeId) -> Callees {
        let op = program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op);
        let Some(Op::Call(call)) = op else { return Callees::default() };
        match call.callee {
            Callee::Direct(callee) if program.funcs[callee].body.is_some() => {
                Callees { functions: vec![callee], ..Callees::default() }
            }
            Callee::Direct(callee) => Callees {
                functions: vec![callee],
                outside: false,
                callbacks: self.functions.clone(),
            },
            Callee::Indirect(pointer) => self.called_through(program, pointer),
        }
    }

    /// Who may be called through a pointer.
    pub fn called_through(&self, _program: &Program, _pointer: ExprId) -> Callees {
        let functions = self.functions.clone();
        Callees { functions, outside: true, callbacks: self.functions.clone() }
    }

    /// The cells of the arguments that a `va_list` in a place may lead to.
    pub fn argument_cells(&self, _program: &Program, _list: PlaceId) -> SparseSet {
        self.escaped.clone()
    }

    /// The cells of everything that code outside the program may write and read.
    pub fn escaped_cells(&self) -> &SparseSet {
        &self.escaped
    }

    /// Whether the program may look at addresses as numbers (conversions of pointers to integers,
    /// pointers that escape to unknown code, comparisons with `<` of different objects).
    pub fn observes_addresses(&self) -> bool {
        true
    }
}
