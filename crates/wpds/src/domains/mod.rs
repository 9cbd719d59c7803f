//! Weight domains: ready-made semirings.
//!
//! | domain | weights | from |
//! |---|---|---|
//! | [`Boolean`] | reachable or not | LAL Definition 2.4.12 |
//! | [`MinPath`] | length of a shortest path | 2.4.14 |
//! | [`ExplicitRelations`] | relations on a small set | 2.4.13 |
//! | [`BddRelations`] | relations on valuations of Boolean variables | 2.4.13, 3.5.1 |
//! | [`Product`] | pairs of weights of two domains | |
//! | [`GenKill`] | transformers of sets of facts | |
//! | [`CopyConstants`] | transformers of environments, copies and constants | 2.1.2 |
//! | [`AffineRelations`] | affine relations between integers, modulo `2ⁿ` or rational | 3.5.2 |
//! | [`Counted`] | those of another domain, operations counted | |
//!
//! Each has property tests of the laws of a semiring.

pub mod affine;
mod bdd_relation;
mod bdd_tensor;
mod boolean;
mod commutative_tensor;
mod copy_constant;
mod counted;
mod explicit_relation;
mod explicit_tensor;
mod gen_kill;
mod merge;
mod min_path;
mod product;

pub use affine::AffineRelations;
pub use bdd_relation::{BddRelations, LocalsMerge};
pub use bdd_tensor::BddPower;
pub use boolean::Boolean;
pub use commutative_tensor::CommutativePower;
pub use copy_constant::{CopyConstants, Environment, Transformer, Value, VariableSource};
pub use counted::{Counted, OperationCounts};
pub use explicit_relation::{ExplicitRelations, Relation, StoreSet};
pub use explicit_tensor::ExplicitPower;
pub use gen_kill::{GenKill, GenKillWeight};
pub use merge::{MergeBy, merge_by, plain_merge};
pub use min_path::MinPath;
pub use product::Product;
