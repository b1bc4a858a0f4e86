//! Files that cannot be loaded, are no FFT library, or make no plan: each gives its own error.

use std::fs;
use std::path::Path;
use std::time::Duration;

use earth_fftw::{Effort, Library, LibraryError, WholeProblem};
use earth_kernels::{RowShape, RowShapeError};
use snapbox::{assert_data_eq, str};
use standin_fftw::{NO_LIMIT, UNPLANNABLE, copy_without, path, symbols};

use super::Standin;

fn refused(path: &Path) -> LibraryError {
    Library::open(path).map(|_| ()).unwrap_err()
}

#[test]
fn a_file_that_is_not_there_cannot_be_loaded() {
    let missing = tempfile::tempdir().unwrap().path().join("libfftw3.so.3");
    let error = refused(&missing);
    assert!(matches!(&error, LibraryError::Load { path, .. } if *path == missing), "{error:?}");
    assert!(error.to_string().starts_with(&format!("cannot load {}: ", missing.display())), "{error}");
}

#[test]
fn a_file_that_is_no_library_cannot_be_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("libfftw3.so.3");
    fs::write(&text, "no library").unwrap();
    assert!(matches!(refused(&text), LibraryError::Load { path, .. } if path == text));
    // The first bytes of a library.
    let cut = folder.path().join("libcut.so");
    let whole = fs::read(path()).unwrap();
    fs::write(&cut, &whole[..50]).unwrap();
    assert!(matches!(refused(&cut), LibraryError::Load { path, .. } if path == cut));
    assert!(matches!(refused(folder.path()), LibraryError::Load { .. }));
}

#[test]
fn another_library_is_refused_by_the_first_function_that_it_lacks() {
    let standin = Standin::without(|_| true);
    let symbol = "fftw_plan_many_dft".to_owned();
    assert_eq!(refused(&standin.path), LibraryError::MissingSymbol { path: standin.path.clone(), symbol });
}

#[test]
fn a_library_that_lacks_a_function_is_refused_by_its_name() {
    for function in ["plan_many", "execute", "destroy_plan"] {
        let lacks = |name: &str| name.contains(function);
        let standin = Standin::without(|name| lacks(name) || name.starts_with("MKL"));
        let missing = symbols().find(|name| lacks(name)).unwrap();
        let expected = LibraryError::MissingSymbol { path: standin.path.clone(), symbol: missing.clone() };
        assert_eq!(refused(&standin.path), expected);
        let told = format!("{} has no {missing}, which is part of FFTW's interface", standin.path.display());
        assert_eq!(expected.to_string(), told);
    }
}

#[test]
fn symbols_of_newer_libraries_may_be_missing() {
    let standin = Standin::without(|name| {
        ["version", "alignment_of", "set_timelimit"].iter().any(|end| name.ends_with(end))
            || name.starts_with("MKL")
    });
    let library = standin.library();
    assert_eq!(library.describe().version, None);
    assert!(library.plan_rows::<f32>(RowShape::contiguous(8, 1), Effort::Estimate).is_ok());
    let limited = WholeProblem { limit: Some(Duration::from_secs(9)), ..WholeProblem::new(&[2, 2]) };
    assert!(library.plan_whole::<f64>(limited).is_ok());
    assert_eq!(standin.counts().whole_limit, NO_LIMIT);
}

#[test]
fn a_precision_may_be_beside_or_missing() {
    let single = |name: &str| name.starts_with("fftwf_");
    let mkl = |name: &str| name.starts_with("MKL");
    let folder = tempfile::tempdir().unwrap();
    let [double, beside] = ["libfftw3.so.3", "libfftw3f.so.3"].map(|name| folder.path().join(name));
    let rows = RowShape::contiguous(8, 1);

    copy_without(&double, |name| single(name) || mkl(name)).unwrap();
    // The other precision is missing, and later incomplete. The available precision stays usable.
    let lone = folder.path().join("alone").join("libfftw3.so.3");
    fs::create_dir(lone.parent().unwrap()).unwrap();
    fs::copy(&double, &lone).unwrap();
    let library = Library::open(&lone).unwrap();
    assert!(library.plan_rows::<f64>(rows, Effort::Estimate).is_ok());
    let error = library.plan_rows::<f32>(rows, Effort::Estimate).unwrap_err();
    let LibraryError::NoPrecision { precision, path, because } = error else { panic!("{error}") };
    assert_eq!((precision, path), ("f32", lone.clone()));
    assert!(
        matches!(*because, LibraryError::Load { path, .. } if path == lone.with_file_name("libfftw3f.so.3"))
    );

    copy_without(&beside, |name| !single(name)).unwrap();
    // Both precisions are found when either file is opened.
    for asked in [&double, &beside] {
        let library = Library::open(asked).unwrap();
        assert!(library.plan_rows::<f64>(rows, Effort::Estimate).is_ok());
        assert!(library.plan_rows::<f32>(rows, Effort::Estimate).is_ok());
        let described = library.describe();
        let files: Vec<_> = described.precisions.iter().map(|half| (half.precision, &half.path)).collect();
        assert_eq!(files, [("f64", &double), ("f32", &beside)]);
        assert_eq!(described.name, "fftw");
        assert_data_eq!(described.version.unwrap(), str!["stand-in for FFTW by the definition"]);
    }

    let broken = folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    let [double, beside] = ["libfftw3.so.3", "libfftw3f.so.3"].map(|name| broken.join(name));
    copy_without(&double, |name| single(name) || mkl(name)).unwrap();
    copy_without(&beside, |name| !single(name) || name.ends_with("execute_dft")).unwrap();
    let error = Library::open(&double).unwrap().plan_rows::<f32>(rows, Effort::Estimate).unwrap_err();
    let missing = LibraryError::MissingSymbol { path: beside, symbol: "fftwf_execute_dft".into() };
    let expected = LibraryError::NoPrecision { precision: "f32", path: double, because: Box::new(missing) };
    assert_eq!(error, expected);
}

