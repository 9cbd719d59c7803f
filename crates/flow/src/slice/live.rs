//! The live set of PathSlice: lvalues whose values decide whether the rest of the path is executed.
//!
//! An lvalue is a place *now*: `*p` and `a[i]` name other memory when `p` or `i` had other values.
//! Going backwards over an assignment to `p`, a live `*p` is therefore given up as an lvalue, and
//! the cells in which it may lie stay live; a live `a[i]` becomes all of `a`. PS 3.4 leaves that to
//! the alias relations. The lvalues that are read to find a place are live along with it, so every
//! write to them is seen.
//!
//! Lvalues are kept by frame: two calls of a function that are open at once have different local
//! variables.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{FuncId, VarId};

use super::effect::{Places, Root, Target};
use super::facts::Cell;
use crate::sparse_set::SparseSet;

/// A call that is open somewhere on the path, by its number.
pub(crate) type Frame = u32;

/// In the place of a frame, for lvalues that are the same in all of them.
pub(crate) const STATIC: Frame = u32::MAX;

/// A set of live lvalues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Places in plain variables.
    plain: BTreeMap<(Frame, VarId), Vec<PlaceId>>,
    /// Places in memory, whose location is known by their name, with their cells.
    memory: BTreeMap<(Frame, PlaceId), Rc<SparseSet>>,
    /// Cells that are live whatever is written.
    pinned: SparseSet,
    /// All cells of static variables and memory that are live, if that was asked for.
    cells: OnceCell<SparseSet>,
    /// Frames whose result is live.
    results: BTreeSet<Frame>,
    /// Changes with the set.
    version: u64,
}

impl Live {
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn set_version(&mut self, version: u64) {
        self.version = version;
    }

    /// Places and their frames, plain variables first.
    pub fn places(&self) -> impl Iterator<Item = (Frame, PlaceId)> {
        let plain = self
            .plain
            .iter()
            .flat_map(|(&(frame, _), places)| places.iter().map(move |&place| (frame, place)));
        plain.chain(self.memory.keys().copied())
    }

    pub fn pinned(&self) -> impl Iterator<Item = Cell> {
        self.pinned.iter()
    }

    pub fn results(&self) -> impl Iterator<Item = Frame> {
        self.results.iter().copied()
    }

    pub fn has_result(&self, frame: Frame) -> bool {
        self.results.contains(&frame)
    }

    pub fn add_result(&mut self, frame: Frame) {
        self.results.insert(frame);
    }

    pub fn remove_result(&mut self, frame: Frame) {
        self.results.remove(&frame);
    }

    /// Whether anything in memory is live.
    pub fn has_memory(&self) -> bool {
        !self.memory.is_empty() || !self.pinned.is_empty()
    }

    pub fn has_statics(&self) -> bool {
        self.has_memory() || self.plain.keys().any(|&(frame, _)| frame == STATIC)
    }

    /// All live cells, but for those of plain local variables.
    fn cells(&self, places: &Places<'_>) -> &SparseSet {
        self.cells.get_or_init(|| {
            let mut cells = self.pinned.clone();
            for of_place in self.memory.values() {
                cells.union_with(of_place);
            }
            for &(_, var) in self.plain.keys().filter(|(frame, _)| *frame == STATIC) {
                cells.union_with(&places.facts.variable_cells(var));
            }
            cells
        })
    }

    /// The set of cells has more members.
    fn grow(&mut self, more: &SparseSet) {
        if let Some(cells) = self.cells.get_mut() {
            cells.union_with(more);
        }
    }

    /// Adds a place as it is named in a frame.
    pub fn add(&mut self, places: &Places<'_>, frame: Frame, place: PlaceId) {
        let info = places.info(place);
        match info.root {
            Root::Plain(var) => {
                let frame = key(places, frame, var);
                let known = self.plain.entry((frame, var)).or_default();
                if !known.contains(&place) {
                    known.push(place);
                    known.sort_unstable();
                }
                if frame == STATIC && self.cells.get().is_some() {
                    self.grow(&places.facts.variable_cells(var));
                }
            }
            // Nothing would be gained by a name for what stays live anyway.
            Root::Memory if info.cells.is_subset(&self.pinned) => {}
            Root::Memory => {
                let frame = if info.is_local { frame } else { STATIC };
                self.memory.insert((frame, place), info.cells.clone());
                self.grow(&info.cells);
            }
        }
    }

