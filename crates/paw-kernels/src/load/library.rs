//! Shared objects and their functions.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use paw_measure::fault::Fault;

use crate::load::environment::Environment;

/// A shared object in this process. It is never unloaded: threads that its functions started may still run its code.
#[derive(Debug)]
pub(crate) struct Loaded {
    path: PathBuf,
    library: ManuallyDrop<Library>,
    linked: Environment,
}

/// A function of a shared object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    address: *const (),
}

impl Loaded {
    /// Loads the shared object at `path` with its libraries, hiding its symbols from others. Restores the floating-point environment, which
    /// start-up code may change; see [`Loaded::linked`].
    ///
    /// # Errors
    /// The loader's message if it refuses.
    pub fn open(path: &Path) -> Result<Rc<Self>, Fault> {
        let own = Environment::current();
        // SAFETY: start-up code of the object runs here, as the user wishes it to: this process is there for nothing else.
        let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        let linked = Environment::current();
        own.set();
        let library = opened.map_err(|error| Fault::Broken(format!("it cannot be loaded: {}", root(&error))))?;
        Ok(Rc::new(Self { path: path.to_owned(), library: ManuallyDrop::new(library), linked }))
    }

    /// The floating-point environment after its start-up code: code linked with fast mathematics may flush subnormal numbers to zero.
    pub fn linked(&self) -> Environment {
        self.linked
    }

    /// The function called `name`.
    ///
    /// # Errors
    /// If there is none.
    pub fn function(&self, name: &str) -> Result<Function, Fault> {
        // SAFETY: the symbol is only taken for an address here.
        let found: Result<Symbol<*const ()>, _> = unsafe { self.library.get(name) };
        let address = found.ok().map(|symbol| symbol.as_raw_ptr().cast_const().cast::<()>()).filter(|a| !a.is_null());
        let missing = || {
            let path = self.path.display();
            Fault::Broken(format!(
                "{path} has no function `{name}`; it must not be `static`, in C++ it must be `extern \"C\"`, in Fortran `bind(C)`, in Rust `#[no_mangle]`"
            ))
        };
        address.map(|address| Function { address }).ok_or_else(missing)
    }
}

impl Function {
    /// A function of this program that returns at once.
    pub fn null() -> Self {
        extern "C" fn null() {}
        Self { address: null as *const () }
    }

    /// The address of its code.
    pub fn address(self) -> *const () {
        self.address
    }
}

/// The loader's own message, the innermost error.
fn root(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root)
}
