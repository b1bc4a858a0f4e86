//! The binary on files of real numbers: the plan of real numbers gives what the plan of complex points does, in every
//! format, and tells that it ran.

use std::f64::consts::TAU;
use std::fs;

use super::common::{Ran, Scene, complex128, grey, npy, shades};

/// Integers without a pattern, so that they are the same in both precisions.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|at| (at * at * 131 % 257) as f64 - 100.0).collect()
}

/// The sum over all points, by the standard library alone.
fn naive(x: &[f64], lengths: &[usize]) -> Vec<(f64, f64)> {
    let turns = |mut j: usize, mut k: usize| {
        let mut turns = 0.0;
        for &n in lengths.iter().rev() {
            turns += (j % n * (k % n) % n) as f64 / n as f64;
            (j, k) = (j / n, k / n);
        }
        turns
    };
    let bin = |k: usize| {
        x.iter().enumerate().fold((0.0, 0.0), |sum, (j, x)| {
            let (sin, cos) = (-TAU * turns(j, k)).sin_cos();
            (sum.0 + x * cos, sum.1 + x * sin)
        })
    };
    (0..x.len()).map(bin).collect()
}

#[track_caller]
fn close(found: &[(f64, f64)], expected: &[(f64, f64)], case: &str) {
    let size = expected.iter().map(|z| z.0.hypot(z.1)).fold(1.0, f64::max);
    let far = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) > 1e-14 * size;
    assert!(found.len() == expected.len() && !found.iter().zip(expected).any(far), "{case}: {found:?}");
}

/// Whether the summary says that the numbers were transformed as such, in one thread.
#[track_caller]
fn was_real(ran: &Ran) -> bool {
    let summary = ran.json();
    let (real, by) = (summary["real"].as_bool().unwrap(), &summary["algorithm"]);
    assert!(!real || by == "one thread" && summary["nodes"] == 1);
    let [n, rate, time] = ["n", "gflops", "seconds"].map(|field| summary[field].as_f64().unwrap());
    let operations = if real { 2.5 } else { 5.0 } * n * n.log2();
    assert!((rate * time * 1e9 - operations).abs() <= 1e-9 * operations, "{summary}");
    real
}

#[test]
fn arrays_of_real_numbers_give_the_whole_spectrum() {
    let scene = Scene::new();
    for lengths in [&[1][..], &[2], &[9], &[64], &[1, 6], &[4, 5], &[6, 4], &[5, 1], &[2, 3, 4], &[3, 2, 5]] {
        let x = numbers(lengths.iter().product());
        let written = format!("{lengths:?}").replace('[', "(").replace(']', ",)");
        let expected = naive(&x, lengths);
        let singles: Vec<u8> = x.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
        let doubles: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        scene.file("single.npy", &npy("<f4", &written, &singles));
        scene.file("in.npy", &npy("<f8", &written, &doubles));
        for (options, real) in [
            ("", true),
            ("--nodes 1", true),
            ("--kernel rustfft", true),
            ("--nodes 2", false),
            ("--block 1", false),
            ("--trace trace.svg", false),
        ] {
            let mut line = vec!["transform", "in.npy", "-o", "out.npy", "--verify", "--json"];
            line.extend(options.split_whitespace());
            let ran = scene.run(&line);
            let case = format!("{lengths:?} {options}");
            // A trace and a plan that one thread carries out all the same are spoken of.
            let ran = if real { ran } else { Ran { stderr: String::new(), ..ran } };
            assert_eq!(was_real(&ran), real, "{case}");
            close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &expected, &case);
        }
        let ran = scene.run(&["transform", "single.npy", "-o", "out.npy", "--verify", "--json"]);
        assert!(was_real(&ran) && ran.json()["verified_error"].as_f64().unwrap() < 1e-5, "{lengths:?}");
        assert!(String::from_utf8_lossy(&fs::read(scene.path("out.npy")).unwrap()).contains("'<c8'"));
    }
}

/// An inverse takes real numbers for a spectrum, of complex points.
#[test]
fn an_inverse_of_real_numbers_is_complex() {
    let scene = Scene::new();
    let x = numbers(12);
    scene.file("in.npy", &npy("<f8", "(3, 4)", &x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--verify", "--json", "--inverse"]);
    assert!(!was_real(&ran));
    let expected: Vec<_> = naive(&x, &[3, 4]).into_iter().map(|(re, im)| (re / 12.0, -im / 12.0)).collect();
    close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &expected, "inverse");
}

/// The plan of complex points writes the same table and the same picture.
#[test]
fn tables_and_pictures_are_those_of_complex_points() {
    let scene = Scene::new();
    let table = |name: &str, options: &[&str]| {
        let ran = scene.run(&[&["transform", "x.csv", "-o", name, "--json"], options].concat());
        // Nodes for a series are warned of.
        let ran = if options.contains(&"--nodes") { Ran { stderr: String::new(), ..ran } } else { ran };
        let text = fs::read_to_string(scene.path(name)).unwrap();
        let rows =
            text.lines().skip(1).map(|row| row.split(',').map(|x| x.parse::<f64>().unwrap()).collect());
        (was_real(&ran), rows.collect::<Vec<Vec<f64>>>())
    };
    for n in [8, 9] {
        let text = numbers(n).iter().map(f64::to_string).collect::<Vec<_>>().join("\n");
        scene.file("x.csv", text.as_bytes());
        for full in [&[][..], &["--full"]] {
            let (real, rows) = table("real.csv", full);
            let (complex, expected) = table("complex.csv", &[full, &["--nodes", "2"]].concat());
            assert!(real && !complex && rows.len() == if full.is_empty() { n / 2 + 1 } else { n });
            for (row, expected) in rows.iter().zip(&expected) {
                assert!(
                    row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11),
                    "{row:?}, {expected:?}"
                );
            }
        }
    }
    scene.file("in.png", &grey(15, 20, |row, col| (row * 37 + col * col * 11) as u8));
    for (name, options, is_real) in [("real.png", &[][..], true), ("complex.png", &["--nodes", "2"], false)] {
        let ran = scene.run(&[&["transform", "in.png", "-o", name, "--json", "--verify"], options].concat());
        assert_eq!(was_real(&ran), is_real);
    }
    let [real, complex] =
        ["real.png", "complex.png"].map(|name| shades(&fs::read(scene.path(name)).unwrap()));
    assert_eq!(real, complex);
}

#[test]
fn the_plan_and_the_summary_tell_of_real_numbers() {
    let scene = Scene::new();
    scene.file("in.npy", &npy("<f4", "(4, 6)", &[0; 96]));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--explain"]);
    assert!(ran.stderr.starts_with("earth-fft: 4 x 6 real numbers to complex points"), "{}", ran.stderr);
    for told in ["4 x 6 = 24 (f32, real numbers, forward)", "(2.5 N log2 N / time)", "in place"] {
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
    }
}
