//! Where in a program events happen, and what their variables are there.
//!
//! A call through a pointer may be a call of every function that the event names and whose address
//! the program takes: the pointer is compared with it.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, Edge, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify, plain_name};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};

use crate::syntax::{EventKind, FunctionPattern, LvaluePattern, OptionValue, Pattern, Spec};

/// A value at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// What the expression has when the event happens.
    Expr(ExprId),
    /// What the call returned.
    Result,
}

/// What a value must be equal to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demanded {
    /// A number.
    Number(i64),
    /// The null pointer.
    Null,
    /// Another value: the same variable stands twice in the event.
    Same(Value),
    /// A function.
    Function(FuncId),
}

/// An event of a spec that may happen at a place of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The spec, by number.
    pub spec: usize,
    /// Its handler, by number.
    pub handler: usize,
    /// The variables of the event.
    pub bound: Vec<(String, Value)>,
    /// It happens only if these are equal.
    pub equal: Vec<(Value, Demanded)>,
    /// A variable that gets any value before, and below which it must be: an index that the event
    /// leaves open.
    pub any_index: Vec<(VarId, u64)>,
    /// What happens, for people.
    pub text: String,
}

impl Occurrence {
    /// An occurrence of something that needs no values.
    pub fn plain(spec: usize, handler: usize, text: String) -> Self {
        let (bound, equal, any_index) = (Vec::new(), Vec::new(), Vec::new());
        Self { spec, handler, bound, equal, any_index, text }
    }

    /// Gives a pattern its value.
    pub fn bind(&mut self, pattern: &Pattern, value: Value) {
        match pattern {
            Pattern::Any => {}
            Pattern::Number(number) => self.equal.push((value, Demanded::Number(*number))),
            Pattern::Null => self.equal.push((value, Demanded::Null)),
            Pattern::Bind(name) => match self.value(name) {
                Some(first) => self.equal.push((value, Demanded::Same(first))),
                None => self.bound.push((name.clone(), value)),
            },
        }
    }

    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.bound.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    /// Whether the result of the call is needed.
    pub fn needs_result(&self) -> bool {
        self.bound.iter().any(|(_, v)| *v == Value::Result)
            || self.equal.iter().any(|(v, _)| *v == Value::Result)
    }
}

/// Finds events.
pub struct Finder<'a> {
    program: &'a Program,
    specs: &'a [Spec],
    entry: FuncId,
    /// For every event, by spec, handler and number: the functions that it names.
    named: Vec<Vec<Vec<BTreeSet<FuncId>>>>,
    /// Functions whose address the program takes.
    address_taken: BTreeSet<FuncId>,
    /// The values of variables.
    loads: BTreeMap<VarId, ExprId>,
}

/// Every event, with its number.
type Numbered<'a> = (usize, usize, usize, &'a EventKind);

impl<'a> Finder<'a> {
    /// Of these specs in this program, which has the value of every parameter as an expression.
    pub fn new(program: &'a Program, specs: &'a [Spec], entry: FuncId) -> Self {
        let named = specs
            .iter()
            .map(|spec| {
                let handlers = spec.handlers.iter();
                let events = handlers.map(|h| {
                    h.events.iter().map(|e| {
                        function_of(&e.kind)
                            .map(|f| functions(program, spec, f))
                            .unwrap_or_default()
                    })
                });
                events.map(Iterator::collect).collect()
            })
            .collect();
        let mut address_taken = BTreeSet::new();
        let mut loads = BTreeMap::new();
        for e in (0..program.exprs.expr_count()).map(|i| ExprId(i as u32)) {
            match program.exprs.expr(e).kind {
                ExprKind::FuncAddr(func) => {
                    address_taken.insert(func);
                }
                ExprKind::Load(place) => {
                    if let PlaceKind::Var(var) = program.exprs.place(place).kind {
                        loads.insert(var, e);
                    }
                }
                _ => {}
            }
        }
        Self { program, specs, entry, named, address_taken, loads }
    }

    fn events(&self) -> impl Iterator<Item = Numbered<'a>> + use<'a> {
        self.specs.iter().enumerate().flat_map(|(s, spec)| {
            spec.handlers.iter().enumerate().flat_map(move |(h, handler)| {
                let events = handler.events.iter().enumerate();
                events.map(move |(e, event)| (s, h, e, &event.kind))
            })
        })
    }

    /// What happens before an operation of a function: first what it reads and writes.
    pub fn before(&self, func: FuncId, edge: &Edge) -> Vec<Occurrence> {
        let mut found = self.memory(&[edge]);
        found.extend(self.acts(func, edge));
        found
    }

