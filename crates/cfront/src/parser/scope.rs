//! Which names are typedefs at the moment.
//!
//! One byte per symbol says what the innermost declaration of the name is; leaving a scope undoes
//! the changes made in it. So the question the parser asks for every identifier is one load.

use crate::symbol::Symbol;

/// What a name was declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NameKind {
    Undeclared,
    Typedef,
    /// A type that gcc declares by itself, such as `__builtin_va_list`; it can be hidden.
    BuiltinType,
    /// Variable, function, parameter or enumerator.
    Ordinary,
}

#[derive(Default)]
pub(super) struct Scopes {
    kinds: Vec<NameKind>,
    /// What to restore, oldest first.
    undo: Vec<(Symbol, NameKind)>,
    /// Length of `undo` at the start of each open scope.
    starts: Vec<usize>,
}

impl Scopes {
    pub(super) fn kind(&self, symbol: Symbol) -> NameKind {
        self.kinds.get(symbol.index()).copied().unwrap_or(NameKind::Undeclared)
    }

    /// Whether the name is one of a type.
    pub(super) fn is_type(&self, symbol: Symbol) -> bool {
        matches!(self.kind(symbol), NameKind::Typedef | NameKind::BuiltinType)
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, symbol: Symbol, kind: NameKind) {
        let old = self.kind(symbol);
        if old == kind {
            return;
        }
        if !self.starts.is_empty() {
            self.undo.push((symbol, old));
        }
        if symbol.index() >= self.kinds.len() {
            self.kinds.resize(symbol.index() + 1, NameKind::Undeclared);
        }
        self.kinds[symbol.index()] = kind;
    }

    /// Declares a name at file scope, for a type that turned out to be unknown: one message about
    /// it is enough.
    pub(super) fn declare_unknown_type(&mut self, symbol: Symbol) {
        let starts = std::mem::take(&mut self.starts);
        self.declare(symbol, NameKind::Typedef);
        self.starts = starts;
    }

    pub(super) fn push(&mut self) {
        self.starts.push(self.undo.len());
    }

    pub(super) fn pop(&mut self) {
        let Some(start) = self.starts.pop() else { return };
        for (symbol, old) in self.undo.drain(start..).rev() {
            self.kinds[symbol.index()] = old;
        }
    }

    /// Number of open scopes below file scope.
    pub(super) fn depth(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn pop_to(&mut self, depth: usize) {
        while self.starts.len() > depth {
            self.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Interner;

    #[test]
    fn leaving_a_scope_restores_what_it_hid() {
        let mut interner = Interner::new();
        let (a, b) = (interner.intern("a"), interner.intern("b"));
        let mut scopes = Scopes::default();
        scopes.declare(a, NameKind::Typedef);
        scopes.push();
        scopes.declare(a, NameKind::Ordinary);
        scopes.push();
        scopes.declare(a, NameKind::Typedef);
        scopes.declare(b, NameKind::Typedef);
        scopes.declare(a, NameKind::Ordinary);
        scopes.pop();
        assert_eq!((scopes.kind(a), scopes.kind(b)), (NameKind::Ordinary, NameKind::Undeclared));
        scopes.pop_to(0);
        assert!(scopes.is_type(a));
        scopes.pop();
        assert!(scopes.is_type(a));
    }
}
