//! Candidate invariants in bits from the conditions of a function.
//!
//! What loops need is most often a bound or an order of what their conditions compare: `0 <= i`,
//! `i <= n`. So the variables that conditions of a function mention are put beside each other,
//! beside zero and beside the numbers that conditions mention. Nothing here is known to hold; who
//! takes a candidate finds out ([`crate::k_induction`] by elimination). The same idea in integers,
//! over clauses, is [`crate::candidates`].

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_logic::encode::{Encoder, Execution};
use gnomon_logic::{Integer, Op as TermOp, Sort, Term, Terms};

/// So many variables of a function are looked at, and so many numbers.
const MOST_VARIABLES: usize = 7;
const MOST_NUMBERS: usize = 5;

/// A variable: its value, and whether it has a sign.
#[derive(Clone, Copy)]
struct Operand {
    value: Term,
    signed: bool,
}

/// Candidates over the variables that conditions of a function mention, without indices.
pub fn candidates(
    program: &Program,
    func: FuncId,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
) -> Vec<Term> {
    let (variables, numbers) = mentioned(program, func);
    let at_start = Execution::default();
    let mut operands: Vec<Operand> = Vec::new();
    for var in variables {
        let ty = program.vars[var].ty;
        let Some(Scalar::Int { signed, .. }) = program.types.scalar(ty) else { continue };
        if program.types.is_pointer(ty) || operands.len() >= MOST_VARIABLES {
            continue;
        }
        if let Some(value) = encoder.read_variable(terms, &at_start, var)
            && matches!(terms.sort(value), Sort::BitVec(_))
        {
            operands.push(Operand { value, signed });
        }
    }
    let mut found = Vec::new();
    let mut add = |terms: &mut Terms, signed: bool, less: Term, more: Term| {
        let op = if signed { TermOp::BvSle } else { TermOp::BvUle };
        let atom = terms.make(op, &[less, more]);
        let atom = terms.without_indices(atom);
        if atom != terms.tt() && atom != terms.ff() && !found.contains(&atom) {
            found.push(atom);
        }
    };
    for &Operand { value, signed } in &operands {
        let width = terms.width(value);
        let zero = terms.bv(0, width);
        add(terms, signed, zero, value);
    }
    for &a in &operands {
        for &b in &operands {
            let is_alike = terms.sort(a.value) == terms.sort(b.value) && a.signed == b.signed;
            if a.value != b.value && is_alike {
                add(terms, a.signed, a.value, b.value);
            }
        }
    }
    for &Operand { value, signed } in &operands {
        for number in &numbers {
            let width = terms.width(value);
            let number = terms.bv(number.clone(), width);
            add(terms, signed, value, number);
            add(terms, signed, number, value);
        }
    }
    found
}

/// The variables and the numbers of the conditions of a function, in their order.
fn mentioned(program: &Program, func: FuncId) -> (Vec<VarId>, Vec<Integer>) {
    let (mut variables, mut numbers) = (Vec::new(), Vec::new());
    let Some(body) = &program.funcs[func].body else { return (variables, numbers) };
    for edge in body.edges().iter() {
        let Op::Assume(condition) = edge.op else { continue };
        let mut pending: Vec<ExprId> = vec![condition];
        while let Some(expr) = pending.pop() {
            match program.exprs.expr(expr).kind {
                ExprKind::Load(place) => {
                    if let PlaceKind::Var(var) = program.exprs.place(place).kind
                        && !variables.contains(&var)
                    {
                        variables.push(var);
                    }
                }
                ExprKind::Const(_) => {
                    if let Some(number) = number(program, expr)
                        && numbers.len() < MOST_NUMBERS
                        && !numbers.contains(&number)
                    {
                        numbers.push(number);
                    }
                }
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => pending.push(a),
                ExprKind::Binary(_, a, b) => pending.extend([b, a]),
                _ => {}
            }
        }
    }
    (variables, numbers)
}

/// The value of a constant, if it is one of an integer type and not zero.
fn number(program: &Program, expr: ExprId) -> Option<Integer> {
    let scalar = program.types.scalar(program.expr_ty(expr))?;
    let bits = program.exprs.const_bits(expr)?;
    match scalar {
        Scalar::Int { bits: width, signed: true } => {
            Some(Integer::from(gnomon_ir::ops::sign_extend(bits, width)))
        }
        Scalar::Int { signed: false, .. } => Some(Integer::from(bits)),
        _ => None,
    }
    .filter(|number| *number != Integer::ZERO)
}
