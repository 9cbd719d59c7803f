//! Persistent maps from numbers to values, with shared parts.
//!
//! A big-endian Patricia tree (Okasaki and Gill, *Fast Mergeable Integer Maps*, 1998). Two states of a
//! program that have a common past share the subtrees of what neither changed, so that joining and
//! comparing them takes time for the differences only. A missing key is the value of which nothing
//! is known.

use std::rc::Rc;

/// A map.
#[derive(Clone, Debug)]
pub struct Map<V> {
    root: Option<Rc<Node<V>>>,
}

#[derive(Clone, Debug)]
enum Node<V> {
    Leaf(u64, V),
    /// All keys agree above the bit; the first have it clear, the second set.
    Branch(u64, u64, Rc<Node<V>>, Rc<Node<V>>),
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self { root: None }
    }
}

type Link<V> = Option<Rc<Node<V>>>;

fn prefix(key: u64, bit: u64) -> u64 {
    key & !(bit | (bit - 1))
}

impl<V: Clone + PartialEq> Map<V> {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether both are the same without looking at them.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u64) -> Option<&V> {
        let mut node = self.root.as_ref()?;
        loop {
            match &**node {
                Node::Leaf(k, value) => return (*k == key).then_some(value),
                Node::Branch(p, bit, zero, one) => {
                    if prefix(key, *bit) != *p {
                        return None;
                    }
                    node = if key & bit == 0 { zero } else { one };
                }
            }
        }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: u64, value: V) {
        if self.get(key) == Some(&value) {
            return;
        }
        let leaf = Rc::new(Node::Leaf(key, value));
        self.root = Some(match self.root.take() {
            None => leaf,
            Some(root) => inserted(&root, key, leaf),
        });
    }

    /// Forgets a key.
    pub fn remove(&mut self, key: u64) {
        if self.get(key).is_some()
            && let Some(root) = self.root.take()
        {
            self.root = removed(&root, key);
        }
    }

    /// Calls a function for each key, in order.
    pub fn for_each(&self, mut visit: impl FnMut(u64, &V)) {
        if let Some(root) = &self.root {
            walk(root, &mut visit);
        }
    }

    /// The keys and values, in order.
    pub fn entries(&self) -> Vec<(u64, V)> {
        let mut all = Vec::new();
        self.for_each(|key, value| all.push((key, value.clone())));
        all
    }

    /// A map of what `both` gives for each key of both maps. It must give the value itself where
    /// both are the same: shared parts are not looked at.
    #[must_use]
    pub fn common(&self, other: &Self, both: &mut impl FnMut(u64, &V, &V) -> Option<V>) -> Self {
        let mut merge = Merge { both, left: &mut |_, _| None, right: &mut |_, _| None };
        Self { root: merge.links(self.root.as_ref(), other.root.as_ref()) }
    }

    /// The same with functions for keys that are in one of them only.
    #[must_use]
    pub fn merged(
        &self,
        other: &Self,
        both: &mut impl FnMut(u64, &V, &V) -> Option<V>,
        left: &mut dyn FnMut(u64, &V) -> Option<V>,
        right: &mut dyn FnMut(u64, &V) -> Option<V>,
    ) -> Self {
        let mut merge = Merge { both, left, right };
        Self { root: merge.links(self.root.as_ref(), other.root.as_ref()) }
    }

    /// Whether `holds` for each key of the other one, with what this one has for it. Shared parts
    /// are taken to hold.
    pub fn all_of(&self, other: &Self, holds: &mut dyn FnMut(u64, Option<&V>, &V) -> bool) -> bool {
        match (&self.root, &other.root) {
            (_, None) => true,
            (None, Some(b)) => each(b, &mut |key, value| holds(key, None, value)),
            (Some(a), Some(b)) => all_of(a, b, holds),
        }
    }
}

fn join<V>(key: u64, a: Rc<Node<V>>, other: u64, b: Rc<Node<V>>) -> Rc<Node<V>> {
    let bit = 1u64 << (63 - (key ^ other).leading_zeros());
    let (zero, one) = if key & bit == 0 { (a, b) } else { (b, a) };
    Rc::new(Node::Branch(prefix(key, bit), bit, zero, one))
}

fn key_of<V>(node: &Node<V>) -> u64 {
    match node {
        Node::Leaf(key, _) => *key,
        Node::Branch(p, ..) => *p,
    }
}

fn inserted<V: Clone>(node: &Rc<Node<V>>, key: u64, leaf: Rc<Node<V>>) -> Rc<Node<V>> {
    match &**node {
        Node::Leaf(k, _) if *k == key => leaf,
        Node::Leaf(k, _) => join(key, leaf, *k, node.clone()),
        Node::Branch(p, bit, zero, one) => {
            if prefix(key, *bit) != *p {
                return join(key, leaf, *p, node.clone());
            }
            let (zero, one) = match key & bit {
                0 => (inserted(zero, key, leaf), one.clone()),
                _ => (zero.clone(), inserted(one, key, leaf)),
            };
            Rc::new(Node::Branch(*p, *bit, zero, one))
        }
    }
}

