//! Functions of the C library and of POSIX that nothing else is known of than this: they keep no
//! pointer that they are given, and what they write behind their arguments are bytes, not pointers.

use gnomon_ir::library::keeps_no_pointer;

/// Whether the function stores a pointer into its first argument behind its second one.
pub(crate) fn stores_end(plain: &str) -> bool {
    keeps_no_pointer(plain) && plain.starts_with("strto")
}
