//! The typestate analysis alone, on preprocessed files:
//! `cargo run --release -p gnomon-dataflow --example typestate -- file bc/*.i`.
//!
//! Prints the places that it does not exclude, and how long it took.

use std::time::Instant;
use std::{env, fs};

use gnomon_budget::Budget;
use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_dataflow::typestate::analyze;
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{Options, PointsTo};
use gnomon_ir::library::{Library, classify, keeps_no_pointer, plain_name};
use gnomon_ir::program::source_name;
use gnomon_ir::types::Target;
use gnomon_spec::{library, parse, weave};

fn main() {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().expect("a spec");
    let spec = parse(library::find(&name).expect("a ready spec").text).expect("a spec");
    let sources = arguments
        .map(|file| SourceBuffer::new(&file, fs::read(&file).expect("a file")).expect("a source"))
        .collect();
    let start = Instant::now();
    let tell = |what: &str| eprintln!("{:8.2} s: {what}", start.elapsed().as_secs_f64());
    let options = ParseOptions::default();
    let translation = translate_with(sources, Target::Lp64, &options, Models::BuiltIn);
    println!("{}", translation.render(Severity::Error));
    let functions = translation.program.funcs.iter().filter(|f| f.body.is_some()).count();
    tell("read");
    let woven = weave(&translation.program, "main", std::slice::from_ref(&spec)).expect("woven");
    let program = &woven.program;
    tell("woven");
    let budget = Budget::unlimited();
    let points_to = PointsTo::analyze(program, &Options::default(), &budget).expect("no limit");
    tell("points-to");
    let calls = CallGraph::new(program, &points_to, &budget).expect("no limit");
    let mod_ref = ModRef::compute(program, &points_to, &calls, &budget).expect("no limit");
    tell("mod-ref");
    let automaton = &woven.automata("main")[0];
    let found = analyze(program, &points_to, &mod_ref, automaton, &budget).expect("no limit");
    tell("typestate");
    for violation in &woven.violations {
        if !found.excluded.contains(&(violation.func, violation.edge)) {
            let function = source_name(&program.funcs[violation.func].name);
            let place = program.files.show(violation.span);
            println!("{place} in {function}: {}", violation.message);
        }
    }
    let unknown = program.funcs.iter().filter(|f| f.body.is_none()).map(|f| source_name(&f.name));
    let unknown = unknown.filter(|name| {
        classify(name, Target::Lp64) == Library::Unknown && !keeps_no_pointer(plain_name(name))
    });
    println!("unknown functions: {}", unknown.collect::<Vec<_>>().join(" "));
    println!(
        "{functions} functions, {} sites, {} excluded; {} facts in {} contexts; {} beginnings given up",
        woven.violations.len(),
        found.excluded.len(),
        found.facts,
        found.contexts,
        found.given_up
    );
}
