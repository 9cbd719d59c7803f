//! What of a program the formulas do not have, and where.
//!
//! Control that comes there cannot be followed any further. So it is an end of a block, like an
//! error: a proof must show that it is not reached, and if it can be reached, all that is known is
//! what and where it is.

use std::fmt;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::Position;

/// Something unsupported, and the edge where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unsupported {
    /// What.
    pub what: Construct,
    /// Where: the function and its edge; `None` if no edge is to blame.
    pub place: Option<(FuncId, EdgeId)>,
}

/// Kinds of what is unsupported; names are those of functions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Construct {
    /// A call through a pointer of which nobody knows where it points.
    UnknownCallee,
    /// A call through a pointer to a function that must not be called.
    ForbiddenCallee(String),
    /// A call through a pointer to a function without a body.
    CalleeWithoutBody(String),
    /// A call of a function that is open already, where calls are followed by their tree.
    Recursion(String),
    /// An operation that the encoding does not have, in its own words.
    NotEncoded(String),
    /// The function in which runs begin has no body.
    EntryWithoutBody,
    /// A function without a body, where none is allowed.
    WithoutBody(String),
    /// A function that may change how floating-point numbers are rounded.
    Rounding(String),
    /// A function that may have functions of the program called at any time.
    CallsBackLater(String),
    /// Behaviour that the model does not have, in the front end's words.
    NotModelled(String),
    /// Something about threads, in the words of who takes them apart.
    Threads(String),
}

impl Unsupported {
    /// At an edge.
    pub fn at(func: FuncId, edge: EdgeId, what: Construct) -> Self {
        Self { what, place: Some((func, edge)) }
    }
}

/// Something unsupported, and where it stands in the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What.
    pub what: Construct,
    /// Where, if one place is to blame.
    pub at: Option<Position>,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl Unsupported {
    /// With its place in the user's source.
    pub fn located(&self, program: &Program) -> Located {
        let at = self.place.and_then(|(func, edge)| {
            let body = program.funcs[func].body.as_ref()?;
            program.files.position(body.edge(edge).span)
        });
        Located { what: self.what.clone(), at }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCallee => f.write_str("a call through a pointer"),
            Self::ForbiddenCallee(name) => write!(f, "a call of {name} through a pointer"),
            Self::CalleeWithoutBody(name) => write!(f, "the call of {name} through a pointer"),
            Self::Recursion(name) => write!(f, "the recursive call of {name}"),
            Self::NotEncoded(why) | Self::NotModelled(why) | Self::Threads(why) => f.write_str(why),
            Self::CallsBackLater(name) => {
                write!(f, "`{name}` may have functions of the program called at any time")
            }
            Self::EntryWithoutBody => f.write_str("the entry function has no body"),
            Self::WithoutBody(name) => write!(f, "`{name}` has no body"),
            Self::Rounding(name) => {
                write!(f, "`{name}` may change how floating-point numbers are rounded")
            }
        }
    }
}
