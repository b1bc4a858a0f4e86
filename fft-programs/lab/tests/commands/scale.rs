//! `earth-lab simulate scale`, of small programs on few nodes.

use std::fs;

use earth::simulated::Profile;

use super::common::Scene;

#[test]
fn the_scale_of_the_runtime_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "scale and scale-few cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md";
    for wrong in [
        &["simulate", "scale", "fig12"][..],
        &["simulate", "scale-few", "--json"],
        &["simulate", "scale", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
    let small = |profile: &[&str], page: &str| {
        let ran = scene.run_at(&[&["simulate", "scale-few", "--out", page], profile].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let page = scene.path(page);
        let plot = fs::read_to_string(page.with_extension("").join("predicted.svg")).unwrap();
        (fs::read_to_string(page).unwrap(), plot)
    };
    let (page, plot) = small(&[], "page.md");
    // On 4 nodes a run that uses each node sends 6 messages, on 8 nodes 14; a signal is one message.
    for row in [
        "| run | messages of a run that uses each node | 6 | 14 | 14 | as nodes | as nodes |",
        "| signal | messages of a signal to another node | 1 | 1 | 1 | no | no |",
    ] {
        assert!(page.contains(row), "{page}");
    }
    assert_eq!(small(&[], "again.md").1, plot, "predictions are equal in each run");
    let mut slow = Profile::named("epyc-7773x").unwrap();
    slow.network.interface *= 100.0;
    scene.file("slow.toml", slow.to_toml().as_bytes());
    assert_ne!(small(&["--profile", "slow.toml"], "slow.md").1, plot);
}
