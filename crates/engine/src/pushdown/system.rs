//! The abstraction as an extended weighted pushdown system (LAL 3.5.1).
//!
//! One control location; one stack symbol for each node. A chain is a step rule with its relation, a
//! call a push rule with its merge function, the last node of a function a pop rule. Only steps between
//! nodes that matter are in it: those on a path of the control flow from the start to a target.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon_bdd::Bdd;
use gnomon_budget::Budget;
use gnomon_wpds::domains::{BddRelations, Boolean};
use gnomon_wpds::{
    Automaton, ConfigSet, Configuration, Control, FunctionalAutomaton, Fwpds, FwpdsOptions, Kind,
    RuleId, Semiring, Symbol, Witness, Wpds, WpdsError,
};

use super::abstraction::Abstract;
use super::graph::{Action, Graph, NodeId, Step, StepId};
use super::merge::{CallMerge, MiddleCopies};
use super::trail::Rule;

/// The nodes on paths from the start to a target.
pub type Relevant = BTreeSet<NodeId>;

/// The nodes that lie on a path of the control flow from the start to one of the targets, calls
/// matched with returns: what a slice of the control flow keeps.
pub fn control_flow_slice(
    graph: &Graph,
    targets: &BTreeSet<NodeId>,
    budget: &Budget,
) -> Result<Relevant, WpdsError> {
    let mut system: Wpds<Boolean> = Wpds::new(Boolean, Kind::Weighted);
    let control = system.add_control("p");
    system.add_symbols(graph.nodes().count() as u32);
    for (_, step) in graph.steps() {
        let (from, to) = ((control, symbol(step.from)), symbol(step.to));
        match step.action {
            Action::Call { callee, .. } => {
                let Some((entry, _)) = graph.ends(callee) else { continue };
                system.add_push(from, (control, symbol(entry), to), true, None)?;
            }
            _ => {
                system.add_step(from, (control, to), true)?;
            }
        }
    }
    for (_, _, exit) in graph.functions() {
        system.add_pop((control, symbol(exit)), control, true)?;
    }
    let options = || FwpdsOptions { budget: budget.clone(), ..FwpdsOptions::default() };
    let forward = Fwpds::poststar(&system, &start(control).weighted(&true), options())?;
    let goal = goal(control, targets)?;
    let backward = Fwpds::prestar(&system, &goal.weighted(&true), options())?;
    let projection = FunctionalAutomaton::new(&forward, &backward)?.projection()?;
    Ok(projection.into_iter().map(|(_, symbol)| NodeId(symbol.0)).collect())
}

/// Whether a step lies on a path between nodes that matter. A call may matter for its callee alone.
pub fn matters(graph: &Graph, relevant: &Relevant, step: &Step) -> bool {
    let leads_on = match step.action {
        Action::Call { callee, .. } => {
            graph.ends(callee).is_some_and(|(entry, _)| relevant.contains(&entry))
        }
        _ => relevant.contains(&step.to),
    };
    relevant.contains(&step.from) && leads_on
}

/// The configuration of the start.
fn start(control: Control) -> ConfigSet {
    let configuration = Configuration { control, stack: vec![symbol(NodeId(0))] };
    // One control location and one state: always well formed.
    ConfigSet::single(1, &configuration).unwrap_or_else(|_| ConfigSet::new(1))
}

/// All configurations with a target on top.
fn goal(control: Control, targets: &BTreeSet<NodeId>) -> Result<ConfigSet, WpdsError> {
    let mut set = ConfigSet::new(1);
    for &target in targets {
        set.add_stack(&Configuration { control, stack: vec![symbol(target)] }, true)?;
    }
    Ok(set)
}

/// The stack symbol of a node.
pub fn symbol(node: NodeId) -> Symbol {
    Symbol(node.0)
}

/// What the stack symbols are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Nodes.
    Nodes,
    /// Nodes and steps: a step has a symbol of its own, which is on top between its two ends. So a
    /// projection tells which steps lie on paths, also where several leave one node.
    Steps,
}

/// The pushdown system of an abstraction.
#[derive(Debug)]
pub struct System {
    wpds: Wpds<BddRelations>,
    control: Control,
    grain: Grain,
    nodes: u32,
    /// What each rule does; nothing, where it only leads to or from the symbol of a step.
    rules: Vec<Option<Rule>>,
}

