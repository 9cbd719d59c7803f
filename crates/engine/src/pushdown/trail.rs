//! Paths through the graph, as formulas with their call structure (AFP 5.2).
//!
//! A path of the pushdown system is a list of its rules. Each becomes a formula over the values before
//! and after it; frames keep the variables of open calls apart, also of functions that call themselves.
//! Between two formulas there is a cut, at a node; the interpolant there speaks about present values and
//! values at the entry of the function.

use std::rc::Rc;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::{Encoder, Move, NotEncoded, PathEncoder, PathStep, Ssa};
use gnomon_logic::interpolate::Step as CutStep;
use gnomon_logic::{Term, Terms};
use rustc_hash::FxHashSet;

use super::ghosts::Reading;
use super::graph::{Action, Graph, NodeId, Place, StepId};

/// A rule of the pushdown system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A step that stays in its function.
    Step(StepId),
    /// Into the callee of a call.
    Enter(StepId),
    /// From the last node of a function.
    Leave(FuncId),
}

/// A point between two formulas of a path.
#[derive(Clone, Debug)]
pub struct CutPoint {
    /// Where.
    pub node: NodeId,
    /// How predicates are read there.
    pub reading: Reading,
}

/// A path.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// A formula for each rule, with its call structure.
    pub steps: Vec<CutStep>,
    /// One before the first formula and one behind each.
    pub cuts: Vec<CutPoint>,
    /// The moves of the program.
    pub moves: Vec<Move>,
}

impl Trail {
    /// Encodes a path that begins where the program starts in `entry`.
    pub fn new(
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        graph: &Graph,
        entry: FuncId,
        rules: &[Rule],
    ) -> Result<Self, NotEncoded> {
        Self::with_moves(encoder, terms, graph, entry, rules, |_| true)
    }

    /// Encodes a path with only those moves inside functions, by their number, that are wanted.
    /// Calls and returns are always there: they keep the frames apart.
    pub fn with_moves(
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        graph: &Graph,
        entry: FuncId,
        rules: &[Rule],
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Self, NotEncoded> {
        let mut trail = Self::default();
        let mut path = PathEncoder::new(encoder, entry, Ssa::new());
        // The values at the entry of each open function, and where the call goes on.
        let mut entries: Vec<(Rc<Ssa>, Option<StepId>)> = vec![(Rc::new(Ssa::new()), None)];
        let mut node = NodeId(0);
        trail.cut(node, &path, &entries);
        for &rule in rules {
            let step = match rule {
                Rule::Step(id) => {
                    let step = graph.step(id);
                    node = step.to;
                    match &step.action {
                        Action::Start => {
                            let block = path.start(terms)?;
                            entries = vec![(Rc::new(block.after), None)];
                            CutStep::inner(block.formula)
                        }
                        Action::Chain { edges, .. } => {
                            let numbered = (trail.moves.len()..).zip(edges.iter());
                            let wanted: Vec<EdgeId> =
                                numbered.filter(|(n, _)| is_wanted(*n)).map(|(_, &e)| e).collect();
                            trail.moves.extend(step.moves());
                            CutStep::inner(path.chain(terms, &wanted)?.formula)
                        }
                        Action::Call { .. } => continue,
                    }
                }
                Rule::Enter(id) => {
                    let Action::Call { caller, edge, callee } = graph.step(id).action else {
                        continue;
                    };
                    let block = path.step(terms, PathStep::EnterCallee(edge, callee))?;
                    entries.push((Rc::new(block.after), Some(id)));
                    trail.moves.push(Move::Enter { caller, edge, callee });
                    node = graph.ends(callee).map_or(node, |ends| ends.0);
                    CutStep::call(block.formula)
                }
                Rule::Leave(callee) => {
                    let Some((_, Some(call))) = entries.pop() else {
                        return Err(NotEncoded::Call("a return without a call".into()));
                    };
                    let step = graph.step(call);
                    if let Action::Call { caller, edge, .. } = step.action {
                        trail.moves.push(Move::Leave { caller, edge, callee });
                    }
                    node = step.to;
                    CutStep::returning(path.step(terms, PathStep::Leave)?.formula)
                }
            };
            trail.steps.push(step);
            trail.cut(node, &path, &entries);
        }
        // Most initial values are never read.
        let used = terms.without_unused(&trail.formulas(), &FxHashSet::default());
        for (step, used) in trail.steps.iter_mut().zip(used) {
            step.formula = used;
        }
        Ok(trail)
    }

    fn cut(
        &mut self,
        node: NodeId,
        path: &PathEncoder<'_, '_>,
        entries: &[(Rc<Ssa>, Option<StepId>)],
    ) {
        let present = path.ssa().clone();
        let reading = match entries.last() {
            Some((entry, _)) => Reading::entered(present, entry.clone()),
            None => Reading::inside(present),
        };
        self.cuts.push(CutPoint { node, reading });
    }

    /// The formulas alone.
    pub fn formulas(&self) -> Vec<Term> {
        self.steps.iter().map(|step| step.formula).collect()
    }
}

/// The function of a node, if it is at a location.
pub fn function_of(graph: &Graph, node: NodeId) -> Option<FuncId> {
    match graph.place(node) {
        Place::At(func, _) => Some(*func),
        _ => None,
    }
}
