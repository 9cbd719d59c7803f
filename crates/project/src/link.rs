//! Translation units as programs and libraries.
//!
//! Where the build was watched, its links say which objects belong together; members of archives are
//! taken as a linker takes them, if a name is needed. With `compile_commands.json` alone, a unit with
//! `main` is a program together with the units that define what it mentions, and so on; what no program
//! needs are libraries, each as large as it can be without two definitions of one name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::commands::{Link, LinkKind, is_c, plain};
use crate::sources::{Source, alike, from_root};

/// A program or a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As the build calls it, from the project.
    pub name: String,
    /// Whether it has a `main`.
    pub is_program: bool,
    /// Its translation units, by number, in the order of the link.
    pub units: Vec<usize>,
}

/// What the build makes.
pub fn targets(sources: &[Source], links: &[Link], root: &Path) -> Vec<Target> {
    match links.is_empty() {
        true => {
            let alike = alike(sources);
            let all = (0..sources.len()).filter(|&unit| alike[unit] == unit);
            by_symbols(sources, &all.collect::<Vec<_>>(), "")
        }
        false => by_links(sources, links, root),
    }
}

/// Units with the file and the output of which they are.
struct Objects<'a> {
    sources: &'a [Source],
    by_output: BTreeMap<PathBuf, usize>,
    by_file: BTreeMap<PathBuf, Vec<usize>>,
    links: BTreeMap<PathBuf, &'a Link>,
}

impl<'a> Objects<'a> {
    fn new(sources: &'a [Source], links: &'a [Link]) -> Self {
        let links = links.iter().map(|link| (plain(&link.directory.join(&link.output)), link));
        let links: BTreeMap<PathBuf, &Link> = links.collect();
        let mut by_output = BTreeMap::new();
        let mut by_file: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (number, source) in sources.iter().enumerate() {
            // A command that compiles and links names what is linked, which is no object.
            let output = source.compilation.output.as_ref();
            if let Some(output) = output.filter(|output| !links.contains_key(*output)) {
                by_output.insert(output.clone(), number);
            }
            by_file.entry(source.compilation.file.clone()).or_default().push(number);
        }
        Self { sources, by_output, by_file, links }
    }

    /// The unit that an object is, if it is one of the project's. Some builds move objects after they are
    /// made; then the name of the file decides, and for position-independent ones how it was compiled.
    fn unit(&self, object: &Path, link: &Link) -> Option<usize> {
        if let Some(&unit) = self.by_output.get(object) {
            return Some(unit);
        }
        if is_c(&object.to_string_lossy()) {
            // Of several configurations the one that this command compiled.
            let output = plain(&link.directory.join(&link.output));
            let units = self.by_file.get(object)?;
            let is_its =
                |unit: &usize| self.sources[*unit].compilation.output.as_ref() == Some(&output);
            return units.iter().copied().rfind(is_its).or(units.last().copied());
        }
        if !matches!(object.extension().and_then(|e| e.to_str()), Some("o" | "lo" | "os" | "obj")) {
            return None;
        }
        let stem = object.file_stem()?;
        let shared = object.extension().is_some_and(|e| e == "lo" || e == "os");
        let is_shared = |unit: &usize| {
            let arguments = &self.sources[*unit].compilation.arguments;
            arguments.iter().any(|a| a == "-fPIC" || a == "-fpic" || a == "-DPIC")
        };
        let same = |unit: &usize| self.sources[*unit].compilation.file.file_stem() == Some(stem);
        let all: Vec<usize> = (0..self.sources.len()).filter(same).collect();
        let fitting = all.iter().copied().rfind(|unit| is_shared(unit) == shared);
        fitting.or(all.last().copied())
    }

