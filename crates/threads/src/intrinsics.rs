//! The operations that models of thread libraries are written in.
//!
//! What a primitive of a library does is written in C (`models/threads.c`), over memory as any
//! other program has it, and a few functions without a body that only the reduction understands.
//! So a mutex is a word in the object that the user declared, wherever that is, and nothing of the
//! reduction knows of mutexes.

use gnomon_ir::program::{FuncId, Program, source_name};

/// A function that the reduction understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intrinsic {
    /// No other thread runs from here on; a switch is possible before it.
    AtomicBegin,
    /// Other threads may run again.
    AtomicEnd,
    /// In an atomic section: goes on if the argument is not zero; else the section is given up and
    /// begun again when the thread runs next. Nothing may have been written in it before.
    Await,
    /// The number of the thread that runs, from 1 on.
    Itself,
    /// `spawn(function, argument)`: makes a thread; returns its number.
    Spawn,
    /// `exit_thread(result)`: the thread that runs ends.
    ExitThread,
    /// Whether the thread of that number has ended.
    Ended,
    /// The result of the thread of that number.
    ResultOf,
    /// `sleep_on(object)`: the thread that runs waits for a wake-up through the object.
    SleepOn,
    /// Whether nobody has woken the thread that runs since it began to sleep.
    Asleep,
    /// `wake_one(object)`: wakes one thread that sleeps on the object, if there is one.
    WakeOne,
    /// `wake_all(object)`: wakes all of them.
    WakeAll,
    /// Whether a thread may wake up by itself: anything, but no while deadlocks are looked for.
    Spurious,
    /// `misuse(text)`: a primitive is used in a way that its specification forbids.
    Misuse,
    /// `not_modelled(text)`: what happens from here on is not known.
    NotModelled,
}

impl Intrinsic {
    /// Of the function's name as the user writes it.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "__VERIFIER_atomic_begin" | "__gnomon_atomic_begin" => Self::AtomicBegin,
            "__VERIFIER_atomic_end" | "__gnomon_atomic_end" => Self::AtomicEnd,
            "__gnomon_await" => Self::Await,
            "__gnomon_self" => Self::Itself,
            "__gnomon_spawn" => Self::Spawn,
            "__gnomon_exit_thread" => Self::ExitThread,
            "__gnomon_ended" => Self::Ended,
            "__gnomon_result_of" => Self::ResultOf,
            "__gnomon_sleep_on" => Self::SleepOn,
            "__gnomon_asleep" => Self::Asleep,
            "__gnomon_wake_one" => Self::WakeOne,
            "__gnomon_wake_all" => Self::WakeAll,
            "__gnomon_spurious" => Self::Spurious,
            "__gnomon_misuse" => Self::Misuse,
            "__gnomon_not_modelled" => Self::NotModelled,
            _ => return None,
        })
    }

    /// Of a function of the program; one with a body is none, but for [`Intrinsic::Spawn`] and its
    /// relatives, which have one for the analysis of pointers.
    pub fn of(program: &Program, func: FuncId) -> Option<Self> {
        Self::named(source_name(&program.funcs[func].name))
    }
}

/// Whether the whole body of a function is one step: SV-COMP's `__VERIFIER_atomic_*`.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && Intrinsic::named(name).is_none()
}

/// Functions that are called when something about threads goes wrong, or a bound is met.
pub mod reports {
    /// One more round of contexts is possible.
    pub const MORE_CONTEXTS: &str = "__gnomon_more_contexts";
    /// What happens is not modelled.
    pub const NOT_MODELLED: &str = "__gnomon_unmodelled";
    /// A call that makes threads was executed more often than there are threads for it.
    pub const TOO_MANY_THREADS: &str = "__gnomon_too_many_threads";
    /// A function that shares data has called itself more often than calls of it are followed.
    pub const TOO_DEEP: &str = "__gnomon_too_deep";
    /// No thread can move.
    pub const DEADLOCK: &str = "__gnomon_deadlock";
    /// A primitive is misused.
    pub const MISUSE: &str = "__gnomon_misused";
    /// Two accesses conflict, and nothing orders them.
    pub const RACE: &str = "__gnomon_data_race";

    /// What a call of one of these functions means.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// [`MORE_CONTEXTS`].
        MoreContexts,
        /// [`NOT_MODELLED`].
        NotModelled,
        /// [`TOO_MANY_THREADS`].
        TooManyThreads,
        /// [`TOO_DEEP`].
        TooDeep,
        /// [`DEADLOCK`].
        Deadlock,
        /// [`MISUSE`].
        Misuse,
        /// [`RACE`].
        Race,
    }

    impl Kind {
        /// Of a function by its whole name, with what its name says beside.
        pub fn of(name: &str) -> Option<(Self, Option<&str>)> {
            let (name, text) = match name.split_once('.') {
                Some((name, text)) => (name, Some(text)),
                None => (name, None),
            };
            let kind = match name {
                MORE_CONTEXTS => Self::MoreContexts,
                NOT_MODELLED => Self::NotModelled,
                TOO_MANY_THREADS => Self::TooManyThreads,
                TOO_DEEP => Self::TooDeep,
                DEADLOCK => Self::Deadlock,
                MISUSE => Self::Misuse,
                RACE => Self::Race,
                _ => return None,
            };
            Some((kind, text))
        }
    }
}
