//! `earth-lab map`, on its small map.

use std::fs;

use earth::simulated::Profile;

use super::common::Scene;

const PLOTS: [&str; 6] = ["messages", "parallelism", "blocks", "nodes", "su-speed", "hand-over"];

#[test]
fn a_small_map_is_the_same_in_each_run_and_resumed() {
    let scene = Scene::new();
    let page = |name: &str, options: &[&str]| {
        let ran = scene.run_at(&[&["map", "--small", "--out", name], options].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let path = scene.path(name);
        let plots = PLOTS.map(|plot| {
            let plot = path.with_extension("").join(format!("{plot}-epyc-7773x.svg"));
            fs::read_to_string(plot).unwrap()
        });
        let folder = format!("]({}/", name.replace(".md", ""));
        (fs::read_to_string(path).unwrap().replace(&folder, "](page/"), plots)
    };
    let first = page("one.md", &["--runs", "runs.jsonl"]);
    assert!(first.0.contains("| machine | comparison |") && first.0.contains("without `--measured`"));
    let kept = fs::read_to_string(scene.path("runs.jsonl")).unwrap();
    // Cut within a line: the run of this line and all later runs are done again.
    let cut = kept.match_indices('\n').nth(kept.lines().count() / 2).unwrap().0 + 9;
    scene.file("runs.jsonl", &kept.as_bytes()[..cut]);
    assert!(page("two.md", &["--runs", "runs.jsonl"]) == first, "a resumed map is the same");
    assert!(page("three.md", &[]) == first, "a map without a file is the same");
    let again = fs::read_to_string(scene.path("runs.jsonl")).unwrap();
    assert_eq!(again.lines().count(), kept.lines().count());
}

#[test]
fn a_map_has_rows_of_each_machine_as_json() {
    let scene = Scene::new();
    scene.file("slow.toml", Profile { name: "slow".into(), ..slow() }.to_toml().as_bytes());
    let answer = scene.run_at(&["map", "--small", "--profile", "slow.toml", "--json"]).json();
    assert_eq!(answer["schema"], 1);
    let rows = answer["rows"].as_array().unwrap();
    for machine in ["epyc-7773x", "manna50", "slow"] {
        let own: Vec<_> = rows.iter().filter(|row| row["machine"] == machine).collect();
        assert_eq!(own.len(), 2 * (2 + 2 + 2 + 2 + 2 + 2), "{machine}");
        for row in own {
            assert_eq!(row["ratios"].as_array().unwrap().len(), 4);
            assert!(row["ratios"][0]["ratio"].as_f64().unwrap() > 0.0 && row["is_simulated"] == true);
        }
    }
    // A synchronization unit that takes no time makes DUAL faster at equal nodes.
    let least = |machine: &str| {
        let own = rows.iter().filter(|row| row["machine"] == machine && row["equal"] == "nodes");
        own.map(|row| row["ratios"][1]["ratio"].as_f64().unwrap()).fold(f64::INFINITY, f64::min)
    };
    assert!(least("slow") > 1.0 && least("manna50") < least("slow"), "{}", least("slow"));
}

/// Returns a profile whose synchronization units take a hundred times as long.
fn slow() -> Profile {
    let mut profile = Profile::named("manna50").unwrap();
    for cost in [&mut profile.dual.word, &mut profile.dual.send_word, &mut profile.dual.receive_word] {
        *cost *= 100;
    }
    profile.dual.block *= 100;
    profile.dual.send_block *= 100;
    profile.dual.receive_block *= 100;
    profile
}

#[test]
fn a_small_map_is_measured_and_its_rows_are_kept() {
    let scene = Scene::new();
    let map = |options: &[&str]| {
        scene.run_alone(
            &[&["map", "--small", "--measured", "rows.jsonl", "--out", "page.md"], options].concat(),
        )
    };
    // The time is over at once, except for the profile.
    let ran = map(&["--max-seconds", "0.000001"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let page = || fs::read_to_string(scene.path("page.md")).unwrap();
    assert!(page().contains("measurements are left out, because the time limit was reached"), "{}", page());
    let begun = fs::read_to_string(scene.path("rows.jsonl")).unwrap();
    let ran = map(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let whole = (page(), fs::read_to_string(scene.path("rows.jsonl")).unwrap());
    assert!(whole.1.starts_with(&begun) && !whole.0.contains("left out, because"), "{}", whole.0);
    for part in
        ["### Peers", "](page/peers.svg)", "](page/messages-threads.svg)", "](page/messages-ranks.svg)"]
    {
        assert!(whole.0.contains(part), "{part}: {}", whole.0);
    }
    // Everything is in the file, so the page is made without a measurement.
    assert_eq!(map(&[]).code, Some(0));
    assert!((page(), fs::read_to_string(scene.path("rows.jsonl")).unwrap()) == whole);
    // Measurements of another computer are refused.
    scene
        .file("rows.jsonl", whole.1.replacen("\"architecture\":\"", "\"architecture\":\"not-", 1).as_bytes());
    let ran = map(&[]);
    let why = "do not hold here: it was measured on another computer: the architecture was not-";
    assert!(ran.code == Some(1) && ran.stderr.contains(why), "{}", ran.stderr);
}

#[test]
fn bad_input_is_refused_in_one_sentence() {
    let scene = Scene::new();
    let refusal = |code: i32, arguments: &[&str]| {
        let ran = scene.run_at(&[&["map", "--small"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{}", ran.stderr);
        ran.stderr
    };
    let torus = refusal(1, &["--profile", "bluegene-l"]);
    assert_eq!(
        torus,
        "earth-lab: cannot read the profile 'bluegene-l': its network is a torus, which the model does not have\n"
    );
    assert!(refusal(2, &["--profile", "mana50"]).contains("there is no profile 'mana50'"));
    assert!(refusal(2, &["--max-seconds", "3"]).contains("--measured"));
    assert!(refusal(1, &["--out", "nowhere/page.md"]).contains("nowhere/page.md"));
    scene.file("runs.jsonl", b"no runs\n");
    assert!(refusal(1, &["--runs", "runs.jsonl"]).contains("'runs.jsonl' is not a file of runs: line 1"));
    assert!(refusal(1, &["--measured", "runs.jsonl"]).contains("'runs.jsonl' is not a file of runs: line 1"));
}
