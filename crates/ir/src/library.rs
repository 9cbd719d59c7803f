//! What is known of functions without a body: those of the C library, of compilers and of
//! verifiers, by name.
//!
//! Interpreter, encodings, data-flow analyses and engines ask [`classify`] so that all of them
//! take a function for the same thing. A name is the user's one
//! ([`source_name`](crate::program::source_name)); a function with a body is never classified.

use crate::ops::Scalar;
use crate::types::{FloatKind, Target};

/// The name of the source of models of library functions, for messages.
pub const MODELS_SOURCE: &str = "<models of library functions>";

/// Functions whose call means that an error was reached, by default.
pub const ERROR_FUNCTIONS: [&str; 6] = [
    "__VERIFIER_error",
    "reach_error",
    "__assert_fail",
    "__assert",
    "__assert_func",
    "__assert_perror_fail",
];

/// Those of them that C libraries call where an `assert` fails, with the line of the source.
pub const TELL_LINES: [&str; 4] =
    ["__assert_fail", "__assert", "__assert_func", "__assert_perror_fail"];

/// What a function without a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// Returns any value of the type: `__VERIFIER_nondet_int`.
    Nondet(NondetKind),
    /// Goes on only if its argument is not zero: `__VERIFIER_assume`.
    Assume,
    /// Reports an error: `__VERIFIER_error`, `__assert_fail`.
    Error,
    /// Ends the program abnormally: `abort`, `__builtin_trap`.
    Abort,
    /// Ends the program with a status: `exit`, `_Exit`.
    Exit,
    /// Is never reached: `__builtin_unreachable`.
    Unreachable,
    /// Returns a new object or null.
    Alloc(AllocKind),
    /// Ends an object: `free`.
    Free,
    /// Copies bytes: `memcpy`, `memmove`.
    MemCopy,
    /// Fills bytes: `memset`.
    MemSet,
    /// Reads memory behind its arguments and changes nothing: `strlen`, `memcmp`.
    MemRead,
    /// Writes only behind its first argument, reads behind the others: `strcpy`, `sprintf`.
    MemWrite,
    /// The result depends on the arguments alone, no memory is touched: `sqrt`, `abs`.
    Pure,
    /// Prints; memory does not change (but for `%n`): `printf`, `puts`.
    Output,
    /// The result comes from outside the program, memory does not change: `rand`, `time`.
    Environment,
    /// Reads and writes one scalar behind its first argument: `__sync_*`, `__atomic_*`.
    Atomic,
    /// Calls a function that it is given: `qsort`, `bsearch`, `atexit`.
    CallsBack,
    /// Nothing is known: it may do anything to the memory that it can reach.
    Unknown,
}

/// The type of a nondeterministic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NondetKind {
    /// An integer or `_Bool`, of 8 to 128 bits.
    Int {
        /// The width.
        bits: u16,
        /// Whether it has a sign.
        signed: bool,
    },
    /// `_Bool`: 0 or 1.
    Bool,
    /// `float` or `double`.
    Float(FloatKind),
    /// Any pointer.
    Pointer,
}

impl NondetKind {
    /// The type as operators see it.
    pub fn scalar(self, target: Target) -> Scalar {
        match self {
            Self::Int { bits, signed } => Scalar::Int { bits, signed },
            Self::Bool => Scalar::Bool,
            Self::Float(kind) => Scalar::Float(kind),
            Self::Pointer => Scalar::Int { bits: target.pointer_bits(), signed: false },
        }
    }
}

/// How an allocation takes its size, and what the new object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocKind {
    /// `malloc(size)`: indeterminate.
    Malloc,
    /// `calloc(count, size)`: zero.
    Calloc,
    /// `realloc(old, size)`: what the old object held.
    Realloc,
    /// `aligned_alloc(align, size)`, `memalign`: indeterminate.
    Aligned,
    /// `alloca(size)`: lives as long as the call.
    Alloca,
    /// `strdup(text)`: a copy of the text.
    Duplicate,
}

