//! Both encodings against the interpreter: random graphs of edges over variables, arrays, records
//! with bit-fields; and a path through recursive calls.
//!
//! A program sets its variables to constants and then runs through a random graph. The formula of
//! the graph, with those constants before it, must have the interpreter's values after it as its
//! only model; where the interpreter does not reach the end, it must have none. The formula is
//! solved by propagating values through it ([`settle`]), with the true operations for function
//! symbols; the first few also by the solver.

mod random_model;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, EdgeId, LocId, Op as EdgeOp};
use gnomon_ir::expr::{BinaryOp, Bits, ExprId, PlaceId};
use gnomon_ir::interp::{
    Discarded, EdgeEvent, Observer, RunOptions, State, ZeroSource, interpret_observed,
};
use gnomon_ir::ops::{Scalar, truncate};
use gnomon_ir::program::{FuncId, Function, Initializer, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{
    BitField, Field, Record, RecordKind, Signature, Target, Type, TypeId, Types,
};
use gnomon_logic::encode::scalar::constant;
use gnomon_logic::encode::{Encoder, PathEncoder, PathStep, Ssa, Theory};
use gnomon_logic::{
    Answer, Integer, Limits, Op, Purpose, Solver, Sort, Term, Terms, Variable, Z3Solver,
};
use random_model::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::time::Duration;

const LENGTH: u64 = 4;

fn edge(from: LocId, to: LocId, op: EdgeOp) -> Edge {
    Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT }
}

fn add_global(program: &mut Program, name: &str, ty: TypeId) -> VarId {
    let init = Some(Initializer::default());
    program.vars.push(Var {
        name: name.to_owned(),
        ty,
        storage: Storage::Static { init, thread_local: false, read_only: false },
        address_taken: false,
        span: Span::NONE,
    })
}

fn add_function(program: &mut Program, name: &str, params: Vec<VarId>, result: TypeId) -> FuncId {
    let types = params.iter().map(|&p| program.vars[p].ty).collect();
    let signature = Signature { result, params: types, variadic: false, prototyped: true };
    let ty = program.types.intern(Type::Function(signature));
    program.funcs.push(Function {
        name: name.into(),
        ty,
        params,
        locals: vec![],
        body: None,
        no_return: false,
        span: Span::NONE,
    })
}

/// A scalar in a variable: how formulas call it, and where the interpreter has it.
struct Spot {
    var: VarId,
    name: String,
    index: Option<u64>,
    scalar: Scalar,
    offset: u64,
    bits: Option<BitField>,
}

struct World {
    program: Program,
    scalars: Vec<VarId>,
    types: Vec<TypeId>,
    array: VarId,
    records: [VarId; 2],
    spots: Vec<Spot>,
}

fn world() -> World {
    let mut program = Program::new(Target::Lp64);
    let types =
        vec![Types::BOOL, Types::I8, Types::U16, Types::I32, Types::U32, Types::I64, Types::U64];
    let mut spots = Vec::new();
    let mut scalars = Vec::new();
    let spot = |var, name: String, index, scalar, offset, bits| Spot {
        var,
        name,
        index,
        scalar,
        offset,
        bits,
    };
    for (at, &ty) in types.iter().enumerate() {
        for letter in ["a", "b"] {
            let name = format!("{letter}{at}");
            let var = add_global(&mut program, &name, ty);
            let scalar = program.types.scalar(ty).expect("a scalar");
            spots.push(spot(var, name, None, scalar, 0, None));
            scalars.push(var);
        }
    }
    let int = Scalar::Int { bits: 32, signed: true };
    let unsigned = Scalar::Int { bits: 32, signed: false };
    let array_type = program.types.array(Types::I32, LENGTH);
    let array = add_global(&mut program, "arr", array_type);
    for i in 0..LENGTH {
        spots.push(spot(array, "arr[]".into(), Some(i), int, 4 * i, None));
    }
    let field = |name: &str, ty, offset, bits| Field { name: name.into(), ty, offset, bits };
    let low = BitField { shift: 0, width: 3 };
    let high = BitField { shift: 3, width: 5 };
    let (_, record) = program.types.add_record(Record {
        name: "R".into(),
        kind: RecordKind::Struct,
        fields: vec![
            field("s", Types::I16, 0, None),
            field("l", Types::U32, 4, Some(low)),
            field("h", Types::I32, 4, Some(high)),
            field("t", array_type, 8, None),
        ],
        size: 8 + 4 * LENGTH,
        align: 4,
        complete: true,
    });
    let records = ["x", "y"].map(|name| {
        let var = add_global(&mut program, name, record);
        let short = Scalar::Int { bits: 16, signed: true };
        spots.push(spot(var, format!("{name}.s"), None, short, 0, None));
        spots.push(spot(var, format!("{name}.l"), None, unsigned, 4, Some(low)));
        spots.push(spot(var, format!("{name}.h"), None, int, 4, Some(high)));
        for i in 0..LENGTH {
            spots.push(spot(var, format!("{name}.t[]"), Some(i), int, 8 + 4 * i, None));
        }
        var
    });
    World { program, scalars, types, array, records, spots }
}

