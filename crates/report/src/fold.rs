//! What is shown of a long list of lines: of a loop the first and the last iteration, and of what is still long the
//! beginning and the end.

/// Longer lists are cut.
pub const MOST_LINES: usize = 30;
/// So many lines at the beginning and at the end are kept.
pub const KEPT_LINES: usize = 12;
/// Loops with longer bodies are not recognised.
const LONGEST_BODY: usize = 40;

/// What is shown in place of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The line with this number.
    Line(usize),
    /// So many more iterations of the lines before, of which this is the first one.
    Repeated {
        /// The number of the line.
        first: usize,
        /// How many more.
        iterations: usize,
    },
    /// So many parts are not shown.
    Left(usize),
}

/// The first and the last iteration of every loop, and how many are between them. Lines with equal keys are
/// the same line in another iteration.
pub fn collapsed<K: PartialEq>(keys: &[K]) -> Vec<Part> {
    let mut shown = Vec::new();
    let mut at = 0;
    while at < keys.len() {
        let Some((body, iterations)) = repetition(&keys[at..]) else {
            shown.push(Part::Line(at));
            at += 1;
            continue;
        };
        let end = at + body * iterations;
        shown.extend((at..at + body).map(Part::Line));
        shown.push(Part::Repeated { first: at, iterations: iterations - 2 });
        shown.extend((end - body..end).map(Part::Line));
        at = end;
    }
    shown
}

/// The beginning and the end of many parts.
pub fn cut(mut parts: Vec<Part>) -> Vec<Part> {
    if parts.len() > MOST_LINES {
        let end = parts.len() - KEPT_LINES;
        parts.splice(KEPT_LINES..end, [Part::Left(end - KEPT_LINES)]);
    }
    parts
}

/// The length of what is repeated from here on, and how often, if that is more than three times.
fn repetition<K: PartialEq>(keys: &[K]) -> Option<(usize, usize)> {
    for body in 1..=LONGEST_BODY.min(keys.len() / 2) {
        let same = |iteration: usize| {
            let next = keys.get(iteration * body..(iteration + 1) * body);
            next.is_some_and(|next| *next == keys[..body])
        };
        let iterations = (0..).take_while(|iteration| same(*iteration)).count();
        if iterations > 3 {
            return Some((body, iterations));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_loops_are_counted() {
        let mut lines = vec![1];
        for _ in 0..1000 {
            lines.extend([2, 3]);
        }
        lines.push(4);
        let iterations = Part::Repeated { first: 1, iterations: 998 };
        let [a, b, c, y, z, last] = [0, 1, 2, 1999, 2000, 2001].map(Part::Line);
        assert_eq!(collapsed(&lines), [a, b, c, iterations, y, z, last]);
    }

    #[test]
    fn few_rounds_are_shown() {
        let lines = [2, 3, 2, 3, 2, 3];
        assert_eq!(collapsed(&lines), [0, 1, 2, 3, 4, 5].map(Part::Line));
    }

    #[test]
    fn of_many_lines_the_beginning_and_the_end_are_shown() {
        let parts: Vec<Part> = (0..100).map(Part::Line).collect();
        let shown = cut(parts.clone());
        assert_eq!(shown.len(), 2 * KEPT_LINES + 1);
        assert_eq!((shown[0], shown.last()), (Part::Line(0), Some(&Part::Line(99))));
        assert_eq!(shown[KEPT_LINES], Part::Left(100 - 2 * KEPT_LINES));
        let few = parts[..MOST_LINES].to_vec();
        assert_eq!(cut(few.clone()), few);
    }
}
