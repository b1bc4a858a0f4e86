//! The comparison of SPN with DUAL.

use std::fmt::Write as _;

use serde_json::Value;
use snapbox::str;

#[cfg(target_os = "linux")]
use super::common::interrupted;
use super::common::{Scene, npy};

#[test]
fn a_comparison_has_every_row_verified() {
    let scene = Scene::new();
    let mut csv = String::new();
    for j in 0..300 {
        writeln!(csv, "{}", (std::f64::consts::TAU * f64::from(j) / 16.0).cos()).unwrap();
    }
    scene.file("x.csv", csv.as_bytes());
    let ran = scene.run(&["compare", "x.csv", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let subject = &report["subjects"][0];
    assert_eq!((subject["samples"].as_u64(), subject["n"].as_u64()), (Some(300), Some(512)));
    assert_eq!(subject["strongest_period"].as_f64(), Some(16.0));
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.len() >= 30 && report["rows_left_out"] == 0);
    for row in rows {
        assert!(row["verified_error"].as_f64().unwrap() <= 9e-15, "{row}");
        for side in ["spn", "dual"] {
            let side = &row[side];
            let nodes = side["nodes"].as_u64().unwrap();
            let (asks, half_butterflies) = match row["algorithm"].as_str().unwrap() {
                "sender" => {
                    let threads = 512 / row["block"].as_u64().unwrap();
                    // A part on each node that has threads invokes them.
                    assert_eq!(side["invokes"].as_u64(), Some(threads + threads.min(nodes)));
                    (0, 512 * u64::from(threads.ilog2()))
                }
                "receiver" => (2 * (nodes - 1) * 512, (nodes - 1) * 512),
                "receiver-shared" => (2 * u64::from(nodes.ilog2()) * 512, u64::from(nodes.ilog2()) * 512),
                other => panic!("{other} is for matrices"),
            };
            assert_eq!(side["paper_tokens"].as_u64(), Some(asks), "{row}");
            assert_eq!(side["half_butterflies"].as_u64(), Some(half_butterflies), "{row}");
            assert!(side["seconds"]["min"].as_f64().unwrap() > 0.0);
            assert!(side["units"]["eu_busy"].as_f64().unwrap() > 0.0);
        }
        let ratio = &row["ratio"];
        assert!(ratio["min"].as_f64() <= ratio["median"].as_f64());
    }
}

#[test]
fn a_comparison_writes_a_page_of_what_it_prints() {
    let scene = Scene::new();
    scene.file("m.npy", &npy("<f4", "(3, 5)", &[0; 60]));
    let ran = scene.run(&["compare", "m.npy", "-o", "report.html"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(
        ran.stdout.contains("m.npy: 3 x 5 samples (f32)") && ran.stdout.contains("grouped"),
        "{}",
        ran.stdout
    );
    let page = std::fs::read_to_string(scene.path("report.html")).unwrap();
    let verdict = ran.stdout.lines().last().unwrap();
    assert!(verdict.starts_with("SPN is faster in ") && page.contains(verdict), "{verdict}");
    assert_eq!(scene.names(), ["m.npy", "report.html"]);
    // A page cannot go to standard output, where the tables go, or to an unwritable file; both fail before
    // any work.
    for (page, code, said) in [
        (
            "-",
            2,
            str![
                "the page cannot go to standard output, where the tables go; give it a name like 'report.html'"
            ],
        ),
        ("none/report.html", 1, str!["cannot write 'none/report.html': there is no such directory"]),
    ] {
        let ran = scene.run_at(&["compare", "m.npy", "-o", page]);
        ran.refused(code, said);
    }
}

/// Signals of very few points, from a pipe, and with samples that are not finite.
#[test]
fn comparisons_of_odd_signals_end_well() {
    let scene = Scene::new();
    for (text, n, period) in [("7\n", 1, None), ("1\n-1\n", 2, Some(2.0)), ("1\n2\n4\n", 4, Some(4.0))] {
        let ran = scene.run_with(&["compare", "-", "--json"], text.as_bytes());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let subject = &report["subjects"][0];
        assert_eq!((report["schema"].as_u64(), subject["n"].as_u64()), (Some(2), Some(n)));
        assert_eq!(subject["name"], "standard input");
        assert_eq!(subject["strongest_period"].as_f64(), period, "{text}");
    }
    let ran = scene.run_with(&["compare", "-", "--missing", "nan"], b"1\nnan\n3\n4\n");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("1 of 4 samples are not finite"), "{}", ran.stderr);
    assert!(ran.stdout.contains("no row is verified"), "{}", ran.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_ends_with_130_and_leaves_no_files() {
    let scene = Scene::new();
    scene.file("x.npy", &npy("<f8", "(65536,)", &vec![0; 8 * 65536]));
    for signal in ["INT", "TERM"] {
        interrupted(&scene, "compare x.npy", "comparing", signal);
    }
}

#[test]
fn rows_measured_before_the_time_limit_are_reported() {
    let ran = Scene::new().run_at(&["compare", "--max-seconds", "0.001"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("Rows left out because the time was over"), "{}", ran.stdout);
}
