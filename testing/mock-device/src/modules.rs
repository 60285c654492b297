//! Modules that are loaded, and the functions in them: known by name alone.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Images and functions that are loaded, by number.
#[derive(Debug, Default)]
struct Loaded {
    next: usize,
    images: BTreeMap<usize, String>,
    functions: BTreeMap<usize, String>,
}

/// Why there is no function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFunction {
    /// There is no such module.
    Module,
    /// The module has none of that name.
    Name,
}

fn loaded() -> MutexGuard<'static, Loaded> {
    static LOADED: LazyLock<Mutex<Loaded>> = LazyLock::new(Mutex::default);
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Loaded {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }
}

/// Loads an image whose words are the names of its functions, and returns its number.
pub fn load(image: String) -> usize {
    let mut loaded = loaded();
    let number = loaded.number();
    loaded.images.insert(number, image);
    number
}

/// Unloads a module; whether there was one.
pub fn unload(module: usize) -> bool {
    loaded().images.remove(&module).is_some()
}

/// The number of the function of that name.
///
/// # Errors
/// There is no such module, or no such function in it.
pub fn function(module: usize, name: &str) -> Result<usize, NoFunction> {
    let mut loaded = loaded();
    let image = loaded.images.get(&module).ok_or(NoFunction::Module)?;
    if !has(image, name) {
        return Err(NoFunction::Name);
    }
    let number = loaded.number();
    loaded.functions.insert(number, name.to_owned());
    Ok(number)
}

/// The name of a function.
pub fn name(function: usize) -> Option<String> {
    loaded().functions.get(&function).cloned()
}

/// Whether a text has that word.
fn has(image: &str, name: &str) -> bool {
    image.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::{NoFunction, function, load, name, unload};

    #[test]
    fn a_function_is_a_whole_word_of_its_module() {
        let module = load(".visible .entry paw_copy(.param .u64 c".to_owned());
        assert_eq!(function(module, "paw"), Err(NoFunction::Name));
        assert_eq!(function(module, "paw_copy").ok().and_then(name).as_deref(), Some("paw_copy"));
        assert!(unload(module) && !unload(module));
        assert_eq!(function(module, "paw_copy"), Err(NoFunction::Module));
    }
}
