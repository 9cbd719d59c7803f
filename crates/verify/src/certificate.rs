//! Certificates of proofs: what an engine leaves behind, in the checker's own words. The schema and
//! the form of formulas belong to `gnomon-certify`; here is what needs types of the engines.

use std::collections::BTreeMap;

use gnomon_certify::certificate::{SCHEMA, VERSION};
use gnomon_certify::write::{Element, Meaning, nodes};
use gnomon_certify::{
    Alias, AliasObject, AliasTarget, CallTargets, Certificate, Claim, CutPoint, Forbidden,
    Formulas, Held, LeftOut, Offset, Omission, Theory,
};
use gnomon_engine::proof::{ForAll, Invariant, Invariants, MemoryFacts, Summaries};
use gnomon_engine::property::{ErrorSites, NoSuchSite};
use gnomon_engine::tracked::TrackedElement;
use gnomon_engine::verdict::Proof;
use gnomon_flow::relevance::{Irrelevant, LeftOut as FlowLeftOut};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::property::Specification;
use gnomon_logic::encode::{
    HeldMemory, Object, Offset as EngineOffset, Target, Theory as EngineTheory, allocated_size,
};
use gnomon_logic::{Term, Variable};
use gnomon_report::sha256;

use crate::decide::Options;

/// The hash of a program model.
pub(crate) fn program_hash(program: &Program) -> String {
    sha256(gnomon_ir::text::print(program).as_bytes())
}

/// What must not happen, for the checker.
pub(crate) fn forbidden(program: &Program, options: &Options) -> Result<Forbidden, NoSuchSite> {
    let sites = ErrorSites::of(program, &options.property)?;
    Ok(Forbidden {
        edges: sites.iter().map(|(site, _)| (site.func, site.edge)).collect(),
        functions: sites.functions().collect(),
    })
}

/// The certificate of a proof; `None` for proofs that leave nothing that could be checked.
pub(crate) fn of(
    program: &Program,
    asked: &Specification,
    options: &Options,
    proof: &Proof,
    memory: &MemoryFacts,
) -> Result<Option<Certificate>, NoSuchSite> {
    if let Proof::OfRest(rest) = proof {
        let made = of(program, asked, options, &rest.proof, &rest.memory)?;
        return Ok(
            made.map(|made| Certificate { left_out: omitted(program, &rest.left_out), ..made })
        );
    }
    let claim = match proof {
        Proof::NoErrorSite => Claim::NoErrorSite,
        Proof::OnlyRun => Claim::OnlyRun,
        Proof::AllExecutions { .. } => Claim::AllExecutions,
        Proof::Invariants(invariants) => invariants_claim(program, invariants),
        Proof::KInduction { k, invariants } => {
            let (formulas, places) = written(program, invariants, &BTreeMap::new());
            Claim::KInduction { k: u32::try_from(*k).unwrap_or(u32::MAX), formulas, places }
        }
        Proof::ForAll(proof) => for_all_claim(program, proof),
        Proof::AllPaths { .. } => Claim::AllPaths,
        Proof::Summaries(Some(summaries)) => summaries_claim(program, summaries),
        Proof::Summaries(None)
        | Proof::AllStates { .. }
        | Proof::Views { .. }
        | Proof::Typestate
        | Proof::OfRest(_) => {
            return Ok(None);
        }
    };
    let forbidden = forbidden(program, options)?;
    let edges = forbidden.edges.iter();
    let (aliases, held, escaped) = believed(program, memory, &held_by(proof));
    Ok(Some(Certificate {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        program: program_hash(program),
        property: asked.clone(),
        forbidden: edges.map(|(f, e)| (program.funcs[*f].name.clone(), e.0)).collect(),
        claim,
        aliases,
        calls: memory.calls.iter().map(|call| targets(program, call)).collect(),
        memory: held,
        escaped: Some(escaped),
        left_out: Vec::new(),
    }))
}

/// What variables of the formulas of a proof hold memory, beside those of the encoding.
fn held_by(proof: &Proof) -> Vec<HeldMemory> {
    match proof {
        Proof::Invariants(invariants) => invariants.held.clone(),
        _ => Vec::new(),
    }
}

