//! What a proof leaves behind: an invariant for every cut point that executions pass.
//!
//! The invariants are inductive over the blocks between cut points and exclude every error. They
//! are formulas over the variables of the program, without indices, of the theory that the proof was
//! made in, and they rely on facts about memory ([`MemoryFacts`]). A place is a location with
//! the calls that are open there.

use std::collections::BTreeMap;

use gnomon_flow::points_to::ObjectKind;
use gnomon_flow::relevance::Irrelevant;
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_logic::encode::{HeldMemory, Object, Target, Theory};
use gnomon_logic::{Term, Terms, Variable};

use crate::control::describe_location;
use crate::tracked::TrackedElement;
use crate::verdict::Proof;

/// The invariants of a proof.
#[derive(Debug)]
pub struct Invariants {
    /// Integers with wrap-around, or bits.
    pub theory: Theory,
    /// Where the formulas live.
    pub terms: Terms,
    /// One for each place that was reached, in the order in which places were met.
    pub places: Vec<Invariant>,
    /// What stands for arrays: the formulas hold for all positions, and exclude an error if these
    /// are chosen as the error needs them. Empty if the formulas speak about arrays themselves.
    pub elements: Vec<TrackedElement>,
    /// What variables of the formulas hold memory by address, beside those of the encoding.
    pub held: Vec<HeldMemory>,
}

/// Invariants that hold for all values of some variables, the positions.
#[derive(Debug)]
pub struct ForAll {
    /// The formulas, over variables of the program and positions.
    pub invariants: Invariants,
    /// The positions: bit-vectors that can be any.
    pub positions: Vec<Variable>,
    /// For which values of positions what holds at the beginning of a block is needed, besides those
    /// for which it is to be shown at its end; terms over what holds at the beginning.
    pub instances: Vec<Vec<(Variable, Term)>>,
}

/// What a proof by summaries leaves behind: for each function, what holds at its entry, at its loops
/// and at its end, whoever called it. The places have no open calls.
#[derive(Debug)]
pub struct Summaries {
    /// The formulas, over present values and values at the entry of the function.
    pub invariants: Invariants,
    /// The variables of formulas that are values at the entry, and whose.
    pub at_entry: BTreeMap<Variable, Variable>,
}

/// A proof about the rest of a program, where something is left out that cannot matter.
#[derive(Debug)]
pub struct OfRest {
    /// The proof; what is left out does nothing there.
    pub proof: Proof,
    /// What its formulas rely on.
    pub memory: MemoryFacts,
    /// What is left out.
    pub left_out: Irrelevant,
}

/// What formulas about memory rely on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryFacts {
    /// Where the pointers that the program follows are taken to point, in the order of its places.
    pub aliases: Vec<AliasFact>,
    /// What calls through pointers call: the caller, the edge, and the functions.
    pub calls: Vec<(FuncId, EdgeId, Vec<FuncId>)>,
    /// What variables of formulas hold memory by address.
    pub held: Vec<HeldMemory>,
    /// What functions without a body may know, and so write.
    pub escaped: Vec<Object>,
}

/// What formulas rely on at one pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasFact {
    /// What is accessed: a place behind a pointer.
    pub place: PlaceId,
    /// The objects in which it may lie.
    pub objects: Vec<ObjectKind>,
    /// Where the pointer may point; `None` if that can be anywhere.
    pub targets: Option<Vec<Target>>,
}

/// What holds at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The open calls, the innermost first: the calling function, and the edge of the call.
    pub calls: Vec<(FuncId, EdgeId)>,
    /// The function.
    pub func: FuncId,
    /// The location in it.
    pub loc: LocId,
    /// The formula.
    pub formula: Term,
}

impl Invariants {
    /// One line for each place: where it is, and what holds there.
    pub fn describe(&self, program: &Program) -> Vec<String> {
        let line = |invariant: &Invariant| {
            let mut stack = source_name(&program.funcs[invariant.func].name).to_owned();
            for (caller, _) in &invariant.calls {
                stack += " < ";
                stack += source_name(&program.funcs[*caller].name);
            }
            let place = describe_location(program, invariant.func, invariant.loc);
            format!("{place} ({stack}): {}", self.terms.display(invariant.formula))
        };
        let element = |element: &TrackedElement| {
            let array = &self.terms.variable_info(element.array).name;
            let value = &self.terms.variable_info(element.value).name;
            let at: Vec<String> =
                element.positions.iter().map(|&p| self.terms.display(p).to_string()).collect();
            format!("for every position {} of {array}: {value} is what it holds", at.join(", "))
        };
        let elements = self.elements.iter().map(element);
        elements.chain(self.places.iter().map(line)).collect()
    }
}
