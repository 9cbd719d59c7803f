//! Declarations and function definitions.

use super::declarators::DeclaratorMode;
use super::scope::NameKind;
use super::specifiers::TypeNeed;
use super::{Parsed, Parser};
use crate::ast::{
    Decl, DeclId, DeclKind, DeclaratorId, DerivedKind, ExprId, Function, FunctionId,
    InitDeclarator, List, ParamList, SpecsId, Storage, StringId,
};
use crate::diag::Diagnostic;
use crate::token::{Token, TokenKind};

/// A declaration, or a function definition if one may stand there.
pub(super) enum Declared {
    Decl(DeclId),
    NestedFunction(FunctionId),
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn translation_unit(&mut self) {
        while !self.at(TokenKind::Eof) {
            let lo = self.lo();
            let mark = self.mark();
            let item = match self.external_declaration() {
                Ok(item) => item,
                Err(_) => {
                    self.skip_broken(mark);
                    // A closing brace at file scope closes nothing.
                    self.eat(TokenKind::RBrace);
                    let span = self.span_from(lo);
                    self.ast.push(Decl { kind: DeclKind::Error, span })
                }
            };
            self.ast.items.push(item);
        }
    }

    fn external_declaration(&mut self) -> Parsed<DeclId> {
        let lo = self.lo();
        let kind = match self.kind() {
            TokenKind::Semi => {
                self.bump();
                DeclKind::Empty
            }
            TokenKind::KwAsm => {
                let asm = self.asm()?;
                self.expect_semi("`asm`")?;
                DeclKind::Asm(asm)
            }
            _ => {
                let attribute_base = self.scratch.attributes.len();
                self.attributes()?;
                return match self.declaration(lo, attribute_base, Place::File)? {
                    Declared::Decl(decl) => Ok(decl),
                    // Made only inside functions.
                    Declared::NestedFunction(function) => {
                        let span = self.span_from(lo);
                        Ok(self.ast.push(Decl { kind: DeclKind::Function(function), span }))
                    }
                };
            }
        };
        let span = self.span_from(lo);
        Ok(self.ast.push(Decl { kind, span }))
    }

    /// Whether a declaration begins with `token`, the current token or the one after it.
    pub(super) fn starts_declaration(&mut self, token: Token) -> bool {
        match token.kind {
            TokenKind::KwStaticAssert => true,
            // `unknown x`: reported as an unknown type.
            TokenKind::Ident if !self.scopes.is_type(token.symbol) => {
                token.span == self.token.span
                    && match self.peek().kind {
                        TokenKind::Ident => true,
                        TokenKind::LBracket => self.is_cbmc_type(token),
                        _ => false,
                    }
            }
            _ => self.starts_type_name(token),
        }
    }

