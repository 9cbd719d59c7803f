//! Memory in parts that never overlap.
//!
//! Nothing is believed of pointers at first, and then memory is one part: an array of bytes. With
//! facts about where the pointers of places point, every access touches *spots*: an object, offsets
//! in it, and a number of bytes. Spots of one object that may overlap belong to one part, and so do
//! all spots of one access; so an access is in one part, and leaves all others as they are. A part
//! whose spots are always accessed in whole holds elements of that size, any other one bytes.
//!
//! This does again what the encoding of the engines does, from the same facts and the text of the
//! program alone, and more coarsely: an access never chooses among parts.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{InitItem, Initializer, Program, Storage, VarId, source_name};

use crate::certificate::{AliasObject, AliasTarget, Offset};

/// With more spots memory stays in one part.
const MAX_SPOTS: usize = 3000;
/// Larger elements are held as bytes.
const MAX_ELEMENT: u64 = 16;

/// The number of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartId(pub u32);

/// What an access may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    object: AliasObject,
    offset: Offset,
    size: u64,
}

#[derive(Clone, Debug)]
struct Part {
    /// Bytes of an element.
    width: u64,
    spots: Vec<Spot>,
}

impl Part {
    fn offsets(&self, object: AliasObject, size: u64) -> BTreeSet<u64> {
        let mut all = BTreeSet::new();
        for spot in self.spots.iter().filter(|spot| spot.object == object) {
            let step = spot.offset.every.max(1) as usize;
            let last = if spot.offset.every == 0 { spot.offset.at } else { size.saturating_sub(1) };
            for first in (spot.offset.at..=last).step_by(step) {
                // Bytes stand one by one.
                let bytes = (first..first + spot.size).step_by(self.width as usize);
                all.extend(bytes.filter(|at| at + self.width <= size));
            }
        }
        all
    }
}

/// The parts of the memory of a program.
#[derive(Clone, Debug)]
pub struct Parts {
    parts: Vec<Part>,
    /// By access; `None` if all is in one part.
    of_place: Option<BTreeMap<PlaceId, PartId>>,
    /// Records and arrays that no pointer reaches, each for itself.
    own: BTreeMap<VarId, Part>,
}

impl Parts {
    /// All of memory in one part, as bytes.
    pub fn one(program: &Program) -> Self {
        let parts = vec![Part { width: 1, spots: Vec::new() }];
        Self { parts, of_place: None, own: own_parts(program) }
    }

    /// The parts that facts about pointers keep apart.
    pub fn new(program: &Program, facts: &BTreeMap<PlaceId, Vec<AliasTarget>>) -> Self {
        if moves_bytes(program) {
            return Self::one(program);
        }
        match Partitioning::new(program, facts) {
            Some(partitioning) => partitioning.finish(own_parts(program)),
            None => Self::one(program),
        }
    }

    /// All of them.
    pub fn ids(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.parts.len() as u32).map(PartId)
    }

    /// The bytes of an element.
    pub fn width(&self, part: PartId) -> u64 {
        self.parts[part.0 as usize].width
    }

    /// The bytes of an element of a record or array that no pointer reaches.
    pub fn own_width(&self, var: VarId) -> u64 {
        self.own.get(&var).map_or(1, |part| part.width)
    }

    /// Where in such a variable of that size elements can begin.
    pub fn own_offsets(&self, var: VarId, size: u64) -> BTreeSet<u64> {
        self.own
            .get(&var)
            .map_or_else(BTreeSet::new, |part| part.offsets(AliasObject::Variable(var.0), size))
    }

    /// The part in which an access to a place is; `None` if no access was expected there.
    pub fn of_place(&self, place: PlaceId) -> Option<PartId> {
        match &self.of_place {
            None => Some(PartId(0)),
            Some(known) => known.get(&place).copied(),
        }
    }

    /// The part with some bytes of an object, if it is one.
    pub fn holding(&self, object: AliasObject, offset: Offset, size: u64) -> Option<PartId> {
        if self.of_place.is_none() {
            return Some(PartId(0));
        }
        let sought = Spot { object, offset, size };
        let mut found = self.ids().filter(|part| {
            self.parts[part.0 as usize].spots.iter().any(|spot| overlap(*spot, sought))
        });
        let part = found.next()?;
        found.next().is_none().then_some(part)
    }

    /// Where in an object of that size the elements of a part can begin.
    pub fn offsets(&self, part: PartId, object: AliasObject, size: u64) -> BTreeSet<u64> {
        if self.of_place.is_none() {
            return (0..size).collect();
        }
        self.parts[part.0 as usize].offsets(object, size)
    }

    /// The same for all objects that are allocated.
    pub fn offsets_of_allocated(&self, part: PartId, size: u64) -> BTreeSet<u64> {
        if self.of_place.is_none() {
            return (0..size).collect();
        }
        let objects = self.parts[part.0 as usize].spots.iter().map(|spot| spot.object);
        let allocated: BTreeSet<AliasObject> =
            objects.filter(|object| matches!(object, AliasObject::Allocated(_))).collect();
        allocated.into_iter().flat_map(|object| self.offsets(part, object, size)).collect()
    }

    /// Whether some of these objects are in a part.
    pub fn has_some(&self, part: PartId, objects: &BTreeSet<AliasObject>) -> bool {
        self.is_one()
            || self.parts[part.0 as usize].spots.iter().any(|spot| objects.contains(&spot.object))
    }

    /// Whether there is only one.
    pub fn is_one(&self) -> bool {
        self.of_place.is_none()
    }
}

