//! The translation units of a project, as the compiler sees them.
//!
//! Each is preprocessed by the compiler of the build with the arguments of the build, several at once.
//! A file that cannot be read is named, and the others go on. What a unit defines and mentions is read
//! off its syntax tree, so that units can be linked without objects.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use gnomon_cfront::ast::{Ast, DeclKind, ExprKind, SpecFlags, Storage};
use gnomon_cfront::diag;
use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::preprocess::AsBuilt;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::symbol::Interner;
use gnomon_cfront::token::Dialect;

use crate::commands::{Compilation, plain};

/// A translation unit that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// How it is compiled.
    pub compilation: Compilation,
    /// Its file, from the project.
    pub name: String,
    /// The preprocessed text.
    pub text: SourceBuffer,
    /// Names with external linkage.
    pub symbols: Symbols,
}

/// What a translation unit defines and mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Functions that other files can call.
    pub functions: BTreeSet<String>,
    /// Variables that other files can use.
    pub variables: BTreeSet<String>,
    /// Names that stand in its expressions.
    pub mentioned: BTreeSet<String>,
}

impl Symbols {
    /// Whether it defines a name.
    pub fn defines(&self, name: &str) -> bool {
        self.functions.contains(name) || self.variables.contains(name)
    }

    /// All that it defines.
    pub fn defined(&self) -> impl Iterator<Item = &String> {
        self.functions.iter().chain(&self.variables)
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file, from the project.
    pub file: String,
    /// Why.
    pub problem: String,
}

/// The dialect of a compilation.
pub fn dialect(compilation: &Compilation) -> Dialect {
    compilation.standard.as_deref().and_then(Dialect::from_name).unwrap_or_default()
}

/// Reads all translation units, several at once; in order, with what could not be read. Who follows is told how many
/// are read, and says whether to go on; where not, the rest is not read.
pub fn read_all(
    compilations: &[Compilation],
    root: &Path,
    jobs: usize,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> (Vec<Source>, Vec<Unreadable>) {
    let next = AtomicUsize::new(0);
    let (give, take) = channel();
    let work = |give: Sender<(usize, Result<Source, Unreadable>)>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(compilation) = compilations.get(number) else { return };
            if give.send((number, read(compilation, root))).is_err() {
                return;
            }
        }
    };
    let mut done: BTreeMap<usize, Result<Source, Unreadable>> = BTreeMap::new();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, compilations.len().max(1)) {
            let give = give.clone();
            scope.spawn(move || work(give));
        }
        drop(give);
        while let Ok((number, read)) = take.recv() {
            done.insert(number, read);
            if !goes_on(done.len()) {
                next.store(compilations.len(), Ordering::Relaxed);
            }
        }
    });
    let (mut sources, mut unreadable) = (Vec::new(), Vec::new());
    for result in done.into_values() {
        match result {
            Ok(source) => sources.push(source),
            Err(problem) => unreadable.push(problem),
        }
    }
    (sources, unreadable)
}