    /// The link that `-lNAME` or a path to a library means, if it is one of the project's.
    fn library(&self, link: &Link, input: &str) -> Option<&'a Link> {
        if let Some(name) = input.strip_prefix("-l") {
            let is_it = |path: &Path| {
                let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
                file == format!("lib{name}.a")
                    || file == format!("lib{name}.so")
                    || file.starts_with(&format!("lib{name}.so."))
            };
            let near = link.search.iter().map(|place| plain(&link.directory.join(place)));
            let near: Vec<PathBuf> = near.collect();
            let found = self.links.iter().filter(|(path, _)| is_it(path));
            let found: Vec<_> = found.collect();
            let in_search = found.iter().find(|(path, _)| {
                let parent = path.parent();
                near.iter().any(|place| {
                    parent == Some(place) || parent == Some(place.join(".libs").as_path())
                })
            });
            return in_search.map(|(_, link)| **link);
        }
        let path = plain(&link.directory.join(input));
        if let Some(found) = self.links.get(&path) {
            return Some(found);
        }
        // A library that was given another name by a symbolic link, or that libtool describes.
        let file = path.file_name()?.to_str()?;
        let stem = file.split(".so").next()?.trim_end_matches(".la").trim_end_matches(".a");
        if !file.contains(".so") && !file.ends_with(".la") && !file.ends_with(".a") {
            return None;
        }
        self.links.iter().find_map(|(other, link)| {
            let name = other.file_name()?.to_str()?;
            let is_library = matches!(link.kind, LinkKind::Shared | LinkKind::Archive);
            let same = name.split(".so").next()?.trim_end_matches(".a") == stem;
            (is_library && same && other.parent()?.starts_with(path.parent()?)).then_some(*link)
        })
    }

    /// Units that a link takes in any case, and those that it takes if they are needed.
    fn of_link(&self, link: &Link, depth: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut sure, mut needed) = (Vec::new(), Vec::new());
        for input in &link.inputs {
            let path = plain(&link.directory.join(input));
            if let Some(unit) = self.unit(&path, link) {
                sure.push(unit);
            } else if let Some(other) = self.library(link, input).filter(|_| depth < 8) {
                let (more, on_need) = self.of_link(other, depth + 1);
                match other.kind {
                    LinkKind::Object => sure.extend(more),
                    _ => needed.extend(more),
                }
                needed.extend(on_need);
            } else if let Some(other) = self.links.get(&path).filter(|_| depth < 8) {
                sure.extend(self.of_link(other, depth + 1).0);
            }
        }
        (sure, needed)
    }
}

fn by_links(sources: &[Source], links: &[Link], root: &Path) -> Vec<Target> {
    let objects = Objects::new(sources, links);
    let mut targets: Vec<Target> = Vec::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let alike = alike(sources);
    let contents =
        |units: &[usize]| units.iter().map(|&unit| alike[unit]).collect::<BTreeSet<usize>>();
    // Archives before shared libraries: of two with the same files the first is kept.
    let mut ordered: Vec<(&PathBuf, &&Link)> = objects.links.iter().collect();
    ordered.sort_by_key(|(path, link)| (order(link.kind), (*path).clone()));
    for (path, link) in ordered {
        if link.kind == LinkKind::Object {
            continue;
        }
        let (sure, needed) = objects.of_link(link, 0);
        if sure.is_empty() && needed.is_empty() {
            continue;
        }
        let is_program = link.kind == LinkKind::Program;
        let units = match is_program {
            true => with_needed(sources, sure, &needed),
            false => once(sources, sure),
        };
        used.extend(&units);
        let same = |other: &Target| {
            other.is_program == is_program && contents(&other.units) == contents(&units)
        };
        if targets.iter().any(same) {
            continue;
        }
        targets.push(Target { name: from_root(path, root), is_program, units });
    }
    let known: BTreeSet<usize> = used.iter().map(|&unit| alike[unit]).collect();
    let is_new = |unit: &usize| alike[*unit] == *unit && !known.contains(unit);
    let rest: Vec<usize> = (0..sources.len()).filter(is_new).collect();
    targets.extend(by_symbols(sources, &rest, "not linked"));
    targets
}

