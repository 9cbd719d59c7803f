//! From files to a program: preprocess with the system's compiler, parse, lower, link; or read
//! the text form of the model.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_ir::program::Program;
use gnomon_ir::{text, validate};

use crate::args::{InputArgs, Machine};
use crate::exit::Failure;
use crate::output;

/// The program in the files. Warnings are shown; everything worse is a failure.
pub fn program(args: &InputArgs) -> Result<Program, Failure> {
    program_with(args, Models::None)
}

/// The same, with models of library functions.
pub fn program_with(args: &InputArgs, with: Models) -> Result<Program, Failure> {
    for file in &args.files {
        check_readable(file)?;
    }
    let models = args.files.iter().filter(|file| has_extension(file, "ir")).count();
    match (&args.files[..], models) {
        ([file], 1) => model(file),
        (_, 0) => c_program(args, with),
        _ => Err(Failure::error("a .ir file is a whole program: it stands alone")),
    }
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}

/// One message for everything that can be wrong with a file before it is read.
fn check_readable(file: &Path) -> Result<(), Failure> {
    let problem = |what: &str| Failure::error(format!("{}: {what}", file.display()));
    let found = fs::metadata(file).map_err(|error| problem(&reason(&error)))?;
    if found.is_dir() {
        return Err(problem("this is a directory, not a file"));
    }
    if found.is_file() && found.len() == 0 {
        return Err(problem("the file is empty"));
    }
    fs::File::open(file).map(|_| ()).map_err(|error| problem(&reason(&error)))
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "it may not be read".into(),
        _ => error.to_string(),
    }
}

fn model(file: &Path) -> Result<Program, Failure> {
    let at = |what: String| Failure::error(format!("{}: {what}", file.display()));
    let content = fs::read_to_string(file).map_err(|error| at(error.to_string()))?;
    let program = text::parse(&content).map_err(|error| at(error.to_string()))?;
    let defects = validate::validate(&program);
    if defects.is_empty() {
        return Ok(program);
    }
    let lines: Vec<String> = defects.iter().take(20).map(|defect| format!("  {defect}")).collect();
    Err(at(format!("the program is not well-formed:\n{}", lines.join("\n"))))
}

fn c_program(args: &InputArgs, with: Models) -> Result<Program, Failure> {
    let mut sources = Vec::new();
    for file in &args.files {
        let bytes = if has_extension(file, "i") {
            fs::read(file)
                .map_err(|error| Failure::error(format!("{}: {error}", file.display())))?
        } else {
            preprocessed(file, args)?
        };
        let source = SourceBuffer::new(&file.display().to_string(), bytes);
        let problem = |error| Failure::error(format!("{}: {error}", file.display()));
        sources.push(source.map_err(problem)?);
    }
    let translation =
        translate_with(sources, args.machine.target(), &ParseOptions::default(), with);
    let messages = translation.render(Severity::Warning);
    if !translation.is_complete() {
        return Err(Failure::rendered(messages));
    }
    if !messages.is_empty() {
        output::message(messages.trim_end());
    }
    Ok(translation.program)
}

/// The file as the C preprocessor of the system leaves it.
fn preprocessed(file: &Path, args: &InputArgs) -> Result<Vec<u8>, Failure> {
    let compiler = compiler();
    let mut command = Command::new(&compiler);
    command.arg("-E");
    preprocessor_flags(&mut command, args);
    let run = command.arg(file).stdin(Stdio::null()).output();
    let shown = compiler.to_string_lossy();
    let output = run.map_err(|error| {
        Failure::error(format!(
            "the preprocessor `{shown}` cannot be started ({error}): install a C compiler, set \
             CC, or give preprocessed files (.i)"
        ))
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(Failure::error(format!(
        "{}: the preprocessor failed:\n{}",
        file.display(),
        complaint.trim_end()
    )))
}

/// The C compiler of the system, or what `CC` says.
pub fn compiler() -> std::ffi::OsString {
    std::env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or("cc".into())
}

/// The flag for a machine.
pub fn machine_flag(machine: Machine) -> &'static str {
    match machine {
        Machine::Bits32 => "-m32",
        Machine::Bits64 => "-m64",
    }
}

/// The flags that decide what the compiler reads.
pub fn preprocessor_flags(command: &mut Command, args: &InputArgs) {
    command.arg(machine_flag(args.machine));
    if let Some(standard) = &args.standard {
        command.arg(joined("-std=", standard));
    }
    for (flag, values) in
        [("-I", &args.include_dirs), ("-D", &args.defines), ("-U", &args.undefines)]
    {
        command.args(values.iter().map(|value| joined(flag, value)));
    }
    for include in &args.includes {
        command.arg("-include").arg(include);
    }
}

fn joined(flag: &str, value: &std::ffi::OsStr) -> std::ffi::OsString {
    let mut whole = std::ffi::OsString::from(flag);
    whole.push(value);
    whole
}
