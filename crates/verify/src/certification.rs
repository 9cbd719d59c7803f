//! The independent checker is asked about proofs, and what it says becomes part of the answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_certify::{Certificate, Mismatch, Outcome as Said, check};
use gnomon_engine::assumption::Assumption;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_engine::reason::Uncertified;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_ir::program::Program;
use gnomon_ir::property::Specification;
use gnomon_report::model::CertificateState;

use crate::certificate::{self, forbidden, program_hash};
use crate::decide::{self, Options, Report, SiteReport};
use crate::error::VerifyError;
use crate::groups::GroupReport;
use crate::listen::{Listener, NoCertificate, Note};
use crate::request::{Certify, Request};
use crate::task::Task;

/// What checking a certificate alone may take, unless the user says less.
const CHECK_TIME: Duration = Duration::from_secs(60);
/// What is told where the checker needs the facts of a certificate.
const TRUSTED: &str = "pointers point where the certificates of the proofs say";

/// What became of a proof.
pub(crate) struct Certified {
    /// This is known of its certificate.
    pub state: CertificateState,
    /// The certificate, if there is one.
    pub certificate: Option<Certificate>,
}

impl Certified {
    fn as_(state: CertificateState) -> Self {
        Self { state, certificate: None }
    }
}

/// Whose proofs are looked at.
pub(crate) struct Certification<'a> {
    pub program: &'a Program,
    /// What the user asked.
    pub asked: &'a Specification,
    /// What was decided.
    pub options: &'a Options,
    pub request: &'a Request,
    pub listener: &'a dyn Listener,
    pub budget: &'a Budget,
    /// What the checker has said already, of the proofs with these certificates.
    pub said: Mutex<Vec<(Certificate, Said)>>,
}

impl Certification<'_> {
    /// Makes the certificate of a proof, and asks the checker. Without its consent, and without a
    /// certificate, there is no verdict any more.
    pub fn whole(&self, report: &mut Report) -> Result<Certified, VerifyError> {
        self.one(report, self.request.wanted.certificate)
    }

    /// Asks the checker about a proof while other engines are still at work. One that it does not
    /// follow does not count, unless it had no time: then it is asked again when they are done.
    pub fn while_deciding(
        &self,
        proof: &Proof,
        memory: &MemoryFacts,
        budget: &Budget,
    ) -> Result<(), Reason> {
        if self.request.certify == Certify::Never {
            return Ok(());
        }
        let made = certificate::of(self.program, self.asked, self.options, proof, memory);
        let said = match made {
            Ok(Some(made)) if self.has_accepted(&made) => return Ok(()),
            Ok(Some(made)) => {
                checked(self.program, self.options, &made, budget).map(|said| (made, said))
            }
            Ok(None) => return Err(Reason::Uncertified(Uncertified::NoCertificate)),
            // It is said when the proof is looked at again.
            Err(_) => return Ok(()),
        };
        match said {
            Ok((_, Said::NotDecided(reason))) if budget.check_now().is_ok() => {
                Err(Reason::Uncertified(Uncertified::Undecided(reason)))
            }
            Ok((_, Said::NotDecided(_))) | Err(_) => Ok(()),
            Ok(said) => {
                self.said.lock().unwrap_or_else(PoisonError::into_inner).push(said);
                Ok(())
            }
        }
    }

    /// Whether the checker has accepted this certificate already.
    fn has_accepted(&self, certificate: &Certificate) -> bool {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_accepted = |said: &Said| matches!(said, Said::Accepted | Said::AcceptedTrusting(_));
        said.iter().any(|(of, said)| of == certificate && is_accepted(said))
    }

    /// The same where nobody wants to have the certificate.
    pub fn unwritten(&self, report: &mut Report) -> Result<CertificateState, VerifyError> {
        Ok(self.one(report, false)?.state)
    }

    fn one(&self, report: &mut Report, is_wanted: bool) -> Result<Certified, VerifyError> {
        let never = self.request.certify == Certify::Never;
        let not_checked = Certified::as_(CertificateState::NotChecked);
        let Verdict::True(proof) = &report.verdict else { return Ok(not_checked) };
        if never && !is_wanted {
            return Ok(not_checked);
        }
        let made = certificate::of(self.program, self.asked, self.options, proof, &report.memory)?;
        let Some(made) = made else {
            if is_wanted {
                self.listener.note(&Note::NoCertificate(NoCertificate::NoneLeft));
            }
            if !never {
                report.verdict = uncertified(Uncertified::NoCertificate);
            }
            return Ok(not_checked);
        };
        let state = match never {
            true => CertificateState::NotChecked,
            false => {
                self.budget
                    .report("certify", format_args!("the independent checker looks at the proof"));
                // Several engines may have a proof: what was said of another one does not count.
                let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
                let said = said.iter().find(|(of, _)| *of == made).map(|(_, said)| said.clone());
                let said = match said {
                    Some(said) => said,
                    None => checked(self.program, self.options, &made, self.budget)?,
                };
                match said {
                    Said::Accepted => CertificateState::Accepted,
                    Said::AcceptedTrusting(facts) => {
                        CertificateState::AcceptedTrusting(facts as u64)
                    }
                    Said::NotDecided(reason) => {
                        report.verdict = uncertified(Uncertified::Undecided(reason));
                        CertificateState::NotChecked
                    }
                    Said::Refused(reason) => {
                        let certificate = Box::new(made);
                        return Err(VerifyError::ProofRefused { reason, certificate });
                    }
                }
            }
        };
        Ok(Certified { state, certificate: is_wanted.then_some(made) })
    }

    /// The same for the proof of each site.
    pub fn each(&self, reports: &mut [SiteReport]) -> Result<Vec<CertificateState>, VerifyError> {
        if self.request.wanted.certificate {
            self.listener.note(&Note::NoCertificate(NoCertificate::EachSite));
        }
        let mut states = Vec::with_capacity(reports.len());
        for SiteReport { site, what, report } in reports {
            let Some(site) = *site else {
                let is_proved = matches!(report.verdict, Verdict::True(_));
                if self.request.certify != Certify::Never && is_proved {
                    report.verdict = uncertified(Uncertified::NoSite);
                }
                states.push(CertificateState::NotChecked);
                continue;
            };
            let property = Property { edges: vec![(site, what.clone())], ..Property::nothing() };
            let options = Options { property, ..self.options.clone() };
            let Self { program, asked, request, listener, budget, .. } = *self;
            let (options, said) = (&options, Mutex::default());
            let alone = Certification { program, asked, options, request, listener, budget, said };
            states.push(alone.unwritten(report)?);
        }
        Ok(states)
    }

    /// What the checker says of a proof about some sites: what it trusts, or why it is no proof.
    pub fn examined(
        program: &Program,
        asked: &Specification,
        options: &Options,
        proof: &Proof,
        memory: &MemoryFacts,
        sites: &ErrorSites,
        budget: &Budget,
    ) -> Result<Option<Assumption>, Reason> {
        let edges = sites.iter().map(|(site, what)| (site, what.to_owned())).collect();
        let property = Property { edges, ..Property::nothing() };
        let options = Options { property, ..options.clone() };
        let made = certificate::of(program, asked, &options, proof, memory);
        let said = match made {
            Ok(Some(made)) => checked(program, &options, &made, budget),
            Ok(None) => return Err(Reason::Uncertified(Uncertified::NoCertificate)),
            Err(error) => Err(error.into()),
        };
        match said {
            Ok(Said::Accepted) => Ok(None),
            Ok(Said::AcceptedTrusting(_)) => Ok(Some(Assumption::Other(TRUSTED.to_owned()))),
            Ok(Said::NotDecided(reason)) => {
                Err(Reason::Uncertified(Uncertified::Undecided(reason)))
            }
            Ok(Said::Refused(reason)) => Err(Reason::Uncertified(Uncertified::Refused(reason))),
            Err(error) => Err(Reason::Uncertified(Uncertified::NotAsked(error.to_string()))),
        }
    }
}

