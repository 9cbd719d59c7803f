//! One attempt at a unit, in a process of its own.
//!
//! All sites of the unit are decided together first. Where that finds an error, or in the last round
//! where nothing is known, each site is decided for itself: one error does not hide others, and what can
//! be proved is told.

use std::collections::BTreeSet;
use std::time::Duration;

use gnomon_budget::Exhausted;
use gnomon_certify::Certificate;
use gnomon_engine::verdict::{Reason, Verdict};
use gnomon_ir::property::Specification;
use gnomon_ir::text;
use gnomon_report::model::{Answer, Finding, Report, VerdictName};
use gnomon_report::sarif::rule;
use gnomon_verify::earlier::{Earlier, Shape};
use gnomon_verify::request::{Limits, Outside, Sites, Wanted};
use gnomon_verify::{Answers, Input, Outcome, Request, Silent, VerifyError, verify};

use crate::config::Group;
use crate::record::{Anchors, Record, Site, anchors};
use crate::unit::Unit;

/// What an attempt may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Processor time, in seconds.
    pub seconds: u64,
    /// Memory, in MB.
    pub memory: u64,
    /// Whether no other attempt follows.
    pub is_last: bool,
}

/// What an attempt brings.
#[derive(Debug)]
pub struct Attempted {
    /// What is kept.
    pub record: Record,
    /// The full report, if an error was found.
    pub report: Option<Report>,
    /// The certificate, if there is a proof with one, and the shape of its program.
    pub proof: Option<(String, String)>,
}

/// Reads an earlier proof: its certificate, and the shape of its program.
pub fn earlier(certificate: &str, shape: &str) -> Option<Earlier> {
    let (functions, bodies) = serde_json::from_str(shape).ok()?;
    let certificate = Certificate::read(certificate).ok()?;
    Some(Earlier { certificate, shape: Shape { functions, bodies } })
}

/// Tries to decide a unit. `before` is an earlier proof about something like it. Where the machine is to blame
/// (a file cannot be read), there is nothing to keep.
pub fn attempt(
    unit: &Unit,
    text: &str,
    limits: Attempt,
    before: Option<Earlier>,
) -> Result<Attempted, VerifyError> {
    let mut work = Work { unit, text, limits, before, anchors: Anchors::new() };
    let mut done = work.done()?;
    done.record.memory = most_memory();
    Ok(done)
}

struct Work<'a> {
    unit: &'a Unit,
    text: &'a str,
    limits: Attempt,
    before: Option<Earlier>,
    anchors: Anchors,
}

