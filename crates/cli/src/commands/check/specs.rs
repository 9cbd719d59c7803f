//! What `gnomon check --spec` says: every site with what is known of it, and a table.

use std::collections::BTreeMap;
use std::fmt::Write;

use gnomon_engine::property::Site;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::source_name;
use gnomon_report::model::VerdictName;
use gnomon_report::terminal;
use gnomon_verify::Outcome;
use gnomon_verify::decide::SiteReport;
use gnomon_verify::groups::GroupReport;
use gnomon_verify::specs::Automata;

use super::text;
use crate::args::CheckArgs;

/// Every site with what is known of it, and a table.
pub fn text(outcome: &Outcome, groups: &[GroupReport], args: &CheckArgs) -> String {
    let report = &outcome.report;
    let last = terminal::verdict_line(report);
    let Some(automata) = outcome.automata.as_ref().filter(|_| !args.quiet) else { return last };
    let program = &outcome.program;
    let (sources, style) = (text::sources(report), text::style());
    let sites = groups.iter().flat_map(|group| &group.sites);
    let mut text = String::new();
    for (finding, site) in report.findings.iter().zip(sites) {
        if args.failures_only && finding.answer.verdict() != VerdictName::False {
            continue;
        }
        if let Some(at) = &finding.location {
            let _ = write!(text, "{}:{}:{} in {}: ", at.file, at.line, at.column, at.function);
        }
        let _ = writeln!(text, "{}", finding.what);
        for line in terminal::finding(finding, &sources, style, args.length(), "").lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let (Verdict::False(run), Some(site)) = (&site.report.verdict, site.site) {
            let edges = run.edges.iter().map(|e| (e.func, e.edge));
            if let Some((name, steps)) = automata.history(program, site, edges) {
                let _ = writeln!(text, "  history by spec {name}:");
                for step in steps {
                    let _ = writeln!(text, "    {step}");
                }
            }
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
        text += &text::work(outcome);
    }
    text += &terminal::assumptions(report);
    text += &table(automata, groups);
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

/// The name of the spec that a site belongs to.
fn spec_of(automata: &Automata, site: Option<Site>) -> &str {
    site.and_then(|site| automata.spec_of(site)).map_or("(others)", |spec| &spec.name)
}

/// How many sites of each spec are what, and why some are unknown.
fn table(automata: &Automata, groups: &[GroupReport]) -> String {
    let mut rows: BTreeMap<&str, Counts> =
        automata.specs.iter().map(|spec| (spec.name.as_str(), [0; 3])).collect();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for SiteReport { site, report, .. } in groups.iter().flat_map(|group| &group.sites) {
        rows.entry(spec_of(automata, *site)).or_default()[column(&report.verdict)] += 1;
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
