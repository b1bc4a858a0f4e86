//! `earth-lab simulate`, on its cheapest figure, and a small `simulate2d` through the binary: output, files
//! and errors.

use std::fs;

use earth::simulated::Profile;
use serde_json::Value;
use snapbox::str;

use super::common::Scene;

/// Returns the rows of figure 12.
fn rows(answer: &Value) -> &[Value] {
    answer["figures"][0]["rows"].as_array().unwrap()
}

/// Returns the total time of figure 12's row for this configuration and number of nodes.
fn total(answer: &Value, config: &str, p: u64) -> f64 {
    let row = rows(answer).iter().find(|row| row["config"] == config && row["p"] == p).unwrap();
    row["total_s"].as_f64().unwrap()
}

#[test]
fn a_figure_is_one_object_whose_rows_are_verified() {
    let answer = Scene::new().run_at(&["simulate", "fig12", "--json"]).json();
    assert_eq!((&answer["schema"], &answer["profile"]["name"]), (&3.into(), &"seed140-scaled-net".into()));
    assert_eq!(answer["figures"].as_array().unwrap().len(), 1);
    let rows = rows(&answer);
    // Both configurations on 1 to 64 nodes and on 120.
    assert_eq!(rows.len(), 2 * 8);
    for row in rows {
        assert_eq!(
            (&row["figure"], &row["program"], &row["n"], &row["block"]),
            (&"fig12".into(), &"sender".into(), &64.into(), &16.into())
        );
        let error = row["error"].as_f64().unwrap();
        assert!(error > 0.0 && error < 6e-15, "{error}: computed, and right");
        assert_eq!(row["half_butterflies"], 128, "two stages of 64 points");
    }
    // Four threads keep four nodes busy, and use no more.
    for config in ["spn", "dual"] {
        assert!(total(&answer, config, 1) > 3.0 * total(&answer, config, 4));
        assert!((total(&answer, config, 120) / total(&answer, config, 8) - 1.0).abs() < 0.01);
    }
    assert_eq!(answer["statements"].as_array().unwrap().len(), 0, "nobody asked for them");
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let scene = Scene::new();
    let runs = [(); 2].map(|()| scene.run_at(&["simulate", "fig12"]));
    assert_eq!(runs[0].code, Some(0));
    assert_eq!(runs[0].stdout, runs[1].stdout);
    for said in ["Figure 12", "nodes P", "120", "estimates", "the largest relative error is"] {
        assert!(runs[0].stdout.contains(said), "{said}: {}", runs[0].stdout);
    }
}

