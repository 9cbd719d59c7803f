//! Merge functions made from closures.

use std::borrow::Cow;
use std::sync::Arc;

use crate::semiring::{MergeFunction, Semiring, Weighing};
use crate::system::Merge;

/// A merge function given by a closure.
pub struct MergeBy<F> {
    name: Cow<'static, str>,
    function: F,
    path_extension: bool,
}

impl<S, F> MergeFunction<S> for MergeBy<F>
where
    S: Semiring,
    F: Fn(&S, &S::Weight, &S::Weight) -> Weighing<S::Weight> + Send + Sync,
{
    fn merge(&self, domain: &S, caller: &S::Weight, callee: &S::Weight) -> Weighing<S::Weight> {
        (self.function)(domain, caller, callee)
    }

    fn has_path_extension(&self) -> bool {
        self.path_extension
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// The merge function that `function` computes from the caller's and the callee's weight;
/// `path_extension` says whether `function(a ⊗ b, c) = a ⊗ function(b, c)` holds.
pub fn merge_by<S, F>(
    name: impl Into<Cow<'static, str>>,
    path_extension: bool,
    function: F,
) -> Merge<S>
where
    S: Semiring,
    F: Fn(&S, &S::Weight, &S::Weight) -> Weighing<S::Weight> + Send + Sync + 'static,
{
    Arc::new(MergeBy { name: name.into(), function, path_extension })
}

/// The merge function that makes an extended system behave like a weighted one: `w₁ ⊗ call ⊗ w₂`.
pub fn plain_merge<S: Semiring>(call: S::Weight) -> Merge<S>
where
    S::Weight: 'static,
{
    merge_by("plain", true, move |domain: &S, caller, callee| {
        domain.extend(&domain.extend(caller, &call)?, callee)
    })
}
