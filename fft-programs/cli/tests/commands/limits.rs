//! Transforms under limits of the address space, as batch systems set them: each is right, or ends with one
//! sentence and exit code 1.

use crate::common::{Ran, Scene, npy};

/// File to transform, and the arguments.
struct Case {
    name: &'static str,
    content: Vec<u8>,
    arguments: &'static str,
}

/// Returns bytes that are small numbers of any type.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| if at % 4 == 3 { 0x3e } else { (at * 7 % 251) as u8 }).collect()
}

fn floats(shape: &[usize], dtype: &str, size: usize) -> Vec<u8> {
    let lengths = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    npy(dtype, &format!("({lengths},)"), &bytes(shape.iter().product::<usize>() * size))
}

impl Case {
    fn new(name: &'static str, content: Vec<u8>, arguments: &'static str) -> Self {
        Self { name, content, arguments }
    }

    fn run(&self, scene: &Scene, limit: Option<u64>) -> Ran {
        let line = [&["transform", self.name, "-o", "out.npy"][..], &words(self.arguments)].concat();
        scene.run_under(limit, &line)
    }

    /// Checks `limits` limits in KiB, from `bare`, under which the program starts, to the least under which
    /// it succeeds.
    fn is_right_or_refused(&self, bare: u64, limits: u64) {
        let scene = Scene::new();
        scene.file(self.name, &self.content);
        let told = format!("{} {}", self.name, self.arguments);
        let ran = self.run(&scene, None);
        assert_eq!(ran.code, Some(0), "{told}: {}", ran.stderr);
        let expected = std::fs::read(scene.path("out.npy")).unwrap();
        let ends_well = |limit| self.run(&scene, Some(limit)).code == Some(0);
        let need = least(bare, bare + (1 << 21), 1 << 10, ends_well);
        let mut refused = 0;
        for limit in (0..limits).map(|step| bare + (need - bare) * step / limits) {
            let _ = std::fs::remove_file(scene.path("out.npy"));
            let ran = self.run(&scene, Some(limit));
            let told = format!("{told}, {limit} of {bare} to {need} KiB: {:?}, {}", ran.code, ran.stderr);
            if ran.code == Some(0) {
                assert!(std::fs::read(scene.path("out.npy")).unwrap() == expected, "{told}");
                continue;
            }
            refused += 1;
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{told}");
            assert!(ran.stderr.starts_with("earth-fft: ") && ran.stderr.lines().count() == 1, "{told}");
            assert_eq!(scene.names(), [self.name], "{told}");
        }
        assert!(refused > limits / 2, "{told}: {refused} of {limits} are refused");
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Returns the least number for which `does` is true, by bisection between `not` and `works` down to `step`.
fn least(mut not: u64, mut works: u64, step: u64, does: impl Fn(u64) -> bool) -> u64 {
    while works - not > step {
        let middle = u64::midpoint(not, works);
        if does(middle) { works = middle } else { not = middle }
    }
    works
}

/// Returns the least limit, in KiB, under which the program itself, and not its loader, reports the result.
fn bare() -> u64 {
    let scene = Scene::new();
    let is_told = |limit| {
        let ran = scene.run_under(Some(limit), &["--version"]);
        ran.code == Some(0) || ran.code == Some(1) && ran.stderr.starts_with("earth-fft: there is no memory")
    };
    least(1 << 10, 1 << 20, 1 << 8, is_told)
}

#[test]
fn a_limit_of_the_address_space_is_reported() {
    let bare = bare();
    let real = Case::new("real.npy", floats(&[1 << 20], "<f4", 4), "--nodes 2");
    let others = [
        Case::new("matrix.npy", floats(&[256, 256], "<c16", 16), "--nodes 1"),
        Case::new("prime.npy", floats(&[65_537], "<c8", 8), ""),
        Case::new("line.csv", "0.5\n1e-3\n-2\n".repeat(1 << 14).into_bytes(), ""),
    ];
    let long = std::env::var_os("EARTH_LONG").is_some();
    let limits = if long { 40 } else { 6 };
    let all = [(real, 2 * limits)].into_iter().chain(others.into_iter().map(|case| (case, limits)));
    let more = [
        ("integers.npy", floats(&[1 << 19], "<i2", 2), ""),
        ("real.npy", floats(&[1000, 1001], "<f8", 8), "--verify"),
        ("verified.npy", floats(&[262_147], "<f8", 8), "--verify --kernel rustfft"),
        ("inverse.npy", floats(&[1 << 20], "<c8", 8), "--inverse --nodes 2"),
        ("solid.npy", floats(&[64, 60, 70], "<c16", 16), "--nodes 2 --config dual"),
        ("sender.npy", floats(&[1 << 18], "<c16", 16), "--algorithm sender --nodes 2"),
        ("receiver.npy", floats(&[1 << 14], "<c16", 16), "--algorithm receiver --nodes 2"),
        ("stages.npy", floats(&[1 << 16], "<c16", 16), "--algorithm radix4 --nodes 2"),
        ("grouped.npy", floats(&[500, 300], "<c16", 16), "--algorithm grouped --nodes 2"),
        ("measured.npy", floats(&[300, 200], "<c8", 8), "--effort measure --time-limit 0.2"),
        ("large.npy", floats(&[1 << 23], "<f4", 4), ""),
    ];
    let more = more
        .into_iter()
        .filter(|_| long)
        .map(|(name, content, arguments)| (Case::new(name, content, arguments), limits));
    all.chain(more).for_each(|(case, limits)| case.is_right_or_refused(bare, limits));
}