fn removed<V>(node: &Rc<Node<V>>, key: u64) -> Link<V> {
    match &**node {
        Node::Leaf(k, _) => (*k != key).then(|| node.clone()),
        Node::Branch(p, bit, zero, one) => {
            if prefix(key, *bit) != *p {
                return Some(node.clone());
            }
            let (zero, one) = match key & bit {
                0 => (removed(zero, key), Some(one.clone())),
                _ => (Some(zero.clone()), removed(one, key)),
            };
            branch(*p, *bit, zero, one)
        }
    }
}

fn branch<V>(p: u64, bit: u64, zero: Link<V>, one: Link<V>) -> Link<V> {
    match (zero, one) {
        (Some(zero), Some(one)) => Some(Rc::new(Node::Branch(p, bit, zero, one))),
        (zero, one) => zero.or(one),
    }
}

fn walk<V>(node: &Node<V>, visit: &mut impl FnMut(u64, &V)) {
    match node {
        Node::Leaf(key, value) => visit(*key, value),
        Node::Branch(_, _, zero, one) => {
            walk(zero, visit);
            walk(one, visit);
        }
    }
}

fn each<V>(node: &Node<V>, holds: &mut dyn FnMut(u64, &V) -> bool) -> bool {
    match node {
        Node::Leaf(key, value) => holds(*key, value),
        Node::Branch(_, _, zero, one) => each(zero, holds) && each(one, holds),
    }
}

fn find<V>(mut node: &Rc<Node<V>>, key: u64) -> Option<&V> {
    loop {
        match &**node {
            Node::Leaf(k, value) => return (*k == key).then_some(value),
            Node::Branch(p, bit, zero, one) => {
                if prefix(key, *bit) != *p {
                    return None;
                }
                node = if key & bit == 0 { zero } else { one };
            }
        }
    }
}

fn all_of<V>(
    a: &Rc<Node<V>>,
    b: &Rc<Node<V>>,
    holds: &mut dyn FnMut(u64, Option<&V>, &V) -> bool,
) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    match (&**a, &**b) {
        (Node::Branch(p, bit, a0, a1), Node::Branch(q, other, b0, b1))
            if (p, bit) == (q, other) =>
        {
            all_of(a0, b0, holds) && all_of(a1, b1, holds)
        }
        _ => each(b, &mut |key, value| holds(key, find(a, key), value)),
    }
}

struct Merge<'f, V, F> {
    both: &'f mut F,
    left: &'f mut dyn FnMut(u64, &V) -> Option<V>,
    right: &'f mut dyn FnMut(u64, &V) -> Option<V>,
}

impl<V: Clone + PartialEq, F: FnMut(u64, &V, &V) -> Option<V>> Merge<'_, V, F> {
    fn links(&mut self, a: Option<&Rc<Node<V>>>, b: Option<&Rc<Node<V>>>) -> Link<V> {
        match (a, b) {
            (None, None) => None,
            (Some(a), None) => self.one_sided(a, true),
            (None, Some(b)) => self.one_sided(b, false),
            (Some(a), Some(b)) => self.nodes(a, b),
        }
    }

    fn one_sided(&mut self, node: &Rc<Node<V>>, is_left: bool) -> Link<V> {
        match &**node {
            Node::Leaf(key, value) => {
                let kept =
                    if is_left { (self.left)(*key, value) } else { (self.right)(*key, value) };
                kept.map(|kept| match kept == *value {
                    true => node.clone(),
                    false => Rc::new(Node::Leaf(*key, kept)),
                })
            }
            Node::Branch(p, bit, zero, one) => {
                let (z, o) = (self.one_sided(zero, is_left), self.one_sided(one, is_left));
                rebuilt(node, (*p, *bit), (zero, one), (z, o))
            }
        }
    }

    fn nodes(&mut self, a: &Rc<Node<V>>, b: &Rc<Node<V>>) -> Link<V> {
        if Rc::ptr_eq(a, b) {
            return Some(a.clone());
        }
        match (&**a, &**b) {
            (Node::Leaf(k, x), Node::Leaf(l, y)) if k == l => {
                let kept = (self.both)(*k, x, y)?;
                Some(match (kept == *x, kept == *y) {
                    (true, _) => a.clone(),
                    (_, true) => b.clone(),
                    _ => Rc::new(Node::Leaf(*k, kept)),
                })
            }
            (Node::Branch(p, bit, a0, a1), Node::Branch(q, other, b0, b1))
                if (p, bit) == (q, other) =>
            {
                let (zero, one) = (self.nodes(a0, b0), self.nodes(a1, b1));
                rebuilt(a, (*p, *bit), (a0, a1), (zero, one))
            }
            (Node::Branch(p, bit, a0, a1), _)
                if prefix(key_of(b), *bit) == *p && bit_of(b) < *bit =>
            {
                let (zero, one) = match key_of(b) & bit {
                    0 => (self.nodes(a0, b), self.one_sided(a1, true)),
                    _ => (self.one_sided(a0, true), self.nodes(a1, b)),
                };
                rebuilt(a, (*p, *bit), (a0, a1), (zero, one))
            }
            (_, Node::Branch(q, bit, b0, b1))
                if prefix(key_of(a), *bit) == *q && bit_of(a) < *bit =>
            {
                let (zero, one) = match key_of(a) & bit {
                    0 => (self.nodes(a, b0), self.one_sided(b1, false)),
                    _ => (self.one_sided(b0, false), self.nodes(a, b1)),
                };
                rebuilt(b, (*q, *bit), (b0, b1), (zero, one))
            }
            _ => {
                let (x, y) = (self.one_sided(a, true), self.one_sided(b, false));
                match (x, y) {
                    (Some(x), Some(y)) => {
                        let (k, l) = (key_of(&x), key_of(&y));
                        Some(join(k, x, l, y))
                    }
                    (x, y) => x.or(y),
                }
            }
        }
    }
}

