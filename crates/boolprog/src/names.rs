//! Names in scope, and the closest one to a name that is not.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostics;
use crate::source::Ident;

/// A table from names to what they mean.
#[derive(Clone, Debug)]
pub struct NameTable<T> {
    what: &'static str,
    entries: BTreeMap<String, (T, Ident)>,
}

impl<T: Clone> NameTable<T> {
    /// An empty table; `what` is what messages call its entries ("variable", "label").
    pub fn new(what: &'static str) -> Self {
        Self { what, entries: BTreeMap::new() }
    }

    /// Adds a name, or reports that it is there already.
    pub fn declare(&mut self, name: &Ident, value: T, messages: &mut Diagnostics) {
        if self.entries.contains_key(&name.text) {
            let text = format!("{} `{}` is declared twice", self.what, name.text);
            messages.error(name.span, text);
        } else {
            self.entries.insert(name.text.clone(), (value, name.clone()));
        }
    }

    /// Adds a name, hiding an older one.
    pub fn shadow(&mut self, name: &Ident, value: T) {
        self.entries.insert(name.text.clone(), (value, name.clone()));
    }

    /// Looks a name up.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.entries.get(name).map(|e| &e.0)
    }

    /// Looks a name up, or reports that it is unknown, with the closest known one.
    pub fn resolve(&self, name: &Ident, messages: &mut Diagnostics) -> Option<T> {
        if let Some(value) = self.get(&name.text) {
            return Some(value.clone());
        }
        let text = format!("unknown {} `{}`", self.what, name.text);
        match self.closest(&name.text) {
            Some(other) => {
                messages.error_with_help(name.span, text, format!("did you mean `{other}`?"));
            }
            None => messages.error(name.span, text),
        }
        None
    }

    fn closest(&self, name: &str) -> Option<&str> {
        let limit = name.chars().count().div_ceil(3);
        self.entries
            .keys()
            .take(2_000)
            .map(|k| (edit_distance(k, name), k.as_str()))
            .filter(|&(distance, _)| distance <= limit)
            .min()
            .map(|(_, k)| k)
    }
}

fn edit_distance(a: &str, b: &str) -> usize {
    const MAX: usize = 64;
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(MAX).collect(), b.chars().take(MAX).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_suggested_and_far_ones_are_not() {
        let mut messages = Diagnostics::default();
        let mut table = NameTable::new("variable");
        table.declare(&Ident::synthetic("counter"), 1, &mut messages);
        table.declare(&Ident::synthetic("zz"), 2, &mut messages);
        assert_eq!(table.closest("conter"), Some("counter"));
        assert_eq!(table.closest("unrelated"), None);
        table.declare(&Ident::synthetic("zz"), 3, &mut messages);
        assert!(messages.has_errors());
    }
}
