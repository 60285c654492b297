//! The commands of `paw app` with their names: texts before --, one after it, and that of --versus.

use std::collections::HashSet;
use std::path::Path;

use paw_apps::lookup;
use paw_apps::request::NamedTemplate;
use paw_apps::template::Template;
use paw_data::application::COMMAND;

use super::line;
use crate::cli::AppArgs;
use crate::failure::Failure;

/// Most characters of a name that is made of a command.
const NAME_MAX: usize = 40;

/// A command as typed.
struct Typed {
    /// The text, or the words joined.
    text: String,
    /// Its name, where it has one: `new='./prog -x'`.
    name: Option<String>,
    template: Template,
}

/// All commands with their names; that of --versus is the last. One command without a name is `command`.
pub fn commands(args: &AppArgs) -> Result<Vec<NamedTemplate>, Failure> {
    separated(args)?;
    let mut all: Vec<Typed> = args.commands.iter().map(|text| typed(args, "CMD", text)).collect::<Result<_, _>>()?;
    if !args.command.is_empty() {
        let line = args.command.join(" ");
        all.push(match args.launching.shell {
            true => Typed { template: Template::shell(&line), text: line, name: None },
            false => Typed { text: joined(&args.command), name: None, template: Template::words(&args.command) },
        });
    }
    if all.iter().any(|typed| !typed.template.is_shell() && typed.template.typed()[0].is_empty()) {
        return Err(Failure::usage("the command has no name: its first word is empty").hint("write a program there"));
    }
    if all.is_empty() {
        return Err(Failure::usage("there is no command to measure")
            .hint("write it after --: paw app -- ./program --size 100, or in quotes: paw app './program --size 100'"));
    }
    if let Some(text) = &args.sweep.versus {
        all.push(typed(args, "--versus", text)?);
    }
    named(args, all)
}

/// Checks that arguments are not taken for commands where -- was forgotten.
fn separated(args: &AppArgs) -> Result<(), Failure> {
    let Some(first) = args.commands.first() else { return Ok(()) };
    if args.command.first().is_some_and(|word| word.starts_with('-')) {
        let sentence = format!("`{}` stands where a program is expected", args.command[0]);
        return Err(Failure::usage(sentence).hint(one_command(&[&args.commands[..], &args.command].concat())));
    }
    let is_argument =
        |text: &&String| !text.contains(char::is_whitespace) && !text.contains(['{', '=']) && !is_program(text);
    let is_one_word = !first.contains(char::is_whitespace) && is_program(first);
    match args.commands[1..].iter().find(is_argument).filter(|_| is_one_word && !args.launching.shell) {
        Some(argument) => {
            let sentence = format!("`{argument}` is no program, and every text is a command of its own");
            Err(Failure::usage(sentence).hint(one_command(&args.commands)))
        }
        None => Ok(()),
    }
}

/// How one command is written.
fn one_command(words: &[String]) -> String {
    let one = joined(words);
    format!("one command with its arguments: paw app -- {one}, or paw app {}", joined(std::slice::from_ref(&one)))
}

/// How the command is written whose argument `refused` was taken for a flag of paw; `None` where `typed`, the words of the command line,
/// have no program in front of it.
pub fn forgotten_separator(typed: &[String], refused: &str) -> Option<String> {
    let (subcommand, words) = typed.get(1..)?.split_first()?;
    let at = words.iter().position(|word| word == refused || word.starts_with('-') && refused.starts_with(word))?;
    let front = words[..at].iter().rposition(|word| word.starts_with('-')).map_or(0, |flag| flag + 1);
    let program = (front..at).find(|at| is_program(&words[*at]))?;
    (subcommand == "app" && !words.iter().any(|word| word == "--")).then(|| one_command(&words[program..]))
}

/// Whether `word` would be run.
fn is_program(word: &str) -> bool {
    lookup::program(word, std::env::var_os("PATH").as_deref(), Path::new(".")).is_ok()
}