/// The kind of value that a `__VERIFIER_nondet_` function gives.
pub fn nondet_kind(name: &str, target: Target) -> Option<NondetKind> {
    let suffix =
        name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))?;
    let int = |bits, signed| Some(NondetKind::Int { bits, signed });
    let long = target.pointer_bits();
    match suffix {
        "bool" | "_Bool" => Some(NondetKind::Bool),
        "char" | "schar" => int(8, true),
        "uchar" | "u8" | "unsigned_char" => int(8, false),
        "short" => int(16, true),
        "ushort" | "u16" | "unsigned_short" => int(16, false),
        "int" => int(32, true),
        "uint" | "u32" | "unsigned" | "unsigned_int" => int(32, false),
        "long" | "loff_t" | "ssize_t" | "ptrdiff_t" => int(long, true),
        "ulong" | "size_t" | "unsigned_long" | "sector_t" => int(long, false),
        "longlong" => int(64, true),
        "ulonglong" | "u64" => int(64, false),
        "int128" => int(128, true),
        "uint128" => int(128, false),
        "float" => Some(NondetKind::Float(FloatKind::F32)),
        "double" => Some(NondetKind::Float(FloatKind::F64)),
        "pointer" | "pchar" | "charp" => Some(NondetKind::Pointer),
        _ => None,
    }
}

/// Names of compilers for functions of the library: `__builtin_memcpy`, `__memcpy_chk`,
/// `__builtin___memcpy_chk`, and those that glibc's headers rename.
pub fn plain_name(name: &str) -> &str {
    let inner = name.strip_prefix("__builtin_").unwrap_or(name);
    let checked = inner.strip_prefix("__").and_then(|n| n.strip_suffix("_chk"));
    let inner = checked.unwrap_or(inner);
    match inner {
        "__isoc99_sscanf" | "__isoc23_sscanf" => "sscanf",
        "__isoc99_scanf" | "__isoc23_scanf" => "scanf",
        "__isoc99_fscanf" | "__isoc23_fscanf" => "fscanf",
        "__isoc23_strtol" | "__strtol_internal" => "strtol",
        "__isoc23_strtoul" => "strtoul",
        "__isoc23_strtoll" => "strtoll",
        "__isoc23_strtoull" => "strtoull",
        "_IO_putc" => "putc",
        "_IO_getc" => "getc",
        "putchar_unlocked" => "putchar",
        "putc_unlocked" => "putc",
        "fputs_unlocked" => "fputs",
        "fputc_unlocked" => "fputc",
        "fwrite_unlocked" => "fwrite",
        "fread_unlocked" => "fread",
        "fflush_unlocked" => "fflush",
        "ferror_unlocked" => "ferror",
        "clearerr_unlocked" => "clearerr",
        "feof_unlocked" => "feof",
        "fileno_unlocked" => "fileno",
        "fgets_unlocked" => "fgets",
        "fgetc_unlocked" => "fgetc",
        "getc_unlocked" => "getc",
        "getchar_unlocked" => "getchar",
        "__strdup" => "strdup",
        "cfree" => "free",
        "index" => "strchr",
        "rindex" => "strrchr",
        other => other,
    }
}

/// What the function of that name is.
pub fn classify(name: &str, target: Target) -> Library {
    if ERROR_FUNCTIONS.contains(&name) {
        return Library::Error;
    }
    if let Some(kind) = nondet_kind(name, target) {
        return Library::Nondet(kind);
    }
    if name.starts_with("__sync_") || name.starts_with("__atomic_") {
        return Library::Atomic;
    }
    match plain_name(name) {
        "__VERIFIER_assume" | "__CPROVER_assume" => Library::Assume,
        "abort" | "trap" | "__chk_fail" => Library::Abort,
        "exit" | "_exit" | "_Exit" | "quick_exit" => Library::Exit,
        "unreachable" => Library::Unreachable,
        "malloc" | "valloc" | "xmalloc" => Library::Alloc(AllocKind::Malloc),
        "calloc" => Library::Alloc(AllocKind::Calloc),
        "realloc" => Library::Alloc(AllocKind::Realloc),
        "aligned_alloc" | "memalign" => Library::Alloc(AllocKind::Aligned),
        "alloca" | "alloca_with_align" => Library::Alloc(AllocKind::Alloca),
        "strdup" | "strndup" => Library::Alloc(AllocKind::Duplicate),
        "free" => Library::Free,
        "memcpy" | "memmove" | "mempcpy" | "bcopy" => Library::MemCopy,
        "memset" | "bzero" => Library::MemSet,
        "strlen" | "strnlen" | "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp" | "strchr"
        | "strrchr" | "strstr" | "strspn" | "strcspn" | "strpbrk" | "strcoll" | "memcmp"
        | "memchr" | "memrchr" | "bcmp" | "rawmemchr" | "strchrnul" | "atoi" | "atol" | "atoll"
        | "atof" => Library::MemRead,
        "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy" | "stpncpy" | "sprintf"
        | "snprintf" | "vsprintf" | "vsnprintf" => Library::MemWrite,
        "printf" | "fprintf" | "vprintf" | "vfprintf" | "puts" | "putchar" | "putc" | "fputc"
        | "fputs" | "fwrite" | "fflush" | "perror" => Library::Output,
        "rand" | "random" | "lrand48" | "drand48" | "time" | "clock" | "getpid" | "getchar"
        | "getenv" | "getuid" => Library::Environment,
        "qsort" | "bsearch" | "atexit" | "lfind" => Library::CallsBack,
        plain if crate::interp::is_pure_native(plain) => Library::Pure,
        _ => Library::Unknown,
    }
}

