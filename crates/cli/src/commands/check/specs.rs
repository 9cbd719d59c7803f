//! `gnomon check --spec`: property automata, with a verdict for every place where one of them can
//! be violated.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::io::{IsTerminal, stderr};

use gnomon_budget::Budget;
use gnomon_certify::Outcome;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::{ErrorSites, Property, Site};
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_report::model::{CertificateState, Report};
use gnomon_report::terminal;
use gnomon_spec::{Automaton, Spec, Transition, Violation, Woven, history, library, parse, weave};
use gnomon_verify::decide::{Options, SiteReport};
use gnomon_verify::groups::{GroupOptions, GroupReport, check_groups};

use super::outputs::NONE_LEFT;
use super::{certificate, text};
use crate::STACK_BYTES;
use crate::args::CheckArgs;
use crate::commands::specs::no_such_spec;
use crate::exit::Failure;
use crate::output;

/// The automata in a program.
pub struct Automata {
    specs: Vec<Spec>,
    violations: BTreeMap<Site, Violation>,
    transitions: BTreeMap<(FuncId, EdgeId), Transition>,
    /// By the number of the spec.
    in_program: Vec<Automaton>,
}

/// Puts the specs that the arguments name into the program, and their errors into the property.
pub fn woven(
    args: &CheckArgs,
    entry: &str,
    program: &mut Program,
    property: &mut Property,
    inserted: &mut BTreeSet<(FuncId, EdgeId)>,
) -> Result<Automata, Failure> {
    let specs: Vec<Spec> =
        args.specs.names.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
    let woven = weave(program, entry, &specs).map_err(Failure::error)?;
    let in_program = woven.automata(entry);
    let Woven { program: with_specs, violations, transitions, inserted: new, moved, .. } = woven;
    *program = with_specs;
    let now = |func: FuncId, edge: EdgeId| moved.get(&(func, edge)).copied();
    *inserted = inserted.iter().filter_map(|&(f, edge)| Some((f, now(f, edge)?))).collect();
    inserted.extend(&new);
    // Only what was asked for is an error.
    property.functions.clear();
    for (site, _) in &mut property.edges {
        site.edge = now(site.func, site.edge).unwrap_or(site.edge);
    }
    let violations: BTreeMap<Site, Violation> =
        violations.into_iter().map(|v| (Site { func: v.func, edge: v.edge }, v)).collect();
    property.edges.extend(violations.iter().map(|(site, violation)| {
        (*site, format!("{}: {}", specs[violation.spec].name, violation.message))
    }));
    Ok(Automata { specs, violations, transitions, in_program })
}

/// `NAME` or `FILE.spec`, with options behind colons.
fn named(argument: &str) -> Result<Spec, Failure> {
    let mut parts = argument.split(':');
    let name = parts.next().unwrap_or_default();
    let mut spec = if name.ends_with(".spec") {
        let text =
            fs::read_to_string(name).map_err(|error| Failure::error(format!("{name}: {error}")))?;
        parse(&text).map_err(|error| {
            Failure::rendered(format!("{name}:{}: error: {}", error.at, error.message))
        })?
    } else {
        let ready = library::find(name).ok_or_else(|| no_such_spec(name))?;
        parse(ready.text).map_err(|error| Failure::error(format!("spec {name}: {error}")))?
    };
    for option in parts {
        let set = option.split_once('=').and_then(|(name, value)| spec.set_option(name, value));
        set.ok_or_else(|| {
            Failure::error(format!(
                "`{option}` is no option of spec `{}`: see gnomon specs",
                spec.name
            ))
        })?;
    }
    Ok(spec)
}

/// Checks all groups. The independent checker looks at what the engines prove, if it `certifies`.
pub fn check(
    program: &Program,
    automata: &Automata,
    options: &Options,
    args: &CheckArgs,
    certifies: bool,
    budget: &Budget,
) -> Result<Vec<GroupReport>, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.specs.jobs.unwrap_or(processors);
    let how = GroupOptions { time: args.specs.group_time, jobs, stack: STACK_BYTES };
    let bar = stderr().is_terminal() && !args.verbose && !args.quiet;
    let told = |done: usize, all: usize| {
        if bar {
            output::progress_bar(done, all);
        }
    };
    let examine = |proof: &Proof, memory: &MemoryFacts, sites: &ErrorSites, budget: &Budget| {
        match certifies {
            true => examined(program, options, proof, memory, sites, budget),
            false => Ok(None),
        }
    };
    check_groups(program, options, &automata.in_program, how, budget, &told, &examine)
        .map_err(Failure::error)
}

/// What is told where the checker needs the facts of a certificate.
const TRUSTED: &str = "pointers point where the certificates of the proofs say";

