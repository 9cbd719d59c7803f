//! Times points-to and mod-ref on preprocessed C files:
//! `bench_points_to [inclusion|unification] NAME FILES.i...`

use std::error::Error;
use std::time::Instant;

use gnomon_budget::{Budget, resident_bytes};
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{Method, Options, PointsTo};
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprKind, PlaceId, PlaceKind};
use gnomon_ir::types::Target;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let method = match args.next().as_deref() {
        Some("unification") => Method::Unification,
        _ => Method::Inclusion,
    };
    let name = args.next().unwrap_or_default();
    let mut sources = Vec::new();
    let mut lines = 0;
    for path in args {
        let bytes = std::fs::read(&path)?;
        lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
        sources.push(SourceBuffer::new(&path, bytes)?);
    }
    let start = Instant::now();
    let program = translate(sources, Target::Lp64, &ParseOptions::default()).program;
    let translated = start.elapsed();
    let edges: usize =
        program.funcs.iter().filter_map(|f| f.body.as_ref()).map(|body| body.edges().len()).sum();
    let budget = Budget::unlimited();
    let start = Instant::now();
    let options = Options { method, ..Options::default() };
    let points_to = PointsTo::analyze(&program, &options, &budget)?;
    let analyzed = start.elapsed();
    let start = Instant::now();
    let calls = CallGraph::new(&program, &points_to, &budget)?;
    let mod_ref = ModRef::compute(&program, &points_to, &calls, &budget)?;
    let summarised = start.elapsed();

    // Over all dereferences of the program: how many objects, and how many targets.
    let (mut count, mut objects, mut targets, mut empty, mut largest) = (0u64, 0, 0, 0u64, 0);
    for number in 0..program.exprs.place_count() {
        let place = PlaceId(number as u32);
        if let PlaceKind::Deref(pointer) = program.exprs.place(place).kind
            && !matches!(program.exprs.expr(pointer).kind, ExprKind::AddrOf(_))
        {
            let found = points_to.pointees(&program, pointer);
            let mut named: Vec<_> = found.iter().map(|target| target.object).collect();
            named.dedup();
            count += 1;
            objects += named.len() as u64;
            targets += found.len() as u64;
            empty += u64::from(found.is_empty());
            largest = largest.max(found.len());
        }
    }
    let (mut indirect, mut called) = (0u64, 0u64);
    for function in program.funcs.iter() {
        for edge in function.body.iter().flat_map(|body| body.edges().iter()) {
            if let Op::Call(call) = &edge.op
                && let Callee::Indirect(pointer) = call.callee
            {
                indirect += 1;
                called += points_to.called_through(&program, pointer).functions.len() as u64;
            }
        }
    }
    let written: usize = program.funcs.ids().map(|func| mod_ref.writes(func).len()).sum();
    let statistics = points_to.statistics();
    let average = |sum: u64, of: u64| sum as f64 / of.max(1) as f64;
    let largest_component =
        calls.components().iter().map(|component| component.functions.len()).max().unwrap_or(0);
    println!("{name}: {lines} lines, {} functions, {edges} edges", program.funcs.len());
    println!("  translate {:.2} s", translated.as_secs_f64());
    println!(
        "  points-to {:.2} s ({:?}), work {} M, {} objects, {} cells, {} nodes, {} pointers",
        analyzed.as_secs_f64(),
        statistics.method,
        statistics.work / 1_000_000,
        statistics.objects,
        statistics.cells,
        statistics.nodes,
        statistics.pointers,
    );
    println!(
        "  {count} dereferences: {:.1} objects, {:.1} targets on average, {largest} at most, \
         {empty} without any",
        average(objects, count),
        average(targets, count),
    );
    println!(
        "  {indirect} indirect calls: {:.1} functions on average; {} components, the largest of \
         {largest_component}",
        average(called, indirect),
        calls.components().len(),
    );
    println!(
        "  mod-ref {:.2} s, {:.0} cells written per function; {:.0} MB resident",
        summarised.as_secs_f64(),
        average(written as u64, program.funcs.len() as u64),
        resident_bytes().unwrap_or(0) as f64 / 1e6,
    );
    Ok(())
}
