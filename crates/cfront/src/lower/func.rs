//! Function definitions.

use std::collections::HashMap;

use gnomon_ir::cfa::{CfaBuilder, Label, LocId, Op};
use gnomon_ir::program::{FuncId, Program, StmtId, Storage as IrStorage, Var, VarId};

use super::ctype::{CType, CTypes, FuncType, QType};
use super::decl::GlobalDecl;
use super::link::Linkage;
use super::switch::SwitchState;
use super::{Entity, Lower, Res, TEMPORARY};
use crate::ast::{
    DeclKind, DerivedKind, FunctionId, List, Param, ParamList, SpecFlags, StmtKind, Storage,
};
use crate::span::Span;
use crate::symbol::Symbol;

/// What is known of the function that is being lowered.
pub(crate) struct FunctionState {
    pub id: FuncId,
    pub name: String,
    pub builder: CfaBuilder,
    pub cur: LocId,
    pub stmt: StmtId,
    /// Of the current statement.
    pub last_span: Span,
    /// The functions that were called so far, in order; `None` for one behind a pointer.
    pub calls: Vec<Option<FuncId>>,
    /// The places that operations store to, in order.
    pub stores: Vec<gnomon_ir::expr::PlaceId>,
    /// What operations read, in order.
    pub reads: Vec<gnomon_ir::expr::ExprId>,
    /// How many blocks in expressions were lowered.
    pub inner_blocks: usize,
    pub locals: Vec<VarId>,
    pub result: QType,
    /// Has a `...`.
    pub variadic: bool,
    pub temp_count: u32,
    /// In a function, not at file scope.
    pub inside: bool,
    /// Something could not be lowered.
    pub incomplete: bool,
    /// Depth of prototypes that are being read.
    pub prototype: u32,
    /// Depth of operands that are not evaluated.
    pub unevaluated: u32,
    pub breaks: Vec<LocId>,
    pub continues: Vec<LocId>,
    pub switches: Vec<SwitchState>,
    pub labels: HashMap<Symbol, LabelState>,
    /// What the names of `__label__` meant outside, for each open block that has such.
    pub hidden_labels: Vec<(Symbol, Option<LabelState>)>,
    /// Labels whose address is taken, in the order in which that is met.
    pub address_labels: Vec<(LocId, VarId, Span)>,
    /// The location that jumps to the label whose address is in the variable.
    pub dispatch: Option<(LocId, VarId)>,
    /// `__func__`.
    pub name_object: Option<VarId>,
    /// The type with what the definition itself says of its parameters.
    pub definition_type: Option<QType>,
    unique_names: HashMap<String, u32>,
}

/// A label of the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelState {
    pub loc: LocId,
    pub defined: bool,
    /// Where it is first mentioned.
    pub span: Span,
}

impl FunctionState {
    /// At file scope, where constants are lowered.
    pub fn outside() -> Self {
        let builder = CfaBuilder::new();
        Self {
            id: FuncId(u32::MAX),
            name: String::new(),
            cur: builder.entry(),
            builder,
            stmt: Program::NO_STMT,
            last_span: Span::default(),
            calls: Vec::new(),
            stores: Vec::new(),
            reads: Vec::new(),
            inner_blocks: 0,
            locals: Vec::new(),
            result: CTypes::VOID,
            variadic: false,
            temp_count: 0,
            inside: false,
            incomplete: false,
            prototype: 0,
            unevaluated: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: HashMap::new(),
            hidden_labels: Vec::new(),
            address_labels: Vec::new(),
            dispatch: None,
            name_object: None,
            definition_type: None,
            unique_names: HashMap::new(),
        }
    }

    /// `x`, then `x.2`, `x.3` and so on.
    pub fn unique_name(&mut self, name: &str) -> String {
        match self.unique_names.get_mut(name) {
            None => {
                self.unique_names.insert(name.to_owned(), 1);
                name.to_owned()
            }
            Some(count) => {
                *count += 1;
                format!("{name}.{count}")
            }
        }
    }
}

