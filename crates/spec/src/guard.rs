//! Conditions and numbers of a spec as expressions of the model. They read the program's values
//! and the spec's own variables, and never go wrong.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::{Program, Storage, VarId};
use gnomon_ir::types::{Type, TypeId, Types};

use crate::syntax::{Guard, Operator, OptionValue, Position, Spec};

/// What a guard cannot say about the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Where the spec says it.
    pub at: Position,
    /// What is wrong.
    pub message: String,
}

/// The values that a guard may use.
pub struct Scope<'a> {
    /// The spec.
    pub spec: &'a Spec,
    /// The variables of its ghosts.
    pub ghosts: &'a [VarId],
    /// The values of pattern variables.
    pub variables: &'a [(String, ExprId)],
    /// Where the rule stands, for messages.
    pub at: Position,
}

impl Scope<'_> {
    fn unfit(&self, message: impl Into<String>) -> Unfit {
        Unfit { at: self.at, message: message.into() }
    }

    /// The parts of a condition that must all hold.
    pub fn conjuncts(&self, program: &mut Program, guard: &Guard) -> Result<Vec<ExprId>, Unfit> {
        if let Guard::Binary(Operator::And, sides) = guard {
            let mut all = self.conjuncts(program, &sides[0])?;
            all.extend(self.conjuncts(program, &sides[1])?);
            return Ok(all);
        }
        Ok(vec![self.condition(program, guard)?])
    }

    /// 0 or 1, as `int`.
    pub fn condition(&self, program: &mut Program, guard: &Guard) -> Result<ExprId, Unfit> {
        let value = self.value(program, guard)?;
        Ok(program.truth(value))
    }

    /// A number of 64 bits.
    pub fn number(&self, program: &mut Program, guard: &Guard) -> Result<ExprId, Unfit> {
        let value = self.value(program, guard)?;
        let ty = program.expr_ty(value);
        if !program.types.is_integer(ty) && !matches!(program.types.get(ty), Type::Bool) {
            return Err(self.unfit("a number is needed here, but this is no integer"));
        }
        Ok(program.cast(Types::I64, value))
    }

    fn value(&self, program: &mut Program, guard: &Guard) -> Result<ExprId, Unfit> {
        Ok(match guard {
            Guard::Number(number) => program.int(Types::I64, i128::from(*number)),
            Guard::Null => {
                let pointer = address_type(program);
                program.zero(pointer)
            }
            Guard::Variable(name, at) => {
                let found = self.variables.iter().find(|(n, _)| n == name);
                let message = || format!("`${name}` has no value here");
                found.ok_or_else(|| Unfit { at: *at, message: message() })?.1
            }
            Guard::Ghost(ghost) => program.load_var(self.ghosts[*ghost]),
            Guard::Switch(option) => {
                let on = self.spec.options[*option].value == OptionValue::Switch(true);
                program.int(Types::I32, i128::from(on))
            }
            Guard::Global(name) => {
                let found = program.globals().find(|&v| program.vars[v].name == *name);
                match found.filter(|&v| program.types.is_scalar(program.vars[v].ty)) {
                    Some(var) => program.load_var(var),
                    None => {
                        let pointer = address_type(program);
                        program.zero(pointer)
                    }
                }
            }
            Guard::Literal(inner) => {
                let pointer = self.value(program, inner)?;
                self.literal(program, pointer)?
            }
            Guard::Inside(parts) => self.inside(program, parts)?,
            Guard::Not(inner) => {
                let inner = self.condition(program, inner)?;
                program.not(inner)
            }
            Guard::Binary(operator, sides) => self.binary(program, *operator, sides)?,
        })
    }

    fn binary(
        &self,
        program: &mut Program,
        operator: Operator,
        [left, right]: &[Guard; 2],
    ) -> Result<ExprId, Unfit> {
        let op = match operator {
            Operator::And | Operator::Or => {
                let (a, b) = (self.condition(program, left)?, self.condition(program, right)?);
                let is_and = operator == Operator::And;
                let op = if is_and { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                return Ok(program.binary(op, a, b));
            }
            Operator::Plus => return self.arithmetic(program, BinaryOp::Add, left, right),
            Operator::Minus => return self.arithmetic(program, BinaryOp::Sub, left, right),
            Operator::Times => return self.arithmetic(program, BinaryOp::Mul, left, right),
            Operator::Equal => BinaryOp::Eq,
            Operator::NotEqual => BinaryOp::Ne,
            Operator::Less => BinaryOp::Lt,
            Operator::LessOrEqual => BinaryOp::Le,
            Operator::Greater => BinaryOp::Gt,
            Operator::GreaterOrEqual => BinaryOp::Ge,
        };
        let (a, b) = (self.value(program, left)?, self.value(program, right)?);
        self.compare(program, op, a, b)
    }

    fn arithmetic(
        &self,
        program: &mut Program,
        op: BinaryOp,
        left: &Guard,
        right: &Guard,
    ) -> Result<ExprId, Unfit> {
        let (a, b) = (self.number(program, left)?, self.number(program, right)?);
        Ok(program.binary(op, a, b))
    }

    /// Compares two values of the program.
    pub fn compare(
        &self,
        program: &mut Program,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Result<ExprId, Unfit> {
        match compared(program, op, a, b) {
            Some(e) => Ok(e),
            None => Err(self
                .unfit("only integers with integers, and pointers with pointers, can be compared")),
        }
    }

    /// `start <= pointer < start + size`.
    fn inside(&self, program: &mut Program, parts: &[Guard; 3]) -> Result<ExprId, Unfit> {
        let [pointer, start] = [self.value(program, &parts[0])?, self.value(program, &parts[1])?];
        let size = self.number(program, &parts[2])?;
        let both = [pointer, start].map(|e| program.types.is_pointer(program.expr_ty(e)));
        if both != [true, true] {
            return Err(self.unfit("`inside` is about pointers"));
        }
        let bytes = program.types.pointer(Types::I8);
        let (pointer, start) = (program.cast(bytes, pointer), program.cast(bytes, start));
        let end = program.ptr_add(start, size);
        let above = program.binary(BinaryOp::Ge, pointer, start);
        let below = program.binary(BinaryOp::Lt, pointer, end);
        Ok(program.binary(BinaryOp::BitAnd, above, below))
    }

    /// The pointer is the start of a string literal, or of a constant array of characters.
    fn literal(&self, program: &mut Program, pointer: ExprId) -> Result<ExprId, Unfit> {
        if !program.types.is_pointer(program.expr_ty(pointer)) {
            return Err(self.unfit("`literal` is about pointers"));
        }
        let mut plain = pointer;
        while let ExprKind::Cast(inner) = program.exprs.expr(plain).kind {
            plain = inner;
        }
        if let ExprKind::AddrOf(place) = program.exprs.expr(plain).kind
            && let Some(var) = program.exprs.root_var(place)
        {
            return Ok(program.int(Types::I32, i128::from(is_literal(program, var))));
        }
        let ty = program.expr_ty(pointer);
        let vars: Vec<VarId> = program.globals().filter(|&v| is_literal(program, v)).collect();
        let taken = vars.into_iter().filter(|&var| address_is_used(program, var));
        let taken: Vec<VarId> = taken.collect();
        let mut any = program.int(Types::I32, 0);
        for var in taken {
            let array = program.var_place(var);
            let start = program.decay(array);
            let start = program.cast(ty, start);
            let same = program.binary(BinaryOp::Eq, pointer, start);
            any = program.binary(BinaryOp::BitOr, any, same);
        }
        Ok(any)
    }
}

/// Compares integers with integers and pointers with pointers.
pub fn compared(program: &mut Program, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    let is_pointer = |p: &Program, e| p.types.is_pointer(p.expr_ty(e));
    let is_number =
        |p: &Program, e| p.types.is_integer(p.expr_ty(e)) || p.expr_ty(e) == Types::BOOL;
    let pointers = [is_pointer(program, a), is_pointer(program, b)];
    let null = |p: &Program, e| p.as_int(e) == Some(0);
    let ty = match pointers {
        [true, true] => address_type(program),
        [true, false] if null(program, b) => address_type(program),
        [false, true] if null(program, a) => address_type(program),
        [false, false] if is_number(program, a) && is_number(program, b) => Types::I64,
        _ => return None,
    };
    let (a, b) = (program.cast(ty, a), program.cast(ty, b));
    if let (true, BinaryOp::Eq | BinaryOp::Ne) = (a == b, op) {
        return Some(program.int(Types::I32, i128::from(op == BinaryOp::Eq)));
    }
    Some(program.binary(op, a, b))
}

/// `void *`.
pub fn address_type(program: &mut Program) -> TypeId {
    program.types.pointer(Types::VOID)
}

/// Whether a variable is a string literal, or a constant array of characters.
fn is_literal(program: &Program, var: VarId) -> bool {
    let var = &program.vars[var];
    let Storage::Static { read_only: true, init: Some(_), .. } = var.storage else { return false };
    matches!(*program.types.get(var.ty), Type::Array { elem, .. } if program.types.size(elem) == 1)
}

/// Whether the address of a variable is in an expression.
fn address_is_used(program: &Program, var: VarId) -> bool {
    (0..program.exprs.expr_count()).map(|i| program.exprs.expr(ExprId(i as u32)).kind).any(|kind| {
        match kind {
            ExprKind::AddrOf(place) => match program.exprs.place(place).kind {
                PlaceKind::Index(base, _) => program.exprs.place(base).kind == PlaceKind::Var(var),
                kind => kind == PlaceKind::Var(var),
            },
            _ => false,
        }
    })
}
