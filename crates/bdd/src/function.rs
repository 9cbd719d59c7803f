//! Handles on Boolean functions and the operations on them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};

use oxidd::bdd::BDDFunction;
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel,
    Manager, Node, NodeID,
};

use crate::{BddError, BddSpace, Renaming, Var, VarSet};

/// A Boolean function. Two handles of one space are equal exactly when the functions are.
#[derive(Clone)]
pub struct Bdd {
    pub(crate) function: BDDFunction,
    pub(crate) space: BddSpace,
}

/// A partial assignment; variables that are not named may have any value.
pub type Cube = Vec<(Var, bool)>;

impl PartialEq for Bdd {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Bdd {}

impl Hash for Bdd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl fmt::Debug for Bdd {
    /// Small functions as a sum of cubes, larger ones by their size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        if self.is_true() || self.is_false() {
            return write!(f, "Bdd({})", self.is_true());
        }
        let nodes = self.node_count();
        if nodes > SHOWN {
            return write!(f, "Bdd({nodes} nodes)");
        }
        f.write_str("Bdd(")?;
        for (i, cube) in self.cubes().into_iter().enumerate() {
            if i > 0 {
                f.write_str(" | ")?;
            }
            for (j, (var, positive)) in cube.into_iter().enumerate() {
                let and = if j > 0 { " & " } else { "" };
                write!(f, "{and}{}x{}", if positive { "" } else { "!" }, var.0)?;
            }
        }
        f.write_str(")")
    }
}

impl Bdd {
    /// The space of this function.
    pub fn space(&self) -> &BddSpace {
        &self.space
    }

    fn same_space(&self, other: &Self) -> Result<(), BddError> {
        if self.space == other.space { Ok(()) } else { Err(BddError::DifferentSpaces) }
    }

    fn binary(
        &self,
        other: &Self,
        operation: impl Fn(&BDDFunction, &BDDFunction) -> AllocResult<BDDFunction>,
    ) -> Result<Self, BddError> {
        self.same_space(other)?;
        self.space.run(|| operation(&self.function, &other.function))
    }

