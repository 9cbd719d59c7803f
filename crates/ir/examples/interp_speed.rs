//! Measures how many edges the interpreter executes in a second, on loops written in the text form.
//!
//! `cargo run --release -p gnomon-ir --example interp_speed`

use std::time::Instant;

use gnomon_budget::Budget;
use gnomon_ir::interp::{Discarded, RunOptions, ZeroSource, interpret};

/// Name, edges in one turn of the loop, turns, program.
const PROGRAMS: [(&str, u64, u64, &str); 4] = [
    (
        "registers: i++, s = s * 31 ^ i, compare",
        3,
        30_000_000,
        r#"gnomon-ir 1 lp64
func $main: fn() -> i32 !- = {
  local %i: i32 !-
  local %s: u32 !-
  locs 7
  L0 -> L2: %i = 0:i32 !0
  L2 -> L3: %s = 1:u32 !0
  L3 -> L4: assume %i < 30000000:i32 !0
  L3 -> L6: assume %i >= 30000000:i32 !0
  L4 -> L5: %s = (%s * 31:u32) ^ (u32)%i !0
  L5 -> L3: %i = %i + 1:i32 !0
  L6 -> L1: return (i32)(%s & 1:u32) !0
}
"#,
    ),
    (
        "memory: a[i & 1023] = a[(i + 1) & 1023] + i, i++, compare",
        3,
        20_000_000,
        r#"gnomon-ir 1 lp64
global @a: i32[1024] !- = {
}
func $main: fn() -> i32 !- = {
  local %i: i32 !-
  locs 6
  L0 -> L2: %i = 0:i32 !0
  L2 -> L3: assume %i < 20000000:i32 !0
  L2 -> L5: assume %i >= 20000000:i32 !0
  L3 -> L4: @a[%i & 1023:i32] = @a[(%i + 1:i32) & 1023:i32] ^ %i !0
  L4 -> L2: %i = %i + 1:i32 !0
  L5 -> L1: return 0:i32 !0
}
"#,
    ),
    (
        "calls: i = next(i), compare",
        3,
        10_000_000,
        r#"gnomon-ir 1 lp64
func $next: fn(i32) -> i32 !- = {
  param %x: i32 !-
  locs 2
  L0 -> L1: return %x + 1:i32 !0
}
func $main: fn() -> i32 !- = {
  local %i: i32 !-
  locs 5
  L0 -> L2: %i = 0:i32 !0
  L2 -> L3: assume %i < 10000000:i32 !0
  L2 -> L4: assume %i >= 10000000:i32 !0
  L3 -> L2: %i = call $next(%i) !0
  L4 -> L1: return 0:i32 !0
}
"#,
    ),
    (
        "floats: x = x * 0.5 + i, i++, compare",
        3,
        20_000_000,
        r#"gnomon-ir 1 lp64
func $main: fn() -> i32 !- = {
  local %i: i32 !-
  local %x: f64 !-
  locs 7
  L0 -> L2: %i = 0:i32 !0
  L2 -> L3: %x = zero(f64) !0
  L3 -> L4: assume %i < 20000000:i32 !0
  L3 -> L6: assume %i >= 20000000:i32 !0
  L4 -> L5: %x = %x * 0x1p-1:f64 + (f64)%i !0
  L5 -> L3: %i = %i + 1:i32 !0
  L6 -> L1: return (i32)(%x > zero(f64)) !0
}
"#,
    ),
];

/// Seconds that this process has had a processor: on a busy machine the wall clock says little.
fn processor_seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn main() {
    let start = Instant::now();
    for (name, edges, turns, text) in PROGRAMS {
        let program = match gnomon_ir::text::parse(text) {
            Ok(program) => program,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let before = processor_seconds(start);
        let run = interpret(
            &program,
            &RunOptions::default(),
            &mut ZeroSource,
            &mut Discarded,
            &Budget::unlimited(),
        );
        let seconds = processor_seconds(start) - before;
        let rate = (turns * edges) as f64 / seconds / 1e6;
        println!("{name}: {:?}, {seconds:.2} s, {rate:.0} million edges/s", run.outcome);
    }
}
