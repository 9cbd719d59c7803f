//! A fuzz loop for the readers: no input may make them panic, hang, or print back as something
//! else.
//!
//! ```text
//! cargo run --release -p gnomon-boolprog --example fuzz -- SECONDS [SEED [FILES...]]
//! ```
//!
//! Inputs are mutations of generated programs and of the given files, token soup, deep nesting and
//! bytes. Each is read in all three dialects; what parses must print to a text that parses to the
//! same canonical text. A panic ends the loop with the input on the error stream.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gnomon_boolprog::bp;
use gnomon_boolprog::generate::{self, Shape};
use gnomon_boolprog::random::Random;
use gnomon_boolprog::read::{Dialect, ReadOptions, canonical, read};
use gnomon_boolprog::source::Source;

const TOKENS: &[&str] = &[
    "decl",
    "void",
    "bool",
    "<",
    ">",
    "2",
    "main",
    "(",
    ")",
    "begin",
    "end",
    "if",
    "then",
    "else",
    "elsif",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "return",
    "assert",
    "assume",
    "constrain",
    "skip",
    "dead",
    "print",
    "schoose",
    "[",
    "]",
    "start_thread",
    "sync",
    "a",
    "b",
    ":=",
    ",",
    ";",
    ":",
    "*",
    "'a",
    "!",
    "=",
    "&",
    "|",
    "^",
    "=>",
    "?",
    "{x==0}",
    "_",
    "T",
    "0",
    "1",
    "L",
    "enforce",
    "abortif",
    "module",
    "int",
    "enum",
    "struct",
    "{",
    "}",
    "::",
    "->",
    "define",
    "N",
    "init",
    "shared",
    "undef",
    "fork",
    "break",
    "A",
    "i",
    "+",
    "-",
    "/",
    "==",
    "q",
    "PDA",
    "\n",
    "\"x\"",
    "/*",
    "//",
    "*/",
    "4294967296",
    "999",
    "é",
    "\u{0}",
];

const REMOPLA: &str = "define N 3\nbool b; int x(2), a[2](3); enum e {r, g} c;\nstruct s { bool f; int v(2); } t;\nshared int z(2);\ninit main;\nmodule int(2) f(int y(2), bool p) { int l(2); if :: p -> return y; :: else -> skip; fi; return l + 1; }\nmodule void main() { x = f(1, b), z = 2; do :: x < N -> x = x + 1, b = !b; :: else -> break; od; A i (0,1) a[i] = 0; t.v = undef; goto err; err: skip; }\n";

fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len().max(1));
        match random.below(5) {
            0 if !bytes.is_empty() => {
                bytes.remove(at.min(bytes.len() - 1));
            }
            1 => bytes.insert(at.min(bytes.len()), (random.next_u64() & 0xff) as u8),
            2 => {
                let token = TOKENS[random.below(TOKENS.len())];
                let at = at.min(bytes.len());
                bytes.splice(at..at, format!(" {token} ").into_bytes());
            }
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at.min(end)..end].to_vec();
                let to = random.below(bytes.len().max(1)).min(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => bytes.truncate(at + random.below(200)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn soup(random: &mut Random) -> String {
    let count = random.below(120);
    let pick = |r: &mut Random| TOKENS[r.below(TOKENS.len())];
    (0..count).map(|_| pick(random)).collect::<Vec<_>>().join(" ")
}

fn deep(random: &mut Random) -> String {
    let n = random.below(5_000);
    let body = match random.below(5) {
        0 => format!("x := {}x{};", "(".repeat(n), ")".repeat(n)),
        1 => format!("x := {}x;", "!".repeat(n)),
        2 => format!("x := x{};", " | x".repeat(n)),
        3 => format!("{} skip; {}", "if (x) then ".repeat(n), "fi ".repeat(n)),
        _ => format!("x := {}x;", "x => ".repeat(n)),
    };
    format!("decl x; void main() begin {body} end")
}

fn examine(text: &str) {
    for dialect in [Dialect::BooleanProgram, Dialect::Remopla, Dialect::Pushdown] {
        let source = Source::new("fuzz", text);
        let result = read(&source, dialect, &ReadOptions::default());
        let _ = result.messages.render(&source);
        if let Ok(printed) = canonical(&source, dialect) {
            let again = canonical(&Source::new("printed", printed.clone()), dialect);
            assert_eq!(again.ok(), Some(printed), "the printed form reads differently");
        }
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: u64| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(usual);
    let (seconds, seed) = (number(10), number(1));
    let files: Vec<String> = arguments
        .filter_map(|f| std::fs::read(f).ok())
        .map(|b| String::from_utf8_lossy(&b).into_owned())
        .collect();
    let mut random = Random::new(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut runs = 0_u64;
    while Instant::now() < end {
        let text = match random.below(8) {
            0 => soup(&mut random),
            1 if runs.is_multiple_of(8) => deep(&mut random),
            2 => mutate(REMOPLA, &mut random),
            3 if !files.is_empty() => mutate(&files[random.below(files.len())], &mut random),
            4 => {
                let bytes: Vec<u8> =
                    (0..random.below(2_000)).map(|_| (random.next_u64() & 0xff) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => {
                let program = generate::program(random.next_u64(), Shape::default());
                mutate(&bp::print::program(&program), &mut random)
            }
        };
        if catch_unwind(AssertUnwindSafe(|| examine(&text))).is_err() {
            eprintln!("panic after {runs} inputs, seed {seed}, on this input:\n{text}");
            return ExitCode::FAILURE;
        }
        runs += 1;
    }
    println!("{runs} inputs in {seconds} s, no panic");
    ExitCode::SUCCESS
}