/// Words as a shell would have them typed.
fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// A text as a command. Without a shell, in which it would set a variable, `NAME=` in front of the program is its name.
fn typed(args: &AppArgs, flag: &str, text: &str) -> Result<Typed, Failure> {
    let prefix = text.split_once('=').filter(|(name, _)| is_name(name) && !args.launching.shell);
    let Some((name, rest)) = prefix.filter(|_| !is_program(first_word(text))) else {
        return Ok(Typed { text: text.to_owned(), name: None, template: line(args, flag, text)? });
    };
    let template = line(args, flag, rest)?;
    let words = template.typed();
    // `CC=gcc make` sets a variable; `A=./new -x` and `b=cat x` do not.
    let is_variable = name.to_uppercase() == name && words.get(1).is_some_and(|word| is_program(word));
    if is_variable || !(words[0].contains(['/', '{']) || is_program(&words[0])) {
        return Err(Failure::usage(format!("`{text}`: is {name} the command's name, or a variable?")).hint(format!(
            "-n {name} {} names the command, 'env {text}' sets the variable",
            joined(&[rest.to_owned()])
        )));
    }
    Ok(Typed { text: rest.to_owned(), name: Some(name.to_owned()), template })
}

/// Whether `text` may be a name in front of a command: letters, digits, `_`, `-` and `.`, the first a letter.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    text.starts_with(char::is_alphabetic) && text.chars().all(is_part)
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Gives every command its name: that in front of it, the next one of -n, that of its program if the others have another, or its text.
fn named(args: &AppArgs, all: Vec<Typed>) -> Result<Vec<NamedTemplate>, Failure> {
    let alone = all.len() == 1;
    let unnamed = all.iter().filter(|typed| typed.name.is_none()).count();
    if args.names.len() > unnamed {
        let names = args.names.len();
        return Err(Failure::usage(format!("-n names {names} commands, and {unnamed} have no name")));
    }
    let mut given = args.names.iter();
    let stated: Vec<Option<String>> =
        all.iter().map(|typed| typed.name.clone().or_else(|| given.next().cloned())).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = stated.iter().flatten().find(|name| !seen.insert(name.as_str())) {
        return Err(Failure::usage(format!("two commands have the name {twice}")).hint("-n gives each its own"));
    }
    let program = |typed: &Typed| {
        let first = typed.template.typed().first().map_or("", |word| first_word(word));
        first.rsplit('/').next().unwrap_or(first).to_owned()
    };
    let programs: Vec<String> = all.iter().map(program).collect();
    let mut taken: HashSet<String> = stated.iter().flatten().cloned().collect();
    let mut found = Vec::new();
    for ((typed, own_name), own) in all.iter().zip(&stated).zip(&programs) {
        let unnamed = programs.iter().zip(&stated).filter(|(_, stated)| stated.is_none());
        let is_distinct = unnamed.filter(|(other, _)| *other == own).count() == 1;
        let made = || match (alone, is_distinct) {
            (true, _) => COMMAND.to_owned(),
            (_, true) => own.clone(),
            (_, false) => shortened(&typed.text),
        };
        let name = own_name.clone().unwrap_or_else(|| {
            let made = made();
            let numbered = (2..).map(|number| format!("{made} ({number})"));
            std::iter::once(made.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(made)
        });
        taken.insert(name.clone());
        found.push(NamedTemplate { name, template: typed.template.clone() });
    }
    Ok(found)
}

/// A text on one line, cut where it is long.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= NAME_MAX {
        return line;
    }
    let kept: String = line.chars().take(NAME_MAX - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(commands: &[&str], change: impl Fn(&mut AppArgs)) -> Result<Vec<String>, String> {
        let commands = commands.iter().map(|&text| text.to_owned()).collect();
        let mut args = AppArgs { commands, ..AppArgs::default() };
        change(&mut args);
        let found = super::commands(&args).map_err(|failure| failure.to_string())?;
        let shown = |one: &NamedTemplate| format!("{}: {}", one.name, one.template.typed().join("|"));
        Ok(found.iter().map(shown).collect())
    }

    #[track_caller]
    fn check(commands: &[&str], expected: &[&str]) {
        assert_eq!(names(commands, |_| ()).unwrap(), expected, "{commands:?}");
    }

    #[track_caller]
    fn refused(commands: &[&str], change: impl Fn(&mut AppArgs), sentence: &str, hint: &str) {
        let why = names(commands, change).unwrap_err();
        assert!(why.contains(sentence) && why.contains(hint), "{commands:?}: {why}");
    }

    #[test]
    fn a_command_has_the_name_of_its_program_or_its_text() {
        check(&["sleep 0.1"], &["command: sleep|0.1"]);
        check(&["sleep 0.1", "/bin/cat 'a b'"], &["sleep: sleep|0.1", "cat: /bin/cat|a b"]);
        check(&["sleep 0.1", "sleep  0.2"], &["sleep 0.1: sleep|0.1", "sleep 0.2: sleep|0.2"]);
        check(&["true", "true"], &["true: true", "true (2): true"]);
        let long = format!("sleep {}", "9".repeat(50));
        check(
            &[&long, "sleep 1"][..],
            &[&format!("sleep {}…: sleep|{}", "9".repeat(33), "9".repeat(50)), "sleep 1: sleep|1"],
        );
    }

    #[test]
    fn a_name_stands_in_front_or_behind_its_flag() {
        check(&["old=./a -x", "new=./a -y"], &["old: ./a|-x", "new: ./a|-y"]);
        check(&["A=./a 10", "b=cat x"], &["A: ./a|10", "b: cat|x"]);
        let flags = |args: &mut AppArgs| args.names = vec!["first".into(), "last".into()];
        let found = names(&["./a", "mid=./b", "./c"], flags);
        assert_eq!(found.unwrap(), ["first: ./a", "mid: ./b", "last: ./c"]);
        refused(&["./a"], flags, "-n names 2 commands, and 1 have no name", "");
        refused(&["last=./a", "./b", "./c"], flags, "two commands have the name last", "");
    }

    #[test]
    fn a_variable_is_no_name() {
        refused(&["FOO=1 sleep 1"], |_| (), "is FOO the command's name, or a variable?", "'env FOO=1 sleep 1'");
        refused(&["CC=cat sleep 1"], |_| (), "is CC the command's name, or a variable?", "-n CC 'cat sleep 1'");
        let shell = |args: &mut AppArgs| args.launching.shell = true;
        assert_eq!(names(&["FOO=1 sleep 1"], shell).unwrap(), ["command: FOO=1 sleep 1"]);
        check(&["dd if=x of=y"], &["command: dd|if=x|of=y"]);
        check(&["env FOO=1 true"], &["command: env|FOO=1|true"]);
    }

    #[test]
    fn a_forgotten_separator_is_explained() {
        refused(&["sleep", "0.01"], |_| (), "`0.01` is no program", "paw app -- sleep 0.01, or paw app 'sleep 0.01'");
        refused(&["ls", "a b", "/"], |_| (), "`/` is no program", "paw app -- ls 'a b' /");
        let behind = |args: &mut AppArgs| args.command = vec!["-l".into()];
        refused(&["ls"], behind, "`-l` stands where a program is expected", "paw app -- ls -l, or paw app 'ls -l'");
        check(&["true", "false"], &["true: true", "false: false"]);
        check(&["./not-there 1", "x"], &["not-there: ./not-there|1", "x: x"]);
    }

    #[test]
    fn an_argument_that_looks_like_a_flag_is_explained() {
        let told = |line: &str, refused: &str| {
            let typed: Vec<String> = line.split(' ').map(str::to_owned).collect();
            super::forgotten_separator(&typed, refused)
        };
        let ls = "one command with its arguments: paw app -- ls -l /, or paw app 'ls -l /'";
        assert_eq!(told("paw app ls -l /", "-l").as_deref(), Some(ls));
        assert_eq!(told("paw app --reps 3 ls -l /", "-l").as_deref(), Some(ls));
        assert_eq!(told("paw app --rep 3 -- ls", "--rep"), None, "nothing is in front of it");
        assert_eq!(told("paw run ls -l", "-l"), None);
    }

    #[test]
    fn the_other_command_comes_last() {
        let more = |args: &mut AppArgs| {
            args.command = vec!["cat".into(), "b c".into()];
            args.sweep.versus = Some("v=sleep 1".into());
        };
        assert_eq!(names(&["true"], more).unwrap(), ["true: true", "cat: cat|b c", "v: sleep|1"]);
        assert!(names(&[], |_| ()).unwrap_err().contains("there is no command to measure"));
    }
}
