//! The examples of the documentation are specs.

use gnomon_spec::{READY, parse};

/// The indented specs of a page.
fn specs_in(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = None;
    for line in page.lines() {
        let indent = line.len() - line.trim_start().len();
        if open.is_none()
            && indent >= 4
            && line.trim_start().starts_with("spec ")
            && line.ends_with('{')
        {
            open = Some(indent);
            found.push(String::new());
        }
        if let (Some(start), Some(text)) = (open, found.last_mut()) {
            text.push_str(line);
            text.push('\n');
            if indent == start && line.trim() == "}" {
                open = None;
            }
        }
    }
    found
}

#[test]
fn ten_examples_can_be_read() {
    let specs = specs_in(include_str!("../../../docs/specs.md"));
    assert_eq!(specs.len(), 10);
    for text in specs {
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

#[test]
fn every_ready_spec_has_a_page() {
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/specs");
    for ready in READY {
        let page =
            std::fs::read_to_string(pages.join(format!("{}.md", ready.name))).expect("a page");
        let spec = parse(ready.text).expect("a spec");
        for option in spec.options {
            assert!(page.contains(&format!("`{}", option.name)), "{}: {}", ready.name, option.name);
        }
    }
}
