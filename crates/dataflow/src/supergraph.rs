//! A program as a pushdown system (LAL Figure 2.4): one control location, a stack symbol for every
//! location of every function, a push for every call.
//!
//! A call is followed by a symbol of its own, the *return site*: there the callee's effect is merged
//! into the caller's, and from there the result is stored and the caller goes on. Calls through
//! pointers push every function that the points-to analysis allows. A function without a body goes
//! straight to the return site, and what it may call back is pushed from there, any number of times.
//! Functions that never return end the path.

use gnomon_flow::points_to::PointsTo;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, EdgeId, LocId, Op};
use gnomon_ir::expr::ExprId;
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_wpds::semiring::Weighing;
use gnomon_wpds::{Control, Kind, Merge, RuleId, Semiring, Symbol, Wpds, WpdsError};

/// What the edges of a program mean to an analysis.
pub trait Meaning {
    /// The weights.
    type Domain: Semiring;

    /// The weights.
    fn domain(&self) -> &Self::Domain;

    /// An edge that is no call.
    fn step(&self, func: FuncId, op: &Op) -> Weighing<<Self::Domain as Semiring>::Weight>;

    /// Entering a callee. Without arguments it is called from outside the program.
    fn enter(
        &self,
        callee: FuncId,
        arguments: Option<&[ExprId]>,
    ) -> Weighing<Entering<Self::Domain>>;

    /// From the return site on; `known` if a function of the program returned.
    fn resume(&self, call: &Call, known: bool) -> Weighing<<Self::Domain as Semiring>::Weight>;
}

/// The weight of a push rule, and how the callee's weight becomes the caller's.
pub type Entering<S> = (<S as Semiring>::Weight, Merge<S>);

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An edge, or a call of a function without a body up to its return site.
    Edge(FuncId, EdgeId),
    /// The call on an edge enters a function.
    Enter {
        /// The caller.
        caller: FuncId,
        /// The edge of the call.
        edge: EdgeId,
        /// Who is called.
        callee: FuncId,
    },
    /// The caller goes on behind the call on an edge.
    Resume(FuncId, EdgeId),
    /// A function returns.
    Exit(FuncId),
}

/// A call and its return site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The caller.
    pub caller: FuncId,
    /// The edge of the call.
    pub edge: EdgeId,
    /// Its return site.
    pub returns: Symbol,
    /// Functions with a body that may be entered.
    pub enters: Vec<FuncId>,
    /// Functions with a body that may be called back by a function without one.
    pub callbacks: Vec<FuncId>,
    /// Whether a function without a body may be called that returns.
    pub outside: bool,
}

/// The stack symbols of a program, and its calls.
#[derive(Clone, Debug)]
pub struct Supergraph {
    entry: FuncId,
    /// The symbol of the entry location, by function.
    first: Vec<u32>,
    /// In the order of functions and edges.
    calls: Vec<CallSite>,
    symbols: u32,
    /// The functions that can be entered, in order.
    reached: Vec<FuncId>,
}

/// The only control location.
pub const CONTROL: Control = Control(0);

impl Supergraph {
    /// The graph of everything that can be called from `entry`.
    pub fn new(program: &Program, points_to: &PointsTo, entry: FuncId) -> Self {
        let mut first = vec![u32::MAX; program.funcs.len()];
        let mut symbols = 0;
        let mut reached = Vec::new();
        let mut calls = Vec::new();
        let mut work = vec![entry];
        while let Some(func) = work.pop() {
            let Some(body) = &program.funcs[func].body else { continue };
            if first[func.index()] != u32::MAX {
                continue;
            }
            first[func.index()] = symbols;
            symbols += body.loc_count() as u32;
            reached.push(func);
            for (id, edge) in body.edges().iter_ids() {
                if matches!(edge.op, Op::Call(_)) {
                    let site = call_site(program, points_to, func, id);
                    work.extend(site.enters.iter().chain(&site.callbacks).rev());
                    calls.push(site);
                }
            }
        }
        reached.sort_unstable();
        calls.sort_by_key(|c| (c.caller, c.edge));
        for call in &mut calls {
            call.returns = Symbol(symbols);
            symbols += 1;
        }
        Self { entry, first, calls, symbols, reached }
    }

    /// Where the program begins.
    pub fn entry(&self) -> FuncId {
        self.entry
    }

    /// The functions that can be entered, in the order of the program.
    pub fn functions(&self) -> &[FuncId] {
        &self.reached
    }

    /// All calls in these functions.
    pub fn calls(&self) -> &[CallSite] {
        &self.calls
    }

    /// The call on an edge.
    pub fn call(&self, caller: FuncId, edge: EdgeId) -> Option<&CallSite> {
        let place = self.calls.binary_search_by_key(&(caller, edge), |c| (c.caller, c.edge));
        place.ok().map(|i| &self.calls[i])
    }

    /// The symbol of a location, if its function can be entered.
    pub fn symbol(&self, func: FuncId, loc: LocId) -> Option<Symbol> {
        let first = self.first[func.index()];
        (first != u32::MAX).then(|| Symbol(first + loc.index() as u32))
    }

