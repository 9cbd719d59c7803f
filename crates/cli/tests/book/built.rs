//! The book, built by mdBook: in the pages that readers get, links lead somewhere, too.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use mdbook_driver::MDBook;

use crate::pages;

#[test]
fn the_book_is_built_and_its_links_lead_somewhere() {
    let mut book = MDBook::load(pages::root().join("docs")).expect("a book that can be read");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    book.config.build.build_dir = folder.clone();
    book.build().expect("a book that can be built");

    let mut html = BTreeMap::new();
    read(&folder, &mut html);
    let pages = pages::of_users().len() - 1;
    assert!(html.len() >= pages, "{} pages of {pages} were made", html.len());
    let mut dead = Vec::new();
    for (page, text) in &html {
        for link in attributes(text, &[" href=\"", " src=\""]) {
            if !leads_somewhere(page, link, &html) {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let pages = pages::of_users();
    let summary = pages.iter().find(|page| page.path.ends_with("SUMMARY.md")).expect("SUMMARY.md");
    let listed = summary.links();
    let docs = pages::root().join("docs");
    for page in &pages {
        if let Ok(name) = page.path.strip_prefix(&docs) {
            let name = name.display().to_string();
            assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is not in SUMMARY.md");
        }
    }
}

/// Programs in the book are those that commands are executed with, or that are compiled by tests.
#[test]
fn programs_in_the_book_are_parts_of_examples() {
    let root = pages::root();
    let mut sources = Vec::new();
    for folder in ["examples", "examples/project", "crates/verify/examples"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder that can be read") {
            sources.extend(std::fs::read_to_string(entry.expect("an entry").path()));
        }
    }
    let documented = std::fs::read_to_string(root.join("crates/wpds/src/lib.rs")).expect("wpds");
    sources.push(documented.replace("//! ", ""));
    for page in pages::of_users() {
        for block in page.blocks() {
            let language = block.language.split(',').next().unwrap_or_default();
            let program = ["c", "spec", "bp", "rust"].contains(&language);
            let known = || sources.iter().any(|source| source.contains(&block.text));
            assert!(!program || known(), "{}: not in an example:\n{}", page.name(), block.text);
        }
    }
}

fn read(folder: &Path, html: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, html);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = std::fs::read_to_string(&path).expect("a page that can be read");
            html.insert(path, text);
        }
    }
}

fn attributes<'t>(text: &'t str, names: &[&str]) -> Vec<&'t str> {
    let value = |rest: &'t str| rest.split('"').next();
    names.iter().flat_map(|name| text.split(name).skip(1).filter_map(value)).collect()
}

fn leads_somewhere(page: &Path, link: &str, html: &BTreeMap<PathBuf, String>) -> bool {
    if link.contains(':') {
        return true;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => page.to_path_buf(),
        _ => resolved(&page.with_file_name(file)),
    };
    match html.get(&target) {
        Some(text) => anchor.is_empty() || attributes(text, &[" id=\""]).contains(&anchor),
        None => target.is_file(),
    }
}

/// The path without `..`, also where it leads to nothing.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            resolved.pop();
        } else {
            resolved.push(part);
        }
    }
    resolved
}
