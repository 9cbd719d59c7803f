//! Bodies of functions in the text form: variables, labels, edges.

use crate::arena::Id;
use crate::cfa::{Call, Callee, CfaBuilder, Edge, Label, LocId, Op};
use crate::expr::PlaceId;
use crate::program::{FuncId, StmtId, Storage, Var};
use crate::text::items::{Reader, add_local};
use crate::text::lex::{TextError, TokenKind};

impl Reader<'_> {
    pub(super) fn body(&mut self, func: FuncId) -> Result<(), TextError> {
        self.locals.clear();
        self.expect("{")?;
        while self.accept_word("param") {
            self.local(func, Storage::Param(func))?;
        }
        while self.accept_word("local") {
            self.local(func, Storage::Local(func))?;
        }
        let token = self.peek().clone();
        self.expect_word("locs")?;
        let count: u32 = self.number()?;
        if count < 2 || count as usize > self.token_count() {
            return Err(token.error("there are at least two locations, and an edge for the others"));
        }
        let mut builder = CfaBuilder::new();
        for _ in 2..count {
            builder.add_loc();
        }
        while self.accept_word("label") {
            let name = self.name()?;
            let loc = self.loc(count)?;
            let span = self.marked_span()?;
            builder.add_label(Label { name, loc, span });
        }
        while !self.accept("}") {
            let edge = self.edge(count)?;
            builder.add_edge(edge);
        }
        self.program.funcs[func].body = Some(builder.finish());
        Ok(())
    }

    fn local(&mut self, func: FuncId, storage: Storage) -> Result<(), TextError> {
        let token = self.next();
        let TokenKind::Signed('%', name) = &token.kind else {
            return Err(token.expected("the name of a variable (`%name`)"));
        };
        self.expect(":")?;
        let ty = self.ty()?;
        let address_taken = self.accept_word("taken");
        let span = self.marked_span()?;
        let is_param = matches!(storage, Storage::Param(_));
        let var = Var { name: name.clone(), ty, storage, address_taken, span };
        let id = add_local(&mut self.program.vars, &mut self.locals, var)
            .ok_or_else(|| token.error(format!("the variable `%{name}` is here twice")))?;
        let function = &mut self.program.funcs[func];
        if is_param {
            function.params.push(id)
        } else {
            function.locals.push(id)
        }
        Ok(())
    }

    fn loc(&mut self, count: u32) -> Result<LocId, TextError> {
        let token = self.next();
        let number = match &token.kind {
            TokenKind::Word(word) => word.strip_prefix('L').and_then(|n| n.parse::<u32>().ok()),
            _ => None,
        };
        match number {
            Some(number) if number < count => Ok(LocId(number)),
            Some(_) => Err(token.error(format!("there are only {count} locations"))),
            None => Err(token.expected("a location (`L3`)")),
        }
    }

    fn edge(&mut self, count: u32) -> Result<Edge, TextError> {
        let from = self.loc(count)?;
        self.expect("->")?;
        let to = self.loc(count)?;
        self.expect(":")?;
        let op = self.op()?;
        self.expect("!")?;
        let token = self.peek().clone();
        let stmt = StmtId(self.number()?);
        let Some(known) = self.program.stmts.get(stmt) else {
            return Err(token.error(format!("no statement {}", stmt.index())));
        };
        let mut span = known.span;
        if matches!(self.peek().kind, TokenKind::Number(_) | TokenKind::Sign("-")) {
            span = self.span()?;
        }
        Ok(Edge { from, to, op, span, stmt })
    }

    fn op(&mut self) -> Result<Op, TextError> {
        let word = match &self.peek().kind {
            TokenKind::Word(word) => word.clone(),
            _ => String::new(),
        };
        match word.as_str() {
            "" | "zero" | "bits" => return self.store(),
            "call" => {}
            _ => {
                self.next();
            }
        }
        Ok(match word.as_str() {
            "skip" => Op::Skip,
            "assume" => Op::Assume(self.expr()?),
            "call" => Op::Call(self.call(None)?),
            "return" if matches!(self.peek().kind, TokenKind::Sign("!")) => Op::Return(None),
            "return" => Op::Return(Some(self.expr()?)),
            "havoc" if self.accept_word("memory") => Op::HavocMemory,
            "havoc" => Op::Havoc(self.place()?),
            "declare" => Op::Declare(self.var()?),
            "va_start" => Op::VaStart(self.place()?),
            "va_end" => Op::VaEnd(self.place()?),
            "va_copy" => {
                let dst = self.place()?;
                self.expect(",")?;
                Op::VaCopy { dst, src: self.place()? }
            }
            _ => return Err(self.peek().error(format!("there is no operation `{word}`"))),
        })
    }

    fn store(&mut self) -> Result<Op, TextError> {
        let dst = self.place()?;
        self.expect("=")?;
        Ok(match &self.peek().kind {
            TokenKind::Word(word) if word == "call" => Op::Call(self.call(Some(dst))?),
            TokenKind::Word(word) if word == "alloca" => {
                self.next();
                Op::Alloca { dst, size: self.expr()? }
            }
            TokenKind::Word(word) if word == "va_arg" => {
                self.next();
                Op::VaArg { dst, list: self.place()? }
            }
            _ => Op::Assign { dst, src: self.expr()? },
        })
    }

    fn call(&mut self, dst: Option<PlaceId>) -> Result<Call, TextError> {
        self.expect_word("call")?;
        let callee = if self.accept("(") {
            let pointer = self.expr()?;
            self.expect(")")?;
            Callee::Indirect(pointer)
        } else {
            Callee::Direct(self.func()?)
        };
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.accept(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            args.push(self.expr()?);
        }
        Ok(Call { dst, callee, args: args.into() })
    }
}
