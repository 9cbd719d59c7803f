//! `qsort` and `bsearch`, which call back.

use crate::interp::calls::ArgValue;
use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::memory::Blob;
use crate::interp::outcome::Stop;
use crate::interp::value::Value;
use crate::program::FuncId;
use crate::types::TypeId;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "qsort" => qsort,
        "bsearch" => bsearch,
        _ => return None,
    })
}

/// A function that compares what two pointers point to.
struct Comparison {
    func: FuncId,
    pointer: TypeId,
}

impl Comparison {
    fn new(m: &mut Machine<'_>, call: &NativeCall<'_>, index: usize) -> Result<Self, Stop> {
        let pointer = call.pointer(m, index)?;
        let func = m.callee(pointer)?;
        // Elements are passed as pointers of the type in which the array was.
        Ok(Self { func, pointer: call.args[0].ty })
    }

    fn order(&self, m: &mut Machine<'_>, a: Value, b: Value) -> Result<i32, Stop> {
        let args = vec![ArgValue::scalar(self.pointer, a), ArgValue::scalar(self.pointer, b)];
        m.call_back(self.func, args)
    }
}

/// Merge sort, as in glibc: the same comparisons in the same order.
fn qsort(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (array, count, size) = (call.pointer(m, 0)?, call.size(m, 1)?, call.size(m, 2)?);
    let comparison = Comparison::new(m, call, 3)?;
    if count < 2 || size == 0 {
        return Ok(None);
    }
    let room = m.memory.spot(array, 0, count.saturating_mul(size) as usize);
    m.check(room)?;
    merge_sort(m, &comparison, array, count, size)?;
    m.observe_store(array, 0, count * size);
    Ok(None)
}

fn merge_sort(
    m: &mut Machine<'_>,
    comparison: &Comparison,
    array: Value,
    count: u64,
    size: u64,
) -> Result<(), Stop> {
    if count < 2 {
        return Ok(());
    }
    let first = count / 2;
    let at = |m: &Machine<'_>, index: u64| m.moved(array, (index * size) as i64);
    let second_half = at(m, first);
    merge_sort(m, comparison, array, first, size)?;
    merge_sort(m, comparison, second_half, count - first, size)?;
    let mut merged: Vec<Blob> = Vec::new();
    let (mut left, mut right) = (0, first);
    while left < first && right < count {
        let (a, b) = (at(m, left), at(m, right));
        let takes_left = comparison.order(m, a, b)? <= 0;
        let blob = m.memory.take_blob(if takes_left { a } else { b }, size);
        merged.push(m.check(blob)?);
        if takes_left {
            left += 1;
        } else {
            right += 1;
        }
    }
    // What is left of the second half stands in its place already.
    for index in left..first {
        let from = at(m, index);
        let blob = m.memory.take_blob(from, size);
        merged.push(m.check(blob)?);
    }
    for (index, blob) in merged.iter().enumerate() {
        let put = m.memory.put_blob(array, (index as u64 * size) as i64, blob);
        m.check(put)?;
    }
    Ok(())
}

fn bsearch(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (key, array) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (count, size) = (call.size(m, 2)?, call.size(m, 3)?);
    let comparison = Comparison::new(m, call, 4)?;
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let element = m.moved(array, (middle * size) as i64);
        match comparison.order(m, key, element)? {
            0 => return Ok(Some(element)),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(Some(Value::ZERO))
}
