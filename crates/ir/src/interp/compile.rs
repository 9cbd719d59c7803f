//! Compiles functions of the model to [`FunctionCode`].
//!
//! One block of instructions for each location, in depth-first order so that most edges fall
//! through. A branch of two complementary assumptions becomes one instruction; any other location
//! with several edges evaluates all its assumptions and asks which of the open edges to take.

mod expr;
mod ops;

use rustc_hash::FxHashMap;

use crate::arena::Id;
use crate::cfa::{Cfa, EdgeId, LocId, Op};
use crate::expr::{BinaryOp, ExprId, ExprKind, Exprs};
use crate::interp::assigned::maybe_unassigned;
use crate::interp::code::{FunctionCode, Home, Inst, LocalObject, OpenEdge, Param, Reg};
use crate::interp::memory::room_for;
use crate::interp::value::Value;
use crate::program::{FuncId, Program, VarId};
use crate::types::{Type, TypeId, Types};

/// The addresses of what does not move: static variables and functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// By variable; zero for those that are not static.
    pub vars: Vec<Value>,
    /// By function.
    pub funcs: Vec<Value>,
}

/// A function that cannot be compiled: the model is not well-formed, or it is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CompileError(pub String);

/// What the compiled code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Speed,
    /// Edges are told to an observer.
    Edges,
    /// All variables are objects, and edges and stores are told to an observer.
    Observation,
}

/// At most so many variables, and as many constants, get registers.
const MAX_REGISTERS_OF_A_KIND: usize = 20_000;

/// Where a variable of the function lives.
#[derive(Clone, Copy, Debug)]
enum VarHome {
    Register {
        reg: Reg,
        /// Not zero once the variable has a value; only where that is not certain.
        shadow: Option<Reg>,
    },
    /// The register holds the address.
    Memory(Reg),
}

struct Compiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    purpose: Purpose,
    code: FunctionCode,
    edge: EdgeId,
    homes: FxHashMap<VarId, VarHome>,
    constants: FxHashMap<(u64, u64), Reg>,
    is_temporary: Vec<bool>,
    free_temporaries: Vec<Reg>,
    /// The position of each label; the first ones are the locations.
    labels: Vec<u32>,
}

/// The code of a function with a body.
pub(crate) fn compile(
    program: &Program,
    layout: &Layout,
    func: FuncId,
    purpose: Purpose,
) -> Result<FunctionCode, CompileError> {
    let function = &program.funcs[func];
    let body = function
        .body
        .as_ref()
        .ok_or_else(|| CompileError(format!("{} has no body", function.name)))?;
    let mut compiler = Compiler::new(program, layout, func, purpose);
    compiler.place_variables(body)?;
    compiler.blocks(body)?;
    compiler.link();
    Ok(compiler.code)
}

