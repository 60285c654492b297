//! What holds for all formulas: nothing panics, and values are those of a small evaluator that walks a tree.

use paw_formula::Formula;
use proptest::prelude::*;

/// A formula as a tree, for the reference to walk and for a text to be made from.
#[derive(Debug, Clone)]
enum Tree {
    Number(u32),
    Name(&'static str),
    Negative(Box<Tree>),
    Not(Box<Tree>),
    Pair(Box<Tree>, &'static str, Box<Tree>),
    Call(&'static str, Vec<Tree>),
}

const SIGNS: &[&str] = &["+", "-", "*", "/", "%", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
const ONE: &[&str] = &["sqrt", "log2", "ln", "ceil", "floor", "round", "abs"];

fn lookup(name: &str) -> Option<f64> {
    match name {
        "x" => Some(3.0),
        "y.z" => Some(-0.25),
        _ => None,
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf =
        prop_oneof![(0..12u32).prop_map(Tree::Number), prop::sample::select(&["x", "y.z"][..]).prop_map(Tree::Name)];
    leaf.prop_recursive(5, 48, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => (boxed(), prop::sample::select(SIGNS), boxed()).prop_map(|(a, sign, b)| Tree::Pair(a, sign, b)),
            1 => boxed().prop_map(Tree::Negative),
            1 => boxed().prop_map(Tree::Not),
            1 => (prop::sample::select(ONE), inner.clone()).prop_map(|(name, a)| Tree::Call(name, vec![a])),
            1 => (prop::sample::select(&["min", "max"][..]), prop::collection::vec(inner.clone(), 2..4))
                .prop_map(|(name, values)| Tree::Call(name, values)),
        ]
    })
}

/// How tightly the outermost operation binds, as the documentation lists it.
fn tightness(tree: &Tree) -> u8 {
    match tree {
        Tree::Pair(_, "||", _) => 1,
        Tree::Pair(_, "&&", _) => 2,
        Tree::Pair(_, "+" | "-", _) => 4,
        Tree::Pair(_, "*" | "/" | "%", _) => 5,
        Tree::Pair(_, "^", _) => 7,
        Tree::Pair(..) => 3,
        Tree::Negative(_) | Tree::Not(_) => 6,
        _ => 8,
    }
}

/// The text with no more parentheses than needed.
fn text(tree: &Tree) -> String {
    let within =
        |inner: &Tree, least: u8| if tightness(inner) < least { format!("({})", text(inner)) } else { text(inner) };
    match tree {
        Tree::Number(number) => number.to_string(),
        Tree::Name(name) => (*name).to_owned(),
        Tree::Negative(inner) => format!("-{}", within(inner, 6)),
        Tree::Not(inner) => format!("!{}", within(inner, 6)),
        Tree::Pair(a, "^", b) => format!("{} ^{}", within(a, 8), within(b, 6)),
        Tree::Pair(a, sign, b) => {
            let own = tightness(tree);
            format!("{} {sign} {}", within(a, if own == 3 { 4 } else { own }), within(b, own + 1))
        }
        Tree::Call(name, values) => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("{name}({})", values.join(" , "))
        }
    }
}

/// The value by walking the tree; `None` where a step has no finite value.
fn reference(tree: &Tree) -> Option<f64> {
    let value = match tree {
        Tree::Number(number) => f64::from(*number),
        Tree::Name(name) => lookup(name)?,
        Tree::Negative(inner) => -reference(inner)?,
        Tree::Not(inner) => f64::from(reference(inner)? == 0.0),
        Tree::Pair(a, sign, b) => pair(reference(a)?, sign, b)?,
        Tree::Call(name, values) => {
            let values = values.iter().map(reference).collect::<Option<Vec<f64>>>()?;
            let first = values[0];
            match *name {
                "min" => values.into_iter().fold(f64::INFINITY, f64::min),
                "max" => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
                "sqrt" => first.sqrt(),
                "log2" => first.log2(),
                "ln" => first.ln(),
                "ceil" => first.ceil(),
                "floor" => first.floor(),
                "round" => first.round(),
                _ => first.abs(),
            }
        }
    };
    value.is_finite().then_some(value)
}

fn pair(a: f64, sign: &str, b: &Tree) -> Option<f64> {
    match sign {
        "&&" if a == 0.0 => return Some(0.0),
        "||" if a != 0.0 => return Some(1.0),
        _ => {}
    }
    let b = reference(b)?;
    Some(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        "^" => a.powf(b),
        "<" => f64::from(a < b),
        "<=" => f64::from(a <= b),
        ">" => f64::from(a > b),
        ">=" => f64::from(a >= b),
        "==" => f64::from(a == b),
        "!=" => f64::from(a != b),
        _ => f64::from(b != 0.0),
    })
}

/// Powers are computed otherwise here and there; anything discontinuous after one may then turn on a last digit.
fn has_power(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) | Tree::Name(_) => false,
        Tree::Negative(inner) | Tree::Not(inner) => has_power(inner),
        Tree::Pair(a, sign, b) => *sign == "^" || has_power(a) || has_power(b),
        Tree::Call(_, values) => values.iter().any(has_power),
    }
}

