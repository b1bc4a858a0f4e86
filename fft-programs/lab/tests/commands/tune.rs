//! `earth-lab tune`: on this computer for a transform, on a simulated machine, resumed, and refused.

use std::fs;

use super::common::{Scene, npy};

#[test]
fn parameters_in_the_wisdom_are_used_by_a_transform() {
    let scene = Scene::new();
    let tune = ["tune", "8x8x16", "--nodes", "2", "--trials", "12", "--wisdom", "wisdom.json", "--json"];
    let ran = scene.run_at(&[&tune[..], &["-o", "points.csv"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let trials = answer["trials"].as_array().unwrap().len();
    assert!((1..=12).contains(&trials), "{answer}");
    let points = fs::read_to_string(scene.path("points.csv")).unwrap();
    assert_eq!(points.lines().next(), Some("T,W,Px,Pz,Uy,Uz,Fy,Fp,Fu,Fx,seconds"));
    assert_eq!(points.lines().count(), 1 + trials);
    if answer["best"]["seconds"].as_f64() >= answer["usual"]["seconds"].as_f64() {
        assert!(ran.stderr.contains("no parameters are faster"), "{}", ran.stderr);
        return;
    }
    // The explanation of the plan has the tuned values.
    scene.file("x.npy", &npy("<c16", "(8, 8, 16)", &[0; 16 * 8 * 8 * 16]));
    let transform = "transform x.npy -o y.npy --algorithm overlap3d --nodes 2 --wisdom wisdom.json --explain";
    let ran = scene.run_at(&transform.split(' ').collect::<Vec<_>>());
    let best = &answer["best"]["parameters"];
    let [pack, unpack, polls] = ["pack", "unpack", "polls"].map(|name| &best[name]);
    let values = [
        format!("T {}, W {}", best["tile"], best["window"]),
        format!("Px {}, Pz {}, Uy {}, Uz {}", pack[0], pack[1], unpack[0], unpack[1]),
        format!(
            "Fy {}, Fp {}, Fu {}, Fx {}",
            polls["along_y"], polls["pack"], polls["unpack"], polls["along_x"]
        ),
    ]
    .join(", ");
    assert!(ran.code == Some(0) && ran.stderr.contains(&values), "{values}: {}", ran.stderr);
}

#[test]
fn a_simulated_search_is_the_same_twice_and_goes_on_from_its_file() {
    let scene = Scene::new();
    let line = "tune 16x16x16 --nodes 4 --profile manna50 --search tpe --seed 3 --runs runs.jsonl --trials";
    let run = |trials| scene.run_at(&line.split(' ').chain([trials]).collect::<Vec<_>>());
    assert_eq!(run("5").code, Some(0));
    let kept = || fs::read_to_string(scene.path("runs.jsonl")).unwrap().lines().count();
    // The build, the usual point before the search, and five points.
    assert_eq!(kept(), 1 + 1 + 5);
    let whole = run("20");
    assert_eq!((whole.code, kept()), (Some(0), 1 + 1 + 20));
    assert_eq!(run("20").stdout, whole.stdout);
    assert!(whole.stdout.contains("tpe, limit"), "{}", whole.stdout);
}

#[test]
fn techniques_are_left_out() {
    let scene = Scene::new();
    let line = "tune 16x16x16 --nodes 4 --profile manna50 --json --trials 400";
    let run = |more: &str| {
        let words = line.split(' ').chain(more.split(' ').filter(|word| !word.is_empty()));
        scene.run_at(&words.collect::<Vec<_>>()).json()
    };
    let [all, none] = ["", "--without penalty,history,skip,grid,start"].map(run);
    assert_eq!(all["ended"], "converged");
    let runs = |answer: &serde_json::Value| answer["trials"].as_array().unwrap().len();
    assert!(runs(&all) < runs(&none), "{} and {}", runs(&all), runs(&none));
    assert_eq!(none["repeated"], 0);
    // The whole transform also transforms along z.
    assert!(none["usual"]["seconds"].as_f64() > all["usual"]["seconds"].as_f64());
}

#[test]
fn wrong_arguments_have_one_sentence() {
    let scene = Scene::new();
    for (line, said) in [
        ("tune 8x8 --nodes 2", "it must be three lengths like 64x64x64"),
        ("tune 8x0x8 --nodes 2", "it must be three lengths like 64x64x64"),
        ("tune 8x8x8", "--nodes <P>"),
        ("tune 8x8x8 --nodes 2 --profile manna50 --wisdom w.json", "cannot be used with"),
        ("tune 8x8x8 --nodes 2 --profile nowhere", "there is no profile 'nowhere'"),
        ("tune 8x8x8 --nodes 2 --without haste", "invalid value 'haste'"),
    ] {
        let ran = scene.run_at(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(ran.stderr.contains(said), "{line}: {}", ran.stderr);
    }
    assert!(scene.names().is_empty());
}
