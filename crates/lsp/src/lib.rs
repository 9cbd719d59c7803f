//! A language server for C: what `gnomon check` finds, where the editor shows it.
//!
//! ```text
//! client ── transport ──► server ──► processes ──► job (in a process of its own: verify's API)
//!                           │  ▲                     │
//!                           ▼  └──── events ◄────────┘
//!                        shown: diagnostics, lenses, hovers, hints
//! ```
//!
//! A check is a process of its own (the same program, as `gnomon lsp --worker`): ending it takes no time,
//! whatever a solver does, and a crash costs that check. The server itself only waits for events, so every
//! request is answered at once.
//!
//! - [`transport`]: messages in and out; what is malformed is answered, and passed over.
//! - [`server`]: documents, and what is done when something happens to them.
//! - [`processes`]: checks that go on, started and ended.
//! - [`job`]: one check, by [`gnomon_verify`].
//! - [`kept`]: outcomes of units that did not change.
//! - [`flags`]: how a file is preprocessed: by `compile_commands.json` and the settings.
//! - [`shown`]: outcomes as the protocol has them.

pub mod flags;
pub mod job;
pub mod kept;
pub mod processes;
pub mod server;
pub mod shown;
pub mod transport;

pub use server::serve;
