//! The binary with measured plans: its messages, the wisdom file, and files that are refused.

use std::fs;

use crate::common::{Ran, Scene, npy};

fn scene() -> Scene {
    let scene = Scene::new();
    let body: Vec<u8> = (0..12 * 20_u16).flat_map(|at| f64::from(at * at % 97).to_le_bytes()).collect();
    scene.file("in.npy", &npy("<f8", "(12, 20)", &body));
    scene
}

#[track_caller]
fn run(scene: &Scene, options: &str) -> Ran {
    let line = ["transform in.npy -o out.npy --verify --explain ", options].concat();
    let ran = scene.run_at(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{options}: {}", ran.stderr);
    ran
}

/// Returns the lines of standard error with times.
fn measured(ran: &Ran) -> Vec<String> {
    ran.stderr.lines().filter(|line| line.contains(" us in ")).map(ToOwned::to_owned).collect()
}

#[test]
fn measurements_are_printed_kept_and_used() {
    for options in ["--nodes 2", "", "--inverse --algorithm two-pass --nodes 2"] {
        let scene = scene();
        let with = |more: &str| run(&scene, &format!("--wisdom w.json {options} {more}"));
        let first = with("--effort measure");
        let told = measured(&first);
        assert!(
            told.len() > 1 && first.stderr.contains("\nmeasured, the least and the median"),
            "{}",
            first.stderr
        );
        let kept = fs::read_to_string(scene.path("w.json")).unwrap();
        assert!(kept.starts_with("{\n  \"format\": \"earth-fft wisdom\",\n  \"schema\": 5,"), "{kept}");
        // Times never repeat to the nanosecond in all these runs, so an equal message was not measured again.
        for again in ["", "--effort estimate", "--effort measure"] {
            let ran = with(again);
            assert_eq!(
                (measured(&ran), ran.stderr),
                (told.clone(), first.stderr.clone()),
                "{options} {again}"
            );
            assert_eq!(fs::read_to_string(scene.path("w.json")).unwrap(), kept);
        }
        // Another problem has a separate entry.
        with("--effort measure --config dual --time-limit 20");
        let more = fs::read_to_string(scene.path("w.json")).unwrap();
        assert_eq!([&kept, &more].map(|text| text.matches("\"unbeaten\"").count()), [1, 2]);
        assert_eq!(scene.names(), ["in.npy", "out.npy", "w.json"]);
        assert_eq!(measured(&run(&scene, options)), [""; 0], "without the file nothing is known");
    }
}

#[test]
fn the_time_limit_is_reported() {
    let ran = run(&scene(), "--nodes 2 --effort patient --time-limit 1e-9");
    assert!(ran.stderr.contains("until the time limit was reached"), "{}", ran.stderr);
    assert_eq!(measured(&ran).len(), 1);
}

#[test]
fn speeds_that_were_given_are_found_by_the_wisdom() {
    let scene = scene();
    let line = "profile --groups 2 --threads 1 --longest 32 --step 4 --max-repetitions 10 -o speeds.json";
    assert_eq!(scene.run_at(&line.split(' ').collect::<Vec<_>>()).code, Some(0));
    run(&scene, "--partition fpm --profile speeds.json --wisdom w.json");
    let kept = fs::read_to_string(scene.path("w.json")).unwrap();
    assert!(kept.contains("\"speeds.json\""), "{kept}");
    run(&scene, "--partition fpm --wisdom w.json");
    // Without these groups they are not requested.
    let ran = run(&scene, "--wisdom w.json");
    assert!(!ran.stdout.contains("groups"), "{}", ran.stdout);
    let line = "transform in.npy -o out.npy --partition fpm";
    let ran = scene.run_at(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
}

/// Speed functions of two groups, made so that the second one is twice as slow: saved ones, and ones that the
/// wisdom names.
#[test]
fn distributions_by_speed_functions_are_measured() {
    let scene = scene();
    let line = "profile --groups 2 --threads 1 --longest 32 --step 4 --max-repetitions 10 --kernel earth -o speeds.json";
    assert_eq!(scene.run_at(&line.split(' ').collect::<Vec<_>>()).code, Some(0));
    let measured_speeds = fs::read_to_string(scene.path("speeds.json")).unwrap();
    let mut speeds: serde_json::Value = serde_json::from_str(&measured_speeds).unwrap();
    for (group, lines) in speeds["functions"].as_array_mut().unwrap().iter_mut().enumerate() {
        for line in lines.as_array_mut().unwrap() {
            let work = line["rows"].as_f64().unwrap() * line["length"].as_f64().unwrap();
            line["mean"] = (work * [1e-9, 2e-9][group]).into();
        }
    }
    fs::create_dir_all(scene.path("data/earth-fft")).unwrap();
    scene.file("data/earth-fft/speed-f64-none.json", speeds.to_string().as_bytes());
    scene.file("named.json", speeds.to_string().as_bytes());
    // A file of complex points, since groups do not share real numbers.
    let body: Vec<u8> = (0..480_u32).flat_map(|at| f64::from(at * at % 97).to_le_bytes()).collect();
    scene.file("in.npy", &npy("<c16", "(12, 20)", &body));
    let uneven = |ran: &Ran| measured(ran).iter().filter(|line| line.contains(": 8 + 4 rows, ")).count();
    assert_eq!(uneven(&run(&scene, "--nodes 2 --effort measure --kernel earth")), 1);
    run(&scene, "--partition fpm --profile named.json --wisdom w.json");
    fs::remove_file(scene.path("data/earth-fft/speed-f64-none.json")).unwrap();
    assert_eq!(uneven(&run(&scene, "--nodes 2 --effort measure --kernel earth")), 0);
    assert_eq!(uneven(&run(&scene, "--nodes 2 --effort measure --kernel earth --wisdom w.json")), 1);
}

#[test]
fn wisdom_that_cannot_be_used_is_refused_before_any_work() {
    let scene = scene();
    let line = |wisdom: &str| format!("transform in.npy -o out.npy --effort measure --wisdom {wisdom}");
    let refused = |wisdom: &str, code: i32, sentence: &str| {
        let names = scene.names();
        scene.run_at(&line(wisdom).split(' ').collect::<Vec<_>>()).refused(code, sentence);
        assert_eq!(scene.names(), names);
    };
    refused("-", 2, "wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'");
    refused("no/w.json", 1, "cannot write 'no/w.json': there is no such directory");
    scene.file("other.json", b"{}");
    refused("other.json", 1, "cannot use the wisdom 'other.json': it has no wisdom of earth-fft");
    assert_eq!(scene.run_at(&line("w.json").split(' ').collect::<Vec<_>>()).code, Some(0));
    let kept = fs::read_to_string(scene.path("w.json")).unwrap();
    scene.file("old.json", kept.replacen("\"version\": \"", "\"version\": \"0.", 1).as_bytes());
    let version = env!("CARGO_PKG_VERSION");
    refused(
        "old.json",
        1,
        &format!(
            "cannot use the wisdom 'old.json': it was measured by version 0.{version} of earth-fft, and this is {version}"
        ),
    );
    scene.file("bytes.json", b"\xff\xfe");
    refused("bytes.json", 1, "cannot use the wisdom 'bytes.json': stream did not contain valid UTF-8");
    for limit in ["0", "-1", "inf"] {
        let line = format!("transform in.npy -o out.npy --time-limit {limit}");
        assert_eq!(scene.run_at(&line.split(' ').collect::<Vec<_>>()).code, Some(2));
    }
}
