//! The parser: tokens to [`Ast`].
//!
//! Recursive descent with one token of lookahead, and two where C needs them (labels, casts,
//! `[[`). C cannot be parsed without knowing which names are typedefs, so the parser keeps the
//! scopes of ordinary names ([`scope`]); everything else about names is left to the lowering.
//!
//! **Errors.** A function that cannot go on reports a diagnostic and returns [`Failed`]; the
//! enclosing list of statements, members or declarations skips to a place where it can continue
//! ([`recovery`]) and puts an error node into the tree. There is one message per place and at most
//! [`ParseOptions::max_errors`] in all.
//!
//! **Depth.** Chains of binary operators, prefix operators, postfix operators and pointers are
//! loops. Real nesting recurses through [`Parser::deeper`], which moves to a new stack segment when
//! the current one runs low, and refuses text nested deeper than [`MAX_NESTING`].

mod attributes;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod literals;
mod primaries;
mod recovery;
mod scope;
mod specifiers;
mod statements;
mod tags;

use rustc_hash::FxHashMap;

use crate::ast::{
    Ast, Attribute, Declarator, DeclaratorId, DerivedPart, ExprId, InitDeclarator, InitItem,
    IntLit, IntLitId, List, ListElement, Member, MemberDeclarator, Param, StmtId,
};
use crate::diag::Diagnostic;
use crate::lexer::Lexer;
use crate::lower::volatile::Volatile;
use crate::source::SourceBuffer;
use crate::span::Span;
use crate::string_literal::Units;
use crate::symbol::Interner;
use crate::token::{Dialect, Standard, Token, TokenKind};

use expressions::Prefix;
use scope::Scopes;

/// Constructs may be nested this deep (parentheses, blocks, declarators, initialisers counted
/// together; a braced body under `if` counts twice). The limit bounds the memory for the stack to
/// about half a gigabyte; gcc has none and overflows its stack, clang stops at 256 brackets.
pub const MAX_NESTING: u32 = 500_000;

/// A new stack segment is taken when less than this remains.
const STACK_RESERVE: usize = 128 * 1024;

/// The size of a new stack segment.
const STACK_SEGMENT: usize = 4 * 1024 * 1024;

/// How to parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// The dialect of C.
    pub dialect: Dialect,
    /// After this many errors the rest of the text is not looked at.
    pub max_errors: usize,
    /// Who changes `volatile` objects.
    pub volatile: Volatile,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions { dialect: Dialect::default(), max_errors: 20, volatile: Volatile::default() }
    }
}

/// What the parser makes of a text.
#[derive(Clone, Debug)]
pub struct ParseResult {
    /// The tree; complete and without error nodes if there are no errors.
    pub ast: Ast,
    /// The names in it.
    pub interner: Interner,
    /// Errors and warnings in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParseResult {
    /// Whether the tree must not be used as a program.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_fatal)
    }
}

/// Parses a preprocessed translation unit.
///
/// ```
/// use gnomon_cfront::parser::{ParseOptions, parse};
/// use gnomon_cfront::source::SourceBuffer;
///
/// let source = SourceBuffer::new("a.c", b"int f(int x) { return x + 1; }".to_vec()).unwrap();
/// let parsed = parse(&source, &ParseOptions::default());
/// assert!(!parsed.has_errors());
/// assert_eq!(parsed.ast.items.len(), 1);
/// ```
pub fn parse(source: &SourceBuffer, options: &ParseOptions) -> ParseResult {
    let mut parser = Parser::new(source.text(), options);
    parser.translation_unit();
    parser.ast.symbol_pragmas = std::mem::take(&mut parser.lexer.symbol_pragmas);
    parser.ast.shrink_to_fit();
    ParseResult {
        ast: parser.ast,
        interner: parser.lexer.interner,
        diagnostics: parser.diagnostics,
    }
}

/// A construct could not be parsed; the diagnostic has been recorded.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Elements of lists that are not complete yet. Lists nest, so each one uses the part of its
/// vector above where it began, and moves it to the tree when complete.
#[derive(Default)]
struct Scratch {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    init_items: Vec<InitItem>,
    init_declarators: Vec<InitDeclarator>,
    derived: Vec<DerivedPart>,
    pointers: Vec<DerivedPart>,
    params: Vec<Param>,
    members: Vec<Member>,
    member_declarators: Vec<MemberDeclarator>,
    attributes: Vec<Attribute>,
    prefixes: Vec<Prefix>,
}

/// The lengths of the vectors of [`Scratch`] and the depth of scopes and recursion, to return to
/// after an error.
#[derive(Clone, Copy)]
struct Mark {
    lengths: [usize; 11],
    scopes: usize,
    depth: u32,
}

