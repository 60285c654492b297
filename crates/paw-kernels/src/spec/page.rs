//! The text of a spec while it is read: its tables, and errors that point into it.

use std::ops::Range;
use std::path::Path;

use paw_data::place::Place;
use paw_data::spelling::closest;
use toml::de::DeTable;

use super::SpecError;
use super::item::Item;

/// A text, and the file it stands in.
pub(super) struct Page<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl<'a> Page<'a> {
    /// What is wrong with the bytes `span`.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        SpecError { path: self.path.to_owned(), place: Some(Place::of(self.text, span)), message: message.into() }
    }

    /// What is wrong with the whole.
    pub fn whole(&self, message: impl Into<String>) -> SpecError {
        SpecError { path: self.path.to_owned(), place: None, message: message.into() }
    }

    /// Its outermost table.
    pub fn table(&self) -> Result<DeTable<'a>, SpecError> {
        DeTable::parse(self.text).map(toml::Spanned::into_inner).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            match error.span() {
                Some(span) => self.error(span, message),
                None => self.whole(message),
            }
        })
    }
}

/// A table whose keys are known.
pub(super) struct Section<'a> {
    items: Vec<Item<'a>>,
    /// What is said before a key: `[measure] `; nothing for the outermost.
    name: String,
    page: &'a Page<'a>,
}

impl<'a> Section<'a> {
    /// The outermost table.
    pub fn top(page: &'a Page<'a>, table: &'a DeTable<'a>, keys: &[&str]) -> Result<Self, SpecError> {
        Self::of(page, String::new(), Item::all(page, table), keys)
    }

    /// The table that is an item's value.
    pub fn within(item: &Item<'a>, keys: &[&str]) -> Result<Self, SpecError> {
        Self::of(item.page, format!(" in `{}`", item.name), item.entries()?, keys)
    }

    fn of(page: &'a Page<'a>, name: String, items: Vec<Item<'a>>, keys: &[&str]) -> Result<Self, SpecError> {
        for item in &items {
            if !keys.contains(&item.name) {
                let typed = item.name;
                let rest = match closest(typed, keys.iter().copied()) {
                    Some(near) => format!(": did you mean `{near}`?"),
                    None => format!("; there are {}", keys.join(", ")),
                };
                return Err(page.error(item.key.clone(), format!("there is no key `{typed}`{name}{rest}")));
            }
        }
        Ok(Self { items, name, page })
    }

    /// The value of a key, where it is there.
    pub fn get(&self, key: &str) -> Option<&Item<'a>> {
        self.items.iter().find(|item| item.name == key)
    }

    /// The value of a key that must be there; `example` is what to write.
    pub fn need(&self, key: &str, example: &str) -> Result<&Item<'a>, SpecError> {
        self.get(key).ok_or_else(|| {
            self.page.whole(format!("the key `{key}` is missing{}: add a line like `{key} = {example}`", self.name))
        })
    }

    /// What `read` makes of the value of a key, where it is there.
    pub fn map<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Item<'a>) -> Result<T, SpecError>,
    ) -> Result<Option<T>, SpecError> {
        self.get(key).map(read).transpose()
    }
}
