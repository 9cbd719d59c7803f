//! Statements.

use super::Dumper;
use crate::ast::{AsmId, AsmOperand, ExprId, StmtId, StmtKind};

impl Dumper<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.stmt_here(id));
    }

    fn stmt_here(&mut self, id: StmtId) {
        match self.ast[id].kind {
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Empty => self.word("(empty)"),
            StmtKind::Compound(items) => {
                self.word("(block");
                for i in 0..items.len() {
                    self.word(" ");
                    self.stmt(self.ast[items][i]);
                }
                self.word(")");
            }
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::If { cond, then, els } => {
                self.control("if", Some(cond), &[Some(then), els]);
            }
            StmtKind::While { cond, body } => self.control("while", Some(cond), &[Some(body)]),
            StmtKind::DoWhile { body, cond } => self.control("do-while", Some(cond), &[Some(body)]),
            StmtKind::For { init, cond, step, body } => {
                self.word("(for ");
                self.optional_stmt(init);
                self.word(" ");
                self.optional_expr(cond);
                self.word(" ");
                self.optional_expr(step);
                self.word(" ");
                self.stmt(body);
                self.word(")");
            }
            StmtKind::Switch { cond, body } => self.control("switch", Some(cond), &[Some(body)]),
            StmtKind::Case { first, last } => {
                self.word("(case ");
                self.expr(first);
                if let Some(last) = last {
                    self.word(" ... ");
                    self.expr(last);
                }
                self.word(")");
            }
            StmtKind::Default => self.word("(default)"),
            StmtKind::Label { name, attributes } => {
                self.word("(label ");
                self.name(name);
                self.attributes(attributes);
                self.word(")");
            }
            StmtKind::LocalLabels(labels) => {
                self.word("(local-labels ");
                self.separated(labels, " ", Dumper::name);
                self.word(")");
            }
            StmtKind::Goto(label) => {
                self.word("(goto ");
                self.name(label);
                self.word(")");
            }
            StmtKind::GotoComputed(expr) => self.control("goto", Some(expr), &[]),
            StmtKind::Continue => self.word("(continue)"),
            StmtKind::Break => self.word("(break)"),
            StmtKind::Return(value) => self.control("return", value, &[]),
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::NestedFunction(function) => self.function(function),
            StmtKind::Attributes(attributes) => {
                self.word("(attributes");
                self.attributes(attributes);
                self.word(")");
            }
            StmtKind::Error => self.word("<error>"),
        }
    }

    fn control(&mut self, keyword: &str, cond: Option<ExprId>, bodies: &[Option<StmtId>]) {
        self.word("(");
        self.word(keyword);
        if let Some(cond) = cond {
            self.word(" ");
            self.expr(cond);
        }
        for &body in bodies.iter().flatten() {
            self.word(" ");
            self.stmt(body);
        }
        self.word(")");
    }

    fn optional_stmt(&mut self, stmt: Option<StmtId>) {
        match stmt {
            Some(stmt) => self.stmt(stmt),
            None => self.word("_"),
        }
    }

    fn optional_expr(&mut self, expr: Option<ExprId>) {
        match expr {
            Some(expr) => self.expr(expr),
            None => self.word("_"),
        }
    }

    pub(super) fn asm(&mut self, id: AsmId) {
        let asm = self.ast[id];
        self.word("(asm");
        for (present, word) in
            [(asm.is_volatile, " volatile"), (asm.is_goto, " goto"), (asm.is_basic, " basic")]
        {
            if present {
                self.word(word);
            }
        }
        self.word(" ");
        self.string(asm.template);
        if !asm.outputs.is_empty() {
            self.word(" out: ");
            self.separated(asm.outputs, ", ", Dumper::asm_operand);
        }
        if !asm.inputs.is_empty() {
            self.word(" in: ");
            self.separated(asm.inputs, ", ", Dumper::asm_operand);
        }
        if !asm.clobbers.is_empty() {
            self.word(" clobbers: ");
            self.separated(asm.clobbers, ", ", Dumper::string);
        }
        if !asm.labels.is_empty() {
            self.word(" labels: ");
            self.separated(asm.labels, ", ", Dumper::name);
        }
        self.word(")");
    }

    fn asm_operand(&mut self, operand: AsmOperand) {
        if let Some(name) = operand.name {
            self.word("[");
            self.name(name);
            self.word("] ");
        }
        self.string(operand.constraint);
        self.word(" ");
        self.expr(operand.expr);
    }
}