/// What the checker says of a proof about some sites: what it trusts, or why it is no proof.
fn examined(
    program: &Program,
    options: &Options,
    proof: &Proof,
    memory: &MemoryFacts,
    sites: &ErrorSites,
    budget: &Budget,
) -> Result<Option<String>, Reason> {
    let edges = sites.iter().map(|(site, what)| (site, what.to_owned())).collect();
    let property = Property { edges, ..Property::nothing() };
    let options = Options { property, ..options.clone() };
    let certificate = certificate::of(program, &options, proof, memory);
    let outcome = certificate.and_then(|made| match made {
        Some(made) => certificate::checked(program, &options, &made, budget),
        None => Ok(Outcome::NotDecided(NONE_LEFT.to_owned())),
    });
    match outcome {
        Ok(Outcome::Accepted) => Ok(None),
        Ok(Outcome::AcceptedTrusting(_)) => Ok(Some(TRUSTED.to_owned())),
        Ok(Outcome::NotDecided(reason)) => Err(Reason::Uncertified(reason)),
        Ok(Outcome::Refused(reason)) => {
            Err(Reason::Uncertified(format!("the checker refuses the proof, a bug: {reason}")))
        }
        Err(failure) => Err(Reason::Uncertified(failure.to_string())),
    }
}

/// What is known of the certificates of sites. Proofs by the typestate analysis leave none: where
/// one is `demanded`, they are no proofs.
pub fn certificates(groups: &mut [GroupReport], demanded: bool) -> Vec<CertificateState> {
    let reports = groups.iter_mut().flat_map(|group| &mut group.sites);
    let state = |SiteReport { report, .. }: &mut SiteReport| match &report.verdict {
        Verdict::True(Proof::Typestate) if demanded => {
            report.verdict = Verdict::Unknown(Reason::Uncertified(NONE_LEFT.to_owned()));
            CertificateState::NotChecked
        }
        Verdict::True(Proof::Typestate) => CertificateState::NotDecided(NONE_LEFT.to_owned()),
        Verdict::True(_) => CertificateState::Accepted,
        _ => CertificateState::NotChecked,
    };
    reports.map(state).collect()
}

/// What is known of every site, in order.
pub fn site_reports(groups: &[GroupReport]) -> Vec<SiteReport> {
    groups.iter().flat_map(|group| group.sites.iter().cloned()).collect()
}

/// Every site with what is known of it, and a table.
pub fn text(
    program: &Program,
    automata: &Automata,
    groups: &[GroupReport],
    report: &Report,
    args: &CheckArgs,
) -> String {
    let last = terminal::verdict_line(report);
    if args.quiet {
        return last;
    }
    let (sources, style) = (text::sources(report), text::style());
    let sites = groups.iter().flat_map(|group| &group.sites);
    let mut text = String::new();
    for (finding, site) in report.findings.iter().zip(sites) {
        if let Some(at) = &finding.location {
            let _ = write!(text, "{}:{}:{} in {}: ", at.file, at.line, at.column, at.function);
        }
        let _ = writeln!(text, "{}", finding.what);
        for line in terminal::finding(finding, &sources, style, "").lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let (Verdict::False(run), Some(site)) = (&site.report.verdict, site.site) {
            let edges = run.edges.iter().map(|e| (e.func, e.edge));
            text += &automata.history(program, site, edges);
        }
    }
    if args.stats {
        for group in groups {
            let name = source_name(&program.funcs[group.func].name);
            let _ = writeln!(text, "{name}: {:.2} seconds", group.time.as_secs_f64());
            for site in &group.sites {
                text += &text::statistics(&site.report.statistics);
            }
        }
    }
    text += &terminal::assumptions(report);
    text += &automata.table(groups);
    text + &last
}

/// How many are proved, violated and unknown.
type Counts = [usize; 3];

fn column(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::True(_) => 0,
        Verdict::False(_) => 1,
        Verdict::Unknown(_) => 2,
    }
}

impl Automata {
    /// What happened to the watched value.
    fn history(
        &self,
        program: &Program,
        site: Site,
        edges: impl Iterator<Item = (FuncId, EdgeId)>,
    ) -> String {
        let Some(violation) = self.violations.get(&site) else { return String::new() };
        let mut text = format!("  history by spec {}:\n", self.specs[violation.spec].name);
        for entry in history(&self.transitions, violation, edges) {
            let _ = writeln!(text, "    {}: {}", program.files.show(entry.span), entry.text);
        }
        text
    }

    /// The name of the spec that a site belongs to.
    fn spec_of(&self, site: Option<Site>) -> &str {
        site.and_then(|site| self.violations.get(&site))
            .map_or("(others)", |v| &self.specs[v.spec].name)
    }

    /// How many sites of each spec are what, and why some are unknown.
    fn table(&self, groups: &[GroupReport]) -> String {
        let mut rows: BTreeMap<&str, Counts> =
            self.specs.iter().map(|spec| (spec.name.as_str(), [0; 3])).collect();
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for SiteReport { site, report, .. } in groups.iter().flat_map(|group| &group.sites) {
            rows.entry(self.spec_of(*site)).or_default()[column(&report.verdict)] += 1;
            if let Verdict::Unknown(reason) = &report.verdict {
                *reasons.entry(reason.to_string()).or_default() += 1;
            }
        }
        let mut text = format!(
            "{:<14}{:>8}{:>10}{:>10}{:>10}\n",
            "spec", "sites", "proved", "violated", "unknown"
        );
        for (name, [proved, violated, unknown]) in rows {
            let sites = proved + violated + unknown;
            let _ = writeln!(text, "{name:<14}{sites:>8}{proved:>10}{violated:>10}{unknown:>10}");
        }
        let _ = writeln!(text, "groups: {}", groups.len());
        for (reason, count) in reasons {
            let _ = writeln!(text, "unknown: {count}, because: {reason}");
        }
        text
    }
}
