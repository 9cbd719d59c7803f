//! May-alias pairs with single-level pointers (LAL 3.5.3, after Landi and Ryder): the worked example of
//! a merge function that is more than a projection.
//!
//! *Access expressions* are variables whose address is taken, and what pointer variables point to. A
//! pointer variable is followed if its own address is never taken, so only assignments to its name
//! change it; what is loaded from memory or comes from outside may point to everything. In a callee,
//! the caller's locals have no names: a pair of a visible expression with one of them becomes a pair
//! with *the invisible*, and when the callee returns, the merge function knows from the pair before
//! the call which local that was.
//!
//! Departures from the paper: an assignment `x = y` keeps the aliases of `*y` (the list of the paper
//! drops them), and a pair with the invisible is given back only to the local that caused it, not to
//! all of them. Pointers to pointers are safe, not precise.

mod domain;

pub use domain::{Access, AliasPairs, AliasWeight, INVISIBLE, Pair};

use gnomon_budget::Budget;
use gnomon_flow::points_to::PointsTo;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId, source_name};
use gnomon_wpds::domains::merge_by;
use gnomon_wpds::semiring::Weighing;
use gnomon_wpds::{
    ConfigSet, Configuration, Fwpds, FwpdsOptions, Semiring, Solution, Wpds, WpdsError,
    weight_of_set,
};

use crate::contexts::{Context, ContextError, configurations};
use crate::kept::{Kept, Shelf};
use crate::points::Point;
use crate::supergraph::{CONTROL, Entering, Meaning, Supergraph};

/// What an access expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A variable whose address is taken.
    Variable(VarId),
    /// What a pointer variable points to.
    Behind(VarId),
    /// What the result of the last call points to.
    Result,
}

/// Why a program has no alias pairs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AliasError {
    /// The weights would be too large.
    #[error("the program has {0} access expressions; at most {MOST} can be followed")]
    TooMany(usize),
    /// The pushdown system.
    #[error(transparent)]
    System(#[from] WpdsError),
    /// A context is not one.
    #[error(transparent)]
    Context(#[from] ContextError),
}

/// Most access expressions that are followed: weights grow with the square of their number.
pub const MOST: usize = 120;

/// A program as a system with alias pairs as weights.
#[derive(Debug)]
pub struct AliasProblem<'p> {
    program: &'p Program,
    graph: Supergraph,
    names: Names,
    system: Wpds<AliasPairs>,
    start: AliasWeight,
}

/// The access expressions of a program.
#[derive(Clone, Debug)]
struct Names {
    all: Vec<Named>,
    /// By variable.
    variable: Vec<Option<Access>>,
    behind: Vec<Option<Access>>,
}

impl Names {
    fn new(program: &Program, graph: &Supergraph) -> Self {
        let mut names = Self {
            all: vec![Named::Result],
            variable: vec![None; program.vars.len()],
            behind: vec![None; program.vars.len()],
        };
        for (id, var) in program.vars.iter_ids() {
            let owner = var.storage.function();
            if owner.is_some_and(|f| graph.functions().binary_search(&f).is_err()) {
                continue;
            }
            let next = Some(Access(names.all.len() as u32));
            if var.address_taken {
                names.variable[id.index()] = next;
                names.all.push(Named::Variable(id));
            } else if program.types.is_pointer(var.ty) {
                names.behind[id.index()] = next;
                names.all.push(Named::Behind(id));
            }
        }
        names
    }

    const RESULT: Access = Access(0);

    fn owner(&self, program: &Program, access: Access) -> Option<FuncId> {
        match self.all.get(access.0 as usize)? {
            Named::Variable(v) | Named::Behind(v) => program.vars[*v].storage.function(),
            Named::Result => None,
        }
    }

    /// Whether every function can name it.
    fn is_global(&self, program: &Program, access: Access) -> bool {
        access != INVISIBLE && self.owner(program, access).is_none()
    }
}

/// Where a pointer value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// It points to what this expression means.
    Of(Access),
    /// It points to nothing that has a name: null, or a new object.
    Nothing,
    /// It may point to anything.
    Anything,
}

impl<'p> AliasProblem<'p> {
    /// Builds the system of a program that starts in `entry`.
    pub fn new(
        program: &'p Program,
        points_to: &PointsTo,
        entry: FuncId,
    ) -> Result<Self, AliasError> {
        let graph = Supergraph::new(program, points_to, entry);
        let names = Names::new(program, &graph);
        if names.all.len() > MOST {
            return Err(AliasError::TooMany(names.all.len()));
        }
        let domain = AliasPairs::new(names.all.len() as u32);
        let meaning = AliasMeaning { program, names: &names, domain };
        let (system, _) = graph.system(program, &meaning)?;
        let start = meaning.start(entry).map_err(WpdsError::from)?;
        Ok(Self { program, graph, names, system, start })
    }

