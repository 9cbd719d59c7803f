//! How an object is divided into cells, and where arrays lie in it.
//!
//! A cell is a part of an object whose contents the analysis does not tell apart: a scalar member
//! of a record, or the same member of all elements of an array (arrays as one element). Every byte
//! of an object belongs to exactly one cell: padding to the member in front of it, a union with
//! arrays in it to one cell for all. The map from bytes to cells is a function of the offset alone,
//! so accesses of any type agree about what they touch, whatever casts made the pointer.
//!
//! A region is an array in the type of an object; arrays of arrays are one region. A pointer that
//! was made from an element of a declared array stays in that array, as C 6.5.6 has it: the one
//! thing that is assumed about accesses which the interpreter would carry out. It does not hold for
//! arrays of length 0 and 1 at the end of a record, which programs use as arrays without an end.

use gnomon_ir::types::{RecordKind, Type, TypeId, Types};

use super::spot::Step;

/// More cells than this and the object is one cell.
const MAX_CELLS: u32 = 512;
/// Types nested deeper are one cell.
const MAX_DEPTH: u32 = 64;

type NodeIndex = u32;
/// An array of the layout.
pub(crate) type RegionIndex = u32;

#[derive(Clone, Debug)]
enum Node {
    Leaf {
        cell: u32,
    },
    /// Sorted by offset; each child reaches to the next one, the last one to the end.
    Parts(Vec<(u64, NodeIndex)>),
    Array {
        region: RegionIndex,
    },
}

/// An array in a layout.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// What the elements are.
    elem: NodeIndex,
    /// The size of an element that is no array itself.
    pub elem_size: u64,
    /// Offset of the array in the object, in the first element of the arrays around it.
    pub start: u64,
    /// What the offsets of all its elements agree in, modulo [`Region::modulus`].
    pub modulus: u64,
    /// `(size of an element, number of elements)` of each of the nested arrays, outermost first.
    levels: Vec<(u64, u64)>,
    /// Whether it is all of the object.
    pub whole: bool,
    /// Whether it reaches to the end of the object, however large that is.
    pub open_ended: bool,
}

/// The bytes of a cell: those at `start..end` of the object, and of the other elements of the
/// arrays around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBytes {
    /// The first byte.
    pub start: u64,
    /// The first byte behind it.
    pub end: u64,
    /// Whether an array is around it, so that it stands for several places.
    pub repeated: bool,
}

/// How to reach a cell from the start of an object, and the bytes it has there.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub steps: Vec<Step>,
    pub bytes: u64,
}

/// How the objects of a type are divided.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    nodes: Vec<Node>,
    root: NodeIndex,
    pub cells: Vec<CellBytes>,
    pub regions: Vec<Region>,
    /// `None` if it is not known.
    pub size: Option<u64>,
}

impl Layout {
    /// Of a variable.
    pub(crate) fn of_variable(types: &Types, ty: TypeId) -> Self {
        Builder::build(types, ty, Some(types.size(ty)))
    }

    /// Of an allocated object that is an array of the type, or one record with an array at its end
    /// that is as long as the object allows.
    pub(crate) fn of_allocated(types: &Types, elem: TypeId) -> Self {
        Builder::build(types, elem, None)
    }

    /// All one cell.
    pub(crate) fn one_cell() -> Self {
        let mut builder = Builder::default();
        let elem = builder.leaf(0, 1, true);
        let root = builder.whole_array(elem, 1, vec![(1, u64::MAX)]);
        builder.finish(root, None)
    }

    /// Of what has no contents.
    pub(crate) fn empty() -> Self {
        let nodes = vec![Node::Parts(Vec::new())];
        Self { nodes, root: 0, cells: Vec::new(), regions: Vec::new(), size: Some(0) }
    }

    /// The array that is all of the object.
    pub(crate) fn whole_region(&self) -> Option<(RegionIndex, &Region)> {
        match self.nodes[self.root as usize] {
            Node::Array { region } => Some((region, &self.regions[region as usize])),
            _ => None,
        }
    }

