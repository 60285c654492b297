//! Work of known length added to a kernel and to a program: how often it is found.

use paw_data::comparison::{Comparison, Origin};
use paw_data::run::{Record, Run};

use crate::experiment::{Experiment, Finding, Goal};
use crate::kernels;
use crate::pairs::Verdicts;
use crate::proportion::Proportion;
use crate::tool::Tool;

/// A difference that is known, and what was said of it.
#[derive(Debug)]
struct Difference {
    percent: u32,
    /// In kernels and in programs.
    verdicts: [Verdicts; 2],
    /// Intervals that lie above 1.
    directions: [Proportion; 2],
}

/// Known differences in kernels and programs.
#[derive(Debug)]
pub struct KnownDifferences {
    spec: String,
    differences: [Difference; 2],
    repeats: u32,
}

/// Steps of the kernel's chain without an addition, and milliseconds of the program.
const STEPS: u32 = 10_000;
const PROGRAM_MS: f64 = 10.0;

/// What the differences are in.
const WHERE: [&str; 2] = ["kernel", "program"];

/// Known differences.
///
/// # Errors
/// The kernel cannot be written.
pub fn start(tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    let difference = |percent| Difference { percent, verdicts: Default::default(), directions: Default::default() };
    let differences = [difference(2), difference(5)];
    Ok(Box::new(KnownDifferences { spec: kernels::written(tool)?, differences, repeats: 0 }))
}

impl Experiment for KnownDifferences {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        let difference = &mut self.differences[(self.repeats / 2 % 2) as usize];
        let place = (self.repeats % 2) as usize;
        self.repeats += 1;
        let run = match place {
            0 => kernel(tool, &self.spec, difference.percent)?,
            _ => program(tool, difference.percent)?,
        };
        let [a, b] = measured(&run)[..] else { return Err("the run holds no pair".to_owned()) };
        let comparison = Comparison::between(a, b, Origin::SameRun).ok_or("the pair has no ratio")?;
        difference.verdicts[place].add(comparison.verdict);
        difference.directions[place].add(comparison.interval.is_some_and(|interval| interval.low > 1.0));
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        let of = |difference: &Difference| {
            let rows = WHERE.iter().zip(&difference.verdicts).zip(&difference.directions);
            let finding = |((place, verdicts), directions): ((&&str, &Verdicts), &Proportion)| Finding {
                what: format!("{place} +{} %: SLOWER", difference.percent),
                share: verdicts.slower,
                goal: if difference.percent == 5 { Goal::AtLeast(0.9) } else { Goal::None },
                note: format!("interval above 1 in {} of {}; {}", directions.count, directions.of, verdicts.note()),
            };
            rows.map(finding).collect::<Vec<_>>()
        };
        self.differences.iter().flat_map(of).collect()
    }
}

/// A run of the kernel as it is and with `percent` more steps.
fn kernel(tool: &Tool, spec: &str, percent: u32) -> Result<Run, String> {
    let plain = format!("plain=-O2 -DEXTRA={STEPS}");
    let more = format!("more=-O2 -DEXTRA={}", STEPS + STEPS * percent / 100);
    let words = ["kernel", "matrix", spec, "--compiler", "gcc", "--n", "8", "--region", "2ms"];
    tool.run(&[words.as_slice(), &["--flags", &plain, "--flags", &more]].concat(), &[])
}

/// A run of a program and of one that works `percent` longer.
fn program(tool: &Tool, percent: u32) -> Result<Run, String> {
    let spin = tool.program("spin").display().to_string();
    let longer = format!("{spin} --work-ms {}", PROGRAM_MS * (1.0 + f64::from(percent) / 100.0));
    tool.run(&["app", "--versus", &longer], &[&spin, "--work-ms", &PROGRAM_MS.to_string()])
}

/// The cells with samples, in order.
fn measured(run: &Run) -> Vec<&Record> {
    run.records.iter().filter(|record| !record.samples.is_empty()).collect()
}
