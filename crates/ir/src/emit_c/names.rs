//! Names for C: identifiers, no two things under one name, none that C or gcc gives a meaning.

use std::collections::BTreeSet;

use crate::arena::Arena;
use crate::c_text::Names;
use crate::emit_c::reserved::{is_builtin_function, is_reserved};
use crate::program::{FuncId, Program, Storage, VarId, source_name};
use crate::types::RecordId;

/// The names of everything.
pub(super) struct CNames {
    pub(super) vars: Arena<VarId, String>,
    pub(super) funcs: Arena<FuncId, String>,
    records: Arena<RecordId, String>,
    fields: Arena<RecordId, Vec<String>>,
    /// Whether the function needs a declaration if it has no body.
    declared: Arena<FuncId, bool>,
}

impl Names for CNames {
    fn var(&self, var: VarId) -> &str {
        &self.vars[var]
    }

    fn func(&self, func: FuncId) -> &str {
        &self.funcs[func]
    }

    fn record(&self, record: RecordId) -> &str {
        &self.records[record]
    }

    fn field(&self, record: RecordId, field: u32) -> &str {
        self.fields[record].get(field as usize).map_or("", String::as_str)
    }
}

impl CNames {
    pub(super) fn new(program: &Program) -> Self {
        // What is defined elsewhere keeps its name; the rest makes room.
        let mut taken = Taken::default();
        let mut declared: Arena<FuncId, bool> = Arena::new();
        for function in program.funcs.iter() {
            let name = source_name(&function.name);
            let fixed = function.body.is_none() || function.name == "main";
            let first = fixed && taken.names.insert(name.to_owned());
            declared.push(first && !is_compiler_builtin(name));
        }
        for var in program.vars.iter().filter(|var| is_external(&var.storage)) {
            taken.names.insert(source_name(&var.name).to_owned());
        }
        let funcs: Arena<FuncId, String> = program
            .funcs
            .iter()
            .map(|function| {
                let name = source_name(&function.name);
                if function.body.is_none() || function.name == "main" {
                    name.to_owned()
                } else if is_builtin_function(name) {
                    taken.fresh(&format!("{}_", function.name))
                } else {
                    taken.fresh(&function.name)
                }
            })
            .collect();
        let mut vars: Arena<VarId, String> = program
            .vars
            .iter()
            .map(|var| match &var.storage {
                Storage::Static { init: None, .. } => source_name(&var.name).to_owned(),
                Storage::Static { .. } => taken.fresh(&var.name),
                _ => String::new(),
            })
            .collect();
        for function in program.funcs.iter() {
            // Locals must not hide what the function may refer to.
            let mut scope = Scope { outer: &taken, own: Taken::default() };
            for &var in function.params.iter().chain(&function.locals) {
                vars[var] = scope.fresh(&program.vars[var].name);
            }
        }
        let mut tags = Taken::default();
        let records = program.types.records().map(|(_, r)| tags.fresh(&r.name)).collect();
        let fields = program
            .types
            .records()
            .map(|(_, record)| {
                let mut taken = Taken::default();
                record.fields.iter().map(|field| taken.fresh(&field.name)).collect()
            })
            .collect();
        Self { vars, funcs, records, fields, declared }
    }

    /// Whether a function without a body is declared in the C file.
    pub(super) fn is_declared(&self, func: FuncId) -> bool {
        self.declared[func]
    }
}

/// What gcc knows without a declaration, partly for operands of any type.
fn is_compiler_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}

fn is_external(storage: &Storage) -> bool {
    matches!(storage, Storage::Static { init: None, .. })
}

#[derive(Default)]
struct Taken {
    names: BTreeSet<String>,
}

impl Taken {
    fn fresh(&mut self, unique: &str) -> String {
        let name = free_name(unique, |name| self.names.contains(name));
        self.names.insert(name.clone());
        name
    }
}

struct Scope<'t> {
    outer: &'t Taken,
    own: Taken,
}

impl Scope<'_> {
    fn fresh(&mut self, unique: &str) -> String {
        let taken = |name: &str| self.outer.names.contains(name) || self.own.names.contains(name);
        let name = free_name(unique, taken);
        self.own.names.insert(name.clone());
        name
    }
}

/// The name as an identifier, with a number if it is not free.
fn free_name(unique: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut plain: String = unique
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
        .collect();
    if plain.is_empty() || plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    if !taken(&plain) && !is_reserved(&plain) {
        return plain;
    }
    let numbered = (1u64..).map(|n| format!("{plain}_{n}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or(plain)
}