    /// What an operation of a function does, as seen before it: calls, assigns, returns.
    pub fn acts(&self, func: FuncId, edge: &Edge) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for (s, h, e, kind) in self.events() {
            match (kind, &edge.op) {
                (EventKind::Call(pattern), Op::Call(call)) => {
                    found.extend(self.calls(s, h, e, pattern, call));
                }
                (EventKind::Assign(target, pattern), Op::Assign { dst, src })
                    if self.is_target(target, *dst) =>
                {
                    let mut occurrence = Occurrence::plain(s, h, "assignment".to_owned());
                    occurrence.bind(pattern, Value::Expr(*src));
                    found.push(occurrence);
                }
                (EventKind::Leave(result, pattern), Op::Return(value))
                    if self.named[s][h][e].contains(&func) =>
                {
                    let text = format!("return from {}", self.name(func));
                    let mut occurrence = Occurrence::plain(s, h, text);
                    match (result, value) {
                        (None, _) => {}
                        (Some(pattern), Some(value)) => {
                            occurrence.bind(pattern, Value::Expr(*value));
                        }
                        (Some(_), None) => continue,
                    }
                    found.extend(self.with_parameters(occurrence, pattern, func));
                }
                (EventKind::End, Op::Return(_)) if func == self.entry => {
                    found.push(Occurrence::plain(s, h, "end of the program".to_owned()));
                }
                (EventKind::End, Op::Call(call)) if self.ends(call) => {
                    found.push(Occurrence::plain(s, h, "end of the program".to_owned()));
                }
                _ => {}
            }
        }
        found
    }

    /// What happens after an operation.
    pub fn after(&self, edge: &Edge) -> Vec<Occurrence> {
        let Op::Call(call) = &edge.op else { return Vec::new() };
        let mut found = Vec::new();
        for (s, h, e, kind) in self.events() {
            match kind {
                EventKind::Returned(result, pattern) if self.has_result(call) => {
                    let mut occurrences = self.calls(s, h, e, pattern, call);
                    for occurrence in &mut occurrences {
                        occurrence.bind(result, Value::Result);
                    }
                    found.extend(occurrences);
                }
                EventKind::Assign(target, pattern)
                    if call.dst.is_some_and(|dst| self.is_target(target, dst)) =>
                {
                    let mut occurrence = Occurrence::plain(s, h, "assignment".to_owned());
                    occurrence.bind(pattern, Value::Result);
                    found.push(occurrence);
                }
                _ => {}
            }
        }
        found
    }

    /// What happens when a function begins.
    pub fn at_entry(&self, func: FuncId) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for (s, h, e, kind) in self.events() {
            if let EventKind::Enter(pattern) = kind
                && self.named[s][h][e].contains(&func)
            {
                let text = format!("call of {}", self.name(func));
                let occurrence = Occurrence::plain(s, h, text);
                found.extend(self.with_parameters(occurrence, pattern, func));
            }
        }
        found
    }

    /// What happens where a label stands.
    pub fn at_label(&self, label: &str) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for (s, h, _, kind) in self.events() {
            if matches!(kind, EventKind::Label(pattern) if matches(pattern, label)) {
                found.push(Occurrence::plain(s, h, format!("label {label}")));
            }
        }
        found
    }

    /// What happens when conditions are evaluated or operations read and write.
    pub fn memory(&self, edges: &[&Edge]) -> Vec<Occurrence> {
        let mut uses = Uses::default();
        for edge in edges {
            uses.operation(self.program, &edge.op);
        }
        let mut found = Vec::new();
        for (s, h, _, kind) in self.events() {
            let (pattern, values, text) = match kind {
                EventKind::Deref(pattern) => (pattern, &uses.origins, "access"),
                EventKind::Access(pattern) => (pattern, &uses.addresses, "access"),
                EventKind::Test(pattern) => (pattern, &uses.tested, "test"),
                _ => continue,
            };
            for &value in values {
                let mut occurrence = Occurrence::plain(s, h, text.to_owned());
                occurrence.bind(pattern, Value::Expr(value));
                found.push(occurrence);
            }
        }
        found
    }

    /// The handlers of `variable($p, $size)`.
    pub fn variable_events(&self) -> Vec<(usize, usize, &'a Pattern, &'a Pattern)> {
        self.events()
            .filter_map(|(s, h, _, kind)| match kind {
                EventKind::Variable(pointer, size) => Some((s, h, pointer, size)),
                _ => None,
            })
            .collect()
    }

    fn name(&self, func: FuncId) -> &'a str {
        source_name(&self.program.funcs[func].name)
    }

    fn has_result(&self, call: &Call) -> bool {
        let ty = match call.callee {
            Callee::Direct(func) => Some(self.program.funcs[func].ty),
            Callee::Indirect(e) => self.program.types.pointee(self.program.expr_ty(e)),
        };
        let signature = ty.and_then(|ty| self.program.types.signature(ty));
        signature.is_some_and(|s| self.program.types.is_scalar(s.result))
    }

    fn ends(&self, call: &Call) -> bool {
        let Callee::Direct(func) = call.callee else { return false };
        let function = &self.program.funcs[func];
        let name = source_name(&function.name);
        // `_exit` and its relatives end the process without any cleaning up.
        function.body.is_none()
            && plain_name(name) == "exit"
            && classify(name, self.program.types.target()) == Library::Exit
    }

    /// The calls of functions that the event names.
    fn calls(
        &self,
        spec: usize,
        handler: usize,
        event: usize,
        pattern: &FunctionPattern,
        call: &Call,
    ) -> Vec<Occurrence> {
        let named = &self.named[spec][handler][event];
        if call.args.len() < pattern.args.len()
            || call.args.len() > pattern.args.len() && !pattern.more
        {
            return Vec::new();
        }
        let with_args = |func: FuncId| {
            let mut occurrence = Occurrence::plain(spec, handler, self.name(func).to_owned());
            for (pattern, &arg) in pattern.args.iter().zip(&call.args) {
                occurrence.bind(pattern, Value::Expr(arg));
            }
            occurrence
        };
        match call.callee {
            Callee::Direct(func) if named.contains(&func) => vec![with_args(func)],
            Callee::Direct(_) => Vec::new(),
            Callee::Indirect(pointer) => {
                let possible = named.intersection(&self.address_taken);
                let compared = possible.map(|&func| {
                    let mut occurrence = with_args(func);
                    let demanded = Demanded::Function(func);
                    occurrence.equal.push((Value::Expr(pointer), demanded));
                    occurrence
                });
                compared.collect()
            }
        }
    }

    /// The arguments of a function that runs are its parameters.
    fn with_parameters(
        &self,
        mut occurrence: Occurrence,
        pattern: &FunctionPattern,
        func: FuncId,
    ) -> Option<Occurrence> {
        let params = &self.program.funcs[func].params;
        if params.len() < pattern.args.len() || params.len() > pattern.args.len() && !pattern.more {
            return None;
        }
        for (pattern, &param) in pattern.args.iter().zip(params) {
            if *pattern == Pattern::Any {
                continue;
            }
            occurrence.bind(pattern, Value::Expr(*self.loads.get(&param)?));
        }
        Some(occurrence)
    }

    fn is_target(&self, target: &LvaluePattern, dst: PlaceId) -> bool {
        match (target, self.program.exprs.place(dst).kind) {
            (LvaluePattern::Variable(name), PlaceKind::Var(var)) => {
                let found = source_name(&self.program.vars[var].name);
                !found.is_empty() && matches(name, found)
            }
            (LvaluePattern::Member(name), PlaceKind::Field(base, field)) => {
                let record = self.program.types.as_record(self.program.place_ty(base));
                let member = record.and_then(|(_, r)| r.fields.get(field as usize));
                member.is_some_and(|member| matches(name, &member.name))
            }
            _ => false,
        }
    }
}

