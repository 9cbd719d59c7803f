//! `gnomon init`: writes a gnomon.toml with everything explained.

use gnomon_project::config::{FILE, TEMPLATE};

use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::InitArgs;

/// Writes the file, unless there is one.
pub fn run(args: &InitArgs) -> Result<Status, Failure> {
    let file = args.project.join(FILE);
    if file.exists() {
        return Err(Failure::error(format!("{} is there already", file.display())));
    }
    output::to_file_or_stdout(Some(&file), TEMPLATE)?;
    output::message(&format!("{} is written", file.display()));
    Ok(Status::True)
}
