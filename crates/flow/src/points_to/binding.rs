//! What a call binds: arguments to parameters, results to where they go. Used for direct calls
//! before solving and for calls through pointers whenever a solver finds a new callee.

use gnomon_ir::program::{FuncId, Program};

use super::allocators::Allocators;
use super::leaves::LeavesOfTypes;
use super::library;
use super::objects::Objects;
use super::sink::{CallInfo, NodeId, Sink};

/// The nodes of a function with a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    /// The parts of each parameter.
    pub params: Vec<Vec<NodeId>>,
    /// The parts of the result.
    pub result: Vec<NodeId>,
    /// All arguments behind the declared ones.
    pub further: Option<NodeId>,
}

/// What is known of a program before solving.
pub(crate) struct Model<'a> {
    pub program: &'a Program,
    pub objects: &'a Objects,
    pub allocators: &'a Allocators,
    pub leaves: LeavesOfTypes,
    /// By function; empty for those without a body.
    pub interfaces: Vec<Interface>,
}

impl Model<'_> {
    /// The nodes of a function.
    pub(crate) fn interface(&self, func: FuncId) -> &Interface {
        &self.interfaces[func.0 as usize]
    }

    /// Binds a call to a function.
    pub(crate) fn bind(&self, sink: &mut impl Sink, call: &CallInfo, func: FuncId) {
        if self.program.funcs[func].body.is_none() {
            library::call(self, sink, call, func);
            return;
        }
        let interface = self.interface(func);
        for (i, arg) in call.args.iter().enumerate() {
            match (interface.params.get(i), interface.further) {
                (Some(param), _) => flow_parts(sink, arg, param),
                (None, Some(further)) => flow_parts(sink, arg, &[further]),
                (None, None) => {}
            }
        }
        match self.allocators.fresh_result(call.site, func) {
            // What the function returns was allocated during this very call.
            Some(objects) => {
                for &to in &call.result {
                    library::new_objects(self, sink, objects, to);
                }
            }
            None => flow_parts(sink, &interface.result, &call.result),
        }
    }

    /// Binds a call to code that nothing is known of.
    pub(crate) fn bind_outside(&self, sink: &mut impl Sink, call: &CallInfo) {
        for &part in call.args.iter().flatten() {
            sink.copy(part, NodeId::OUTSIDE);
        }
        self.result_from_outside(sink, call);
    }

    /// The result is something that the environment knows. Numbers too small for an address are
    /// taken for numbers.
    pub(crate) fn result_from_outside(&self, sink: &mut impl Sink, call: &CallInfo) {
        let types = &self.program.types;
        let width = types.int_shape(call.result_ty).map(|shape| shape.0);
        if width.is_some_and(|width| width < types.target().pointer_bits()) {
            return;
        }
        for &to in &call.result {
            sink.copy(NodeId::OUTSIDE, to);
        }
    }

    /// Binds calls from outside to a function that escaped.
    pub(crate) fn bind_from_outside(&self, sink: &mut impl Sink, func: FuncId) {
        let interface = self.interface(func);
        for &param in interface.params.iter().flatten().chain(&interface.further) {
            sink.copy(NodeId::OUTSIDE, param);
        }
        for &part in &interface.result {
            sink.copy(part, NodeId::OUTSIDE);
        }
    }
}

/// Values of several parts flow part by part; where the types differ, anything may go anywhere.
pub(crate) fn flow_parts(sink: &mut impl Sink, from: &[NodeId], to: &[NodeId]) {
    if from.len() == to.len() {
        for (&from, &to) in from.iter().zip(to) {
            sink.copy(from, to);
        }
        return;
    }
    for &from in from {
        for &to in to {
            sink.copy(from, to);
        }
    }
}
