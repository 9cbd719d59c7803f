//! The objects that the analysis tells apart, and the cells that they are divided into.

use gnomon_ir::arena::{Arena, Id};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::ids;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::types::{TypeId, Types};
use rustc_hash::FxHashMap;

use super::layout::{CellBytes, Layout};

ids! {
    /// An object of the analysis in [`Objects`].
    ObjectId "o";
    /// A part of an object whose contents are not told apart; an abstract location.
    CellId "cell";
    /// A layout that objects share.
    LayoutId "layout";
}

/// An edge of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The function.
    pub function: FuncId,
    /// Its edge.
    pub edge: EdgeId,
}

/// What an object of the analysis stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// Everything that is not of the program: the objects of its environment and of library
    /// functions that nothing is known of. Always object 0.
    Outside,
    /// A variable; of all calls, if it is a local one.
    Variable(VarId),
    /// A function.
    Function(FuncId),
    /// What an edge allocates (`malloc` and the like, or `alloca`).
    Allocated {
        /// The call or [`Op::Alloca`](gnomon_ir::cfa::Op::Alloca).
        site: Site,
        /// The call of the function around it, where calls are told apart.
        context: Option<Site>,
    },
    /// The arguments behind the declared ones of all calls of a variadic function.
    VarArgs(FuncId),
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// What it stands for.
    pub kind: ObjectKind,
    pub(crate) layout: LayoutId,
    first_cell: u32,
}

/// All objects of a program.
#[derive(Clone, Debug)]
pub struct Objects {
    objects: Arena<ObjectId, Object>,
    layouts: Arena<LayoutId, Layout>,
    cell_owner: Vec<ObjectId>,
    variables: Vec<ObjectId>,
    functions: Vec<ObjectId>,
    others: FxHashMap<ObjectKind, ObjectId>,
    shared: FxHashMap<(TypeId, bool), LayoutId>,
}

impl Objects {
    /// The environment.
    pub const OUTSIDE: ObjectId = ObjectId(0);
    const NOTHING: LayoutId = LayoutId(0);
    const ONE_CELL: LayoutId = LayoutId(1);

    /// The outside, the variables, the functions and their further arguments.
    pub(crate) fn of_program(program: &Program) -> Self {
        let mut objects = Self {
            objects: Arena::new(),
            layouts: Arena::new(),
            cell_owner: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            others: FxHashMap::default(),
            shared: FxHashMap::default(),
        };
        objects.layouts.push(Layout::empty());
        objects.layouts.push(Layout::one_cell());
        objects.push(ObjectKind::Outside, Self::ONE_CELL);
        for (id, var) in program.vars.iter_ids() {
            let layout = objects.layout(&program.types, var.ty, Layout::of_variable, true);
            let object = objects.push(ObjectKind::Variable(id), layout);
            objects.variables.push(object);
        }
        for (id, function) in program.funcs.iter_ids() {
            let object = objects.push(ObjectKind::Function(id), Self::NOTHING);
            objects.functions.push(object);
            if function.body.is_some() {
                let kind = ObjectKind::VarArgs(id);
                let object = objects.push(kind, Self::ONE_CELL);
                objects.others.insert(kind, object);
            }
        }
        objects
    }

    fn layout(
        &mut self,
        types: &Types,
        ty: TypeId,
        make: fn(&Types, TypeId) -> Layout,
        fixed: bool,
    ) -> LayoutId {
        let layouts = &mut self.layouts;
        *self.shared.entry((ty, fixed)).or_insert_with(|| layouts.push(make(types, ty)))
    }

    /// An allocated object that holds elements of a type, or nobody knows what.
    pub(crate) fn add_allocated(
        &mut self,
        types: &Types,
        kind: ObjectKind,
        elem: Option<TypeId>,
    ) -> ObjectId {
        let layout = match elem {
            Some(elem) => self.layout(types, elem, Layout::of_allocated, false),
            None => Self::ONE_CELL,
        };
        let object = self.push(kind, layout);
        self.others.insert(kind, object);
        object
    }

    fn push(&mut self, kind: ObjectKind, layout: LayoutId) -> ObjectId {
        let first_cell = self.cell_owner.len() as u32;
        let id = self.objects.push(Object { kind, layout, first_cell });
        let cells = self.layouts[layout].cells.len();
        self.cell_owner.extend(std::iter::repeat_n(id, cells));
        id
    }

