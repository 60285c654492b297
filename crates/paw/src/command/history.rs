//! `paw history`: the runs of a machine over time.

mod add;
mod export;
mod machines;
mod page;
mod source;

use machines::Sameness;
use paw_report::history::{History, PANELS_MAX, detail_text, history_svg, list_text};

use crate::cli::{HistoryArgs, HistoryCommand, HistoryFormat};
use crate::exit::Code;
use crate::failure::Failure;
use crate::{file, print};

/// Shows the history of a machine, or adds runs to it.
pub fn history(args: &HistoryArgs) -> Result<Code, Failure> {
    if let Some(HistoryCommand::Add(add)) = &args.command {
        return add::add(add, &args.store);
    }
    let entries = source::entries(args)?;
    if let Some(format) = args.export {
        return export::export(&entries, args, format);
    }
    let machine = machines::chosen(&entries, args.machine.as_deref(), Sameness::of(args))?;
    let history = page::page(machine, &args.names)?;
    if let Some(path) = &args.svg {
        picture(&history, path)?;
    }
    match args.format {
        HistoryFormat::Json => print::show(&page::json(&history))?,
        HistoryFormat::Text if args.names.is_empty() => {
            print::show(&list_text(&history, print::width(), print::colour()))?
        }
        HistoryFormat::Text => print::show(&detail_text(&history, print::width(), print::colour()))?,
    }
    Ok(Code::Done)
}

fn picture(history: &History<'_>, path: &std::path::Path) -> Result<(), Failure> {
    let series = history.tracks.len();
    if series > PANELS_MAX {
        print::warn(&format!("{}: the first {PANELS_MAX} of {series} series are drawn; name fewer", path.display()));
    }
    file::write(path, &history_svg(history))
}