fn uncertified(why: Uncertified) -> Verdict {
    Verdict::Unknown(Reason::Uncertified(why))
}

/// What is known of the certificates of sites of automata. Proofs by the typestate analysis leave
/// none: where one is demanded, they are no proofs.
pub(crate) fn of_groups(groups: &mut [GroupReport], certify: Certify) -> Vec<CertificateState> {
    if certify == Certify::Never {
        return Vec::new();
    }
    let reports = groups.iter_mut().flat_map(|group| &mut group.sites);
    let state = |SiteReport { report, .. }: &mut SiteReport| match &report.verdict {
        Verdict::True(Proof::Typestate) if certify == Certify::Always => {
            report.verdict = uncertified(Uncertified::NoCertificate);
            CertificateState::NotChecked
        }
        Verdict::True(Proof::Typestate) => {
            CertificateState::NotDecided(Uncertified::NoCertificate.to_string())
        }
        Verdict::True(_) => CertificateState::Accepted,
        _ => CertificateState::NotChecked,
    };
    reports.map(state).collect()
}

/// What is known where all schedules were executed, which leaves no certificate.
pub(crate) fn of_schedules(report: &mut Report, certify: Certify) -> CertificateState {
    let why = Uncertified::NoCertificate;
    match (&report.verdict, certify) {
        (Verdict::True(_), Certify::Always) => {
            report.verdict = uncertified(why);
            CertificateState::NotChecked
        }
        (Verdict::True(_), Certify::WherePossible) => CertificateState::NotDecided(why.to_string()),
        _ => CertificateState::NotChecked,
    }
}

/// Asks the checker about runs from the entry that was asked for, whatever the certificate says.
fn checked(
    program: &Program,
    options: &Options,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Said, VerifyError> {
    let entry = decide::entry(program, options)?;
    Ok(check(program, entry, &forbidden(program, options)?, certificate, budget))
}

/// What a certificate of somebody is worth.
pub enum Judged {
    /// It is about something else than what is asked.
    Other(Mismatch),
    /// This is what the checker says.
    Said(Said),
}

/// Checks a certificate against a request: it must be about this program, entry and property.
pub fn certify(
    request: &Request,
    certificate: &Certificate,
    listener: &dyn Listener,
) -> Result<Judged, VerifyError> {
    let Task { program, options, .. } = Task::read(request, listener)?;
    if let Err(other) = certificate
        .is_about(&program_hash(&program), &crate::memory::without(&request.specification))
    {
        return Ok(Judged::Other(other));
    }
    let budget = Budget::unlimited().with_time(request.limits.time.min(CHECK_TIME));
    Ok(Judged::Said(checked(&program, &options, certificate, &budget)?))
}
