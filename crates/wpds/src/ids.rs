//! Dense indices, and the names that people gave them.
//!
//! The algorithms see only numbers; labels are kept apart in [`Names`] and are used for messages
//! and the text form.

use std::fmt;

use rustc_hash::FxHashMap;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in an array.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The index with this position.
            pub fn of(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

index! {
    /// A control location of a pushdown system (`P` in the papers).
    Control
}
index! {
    /// A stack symbol (`Γ` in the papers); for a program, a node of its control flow graph.
    Symbol
}
index! {
    /// A rule of a pushdown system.
    RuleId
}
index! {
    /// A state of an automaton. The first states are the control locations, in their order.
    State
}
index! {
    /// A transition of an automaton that a solver made.
    TransitionId
}

impl From<Control> for State {
    fn from(control: Control) -> Self {
        Self(control.0)
    }
}

/// Names of things with dense indices; unnamed ones are shown by number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    labels: Vec<Option<String>>,
    by_label: FxHashMap<String, u32>,
}

impl Names {
    /// Gives `index` a name.
    pub fn set(&mut self, index: u32, label: &str) {
        let position = index as usize;
        if position >= self.labels.len() {
            self.labels.resize(position + 1, None);
        }
        self.labels[position] = Some(label.to_owned());
        self.by_label.insert(label.to_owned(), index);
    }

    /// The index with this name.
    pub fn find(&self, label: &str) -> Option<u32> {
        self.by_label.get(label).copied()
    }

    /// The name of `index`, if it has one.
    pub fn get(&self, index: u32) -> Option<&str> {
        self.labels.get(index as usize)?.as_deref()
    }

    /// The name of `index`, or `prefix` and its number.
    pub fn show<'a>(&'a self, prefix: &'a str, index: u32) -> impl fmt::Display + 'a {
        struct Shown<'a>(Option<&'a str>, &'a str, u32);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{}{}", self.1, self.2),
                }
            }
        }
        Shown(self.get(index), prefix, index)
    }
}