/// The bit that a node branches on; 0 for a leaf.
fn bit_of<V>(node: &Node<V>) -> u64 {
    match node {
        Node::Leaf(..) => 0,
        Node::Branch(_, bit, ..) => *bit,
    }
}

/// The node itself if its parts stayed the same.
fn rebuilt<V>(
    node: &Rc<Node<V>>,
    (p, bit): (u64, u64),
    (zero, one): (&Rc<Node<V>>, &Rc<Node<V>>),
    (new_zero, new_one): (Link<V>, Link<V>),
) -> Link<V> {
    match (&new_zero, &new_one) {
        (Some(z), Some(o)) if Rc::ptr_eq(z, zero) && Rc::ptr_eq(o, one) => Some(node.clone()),
        _ => branch(p, bit, new_zero, new_one),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn next(seed: &mut u64) -> u64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    fn key(seed: &mut u64) -> u64 {
        let number = next(seed) % 50;
        if next(seed).is_multiple_of(3) { number << 40 | 7 } else { number }
    }

    #[test]
    fn is_a_map() {
        let mut seed = 5;
        for _ in 0..200 {
            let (mut map, mut model) = (Map::default(), BTreeMap::new());
            for _ in 0..40 {
                let (key, value) = (key(&mut seed), next(&mut seed) % 4);
                if next(&mut seed).is_multiple_of(4) {
                    map.remove(key);
                    model.remove(&key);
                } else {
                    map.insert(key, value);
                    model.insert(key, value);
                }
            }
            assert_eq!(map.entries(), model.clone().into_iter().collect::<Vec<_>>());
            for key in 0..50 {
                assert_eq!(map.get(key), model.get(&key));
            }
        }
    }

    #[test]
    fn merges_like_maps_and_shares() {
        let mut seed = 11;
        for _ in 0..300 {
            let mut base = Map::default();
            for _ in 0..20 {
                base.insert(key(&mut seed), next(&mut seed) % 4);
            }
            let (mut a, mut b) = (base.clone(), base);
            for _ in 0..6 {
                a.insert(key(&mut seed), next(&mut seed) % 4);
                b.insert(key(&mut seed), next(&mut seed) % 4);
                b.remove(key(&mut seed));
            }
            let common = a.common(&b, &mut |_, x, y| Some(*x.max(y)));
            let merged = a.merged(
                &b,
                &mut |_, x, y| Some(*x.max(y)),
                &mut |_, x| (*x > 1).then_some(*x),
                &mut |_, y| (*y > 1).then_some(*y + 10),
            );
            for key in (0..50).flat_map(|k| [k, k << 40 | 7]) {
                let (x, y) = (a.get(key), b.get(key));
                let expected = x.zip(y).map(|(x, y)| *x.max(y));
                assert_eq!(common.get(key).copied(), expected);
                let expected = match (x, y) {
                    (Some(_), Some(_)) => expected,
                    (Some(x), None) => (*x > 1).then_some(*x),
                    (None, Some(y)) => (*y > 1).then_some(*y + 10),
                    (None, None) => None,
                };
                assert_eq!(merged.get(key).copied(), expected);
            }
            let holds = a.all_of(&b, &mut |_, x, y| x == Some(y));
            let model = b.entries().iter().all(|(k, v)| a.get(*k) == Some(v));
            assert_eq!(holds, model);
            assert!(a.common(&a, &mut |_, x, _| Some(*x)).is_same(&a));
        }
    }
}