    /// The graph of the program.
    pub fn graph(&self) -> &Supergraph {
        &self.graph
    }

    /// What an access expression of a pair is; nothing for the invisible.
    pub fn named(&self, access: Access) -> Option<Named> {
        self.names.all.get(access.0 as usize).copied()
    }

    /// All access expressions that a function can name, but for the result of a call.
    pub fn visible(&self, func: FuncId) -> Vec<Access> {
        let all = (1..self.names.all.len() as u32).map(Access);
        all.filter(|a| self.names.owner(self.program, *a).is_none_or(|f| f == func)).collect()
    }

    /// The solver; it computes what is asked for.
    pub fn solve(&self, budget: &Budget) -> Result<Fwpds<'_, AliasPairs>, WpdsError> {
        let entry = self.graph.entry();
        let body = self.program.funcs[entry].body.as_ref();
        let stack = body.and_then(|b| self.graph.symbol(entry, b.entry())).into_iter().collect();
        let set = ConfigSet::single(1, &Configuration { control: CONTROL, stack })?;
        let options = FwpdsOptions { budget: budget.clone(), ..FwpdsOptions::default() };
        Fwpds::poststar(&self.system, &set.weighted(&self.start), options)
    }

    /// The weights of procedures on a shelf, for [`Fwpds::with_store`].
    pub fn kept<'s>(&self, shelf: &'s dyn Shelf) -> Kept<'s, AliasPairs> {
        let domain = *self.system.domain();
        Kept::new(shelf, &format!("alias {domain:?}"), domain)
    }

    /// The pairs that may hold at a point in a context, of expressions that its function can name.
    pub fn pairs_in(
        &self,
        solution: &impl Solution<AliasPairs>,
        point: Point,
        context: &Context,
    ) -> Result<Vec<Pair>, AliasError> {
        let set = configurations(self.program, &self.graph, &[point], context)?;
        let visible = self.visible(point.func);
        let mut pairs: Vec<Pair> = weight_of_set(solution, &set)?.generated().into_iter().collect();
        pairs.retain(|p| p.both().iter().all(|a| visible.contains(a)));
        Ok(pairs)
    }

    /// An access expression as the user writes it.
    pub fn show(&self, access: Access) -> String {
        let name = |v: VarId| {
            let unique = &self.program.vars[v].name;
            let own = source_name(unique);
            if own.is_empty() { unique.clone() } else { own.to_owned() }
        };
        match self.named(access) {
            Some(Named::Variable(v)) => name(v),
            Some(Named::Behind(v)) => format!("*{}", name(v)),
            Some(Named::Result) => "*result".to_owned(),
            None => "(invisible)".to_owned(),
        }
    }
}

/// Edges as changes of alias pairs.
struct AliasMeaning<'a> {
    program: &'a Program,
    names: &'a Names,
    domain: AliasPairs,
}

