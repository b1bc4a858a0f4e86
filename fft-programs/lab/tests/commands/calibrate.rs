//! `earth-lab calibrate` through the binary: the profile that it writes can be simulated and predicts every
//! program.

use std::fs;

use earth::Policy;
use earth::simulated::Profile;
use earth_console::work::Progress;
use earth_lab::calibrate::rates::{CalibrationEffort, rates};
use serde_json::Value;

use super::common::{Scene, npy};

#[test]
fn a_computer_is_calibrated_and_its_profile_simulated() {
    let scene = Scene::new();
    let ran = scene.run_alone(&["calibrate", "-o", "host.toml", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let file = fs::read_to_string(scene.path("host.toml")).unwrap();
    let profile = Profile::from_toml(&file).unwrap();
    assert_eq!(Profile::from_toml(&profile.to_toml()).as_ref(), Ok(&profile));
    assert_eq!(profile.policy, Policy::default());
    assert_eq!(answer["profile"]["policy"], serde_json::to_value(profile.policy).unwrap());
    let tables = ["[spn]", "[dual]", "[network]", "[work.kernels]", "[policy]"];
    for table in tables {
        let explained = file.lines().any(|line| line.starts_with('#') && line.contains(table));
        assert!(explained && file.lines().any(|line| line == table), "{table}: {file}");
    }
    assert_eq!((profile.name.as_str(), &answer["profile"]["name"]), ("host", &"host".into()));
    assert!(profile.spn.dispatch > 0 && profile.spn.send_word > 0 && profile.work.kernels.len() == 5);
    let rows = answer["rows"].as_array().unwrap();
    for program in
        ["row kernel", "sender", "receiver", "receiver-shared", "grouped, square", "grouped, rectangle"]
    {
        for config in ["spn", "dual"] {
            let row = rows.iter().find(|row| row["program"] == program && row["config"] == config).unwrap();
            let [measured, predicted, ratio] =
                ["measured_s", "predicted_s", "ratio"].map(|key| row[key].as_f64().unwrap());
            assert!(measured > 0.0 && predicted > 0.0, "{row}");
            assert!((ratio / (predicted / measured) - 1.0).abs() < 1e-9, "{row}");
        }
    }
    let ran = scene.run(&["simulate", "fig12", "--profile", "host.toml", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["profile"]["name"], "host");
}

/// Progress that is not reported.
struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: u64) {}
    fn done(&self, _: u64) {}
    fn is_over(&self) -> bool {
        false
    }
}

#[test]
fn rates_explain_a_plan_and_those_of_others_are_refused() {
    let scene = Scene::new();
    scene.file("wave.npy", &npy("<f8", "(64, 48)", &vec![0; 8 * 64 * 48]));
    let rates =
        rates(CalibrationEffort { milliseconds: 0.0, bytes: 1 << 16 }, &NoProgress).unwrap().to_string();
    scene.file("rates.toml", rates.as_bytes());
    let transform = |options: &[&str]| {
        scene.run(&[&["transform", "wave.npy", "-o", "out.npy", "--rates", "rates.toml"], options].concat())
    };
    let ran = transform(&["--explain"]);
    let told = ran.stderr.matches("bound by").count();
    assert!(ran.code == Some(0) && told == 2 && ran.stderr.contains("\npredicted "), "{}", ran.stderr);
    let ran = transform(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let refused = |content: &str, why: &str| {
        scene.file("rates.toml", content.as_bytes());
        let ran = transform(&[]);
        let file = scene.path("rates.toml");
        let said = format!("earth-fft: cannot use the rates '{}': {why}", file.display());
        let sentences = ran.stderr.lines().count();
        assert!(ran.code == Some(1) && sentences == 1 && ran.stderr.starts_with(&said), "{}", ran.stderr);
    };
    refused(&rates.replacen("schema = 2", "schema = 2 2", 1), "the rates in it cannot be read: ");
    let other = rates.replacen("architecture = \"", "architecture = \"not-", 1);
    refused(&other, "it was measured on another computer: the architecture was not-");
    refused("[spn]\n", "it has no rates of earth-fft\n");
    let ran = scene.run(&["calibrate", "--rates", "nowhere/rates.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
}

#[test]
fn a_profile_that_cannot_be_written_is_known_before_any_work() {
    let scene = Scene::new();
    let ran = scene.run(&["calibrate", "-o", "nowhere/host.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(scene.names().is_empty());
}
