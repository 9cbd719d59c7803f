//! States that differ in which of several symmetric threads is where.
//!
//! Of such states one is gone on from: the one in which the threads of each class are in the order of
//! the contents of their variables. Threads that were not made yet stay where they are, because
//! who makes them names them. The order need not be the only one that there is: where two states are
//! not recognised as the same, both are gone on from.

use gnomon_ir::interp::{Calls, Rest};

use crate::symmetric::{Cell, Class, Symmetric, number};

/// What says where in its class a thread belongs.
type Key = Vec<u8>;

/// Bytes for numbers of threads in a [`Key`], which are larger than those of threads that are not
/// exchanged.
const OWN: u8 = 0xfe;
const ANOTHER: u8 = 0xfd;

impl Symmetric {
    /// Puts symmetric threads and were made in order. Gives for each thread which one stood in
    /// its place before.
    pub(crate) fn put_in_order(
        &self,
        calls: &Calls<'_>,
        rest: &mut Rest,
        threads: usize,
        made: impl Fn(&Rest, usize) -> bool,
    ) -> Vec<usize> {
        let mut before: Vec<usize> = (0..threads).collect();
        for class in &self.classes {
            let going: Vec<usize> =
                (0..class.members.len()).filter(|&m| made(rest, class.members[m])).collect();
            let mut order: Vec<(Key, usize)> =
                going.iter().map(|&m| (self.key(calls, rest, class, m), m)).collect();
            order.sort();
            // `holds[i]`: the member whose contents are in the i-th place now.
            let mut holds = going.clone();
            for place in 0..going.len() {
                let wanted = order[place].1;
                let Some(at) = holds.iter().position(|&member| member == wanted) else { continue };
                if at != place {
                    for (&one, &other) in
                        class.vars[going[place]].iter().zip(&class.vars[going[at]])
                    {
                        calls.exchange(rest, one, other);
                    }
                    holds.swap(place, at);
                }
            }
            for (&place, &held) in going.iter().zip(&holds) {
                before[class.members[place]] = class.members[held];
            }
        }
        if before.iter().enumerate().any(|(place, &held)| place != held) {
            self.rename(calls, rest, &before);
        }
        before
    }

    /// Which of the threads need not be run because another one that is run could change places with
    /// it and nobody would notice.
    pub(crate) fn needless(&self, calls: &Calls<'_>, rest: &Rest, going: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for class in &self.classes {
            let mut keys: Vec<Key> = Vec::new();
            for (position, &member) in class.members.iter().enumerate() {
                let mentioned = || {
                    self.cells.iter().any(|cell| {
                        !class.vars[position].contains(&cell.var)
                            && read(calls, rest, cell) == Some(number(member))
                    })
                };
                if !going.contains(&member) || mentioned() {
                    continue;
                }
                let key = self.key(calls, rest, class, position);
                // Whose key names another thread is different from others with the same key.
                match keys.contains(&key) && !self.names_another(calls, rest, class, position) {
                    true => found.push(member),
                    false => keys.push(key),
                }
            }
        }
        found
    }

    fn names_another(&self, calls: &Calls<'_>, rest: &Rest, class: &Class, member: usize) -> bool {
        let own = number(class.members[member]);
        let others = |value: i128| value != own && self.is_exchanged(value);
        let cells = self.cells.iter().filter(|cell| class.vars[member].contains(&cell.var));
        let mut values = cells.filter_map(|cell| read(calls, rest, cell));
        values.any(others)
    }

    fn is_exchanged(&self, value: i128) -> bool {
        self.classes.iter().any(|class| class.members.iter().any(|&m| number(m) == value))
    }

    /// The contents of the variables of a member, and where else its number is.
    fn key(&self, calls: &Calls<'_>, rest: &Rest, class: &Class, member: usize) -> Key {
        let own = number(class.members[member]);
        let mut key = Key::new();
        for &var in &class.vars[member] {
            let Some(mut contents) = calls.contents_of(rest, var) else { continue };
            for cell in self.cells.iter().filter(|cell| cell.var == var) {
                let Some(value) = read(calls, rest, cell) else { continue };
                let name = match value == own {
                    true => OWN,
                    false if self.is_exchanged(value) => ANOTHER,
                    false => continue,
                };
                let (from, to) = (cell.offset as usize, (cell.offset + cell.size) as usize);
                if let Some(bytes) = contents.get_mut(from..to) {
                    bytes.fill(name);
                }
            }
            key.extend(contents);
        }
        let elsewhere = self.cells.iter().filter(|cell| !class.vars[member].contains(&cell.var));
        key.extend(elsewhere.map(|cell| u8::from(read(calls, rest, cell) == Some(own))));
        key
    }

    /// Numbers of threads follow the threads.
    fn rename(&self, calls: &Calls<'_>, rest: &mut Rest, before: &[usize]) {
        let now = |value: i128| {
            let place = before.iter().position(|&held| number(held) == value)?;
            (number(place) != value).then(|| number(place))
        };
        for cell in &self.cells {
            let Some(new) = read(calls, rest, cell).and_then(now) else { continue };
            let bytes = new.to_le_bytes();
            let bytes = &bytes[..(cell.size as usize).min(bytes.len())];
            calls.overwrite(rest, cell.var, cell.offset as usize, bytes);
        }
    }
}

/// The number in a cell of a static variable.
fn read(calls: &Calls<'_>, rest: &Rest, cell: &Cell) -> Option<i128> {
    let bytes = calls.variable(rest, cell.var)?;
    let bytes = bytes.get(cell.offset as usize..(cell.offset + cell.size) as usize)?;
    let mut value = 0i128;
    for (position, &byte) in bytes.iter().enumerate() {
        value |= i128::from(byte) << (8 * position);
    }
    Some(value)
}
