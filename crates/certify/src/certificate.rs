//! What a proof leaves behind, as a file: the schema, and how it is written, read and compared with
//! what a user asks for.

use gnomon_ir::property::Specification;
use serde::{Deserialize, Serialize};

/// The name of the schema.
pub const SCHEMA: &str = "gnomon-certificate";
/// The version of the schema.
pub const VERSION: u32 = 3;

/// Why a program is safe, for the checker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Certificate {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// SHA-256 of the text form of the program model: locations and edges are those of it.
    pub program: String,
    /// What was asked: the function where runs begin, and what must not happen.
    pub property: Specification,
    /// The edges that must not be taken, as function and number.
    pub forbidden: Vec<(String, u32)>,
    /// The claim.
    pub claim: Claim,
    /// Where pointers point, by an analysis that the checker does not repeat. It is asked to believe
    /// this only if it does not follow the proof without.
    #[serde(default)]
    pub aliases: Vec<Alias>,
    /// What calls through pointers call, by the same analysis.
    #[serde(default)]
    pub calls: Vec<CallTargets>,
    /// What the names of formulas stand for that hold memory by address.
    #[serde(default)]
    pub memory: Vec<Held>,
    /// What functions without a body may know, and so write, by the same analysis; nothing else.
    #[serde(default)]
    pub escaped: Option<Vec<AliasObject>>,
    /// What the claim leaves out of the program. The checker shows that it cannot matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// What is left out on an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LeftOut {
    /// The function.
    pub function: String,
    /// The number of the edge.
    pub edge: u32,
    /// What of its operation.
    pub what: Omission,
}

/// What is left out of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Omission {
    /// All of it; a condition is taken to hold.
    Everything,
    /// What is stored in a variable: it is any value.
    Value,
    /// Parts of a call of functions with bodies.
    Parts {
        /// Arguments, by their positions: what is handed over instead is zero.
        arguments: Vec<u32>,
        /// Whether the result is not stored.
        result: bool,
    },
}

/// Why a text is no certificate that this version reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON, or has other fields.
    #[error("this is no certificate: {0}")]
    Form(String),
    /// It is something else.
    #[error("this is no certificate: its schema is `{0}`, not `{SCHEMA}`")]
    Schema(String),
    /// It is of another version.
    #[error("the certificate has version {0}, and this checker reads version {VERSION}")]
    Version(u64),
}

/// How a certificate differs from what is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The program is another one.
    #[error("the certificate is of another program, or another version")]
    Program,
    /// Runs begin elsewhere.
    #[error("the certificate is about runs of `{certified}`, not of `{asked}`")]
    Entry {
        /// By the certificate.
        certified: String,
        /// By the user.
        asked: String,
    },
    /// Something else must not happen.
    #[error("the certificate is about another property: {certified}; asked is: {asked}")]
    Property {
        /// By the certificate.
        certified: String,
        /// By the user.
        asked: String,
    },
}

impl Certificate {
    /// Reads the JSON form; schema and version come first.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let form = |error: serde_json::Error| Unreadable::Form(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(form)?;
        match value.get("schema").and_then(|schema| schema.as_str()) {
            Some(SCHEMA) => {}
            other => return Err(Unreadable::Schema(other.unwrap_or_default().to_owned())),
        }
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            other => return Err(Unreadable::Version(other.unwrap_or_default())),
        }
        serde_json::from_value(value).map_err(form)
    }

    /// The JSON form, with a line end.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// Whether it is about this program, by its hash, and this property.
    pub fn is_about(&self, program: &str, asked: &Specification) -> Result<(), Mismatch> {
        if self.program != program {
            return Err(Mismatch::Program);
        }
        if self.property.entry != asked.entry {
            return Err(Mismatch::Entry {
                certified: self.property.entry.clone(),
                asked: asked.entry.clone(),
            });
        }
        let sorted = |specification: &Specification| {
            let mut properties = specification.properties.clone();
            properties.sort();
            properties.dedup();
            properties
        };
        if sorted(&self.property) != sorted(asked) {
            return Err(Mismatch::Property {
                certified: listed(&self.property),
                asked: listed(asked),
            });
        }
        Ok(())
    }
}

/// The notation of the property, with what it leaves open.
fn listed(property: &Specification) -> String {
    let properties = serde_json::to_string(&property.properties).unwrap_or_default();
    format!("{property} {properties}")
}

/// What a name of formulas stands for: bytes of memory, by address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Held {
    /// The name.
    pub name: String,
    /// An object that is partly among these bytes.
    pub object: AliasObject,
    /// Where in the object.
    pub offset: Offset,
    /// The type of an element: `i32`, `u8`, `bool`, `f64`.
    pub holds: String,
}

/// What a call through a pointer can call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CallTargets {
    /// The calling function.
    pub caller: String,
    /// The number of the edge.
    pub edge: u32,
    /// One of these.
    pub callees: Vec<String>,
}

