//! Which of two symbols is the smaller one: facts about pairs of symbols, as signed numbers.
//!
//! A fact is a set of possible orders. What follows from two facts is added, so a chain of
//! comparisons that no numbers satisfy is noticed.

use gnomon_ir::expr::BinaryOp;

/// A set of orders of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order(u8);

impl Order {
    const LESS: Self = Self(1);
    const GREATER: Self = Self(2);
    /// They are the same.
    pub const EQUAL: Self = Self(4);
    /// Nothing is known.
    pub const ANY: Self = Self(7);

    /// Those for which a comparison of signed numbers holds.
    pub fn of(op: BinaryOp) -> Option<Self> {
        Some(match op {
            BinaryOp::Eq => Self::EQUAL,
            BinaryOp::Ne => Self(3),
            BinaryOp::Lt => Self::LESS,
            BinaryOp::Le => Self(5),
            BinaryOp::Gt => Self::GREATER,
            BinaryOp::Ge => Self(6),
            _ => return None,
        })
    }

    /// The comparison that holds for exactly these; `None` for all and for none.
    pub fn comparison(self) -> Option<BinaryOp> {
        Some(match self.0 {
            1 => BinaryOp::Lt,
            2 => BinaryOp::Gt,
            3 => BinaryOp::Ne,
            4 => BinaryOp::Eq,
            5 => BinaryOp::Le,
            6 => BinaryOp::Ge,
            _ => return None,
        })
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of them are among others.
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// With the two numbers exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self(self.0 & 4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1)
    }

    /// The orders of the first and the third number, if this is the one of the first and the second.
    #[must_use]
    fn then(self, next: Self) -> Self {
        let mut all = 0;
        for first in [Self::LESS, Self::GREATER, Self::EQUAL] {
            for second in [Self::LESS, Self::GREATER, Self::EQUAL] {
                if first.is_within(self) && second.is_within(next) {
                    all |= match (first, second) {
                        (Self::EQUAL, other) | (other, Self::EQUAL) => other.0,
                        (a, b) if a == b => a.0,
                        _ => Self::ANY.0,
                    };
                }
            }
        }
        Self(all)
    }
}

/// More facts than this are not kept.
const MAX_FACTS: usize = 120;

/// What is known of pairs of symbols: the smaller number of a symbol first, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Orders {
    facts: Vec<(u32, u32, Order)>,
}

impl Orders {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// All facts.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Order)> {
        self.facts.iter().copied()
    }

    /// What is known of two different symbols.
    pub fn between(&self, a: u32, b: u32) -> Order {
        let (low, high) = (a.min(b), a.max(b));
        let found = self.facts.binary_search_by_key(&(low, high), |&(x, y, _)| (x, y));
        match found {
            Ok(at) if a < b => self.facts[at].2,
            Ok(at) => self.facts[at].2.mirrored(),
            Err(_) => Order::ANY,
        }
    }

    fn set(&mut self, a: u32, b: u32, order: Order) {
        let (low, high, order) = if a < b { (a, b, order) } else { (b, a, order.mirrored()) };
        match self.facts.binary_search_by_key(&(low, high), |&(x, y, _)| (x, y)) {
            Ok(at) => self.facts[at].2 = order,
            Err(at) if self.facts.len() < MAX_FACTS => self.facts.insert(at, (low, high, order)),
            Err(_) => {}
        }
    }

    /// Adds a fact and what follows from it; whether that is possible.
    pub fn add(&mut self, a: u32, b: u32, order: Order) -> bool {
        let mut work = vec![(a, b, order)];
        while let Some((a, b, order)) = work.pop() {
            let known = self.between(a, b);
            let now = known.and(order);
            if now == known {
                continue;
            }
            if now.is_empty() {
                return false;
            }
            self.set(a, b, now);
            for (x, y, _) in self.facts.clone() {
                for (from, to) in [(x, y), (y, x)] {
                    // from - to is known; what of a - b touches it?
                    if from == b && to != a {
                        work.push((a, to, now.then(self.between(b, to))));
                    }
                    if to == a && from != b {
                        work.push((from, b, self.between(from, a).then(now)));
                    }
                }
            }
        }
        true
    }

    /// Forgets a symbol, and gives what was known of it.
    pub fn take(&mut self, symbol: u32) -> Vec<(u32, Order)> {
        let mut taken = Vec::new();
        self.facts.retain(|&(a, b, order)| {
            if a == symbol {
                taken.push((b, order));
            } else if b == symbol {
                taken.push((a, order.mirrored()));
            }
            a != symbol && b != symbol
        });
        taken
    }

    /// With other numbers for symbols; those without one are forgotten.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u32) -> Option<u32>) -> Self {
        let mut new = Self::default();
        for &(a, b, order) in &self.facts {
            if let (Some(a), Some(b)) = (number(a), number(b))
                && a != b
            {
                new.set(a, b, order);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_of_comparisons_is_impossible() {
        let [less, at_most] =
            [BinaryOp::Lt, BinaryOp::Le].map(|op| Order::of(op).expect("an order"));
        let mut orders = Orders::default();
        assert!(orders.add(0, 1, less));
        assert!(orders.add(1, 2, at_most));
        assert!(orders.add(2, 3, at_most));
        assert_eq!(orders.between(0, 3).comparison(), Some(BinaryOp::Lt));
        assert_eq!(orders.between(3, 0).comparison(), Some(BinaryOp::Gt));
        assert!(!orders.add(3, 0, at_most));
    }

    #[test]
    fn what_differs_and_is_at_most_is_less() {
        let mut orders = Orders::default();
        assert!(orders.add(4, 2, Order::of(BinaryOp::Ne).expect("an order")));
        assert!(orders.add(2, 4, Order::of(BinaryOp::Ge).expect("an order")));
        assert_eq!(orders.between(2, 4).comparison(), Some(BinaryOp::Gt));
    }
}
