//! `gnomon check --each`: a verdict for every error site.

use std::fmt::Write;

use gnomon_engine::check::SiteReport;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::source_name;

use super::run_text::View;
use super::{explanation, notes, statistics};
use crate::args::CheckArgs;
use crate::exit::Status;

/// One line for every site, with what stands behind it, and the verdict of all together.
pub fn text(view: &View<'_>, reports: &[SiteReport], args: &CheckArgs) -> String {
    let program = view.program;
    let mut text = notes(program);
    let mut assumptions: Vec<&String> =
        reports.iter().flat_map(|r| &r.report.assumptions).collect();
    assumptions.sort();
    assumptions.dedup();
    for assumption in assumptions {
        let _ = writeln!(text, "assumed: {assumption}");
    }
    for SiteReport { site, what, report } in reports {
        let place = site.and_then(|site| {
            let function = &program.funcs[site.func];
            let span = function.body.as_ref()?.edge(site.edge).span;
            Some(format!("{} in {}: ", program.files.show(span), source_name(&function.name)))
        });
        let verdict = match &report.verdict {
            Verdict::True(_) => "TRUE".to_owned(),
            Verdict::False(_) => "FALSE".to_owned(),
            Verdict::Unknown(reason) => format!("UNKNOWN ({reason})"),
        };
        let _ = writeln!(text, "{}{what}: {verdict}", place.unwrap_or_default());
        if args.stats {
            text += &statistics(&report.statistics);
        }
        text += &explanation(view, &report.verdict, args);
    }
    let [proved, violated, open] = counts(reports);
    let _ = writeln!(text, "{proved} proved, {violated} violated, {open} unknown");
    text += match status(reports) {
        Status::False => "VERDICT: FALSE\n",
        Status::Unknown => "VERDICT: UNKNOWN (some sites are not decided)\n",
        _ => "VERDICT: TRUE\n",
    };
    text
}

/// How many are proved, violated and unknown.
fn counts(reports: &[SiteReport]) -> [usize; 3] {
    let mut counts = [0; 3];
    for report in reports {
        counts[match report.report.verdict {
            Verdict::True(_) => 0,
            Verdict::False(_) => 1,
            Verdict::Unknown(_) => 2,
        }] += 1;
    }
    counts
}

/// False if one is violated, else unknown if one is.
pub fn status(reports: &[SiteReport]) -> Status {
    match counts(reports) {
        [_, 0, 0] => Status::True,
        [_, 0, _] => Status::Unknown,
        _ => Status::False,
    }
}
