//! `--trace`: the files that the binary writes, and its messages about them.

use std::fs;

use serde_json::Value;

use super::common::{Ran, Scene};

fn scene() -> Scene {
    let scene = Scene::new();
    let samples: Vec<_> = (0..64).map(|j| ((j * j) % 17).to_string()).collect();
    scene.file("x.csv", samples.join("\n").as_bytes());
    scene
}

fn json(scene: &Scene, name: &str) -> Value {
    serde_json::from_slice(&fs::read(scene.path(name)).unwrap()).unwrap()
}

/// Returns the number of fibers whose name contains `of`.
fn fibers(json: &Value, of: &str) -> usize {
    let events = json["traceEvents"].as_array().unwrap();
    let named =
        events.iter().filter(|event| event["cat"] == "fiber" && event["name"].as_str().unwrap().contains(of));
    named.count()
}

fn says_what_it_comes_to(ran: &Ran) {
    for word in ["work ", "span ", "parallelism "] {
        assert!(ran.stderr.lines().any(|line| line.contains(word)), "{}", ran.stderr);
    }
}

#[test]
fn a_transform_leaves_a_trace_beside_its_spectrum() {
    let scene = scene();
    for config in ["spn", "dual"] {
        let line = [
            "transform",
            "x.csv",
            "-o",
            "y.npy",
            "--algorithm",
            "sender",
            "--nodes",
            "2",
            "--config",
            config,
        ];
        let ran = scene.run(&[&line[..], &["--trace", "trace.json"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        says_what_it_comes_to(&ran);
        let json = json(&scene, "trace.json");
        assert_eq!(fibers(&json, "ThreadsFft<SenderPlan<f64>>.deal"), 1);
        assert_eq!(json["otherData"]["nodes"], 2);
        assert_eq!(scene.names(), ["trace.json", "x.csv", "y.npy"]);
    }
    let ran = scene.run(&["transform", "x.csv", "-o", "y.npy", "--trace", "trace.SVG"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let svg = fs::read_to_string(scene.path("trace.SVG")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("Alone"));
}

#[test]
fn a_simulation_traces_a_run_in_virtual_time() {
    let scene = scene();
    let ran = scene.run(&["simulate", "fig12", "--json", "--trace", "trace.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    says_what_it_comes_to(&ran);
    assert!(ran.stderr.contains("tracing sender, B = 16, N = 64, P = 8, spn"), "{}", ran.stderr);
    let json = json(&scene, "trace.json");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let rows = report["figures"][0]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["p"] == 8 && row["config"] == "spn").unwrap();
    assert_eq!(json["otherData"]["nodes"], 8);
    assert_eq!(fibers(&json, "") as u64, row["fibers"].as_u64().unwrap());
}

#[test]
fn a_trace_has_one_of_two_extensions() {
    let scene = scene();
    for name in ["trace.png", "trace", "-"] {
        let ran = scene.run(&["transform", "x.csv", "-o", "y.npy", "--trace", name]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("a trace name ends in .json (for Perfetto) or .svg (a picture)"),
            "{}",
            ran.stderr
        );
        assert_eq!(scene.names(), ["x.csv"]);
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_known_before_any_work() {
    let scene = scene();
    let ran = scene.run(&["transform", "x.csv", "-o", "y.npy", "--trace", "nowhere/trace.json"]);
    assert_eq!((ran.code, scene.names().len()), (Some(1), 1), "{}", ran.stderr);
}

#[test]
fn a_comparison_traces_its_fastest_run() {
    let scene = scene();
    let ran = scene.run(&["compare", "x.csv", "--json", "--trace", "trace.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    says_what_it_comes_to(&ran);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let side = |row: &Value, side: &str| {
        (
            row[side]["seconds"]["median"].as_f64().unwrap(),
            row[side]["nodes"].as_u64(),
            row[side]["fibers"].as_u64(),
        )
    };
    let rows = report["rows"].as_array().unwrap();
    let sides = rows.iter().flat_map(|row| [side(row, "spn"), side(row, "dual")]);
    let (_, nodes, fibers_run) = sides.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let json = json(&scene, "trace.json");
    assert_eq!(json["otherData"]["nodes"].as_u64(), nodes);
    assert_eq!(Some(fibers(&json, "") as u64), fibers_run);
}