/// What [`keeps_no_pointer`] is known of, in order.
const KEEPING_NO_POINTER: &[&str] = &[
    "__ctype_b_loc",
    "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__errno_location",
    "__fpending",
    "__fpurge",
    "__freading",
    "__fwriting",
    "__overflow",
    "__uflow",
    "__xpg_basename",
    "__xpg_strerror_r",
    "accept",
    "accept4",
    "access",
    "alarm",
    "arc4random",
    "arc4random_buf",
    "arc4random_uniform",
    "asctime",
    "asctime_r",
    "basename",
    "bind",
    "bindtextdomain",
    "btowc",
    "cfgetispeed",
    "cfgetospeed",
    "cfsetispeed",
    "cfsetospeed",
    "chdir",
    "chmod",
    "chown",
    "chroot",
    "clearerr",
    "clock_getres",
    "clock_gettime",
    "clock_settime",
    "close",
    "closedir",
    "closelog",
    "confstr",
    "connect",
    "creat",
    "creat64",
    "ctermid",
    "ctime",
    "ctime_r",
    "dcgettext",
    "dcngettext",
    "dgettext",
    "difftime",
    "dirfd",
    "dirname",
    "dngettext",
    "dprintf",
    "drand48_r",
    "dup",
    "dup2",
    "dup3",
    "eaccess",
    "endgrent",
    "endhostent",
    "endpwent",
    "endusershell",
    "epoll_create",
    "epoll_create1",
    "euidaccess",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "explicit_bzero",
    "faccessat",
    "fchdir",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fclose",
    "fcntl",
    "fcntl64",
    "fdatasync",
    "fdopen",
    "fdopendir",
    "feof",
    "ferror",
    "ffs",
    "ffsl",
    "fgetc",
    "fgetpos",
    "fgetpos64",
    "fgets",
    "fileno",
    "flock",
    "flockfile",
    "fnmatch",
    "fopen",
    "fopen64",
    "fork",
    "fpathconf",
    "fread",
    "freeaddrinfo",
    "freopen",
    "freopen64",
    "fscanf",
    "fseek",
    "fseeko",
    "fseeko64",
    "fsetpos",
    "fstat",
    "fstat64",
    "fstatat",
    "fstatat64",
    "fstatfs",
    "fstatvfs",
    "fsync",
    "ftell",
    "ftello",
    "ftello64",
    "ftime",
    "ftruncate",
    "ftruncate64",
    "ftrylockfile",
    "funlockfile",
    "futimens",
    "futimesat",
    "gai_strerror",
    "getc",
    "getcwd",
    "getdomainname",
    "getdtablesize",
    "getegid",
    "getentropy",
    "geteuid",
    "getgid",
    "getgrent",
    "getgrgid",
    "getgrnam",
    "getgroups",
    "gethostbyaddr",
    "gethostbyname",
    "gethostid",
    "gethostname",
    "getitimer",
    "getloadavg",
    "getlogin",
    "getlogin_r",
    "getnameinfo",
    "getpagesize",
    "getpeername",
    "getpgid",
    "getpgrp",
    "getppid",
    "getpriority",
    "getprotobyname",
    "getpwent",
    "getpwnam",
    "getpwuid",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getrusage",
    "getservbyname",
    "getservbyport",
    "getsid",
    "getsockname",
    "getsockopt",
    "gettext",
    "gettimeofday",
    "getusershell",
    "getw",
    "globfree",
    "gmtime",
    "gmtime_r",
    "grantpt",
    "herror",
    "hstrerror",
    "htonl",
    "htons",
    "if_indextoname",
    "if_nametoindex",
    "inet_addr",
    "inet_aton",
    "inet_ntoa",
    "inet_ntop",
    "inet_pton",
    "initgroups",
    "inotify_add_watch",
    "inotify_init",
    "inotify_init1",
    "inotify_rm_watch",
    "ioctl",
    "isatty",
    "iswalnum",
    "iswalpha",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "kill",
    "killpg",
    "lchown",
    "link",
    "linkat",
    "listen",
    "localeconv",
    "localtime",
    "localtime_r",
    "lockf",
    "lseek",
    "lseek64",
    "lstat",
    "lstat64",
    "lutimes",
    "madvise",
    "mblen",
    "mbrlen",
    "mbrtowc",
    "mbsinit",
    "mbtowc",
    "memmem",
    "mincore",
    "mkdir",
    "mkdirat",
    "mkdtemp",
    "mkfifo",
    "mknod",
    "mkostemp",
    "mkstemp",
    "mkstemp64",
    "mktime",
    "mmap",
    "mprotect",
    "msync",
    "munmap",
    "nanosleep",
    "ngettext",
    "nice",
    "nl_langinfo",
    "nl_langinfo_l",
    "ntohl",
    "ntohs",
    "open",
    "open64",
    "openat",
    "openat64",
    "opendir",
    "pathconf",
    "pause",
    "pclose",
    "pipe",
    "pipe2",
    "poll",
    "popen",
    "posix_fadvise",
    "posix_fallocate",
    "posix_openpt",
    "pread",
    "pread64",
    "ptsname",
    "putw",
    "pwrite",
    "pwrite64",
    "rand_r",
    "read",
    "readdir",
    "readdir64",
    "readlink",
    "readlinkat",
    "realpath",
    "recv",
    "recvfrom",
    "regerror",
    "regexec",
    "regfree",
    "remove",
    "rename",
    "renameat",
    "rewind",
    "rewinddir",
    "rmdir",
    "scanf",
    "sched_yield",
    "seekdir",
    "select",
    "send",
    "sendmsg",
    "sendto",
    "setegid",
    "seteuid",
    "setgid",
    "setgrent",
    "setgroups",
    "sethostent",
    "sethostname",
    "setitimer",
    "setlinebuf",
    "setlocale",
    "setpgid",
    "setpgrp",
    "setpriority",
    "setpwent",
    "setregid",
    "setresgid",
    "setresuid",
    "setreuid",
    "setrlimit",
    "setsid",
    "setsockopt",
    "settimeofday",
    "setuid",
    "setusershell",
    "shutdown",
    "sigaddset",
    "sigdelset",
    "sigemptyset",
    "sigfillset",
    "sigismember",
    "sigpending",
    "sigprocmask",
    "sleep",
    "socket",
    "socketpair",
    "srand",
    "srand48",
    "srandom",
    "sscanf",
    "stat",
    "stat64",
    "statfs",
    "statvfs",
    "strcasestr",
    "strerror",
    "strerror_r",
    "strfmon",
    "strftime",
    "strptime",
    "strsignal",
    "strtod",
    "strtof",
    "strtoimax",
    "strtol",
    "strtold",
    "strtoll",
    "strtoul",
    "strtoull",
    "strtoumax",
    "strverscmp",
    "strxfrm",
    "symlink",
    "symlinkat",
    "sync",
    "sysconf",
    "syslog",
    "system",
    "tcdrain",
    "tcflush",
    "tcgetattr",
    "tcgetpgrp",
    "tcsetattr",
    "tcsetpgrp",
    "telldir",
    "tempnam",
    "textdomain",
    "timegm",
    "times",
    "tmpfile",
    "tmpfile64",
    "tmpnam",
    "towlower",
    "towupper",
    "truncate",
    "truncate64",
    "ttyname",
    "ttyname_r",
    "tzset",
    "umask",
    "uname",
    "ungetc",
    "unlink",
    "unlinkat",
    "unlockpt",
    "usleep",
    "utime",
    "utimensat",
    "utimes",
    "vsyslog",
    "wait",
    "wait3",
    "wait4",
    "waitpid",
    "wcrtomb",
    "wctob",
    "wctype",
    "wcwidth",
    "write",
    "writev",
];

