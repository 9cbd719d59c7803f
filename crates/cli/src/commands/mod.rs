//! The commands, one file each.

pub mod affine;
pub mod alias;
pub mod btrace;
pub mod certify;
pub mod cfa;
pub mod check;
pub mod doctor;
pub mod emit_c;
pub mod project;
pub mod replay;
pub mod run;
pub mod sequentialize;
pub mod specs;
pub mod validate;
