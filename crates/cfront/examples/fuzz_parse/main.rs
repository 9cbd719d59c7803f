//! Fuzzes the front end with mutated C text, at the level of bytes and of tokens: parser, lowering
//! and linking.
//!
//! `cargo run --release -p gnomon-cfront --example fuzz_parse -- [--seconds=600] [--seed=1]
//! [--only=N] [CORPUS...]`
//!
//! Starts from the seeds below and from the files or directories given as corpus. Input number `n`
//! depends on the seed, `n` and the corpus alone, so a failure is repeated with `--only=n`. An
//! input fails if parsing, rendering the messages or showing the tree panics or takes longer than
//! ten seconds, if a span is not exact or not inside that of its parent, or if there are error
//! nodes without an error. A text without syntax errors is lowered too, for either machine, and
//! linked with itself now and then; a complete program must be well-formed, and its text form must
//! be read back. With `--seconds=0` the corpus itself is checked, unchanged. The failing input is written to `fuzz-failure.i`, and the exit code is 1.

mod invariants;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::token::{Dialect, Standard};
use gnomon_cfront::translate::translate;
use gnomon_cfront::{diag, diag::Severity, dump};
use gnomon_ir::types::Target;
use gnomon_ir::{text, validate::validate};

use mutate::{Random, mutate};

/// Between them they use every construct of the grammar.
const SEEDS: &[&str] = &[
    "typedef int T; T *(*f[3])(T, char c, ...); int x = (T)-1 + sizeof(T) * sizeof x;",
    "struct S { unsigned a : 3, : 0; union { int u; }; struct S *p; int f[]; } s = { .a = 1, [0 ... 2] = 3 };",
    "enum E : int { A, B = A + 2 }; int f(a, b) int a; char *b; { return a ? b[0] : A ?: 1; }",
    "void f(int n) { int a[n][*]; for (int i = 0; i < n; i++) { if (i) continue; else break; } while (n--) ; do n++; while (n < 3); }",
    "int g(int x) { switch (x) { case 1: case 2 ... 5: x++; __attribute__((fallthrough)); default: goto l; } l: return ({ int y = x; y; }); }",
    "int h(void *p) { __label__ a; asm volatile(\"x %0\" : \"=r\"(p) : [i] \"r\"(1) : \"memory\"); goto *p; a: p = &&a; }",
    "_Static_assert(1, \"a\" L\"b\"); int y = _Generic(1, int: 2, default: 3) + __builtin_offsetof(struct S, a.b[1]);",
    "__attribute__((packed, aligned(8))) int z asm(\"q\"); [[gnu::unused]] _Atomic(int) w; typeof(z) v; __auto_type u = 1;",
    "#pragma pack(push, 1)\nstruct P { char c; };\n# 12 \"file.c\" 1 3\nint k = 0x1fULL + 1.5e3f + 'a' + L'b'; char *t = \"\\x41\\n\" u8\"z\";\n",
    "int m(__builtin_va_list l) { return __builtin_va_arg(l, int) + (int){1} + __builtin_choose_expr(1, 2, 3); } void n(void) { int q(int r) { return r; } }",
    "auto a = 1; constexpr bool b = true; void *c = nullptr; alignas(8) thread_local int d; unsigned _BitInt(7) e;",
];

struct Settings {
    seconds: u64,
    seed: u64,
    only: Option<u64>,
    corpus: Vec<Vec<u8>>,
}

fn read_corpus(path: &Path, into: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
        entries.sort();
        entries.iter().try_for_each(|entry| read_corpus(entry, into))
    } else {
        let text = std::fs::read(path)?;
        into.push(text);
        Ok(())
    }
}

fn settings() -> Result<Settings, Box<dyn std::error::Error>> {
    let mut settings = Settings {
        seconds: 600,
        seed: 1,
        only: None,
        corpus: SEEDS.iter().map(|s| s.as_bytes().to_vec()).collect(),
    };
    for arg in std::env::args().skip(1) {
        if let Some(value) = arg.strip_prefix("--seconds=") {
            settings.seconds = value.parse()?;
        } else if let Some(value) = arg.strip_prefix("--seed=") {
            settings.seed = value.parse()?;
        } else if let Some(value) = arg.strip_prefix("--only=") {
            settings.only = Some(value.parse()?);
        } else {
            read_corpus(Path::new(&arg), &mut settings.corpus)?;
        }
    }
    // Large files would only slow the search down.
    if settings.seconds > 0 {
        settings.corpus.retain(|text| text.len() <= 20_000);
    }
    Ok(settings)
}

