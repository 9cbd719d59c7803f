//! `gnomon check`: can the program reach an error?

pub mod certificate;
mod interrupt;
pub mod outputs;
mod outside;
mod page;
mod property;
mod specs;
mod supposed;
mod text;
mod threads;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gnomon_budget::{Budget, Progress};
use gnomon_cfront::translate::Models;
use gnomon_engine::explore::Cut;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::pushdown::{PushdownOptions, RelationOptions};
use gnomon_engine::tree::Order;
use gnomon_engine::verdict::Verdict;
use gnomon_instrument::instrument;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_predabs::PostOptions;
use gnomon_report::model::{Answer, CertificateState, Report, VerdictName};
use gnomon_verify::decide::{Engine, Options, check, check_each};

pub(super) use self::text::statistics;

use self::outputs::{Certified, Subject};
use self::page::Course;
use self::property::Requested;
use crate::args::{BlockSize, CheckArgs, EngineChoice, PostPrecision, SearchOrder, Supposing};
use crate::exit::{Failure, Status};
use crate::output::Recorded;
use crate::output_args::OutputArgs;
use crate::thread_args::ThreadArgs;
use crate::{load, output};

/// At most so much of the time is kept for the checker of proofs, beside what the engines leave.
const MAX_RESERVED: Duration = Duration::from_secs(10);

/// Checks a program.
pub fn run(args: &CheckArgs, wanted: &OutputArgs, threads: &ThreadArgs) -> Result<Status, Failure> {
    let task = requested(args)?;
    let races = property::asks_for_races(args)?;
    if threads.forced || races || gnomon_threads::primitives::makes_threads(&task.program) {
        return threads::run(args, wanted, threads);
    }
    let Task { program, mut options, inserted, automata } = task;
    let whole = limits(args);
    let progress = output::progress(args.verbose, args.quiet);
    let recorded = wanted.html.as_ref().map(|_| Arc::new(Recorded::new(progress.clone())));
    let progress = recorded.clone().map(|recorded| recorded as Arc<dyn Progress>).or(progress);
    let whole = match progress {
        Some(progress) => whole.with_progress(progress),
        None => whole,
    };
    let budget = whole.with_cpu_time(args.time - reserved(args, wanted));
    let times = || recorded.as_ref().map(|recorded| recorded.times()).unwrap_or_default();
    let course = |tree: Vec<OutlineNode>| Course { times: times(), tree };
    if wanted.html.is_some() {
        options.lazy.outlined = page::OUTLINED;
    }
    if args.with == Some(Supposing::Affine) {
        options.supposed =
            supposed::by_affine_relations(&program, &options.entry, options.cut, &budget)?;
    }
    let subject = Subject { program: &program, inserted: &inserted, options: &options, args };
    if let Some(automata) = &automata {
        let certifies = !wanted.no_certify;
        let mut groups = specs::check(&program, automata, &options, args, certifies, &budget)?;
        drop((budget, whole));
        let states = match certifies {
            true => specs::certificates(&mut groups, wanted.certify),
            false => Vec::new(),
        };
        let mut report = subject.each(&specs::site_reports(&groups))?;
        certified_as(&mut report, states);
        subject.write(&mut report, wanted, course(Vec::new()))?;
        output::result(&specs::text(&program, automata, &groups, &report, args));
        return Ok(status_of(report.verdict));
    }
    if args.each {
        let mut reports = check_each(&program, &options, &budget).map_err(Failure::error)?;
        let Some(states) = subject.certify_each(&mut reports, wanted, &whole)? else {
            return Ok(Status::InternalError);
        };
        // Takes back the line that shows what is being done.
        drop((budget, whole));
        let mut report = subject.each(&reports)?;
        certified_as(&mut report, states);
        subject.write(&mut report, wanted, course(Vec::new()))?;
        output::result(&text::each(&program, &reports, &report, args));
        return Ok(status_of(report.verdict));
    }
    let mut report = check(&program, &options, &budget).map_err(Failure::error)?;
    let certified = subject.certify(&mut report, wanted, &whole)?;
    drop((budget, whole));
    let Certified::As(state) = certified else { return Ok(Status::InternalError) };
    if args.projection {
        output::result(&super::project::text_for(&program, &options, args)?);
    }
    let mut written = subject.whole(&report)?;
    if let Some(Answer::Proved(proof)) = written.findings.first_mut().map(|f| &mut f.answer) {
        proof.certificate = state;
        let leaves_one =
            matches!(&report.verdict, Verdict::True(proof) if certificate::is_left_by(proof));
        let file = wanted.certificate.as_ref().filter(|_| leaves_one);
        proof.certificate_file = file.map(|file| file.display().to_string());
    }
    let tree = std::mem::take(&mut report.tree);
    subject.write(&mut written, wanted, course(tree))?;
    output::result(&text::whole(&program, &report, &written, args));
    Ok(status_of(written.verdict))
}

