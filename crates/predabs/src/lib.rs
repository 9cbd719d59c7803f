//! Predicate abstraction.