impl World {
    fn value(&mut self, random: &mut Random, ty: TypeId) -> ExprId {
        expression(&mut self.program, random, &self.scalars, &self.types, ty, 2)
    }

    /// An index that is mostly inside.
    fn index(&mut self, random: &mut Random) -> ExprId {
        let e = self.value(random, Types::U32);
        if random.one_in(8) {
            return e;
        }
        let length = self.program.int(Types::U32, i128::from(LENGTH));
        self.program.binary(BinaryOp::Rem, e, length)
    }

    /// A place of type `int` or another integer type.
    fn place(&mut self, random: &mut Random) -> PlaceId {
        match random.below(8) {
            0 | 1 => {
                let (base, index) = (self.program.var_place(self.array), self.index(random));
                self.program.index(base, index)
            }
            2 | 3 => {
                let record = random.pick(&self.records);
                let base = self.program.var_place(record);
                let number = random.below(4) as u32;
                let field = self.program.field(base, number);
                if number < 3 {
                    return field;
                }
                let index = self.index(random);
                self.program.index(field, index)
            }
            _ => {
                let var = random.pick(&self.scalars);
                self.program.var_place(var)
            }
        }
    }

    fn operation(&mut self, random: &mut Random) -> EdgeOp {
        if random.one_in(12) {
            let [x, y] = self.records.map(|r| self.program.var_place(r));
            let src = if random.one_in(3) {
                let ty = self.program.place_ty(y);
                self.program.zero(ty)
            } else {
                self.program.load(y)
            };
            return EdgeOp::Assign { dst: x, src };
        }
        let dst = self.place(random);
        let ty = self.program.place_ty(dst);
        let src = if random.one_in(3) {
            let from = self.place(random);
            let loaded = self.program.load(from);
            self.program.cast(ty, loaded)
        } else {
            self.value(random, ty)
        };
        EdgeOp::Assign { dst, src }
    }

    /// A random piece of graph from a location on; gives its end.
    fn piece(
        &mut self,
        random: &mut Random,
        cfa: &mut CfaBuilder,
        from: LocId,
        size: usize,
    ) -> LocId {
        let mut at = from;
        for _ in 0..size {
            // Branches are shorter than what they are in, so that every graph ends.
            if size > 1 && random.one_in(4) {
                let condition = self.value(random, Types::I32);
                let negated = self.program.not(condition);
                let end = cfa.add_loc();
                for condition in [condition, negated] {
                    let branch = cfa.add_loc();
                    cfa.add_edge(edge(at, branch, EdgeOp::Assume(condition)));
                    let last = self.piece(random, cfa, branch, size / 2);
                    cfa.add_edge(edge(last, end, EdgeOp::Skip));
                }
                at = end;
            } else {
                let to = cfa.add_loc();
                let op = self.operation(random);
                cfa.add_edge(edge(at, to, op));
                at = to;
            }
        }
        at
    }
}