    /// How many stack symbols there are.
    pub fn symbol_count(&self) -> usize {
        self.symbols as usize
    }

    /// The pushdown system with the weights of an analysis, and where each rule comes from.
    pub fn system<M: Meaning>(
        &self,
        program: &Program,
        meaning: &M,
    ) -> Result<(Wpds<M::Domain>, Vec<Origin>), WpdsError> {
        let mut system = Wpds::new(meaning.domain().clone(), Kind::Extended);
        system.add_control("p");
        system.add_symbols(self.symbols);
        let mut rules = Rules { graph: self, program, meaning, system, origins: Vec::new() };
        for &func in &self.reached {
            rules.function(func)?;
        }
        Ok((rules.system, rules.origins))
    }
}

fn call_site(program: &Program, points_to: &PointsTo, caller: FuncId, edge: EdgeId) -> CallSite {
    let called = points_to.callees(program, caller, edge);
    let has_body = |f: &FuncId| program.funcs[*f].body.is_some();
    let returns = |f: &FuncId| {
        let function = &program.funcs[*f];
        let library = classify(source_name(&function.name), program.types.target());
        let ends = [Library::Error, Library::Abort, Library::Exit, Library::Unreachable];
        !function.no_return && !ends.contains(&library)
    };
    let outside = called.outside
        || called.functions.is_empty()
        || called.functions.iter().any(|f| !has_body(f) && returns(f));
    CallSite {
        caller,
        edge,
        returns: Symbol(u32::MAX),
        enters: called.functions.iter().copied().filter(has_body).collect(),
        callbacks: called.callbacks.into_iter().filter(has_body).collect(),
        outside,
    }
}

struct Rules<'a, M: Meaning> {
    graph: &'a Supergraph,
    program: &'a Program,
    meaning: &'a M,
    system: Wpds<M::Domain>,
    origins: Vec<Origin>,
}

impl<M: Meaning> Rules<'_, M> {
    fn keep(&mut self, rule: Result<RuleId, WpdsError>, origin: Origin) -> Result<(), WpdsError> {
        rule?;
        self.origins.push(origin);
        Ok(())
    }

    fn function(&mut self, func: FuncId) -> Result<(), WpdsError> {
        let Some(body) = &self.program.funcs[func].body else { return Ok(()) };
        let symbol = |loc: LocId| Symbol(self.graph.first[func.index()] + loc.index() as u32);
        let exit = symbol(body.exit());
        for (id, edge) in body.edges().iter_ids() {
            let (from, to) = (symbol(edge.from), symbol(edge.to));
            match &edge.op {
                Op::Call(call) => self.call(func, id, call, (from, to))?,
                op => {
                    let weight = self.meaning.step(func, op)?;
                    let rule = self.system.add_step((CONTROL, from), (CONTROL, to), weight);
                    self.keep(rule, Origin::Edge(func, id))?;
                }
            }
        }
        let one = self.meaning.domain().one();
        let rule = self.system.add_pop((CONTROL, exit), CONTROL, one);
        self.keep(rule, Origin::Exit(func))
    }

    fn call(
        &mut self,
        caller: FuncId,
        edge: EdgeId,
        call: &Call,
        (from, to): (Symbol, Symbol),
    ) -> Result<(), WpdsError> {
        let graph = self.graph;
        let Some(site) = graph.call(caller, edge) else { return Ok(()) };
        for &callee in &site.enters {
            self.push((caller, edge, callee), from, site.returns, Some(&call.args))?;
        }
        if site.outside {
            let one = self.meaning.domain().one();
            let rule = self.system.add_step((CONTROL, from), (CONTROL, site.returns), one);
            self.keep(rule, Origin::Edge(caller, edge))?;
            for &callee in &site.callbacks {
                self.push((caller, edge, callee), site.returns, site.returns, None)?;
            }
        }
        let mut weight = self.meaning.domain().zero();
        if !site.enters.is_empty() {
            weight = self.meaning.resume(call, true)?;
        }
        if site.outside {
            let unknown = self.meaning.resume(call, false)?;
            weight = self.meaning.domain().combine(&weight, &unknown)?;
        }
        let rule = self.system.add_step((CONTROL, site.returns), (CONTROL, to), weight);
        self.keep(rule, Origin::Resume(caller, edge))
    }

    fn push(
        &mut self,
        (caller, edge, callee): (FuncId, EdgeId, FuncId),
        from: Symbol,
        returns: Symbol,
        arguments: Option<&[ExprId]>,
    ) -> Result<(), WpdsError> {
        let Some(body) = &self.program.funcs[callee].body else { return Ok(()) };
        let Some(entry) = self.graph.symbol(callee, body.entry()) else { return Ok(()) };
        let (weight, merge) = self.meaning.enter(callee, arguments)?;
        let to = (CONTROL, entry, returns);
        let rule = self.system.add_push((CONTROL, from), to, weight, Some(merge));
        self.keep(rule, Origin::Enter { caller, edge, callee })
    }
}
