//! Puts automata into a program.
//!
//! The state of an automaton is a number in a variable of its own, the watched value another one.
//! Where an event may happen, each rule is a branch: is the automaton in such a state, is this the
//! watched value, does the condition hold? If so, a rule changes the variables and goes on, or
//! leads to a location without exit, on an edge that must not be taken. Rules that begin to watch a
//! value first ask a variable that can be anything.
//!
//! What a branch of the user evaluates is watched before the location splits, so that pairs of
//! complementary edges stay pairs. The result of a call goes through a variable of ours where its
//! place could be changed by the call itself, and so do arguments that a rule needs after the call.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Cfa, CfaBuilder, Edge, EdgeId, Label, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{TypeId, Types};

use crate::candidates::{Candidate, candidates};
use crate::events::{Demanded, Finder, Occurrence, Value};
use crate::ghosts::{Ghosts, result_type, tracked_types};
use crate::guard::{Scope, Unfit, address_type, compared};
use crate::syntax::{From, Pattern, Position, Rule, Spec, To};

/// An edge that is taken when a spec is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The function.
    pub func: FuncId,
    /// The edge of the woven program.
    pub edge: EdgeId,
    /// The spec, by number.
    pub spec: usize,
    /// Where in the user's source.
    pub span: Span,
    /// The event, for people.
    pub event: String,
    /// What the spec says.
    pub message: String,
}

/// A step of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The spec, by number.
    pub spec: usize,
    /// Where in the user's source.
    pub span: Span,
    /// The event, for people.
    pub event: String,
    /// For people: `new -> open`.
    pub step: String,
}

/// A program with automata in it.
#[derive(Clone, Debug)]
pub struct Woven {
    /// The program. Functions and variables keep their numbers, locations and edges do not.
    pub program: Program,
    /// The edges that must not be taken, by function and edge.
    pub violations: Vec<Violation>,
    /// The edges on which automata make their steps.
    pub transitions: BTreeMap<(FuncId, EdgeId), Transition>,
    /// All edges that nobody wrote.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// Where the edges of the program are now.
    pub moved: BTreeMap<(FuncId, EdgeId), EdgeId>,
    /// The variables of the automata, by the number of the spec. Only inserted edges write them.
    pub variables: Vec<Variables>,
}

/// The variables of an automaton in a woven program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variables {
    /// Its state: 0 where it begins, [`IGNORED`] where its watch is over.
    pub state: VarId,
    /// The watched value.
    pub tracked: Option<VarId>,
    /// Can be anything; asked whether to watch the value of an event.
    pub choice: Option<VarId>,
    /// Its ghosts.
    pub ghosts: Vec<VarId>,
}

/// Why specs cannot be woven into a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeaveError {
    /// There is no such function with a body.
    #[error("there is no function `{0}` to start from")]
    NoEntry(String),
    /// A rule does not fit to the types of the program.
    #[error("spec `{spec}`, {at}: {message} (at {place})")]
    Unfit {
        /// The name of the spec.
        spec: String,
        /// Where it says so.
        at: Position,
        /// What is wrong.
        message: String,
        /// Where in the user's source.
        place: String,
    },
}

/// The state in which nothing is watched any longer: no rule leads out of it.
pub const IGNORED: i128 = -1;

