//! The binary from a matrix or a picture to its spectrum and back: orders, formats, pipes, warnings.

mod measured;
mod real;
mod volumes;

use std::f64::consts::TAU;
use std::fs;

use snapbox::{assert_data_eq, str};

use super::common::{Scene, chunk, complex128, grey, npy, npy_of, png_of, shades, stored};

/// Returns `exp(-2 pi i (k row / rows + l col / cols))` for each `k`, `l`: the spectrum of an impulse at
/// `row`, `col`.
fn wave(rows: usize, cols: usize, row: usize, col: usize) -> Vec<(f64, f64)> {
    let phase =
        |k: usize, l: usize| (k * row % rows) as f64 / rows as f64 + (l * col % cols) as f64 / cols as f64;
    (0..rows * cols)
        .map(|at| {
            let (sin, cos) = (-TAU * phase(at / cols, at % cols)).sin_cos();
            (cos, sin)
        })
        .collect()
}

#[track_caller]
fn close(found: &[(f64, f64)], expected: &[(f64, f64)]) {
    assert_eq!(found.len(), expected.len());
    let far = found.iter().zip(expected).any(|(a, b)| (a.0 - b.0).abs() > 1e-12 || (a.1 - b.1).abs() > 1e-12);
    assert!(!far, "{found:?} is not {expected:?}");
}

/// Returns the shape in a written header.
fn shape(bytes: &[u8]) -> String {
    let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
    let start = header.find("'shape': ").unwrap() + 9;
    header[start..=start + header[start..].find(')').unwrap()].to_owned()
}

#[test]
fn an_impulse_gives_its_wave_in_every_order() {
    let scene = Scene::new();
    let (rows, cols) = (3, 5);
    for (row, col) in [(0, 0), (1, 3), (2, 0), (0, 4)] {
        for fortran in [false, true] {
            let at = if fortran { col * rows + row } else { row * cols + col };
            let value = |place: usize| f64::from(u8::from(place == at));
            for order in ["<", ">"] {
                let word = |value: f64| if order == "<" { value.to_le_bytes() } else { value.to_be_bytes() };
                let body: Vec<u8> = (0..rows * cols).flat_map(|place| word(value(place))).collect();
                scene.file("in.npy", &npy_of(&format!("{order}f8"), fortran, "(3, 5)", &body));
                let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--verify"]);
                assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
                let bytes = fs::read(scene.path("out.npy")).unwrap();
                assert_eq!(shape(&bytes), "(3, 5)");
                close(&complex128(&bytes), &wave(rows, cols, row, col));
            }
        }
    }
}

