//! All executions path by path, which also follows functions that call themselves.
//!
//! A path is followed alone, so that there is no place where paths with different numbers of open
//! calls would meet. A function that is entered while it is open has variables of its own: what
//! they held is put aside, and comes back when it is left.

use std::collections::BTreeMap;

use gnomon_ir::program::{FuncId, Storage};
use gnomon_logic::Term;

use crate::blocks::{Place, Taken};
use crate::check::{Checker, Stop};
use crate::machine::Machine;
use crate::state::{Slot, State};
use crate::summaries::fixed_variable;

/// So many steps on all paths together.
const MAX_STEPS: usize = 2_000_000;

/// A path in the making.
struct Path {
    place: Place,
    state: State,
    /// What holds of the symbols on it.
    background: Vec<Term>,
    /// What the variables of the open functions held when they were entered.
    frames: Vec<BTreeMap<Slot, Option<Term>>>,
}

/// The slots of the variables of a function.
fn own_slots(machine: &Machine<'_>, func: FuncId) -> Vec<Slot> {
    let own = machine.program.vars.iter_ids().filter(
        |(_, info)| matches!(info.storage, Storage::Param(f) | Storage::Local(f) if f == func),
    );
    own.filter_map(|(var, _)| machine.own_slot(var)).collect()
}

impl Checker<'_> {
    /// Follows every path to its end.
    pub(crate) fn follow_paths(&mut self, entry: FuncId) -> Result<(), Stop> {
        let state = self.machine.initial()?;
        let background = self.machine.background.clone();
        let place = self.start(entry)?;
        let mut open = vec![Path { place, state, background, frames: Vec::new() }];
        for _ in 0..MAX_STEPS {
            let Some(path) = open.pop() else { return Ok(()) };
            self.budget.check()?;
            self.step(path, &mut open)?;
        }
        Err(Stop::NotDecided("paths are too long".into()))
    }

    /// One step of a path, in all directions.
    fn step(&mut self, path: Path, open: &mut Vec<Path>) -> Result<(), Stop> {
        let continuations = self.explorer.continuations(&path.place);
        let branches = continuations.len() > 1;
        for continuation in &continuations {
            self.machine.background.clone_from(&path.background);
            let (mut state, mut frames) = (path.state.clone(), path.frames.clone());
            if let Some(callee) = continuation.entered() {
                if path.place.is_open(callee)
                    && let Some(name) = fixed_variable(&self.machine, callee)
                {
                    let what = format!("pointers to `{name}` of a function that is open twice");
                    return Err(Stop::NotDecided(what));
                }
                let slots = own_slots(&self.machine, callee).into_iter();
                frames.push(slots.map(|slot| (slot, state.values.get(&slot).copied())).collect());
            }
            if continuation.leaves() {
                for (slot, value) in frames.pop().unwrap_or_default() {
                    match value {
                        Some(value) => state.values.insert(slot, value),
                        None => state.values.remove(&slot),
                    };
                }
            }
            let taken =
                self.explorer.taken(&mut self.machine, &path.place, continuation, &mut state);
            let known = path.state.condition;
            let may_go_on = state.condition != self.machine.terms.ff();
            match taken {
                Taken::To(place) if may_go_on => {
                    let decided = state.condition == known;
                    if decided || !branches || self.possible(state.condition)? {
                        let background = self.machine.background.clone();
                        open.push(Path { place, state, background, frames });
                    }
                }
                Taken::Error(what) if may_go_on && self.possible(state.condition)? => {
                    return Err(Stop::Refused(what));
                }
                Taken::Unknown(what) if may_go_on && self.possible(state.condition)? => {
                    return Err(Stop::NotDecided(format!("not followed: {what}")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
