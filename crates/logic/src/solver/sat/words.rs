//! Arithmetic on words of literals, lowest bit first: the operators of bit-vectors as circuits.
//!
//! Ripple-carry adders, multiplication by shifted sums, restoring division, barrel shifters: the
//! circuits that bit-blasting solvers use (Kroening and Strichman, Decision Procedures, 6.2). With
//! constants in an operand they fold to what is left of them.

use super::gates::{Gates, Lit};

/// The bits of a value, lowest first.
pub type Word = Vec<Lit>;

/// How many bits a number with sign has without further copies of its sign.
fn signed_bits(a: &[Lit]) -> usize {
    let Some((&sign, rest)) = a.split_last() else { return 0 };
    1 + rest.iter().rposition(|&bit| bit != sign).map_or(0, |highest| highest + 1)
}

/// How many bits a number has without zeros at its front.
fn unsigned_bits(a: &[Lit]) -> usize {
    a.iter().rposition(|&bit| bit != Lit::FALSE).map_or(0, |highest| highest + 1)
}

/// A number with more copies of its sign.
fn sign_extended(mut a: Word, width: usize) -> Word {
    let sign = a.last().copied().unwrap_or(Lit::FALSE);
    a.resize(width, sign);
    a
}

impl Gates {
    /// So many bits that can be anything.
    pub fn word_input(&mut self, width: u32) -> Word {
        (0..width).map(|_| self.input()).collect()
    }