/// Whether bytes are moved by functions whose pointers no fact tells of.
fn moves_bytes(program: &Program) -> bool {
    program.funcs.iter().filter(|function| function.body.is_none()).any(|function| {
        let kind = classify(source_name(&function.name), program.types.target());
        matches!(kind, Library::Atomic | Library::MemCopy | Library::MemSet)
    })
}

/// Spots that are put together.
struct Partitioning {
    spots: Vec<Spot>,
    parent: Vec<usize>,
    /// A spot of each access, if it is possible anywhere.
    accesses: BTreeMap<PlaceId, Option<usize>>,
}

impl Partitioning {
    /// `None` if there is an access of which no fact tells, or if there are too many spots.
    fn new(program: &Program, facts: &BTreeMap<PlaceId, Vec<AliasTarget>>) -> Option<Self> {
        let mut made = Self { spots: Vec::new(), parent: Vec::new(), accesses: BTreeMap::new() };
        let mut numbers = BTreeMap::new();
        for place in accessed(program) {
            let is_own =
                program.exprs.root_var(place).is_some_and(|v| !program.vars[v].address_taken);
            if is_own {
                continue;
            }
            let targets = targets(program, facts, place)?;
            let size = access_size(program, place);
            let mut first = None;
            for (object, offset) in targets {
                if size == 0 || !fits(program, object, offset, size) {
                    continue;
                }
                let number = made.spot(&mut numbers, Spot { object, offset, size });
                match first {
                    None => first = Some(number),
                    Some(first) => made.unite(first, number),
                }
            }
            if size > 0 {
                made.accesses.insert(place, first);
            }
            if made.spots.len() > MAX_SPOTS {
                return None;
            }
        }
        for (var, info) in program.vars.iter_ids() {
            // Arguments are stored there.
            if info.address_taken && matches!(info.storage, Storage::Param(_)) {
                let (object, size) = (AliasObject::Variable(var.0), program.types.size(info.ty));
                made.spot(&mut numbers, Spot { object, offset: Offset::at(0), size });
            }
        }
        Some(made)
    }

