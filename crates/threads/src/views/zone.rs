//! What is known of some integers: bounds of each, and of the differences of two (a *zone*; Miné, *A New Numerical
//! Abstract Domain Based on Difference-Bound Matrices*, 2001).
//!
//! A zone is kept closed: what follows from its bounds is written in them. Numbers that it does not name have any
//! value of their type. Bounds that are too large to compute with are weakened, never tightened.

use crate::views::cells::{Cells, Dim};

/// No bound.
pub(crate) const NONE: i64 = i64::MAX / 4;
/// Bounds beyond this are not kept.
const MOST: i64 = 1 << 60;

/// What becomes of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coarse {
    /// It is kept.
    Kept,
    /// It becomes the next one that counts.
    Next,
    /// It is left out.
    Out,
}

/// Bounds on differences of numbers, and of numbers and zero.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    /// In order; the number zero is in front of them.
    dims: Vec<Dim>,
    /// In row `a` and column `b` a bound on `a - b`.
    bounds: Vec<i64>,
}

/// A bound that can be kept and is not below the one given.
fn kept(bound: i64) -> i64 {
    match bound {
        _ if bound > MOST => NONE,
        _ if bound < -MOST => -MOST,
        _ => bound,
    }
}

/// The sum of two bounds.
pub(crate) fn sum(a: i64, b: i64) -> i64 {
    if a >= NONE || b >= NONE { NONE } else { kept(a + b) }
}

impl Zone {
    /// Nothing is known.
    pub(crate) fn any() -> Self {
        Self { dims: Vec::new(), bounds: vec![0] }
    }

    /// The numbers of which something is known.
    pub(crate) fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// How many bounds there are.
    pub(crate) fn size(&self) -> usize {
        self.bounds.len()
    }

    fn width(&self) -> usize {
        self.dims.len() + 1
    }

    fn at(&self, a: usize, b: usize) -> i64 {
        self.bounds[a * self.width() + b]
    }

    fn find(&self, dim: Dim) -> Option<usize> {
        self.dims.binary_search(&dim).ok().map(|place| place + 1)
    }

    /// The place of a number, which is named from here on.
    fn name(&mut self, dim: Dim, cells: &Cells) -> usize {
        if let Some(place) = self.find(dim) {
            return place;
        }
        let (least, most) = cells.range(dim);
        let before = self.width();
        let new = self.dims.partition_point(|&other| other < dim) + 1;
        self.dims.insert(new - 1, dim);
        let width = self.width();
        let mut bounds = vec![NONE; width * width];
        let old = |place: usize| if place < new { place } else { place - 1 };
        for a in (0..width).filter(|&a| a != new) {
            for b in (0..width).filter(|&b| b != new) {
                bounds[a * width + b] = self.bounds[old(a) * before + old(b)];
            }
        }
        for other in (0..width).filter(|&other| other != new) {
            bounds[new * width + other] = sum(most, bounds[other]);
            bounds[other * width + new] = sum(bounds[other * width], -least);
        }
        bounds[new * width + new] = 0;
        self.bounds = bounds;
        new
    }

    /// Nothing is known of a number any more.
    pub(crate) fn forget(&mut self, dim: Dim) {
        if self.find(dim).is_some() {
            self.keep(|other| (other != dim).then_some(other));
        }
    }

    /// Leaves out numbers and gives others their names, each a name of its own.
    pub(crate) fn keep(&mut self, named: impl Fn(Dim) -> Option<Dim>) {
        let mut places: Vec<(Dim, usize)> = self
            .dims
            .iter()
            .enumerate()
            .filter_map(|(place, &dim)| named(dim).map(|dim| (dim, place + 1)))
            .collect();
        places.sort_unstable();
        let all: Vec<usize> =
            std::iter::once(0).chain(places.iter().map(|&(_, place)| place)).collect();
        let bounds = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
        self.bounds = bounds.map(|(a, b)| self.at(a, b)).collect();
        self.dims = places.into_iter().map(|(dim, _)| dim).collect();
    }

    /// The least and the greatest value of a number.
    pub(crate) fn range(&self, dim: Dim, cells: &Cells) -> (i64, i64) {
        match self.find(dim) {
            Some(place) => (-self.at(0, place), self.at(place, 0)),
            None => cells.range(dim),
        }
    }

