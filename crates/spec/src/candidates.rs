//! Variables that can be watched from their beginning: event `variable($p, $size)`.
//!
//! A lock that is a variable has a history from the start of the program on, whoever touches it
//! first. So every variable, and every part of one, that pointers of the right type can reach may
//! be chosen when it begins: static ones when the program starts, others when their function does.
//! What the right type is, the other events of the spec say: of `unlock($l)` with a parameter
//! `struct lock *` it is `struct lock`; for `void *` it is every variable as a whole.
//!
//! An element of an array is chosen by any index below the length.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, TypeId, Types};

/// Something that can be watched from its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Whose it is; `None` if it is static.
    pub func: Option<FuncId>,
    /// Its address.
    pub address: ExprId,
    /// Its size.
    pub bytes: u64,
    /// Variables for open indices, with their limits.
    pub indices: Vec<(VarId, u64)>,
}

/// All of them, for pointers to these types.
pub fn candidates(program: &mut Program, pointees: &BTreeSet<TypeId>) -> Vec<Candidate> {
    let whole = pointees.contains(&Types::VOID);
    let mut places: BTreeSet<PlaceId> = BTreeSet::new();
    for e in (0..program.exprs.expr_count()).map(|i| ExprId(i as u32)) {
        let ExprKind::AddrOf(place) = program.exprs.expr(e).kind else { continue };
        let Some(var) = program.exprs.root_var(place) else { continue };
        if matches!(program.vars[var].storage, Storage::Static { read_only: true, .. }) {
            continue;
        }
        if whole {
            places.insert(program.var_place(var));
        } else if pointees.contains(&program.place_ty(place)) {
            places.insert(place);
        }
    }
    let mut found: Vec<Candidate> = Vec::new();
    for place in places {
        let Some(var) = program.exprs.root_var(place) else { continue };
        let func = program.vars[var].storage.function();
        let mut indices = Vec::new();
        let Some(place) = with_any_index(program, place, &mut indices) else { continue };
        let address = program.address_of(place);
        let bytes = program.types.size(program.place_ty(place));
        let candidate = Candidate { func, address, bytes, indices };
        // `&a[i]` and `&a[j]` are one.
        if !found.iter().any(|c| c.address == candidate.address) {
            found.push(candidate);
        }
    }
    found
}

/// The place with a variable of ours in the place of every index that is no constant.
fn with_any_index(
    program: &mut Program,
    place: PlaceId,
    indices: &mut Vec<(VarId, u64)>,
) -> Option<PlaceId> {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => Some(place),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, field) => {
            let base = with_any_index(program, base, indices)?;
            Some(program.field(base, field))
        }
        PlaceKind::Index(base, index) => {
            let Type::Array { len, .. } = *program.types.get(program.place_ty(base)) else {
                return None;
            };
            let base = with_any_index(program, base, indices)?;
            if program.as_int(index).is_some() {
                return Some(program.index(base, index));
            }
            let var = index_variable(program, indices.len());
            indices.push((var, len));
            let index = program.load_var(var);
            Some(program.index(base, index))
        }
    }
}

/// The variable for the open index of that number; all specs share them.
fn index_variable(program: &mut Program, number: usize) -> VarId {
    let name = format!(".spec.index{number}");
    if let Some((id, _)) = program.vars.iter_ids().find(|(_, v)| v.name == name) {
        return id;
    }
    let storage =
        Storage::Static { init: Some(Default::default()), thread_local: false, read_only: false };
    let ty = Types::I64;
    program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE });
    VarId::from_index(program.vars.len() - 1)
}
