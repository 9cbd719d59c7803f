//! The scalars in a record or array, one by one.
//!
//! Records are copied leaf by leaf: each leaf is where it lies in memory and, for the same thing in
//! a plain variable, the way to its cell. Unions are bytes, unless the program uses one member of
//! the union only. Padding is no leaf; it is copied only where some access may look at it.

use crate::encode::NotEncoded;
use crate::encode::cells::Step;
use gnomon_ir::expr::PlaceKind;
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::Program;
use gnomon_ir::types::{BitField, RecordId, RecordKind, Type, TypeId, Types};
use std::collections::BTreeMap;

/// Records with more scalars than this are not copied one by one.
pub(crate) const LEAF_LIMIT: usize = 128;

/// Nor are those with more bytes.
const SIZE_LIMIT: u64 = 1 << 13;

/// A scalar in something larger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// In bytes from the start.
    pub(crate) offset: u64,
    /// Its type.
    pub(crate) scalar: Scalar,
    /// The bits it has, if it is a bit-field.
    pub(crate) bits: Option<BitField>,
    /// The way to its cell in a plain variable.
    pub(crate) way: Vec<Step>,
    /// The indices on that way.
    pub(crate) indices: Vec<u64>,
}

impl Leaf {
    /// The bytes it lies in.
    pub(crate) fn size(&self) -> u64 {
        access_size(self.scalar, self.bits)
    }
}

/// The bytes that an access of a scalar touches.
pub(crate) fn access_size(scalar: Scalar, bits: Option<BitField>) -> u64 {
    match bits {
        Some(field) => (u64::from(field.shift) + u64::from(field.width)).div_ceil(8),
        None => u64::from(scalar.width() / 8),
    }
}

/// For each union the one member that the program uses, if it is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionMembers {
    used: BTreeMap<RecordId, Option<u32>>,
}

impl UnionMembers {
    /// Looks at all places of a program.
    pub(crate) fn new(program: &Program) -> Self {
        let mut used: BTreeMap<RecordId, Option<u32>> = BTreeMap::new();
        for number in 0..program.exprs.place_count() {
            let place = gnomon_ir::expr::PlaceId(number as u32);
            let PlaceKind::Field(base, field) = program.exprs.place(place).kind else { continue };
            let Some((id, record)) = program.types.as_record(program.place_ty(base)) else {
                continue;
            };
            if record.kind == RecordKind::Union {
                let member = used.entry(id).or_insert(Some(field));
                if *member != Some(field) {
                    *member = None;
                }
            }
        }
        Self { used }
    }

    fn only(&self, record: RecordId) -> Option<u32> {
        self.used.get(&record).copied().flatten()
    }
}

/// The leaves of a type, in the order of declaration.
pub(crate) fn leaves(
    program: &Program,
    unions: &UnionMembers,
    ty: TypeId,
) -> Result<Vec<Leaf>, NotEncoded> {
    let mut found = Vec::new();
    if program.types.size(ty) > SIZE_LIMIT {
        return Err(NotEncoded::Memory("a copy of a large record or array".into()));
    }
    let root =
        Leaf { offset: 0, scalar: Scalar::Bool, bits: None, way: Vec::new(), indices: Vec::new() };
    add_leaves(program, unions, ty, root, &mut found)?;
    Ok(found)
}

fn add_leaves(
    program: &Program,
    unions: &UnionMembers,
    ty: TypeId,
    at: Leaf,
    found: &mut Vec<Leaf>,
) -> Result<(), NotEncoded> {
    if found.len() >= LEAF_LIMIT {
        return Err(NotEncoded::Memory(format!(
            "a copy of a record or array with more than {LEAF_LIMIT} scalars"
        )));
    }
    match *program.types.get(ty) {
        Type::Array { elem, len } => {
            let size = program.types.size(elem);
            for index in 0..len {
                let mut inner = at.clone();
                inner.offset += index * size;
                inner.way.push(Step::Element);
                inner.indices.push(index);
                inner.bits = None;
                add_leaves(program, unions, elem, inner, found)?;
            }
        }
        Type::Record(id) => {
            let record = program.types.record(id);
            let fields: Vec<u32> = match (record.kind, unions.only(id)) {
                (RecordKind::Struct, _) => (0..record.fields.len() as u32).collect(),
                (RecordKind::Union, Some(member)) => vec![member],
                (RecordKind::Union, None) => {
                    for byte in 0..record.size {
                        let inner = Leaf { offset: at.offset + byte, ..at.clone() };
                        add_leaves(program, unions, Types::U8, inner, found)?;
                    }
                    return Ok(());
                }
            };
            for number in fields {
                let Some(field) = record.fields.get(number as usize) else { continue };
                let mut inner = at.clone();
                inner.offset += field.offset;
                inner.way.push(Step::Field(number));
                inner.bits = field.bits;
                add_leaves(program, unions, field.ty, inner, found)?;
            }
        }
        _ => {
            let Some(scalar) = program.types.scalar(ty) else {
                return Err(NotEncoded::Type(format!("{:?}", program.types.get(ty))));
            };
            found.push(Leaf { scalar, ..at });
        }
    }
    Ok(())
}

/// The bytes of a type that are in no leaf.
pub(crate) fn padding(leaves: &[Leaf], size: u64) -> Vec<u64> {
    let mut covered: Vec<(u64, u64)> =
        leaves.iter().map(|leaf| (leaf.offset, leaf.offset + leaf.size())).collect();
    covered.sort_unstable();
    let mut gaps = Vec::new();
    let mut next = 0;
    for (from, to) in covered {
        gaps.extend(next..from);
        next = next.max(to);
    }
    gaps.extend(next..size);
    gaps
}