/// What a proof leaves out.
pub(crate) fn omitted(program: &Program, irrelevant: &Irrelevant) -> Vec<LeftOut> {
    let omission = |left_out: &FlowLeftOut| match left_out {
        FlowLeftOut::Everything => Omission::Everything,
        FlowLeftOut::Value => Omission::Value,
        FlowLeftOut::Parts { arguments, result } => {
            Omission::Parts { arguments: arguments.clone(), result: *result }
        }
    };
    let edges = irrelevant.edges.iter();
    let left_out = edges.map(|(&(func, edge), left_out)| LeftOut {
        function: program.funcs[func].name.clone(),
        edge: edge.0,
        what: omission(left_out),
    });
    left_out.collect()
}

/// What the checker is asked to believe of memory, and what names of formulas hold of it.
fn believed(
    program: &Program,
    facts: &MemoryFacts,
    others: &[HeldMemory],
) -> (Vec<Alias>, Vec<Held>, Vec<AliasObject>) {
    // Objects that are allocated are numbered as they are met.
    let mut numbers: BTreeMap<Object, u32> = BTreeMap::new();
    let mut object = |object: Object| match object {
        Object::Variable(var) => Some(AliasObject::Variable(var.0)),
        Object::Allocated { .. } => {
            let next = numbers.len() as u32;
            Some(AliasObject::Allocated(*numbers.entry(object).or_insert(next)))
        }
        Object::Outside => Some(AliasObject::Outside),
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
    let held = facts.held.iter().chain(others).filter_map(|held| {
        let (object, offset) = (object(held.target.object)?, offset(program, &held.target));
        Some(Held { name: held.name.clone(), object, offset, holds: held.holds.clone() })
    });
    let held = held.collect();
    let escaped = facts.escaped.iter().filter_map(|&known| object(known)).collect();
    (aliases, held, escaped)
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

fn invariants_claim(program: &Program, invariants: &Invariants) -> Claim {
    let (formulas, places) = written(program, invariants, &BTreeMap::new());
    Claim::Invariants { formulas, places }
}

fn for_all_claim(program: &Program, proof: &ForAll) -> Claim {
    let positions = proof.positions.iter().copied().collect();
    let meaning = Meaning { positions, ..Meaning::default() };
    let values: Vec<Term> = proof.instances.iter().flatten().map(|(_, value)| *value).collect();
    let (formulas, places, numbers) = written_with(program, &proof.invariants, &meaning, &values);
    let mut numbers = numbers.into_iter();
    let name = |variable| proof.invariants.terms.variable_info(variable).name.to_string();
    let instance = |instance: &Vec<(Variable, Term)>| {
        instance.iter().zip(&mut numbers).map(|(&(v, _), number)| (name(v), number)).collect()
    };
    let instances = proof.instances.iter().map(instance).collect();
    Claim::ForAll { formulas, places, instances }
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
    let element = |element: &TrackedElement| Element {
        array: element.array,
        positions: element.positions.clone(),
        value: element.value,
    };
    let elements = invariants.elements.iter().map(element).collect();
    let meaning = Meaning { elements, at_entry: at_entry.clone(), ..Meaning::default() };
    let (formulas, places, _) = written_with(program, invariants, &meaning, &[]);
    (formulas, places)
}

/// Formulas, where they hold, and the numbers of further terms among them.
fn written_with(
    program: &Program,
    invariants: &Invariants,
    meaning: &Meaning,
    others: &[Term],
) -> (Formulas, Vec<CutPoint>, Vec<u32>) {
    let mut roots: Vec<Term> = invariants.places.iter().map(|place| place.formula).collect();
    roots.extend_from_slice(others);
    let (nodes, numbers) = nodes(&invariants.terms, &roots, meaning);
    let further = numbers[invariants.places.len()..].to_vec();
    let place = |(invariant, formula): (&Invariant, u32)| CutPoint {
        calls: invariant
            .calls
            .iter()
            .map(|(caller, edge)| (program.funcs[*caller].name.clone(), edge.0))
            .collect(),
        function: program.funcs[invariant.func].name.clone(),
        location: invariant.loc.0,
        formula,
    };
    let theory = match invariants.theory {
        EngineTheory::Int => Theory::Integers,
        EngineTheory::Bits => Theory::Bits,
    };
    let places = invariants.places.iter().zip(numbers).map(place).collect();
    (Formulas { theory, nodes }, places, further)
}
