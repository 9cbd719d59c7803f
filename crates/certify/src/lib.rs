//! A small independent checker of proofs.
