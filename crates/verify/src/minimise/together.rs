//! Several numbers at once, where none can become smaller for itself: `high - low` is the same if both are smaller by
//! the same amount, `a == 3 * b` if both are a part of what they were, `low + high` if one gets what the other loses.

use super::{SMALL, Search};

/// So many numbers are taken in pairs.
const MOST_IN_PAIRS: usize = 8;

impl Search<'_> {
    /// Moves of all large numbers, and of pairs of them.
    pub(super) fn together(&mut self) {
        let large = self.positions(|number| {
            number.whole().is_some_and(|value| value.unsigned_abs() > SMALL.unsigned_abs())
        });
        if large.len() < 2 {
            return;
        }
        self.shift(&large);
        self.scale(&large);
        let few = &large[..large.len().min(MOST_IN_PAIRS)];
        for (number, &one) in few.iter().enumerate() {
            for &another in &few[number + 1..] {
                if self.steps_left == 0 {
                    return;
                }
                if large.len() > 2 {
                    self.shift(&[one, another]);
                    self.scale(&[one, another]);
                }
                if !self.pass_on(one, another) {
                    self.pass_on(another, one);
                }
            }
        }
    }

    /// The numbers at some positions, while all of them are there and whole.
    fn values_at(&self, positions: &[usize]) -> Option<Vec<i128>> {
        positions.iter().map(|&at| self.whole_at(at)).collect()
    }

    fn put_values(&mut self, positions: &[usize], values: impl Iterator<Item = i128>) -> bool {
        let numbers: Vec<(usize, i128)> = positions.iter().copied().zip(values).collect();
        self.put_each(&numbers)
    }

    /// All of them less by the same amount: so that the one next to zero is one of the smallest, or else as far
    /// as it goes, in halves.
    fn shift(&mut self, positions: &[usize]) {
        let Some(values) = self.values_at(positions) else { return };
        let Some(&nearest) = values.iter().min_by_key(|value| value.unsigned_abs()) else { return };
        for small in [0, 1, -1, 2] {
            if self.shift_by(positions, nearest - small) {
                return;
            }
        }
        let mut amount = nearest / 2;
        while amount != 0 && self.steps_left > 0 {
            // What is left after the last one is at least as large.
            if !self.shift_by(positions, amount) {
                amount /= 2;
            }
        }
    }

    /// Sums that wrap around go on doing so.
    fn shift_by(&mut self, positions: &[usize], amount: i128) -> bool {
        let less = |&at: &usize| {
            let number = self.best.inputs.get(at)?.number()?;
            Some((at, number.wrapping(number.whole()?.checked_sub(amount)?)?))
        };
        let numbers: Option<Vec<(usize, i128)>> = positions.iter().map(less).collect();
        numbers.is_some_and(|numbers| self.put_each(&numbers))
    }

    /// All of them in the same proportion, the smallest multiple that does it, as far as halving finds it.
    fn scale(&mut self, positions: &[usize]) {
        let Some(values) = self.values_at(positions) else { return };
        let divisor =
            values.iter().fold(0, |common, &value| greatest(common, value.unsigned_abs()));
        let Ok(divisor) = i128::try_from(divisor) else { return };
        if divisor <= 1 {
            return;
        }
        let parts: Vec<i128> = values.iter().map(|value| value / divisor).collect();
        let times = |factor: i128| parts.clone().into_iter().map(move |part| part * factor);
        if (1..=SMALL.min(divisor - 1)).any(|factor| self.put_values(positions, times(factor))) {
            return;
        }
        let (mut least, mut most) = (SMALL, divisor);
        while most - least > 1 && self.steps_left > 0 {
            let middle = least + (most - least) / 2;
            match self.put_values(positions, times(middle)) {
                true => most = middle,
                false => least = middle,
            }
        }
    }

    /// One becomes small, and another one as much larger.
    fn pass_on(&mut self, from: usize, to: usize) -> bool {
        let (Some(less), Some(more)) = (self.whole_at(from), self.whole_at(to)) else {
            return false;
        };
        [0, 1, 2].into_iter().any(|small| {
            less != small
                && self.put_each(&[(from, small), (to, more.saturating_add(less - small))])
        })
    }
}

/// The greatest common divisor.
fn greatest(mut one: u128, mut another: u128) -> u128 {
    while another != 0 {
        (one, another) = (another, one % another);
    }
    one
}
