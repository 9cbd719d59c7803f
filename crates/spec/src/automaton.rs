//! An automaton as it stands in a woven program, for analyses that follow its state.

use std::collections::BTreeSet;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, StmtId, VarId};

use crate::order::unordered;
use crate::weave::{IGNORED, Variables, Woven};

/// The variables of an automaton in a program; nothing but the automaton writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The function that runs first.
    pub entry: Option<FuncId>,
    /// Its state.
    pub state: VarId,
    /// The state in which it stays for ever, without errors.
    pub over: i128,
    /// The watched value, if there is one.
    pub tracked: Option<VarId>,
    /// Asked whether to begin to watch.
    pub choice: Option<VarId>,
    /// Its other variables.
    pub counters: Vec<VarId>,
    /// The edges that nobody wrote: what follows on them happens at once.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// The edges of its errors.
    pub sites: BTreeSet<(FuncId, EdgeId)>,
    /// Statements with calls at which, or in which, it may make steps in an order that C leaves
    /// open; the program has one order.
    pub unordered: BTreeSet<(FuncId, StmtId)>,
}

impl Woven {
    /// The automata, in the order of the specs, of a program that begins with a function.
    pub fn automata(&self, entry: &str) -> Vec<Automaton> {
        let entry = self.program.find_function(entry);
        let unordered = unordered(&self.program, &self.inserted);
        let with_numbers = self.variables.iter().enumerate();
        with_numbers
            .map(|(spec, variables)| {
                let own = self.violations.iter().filter(|v| v.spec == spec);
                let Variables { state, tracked, choice, ghosts } = variables.clone();
                Automaton {
                    entry,
                    state,
                    over: IGNORED,
                    tracked,
                    choice,
                    counters: ghosts,
                    inserted: self.inserted.clone(),
                    sites: own.map(|v| (v.func, v.edge)).collect(),
                    unordered: unordered.clone(),
                }
            })
            .collect()
    }
}
