//! The commands, one file each.

pub mod affine;
pub mod alias;
pub mod btrace;
pub mod capture;
pub mod certify;
pub mod cfa;
pub mod check;
pub mod diff;
pub mod doctor;
pub mod emit_c;
pub mod generated;
pub mod init;
pub mod lsp;
pub mod project;
pub mod replay;
pub mod run;
pub mod sequentialize;
pub mod specs;
pub mod unit_worker;
pub mod validate;
pub mod verify;
