//! Invariants as C expressions that a compiler reads as they are meant.
//!
//! Formulas speak about mathematical integers, C computes modulo powers of two and converts as it
//! likes. So only what means the same in C is written: linear atoms over variables of at most 32
//! bits, computed in `long long` where nothing can overflow; comparisons of one wide variable with
//! a constant of its type, or with another variable of the same type. A conjunct that has no such
//! form is left out, which makes the invariant weaker and never wrong.

use gnomon_engine::proof::Invariants;
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::Type;
use gnomon_logic::{Integer, Op, Relation, Scope, Sort, Term, Terms};

/// What holds in all contexts of a place in a function, as one expression; `None` if nothing can
/// be said.
pub fn of_contexts(
    program: &Program,
    invariants: &Invariants,
    func: FuncId,
    formulas: impl Iterator<Item = Term>,
) -> Option<String> {
    let writer = Writer { program, terms: &invariants.terms, func };
    let mut contexts: Vec<String> = Vec::new();
    for formula in formulas {
        let text = writer.conjunction(formula)?;
        if !contexts.contains(&text) {
            contexts.push(text);
        }
    }
    match &contexts[..] {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let all: Vec<String> = several.iter().map(|text| format!("({text})")).collect();
            Some(all.join(" || "))
        }
    }
}

struct Writer<'a> {
    program: &'a Program,
    terms: &'a Terms,
    func: FuncId,
}

impl Writer<'_> {
    /// The conjuncts that can be written.
    fn conjunction(&self, formula: Term) -> Option<String> {
        let conjuncts = self.terms.conjuncts(formula);
        let written: Vec<String> =
            conjuncts.into_iter().filter_map(|term| self.formula(term)).collect();
        (!written.is_empty()).then(|| written.join(" && "))
    }

    /// All of a formula.
    fn formula(&self, term: Term) -> Option<String> {
        let args = self.terms.args(term);
        let all = |joint: &str| {
            let parts: Option<Vec<String>> = args.iter().map(|arg| self.formula(*arg)).collect();
            Some(format!("({})", parts?.join(joint)))
        };
        match self.terms.op(term) {
            Op::True => Some("1".to_owned()),
            Op::False => Some("0".to_owned()),
            Op::And => all(" && "),
            Op::Or => all(" || "),
            Op::Not => Some(format!("!({})", self.formula(args[0])?)),
            Op::Eq if self.terms.sort(args[0]) == Sort::Bool => {
                Some(format!("(!({}) == !({}))", self.formula(args[0])?, self.formula(args[1])?))
            }
            Op::Eq | Op::Le => self.atom(term),
            _ => None,
        }
    }

    fn atom(&self, term: Term) -> Option<String> {
        let (linear, relation) = self.terms.linear_atom(term)?;
        let mut variables = Vec::new();
        for (monomial, coefficient) in &linear.monomials {
            variables.push((self.variable(*monomial)?, coefficient));
        }
        let symbol = match relation {
            Relation::LeZero => "<=",
            Relation::EqZero => "==",
        };
        if variables.iter().all(|(var, _)| self.is_narrow(*var)) {
            return self.narrow(&variables, &linear.constant, symbol);
        }
        self.wide(&variables, &linear.constant, relation)
    }

    /// The variable of the program that a term is, if it has its name to itself where the formula
    /// is to stand.
    fn variable(&self, term: Term) -> Option<VarId> {
        let symbol = self.terms.as_symbol(term)?;
        let info = self.terms.variable_info(symbol.variable);
        let plain =
            !info.name.is_empty() && info.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let in_scope = match info.scope {
            Scope::Global => true,
            Scope::Function(func) => func == self.func.0,
            Scope::Auxiliary => false,
        };
        if !plain || !in_scope {
            return None;
        }
        let (id, var) = self.program.vars.iter_ids().find(|(_, var)| {
            let scope = match var.storage {
                Storage::Static { .. } => Scope::Global,
                Storage::Param(f) | Storage::Local(f) => Scope::Function(f.0),
            };
            *var.name == *info.name && scope == info.scope
        })?;
        // A local of that name would hide the global.
        let hidden =
            info.scope == Scope::Global
                && self.program.vars.iter().any(|other| {
                    other.name == var.name && other.storage.function() == Some(self.func)
                });
        (!hidden).then_some(id)
    }

    fn is_narrow(&self, var: VarId) -> bool {
        match self.program.types.get(self.program.vars[var].ty) {
            Type::Bool => true,
            Type::Int { bits, .. } => *bits <= 32,
            _ => false,
        }
    }

    /// In `long long`: coefficients are so small that nothing overflows.
    fn narrow(
        &self,
        variables: &[(VarId, &Integer)],
        constant: &Integer,
        symbol: &str,
    ) -> Option<String> {
        const MOST: i64 = 1 << 24;
        let mut text = String::new();
        for (var, coefficient) in variables {
            let factor = i64::try_from(*coefficient).ok().filter(|f| f.abs() < MOST)?;
            let name = &self.program.vars[*var].name;
            let joint = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += joint;
            if factor.abs() != 1 {
                text += &format!("{} * ", factor.abs());
            }
            text += &format!("(long long) {name}");
        }
        let constant = i64::try_from(constant).ok().filter(|c| c.abs() < MOST << 32)?;
        (variables.len() <= 16).then(|| format!("{text} {symbol} {}LL", -constant))
    }

    /// Without arithmetic: `x <= c`, `x >= c`, `x <= y`, and equations.
    fn wide(
        &self,
        variables: &[(VarId, &Integer)],
        constant: &Integer,
        relation: Relation,
    ) -> Option<String> {
        let ty = |var: VarId| self.program.vars[var].ty;
        let name = |var: VarId| &self.program.vars[var].name;
        let (one, minus_one) = (Integer::ONE, -Integer::ONE);
        match *variables {
            [(a, fa), (b, fb)] if ty(a) == ty(b) && *constant == Integer::ZERO => {
                self.program.types.scalar(ty(a))?;
                let (a, b) = match (*fa == one, *fb == minus_one) {
                    (true, true) => (a, b),
                    _ if *fa == minus_one && *fb == one => (b, a),
                    _ => return None,
                };
                let symbol = if relation == Relation::LeZero { "<=" } else { "==" };
                Some(format!("{} {symbol} {}", name(a), name(b)))
            }
            [(a, factor)] => {
                let Type::Int { bits: 64, signed } = *self.program.types.get(ty(a)) else {
                    return None;
                };
                let positive = *factor == one;
                if !positive && *factor != minus_one {
                    return None;
                }
                let bound = if positive { -constant.clone() } else { constant.clone() };
                let literal = if signed {
                    // The most negative number has no literal.
                    let value = i64::try_from(&bound).ok().filter(|v| *v != i64::MIN)?;
                    format!("{value}LL")
                } else {
                    format!("{}ULL", u64::try_from(&bound).ok()?)
                };
                let symbol = match (relation, positive) {
                    (Relation::EqZero, _) => "==",
                    (Relation::LeZero, true) => "<=",
                    (Relation::LeZero, false) => ">=",
                };
                Some(format!("{} {symbol} {literal}", name(a)))
            }
            _ => None,
        }
    }
}