/// Whether a function that is [`Library::Unknown`] (by its plain name) keeps no pointer, stores
/// none and calls nothing back: it may write behind its arguments. A pointer that it returns is
/// one of its arguments, points into what one of them points to, or comes from outside.
pub fn keeps_no_pointer(plain: &str) -> bool {
    KEEPING_NO_POINTER.binary_search(&plain).is_ok()
}

/// Whether it is known that a function that depends on the environment can return the number: for
/// those that nothing is known of, a run must not rely on any. Most can fail or find nothing.
pub fn can_return(plain: &str, value: i128) -> bool {
    match plain {
        "getchar" | "getc" | "fgetc" => (-1..=255).contains(&value),
        "rand" | "random" | "lrand48" => (0..1 << 31).contains(&value),
        "time" | "clock" | "getuid" => value >= 0,
        "getpid" => value > 0,
        "fopen" | "fdopen" => true,
        "getenv" => value == 0,
        "scanf" | "fscanf" => matches!(value, -1 | 1),
        "rand_r" => (0..1 << 31).contains(&value),
        "sleep" | "alarm" | "feof" | "ferror" | "srand48" | "umask" => value == 0,
        "popen" | "freopen" | "tmpfile" | "opendir" | "readdir" | "getcwd" | "getpwnam"
        | "getpwuid" | "getgrnam" | "getgrgid" | "ttyname" | "getlogin" => value == 0,
        "open" | "open64" | "creat" | "accept" | "wait" | "waitpid" | "ungetc" => value == -1,
        "fclose" | "fseek" | "fseeko" | "ftell" | "ftello" | "remove" | "stat" | "lstat"
        | "stat64" | "lstat64" | "access" | "unlink" | "rename" | "mkdir" | "rmdir" | "chmod"
        | "chown" | "link" | "symlink" | "readlink" | "truncate" | "chdir" | "closedir"
        | "pipe" | "fork" | "setuid" | "setgid" | "nanosleep" | "usleep" | "system" | "select"
        | "poll" | "socket" | "getrandom" => matches!(value, -1 | 0),
        // They succeed only if the descriptor is open, which is not known here.
        "read" | "write" | "pread" | "pwrite" | "close" | "lseek" | "fstat" | "fstat64"
        | "fchmod" | "fchown" | "ftruncate" | "fsync" | "dup" | "dup2" | "connect" | "bind"
        | "listen" | "shutdown" | "recv" | "send" | "recvfrom" | "sendto" | "fcntl" | "ioctl"
        | "flock" => value == -1,
        _ => false,
    }
}

