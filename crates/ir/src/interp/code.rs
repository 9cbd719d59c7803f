//! What a function is compiled to: a flat list of instructions on registers.
//!
//! Every scalar variable whose address is never taken is a register, and so is every constant; the
//! other variables are objects, whose addresses stand in registers. Registers belong to one call
//! and start as a copy of the function's template.

use crate::cfa::EdgeId;
use crate::expr::{BinaryOp, UnaryOp};
use crate::interp::memory::Access;
use crate::interp::value::{Shape, Value};
use crate::program::{FuncId, VarId};
use crate::types::TypeId;

/// A register of a call.
pub(crate) type Reg = u16;

/// A position in a list of instructions; before linking the number of a label.
pub(crate) type Target = u32;

/// An instruction. `d` is where the result goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inst {
    Copy {
        d: Reg,
        a: Reg,
    },
    /// A constant that found no register.
    Const {
        d: Reg,
        index: u32,
    },
    I32 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    U32 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    I64 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    U64 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    F32 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    F64 {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Any other type, slowly.
    Binary {
        op: BinaryOp,
        shape: Shape,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Unary {
        op: UnaryOp,
        shape: Shape,
        d: Reg,
        a: Reg,
    },
    /// Order of pointers.
    ComparePointers {
        op: BinaryOp,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// A pointer moved by elements of `size` bytes; the index has 64 bits.
    Move {
        d: Reg,
        a: Reg,
        b: Reg,
        size: i64,
    },
    /// The same with an index of 32 bits with sign.
    MoveI32 {
        d: Reg,
        a: Reg,
        b: Reg,
        size: i64,
    },
    /// A pointer moved by bytes.
    Offset {
        d: Reg,
        a: Reg,
        bytes: i64,
    },
    /// Elements between two pointers.
    /// The size of the living allocated object that begins at an address, and one more; else zero.
    Extent {
        d: Reg,
        a: Reg,
    },
    Difference {
        d: Reg,
        a: Reg,
        b: Reg,
        size: i64,
    },
    /// From `from` bits with sign to `to` bits.
    SignExtend {
        d: Reg,
        a: Reg,
        from: u8,
        to: u8,
    },
    /// The lowest `to` bits; the address of a pointer.
    Truncate {
        d: Reg,
        a: Reg,
        to: u8,
    },
    /// Whether it is not zero.
    Truth {
        d: Reg,
        a: Reg,
        shape: Shape,
    },
    /// An address becomes a pointer.
    Pointer {
        d: Reg,
        a: Reg,
    },
    /// Any other conversion.
    Cast {
        d: Reg,
        a: Reg,
        from: Shape,
        to: Shape,
    },
    Load {
        access: Access,
        /// For the question that a read of what was never written asks.
        shape: Shape,
        aligned: bool,
        d: Reg,
        a: Reg,
        offset: i32,
    },
    Store {
        access: Access,
        aligned: bool,
        a: Reg,
        b: Reg,
        offset: i32,
    },
    LoadBits {
        d: Reg,
        a: Reg,
        field: u32,
    },
    StoreBits {
        a: Reg,
        b: Reg,
        field: u32,
    },
    /// Copies `bytes` bytes to `a` from `b`.
    CopyBytes {
        a: Reg,
        b: Reg,
        bytes: u64,
    },
    ZeroBytes {
        a: Reg,
        bytes: u64,
    },
    Jump {
        to: Target,
    },
    /// On the low word of `a`.
    Branch {
        a: Reg,
        then: Target,
        other: Target,
    },
    BranchI32 {
        op: BinaryOp,
        a: Reg,
        b: Reg,
        then: Target,
        other: Target,
    },
    BranchU32 {
        op: BinaryOp,
        a: Reg,
        b: Reg,
        then: Target,
        other: Target,
    },
    BranchI64 {
        op: BinaryOp,
        a: Reg,
        b: Reg,
        then: Target,
        other: Target,
    },
    BranchU64 {
        op: BinaryOp,
        a: Reg,
        b: Reg,
        then: Target,
        other: Target,
    },
    /// Nondeterministic choice among what is open.
    Select {
        index: u32,
    },
    /// A loop goes round.
    Tick,
    /// No edge is open.
    Stuck,
    Call {
        site: u32,
    },
    /// Stores the record that the last call returned.
    TakeRecord {
        a: Reg,
    },
    Return {
        a: Reg,
    },
    ReturnNothing,
    ReturnRecord {
        a: Reg,
        bytes: u64,
    },
    ReturnZero {
        bytes: u64,
    },
    /// Any value.
    Havoc {
        d: Reg,
        shape: Shape,
    },
    /// Any value for what is at `a`.
    HavocBytes {
        a: Reg,
        ty: TypeId,
    },
    /// The register has no value from here on.
    Undefine {
        shadow: Reg,
    },
    Define {
        shadow: Reg,
    },
    /// Gives the register a value if it has none.
    Require {
        d: Reg,
        shadow: Reg,
        shape: Shape,
    },
    /// The contents of the object at `a` are indeterminate from here on.
    Forget {
        a: Reg,
    },
    Alloca {
        d: Reg,
        a: Reg,
    },
    /// The address of a variable of another function, in its latest call that is open: checks of
    /// memory name such variables.
    Outer {
        d: Reg,
        var: VarId,
    },
    VaStart {
        d: Reg,
    },
    /// Takes the argument at `a` into `d` and moves `a` on.
    VaFetch {
        d: Reg,
        a: Reg,
        ty: TypeId,
    },
    /// Takes the record argument at `a`, stores it at `b`, and moves `a` on.
    VaFetchRecord {
        a: Reg,
        b: Reg,
        ty: TypeId,
    },
    /// Tells the observer of an edge.
    Observe {
        edge: EdgeId,
    },
    /// Tells the observer of a load.
    ObserveLoad {
        a: Reg,
        offset: i32,
        bytes: u32,
    },
    /// Tells the observer of a store.
    ObserveStore {
        a: Reg,
        offset: i32,
        bytes: u32,
    },
}

/// A bit-field in memory, relative to a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitAccess {
    pub offset: i64,
    pub shift: u8,
    pub width: u8,
    pub shape: Shape,
}

/// One of several edges that may be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenEdge {
    /// Open if the low word is not zero.
    pub condition: Reg,
    pub to: Target,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Scalar { reg: Reg, ty: TypeId },
    Record { address: Reg, ty: TypeId, bytes: u64 },
    ZeroRecord { ty: TypeId, bytes: u64 },
}

