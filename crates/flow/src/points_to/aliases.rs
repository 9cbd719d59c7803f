//! The result as the encoding of memory takes it.

use gnomon_ir::expr::ExprId;
use gnomon_ir::program::Program;
use gnomon_logic::encode::aliases::{Aliases, Object, Target, Targets};

use super::{ObjectId, ObjectKind, PointsTo};

/// What is known of the pointers of a program.
#[derive(Clone, Copy, Debug)]
pub struct AliasFacts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
}

impl PointsTo {
    /// The result as the encoding of memory takes it. Expressions may be asked for that were made
    /// after the analysis.
    pub fn alias_facts<'a>(&'a self, program: &'a Program) -> AliasFacts<'a> {
        AliasFacts { program, points_to: self }
    }
}

impl AliasFacts<'_> {
    /// The object as the encoding names it.
    pub fn named(&self, id: ObjectId) -> Object {
        match self.points_to.objects().get(id).kind {
            ObjectKind::Variable(var) => Object::Variable(var),
            ObjectKind::Function(func) => Object::Function(func),
            ObjectKind::Allocated { site, context } => Object::Allocated {
                function: site.function,
                edge: site.edge,
                // 0 where calls are not told apart, else the object's own number.
                context: context.map_or(0, |_| id.0),
            },
            ObjectKind::Outside | ObjectKind::VarArgs(_) => Object::Outside,
        }
    }
}

impl Aliases for AliasFacts<'_> {
    fn escaped(&self) -> Option<Vec<Object>> {
        let escaped = self.points_to.escaped_objects().iter();
        let mut known: Vec<Object> = escaped.map(|&id| self.named(id)).collect();
        known.sort_unstable();
        known.dedup();
        Some(known)
    }

    fn targets(&self, pointer: ExprId) -> Targets {
        let mut known = Vec::new();
        for target in self.points_to.pointees(self.program, pointer) {
            let object = self.named(target.object);
            known.push(Target { object, offset: target.offset });
        }
        known.sort_unstable();
        known.dedup();
        Targets::Known(known)
    }
}
