//! Pragmas that change the meaning of declarations: `pack`, and those about names.
//!
//! `#pragma weak` and `#pragma redefine_extname` say under which name something is linked, for the whole unit
//! ([`SymbolPragma`]). What the others that matter would do is refused; all others change nothing.
//!
//! `pack` has the forms of gcc's manual: `pack(n)`, `pack()`, `pack(push)`, `pack(push, n)`,
//! `pack(push, id, n)`, `pack(pop)`, `pack(pop, id)`. Anything else is ignored, as gcc does with a
//! warning.

/// The current value of `#pragma pack` and those that were pushed.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackState {
    current: Option<u8>,
    pushed: Vec<(Vec<u8>, Option<u8>)>,
}

impl PackState {
    /// The largest alignment of members, if one is set.
    pub(crate) fn current(&self) -> Option<u8> {
        self.current
    }

    /// Takes note of a pragma; `text` is what follows the word `pragma`.
    pub(crate) fn pragma(&mut self, text: &[u8]) {
        let Some(args) = text.trim_ascii().strip_prefix(b"pack") else { return };
        let Some(args) = args.trim_ascii().strip_prefix(b"(") else { return };
        let Some(close) = args.iter().position(|&b| b == b')') else { return };
        let args: Vec<&[u8]> =
            args[..close].split(|&b| b == b',').map(|arg| arg.trim_ascii()).collect();
        match args.as_slice() {
            [b""] => self.current = None,
            [b"push"] => self.push(b""),
            [b"push", value] if alignment(value).is_some() => {
                self.push(b"");
                self.set(value);
            }
            [b"push", name] => self.push(name),
            [b"push", name, value] if alignment(value).is_some() => {
                self.push(name);
                self.set(value);
            }
            [b"pop"] => {
                if let Some((_, value)) = self.pushed.pop() {
                    self.current = value;
                }
            }
            [b"pop", name] => {
                if let Some(index) = self.pushed.iter().rposition(|(n, _)| n == name) {
                    self.current = self.pushed[index].1;
                    self.pushed.truncate(index);
                }
            }
            [value] => self.set(value),
            _ => {}
        }
    }

    fn push(&mut self, name: &[u8]) {
        self.pushed.push((name.to_vec(), self.current));
    }

    fn set(&mut self, value: &[u8]) {
        if let Some(value) = alignment(value) {
            self.current = (value != 0).then_some(value);
        }
    }
}

/// A pragma about a name, or one that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolPragma {
    /// `weak name`: it may be absent.
    Weak(String),
    /// `weak name = target` and `redefine_extname name target`: the name is another one's.
    Named {
        /// In the source.
        name: String,
        /// Where it is linked to.
        target: String,
    },
    /// It would change what declarations mean.
    Refused(String),
}

impl SymbolPragma {
    /// Reads what follows the word `pragma`.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text).replace('=', " = ").replace('(', " ( ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let named = |name: &str, target: &str| {
            Some(Self::Named { name: name.to_owned(), target: target.to_owned() })
        };
        match words[..] {
            ["weak", name] => Some(Self::Weak(name.to_owned())),
            ["weak", name, "=", target] | ["redefine_extname", name, target] => named(name, target),
            ["scalar_storage_order", "default"] | ["ms_struct", "off" | "reset"] => None,
            [name @ ("scalar_storage_order" | "ms_struct"), ..] => {
                Some(Self::Refused(format!("`#pragma {name}`")))
            }
            ["GCC", "optimize", ..] if text.contains("fast-math") || text.contains("Ofast") => {
                Some(Self::Refused("`#pragma GCC optimize` with fast arithmetic".to_owned()))
            }
            _ => None,
        }
    }
}

/// A permitted alignment; 0 stands for the default.
fn alignment(text: &[u8]) -> Option<u8> {
    let value = std::str::from_utf8(text).ok()?.parse().ok()?;
    matches!(value, 0 | 1 | 2 | 4 | 8 | 16).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let read = |text: &str| SymbolPragma::read(text.as_bytes());
        let named = |name: &str, target: &str| {
            Some(SymbolPragma::Named { name: name.into(), target: target.into() })
        };
        assert_eq!(read(" weak f"), Some(SymbolPragma::Weak("f".into())));
        assert_eq!(read(" weak f=g "), named("f", "g"));
        assert_eq!(read(" redefine_extname f g"), named("f", "g"));
        assert_eq!(read(" weakly f"), None);
        assert_eq!(read(" GCC optimize (\"O2\")"), None);
        assert!(matches!(read(" ms_struct on"), Some(SymbolPragma::Refused(_))));
    }

    #[test]
    fn pack_follows_push_and_pop() {
        let mut state = PackState::default();
        let mut after = |pragma: &str| {
            state.pragma(pragma.as_bytes());
            state.current()
        };
        assert_eq!(after(" pack(2)"), Some(2));
        assert_eq!(after(" pack(push, 1)"), Some(1));
        assert_eq!(after(" pack ( push , r1 , 8 ) "), Some(8));
        assert_eq!(after(" pack(push)"), Some(8));
        assert_eq!(after(" pack(4)"), Some(4));
        assert_eq!(after(" pack(pop, r1)"), Some(1));
        assert_eq!(after(" pack(pop)"), Some(2));
        assert_eq!(after(" pack(3)"), Some(2));
        assert_eq!(after(" pack(pop)"), Some(2));
        assert_eq!(after(" pack()"), None);
        assert_eq!(after(" packed(1)"), None);
        assert_eq!(after(" STDC FENV_ACCESS ON"), None);
    }
}
