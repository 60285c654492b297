//! `paw install`: PAW's executable names as links to this paw, its manual pages, and its completions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use super::completions::script;
use crate::cli::{Cli, ExecutableNames, InstallArgs};
use crate::executable;
use crate::exit::Code;
use crate::failure::Failure;
use crate::installation::{Content, InstalledFile, MARK};
use crate::print;

/// Where each shell looks for completions below a prefix.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/paw"),
    (Shell::Zsh, "share/zsh/site-functions/_paw"),
    (Shell::Fish, "share/fish/vendor_completions.d/paw.fish"),
];

/// Makes all files, or none where a file of somebody else is in the way.
pub fn install(args: &InstallArgs) -> Result<Code, Failure> {
    let files = files(args)?;
    let foreign: BTreeSet<_> = files.iter().filter_map(InstalledFile::obstacle).collect();
    if !foreign.is_empty() {
        let names: Vec<_> = foreign.iter().map(|path| path.display().to_string()).collect();
        let verb = if names.len() == 1 { "exists and was" } else { "exist and were" };
        let sentence = format!("{} {verb} not made by paw install: nothing is installed", names.join(", "));
        return Err(Failure::io(sentence).hint("move it away, or choose another directory with --prefix"));
    }
    let mut said = String::new();
    for file in &files {
        if !args.dry_run {
            file.make()?;
        }
        said += &match &file.content {
            Content::Link(target) => format!("{} -> {}\n", file.path.display(), target.display()),
            Content::Text(_) => format!("{}\n", file.path.display()),
        };
    }
    let done = if args.dry_run { "would be made" } else { "made" };
    print::show(&format!("{said}{} files {done}.\n", files.len()))?;
    Ok(Code::Done)
}

fn files(args: &InstallArgs) -> Result<Vec<InstalledFile>, Failure> {
    let bin = args.prefix.join("bin");
    let program = program(&bin)?;
    let mut files: Vec<_> = names(args.names)
        .into_iter()
        .map(|name| InstalledFile { path: bin.join(name), content: Content::Link(program.clone()) })
        .collect();
    files.extend(pages(&args.prefix));
    files.extend(COMPLETIONS.iter().map(|(shell, path)| completions(*shell, &args.prefix.join(path))));
    Ok(files)
}

/// This program as links in `bin` name it: by its name alone where it lies there, so that the tree can be moved.
fn program(bin: &Path) -> Result<PathBuf, Failure> {
    let unknown = |error| Failure::io(format!("the path of this program cannot be found: {error}"));
    let own = std::env::current_exe().and_then(fs::canonicalize).map_err(unknown)?;
    let lies_there = fs::canonicalize(bin.join("paw")).is_ok_and(|there| there == own);
    Ok(if lies_there { PathBuf::from("paw") } else { own })
}

/// The names that get a link, sorted.
fn names(family: ExecutableNames) -> Vec<&'static str> {
    let is_wanted = |suite: &str, name: &str| match family {
        ExecutableNames::Blas | ExecutableNames::Mpi => {
            suite == if family == ExecutableNames::Blas { "blas" } else { "mpi" }
        }
        ExecutableNames::Gpu => name.starts_with("gpu_"),
        ExecutableNames::Phi => name.starts_with("phi_"),
        ExecutableNames::All => true,
        ExecutableNames::Pages => false,
    };
    let mut names: Vec<_> =
        executable::all().filter(|(suite, name)| is_wanted(suite, name)).map(|(_, name)| name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A manual page for each command.
fn pages(prefix: &Path) -> Vec<InstalledFile> {
    let mut paw = Cli::command();
    paw.build();
    let mut pages = Vec::new();
    collect(&paw, &prefix.join("share/man/man1"), &mut pages);
    pages
}

fn collect(command: &clap::Command, directory: &Path, pages: &mut Vec<InstalledFile>) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    debug_assert!(rendered.is_ok(), "memory takes every write");
    let text = format!(".\\\" {MARK}\n{}", String::from_utf8_lossy(&page));
    pages.push(InstalledFile { path: directory.join(format!("{name}.1")), content: Content::Text(text) });
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        collect(sub, directory, pages);
    }
}

fn completions(shell: Shell, path: &Path) -> InstalledFile {
    // At the end: zsh reads the first line.
    InstalledFile { path: path.to_owned(), content: Content::Text(format!("{}\n# {MARK}\n", script(shell))) }
}
