//! Sequentializable tensor products (LAL Definitions 6.5.1 and 6.5.4).
//!
//! When two automata read the same stack, their weights belong one behind the other, but they come
//! up side by side. A tuple would keep them apart, yet the combine of tuples mixes what does not
//! belong together. A *tensor* is a tuple that can be combined: the domain of tensors is a semiring of
//! its own in which extend works factor by factor, and `detensor`, which puts the factors in sequence,
//! distributes over combine.
//!
//! Besides the paper's operations there are [`extend_left`](TensorProduct::extend_left) and
//! [`extend_right`](TensorProduct::extend_right), which touch one factor only. They follow from the
//! laws, and domains do them much faster than by a whole tensor.

use crate::semiring::{Semiring, Weighing};

/// The weights of the tensors of a domain.
pub type TensorOf<S> = <<S as TensorProduct>::Power as Semiring>::Weight;

/// A domain with sequentializable tensor products of every arity, and with transposition.
///
/// For all weights and tensors of the arity of `power`:
///
/// 1. `tensor(a₁, …) ⊗ tensor(b₁, …) = tensor(a₁ ⊗ b₁, …)`,
/// 2. `detensor(tensor(a₁, …, aₙ)) = a₁ ⊗ … ⊗ aₙ`,
/// 3. `detensor(s ⊕ t) = detensor(s) ⊕ detensor(t)`,
/// 4. `transposed(a) ⊗ transposed(b) = transposed(b ⊗ a)`, and twice transposed is the same,
/// 5. `transposed_detensor(tensor(a₁, …)) = a₁ ⊗ transposed(a₂) ⊗ a₃ ⊗ …`, which distributes too.
///
/// Tensors are linear in every factor, and `one` is `tensor(1, …, 1)`.
pub trait TensorProduct: Semiring {
    /// The domain of the tensors of one arity.
    type Power: Semiring;

    /// The domain of tensors of `arity` factors; an arity of 0 counts as 1.
    fn power(&self, arity: usize) -> Weighing<Self::Power>;

    /// The tensor of as many weights as the arity says.
    fn tensor(&self, power: &Self::Power, factors: &[Self::Weight]) -> Weighing<TensorOf<Self>>;

    /// The factors in sequence.
    fn detensor(&self, power: &Self::Power, tensor: &TensorOf<Self>) -> Weighing<Self::Weight>;

    /// The weight read backwards.
    fn transposed(&self, weight: &Self::Weight) -> Weighing<Self::Weight>;

    /// The factors in sequence, every second one read backwards.
    fn transposed_detensor(
        &self,
        power: &Self::Power,
        tensor: &TensorOf<Self>,
    ) -> Weighing<Self::Weight>;

    /// The number of factors.
    fn arity(&self, power: &Self::Power) -> usize;

    /// The tensor with one weight at a position (from 0) and `one` elsewhere.
    fn placed(
        &self,
        power: &Self::Power,
        position: usize,
        weight: &Self::Weight,
    ) -> Weighing<TensorOf<Self>> {
        let mut factors = vec![self.one(); self.arity(power)];
        if let Some(factor) = factors.get_mut(position) {
            *factor = weight.clone();
        }
        self.tensor(power, &factors)
    }

    /// The tensor with `weight` in front of the factor at a position.
    fn extend_left(
        &self,
        power: &Self::Power,
        position: usize,
        weight: &Self::Weight,
        tensor: &TensorOf<Self>,
    ) -> Weighing<TensorOf<Self>> {
        power.extend(&self.placed(power, position, weight)?, tensor)
    }

    /// The tensor with `weight` behind the factor at a position.
    fn extend_right(
        &self,
        power: &Self::Power,
        position: usize,
        weight: &Self::Weight,
        tensor: &TensorOf<Self>,
    ) -> Weighing<TensorOf<Self>> {
        power.extend(tensor, &self.placed(power, position, weight)?)
    }
}
