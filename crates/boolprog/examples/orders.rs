//! Compares the static variable orders: BDD nodes and time to explore programs completely.
//!
//! ```text
//! cargo run --release -p gnomon-boolprog --example orders
//! ```
//!
//! Families: random programs larger than those of the tests, arithmetic on numbers that are
//! declared one after the other (remopla), and a shift register whose parts are declared shuffled.

use std::time::{Duration, Instant};

use gnomon_boolprog::bp;
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_boolprog::generate::{self, Shape};
use gnomon_boolprog::model::Model;
use gnomon_boolprog::read::{Dialect, ReadOptions, read};
use gnomon_boolprog::source::Source;
use gnomon_boolprog::symbolic::encoding::Encoding;
use gnomon_boolprog::symbolic::explore::Exploration;
use gnomon_boolprog::symbolic::order::VariableOrder;
use gnomon_budget::Budget;

fn random(count: u64) -> Vec<Model> {
    let shape = Shape { globals: 10, locals: 8, functions: 5, statements: 25 };
    (0..count)
        .filter_map(|seed| {
            bp::lower(&generate::program(seed, shape), None, &mut Diagnostics::default())
        })
        .collect()
}

fn lowered(dialect: Dialect, text: &str) -> Option<Model> {
    read(&Source::new("family", text), dialect, &ReadOptions::default()).model
}

fn arithmetic(bits: u32) -> Vec<Model> {
    let text = |body: &str| {
        format!(
            "int x({bits}), y({bits}), z({bits}); init main;
             module void step() {{ {body} }}
             module void main() {{ x = 1, y = 1, z = 0; do :: true -> step(); :: x > y -> break; od; }}"
        )
    };
    ["z = x + y; x = y; y = z;", "if :: x < y -> x = x + 1; :: else -> z = x - y; fi; x = z;"]
        .iter()
        .filter_map(|body| lowered(Dialect::Remopla, &text(body)))
        .collect()
}

fn register(length: usize) -> Vec<Model> {
    // Declared in an order that has nothing to do with the order of use.
    let shuffled: Vec<_> = (0..length).map(|i| format!("r{}", i * 7 % length)).collect();
    let copies: Vec<_> = (0..length).map(|i| format!("c{}", (i * 5 + 3) % length)).collect();
    let names = |p: &str| (0..length).map(|i| format!("{p}{i}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "decl {}; decl {};
         void save() begin {} := {}; end
         void main() begin while * do save(); {} := *, {}; assume({}); od end",
        shuffled.join(", "),
        copies.join(", "),
        names("c"),
        names("r"),
        names("r"),
        (0..length - 1).map(|i| format!("c{i}")).collect::<Vec<_>>().join(", "),
        (1..length).map(|i| format!("(r{i} = c{})", i - 1)).collect::<Vec<_>>().join(" & "),
    );
    lowered(Dialect::BooleanProgram, &text).into_iter().collect()
}

fn main() {
    let families =
        [("random", random(40)), ("arithmetic", arithmetic(7)), ("register", register(9))];
    let orders = [VariableOrder::Declaration, VariableOrder::FirstUse, VariableOrder::Force];
    println!("{:<12} {:<12} {:>10} {:>12} {:>8}", "family", "order", "programs", "nodes", "ms");
    for (family, models) in &families {
        for order in orders {
            let (mut nodes, mut time, mut finished) = (0, Duration::ZERO, 0);
            for model in models {
                let start = Instant::now();
                let budget = Budget::unlimited().with_time(Duration::from_secs(20));
                let run = || {
                    let encoding = Encoding::new(model, order, 1 << 22, &budget)?;
                    Exploration::new(&encoding, &budget)?.run(&[])?;
                    Ok::<_, gnomon_boolprog::BddError>(encoding.space().nodes_in_table())
                };
                let result = run();
                time += start.elapsed();
                if let Ok(count) = result {
                    nodes += count;
                    finished += 1;
                }
            }
            let order = format!("{order:?}");
            println!("{family:<12} {order:<12} {finished:>10} {nodes:>12} {:>8}", time.as_millis());
        }
    }
}
