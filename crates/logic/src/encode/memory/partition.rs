//! Memory cut into parts that never overlap.
//!
//! Every access of the program touches *spots*: an object, offsets in it, and a number of bytes.
//! Spots of one object that may overlap belong together, and so do spots that one access may touch
//! and that are too many, or have no fixed addresses, to tell them apart by comparing addresses.
//! What belongs together is a *class* (union-find); no byte is in two classes. Each class is held
//! by one variable of the logic in one of three forms ([`Form`]): a scalar, an array of scalars
//! that are always accessed whole, or an array of bytes.
//!
//! This refines one array per points-to class by fields (Burstall's memory model), decided by the
//! accesses and not by types, so that casts and unions need no rule of their own.

use crate::encode::aliases::{Object, Offset, Target, gcd};
use gnomon_ir::ops::Scalar;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Fixed objects that one access tells apart by comparing addresses; more become one class.
pub(super) const SPLIT_LIMIT: usize = 8;

/// Classes with more spots in one object than this are bytes.
const SHAPE_LIMIT: usize = 256;

/// What an access may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) object: Object,
    pub(super) offset: Offset,
    pub(super) size: u64,
}

/// How the contents of a class are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One scalar at one address.
    Cell,
    /// Scalars of one size by address.
    Elements,
    /// Bytes by address.
    Bytes,
}

/// A class of spots.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Sorted.
    pub(super) spots: Vec<Spot>,
    pub(super) form: Form,
    /// What the variable holds at each address.
    pub(super) scalar: Scalar,
}

/// Number of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClassId(pub(super) u32);

/// The classes.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    classes: Vec<Class>,
    by_spot: FxHashMap<Spot, ClassId>,
    by_object: BTreeMap<Object, Vec<ClassId>>,
}

impl Partition {
    pub(super) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len() as u32).map(ClassId)
    }

    /// The class of a spot that some access touches.
    pub(super) fn of_spot(&self, spot: &Spot) -> Option<ClassId> {
        self.by_spot.get(spot).copied()
    }

    /// The classes with a part of an object.
    pub(super) fn of_object(&self, object: Object) -> &[ClassId] {
        self.by_object.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The objects that were allocated by an edge, whatever the context.
    pub(super) fn objects(&self) -> impl Iterator<Item = Object> {
        self.by_object.keys().copied()
    }
}

/// Collects accesses, then makes a [`Partition`].
#[derive(Debug, Default)]
pub(super) struct Partitioning {
    spots: Vec<Spot>,
    scalars: Vec<Option<Scalar>>,
    numbers: FxHashMap<Spot, usize>,
    by_object: BTreeMap<Object, Vec<usize>>,
    parent: Vec<usize>,
}

/// The unsigned integer of so many bytes.
pub(super) fn raw(size: u64) -> Scalar {
    Scalar::Int { bits: (8 * size).min(1 << 15) as u16, signed: false }
}

impl Partitioning {
    /// A spot that is accessed as a scalar.
    fn spot(&mut self, spot: Spot, scalar: Scalar) -> usize {
        if let Some(&number) = self.numbers.get(&spot) {
            if self.scalars[number] != Some(scalar) {
                self.scalars[number] = None;
            }
            return number;
        }
        let number = self.spots.len();
        self.spots.push(spot);
        self.scalars.push(Some(scalar));
        self.numbers.insert(spot, number);
        self.by_object.entry(spot.object).or_default().push(number);
        self.parent.push(number);
        number
    }

    /// An access of a scalar of that many bytes: `fixed` says of an object whether it has a fixed
    /// address.
    pub(super) fn access(
        &mut self,
        targets: &[Target],
        size: u64,
        scalar: Scalar,
        fixed: impl Fn(Object) -> bool,
    ) {
        let (mut apart, mut together) = (Vec::new(), Vec::new());
        for target in targets {
            let spot = Spot { object: target.object, offset: target.offset, size };
            let number = self.spot(spot, scalar);
            if fixed(target.object) { apart.push(number) } else { together.push(number) }
        }
        self.unite_all(&together);
        if apart.len() > SPLIT_LIMIT {
            self.unite_all(&apart);
        }
    }

    /// Whether some access may touch bytes of an object.
    pub(super) fn is_touched(&self, object: Object, offset: Offset, size: u64) -> bool {
        let spots = self.by_object.get(&object).into_iter().flatten();
        spots
            .map(|&number| self.spots[number])
            .any(|spot| overlap((spot.offset, spot.size), (offset, size)))
    }

