//! Affine relations between the integer variables of a C program (LAL 3.5.2).
//!
//! Weights are modules of matrices ([`AffineRelations`]); a call binds the parameters, and the merge
//! function of the call gives the caller's locals back. Branch conditions are not looked at, and
//! an assignment that is not affine gives its variable any value. On affine programs, where that is
//! the whole truth, all relations are found.
//!
//! The result of a function is a variable of its own, which `return` sets and the return site reads.

pub mod forms;
pub mod relations;
pub mod variables;

use std::sync::Arc;

use gnomon_budget::Budget;
use gnomon_flow::points_to::PointsTo;
use gnomon_ir::cfa::{Call, Op};
use gnomon_ir::expr::{ExprId, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId};
use gnomon_ir::types::Type;
use gnomon_wpds::domains::affine::{AffineMerge, AffineRelations, AffineWeight, Scalars};
use gnomon_wpds::semiring::Weighing;
use gnomon_wpds::{
    Automaton, ConfigSet, Configuration, Fwpds, FwpdsOptions, Merge, Semiring, Solution,
    TopWeights, Wpds, WpdsError, weight_of_set,
};

use crate::contexts::{Context, ContextError, configurations};
use crate::kept::{Kept, Shelf};
use crate::points::Point;
use crate::supergraph::{CONTROL, Entering, Meaning, Origin, Supergraph};
use forms::{Arithmetic, Form, Forms};
use relations::{Relations, ShownNumbers};
use variables::{VariableLimits, Variables};

/// What an affine analysis is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffineOptions {
    /// The arithmetic; it must fit the numbers of the domain.
    pub arithmetic: Arithmetic,
    /// How many variables are followed.
    pub limits: VariableLimits,
}

/// A program as a system with affine weights.
#[derive(Debug)]
pub struct AffineProblem<'p, R: Scalars> {
    program: &'p Program,
    graph: Supergraph,
    variables: Variables,
    system: Wpds<AffineRelations<R>>,
    origins: Vec<Origin>,
    start: Automaton<AffineWeight<R>>,
}

impl<'p, R: ShownNumbers + 'static> AffineProblem<'p, R> {
    /// Builds the system for a program that starts in `entry` with any arguments.
    pub fn new(
        program: &'p Program,
        points_to: &PointsTo,
        entry: FuncId,
        ring: R,
        options: AffineOptions,
    ) -> Result<Self, WpdsError> {
        let graph = Supergraph::new(program, points_to, entry);
        let variables = Variables::choose(program, &graph, options.limits);
        let domain = AffineRelations::new(ring, variables.count());
        let meaning = AffineMeaning {
            program,
            variables: &variables,
            domain,
            arithmetic: options.arithmetic,
        };
        let (system, origins) = graph.system(program, &meaning)?;
        let start = meaning.start(&graph, entry)?;
        Ok(Self { program, graph, variables, system, origins, start })
    }

    /// The graph of the program.
    pub fn graph(&self) -> &Supergraph {
        &self.graph
    }

    /// The variables that are followed.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The pushdown system.
    pub fn system(&self) -> &Wpds<AffineRelations<R>> {
        &self.system
    }

    /// Where each rule comes from.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The configuration in which the program starts, with its first values.
    pub fn start(&self) -> &Automaton<AffineWeight<R>> {
        &self.start
    }

    /// The solver; it computes what is asked for.
    pub fn solve(&self, budget: &Budget) -> Result<Fwpds<'_, AffineRelations<R>>, WpdsError> {
        let options = FwpdsOptions { budget: budget.clone(), ..FwpdsOptions::default() };
        Fwpds::poststar(&self.system, &self.start, options)
    }

    /// The weights of procedures on a shelf, for [`Fwpds::with_store`].
    pub fn kept<'s>(&self, shelf: &'s dyn Shelf) -> Kept<'s, AffineRelations<R>> {
        let domain = self.system.domain().clone();
        let globals = self.variables.globals().len();
        let analysis = format!("affine {:?} globals {globals}", domain);
        Kept::new(shelf, &analysis, domain)
    }

    /// The relations at a point, in a context.
    pub fn relations_in(
        &self,
        solution: &impl Solution<AffineRelations<R>>,
        point: Point,
        context: &Context,
    ) -> Result<Relations<R::Number>, ContextError> {
        let set = configurations(self.program, &self.graph, &[point], context)?;
        let weight = weight_of_set(solution, &set)?;
        Ok(self.read(point.func, &weight))
    }

    /// The relations at a point in any context; `tops` are the weights of all contexts of the
    /// solution, computed once.
    pub fn relations_at(
        &self,
        solution: &impl Solution<AffineRelations<R>>,
        tops: &TopWeights<AffineWeight<R>>,
        point: Point,
    ) -> Result<Relations<R::Number>, WpdsError> {
        let Some(symbol) = self.graph.symbol(point.func, point.loc) else {
            return Ok(Relations::Unreachable);
        };
        let weight = tops.get(solution, CONTROL, symbol)?;
        Ok(self.read(point.func, &weight))
    }

    fn read(&self, func: FuncId, weight: &AffineWeight<R>) -> Relations<R::Number> {
        let domain = self.system.domain();
        if domain.is_zero(weight) {
            return Relations::Unreachable;
        }
        let all = domain.relations(weight);
        let ring = domain.numbers();
        Relations::Hold(relations::visible(ring, self.program, &self.variables, func, &all))
    }
}

