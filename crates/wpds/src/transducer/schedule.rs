//! Who runs when: execution contexts arranged in rounds.

/// A sequence of execution contexts. In each round every thread runs at most once, in the order of
/// their numbers; a context may be empty, so a schedule covers all those that leave contexts out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    threads: usize,
    /// Whether each thread runs, for each round.
    rounds: Vec<Vec<bool>>,
}

impl Schedule {
    /// Every thread runs once in each round (LAL 7.1): `rounds` contexts for each thread.
    pub fn round_robin(threads: usize, rounds: usize) -> Self {
        Self { threads, rounds: vec![vec![true; threads]; rounds] }
    }

    /// The contexts of the given threads, one after the other, in as few rounds as possible. Numbers
    /// that are no thread's are left out.
    pub fn sequence(threads: usize, contexts: &[usize]) -> Self {
        let mut schedule = Self { threads, rounds: Vec::new() };
        let mut next = threads;
        for &thread in contexts.iter().filter(|&&thread| thread < threads) {
            if thread < next {
                schedule.rounds.push(vec![false; threads]);
            }
            if let Some(round) = schedule.rounds.last_mut() {
                round[thread] = true;
            }
            next = thread + 1;
        }
        schedule
    }

    /// All sequences of `switches + 1` contexts in which neighbours are different threads: together
    /// they are what can happen with so many context switches (LAL 6.1).
    pub fn with_switches(threads: usize, switches: usize) -> Vec<Self> {
        let mut sequences: Vec<Vec<usize>> = (0..threads).map(|thread| vec![thread]).collect();
        for _ in 0..switches {
            let longer = |sequence: Vec<usize>| {
                let last = sequence.last().copied();
                (0..threads).filter(move |&thread| Some(thread) != last).map(move |thread| {
                    let mut longer = sequence.clone();
                    longer.push(thread);
                    longer
                })
            };
            sequences = match threads {
                1 => sequences,
                _ => sequences.into_iter().flat_map(longer).collect(),
            };
        }
        sequences.iter().map(|contexts| Self::sequence(threads, contexts)).collect()
    }

    /// How many threads it is for.
    pub fn thread_count(&self) -> usize {
        self.threads
    }

    /// How many rounds there are.
    pub fn round_count(&self) -> usize {
        self.rounds.len()
    }

    /// The rounds in which a thread runs.
    pub fn rounds_of(&self, thread: usize) -> Vec<usize> {
        let runs = |round: &Vec<bool>| round.get(thread).copied().unwrap_or(false);
        (0..self.rounds.len()).filter(|&round| runs(&self.rounds[round])).collect()
    }

    /// The threads in the order in which they run.
    pub fn contexts(&self) -> Vec<usize> {
        let runs = |round: &Vec<bool>| {
            let round = round.clone();
            (0..self.threads).filter(move |&thread| round[thread])
        };
        self.rounds.iter().flat_map(runs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_packed_into_rounds() {
        let schedule = Schedule::sequence(3, &[0, 2, 1, 2, 0]);
        assert_eq!(schedule.round_count(), 3);
        assert_eq!(schedule.contexts(), [0, 2, 1, 2, 0]);
        assert_eq!(schedule.rounds_of(2), [0, 1]);
        assert_eq!(Schedule::round_robin(2, 2), Schedule::sequence(2, &[0, 1, 0, 1]));
        assert_eq!(Schedule::with_switches(2, 3).len(), 2);
        assert_eq!(Schedule::with_switches(3, 2).len(), 12);
        assert_eq!(Schedule::with_switches(1, 2).len(), 1);
    }
}