#[test]
fn a_wave_is_one_line_and_comes_back() {
    let scene = Scene::new();
    let (rows, cols, k, l) = (8, 6, 3, 5);
    // A wave of positive frequency is the conjugate of an impulse's spectrum.
    let wave: Vec<_> = wave(rows, cols, k, l).into_iter().map(|(re, im)| (re, -im)).collect();
    let body: Vec<u8> = wave.iter().flat_map(|z| [z.0.to_le_bytes(), z.1.to_le_bytes()].concat()).collect();
    scene.file("wave.npy", &npy("<c16", "(8, 6)", &body));
    let ran = scene.run(&["transform", "wave.npy", "-o", "line.npy", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let mut line = vec![(0.0, 0.0); rows * cols];
    line[k * cols + l].0 = 48.0;
    close(&complex128(&fs::read(scene.path("line.npy")).unwrap()), &line);
    let ran = scene.run(&["transform", "line.npy", "-o", "back.npy", "--inverse", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let back = fs::read(scene.path("back.npy")).unwrap();
    assert_eq!(shape(&back), "(8, 6)");
    close(&complex128(&back), &wave);
}

#[test]
fn a_grating_gives_two_dots_beside_the_centre() {
    let scene = Scene::new();
    let (rows, cols, k, l) = (64, 48, 4, 9);
    let shade = |row: usize, col: usize| {
        let phase = (row * k) as f64 / rows as f64 + (col * l) as f64 / cols as f64;
        (127.5 + 127.5 * (TAU * phase).cos()).round() as u8
    };
    scene.file("grating.png", &grey(rows, cols, shade));
    let ran = scene.run(&["transform", "grating.png", "-o", "dots.png", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let dots = shades(&fs::read(scene.path("dots.png")).unwrap());
    let centre = rows / 2 * cols + cols / 2;
    let bright: Vec<_> = (0..dots.len()).filter(|&at| dots[at] > 100).collect();
    assert_eq!(bright, [centre - k * cols - l, centre, centre + k * cols + l]);
    assert_eq!(dots[centre], 255);
}

#[test]
fn a_picture_comes_back_to_the_pixel() {
    let scene = Scene::new();
    let shade = |row: usize, col: usize| (row * 37 + col * col * 11) as u8;
    scene.file("in.png", &grey(45, 60, shade));
    assert_eq!(scene.run(&["transform", "in.png", "-o", "spectrum.npy", "--verify"]).code, Some(0));
    let ran = scene.run(&["transform", "spectrum.npy", "-o", "out.png", "--inverse", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let back = shades(&fs::read(scene.path("out.png")).unwrap());
    assert!(back.iter().enumerate().all(|(at, &found)| found == shade(at / 60, at % 60)));
}

#[test]
fn pictures_go_through_pipes() {
    let scene = Scene::new();
    let flat = grey(4, 4, |_, _| 255);
    let ran = scene.run_with(&["transform", "-", "-o", "-"], &flat);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut dot = vec![0; 16];
    dot[2 * 4 + 2] = 255;
    assert_eq!(shades(&ran.raw), dot);
    assert!(ran.stderr.contains("4 x 4 = 16 (f64, real numbers, forward)"), "{}", ran.stderr);
    let matrix = npy("|u1", "(2, 2)", &[1, 2, 4, 8]);
    let ran = scene.run_with(&["transform", "-", "-o", "-"], &matrix);
    assert_eq!(complex128(&ran.raw), [(15.0, 0.0), (-5.0, 0.0), (-9.0, 0.0), (3.0, 0.0)]);
}

#[test]
fn the_summary_of_a_matrix_has_its_sides() {
    let scene = Scene::new();
    scene.file("in.npy", &npy("<f4", "(4, 8)", &[0; 128]));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--json", "--verify"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let number = |field: &str| summary[field].as_u64();
    assert_eq!((number("n"), &summary["lengths"]), (Some(32), &serde_json::json!([4, 8])));
    assert_eq!(summary["precision"], "f32");
    assert!(summary["in_place"].is_boolean(), "{summary}");
    let (seconds, gflops) = (summary["seconds"].as_f64().unwrap(), summary["gflops"].as_f64().unwrap());
    assert!((gflops * seconds * 1e9 - 2.5 * 32.0 * 5.0).abs() < 1e-3, "{summary}");
    assert!(String::from_utf8_lossy(&fs::read(scene.path("out.npy")).unwrap()).contains("'<c8'"));
}

#[test]
fn items_that_a_picture_omits_give_a_warning() {
    let scene = Scene::new();
    let warned = |name: &str, output: &str, options: &[&str]| {
        let ran = scene.run(&[&["transform", name, "-o", output], options].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stderr
            .lines()
            .map(|line| line.trim_start_matches("earth-fft: warning: ").to_owned())
            .collect::<Vec<_>>()
    };
    let pixels = [0, 255, 0, 0, 9, 0, 0, 0, 255];
    scene.file("in.png", &png_of(1, 2, [8, 6, 0, 0, 0], &stored(&pixels)));
    assert_eq!(
        warned("in.png", "out.png", &["--rate", "2", "--full"]),
        [
            "the picture has colors; their luminance is taken",
            "1 pixels are not opaque; their stored colours are taken as they are",
            "--rate changes only what a .csv holds",
        ]
    );
    // Twice the mean of four: 8, and an imaginary line.
    let c = [(8.0, 0.0), (0.0, 0.0), (0.0, 4.0), (0.0, 0.0)];
    let body: Vec<u8> =
        c.iter().flat_map(|z: &(f64, f64)| [z.0.to_le_bytes(), z.1.to_le_bytes()].concat()).collect();
    scene.file("in.npy", &npy("<c16", "(2, 2)", &body));
    assert_eq!(
        warned("in.npy", "out.png", &["--inverse"]),
        [
            "4 of 4 samples are outside of 0 to 1 and 4 have an imaginary part, which a .png does not show; a .npy keeps them"
        ]
    );
    assert!(warned("in.npy", "out.npy", &["--inverse"]).is_empty());
    let body: Vec<u8> = [1.0, f64::NAN, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    scene.file("odd.npy", &npy("<f8", "(2, 2)", &body));
    assert_eq!(
        warned("odd.npy", "out.png", &["--verify"]),
        ["1 of 4 samples are not finite, so most of the result will not be either"]
    );
    assert_eq!(shades(&fs::read(scene.path("out.png")).unwrap()), [0; 4]);
}

#[test]
fn an_animation_is_distinguished_from_a_picture() {
    let scene = Scene::new();
    let mut bytes = grey(2, 2, |_, _| 51);
    bytes.splice(33..33, chunk(*b"acTL", &[0, 0, 0, 7, 0, 0, 0, 0]));
    scene.file("in.png", &bytes);
    let ran = scene.run(&["transform", "in.png", "-o", "out.npy"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_data_eq!(
        ran.stderr.trim_end(),
        str!["earth-fft: warning: it is an animation of 7 pictures; only its still picture is taken"]
    );
    close(&complex128(&fs::read(scene.path("out.npy")).unwrap())[..1], &[(0.8, 0.0)]);
}
