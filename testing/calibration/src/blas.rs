//! Two byte-identical copies of one BLAS library: whatever is said between them is wrong.

use std::fs;
use std::path::Path;

use crate::experiment::{Experiment, Finding, Goal};
use crate::pairs::Verdicts;
use crate::tool::Tool;

/// Two copies of a library, and what was said of them.
#[derive(Debug)]
pub struct EqualLibraries {
    providers: String,
    verdicts: Verdicts,
}

/// Most wrong verdicts.
pub const CLAIMS_MAX: f64 = 0.01;

/// Where Debian and others keep OpenBLAS, if `OPENBLAS` does not name it.
const PLACES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/x86_64-linux-gnu/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/libopenblas.so.0",
    "/usr/lib64/libopenblas.so.0",
    "/usr/lib/libopenblas.so",
];

/// Copies the library twice.
///
/// # Errors
/// There is none, or it cannot be copied.
pub fn start(tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    let named = std::env::var("OPENBLAS").ok();
    let places = named.iter().map(String::as_str).chain(PLACES);
    let library = places.map(Path::new).find(|path| path.exists());
    let library = library.ok_or("no OpenBLAS was found; OPENBLAS=FILE names one")?;
    let copy = |name: &str| -> Result<String, String> {
        let folder = tool.path(&format!("blas-{name}"));
        let file = folder.join("libopenblas.so");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::copy(library, &file).map_err(|error| format!("{}: {error}", library.display()))?;
        Ok(file.display().to_string())
    };
    let providers = format!("{},{}", copy("a")?, copy("b")?);
    Ok(Box::new(EqualLibraries { providers, verdicts: Verdicts::default() }))
}

impl Experiment for EqualLibraries {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        let words = ["run", "dgemm", "--provider", &self.providers, "--set", "n=32,128,300", "--threads", "1"];
        self.verdicts.add_run(&tool.run(&words, &[])?);
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        vec![Finding {
            what: "equal BLAS libraries: FASTER or SLOWER".to_owned(),
            share: self.verdicts.claims,
            goal: Goal::AtMost(CLAIMS_MAX),
            note: self.verdicts.note(),
        }]
    }
}
