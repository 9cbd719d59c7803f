//! Whether a path can be executed: the checker's test, bit by bit.

use gnomon_budget::Budget;
use gnomon_dataflow::Origin;
use gnomon_dataflow::btrace::search::Path;
use gnomon_engine::facts::Facts;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Execution, MemoryOptions, Move, Theory};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};

/// What is known of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// Some input makes the program take it.
    Feasible,
    /// No input does, not even so many of its steps.
    Infeasible(usize),
    /// Not known, and why.
    Undecided(String),
}

/// Tests paths of one program.
pub struct Tester<'p> {
    /// The encoder remembers terms, so all paths share them.
    terms: Terms,
    encoder: Encoder<'p>,
    solver: Box<dyn Solver>,
}

impl<'p> Tester<'p> {
    /// For paths from `entry`; or why paths of the program cannot be tested.
    pub fn new(facts: &Facts<'p>, budget: &Budget) -> Result<Self, String> {
        let encoder = facts.encoder(Theory::Bits, budget).map_err(|error| error.to_string())?;
        Ok(Self { terms: Terms::new(), encoder, solver: gnomon_logic::solver::for_bits() })
    }

    /// What is known of the program before paths are tested.
    pub fn facts(
        program: &'p Program,
        entry: FuncId,
        budget: &Budget,
    ) -> Result<Facts<'p>, String> {
        Facts::new(program, entry, MemoryOptions::default(), budget).map_err(|e| e.to_string())
    }

    /// Tests a path.
    pub fn test(&mut self, path: &Path) -> Feasibility {
        let mut execution = Execution::default();
        // How many facts there are behind how many steps.
        let mut known: Vec<(usize, usize)> = Vec::new();
        for (step, taken) in moves(path) {
            execution = match self.encoder.advance(&mut self.terms, execution, taken) {
                Ok(execution) => execution,
                Err(reason) => return Feasibility::Undecided(reason.to_string()),
            };
            known.push((step, execution.facts().len()));
            if execution.is_empty(&self.terms) {
                return Feasibility::Infeasible(step);
            }
        }
        match self.check(execution.facts()) {
            Answer::Sat => return Feasibility::Feasible,
            Answer::Unknown(reason) => return Feasibility::Undecided(reason.to_string()),
            Answer::Unsat => {}
        }
        // The shortest part that is infeasible already.
        let (mut low, mut high) = (0, known.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.check(&execution.facts()[..known[middle].1]) {
                Answer::Unsat => high = middle,
                _ => low = middle + 1,
            }
        }
        Feasibility::Infeasible(known[low].0)
    }

    fn check(&mut self, facts: &[Term]) -> Answer {
        self.solver.push();
        for &fact in facts {
            self.solver.assert(&self.terms, fact);
        }
        let answer = self.solver.check(&self.terms, &[], Purpose::FEASIBILITY, Limits::default());
        self.solver.pop();
        answer
    }
}

/// The steps as the encoding knows them, each with the number of steps of the path up to it.
fn moves(path: &Path) -> Vec<(usize, Move)> {
    let mut moves = vec![(0, Move::Start)];
    let mut returned = None;
    for (i, step) in path.steps.iter().enumerate() {
        let taken = match *step {
            Origin::Edge(func, edge) => Some(Move::Edge(func, edge)),
            Origin::Enter { caller, edge, callee } => Some(Move::Enter { caller, edge, callee }),
            Origin::Exit(func) => {
                returned = Some(func);
                None
            }
            // Behind a function without a body nothing returned; its edge was the step.
            Origin::Resume(caller, edge) => {
                returned.take().map(|callee| Move::Leave { caller, edge, callee })
            }
        };
        moves.extend(taken.map(|taken| (i + 1, taken)));
    }
    moves
}
