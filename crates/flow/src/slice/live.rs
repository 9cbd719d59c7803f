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

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{FuncId, VarId};

use super::effect::{Places, Root, Target};
use super::facts::Cell;

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
    memory: BTreeMap<(Frame, PlaceId), Rc<[Cell]>>,
    /// How many of `memory` may lie in a cell.
    cells: BTreeMap<Cell, u32>,
    /// Cells that are live whatever is written.
    pinned: BTreeSet<Cell>,
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
        self.pinned.iter().copied()
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
        !self.cells.is_empty() || !self.pinned.is_empty()
    }

    pub fn has_statics(&self) -> bool {
        self.has_memory() || self.plain.keys().any(|&(frame, _)| frame == STATIC)
    }

    fn has_cell(&self, cell: Cell) -> bool {
        self.cells.contains_key(&cell) || self.pinned.contains(&cell)
    }

    fn has_any(&self, cells: &[Cell]) -> bool {
        let mine = self.cells.len() + self.pinned.len();
        if mine < cells.len() {
            let live = self.cells.keys().chain(&self.pinned);
            return live.into_iter().any(|cell| cells.binary_search(cell).is_ok());
        }
        cells.iter().any(|&cell| self.has_cell(cell))
    }

    /// Adds a place as it is named in a frame.
    pub fn add(&mut self, places: &Places<'_>, frame: Frame, place: PlaceId) {
        let info = places.info(place);
        match info.root {
            Root::Plain(var) => {
                let known = self.plain.entry((key(places, frame, var), var)).or_default();
                if !known.contains(&place) {
                    known.push(place);
                    known.sort_unstable();
                }
            }
            Root::Memory => {
                let frame = if info.is_local { frame } else { STATIC };
                if self.memory.insert((frame, place), info.cells.clone()).is_none() {
                    for &cell in info.cells.iter() {
                        *self.cells.entry(cell).or_default() += 1;
                    }
                }
            }
        }
    }

    pub fn add_all(&mut self, places: &Places<'_>, frame: Frame, added: &[PlaceId]) {
        for &place in added {
            self.add(places, frame, place);
        }
    }

    /// Makes cells live until the frame of their variable is entered.
    pub fn pin(&mut self, cells: &[Cell]) {
        self.pinned.extend(cells);
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
                    Root::Memory => self.has_any(&info.cells),
                }
            }
            Target::Variable(var) if places.program.vars[var].address_taken => {
                self.has_any(&places.facts.variable_cells(var))
            }
            Target::Variable(var) => self.plain.contains_key(&(key(places, frame, var), var)),
        }
    }

    /// Whether a call may change something live, but for where its result goes.
    pub fn is_changed_by_call(&self, places: &Places<'_>, func: FuncId, edge: EdgeId) -> bool {
        let facts = places.facts;
        self.plain
            .keys()
            .any(|&(frame, var)| frame == STATIC && facts.call_may_write_static(func, edge, var))
            || self
                .cells
                .keys()
                .chain(&self.pinned)
                .any(|&cell| facts.call_may_write(func, edge, cell))
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
                    places.info(read).cells.iter().any(|cell| cells.binary_search(cell).is_ok())
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
                    places.is_static(var) && places.facts.call_may_write_static(func, edge, var)
                }
                Root::Memory => {
                    info.cells.iter().any(|&cell| places.facts.call_may_write(func, edge, cell))
                }
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

    fn drop_memory(&mut self, mut chosen: impl FnMut((Frame, PlaceId), &Rc<[Cell]>) -> bool) {
        let counts = &mut self.cells;
        self.memory.retain(|&entry, cells| {
            let drop = chosen(entry, cells);
            if drop {
                for cell in cells.iter() {
                    if let Some(count) = counts.get_mut(cell) {
                        *count -= 1;
                        if *count == 0 {
                            counts.remove(cell);
                        }
                    }
                }
            }
            !drop
        });
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
        let owned = |cell: Cell| {
            let var = places.facts.cell_variable(cell)?;
            (places.program.vars[var].storage.function() == Some(func)).then_some(var)
        };
        let own: Vec<(Cell, VarId)> =
            self.pinned.iter().filter_map(|&cell| Some((cell, owned(cell)?))).collect();
        live.extend(own.iter().map(|&(_, var)| var));
        if !own.is_empty() && !open() {
            for (cell, _) in own {
                self.pinned.remove(&cell);
            }
        }
        live
    }

    /// What is live on either of two ways.
    pub fn union_with(&mut self, other: &Self) {
        for (&entry, places) in &other.plain {
            let mine = self.plain.entry(entry).or_default();
            mine.extend(places);
            mine.sort_unstable();
            mine.dedup();
        }
        for (&entry, cells) in &other.memory {
            if self.memory.insert(entry, cells.clone()).is_none() {
                for &cell in cells.iter() {
                    *self.cells.entry(cell).or_default() += 1;
                }
            }
        }
        self.pinned.extend(&other.pinned);
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
        (Root::Memory, Root::Memory) => {
            first.cells.iter().any(|cell| second.cells.binary_search(cell).is_ok())
        }
        _ => false,
    }
}
