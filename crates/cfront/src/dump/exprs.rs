//! Expressions, initialisers and literals.

use super::Dumper;
use crate::ast::{
    BinaryOp, Designator, Encoding, ExprId, ExprKind, FloatLit, FloatSuffix, Init, InitListId,
    IntLength, IntLit, OffsetofPart, StringId, StringUnits, TypeNameId, UnaryOp,
};

impl BinaryOp {
    /// The operator as written in C.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

impl UnaryOp {
    /// The operator as written in C.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "!",
            UnaryOp::Deref => "*",
            UnaryOp::AddressOf => "&",
            UnaryOp::PreInc | UnaryOp::PostInc => "++",
            UnaryOp::PreDec | UnaryOp::PostDec => "--",
            UnaryOp::Real => "__real__",
            UnaryOp::Imag => "__imag__",
        }
    }
}

impl Dumper<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        // Trees can be as deep as the parser allows; the same measure as there.
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        match self.ast[id].kind {
            ExprKind::Ident(name) => self.name(name),
            ExprKind::Int(literal) => self.int(self.ast[literal]),
            ExprKind::Float(literal) => self.float(literal),
            ExprKind::Char(literal) => {
                self.prefix(literal.encoding);
                self.word(&format!("'{}'", literal.value));
            }
            ExprKind::Str(string) => self.string(string),
            ExprKind::Bool(value) => self.word(if value { "true" } else { "false" }),
            ExprKind::Nullptr => self.word("nullptr"),
            ExprKind::Unary { op: op @ (UnaryOp::PostInc | UnaryOp::PostDec), operand } => {
                self.node(&format!("post{}", op.symbol()), &[operand]);
            }
            ExprKind::Unary { op, operand } => self.node(op.symbol(), &[operand]),
            ExprKind::Binary { op, lhs, rhs } => self.node(op.symbol(), &[lhs, rhs]),
            ExprKind::Assign { op, lhs, rhs } => {
                self.node(&format!("{}=", op.map_or("", BinaryOp::symbol)), &[lhs, rhs]);
            }
            ExprKind::Conditional { cond, then: Some(then), els } => {
                self.node("?:", &[cond, then, els]);
            }
            ExprKind::Conditional { cond, then: None, els } => self.node("?:", &[cond, els]),
            ExprKind::Comma { lhs, rhs } => self.node(",", &[lhs, rhs]),
            ExprKind::Cast { ty, operand } => self.typed_node("cast", ty, Some(operand)),
            ExprKind::CompoundLiteral { ty, init } => {
                self.word("(literal ");
                self.type_name(ty);
                self.word(" ");
                self.init_list(init);
                self.word(")");
            }
            ExprKind::Call { callee, args } => {
                self.word("(call ");
                self.expr(callee);
                for i in 0..args.len() {
                    self.word(" ");
                    self.expr(self.ast[args][i]);
                }
                self.word(")");
            }
            ExprKind::Index { base, index } => self.node("[]", &[base, index]),
            ExprKind::Member { base, field } => self.member(".", base, field),
            ExprKind::Arrow { base, field } => self.member("->", base, field),
            ExprKind::SizeofExpr(operand) => self.node("sizeof", &[operand]),
            ExprKind::SizeofType(ty) => self.typed_node("sizeof", ty, None),
            ExprKind::AlignofExpr { operand, gnu } => self.node(alignof(gnu), &[operand]),
            ExprKind::AlignofType { ty, gnu } => self.typed_node(alignof(gnu), ty, None),
            ExprKind::Generic { control, associations } => {
                self.word("(_Generic ");
                self.expr(control);
                self.word(" ");
                self.separated(associations, " ", |d, association| {
                    match association.ty {
                        Some(ty) => d.type_name(ty),
                        None => d.word("default"),
                    }
                    d.word(": ");
                    d.expr(association.expr);
                });
                self.word(")");
            }
            ExprKind::StmtExpr(block) => self.stmt(block),
            ExprKind::LabelAddress(label) => {
                self.word("&&");
                self.name(label);
            }
            ExprKind::VaArg { list, ty } => self.typed_node("va_arg", ty, Some(list)),
            ExprKind::Offsetof { ty, path } => {
                self.word("(offsetof ");
                self.type_name(ty);
                self.word(" ");
                self.separated(path, "", |d, part| match part {
                    OffsetofPart::Field(field) => {
                        d.word(".");
                        d.name(field);
                    }
                    OffsetofPart::Index(index) => {
                        d.word("[");
                        d.expr(index);
                        d.word("]");
                    }
                    OffsetofPart::Arrow => d.word("->"),
                });
                self.word(")");
            }
            ExprKind::TypesCompatible { left, right } => {
                self.word("(types_compatible ");
                self.type_name(left);
                self.word(", ");
                self.type_name(right);
                self.word(")");
            }
            ExprKind::ChooseExpr { cond, then, els } => self.node("choose", &[cond, then, els]),
            ExprKind::ConvertVector { operand, ty } => {
                self.typed_node("convertvector", ty, Some(operand));
            }
            ExprKind::Error => self.word("<error>"),
        }
    }

    fn node(&mut self, operator: &str, operands: &[ExprId]) {
        self.word("(");
        self.word(operator);
        for &operand in operands {
            self.word(" ");
            self.expr(operand);
        }
        self.word(")");
    }

    fn typed_node(&mut self, operator: &str, ty: TypeNameId, operand: Option<ExprId>) {
        self.word("(");
        self.word(operator);
        self.word(" ");
        self.type_name(ty);
        if let Some(operand) = operand {
            self.word(", ");
            self.expr(operand);
        }
        self.word(")");
    }

    fn member(&mut self, operator: &str, base: ExprId, field: crate::symbol::Symbol) {
        self.word("(");
        self.word(operator);
        self.word(" ");
        self.expr(base);
        self.word(" ");
        self.name(field);
        self.word(")");
    }

    fn int(&mut self, literal: IntLit) {
        self.word(&literal.value.to_string());
        if literal.suffix.unsigned {
            self.word("u");
        }
        self.word(match literal.suffix.length {
            IntLength::None => "",
            IntLength::Long => "l",
            IntLength::LongLong => "ll",
            IntLength::BitInt => "wb",
        });
        if literal.imaginary {
            self.word("i");
        }
    }

    fn float(&mut self, literal: FloatLit) {
        self.name(literal.text);
        self.word(match literal.suffix {
            FloatSuffix::None => "",
            FloatSuffix::F => "f",
            FloatSuffix::L => "l",
            FloatSuffix::Q => "q",
            FloatSuffix::W => "w",
            FloatSuffix::F16 => "f16",
            FloatSuffix::F32 => "f32",
            FloatSuffix::F64 => "f64",
            FloatSuffix::F128 => "f128",
            FloatSuffix::F32x => "f32x",
            FloatSuffix::F64x => "f64x",
            FloatSuffix::D32 => "df",
            FloatSuffix::D64 => "dd",
            FloatSuffix::D128 => "dl",
        });
        if literal.imaginary {
            self.word("i");
        }
    }

    fn prefix(&mut self, encoding: Encoding) {
        self.word(match encoding {
            Encoding::Plain => "",
            Encoding::Utf8 => "u8",
            Encoding::Wide => "L",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
        });
    }

    pub(super) fn string(&mut self, id: StringId) {
        self.prefix(self.ast[id].encoding);
        let shown = match self.ast.string_units(id) {
            StringUnits::Narrow(units) => units.escape_ascii().to_string(),
            StringUnits::Wide(_) => self.ast.string_text(id).escape_default().to_string(),
        };
        self.word(&format!("\"{shown}\""));
    }

    pub(super) fn init(&mut self, init: Init) {
        match init {
            Init::Expr(expr) => self.expr(expr),
            Init::List(list) => self.init_list(list),
        }
    }

    fn init_list(&mut self, id: InitListId) {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            self.word("{");
            self.separated(self.ast[id].items, ", ", |d, item| {
                if let Some(designation) = item.designation {
                    let designators = d.ast[designation].designators;
                    d.separated(designators, "", Dumper::designator);
                    d.word(" = ");
                }
                d.init(item.init);
            });
            self.word("}");
        });
    }

    fn designator(&mut self, designator: Designator) {
        match designator {
            Designator::Field(field) => {
                self.word(".");
                self.name(field);
            }
            Designator::Index(index) => {
                self.word("[");
                self.expr(index);
                self.word("]");
            }
            Designator::Range(first, last) => {
                self.word("[");
                self.expr(first);
                self.word(" ... ");
                self.expr(last);
                self.word("]");
            }
        }
    }
}

fn alignof(gnu: bool) -> &'static str {
    if gnu { "__alignof__" } else { "_Alignof" }
}
