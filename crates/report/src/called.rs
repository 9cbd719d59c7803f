//! What the call of an error function says: the text of the assertion that fails.

use gnomon_engine::property::Site;
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::{InitItem, Program, Storage, VarId, source_name};

/// Longer texts of assertions are cut.
const LENGTH: usize = 120;

/// What happens at the call of an error function, for people; `None` where no function is called.
///
/// The C library has several functions that report assertions, which take the text at different places.
pub fn told(program: &Program, site: Site) -> Option<String> {
    let body = program.funcs[site.func].body.as_ref()?;
    let Op::Call(Call { callee: Callee::Direct(func), args, .. }) = &body.edge(site.edge).op else {
        return None;
    };
    let name = source_name(&program.funcs[*func].name);
    let text_at = match name {
        "__assert_fail" => Some(0),
        // Of glibc the text is the first argument, of others the last one.
        "__assert" if args.len() == 3 => Some(0),
        "__assert" | "__assert_func" => Some(3),
        _ => None,
    };
    let text = text_at.and_then(|at| string_literal(program, *args.get(at)?));
    Some(match text {
        Some(text) => format!("assertion `{}` fails", shown(&text)),
        None if text_at.is_some() => "an assertion fails".to_owned(),
        None => format!("{name}() is called"),
    })
}

/// On one line.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// The string literal that a pointer leads to the beginning of.
pub fn string_literal(program: &Program, mut pointer: ExprId) -> Option<String> {
    while let ExprKind::Cast(inner) = program.exprs.expr(pointer).kind {
        pointer = inner;
    }
    let ExprKind::AddrOf(place) = program.exprs.expr(pointer).kind else { return None };
    let var = match program.exprs.place(place).kind {
        PlaceKind::Var(var) => var,
        PlaceKind::Index(base, index) if program.as_int(index) == Some(0) => {
            let PlaceKind::Var(var) = program.exprs.place(base).kind else { return None };
            var
        }
        _ => return None,
    };
    literal_of(program, var)
}

/// The string literal that a variable is, which the front end made for it.
pub fn literal_of(program: &Program, var: VarId) -> Option<String> {
    let var = &program.vars[var];
    // A variable of the user may have changed meanwhile.
    if !source_name(&var.name).is_empty() {
        return None;
    }
    let Storage::Static { init: Some(init), read_only: true, .. } = &var.storage else {
        return None;
    };
    let [InitItem::Bytes { bytes, .. }] = &init.items[..] else { return None };
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
