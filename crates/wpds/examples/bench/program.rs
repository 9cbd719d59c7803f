//! Random programs shaped like the interprocedural control flow graphs of real ones.
//!
//! A program is a list of procedures over one set of Boolean globals, in modules: the procedures of a
//! module work on the same few variables and call each other, mostly those with larger numbers, now
//! and then one a little before (recursion), seldom one of the next module. The first procedure calls one procedure
//! of each module. Bodies are structured: sequences of assignments, statements without effect,
//! branches, calls, and loops nested up to four deep, some of them counting. A few assertions lead to
//! one error node. Every loop can be left, so that all of the program is reachable.

use gnomon_bdd::{Bdd, Vocabulary};
use gnomon_wpds::domains::{BddRelations, Counted};
use gnomon_wpds::{Control, Kind, RuleId, Semiring, Symbol, Wpds};

/// A small generator of pseudo-random numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % bound.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The size of a program.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub procedures: usize,
    pub nodes_per_procedure: usize,
    pub variables: u32,
    pub seed: u64,
}

pub type Domain = Counted<BddRelations>;

/// A generated program as a weighted pushdown system.
pub struct Program {
    pub system: Wpds<Domain>,
    pub control: Control,
    pub entry: Symbol,
    pub error: Symbol,
    /// The rules of each procedure.
    pub rules: Vec<Vec<RuleId>>,
    pub nodes: usize,
    pub size: Size,
}

struct Generator {
    random: Random,
    vocabulary: Vocabulary,
    system: Wpds<Domain>,
    control: Control,
    entries: Vec<Symbol>,
    error: Symbol,
    one: Bdd,
    current: Vec<RuleId>,
}

/// How many variables the procedures of a module work on.
const LOCALITY: usize = 5;

pub fn generate(size: Size) -> Program {
    let domain = Counted::new(BddRelations::new(size.variables, 1 << 23).expect("a table"));
    let vocabulary = domain.inner().vocabulary().clone();
    let one = domain.one();
    let mut system = Wpds::new(domain, Kind::Weighted);
    let control = system.add_control("p");
    let error = system.add_symbol("error");
    let entries = system.add_symbols(size.procedures as u32);
    let random = Random::new(size.seed);
    let mut g =
        Generator { random, vocabulary, system, control, entries, error, one, current: Vec::new() };
    let mut rules = Vec::new();
    for procedure in 0..size.procedures {
        g.procedure(procedure, size);
        rules.push(std::mem::take(&mut g.current));
    }
    Program {
        nodes: g.system.symbol_count() as usize,
        size,
        control,
        entry: g.entries[0],
        error,
        rules,
        system: g.system,
    }
}

/// Whether a procedure has assertions: one in twenty-five.
fn asserts(procedure: usize) -> bool {
    procedure % 25 == 3
}

/// Puts other statements in the place of those of one procedure; the graph stays the same.
pub fn replace_procedure(program: &Program, procedure: usize, seed: u64) -> Wpds<Domain> {
    let mut system = program.system.clone();
    let vocabulary = system.domain().inner().vocabulary().clone();
    let mut random = Random::new(seed);
    let scope = scope(program.size.module_of(procedure), vocabulary.len());
    for &id in &program.rules[procedure] {
        let rule = system.rule(id).expect("a rule of the program").clone();
        let gnomon_wpds::Rhs::Step(to) = rule.rhs else { continue };
        if random.chance(30) && rule.weight != system.domain().one() {
            system.remove_rule(id).expect("it is there");
            let weight = assignment(&mut random, &vocabulary, &scope);
            let from = (rule.from, rule.top);
            system.add_step(from, (rule.to, to), weight).expect("it fits");
        }
    }
    system
}

/// The variables of a module.
fn scope(module: usize, variables: usize) -> Vec<usize> {
    (0..LOCALITY).map(|i| (module * LOCALITY + i) % variables).collect()
}

