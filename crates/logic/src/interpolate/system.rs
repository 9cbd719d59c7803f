//! Systems of Horn clauses with loops, solved by Spacer: invariants of whole programs.
//!
//! What [`horn`](super::horn) does for a path, this does for a graph: one unknown relation for each
//! place, one clause for each way between places. A solution is one formula per relation; nobody
//! has to believe it, its atoms are predicates like any others.

use super::horn::{HornSolver, default_solver, functions_as_arrays, restore_functions};
use crate::smtlib::{Definitions, symbol_name, write_sort, write_term_to};
use crate::term::{Function, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

/// A relation of a [`HornSystem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(usize);

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The relation.
    pub relation: RelationId,
    /// As many as it has parameters.
    pub arguments: Vec<Term>,
}

/// A clause: premises and body imply the conclusion.
#[derive(Clone, Debug)]
struct Clause {
    premises: Vec<Applied>,
    body: Term,
    conclusion: Option<Applied>,
}

/// Clauses over unknown relations.
#[derive(Clone, Debug, Default)]
pub struct HornSystem {
    parameters: Vec<Vec<Term>>,
    clauses: Vec<Clause>,
}

impl HornSystem {
    /// No clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new relation. A solution is a formula over the parameters, which are symbols.
    pub fn relation(&mut self, parameters: Vec<Term>) -> RelationId {
        self.parameters.push(parameters);
        RelationId(self.parameters.len() - 1)
    }

    /// Adds a clause: without premises it holds from the start, without a conclusion it is
    /// forbidden. A call that returns has two premises.
    pub fn clause(
        &mut self,
        premises: impl IntoIterator<Item = Applied>,
        body: Term,
        conclusion: Option<Applied>,
    ) {
        let premises = premises.into_iter().collect();
        self.clauses.push(Clause { premises, body, conclusion });
    }

    /// One formula for each relation, or why there are none.
    pub fn solve(
        mut self,
        terms: &mut Terms,
        resources: u32,
        limit: Duration,
    ) -> Result<Vec<Term>, String> {
        let mut arrays: BTreeMap<Function, Term> = BTreeMap::new();
        for clause in &mut self.clauses {
            clause.body = functions_as_arrays(terms, clause.body, &mut arrays);
        }
        let passed_on: Vec<Term> = arrays.values().copied().collect();
        for parameters in &mut self.parameters {
            parameters.extend(&passed_on);
        }
        for clause in &mut self.clauses {
            for applied in clause.premises.iter_mut().chain(&mut clause.conclusion) {
                applied.arguments.extend(&passed_on);
            }
        }
        let script = self.script(terms, resources);
        let mut solver: Box<dyn HornSolver> = default_solver();
        let answer = solver.run(&script, limit.min(guard(resources)))?;
        let model = answer
            .trim_start()
            .strip_prefix("sat")
            .ok_or_else(|| answer.lines().next().unwrap_or("no answer").to_owned())?;
        let definitions = Definitions::parse(model).map_err(|error| error.to_string())?;
        let mut formulas = Vec::with_capacity(self.parameters.len());
        for (number, parameters) in self.parameters.iter().enumerate() {
            let formula = definitions
                .instantiate(terms, &format!("place{number}"), parameters)
                .map_err(|error| error.to_string())?;
            formulas.push(restore_functions(terms, formula, &arrays));
        }
        Ok(formulas)
    }

    fn script(&self, terms: &mut Terms, resources: u32) -> String {
        let mut text = String::from(
            "(set-option :fp.engine spacer)\n\
             (set-option :fp.spacer.global true)\n\
             (set-option :fp.xform.inline_linear false)\n\
             (set-option :fp.xform.inline_eager false)\n\
             (set-option :fp.xform.slice false)\n",
        );
        let _ = writeln!(text, "(set-option :rlimit {resources})");
        text.push_str("(set-logic HORN)\n");
        for (number, own) in self.parameters.iter().enumerate() {
            let sorts: Vec<String> =
                own.iter().map(|&p| write_sort(terms, terms.sort(p))).collect();
            let _ = writeln!(text, "(declare-fun place{number} ({}) Bool)", sorts.join(" "));
        }
        for clause in &self.clauses {
            let mut symbols: BTreeSet<Symbol> =
                terms.free_symbols(clause.body).iter().copied().collect();
            for applied in clause.premises.iter().chain(&clause.conclusion) {
                for &argument in &applied.arguments {
                    symbols.extend(terms.free_symbols(argument).iter());
                }
            }
            text.push_str("(assert (forall (");
            for &symbol in &symbols {
                let sort = terms.variable_info(symbol.variable).sort;
                let _ =
                    write!(text, "({} {})", symbol_name(terms, symbol), write_sort(terms, sort));
            }
            // A quantifier needs a variable.
            if symbols.is_empty() {
                text.push_str("(unused Bool)");
            }
            text.push_str(") (=> (and true ");
            for premise in &clause.premises {
                write_applied(&mut text, terms, premise);
                text.push(' ');
            }
            write_term_to(&mut text, terms, clause.body);
            text.push_str(") ");
            match &clause.conclusion {
                Some(conclusion) => write_applied(&mut text, terms, conclusion),
                None => text.push_str("false"),
            }
            text.push_str(")))\n");
        }
        text.push_str("(check-sat)\n(get-model)\n");
        text
    }
}

/// The processor time of a query with so many resources, at most: Spacer works on at times without
/// counting what it does.
fn guard(resources: u32) -> Duration {
    Duration::from_micros(u64::from(resources) * MICROSECONDS)
}

/// A unit mostly takes a third of a microsecond.
const MICROSECONDS: u64 = 1;

fn write_applied(text: &mut String, terms: &Terms, applied: &Applied) {
    let number = applied.relation.0;
    if applied.arguments.is_empty() {
        let _ = write!(text, "place{number}");
        return;
    }
    let _ = write!(text, "(place{number}");
    for &argument in &applied.arguments {
        text.push(' ');
        write_term_to(text, terms, argument);
    }
    text.push(')');
}