impl System {
    /// A system without rules for a graph.
    pub fn new(domain: BddRelations, graph: &Graph, grain: Grain) -> Self {
        let mut wpds = Wpds::new(domain, Kind::Extended);
        let control = wpds.add_control("p");
        let nodes = graph.nodes().count() as u32;
        let steps = graph.steps().count() as u32;
        wpds.add_symbols(if grain == Grain::Steps { nodes + steps } else { nodes });
        Self { wpds, control, grain, nodes, rules: Vec::new() }
    }

    fn note(&mut self, id: RuleId, rule: Option<Rule>) {
        debug_assert_eq!(id.index(), self.rules.len());
        self.rules.push(rule);
    }

    /// The symbol of a step.
    pub fn step_symbol(&self, step: StepId) -> Symbol {
        Symbol(self.nodes + step.0)
    }

    /// Adds a step with its relations.
    pub fn add(
        &mut self,
        graph: &Graph,
        id: StepId,
        relations: &Abstract,
        copies: &Arc<MiddleCopies>,
    ) -> Result<(), WpdsError> {
        let step = graph.step(id);
        let mut from = (self.control, symbol(step.from));
        let to = (self.control, symbol(step.to));
        let middle = (self.control, self.step_symbol(id));
        let one = self.wpds.domain().one();
        match relations {
            Abstract::Plain(relation) => {
                if relation.is_false() {
                    return Ok(());
                }
                let first = if self.grain == Grain::Steps { middle } else { to };
                let rule = self.wpds.add_step(from, first, relation.clone())?;
                self.note(rule, Some(Rule::Step(id)));
                if self.grain == Grain::Steps {
                    let rule = self.wpds.add_step(middle, to, one)?;
                    self.note(rule, None);
                }
            }
            Abstract::Call { enter, receive } => {
                let Action::Call { callee, .. } = step.action else { return Ok(()) };
                let Some((entry, _)) = graph.ends(callee) else { return Ok(()) };
                if enter.is_false() {
                    return Ok(());
                }
                if self.grain == Grain::Steps {
                    let rule = self.wpds.add_step(from, middle, one)?;
                    self.note(rule, None);
                    from = middle;
                }
                let push = (self.control, symbol(entry), to.1);
                let merge = CallMerge::new(enter.clone(), receive.clone(), copies.clone());
                let merge = Some(Arc::new(merge) as _);
                let rule = self.wpds.add_push(from, push, enter.clone(), merge)?;
                self.note(rule, Some(Rule::Enter(id)));
            }
        }
        Ok(())
    }

    /// Adds the returns of all functions.
    pub fn add_returns(&mut self, graph: &Graph, relevant: &Relevant) -> Result<(), WpdsError> {
        for (func, _, exit) in graph.functions() {
            if relevant.contains(&exit) {
                let one = self.wpds.domain().one();
                let rule = self.wpds.add_pop((self.control, symbol(exit)), self.control, one)?;
                self.note(rule, Some(Rule::Leave(func)));
            }
        }
        Ok(())
    }

    /// How many rules there are.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The pushdown system itself.
    pub fn wpds(&self) -> &Wpds<BddRelations> {
        &self.wpds
    }

    /// Its control location.
    pub fn control(&self) -> Control {
        self.control
    }

    /// What a list of rules does.
    pub fn meaning(&self, rules: &[RuleId]) -> Vec<Rule> {
        rules.iter().filter_map(|rule| self.rules.get(rule.index()).copied().flatten()).collect()
    }

    /// The start, in any state.
    pub fn start(&self) -> Automaton<Bdd> {
        start(self.control).weighted(&self.wpds.domain().one())
    }

    /// The targets with any stack below.
    pub fn goal(&self, targets: &BTreeSet<NodeId>) -> Result<ConfigSet, WpdsError> {
        goal(self.control, targets)
    }

    /// A shortest path from the start to a target, if there is one.
    pub fn path_to(
        &self,
        targets: &BTreeSet<NodeId>,
        budget: &Budget,
    ) -> Result<Option<Vec<Rule>>, WpdsError> {
        let options =
            FwpdsOptions { trace: true, budget: budget.clone(), ..FwpdsOptions::default() };
        let reached = Fwpds::poststar(&self.wpds, &self.start(), options)?;
        let witness = Witness::of_set(&reached, &self.goal(targets)?)?;
        let path = witness.shortest_path(budget)?;
        Ok(path.map(|path| self.meaning(&path.rules)))
    }
}
