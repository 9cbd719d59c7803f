//! Where in an object a pointer points, and what arithmetic on the pointer makes of it.

use gnomon_logic::encode::aliases::Offset;

use super::layout::{Layout, RegionIndex};

/// Where in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// At this byte.
    Exact(u64),
    /// `rest` bytes into some element of an array, or behind its last one.
    Element {
        region: RegionIndex,
        /// Less than the size of the elements.
        rest: u64,
    },
    /// Anywhere, even in front of it or behind it.
    Any,
}

/// How far a pointer is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// To a member that lies so many bytes behind.
    Bytes(i64),
    /// By arithmetic on the pointer, so many bytes.
    Move(i64),
    /// By any multiple of so many bytes.
    Multiple(u64),
    /// From an array (the place) to one of its elements.
    Element { size: u64, len: u64, index: Option<i64> },
    /// To any byte of the object.
    Anywhere,
}

impl Spot {
    /// Of a new object that is given out by an allocation.
    pub(crate) fn start(layout: &Layout) -> Self {
        match layout.whole_region() {
            Some((region, _)) if layout.size.is_none() => Spot::Element { region, rest: 0 },
            _ => Spot::Exact(0),
        }
    }

    /// At a byte of the object, or just behind it.
    pub(crate) fn at(layout: &Layout, offset: u64) -> Self {
        match (layout.size, layout.open_region()) {
            (Some(size), _) if offset <= size => Spot::Exact(offset),
            // The size is not known, but the parts before the array without an end are.
            (None, Some((region, array))) => match offset.checked_sub(array.start) {
                Some(beyond) => Spot::Element { region, rest: beyond % array.elem_size },
                None => Spot::Exact(offset),
            },
            _ => Spot::Any,
        }
    }

    /// The spot after a step.
    pub(crate) fn step(self, layout: &Layout, step: Step) -> Self {
        match step {
            Step::Anywhere => Spot::Any,
            Step::Bytes(bytes) | Step::Move(bytes) => self.moved(layout, bytes),
            Step::Multiple(stride) => self.repeated(layout, stride),
            Step::Element { size, len, index } => self.element(layout, size, len, index),
        }
    }

    fn moved(self, layout: &Layout, bytes: i64) -> Self {
        if bytes == 0 {
            return self;
        }
        match self {
            Spot::Any => Spot::Any,
            Spot::Exact(offset) => match offset.checked_add_signed(bytes) {
                Some(moved) => Spot::at(layout, moved),
                None => Spot::Any,
            },
            Spot::Element { region, rest } => {
                let array = &layout.regions[region as usize];
                let size = array.elem_size;
                match rest.checked_add_signed(bytes) {
                    Some(moved) if moved < size => Spot::Element { region, rest: moved },
                    _ if bytes.unsigned_abs().is_multiple_of(size) => self,
                    _ if array.whole => {
                        let moved = (i128::from(rest) + i128::from(bytes)).rem_euclid(size.into());
                        Spot::Element { region, rest: moved as u64 }
                    }
                    _ => Spot::Any,
                }
            }
        }
    }

    fn repeated(self, layout: &Layout, stride: u64) -> Self {
        match self {
            _ if stride == 0 => self,
            Spot::Any => Spot::Any,
            Spot::Exact(offset) => match layout.whole_region() {
                Some((region, array)) if stride.is_multiple_of(array.elem_size) => {
                    Spot::Element { region, rest: offset % array.elem_size }
                }
                _ => Spot::Any,
            },
            Spot::Element { region, .. } => {
                let size = layout.regions[region as usize].elem_size;
                if stride.is_multiple_of(size) { self } else { Spot::Any }
            }
        }
    }

    fn element(self, layout: &Layout, size: u64, len: u64, index: Option<i64>) -> Self {
        let found = match self {
            Spot::Any => return Spot::Any,
            Spot::Exact(offset) => layout.array_at(offset, size, len),
            Spot::Element { region, rest } => layout.array_in(region, rest, size, len),
        };
        if let Some(region) = found {
            return Spot::Element { region, rest: 0 };
        }
        // The object has no such array there: it was given out as something else.
        match index.and_then(|index| index.checked_mul(size as i64)) {
            Some(bytes) => self.moved(layout, bytes),
            None => self.repeated(layout, size),
        }
    }

    /// The cells that an access of so many bytes touches; `None` if it may be any.
    pub(crate) fn cells(self, layout: &Layout, bytes: u64, cells: &mut Vec<u32>) -> Option<()> {
        match self {
            Spot::Any => return None,
            Spot::Exact(offset) => {
                let mut end = offset.saturating_add(bytes);
                if let Some(size) = layout.size {
                    end = end.min(size);
                }
                layout.cells_of_bytes(offset, end, cells);
            }
            Spot::Element { region, rest } => layout.cells_of_element(region, rest, bytes, cells),
        }
        Some(())
    }

    /// As the encoding of memory wants to know it.
    pub(crate) fn offset(self, layout: &Layout) -> Offset {
        match self {
            Spot::Any => Offset::ANY,
            Spot::Exact(offset) => Offset::Exact(offset),
            Spot::Element { region, rest } => {
                let array = &layout.regions[region as usize];
                let modulus = array.modulus.max(1);
                Offset::Modulo { remainder: (array.start + rest) % modulus, modulus }
            }
        }
    }
}
