//! Loaded file and its symbols.

use std::ffi::c_void;
use std::mem::{ManuallyDrop, transmute_copy};
use std::path::{Path, PathBuf};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use libloading::os::unix::RTLD_GLOBAL;
#[cfg(unix)]
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
#[cfg(windows)]
use libloading::os::windows::Library;

use crate::error::LibraryError;

/// Loaded library that stays loaded until the process ends. MKL and libraries with their own threads register
/// destructors that run when a thread ends. Unloading would remove the code of these destructors.
pub(crate) struct LoadedFile {
    library: ManuallyDrop<Library>,
    path: PathBuf,
}

impl LoadedFile {
    /// Loads a file, or the library that the loader finds under a name without a folder. A library that is
    /// already loaded is not loaded again.
    pub(crate) fn open(path: &Path) -> Result<Self, LibraryError> {
        match open(path) {
            Ok(library) => Ok(Self { library: ManuallyDrop::new(library), path: path.to_owned() }),
            Err(error) => Err(LibraryError::Load { path: path.to_owned(), because: because(&error) }),
        }
    }

    /// Replaces the path by the loader's path of the file with `symbol`, if the loader reports it.
    pub(crate) fn located_by(mut self, symbol: &str) -> Self {
        if let Some(path) = self.address(symbol).and_then(file_of) {
            self.path = path;
        }
        self
    }

    /// Makes the symbols visible to libraries that are loaded later. A library that this crate loads still
    /// prefers its own symbols. On systems without this preference, the symbols stay hidden.
    pub(crate) fn share_symbols(&self) {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: the library is already loaded, so no code runs. It stays loaded.
        let _ = unsafe { Library::open(Some(&self.path), RTLD_NOW | RTLD_GLOBAL) }.map(ManuallyDrop::new);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the address of a symbol.
    pub(crate) fn address(&self, symbol: &str) -> Option<*mut c_void> {
        // SAFETY: the symbol is used as an address only, never as a value of this type.
        let symbol = unsafe { self.library.get::<*mut c_void>(symbol) }.ok()?;
        Some(symbol.as_raw_ptr()).filter(|address| !address.is_null())
    }

    /// Returns the function with a name, if the file has it.
    ///
    /// # Safety
    ///
    /// `F` is a function pointer type that matches the function with this name.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a pointer to a function") };
        let address = self.address(symbol)?;
        // SAFETY: `F` is a function pointer, as the caller promised, as wide as the address, and not null.
        // The library is never unloaded.
        Some(unsafe { transmute_copy(&address) })
    }
}

/// Flag that makes a library prefer its own symbols to symbols of earlier libraries. FFTW 2 and FFTW 3 have
/// symbols of equal names. Other systems than Linux with glibc have no such flag.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OWN_SYMBOLS: std::ffi::c_int = libc::RTLD_DEEPBIND;
#[cfg(all(unix, not(all(target_os = "linux", target_env = "gnu"))))]
const OWN_SYMBOLS: std::ffi::c_int = 0;

#[cfg(unix)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    // `RTLD_NOW` resolves all symbols now or fails now. `RTLD_LOCAL` hides the symbols from other libraries.
    // SAFETY: runs the library's code, which the user trusts (see the crate's documentation).
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS) }
}

#[cfg(windows)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: runs the library's code, which the user trusts (see the crate's documentation).
    unsafe { Library::new(path) }
}

/// Returns the loader's own error message.
fn because(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        error => error.to_string(),
    }
}

/// Returns the path in the same folder whose name has `to` in place of `from`.
pub(crate) fn renamed(path: &Path, from: &str, to: &str) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    name.contains(from).then(|| path.with_file_name(name.replacen(from, to, 1)))
}

/// Returns the file that contains an address.
#[cfg(unix)]
fn file_of(address: *mut c_void) -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt as _;

    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` accepts any address. It writes to `info`, which is also valid when zeroed.
    let info = unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's string is valid while the library is loaded, which is until the process ends.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(not(unix))]
fn file_of(_: *mut c_void) -> Option<PathBuf> {
    None
}
