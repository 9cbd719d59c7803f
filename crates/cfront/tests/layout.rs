//! The layout of random records is what gcc makes of them, at -m64 and -m32.
//!
//! Our sizes, alignments and offsets are written as `_Static_assert`s behind the declarations, and
//! gcc must accept the file. Needs gcc with multilib (`scripts/setup`).

use std::fmt::Write as _;
use std::process::Command;

use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_ir::types::Target;

/// A small generator of random numbers: the same programs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

const SCALARS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "int (*)(void)",
    "enum e",
    "enum packed_e",
    "_Float128",
    "wide_t",
    "low_t",
];
const BIT_TYPES: &[(&str, u64)] = &[
    ("char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
];
const ALIGNS: &[&str] = &["1", "2", "4", "8", "16", "32"];

const PRELUDE: &str = "enum e { A, B }; enum __attribute__((packed)) packed_e { C, D };
typedef long long wide_t __attribute__((aligned(8)));
typedef long long low_t __attribute__((aligned(2)));\n";

fn member(random: &mut Random, number: usize, records: usize, fields: &mut Vec<String>) -> String {
    if random.one_in(4) {
        let (ty, bits) = BIT_TYPES[random.below(BIT_TYPES.len() as u64) as usize];
        let width = 1 + random.below(bits);
        return match random.below(8) {
            0 => format!("  {ty} : 0;\n"),
            1 => format!("  {ty} : {width};\n"),
            2 => format!("  {ty} b{number} : {width} __attribute__((packed));\n"),
            3 => format!(
                "  {ty} b{number} : {width} __attribute__((aligned({})));\n",
                random.pick(ALIGNS)
            ),
            _ => format!("  {ty} b{number} : {width};\n"),
        };
    }
    let name = format!("f{number}");
    fields.push(name.clone());
    let array = if random.one_in(5) { format!("[{}]", random.below(4) + 1) } else { String::new() };
    let attribute = match random.below(12) {
        0 => " __attribute__((packed))".to_owned(),
        1 => format!(" __attribute__((aligned({})))", random.pick(ALIGNS)),
        _ => String::new(),
    };
    if records > 0 && random.one_in(6) {
        let inner = random.below(records as u64);
        return format!("  struct s{inner} {name}{array}{attribute};\n");
    }
    if random.one_in(12) {
        let inner = format!("{name}i");
        fields.pop();
        fields.push(inner.clone());
        let keyword = random.pick(&["struct", "union"]);
        return format!(
            "  {keyword} {{ char {name}c; {} {inner}; }};\n",
            random.pick(&["int", "short", "double"])
        );
    }
    match random.pick(SCALARS) {
        "int (*)(void)" => format!("  int (*{name}{array})(void){attribute};\n"),
        ty => format!("  {ty} {name}{array}{attribute};\n"),
    }
}

/// The declarations and for each record the names of its members that have an offset.
fn declarations(random: &mut Random, count: usize) -> (String, Vec<Vec<String>>) {
    let mut text = PRELUDE.to_owned();
    let mut all_fields = Vec::new();
    for record in 0..count {
        let mut fields = Vec::new();
        let pack = random.one_in(6).then(|| random.pick(&["1", "2", "4", "8"]));
        if let Some(pack) = pack {
            writeln!(text, "#pragma pack(push, {pack})").unwrap();
        }
        // Named `struct` throughout; every eighth is a union in a struct of one member.
        let union = random.one_in(8);
        let mut body = String::new();
        for number in 0..=random.below(8) as usize {
            body += &member(random, number, record, &mut fields);
        }
        if union {
            body = format!("  union {{\n{body}  }};\n");
        }
        let attribute = match random.below(8) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((aligned({})))", random.pick(ALIGNS)),
            2 => format!(" __attribute__((packed, aligned({})))", random.pick(ALIGNS)),
            _ => String::new(),
        };
        writeln!(text, "struct s{record} {{\n{body}}}{attribute};").unwrap();
        if pack.is_some() {
            text += "#pragma pack(pop)\n";
        }
        all_fields.push(fields);
    }
    (text, all_fields)
}

/// Sizes, alignments and offsets by our own front end, as an array of numbers.
fn our_view(text: &str, fields: &[Vec<String>], target: Target) -> Vec<Vec<u64>> {
    let mut source = text.to_owned();
    for (record, names) in fields.iter().enumerate() {
        let offsets: String =
            names.iter().map(|n| format!(", __builtin_offsetof(struct s{record}, {n})")).collect();
        writeln!(
            source,
            "unsigned long long view{record}[] = {{ sizeof(struct s{record}), _Alignof(struct s{record}){offsets} }};"
        )
        .unwrap();
    }
    let buffer = SourceBuffer::new("layout.c", source.into_bytes()).unwrap();
    let translation = translate(vec![buffer], target, &ParseOptions::default());
    assert!(translation.is_complete(), "{}", translation.render(Severity::Error));
    let program = &translation.program;
    fields
        .iter()
        .enumerate()
        .map(|(record, names)| {
            let name = format!("view{record}");
            let var = program.vars.iter().find(|v| v.name == name).expect("the array is there");
            let gnomon_ir::program::Storage::Static { init: Some(init), .. } = &var.storage else {
                panic!("{name} has no value");
            };
            let mut values = vec![0; names.len() + 2];
            for (slot, item) in init.items.iter().enumerate() {
                let gnomon_ir::program::InitItem::Value { value, .. } = item else { continue };
                values[slot] = program.as_int(*value).expect("a constant") as u64;
            }
            values
        })
        .collect()
}

fn gcc_agrees(flag: &str, target: Target, seed: u64, count: usize) {
    let mut random = Random(seed);
    let (mut text, fields) = declarations(&mut random, count);
    let views = our_view(&text, &fields, target);
    for (record, (names, view)) in fields.iter().zip(&views).enumerate() {
        let (size, align) = (view[0], view[1]);
        writeln!(text, "_Static_assert(sizeof(struct s{record}) == {size}, \"size {record}\");")
            .unwrap();
        writeln!(
            text,
            "_Static_assert(_Alignof(struct s{record}) == {align}, \"align {record}\");"
        )
        .unwrap();
        for (name, offset) in names.iter().zip(&view[2..]) {
            writeln!(
                text,
                "_Static_assert(__builtin_offsetof(struct s{record}, {name}) == {offset}, \"{record}.{name}\");"
            )
            .unwrap();
        }
    }
    let file = std::env::temp_dir().join(format!("gnomon-layout-{}{flag}.c", std::process::id()));
    std::fs::write(&file, &text).unwrap();
    let output = Command::new("gcc")
        .args([flag, "-std=gnu17", "-w", "-fsyntax-only", "-fmax-errors=5"])
        .arg(&file)
        .output()
        .expect("gcc can be started");
    std::fs::remove_file(&file).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn records_are_laid_out_as_gcc_does_on_lp64() {
    gcc_agrees("-m64", Target::Lp64, 0x9e37_79b9_7f4a_7c15, 3000);
}

#[test]
fn records_are_laid_out_as_gcc_does_on_ilp32() {
    gcc_agrees("-m32", Target::Ilp32, 0x2545_f491_4f6c_dd1d, 3000);
}
