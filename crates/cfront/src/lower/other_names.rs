//! Other names for what is defined, and what may be absent.
//!
//! `alias` and `weakref` make a name mean the object or function of another name; `#pragma weak a = b` and `#pragma
//! redefine_extname` do so for a whole unit. What is declared weak and defined nowhere has no address: whether it
//! exists depends on what the program is linked with. Where the program looks at its address it is refused; a
//! call is taken to find it.

use gnomon_ir::arena::Id;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Note, Program, Storage, VarId};

use super::around_main::When;
use super::attr::Attributes;
use super::decl::Object;
use super::link::{BadCall, Linkage, Linker};
use super::{Entity, Lower, Res};
use crate::pragma::SymbolPragma;
use crate::span::Span;

impl Lower<'_> {
    /// Takes note of pragmas about names, which are about the whole unit.
    pub(super) fn read_pragmas(&mut self) {
        for (pragma, span) in self.ast.symbol_pragmas.clone() {
            match pragma {
                SymbolPragma::Weak(name) => {
                    let span = self.ir_span(span);
                    self.linker.weak.insert(name, span);
                }
                SymbolPragma::Named { name, target } => {
                    self.renamed.insert(name, target);
                }
                SymbolPragma::Refused(what) => {
                    let _ = self.unsupported(span, format!("{what} is not supported"));
                }
            }
        }
    }

    /// What attributes say of the name of a global, and of when it is called.
    pub(super) fn other_names(&mut self, index: usize, all: &[Attributes], span: Span) -> Res<()> {
        for attributes in all {
            if let Some(target) = attributes.alias {
                let target = self.ast.string_text(target);
                self.linked_elsewhere(index, target, attributes.weak_reference, span)?;
            }
            if attributes.weak {
                let name = self.globals[index].link_name.clone();
                let span = self.ir_span(span);
                self.linker.weak.insert(name, span);
            }
            let when =
                [(When::Before, attributes.constructor), (When::Behind, attributes.destructor)];
            for (when, priority) in when {
                let Some(priority) = priority else { continue };
                if !self.types.is_function(self.globals[index].ty) {
                    return Err(self.error(span, "only functions are constructors or destructors"));
                }
                let func = self.global_function(index)?;
                self.linker.around_main.add(when, priority, func);
            }
        }
        Ok(())
    }

    /// The global is what another name means.
    fn linked_elsewhere(
        &mut self,
        index: usize,
        target: String,
        weak: bool,
        span: Span,
    ) -> Res<()> {
        if self.globals[index].object.is_some() {
            let message = "another name for what was used before is not supported";
            return Err(self.unsupported(span, message));
        }
        let known =
            self.names.get(&target).and_then(|symbol| self.entities.get_at_file_scope(symbol));
        self.globals[index].defined = !weak;
        let Some(Entity::Global(of)) = known else {
            // Perhaps it comes later, or from another file.
            self.globals[index].link_name.clone_from(&target);
            self.globals[index].linkage = Linkage::External;
            self.linked_as.push((index, target));
            return Ok(());
        };
        if !self.compatible(self.globals[of].ty, self.globals[index].ty) {
            let message =
                format!("`{target}` has another type, which is not supported for aliases");
            return Err(self.unsupported(span, message));
        }
        let object = match self.types.is_function(self.globals[of].ty) {
            true => Object::Func(self.global_function(of)?),
            false => Object::Var(self.global_variable(of)?),
        };
        let name = self.globals[index].link_name.clone();
        let is_known = self.globals[index].linkage == Linkage::External;
        self.globals[index].object = Some(object);
        if weak {
            let target = self.globals[of].link_name.clone();
            self.globals[index].link_name = target;
        } else if is_known && !self.linker.also_named(&name, object) {
            return Err(
                self.unsupported(span, format!("the alias `{name}` is declared elsewhere before"))
            );
        }
        Ok(())
    }

    /// At the end of the unit: what was to come later must not be internal, since it was looked for outside.
    pub(super) fn check_other_names(&mut self) {
        let mut targets = std::mem::take(&mut self.linked_as);
        for (index, global) in self.globals.iter().enumerate() {
            if let Some(target) = self.renamed.get(self.names.name(global.name)) {
                targets.push((index, target.clone()));
            }
        }
        for (index, target) in targets {
            let symbol = self.names.get(&target);
            let found = symbol.and_then(|symbol| self.entities.get_at_file_scope(symbol));
            if let Some(Entity::Global(of)) = found
                && self.globals[of].linkage == Linkage::Internal
            {
                let span = self.globals[index].span;
                let message =
                    format!("an alias of `{target}` before its definition is not supported");
                let _ = self.unsupported(span, message);
            }
        }
    }
}

/// What is declared weak, defined nowhere, and looked at as if it could be absent.
pub(super) fn absent(program: &mut Program, linker: &Linker) -> Vec<BadCall> {
    let mut bad = Vec::new();
    for (name, &span) in &linker.weak {
        let func = program.find_function(name).filter(|&f| program.funcs[f].body.is_none());
        let var = program.globals().find(|&v| program.vars[v].name == *name);
        let var =
            var.filter(|&v| matches!(program.vars[v].storage, Storage::Static { init: None, .. }));
        let looked_at = func.is_some_and(|func| takes_address(program, func))
            || var.is_some_and(|var| mentions(program, var));
        if looked_at {
            let message =
                format!("`{name}` is weak and not defined: whether it exists is not known");
            bad.push(BadCall { message, span });
        } else if func.is_some() {
            let message = "what is declared weak and called exists".to_owned();
            program.add_note(Note { kind: "weak", message, span });
        }
    }
    bad
}

/// Whether the address of a function is taken anywhere.
pub(super) fn takes_address(program: &Program, func: FuncId) -> bool {
    let mut exprs = (0..program.exprs.expr_count()).map(ExprId::from_index);
    exprs.any(|e| program.exprs.expr(e).kind == ExprKind::FuncAddr(func))
}

/// Whether anything in the program is about a variable.
pub(super) fn mentions(program: &Program, var: VarId) -> bool {
    let mut places = (0..program.exprs.place_count()).map(PlaceId::from_index);
    places.any(|place| program.exprs.place(place).kind == PlaceKind::Var(var))
}