impl AliasMeaning<'_> {
    fn source(&self, expr: ExprId) -> Source {
        let exprs = &self.program.exprs;
        match exprs.expr(expr).kind {
            ExprKind::Zero | ExprKind::Const(_) | ExprKind::FuncAddr(_) => Source::Nothing,
            ExprKind::Cast(a) | ExprKind::PtrAdd(a, _) => self.source(a),
            ExprKind::AddrOf(place) => self.place_source(place),
            ExprKind::Load(place) => match exprs.place(place).kind {
                PlaceKind::Var(v) => {
                    self.names.behind[v.index()].map_or(Source::Anything, Source::Of)
                }
                _ => Source::Anything,
            },
            _ => Source::Anything,
        }
    }

    /// The address of a place: of a part of a variable, or of what a pointer points to.
    fn place_source(&self, mut place: PlaceId) -> Source {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(v) => {
                    return self.names.variable[v.index()].map_or(Source::Anything, Source::Of);
                }
                PlaceKind::Deref(pointer) => return self.source(pointer),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            }
        }
    }

    /// A pointer gets a new value; `target` is what it points to.
    fn assign(&self, target: Access, source: Source) -> AliasWeight {
        let everything = (0..self.names.all.len() as u32).map(Access).chain([INVISIBLE]);
        let generated: Vec<Pair> = match source {
            Source::Of(s) if s == target => return self.domain.one(),
            Source::Of(s) => vec![Pair::new(target, s)],
            Source::Nothing => Vec::new(),
            Source::Anything => {
                everything.filter(|a| *a != target).map(|a| Pair::new(target, a)).collect()
            }
        };
        self.domain.weight(generated, |pair| {
            let [a, b] = pair.both();
            if a == target || b == target {
                return Vec::new();
            }
            let mut after = vec![pair];
            if let Source::Of(s) = source {
                after.extend((a == s).then(|| Pair::new(target, b)));
                after.extend((b == s).then(|| Pair::new(target, a)));
            }
            after
        })
    }

    fn target(&self, dst: PlaceId) -> Option<Access> {
        match self.program.exprs.place(dst).kind {
            PlaceKind::Var(v) => self.names.behind[v.index()],
            _ => None,
        }
    }

    fn set(&self, dst: PlaceId, source: Source) -> AliasWeight {
        match self.target(dst) {
            Some(target) => self.assign(target, source),
            None => self.domain.one(),
        }
    }

    fn start(&self, entry: FuncId) -> Weighing<AliasWeight> {
        let mut weight = self.domain.one();
        for var in self.program.globals() {
            let Some(target) = self.names.behind[var.index()] else { continue };
            let source = match &self.program.vars[var].storage {
                Storage::Static { init: Some(init), .. } => {
                    init.items.iter().fold(Source::Nothing, |_, item| match item {
                        InitItem::Value { value, .. } => self.source(*value),
                        InitItem::Bytes { .. } => Source::Anything,
                    })
                }
                _ => Source::Anything,
            };
            weight = self.domain.extend(&weight, &self.assign(target, source))?;
        }
        for &param in &self.program.funcs[entry].params {
            if let Some(target) = self.names.behind[param.index()] {
                weight = self.domain.extend(&weight, &self.assign(target, Source::Anything))?;
            }
        }
        Ok(weight)
    }

    /// Parameters that are followed, with what they are bound to.
    fn bindings(&self, callee: FuncId, arguments: Option<&[ExprId]>) -> Vec<(Access, Source)> {
        let params = self.program.funcs[callee].params.iter().enumerate();
        params
            .filter_map(|(i, p)| {
                let formal = self.names.behind[p.index()]?;
                let argument = arguments.and_then(|a| a.get(i));
                Some((formal, argument.map_or(Source::Anything, |a| self.source(*a))))
            })
            .collect()
    }
}

/// A call: how pairs are renamed on the way in (LAL Figure 3.6).
#[derive(Clone, Debug)]
struct Binding {
    formals: Vec<(Access, Source)>,
    /// By access expression, whether every function can name it.
    global: Vec<bool>,
}

impl Binding {
    fn is_global(&self, access: Access) -> bool {
        self.global.get(access.0 as usize).copied().unwrap_or(false)
    }

    /// How the callee names an expression of the caller: as it is, by formals, or not at all.
    fn names(&self, access: Access) -> Vec<Access> {
        let bound = |(formal, source): &(Access, Source)| {
            (*source == Source::Of(access)).then_some(*formal)
        };
        let mut names: Vec<Access> = self.formals.iter().filter_map(bound).collect();
        if self.is_global(access) {
            names.push(access);
        }
        names
    }

    /// What a pair of the caller becomes in the callee; with the expression that is invisible there.
    fn image(&self, pair: Pair) -> Vec<(Pair, Option<Access>)> {
        let [a, b] = pair.both();
        let (first, second) = (self.names(a), self.names(b));
        let mut image = Vec::new();
        for &x in &first {
            for &y in &second {
                if x != y {
                    image.push((Pair::new(x, y), None));
                }
            }
            if !self.is_global(b) {
                image.push((Pair::new(x, INVISIBLE), Some(b)));
            }
        }
        if !self.is_global(a) {
            image.extend(second.iter().map(|&y| (Pair::new(y, INVISIBLE), Some(a))));
        }
        image
    }

    /// What holds at the entry of the callee whatever held before: formals that are bound to the same,
    /// and to what has a name there or has not.
    fn generated(&self, count: u32) -> Vec<(Pair, Option<Access>)> {
        let mut pairs = Vec::new();
        for (i, &(formal, source)) in self.formals.iter().enumerate() {
            match source {
                Source::Nothing => {}
                Source::Of(s) => {
                    for &(other, same) in &self.formals[i + 1..] {
                        if same == source {
                            pairs.push((Pair::new(formal, other), None));
                        }
                    }
                    if self.is_global(s) {
                        pairs.push((Pair::new(formal, s), None));
                    } else {
                        pairs.push((Pair::new(formal, INVISIBLE), Some(s)));
                    }
                }
                Source::Anything => {
                    let visible = (0..count).map(Access).filter(|a| self.is_global(*a));
                    let formals = self.formals.iter().map(|f| f.0).filter(|f| *f != formal);
                    pairs.extend(visible.chain(formals).map(|a| (Pair::new(formal, a), None)));
                    // Any local of the caller may be meant.
                    let locals = (0..count).map(Access).filter(|a| !self.is_global(*a));
                    pairs.extend(locals.map(|l| (Pair::new(formal, INVISIBLE), Some(l))));
                    pairs.push((Pair::new(formal, INVISIBLE), Some(INVISIBLE)));
                }
            }
        }
        pairs
    }