impl Size {
    fn modules(self) -> usize {
        (self.variables as usize / LOCALITY).clamp(1, (self.procedures - 1).max(1))
    }

    /// The procedures of a module; procedure 0 is in none.
    fn of_module(self, module: usize) -> std::ops::Range<usize> {
        let others = self.procedures - 1;
        let start = |m: usize| 1 + others * m / self.modules();
        start(module)..start(module + 1)
    }

    fn module_of(self, procedure: usize) -> usize {
        let inside = |&m: &usize| self.of_module(m).contains(&procedure);
        (0..self.modules()).find(inside).unwrap_or(0)
    }
}

/// `variable := f(others)` and everything else as it was.
fn assign(vocabulary: &Vocabulary, changed: &[usize], constraint: Bdd) -> Bdd {
    let kept: Vec<usize> = (0..vocabulary.len()).filter(|v| !changed.contains(v)).collect();
    vocabulary.identity_on(&kept).and_then(|id| id.and(&constraint)).expect("a small diagram")
}

fn before(vocabulary: &Vocabulary, v: usize) -> Bdd {
    vocabulary.space().variable(vocabulary.before()[v]).expect("a variable")
}

fn after(vocabulary: &Vocabulary, v: usize) -> Bdd {
    vocabulary.space().variable(vocabulary.after()[v]).expect("a variable")
}

fn assignment(random: &mut Random, vocabulary: &Vocabulary, scope: &[usize]) -> Bdd {
    let mut pick = || scope[random.below(scope.len())];
    let (target, a, b) = (pick(), pick(), pick());
    let (x, y) = (before(vocabulary, a), before(vocabulary, b));
    let value = match random.below(100) {
        0..35 => vocabulary.space().constant(random.chance(50)),
        35..60 => return assign(vocabulary, &[target], vocabulary.space().top()),
        60..75 => x,
        75..80 => x.not().expect("small"),
        80..90 => x.and(&y).expect("small"),
        _ => x.or(&y).expect("small"),
    };
    let set = after(vocabulary, target).iff(&value).expect("small");
    assign(vocabulary, &[target], set)
}

/// Adds one to a counter of two bits.
fn increment(random: &mut Random, vocabulary: &Vocabulary, scope: &[usize]) -> Bdd {
    let first = random.below(scope.len());
    let bits: Vec<usize> =
        (0..2.min(scope.len())).map(|i| scope[(first + i) % scope.len()]).collect();
    let mut carry = vocabulary.space().top();
    let mut constraint = vocabulary.space().top();
    for &bit in &bits {
        let old = before(vocabulary, bit);
        let new = old.xor(&carry).expect("small");
        let set = after(vocabulary, bit).iff(&new).expect("small");
        constraint = constraint.and(&set).expect("small");
        carry = carry.and(&old).expect("small");
    }
    assign(vocabulary, &bits, constraint)
}

impl Generator {
    fn node(&mut self) -> Symbol {
        self.system.add_symbols(1)[0]
    }

    fn step(&mut self, from: Symbol, to: Symbol, weight: Bdd) {
        let p = self.control;
        let id = self.system.add_step((p, from), (p, to), weight).expect("it fits");
        self.current.push(id);
    }

    fn call(&mut self, at: Symbol, entry: Symbol) -> Symbol {
        let (p, next, one) = (self.control, self.node(), self.one.clone());
        let added = self.system.add_push((p, at), (p, entry, next), one, None);
        self.current.push(added.expect("it fits"));
        next
    }

    fn assertion(&mut self, at: Symbol, scope: &[usize]) -> Symbol {
        let (_, fails) = self.condition(scope);
        let (next, error, one) = (self.node(), self.error, self.one.clone());
        self.step(at, error, fails);
        self.step(at, next, one);
        next
    }

