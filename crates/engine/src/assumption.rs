//! What a verdict relies on without having shown it.

use std::fmt;

/// One assumption of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// Every access to memory is inside an object: what happens behind one that is not is not looked at.
    AccessesInside,
    /// No pointer to an object that is gone is compared with another one: a new object may have its address.
    DanglingNotCompared,
    /// Any other one, for people.
    Other(String),
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::AccessesInside => {
                f.write_str("every access to memory is inside an object, or the run ends there")
            }
            Assumption::DanglingNotCompared => {
                f.write_str("no pointer to an object that is gone is compared with another pointer")
            }
            Assumption::Other(text) => f.write_str(text),
        }
    }
}
