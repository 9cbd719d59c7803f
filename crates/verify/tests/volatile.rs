//! Registers of devices, and `volatile` objects that anybody may change.

use gnomon_cfront::lower::volatile::Volatile;
use gnomon_verify::VerdictName::{False, True, Unknown};
use gnomon_verify::{Request, Silent, VerdictName, verify};

fn verdict(volatile: Volatile, text: &str) -> VerdictName {
    let text =
        format!("extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{text}");
    let mut request = Request::of_text(&text);
    request.preprocess.volatile = volatile;
    verify(&request, &Silent).expect("an outcome").verdict()
}

fn by_default(text: &str) -> VerdictName {
    verdict(Volatile::Program, text)
}

#[test]
fn a_register_is_any_value_at_each_read() {
    let twice = "int main(void) {
        unsigned a = *(volatile unsigned *)0x40001000, b = *(volatile unsigned *)0x40001000;
        if (a != b) reach_error(); }";
    assert_eq!(by_default(twice), False);
    let once = "int main(void) { unsigned a = *(volatile unsigned *)0x40001000;
        if ((a & 1) > 1) reach_error(); }";
    assert_eq!(by_default(once), True);
}

#[test]
fn what_is_written_to_a_register_is_not_seen_again() {
    let port = "struct port { unsigned control, data[4]; };
        #define PORT ((volatile struct port *)0x40002000)\n";
    let seen = format!(
        "{port} int main(void) {{ PORT->control = 7; if (PORT->control != 7) reach_error(); }}"
    );
    assert_eq!(by_default(&seen), False);
    let value = format!(
        "{port} int main(void) {{ int x = (PORT->control = 7); if (x != 7) reach_error(); }}"
    );
    assert_eq!(by_default(&value), True);
    let kept = format!(
        "{port} static unsigned sent; int main(void) {{
            for (int i = 0; __VERIFIER_nondet_int(); i = (i + 1) & 3) {{
                unsigned before = sent;
                PORT->data[i] = sent; PORT->control |= 1; PORT->control++;
                if (sent != before) reach_error();
                sent = before + 1; }} }}"
    );
    assert_eq!(by_default(&kept), True);
}

#[test]
fn a_loop_may_wait_for_a_register() {
    let waits = "int main(void) { unsigned char s;
        do s = *(volatile unsigned char *)0x3f8; while (!(s & 0x20));
        if (!(s & 0x20)) reach_error(); }";
    assert_eq!(by_default(waits), True);
    let again = "int main(void) { while (!(*(volatile unsigned char *)0x3f8 & 0x20)) ;
        if (!(*(volatile unsigned char *)0x3f8 & 0x20)) reach_error(); }";
    assert_eq!(by_default(again), False);
}

#[test]
fn volatile_variables_are_any_value_if_asked() {
    let flag = "volatile int flag; int main(void) { flag = 1; if (flag != 1) reach_error(); }";
    assert_eq!(verdict(Volatile::Program, flag), True);
    assert_eq!(verdict(Volatile::Any, flag), False);
    let copy =
        "volatile int flag; int main(void) { int a = flag, b = a; if (a != b) reach_error(); }";
    assert_eq!(verdict(Volatile::Any, copy), True);
    let behind = "int f(volatile int *p) { return *p - *p; }
        int main(void) { int x = 3; if (f(&x)) reach_error(); }";
    assert_eq!(verdict(Volatile::Program, behind), True);
    assert_eq!(verdict(Volatile::Any, behind), False);
}

#[test]
fn other_addresses_that_are_numbers_prove_nothing() {
    // A pointer that was stored, and an object that is not volatile.
    let stored = "int main(void) { volatile unsigned *p = (volatile unsigned *)0x40001000;
        if (*p != *p) reach_error(); }";
    assert_eq!(by_default(stored), Unknown);
    let plain = "int main(void) { if (*(unsigned *)0x40001000 == 3) reach_error(); }";
    assert_ne!(by_default(plain), True);
}
