//! Gnomon as a library: decides a small program twice, and shows what stands behind the verdicts.
//!
//! `cargo run -p gnomon-verify --example first`

use std::time::Duration;

use gnomon_verify::request::Wanted;
use gnomon_verify::{
    CheckKind, Outcome, Property, Request, Silent, VerdictName, VerifyError, verify,
};

const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int n = __VERIFIER_nondet_int(), i = 0;
    if (n < 0) return 1;
    while (i < n) i++;
    if (i != n) reach_error();
    return i + 1;
}
";

/// No error function is called: that is proved.
pub fn proved() -> Result<Outcome, VerifyError> {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let request = Request::of_text(PROGRAM).time(Duration::from_secs(60)).wanted(wanted);
    verify(&request, &Silent)
}

/// But signed arithmetic overflows.
pub fn violated() -> Result<Outcome, VerifyError> {
    let request = Request::of_text(PROGRAM)
        .property(Property::Undefined(CheckKind::Overflow))
        .time(Duration::from_secs(60));
    verify(&request, &Silent)
}

/// Shows both.
pub fn main() -> Result<(), VerifyError> {
    let outcome = proved()?;
    assert_eq!(outcome.verdict(), VerdictName::True);
    for proof in outcome.proofs() {
        println!("TRUE: {} ({:?})", proof.text, proof.certificate);
    }
    let outcome = violated()?;
    assert_eq!(outcome.verdict(), VerdictName::False);
    if let Some(run) = outcome.counterexample() {
        println!("FALSE: {} after {} steps", run.message, run.length);
        for step in &run.steps {
            println!("  line {}: {}", step.location.line, step.events().join(", "));
        }
    }
    for (name, number) in &outcome.work {
        println!("{name}: {number}");
    }
    Ok(())
}
