//! The reader's tokens, and the items of the text form.
//!
//! Items may refer to each other in any order, so they are read in rounds: first which records
//! there are, then what types have members, variables and functions, then what is inside.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::arena::{Arena, Id};
use crate::program::{
    FuncId, Function, InitItem, Initializer, Note, Program, Stmt, StmtKind, Storage, Var, VarId,
};
use crate::span::{FileId, Span};
use crate::text::STMT_KINDS;
use crate::text::lex::{TextError, Token, TokenKind, tokens};
use crate::types::{BitField, Field, Record, RecordId, RecordKind, Target, Types};

/// Reads tokens and builds the program.
pub(super) struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    pub(super) program: Program,
    pub(super) records: BTreeMap<String, RecordId>,
    globals: BTreeMap<String, VarId>,
    funcs: BTreeMap<String, FuncId>,
    /// Of the function that is read.
    pub(super) locals: BTreeMap<String, VarId>,
    /// Where the contents of variables and functions start.
    contents: Vec<(Contents, usize)>,
}

#[derive(Clone, Copy)]
enum Contents {
    Variable(VarId),
    Body(FuncId),
}

pub(super) fn read(text: &str) -> Result<Program, TextError> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        program: Program::new(Target::Lp64),
        records: BTreeMap::new(),
        globals: BTreeMap::new(),
        funcs: BTreeMap::new(),
        locals: BTreeMap::new(),
        contents: Vec::new(),
    };
    reader.header()?;
    reader.record_names()?;
    while reader.peek().kind != TokenKind::End {
        reader.item()?;
    }
    for (contents, start) in std::mem::take(&mut reader.contents) {
        reader.at = start;
        match contents {
            Contents::Variable(var) => reader.initializer(var)?,
            Contents::Body(func) => reader.body(func)?,
        }
    }
    Ok(reader.program)
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The last token is the end, and stays.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// How many tokens there are: a bound on everything that the text can mean.
    pub(super) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek().kind, TokenKind::Sign(s) if s == sign);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), TextError> {
        if self.accept(sign) { Ok(()) } else { Err(self.peek().expected(&format!("`{sign}`"))) }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.peek().kind, TokenKind::Word(w) if w == word);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), TextError> {
        if self.accept_word(word) {
            Ok(())
        } else {
            Err(self.peek().expected(&format!("`{word}`")))
        }
    }

    /// A bare or quoted name without a sign.
    pub(super) fn name(&mut self) -> Result<String, TextError> {
        let token = self.next();
        let name = match &token.kind {
            TokenKind::Word(name) => Some(name.clone()),
            TokenKind::String(bytes) => utf8(bytes.clone()),
            _ => None,
        };
        name.ok_or_else(|| token.expected("a name"))
    }

    pub(super) fn string(&mut self) -> Result<Vec<u8>, TextError> {
        let token = self.next();
        match token.kind {
            TokenKind::String(bytes) => Ok(bytes),
            _ => Err(token.expected("a string")),
        }
    }

    pub(super) fn wide_number(&mut self) -> Result<u128, TextError> {
        let token = self.next();
        let TokenKind::Number(digits) = &token.kind else {
            return Err(token.expected("a number"));
        };
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => u128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        parsed.map_err(|_| token.expected("a number"))
    }

    /// A number that fits where it stands.
    pub(super) fn number<T: TryFrom<u128>>(&mut self) -> Result<T, TextError> {
        let token = self.peek().clone();
        let wide = self.wide_number()?;
        T::try_from(wide).map_err(|_| token.error(format!("the number {wide} is too large here")))
    }

    pub(super) fn func(&mut self) -> Result<FuncId, TextError> {
        let token = self.next();
        match &token.kind {
            TokenKind::Signed('$', name) => match self.funcs.get(name) {
                Some(&func) => Ok(func),
                None => Err(token.error(format!("no function `{name}`"))),
            },
            _ => Err(token.expected("a function (`$name`)")),
        }
    }

    pub(super) fn var(&mut self) -> Result<VarId, TextError> {
        let token = self.next();
        let found = match &token.kind {
            TokenKind::Signed('%', name) => self.locals.get(name),
            TokenKind::Signed('@', name) => self.globals.get(name),
            _ => return Err(token.expected("a variable (`%local` or `@global`)")),
        };
        found.copied().ok_or_else(|| token.error(format!("no variable {}", token.kind)))
    }

    fn header(&mut self) -> Result<(), TextError> {
        self.expect_word("gnomon")?;
        self.expect("-")?;
        self.expect_word("ir")?;
        let token = self.peek().clone();
        if self.number::<u64>()? != 1 {
            return Err(token.error("only version 1 of the text form can be read"));
        }
        let token = self.next();
        let target = match &token.kind {
            TokenKind::Word(word) if word == "lp64" => Target::Lp64,
            TokenKind::Word(word) if word == "ilp32" => Target::Ilp32,
            _ => return Err(token.expected("`lp64` or `ilp32`")),
        };
        self.program.types = Types::new(target);
        Ok(())
    }

    /// Adds all records without their members, in the order of the text.
    fn record_names(&mut self) -> Result<(), TextError> {
        let start = self.at;
        while self.peek().kind != TokenKind::End {
            let token = self.next();
            let kind = match &token.kind {
                TokenKind::Word(word) if token.column == 1 && word == "struct" => {
                    RecordKind::Struct
                }
                TokenKind::Word(word) if token.column == 1 && word == "union" => RecordKind::Union,
                _ => continue,
            };
            let name_token = self.peek().clone();
            let name = self.name()?;
            let (fields, size, align, complete) = (Vec::new(), 0, 1, false);
            let record = Record { name: name.clone(), kind, fields, size, align, complete };
            let (id, _) = self.program.types.add_record(record);
            if self.records.insert(name.clone(), id).is_some() {
                return Err(name_token.error(format!("the record `{name}` is here twice")));
            }
        }
        self.at = start;
        Ok(())
    }

    fn item(&mut self) -> Result<(), TextError> {
        let token = self.next();
        let word = match &token.kind {
            TokenKind::Word(word) if token.column == 1 => word.as_str(),
            _ => return Err(token.expected("an item at the start of a line")),
        };
        match word {
            "file" => self.file(),
            "note" => self.note(),
            "struct" | "union" => self.record(),
            "global" => self.global(),
            "func" => self.function(),
            "stmt" => self.stmt(),
            _ => {
                Err(token.expected("`file`, `note`, `struct`, `union`, `global`, `func` or `stmt`"))
            }
        }
    }

    fn numbered(&mut self, next: usize) -> Result<(), TextError> {
        let token = self.peek().clone();
        let number: u64 = self.number()?;
        if number == next as u64 {
            Ok(())
        } else {
            Err(token.error(format!("expected {next}: they are numbered in order")))
        }
    }

    fn file(&mut self) -> Result<(), TextError> {
        let next = self.program.files.iter().count();
        self.numbered(next)?;
        let token = self.peek().clone();
        let name = utf8(self.string()?).ok_or_else(|| token.error("a name must be UTF-8"))?;
        if self.program.files.intern(&name).index() != next {
            return Err(token.error("this file is here twice"));
        }
        Ok(())
    }

    fn note(&mut self) -> Result<(), TextError> {
        let kind = static_kind(self.name()?);
        let token = self.peek().clone();
        let message = utf8(self.string()?).ok_or_else(|| token.error("expected UTF-8"))?;
        let span = self.marked_span()?;
        self.program.notes.push(Note { kind, message, span });
        Ok(())
    }

    fn stmt(&mut self) -> Result<(), TextError> {
        self.numbered(self.program.stmts.len())?;
        let token = self.next();
        let kind = match &token.kind {
            TokenKind::Word(word) => stmt_kind(word),
            _ => None,
        };
        let kind = kind.ok_or_else(|| token.expected("a kind of statement"))?;
        let span = self.span()?;
        self.program.stmts.push(Stmt { kind, span });
        Ok(())
    }

    pub(super) fn marked_span(&mut self) -> Result<Span, TextError> {
        self.expect("!")?;
        self.span()
    }

    pub(super) fn span(&mut self) -> Result<Span, TextError> {
        if self.accept("-") {
            return Ok(Span::NONE);
        }
        let token = self.peek().clone();
        let file = FileId(self.number()?);
        if file.index() >= self.program.files.iter().count() {
            return Err(token.error("no file of this number"));
        }
        self.expect(":")?;
        let line = self.number()?;
        self.expect(":")?;
        let column = self.number()?;
        self.expect("-")?;
        let end_line = self.number()?;
        self.expect(":")?;
        let end_column = self.number()?;
        Ok(Span { file, line, column, end_column, end_line })
    }

    fn record(&mut self) -> Result<(), TextError> {
        let name = self.name()?;
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        let complete = !self.accept_word("incomplete");
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.accept("}") {
            fields.push(self.field()?);
        }
        if let Some(&id) = self.records.get(&name) {
            let record = self.program.types.record_mut(id);
            *record = Record { fields, size, align, complete, ..record.clone() };
        }
        Ok(())
    }

    fn field(&mut self) -> Result<Field, TextError> {
        let name = self.name()?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect_word("at")?;
        // `8.3` is read as one number: the byte and the bit in it.
        let token = self.next();
        let position = match &token.kind {
            TokenKind::Number(text) => text.clone(),
            _ => return Err(token.expected("an offset")),
        };
        let bad = || token.error("expected an offset in bytes, or `BYTE.BIT`");
        let (byte, bit) =
            position.split_once('.').map_or((position.as_str(), None), |(a, b)| (a, Some(b)));
        let offset = byte.parse().map_err(|_| bad())?;
        let bits = match bit {
            None => None,
            Some(bit) => {
                let shift = bit.parse().map_err(|_| bad())?;
                self.expect(":")?;
                Some(BitField { shift, width: self.number()? })
            }
        };
        Ok(Field { name, ty, offset, bits })
    }

    fn global(&mut self) -> Result<(), TextError> {
        let token = self.next();
        let TokenKind::Signed('@', name) = &token.kind else {
            return Err(token.expected("the name of a variable (`@name`)"));
        };
        self.expect(":")?;
        let ty = self.ty()?;
        let thread_local = self.accept_word("thread_local");
        let read_only = self.accept_word("read_only");
        let address_taken = self.accept_word("taken");
        let span = self.marked_span()?;
        let external = self.accept_word("extern");
        let init = (!external).then(Initializer::default);
        let storage = Storage::Static { init, thread_local, read_only };
        let var = Var { name: name.clone(), ty, storage, address_taken, span };
        let id = self.program.vars.push(var);
        if self.globals.insert(name.clone(), id).is_some() {
            return Err(token.error(format!("the variable `@{name}` is here twice")));
        }
        if !external {
            self.expect("=")?;
            self.contents(Contents::Variable(id))?;
        }
        Ok(())
    }

    /// Remembers what stands in braces here, and goes behind it.
    fn contents(&mut self, contents: Contents) -> Result<(), TextError> {
        self.contents.push((contents, self.at));
        self.expect("{")?;
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::Sign("}") => return Ok(()),
                TokenKind::End => return Err(token.expected("`}`")),
                _ => {}
            }
        }
    }

    fn initializer(&mut self, var: VarId) -> Result<(), TextError> {
        self.locals.clear();
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.accept("}") {
            let place = self.place()?;
            if self.accept("<-") {
                items.push(InitItem::Bytes { place, bytes: self.string()?.into() });
            } else {
                self.expect("=")?;
                items.push(InitItem::Value { place, value: self.expr()? });
            }
        }
        if let Storage::Static { init, .. } = &mut self.program.vars[var].storage {
            *init = Some(Initializer { items });
        }
        Ok(())
    }

    fn function(&mut self) -> Result<(), TextError> {
        let token = self.next();
        let TokenKind::Signed('$', name) = &token.kind else {
            return Err(token.expected("the name of a function (`$name`)"));
        };
        self.expect(":")?;
        let ty = self.ty()?;
        if self.program.types.signature(ty).is_none() {
            return Err(token.error("the type of a function must be a function type"));
        }
        let no_return = self.accept_word("noreturn");
        let span = self.marked_span()?;
        let name = name.clone();
        let id = self.program.funcs.push(Function {
            name: name.clone(),
            ty,
            params: Vec::new(),
            locals: Vec::new(),
            body: None,
            no_return,
            span,
        });
        if self.funcs.insert(name.clone(), id).is_some() {
            return Err(token.error(format!("the function `${name}` is here twice")));
        }
        if self.accept("=") {
            self.contents(Contents::Body(id))?;
        }
        Ok(())
    }
}

fn utf8(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

fn stmt_kind(word: &str) -> Option<StmtKind> {
    STMT_KINDS.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind)
}

/// Kinds of notes are names in the code of the front end; one that is read lives as long.
/// Each is kept once, so reading many programs does not use more memory than there are kinds.
fn static_kind(kind: String) -> &'static str {
    static KINDS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut kinds = KINDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match kinds.iter().find(|known| **known == kind) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(kind.into_boxed_str());
            kinds.push(kept);
            kept
        }
    }
}

/// The variables of a function while it is read.
pub(super) fn add_local(
    vars: &mut Arena<VarId, Var>,
    locals: &mut BTreeMap<String, VarId>,
    var: Var,
) -> Option<VarId> {
    let name = var.name.clone();
    let id = vars.push(var);
    locals.insert(name, id).is_none().then_some(id)
}
