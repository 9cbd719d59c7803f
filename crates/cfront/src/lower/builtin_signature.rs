//! The signatures of functions that the compiler knows without a declaration.

use super::Lower;
use super::ctype::{CType, CTypes, FuncType, IntKind, QType};
use super::decl::GlobalDecl;
use super::link::Linkage;
use crate::span::Span;
use crate::symbol::Symbol;

/// Signatures: the result, then the parameters. `v` void, `b` _Bool, `i` int, `u` unsigned, `l` long,
/// `m` unsigned long, `q` long long, `w` unsigned long long, `h` unsigned short, `z` size_t,
/// `f` float, `d` double, `e` long double, `p` void *, `s` char *, `a` va_list, `.` variadic.
/// A leading `!` says that the function does not return; a leading `=` that it exists under this
/// name only with `__builtin_` in front.
const SIGNATURES: &[(&str, &str)] = &[
    ("abort", "!v"),
    ("exit", "!vi"),
    ("_Exit", "!vi"),
    ("_exit", "!vi"),
    ("trap", "=!v"),
    ("unreachable", "=!v"),
    ("malloc", "pz"),
    ("calloc", "pzz"),
    ("realloc", "ppz"),
    ("aligned_alloc", "pzz"),
    ("free", "vp"),
    ("memcpy", "pppz"),
    ("memmove", "pppz"),
    ("mempcpy", "pppz"),
    ("memset", "ppiz"),
    ("memcmp", "ippz"),
    ("memchr", "ppiz"),
    ("bzero", "vpz"),
    ("bcopy", "vppz"),
    ("strlen", "zs"),
    ("strnlen", "zsz"),
    ("strcpy", "sss"),
    ("strncpy", "sssz"),
    ("stpcpy", "sss"),
    ("strcat", "sss"),
    ("strncat", "sssz"),
    ("strcmp", "iss"),
    ("strncmp", "issz"),
    ("strcasecmp", "iss"),
    ("strncasecmp", "issz"),
    ("strchr", "ssi"),
    ("strrchr", "ssi"),
    ("strstr", "sss"),
    ("strpbrk", "sss"),
    ("strspn", "zss"),
    ("strcspn", "zss"),
    ("strdup", "ss"),
    ("strndup", "ssz"),
    ("index", "ssi"),
    ("rindex", "ssi"),
    ("printf", "is."),
    ("fprintf", "ips."),
    ("sprintf", "iss."),
    ("snprintf", "iszs."),
    ("vprintf", "isa"),
    ("vfprintf", "ipsa"),
    ("vsprintf", "issa"),
    ("vsnprintf", "iszsa"),
    ("scanf", "is."),
    ("sscanf", "iss."),
    ("fscanf", "ips."),
    ("puts", "is"),
    ("fputs", "isp"),
    ("putchar", "ii"),
    ("fputc", "iip"),
    ("fwrite", "zpzzp"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("toupper", "ii"),
    ("tolower", "ii"),
    ("abs", "ii"),
    ("labs", "ll"),
    ("llabs", "qq"),
    ("__memcpy_chk", "=pppzz"),
    ("__memmove_chk", "=pppzz"),
    ("__memset_chk", "=ppizz"),
    ("__strcpy_chk", "=sssz"),
    ("__strncpy_chk", "=ssszz"),
    ("__strcat_chk", "=sssz"),
    ("__strncat_chk", "=ssszz"),
    ("__sprintf_chk", "=sizs."),
    ("__snprintf_chk", "=iszizs."),
    ("__vsprintf_chk", "=isizsa"),
    ("__vsnprintf_chk", "=iszizsa"),
    ("__printf_chk", "=iis."),
    ("__fprintf_chk", "=ipis."),
    ("clz", "=iu"),
    ("clzl", "=im"),
    ("clzll", "=iw"),
    ("ctz", "=iu"),
    ("ctzl", "=im"),
    ("ctzll", "=iw"),
    ("clrsb", "=ii"),
    ("clrsbl", "=il"),
    ("clrsbll", "=iq"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iq"),
    ("popcount", "=iu"),
    ("popcountl", "=im"),
    ("popcountll", "=iw"),
    ("parity", "=iu"),
    ("parityl", "=im"),
    ("parityll", "=iw"),
    ("bswap16", "=hh"),
    ("bswap32", "=uu"),
    ("bswap64", "=ww"),
    ("return_address", "=pu"),
    ("frame_address", "=pu"),
    ("extract_return_addr", "=pp"),
    ("__clear_cache", "vpp"),
    ("signbit", "=id"),
    ("signbitf", "=if"),
    ("signbitl", "=ie"),
    ("assume_aligned", "=ppz."),
    ("ia32_pause", "=v"),
    ("__sync_synchronize", "v"),
    ("__atomic_thread_fence", "vi"),
    ("__atomic_signal_fence", "vi"),
];

/// Functions of one floating-point argument; each exists also with `f` and `l`.
const MATH1: &[&str] = &[
    "fabs",
    "sqrt",
    "cbrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "logb",
    "ceil",
    "floor",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "significand",
    "roundeven",
];

/// Functions of two.
const MATH2: &[&str] = &[
    "pow",
    "fmod",
    "atan2",
    "hypot",
    "copysign",
    "fmin",
    "fmax",
    "fdim",
    "nextafter",
    "remainder",
    "drem",
];

/// Functions of one with another result: the letter of the signature.
const MATH_TO: &[(&str, &str)] =
    &[("lround", "l"), ("lrint", "l"), ("llround", "q"), ("llrint", "q"), ("ilogb", "i")];

impl Lower<'_> {
    /// Declares a builtin, or a library function that nobody declared, by its known signature.
    pub(super) fn builtin_function(&mut self, name: Symbol, span: Span) -> Option<usize> {
        let text = self.name(name);
        let bare = text.strip_prefix("__builtin_");
        let signature = self.known_signature(bare.unwrap_or(text), bare.is_some())?;
        let no_return = signature.starts_with('!');
        let ty = self.signature_type(signature.trim_start_matches('!'))?;
        let decl = GlobalDecl {
            name,
            link_name: None,
            ty,
            linkage: Linkage::External,
            thread_local: false,
            no_return,
            implicit: true,
            span,
        };
        self.global(decl).ok()
    }

    pub(super) fn known_signature(&self, bare: &str, is_builtin: bool) -> Option<String> {
        if let Some((_, signature)) = SIGNATURES.iter().find(|(name, _)| *name == bare) {
            let builtin_only = signature.starts_with('=');
            let allowed = is_builtin || !builtin_only;
            return allowed.then(|| signature.trim_start_matches('=').to_owned());
        }
        let (stem, letter) = float_variants(bare);
        for (stem, letter) in [(bare, 'd'), (stem, letter)] {
            if MATH1.contains(&stem) {
                return Some(format!("{letter}{letter}"));
            }
            if MATH2.contains(&stem) {
                return Some(format!("{letter}{letter}{letter}"));
            }
            if let Some((_, result)) = MATH_TO.iter().find(|(name, _)| *name == stem) {
                return Some(format!("{result}{letter}"));
            }
            match stem {
                "ldexp" | "scalbn" => return Some(format!("{letter}{letter}i")),
                "fma" => return Some(format!("{letter}{letter}{letter}{letter}")),
                "frexp" | "modf" => return Some(format!("{letter}{letter}p")),
                _ => {}
            }
        }
        None
    }

    fn signature_type(&mut self, signature: &str) -> Option<QType> {
        let mut types = Vec::new();
        let mut variadic = false;
        for letter in signature.chars() {
            if letter == '.' {
                variadic = true;
                continue;
            }
            types.push(self.letter_type(letter)?);
        }
        let (&result, params) = types.split_first()?;
        let f = FuncType { result, params: params.into(), variadic, prototyped: true };
        Some(self.types.plain(CType::Function(f)))
    }

    pub(super) fn letter_type(&mut self, letter: char) -> Option<QType> {
        Some(match letter {
            'v' => CTypes::VOID,
            'b' => CTypes::BOOL,
            'i' => CTypes::INT,
            'u' => CTypes::UINT,
            'l' => CTypes::LONG,
            'm' => CTypes::ULONG,
            'q' => self.types.int(IntKind::LongLong),
            'w' => self.types.int(IntKind::ULongLong),
            'h' => CTypes::USHORT,
            'z' => self.types.size_t(),
            'f' => CTypes::FLOAT,
            'd' => CTypes::DOUBLE,
            'e' => CTypes::LONG_DOUBLE,
            'p' => self.types.pointer(CTypes::VOID),
            's' => self.types.pointer(CTypes::CHAR),
            'a' => {
                let list = self.va_list_type();
                self.adjust_parameter(list)
            }
            _ => return None,
        })
    }
}

/// The name without the letter of its type, and that letter.
fn float_variants(name: &str) -> (&str, char) {
    if let Some(stem) = name.strip_suffix('f') {
        (stem, 'f')
    } else if let Some(stem) = name.strip_suffix('l') {
        (stem, 'e')
    } else {
        (name, 'd')
    }
}
