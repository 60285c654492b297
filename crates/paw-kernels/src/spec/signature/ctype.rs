//! Types of C and their elements on 64-bit Linux (System V ABI, AMD64 supplement, figure 3.1).

use paw_data::spelling::closest;

use super::{SignatureError, token::Token};
use crate::element::Element;

/// Qualifiers, which do not change how a value is passed.
pub(super) const QUALIFIERS: &[&str] = &["const", "restrict", "__restrict__", "__restrict", "volatile"];

/// Types by their words in alphabetical order, without `int` and `signed` beside other words; `None` is `void`.
const TYPES: &[(&str, Option<Element>)] = &[
    ("void", None),
    ("char", Some(Element::I8)),
    ("char unsigned", Some(Element::U8)),
    ("short", Some(Element::I16)),
    ("short unsigned", Some(Element::U16)),
    ("int", Some(Element::I32)),
    ("unsigned", Some(Element::U32)),
    ("long", Some(Element::I64)),
    ("long unsigned", Some(Element::U64)),
    ("long long", Some(Element::I64)),
    ("long long unsigned", Some(Element::U64)),
    ("float", Some(Element::F32)),
    ("double", Some(Element::F64)),
    ("size_t", Some(Element::U64)),
    ("ssize_t", Some(Element::I64)),
    ("ptrdiff_t", Some(Element::I64)),
    ("int8_t", Some(Element::I8)),
    ("int16_t", Some(Element::I16)),
    ("int32_t", Some(Element::I32)),
    ("int64_t", Some(Element::I64)),
    ("uint8_t", Some(Element::U8)),
    ("uint16_t", Some(Element::U16)),
    ("uint32_t", Some(Element::U32)),
    ("uint64_t", Some(Element::U64)),
];

/// Types that cannot be passed, with advice.
const OTHERS: &[(&str, &str)] = &[
    ("struct", "a struct is not handed over: pass its members as numbers and arrays"),
    ("union", "a union is not handed over: pass its members as numbers and arrays"),
    ("enum", "an enum is handed over as a number: write `int`"),
    ("bool", "a bool is handed over as a number: write `unsigned char`"),
    ("_Bool", "a bool is handed over as a number: write `unsigned char`"),
    ("_Complex", "a complex number is not handed over: pass an array of twice as many `float` or `double`"),
    ("complex", "a complex number is not handed over: pass an array of twice as many `float` or `double`"),
    ("static", "a static function is not seen from outside: remove `static`, here and in the source"),
    ("inline", "an inline function may be seen nowhere: remove `inline`, here and in the source"),
    ("auto", "write out the type in place of `auto`"),
];

/// Whether a word can be part of a type.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(word, "int" | "signed") || TYPES.iter().any(|(words, _)| words.split(' ').any(|known| known == word))
}

/// The type that `words` name; `None` is `void`. `next` is the token behind them.
pub(super) fn element(words: &[Token<'_>], next: Token<'_>) -> Result<Option<Element>, SignatureError> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Err(no_type(next)) };
    let range = first.at..last.range().end;
    let mut rest: Vec<&str> =
        words.iter().map(|word| word.text).filter(|word| !matches!(*word, "int" | "signed")).collect();
    rest.sort_unstable();
    let is_integer = rest.iter().all(|word| matches!(*word, "char" | "short" | "long" | "unsigned"));
    let joined = if rest.is_empty() { "int".to_owned() } else { rest.join(" ") };
    let found = TYPES.iter().find(|(known, _)| *known == joined).filter(|_| is_integer || rest.len() == words.len());
    let typed = || words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    found.map(|(_, element)| *element).ok_or_else(|| {
        let message = match joined.as_str() {
            "double long" => "`long double` is not handed over: write `double`".to_owned(),
            _ => format!("there is no type `{}` in C", typed()),
        };
        SignatureError { message, range }
    })
}

fn no_type(token: Token<'_>) -> SignatureError {
    let typed = token.text;
    let known = || TYPES.iter().map(|(words, _)| *words).filter(|words| !words.contains(' '));
    let message = match OTHERS.iter().find(|(word, _)| *word == typed) {
        Some((_, message)) => (*message).to_owned(),
        None if !token.is_word() => format!("a type is missing before {}", token.shown()),
        None => match closest(typed, known()) {
            Some(near) => format!("there is no type `{typed}`: did you mean `{near}`?"),
            None => {
                format!("there is no type `{typed}` here: write what it stands for in C, such as `int` or `double`")
            }
        },
    };
    SignatureError { message, range: token.range() }
}
