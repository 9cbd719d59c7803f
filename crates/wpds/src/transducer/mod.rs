//! Weighted transducers and context-bounded analysis of threads (LAL 6.3 to 6.6).
//!
//! Threads share the control location and the store that the weights speak about, and each has a stack
//! of its own. An *execution context* is a run of one thread without interruption. The question is
//! what several contexts do together: a thread that is resumed goes on with the stack that it had, so
//! what it does in its contexts is tied together by unbounded stacks.
//!
//! 1. What one context of a thread does to its stack is a [`WeightedTransducer`]: it reads the stack
//!    before and writes the stack after (6.4).
//! 2. Several contexts of one thread are the composition of its transducer with itself (6.5.3). It is
//!    never built as a whole, only the part that a question reaches. Its weights are tensors, one
//!    factor for each context ([`TensorProduct`], 6.5.2), because what other threads do comes in
//!    between.
//! 3. [`ConcurrentSystem`] extends the tensors of all threads with each other and puts the factors in
//!    sequence at the end.
//!
//! [`qadeer_rehof`] is the older algorithm that enumerates the shared states at every switch; it is
//! the oracle of the tests.
//!
//! # Example
//!
//! Two threads and a counter modulo three. Each adds one and stops; the first adds one more only if it
//! was resumed after the second one ran.
//!
//! ```
//! use gnomon_wpds::domains::ExplicitRelations;
//! use gnomon_wpds::transducer::{ConcurrentSystem, Schedule, TransducerOptions};
//! use gnomon_wpds::{ConfigSet, Configuration, Kind, Semiring, Wpds};
//!
//! # fn main() -> Result<(), gnomon_wpds::WpdsError> {
//! let domain = ExplicitRelations::new(3);
//! let add = domain.relation([(0, 1), (1, 2), (2, 0)]);
//! let at_two = domain.relation([(2, 2)]);
//! let mut first = Wpds::new(domain, Kind::Weighted);
//! let p = first.add_control("p");
//! let [a, b, error] = ["a", "b", "error"].map(|name| first.add_symbol(name));
//! first.add_step((p, a), (p, b), add.clone())?;
//! first.add_step((p, b), (p, error), at_two)?; // needs the other thread in between
//! let mut second = Wpds::new(domain, Kind::Weighted);
//! let q = second.add_control("p");
//! let [c, d] = ["c", "d"].map(|name| second.add_symbol(name));
//! second.add_step((q, c), (q, d), add)?;
//!
//! let at = |symbol| ConfigSet::single(1, &Configuration { control: p, stack: vec![symbol] });
//! let start = [at(a)?, at(c)?];
//! let goal = [ConfigSet::top(1, p, error)?, ConfigSet::all(1)];
//! let threads = ConcurrentSystem::new(&[&first, &second], &TransducerOptions::default())?;
//! let zero = domain.relation([(0, 0)]); // the store before
//! let from_zero = |w| domain.extend(&zero, &w);
//! let once = threads.weight(&start, &goal, &Schedule::round_robin(2, 1))?;
//! assert!(domain.is_zero(&from_zero(once)?));
//! let twice = threads.weight(&start, &goal, &Schedule::round_robin(2, 2))?;
//! assert_eq!(from_zero(twice)?.pairs(), [(0, 2)]);
//! # Ok(())
//! # }
//! ```
//!
//! # Local variables
//!
//! As in the paper, threads have no merge functions (6.1 leaves them to future work): the weight of a
//! stack does not say which values the frames below the top hold, so the contexts of a thread could not
//! be tied together. Local variables of procedures that are not recursive can be variables of the store
//! that other threads leave alone; those of recursive ones go into the stack symbols.

mod composition;
mod concurrent;
mod qadeer_rehof;
mod schedule;
mod tensor;
mod weighted;

pub use concurrent::{ConcurrentSystem, ContextBounded};
pub use qadeer_rehof::{GlobalStates, qadeer_rehof};
pub use schedule::Schedule;
pub use tensor::{TensorOf, TensorProduct};
pub use weighted::{TransducerOptions, WeightedTransducer};
