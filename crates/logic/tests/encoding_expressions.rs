//! Both encodings against the meaning of operators: random expressions, all types, edge values.
//!
//! Each expression is assigned to a variable on an edge, and the edge is encoded. The formula is
//! evaluated with the inputs, the true result, the witnesses of auxiliary variables and the true
//! operations for function symbols: it must hold, and must not hold for another result, or for any
//! where the run ends. A sample is put to the solver, which must find no other result where
//! nothing is uninterpreted. `GNOMON_ENCODING_SCALE=10` runs ten times as many.

mod random_model;

use gnomon_ir::cfa::{CfaBuilder, Edge, EdgeId, Op as EdgeOp};
use gnomon_ir::expr::{Bits, ExprId};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Function, Program, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{FloatKind, Signature, Target, Type, TypeId, Types};
use gnomon_logic::encode::scalar::{float_sort, integer_of, interchange_bits};
use gnomon_logic::encode::{Block, Encoder, Ssa, Theory};
use gnomon_logic::{
    Answer, Integer, Limits, Op, Purpose, Solver, Symbol, Term, Terms, Value, Z3Solver,
};
use random_model::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// Expressions assigned to a variable of their type, one edge each.
struct Exercise {
    program: Program,
    func: FuncId,
    vars: Vec<VarId>,
    edges: Vec<(EdgeId, VarId, ExprId)>,
}

fn exercise(random: &mut Random, count: usize, depth: usize, floats: &[FloatKind]) -> Exercise {
    let mut program = Program::new(Target::Lp64);
    let mut types: Vec<TypeId> = INTEGERS.to_vec();
    types.extend(floats.iter().map(|&k| program.types.float(k)));
    let mut vars = Vec::new();
    let mut results = BTreeMap::new();
    for (at, &ty) in types.iter().enumerate() {
        for letter in ["a", "b"] {
            vars.push(add_static(&mut program, &format!("{letter}{at}"), ty));
        }
        results.insert(ty, add_static(&mut program, &format!("r{at}"), ty));
    }
    let mut cfa = CfaBuilder::new();
    let mut at = cfa.entry();
    let mut assigned = Vec::new();
    for _ in 0..count {
        let ty = random.pick(&types);
        let depth = 1 + random.below(depth);
        let e = expression(&mut program, random, &vars, &types, ty, depth);
        let result = results[&ty];
        let dst = program.var_place(result);
        let next = cfa.add_loc();
        let op = EdgeOp::Assign { dst, src: e };
        cfa.add_edge(Edge { from: at, to: next, op, span: Span::NONE, stmt: Program::NO_STMT });
        assigned.push((result, e));
        at = next;
    }
    let body = cfa.finish();
    let edges: Vec<(EdgeId, VarId, ExprId)> =
        body.edges().ids().zip(assigned).map(|(edge, (result, e))| (edge, result, e)).collect();
    let signature =
        Signature { result: Types::VOID, params: [].into(), variadic: false, prototyped: true };
    let ty = program.types.intern(Type::Function(signature));
    let func = program.funcs.push(Function {
        name: "f".into(),
        ty,
        params: vec![],
        locals: vec![],
        body: Some(body),
        no_return: false,
        span: Span::NONE,
    });
    Exercise { program, func, vars, edges }
}

fn value_of(theory: Theory, scalar: Scalar, bits: Bits) -> Value {
    match (theory, scalar) {
        (Theory::Int, _) => Value::Int(integer_of(scalar, bits)),
        (Theory::Bits, Scalar::Float(kind)) => {
            Value::float(float_sort(kind), interchange_bits(kind, bits).into())
        }
        (Theory::Bits, _) => {
            Value::BitVec { width: u32::from(scalar.width()), bits: Integer::from(bits) }
        }
    }
}

/// The values of the formula's symbols by the variable's name.
fn assignment(
    program: &Program,
    theory: Theory,
    values: &Valuation,
    result: VarId,
    expected: Bits,
) -> BTreeMap<String, Value> {
    let value = |var: VarId, bits| {
        let info = &program.vars[var];
        let scalar = program.types.scalar(info.ty).expect("a scalar");
        (info.name.clone(), value_of(theory, scalar, bits))
    };
    let mut named: BTreeMap<String, Value> =
        values.iter().map(|(&var, &bits)| value(var, bits)).collect();
    let (name, expected) = value(result, expected);
    named.insert(name, expected);
    named
}

struct Evaluator<'a> {
    terms: &'a Terms,
    encoder: &'a Encoder<'a>,
    named: BTreeMap<String, Value>,
    auxiliary: BTreeMap<Symbol, Value>,
}

impl Evaluator<'_> {
    fn evaluate(&self, root: Term) -> Option<Value> {
        self.terms.evaluate(root, |term, args| match self.terms.op(term) {
            Op::Symbol(symbol) => self.auxiliary.get(&symbol).cloned().or_else(|| {
                self.named.get(&*self.terms.variable_info(symbol.variable).name).cloned()
            }),
            Op::Apply(function) => {
                let args: Option<Vec<Integer>> =
                    args.iter().map(|a| a.and_then(|v| v.as_integer().cloned())).collect();
                let meaning = self.encoder.functions().meaning(function)?;
                meaning.evaluate(&args?).map(Value::Int)
            }
            _ => None,
        })
    }

    /// Whether the formula holds, with the auxiliary variables at their witnesses.
    fn holds(&mut self, block: &Block) -> Option<bool> {
        for auxiliary in &block.auxiliaries {
            if let Some(value) = auxiliary.witness.and_then(|w| self.evaluate(w)) {
                self.auxiliary.insert(auxiliary.symbol, value);
            }
        }
        self.evaluate(block.formula)?.as_bool()
    }
}

