//! Certificates of proofs: made of what the engine leaves behind, and given to the checker.

use std::collections::BTreeMap;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_certify::certificate::{SCHEMA, VERSION};
use gnomon_certify::{
    Alias, AliasObject, AliasTarget, CallTargets, Certificate, Claim, CutPoint, Forbidden,
    Formulas, Held, Node, Offset, Outcome, Theory, check,
};
use gnomon_engine::proof::{Invariants, MemoryFacts, Summaries};
use gnomon_engine::property::ErrorSites;
use gnomon_engine::tracked::TrackedElement;
use gnomon_engine::verdict::Proof;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{
    Object, Offset as EngineOffset, Target, Theory as EngineTheory, allocated_size,
};
use gnomon_logic::{Op, Scope, Term, Terms, Variable};
use gnomon_report::sha256;
use gnomon_verify::decide::Options;

use crate::exit::Failure;

/// What checking a certificate may take, unless the user says otherwise.
pub const CHECK_TIME: Duration = Duration::from_secs(60);

/// The hash of a program model.
pub fn program_hash(program: &Program) -> String {
    sha256(gnomon_ir::text::print(program).as_bytes())
}

/// What must not happen, for the checker.
pub fn forbidden(program: &Program, options: &Options) -> Result<Forbidden, Failure> {
    let sites = ErrorSites::of(program, &options.property).map_err(Failure::error)?;
    Ok(Forbidden {
        edges: sites.iter().map(|(site, _)| (site.func, site.edge)).collect(),
        functions: sites.functions().collect(),
    })
}

/// Whether a proof leaves a certificate.
pub fn is_left_by(proof: &Proof) -> bool {
    !matches!(proof, Proof::Summaries(None) | Proof::AllStates { .. } | Proof::Typestate)
}

/// The certificate of a proof; `None` for proofs that leave nothing that could be checked.
pub fn of(
    program: &Program,
    options: &Options,
    proof: &Proof,
    memory: &MemoryFacts,
) -> Result<Option<Certificate>, Failure> {
    let claim = match proof {
        Proof::NoErrorSite => Claim::NoErrorSite,
        Proof::OnlyRun => Claim::OnlyRun,
        Proof::AllExecutions { .. } => Claim::AllExecutions,
        Proof::Invariants(invariants) => invariants_claim(program, invariants),
        Proof::AllPaths { .. } => Claim::AllPaths,
        Proof::Summaries(Some(summaries)) => summaries_claim(program, summaries),
        Proof::Summaries(None) | Proof::AllStates { .. } | Proof::Typestate => return Ok(None),
    };
    let forbidden = forbidden(program, options)?;
    let edges = forbidden.edges.iter();
    let (aliases, held) = believed(program, memory);
    Ok(Some(Certificate {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        program: program_hash(program),
        entry: options.entry.clone(),
        forbidden: edges.map(|(f, e)| (program.funcs[*f].name.clone(), e.0)).collect(),
        claim,
        aliases,
        calls: memory.calls.iter().map(|call| targets(program, call)).collect(),
        memory: held,
    }))
}

/// What the checker is asked to believe of memory, and what names of formulas hold of it.
fn believed(program: &Program, facts: &MemoryFacts) -> (Vec<Alias>, Vec<Held>) {
    // Objects that are allocated are numbered as they are met.
    let mut numbers: BTreeMap<Object, u32> = BTreeMap::new();
    let mut object = |object: Object| match object {
        Object::Variable(var) => Some(AliasObject::Variable(var.0)),
        Object::Allocated { .. } => {
            let next = numbers.len() as u32;
            Some(AliasObject::Allocated(*numbers.entry(object).or_insert(next)))
        }
        // Nothing is read from a function.
        Object::Function(_) => None,
    };
    let mut aliases = Vec::new();
    for fact in &facts.aliases {
        let Some(known) = &fact.targets else { continue };
        let target = |target: &Target| {
            Some(AliasTarget { object: object(target.object)?, offset: offset(program, target) })
        };
        let targets = known.iter().filter_map(target).collect();
        aliases.push(Alias { place: fact.place.0, targets });
    }
    let held = facts.held.iter().filter_map(|held| {
        let (object, offset) = (object(held.target.object)?, offset(program, &held.target));
        Some(Held { name: held.name.clone(), object, offset, holds: held.holds.clone() })
    });
    let held = held.collect();
    (aliases, held)
}

fn targets(program: &Program, call: &(FuncId, EdgeId, Vec<FuncId>)) -> CallTargets {
    let (caller, edge, callees) = call;
    let name = |func: &FuncId| program.funcs[*func].name.clone();
    CallTargets { caller: name(caller), edge: edge.0, callees: callees.iter().map(name).collect() }
}

fn offset(program: &Program, target: &Target) -> Offset {
    match (target.offset, target.object) {
        (EngineOffset::Exact(at), _) => Offset::at(at),
        // An object with a single element has only its first one.
        (EngineOffset::Modulo { remainder, modulus }, Object::Allocated { function, edge, .. })
            if allocated_size(program, function, edge).is_some_and(|size| size <= modulus) =>
        {
            Offset::at(remainder)
        }
        (EngineOffset::Modulo { remainder, modulus }, _) => {
            Offset { at: remainder, every: modulus }
        }
    }
}

