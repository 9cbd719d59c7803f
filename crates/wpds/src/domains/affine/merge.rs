//! The merge function of affine programs with local variables (LAL 3.5.2).

use crate::domains::affine::AffineRelations;
use crate::domains::affine::matrices::AffineWeight;
use crate::domains::affine::scalars::Scalars;
use crate::semiring::{MergeFunction, Semiring, Weighing};

/// `w₁ ⊗ project(call ⊗ w₂)`, where `project` keeps what the callee did to the globals and gives the
/// locals back the values that they had before the call.
///
/// Departure from the paper, whose calls pass nothing and whose `project` therefore also forgets how
/// locals before the call contribute to globals after it: the weight of the push rule (parameters
/// bound, other locals of the callee set to 0 or [forgotten](AffineRelations::forget)) comes in front
/// of the callee here, and the contribution that is left is that of the arguments. With a call that
/// sets all locals to 0 the two are the same.
#[derive(Clone, Debug)]
pub struct AffineMerge<R: Scalars> {
    call: AffineWeight<R>,
    locals: Vec<usize>,
}

impl<R: Scalars> AffineMerge<R> {
    /// The merge function of a call with the weight `call`; `locals` are the variables that a callee
    /// must not change.
    pub fn new(call: AffineWeight<R>, locals: &[usize]) -> Self {
        Self { call, locals: locals.to_vec() }
    }

    fn project(&self, domain: &AffineRelations<R>, weight: &AffineWeight<R>) -> AffineWeight<R> {
        let ring = domain.numbers();
        let size = domain.matrices.size;
        domain.matrices.map(weight, |matrix| {
            let mut projected = matrix.to_vec();
            for column in self.locals.iter().map(|local| local + 1).filter(|&c| c < size) {
                for row in 0..size {
                    projected[row * size + column] = ring.zero();
                }
                // The entry of the constant makes the map linear: it is 1 in every transformation.
                projected[column * size + column] = matrix[0].clone();
            }
            projected
        })
    }
}

impl<R: Scalars> MergeFunction<AffineRelations<R>> for AffineMerge<R> {
    fn merge(
        &self,
        domain: &AffineRelations<R>,
        caller: &AffineWeight<R>,
        callee: &AffineWeight<R>,
    ) -> Weighing<AffineWeight<R>> {
        let through = domain.extend(&self.call, callee)?;
        domain.extend(caller, &self.project(domain, &through))
    }

    fn name(&self) -> &str {
        "affine locals"
    }
}
