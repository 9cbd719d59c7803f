//! What an earlier proof says, proposed again: the program may have changed since.
//!
//! A certificate has formulas at places of a program. For a program that is much like it, many of them hold
//! still. So their atoms are proposed in the [exchange](crate::exchange) as predicates, before any
//! engine begins; whoever takes one finds out for itself what it is worth. What does not speak of
//! integers, or names nothing in this program, is left out.
//!
//! Certificates name functions and locations by numbers, which are others in a changed program. So with the
//! certificate stays the *shape* of its program: the names of functions, and a hash of what happens on each edge of
//! those with places. Functions are found again by name, and locations by the edges around them: the longest common
//! subsequence of the edges of both, as a comparison of texts finds lines.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_certify::{Certificate, Claim, CutPoint, Formulas, Node, Theory as Written};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::text::essences_of_edges;
use gnomon_logic::encode::Theory;
use gnomon_logic::{Integer, Op, Scope, Sort, Symbol, Term, Terms};

use crate::exchange::Exchange;

/// So many atoms are proposed at a place.
const MOST: usize = 40;

/// Functions with more edges to compare than this, each with each, are compared at their ends only.
const MOST_COMPARED: usize = 4_000_000;

/// An earlier proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// What it says.
    pub certificate: Certificate,
    /// The program that it is about.
    pub shape: Shape,
}

/// What is kept of the program of a proof, so that its places are found again in another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The names of its functions, by number.
    pub functions: Vec<String>,
    /// The edges of functions in which the proof has places: from where, to where, what happens.
    pub bodies: BTreeMap<String, Vec<(u32, u32, u64)>>,
}

impl Shape {
    /// What is needed of the program of a certificate.
    pub fn of(program: &Program, certificate: &Certificate) -> Self {
        let functions = program.funcs.iter_ids().map(|(_, function)| function.name.clone());
        let names: BTreeSet<&str> = formulas_of(certificate)
            .into_iter()
            .flat_map(|(_, places)| places)
            .map(|place| place.function.as_str())
            .collect();
        let bodies = names.into_iter().filter_map(|name| {
            Some((name.to_owned(), body(program, program.find_function(name)?)))
        });
        Self { functions: functions.collect(), bodies: bodies.collect() }
    }

    /// Where the locations of a function are in another program.
    fn moves(&self, name: &str, program: &Program) -> Option<(FuncId, BTreeMap<u32, u32>)> {
        let func = program.find_function(name)?;
        program.funcs[func].body.as_ref()?;
        let (before, now) = (self.bodies.get(name)?, body(program, func));
        let mut moves = BTreeMap::new();
        for (old, new) in in_both(before, &now) {
            let ((from, to, _), (new_from, new_to, _)) = (before[old], now[new]);
            moves.entry(from).or_insert(new_from);
            moves.entry(to).or_insert(new_to);
        }
        Some((func, moves))
    }
}

/// The edges of a function: from where, to where, what happens.
fn body(program: &Program, func: FuncId) -> Vec<(u32, u32, u64)> {
    let edges = program.funcs[func].body.iter().flat_map(|body| body.edges().iter());
    let essences = essences_of_edges(program, func);
    let number = |loc: LocId| u32::try_from(loc.index()).unwrap_or(u32::MAX);
    let edge = |(edge, essence): (&gnomon_ir::cfa::Edge, String)| {
        (number(edge.from), number(edge.to), hash(&essence))
    };
    edges.zip(essences).map(edge).collect()
}

