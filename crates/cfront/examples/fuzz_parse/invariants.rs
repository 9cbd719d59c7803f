//! What must hold of every tree: exact spans, operands inside what they belong to.

use gnomon_cfront::ast::{Ast, ExprId, ExprKind, StmtId, StmtKind};
use gnomon_cfront::span::Span;

/// The operands of an expression that are expressions.
fn operands(ast: &Ast, id: ExprId) -> Vec<ExprId> {
    match ast[id].kind {
        ExprKind::Unary { operand, .. }
        | ExprKind::Cast { operand, .. }
        | ExprKind::SizeofExpr(operand)
        | ExprKind::AlignofExpr { operand, .. }
        | ExprKind::ConvertVector { operand, .. } => vec![operand],
        ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => vec![base],
        ExprKind::VaArg { list, .. } => vec![list],
        ExprKind::Binary { lhs, rhs, .. }
        | ExprKind::Assign { lhs, rhs, .. }
        | ExprKind::Comma { lhs, rhs } => vec![lhs, rhs],
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::Conditional { cond, then, els } => {
            std::iter::once(cond).chain(then).chain([els]).collect()
        }
        ExprKind::ChooseExpr { cond, then, els } => vec![cond, then, els],
        ExprKind::Call { callee, args } => {
            std::iter::once(callee).chain(ast[args].iter().copied()).collect()
        }
        ExprKind::Generic { control, associations } => {
            std::iter::once(control).chain(ast[associations].iter().map(|a| a.expr)).collect()
        }
        _ => Vec::new(),
    }
}

/// The statements and expressions directly in a statement.
fn parts(ast: &Ast, id: StmtId) -> (Vec<StmtId>, Vec<ExprId>) {
    match ast[id].kind {
        StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) => (vec![], vec![expr]),
        StmtKind::Compound(items) => (ast[items].to_vec(), vec![]),
        StmtKind::If { cond, then, els } => {
            (std::iter::once(then).chain(els).collect(), vec![cond])
        }
        StmtKind::While { cond, body }
        | StmtKind::DoWhile { body, cond }
        | StmtKind::Switch { cond, body } => (vec![body], vec![cond]),
        StmtKind::For { init, cond, step, body } => {
            (init.into_iter().chain([body]).collect(), cond.into_iter().chain(step).collect())
        }
        StmtKind::Case { first, last } => (vec![], std::iter::once(first).chain(last).collect()),
        StmtKind::Return(value) => (vec![], value.into_iter().collect()),
        _ => (vec![], vec![]),
    }
}

fn is_inside(inner: Span, outer: Span) -> bool {
    outer.lo <= inner.lo && inner.hi <= outer.hi
}

/// Whether the span is not empty and has no blanks at its ends.
fn is_tight(span: Span, text: &[u8]) -> bool {
    match span.of(text) {
        [] => false,
        bytes => !bytes[0].is_ascii_whitespace() && !bytes[bytes.len() - 1].is_ascii_whitespace(),
    }
}

/// The first violation, for a tree without errors.
pub fn check(ast: &Ast, text: &[u8]) -> Result<(), String> {
    for id in ast.expr_ids() {
        let span = ast[id].span;
        if !is_tight(span, text) {
            return Err(format!("{id:?} has the span {span:?}"));
        }
        if let Some(&bad) = operands(ast, id).iter().find(|&&o| !is_inside(ast[o].span, span)) {
            return Err(format!("{bad:?} {:?} is outside {id:?} {span:?}", ast[bad].span));
        }
    }
    for id in ast.stmt_ids() {
        let span = ast[id].span;
        if !is_tight(span, text) {
            return Err(format!("{id:?} has the span {span:?}"));
        }
        let (stmts, exprs) = parts(ast, id);
        let inner = stmts.iter().map(|&s| ast[s].span).chain(exprs.iter().map(|&e| ast[e].span));
        if let Some(bad) = inner.into_iter().find(|&inner| !is_inside(inner, span)) {
            return Err(format!("{bad:?} is outside {id:?} {span:?}"));
        }
    }
    Ok(())
}
