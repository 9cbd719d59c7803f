//! Functions by what is known of them, whoever called them.
//!
//! For each function there are formulas at its entry, at its loops and at its end, over the values
//! at its entry and the present ones. A call must establish the formula at the entry; behind it, all
//! that the call can change ([`Effects`]) has any value for which the formula at the end holds. The
//! variables of the caller are its own, also if it calls itself. So recursion is an induction over
//! the number of calls.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, LocId};
use gnomon_ir::program::{FuncId, Program, Storage};

use crate::certificate::{CutPoint, Formulas};
use crate::effects::Effects;
use crate::machine::{Followed, Machine, Unsupported, not_followed};
use crate::state::{Slot, State};

/// What is known of all functions.
#[derive(Debug)]
pub struct Summaries<'c> {
    formulas: &'c Formulas,
    places: BTreeMap<FuncId, BTreeMap<LocId, u32>>,
    effects: Effects,
}

impl<'c> Summaries<'c> {
    /// From the places of a certificate.
    pub fn new(
        machine: &Machine<'_>,
        formulas: &'c Formulas,
        points: &[CutPoint],
    ) -> Result<Self, Unsupported> {
        let mut places: BTreeMap<FuncId, BTreeMap<LocId, u32>> = BTreeMap::new();
        for point in points {
            let Some(func) = machine.program.find_function(&point.function) else {
                return not_followed(format!("a summary of `{}`", point.function));
            };
            let known = places.entry(func).or_default();
            if !point.calls.is_empty() || known.contains_key(&LocId(point.location)) {
                return not_followed("two summaries of one location");
            }
            known.insert(LocId(point.location), point.formula);
        }
        let effects = Effects::new(machine);
        for func in places.keys().filter(|func| effects.is_recursive(**func)) {
            if let Some(name) = fixed_variable(machine, *func) {
                return not_followed(format!("pointers to `{name}` of a recursive function"));
            }
        }
        Ok(Self { formulas, places, effects })
    }

    /// The formulas.
    pub fn formulas(&self) -> &'c Formulas {
        self.formulas
    }

    /// The places of a function with their formulas.
    pub fn places(&self, func: FuncId) -> impl Iterator<Item = (LocId, u32)> {
        self.places.get(&func).into_iter().flatten().map(|(loc, formula)| (*loc, *formula))
    }

    /// The formula at a place.
    pub fn at(&self, func: FuncId, loc: LocId) -> Option<u32> {
        self.places.get(&func)?.get(&loc).copied()
    }

    fn ends(&self, program: &Program, func: FuncId) -> Followed<(u32, u32)> {
        let body = program.funcs[func].body.as_ref();
        let ends = body.and_then(|b| Some((self.at(func, b.entry())?, self.at(func, b.exit())?)));
        match ends {
            Some(ends) => Ok(ends),
            None => not_followed(format!("a call of {}, which has no summary", {
                &program.funcs[func].name
            })),
        }
    }
}

/// A variable of a function that lies in memory, at an address that all calls share.
pub(crate) fn fixed_variable<'p>(machine: &Machine<'p>, func: FuncId) -> Option<&'p str> {
    let program = machine.program;
    let own = program.vars.iter_ids().filter(
        |(_, info)| matches!(info.storage, Storage::Param(f) | Storage::Local(f) if f == func),
    );
    let mut fixed = own.filter(|(var, _)| machine.own_slot(*var).is_none());
    fixed.next().map(|(_, info)| info.name.as_str())
}

impl Machine<'_> {
    /// Values at an entry of which nothing is known: none of them is a present value.
    pub fn any_entry(&mut self) -> State {
        let program = self.program;
        let mut slots: BTreeSet<Slot> =
            program.vars.ids().filter_map(|var| self.own_slot(var)).collect();
        slots.extend(self.parts.ids().map(Slot::Memory));
        slots.extend([Slot::HeapEnd, Slot::Begins]);
        for func in program.funcs.ids() {
            slots.extend([Slot::Result(func), Slot::ResultBytes(func)]);
        }
        let mut state = State::new(&self.terms);
        for slot in slots {
            if !self.constants.contains_key(&slot) {
                let any = self.any(slot);
                state.values.insert(slot, any);
            }
        }
        state
    }

    /// A call of a function by its summary.
    pub fn summarised(
        &mut self,
        state: &mut State,
        summaries: &Summaries<'_>,
        callee: FuncId,
        call: &Call,
    ) -> Followed<()> {
        let (entry, exit) = summaries.ends(self.program, callee)?;
        let mut inside = state.clone();
        self.enter(&mut inside, callee, call)?;
        let own_entry = self.at_entry.replace(inside.clone());
        let demanded = self.formula(&inside, summaries.formulas, entry);
        let changed = self.after_call(summaries, callee, &inside);
        let promised = self.formula(&changed, summaries.formulas, exit);
        self.at_entry = own_entry;
        let not = {
            let demanded = demanded?;
            self.terms.not(demanded)
        };
        let broken = self.terms.and2(inside.condition, not);
        let name = &self.program.funcs[callee].name;
        self.obligations.push((format!("a call of {name} breaks what its summary needs"), broken));
        // The caller has its own variables back, and sees what all functions see.
        state.condition = changed.condition;
        let seen: Vec<Slot> = summaries.effects.of(callee).collect();
        for slot in seen.into_iter().chain([Slot::Result(callee), Slot::ResultBytes(callee)]) {
            if let Some(value) = changed.values.get(&slot) {
                state.values.insert(slot, *value);
            }
        }
        let promised = promised?;
        state.assume(&mut self.terms, promised);
        self.leave(state, callee, call)
    }

    /// Any state behind the body of a function that was entered with a state.
    fn after_call(&mut self, summaries: &Summaries<'_>, callee: FuncId, inside: &State) -> State {
        let mut changed = inside.clone();
        for slot in summaries.effects.own(callee).chain(summaries.effects.of(callee)) {
            let any = self.any(slot);
            if slot == Slot::HeapEnd {
                let before = self.value(inside, slot);
                let end = self.terms.bv(self.layout.heap_end, 64);
                let (above, below) = (self.terms.bv_ule(before, any), self.terms.bv_ule(any, end));
                changed.assume(&mut self.terms, above);
                changed.assume(&mut self.terms, below);
            }
            changed.values.insert(slot, any);
        }
        changed
    }
}
