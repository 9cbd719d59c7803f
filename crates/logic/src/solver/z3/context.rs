//! The boundary to libz3: the only place with `unsafe`.
//!
//! A [`Context`] owns a Z3 context with one solver in it. [`Ast`]s are references into the context
//! that made them; the context keeps every one of them alive until it is dropped (contexts are
//! recycled by query count, which bounds what piles up), so an `Ast` needs no reference counting of
//! its own. They never leave `solver::z3`, whose one owner pairs them with their context.
//!
//! Why each call is sound: all pointers come from the same live context; arrays passed are valid
//! for the call with the length given; Z3 copies strings and arrays; results that can be null are
//! `Option`s in the bindings and become [`Z3Error`]. Z3 signals errors by an error code (no handler
//! that exits is installed), which is looked at wherever a call has no other sign of failure.
#![allow(unsafe_code)]

use super::watchdog::Watchdog;
use crate::term::Rounding;
use std::ffi::{CStr, CString};
use std::sync::Once;
use z3_sys as sys;

/// A call to Z3 that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Z3: {0}")]
pub(crate) struct Z3Error(pub(crate) String);

/// A Z3 term of some context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ast(sys::Z3_ast);

/// A Z3 sort of some context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortRef(sys::Z3_sort);

/// A Z3 function of some context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionRef(sys::Z3_func_decl);

/// The value of a parameter.
#[derive(Clone, Copy)]
enum Setting {
    Number(u32),
    Switch(bool),
}

/// What a check said, before reasons are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Sat,
    Unsat,
    Undefined,
}

/// A Z3 context with a solver.
pub(crate) struct Context {
    raw: sys::Z3_context,
    solver: sys::Z3_solver,
    watchdog: Watchdog,
}

type Unary = unsafe extern "C" fn(sys::Z3_context, sys::Z3_ast) -> Option<sys::Z3_ast>;
type Binary =
    unsafe extern "C" fn(sys::Z3_context, sys::Z3_ast, sys::Z3_ast) -> Option<sys::Z3_ast>;
type Nary = unsafe extern "C" fn(sys::Z3_context, u32, *const sys::Z3_ast) -> Option<sys::Z3_ast>;
type RoundedBinary = unsafe extern "C" fn(
    sys::Z3_context,
    sys::Z3_ast,
    sys::Z3_ast,
    sys::Z3_ast,
) -> Option<sys::Z3_ast>;
type RoundedConversion = unsafe extern "C" fn(
    sys::Z3_context,
    sys::Z3_ast,
    sys::Z3_ast,
    sys::Z3_sort,
) -> Option<sys::Z3_ast>;
type RoundedToBits =
    unsafe extern "C" fn(sys::Z3_context, sys::Z3_ast, sys::Z3_ast, u32) -> Option<sys::Z3_ast>;
type Indexed = unsafe extern "C" fn(sys::Z3_context, u32, sys::Z3_ast) -> Option<sys::Z3_ast>;

fn c_string(text: &str) -> Result<CString, Z3Error> {
    CString::new(text).map_err(|_| Z3Error("a text with a zero byte".into()))
}

/// A copy of a string that Z3 owns.
///
/// # Safety
/// `text` is null or a zero-terminated string that lives for the call.
unsafe fn copy(text: sys::Z3_string) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Sets a parameter of libz3 for the whole process; only contexts made later are sure to obey.
fn set_global(name: &str, value: &str) {
    let (Ok(name), Ok(value)) = (c_string(name), c_string(value)) else { return };
    // SAFETY: both strings live for the call; Z3 copies them.
    unsafe { sys::Z3_global_param_set(name.as_ptr(), value.as_ptr()) }
}

/// The version of the library in use.
pub fn version() -> String {
    // SAFETY: a static string.
    unsafe { copy(sys::Z3_get_full_version()) }
}

static MEMORY_LIMIT: Once = Once::new();

impl Context {
    /// A context whose solver is for an SMT-LIB logic, or for all.
    pub(crate) fn new(logic: Option<&str>) -> Result<Self, Z3Error> {
        Self::with_memory(logic, crate::solver::memory::in_process())
    }