/// Asks the checker.
pub fn checked(
    program: &Program,
    options: &Options,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Outcome, Failure> {
    let Some(entry) = program.find_function(&certificate.entry) else {
        return Ok(Outcome::Refused(format!("there is no function `{}`", certificate.entry)));
    };
    let forbidden = forbidden(program, options)?;
    Ok(check(program, entry, &forbidden, certificate, budget))
}

/// The JSON form, with a line end.
pub fn text(certificate: &Certificate) -> Result<String, Failure> {
    Ok(serde_json::to_string(certificate).map_err(Failure::error)? + "\n")
}

fn invariants_claim(program: &Program, invariants: &Invariants) -> Claim {
    let (formulas, places) = written(program, invariants, &BTreeMap::new());
    Claim::Invariants { formulas, places }
}

fn summaries_claim(program: &Program, summaries: &Summaries) -> Claim {
    let (formulas, places) = written(program, &summaries.invariants, &summaries.at_entry);
    Claim::Summaries { formulas, places }
}

/// Formulas and where they hold; some variables are values at an entry.
fn written(
    program: &Program,
    invariants: &Invariants,
    at_entry: &BTreeMap<Variable, Variable>,
) -> (Formulas, Vec<CutPoint>) {
    let terms = &invariants.terms;
    let mut written = Written { terms, at_entry, numbers: BTreeMap::new(), nodes: Vec::new() };
    // Positions of tracked elements come first, because their values are written with them.
    let positions: Vec<Term> =
        invariants.elements.iter().flat_map(|e| e.positions.iter().copied()).collect();
    written.add(&positions, &[]);
    let roots: Vec<Term> = invariants.places.iter().map(|place| place.formula).collect();
    written.add(&roots, &invariants.elements);
    let Written { numbers, nodes, .. } = written;
    let place = |invariant: &gnomon_engine::proof::Invariant| CutPoint {
        calls: invariant
            .calls
            .iter()
            .map(|(caller, edge)| (program.funcs[*caller].name.clone(), edge.0))
            .collect(),
        function: program.funcs[invariant.func].name.clone(),
        location: invariant.loc.0,
        formula: numbers[&invariant.formula],
    };
    let theory = match invariants.theory {
        EngineTheory::Int => Theory::Integers,
        EngineTheory::Bits => Theory::Bits,
    };
    let places = invariants.places.iter().map(place).collect();
    (Formulas { theory, nodes }, places)
}

/// Formulas that are being written.
struct Written<'a> {
    terms: &'a Terms,
    at_entry: &'a BTreeMap<Variable, Variable>,
    numbers: BTreeMap<Term, u32>,
    nodes: Vec<Node>,
}

impl Written<'_> {
    /// Adds the nodes of terms that are not there yet.
    fn add(&mut self, roots: &[Term], elements: &[TrackedElement]) {
        for term in self.terms.subterms(roots) {
            if self.numbers.contains_key(&term) {
                continue;
            }
            let variable = self.terms.as_symbol(term).map(|symbol| symbol.variable);
            let element = elements.iter().find(|element| Some(element.value) == variable);
            let original = variable.and_then(|variable| self.at_entry.get(&variable));
            let number = match (element, original) {
                (Some(element), _) => self.element(element),
                (None, Some(original)) => {
                    let (function, name) = named(self.terms, *original);
                    self.push(Node::AtEntry { function, name })
                }
                (None, None) => {
                    let args = self.terms.args(term).iter().map(|arg| self.numbers[arg]);
                    let args: Vec<u32> = args.collect();
                    self.push(node(self.terms, term, args))
                }
            };
            self.numbers.insert(term, number);
        }
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// The value of a tracked element: what the array has at its positions.
    fn element(&mut self, element: &TrackedElement) -> u32 {
        let mut value = self.push(variable(self.terms, element.array));
        for position in &element.positions {
            let args = vec![value, self.numbers[position]];
            value = self.push(Node::Apply("select".to_owned(), Vec::new(), args));
        }
        value
    }
}

/// The function of a variable, and its name.
fn named(terms: &Terms, variable: Variable) -> (Option<u32>, String) {
    let info = terms.variable_info(variable);
    let function = match info.scope {
        Scope::Function(func) => Some(func),
        Scope::Global | Scope::Auxiliary => None,
    };
    (function, info.name.to_string())
}

fn variable(terms: &Terms, variable: Variable) -> Node {
    let (function, name) = named(terms, variable);
    match name.contains("!at") {
        true => Node::Position(name),
        false => Node::Variable { function, name },
    }
}

fn node(terms: &Terms, term: Term, args: Vec<u32>) -> Node {
    let apply =
        |name: &str, numbers: &[u32]| Node::Apply(name.to_owned(), numbers.to_vec(), args.clone());
    match terms.op(term) {
        Op::Int(number) => Node::Int(terms.number(number).to_string()),
        Op::BitVec(number) => Node::Bits(terms.number(number).to_string(), terms.width(term)),
        Op::Symbol(symbol) => variable(terms, symbol.variable),
        Op::Extract { high, low } => apply("extract", &[high, low]),
        Op::ZeroExtend(by) => apply("zero_extend", &[by]),
        Op::SignExtend(by) => apply("sign_extend", &[by]),
        Op::FloatFromBits(sort) => apply("to_fp", &[sort.exponent, sort.significand]),
        op => apply(name(op), &[]),
    }
}

/// The name of an operator in SMT-LIB; what the checker does not know has a name that it refuses
/// to read.
fn name(op: Op) -> &'static str {
    match op {
        Op::True => "true",
        Op::False => "false",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Ite => "ite",
        Op::Eq => "=",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Le => "<=",
        Op::Div => "div",
        Op::Mod => "mod",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUle => "bvule",
        Op::BvUlt => "bvult",
        Op::BvSle => "bvsle",
        Op::BvSlt => "bvslt",
        Op::Concat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::FloatEq => "fp.eq",
        Op::FloatLt => "fp.lt",
        Op::FloatLe => "fp.leq",
        Op::FloatIsNan => "fp.isNaN",
        Op::FloatIsInfinite => "fp.isInfinite",
        Op::Apply(_) => "an uninterpreted function",
        _ => "an operator on floating-point numbers",
    }
}