/// What is wrong with the parser's answer to `text`, if anything.
fn check(text: &[u8], random: &mut Random) -> Result<bool, String> {
    let source = SourceBuffer::new("fuzz.i", text.to_vec()).map_err(|e| e.to_string())?;
    let standard = if random.below(4) == 0 { Standard::C23 } else { Standard::C17 };
    let dialect = Dialect { standard, gnu: random.below(8) != 0 };
    let parsed = parse(&source, &ParseOptions { dialect, ..ParseOptions::default() });
    for diagnostic in &parsed.diagnostics {
        let span = diagnostic.span;
        if span.lo > span.hi || span.hi as usize > text.len() {
            return Err(format!("span {span:?} of a text of {} bytes", text.len()));
        }
    }
    let messages = diag::render_all(&parsed.diagnostics, &source);
    let shown = dump::dump(&parsed.ast, &parsed.interner);
    if parsed.has_errors() == messages.is_empty() {
        return Err("errors without messages".to_owned());
    }
    if !parsed.has_errors() {
        invariants::check(&parsed.ast, text)?;
    }
    // Strings are shown in quotes; a lone `<error>` is an error node.
    if !parsed.has_errors() && !text.contains(&b'<') && shown.contains("<error>") {
        return Err("error nodes without an error".to_owned());
    }
    if !parsed.has_errors() {
        let options = ParseOptions { dialect, ..ParseOptions::default() };
        check_lowering(source, &options, random)?;
    }
    Ok(parsed.has_errors())
}

/// What is wrong with the program that a text without syntax errors gives, if anything.
fn check_lowering(
    source: SourceBuffer,
    options: &ParseOptions,
    random: &mut Random,
) -> Result<(), String> {
    let target = if random.below(2) == 0 { Target::Lp64 } else { Target::Ilp32 };
    let mut sources = vec![source];
    if random.below(8) == 0 {
        let text = sources[0].text().to_vec();
        sources.push(SourceBuffer::new("again.i", text).map_err(|e| e.to_string())?);
    }
    let translation = translate(sources, target, options);
    let messages = translation.render(Severity::Error);
    if translation.is_complete() != messages.is_empty() {
        return Err("an incomplete program without messages".to_owned());
    }
    if !translation.is_complete() {
        return Ok(());
    }
    if let Some(defect) = validate(&translation.program).first() {
        return Err(format!("not well-formed: {defect}"));
    }
    let printed = text::print(&translation.program);
    let read = text::parse(&printed).map_err(|e| format!("the text form is not read: {e}"))?;
    if text::print(&read) != printed {
        return Err("the text form is not stable".to_owned());
    }
    Ok(())
}

/// Runs one input; what went wrong, or whether the text had errors.
fn run(text: &[u8], random: &mut Random) -> Result<bool, String> {
    match catch_unwind(AssertUnwindSafe(|| check(text, random))) {
        Ok(result) => result,
        Err(_) => Err("panic".to_owned()),
    }
}

/// Ends the process when one input takes too long.
fn watch(current: Arc<Mutex<(Instant, Vec<u8>)>>, number: Arc<AtomicU64>) {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let Ok(guard) = current.lock() else { return };
        if guard.0.elapsed() > Duration::from_secs(10) {
            report(number.load(Ordering::Relaxed), "hang", &guard.1);
            std::process::exit(1);
        }
    }
}

fn report(number: u64, problem: &str, text: &[u8]) {
    println!("input {number}: {problem}");
    match std::fs::write("fuzz-failure.i", text) {
        Ok(()) => println!("the input is in fuzz-failure.i"),
        Err(error) => println!("the input could not be written: {error}"),
    }
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(settings) => settings,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let number = Arc::new(AtomicU64::new(0));
    let current = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    std::thread::spawn({
        let (current, number) = (current.clone(), number.clone());
        move || watch(current, number)
    });

    if settings.seconds == 0 {
        for (n, text) in settings.corpus.iter().enumerate() {
            if let Err(problem) = run(text, &mut Random::new(settings.seed, 0)) {
                report(n as u64, &problem, text);
                return ExitCode::FAILURE;
            }
        }
        println!("{} files of the corpus checked", settings.corpus.len());
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let (mut bytes, mut accepted, mut slowest) = (0u64, 0u64, Duration::ZERO);
    let first = settings.only.unwrap_or(0);
    let mut n = first;
    while start.elapsed().as_secs() < settings.seconds {
        let mut random = Random::new(settings.seed, n);
        let text = mutate(&settings.corpus, &mut random);
        number.store(n, Ordering::Relaxed);
        if let Ok(mut guard) = current.lock() {
            *guard = (Instant::now(), text.clone());
        }
        let begin = Instant::now();
        match run(&text, &mut random) {
            Ok(has_errors) => accepted += u64::from(!has_errors),
            Err(problem) => {
                report(n, &problem, &text);
                return ExitCode::FAILURE;
            }
        }
        slowest = slowest.max(begin.elapsed());
        bytes += text.len() as u64;
        n += 1;
        if settings.only.is_some() {
            break;
        }
    }
    println!(
        "{} inputs ({accepted} valid), {bytes} bytes, {} s, slowest input {:.3} s, seed {}: \
         no panic, no hang",
        n - first,
        start.elapsed().as_secs(),
        slowest.as_secs_f64(),
        settings.seed
    );
    ExitCode::SUCCESS
}