fn function_of(kind: &EventKind) -> Option<&FunctionPattern> {
    match kind {
        EventKind::Call(f)
        | EventKind::Returned(_, f)
        | EventKind::Enter(f)
        | EventKind::Leave(_, f) => Some(f),
        _ => None,
    }
}

fn functions(program: &Program, spec: &Spec, pattern: &FunctionPattern) -> BTreeSet<FuncId> {
    let mut globs: Vec<&str> = Vec::new();
    for name in &pattern.names {
        match name.strip_prefix('@') {
            None => globs.push(name),
            Some(option) => {
                let option = spec.options.iter().find(|o| o.name == option);
                if let Some(OptionValue::Names(names)) = option.map(|o| &o.value) {
                    globs.extend(names.iter().map(String::as_str));
                }
            }
        }
    }
    let is_named = |unique: &str| {
        let name = source_name(unique);
        globs.iter().any(|glob| matches(glob, name) || matches(glob, plain_name(name)))
    };
    let named = program.funcs.iter_ids().filter(|(_, function)| is_named(&function.name));
    named.map(|(id, _)| id).collect()
}

/// Whether a name is as a pattern says in which `*` stands for any letters.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let tails = name.char_indices().map(|(i, _)| i).chain([name.len()]);
            tails.into_iter().any(|i| matches(rest, &name[i..]))
        }),
    }
}