/// How many processors there are.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// A path from the project, where it is below.
pub fn from_root(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn read(compilation: &Compilation, root: &Path) -> Result<Source, Unreadable> {
    let name = from_root(&compilation.file, root);
    let unreadable = |problem: String| Unreadable { file: name.clone(), problem };
    let Compilation { directory, compiler, arguments, given, .. } = compilation;
    let mut arguments = arguments.clone();
    if given.is_absolute() {
        // What `__FILE__` says is the same wherever the project lies.
        arguments.push(format!("-fmacro-prefix-map={}/=", root.display()));
    }
    let built = AsBuilt { file: given, directory, compiler, arguments: &arguments };
    let loaded = built.load(|file| from_root(&plain(&directory.join(file)), root));
    let text = loaded.map_err(|error| unreadable(error.to_string()))?.source;
    let options = ParseOptions { dialect: dialect(compilation), ..ParseOptions::default() };
    let parsed = parse(&text, &options);
    if parsed.has_errors() {
        return Err(unreadable(diag::render_all(&parsed.diagnostics, &text)));
    }
    let symbols = symbols(&parsed.ast, &parsed.interner);
    Ok(Source { compilation: compilation.clone(), name, text, symbols })
}

/// What a syntax tree defines and mentions.
fn symbols(ast: &Ast, interner: &Interner) -> Symbols {
    let mut found = Symbols::default();
    // An inline definition is left to the file it stands in: of C17 6.7.4p7 it is no external one, and
    // headers of the system have such (`gnu_inline`) beside plain declarations of the same functions.
    let mut is_static: BTreeSet<String> = BTreeSet::new();
    for &item in &ast.items {
        match ast[item].kind {
            DeclKind::Function(function) => {
                let function = &ast[function];
                let Some(name) = ast[function.declarator].name else { continue };
                let name = interner.name(name).to_owned();
                let specs = &ast[function.specs];
                if specs.storage == Some(Storage::Static) {
                    is_static.insert(name);
                } else if !specs.flags.contains(SpecFlags::INLINE) {
                    found.functions.insert(name);
                }
            }
            DeclKind::Declaration { specs, declarators } => {
                let specs = &ast[specs];
                if specs.storage == Some(Storage::Typedef) {
                    continue;
                }
                for declared in &ast[declarators] {
                    let declarator = &ast[declared.declarator];
                    let Some(name) = declarator.name else { continue };
                    let name = interner.name(name).to_owned();
                    let parts = &ast[declarator.parts];
                    let is_function = matches!(
                        parts.first().map(|part| part.kind),
                        Some(gnomon_cfront::ast::DerivedKind::Function(_))
                    );
                    if specs.storage == Some(Storage::Static) {
                        is_static.insert(name);
                    } else if !is_function
                        && (specs.storage != Some(Storage::Extern) || declared.init.is_some())
                    {
                        found.variables.insert(name);
                    }
                }
            }
            _ => {}
        }
    }
    found.functions.retain(|name| !is_static.contains(name));
    found.variables.retain(|name| !is_static.contains(name));
    for id in ast.expr_ids() {
        if let ExprKind::Ident(name) = ast[id].kind {
            found.mentioned.insert(interner.name(name).to_owned());
        }
    }
    found
}

/// Sources without those that are there twice: the same command for the same result. A source that is compiled
/// with other arguments, or to another result, is a unit of its own.
pub fn without_repetitions(sources: Vec<Source>) -> Vec<Source> {
    type Key = (PathBuf, Option<PathBuf>, PathBuf, String, Vec<String>);
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let key = |s: &Source| {
        let Compilation { file, output, directory, compiler, arguments, .. } = &s.compilation;
        (file.clone(), output.clone(), directory.clone(), compiler.clone(), arguments.clone())
    };
    sources.into_iter().filter(|source| seen.insert(key(source))).collect()
}

/// For each source, the first one that is the same to a compiler: the same file, text, dialect and machine. The same
/// source in another configuration is another one.
pub fn alike(sources: &[Source]) -> Vec<usize> {
    type Key<'s> = (&'s Path, &'s [u8], Option<&'s str>, &'static str);
    let mut first: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut all = Vec::with_capacity(sources.len());
    for (number, source) in sources.iter().enumerate() {
        let Compilation { file, standard, machine, .. } = &source.compilation;
        let key = (file.as_path(), source.text.text(), standard.as_deref(), machine.flag());
        all.push(*first.entry(key).or_insert(number));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Symbols {
        let source = SourceBuffer::new("a.c", text.as_bytes().to_vec()).expect("a text");
        let parsed = parse(&source, &ParseOptions::default());
        symbols(&parsed.ast, &parsed.interner)
    }

    #[test]
    fn what_other_files_can_use_is_defined() {
        let found = of(
            "static int hidden(void) { return 1; } int f(void) { return hidden() + g(); }\n\
             extern int e; int v = 3, w; static int s; typedef int t; int declared(int);\n\
             extern int i(void); extern inline int i(void) { return e; } static int later(void); int later(void) { return 0; }",
        );
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&found.functions), "f");
        assert_eq!(names(&found.variables), "v w");
        assert!(found.mentioned.contains("g") && found.mentioned.contains("e"));
        assert!(!found.mentioned.contains("declared"));
    }
}
