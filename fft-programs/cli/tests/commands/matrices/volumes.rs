//! The binary on arrays of three dimensions: against the sum over all points, in both orders of axes, by one
//! thread and by nodes, and back.

use std::f64::consts::TAU;
use std::fs;

use snapbox::data::Inline;
use snapbox::str;

use super::shape;
use crate::common::{Scene, complex128, npy, npy_of};

/// Returns numbers without a pattern, of about one.
fn noise(count: usize) -> Vec<(f64, f64)> {
    let part = |at: usize, by: usize| ((at * by + 17) * 7919 % 2003) as f64 / 1001.0 - 1.0;
    (0..count).map(|at| (part(at, 31), part(at, 57))).collect()
}

/// Returns the bytes in double precision, in the given order of the axes.
fn body(x: &[(f64, f64)], [planes, rows, cols]: [usize; 3], fortran: bool) -> Vec<u8> {
    let number = |at: usize| {
        let (plane, row, col) = (at % planes, at / planes % rows, at / planes / rows);
        if fortran { (plane * rows + row) * cols + col } else { at }
    };
    let places = (0..x.len()).map(|at| x[number(at)]);
    places.flat_map(|(re, im)| [re.to_le_bytes(), im.to_le_bytes()].concat()).collect()
}

/// Returns `sum of x[j] exp(-2 pi i (j1 k1 / planes + j2 k2 / rows + j3 k3 / cols))` over all points.
fn naive(x: &[(f64, f64)], [planes, rows, cols]: [usize; 3]) -> Vec<(f64, f64)> {
    let index = |at: usize| [at / cols / rows, at / cols % rows, at % cols];
    let bin = |k: usize| {
        x.iter().enumerate().fold((0.0, 0.0), |sum, (j, &(re, im))| {
            let ([j1, j2, j3], [k1, k2, k3]) = (index(j), index(k));
            let along = |j: usize, k: usize, n: usize| (j * k % n) as f64 / n as f64;
            let turns = along(j1, k1, planes) + along(j2, k2, rows) + along(j3, k3, cols);
            let (sin, cos) = (-TAU * turns).sin_cos();
            (sum.0 + re * cos - im * sin, sum.1 + re * sin + im * cos)
        })
    };
    (0..x.len()).map(bin).collect()
}

#[track_caller]
fn close(found: &[(f64, f64)], expected: &[(f64, f64)]) {
    assert_eq!(found.len(), expected.len());
    let far = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs().max((a.1 - b.1).abs()) > 1e-11;
    assert!(!found.iter().zip(expected).any(far), "{found:?} is not {expected:?}");
}

#[test]
fn an_array_gives_its_spectrum_and_comes_back() {
    let scene = Scene::new();
    for lengths in [[2, 3, 4], [5, 2, 3], [4, 1, 6], [3, 4, 1], [6, 8, 10]] {
        let [planes, rows, cols] = lengths;
        let (x, written) = (noise(planes * rows * cols), format!("({planes}, {rows}, {cols})"));
        let expected = naive(&x, lengths);
        for fortran in [false, true] {
            scene.file("in.npy", &npy_of("<c16", fortran, &written, &body(&x, lengths, fortran)));
            for options in ["", "--nodes 2", "--nodes 2 --config dual", "--algorithm two-pass --block 1"] {
                let mut there = vec!["transform", "in.npy", "-o", "out.npy", "--verify", "--json"];
                there.extend(options.split_whitespace());
                let ran = scene.run(&there);
                let by_nodes = !options.is_empty() && planes >= 2;
                let by = if by_nodes { "two-pass" } else { "one thread" };
                assert_eq!(
                    (ran.code, &ran.json()["algorithm"]),
                    (Some(0), &by.into()),
                    "{lengths:?} {options}"
                );
                let out = fs::read(scene.path("out.npy")).unwrap();
                assert_eq!(shape(&out), written);
                close(&complex128(&out), &expected);
            }
        }
        let ran = scene.run(&["transform", "out.npy", "-o", "back.npy", "--inverse", "--verify"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        close(&complex128(&fs::read(scene.path("back.npy")).unwrap()), &x);
    }
}

#[test]
fn the_summary_has_three_lengths() {
    let scene = Scene::new();
    scene.file("in.npy", &npy("<f4", "(2, 3, 4)", &[0; 96]));
    let summary = scene.run(&["transform", "in.npy", "-o", "out.npy", "--json"]).json();
    assert_eq!((&summary["lengths"], &summary["n"]), (&serde_json::json!([2, 3, 4]), &24.into()));
    assert_eq!((&summary["precision"], &summary["in_place"]), (&"f32".into(), &true.into()));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy"]);
    assert!(ran.stdout.contains("2 x 3 x 4 = 24 (f32, real numbers, forward)"), "{}", ran.stdout);
}

#[test]
fn programs_without_three_dimensions_refuse_them() {
    let scene = Scene::new();
    scene.file("in.npy", &npy("<f4", "(2, 3, 4)", &[0; 96]));
    let refused = |arguments: &[&str], sentence: Inline| {
        scene.run(arguments).refused(1, sentence);
        assert_eq!(scene.names(), ["in.npy"]);
    };
    refused(
        &["transform", "in.npy", "-o", "out.png"],
        str!["a .png holds a matrix and this is an array of 2 x 3 x 4 samples; a .npy holds it"],
    );
    refused(
        &["transform", "in.npy", "-o", "out.csv"],
        str!["a .csv holds a series and this is an array of 2 x 3 x 4 samples; a .npy holds it"],
    );
    refused(
        &["compare", "in.npy"],
        str!["compare needs a series or a matrix, not an array of 2 x 3 x 4 samples"],
    );
    let series = str!["the algorithm '[..]' transforms one series without gaps; 'auto' takes any problem"];
    let matrix = str!["the algorithm 'grouped' transforms one matrix without gaps; 'auto' takes any problem"];
    for (algorithm, sentence) in [("sender", &series), ("receiver", &series), ("grouped", &matrix)] {
        refused(&["transform", "in.npy", "-o", "out.npy", "--algorithm", algorithm], sentence.clone());
    }
    refused(&["transform", "in.npy", "-o", "out.npy", "--groups", "2"], matrix);
    refused(
        &["transform", "in.npy", "-o", "out.npy", "--nodes", "2", "--block", "13"],
        str!["the block size is 13 rows and the matrix has only 2 rows and 12 columns"],
    );
}
