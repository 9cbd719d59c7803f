//! `gnomon specs`: which property automata come with gnomon?

use std::fmt::Write;

use gnomon_spec::{READY, library, parse};
use gnomon_verify::specs::no_such_spec;

use crate::args::SpecsArgs;
use crate::exit::{Failure, Status};
use crate::output;

/// Lists them, or shows the text of one.
pub fn run(args: &SpecsArgs) -> Result<Status, Failure> {
    let text = match &args.name {
        None => list()?,
        Some(name) => match library::find(name) {
            Some(ready) => ready.text.to_owned(),
            None => return Err(no_such_spec(name).into()),
        },
    };
    output::result(&text);
    Ok(Status::True)
}

fn list() -> Result<String, Failure> {
    let mut text = String::new();
    for ready in READY {
        let spec = parse(ready.text)
            .map_err(|error| Failure::error(format!("spec {}: {error}", ready.name)))?;
        let _ = writeln!(text, "{:<12} {}", spec.name, spec.summary);
        for option in &spec.options {
            use gnomon_spec::syntax::OptionValue;
            let value = match &option.value {
                OptionValue::Switch(true) => "on".to_owned(),
                OptionValue::Switch(false) => "off".to_owned(),
                OptionValue::Names(names) => names.join(" "),
            };
            let _ = writeln!(text, "{:<12}   option {}={value}", "", option.name);
        }
    }
    Ok(text)
}