/// Edges as affine transformations.
struct AffineMeaning<'a, R> {
    program: &'a Program,
    variables: &'a Variables,
    domain: AffineRelations<R>,
    arithmetic: Arithmetic,
}

impl<R: Scalars + 'static> AffineMeaning<'_, R> {
    fn form(&self, expr: ExprId) -> Option<Form> {
        let position = |v: VarId| self.variables.place(v);
        Forms { program: self.program, arithmetic: self.arithmetic, position: &position }.of(expr)
    }

    /// A place gets a form, or any value.
    fn set(&self, place: usize, form: Option<Form>) -> Weighing<AffineWeight<R>> {
        match form {
            Some(form) => Ok(self.domain.assign(&[(place, form.constant, &form.terms)])),
            None => self.domain.forget(&[place]),
        }
    }

    fn assigned(&self, dst: PlaceId) -> Option<usize> {
        match self.program.exprs.place(dst).kind {
            PlaceKind::Var(var) => self.variables.place(var),
            // Nothing but its name reaches a variable that is followed.
            _ => None,
        }
    }

    fn set_place(&self, dst: PlaceId, form: Option<Form>) -> Weighing<AffineWeight<R>> {
        match self.assigned(dst) {
            Some(place) => self.set(place, form),
            None => Ok(self.domain.one()),
        }
    }

    /// All locals of a function as they are at its entry: parameters bound, the others unknown; places
    /// that it does not use are zero.
    fn bind(&self, func: FuncId, arguments: Option<&[ExprId]>) -> Weighing<AffineWeight<R>> {
        let params = &self.program.funcs[func].params;
        let own = self.variables.locals(func);
        let mut bound: Vec<(usize, Form)> = Vec::new();
        let mut unknown = Vec::new();
        for place in self.variables.local_places() {
            let var = own.iter().find(|v| self.variables.place(**v) == Some(place));
            let Some(var) = var else {
                bound.push((place, Form::default()));
                continue;
            };
            let argument = params
                .iter()
                .position(|p| p == var)
                .and_then(|i| arguments.and_then(|a| a.get(i)))
                .filter(|a| self.program.exprs.ty(**a) == self.program.vars[*var].ty)
                .and_then(|a| self.form(*a));
            match argument {
                Some(form) => bound.push((place, form)),
                None => unknown.push(place),
            }
        }
        let assignments: Vec<_> =
            bound.iter().map(|(p, f)| (*p, f.constant, f.terms.as_slice())).collect();
        let weight = self.domain.assign(&assignments);
        self.domain.extend(&weight, &self.domain.forget(&unknown)?)
    }

