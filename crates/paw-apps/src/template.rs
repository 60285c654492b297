//! A command with placeholders: `./ttbar --variations {n}`.
//!
//! | written | becomes |
//! |---|---|
//! | `{n}` | the value of `n`: a letter or `_`, then letters, digits and `_` |
//! | `{{` | `{`; the `}}` that closes it becomes `}` |
//! | `${HOME}` | itself: a shell's variable |
//! | `{}`, `{1..3}`, `{"a": 1}` | itself: no name is in the braces |
//!
//! Values are inserted without quoting: a shell's command line must quote the placeholder itself.

mod piece;

use thiserror::Error;

use paw_data::spelling::closest;
use piece::Piece;

/// An error in a command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// A placeholder without a value.
    #[error(
        "`{{{name}}}` is no placeholder here{}; for the braces themselves write `{{{{{name}}}}}`",
        there(name, known)
    )]
    Unknown {
        /// The placeholder's name.
        name: String,
        /// The known names; may be empty.
        known: Vec<String>,
    },
    /// The command line has no word.
    #[error("the command is empty: write a program and its arguments")]
    Empty,
    /// A word without quotes that only a shell understands.
    #[error(
        "`{text}` needs a shell for `{word}`: --shell runs every command in one; in quotes, '{word}', it is an argument"
    )]
    Shell {
        /// The command line.
        text: String,
        /// The word.
        word: String,
    },
    /// A quote or an escape does not end.
    #[error("`{0}` ends within a quote or behind a backslash: close it")]
    Quote(String),
}

/// `; there are {threads}, {n}; did you mean {threads}?`
fn there(name: &str, known: &[String]) -> String {
    let all: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
    let near = closest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean {{{near}}}?"));
    match all.as_slice() {
        [] => String::new(),
        [one] => format!("; there is {one}"),
        all => format!("; there are {}{}", all.join(", "), near.unwrap_or_default()),
    }
}

/// A command, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    form: Form,
    typed: Vec<String>,
    words: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Words,
    Shell,
}

impl Template {
    /// A command of a program and its arguments.
    pub fn words(argv: &[String]) -> Self {
        Self::new(Form::Words, argv.to_vec())
    }

    /// A command line for a shell: `sh -c TEXT`.
    pub fn shell(text: &str) -> Self {
        Self::new(Form::Shell, vec![text.to_owned()])
    }

    /// Splits a line into words by the quoting rules of a POSIX shell, without expansions.
    ///
    /// # Errors
    /// The line has no word, a quote does not end, or a word without quotes means something to a shell alone.
    pub fn parse_line(text: &str) -> Result<Self, TemplateError> {
        let words = shlex::split(text).ok_or_else(|| TemplateError::Quote(text.to_owned()))?;
        if words.is_empty() {
            return Err(TemplateError::Empty);
        }
        if let Some(word) = for_a_shell(text) {
            return Err(TemplateError::Shell { text: text.to_owned(), word });
        }
        Ok(Self::new(Form::Words, words))
    }

    fn new(form: Form, typed: Vec<String>) -> Self {
        let words = typed.iter().map(|word| piece::pieces(word)).collect();
        Self { form, typed, words }
    }

    /// The words as typed, with their placeholders; a shell's command line is one word.
    pub fn typed(&self) -> &[String] {
        &self.typed
    }

    /// Whether a shell runs the command.
    pub fn is_shell(&self) -> bool {
        self.form == Form::Shell
    }

    /// The names of the placeholders without repetition, in the order of their first use.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in self.words.iter().flatten() {
            if let Piece::Place(name) = piece
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Checks that every placeholder is among `known`.
    ///
    /// # Errors
    /// The first unknown placeholder, with the known names.
    pub fn check(&self, known: &[&str]) -> Result<(), TemplateError> {
        match self.names().into_iter().find(|name| !known.contains(name)) {
            Some(name) => {
                let known = known.iter().map(|&name| name.to_owned()).collect();
                Err(TemplateError::Unknown { name: name.to_owned(), known })
            }
            None => Ok(()),
        }
    }

    /// The words to execute, with placeholders replaced by `lookup`; a shell's command line follows `sh -c`.
    ///
    /// # Errors
    /// A placeholder without a value; [`Template::check`] finds it earlier and lists the known ones.
    pub fn fill(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Vec<String>, TemplateError> {
        let words: Vec<String> = self.words.iter().map(|word| filled(word, lookup)).collect::<Result<_, _>>()?;
        Ok(match self.form {
            Form::Words => words,
            Form::Shell => ["sh", "-c"].map(str::to_owned).into_iter().chain(words).collect(),
        })
    }
}

fn filled(word: &[Piece], lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, TemplateError> {
    let value = |piece: &Piece| match piece {
        Piece::Text(text) => Ok(text.clone()),
        Piece::Place(name) => {
            lookup(name).ok_or_else(|| TemplateError::Unknown { name: name.clone(), known: Vec::new() })
        }
    };
    word.iter().map(value).collect()
}

/// The first word of a line that means something to a shell alone, and that no quote makes an argument: `|`, `&&`, `make;`, `2>log`.
fn for_a_shell(text: &str) -> Option<String> {
    let (mut bare, mut quote, mut chars) = (String::new(), None, text.chars());
    while let Some(c) = chars.next() {
        // What is quoted is text, whatever it is.
        bare.push(match (c, quote) {
            ('\\', None | Some('"')) => chars.next().map_or('q', |_| 'q'),
            ('\'' | '"', None) => {
                quote = Some(c);
                'q'
            }
            (_, Some(open)) => {
                quote = quote.filter(|_| c != open);
                'q'
            }
            (c, None) => c,
        });
    }
    let is_operator = |word: &&str| {
        let redirected = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&').starts_with(['<', '>']);
        matches!(*word, "|" | "||" | "&&" | "&") || word.ends_with(';') || redirected
    };
    bare.split_whitespace().find(is_operator).map(str::to_owned)
}

#[cfg(test)]
mod tests;
