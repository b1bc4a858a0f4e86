//! Libraries with row kernels that can be used here, and the searched places of libraries that were not
//! found.

use earth_fftw::{Library, LibraryError};
use serde::Serialize;

/// Library by the name of a kernel. The field names are the names in JSON.
#[derive(Debug, Serialize)]
pub(super) struct Searched {
    pub(super) name: &'static str,
    /// Library, if it was found.
    pub(super) found: Option<Found>,
    pub(super) not_found: Option<NotFound>,
}

/// Searched places of a library that was not found.
#[derive(Debug, Serialize)]
pub(super) struct NotFound {
    /// Reason in one sentence.
    because: String,
    /// Names that were passed to the system's loader, and searched as files.
    names: Vec<&'static str>,
    folders: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Found {
    /// Version that it reports.
    version: Option<String>,
    precisions: Vec<Half>,
}

#[derive(Debug, Serialize)]
struct Half {
    precision: &'static str,
    path: String,
    /// Whether it transforms whole matrices on its own threads.
    threads: bool,
    /// Reason why it does not.
    no_threads: Option<String>,
}

impl Searched {
    /// Returns FFTW, FFTW 2 and MKL, each loaded if available.
    pub(super) fn all() -> Vec<Self> {
        vec![
            Self::of("fftw", Library::fftw()),
            Self::of("fftw2", Library::fftw2()),
            Self::of("mkl", Library::mkl()),
        ]
    }

    fn of(name: &'static str, library: Result<Library, LibraryError>) -> Self {
        match library {
            Ok(library) => Self { name, found: Some(Found::of(&library)), not_found: None },
            Err(error) => Self { name, found: None, not_found: Some(NotFound::of(&error)) },
        }
    }

    /// Returns name and value of each fact, for people.
    pub(super) fn named(&self) -> Vec<(String, String)> {
        match (&self.found, &self.not_found) {
            (Some(found), _) => {
                let version = found.version.as_deref().unwrap_or("unknown version");
                let precisions = found.precisions.iter().map(|half| {
                    let threads = if half.threads { "with threads" } else { "without threads" };
                    (format!("{} {}", self.name, half.precision), format!("{}, {threads}", half.path))
                });
                [(self.name.to_owned(), version.to_owned())].into_iter().chain(precisions).collect()
            }
            (None, missing) => {
                let because = missing.as_ref().map(|missing| missing.because.clone());
                vec![(self.name.to_owned(), because.unwrap_or_default())]
            }
        }
    }
}

impl NotFound {
    fn of(error: &LibraryError) -> Self {
        let (names, folders) = match error {
            LibraryError::NotFound(missing) => (missing.names.to_vec(), &missing.folders[..]),
            _ => (Vec::new(), &[][..]),
        };
        let folders = folders.iter().map(|folder| folder.display().to_string()).collect();
        Self { because: error.to_string(), names, folders }
    }
}

impl Found {
    fn of(library: &Library) -> Self {
        let described = library.describe();
        let precisions = described.precisions.into_iter().map(|half| Half {
            precision: half.precision,
            path: half.path.display().to_string(),
            threads: half.threads.is_ok(),
            no_threads: half.threads.err(),
        });
        Self { version: described.version, precisions: precisions.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_and_missing_libraries_are_listed() {
        let path = standin_fftw::path();
        let there = Searched::of("mkl", Library::open(&path));
        let named = there.named();
        let names: Vec<_> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["mkl", "mkl f64", "mkl f32"]);
        assert_eq!(named[0].1, "stand-in for MKL");
        assert_eq!(named[1].1, format!("{}, with threads", path.display()));
        let json = serde_json::to_value(&there).unwrap();
        assert_eq!(json["found"]["precisions"][1]["precision"], "f32");
        assert_eq!(json["found"]["precisions"][1]["threads"], true);
        assert_eq!(json["not_found"], serde_json::Value::Null);

        let missing = Searched::of("fftw", Library::open("/nowhere/libfftw3.so".as_ref()));
        let json = serde_json::to_value(&missing).unwrap();
        assert_eq!(json["found"], serde_json::Value::Null);
        let [(name, why)] = &missing.named()[..] else { panic!("{missing:?}") };
        assert_eq!((name.as_str(), json["not_found"]["because"].as_str()), ("fftw", Some(why.as_str())));
        assert!(why.contains("/nowhere/libfftw3.so"), "{why}");
    }
}
