//! `earth-fft calibrate` through the binary: the profile it writes can be simulated, and it foretells every
//! program.

#![forbid(unsafe_code)]

mod common;

use std::fs;

use common::Scene;
use earth::Policy;
use earth::simulated::Profile;
use serde_json::Value;

#[test]
fn a_computer_is_calibrated_and_its_profile_simulated() {
    let scene = Scene::new();
    let ran = scene.run(&["calibrate", "-o", "host.toml", "--json"]);
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
    assert!(profile.spn.dispatch > 0 && profile.spn.send_word > 0 && profile.work.kernels.len() == 4);
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

#[test]
fn a_profile_that_cannot_be_written_is_known_before_any_work() {
    let scene = Scene::new();
    let ran = scene.run(&["calibrate", "-o", "nowhere/host.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(scene.names().is_empty());
}
