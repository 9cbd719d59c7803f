//! What functions of the C library and of POSIX read and write behind their arguments, as far as a wrong pointer
//! that is only handed to them goes wrong there.
//!
//! Their models, and what is assumed of those without a model, say what the program sees afterwards; they do
//! not read all that the functions read. So that a pointer is right is asked where the function is called. Nobody
//! executes such an access, so what is not proved is no error, it only makes a proof impossible.

use gnomon_ir::cfa::{Call, Callee};
use gnomon_ir::library::{Library, MODELS_SOURCE, classify, keeps_no_pointer, plain_name};
use gnomon_ir::program::{FuncId, Program, source_name};

/// What is accessed behind an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accessed {
    /// Nothing, or what the model of the function accesses itself.
    Nothing,
    /// A string to its end.
    Text,
    /// One object of the type that the argument points to.
    Object,
    /// One byte of an object that the library made.
    Handle,
    /// So many bytes as another argument says.
    Bytes(usize),
    /// So many as the product of two others says.
    Product(usize, usize),
    /// It is not known what.
    Something,
}

/// How a function uses an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// What it accesses.
    pub accessed: Accessed,
    /// Whether the null pointer says that there is nothing.
    pub or_null: bool,
}

const UNKNOWN: Use = Use { accessed: Accessed::Something, or_null: true };

/// One letter for each argument, in order of names: `-` nothing, `t` a string, `o` an object, `h` a handle (a
/// stream or directory), `x` something, a digit: so many bytes as that argument (from 0) says, `*` as the product of the two
/// arguments behind it; letters are capital, and digits follow `?`, where null is allowed.
const CONTRACTS: &[(&str, &str)] = &[
    ("accept", "-OO"),
    ("access", "t-"),
    ("asctime", "o"),
    ("atof", "t"),
    ("bind", "-2-"),
    ("chdir", "t"),
    ("chmod", "t-"),
    ("chown", "t--"),
    ("clearerr", "h"),
    ("clock_getres", "-O"),
    ("clock_gettime", "-o"),
    ("clock_settime", "-o"),
    ("closedir", "h"),
    ("connect", "-2-"),
    ("ctime", "o"),
    ("difftime", "--"),
    ("execl", "tT"),
    ("execlp", "tT"),
    ("fclose", "h"),
    ("feof", "h"),
    ("ferror", "h"),
    ("fflush", "H"),
    ("fgetc", "h"),
    ("fgets", "1-h"),
    ("fileno", "h"),
    ("fread", "*--h"),
    ("fseek", "h--"),
    ("fseeko", "h--"),
    ("fstat", "-o"),
    ("fstat64", "-o"),
    ("ftell", "h"),
    ("ftello", "h"),
    ("getc", "h"),
    ("getcwd", "?1-"),
    ("getdelim", "oo-h"),
    ("getenv", "t"),
    ("getgrnam", "t"),
    ("gethostbyname", "t"),
    ("gethostname", "1-"),
    ("getitimer", "-o"),
    ("getline", "ooh"),
    ("getopt", "--t"),
    ("getpwnam", "t"),
    ("getrandom", "1--"),
    ("getrlimit", "-o"),
    ("getrusage", "-o"),
    ("gettimeofday", "OO"),
    ("gmtime", "o"),
    ("gmtime_r", "oo"),
    ("inet_addr", "t"),
    ("inet_aton", "to"),
    ("kill", "--"),
    ("link", "tt"),
    ("localtime", "o"),
    ("localtime_r", "oo"),
    ("lstat", "to"),
    ("lstat64", "to"),
    ("mkdir", "t-"),
    ("mkfifo", "t-"),
    ("mkostemp", "x-"),
    ("mkstemp", "x"),
    ("mkstemp64", "x"),
    ("mktime", "o"),
    ("nanosleep", "oO"),
    ("opendir", "t"),
    ("pclose", "h"),
    ("pread", "-2--"),
    ("putenv", "t"),
    ("pwrite", "-2--"),
    ("rand_r", "o"),
    ("read", "-2-"),
    ("readdir", "h"),
    ("readlink", "t2-"),
    ("recv", "-2--"),
    ("recvfrom", "-2--OO"),
    ("remove", "t"),
    ("rename", "tt"),
    ("rewind", "h"),
    ("rewinddir", "h"),
    ("rmdir", "t"),
    ("select", "-OOOO"),
    ("send", "-2--"),
    ("sendto", "-2--?5-"),
    ("setenv", "tt-"),
    ("setitimer", "-oO"),
    ("setlocale", "-T"),
    ("setrlimit", "-o"),
    ("setsockopt", "---?4-"),
    ("sigaction", "-OO"),
    ("sigaddset", "o-"),
    ("sigdelset", "o-"),
    ("sigemptyset", "o"),
    ("sigfillset", "o"),
    ("sigismember", "o-"),
    ("sigpending", "o"),
    ("sigprocmask", "-OO"),
    ("stat", "to"),
    ("stat64", "to"),
    ("strerror", "-"),
    ("strsep", "ot"),
    ("strtod", "tO"),
    ("strtof", "tO"),
    ("strtol", "tO-"),
    ("strtold", "tO"),
    ("strtoll", "tO-"),
    ("strtoul", "tO-"),
    ("strtoull", "tO-"),
    ("symlink", "tt"),
    ("system", "T"),
    ("tcgetattr", "-o"),
    ("tcsetattr", "--o"),
    ("times", "o"),
    ("truncate", "t-"),
    ("uname", "o"),
    ("ungetc", "-h"),
    ("unlink", "t"),
    ("utime", "tO"),
    ("wait", "O"),
    ("waitpid", "-O-"),
    ("wcscmp", "tt"),
    ("wcscpy", "-t"),
    ("wcslen", "t"),
];