    /// How many spots there are.
    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }

    fn unite_all(&mut self, numbers: &[usize]) {
        for pair in numbers.windows(2) {
            self.unite(pair[0], pair[1]);
        }
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parent[number] != number {
            self.parent[number] = self.parent[self.parent[number]];
            number = self.parent[number];
        }
        number
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The first one stays, so that numbers depend on nothing but the order of accesses.
        self.parent[a.max(b)] = a.min(b);
    }

    /// Puts together what overlaps, and decides how each class is held.
    pub(super) fn finish(mut self, fixed: impl Fn(Object) -> bool) -> Partition {
        let objects: Vec<Vec<usize>> = self.by_object.values().cloned().collect();
        for numbers in objects {
            self.unite_overlapping(&numbers);
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.spots.len() {
            let root = self.root(number);
            members.entry(root).or_default().push(number);
        }
        let mut partition = Partition::default();
        for numbers in members.into_values() {
            let id = ClassId(partition.classes.len() as u32);
            let mut spots: Vec<Spot> = numbers.iter().map(|&n| self.spots[n]).collect();
            spots.sort_unstable();
            for &spot in &spots {
                partition.by_spot.insert(spot, id);
                let classes = partition.by_object.entry(spot.object).or_default();
                if classes.last() != Some(&id) {
                    classes.push(id);
                }
            }
            let form = form(&spots, &fixed);
            let scalar = match form {
                Form::Bytes => raw(1),
                Form::Cell | Form::Elements => {
                    let first = self.scalars[numbers[0]];
                    let agreed = numbers.iter().all(|&n| self.scalars[n] == first);
                    first.filter(|_| agreed).unwrap_or_else(|| raw(spots[0].size))
                }
            };
            partition.classes.push(Class { spots, form, scalar });
        }
        partition
    }

    fn unite_overlapping(&mut self, numbers: &[usize]) {
        let (mut exact, mut repeated) = (Vec::new(), Vec::new());
        for &number in numbers {
            let spot = self.spots[number];
            match spot.offset {
                Offset::Exact(at) => exact.push((at, spot.size, number)),
                Offset::Modulo { .. } => repeated.push(number),
            }
        }
        exact.sort_unstable();
        // The end of what reaches furthest so far, and who that is.
        let mut furthest: Option<(u64, usize)> = None;
        for (at, size, number) in exact {
            let end = at.saturating_add(size);
            match furthest {
                Some((reach, other)) if at < reach => {
                    self.unite(other, number);
                    furthest = Some((reach.max(end), number));
                }
                _ => furthest = Some((end, number)),
            }
        }
        for &number in &repeated {
            let spot = self.spots[number];
            for &other in numbers {
                let candidate = self.spots[other];
                if overlap((spot.offset, spot.size), (candidate.offset, candidate.size)) {
                    self.unite(number, other);
                }
            }
        }
    }
}

/// Remainder and modulus; 0 as modulus for an exact offset.
fn residue(offset: Offset) -> (u64, u64) {
    match offset {
        Offset::Exact(at) => (at, 0),
        Offset::Modulo { remainder, modulus } => (remainder, modulus),
    }
}

/// The least distances from offsets of `a` up to offsets of `b` and back, modulo what both repeat
/// with; `None` if both are exact.
fn distances(a: Offset, b: Offset) -> Option<(u64, u64, u64)> {
    let ((at, m), (bt, n)) = (residue(a), residue(b));
    let modulus = gcd(m, n);
    (modulus != 0).then(|| {
        let up = (bt % modulus + modulus - at % modulus) % modulus;
        (up, (modulus - up) % modulus, modulus)
    })
}

/// Whether bytes from these offsets on may be the same.
pub(super) fn overlap(a: (Offset, u64), b: (Offset, u64)) -> bool {
    match distances(a.0, b.0) {
        Some((up, down, _)) => up < a.1 || down < b.1,
        None => {
            let (at, bt) = (residue(a.0).0, residue(b.0).0);
            at < bt.saturating_add(b.1) && bt < at.saturating_add(a.1)
        }
    }
}

/// Whether spots of one size never overlap but in whole.
fn apart_or_same(a: Offset, b: Offset, size: u64) -> bool {
    match distances(a, b) {
        Some((0, _, modulus)) => modulus >= size,
        Some((up, down, _)) => up >= size && down >= size,
        None => a == b || !overlap((a, size), (b, size)),
    }
}