fn spot_bits(bytes: &[u8], spot: &Spot) -> Bits {
    let word = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let size = match spot.bits {
        Some(_) => 4,
        None => usize::from(spot.scalar.width()) / 8,
    };
    let offset = spot.offset as usize;
    let value = (0..size).rev().fold(0, |v: Bits, i| (v << 8) | Bits::from(word(offset + i)));
    match spot.bits {
        Some(field) => {
            let value = truncate(value >> field.shift, u16::from(field.width));
            if matches!(spot.scalar, Scalar::Int { signed: true, .. }) {
                let extended = gnomon_ir::ops::sign_extend(value, u16::from(field.width));
                truncate(extended as u128, spot.scalar.width())
            } else {
                value
            }
        }
        None => value,
    }
}

/// Looks at the variables when certain edges are taken.
struct Watch<'a> {
    spots: &'a [Spot],
    start: LocId,
    end: LocId,
    program: &'a Program,
    before: Option<Vec<Bits>>,
    after: Option<Vec<Bits>>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, event: EdgeEvent, state: &State<'_>) {
        let Some(body) = &self.program.funcs[event.func].body else { return };
        let from = body.edge(event.edge).from;
        let look = || {
            let bits = |s: &Spot| state.variable(s.var).map(|bytes| spot_bits(bytes, s));
            self.spots.iter().map(bits).collect::<Option<Vec<Bits>>>()
        };
        if from == self.start && self.before.is_none() {
            self.before = look();
        }
        if from == self.end {
            self.after = look();
        }
    }
}

/// The variable of a spot, if the formula mentions it.
fn variable_of(terms: &Terms, spot: &Spot) -> Option<Variable> {
    terms.variables().find(|&v| *terms.variable_info(v).name == *spot.name)
}

fn index_term(terms: &mut Terms, theory: Theory, index: u64) -> Term {
    match theory {
        Theory::Int => terms.int(index),
        Theory::Bits => terms.bv(index, 64),
    }
}

/// The values of the variables at the given indices.
fn known_values(
    terms: &mut Terms,
    theory: Theory,
    ssa: &Ssa,
    spots: &[Spot],
    values: &[Bits],
) -> FxHashMap<Term, Term> {
    let mut known = FxHashMap::default();
    for (spot, &bits) in spots.iter().zip(values) {
        let Some(variable) = variable_of(terms, spot) else { continue };
        let symbol = terms.symbol(ssa.symbol(variable));
        let value = constant(terms, theory, spot.scalar, bits);
        let value = match spot.index {
            None => value,
            Some(index) => {
                let old = match known.get(&symbol) {
                    Some(&array) => array,
                    None => {
                        let zero = constant(terms, theory, spot.scalar, 0);
                        terms.const_array(terms.variable_info(variable).sort, zero)
                    }
                };
                let index = index_term(terms, theory, index);
                terms.store(old, index, value)
            }
        };
        known.insert(symbol, value);
    }
    known
}

/// Applications of function symbols to constants, as their true values.
fn true_operations(terms: &mut Terms, encoder: &Encoder<'_>, formula: Term) -> Term {
    let mut map = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        let Op::Apply(function) = terms.op(term) else { continue };
        let args: Option<Vec<Integer>> =
            terms.args(term).iter().map(|&a| terms.value(a).cloned()).collect();
        if let (Some(args), Some(meaning)) = (args, encoder.functions().meaning(function))
            && let Some(value) = meaning.evaluate(&args)
        {
            map.insert(term, terms.int(value));
        }
    }
    if map.is_empty() { formula } else { terms.substitute(formula, &map) }
}

/// Whether a term is a constant or an array of constants.
fn is_value(terms: &Terms, term: Term) -> bool {
    let applied = |&t: &Term| matches!(terms.op(t), Op::Apply(_));
    terms.is_ground(term) && !terms.subterms(&[term]).iter().any(applied)
}

