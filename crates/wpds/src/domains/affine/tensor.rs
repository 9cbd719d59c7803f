//! Tensor products of affine relations: modules of Kronecker products (LAL 6.5.2, Theorem 6.5.3 and
//! what follows it).
//!
//! All operations are linear in the matrices, so they work on generators. A row or column of a tensor
//! is a number whose digits, the first factor in front, are rows or columns of the factors.

use crate::domains::affine::AffineRelations;
use crate::domains::affine::matrices::{AffineWeight, MatrixModules};
use crate::domains::affine::module::Module;
use crate::domains::affine::scalars::Scalars;
use crate::semiring::{Semiring, Weighing, WeightError};
use crate::transducer::{TensorOf, TensorProduct};

/// Larger matrices would not be solved in this form.
const MOST_ROWS: usize = 512;

/// The modules of tensors of matrices of one arity.
#[derive(Clone, Debug, PartialEq)]
pub struct AffinePower<R> {
    tensors: MatrixModules<R>,
    arity: usize,
}

impl<R: Scalars> Semiring for AffinePower<R> {
    type Weight = AffineWeight<R>;

    fn zero(&self) -> Self::Weight {
        self.tensors.zero()
    }

    fn one(&self) -> Self::Weight {
        self.tensors.one()
    }

    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        self.tensors.combine(a, b)
    }

    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        self.tensors.extend(a, b)
    }

    fn is_zero(&self, a: &Self::Weight) -> bool {
        a.is_trivial()
    }

    fn admit(&self, w: &Self::Weight) -> Weighing<()> {
        self.tensors.admit(w)
    }
}

/// The Kronecker product of two square matrices.
fn kronecker<R: Scalars>(
    ring: &R,
    (a, n): (&[R::Number], usize),
    (b, m): (&[R::Number], usize),
) -> Vec<R::Number> {
    let size = n * m;
    let mut product = vec![ring.zero(); size * size];
    for (i, entry) in a.iter().enumerate().filter(|(_, entry)| !ring.is_zero(entry)) {
        for (j, other) in b.iter().enumerate().filter(|(_, other)| !ring.is_zero(other)) {
            let (row, column) = ((i / n) * m + j / m, (i % n) * m + j % m);
            product[row * size + column] = ring.multiply(entry, other);
        }
    }
    product
}

impl<R: Scalars> AffineRelations<R> {
    /// The factors in sequence; those at odd positions read backwards if `turn` says so.
    fn in_sequence(
        &self,
        power: &AffinePower<R>,
        tensor: &AffineWeight<R>,
        turn: bool,
    ) -> AffineWeight<R> {
        let (ring, base, size) = (self.numbers(), self.matrices.size, power.tensors.size);
        let image = |matrix: &[R::Number]| {
            let mut product = vec![ring.zero(); base * base];
            for (i, entry) in matrix.iter().enumerate().filter(|(_, entry)| !ring.is_zero(entry)) {
                let (mut row, mut column) = (i / size, i % size);
                // The last factor first: where it begins, the one before has to end.
                let (mut last, mut begin) = (0, None);
                let linked = (0..power.arity).rev().all(|position| {
                    let (mut from, mut to) = (row % base, column % base);
                    if turn && position % 2 == 1 {
                        std::mem::swap(&mut from, &mut to);
                    }
                    (row, column) = (row / base, column / base);
                    match begin.replace(from) {
                        None => last = to,
                        Some(next) if next != to => return false,
                        Some(_) => {}
                    }
                    true
                });
                if let (true, Some(first)) = (linked, begin) {
                    let sum = &mut product[first * base + last];
                    *sum = ring.add(sum, entry);
                }
            }
            product
        };
        self.matrices.map(tensor, image)
    }
}

impl<R: Scalars> TensorProduct for AffineRelations<R> {
    type Power = AffinePower<R>;

    fn power(&self, arity: usize) -> Weighing<AffinePower<R>> {
        let arity = arity.max(1);
        let base = self.matrices.size;
        let size = u32::try_from(arity).ok().and_then(|arity| base.checked_pow(arity));
        match size.filter(|&size| size <= MOST_ROWS) {
            Some(size) => {
                let tensors = MatrixModules { ring: self.numbers().clone(), size };
                Ok(AffinePower { tensors, arity })
            }
            None => {
                let what = format!("tensors of {arity} matrices with {base} rows");
                Err(WeightError::TooLarge(what))
            }
        }
    }

    fn tensor(
        &self,
        _power: &AffinePower<R>,
        factors: &[AffineWeight<R>],
    ) -> Weighing<TensorOf<Self>> {
        let (ring, base) = (self.numbers(), self.matrices.size);
        let mut matrices = vec![vec![ring.one()]];
        let mut size = 1;
        for factor in factors {
            let longer = |known: &Vec<R::Number>| {
                let product = |other: &[R::Number]| kronecker(ring, (known, size), (other, base));
                factor.generators().map(product).collect::<Vec<_>>()
            };
            matrices = matrices.iter().flat_map(longer).collect();
            size *= base;
        }
        Ok(Module::generated(ring, matrices))
    }

    fn detensor(
        &self,
        power: &AffinePower<R>,
        tensor: &TensorOf<Self>,
    ) -> Weighing<AffineWeight<R>> {
        Ok(self.in_sequence(power, tensor, false))
    }

    fn transposed(&self, weight: &AffineWeight<R>) -> Weighing<AffineWeight<R>> {
        let size = self.matrices.size;
        let turned = |matrix: &[R::Number]| {
            (0..size * size).map(|i| matrix[(i % size) * size + i / size].clone()).collect()
        };
        Ok(self.matrices.map(weight, turned))
    }

    fn transposed_detensor(
        &self,
        power: &AffinePower<R>,
        tensor: &TensorOf<Self>,
    ) -> Weighing<AffineWeight<R>> {
        Ok(self.in_sequence(power, tensor, true))
    }

    fn arity(&self, power: &AffinePower<R>) -> usize {
        power.arity
    }
}