/// Functions that write the bytes that they are told the number of; the others read them.
const FILLS: &[&str] = &[
    "fgets",
    "fread",
    "getcwd",
    "gethostname",
    "getrandom",
    "pread",
    "read",
    "readlink",
    "recv",
    "recvfrom",
];

/// Whether a function writes what it is given the number of bytes for.
pub(crate) fn fills(name: &str) -> bool {
    FILLS.contains(&plain_name(name))
}

fn contract(plain: &str) -> Option<Vec<Use>> {
    let at = CONTRACTS.binary_search_by_key(&plain, |(name, _)| name).ok()?;
    let mut uses = Vec::new();
    let mut or_null = false;
    for letter in CONTRACTS[at].1.chars() {
        let accessed = match letter.to_ascii_lowercase() {
            '?' => {
                or_null = true;
                continue;
            }
            't' => Accessed::Text,
            'o' => Accessed::Object,
            'h' => Accessed::Handle,
            'x' => Accessed::Something,
            '*' => Accessed::Product(uses.len() + 1, uses.len() + 2),
            digit if digit.is_ascii_digit() => Accessed::Bytes(digit as usize - '0' as usize),
            _ => Accessed::Nothing,
        };
        or_null |= letter.is_ascii_uppercase();
        uses.push(Use { accessed, or_null: std::mem::take(&mut or_null) });
    }
    Some(uses)
}

/// How a function uses its arguments, if it is known by its name and its body is not the user's; the last one
/// counts for all further arguments.
pub(crate) fn uses(program: &Program, func: FuncId) -> Option<Vec<Use>> {
    let function = &program.funcs[func];
    let plain = plain_name(source_name(&function.name));
    match &function.body {
        None if !matches!(
            classify(plain, program.types.target()),
            Library::Unknown | Library::Environment
        ) =>
        {
            None
        }
        None => contract(plain).or_else(|| keeps_no_pointer(plain).then(|| vec![UNKNOWN])),
        Some(body) => {
            let mut spans = body.edges().iter().map(|edge| edge.span);
            let is_model = |span: gnomon_ir::span::Span| {
                !span.is_none() && program.files.name(span.file) == MODELS_SOURCE
            };
            spans.any(is_model).then(|| contract(plain)).flatten()
        }
    }
}

/// Whether something is accessed behind the pointers that a call hands to a function.
pub fn accesses(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let is_pointer = |&arg| program.types.is_pointer(program.expr_ty(arg));
    call.args.iter().any(is_pointer) && uses(program, func).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(CONTRACTS.is_sorted_by_key(|(name, _)| name));
    }

    #[test]
    fn contracts_are_read_by_letter() {
        let uses = contract("fread").expect("it is there");
        assert_eq!(uses[0], Use { accessed: Accessed::Product(1, 2), or_null: false });
        assert_eq!(uses.len(), 4);
        assert_eq!(uses[3].accessed, Accessed::Handle);
        let uses = contract("getcwd").expect("it is there");
        assert_eq!(uses[0], Use { accessed: Accessed::Bytes(1), or_null: true });
        assert!(!contract("select").expect("it is there")[0].or_null);
        assert_eq!(contract("frobnicate"), None);
    }
}
