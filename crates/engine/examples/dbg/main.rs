use gnomon_budget::{Budget, Progress};
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_engine::check::{Engine, Options, check};
use gnomon_ir::types::Target;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
struct P(Instant);
impl Progress for P {
    fn report(&self, phase: &str, d: fmt::Arguments<'_>) {
        println!("{:.2} {phase}: {d}", self.0.elapsed().as_secs_f64());
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read(&args[1]).unwrap();
    let seconds: u64 = args[2].parse().unwrap();
    let source = SourceBuffer::new("test.c", text).unwrap();
    let t = translate(vec![source], Target::Lp64, &ParseOptions::default());
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let quiet = args.iter().any(|a| a == "quiet");
    let budget = if quiet { budget } else { budget.with_progress(Arc::new(P(Instant::now()))) };
    let mut options = Options::default();
    if args.iter().any(|a| a == "lazy") {
        options.engine = Engine::Lazy;
    }
    if args.iter().any(|a| a == "pushdown") {
        options.engine = Engine::Pushdown;
    }
    if args.iter().any(|a| a == "alone") {
        options.runs = false;
        options.search = false;
    }
    let begin = Instant::now();
    let r = check(&t.program, &options, &budget).unwrap();
    let v = match &r.verdict {
        gnomon_engine::verdict::Verdict::True(_) => "TRUE".to_string(),
        gnomon_engine::verdict::Verdict::False(_) => "FALSE".to_string(),
        gnomon_engine::verdict::Verdict::Unknown(r) => format!("UNKNOWN {r}"),
    };
    println!("{} {v} {:.2}", args[1], begin.elapsed().as_secs_f64());
    if !quiet {
        for (n, v) in &r.statistics.numbers {
            println!("  {n}: {v}");
        }
    }
}
