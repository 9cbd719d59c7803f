//! What is asked of a program: one type from the command line to reports, witnesses and
//! certificates.
//!
//! A [`Specification`] is an entry function and a list of [`Property`]s, each something that must
//! not happen in any run from there. It comes from options, from a property file of SV-COMP
//! ([`Specification::of_property_file`]) or from a Rust program, and is written down again in the
//! notation of SV-COMP where that has one, else in plain words ([`Specification`]'s `Display`).
//!
//! It lies in this crate because all who speak of properties depend on it: the instrumentation
//! ([`CheckKind`]), the certificates, the reports and the pipeline. Which edges of a program a
//! property forbids is for the engines to say; nothing here looks at a program.
//!
//! ```
//! use gnomon_ir::property::{Property, Specification};
//!
//! let text = "CHECK( init(main()), LTL(G ! data-race) )";
//! let asked = Specification::of_property_file(text).expect("a property");
//! assert_eq!(asked.properties, [Property::DataRace]);
//! assert_eq!(asked.to_string(), text);
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::library::ERROR_FUNCTIONS;

/// Something that must not happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// This function is called.
    Call(String),
    /// This label is reached.
    Label(String),
    /// This line is reached.
    Line {
        /// The file, or the end of its path.
        file: String,
        /// The number of the line.
        line: u32,
    },
    /// Undefined behaviour of this kind.
    Undefined(CheckKind),
    /// Two threads access the same data, one of them writing, and nothing orders them.
    DataRace,
    /// No thread can move, and not all have ended.
    Deadlock,
    /// A primitive of threads is used in a way that its specification forbids.
    Misuse,
    /// A property automaton is violated: its name or file, with options behind colons.
    Spec(String),
}

/// A kind of undefined behaviour that can be checked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Signed arithmetic whose result does not fit: `+`, `-`, `*`, `<<`, and the smallest number
    /// divided by -1.
    Overflow,
    /// Division of integers by zero.
    Division,
    /// An index that is not below the length of its array.
    Bounds,
    /// Access through the null pointer, and a call through it.
    Null,
    /// A shift count that is negative or not below the width.
    Shift,
    /// Access outside of all living objects that the pointer may point to, and a call through a
    /// pointer to no function.
    Access,
    /// `free` of what is not the beginning of a living object from the heap.
    Free,
    /// An object from the heap that nothing leads to when the program ends.
    Leak,
    /// An object from the heap that lives when the program ends.
    Cleanup,
}

impl CheckKind {
    /// All of them.
    pub const ALL: [CheckKind; 9] = [
        CheckKind::Overflow,
        CheckKind::Division,
        CheckKind::Bounds,
        CheckKind::Null,
        CheckKind::Shift,
        CheckKind::Access,
        CheckKind::Free,
        CheckKind::Leak,
        CheckKind::Cleanup,
    ];

    /// Those of memory safety, as SV-COMP has them.
    pub const MEMORY: [CheckKind; 3] = [CheckKind::Access, CheckKind::Free, CheckKind::Leak];

    /// Those that need to know which objects live.
    pub fn is_of_memory(self) -> bool {
        matches!(self, Self::Access | Self::Free | Self::Leak | Self::Cleanup)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Overflow => "overflow",
            CheckKind::Division => "div",
            CheckKind::Bounds => "bounds",
            CheckKind::Null => "null",
            CheckKind::Shift => "shift",
            CheckKind::Access => "access",
            CheckKind::Free => "free",
            CheckKind::Leak => "leak",
            CheckKind::Cleanup => "cleanup",
        }
    }

    /// What went wrong, for people.
    pub fn message(self) -> &'static str {
        match self {
            CheckKind::Overflow => "signed overflow",
            CheckKind::Division => "division by zero",
            CheckKind::Bounds => "index out of bounds",
            CheckKind::Null => "null pointer dereference",
            CheckKind::Shift => "shift count out of range",
            CheckKind::Access => "access outside of all living objects",
            CheckKind::Free => "free of what cannot be freed",
            CheckKind::Leak => "memory is lost",
            CheckKind::Cleanup => "memory is not freed",
        }
    }
}

/// Where runs begin, and what must not happen in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Specification {
    /// The function that runs first.
    pub entry: String,
    /// What must not happen.
    pub properties: Vec<Property>,
}

impl Default for Specification {
    /// No error function is called in a run of `main`.
    fn default() -> Self {
        let properties = ERROR_FUNCTIONS.map(|name| Property::Call(name.to_owned())).to_vec();
        Self { entry: "main".to_owned(), properties }
    }
}