    /// Gives allocated objects the sites that their edges have elsewhere; nothing if one has none.
    pub(super) fn rename(&mut self, site: &impl Fn(Site) -> Option<Site>) -> Option<()> {
        let mut others = FxHashMap::default();
        for (kind, id) in self.others.drain() {
            let kind = match kind {
                ObjectKind::Allocated { site: made, context } => {
                    let context = match context {
                        Some(call) => Some(site(call)?),
                        None => None,
                    };
                    ObjectKind::Allocated { site: site(made)?, context }
                }
                kind => kind,
            };
            self.objects[id].kind = kind;
            others.insert(kind, id);
        }
        self.others = others;
        Some(())
    }

    /// Objects that are added have cells from this number on; those before it are of no object.
    pub(super) fn begin_cells_at(&mut self, number: usize) {
        self.cell_owner.resize(number, Self::OUTSIDE);
    }

    /// A variable that was added to the program.
    pub(super) fn add_variable(&mut self, types: &Types, var: VarId, ty: TypeId) {
        let layout = self.layout(types, ty, Layout::of_variable, true);
        let object = self.push(ObjectKind::Variable(var), layout);
        self.variables.push(object);
    }

    pub(super) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    pub(super) fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// The object.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.objects[id]
    }

    /// The number of objects; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Never: the outside is always there.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// All objects in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ObjectId, &Object)> {
        self.objects.iter_ids()
    }

    /// The object of a variable.
    pub fn variable(&self, var: VarId) -> ObjectId {
        self.variables[var.index()]
    }

    /// The object of a function.
    pub fn function(&self, func: FuncId) -> ObjectId {
        self.functions[func.index()]
    }

    /// The object of this kind, if the program has it.
    pub fn find(&self, kind: ObjectKind) -> Option<ObjectId> {
        match kind {
            ObjectKind::Outside => Some(Self::OUTSIDE),
            ObjectKind::Variable(var) => self.variables.get(var.index()).copied(),
            ObjectKind::Function(func) => self.functions.get(func.index()).copied(),
            _ => self.others.get(&kind).copied(),
        }
    }

    pub(crate) fn layout_of(&self, id: ObjectId) -> &Layout {
        &self.layouts[self.objects[id].layout]
    }

    /// The number of cells of all objects; ids are `0..count`.
    pub fn cell_count(&self) -> usize {
        self.cell_owner.len()
    }

    /// The cells of an object.
    pub fn cells(&self, id: ObjectId) -> impl ExactSizeIterator<Item = CellId> + use<> {
        let first = self.objects[id].first_cell;
        let count = self.layout_of(id).cells.len() as u32;
        (first..first + count).map(CellId)
    }

    /// The cell of an object with a number.
    pub(crate) fn cell(&self, id: ObjectId, number: u32) -> CellId {
        CellId(self.objects[id].first_cell + number)
    }

    /// The cells of some bytes of an object; no byte of an object is without a cell.
    pub fn cells_of_bytes(&self, id: ObjectId, offset: u64, bytes: u64) -> Vec<CellId> {
        let mut cells = Vec::new();
        self.layout_of(id).cells_of_bytes(offset, offset.saturating_add(bytes), &mut cells);
        cells.into_iter().map(|number| self.cell(id, number)).collect()
    }

    /// The object that a cell is of.
    pub fn owner(&self, cell: CellId) -> ObjectId {
        self.cell_owner[cell.index()]
    }

    /// Which bytes of its object a cell stands for.
    pub fn cell_bytes(&self, cell: CellId) -> CellBytes {
        let owner = self.owner(cell);
        let number = cell.0 - self.objects[owner].first_cell;
        self.layout_of(owner).cells[number as usize]
    }

    /// The function whose calls have their own instance of the object.
    pub fn function_of_local(&self, program: &Program, id: ObjectId) -> Option<FuncId> {
        match self.objects[id].kind {
            ObjectKind::Variable(var) => program.vars[var].storage.function(),
            ObjectKind::VarArgs(func) => Some(func),
            _ => None,
        }
    }
}
