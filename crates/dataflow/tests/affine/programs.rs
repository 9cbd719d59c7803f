//! Random C programs for the tests of affine relations.

use std::fmt::Write;

/// A simple generator of numbers.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

/// `constant + Σ coefficient · variable`; variables are numbers in the scope of the function.
#[derive(Clone, Debug)]
pub struct Affine {
    pub constant: i64,
    pub terms: Vec<(usize, i64)>,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(usize, Affine),
    /// Any value.
    Input(usize),
    /// Something that is not affine, as C with `{}` for the variables.
    Other(usize, usize, usize, &'static str),
    If(Vec<Stmt>, Vec<Stmt>),
    While(Vec<Stmt>),
    /// `variable = function(argument)`.
    Call(usize, usize, Affine),
}

/// Globals 0 and 1; in functions 2 is the parameter, 3 and 4 are locals. The last function is `main`,
/// where the parameter is a local of value 0.
pub struct Generated {
    pub functions: Vec<(Vec<Stmt>, Affine)>,
    /// The types of the five variables.
    pub types: [&'static str; 5],
}

/// The number of variables in a function.
pub const VARIABLES: usize = 5;

#[derive(Clone, Copy)]
pub struct Shape {
    pub loops: bool,
    pub others: bool,
    pub recursion: bool,
}

const OTHERS: [&str; 5] = [
    "{} = {} * {};",
    "{} = {} / 3 + {};",
    "{} = {} & {};",
    "{} = {} > {};",
    "{} = ({} << 3) ^ {};",
];

fn affine(random: &mut Random) -> Affine {
    let numbers = [0, 1, 1, 2, -1, 3, 5, 16, 255];
    let number = |random: &mut Random| numbers[random.below(9) as usize];
    let constant = number(random);
    let terms = (0..random.below(3))
        .map(|_| (random.below(VARIABLES as u64) as usize, number(random)))
        .collect();
    Affine { constant, terms }
}

fn statements(random: &mut Random, shape: Shape, own: usize, depth: u32) -> Vec<Stmt> {
    let count = 1 + random.below(4);
    (0..count)
        .map(|_| {
            let target = random.below(VARIABLES as u64) as usize;
            let choice = random.below(12);
            match choice {
                0 if depth > 0 => Stmt::If(
                    statements(random, shape, own, depth - 1),
                    statements(random, shape, own, depth - 1),
                ),
                1 if depth > 0 && shape.loops => {
                    Stmt::While(statements(random, shape, own, depth - 1))
                }
                2 => Stmt::Input(target),
                3 | 4 if shape.others => {
                    let other = OTHERS[random.below(5) as usize];
                    let a = random.below(VARIABLES as u64) as usize;
                    Stmt::Other(target, a, random.below(VARIABLES as u64) as usize, other)
                }
                5 | 6 if own > 0 => {
                    let callee = random.below(own as u64) as usize;
                    Stmt::Call(target, callee, affine(random))
                }
                7 if depth > 0 && shape.recursion => {
                    let call = Stmt::Call(target, own, affine(random));
                    Stmt::If(vec![call], Vec::new())
                }
                _ => Stmt::Assign(target, affine(random)),
            }
        })
        .collect()
}

/// A random program.
pub fn generate(seed: u64, shape: Shape, types: [&'static str; 5]) -> Generated {
    let mut random = Random::new(seed);
    let count = 1 + random.below(3) as usize;
    let functions = (0..count)
        .map(|i| {
            // Recursion of main is left out.
            let shape = Shape { recursion: shape.recursion && i + 1 < count, ..shape };
            (statements(&mut random, shape, i, 2), affine(&mut random))
        })
        .collect();
    Generated { functions, types }
}

const NAMES: [&str; VARIABLES] = ["g0", "g1", "p", "a", "b"];

impl Generated {
    /// The program as C.
    pub fn text(&self) -> String {
        let mut text = "extern int __VERIFIER_nondet_int(void);\n".to_owned();
        let _ = writeln!(text, "{} g0;\n{} g1 = 3;", self.types[0], self.types[1]);
        let last = self.functions.len() - 1;
        for (i, (body, result)) in self.functions.iter().enumerate() {
            let [_, _, p, a, b] = self.types;
            if i == last {
                let _ = writeln!(text, "int main(void) {{\n{p} p = 0;");
            } else {
                let _ = writeln!(text, "{p} f{i}({p} p) {{");
            }
            let _ = writeln!(text, "{a} a = 1; {b} b = 2;");
            print(body, &mut text);
            let _ = writeln!(text, "return {};\n}}", expression(result));
        }
        text
    }
}

fn expression(affine: &Affine) -> String {
    let mut text = affine.constant.to_string();
    for (variable, coefficient) in &affine.terms {
        let _ = write!(text, " + ({coefficient}) * {}", NAMES[*variable]);
    }
    text
}

fn print(statements: &[Stmt], text: &mut String) {
    for statement in statements {
        let _ = match statement {
            Stmt::Assign(v, e) => writeln!(text, "{} = {};", NAMES[*v], expression(e)),
            Stmt::Input(v) => writeln!(text, "{} = __VERIFIER_nondet_int();", NAMES[*v]),
            Stmt::Other(v, a, b, form) => {
                let filled = form.replacen("{}", NAMES[*v], 1);
                let filled = filled.replacen("{}", NAMES[*a], 1).replacen("{}", NAMES[*b], 1);
                writeln!(text, "{filled}")
            }
            Stmt::If(yes, no) => {
                text.push_str("if (__VERIFIER_nondet_int() & 1) {\n");
                print(yes, text);
                text.push_str("} else {\n");
                print(no, text);
                writeln!(text, "}}")
            }
            Stmt::While(body) => {
                text.push_str("while (__VERIFIER_nondet_int() & 1) {\n");
                print(body, text);
                writeln!(text, "}}")
            }
            Stmt::Call(v, callee, argument) => {
                writeln!(text, "{} = f{callee}({});", NAMES[*v], expression(argument))
            }
        };
    }
}
