//! The function definitions in a solver's model: what Spacer says the unknown relations are.

use super::parse::{ParseError, read_sort, read_term};
use super::sexpr::{Sexpr, SexprError, Sexprs};
use crate::term::{Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// One `define-fun`.
struct Definition {
    name: String,
    parameters: Vec<(String, Sexpr)>,
    body: Sexpr,
}

/// The `define-fun`s of a text.
pub struct Definitions<'a> {
    sexprs: Sexprs<'a>,
    definitions: Vec<Definition>,
}

impl<'a> Definitions<'a> {
    /// Reads the answer to `get-model`.
    pub fn parse(text: &'a str) -> Result<Self, SexprError> {
        let sexprs = Sexprs::parse(text)?;
        let mut definitions = Vec::new();
        // The definitions stand at the top or in one list around them.
        let mut candidates: Vec<Sexpr> = sexprs.roots().to_vec();
        for &root in sexprs.roots() {
            candidates.extend_from_slice(sexprs.list(root).unwrap_or_default());
        }
        for candidate in candidates {
            let Some(&[define, name, parameters, _, body]) = sexprs.list(candidate) else {
                continue;
            };
            if !matches!(sexprs.atom(define), Some("define-fun" | "define-fun-rec")) {
                continue;
            }
            let (Some(name), Some(parameters)) = (sexprs.atom(name), sexprs.list(parameters))
            else {
                continue;
            };
            let parameters = parameters
                .iter()
                .filter_map(|&p| match sexprs.list(p) {
                    Some(&[name, sort]) => Some((sexprs.atom(name)?.to_owned(), sort)),
                    _ => None,
                })
                .collect();
            definitions.push(Definition { name: name.to_owned(), parameters, body });
        }
        Ok(Self { sexprs, definitions })
    }

    /// The defined names, in the order of the text (without `|`).
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|d| d.name.as_str())
    }

    fn find(&self, name: &str) -> Result<&Definition, ParseError> {
        self.definitions
            .iter()
            .find(|d| d.name == name)
            .ok_or_else(|| ParseError::UnknownName(name.into()))
    }

    /// The sorts of the parameters of a definition.
    pub fn parameter_sorts(&self, terms: &mut Terms, name: &str) -> Result<Vec<Sort>, ParseError> {
        let definition = self.find(name)?;
        definition.parameters.iter().map(|&(_, s)| read_sort(terms, &self.sexprs, s)).collect()
    }

    /// The body of a definition with the arguments for its parameters.
    pub fn instantiate(
        &self,
        terms: &mut Terms,
        name: &str,
        args: &[Term],
    ) -> Result<Term, ParseError> {
        let definition = self.find(name)?;
        if definition.parameters.len() != args.len() {
            return Err(ParseError::Unsupported(format!(
                "`{name}` with {} arguments instead of {}",
                args.len(),
                definition.parameters.len()
            )));
        }
        let names: FxHashMap<String, Term> = definition
            .parameters
            .iter()
            .map(|(n, _)| n.clone())
            .zip(args.iter().copied())
            .collect();
        read_term(terms, &self.sexprs, definition.body, &names)
    }
}
