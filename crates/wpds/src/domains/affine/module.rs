//! Modules of vectors in canonical form: the reduced Howell form, which over a field is the reduced
//! row echelon form.
//!
//! Modulo 2ⁿ a triangular set of generators is not enough (Müller-Olm and Seidl, *Analysis of modular
//! arithmetic*): a multiple of a row may lose its leading entry and still be there. Every such multiple
//! is inserted as well, so that the vectors that begin with `c` zeros are exactly those that the rows
//! from column `c` on generate. With leading entries `πᵏ` and everything above them reduced modulo
//! `πᵏ`, equal modules have equal rows.

use crate::domains::affine::scalars::Scalars;

/// A module of vectors of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Module<N> {
    /// The generators, by leading column.
    rows: Vec<Row<N>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row<N> {
    column: usize,
    /// The leading entry is `πᵏ`.
    power: u32,
    entries: Vec<N>,
}

impl<N: Clone + PartialEq> Module<N> {
    /// The module that has only the zero vector.
    pub fn trivial() -> Self {
        Self { rows: Vec::new() }
    }

    /// The module that some vectors generate.
    pub fn generated<R: Scalars<Number = N>>(
        ring: &R,
        vectors: impl IntoIterator<Item = Vec<N>>,
    ) -> Self {
        let mut module = Self::trivial();
        for vector in vectors {
            module.insert(ring, vector);
        }
        module.reduce(ring);
        module
    }

    /// The sum of two modules.
    pub fn sum<R: Scalars<Number = N>>(&self, ring: &R, other: &Self) -> Self {
        let (large, small) =
            if self.rows.len() < other.rows.len() { (other, self) } else { (self, other) };
        let mut sum = large.clone();
        let mut grown = false;
        for vector in small.generators() {
            grown |= sum.insert(ring, vector.to_vec());
        }
        if grown {
            sum.reduce(ring);
        }
        sum
    }

    /// The canonical generators.
    pub fn generators(&self) -> impl ExactSizeIterator<Item = &[N]> {
        self.rows.iter().map(|row| row.entries.as_slice())
    }

    /// Whether only the zero vector is in it.
    pub fn is_trivial(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a vector is in the module.
    pub fn contains<R: Scalars<Number = N>>(&self, ring: &R, vector: &[N]) -> bool {
        let mut rest = vector.to_vec();
        for row in &self.rows {
            if let Some(entry) = rest.get(row.column).filter(|entry| !ring.is_zero(entry)) {
                let q = ring.quotient(entry, row.power);
                subtract(ring, &mut rest, &q, &row.entries);
            }
        }
        rest.iter().all(|entry| ring.is_zero(entry))
    }

    /// The generators that begin with at least `columns` zeros, without those: they generate all such
    /// vectors.
    pub fn behind(&self, columns: usize) -> impl Iterator<Item = &[N]> {
        let late = self.rows.iter().filter(move |row| row.column >= columns);
        late.map(move |row| &row.entries[columns..])
    }

    /// Adds a vector and what follows from it; whether the module has grown. The rows are triangular
    /// afterwards, but not reduced.
    fn insert<R: Scalars<Number = N>>(&mut self, ring: &R, vector: Vec<N>) -> bool {
        let mut grown = false;
        let mut waiting = vec![vector];
        while let Some(mut vector) = waiting.pop() {
            let mut column = 0;
            while let Some(skip) = vector[column..].iter().position(|entry| !ring.is_zero(entry)) {
                column += skip;
                let (inverse, power) = ring.normaliser(&vector[column]);
                let place = self.rows.partition_point(|row| row.column < column);
                match self.rows.get_mut(place).filter(|row| row.column == column) {
                    Some(row) if row.power <= power => {
                        let q = ring.quotient(&vector[column], row.power);
                        subtract(ring, &mut vector, &q, &row.entries);
                        continue;
                    }
                    known => {
                        grown = true;
                        scale(ring, &mut vector, &inverse);
                        if let Some(annihilator) = ring.annihilator(power) {
                            let mut multiple = vector.clone();
                            scale(ring, &mut multiple, &annihilator);
                            waiting.push(multiple);
                        }
                        match known {
                            // The old row has the larger power: it is reduced by the new one.
                            Some(row) => {
                                row.power = power;
                                std::mem::swap(&mut row.entries, &mut vector);
                            }
                            None => {
                                let row = Row { column, power, entries: vector };
                                self.rows.insert(place, row);
                                break;
                            }
                        }
                    }
                }
            }
        }
        grown
    }

    /// Reduces what is above every leading entry.
    fn reduce<R: Scalars<Number = N>>(&mut self, ring: &R) {
        for i in (0..self.rows.len()).rev() {
            let (upper, lower) = self.rows.split_at_mut(i + 1);
            for below in lower {
                let entry = &upper[i].entries[below.column];
                let q = ring.quotient(entry, below.power);
                if !ring.is_zero(&q) {
                    subtract(ring, &mut upper[i].entries, &q, &below.entries);
                }
            }
        }
    }
}

fn scale<R: Scalars>(ring: &R, vector: &mut [R::Number], factor: &R::Number) {
    for entry in vector {
        if !ring.is_zero(entry) {
            *entry = ring.multiply(entry, factor);
        }
    }
}

/// Takes `q` times a row off a vector.
fn subtract<R: Scalars>(ring: &R, vector: &mut [R::Number], q: &R::Number, row: &[R::Number]) {
    for (entry, other) in vector.iter_mut().zip(row) {
        if !ring.is_zero(other) {
            *entry = ring.subtract(entry, &ring.multiply(q, other));
        }
    }
}

/// The generators of all `a` with `Σ aᵢ·rowᵢ = 0` for every one of `equations`.
pub fn kernel<R: Scalars>(
    ring: &R,
    equations: &Module<R::Number>,
    unknowns: usize,
) -> Module<R::Number> {
    // The vectors (equations applied to a, a): those that begin with zeros are the solutions.
    let count = equations.generators().len();
    let with_unit = (0..unknowns).map(|i| {
        let mut vector: Vec<R::Number> =
            equations.generators().map(|equation| equation[i].clone()).collect();
        vector.extend((0..unknowns).map(|j| if i == j { ring.one() } else { ring.zero() }));
        vector
    });
    let graph = Module::generated(ring, with_unit);
    Module::generated(ring, graph.behind(count).map(<[R::Number]>::to_vec))
}
