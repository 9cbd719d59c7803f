//! A weak topological order of a function: in which order its locations are looked at, and where its
//! loops have their heads (Bourdoncle, *Efficient Chaotic Iteration Strategies with Widenings*, 1993,
//! Figure 4).

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId, Op};

/// A part of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A location that is in no loop of its own.
    Vertex(LocId),
    /// A loop.
    Loop(Loop),
}

/// A loop: its head, and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Every cycle of the loop that leaves its inner loops passes here.
    pub head: LocId,
    /// The other locations, in order.
    pub body: Vec<Part>,
    /// The edges to the head from inside.
    pub back: Vec<EdgeId>,
    /// The edges to the head from outside.
    pub entries: Vec<EdgeId>,
    /// Whether it is entered at its head only.
    pub single_entry: bool,
    /// Its number among the loops of the function.
    pub number: usize,
}

/// The order of a function.
#[derive(Clone, Debug)]
pub struct Order {
    /// The parts.
    pub parts: Vec<Part>,
    /// How many loops there are.
    pub loops: usize,
    /// Whether a loop, or a call, can be reached from a location inside the function.
    pub loop_or_call_ahead: Vec<bool>,
}

struct Tarjan<'c> {
    body: &'c Cfa,
    numbers: Vec<usize>,
    count: usize,
    stack: Vec<LocId>,
    loops: usize,
}

const DONE: usize = usize::MAX;

impl Order {
    /// Of a function's body.
    pub fn of(body: &Cfa) -> Self {
        let numbers = vec![0; body.loc_count()];
        let mut tarjan = Tarjan { body, numbers, count: 0, stack: Vec::new(), loops: 0 };
        let mut parts = Vec::new();
        tarjan.visit(body.entry(), &mut parts);
        parts.reverse();
        let loops = tarjan.loops;
        let loop_or_call_ahead = ahead(body, &parts);
        Self { parts, loops, loop_or_call_ahead }
    }
}

fn ahead(body: &Cfa, parts: &[Part]) -> Vec<bool> {
    fn heads(parts: &[Part], found: &mut Vec<LocId>) {
        for part in parts {
            if let Part::Loop(inner) = part {
                found.push(inner.head);
                heads(&inner.body, found);
            }
        }
    }
    let mut work = Vec::new();
    heads(parts, &mut work);
    let calls = body.edges().iter().filter(|edge| matches!(edge.op, Op::Call(_)));
    work.extend(calls.map(|edge| edge.from));
    let mut is_ahead = vec![false; body.loc_count()];
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut is_ahead[loc.index()], true) {
            work.extend(body.in_edges(loc).iter().map(|edge| body.edge(*edge).from));
        }
    }
    is_ahead
}

impl Tarjan<'_> {
    fn successors(&self, loc: LocId) -> impl Iterator<Item = LocId> + use<'_> {
        self.body.out_edges(loc).iter().map(|edge| self.body.edge(*edge).to)
    }

    /// Adds parts, the last one first; the least number that is reached from here.
    ///
    /// Written with a stack of its own for the straight parts of a function would be harder to
    /// read: threads of engines have deep stacks.
    fn visit(&mut self, loc: LocId, parts: &mut Vec<Part>) -> usize {
        self.stack.push(loc);
        self.count += 1;
        self.numbers[loc.index()] = self.count;
        let own = self.count;
        let mut head = own;
        let mut is_loop = false;
        for to in self.successors(loc).collect::<Vec<_>>() {
            let least = match self.numbers[to.index()] {
                0 => self.visit(to, parts),
                number => number,
            };
            if least <= head {
                head = least;
                is_loop = true;
            }
        }
        if head == own {
            self.numbers[loc.index()] = DONE;
            let mut popped = self.stack.pop();
            if is_loop {
                while let Some(inner) = popped.filter(|inner| *inner != loc) {
                    self.numbers[inner.index()] = 0;
                    popped = self.stack.pop();
                }
                let part = self.component(loc);
                parts.push(part);
            } else {
                parts.push(Part::Vertex(loc));
            }
        }
        head
    }

    fn component(&mut self, head: LocId) -> Part {
        let mut body = Vec::new();
        for to in self.successors(head).collect::<Vec<_>>() {
            if self.numbers[to.index()] == 0 {
                self.visit(to, &mut body);
            }
        }
        body.reverse();
        let number = self.loops;
        self.loops += 1;
        let mut inside = vec![false; self.body.loc_count()];
        inside[head.index()] = true;
        mark(&body, &mut inside);
        let edges = self.body.in_edges(head).iter().copied();
        let (back, entries) = edges.partition(|edge| inside[self.body.edge(*edge).from.index()]);
        let single_entry =
            self.body.edges().iter().all(|edge| {
                edge.to == head || !inside[edge.to.index()] || inside[edge.from.index()]
            });
        Part::Loop(Loop { head, body, back, entries, single_entry, number })
    }
}

fn mark(parts: &[Part], inside: &mut [bool]) {
    for part in parts {
        match part {
            Part::Vertex(loc) => inside[loc.index()] = true,
            Part::Loop(inner) => {
                inside[inner.head.index()] = true;
                mark(&inner.body, inside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gnomon_ir::cfa::{CfaBuilder, Edge};
    use gnomon_ir::program::Program;
    use gnomon_ir::program::StmtId;
    use gnomon_ir::span::Span;

    use super::*;

    /// Bourdoncle's example, Figure 2: 1 2 (3 4 (5 6) 7) 8.
    #[test]
    fn the_example_of_the_paper() {
        let mut builder = CfaBuilder::new();
        let mut locs = vec![builder.entry(), builder.entry()];
        locs.extend((2..=8).map(|_| builder.add_loc()));
        let edges = [
            (1, 2),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 6),
            (6, 7),
            (7, 8),
            (6, 5),
            (7, 3),
            (2, 8),
            (4, 7),
        ];
        for (from, to) in edges {
            let (from, to) = (locs[from], locs[to]);
            assert_ne!(Program::NO_STMT, StmtId(1));
            builder.add_edge(Edge { from, to, op: Op::Skip, span: Span::NONE, stmt: StmtId(1) });
        }
        let body = builder.finish();
        let order = Order::of(&body);
        let [Part::Vertex(_), Part::Vertex(_), Part::Loop(outer), Part::Vertex(_)] =
            &order.parts[..]
        else {
            panic!("{:?}", order.parts)
        };
        let [Part::Vertex(_), Part::Loop(inner), Part::Vertex(_)] = &outer.body[..] else {
            panic!("{:?}", outer.body)
        };
        assert_eq!((outer.back.len(), outer.entries.len()), (1, 1));
        assert_eq!((inner.body.len(), inner.back.len()), (1, 1));
        assert_eq!(order.loops, 2);
    }
}
