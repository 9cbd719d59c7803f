//! Every reason for which a check has no answer has a page in the book, with what to do about it. The
//! functions here know all of them: a new one does not compile until it has its page.

use gnomon_engine::reason::{NoProgress, NotConfirmed, Reason, Uncertified};

use crate::pages;

/// The page of a reason in `docs/unknown`.
fn page_of(reason: &Reason) -> &'static str {
    match reason {
        Reason::Limit(_) => "limit",
        Reason::Unsupported(_) => "not-supported",
        Reason::NotConfirmed(why) => not_confirmed(why),
        Reason::Uncertified(why) => uncertified(why),
        Reason::Undefined { .. } => "undefined",
        Reason::OneOrderOnly { .. } => "order",
        Reason::Memory(_) => "memory",
        Reason::OneLayoutOnly { .. } => "layout",
        Reason::NoProgress(why) => no_progress(why),
    }
}

fn not_confirmed(why: &NotConfirmed) -> &'static str {
    match why {
        NotConfirmed::Replay(_) => "not-followed",
        NotConfirmed::Assembler { .. } => "assembler",
        NotConfirmed::Rounding(_) => "rounding",
        NotConfirmed::RandomNumbers => "random-numbers",
        NotConfirmed::NoExecution => "not-executed",
    }
}

fn uncertified(why: &Uncertified) -> &'static str {
    match why {
        Uncertified::NoCertificate => "no-certificate",
        Uncertified::NoSite => "no-site",
        Uncertified::Undecided(_) => "no-answer",
        Uncertified::Refused(_) => "refused",
        Uncertified::NotAsked(_) => "not-asked",
    }
}

fn no_progress(why: &NoProgress) -> &'static str {
    match why {
        NoProgress::SolverUnknown => "solver",
        NoProgress::Refinement(_) => "refinement",
        NoProgress::NotEnough(_) => "engine",
        NoProgress::Done(_) => "done",
        NoProgress::Contexts(_) => "contexts",
        NoProgress::BadRequest(_) => "request",
        NoProgress::Failed(_) => "failure",
    }
}

#[test]
fn every_reason_has_its_page() {
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
    let index = pages.iter().find(|page| page.path.ends_with("unknown.md")).expect("the index");
    let mut linked: Vec<String> =
        index.links().into_iter().filter(|link| link.starts_with("unknown/")).collect();
    for reason in reasons {
        let name = format!("unknown/{}.md", page_of(&reason));
        let page = pages.iter().find(|page| page.path.ends_with(&name));
        let page = page.unwrap_or_else(|| panic!("there is no page {name}"));
        assert!(page.headings().iter().any(|heading| heading == "What to do"), "{name}: no cure");
        assert!(linked.contains(&name), "{name} is not in the index");
        linked.retain(|other| *other != name);
    }
    assert!(linked.is_empty(), "pages of no reason: {linked:?}");
}