fn is_interpreted(terms: &Terms, block: &Block) -> bool {
    !terms.subterms(&[block.formula]).iter().any(|&t| matches!(terms.op(t), Op::Apply(_)))
}

/// Puts the formula with fixed inputs to the solver: the result is the expected one and no other.
fn only_result(
    terms: &mut Terms,
    solver: &mut Z3Solver,
    block: &Block,
    named: &BTreeMap<String, Value>,
    result_name: &str,
) {
    solver.push();
    solver.assert(terms, block.formula);
    let mut result = None;
    for &symbol in &*terms.free_symbols(block.formula) {
        let info = terms.variable_info(symbol.variable).clone();
        let Some(value) = named.get(&*info.name) else { continue };
        let (term, value) = (terms.symbol(symbol), terms.value_term(value, info.sort));
        let equal = terms.eq(term, value);
        if *info.name == *result_name {
            result = Some(equal);
        } else {
            solver.assert(terms, equal);
        }
    }
    let result = result.unwrap_or(terms.tt());
    let limits = Limits { resources: Some(5_000_000), time: Some(Duration::from_secs(10)) };
    let answer = solver.check(terms, &[result], Purpose::CHECK, limits);
    assert_ne!(answer, Answer::Unsat, "the true result is excluded");
    let other = terms.not(result);
    let answer = solver.check(terms, &[other], Purpose::CHECK, limits);
    assert_ne!(answer, Answer::Sat, "another result is possible");
    solver.pop();
}

#[derive(Default, Debug)]
struct Count {
    evaluated: usize,
    trapped: usize,
    solved: usize,
}

fn compare(exercise: &Exercise, theory: Theory, random: &mut Random, valuations: usize) -> Count {
    let program = &exercise.program;
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(program, theory);
    let mut solver = match theory {
        Theory::Int => Z3Solver::integers(),
        Theory::Bits => Z3Solver::all(),
    };
    let mut count = Count::default();
    for &(edge, result, e) in &exercise.edges {
        let block = encoder
            .sequence(&mut terms, &Ssa::new(), exercise.func, &[edge])
            .expect("every operator is encoded");
        let exact = theory == Theory::Bits || is_interpreted(&terms, &block);
        let name = program.vars[result].name.clone();
        let scalar = program.types.scalar(program.vars[result].ty).expect("a scalar");
        for round in 0..valuations {
            let values = valuation(program, random, &exercise.vars);
            let outcome = meaning(program, e, &values);
            let expected = outcome.unwrap_or(0);
            let named = assignment(program, theory, &values, result, expected);
            let mut evaluator = Evaluator {
                terms: &terms,
                encoder: &encoder,
                named: named.clone(),
                auxiliary: BTreeMap::new(),
            };
            let context = || {
                let shown = terms.display(block.formula).to_string();
                format!("{theory:?} {values:?} gives {outcome:?}: {shown}")
            };
            let Some(holds) = evaluator.holds(&block) else {
                // Formats that the evaluator does not have are left to the solver.
                let sampled = round == 0 && theory == Theory::Bits && outcome.is_ok();
                if sampled && count.solved < cases(150) {
                    only_result(&mut terms, &mut solver, &block, &named, &name);
                    count.solved += 1;
                }
                continue;
            };
            count.evaluated += 1;
            assert_eq!(holds, outcome.is_ok(), "{}", context());
            if outcome.is_err() {
                count.trapped += 1;
                continue;
            }
            let other = edge_value(random, scalar);
            if value_of(theory, scalar, other) != value_of(theory, scalar, expected) {
                let wrong = value_of(theory, scalar, other);
                evaluator.named.insert(name.clone(), wrong);
                assert_ne!(evaluator.holds(&block), Some(true), "{other}: {}", context());
            }
            if exact && round == 0 && count.solved < cases(300) {
                only_result(&mut terms, &mut solver, &block, &named, &name);
                count.solved += 1;
            }
        }
    }
    count
}

#[test]
fn expressions_mean_the_same_in_integers() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let exercise = exercise(&mut random, cases(3_000), 4, &[FloatKind::F32, FloatKind::F64]);
    let count = compare(&exercise, Theory::Int, &mut random, 20);
    assert!(count.evaluated >= cases(55_000), "{count:?}");
    assert!(count.trapped >= 50 && count.solved >= 100, "{count:?}");
}

#[test]
fn expressions_mean_the_same_in_bits() {
    let mut random = Random(0xfeed_5678_9abc_def1);
    let exercise = exercise(&mut random, cases(3_000), 4, &[FloatKind::F32, FloatKind::F64]);
    let count = compare(&exercise, Theory::Bits, &mut random, 20);
    assert!(count.evaluated >= cases(50_000), "{count:?}");
    assert!(count.trapped >= 50 && count.solved >= 100, "{count:?}");
}

#[test]
fn the_other_float_formats_mean_the_same_in_bits() {
    let mut random = Random(0xabcd_5678_9abc_def1);
    let kinds = [FloatKind::F16, FloatKind::X87, FloatKind::F128];
    let exercise = exercise(&mut random, cases(300), 2, &kinds);
    let count = compare(&exercise, Theory::Bits, &mut random, 1);
    assert!(count.solved >= 50, "{count:?}");
}
