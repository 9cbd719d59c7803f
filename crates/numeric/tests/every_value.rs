//! The abstract interpreter against the interpreter: at every edge that a run takes, every variable is
//! inside of what is known there, and no run gets where none is said to get.
//!
//! Programs are of two kinds: text with loops, calls, structs, pointers and floating point, made for
//! this; and those of `ir`'s generator, which have everything that the model has. `GNOMON_RANDOM` says
//! how many of each.

#[path = "../../ir/tests/random/mod.rs"]
mod random;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gnomon_budget::Budget;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, CellId, PointsTo};
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::interp::{
    Arguments, Discarded, EdgeEvent, Observer, RunOptions, SeedSource, State as Memory,
    interpret_observed,
};
use gnomon_ir::program::{FuncId, Program};
use gnomon_numeric::analysis::{Errors, MAX_STATES, Noted, Outcome, analyse};
use gnomon_numeric::float;
use gnomon_numeric::model::{Cell, Model};
use gnomon_numeric::state::State;
use gnomon_numeric::value::Value;
use gnomon_testkit::reader::Reader;
use random::Rng;

struct NoErrors;

impl Errors for NoErrors {
    fn is_error(&self, _: FuncId, _: EdgeId) -> bool {
        false
    }

    fn forbids(&self, _: FuncId) -> bool {
        false
    }
}

type Where = (Vec<(FuncId, EdgeId)>, FuncId, LocId);

/// Looks at each edge that a run takes.
struct Witness<'a> {
    model: &'a Model<'a>,
    known: &'a BTreeMap<Where, Vec<State>>,
    /// The edge that each open function is at.
    open: Vec<(FuncId, EdgeId)>,
    looked_at: u64,
    wrong: Option<String>,
}

impl Observer for Witness<'_> {
    fn edge(&mut self, event: EdgeEvent, memory: &Memory<'_>) {
        let EdgeEvent { func, edge, depth } = event;
        self.open.truncate(depth - 1);
        let calls: Vec<(FuncId, EdgeId)> = self.open.iter().rev().copied().collect();
        self.open.push((func, edge));
        let Some(body) = &self.model.program.funcs[func].body else { return };
        let from = body.edge(edge).from;
        if self.wrong.is_some() {
            return;
        }
        let Some(states) = self.known.get(&(calls, func, from)) else {
            self.wrong =
                Some(format!("{} {from:?} is not reached", self.model.program.funcs[func].name));
            return;
        };
        // One of them is enough.
        let mut wrong = None;
        for state in states {
            match self.compare(state, memory, func, from) {
                Ok(()) => return,
                Err(why) => wrong = Some(why),
            }
        }
        self.wrong = wrong;
    }
}

impl Witness<'_> {
    fn compare(
        &mut self,
        state: &State,
        memory: &Memory<'_>,
        func: FuncId,
        at: LocId,
    ) -> Result<(), String> {
        let mut numbers: BTreeMap<Cell, i128> = BTreeMap::new();
        for (cell, value) in state.values() {
            let Some(bits) = self.bits(memory, cell, &value) else { continue };
            self.looked_at += 1;
            let inside = match value {
                Value::Any => true,
                Value::Int(shape, int) => {
                    let number = shape.number(bits as u64);
                    numbers.insert(cell, number);
                    int.contains(shape, number)
                }
                Value::Float(kind, set) => set.contains(float::number(kind, bits)),
                Value::Null => bits == 0,
                Value::NonNull => bits != 0,
            };
            if !inside {
                let name = self.model.variable(cell).map(|var| &self.model.program.vars[var].name);
                let function = &self.model.program.funcs[func].name;
                return Err(format!("{function} {at:?}: {name:?} is {bits:#x}, not {value:?}"));
            }
        }
        for (a, b, bound) in state.differences() {
            let number = |cell: Cell| {
                if let Some(known) = numbers.get(&cell) {
                    return Some(*known);
                }
                let shape = self.model.shape(cell)?;
                let any = Value::Int(shape, gnomon_numeric::int::Int::any(shape));
                Some(shape.number(self.bits(memory, cell, &any)? as u64))
            };
            if let (Some(x), Some(y)) = (number(a), number(b))
                && x - y > bound
            {
                return Err(format!("{at:?}: {x} - {y} is more than {bound}"));
            }
        }
        Ok(())
    }

    /// The bits of a cell, if its variable is visible.
    fn bits(&self, memory: &Memory<'_>, cell: Cell, value: &Value) -> Option<u128> {
        let bytes = memory.variable(self.model.variable(cell)?)?;
        let start = self.model.points_to.objects().cell_bytes(CellId(cell)).start as usize;
        let size = match value {
            Value::Any => return None,
            Value::Int(shape, _) => usize::from(shape.bits / 8),
            Value::Float(kind, _) => self.model.program.types.float_size(*kind) as usize,
            Value::Null | Value::NonNull => {
                self.model.program.types.target().pointer_size() as usize
            }
        };
        let own = bytes.get(start..start + size)?;
        Some(own.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
    }
}

