//! One program as both commands of `paw app --versus`.

use crate::experiment::{Experiment, Finding, Goal};
use crate::pairs::Verdicts;
use crate::tool::Tool;

/// One program against itself.
#[derive(Debug, Default)]
pub struct EqualPrograms {
    verdicts: Verdicts,
}

/// Most wrong verdicts.
const CLAIMS_MAX: f64 = 0.02;

/// One program against itself.
///
/// # Errors
/// Never.
pub fn start(_tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    Ok(Box::new(EqualPrograms::default()))
}

impl Experiment for EqualPrograms {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        let spin = tool.program("spin").display().to_string();
        let other = format!("{spin} --work-ms 6");
        self.verdicts.add_run(&tool.run(&["app", "--versus", &other], &[&spin, "--work-ms", "6"])?);
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        vec![Finding {
            what: "equal programs: FASTER or SLOWER".to_owned(),
            share: self.verdicts.claims,
            goal: Goal::AtMost(CLAIMS_MAX),
            note: self.verdicts.note(),
        }]
    }
}
