//! From what the engine says to the data model.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::assumption::Assumption as EngineAssumption;
use gnomon_engine::check::{Report as EngineReport, SiteReport};
use gnomon_engine::facts::Facts;
use gnomon_engine::proof::{Invariant, Invariants};
use gnomon_engine::property::Site;
use gnomon_engine::reason::{NoProgress, ReasonKind};
use gnomon_engine::verdict::{Proof as EngineProof, Reason, Statistics, Verdict};
use gnomon_flow::slice::Slicer;
use gnomon_ir::cfa::{Cfa, Edge, EdgeId, LocId};
use gnomon_ir::program::{FuncId, Program, Stmt, StmtKind, source_name};
use gnomon_ir::span::Span;
use gnomon_logic::{Op, Term, Terms};

use crate::c_expression;
use crate::model::{
    Answer, Assumption, AssumptionKind, CertificateState, Finding, Location, PlaceInvariant, Proof,
    ProofKind, Report, SCHEMA, Task, Tool, Unknown, UnknownKind, VERSION, VerdictName,
};
use crate::names::Names;
use crate::run;

/// The program that was checked, and how.
pub struct Checked<'a> {
    /// The program, with checks.
    pub program: &'a Program,
    /// What is known of it; without, runs are not sliced.
    pub facts: Option<&'a Facts<'a>>,
    /// The function where its runs begin: another one than the user's if threads were taken apart.
    pub entry: String,
    /// Edges of checks, which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    /// What the user asked for.
    pub task: Task,
    /// The version of the tool.
    pub version: &'a str,
}