    /// The array that goes on to the end of the object, wherever that is.
    pub(crate) fn open_region(&self) -> Option<(RegionIndex, &Region)> {
        let found = self.regions.iter().position(|region| region.open_ended)?;
        Some((found as u32, &self.regions[found]))
    }

    /// Adds the cells of the bytes `lo..hi`.
    pub(crate) fn cells_of_bytes(&self, lo: u64, hi: u64, cells: &mut Vec<u32>) {
        self.collect(self.root, lo, hi, cells);
    }

    /// Adds the cells of `bytes` bytes from `rest` on in some element of a region.
    pub(crate) fn cells_of_element(
        &self,
        region: RegionIndex,
        rest: u64,
        bytes: u64,
        cells: &mut Vec<u32>,
    ) {
        let region = &self.regions[region as usize];
        if rest.saturating_add(bytes) <= region.elem_size {
            self.collect(region.elem, rest, rest + bytes, cells);
        } else {
            self.collect(region.elem, 0, region.elem_size, cells);
        }
    }

    fn collect(&self, node: NodeIndex, lo: u64, hi: u64, cells: &mut Vec<u32>) {
        if lo >= hi {
            return;
        }
        match &self.nodes[node as usize] {
            Node::Leaf { cell } => {
                // Ranges are walked in order, so repetitions are neighbours.
                if cells.last() != Some(cell) {
                    cells.push(*cell);
                }
            }
            Node::Parts(parts) => {
                let first = parts.partition_point(|part| part.0 <= lo).saturating_sub(1);
                for (i, &(offset, child)) in parts.iter().enumerate().skip(first) {
                    let start = if i == 0 { 0 } else { offset };
                    if start >= hi {
                        break;
                    }
                    let end = parts.get(i + 1).map_or(u64::MAX, |next| next.0);
                    let (from, to) = (lo.max(offset), hi.min(end));
                    // Bytes in front of the first part belong to it.
                    let (from, to) = (from - offset, to.saturating_sub(offset).max(1));
                    if lo.max(start) < hi.min(end) {
                        self.collect(child, from, to, cells);
                    }
                }
            }
            Node::Array { region } => {
                let Region { elem, elem_size, .. } = self.regions[*region as usize];
                let (first, last) = (lo / elem_size, (hi - 1) / elem_size);
                if first == last {
                    let base = first * elem_size;
                    self.collect(elem, lo - base, hi - base, cells);
                } else {
                    self.collect(elem, 0, elem_size, cells);
                }
            }
        }
    }

    /// The cells in order, as paths from the start of the object.
    pub(crate) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = vec![Leaf { steps: Vec::new(), bytes: 1 }; self.cells.len()];
        self.add_leaves(self.root, &mut Vec::new(), self.size.unwrap_or(1), &mut leaves);
        leaves
    }

    fn add_leaves(&self, node: NodeIndex, path: &mut Vec<Step>, extent: u64, leaves: &mut [Leaf]) {
        match &self.nodes[node as usize] {
            &Node::Leaf { cell } => {
                leaves[cell as usize] = Leaf { steps: path.clone(), bytes: extent.max(1) };
            }
            Node::Parts(parts) => {
                for (i, &(offset, child)) in parts.iter().enumerate() {
                    let end = parts.get(i + 1).map_or(extent.max(offset), |next| next.0);
                    let depth = path.len();
                    if offset > 0 {
                        path.push(Step::Bytes(offset as i64));
                    }
                    self.add_leaves(child, path, end - offset, leaves);
                    path.truncate(depth);
                }
            }
            Node::Array { region } => {
                let region = &self.regions[*region as usize];
                let depth = path.len();
                path.extend(region.levels.iter().map(|&(size, len)| {
                    let index = (len <= 1).then_some(0);
                    Step::Element { size, len, index }
                }));
                self.add_leaves(region.elem, path, region.elem_size, leaves);
                path.truncate(depth);
            }
        }
    }

    /// The array that begins at an offset of the object and has at least `len` elements of
    /// `elem_size` bytes.
    pub(crate) fn array_at(&self, offset: u64, elem_size: u64, len: u64) -> Option<RegionIndex> {
        self.find_array(self.root, offset, elem_size, len)
    }

    /// The same inside an element of a region.
    pub(crate) fn array_in(
        &self,
        region: RegionIndex,
        offset: u64,
        elem_size: u64,
        len: u64,
    ) -> Option<RegionIndex> {
        self.find_array(self.regions[region as usize].elem, offset, elem_size, len)
    }

    fn find_array(
        &self,
        node: NodeIndex,
        offset: u64,
        elem_size: u64,
        len: u64,
    ) -> Option<RegionIndex> {
        match &self.nodes[node as usize] {
            Node::Leaf { .. } => None,
            Node::Parts(parts) => {
                let index = parts.partition_point(|part| part.0 <= offset).checked_sub(1)?;
                let (start, child) = parts[index];
                self.find_array(child, offset - start, elem_size, len)
            }
            &Node::Array { region } => {
                let array = &self.regions[region as usize];
                let fits = |&(size, count): &(u64, u64)| {
                    size == elem_size
                        && (array.open_ended || len > 1 && count >= len)
                        && offset.is_multiple_of(size)
                };
                if array.levels.iter().any(fits) {
                    return Some(region);
                }
                self.find_array(array.elem, offset % array.elem_size, elem_size, len)
            }
        }
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    cells: Vec<CellBytes>,
    regions: Vec<Region>,
    overflow: bool,
}

