//! `gnomon capture -- make`: writes down the commands of a build.

use crate::exit::{Failure, Status};
use crate::output;
use crate::project_args::CaptureArgs;

/// Runs the build and writes the two files.
pub fn run(args: &CaptureArgs) -> Result<Status, Failure> {
    let scratch = tempfile::tempdir().map_err(Failure::error)?;
    let captured = gnomon_project::capture::capture(&args.build, &args.into, scratch.path())
        .map_err(Failure::error)?;
    let (entries, links) = (captured.entries.len(), captured.links.len());
    if entries == 0 {
        let why = match captured.calls {
            0 => {
                "the build called no compiler that could be seen: is everything built already (try \
                  `make clean` before), or is the compiler called by its full path (set CC)?"
            }
            _ => "none of the files that were compiled is there any more",
        };
        return Err(Failure::error(format!("nothing was written: {why}")));
    }
    output::message(&format!(
        "{entries} compilations and {links} links are written to {} and link_commands.json",
        args.into.join("compile_commands.json").display()
    ));
    if captured.kept > 0 {
        output::message(&format!(
            "{} of the compilations are from earlier builds: this one did not make them anew",
            captured.kept
        ));
    }
    match captured.status {
        0 => Ok(Status::True),
        code => {
            output::message(&format!("the build failed with exit code {code}"));
            Ok(Status::PassedThrough(u8::try_from(code).unwrap_or(1)))
        }
    }
}
