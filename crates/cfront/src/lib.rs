//! The C front end: preprocessed text to syntax tree to program model.
//!
//! The stages, each in its module and usable alone:
//!
//! 1. [`preprocess`] runs `cc -E` (or reads a `.i` file) and makes a [`source::SourceBuffer`], which
//!    knows the user's file and line of every byte from the line markers in the text.
//! 2. [`parser`] makes a syntax tree ([`ast::Ast`]) of it: C17 with GNU extensions and the common
//!    part of C23, by a hand-written lexer and recursive descent. Names are [`symbol::Symbol`]s,
//!    places are [`span::Span`]s, errors are [`diag::Diagnostic`]s and never end the run.
//! 3. [`lower`] gives the tree types and turns it into control flow automata; [`translate`] does
//!    all of it for several files and links them; [`load`] does everything from files on.
//!
//! ```
//! use gnomon_cfront::parser::{ParseOptions, parse};
//! use gnomon_cfront::{diag, dump, source::SourceBuffer};
//!
//! let source = SourceBuffer::new("a.c", b"int x = 1 + 2 * 3;\nint y = ;\n".to_vec())?;
//! let parsed = parse(&source, &ParseOptions::default());
//! assert!(dump::dump(&parsed.ast, &parsed.interner).starts_with("(declare x: int = (+ 1 (* 2 3)))"));
//! assert!(diag::render_all(&parsed.diagnostics, &source)
//!     .starts_with("error: expected an expression, found `;`\n --> a.c:2:9\n"));
//! # Ok::<(), gnomon_cfront::source::TextTooLarge>(())
//! ```
//!
//! Why a parser of our own: of the C programs in public verifier test suites the crate `lang-c`
//! parses 97.5% and tree-sitter 94%, `lang-c` reads `asm("sync")` as a call and its spans include
//! blanks. BENCH.md has the figures for this one.
//!
//! Invariants: only [`preprocess`] does I/O. Text of any kind gives a tree and messages, never a
//! panic; nesting of any depth never overflows the stack (see [`parser::MAX_NESTING`]). Every node
//! has the exact span of its tokens. The result depends on the text and the options alone. May
//! depend on `gnomon-ir` and no other crate of the workspace.

pub mod ast;
pub mod diag;
pub mod dump;
mod lexer;
pub mod load;
pub mod lower;
pub mod models;
mod numeral;
pub mod parser;
mod pragma;
pub mod preprocess;
pub mod source;
pub mod span;
mod string_literal;
pub mod symbol;
pub mod token;
pub mod translate;
