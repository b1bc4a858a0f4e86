//! Search for FFTW, FFTW 2 and MKL.
//!
//! 1. By name, where the system's loader looks: its cache, `LD_LIBRARY_PATH`, its standard folders.
//! 2. In folders below environment variables: `MKLROOT`, `CONDA_PREFIX`, `VIRTUAL_ENV`.
//! 3. In the folders of installers.
//!
//! The search returns the first usable library. It keeps the errors of libraries that exist but cannot be
//! used, for the error message.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{LibraryError, NotFound};
use crate::loaded::interface::Maker;

#[cfg(not(target_os = "macos"))]
const FFTW: &[&str] = &["libfftw3.so.3", "libfftw3.so", "libfftw3f.so.3", "libfftw3f.so"];
#[cfg(target_os = "macos")]
const FFTW: &[&str] = &["libfftw3.3.dylib", "libfftw3.dylib", "libfftw3f.3.dylib", "libfftw3f.dylib"];

#[cfg(not(target_os = "macos"))]
const FFTW2: &[&str] = &["libfftw.so.2", "libfftw.so", "libdfftw.so.2", "libdfftw.so"];
#[cfg(target_os = "macos")]
const FFTW2: &[&str] = &["libfftw.2.dylib", "libfftw.dylib", "libdfftw.2.dylib", "libdfftw.dylib"];

#[cfg(not(target_os = "macos"))]
const MKL: &[&str] = &["libmkl_rt.so", "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1"];
#[cfg(target_os = "macos")]
const MKL: &[&str] = &["libmkl_rt.dylib", "libmkl_rt.2.dylib", "libmkl_rt.1.dylib"];

/// Library folders below each environment variable.
const NAMED: &[(&str, &[&str])] =
    &[("MKLROOT", &["lib", "lib/intel64"]), ("CONDA_PREFIX", &["lib"]), ("VIRTUAL_ENV", &["lib"])];

/// Folders of MKL's installers.
const INTEL: &[&str] = &[
    "/opt/intel/oneapi/mkl/latest/lib",
    "/opt/intel/oneapi/mkl/latest/lib/intel64",
    "/opt/intel/mkl/lib",
    "/opt/intel/mkl/lib/intel64",
];

/// Library folders of this system.
#[cfg(not(target_os = "macos"))]
const USUAL: &[&str] = &[
    "/usr/local/lib",
    #[cfg(target_arch = "x86_64")]
    "/usr/lib/x86_64-linux-gnu",
    #[cfg(target_arch = "aarch64")]
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];
#[cfg(target_os = "macos")]
const USUAL: &[&str] = &["/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"];

/// Possible names of a library, and the folders to search after the system's loader.
pub(crate) struct Search {
    maker: Maker,
    names: &'static [&'static str],
    folders: Vec<PathBuf>,
}

impl Search {
    /// Creates the search for a maker's library. `variable` looks up environment variables.
    pub(crate) fn new(maker: Maker, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let named = NAMED.iter().filter_map(|(name, below)| {
            let root = PathBuf::from(variable(name).filter(|root| !root.is_empty())?);
            Some(below.iter().map(move |folder| root.join(folder)))
        });
        let (names, intel) = match maker {
            Maker::Fftw => (FFTW, &[][..]),
            Maker::Fftw2 => (FFTW2, &[][..]),
            Maker::Mkl => (MKL, INTEL),
        };
        let installed = intel.iter().chain(USUAL).map(PathBuf::from);
        Self { maker, names, folders: named.flatten().chain(installed).collect() }
    }

    /// Returns the first library that opens.
    pub(crate) fn first<L>(
        &self,
        mut open: impl FnMut(&Path) -> Result<L, LibraryError>,
    ) -> Result<L, NotFound> {
        let mut unfit = Vec::new();
        for name in self.names {
            match open(Path::new(name)) {
                Ok(library) => return Ok(library),
                // The loader does not find a library with this name.
                Err(LibraryError::Load { .. }) => {}
                Err(error) => unfit.push(error),
            }
        }
        for path in self.folders.iter().flat_map(|folder| self.names.iter().map(|name| folder.join(name))) {
            if path.exists() {
                match open(&path) {
                    Ok(library) => return Ok(library),
                    Err(error) => unfit.push(error),
                }
            }
        }
        let Self { maker, names, folders } = self;
        Err(NotFound { library: maker.name(), names, folders: folders.clone(), unfit })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn environment(name: &str) -> Option<OsString> {
        match name {
            "MKLROOT" => Some("/somewhere/mkl".into()),
            "CONDA_PREFIX" => Some(OsString::new()),
            "VIRTUAL_ENV" => Some("/some/venv".into()),
            _ => None,
        }
    }

    fn refused(path: &Path) -> LibraryError {
        LibraryError::Load { path: path.to_owned(), because: "a test".into() }
    }

    #[test]
    fn the_loader_is_tried_with_every_name_and_then_each_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        for path in [&first, &second] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join(FFTW[1]), "").unwrap();
        }
        let search = Search { maker: Maker::Fftw, names: FFTW, folders: vec![first.clone(), second.clone()] };
        let asked = RefCell::new(Vec::new());
        let none = search.first(|path| -> Result<(), _> {
            asked.borrow_mut().push(path.to_owned());
            Err(refused(path))
        });
        let mut expected: Vec<_> = FFTW.iter().map(PathBuf::from).collect();
        expected.extend([first.join(FFTW[1]), second.join(FFTW[1])]);
        assert_eq!(asked.into_inner(), expected);
        // Names that the loader does not find are not reported. Files that exist and are refused are
        // reported.
        let NotFound { library, unfit, .. } = none.unwrap_err();
        assert_eq!((library, unfit), ("fftw", expected[FFTW.len()..].iter().map(|p| refused(p)).collect()));

        let found = search
            .first(|path| if path.starts_with(&first) { Err(refused(path)) } else { Ok(path.to_owned()) });
        assert_eq!(found.unwrap(), Path::new(FFTW[0]));
        let found = search
            .first(|path| if path.starts_with(&second) { Ok(path.to_owned()) } else { Err(refused(path)) });
        assert_eq!(found.unwrap(), second.join(FFTW[1]));
    }

    #[test]
    fn variables_come_before_where_installers_put_things() {
        let Search { names, folders, .. } = Search::new(Maker::Mkl, environment);
        assert_eq!(names, MKL);
        let mut expected: Vec<_> =
            ["/somewhere/mkl/lib", "/somewhere/mkl/lib/intel64", "/some/venv/lib"].map(PathBuf::from).into();
        expected.extend(INTEL.iter().chain(USUAL).map(PathBuf::from));
        assert_eq!(folders, expected);
    }

    #[test]
    fn a_missing_library_lists_the_searched_places() {
        let search = Search {
            maker: Maker::Mkl,
            names: &["libnone.so"],
            folders: vec!["/nowhere".into(), "/there".into()],
        };
        let error = search.first(|path| -> Result<(), _> { Err(refused(path)) }).unwrap_err();
        let expected = "mkl was not found: the system's loader does not find libnone.so, and none is in /nowhere, /there";
        assert_eq!(error.to_string(), expected);
    }
}
