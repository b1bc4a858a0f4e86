//! The binary from a file to a spectrum: formats, pipes, summaries, warnings.

use std::f64::consts::TAU;
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use snapbox::{assert_data_eq, str};

use super::common::{Scene, complex128, npy};

/// The transform by its definition.
fn naive(x: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = x.len();
    (0..n)
        .map(|k| {
            x.iter().enumerate().fold((0.0, 0.0), |(re, im), (j, x)| {
                let (sin, cos) = (-TAU * (j * k % n) as f64 / n as f64).sin_cos();
                (re + x.0 * cos - x.1 * sin, im + x.0 * sin + x.1 * cos)
            })
        })
        .collect()
}

#[track_caller]
fn close(found: &[(f64, f64)], expected: &[(f64, f64)], relative: f64) {
    assert_eq!(found.len(), expected.len());
    let square = |(re, im): (f64, f64)| re * re + im * im;
    let distance: f64 = found.iter().zip(expected).map(|(a, b)| square((a.0 - b.0, a.1 - b.1))).sum();
    let norm: f64 = expected.iter().copied().map(square).sum();
    assert!(distance.sqrt() <= relative * norm.sqrt(), "{found:?} is not {expected:?}");
}

fn columns(csv: &str) -> Vec<Vec<f64>> {
    csv.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect()
}

