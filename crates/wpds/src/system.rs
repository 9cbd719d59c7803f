//! Weighted pushdown systems (LAL Definition 2.4.2) and extended ones (Definition 3.1.3).
//!
//! Rules are kept in the order in which they were added and never change their number: a rule that
//! is removed leaves a gap. That is what incremental analysis (LAL 4.2.3) stands on.

use std::fmt;
use std::sync::Arc;

use crate::error::WpdsError;
use crate::ids::{Control, Names, RuleId, Symbol};
use crate::semiring::{MergeFunction, Semiring};

/// The right-hand side of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rhs {
    /// The top symbol is taken off: a return.
    Pop,
    /// The top symbol is replaced.
    Step(Symbol),
    /// The top symbol is replaced by two, the first on top: a call and its return site.
    Push(Symbol, Symbol),
}

/// A shared merge function.
pub type Merge<S> = Arc<dyn MergeFunction<S>>;

/// A rule `⟨from, top⟩ ↪ ⟨to, rhs⟩` with its weight.
#[derive(Clone)]
pub struct Rule<S: Semiring> {
    /// The control location before.
    pub from: Control,
    /// The symbol on top of the stack before.
    pub top: Symbol,
    /// The control location after.
    pub to: Control,
    /// What comes in the place of the top symbol.
    pub rhs: Rhs,
    /// The effect on the data.
    pub weight: S::Weight,
    /// How the callee's effect is merged into the caller's; only on push rules of extended systems.
    pub merge: Option<Merge<S>>,
}

impl<S: Semiring> fmt::Debug for Rule<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("from", &self.from)
            .field("top", &self.top)
            .field("to", &self.to)
            .field("rhs", &self.rhs)
            .field("weight", &self.weight)
            .field("merge", &self.merge.as_ref().map(|merge| merge.name().to_owned()))
            .finish()
    }
}

/// Whether push rules have merge functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A weighted pushdown system: a call extends the weight like any other rule.
    Weighted,
    /// An extended weighted pushdown system: every push rule has a merge function.
    Extended,
}

/// A configuration: a control location and a stack, the top first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The control location.
    pub control: Control,
    /// The stack, the top first.
    pub stack: Vec<Symbol>,
}

/// A weighted or extended weighted pushdown system.
#[derive(Clone, Debug)]
pub struct Wpds<S: Semiring> {
    domain: S,
    kind: Kind,
    controls: u32,
    symbols: u32,
    control_names: Names,
    symbol_names: Names,
    rules: Vec<Option<Rule<S>>>,
}

impl<S: Semiring> Wpds<S> {
    /// A system without rules.
    pub fn new(domain: S, kind: Kind) -> Self {
        Self {
            domain,
            kind,
            controls: 0,
            symbols: 0,
            control_names: Names::default(),
            symbol_names: Names::default(),
            rules: Vec::new(),
        }
    }

    /// Adds a control location.
    pub fn add_control(&mut self, name: &str) -> Control {
        let control = Control(self.controls);
        self.control_names.set(self.controls, name);
        self.controls += 1;
        control
    }

    /// Adds a stack symbol.
    pub fn add_symbol(&mut self, name: &str) -> Symbol {
        let symbol = Symbol(self.symbols);
        self.symbol_names.set(self.symbols, name);
        self.symbols += 1;
        symbol
    }

    /// Adds stack symbols that are known by number only.
    pub fn add_symbols(&mut self, count: u32) -> Vec<Symbol> {
        let first = self.symbols;
        self.symbols += count;
        (first..self.symbols).map(Symbol).collect()
    }

    /// Adds a rule whose right-hand side is given as a list of symbols, the top first.
    pub fn add_rule(
        &mut self,
        from: (Control, Symbol),
        to: (Control, &[Symbol]),
        weight: S::Weight,
        merge: Option<Merge<S>>,
    ) -> Result<RuleId, WpdsError> {
        let rhs = match *to.1 {
            [] => Rhs::Pop,
            [top] => Rhs::Step(top),
            [top, below] => Rhs::Push(top, below),
            _ => {
                return Err(WpdsError::TooManySymbols {
                    rule: self.show_parts(from, to),
                    count: to.1.len(),
                });
            }
        };
        let rule = Rule { from: from.0, top: from.1, to: to.0, rhs, weight, merge };
        self.check(&rule)?;
        self.rules.push(Some(rule));
        Ok(RuleId::of(self.rules.len() - 1))
    }

