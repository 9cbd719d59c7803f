//! The automaton of a function as labels and gotos.
//!
//! Locations are written in the order of a walk that goes straight on as long as it can; edges
//! that do nothing are not written, and neither are labels that nobody goes to.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::arena::Id;
use crate::cfa::{Cfa, EdgeId, LocId, Op};
use crate::emit_c::{EmitError, Emitter};
use crate::expr::{BinaryOp, ExprId, ExprKind};
use crate::program::{FuncId, Function, Program};
use crate::types::{Signature, Type};

/// How a run goes on from a location.
pub(super) enum Branch {
    /// Not at all.
    Dead,
    /// Over the only edge.
    Straight(EdgeId),
    /// Over the only edge, if its condition holds.
    Condition(EdgeId),
    /// Over the first edge if its condition holds, else over the second.
    Two(EdgeId, EdgeId),
    /// Over one of the open edges.
    Choice(Vec<EdgeId>),
}

/// How the run goes on from a location.
pub(super) fn branch(program: &Program, body: &Cfa, loc: LocId) -> Branch {
    let assumed = |edge: EdgeId| match body.edge(edge).op {
        Op::Assume(e) => Some(e),
        _ => None,
    };
    match *body.out_edges(loc) {
        [] => Branch::Dead,
        [edge] => match assumed(edge) {
            Some(e) if program.as_truth(e) != Some(true) => Branch::Condition(edge),
            _ => Branch::Straight(edge),
        },
        [first, second] => match (assumed(first), assumed(second)) {
            (Some(a), Some(b)) if are_complementary(program, a, b) => Branch::Two(first, second),
            _ => Branch::Choice(vec![first, second]),
        },
        ref edges => Branch::Choice(edges.to_vec()),
    }
}

/// Whether one of the conditions is the negation of the other, as `Program::not` builds it.
fn are_complementary(program: &Program, a: ExprId, b: ExprId) -> bool {
    negates(program, a, b) || negates(program, b, a)
}

fn negates(program: &Program, negated: ExprId, e: ExprId) -> bool {
    let ExprKind::Binary(op, x, y) = program.exprs.expr(negated).kind else {
        // Both can be folded.
        return match (program.as_truth(negated), program.as_truth(e)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        };
    };
    if let ExprKind::Binary(other, u, v) = program.exprs.expr(e).kind
        && (x, y) == (u, v)
        && op.negated() == Some(other)
    {
        let float = program.types.is_float(program.expr_ty(x));
        return !float || matches!(op, BinaryOp::Eq | BinaryOp::Ne);
    }
    op == BinaryOp::Eq && x == e && program.exprs.const_bits(y) == Some(0)
}

impl Emitter<'_> {
    pub(super) fn body(&self, out: &mut String, id: FuncId, body: &Cfa) -> Result<(), EmitError> {
        let function = &self.program.funcs[id];
        let Some(signature) = self.program.types.signature(function.ty) else { return Ok(()) };
        let _ = writeln!(out, "{}\n{{", self.definition_head(id, function, signature));
        for &local in &function.locals {
            let name = self.names.vars[local].clone();
            let ty = self.program.vars[local].ty;
            let _ = writeln!(out, "  {};", self.text().declaration(ty, name));
        }
        let mut walk = Walk {
            emitter: self,
            function,
            signature,
            body,
            lines: Vec::new(),
            written: vec![false; body.loc_count()],
            targets: BTreeSet::new(),
            work: vec![Next::Loc(body.entry())],
        };
        while let Some(next) = walk.work.pop() {
            walk.from(next)?;
        }
        for line in walk.lines {
            let _ = match line {
                Line::Label(target) if walk.targets.contains(&target) => {
                    writeln!(out, "{}:;", target.name())
                }
                Line::Label(_) => Ok(()),
                Line::Statement(text) => writeln!(out, "  {text}"),
                Line::Directive(text) => writeln!(out, "{text}"),
            };
        }
        out.push_str("}\n");
        Ok(())
    }
}

enum Line {
    Label(Next),
    Statement(String),
    Directive(String),
}

/// Where a run goes on: at a location, or with an edge that was chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Loc(LocId),
    Edge(EdgeId),
}

impl Next {
    fn name(self) -> String {
        match self {
            Next::Loc(loc) => format!("L{}", loc.index()),
            Next::Edge(edge) => format!("E{}", edge.index()),
        }
    }
}

struct Walk<'a> {
    emitter: &'a Emitter<'a>,
    function: &'a Function,
    signature: &'a Signature,
    body: &'a Cfa,
    lines: Vec<Line>,
    written: Vec<bool>,
    targets: BTreeSet<Next>,
    work: Vec<Next>,
}

