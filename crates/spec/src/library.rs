//! The specs that come with gnomon. Their texts are in `specs/`, their documentation in
//! `docs/specs/`.

/// A spec that comes with gnomon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadySpec {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The spec of that name and its text.
macro_rules! ready {
    ($name:literal) => {
        ReadySpec { name: $name, text: include_str!(concat!("../specs/", $name, ".spec")) }
    };
}

/// All of them.
pub const READY: [ReadySpec; 10] = [
    ready!("file"),
    ready!("lock"),
    ready!("memory"),
    ready!("null"),
    ready!("irp"),
    ready!("fd"),
    ready!("alloc-check"),
    ready!("seteuid"),
    ready!("reentrancy"),
    ready!("format"),
];

/// The spec of that name.
pub fn find(name: &str) -> Option<ReadySpec> {
    READY.into_iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn all_can_be_read() {
        for ready in READY {
            let spec = parse(ready.text).unwrap_or_else(|e| panic!("{}: {e}", ready.name));
            assert_eq!(spec.name, ready.name);
            assert!(!spec.summary.is_empty());
        }
    }
}
