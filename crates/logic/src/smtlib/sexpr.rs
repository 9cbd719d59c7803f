//! S-expressions: what SMT-LIB is written in.
//!
//! One flat arena per text, built and read without recursion.

/// An S-expression of a [`Sexprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sexpr(u32);

enum Node {
    Atom { start: usize, end: usize, quoted: bool },
    List(Vec<Sexpr>),
}

/// A text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed S-expression at byte {at}: {what}")]
pub struct SexprError {
    /// Where.
    pub at: usize,
    /// What is wrong.
    pub what: &'static str,
}

/// The S-expressions of a text.
pub struct Sexprs<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    roots: Vec<Sexpr>,
}

/// One of the two shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// A word; quotation marks (`|`, `"`) are taken off.
    Atom(&'a str),
    /// A list.
    List(&'a [Sexpr]),
}

impl<'a> Sexprs<'a> {
    /// Reads all expressions of a text.
    pub fn parse(text: &'a str) -> Result<Self, SexprError> {
        let bytes = text.as_bytes();
        let mut sexprs = Self { text, nodes: Vec::new(), roots: Vec::new() };
        let mut open: Vec<Vec<Sexpr>> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b';' => {
                    while at < bytes.len() && bytes[at] != b'\n' {
                        at += 1;
                    }
                }
                b'(' => {
                    open.push(Vec::new());
                    at += 1;
                }
                b')' => {
                    let members =
                        open.pop().ok_or(SexprError { at, what: "a ) that closes nothing" })?;
                    sexprs.add(Node::List(members), &mut open);
                    at += 1;
                }
                quote @ (b'|' | b'"') => {
                    let start = at + 1;
                    at = start;
                    while at < bytes.len() && bytes[at] != quote {
                        at += 1;
                    }
                    if at == bytes.len() {
                        return Err(SexprError { at: start, what: "an open quotation" });
                    }
                    sexprs.add(Node::Atom { start, end: at, quoted: true }, &mut open);
                    at += 1;
                }
                _ => {
                    let start = at;
                    while at < bytes.len() && !b" \t\r\n()|\";".contains(&bytes[at]) {
                        at += 1;
                    }
                    sexprs.add(Node::Atom { start, end: at, quoted: false }, &mut open);
                }
            }
        }
        if open.is_empty() {
            Ok(sexprs)
        } else {
            Err(SexprError { at: bytes.len(), what: "a ( that is not closed" })
        }
    }

    fn add(&mut self, node: Node, open: &mut [Vec<Sexpr>]) {
        let sexpr = Sexpr(self.nodes.len() as u32);
        self.nodes.push(node);
        match open.last_mut() {
            Some(list) => list.push(sexpr),
            None => self.roots.push(sexpr),
        }
    }

    /// The outermost expressions.
    pub fn roots(&self) -> &[Sexpr] {
        &self.roots
    }

    /// What an expression looks like.
    pub fn shape(&self, sexpr: Sexpr) -> Shape<'_> {
        match &self.nodes[sexpr.0 as usize] {
            Node::Atom { start, end, .. } => Shape::Atom(&self.text[*start..*end]),
            Node::List(members) => Shape::List(members),
        }
    }

    /// Whether a word was written between quotation marks.
    pub fn is_quoted(&self, sexpr: Sexpr) -> bool {
        matches!(self.nodes[sexpr.0 as usize], Node::Atom { quoted: true, .. })
    }

    /// The word, if it is one.
    pub fn atom(&self, sexpr: Sexpr) -> Option<&str> {
        match self.shape(sexpr) {
            Shape::Atom(word) => Some(word),
            Shape::List(_) => None,
        }
    }

    /// The members, if it is a list.
    pub fn list(&self, sexpr: Sexpr) -> Option<&[Sexpr]> {
        match self.shape(sexpr) {
            Shape::Atom(_) => None,
            Shape::List(members) => Some(members),
        }
    }

    /// The words of a list of words.
    pub fn words(&self, sexpr: Sexpr) -> Option<Vec<&str>> {
        self.list(sexpr)?.iter().map(|&s| self.atom(s)).collect()
    }
}