    /// Adds `⟨p, γ⟩ ↪ ⟨q, ε⟩`.
    pub fn add_pop(
        &mut self,
        from: (Control, Symbol),
        to: Control,
        weight: S::Weight,
    ) -> Result<RuleId, WpdsError> {
        self.add_rule(from, (to, &[]), weight, None)
    }

    /// Adds `⟨p, γ⟩ ↪ ⟨q, γ'⟩`.
    pub fn add_step(
        &mut self,
        from: (Control, Symbol),
        to: (Control, Symbol),
        weight: S::Weight,
    ) -> Result<RuleId, WpdsError> {
        self.add_rule(from, (to.0, &[to.1]), weight, None)
    }

    /// Adds `⟨p, γ⟩ ↪ ⟨q, γ' γ''⟩`, to a weighted system without and to an extended one with a merge
    /// function.
    pub fn add_push(
        &mut self,
        from: (Control, Symbol),
        to: (Control, Symbol, Symbol),
        weight: S::Weight,
        merge: Option<Merge<S>>,
    ) -> Result<RuleId, WpdsError> {
        self.add_rule(from, (to.0, &[to.1, to.2]), weight, merge)
    }

    /// Takes a rule away and gives it back. The numbers of the others stay.
    pub fn remove_rule(&mut self, rule: RuleId) -> Result<Rule<S>, WpdsError> {
        self.rules
            .get_mut(rule.index())
            .and_then(Option::take)
            .ok_or(WpdsError::OutOfRange { what: "rule", index: rule.0 })
    }

    fn check(&self, rule: &Rule<S>) -> Result<(), WpdsError> {
        let name = || self.show(rule);
        for control in [rule.from, rule.to] {
            if control.0 >= self.controls {
                let control = self.control_names.show("p", control.0).to_string();
                return Err(WpdsError::UnknownControl { rule: name(), control });
            }
        }
        let pushed = match rule.rhs {
            Rhs::Pop => [None, None],
            Rhs::Step(top) => [Some(top), None],
            Rhs::Push(top, below) => [Some(top), Some(below)],
        };
        for symbol in pushed.into_iter().flatten().chain([rule.top]) {
            if symbol.0 >= self.symbols {
                let symbol = self.symbol_names.show("s", symbol.0).to_string();
                return Err(WpdsError::UnknownSymbol { rule: name(), symbol });
            }
        }
        let may_merge = self.kind == Kind::Extended && matches!(rule.rhs, Rhs::Push(..));
        match (may_merge, &rule.merge) {
            (true, None) => return Err(WpdsError::MissingMerge { rule: name() }),
            (false, Some(_)) => return Err(WpdsError::UnexpectedMerge { rule: name() }),
            _ => {}
        }
        self.domain
            .admit(&rule.weight)
            .map_err(|reason| WpdsError::ForeignWeight { rule: name(), reason })
    }

    /// The domain of the weights.
    pub fn domain(&self) -> &S {
        &self.domain
    }

    /// Whether push rules have merge functions.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many control locations there are.
    pub fn control_count(&self) -> u32 {
        self.controls
    }

    /// How many stack symbols there are.
    pub fn symbol_count(&self) -> u32 {
        self.symbols
    }

    /// The names of the control locations.
    pub fn control_names(&self) -> &Names {
        &self.control_names
    }

    /// The names of the stack symbols.
    pub fn symbol_names(&self) -> &Names {
        &self.symbol_names
    }

    /// The control location with this name.
    pub fn control(&self, name: &str) -> Option<Control> {
        self.control_names.find(name).map(Control)
    }

