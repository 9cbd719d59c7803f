//! The relation of a step over valuations of predicates (LA 5.2.2, LAL 3.5.1).
//!
//! Asked for is the set of pairs of valuations (before, after) between which the step's formula can
//! lead. It is a conjunction of small relations:
//!
//! - a predicate that reads the same before and after the step keeps its value; one that reads as
//!   true or false has it. No solver is asked;
//! - the other predicates after the step fall into clusters that share no symbol with each other, not
//!   even through the formula. For each cluster the valuations that are possible together with the
//!   predicates before the step that share symbols with it are enumerated. A cluster that is too large
//!   is taken apart: one predicate after the step at a time (the Cartesian relation);
//! - what the formula demands of the predicates before it alone is enumerated in the same way.
//!
//! Enumeration excludes: it starts from all valuations, asks about one that is not decided yet, and
//! takes out the part of it that the solver's core shows to be impossible. So it can stop at any
//! time, and the result is always an over-approximation.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var};
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// How precise relations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationOptions {
    /// A cluster of so many predicates is enumerated together; above, it is taken apart. With 0,
    /// relations are Cartesian.
    pub together: usize,
    /// So many predicates before a step are related to one cluster; above, only those that share a
    /// symbol with it directly.
    pub related: usize,
    /// So many possible valuations of a cluster are told apart.
    pub valuations: usize,
    /// The limit of each query, in solver resources.
    pub resources: u32,
}

impl Default for RelationOptions {
    fn default() -> Self {
        Self { together: 10, related: 12, valuations: 200, resources: 2_000_000 }
    }
}

impl RelationOptions {
    /// One predicate at a time.
    pub fn cartesian() -> Self {
        Self { together: 0, ..Self::default() }
    }

    /// Where the usual effort was not enough.
    pub fn exact(self) -> Self {
        Self { together: 64, related: 64, valuations: 4_000, ..self }
    }
}

/// A predicate at one end of a step: its bit in the relation, and how it reads in the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit {
    /// The variable of the relation.
    pub var: Var,
    /// The predicate as a formula.
    pub atom: Term,
}

/// What was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelationStatistics {
    /// Relations that were made.
    pub relations: u64,
    /// Queries to the solver for them.
    pub queries: u64,
    /// Clusters that were taken apart or not enumerated to the end.
    pub approximated: u64,
}

/// Computes relations.
pub struct Relations<'a> {
    /// The arena.
    pub terms: &'a mut Terms,
    /// The solver.
    pub solver: &'a mut dyn Solver,
    /// Where relations live.
    pub space: &'a BddSpace,
    /// How precise they are.
    pub options: RelationOptions,
    /// Only these valuations matter.
    pub within: &'a Bdd,
    /// What was asked.
    pub statistics: &'a mut RelationStatistics,
}

/// A group of predicates to be enumerated together.
struct Cluster {
    outputs: Vec<Bit>,
    inputs: Vec<Bit>,
}

