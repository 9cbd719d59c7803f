//! C text or a file as a program: the one way in which tests read programs.
//!
//! A program that is not translated completely, or that is not well formed, fails the test with the
//! messages of the front end and the text.

use std::path::Path;

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::preprocess::{Machine, PreprocessOptions, load};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, Translation, translate_with};
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;
use gnomon_ir::validate::validate;

/// The declarations that [`verifier_program`] puts before a text, in a line of their own.
pub const VERIFIER: &str =
    "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

/// The program of a text, called `test.c`, for 64 bits, without models of library functions.
#[track_caller]
pub fn program(text: &str) -> Program {
    Reader::default().text(text)
}

/// The same, with [`VERIFIER`] as the first line.
#[track_caller]
pub fn verifier_program(text: &str) -> Program {
    program(&format!("{VERIFIER}{text}"))
}

/// The program of a file, with the models of library functions that come with gnomon.
#[track_caller]
pub fn program_of_file(file: &Path) -> Program {
    Reader::default().with_models().file(file)
}

/// How a text or a file is read.
#[derive(Clone, Debug)]
pub struct Reader {
    name: String,
    target: Target,
    models: Models,
}

impl Default for Reader {
    fn default() -> Self {
        Self { name: "test.c".to_owned(), target: Target::Lp64, models: Models::None }
    }
}

impl Reader {
    /// A text has this name in positions.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// For this machine.
    pub fn on(self, target: Target) -> Self {
        Self { target, ..self }
    }

    /// Library functions have the bodies that come with gnomon.
    pub fn with_models(self) -> Self {
        Self { models: Models::BuiltIn, ..self }
    }

    /// Library functions have the bodies of this text, or else those that come with gnomon.
    pub fn with_own_models(self, models: &str) -> Self {
        Self { models: Models::Replaced(models.to_owned()), ..self }
    }

    /// The program of a text that needs no preprocessor.
    #[track_caller]
    pub fn text(&self, text: &str) -> Program {
        match self.try_text(text) {
            Ok(program) => program,
            Err(messages) => panic!("{}: not translated:\n{messages}\n{text}", self.name),
        }
    }

    /// The program of a text that needs no preprocessor, or what is wrong with it.
    pub fn try_text(&self, text: &str) -> Result<Program, String> {
        self.try_bytes(&self.name, text.as_bytes().to_vec())
    }

    /// The program of a file, preprocessed where it has directives.
    #[track_caller]
    pub fn file(&self, file: &Path) -> Program {
        match self.try_file(file) {
            Ok(program) => program,
            Err(messages) => panic!("{}: not translated:\n{messages}", file.display()),
        }
    }

    /// The program of a file, or what is wrong with it.
    pub fn try_file(&self, file: &Path) -> Result<Program, String> {
        let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
        // To start the preprocessor takes longer than everything else that is done to most programs.
        if !bytes.contains(&b'#') {
            return self.try_bytes(&file.to_string_lossy(), bytes);
        }
        let machine = match self.target {
            Target::Lp64 => Machine::Lp64,
            Target::Ilp32 => Machine::Ilp32,
        };
        let options = PreprocessOptions { machine, ..PreprocessOptions::default() };
        let preprocessed = load(file, &options).map_err(|error| error.to_string())?;
        checked(self.translated(preprocessed.source))
    }

    fn try_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Program, String> {
        let source = SourceBuffer::new(name, bytes).map_err(|error| error.to_string())?;
        checked(self.translated(source))
    }

    fn translated(&self, source: SourceBuffer) -> Translation {
        let options = ParseOptions::default();
        translate_with(vec![source], self.target, &options, self.models.clone())
    }
}

/// The program, if all of it was understood and it is well formed.
fn checked(translation: Translation) -> Result<Program, String> {
    if !translation.is_complete() {
        return Err(translation.render(Severity::Error));
    }
    match validate(&translation.program).first() {
        Some(defect) => Err(defect.to_string()),
        None => Ok(translation.program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_an_error_with_its_position() {
        let error = Reader::default().named("x.c").try_text("int main(void) { return y; }");
        assert!(error.is_err_and(|messages| messages.contains("x.c:1:")));
    }

    #[test]
    fn the_machine_and_the_models_are_those_that_were_asked_for() {
        let text = "extern int abs(int); long l; int main(void) { return abs(-1); }";
        let long = |program: &Program| {
            let mut globals = program.vars.iter().filter(|var| var.name == "l");
            program.types.size(globals.next().expect("a variable").ty)
        };
        let wide = program(text);
        let narrow = Reader::default().on(Target::Ilp32).with_models().text(text);
        assert_eq!((long(&wide), long(&narrow)), (8, 4));
    }
}