/// Analyses a program, runs it some times, and says what is wrong; how many values were looked at.
fn check(
    program: &Program,
    entry: FuncId,
    seed: u64,
    steps: u64,
) -> Result<(u64, Outcome), String> {
    let unlimited = Budget::unlimited();
    let options = points_to::Options {
        entries: vec![program.funcs[entry].name.clone()],
        ..points_to::Options::default()
    };
    let points_to = PointsTo::analyze(program, &options, &unlimited).expect("no limits");
    let calls = CallGraph::new(program, &points_to, &unlimited).expect("no limits");
    let mod_ref = ModRef::compute(program, &points_to, &calls, &unlimited).expect("no limits");
    let model = Model::new(program, &points_to, &mod_ref);
    let budget = unlimited.with_work(3_000_000);
    let states = if seed.is_multiple_of(3) { 1 } else { MAX_STATES };
    let Ok(outcome) = analyse(&model, entry, &NoErrors, Noted::Everywhere, states, &budget) else {
        return Ok((0, Outcome::default()));
    };
    if !outcome.not_followed.is_empty() {
        return Ok((0, outcome));
    }
    let mut known: BTreeMap<Where, Vec<State>> = BTreeMap::new();
    for place in &outcome.places {
        if let Some(state) = &place.state {
            let at = (place.calls.clone(), place.func, place.loc);
            known.entry(at).or_default().push(state.clone());
        }
    }
    let entry = program.funcs[entry].name.clone();
    let options = RunOptions {
        entry,
        arguments: Arguments::FromInput,
        max_depth: 200,
        ..RunOptions::default()
    };
    let mut looked_at = 0;
    for inputs in 0..3 {
        let mut source = SeedSource::new(seed ^ inputs).answering_calls();
        let mut witness =
            Witness { model: &model, known: &known, open: Vec::new(), looked_at: 0, wrong: None };
        let budget = Budget::unlimited().with_steps(steps);
        interpret_observed(program, &options, &mut source, &mut Discarded, &budget, &mut witness);
        looked_at += witness.looked_at;
        if let Some(wrong) = witness.wrong {
            return Err(wrong);
        }
    }
    Ok((looked_at, outcome))
}

