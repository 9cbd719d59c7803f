//! Tokens and keywords.
//!
//! A token is its kind and its place; the parser decodes constants from the text when it needs
//! them. All spellings of a keyword (`const`, `__const`, `__const__`) are one kind. Which names
//! are keywords depends on the [`Standard`]: `typeof` and `asm` are names in strict modes, `bool`
//! and its companions are keywords from C23 on.

use crate::span::Span;
use crate::symbol::{Interner, Symbol};

/// The C language standards that make a difference to the parser, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Standard {
    /// C89, C90.
    C89,
    /// C99.
    C99,
    /// C11.
    C11,
    /// C17 (C18), the default.
    #[default]
    C17,
    /// C23 and the drafts before it (`c2x`).
    C23,
}

/// The dialect to parse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dialect {
    /// The standard.
    pub standard: Standard,
    /// With GNU extensions that would take names from the user (`-std=gnu17` instead of
    /// `-std=c17`). Extensions with reserved names (`__typeof__`) are always understood.
    pub gnu: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect { standard: Standard::C17, gnu: true }
    }
}

impl Dialect {
    /// The dialect that `-std=name` selects in gcc, or `None` for an unknown name.
    ///
    /// ```
    /// use gnomon_cfront::token::{Dialect, Standard};
    /// assert_eq!(Dialect::from_name("gnu2x"), Some(Dialect { standard: Standard::C23, gnu: true }));
    /// assert_eq!(Dialect::from_name("fortran"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Dialect> {
        if let Some(number) = name.strip_prefix("iso9899:") {
            let standard = match number {
                "1990" | "199409" => Standard::C89,
                "1999" | "199x" => Standard::C99,
                "2011" => Standard::C11,
                "2017" | "2018" => Standard::C17,
                "2024" => Standard::C23,
                _ => return None,
            };
            return Some(Dialect { standard, gnu: false });
        }
        let (gnu, year) = match name.strip_prefix("gnu") {
            Some(year) => (true, year),
            None => (false, name.strip_prefix('c')?),
        };
        let standard = match year {
            "89" | "90" => Standard::C89,
            "99" | "9x" => Standard::C99,
            "11" | "1x" => Standard::C11,
            "17" | "18" => Standard::C17,
            "23" | "2x" | "2y" => Standard::C23,
            _ => return None,
        };
        Some(Dialect { standard, gnu })
    }
}

/// Declares the token kinds with fixed text, from which their description is made.
macro_rules! token_kinds {
    (
        punctuators { $($punct:ident $punct_text:literal,)* }
        keywords { $($keyword:ident [$($spelling:literal $when:ident),* $(,)?],)* }
    ) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the name says which punctuator or keyword it is")]
        pub enum TokenKind {
            /// End of the text.
            Eof,
            /// An identifier.
            Ident,
            /// An integer or floating constant, not yet decoded.
            Number,
            /// A character constant with its prefix, not yet decoded.
            Char,
            /// One string literal with its prefix, not yet decoded.
            Str,
            /// Bytes that start no token; already reported.
            Invalid,
            $($punct,)*
            $($keyword,)*
        }

        impl TokenKind {
            /// How a message names this kind: "`;`", "identifier".
            pub fn describe(self) -> &'static str {
                match self {
                    TokenKind::Eof => "end of file",
                    TokenKind::Ident => "identifier",
                    TokenKind::Number => "number",
                    TokenKind::Char => "character constant",
                    TokenKind::Str => "string literal",
                    TokenKind::Invalid => "invalid token",
                    $(TokenKind::$punct => concat!("`", $punct_text, "`"),)*
                    $(TokenKind::$keyword => concat!("`", keyword_name!($($spelling)*), "`"),)*
                }
            }
        }

        /// All spellings of all keywords.
        const KEYWORDS: &[(&str, TokenKind, When)] =
            &[$($(($spelling, TokenKind::$keyword, When::$when),)*)*];
    };
}

macro_rules! keyword_name {
    ($first:literal $($rest:literal)*) => {
        $first
    };
}