impl Specification {
    /// The functions that must not be called.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().filter_map(|property| match property {
            Property::Call(function) => Some(function.as_str()),
            _ => None,
        })
    }

    /// The kinds of undefined behaviour that are errors.
    pub fn checks(&self) -> impl Iterator<Item = CheckKind> {
        self.properties.iter().filter_map(|property| match property {
            Property::Undefined(kind) => Some(*kind),
            _ => None,
        })
    }

    /// The property automata.
    pub fn specs(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().filter_map(|property| match property {
            Property::Spec(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it forbids this.
    pub fn forbids(&self, property: &Property) -> bool {
        self.properties.contains(property)
    }

    /// Adds what it does not forbid yet.
    pub fn add(&mut self, property: Property) {
        if !self.forbids(&property) {
            self.properties.push(property);
        }
    }

    /// The formulas that SV-COMP has for it, if it has any.
    fn formulas(&self) -> Option<Vec<String>> {
        let call = |function: &str| format!("G ! call({function}())");
        match &self.properties[..] {
            [Property::Call(function)] => Some(vec![call(function)]),
            [Property::DataRace] => Some(vec!["G ! data-race".to_owned()]),
            [Property::Undefined(CheckKind::Overflow)] => Some(vec!["G ! overflow".to_owned()]),
            // The default names the error functions of several worlds.
            several => of_memory(several).or_else(|| {
                // Errors of memory and division are asked for beside others, and have their own.
                let is_beside =
                    |kind: CheckKind| kind.is_of_memory() || kind == CheckKind::Division;
                let only_calls = several.iter().all(|p| match p {
                    Property::Call(_) => true,
                    Property::Undefined(kind) => is_beside(*kind),
                    _ => false,
                });
                let named = several.contains(&Property::Call("reach_error".to_owned()));
                (only_calls && named).then(|| vec![call("reach_error")])
            }),
        }
    }

    /// Reads a property file of SV-COMP: one `CHECK( init(main()), LTL(...) )` or several.
    pub fn of_property_file(text: &str) -> Result<Self, BadPropertyFile> {
        let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = dense.as_str();
        let mut read: Option<Self> = None;
        while !rest.is_empty() {
            let (entry, formula, behind) = one_check(rest).ok_or(BadPropertyFile::Form)?;
            let property = property_of(formula)?;
            let all = read
                .get_or_insert_with(|| Self { entry: entry.to_owned(), properties: Vec::new() });
            if all.entry != entry {
                return Err(BadPropertyFile::Entries(all.entry.clone(), entry.to_owned()));
            }
            all.add(property);
            rest = behind;
        }
        read.ok_or(BadPropertyFile::Form)
    }
}

/// In the notation of SV-COMP where it has one, else in plain words.
impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(formulas) = self.formulas() {
            let check =
                |formula: &String| format!("CHECK( init({}()), LTL({formula}) )", self.entry);
            let checks: Vec<String> = formulas.iter().map(check).collect();
            return f.write_str(&checks.join(" "));
        }
        let specs: Vec<&str> = self.specs().collect();
        let others = self.properties.iter().any(|p| !matches!(p, Property::Spec(_)));
        match (specs.is_empty(), others) {
            (true, _) => write!(f, "no error is reached"),
            (false, false) => write!(f, "no violation of {}", specs.join(", ")),
            (false, true) => {
                write!(f, "no violation of {}, and no error is reached", specs.join(", "))
            }
        }
    }
}

/// Why a property file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPropertyFile {
    /// It has another form.
    #[error(
        "only properties of the forms CHECK( init(main()), LTL(G ! call(reach_error())) ), with \
         `G ! overflow`, `G ! data-race`, `G valid-free`, `G valid-deref`, `G valid-memtrack` and \
         `G valid-memcleanup` are supported so far"
    )]
    Form,
    /// The property is known, and nothing here decides it.
    #[error(
        "{what} (`{formula}`) is not supported yet: properties of calls, overflow, memory and data races are"
    )]
    Unsupported {
        /// What it demands, for people.
        what: &'static str,
        /// As it stands in the file.
        formula: String,
    },
    /// Several properties are about runs from several functions.
    #[error("the properties begin in two functions, `{0}` and `{1}`")]
    Entries(String, String),
}

/// The formulas of properties that are all about memory safety.
fn of_memory(properties: &[Property]) -> Option<Vec<String>> {
    let formula = |property: &Property| match property {
        Property::Undefined(CheckKind::Access) => Some("G valid-deref".to_owned()),
        Property::Undefined(CheckKind::Free) => Some("G valid-free".to_owned()),
        Property::Undefined(CheckKind::Leak) => Some("G valid-memtrack".to_owned()),
        Property::Undefined(CheckKind::Cleanup) => Some("G valid-memcleanup".to_owned()),
        _ => None,
    };
    let formulas: Vec<String> = properties.iter().map(formula).collect::<Option<_>>()?;
    (!formulas.is_empty()).then_some(formulas)
}

/// The entry, the formula and what comes behind it.
fn one_check(text: &str) -> Option<(&str, &str, &str)> {
    let rest = text.strip_prefix("CHECK(init(").or_else(|| text.strip_prefix("COVER(init("))?;
    let (entry, rest) = rest.split_once("()),")?;
    let (formula, behind) = balanced(rest)?;
    is_name(entry).then_some((entry, formula, behind))
}

