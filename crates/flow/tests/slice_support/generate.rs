//! Random C programs with one call of `reach_error`: branches, loops, calls, recursion, pointers,
//! arrays, structures, early returns, assumptions, `exit` and `abort`.
//!
//! `main` reads its inputs first and asks for nothing later, so that an input is a state to start
//! from, as in the paper.

use std::fmt::Write;

pub const INPUTS: usize = 3;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

struct Generator {
    rng: Rng,
    text: String,
    functions: usize,
    /// The function that is written; `functions` for `main`.
    present: usize,
    /// The function in which the error is reported, and whether that was written.
    target: usize,
    target_written: bool,
    loops: usize,
    locals: usize,
    depth: usize,
    with_loops: bool,
}

/// The text of a program.
pub fn program(seed: u64, with_loops: bool) -> String {
    let mut rng = Rng(seed);
    let functions = 1 + rng.below(4);
    let target = if rng.chance(50) { functions } else { rng.below(functions) };
    let mut generator = Generator {
        rng,
        text: String::new(),
        functions,
        present: 0,
        target,
        target_written: false,
        loops: 0,
        locals: 0,
        depth: 0,
        with_loops,
    };
    generator.program();
    generator.text
}

impl Generator {
    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn program(&mut self) {
        self.line("extern void reach_error(void);");
        self.line("extern int __VERIFIER_nondet_int(void);");
        self.line("extern void __VERIFIER_assume(int);");
        self.line("extern void exit(int);");
        self.line("extern void abort(void);");
        self.line("int in0, in1, in2, g0, g1 = 1, g2, arr[3];");
        self.line("struct pair { int a; int b; } s, t;");
        self.line("int *p = &g0, *q = &arr[1];");
        for function in 0..self.functions {
            self.line(&format!("int f{function}(int x, int *r);"));
        }
        for function in 0..=self.functions {
            self.present = function;
            self.loops = 0;
            self.locals = 0;
            let is_main = function == self.functions;
            self.line(&match is_main {
                true => "int main(void) {".to_owned(),
                false => format!("int f{function}(int x, int *r) {{"),
            });
            self.depth = 1;
            if is_main {
                self.line("int x = 0, *r = &g1;");
                for input in 0..INPUTS {
                    self.line(&format!("in{input} = __VERIFIER_nondet_int();"));
                }
            }
            self.line("int l0 = 0, l1 = x, l2 = 2;");
            let count = 2 + self.rng.below(4);
            self.statements(count, 3);
            if self.target == function && !self.target_written {
                self.error();
                let count = self.rng.below(2);
                self.statements(count, 1);
            }
            let value = self.value();
            self.line(&format!("return {value};"));
            self.depth = 0;
            self.line("}");
        }
    }

    fn error(&mut self) {
        self.target_written = true;
        let condition = match self.rng.chance(50) {
            true => format!("in{} < {}", self.rng.below(INPUTS), self.rng.below(4)),
            false => self.condition(),
        };
        self.line(&format!("if ({condition}) reach_error();"));
    }

    fn statements(&mut self, count: usize, nesting: usize) {
        for _ in 0..count {
            self.statement(nesting);
        }
    }

    fn block(&mut self, nesting: usize) {
        self.depth += 1;
        let count = 1 + self.rng.below(2);
        self.statements(count, nesting);
        self.depth -= 1;
    }

