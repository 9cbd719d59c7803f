//! Parses many preprocessed files and reports how many parse, how fast, and into how much memory.
//!
//! `cargo run --release -p gnomon-cfront --example parse_rate -- [--std=NAME] [--repeat=N] PATH...`
//!
//! A path is a `.i` file, a directory to search for them, or `@LIST`, a file with one path per
//! line. For each file that does not parse, the first message is shown. With `--repeat` each file
//! is parsed that often and the fastest time counts.

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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    let mut options = ParseOptions::default();
    let mut repeat = 1u32;
    for arg in std::env::args().skip(1) {
        if let Some(name) = arg.strip_prefix("--std=") {
            options.dialect = Dialect::from_name(name).ok_or("unknown standard")?;
        } else if let Some(count) = arg.strip_prefix("--repeat=") {
            repeat = count.parse()?;
        } else if let Some(list) = arg.strip_prefix('@') {
            files.extend(std::fs::read_to_string(list)?.lines().map(PathBuf::from));
        } else {
            collect(Path::new(&arg), &mut files)?;
        }
    }

    let (mut parsed, mut bytes, mut ast_bytes) = (0usize, 0usize, 0usize);
    let mut time = Duration::ZERO;
    for file in &files {
        let text = std::fs::read(file)?;
        let size = text.len();
        let mut fastest = Duration::MAX;
        let mut last = None;
        for _ in 0..repeat.max(1) {
            let text = text.clone();
            let start = Instant::now();
            let source = SourceBuffer::new(&file.to_string_lossy(), text)?;
            let result = parse(&source, &options);
            fastest = fastest.min(start.elapsed());
            last = Some((source, result));
        }
        let Some((source, result)) = last else { continue };
        time += fastest;
        bytes += size;
        ast_bytes += result.ast.memory_bytes();
        match result.diagnostics.iter().find(|d| d.is_fatal()) {
            None => parsed += 1,
            Some(first) => println!("{}\n{}", file.display(), first.render(&source)),
        }
    }
    println!(
        "{parsed} of {} files parsed, {bytes} bytes in {:.3} s, {:.1} MB/s, \
         {:.1} bytes of tree per byte of text",
        files.len(),
        time.as_secs_f64(),
        bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9),
        ast_bytes as f64 / bytes.max(1) as f64,
    );
    Ok(())
}
