//! Two equal builds of one kernel, kept apart: whatever separates them is wrong.

use std::fs;

use paw_data::matrix::Matrix;

use crate::experiment::{Experiment, Finding, Goal};
use crate::pairs::Verdicts;
use crate::proportion::Proportion;
use crate::tool::Tool;

/// Two equal builds, and what was said of them.
#[derive(Debug, Default)]
pub struct EqualBuilds {
    /// Levels at which the letters separate the builds.
    separated: Proportion,
    verdicts: Verdicts,
}

/// Most wrong verdicts.
const CLAIMS_MAX: f64 = 0.02;

/// The kernel's source: a dependent chain of N steps, and a sum over an array.
const SOURCE: &str = "#include <stdint.h>
#ifndef EXTRA
#define EXTRA 0
#endif
double work(uint64_t n, const double *x) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += x[i];
    }
    uint32_t y = 1;
    for (uint64_t i = 0; i < EXTRA; i++) {
        y = y * 747796405u + 1u;
        __asm__ volatile(\"\" : \"+r\"(y));
    }
    return sum + (y == 0);
}
";

const SPEC: &str = "paw = \"kernel/1\"
sources = [\"work.c\"]
signature = \"double work(uint64_t n, const double *x)\"
iterations = \"n\"

[arrays]
x = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }
";

/// Writes the kernel; the path of its spec.
///
/// # Errors
/// It cannot be written.
pub fn written(tool: &Tool) -> Result<String, String> {
    let folder = tool.path("kernel");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(|error| error.to_string());
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    write("work.c", SOURCE)?;
    write("work.toml", SPEC)?;
    Ok(folder.join("work.toml").display().to_string())
}

/// Two equal builds.
///
/// # Errors
/// The kernel cannot be written.
pub fn start(tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    written(tool)?;
    Ok(Box::new(EqualBuilds::default()))
}

impl Experiment for EqualBuilds {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        let spec = tool.path("kernel").join("work.toml").display().to_string();
        let words = ["kernel", "matrix", &spec, "--compiler", "gcc", "--n", "400,4000"];
        let flags = ["--flags", "a=-O2", "--flags", "b=-O2", "--keep-identical", "--region", "2ms"];
        let run = tool.run(&[words.as_slice(), &flags].concat(), &[])?;
        self.verdicts.add_run(&run);
        let matrix = Matrix::of(&run).ok_or("the run holds no builds")?;
        for panel in &matrix.panels {
            let ranked = panel.rows.iter().filter(|row| row.is_ranked()).count();
            if ranked > 1 {
                self.separated.add(panel.leaders().len() < ranked);
            }
        }
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        let goal = Goal::AtMost(CLAIMS_MAX);
        let verdicts = Finding {
            what: "equal builds of a kernel: times alone differ".to_owned(),
            share: self.verdicts.claims,
            goal: Goal::None,
            note: self.verdicts.note(),
        };
        let what = "equal builds of a kernel: different letters".to_owned();
        vec![Finding { what, share: self.separated, goal, note: String::new() }, verdicts]
    }
}