impl Work<'_> {
    fn done(&mut self) -> Result<Attempted, VerifyError> {
        let group = match Group::named(&self.unit.group) {
            Ok(group) => group,
            Err(problem) => return Ok(self.nothing(problem)),
        };
        let request = self.request(&group);
        let together = match verify(&request, &Silent) {
            Ok(outcome) => outcome,
            Err(error) if error.is_of_machine() => return Err(error),
            Err(error) => return Ok(self.nothing(error.to_string())),
        };
        let verdict = together.verdict();
        let mut attempted = self.attempted(&together);
        let again = match verdict {
            VerdictName::True => false,
            VerdictName::False => true,
            VerdictName::Unknown => self.limits.is_last && is_limited(&together, self.limits),
        };
        if again && group.has_single_sites() {
            let each = Request { sites: Sites::Each, ..request };
            if let Ok(each) = verify(&each, &Silent)
                && each.report.findings.len() > 1
            {
                self.add_sites(&mut attempted, &each.report);
            }
        }
        Ok(attempted)
    }

    fn request(&self, group: &Group) -> Request {
        let unit = self.unit;
        let name = format!("{}.ir", unit.entry);
        let mut request = Request::of(vec![Input::text(&name, self.text)]);
        request.specification =
            Specification { entry: unit.entry.clone(), properties: group.properties.clone() };
        request.spec_texts.clone_from(&unit.specs);
        request.outside = Outside { models: None, unknown: unit.unknown_functions.into() };
        request.engine.memory.allocation_may_fail |= unit.malloc_may_fail;
        request.engine.jobs = 1;
        request.groups.jobs = Some(1);
        request.groups.time = Duration::from_secs(self.limits.seconds);
        request.limits =
            Limits { time: Duration::from_secs(self.limits.seconds), memory: self.limits.memory };
        request.wanted = Wanted { certificate: true, ..Wanted::default() };
        request.earlier = self.before.clone();
        request
    }

    /// There is no outcome; another attempt would bring none either.
    fn nothing(&self, problem: String) -> Attempted {
        let record = unknown(&self.unit.key, self.limits, problem);
        Attempted { record, report: None, proof: None }
    }

    fn attempted(&mut self, outcome: &Outcome) -> Attempted {
        let report = &outcome.report;
        let findings: Vec<Site> = report.findings.iter().map(site).collect();
        let reason = report.findings.iter().find_map(|finding| match &finding.answer {
            Answer::Unknown(unknown) => Some(unknown.reason.clone()),
            _ => None,
        });
        let found = report.verdict == VerdictName::False;
        self.anchor(report);
        let record = Record {
            key: self.unit.key.clone(),
            verdict: report.verdict,
            reason,
            limited: report.verdict == VerdictName::Unknown && is_limited(outcome, self.limits),
            findings,
            assumptions: report.assumptions.iter().map(|a| a.text.clone()).collect(),
            engine: report.engine.clone(),
            tried: self.limits.seconds,
            lacked: lacks_memory(outcome).then_some(self.limits.memory),
            seconds: processor_seconds(),
            memory: 0,
            anchors: self.anchors.clone(),
        };
        Attempted {
            record,
            report: found.then(|| report.clone()),
            proof: outcome.certificate.as_ref().and_then(|certificate| {
                let Shape { functions, bodies } = Shape::of(&outcome.program, certificate);
                let shape = serde_json::to_string(&(functions, bodies)).ok()?;
                Some((certificate.to_json().ok()?, shape))
            }),
        }
    }

    /// Takes over what is known of single sites.
    fn add_sites(&mut self, attempted: &mut Attempted, report: &Report) {
        self.anchor(report);
        let record = &mut attempted.record;
        let known: Vec<Site> = std::mem::take(&mut record.findings);
        record.findings = report.findings.iter().map(site).collect();
        // An error that was found together may be open when asked alone, with less time.
        for before in known.into_iter().filter(|site| site.verdict == VerdictName::False) {
            let same = record.findings.iter_mut().find(|site| site.location == before.location);
            match same {
                Some(site) if site.verdict == VerdictName::Unknown => *site = before,
                Some(_) => {}
                None => record.findings.push(before),
            }
        }
        let has = |verdict| record.findings.iter().any(|site| site.verdict == verdict);
        record.verdict = match (has(VerdictName::False), has(VerdictName::Unknown)) {
            (true, _) => VerdictName::False,
            (false, true) => VerdictName::Unknown,
            (false, false) => VerdictName::True,
        };
        record.limited &= record.verdict == VerdictName::Unknown;
        if record.verdict != VerdictName::Unknown {
            record.reason = None;
        }
        record.seconds = processor_seconds();
        record.anchors = self.anchors.clone();
        if record.verdict == VerdictName::False {
            let mut full = report.clone();
            full.verdict = VerdictName::False;
            let first = attempted.report.take();
            let has_run = |finding: &Finding| matches!(finding.answer, Answer::Violated(_));
            // The run that was found together is kept, if the sites have none.
            match first {
                Some(first) if !full.findings.iter().any(has_run) => attempted.report = Some(first),
                _ => attempted.report = Some(full),
            }
        }
    }

    /// Remembers the places of functions that are named.
    fn anchor(&mut self, report: &Report) {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for finding in &report.findings {
            names.extend(finding.location.iter().map(|at| at.function.as_str()));
            if let Answer::Violated(run) = &finding.answer {
                names.extend(run.location.iter().map(|at| at.function.as_str()));
                names.extend(run.steps.iter().map(|step| step.location.function.as_str()));
            }
        }
        names.retain(|name| !self.anchors.contains_key(*name));
        if names.is_empty() {
            return;
        }
        if let Ok(program) = text::parse(self.text) {
            let functions = program.funcs.ids();
            self.anchors.extend(anchors(&program, functions, |name| names.contains(name)));
        }
    }
}

