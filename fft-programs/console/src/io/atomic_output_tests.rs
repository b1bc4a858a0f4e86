use std::ffi::OsString;

use tempfile::TempDir;

use super::*;

fn names(directory: &TempDir) -> Vec<OsString> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

fn put(path: &Path, text: &str) -> Result<(), WriteError> {
    Output::open(path, &Unfinished::default())?.commit(|sink| sink.write_all(text.as_bytes()))
}

#[test]
fn an_output_appears_whole_and_replaces_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    put(&path, "first").unwrap();
    put(&path, "second").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "second");
    assert_eq!(names(&directory), ["out"]);
}

#[test]
fn until_the_end_only_the_temporary_file_changes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    fs::write(&path, "old").unwrap();
    let output = Output::open(&path, &Unfinished::default()).unwrap();
    let failure = output.commit(|sink| {
        sink.write_all(&vec![b'x'; 100_000])?;
        assert_eq!(fs::read_to_string(&path)?, "old");
        assert_eq!(names(&directory).len(), 2);
        Err(io::Error::other("enough"))
    });
    assert_eq!(failure.unwrap_err().source.to_string(), "enough");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(&directory), ["out"]);
}

#[test]
fn an_output_that_is_dropped_was_never_there() {
    let directory = tempfile::tempdir().unwrap();
    let output = Output::open(&directory.path().join("out"), &Unfinished::default()).unwrap();
    assert_eq!(names(&directory).len(), 1);
    drop(output);
    assert!(names(&directory).is_empty());
}

#[test]
fn clearing_removes_the_temporary_file_and_bars_the_target() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    let unfinished = Unfinished::default();
    let output = Output::open(&path, &unfinished).unwrap();
    let handler = unfinished.clone();
    // Another thread sweeps, as the handler of Ctrl-C does; this one then tries the held lock.
    std::thread::scope(|scope| {
        let (swept, wait) = std::sync::mpsc::channel();
        let (go, end) = std::sync::mpsc::channel::<()>();
        let directory = &directory;
        scope.spawn(move || {
            let held = handler.sweep();
            swept.send(names(directory)).unwrap();
            end.recv().unwrap();
            drop(held);
        });
        assert!(wait.recv().unwrap().is_empty());
        assert!(unfinished.0.try_lock().is_err());
        go.send(()).unwrap();
    });
    assert!(output.commit(|sink| sink.write_all(b"late")).is_err());
    assert!(names(&directory).is_empty());
}

#[test]
fn no_file_is_cleared_after_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    let unfinished = Unfinished::default();
    Output::open(&path, &unfinished).unwrap().commit(|sink| sink.write_all(b"whole")).unwrap();
    drop(unfinished.sweep());
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
}

#[test]
fn an_unwritable_file_is_refused_when_opened() {
    let directory = tempfile::tempdir().unwrap();
    let open = |path: &Path| Output::open(path, &Unfinished::default()).unwrap_err().to_string();
    let missing = directory.path().join("no/out");
    assert_eq!(open(&missing), format!("cannot write '{}': there is no such directory", missing.display()));
    let itself = directory.path();
    assert_eq!(open(itself), format!("cannot write '{}': is a directory", itself.display()));
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(open(&file.join("out")).ends_with("(os error 20)"));
    assert_eq!(names(&directory), ["file"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_those_of_a_new_file_or_of_the_replaced_one() {
        let directory = tempfile::tempdir().unwrap();
        let (path, ordinary) = (directory.path().join("out"), directory.path().join("ordinary"));
        fs::write(&ordinary, "").unwrap();
        put(&path, "new").unwrap();
        assert_eq!(mode(&path), mode(&ordinary));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        put(&path, "newer").unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn a_link_keeps_pointing_whether_or_not_its_end_exists() {
        let directory = tempfile::tempdir().unwrap();
        let [target, first, second] = ["target", "first", "second"].map(|name| directory.path().join(name));
        symlink("target", &first).unwrap();
        symlink(&first, &second).unwrap();
        for text in ["made", "replaced"] {
            put(&second, text).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            assert!(fs::symlink_metadata(&target).unwrap().is_file());
            assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
            assert!(fs::symlink_metadata(&second).unwrap().is_symlink());
        }
        let round = directory.path().join("round");
        symlink("round", &round).unwrap();
        assert!(put(&round, "").is_err());
    }

    #[test]
    fn a_device_is_written_in_place() {
        put(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let full = put(Path::new("/dev/full"), "no room");
        if Path::new("/dev/full").exists() {
            assert_eq!(full.unwrap_err().source.kind(), io::ErrorKind::StorageFull);
        }
    }
}

#[test]
fn a_sweep_removes_each_file_that_is_not_finished() {
    let directory = tempfile::tempdir().unwrap();
    let unfinished = Unfinished::default();
    let open = |name| Output::open(&directory.path().join(name), &unfinished).unwrap();
    let (done, first, second) = (open("done"), open("first"), open("second"));
    done.commit(|sink| sink.write_all(b"whole")).unwrap();
    assert_eq!(names(&directory).len(), 3);
    drop(unfinished.sweep());
    assert_eq!(names(&directory), ["done"]);
    drop((first, second));
}
