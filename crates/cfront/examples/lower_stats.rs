//! How much of a corpus of preprocessed files is parsed and lowered completely.
//!
//! `cargo run --release -p gnomon-cfront --example lower_stats -- [-m32] LIST` reads a list of
//! preprocessed files, one a line, and prints a row for each that is not lowered completely, the
//! reasons by frequency, and the totals.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_ir::types::Target;

fn main() {
    let mut target = Target::Lp64;
    let mut files = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "-m32" => target = Target::Ilp32,
            list => {
                let text = std::fs::read_to_string(list).expect("the list can be read");
                files.extend(text.lines().map(str::to_owned));
            }
        }
    }
    let (mut complete, mut panics, mut defined, mut incomplete, mut bytes) = (0, 0, 0, 0, 0);
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
        "\nfiles {}, complete {complete}, panics {panics}, functions {defined}, not complete {incomplete}, \
         {:.1} MB in {:.2} s",
        files.len(),
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
}
