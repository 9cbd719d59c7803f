//! The model's types, places and expressions as C: one printer for pictures and for compilers.
//!
//! In pictures ([`dot`](crate::dot)) the text should be short; in compiled C
//! ([`emit_c`](crate::emit_c)) every subexpression must have the model's type and value, although C
//! promotes small integers and bit-fields behind one's back. [`Fidelity`] says which is wanted.

mod exprs;
mod literals;
mod ops;

pub(crate) use literals::string_literal;

use crate::expr::{ExprId, PlaceId};
use crate::precedence::Binding;
use crate::program::{FuncId, Program, VarId};
use crate::types::{FloatKind, RecordId, RecordKind, Target, Type, TypeId};

/// How things are called.
pub trait Names {
    /// The name of a variable.
    fn var(&self, var: VarId) -> &str;
    /// The name of a function.
    fn func(&self, func: FuncId) -> &str;
    /// The tag of a record.
    fn record(&self, record: RecordId) -> &str;
    /// The name of a member.
    fn field(&self, record: RecordId, field: u32) -> &str;
}

/// The unique names of the model.
#[derive(Clone, Copy, Debug)]
pub struct UniqueNames<'p>(pub &'p Program);

impl Names for UniqueNames<'_> {
    fn var(&self, var: VarId) -> &str {
        self.0.vars.get(var).map_or("?", |var| &var.name)
    }

    fn func(&self, func: FuncId) -> &str {
        self.0.funcs.get(func).map_or("?", |func| &func.name)
    }

    fn record(&self, record: RecordId) -> &str {
        &self.0.types.record(record).name
    }

    fn field(&self, record: RecordId, field: u32) -> &str {
        let field = self.0.types.record(record).fields.get(field as usize);
        field.map(|field| field.name.as_str()).filter(|name| !name.is_empty()).unwrap_or("_")
    }
}

/// What the text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// For people: types of numbers and conversions that C makes by itself are left out.
    Readable,
    /// For compilers: the value of every subexpression is the model's.
    Exact,
}

/// Prints parts of a program as C.
///
/// ```
/// use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
/// use gnomon_ir::program::Program;
/// use gnomon_ir::types::{Target, Types};
///
/// let mut program = Program::new(Target::Lp64);
/// let five = program.int(Types::U64, 5);
/// let names = UniqueNames(&program);
/// assert_eq!(CText::new(&program, &names, Fidelity::Exact).expr(five), "5UL");
/// assert_eq!(CText::new(&program, &names, Fidelity::Readable).expr(five), "5");
/// ```
#[derive(Clone, Copy)]
pub struct CText<'a> {
    program: &'a Program,
    names: &'a dyn Names,
    fidelity: Fidelity,
}

impl<'a> CText<'a> {
    /// A printer of parts of the program.
    pub fn new(program: &'a Program, names: &'a dyn Names, fidelity: Fidelity) -> Self {
        Self { program, names, fidelity }
    }

    /// An expression.
    pub fn expr(&self, e: ExprId) -> String {
        let mut out = String::new();
        self.write_expr(&mut out, e, Binding::Any);
        out
    }

    /// An expression that can stand before a parenthesis, a bracket, a dot.
    pub fn postfix_expr(&self, e: ExprId) -> String {
        let mut out = String::new();
        self.write_expr(&mut out, e, Binding::Postfix);
        out
    }

    /// A place.
    pub fn place(&self, p: PlaceId) -> String {
        let mut out = String::new();
        self.write_place(&mut out, p, Binding::Any);
        out
    }

    /// The address of a place.
    pub fn address(&self, p: PlaceId) -> String {
        let mut out = String::from("&");
        self.write_place(&mut out, p, Binding::Prefix);
        out
    }

    /// A type as in a cast.
    pub fn type_name(&self, ty: TypeId) -> String {
        self.declaration(ty, String::new())
    }

    /// The declaration of something of the type: `int (*name)[3]`.
    pub fn declaration(&self, ty: TypeId, name: String) -> String {
        let (mut ty, mut declarator) = (ty, name);
        loop {
            match self.program.types.get(ty) {
                Type::Pointer(to) => {
                    let target = self.program.types.get(*to);
                    let grouped = matches!(target, Type::Array { .. } | Type::Function(_));
                    declarator =
                        if grouped { format!("(*{declarator})") } else { format!("*{declarator}") };
                    ty = *to;
                }
                Type::Array { elem, len } => {
                    declarator = format!("{declarator}[{len}]");
                    ty = *elem;
                }
                Type::Function(signature) => {
                    let params = if signature.prototyped {
                        let names = signature.params.iter().map(|_| String::new());
                        self.parameters(&signature.params, names, signature.variadic)
                    } else {
                        "()".to_owned()
                    };
                    declarator = format!("{declarator}{params}");
                    ty = signature.result;
                }
                _ => break,
            }
        }
        let base = self.base_type(ty);
        if declarator.is_empty() { base } else { format!("{base} {declarator}") }
    }

    /// The parameters of a prototype in parentheses.
    pub(crate) fn parameters(
        &self,
        types: &[TypeId],
        names: impl Iterator<Item = String>,
        variadic: bool,
    ) -> String {
        let mut parts: Vec<String> =
            types.iter().zip(names).map(|(&ty, name)| self.declaration(ty, name)).collect();
        match (parts.is_empty(), variadic) {
            // C17 cannot say "anything" but without a prototype.
            (true, true) => return "()".to_owned(),
            (true, false) => parts.push("void".to_owned()),
            (false, true) => parts.push("...".to_owned()),
            (false, false) => {}
        }
        format!("({})", parts.join(", "))
    }

    /// A type that is neither pointer nor array nor function.
    fn base_type(&self, ty: TypeId) -> String {
        let word = match *self.program.types.get(ty) {
            Type::Void | Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => "void",
            Type::Bool => "_Bool",
            Type::Int { bits: 8, signed: true } => "char",
            Type::Int { bits: 8, signed: false } => "unsigned char",
            Type::Int { bits: 16, signed: true } => "short",
            Type::Int { bits: 16, signed: false } => "unsigned short",
            Type::Int { bits: 32, signed: true } => "int",
            Type::Int { bits: 32, signed: false } => "unsigned",
            Type::Int { bits: 64, signed } => match (self.program.types.target(), signed) {
                (Target::Lp64, true) => "long",
                (Target::Lp64, false) => "unsigned long",
                (Target::Ilp32, true) => "long long",
                (Target::Ilp32, false) => "unsigned long long",
            },
            Type::Int { signed: true, .. } => "__int128",
            Type::Int { signed: false, .. } => "unsigned __int128",
            Type::Float(FloatKind::F16) => "_Float16",
            Type::Float(FloatKind::F32) => "float",
            Type::Float(FloatKind::F64) => "double",
            Type::Float(FloatKind::X87) => "long double",
            Type::Float(FloatKind::F128) => "_Float128",
            Type::Record(id) => return self.record_type(id),
        };
        word.to_owned()
    }

    /// `struct tag`.
    pub(crate) fn record_type(&self, id: RecordId) -> String {
        let keyword = match self.program.types.record(id).kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        format!("{keyword} {}", self.names.record(id))
    }
}