    /// A bound on the difference of two numbers, where one that is not there is zero.
    fn bound(&self, a: Option<Dim>, b: Option<Dim>, cells: &Cells) -> i64 {
        let place = |dim: Option<Dim>| dim.map_or(Some(0), |dim| self.find(dim));
        if let (Some(a), Some(b)) = (place(a), place(b)) {
            return self.at(a, b);
        }
        let most = a.map_or(0, |dim| self.range(dim, cells).1);
        let least = b.map_or(0, |dim| self.range(dim, cells).0);
        if a == b { 0 } else { sum(most, -least) }
    }

    /// A bound on the difference of two numbers.
    pub(crate) fn difference(&self, a: Dim, b: Dim, cells: &Cells) -> i64 {
        self.bound(Some(a), Some(b), cells)
    }

    /// Assumes `a - b <= bound`, where one that is not there is zero; whether that is possible.
    pub(crate) fn assume(
        &mut self,
        a: Option<Dim>,
        b: Option<Dim>,
        bound: i64,
        cells: &Cells,
    ) -> bool {
        let bound = kept(bound);
        if a == b {
            return bound >= 0;
        }
        if bound >= NONE || self.bound(a, b, cells) <= bound {
            return true;
        }
        if sum(self.bound(b, a, cells), bound) < 0 {
            return false;
        }
        if let Some(dim) = a {
            self.name(dim, cells);
        }
        if let Some(dim) = b {
            self.name(dim, cells);
        }
        let place = |dim: Option<Dim>| dim.and_then(|dim| self.find(dim)).unwrap_or(0);
        let (a, b, width) = (place(a), place(b), self.width());
        let to_b: Vec<i64> = (0..width).map(|other| self.at(b, other)).collect();
        for from in 0..width {
            let first = sum(self.at(from, a), bound);
            if first >= NONE {
                continue;
            }
            for (to, &last) in to_b.iter().enumerate() {
                let found = sum(first, last);
                let known = &mut self.bounds[from * width + to];
                *known = found.min(*known);
            }
        }
        true
    }

    /// A number gets the value of itself plus a constant.
    pub(crate) fn shift(&mut self, dim: Dim, by: i64, cells: &Cells) {
        let place = self.name(dim, cells);
        let width = self.width();
        for other in (0..width).filter(|&other| other != place) {
            let more = sum(self.at(place, other), by);
            let less = sum(self.at(other, place), -by);
            self.bounds[place * width + other] = more;
            self.bounds[other * width + place] = less;
        }
    }

    /// Whether all that is possible in another zone is possible here.
    pub(crate) fn includes(&self, other: &Self, cells: &Cells) -> bool {
        let there = other.seen_from(&self.dims, cells);
        self.pairs(|a, b, bound| there.bound(a, b) <= bound)
    }