/// Says of each proof what is known of its certificate.
fn certified_as(report: &mut Report, states: Vec<CertificateState>) {
    for (finding, state) in report.findings.iter_mut().zip(states) {
        if let Answer::Proved(proof) = &mut finding.answer {
            proof.certificate = state;
        }
    }
}

/// What is left of the time for the checker of proofs.
fn reserved(args: &CheckArgs, wanted: &OutputArgs) -> Duration {
    match wanted.no_certify {
        true => Duration::ZERO,
        false => MAX_RESERVED.min(args.time / 6),
    }
}

/// The limits that the user set.
fn limits(args: &CheckArgs) -> Budget {
    gnomon_logic::solver::memory::limit(args.memory);
    // A quarter is left to the solvers that work in processes of their own.
    let memory = (args.memory << 20) / 4 * 3;
    let budget = Budget::unlimited().with_cpu_time(args.time).with_memory(memory);
    interrupt::cancels(&budget);
    budget
}

/// What is asked for.
pub(super) struct Task {
    /// The program, with checks.
    pub program: Program,
    /// The options of the check.
    pub options: Options,
    /// Edges of checks, which nobody wrote.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// The automata in the program, if specs are asked for.
    automata: Option<specs::Automata>,
}

/// The program with the checks in it that are asked for, and the options of the check.
pub(super) fn requested(args: &CheckArgs) -> Result<Task, Failure> {
    requested_with(args, outside::models(&args.outside)?)
}

/// The same with other models of library functions.
fn requested_with(args: &CheckArgs, models: Models) -> Result<Task, Failure> {
    let Requested { mut property, entry, checks } = property::requested(args)?;
    let mut program = load::program_with(&args.input, models)?;
    if args.outside.unknown_functions_write_nothing {
        outside::write_nothing(&mut program);
    }
    let mut inserted = BTreeSet::new();
    if !checks.is_empty() {
        let instrumented = instrument(&program, checks);
        program = instrumented.program;
        inserted = instrumented.inserted;
        property.edges = instrumented
            .violations
            .into_iter()
            .map(|v| (Site { func: v.func, edge: v.edge }, v.message))
            .collect();
    }
    let mut automata = None;
    if !args.specs.names.is_empty() {
        automata = Some(specs::woven(args, &entry, &mut program, &mut property, &mut inserted)?);
    }
    let options = options(args, entry, property);
    Ok(Task { program, options, inserted, automata })
}

fn status_of(verdict: VerdictName) -> Status {
    match verdict {
        VerdictName::True => Status::True,
        VerdictName::False => Status::False,
        VerdictName::Unknown => Status::Unknown,
    }
}

fn options(args: &CheckArgs, entry: String, property: Property) -> Options {
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
    };
    let slicing = !args.no_slice;
    let relation = match args.post {
        PostPrecision::Exact => RelationOptions::default(),
        PostPrecision::Cartesian => RelationOptions::cartesian(),
    };
    let pushdown = PushdownOptions { relation, projections: args.use_projections };
    let (block_places, strict) = (args.block_places, args.strict);
    Options {
        entry,
        property,
        cut,
        block_places,
        engine,
        lazy,
        pushdown,
        slicing,
        strict,
        ..Options::default()
    }
}
