//! The forms of results: a page, SARIF, JUnit XML. JSON is the [`Results`](crate::results::Results) itself.

pub mod junit;
pub mod page;
pub mod sarif;