fn evaluate(text: &str) -> Option<f64> {
    let formula = Formula::parse(text).unwrap_or_else(|e| panic!("{e}\n{}", e.caret()));
    formula.evaluate(&lookup).ok()
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = Formula::parse(&text).map_err(|e| e.caret()).map(|f| f.evaluate(&lookup));
    }

    #[test]
    fn no_mixture_of_words_panics(words in prop::collection::vec(prop::sample::select(
        &["1", "2.5", ".", "1e", "e9", "x", "y.z", "_", "min", "ln", "(", ")", ",", "+", "-", "*", "/", "%", "^", "!",
          "<", "<=", "=", "==", "&&", "&", "||", " ", "\t", "\n", "é", "\u{0}"][..]), 0..24)) {
        let text = words.concat();
        match Formula::parse(&text) {
            Ok(formula) => {
                let again = Formula::parse(&formula.to_string()).unwrap();
                prop_assert_eq!(&again, &formula);
                prop_assert_eq!(again.names(), formula.names());
                if let Ok(value) = formula.evaluate(&lookup) {
                    prop_assert!(value.is_finite());
                    prop_assert_eq!(again.evaluate(&lookup), Ok(value));
                }
            }
            Err(error) => {
                prop_assert!(error.position <= text.len() && text.is_char_boundary(error.position));
                prop_assert!(error.caret().ends_with('^') && !error.to_string().contains('\n'));
            }
        }
    }

    #[test]
    fn values_are_those_of_the_reference(tree in trees()) {
        if !has_power(&tree) {
            let text = text(&tree);
            prop_assert_eq!(evaluate(&text), reference(&tree), "{}", text);
        }
    }

    #[test]
    fn a_power_of_values_is_that_of_the_reference(a in trees(), b in trees(), whole in 0..9u32) {
        for exponent in [b, Tree::Number(whole)] {
            let power = Tree::Pair(Box::new(a.clone()), "^", Box::new(exponent));
            let inner = |t: &Tree| matches!(t, Tree::Pair(a, _, b) if has_power(a) || has_power(b));
            if inner(&power) {
                continue;
            }
            let (found, expected) = (evaluate(&text(&power)), reference(&power));
            let close = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 1e-13 * expected.abs(),
                (found, expected) => found == expected,
            };
            prop_assert!(close, "{}: {found:?} is not {expected:?}", text(&power));
        }
    }

    #[test]
    fn an_inverse_reaches_its_target(slope in 1..1000u32, power in 1..4i32, x in 1.0..1e6f64) {
        let formula = Formula::parse(&format!("{slope} * n^{power} + 7")).unwrap();
        let value = |x: f64| formula.evaluate(&|_| Some(x)).unwrap();
        let found = formula.invert("n", value(x), 0.0, 1e7, &|_| None).unwrap();
        prop_assert!((found - x).abs() <= 1e-9 * x, "{found} is not {x}");
    }
}