    fn statement(&mut self, nesting: usize) {
        let nested = nesting > 0;
        match self.rng.below(100) {
            0..40 => {
                let (place, value) = (self.place(), self.value());
                self.line(&format!("{place} = {value};"));
            }
            40..47 => {
                let which = if self.rng.chance(50) { "p" } else { "q" };
                let to = self.address();
                self.line(&format!("{which} = {to};"));
            }
            47..68 if nested => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(nesting - 1);
                if self.rng.chance(50) {
                    self.line("} else {");
                    self.block(nesting - 1);
                }
                self.line("}");
            }
            68..74 if nested && self.with_loops => self.repeat(nesting),
            74..86 => {
                // Mostly later functions, so that few programs recurse without an end.
                let callee = self.rng.below(self.functions);
                let argument = self.value();
                let to = self.argument();
                let recursive = callee <= self.present && self.present < self.functions;
                let guard = match recursive {
                    true if !self.with_loops => return,
                    true => "if (x > 0) ",
                    false => "",
                };
                let argument = if recursive { "x - 1".to_owned() } else { argument };
                let dst = match self.rng.chance(70) {
                    true => format!("{} = ", self.place()),
                    false => String::new(),
                };
                self.line(&format!("{guard}{dst}f{callee}({argument}, {to});"));
            }
            86..89 => {
                let (condition, value) = (self.condition(), self.value());
                self.line(&format!("if ({condition}) return {value};"));
            }
            89..92 => {
                let condition = self.condition();
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            92..94 => {
                let condition = self.condition();
                let end = if self.rng.chance(50) { "exit(0)" } else { "abort()" };
                self.line(&format!("if ({condition}) {end};"));
            }
            94..95 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) for (;;) ;"));
            }
            95..97 => self.line("s = t;"),
            _ if self.target == self.present && !self.target_written => self.error(),
            _ => {
                let (place, value) = (self.place(), self.value());
                self.line(&format!("{place} = {value};"));
            }
        }
    }

    fn repeat(&mut self, nesting: usize) {
        self.loops += 1;
        let (name, bound) = (format!("k{}", self.loops), 1 + self.rng.below(4));
        self.line(&format!("for (int {name} = 0; {name} < {bound}; {name}++) {{"));
        self.block(nesting - 1);
        if self.rng.chance(30) {
            let condition = self.condition();
            let how = if self.rng.chance(50) { "break" } else { "continue" };
            self.line(&format!("  if ({condition}) {how};"));
        }
        self.line("}");
    }

    fn place(&mut self) -> String {
        let index = self.value();
        match self.rng.below(16) {
            0..3 => format!("g{}", self.rng.below(3)),
            3..6 => format!("l{}", self.rng.below(3)),
            6 => format!("arr[{}]", self.rng.below(3)),
            7 => format!("arr[({index}) & 1]"),
            8 => "s.a".to_owned(),
            9 => "s.b".to_owned(),
            10 => "t.a".to_owned(),
            11 => "*p".to_owned(),
            12 => "*q".to_owned(),
            13 => "*r".to_owned(),
            14 => "x".to_owned(),
            _ => format!("in{}", self.rng.below(INPUTS)),
        }
    }

    fn value(&mut self) -> String {
        match self.rng.below(20) {
            0..6 => format!("{}", self.rng.below(4) as i64 - 1),
            6..9 => format!("in{}", self.rng.below(INPUTS)),
            9..11 => format!("l{}", self.rng.below(3)),
            11 => format!("g{}", self.rng.below(3)),
            12 => ["*p", "*q", "*r", "s.a", "s.b", "t.a"][self.rng.below(6)].to_owned(),
            13 => format!("arr[{}]", self.rng.below(3)),
            14 => {
                let a = self.value();
                format!("arr[({a}) & 1]")
            }
            15 if self.rng.chance(40) => {
                let (a, b) = (self.value(), self.value());
                format!("({a}) / ({b})")
            }
            _ => {
                let (a, b) = (self.value(), self.value());
                let op = ["+", "-", "*"][self.rng.below(3)];
                format!("({a} {op} {b})")
            }
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let op = ["==", "!=", "<", "<=", ">", ">="][self.rng.below(6)];
        match self.rng.below(8) {
            0 => "p == q".to_owned(),
            1 => {
                let (c, d) = (self.value(), self.value());
                format!("{a} {op} {b} && {c} != {d}")
            }
            _ => format!("{a} {op} {b}"),
        }
    }

    /// Of something that lives as long as the program; sometimes null.
    fn address(&mut self) -> String {
        match self.rng.below(20) {
            0..5 => format!("&g{}", self.rng.below(3)),
            5..8 => format!("&arr[{}]", self.rng.below(3)),
            8 => "&s.b".to_owned(),
            9 | 12..20 => "p".to_owned(),
            10 => "q".to_owned(),
            _ => "(int *)0".to_owned(),
        }
    }

    /// For a call: local variables too.
    fn argument(&mut self) -> String {
        match self.rng.below(3) {
            0 => format!("&l{}", self.rng.below(3)),
            1 => "r".to_owned(),
            _ => self.address(),
        }
    }
}