    /// The zone's bounds on some numbers, zero before them.
    fn seen_from<'z>(&'z self, dims: &[Dim], cells: &Cells) -> Seen<'z> {
        let zero = (Some(0), 0, 0);
        let each = dims.iter().map(|&dim| {
            let (least, most) = self.range(dim, cells);
            (self.find(dim), least, most)
        });
        Seen { zone: self, numbers: std::iter::once(zero).chain(each).collect() }
    }

    /// Whether something holds of all bounds.
    fn pairs(&self, mut of: impl FnMut(usize, usize, i64) -> bool) -> bool {
        let width = self.width();
        (0..width).all(|a| (0..width).all(|b| a == b || of(a, b, self.at(a, b))))
    }

    fn union(&self, other: &Self) -> Vec<Dim> {
        let mut dims: Vec<Dim> = self.dims.iter().chain(&other.dims).copied().collect();
        dims.sort_unstable();
        dims.dedup();
        dims
    }

    fn made(dims: Vec<Dim>, of: impl Fn(usize, usize) -> i64) -> Self {
        let width = dims.len() + 1;
        let bounds = (0..width).flat_map(|a| (0..width).map(move |b| (a, b)));
        let bounds = bounds.map(|(a, b)| if a == b { 0 } else { of(a, b) }).collect();
        Self { dims, bounds }
    }

    /// What holds in both zones.
    pub(crate) fn join(&self, other: &Self, cells: &Cells) -> Self {
        let dims = self.union(other);
        let (one, two) = (self.seen_from(&dims, cells), other.seen_from(&dims, cells));
        Self::made(dims, |a, b| one.bound(a, b).max(two.bound(a, b)))
    }

    /// What is possible in both, if anything is.
    pub(crate) fn meet(&self, other: &Self, cells: &Cells) -> Option<Self> {
        let dims = self.union(other);
        let (one, two) = (self.seen_from(&dims, cells), other.seen_from(&dims, cells));
        let mut met = Self::made(dims, |a, b| one.bound(a, b).min(two.bound(a, b)));
        met.close().then_some(met)
    }

    /// Where another zone, which includes this one, has larger bounds, the next ones that count: there are few.
    pub(crate) fn widen(&self, larger: &Self, cells: &Cells) -> Self {
        let before = self.seen_from(&larger.dims, cells);
        let dim = |place: usize| place.checked_sub(1).map(|place| larger.dims[place]);
        let mut wide = Self::made(larger.dims.clone(), |a, b| {
            let now = larger.at(a, b);
            match now <= before.bound(a, b) {
                true => now,
                false => cells.next_bound(dim(a), dim(b), now),
            }
        });
        let _ = wide.close();
        wide
    }

    /// Some bounds become the next ones that count, or are left out: what is done with each is told.
    pub(crate) fn coarsen(
        &mut self,
        of: impl Fn(Option<Dim>, Option<Dim>) -> Coarse,
        cells: &Cells,
    ) {
        let dim = |place: usize| place.checked_sub(1).map(|place| self.dims[place]);
        let mut wide = Self::made(self.dims.clone(), |a, b| {
            let (bound, of) = (self.at(a, b), of(dim(a), dim(b)));
            match of {
                Coarse::Kept => bound,
                Coarse::Next if bound < NONE => cells.next_bound(dim(a), dim(b), bound),
                Coarse::Next | Coarse::Out => NONE,
            }
        });
        if wide.bounds != self.bounds {
            let _ = wide.close();
            *self = wide;
        }
    }

    /// Writes down what follows; whether anything is possible.
    fn close(&mut self) -> bool {
        let width = self.width();
        for over in 0..width {
            for a in 0..width {
                let first = self.bounds[a * width + over];
                if first >= NONE {
                    continue;
                }
                for b in 0..width {
                    let found = sum(first, self.bounds[over * width + b]);
                    let known = &mut self.bounds[a * width + b];
                    *known = found.min(*known);
                }
            }
        }
        (0..width).all(|place| self.bounds[place * width + place] >= 0)
    }

    /// How much would be lost in a join: bounds that differ, above all where that tells the zones apart.
    pub(crate) fn distance(&self, other: &Self, cells: &Cells) -> u64 {
        let mut differ = 0;
        let seen = other.seen_from(&self.dims, cells);
        self.pairs(|a, b, bound| {
            let there = seen.bound(a, b);
            if there != bound {
                let apart = sum(bound, seen.bound(b, a)) < 0;
                differ += if apart { 16 } else { 1 };
            }
            true
        });
        differ
    }

    /// Whether two zones say of some number that satisfies a condition what cannot be together.
    pub(crate) fn excludes(&self, other: &Self, of: impl Fn(Dim) -> bool, cells: &Cells) -> bool {
        self.dims.iter().filter(|&&dim| of(dim)).any(|&dim| {
            let ((least, most), (low, high)) = (self.range(dim, cells), other.range(dim, cells));
            least > high || low > most
        })
    }
}

/// Bounds of a zone on numbers in the order of another one.
struct Seen<'z> {
    zone: &'z Zone,
    /// By number: where it is, and the least and the greatest value.
    numbers: Vec<(Option<usize>, i64, i64)>,
}

impl Seen<'_> {
    fn bound(&self, a: usize, b: usize) -> i64 {
        let ((one, _, most), (two, least, _)) = (self.numbers[a], self.numbers[b]);
        match (one, two) {
            (Some(one), Some(two)) => self.zone.at(one, two),
            _ if a == b => 0,
            _ => sum(most, -least),
        }
    }
}