    fn spot(&mut self, numbers: &mut BTreeMap<Spot, usize>, spot: Spot) -> usize {
        *numbers.entry(spot).or_insert_with(|| {
            self.spots.push(spot);
            self.parent.push(self.parent.len());
            self.parent.len() - 1
        })
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parent[number] != number {
            number = self.parent[number];
        }
        number
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn finish(mut self, own: BTreeMap<VarId, Part>) -> Parts {
        for a in 0..self.spots.len() {
            for b in 0..a {
                if overlap(self.spots[a], self.spots[b]) {
                    self.unite(a, b);
                }
            }
        }
        let mut ids: BTreeMap<usize, PartId> = BTreeMap::new();
        let mut parts: Vec<Part> = Vec::new();
        for (number, spot) in self.spots.iter().enumerate() {
            let id = *ids.entry(self.root(number)).or_insert_with(|| {
                parts.push(Part { width: 1, spots: Vec::new() });
                PartId(parts.len() as u32 - 1)
            });
            parts[id.0 as usize].spots.push(*spot);
        }
        for part in &mut parts {
            part.width = element_width(&part.spots);
        }
        // Where nothing is.
        parts.push(Part { width: 1, spots: Vec::new() });
        let nowhere = PartId(parts.len() as u32 - 1);
        let part = |spot: &Option<usize>| spot.map_or(nowhere, |spot| ids[&self.root(spot)]);
        let of_place = self.accesses.iter().map(|(place, spot)| (*place, part(spot)));
        Parts { of_place: Some(of_place.collect()), parts, own }
    }
}

/// The size of elements that are always accessed in whole, or 1.
fn element_width(spots: &[Spot]) -> u64 {
    let size = spots[0].size;
    let whole = |(a, b): (&Spot, &Spot)| {
        a.size == b.size && (!overlap(*a, *b) || never_cut(a.offset, b.offset, size))
    };
    let mut pairs =
        spots.iter().enumerate().flat_map(|(n, a)| spots[n..].iter().map(move |b| (a, b)));
    if size <= MAX_ELEMENT && pairs.all(whole) { size } else { 1 }
}

/// Whether elements of a size at these offsets, which may be the same, are the same or apart.
fn never_cut(a: Offset, b: Offset, size: u64) -> bool {
    match common_step(a, b) {
        0 => a.at == b.at,
        step => step >= size && a.at % step == b.at % step,
    }
}

/// What the differences of offsets are multiples of, but for the difference of the first ones; 0 if
/// there is only one offset each.
fn common_step(a: Offset, b: Offset) -> u64 {
    let (mut m, mut n) = (a.every, b.every);
    while n != 0 {
        (m, n) = (n, m % n);
    }
    m
}

/// Whether spots may share a byte.
fn overlap(a: Spot, b: Spot) -> bool {
    if a.object != b.object {
        return false;
    }
    match common_step(a.offset, b.offset) {
        0 => {
            a.offset.at < b.offset.at.saturating_add(b.size)
                && b.offset.at < a.offset.at.saturating_add(a.size)
        }
        step => {
            let (up, down) = (
                (b.offset.at % step + step - a.offset.at % step) % step,
                (a.offset.at % step + step - b.offset.at % step) % step,
            );
            up < a.size || down < b.size
        }
    }
}

/// Whether an object has room for an access.
fn fits(program: &Program, object: AliasObject, offset: Offset, size: u64) -> bool {
    let AliasObject::Variable(var) = object else { return true };
    let Some(info) = program.vars.get(VarId(var)) else { return false };
    offset.at.saturating_add(size) <= program.types.size(info.ty)
}

/// The places that are read or written.
fn accessed(program: &Program) -> BTreeSet<PlaceId> {
    let exprs = &program.exprs;
    let loads = (0..exprs.expr_count()).filter_map(|at| match exprs.expr(ExprId(at as u32)).kind {
        ExprKind::Load(place) => Some(place),
        _ => None,
    });
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let edges = bodies.flat_map(|body| body.edges().iter());
    let is_cleared =
        |op: &Op| matches!(op, Op::Assign { dst, src } if cleared(program, *dst, *src).is_some());
    let stores = edges.filter(|edge| !is_cleared(&edge.op));
    let stores = stores.filter_map(|edge| edge.op.destination());
    let initial = program.vars.iter().filter_map(|var| match &var.storage {
        Storage::Static { init: Some(init), .. } => Some(initialized(program, init)),
        _ => None,
    });
    loads.chain(stores).chain(initial.flatten()).collect()
}

fn initialized(program: &Program, init: &Initializer) -> impl Iterator<Item = PlaceId> {
    init.items.iter().filter_map(|item| match item {
        InitItem::Value { place, value } if cleared(program, *place, *value).is_some() => None,
        InitItem::Value { place, .. } | InitItem::Bytes { place, .. } => Some(*place),
    })
}

/// The bytes of a variable that are cleared if zero is assigned to a record or array in it: the
/// first and how many. Their elements become zero one by one, whatever is one.
pub fn cleared(program: &Program, dst: PlaceId, src: ExprId) -> Option<(VarId, u64, u64)> {
    let ty = program.place_ty(dst);
    if program.exprs.expr(src).kind != ExprKind::Zero || program.types.is_scalar(ty) {
        return None;
    }
    let targets = targets(program, &BTreeMap::new(), dst)?;
    let [(AliasObject::Variable(var), Offset { at, every: 0 })] = targets[..] else { return None };
    Some((VarId(var), at, program.types.size(ty)))
}

/// How many bytes an access to a place touches.
fn access_size(program: &Program, place: PlaceId) -> u64 {
    if let PlaceKind::Field(base, number) = program.exprs.place(place).kind {
        let record = program.types.as_record(program.place_ty(base));
        let field = record.and_then(|(_, record)| record.fields.get(number as usize));
        if let Some(bits) = field.and_then(|field| field.bits) {
            return (u64::from(bits.shift) + u64::from(bits.width)).div_ceil(8);
        }
    }
    program.types.size(program.place_ty(place))
}

/// Records and arrays that no pointer reaches: they are accessed by name only.
fn own_parts(program: &Program) -> BTreeMap<VarId, Part> {
    let mut spots: BTreeMap<VarId, Vec<Spot>> = BTreeMap::new();
    let own = |var: VarId| {
        let info = &program.vars[var];
        !info.address_taken && !program.types.is_scalar(info.ty)
    };
    for place in accessed(program) {
        let Some(var) = program.exprs.root_var(place).filter(|var| own(*var)) else { continue };
        let size = access_size(program, place);
        let all = targets(program, &BTreeMap::new(), place);
        let Some(&[(object, offset)]) = all.as_deref() else {
            // Then nothing is known of its elements.
            spots.entry(var).or_default().push(Spot {
                object: AliasObject::Variable(var.0),
                offset: Offset { at: 0, every: 1 },
                size: 1,
            });
            continue;
        };
        if size > 0 && fits(program, object, offset, size) {
            spots.entry(var).or_default().push(Spot { object, offset, size });
        }
    }
    // Arguments are stored there as a whole.
    for (var, info) in program.vars.iter_ids().filter(|(var, _)| own(*var)) {
        if matches!(info.storage, Storage::Param(_)) {
            let (object, size) = (AliasObject::Variable(var.0), program.types.size(info.ty));
            let whole = Spot { object, offset: Offset::at(0), size };
            spots.entry(var).or_default().push(whole);
        }
    }
    let part = |spots: Vec<Spot>| Part { width: element_width(&spots), spots };
    spots.into_iter().map(|(var, spots)| (var, part(spots))).collect()
}

type Targets = Vec<(AliasObject, Offset)>;

/// Where a place may be; `None` means that nothing is known.
fn targets(
    program: &Program,
    facts: &BTreeMap<PlaceId, Vec<AliasTarget>>,
    place: PlaceId,
) -> Option<Targets> {
    let moved = |base: PlaceId, by: &dyn Fn(Offset) -> Option<Offset>| {
        let targets = targets(program, facts, base)?;
        targets.into_iter().map(|(object, offset)| Some((object, by(offset)?))).collect()
    };
    match program.exprs.place(place).kind {
        PlaceKind::Var(var) => Some(vec![(AliasObject::Variable(var.0), Offset::at(0))]),
        PlaceKind::Deref(_) => {
            let targets = facts.get(&place)?;
            Some(targets.iter().map(|target| (target.object, target.offset)).collect())
        }
        PlaceKind::Field(base, number) => {
            let (_, record) = program.types.as_record(program.place_ty(base))?;
            let distance = record.fields.get(number as usize)?.offset;
            moved(base, &|offset| offset.moved(distance))
        }
        PlaceKind::Index(base, index) => {
            let size = program.types.size(program.place_ty(place));
            let constant = program.as_int(index).and_then(|index| u64::try_from(index).ok());
            match constant.and_then(|index| index.checked_mul(size)) {
                Some(distance) => moved(base, &|offset| offset.moved(distance)),
                None => moved(base, &|offset| Some(offset.repeated(size))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(at: u64, every: u64, size: u64) -> Spot {
        Spot { object: AliasObject::Allocated(0), offset: Offset { at, every }, size }
    }

    #[test]
    fn spots_overlap_as_their_bytes_do() {
        assert!(overlap(spot(0, 0, 4), spot(3, 0, 1)));
        assert!(!overlap(spot(0, 0, 4), spot(4, 0, 4)));
        assert!(!overlap(spot(0, 8, 4), spot(4, 8, 4)));
        assert!(overlap(spot(0, 12, 4), spot(4, 8, 4)), "at 4 times any number");
        assert!(overlap(spot(0, 8, 4), spot(19, 0, 4)), "with what begins at 16");
        let elsewhere = Spot { object: AliasObject::Allocated(1), ..spot(0, 0, 4) };
        assert!(!overlap(spot(0, 0, 4), elsewhere));
    }

    #[test]
    fn elements_are_accessed_in_whole() {
        assert_eq!(element_width(&[spot(0, 4, 4), spot(8, 0, 4)]), 4);
        assert_eq!(element_width(&[spot(0, 4, 4), spot(9, 0, 4)]), 1, "cut");
        assert_eq!(element_width(&[spot(0, 2, 4)]), 1, "each cuts the next");
        assert_eq!(element_width(&[spot(0, 4, 4), spot(0, 4, 2)]), 1, "of two sizes");
        assert_eq!(element_width(&[spot(0, 8, 8), spot(8, 0, 8)]), 8);
    }
}
