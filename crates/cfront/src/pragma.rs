//! `#pragma pack`, the one pragma that changes the meaning of declarations.
//!
//! The forms of gcc's manual: `pack(n)`, `pack()`, `pack(push)`, `pack(push, n)`,
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

/// A permitted alignment; 0 stands for the default.
fn alignment(text: &[u8]) -> Option<u8> {
    let value = std::str::from_utf8(text).ok()?.parse().ok()?;
    matches!(value, 0 | 1 | 2 | 4 | 8 | 16).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

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
