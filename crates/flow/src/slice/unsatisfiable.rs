//! Early stop (PS 4.2): as soon as what was kept cannot be executed, the rest of the path need not
//! be looked at.
//!
//! Steps are kept from the end of the path to its start, so the constraint of each is added to the
//! solver backwards. A step is encoded by itself, over values before and after it; then its values
//! after are renamed to those that the steps behind it start with, and its values before get new
//! names. Names are kept by frame, like live lvalues. Every constraint is one of the path's own, so
//! an unsatisfiable answer proves that the path cannot be executed, whatever was left out: a step
//! that is not encoded adds nothing, and what it may write gets new names.

use gnomon_ir::cfa::Op;
use gnomon_ir::library::Library;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_logic::encode::{Encoder, Execution, Move, NotEncoded, Ssa};
use gnomon_logic::{Limits, Purpose, Scope, Solver, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use super::effect::{Target, targets};
use super::facts::{called_library, calls_back};
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
    has_memory: bool,
    not_encoded: Vec<NotEncoded>,
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
            has_memory: true,
            not_encoded: Vec::new(),
        }
    }

    /// Says that the encoder has plain variables only: then what is written behind pointers changes
    /// no value that has a name, and steps that do so cost less where they are not encoded.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { has_memory: false, ..self }
    }

    /// Why steps were left out.
    pub fn not_encoded(&self) -> &[NotEncoded] {
        &self.not_encoded
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
        if is_last && never_returns(self.encoder.program(), step) {
            return false;
        }
        let there = placed.positions[placed.graph.edges[edge].to as usize];
        let Some(there) = there else { return false };
        if let Err(why) = self.add(step, here, there) {
            self.not_encoded.push(why);
            self.forget(step, here, there);
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

    /// Gives up the names of what a step that is not encoded may write.
    fn forget(&mut self, step: Move, here: Position, there: Position) {
        let program = self.encoder.program();
        let op = |func: FuncId, edge| {
            program.funcs[func].body.as_ref().map_or(&Op::Skip, |body| &body.edge(edge).op)
        };
        let (op, frame) = match step {
            Move::Start => return self.present.clear(),
            Move::Edge(func, edge) => (op(func, edge), here.frame),
            // The variables of the function that is entered have names of their own, and those
            // are not asked for again.
            Move::Enter { .. } if !self.has_memory => return,
            Move::Enter { .. } => return self.present.clear(),
            Move::Leave { caller, edge, .. } => (op(caller, edge), there.frame),
        };
        if matches!(op, Op::Assume(_) | Op::Skip) {
            return;
        }
        let root = |target: Target| match target {
            Target::Place(place) => program.exprs.root_var(place),
            Target::Variable(var) => Some(var),
        };
        let is_plain = |var: &VarId| !program.vars[*var].address_taken;
        let calls_back = match op {
            Op::Call(call) => called_library(program, call).is_none_or(calls_back),
            _ => false,
        };
        let in_edge = matches!(step, Move::Edge(..));
        let in_memory = targets(op).any(|target| root(target).filter(is_plain).is_none());
        let unnamed = (in_memory || matches!(op, Op::Call(_) | Op::HavocMemory)) && self.has_memory;
        if unnamed || calls_back && in_edge {
            return self.present.clear();
        }
        if let (Op::Return(_), Move::Edge(func, _)) = (op, step) {
            self.forget_named(STATIC, &program.funcs[func].name);
        }
        for var in targets(op).filter_map(root).filter(is_plain) {
            let of = match program.vars[var].storage.function() {
                Some(_) => frame,
                None => STATIC,
            };
            self.forget_named(of, &program.vars[var].name);
        }
    }

    /// Parts of a variable, and results of functions, have names that begin with its own, or theirs;
    /// others may, too, which does no harm.
    fn forget_named(&mut self, of: Frame, name: &str) {
        let terms = &self.terms;
        self.present.retain(|&(frame, variable), _| {
            frame != of || !terms.variable_info(variable).name.starts_with(name)
        });
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
