//! Declarations that are read, and refused.

use proptest::prelude::*;

use super::*;

/// What a declaration comes to: `name: type by`, and the result.
#[track_caller]
fn check(text: &str, shown: &str) {
    let declaration = Declaration::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let Signature { result, parameters, .. } = &declaration.signature;
    let one = |(parameter, (_, is_const)): (&Parameter, &(Range<usize>, bool))| {
        let sign = match (parameter.by, is_const) {
            (PassedBy::Value, _) => "",
            (PassedBy::Address, true) => "&const ",
            (PassedBy::Address, false) => "&",
        };
        format!("{} {sign}{}", parameter.name, parameter.element.name())
    };
    let parameters: Vec<String> = parameters.iter().zip(&declaration.parameters).map(one).collect();
    let result = result.map_or("void", Element::name);
    assert_eq!(format!("{}({}) -> {result}", declaration.function, parameters.join(", ")), shown, "{text}");
}

/// What is said of it, and the part of the text that is meant.
#[track_caller]
fn refused(text: &str, meant: &str, message: &str) {
    let error = Declaration::parse(text).unwrap_err();
    assert_eq!((&text[error.range], error.message.as_str()), (meant, message), "{text}");
}

#[test]
fn types_of_c_are_known_in_every_spelling() {
    check("void product(unsigned n, float a[n][n], double b[n])", "product(n u32, a &f32, b &f64) -> void");
    check(
        "double dot(size_t n, const double *x, double const *restrict y);",
        "dot(n u64, x &const f64, y &const f64) -> f64",
    );
    check("int f(char a, signed char b, unsigned char c)", "f(a i8, b i8, c u8) -> i32");
    check(
        "long f(short int a, unsigned short b, int long unsigned c, long long int d)",
        "f(a i16, b u16, c u64, d i64) -> i64",
    );
    check(
        "void f(int8_t a, uint16_t *b, int64_t c[], uint64_t d[static n])",
        "f(a i8, b &u16, c &i64, d &u64) -> void",
    );
    check("extern \"C\" float f(signed a, unsigned int b, const double c)", "f(a i32, b u32, c f64) -> f32");
    check("float f(float * __restrict__ const a, volatile int*b)", "f(a &f32, b &i32) -> f32");
    check("double f(void)", "f() -> f64");
    check("double f()", "f() -> f64");
    check(" void\n f ( int n ,\n float a [ 2 * n + 1 ] [ m[0] ] ) ; ", "f(n i32, a &f32) -> void");
    check(
        "void f(ssize_t a, ptrdiff_t b, uint8_t *c, int16_t d, int32_t e)",
        "f(a i64, b i64, c &u8, d i16, e i32) -> void",
    );
}

#[test]
fn what_is_not_handed_over_is_refused_with_a_way_out() {
    let two = "a pointer to pointers is not handed over: pass all elements in one array, `float *a` or `float a[n][n]`";
    refused("void f(float **a)", "*", two);
    refused("void f(float *a[n])", "[", two);
    refused("void f(struct point p)", "struct", "a struct is not handed over: pass its members as numbers and arrays");
    refused("void f(bool p)", "bool", "a bool is handed over as a number: write `unsigned char`");
    refused("void f(void *p)", "void", "`p` points at void: write the type of its elements, as in `float *p`");
    refused("void f(void p)", "void", "`p` is void: give it a type");
    refused("void f(long double p)", "long double", "`long double` is not handed over: write `double`");
    refused("void f(int n, ...)", "...", "a function with any number of parameters is not called: name them all");
    refused("void f(float &x)", "&", "a reference is handed over as a pointer: write `*` in place of `&`");
    refused("float *f(int n)", "*", "a result is a number or void: hand the array over as a parameter");
    refused(
        "void f(float (*a)[8])",
        "(",
        "parentheses are not read here: write an array as `float a[n][n]` or `float *a`",
    );
    refused(
        "static void f(int n)",
        "static",
        "a static function is not seen from outside: remove `static`, here and in the source",
    );
}

#[test]
fn what_is_missing_is_said() {
    refused("void f(int, float *a)", ",", "the name of a parameter is missing before `,`");
    refused("void f(float *)", ")", "the name of a parameter is missing before `)`");
    refused("void f(float a[n)", "[", "this bracket is never closed: add `]`");
    refused("void (int n)", "(", "the name of the function is missing before `(`");
    refused("void f", "", "expected the parameters in parentheses, not the end");
    refused("void f(int n", "", "expected `,` or `)` after a parameter, not the end");
    refused("void f(int n) {", "{", "expected nothing more, not `{`");
    refused("f(int n)", "f", "there is no type `f` here: write what it stands for in C, such as `int` or `double`");
    refused("void f(flaot a)", "flaot", "there is no type `flaot`: did you mean `float`?");
    refused("void f(n)", "n", "there is no type `n` here: write what it stands for in C, such as `int` or `double`");
    refused("void f(const)", ")", "a type is missing before `)`");
    refused("void f(unsigned float a)", "unsigned float", "there is no type `unsigned float` in C");
    refused("void f(signed double a)", "signed double", "there is no type `signed double` in C");
    refused("void f(int a, int a)", "a", "there are two parameters `a`: rename one");
    refused("", "", "a type is missing before the end");
}

#[test]
fn more_than_the_registers_hold_is_refused() {
    let whole: Vec<String> = (0..7).map(|i| format!("int *p{i}")).collect();
    let float: Vec<String> = (0..9).map(|i| format!("float x{i}")).collect();
    check(
        &format!("void f({})", whole[..6].join(", ")),
        "f(p0 &i32, p1 &i32, p2 &i32, p3 &i32, p4 &i32, p5 &i32) -> void",
    );
    assert!(Declaration::parse(&format!("void f({}, {})", float[..8].join(", "), whole[..6].join(", "))).is_ok());
    refused(
        &format!("void f({})", whole.join(", ")),
        "p6",
        "`p6` is one too many: at most 6 whole numbers and pointers are handed over in registers; gather some in one array",
    );
    refused(
        &format!("void f({})", float.join(", ")),
        "x8",
        "`x8` is one too many: at most 8 floating-point numbers are handed over in registers; gather some in one array",
    );
}

proptest! {
    #[test]
    fn no_mixture_of_words_panics(text in r#"(void|int|f|float|\(|\)|\[|\]|\*|,|"|é| |const|unsigned|n|;|\.\.\.){0,24}"#) {
        if let Err(error) = Declaration::parse(&text) {
            prop_assert!(text.get(error.range).is_some());
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = Declaration::parse(&text);
    }
}
