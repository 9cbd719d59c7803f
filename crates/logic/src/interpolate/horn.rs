//! Interpolants from Horn clauses, solved by Z3's Spacer.
//!
//! One unknown relation per cut over the symbols shared there, one clause per step; a return joins
//! the relation before the call and the one at the end of the callee, so calls make the clauses
//! tree-shaped. Steps that demand nothing have no clause and their cuts share a relation. Inlining and
//! slicing are off, since they would remove the relations we ask for, and Spacer starts at the length
//! of the path. Uninterpreted functions become arrays that are passed along, as Spacer knows none.
//!
//! The request is a script in SMT-LIB and the answer Z3's model; [`HornSolver`] is where it is
//! run: in a worker process that can be killed, or in this process where there is no worker.

use super::path::{Path, StepKind};
use crate::smtlib::{Definitions, symbol_name, write_sort, write_term_to};
use crate::solver::worker::{Worker, locate};
use crate::solver::z3::Context;
use crate::term::{Function, Op, Scope, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::time::Duration;

/// Runs scripts with Horn clauses.
pub trait HornSolver {
    /// What Z3 prints when it runs the script; the reason if there is no answer.
    fn run(&mut self, script: &str, limit: Duration) -> Result<String, String>;
}

impl fmt::Debug for dyn HornSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HornSolver")
    }
}

impl HornSolver for Worker {
    fn run(&mut self, script: &str, limit: Duration) -> Result<String, String> {
        Worker::run(self, script, limit).map_err(|error| error.to_string())
    }
}

/// Z3 in this process; it obeys its own time limit most of the time only.
struct InProcess;

impl HornSolver for InProcess {
    fn run(&mut self, script: &str, limit: Duration) -> Result<String, String> {
        let context = Context::new(None).map_err(|error| error.to_string())?;
        let script = format!("(set-option :timeout {})\n{script}", limit.as_millis());
        context.run_script(&script).map_err(|error| error.to_string())
    }
}

/// A worker if there is one, else this process.
pub(super) fn default_solver() -> Box<dyn HornSolver> {
    match locate() {
        Some(program) => Box::new(Worker::new(program)),
        None => Box::new(InProcess),
    }
}

/// The clauses for a path.
pub(super) struct HornProblem {
    script: String,
    /// For each cut the number of its relation; `None` for truth and falsity.
    relations: Vec<Relation>,
    parameters: Vec<Vec<Term>>,
    arrays: BTreeMap<Function, Term>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    True,
    False,
    Unknown(usize),
}

impl HornProblem {
    /// The clauses for a path; `resources` limits the search.
    pub(super) fn new(terms: &mut Terms, path: &Path, resources: u32) -> Self {
        let mut arrays = BTreeMap::new();
        let formulas: Vec<Term> = path
            .steps()
            .iter()
            .map(|step| functions_as_arrays(terms, step.formula, &mut arrays))
            .collect();
        let array_terms: Vec<Term> = arrays.values().copied().collect();
        let shared = path.shared_symbols();
        let mut relations = vec![Relation::True];
        let mut parameters: Vec<Vec<Term>> = Vec::new();
        for (at, step) in path.steps().iter().enumerate() {
            let relation = if at + 1 == path.len() {
                Relation::False
            } else if path.is_returning_call(at) {
                Relation::True
            } else if step.kind == StepKind::Inner && formulas[at] == terms.tt() {
                relations[at]
            } else {
                let mut own: Vec<Term> = shared[at + 1].iter().map(|&s| terms.symbol(s)).collect();
                own.extend(&array_terms);
                parameters.push(own);
                Relation::Unknown(parameters.len() - 1)
            };
            relations.push(relation);
        }
        let mut problem = Self { script: String::new(), relations, parameters, arrays };
        problem.write(terms, path, &formulas, resources);
        problem
    }

    fn write(&mut self, terms: &mut Terms, path: &Path, formulas: &[Term], resources: u32) {
        let mut text = String::from(
            "(set-option :fp.engine spacer)\n\
             (set-option :fp.xform.inline_linear false)\n\
             (set-option :fp.xform.inline_eager false)\n\
             (set-option :fp.xform.slice false)\n",
        );
        let _ = writeln!(text, "(set-option :fp.spacer.min_level {})", self.parameters.len());
        let _ = writeln!(text, "(set-option :rlimit {resources})");
        text.push_str("(set-logic HORN)\n");
        for (number, own) in self.parameters.iter().enumerate() {
            let sorts: Vec<String> =
                own.iter().map(|&p| write_sort(terms, terms.sort(p))).collect();
            let _ = writeln!(text, "(declare-fun cut{number} ({}) Bool)", sorts.join(" "));
        }
        for (at, &formula) in formulas.iter().enumerate() {
            if path.is_returning_call(at) {
                continue;
            }
            let (before, after) = (self.relations[at], self.relations[at + 1]);
            if before == after && formula == terms.tt() && path.call_of(at).is_none() {
                continue;
            }
            let (mut premises, mut body) = (vec![before], vec![formula]);
            if let Some(call) = path.call_of(at) {
                premises.push(self.relations[call]);
                body.push(formulas[call]);
            }
            self.write_clause(&mut text, terms, &premises, &body, after);
        }
        text.push_str("(check-sat)\n(get-model)\n");
        self.script = text;
    }

