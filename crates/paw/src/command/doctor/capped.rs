//! Checks of the environment: variables that keep libraries below what the machine can do.

use paw_machine::doctor::{Examined, Finding, Unreadable};
use paw_machine::environment::{Cap, Capping, PLACE, Variables, capping};

/// The names of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    Cap::ALL.into_iter().map(Cap::id)
}

/// A finding for each variable that caps something, and one of each check that finds none.
pub fn examine(variables: &Variables) -> Vec<Examined> {
    let cappings = capping(variables);
    let of_check = |cap: Cap| {
        let own: Vec<Examined> = cappings.iter().filter(|own| own.cap == cap).map(Capping::examined).collect();
        if own.is_empty() { vec![cap.examined(Finding::of("none", PLACE).fine(fine(cap)))] } else { own }
    };
    Cap::ALL.into_iter().flat_map(of_check).collect()
}

/// What it means that nothing is capped.
fn fine(cap: Cap) -> &'static str {
    match cap {
        Cap::Threads => "no variable that paw knows caps the threads of a library",
        Cap::Isa => "no variable that paw knows caps the instruction set or kernel of a library",
    }
}

/// The checks of an environment that is not there.
pub fn unknown(why: &str) -> Vec<Examined> {
    Cap::ALL.into_iter().map(|cap| cap.examined(Finding::unknown(&Unreadable::new(PLACE, why)))).collect()
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;
    use paw_machine::environment::Variables;

    use super::{examine, unknown};

    fn found(variables: &[(&str, &str)]) -> Vec<(&'static str, Level, &'static str)> {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Variables = variables.iter().map(pair).collect();
        examine(&variables).into_iter().map(|examined| (examined.id, examined.finding.level, examined.effect)).collect()
    }

    #[test]
    fn every_check_has_a_finding_whether_something_is_capped_or_not() {
        let effect = "a library runs below what the machine can do";
        let (threads, isa) = ("capped-threads", "capped-isa");
        assert_eq!(found(&[]), [(threads, Level::Ok, effect), (isa, Level::Ok, effect)]);
        assert_eq!(found(&[("OMP_NUM_THREADS", "1")]), [(threads, Level::Warn, effect), (isa, Level::Ok, effect)]);
        let both = [("OMP_NUM_THREADS", "1"), ("MKL_NUM_THREADS", "1"), ("MKL_ENABLE_INSTRUCTIONS", "SSE4_2")];
        let each = [threads, threads, isa].map(|id| (id, Level::Warn, effect));
        assert_eq!(found(&both), each);
        assert!(unknown("why").iter().all(|examined| examined.finding.level == Level::Unknown));
    }
}
