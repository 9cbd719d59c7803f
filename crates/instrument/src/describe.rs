//! Expressions for people: with the names that the user wrote.

use std::collections::BTreeMap;

use gnomon_ir::c_text::{CText, Fidelity, Names};
use gnomon_ir::cfa::{Call, Callee, Cfa, Op};
use gnomon_ir::expr::{ExprId, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_ir::types::RecordId;

/// Longer texts are cut.
const LENGTH: usize = 80;

/// What the front end made up itself and nobody can say what it stands for.
const NAMELESS: &str = "...";

/// What the temporaries of a function stand for: what is stored there, if only one thing is.
#[derive(Clone, Debug, Default)]
pub struct Temporaries(BTreeMap<VarId, String>);

impl Temporaries {
    /// Looks at all operations of a function.
    pub fn of(program: &Program, body: &Cfa) -> Self {
        let mut known = Temporaries::default();
        for edge in body.edges().iter() {
            let (dst, text) = match &edge.op {
                Op::Assign { dst, src } => (*dst, expr(program, &known, *src)),
                Op::Call(Call { dst: Some(dst), callee: Callee::Direct(f), .. }) => {
                    (*dst, format!("{}()", shown(&program.funcs[*f].name)))
                }
                _ => continue,
            };
            let PlaceKind::Var(var) = program.exprs.place(dst).kind else { continue };
            if source_name(&program.vars[var].name).is_empty() {
                let text = if text.contains(' ') { format!("({text})") } else { text };
                let stored = known.0.entry(var).or_insert_with(|| text.clone());
                if *stored != text {
                    NAMELESS.clone_into(stored);
                }
            }
        }
        known
    }
}

struct SourceNames<'p> {
    program: &'p Program,
    temporaries: &'p Temporaries,
}

fn shown(unique: &str) -> &str {
    match source_name(unique) {
        "" => NAMELESS,
        name => name,
    }
}

impl Names for SourceNames<'_> {
    fn var(&self, var: VarId) -> &str {
        match self.temporaries.0.get(&var) {
            Some(text) => text,
            None => shown(self.program.vars.get(var).map_or("", |var| &var.name)),
        }
    }

    fn func(&self, func: FuncId) -> &str {
        shown(self.program.funcs.get(func).map_or("", |func| &func.name))
    }

    fn record(&self, record: RecordId) -> &str {
        shown(&self.program.types.record(record).name)
    }

    fn field(&self, record: RecordId, field: u32) -> &str {
        let field = self.program.types.record(record).fields.get(field as usize);
        field.map_or("", |field| field.name.as_str())
    }
}

fn cut(text: String) -> String {
    if text.chars().count() <= LENGTH {
        return text;
    }
    let kept: String = text.chars().take(LENGTH).collect();
    format!("{kept}...")
}

/// An expression.
pub fn expr(program: &Program, temporaries: &Temporaries, e: ExprId) -> String {
    let names = SourceNames { program, temporaries };
    cut(CText::new(program, &names, Fidelity::Readable).expr(e))
}

/// A place.
pub fn place(program: &Program, temporaries: &Temporaries, p: PlaceId) -> String {
    let names = SourceNames { program, temporaries };
    cut(CText::new(program, &names, Fidelity::Readable).place(p))
}