/// Where the pointer of a place behind it points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Alias {
    /// The number of the place.
    pub place: u32,
    /// To one of these.
    pub targets: Vec<AliasTarget>,
}

/// Where a pointer may point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AliasTarget {
    /// Into such an object.
    pub object: AliasObject,
    /// Where in it.
    pub offset: Offset,
}

/// Where in an object: so many bytes behind its beginning, and any multiple of a step further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Offset {
    /// The first one; less than the step, if there is one.
    pub at: u64,
    /// The step; 0 for the first one only.
    pub every: u64,
}

impl Offset {
    /// There and nowhere else.
    pub fn at(at: u64) -> Self {
        Self { at, every: 0 }
    }

    /// Further by some bytes.
    pub fn moved(self, by: u64) -> Option<Self> {
        let at = self.at.checked_add(by)?;
        Some(Self { at: at.checked_rem(self.every).unwrap_or(at), ..self })
    }

    /// Further by any multiple of some bytes, to either side.
    #[must_use]
    pub fn repeated(self, step: u64) -> Self {
        let (mut every, mut rest) = (self.every, step);
        while rest != 0 {
            (every, rest) = (rest, every % rest);
        }
        Self { at: self.at.checked_rem(every).unwrap_or(self.at), every }
    }
}

/// What a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasObject {
    /// A variable, by its number.
    Variable(u32),
    /// The objects that are allocated at one place, by a number for it.
    Allocated(u32),
    /// The objects of the environment.
    Outside,
}

/// What a certificate claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// There is no forbidden edge, and no function that must not be called.
    NoErrorSite,
    /// The program takes nothing from outside, and its only run is safe.
    OnlyRun,
    /// All executions end soon, and none reaches an error.
    AllExecutions,
    /// The same, path by path: functions may call themselves.
    AllPaths,
    /// What holds in functions, whoever called them, is inductive and excludes every error: at each
    /// entry, at the loops and at the end of a function, between the values at its entry
    /// ([`Node::AtEntry`]) and the present ones.
    Summaries {
        /// The formulas.
        formulas: Formulas,
        /// Where they hold; no calls are open there.
        places: Vec<CutPoint>,
    },
    /// Invariants are inductive; no error is reached within k blocks from the start, nor in the last
    /// of k blocks from any of their places.
    KInduction {
        /// The k; at least 1.
        k: u32,
        /// The formulas.
        formulas: Formulas,
        /// Where they hold: all places where blocks begin, but for the start.
        places: Vec<CutPoint>,
    },
    /// Invariants that hold for all positions are inductive and exclude every error. What holds at
    /// the beginning of a block is taken for the positions for which it is to be shown at its end,
    /// and for those of the instances.
    ForAll {
        /// The formulas, those of instances among them.
        formulas: Formulas,
        /// Where they hold.
        places: Vec<CutPoint>,
        /// Values of positions: their names, and nodes over the values at the beginning of a block.
        instances: Vec<Vec<(String, u32)>>,
    },
    /// Invariants are inductive and exclude every error.
    Invariants {
        /// The formulas.
        formulas: Formulas,
        /// Where they hold.
        places: Vec<CutPoint>,
    },
}

/// A place with what holds there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CutPoint {
    /// The open calls, the innermost first: the calling function, and the number of the edge.
    pub calls: Vec<(String, u32)>,
    /// The function.
    pub function: String,
    /// The number of the location.
    pub location: u32,
    /// The formula, a number of a node.
    pub formula: u32,
}

/// Formulas as a graph without loops: a node's arguments are earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Formulas {
    /// What variables are in them.
    pub theory: Theory,
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// What variables are in formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theory {
    /// Mathematical integers: the value that the type of the variable gives its bits.
    Integers,
    /// Bit-vectors.
    Bits,
}

/// A node of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// An integer, in decimal.
    Int(String),
    /// A bit-vector: value in decimal, and width.
    Bits(String, u32),
    /// What a variable of the program holds; in integers its mathematical value. Variables of a
    /// function are named with it.
    Variable {
        /// The function of a local variable that has its scope; `None` for what all functions see.
        function: Option<u32>,
        /// The variable, and the way to the scalar in it: `x`, `s.f`, `a[]`.
        name: String,
    },
    /// What a variable held at the entry of the function that the formula belongs to.
    AtEntry {
        /// As in [`Node::Variable`].
        function: Option<u32>,
        /// As in [`Node::Variable`].
        name: String,
    },
    /// A position that can be any and stays the same: the formulas hold for all of them.
    Position(String),
    /// The same in bits: the name, and the width.
    BitsPosition(String, u32),
    /// An operator of SMT-LIB by its name, with its numbers, and arguments.
    Apply(String, Vec<u32>, Vec<u32>),
}
