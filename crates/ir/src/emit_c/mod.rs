//! The model as one file of C that behaves as the model does.
//!
//! The file is for gcc with `-std=gnu17 -fwrapv -fno-strict-aliasing -w`, and `-m32` or `-m64` as
//! the program's target says (it checks that). It is how the front end is tested against the
//! compiler, and how counterexamples are run outside of Gnomon.
//!
//! - Functions are labels and gotos ([`body`]); everything but `main` and what is defined
//!   elsewhere is `static`, under a name that no keyword and no other name equals ([`names`]).
//! - Records have the recorded layout whatever the ABI: where C would lay them out otherwise, they
//!   are packed and padded by hand, and every offset is asserted ([`records`]).
//! - A location with several open edges asks `__VERIFIER_nondet_int` which to take; one with none
//!   stops the run by `abort`. Unknown values come from `__gnomon_havoc(pointer, size)`, which
//!   does nothing unless another definition is linked; a null pointer stands for all memory.
//!
//! Two things differ where the original program has undefined behaviour: the division of the
//! smallest number by a literal -1 may not trap, and a conversion of a floating-point number that
//! does not fit its type may be folded by the compiler in its own way.

mod body;
mod calls;
mod init;
mod names;
mod records;
mod reserved;
mod used;

use std::fmt::Write;

use crate::c_text::{CText, Fidelity};
use crate::program::{FuncId, Function, Program, Storage, VarId};
use crate::types::{Signature, Target, Type};
use names::CNames;
use used::Used;

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmitOptions {
    /// Put `#line` directives of the user's files before statements.
    pub line_directives: bool,
}

/// What has no form in C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The layout of a record cannot be written.
    #[error("the layout of `{record}` cannot be written in C: {reason}")]
    Layout {
        /// Its name.
        record: String,
        /// What is in the way.
        reason: String,
    },
    /// The initial value of a variable cannot be written.
    #[error("the initial value of `{variable}` cannot be written in C: {reason}")]
    Initializer {
        /// Its name.
        variable: String,
        /// What is in the way.
        reason: String,
    },
    /// A function cannot be written.
    #[error("the function `{function}` cannot be written in C: {reason}")]
    Function {
        /// Its name.
        function: String,
        /// What is in the way.
        reason: String,
    },
}

/// The program as C. It must be well-formed ([`validate`](crate::validate)).
///
/// ```
/// use gnomon_ir::emit_c::{EmitOptions, emit};
///
/// let text = "gnomon-ir 1 lp64\nfunc $main: fn() -> i32 !- = {\n  locs 2\n  L0 -> L1: return 3:i32 !0\n}\n";
/// let c = emit(&gnomon_ir::text::parse(text)?, &EmitOptions::default())?;
/// assert!(c.ends_with("int main(void)\n{\n  return 3;\n}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit(program: &Program, options: &EmitOptions) -> Result<String, EmitError> {
    let used = Used::of(program);
    let names = CNames::new(program);
    let emitter = Emitter { program, options, names: &names, used: &used };
    let mut out = String::new();
    emitter.prelude(&mut out);
    emitter.records(&mut out)?;
    emitter.declarations(&mut out);
    emitter.variables(&mut out)?;
    for (id, function) in program.funcs.iter_ids() {
        if let Some(body) = &function.body {
            emitter.body(&mut out, id, body)?;
        }
    }
    Ok(out)
}

/// What all parts of the printing need. Writing to a string cannot fail, so the results of
/// `write!` are dropped everywhere.
struct Emitter<'a> {
    program: &'a Program,
    options: &'a EmitOptions,
    names: &'a CNames,
    used: &'a Used,
}