/// The code that stores the initial value of a static variable.
pub(crate) fn compile_initializer(
    program: &Program,
    layout: &Layout,
    items: &[crate::program::InitItem],
) -> Result<FunctionCode, CompileError> {
    let mut compiler = Compiler::new(program, layout, FuncId(0), Purpose::Speed);
    for item in items {
        if let crate::program::InitItem::Value { place, value } = item {
            compiler.assign(*place, *value)?;
        }
    }
    compiler.emit(Inst::ReturnNothing);
    compiler.link();
    Ok(compiler.code)
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, layout: &'a Layout, func: FuncId, purpose: Purpose) -> Self {
        let variadic = program
            .funcs
            .get(func)
            .and_then(|f| program.types.signature(f.ty))
            .is_some_and(|s| s.variadic);
        let code = FunctionCode {
            func,
            variadic,
            insts: Vec::new(),
            edges: Vec::new(),
            template: Vec::new(),
            params: Vec::new(),
            locals: Vec::new(),
            last_gap: 0,
            constants: Vec::new(),
            bit_fields: Vec::new(),
            selects: Vec::new(),
            calls: Vec::new(),
        };
        Self {
            program,
            layout,
            purpose,
            code,
            edge: EdgeId(0),
            homes: FxHashMap::default(),
            constants: FxHashMap::default(),
            is_temporary: Vec::new(),
            free_temporaries: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn types(&self) -> &'a Types {
        &self.program.types
    }

    fn exprs(&self) -> &'a Exprs {
        &self.program.exprs
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, CompileError> {
        let name = self.program.funcs.get(self.code.func).map_or("", |f| f.name.as_str());
        Err(CompileError(format!("{name}: {}", message.into())))
    }

    fn emit(&mut self, inst: Inst) {
        self.code.insts.push(inst);
        self.code.edges.push(self.edge);
    }

    /// A register of its own.
    fn fresh(&mut self, value: Value) -> Result<Reg, CompileError> {
        let Ok(reg) = Reg::try_from(self.code.template.len()) else {
            return self.error("the function needs too many registers");
        };
        self.code.template.push(value);
        self.is_temporary.push(false);
        Ok(reg)
    }

    fn temporary(&mut self) -> Result<Reg, CompileError> {
        if let Some(reg) = self.free_temporaries.pop() {
            return Ok(reg);
        }
        let reg = self.fresh(Value::ZERO)?;
        self.is_temporary[usize::from(reg)] = true;
        Ok(reg)
    }

    /// The temporary may be used again: its value was read for the last time.
    fn release(&mut self, reg: Reg) {
        if self.is_temporary[usize::from(reg)] {
            self.free_temporaries.push(reg);
        }
    }

    fn constant(&mut self, value: Value) -> Result<Reg, CompileError> {
        if let Some(&reg) = self.constants.get(&(value.lo, value.hi)) {
            return Ok(reg);
        }
        if self.constants.len() >= MAX_REGISTERS_OF_A_KIND {
            let d = self.temporary()?;
            let index = self.code.constants.len() as u32;
            self.code.constants.push(value);
            self.emit(Inst::Const { d, index });
            return Ok(d);
        }
        let reg = self.fresh(value)?;
        self.constants.insert((value.lo, value.hi), reg);
        Ok(reg)
    }

    fn place_variables(&mut self, body: &Cfa) -> Result<(), CompileError> {
        let function = &self.program.funcs[self.code.func];
        let in_register = |var: VarId| {
            let v = &self.program.vars[var];
            let scalar = self.program.types.is_scalar(v.ty);
            scalar && !v.address_taken && self.purpose != Purpose::Observation
        };
        let mut registers: Vec<VarId> = function
            .params
            .iter()
            .chain(&function.locals)
            .copied()
            .filter(|&var| in_register(var))
            .collect();
        registers.truncate(MAX_REGISTERS_OF_A_KIND);
        for &var in &registers {
            let reg = self.fresh(Value::ZERO)?;
            self.homes.insert(var, VarHome::Register { reg, shadow: None });
        }
        let locals: Vec<VarId> = function
            .locals
            .iter()
            .copied()
            .filter(|v| matches!(self.homes.get(v), Some(VarHome::Register { .. })))
            .collect();
        let unassigned = maybe_unassigned(self.exprs(), body, &locals);
        for (&var, _) in locals.iter().zip(unassigned).filter(|(_, unassigned)| *unassigned) {
            let new = self.fresh(Value::ZERO)?;
            if let Some(VarHome::Register { shadow, .. }) = self.homes.get_mut(&var) {
                *shadow = Some(new);
            }
        }
        let mut gap = 0u64;
        for &var in function.params.iter().chain(&function.locals) {
            if self.homes.contains_key(&var) {
                gap += room_for(self.types().size(self.program.vars[var].ty));
                continue;
            }
            let reg = self.fresh(Value::ZERO)?;
            self.homes.insert(var, VarHome::Memory(reg));
            let ty = self.program.vars[var].ty;
            let (bytes, align) = (self.types().size(ty), align_of(self.types(), ty));
            let gap = std::mem::take(&mut gap);
            self.code.locals.push(LocalObject { var, reg, gap, bytes, align });
        }
        self.code.last_gap = gap;
        for &var in &function.params {
            let home = match self.homes[&var] {
                VarHome::Register { reg, .. } => Home::Register(reg),
                VarHome::Memory(reg) => Home::Memory(reg),
            };
            self.code.params.push(Param { home, ty: self.program.vars[var].ty });
        }
        Ok(())
    }

    fn blocks(&mut self, body: &Cfa) -> Result<(), CompileError> {
        self.labels = vec![u32::MAX; body.loc_count()];
        let order = depth_first(body);
        let mut position = vec![usize::MAX; body.loc_count()];
        for (i, loc) in order.iter().enumerate() {
            position[loc.index()] = i;
        }
        let mut is_loop_head = vec![false; body.loc_count()];
        for edge in body.edges().iter() {
            let (from, to) = (position[edge.from.index()], position[edge.to.index()]);
            if from != usize::MAX && to <= from {
                is_loop_head[edge.to.index()] = true;
            }
        }
        for (i, &loc) in order.iter().enumerate() {
            self.bind(loc.0);
            if let Some(&first) = body.out_edges(loc).first() {
                self.edge = first;
            }
            if is_loop_head[loc.index()] {
                self.emit(Inst::Tick);
            }
            self.block(body, loc, order.get(i + 1).copied())?;
        }
        Ok(())
    }

    fn block(&mut self, body: &Cfa, loc: LocId, next: Option<LocId>) -> Result<(), CompileError> {
        if loc == body.exit() {
            self.emit(Inst::ReturnNothing);
            return Ok(());
        }
        match *body.out_edges(loc) {
            [] => self.emit(Inst::Stuck),
            [only] => match body.edge(only).op {
                Op::Assume(condition) => {
                    let (then, other) = (self.label(), self.label());
                    self.branch(condition, then, other)?;
                    self.bind(other);
                    self.emit(Inst::Stuck);
                    self.bind(then);
                    self.edge(body, only, next)?;
                }
                _ => self.edge(body, only, next)?,
            },
            [first, second] if complementary(self.program, body, first, second) => {
                let Op::Assume(condition) = body.edge(first).op else { return Ok(()) };
                let target = |compiler: &mut Self, edge: EdgeId| match compiler.purpose {
                    Purpose::Speed => body.edge(edge).to.0,
                    Purpose::Edges | Purpose::Observation => compiler.label(),
                };
                let (then, other) = (target(self, first), target(self, second));
                self.branch(condition, then, other)?;
                if self.purpose != Purpose::Speed {
                    self.bind(then);
                    self.edge(body, first, None)?;
                    self.bind(other);
                    self.edge(body, second, None)?;
                }
            }
            ref several => {
                let mut options = Vec::new();
                for &edge in several {
                    self.edge = edge;
                    let condition = match body.edge(edge).op {
                        Op::Assume(condition) => self.truth(condition)?,
                        _ => self.constant(Value::word(1))?,
                    };
                    options.push(OpenEdge { condition, to: self.label() });
                }
                for option in &options {
                    self.release(option.condition);
                }
                let targets: Vec<u32> = options.iter().map(|option| option.to).collect();
                let index = self.code.selects.len() as u32;
                self.code.selects.push(options.into());
                self.emit(Inst::Select { index });
                for (&edge, target) in several.iter().zip(targets) {
                    self.bind(target);
                    self.edge(body, edge, None)?;
                }
            }
        }
        Ok(())
    }

    /// What happens on an edge that was chosen, and the way to its end.
    fn edge(&mut self, body: &Cfa, id: EdgeId, next: Option<LocId>) -> Result<(), CompileError> {
        self.edge = id;
        if self.purpose != Purpose::Speed {
            self.emit(Inst::Observe { edge: id });
        }
        let edge = body.edge(id);
        self.op(&edge.op)?;
        let returned = matches!(edge.op, Op::Return(_));
        if !returned && next != Some(edge.to) {
            self.emit(Inst::Jump { to: edge.to.0 });
        }
        Ok(())
    }

    fn label(&mut self) -> u32 {
        self.labels.push(u32::MAX);
        (self.labels.len() - 1) as u32
    }

    fn bind(&mut self, label: u32) {
        self.labels[label as usize] = self.code.insts.len() as u32;
    }

    /// Replaces labels by positions.
    fn link(&mut self) {
        let labels = &self.labels;
        let resolve = |target: &mut u32| *target = labels[*target as usize];
        for inst in &mut self.code.insts {
            match inst {
                Inst::Jump { to } => resolve(to),
                Inst::Branch { then, other, .. }
                | Inst::BranchI32 { then, other, .. }
                | Inst::BranchU32 { then, other, .. }
                | Inst::BranchI64 { then, other, .. }
                | Inst::BranchU64 { then, other, .. } => {
                    resolve(then);
                    resolve(other);
                }
                _ => {}
            }
        }
        for select in &mut self.code.selects {
            for option in select.iter_mut() {
                resolve(&mut option.to);
            }
        }
    }
}