fn count(usual: u64) -> u64 {
    std::env::var("GNOMON_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A program with loops over variables of all kinds.
struct Writer {
    rng: Rng,
    text: String,
    loops: usize,
}

const INTEGERS: [&str; 9] = ["i", "j", "u", "c", "uc", "l", "g", "s.a", "s.b"];
const PLACES: [&str; 14] =
    ["i", "j", "u", "c", "uc", "l", "g", "s.a", "s.b", "s.f", "*p", "a[2]", "x", "y"];

impl Writer {
    fn program(seed: u64) -> String {
        let mut writer = Self { rng: Rng(seed), text: String::new(), loops: 0 };
        writer.text +=
            "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n";
        writer.text +=
            "struct s { int a; short b; unsigned f : 5; union { int w; char h; } v; };\n";
        writer.text += "int g = 3; struct s s; int *p; double y = 1.5;\n";
        for function in ["h", "f"] {
            let _ = writeln!(writer.text, "int {function}(int i, unsigned u) {{");
            writer.text +=
                " int j = 1; char c = 2; unsigned char uc = 200; long l = -5; int a[4];\n";
            writer.text += " double x = 0.5; a[2] = 0; p = &j;\n";
            let calls: &[&str] = if function == "f" { &["h"] } else { &[] };
            writer.statements(3, calls);
            let value = writer.expr(2);
            let _ = writeln!(writer.text, " return (int)({value}); }}");
        }
        writer.text += "int main(void) { int i = 0, j = __VERIFIER_nondet_int(); unsigned u = 7;\n";
        writer.text +=
            " char c = 'a'; unsigned char uc = 1; long l = 0; int a[4]; double x = 2.0;\n";
        writer.text += " a[2] = 1; p = &i;\n";
        writer.statements(4, &["f", "h"]);
        writer.text += " return 0; }\n";
        writer.text
    }

    fn statements(&mut self, depth: usize, calls: &[&str]) {
        for _ in 0..2 + self.rng.below(4) {
            self.statement(depth, calls);
        }
    }

    fn statement(&mut self, depth: usize, calls: &[&str]) {
        match self.rng.below(if depth == 0 { 5 } else { 11 }) {
            0..=2 => {
                let (place, value) = (self.rng.pick(&PLACES), self.expr(2));
                let _ = writeln!(self.text, " {place} = {value};");
            }
            3 => {
                let place = self.rng.pick(&INTEGERS);
                let change =
                    self.rng.pick(&["++", "--", "+= 2", "-= 3", "*= 3", "/= 2", "<<= 1", "&= 12"]);
                let _ = writeln!(self.text, " {place} {change};");
            }
            4 => {
                let condition = self.condition();
                let (first, second) = (self.rng.pick(&PLACES), self.expr(1));
                let _ =
                    writeln!(self.text, " {{ int ok = {condition}; if (ok) {first} = {second}; }}");
            }
            5 | 6 => {
                let condition = self.condition();
                let _ = writeln!(self.text, " if ({condition}) {{");
                self.statements(depth - 1, calls);
                self.text += " } else {\n";
                self.statement(depth - 1, calls);
                self.text += " }\n";
            }
            7 | 8 => {
                let (counter, name) = (self.loops, self.rng.pick(&INTEGERS));
                self.loops += 1;
                let bound = self.rng.pick(&["3", "10", "100", "j", "g", "u"]);
                let _ = writeln!(self.text, " int k{counter} = 0;");
                let head = match self.rng.below(3) {
                    0 => format!("while ({name} < {bound} && k{counter} < 20)"),
                    1 => format!("for ({name} = 0; {name} != {bound} && k{counter} < 9; {name}++)"),
                    _ => format!("while (k{counter} < {bound} && k{counter} < 30)"),
                };
                let _ = writeln!(self.text, " {head} {{ k{counter}++;");
                self.statements(depth - 1, calls);
                self.text += " }\n";
            }
            9 if !calls.is_empty() => {
                let callee = self.rng.pick(calls);
                let (place, a, b) = (self.rng.pick(&INTEGERS), self.expr(1), self.expr(1));
                let _ = writeln!(self.text, " {place} = {callee}({a}, {b});");
            }
            _ => {
                let condition = self.condition();
                let _ = writeln!(self.text, " __VERIFIER_assume({condition});");
            }
        }
    }

    fn condition(&mut self) -> String {
        let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let (left, right) = (self.expr(1), self.expr(1));
        format!("{left} {op} {right}")
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(30) {
            return match self.rng.below(4) {
                0 => self
                    .rng
                    .pick(&["0", "1", "-1", "7", "100", "255", "2147483647", "3u"])
                    .to_owned(),
                1 => "__VERIFIER_nondet_int()".to_owned(),
                _ => self.rng.pick(&PLACES).to_owned(),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.rng.below(12) {
            0 => format!("(unsigned char)({a})"),
            1 => format!("-({a})"),
            2 => format!("((int)({a}) & (int)({b}))"),
            3 => format!("((int)({a}) % 7)"),
            4 => format!("((int)({a}) >> 2)"),
            5 => format!("((unsigned)({a}) ^ (unsigned)({b}))"),
            6 => format!("(~(int)({a}))"),
            7 => format!("((int)({a}) / 3)"),
            8 => format!("({a} - {b})"),
            9 => format!("({a} * {b})"),
            _ => format!("({a} + {b})"),
        }
    }
}

#[test]
fn every_value_of_written_programs_is_inside() {
    let (mut looked_at, mut followed) = (0, 0);
    for seed in 0..count(60) {
        let text = Writer::program(seed);
        let program = Reader::default().text(&text);
        let entry = program.find_function("main").expect("it is there");
        match check(&program, entry, seed, 4_000) {
            Ok((values, _)) => {
                looked_at += values;
                followed += u64::from(values > 0);
            }
            Err(wrong) => panic!("seed {seed}: {wrong}\n{text}"),
        }
    }
    assert!(followed > 30 && looked_at > 20_000, "{followed} programs, {looked_at} values");
}

#[test]
fn every_value_of_programs_of_the_model_is_inside() {
    let (mut looked_at, mut followed) = (0, 0);
    for seed in 0..count(1_500) {
        let program = random::program(seed);
        let with_body = program.funcs.iter_ids().find(|(_, f)| f.body.is_some());
        let Some((entry, _)) = with_body else { continue };
        match check(&program, entry, seed, 300) {
            Ok((values, _)) => {
                looked_at += values;
                followed += u64::from(values > 0);
            }
            Err(wrong) => panic!("seed {seed}: {wrong}\n{}", gnomon_ir::text::print(&program)),
        }
    }
    assert!(followed > 50 && looked_at > 200, "{followed} programs, {looked_at} values");
}
