//! The binary on files of real numbers: their plan gives the results of the plan of complex points, in every
//! format, and the summary reports it.

use std::f64::consts::TAU;
use std::fs;

use crate::common::{Ran, Scene, complex128, grey, npy, shades};

/// Returns integers without a pattern, exact in both precisions.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|at| (at * at * 131 % 257) as f64 - 100.0).collect()
}

/// Returns the sum over all points, by the standard library alone.
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

/// Returns whether the summary reports a transform of real numbers, and the number of nodes.
#[track_caller]
fn was_real(ran: &Ran) -> (bool, u64) {
    was_real_in(ran, false)
}

/// [`was_real`] of a run that may be `traced`.
#[track_caller]
fn was_real_in(ran: &Ran, traced: bool) -> (bool, u64) {
    let summary = ran.json();
    let (real, nodes) = (summary["real"].as_bool().unwrap(), summary["nodes"].as_u64().unwrap());
    assert_eq!(summary["algorithm"] == "one thread", nodes == 1 && summary["block"].is_null(), "{summary}");
    // A machine runs at least one fiber a node. One thread has a machine only for a trace.
    let [fibers, bytes] = ["fibers", "bytes_moved"].map(|field| summary[field].as_u64().unwrap());
    assert!(
        if traced || nodes > 1 { fibers >= nodes && bytes > 0 } else { fibers + bytes == 0 },
        "{summary}"
    );
    let [n, rate, time] = ["n", "gflops", "seconds"].map(|field| summary[field].as_f64().unwrap());
    let operations = if real { 2.5 } else { 5.0 } * n * n.log2();
    assert!((rate * time * 1e9 - operations).abs() <= 1e-9 * operations, "{summary}");
    (real, nodes)
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
        // Nodes share rows and columns, at least one each, and series in pairs.
        let shared = match *lengths {
            [64 | 9] => 2,
            [rows, .., cols] if rows > 1 && (lengths.len() > 2 || cols > 1) => 2,
            _ => 1,
        };
        let pairs = lengths.len() > 1 || lengths[0] % 2 == 0;
        for (options, real, nodes) in [
            ("", true, 1),
            ("--nodes 1", true, 1),
            ("--kernel rustfft", true, 1),
            ("--nodes 2", pairs, shared),
            ("--trace trace.svg", true, 1),
            ("--nodes 2 --trace trace.svg", pairs, shared),
        ] {
            let mut line = vec!["transform", "in.npy", "-o", "out.npy", "--verify", "--json"];
            line.extend(options.split_whitespace());
            let ran = scene.run(&line);
            let case = format!("{lengths:?} {options}");
            let warned = ran.stderr.contains("warning: one thread does it all, because ");
            assert_eq!(warned, options.contains("--nodes 2") && nodes == 1, "{case}: {}", ran.stderr);
            // Standard error mentions the trace too.
            let ran = Ran { stderr: String::new(), ..ran };
            assert_eq!(was_real_in(&ran, options.contains("--trace")), (real, nodes), "{case}");
            close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &expected, &case);
        }
        let ran = scene.run(&["transform", "single.npy", "-o", "out.npy", "--verify", "--json"]);
        assert_eq!(was_real(&ran), (true, 1), "{lengths:?}");
        assert!(ran.json()["verified_error"].as_f64().unwrap() < 1e-5, "{lengths:?}");
        assert!(String::from_utf8_lossy(&fs::read(scene.path("out.npy")).unwrap()).contains("'<c8'"));
    }
}