/// In which dialects a spelling is a keyword.
#[derive(Clone, Copy)]
enum When {
    Always,
    /// Not in strict modes.
    Gnu,
    /// From C99 on, and in gnu89 as well.
    C99OrGnu,
    /// From C99 on.
    C99,
    /// From C23 on.
    C23,
    /// From C23 on, and in GNU modes as well.
    C23OrGnu,
}

token_kinds! {
    punctuators {
        LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
        Semi ";", Comma ",", Colon ":", ColonColon "::", Question "?",
        Dot ".", Arrow "->", Ellipsis "...",
        Assign "=", PlusAssign "+=", MinusAssign "-=", StarAssign "*=", SlashAssign "/=",
        PercentAssign "%=", AmpAssign "&=", PipeAssign "|=", CaretAssign "^=",
        ShlAssign "<<=", ShrAssign ">>=",
        Plus "+", Minus "-", Star "*", Slash "/", Percent "%",
        PlusPlus "++", MinusMinus "--",
        Amp "&", AmpAmp "&&", Pipe "|", PipePipe "||", Caret "^", Tilde "~", Bang "!",
        Shl "<<", Shr ">>", Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
        Hash "#",
    }
    keywords {
        KwAuto ["auto" Always],
        KwBreak ["break" Always],
        KwCase ["case" Always],
        KwChar ["char" Always],
        KwConst ["const" Always, "__const" Always, "__const__" Always],
        KwContinue ["continue" Always],
        KwDefault ["default" Always],
        KwDo ["do" Always],
        KwDouble ["double" Always],
        KwElse ["else" Always],
        KwEnum ["enum" Always],
        KwExtern ["extern" Always],
        KwFloat ["float" Always],
        KwFor ["for" Always],
        KwGoto ["goto" Always],
        KwIf ["if" Always],
        KwInline ["inline" C99OrGnu, "__inline" Always, "__inline__" Always],
        KwInt ["int" Always],
        KwLong ["long" Always],
        KwRegister ["register" Always],
        KwRestrict ["restrict" C99, "__restrict" Always, "__restrict__" Always],
        KwReturn ["return" Always],
        KwShort ["short" Always],
        KwSigned ["signed" Always, "__signed" Always, "__signed__" Always],
        KwSizeof ["sizeof" Always],
        KwStatic ["static" Always],
        KwStruct ["struct" Always],
        KwSwitch ["switch" Always],
        KwTypedef ["typedef" Always],
        KwUnion ["union" Always],
        KwUnsigned ["unsigned" Always],
        KwVoid ["void" Always],
        KwVolatile ["volatile" Always, "__volatile" Always, "__volatile__" Always],
        KwWhile ["while" Always],
        KwAlignas ["_Alignas" Always, "alignas" C23],
        KwAlignof ["_Alignof" Always, "alignof" C23],
        KwAlignofGnu ["__alignof__" Always, "__alignof" Always],
        KwAtomic ["_Atomic" Always],
        KwBool ["_Bool" Always, "bool" C23],
        KwComplex ["_Complex" Always, "__complex__" Always, "__complex" Always],
        KwGeneric ["_Generic" Always],
        KwImaginary ["_Imaginary" Always],
        KwNoreturn ["_Noreturn" Always],
        KwStaticAssert ["_Static_assert" Always, "static_assert" C23],
        KwThreadLocal ["_Thread_local" Always, "__thread" Always, "thread_local" C23],
        KwConstexpr ["constexpr" C23],
        KwTrue ["true" C23],
        KwFalse ["false" C23],
        KwNullptr ["nullptr" C23],
        KwTypeof ["typeof" C23OrGnu, "__typeof" Always, "__typeof__" Always],
        KwTypeofUnqual ["typeof_unqual" C23, "__typeof_unqual" Always, "__typeof_unqual__" Always],
        KwBitInt ["_BitInt" Always],
        KwInt128 ["__int128" Always],
        KwFloat16 ["_Float16" Always],
        KwFloat32 ["_Float32" Always],
        KwFloat64 ["_Float64" Always],
        KwFloat128 ["_Float128" Always],
        KwFloat32x ["_Float32x" Always],
        KwFloat64x ["_Float64x" Always],
        KwDecimal32 ["_Decimal32" Always],
        KwDecimal64 ["_Decimal64" Always],
        KwDecimal128 ["_Decimal128" Always],
        KwAutoType ["__auto_type" Always],
        KwAttribute ["__attribute__" Always, "__attribute" Always],
        KwAsm ["asm" Gnu, "__asm" Always, "__asm__" Always],
        KwExtension ["__extension__" Always],
        KwLabel ["__label__" Always],
        KwReal ["__real__" Always, "__real" Always],
        KwImag ["__imag__" Always, "__imag" Always],
        KwPragma ["_Pragma" Always],
        KwVaArg ["__builtin_va_arg" Always],
        KwOffsetof ["__builtin_offsetof" Always],
        KwTypesCompatible ["__builtin_types_compatible_p" Always],
        KwChooseExpr ["__builtin_choose_expr" Always],
        KwConvertVector ["__builtin_convertvector" Always],
    }
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
    /// The name of an identifier or keyword; of no meaning for other kinds.
    pub symbol: Symbol,
}