/// Where in the object a type stands.
#[derive(Clone, Copy)]
struct Context {
    start: u64,
    /// 0 outside arrays, else the common divisor of the sizes of elements of the arrays around.
    modulus: u64,
    /// Whether nothing comes behind it.
    last: bool,
    depth: u32,
}

impl Builder {
    fn build(types: &Types, ty: TypeId, size: Option<u64>) -> Layout {
        let mut builder = Builder::default();
        let context = Context { start: 0, modulus: 0, last: true, depth: 0 };
        let root = match size {
            Some(_) => builder.node(types, ty, context),
            None if has_open_end(types, ty) => builder.node(types, ty, context),
            None => {
                let (elem, mut levels) = innermost(types, ty);
                levels.insert(0, (types.size(ty), u64::MAX));
                let elem_size = types.size(elem);
                if elem_size == 0 {
                    return Layout::one_cell();
                }
                let inside = Context { modulus: elem_size, last: false, depth: 1, ..context };
                let elem = builder.node(types, elem, inside);
                builder.whole_array(elem, elem_size, levels)
            }
        };
        if builder.overflow {
            return match size {
                Some(_) => {
                    let mut builder = Builder::default();
                    let root = builder.leaf(0, size.unwrap_or(1), false);
                    builder.finish(root, size)
                }
                None => Layout::one_cell(),
            };
        }
        builder.finish(root, size)
    }

