//! Bad input through the binary: one sentence on standard error, the right exit code, an empty standard
//! output, and no new files.

use std::fs;

use snapbox::data::Inline;
use snapbox::{Data, assert_data_eq, str};

use super::common::{Scene, chunk, grey, npy, npy_of, png_of, stored};

/// Checks that each file content is refused with the given reason, and that no output appears.
#[track_caller]
fn all_refused(extension: &str, cases: &[(&[u8], Inline)]) {
    let scene = Scene::new();
    let name = format!("in.{extension}");
    for (content, sentence) in cases {
        let input = scene.file(&name, content);
        let ran = scene.run(&["transform", &name, "-o", "out.npy"]);
        let reason = ran.refusal(1).strip_prefix(&format!("cannot read '{}': ", input.display()));
        assert_data_eq!(reason.unwrap_or_else(|| panic!("{}", ran.stderr)), sentence.clone());
        assert_eq!(scene.names(), [name.as_str()]);
    }
}

#[test]
fn arrays_that_are_none() {
    let mut huge_header = b"\x93NUMPY\x02\x00".to_vec();
    huge_header.extend(u32::MAX.to_le_bytes());
    let nested = npy("<f8", &"[".repeat(1000), &[]);
    let whole = npy("<f8", "(2,)", &[0; 16]);
    all_refused(
        "npy",
        &[
            (b"", str!["the file is empty"]),
            (b"1\n2\n", str!["it is not a .npy file: the first six bytes are not [..]x93NUMPY"]),
            (&whole[..7], str!["the file is cut short: 8 bytes were announced and 7 are there"]),
            (
                &whole[..whole.len() - 1],
                str!["the file is cut short: 144 bytes were announced and 143 are there"],
            ),
            (
                &huge_header,
                str!["its header claims 4294967295 bytes, more than the 10000 that a plain array could need"],
            ),
            (&nested, str!["its elements are records; an array of plain numbers is needed"]),
            (
                &npy("<f8", "(99999999999,)", &[]),
                str!["the file is cut short: 800000000120 bytes were announced and 128 are there"],
            ),
            (
                &npy("<f8", "(4611686018427387904,)", &[]),
                str!["its header claims 4611686018427387904 samples, more than any file can hold"],
            ),
            (
                &npy("<f8", "(4294967296, 4294967296)", &[]),
                str!["its header claims 4294967296 x 4294967296 samples, more than any file can hold"],
            ),
            (
                &npy_of("<c16", true, "(1000000, 1000000)", &[0; 16]),
                str!["the file is cut short: 16000000000128 bytes were announced and 144 are there"],
            ),
            (
                &npy("<f8", "(2, 1, 1, 1)", &[0; 16]),
                str![
                    "its shape is (2, 1, 1, 1); an array of one to three dimensions is needed (in NumPy: a.ravel() or a[0])"
                ],
            ),
            (&npy("<f8", "(2, 0, 1)", &[]), str!["it holds no sample"]),
            (
                &npy("<f8", "(4194304, 4194304, 4194304)", &[]),
                str!["its header claims 4194304 x 4194304 x 4194304 samples, more than any file can hold"],
            ),
            (&npy("<f8", "(0, 5)", &[]), str!["it holds no sample"]),
            (
                &npy("<f8", "(1, 2)", &[0; 24]),
                str!["it goes on after its 2 samples; one array a file is needed"],
            ),
            (
                &npy("<f8", "()", &[0; 8]),
                str!["its shape is (); an array of one to three dimensions is needed (in NumPy: a.ravel())"],
            ),
            (&npy("<f8", "(0,)", &[]), str!["it holds no sample"]),
            (
                &npy("<f16", "(1,)", &[0; 16]),
                str![
                    "its elements have dtype '<f16', long double, whose bytes mean different numbers on different computers (in NumPy: a.astype('float64'))"
                ],
            ),
            (
                &npy("|O", "(1,)", &[0; 8]),
                str![
                    "its elements have dtype '|O'; booleans, integers of 1 to 8 bytes, float16, float32, float64, complex64 and complex128 can be read"
                ],
            ),
            (
                &npy("<f8", "(1,)", &[0; 9]),
                str!["it goes on after its 1 samples; one array a file is needed"],
            ),
        ],
    );
}