    fn start(
        &self,
        graph: &Supergraph,
        entry: FuncId,
    ) -> Result<Automaton<AffineWeight<R>>, WpdsError> {
        let mut weight = self.domain.assign(&[(self.variables.result(), 0, &[])]);
        for (place, &var) in self.variables.globals().iter().enumerate() {
            let first = self.initial(var);
            weight = self.domain.extend(&weight, &self.set(place, first)?)?;
        }
        weight = self.domain.extend(&weight, &self.bind(entry, None)?)?;
        let symbol =
            self.program.funcs[entry].body.as_ref().and_then(|b| graph.symbol(entry, b.entry()));
        let stack = symbol.into_iter().collect();
        let set = ConfigSet::single(1, &Configuration { control: CONTROL, stack })?;
        Ok(set.weighted(&weight))
    }

    fn has_result(&self, func: FuncId) -> bool {
        let types = &self.program.types;
        let signature = types.signature(self.program.funcs[func].ty);
        signature.is_some_and(|s| *types.get(s.result) != Type::Void)
    }

    /// The value of a global at the start, if it is known.
    fn initial(&self, var: VarId) -> Option<Form> {
        let Storage::Static { init, .. } = &self.program.vars[var].storage else { return None };
        let mut value = Some(Form::default());
        for item in &init.as_ref()?.items {
            value = match item {
                InitItem::Value { value, .. } => self.form(*value).filter(|f| f.terms.is_empty()),
                InitItem::Bytes { .. } => None,
            };
        }
        value
    }
}

impl<R: Scalars + 'static> Meaning for AffineMeaning<'_, R> {
    type Domain = AffineRelations<R>;

    fn domain(&self) -> &AffineRelations<R> {
        &self.domain
    }

    fn step(&self, func: FuncId, op: &Op) -> Weighing<AffineWeight<R>> {
        match op {
            // The value that a function without `return` has is not known.
            Op::Return(None) if self.has_result(func) => self.set(self.variables.result(), None),
            Op::Assign { dst, src } => self.set_place(*dst, self.form(*src)),
            Op::Return(Some(value)) => self.set(self.variables.result(), self.form(*value)),
            Op::Havoc(dst) | Op::VaArg { dst, .. } | Op::Alloca { dst, .. } => {
                self.set_place(*dst, None)
            }
            Op::Declare(var) => match self.variables.place(*var) {
                Some(place) => self.set(place, None),
                None => Ok(self.domain.one()),
            },
            // What is followed has no address, so memory does not reach it.
            Op::Skip
            | Op::Assume(_)
            | Op::Return(None)
            | Op::HavocMemory
            | Op::VaStart(_)
            | Op::VaCopy { .. }
            | Op::VaEnd(_)
            | Op::Call(_) => Ok(self.domain.one()),
        }
    }

    fn enter(
        &self,
        callee: FuncId,
        arguments: Option<&[ExprId]>,
    ) -> Weighing<Entering<AffineRelations<R>>> {
        let weight = self.bind(callee, arguments)?;
        let merge: Merge<AffineRelations<R>> =
            Arc::new(AffineMerge::new(weight.clone(), &self.variables.local_places()));
        Ok((weight, merge))
    }

    fn resume(&self, call: &Call, known: bool) -> Weighing<AffineWeight<R>> {
        let Some(place) = call.dst.and_then(|dst| self.assigned(dst)) else {
            // The result is not looked at again.
            return self.set(self.variables.result(), Some(Form::default()));
        };
        let result = Form::variable(self.variables.result());
        let weight = self.set(place, known.then_some(result))?;
        let clear = self.set(self.variables.result(), Some(Form::default()))?;
        self.domain.extend(&weight, &clear)
    }
}
