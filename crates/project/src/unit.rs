//! A unit of work: a part of a program, where runs begin in it, and a group of what must not happen.
//!
//! Its key is a hash of exactly what its result depends on: the essence of all functions, variables and
//! records that a run from the entry can touch (preprocessed, with models of the library, without places
//! in the source but for the file of each function), what is asked and under which assumptions, and which build of Gnomon answers. Limits
//! on time and memory are no part of it: they decide whether there is a result, not which.
//!
//! A worker gets a unit as two files, the [`Unit`] and the text of the part; it needs no sources, no
//! compiler, no build and no spec files.

use std::collections::BTreeMap;

use gnomon_ir::arena::Id;
use gnomon_ir::part::{Mentions, Part};
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::text;
use gnomon_ir::types::RecordId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::{Group, Unknown};

/// Raised when the meaning of results changes.
pub const FORM: u32 = 1;

/// What a worker is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unit {
    /// The hash of all that the result depends on.
    pub key: String,
    /// The hash of the part: the name of the file with its text.
    pub part: String,
    /// The program or library.
    pub target: String,
    /// Where runs begin.
    pub entry: String,
    /// The file of the entry.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The group of what must not happen.
    pub group: String,
    /// What functions do of which nothing is known.
    pub unknown_functions: Unknown,
    /// Whether allocations can fail.
    pub malloc_may_fail: bool,
    /// The texts of property automata that are files, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub specs: BTreeMap<String, String>,
    /// A unit with a proof whose invariants may hold here too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

impl Unit {
    /// What it is called across changes of the program.
    pub fn name(&self) -> String {
        format!("{}:{}:{}", self.target, self.entry, self.group)
    }
}

/// The essences of everything in a program, hashed once.
pub struct Essences<'p> {
    program: &'p Program,
    /// What stands in what.
    pub mentions: Mentions,
    functions: Vec<[u8; 32]>,
    globals: BTreeMap<VarId, [u8; 32]>,
    records: BTreeMap<RecordId, [u8; 32]>,
}

impl<'p> Essences<'p> {
    /// Looks at a program.
    pub fn of(program: &'p Program) -> Self {
        let hash = |text: String| -> [u8; 32] { Sha256::digest(text.as_bytes()).into() };
        let named = |id: &VarId| !text::is_nameless(&program.vars[*id].name);
        let functions = program.funcs.ids().map(|id| hash(text::essence_of_function(program, id)));
        let globals = program.globals().filter(named);
        let globals = globals.map(|id| (id, hash(text::essence_of_global(program, id))));
        let records = program.types.records().filter(|(_, r)| !text::is_nameless(&r.name));
        let records = records.map(|(id, _)| (id, hash(text::essence_of_record(program, id))));
        Self {
            program,
            mentions: Mentions::of(program),
            functions: functions.collect(),
            globals: globals.collect(),
            records: records.collect(),
        }
    }

    /// The hash of a part. Things without a name are in the essence of what mentions them; the others are
    /// told by their names, so their order does not matter. Functions are those of their files: equal ones of two
    /// files have findings of their own.
    pub fn of_part(&self, part: &Part) -> String {
        let function = |id: &FuncId| Some((self.functions.get(id.index())?, self.file(*id)));
        let global = |id| Some((self.globals.get(id)?, ""));
        let record = |id| Some((self.records.get(id)?, ""));
        let mut all: Vec<(&[u8; 32], &str)> = part.functions.iter().filter_map(function).collect();
        all.extend(part.globals.iter().filter_map(global));
        all.extend(part.records.iter().filter_map(record));
        all.sort();
        let mut hash = Sha256::new();
        hash.update(format!("{FORM} {:?}\n", self.program.types.target()));
        hash.update(text::essence_of_notes(self.program, part));
        for (one, file) in all {
            hash.update(one);
            hash.update(format!("{file}\n"));
        }
        hex(&hash.finalize())
    }

    /// The file of a function with a body. One that does not lie below the project may lie elsewhere on another
    /// machine: it is none.
    fn file(&self, id: FuncId) -> &str {
        let function = &self.program.funcs[id];
        let is_here = function.body.is_some() && !function.span.is_none();
        let file = if is_here { self.program.files.name(function.span.file) } else { "" };
        if file.starts_with('/') { "" } else { file }
    }
}

/// What beside the part a key depends on.
pub struct Asked<'a> {
    /// Which build of Gnomon answers.
    pub build: &'a str,
    /// Where runs begin.
    pub entry: &'a str,
    /// What must not happen.
    pub group: &'a Group,
    /// The texts of property automata that are files, by their names.
    pub specs: &'a BTreeMap<String, String>,
    /// What functions do of which nothing is known.
    pub unknown_functions: Unknown,
    /// Whether allocations can fail.
    pub malloc_may_fail: bool,
}