impl Relations<'_> {
    /// The relation of a formula between `inputs` and `outputs`.
    pub fn relation(
        &mut self,
        formula: Term,
        inputs: &[Bit],
        outputs: &[Bit],
    ) -> Result<Bdd, BddError> {
        self.statistics.relations += 1;
        let atoms = inputs.iter().chain(outputs).map(|bit| bit.atom);
        let wanted: FxHashSet<Symbol> =
            atoms.flat_map(|atom| self.terms.free_symbols(atom).to_vec()).collect();
        let used = self.terms.without_unused(&[formula], &wanted);
        let formula = used.first().copied().unwrap_or(formula);
        self.solver.push();
        self.solver.assert(self.terms, formula);
        let relation = self.asserted(formula, inputs, outputs);
        self.solver.pop();
        relation
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.statistics.queries += 1;
        let limits = Limits::default().with_resources(self.options.resources);
        self.solver.check(self.terms, assumptions, Purpose::ABSTRACTION, limits)
    }

    fn asserted(
        &mut self,
        formula: Term,
        inputs: &[Bit],
        outputs: &[Bit],
    ) -> Result<Bdd, BddError> {
        if formula != self.terms.tt() && self.check(&[]).is_unsat() {
            return Ok(self.space.bottom());
        }
        let mut relation = self.within.clone();
        // The first bit that reads as a formula stands for all others that do.
        let mut first: FxHashMap<Term, Var> = FxHashMap::default();
        let (mut open_inputs, mut open_outputs) = (Vec::new(), Vec::new());
        for (bits, open) in [(inputs, &mut open_inputs), (outputs, &mut open_outputs)] {
            for &bit in bits {
                let variable = self.space.variable(bit.var)?;
                let fact = if bit.atom == self.terms.tt() {
                    variable
                } else if bit.atom == self.terms.ff() {
                    variable.not()?
                } else if let Some(&same) = first.get(&bit.atom) {
                    variable.iff(&self.space.variable(same)?)?
                } else {
                    first.insert(bit.atom, bit.var);
                    open.push(bit);
                    continue;
                };
                relation = relation.and(&fact)?;
            }
        }
        for cluster in self.clusters(formula, &open_inputs, &open_outputs) {
            if relation.is_false() {
                break;
            }
            relation = relation.and(&self.enumerate_cluster(&cluster)?)?;
        }
        Ok(relation)
    }

    /// Groups what is connected by symbols.
    fn clusters(&mut self, formula: Term, inputs: &[Bit], outputs: &[Bit]) -> Vec<Cluster> {
        let mut groups = Groups::default();
        let conjuncts = self.terms.conjuncts(formula);
        for &conjunct in &conjuncts {
            groups.join(&self.terms.free_symbols(conjunct));
        }
        for output in outputs {
            groups.join(&self.terms.free_symbols(output.atom));
        }
        let mut clusters: Vec<(usize, Cluster)> = Vec::new();
        let mut roots: FxHashSet<usize> = FxHashSet::default();
        for output in outputs {
            let Some(root) = groups.of(&self.terms.free_symbols(output.atom)) else { continue };
            if roots.insert(root) {
                clusters.push((root, Cluster { outputs: Vec::new(), inputs: Vec::new() }));
            }
            if let Some((_, cluster)) = clusters.iter_mut().find(|(r, _)| *r == root) {
                cluster.outputs.push(*output);
            }
        }
        // What the formula demands of the predicates before it.
        for &conjunct in &conjuncts {
            let Some(root) = groups.of(&self.terms.free_symbols(conjunct)) else { continue };
            if roots.insert(root) {
                clusters.push((root, Cluster { outputs: Vec::new(), inputs: Vec::new() }));
            }
        }
        for (root, cluster) in &mut clusters {
            cluster.inputs = self.related(&mut groups, *root, inputs);
        }
        clusters.retain(|(_, c)| !c.inputs.is_empty() || !c.outputs.is_empty());
        clusters.into_iter().map(|(_, cluster)| cluster).collect()
    }

    /// The inputs that share symbols with a group, and those that share symbols with these, if they
    /// are not too many.
    fn related(&mut self, groups: &mut Groups, root: usize, inputs: &[Bit]) -> Vec<Bit> {
        let touches = |groups: &mut Groups, symbols: &[Symbol], roots: &FxHashSet<usize>| {
            symbols.iter().any(|&s| {
                let own = groups.root_of(s);
                roots.contains(&own)
            })
        };
        let mut roots: FxHashSet<usize> = [root].into_iter().collect();
        let mut chosen = vec![false; inputs.len()];
        let mut direct = None;
        loop {
            let mut grown = false;
            let reach = roots.clone();
            for (i, input) in inputs.iter().enumerate() {
                let symbols = self.terms.free_symbols(input.atom);
                if !chosen[i] && touches(groups, &symbols, &reach) {
                    chosen[i] = true;
                    grown = true;
                    roots.extend(symbols.iter().map(|&s| groups.root_of(s)));
                }
            }
            if direct.is_none() {
                direct = Some(chosen.clone());
            }
            if !grown {
                break;
            }
        }
        if chosen.iter().filter(|c| **c).count() > self.options.related {
            chosen = direct.unwrap_or(chosen);
        }
        inputs.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(bit, _)| *bit).collect()
    }

    fn enumerate_cluster(&mut self, cluster: &Cluster) -> Result<Bdd, BddError> {
        let Cluster { outputs, inputs } = cluster;
        let alone = outputs.len() <= 1;
        if alone || outputs.len() + inputs.len() <= self.options.together {
            let bits: Vec<Bit> = inputs.iter().chain(outputs).copied().collect();
            let (relation, complete) = self.enumerate(&bits)?;
            if complete || alone {
                return Ok(relation);
            }
        }
        self.statistics.approximated += 1;
        let mut relation = self.space.top();
        for output in outputs {
            let symbols = self.terms.free_symbols(output.atom);
            let mut bits = inputs.clone();
            if bits.len() > self.options.related {
                // Far ones first, since they are dropped.
                let near = |bit: &Bit, terms: &mut Terms| {
                    terms.free_symbols(bit.atom).iter().any(|s| symbols.contains(s))
                };
                bits.retain(|bit| near(bit, self.terms));
            }
            bits.push(*output);
            relation = relation.and(&self.enumerate(&bits)?.0)?;
        }
        Ok(relation)
    }

    /// What is known to matter of some bits.
    fn within_only(&self, bits: &[Bit]) -> Result<Bdd, BddError> {
        let mut others = self.within.support();
        others.retain(|var| bits.iter().all(|bit| bit.var != *var));
        self.within.exists(&self.space.variable_set(&others)?)
    }

    /// The valuations of the bits that are possible, and whether these are told apart completely.
    fn enumerate(&mut self, bits: &[Bit]) -> Result<(Bdd, bool), BddError> {
        let mut possible = self.within_only(bits)?;
        let mut seen = self.space.bottom();
        let atoms: Vec<Term> = bits.iter().map(|bit| bit.atom).collect();
        let by_var: FxHashMap<Var, Term> = bits.iter().map(|bit| (bit.var, bit.atom)).collect();
        let mut found = 0;
        loop {
            let open = possible.minus(&seen)?;
            let Some(cube) = open.pick_cube() else { return Ok((possible, true)) };
            if found == self.options.valuations {
                self.statistics.approximated += 1;
                return Ok((possible, false));
            }
            let mut literals: FxHashMap<Term, (Var, bool)> = FxHashMap::default();
            let mut assumptions = Vec::with_capacity(cube.len());
            for &(var, value) in &cube {
                let Some(&atom) = by_var.get(&var) else { continue };
                let literal = if value { atom } else { self.terms.not(atom) };
                literals.insert(literal, (var, value));
                assumptions.push(literal);
            }
            match self.check(&assumptions) {
                Answer::Unsat => {
                    let core = self.solver.core(self.terms);
                    let mut part: Vec<(Var, bool)> =
                        core.iter().filter_map(|literal| literals.get(literal).copied()).collect();
                    if part.len() != core.len() {
                        part = cube;
                    }
                    possible = possible.minus(&self.space.cube(&part)?)?;
                }
                Answer::Unknown(_) => seen = seen.or(&self.space.cube(&cube)?)?,
                Answer::Sat => {
                    found += 1;
                    let model = self.solver.model(self.terms, &atoms);
                    let mut full = Vec::with_capacity(bits.len());
                    for bit in bits {
                        match model.get(bit.atom) {
                            Some(Value::Bool(value)) => full.push((bit.var, *value)),
                            _ => full.extend(cube.iter().filter(|(var, _)| *var == bit.var)),
                        }
                    }
                    let shown = self.space.cube(&full)?;
                    // A model that does not show what was asked decides no more than that.
                    let cube = self.space.cube(&cube)?;
                    let shown = if shown.is_subset_of(&cube)? { shown } else { cube };
                    seen = seen.or(&shown)?;
                }
            }
        }
    }
}

/// Symbols in groups that are connected.
#[derive(Default)]
struct Groups {
    number: FxHashMap<Symbol, usize>,
    parent: Vec<usize>,
}

impl Groups {
    fn root_of(&mut self, symbol: Symbol) -> usize {
        let next = self.parent.len();
        let number = *self.number.entry(symbol).or_insert(next);
        if number == next {
            self.parent.push(next);
        }
        self.root(number)
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, symbols: &[Symbol]) {
        let Some((&first, rest)) = symbols.split_first() else { return };
        let root = self.root_of(first);
        for &symbol in rest {
            let other = self.root_of(symbol);
            self.parent[other] = root;
        }
    }

    fn of(&mut self, symbols: &[Symbol]) -> Option<usize> {
        symbols.first().map(|&symbol| self.root_of(symbol))
    }
}