impl Emitter<'_> {
    fn text(&self) -> CText<'_> {
        CText::new(self.program, self.names, Fidelity::Exact)
    }

    fn prelude(&self, out: &mut String) {
        let (flag, size, size_type) = match self.program.types.target() {
            Target::Lp64 => ("-m64", 8, "unsigned long"),
            Target::Ilp32 => ("-m32 -msse2 -mfpmath=sse", 4, "unsigned int"),
        };
        let _ = writeln!(
            out,
            "// Made from the program model by gnomon emit-c. To compile:\n\
             //   gcc -std=gnu17 {flag} -fwrapv -fno-strict-aliasing -w\n\
             _Static_assert(sizeof(void *) == {size}, \"compile with {flag}\");\n\
             _Static_assert((char)-1 < 0, \"char must be signed\");\n"
        );
        if self.used.stop {
            out.push_str("static void __gnomon_stop(void)\n{\n  __builtin_abort();\n}\n\n");
        }
        if self.used.choice {
            out.push_str("int __VERIFIER_nondet_int() __attribute__((weak));\n\n");
        }
        if self.used.havoc {
            let _ = writeln!(
                out,
                "__attribute__((weak, noinline)) void __gnomon_havoc(void *object, {size_type} size)\n\
                 {{\n  __asm__ volatile(\"\" : : \"r\"(object), \"r\"(size) : \"memory\");\n}}\n"
            );
        }
    }

    /// Everything that is called or read, before its definition or for lack of one.
    fn declarations(&self, out: &mut String) {
        let text = self.text();
        for (id, function) in self.program.funcs.iter_ids() {
            let Some(signature) = self.program.types.signature(function.ty) else { continue };
            if function.body.is_some() {
                let _ = writeln!(out, "{};", self.header(id, function, signature));
            } else if self.used.funcs[id] && self.names.is_declared(id) {
                let name = self.names.funcs[id].clone();
                let _ = writeln!(out, "extern {};", text.declaration(function.ty, name));
            }
        }
        out.push('\n');
    }

    fn linkage(&self, function: &Function) -> &'static str {
        if function.name == "main" { "" } else { "static " }
    }

    /// The declaration of a function with a body.
    fn header(&self, id: FuncId, function: &Function, signature: &Signature) -> String {
        let text = self.text();
        let name = &self.names.funcs[id];
        let params = if signature.prototyped {
            let names = function.params.iter().map(|&param| self.names.vars[param].clone());
            text.parameters(&signature.params, names, signature.variadic)
        } else {
            "()".to_owned()
        };
        let linkage = self.linkage(function);
        let declared = text.declaration(signature.result, format!("{name}{params}"));
        format!("{linkage}{declared}")
    }

    /// The head of a definition: in the style of K&R if the function has no prototype.
    fn definition_head(&self, id: FuncId, function: &Function, signature: &Signature) -> String {
        if signature.prototyped || function.params.is_empty() {
            return self.header(id, function, signature);
        }
        let text = self.text();
        let names: Vec<&str> =
            function.params.iter().map(|&param| self.names.vars[param].as_str()).collect();
        let declarator = format!("{}({})", self.names.funcs[id], names.join(", "));
        let linkage = self.linkage(function);
        let mut head = format!("{linkage}{}", text.declaration(signature.result, declarator));
        for (&param, name) in function.params.iter().zip(names) {
            let ty = self.program.vars[param].ty;
            let _ = write!(head, "\n{};", text.declaration(ty, name.to_owned()));
        }
        head
    }

    fn variables(&self, out: &mut String) -> Result<(), EmitError> {
        let forward = self.forward_references();
        for &var in &forward {
            let _ = writeln!(out, "{};", self.variable(var));
        }
        for var in self.program.globals() {
            let Storage::Static { init, .. } = &self.program.vars[var].storage else { continue };
            match init {
                None if self.used.vars[var] => {
                    let _ = writeln!(out, "{};", self.external_variable(var));
                }
                None => {}
                Some(init) => {
                    let value = self.initializer(var, init)?;
                    let _ = writeln!(out, "{}{value};", self.variable(var));
                }
            }
        }
        out.push('\n');
        Ok(())
    }

    fn variable(&self, id: VarId) -> String {
        let var = &self.program.vars[id];
        let name = &self.names.vars[id];
        let Storage::Static { thread_local, read_only, .. } = var.storage else {
            return self.text().declaration(var.ty, name.clone());
        };
        let thread = if thread_local { "_Thread_local " } else { "" };
        // Undefined programs write to constants by name; C would refuse them.
        let constant = if read_only && !self.used.written[id] { "const " } else { "" };
        // Beside the name, `const` is about the variable, not about what it points to.
        let declared = self.text().declaration(var.ty, format!("{constant}{name}"));
        format!("static {thread}{declared}")
    }

    fn external_variable(&self, id: VarId) -> String {
        let var = &self.program.vars[id];
        let name = self.names.vars[id].clone();
        let declared = match *self.program.types.get(var.ty) {
            // An array of unknown length.
            Type::Array { elem, len: 0 } => self.text().declaration(elem, format!("{name}[]")),
            _ => self.text().declaration(var.ty, name),
        };
        let thread = matches!(var.storage, Storage::Static { thread_local: true, .. });
        format!("extern {}{declared}", if thread { "_Thread_local " } else { "" })
    }
}
