//! Generated programs of any size for the cost of projections.
//!
//! A program has modules with three states each. A module is stepped with an event, may step its
//! neighbour, itself or nothing on the way, and looks at its neighbour's state afterwards, so states
//! hang together all along the chain. An error lies in a module of choice.

use std::fmt::Write as _;

/// The shape of a program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many modules.
    pub modules: usize,
    /// In which module the error is.
    pub error_in: usize,
    /// Whether modules step themselves.
    pub recursive: bool,
}

/// The states of a module that are worth a predicate.
pub const STATES: [i64; 2] = [1, 2];

/// The name of the variable with the state of a module.
pub fn state(module: usize) -> String {
    format!("state_{module}")
}

/// The text of a program.
pub fn text(shape: Shape) -> String {
    let mut text =
        String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    for module in 0..shape.modules {
        let _ = writeln!(text, "static int state_{module};");
    }
    for module in (0..shape.modules).rev() {
        let next = (module + 1 < shape.modules).then_some(module + 1);
        let _ = writeln!(text, "static void step_{module}(int event)\n{{");
        let _ = writeln!(
            text,
            "    if (state_{module} == 0 && event == 0)\n        state_{module} = 1;"
        );
        let _ = writeln!(
            text,
            "    else if (state_{module} == 1 && event == 1)\n        state_{module} = 2;"
        );
        if shape.recursive {
            let _ = writeln!(
                text,
                "    if (state_{module} == 1 && __VERIFIER_nondet_int())\n        step_{module}(1);"
            );
        }
        if let Some(next) = next {
            let _ = writeln!(
                text,
                "    if (state_{module} == 2)\n        step_{next}(__VERIFIER_nondet_int());\n    \
                 if (state_{module} == 2 && state_{next} == 2)\n        state_{module} = 0;"
            );
        }
        if module == shape.error_in {
            let _ = writeln!(
                text,
                "    if (state_{module} == 2 && event == 7)\n        reach_error();"
            );
        }
        text.push_str("}\n");
    }
    text.push_str(
        "int main(void)\n{\n    while (__VERIFIER_nondet_int())\n        \
         step_0(__VERIFIER_nondet_int());\n    return 0;\n}\n",
    );
    text
}
