//! A library that calls MPI, loaded at run time by a process that has joined its job. The crates of FFTW-MPI
//! and heFFTe load their libraries by it.
//!
//! 1. [`MpiLibrary::open`] loads a library by the system's loader. It refuses a library that is linked to
//!    another MPI library than this process: the handles of communicators differ.
//! 2. [`MpiLibrary::function`] returns a function of the library by its name.
//!
//! *Trust.* Loading a library runs its code. The library stays loaded until the process ends.
//!
//! *Threads.* MPI was initialized for calls of one thread. The type is therefore neither `Send` nor `Sync`.

use std::ffi::{OsStr, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::rc::Rc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use mpi::topology::SimpleCommunicator;

/// Why a library cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The loader does not find the library.
    #[error("the system's loader finds no {library}: {because}")]
    NotFound {
        /// Name of the library.
        library: &'static str,
        /// Message of the loader.
        because: String,
    },
    /// MPI is not initialized in this process.
    #[error("MPI is not initialized")]
    NotInitialized,
    /// The library has no function of this name.
    #[error("{library} has no {symbol}")]
    MissingSymbol {
        /// Name of the library.
        library: &'static str,
        /// Name of the function.
        symbol: &'static str,
    },
    /// The library calls another MPI library.
    #[error("{library} is linked to another MPI library than this program")]
    OtherMpi {
        /// Name of the library.
        library: &'static str,
    },
}

/// Planning effort of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A plan by the library's own estimate.
    Estimate,
    /// The fastest of several plans, measured.
    Measure,
    /// The fastest of more plans.
    Patient,
    /// The fastest of all plans that the library can make.
    Exhaustive,
}

/// Loaded library, in a process that has joined its job.
pub struct MpiLibrary {
    /// The library must stay loaded, because functions of it remain in use.
    library: ManuallyDrop<Library>,
    name: &'static str,
    world: SimpleCommunicator,
    /// MPI belongs to the thread that initialized it.
    not_send: PhantomData<Rc<()>>,
}

impl MpiLibrary {
    /// Loads the first file that the system's loader finds. `name` is the library's name in messages, and
    /// `files` has names of files or paths.
    ///
    /// # Errors
    ///
    /// [`LibraryError`] if there is no such library, or one for another MPI.
    pub fn open<F: AsRef<OsStr>>(name: &'static str, files: &[F]) -> Result<Self, LibraryError> {
        let mut is_initialized = 0;
        // SAFETY: the call is allowed at any time, and its result has memory.
        unsafe { mpi::ffi::MPI_Initialized(&raw mut is_initialized) };
        if is_initialized == 0 {
            return Err(LibraryError::NotInitialized);
        }
        let library = ManuallyDrop::new(loaded(name, files)?);
        // The symbol is found in the MPI library that the library is linked to.
        let theirs = address(&library, name, "MPI_Comm_size")?;
        if theirs.as_ptr() != mpi::ffi::MPI_Comm_size as *mut c_void {
            return Err(LibraryError::OtherMpi { library: name });
        }
        Ok(Self { library, name, world: SimpleCommunicator::world(), not_send: PhantomData })
    }

    /// Returns the communicator of all ranks of the job.
    pub fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// Returns a function of the library.
    ///
    /// # Errors
    ///
    /// [`LibraryError::MissingSymbol`].
    ///
    /// # Safety
    ///
    /// `F` is a function pointer type that matches the function with this name.
    pub unsafe fn function<F: Copy>(&self, symbol: &'static str) -> Result<F, LibraryError> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a pointer to a function") };
        let address = address(&self.library, self.name, symbol)?;
        // SAFETY: `F` is a function pointer, as the caller promised, as wide as the address, and not null.
        // The library is never unloaded.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

/// Loads the first file that the loader finds.
fn loaded<F: AsRef<OsStr>>(name: &'static str, files: &[F]) -> Result<Library, LibraryError> {
    let mut because = String::new();
    let found = files.iter().find_map(|file| {
        // `RTLD_NOW` resolves all symbols now or fails now. `RTLD_LOCAL` hides the symbols from other
        // libraries.
        // SAFETY: this runs the library's code, which is trusted (see the crate's documentation).
        unsafe { Library::open(Some(file.as_ref()), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| because = reason(&error))
            .ok()
    });
    found.ok_or(LibraryError::NotFound { library: name, because })
}

/// Returns the loader's own message.
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        error => error.to_string(),
    }
}

/// Returns the address of a symbol of the library or of one that it is linked to.
fn address(
    library: &Library,
    name: &'static str,
    symbol: &'static str,
) -> Result<NonNull<c_void>, LibraryError> {
    // SAFETY: the symbol is used as an address only, never as a value of this type.
    let found = unsafe { library.get::<*mut c_void>(symbol) };
    let found = found.ok().and_then(|symbol| NonNull::new(symbol.as_raw_ptr()));
    found.ok_or(LibraryError::MissingSymbol { library: name, symbol })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_not_joined_a_job_opens_no_library() {
        let opened = MpiLibrary::open("libnone", &["libnone.so"]).err();
        assert_eq!(opened, Some(LibraryError::NotInitialized));
    }

    #[test]
    fn a_file_that_is_none_has_the_loader_s_reason() {
        let error = loaded("libnone", &["libnone.so.1", "/nowhere/libnone.so"]).err().unwrap().to_string();
        let begin = "the system's loader finds no libnone: ";
        assert!(error.starts_with(begin) && error.contains("/nowhere/libnone.so"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_without_mpi_has_no_function_of_it() {
        let library = ManuallyDrop::new(loaded("libm", &["libnone.so", "libm.so.6"]).unwrap());
        assert!(address(&library, "libm", "sqrt").is_ok());
        let missing = address(&library, "libm", "MPI_Comm_size").unwrap_err();
        assert_eq!(missing.to_string(), "libm has no MPI_Comm_size");
    }
}
