//! The tables of ARCHITECTURE.md.

/// The rows of the table below a heading, by cells; without its own head.
pub fn table(heading: &str) -> Vec<Vec<String>> {
    let file = crate::root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(file).expect("ARCHITECTURE.md");
    let mut lines = text.lines().skip_while(|line| *line != format!("## {heading}")).skip(1);
    let below: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("## ")).collect();
    let rows = below.into_iter().filter(|line| line.starts_with('|')).skip(2);
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "ARCHITECTURE.md has no table below `## {heading}`");
    rows
}

fn cells(row: &str) -> Vec<String> {
    row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// What stands between backquotes in a cell.
pub fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn quoted_words_are_found() {
    assert_eq!(quoted("`a` and `b-c`, not d"), ["a", "b-c"]);
    assert_eq!(cells("| a | b |"), ["a", "b"]);
}
