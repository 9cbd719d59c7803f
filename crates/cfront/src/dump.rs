//! The syntax tree as text, for tests and for people who want to see how something was parsed.
//!
//! One S-expression per external declaration. Expressions show their operator first; declarations
//! are read aloud from the name outwards (`f: array 3 of pointer to function(void) returning int`);
//! implicit things (parentheses, spans) are not shown.
//!
//! ```
//! use gnomon_cfront::{dump, parser, source::SourceBuffer};
//!
//! let source = SourceBuffer::new("a.c", b"int *x[2] = {0, &y + 1};".to_vec()).unwrap();
//! let parsed = parser::parse(&source, &parser::ParseOptions::default());
//! assert_eq!(
//!     dump::dump(&parsed.ast, &parsed.interner),
//!     "(declare x: array 2 of pointer to int = {0, (+ (& y) 1)})\n"
//! );
//! ```

mod decls;
mod exprs;
mod stmts;

use crate::ast::{Ast, List, ListElement};
use crate::symbol::{Interner, Symbol};

/// The whole tree, one external declaration per line.
pub fn dump(ast: &Ast, interner: &Interner) -> String {
    let mut dumper = Dumper { ast, interner, out: String::new() };
    for &item in &ast.items {
        dumper.decl(item);
        dumper.out.push('\n');
    }
    dumper.out
}

struct Dumper<'a> {
    ast: &'a Ast,
    interner: &'a Interner,
    out: String,
}

impl Dumper<'_> {
    fn word(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, symbol: Symbol) {
        self.out.push_str(self.interner.name(symbol));
    }

    /// The elements with `separator` between them.
    fn separated<T: ListElement>(
        &mut self,
        list: List<T>,
        separator: &str,
        mut show: impl FnMut(&mut Self, T),
    ) where
        Ast: std::ops::Index<List<T>, Output = [T]>,
    {
        for i in 0..list.len() {
            if i > 0 {
                self.word(separator);
            }
            let element = self.ast[list][i];
            show(self, element);
        }
    }
}
