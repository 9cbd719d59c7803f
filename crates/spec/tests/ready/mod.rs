//! Programs woven with specs that come with gnomon.
#![allow(dead_code, reason = "each test program uses a part")]

use gnomon_spec::{Spec, Woven, library, parse, weave};
use gnomon_testkit::Reader;
use gnomon_testkit::corpus::Case;

/// A spec that comes with gnomon.
pub fn spec(name: &str) -> Spec {
    parse(library::find(name).expect("a ready spec").text).expect("a spec")
}

/// A test program with its spec, which has the options of the header.
pub fn woven(name: &str, case: &Case) -> Woven {
    let mut spec = spec(name);
    for (option, value) in &case.header.options {
        spec.set_option(option, value).expect("an option of the spec");
    }
    let reader = Reader::default().named(&case.name).with_models();
    weave(&reader.text(&case.text), "main", &[spec]).expect("woven")
}

/// A text with a spec.
pub fn woven_text(name: &str, text: &str) -> Woven {
    let program = Reader::default().with_models().text(text);
    weave(&program, "main", &[spec(name)]).expect("woven")
}