impl Checked<'_> {
    /// The report of a check of the whole program.
    pub fn whole(&self, report: &EngineReport, budget: &Budget) -> Report {
        let what = &self.task.property;
        let answers = self.answers(&[report], budget).into_iter();
        let findings = answers.map(|answer| Finding {
            what: what.clone(),
            property: None,
            location: None,
            answer,
        });
        let findings = findings.collect();
        let mut whole = self.report(findings, vec![report]);
        // The place is known if something is wrong there.
        for finding in &mut whole.findings {
            if let Answer::Violated(run) = &finding.answer {
                finding.location = run.location.clone();
            }
        }
        whole
    }

    /// The report of a check of every error site for itself.
    pub fn each(&self, reports: &[SiteReport], budget: &Budget) -> Report {
        let finding = |(report, answer): (&SiteReport, Answer)| Finding {
            what: report.what.clone(),
            property: None,
            location: report.site.and_then(|site| site_location(self.program, site)),
            answer,
        };
        let parts: Vec<&EngineReport> = reports.iter().map(|site| &site.report).collect();
        let answers = self.answers(&parts, budget);
        self.report(reports.iter().zip(answers).map(finding).collect(), parts)
    }

    fn report(&self, findings: Vec<Finding>, parts: Vec<&EngineReport>) -> Report {
        let mut statistics = Statistics::default();
        let mut assumed: BTreeSet<&EngineAssumption> = BTreeSet::new();
        for part in parts {
            statistics.add(part.statistics.clone());
            assumed.extend(&part.assumptions);
        }
        let notes = self.program.notes.iter().map(|note| Assumption {
            kind: AssumptionKind::Other,
            text: format!("{}: {}", note.kind, note.message),
            place: (!note.span.is_none()).then(|| self.program.files.show(note.span)),
        });
        let assumed = assumed.into_iter().map(|assumption| Assumption {
            kind: match assumption {
                EngineAssumption::AccessesInside => AssumptionKind::AccessesInside,
                EngineAssumption::DanglingNotCompared => AssumptionKind::DanglingNotCompared,
                EngineAssumption::Other(_) => AssumptionKind::Other,
            },
            text: assumption.to_string(),
            place: None,
        });
        Report {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            tool: Tool { name: "gnomon".to_owned(), version: self.version.to_owned() },
            task: self.task.clone(),
            verdict: together(&findings),
            findings,
            assumptions: notes.chain(assumed).collect(),
            engine: statistics.engine.map(str::to_owned),
            counts: statistics.numbers.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect(),
            seconds: statistics.seconds,
        }
    }

    /// One answer for each; the runs among them share what slicing has to know.
    fn answers(&self, reports: &[&EngineReport], budget: &Budget) -> Vec<Answer> {
        let has_run = reports.iter().any(|report| matches!(report.verdict, Verdict::False(_)));
        let answers = |mut slicer: Option<&mut Slicer<'_>>| {
            let answer =
                |report: &&EngineReport| self.answer(report, slicer.as_deref_mut(), budget);
            reports.iter().map(answer).collect()
        };
        if has_run { run::with_slicer(self, budget, answers) } else { answers(None) }
    }

    fn answer(
        &self,
        report: &EngineReport,
        slicer: Option<&mut Slicer<'_>>,
        budget: &Budget,
    ) -> Answer {
        match &report.verdict {
            Verdict::True(proof) => Answer::Proved(self.proof(proof)),
            Verdict::False(run) => {
                Answer::Violated(Box::new(run::describe(self, run, slicer, budget)))
            }
            Verdict::Unknown(reason) => {
                let names = Names::of(self.program);
                let readable = |text: &String| names.readable(None, text);
                Answer::Unknown(Unknown {
                    kind: kind(reason),
                    place: reason.position().map(ToString::to_string),
                    reason: readable(&reason.to_string()),
                    partial: report.partial.iter().map(readable).collect(),
                    advice: advice(reason),
                })
            }
        }
    }

    fn proof(&self, proof: &EngineProof) -> Proof {
        let (kind, invariants) = match proof {
            EngineProof::NoErrorSite => (ProofKind::NoErrorSite, Vec::new()),
            EngineProof::OnlyRun => (ProofKind::OnlyRun, Vec::new()),
            EngineProof::AllExecutions { .. }
            | EngineProof::AllPaths { .. }
            | EngineProof::AllStates { .. } => (ProofKind::AllExecutions, Vec::new()),
            EngineProof::Views { .. } => (ProofKind::Invariants, Vec::new()),
            EngineProof::Invariants(found) | EngineProof::KInduction { invariants: found, .. } => {
                (ProofKind::Invariants, invariants(self.program, found))
            }
            EngineProof::ForAll(found) => {
                (ProofKind::Invariants, invariants(self.program, &found.invariants))
            }
            EngineProof::Summaries(None) => (ProofKind::Summaries, Vec::new()),
            EngineProof::Summaries(Some(found)) => {
                (ProofKind::Summaries, invariants(self.program, &found.invariants))
            }
            EngineProof::Typestate => (ProofKind::Typestate, Vec::new()),
            EngineProof::OfRest(rest) => {
                let Proof { kind, invariants, .. } = self.proof(&rest.proof);
                (kind, invariants)
            }
        };
        Proof {
            kind,
            text: proof_text(proof),
            invariants,
            certificate: CertificateState::NotChecked,
            certificate_file: None,
        }
    }
}

/// How a program was proved, for people.
pub fn proof_text(proof: &EngineProof) -> String {
    match proof {
        EngineProof::NoErrorSite => "the program has no error that could be reached".to_owned(),
        EngineProof::OnlyRun => "the program takes no input, and its only run is safe".to_owned(),
        EngineProof::Invariants(_) => "invariants exclude every error".to_owned(),
        EngineProof::ForAll(_) => {
            "invariants about all elements of arrays exclude every error".to_owned()
        }
        EngineProof::KInduction { k, .. } => format!("{k}-induction excludes every error"),
        EngineProof::Summaries(_) => "summaries of all functions exclude every error".to_owned(),
        EngineProof::Typestate => {
            "no state of the automaton that can be reached here allows it".to_owned()
        }
        EngineProof::AllExecutions { depth } => {
            format!("exhaustive search to depth {depth}")
        }
        EngineProof::AllPaths { paths } => {
            format!("exhaustive search of {paths} paths")
        }
        EngineProof::AllStates { states } => {
            format!("all executions were done, {states} states")
        }
        EngineProof::Views { views } => {
            format!(
                "no two threads beside the first can see an error, however many there are, {views} views"
            )
        }
        EngineProof::OfRest(rest) => {
            let (kept, all) = (rest.left_out.kept, rest.left_out.before);
            format!("{}, by {kept} of {all} operations", proof_text(&rest.proof))
        }
    }
}

