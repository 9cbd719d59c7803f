//! Statements.

use gnomon_ir::cfa::Op;
use gnomon_ir::library::ERROR_FUNCTIONS;
use gnomon_ir::program::{Note, Stmt as IrStmt, StmtKind as IrStmtKind};
use gnomon_ir::types as ir;

use super::conv::Val;
use super::ctype::CTypes;
use super::expr::with_stack;
use super::{Lower, Res};
use crate::ast::{AsmId, DeclKind, ExprId, List, StmtId, StmtKind};
use crate::span::Span;
use crate::symbol::Symbol;

impl Lower<'_> {
    /// A list of statements; an error in one does not keep the others from being lowered.
    pub(super) fn statements(&mut self, list: List<StmtId>) {
        for &stmt in &self.ast[list] {
            let _ = self.statement(stmt);
        }
    }

    pub(super) fn statement(&mut self, id: StmtId) -> Res<()> {
        with_stack(|| self.statement_here(id))
    }

    fn statement_here(&mut self, id: StmtId) -> Res<()> {
        let stmt = self.ast[id];
        match stmt.kind {
            StmtKind::Compound(list) => {
                self.block(list);
                Ok(())
            }
            StmtKind::Expr(e) => {
                self.begin(IrStmtKind::Expression, stmt.span);
                self.check_sequence(e);
                self.discard(e)
            }
            StmtKind::Empty | StmtKind::Attributes(_) => Ok(()),
            StmtKind::Decl(decl) => {
                self.begin(IrStmtKind::Declaration, stmt.span);
                self.local_declaration(decl)
            }
            StmtKind::If { cond, then, els } => self.if_statement(id, cond, then, els),
            StmtKind::While { cond, body } => self.while_loop(stmt.span, cond, body),
            StmtKind::DoWhile { body, cond } => self.do_while_loop(stmt.span, cond, body),
            StmtKind::For { init, cond, step, body } => {
                self.in_block(|lower| lower.for_loop(stmt.span, init, cond, step, body))
            }
            StmtKind::Switch { cond, body } => self.switch(cond, body, stmt.span),
            StmtKind::Case { first, last } => self.case_label(first, last, stmt.span),
            StmtKind::Default => self.default_label(stmt.span),
            StmtKind::Label { name, .. } => self.define_label(name, stmt.span),
            StmtKind::LocalLabels(names) => {
                self.local_labels(names);
                Ok(())
            }
            StmtKind::Goto(name) => {
                self.begin(IrStmtKind::Goto, stmt.span);
                let target = self.label(name, stmt.span);
                self.leave_to(target, stmt.span);
                Ok(())
            }
            StmtKind::GotoComputed(e) => {
                self.begin(IrStmtKind::Goto, stmt.span);
                self.computed_goto(e, stmt.span)
            }
            StmtKind::Continue => {
                self.begin(IrStmtKind::Goto, stmt.span);
                match self.func.continues.last() {
                    Some(&target) => self.leave_to(target, stmt.span),
                    None => return Err(self.error(stmt.span, "`continue` outside of a loop")),
                }
                Ok(())
            }
            StmtKind::Break => {
                self.begin(IrStmtKind::Goto, stmt.span);
                match self.func.breaks.last() {
                    Some(&target) => self.leave_to(target, stmt.span),
                    None => {
                        let message = "`break` outside of a loop or `switch`";
                        return Err(self.error(stmt.span, message));
                    }
                }
                Ok(())
            }
            StmtKind::Return(value) => self.return_statement(value, stmt.span),
            StmtKind::Asm(asm) => {
                self.begin(IrStmtKind::Asm, stmt.span);
                self.asm_statement(asm)
            }
            StmtKind::NestedFunction(function) => {
                let span = self.ast[self.ast[function].declarator].name_span;
                Err(self.unsupported(span, "nested functions are not supported"))
            }
            StmtKind::Error => Err(self.already_reported()),
        }
    }

    /// From here on edges belong to a new statement of the user.
    fn begin(&mut self, kind: IrStmtKind, span: Span) {
        let ir_span = self.ir_span(span);
        self.func.stmt = self.program.stmts.push(IrStmt { kind, span: ir_span });
        self.func.last_span = span;
    }

    pub(super) fn begin_head(&mut self, kind: IrStmtKind, span: Span, cond: ExprId) {
        let head = Span::new(span.lo, self.ast[cond].span.hi.min(span.hi).max(span.lo));
        self.begin(kind, head);
    }

    /// An edge of the user's own to a location, behind which nothing is reached.
    fn leave_to(&mut self, target: gnomon_ir::cfa::LocId, span: Span) {
        self.emit_to(Op::Skip, span, target);
        self.func.cur = self.new_loc();
    }

    /// A block with its own scope and labels.
    pub(super) fn block(&mut self, list: List<StmtId>) {
        let open = self.func.hidden_labels.len();
        self.in_block(|lower| lower.statements(list));
        self.leave_local_labels(open);
    }

    fn local_declaration(&mut self, decl: crate::ast::DeclId) -> Res<()> {
        match self.ast[decl].kind {
            DeclKind::Declaration { specs, declarators } => {
                self.declaration(specs, &self.ast[declarators])
            }
            DeclKind::StaticAssert { cond, message } => self.static_assert(cond, message),
            DeclKind::Empty => Ok(()),
            DeclKind::Error => Err(self.already_reported()),
            DeclKind::Function(function) => {
                let span = self.ast[self.ast[function].declarator].name_span;
                Err(self.unsupported(span, "nested functions are not supported"))
            }
            DeclKind::Asm(asm) => self.asm_statement(asm),
        }
    }

    /// `if` with all its `else if`: a chain is a loop here, not a recursion.
    fn if_statement(
        &mut self,
        id: StmtId,
        cond: ExprId,
        then: StmtId,
        els: Option<StmtId>,
    ) -> Res<()> {
        let end = self.new_loc();
        let (mut id, mut cond, mut then, mut els) = (id, cond, then, els);
        let mut result = Ok(());
        loop {
            self.begin_head(IrStmtKind::If, self.ast[id].span, cond);
            self.check_sequence(cond);
            let [yes, no] = std::array::from_fn(|_| self.new_loc());
            result = self.branch(cond, yes, no).and(result);
            self.func.cur = yes;
            result = self.in_block(|lower| lower.statement(then)).and(result);
            self.jump(end);
            self.func.cur = no;
            match els.map(|els| (els, self.ast[els].kind)) {
                Some((next, StmtKind::If { cond: c, then: t, els: e })) => {
                    (id, cond, then, els) = (next, c, t, e);
                }
                Some((other, _)) => {
                    result = self.in_block(|lower| lower.statement(other)).and(result);
                    break;
                }
                None => break,
            }
        }
        self.continue_at(end);
        result
    }

    fn loop_body(
        &mut self,
        body: StmtId,
        next: gnomon_ir::cfa::LocId,
        end: gnomon_ir::cfa::LocId,
    ) -> Res<()> {
        self.func.breaks.push(end);
        self.func.continues.push(next);
        let result = self.in_block(|lower| lower.statement(body));
        self.func.breaks.pop();
        self.func.continues.pop();
        result
    }

    /// Notes that a loop begins there, and where the first statement of its body does.
    fn note_head(&mut self, span: Span, first: u32) {
        let span = self.ir_span(Span::new(span.lo, first));
        self.program.stmts.push(IrStmt { kind: IrStmtKind::LoopHead, span });
    }

    /// Where the first thing begins that a statement does, as far as that is plain from the text.
    fn first_of(&self, id: StmtId) -> Option<u32> {
        let stmt = self.ast[id];
        match stmt.kind {
            StmtKind::Compound(list) => {
                self.ast[list].iter().find_map(|&inner| self.first_of(inner))
            }
            StmtKind::DoWhile { body, cond } => {
                self.first_of(body).or_else(|| Some(self.ast[cond].span.lo))
            }
            StmtKind::For { init: Some(init), .. } => self.first_of(init),
            StmtKind::For { init: None, cond: None, body, .. } => self.first_of(body),
            StmtKind::Empty
            | StmtKind::Attributes(_)
            | StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Label { .. }
            | StmtKind::LocalLabels(_) => None,
            _ => Some(stmt.span.lo),
        }
    }

    fn while_loop(&mut self, span: Span, cond: ExprId, body: StmtId) -> Res<()> {
        let [head, inside, end] = std::array::from_fn(|_| self.new_loc());
        self.continue_at(head);
        self.begin_head(IrStmtKind::While, span, cond);
        self.check_sequence(cond);
        let condition = self.branch(cond, inside, end);
        self.func.cur = inside;
        if let Some(first) = self.first_of(body) {
            self.note_head(span, first);
        }
        let result = self.loop_body(body, head, end);
        self.jump(head);
        self.func.cur = end;
        condition.and(result)
    }

    fn do_while_loop(&mut self, span: Span, cond: ExprId, body: StmtId) -> Res<()> {
        let [head, test, end] = std::array::from_fn(|_| self.new_loc());
        self.continue_at(head);
        self.note_head(span, self.first_of(body).unwrap_or(self.ast[cond].span.lo));
        let result = self.loop_body(body, test, end);
        self.continue_at(test);
        self.begin(IrStmtKind::DoWhile, self.ast[cond].span);
        self.check_sequence(cond);
        let condition = self.branch(cond, head, end);
        self.func.cur = end;
        result.and(condition)
    }

    fn for_loop(
        &mut self,
        span: Span,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    ) -> Res<()> {
        let mut result = init.map_or(Ok(()), |init| self.statement(init));
        let [head, inside, next, end] = std::array::from_fn(|_| self.new_loc());
        self.continue_at(head);
        match cond {
            Some(cond) => {
                let head_span = Span::new(span.lo, self.ast[cond].span.hi);
                self.begin(IrStmtKind::For, head_span);
                self.check_sequence(cond);
                result = self.branch(cond, inside, end).and(result);
            }
            None => {
                self.jump(inside);
                if let Some(first) = self.first_of(body) {
                    self.note_head(span, first);
                }
            }
        }
        self.func.cur = inside;
        result = self.loop_body(body, next, end).and(result);
        self.continue_at(next);
        if let Some(step) = step {
            self.begin(IrStmtKind::For, self.ast[step].span);
            self.check_sequence(step);
            result = self.discard(step).and(result);
        }
        self.jump(head);
        self.func.cur = end;
        result
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) -> Res<()> {
        self.begin(IrStmtKind::Return, span);
        if let Some(e) = value {
            self.check_sequence(e);
        }
        let exit = self.func.builder.exit();
        let result = self.func.result;
        let value = match value {
            // `return f();` in a void function: the call counts, the value does not exist.
            Some(e) if self.types.is_void(result) => {
                self.discard(e)?;
                None
            }
            Some(e) => {
                let v = self.rvalue(e)?;
                Some(self.assign_convert(v, result, self.ast[e].span)?.e)
            }
            None if self.types.is_void(result) => None,
            None => {
                // Indeterminate: nobody may use it.
                let ty = self.ir_type(result);
                let var = self.temp_variable(ty);
                self.emit(Op::Declare(var), span);
                Some(self.program.load_var(var))
            }
        };
        self.emit_to(Op::Return(value), span, exit);
        self.func.cur = self.new_loc();
        Ok(())
    }

    /// `({ ... })`: the value of the last expression.
    pub(super) fn statement_expression(&mut self, body: StmtId, span: Span) -> Res<Val> {
        let StmtKind::Compound(list) = self.ast[body].kind else {
            return Err(self.already_reported());
        };
        if !self.func.inside {
            return Err(self.error(span, "a statement expression is possible in functions only"));
        }
        self.func.inner_blocks += 1;
        let (stmt, last_span) = (self.func.stmt, self.func.last_span);
        let open = self.func.hidden_labels.len();
        let v = self.in_block(|lower| lower.valued_block(list));
        self.leave_local_labels(open);
        self.func.stmt = stmt;
        self.func.last_span = last_span;
        v
    }

    fn valued_block(&mut self, list: List<StmtId>) -> Res<Val> {
        let statements = &self.ast[list];
        let Some((&last, before)) = statements.split_last() else { return Ok(self.void_value()) };
        for &stmt in before {
            self.statement(stmt)?;
        }
        let StmtKind::Expr(e) = self.ast[last].kind else {
            self.statement(last)?;
            return Ok(self.void_value());
        };
        self.begin(IrStmtKind::Expression, self.ast[last].span);
        self.check_sequence(e);
        let v = self.rvalue(e)?;
        if self.types.is_void(v.ty) {
            return Ok(v);
        }
        // The variables of the block may be gone or changed when the value is used.
        Ok(Val { e: self.keep(v.e), ty: v.ty })
    }

    fn asm_statement(&mut self, id: AsmId) -> Res<()> {
        let asm = self.ast[id];
        let is_empty = self.ast.string_text(asm.template).trim().is_empty();
        let span = asm.span;
        if !is_empty {
            self.note("asm", "assembler may store anything into its outputs", span);
        }
        if calls_something(&self.ast.string_text(asm.template)) {
            self.note(Note::NOT_COVERED, "assembler that calls functions", span);
        }
        let mut inputs = Vec::new();
        let mut knows_memory = false;
        for input in &self.ast[asm.inputs] {
            let constraint = self.ast.string_text(input.constraint);
            knows_memory |= allows_memory(&constraint);
            let tied = constraint.trim().parse::<usize>().ok();
            let v = match self.operand(input.expr)? {
                super::lvalue::Operand::Place(lv) if !self.types.is_scalar(lv.ty) => continue,
                operand => self.value_of(operand)?,
            };
            knows_memory |= self.types.is_pointer(v.ty);
            let e = self.keep(v.e);
            inputs.push((tied, Val { e, ty: v.ty }));
        }
        for (position, output) in self.ast[asm.outputs].iter().enumerate() {
            let constraint = self.ast.string_text(output.constraint);
            knows_memory |= allows_memory(&constraint);
            let lv = self.lvalue(output.expr)?;
            knows_memory |= constraint.contains('+') && self.types.is_pointer(lv.ty);
            let tied = inputs.iter().find(|(tied, _)| *tied == Some(position));
            match tied {
                _ if is_empty && constraint.contains('+') => {}
                Some(&(_, v)) if is_empty && self.types.is_scalar(lv.ty) => {
                    self.store(lv, v, span)?
                }
                _ => self.emit(Op::Havoc(lv.place), span),
            }
        }
        let clobbers_memory =
            self.ast[asm.clobbers].iter().any(|&c| self.ast.string_text(c) == "memory");
        // Whoever writes no operands names variables by their symbols: `asm("movl $1, count(%rip)")`.
        let template = self.ast.string_text(asm.template);
        let is_basic = asm.inputs.is_empty() && asm.outputs.is_empty() && asm.labels.is_empty();
        knows_memory |= is_basic && template.contains([',', '(']);
        if (clobbers_memory || knows_memory) && !is_empty {
            let why = match clobbers_memory {
                true => "assembler with a memory clobber may change all memory",
                false => "assembler with an operand in memory, or a pointer, may change all memory",
            };
            self.note("asm", why, span);
            self.emit(Op::HavocMemory, span);
        }
        if !asm.labels.is_empty() {
            self.note("asm", "assembler may go on at any of its labels, or behind it", span);
        }
        for &label in &self.ast[asm.labels] {
            let target = self.label(label, span);
            self.emit_to(Op::Skip, span, target);
        }
        if !asm.labels.is_empty() {
            self.emit(Op::Skip, span);
        }
        Ok(())
    }

    /// `&&label`: a hidden object stands for the label.
    pub(super) fn label_address(&mut self, name: Symbol, span: Span) -> Res<Val> {
        if !self.func.inside {
            return Err(self.error(span, "the address of a label is known in its function only"));
        }
        let loc = self.label(name, span);
        let known = self.func.address_labels.iter().find(|(label, ..)| *label == loc);
        let var = match known {
            Some(&(_, var, _)) => var,
            None => {
                let unique = format!("{}.label.{}", self.name(name), self.func.name);
                let at = self.ir_span(span);
                let var = self.linker.internal_variable(self.program, &unique, ir::Types::U8, at);
                self.program.vars[var].storage = gnomon_ir::program::Storage::Static {
                    init: Some(gnomon_ir::program::Initializer::default()),
                    thread_local: false,
                    read_only: true,
                };
                self.func.address_labels.push((loc, var, span));
                var
            }
        };
        let place = self.program.var_place(var);
        let e = self.program.address_of(place);
        let ty = self.types.pointer(CTypes::VOID);
        let v = Val { e, ty: self.types.pointer(CTypes::UCHAR) };
        Ok(self.convert(v, ty))
    }

    /// `goto *e`: all of them share one dispatch, which is built at the end of the function, when
    /// all labels whose address is taken are known.
    fn computed_goto(&mut self, e: ExprId, span: Span) -> Res<()> {
        let v = self.rvalue(e)?;
        let pointer = self.types.pointer(CTypes::VOID);
        let v = self.assign_convert(v, pointer, span)?;
        let (dispatch, var) = match self.func.dispatch {
            Some(dispatch) => dispatch,
            None => {
                let ty = self.ir_type(pointer);
                let made = (self.new_loc(), self.temp_variable(ty));
                self.func.dispatch = Some(made);
                made
            }
        };
        let dst = self.program.var_place(var);
        self.emit_to(Op::Assign { dst, src: v.e }, span, dispatch);
        self.func.cur = self.new_loc();
        Ok(())
    }

    /// Builds what `goto *` jumps through.
    pub(super) fn finish_dispatch(&mut self) {
        let Some((dispatch, var)) = self.func.dispatch else { return };
        self.func.cur = dispatch;
        let target = self.program.load_var(var);
        let ty = self.program.expr_ty(target);
        for (label, object, span) in std::mem::take(&mut self.func.address_labels) {
            let place = self.program.var_place(object);
            let address = self.program.address_of(place);
            let address = self.program.cast(ty, address);
            let same = self.program.binary(gnomon_ir::expr::BinaryOp::Eq, target, address);
            let other = self.program.not(same);
            let next = self.new_loc();
            self.emit_to(Op::Assume(same), span, label);
            self.emit_to(Op::Assume(other), span, next);
            self.func.cur = next;
        }
    }
}

/// Whether assembler calls a function, or goes to one that reports errors.
fn calls_something(template: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    template.split(|c| !is_part(c)).any(|word| {
        matches!(word, "call" | "callq" | "calll" | "lcall" | "bl" | "blx" | "blr")
            || ERROR_FUNCTIONS.contains(&word)
    })
}

/// Whether the operand of a constraint of assembler may be in memory, whose address the assembler
/// then has.
fn allows_memory(constraint: &str) -> bool {
    // Conditions (`=@ccz`) are flags, and `[name]` is another operand.
    let of_own = constraint.trim_start_matches(['=', '+', '&', '%', ' ']);
    if of_own.starts_with('@') || of_own.starts_with('[') {
        return false;
    }
    of_own.chars().any(|c| matches!(c, 'm' | 'o' | 'V' | 'g' | 'X' | 'p' | '<' | '>'))
}
