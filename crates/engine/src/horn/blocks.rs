//! The blocks between all cut points of a program as linear clauses.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_logic::encode::Ssa;
use gnomon_logic::{Terms, Variable};

use super::clauses::{Applied, Body, Clause, Clauses};
use crate::blocks::Block;
use crate::control::ControlId;
use crate::explore::End;

/// All blocks of a program.
#[derive(Debug, Default)]
pub struct BlockGraph {
    /// The blocks of an execution's start.
    pub first: Vec<Rc<Block>>,
    /// The blocks that begin at each cut point.
    pub from: BTreeMap<ControlId, Vec<Rc<Block>>>,
}

impl BlockGraph {
    /// Every block, with the cut point at which it begins.
    fn blocks(&self) -> impl Iterator<Item = (Option<ControlId>, &Rc<Block>)> {
        let starts = self.first.iter().map(|block| (None, block));
        let later = self.from.iter();
        starts.chain(later.flat_map(|(&p, blocks)| blocks.iter().map(move |b| (Some(p), b))))
    }

    /// Its clauses; ends that are not forbidden may be reached.
    pub fn clauses(
        &self,
        terms: &mut Terms,
        is_forbidden: impl Fn(&End) -> bool,
    ) -> Clauses<ControlId> {
        let live = self.live(terms).into_iter();
        let mut clauses =
            Clauses::new(live.map(|(point, vars)| (point, vars.into_iter().collect())).collect());
        let begin = Ssa::new();
        for (from, block) in self.blocks() {
            let applied = |clauses: &Clauses<ControlId>, point: ControlId, ssa: &Ssa| {
                let parameters = clauses.parameters.get(&point)?;
                let arguments = parameters.iter().map(|&v| ssa.symbol(v)).collect();
                Some(Applied { point, arguments })
            };
            let premises = from.and_then(|from| applied(&clauses, from, &begin)).into_iter();
            let conclusion = match &block.end {
                End::Control(to) => match applied(&clauses, *to, &block.after) {
                    None => continue,
                    known => known,
                },
                end if is_forbidden(end) => None,
                End::Error(_) | End::Stuck(_) => continue,
            };
            let body = Body { formula: block.formula, counters: block.counters.clone() };
            clauses.all.push(Clause { premises: premises.collect(), body, conclusion });
        }
        clauses
    }

    /// The variables whose values matter at each cut point.
    fn live(&self, terms: &mut Terms) -> BTreeMap<ControlId, BTreeSet<Variable>> {
        let mut live: BTreeMap<ControlId, BTreeSet<Variable>> = BTreeMap::new();
        for (&place, blocks) in &self.from {
            let own = live.entry(place).or_default();
            for block in blocks {
                let used = terms.free_symbols(block.formula);
                own.extend(used.iter().filter(|s| s.index == Some(0)).map(|s| s.variable));
            }
        }
        loop {
            let mut changed = false;
            for (&place, blocks) in &self.from {
                for block in blocks {
                    let End::Control(to) = &block.end else { continue };
                    let Some(behind) = live.get(to) else { continue };
                    let kept: Vec<Variable> =
                        behind.iter().copied().filter(|&v| block.after.index(v) == 0).collect();
                    let own = live.entry(place).or_default();
                    let before = own.len();
                    own.extend(kept);
                    changed |= own.len() > before;
                }
            }
            if !changed {
                return live;
            }
        }
    }
}
