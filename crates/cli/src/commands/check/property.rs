//! What must not be reached, from the command line: labels, lines, property files.

use std::path::Path;

use gnomon_engine::property::Property;
use gnomon_instrument::{CheckKind, Checks};

use crate::args::CheckArgs;
use crate::exit::Failure;

/// What the arguments ask for.
pub struct Requested {
    /// What must not be reached, without the checks.
    pub property: Property,
    /// Where runs begin.
    pub entry: String,
    /// Undefined behaviour that counts as an error.
    pub checks: Checks,
}

/// The property, the entry function and the checks that the arguments ask for.
pub fn requested(args: &CheckArgs) -> Result<Requested, Failure> {
    let mut property = Property { labels: args.error_label.clone(), ..Property::default() };
    for place in &args.reach {
        property.lines.push(line_of(place)?);
    }
    let mut entry = args.entry.clone();
    let mut checks = args.check.iter().copied().fold(Checks::NONE, Checks::union);
    if let Some(file) = &args.prp {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::error(format!("{}: {error}", file.display())))?;
        let checked = property_file(file, &text)?;
        entry = checked.entry;
        property.functions = match checked.forbidden {
            Forbidden::Call(function) => vec![function],
            Forbidden::Violation(kind) => {
                checks = checks.with(kind);
                Vec::new()
            }
            Forbidden::Race => Vec::new(),
        };
    }
    Ok(Requested { property, entry, checks })
}

/// Whether the property file asks for data races.
pub fn asks_for_races(args: &CheckArgs) -> Result<bool, Failure> {
    let Some(file) = &args.prp else { return Ok(false) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::error(format!("{}: {error}", file.display())))?;
    Ok(property_file(file, &text)?.forbidden == Forbidden::Race)
}

/// `FILE:LINE`.
fn line_of(place: &str) -> Result<(String, u32), Failure> {
    place
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)))
        .filter(|(file, _)| !file.is_empty())
        .ok_or_else(|| Failure::error(format!("`{place}` is no place: write FILE:LINE")))
}

/// What a property file of SV-COMP asks for.
#[derive(Debug, PartialEq, Eq)]
struct Checked {
    entry: String,
    forbidden: Forbidden,
}

/// What must not happen.
#[derive(Debug, PartialEq, Eq)]
enum Forbidden {
    Call(String),
    Violation(CheckKind),
    Race,
}

/// Reads `CHECK( init(main()), LTL(G ! call(reach_error())) )`,
/// `CHECK( init(main()), LTL(G ! overflow) )` and `CHECK( init(main()), LTL(G ! data-race) )`.
fn property_file(file: &Path, text: &str) -> Result<Checked, Failure> {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let parts = || {
        let rest = dense.strip_prefix("CHECK(init(")?;
        let (entry, rest) = rest.split_once("()),LTL(G!")?;
        let formula = rest.strip_suffix("))")?;
        let is_name = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_alphanumeric() || c == '_');
        let forbidden = match formula {
            "data-race" => Forbidden::Race,
            "overflow" => Forbidden::Violation(CheckKind::Overflow),
            _ => {
                let function = formula.strip_prefix("call(")?.strip_suffix("())")?;
                is_name(function).then(|| Forbidden::Call(function.to_owned()))?
            }
        };
        is_name(entry).then(|| Checked { entry: entry.to_owned(), forbidden })
    };
    parts().ok_or_else(|| {
        Failure::error(format!(
            "{}: only properties of the forms CHECK( init(main()), LTL(G ! call(reach_error())) ), \
             CHECK( init(main()), LTL(G ! overflow) ) and CHECK( init(main()), LTL(G ! data-race) ) \
             are supported so far",
            file.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read() {
        let text = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        let read = property_file(Path::new("p.prp"), text).expect("a property");
        let forbidden = Forbidden::Call("reach_error".into());
        assert_eq!(read, Checked { entry: "main".into(), forbidden });
        let text = "CHECK( init(main()), LTL(G ! overflow) )\n";
        let read = property_file(Path::new("p.prp"), text).expect("a property");
        assert_eq!(read.forbidden, Forbidden::Violation(CheckKind::Overflow));
        for other in
            ["", "CHECK( init(main()), LTL(F end) )", "CHECK(init(main()),LTL(G!call(())))"]
        {
            assert!(property_file(Path::new("p.prp"), other).is_err(), "{other}");
        }
    }

    #[test]
    fn places_are_a_file_and_a_line() {
        assert_eq!(line_of("a.c:12").expect("a place"), ("a.c".to_owned(), 12));
        assert!(line_of("a.c").is_err() && line_of(":3").is_err() && line_of("a.c:x").is_err());
    }
}