    /// Whether two words are equal.
    pub fn word_eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut same = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            match self.iff(x, y) {
                Lit::FALSE => return Lit::FALSE,
                bit => same.push(bit),
            }
        }
        self.all(&same)
    }

    /// If, then, else, bit by bit.
    pub fn word_choose(&mut self, test: Lit, then: &[Lit], other: &[Lit]) -> Word {
        then.iter().zip(other).map(|(&x, &y)| self.choose(test, x, y)).collect()
    }

    /// Complement of each bit.
    pub fn word_not(a: &[Lit]) -> Word {
        a.iter().map(|&x| !x).collect()
    }

    /// The sum of two words and a carry, modulo 2^n.
    pub fn word_add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        sum
    }

    /// The difference of two words, modulo 2^n.
    pub fn word_sub(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.word_add(a, &Self::word_not(b), Lit::TRUE)
    }

    /// Two's complement negation.
    pub fn word_neg(&mut self, a: &[Lit]) -> Word {
        let zero = vec![Lit::FALSE; a.len()];
        self.word_sub(&zero, a)
    }

    fn negated_if(&mut self, test: Lit, a: &[Lit]) -> Word {
        let negated = self.word_neg(a);
        self.word_choose(test, &negated, a)
    }

    /// The product of two words, modulo 2^n. Of numbers that were extended by their sign, no more bits
    /// are multiplied than they had.
    pub fn word_mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let narrow = signed_bits(a) + signed_bits(b);
        if narrow < a.len() {
            let product = self.whole_product(&a[..narrow], &b[..narrow]);
            return sign_extended(product, a.len());
        }
        self.whole_product(a, b)
    }

    fn whole_product(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        // The bits of one factor choose what is added: best the one with more known bits.
        let unknown = |w: &[Lit]| w.iter().filter(|x| x.as_constant().is_none()).count();
        let (a, b) = if unknown(a) < unknown(b) { (b, a) } else { (a, b) };
        let ones = b.iter().filter(|&&x| x == Lit::TRUE).count();
        if unknown(b) == 0 && ones > b.len() / 2 + 1 {
            let less = self.word_neg(b);
            let product = self.whole_product(a, &less);
            return self.word_neg(&product);
        }
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        for (by, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let row: Word = a[..width - by].iter().map(|&x| self.and(x, bit)).collect();
            let high = self.word_add(&sum[by..], &row, Lit::FALSE);
            sum.truncate(by);
            sum.extend(high);
        }
        sum
    }

    /// Whether `a < b`, or `a <= b` where `or_equal` says so, unsigned.
    pub fn word_less(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let mut less = Lit::constant(or_equal);
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    /// The same with signs.
    pub fn word_less_signed(&mut self, a: &[Lit], b: &[Lit], or_equal: bool) -> Lit {
        let flipped = |w: &[Lit]| {
            let mut w = w.to_vec();
            if let Some(sign) = w.last_mut() {
                *sign = !*sign;
            }
            w
        };
        self.word_less(&flipped(a), &flipped(b), or_equal)
    }

    /// Quotient and remainder, unsigned; by zero: all ones, and the dividend.
    pub fn word_divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let narrow = unsigned_bits(a).max(unsigned_bits(b)).max(1);
        if narrow < width {
            let (mut quotient, mut rest) = self.word_divide(&a[..narrow], &b[..narrow]);
            let by_zero = !self.any(b);
            quotient.resize(width, by_zero);
            rest.resize(width, Lit::FALSE);
            return (quotient, rest);
        }
        let known: Vec<Option<bool>> = b.iter().map(|x| x.as_constant()).collect();
        if known.iter().all(Option::is_some) {
            let ones: Vec<usize> = (0..width).filter(|&i| b[i] == Lit::TRUE).collect();
            if let [by] = ones[..] {
                let mut quotient = a[by..].to_vec();
                quotient.resize(width, Lit::FALSE);
                let mut rest = a[..by].to_vec();
                rest.resize(width, Lit::FALSE);
                return (quotient, rest);
            }
        }
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest = vec![Lit::FALSE; width];
        // One bit more than the divisor, so that the shifted rest never overflows.
        let mut wide = b.to_vec();
        wide.push(Lit::FALSE);
        for position in (0..width).rev() {
            let mut shifted = Vec::with_capacity(width + 1);
            shifted.push(a[position]);
            shifted.extend_from_slice(&rest);
            let fits = self.word_less(&wide, &shifted, true);
            let reduced = self.word_sub(&shifted, &wide);
            quotient[position] = fits;
            rest = self.word_choose(fits, &reduced, &shifted);
            rest.truncate(width);
        }
        (quotient, rest)
    }

    /// Quotient and remainder with signs, cut towards zero.
    pub fn word_divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        // One bit more than the numbers have: the least divided by -1 fits.
        let narrow = signed_bits(a).max(signed_bits(b)) + 1;
        if narrow < a.len() {
            let (quotient, rest) = self.word_divide_signed(&a[..narrow], &b[..narrow]);
            return (sign_extended(quotient, a.len()), sign_extended(rest, a.len()));
        }
        let sign = |w: &[Lit]| w.last().copied().unwrap_or(Lit::FALSE);
        let (of_a, of_b) = (sign(a), sign(b));
        let (left, right) = (self.negated_if(of_a, a), self.negated_if(of_b, b));
        let (quotient, rest) = self.word_divide(&left, &right);
        let differ = self.xor(of_a, of_b);
        (self.negated_if(differ, &quotient), self.negated_if(of_a, &rest))
    }

    /// Shifted to the left by a word; zeros come in.
    pub fn word_shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Word {
        let mirrored: Word = a.iter().rev().copied().collect();
        let mut shifted = self.word_shift_right(&mirrored, by, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Shifted to the right by a word; copies of `fill` come in.
    pub fn word_shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut result = a.to_vec();
        let mut beyond = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = 1usize.checked_shl(stage as u32).filter(|&d| d < width && stage < 32);
            match distance {
                Some(distance) => {
                    result = (0..width)
                        .map(|i| {
                            let from = result.get(i + distance).copied().unwrap_or(fill);
                            self.choose(bit, from, result[i])
                        })
                        .collect();
                }
                None => beyond.push(bit),
            }
        }
        let beyond = self.any(&beyond);
        result.iter().map(|&x| self.choose(beyond, fill, x)).collect()
    }
}
