//! From a project to its units: commands, sources, links, programs, parts, keys.
//!
//! Everything is read anew in every run, since only the compiler knows what a file has become; that takes
//! seconds for hundreds of files. What is known already of a unit is found by its key, and its places are
//! moved to where they are now. For the others the text of the part is written down for workers; where that
//! cannot be written, the unit fails and the others go on.
//!
//! Of two targets with the same files, the second is left out if it asks nothing new: libraries are built as
//! archive and as shared library, mostly of the same texts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::translate::{Models, Translation, translate_choosing};
use gnomon_instrument::{Checks, instrument};
use gnomon_ir::library::ERROR_FUNCTIONS;
use gnomon_ir::part::Part;
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::property::Property;
use gnomon_ir::text;
use gnomon_threads::primitives;
use gnomon_verify::specs;

use crate::ProjectError;
use crate::commands::{self, Compilation};
use crate::config::{Config, Entries, EntriesWord, Group, TargetConfig, Unknown};
use crate::driver::memory_of_round;
use crate::link::{Target, targets};
use crate::record::{Anchors, Record, anchors};
use crate::sources::{self, Source, Unreadable, dialect, from_root};
use crate::store::Store;
use crate::unit::{Asked, Essences, Unit};

/// What there is to check.
#[derive(Debug, Default)]
pub struct Plan {
    /// The units, in order.
    pub units: Vec<Planned>,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Programs and libraries.
    pub targets: Vec<Planning>,
    /// How many translation units were read.
    pub sources: usize,
    /// How often there is nothing in a part that could go wrong: no unit is made of that.
    pub nothing_to_check: usize,
    /// Functions that are entries.
    pub entries: usize,
    /// What `gnomon.toml` names that is not there.
    pub unknown_names: Vec<String>,
}

impl Plan {
    /// Why there is nothing that could be checked, if that is so. Parts in which nothing can go wrong count as
    /// checked.
    pub fn why_nothing(&self) -> Option<String> {
        if !self.units.is_empty() || self.nothing_to_check > 0 {
            return None;
        }
        Some(match (self.sources, self.unreadable.len()) {
            (0, 0) => "the build compiles no C file".into(),
            (0, files) => format!("none of {files} files could be read"),
            _ if self.entries == 0 => {
                "there is no function to begin at (see `entries`, `exclude` and [[target]] in gnomon.toml)"
                    .into()
            }
            _ => "no property is asked for (see `properties` in gnomon.toml)".into(),
        })
    }
}

/// A unit with what is known of it.
#[derive(Debug)]
pub struct Planned {
    /// The unit.
    pub unit: Unit,
    /// Whether runs begin as the program begins; otherwise with anything as arguments.
    pub is_main: bool,
    /// What was known before this run.
    pub known: Option<Record>,
    /// Where the functions are now that this is about.
    pub anchors: Anchors,
    /// Why workers cannot read it, if they cannot.
    pub problem: Option<String>,
}

/// A program or library of which units were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planning {
    /// Its name.
    pub name: String,
    /// Whether it has a `main`.
    pub is_program: bool,
    /// How many translation units it has.
    pub files: usize,
    /// How many units of work.
    pub units: usize,
}

/// Where a project is.
#[derive(Clone, Debug)]
pub struct Place {
    /// The directory of the project.
    pub root: PathBuf,
    /// Which build of Gnomon answers.
    pub build: String,
    /// How many processors read files.
    pub jobs: usize,
}

/// Who is told how far a plan is (what is done, how much of how much), and says whether to go on.
pub type Follow<'a> = dyn FnMut(&str, usize, usize) -> bool + 'a;

