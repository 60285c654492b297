//! Styles only where they are wanted.

use crate::workplace::{TINY, Workplace};

#[test]
fn styles_are_for_those_who_want_them() {
    let workplace = Workplace::new();
    let styled = |variables: &[(&str, &str)], args: &str| {
        let ran = workplace.paw_with(variables, args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.contains('\u{1b}')
    };
    assert!(!styled(&[], TINY), "a pipe gets plain text");
    assert!(styled(&[("CLICOLOR_FORCE", "1")], TINY));
    assert!(!styled(&[("NO_COLOR", "1")], TINY));
    assert!(!styled(&[("CLICOLOR_FORCE", "1")], &format!("{TINY} --format csv")));
}