/// Propagates values: equations `symbol = value` and equal bounds of a symbol give values to
/// substitute, until nothing changes. Gives what is left, and adds the values found.
fn settle(
    terms: &mut Terms,
    encoder: &Encoder<'_>,
    formula: Term,
    known: &mut FxHashMap<Term, Term>,
) -> Term {
    let mut rest = terms.substitute(formula, known);
    loop {
        let evaluated = true_operations(terms, encoder, rest);
        let changed = evaluated != rest;
        rest = evaluated;
        let mut found = FxHashMap::default();
        let mut bounds: BTreeMap<Term, [Option<Term>; 2]> = BTreeMap::new();
        for conjunct in terms.conjuncts(rest) {
            let &[a, b] = terms.args(conjunct) else { continue };
            let is_symbol = |t: Term| terms.as_symbol(t).is_some();
            match terms.op(conjunct) {
                Op::Eq if is_symbol(a) && is_value(terms, b) => drop(found.insert(a, b)),
                Op::Eq if is_symbol(b) && is_value(terms, a) => drop(found.insert(b, a)),
                Op::Le if is_symbol(a) && is_value(terms, b) => {
                    bounds.entry(a).or_default()[1] = Some(b);
                }
                Op::Le if is_symbol(b) && is_value(terms, a) => {
                    bounds.entry(b).or_default()[0] = Some(a);
                }
                _ => {}
            }
        }
        for (symbol, bounds) in bounds {
            if let [Some(low), Some(high)] = bounds
                && low == high
            {
                found.insert(symbol, low);
            }
        }
        if found.is_empty() && !changed {
            return rest;
        }
        rest = terms.substitute(rest, &found);
        known.extend(found);
    }
}

#[derive(Default, Debug)]
struct Count {
    reached: usize,
    ended: usize,
    left_open: usize,
    solved: usize,
}

fn compare(seed: u64, theory: Theory, programs: usize) -> Count {
    let mut count = Count::default();
    for number in 0..programs {
        let mut random = Random(seed + 7919 * number as u64);
        random.next();
        one_program(&mut random, theory, &mut count);
    }
    count
}

fn one_program(random: &mut Random, theory: Theory, count: &mut Count) {
    let mut world = world();
    let mut cfa = CfaBuilder::new();
    let mut start = cfa.entry();
    for at in 0..world.scalars.len() {
        let var = world.scalars[at];
        let ty = world.program.vars[var].ty;
        let scalar = world.program.types.scalar(ty).expect("a scalar");
        let bits = edge_value(random, scalar);
        let (dst, src) = (world.program.var_place(var), world.program.constant(ty, bits));
        let next = cfa.add_loc();
        cfa.add_edge(edge(start, next, EdgeOp::Assign { dst, src }));
        start = next;
    }
    let size = 3 + random.below(5);
    let end = world.piece(random, &mut cfa, start, size);
    let zero = world.program.int(Types::I32, 0);
    cfa.add_edge(edge(end, cfa.exit(), EdgeOp::Return(Some(zero))));
    let init_edges = world.scalars.len();
    let func = add_function(&mut world.program, "main", vec![], Types::I32);
    let body = cfa.finish();
    // Locations were numbered anew: find the ends again by their edges.
    let edges: Vec<EdgeId> = body.edges().ids().collect();
    let start = body.edge(edges[init_edges - 1]).to;
    let last = *edges.last().expect("an edge");
    let end = body.edge(last).from;
    let inside: Vec<EdgeId> = edges[init_edges..edges.len() - 1].to_vec();
    world.program.funcs[func].body = Some(body);
    let program = &world.program;
    let mut watch = Watch { spots: &world.spots, start, end, program, before: None, after: None };
    let (mut inputs, mut output) = (ZeroSource, Discarded);
    let run = interpret_observed(
        program,
        &RunOptions::default(),
        &mut inputs,
        &mut output,
        &Budget::unlimited(),
        &mut watch,
    );
    // A condition that divides by zero right at the start shows no values before it.
    let (Some(before), after) = (watch.before, watch.after) else { return };
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(program, theory);
    let block = encoder
        .graph(&mut terms, &Ssa::new(), func, (start, end), &inside)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut known = known_values(&mut terms, theory, &block.before, &world.spots, &before);
    let inputs = known.clone();
    let rest = settle(&mut terms, &encoder, block.formula, &mut known);
    let context = |terms: &Terms| {
        let shown = terms.display(block.formula);
        format!("{:?}\n{shown}\nleaves {}", run.outcome, terms.display(rest))
    };
    match &after {
        Some(after) => {
            count.reached += 1;
            assert_ne!(rest, terms.ff(), "the run is excluded: {}", context(&terms));
            count.left_open += usize::from(rest != terms.tt());
            for (spot, &bits) in world.spots.iter().zip(after) {
                let Some(variable) = variable_of(&terms, spot) else { continue };
                let symbol = terms.symbol(block.after.symbol(variable));
                let Some(&value) = known.get(&symbol) else { continue };
                let found = match spot.index {
                    None => value,
                    Some(index) => {
                        let index = index_term(&mut terms, theory, index);
                        terms.select(value, index)
                    }
                };
                let expected = constant(&mut terms, theory, spot.scalar, bits);
                assert_eq!(
                    terms.display(found).to_string(),
                    terms.display(expected).to_string(),
                    "{}, inputs {:?}: {}",
                    spot.name,
                    inputs
                        .iter()
                        .map(|(&s, &v)| format!("{} = {}", terms.display(s), terms.display(v)))
                        .collect::<std::collections::BTreeSet<_>>(),
                    context(&terms)
                );
            }
        }
        None => {
            count.ended += 1;
            assert_ne!(rest, terms.tt(), "there is no such run: {}", context(&terms));
            count.left_open += usize::from(rest != terms.ff());
        }
    }
    if count.solved < 20 {
        solve(&mut terms, block.formula, &inputs, after.is_some());
        count.solved += 1;
    }
}