    pub fn add_all(&mut self, places: &Places<'_>, frame: Frame, added: &[PlaceId]) {
        for &place in added {
            self.add(places, frame, place);
        }
    }

    /// Makes cells live until the frame of their variable is entered.
    pub fn pin(&mut self, cells: &SparseSet) {
        if self.pinned.union_with(cells) {
            self.memory.retain(|_, cells| !cells.is_subset(&self.pinned));
            self.grow(cells);
        }
    }

    /// Whether a store may change something live (Wt of PS 3.4 by MayAlias).
    pub fn is_changed_by(&self, places: &Places<'_>, frame: Frame, target: Target) -> bool {
        match target {
            Target::Place(place) => {
                let info = places.info(place);
                match info.root {
                    Root::Plain(var) => self
                        .plain
                        .get(&(key(places, frame, var), var))
                        .is_some_and(|live| live.iter().any(|&l| places.overlap(l, place))),
                    Root::Memory => self.cells(places).intersects(&info.cells),
                }
            }
            Target::Variable(var) if places.program.vars[var].address_taken => {
                self.cells(places).intersects(&places.facts.variable_cells(var))
            }
            Target::Variable(var) => self.plain.contains_key(&(key(places, frame, var), var)),
        }
    }

    /// Whether a call may change something live, but for where its result goes.
    pub fn is_changed_by_call(&self, places: &Places<'_>, func: FuncId, edge: EdgeId) -> bool {
        places.facts.call_may_write(func, edge, self.cells(places))
    }

    /// What is live before a store: without what it certainly overwrites (Wt by MustAlias), and with
    /// places given up whose location it may change.
    pub fn remove(&mut self, places: &Places<'_>, frame: Frame, target: Target) {
        match target {
            Target::Place(place) => self.remove_covered(places, frame, place),
            Target::Variable(var) => {
                self.plain.remove(&(key(places, frame, var), var));
                self.drop_memory(|(of, place), _| {
                    of == frame && places.program.exprs.root_var(place) == Some(var)
                });
            }
        }
        self.give_up(places, |reader, read| match target {
            Target::Place(place) => may_overlap(places, (frame, place), (reader, read)),
            Target::Variable(var) => match places.info(read).root {
                Root::Plain(other) => var == other && reader == frame,
                Root::Memory => {
                    let cells = places.facts.variable_cells(var);
                    places.info(read).cells.intersects(&cells)
                }
            },
        });
    }

    fn remove_covered(&mut self, places: &Places<'_>, frame: Frame, place: PlaceId) {
        let info = places.info(place);
        let covered = |live: PlaceId| places.parts_of(live).any(|part| part == place);
        match info.root {
            Root::Plain(var) => {
                let entry = (key(places, frame, var), var);
                if let Some(live) = self.plain.get_mut(&entry) {
                    live.retain(|&live| !covered(live));
                    if live.is_empty() {
                        self.plain.remove(&entry);
                        self.cells.take();
                    }
                }
            }
            Root::Memory => {
                self.drop_memory(|(of, live), _| (of == frame || !info.is_local) && covered(live));
            }
        }
    }

    /// What is live before a call of a function without a body that is part of the slice: places
    /// are given up whose location it may change.
    pub fn give_up_after_call(&mut self, places: &Places<'_>, func: FuncId, edge: EdgeId) {
        self.give_up(places, |_, read| {
            let info = places.info(read);
            match info.root {
                Root::Plain(var) => {
                    let cells = || places.facts.variable_cells(var);
                    places.is_static(var) && places.facts.call_may_write(func, edge, &cells())
                }
                Root::Memory => places.facts.call_may_write(func, edge, &info.cells),
            }
        });
    }