    /// Conjunction.
    pub fn and(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, BDDFunction::and)
    }

    /// Disjunction.
    pub fn or(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, BDDFunction::or)
    }

    /// Exclusive or.
    pub fn xor(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, BDDFunction::xor)
    }

    /// Equivalence.
    pub fn iff(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, BDDFunction::equiv)
    }

    /// Implication.
    pub fn implies(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, BDDFunction::imp)
    }

    /// What is in this function and not in the other.
    pub fn minus(&self, other: &Self) -> Result<Self, BddError> {
        self.binary(other, |a, b| b.imp_strict(a))
    }

    /// Negation.
    pub fn not(&self) -> Result<Self, BddError> {
        self.space.run(|| self.function.not())
    }

    /// `if self then yes else no`.
    pub fn ite(&self, yes: &Self, no: &Self) -> Result<Self, BddError> {
        self.same_space(yes)?;
        self.same_space(no)?;
        self.space.run(|| self.function.ite(&yes.function, &no.function))
    }

    /// Existential quantification.
    pub fn exists(&self, vars: &VarSet) -> Result<Self, BddError> {
        self.binary(&vars.0, BDDFunction::exists)
    }

    /// Universal quantification.
    pub fn forall(&self, vars: &VarSet) -> Result<Self, BddError> {
        self.binary(&vars.0, BDDFunction::forall)
    }

    /// The relational product: `exists vars. self & other`, without building the conjunction.
    pub fn and_exists(&self, other: &Self, vars: &VarSet) -> Result<Self, BddError> {
        self.same_space(&vars.0)?;
        self.binary(other, |a, b| a.apply_exists(BooleanOperator::And, b, &vars.0.function))
    }

    /// Replaces variables by variables.
    pub fn rename(&self, renaming: &Renaming) -> Result<Self, BddError> {
        self.space.run(|| self.function.substitute(&*renaming.substitution))
    }

    /// This function with the variables of `cube` fixed.
    pub fn restrict(&self, cube: &[(Var, bool)]) -> Result<Self, BddError> {
        self.binary(&self.space.cube(cube)?, BDDFunction::restrict)
    }

    /// Whether this is the constant true.
    pub fn is_true(&self) -> bool {
        self.function.valid()
    }

    /// Whether this is the constant false.
    pub fn is_false(&self) -> bool {
        !self.function.satisfiable()
    }

    /// Whether every assignment of this function is one of `other`.
    pub fn is_subset_of(&self, other: &Self) -> Result<bool, BddError> {
        Ok(self.minus(other)?.is_false())
    }

    /// Whether the two functions have an assignment in common.
    pub fn intersects(&self, other: &Self) -> Result<bool, BddError> {
        Ok(!self.and(other)?.is_false())
    }

    /// How many nodes the diagram has, terminals included.
    pub fn node_count(&self) -> usize {
        self.function.node_count()
    }

    /// How many assignments of `variables` variables satisfy this function. Exact below 2^53.
    /// The function must not depend on more variables than that.
    pub fn sat_count(&self, variables: u32) -> f64 {
        /// The share of all assignments that satisfy the function.
        fn density(function: &BDDFunction, known: &mut HashMap<NodeID, f64>) -> f64 {
            let Some((high, low)) = function.cofactors() else {
                return if function.valid() { 1.0 } else { 0.0 };
            };
            if let Some(&share) = known.get(&node_of(function)) {
                return share;
            }
            let share = f64::midpoint(density(&high, known), density(&low, known));
            known.insert(node_of(function), share);
            share
        }
        density(&self.function, &mut HashMap::new()) * 2f64.powi(variables as i32)
    }

    /// The value under a total assignment (`assignment[i]` for variable `i`; missing ones are false).
    pub fn eval(&self, assignment: &[bool]) -> bool {
        let arguments = (0..self.space.variable_count())
            .map(|i| (i, assignment.get(i as usize).copied().unwrap_or(false)));
        self.function.eval(arguments)
    }

    /// One cube of the function: the one that takes false wherever there is a choice.
    pub fn pick_cube(&self) -> Option<Cube> {
        let values = self.function.pick_cube(|_, _, _| false)?;
        let literals = values.iter().enumerate().filter_map(|(i, &value)| match value {
            OptBool::None => None,
            OptBool::False => Some((Var(i as u32), false)),
            OptBool::True => Some((Var(i as u32), true)),
        });
        Some(literals.collect())
    }

    /// The disjoint cubes of the diagram, one for each path to true. There may be exponentially
    /// many: this is for small functions that people read.
    pub fn cubes(&self) -> Vec<Cube> {
        fn walk(function: &BDDFunction, path: &mut Cube, out: &mut Vec<Cube>) {
            if function.valid() {
                out.push(path.clone());
                return;
            }
            let Some(top) = top_variable(function) else { return };
            let Some((high, low)) = function.cofactors() else { return };
            for (child, value) in [(low, false), (high, true)] {
                path.push((top, value));
                walk(&child, path, out);
                path.pop();
            }
        }
        let mut out = Vec::new();
        walk(&self.function, &mut Vec::new(), &mut out);
        out
    }

    /// The variable that is tested first, with what is left if it is true and if it is false; nothing
    /// for a constant.
    pub fn branches(&self) -> Option<(Var, Self, Self)> {
        let top = top_variable(&self.function)?;
        let (high, low) = self.function.cofactors()?;
        Some((top, self.space.wrap(high), self.space.wrap(low)))
    }

    /// The variables that the function depends on, in order.
    pub fn support(&self) -> Vec<Var> {
        fn visit(function: &BDDFunction, seen: &mut HashSet<NodeID>, support: &mut BTreeSet<Var>) {
            let Some(top) = top_variable(function) else { return };
            if !seen.insert(node_of(function)) {
                return;
            }
            support.insert(top);
            if let Some((high, low)) = function.cofactors() {
                visit(&high, seen, support);
                visit(&low, seen, support);
            }
        }
        let mut support = BTreeSet::new();
        visit(&self.function, &mut HashSet::new(), &mut support);
        support.into_iter().collect()
    }
}

/// The node of a function: equal for equal functions while the function lives.
fn node_of(function: &BDDFunction) -> NodeID {
    function.with_manager_shared(|_, edge| edge.node_id())
}

/// The variable that is tested first, or nothing for a constant.
fn top_variable(function: &BDDFunction) -> Option<Var> {
    function.with_manager_shared(|manager, edge| match manager.get_node(edge) {
        Node::Inner(node) => Some(Var(node.level())),
        Node::Terminal(_) => None,
    })
}
