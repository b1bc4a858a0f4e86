//! Failures: one sentence of rank 0, one exit code, no new file, and an older output as it was.

use std::fs;

use crate::array::{bytes, file, numbers};
use crate::scene::Scene;

/// Content of an older output.
const OLD: &[u8] = b"an older output";

/// Returns a scene with an array `x.npy` of 6 x 4 doubles.
fn scene() -> Option<Scene> {
    let scene = Scene::new()?;
    scene.file("x.npy", &array());
    Some(scene)
}

fn array() -> Vec<u8> {
    file("<f8", false, &[6, 4], &bytes(numbers(24).map(f64::to_le_bytes)))
}

#[test]
fn a_wrong_command_line_is_told_once() {
    let Some(scene) = scene() else { return };
    let ran = scene.job(2, "transform x.npy -o y.npy --sideways");
    assert_eq!(ran.stderr.matches("error: unexpected argument '--sideways'").count(), 1, "{ran:?}");
    assert_eq!((ran.code, &ran.stdout[..]), (Some(2), ""));
    let version = scene.job(2, "--version").done();
    assert_eq!(version, format!("earth-fft-mpi {}\n", env!("CARGO_PKG_VERSION")));
    scene
        .job(2, "transform x.npy -o y.csv")
        .refused(2, "'y.csv' is no .npy, the only format that ranks can read and write");
    assert_eq!(scene.names(), ["x.npy"]);
}

#[test]
fn inputs_that_cannot_be_read() {
    let Some(scene) = Scene::new() else { return };
    let whole = array();
    scene.file("cut.npy", &whole[..whole.len() - 8]);
    scene.file("long.npy", &[&whole[..], &[0]].concat());
    scene.file("other.npy", b"re,im\n1,2\n");
    scene.file("fortran.npy", &file("<f8", true, &[6, 4], &whole[whole.len() - 192..]));
    scene.file("series.npy", &file("<f8", false, &[24], &whole[whole.len() - 192..]));
    scene
        .job(2, "transform missing.npy -o y.npy")
        .refused(1, "cannot open 'missing.npy': No such file or directory (os error 2)");
    scene.job(2, "transform cut.npy -o y.npy").refused(
        1,
        "cannot read 'cut.npy': the file is cut short: 320 bytes were announced and 312 are there",
    );
    for (arguments, sentence) in [
        ("long.npy", "cannot read 'long.npy': it goes on after its 24 samples; one array a file is needed"),
        (
            "other.npy",
            "cannot read 'other.npy': it is not a .npy file: the first six bytes are not \\x93NUMPY",
        ),
        (
            "fortran.npy",
            "cannot read 'fortran.npy': it is in Fortran order, and ranks read C order only \
             (in NumPy: np.ascontiguousarray(a))",
        ),
        (
            "series.npy --transposed",
            "'series.npy' holds a series, and --transposed exchanges the first two axes of an array",
        ),
    ] {
        scene.alone(&format!("transform {arguments} -o y.npy")).refused(1, sentence);
    }
    assert_eq!(scene.names(), ["cut.npy", "fortran.npy", "long.npy", "other.npy", "series.npy"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let Some(scene) = scene() else { return };
    scene
        .job(2, "transform x.npy -o nowhere/y.npy")
        .refused(1, "cannot write 'nowhere/y.npy': there is no such directory");
    scene
        .alone("transform x.npy -o /dev/null")
        .refused(1, "cannot write '/dev/null': it is no regular file, and ranks write at positions of one");
    assert_eq!(scene.names(), ["x.npy"]);
}

#[test]
fn one_rank_that_finds_no_input_ends_all() {
    let Some(scene) = scene() else { return };
    scene.file("y.npy", OLD);
    fs::create_dir(scene.path("elsewhere")).unwrap();
    scene
        .unequal_job("cd elsewhere", "transform x.npy -o y.npy")
        .refused(1, "rank 1: cannot open 'x.npy': No such file or directory (os error 2)");
    let other = file("<f8", false, &[4, 6], &array()[128..]);
    fs::write(scene.path("elsewhere/x.npy"), other).unwrap();
    scene
        .unequal_job("cd elsewhere", "transform x.npy -o y.npy")
        .refused(1, "rank 1: its 'x.npy' differs from the one of rank 0; all ranks must see the same files");
    assert_eq!(fs::read(scene.path("y.npy")).unwrap(), OLD);
    assert_eq!(scene.names(), ["elsewhere", "x.npy", "y.npy"]);
}

#[test]
fn one_rank_that_cannot_write_leaves_the_older_output() {
    let Some(scene) = scene() else { return };
    scene.file("y.npy", OLD);
    scene
        .unequal_job("trap '' XFSZ; ulimit -f 0", "transform x.npy -o y.npy")
        .refused(1, "rank 1: cannot write 'y.npy': File too large (os error 27)");
    assert_eq!(fs::read(scene.path("y.npy")).unwrap(), OLD);
    assert_eq!(scene.names(), ["x.npy", "y.npy"]);
    // Without the limit the job succeeds.
    scene.unequal_job(":", "transform x.npy -o y.npy").done();
    assert_ne!(fs::read(scene.path("y.npy")).unwrap(), OLD);
    assert_eq!(scene.names(), ["x.npy", "y.npy"]);
}

#[test]
fn arrays_that_are_too_large() {
    let Some(scene) = Scene::new() else { return };
    let lengths = [1 << 13, 1 << 13];
    let header = file("|b1", false, &lengths, &[]);
    scene.file("x.npy", &header);
    scene.lengthen("x.npy", header.len() as u64 + (1 << 26));
    // A rank needs 1.5 GB. With less memory than 3 GB, rank 0 refuses, too.
    let ran = scene.unequal_job("ulimit -v 1500000", "transform x.npy -o y.npy");
    assert_eq!((ran.code, &ran.stdout[..], ran.own_lines().len()), (Some(1), "", 1), "{ran:?}");
    assert!(ran.own_lines()[0].contains("bytes of memory here"), "{ran:?}");

    let header = file("|b1", false, &[1 << 20, 1 << 20], &[]);
    scene.file("x.npy", &header);
    scene.lengthen("x.npy", header.len() as u64 + (1 << 40));
    scene.alone("transform x.npy -o y.npy").refused(1, "the samples are more than this machine can count");
    assert_eq!(scene.names(), ["x.npy"]);
}