fn order(kind: LinkKind) -> u8 {
    match kind {
        LinkKind::Program => 0,
        LinkKind::Archive => 1,
        LinkKind::Shared => 2,
        LinkKind::Object => 3,
    }
}

/// Units without those that define again what others define.
fn once(sources: &[Source], units: Vec<usize>) -> Vec<usize> {
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut kept = Vec::new();
    for unit in units {
        let symbols = &sources[unit].symbols;
        if kept.contains(&unit)
            || symbols.functions.iter().any(|name| defined.contains(name.as_str()))
        {
            continue;
        }
        defined.extend(symbols.functions.iter().map(String::as_str));
        kept.push(unit);
    }
    kept
}

/// Units, and those of others that define what is mentioned, as a linker takes members of archives.
fn with_needed(sources: &[Source], sure: Vec<usize>, candidates: &[usize]) -> Vec<usize> {
    let mut units = once(sources, sure);
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut wanted: Vec<&str> = Vec::new();
    let mut next = 0;
    let definers = definers(sources, candidates);
    while next < units.len() || !wanted.is_empty() {
        if let Some(&unit) = units.get(next) {
            next += 1;
            defined.extend(sources[unit].symbols.defined().map(String::as_str));
            wanted.extend(sources[unit].symbols.mentioned.iter().map(String::as_str));
            continue;
        }
        let Some(name) = wanted.pop() else { break };
        if defined.contains(name) {
            continue;
        }
        let fits = |unit: &&usize| {
            let functions = &sources[**unit].symbols.functions;
            !functions.iter().any(|name| name == "main" || defined.contains(name.as_str()))
        };
        if let Some(&unit) = definers.get(name).and_then(|all| all.iter().find(fits)) {
            units.push(unit);
        }
    }
    units
}

fn definers<'s>(sources: &'s [Source], units: &[usize]) -> BTreeMap<&'s str, Vec<usize>> {
    let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &unit in units {
        for name in sources[unit].symbols.defined() {
            definers.entry(name).or_default().push(unit);
        }
    }
    definers
}

