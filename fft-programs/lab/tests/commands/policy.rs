//! `--policy` through the binary: every command that runs programs accepts it, reports it, and rejects an
//! invalid policy.

use std::fs;

use earth::simulated::Profile;
use earth::{FiberOrder, Policy};
use serde_json::Value;

use super::common::Scene;

/// A policy that differs from the default and from the policies of the built-in profiles.
const ODD: &str = "fibers-first,feed=3";

/// Returns the policy [`ODD`] in JSON.
fn odd() -> Value {
    let policy = Policy { fibers: FiberOrder::FibersFirst, feed: 3, ..Policy::default() };
    serde_json::to_value(policy).unwrap()
}

#[test]
fn invalid_policies_are_refused_with_2_by_every_command() {
    let scene = Scene::new();
    scene.file("x.csv", b"1\n2\n");
    let commands = [
        &["transform", "x.csv", "-o", "out.csv"][..],
        &["compare", "-o", "out.html"],
        &["simulate", "fig12"],
    ];
    let wrong = [
        (
            "oldest-first",
            "unknown variant `oldest-first`, expected one of `newest-first`, `one-queue`, `fibers-first`",
        ),
        ("feed=0", "`feed` of a policy must be at least 1, not 0"),
        ("one-queue,depth=3", "unknown field `depth`"),
        ("feed=1,feed=2", "a policy gives `feed` twice; give it once"),
    ];
    for command in commands {
        for (policy, why) in wrong {
            let ran = scene.run_at(&[command, &["--policy", policy]].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{command:?} {policy}");
            let said = ran.stderr.lines().next().unwrap();
            assert!(said.starts_with(&format!("error: invalid value '{policy}' for '--policy <POLICY>': ")));
            assert!(said.contains(why), "{said}");
        }
    }
    assert_eq!(scene.names(), ["x.csv"]);
}

#[test]
fn a_transform_reports_the_policy_of_its_machine() {
    let scene = Scene::new();
    scene.file("x.csv", "1\n-2\n4\n8\n".repeat(16).as_bytes());
    let transform = |options: &[&str]| {
        let ran = scene.run_at(&[&["transform", "x.csv", "-o", "out.csv", "--verify"], options].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{options:?}");
        ran
    };
    // One thread runs on a machine of one node.
    for program in
        [&["--algorithm", "auto"][..], &["--algorithm", "receiver", "--nodes", "2", "--config", "dual"]]
    {
        let odd_one = [program, &["--policy", ODD]].concat();
        assert_eq!(transform(&[&odd_one[..], &["--json"]].concat()).json()["policy"], odd());
        let summary = transform(&odd_one).stdout;
        assert!(summary.lines().any(|line| line.split_whitespace().eq(["policy", ODD])), "{summary}");
        let usual = transform(&[program, &["--json"]].concat()).json();
        assert_eq!(usual["policy"], serde_json::to_value(Policy::default()).unwrap());
    }
}

#[test]
fn a_comparison_shows_the_policy_of_both_configurations() {
    let scene = Scene::new();
    let compare =
        |options: &[&str]| scene.run_at(&[&["compare", "--max-seconds", "0.001"], options].concat());
    assert_eq!(compare(&["--policy", ODD, "--json"]).json()["policy"], odd());
    let said = compare(&["--policy", ODD, "-o", "page.html"]).stdout;
    assert!(said.contains(&format!("Policy of both: {ODD}\n")), "{said}");
    let page = fs::read_to_string(scene.path("page.html")).unwrap();
    assert!(page.contains(&format!("<dt>policy of SPN and DUAL</dt><dd>{ODD}</dd>")));
    let said = compare(&[]).stdout;
    assert!(said.contains("Policy of both: newest-first (the default)\n"), "{said}");
}

#[test]
fn a_simulation_runs_under_the_policy_in_place_of_the_profile_s() {
    let scene = Scene::new();
    let simulate = |options: &[&str]| scene.run_at(&[&["simulate", "fig12"], options].concat());
    let (given, own) = (simulate(&["--policy", ODD, "--json"]).json(), simulate(&["--json"]).json());
    let profile = Profile::named("seed140-scaled-net").unwrap();
    assert_eq!((&given["policy"], &given["profile"]["policy"]), (&odd(), &odd()));
    assert_eq!(own["policy"], Value::Null);
    assert_eq!(own["profile"]["policy"], serde_json::to_value(profile.policy).unwrap());
    let newest = simulate(&["--policy", "newest-first", "--json"]).json();
    let cycles = |answer: &Value| {
        let rows = answer["figures"][0]["rows"].as_array().unwrap();
        rows.iter().map(|row| row["cycles"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_ne!(cycles(&newest), cycles(&own));

    let ran = simulate(&["--policy", ODD, "--out", "made"]);
    let sentence = format!("All machines have the policy {ODD}, whatever their profiles say.");
    let page = fs::read_to_string(scene.path("made").join("simulate.html")).unwrap();
    assert!(ran.stdout.contains(&sentence) && page.contains(&sentence), "{}", ran.stdout);
    let rows = fs::read_to_string(scene.path("made").join("fig12.csv")).unwrap();
    let costs = format!(",\"seed140-scaled-net, policy {ODD}\",");
    assert!(rows.lines().skip(1).all(|row| row.contains(&costs)), "{rows}");
}

#[test]
fn the_profile_s_own_policy_changes_no_byte_of_a_simulation() {
    let scene = Scene::new();
    for form in [&[][..], &["--json"]] {
        let own = scene.run_at(&[&["simulate", "fig12"], form].concat());
        let given = scene.run_at(&[&["simulate", "fig12", "--policy", "one-queue"], form].concat());
        assert_eq!((own.code, own.stdout), (Some(0), given.stdout));
    }
}