/// What reports call a reason.
fn kind(reason: &Reason) -> UnknownKind {
    match reason.kind() {
        ReasonKind::Limit => UnknownKind::Limit,
        ReasonKind::Unsupported => UnknownKind::Unsupported,
        ReasonKind::NotConfirmed => UnknownKind::NotConfirmed,
        ReasonKind::Uncertified => UnknownKind::Uncertified,
        ReasonKind::Undefined => UnknownKind::UndefinedBehaviour,
        ReasonKind::EvaluationOrder => UnknownKind::EvaluationOrder,
        ReasonKind::Memory => UnknownKind::Memory,
        ReasonKind::AddressLayout => UnknownKind::AddressLayout,
        ReasonKind::NoProgress => UnknownKind::NoProgress,
    }
}

/// What a user can try who got no verdict.
fn advice(reason: &Reason) -> Vec<String> {
    let text = match reason {
        Reason::Limit(Exhausted::Memory) => "give it more memory with --memory MB",
        Reason::Limit(Exhausted::Cancelled) => "start it again: it was stopped from outside",
        Reason::Limit(Exhausted::Time | Exhausted::Steps | Exhausted::Work) => {
            "give it more with --time SECONDS, or ask for less: one function with --entry NAME, or \
             --assertions-only"
        }
        Reason::Unsupported(_) => {
            "give a body to what has none (another file, or --models DIR), or state the property \
             without it (--reach FILE:LINE)"
        }
        Reason::NotConfirmed(_) => "look at the lines that are suspect with `gnomon project`",
        Reason::Undefined { .. } => {
            "check for it with --check all: the behaviour of the program is open from there on"
        }
        Reason::Memory(_) => {
            "--assertions-only takes accesses to memory to be right; more --time may prove them"
        }
        Reason::OneOrderOnly { .. } => "write the operands as statements of their own",
        Reason::OneLayoutOnly { .. } => {
            "do not compare addresses of different objects, or their bits"
        }
        Reason::Uncertified(_) => {
            "the proof is there: --no-certify believes it, --certificate FILE keeps it, and more \
             --time may be enough for the checker"
        }
        Reason::NoProgress(NoProgress::Contexts(_)) => {
            "look at more schedules with a larger number for --contexts"
        }
        Reason::NoProgress(NoProgress::BadRequest(_)) => "change the request as it says",
        Reason::NoProgress(NoProgress::Failed(_)) => {
            "report it: this is a failure of the tool or of the machine"
        }
        Reason::NoProgress(_) => "try another engine (--engine pushdown) or --block function",
    };
    vec![text.to_owned()]
}

/// False if one is violated, else unknown if one is.
fn together(findings: &[Finding]) -> VerdictName {
    let any = |name| findings.iter().any(|finding| finding.answer.verdict() == name);
    match (any(VerdictName::False), any(VerdictName::Unknown)) {
        (true, _) => VerdictName::False,
        (false, true) => VerdictName::Unknown,
        (false, false) => VerdictName::True,
    }
}

/// A part of the source, in a function.
pub(crate) fn location(program: &Program, func: FuncId, span: Span) -> Option<Location> {
    (!span.is_none()).then(|| Location {
        file: program.files.name(span.file).to_owned(),
        line: span.line,
        column: span.column.into(),
        end_line: span.end_line,
        end_column: span.end_column.into(),
        function: source_name(&program.funcs[func].name).to_owned(),
    })
}

