//! Predicates: each atom over the program's variables once, with its variable in the regions.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var};
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Ssa;
use gnomon_logic::{Scope, Term, Terms, Variable};
use rustc_hash::FxHashMap;

gnomon_ir::ids! {
    /// A predicate.
    PredicateId "q";
}

/// A predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The atom, over variables without indices.
    pub atom: Term,
    /// The variables in it.
    pub variables: Vec<Variable>,
    /// The functions whose variables it mentions.
    pub functions: Vec<FuncId>,
    /// Its variable in regions.
    pub bit: Var,
    /// The variable that stands for it behind a path, beside `bit` before it.
    pub next: Var,
}

/// All predicates of a check, and the space of their regions.
#[derive(Debug)]
pub struct Predicates {
    space: BddSpace,
    all: Vec<Predicate>,
    by_atom: FxHashMap<Term, PredicateId>,
    by_bit: FxHashMap<Var, PredicateId>,
}

impl Predicates {
    /// None yet; regions have room for `capacity` nodes.
    pub fn new(capacity: usize) -> Result<Self, BddError> {
        let space = BddSpace::new(capacity)?;
        let (by_atom, by_bit) = (FxHashMap::default(), FxHashMap::default());
        Ok(Self { space, all: Vec::new(), by_atom, by_bit })
    }

    /// The space of the regions.
    pub fn space(&self) -> &BddSpace {
        &self.space
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Predicate> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The predicate.
    pub fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.0 as usize]
    }

    /// The predicate of an atom over variables without indices. `None` if it mentions what is not
    /// a variable of the program, or nothing at all.
    pub fn intern(
        &mut self,
        terms: &mut Terms,
        atom: Term,
    ) -> Result<Option<PredicateId>, BddError> {
        if let Some(&known) = self.by_atom.get(&atom) {
            return Ok(Some(known));
        }
        let symbols = terms.free_symbols(atom);
        let mut variables: Vec<Variable> = symbols.iter().map(|s| s.variable).collect();
        variables.dedup();
        if variables.is_empty() {
            return Ok(None);
        }
        let mut functions = Vec::new();
        for &variable in &variables {
            match terms.variable_info(variable).scope {
                Scope::Global => {}
                Scope::Function(func) => functions.push(FuncId(func)),
                Scope::Auxiliary => return Ok(None),
            }
        }
        functions.sort_unstable();
        functions.dedup();
        let bits = self.space.add_variables(2)?;
        let (bit, next) = (bits[0], bits[1]);
        let id = PredicateId(self.all.len() as u32);
        self.all.push(Predicate { atom, variables, functions, bit, next });
        self.by_atom.insert(atom, id);
        self.by_bit.insert(bit, id);
        Ok(Some(id))
    }

    /// The atom at a point of a path.
    pub fn at(&self, terms: &mut Terms, id: PredicateId, ssa: &Ssa) -> Term {
        let atom = self.get(id).atom;
        terms.instantiate(atom, |variable| ssa.index(variable))
    }

    /// Whether a block that leads from the indices of `before` to those of `after` changes none of
    /// its variables.
    pub fn is_untouched(&self, id: PredicateId, before: &Ssa, after: &Ssa) -> bool {
        self.get(id).variables.iter().all(|&v| before.index(v) == after.index(v))
    }

    /// The predicates that a region depends on, in order.
    pub fn in_region(&self, region: &Bdd) -> Vec<PredicateId> {
        let support = region.support();
        let mut found: Vec<PredicateId> =
            support.iter().filter_map(|bit| self.by_bit.get(bit).copied()).collect();
        found.sort_unstable();
        found
    }

    /// The formula of a region at a point of a path.
    pub fn formula(&self, terms: &mut Terms, region: &Bdd, ssa: &Ssa) -> Result<Term, BddError> {
        formula_of(terms, region, &mut |terms, bit| match self.by_bit.get(&bit) {
            Some(&id) => self.at(terms, id, ssa),
            None => terms.tt(),
        })
    }
}

/// A diagram as a formula; `atom` says what a variable of it stands for.
#[allow(clippy::mutable_key_type, reason = "equality and hash of a Bdd never change")]
pub fn formula_of(
    terms: &mut Terms,
    region: &Bdd,
    atom: &mut dyn FnMut(&mut Terms, Var) -> Term,
) -> Result<Term, BddError> {
    let mut known: FxHashMap<Bdd, Term> = FxHashMap::default();
    formula_with(terms, region, atom, &mut known)
}

#[allow(clippy::mutable_key_type, reason = "equality and hash of a Bdd never change")]
fn formula_with(
    terms: &mut Terms,
    region: &Bdd,
    atom: &mut dyn FnMut(&mut Terms, Var) -> Term,
    known: &mut FxHashMap<Bdd, Term>,
) -> Result<Term, BddError> {
    if region.is_true() || region.is_false() {
        return Ok(terms.bool(region.is_true()));
    }
    if let Some(&term) = known.get(region) {
        return Ok(term);
    }
    // As deep as the region has variables.
    let Some((first, yes, no)) = region.branches() else { return Ok(terms.tt()) };
    let yes = formula_with(terms, &yes, atom, known)?;
    let no = formula_with(terms, &no, atom, known)?;
    let condition = atom(terms, first);
    let (holds, fails) = (terms.and2(condition, yes), terms.not(condition));
    let fails = terms.and2(fails, no);
    let term = terms.or2(holds, fails);
    known.insert(region.clone(), term);
    Ok(term)
}
