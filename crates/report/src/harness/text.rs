//! The text of a harness.
//!
//! Types are written by what they are for the calling convention (an `int` is an `int`, whatever
//! the user calls it), because the file is compiled for itself and shares no declarations with the
//! program.

use std::collections::BTreeSet;
use std::fmt::Write;

use gnomon_ir::interp::CallEffect;
use gnomon_ir::library::{Library, classify};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::program::{Function, Program, source_name};
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{FloatKind, Type, TypeId};

use super::{
    ALLOCATORS, ASSUMPTION_FAILED, Answered, EXHAUSTED, Evidence, Failing, NotReplayable, REACHED,
    REACHED_MARK, RENAMED_MAIN,
};

/// The whole file.
pub fn c_file(
    failing: &Failing<'_>,
    answered: &Answered,
    evidence: &Evidence,
    has_main: bool,
    answers_allocations: bool,
) -> Result<String, NotReplayable> {
    let program = failing.program;
    let mut text = preamble();
    let mut defined: BTreeSet<String> = BTreeSet::new();
    for (name, effects) in &answered.results {
        let function = program.funcs.iter().find(|f| source_name(&f.name) == *name);
        let Some(function) = function else { continue };
        text += &answering(program, function, name, effects)?;
        defined.insert(name.clone());
    }
    for function in program.funcs.iter().filter(|f| f.body.is_none()) {
        let name = source_name(&function.name);
        if !defined.insert(name.to_owned()) {
            continue;
        }
        match classify(name, program.types.target()) {
            // It is not called before the error, but the program must link.
            Library::Nondet(_) => text += &answering(program, function, name, &[])?,
            Library::Assume => {
                let _ = writeln!(
                    text,
                    "void {name}(int holds)\n{{\n    if (!holds)\n        \
                     gnomon_end({ASSUMPTION_FAILED}, \"gnomon: an assumption does not hold\");\n}}\n"
                );
            }
            Library::Error if !matches!(evidence, Evidence::Function { name: f, .. } if f == name) =>
            {
                text += &reporting(name);
            }
            _ if name.starts_with("__VERIFIER_atomic_") => {
                let _ = writeln!(text, "void {name}(void)\n{{\n}}\n");
            }
            _ => {}
        }
    }
    if let Evidence::Function { name, .. } = evidence {
        text += &reporting(name);
        // What an error function of the program calls in turn.
        if name != "__assert_fail" && !defined.contains("__assert_fail") {
            text += &reporting("__assert_fail");
        }
    }
    for name in ASSERTIONS {
        if program.funcs.iter().any(|f| f.name == *name && f.body.is_some()) {
            text += &asserting(name);
        }
    }
    if answers_allocations {
        text += &allocations(&answered.allocations);
    }
    if has_main {
        text += &main_function(failing, answered)?;
    }
    Ok(text)
}

fn preamble() -> String {
    format!(
        "/* Made by gnomon: linked with the program, this makes it fail as predicted.\n   \
         Status {REACHED}: the error is reached; {ASSUMPTION_FAILED}: an assumption does not hold; \
         {EXHAUSTED}: more values are asked\n   for than were recorded. */\n\
         extern long write(int, const void *, unsigned long);\n\
         extern void _exit(int) __attribute__((noreturn));\n\n\
         static __attribute__((noreturn)) void gnomon_end(int status, const char *message)\n{{\n    \
         unsigned long length = __builtin_strlen(message);\n    \
         if (write(2, message, length) < 0 || write(2, \"\\n\", 1) < 0)\n        \
         _exit(status);\n    _exit(status);\n}}\n\n"
    )
}

/// A function whose call is the error.
fn reporting(name: &str) -> String {
    format!(
        "__attribute__((noreturn)) void {name}(void)\n{{\n    \
         gnomon_end({REACHED}, \"{REACHED_MARK}: {name} is called\");\n}}\n\n"
    )
}

/// Assertions that a program may call without a body, because a model has one.
const ASSERTIONS: &[&str] = &["__VERIFIER_assert", "__CPROVER_assert", "assert"];

