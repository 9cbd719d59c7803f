//! What pointers may point to: the facts that the encoding of memory takes from an alias analysis.
//!
//! The encoding does not depend on any analysis; an analysis implements [`Aliases`]. What it says
//! must hold for every run as the interpreter has it: a pointer value belongs to an object and lies
//! at an offset in it, also after it went through integers or bytes.
//!
//! [`Everything`] is the answer of no analysis at all: any pointer may point to any byte of any
//! object whose address is known. It is sound and makes large formulas.

use gnomon_ir::cfa::{Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};

/// Something that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A variable; of a recursive function, all its instances.
    Variable(VarId),
    /// All objects that an edge allocates: a call of `malloc` and the like, an
    /// [`Op::Alloca`].
    Allocated {
        /// The function with the edge.
        function: FuncId,
        /// The edge.
        edge: EdgeId,
        /// Tells apart what the analysis tells apart, by calling context for example; any number.
        context: u32,
    },
    /// A function.
    Function(FuncId),
    /// All objects of the environment: what pointers that come from outside lead to and the
    /// program does not name. They lie in a range of addresses of their own.
    Outside,
}

/// Where in an object a pointer may point, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Offset {
    /// There and nowhere else.
    Exact(u64),
    /// At every offset that leaves this remainder when divided by the modulus, in bounds or not;
    /// negative ones too. `remainder < modulus`.
    Modulo {
        /// The remainder.
        remainder: u64,
        /// Not zero: the size of the elements, or 1 if nothing is known.
        modulus: u64,
    },
}

impl Offset {
    /// Any offset.
    pub const ANY: Self = Self::Modulo { remainder: 0, modulus: 1 };

    /// Offsets that lie `bytes` further.
    #[must_use]
    pub fn moved(self, bytes: i64) -> Self {
        match self {
            Self::Exact(at) => match at.checked_add_signed(bytes) {
                Some(at) => Self::Exact(at),
                // In front of the object, where nothing is accessed.
                None => Self::ANY,
            },
            Self::Modulo { remainder, modulus } => {
                let moved = (i128::from(remainder) + i128::from(bytes))
                    .rem_euclid(i128::from(modulus.max(1)));
                Self::Modulo { remainder: moved as u64, modulus }
            }
        }
    }

    /// Offsets that lie any multiple of `stride` bytes further, to either side.
    #[must_use]
    pub fn repeated(self, stride: u64) -> Self {
        if stride == 0 {
            return self;
        }
        let (at, modulus) = match self {
            Self::Exact(at) => (at, stride),
            Self::Modulo { remainder, modulus } => (remainder, gcd(modulus, stride)),
        };
        Self::Modulo { remainder: at % modulus, modulus }
    }
}

/// The greatest common divisor; that of 0 and `a` is `a`.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An object and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The object.
    pub object: Object,
    /// Where in it.
    pub offset: Offset,
}

/// Where a pointer may point. Null, and pointers into no object, are always possible and never
/// listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Nowhere else. Sorted, each once.
    Known(Vec<Target>),
    /// Nobody was asked.
    Anything,
}

/// Whether a value is a pointer to a function by its type, before it was converted. Other pointers
/// that come from outside are taken to lead to objects, also where functions are known outside.
pub fn is_code_pointer(program: &Program, mut value: ExprId) -> bool {
    loop {
        let ty = program.expr_ty(value);
        let to = program.types.pointee(ty);
        if to.is_some_and(|to| program.types.signature(to).is_some()) {
            return true;
        }
        match program.exprs.expr(value).kind {
            ExprKind::Cast(inner) => value = inner,
            _ => return false,
        }
    }
}

/// What an alias analysis knows.
pub trait Aliases {
    /// Where the value of an expression of pointer type (or of an integer that a pointer was
    /// converted to) may point, whenever it is evaluated in any run. For the expression as it
    /// stands: the offsets of `p + 1` are those behind the move.
    ///
    /// Asked for the pointers of all dereferences and calls, for pointers that are compared by order
    /// or subtracted, and for the pointer arguments of functions of the library.
    fn targets(&self, pointer: ExprId) -> Targets;

    /// What code outside of the program may know, and so write, at any time: what was given to
    /// functions without a body, what can be reached from there, and objects that are only
    /// declared. Sorted, each once; `None` if nobody knows.
    fn escaped(&self) -> Option<Vec<Object>> {
        None
    }
}

/// No analysis: any pointer points to any byte of any object whose address is known.
#[derive(Clone, Debug)]
pub struct Everything {
    targets: Vec<Target>,
}

impl Everything {
    /// For a program.
    pub fn new(program: &Program) -> Self {
        let mut objects: Vec<Object> = program
            .vars
            .iter_ids()
            .filter(|(_, var)| var.address_taken)
            .map(|(id, _)| Object::Variable(id))
            .collect();
        for (function, info) in program.funcs.iter_ids() {
            objects.push(Object::Function(function));
            let edges = info.body.iter().flat_map(|body| body.edges().iter_ids());
            let allocating = edges.filter(|(_, edge)| allocates(program, &edge.op));
            objects.extend(allocating.map(|(edge, _)| Object::Allocated {
                function,
                edge,
                context: 0,
            }));
        }
        objects.sort_unstable();
        let target = |object| Target { object, offset: Offset::ANY };
        Self { targets: objects.into_iter().map(target).collect() }
    }
}

impl Aliases for Everything {
    fn targets(&self, _pointer: ExprId) -> Targets {
        Targets::Known(self.targets.clone())
    }
}

/// Whether an operation makes an [`Object::Allocated`]. A call through a pointer may.
pub fn allocates(program: &Program, op: &Op) -> bool {
    match op {
        Op::Alloca { .. } => true,
        Op::Call(call) => match call.callee {
            Callee::Direct(func) => {
                let callee = &program.funcs[func];
                let name = source_name(&callee.name);
                callee.body.is_none()
                    && matches!(classify(name, program.types.target()), Library::Alloc(_))
            }
            Callee::Indirect(_) => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_move_and_repeat() {
        assert_eq!(Offset::Exact(4).moved(8), Offset::Exact(12));
        assert_eq!(Offset::Exact(4).moved(-8), Offset::ANY);
        let elements = Offset::Exact(20).repeated(8);
        assert_eq!(elements, Offset::Modulo { remainder: 4, modulus: 8 });
        assert_eq!(elements.moved(-5), Offset::Modulo { remainder: 7, modulus: 8 });
        assert_eq!(elements.repeated(12), Offset::Modulo { remainder: 0, modulus: 4 });
        assert_eq!(elements.repeated(0), elements);
    }
}
