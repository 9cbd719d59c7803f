//! Types, places and expressions of the text form.

use crate::expr::{BinaryOp, Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind, UnaryOp};
use crate::ops::{self, Scalar};
use crate::precedence::{Binding, binding, with_stack};
use crate::text::SIMPLE_TYPES;
use crate::text::items::Reader;
use crate::text::lex::{TextError, TokenKind};
use crate::types::{Signature, Type, TypeId, Types};

/// A place is an expression too (its value), until one knows what it is needed for.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    /// A place.
    Place(PlaceId),
    /// A value.
    Value(ExprId),
}

impl Reader<'_> {
    pub(super) fn ty(&mut self) -> Result<TypeId, TextError> {
        with_stack(|| self.ty_step())
    }

    fn ty_step(&mut self) -> Result<TypeId, TextError> {
        let mut ty = if self.accept("(") {
            let inner = self.ty()?;
            self.expect(")")?;
            inner
        } else if self.accept("fn?") {
            return self.function_type(false);
        } else {
            let token = self.next();
            match &token.kind {
                TokenKind::Word(word) if word == "fn" => return self.function_type(true),
                TokenKind::Word(word) if word == "struct" || word == "union" => {
                    let at = self.peek().clone();
                    let name = self.name()?;
                    let record = self.records.get(&name).copied();
                    let record = record.ok_or_else(|| at.error(format!("no record `{name}`")))?;
                    self.program.types.intern(Type::Record(record))
                }
                TokenKind::Word(word) => match simple_type(word) {
                    Some(ty) => self.program.types.intern(ty),
                    None => return Err(token.expected("a type")),
                },
                _ => return Err(token.expected("a type")),
            }
        };
        loop {
            if self.accept("*") {
                ty = self.program.types.pointer(ty);
            } else if self.accept("[") {
                let len = self.number()?;
                self.expect("]")?;
                ty = self.program.types.array(ty, len);
            } else {
                return Ok(ty);
            }
        }
    }

    fn function_type(&mut self, prototyped: bool) -> Result<TypeId, TextError> {
        self.expect("(")?;
        let (mut params, mut variadic) = (Vec::new(), false);
        while !self.accept(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            if self.accept("...") {
                variadic = true;
                self.expect(")")?;
                break;
            }
            params.push(self.ty()?);
        }
        self.expect("->")?;
        let result = self.ty()?;
        let params = params.into();
        let signature = Signature { result, params, variadic, prototyped };
        Ok(self.program.types.intern(Type::Function(signature)))
    }

    fn intern(&mut self, ty: TypeId, kind: ExprKind) -> ExprId {
        self.program.exprs.intern_expr(Expr { ty, kind })
    }

    fn intern_place(&mut self, ty: TypeId, kind: PlaceKind) -> PlaceId {
        self.program.exprs.intern_place(Place { ty, kind })
    }

    pub(super) fn place(&mut self) -> Result<PlaceId, TextError> {
        let start = self.peek().clone();
        match self.prefix()? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) => Err(start.error("expected a place, found a value")),
        }
    }

    pub(super) fn expr(&mut self) -> Result<ExprId, TextError> {
        let operand = self.binary(Binding::Any)?;
        Ok(self.value(operand))
    }

    fn value(&mut self, operand: Operand) -> ExprId {
        match operand {
            Operand::Value(e) => e,
            Operand::Place(p) => {
                let ty = self.program.exprs.place(p).ty;
                self.intern(ty, ExprKind::Load(p))
            }
        }
    }

    fn binary(&mut self, least: Binding) -> Result<Operand, TextError> {
        with_stack(|| {
            let mut left = self.prefix()?;
            while let Some(op) = self.peek_operator().filter(|&op| binding(op) >= least) {
                self.next();
                let right = self.binary(binding(op).tighter())?;
                let (a, b) = (self.value(left), self.value(right));
                left = Operand::Value(self.combine(op, a, b));
            }
            Ok(left)
        })
    }

    fn peek_operator(&self) -> Option<BinaryOp> {
        let TokenKind::Sign(sign) = self.peek().kind else { return None };
        BinaryOp::ALL.into_iter().find(|op| op.symbol() == sign)
    }

    /// As it stands, without folding: what is printed again must be the same.
    fn combine(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.program.expr_ty(a);
        let pointer = self.program.types.is_pointer(ty);
        match op {
            BinaryOp::Add if pointer => self.intern(ty, ExprKind::PtrAdd(a, b)),
            BinaryOp::Sub if pointer => {
                self.intern(self.program.types.ptrdiff_type(), ExprKind::PtrDiff(a, b))
            }
            _ => {
                let ty = if op.is_comparison() { Types::I32 } else { ty };
                self.intern(ty, ExprKind::Binary(op, a, b))
            }
        }
    }

    fn prefix(&mut self) -> Result<Operand, TextError> {
        with_stack(|| self.prefix_step())
    }

    fn prefix_step(&mut self) -> Result<Operand, TextError> {
        if self.accept("-") {
            let number = match &self.peek().kind {
                TokenKind::Number(_) => true,
                TokenKind::Word(word) => word == "nan" || word == "inf",
                _ => false,
            };
            return if number { self.constant(true) } else { self.unary(UnaryOp::Neg) };
        }
        if self.accept("~") {
            return self.unary(UnaryOp::BitNot);
        }
        if self.accept("*") {
            let at = self.peek().clone();
            let operand = self.prefix()?;
            let pointer = self.value(operand);
            return Ok(Operand::Place(
                self.deref(pointer).ok_or_else(|| at.error("expected a pointer behind `*`"))?,
            ));
        }
        if self.accept("&") {
            return self.address();
        }
        if self.starts_cast() {
            self.expect("(")?;
            let ty = self.ty()?;
            self.expect(")")?;
            let operand = self.prefix()?;
            let value = self.value(operand);
            return Ok(Operand::Value(self.intern(ty, ExprKind::Cast(value))));
        }
        self.postfix()
    }

    fn unary(&mut self, op: UnaryOp) -> Result<Operand, TextError> {
        let operand = self.prefix()?;
        let value = self.value(operand);
        let ty = self.program.expr_ty(value);
        Ok(Operand::Value(self.intern(ty, ExprKind::Unary(op, value))))
    }

    fn deref(&mut self, pointer: ExprId) -> Option<PlaceId> {
        let pointee = self.program.types.pointee(self.program.expr_ty(pointer))?;
        Some(self.intern_place(pointee, PlaceKind::Deref(pointer)))
    }

    fn address(&mut self) -> Result<Operand, TextError> {
        if let TokenKind::Signed('$', _) = self.peek().kind {
            let function = self.func()?;
            let ty = self.program.types.pointer(self.program.funcs[function].ty);
            return Ok(Operand::Value(self.intern(ty, ExprKind::FuncAddr(function))));
        }
        let place = self.place()?;
        let ty = self.program.types.pointer(self.program.exprs.place(place).ty);
        Ok(Operand::Value(self.intern(ty, ExprKind::AddrOf(place))))
    }

    /// A type in parentheses starts with a word or with `(fn`.
    fn starts_cast(&self) -> bool {
        let word = |ahead: usize| match &self.peek_at(ahead).kind {
            TokenKind::Word(word) => word.as_str(),
            TokenKind::Sign(sign) => sign,
            _ => "",
        };
        let is_type =
            |w: &str| matches!(w, "struct" | "union" | "fn" | "fn?") || simple_type(w).is_some();
        word(0) == "(" && (is_type(word(1)) || word(1) == "(" && matches!(word(2), "fn" | "fn?"))
    }

    fn postfix(&mut self) -> Result<Operand, TextError> {
        let mut operand = self.primary()?;
        loop {
            let at = self.peek().clone();
            if self.accept("[") {
                let index = self.expr()?;
                self.expect("]")?;
                let base =
                    place_of(operand).ok_or_else(|| at.error("only a place has elements"))?;
                let Type::Array { elem, .. } = *self.program.types.get(self.program.place_ty(base))
                else {
                    return Err(at.error("this is not an array"));
                };
                operand = Operand::Place(self.intern_place(elem, PlaceKind::Index(base, index)));
            } else if self.accept("::") {
                let base = place_of(operand).ok_or_else(|| at.error("only a place has members"))?;
                operand = Operand::Place(self.member(base)?);
            } else if self.accept("->") {
                let pointer = self.value(operand);
                let base = self.deref(pointer).ok_or_else(|| at.error("this is not a pointer"))?;
                operand = Operand::Place(self.member(base)?);
            } else {
                return Ok(operand);
            }
        }
    }

    fn member(&mut self, base: PlaceId) -> Result<PlaceId, TextError> {
        let at = self.peek().clone();
        let Some((id, _)) = self.program.types.as_record(self.program.place_ty(base)) else {
            return Err(at.error("this is not a struct or union"));
        };
        let index = if self.accept("#") {
            self.number::<u32>()? as usize
        } else {
            let name = self.name()?;
            let fields = &self.program.types.record(id).fields;
            let found = fields.iter().position(|field| field.name == name);
            found.ok_or_else(|| at.error(format!("no member `{name}`")))?
        };
        let field = self.program.types.record(id).fields.get(index);
        let ty = field.ok_or_else(|| at.error(format!("no member {index}")))?.ty;
        Ok(self.intern_place(ty, PlaceKind::Field(base, index as u32)))
    }

    fn primary(&mut self) -> Result<Operand, TextError> {
        let token = self.peek().clone();
        match &token.kind {
            TokenKind::Signed('%' | '@', _) => {
                let var = self.var()?;
                Ok(Operand::Place(
                    self.intern_place(self.program.vars[var].ty, PlaceKind::Var(var)),
                ))
            }
            TokenKind::Number(_) => self.constant(false),
            TokenKind::Word(word) if word == "zero" => {
                self.next();
                self.expect("(")?;
                let ty = self.ty()?;
                self.expect(")")?;
                Ok(Operand::Value(self.intern(ty, ExprKind::Zero)))
            }
            TokenKind::Word(word) if word == "bits" => {
                self.next();
                self.expect("(")?;
                let bits = self.wide_number()?;
                self.expect(",")?;
                let ty = self.ty()?;
                self.expect(")")?;
                Ok(Operand::Value(self.interned_constant(ty, bits)))
            }
            TokenKind::Word(word) if word == "nan" || word == "inf" => self.constant(false),
            TokenKind::Sign("(") => {
                self.next();
                let inner = self.binary(Binding::Any)?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => Err(token.expected("an expression")),
        }
    }

    fn interned_constant(&mut self, ty: TypeId, bits: u128) -> ExprId {
        let id = self.program.exprs.intern_const(bits);
        self.intern(ty, ExprKind::Const(id))
    }

    /// A number with its type: `5:i32`.
    fn constant(&mut self, negative: bool) -> Result<Operand, TextError> {
        let token = self.next();
        let (TokenKind::Number(digits) | TokenKind::Word(digits)) = &token.kind else {
            return Err(token.expected("a number"));
        };
        self.expect(":")?;
        let at = self.next();
        let ty = match &at.kind {
            TokenKind::Word(word) => simple_type(word),
            _ => None,
        };
        let ty = ty.ok_or_else(|| at.expected("the type of the number"))?;
        let ty = self.program.types.intern(ty);
        let signed_digits = if negative { format!("-{digits}") } else { digits.clone() };
        let bits = match self.program.types.scalar(ty) {
            Some(Scalar::Float(kind)) => ops::parse_float(kind, &signed_digits),
            Some(scalar @ Scalar::Int { signed: true, .. }) => signed_digits
                .parse::<i128>()
                .ok()
                .map(|value| (value, ops::truncate(value as u128, scalar.width())))
                .filter(|(value, bits)| ops::extend(scalar, *bits) == *value)
                .map(|(_, bits)| bits),
            Some(scalar) => signed_digits
                .parse::<u128>()
                .ok()
                .filter(|&bits| ops::truncate(bits, scalar.width()) == bits),
            None => None,
        };
        let bits = bits.ok_or_else(|| token.error("this number does not fit its type"))?;
        Ok(Operand::Value(self.interned_constant(ty, bits)))
    }
}

fn place_of(operand: Operand) -> Option<PlaceId> {
    match operand {
        Operand::Place(place) => Some(place),
        Operand::Value(_) => None,
    }
}

fn simple_type(word: &str) -> Option<Type> {
    SIMPLE_TYPES.iter().find(|(_, name)| *name == word).map(|(ty, _)| ty.clone())
}
