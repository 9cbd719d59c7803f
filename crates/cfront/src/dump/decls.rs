//! Declarations and types.

use super::Dumper;
use crate::ast::{
    Alignment, ArraySize, Attribute, AttributeArg, BasicType, DeclId, DeclKind, DeclaratorId,
    DerivedKind, Enum, ExprId, FunctionId, List, MemberKind, ParamList, Quals, Record, RecordKind,
    SpecFlags, SpecsId, Storage, StringId, TypeNameId, TypeSpec,
};

impl BasicType {
    /// The usual spelling.
    pub fn spelling(self) -> &'static str {
        match self {
            BasicType::Void => "void",
            BasicType::Bool => "_Bool",
            BasicType::Char => "char",
            BasicType::SignedChar => "signed char",
            BasicType::UnsignedChar => "unsigned char",
            BasicType::Short => "short",
            BasicType::UnsignedShort => "unsigned short",
            BasicType::Int => "int",
            BasicType::UnsignedInt => "unsigned int",
            BasicType::Long => "long",
            BasicType::UnsignedLong => "unsigned long",
            BasicType::LongLong => "long long",
            BasicType::UnsignedLongLong => "unsigned long long",
            BasicType::Int128 => "__int128",
            BasicType::UnsignedInt128 => "unsigned __int128",
            BasicType::Float => "float",
            BasicType::Double => "double",
            BasicType::LongDouble => "long double",
            BasicType::Float16 => "_Float16",
            BasicType::BFloat16 => "__bf16",
            BasicType::Float32 => "_Float32",
            BasicType::Float64 => "_Float64",
            BasicType::Float128 => "_Float128",
            BasicType::Float80 => "__float80",
            BasicType::Float32x => "_Float32x",
            BasicType::Float64x => "_Float64x",
            BasicType::Decimal32 => "_Decimal32",
            BasicType::Decimal64 => "_Decimal64",
            BasicType::Decimal128 => "_Decimal128",
        }
    }
}

