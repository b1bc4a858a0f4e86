//! `earth-lab sweep`: the example experiment, resumed files, errors in experiments, and an interruption.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use snapbox::{IntoData, assert_data_eq, str};

use super::common::Scene;

/// An experiment on a simulated machine, of two programs, two machines and three policies.
const SIMULATED: &str = r#"
[[programs]]
name = "fib"
sizes = { n = [6, 8] }
[[programs]]
name = "sender"
sizes = { points = [64], block = [4] }
[[machines]]
kind = "simulated"
nodes = [1, 2]
config = ["spn", "dual"]
[[machines]]
kind = "stepper"
nodes = [3]
seeds = 2
first-seed = 7
[[policies]]
name = "usual"
policy = "newest-first"
[[policies]]
name = "one queue, fed ahead"
policy = "one-queue,feed=9"
"#;

/// Number of rows of [`SIMULATED`]: three cases, with four simulated machines and two seeds each.
const ROWS: usize = 3 * (4 + 2) * 2;

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_cut_file_is_completed_to_the_same_bytes() {
    let scene = Scene::new();
    scene.file("few.toml", SIMULATED.as_bytes());
    let ran = scene.run_at(&["sweep", "few.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let read = || fs::read_to_string(scene.path("few.csv")).unwrap();
    let whole = read();
    assert_eq!(lines(&whole).len(), 1 + ROWS, "{whole}");
    // Cut within the header, within a row, between rows, and not at all.
    let between = whole.match_indices('\n').nth(5).unwrap().0 + 1;
    for length in [0, 9, between - 7, between, whole.len() - 1, whole.len()] {
        scene.file("few.csv", &whole.as_bytes()[..length]);
        let again = scene.run_at(&["sweep", "few.toml"]);
        assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""), "cut to {length} bytes");
        assert_eq!(read(), whole, "cut to {length} bytes");
        assert_eq!(again.stdout, ran.stdout, "cut to {length} bytes");
    }
    // A row from the middle is repeated at the end.
    let mut kept = lines(&whole);
    let lost = kept.remove(8);
    scene.file("few.csv", (kept.join("\n") + "\n").as_bytes());
    assert_eq!(scene.run_at(&["sweep", "few.toml"]).code, Some(0));
    kept.push(lost);
    assert_eq!(lines(&read()), kept);
}

#[test]
fn rows_have_a_cell_for_each_column_and_exact_results() {
    let scene = Scene::new();
    scene.file("few.toml", SIMULATED.as_bytes());
    let answer = scene.run_at(&["sweep", "few.toml", "-o", "rows.csv", "--json"]).json();
    let text = fs::read_to_string(scene.path("rows.csv")).unwrap();
    let rows = lines(&text);
    let names: Vec<_> = rows[0].split(',').collect();
    let first: Vec<_> = rows[1].split(',').collect();
    let cell = |name: &str| first[names.iter().position(|of| *of == name).unwrap()];
    assert_eq!([cell("program"), cell("sizes"), cell("machine")], ["fib", "n=6", "simulated"]);
    assert_eq!([cell("profile"), cell("network"), cell("policy")], ["manna50", "crossbar", "usual"]);
    assert_eq!([cell("nodes"), cell("config"), cell("result")], ["1", "spn", "fib(6) = 8"]);
    assert_eq!(cell("plain_seconds"), "", "a time of this computer would differ in each run");
    // A call of fib(n) makes two tokens if n is at least 2: 12 calls of 25.
    assert_eq!([cell("tokens"), cell("fibers")], ["24", "37"]);
    let cycles: f64 = cell("cycles").parse().unwrap();
    assert_eq!(cell("seconds"), (cycles / 50e6).to_string(), "50 MHz");

    let summary = answer["lines"].as_array().unwrap();
    assert_eq!((&answer["schema"], summary.len()), (&1.into(), 3 * (4 + 1) * 2));
    assert_eq!(summary[0]["sizes"], serde_json::json!({ "n": 6 }));
    assert_eq!(summary[0]["seconds"]["median"].as_f64(), Some(cycles / 50e6));
    assert_eq!(summary[1]["ratio"]["min"], summary[1]["ratio"]["max"], "one exact ratio");
    let stepped: Vec<_> = summary.iter().filter(|line| line["machine"] == "stepper").collect();
    assert!(stepped.len() == 6 && stepped.iter().all(|line| line["runs"] == 2 && line["seconds"].is_null()));
}