    /// A declaration that began at `lo`, after the attributes in front of it were collected.
    pub(super) fn declaration(
        &mut self,
        lo: u32,
        attribute_base: usize,
        place: Place,
    ) -> Parsed<Declared> {
        while self.eat(TokenKind::KwExtension) {}
        if self.at(TokenKind::KwStaticAssert) {
            self.finish_attributes(attribute_base);
            let (cond, message) = self.static_assert()?;
            return Ok(Declared::Decl(
                self.decl_from(lo, DeclKind::StaticAssert { cond, message }),
            ));
        }
        // `[[...]];` or a `;` after `__extension__` declares nothing.
        if self.at(TokenKind::Semi) {
            self.finish_attributes(attribute_base);
            self.bump();
            return Ok(Declared::Decl(self.decl_from(lo, DeclKind::Empty)));
        }
        self.check_declaration_start()?;
        let specs = self.specifiers(attribute_base, TypeNeed::Optional)?;
        let base = self.scratch.init_declarators.len();
        if !self.at(TokenKind::Semi) {
            loop {
                let declarator_lo = self.lo();
                let mut head = self.declarator_head(DeclaratorMode::Named)?;
                self.declarator_suffixes(&mut head)?;
                let declarator = self.finish_declarator(head);
                let is_first = self.scratch.init_declarators.len() == base;
                if is_first && place != Place::NoFunction && self.at_function_body(declarator) {
                    return self.function(lo, specs, declarator, place);
                }
                self.declare(specs, declarator);
                let init =
                    if self.eat(TokenKind::Assign) { Some(self.initializer()?) } else { None };
                let span = self.span_from(declarator_lo);
                self.scratch.init_declarators.push(InitDeclarator { declarator, init, span });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let declarators = self.finish_list(|s| &mut s.init_declarators, base);
        self.expect_declaration_end()?;
        Ok(Declared::Decl(self.decl_from(lo, DeclKind::Declaration { specs, declarators })))
    }

    fn decl_from(&mut self, lo: u32, kind: DeclKind) -> DeclId {
        let span = self.span_from(lo);
        self.ast.push(Decl { kind, span })
    }

    /// Reports tokens that begin no declaration in those words.
    fn check_declaration_start(&mut self) -> Parsed<()> {
        let token = self.token;
        let possible = matches!(token.kind, TokenKind::Ident | TokenKind::LParen | TokenKind::Star)
            || self.starts_type_name(token)
            || self.at_attribute();
        if possible { Ok(()) } else { Err(self.expected("a declaration")) }
    }

    fn expect_declaration_end(&mut self) -> Parsed<()> {
        if self.at(TokenKind::Semi) || self.at(TokenKind::Eof) || self.on_new_line() {
            return self.expect_semi("the declaration");
        }
        Err(self.expected("`,`, `;` or an initialiser after the declarator"))
    }

    /// Whether a line ends between the last and the current token.
    fn on_new_line(&self) -> bool {
        crate::span::Span::new(self.prev_hi, self.lo()).of(self.text).contains(&b'\n')
    }

    /// Enters the name into the scope.
    fn declare(&mut self, specs: SpecsId, declarator: DeclaratorId) {
        let Some(name) = self.ast[declarator].name else { return };
        let is_typedef = self.ast[specs].storage == Some(Storage::Typedef);
        let kind = if is_typedef { NameKind::Typedef } else { NameKind::Ordinary };
        self.scopes.declare(name, kind);
    }

    /// The parameters, if the declarator declares a function.
    fn function_params(&self, declarator: DeclaratorId) -> Option<ParamList> {
        match self.ast[self.ast[declarator].parts].first()?.kind {
            DerivedKind::Function(params) => Some(params),
            _ => None,
        }
    }

    /// Whether the body of a function follows, or its old-style parameter declarations.
    fn at_function_body(&mut self, declarator: DeclaratorId) -> bool {
        match self.function_params(declarator) {
            None => false,
            Some(_) if self.at(TokenKind::LBrace) => true,
            Some(ParamList::Identifiers(_)) => self.starts_declaration(self.token),
            Some(_) => false,
        }
    }

    /// A function definition from its old-style parameter declarations or its body on.
    fn function(
        &mut self,
        lo: u32,
        specs: SpecsId,
        declarator: DeclaratorId,
        place: Place,
    ) -> Parsed<Declared> {
        self.declare(specs, declarator);
        self.scopes.push();
        match self.function_params(declarator) {
            Some(ParamList::Prototype { params, .. }) => {
                for i in 0..params.len() {
                    let param = self.ast[params][i];
                    if let Some(name) = self.ast[param.declarator].name {
                        self.scopes.declare(name, NameKind::Ordinary);
                    }
                }
            }
            Some(ParamList::Identifiers(names)) => {
                for i in 0..names.len() {
                    let name = self.ast[names][i];
                    self.scopes.declare(name, NameKind::Ordinary);
                }
            }
            _ => {}
        }
        let param_decls = self.old_style_params()?;
        if !self.at(TokenKind::LBrace) {
            return Err(self.expected("the body of the function"));
        }
        let body = self.deeper(|p| p.compound())?;
        self.scopes.pop();
        let span = self.span_from(lo);
        let nested = place != Place::File;
        let function =
            self.ast.push(Function { specs, declarator, param_decls, body, nested, span });
        if nested {
            return Ok(Declared::NestedFunction(function));
        }
        Ok(Declared::Decl(self.ast.push(Decl { kind: DeclKind::Function(function), span })))
    }

    /// The declarations between the head and the body of an old-style definition.
    fn old_style_params(&mut self) -> Parsed<List<DeclId>> {
        let mut decls = Vec::new();
        while !self.at(TokenKind::LBrace) && self.starts_declaration(self.token) {
            let lo = self.lo();
            let attribute_base = self.scratch.attributes.len();
            self.attributes()?;
            if let Declared::Decl(decl) = self.declaration(lo, attribute_base, Place::NoFunction)? {
                decls.push(decl);
            }
        }
        Ok(self.ast.append(&decls))
    }

    /// `_Static_assert ( condition , "message" ) ;`.
    pub(super) fn static_assert(&mut self) -> Parsed<(ExprId, Option<StringId>)> {
        self.bump();
        let parts = self.in_parens(|p| {
            let cond = p.conditional()?;
            let message = if p.eat(TokenKind::Comma) { Some(p.string()?) } else { None };
            Ok((cond, message))
        })?;
        self.expect_semi("the static assertion")?;
        Ok(parts)
    }

    /// Says where a declaration stands that may not stand there.
    pub(super) fn misplaced_declaration(&mut self) -> super::Failed {
        let error = Diagnostic::error(
            "a declaration cannot stand here; it needs a block around it",
            self.token.span,
        );
        self.unexpected(error)
    }
}

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At file scope: functions may be defined.
    File,
    /// In a block: functions defined here are nested.
    Block,
    /// Where no function can be defined: the head of a `for`, old-style parameters.
    NoFunction,
}
