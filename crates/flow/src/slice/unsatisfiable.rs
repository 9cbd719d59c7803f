//! Early stop (PS 4.2): as soon as what was kept cannot be executed, the rest of the path need not
//! be looked at.
//!
//! Steps are kept from the end of the path to its start, so the constraint of each is added to the
//! solver backwards. A step is encoded by itself, over values before and after it; then its values
//! after are renamed to those that the steps behind it start with, and its values before get new
//! names. Names are kept by frame, like live lvalues. Every constraint is one of the path's own, so
//! an unsatisfiable answer proves that the path cannot be executed, whatever was left out.

use gnomon_ir::cfa::Op;
use gnomon_ir::library::Library;
use gnomon_ir::program::Program;
use gnomon_logic::encode::{Encoder, Execution, Move, NotEncoded, Ssa};
use gnomon_logic::{Limits, Purpose, Scope, Solver, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use super::facts::called_library;
use super::graph::{Placed, Position};
use super::live::{Frame, STATIC};

/// The solver is asked after every step up to this many, then each time the slice has grown by an
/// eighth.
const ASK_EVERY_TIME: u32 = 64;

/// Asks a solver whether what was kept so far can be executed. Good for one path.
pub struct Probe<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    terms: &'a mut Terms,
    solver: &'a mut dyn Solver,
    limits: Limits,
    /// The indices of the present values.
    present: FxHashMap<(Frame, Variable), u32>,
    greatest: FxHashMap<Variable, u32>,
    steps: u32,
    ask_at: u32,
    not_encoded: Option<NotEncoded>,
}

impl<'a, 'p> Probe<'a, 'p> {
    /// A probe that asserts to a solver, in its present scope. The encoder and the solver work with
    /// the arena.
    pub fn new(
        encoder: &'a mut Encoder<'p>,
        terms: &'a mut Terms,
        solver: &'a mut dyn Solver,
        limits: Limits,
    ) -> Self {
        Self {
            encoder,
            terms,
            solver,
            limits,
            present: FxHashMap::default(),
            greatest: FxHashMap::default(),
            steps: 0,
            ask_at: 1,
            not_encoded: None,
        }
    }

    /// Why the probe gave up, if it did: from there on nothing more was asserted.
    pub fn not_encoded(&self) -> Option<&NotEncoded> {
        self.not_encoded.as_ref()
    }

    /// Adds a step that is kept; whether it cannot be executed with those behind it.
    pub(super) fn is_unsatisfiable_with(
        &mut self,
        placed: &Placed<'_>,
        edge: usize,
        here: Position,
    ) -> bool {
        let step = placed.graph.edges[edge].step;
        let is_last = edge + 1 == placed.graph.edges.len();
        if self.not_encoded.is_some() || is_last && never_returns(self.encoder.program(), step) {
            return false;
        }
        let there = placed.positions[placed.graph.edges[edge].to as usize];
        let Some(there) = there else { return false };
        if let Err(why) = self.add(step, here, there) {
            self.not_encoded = Some(why);
            return false;
        }
        self.steps += 1;
        if self.steps < self.ask_at {
            return false;
        }
        self.ask_at = match self.steps {
            ..ASK_EVERY_TIME => self.steps + 1,
            steps => steps + steps / 8,
        };
        self.solver.check(self.terms, &[], Purpose::FEASIBILITY, self.limits).is_unsat()
    }

    fn add(&mut self, step: Move, here: Position, there: Position) -> Result<(), NotEncoded> {
        let execution = Execution::new(Ssa::new());
        let execution = self.encoder.advance(self.terms, execution, step)?;
        let formula = execution.formula(self.terms);
        // Local variables of the frame that the values before, and those after, belong to.
        let (before, after) = match step {
            Move::Start | Move::Edge(..) => (here.frame, here.frame),
            Move::Enter { .. } => (here.frame, there.frame),
            Move::Leave { .. } => (there.frame, there.frame),
        };
        let mut names: FxHashMap<Symbol, u32> = FxHashMap::default();
        for &symbol in self.terms.free_symbols(formula).iter() {
            let name = self.name(symbol, execution.ssa(), &names, before, after);
            names.insert(symbol, name);
        }
        for (variable, index) in execution.ssa().iter() {
            if index > 0 && self.frame_of(variable, before) == self.frame_of(variable, after) {
                let old = Symbol { variable, index: Some(0) };
                let name = names.get(&old).copied().unwrap_or_else(|| self.fresh(variable));
                let frame = self.frame_of(variable, before);
                self.present.insert((frame, variable), name);
            }
        }
        let renamed = self.rename(formula, &names);
        self.solver.assert(self.terms, renamed);
        Ok(())
    }

    /// The index that a symbol of the formula of one step gets.
    fn name(
        &mut self,
        symbol: Symbol,
        ssa: &Ssa,
        names: &FxHashMap<Symbol, u32>,
        before: Frame,
        after: Frame,
    ) -> u32 {
        if let Some(&known) = names.get(&symbol) {
            return known;
        }
        let variable = symbol.variable;
        let (old, new) = (self.frame_of(variable, before), self.frame_of(variable, after));
        let assigned = ssa.index(variable) > 0;
        match symbol.index {
            // Auxiliary: its own in each step.
            None => self.fresh(variable),
            Some(index) if index == ssa.index(variable) && assigned => self.known(new, variable),
            Some(0) if !assigned || old != new => self.known(old, variable),
            Some(_) => self.fresh(variable),
        }
    }

    fn frame_of(&self, variable: Variable, frame: Frame) -> Frame {
        match self.terms.variable_info(variable).scope {
            Scope::Function(_) => frame,
            Scope::Global | Scope::Auxiliary => STATIC,
        }
    }

    fn known(&mut self, frame: Frame, variable: Variable) -> u32 {
        if let Some(&index) = self.present.get(&(frame, variable)) {
            return index;
        }
        let index = self.fresh(variable);
        self.present.insert((frame, variable), index);
        index
    }

    fn fresh(&mut self, variable: Variable) -> u32 {
        let greatest = self.greatest.entry(variable).or_default();
        *greatest += 1;
        *greatest
    }

    fn rename(&mut self, formula: Term, names: &FxHashMap<Symbol, u32>) -> Term {
        self.terms.reindex(formula, |symbol| names.get(&symbol).copied().or(symbol.index))
    }
}

/// Whether nothing can happen behind a step, which is then itself what is to be reached.
fn never_returns(program: &Program, step: Move) -> bool {
    let Move::Edge(func, edge) = step else { return false };
    let op = program.funcs[func].body.as_ref().map(|body| &body.edge(edge).op);
    let Some(Op::Call(call)) = op else { return false };
    called_library(program, call).is_some_and(|library| {
        matches!(library, Library::Error | Library::Abort | Library::Exit | Library::Unreachable)
    })
}
