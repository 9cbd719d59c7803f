//! Random Boolean programs for differential tests and fuzzing.
//!
//! Small on purpose: few variables, several mutually recursive functions with parameters and
//! results, loops, gotos, assertions, nondeterminism, constraints. They are made as syntax trees,
//! so that printing and parsing are exercised on the way. The same seed gives the same program.

use crate::bp::ast::{
    BinaryOp, Declaration, Expr, ExprKind, Function, Program, Statement, StatementKind,
};
use crate::random::Random;
use crate::source::{Ident, Span};

/// How large the programs are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Most globals.
    pub globals: usize,
    /// Most locals and parameters of a function.
    pub locals: usize,
    /// Most functions besides `main`.
    pub functions: usize,
    /// About how many statements a function has.
    pub statements: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self { globals: 3, locals: 3, functions: 3, statements: 7 }
    }
}

pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) parameters: usize,
    pub(crate) results: usize,
}

pub(crate) struct Generator<'a> {
    pub(crate) random: Random,
    pub(crate) shape: Shape,
    pub(crate) globals: Vec<String>,
    pub(crate) signatures: &'a [Signature],
    /// Which functions may be called; without it all, the first one rarely.
    pub(crate) callees: Option<Vec<usize>>,
    /// Whether there are atomic sections.
    pub(crate) atomic_sections: bool,
}

pub(crate) fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

pub(crate) fn ident(text: &str) -> Ident {
    Ident::synthetic(text)
}

/// A random program.
pub fn program(seed: u64, shape: Shape) -> Program {
    let mut random = Random::new(seed);
    let globals: Vec<_> = (0..=random.below(shape.globals)).map(|i| format!("g{i}")).collect();
    let mut signatures = vec![Signature { name: "main".to_owned(), parameters: 0, results: 0 }];
    for i in 0..random.below(shape.functions + 1) {
        let parameters = random.below(shape.locals.min(2) + 1);
        let results = random.below(3);
        signatures.push(Signature { name: format!("f{i}"), parameters, results });
    }
    let mut generator = Generator {
        random,
        shape,
        globals,
        signatures: &signatures,
        callees: None,
        atomic_sections: false,
    };
    let functions = signatures.iter().map(|s| generator.function(s)).collect();
    let globals = generator.globals.clone();
    let declarations = globals.iter().map(|g| generator.declaration(g)).collect();
    Program { globals: declarations, functions }
}

impl Generator<'_> {
    pub(crate) fn declaration(&mut self, name: &str) -> Declaration {
        let initial = match self.random.below(4) {
            0 => Some(expr(ExprKind::Constant(self.random.coin()))),
            1 => Some(expr(ExprKind::Nondet)),
            _ => None,
        };
        Declaration { name: ident(name), initial }
    }

    pub(crate) fn function(&mut self, signature: &Signature) -> Function {
        let parameters: Vec<_> = (0..signature.parameters).map(|i| format!("p{i}")).collect();
        let room = self.shape.locals.saturating_sub(parameters.len());
        let locals: Vec<_> = (0..self.random.below(room + 1)).map(|i| format!("l{i}")).collect();
        let scope: Vec<_> =
            self.globals.iter().chain(&parameters).chain(&locals).cloned().collect();
        let mut body = FunctionBody {
            generator: self,
            scope,
            results: signature.results,
            statements: 0,
            labels: Vec::new(),
        };
        let count = 2 + body.generator.random.below(body.generator.shape.statements);
        body.labels = (0..count / 3).map(|i| format!("L{i}")).collect();
        let mut statements = body.block(count, 2);
        for (i, label) in body.labels.clone().iter().enumerate() {
            let place = i * statements.len() / body.labels.len().max(1);
            statements[place].labels.push(ident(label));
        }
        if body.generator.random.one_in(2) {
            let values = (0..signature.results).map(|_| body.expression(2)).collect();
            statements.push(plain(StatementKind::Return(values)));
        }
        let enforce = match body.generator.random.below(12) {
            0 => vec![body.expression(1)],
            _ => Vec::new(),
        };
        let abort_if = match body.generator.random.below(16) {
            0 => vec![body.expression(1)],
            _ => Vec::new(),
        };
        Function {
            dfs: false,
            results: signature.results as u32,
            name: ident(&signature.name),
            parameters: parameters.iter().map(|p| ident(p)).collect(),
            locals: locals.iter().map(|l| self.declaration(l)).collect(),
            enforce,
            abort_if,
            body: statements,
        }
    }
}

pub(crate) fn plain(kind: StatementKind) -> Statement {
    Statement { labels: Vec::new(), kind, span: Span::default() }
}

struct FunctionBody<'g, 'a> {
    generator: &'g mut Generator<'a>,
    scope: Vec<String>,
    results: usize,
    statements: usize,
    labels: Vec<String>,
}

impl FunctionBody<'_, '_> {
    fn below(&mut self, n: usize) -> usize {
        self.generator.random.below(n)
    }

    fn variable(&mut self) -> Ident {
        let i = self.below(self.scope.len());
        ident(&self.scope[i])
    }

    fn block(&mut self, count: usize, depth: usize) -> Vec<Statement> {
        (0..count.max(1)).map(|_| self.statement(depth)).collect()
    }

    /// Begins or ends an atomic section; not always in pairs.
    fn atomic_section(&mut self) -> Statement {
        plain(match self.below(3) {
            0 => StatementKind::AtomicBegin,
            _ => StatementKind::AtomicEnd,
        })
    }