impl Lower<'_> {
    pub(super) fn function_definition(&mut self, id: FunctionId) -> Res<()> {
        let ast = self.ast[id];
        let declarator = self.ast[ast.declarator];
        let specs = self.ast[ast.specs];
        let Some(name) = declarator.name else {
            return Err(self.error(ast.span, "a function definition needs a name"));
        };
        let base = self.specifiers(ast.specs, false)?;
        let ty = self.declared_type(base, ast.declarator)?;
        let attributes = self.attributes(&[specs.attributes, declarator.attributes])?;
        let parts = &self.ast[declarator.parts];
        let Some(&DerivedKind::Function(params)) = parts.first().map(|p| &p.kind) else {
            return Err(self.error(declarator.span, "this does not declare a function"));
        };
        let is_inline = specs.flags.contains(SpecFlags::INLINE);
        let is_static = specs.storage == Some(Storage::Static);
        let linkage = if is_static { Linkage::Internal } else { Linkage::External };
        let no_return = attributes.no_return || specs.flags.contains(SpecFlags::NORETURN);
        let ty = self.definition_type(ty, params);
        let index = self.global(GlobalDecl {
            name,
            link_name: declarator.asm_label.map(|label| self.ast.string_text(label)),
            ty,
            linkage,
            thread_local: false,
            no_return,
            implicit: false,
            span: declarator.name_span,
        })?;
        // `extern inline` of GNU C89 is only a hint: the real definition is elsewhere.
        let only_hint =
            is_inline && attributes.gnu_inline && specs.storage == Some(Storage::Extern);
        // The C library wraps its own functions like this to check sizes; the functions that are
        // wrapped are known by name, so the wrapper adds nothing.
        if only_hint && self.source.resolve(ast.span.lo).in_system_header {
            return Ok(());
        }
        if self.globals[index].defined && !only_hint && !self.linker.replaceable(self.unit, name) {
            let message = format!("`{}` is defined twice", self.name(name));
            return Err(self.error(declarator.name_span, message));
        }
        self.other_names(index, &[attributes], declarator.name_span)?;
        let func = self.global_function(index)?;
        let replaceable = is_inline && linkage == Linkage::External;
        self.linker.set_replaceable(self.unit, name, only_hint);
        if !self.linker.define_function(self.program, func, replaceable) {
            if replaceable {
                return Ok(());
            }
            let message = format!("`{}` is defined in another file too", self.name(name));
            return Err(self.error(declarator.name_span, message));
        }
        self.globals[index].defined = true;
        let Some(signature) = self.types.function(ty).cloned() else {
            return Err(self.error(declarator.span, "this does not declare a function"));
        };
        if !self.types.is_void(signature.result) && !self.types.is_complete(signature.result) {
            return Err(self.error(declarator.span, "the function returns an incomplete type"));
        }
        let outer = std::mem::replace(&mut self.func, FunctionState::outside());
        self.func.id = func;
        self.func.name = self.program.funcs[func].name.clone();
        self.func.inside = true;
        self.func.result = signature.result;
        self.func.variadic = signature.variadic;
        let result = self.in_block(|lower| lower.function_body(id, params));
        let state = std::mem::replace(&mut self.func, outer);
        let incomplete = state.incomplete || result.is_err();
        let ty = self.ir_type(state.definition_type.unwrap_or(ty));
        let span = self.ir_span(declarator.name_span);
        let function = &mut self.program.funcs[func];
        function.ty = ty;
        // The place of a function is that of its definition, not of a declaration in a header.
        function.span = span;
        function.locals = state.locals;
        self.linker.count_function(incomplete);
        function.body = Some(state.builder.finish());
        Ok(())
    }

    /// The type of the definition: of an old-style one without what it says of its parameters.
    fn definition_type(&mut self, ty: QType, params: ParamList) -> QType {
        match (params, self.types.function(ty)) {
            // A definition with `()` has no parameters, whatever calls may pass.
            (ParamList::Unspecified, Some(f)) => {
                let f = FuncType { prototyped: false, ..f.clone() };
                self.types.plain(CType::Function(f))
            }
            _ => ty,
        }
    }

    fn function_body(&mut self, id: FunctionId, params: ParamList) -> Res<()> {
        let ast = self.ast[id];
        let mut vars = Vec::new();
        let prepared = match params {
            ParamList::Prototype { params, .. } => self.define_parameters(params, &mut vars),
            ParamList::Identifiers(names) => self.old_style_parameters(id, names, &mut vars),
            ParamList::Unspecified => Ok(()),
        };
        let func = self.func.id;
        self.program.funcs[func].params = vars;
        prepared?;
        let StmtKind::Compound(list) = self.ast[ast.body].kind else {
            return Err(self.already_reported());
        };
        self.statements(list);
        self.fall_off_the_end(ast.body);
        self.finish_labels();
        Ok(())
    }

    /// What happens at the closing brace: `main` returns 0, others nothing that may be used.
    fn fall_off_the_end(&mut self, body: crate::ast::StmtId) {
        let span = self.ast[body].span;
        let brace = Span::new(span.hi.saturating_sub(1), span.hi);
        self.func.stmt = Program::NO_STMT;
        let exit = self.func.builder.exit();
        let result = self.func.result;
        let value = if self.types.is_void(result) {
            None
        } else if self.func.name == "main" && self.types.is_integer(result) {
            Some(self.int_val(result, 0).e)
        } else {
            // Indeterminate: nobody may use it.
            let ty = self.ir_type(result);
            let var = self.temp_variable(ty);
            self.emit(Op::Declare(var), brace);
            Some(self.program.load_var(var))
        };
        self.emit_to(Op::Return(value), brace, exit);
    }

    fn define_parameters(&mut self, params: List<Param>, vars: &mut Vec<VarId>) -> Res<()> {
        let mut types = Vec::with_capacity(params.len());
        for param in &self.ast[params] {
            let base = self.specifiers(param.specs, false)?;
            let declarator = self.ast[param.declarator];
            let ty = self.declared_type(base, param.declarator)?;
            let attributes =
                self.attributes(&[self.ast[param.specs].attributes, declarator.attributes])?;
            let ty = attributes.mode.map_or(ty, |mode| self.apply_mode(ty, mode));
            let ty = self.adjust_parameter(ty);
            vars.push(self.define_parameter(declarator.name, ty, param.span)?);
            types.push(ty);
        }
        // A record that is declared among the parameters is a new one in the body: then the
        // function takes that.
        let declared = self.global_type(self.func.id);
        let known = self.types.function(declared).map(|f| f.params.clone()).unwrap_or_default();
        let same = known.len() == types.len()
            && known.iter().zip(&types).all(|(&a, &b)| self.ir_type(a) == self.ir_type(b));
        if !same {
            self.set_parameter_types(types);
        }
        Ok(())
    }

    /// The model's function has these parameters; calls are fitted to them when linking.
    fn set_parameter_types(&mut self, types: Vec<QType>) {
        if let CType::Function(f) = self.types.get(self.global_type(self.func.id)).clone() {
            let f = FuncType { params: types.into(), ..f };
            let ty = self.types.plain(CType::Function(f));
            self.func.definition_type = Some(ty);
        }
    }

    fn define_parameter(&mut self, name: Option<Symbol>, ty: QType, span: Span) -> Res<VarId> {
        if !self.types.is_complete(ty) {
            let message = format!("the parameter has the incomplete type `{}`", self.show_type(ty));
            return Err(self.error(span, message));
        }
        let ir = self.ir_type(ty);
        let unique = match name {
            Some(name) => self.func.unique_name(self.name(name)),
            None => {
                self.func.temp_count += 1;
                format!("{TEMPORARY}{}", self.func.temp_count - 1)
            }
        };
        let span = self.ir_span(span);
        let var = self.program.vars.push(Var {
            name: unique,
            ty: ir,
            storage: IrStorage::Param(self.func.id),
            address_taken: false,
            span,
        });
        if let Some(name) = name {
            self.entities.bind(name, Entity::Local { var, ty });
        }
        Ok(var)
    }

    /// `f(a, b) char a; { ... }`: arguments come promoted and are narrowed at the start.
    fn old_style_parameters(
        &mut self,
        id: FunctionId,
        names: List<Symbol>,
        vars: &mut Vec<VarId>,
    ) -> Res<()> {
        let mut declared: HashMap<Symbol, (QType, Span)> = HashMap::new();
        for &decl in &self.ast[self.ast[id].param_decls] {
            let DeclKind::Declaration { specs, declarators } = self.ast[decl].kind else {
                return Err(self.already_reported());
            };
            let base = self.specifiers(specs, declarators.is_empty())?;
            for declarator in &self.ast[declarators] {
                let ast = self.ast[declarator.declarator];
                let ty = self.declared_type(base, declarator.declarator)?;
                let ty = self.adjust_parameter(ty);
                if let Some(name) = ast.name {
                    declared.insert(name, (ty, declarator.span));
                }
            }
        }
        let span = self.ast[id].span;
        let mut types = Vec::new();
        for &name in &self.ast[names] {
            let (ty, span) = declared.remove(&name).unwrap_or((CTypes::INT, span));
            types.push(ty);
            vars.push(self.define_parameter(Some(name), ty, span)?);
        }
        if let Some((&name, &(_, span))) = declared.iter().min_by_key(|(_, (_, span))| *span) {
            let message = format!("`{}` is not among the parameters", self.name(name));
            return Err(self.error(span, message));
        }
        self.set_parameter_types(types);
        Ok(())
    }

    fn global_type(&self, func: FuncId) -> QType {
        let is_it = |g: &&super::decl::Global| matches!(g.object, Some(super::decl::Object::Func(f)) if f == func);
        self.globals.iter().find(is_it).map_or(CTypes::VOID, |g| g.ty)
    }

    /// The location of a label.
    pub(super) fn label(&mut self, name: Symbol, span: Span) -> LocId {
        if let Some(label) = self.func.labels.get(&name) {
            return label.loc;
        }
        let loc = self.new_loc();
        self.func.labels.insert(name, LabelState { loc, defined: false, span });
        loc
    }

    pub(super) fn define_label(&mut self, name: Symbol, span: Span) -> Res<()> {
        let loc = self.label(name, span);
        // Lowered for its type only: the label is defined when it is lowered for good.
        if self.func.unevaluated > 0 {
            self.continue_at(loc);
            return Ok(());
        }
        if let Some(label) = self.func.labels.get_mut(&name)
            && std::mem::replace(&mut label.defined, true)
        {
            let message = format!("the label `{}` is defined twice", self.name(name));
            return Err(self.error(span, message));
        }
        self.continue_at(loc);
        let ir_span = self.ir_span(span);
        let name = self.name(name).to_owned();
        self.func.builder.add_label(Label { name, loc, span: ir_span });
        Ok(())
    }

    /// Reports labels that are used and not defined, and ends the block that they belong to.
    pub(super) fn finish_labels(&mut self) {
        self.finish_dispatch();
        let undefined = self.func.labels.iter().filter(|(_, label)| !label.defined);
        let mut undefined: Vec<(Span, Symbol)> =
            undefined.map(|(&n, label)| (label.span, n)).collect();
        undefined.sort();
        for (span, name) in undefined {
            self.undefined_label(name, span);
        }
    }

    fn undefined_label(&mut self, name: Symbol, span: Span) {
        let message = format!("the label `{}` is not defined", self.name(name));
        let _ = self.error(span, message);
    }

    /// `__label__`: until the block ends these names mean labels of its own.
    pub(super) fn local_labels(&mut self, names: List<Symbol>) {
        for &name in &self.ast[names] {
            let outer = self.func.labels.remove(&name);
            self.func.hidden_labels.push((name, outer));
        }
    }

    /// Ends the scope of the local labels behind the first `open`.
    pub(super) fn leave_local_labels(&mut self, open: usize) {
        while self.func.hidden_labels.len() > open
            && let Some((name, outer)) = self.func.hidden_labels.pop()
        {
            let local = self.func.labels.remove(&name);
            if let Some(label) = local
                && !label.defined
                && self.func.unevaluated == 0
            {
                self.undefined_label(name, label.span);
            }
            if let Some(outer) = outer {
                self.func.labels.insert(name, outer);
            }
        }
    }
}
