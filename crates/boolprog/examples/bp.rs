//! The command `gnomon bp` by itself, for trying the crate without the rest of the tool.

#[path = "../../cli/src/bp/mod.rs"]
mod bp;

use clap::Parser;

/// Boolean programs.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    bp: bp::BpArgs,
}

fn main() -> std::process::ExitCode {
    bp::run(Arguments::parse().bp).into()
}
