//! Formulas and what they come to.

use paw_formula::{Formula, FormulaError, FormulaErrorKind};

fn names(name: &str) -> Option<f64> {
    match name {
        "n" => Some(1024.0),
        "threads" => Some(6.0),
        "min" => Some(3.0),
        "app.size_2" => Some(0.5),
        "endless" => Some(f64::INFINITY),
        _ => None,
    }
}

fn value(text: &str) -> f64 {
    Formula::parse(text).and_then(|f| f.evaluate(&names)).unwrap_or_else(|e| panic!("{e}\n{}", e.caret()))
}

fn fault(text: &str) -> FormulaError {
    Formula::parse(text).and_then(|f| f.evaluate(&names)).unwrap_err()
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("64 / 4 / 2", 8.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 ^ -1 ^ 2", 0.5),
        ("--3", 3.0),
        ("-3 * -2", 6.0),
        ("7 % 4 * 2", 6.0),
        ("-7 % 4", -3.0),
        ("1 + 1 == 2", 1.0),
        ("1 < 2 && 3 >= 4 || !0", 1.0),
        ("1 || 0 && 0", 1.0),
        ("!(1 < 2)", 0.0),
        ("!1 == 0", 1.0),
        ("3 && 2", 1.0),
        (".5 + 1. + 1.5e1 + 1E-1", 16.6),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_are_called_and_names_looked_up() {
    for (text, expected) in [
        ("8 * n^2", 8_388_608.0),
        ("min(threads, 4, n)", 4.0),
        ("max(1, min(2, 3))", 2.0),
        ("log2(n)", 10.0),
        ("ceil(n / threads) - floor(n / threads)", 1.0),
        ("round(2.5) + round(-2.5) + abs(-1)", 1.0),
        ("sqrt(n) * ln(1)", 0.0),
        ("app.size_2 * min", 1.5),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn whole_numbers_are_exact_up_to_two_to_the_53() {
    assert_eq!(value("2^53 - 1"), 9_007_199_254_740_991.0);
    assert_eq!(value("3^33"), 5_559_060_566_555_523.0);
    assert_eq!(value("9007199254740991 % 10"), 1.0);
    assert_eq!(value("9007199254740991 == 9007199254740992"), 0.0);
    assert_eq!(value("9007199254740991 < 9007199254740992"), 1.0);
    assert_eq!(value("n^5 % (n + 1)"), 1024.0);
}

#[test]
fn names_are_told_once_in_their_order() {
    let formula = Formula::parse("b * a + max(b, c.d) - min").unwrap();
    assert_eq!(formula.names(), ["b", "a", "c.d", "min"]);
    assert_eq!(formula.to_string(), "b * a + max(b, c.d) - min");
}

#[test]
fn a_condition_holds_where_it_is_not_zero() {
    let holds = |text: &str| Formula::parse(text).unwrap().holds(&names).unwrap();
    assert!(holds("n % 4 == 0 && threads <= 8"));
    assert!(holds("-0.5"));
    assert!(!holds("threads - 6"));
}

#[test]
fn the_right_side_is_not_looked_at_where_the_left_one_decides() {
    assert_eq!(value("0 && 1 / 0"), 0.0);
    assert_eq!(value("2 || unheard_of"), 1.0);
    assert_eq!(value("0 && 1 || threads > 5"), 1.0);
    assert_eq!(fault("1 && unheard_of").fault, FormulaErrorKind::Unknown("unheard_of".into()));
}

#[test]
fn an_error_is_a_sentence_and_a_place() {
    for (text, position, sentence) in [
        ("", 0, "the formula is empty: write something like `8 * n^2`"),
        ("  ", 0, "the formula is empty: write something like `8 * n^2`"),
        ("2 *", 3, "a value is missing before the end"),
        ("2 * / 3", 4, "a value is missing before `/`"),
        ("()", 1, "a value is missing before `)`"),
        ("2n", 1, "an operator is missing before `n`"),
        ("(n 3)", 3, "an operator is missing before `3`"),
        ("1 + (n * 2", 4, "this parenthesis is never closed: add `)`"),
        ("min(n, 2", 3, "this parenthesis is never closed: add `)`"),
        ("n)", 1, "this `)` closes nothing: remove it"),
        ("n, 2", 1, "this `,` separates nothing: only values of a function are separated"),
        ("(n, 2)", 2, "this `,` separates nothing: only values of a function are separated"),
        ("1 < n < 3", 6, "comparisons do not chain: write `a < b && b < c`"),
        ("n = 3", 2, "`=` has no meaning in a formula: write `==`"),
        ("n & 3", 2, "`&` has no meaning in a formula: write `&&`"),
        ("n ** 3", 2, "`**` has no meaning in a formula: write `^`"),
        ("n => 3", 2, "`=>` has no meaning in a formula: write `>=`"),
        ("2 × n", 2, "'×' has no meaning in a formula"),
        ("1e999", 0, "`1e999` is too large a number"),
        ("1e", 1, "an operator is missing before `e`"),
        ("pow(n, 2)", 0, "there is no function `pow`: there are min, max, sqrt, log2, ln, ceil, floor, round, abs"),
        ("1 + sqrt(n, 2)", 4, "`sqrt` takes one value, not 2"),
        ("ln()", 0, "`ln` takes one value, not 0"),
        ("max(n)", 0, "`max` takes two or more values, not 1"),
        ("2 * m", 4, "`m` has no value here: it is not a known name"),
        ("2 + endless", 4, "the value of `endless` is not a finite number"),
        ("n / (threads - 6)", 2, "1024 / 0 has no finite value"),
        ("n % 0", 2, "1024 % 0 has no finite value"),
        ("1 + log2(0)", 4, "log2(0) has no finite value"),
        ("sqrt(-1)", 0, "sqrt(-1) has no finite value"),
        ("1e200 * 1e200", 6, "1e200 * 1e200 has no finite value"),
    ] {
        let found = fault(text);
        assert_eq!((found.to_string().as_str(), found.position), (sentence, position));
    }
}

#[test]
fn the_caret_stands_below_the_place() {
    assert_eq!(fault("2 * m + 1").caret(), "2 * m + 1\n    ^");
    assert_eq!(fault("2 +\t(n").caret(), "2 + (n\n    ^");
    assert_eq!(fault("2 × n").caret(), "2 × n\n  ^");
    assert_eq!(fault("n ×").caret(), "n ×\n  ^");
    assert_eq!(fault("n *").caret(), "n *\n   ^");
}

#[test]
fn deep_and_long_formulas_are_refused() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(value(&nested(64)), 1.0);
    for text in [nested(65), nested(2000), "-".repeat(4000) + "1", "2^".repeat(100) + "1", "abs(".repeat(999)] {
        assert_eq!(fault(&text).fault, FormulaErrorKind::TooDeep);
    }
    assert_eq!(value(&("1+".repeat(2000) + "1")), 2001.0);
    let long = fault(&"ä".repeat(4000));
    assert_eq!((long.fault, long.text.len()), (FormulaErrorKind::TooLong(8000), 4096));
}

#[test]
fn a_formula_is_inverted_between_two_ends() {
    let invert = |text: &str, target, low, high| Formula::parse(text).unwrap().invert("x", target, low, high, &names);
    assert_eq!(invert("8 * x^2", 32768.0, 0.0, 1e9), Some(64.0));
    assert_eq!(invert("3 * 8 * x", 1_000_000.0, 1.0, 1e9).map(f64::round), Some(41667.0));
    assert_eq!(invert("n - x", 1000.0, 0.0, 1e6), Some(24.0), "a falling one");
    assert_eq!(invert("floor(x / 3)", 5.0, 0.0, 100.0), Some(15.0), "the beginning of a step");
    let root = invert("x^3", 2.0, 0.0, 2.0).unwrap();
    assert!((root - 2f64.cbrt()).abs() < 1e-15);
    assert_eq!(invert("x", 3.0, 3.0, 3.0), Some(3.0));
    for (text, target, low, high) in
        [("x", 5.0, 0.0, 4.0), ("x", 5.0, 9.0, 6.0), ("1 / x", 1.0, 0.0, 9.0), ("x + m", 5.0, 0.0, 9.0)]
    {
        assert_eq!(invert(text, target, low, high), None, "{text}");
    }
    assert_eq!(invert("x", f64::NAN, 0.0, 9.0), None);
}

#[test]
fn a_unit_multiplies_the_number_before_it() {
    for (text, expected) in [
        ("32 KiB", 32_768.0),
        ("1MiB / n", 1024.0),
        ("0.5GiB + 2 TiB", 0.5 * 1_073_741_824.0 + 2.0 * 1_099_511_627_776.0),
        ("3 kB + 2 MB + 1 GB + 4TB", 4_001_002_003_000.0),
        ("2 * 2 KiB ^ 2", 2.0 * 2048.0 * 2048.0),
        ("1e3kB", 1e6),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert_eq!(fault("2 KB").to_string(), "an operator is missing before `KB`");
    assert_eq!(fault("2 KiBs").to_string(), "an operator is missing before `KiBs`");
    assert_eq!(Formula::parse("KiB + 2 KiB").unwrap().names(), ["KiB"], "without a number before it, it is a name");
}

#[test]
fn an_exact_value_has_no_step_beyond_the_exact_whole_numbers() {
    let exact =
        |text: &str| Formula::parse(text).unwrap().evaluate_exactly(&names).map_err(|e| (e.to_string(), e.position));
    assert_eq!(
        exact("2^53 - 1"),
        Err(("2 ^ 53 is too large to be exact: whole numbers are exact below 2^53, about 9.0e15".to_owned(), 1))
    );
    assert_eq!(exact("9007199254740991"), Ok(9_007_199_254_740_991.0));
    assert_eq!(exact("n^5 * 7"), Ok(7.0 * 2_f64.powi(50)));
    assert_eq!(exact("-n^6").unwrap_err().1, 2);
    assert!(exact("1e16 / 1e10").unwrap_err().0.starts_with("1e16 is too large to be exact: "));
    assert!(exact("max(n, n * 1e15)").unwrap_err().0.starts_with("1024 * 1e15 is too large"));
    assert_eq!(exact("n / 3"), Ok(1024.0 / 3.0), "fractions are not whole, and say nothing of exactness");
}
