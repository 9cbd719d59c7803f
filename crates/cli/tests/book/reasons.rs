//! Every reason for which a check has no answer has a section in the book. The functions here know
//! all of them: a new one does not compile until it has its section.

use gnomon_engine::reason::{NoProgress, NotConfirmed, Reason, Uncertified};

use crate::pages;

/// The section of a reason in `docs/unknown.md`.
fn section(reason: &Reason) -> &'static str {
    match reason {
        Reason::Limit(_) => "A limit was reached",
        Reason::Unsupported(_) => "Something is not supported",
        Reason::NotConfirmed(why) => not_confirmed(why),
        Reason::Uncertified(why) => uncertified(why),
        Reason::Undefined { .. } => "Undefined behaviour",
        Reason::OneOrderOnly { .. } => "The order of evaluation",
        Reason::Memory(_) => "Accesses to memory that are not proved",
        Reason::OneLayoutOnly { .. } => "Where objects lie in memory",
        Reason::NoProgress(why) => no_progress(why),
    }
}

fn not_confirmed(why: &NotConfirmed) -> &'static str {
    match why {
        NotConfirmed::Replay(_) => "Not confirmed: the run was not followed",
        NotConfirmed::Assembler { .. } => "Not confirmed: assembler",
        NotConfirmed::Rounding(_) => "Not confirmed: rounding",
        NotConfirmed::RandomNumbers => "Not confirmed: random numbers",
        NotConfirmed::NoExecution => "Not confirmed: nobody executes it",
    }
}

fn uncertified(why: &Uncertified) -> &'static str {
    match why {
        Uncertified::NoCertificate => "Uncertified: the proof leaves no certificate",
        Uncertified::NoSite => "Uncertified: calls through pointers",
        Uncertified::Undecided(_) => "Uncertified: the checker has no answer",
        Uncertified::Refused(_) => "Uncertified: the checker refuses the proof",
        Uncertified::NotAsked(_) => "Uncertified: the checker was not asked",
    }
}

fn no_progress(why: &NoProgress) -> &'static str {
    match why {
        NoProgress::SolverUnknown => "No progress: the solver returned unknown",
        NoProgress::Refinement(_) => "No progress: refinement ended",
        NoProgress::NotEnough(_) => "No progress: an engine did not succeed",
        NoProgress::Done(_) => "No progress: an engine has done its part",
        NoProgress::Contexts(_) => "No progress: bounded contexts",
        NoProgress::BadRequest(_) => "No progress: the request does not fit",
        NoProgress::Failed(_) => "No progress: a failure",
    }
}

#[test]
fn every_reason_has_its_section() {
    let text = || String::from("why");
    let reasons = [
        Reason::Limit(gnomon_budget::Exhausted::Time),
        Reason::unsupported(gnomon_engine::unsupported::Construct::UnknownCallee),
        Reason::Undefined { what: text(), at: None },
        Reason::OneOrderOnly { what: text(), at: None },
        Reason::Memory(Vec::new()),
        Reason::OneLayoutOnly { at: None },
    ];
    let not_confirmed = [
        NotConfirmed::Replay(gnomon_engine::replay::NotConfirmed::Infeasible),
        NotConfirmed::Assembler { at: None },
        NotConfirmed::Rounding(text()),
        NotConfirmed::RandomNumbers,
        NotConfirmed::NoExecution,
    ];
    let uncertified = [
        Uncertified::NoCertificate,
        Uncertified::NoSite,
        Uncertified::Undecided(text()),
        Uncertified::Refused(text()),
        Uncertified::NotAsked(text()),
    ];
    let no_progress = [
        NoProgress::SolverUnknown,
        NoProgress::Refinement(text()),
        NoProgress::NotEnough(text()),
        NoProgress::Done(text()),
        NoProgress::Contexts(1),
        NoProgress::BadRequest(text()),
        NoProgress::Failed(text()),
    ];
    let reasons = (reasons.into_iter())
        .chain(not_confirmed.map(Reason::NotConfirmed))
        .chain(uncertified.map(Reason::Uncertified))
        .chain(no_progress.map(Reason::NoProgress));
    let pages = pages::of_users();
    let page = pages.iter().find(|page| page.path.ends_with("unknown.md")).expect("the page");
    let headings = page.headings();
    for reason in reasons {
        let section = section(&reason);
        assert!(headings.iter().any(|heading| heading == section), "no section `{section}`");
    }
}