impl Walk<'_> {
    fn statement(&mut self, text: String) {
        self.lines.push(Line::Statement(text));
    }

    /// The location behind edges that do nothing.
    fn settled(&self, mut loc: LocId) -> LocId {
        // A circle of such edges is a loop without end, and stays one.
        for _ in 0..self.body.loc_count() {
            match *self.body.out_edges(loc) {
                [edge] if matches!(self.body.edge(edge).op, Op::Skip | Op::Declare(_)) => {
                    loc = self.body.edge(edge).to;
                }
                _ => break,
            }
        }
        loc
    }

    fn jump(&mut self, next: Next) -> String {
        self.targets.insert(next);
        self.work.push(next);
        format!("goto {};", next.name())
    }

    /// Writes on from where jumps lead, until something is met that is written already.
    fn from(&mut self, start: Next) -> Result<(), EmitError> {
        let mut next = Some(start);
        let mut arrived = false;
        while let Some(at) = next {
            next = match at {
                Next::Loc(loc) => {
                    if std::mem::replace(&mut self.written[loc.index()], true) {
                        if arrived {
                            let text = self.jump(Next::Loc(loc));
                            self.statement(text);
                        }
                        None
                    } else {
                        self.lines.push(Line::Label(Next::Loc(loc)));
                        self.location(loc)?
                    }
                }
                Next::Edge(edge) => {
                    self.lines.push(Line::Label(at));
                    self.edge(edge)?
                }
            };
            arrived = true;
        }
        Ok(())
    }

    fn target(&self, edge: EdgeId) -> Next {
        Next::Loc(self.settled(self.body.edge(edge).to))
    }

    fn condition(&self, edge: EdgeId) -> String {
        match self.body.edge(edge).op {
            Op::Assume(e) => self.emitter.text().expr(e),
            _ => "1".to_owned(),
        }
    }

    fn location(&mut self, loc: LocId) -> Result<Option<Next>, EmitError> {
        if loc == self.body.exit() {
            let text = self.plain_return();
            self.statement(text);
            return Ok(None);
        }
        Ok(match branch(self.emitter.program, self.body, loc) {
            Branch::Dead => {
                self.statement("__gnomon_stop();".to_owned());
                // The compiler does not know that it does not come back.
                let text = self.plain_return();
                self.statement(text);
                None
            }
            Branch::Straight(edge) => self.edge(edge)?,
            Branch::Condition(edge) => {
                self.line_directive(edge);
                let text = format!("if (!({})) __gnomon_stop();", self.condition(edge));
                self.statement(text);
                Some(self.target(edge))
            }
            Branch::Two(first, second) => {
                self.line_directive(first);
                let (one, other) = (self.target(first), self.target(second));
                let is_written = |next: Next| match next {
                    Next::Loc(loc) => self.written[loc.index()],
                    Next::Edge(_) => false,
                };
                // Go straight on where that is possible, with the first if both are.
                let (leave, stay, condition) = if is_written(one) && !is_written(other) {
                    (one, other, self.condition(first))
                } else {
                    (other, one, self.condition(second))
                };
                let jump = self.jump(leave);
                self.statement(format!("if ({condition}) {jump}"));
                Some(stay)
            }
            Branch::Choice(edges) => {
                self.choice(&edges);
                None
            }
        })
    }

    fn choice(&mut self, edges: &[EdgeId]) {
        let conditions: Vec<String> = edges.iter().map(|&edge| self.condition(edge)).collect();
        let terms: Vec<String> = conditions.iter().map(|c| format!("(({c}) != 0)")).collect();
        self.statement("{".to_owned());
        self.statement(format!("  unsigned __gnomon_open = 0U + {};", terms.join(" + ")));
        self.statement("  unsigned __gnomon_pick = 0;".to_owned());
        self.statement("  if (__gnomon_open == 0) __gnomon_stop();".to_owned());
        self.statement(
            "  if (__gnomon_open > 1) __gnomon_pick = \
             (unsigned)__VERIFIER_nondet_int() % __gnomon_open;"
                .to_owned(),
        );
        for (&edge, condition) in edges.iter().zip(&conditions) {
            let next = match self.body.edge(edge).op {
                Op::Assume(_) => self.target(edge),
                _ => Next::Edge(edge),
            };
            let jump = self.jump(next);
            self.statement(format!("  if (({condition}) && __gnomon_pick-- == 0) {jump}"));
        }
        self.statement("}".to_owned());
        let text = self.plain_return();
        self.statement(text);
    }

    fn line_directive(&mut self, edge: EdgeId) {
        let span = self.body.edge(edge).span;
        if self.emitter.options.line_directives && !span.is_none() {
            let file = self.emitter.program.files.name(span.file);
            let file = crate::c_text::string_literal(file.as_bytes());
            self.lines.push(Line::Directive(format!("#line {} {file}", span.line)));
        }
    }

    fn edge(&mut self, edge: EdgeId) -> Result<Option<Next>, EmitError> {
        let op = &self.body.edge(edge).op;
        if let Op::Return(value) = op {
            self.line_directive(edge);
            let text = match value {
                Some(value) => format!("return {};", self.emitter.text().expr(*value)),
                None => self.plain_return(),
            };
            self.statement(text);
            return Ok(None);
        }
        let texts = self.emitter.statements(self.function, op)?;
        if !texts.is_empty() {
            self.line_directive(edge);
        }
        for text in texts {
            self.statement(text);
        }
        Ok(Some(self.target(edge)))
    }

    /// A return without a value, from a function that may have one: any will do.
    fn plain_return(&self) -> String {
        let result = self.signature.result;
        match self.emitter.program.types.get(result) {
            Type::Void => "return;".to_owned(),
            Type::Record(_) => {
                format!("return ({}){{}};", self.emitter.text().type_name(result))
            }
            _ => "return 0;".to_owned(),
        }
    }
}