    fn write_clause(
        &self,
        text: &mut String,
        terms: &mut Terms,
        premises: &[Relation],
        body: &[Term],
        conclusion: Relation,
    ) {
        let mut symbols: BTreeSet<Symbol> = BTreeSet::new();
        for &formula in body {
            symbols.extend(terms.free_symbols(formula).iter());
        }
        for relation in premises.iter().chain([&conclusion]) {
            if let Relation::Unknown(number) = relation {
                symbols.extend(self.parameters[*number].iter().filter_map(|&p| terms.as_symbol(p)));
            }
        }
        text.push_str("(assert ");
        if !symbols.is_empty() {
            text.push_str("(forall (");
            for &symbol in &symbols {
                let sort = terms.variable_info(symbol.variable).sort;
                let _ =
                    write!(text, "({} {})", symbol_name(terms, symbol), write_sort(terms, sort));
            }
            text.push_str(") ");
        }
        text.push_str("(=> (and true");
        for &relation in premises {
            text.push(' ');
            self.write_relation(text, terms, relation);
        }
        for &formula in body {
            text.push(' ');
            write_term_to(text, terms, formula);
        }
        text.push_str(") ");
        self.write_relation(text, terms, conclusion);
        text.push_str(if symbols.is_empty() { "))\n" } else { ")))\n" });
    }

    fn write_relation(&self, text: &mut String, terms: &Terms, relation: Relation) {
        let number = match relation {
            Relation::True => return text.push_str("true"),
            Relation::False => return text.push_str("false"),
            Relation::Unknown(number) => number,
        };
        if self.parameters[number].is_empty() {
            let _ = write!(text, "cut{number}");
            return;
        }
        let _ = write!(text, "(cut{number}");
        for &parameter in &self.parameters[number] {
            text.push(' ');
            write_term_to(text, terms, parameter);
        }
        text.push(')');
    }

    /// One formula per cut, or why there is none.
    pub(super) fn solve(
        &self,
        terms: &mut Terms,
        solver: &mut dyn HornSolver,
        limit: Duration,
    ) -> Result<Vec<Term>, String> {
        let answer = solver.run(&self.script, limit)?;
        let model = answer
            .trim_start()
            .strip_prefix("sat")
            .ok_or_else(|| answer.lines().next().unwrap_or("no answer").to_owned())?;
        let definitions = Definitions::parse(model).map_err(|error| error.to_string())?;
        let mut found: Vec<Option<Term>> = vec![None; self.parameters.len()];
        let mut formulas = Vec::with_capacity(self.relations.len());
        for relation in &self.relations {
            let formula = match *relation {
                Relation::True => terms.tt(),
                Relation::False => terms.ff(),
                Relation::Unknown(number) => match found[number] {
                    Some(known) => known,
                    None => {
                        let name = format!("cut{number}");
                        let formula = definitions
                            .instantiate(terms, &name, &self.parameters[number])
                            .map_err(|error| error.to_string())?;
                        let formula = restore_functions(terms, formula, &self.arrays);
                        found[number] = Some(formula);
                        formula
                    }
                },
            };
            formulas.push(formula);
        }
        Ok(formulas)
    }
}

/// Puts the functions back for the arrays that stood for them.
pub(super) fn restore_functions(
    terms: &mut Terms,
    formula: Term,
    arrays: &BTreeMap<Function, Term>,
) -> Term {
    if arrays.is_empty() {
        return formula;
    }
    let function_of: FxHashMap<Term, Function> = arrays.iter().map(|(&f, &a)| (a, f)).collect();
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        // A read of a read of ... the array, as deep as the function has arguments.
        let mut indices = Vec::new();
        let mut inner = term;
        while terms.op(inner) == Op::Select {
            indices.push(terms.arg(inner, 1));
            inner = terms.arg(inner, 0);
        }
        let complete = function_of
            .get(&inner)
            .filter(|&&f| terms.function_info(f).arguments.len() == indices.len());
        let at = |done: &FxHashMap<Term, Term>, t: Term| done.get(&t).copied().unwrap_or(t);
        let rebuilt = if let Some(&function) = complete {
            let args: Vec<Term> = indices.iter().rev().map(|&t| at(&done, t)).collect();
            terms.apply(function, &args)
        } else if terms.args(term).is_empty() {
            term
        } else {
            let args: Vec<Term> = terms.args(term).iter().map(|&t| at(&done, t)).collect();
            terms.make(terms.op(term), &args)
        };
        done.insert(term, rebuilt);
    }
    done.get(&formula).copied().unwrap_or(formula)
}

/// Reads of arrays in the place of applications.
pub(super) fn functions_as_arrays(
    terms: &mut Terms,
    formula: Term,
    arrays: &mut BTreeMap<Function, Term>,
) -> Term {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        if terms.args(term).is_empty() {
            continue;
        }
        let args: Vec<Term> =
            terms.args(term).iter().map(|t| done.get(t).copied().unwrap_or(*t)).collect();
        let rebuilt = if let Op::Apply(function) = terms.op(term) {
            let array = match arrays.get(&function) {
                Some(&array) => array,
                None => {
                    let info = terms.function_info(function).clone();
                    let sort: Sort = info
                        .arguments
                        .iter()
                        .rev()
                        .fold(info.result, |element, &index| terms.array_sort(index, element));
                    let name = format!("{} as array", info.name);
                    let variable = terms.variable(&name, Scope::Auxiliary, sort);
                    let array = terms.var(variable);
                    arrays.insert(function, array);
                    array
                }
            };
            args.iter().fold(array, |array, &index| terms.select(array, index))
        } else {
            terms.make(terms.op(term), &args)
        };
        done.insert(term, rebuilt);
    }
    done.get(&formula).copied().unwrap_or(formula)
}