/// Makes the units of a project.
pub fn plan(
    config: &Config,
    place: &Place,
    store: &Store,
    follow: &mut Follow<'_>,
) -> Result<Plan, ProjectError> {
    let specs = spec_texts(config, place)?;
    let file = place.root.join(&config.compile_commands);
    let entries = commands::read(&file)?;
    let links = commands::read_links(&file)?;
    let mut plan = Plan::default();
    let mut compilations = Vec::new();
    for entry in &entries {
        match entry.compilation() {
            Ok(compilation) => compilations.push(compilation),
            Err(problem) => {
                let file = commands::plain(&entry.directory.join(&entry.file));
                plan.unreadable.push(Unreadable { file: from_root(&file, &place.root), problem });
            }
        }
    }
    let harness = config.harness.iter().map(|file| harness(file, place, &compilations));
    let harness: Vec<Compilation> = harness.collect();
    let all = compilations.len() + harness.len();
    let mut goes_on = |done| follow("files are read", done, all);
    let (sources, unreadable) =
        sources::read_all(&compilations, &place.root, place.jobs, &mut goes_on);
    let sources = sources::without_repetitions(sources);
    let mut goes_on = |done| follow("files are read", compilations.len() + done, all);
    let (harness, more) = sources::read_all(&harness, &place.root, place.jobs, &mut goes_on);
    if !follow("files are read", all, all) {
        return Err(ProjectError::Stopped);
    }
    plan.unreadable.extend(unreadable);
    plan.unreadable.extend(more);
    plan.sources = sources.len() + harness.len();
    let targets = targets(&sources, &links, &place.root);
    let mut planner = Planner {
        config,
        place,
        store,
        plan,
        written: BTreeMap::new(),
        specs,
        made: Vec::new(),
        begun: BTreeSet::new(),
    };
    for (number, target) in targets.iter().enumerate() {
        let what = format!("units are made of {}", target.name);
        let mut goes_on = || follow(&what, number, targets.len());
        if !goes_on() {
            return Err(ProjectError::Stopped);
        }
        planner.target(target, &sources, &harness, &mut goes_on)?;
    }
    planner.plan.unknown_names = planner.unknown_names(&targets);
    Ok(planner.plan)
}

/// The texts of the property automata that are files; all that are asked for must be there and be right.
fn spec_texts(config: &Config, place: &Place) -> Result<BTreeMap<String, String>, ProjectError> {
    let mut texts = BTreeMap::new();
    for name in config.properties() {
        let properties = Group::named(name).map_or_else(|_| Vec::new(), |group| group.properties);
        for property in properties {
            let Property::Spec(spec) = property else { continue };
            if let Some(file) = specs::file_of(&spec)
                && !texts.contains_key(file)
            {
                let path = place.root.join(file);
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|error| ProjectError::file(&path, error))?;
                texts.insert(file.to_owned(), text);
            }
            specs::read(&spec, &texts)?;
        }
    }
    Ok(texts)
}

/// A harness is compiled as the first file of the project is.
fn harness(file: &Path, place: &Place, compilations: &[Compilation]) -> Compilation {
    let path = place.root.join(file);
    let first = compilations.first();
    Compilation {
        directory: first.map_or_else(|| place.root.clone(), |c| c.directory.clone()),
        given: path.clone(),
        file: path,
        output: None,
        compiler: first.map_or_else(|| "cc".into(), |c| c.compiler.clone()),
        arguments: first.map_or_else(Vec::new, |c| c.arguments.clone()),
        standard: first.and_then(|c| c.standard.clone()),
        machine: first.map_or_else(Default::default, |c| c.machine),
    }
}

struct Planner<'a> {
    config: &'a Config,
    place: &'a Place,
    store: &'a Store,
    plan: Plan,
    /// Parts whose text is there for workers, or why it is not.
    written: BTreeMap<String, Option<String>>,
    /// The texts of property automata that are files.
    specs: BTreeMap<String, String>,
    /// Targets that were made: whether they are programs, their files, their units.
    made: Vec<(bool, BTreeSet<String>, Range<usize>)>,
    /// Names of entries that were found: of which list, that of a target or the one of all others.
    begun: BTreeSet<(Option<String>, String)>,
}