    /// The same, with a limit on what all contexts of this process may use together; the first
    /// context of a process decides.
    pub(crate) fn with_memory(logic: Option<&str>, megabytes: u32) -> Result<Self, Z3Error> {
        MEMORY_LIMIT.call_once(|| set_global("memory_max_size", &megabytes.to_string()));
        let logic = logic.map(c_string).transpose()?;
        let failed = || Z3Error("no context could be made".into());
        // SAFETY: the configuration lives until it is deleted after use; the context was made by
        // Z3 and is used with its own solver only.
        unsafe {
            let configuration = sys::Z3_mk_config().ok_or_else(failed)?;
            let raw = sys::Z3_mk_context_rc(configuration);
            sys::Z3_del_config(configuration);
            let raw = raw.ok_or_else(failed)?;
            sys::Z3_set_error_handler(raw, None);
            let solver = match &logic {
                Some(logic) => sys::Z3_mk_string_symbol(raw, logic.as_ptr())
                    .and_then(|symbol| sys::Z3_mk_solver_for_logic(raw, symbol)),
                None => sys::Z3_mk_simple_solver(raw),
            };
            let Some(solver) = solver else {
                sys::Z3_del_context(raw);
                return Err(failed());
            };
            sys::Z3_solver_inc_ref(raw, solver);
            let address = raw.as_ptr() as usize;
            let watchdog = Watchdog::new(move || {
                // SAFETY: interrupting is allowed from another thread; the watchdog is stopped
                // before the context is deleted.
                if let Some(raw) = std::ptr::NonNull::new(address as *mut _) {
                    sys::Z3_interrupt(raw);
                }
            });
            Ok(Self { raw, solver, watchdog })
        }
    }

    fn error(&self) -> Z3Error {
        // SAFETY: the context is live; the message is copied at once.
        unsafe {
            let code = sys::Z3_get_error_code(self.raw);
            Z3Error(copy(sys::Z3_get_error_msg(self.raw, code)))
        }
    }

    /// Keeps a new term alive as long as the context.
    fn keep(&self, made: Option<sys::Z3_ast>) -> Result<Ast, Z3Error> {
        let ast = made.ok_or_else(|| self.error())?;
        // SAFETY: `ast` was made by this context just now.
        unsafe { sys::Z3_inc_ref(self.raw, ast) };
        Ok(Ast(ast))
    }

    fn keep_sort(&self, made: Option<sys::Z3_sort>) -> Result<SortRef, Z3Error> {
        let sort = made.ok_or_else(|| self.error())?;
        // SAFETY: a sort of this context is also a term of it.
        unsafe {
            if let Some(ast) = sys::Z3_sort_to_ast(self.raw, sort) {
                sys::Z3_inc_ref(self.raw, ast);
            }
        }
        Ok(SortRef(sort))
    }

    pub(crate) fn bool_sort(&self) -> Result<SortRef, Z3Error> {
        // SAFETY: see the module.
        self.keep_sort(unsafe { sys::Z3_mk_bool_sort(self.raw) })
    }

    pub(crate) fn int_sort(&self) -> Result<SortRef, Z3Error> {
        // SAFETY: see the module.
        self.keep_sort(unsafe { sys::Z3_mk_int_sort(self.raw) })
    }

    pub(crate) fn bitvec_sort(&self, width: u32) -> Result<SortRef, Z3Error> {
        // SAFETY: see the module.
        self.keep_sort(unsafe { sys::Z3_mk_bv_sort(self.raw, width) })
    }

    pub(crate) fn float_sort(&self, exponent: u32, significand: u32) -> Result<SortRef, Z3Error> {
        // SAFETY: see the module.
        self.keep_sort(unsafe { sys::Z3_mk_fpa_sort(self.raw, exponent, significand) })
    }

    pub(crate) fn array_sort(&self, index: SortRef, element: SortRef) -> Result<SortRef, Z3Error> {
        // SAFETY: see the module.
        self.keep_sort(unsafe { sys::Z3_mk_array_sort(self.raw, index.0, element.0) })
    }