#[test]
fn tables_that_are_none() {
    all_refused(
        "csv",
        &[
            (b"", str!["it holds no sample"]),
            (b"re,im\n", str!["it holds no sample"]),
            (b"1.5,2\n3.5\n", str!["line 2 has 1 columns where the lines before have 2"]),
            (b"1\n2,3\n", str!["line 2 is '2,3', where --decimal , finds numbers"]),
            (
                b"0,5\n1,25\n2,75\n",
                str![
                    "its rows, like '0,5' on line 1, may be numbers with decimal commas or pairs of whole numbers; --decimal , reads numbers, and --decimal . reads pairs"
                ],
            ),
            (
                b"x\n1\n\"\"\n3\n",
                str![
                    "line 3, column 1: the value is missing (an empty cell); --missing zero, linear or nan replaces it"
                ],
            ),
            (b"1\r\ntwo\r\n", str!["line 2, column 1: 'two' is not a number"]),
            (b"\"1\n2\n", str!["the quote that opens on line 1 is never closed"]),
            (
                b"1,2,3\n",
                str![
                    "line 1 has 3 columns; one column (real) or two (real, imaginary) can be read, or those that --column and --imaginary choose"
                ],
            ),
            (
                b"1\x00\n\x00",
                str![
                    "line 1 holds a NUL byte, so it is no text; text in UTF-16 needs a byte order mark at its start"
                ],
            ),
        ],
    );
}

#[test]
fn pictures_that_are_none() {
    let most = i32::MAX.unsigned_abs();
    let whole = grey(2, 2, |row, col| (row + col) as u8);
    let mut checksum = whole.clone();
    checksum[whole.len() - 13] ^= 1;
    let huge = png_of(most, most, [16, 6, 0, 0, 0], &stored(&[0]));
    let mut wide = png_of(8192, 16_384, [1, 0, 0, 0, 0], &stored(&[0]));
    wide.splice(33..33, chunk(*b"paDd", &vec![0; 20_000]));
    all_refused(
        "png",
        &[
            (b"", str!["the file is empty"]),
            (b"1\n2\n", str!["it is not a .png file: the first eight bytes are not the signature of one"]),
            (b"\x89PNG\r", str!["the file is cut short: it ends after 5 bytes, before the picture does"]),
            (
                &checksum,
                str![
                    "the picture is damaged (CRC error: expected 0x[..] have 0x[..] while decoding IDAT chunk)"
                ],
            ),
            (&huge, str!["its header claims 2147483647 x 2147483647 pixels, more than [..] bytes can hold"]),
            (
                &wide,
                str![
                    "its [..] bytes unfold to 8192 x 16384 pixels; more than 67108864 pixels need a byte for every 64"
                ],
            ),
            (
                &png_of(3, 2, [8, 0, 0, 0, 0], &stored(&[0, 1, 2])),
                str!["the picture is damaged (IDAT or fDAT chunk does not have enough data for image)"],
            ),
            (&png_of(0, 2, [8, 0, 0, 0, 0], &[]), str!["the picture is damaged (Invalid image dimensions)"]),
            (&png_of(1, 1, [3, 0, 0, 0, 0], &[]), str!["the picture is damaged (Invalid bit depth 3)"]),
        ],
    );
}

/// Checks that every proper prefix of a file is refused in one sentence, and the whole file is not.
#[track_caller]
fn cut_at_every_byte(name: &str, whole: &[u8], output: &str) {
    let scene = Scene::new();
    for length in 0..whole.len() {
        scene.file(name, &whole[..length]);
        let ran = scene.run(&["transform", name, "-o", output]);
        assert_eq!(
            (ran.code, scene.names()),
            (Some(1), vec![name.to_owned()]),
            "{length} bytes: {}",
            ran.stderr
        );
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(length == 0 || ran.stderr.contains("the file is cut short"), "{}", ran.stderr);
    }
    scene.file(name, whole);
    assert_eq!(scene.run(&["transform", name, "-o", output]).code, Some(0));
}

#[test]
fn a_cut_at_every_byte_leaves_nothing_behind() {
    cut_at_every_byte("in.npy", &npy("<i2", "(2,)", &[1, 0, 2, 0]), "out.npy");
    cut_at_every_byte("in.npy", &npy_of("<i2", true, "(1, 2)", &[1, 0, 2, 0]), "out.npy");
    cut_at_every_byte("in.png", &grey(2, 2, |row, col| (row + col) as u8), "out.png");
}

#[test]
fn outputs_that_cannot_hold_the_result() {
    let scene = Scene::new();
    scene.file("line.csv", b"1\n2\n");
    scene.file("line.npy", &npy("<f8", "(2,)", &[0; 16]));
    scene.file("matrix.npy", &npy("<f8", "(1, 2)", &[0; 16]));
    scene.file("picture.png", &grey(2, 3, |_, _| 9));
    let names = scene.names();
    for input in ["line.csv", "line.npy"] {
        scene.run(&["transform", input, "-o", "out.png"]).refused(
            1,
            str!["a .png holds a matrix and this is a series of 2 samples; a .csv or a .npy holds it"],
        );
    }
    for input in ["matrix.npy", "picture.png"] {
        scene.run(&["transform", input, "-o", "out.csv"]).refused(
            1,
            str!["a .csv holds a series and this is a matrix of [..] samples; a .npy or a .png holds it"],
        );
        scene
            .run(&["transform", input, "-o", "out.npy", "--algorithm", "sender"])
            .refused(1, str!["the algorithm 'sender' transforms one series; 'auto' takes matrices, too"]);
    }
    assert_eq!(scene.names(), names);
}