fn site_location(program: &Program, site: Site) -> Option<Location> {
    let body = program.funcs[site.func].body.as_ref()?;
    location(program, site.func, body.edge(site.edge).span)
}

/// The span of what happens next at a location, and whether it is the head of a loop.
pub(crate) fn place_span(program: &Program, func: FuncId, loc: LocId) -> Option<(Span, bool)> {
    let body = program.funcs[func].body.as_ref()?;
    let edges = body.out_edges(loc).iter().map(|edge| body.edge(*edge));
    let mut first = None;
    for edge in edges {
        let stmt = program.stmts[edge.stmt];
        let is_loop = matches!(stmt.kind, StmtKind::While | StmtKind::For);
        if is_loop && !stmt.span.is_none() {
            return Some((stmt.span, true));
        }
        if first.is_none() && !edge.span.is_none() {
            first = Some((edge.span, false));
        }
    }
    loop_of_body(program, body, loc).map(|span| (span, true)).or(first)
}

/// The loop whose body begins at a location, if control flow comes back to it: of loops that ask no
/// condition there, its head.
fn loop_of_body(program: &Program, body: &Cfa, loc: LocId) -> Option<Span> {
    let &first = body.out_edges(loc).first()?;
    let first = body.edge(first).stmt;
    let begins = program.stmts[first].span;
    // Inside of the first statement is not before it.
    let is_before = |&edge: &EdgeId| body.edge(edge).stmt != first;
    let joins = body.in_edges(loc);
    if begins.is_none() || joins.len() < 2 || !joins.iter().any(is_before) {
        return None;
    }
    let is_its = |stmt: &&Stmt| {
        let Span { file, end_line, end_column, .. } = stmt.span;
        let end = (file, end_line, end_column);
        stmt.kind == StmtKind::LoopHead && end == (begins.file, begins.line, begins.column)
    };
    let head = program.stmts.iter().find(is_its)?.span;
    // A condition that is asked before the body is where the loop's head is.
    let asks = |edge: &Edge| {
        let Stmt { kind, span } = program.stmts[edge.stmt];
        let is_condition = matches!(kind, StmtKind::While | StmtKind::For);
        is_condition && (span.file, span.line, span.column) == (head.file, head.line, head.column)
    };
    (!body.edges().iter().any(asks)).then_some(head)
}

fn invariants(program: &Program, found: &Invariants) -> Vec<PlaceInvariant> {
    // A C expression says what holds in all calling contexts of the place.
    let mut contexts: BTreeMap<(FuncId, LocId), Vec<&Invariant>> = BTreeMap::new();
    for invariant in &found.places {
        contexts.entry((invariant.func, invariant.loc)).or_default().push(invariant);
    }
    let names = Names::of(program);
    let place = |invariant: &Invariant| {
        let span = place_span(program, invariant.func, invariant.loc);
        let name = |func: FuncId| source_name(&program.funcs[func].name).to_owned();
        let together = &contexts[&(invariant.func, invariant.loc)];
        let formulas = together.iter().map(|i| i.formula);
        let c_expression = c_expression::of_contexts(program, found, invariant.func, formulas);
        PlaceInvariant {
            location: span.and_then(|(span, _)| location(program, invariant.func, span)),
            calls: invariant.calls.iter().map(|(caller, _)| name(*caller)).collect(),
            is_loop: span.is_some_and(|(_, is_loop)| is_loop),
            formula: names.readable(
                Some(invariant.func),
                &found.terms.display(invariant.formula).to_string(),
            ),
            predicates: predicates(&found.terms, invariant.formula),
            c_expression,
        }
    };
    found.places.iter().map(place).collect()
}

/// The number of different predicates in a formula.
fn predicates(terms: &Terms, formula: Term) -> usize {
    let is_predicate =
        |term: &Term| terms.is_atom(*term) && !matches!(terms.op(*term), Op::True | Op::False);
    terms.subterms(&[formula]).iter().filter(|term| is_predicate(term)).count()
}
