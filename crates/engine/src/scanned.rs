//! Formats of `scanf` that any number fits: only then may a run rely on what such a call stores.

use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::library::plain_name;
use gnomon_ir::program::{InitItem, Program, Storage};

/// Whether a call reads exactly one number from outside, of any value.
pub(crate) fn scans_one_number(program: &Program, name: &str, args: &[ExprId]) -> bool {
    let format = match plain_name(name) {
        "scanf" => args.first(),
        "fscanf" => args.get(1),
        // What `sscanf` finds depends on the string that it is given.
        _ => None,
    };
    format.and_then(|&format| literal(program, format)).is_some_and(is_one_number)
}

/// The bytes of a string literal.
fn literal(program: &Program, mut e: ExprId) -> Option<&[u8]> {
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind {
        e = inner;
    }
    let ExprKind::AddrOf(place) = program.exprs.expr(e).kind else { return None };
    let PlaceKind::Index(base, index) = program.exprs.place(place).kind else { return None };
    let PlaceKind::Var(var) = program.exprs.place(base).kind else { return None };
    let Storage::Static { init: Some(init), read_only: true, .. } = &program.vars[var].storage
    else {
        return None;
    };
    match &init.items[..] {
        [InitItem::Bytes { bytes, .. }] if program.as_int(index) == Some(0) => Some(bytes),
        _ => None,
    }
}

/// `%d` and the like, without a width and with nothing else around it.
fn is_one_number(format: &[u8]) -> bool {
    let text = format.split(|&byte| byte == 0).next().unwrap_or_default();
    let Some(conversion) = text.trim_ascii().strip_prefix(b"%") else { return false };
    let Some((kind, length)) = conversion.split_last() else { return false };
    let lengths: [&[u8]; 9] = [b"", b"hh", b"h", b"l", b"ll", b"L", b"z", b"j", b"t"];
    b"diuxXofeg".contains(kind) && lengths.contains(&length)
}

#[cfg(test)]
mod tests {
    use super::is_one_number;

    #[test]
    fn formats() {
        for format in ["%d", "%lld", " %hhu\n", "%Lf\0"] {
            assert!(is_one_number(format.as_bytes()), "{format}");
        }
        for format in ["", "%", "%3d", "%d %d", "%s", "x%d", "%*d", "%[0-9]", "%p", "%c"] {
            assert!(!is_one_number(format.as_bytes()), "{format}");
        }
    }
}