/// The solver does not contradict the interpreter.
fn solve(terms: &mut Terms, formula: Term, inputs: &FxHashMap<Term, Term>, reached: bool) {
    let interpreted =
        !terms.subterms(&[formula]).iter().any(|&t| matches!(terms.op(t), Op::Apply(_)));
    let mut solver = Z3Solver::all();
    let fixed = terms.substitute(formula, inputs);
    solver.assert(terms, fixed);
    let limits = Limits { resources: Some(200_000), time: Some(Duration::from_secs(5)) };
    match solver.check(terms, &[], Purpose::CHECK, limits) {
        Answer::Sat => assert!(reached || !interpreted, "there is no such run"),
        Answer::Unsat => assert!(!reached, "the run is excluded"),
        Answer::Unknown(_) => {}
    }
}

#[test]
fn graphs_mean_the_same_in_integers() {
    let count = compare(0x5eed, Theory::Int, cases(400));
    assert!(count.reached > cases(100) && count.ended > cases(20), "{count:?}");
    assert!(count.left_open < cases(40), "{count:?}");
}

#[test]
fn graphs_mean_the_same_in_bits() {
    let count = compare(0xfeed, Theory::Bits, cases(400));
    assert!(count.reached > cases(100) && count.ended > cases(20), "{count:?}");
    assert!(count.left_open < cases(40), "{count:?}");
}

