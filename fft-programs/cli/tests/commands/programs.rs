//! The binary with its programs: the sender-initiated FFT by name and by choice, and an interrupted run.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

#[cfg(target_os = "linux")]
use super::common::interrupted;
use super::common::{Scene, complex128, npy};

/// Returns a signal of `n` points with a known spectrum: one period in `period` points.
fn wave(n: usize, period: usize) -> Vec<u8> {
    let angle = |j: usize| std::f64::consts::TAU * (j % period) as f64 / period as f64;
    let body = (0..n).flat_map(|j| [angle(j).cos().to_le_bytes(), angle(j).sin().to_le_bytes()].concat());
    npy("<c16", &format!("({n},)"), &body.collect::<Vec<_>>())
}

#[test]
fn the_sender_is_taken_by_name_and_counts_its_work() {
    let scene = Scene::new();
    scene.file("wave.npy", &wave(1024, 64));
    for config in ["spn", "dual"] {
        let line = format!(
            "transform wave.npy -o out.npy --algorithm sender --nodes 3 --block 16 --config {config} --verify --json"
        );
        let ran = scene.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        let field = |name: &str| summary[name].as_u64().unwrap();
        assert_eq!(
            (summary["algorithm"].as_str(), summary["config"].as_str()),
            (Some("sender"), Some(config))
        );
        assert_eq!((field("nodes"), field("block")), (3, 16));
        // 64 threads, 6 stages, a part on each of 3 nodes.
        assert_eq!((field("fibers"), field("signals")), (64 * 15 + 4 * 3 + 3, 64 * 15 + 3 * 3 + 1));
        assert_eq!(
            (field("invokes"), field("tokens"), field("bytes_moved")),
            (64 + 3, 0, 1024 * 16 * (6 + 5))
        );
        assert!(summary["verified_error"].as_f64().unwrap() <= 1e-14);
        assert!(summary["seconds"].as_f64().unwrap() >= summary["reorder_seconds"].as_f64().unwrap());
        let spectrum = complex128(&fs::read(scene.path("out.npy")).unwrap());
        let strongest = (0..1024).max_by(|&a, &b| spectrum[a].0.total_cmp(&spectrum[b].0)).unwrap();
        assert_eq!(strongest, 1024 / 64);
        assert!((spectrum[strongest].0 - 1024.0).abs() < 1e-9);
    }
}

#[test]
fn the_inverse_by_the_sender_undoes_the_row_kernel() {
    let scene = Scene::new();
    let signal = wave(256, 10);
    scene.file("x.npy", &signal);
    assert_eq!(scene.run(&["transform", "x.npy", "-o", "f.npy"]).code, Some(0));
    let back = ["transform", "f.npy", "-o", "b.npy", "--inverse", "--algorithm", "sender", "--nodes", "2"];
    assert_eq!(scene.run(&back).code, Some(0));
    let (x, back) = (complex128(&signal), complex128(&fs::read(scene.path("b.npy")).unwrap()));
    assert!(x.iter().zip(&back).all(|(x, b)| (x.0 - b.0).abs() < 1e-14 && (x.1 - b.1).abs() < 1e-14));
}

#[test]
fn auto_takes_the_planner_s_choice_and_explains_it() {
    let scene = Scene::new();
    scene.file("wave.npy", &wave(1 << 12, 8));
    scene.file("m.npy", &npy("<f4", "(8, 24)", &[0; 4 * 8 * 24]));
    let used = |line: &str| {
        let line = format!("transform {line} -o out.npy --verify --json");
        let ran = scene.run(&line.split(' ').collect::<Vec<_>>());
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        let used = summary["algorithm"].as_str().unwrap().to_owned();
        (used, summary["nodes"].as_u64().unwrap(), summary["block"].as_u64(), ran.stderr)
    };
    let alone = |why: &str| {
        let said = format!("earth-fft: warning: one thread does it all, because {why}\n");
        ("one thread".to_owned(), 1, None, if why.is_empty() { String::new() } else { said })
    };
    assert_eq!([used("wave.npy"), used("wave.npy --nodes 1")], [alone(""), alone("")]);
    assert_eq!(used("wave.npy --nodes 2"), ("transpose".to_owned(), 2, Some(16), String::new()));
    assert_eq!(used("wave.npy --nodes 99"), alone("it has fewer rows or columns than there are nodes"));
    assert_eq!(used("m.npy --nodes 2"), ("two-pass".to_owned(), 2, Some(2), String::new()));
    assert_eq!(used("m.npy --nodes 9"), alone("it has fewer rows or columns than there are nodes"));
}

#[test]
fn a_plan_explains_itself() {
    let scene = Scene::new();
    scene.file("wave.npy", &wave(64, 8));
    let line = "transform wave.npy -o out.npy --explain --algorithm sender --nodes 2 --block 16";
    let ran = scene.run(&line.split(' ').collect::<Vec<_>>());
    let said = "earth-fft: 64 points, forward, backward, of f64\n\
                by 2 nodes (SPN), because the algorithm was named: 4 threads exchange blocks of 16, 5120 bytes moved, ";
    assert!(ran.code == Some(0) && ran.stderr.starts_with(said), "{}", ran.stderr);
}

