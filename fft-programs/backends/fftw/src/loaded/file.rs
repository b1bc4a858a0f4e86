//! A loaded file and the symbols in it.

use std::ffi::c_void;
use std::mem::{ManuallyDrop, transmute_copy};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
#[cfg(windows)]
use libloading::os::windows::Library;

use crate::error::LibraryError;

/// A loaded library. It stays loaded until the process ends: MKL and what has threads of its own leave
/// destructors behind that run when the thread ends, in code that unloading would have taken away.
pub(crate) struct LoadedFile {
    library: ManuallyDrop<Library>,
    path: PathBuf,
}

impl LoadedFile {
    /// Loads a file, or what the loader finds under a name without a folder. What is loaded already
    /// is not loaded again.
    pub(crate) fn open(path: &Path) -> Result<Self, LibraryError> {
        match open(path) {
            Ok(library) => Ok(Self { library: ManuallyDrop::new(library), path: path.to_owned() }),
            Err(error) => Err(LibraryError::Load { path: path.to_owned(), because: because(&error) }),
        }
    }

    /// Takes the path that the loader tells for the file that has `symbol`, if it tells one.
    pub(crate) fn located_by(mut self, symbol: &str) -> Self {
        if let Some(path) = self.address(symbol).and_then(file_of) {
            self.path = path;
        }
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The address of a symbol.
    pub(crate) fn address(&self, symbol: &str) -> Option<*mut c_void> {
        // SAFETY: the symbol is not used as what this type says, but as a number.
        let symbol = unsafe { self.library.get::<*mut c_void>(symbol) }.ok()?;
        Some(symbol.as_raw_ptr()).filter(|address| !address.is_null())
    }

    /// The function of a name, if the file has it.
    ///
    /// # Safety
    ///
    /// `F` is the type of a pointer to a function such as the one of this name.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a pointer to a function") };
        let address = self.address(symbol)?;
        // SAFETY: a pointer to a function, as the caller promised, as wide as the address that it is, and not
        // null. The library is never unloaded.
        Some(unsafe { transmute_copy(&address) })
    }
}

#[cfg(unix)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    // All that it needs is found now or it is refused now, and nothing of it is in the way of others.
    // SAFETY: runs the library's code, which the user trusts (see the crate's documentation).
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
}

#[cfg(windows)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: runs the library's code, which the user trusts (see the crate's documentation).
    unsafe { Library::new(path) }
}

/// An error in the loader's own words.
fn because(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        error => error.to_string(),
    }
}

/// The file that an address was loaded from.
#[cfg(unix)]
fn file_of(address: *mut c_void) -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt as _;

    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the answer is written to what is given for it, which is valid when
    // zero as well.
    let info = unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a string of the loader's, which lasts as long as the library is loaded: to the end.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(not(unix))]
fn file_of(_: *mut c_void) -> Option<PathBuf> {
    None
}