struct Parser<'a> {
    text: &'a [u8],
    lexer: Lexer<'a>,
    token: Token,
    /// Tokens after `token` that have been looked at.
    ahead: [Token; 2],
    ahead_len: usize,
    /// End of the token before `token`.
    prev_hi: u32,
    options: ParseOptions,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// How many of the diagnostics are fatal.
    error_count: usize,
    /// The rest of the text is treated as absent.
    gave_up: bool,
    scopes: Scopes,
    scratch: Scratch,
    depth: u32,
    units: Units,
    int_ids: FxHashMap<IntLit, IntLitId>,
    /// Shared by all type names without derived parts.
    empty_declarator: DeclaratorId,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8], options: &ParseOptions) -> Self {
        let mut lexer = Lexer::new(text, options.dialect);
        let mut ast = Ast::default();
        let empty_declarator = ast.push(Declarator::default());
        let eof = Token {
            kind: TokenKind::Eof,
            span: Span::default(),
            symbol: lexer.interner.intern(""),
        };
        let mut parser = Parser {
            text,
            lexer,
            token: eof,
            ahead: [eof; 2],
            ahead_len: 0,
            prev_hi: 0,
            options: *options,
            ast,
            diagnostics: Vec::new(),
            error_count: 0,
            gave_up: false,
            scopes: Scopes::default(),
            scratch: Scratch::default(),
            depth: 0,
            units: Units::default(),
            int_ids: FxHashMap::default(),
            empty_declarator,
        };
        parser.declare_builtin_types();
        parser.token = parser.pull();
        parser
    }

    fn is_c23(&self) -> bool {
        self.options.dialect.standard >= Standard::C23
    }

    /// The next token of the lexer, with its errors taken over and `_Pragma` handled.
    fn pull(&mut self) -> Token {
        loop {
            let token = self.lexer.next_token();
            if !self.lexer.errors.is_empty() {
                for error in std::mem::take(&mut self.lexer.errors) {
                    self.report(error);
                }
            }
            if token.kind != TokenKind::KwPragma {
                return token;
            }
            // `_Pragma ( "text" )` stands for a directive line wherever it appears.
            let parts: [Token; 3] = std::array::from_fn(|_| self.lexer.next_token());
            if parts.map(|t| t.kind) != [TokenKind::LParen, TokenKind::Str, TokenKind::RParen] {
                let error = Diagnostic::error("expected `(\"...\")` after `_Pragma`", token.span);
                self.report(error);
                return parts[2];
            }
            let quoted = parts[1].span.of(self.text);
            let pragma = quoted.trim_ascii_start().strip_prefix(b"\"").unwrap_or(quoted);
            let pragma = pragma.strip_suffix(b"\"").unwrap_or(pragma);
            self.lexer.pragma(pragma, token.span);
        }
    }

    fn bump(&mut self) -> Token {
        let token = self.token;
        self.prev_hi = token.span.hi;
        self.token = if self.ahead_len == 0 {
            self.pull()
        } else {
            let next = self.ahead[0];
            self.ahead[0] = self.ahead[1];
            self.ahead_len -= 1;
            next
        };
        token
    }

    /// The token after the current one.
    fn peek(&mut self) -> Token {
        if self.ahead_len == 0 {
            self.ahead[0] = self.pull();
            self.ahead_len = 1;
        }
        self.ahead[0]
    }

    /// The token after [`Parser::peek`].
    fn peek2(&mut self) -> Token {
        self.peek();
        if self.ahead_len == 1 {
            self.ahead[1] = self.pull();
            self.ahead_len = 2;
        }
        self.ahead[1]
    }

    fn kind(&self) -> TokenKind {
        self.token.kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn lo(&self) -> u32 {
        self.token.span.lo
    }

    /// From `lo` to the end of the token consumed last.
    fn span_from(&self, lo: u32) -> Span {
        Span::new(lo, self.prev_hi.max(lo))
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.expected(kind.describe())) }
    }

    /// The closing bracket of the pair opened at `open`.
    fn expect_closing(&mut self, kind: TokenKind, open: Span) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        Err(self.expected_with_note(kind.describe(), Some(("to match this", open))))
    }

    /// `( ... )` around what `parse` reads.
    fn in_parens<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let open = self.expect(TokenKind::LParen)?.span;
        let inner = parse(self)?;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(inner)
    }

    /// Runs `parse` one level deeper, on a new stack segment if this one is nearly used up.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("nesting deeper than {MAX_NESTING} levels");
            self.report(Diagnostic::unsupported(message, self.token.span));
            self.give_up();
            return Err(Failed);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || parse(self));
        self.depth -= 1;
        result
    }

    /// Moves the elements from `base` on from a scratch vector to the tree.
    fn finish_list<T: ListElement>(
        &mut self,
        select: impl Fn(&mut Scratch) -> &mut Vec<T>,
        base: usize,
    ) -> List<T> {
        let elements = select(&mut self.scratch);
        let list = self.ast.append(&elements[base..]);
        elements.truncate(base);
        list
    }

    fn mark(&self) -> Mark {
        let s = &self.scratch;
        Mark {
            lengths: [
                s.exprs.len(),
                s.stmts.len(),
                s.init_items.len(),
                s.init_declarators.len(),
                s.derived.len(),
                s.pointers.len(),
                s.params.len(),
                s.members.len(),
                s.member_declarators.len(),
                s.attributes.len(),
                s.prefixes.len(),
            ],
            scopes: self.scopes.depth(),
            depth: self.depth,
        }
    }

    /// Forgets everything incomplete since `mark`.
    fn reset(&mut self, mark: Mark) {
        let s = &mut self.scratch;
        let l = mark.lengths;
        s.exprs.truncate(l[0]);
        s.stmts.truncate(l[1]);
        s.init_items.truncate(l[2]);
        s.init_declarators.truncate(l[3]);
        s.derived.truncate(l[4]);
        s.pointers.truncate(l[5]);
        s.params.truncate(l[6]);
        s.members.truncate(l[7]);
        s.member_declarators.truncate(l[8]);
        s.attributes.truncate(l[9]);
        s.prefixes.truncate(l[10]);
        self.scopes.pop_to(mark.scopes);
        self.depth = mark.depth;
    }
}
