//! A command line of paw, asked about without obeying it.

use clap::CommandFactory;

use crate::cli::Cli;

/// Whether the subcommand of `words`, which begin with `paw`, has the flag `--name`.
pub fn takes(words: &[String], name: &str) -> bool {
    let mut command = Cli::command();
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        match command.find_subcommand(word) {
            Some(found) => command = found.clone(),
            None => break,
        }
    }
    command.get_arguments().any(|argument| argument.get_long() == Some(name))
}

/// Whether `--name` or `--name=…` is among the words before `--`.
pub fn has(words: &[String], name: &str) -> bool {
    let own = words.iter().take_while(|word| *word != "--");
    own.filter_map(|word| word.strip_prefix("--")).any(|word| word.split('=').next() == Some(name))
}

/// `words` with further flags, before `--` where there is one.
pub fn with<const N: usize>(words: &[String], flags: [String; N]) -> Vec<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    [&words[..end], &flags, &words[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_flag_belongs_to_its_subcommand() {
        for (line, flag, expected) in [
            ("paw run dgemm", "seed", true),
            ("paw --redact kernel measure a.toml", "out", true),
            ("paw kernel new a.toml", "out", false),
            ("paw doctor", "dry-run", false),
            ("paw app -- run --seed", "budget", true),
            ("paw", "out", false),
        ] {
            assert_eq!(takes(&words(line), flag), expected, "{line} {flag}");
        }
    }

    #[test]
    fn flags_end_where_a_program_begins() {
        let line = words("paw app --seed=3 -- prog --out x");
        assert!(has(&line, "seed") && !has(&line, "out"));
        let longer = with(&line, ["--out".to_owned(), "d".to_owned()]);
        assert_eq!(longer.join(" "), "paw app --seed=3 --out d -- prog --out x");
    }
}
