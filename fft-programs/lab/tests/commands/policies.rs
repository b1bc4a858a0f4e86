//! `earth-lab policies`, for one program on simulated machines.

use std::fs;

use super::common::Scene;

#[test]
fn rows_are_taken_up_and_the_page_is_the_same_to_the_byte() {
    let scene = Scene::new();
    let run = || {
        let command =
            ["policies", "paraffins", "--simulated", "--rows", "rows.csv", "--out", "page.md", "--json"];
        let ran = scene.run_at(&command);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let files = ["rows.csv", "page.md"].map(|name| fs::read_to_string(scene.path(name)).unwrap());
        (ran.stdout.clone(), files)
    };
    let first = run();
    let [rows, page] = &first.1;
    // Three machines, the default and 16 changes that are not of threads alone.
    assert_eq!(rows.lines().count(), 1 + 3 * 17);
    assert_eq!(run(), first, "nothing runs again");
    // A file that lost its last half is completed.
    scene.file("rows.csv", &rows.as_bytes()[..rows.len() / 2]);
    assert_eq!(run(), first);

    let answer: serde_json::Value = serde_json::from_str(&first.0).unwrap();
    assert_eq!((&answer["schema"], &answer["left_out"]), (&1.into(), &0.into()));
    let effects = answer["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 3 * 16);
    for effect in effects {
        let [faster, slower] = [0, 1].map(|at| effect["changed"][at].as_u64().unwrap());
        assert!(faster + slower <= 1, "{effect}");
        let [least, greatest] = [0, 1].map(|at| &effect["extremes"][at][1]);
        assert_eq!(least, greatest, "there is one program");
        assert!((effect["mean"].as_f64().unwrap() - least.as_f64().unwrap()).abs() < 1e-9, "{effect}");
        assert!(page.contains(&format!(
            "| {} | {} |",
            effect["setting"].as_str().unwrap(),
            effect["machine"].as_str().unwrap()
        )));
    }
    // SPN ignores how far DUAL is fed.
    let fed = effects.iter().find(|effect| effect["setting"] == "feed 8").unwrap();
    assert_eq!((&fed["machine"], &fed["mean"]), (&"simulated bluegene-l, SPN, 64 nodes".into(), &1.0.into()));
}

#[test]
fn a_name_of_no_program_is_refused_in_one_sentence() {
    let scene = Scene::new();
    let ran = scene.run_at(&["policies", "parafins"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("there is no program 'parafins'"), "{}", ran.stderr);
}