    /// What a pair at the end of the callee is to the caller.
    fn back(&self, pair: Pair, invisible: Option<Access>) -> Option<Pair> {
        let [a, b] = pair.both();
        match (self.is_global(a), self.is_global(b)) {
            (true, true) => Some(pair),
            (true, false) if b == INVISIBLE => invisible.map(|l| Pair::new(a, l)),
            _ => None,
        }
    }

    /// From in front of the call to behind it, given what the callee does: then the merge function is
    /// `caller ⊗ this`.
    fn through(&self, domain: &AliasPairs, count: u32, callee: &AliasWeight) -> AliasWeight {
        let follow = |inside: Vec<(Pair, Option<Access>)>| -> Vec<Pair> {
            let images = inside.into_iter().flat_map(|(pair, invisible)| {
                callee.image(pair).filter_map(move |end| self.back(end, invisible))
            });
            images.collect()
        };
        let mut generated = follow(self.generated(count));
        generated.extend(callee.generated().into_iter().filter_map(|end| self.back(end, None)));
        domain.weight(generated, |pair| {
            let mut after = follow(self.image(pair));
            // What only the caller can name stays.
            if pair.both().iter().all(|a| !self.is_global(*a)) {
                after.push(pair);
            }
            after
        })
    }
}

impl Meaning for AliasMeaning<'_> {
    type Domain = AliasPairs;

    fn domain(&self) -> &AliasPairs {
        &self.domain
    }

    fn step(&self, _func: FuncId, op: &Op) -> Weighing<AliasWeight> {
        Ok(match op {
            Op::Assign { dst, src } => self.set(*dst, self.source(*src)),
            Op::Return(Some(value))
                if self.program.types.is_pointer(self.program.exprs.ty(*value)) =>
            {
                self.assign(Names::RESULT, self.source(*value))
            }
            Op::Havoc(dst) | Op::VaArg { dst, .. } => self.set(*dst, Source::Anything),
            Op::Alloca { dst, .. } => self.set(*dst, Source::Nothing),
            Op::Declare(var) => match self.names.behind[var.index()] {
                // Reading it before it is assigned is an error.
                Some(target) => self.assign(target, Source::Nothing),
                None => self.domain.one(),
            },
            _ => self.domain.one(),
        })
    }

    fn enter(
        &self,
        callee: FuncId,
        arguments: Option<&[ExprId]>,
    ) -> Weighing<Entering<AliasPairs>> {
        let count = self.names.all.len() as u32;
        let global = (0..count).map(|a| self.names.is_global(self.program, Access(a))).collect();
        let binding = Binding { formals: self.bindings(callee, arguments), global };
        let weight = self
            .domain
            .weight(binding.generated(count).into_iter().map(|(pair, _)| pair), |pair| {
                binding.image(pair).into_iter().map(|(pair, _)| pair).collect()
            });
        // The name tells all that the function depends on.
        let name = format!("alias pairs {:?} {:?}", binding.formals, binding.global);
        let merge = merge_by(name, true, move |domain: &AliasPairs, caller, callee| {
            if *caller == AliasWeight::None || *callee == AliasWeight::None {
                return Ok(AliasWeight::None);
            }
            domain.extend(caller, &binding.through(domain, count, callee))
        });
        Ok((weight, merge))
    }

    fn resume(&self, call: &Call, known: bool) -> Weighing<AliasWeight> {
        let source = if known { Source::Of(Names::RESULT) } else { self.outside_source(call) };
        let stored = match call.dst.and_then(|dst| self.target(dst)) {
            Some(target) => self.assign(target, source),
            None => self.domain.one(),
        };
        self.domain.extend(&stored, &self.assign(Names::RESULT, Source::Nothing))
    }
}

impl AliasMeaning<'_> {
    /// What a function without a body returns.
    fn outside_source(&self, call: &Call) -> Source {
        match call.callee {
            Callee::Direct(f) => {
                let name = source_name(&self.program.funcs[f].name);
                match classify(name, self.program.types.target()) {
                    Library::Alloc(AllocKind::Realloc) => Source::Anything,
                    Library::Alloc(_) => Source::Nothing,
                    _ => Source::Anything,
                }
            }
            Callee::Indirect(_) => Source::Anything,
        }
    }
}
