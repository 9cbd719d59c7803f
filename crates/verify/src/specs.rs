//! Property automata: which are asked for, and where they are in the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gnomon_engine::property::{Property, Site};
use gnomon_excerpt::{Message, Place, Severity};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_spec::{
    Automaton, Position, READY, Spec, Transition, Violation, Woven, history, library, parse, weave,
};

use crate::error::VerifyError;

/// The automata in a program.
#[derive(Clone, Debug)]
pub struct Automata {
    /// All of them.
    pub specs: Vec<Spec>,
    /// Where they can be violated.
    pub violations: BTreeMap<Site, Violation>,
    transitions: BTreeMap<(FuncId, EdgeId), Transition>,
    /// Edges that were inserted.
    pub(crate) inserted: BTreeSet<(FuncId, EdgeId)>,
    /// By the number of the spec.
    pub(crate) in_program: Vec<Automaton>,
}

impl Automata {
    /// What happened to the watched value on a run to a violation: place and text of each step.
    pub fn history(
        &self,
        program: &Program,
        site: Site,
        edges: impl Iterator<Item = (FuncId, EdgeId)>,
    ) -> Option<(&str, Vec<String>)> {
        let violation = self.violations.get(&site)?;
        let steps = history(&self.transitions, violation, edges).into_iter();
        let steps = steps.map(|step| format!("{}: {}", program.files.show(step.span), step.text));
        Some((&self.specs[violation.spec].name, steps.collect()))
    }

    /// The automaton that a site belongs to.
    pub fn spec_of(&self, site: Site) -> Option<&Spec> {
        self.violations.get(&site).map(|violation| &self.specs[violation.spec])
    }
}

/// Where edges of the program are after weaving.
type Moved = BTreeMap<(FuncId, EdgeId), EdgeId>;

/// Puts specs into the program, and their errors into the property.
pub(crate) fn woven(
    specs: Vec<Spec>,
    entry: &str,
    program: &mut Program,
    property: &mut Property,
) -> Result<(Automata, Moved), VerifyError> {
    let woven = weave(program, entry, &specs)?;
    let in_program = woven.automata(entry);
    let Woven { program: with_specs, violations, transitions, inserted, moved, .. } = woven;
    *program = with_specs;
    for (site, _) in &mut property.edges {
        site.edge = moved.get(&(site.func, site.edge)).copied().unwrap_or(site.edge);
    }
    let violations: BTreeMap<Site, Violation> =
        violations.into_iter().map(|v| (Site { func: v.func, edge: v.edge }, v)).collect();
    property.edges.extend(violations.iter().map(|(site, violation)| {
        (*site, format!("{}: {}", specs[violation.spec].name, violation.message))
    }));
    Ok((Automata { specs, violations, transitions, inserted, in_program }, moved))
}

/// The automata of these names; `texts` are those of files.
pub(crate) fn named(
    names: &[&str],
    texts: &BTreeMap<String, String>,
) -> Result<Vec<Spec>, VerifyError> {
    names.iter().map(|name| read(name, texts)).collect()
}

/// The file of an automaton, if it is none of the ready ones.
pub fn file_of(argument: &str) -> Option<&str> {
    argument.split(':').next().filter(|name| name.ends_with(".spec"))
}

/// `NAME` or `FILE.spec`, with options behind colons. A file whose text is among `texts` is not read.
pub fn read(argument: &str, texts: &BTreeMap<String, String>) -> Result<Spec, VerifyError> {
    let mut parts = argument.split(':');
    let name = parts.next().unwrap_or_default();
    let mut spec = if let Some(file) = file_of(argument) {
        let text = match texts.get(file) {
            Some(text) => text.clone(),
            None => std::fs::read_to_string(file).map_err(|error| VerifyError::File {
                path: PathBuf::from(file),
                problem: error.to_string(),
            })?,
        };
        parse(&text).map_err(|error| {
            let Position { line, column } = error.at;
            let content = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
            let before = content.chars().take(column.saturating_sub(1) as usize);
            let bytes = before.map(char::len_utf8).sum::<usize>() as u32;
            let place = Place::in_text(name, &text, line, bytes + 1);
            let message = Message::new(Severity::Error, &error.message, place);
            VerifyError::SpecText(message.render())
        })?
    } else {
        let ready = library::find(name).ok_or_else(|| no_such_spec(name))?;
        parse(ready.text).map_err(|error| VerifyError::Analysis(format!("spec {name}: {error}")))?
    };
    for option in parts {
        let set = option.split_once('=').and_then(|(name, value)| spec.set_option(name, value));
        set.ok_or_else(|| VerifyError::NoSuchOption {
            option: option.to_owned(),
            spec: spec.name.clone(),
        })?;
    }
    Ok(spec)
}

/// There is no automaton of that name.
pub fn no_such_spec(name: &str) -> VerifyError {
    VerifyError::NoSuchSpec { name: name.to_owned(), known: READY.map(|ready| ready.name).to_vec() }
}