    /// The stack symbol with this name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbol_names.find(name).map(Symbol)
    }

    /// The rule with this number, if it was not removed.
    pub fn rule(&self, rule: RuleId) -> Option<&Rule<S>> {
        self.rules.get(rule.index())?.as_ref()
    }

    /// All rules in the order in which they were added.
    pub fn rules(&self) -> impl Iterator<Item = (RuleId, &Rule<S>)> {
        let numbered = self.rules.iter().enumerate();
        numbered.filter_map(|(i, rule)| Some((RuleId::of(i), rule.as_ref()?)))
    }

    /// One more than the largest rule number that was ever given.
    pub fn rule_bound(&self) -> usize {
        self.rules.len()
    }

    /// The rule as a person writes it.
    pub fn show(&self, rule: &Rule<S>) -> String {
        let from = (rule.from, rule.top);
        match rule.rhs {
            Rhs::Pop => self.show_parts(from, (rule.to, &[])),
            Rhs::Step(top) => self.show_parts(from, (rule.to, &[top])),
            Rhs::Push(top, below) => self.show_parts(from, (rule.to, &[top, below])),
        }
    }

    /// The rule with this number as a person writes it.
    pub fn show_rule(&self, rule: RuleId) -> String {
        self.rule(rule).map_or_else(|| format!("#{} (removed)", rule.0), |r| self.show(r))
    }

    fn show_parts(&self, from: (Control, Symbol), to: (Control, &[Symbol])) -> String {
        let mut text = format!(
            "<{}, {}> -> <{},",
            self.control_names.show("p", from.0.0),
            self.symbol_names.show("s", from.1.0),
            self.control_names.show("p", to.0.0)
        );
        for symbol in to.1 {
            text.push(' ');
            text.push_str(&self.symbol_names.show("s", symbol.0).to_string());
        }
        text.push('>');
        text
    }

    /// Whether some push rule has a merge function without the path-extension property; the rule is
    /// named.
    pub fn rule_without_path_extension(&self) -> Option<String> {
        self.rules().find_map(|(_, rule)| {
            let merge = rule.merge.as_ref()?;
            (!merge.has_path_extension()).then(|| self.show(rule))
        })
    }

    pub(crate) fn require_path_extension(&self, analysis: &'static str) -> Result<(), WpdsError> {
        match self.rule_without_path_extension() {
            Some(rule) => Err(WpdsError::NoPathExtension { rule, analysis }),
            None => Ok(()),
        }
    }

    /// The configuration after a rule sequence, and the value of the sequence by its operational
    /// definition (LAL 3.2.2): a stack of weights, one for each unfinished call, flattened at the end.
    pub fn run(
        &self,
        start: &Configuration,
        rules: &[RuleId],
    ) -> Result<(Configuration, S::Weight), WpdsError> {
        let mut control = start.control;
        // The top of the stack is at the end here.
        let mut stack: Vec<Symbol> = start.stack.iter().rev().copied().collect();
        let mut value = self.domain.one();
        let mut callers: Vec<(S::Weight, RuleId)> = Vec::new();
        for (step, &id) in rules.iter().enumerate() {
            let fits = |rule: &&Rule<S>| rule.from == control && stack.last() == Some(&rule.top);
            let Some(rule) = self.rule(id).filter(fits) else {
                return Err(WpdsError::CannotFire { rule: self.show_rule(id), step });
            };
            stack.pop();
            control = rule.to;
            match rule.rhs {
                Rhs::Step(top) => {
                    stack.push(top);
                    value = self.domain.extend(&value, &rule.weight)?;
                }
                Rhs::Push(top, below) => {
                    stack.extend([below, top]);
                    callers.push((value, id));
                    value = self.domain.one();
                }
                Rhs::Pop => {
                    value = self.domain.extend(&value, &rule.weight)?;
                    if let Some((caller, call)) = callers.pop() {
                        value = self.return_from(call, &caller, &value)?;
                    }
                }
            }
        }
        while let Some((caller, call)) = callers.pop() {
            let entered = self.enter(call, &caller)?;
            value = self.domain.extend(&entered, &value)?;
        }
        stack.reverse();
        Ok((Configuration { control, stack }, value))
    }

    /// The weight on entering the callee of `call`.
    pub(crate) fn enter(&self, call: RuleId, caller: &S::Weight) -> Result<S::Weight, WpdsError> {
        match self.rule(call) {
            Some(rule) => Ok(self.domain.extend(caller, &rule.weight)?),
            None => Err(WpdsError::OutOfRange { what: "rule", index: call.0 }),
        }
    }

    /// The weight at the return site of `call`: the merge function, or plain composition.
    pub(crate) fn return_from(
        &self,
        call: RuleId,
        caller: &S::Weight,
        callee: &S::Weight,
    ) -> Result<S::Weight, WpdsError> {
        match self.rule(call) {
            Some(Rule { merge: Some(merge), .. }) => {
                Ok(merge.merge(&self.domain, caller, callee)?)
            }
            _ => Ok(self.domain.extend(&self.enter(call, caller)?, callee)?),
        }
    }
}
