//! Facts about a program that hold whatever its inputs are: what pointers point to, what functions
//! may write, which code a location can bypass; and, on top of them, path slicing.

pub mod bypass;
pub mod call_graph;
pub mod mod_ref;
pub mod outlived;
pub mod points_to;
pub mod postdominance;
pub mod relevance;
pub mod slice;
pub mod sparse_set;
pub mod written_between;
