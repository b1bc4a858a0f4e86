//! `earth-lab simulate distributed`, on its small arrays.

use std::fs;

use earth::simulated::Profile;

use super::common::Scene;

#[test]
fn the_growth_of_distributed_ffts_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "distributed and distributed-few cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md";
    for wrong in [
        &["simulate", "distributed", "fig12"][..],
        &["simulate", "distributed", "--json"],
        &["simulate", "distributed-few", "--policy", "one-queue"],
        &["simulate", "distributed", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
    let ran = scene.run_at(&["simulate", "distributed-few", "--profile", "bluegene-l"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("its network has no crossbars"), "{}", ran.stderr);

    let small = |profile: &[&str], page: &str| {
        let ran = scene.run_at(&[&["simulate", "distributed-few", "--out", page], profile].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let plot = scene.path(page.trim_end_matches(".md")).join("small.svg");
        assert!(fs::read_to_string(scene.path(page)).unwrap().contains("/small.svg)"));
        fs::read_to_string(plot).unwrap()
    };
    let usual = small(&[], "page.md");
    for panel in ["transposed order, SPN", "natural order, DUAL"] {
        assert!(usual.contains(panel));
    }
    let mut slow = Profile::named("manna50").unwrap();
    slow.network.interface *= 100.0;
    scene.file("slow.toml", slow.to_toml().as_bytes());
    assert_ne!(usual, small(&["--profile", "slow.toml"], "slow.md"));
}
