//! `paw analyze`: what a program or library is made of.

use paw_binary::analysis::{Context, analyse, own_functions};
use paw_binary::{BinaryError, Function, Image};
use paw_data::code::Code as Found;
use paw_data::json;

use crate::cli::{AnalyzeArgs, AnalyzeFormat};
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

/// Functions that are analysed where none is named: the decoding of a large program takes minutes.
const FUNCTIONS_MAX: usize = 2000;
/// Functions with loops that are shown where none is named.
const SHOWN_MAX: usize = 40;

/// Prints what was found.
pub fn analyze(args: &AnalyzeArgs) -> Result<Code, Failure> {
    let image = Image::open(&args.file).map_err(|why| unreadable(&why))?;
    let functions = functions(&image, args)?;
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let mut found = analyse(&Context { image: &image, lines: lines.as_ref() }, &functions);
    if args.functions.is_empty() {
        shorten(&mut found, own_functions(&image).count());
    }
    show(&found, args.format)?;
    Ok(Code::Done)
}

fn functions(image: &Image, args: &AnalyzeArgs) -> Result<Vec<Function>, Failure> {
    if args.functions.is_empty() {
        return Ok(own_functions(image).take(FUNCTIONS_MAX).collect());
    }
    let mut all = Vec::new();
    for name in &args.functions {
        let found = image.functions_named(name);
        if found.is_empty() {
            let why = format!("{} has no function {name}", args.file.display());
            return Err(Failure::nothing(why).hint("without --function, paw analyze lists those that have loops"));
        }
        all.extend(found);
    }
    Ok(all)
}

/// Keeps functions with loops, and says how many others there are.
fn shorten(found: &mut Found, all: usize) {
    let looked_at = found.functions.len();
    found.functions.retain(|function| !function.loops.is_empty());
    let with_loops = found.functions.len();
    found.functions.truncate(SHOWN_MAX);
    if all > looked_at {
        found
            .unknown
            .push(format!("{} of {all} functions were not looked at; name one with --function", all - looked_at));
    }
    if with_loops > SHOWN_MAX {
        found.unknown.push(format!("{} more functions have loops; name one with --function", with_loops - SHOWN_MAX));
    }
    if with_loops == 0 {
        found.unknown.push(format!("none of the {looked_at} functions that were looked at has a loop"));
    }
}

fn show(found: &Found, format: AnalyzeFormat) -> Result<(), Failure> {
    let found = crate::confidential::cleaned(found);
    let codes = std::slice::from_ref(&found);
    match format {
        AnalyzeFormat::Text => print::show(&paw_report::code_text(codes, print::width(), print::colour())),
        AnalyzeFormat::Md => print::show(&paw_report::code_markdown(codes)),
        AnalyzeFormat::Json => {
            let found = json::to_value(&found).map_err(|error| Failure::io(error.to_string()))?;
            print::show(&format!("{found:#}\n"))
        }
    }
}

fn unreadable(why: &BinaryError) -> Failure {
    Failure::io(why.to_string())
}