/// The alignment of a variable of that type; the memory gives 16 bytes to every object anyway.
pub(crate) fn align_of(types: &Types, ty: TypeId) -> u64 {
    match *types.get(ty) {
        Type::Record(record) => types.record(record).align,
        Type::Array { elem, .. } => align_of(types, elem),
        _ => 1,
    }
}

fn depth_first(body: &Cfa) -> Vec<LocId> {
    let mut seen = vec![false; body.loc_count()];
    let mut order = Vec::new();
    let mut work = vec![body.entry()];
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        order.push(loc);
        work.extend(body.out_edges(loc).iter().rev().map(|&edge| body.edge(edge).to));
    }
    order
}

/// Whether exactly one of two edges is open, whatever the values are.
fn complementary(program: &Program, body: &Cfa, first: EdgeId, second: EdgeId) -> bool {
    let (Op::Assume(a), Op::Assume(b)) = (&body.edge(first).op, &body.edge(second).op) else {
        return false;
    };
    is_negation(program, *a, *b) || is_negation(program, *b, *a)
}

/// Whether the second is the first turned round, as `Program::not` does it.
fn is_negation(program: &Program, a: ExprId, b: ExprId) -> bool {
    let exprs = &program.exprs;
    if let (Some(x), Some(y)) = (program.as_truth(a), program.as_truth(b)) {
        return x != y;
    }
    let ExprKind::Binary(op, x, y) = exprs.expr(b).kind else { return false };
    if op == BinaryOp::Eq && x == a && exprs.const_bits(y) == Some(0) {
        return true;
    }
    match exprs.expr(a).kind {
        ExprKind::Binary(of_a, ax, ay) if ax == x && ay == y => {
            let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            of_a.negated() == Some(op) && (equality || !program.types.is_float(exprs.ty(x)))
        }
        _ => false,
    }
}