fn site(finding: &Finding) -> Site {
    let (what, reason, location) = match &finding.answer {
        Answer::Proved(_) => (finding.what.clone(), None, None),
        Answer::Violated(run) => (run.message.clone(), None, run.location.clone()),
        Answer::Unknown(unknown) => (finding.what.clone(), Some(unknown.reason.clone()), None),
    };
    Site {
        rule: rule(finding).0,
        what,
        verdict: finding.answer.verdict(),
        reason,
        location: finding.location.clone().or(location),
    }
}

/// Whether more time or memory may bring more: a limit was reached, or most of the time is gone.
fn is_limited(outcome: &Outcome, limits: Attempt) -> bool {
    let limited = |verdict: &Verdict| match verdict {
        Verdict::Unknown(Reason::Limit(_)) => true,
        Verdict::Unknown(_) => processor_seconds() * 2.0 >= limits.seconds as f64,
        _ => false,
    };
    match &outcome.answers {
        Answers::Whole(report) => limited(&report.verdict),
        Answers::Each(sites) => sites.iter().any(|site| limited(&site.report.verdict)),
        Answers::Groups(groups) => {
            groups.iter().flat_map(|g| &g.sites).any(|site| limited(&site.report.verdict))
        }
    }
}

/// Whether there would be more with more memory.
fn lacks_memory(outcome: &Outcome) -> bool {
    let lacks =
        |verdict: &Verdict| matches!(verdict, Verdict::Unknown(Reason::Limit(Exhausted::Memory)));
    match &outcome.answers {
        Answers::Whole(report) => lacks(&report.verdict),
        Answers::Each(sites) => sites.iter().any(|site| lacks(&site.report.verdict)),
        Answers::Groups(groups) => {
            groups.iter().flat_map(|g| &g.sites).any(|site| lacks(&site.report.verdict))
        }
    }
}

/// What is known of a unit whose worker used more memory than it may: nothing, but more memory may bring more.
pub fn over_memory(key: &str, limits: Attempt, used: u64) -> Record {
    let reason = format!("more than {} MB of memory were used", limits.memory);
    let mut record = unknown(key, limits, reason);
    (record.limited, record.lacked) = (true, Some(limits.memory));
    (record.memory, record.seconds) = (used, processor_seconds());
    record
}

fn unknown(key: &str, limits: Attempt, reason: String) -> Record {
    Record {
        key: key.to_owned(),
        verdict: VerdictName::Unknown,
        reason: Some(reason),
        limited: false,
        findings: Vec::new(),
        assumptions: Vec::new(),
        engine: None,
        tried: limits.seconds,
        lacked: None,
        seconds: 0.0,
        memory: 0,
        anchors: Anchors::new(),
    }
}

/// This process and those that it has started, with theirs.
pub fn family() -> Vec<u32> {
    let mut all = vec![std::process::id()];
    let mut next = 0;
    while let Some(&process) = all.get(next) {
        next += 1;
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
        for thread in threads.flatten() {
            let children = std::fs::read_to_string(thread.path().join("children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    all
}

/// What some processes have in memory together, in MB.
pub fn memory_of(processes: &[u32]) -> u64 {
    let resident = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        kilobytes(&status, "VmRSS:")
    };
    processes.iter().filter_map(resident).sum::<u64>() / 1024
}

fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// The most memory that this process had, in MB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "VmHWM:").unwrap_or(0) / 1024
}

/// What this process used of processors, in seconds.
fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