#[test]
fn mkl_without_its_other_half_is_refused_before_it_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libmkl_rt.so.2");
    copy_without(&path, |_| false).unwrap();
    assert_eq!(refused(&path), LibraryError::Incomplete { path: path.clone(), part: "libmkl_core" });
    fs::write(folder.path().join("libmkl_core.so.2"), "").unwrap();
    let described = Library::open(&path).unwrap().describe();
    assert_eq!((described.name, described.version.as_deref()), ("mkl", Some("stand-in for MKL")));
}

#[test]
fn rows_without_a_plan_are_an_error_and_leave_none_behind() {
    let standin = Standin::new();
    let plan = |shape| {
        standin
            .library()
            .plan_rows::<f64>(shape, Effort::Measure)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let expected =
        format!("{} makes no plan for 2 rows of 4099 points, 4100 apart, in f64", standin.path.display());
    assert_eq!(plan(RowShape { len: UNPLANNABLE, rows: 2, distance: 4100 }), Err(expected));
    let counts = standin.counts();
    assert_eq!((counts.plans, counts.destroyed), (0, 0));
}

#[test]
fn numbers_past_the_interface_are_refused() {
    let standin = Standin::new();
    let plan = |len, rows, distance| {
        let shape = RowShape { len, rows, distance };
        standin.library().plan_rows::<f32>(shape, Effort::Estimate).map(|_| ()).unwrap_err()
    };
    let past = i32::MAX as usize + 1;
    let too_large = |what| LibraryError::TooLarge { what, value: past };
    assert_eq!(plan(past, 1, past), too_large("a row length"));
    assert_eq!(plan(1, past, 1), too_large("a number of rows"));
    assert_eq!(plan(1, 2, past), too_large("a row distance"));
    let whole = |lengths: &[usize], threads| {
        let problem = WholeProblem { threads, ..WholeProblem::new(lengths) };
        standin.library().plan_whole::<f32>(problem).map(|_| ()).unwrap_err()
    };
    assert_eq!(whole(&[past, 1, 1], 1), too_large("a number of planes"));
    assert_eq!(whole(&[past, 1], 1), too_large("a number of rows"));
    assert_eq!(whole(&[past], 1), too_large("a row length"));
    assert_eq!(whole(&[1], past), too_large("a number of threads"));
    let told = "a row length of 2147483648 is past 2147483647, the most that FFTW's interface takes";
    assert_eq!(plan(past, 1, past).to_string(), told);

    // More points than the address space has, and more bytes than a `usize` counts.
    assert_eq!(plan(1, (1 << 24) + 1, 1 << 24), LibraryError::NoMemory { points: (1 << 48) + 1 });
    assert_eq!(plan(1, past - 1, past - 1), LibraryError::NoMemory { points: (past - 2) * (past - 1) + 1 });
    assert_eq!(plan(1, 3, usize::MAX), RowShapeError::TooMany { rows: 3, distance: usize::MAX }.into());
    assert_eq!(plan(0, 1, 1), RowShapeError::NoPoints.into());
    assert_eq!(plan(2, 0, 2), RowShapeError::NoRows.into());
    assert_eq!(plan(2, 2, 1), RowShapeError::Overlap { len: 2, distance: 1 }.into());
    for (lengths, threads, told) in [
        (&[0, 1, 1][..], 1, "a transform of 0 x 1 x 1 points on 1 threads"),
        (&[2, 0], 1, "a transform of 2 x 0 points on 1 threads"),
        (&[1], 0, "a transform of 1 points on 0 threads"),
    ] {
        let told = format!("{told}: at least 1 point and 1 thread are needed");
        assert_eq!(whole(lengths, threads).to_string(), told);
    }
    assert_eq!(standin.counts().plans, 0);
}