    fn finish(self, root: NodeIndex, size: Option<u64>) -> Layout {
        let Builder { nodes, mut cells, mut regions, .. } = self;
        if let Node::Array { region } = nodes[root as usize] {
            regions[region as usize].whole = true;
            regions[region as usize].open_ended = true;
        }
        // Padding belongs to the cell in front of it.
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| cells[i].start);
        for pair in order.windows(2) {
            if !cells[pair[0]].repeated {
                cells[pair[0]].end = cells[pair[0]].end.max(cells[pair[1]].start);
            }
        }
        Layout { nodes, root, cells, regions, size }
    }

    fn push(&mut self, node: Node) -> NodeIndex {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn leaf(&mut self, start: u64, size: u64, repeated: bool) -> NodeIndex {
        let cell = self.cells.len() as u32;
        if cell >= MAX_CELLS {
            self.overflow = true;
            return self.push(Node::Leaf { cell: 0 });
        }
        self.cells.push(CellBytes { start, end: start.saturating_add(size.max(1)), repeated });
        self.push(Node::Leaf { cell })
    }

    fn whole_array(
        &mut self,
        elem: NodeIndex,
        elem_size: u64,
        levels: Vec<(u64, u64)>,
    ) -> NodeIndex {
        let region = Region {
            elem,
            elem_size,
            start: 0,
            modulus: elem_size,
            levels,
            whole: true,
            open_ended: true,
        };
        self.regions.push(region);
        self.push(Node::Array { region: self.regions.len() as u32 - 1 })
    }

    fn node(&mut self, types: &Types, ty: TypeId, at: Context) -> NodeIndex {
        let one = |builder: &mut Self| builder.leaf(at.start, types.size(ty), at.modulus != 0);
        if self.overflow || at.depth > MAX_DEPTH {
            return one(self);
        }
        match *types.get(ty) {
            Type::Array { .. } => {
                let (elem, levels) = innermost(types, ty);
                let elem_size = types.size(elem);
                if elem_size == 0 {
                    return one(self);
                }
                let modulus = gcd(at.modulus, elem_size);
                let inside = Context { modulus, last: false, depth: at.depth + 1, ..at };
                let elem = self.node(types, elem, inside);
                let short = levels.iter().all(|level| level.1 <= 1);
                let open_ended = at.last && short;
                let region = Region {
                    elem,
                    elem_size,
                    start: at.start,
                    modulus,
                    levels,
                    whole: false,
                    open_ended,
                };
                self.regions.push(region);
                self.push(Node::Array { region: self.regions.len() as u32 - 1 })
            }
            Type::Record(record) => {
                let record = types.record(record);
                if record.fields.is_empty() {
                    return one(self);
                }
                match record.kind {
                    RecordKind::Union if has_array(types, ty) => one(self),
                    RecordKind::Union => {
                        let mut starts = Vec::new();
                        scalar_starts(types, ty, 0, &mut starts);
                        starts.sort_unstable();
                        starts.dedup();
                        let ends = starts.iter().skip(1).copied().chain([record.size]);
                        let ends: Vec<u64> = ends.collect();
                        let parts = starts.iter().zip(ends).map(|(&start, end)| {
                            let size = end.saturating_sub(start);
                            (start, self.leaf(at.start + start, size, at.modulus != 0))
                        });
                        let parts = parts.collect();
                        self.push(Node::Parts(parts))
                    }
                    RecordKind::Struct => {
                        let mut parts: Vec<(u64, NodeIndex)> = Vec::new();
                        let count = record.fields.len();
                        for (i, field) in record.fields.iter().enumerate() {
                            let last = i + 1 == count;
                            let empty = types.size(field.ty) == 0 && !last;
                            let shared = parts.last().is_some_and(|part| part.0 >= field.offset);
                            if empty || shared {
                                continue;
                            }
                            let inside = Context {
                                start: at.start + field.offset,
                                last: at.last && last,
                                depth: at.depth + 1,
                                ..at
                            };
                            parts.push((field.offset, self.node(types, field.ty, inside)));
                        }
                        self.push(Node::Parts(parts))
                    }
                }
            }
            _ => one(self),
        }
    }
}

/// The type of the elements that are no arrays, with `(size, count)` of each array on the way.
fn innermost(types: &Types, mut ty: TypeId) -> (TypeId, Vec<(u64, u64)>) {
    let mut levels = Vec::new();
    while let Type::Array { elem, len } = *types.get(ty) {
        levels.push((types.size(elem), len));
        ty = elem;
    }
    (ty, levels)
}

/// Whether the type ends with an array of length 0 or 1, which may go on as long as the object.
fn has_open_end(types: &Types, ty: TypeId) -> bool {
    let mut ty = ty;
    for depth in 0.. {
        match *types.get(ty) {
            Type::Array { len, .. } => return depth > 0 && len <= 1,
            Type::Record(record) => {
                let record = types.record(record);
                match (record.kind, record.fields.last()) {
                    (RecordKind::Struct, Some(field)) => ty = field.ty,
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
    false
}

fn has_array(types: &Types, ty: TypeId) -> bool {
    match *types.get(ty) {
        Type::Array { .. } => true,
        Type::Record(record) => {
            types.record(record).fields.iter().any(|field| has_array(types, field.ty))
        }
        _ => false,
    }
}

fn scalar_starts(types: &Types, ty: TypeId, at: u64, starts: &mut Vec<u64>) {
    match types.as_record(ty) {
        Some((_, record)) if !record.fields.is_empty() => {
            for field in &record.fields {
                scalar_starts(types, field.ty, at + field.offset, starts);
            }
        }
        _ => starts.push(at),
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
