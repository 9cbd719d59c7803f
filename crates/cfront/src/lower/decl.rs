//! Declarations, at file scope and in blocks.

use gnomon_ir::cfa::Op;
use gnomon_ir::program::{FuncId, Initializer, Storage as IrStorage, Var, VarId};

use super::attr::Attributes;
use super::ctype::{ArrayLen, CType, CTypes, QType};
use super::link::Linkage;
use super::volatile::Volatile;
use super::{Entity, Lower, Res};
use crate::ast::{
    DeclId, DeclKind, DeclaratorId, ExprId, Init, InitDeclarator, Quals, SpecFlags, SpecsId,
    Storage, StringId, TypeSpec,
};
use crate::span::Span;
use crate::symbol::Symbol;

/// A variable or function of file scope.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub name: Symbol,
    /// The name in the object file, where an `asm` label gives another one.
    pub link_name: String,
    pub ty: QType,
    pub linkage: Linkage,
    pub thread_local: bool,
    pub no_return: bool,
    /// The model's variable or function, once it is used or defined.
    pub object: Option<Object>,
    pub defined: bool,
    /// Declared without initialiser and `extern`: defined as zero at the end if nothing else is.
    pub tentative: bool,
    /// Declared by a call only: a real declaration may say something else.
    pub implicit: bool,
    pub span: Span,
}

/// What a global is in the model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Object {
    Var(VarId),
    Func(FuncId),
}

/// Specifiers with what their attributes say.
#[derive(Clone, Copy)]
struct Specified {
    base: QType,
    storage: Option<Storage>,
    flags: SpecFlags,
    attributes: Attributes,
    align: Option<u64>,
}

