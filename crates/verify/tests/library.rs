//! The library as its users see it: the example, and requests that are refused by name.

use gnomon_certify::Certificate;
use gnomon_cfront::load::LoadError;
use gnomon_ir::property::CheckKind;
use gnomon_report::model::CertificateState;
use gnomon_verify::certification::{Judged, certify};
use gnomon_verify::request::{Certify, Wanted};
use gnomon_verify::{Input, Property, Request, Silent, VerdictName, VerifyError, verify};

#[path = "../examples/first.rs"]
#[expect(dead_code, reason = "the example has a function that runs it")]
mod first;

#[test]
fn the_example_works() {
    let outcome = first::proved().expect("an outcome");
    assert_eq!(outcome.verdict(), VerdictName::True);
    assert!(outcome.certificate.is_some());
    let states: Vec<_> = outcome.proofs().map(|proof| proof.certificate.clone()).collect();
    assert_eq!(states, [CertificateState::Accepted]);
    let numbers: Vec<u64> = outcome.work.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, [1, 1, 1], "{:?}", outcome.work);

    let outcome = first::violated().expect("an outcome");
    assert_eq!(outcome.verdict(), VerdictName::False);
    let overflow = Property::Undefined(CheckKind::Overflow);
    assert_eq!(outcome.report.findings[0].property.as_ref(), Some(&overflow));
    assert!(outcome.report.task.forbidden.contains(&overflow));
    let run = outcome.counterexample().expect("a run");
    assert_eq!(run.location.as_ref().map(|at| (at.file.as_str(), at.line)), Some(("text.c", 9)));
}

#[test]
fn what_cannot_be_done_is_a_value() {
    let of = |request: Request| verify(&request, &Silent).err().expect("no outcome");
    let error = of(Request::of_files(["/nowhere/at/all.c"]));
    assert_eq!(error.to_string(), "/nowhere/at/all.c: there is no such file");
    let error = of(Request::of_text("int main(void) { return ; x }"));
    assert!(matches!(&error, VerifyError::Load(LoadError::Rejected(_))) && error.is_rendered());
    let error = of(Request::of_text("int f(void) { return 0; }"));
    assert_eq!(error.to_string(), "there is no function `main` to start from");
    let main = "int main(void) { return 0; }";
    assert!(matches!(of(Request::of_text(main).spec("no_such")), VerifyError::NoSuchSpec { .. }));
    let both = Request::of_text(main).property(Property::Spec("file".into()));
    assert!(matches!(of(both), VerifyError::Mixed));
}

#[test]
fn every_site_has_a_verdict_of_its_own() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int main(void) { int x = __VERIFIER_nondet_int();
            if (x > 10) { if (x < 5) reach_error(); if (x == 77) reach_error(); } return 0; }";
    let outcome = verify(&Request::of_text(text).each(), &Silent).expect("an outcome");
    let verdicts: Vec<_> = outcome.report.findings.iter().map(|f| f.answer.verdict()).collect();
    assert_eq!(verdicts, [VerdictName::True, VerdictName::False]);
    let called = Some(Property::Call("reach_error".into()));
    assert!(outcome.report.findings.iter().all(|finding| finding.property == called));
}

#[test]
fn threads_are_read_once() {
    let text = "typedef unsigned long pthread_t;
        extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
        extern int pthread_join(pthread_t, void **);
        extern void reach_error(void);
        int shared;
        void *work(void *x) { shared = 1; return x; }
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0);
            if (shared) reach_error(); pthread_join(t, 0); return 0; }";
    let inputs = vec![Input::text("threads.i", text)];
    let outcome = verify(&Request::of(inputs), &Silent).expect("an outcome");
    assert_eq!(outcome.verdict(), VerdictName::False);
    assert!(outcome.sequential.is_some() && !outcome.rows.is_empty());
    assert_eq!(outcome.work[0], ("preprocessor calls", 0));
    assert_eq!(outcome.work[1], ("files parsed", 1));
    let property = outcome.report.findings[0].property.clone();
    assert_eq!(property, Some(Property::Call("reach_error".into())));
}

#[test]
fn certificates_say_what_they_are_about() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int other(void) { int x = __VERIFIER_nondet_int(); if (x != x) reach_error(); return 0; }
        int main(void) { other(); return 0; }";
    let request = Request::of_text(text);
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let outcome = verify(&request.clone().wanted(wanted), &Silent).expect("an outcome");
    let certificate = outcome.certificate.expect("a certificate");
    let json = certificate.to_json().expect("JSON");
    let certificate = Certificate::read(&json).expect("a certificate");
    let judged = |request: &Request| match certify(request, &certificate, &Silent) {
        Ok(Judged::Other(mismatch)) => mismatch.to_string(),
        Ok(Judged::Said(said)) => format!("{said:?}"),
        Err(error) => panic!("{error}"),
    };
    assert_eq!(judged(&request), "Accepted");
    let elsewhere = request.clone().entry("other");
    assert_eq!(judged(&elsewhere), "the certificate is about runs of `main`, not of `other`");
    let more = request.clone().property(Property::Call("other".into()));
    assert!(judged(&more).starts_with("the certificate is about another property: "));
    let changed = Request::of_text(&text.replace("!=", ">"));
    assert_eq!(judged(&changed), "the certificate is of another program, or another version");
    let newer = json.replacen("\"version\":3", "\"version\":4", 1);
    let error = Certificate::read(&newer).expect_err("another version");
    assert_eq!(
        error.to_string(),
        "the certificate has version 4, and this checker reads version 3"
    );
    let never = Request { certify: Certify::Never, ..request };
    assert_eq!(verify(&never, &Silent).expect("an outcome").verdict(), VerdictName::True);
}
