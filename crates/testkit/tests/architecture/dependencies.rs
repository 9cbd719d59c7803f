//! The crates and what they depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::document::{quoted, table};

/// In the table, for a crate that composes the others.
const ALL: &str = "all";

/// A crate of the workspace: what it depends on, without its tests and with them.
#[derive(Default)]
struct Crate {
    own: BTreeSet<String>,
    for_tests: BTreeSet<String>,
    others: BTreeSet<String>,
}

fn crates() -> BTreeMap<String, Crate> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(crate::root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(|package| (folder(package), dependencies(package))).collect()
}

/// The folder of a package, which is what documents call the crate.
fn folder(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().expect("a path");
    manifest.rsplit('/').nth(1).expect("a folder").to_owned()
}

fn dependencies(package: &Value) -> Crate {
    let mut found = Crate::default();
    for dependency in package["dependencies"].as_array().expect("dependencies") {
        let name = dependency["name"].as_str().expect("a name");
        let is_normal = dependency["kind"].is_null();
        match (name.strip_prefix("gnomon-"), is_normal) {
            (Some(own), true) => found.own.insert(own.to_owned()),
            (Some(own), false) => found.for_tests.insert(own.to_owned()),
            (None, _) => found.others.insert(name.to_owned()),
        };
    }
    found
}

#[test]
fn the_table_says_what_crates_depend_on() {
    let crates = crates();
    let mut wrong = Vec::new();
    let mut told = BTreeSet::new();
    for row in table("The crates") {
        let [name] = &quoted(&row[0])[..] else { panic!("one crate a row: {row:?}") };
        told.insert(name.clone());
        let Some(found) = crates.get(name) else {
            wrong.push(format!("`{name}` is in the table, but there is no such crate"));
            continue;
        };
        let said: BTreeSet<String> = quoted(&row[2]).into_iter().collect();
        if row[2] != ALL && said != found.own {
            let own: Vec<String> = found.own.iter().map(|name| format!("`{name}`")).collect();
            wrong.push(format!("`{name}` depends on {}, not on {}", own.join(", "), row[2]));
        }
    }
    let missing = crates.keys().filter(|name| !told.contains(*name));
    wrong.extend(missing.map(|name| format!("`{name}` is not in the table")));
    assert!(wrong.is_empty(), "ARCHITECTURE.md, the crates:\n{}", wrong.join("\n"));
}

#[test]
fn only_tests_use_the_test_kit() {
    for (name, found) in crates() {
        assert!(!found.own.contains("testkit"), "{name} needs the test kit for more than tests");
    }
}

#[test]
fn the_checker_of_proofs_knows_no_engine() {
    let crates = crates();
    for engine in ["engine", "flow", "verify", "predabs", "dataflow"] {
        assert!(!crates["certify"].own.contains(engine), "certify depends on {engine}");
    }
}

#[test]
fn every_foreign_crate_has_a_reason() {
    let told: BTreeSet<String> = table("Dependencies")
        .iter()
        .flat_map(|row| [quoted(&row[0]), quoted(&row[1])].concat())
        .collect();
    let used: BTreeSet<String> = crates().into_values().flat_map(|c| c.others).collect();
    let missing: Vec<&String> = used.difference(&told).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md says nothing of {missing:?}");
}
