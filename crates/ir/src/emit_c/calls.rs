//! Operations as statements.

use crate::c_text::CText;
use crate::cfa::Op;
use crate::emit_c::{EmitError, Emitter};
use crate::expr::{ExprId, ExprKind, PlaceId};
use crate::program::Function;
use crate::types::{Target, Type};

impl Emitter<'_> {
    /// What an operation that does not branch is in C; returns are not written here.
    pub(super) fn statements(
        &self,
        function: &Function,
        op: &Op,
    ) -> Result<Vec<String>, EmitError> {
        let text = self.text();
        Ok(match op {
            Op::Skip | Op::Assume(_) | Op::Declare(_) | Op::Return(_) => Vec::new(),
            Op::Assign { dst, src } => vec![self.assignment(*dst, *src)],
            Op::Call(call) => vec![text.call(call)],
            Op::Havoc(place) => self.havoc(*place),
            Op::HavocMemory => vec!["__gnomon_havoc((void *)0, 0);".to_owned()],
            Op::Alloca { dst, size } => {
                let ty = text.type_name(self.program.place_ty(*dst));
                let (dst, size) = (text.place(*dst), text.expr(*size));
                vec![format!("{dst} = ({ty})__builtin_alloca({size});")]
            }
            Op::VaStart(list) => {
                let Some(&last) = function.params.last() else {
                    return Err(EmitError::Function {
                        function: function.name.clone(),
                        reason: "va_start needs a parameter".into(),
                    });
                };
                let last = &self.names.vars[last];
                vec![format!("__builtin_va_start({}, {last});", self.va_list(&text, *list))]
            }
            Op::VaArg { dst, list } => {
                let ty = text.type_name(self.program.place_ty(*dst));
                let list = self.va_list(&text, *list);
                vec![format!("{} = __builtin_va_arg({list}, {ty});", text.place(*dst))]
            }
            Op::VaCopy { dst, src } => {
                let (dst, src) = (self.va_list(&text, *dst), self.va_list(&text, *src));
                vec![format!("__builtin_va_copy({dst}, {src});")]
            }
            Op::VaEnd(list) => vec![format!("__builtin_va_end({});", self.va_list(&text, *list))],
        })
    }

    /// The model's list, seen as the compiler's, which has the same layout.
    fn va_list(&self, text: &CText<'_>, list: PlaceId) -> String {
        format!("*(__builtin_va_list *){}", text.address(list))
    }

    fn assignment(&self, dst: PlaceId, src: ExprId) -> String {
        let text = self.text();
        let expr = self.program.exprs.expr(src);
        let aggregate =
            matches!(self.program.types.get(expr.ty), Type::Array { .. } | Type::Record(_));
        let array = matches!(self.program.types.get(expr.ty), Type::Array { .. });
        match expr.kind {
            ExprKind::Zero if aggregate => {
                let (address, place) = (text.address(dst), text.place(dst));
                format!("__builtin_memset({address}, 0, sizeof({place}));")
            }
            ExprKind::Load(src) if array => {
                let place = text.place(dst);
                let (dst, src) = (text.address(dst), text.address(src));
                format!("__builtin_memmove({dst}, {src}, sizeof({place}));")
            }
            _ => format!("{} = {};", text.place(dst), text.expr(src)),
        }
    }

    fn havoc(&self, place: PlaceId) -> Vec<String> {
        let text = self.text();
        let target = text.place(place);
        if !text.is_bit_field(place) {
            return vec![format!("__gnomon_havoc({}, sizeof({target}));", text.address(place))];
        }
        let ty = text.type_name(self.program.place_ty(place));
        let size = match self.program.types.target() {
            Target::Lp64 => "unsigned long",
            Target::Ilp32 => "unsigned int",
        };
        vec![format!(
            "{{ {ty} __gnomon_any = {target}; \
             __gnomon_havoc(&__gnomon_any, ({size})sizeof __gnomon_any); {target} = __gnomon_any; }}"
        )]
    }
}