/// How a class with these spots, sorted, is held.
fn form(spots: &[Spot], fixed: &impl Fn(Object) -> bool) -> Form {
    let first = spots[0];
    if let [only] = spots
        && matches!(only.offset, Offset::Exact(_))
        && fixed(only.object)
    {
        return Form::Cell;
    }
    if spots.iter().any(|spot| spot.size != first.size) {
        return Form::Bytes;
    }
    for group in spots.chunk_by(|a, b| a.object == b.object) {
        if group.len() > SHAPE_LIMIT {
            return Form::Bytes;
        }
        for (position, a) in group.iter().enumerate() {
            if !group[position..].iter().all(|b| apart_or_same(a.offset, b.offset, a.size)) {
                return Form::Bytes;
            }
        }
    }
    Form::Elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::program::VarId;

    fn modulo(remainder: u64, modulus: u64) -> Offset {
        Offset::Modulo { remainder, modulus }
    }

    #[test]
    fn what_overlaps() {
        let exact = Offset::Exact;
        assert!(overlap((exact(0), 4), (exact(3), 1)));
        assert!(!overlap((exact(0), 4), (exact(4), 4)));
        assert!(!overlap((modulo(0, 8), 4), (modulo(4, 8), 4)));
        assert!(overlap((modulo(0, 8), 5), (modulo(4, 8), 4)));
        assert!(overlap((modulo(0, 12), 4), (modulo(4, 8), 4)), "at 4 times any number");
        assert!(!overlap((modulo(0, 8), 4), (exact(20), 4)));
        assert!(overlap((modulo(0, 8), 4), (exact(19), 4)), "with what begins at 16");
        assert!(overlap((Offset::ANY, 1), (exact(20), 4)));
    }

    fn classes(accesses: &[(&[(u32, Offset)], u64)]) -> Vec<(Form, usize)> {
        let int = Scalar::Int { bits: 32, signed: true };
        let fixed = |object| matches!(object, Object::Variable(VarId(v)) if v < 100);
        let mut partitioning = Partitioning::default();
        for (targets, size) in accesses {
            let target = |&(v, offset)| Target { object: Object::Variable(VarId(v)), offset };
            let targets: Vec<Target> = targets.iter().map(target).collect();
            partitioning.access(&targets, *size, int, fixed);
        }
        let partition = partitioning.finish(fixed);
        partition.classes.iter().map(|c| (c.form, c.spots.len())).collect()
    }

    #[test]
    fn fields_are_cells_until_something_crosses_them() {
        let exact = Offset::Exact;
        let fields: [(&[_], u64); 2] = [(&[(0, exact(0))], 4), (&[(0, exact(4))], 4)];
        assert_eq!(classes(&fields), [(Form::Cell, 1), (Form::Cell, 1)]);
        let crossed: [(&[_], u64); 3] =
            [(&[(0, exact(0))], 4), (&[(0, exact(4))], 4), (&[(0, exact(2))], 4)];
        assert_eq!(classes(&crossed), [(Form::Bytes, 3)]);
        let elements: [(&[_], u64); 2] = [(&[(0, exact(0))], 4), (&[(0, modulo(0, 4))], 4)];
        assert_eq!(classes(&elements), [(Form::Elements, 2)]);
        let tight: [(&[_], u64); 1] = [(&[(0, modulo(0, 2))], 4)];
        assert_eq!(classes(&tight), [(Form::Bytes, 1)]);
    }

    #[test]
    fn pointers_to_few_fixed_objects_keep_them_apart_and_others_do_not() {
        let exact = Offset::Exact;
        let few: [(&[_], u64); 1] = [(&[(0, exact(0)), (1, exact(0))], 4)];
        assert_eq!(classes(&few), [(Form::Cell, 1), (Form::Cell, 1)]);
        let many: Vec<(u32, Offset)> = (0..9).map(|v| (v, exact(0))).collect();
        assert_eq!(classes(&[(&many, 4)]), [(Form::Elements, 9)]);
        let heap: [(&[_], u64); 1] = [(&[(0, exact(0)), (200, exact(8)), (201, exact(8))], 4)];
        assert_eq!(classes(&heap), [(Form::Cell, 1), (Form::Elements, 2)]);
    }
}
