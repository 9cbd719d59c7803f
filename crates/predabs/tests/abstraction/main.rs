//! Predicates, precisions and abstract successors on two or three integers.
//!
//! Blocks are written as formulas over `x`, `y` and `z` before (index 0) and after them (index 1).

mod by_paths;
mod given_up;
mod precision;
mod predicates;
mod successors;

use gnomon_bdd::Bdd;
use gnomon_logic::encode::Ssa;
use gnomon_logic::solver::for_integers;
use gnomon_logic::{Scope, Solver, Sort, Term, Terms, Variable};
use gnomon_predabs::{AbstractPost, BlockFormula, PostOptions, PredicateId, Predicates};

/// The variables, predicates over them, and what computes successors.
struct Setting {
    terms: Terms,
    predicates: Predicates,
    post: AbstractPost,
    solver: Box<dyn Solver>,
    x: Variable,
    y: Variable,
    z: Variable,
}

impl Setting {
    fn new() -> Self {
        Self::with(PostOptions::default())
    }

    fn with(options: PostOptions) -> Self {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Scope::Global, Sort::Int));
        Self {
            terms,
            predicates: Predicates::new(1 << 12).expect("room"),
            post: AbstractPost::new(options),
            solver: Box::new(for_integers()),
            x,
            y,
            z,
        }
    }

    /// `variable >= bound`, as a predicate.
    fn at_least(&mut self, variable: Variable, bound: i64) -> PredicateId {
        let (value, bound) = (self.terms.var(variable), self.terms.int(bound));
        let atom = self.terms.ge(value, bound);
        self.predicate(atom)
    }

    /// `a == b`, as a predicate.
    fn equal(&mut self, a: Variable, b: Variable) -> PredicateId {
        let (a, b) = (self.terms.var(a), self.terms.var(b));
        let atom = self.terms.eq(a, b);
        self.predicate(atom)
    }

    fn predicate(&mut self, atom: Term) -> PredicateId {
        let interned = self.predicates.intern(&mut self.terms, atom);
        interned.expect("room").expect("a predicate over variables of the program")
    }

    /// The region in which a predicate holds.
    fn holds(&self, id: PredicateId) -> Bdd {
        self.predicates.space().variable(self.predicates.get(id).bit).expect("room")
    }

    /// The region in which it does not.
    fn fails(&self, id: PredicateId) -> Bdd {
        self.holds(id).not().expect("room")
    }

    fn top(&self) -> Bdd {
        self.predicates.space().top()
    }

    /// `target := source + constant`, where `source` has its value before the block.
    fn assignment(&mut self, target: Variable, source: Variable, constant: i64) -> (Term, Ssa) {
        let mut after = Ssa::new();
        let new = after.assign(target);
        let (new, old) = (self.terms.symbol(new), self.terms.var_at(source, 0));
        let value = self.terms.add_constant(old, constant);
        (self.terms.eq(new, value), after)
    }

    /// A block that assigns any value to some variables.
    fn any(&mut self, targets: &[Variable]) -> (Term, Ssa) {
        let mut after = Ssa::new();
        for &target in targets {
            after.assign(target);
        }
        (self.terms.tt(), after)
    }

    fn successor(
        &mut self,
        id: u32,
        region: &Bdd,
        block: &(Term, Ssa),
        wanted: &[PredicateId],
    ) -> Bdd {
        let Self { terms, predicates, post, solver, .. } = self;
        let block = BlockFormula { id, formula: block.0, after: &block.1 };
        post.successor(predicates, terms, solver.as_mut(), region, block, wanted).expect("room")
    }
}

/// Both.
fn and(a: &Bdd, b: &Bdd) -> Bdd {
    a.and(b).expect("room")
}

/// One of them at least.
fn or(a: &Bdd, b: &Bdd) -> Bdd {
    a.or(b).expect("room")
}
