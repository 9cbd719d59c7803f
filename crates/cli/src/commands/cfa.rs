//! `gnomon cfa`: the automata as text or as a picture.

use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::{dot, text};

use crate::args::CfaArgs;
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Shows the automata of a program.
pub fn run(args: &CfaArgs) -> Result<Status, Failure> {
    let program = load::program(&args.input)?;
    let function = args.function.as_deref().map(|name| find(&program, name)).transpose()?;
    let shown = match (args.dot, function) {
        (true, Some(function)) => dot::function(&program, function),
        (true, None) => dot::program(&program),
        (false, Some(function)) => text::print_function(&program, function),
        (false, None) => text::print(&program),
    };
    output::to_file_or_stdout(args.output.as_deref(), &shown)?;
    Ok(Status::True)
}

/// The function of that unique name, or the only one that the user calls so.
fn find(program: &Program, name: &str) -> Result<FuncId, Failure> {
    if let Some(id) = program.find_function(name) {
        return Ok(id);
    }
    let called: Vec<FuncId> = program
        .funcs
        .iter_ids()
        .filter(|(_, f)| source_name(&f.name) == name)
        .map(|(id, _)| id)
        .collect();
    match called[..] {
        [id] => Ok(id),
        [] => {
            let defined: Vec<&str> = program
                .funcs
                .iter()
                .filter(|f| f.body.is_some())
                .map(|f| f.name.as_str())
                .take(20)
                .collect();
            let known = if defined.is_empty() { "none".into() } else { defined.join(", ") };
            Err(Failure::error(format!("there is no function {name}; defined are: {known}")))
        }
        _ => {
            let names: Vec<&str> =
                called.iter().map(|&id| program.funcs[id].name.as_str()).collect();
            Err(Failure::error(format!(
                "several functions are called {name}: say which, {}",
                names.join(" or ")
            )))
        }
    }
}
