//! `paw kernel new`: a spec with a comment on every line, and a source that works with it.

use std::path::{Path, PathBuf};

use paw_kernels::spec::template::{New, template};

use crate::cli::NewArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::print;

/// Writes both files; an existing file is kept.
pub fn new(args: &NewArgs) -> Result<Code, Failure> {
    let name = args.name.strip_suffix(".toml").unwrap_or(&args.name);
    let stem = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if stem.is_empty() || !stem.chars().all(is_word) || stem.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Failure::usage(format!("`{name}` cannot name a function: use letters, digits and _")));
    }
    let (spec, (source_name, source)) = template(stem, args.language.into());
    let directory = Path::new(name).parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let (spec_path, source_path) = (directory.join(format!("{stem}.toml")), directory.join(source_name));
    for path in [&spec_path, &source_path] {
        if path.exists() {
            return Err(Failure::io(format!("{} is there already: it is left as it is", path.display()))
                .hint("choose another name, or another directory"));
        }
    }
    file::write(&source_path, &source)?;
    file::write(&spec_path, &spec)?;
    let spec = spec_path.display();
    let next = match New::from(args.language) {
        New::Processor(_) => "matrix",
        New::Device(_) => "measure",
    };
    print::show(&format!("wrote {spec} and {}\nnext: paw kernel {next} {spec}\n", source_path.display()))?;
    Ok(Code::Done)
}
