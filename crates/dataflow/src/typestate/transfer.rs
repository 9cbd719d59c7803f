//! What operations do to a fact.

use gnomon_flow::mod_ref::Effects;
use gnomon_flow::points_to::Objects;
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::Library;
use gnomon_ir::program::{FuncId, VarId};

use super::fact::{Fact, Holders, RESULT, RESULT_CELL};
use super::value::Value;
use super::world::{Called, World};

impl World<'_> {
    /// The fact behind an edge that is no call; `None` if no run takes it.
    pub fn stepped(&self, func: FuncId, edge: EdgeId, op: &Op, mut fact: Fact) -> Option<Fact> {
        match op {
            Op::Skip | Op::Call(_) => {}
            Op::Assume(condition) => {
                let refused = self.is_refusal(*condition);
                fact = self.refined(fact, *condition, true)?;
                if refused && fact.origin == 0 {
                    fact.forget_watched();
                }
            }
            Op::Assign { dst, src } => return self.assigned(func, edge, fact, *dst, *src),
            Op::Return(value) => {
                if let Some(e) = value {
                    let known = self.eval(&fact, *e);
                    let holds = self.may_hold(&fact, *e);
                    fact.set(RESULT, known);
                    if holds {
                        fact.holders = fact.holders.with([RESULT_CELL]);
                    }
                }
            }
            Op::Havoc(place) => self.unknown_value(&mut fact, *place),
            Op::HavocMemory => {
                let cells = self.points_to.escaped_cells();
                self.written(&mut fact, cells, true);
            }
            Op::Declare(var) => {
                let cells: SparseSet = self.variable_cells(*var).collect();
                self.written(&mut fact, &cells, false);
                if !self.program.vars[*var].address_taken {
                    fact.holders = fact.holders.retain(|cell| !cells.contains(cell));
                }
            }
            Op::Alloca { dst, .. } => {
                self.unknown_value(&mut fact, *dst);
                if self.is_remembered(*dst) {
                    self.remember(&mut fact, *dst, Value::nonzero());
                }
            }
            Op::VaStart(list) | Op::VaEnd(list) => self.unknown_value(&mut fact, *list),
            Op::VaArg { dst, list } => {
                // Any argument of any call: what holds is what the list leads to.
                let arguments = self.points_to.argument_cells(self.program, *list);
                let holds = fact.holders.any(|cell| arguments.contains(cell));
                self.unknown_value(&mut fact, *list);
                self.unknown_value(&mut fact, *dst);
                if holds {
                    self.add_holders(&mut fact, &self.cells(*dst));
                }
            }
            Op::VaCopy { dst, src } => {
                let cells = self.cells(*src);
                let holds = fact.holders.any(|cell| cells.contains(cell));
                self.unknown_value(&mut fact, *dst);
                if holds {
                    self.add_holders(&mut fact, &self.cells(*dst));
                }
            }
        }
        Some(fact)
    }

    /// Whether a condition says that an event is not the beginning of the watch.
    fn is_refusal(&self, condition: ExprId) -> bool {
        let Some(choice) = self.automaton.choice else { return false };
        let mut work = vec![condition];
        while let Some(e) = work.pop() {
            match self.program.exprs.expr(e).kind {
                ExprKind::Binary(gnomon_ir::expr::BinaryOp::Eq, a, b) => work.extend([a, b]),
                ExprKind::Cast(a) => work.push(a),
                ExprKind::Load(place)
                    if self.program.exprs.place(place).kind == PlaceKind::Var(choice) =>
                {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn assigned(
        &self,
        func: FuncId,
        edge: EdgeId,
        mut fact: Fact,
        dst: PlaceId,
        src: ExprId,
    ) -> Option<Fact> {
        let known = self.eval(&fact, src);
        if let PlaceKind::Var(var) = self.program.exprs.place(dst).kind {
            if Some(var) == self.automaton.tracked {
                self.begin_watch(func, edge, &mut fact, dst, src, known);
                return Some(fact);
            }
            if let Some(ghost) = self.ghosts.iter().position(|&g| g == var) {
                let mut ghosts = fact.ghosts.to_vec();
                ghosts[ghost] = known.as_constant();
                fact.ghosts = ghosts.into();
                // From there on, nothing happens.
                let is_over = ghost == 0 && known.as_constant() == Some(self.automaton.over);
                return (!is_over).then_some(fact);
            }
        }
        let holds = self.may_hold(&fact, src);
        self.store(&mut fact, dst, known, holds);
        Some(fact)
    }

    /// The watched value becomes the value of an expression.
    fn begin_watch(
        &self,
        func: FuncId,
        edge: EdgeId,
        fact: &mut Fact,
        dst: PlaceId,
        src: ExprId,
        known: Value,
    ) {
        let is_new = known.same == Some(true) && fact.origin == 0;
        if !is_new {
            fact.forget_watched();
            fact.holders = Holders::Any;
        }
        fact.origin = self.origins.number(func, edge, is_new);
        fact.cleaned = [].into();
        if let (true, Holders::Only(cells)) = (is_new, &fact.holders) {
            self.numbers.begin(fact.origin, cells.iter().copied());
        }
        let Some(load) = self.load_of(dst) else { return };
        fact.set(load, Value { same: Some(true), ..known });
        let source = self.stripped(src);
        if !is_new && self.program.exprs.const_bits(source).is_none() && self.is_stable(source) {
            fact.set(source, Value { same: Some(true), ..known });
        }
    }

    /// The expression that reads a place, if the program has it.
    fn load_of(&self, place: PlaceId) -> Option<ExprId> {
        self.loads.get(&place).copied()
    }

    /// What a store does.
    pub fn store(&self, fact: &mut Fact, dst: PlaceId, known: Value, holds: bool) {
        let cells = self.cells(dst);
        self.written(fact, &cells, false);
        if self.is_strong(dst) {
            fact.holders = fact.holders.retain(|cell| !cells.contains(cell));
            if !holds {
                self.clean(fact, &cells);
            }
        }
        if holds {
            self.add_holders(fact, &cells);
        }
        if self.is_remembered(dst) {
            self.remember(fact, dst, known);
        }
    }

    /// A place holds a value from now on.
    fn remember(&self, fact: &mut Fact, place: PlaceId, known: Value) {
        let Some(load) = self.load_of(place) else { return };
        let moved = self.address_reads(place).intersects(&self.cells(place));
        if known.is_known() && !moved && self.is_stable(load) {
            fact.set(load, known);
        }
    }

    fn unknown_value(&self, fact: &mut Fact, place: PlaceId) {
        let cells = self.cells(place);
        self.written(fact, &cells, false);
        if self.is_strong(place) {
            fact.holders = fact.holders.retain(|cell| !cells.contains(cell));
        }
    }

    /// Cells hold nothing but what is not the watched value.
    fn clean(&self, fact: &mut Fact, cells: &SparseSet) {
        if fact.origin != 0 && !self.numbers.any.is_empty() {
            let can =
                |cell: &u32| self.numbers.any.contains(*cell) && !self.unstable.contains(*cell);
            fact.clean(cells.iter().filter(can));
        }
    }

    /// Cells were written; perhaps with the watched value, if the writer may know it.
    pub fn written(&self, fact: &mut Fact, cells: &SparseSet, by_who_knows: bool) {
        fact.retain(|e| !self.reads(e).intersects(cells));
        fact.soil(|cell| cells.contains(cell));
        if by_who_knows && fact.holders.any(|cell| cells.contains(cell)) {
            self.add_holders(fact, cells);
        }
    }

    /// The fact when everything has run that may run at any moment.
    pub fn settled(&self, mut fact: Fact) -> Fact {
        let reads = &self.unstable_reads;
        if fact.origin != 0 && fact.holders.any(|cell| reads.contains(cell)) {
            self.add_holders(&mut fact, &self.unstable);
        }
        fact
    }

    pub fn add_holders(&self, fact: &mut Fact, cells: &SparseSet) {
        if fact.holders == Holders::Any {
            return;
        }
        let Some(can) = self.can_hold(fact.origin) else {
            fact.holders = fact.holders.with(cells.iter());
            return;
        };
        let (few, many) = if can.len() < cells.len() { (&*can, cells) } else { (cells, &*can) };
        let more = few.iter().filter(|&cell| many.contains(cell));
        // What may hold any number needs no mention, but where it was cleaned.
        let cleaned = fact.cleaned.iter().copied().filter(|&cell| cells.contains(cell));
        fact.holders = fact.holders.with(more.chain(cleaned).collect::<Vec<_>>());
    }

    /// A call of functions in which the automaton makes no step.
    pub fn skipped(&self, fact: &Fact, call: &Call, called: &Called) -> Option<Fact> {
        let mut fact = fact.clone();
        if fact.origin == 0 {
            fact.forget_watched();
        }
        if let (Callee::Direct(callee), [condition]) = (call.callee, &call.args[..])
            && self.program.funcs[callee].body.is_none()
            && self.library(callee) == Library::Assume
        {
            return self.refined(fact, *condition, true);
        }
        let Effects { writes, reads } = &called.effects;
        let knows = self.knows(&fact, call, reads);
        fact.retain(|e| self.is_automaton_load(e) || !self.reads(e).intersects(writes));
        fact.soil(|cell| writes.contains(cell));
        if let Some(dst) = call.dst
            && self.is_strong(dst)
        {
            let cells = self.cells(dst);
            fact.holders = fact.holders.retain(|cell| !cells.contains(cell));
        }
        if knows {
            // Who stores nothing may still return it.
            let mut cells = match call.dst {
                _ if called.stores => writes.clone(),
                Some(dst) => (*self.cells(dst)).clone(),
                None => SparseSet::new(),
            };
            // The library writes something of its own in every call, but pointers it keeps only if
            // nothing is known of it: then it may write all that escaped.
            if called.stores && !self.points_to.escaped_cells().is_subset(writes) {
                let objects = self.points_to.objects();
                let own: SparseSet = objects.cells(Objects::OUTSIDE).map(|cell| cell.0).collect();
                cells = cells.without(&own);
            }
            if let (true, Some(dst)) = (called.fresh, call.dst)
                && self.is_strong(dst)
            {
                let own = self.cells(dst);
                cells.retain(|cell| !own.contains(cell));
            }
            self.add_holders(&mut fact, &cells);
        }
        if let (true, Some(dst)) = (called.fresh, call.dst)
            && self.is_remembered(dst)
        {
            self.new_value(&mut fact, dst);
        }
        Some(fact)
    }

    /// A place gets a value that nobody has.
    fn new_value(&self, fact: &mut Fact, dst: PlaceId) {
        let new = fact.origin == 0;
        if new {
            fact.holders = Holders::of(self.cells(dst).iter().collect());
        } else if self.is_strong(dst) {
            self.clean(fact, &self.cells(dst));
        }
        let not_standard = self.origins.of_numbers;
        self.remember(fact, dst, Value { same: Some(new), not_standard, ..Value::UNKNOWN });
    }

    /// Whether the called functions may learn the watched value.
    pub fn knows(&self, fact: &Fact, call: &Call, reads: &SparseSet) -> bool {
        fact.holders != Holders::none()
            && (fact.holders.any(|cell| reads.contains(cell))
                || call.args.iter().any(|&arg| self.may_hold(fact, arg)))
    }

    /// What a function knows when it is entered.
    pub fn entered(
        &self,
        fact: &Fact,
        callee: FuncId,
        args: Option<&[ExprId]>,
        knows: bool,
    ) -> Fact {
        let visible = self.visible(callee);
        let mut inner = fact.clone();
        if inner.origin == 0 {
            // Before the watch begins, one entry for all is enough.
            inner.values = [].into();
            inner.holders = Holders::none();
            inner.cleaned = [].into();
            return inner;
        }
        inner.retain(|e| {
            self.is_automaton_load(e) || !self.has_local(e) && self.reads(e).is_subset(&visible)
        });
        inner.holders = inner.holders.retain(|cell| visible.contains(cell));
        inner.soil(|cell| !visible.contains(cell) || self.is_own_local(cell, callee));
        let params: &[VarId] = &self.program.funcs[callee].params;
        match args {
            Some(args) => {
                for (number, &arg) in args.iter().enumerate() {
                    let holds = self.may_hold(fact, arg);
                    let Some(&param) = params.get(number) else {
                        if holds {
                            inner.holders = inner.holders.with(self.further_arguments(callee));
                        }
                        continue;
                    };
                    let known = self.eval(fact, arg);
                    self.bind(&mut inner, param, known, holds);
                    self.rename_inwards(fact, &mut inner, arg, param, &visible);
                }
            }
            // Nobody knows what it is called with.
            None if knows => {
                for &param in params {
                    self.bind(&mut inner, param, Value::UNKNOWN, true);
                }
                inner.holders = inner.holders.with(self.further_arguments(callee));
            }
            None => {}
        }
        inner
    }

    /// What the callee can say of its argument: `q->file` is what the caller knows of `p->file`.
    fn rename_inwards(
        &self,
        fact: &Fact,
        inner: &mut Fact,
        arg: ExprId,
        param: VarId,
        visible: &SparseSet,
    ) {
        let Some(load) = self.load_of_var(param) else { return };
        let known = fact.values.iter().filter(|(e, _)| *e != RESULT && !self.is_automaton_load(*e));
        for &(e, value) in known {
            let arg = self.stripped(arg);
            let Some(renamed) = self.paths.renamed(e, arg, load) else { continue };
            let others = self.reads(renamed).without(&self.variable_cells(param).collect());
            let is_about_argument = renamed != load && self.is_of(renamed, param);
            if is_about_argument && value.is_known() && others.is_subset(visible) {
                inner.set(renamed, value);
            }
        }
    }

    fn load_of_var(&self, var: VarId) -> Option<ExprId> {
        self.load_of(*self.var_places.get(&var)?)
    }

    /// Whether an expression has no other local variable than this.
    fn is_of(&self, e: ExprId, var: VarId) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => true,
            ExprKind::Load(place) | ExprKind::AddrOf(place) => self.is_place_of(place, var),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_of(a, var),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.is_of(a, var) && self.is_of(b, var)
            }
        }
    }

    fn is_place_of(&self, place: PlaceId, var: VarId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(v) => v == var || self.program.vars[v].storage.function().is_none(),
            PlaceKind::Deref(e) => self.is_of(e, var),
            PlaceKind::Field(base, _) => self.is_place_of(base, var),
            PlaceKind::Index(base, index) => self.is_place_of(base, var) && self.is_of(index, var),
        }
    }

    /// What the caller can say of what the callee knows of its argument.
    fn rename_outwards(&self, end: &Fact, after: &mut Fact, callee: FuncId, args: &[ExprId]) {
        let writes = self.mod_ref.writes(callee);
        for (&arg, &param) in args.iter().zip(&self.program.funcs[callee].params) {
            let Some(load) = self.load_of_var(param) else { continue };
            let arg = self.stripped(arg);
            if !self.kept_params.contains(&param) || self.reads(arg).intersects(writes) {
                continue;
            }
            for &(e, value) in end.values.iter() {
                if e == RESULT || e == load || !self.has_local(e) || !self.is_of(e, param) {
                    continue;
                }
                if let Some(renamed) = self.paths.renamed(e, load, arg) {
                    let value = if end.origin == 0 { value.number() } else { value };
                    if value.is_known() && self.is_stable(renamed) {
                        after.set(renamed, value);
                    }
                }
            }
        }
    }

    fn bind(&self, inner: &mut Fact, param: VarId, known: Value, holds: bool) {
        let cells: SparseSet = self.variable_cells(param).collect();
        inner.soil(|cell| cells.contains(cell));
        if holds {
            self.add_holders(inner, &cells);
        } else if !self.program.vars[param].address_taken {
            self.clean(inner, &cells);
        }
        let Some(&place) = self.var_places.get(&param) else { return };
        if self.is_remembered(place) {
            self.remember(inner, place, known);
        }
    }

    /// Whether an expression reads the watched value.
    fn is_automaton_load(&self, e: ExprId) -> bool {
        if e == RESULT {
            return false;
        }
        let ExprKind::Load(place) = self.program.exprs.expr(e).kind else { return false };
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => Some(var) == self.automaton.tracked,
            _ => false,
        }
    }

    /// What is known behind a call, from what was known before it and at the end of the callee.
    pub fn left(&self, before: &Fact, end: &Fact, callee: FuncId, call: Option<&Call>) -> Fact {
        let (visible, writes) = (self.visible(callee), self.mod_ref.writes(callee));
        let mut after = end.clone();
        after.retain(|e| {
            self.is_automaton_load(e) || !self.has_local(e) && !self.reads(e).is_empty()
        });
        // What ran at any moment does not take a new value away from who has it.
        let hidden = !before.holders.any(|cell| visible.contains(cell));
        let keeps_new = call.is_none() && before.origin == 0 && end.origin == 0 && hidden;
        if end.origin == 0 {
            after.forget_watched();
        }
        let same_watch = before.origin == end.origin && (end.origin != 0 || keeps_new);
        for &(e, value) in before.values.iter() {
            let value = if same_watch { value } else { value.number() };
            if value.is_known()
                && !self.is_automaton_load(e)
                && after.get(e).is_none()
                && !self.reads(e).intersects(writes)
            {
                after.set(e, value);
            }
        }
        let returned = end.holders.contains(RESULT_CELL);
        let kept = end.holders.retain(|c| c != RESULT_CELL && !self.is_own_local(c, callee));
        after.holders = match (&before.holders, same_watch) {
            (holders, true) if keeps_new => holders.clone(),
            (_, false) => kept,
            (Holders::Any, true) => kept,
            (Holders::Only(cells), true) => {
                kept.with(cells.iter().copied().filter(|&cell| !visible.contains(cell)))
            }
        };
        if after.origin == 0 && !keeps_new {
            after.forget_watched();
        }
        after.soil(|cell| self.is_own_local(cell, callee));
        if same_watch {
            let kept = before.cleaned.iter().copied().filter(|&cell| !writes.contains(cell));
            after.clean(kept);
        }
        if let Some(call) = call {
            self.rename_outwards(end, &mut after, callee, &call.args);
        }
        if let Some(dst) = call.and_then(|call| call.dst) {
            let mut known = end.get(RESULT).unwrap_or(Value::UNKNOWN);
            if after.origin == 0 {
                known.same = None;
            }
            let holds = returned && after.origin != 0;
            self.store(&mut after, dst, known, holds);
        }
        after
    }
}