/// Programs and libraries of some units where nothing is known but their names.
fn by_symbols(sources: &[Source], units: &[usize], name: &str) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let has_main = |unit: &usize| sources[*unit].symbols.functions.contains("main");
    for &main in units.iter().filter(|unit| has_main(unit)) {
        let program = with_needed(sources, vec![main], units);
        used.extend(&program);
        let base = Path::new(&sources[main].name).with_extension("").display().to_string();
        // Several configurations of one program.
        let is_taken = |name: &String| targets.iter().any(|target: &Target| target.name == *name);
        let names = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base} {n}")));
        let name = names.into_iter().find(|name| !is_taken(name)).unwrap_or(base);
        targets.push(Target { name, is_program: true, units: program });
    }
    let mut rest: Vec<usize> = units.iter().copied().filter(|unit| !used.contains(unit)).collect();
    let mut number = 0;
    while !rest.is_empty() {
        let library = once(sources, rest.clone());
        rest.retain(|unit| !library.contains(unit));
        number += 1;
        let base = if name.is_empty() { "library" } else { name };
        let name = if number == 1 { base.to_owned() } else { format!("{base} {number}") };
        targets.push(Target { name, is_program: false, units: library });
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Compilation;
    use crate::sources::Symbols;
    use gnomon_cfront::preprocess::Machine;
    use gnomon_cfront::source::SourceBuffer;

    fn source(file: &str, defines: &[&str], mentions: &[&str]) -> Source {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Source {
            compilation: Compilation {
                directory: "/p".into(),
                given: file.into(),
                file: Path::new("/p").join(file),
                output: Some(Path::new("/p").join(file).with_extension("o")),
                compiler: "cc".into(),
                arguments: Vec::new(),
                standard: None,
                machine: Machine::Lp64,
            },
            name: file.to_owned(),
            text: SourceBuffer::new(file, Vec::new()).expect("no text"),
            symbols: Symbols {
                functions: set(defines),
                variables: BTreeSet::new(),
                mentioned: set(mentions),
            },
        }
    }

    fn link(output: &str, kind: LinkKind, inputs: &[&str]) -> Link {
        Link {
            directory: "/p".into(),
            output: output.into(),
            kind,
            inputs: inputs.iter().map(|input| (*input).to_owned()).collect(),
            search: vec![".".into()],
        }
    }

    fn project() -> Vec<Source> {
        vec![
            source("a.c", &["main", "usage"], &["used"]),
            source("b.c", &["main", "usage"], &["other"]),
            source("used.c", &["used"], &["deep"]),
            source("deep.c", &["deep"], &[]),
            source("other.c", &["other"], &[]),
            source("free.c", &["unused"], &[]),
        ]
    }

    #[test]
    fn names_say_what_belongs_together() {
        let found = targets(&project(), &[], Path::new("/p"));
        let shown: Vec<_> = found.iter().map(|t| (t.name.as_str(), &t.units[..])).collect();
        assert_eq!(shown, [("a", &[0, 2, 3][..]), ("b", &[1, 4]), ("library", &[5])]);
        assert!(found[0].is_program && !found[2].is_program);
    }

    /// The same file with another text, as another command makes it.
    fn configured(file: &str, output: &str, text: &str, defines: &[&str]) -> Source {
        let mut source = source(file, defines, &[]);
        source.compilation.output = Some(Path::new("/p").join(output));
        source.text = SourceBuffer::new(file, text.as_bytes().to_vec()).expect("a text");
        source
    }

    #[test]
    fn configurations_of_one_source_are_several() {
        let both = |main: bool| {
            let defines: &[&str] = if main { &["main"] } else { &["f"] };
            ["one", "two"].map(|which| {
                let output = if main { which.to_owned() } else { format!("{which}.o") };
                configured("a.c", &output, which, defines)
            })
        };
        let found = |sources: &[Source], links: &[Link]| -> Vec<(String, Vec<usize>)> {
            let found = targets(sources, links, Path::new("/p"));
            found.into_iter().map(|target| (target.name, target.units)).collect()
        };
        let shown = |names: [&str; 2]| {
            names
                .iter()
                .enumerate()
                .map(|(n, name)| ((*name).to_owned(), vec![n]))
                .collect::<Vec<_>>()
        };
        let programs = ["one", "two"].map(|name| link(name, LinkKind::Program, &["a.c"]));
        assert_eq!(found(&both(true), &programs), shown(["one", "two"]));
        assert_eq!(found(&both(true), &[]), shown(["a", "a 2"]));
        let archives = ["one", "two"]
            .map(|name| link(&format!("{name}.a"), LinkKind::Archive, &[&format!("{name}.o")]));
        assert_eq!(found(&both(false), &archives), shown(["one.a", "two.a"]));
        // Of a configuration that is linked nowhere, too, there is a target.
        assert_eq!(found(&both(false), &archives[..1]), shown(["one.a", "not linked"]));
        // The same text again is no other configuration.
        let mut same = both(false);
        same[1].text = same[0].text.clone();
        assert_eq!(found(&same, &archives).len(), 1);
    }

    #[test]
    fn links_say_what_belongs_together() {
        let links = [
            link("libx.a", LinkKind::Archive, &["used.o", "deep.o", "other.o"]),
            link("libx.so.1", LinkKind::Shared, &["used.lo", "deep.lo", "other.lo"]),
            link("prog", LinkKind::Program, &["a.o", "-lx", "-lm"]),
            link("other", LinkKind::Program, &["b.c", "libx.a"]),
        ];
        let found = targets(&project(), &links, Path::new("/p"));
        let shown: Vec<_> = found.iter().map(|t| (t.name.as_str(), &t.units[..])).collect();
        let libraries = [("libx.a", &[2, 3, 4][..]), ("not linked", &[5])];
        assert_eq!(
            shown,
            [&[("other", &[1, 4][..]), ("prog", &[0, 2, 3])][..], &libraries].concat()
        );
    }
}