impl Arg {
    pub(crate) fn ty(&self) -> TypeId {
        match *self {
            Arg::Scalar { ty, .. } | Arg::Record { ty, .. } | Arg::ZeroRecord { ty, .. } => ty,
        }
    }
}

/// Who is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallTarget {
    /// A function with a body whose parameters have the types of the arguments.
    Exact(FuncId),
    /// A function that must be looked at.
    Function(FuncId),
    Indirect(Reg),
}

/// What becomes of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultUse {
    Unused,
    Scalar { d: Reg, ty: TypeId },
    Record { ty: TypeId },
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub target: CallTarget,
    pub args: Box<[Arg]>,
    pub result: ResultUse,
}

/// Where a parameter lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    Register(Reg),
    /// The register holds the address of the object.
    Memory(Reg),
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub home: Home,
    pub ty: TypeId,
}

/// A variable that is an object of each call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalObject {
    pub var: VarId,
    /// Where its address is kept.
    pub reg: Reg,
    /// Addresses before it that belong to variables in registers: an object has the same address
    /// whether others are in registers or not.
    pub gap: u64,
    pub bytes: u64,
    pub align: u64,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCode {
    pub func: FuncId,
    pub variadic: bool,
    pub insts: Vec<Inst>,
    /// The edge that an instruction belongs to.
    pub edges: Vec<EdgeId>,
    /// The registers at the start of a call.
    pub template: Vec<Value>,
    pub params: Vec<Param>,
    pub locals: Vec<LocalObject>,
    /// Addresses behind the last object that belong to variables in registers.
    pub last_gap: u64,
    pub constants: Vec<Value>,
    pub bit_fields: Vec<BitAccess>,
    pub selects: Vec<Box<[OpenEdge]>>,
    pub calls: Vec<CallSite>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<Inst>(), 16);
    }
}
