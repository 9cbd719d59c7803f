//! The semiring of modules of square matrices: `extend` is the module of all products, `combine` the
//! sum (LAL 3.5.2). Affine relations and their tensors are both of this kind.

use crate::domains::affine::module::Module;
use crate::domains::affine::scalars::Scalars;
use crate::semiring::{Semiring, Weighing, WeightError};

/// A module of matrices, each written row by row as one vector.
pub type AffineWeight<R> = Module<<R as Scalars>::Number>;

/// Modules of matrices with `size` rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatrixModules<R> {
    pub(crate) ring: R,
    pub(crate) size: usize,
}

impl<R: Scalars> MatrixModules<R> {
    /// The identity matrix.
    pub(crate) fn identity(&self) -> Vec<R::Number> {
        let mut matrix = vec![self.ring.zero(); self.size * self.size];
        for i in 0..self.size {
            matrix[i * self.size + i] = self.ring.one();
        }
        matrix
    }

    /// The product of two matrices.
    pub(crate) fn product(&self, a: &[R::Number], b: &[R::Number]) -> Vec<R::Number> {
        let (ring, size) = (&self.ring, self.size);
        let mut product = vec![ring.zero(); size * size];
        for i in 0..size {
            for k in 0..size {
                let factor = &a[i * size + k];
                if ring.is_zero(factor) {
                    continue;
                }
                for j in 0..size {
                    let other = &b[k * size + j];
                    if !ring.is_zero(other) {
                        let entry = &mut product[i * size + j];
                        *entry = ring.add(entry, &ring.multiply(factor, other));
                    }
                }
            }
        }
        product
    }

    /// The module of the images of a module under a linear map of matrices.
    pub(crate) fn map(
        &self,
        weight: &AffineWeight<R>,
        image: impl Fn(&[R::Number]) -> Vec<R::Number>,
    ) -> AffineWeight<R> {
        Module::generated(&self.ring, weight.generators().map(image))
    }
}

impl<R: Scalars> Semiring for MatrixModules<R> {
    type Weight = AffineWeight<R>;

    fn zero(&self) -> Self::Weight {
        Module::trivial()
    }

    fn one(&self) -> Self::Weight {
        Module::generated(&self.ring, [self.identity()])
    }

    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        Ok(a.sum(&self.ring, b))
    }

    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        let products = a.generators().flat_map(|x| b.generators().map(move |y| self.product(x, y)));
        Ok(Module::generated(&self.ring, products))
    }

    fn is_zero(&self, a: &Self::Weight) -> bool {
        a.is_trivial()
    }

    fn admit(&self, w: &Self::Weight) -> Weighing<()> {
        let length = self.size * self.size;
        match w.generators().find(|matrix| matrix.len() != length) {
            None => Ok(()),
            Some(other) => {
                let what = format!("matrices of {} entries instead of {length}", other.len());
                Err(WeightError::Foreign(what))
            }
        }
    }
}
