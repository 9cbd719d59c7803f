//! Operations on edges as one line of C each, for people.

use crate::c_text::CText;
use crate::cfa::{Call, Callee, Op};

impl CText<'_> {
    /// What happens on an edge: a statement, or a condition in brackets.
    pub fn op(&self, op: &Op) -> String {
        match op {
            Op::Skip => String::new(),
            Op::Assume(e) => format!("[{}]", self.expr(*e)),
            Op::Assign { dst, src } => format!("{} = {};", self.place(*dst), self.expr(*src)),
            Op::Call(call) => self.call(call),
            Op::Return(None) => "return;".to_owned(),
            Op::Return(Some(e)) => format!("return {};", self.expr(*e)),
            Op::Havoc(place) => format!("havoc({});", self.place(*place)),
            Op::HavocMemory => "havoc(memory);".to_owned(),
            Op::Declare(var) => {
                let ty = self.program.vars.get(*var).map(|var| var.ty);
                let name = self.names.var(*var).to_owned();
                ty.map_or(String::new(), |ty| format!("{};", self.declaration(ty, name)))
            }
            Op::Alloca { dst, size } => {
                format!("{} = alloca({});", self.place(*dst), self.expr(*size))
            }
            Op::VaStart(list) => format!("va_start({});", self.place(*list)),
            Op::VaArg { dst, list } => {
                let ty = self.type_name(self.program.place_ty(*dst));
                format!("{} = va_arg({}, {ty});", self.place(*dst), self.place(*list))
            }
            Op::VaCopy { dst, src } => {
                format!("va_copy({}, {});", self.place(*dst), self.place(*src))
            }
            Op::VaEnd(list) => format!("va_end({});", self.place(*list)),
        }
    }

    /// A call as a statement.
    pub(crate) fn call(&self, call: &Call) -> String {
        let callee = match call.callee {
            Callee::Direct(func) => self.names.func(func).to_owned(),
            Callee::Indirect(pointer) => self.postfix_expr(pointer),
        };
        let args: Vec<String> = call.args.iter().map(|&arg| self.expr(arg)).collect();
        let result = call.dst.map_or(String::new(), |dst| format!("{} = ", self.place(dst)));
        format!("{result}{callee}({});", args.join(", "))
    }
}