/// An assertion, unless the program has one of its own.
fn asserting(name: &str) -> String {
    format!(
        "__attribute__((weak)) void {name}(int condition)\n{{\n    if (!condition)\n        \
         gnomon_end({REACHED}, \"{REACHED_MARK}: {name} fails\");\n}}\n\n"
    )
}

/// A type by what it is for the calling convention; `None` for records.
fn c_type(program: &Program, ty: TypeId) -> Option<&'static str> {
    Some(match *program.types.get(ty) {
        Type::Void => "void",
        Type::Pointer(_) => "void *",
        Type::Bool => "_Bool",
        Type::Int { bits: 8, signed: true } => "signed char",
        Type::Int { bits: 8, signed: false } => "unsigned char",
        Type::Int { bits: 16, signed: true } => "short",
        Type::Int { bits: 16, signed: false } => "unsigned short",
        Type::Int { bits: 32, signed: true } => "int",
        Type::Int { bits: 32, signed: false } => "unsigned",
        Type::Int { bits: 64, signed: true } => "long long",
        Type::Int { bits: 64, signed: false } => "unsigned long long",
        Type::Int { bits: 128, signed: true } => "__int128",
        Type::Int { bits: 128, signed: false } => "unsigned __int128",
        Type::Float(FloatKind::F16) => "_Float16",
        Type::Float(FloatKind::F32) => "float",
        Type::Float(FloatKind::F64) => "double",
        Type::Float(FloatKind::X87) => "long double",
        Type::Float(FloatKind::F128) => "_Float128",
        _ => return None,
    })
}

/// Bytes as the elements of an array of `unsigned char`.
fn byte_list(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!("{{{}}}", bytes.join(", "))
}

/// A value of a type as its bytes, with what it means beside it.
fn row(program: &Program, ty: TypeId, bits: u128) -> String {
    let size = program.types.size(ty).min(16) as usize;
    let bytes = byte_list(&bits.to_le_bytes()[..size]);
    let meaning = match program.types.scalar(ty) {
        Some(scalar @ (Scalar::Int { .. } | Scalar::Bool)) => ops::extend(scalar, bits).to_string(),
        Some(Scalar::Float(FloatKind::F32)) => f32::from_bits(bits as u32).to_string(),
        Some(Scalar::Float(FloatKind::F64)) => f64::from_bits(bits as u64).to_string(),
        _ => format!("{bits:#x}"),
    };
    format!("    {bytes}, /* {meaning} */\n")
}

/// A function that does what it did in the run, call by call.
fn answering(
    program: &Program,
    function: &Function,
    name: &str,
    effects: &[CallEffect],
) -> Result<String, NotReplayable> {
    let refuse = |what: &str| NotReplayable::Value(format!("{what} `{name}`"));
    let signature = program.types.signature(function.ty).ok_or_else(|| refuse("the type of"))?;
    let result = c_type(program, signature.result).ok_or_else(|| refuse("the record from"))?;
    let is_pointer = program.types.is_pointer(signature.result);
    if is_pointer && effects.iter().any(|e| e.result.is_some_and(|bits| bits != 0)) {
        return Err(refuse("the address from"));
    }
    let written = effects.iter().flat_map(|e| &e.writes).map(|w| w.argument + 1).max();
    let mut parameters = Vec::new();
    for position in 0..written.unwrap_or(0) as usize {
        let ty = signature.params.get(position).and_then(|ty| c_type(program, *ty));
        let ty = ty.ok_or_else(|| refuse("what is stored by"))?;
        parameters.push(format!("{ty} a{position}"));
    }
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let count = effects.len();
    let mut text = String::new();
    let size = program.types.size(signature.result).max(1);
    let returns = result != "void" && count > 0;
    if returns {
        let _ = writeln!(text, "static const unsigned char results_of_{name}[][{size}] = {{");
        for effect in effects {
            text += &row(program, signature.result, effect.result.unwrap_or(0));
        }
        text += "};\n\n";
    }
    let _ = writeln!(text, "{result} {name}({parameters})\n{{");
    let _ = writeln!(text, "    static unsigned long call;");
    let _ = writeln!(text, "    if (call >= {count})");
    let _ = writeln!(
        text,
        "        gnomon_end({EXHAUSTED}, \"gnomon: {name} is called more often than in the run\");"
    );
    for (call, effect) in effects.iter().enumerate() {
        for write in &effect.writes {
            let list = byte_list(&write.bytes);
            let _ = writeln!(
                text,
                "    if (call == {call})\n        __builtin_memcpy((char *)a{} + {}, \
                 (const unsigned char[]){list}, {});",
                write.argument,
                write.offset,
                write.bytes.len()
            );
        }
    }
    if returns {
        let _ = writeln!(text, "    {result} value;");
        let _ = writeln!(
            text,
            "    __builtin_memcpy(&value, results_of_{name}[call++], {size});\n    return value;"
        );
    } else {
        text += "    call++;\n";
        if result != "void" {
            let _ = writeln!(text, "    return 0;");
        }
    }
    text += "}\n\n";
    Ok(text)
}

