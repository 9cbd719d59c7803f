//! Identifiers that already mean something to gcc.

/// Whether the identifier is a keyword, a macro that gcc defines in its GNU modes, or one of the
/// names that the C printer itself uses.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok() || name.starts_with("__gnomon_") || name == "main"
}

/// Whether gcc believes to know what a function of that name does.
pub(super) fn is_builtin_function(name: &str) -> bool {
    // Most functions on floating point come for `float` and `long double` too.
    let double = name.strip_suffix(['f', 'l']).unwrap_or(name);
    [name, double].iter().any(|name| BUILTIN_FUNCTIONS.binary_search(name).is_ok())
}

#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "_Alignas", "_Alignof", "_Atomic", "_BitInt", "_Bool", "_Complex", "_Decimal128", "_Decimal32",
    "_Decimal64", "_Float128", "_Float16", "_Float32", "_Float32x", "_Float64", "_Float64x",
    "_Generic", "_Imaginary", "_Noreturn", "_Sat", "_Static_assert", "_Thread_local", "__alignof",
    "__alignof__", "__asm", "__asm__", "__attribute", "__attribute__", "__auto_type",
    "__complex__", "__const", "__const__", "__extension__", "__float128", "__float80", "__func__",
    "__i386", "__i386__", "__imag__", "__inline", "__inline__", "__int128", "__label__", "__linux",
    "__linux__", "__real__", "__restrict", "__restrict__", "__signed", "__signed__", "__thread",
    "__typeof", "__typeof__", "__unix", "__unix__", "__volatile", "__volatile__", "__x86_64",
    "__x86_64__", "alignas", "alignof", "asm", "auto", "bool", "break", "case", "char", "const",
    "constexpr", "continue", "default", "do", "double", "else", "enum", "extern", "false", "float",
    "for", "goto", "i386", "if", "inline", "int", "linux", "long", "nullptr", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct",
    "switch", "thread_local", "true", "typedef", "typeof", "typeof_unqual", "union", "unix",
    "unsigned", "void", "volatile", "while",
];

#[rustfmt::skip]
const BUILTIN_FUNCTIONS: &[&str] = &[
    "_Exit", "_exit", "abort", "abs", "acos", "acosh", "aligned_alloc", "alloca", "asin", "asinh",
    "atan", "atan2", "atanh", "bcmp", "bcopy", "bzero", "cabs", "cacos", "calloc", "carg", "cbrt",
    "ceil", "cexp", "cimag", "clog", "conj", "copysign", "cos", "cosh", "cpow", "cproj", "creal",
    "csin", "csqrt", "dcgettext", "dgettext", "drem", "erf", "erfc", "execl", "execle", "execlp",
    "execv", "execve", "execvp", "exit", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "ffs",
    "ffsl", "ffsll", "floor", "fma", "fmax", "fmin", "fmod", "fork", "fprintf", "fprintf_unlocked",
    "fputc", "fputc_unlocked", "fputs", "fputs_unlocked", "free", "frexp", "fscanf", "fwrite",
    "fwrite_unlocked", "gamma", "gamma_r", "gettext", "hypot", "ilogb", "imaxabs", "index",
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "isinf",
    "islower", "isnan", "isprint", "ispunct", "isspace", "isupper", "iswalnum", "iswalpha",
    "iswblank", "iswcntrl", "iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace",
    "iswupper", "iswxdigit", "isxdigit", "j0", "j1", "jn", "labs", "ldexp", "lgamma", "lgamma_r",
    "llabs", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround",
    "malloc", "memccpy", "memchr", "memcmp", "memcpy", "memmove", "mempcpy", "memset", "modf",
    "nan", "nearbyint", "nextafter", "nexttoward", "pow", "pow10", "printf", "printf_unlocked",
    "putc", "putc_unlocked", "putchar", "putchar_unlocked", "puts", "puts_unlocked", "realloc",
    "remainder", "remquo", "rindex", "rint", "round", "scalb", "scalbln", "scalbn", "scanf",
    "signbit", "significand", "sin", "sincos", "sinh", "snprintf", "sprintf", "sqrt", "sscanf",
    "stpcpy", "stpncpy", "strcasecmp", "strcat", "strchr", "strcmp", "strcpy", "strcspn", "strdup",
    "strfmon", "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup",
    "strnlen", "strpbrk", "strrchr", "strspn", "strstr", "tan", "tanh", "tgamma", "toascii",
    "tolower", "toupper", "towlower", "towupper", "trunc", "vfprintf", "vfscanf", "vprintf",
    "vscanf", "vsnprintf", "vsprintf", "vsscanf", "y0", "y1", "yn",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(RESERVED.is_sorted());
        assert!(BUILTIN_FUNCTIONS.is_sorted());
        assert!(is_builtin_function("sinf") && is_builtin_function("abs"));
        assert!(!is_builtin_function("frobnicate"));
        assert!(is_reserved("while") && is_reserved("unix"));
    }
}
