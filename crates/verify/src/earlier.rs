//! What an earlier proof says, proposed again: the program may have changed since.
//!
//! A certificate has formulas at places of a program. For a program that is much like it, many of them hold
//! still. So their atoms are proposed in the [exchange](crate::exchange) as predicates, before any
//! engine begins; whoever takes one finds out for itself what it is worth. What does not speak of
//! integers, or names nothing in this program, is left out.

use std::collections::BTreeSet;

use gnomon_certify::{Certificate, Claim, CutPoint, Formulas, Node, Theory as Written};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::Theory;
use gnomon_logic::{Integer, Op, Scope, Sort, Symbol, Term, Terms};

use crate::exchange::Exchange;

/// So many atoms are proposed at a place.
const MOST: usize = 40;

/// Proposes the atoms of an earlier proof; how many.
pub fn propose(earlier: &Certificate, program: &Program, exchange: &Exchange) -> usize {
    let (formulas, places) = match &earlier.claim {
        Claim::Summaries { formulas, places }
        | Claim::KInduction { formulas, places, .. }
        | Claim::Invariants { formulas, places } => (formulas, places),
        // Formulas about all elements are in bits.
        Claim::ForAll { .. }
        | Claim::NoErrorSite
        | Claim::OnlyRun
        | Claim::AllExecutions
        | Claim::AllPaths => return 0,
    };
    if formulas.theory != Written::Integers {
        return 0;
    }
    let mut terms = Terms::new();
    let all: Vec<Option<Term>> = read(formulas, program, &mut terms);
    let mut learned = BTreeSet::new();
    for place in places {
        let Some((func, loc)) = place_of(place, program) else { continue };
        for atom in atoms(formulas, place.formula).into_iter().take(MOST) {
            if let Some(Some(term)) = all.get(atom as usize) {
                learned.insert((func, loc, *term));
            }
        }
    }
    let learned: Vec<(FuncId, LocId, Term)> = learned.into_iter().collect();
    exchange.propose_predicates(Theory::Int, &terms, &learned);
    learned.len()
}

/// Where a place is in this program, if there is such a one.
fn place_of(place: &CutPoint, program: &Program) -> Option<(FuncId, LocId)> {
    let func = program.find_function(&place.function)?;
    let body = program.funcs[func].body.as_ref()?;
    let is_there = (place.location as usize) < body.loc_count();
    is_there.then(|| (func, LocId::from_index(place.location as usize)))
}

/// Numbers of the comparisons below the connectives of a formula.
fn atoms(formulas: &Formulas, root: u32) -> Vec<u32> {
    let (mut found, mut left, mut seen) = (Vec::new(), vec![root], BTreeSet::new());
    while let Some(number) = left.pop() {
        if !seen.insert(number) {
            continue;
        }
        match formulas.nodes.get(number as usize) {
            Some(Node::Apply(op, _, args)) if matches!(op.as_str(), "and" | "or" | "not") => {
                left.extend(args);
            }
            Some(Node::Apply(op, _, _)) if matches!(op.as_str(), "<=" | "=") => found.push(number),
            _ => {}
        }
    }
    found
}

/// The nodes as terms, as far as they are linear and about integers.
fn read(formulas: &Formulas, program: &Program, terms: &mut Terms) -> Vec<Option<Term>> {
    let mut all: Vec<Option<Term>> = Vec::with_capacity(formulas.nodes.len());
    for node in &formulas.nodes {
        let term = match node {
            Node::Int(text) => text.parse::<Integer>().ok().map(|value| terms.int(value)),
            Node::Variable { function, name } if is_named(program, *function, name) => {
                let scope = function.map_or(Scope::Global, Scope::Function);
                let variable = terms.variable(name, scope, Sort::Int);
                Some(terms.symbol(Symbol { variable, index: None }))
            }
            Node::Apply(op, _, args) => {
                let args: Option<Vec<Term>> =
                    args.iter().map(|&arg| all.get(arg as usize).copied().flatten()).collect();
                args.and_then(|args| applied(op, &args, terms))
            }
            _ => None,
        };
        all.push(term);
    }
    all
}

fn applied(op: &str, args: &[Term], terms: &mut Terms) -> Option<Term> {
    if !args.iter().all(|&arg| terms.sort(arg) == Sort::Int) {
        return None;
    }
    let is_number = |term: &Term| matches!(terms.op(*term), Op::Int(_));
    let op = match op {
        "+" => Op::Add,
        "*" if args.iter().filter(|arg| !is_number(arg)).count() <= 1 => Op::Mul,
        "<=" => Op::Le,
        "=" => Op::Eq,
        _ => return None,
    };
    Some(terms.make(op, args))
}

/// Whether a variable is one of the program: itself, or a scalar in it.
fn is_named(program: &Program, function: Option<u32>, name: &str) -> bool {
    let is_in = |variable: &str| {
        let rest = name.strip_prefix(variable);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    match function {
        Some(function) => {
            let id = FuncId::from_index(function as usize);
            program.funcs.get(id).is_some_and(|function| {
                let mut own = function.params.iter().chain(&function.locals);
                own.any(|&variable| is_in(&program.vars[variable].name))
            })
        }
        None => program.globals().any(|variable| is_in(&program.vars[variable].name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Engine;
    use crate::request::Wanted;
    use crate::{Request, Silent, verify};

    fn text(step: u32) -> String {
        format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, j = 0;\n\
             while (i < n) {{ i = i + {step}; j = j + {step}; if (i > 1000) break; }}\n\
             if (i != j) reach_error(); return 0; }}"
        )
    }

    #[test]
    fn a_proof_is_proposed_for_a_changed_program() {
        let wanted = Wanted { certificate: true, ..Wanted::default() };
        let mut request = Request::of_text(&text(1)).wanted(wanted);
        // Its formulas are about integers.
        request.engine.engine = Engine::Lazy;
        (request.engine.runs, request.engine.search) = (false, false);
        let first = verify(&request, &Silent).expect("an outcome");
        let certificate = first.certificate.expect("a certificate");
        let second = verify(&Request::of_text(&text(2)), &Silent).expect("an outcome");
        let exchange = Exchange::default();
        let count = propose(&certificate, &second.program, &exchange);
        assert!(count > 0, "{certificate:?}");
        let known = exchange.with_predicates(Theory::Int, |_, learned| learned.len());
        assert_eq!(known, count);
        let mut request = Request::of_text(&text(2));
        request.earlier = Some(certificate);
        let third = verify(&request, &Silent).expect("an outcome");
        assert_eq!(third.verdict(), second.verdict());
    }
}
