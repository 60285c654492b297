//! Encodes the root's decision as two numbers that can be broadcast.

use paw_data::outcome::Ending;

use crate::fault::Fault;
use crate::team::Decision;

const ENDINGS: [Ending; 10] = [
    Ending::Converged,
    Ending::Valid,
    Ending::Complete,
    Ending::NoisyStable,
    Ending::MaxSamples,
    Ending::Timeout,
    Ending::Budget,
    Ending::Disturbed,
    Ending::Interrupted,
    Ending::Decided,
];

const GO: f64 = 0.0;
const STOP: f64 = 1.0;
const SECONDS: f64 = 2.0;

/// The kind of a decision, and its number.
pub fn code(decision: Decision) -> [f64; 2] {
    match decision {
        Decision::Go => [GO, 0.0],
        Decision::Stop(ending) => [STOP, number(ending)],
        Decision::Seconds(seconds) => [SECONDS, seconds],
    }
}

/// Decodes a decision; an unknown code is an error, because the ranks are then at different calls.
pub fn decision([kind, value]: [f64; 2]) -> Result<Decision, Fault> {
    let ending = || ENDINGS.into_iter().find(|ending| number(*ending) == value);
    let decision = match kind {
        GO => Some(Decision::Go),
        STOP => ending().map(Decision::Stop),
        SECONDS => Some(Decision::Seconds(value)),
        _ => None,
    };
    decision.ok_or_else(|| Fault::Broken("the ranks are out of step: the root sent what is no decision".to_owned()))
}

fn number(ending: Ending) -> f64 {
    match ending {
        Ending::Converged => 0.0,
        Ending::Valid => 1.0,
        Ending::Complete => 2.0,
        Ending::NoisyStable => 3.0,
        Ending::MaxSamples => 4.0,
        Ending::Timeout => 5.0,
        Ending::Budget => 6.0,
        Ending::Disturbed => 7.0,
        Ending::Interrupted => 8.0,
        Ending::Decided => 9.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_survives_as_numbers() {
        let stops = ENDINGS.into_iter().map(Decision::Stop);
        for one in stops.chain([Decision::Go, Decision::Seconds(1e-9), Decision::Seconds(f64::INFINITY)]) {
            assert_eq!(decision(code(one)), Ok(one));
        }
    }

    #[test]
    fn numbers_that_are_no_decision_say_that_the_ranks_are_out_of_step() {
        assert!(decision([7.0, 0.0]).unwrap_err().to_string().contains("out of step"));
        assert!(decision([STOP, 99.0]).is_err());
    }
}