/// FNV-1a: the same on all machines.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Numbers of edges that are in both, in order: the longest common subsequence.
fn in_both(before: &[(u32, u32, u64)], now: &[(u32, u32, u64)]) -> Vec<(usize, usize)> {
    let same = |old: usize, new: usize| before[old].2 == now[new].2;
    let least = before.len().min(now.len());
    let front = (0..least).take_while(|&n| same(n, n)).count();
    let behind = |n: &usize| same(before.len() - 1 - n, now.len() - 1 - n);
    let back = (0..least - front).take_while(behind).count();
    let mut found: Vec<(usize, usize)> = (0..front).map(|n| (n, n)).collect();
    let (rows, columns) = (before.len() - front - back, now.len() - front - back);
    if rows * columns <= MOST_COMPARED {
        // At [row][column]: how many are in both from there on.
        let width = columns + 1;
        let mut lengths = vec![0u32; (rows + 1) * width];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                lengths[row * width + column] = match same(front + row, front + column) {
                    true => lengths[(row + 1) * width + column + 1] + 1,
                    false => {
                        lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
                    }
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if same(front + row, front + column) {
                found.push((front + row, front + column));
                (row, column) = (row + 1, column + 1);
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    found.extend((0..back).rev().map(|n| (before.len() - 1 - n, now.len() - 1 - n)));
    found
}

/// The formulas of a certificate that speak of places.
fn formulas_of(certificate: &Certificate) -> Option<(&Formulas, &[CutPoint])> {
    match &certificate.claim {
        Claim::Summaries { formulas, places }
        | Claim::KInduction { formulas, places, .. }
        | Claim::Invariants { formulas, places } => Some((formulas, places)),
        // Formulas about all elements are in bits.
        Claim::ForAll { .. }
        | Claim::NoErrorSite
        | Claim::OnlyRun
        | Claim::AllExecutions
        | Claim::AllPaths => None,
    }
}

/// Proposes the atoms of an earlier proof; how many.
pub fn propose(earlier: &Earlier, program: &Program, exchange: &Exchange) -> usize {
    let Earlier { certificate, shape } = earlier;
    let Some((formulas, places)) = formulas_of(certificate) else { return 0 };
    if formulas.theory != Written::Integers {
        return 0;
    }
    let mut terms = Terms::new();
    let functions = |number: u32| program.find_function(shape.functions.get(number as usize)?);
    let all: Vec<Option<Term>> = read(formulas, program, &functions, &mut terms);
    let mut moves = BTreeMap::new();
    let mut learned = BTreeSet::new();
    for place in places {
        let name = place.function.as_str();
        let moved = moves.entry(name).or_insert_with(|| shape.moves(name, program));
        let Some((func, moved)) = moved else { continue };
        let Some(&location) = moved.get(&place.location) else { continue };
        let loc = LocId::from_index(location as usize);
        for atom in atoms(formulas, place.formula).into_iter().take(MOST) {
            if let Some(Some(term)) = all.get(atom as usize) {
                learned.insert((*func, loc, *term));
            }
        }
    }
    let learned: Vec<(FuncId, LocId, Term)> = learned.into_iter().collect();
    exchange.propose_predicates(Theory::Int, &terms, &learned);
    learned.len()
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
fn read(
    formulas: &Formulas,
    program: &Program,
    functions: &dyn Fn(u32) -> Option<FuncId>,
    terms: &mut Terms,
) -> Vec<Option<Term>> {
    let mut all: Vec<Option<Term>> = Vec::with_capacity(formulas.nodes.len());
    for node in &formulas.nodes {
        let term = match node {
            Node::Int(text) => text.parse::<Integer>().ok().map(|value| terms.int(value)),
            Node::Variable { function, name } => {
                scope(program, *function, functions, name).map(|scope| {
                    let variable = terms.variable(name, scope, Sort::Int);
                    terms.symbol(Symbol { variable, index: None })
                })
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

/// The scope that a variable of the earlier program has in this one, if it is one of it: itself, or a scalar in it.
fn scope(
    program: &Program,
    function: Option<u32>,
    functions: &dyn Fn(u32) -> Option<FuncId>,
    name: &str,
) -> Option<Scope> {
    let is_in = |variable: &str| {
        let rest = name.strip_prefix(variable);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    match function {
        Some(number) => {
            let id = functions(number)?;
            let function = &program.funcs[id];
            let mut own = function.params.iter().chain(&function.locals);
            let number = u32::try_from(id.index()).ok()?;
            own.any(|&variable| is_in(&program.vars[variable].name))
                .then_some(Scope::Function(number))
        }
        None => program
            .globals()
            .any(|variable| is_in(&program.vars[variable].name))
            .then_some(Scope::Global),
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
        let shape = Shape::of(&first.program, &certificate);
        let earlier = Earlier { certificate, shape };
        let count = propose(&earlier, &second.program, &exchange);
        assert!(count > 0, "{earlier:?}");
        let known = exchange.with_predicates(Theory::Int, |_, learned| learned.len());
        assert_eq!(known, count);
        let mut request = Request::of_text(&text(2));
        request.earlier = Some(earlier);
        let third = verify(&request, &Silent).expect("an outcome");
        assert_eq!(third.verdict(), second.verdict());
    }

    /// What is proposed: function, what happens on the edges that leave the location, and the predicate.
    fn proposed(earlier: &Earlier, program: &Program) -> BTreeSet<(String, Vec<String>)> {
        let exchange = Exchange::default();
        propose(earlier, program, &exchange);
        exchange.with_predicates(Theory::Int, |_, learned| {
            let shown = learned.iter().map(|(func, loc, _)| {
                let body = program.funcs[*func].body.as_ref().expect("a body");
                let edges = body.edges().iter().zip(essences_of_edges(program, *func));
                let leaving =
                    edges.filter(|(edge, _)| edge.from == *loc).map(|(_, essence)| essence);
                (program.funcs[*func].name.clone(), leaving.collect())
            });
            shown.collect()
        })
    }

    #[test]
    fn places_are_found_again_by_what_they_are() {
        let wanted = Wanted { certificate: true, ..Wanted::default() };
        let mut request = Request::of_text(&text(1)).wanted(wanted);
        request.engine.engine = Engine::Lazy;
        (request.engine.runs, request.engine.search) = (false, false);
        let first = verify(&request, &Silent).expect("an outcome");
        let certificate = first.certificate.expect("a certificate");
        let earlier = Earlier { shape: Shape::of(&first.program, &certificate), certificate };
        // Another function before, and more statements before the loop: all numbers are others.
        let changed = text(1)
            .replace("int main(void) {", "int before(int i) { return i + 1; }\nint main(void) { int k = before(3); k = k * 2; if (k > 100) return k;");
        let second = verify(&Request::of_text(&changed), &Silent).expect("an outcome");
        let (then, now) = (proposed(&earlier, &first.program), proposed(&earlier, &second.program));
        assert!(!then.is_empty());
        assert_eq!(then, now);
    }
}