    fn condition(&mut self, scope: &[usize]) -> (Bdd, Bdd) {
        if self.random.chance(40) {
            return (self.one.clone(), self.one.clone());
        }
        let v = &self.vocabulary;
        let a = before(v, scope[self.random.below(scope.len())]);
        let test = if self.random.chance(70) {
            a
        } else {
            a.iff(&before(v, scope[self.random.below(scope.len())])).expect("small")
        };
        let holds = v.identity_within(&test).expect("small");
        let fails = v.identity_within(&test.not().expect("small")).expect("small");
        (holds, fails)
    }

    fn procedure(&mut self, number: usize, size: Size) {
        let scope = scope(size.module_of(number), self.vocabulary.len());
        let mut budget = size.nodes_per_procedure / 2 + self.random.below(size.nodes_per_procedure);
        let mut at = self.entries[number];
        if number == 0 {
            budget = 0;
            for module in 0..size.modules() {
                let entry = self.entries[size.of_module(module).start];
                at = self.call(at, entry);
            }
        }
        while budget > 0 {
            at = self.statement(at, number, &scope, 0, &mut budget, size);
        }
        if asserts(number) {
            at = self.assertion(at, &scope);
        }
        let p = self.control;
        let id = self.system.add_pop((p, at), p, self.one.clone()).expect("it fits");
        self.current.push(id);
    }

    fn block(
        &mut self,
        mut at: Symbol,
        number: usize,
        scope: &[usize],
        depth: usize,
        budget: &mut usize,
        size: Size,
    ) -> Symbol {
        for _ in 0..2 + self.random.below(4) {
            at = self.statement(at, number, scope, depth, budget, size);
        }
        at
    }

    fn statement(
        &mut self,
        at: Symbol,
        number: usize,
        scope: &[usize],
        depth: usize,
        budget: &mut usize,
        size: Size,
    ) -> Symbol {
        *budget = budget.saturating_sub(1);
        let next = self.node();
        match self.random.below(100) {
            0..11 if depth < 4 && *budget > 4 => {
                // at: the head of a loop.
                let (stay, _) = self.condition(scope);
                let leave = self.one.clone();
                let inside = self.node();
                self.step(at, inside, stay);
                let mut end = self.block(inside, number, scope, depth + 1, budget, size);
                if self.random.chance(60) {
                    let counted = self.node();
                    let weight = increment(&mut self.random, &self.vocabulary, scope);
                    self.step(end, counted, weight);
                    end = counted;
                }
                let back = self.one.clone();
                self.step(end, at, back);
                self.step(at, next, leave);
            }
            11..22 if *budget > 4 => {
                let (yes, no) = self.condition(scope);
                let (then, other) = (self.node(), self.node());
                self.step(at, then, yes);
                self.step(at, other, no);
                let end = self.block(then, number, scope, depth + 1, budget, size);
                let one = self.one.clone();
                self.step(end, next, one.clone());
                let end = self.block(other, number, scope, depth + 1, budget, size);
                self.step(end, next, one);
            }
            22..30 => {
                let module = size.module_of(number);
                let later = number + 1..size.of_module(module).end;
                let callee = if depth > 0 && self.random.chance(3) {
                    // Recursion: back to a procedure a little before, so that cycles stay small.
                    let first = size.of_module(module).start.max(number.saturating_sub(4));
                    first + self.random.below(number + 1 - first)
                } else if self.random.chance(2) && module + 1 < size.modules() {
                    let next = size.of_module(module + 1);
                    next.start + self.random.below(next.len())
                } else if !later.is_empty() {
                    later.start + self.random.below(later.len().min(20))
                } else {
                    let one = self.one.clone();
                    self.step(at, next, one);
                    return next;
                };
                let entry = self.entries[callee];
                return self.call(at, entry);
            }
            30..33 if asserts(number) => return self.assertion(at, scope),
            30..60 => {
                let one = self.one.clone();
                self.step(at, next, one);
            }
            _ => {
                let weight = assignment(&mut self.random, &self.vocabulary, scope);
                self.step(at, next, weight);
            }
        }
        next
    }
}
