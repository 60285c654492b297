//! Secrets on command lines and in variables, found by the names and the looks of values.

use paw_sort::OrderBy;

use super::Variables;

/// The text recorded in place of a secret.
pub const HIDDEN: &str = "[hidden]";

/// Parts of a name, between `_` and `-`, of which one makes its value a secret.
const NAMES: &[&str] = &[
    "auth",
    "apikey",
    "cookie",
    "credential",
    "credentials",
    "jwt",
    "key",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "secret",
    "token",
];

/// Beginnings of tokens that their issuers made recognisable.
const TOKENS: &[&str] =
    &["eyJ", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-", "xoxb-", "xoxp-", "AKIA", "hf_"];

/// Values shorter than this are words such as `yes`, which would be hidden wherever they occur.
const SHORTEST: usize = 5;

/// Characters from which a word of letters and digits in no order is taken for a token.
const LONG: usize = 32;

/// Share of neighbours of different kinds (small letter, capital, digit) from which characters are in no order: a random base64
/// text has 0.6, words and version numbers have under 0.25.
const MIXED: f64 = 0.35;

/// Whether a variable or a flag of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    // The shell's own directories.
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    name.split(['_', '-', '.']).any(|part| NAMES.iter().any(|secret| part.eq_ignore_ascii_case(secret)))
}

/// The secrets among the variables of `env`, and on the command line `argv`, the longest first.
pub fn secrets(argv: &[String], env: &Variables) -> Vec<String> {
    let mut found: Vec<String> = env.iter().filter(|(name, _)| is_secret_name(name)).map(|(_, v)| v.clone()).collect();
    // A word may be a command line itself: that of a shell.
    let words: Vec<&str> = argv.iter().flat_map(|word| word.split_whitespace()).collect();
    found.extend(words.iter().filter_map(|word| assigned(word).or_else(|| in_address(word))).map(str::to_owned));
    let whole: Vec<&str> = argv.iter().map(String::as_str).collect();
    for pair in
        words.windows(2).chain(whole.windows(2)).filter(|pair| is_secret_flag(pair[0]) && !pair[1].starts_with('-'))
    {
        found.push(unquoted(pair[1]).to_owned());
    }
    for text in argv.iter().chain(env.values()) {
        found.extend(text.split(|c: char| !is_of_token(c)).filter(|run| looks_secret(run)).map(str::to_owned));
    }
    found.retain(|secret| secret.len() >= SHORTEST);
    // A secret that holds another is hidden first, and whole.
    found.order_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    found.dedup();
    found
}

/// Hides the words of a command that follow a secret's flag or name, however short they are.
pub fn hide_words(words: &mut [String]) {
    let mut follows = false;
    for word in words {
        let is_flag = is_secret_flag(word);
        if follows && !word.starts_with('-') {
            HIDDEN.clone_into(word);
        } else if let Some(value) = assigned(word).filter(|value| !value.is_empty()) {
            let at = value.as_ptr() as usize - word.as_ptr() as usize;
            *word = format!("{}{HIDDEN}{}", &word[..at], &word[at + value.len()..]);
        }
        follows = is_flag;
    }
}

/// Whether a word is a flag whose value is the next word, and a secret.
fn is_secret_flag(word: &str) -> bool {
    word.starts_with('-') && !word.contains(['=', ' ']) && is_secret_name(word.trim_start_matches('-'))
}

/// `V` of `NAME=V`, `--name=V` and `…?name=V` where the name is that of a secret.
fn assigned(word: &str) -> Option<&str> {
    let (before, value) = word.split_once('=')?;
    let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').next()?;
    if is_secret_name(name.trim_start_matches('-')) {
        return Some(unquoted(value).split('&').next().unwrap_or_default());
    }
    assigned(value)
}

/// `password` of `scheme://user:password@host`.
fn in_address(word: &str) -> Option<&str> {
    let (_, rest) = word.split_once("://")?;
    let (user, _) = rest.split('/').next()?.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', ';'])
}

fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '=')
}

/// Whether a run of characters looks like a token: by its beginning, as a long hexadecimal number, or as letters and digits in no order.
fn looks_secret(run: &str) -> bool {
    if run.len() >= 16 && TOKENS.iter().any(|start| run.starts_with(start)) {
        return true;
    }
    let has = |kind: fn(&char) -> bool| run.chars().any(|c| kind(&c));
    if run.len() < LONG || !has(char::is_ascii_digit) {
        return false;
    }
    let is_hex = run.chars().all(|c| c.is_ascii_hexdigit()) && has(char::is_ascii_alphabetic);
    let kind = |c: u8| (c.is_ascii_lowercase(), c.is_ascii_uppercase(), c.is_ascii_digit());
    let differ = |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric) && kind(pair[0]) != kind(pair[1]);
    let changes = run.as_bytes().windows(2).filter(differ).count();
    is_hex || has(char::is_ascii_uppercase) && changes as f64 >= MIXED * (run.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(argv: &[&str], env: &[(&str, &str)]) -> Vec<String> {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        secrets(&argv, &env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn names_of_secrets_are_recognised_by_their_parts() {
        for name in ["SLURM_JWT", "I_MPI_PASSWORD", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "api-key", "DB_PASSWD"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["OMP_NUM_THREADS", "PWD", "KEYBOARD", "MONKEY", "MKL_CBWR", "SLURM_CPUS_PER_TASK", "threads"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn secrets_of_command_lines_are_found_in_every_spelling() {
        for (argv, expected) in [
            (&["prog", "--password", "hunter2"][..], "hunter2"),
            (&["prog", "--api-key=hunter2"], "hunter2"),
            (&["prog", "DB_PASSWORD=hunter2"], "hunter2"),
            (&["sh -c", "TOKEN='hunter2' prog --n 5"], "hunter2"),
            (&["prog", "https://me:hunter2@host/path"], "hunter2"),
            (&["prog", "https://host/path?n=1&token=hunter2&m=2"], "hunter2"),
            (&["prog", "--set=key=hunter2"], "hunter2"),
            (&["prog", "-H", "Bearer 0123456789abcdef0123456789abcdef"], "0123456789abcdef0123456789abcdef"),
            (&["prog", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF"], "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF"),
            (&["prog", "ghp_abcdefghijklmnop"], "ghp_abcdefghijklmnop"),
        ] {
            assert_eq!(found(argv, &[]), [expected], "{argv:?}");
        }
    }

    #[test]
    fn what_every_command_line_holds_is_no_secret() {
        let plain = [
            "paw",
            "app",
            "--set",
            "n=2..512",
            "--work",
            "5738 + 1867*n events",
            "--threads",
            "1,2,4",
            "/home/User/Projects/ApplicationForBenchmarks-2024.10.1/build-Release/bin/solver_Optimised2",
            "--keep-ranks",
            "-DVERSION=1.2.3-linux-x86_64-RelWithDebInfo-gcc13",
            "stdout contains passed: 1867",
            "--token",
            "--keep",
            "12345",
        ];
        assert_eq!(found(&plain, &[("OMP_PLACES", "cores"), ("DEBUG_TOKEN", "yes")]), Vec::<String>::new());
    }

    #[test]
    fn short_secrets_are_hidden_where_they_stand() {
        let mut words = ["prog", "--password", "abc", "--pwd=x", "abc", "--token", "--n", "5"].map(str::to_owned);
        hide_words(&mut words);
        assert_eq!(words, ["prog", "--password", HIDDEN, "--pwd=[hidden]", "abc", "--token", "--n", "5"]);
    }

    #[test]
    fn values_of_secret_variables_are_found() {
        assert_eq!(found(&[], &[("SLURM_JWT", "not-long"), ("OMP_NUM_THREADS", "4")]), ["not-long"]);
    }
}