/// Puts specs into a program whose runs begin in the function `entry`.
pub fn weave(program: &Program, entry: &str, specs: &[Spec]) -> Result<Woven, WeaveError> {
    let entry = program
        .find_function(entry)
        .filter(|&f| program.funcs[f].body.is_some())
        .ok_or_else(|| WeaveError::NoEntry(entry.to_owned()))?;
    let mut original = program.clone();
    let params: Vec<VarId> = original.funcs.iter().flat_map(|f| f.params.clone()).collect();
    for param in params {
        original.load_var(param);
    }
    let finder = Finder::new(&original, specs, entry);
    let tracked = tracked_types(&original, specs, &finder);
    let mut program = original.clone();
    let mut watched = Vec::new();
    for (spec, handler, pointer, size) in finder.variable_events() {
        for candidate in candidates(&mut program, &tracked[spec].1) {
            watched.push(variable_event(&mut program, spec, handler, pointer, size, candidate));
        }
    }
    let ghosts: Vec<Ghosts> = specs
        .iter()
        .zip(&tracked)
        .map(|(spec, (ty, _))| Ghosts::new(&mut program, spec, *ty))
        .collect();
    let mut woven = Woven {
        program,
        violations: Vec::new(),
        transitions: BTreeMap::new(),
        inserted: BTreeSet::new(),
        moved: BTreeMap::new(),
        variables: ghosts.iter().map(Ghosts::variables).collect(),
    };
    for (func, function) in original.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        let own = |of: &Option<FuncId>| of.map_or(func == entry, |f| f == func);
        let mut begun = finder.at_entry(func);
        begun.extend(watched.iter().filter(|(of, _)| own(of)).map(|(_, o)| o.clone()));
        let mut weaving = Weaving {
            specs,
            ghosts: &ghosts,
            finder: &finder,
            program: &mut woven.program,
            func,
            loc_count: body.loc_count() as u32,
            edges: Vec::new(),
            marks: Vec::new(),
            kept: Vec::new(),
        };
        let labels = weaving.function(body, &begun, function.span)?;
        let Weaving { loc_count, edges, marks, kept, .. } = weaving;
        let body = assembled(loc_count, edges, &marks, labels);
        woven.program.funcs[func].body = Some(body);
        woven.program.funcs[func].locals.extend(kept);
        woven.take(func, marks);
    }
    Ok(woven)
}

impl Woven {
    fn take(&mut self, func: FuncId, marks: Vec<Mark>) {
        for (index, mark) in marks.into_iter().enumerate() {
            let edge = EdgeId::from_index(index);
            match mark {
                Mark::Moved(old) => {
                    self.moved.insert((func, old), edge);
                    continue;
                }
                Mark::Inserted => {}
                Mark::Step(transition) => {
                    self.transitions.insert((func, edge), transition);
                }
                Mark::Violated { spec, span, event, message } => {
                    self.violations.push(Violation { func, edge, spec, span, event, message });
                }
            }
            self.inserted.insert((func, edge));
        }
    }
}

/// What an edge of the woven program is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// An edge of the program.
    Moved(EdgeId),
    /// A branch, or something that is stored for a rule.
    Inserted,
    /// The step of an automaton.
    Step(Transition),
    /// An error.
    Violated { spec: usize, span: Span, event: String, message: String },
}

/// Where violations lead, as long as the number of locations is not known.
const DEAD: LocId = LocId(u32::MAX);

fn assembled(loc_count: u32, edges: Vec<Edge>, marks: &[Mark], labels: Vec<Label>) -> Cfa {
    let mut builder = CfaBuilder::new();
    for _ in 2..loc_count {
        builder.add_loc();
    }
    let violated = marks.iter().any(|mark| matches!(mark, Mark::Violated { .. }));
    let dead = if violated { builder.add_loc() } else { DEAD };
    for edge in edges {
        let to = if edge.to == DEAD { dead } else { edge.to };
        builder.add_edge(Edge { to, ..edge });
    }
    for label in labels {
        builder.add_label(label);
    }
    builder.finish()
}

fn variable_event(
    program: &mut Program,
    spec: usize,
    handler: usize,
    pointer: &Pattern,
    size: &Pattern,
    candidate: Candidate,
) -> (Option<FuncId>, Occurrence) {
    let mut occurrence = Occurrence::plain(spec, handler, "a variable".to_owned());
    occurrence.bind(pointer, Value::Expr(candidate.address));
    let bytes = program.int(Types::I64, i128::from(candidate.bytes));
    occurrence.bind(size, Value::Expr(bytes));
    occurrence.any_index = candidate.indices;
    (candidate.func, occurrence)
}

/// One function.
struct Weaving<'a> {
    specs: &'a [Spec],
    ghosts: &'a [Ghosts],
    finder: &'a Finder<'a>,
    program: &'a mut Program,
    func: FuncId,
    loc_count: u32,
    /// Locations and edges keep these numbers: all of them can be reached.
    edges: Vec<Edge>,
    /// What each edge is.
    marks: Vec<Mark>,
    /// Variables for results and arguments of calls.
    kept: Vec<VarId>,
}