#[test]
fn files_that_cannot_be_opened_or_written() {
    let scene = Scene::new();
    scene.file("in.csv", b"1\n2\n");
    let path = |name: &str| scene.path(name).display().to_string();
    let missing = "No such file or directory (os error 2)";
    scene
        .run(&["transform", "no.csv", "-o", "out.csv"])
        .refused(1, format!("cannot open '{}': {missing}", path("no.csv")));
    fs::create_dir(scene.path("directory.csv")).unwrap();
    scene
        .run(&["transform", "directory.csv", "-o", "out.csv"])
        .refused(1, format!("cannot open '{}': is a directory", path("directory.csv")));
    scene
        .run(&["transform", "in.csv", "-o", "directory.csv"])
        .refused(1, format!("cannot write '{}': is a directory", path("directory.csv")));
    scene
        .run(&["transform", "in.csv", "-o", "no/out.csv"])
        .refused(1, format!("cannot write '{}': there is no such directory", path("no/out.csv")));
    assert_eq!(scene.names(), ["directory.csv", "in.csv"]);
    if fs::exists("/dev/full").unwrap() {
        scene
            .run_at(&["transform", &path("in.csv"), "-o", "/dev/full"])
            .refused(1, str!["cannot write '/dev/full': No space left on device (os error 28)"]);
    }
}

#[test]
fn requests_that_cannot_be_met() {
    let scene = Scene::new();
    scene.file("in.csv", "1\n".repeat(12).as_bytes());
    let refused = |options: &[&str], sentence: Data| {
        scene.run(&[&["transform", "in.csv", "-o", "out.csv"], options].concat()).refused(1, sentence);
        assert_eq!(scene.names(), ["in.csv"]);
    };
    refused(
        &["--algorithm", "sender"],
        str!["the algorithm 'sender' needs a power of two of samples, not 12; 'auto' takes any number"]
            .into(),
    );
    refused(&["--block", "16"], str!["the block size is 16 and there are only 12 samples"].into());
    let nodes = usize::MAX.to_string();
    refused(&["--nodes", &nodes], str!["a machine has 1 to 1024 nodes, not 18446744073709551615"].into());
}

#[test]
fn command_lines_that_are_wrong_by_themselves() {
    let scene = Scene::new();
    scene.file("in.csv", b"1\n");
    let base = ["transform", "in.csv", "-o", "out.csv"];
    let wrong: [&[&str]; 14] = [
        &["--nodes", "0"],
        &["--block", "0"],
        &["--nodes", "two"],
        &["--rate", "0"],
        &["--rate", "nan"],
        &["--algorithm", "fast"],
        &["--config", "both"],
        &["--unknown"],
        &["--separator", "::"],
        &["--separator", "-"],
        &["--decimal", "x"],
        &["--column", "0"],
        &["--imaginary", "2"],
        &["--missing", "skip"],
    ];
    for options in wrong {
        let ran = scene.run(&[&base, options].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{options:?}: {}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
    assert_eq!(scene.run(&["transform", "in.csv"]).code, Some(2));
    assert_eq!(scene.run(&[]).code, Some(2));
    let formats = "ends in none of .npy, .csv and .png, the formats that can be read and written";
    let input = scene.path("in.wav").display().to_string();
    scene.run(&["transform", "in.wav", "-o", "out.csv"]).refused(2, format!("'{input}' {formats}"));
    scene.run_at(&["transform", "in.csv", "-o", "out.jpg"]).refused(2, format!("'out.jpg' {formats}"));
    scene
        .run_at(&["transform", "in.csv", "-o", "-", "--json"])
        .refused(2, str!["'-o -' and '--json' would both print on standard output"]);
    assert_eq!(scene.names(), ["in.csv"]);
}

#[test]
fn an_older_output_survives_every_failure() {
    let scene = Scene::new();
    scene.file("out.npy", b"older");
    scene.file("bad.csv", b"1\nx\n");
    scene.file("good.csv", b"1\n2\n3\n");
    assert_eq!(scene.run(&["transform", "bad.csv", "-o", "out.npy"]).code, Some(1));
    assert_eq!(scene.run(&["transform", "good.csv", "-o", "out.npy", "--algorithm", "sender"]).code, Some(1));
    assert_eq!(fs::read(scene.path("out.npy")).unwrap(), b"older");
    assert_eq!(scene.names(), ["bad.csv", "good.csv", "out.npy"]);
    assert_eq!(scene.run(&["transform", "good.csv", "-o", "out.npy"]).code, Some(0));
    assert_eq!(fs::read(scene.path("out.npy")).unwrap().len(), 128 + 3 * 16);
}