/// Allocations that succeed or fail as they did in the run.
fn allocations(succeeded: &[bool]) -> String {
    let list: Vec<&str> = succeeded.iter().map(|s| if *s { "1" } else { "0" }).collect();
    let mut text = format!(
        "static const unsigned char gnomon_succeeds[] = {{{}}};\nstatic unsigned long \
         gnomon_allocation;\n\nstatic int gnomon_next_fails(void)\n{{\n    return \
         gnomon_allocation < {} && !gnomon_succeeds[gnomon_allocation++];\n}}\n\n",
        list.join(", "),
        succeeded.len()
    );
    for name in ALLOCATORS {
        let (parameters, arguments) = match *name {
            "malloc" => ("unsigned long size", "size"),
            "calloc" => ("unsigned long count, unsigned long size", "count, size"),
            _ => ("void *old, unsigned long size", "old, size"),
        };
        let _ = writeln!(
            text,
            "extern void *__real_{name}({parameters});\nvoid *__wrap_{name}({parameters})\n{{\n    \
             return gnomon_next_fails() ? 0 : __real_{name}({arguments});\n}}\n"
        );
    }
    text
}

/// `main`, which calls the entry function with its arguments.
fn main_function(failing: &Failing<'_>, answered: &Answered) -> Result<String, NotReplayable> {
    let program = failing.program;
    let refuse = |what: String| NotReplayable::Value(what);
    let entry = program
        .find_function(failing.entry)
        .map(|func| &program.funcs[func])
        .ok_or_else(|| refuse(format!("`{}`", failing.entry)))?;
    let signature = program.types.signature(entry.ty);
    let signature = signature.ok_or_else(|| refuse("the type of the entry function".into()))?;
    let mut objects = String::new();
    let mut arguments = Vec::new();
    let mut types = Vec::new();
    for (position, ty) in signature.params.iter().enumerate() {
        let Some(c) = c_type(program, *ty) else {
            return Err(refuse(format!("argument {} of the entry function", position + 1)));
        };
        types.push(c);
        let value = answered.arguments.get(position).map(|(_, value)| value);
        arguments.push(match value {
            None | Some(ArgumentValue::Null) => "0".to_owned(),
            Some(ArgumentValue::Bits(bits)) => {
                let size = program.types.size(*ty).min(16) as usize;
                let bytes = byte_list(&bits.to_le_bytes()[..size]);
                let _ = writeln!(
                    objects,
                    "static const union {{ unsigned char bytes[{size}]; {c} value; }} a{position} = \
                     {{{bytes}}};"
                );
                format!("a{position}.value")
            }
            Some(ArgumentValue::Object { bytes, pointers }) if pointers.is_empty() => {
                let list = byte_list(bytes);
                let _ = writeln!(
                    objects,
                    "static unsigned char a{position}[] __attribute__((aligned(16))) = {list};"
                );
                format!("a{position}")
            }
            Some(ArgumentValue::Object { .. }) => {
                return Err(refuse("pointers in an argument of the entry function".into()));
            }
        });
    }
    let result = c_type(program, signature.result).unwrap_or("void");
    let name = if failing.entry == "main" { RENAMED_MAIN } else { failing.entry };
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    Ok(format!(
        "{objects}extern {result} {name}({types});\n\nint main(void)\n{{\n    {name}({});\n    \
         return 0;\n}}\n",
        arguments.join(", ")
    ))
}