/// Whether a function (by its plain name) stores what its format asks for behind its arguments.
pub fn scans(plain: &str) -> bool {
    matches!(plain, "scanf" | "fscanf" | "sscanf")
}

/// Whether what a function without a body returns or writes is not determined by the program: the
/// interpreter shows one of the possible outcomes then (a file that cannot be opened, say), not
/// the only one.
pub fn depends_on_environment(name: &str, target: Target, result_used: bool) -> bool {
    match classify(name, target) {
        Library::Nondet(_) | Library::Environment => true,
        // Whether printing succeeds, nobody knows.
        Library::Output => result_used,
        Library::Unknown => match plain_name(name) {
            "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoq" | "strtouq" | "strtod"
            | "strtof" | "strtold" | "srand" | "srandom" => false,
            "fclose" | "clearerr" | "rewind" => result_used,
            _ => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(KEEPING_NO_POINTER.is_sorted());
        assert!(keeps_no_pointer("fdopen") && !keeps_no_pointer("setvbuf"));
    }

    #[test]
    fn names_of_compilers_are_seen_through() {
        assert_eq!(plain_name("__builtin___memcpy_chk"), "memcpy");
        assert_eq!(plain_name("__sprintf_chk"), "sprintf");
        assert_eq!(classify("__builtin_sqrt", Target::Lp64), Library::Pure);
        assert_eq!(classify("__memset_chk", Target::Lp64), Library::MemSet);
    }

    #[test]
    fn what_comes_from_outside_is_known() {
        let depends = |name, used| depends_on_environment(name, Target::Lp64, used);
        for name in ["fopen", "fgets", "rand", "getenv", "getchar", "frobnicate", "scanf"] {
            assert!(depends(name, false) && depends(name, true), "{name}");
        }
        assert!(depends("printf", true) && !depends("printf", false));
        assert!(!depends("strlen", true) && !depends("malloc", true) && !depends("sqrt", true));
    }

    #[test]
    fn widths_of_nondeterministic_values_follow_the_target() {
        let long = |target| nondet_kind("__VERIFIER_nondet_ulong", target);
        assert_eq!(long(Target::Ilp32), Some(NondetKind::Int { bits: 32, signed: false }));
        assert_eq!(long(Target::Lp64), Some(NondetKind::Int { bits: 64, signed: false }));
        assert_eq!(classify("frobnicate", Target::Lp64), Library::Unknown);
    }
}
