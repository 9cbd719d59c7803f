//! Deterministic mutations of C text.

/// A small generator (splitmix64); every input has its own, from the seed and its number.
pub struct Random(u64);

impl Random {
    /// The generator of input `number`.
    pub fn new(seed: u64, number: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound` (0 for an empty range).
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Words to put in: keywords, punctuators, and pieces that need context.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "(", ")", "[", "]", "{", "}", ";", ",", ":", "::", "?", ".", "->", "...", "=", "+=", "<<=",
    "+", "-", "*", "/", "%", "++", "--", "&", "&&", "|", "||", "^", "~", "!", "<<", "<", ">=",
    "==", "#", "\n#", "\\", "'", "\"", "@", "`", "\0", "\u{e9}", "/*", "*/", "//", "\n", "[[",
    "]]", "({", "})", "auto", "break", "case", "char", "const", "continue", "default", "do",
    "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "typedef", "union", "unsigned", "void", "volatile", "while", "_Alignas", "_Alignof",
    "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "constexpr", "typeof", "asm", "typeof_unqual", "_BitInt", "__int128",
    "_Float128", "__builtin_va_list", "__auto_type", "__attribute__((", "))", "__extension__",
    "__label__", "__real__", "_Pragma(\"pack(1)\")", "__builtin_va_arg(", "__builtin_offsetof(",
    "__builtin_types_compatible_p(", "__builtin_choose_expr(", "__builtin_convertvector(", "T",
    "x", "f", "S", "unknown", "0", "1", "0x1fUL", "1.5e3", "1e", "08", "0b", "'a'", "L'\\x'",
    "\"s\"", "u8\"\\u00e9\"", "R\"(", "L\"", "#pragma pack(push, 1)\n", "\n# 3 \"f.c\" 2\n",
    "typedef int T;", "\\u00e9", "\\U00110000",
];

/// A new text from one or two of the corpus.
pub fn mutate(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = random.pick(corpus).clone();
    let other = random.pick(corpus);
    let level = random.below(3);
    if level != 0 {
        text = mutate_tokens(&text, other, random);
    }
    if level != 1 {
        mutate_bytes(&mut text, other, random);
    }
    text
}

fn mutate_bytes(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let at = random.below(text.len() + 1);
        let len = random.below(20).min(text.len() - at);
        match random.below(7) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 if at < text.len() => text[at] = random.below(256) as u8,
            2 => drop(text.drain(at..at + len)),
            3 => {
                let copy = text[at..at + len].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, copy);
            }
            4 => {
                let from = random.below(other.len() + 1);
                let end = (from + random.below(200)).min(other.len());
                text.splice(at..at, other[from..end].iter().copied());
            }
            5 => text.truncate(at),
            _ => {
                let word = random.pick(WORDS);
                text.splice(at..at, word.bytes());
            }
        }
    }
}

/// Splits into names, numbers, blanks and single other bytes.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.chunk_by(|&a, &b| {
        (is_word(a) && is_word(b)) || (a.is_ascii_whitespace() && b.is_ascii_whitespace())
    })
    .collect()
}

fn mutate_tokens(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut tokens = tokens(text);
    let others = self::tokens(other);
    for _ in 0..1 + random.below(8) {
        let at = random.below(tokens.len() + 1);
        let len = random.below(8).min(tokens.len() - at);
        let word: &[u8] = random.pick(WORDS).as_bytes();
        match random.below(8) {
            0 => drop(tokens.drain(at..at + len)),
            1 if at < tokens.len() => tokens[at] = word,
            2 => tokens.splice(at..at, [b" ".as_slice(), word, b" "]).for_each(drop),
            3 if at < tokens.len() => {
                let to = random.below(tokens.len());
                tokens.swap(at, to);
            }
            4 => {
                let copy = tokens[at..at + len].to_vec();
                let to = random.below(tokens.len() + 1);
                tokens.splice(to..to, copy);
            }
            5 => {
                let from = random.below(others.len() + 1);
                let end = (from + random.below(40)).min(others.len());
                tokens.splice(at..at, others[from..end].iter().copied());
            }
            6 if random.below(20) == 0 => {
                // Deep or long repetition.
                let times = random.below(3000);
                let copy = if len == 0 { vec![word, b" "] } else { tokens[at..at + len].to_vec() };
                let repeated: Vec<&[u8]> =
                    copy.iter().copied().cycle().take(copy.len() * times).collect();
                tokens.splice(at..at, repeated);
            }
            _ if at < tokens.len() && !others.is_empty() => tokens[at] = *random.pick(&others),
            _ => {}
        }
    }
    tokens.concat()
}
