//! The binary with groups of nodes: how they share a matrix, how their speeds are measured, and which
//! commands use these.

use std::fs;

use serde_json::Value;
use snapbox::{IntoData, str};

use super::common::{Scene, npy};

/// Returns a matrix of waves.
fn matrix(rows: usize, cols: usize) -> Vec<u8> {
    let value = |at: usize| ((at * at % 97) as f64 / 97.0).to_le_bytes();
    npy("<f8", &format!("({rows}, {cols})"), &(0..rows * cols).flat_map(value).collect::<Vec<_>>())
}

#[track_caller]
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Transforms `m.npy` with verification, and returns the summary.
#[track_caller]
fn transformed(scene: &Scene, options: &str) -> Value {
    let line = format!("transform m.npy -o out.npy --verify --json {options}");
    scene.run_at(&line.split_whitespace().collect::<Vec<_>>()).json()
}

#[track_caller]
fn refused(scene: &Scene, line: &str, code: i32, said: impl IntoData) {
    scene.run_at(&line.split_whitespace().collect::<Vec<_>>()).refused(code, said);
}

/// Measures speeds with the least effort.
#[track_caller]
fn profiled(scene: &Scene, options: &str) -> Value {
    let line = format!("profile --json --min-repetitions 2 --max-repetitions 3 {options}");
    let ran = scene.run_at(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{options}: {}", ran.stderr);
    json(&ran.stdout)
}

/// Rows and columns that are long enough for the own kernel, and lengths that it leaves to rustfft.
#[test]
fn the_projects_own_kernel_transforms_matrices() {
    let scene = Scene::new();
    for (rows, cols) in [(256, 360), (300, 256), (34, 512)] {
        scene.file("m.npy", &matrix(rows, cols));
        for config in ["spn", "dual"] {
            let options = format!("--kernel earth --groups 2 --config {config}");
            assert_eq!(transformed(&scene, &options)["kernel"], "earth");
        }
    }
}

#[test]
fn however_groups_share_a_matrix_it_is_transformed() {
    let scene = Scene::new();
    for (rows, cols) in [(24, 24), (17, 30), (1, 9)] {
        scene.file("m.npy", &matrix(rows, cols));
        for config in ["spn", "dual"] {
            for options in [
                "--groups 2 --threads 2",
                "--groups 3",
                "--threads 2 --nodes 4 --barrier",
                "--groups 2 --pad stride --block 3",
                "--groups 2 --threads 1 --pad chirp --algorithm grouped",
                "--groups 1 --kernel rustfft --effort patient",
            ] {
                let summary = transformed(&scene, &format!("{options} --config {config}"));
                let groups = &summary["groups"];
                let rows_of = |pass: usize| {
                    let rows = groups["distribution"][pass].as_array().unwrap();
                    rows.iter().map(|rows| rows.as_u64().unwrap()).sum::<u64>()
                };
                assert_eq!([rows_of(0), rows_of(1)], [rows as u64, cols as u64], "{options}");
                let kernel = if options.contains("rustfft") { "rustfft" } else { "earth" };
                assert_eq!(summary["kernel"], kernel);
                assert_eq!(groups["barrier"], options.contains("--barrier"));
                // Either all rows are padded, or none.
                let strides = groups["strides"].as_array().unwrap();
                let as_asked = |stride: &Value| (stride.as_u64() > Some(0)) == options.contains("stride");
                assert!(
                    strides.iter().flat_map(|pass| pass.as_array().unwrap()).all(as_asked),
                    "{strides:?}"
                );
            }
        }
        assert!(transformed(&scene, "")["groups"].is_null());
    }
}

/// The stand-in has FFTW's interface and transforms by the definition of the DFT.
#[cfg(not(windows))]
#[test]
fn a_library_in_a_file_transforms_rows() {
    let scene = Scene::new();
    scene.file("m.npy", &matrix(12, 15));
    let library = standin_fftw::path();
    let path = library.to_str().unwrap();
    for options in
        ["--groups 2", "--groups 2 --pad stride", "--groups 1 --threads 2 --pad chirp --effort measure"]
    {
        assert_eq!(transformed(&scene, &format!("{options} --kernel {path}"))["kernel"], path);
    }
    let line = "transform m.npy -o out2.npy --groups 2 --kernel ./none.so";
    let ran = scene.run_at(&line.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    assert!(ran.stderr.contains("cannot load ./none.so"), "{}", ran.stderr);
    assert!(!scene.path("out2.npy").exists());
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let scene = Scene::new();
    scene.file("m.npy", &matrix(8, 8));
    scene.file("x.csv", b"1\n2\n3\n4\n");
    let transform = |options: &str| format!("transform m.npy -o out.npy {options}");
    refused(
        &scene,
        &transform("--groups 2 --threads 2 --nodes 5"),
        2,
        str!["2 groups of 2 nodes do not make 5 nodes"],
    );
    refused(&scene, &transform("--groups 2 --nodes 3"), 2, str!["2 groups of 1 nodes do not make 3 nodes"]);
    refused(
        &scene,
        &transform("--groups 33 --threads 33"),
        1,
        str!["a machine has 1 to 1024 nodes, not 1089"],
    );
    let many = "a machine has 1 to 1024 nodes, not 1000000000000";
    refused(&scene, &transform("--groups 1000000000000"), 1, many);
    refused(&scene, "profile --groups 1000000000000 -o new.json", 1, many);
    refused(
        &scene,
        &transform("--partition fpm"),
        1,
        str![
            "no speed functions were given for rows with the padding 'none'; 'earth-lab profile --pad none' measures them"
        ],
    );
    refused(
        &scene,
        &transform("--pad spectrum"),
        1,
        str!["padding as published needs measured speed functions; 'earth-lab profile' measures them"],
    );
    refused(
        &scene,
        "transform x.csv -o out.csv --groups 2",
        1,
        str!["groups of nodes need a matrix or an image, not a series"],
    );
    refused(
        &scene,
        &transform("--groups 2 --algorithm sender"),
        1,
        str!["the algorithm 'sender' does not support groups of nodes or their options; 'grouped' does"],
    );
    for options in
        ["--groups 0", "--threads 0", "--partition best", "--pad more", "--kernel x.so", "--effort hard"]
    {
        let line = transform(options);
        let ran = scene.run_at(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{options}: {}", ran.stderr);
    }
    assert_eq!(scene.names(), ["m.npy", "x.csv"]);
}

#[test]
fn speeds_are_measured_once_and_the_command_goes_on() {
    let scene = Scene::new();
    let first = profiled(&scene, "--groups 2 --threads 1 --longest 32 --step 8 -o speeds.json");
    assert_eq!((first["measured"].as_u64(), first["left"].as_u64()), (Some(10), Some(0)));
    assert_eq!((first["groups"].as_u64(), first["speeds"].as_array().map(Vec::len)), (Some(2), Some(2)));
    assert!(first["speeds"][1]["least"].as_f64().unwrap() > 0.0);
    let file = fs::read(scene.path("speeds.json")).unwrap();
    // No size remains, and the file does not change.
    let again = profiled(&scene, "--groups 2 --threads 1 --longest 32 --step 8 -o speeds.json");
    assert_eq!((again["measured"].as_u64(), again["sizes"].as_u64()), (Some(0), Some(10)));
    assert!(fs::read(scene.path("speeds.json")).unwrap() == file);
    // A larger grid keeps the points of the smaller one.
    let more = profiled(&scene, "--groups 2 --threads 1 --longest 40 --step 8 -o speeds.json");
    assert_eq!((more["measured"].as_u64(), more["sizes"].as_u64()), (Some(5), Some(15)));
    // The time limit is reached after one size.
    let short =
        profiled(&scene, "--groups 2 --threads 1 --longest 64 --step 8 --max-seconds 1e-9 -o speeds.json");
    assert_eq!((short["measured"].as_u64(), short["left"].as_u64()), (Some(1), Some(20)));
    // Around an even distribution: eight multiples of 4 up to 32.
    let around = profiled(&scene, "--groups 2 --threads 1 --around 32 --length 20 --step 4 -o around.json");
    assert_eq!(around["measured"].as_u64(), Some(8));
    assert_eq!(scene.names(), ["around.json", "speeds.json"]);
}

#[test]
fn speeds_of_something_else_are_refused() {
    let scene = Scene::new();
    profiled(&scene, "--groups 2 --threads 1 --longest 16 --step 8 -o speeds.json");
    let line = "profile --groups 1 --threads 1 --longest 16 --step 8 --max-repetitions 10 -o speeds.json";
    refused(
        &scene,
        line,
        1,
        str![
            "'speeds.json' holds speed functions of other groups or another kernel; give another file with -o, or --force to overwrite it"
        ],
    );
    assert_eq!(
        profiled(&scene, &format!("{} --force", &line[8..]).replace("--max-repetitions 10", ""))["groups"],
        1
    );

    let text = fs::read_to_string(scene.path("speeds.json")).unwrap();
    let cores = text.lines().find(|line| line.contains("\"usable_cores\"")).unwrap();
    scene.file("foreign.json", text.replace(cores, "    \"usable_cores\": 12345,").as_bytes());
    scene.file("m.npy", &matrix(16, 16));
    let foreign = "transform m.npy -o out.npy --partition fpm --groups 1 --threads 1 --profile foreign.json";
    let ran = scene.run_at(&foreign.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    assert!(ran.stderr.contains("another computer") && ran.stderr.contains("--force"), "{}", ran.stderr);
    let forced = scene.run_at(&format!("{foreign} --force").split(' ').collect::<Vec<_>>());
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    assert!(forced.stderr.starts_with("earth-fft: warning: 'foreign.json'"), "{}", forced.stderr);

    for (content, said) in [
        (&b"{}"[..], str!["'broken.json' is no performance model of earth-fft"]),
        (b"", str!["'broken.json' is no performance model of earth-fft"]),
    ] {
        scene.file("broken.json", content);
        refused(&scene, "profile --longest 16 --step 8 -o broken.json", 1, said);
        assert_eq!(fs::read(scene.path("broken.json")).unwrap(), content);
    }
    let half = &text.as_bytes()[..text.len() / 2];
    scene.file("broken.json", half);
    let ran = scene.run_at(&["transform", "m.npy", "-o", "o.npy", "--profile", "broken.json"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("is a damaged performance model"), "{}", ran.stderr);

    for (options, said) in [
        (
            "--longest 4 --step 8",
            str!["no multiple of the step 8 is between 1 and 4, so there is no size to measure"],
        ),
        ("--longest 1 --step 1", str!["rows of 1 points take no operations, so they have no speed"]),
        (
            "--confidence 1",
            str!["a mean needs a --confidence below 1 and a --min-repetitions from 2 to --max-repetitions"],
        ),
        (
            "--min-repetitions 1",
            str!["a mean needs a --confidence below 1 and a --min-repetitions from 2 to --max-repetitions"],
        ),
    ] {
        refused(&scene, &format!("profile -o new.json {options}"), 2, said);
    }
    assert!(!scene.path("new.json").exists());
    assert_eq!(scene.run_at(&["profile", "--pad", "spectrum", "-o", "new.json"]).code, Some(2));
}

/// Saved speeds apply only to matrices whose lengths were measured, and only if no other option decides.
#[test]
fn auto_uses_saved_speeds() {
    let scene = Scene::new();
    for pad in ["none", "stride", "chirp"] {
        let saved = profiled(&scene, &format!("--groups 2 --threads 1 --longest 32 --step 8 --pad {pad}"));
        assert!(saved["file"].as_str().unwrap().ends_with(&format!("earth-fft/speed-f64-{pad}.json")));
    }
    scene.file("m.npy", &matrix(32, 32));
    let groups = transformed(&scene, "")["groups"].clone();
    assert_eq!(
        (groups["threads"].as_u64(), groups["distribution"][0].as_array().map(Vec::len)),
        (Some(1), Some(2))
    );
    assert!(groups["spectrum"].is_null(), "what is not exact is never chosen by itself");
    for options in ["--nodes 2", "--nodes 2 --block 4", "--algorithm grouped"] {
        assert!(transformed(&scene, options)["groups"].is_null(), "{options}");
    }
    scene.file("m.npy", &matrix(32, 33));
    assert!(transformed(&scene, "")["groups"].is_null(), "rows of 33 points were not measured");
    scene.file("m.npy", &matrix(32, 24));
    assert!(transformed(&scene, "--partition fpm --pad auto")["groups"].is_object());
}

/// Measured points are in the file whenever Ctrl-C comes.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_keeps_what_is_measured() {
    use std::process::{Command, Stdio};

    let scene = Scene::new();
    let line = "profile --groups 2 --threads 1 --longest 1024 --step 4 --max-repetitions 10 -o speeds.json";
    let mut child = scene.binary("earth-lab").args(line.split(' ')).stdout(Stdio::piped()).spawn().unwrap();
    let points = || {
        let text = fs::read_to_string(scene.path("speeds.json")).unwrap_or_default();
        text.matches("\"mean\"").count()
    };
    while points() < 6 {
        assert!(child.try_wait().unwrap().is_none(), "it ended without being asked to");
        std::thread::yield_now();
    }
    let kill = format!("kill -s INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = points();
    assert!(kept >= 6 && kept.is_multiple_of(2), "{kept} points of two groups");
    assert_eq!(scene.names(), ["speeds.json"]);
    let on =
        profiled(&scene, "--groups 2 --threads 1 --longest 1024 --step 4 --max-seconds 1e-9 -o speeds.json");
    assert_eq!(on["sizes"].as_u64(), Some(kept as u64 / 2 + 1));
}
