//! What cannot be reduced, by name.

use gnomon_ir::program::Note;
use gnomon_ir::span::Span;

/// Why a program with threads cannot be made a sequential one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// For people.
    pub what: String,
    /// Where.
    pub span: Span,
}

impl Refused {
    fn new(what: String, span: Span) -> Self {
        Self { what, span }
    }

    pub(crate) fn no_entry(name: &str) -> Self {
        Self::new(format!("there is no function `{name}` with a body to start from"), Span::NONE)
    }

    pub(crate) fn out_of_budget() -> Self {
        Self::new("the time for taking threads apart is over".to_owned(), Span::NONE)
    }

    pub(crate) fn too_large(thread: &str) -> Self {
        Self::new(format!("the automaton of `{thread}` becomes too large"), Span::NONE)
    }

    pub(crate) fn alloca(function: &str, span: Span) -> Self {
        let what = format!(
            "`{function}` has memory of variable size on its stack (a variable length array or \
             alloca) and shares data with other threads"
        );
        Self::new(what, span)
    }

    pub(crate) fn variadic(function: &str, span: Span) -> Self {
        let what = format!(
            "`{function}` takes a number of arguments that varies and shares data with other \
             threads"
        );
        Self::new(what, span)
    }

    pub(crate) fn not_modelled(function: &str, span: Span) -> Self {
        Self::new(format!("`{function}` is not modelled"), span)
    }

    pub(crate) fn not_modelled_update(note: &Note) -> Self {
        Self::new(
            format!("{} and more: write it with atomic_fetch_add or its relatives", note.message),
            note.span,
        )
    }

    pub(crate) fn bit_field(span: Span) -> Self {
        Self::new("data races are not looked for where bit-fields are shared".to_owned(), span)
    }

    pub(crate) fn library_access(function: &str, span: Span) -> Self {
        let what =
            format!("data races are not looked for where `{function}` accesses what threads share");
        Self::new(what, span)
    }

    pub(crate) fn atomic_access(span: Span) -> Self {
        let what = "data races are not looked for where `_Atomic` variables are accessed by name";
        Self::new(what.to_owned(), span)
    }

    pub(crate) fn too_many_threads(limit: usize, span: Span) -> Self {
        Self::new(format!("there are more than {limit} calls that make threads"), span)
    }

    pub(crate) fn unknown_start(span: Span) -> Self {
        Self::new("the function that a thread starts with is not known".to_owned(), span)
    }
}
