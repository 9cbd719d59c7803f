//! The Markdown files of the repository, and what stands in them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A file and its text.
pub struct Page {
    pub path: PathBuf,
    pub text: String,
}

/// A block of code; an indented one has no language.
pub struct Block {
    pub language: String,
    pub text: String,
    /// Where the text stands in the page.
    pub range: Range<usize>,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// README.md and the pages of the book.
pub fn of_users() -> Vec<Page> {
    let docs = root().join("docs");
    all().into_iter().filter(|page| page.is_readme() || page.path.starts_with(&docs)).collect()
}

/// All Markdown files that are not made by builds.
pub fn all() -> Vec<Page> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a file that can be read");
        Page { path, text }
    };
    found.into_iter().map(read).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
            collect(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

impl Page {
    pub fn is_readme(&self) -> bool {
        self.path == root().join("README.md")
    }

    pub fn name(&self) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path);
        path.display().to_string()
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut inside = false;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    blocks.push(Block { language, text: String::new(), range: 0..0 });
                    inside = true;
                }
                Event::End(TagEnd::CodeBlock) => inside = false,
                Event::Text(text) if inside => {
                    let block = blocks.last_mut().expect("the text is inside of a block");
                    let start = if block.text.is_empty() { range.start } else { block.range.start };
                    block.text.push_str(&text);
                    block.range = start..range.end;
                }
                _ => {}
            }
        }
        blocks
    }

    /// Code between backquotes in the running text.
    pub fn code_spans(&self) -> Vec<String> {
        let code = |(event, _)| match event {
            Event::Code(code) => Some(code.into_string()),
            _ => None,
        };
        self.events().filter_map(code).collect()
    }

    /// Where links and pictures lead.
    pub fn links(&self) -> Vec<String> {
        let link = |(event, _)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.into_string())
            }
            _ => None,
        };
        self.events().filter_map(link).collect()
    }

    /// The texts of headings.
    pub fn headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        let mut open: Option<String> = None;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => open = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut open {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        headings
    }

    /// The anchors of headings, by the rule that mdBook and GitHub have.
    pub fn anchors(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let anchor = |heading: String| {
            let id = anchor(&heading);
            let count = seen.entry(id.clone()).or_default();
            *count += 1;
            if *count == 1 { id } else { format!("{id}-{}", *count - 1) }
        };
        self.headings().into_iter().map(anchor).collect()
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }
}

/// The anchor of a heading.
pub fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    heading.trim().chars().filter_map(kept).collect()
}
