//! The start of a program, and what never changes after it.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{InitItem, Initializer, Program, Storage, VarId};
use gnomon_logic::Terms;

use crate::certificate::{Alias, Held};
use crate::effects::assigned;
use crate::layout::Layout;
use crate::machine::{Followed, Machine, not_followed};
use crate::parts::Parts;
use crate::state::{Beginning, Slot, State};

/// Larger objects behind pointers begin with any contents, which is less than is known.
const MAX_INITIAL: u64 = 2048;
/// So many bytes that never change are told to the solver.
const MAX_FIXED: usize = 4096;

impl<'p> Machine<'p> {
    /// A machine for a program that believes facts about pointers; `remembers` says whether formulas
    /// speak of where allocated objects begin.
    pub fn new(
        program: &'p Program,
        aliases: &[Alias],
        memory: &[Held],
        remembers: bool,
    ) -> Followed<Self> {
        Self::with_parts_of(program, program, aliases, memory, remembers)
    }

    /// The same, with the parts of memory that another program has, of which this one is a part.
    pub fn with_parts_of(
        program: &'p Program,
        whole: &Program,
        aliases: &[Alias],
        memory: &[Held],
        remembers: bool,
    ) -> Followed<Self> {
        let Some(layout) = Layout::new(program) else {
            return not_followed("variables that do not fit into the address space");
        };
        let trusted = aliases.iter().map(|alias| (PlaceId(alias.place), alias.targets.clone()));
        let trusted: BTreeMap<_, _> = trusted.collect();
        let parts = match trusted.is_empty() {
            true => Parts::one(whole),
            false => Parts::new(whole, &trusted),
        };
        let mut machine = Self {
            program,
            parts,
            held: memory.iter().map(|held| (held.name.clone(), held.clone())).collect(),
            layout,
            terms: Terms::new(),
            beginning: Beginning::default(),
            background: Vec::new(),
            constants: BTreeMap::new(),
            fixed_elements: Vec::new(),
            open: Vec::new(),
            trusted,
            remembers,
            at_entry: None,
            obligations: Vec::new(),
            positions: BTreeMap::new(),
            noted: Vec::new(),
            overwritten: Vec::new(),
            escaped: None,
            approximated: None,
            read: BTreeSet::new(),
        };
        machine.find_constants()?;
        Ok(machine)
    }

    /// Forgets the values at the start of the last block.
    pub fn begin_block(&mut self) {
        self.beginning = Beginning::default();
        self.background.clear();
        self.positions.clear();
        self.noted.clear();
        self.overwritten.clear();
        self.at_entry = None;
        self.obligations.clear();
    }

    /// The state in which the program starts.
    pub fn initial(&mut self) -> Followed<State> {
        let mut state = State::new(&self.terms);
        let heap = self.terms.bv(self.layout.heap_start, 64);
        state.values.insert(Slot::HeapEnd, heap);
        if self.remembers {
            let (sort, zero) = (self.bytes_sort(), self.terms.bv(0, 8));
            let nowhere = self.terms.const_array(sort, zero);
            state.values.insert(Slot::Begins, nowhere);
        }
        for (var, info) in self.program.vars.iter_ids() {
            if let Storage::Static { init: Some(init), .. } = &info.storage {
                self.initialize(&mut state, var, init)?;
            }
        }
        // Everything would follow from a start that cannot be.
        if state.condition != self.terms.tt() {
            return not_followed("the initial values of static variables");
        }
        Ok(state)
    }

    fn initialize(&mut self, state: &mut State, var: VarId, init: &Initializer) -> Followed<()> {
        let ty = self.program.vars[var].ty;
        let size = self.program.types.size(ty);
        match self.own_slot(var) {
            Some(slot @ Slot::Plain(_)) => {
                let width = self.scalar(ty)?.width();
                let zero = self.terms.bv(0, width.into());
                state.values.insert(slot, zero);
            }
            Some(slot) => {
                let zeros = self.zeros(slot);
                state.values.insert(slot, zeros);
            }
            _ if size > MAX_INITIAL => return Ok(()),
            None => {
                for (slot, address) in self.elements_of(var) {
                    let zero = self.terms.bv(0, self.element_width(slot));
                    self.set_element(state, slot, address, zero);
                }
            }
        }
        for item in &init.items {
            match item {
                InitItem::Value { place, value } => {
                    if self.program.types.is_scalar(self.program.place_ty(*place)) {
                        let value = self.expr(state, *value)?;
                        self.store(state, *place, value)?;
                    } else {
                        self.copy(state, *place, *value)?;
                    }
                }
                InitItem::Bytes { place, bytes } => {
                    let mut bytes: Vec<_> =
                        bytes.iter().map(|byte| self.terms.bv(*byte, 8)).collect();
                    // What is not given is zero; the place is stored to as a whole.
                    let size = self.program.types.size(self.program.place_ty(*place)) as usize;
                    if size <= MAX_INITIAL as usize && bytes.len() < size {
                        bytes.resize(size, self.terms.bv(0, 8));
                    }
                    self.store_bytes(state, *place, &bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Static variables that nothing assigns to, and bytes that nothing may write.
    fn find_constants(&mut self) -> Followed<()> {
        let state = self.initial()?;
        let assigned = assigned(self.program);
        for (var, info) in self.program.vars.iter_ids() {
            let Storage::Static { init: Some(_), read_only, thread_local: false } = &info.storage
            else {
                continue;
            };
            match self.own_slot(var) {
                None if *read_only => {
                    let size = self.program.types.size(info.ty);
                    if size > MAX_INITIAL || self.fixed_elements.len() > MAX_FIXED {
                        continue;
                    }
                    for (slot, address) in self.elements_of(var) {
                        let (array, at) = (self.value(&state, slot), self.terms.bv(address, 64));
                        let element = self.terms.select(array, at);
                        // Addresses of other objects are constants too.
                        if self.terms.value(element).is_some() {
                            self.fixed_elements.push((slot, address, element));
                        }
                    }
                }
                None => {}
                Some(slot) if !assigned.contains(&var) => {
                    let value = self.value(&state, slot);
                    self.constants.insert(slot, value);
                }
                Some(_) => {}
            }
        }
        self.begin_block();
        self.read.clear();
        Ok(())
    }
}
