//! Byte ranges of the preprocessed text.
//!
//! Every syntax node carries one [`Span`]. A span starts at the first byte of the node's first
//! token and ends just past the last byte of its last token, so it never includes blanks at either
//! end. The user's own file, line and column come from [`crate::source::SourceBuffer::resolve`].

use std::fmt;

/// A half-open range `lo..hi` of bytes in the preprocessed buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub lo: u32,
    /// Offset just past the last byte.
    pub hi: u32,
}

impl Span {
    /// The range `lo..hi`.
    pub const fn new(lo: u32, hi: u32) -> Self {
        Span { lo, hi }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Number of bytes covered.
    pub fn len(self) -> u32 {
        self.hi.saturating_sub(self.lo)
    }

    /// Whether the span covers no byte.
    pub fn is_empty(self) -> bool {
        self.hi <= self.lo
    }

    /// The bytes of `text` that this span covers (empty when it lies outside).
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.lo as usize..self.hi as usize).unwrap_or_default()
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_covers_both_in_either_order() {
        let (a, b) = (Span::new(3, 5), Span::new(8, 9));
        assert_eq!(a.to(b), Span::new(3, 9));
        assert_eq!(b.to(a), Span::new(3, 9));
    }

    #[test]
    fn text_outside_the_buffer_is_empty() {
        assert_eq!(Span::new(1, 3).of(b"abcd"), b"bc");
        assert_eq!(Span::new(3, 9).of(b"abcd"), b"");
    }
}
