//! The first half of the pipeline: read, instrument, weave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use gnomon_budget::{Budget, Exhausted};
use gnomon_cfront::load::{Loaded, load};
use gnomon_cfront::translate::Models;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{Property as Forbidden, Site};
use gnomon_flow::points_to::PointsTo;
use gnomon_instrument::{Checks, instrument};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::property::{Property, Specification};
use gnomon_logic::encode::MemoryOptions;
use gnomon_report::model::SourceFile;
use gnomon_report::sha256;
use gnomon_threads::primitives;

use crate::decide::Options;
use crate::error::VerifyError;
use crate::listen::{Listener, Note};
use crate::memory;
use crate::outside;
use crate::request::Request;
use crate::specs::{self, Automata};

/// Where the pointers of a program point: found once, for all who ask about the same program.
#[derive(Clone, Default)]
pub struct KnownPointers(Arc<OnceLock<Arc<PointsTo>>>);

impl KnownPointers {
    /// Known already.
    pub(crate) fn of(points_to: PointsTo) -> Self {
        Self(Arc::new(OnceLock::from(Arc::new(points_to))))
    }

    /// What is known of the program, which must be the same in every call, with its entry.
    pub fn facts<'p>(
        &self,
        program: &'p Program,
        entry: FuncId,
        memory: MemoryOptions,
        budget: &Budget,
    ) -> Result<Facts<'p>, Exhausted> {
        if let Some(known) = self.0.get() {
            return Ok(Facts::known(program, entry, memory, known.clone()));
        }
        let facts = Facts::new(program, entry, memory, budget)?;
        self.0.get_or_init(|| facts.shared_points_to());
        Ok(facts)
    }
}

/// A program, ready to be decided.
#[derive(Clone)]
pub struct Task {
    /// The program, with checks and automata in it.
    pub program: Program,
    /// The options of the engines, with entry and property.
    pub options: Options,
    /// Edges of checks and automata, which nobody wrote.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// Which property an edge of a check or an automaton is about.
    pub properties: BTreeMap<Site, Property>,
    /// The automata in the program, if some are asked for.
    pub automata: Option<Automata>,
    /// Whether it is a program with threads.
    pub has_threads: bool,
    /// Where the program's pointers point, once that is known.
    pub pointers: KnownPointers,
    /// The files that were read.
    pub files: Vec<SourceFile>,
    /// How often the preprocessor was called.
    pub preprocessor_calls: u64,
    /// How many files were parsed.
    pub files_parsed: u64,
}

impl Task {
    /// Reads the program of a request, and puts what is asked into it.
    pub fn read(request: &Request, listener: &dyn Listener) -> Result<Self, VerifyError> {
        let own = outside::models(&request.outside)?;
        let mut found = None;
        let choose = |program: &Program| match *found.insert(has_threads(request, program)) {
            true => {
                let own = own.as_deref().unwrap_or_default();
                Models::Replaced(format!("{}\n{own}", primitives::MODELS))
            }
            // Locks have a state here too; automata follow the calls, and need none.
            false
                if primitives::uses(program) && request.specification.specs().next().is_none() =>
            {
                let own = own.as_deref().unwrap_or_default();
                let (all, one) = (primitives::MODELS, primitives::ONE_THREAD);
                Models::Replaced(format!("{all}\n{one}\n{own}"))
            }
            false => own.clone().map_or(Models::BuiltIn, Models::Replaced),
        };
        let loaded = load(&request.inputs, &request.preprocess, choose)?;
        let Loaded { mut program, warnings, files, preprocessor_calls, files_parsed } = loaded;
        if !warnings.is_empty() {
            listener.note(&Note::Warnings(warnings));
        }
        let has_threads = found.unwrap_or_else(|| has_threads(request, &program));
        let first = &request.specification.entry;
        outside::give_meaning(&mut program, request.outside.unknown, first);
        let mut property = forbidden(&request.specification);
        let mut inserted = BTreeSet::new();
        let mut properties = BTreeMap::new();
        // Checks of memory come later, when it is known where pointers point.
        let checks: Checks = memory::without(&request.specification).checks().collect();
        if !checks.is_empty() {
            let instrumented = instrument(&program, checks);
            program = instrumented.program;
            inserted = instrumented.inserted;
            for violation in instrumented.violations {
                let site = Site { func: violation.func, edge: violation.edge };
                property.edges.push((site, violation.message));
                properties.insert(site, Property::Undefined(violation.kind));
            }
        }
        let entry = request.specification.entry.clone();
        let mut automata = None;
        let names: Vec<&str> = request.specification.specs().collect();
        if !names.is_empty() {
            // Calls through pointers belong to no function, and groups of sites would leave them out.
            if !property.functions.is_empty() {
                return Err(VerifyError::Mixed);
            }
            let specs = specs::named(&names, &request.spec_texts)?;
            let (woven, moved) = specs::woven(specs, &entry, &mut program, &mut property)?;
            let now = |(func, edge): (FuncId, EdgeId)| moved.get(&(func, edge)).copied();
            inserted = inserted.iter().filter_map(|&(f, e)| Some((f, now((f, e))?))).collect();
            inserted.extend(&woven.inserted);
            let kept = properties.into_iter().filter_map(|(site, property)| {
                Some((Site { edge: now((site.func, site.edge))?, ..site }, property))
            });
            properties = kept.collect();
            properties.extend(woven.violations.iter().map(|(site, violation)| {
                (*site, Property::Spec(names[violation.spec].to_owned()))
            }));
            automata = Some(woven);
        }
        let options = Options { entry, property, ..request.engine.clone() };
        let hashed = |(name, bytes): (String, Vec<u8>)| SourceFile { name, sha256: sha256(&bytes) };
        let files = files.into_iter().map(hashed).collect();
        Ok(Self {
            program,
            options,
            inserted,
            properties,
            automata,
            has_threads,
            pointers: KnownPointers::default(),
            files,
            preprocessor_calls,
            files_parsed,
        })
    }
}

/// Whether the program is one with threads: it makes some, or is asked about what one can do wrong with
/// their locks.
fn has_threads(request: &Request, program: &Program) -> bool {
    let is_of_threads =
        |p: &Property| matches!(p, Property::DataRace | Property::Deadlock | Property::Misuse);
    let properties = &request.specification.properties;
    request.threads.forced
        || (!properties.is_empty() && properties.iter().all(is_of_threads))
        || (properties.iter().any(is_of_threads) && primitives::uses(program))
        || primitives::makes_threads(program)
}

/// What a specification forbids by name; edges come with checks and automata.
fn forbidden(specification: &Specification) -> Forbidden {
    let mut forbidden = Forbidden::nothing();
    for property in &specification.properties {
        match property {
            Property::Call(function) => forbidden.functions.push(function.clone()),
            Property::Label(label) => forbidden.labels.push(label.clone()),
            Property::Line { file, line } => forbidden.lines.push((file.clone(), *line)),
            Property::Undefined(_) | Property::Spec(_) => {}
            Property::DataRace | Property::Deadlock | Property::Misuse => {}
        }
    }
    forbidden
}