impl Asked<'_> {
    /// The key of a unit.
    pub fn key(&self, part: &str) -> String {
        let Self { build, entry, group, specs, unknown_functions, malloc_may_fail } = self;
        let properties = serde_json::to_string(&group.properties).unwrap_or_default();
        let specs = serde_json::to_string(specs).unwrap_or_default();
        hash(&format!(
            "{part}\n{build}\n{entry}\n{properties}\n{specs}\n{unknown_functions:?} {malloc_may_fail}"
        ))
    }
}

/// SHA-256 in hexadecimal.
pub fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_cfront::load::{Input, load};
    use gnomon_cfront::preprocess::PreprocessOptions;
    use gnomon_cfront::translate::Models;

    fn program(text: &str) -> Program {
        program_of("a.i", text)
    }

    fn program_of(file: &str, text: &str) -> Program {
        let input = Input::text(file, text);
        load(&[input], &PreprocessOptions::default(), |_| Models::None).expect("a program").program
    }

    fn key_of(program: &Program, function: &str) -> String {
        let id = program.find_function(function).expect("a function");
        let essences = Essences::of(program);
        essences.of_part(&essences.mentions.part([id]))
    }

    const TEXT: &str = "struct s { int a; }; int x = 3; int *p = &x; extern int puts(const char *);\n\
        int h(void) { struct { int q; } l = { 2 }; return puts(\"h\") + l.q; }\n\
        int g(struct s *s) { return s->a / *p; }\n\
        int f(void) { struct s s = { 1 }; puts(\"hello\"); return g(&s); }\n";

    #[test]
    fn only_what_a_run_can_touch_changes_a_key() {
        let before = program(TEXT);
        let same = [
            TEXT.replace("int g(", "/* comment */\n\n  int g("),
            TEXT.replace("return puts(\"h\") + l.q", "puts(\"new\"); return puts(\"h\") * l.q"),
            format!("struct {{ int z; }} other = {{ 1 }}; char *t = \"text\";\n{TEXT}"),
        ];
        for text in &same {
            assert_eq!(key_of(&program(text), "f"), key_of(&before, "f"), "{text}");
        }
        let changed = [
            TEXT.replace("s->a / *p", "s->a % *p"),
            TEXT.replace("x = 3", "x = 4"),
            TEXT.replace("struct s { int a; }", "struct s { int a, b; }"),
            TEXT.replace("hello", "hullo"),
        ];
        for text in &changed {
            assert_ne!(key_of(&program(text), "f"), key_of(&before, "f"), "{text}");
        }
        assert_ne!(key_of(&program(&same[1]), "h"), key_of(&before, "h"));
        // Equal functions of two files are two; where files lie that are none of the project, does not matter.
        assert_ne!(key_of(&program_of("b.i", TEXT), "f"), key_of(&before, "f"));
        let [one, two] = ["/one/a.i", "/two/a.i"].map(|file| key_of(&program_of(file, TEXT), "f"));
        assert_eq!(one, two);
    }

    #[test]
    fn the_line_that_an_assert_tells_is_no_part_of_a_key() {
        let text = |line: u32, fails: &str| {
            format!(
                "{fails} int f(int a) {{ if (!(a < 7)) __assert_fail(\"a < 7\", \"a.c\", {line}, \"f\"); return a; }}"
            )
        };
        let key = |text: &str| key_of(&program(text), "f");
        let declared = "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));";
        assert_eq!(key(&text(10, declared)), key(&text(12, declared)));
        assert_ne!(key(&text(10, declared)), key(&text(10, declared).replace("a < 7", "a < 8")));
        // A function of the project may compute with it.
        let defined = "static int last; static void __assert_fail(const char *t, const char *f, unsigned l, const char *n) \
                       { last = 10 / (l - 12); }";
        assert_ne!(key(&text(10, defined)), key(&text(12, defined)));
    }

    #[test]
    fn a_part_is_a_program() {
        let whole = program(TEXT);
        let essences = Essences::of(&whole);
        let f = whole.find_function("f").expect("a function");
        let part = essences.mentions.part([f]);
        let text = text::print_part(&whole, &part);
        let alone = text::parse(&text).expect("it is read");
        assert!(gnomon_ir::validate::validate(&alone).is_empty(), "{text}");
        assert!(alone.find_function("g").is_some() && alone.find_function("h").is_none());
        assert_eq!(text::print(&alone), text);
        assert_eq!(key_of(&alone, "f"), key_of(&whole, "f"));
    }
}