impl Weaving<'_> {
    fn new_loc(&mut self) -> LocId {
        self.loc_count += 1;
        LocId(self.loc_count - 1)
    }

    fn push(&mut self, edge: Edge, mark: Mark) {
        self.edges.push(edge);
        self.marks.push(mark);
    }

    /// All of it; the labels, where they are now.
    fn function(
        &mut self,
        body: &Cfa,
        begun: &[Occurrence],
        span: Span,
    ) -> Result<Vec<Label>, WeaveError> {
        // What happens at the beginning must not happen again in a loop that leads back there.
        let entry = body.entry();
        let begin = if begun.is_empty() { entry } else { self.new_loc() };
        let now = |loc: LocId| if loc == entry { begin } else { loc };
        if let (false, Some(&first)) = (begun.is_empty(), body.out_edges(entry).first()) {
            let like = Edge { span, from: entry, op: Op::Skip, ..body.edge(first).clone() };
            let end = self.occurrences(begun, &like, entry, None)?;
            self.join(0, end, begin);
            if end == entry {
                self.push(Edge { to: begin, ..like }, Mark::Inserted);
            }
        }
        for loc in body.locs() {
            let labels = body.labels().iter().filter(|l| l.loc == loc);
            let at_labels: Vec<Occurrence> =
                labels.flat_map(|l| self.finder.at_label(&l.name)).collect();
            let edges: Vec<(EdgeId, Edge)> = body
                .out_edges(loc)
                .iter()
                .map(|&id| (id, body.edge(id)))
                .map(|(id, edge)| {
                    (id, Edge { from: now(edge.from), to: now(edge.to), ..edge.clone() })
                })
                .collect();
            let Some((_, first)) = edges.first() else { continue };
            let from = self.occurrences(&at_labels, first, now(loc), None)?;
            self.location(&edges, from)?;
        }
        let labels = body.labels().iter();
        Ok(labels.map(|l| Label { loc: now(l.loc), ..l.clone() }).collect())
    }

    /// The edges that leave a location.
    fn location(&mut self, edges: &[(EdgeId, Edge)], from: LocId) -> Result<(), WeaveError> {
        let splits = edges.iter().all(|(_, edge)| matches!(edge.op, Op::Assume(_)));
        if splits {
            let all: Vec<&Edge> = edges.iter().map(|(_, edge)| edge).collect();
            let occurrences = self.finder.memory(&all);
            let from = self.occurrences(&occurrences, all[0], from, None)?;
            for (id, edge) in edges {
                self.push(Edge { from, ..edge.clone() }, Mark::Moved(*id));
            }
            return Ok(());
        }
        for (id, edge) in edges {
            let before = self.finder.before(self.func, edge);
            let mut start = from;
            // Of several edges that are open at once, one is chosen first.
            if !before.is_empty() && edges.len() > 1 {
                start = self.new_loc();
                let chosen = Edge { from, to: start, op: Op::Skip, ..edge.clone() };
                self.push(chosen, Mark::Inserted);
            }
            let start = self.occurrences(&before, edge, start, None)?;
            self.operation(*id, Edge { from: start, ..edge.clone() })?;
        }
        Ok(())
    }

    /// An operation with what happens after it.
    fn operation(&mut self, id: EdgeId, edge: Edge) -> Result<(), WeaveError> {
        let mut after = self.finder.after(&edge);
        let Op::Call(call) = &edge.op else {
            self.push(edge, Mark::Moved(id));
            return Ok(());
        };
        if after.is_empty() {
            self.push(edge, Mark::Moved(id));
            return Ok(());
        }
        let mut from = edge.from;
        for (_, value) in after.iter_mut().flat_map(|o| &mut o.bound) {
            if let Value::Expr(e) = value {
                *value = Value::Expr(self.saved(*e, &edge, &mut from));
            }
        }
        for (value, _) in after.iter_mut().flat_map(|o| &mut o.equal) {
            if let Value::Expr(e) = value {
                *value = Value::Expr(self.saved(*e, &edge, &mut from));
            }
        }
        let needs_result = after.iter().any(Occurrence::needs_result);
        let plain =
            call.dst.filter(|&dst| matches!(self.program.exprs.place(dst).kind, PlaceKind::Var(_)));
        let (result, own_place) = match (needs_result, plain, result_type(self.program, call)) {
            (true, Some(place), _) => (Some(self.program.load(place)), None),
            (true, None, Some(ty)) => {
                let var = self.local(ty, edge.span);
                (Some(self.program.load_var(var)), Some(self.program.var_place(var)))
            }
            _ => (None, None),
        };
        let called = self.new_loc();
        let dst = own_place.or(call.dst);
        let op = Op::Call(Call { dst, ..call.clone() });
        self.push(Edge { from, to: called, op, ..edge.clone() }, Mark::Moved(id));
        let mut from = called;
        if let (Some(_), Some(place), Some(src)) = (own_place, call.dst, result) {
            let stored = self.new_loc();
            let op = Op::Assign { dst: place, src };
            self.push(Edge { from, to: stored, op, ..edge.clone() }, Mark::Inserted);
            from = stored;
        }
        let start = self.edges.len();
        let end = self.occurrences(&after, &edge, from, result)?;
        self.join(start.saturating_sub(2), end, edge.to);
        Ok(())
    }

    /// What leads to the end of some events leads to another location; of the edges from a number
    /// on, which are all that there are.
    fn join(&mut self, first: usize, end: LocId, to: LocId) {
        for edge in self.edges[first..].iter_mut().filter(|edge| edge.to == end) {
            edge.to = to;
        }
    }

    fn local(&mut self, ty: TypeId, span: Span) -> VarId {
        let name = format!(".event{}", self.kept.len());
        let storage = Storage::Local(self.func);
        let var = Var { name, ty, storage, address_taken: false, span };
        let var = self.program.vars.push(var);
        self.kept.push(var);
        var
    }

    /// The value of an argument before the call.
    fn saved(&mut self, e: ExprId, edge: &Edge, from: &mut LocId) -> ExprId {
        if self.program.exprs.const_bits(e).is_some() {
            return e;
        }
        let var = self.local(self.program.expr_ty(e), edge.span);
        let dst = self.program.var_place(var);
        let to = self.new_loc();
        let op = Op::Assign { dst, src: e };
        self.push(Edge { from: *from, to, op, ..edge.clone() }, Mark::Inserted);
        *from = to;
        self.program.load_var(var)
    }

    /// What automata do when these events happen, from a location on; where that ends.
    fn occurrences(
        &mut self,
        occurrences: &[Occurrence],
        of: &Edge,
        mut from: LocId,
        result: Option<ExprId>,
    ) -> Result<LocId, WeaveError> {
        for occurrence in occurrences {
            from = self.occurrence(occurrence, of, from, result)?;
        }
        Ok(from)
    }

    fn occurrence(
        &mut self,
        occurrence: &Occurrence,
        of: &Edge,
        mut from: LocId,
        result: Option<ExprId>,
    ) -> Result<LocId, WeaveError> {
        let spec = &self.specs[occurrence.spec];
        let value = |value: Value| match value {
            Value::Expr(e) => Some(e),
            Value::Result => result,
        };
        let bound: Option<Vec<(String, ExprId)>> =
            occurrence.bound.iter().map(|(n, v)| Some((n.clone(), value(*v)?))).collect();
        let Some(mut variables) = bound else { return Ok(from) };
        let ghosts = &self.ghosts[occurrence.spec];
        let tracked = spec.tracked.as_ref().zip(ghosts.tracked);
        let bound = tracked
            .and_then(|(name, _)| variables.iter().find(|(n, _)| n == name).map(|(_, e)| *e));
        if let (Some((name, var)), None) = (tracked, bound) {
            variables.push((name.clone(), self.program.load_var(var)));
        }
        let scope = Scope { spec, ghosts: &ghosts.ghosts, variables: &variables, at: FIRST };
        let mut conditions = Vec::new();
        for &(left, demanded) in &occurrence.equal {
            let Some(left) = value(left) else { return Ok(from) };
            let right = match demanded {
                Demanded::Number(number) => self.program.int(Types::I64, i128::from(number)),
                Demanded::Null => {
                    let ty = address_type(self.program);
                    self.program.zero(ty)
                }
                Demanded::Same(other) => match value(other) {
                    Some(e) => e,
                    None => return Ok(from),
                },
                Demanded::Function(func) => self.program.func_addr(func),
            };
            // Values that cannot be compared are never equal.
            let Some(same) = compared(self.program, BinaryOp::Eq, left, right) else {
                return Ok(from);
            };
            conditions.push(same);
        }
        for &(index, limit) in &occurrence.any_index {
            let place = self.program.var_place(index);
            let to = self.new_loc();
            self.push(Edge { from, to, op: Op::Havoc(place), ..of.clone() }, Mark::Inserted);
            from = to;
            let value = self.program.load_var(index);
            let zero = self.program.int(Types::I64, 0);
            let limit = self.program.int(Types::I64, i128::from(limit));
            conditions.push(self.program.binary(BinaryOp::Ge, value, zero));
            conditions.push(self.program.binary(BinaryOp::Lt, value, limit));
        }
        let done = self.new_loc();
        let mut possible = Vec::new();
        for rule in &spec.handlers[occurrence.handler].rules {
            let unfit = |Unfit { at, message }: Unfit, program: &Program| WeaveError::Unfit {
                spec: spec.name.clone(),
                at,
                message,
                place: program.files.show(of.span),
            };
            let scope = Scope { at: rule.at, ..scope };
            let mut parts = vec![self.in_states(occurrence.spec, &rule.from)];
            if let (Some((_, var)), Some(value), false) = (tracked, bound, rule.from == From::New) {
                let watched = self.program.load_var(var);
                // A function of that name that takes something else has nothing to do with it.
                let Some(same) = compared(self.program, BinaryOp::Eq, value, watched) else {
                    continue;
                };
                parts.push(same);
            }
            parts.extend(&conditions);
            if let Some(guard) = &rule.when {
                let guard = scope.conjuncts(self.program, guard);
                parts.extend(guard.map_err(|u| unfit(u, self.program))?);
            }
            // What never holds is no rule, and what always holds needs no branch.
            if parts.iter().any(|&part| self.program.as_truth(part) == Some(false)) {
                continue;
            }
            parts.retain(|&part| self.program.as_truth(part).is_none());
            let actions = rule.actions.iter().map(|(ghost, guard)| {
                Ok((ghosts.ghosts[*ghost], scope.number(self.program, guard)?))
            });
            let actions: Result<Vec<(VarId, ExprId)>, Unfit> = actions.collect();
            possible.push((rule, parts, actions.map_err(|u| unfit(u, self.program))?));
        }
        let count = possible.len();
        for (number, (rule, parts, actions)) in possible.iter().enumerate() {
            let next = if number + 1 == count { done } else { self.new_loc() };
            let taken = Taken { occurrence, of, rule, watched: bound, done, next };
            self.rule(&taken, from, parts, actions);
            from = next;
        }
        Ok(if count == 0 { from } else { done })
    }

    fn in_states(&mut self, spec: usize, from: &From) -> ExprId {
        let ghosts = &self.ghosts[spec];
        let state = self.program.load_var(ghosts.state);
        let is = |program: &mut Program, number: i128| {
            let number = program.int(Types::I32, number);
            program.binary(BinaryOp::Eq, state, number)
        };
        match from {
            From::New => is(self.program, 0),
            From::Any => {
                let first = self.program.int(Types::I32, ghosts.number(0));
                self.program.binary(BinaryOp::Ge, state, first)
            }
            From::States(states) => {
                let mut any = is(self.program, ghosts.number(states[0]));
                for &other in &states[1..] {
                    let other = is(self.program, ghosts.number(other));
                    any = self.program.binary(BinaryOp::BitOr, any, other);
                }
                any
            }
        }
    }

    /// A rule as branches.
    fn rule(
        &mut self,
        taken: &Taken<'_>,
        mut from: LocId,
        parts: &[ExprId],
        actions: &[(VarId, ExprId)],
    ) {
        let &Taken { occurrence, of, rule, watched, done, next } = taken;
        for (number, &part) in parts.iter().enumerate() {
            let negated = self.program.not(part);
            let last = number + 1 == parts.len();
            let (to, mark) = match &rule.to {
                To::Error(message) if last => (DEAD, self.violated(taken, message)),
                _ => (self.new_loc(), Mark::Inserted),
            };
            self.push(Edge { from, to, op: Op::Assume(part), ..of.clone() }, mark);
            let other = Edge { from, to: next, op: Op::Assume(negated), ..of.clone() };
            self.push(other, Mark::Inserted);
            from = to;
        }
        if matches!(rule.to, To::Error(_)) {
            return;
        }
        let ghosts = &self.ghosts[occurrence.spec];
        if let (From::New, Some(choice), Some(var), Some(value)) =
            (&rule.from, ghosts.choice, ghosts.tracked, watched)
        {
            let place = self.program.var_place(choice);
            let chosen = self.stored(of, from, Op::Havoc(place));
            let value_of = self.program.load_var(choice);
            let (yes, no) = (self.program.truth(value_of), self.program.not(value_of));
            let refused = Edge { from: chosen, to: done, op: Op::Assume(no), ..of.clone() };
            self.push(refused, Mark::Inserted);
            let accepted = self.stored(of, chosen, Op::Assume(yes));
            let dst = self.program.var_place(var);
            let src = self.program.cast(self.program.vars[var].ty, value);
            from = self.stored(of, accepted, Op::Assign { dst, src });
        }
        // All are computed before any is stored.
        let several = actions.len() > 1;
        let mut values = Vec::new();
        for &(ghost, value) in actions {
            let value = if several { self.saved(value, of, &mut from) } else { value };
            values.push((ghost, value));
        }
        for (ghost, src) in values {
            let dst = self.program.var_place(ghost);
            from = self.stored(of, from, Op::Assign { dst, src });
        }
        let number = match rule.to {
            To::State(state) => Some(ghosts.number(state)),
            To::Ignore => Some(IGNORED),
            To::Same | To::Error(_) => None,
        };
        let src = match number {
            Some(number) => self.program.int(Types::I32, number),
            None => self.program.load_var(ghosts.state),
        };
        let dst = self.program.var_place(ghosts.state);
        let step = Transition {
            spec: occurrence.spec,
            span: of.span,
            event: occurrence.text.clone(),
            step: self.shown(occurrence.spec, rule),
        };
        let op = Op::Assign { dst, src };
        self.push(Edge { from, to: done, op, ..of.clone() }, Mark::Step(step));
    }

    fn stored(&mut self, of: &Edge, from: LocId, op: Op) -> LocId {
        let to = self.new_loc();
        self.push(Edge { from, to, op, ..of.clone() }, Mark::Inserted);
        to
    }

    fn violated(&self, taken: &Taken<'_>, message: &str) -> Mark {
        Mark::Violated {
            spec: taken.occurrence.spec,
            span: taken.of.span,
            event: taken.occurrence.text.clone(),
            message: message.to_owned(),
        }
    }

    /// A rule for people.
    fn shown(&self, spec: usize, rule: &Rule) -> String {
        let states = &self.specs[spec].states;
        let to = match &rule.to {
            To::State(state) => states[*state].as_str(),
            To::Same | To::Error(_) => return "the state stays".to_owned(),
            To::Ignore => "ignored",
        };
        match &rule.from {
            From::New => format!("watched from here on, {to}"),
            _ => format!("now {to}"),
        }
    }
}

/// Where a rule leads, before anything else is known of it.
const FIRST: Position = Position { line: 1, column: 1 };

/// A rule at an event.
#[derive(Clone, Copy)]
struct Taken<'a> {
    occurrence: &'a Occurrence,
    of: &'a Edge,
    rule: &'a Rule,
    /// The value of the tracked variable at the event.
    watched: Option<ExprId>,
    /// Behind the event.
    done: LocId,
    /// Where it is not taken.
    next: LocId,
}
