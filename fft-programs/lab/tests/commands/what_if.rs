//! `earth-lab what-if`, for one program.

use std::fs;

use earth_fft::computer::usable_cores;

use super::common::Scene;

#[test]
fn a_program_is_measured_and_predicted_on_the_same_machines() {
    let scene = Scene::new();
    let ran = scene.run_at(&["what-if", "queens", "--out", "page.md", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer = ran.json();
    assert_eq!(answer["schema"], 1);
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["program"]), (1, &"queens".into()));
    assert!(rows[0]["fiber_ns"].as_f64().unwrap() > 0.0);
    let predicted = rows[0]["predicted"].as_array().unwrap();
    assert_eq!(predicted[0]["machine"], "SPN, 1 node");
    for machine in predicted {
        let measured: Vec<f64> =
            machine["measured_s"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
        assert!(measured.is_sorted() && measured[0] > 0.0, "{machine}");
        assert!(machine["predicted_s"].as_f64().unwrap() > 0.0, "{machine}");
    }
    let has_ranks = predicted.iter().any(|machine| machine["of_ranks"] == true);
    assert_eq!(has_ranks, usable_cores() > 1, "{predicted:?}");
    assert_eq!(answer["median_error_of_ranks"].is_number(), has_ranks);
    // A simulated machine of 16 nodes shares the work, whatever this computer does.
    let speedups = rows[0]["speedups"].as_array().unwrap();
    assert_eq!(speedups[0][0], "SPN, 16 nodes");
    assert!(speedups[0][1].as_f64().unwrap() > 1.0, "{speedups:?}");
    let page = fs::read_to_string(scene.path("page.md")).unwrap();
    assert!(page.contains("| queens | SPN, 1 node |"), "{page}");
}

#[test]
fn a_name_of_no_program_is_refused_in_one_sentence() {
    let scene = Scene::new();
    let ran = scene.run_at(&["what-if", "quens"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("there is no program 'quens'"), "{}", ran.stderr);
}
