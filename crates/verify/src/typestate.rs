//! Sites of property automata that need no engine: the typestate analysis excludes them.

use std::collections::BTreeSet;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_dataflow::typestate::{Automaton, analyze};
use gnomon_engine::facts::Facts;
use gnomon_engine::outside;
use gnomon_engine::property::Site;
use gnomon_engine::verdict::Statistics;

use crate::clock::at_most;
use crate::decide::Options;

/// What the analysis may take of the engines' time.
const TIME: Duration = Duration::from_secs(60);

/// The sites that no run reaches, and what was done to find them.
#[derive(Default)]
pub(crate) struct Excluded {
    pub sites: BTreeSet<Site>,
    pub statistics: Statistics,
}

/// Asks about every automaton for itself.
pub(crate) fn excluded(
    facts: &Facts<'_>,
    automata: &[Automaton],
    options: &Options,
    budget: &Budget,
) -> Excluded {
    let mut found = Excluded::default();
    let program = facts.program();
    let refused = options.strict && !outside::unknown_functions(program).is_empty();
    if automata.is_empty() || refused {
        return found;
    }
    let budget = at_most(budget, TIME);
    let Ok(mod_ref) = facts.mod_ref(&budget) else { return found };
    for automaton in automata {
        budget.report("typestate", format_args!("{} places", automaton.sites.len()));
        let outcome = analyze(program, facts.points_to(), mod_ref, automaton, &budget);
        let Ok(outcome) = outcome else { continue };
        let numbers = &mut found.statistics.numbers;
        let counts = [
            ("typestate, sites", automaton.sites.len() as u64),
            ("typestate, sites excluded", outcome.excluded.len() as u64),
            ("typestate, facts", outcome.facts),
            ("typestate, contexts", outcome.contexts),
            ("typestate, beginnings given up", outcome.given_up),
        ];
        for (name, count) in counts {
            *numbers.entry(name).or_default() += count as f64;
        }
        let excluded = outcome.excluded.into_iter();
        found.sites.extend(excluded.map(|(func, edge)| Site { func, edge }));
    }
    found
}
