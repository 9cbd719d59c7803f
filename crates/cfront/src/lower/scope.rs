//! What names mean at the current place.
//!
//! Two name spaces (ordinary names and tags) share one mechanism: for each symbol its innermost
//! binding, and a log of what was hidden, undone when a block ends. Looking up is one index.

use crate::symbol::Symbol;

/// Bindings of one name space.
#[derive(Debug)]
pub struct Scopes<T> {
    /// Indexed by symbol.
    current: Vec<Option<Binding<T>>>,
    /// What was hidden by the bindings of the open blocks.
    hidden: Vec<(Symbol, Option<Binding<T>>)>,
    /// Where in `hidden` each open block begins.
    blocks: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Binding<T> {
    value: T,
    depth: u32,
}

impl<T: Copy> Scopes<T> {
    /// Only file scope is open.
    pub fn new(symbols: usize) -> Self {
        Self { current: vec![None; symbols], hidden: Vec::new(), blocks: Vec::new() }
    }

    /// Opens a block.
    pub fn enter(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    /// Ends the innermost block.
    pub fn leave(&mut self) {
        let start = self.blocks.pop().unwrap_or(0);
        for (name, old) in self.hidden.drain(start..).rev() {
            self.current[name.index()] = old;
        }
    }

    /// 0 at file scope.
    pub fn depth(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The innermost meaning.
    pub fn get(&self, name: Symbol) -> Option<T> {
        self.current.get(name.index())?.as_ref().map(|b| b.value)
    }

    /// The meaning if it was given in the innermost block.
    pub fn get_here(&self, name: Symbol) -> Option<T> {
        let binding = self.current.get(name.index())?.as_ref()?;
        (binding.depth == self.depth()).then_some(binding.value)
    }

    /// The meaning at file scope, even where it is hidden.
    pub fn get_at_file_scope(&self, name: Symbol) -> Option<T> {
        let file_scope = |b: &Binding<T>| (b.depth == 0).then_some(b.value);
        let binding = self.current.get(name.index())?.as_ref()?;
        if binding.depth == 0 {
            return Some(binding.value);
        }
        let first = self.hidden.iter().find(|(hidden, _)| *hidden == name)?;
        first.1.as_ref().and_then(file_scope)
    }

    /// Gives a meaning in the innermost block, in the place of an older one there.
    pub fn bind(&mut self, name: Symbol, value: T) {
        let depth = self.depth();
        let index = name.index();
        if index >= self.current.len() {
            self.current.resize_with(index + 1, || None);
        }
        let old = self.current[index].replace(Binding { value, depth });
        if depth > 0 && old.as_ref().is_none_or(|b| b.depth < depth) {
            self.hidden.push((name, old));
        }
    }

    /// Gives a meaning at file scope from within a block, where nothing hides it.
    pub fn bind_at_file_scope(&mut self, name: Symbol, value: T) {
        let binding = Some(Binding { value, depth: 0 });
        if let Some(entry) = self.hidden.iter_mut().find(|(hidden, _)| *hidden == name) {
            entry.1 = binding;
            return;
        }
        let index = name.index();
        if index >= self.current.len() {
            self.current.resize_with(index + 1, || None);
        }
        self.current[index] = binding;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Interner;

    #[test]
    fn blocks_hide_and_reveal() {
        let mut names = Interner::new();
        let x = names.intern("x");
        let mut scopes = Scopes::new(names.len());
        scopes.bind(x, 1);
        scopes.enter();
        assert_eq!((scopes.get(x), scopes.get_here(x)), (Some(1), None));
        scopes.bind(x, 2);
        scopes.enter();
        scopes.bind(x, 3);
        assert_eq!(scopes.get_at_file_scope(x), Some(1));
        scopes.leave();
        assert_eq!(scopes.get(x), Some(2));
        scopes.leave();
        assert_eq!(scopes.get(x), Some(1));
    }

    #[test]
    fn file_scope_is_reachable_from_blocks() {
        let mut names = Interner::new();
        let f = names.intern("f");
        let mut scopes = Scopes::new(names.len());
        scopes.enter();
        scopes.bind_at_file_scope(f, 7);
        assert_eq!(scopes.get(f), Some(7));
        scopes.leave();
        assert_eq!(scopes.get(f), Some(7));
    }
}
