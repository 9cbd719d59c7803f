//! Where the members of a record are: the rules of the System V ABI for x86 as gcc applies them.
//!
//! A bit-field must not cross a boundary of its declared type's alignment in more units than the
//! type itself has; the type of a named bit-field aligns the record; packing (attribute or pragma)
//! switches both off. Checked against gcc on thousands of random declarations
//! (`crates/cfront/tests/layout.rs`).

use gnomon_ir::types::{BitField, RecordKind};

/// What layout needs to know of a member.
#[derive(Clone, Copy, Debug)]
pub struct MemberShape {
    /// In bytes; 0 for a flexible array member.
    pub size: u64,
    /// Alignment of the type as a member, in bytes.
    pub align: u64,
    /// An `aligned` attribute or `_Alignas` on the member itself.
    pub declared_align: Option<u64>,
    /// A `packed` attribute on the member or the record.
    pub packed: bool,
    /// The width if it is a bit-field; 0 ends the current unit.
    pub bit_width: Option<u64>,
    /// Bit-fields without a name do not align the record.
    pub named: bool,
}

/// Where a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPlace {
    /// In bytes; of a bit-field the byte in which it begins.
    pub offset: u64,
    /// Set for bit-fields of at least one bit.
    pub bits: Option<BitField>,
}

/// Size and alignment of a record and the places of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In bytes, a multiple of `align`.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// One for each member.
    pub members: Vec<MemberPlace>,
}

/// Lays out a record. `pack` is the value of `#pragma pack`, `declared_align` that of an `aligned`
/// attribute on the record. `None` if it is too large.
pub fn lay_out(
    kind: RecordKind,
    members: &[MemberShape],
    pack: Option<u64>,
    declared_align: Option<u64>,
) -> Option<Layout> {
    let mut layout = Layout { size: 0, align: 1, members: Vec::with_capacity(members.len()) };
    // In bits; the offset at which the next member may start and the end of the longest member.
    let mut next: u64 = 0;
    let mut end: u64 = 0;
    for member in members {
        if kind == RecordKind::Union {
            next = 0;
        }
        let place = match member.bit_width {
            Some(width) => place_bits(member, width, pack, next),
            None => place_whole(member, pack, next)?,
        };
        layout.align = layout.align.max(place.record_align);
        next = place.start.checked_add(place.length)?;
        end = end.max(next);
        let bits = member
            .bit_width
            .filter(|&w| w > 0)
            .map(|width| BitField { shift: (place.start % 8) as u8, width: width as u8 });
        layout.members.push(MemberPlace { offset: place.start / 8, bits });
    }
    layout.align = layout.align.max(declared_align.unwrap_or(1));
    layout.size = end.div_ceil(8).checked_next_multiple_of(layout.align)?;
    Some(layout)
}

struct Placed {
    start: u64,
    length: u64,
    record_align: u64,
}

fn place_whole(member: &MemberShape, pack: Option<u64>, next: u64) -> Option<Placed> {
    let natural = if member.packed { 1 } else { member.align };
    let mut align = member.declared_align.map_or(natural, |declared| declared.max(natural));
    if let Some(pack) = pack {
        align = align.min(pack);
    }
    let start = next.checked_next_multiple_of(align * 8)?;
    Some(Placed { start, length: member.size.checked_mul(8)?, record_align: align })
}

fn place_bits(member: &MemberShape, width: u64, pack: Option<u64>, next: u64) -> Placed {
    let capped = |align: u64| pack.map_or(align, |pack| align.min(pack));
    if width == 0 {
        // Not even packing keeps it from aligning what follows.
        let align = member.align.max(member.declared_align.unwrap_or(1));
        return Placed { start: next.next_multiple_of(align * 8), length: 0, record_align: 1 };
    }
    let type_bits = member.align * 8;
    let declared = capped(member.declared_align.unwrap_or(1));
    // An alignment of 1 aligns too: to the next byte.
    let mut start = match member.declared_align {
        Some(_) => next.next_multiple_of(declared * 8),
        None => next,
    };
    let units = |start: u64| (start % type_bits + width).div_ceil(type_bits);
    let crosses = units(start) > (member.size * 8) / type_bits;
    if !member.packed && pack.is_none() && crosses {
        start = start.next_multiple_of(type_bits);
    }
    let from_type = match (pack, member.packed) {
        (Some(pack), _) => member.align.min(pack),
        (None, true) => 1,
        (None, false) => member.align,
    };
    let record_align = if member.named { from_type.max(declared) } else { 1 };
    Placed { start, length: width, record_align }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(size: u64) -> MemberShape {
        MemberShape {
            size,
            align: size,
            declared_align: None,
            packed: false,
            bit_width: None,
            named: true,
        }
    }

    fn bits(size: u64, width: u64) -> MemberShape {
        MemberShape { bit_width: Some(width), ..whole(size) }
    }

    #[test]
    fn padding_between_and_behind() {
        let layout =
            lay_out(RecordKind::Struct, &[whole(1), whole(4), whole(2)], None, None).unwrap();
        let offsets: Vec<u64> = layout.members.iter().map(|m| m.offset).collect();
        assert_eq!((offsets.as_slice(), layout.size, layout.align), (&[0, 4, 8][..], 12, 4));
    }

    #[test]
    fn bit_fields_do_not_cross_their_type() {
        let members = [bits(4, 30), bits(4, 5), bits(4, 0), bits(1, 3)];
        let layout = lay_out(RecordKind::Struct, &members, None, None).unwrap();
        assert_eq!(
            layout.members[1],
            MemberPlace { offset: 4, bits: Some(BitField { shift: 0, width: 5 }) }
        );
        assert_eq!(layout.members[3].offset, 8);
        assert_eq!(layout.size, 12);
    }

    #[test]
    fn packed_bit_fields_follow_each_other() {
        let packed = |mut m: MemberShape| {
            m.packed = true;
            m
        };
        let members = [packed(bits(4, 30)), packed(bits(4, 5)), packed(whole(4))];
        let layout = lay_out(RecordKind::Struct, &members, None, None).unwrap();
        assert_eq!(
            layout.members[1],
            MemberPlace { offset: 3, bits: Some(BitField { shift: 6, width: 5 }) }
        );
        assert_eq!((layout.members[2].offset, layout.size, layout.align), (5, 9, 1));
    }
}
