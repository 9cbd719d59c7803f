//! Symbolic analysis of a [model](crate::model) with BDDs.
//!
//! [`order`] chooses the order of the variables, [`encoding`] turns edges into relations and
//! [`values`] expressions into functions. Three
//! engines compute what is reachable and agree with each other and with explicit enumeration in
//! the tests: [`explore`] (on the fly, stops early), and saturation and FWPDS on the extended
//! weighted pushdown system of [`pushdown`]. [`layers`] reads executions off a search, [`shortest`]
//! finds one with the fewest edges.

pub mod encoding;
pub mod explore;
pub mod layers;
pub mod order;
pub mod pushdown;
pub mod shortest;
pub mod values;