/// `int f(int n) { int r; if (n <= 0) return 0; r = f(n - 1); return r + n; }  x = f(2);`
fn recursive() -> (Program, FuncId, FuncId, VarId) {
    let mut p = Program::new(Target::Lp64);
    let f = add_function(&mut p, "f", vec![], Types::I32);
    let local = |p: &mut Program, name: &str, storage| {
        let name = name.to_owned();
        p.vars.push(Var { name, ty: Types::I32, storage, address_taken: false, span: Span::NONE })
    };
    let n = local(&mut p, "n", Storage::Param(f));
    let r = local(&mut p, "r", Storage::Local(f));
    p.funcs[f].params = vec![n];
    p.funcs[f].locals = vec![r];
    let (zero, one) = (p.int(Types::I32, 0), p.int(Types::I32, 1));
    let n_value = p.load_var(n);
    let small = p.binary(BinaryOp::Le, n_value, zero);
    let large = p.not(small);
    let less = p.binary(BinaryOp::Sub, n_value, one);
    let r_place = p.var_place(r);
    let r_value = p.load_var(r);
    let sum = p.binary(BinaryOp::Add, r_value, n_value);
    let mut cfa = CfaBuilder::new();
    let [base, step, called] = std::array::from_fn(|_| cfa.add_loc());
    let (entry, exit) = (cfa.entry(), cfa.exit());
    cfa.add_edge(edge(entry, base, EdgeOp::Assume(small)));
    cfa.add_edge(edge(base, exit, EdgeOp::Return(Some(zero))));
    cfa.add_edge(edge(entry, step, EdgeOp::Assume(large)));
    let call = Call { dst: Some(r_place), callee: Callee::Direct(f), args: [less].into() };
    cfa.add_edge(edge(step, called, EdgeOp::Call(call)));
    cfa.add_edge(edge(called, exit, EdgeOp::Return(Some(sum))));
    p.funcs[f].body = Some(cfa.finish());
    let x = add_global(&mut p, "x", Types::I32);
    let (x_place, two) = (p.var_place(x), p.int(Types::I32, 2));
    let main = add_function(&mut p, "main", vec![], Types::VOID);
    let mut cfa = CfaBuilder::new();
    let call = Call { dst: Some(x_place), callee: Callee::Direct(f), args: [two].into() };
    cfa.add_edge(edge(cfa.entry(), cfa.exit(), EdgeOp::Call(call)));
    p.funcs[main].body = Some(cfa.finish());
    (p, main, f, x)
}

#[test]
fn a_path_through_recursive_calls_keeps_the_frames_apart() {
    let (program, main, _, _) = recursive();
    let e = EdgeId;
    let steps = [
        PathStep::Enter(e(0)),
        PathStep::Edge(e(2)),
        PathStep::Enter(e(3)),
        PathStep::Edge(e(2)),
        PathStep::Enter(e(3)),
        PathStep::Edge(e(0)),
        PathStep::Edge(e(1)),
        PathStep::Leave,
        PathStep::Edge(e(4)),
        PathStep::Leave,
        PathStep::Edge(e(4)),
        PathStep::Leave,
    ];
    for theory in [Theory::Int, Theory::Bits] {
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(&program, theory);
        let mut path = PathEncoder::new(&mut encoder, main, Ssa::new());
        let mut solver = Z3Solver::all();
        for step in steps {
            let block = path.step(&mut terms, step).expect("a step");
            solver.assert(&terms, block.formula);
        }
        assert_eq!(path.depth(), 0);
        let sort = if theory == Theory::Int { Sort::Int } else { Sort::BitVec(32) };
        let x = terms.variable("x", gnomon_logic::Scope::Global, sort);
        let x = terms.symbol(path.ssa().symbol(x));
        assert_eq!(solver.check_sat(&terms), Answer::Sat);
        let scalar = Scalar::Int { bits: 32, signed: true };
        let three = constant(&mut terms, theory, scalar, 3);
        let other = terms.ne(x, three);
        let answer = solver.check(&terms, &[other], Purpose::CHECK, Limits::default());
        assert_eq!(answer, Answer::Unsat, "{theory:?}");
    }
}

#[test]
fn what_is_not_encoded_says_so() {
    let mut world = world();
    let var = world.scalars[7];
    let place = world.program.var_place(var);
    let address = world.program.address_of(place);
    let behind = world.program.deref(address);
    let src = world.program.int(Types::I32, 1);
    let ty = world.program.place_ty(behind);
    let src = world.program.cast(ty, src);
    let mut cfa = CfaBuilder::new();
    cfa.add_edge(edge(cfa.entry(), cfa.exit(), EdgeOp::Assign { dst: behind, src }));
    let func = add_function(&mut world.program, "main", vec![], Types::VOID);
    world.program.funcs[func].body = Some(cfa.finish());
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&world.program, Theory::Int);
    let error = encoder.sequence(&mut terms, &Ssa::new(), func, &[EdgeId(0)]).map(|b| b.formula);
    assert!(error.is_err_and(|e| e.to_string().starts_with("not encoded: ")));
}
