//! How much of a corpus of preprocessed files is parsed and lowered completely.
//!
//! `cargo run --release -p gnomon-cfront --example lower_stats -- [-m32] [--validate] [--text] LIST`
//! reads a list of preprocessed files, one a line, and prints a row for each that is not lowered
//! completely, the reasons by frequency, and the totals. Of each file that is lowered completely,
//! `--validate` checks that the program is well-formed, and `--text` that its text form is read
//! back and printed the same; what fails is a row that starts with `DEFECT`.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;

/// What is checked of a complete program beside its completeness.
#[derive(Clone, Copy, Default)]
struct Checks {
    validate: bool,
    text: bool,
}

impl Checks {
    /// The first thing that is wrong with a program.
    fn defect(self, program: &Program) -> Option<String> {
        if self.validate
            && let Some(defect) = gnomon_ir::validate::validate(program).first()
        {
            return Some(defect.to_string());
        }
        if !self.text {
            return None;
        }
        let printed = gnomon_ir::text::print(program);
        match gnomon_ir::text::parse(&printed) {
            Err(error) => {
                let line = printed.lines().nth(error.line as usize - 1).unwrap_or_default();
                Some(format!("text: {error}: {line}"))
            }
            Ok(read) => {
                let again = gnomon_ir::text::print(&read);
                let mut lines = printed.lines().zip(again.lines());
                (printed != again).then(|| format!("text: {:?}", lines.find(|(a, b)| a != b)))
            }
        }
    }
}

fn main() {
    let mut target = Target::Lp64;
    let mut checks = Checks::default();
    let mut files = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "-m32" => target = Target::Ilp32,
            "--validate" => checks.validate = true,
            "--text" => checks.text = true,
            list => {
                let text = std::fs::read_to_string(list).expect("the list can be read");
                files.extend(text.lines().map(str::to_owned));
            }
        }
    }
    let (mut complete, mut panics, mut defined, mut incomplete, mut bytes) = (0, 0, 0, 0, 0);
    let mut defects = 0;
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let start = std::time::Instant::now();
    for file in &files {
        let text = std::fs::read(file).expect("the file can be read");
        bytes += text.len();
        let source = SourceBuffer::new(file, text).expect("not too large");
        let run = AssertUnwindSafe(|| translate(vec![source], target, &ParseOptions::default()));
        let Ok(translation) = catch_unwind(run) else {
            println!("PANIC {file}");
            panics += 1;
            continue;
        };
        defined += translation.functions.defined;
        incomplete += translation.functions.incomplete;
        if translation.is_complete() {
            complete += 1;
            if let Some(defect) = checks.defect(&translation.program) {
                println!("DEFECT {file}\t{defect}");
                defects += 1;
            }
            continue;
        }
        let fatal =
            translation.diagnostics.iter().find(|d| d.diagnostic.severity >= Severity::Error);
        let (place, message) = match fatal {
            Some(d) => {
                let at = translation.sources[d.unit].resolve(d.diagnostic.span.lo);
                (format!("{}:{}:{}", at.file, at.line, at.column), d.diagnostic.message.clone())
            }
            None => (String::new(), translation.link_errors[0].clone()),
        };
        println!("{file}\t{place}\t{message}");
        let class = message.split('`').step_by(2).collect::<Vec<_>>().join("`…`");
        *reasons.entry(class).or_default() += 1;
    }
    let mut sorted: Vec<_> = reasons.into_iter().collect();
    sorted.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), reason.clone()));
    println!("\nreasons:");
    for (reason, count) in sorted {
        println!("{count:6} {reason}");
    }
    println!(
        "\nfiles {}, complete {complete}, panics {panics}, defects {defects}, functions {defined}, not complete {incomplete}, \
         {:.1} MB in {:.2} s",
        files.len(),
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
}
