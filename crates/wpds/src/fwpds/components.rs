//! Strongly connected components (Tarjan), without recursion.

/// The components, each after all components it leads to.
pub(crate) fn strong_components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let count = successors.len();
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut components = Vec::new();
    let mut next = 0;
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for root in 0..count as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (v, ref mut child)) = calls.last_mut() {
            if *child == 0 && number[v as usize] == UNSEEN {
                number[v as usize] = next;
                low[v as usize] = next;
                next += 1;
                stack.push(v);
                on_stack[v as usize] = true;
            }
            if let Some(&w) = successors[v as usize].get(*child) {
                *child += 1;
                if number[w as usize] == UNSEEN {
                    calls.push((w, 0));
                } else if on_stack[w as usize] {
                    low[v as usize] = low[v as usize].min(number[w as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller as usize] = low[caller as usize].min(low[v as usize]);
            }
            if low[v as usize] == number[v as usize] {
                let mut component = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w as usize] = false;
                    component.push(w);
                    if w == v {
                        break;
                    }
                }
                component.reverse();
                components.push(component);
            }
        }
    }
    components
}
