//! Gates: hash-consed Boolean circuits, and their clauses for a SAT solver.
//!
//! A [`Lit`] is a node of the circuit or its complement. Nodes with equal arguments are one node,
//! constants and complements are folded when a gate is made, so that much of a formula never
//! becomes clauses (and-inverter graphs with exclusive or, choice and majority as gates of their
//! own, since those have short clauses and propagate well in adders and multiplexers).
//!
//! Clauses (Tseitin's) are made on demand, for the cone of a literal that a query speaks about.

use rustc_hash::FxHashMap;

/// A node of the circuit or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// Truth.
    pub const TRUE: Self = Self(0);
    /// Falsity.
    pub const FALSE: Self = Self(1);

    fn of(node: usize) -> Self {
        Self((node as u32) << 1)
    }

    /// Truth or falsity.
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Whether it is a known truth value.
    pub fn as_constant(self) -> Option<bool> {
        match self {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    /// Whether its node was one of the first so many.
    pub fn precedes(self, count: usize) -> bool {
        self.node() < count
    }

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// Complemented if told so.
    fn flipped(self, flip: bool) -> Self {
        Self(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gate {
    /// Truth; the first node.
    True,
    /// Anything.
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// If, then, else.
    Choose(Lit, Lit, Lit),
    /// At least two of three.
    Majority(Lit, Lit, Lit),
}

/// A circuit.
#[derive(Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, u32>,
    /// The literals of nodes in the SAT solver; 0 for those that it does not know.
    variables: Vec<i32>,
    /// How many it knows.
    count: i32,
}

impl Default for Gates {
    fn default() -> Self {
        Self { gates: vec![Gate::True], known: FxHashMap::default(), variables: vec![0], count: 0 }
    }
}

impl Gates {
    /// How many nodes there are.
    pub fn count(&self) -> usize {
        self.gates.len()
    }

    /// Something that can be true or false.
    pub fn input(&mut self) -> Lit {
        self.gates.push(Gate::Input);
        self.variables.push(0);
        Lit::of(self.gates.len() - 1)
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&node) = self.known.get(&gate) {
            return Lit::of(node as usize);
        }
        self.known.insert(gate, self.gates.len() as u32);
        self.gates.push(gate);
        self.variables.push(0);
        Lit::of(self.gates.len() - 1)
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE || a == b {
            return b;
        }
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        // One level down: what a conjunction implies, or contradicts.
        for (whole, other) in [(a, b), (b, a)] {
            if let Gate::And(x, y) = self.gates[whole.node()] {
                if !whole.is_complement() {
                    if x == other || y == other {
                        return whole;
                    }
                    if x == !other || y == !other {
                        return Lit::FALSE;
                    }
                } else if x == !other || y == !other {
                    return other;
                } else if x == other {
                    return self.and(other, !y);
                } else if y == other {
                    return self.and(other, !x);
                }
            }
        }
        self.gate(Gate::And(a, b))
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_complement() != b.is_complement();
        let (a, b) = (a.flipped(a.is_complement()), b.flipped(b.is_complement()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::TRUE {
            return (!b).flipped(flip);
        }
        if a == b {
            return Lit::FALSE.flipped(flip);
        }
        self.gate(Gate::Xor(a, b)).flipped(flip)
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// If, then, else.
    pub fn choose(&mut self, test: Lit, then: Lit, other: Lit) -> Lit {
        if test.is_complement() {
            return self.choose(!test, other, then);
        }
        if test == Lit::TRUE || then == other {
            return then;
        }
        if then == !other {
            return self.iff(test, then);
        }
        if then == Lit::TRUE || then == test {
            return self.or(test, other);
        }
        if then == Lit::FALSE || then == !test {
            return self.and(!test, other);
        }
        if other == Lit::TRUE || other == !test {
            return self.or(!test, then);
        }
        if other == Lit::FALSE || other == test {
            return self.and(test, then);
        }
        let flip = then.is_complement();
        self.gate(Gate::Choose(test, then.flipped(flip), other.flipped(flip))).flipped(flip)
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut all = [a, b, c];
        all.sort_unstable();
        let [a, b, c] = all;
        // The constants are the least of all, and a complement follows its node.
        if a == Lit::TRUE {
            return self.or(b, c);
        }
        if a == Lit::FALSE {
            return self.and(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let flip = a.is_complement();
        let gate = Gate::Majority(a.flipped(flip), b.flipped(flip), c.flipped(flip));
        self.gate(gate).flipped(flip)
    }

    /// Conjunction of all.
    pub fn all(&mut self, all: &[Lit]) -> Lit {
        self.balanced(all, Lit::TRUE, Self::and)
    }

    /// Disjunction of all.
    pub fn any(&mut self, all: &[Lit]) -> Lit {
        self.balanced(all, Lit::FALSE, Self::or)
    }

    fn balanced(&mut self, all: &[Lit], none: Lit, join: fn(&mut Self, Lit, Lit) -> Lit) -> Lit {
        match all {
            [] => none,
            [one] => *one,
            _ => {
                let (left, right) = all.split_at(all.len() / 2);
                let (left, right) =
                    (self.balanced(left, none, join), self.balanced(right, none, join));
                join(self, left, right)
            }
        }
    }

    /// The literal in the SAT solver, if it knows the node.
    pub fn sat_literal(&self, lit: Lit) -> Option<i32> {
        match self.variables[lit.node()] {
            0 => None,
            variable => Some(if lit.is_complement() { -variable } else { variable }),
        }
    }

    /// The literal in the SAT solver; hands the clauses of its cone to `add`, those that the solver
    /// did not have yet.
    pub fn emit(&mut self, root: Lit, mut add: impl FnMut(&[i32])) -> i32 {
        let mut pending = Vec::new();
        let root = self.named(root, &mut pending);
        while let Some(node) = pending.pop() {
            let (x, gate) = (self.variables[node], self.gates[node]);
            let mut need = |lit: Lit| self.named(lit, &mut pending);
            match gate {
                Gate::True => add(&[x]),
                Gate::Input => {}
                Gate::And(a, b) => {
                    let (a, b) = (need(a), need(b));
                    add(&[-x, a]);
                    add(&[-x, b]);
                    add(&[x, -a, -b]);
                }
                Gate::Xor(a, b) => {
                    let (a, b) = (need(a), need(b));
                    add(&[-x, a, b]);
                    add(&[-x, -a, -b]);
                    add(&[x, -a, b]);
                    add(&[x, a, -b]);
                }
                Gate::Choose(t, a, b) => {
                    let (t, a, b) = (need(t), need(a), need(b));
                    add(&[-t, -a, x]);
                    add(&[-t, a, -x]);
                    add(&[t, -b, x]);
                    add(&[t, b, -x]);
                    // Redundant, but they propagate.
                    add(&[-a, -b, x]);
                    add(&[a, b, -x]);
                }
                Gate::Majority(a, b, c) => {
                    let (a, b, c) = (need(a), need(b), need(c));
                    for (p, q) in [(a, b), (a, c), (b, c)] {
                        add(&[-p, -q, x]);
                        add(&[p, q, -x]);
                    }
                }
            }
        }
        root
    }

    /// The literal of a node, which gets a variable if it has none and waits for its clauses then.
    fn named(&mut self, lit: Lit, pending: &mut Vec<usize>) -> i32 {
        let node = lit.node();
        if self.variables[node] == 0 {
            self.count += 1;
            // The solver tries true first: inputs are complemented, so that they are small where they can be.
            let is_input = matches!(self.gates[node], Gate::Input);
            self.variables[node] = if is_input { -self.count } else { self.count };
            pending.push(node);
        }
        let variable = self.variables[node];
        if lit.is_complement() { -variable } else { variable }
    }

    /// The values of all nodes from those of the inputs.
    pub fn evaluate(&self, mut input: impl FnMut(Lit) -> bool) -> Assignment {
        let mut values = Assignment(Vec::with_capacity(self.gates.len()));
        for (node, gate) in self.gates.iter().enumerate() {
            let value = match *gate {
                Gate::True => true,
                Gate::Input => input(Lit::of(node)),
                Gate::And(a, b) => values.of(a) && values.of(b),
                Gate::Xor(a, b) => values.of(a) != values.of(b),
                Gate::Choose(t, a, b) => values.of(if values.of(t) { a } else { b }),
                Gate::Majority(a, b, c) => {
                    let (a, b, c) = (values.of(a), values.of(b), values.of(c));
                    if a { b || c } else { b && c }
                }
            };
            values.0.push(value);
        }
        values
    }
}

/// Truth values of all nodes of a circuit.
#[derive(Clone, Debug, Default)]
pub struct Assignment(Vec<bool>);

impl Assignment {
    /// The value of a literal.
    pub fn of(&self, lit: Lit) -> bool {
        self.0[lit.node()] != lit.is_complement()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every gate over three inputs and their complements, and over constants, against its table.
    #[test]
    fn gates_are_what_their_names_say() {
        let mut gates = Gates::default();
        let inputs = [gates.input(), gates.input(), gates.input()];
        let mut lits = vec![Lit::TRUE, Lit::FALSE];
        for x in inputs {
            lits.extend([x, !x]);
        }
        // Gates over gates too, for the rules that look one level down.
        for (a, b) in [(0, 1), (1, 2)] {
            let and = gates.and(inputs[a], inputs[b]);
            lits.extend([and, !and]);
        }
        let mut made = Vec::new();
        for &a in &lits {
            for &b in &lits {
                made.push((0, [a, b, a], gates.and(a, b)));
                made.push((1, [a, b, a], gates.xor(a, b)));
                for &c in &lits {
                    made.push((2, [a, b, c], gates.choose(a, b, c)));
                    made.push((3, [a, b, c], gates.majority(a, b, c)));
                }
            }
        }
        for bits in 0..8u32 {
            let values = gates
                .evaluate(|x| bits >> inputs.iter().position(|i| *i == x).unwrap_or(0) & 1 == 1);
            for &(kind, [a, b, c], result) in &made {
                let (a, b, c) = (values.of(a), values.of(b), values.of(c));
                let expected = match kind {
                    0 => a && b,
                    1 => a != b,
                    2 if a => b,
                    2 => c,
                    _ => u8::from(a) + u8::from(b) + u8::from(c) >= 2,
                };
                assert_eq!(values.of(result), expected);
            }
        }
    }
}