/// What stands before the bracket that closes, and what behind it.
fn balanced(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn property_of(formula: &str) -> Result<Property, BadPropertyFile> {
    let unsupported = |what| BadPropertyFile::Unsupported { what, formula: formula.to_owned() };
    match formula {
        "LTL(G!data-race)" => return Ok(Property::DataRace),
        "LTL(G!overflow)" => return Ok(Property::Undefined(CheckKind::Overflow)),
        "LTL(Gvalid-free)" => return Ok(Property::Undefined(CheckKind::Free)),
        "LTL(Gvalid-deref)" => return Ok(Property::Undefined(CheckKind::Access)),
        "LTL(Gvalid-memtrack)" => return Ok(Property::Undefined(CheckKind::Leak)),
        "LTL(Gvalid-memcleanup)" => return Ok(Property::Undefined(CheckKind::Cleanup)),
        "LTL(Gdef-behavior)" => return Err(unsupported("the absence of all undefined behaviour")),
        "LTL(Fend)" => return Err(unsupported("termination")),
        _ if formula.starts_with("FQL(") => return Err(unsupported("coverage")),
        _ => {}
    }
    let function = formula.strip_prefix("LTL(G!call(").and_then(|rest| rest.strip_suffix("()))"));
    match function.filter(|function| is_name(function)) {
        Some(function) => Ok(Property::Call(function.to_owned())),
        None => Err(BadPropertyFile::Form),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Specification, BadPropertyFile> {
        Specification::of_property_file(text)
    }

    #[test]
    fn property_files_are_read_and_written_back() {
        for (text, property) in [
            ("LTL(G ! call(reach_error()))", Property::Call("reach_error".into())),
            ("LTL(G ! overflow)", Property::Undefined(CheckKind::Overflow)),
            ("LTL(G ! data-race)", Property::DataRace),
            ("LTL(G valid-deref)", Property::Undefined(CheckKind::Access)),
            ("LTL(G valid-free)", Property::Undefined(CheckKind::Free)),
            ("LTL(G valid-memtrack)", Property::Undefined(CheckKind::Leak)),
            ("LTL(G valid-memcleanup)", Property::Undefined(CheckKind::Cleanup)),
        ] {
            let text = format!("CHECK( init(main()), {text} )");
            let asked = read(&format!("{text}\n")).expect("a property");
            assert_eq!((asked.entry.as_str(), &asked.properties[..]), ("main", &[property][..]));
            assert_eq!(asked.to_string(), text);
        }
        let two = "CHECK( init(f()), LTL(G ! overflow) )\nCHECK( init(f()), LTL(G ! call(g())) )\n";
        assert_eq!(read(two).expect("two properties").properties.len(), 2);
        for other in ["", "CHECK( init(main()), LTL(F x) )", "CHECK(init(main()),LTL(G!call(())))"]
        {
            assert_eq!(read(other), Err(BadPropertyFile::Form), "{other}");
        }
        let two = "CHECK( init(f()), LTL(G ! overflow) )\nCHECK( init(g()), LTL(G ! data-race) )\n";
        assert!(matches!(read(two), Err(BadPropertyFile::Entries(..))));
    }

    #[test]
    fn properties_of_memory_safety_together_are_written_as_they_were_read() {
        let text = "CHECK( init(main()), LTL(G valid-free) ) CHECK( init(main()), LTL(G valid-deref) ) \
                    CHECK( init(main()), LTL(G valid-memtrack) )";
        let asked = read(text).expect("three properties");
        assert_eq!(asked.properties.len(), 3);
        assert_eq!(asked.to_string(), text);
    }

    #[test]
    fn other_properties_of_sv_comp_are_refused_by_name() {
        for (text, what) in [
            ("CHECK( init(main()), LTL(G def-behavior) )", "the absence"),
            ("CHECK( init(main()), LTL(F end) )", "termination"),
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )", "coverage"),
        ] {
            let refused = read(text).expect_err("not supported");
            assert!(refused.to_string().starts_with(what), "{refused}");
        }
    }

    #[test]
    fn what_sv_comp_has_no_word_for_is_plain_english() {
        let of = |properties: Vec<Property>| {
            Specification { entry: "main".into(), properties }.to_string()
        };
        let default = Specification::default().to_string();
        assert_eq!(default, "CHECK( init(main()), LTL(G ! call(reach_error())) )");
        assert_eq!(of(vec![Property::Spec("file".into())]), "no violation of file");
        assert_eq!(of(vec![Property::Label("ERROR".into())]), "no error is reached");
        assert_eq!(of(vec![Property::Undefined(CheckKind::Null)]), "no error is reached");
        let both = vec![Property::Spec("file".into()), Property::Deadlock];
        assert_eq!(of(both), "no violation of file, and no error is reached");
    }
}
