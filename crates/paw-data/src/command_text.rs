//! The command of a cell as text: its words with the values of its point.

use crate::application::{Application, BASE, COMMAND};
use crate::cell::{Cell, Role};

impl Application {
    /// The command of `cell`, with its values in place of placeholders and quoted as for a shell.
    pub fn command_of(&self, cell: &Cell) -> String {
        let others = self.commands().find(|(name, _)| *name == cell.provider).map(|(_, words)| words);
        let words = match cell.role {
            Role::Base if cell.provider == BASE => self.base.as_deref(),
            _ => others,
        };
        let words = words.unwrap_or(&self.command).iter().map(|word| filled(word, cell));
        match self.shell {
            true => words.collect::<Vec<_>>().join(" "),
            false => words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" "),
        }
    }

    /// The name that the user gave the command of `cell`; without one its text.
    pub fn label_of(&self, cell: &Cell) -> String {
        let words = self.commands().find(|(name, _)| *name == cell.provider).map_or(&[][..], |(_, words)| words);
        let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
        let is_own = [BASE, COMMAND, &text, &words.join(" "), program].contains(&cell.provider.as_str());
        if is_own || words.is_empty() { self.command_of(cell) } else { cell.provider.to_string() }
    }
}

/// `word` with the cell's values in place of its placeholders; `{{` and its `}}` are braces, `${…}` is a shell's.
fn filled(word: &str, cell: &Cell) -> String {
    let mut text = String::new();
    let mut rest = word;
    let mut braces = 0;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text += before;
        let name = from.strip_prefix('{').and_then(|from| from.split_once('}')).map(|(name, _)| name);
        let value = name.filter(|_| !before.ends_with('$')).and_then(|name| cell.point.value(name));
        if from.starts_with("{{") || from.starts_with("}}") && braces > 0 {
            let opens = from.starts_with('{');
            braces = if opens { braces + 1 } else { braces - 1 };
            text += &from[..1];
            rest = &from[2..];
        } else if let (Some(value), Some(name)) = (value, name) {
            text += &value.to_string();
            rest = &from[name.len() + 2..];
        } else {
            text += &from[..1];
            rest = &from[1..];
        }
    }
    text + rest
}

/// `word` as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{NamedCommand, SUITE};
    use crate::point::Point;
    use crate::quantity::Quantity;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn values_stand_where_their_placeholders_stood() {
        let app = Application { command: words(&["./fit", "-n{n}", "{{n}} ${n} {m} {}"]), ..Default::default() };
        let cell = |provider: &str| Cell::new(SUITE, "fit", provider, Quantity::Time, Point::new().with("n", 4));
        assert_eq!(app.command_of(&cell(COMMAND)), "./fit -n4 '{n} ${n} {m} {}'");
        assert_eq!(app.label_of(&cell(COMMAND)), "./fit -n4 '{n} ${n} {m} {}'");
        let shell = Application { shell: true, command: words(&["a | b {n}"]), ..Default::default() };
        assert_eq!(shell.command_of(&cell(COMMAND)), "a | b 4");
    }

    #[test]
    fn a_name_that_was_given_is_the_label() {
        let named = |name: &str, text: &[&str]| NamedCommand { name: name.to_owned(), command: words(text) };
        let others = vec![named("new", &["./b", "{n}"]), named("c", &["/bin/c", "{n}"])];
        let app = Application { name: "a 1".into(), command: words(&["a", "1"]), others, ..Default::default() };
        let label =
            |provider: &str| app.label_of(&Cell::new(SUITE, "a", provider, Quantity::Time, Point::new().with("n", 4)));
        assert_eq!(["a 1", "new", "c"].map(label), ["a 1", "new", "/bin/c 4"]);
    }
}