/// Which symbols are keywords.
///
/// Keyword spellings are the first symbols of every interner, so the test for a keyword is one
/// look into a short table.
pub(crate) struct KeywordTable {
    kinds: Vec<TokenKind>,
}

impl KeywordTable {
    /// Interns every spelling; `interner` must be empty.
    pub(crate) fn new(dialect: Dialect, interner: &mut Interner) -> Self {
        debug_assert!(interner.is_empty());
        let kinds = KEYWORDS
            .iter()
            .map(|&(spelling, kind, when)| {
                interner.intern(spelling);
                let is_keyword = match when {
                    When::Always => true,
                    When::Gnu => dialect.gnu,
                    When::C99OrGnu => dialect.gnu || dialect.standard >= Standard::C99,
                    When::C99 => dialect.standard >= Standard::C99,
                    When::C23 => dialect.standard >= Standard::C23,
                    When::C23OrGnu => dialect.gnu || dialect.standard >= Standard::C23,
                };
                if is_keyword { kind } else { TokenKind::Ident }
            })
            .collect();
        KeywordTable { kinds }
    }

    /// The kind of a token with this name.
    pub(crate) fn kind(&self, symbol: Symbol) -> TokenKind {
        self.kinds.get(symbol.index()).copied().unwrap_or(TokenKind::Ident)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(dialect: &str, name: &str) -> TokenKind {
        let mut interner = Interner::new();
        let table = KeywordTable::new(Dialect::from_name(dialect).unwrap(), &mut interner);
        table.kind(interner.intern(name))
    }

    #[test]
    fn spellings_are_distinct() {
        let mut interner = Interner::new();
        KeywordTable::new(Dialect::default(), &mut interner);
        assert_eq!(interner.len(), KEYWORDS.len());
    }

    #[test]
    fn keywords_depend_on_the_dialect() {
        assert_eq!(kind("gnu17", "bool"), TokenKind::Ident);
        assert_eq!(kind("c23", "bool"), TokenKind::KwBool);
        assert_eq!(kind("c17", "typeof"), TokenKind::Ident);
        assert_eq!(kind("gnu17", "typeof"), TokenKind::KwTypeof);
        assert_eq!(kind("c23", "typeof"), TokenKind::KwTypeof);
        assert_eq!(kind("gnu89", "restrict"), TokenKind::Ident);
        assert_eq!(kind("gnu89", "inline"), TokenKind::KwInline);
        assert_eq!(kind("c89", "inline"), TokenKind::Ident);
        assert_eq!(kind("c89", "__typeof__"), TokenKind::KwTypeof);
        assert_eq!(kind("c11", "asm"), TokenKind::Ident);
    }

    #[test]
    fn descriptions_use_the_first_spelling() {
        assert_eq!(TokenKind::KwConst.describe(), "`const`");
        assert_eq!(TokenKind::Semi.describe(), "`;`");
    }
}
