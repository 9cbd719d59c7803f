//! Strongly connected components of a graph (Tarjan), without recursion.

/// The component of every node. Components are numbered so that edges lead to smaller numbers, or
/// stay inside.
pub(crate) fn components(next: &[Vec<u32>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; next.len()];
    let mut low = vec![0u32; next.len()];
    let mut component = vec![UNSEEN; next.len()];
    let (mut clock, mut count) = (0, 0);
    let mut open = Vec::new();
    for start in 0..next.len() {
        if index[start] != UNSEEN {
            continue;
        }
        let mut calls = vec![(start, 0)];
        index[start] = clock;
        low[start] = clock;
        clock += 1;
        open.push(start);
        while let Some((at, position)) = calls.last_mut() {
            let at = *at;
            if let Some(&to) = next[at].get(*position) {
                *position += 1;
                let to = to as usize;
                if index[to] == UNSEEN {
                    index[to] = clock;
                    low[to] = clock;
                    clock += 1;
                    open.push(to);
                    calls.push((to, 0));
                } else if component[to] == UNSEEN {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[at]);
            }
            if low[at] == index[at] {
                while let Some(node) = open.pop() {
                    component[node] = count;
                    if node == at {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_numbered_from_the_bottom() {
        // 0 <-> 1 -> 2, 2 -> 2, 3 -> 0.
        let found = components(&[vec![1], vec![0, 2], vec![2], vec![0]]);
        assert_eq!(found, [1, 1, 0, 2]);
    }
}
