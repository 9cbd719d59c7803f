//! Affine relations between integer variables (LAL 3.5.2, after Müller-Olm and Seidl), modulo `2ⁿ` or
//! over the rationals.
//!
//! A step `x' := A·x + b` is the matrix `M` with `(1, x)·M = (1, x')`. A relation `a₀ + Σ aᵢxᵢ = 0`,
//! written as a column, holds after the step exactly if `M·a` holds before it: weights are the weakest
//! precondition transformers of affine relations. What holds on all of several paths holds for every
//! linear combination of their matrices, so a weight is the *module* of matrices that they generate
//! ([`Module`]), of which there are no infinite ascending chains. Modulo `2ⁿ` the result is exact for
//! machine arithmetic, wrap-around included.
//!
//! ```
//! use gnomon_wpds::Semiring;
//! use gnomon_wpds::domains::affine::{AffineRelations, Modular};
//!
//! # fn main() -> Result<(), gnomon_wpds::WeightError> {
//! let domain = AffineRelations::new(Modular::new(8)?, 2); // x and y, bytes
//! let start = domain.assign(&[(0, 0, &[]), (1, 3, &[])]); // x := 0, y := 3
//! let body = domain.assign(&[(0, 1, &[(0, 1)]), (1, 2, &[(1, 1)])]); // x := x + 1, y := y + 2
//! let loop_weight = domain.extend(&start, &gnomon_wpds::semiring::star(&domain, &body)?)?;
//! // 3 + 2x - y = 0, and no more.
//! let relations = domain.relations(&loop_weight);
//! assert!(relations.contains(domain.numbers(), &[3, 2, 255]));
//! assert_eq!(relations.generators().len(), 1);
//! assert!(!domain.holds(&loop_weight, &[6, 2, 255]));
//! # Ok(())
//! # }
//! ```

mod matrices;
mod merge;
mod module;
mod scalars;
mod tensor;

use crate::semiring::{Semiring, Weighing};

use matrices::MatrixModules;

pub use matrices::AffineWeight;
pub use merge::AffineMerge;
pub use module::{Module, kernel};
pub use scalars::{Modular, Rationals, Scalars};
pub use tensor::AffinePower;

/// An assignment to a variable: the variable, a constant, and variables with their coefficients.
pub type Assignment<'a> = (usize, i64, &'a [(usize, i64)]);

/// The domain of affine relations between a number of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct AffineRelations<R> {
    matrices: MatrixModules<R>,
}

impl<R: Scalars> AffineRelations<R> {
    /// The relations between `variables` variables, numbered from 0, over the given numbers.
    pub fn new(numbers: R, variables: usize) -> Self {
        Self { matrices: MatrixModules { ring: numbers, size: variables + 1 } }
    }

    /// The numbers.
    pub fn numbers(&self) -> &R {
        &self.matrices.ring
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.matrices.size - 1
    }

    /// The weight of assignments that happen at once: each variable gets a constant plus multiples of
    /// the old values of variables; the others keep theirs. Variables that do not exist are left out.
    pub fn assign(&self, assignments: &[Assignment<'_>]) -> AffineWeight<R> {
        Module::generated(self.numbers(), [self.assignment_matrix(assignments)])
    }

    /// The matrix of assignments that happen at once.
    pub fn assignment_matrix(&self, assignments: &[Assignment<'_>]) -> Vec<R::Number> {
        let (ring, size) = (self.numbers(), self.matrices.size);
        let mut matrix = self.matrices.identity();
        for &(target, constant, coefficients) in assignments.iter().filter(|a| a.0 + 1 < size) {
            let column = target + 1;
            for row in 0..size {
                matrix[row * size + column] = ring.zero();
            }
            matrix[column] = ring.integer(constant);
            for &(variable, coefficient) in coefficients.iter().filter(|c| c.0 + 1 < size) {
                let entry = &mut matrix[(variable + 1) * size + column];
                *entry = ring.add(entry, &ring.integer(coefficient));
            }
        }
        matrix
    }

    /// The weight of one matrix `M` with `(1, x)·M = (1, x')`, written row by row.
    pub fn transformation(&self, matrix: Vec<R::Number>) -> Weighing<AffineWeight<R>> {
        let weight = Module::generated(self.numbers(), [matrix]);
        self.admit(&weight)?;
        Ok(weight)
    }

    /// The weight of giving some variables unknown values.
    pub fn forget(&self, variables: &[usize]) -> Weighing<AffineWeight<R>> {
        let mut weight = self.one();
        for &variable in variables {
            // Every value is a combination of 0 and 1.
            let unknown = self.combine(
                &self.assign(&[(variable, 0, &[])]),
                &self.assign(&[(variable, 1, &[])]),
            )?;
            weight = self.extend(&weight, &unknown)?;
        }
        Ok(weight)
    }

    /// All affine relations that hold behind the weight, whatever held before: the module of the
    /// vectors `(a₀, a₁, …)` with `a₀ + Σ aᵢxᵢ = 0`, the variable `i` at position `i + 1`. Where
    /// nothing is reached, everything holds. Generators are canonical: the first number of each that
    /// is not zero is 1 or a power of two.
    pub fn relations(&self, weight: &AffineWeight<R>) -> AffineWeight<R> {
        let size = self.matrices.size;
        let rows = weight.generators().flat_map(|matrix| matrix.chunks(size).map(<[_]>::to_vec));
        kernel(self.numbers(), &Module::generated(self.numbers(), rows), size)
    }

    /// Whether the relation `a₀ + Σ aᵢxᵢ = 0` holds behind the weight, whatever held before.
    pub fn holds(&self, weight: &AffineWeight<R>, relation: &[R::Number]) -> bool {
        let ring = self.numbers();
        let vanishes = |row: &[R::Number]| {
            let products = row.iter().zip(relation).map(|(a, b)| ring.multiply(a, b));
            let sum = products.fold(ring.zero(), |sum, product| ring.add(&sum, &product));
            ring.is_zero(&sum)
        };
        weight.generators().all(|matrix| matrix.chunks(self.matrices.size).all(vanishes))
    }

    /// What a relation behind the weight needs to hold before it: the module of the relations
    /// `M·a`.
    pub fn precondition(
        &self,
        weight: &AffineWeight<R>,
        relation: &[R::Number],
    ) -> AffineWeight<R> {
        let ring = self.numbers();
        let image = |matrix: &[R::Number]| {
            let row = |row: &[R::Number]| {
                let products = row.iter().zip(relation).map(|(a, b)| ring.multiply(a, b));
                products.fold(ring.zero(), |sum, product| ring.add(&sum, &product))
            };
            matrix.chunks(self.matrices.size).map(row).collect()
        };
        Module::generated(ring, weight.generators().map(image))
    }
}

impl<R: Scalars> Semiring for AffineRelations<R> {
    type Weight = AffineWeight<R>;

    fn zero(&self) -> Self::Weight {
        self.matrices.zero()
    }

    fn one(&self) -> Self::Weight {
        self.matrices.one()
    }

    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        self.matrices.combine(a, b)
    }

    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        self.matrices.extend(a, b)
    }

    fn is_zero(&self, a: &Self::Weight) -> bool {
        a.is_trivial()
    }

    fn admit(&self, w: &Self::Weight) -> Weighing<()> {
        self.matrices.admit(w)
    }
}
