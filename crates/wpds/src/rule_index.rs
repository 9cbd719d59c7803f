//! Rules found by what they read and by what they write.

use crate::ids::{Control, RuleId, Symbol};
use crate::semiring::Semiring;
use crate::system::{Rhs, Wpds};

/// A sorted table from a pair of a symbol and a control location to rules.
#[derive(Debug, Default)]
pub(crate) struct RuleTable {
    keys: Vec<(u32, u32)>,
    rules: Vec<RuleId>,
    /// Where each symbol begins in `keys`; one more at the end.
    starts: Vec<u32>,
}

impl RuleTable {
    fn new(symbols: u32, mut entries: Vec<(Symbol, Control, RuleId)>) -> Self {
        entries.sort_unstable();
        let mut starts = vec![0u32; symbols as usize + 1];
        for (symbol, _, _) in &entries {
            starts[symbol.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self {
            keys: entries.iter().map(|(symbol, control, _)| (symbol.0, control.0)).collect(),
            rules: entries.into_iter().map(|(_, _, rule)| rule).collect(),
            starts,
        }
    }

    /// The rules with this symbol and control location.
    pub(crate) fn get(&self, symbol: Symbol, control: Control) -> &[RuleId] {
        let Some(range) = self.range(symbol) else { return &[] };
        let keys = &self.keys[range.clone()];
        let from = keys.partition_point(|&(_, c)| c < control.0);
        let to = keys.partition_point(|&(_, c)| c <= control.0);
        &self.rules[range.start + from..range.start + to]
    }

    /// The rules with this symbol, whatever the control location.
    pub(crate) fn with_symbol(&self, symbol: Symbol) -> &[RuleId] {
        self.range(symbol).map_or(&[], |range| &self.rules[range])
    }

    fn range(&self, symbol: Symbol) -> Option<std::ops::Range<usize>> {
        let end = *self.starts.get(symbol.index() + 1)? as usize;
        Some(self.starts[symbol.index()] as usize..end)
    }
}

/// Rules by their left-hand side.
pub(crate) fn by_head<S: Semiring>(system: &Wpds<S>) -> RuleTable {
    let entries = system.rules().map(|(id, rule)| (rule.top, rule.from, id)).collect();
    RuleTable::new(system.symbol_count(), entries)
}

/// Step and push rules by the top of their right-hand side.
pub(crate) fn by_written_top<S: Semiring>(system: &Wpds<S>) -> RuleTable {
    let entries = system.rules().filter_map(|(id, rule)| match rule.rhs {
        Rhs::Pop => None,
        Rhs::Step(top) | Rhs::Push(top, _) => Some((top, rule.to, id)),
    });
    RuleTable::new(system.symbol_count(), entries.collect())
}

/// Push rules by their return site.
pub(crate) fn by_return_site<S: Semiring>(system: &Wpds<S>) -> RuleTable {
    let entries = system.rules().filter_map(|(id, rule)| match rule.rhs {
        Rhs::Push(_, below) => Some((below, rule.to, id)),
        _ => None,
    });
    RuleTable::new(system.symbol_count(), entries.collect())
}