/// Compares the counts in the summary with the formulas of the program for I row blocks and J strips of R x C
/// points. Also checks the trace.
#[test]
fn nodes_that_share_real_numbers_are_counted() {
    let scene = Scene::new();
    for (lengths, [rows, points]) in
        [(&[12, 20][..], [12_usize, 11]), (&[7, 9], [7, 5]), (&[4, 6, 5], [4, 18]), (&[5, 2], [5, 2])]
    {
        let x = numbers(lengths.iter().product());
        let written = format!("{lengths:?}").replace('[', "(").replace(']', ")");
        scene.file(
            "in.npy",
            &npy("<f8", &written, &x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()),
        );
        for (config, block) in [("spn", 2), ("dual", 3)] {
            let (block_told, case) = (block.to_string(), format!("{lengths:?} {config} {block}"));
            let asked = ["--nodes", "2", "--config", config, "--block", &block_told, "--trace", "trace.json"];
            let line = [&["transform", "in.npy", "-o", "out.npy", "--verify", "--json"], &asked[..]].concat();
            let ran = Ran { stderr: String::new(), ..scene.run(&line) };
            assert_eq!(was_real(&ran), (true, 2), "{case}");
            let (firsts, seconds) = (rows.div_ceil(block), points.div_ceil(block));
            let counts =
                ["fibers", "invokes", "signals", "bytes_moved"].map(|field| ran.json()[field].clone());
            let signals = firsts * seconds + 4 * firsts + 3 * seconds + 1;
            let expected = [
                2 * firsts + 2 * seconds + 3,
                firsts + seconds,
                signals,
                4 * rows * points * size_of::<[f64; 2]>(),
            ];
            assert_eq!(counts, expected, "{case}");
            close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &naive(&x, lengths), &case);
            let trace = fs::read_to_string(scene.path("trace.json")).unwrap();
            assert_eq!(trace.matches("\"First<f64>.start\"").count(), firsts, "{case}");
        }
    }
    // A program chosen by name takes real numbers too, if it can.
    scene.file(
        "in.npy",
        &npy("<f8", "(64,)", &numbers(64).iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()),
    );
    for (algorithm, real) in [("transpose", true), ("sender", false), ("receiver-shared", false)] {
        let asked = ["--nodes", "2", "--algorithm", algorithm];
        let ran = scene
            .run(&[&["transform", "in.npy", "-o", "out.npy", "--verify", "--json"], &asked[..]].concat());
        assert_eq!((was_real(&ran), &ran.json()["algorithm"]), ((real, 2), &algorithm.into()));
        close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &naive(&numbers(64), &[64]), algorithm);
    }
}

/// An inverse takes real numbers as a spectrum of complex points.
#[test]
fn an_inverse_of_real_numbers_is_complex() {
    let scene = Scene::new();
    let x = numbers(12);
    scene.file("in.npy", &npy("<f8", "(3, 4)", &x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--verify", "--json", "--inverse"]);
    assert_eq!(was_real(&ran), (false, 1));
    let expected: Vec<_> = naive(&x, &[3, 4]).into_iter().map(|(re, im)| (re / 12.0, -im / 12.0)).collect();
    close(&complex128(&fs::read(scene.path("out.npy")).unwrap()), &expected, "inverse");
}

/// The plan of complex points writes the same table and the same picture.
#[test]
fn tables_and_pictures_are_those_of_complex_points() {
    let scene = Scene::new();
    let table = |name: &str, options: &[&str]| {
        let ran = scene.run(&[&["transform", "x.csv", "-o", name, "--json"], options].concat());
        let text = fs::read_to_string(scene.path(name)).unwrap();
        let rows =
            text.lines().skip(1).map(|row| row.split(',').map(|x| x.parse::<f64>().unwrap()).collect());
        (was_real(&ran).0, rows.collect::<Vec<Vec<f64>>>())
    };
    for n in [8, 9] {
        let text = numbers(n).iter().map(f64::to_string).collect::<Vec<_>>().join("\n");
        scene.file("x.csv", text.as_bytes());
        for full in [&[][..], &["--full"]] {
            let (real, rows) = table("real.csv", full);
            let sender = if n == 8 { "sender" } else { "transpose" };
            let (complex, expected) = table("complex.csv", &[full, &["--algorithm", sender]].concat());
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
    let ways =
        [("real", &[][..], true), ("nodes", &["--nodes", "2"], true), ("groups", &["--groups", "2"], false)];
    let [one, nodes, complex] = ways.map(|(name, options, is_real)| {
        let name = format!("{name}.png");
        let ran = scene.run(&[&["transform", "in.png", "-o", &name, "--json", "--verify"], options].concat());
        assert_eq!(was_real(&ran).0, is_real);
        shades(&fs::read(scene.path(&name)).unwrap())
    });
    assert!(one == nodes && one == complex);
}

#[test]
fn the_plan_and_the_summary_name_real_numbers() {
    let scene = Scene::new();
    scene.file("in.npy", &npy("<f4", "(4, 6)", &[0; 96]));
    let ran = scene.run(&["transform", "in.npy", "-o", "out.npy", "--explain"]);
    assert!(ran.stderr.starts_with("earth-fft: 4 x 6 real numbers to complex points"), "{}", ran.stderr);
    for told in ["4 x 6 = 24 (f32, real numbers, forward)", "(2.5 N log2 N / time)", "in place"] {
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
    }
}