impl Lower<'_> {
    pub(super) fn external_declaration(&mut self, id: DeclId) -> Res<()> {
        let decl = self.ast[id];
        match decl.kind {
            DeclKind::Function(function) => self.function_definition(function),
            DeclKind::Declaration { specs, declarators } => {
                self.declaration(specs, &self.ast[declarators])
            }
            DeclKind::StaticAssert { cond, message } => self.static_assert(cond, message),
            DeclKind::Asm(_) => {
                self.note("asm", "assembler at file scope is ignored", decl.span);
                Ok(())
            }
            DeclKind::Empty => Ok(()),
            DeclKind::Error => Err(self.already_reported()),
        }
    }

    /// A declaration, at file scope or in a block.
    pub(super) fn declaration(
        &mut self,
        specs: SpecsId,
        declarators: &[InitDeclarator],
    ) -> Res<()> {
        if let (TypeSpec::Auto, [declarator]) = (self.ast[specs].ty, declarators) {
            return self.auto_declaration(specs, declarator);
        }
        let base = self.specifiers(specs, declarators.is_empty())?;
        let attributes = self.attributes(&[self.ast[specs].attributes])?;
        let align = self.alignments(self.ast[specs].alignments)?;
        let (storage, flags) = (self.ast[specs].storage, self.ast[specs].flags);
        let specified = Specified { base, storage, flags, attributes, align };
        let mut result = Ok(());
        for declarator in declarators {
            if self.init_declarator(&specified, declarator).is_err() {
                result = Err(super::Reported);
            }
        }
        result
    }

    fn auto_declaration(&mut self, specs: SpecsId, declarator: &InitDeclarator) -> Res<()> {
        let Some(Init::Expr(e)) = declarator.init else {
            return Err(self.error(declarator.span, "`__auto_type` needs an initialiser"));
        };
        let plain = matches!(self.ast[specs].storage, None | Some(Storage::Auto))
            && self.ast[declarator.declarator].attributes.is_empty();
        if self.func.inside && self.func.unevaluated == 0 && plain {
            return self.auto_local(specs, declarator, e);
        }
        let ty = self.type_of_value(e)?;
        let ty = self.object_type(ty).with(self.ast[specs].quals);
        let specified = Specified {
            base: ty,
            storage: self.ast[specs].storage.filter(|&s| s != Storage::Auto),
            flags: self.ast[specs].flags,
            attributes: Attributes::default(),
            align: None,
        };
        self.init_declarator(&specified, declarator)
    }

    /// A local variable that has its type from its value, which is lowered once.
    fn auto_local(&mut self, specs: SpecsId, declarator: &InitDeclarator, e: ExprId) -> Res<()> {
        let Some(name) = self.ast[declarator.declarator].name else {
            return Err(self.error(declarator.span, "a declaration needs a name here"));
        };
        self.check_sequence(e);
        let v = self.rvalue(e)?;
        if !self.types.is_complete(v.ty) {
            let message = format!("a variable cannot have type `{}`", self.show_type(v.ty));
            return Err(self.error(declarator.span, message));
        }
        let ty = self.object_type(v.ty).with(self.ast[specs].quals);
        let var = self.new_local(name, ty, declarator.span);
        self.entities.bind(name, Entity::Local { var, ty });
        self.emit(Op::Declare(var), declarator.span);
        let dst = self.program.var_place(var);
        self.emit(Op::Assign { dst, src: v.e }, declarator.span);
        Ok(())
    }

    fn init_declarator(&mut self, specified: &Specified, declarator: &InitDeclarator) -> Res<()> {
        let id = declarator.declarator;
        let Some(name) = self.ast[id].name else {
            return Err(self.error(declarator.span, "a declaration needs a name here"));
        };
        let ty = self.declared_type(specified.base, id)?;
        let own = self.attributes(&[self.ast[id].attributes])?;
        let mut ty = match own.mode.or(specified.attributes.mode) {
            Some(mode) => self.apply_mode(ty, mode),
            None => ty,
        };
        let align = own.align.max(specified.attributes.align).max(specified.align);
        if let Some(align) = align
            && !self.types.is_function(ty)
        {
            ty = ty.aligned(align);
        }
        if specified.storage == Some(Storage::Typedef) {
            self.entities.bind(name, Entity::Typedef(ty));
            if own.transparent_union || specified.attributes.transparent_union {
                self.make_transparent(ty);
            }
            return Ok(());
        }
        let no_return = own.no_return
            || specified.attributes.no_return
            || specified.flags.contains(SpecFlags::NORETURN);
        if ty.quals.contains(Quals::VOLATILE) {
            let message = match self.volatile {
                Volatile::Program => "`volatile` objects are changed by the program only",
                Volatile::Any => "`volatile` objects are any value at each read",
            };
            self.note("volatile", message, declarator.span);
        }
        let in_function = self.entities.depth() > 0;
        if self.types.is_function(ty) {
            if declarator.init.is_some() {
                return Err(self.error(declarator.span, "a function cannot have an initialiser"));
            }
            let index = self.declare_global(name, id, ty, specified, no_return, declarator.span)?;
            return self.other_names(index, &[own, specified.attributes], declarator.span);
        }
        if in_function && specified.storage != Some(Storage::Extern) {
            return self.local_variable(name, ty, specified, declarator);
        }
        if !in_function && specified.storage == Some(Storage::Register) {
            let message = "global variables in registers are not supported";
            return Err(self.unsupported(declarator.span, message));
        }
        let index = self.declare_global(name, id, ty, specified, no_return, declarator.span)?;
        self.other_names(index, &[own, specified.attributes], declarator.span)?;
        self.define_global_variable(index, specified, declarator)
    }

    fn make_transparent(&mut self, ty: QType) {
        if let CType::Record(id) = *self.types.get(ty) {
            self.types.records[id].transparent = true;
        }
    }

    /// Declares a variable or function with linkage and returns its number.
    fn declare_global(
        &mut self,
        name: Symbol,
        declarator: DeclaratorId,
        ty: QType,
        specified: &Specified,
        no_return: bool,
        span: Span,
    ) -> Res<usize> {
        let linkage = match specified.storage {
            Some(Storage::Static) => Linkage::Internal,
            _ => Linkage::External,
        };
        let thread_local = specified.flags.contains(SpecFlags::THREAD_LOCAL);
        let link_name = match self.ast[declarator].asm_label {
            Some(label) => Some(self.ast.string_text(label)),
            None => None,
        };
        let implicit = false;
        self.global(GlobalDecl {
            name,
            link_name,
            ty,
            linkage,
            thread_local,
            no_return,
            implicit,
            span,
        })
    }

    /// Adds a declaration of a global to what is known of it.
    pub(super) fn global(&mut self, new: GlobalDecl) -> Res<usize> {
        let existing = match self.entities.get_at_file_scope(new.name) {
            Some(Entity::Global(index)) => Some(index),
            Some(_) if self.entities.depth() == 0 => {
                let message =
                    format!("`{}` is declared as something else before", self.name(new.name));
                return Err(self.error(new.span, message));
            }
            _ => None,
        };
        let index = match existing {
            Some(index) => {
                let old = self.globals[index].clone();
                let replaceable = old.implicit && !old.defined;
                if !self.compatible(old.ty, new.ty) && !replaceable {
                    let message = format!(
                        "`{}` is declared as `{}`, but before as `{}`",
                        self.name(new.name),
                        self.show_type(new.ty),
                        self.show_type(old.ty)
                    );
                    return Err(self.error(new.span, message));
                }
                let compatible = self.compatible(old.ty, new.ty);
                let ty = if compatible { self.composite(old.ty, new.ty) } else { new.ty };
                let global = &mut self.globals[index];
                global.ty = ty;
                global.implicit &= new.implicit;
                global.no_return |= new.no_return;
                global.thread_local |= new.thread_local;
                if let Some(link_name) = new.link_name {
                    global.link_name = link_name;
                }
                self.update_object_type(index);
                index
            }
            None => {
                let name = self.name(new.name);
                let renamed = new.link_name.or_else(|| self.renamed.get(name).cloned());
                let link_name = renamed.unwrap_or_else(|| name.to_owned());
                self.globals.push(Global {
                    name: new.name,
                    link_name,
                    ty: new.ty,
                    linkage: new.linkage,
                    thread_local: new.thread_local,
                    no_return: new.no_return,
                    object: None,
                    defined: false,
                    tentative: false,
                    implicit: new.implicit,
                    span: new.span,
                });
                self.entities.bind_at_file_scope(new.name, Entity::Global(self.globals.len() - 1));
                self.globals.len() - 1
            }
        };
        if self.entities.depth() > 0 {
            self.entities.bind(new.name, Entity::Global(index));
        }
        Ok(index)
    }

    /// Keeps the model's variable or function in step with what is known of its type.
    fn update_object_type(&mut self, index: usize) {
        let global = self.globals[index].clone();
        match global.object {
            Some(Object::Var(var)) => {
                let ty = self.ir_type(global.ty);
                self.linker.retype_variable(self.program, var, ty);
            }
            Some(Object::Func(func)) => {
                let ty = self.ir_type(global.ty);
                if self.program.funcs[func].body.is_none() {
                    self.program.funcs[func].ty = ty;
                }
                self.program.funcs[func].no_return |= global.no_return;
            }
            None => {}
        }
    }

    fn define_global_variable(
        &mut self,
        index: usize,
        specified: &Specified,
        declarator: &InitDeclarator,
    ) -> Res<()> {
        let Some(init) = declarator.init else {
            if specified.storage != Some(Storage::Extern) {
                self.globals[index].tentative = true;
            }
            return Ok(());
        };
        if self.globals[index].defined {
            let message = format!("`{}` is defined twice", self.name(self.globals[index].name));
            return Err(self.error(declarator.span, message));
        }
        self.globals[index].defined = true;
        let ty = self.complete_by_initializer(self.globals[index].ty, init)?;
        self.require_complete(self.globals[index].name, ty, declarator.span)?;
        self.globals[index].ty = ty;
        let var = self.global_variable(index)?;
        self.update_object_type(index);
        let initializer = self.static_initializer(var, ty, init)?;
        self.set_definition(index, var, initializer)
    }

    fn set_definition(&mut self, index: usize, var: VarId, init: Initializer) -> Res<()> {
        let global = &self.globals[index];
        let (name, span) = (global.name, global.span);
        if global.linkage == Linkage::External && !self.linker.define_variable(var) {
            let message = format!("`{}` is defined in another file too", self.name(name));
            return Err(self.error(span, message));
        }
        self.set_initializer(index, var, init);
        Ok(())
    }

    /// Objects have complete types.
    fn require_complete(&mut self, name: Symbol, ty: QType, span: Span) -> Res<()> {
        if self.types.is_complete(ty) {
            return Ok(());
        }
        let message =
            format!("`{}` has the incomplete type `{}`", self.name(name), self.show_type(ty));
        Err(self.error(span, message))
    }

    fn set_initializer(&mut self, index: usize, var: VarId, init: Initializer) {
        let global = self.globals[index].clone();
        let read_only = global.ty.quals.contains(Quals::CONST) || self.is_const_array(global.ty);
        let span = self.ir_span(global.span);
        let thread_local = global.thread_local;
        self.program.vars[var].storage =
            IrStorage::Static { init: Some(init), thread_local, read_only };
        self.program.vars[var].span = span;
    }

    fn is_const_array(&self, ty: QType) -> bool {
        match self.types.element(ty) {
            Some((elem, _)) => elem.quals.contains(Quals::CONST) || self.is_const_array(elem),
            None => false,
        }
    }

    /// At the end of the unit: what was declared without initialiser and nowhere defined is zero.
    pub(super) fn finish_tentative_definitions(&mut self) {
        for index in 0..self.globals.len() {
            let global = self.globals[index].clone();
            if global.defined || !global.tentative {
                continue;
            }
            let ty = match *self.types.get(global.ty) {
                CType::Array(elem, ArrayLen::Unknown) => {
                    self.types.plain(CType::Array(elem, ArrayLen::Fixed(1))).with(global.ty.quals)
                }
                _ => global.ty,
            };
            if self.require_complete(global.name, ty, global.span).is_err() {
                continue;
            }
            self.globals[index].ty = ty;
            let Ok(var) = self.global_variable(index) else { continue };
            self.update_object_type(index);
            // Several files may have a tentative definition, and another one the definition: they
            // are one object (-fcommon).
            if self.linker.is_defined(var) {
                continue;
            }
            self.set_initializer(index, var, Initializer::default());
        }
    }

    /// The model's variable of a global.
    pub(super) fn global_variable(&mut self, index: usize) -> Res<VarId> {
        if let Some(Object::Var(var)) = self.globals[index].object {
            return Ok(var);
        }
        let global = self.globals[index].clone();
        let ty = self.ir_type(global.ty);
        let span = self.ir_span(global.span);
        let found = self.linker.variable(
            self.program,
            self.unit,
            &global.link_name,
            global.linkage,
            ty,
            global.thread_local,
            span,
        );
        match found {
            Ok(var) => {
                self.globals[index].object = Some(Object::Var(var));
                Ok(var)
            }
            Err(conflict) => Err(self.error(global.span, conflict.to_string())),
        }
    }

    /// The model's function of a global.
    pub(super) fn global_function(&mut self, index: usize) -> Res<FuncId> {
        if let Some(Object::Func(func)) = self.globals[index].object {
            return Ok(func);
        }
        let global = self.globals[index].clone();
        let ty = self.ir_type(global.ty);
        let span = self.ir_span(global.span);
        let found = self.linker.function(
            self.program,
            self.unit,
            &global.link_name,
            global.linkage,
            ty,
            span,
        );
        match found {
            Ok(func) => {
                self.program.funcs[func].no_return |= global.no_return;
                self.globals[index].object = Some(Object::Func(func));
                Ok(func)
            }
            Err(conflict) => Err(self.error(global.span, conflict.to_string())),
        }
    }

    fn local_variable(
        &mut self,
        name: Symbol,
        ty: QType,
        specified: &Specified,
        declarator: &InitDeclarator,
    ) -> Res<()> {
        let is_static = specified.storage == Some(Storage::Static)
            || specified.flags.contains(SpecFlags::THREAD_LOCAL);
        if is_static {
            return self.static_local(name, ty, specified, declarator);
        }
        if self.types.is_vla(ty) {
            return self.vla_local(name, ty, declarator);
        }
        let ty = match declarator.init {
            Some(init) => self.complete_by_initializer(ty, init)?,
            None => ty,
        };
        self.require_complete(name, ty, declarator.span)?;
        let var = self.new_local(name, ty, declarator.span);
        self.entities.bind(name, Entity::Local { var, ty });
        self.emit(Op::Declare(var), declarator.span);
        match declarator.init {
            Some(init) => self.local_initializer(var, ty, init),
            None => Ok(()),
        }
    }

    /// A local variable with a name that is unique in the function.
    pub(super) fn new_local(&mut self, name: Symbol, ty: QType, span: Span) -> VarId {
        let ir = self.ir_type(ty);
        let unique = self.func.unique_name(self.name(name));
        let span = self.ir_span(span);
        let var = self.program.vars.push(Var {
            name: unique,
            ty: ir,
            storage: IrStorage::Local(self.func.id),
            address_taken: false,
            span,
        });
        self.func.locals.push(var);
        var
    }

    fn static_local(
        &mut self,
        name: Symbol,
        ty: QType,
        specified: &Specified,
        declarator: &InitDeclarator,
    ) -> Res<()> {
        let ty = match declarator.init {
            Some(init) => self.complete_by_initializer(ty, init)?,
            None => ty,
        };
        self.require_complete(name, ty, declarator.span)?;
        let unique = format!("{}.{}", self.name(name), self.func.name);
        let ir = self.ir_type(ty);
        let span = self.ir_span(declarator.span);
        let var = self.linker.internal_variable(self.program, &unique, ir, span);
        let thread_local = specified.flags.contains(SpecFlags::THREAD_LOCAL);
        let read_only = ty.quals.contains(Quals::CONST) || self.is_const_array(ty);
        let zero = Some(Initializer::default());
        self.program.vars[var].storage = IrStorage::Static { init: zero, thread_local, read_only };
        self.entities.bind(name, Entity::Local { var, ty });
        if let Some(init) = declarator.init {
            let init = Some(self.static_initializer(var, ty, init)?);
            self.program.vars[var].storage = IrStorage::Static { init, thread_local, read_only };
        }
        Ok(())
    }

    fn vla_local(&mut self, name: Symbol, ty: QType, declarator: &InitDeclarator) -> Res<()> {
        if declarator.init.is_some() {
            let message = "an array of variable length cannot have an initialiser";
            return Err(self.error(declarator.span, message));
        }
        let pointer_type = self.types.pointer(ty);
        let pointer = self.new_local(name, pointer_type, declarator.span);
        let size = self.size_of(ty, declarator.span)?;
        let dst = self.program.var_place(pointer);
        self.emit(Op::Alloca { dst, size: size.e }, declarator.span);
        self.entities.bind(name, Entity::Vla { pointer, ty });
        Ok(())
    }

    pub(super) fn static_assert(&mut self, cond: ExprId, message: Option<StringId>) -> Res<()> {
        let value = self.constant_truth(cond)?;
        if value {
            return Ok(());
        }
        let text = message.map(|m| format!(": {}", self.ast.string_text(m))).unwrap_or_default();
        Err(self.error(self.ast[cond].span, format!("the static assertion fails{text}")))
    }

    /// The number of the function of that name, declared as `int name()` if nobody did.
    pub(super) fn implicit_function(&mut self, name: Symbol, span: Span) -> Res<usize> {
        let f = super::ctype::FuncType {
            result: CTypes::INT,
            params: Box::new([]),
            variadic: false,
            prototyped: false,
        };
        let ty = self.types.plain(CType::Function(f));
        let linkage = Linkage::External;
        let decl = GlobalDecl {
            name,
            link_name: None,
            ty,
            linkage,
            thread_local: false,
            no_return: false,
            implicit: true,
            span,
        };
        self.global(decl)
    }
}

/// A declaration of a variable or function with linkage.
pub(super) struct GlobalDecl {
    pub name: Symbol,
    pub link_name: Option<String>,
    pub ty: QType,
    pub linkage: Linkage,
    pub thread_local: bool,
    pub no_return: bool,
    pub implicit: bool,
    pub span: Span,
}
