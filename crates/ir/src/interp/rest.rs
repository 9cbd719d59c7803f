//! Calls of functions one by one, with the memory that earlier calls left.
//!
//! Between two calls a program is its memory, which can be kept, copied and compared: so all that a
//! program can do can be enumerated, call by call, without running it from its beginning each time.

use gnomon_budget::Budget;

use crate::interp::RunOptions;
use crate::interp::compile::Layout;
use crate::interp::input::{InputSource, ZeroSource};
use crate::interp::library::LibraryState;
use crate::interp::machine::{Known, Machine};
use crate::interp::memory::Memory;
use crate::interp::observe::Discarded;
use crate::interp::outcome::Outcome;
use crate::interp::ub::UndefinedBehaviour;
use crate::program::{FuncId, Program, VarId};
use crate::trace::InputTrace;

/// A program between two calls.
#[derive(Clone)]
pub struct Rest {
    memory: Memory,
    library: LibraryState,
}

impl Rest {
    /// All that the next calls depend on, as bytes; `None` if the library remembers more than
    /// that.
    pub fn contents(&self) -> Option<Box<[u8]>> {
        (!self.library.remembers()).then(|| self.memory.contents())
    }
}

/// How a call went.
pub struct Called {
    /// `None` if it returned.
    pub ended: Option<Outcome>,
    /// What is left behind.
    pub rest: Rest,
    /// Undefined behaviour that did not end it.
    pub noted: Vec<UndefinedBehaviour>,
    /// What it took from outside.
    pub trace: InputTrace,
}

/// Calls functions of a program.
pub struct Calls<'a> {
    program: &'a Program,
    options: &'a RunOptions,
    budget: &'a Budget,
    layout: Layout,
    known: Vec<Known>,
}

impl<'a> Calls<'a> {
    /// With the memory that the program begins with.
    pub fn begin(
        program: &'a Program,
        options: &'a RunOptions,
        budget: &'a Budget,
    ) -> Result<(Self, Rest), Outcome> {
        let (mut inputs, mut output) = (ZeroSource, Discarded);
        let mut machine = Machine::new(program, options, budget, &mut inputs, &mut output, None);
        machine.lay_out().and_then(|()| machine.initialize()).map_err(|stop| *stop)?;
        let Machine { memory, layout, known, library, .. } = machine;
        Ok((Self { program, options, budget, layout, known }, Rest { memory, library }))
    }

    /// Calls a function that takes nothing.
    pub fn call(&mut self, rest: &Rest, func: FuncId, inputs: &mut dyn InputSource) -> Called {
        let mut output = Discarded;
        let mut machine =
            Machine::new(self.program, self.options, self.budget, inputs, &mut output, None);
        machine.memory = rest.memory.clone();
        machine.library = rest.library.clone();
        std::mem::swap(&mut machine.layout, &mut self.layout);
        std::mem::swap(&mut machine.known, &mut self.known);
        let ended = machine.call_and_wait(func, Vec::new()).err().map(|stop| *stop);
        let noted = machine.take_noted();
        let Machine { memory, layout, known, library, trace, .. } = machine;
        (self.layout, self.known) = (layout, known);
        Called { ended, rest: Rest { memory, library }, noted, trace }
    }

    /// Makes a static variable zero.
    pub fn clear(&self, rest: &mut Rest, var: VarId) {
        if let Some(&address) = self.layout.vars.get(var.0 as usize) {
            rest.memory.clear(address);
        }
    }

    /// Exchanges the contents of two static variables of the same size.
    pub fn exchange(&self, rest: &mut Rest, one: VarId, other: VarId) {
        let address = |var: VarId| self.layout.vars.get(var.0 as usize).copied();
        if let (Some(one), Some(other)) = (address(one), address(other)) {
            rest.memory.exchange(one, other);
        }
    }

    /// All that is known of the contents of a static variable, as bytes that can be compared with
    /// those of another one of the same size.
    pub fn contents_of(&self, rest: &Rest, var: VarId) -> Option<Vec<u8>> {
        rest.memory.contents_of(*self.layout.vars.get(var.0 as usize)?)
    }

    /// Writes bytes that were written before in a static variable.
    pub fn overwrite(&self, rest: &mut Rest, var: VarId, offset: usize, bytes: &[u8]) {
        if let Some(&address) = self.layout.vars.get(var.0 as usize) {
            rest.memory.overwrite(address, offset, bytes);
        }
    }

    /// The bytes of a static variable.
    pub fn variable<'r>(&self, rest: &'r Rest, var: VarId) -> Option<&'r [u8]> {
        let address = *self.layout.vars.get(var.0 as usize)?;
        rest.memory.bytes_to_end(address).ok()
    }
}