impl Planner<'_> {
    fn target(
        &mut self,
        target: &Target,
        sources: &[Source],
        harness: &[Source],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), ProjectError> {
        let said = self.config.target(&target.name);
        if said.is_some_and(|said| said.skip) {
            return Ok(());
        }
        let mut parts: Vec<&Source> = target.units.iter().map(|&unit| &sources[unit]).collect();
        parts.extend(harness);
        let Some((program, parts)) = self.linked(target, parts)? else { return Ok(()) };
        let before = (self.plan.units.len(), self.plan.entries, self.plan.nothing_to_check);
        self.units(target, said, &program, &parts, goes_on)?;
        let files: BTreeSet<String> = parts.iter().map(|part| part.name.clone()).collect();
        if said.is_none() && self.asks_nothing_new(target, &files, before.0) {
            self.plan.units.truncate(before.0);
            (_, self.plan.entries, self.plan.nothing_to_check) = before;
            return Ok(());
        }
        self.made.push((target.is_program, files, before.0..self.plan.units.len()));
        self.plan.targets.push(Planning {
            name: target.name.clone(),
            is_program: target.is_program,
            files: parts.len(),
            units: self.plan.units.len() - before.0,
        });
        Ok(())
    }

    /// Whether there was a target with the same files before that asks all that the units from a number on ask.
    fn asks_nothing_new(&self, target: &Target, files: &BTreeSet<String>, from: usize) -> bool {
        let keys = |units: &[Planned]| -> BTreeSet<String> {
            units.iter().map(|planned| planned.unit.key.clone()).collect()
        };
        let new = keys(&self.plan.units[from..]);
        self.made.iter().any(|(is_program, of, units)| {
            *is_program == target.is_program
                && of == files
                && new.is_subset(&keys(&self.plan.units[units.clone()]))
        })
    }

    /// The program of some sources. Those that are not understood are named and left out; the functions in
    /// them then have no body.
    fn linked<'s>(
        &mut self,
        target: &Target,
        mut parts: Vec<&'s Source>,
    ) -> Result<Option<(Program, Vec<&'s Source>)>, ProjectError> {
        let own = self.models()?;
        loop {
            let Some(first) = parts.first() else { return Ok(None) };
            let options =
                ParseOptions { dialect: dialect(&first.compilation), ..Default::default() };
            let options =
                match parts.iter().all(|part| dialect(&part.compilation) == options.dialect) {
                    true => options,
                    false => ParseOptions::default(),
                };
            let machine = first.compilation.machine.target();
            let texts = parts.iter().map(|part| part.text.clone()).collect();
            let choose = |program: &Program| match primitives::makes_threads(program) {
                true => {
                    let own = own.as_deref().unwrap_or_default();
                    Models::Replaced(format!("{}\n{own}", primitives::MODELS))
                }
                false => own.clone().map_or(Models::BuiltIn, Models::Replaced),
            };
            let translation = translate_choosing(texts, machine, &options, choose);
            if translation.is_complete() {
                return Ok(Some((translation.program, parts)));
            }
            let broken = broken(&translation);
            if broken.is_empty() {
                // They do not fit together: the last one is told and left out.
                let problem = translation.link_errors.join("; ");
                let problem = format!("it does not fit into {}: {problem}", target.name);
                self.unreadable(parts[parts.len() - 1], problem);
                parts.pop();
                continue;
            }
            for (unit, problem) in broken.into_iter().rev() {
                match parts.get(unit) {
                    Some(part) => {
                        self.unreadable(part, problem);
                        parts.remove(unit);
                    }
                    // The models of the user.
                    None => return Err(ProjectError::Capture(problem)),
                }
            }
        }
    }

    /// Programs, libraries and functions that `gnomon.toml` names and that are not there.
    fn unknown_names(&self, targets: &[Target]) -> Vec<String> {
        let mut unknown = Vec::new();
        let lists = self.config.target.iter().map(|said| (Some(said), said.entries.as_ref()));
        for (said, entries) in lists.chain([(None, Some(&self.config.entries))]) {
            if let Some(said) = said {
                if !targets.iter().any(|target| said.is_about(&target.name)) {
                    let names: Vec<&str> = targets.iter().map(|t| t.name.as_str()).collect();
                    let (name, names) = (&said.name, names.join(", "));
                    unknown
                        .push(format!("[[target]]: the build makes no `{name}`; it makes {names}"));
                    continue;
                }
                if said.skip {
                    continue;
                }
            }
            let Some(Entries::Names(names)) = entries else { continue };
            let list = said.map(|said| said.name.clone());
            let place = said.map_or(String::new(), |said| format!(" of {}", said.name));
            let missing =
                names.iter().filter(|&n| !self.begun.contains(&(list.clone(), n.clone())));
            unknown.extend(
                missing.map(|name| {
                    format!("entries{place}: there is no function `{name}` to begin at")
                }),
            );
        }
        unknown
    }

    fn unreadable(&mut self, source: &Source, problem: String) {
        let known = Unreadable { file: source.name.clone(), problem };
        if !self.plan.unreadable.contains(&known) {
            self.plan.unreadable.push(known);
        }
    }

    fn models(&self) -> Result<Option<String>, ProjectError> {
        let Some(directory) = &self.config.assumptions.models else { return Ok(None) };
        let directory = self.place.root.join(directory);
        let entries =
            std::fs::read_dir(&directory).map_err(|e| ProjectError::file(&directory, e))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
        files.sort();
        let mut all = String::new();
        for file in files {
            let text = std::fs::read_to_string(&file).map_err(|e| ProjectError::file(&file, e))?;
            all += &format!("\n{text}\n");
        }
        Ok(Some(all))
    }

    fn units(
        &mut self,
        target: &Target,
        said: Option<&TargetConfig>,
        program: &Program,
        parts: &[&Source],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), ProjectError> {
        let names = said.and_then(|said| said.properties.as_ref());
        let names = names.unwrap_or(&self.config.properties);
        let groups: Vec<(Group, BTreeSet<FuncId>)> = names
            .iter()
            .filter_map(|name| Group::named(name).ok())
            .map(|group| {
                let sites = functions_with_sites(program, &group);
                (group, sites)
            })
            .collect();
        let essences = Essences::of(program);
        let entries = self.entries(target, said, program, parts);
        self.plan.entries += entries.len();
        for entry in entries {
            if !goes_on() {
                return Err(ProjectError::Stopped);
            }
            // A function that calls back may call all of them.
            let part = match self.config.assumptions.unknown_functions {
                Unknown::Anything => essences.mentions.part(program.funcs.ids()),
                Unknown::Pure | Unknown::Args => essences.mentions.part([entry]),
            };
            let hash = essences.of_part(&part);
            for (group, sites) in &groups {
                if sites.is_disjoint(&part.functions) {
                    self.plan.nothing_to_check += 1;
                    continue;
                }
                self.unit(target, program, entry, &part, &hash, group)?;
            }
        }
        Ok(())
    }

    fn unit(
        &mut self,
        target: &Target,
        program: &Program,
        entry: FuncId,
        part: &Part,
        hash: &str,
        group: &Group,
    ) -> Result<(), ProjectError> {
        let function = &program.funcs[entry];
        let assumptions = &self.config.assumptions;
        let specs = self.specs_of(group);
        let asked = Asked {
            build: &self.place.build,
            entry: &function.name,
            group,
            specs: &specs,
            unknown_functions: assumptions.unknown_functions,
            malloc_may_fail: assumptions.malloc_may_fail,
        };
        let mut unit = Unit {
            key: asked.key(hash),
            part: hash.to_owned(),
            target: target.name.clone(),
            entry: function.name.clone(),
            file: program.files.name(function.span.file).to_owned(),
            line: function.span.line,
            group: group.name.clone(),
            unknown_functions: assumptions.unknown_functions,
            malloc_may_fail: assumptions.malloc_may_fail,
            specs,
            before: None,
        };
        let mut known = self.store.get(&unit.key);
        let mut now = Anchors::new();
        if let Some(record) = &mut known
            && !record.anchors.is_empty()
        {
            let is_named = |name: &str| record.anchors.contains_key(name);
            now = anchors(program, part.functions.iter().copied(), is_named);
            record.move_to(&now);
        }
        let limits = &self.config.limits;
        let mut rounds = limits.rounds.iter().enumerate();
        let is_open = known.as_ref().is_none_or(|known| {
            rounds.any(|(round, &time)| !known.covers(time, memory_of_round(limits, round)))
        });
        let mut problem = None;
        if is_open {
            unit.before = self.store.last_proof(&unit.name()).filter(|key| *key != unit.key);
            problem = self.written(program, part, hash);
            let told = |error| format!("it cannot be written for workers: {error}");
            problem = problem.or_else(|| self.store.put_unit(&unit).err().map(told));
        }
        let is_main = source_name(&function.name) == "main";
        self.plan.units.push(Planned { unit, is_main, known, anchors: now, problem });
        Ok(())
    }

    /// Writes the text of a part for workers; what is the matter if that is not possible.
    fn written(&mut self, program: &Program, part: &Part, hash: &str) -> Option<String> {
        if let Some(known) = self.written.get(hash) {
            return known.clone();
        }
        let written = self.store.put_part(hash, &text::print_part(program, part));
        let problem =
            written.err().map(|error| format!("it cannot be written for workers: {error}"));
        self.written.insert(hash.to_owned(), problem.clone());
        problem
    }

    /// The texts of the property automata of a group that are files: their names do not say what they are.
    fn specs_of(&self, group: &Group) -> BTreeMap<String, String> {
        let specs = group.properties.iter().filter_map(|property| match property {
            Property::Spec(spec) => specs::file_of(spec),
            _ => None,
        });
        specs.filter_map(|file| Some((file.to_owned(), self.specs.get(file)?.clone()))).collect()
    }

    fn entries(
        &mut self,
        target: &Target,
        said: Option<&TargetConfig>,
        program: &Program,
        parts: &[&Source],
    ) -> Vec<FuncId> {
        let entries = said.and_then(|said| said.entries.as_ref()).unwrap_or(&self.config.entries);
        let exported: BTreeSet<&str> =
            parts.iter().flat_map(|part| &part.symbols.functions).map(String::as_str).collect();
        let is_entry = |name: &str| match entries {
            Entries::Names(names) => names.iter().any(|n| n == name || n == source_name(name)),
            Entries::Word(EntriesWord::Main) => name == "main",
            Entries::Word(EntriesWord::Exported) => exported.contains(name),
            Entries::Word(EntriesWord::All) => true,
            Entries::Word(EntriesWord::Auto) if target.is_program => name == "main",
            Entries::Word(EntriesWord::Auto) => exported.contains(name),
        };
        let functions = program.funcs.iter_ids().filter(|(_, function)| {
            let file = program.files.name(function.span.file);
            // Files of the system and models are nobody's to check.
            let is_own = !file.starts_with('/') && !file.starts_with('<');
            function.body.is_some()
                && is_own
                && is_entry(&function.name)
                && !self.config.is_excluded(file)
        });
        let found: Vec<FuncId> = functions.map(|(id, _)| id).collect();
        if let Entries::Names(names) = entries {
            let list = said.filter(|said| said.entries.is_some()).map(|said| said.name.clone());
            let of = |id: &FuncId| program.funcs[*id].name.as_str();
            let is_found = |n: &&String| {
                found.iter().map(of).any(|name| *n == name || *n == source_name(name))
            };
            let names = names.iter().filter(is_found).map(|name| (list.clone(), name.clone()));
            self.begun.extend(names);
        }
        found
    }
}

/// The sources that have errors, with what is told of them.
fn broken(translation: &Translation) -> BTreeMap<usize, String> {
    let mut broken: BTreeMap<usize, String> = BTreeMap::new();
    for told in &translation.diagnostics {
        if told.diagnostic.is_fatal() {
            let text = told.diagnostic.render(&translation.sources[told.unit]);
            broken.entry(told.unit).or_default().push_str(&text);
        }
    }
    broken
}

/// The functions in which something of a group could happen.
fn functions_with_sites(program: &Program, group: &Group) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut checks = Checks::default();
    for property in &group.properties {
        match property {
            // Which functions are called with an error function behind a pointer is not known here.
            Property::Call(_) => {
                let is_error = |id: &FuncId| {
                    let function = &program.funcs[*id];
                    function.body.is_none() && ERROR_FUNCTIONS.contains(&function.name.as_str())
                };
                found.extend(program.funcs.ids().filter(is_error));
            }
            Property::Undefined(kind) if !kind.is_of_memory() => {
                checks = checks.with(*kind);
            }
            _ => return program.funcs.ids().collect(),
        }
    }
    if !checks.is_empty() {
        let violations = instrument(program, checks).violations;
        found.extend(violations.iter().map(|violation| violation.func));
    }
    found
}