#[test]
fn a_changed_policy_or_profile_is_another_run() {
    let scene = Scene::new();
    let profile = earth::simulated::Profile::named("manna50").unwrap();
    scene.file("own.toml", profile.to_toml().as_bytes());
    let experiment =
        SIMULATED.replace("kind = \"simulated\"", "kind = \"simulated\"\nprofile = \"own.toml\"");
    scene.file("few.toml", experiment.as_bytes());
    let sweep = || {
        assert_eq!(scene.run_at(&["sweep", "few.toml"]).code, Some(0));
        fs::read_to_string(scene.path("few.csv")).unwrap().lines().count() - 1
    };
    assert_eq!(sweep(), ROWS);
    scene.file("few.toml", experiment.replace("feed=9", "feed=8").as_bytes());
    assert_eq!(sweep(), ROWS + ROWS / 2);
    let mut slow = profile;
    slow.network.interface *= 2.0;
    scene.file("own.toml", slow.to_toml().as_bytes());
    // Both policies again, on the simulated machines alone.
    assert_eq!(sweep(), ROWS + ROWS / 2 + 3 * 4 * 2);
}

#[test]
fn threads_run_in_rounds_with_the_baseline_twice() {
    let scene = Scene::new();
    let experiment = "repeats = 3\n[[programs]]\nname = \"echo\"\nsizes = { lines = [5] }\n\
                      [[programs]]\nname = \"ring\"\nsizes = { laps = [3] }\n\
                      [[machines]]\nkind = \"threads\"\nnodes = [2]\n[[machines]]\nkind = \"simulated\"\n\
                      [[policies]]\nname = \"a\"\npolicy = \"newest-first\"\n[[policies]]\nname = \"b\"\npolicy = \"one-queue\"\n";
    scene.file("x.toml", experiment.as_bytes());
    let ran = scene.run_at(&["sweep", "x.toml", "--plot", "x.svg", "--page", "x.html"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let text = fs::read_to_string(scene.path("x.csv")).unwrap();
    let keys: Vec<_> = lines(&text)[1..]
        .iter()
        .map(|row| {
            let cells: Vec<_> = row.split(',').collect();
            [cells[0], cells[2], cells[8], cells[11], cells[12]].join(" ")
        })
        .collect();
    let round = |program: &str, round: u32| {
        ["a", "b", "a"]
            .iter()
            .zip([0, 0, 1])
            .map(|(policy, again)| format!("{program} threads {policy} {round} {again}"))
            .collect::<Vec<_>>()
    };
    // `echo` gets its input while it runs, so it does not run in virtual time.
    let mut expected: Vec<_> = (0..3).flat_map(|number| round("echo", number)).collect();
    expected.extend((0..3).flat_map(|number| round("ring", number)));
    expected.extend(["a", "b"].map(|policy| format!("ring simulated {policy} 0 0")));
    assert_eq!(keys, expected);
    let plot = fs::read_to_string(scene.path("x.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("null band: a again"), "{plot}");
    assert!(ran.stdout.contains("threads:") && ran.stdout.contains("simulated manna50:"), "{}", ran.stdout);
    let page = fs::read_to_string(scene.path("x.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 2, "ratios and times");
}

#[test]
fn the_example_draws_a_panel_for_each_program() {
    let scene = Scene::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/policies.toml");
    let ran = scene.run_at(&["sweep", example.to_str().unwrap(), "--page", "page.md", "--plot", "plot.svg"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let rows = fs::read_to_string(scene.path("policies.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 3 * 5 * 2 * 3);
    let page = fs::read_to_string(scene.path("page.md")).unwrap();
    assert!(page.contains("(page/ratio.svg)") && page.contains("(page/time.svg)"), "{page}");
    let plot = fs::read_to_string(scene.path("plot.svg")).unwrap();
    assert_eq!(plot, fs::read_to_string(scene.path("page/ratio.svg")).unwrap());
    for said in ["fib", "lu", "sender", "one queue", "oldest token, fed ahead", "time / newest first"] {
        assert!(plot.contains(said), "{said}: {plot}");
    }
    // Each policy has a color. It has dots in two configurations, on five numbers of nodes, for three
    // programs, and in the key.
    let dots = |color: &str| plot.matches(&format!("fill=\"{color}\"")).count();
    assert_eq!(["#DA7C30", "#289E70"].map(dots), [2 * 5 * 3 + 1; 2]);
}

/// Checks the sentence about an experiment in which one text is replaced.
#[track_caller]
fn refused(from: &str, to: &str, sentence: impl IntoData) {
    let scene = Scene::new();
    assert_eq!(SIMULATED.matches(from).count(), 1, "{from}");
    scene.file("few.toml", SIMULATED.replace(from, to).as_bytes());
    let ran = scene.run_at(&["sweep", "few.toml"]);
    assert_data_eq!(ran.refusal(1), sentence);
    assert_eq!(scene.names(), ["few.toml"], "no rows are begun");
}

#[test]
fn errors_of_experiments_are_one_sentence_with_line_and_key() {
    refused(
        "seeds = 2",
        "sedes = 2",
        str![
            "cannot read the experiment 'few.toml': line 15: unknown field `sedes`, expected one of `kind`, `nodes`, `config`, `profile`, `network`, `seeds`, `first-seed`"
        ],
    );
    refused(
        "name = \"fib\"",
        "name = \"fibonacci\"",
        str![
            "cannot read the experiment 'few.toml': line 3: there is no program `fibonacci`; programs are fib, [..], sender, [..]"
        ],
    );
    refused(
        "{ n = [6, 8] }",
        "{ m = [6, 8] }",
        str!["cannot read the experiment 'few.toml': line 4: `fib` has no size `m`; its sizes are n"],
    );
    refused(
        "{ n = [6, 8] }",
        "{ n = [6, 800] }",
        str![
            "cannot read the experiment 'few.toml': line 4: `n` of `fib` is 800, but it must be between 0 and 60"
        ],
    );
    refused(
        "nodes = [3]",
        "nodes = [0]",
        str![
            "cannot read the experiment 'few.toml': line 14: `nodes` must be a list of numbers of at least 1"
        ],
    );
    refused(
        "[\"spn\", \"dual\"]",
        "[\"spm\"]",
        str![
            "cannot read the experiment 'few.toml': line 11: `config` must be a list of `spn`, `dual` or both"
        ],
    );
    refused(
        "kind = \"stepper\"",
        "kind = \"steppers\"",
        str![
            "cannot read the experiment 'few.toml': line 13: unknown variant `steppers`, expected one of `threads`, `simulated`, `stepper`"
        ],
    );
    refused(
        "kind = \"stepper\"",
        "kind = \"stepper\"\nprofile = \"manna50\"",
        str!["cannot read the experiment 'few.toml': line 14: `profile` does not apply to kind `stepper`"],
    );
    refused(
        "kind = \"simulated\"",
        "kind = \"simulated\"\nprofile = \"manna51\"",
        str![
            "cannot read the experiment 'few.toml': line 10: there is no profile `manna51`; built in are manna50, seed140-scaled-net, seed140-fixed-net, bluegene-l, epyc-7773x"
        ],
    );
    refused(
        "policy = \"one-queue,feed=9\"",
        "policy = \"one-queue,fed=9\"",
        str![
            "cannot read the experiment 'few.toml': line 22: `one-queue,fed=9` is not a policy such as `one-queue` or `newest-first,feed=1`: unknown field `fed`, expected one of `fibers`, `in-a-row`, `tokens`, `token-every`, `steal`, `feed`, `batch`, `spin`"
        ],
    );
    refused(
        "policy = \"one-queue,feed=9\"",
        "",
        str![
            "cannot read the experiment 'few.toml': line 21: `one queue, fed ahead` has no `policy`, and no policy from outside has this name"
        ],
    );
    refused(
        "\"one queue, fed ahead\"",
        "\"usual\"",
        str!["cannot read the experiment 'few.toml': line 21: two policies have the name `usual`"],
    );
    refused(
        "[[programs]]\nname = \"fib\"",
        "repeats = 4\n[[programs]]\nname = \"fib\"",
        str![
            "cannot read the experiment 'few.toml': line 2: `repeats` must be odd, so that one run is the median"
        ],
    );
}

#[test]
fn files_that_cannot_be_used_are_refused_with_1_and_one_sentence() {
    let scene = Scene::new();
    scene
        .run_at(&["sweep", "none.toml"])
        .refused(1, str!["cannot read the experiment 'none.toml': No such file or directory (os error 2)"]);
    scene.file("few.toml", SIMULATED.as_bytes());
    scene.file("few.csv", b"n,time\n1,2\n");
    scene.run_at(&["sweep", "few.toml"]).refused(
        1,
        str!["cannot resume from the rows in 'few.csv': their columns are not a sweep's; use another --out"],
    );
    assert_eq!(fs::read(scene.path("few.csv")).unwrap(), b"n,time\n1,2\n");
    assert_eq!(scene.run_at(&["sweep", "few.toml", "-o", "new.csv"]).code, Some(0));
    let rows = fs::read_to_string(scene.path("new.csv")).unwrap();
    scene.file("new.csv", rows.replacen("fib,n=6", "fib,n=6,7", 1).as_bytes());
    scene
        .run_at(&["sweep", "few.toml", "-o", "new.csv"])
        .refused(1, str!["cannot resume from the rows in 'new.csv': line 2: it has 37 cells, not 36"]);
    let ran = scene.run_at(&["sweep", "few.toml", "-o", "none/rows.csv"]);
    assert!(ran.stderr.starts_with("earth-lab: cannot keep rows in 'none/rows.csv': "), "{}", ran.stderr);
    let steppers =
        SIMULATED.replace("kind = \"simulated\"\nnodes = [1, 2]", "kind = \"stepper\"\nnodes = [2]");
    scene.file("steppers.toml", steppers.as_bytes());
    scene
        .run_at(&["sweep", "steppers.toml", "--plot", "plot.svg"])
        .refused(1, str!["there is nothing to draw, because steppers measure no time"]);
}

#[test]
fn a_sweep_goes_on_after_its_time_was_over() {
    let scene = Scene::new();
    scene.file("few.toml", SIMULATED.as_bytes());
    let ran = scene.run_at(&["sweep", "few.toml", "--max-seconds", "1e-9"]);
    assert_eq!(
        ran.stderr,
        format!("earth-lab: {ROWS} runs are left out because the time limit is reached\n")
    );
    assert_eq!(ran.code, Some(0));
    let answer = scene.run_at(&["sweep", "few.toml", "--json"]).json();
    assert_eq!(answer["left_out"], 0);
}

/// Ctrl-C keeps finished rows, and the next sweep completes the file.
#[cfg(unix)]
#[test]
fn an_interruption_keeps_rows() {
    let scene = Scene::new();
    // Some thousand runs of about a millisecond.
    let long = SIMULATED.replace("seeds = 2", "seeds = 2000").replace("n = [6, 8]", "n = [14, 15]");
    scene.file("long.toml", long.as_bytes());
    let mut command = scene.binary("earth-lab");
    command.args(["sweep", "long.toml"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let rows = scene.path("long.csv");
    let text = || fs::read_to_string(&rows).unwrap_or_default();
    while text().lines().count() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "it takes longer than that");
        std::thread::yield_now();
    }
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    let kept = text();
    let whole: Vec<_> = kept.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    assert!(whole.len() >= 20);
    let few = SIMULATED.replace("n = [6, 8]", "n = [14, 15]");
    scene.file("long.toml", few.as_bytes());
    assert_eq!(scene.run_at(&["sweep", "long.toml"]).code, Some(0));
    let resumed = text();
    assert!(resumed.starts_with(&whole.concat()));
    let rows: BTreeSet<_> = resumed.lines().collect();
    assert_eq!(rows.len(), resumed.lines().count(), "no run is repeated");
}