    /// The constant with a name that is a number.
    pub(crate) fn constant(&self, name: u32, sort: SortRef) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        let made = unsafe {
            sys::Z3_mk_int_symbol(self.raw, name as i32)
                .and_then(|symbol| sys::Z3_mk_const(self.raw, symbol, sort.0))
        };
        self.keep(made)
    }

    /// The function with a name that is a number.
    pub(crate) fn function(
        &self,
        name: u32,
        domain: &[SortRef],
        range: SortRef,
    ) -> Result<FunctionRef, Z3Error> {
        let domain: Vec<sys::Z3_sort> = domain.iter().map(|s| s.0).collect();
        // SAFETY: see the module.
        unsafe {
            let made = sys::Z3_mk_int_symbol(self.raw, name as i32).and_then(|symbol| {
                let count = domain.len() as u32;
                sys::Z3_mk_func_decl(self.raw, symbol, count, domain.as_ptr(), range.0)
            });
            let function = made.ok_or_else(|| self.error())?;
            if let Some(ast) = sys::Z3_func_decl_to_ast(self.raw, function) {
                sys::Z3_inc_ref(self.raw, ast);
            }
            Ok(FunctionRef(function))
        }
    }

    pub(crate) fn apply(&self, function: FunctionRef, args: &[Ast]) -> Result<Ast, Z3Error> {
        let args = raw_terms(args);
        // SAFETY: see the module.
        let made =
            unsafe { sys::Z3_mk_app(self.raw, function.0, args.len() as u32, args.as_ptr()) };
        self.keep(made)
    }

    pub(crate) fn truth(&self, value: bool) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        let made =
            unsafe { if value { sys::Z3_mk_true(self.raw) } else { sys::Z3_mk_false(self.raw) } };
        self.keep(made)
    }

    pub(crate) fn small_numeral(&self, value: i64, sort: SortRef) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_int64(self.raw, value, sort.0) })
    }

    pub(crate) fn numeral(&self, decimal: &str, sort: SortRef) -> Result<Ast, Z3Error> {
        let decimal = c_string(decimal)?;
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_numeral(self.raw, decimal.as_ptr(), sort.0) })
    }

    pub(crate) fn unary(&self, function: Unary, a: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, a.0) })
    }

    pub(crate) fn binary(&self, function: Binary, a: Ast, b: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, a.0, b.0) })
    }

    pub(crate) fn nary(&self, function: Nary, args: &[Ast]) -> Result<Ast, Z3Error> {
        let args = raw_terms(args);
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, args.len() as u32, args.as_ptr()) })
    }

    pub(crate) fn ite(&self, condition: Ast, then: Ast, other: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_ite(self.raw, condition.0, then.0, other.0) })
    }

    pub(crate) fn store(&self, array: Ast, index: Ast, value: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_store(self.raw, array.0, index.0, value.0) })
    }

    pub(crate) fn const_array(&self, index: SortRef, value: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_const_array(self.raw, index.0, value.0) })
    }

    pub(crate) fn extract(&self, high: u32, low: u32, a: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_extract(self.raw, high, low, a.0) })
    }

    pub(crate) fn indexed(&self, function: Indexed, by: u32, a: Ast) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, by, a.0) })
    }

    fn rounding(&self, mode: Rounding) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe {
            match mode {
                Rounding::NearestEven => sys::Z3_mk_fpa_rne(self.raw),
                Rounding::NearestAway => sys::Z3_mk_fpa_rna(self.raw),
                Rounding::TowardZero => sys::Z3_mk_fpa_rtz(self.raw),
                Rounding::Up => sys::Z3_mk_fpa_rtp(self.raw),
                Rounding::Down => sys::Z3_mk_fpa_rtn(self.raw),
            }
        })
    }

    pub(crate) fn rounded(&self, function: RoundedBinary, a: Ast, b: Ast) -> Result<Ast, Z3Error> {
        let mode = self.rounding(Rounding::NearestEven)?;
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, mode.0, a.0, b.0) })
    }

    pub(crate) fn rounded_conversion(
        &self,
        function: RoundedConversion,
        a: Ast,
        to: SortRef,
    ) -> Result<Ast, Z3Error> {
        let mode = self.rounding(Rounding::NearestEven)?;
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, mode.0, a.0, to.0) })
    }

    pub(crate) fn float_to_bits(
        &self,
        function: RoundedToBits,
        a: Ast,
        width: u32,
    ) -> Result<Ast, Z3Error> {
        let mode = self.rounding(Rounding::TowardZero)?;
        // SAFETY: see the module.
        self.keep(unsafe { function(self.raw, mode.0, a.0, width) })
    }

    pub(crate) fn square_root(&self, a: Ast) -> Result<Ast, Z3Error> {
        let mode = self.rounding(Rounding::NearestEven)?;
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_fpa_sqrt(self.raw, mode.0, a.0) })
    }

    pub(crate) fn integral(&self, rounding: Rounding, a: Ast) -> Result<Ast, Z3Error> {
        let mode = self.rounding(rounding)?;
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_fpa_round_to_integral(self.raw, mode.0, a.0) })
    }

    pub(crate) fn fused(&self, a: Ast, b: Ast, c: Ast) -> Result<Ast, Z3Error> {
        let mode = self.rounding(Rounding::NearestEven)?;
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_fpa_fma(self.raw, mode.0, a.0, b.0, c.0) })
    }

    pub(crate) fn float_of_bits(&self, bits: Ast, sort: SortRef) -> Result<Ast, Z3Error> {
        // SAFETY: see the module.
        self.keep(unsafe { sys::Z3_mk_fpa_to_fp_bv(self.raw, bits.0, sort.0) })
    }

    // --- the solver ----------------------------------------------------------------------------

    pub(crate) fn push(&self) {
        // SAFETY: see the module.
        unsafe { sys::Z3_solver_push(self.raw, self.solver) }
    }

    /// Closes scopes; there must be as many.
    pub(crate) fn pop(&self, count: u32) {
        // SAFETY: see the module.
        unsafe { sys::Z3_solver_pop(self.raw, self.solver, count) }
    }

    pub(crate) fn assert(&self, formula: Ast) -> Result<(), Z3Error> {
        // SAFETY: see the module.
        unsafe { sys::Z3_solver_assert(self.raw, self.solver, formula.0) }
        self.no_error()
    }

    fn no_error(&self) -> Result<(), Z3Error> {
        // SAFETY: see the module.
        let code = unsafe { sys::Z3_get_error_code(self.raw) };
        if code == sys::ErrorCode::Ok { Ok(()) } else { Err(self.error()) }
    }

    /// Sets the resource limit of each later check (0 for none).
    pub(crate) fn set_resource_limit(&self, limit: u32) -> Result<(), Z3Error> {
        self.set_parameters(|context, parameters| {
            context.put(parameters, "rlimit", Setting::Number(limit))
        })
    }

    /// Less effort per literal: for queries that are decided by few literals. To be called before
    /// anything is asserted.
    pub(crate) fn prefer_small_queries(&self) -> Result<(), Z3Error> {
        self.set_parameters(|context, parameters| {
            context.put(parameters, "auto_config", Setting::Switch(false))?;
            context.put(parameters, "arith.propagation_mode", Setting::Number(0))
        })
    }

    fn set_parameters(
        &self,
        fill: impl FnOnce(&Self, sys::Z3_params) -> Result<(), Z3Error>,
    ) -> Result<(), Z3Error> {
        // SAFETY: the parameter set is referenced while it is used.
        unsafe {
            let parameters = sys::Z3_mk_params(self.raw).ok_or_else(|| self.error())?;
            sys::Z3_params_inc_ref(self.raw, parameters);
            let filled = fill(self, parameters);
            if filled.is_ok() {
                sys::Z3_solver_set_params(self.raw, self.solver, parameters);
            }
            sys::Z3_params_dec_ref(self.raw, parameters);
            filled?;
        }
        self.no_error()
    }

    fn put(&self, parameters: sys::Z3_params, name: &str, setting: Setting) -> Result<(), Z3Error> {
        let name = c_string(name)?;
        // SAFETY: see the module; the caller holds a reference to the parameters.
        unsafe {
            let name =
                sys::Z3_mk_string_symbol(self.raw, name.as_ptr()).ok_or_else(|| self.error())?;
            match setting {
                Setting::Number(value) => {
                    sys::Z3_params_set_uint(self.raw, parameters, name, value);
                }
                Setting::Switch(value) => {
                    sys::Z3_params_set_bool(self.raw, parameters, name, value);
                }
            }
        }
        Ok(())
    }

    /// Checks under assumptions that are propositional constants or their negations.
    pub(crate) fn check(
        &self,
        assumptions: &[Ast],
        guard: Option<std::time::Duration>,
    ) -> Result<Verdict, Z3Error> {
        let assumptions = raw_terms(assumptions);
        let watched = self.watchdog.watch(guard);
        // SAFETY: see the module.
        let verdict = unsafe {
            if assumptions.is_empty() {
                sys::Z3_solver_check(self.raw, self.solver)
            } else {
                let count = assumptions.len() as u32;
                sys::Z3_solver_check_assumptions(self.raw, self.solver, count, assumptions.as_ptr())
            }
        };
        drop(watched);
        match verdict {
            sys::Z3_L_TRUE => Ok(Verdict::Sat),
            sys::Z3_L_FALSE => Ok(Verdict::Unsat),
            _ => self.no_error().map(|()| Verdict::Undefined),
        }
    }

    /// Whether the guard of the last check struck.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.watchdog.struck()
    }

    /// The resources that checks have used so far, by Z3's own count.
    pub(crate) fn resources(&self) -> u64 {
        // SAFETY: the statistics are referenced while they are read; keys are static texts of Z3.
        unsafe {
            let Some(all) = sys::Z3_solver_get_statistics(self.raw, self.solver) else { return 0 };
            sys::Z3_stats_inc_ref(self.raw, all);
            let mut found = 0;
            // It is among the last ones.
            for at in (0..sys::Z3_stats_size(self.raw, all)).rev() {
                let key = sys::Z3_stats_get_key(self.raw, all, at);
                if key.is_null() || std::ffi::CStr::from_ptr(key) != c"rlimit count" {
                    continue;
                }
                found = match sys::Z3_stats_is_uint(self.raw, all, at) {
                    true => sys::Z3_stats_get_uint_value(self.raw, all, at).into(),
                    false => sys::Z3_stats_get_double_value(self.raw, all, at) as u64,
                };
                break;
            }
            sys::Z3_stats_dec_ref(self.raw, all);
            found
        }
    }

    /// Why the last check gave no answer.
    pub(crate) fn reason_unknown(&self) -> String {
        // SAFETY: the text is copied at once.
        unsafe { copy(sys::Z3_solver_get_reason_unknown(self.raw, self.solver)) }
    }

    /// The assumptions that the last check needed.
    pub(crate) fn core(&self) -> Vec<Ast> {
        // SAFETY: the vector is referenced while it is read; its members are assumptions that the
        // context keeps alive.
        unsafe {
            let Some(vector) = sys::Z3_solver_get_unsat_core(self.raw, self.solver) else {
                return Vec::new();
            };
            sys::Z3_ast_vector_inc_ref(self.raw, vector);
            let size = sys::Z3_ast_vector_size(self.raw, vector);
            let members =
                (0..size).filter_map(|at| sys::Z3_ast_vector_get(self.raw, vector, at)).map(Ast);
            let members = members.collect();
            sys::Z3_ast_vector_dec_ref(self.raw, vector);
            members
        }
    }

    /// Values of terms in the model of the last check, in Z3's SMT-LIB text (floating-point
    /// terms must be given as their bits); `None` where there is none.
    pub(crate) fn values(&self, of: &[Ast]) -> Result<Vec<Option<String>>, Z3Error> {
        // SAFETY: the model is referenced while it is used; each value before it is printed.
        unsafe {
            let model = sys::Z3_solver_get_model(self.raw, self.solver);
            let model = model.ok_or_else(|| self.error())?;
            sys::Z3_model_inc_ref(self.raw, model);
            let mut values = Vec::with_capacity(of.len());
            for term in of {
                let mut value = term.0;
                if sys::Z3_model_eval(self.raw, model, term.0, true, &raw mut value) {
                    sys::Z3_inc_ref(self.raw, value);
                    // Truth values are most of what is asked for: they are not printed.
                    values.push(Some(match sys::Z3_get_bool_value(self.raw, value) {
                        sys::Z3_L_TRUE => "true".to_owned(),
                        sys::Z3_L_FALSE => "false".to_owned(),
                        _ => copy(sys::Z3_ast_to_string(self.raw, value)),
                    }));
                    sys::Z3_dec_ref(self.raw, value);
                } else {
                    values.push(None);
                }
            }
            sys::Z3_model_dec_ref(self.raw, model);
            Ok(values)
        }
    }

    /// Runs SMT-LIB commands on this context (apart from its solver) and gives what they print.
    pub(crate) fn run_script(&self, script: &str) -> Result<String, Z3Error> {
        let script = c_string(script)?;
        // SAFETY: the result is copied at once.
        Ok(unsafe { copy(sys::Z3_eval_smtlib2_string(self.raw, script.as_ptr())) })
    }
}

/// The raw pointers of terms, without copying.
fn raw_terms(terms: &[Ast]) -> Vec<sys::Z3_ast> {
    terms.iter().map(|t| t.0).collect()
}

impl Drop for Context {
    fn drop(&mut self) {
        self.watchdog.stop();
        // SAFETY: nobody else holds the context: the watchdog was stopped, terms never leave.
        unsafe {
            sys::Z3_solver_dec_ref(self.raw, self.solver);
            sys::Z3_del_context(self.raw);
        }
    }
}