impl Dumper<'_> {
    pub(super) fn decl(&mut self, id: DeclId) {
        match self.ast[id].kind {
            DeclKind::Declaration { specs, declarators } => {
                let is_typedef = self.ast[specs].storage == Some(Storage::Typedef);
                self.word(if is_typedef { "(typedef" } else { "(declare" });
                if declarators.is_empty() {
                    self.word(" ");
                    self.specs(specs);
                }
                for i in 0..declarators.len() {
                    let declared = self.ast[declarators][i];
                    self.word(if i == 0 { " " } else { "; " });
                    self.entity(specs, declared.declarator);
                    if let Some(init) = declared.init {
                        self.word(" = ");
                        self.init(init);
                    }
                }
                self.word(")");
            }
            DeclKind::Function(function) => self.function(function),
            DeclKind::StaticAssert { cond, message } => self.static_assert(cond, message),
            DeclKind::Asm(asm) => self.asm(asm),
            DeclKind::Empty => self.word("(empty)"),
            DeclKind::Error => self.word("<error>"),
        }
    }

    pub(super) fn function(&mut self, id: FunctionId) {
        let function = self.ast[id];
        self.word(if function.nested { "(nested-function " } else { "(function " });
        self.entity(function.specs, function.declarator);
        for i in 0..function.param_decls.len() {
            self.word(" ");
            self.decl(self.ast[function.param_decls][i]);
        }
        self.word(" ");
        self.stmt(function.body);
        self.word(")");
    }

    fn static_assert(&mut self, cond: ExprId, message: Option<StringId>) {
        self.word("(static-assert ");
        self.expr(cond);
        if let Some(message) = message {
            self.word(" ");
            self.string(message);
        }
        self.word(")");
    }

    /// `name: parts specifiers`, with attributes and asm label.
    fn entity(&mut self, specs: SpecsId, id: DeclaratorId) {
        let declarator = self.ast[id];
        if let Some(name) = declarator.name {
            self.name(name);
            self.word(": ");
        }
        for i in 0..declarator.parts.len() {
            match self.ast[declarator.parts][i].kind {
                DerivedKind::Pointer { quals, attributes } => {
                    self.quals(quals);
                    self.word("pointer");
                    self.attributes(attributes);
                    self.word(" to ");
                }
                DerivedKind::Array { size, quals, is_static } => {
                    self.quals(quals);
                    self.word("array ");
                    if is_static {
                        self.word("static ");
                    }
                    match size {
                        ArraySize::Unspecified => self.word("[]"),
                        ArraySize::Star => self.word("*"),
                        ArraySize::Expr(expr) => self.expr(expr),
                    }
                    self.word(" of ");
                }
                DerivedKind::Function(params) => self.params(params),
            }
        }
        self.specs(specs);
        if let Some(label) = declarator.asm_label {
            self.word(" asm ");
            self.string(label);
        }
        self.attributes(declarator.attributes);
    }

    fn params(&mut self, params: ParamList) {
        self.word("function(");
        match params {
            ParamList::Unspecified => self.word("?"),
            ParamList::Identifiers(names) => self.separated(names, ", ", Dumper::name),
            ParamList::Prototype { params, variadic } => {
                if params.is_empty() && !variadic {
                    self.word("void");
                }
                self.separated(params, ", ", |d, param| d.entity(param.specs, param.declarator));
                if variadic {
                    self.word(if params.is_empty() { "..." } else { ", ..." });
                }
            }
        }
        self.word(") returning ");
    }

    pub(super) fn type_name(&mut self, id: TypeNameId) {
        let name = self.ast[id];
        self.entity(name.specs, name.declarator);
    }

    fn quals(&mut self, quals: Quals) {
        for (qualifier, word) in [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
            (Quals::ATOMIC, "atomic "),
        ] {
            if quals.contains(qualifier) {
                self.word(word);
            }
        }
    }

    fn specs(&mut self, id: SpecsId) {
        let specs = self.ast[id];
        match specs.storage {
            Some(Storage::Extern) => self.word("extern "),
            Some(Storage::Static) => self.word("static "),
            Some(Storage::Auto) => self.word("auto "),
            Some(Storage::Register) => self.word("register "),
            Some(Storage::Typedef) | None => {}
        }
        for (flag, word) in [
            (SpecFlags::THREAD_LOCAL, "thread_local "),
            (SpecFlags::INLINE, "inline "),
            (SpecFlags::NORETURN, "noreturn "),
            (SpecFlags::CONSTEXPR, "constexpr "),
        ] {
            if specs.flags.contains(flag) {
                self.word(word);
            }
        }
        self.separated(specs.alignments, "", |d, alignment| {
            d.word("alignas(");
            match alignment {
                Alignment::Expr(expr) => d.expr(expr),
                Alignment::Type(ty) => d.type_name(ty),
            }
            d.word(") ");
        });
        self.quals(specs.quals);
        self.type_spec(specs.ty);
        self.attributes(specs.attributes);
    }

    fn type_spec(&mut self, spec: TypeSpec) {
        match spec {
            TypeSpec::Implicit => self.word("implicit-int"),
            TypeSpec::Basic(basic) => self.word(basic.spelling()),
            TypeSpec::Complex(basic) => {
                self.word("complex ");
                self.word(basic.spelling());
            }
            TypeSpec::BitInt { width, unsigned } => {
                self.word(if unsigned { "unsigned _BitInt(" } else { "_BitInt(" });
                self.expr(width);
                self.word(")");
            }
            TypeSpec::Typedef(name) => self.name(name),
            TypeSpec::Record(id) => self.record(&self.ast[id].clone()),
            TypeSpec::Enum(id) => self.enumeration(&self.ast[id].clone()),
            TypeSpec::TypeofExpr { expr, unqual } => {
                self.word(if unqual { "typeof_unqual(" } else { "typeof(" });
                self.expr(expr);
                self.word(")");
            }
            TypeSpec::TypeofType { ty, unqual } => {
                self.word(if unqual { "typeof_unqual(" } else { "typeof(" });
                self.type_name(ty);
                self.word(")");
            }
            TypeSpec::Atomic(ty) => {
                self.word("atomic(");
                self.type_name(ty);
                self.word(")");
            }
            TypeSpec::Auto => self.word("auto-type"),
            TypeSpec::VaList => self.word("va_list"),
            TypeSpec::Error => self.word("<error>"),
        }
    }

    fn record(&mut self, record: &Record) {
        self.word(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        });
        if let Some(tag) = record.tag {
            self.word(" ");
            self.name(tag);
        }
        if let Some(pack) = record.pack {
            self.word(&format!(" pack({pack})"));
        }
        self.attributes(record.attributes);
        let Some(members) = record.members else { return };
        self.word(" {");
        self.separated(members, "; ", |d, member| match member.kind {
            MemberKind::StaticAssert { cond, message } => d.static_assert(cond, message),
            MemberKind::Fields { specs, declarators } if declarators.is_empty() => d.specs(specs),
            MemberKind::Fields { specs, declarators } => {
                d.separated(declarators, ", ", |d, field| {
                    d.entity(specs, field.declarator);
                    if let Some(width) = field.bit_width {
                        d.word(" bits ");
                        d.expr(width);
                    }
                });
            }
        });
        self.word("}");
    }

    fn enumeration(&mut self, item: &Enum) {
        self.word("enum");
        if let Some(tag) = item.tag {
            self.word(" ");
            self.name(tag);
        }
        self.attributes(item.attributes);
        if let Some(ty) = item.underlying {
            self.word(" : ");
            self.type_name(ty);
        }
        let Some(enumerators) = item.enumerators else { return };
        self.word(" {");
        self.separated(enumerators, ", ", |d, enumerator| {
            d.name(enumerator.name);
            d.attributes(enumerator.attributes);
            if let Some(value) = enumerator.value {
                d.word(" = ");
                d.expr(value);
            }
        });
        self.word("}");
    }

    pub(super) fn attributes(&mut self, attributes: List<Attribute>) {
        self.separated(attributes, "", |d, attribute| {
            d.word(" @");
            if let Some(namespace) = attribute.namespace {
                d.name(namespace);
                d.word("::");
            }
            d.name(attribute.name);
            if attribute.args.is_empty() {
                return;
            }
            d.word("(");
            d.separated(attribute.args, ", ", |d, arg| match arg {
                AttributeArg::Expr(expr) => d.expr(expr),
                AttributeArg::Type(ty) => d.type_name(ty),
                AttributeArg::Tokens(span) => d.word(&format!("<{} bytes>", span.len())),
            });
            d.word(")");
        });
    }
}