#[test]
fn a_signal_goes_to_its_spectrum_and_back() {
    let scene = Scene::new();
    let x: Vec<_> = (0..21).map(|j| (f64::from(j * j % 13), f64::from(j % 5) - 1.5)).collect();
    let body: Vec<u8> = x.iter().flat_map(|x| [x.0.to_be_bytes(), x.1.to_be_bytes()].concat()).collect();
    scene.file("x.npy", &npy(">c16", "(21,)", &body));
    let ran = scene.run(&["transform", "x.npy", "-o", "spectrum.npy", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let spectrum = complex128(&fs::read(scene.path("spectrum.npy")).unwrap());
    close(&spectrum, &naive(&x), 1e-14);

    let ran =
        scene.run(&["transform", "spectrum.npy", "-o", "back.csv", "--inverse", "--rate", "4", "--verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let back = fs::read_to_string(scene.path("back.csv")).unwrap();
    assert!(back.starts_with("time,re,im\n"));
    let rows = columns(&back);
    assert!(rows.iter().enumerate().all(|(j, row)| row[0].to_bits() == (j as f64 / 4.0).to_bits()));
    close(&rows.iter().map(|row| (row[1], row[2])).collect::<Vec<_>>(), &x, 1e-14);
}

#[test]
fn a_real_signal_gives_half_a_table_and_a_whole_array() {
    let scene = Scene::new();
    scene.file("x.csv", b"value\n1\n2\n4\n8\n");
    assert_eq!(scene.run(&["transform", "x.csv", "-o", "half.csv", "--rate", "8"]).code, Some(0));
    let half = columns(&fs::read_to_string(scene.path("half.csv")).unwrap());
    assert_eq!(half, [[0.0, 15.0, 0.0, 15.0], [2.0, -3.0, 6.0, 45_f64.sqrt()], [4.0, -5.0, 0.0, 5.0]]);
    assert_eq!(scene.run(&["transform", "x.csv", "-o", "full.csv", "--full"]).code, Some(0));
    let full = columns(&fs::read_to_string(scene.path("full.csv")).unwrap());
    assert_eq!(full.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 0.25, -0.5, -0.25]);
    assert_eq!(scene.run(&["transform", "x.csv", "-o", "whole.npy"]).code, Some(0));
    let whole = complex128(&fs::read(scene.path("whole.npy")).unwrap());
    assert_eq!(whole, [(15.0, 0.0), (-3.0, 6.0), (-5.0, 0.0), (-3.0, -6.0)]);
}

#[test]
fn columns_of_a_table_are_chosen_and_missing_values_replaced() {
    let scene = Scene::new();
    let text = "\u{feff}exported\r\nt;x;y\r\n0;1,5;-1\r\n1;#N/A;\r\n2;2,5;1\r\n";
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    scene.file("x.csv", &units);
    let options = "--skip-rows 1 --decimal , --column x --imaginary 3 --missing linear";
    let from_file =
        [&["transform", "x.csv", "-o", "out.npy"], &options.split(' ').collect::<Vec<_>>()[..]].concat();
    let ran = scene.run(&from_file);
    assert_data_eq!(
        ran.stderr.trim_end(),
        str![
            "earth-fft: line 2 is taken as a header: 'x' is the real part, 'y' the imaginary part\n\
         earth-fft: warning: missing values of 1 samples were interpolated, the first on line 4"
        ]
    );
    let spectrum = complex128(&fs::read(scene.path("out.npy")).unwrap());
    close(&spectrum, &naive(&[(1.5, -1.0), (2.0, 0.0), (2.5, 1.0)]), 1e-15);

    let from_pipe = "transform - -o piped.npy --separator space --column 2".split(' ').collect::<Vec<_>>();
    assert_eq!(scene.run_with(&from_pipe, b"0 7\r1 8\r").stderr, "");
    let spectrum = complex128(&fs::read(scene.path("piped.npy")).unwrap());
    close(&spectrum, &[(15.0, 0.0), (-1.0, 0.0)], 1e-15);
}

#[test]
fn single_precision_stays_single() {
    let scene = Scene::new();
    let body: Vec<u8> = [1.0_f32, 2.0, 4.0, 8.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    scene.file("x.npy", &npy("<f4", "(4,)", &body));
    let ran = scene.run(&["transform", "x.npy", "-o", "out.npy", "--json", "--verify"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["precision"], "f32");
    let bytes = fs::read(scene.path("out.npy")).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'<c8'"));
    assert_eq!(bytes.len(), 128 + 4 * 8);
    assert_eq!(bytes[128..132], 15_f32.to_le_bytes());
}

#[test]
fn pipes_are_distinguished_by_their_first_bytes() {
    let scene = Scene::new();
    let ran = scene.run_with(&["transform", "-", "-o", "-"], b"1\n2\n4\n8\n");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout.lines().next(), Some("frequency,re,im,amplitude"));
    assert_eq!(ran.stdout.lines().count(), 4);
    assert!(ran.stderr.contains("GFLOPS"));
    let array = npy("|u1", "(4,)", &[1, 2, 4, 8]);
    let ran = scene.run_with(&["transform", "-", "-o", "-"], &array);
    assert_eq!(complex128(&ran.raw), [(15.0, 0.0), (-3.0, 6.0), (-5.0, 0.0), (-3.0, -6.0)]);
    assert_eq!(scene.run_with(&["transform", "-", "-o", "out.csv"], &array).code, Some(0));
    assert_eq!(scene.run_with(&["transform", "-", "-o", "-"], b"7").stdout.lines().count(), 2);
    for (input, said) in [
        (&array[..array.len() - 1], "cannot read standard input: the file is cut short"),
        (&array[..20], "cannot read standard input: the file is cut short"),
        (b"", "cannot read standard input: it holds no sample"),
        (b"\x93NUM", "cannot read standard input: "),
        (b"\x89PNG\r\n", "cannot read standard input: the file is cut short: it ends after 6 bytes"),
    ] {
        let ran = scene.run_with(&["transform", "-", "-o", "-"], input);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
        assert!(ran.stderr.starts_with(&format!("earth-fft: {said}")), "{}", ran.stderr);
    }
    assert_eq!(scene.names(), ["out.csv"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let scene = Scene::new();
    let text = "1\n".repeat(100_000);
    scene.file("x.csv", text.as_bytes());
    let mut child = scene
        .binary("earth-fft")
        .args(["transform", "x.csv", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 9];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(&first, b"frequency");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn non_finite_values_propagate_with_a_warning() {
    let scene = Scene::new();
    scene.file("x.csv", b"1\nnan\n3\ninf\n");
    let ran = scene.run(&["transform", "x.csv", "-o", "out.npy", "--verify", "--json", "--missing", "nan"]);
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.stderr.trim_end(),
        str![
            "earth-fft: warning: missing values of 1 samples became NaN, the first on line 2\n\
         earth-fft: warning: 2 of 4 samples are not finite, so most of the result will not be either"
        ]
    );
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(summary["verified_error"].is_null());
    let spectrum = complex128(&fs::read(scene.path("out.npy")).unwrap());
    assert!(spectrum.iter().all(|value| !(value.0.is_finite() && value.1.is_finite())));
}

#[test]
fn other_things_worth_knowing_are_warned_of() {
    let scene = Scene::new();
    scene.file("x.npy", &npy("<u8", "(1,)", &u64::MAX.to_le_bytes()));
    let ran = scene.run(&["transform", "x.npy", "-o", "out.npy", "--rate", "2"]);
    let warnings: Vec<_> = ran.stderr.lines().collect();
    assert_eq!(
        warnings,
        [
            "earth-fft: warning: 1 integer samples are beyond 2^53 and were rounded to the nearest double",
            "earth-fft: warning: --rate changes only what a .csv holds",
        ]
    );
    let ran = scene.run(&["transform", "x.npy", "-o", "out.npy", "--missing", "zero"]);
    assert!(ran.stderr.ends_with("warning: --missing changes only how a .csv is read\n"), "{}", ran.stderr);
}

#[test]
fn the_summary_in_json_has_every_field() {
    let scene = Scene::new();
    scene.file("x.csv", "1\n-2\n".repeat(32).as_bytes());
    let ran = scene.run(&["transform", "x.csv", "-o", "out.csv", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut fields: Vec<_> = summary.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let expected = "algorithm block bytes_moved config fibers gflops groups half_butterflies in_place inverse invokes kernel lengths n \
                    nodes paper_tokens policy precision real reorder_seconds schema seconds signals tokens verified_error why";
    assert_eq!(fields, expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        (&summary["schema"], &summary["n"], &summary["config"]),
        (&3.into(), &64.into(), &"spn".into())
    );
    assert!(summary["verified_error"].is_null());
    let seconds = summary["seconds"].as_f64().unwrap();
    let gflops = summary["gflops"].as_f64().unwrap();
    assert!((gflops * seconds * 1e9 - 2.5 * 64.0 * 6.0).abs() < 1e-3, "{summary}");
    let ran = scene.run(&["transform", "x.csv", "-o", "out.csv", "--json", "--verify"]);
    let summary: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(summary["verified_error"].as_f64().unwrap() < 6e-15);
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_with_130_and_leaves_nothing() {
    let scene = Scene::new();
    let mut child = scene
        .binary("earth-fft")
        .args(["transform", "-", "-o", "out.npy"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for its input, with its temporary output open.
    while scene.names().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without being asked to");
        std::thread::yield_now();
    }
    let pid = child.id();
    assert!(Command::new("sh").args(["-c", &format!("kill -s INT {pid}")]).status().unwrap().success());
    // Otherwise waiting would close its input, and it might end because of that.
    let kept_open = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(kept_open);
    assert!(scene.names().is_empty(), "{:?}", scene.names());
}

#[test]
fn the_machine_is_described() {
    let scene = Scene::new();
    let ran = scene.run_at(&["info", "--json"]);
    let facts: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(facts["usable_cores"].as_u64().unwrap() >= 1);
    assert_eq!(facts["schema"], 1);
    let caches = ["second_level_cache", "last_level_cache"].map(|name| facts[name].as_u64().unwrap());
    assert!(caches[0] >= 512 << 10 && caches.is_sorted(), "{facts}");
    let text = scene.run_at(&["info"]).stdout;
    assert!(text.contains("usable cores") && text.contains(" MiB are prefetched"), "{text}");
}

#[test]
fn whether_threads_are_bound_is_described_and_a_wrong_word_for_it_refused() {
    let scene = Scene::new();
    let info = |value: &str, option: Option<&str>| {
        let output =
            scene.binary("earth-fft").arg("info").args(option).env("EARTH_PIN", value).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for (value, described) in [("on", "one thread a CPU (EARTH_PIN=on)"), ("off", "none (EARTH_PIN=off)")] {
        assert!(info(value, None).1.contains(described));
        let facts: serde_json::Value = serde_json::from_str(&info(value, Some("--json")).1).unwrap();
        assert_eq!(facts["earth_pin"], value);
    }
    let why = "earth-fft: the environment variable EARTH_PIN must be `on` or `off`, not `yes`\n";
    assert_eq!(info("yes", None), (Some(2), String::new(), why.to_owned()));
}

#[test]
fn kernels_use_the_instructions_of_the_variable_and_a_wrong_name_is_refused() {
    let scene = Scene::new();
    let info = |value: &str| {
        let output =
            scene.binary("earth-fft").args(["info", "--json"]).env("EARTH_ISA", value).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let facts: serde_json::Value = serde_json::from_str(&info("portable").1).unwrap();
    assert_eq!(facts["row_kernel_simd"], "portable");
    let (code, shown, why) = info("sse9");
    assert_eq!((code, &shown[..]), (Some(2), ""));
    let [begin, end] = ["earth-fft: the environment variable EARTH_ISA must be ", "`portable`, not `sse9`\n"];
    assert!(why.starts_with(begin) && why.ends_with(end), "{why}");
}

/// The stand-in under the names of FFTW, FFTW 2 and MKL, the last without its other half.
#[cfg(target_os = "linux")]
#[test]
fn the_libraries_are_described_and_where_they_were_looked_for() {
    let scene = Scene::new();
    let [fftw, fftw2, mkl] = ["libfftw3.so.3", "libfftw.so.2", "libmkl_rt.so"].map(|name| scene.path(name));
    standin_fftw::copy_fftw2(&fftw2, |_| false).unwrap();
    standin_fftw::copy_without(&fftw, |name| name.starts_with("MKL") || name == "fftwf_init_threads")
        .unwrap();
    standin_fftw::copy_without(&mkl, |_| false).unwrap();
    let info = |options: &[&str]| {
        let mut command = scene.binary("earth-fft");
        command
            .arg("info")
            .args(options)
            .env("LD_LIBRARY_PATH", scene.path(""))
            .env("MKLROOT", "/nowhere/mkl");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let facts: serde_json::Value = serde_json::from_str(&info(&["--json"])).unwrap();
    let [with, second, without] = &facts["libraries"].as_array().unwrap()[..] else { panic!("{facts}") };
    let names = [with, second, without].map(|library| library["name"].as_str().unwrap());
    assert_eq!(names, ["fftw", "fftw2", "mkl"]);
    assert_eq!(second["found"]["precisions"][0]["path"], fftw2.to_str().unwrap());
    assert_eq!(with["found"]["version"], "stand-in for FFTW by the definition");
    let [double, single] = &with["found"]["precisions"].as_array().unwrap()[..] else { panic!("{with}") };
    assert_eq!(double["path"], fftw.to_str().unwrap());
    assert_eq!((&double["precision"], &double["threads"]), (&"f64".into(), &true.into()));
    assert_eq!((&single["precision"], &single["threads"]), (&"f32".into(), &false.into()));
    assert!(single["no_threads"].as_str().unwrap().contains("fftwf_init_threads"), "{single}");

    let table = info(&[]);
    assert!(table.contains(&format!("{}, without threads", fftw.display())), "{table}");
    // MKL is found anyway on a computer that has it.
    if without["found"].is_null() {
        let missing = &without["not_found"];
        assert_eq!(missing["folders"][0], "/nowhere/mkl/lib");
        assert!(missing["names"].as_array().unwrap().contains(&"libmkl_rt.so".into()), "{missing}");
        let why = format!("{} cannot run without libmkl_core in the same folder", mkl.display());
        assert!(missing["because"].as_str().unwrap().ends_with(&why), "{missing}");
        assert!(table.contains("the system's loader does not find libmkl_rt.so or "), "{table}");
    }
}
