//! Functions that end a run or say what it may do: `abort`, `exit`, `assert`, `__VERIFIER_*`.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::outcome::{Outcome, Stop};
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::library::nondet_kind;
use crate::types::Target;

type Done = Result<Option<Value>, Stop>;

/// Functions that go by their exact name.
pub(super) fn find_exact(name: &str) -> Option<Native> {
    let any_type = name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_");
    if any_type || nondet_kind(name, Target::Lp64).is_some() {
        return Some(nondet);
    }
    Some(match name {
        "__VERIFIER_assume" | "__CPROVER_assume" => assume,
        "__VERIFIER_assert" | "__CPROVER_assert" => assert,
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" | "__builtin_va_end" => nothing,
        _ => return None,
    })
}

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "abort" | "trap" | "__chk_fail" | "__stack_chk_fail" | "raise" => abort,
        "exit" => exit,
        "_exit" | "_Exit" | "quick_exit" => exit_at_once,
        "atexit" => at_exit,
        "unreachable" => unreachable,
        "setbuf" | "setvbuf" | "setlocale" | "signal" | "prefetch" | "tzset" | "alarm"
        | "__gcov_flush" | "usleep" | "sleep" => zero,
        _ => return None,
    })
}

/// A function whose call is an error.
pub(crate) fn report_error(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    Err(Box::new(Outcome::Error { function: call.name.to_owned(), site: m.site() }))
}

fn nothing(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(None)
}

fn zero(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(Some(Value::ZERO))
}

fn nondet(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let target = m.program.types.target();
    let declared = Shape::of(&m.program.types, call.result);
    match (declared, nondet_kind(call.name, target)) {
        (Some(shape), _) => m.nondet_value(shape).map(Some),
        (None, Some(kind)) => Ok(Some(Value::bits(m.nondet(kind.scalar(target))?))),
        (None, None) => Ok(None),
    }
}

fn assume(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    if call.int(m, 0)? == 0 {
        return Err(Box::new(Outcome::AssumptionFailed { site: m.site() }));
    }
    Ok(None)
}

fn assert(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    if call.int(m, 0)? == 0 { report_error(m, call) } else { Ok(None) }
}

fn abort(m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Err(Box::new(Outcome::Abort { site: m.site() }))
}

fn exit(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    Err(Box::new(Outcome::Exit(call.int(m, 0)? as i32)))
}

fn exit_at_once(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.library.at_exit.clear();
    exit(m, call)
}

fn at_exit(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let pointer = call.pointer(m, 0)?;
    let func = m.callee(pointer)?;
    m.library.at_exit.push(func);
    Ok(Some(Value::ZERO))
}

fn unreachable(m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Err(m.fatal(UbKind::Unreachable))
}