    fn statement(&mut self, depth: usize) -> Statement {
        self.statements += 1;
        let compound = depth > 0;
        let kind = match self.below(if compound { 20 } else { 16 }) {
            0 if self.generator.atomic_sections => return self.atomic_section(),
            0 => StatementKind::Skip,
            1 if !self.labels.is_empty() => {
                let count = 1 + self.below(2);
                let pick = |s: &mut Self| {
                    let i = s.below(s.labels.len());
                    ident(&s.labels[i])
                };
                StatementKind::Goto((0..count).map(|_| pick(self)).collect())
            }
            2 => StatementKind::Assume(self.expression(2)),
            3 => StatementKind::Assert(self.expression(3)),
            4 => {
                let values = (0..self.results).map(|_| self.expression(2)).collect();
                match self.below(3) {
                    0 => StatementKind::Return(values),
                    _ => StatementKind::Dead(vec![self.variable()]),
                }
            }
            5 => self.constrained(),
            6..=9 => self.call(),
            10..=15 | 1 => self.assignment(),
            16 | 17 => {
                let mut branches = Vec::new();
                for _ in 0..=self.below(2) {
                    let count = 1 + self.below(2);
                    branches.push((self.expression(2), self.block(count, depth - 1)));
                }
                let otherwise = match self.below(2) {
                    0 => Some(self.block(1, depth - 1)),
                    _ => None,
                };
                StatementKind::If { branches, otherwise }
            }
            _ => {
                let count = 1 + self.below(2);
                let condition = self.expression(2);
                StatementKind::While { condition, body: self.block(count, depth - 1) }
            }
        };
        plain(kind)
    }

    fn assignment(&mut self) -> StatementKind {
        let mut targets = vec![self.variable()];
        if self.below(3) == 0 {
            let other = self.variable();
            if other != targets[0] {
                targets.push(other);
            }
        }
        let values = targets.iter().map(|_| self.expression(2)).collect();
        StatementKind::Assign { targets, values, constrain: None }
    }

    fn constrained(&mut self) -> StatementKind {
        let (x, y) = (self.variable(), self.variable());
        let post = |v: &Ident| expr(ExprKind::Post(v.clone()));
        let old = expr(ExprKind::Variable(self.variable()));
        let pair = expr(ExprKind::Binary(BinaryOp::Or, Box::new(post(&x)), Box::new(old)));
        if self.below(4) == 0 {
            return StatementKind::Constrain(pair);
        }
        let mut targets = vec![x];
        if y != targets[0] {
            targets.push(y);
        }
        let values = targets.iter().map(|_| expr(ExprKind::Nondet)).collect();
        StatementKind::Assign { targets, values, constrain: Some(pair) }
    }

    fn call(&mut self) -> StatementKind {
        let count = self.generator.signatures.len();
        // `main` is called rarely, so that recursion through it is tested but does not dominate.
        let choice = match self.generator.callees.clone() {
            Some(list) if list.is_empty() => return self.assignment(),
            Some(list) => list[self.below(list.len())],
            None if count > 1 && self.below(8) > 0 => 1 + self.below(count - 1),
            None => 0,
        };
        let signature = &self.generator.signatures[choice];
        let (name, results) = (signature.name.clone(), signature.results);
        let arguments = (0..signature.parameters).map(|_| self.expression(2)).collect();
        let mut targets: Vec<Ident> = Vec::new();
        if self.below(4) > 0 {
            for _ in 0..results {
                let target = self.variable();
                let taken = self.below(5) == 0 || targets.contains(&target);
                targets.push(if taken { ident("_") } else { target });
            }
        }
        StatementKind::Call { targets, callee: ident(&name), arguments }
    }

    fn expression(&mut self, depth: usize) -> Expr {
        let kind = match self.below(if depth == 0 { 6 } else { 14 }) {
            0 => ExprKind::Constant(self.below(2) == 0),
            1 => ExprKind::Nondet,
            2..=5 => ExprKind::Variable(self.variable()),
            6 | 7 => ExprKind::Not(Box::new(self.expression(depth - 1))),
            8 => {
                let parts = (self.boxed(depth), self.boxed(depth), self.boxed(depth));
                ExprKind::Conditional(parts.0, parts.1, parts.2)
            }
            9 => ExprKind::Schoose(self.boxed(depth), self.boxed(depth)),
            _ => {
                let ops = [
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Xor,
                    BinaryOp::Equal,
                    BinaryOp::NotEqual,
                    BinaryOp::Implies,
                ];
                let op = ops[self.below(ops.len())];
                ExprKind::Binary(op, self.boxed(depth), self.boxed(depth))
            }
        };
        expr(kind)
    }

    fn boxed(&mut self, depth: usize) -> Box<Expr> {
        Box::new(self.expression(depth - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bp;
    use crate::diagnostic::Diagnostics;

    #[test]
    fn what_is_generated_prints_parses_and_lowers_back() {
        for seed in 0..500 {
            let program = program(seed, Shape::default());
            let text = bp::print::program(&program);
            let mut messages = Diagnostics::default();
            let again = bp::parse::parse(&text, &mut messages);
            assert!(!messages.has_errors(), "{text}");
            assert_eq!(program, again, "{text}");
            assert!(bp::lower(&again, None, &mut messages).is_some(), "{text}");
        }
    }
}
