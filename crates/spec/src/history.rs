//! What happened to the watched value in a run.

use std::collections::BTreeMap;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use gnomon_ir::span::Span;

use crate::weave::{Transition, Violation};

/// A step of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Where in the user's source.
    pub span: Span,
    /// For people: ``fopen: new -> open``.
    pub text: String,
}

/// The steps of the violated automaton on a run, given by its edges in order; the last one is the
/// violation, with its message.
pub fn history(
    transitions: &BTreeMap<(FuncId, EdgeId), Transition>,
    violation: &Violation,
    edges: impl Iterator<Item = (FuncId, EdgeId)>,
) -> Vec<HistoryEntry> {
    let mut entries: Vec<HistoryEntry> = edges
        .filter_map(|edge| transitions.get(&edge))
        .filter(|transition| transition.spec == violation.spec)
        .map(|t| HistoryEntry { span: t.span, text: format!("{}: {}", t.event, t.step) })
        .collect();
    let text = format!("{}: {}", violation.event, violation.message);
    entries.push(HistoryEntry { span: violation.span, text });
    entries
}