    /// Any value was stored anywhere.
    pub fn give_up_all_memory(&mut self, places: &Places<'_>) {
        self.give_up(places, |_, read| places.info(read).root == Root::Memory);
    }

    /// Gives up the places that are found by reading an lvalue that `changed` chooses.
    fn give_up(&mut self, places: &Places<'_>, changed: impl Fn(Frame, PlaceId) -> bool) {
        let moves = |frame: Frame, place: PlaceId| {
            places.info(place).address.iter().any(|&read| changed(frame, read))
        };
        for (&(frame, _), live) in &mut self.plain {
            for place in live.iter_mut() {
                if !places.info(*place).address.is_empty() && moves(frame, *place) {
                    *place = places.fixed_part(*place);
                }
            }
            live.sort_unstable();
            live.dedup();
        }
        let mut given_up = Vec::new();
        self.drop_memory(|(frame, place), cells| {
            let moved = moves(frame, place);
            if moved {
                given_up.push(cells.clone());
            }
            moved
        });
        for cells in given_up {
            self.pin(&cells);
        }
    }

    fn drop_memory(&mut self, mut chosen: impl FnMut((Frame, PlaceId), &Rc<SparseSet>) -> bool) {
        let before = self.memory.len();
        self.memory.retain(|&entry, cells| !chosen(entry, cells));
        if self.memory.len() < before {
            self.cells.take();
        }
    }

    /// What is live before a function is entered, but for what its arguments read: the variables of
    /// its frame are gone. Gives the variables of the function that were live. `open` says that the
    /// function has another open frame, so that cells of its variables stay live.
    pub fn leave_frame(
        &mut self,
        places: &Places<'_>,
        frame: Frame,
        func: FuncId,
        open: impl Fn() -> bool,
    ) -> BTreeSet<VarId> {
        self.results.remove(&frame);
        let mut live: BTreeSet<VarId> = BTreeSet::new();
        self.plain.retain(|&(of, var), _| {
            if of == frame {
                live.insert(var);
            }
            of != frame
        });
        let mut left = Vec::new();
        self.drop_memory(|(of, _), cells| {
            if of == frame {
                left.push(cells.clone());
            }
            of == frame
        });
        for cells in left {
            self.pin(&cells);
        }
        let function = &places.program.funcs[func];
        let in_memory = |var: &VarId| places.program.vars[*var].address_taken;
        for &var in function.params.iter().chain(&function.locals).filter(|var| in_memory(var)) {
            let own = places.facts.variable_cells(var);
            if self.pinned.intersects(&own) {
                live.insert(var);
                if !open() {
                    self.pinned.retain(|cell| !own.contains(cell));
                    self.cells.take();
                }
            }
        }
        live
    }

    /// What is live on either of two paths.
    pub fn union_with(&mut self, other: &Self) {
        for (&entry, places) in &other.plain {
            let mine = self.plain.entry(entry).or_default();
            mine.extend(places);
            mine.sort_unstable();
            mine.dedup();
        }
        for (&entry, cells) in &other.memory {
            self.memory.insert(entry, cells.clone());
        }
        self.cells.take();
        self.pin(&other.pinned);
        self.results.extend(&other.results);
    }
}

fn key(places: &Places<'_>, frame: Frame, var: VarId) -> Frame {
    if places.is_static(var) { STATIC } else { frame }
}

fn may_overlap(places: &Places<'_>, a: (Frame, PlaceId), b: (Frame, PlaceId)) -> bool {
    let (first, second) = (places.info(a.1), places.info(b.1));
    match (first.root, second.root) {
        (Root::Plain(x), Root::Plain(y)) => {
            x == y && (places.is_static(x) || a.0 == b.0) && places.overlap(a.1, b.1)
        }
        (Root::Memory, Root::Memory) => first.cells.intersects(&second.cells),
        _ => false,
    }
}
