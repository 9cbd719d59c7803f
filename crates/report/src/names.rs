//! Names that the front end made, such as `.t0`, `.str.2` or `i.3`, as what the user wrote for them.
//!
//! Formulas speak of variables by their unique names. A person reads the string literal, the expression
//! whose value a temporary holds, or the plain name instead.

use std::collections::BTreeMap;

use gnomon_instrument::describe::{self, Temporaries};
use gnomon_ir::arena::Id;
use gnomon_ir::expr::{PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};

use crate::called::literal_of;

/// What several temporaries are that cannot be told apart.
const NAMELESS: &str = "...";

/// The names of a program that nobody wrote as they are.
pub struct Names<'p> {
    program: &'p Program,
    made: BTreeMap<&'p str, Vec<VarId>>,
}

impl<'p> Names<'p> {
    /// Of a program.
    pub fn of(program: &'p Program) -> Self {
        let mut made: BTreeMap<&str, Vec<VarId>> = BTreeMap::new();
        for (id, var) in program.vars.iter_ids().filter(|(_, var)| var.name.contains('.')) {
            made.entry(&var.name).or_default().push(id);
        }
        Self { program, made }
    }

    /// A text with the names of the user; temporaries are those of a function, if one is given.
    pub fn readable(&self, func: Option<FuncId>, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if end == 0 {
                shown.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (word, behind) = rest.split_at(end);
            shown += &self.word(func, word);
            rest = behind;
        }
        shown
    }

    /// A word: its longest beginning that is a name which was made, as the user wrote it.
    fn word(&self, func: Option<FuncId>, word: &str) -> String {
        let ends = word.match_indices('.').map(|(at, _)| at).chain([word.len()]);
        let ends: Vec<usize> = ends.collect();
        for &end in ends.iter().rev() {
            let (name, fields) = word.split_at(end);
            let Some(vars) = self.made.get(name) else { continue };
            // Where no function is known, `list.c` is rather a file than a static variable of `c`.
            let is_plain = |(_, number): (&str, &str)| number.bytes().all(|b| b.is_ascii_digit());
            if func.is_none()
                && !name.starts_with('.')
                && !name.split_once('.').is_some_and(is_plain)
            {
                continue;
            }
            let is_its = |var: &&VarId| {
                let owner = self.program.vars[**var].storage.function();
                owner.is_none() || owner == func
            };
            let var = vars.iter().find(is_its).or(vars.first().filter(|_| vars.len() == 1));
            let shown = match var {
                Some(var) => self.variable(*var),
                None if name.starts_with('.') => NAMELESS.to_owned(),
                None => source_name(name).to_owned(),
            };
            return shown + fields;
        }
        word.to_owned()
    }

    fn variable(&self, var: VarId) -> String {
        let program = self.program;
        let name = source_name(&program.vars[var].name);
        if !name.is_empty() {
            return name.to_owned();
        }
        if let Some(text) = literal_of(program, var) {
            return format!("{text:?}");
        }
        let owner = program.vars[var].storage.function();
        let body = owner.and_then(|owner| program.funcs[owner].body.as_ref());
        let known = body.map(|body| Temporaries::of(program, body)).unwrap_or_default();
        let mut places = (0..program.exprs.place_count()).map(PlaceId::from_index);
        let place = places.find(|p| program.exprs.place(*p).kind == PlaceKind::Var(var));
        place.map_or_else(String::new, |place| describe::place(program, &known, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_testkit::program;

    #[test]
    fn names_are_those_of_the_user() {
        let program = program(
            "extern int twice(int); extern int first(const char *);
             int f(int x) {
                 static int count;
                 { int i = x; x += i; }
                 { int i = 3; x += i; }
                 if (twice(x + 1) > 4) count += first(\"text\");
                 return count;
             }",
        );
        let names = Names::of(&program);
        let func = program.find_function("f");
        let made: Vec<&str> = names.made.keys().copied().collect();
        let shown: Vec<String> = made.iter().map(|name| names.readable(func, name)).collect();
        assert!(made.iter().any(|name| name.starts_with(".t")), "{made:?}");
        assert!(shown.contains(&"twice()".to_owned()), "{shown:?}");
        assert!(shown.contains(&"\"text\"".to_owned()), "{shown:?}");
        assert!(shown.contains(&"count".to_owned()), "{shown:?}");
        let is_made = |name: &String| name.starts_with(".t") || name.starts_with(".str");
        assert!(!shown.iter().any(is_made), "{shown:?}");
        assert_eq!(
            names.readable(func, "x >= 2.5 && p.next->v <= 0"),
            "x >= 2.5 && p.next->v <= 0"
        );
        let second = made.iter().find(|name| name.starts_with("i."));
        assert_eq!(
            second.map(|name| names.readable(func, &format!("{name} < 3"))),
            Some("i < 3".into())
        );
    }
}