#[test]
fn files_are_written_beside_the_tables() {
    let scene = Scene::new();
    let ran = scene.run_at(&["simulate", "fig12", "--out", "made/here"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("Figure 12"));
    let made = scene.path("made").join("here");
    let mut names: Vec<_> =
        fs::read_dir(&made).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["fig12.csv", "fig12.svg", "simulate.html", "simulate.md"]);

    let rows = fs::read_to_string(made.join("fig12.csv")).unwrap();
    let header = "figure,panel,line,costs,flop_cycles,program,config,n,p,block,roots,point_bytes,x,y,dealing_s,local_s,\
                  multithreaded_s,gathering_s,reordering_s,total_s,cycles,speedup,requests,half_butterflies,fibers,messages,eu_busy_s,su_busy_s,error";
    assert_eq!(rows.lines().next(), Some(header));
    assert_eq!(rows.lines().count(), 1 + 2 * 8);
    assert!(
        rows.lines()
            .nth(1)
            .unwrap()
            .starts_with("fig12,SPN,\"N = 64, B = 16\",seed140-scaled-net,54.7,sender,spn,64,1,16,,16,1.0,")
    );

    let plot = fs::read_to_string(made.join("fig12.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    // A dot for each row, and one in the key.
    assert_eq!(plot.matches("<circle").count(), 2 * 8 + 1);
    assert!(plot.contains("prefers-color-scheme: dark") && plot.contains("total time"));
    let page = fs::read_to_string(made.join("simulate.html")).unwrap();
    assert!(
        page.contains("Figure 12") && page.contains("<svg") && !page.contains("http://www.w3.org/1999/xlink")
    );
    let page = fs::read_to_string(made.join("simulate.md")).unwrap();
    assert!(page.contains("(fig12.svg)") && page.contains("| nodes P |"), "{page}");
}

#[test]
fn a_profile_is_a_file_too_and_the_built_in_ones_are_such_files() {
    let scene = Scene::new();
    let profile = Profile::named("manna50").unwrap();
    scene.file("same.toml", profile.to_toml().as_bytes());
    let built_in = scene.run_at(&["simulate", "fig12", "--json", "--profile", "manna50"]).json();
    assert_eq!(scene.run_at(&["simulate", "fig12", "--json", "--profile", "same.toml"]).json(), built_in);

    let mut slow = profile;
    slow.name = "slow network".to_owned();
    slow.network.interface *= 100.0;
    scene.file("slow.toml", slow.to_toml().as_bytes());
    let slower = scene.run_at(&["simulate", "fig12", "--json", "--profile", "slow.toml"]).json();
    assert_eq!(slower["profile"]["name"], "slow network");
    assert!(total(&slower, "spn", 4) > total(&built_in, "spn", 4));
    let on_one_node = [&slower, &built_in].map(|answer| total(answer, "spn", 1).to_bits());
    assert_eq!(on_one_node[0], on_one_node[1], "one node needs no network");
}

#[test]
fn work_costs_its_argument() {
    let scene = Scene::new();
    let with = |work| scene.run_at(&["simulate", "fig12", "--json", "--work", work]).json();
    let [paper, tuned, free] = ["paper", "tuned", "0"].map(with);
    assert_eq!(paper["figures"][0]["rows"][0]["flop_cycles"], 54.7);
    assert_eq!(tuned["figures"][0]["rows"][0]["flop_cycles"], 5.5);
    let times = [&paper, &tuned, &free].map(|answer| total(answer, "spn", 1));
    // 64 points, six levels, five operations each.
    let work = |flop: f64| 64.0 * 6.0 * 5.0 * flop / 140e6;
    assert!((times[0] - times[2] - work(54.7)).abs() < 1e-6, "{times:?}");
    assert!((times[1] - times[2] - work(5.5)).abs() < 1e-6, "{times:?}");
}

#[test]
fn the_command_line_is_refused_with_2() {
    let scene = Scene::new();
    scene.run_at(&["simulate", "fig12", "--profile", "manna51"]).refused(
        2,
        str!["there is no profile 'manna51'; built in are manna50, seed140-scaled-net, seed140-fixed-net, bluegene-l, epyc-7773x, and any other \
         profile is a .toml file"],
    );
    for wrong in [&["simulate"][..], &["simulate", "fig5"], &["simulate", "fig12", "--work", "cheap"]] {
        let ran = scene.run_at(wrong);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_with_1_and_one_sentence() {
    let scene = Scene::new();
    let run = |profile| scene.run_at(&["simulate", "fig12", "--profile", profile]);
    run("none.toml")
        .refused(1, str!["cannot read the profile 'none.toml': No such file or directory (os error 2)"]);
    let good = Profile::named("manna50").unwrap().to_toml();
    scene.file("word.toml", good.replacen("clock_mhz = 50.0", "clock_mhz = \"fast\"", 1).as_bytes());
    let ran = run("word.toml");
    assert!(
        ran.stderr.starts_with("earth-lab: cannot read the profile 'word.toml': line 2: "),
        "{}",
        ran.stderr
    );
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
    scene.file("zero.toml", good.replacen("clock_mhz = 50.0", "clock_mhz = 0.0", 1).as_bytes());
    run("zero.toml").refused(
        1,
        str!["cannot read the profile 'zero.toml': clock_mhz is above 0 and at most a million, in megahertz"],
    );
    scene.file("taken", b"a file");
    let ran = scene.run_at(&["simulate", "fig12", "--out", "taken"]);
    assert!(ran.stderr.starts_with("earth-lab: cannot write 'taken': "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_eq!(fs::read(scene.path("taken")).unwrap(), b"a file");
}

#[test]
fn the_earth_paper_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "earth cannot be combined with other subjects or options; it takes --profile, --work and --out PAGE.md";
    for wrong in [
        &["simulate", "earth", "fig12"][..],
        &["simulate", "earth", "--json"],
        &["simulate", "earth", "--policy", "one-queue"],
        &["simulate", "earth", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
}

#[test]
fn finished_runs_are_taken_up_again() {
    let scene = Scene::new();
    let runs = || fs::read_to_string(scene.path("runs.jsonl")).unwrap();
    let first = scene.run_at(&["simulate", "fig12", "--runs", "runs.jsonl"]);
    let kept = runs();
    // Two configurations on 8 numbers of nodes, one row kernel, and the line of the program.
    assert_eq!(kept.lines().count(), 1 + 2 * 8 + 1);
    let again = scene.run_at(&["simulate", "fig12", "--runs", "runs.jsonl"]);
    assert!(first.stdout == again.stdout && runs() == kept);
}

#[test]
fn the_torus_paper_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "torus and torus-pattern cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md";
    for wrong in [
        &["simulate", "torus", "fig12"][..],
        &["simulate", "fig12", "torus-pattern"],
        &["simulate", "torus", "--json"],
        &["simulate", "torus", "--policy", "one-queue"],
        &["simulate", "torus", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
    let ran = scene.run_at(&["simulate", "torus", "--profile", "manna50"]);
    assert!(ran.code == Some(1) && ran.stderr.contains("its network is not a torus"), "{}", ran.stderr);
    let ran = scene.run_at(&["simulate", "torus-pattern", "--out", "page.md"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let read = |name: &str| fs::read_to_string(scene.path(name)).unwrap();
    assert!(read("page.md").contains("](page/fig1.svg)"));
    // Three phases of four partners, one of two.
    assert_eq!(read("page/fig1.svg").matches("4 partners").count(), 3);
}

#[test]
fn the_many_core_paper_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "manycore and manycore-stages cannot be combined with other subjects or options; they take --out PAGE.md";
    for wrong in [
        &["simulate", "manycore", "fig12"][..],
        &["simulate", "manycore", "--profile", "manna50"],
        &["simulate", "manycore-stages", "--work", "tuned"],
        &["simulate", "manycore", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
    let ran = scene.run_at(&["simulate", "manycore-stages", "--out", "page.md"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let read = |name: &str| fs::read_to_string(scene.path(name)).unwrap();
    let page = read("page.md");
    for number in [6, 7, 12] {
        assert!(page.contains(&format!("](page/fig{number}.svg)")));
        // Two lines for each of four numbers of cores.
        assert!(read(&format!("page/fig{number}.svg")).contains("64 cores"));
    }
}

#[test]
fn the_paper_on_overlap_is_a_page_by_itself() {
    let scene = Scene::new();
    let alone = "overlap and overlap-short cannot be combined with other subjects or options; they take --out PAGE.md, and overlap takes --measured";
    for wrong in [
        &["simulate", "overlap", "fig12"][..],
        &["simulate", "overlap", "--profile", "manna50"],
        &["simulate", "overlap-short", "--measured", "jobs"],
        &["simulate", "fig12", "--measured", "jobs"],
        &["simulate", "overlap", "--out", "folder"],
    ] {
        scene.run_at(wrong).refused(2, alone);
    }
    let measured = ["simulate", "overlap", "--measured", "jobs"];
    let refused = |why: &str| {
        let ran = scene.run_at(&measured);
        assert!(ran.code == Some(1) && ran.stderr.contains(why), "{why}: {}", ran.stderr);
    };
    refused("cannot read the report 'jobs': No such file or directory");
    fs::create_dir(scene.path("jobs")).unwrap();
    refused("cannot read the report 'jobs': it has no .json file");
    fs::write(scene.path("jobs/veth.json"), "{\"schema\": 1}").unwrap();
    refused("cannot read the report 'jobs/veth.json': missing field");
    fs::write(scene.path("jobs/veth.json"), "{\"schema\": 9}").unwrap();
    refused("its schema is 9, not 1");
    let job = "{\"schema\": 1, \"mpi\": \"\", \"network\": \"\", \"processor\": \"\", \"ranks\": 2, \"config\": \"spn\", \"exchange\": \"all-at-once\", \"rounds\": 1, \"rows\": []}";
    fs::write(scene.path("jobs/veth.json"), job).unwrap();
    refused("it has no ranks or no rows");
}

/// A small run of everything. Regenerating the page checks that results are equal byte by byte in every run.
#[test]
fn the_other_paper_s_computer_is_simulated_at_once() {
    let scene = Scene::new();
    let all = ["simulate2d", "--seeds", "2", "--sizes", "2", "--out", "made", "--page", "page.md", "--json"];
    let answer = scene.run_at(&all).json();
    let [machine, blocks] = ["machine", "transposed"].map(|part| answer[part].as_array().unwrap());
    assert_eq!((machine.len(), blocks.len()), (3, 7 * 7));
    let numbers = |of: &Value| {
        let rows = of["statements"].as_array().unwrap();
        rows.iter().map(|row| row["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&machine[1]), [7, 9, 10, 11, 12, 13, 17]);
    assert_eq!(numbers(&answer), [7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 23, 27, 28, 31]);

    let page = fs::read_to_string(scene.path("page.md")).unwrap();
    for said in ["conditional", "| 31 | blocks of 64", "(12, 3)", "simulate2d --seeds 2 --sizes 2 --page"] {
        assert!(page.contains(said), "{said}: {page}");
    }
    for plot in ["dealing", "partial", "machine-0", "machine-45", "machine-90", "blocks"] {
        let drawn = |folder: &str| fs::read(scene.path(folder).join(format!("{plot}.svg"))).unwrap();
        assert!(page.contains(&format!("(page/{plot}.svg)")) && drawn("page") == drawn("made"), "{plot}");
    }
    assert!(scene.path("made").join("simulate2d.html").is_file());
    for wrong in [["--seeds", "0"], ["--sizes", "501"]] {
        let ran = scene.run_at(&[&["simulate2d"][..], &wrong].concat());
        assert!(ran.code == Some(2) && ran.stderr.contains("is not in 1..="), "{}", ran.stderr);
    }
    let ran = scene.run_at(&["simulate2d", "--page", "none/page.md"]);
    assert!(ran.stderr.starts_with("earth-lab: cannot write 'none/page.md': "), "{}", ran.stderr);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(1), 1));
}
