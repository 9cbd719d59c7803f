//! Sets of small numbers as bits.

/// A set of numbers. Only the words between the first and the last member are stored: sets of
/// edges that lie between two locations are short stretches of the numbers of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    first_word: usize,
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a number; whether it was not there.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        if self.words.is_empty() {
            self.first_word = word;
        }
        if word < self.first_word {
            let missing = self.first_word - word;
            self.words.splice(0..0, std::iter::repeat_n(0, missing));
            self.first_word = word;
        }
        let at = word - self.first_word;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        new
    }

    /// Whether the number is in the set.
    pub fn contains(&self, number: u32) -> bool {
        let word = (number as usize / 64).checked_sub(self.first_word);
        let word = word.and_then(|at| self.words.get(at));
        word.is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(move |(at, &word)| {
            let base = ((self.first_word + at) * 64) as u32;
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| base + rest.trailing_zeros())
        })
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Self {
        let mut set = Self::new();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn members_are_those_inserted() {
        let mut set: BitSet = [700, 3, 64, 127].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 127, 700]);
        assert!(!set.insert(64) && set.contains(700) && !set.contains(65) && !set.contains(9999));
    }
}
