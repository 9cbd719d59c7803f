//! The text form of the model: complete, readable, and read back by [`parse`].
//!
//! It is for people who look at what the front end made, for tests that are written by hand, and
//! for differences between two versions of a program. Printing what was read gives the same bytes
//! as long as the program is well-formed ([`validate`](crate::validate)).
//!
//! ```
//! let text = r#"gnomon-ir 1 lp64
//! file 0 "sum.c"
//! global @total: i64 !0:1:6-1:11 = {
//!   @total = 5:i64
//! }
//! func $main: fn() -> i32 !0:2:5-2:9 = {
//!   local %i: i32 !0:3:7-3:8
//!   locs 4
//!   L0 -> L2: %i = (i32)@total + 1:i32 !1
//!   L2 -> L3: assume %i != 0:i32 !1 0:3:7-3:8
//!   L3 -> L1: return %i !2
//! }
//! stmt 1 declaration 0:3:3-3:20
//! stmt 2 return 0:4:3-4:12
//! "#;
//! let program = gnomon_ir::text::parse(text)?;
//! assert_eq!(gnomon_ir::text::print(&program), text);
//! # Ok::<(), gnomon_ir::text::TextError>(())
//! ```
//!
//! The grammar in short. An item starts in the first column and is one of
//!
//! - `file N "name"`, `note kind "message" !SPAN`, `stmt N kind SPAN`;
//! - `struct name size S align A [incomplete] { field: TYPE at OFFSET[.SHIFT : WIDTH] ... }`, and
//!   the same with `union`;
//! - `global @name: TYPE [thread_local] [read_only] [taken] !SPAN`, then `= { ... }` with the
//!   initialiser (`PLACE = EXPR`, `PLACE <- "bytes"`) or `extern`;
//! - `func $name: TYPE [noreturn] !SPAN`, and `= { ... }` if it has a body: parameters, locals, the
//!   number of locations (the first is the entry, the second the exit), labels, edges.
//!
//! Types are postfix: `i8*`, `struct node*[10]`, `(fn(i32, ...) -> i32)*`; `fn?` has no prototype.
//! Expressions are C's, with its precedence, but: `%local`, `@global` and `$function` carry a sign
//! (names contain dots), a member is `place::field` or `pointer->field` (`#2` for one without a
//! name), numbers carry their type (`-5:i32`), `zero(TYPE)` is all bytes zero, and
//! `bits(0x7ff4..., TYPE)` is what has no other form. `+` and `-` on pointers count elements.
//! A span is `FILE:LINE:COLUMN-LINE:COLUMN` or `-`; behind an edge stands `!STATEMENT`, and a span
//! if it is not the statement's.

mod edges;
mod exprs;
mod items;
mod lex;
mod print;

pub use lex::TextError;
pub use print::{
    essence_of_function, essence_of_global, essence_of_notes, essence_of_record, essences_of_edges,
    is_nameless, print, print_function, print_part,
};

use crate::program::Program;

/// Reads a program back. It has the shape of a program, but may be ill-typed: see
/// [`validate`](crate::validate).
pub fn parse(text: &str) -> Result<Program, TextError> {
    items::read(text)
}

/// The words for the kinds of statements.
const STMT_KINDS: [(crate::program::StmtKind, &str); 12] = {
    use crate::program::StmtKind::*;
    [
        (Expression, "expression"),
        (Declaration, "declaration"),
        (If, "if"),
        (While, "while"),
        (DoWhile, "do"),
        (For, "for"),
        (LoopHead, "loop"),
        (Switch, "switch"),
        (Goto, "goto"),
        (Return, "return"),
        (Asm, "asm"),
        (Synthetic, "synthetic"),
    ]
};

/// The words for the types without parts.
const SIMPLE_TYPES: [(crate::types::Type, &str); 17] = {
    use crate::types::FloatKind::*;
    use crate::types::Type::*;
    [
        (Void, "void"),
        (Bool, "bool"),
        (Int { bits: 8, signed: true }, "i8"),
        (Int { bits: 8, signed: false }, "u8"),
        (Int { bits: 16, signed: true }, "i16"),
        (Int { bits: 16, signed: false }, "u16"),
        (Int { bits: 32, signed: true }, "i32"),
        (Int { bits: 32, signed: false }, "u32"),
        (Int { bits: 64, signed: true }, "i64"),
        (Int { bits: 64, signed: false }, "u64"),
        (Int { bits: 128, signed: true }, "i128"),
        (Int { bits: 128, signed: false }, "u128"),
        (Float(F16), "f16"),
        (Float(F32), "f32"),
        (Float(F64), "f64"),
        (Float(X87), "x87"),
        (Float(F128), "f128"),
    ]
};