/// The pointers that operations follow and test, in order.
#[derive(Default)]
struct Uses {
    /// What is followed, without moves and conversions.
    origins: Vec<ExprId>,
    /// Where memory is accessed.
    addresses: Vec<ExprId>,
    /// What is compared with null.
    tested: Vec<ExprId>,
    seen: BTreeSet<ExprId>,
    seen_places: BTreeSet<PlaceId>,
}

impl Uses {
    fn operation(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Skip | Op::HavocMemory | Op::Declare(_) | Op::Return(None) => {}
            Op::Assume(e) => {
                self.condition(program, *e);
                self.value(program, *e);
            }
            Op::Return(Some(e)) => self.value(program, *e),
            Op::Assign { dst, src } => {
                self.value(program, *src);
                self.place(program, *dst, true);
            }
            Op::Call(Call { dst, callee, args }) => {
                for &arg in args {
                    self.value(program, arg);
                }
                if let Callee::Indirect(pointer) = callee {
                    self.value(program, *pointer);
                    self.followed(origin(program, *pointer));
                }
                if let Some(dst) = dst {
                    self.place(program, *dst, true);
                }
            }
            Op::Havoc(p) | Op::VaStart(p) | Op::VaEnd(p) => self.place(program, *p, true),
            Op::Alloca { dst, size } => {
                self.value(program, *size);
                self.place(program, *dst, true);
            }
            Op::VaArg { dst: a, list: b } | Op::VaCopy { dst: a, src: b } => {
                self.place(program, *a, true);
                self.place(program, *b, true);
            }
        }
    }

    /// A pointer that is compared with null.
    fn condition(&mut self, program: &Program, e: ExprId) {
        let is_pointer = |e| program.types.is_pointer(program.expr_ty(e));
        let is_null = |e| program.exprs.const_bits(e) == Some(0);
        let tested =
            match program.exprs.expr(e).kind {
                ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) if is_pointer(a) => {
                    if is_null(b) { Some(a) } else { is_null(a).then_some(b) }
                }
                _ => is_pointer(e).then_some(e),
            };
        let tested = tested.map(|e| origin(program, e));
        self.tested.extend(tested.filter(|e| !self.tested.contains(e)));
    }

    fn value(&mut self, program: &Program, e: ExprId) {
        if !self.seen.insert(e) {
            return;
        }
        match program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(place) => self.place(program, place, true),
            ExprKind::AddrOf(place) => self.place(program, place, false),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.value(program, a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.value(program, a);
                self.value(program, b);
            }
        }
    }

    fn followed(&mut self, pointer: ExprId) {
        if !self.origins.contains(&pointer) {
            self.origins.push(pointer);
        }
    }

    /// A place that is accessed, or whose address is only computed.
    fn place(&mut self, program: &Program, place: PlaceId, accessed: bool) {
        if accessed && !self.seen_places.insert(place) {
            return;
        }
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Field(base, _) => self.place(program, base, accessed),
            PlaceKind::Index(base, index) => {
                self.value(program, index);
                self.place(program, base, accessed);
            }
            PlaceKind::Deref(pointer) => {
                self.value(program, pointer);
                if !accessed {
                    return;
                }
                let origin = origin(program, pointer);
                let known = is_address(program, origin);
                if !known {
                    self.followed(origin);
                }
                if !known && !self.addresses.contains(&pointer) {
                    self.addresses.push(pointer);
                }
            }
        }
    }
}

/// Whether a pointer is the address of a variable or function.
fn is_address(program: &Program, pointer: ExprId) -> bool {
    match program.exprs.expr(pointer).kind {
        ExprKind::AddrOf(place) => program.exprs.root_var(place).is_some(),
        ExprKind::FuncAddr(_) => true,
        _ => false,
    }
}

/// A pointer before it was moved or converted, and before a member of what it leads to was taken.
fn origin(program: &Program, mut pointer: ExprId) -> ExprId {
    loop {
        match program.exprs.expr(pointer).kind {
            ExprKind::PtrAdd(inner, _) => pointer = inner,
            ExprKind::Cast(inner) if program.types.is_pointer(program.expr_ty(inner)) => {
                pointer = inner;
            }
            ExprKind::AddrOf(place) => match leading_to(program, place) {
                Some(inner) => pointer = inner,
                None => return pointer,
            },
            _ => return pointer,
        }
    }
}

/// The pointer that leads to a place, if it is in no variable.
fn leading_to(program: &Program, mut place: PlaceId) -> Option<ExprId> {
    loop {
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => return None,
            PlaceKind::Deref(pointer) => return Some(pointer),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        assert!(matches("*_lock*", "spin_lock_irqsave") && matches("f*", "f"));
        assert!(matches("a*b*c", "a_b_b_c") && matches("*", ""));
        assert!(!matches("*_lock", "spin_lock_irq") && !matches("lock", "unlock"));
    }
}
