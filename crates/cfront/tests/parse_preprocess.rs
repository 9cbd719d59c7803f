//! From a C file through the compiler's preprocessor to a tree with the user's own places.

use std::fs;

use gnomon_cfront::dump;
use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::preprocess::{
    Machine, PreprocessError, PreprocessOptions, PreprocessorFlag, load,
};

#[test]
fn places_and_macros_are_those_of_the_compiler() {
    let dir = tempfile::tempdir().unwrap();
    let include = dir.path().join("include");
    fs::create_dir(&include).unwrap();
    fs::write(include.join("header.h"), "/* one */\ntypedef VALUE value;\n").unwrap();
    let main = dir.path().join("main.c");
    fs::write(&main, "#include \"header.h\"\n\nvalue x;\n#ifdef GONE\nint gone;\n#endif\n")
        .unwrap();
    let options = PreprocessOptions {
        flags: vec![
            PreprocessorFlag::IncludeDir(include),
            PreprocessorFlag::Define("VALUE=long".to_owned()),
            PreprocessorFlag::Define("GONE".to_owned()),
            PreprocessorFlag::Undefine("GONE".to_owned()),
        ],
        ..PreprocessOptions::default()
    };
    let loaded = load(&main, &options).unwrap();
    let parsed = parse(&loaded.source, &ParseOptions::default());
    assert!(!parsed.has_errors());
    assert_eq!(
        dump::dump(&parsed.ast, &parsed.interner),
        "(typedef value: long)\n(declare x: value)\n"
    );
    let places: Vec<(String, u32, u32)> = parsed
        .ast
        .items
        .iter()
        .map(|&item| {
            let place = loaded.source.resolve(parsed.ast[item].span.lo);
            (place.file.rsplit('/').next().unwrap().to_owned(), place.line, place.column)
        })
        .collect();
    assert_eq!(places, [("header.h".to_owned(), 2, 1), ("main.c".to_owned(), 3, 1)]);
}

#[test]
fn system_headers_parse_and_are_known_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.c");
    fs::write(&main, "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\nint x;\n")
        .unwrap();
    for standard in [None, Some("c99"), Some("gnu11")] {
        let options = PreprocessOptions {
            standard: standard.map(str::to_owned),
            ..PreprocessOptions::default()
        };
        let loaded = load(&main, &options).unwrap();
        let dialect = options.dialect();
        let parsed = parse(&loaded.source, &ParseOptions { dialect, ..ParseOptions::default() });
        assert_eq!(parsed.diagnostics, []);
        let lo = |item: usize| parsed.ast[parsed.ast.items[item]].span.lo;
        assert!(loaded.source.resolve(lo(0)).in_system_header);
        let last = parsed.ast.items.len() - 1;
        assert!(!loaded.source.resolve(lo(last)).in_system_header);
    }
}

#[test]
fn preprocessed_files_are_taken_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("latin1.i");
    // Latin-1 bytes in a comment and in a string.
    fs::write(&file, b"// \xe9\nchar s[] = \"\xe9\";\n").unwrap();
    let options = PreprocessOptions {
        compiler: Some("no-such-compiler".to_owned()),
        machine: Machine::Ilp32,
        ..PreprocessOptions::default()
    };
    let loaded = load(&file, &options).unwrap();
    let parsed = parse(&loaded.source, &ParseOptions::default());
    assert_eq!(
        dump::dump(&parsed.ast, &parsed.interner),
        "(declare s: array [] of char = \"\\xe9\")\n"
    );
}

#[test]
fn errors_show_what_the_compiler_said() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.c");
    fs::write(&main, "#include \"absent.h\"\n").unwrap();
    let error = load(&main, &PreprocessOptions::default()).unwrap_err();
    assert!(matches!(error, PreprocessError::Failed { .. }));
    assert!(error.to_string().contains("absent.h"), "{error}");

    let compiler = Some("no-such-compiler -x".to_owned());
    let options = PreprocessOptions { compiler, ..PreprocessOptions::default() };
    let error = load(&main, &options).unwrap_err();
    assert!(error.to_string().starts_with("the preprocessor `no-such-compiler` cannot be started"));

    let error = load(&dir.path().join("absent.c"), &PreprocessOptions::default()).unwrap_err();
    assert!(error.to_string().contains("absent.c"), "{error}");
}

#[test]
fn warnings_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.c");
    fs::write(&main, "#warning look here\nint x;\n").unwrap();
    let loaded = load(&main, &PreprocessOptions::default()).unwrap();
    assert!(loaded.warnings.contains("look here"));
}

#[test]
fn the_compiler_is_split_as_a_shell_would() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().join("main.c");
    fs::write(&main, "int x = VALUE;\n").unwrap();
    let compiler = Some("env 'NAME=a b' cc '-DVALUE=\"a b\"[0]'".to_owned());
    let options = PreprocessOptions { compiler, ..PreprocessOptions::default() };
    let loaded = load(&main, &options).unwrap();
    assert!(loaded.source.text().windows(8).any(|text| text == b"\"a b\"[0]"));

    let compiler = Some("cc '-DVALUE=1".to_owned());
    let options = PreprocessOptions { compiler, ..PreprocessOptions::default() };
    assert!(matches!(load(&main, &options), Err(PreprocessError::Quotes { .. })));
}

#[test]
fn text_is_loaded_like_a_file_of_its_name() {
    use gnomon_cfront::preprocess::load_text;
    let options = PreprocessOptions::default();
    let loaded = load_text("a.c", b"#define X 1\nint x = X;\n", &options).unwrap();
    let parsed = parse(&loaded.source, &ParseOptions::default());
    let place = loaded.source.resolve(parsed.ast[parsed.ast.items[0]].span.lo);
    assert_eq!((place.file, place.line), ("a.c", 2));
    assert!(loaded.called);
    assert!(!load_text("a.i", b"int x;\n", &options).unwrap().called);
}
