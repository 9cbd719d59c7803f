//! What people and other tools see of a check.
//!
//! [`collect`] makes of what the engine says one versioned data model, [`model::Report`]; everything
//! else is a form of it: JSON ([`model::Report::to_json`]), SARIF ([`sarif`]), witnesses of SV-COMP
//! ([`witness`], and [`weave`] for validating them), text for terminals ([`terminal`]), a page ([`html`]), a C file that makes the compiled program fail
//! as predicted ([`harness`]).
//!
//! ```
//! use gnomon_report::model::VerdictName;
//!
//! assert_eq!(VerdictName::True.as_str(), "TRUE");
//! ```
//!
//! Invariants: this crate does no I/O, prints nothing and reads no clock; who calls it gives it the
//! texts of files and the time, and writes what it returns. Same input, same output, byte for byte.

mod arguments;
pub mod c_expression;
pub mod called;
pub mod collect;
pub mod fold;
pub mod harness;
pub mod html;
pub mod model;
pub mod names;
pub mod run;
pub mod sarif;
pub mod terminal;
pub mod weave;
pub mod witness;

use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal.
///
/// ```
/// let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// assert_eq!(gnomon_report::sha256(b""), empty);
/// ```
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