#[test]
fn an_invalid_machine_is_refused_in_one_sentence() {
    let scene = Scene::new();
    scene.file("x.csv", b"1\n2\n3\n4\n");
    let ran = scene.run(&["transform", "x.csv", "-o", "out.csv", "--algorithm", "sender", "--nodes", "1025"]);
    let said = "earth-fft: a machine has 1 to 1024 nodes, not 1025\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), said));
    assert_eq!(scene.names(), ["x.csv"]);
    // A transform that would run on one node anyway is refused too.
    let ran = scene.run(&["transform", "x.csv", "-o", "out.csv", "--nodes", "1025"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), said));
}

/// The transform has 65536 threaded functions of one point each.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_ends_with_130_and_leaves_no_files() {
    let scene = Scene::new();
    scene.file("x.npy", &wave(1 << 16, 8));
    for signal in ["INT", "TERM"] {
        let transform = "transform x.npy -o out.npy --algorithm sender --nodes 2 --block 1 --config dual";
        interrupted(&scene, transform, "transforming", signal);
    }
}

/// Whenever Ctrl-C comes, the command ends with 130, or it had ended before. Its output is whole or absent.
#[cfg(unix)]
#[test]
fn fifty_interruptions_at_random_times_leave_nothing_half_written() {
    let scene = Scene::new();
    scene.file("x.npy", &wave(1 << 14, 8));
    let line = "transform x.npy -o out.npy --algorithm sender --nodes 2 --block 16 --verify";
    let arguments: Vec<_> = line.split(' ').collect();
    let started = std::time::Instant::now();
    assert_eq!(scene.run_at(&arguments).code, Some(0));
    let usual = started.elapsed();
    let whole = fs::read(scene.path("out.npy")).unwrap();
    let mut seed = 1_u64;
    for _ in 0..50 {
        let _ = fs::remove_file(scene.path("out.npy"));
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = scene.binary("earth-fft");
        command.args(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        // The random moment is the subject of the test, so it sleeps; then it waits for the end of the
        // process.
        std::thread::sleep(usual.mul_f64((seed >> 32) as f64 / f64::from(u32::MAX)));
        let kill = format!("kill -s INT {} 2>/dev/null", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // Before the handler is installed the signal itself ends the process.
        let by_signal = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(2);
        assert!(by_signal || matches!(output.status.code(), Some(0 | 130)), "{:?}: {said}", output.status);
        let names = scene.names();
        match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["x.npy"] => assert_ne!(output.status.code(), Some(0)),
            ["out.npy", "x.npy"] => assert!(fs::read(scene.path("out.npy")).unwrap() == whole, "half a file"),
            _ => panic!("{names:?} were left, {:?}: {said}", output.status),
        }
    }
}

#[test]
fn a_command_over_its_time_limit_stops_and_leaves_no_files() {
    let scene = Scene::new();
    scene.file("x.npy", &wave(1 << 16, 8));
    let over = "earth-fft: the time of --max-seconds is over; it was stopped\n";
    // During a run of the machine, which is cancelled.
    let line =
        "transform x.npy -o out.npy --algorithm sender --nodes 2 --block 1 --config dual --max-seconds 0.2";
    let ran = scene.run_at(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), over));
    assert_eq!(scene.names(), ["x.npy"]);
    // While it waits for input that does not come.
    let line = ["transform", "-", "-o", "out.npy", "--max-seconds", "0.1"];
    let mut child =
        scene.binary("earth-fft").args(line).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let kept_open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(kept_open);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), over));
    assert_eq!(scene.names(), ["x.npy"]);
    // With enough time the transform succeeds.
    let ran = scene.run_at(&["transform", "x.npy", "-o", "out.npy", "--max-seconds", "1e30"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn arrays_beyond_memory_are_refused() {
    let scene = Scene::new();
    // A thread for each of 2^25 points would take 65 GB.
    scene.file("x.npy", &npy("|i1", "(33554432,)", &vec![1; 1 << 25]));
    let line = ["transform", "x.npy", "-o", "out.npy", "--algorithm", "sender", "--block", "1"];
    let ran = scene.run_at(&line);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    let said = "earth-fft: the transform needs 6";
    assert!(ran.stderr.starts_with(said) && ran.stderr.contains(" are available; "), "{}", ran.stderr);
    assert_eq!(scene.names(), ["x.npy"]);
}

/// More nodes than any machine has cores: they take turns.
#[test]
fn sixty_four_nodes_give_the_same_to_the_bit() {
    let scene = Scene::new();
    scene.file("wave.npy", &wave(1 << 12, 10));
    let spectrum = |options: &str| {
        let line = format!("transform wave.npy -o out.npy --algorithm sender --block 32 {options}");
        let ran = scene.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        fs::read(scene.path("out.npy")).unwrap()
    };
    let one = spectrum("--nodes 1");
    assert!(one == spectrum("--nodes 64"));
    assert!(one == spectrum("--nodes 64 --config dual"));
}
