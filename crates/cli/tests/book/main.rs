//! What people read first is true: commands in README.md and in the book (`docs`) are executed and
//! answer as written, the book can be built, links lead somewhere, and every reason of an UNKNOWN
//! has its section. `GNOMON_BOOK=overwrite cargo test -p gnomon --test book` writes what the
//! commands answer now.

mod built;
mod commands;
mod links;
mod pages;
mod reasons;
