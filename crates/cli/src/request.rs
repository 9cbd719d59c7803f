//! From arguments to a request.

use std::path::Path;

use gnomon_engine::explore::Cut;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::pushdown::{PushdownOptions, RelationOptions};
use gnomon_engine::tree::Order;
use gnomon_instrument::CheckKind;
use gnomon_predabs::PostOptions;
use gnomon_verify::decide::{Engine, Options};
use gnomon_verify::request::{
    Certify, Groups, Limits, Outside, Sites, Threads, UnknownFunctions, Wanted,
};
use gnomon_verify::{Property, Request, Specification};

use crate::STACK_BYTES;
use crate::args::{BlockSize, CheckArgs, EngineChoice, PostPrecision, SearchOrder, UnknownChoice};
use crate::exit::Failure;
use crate::output_args::OutputArgs;
use crate::thread_args::{ThreadArgs, ThreadError};

/// What the arguments ask for, with nothing beside the verdict.
pub fn request(args: &CheckArgs) -> Result<Request, Failure> {
    let mut request = Request::of(args.input.inputs());
    request.preprocess = args.input.preprocess();
    request.outside = Outside {
        models: args.outside.models.clone(),
        unknown: match args.outside.unknown_functions {
            UnknownChoice::Pure => UnknownFunctions::Pure,
            UnknownChoice::Args => UnknownFunctions::Args,
            UnknownChoice::Anything => UnknownFunctions::Anything,
        },
    };
    request.specification = specification(args)?;
    request.sites = if args.each { Sites::Each } else { Sites::Together };
    let (time, jobs) = (args.specs.group_time, args.specs.jobs);
    request.groups = Groups { time, jobs, stack: STACK_BYTES };
    request.engine = engine(args);
    request.limits = Limits { time: args.time, memory: args.memory };
    Ok(request)
}

/// What `gnomon check` is asked for.
pub fn check_request(
    args: &CheckArgs,
    wanted: &OutputArgs,
    threads: &ThreadArgs,
) -> Result<Request, Failure> {
    let mut request = request(args)?;
    // What has no meaning is an error, unless only something else is asked.
    let is_plain = args.prp.is_none() && args.specs.names.is_empty() && !args.assertions_only;
    if is_plain && !args.each && !args.projection {
        for kind in [CheckKind::Division, CheckKind::Access, CheckKind::Free] {
            let property = Property::Undefined(kind);
            if !request.specification.forbids(&property) {
                request.by_default.push(property.clone());
                request.specification.add(property);
            }
        }
        // Who names something of memory wants all of it.
        let named = |kind: &CheckKind| args.check.iter().any(|checks| checks.contains(*kind));
        if CheckKind::ALL.iter().any(|kind| kind.is_of_memory() && named(kind)) {
            request.by_default.clear();
        }
    }
    for error in &threads.thread_errors {
        request.specification.add(match error {
            ThreadError::Deadlock => Property::Deadlock,
            ThreadError::Misuse => Property::Misuse,
            ThreadError::Race => Property::DataRace,
        });
    }
    request.threads = Threads {
        forced: threads.forced,
        contexts: threads.contexts,
        only_contexts: threads.only_contexts,
        threads_per_call: threads.threads_per_call,
    };
    request.certify = match (wanted.no_certify, wanted.certify) {
        (true, _) => Certify::Never,
        (false, true) => Certify::Always,
        (false, false) => Certify::WherePossible,
    };
    request.wanted = Wanted {
        certificate: wanted.certificate.is_some(),
        projection: args.projection,
        page: wanted.html.is_some(),
        harness: wanted.harness.is_some(),
        execution: wanted.replay,
    };
    Ok(request)
}

/// Where runs begin, and what must not happen.
fn specification(args: &CheckArgs) -> Result<Specification, Failure> {
    let mut asked = match &args.prp {
        Some(file) => property_file(file)?,
        None => Specification { entry: args.entry.clone(), ..Specification::default() },
    };
    if !args.specs.names.is_empty() {
        // Only what options name is an error beside what automata find.
        asked.properties.retain(|property| !matches!(property, Property::Call(_)));
    }
    for label in &args.error_label {
        asked.add(Property::Label(label.clone()));
    }
    for place in &args.reach {
        asked.add(line_of(place)?);
    }
    for kind in CheckKind::ALL {
        if args.check.iter().any(|checks| checks.contains(kind)) {
            asked.add(Property::Undefined(kind));
        }
    }
    for name in &args.specs.names {
        asked.add(Property::Spec(name.clone()));
    }
    Ok(asked)
}

fn property_file(file: &Path) -> Result<Specification, Failure> {
    let problem = |error: String| Failure::error(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| problem(error.to_string()))?;
    Specification::of_property_file(&text).map_err(|error| problem(error.to_string()))
}

/// `FILE:LINE`.
fn line_of(place: &str) -> Result<Property, Failure> {
    place
        .rsplit_once(':')
        .and_then(|(file, line)| {
            Some(Property::Line { file: file.to_owned(), line: line.parse().ok()? })
        })
        .filter(|property| !matches!(property, Property::Line { file, .. } if file.is_empty()))
        .ok_or_else(|| Failure::error(format!("`{place}` is no location: write FILE:LINE")))
}

/// The options of the engines.
fn engine(args: &CheckArgs) -> Options {
    let cut = match args.block {
        BlockSize::Loop => Cut::Loops,
        BlockSize::Function => Cut::Functions,
        BlockSize::Edge => Cut::Edges,
    };
    let order = match args.order {
        SearchOrder::Depth => Order::Depth,
        SearchOrder::Breadth => Order::Breadth,
        SearchOrder::Shortest => Order::Shortest,
    };
    let post = match args.post {
        PostPrecision::Exact => PostOptions::default(),
        PostPrecision::Cartesian => PostOptions { exact_predicates: 0, ..PostOptions::default() },
    };
    let lazy = LazyOptions { order, keep_subtree: args.keep_subtree, post, outlined: 0 };
    let engine = match args.engine {
        EngineChoice::Auto => Engine::Auto,
        EngineChoice::Lazy => Engine::Lazy,
        EngineChoice::Pushdown => Engine::Pushdown,
        EngineChoice::Values => Engine::Values,
        EngineChoice::Numeric => Engine::Numeric,
    };
    let slicing = !args.no_slice;
    let relation = match args.post {
        PostPrecision::Exact => RelationOptions::default(),
        PostPrecision::Cartesian => RelationOptions::cartesian(),
    };
    let pushdown = PushdownOptions { relation, projections: args.use_projections };
    let (block_places, strict) = (args.block_places, args.strict);
    let mut default = Options::default();
    default.memory.allocation_may_fail |= args.malloc_may_fail;
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.specs.jobs.unwrap_or_else(processors);
    Options {
        cut,
        block_places,
        engine,
        lazy,
        pushdown,
        slicing,
        strict,
        without: args.without.clone(),
        jobs,
        runs: !args.no_runs,
        search: !args.no_search,
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_a_file_and_a_line() {
        let place = Property::Line { file: "a.c".to_owned(), line: 12 };
        assert_eq!(line_of("a.c:12").expect("a place"), place);
        assert!(line_of("a.c").is_err() && line_of(":3").is_err() && line_of("a.c:x").is_err());
    }
}
