//! Parses many preprocessed files and reports how many parse, how fast, and into how much memory.
//!
//! `cargo run --release -p gnomon-cfront --example parse_rate -- [--std=NAME] [--repeat=N] PATH...`
//!
//! A path is a `.i` file, a directory to search for them, or `@LIST`, a file with one path per
//! line. For each file that does not parse, the first message is shown. Times are of the processor,
//! not of the clock, where the system tells them (Linux), so that other work on the machine does
//! not count; with `--repeat` all files are parsed that often and the mean is taken.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::token::Dialect;

fn collect(path: &Path, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
        entries.sort();
        for entry in entries {
            if entry.is_dir() || entry.extension().is_some_and(|e| e == "i") {
                collect(&entry, into)?;
            }
        }
    } else {
        into.push(path.to_owned());
    }
    Ok(())
}

/// Time that this thread has run, if the system tells.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    let mut options = ParseOptions::default();
    let mut repeat = 1u32;
    for arg in std::env::args().skip(1) {
        if let Some(name) = arg.strip_prefix("--std=") {
            options.dialect = Dialect::from_name(name).ok_or("unknown standard")?;
        } else if let Some(count) = arg.strip_prefix("--repeat=") {
            repeat = count.parse::<u32>()?.max(1);
        } else if let Some(list) = arg.strip_prefix('@') {
            files.extend(std::fs::read_to_string(list)?.lines().map(PathBuf::from));
        } else {
            collect(Path::new(&arg), &mut files)?;
        }
    }

    let texts: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let (mut parsed, mut ast_bytes, mut failures) = (0usize, 0usize, Vec::new());
    let (start, cpu_start) = (Instant::now(), cpu_time());
    for round in 0..repeat {
        for (file, text) in files.iter().zip(&texts) {
            let source = SourceBuffer::new(&file.to_string_lossy(), text.clone())?;
            let result = parse(&source, &options);
            if round > 0 {
                continue;
            }
            ast_bytes += result.ast.memory_bytes();
            match result.diagnostics.iter().find(|d| d.is_fatal()) {
                None => parsed += 1,
                Some(first) => {
                    failures.push(format!("{}\n{}", file.display(), first.render(&source)))
                }
            }
        }
    }
    let total = match (cpu_start, cpu_time()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    };
    let seconds = total.as_secs_f64() / f64::from(repeat);

    failures.iter().for_each(|failure| println!("{failure}"));
    println!(
        "{parsed} of {} files parsed, {bytes} bytes in {seconds:.3} s, {:.1} MB/s, \
         {:.1} bytes of tree per byte of text",
        files.len(),
        bytes as f64 / 1e6 / seconds.max(1e-9),
        ast_bytes as f64 / bytes.max(1) as f64,
    );
    Ok(())
}
