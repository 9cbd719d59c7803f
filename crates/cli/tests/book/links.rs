//! Links in Markdown files lead to files and headings that there are, and documents for users name
//! no file that is gone.

use std::path::Path;

use crate::pages::{self, Page};

#[test]
fn links_lead_somewhere() {
    let all = pages::all();
    let mut dead = Vec::new();
    for page in &all {
        for link in page.links() {
            if !leads_somewhere(page, &link, &all) {
                dead.push(format!("{}: {link}", page.name()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn files_that_are_named_are_there() {
    const FOLDERS: [&str; 8] =
        ["contrib/", "crates/", "docs/", "editors/", "examples/", "models/", "scripts/", "tests/"];
    let root = pages::root();
    let at_the_root = |page: &Page| page.path.parent() == Some(root.as_path());
    let documents = pages::all().into_iter().filter(|page| {
        at_the_root(page) && !page.path.ends_with("CHANGELOG.md")
            || page.path.starts_with(root.join("docs"))
    });
    let mut gone = Vec::new();
    for page in documents {
        for name in page.code_spans() {
            // With a space it is a command; with a star, many files; in capitals, a name for any.
            let plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./_-".contains(c);
            let file = FOLDERS.iter().any(|folder| name.starts_with(folder));
            if file && name.chars().all(plain) && !root.join(&name).exists() {
                gone.push(format!("{}: {name}", page.name()));
            }
        }
    }
    assert!(gone.is_empty(), "files that are not there:\n{}", gone.join("\n"));
}

fn leads_somewhere(page: &Page, link: &str, all: &[Page]) -> bool {
    if link.contains("://") || link.starts_with("mailto:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = page.path.parent().unwrap_or(Path::new("/"));
    let Ok(target) =
        (if file.is_empty() { page.path.clone() } else { folder.join(file) }).canonicalize()
    else {
        return false;
    };
    let headings =
        |other: &Page| other.path == target && other.anchors().iter().any(|id| id == anchor);
    anchor.is_empty() || all.iter().any(headings)
}
