use parking_lot::Mutex;

use super::*;
use crate::pfft::study::fixtures;
use crate::pfft::study::rows::{GroupingTime, Methods as Row, Published};

/// Bench that counts measurements. (4, 1) is best up to N = 100, (2, 2) beyond, and by more.
#[derive(Default)]
struct Counting {
    alone: bool,
    ways: Vec<(String, usize)>,
    methods: Vec<(String, usize, usize)>,
    published: usize,
}

impl Bench for Counting {
    fn groupings(&self) -> Vec<Grouping> {
        let all = [(1, 4), (2, 2), (4, 1)];
        let number = if self.alone { 1 } else { 3 };
        all.into_iter().take(number).map(|(groups, threads)| Grouping { groups, threads }).collect()
    }

    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError> {
        Ok((*kernel != Kernel::RustFft).then(|| "3.3".to_owned()))
    }

    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<GroupingTime>, BenchError> {
        self.ways.push((kernel.to_string(), n));
        let [two, four] = if n <= 100 { [2.0, 3.0] } else { [9.0, 1.0] };
        Ok(fixtures::groupings("", n, &[(1, 4, 9.9), (2, 2, two), (4, 1, four)]).ways)
    }

    fn methods(&mut self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Row, BenchError> {
        let Grouping { groups, threads } = grouping;
        self.methods.push((kernel.to_string(), n, groups));
        let version = self.version(kernel)?;
        Ok(Row { version, groups, threads, ..fixtures::methods(&kernel.to_string(), n, [1.0; 5]) })
    }

    fn published(&mut self) -> Result<Published, BenchError> {
        self.published += 1;
        Ok(Published { n: 48, filled: 64, error: 0.9, bound: 1e-14 })
    }
}

/// Progress that is over after a number of steps, and counts work.
struct Until(Mutex<Counts>);

#[derive(Clone, Copy)]
struct Counts {
    steps: usize,
    work: u64,
    done: u64,
}

impl Until {
    fn steps(steps: usize) -> Self {
        Self(Mutex::new(Counts { steps, work: 0, done: 0 }))
    }

    fn counts(&self) -> Counts {
        *self.0.lock()
    }
}

impl Progress for Until {
    fn begin(&self, work: u64) {
        self.0.lock().work = work;
    }

    fn done(&self, work: u64) {
        let mut counts = self.0.lock();
        counts.steps -= 1;
        counts.done += work;
    }

    fn is_over(&self) -> bool {
        self.counts().steps == 0
    }
}

const KERNELS: [Kernel; 2] = [Kernel::RustFft, Kernel::Fftw];

fn studied(bench: &mut Counting, sizes: &[usize], journal: &mut Journal, until: &Until) -> Study {
    run(bench, Target { kernels: &KERNELS, sizes }, journal, until).unwrap()
}

fn journal() -> Journal {
    Journal::in_memory(fixtures::conditions())
}

#[test]
fn groups_are_chosen_for_all_sizes_before_methods_are_measured() {
    let (mut bench, progress) = (Counting::default(), Until::steps(100));
    let study = studied(&mut bench, &[16, 32], &mut journal(), &progress);
    let kernel = |name: &str, n| (name.to_owned(), n);
    assert_eq!(
        bench.ways,
        [kernel("rustfft", 16), kernel("fftw", 16), kernel("rustfft", 32), kernel("fftw", 32)]
    );
    let measured: Vec<_> = bench.methods.iter().map(|(name, n, p)| (name.as_str(), *n, *p)).collect();
    assert_eq!(measured, [("rustfft", 16, 4), ("fftw", 16, 4), ("rustfft", 32, 4), ("fftw", 32, 4)]);
    assert_eq!((study.left_out, study.kernels.len(), bench.published), (0, 2, 1));
    assert!(study.kernels.iter().all(|found| found.rows.len() == 2));
    assert_eq!(
        (progress.counts().work, progress.counts().done),
        (2 * (3 + 13) * (256 + 1024), progress.counts().work)
    );
}

#[test]
fn finished_rows_are_not_measured_again() {
    let (mut bench, mut journal) = (Counting::default(), journal());
    let sizes = [16, 32, 48];
    let study = studied(&mut bench, &sizes, &mut journal, &Until::steps(4));
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len()), (8, 4, 0));
    // Not all groupings are measured yet, so there is no choice.
    assert!(study.kernels.iter().all(|found| found.grouping.is_none() && found.rows.is_empty()));
    let study = studied(&mut bench, &sizes, &mut journal, &Until::steps(3));
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len()), (5, 6, 1));
    let last = Until::steps(100);
    let study = studied(&mut bench, &sizes, &mut journal, &last);
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len(), bench.published), (0, 6, 6, 1));
    assert_eq!(
        (last.counts().work, last.counts().done),
        (13 * (256 + 2 * 1024 + 2 * 2304), last.counts().work),
        "what was left"
    );
    let again = studied(&mut bench, &sizes, &mut journal, &Until::steps(100));
    assert_eq!((again, bench.ways.len(), bench.methods.len()), (study, 6, 6));
}

#[test]
fn other_groups_are_measured_again() {
    let (mut bench, mut journal) = (Counting::default(), journal());
    studied(&mut bench, &[16], &mut journal, &Until::steps(100));
    assert!(bench.methods.iter().all(|&(_, _, groups)| groups == 4));
    // A larger N changes the choice, so the first row is obsolete.
    let study = studied(&mut bench, &[16, 512], &mut journal, &Until::steps(100));
    let two: Vec<_> =
        bench.methods.iter().filter(|&&(_, _, groups)| groups == 2).map(|&(_, n, _)| n).collect();
    assert_eq!(two, [16, 16, 512, 512]);
    assert!(study.kernels.iter().all(|found| found.rows.iter().all(|row| row.groups == 2)));
}

#[test]
fn one_node_has_no_choice_and_a_baseline() {
    let mut bench = Counting { alone: true, ..Counting::default() };
    let study = studied(&mut bench, &[16], &mut journal(), &Until::steps(100));
    assert_eq!((bench.ways.len(), bench.methods.len(), study.left_out), (0, 2, 0));
    assert_eq!(study.kernels[0].grouping, Some(Grouping { groups: 1, threads: 4 }));
    assert!(study.kernels[0].preferences.is_empty());
}

#[test]
fn sizes_are_those_between() {
    let sizes = |from, to, step| Sizes { from, to, step }.all();
    assert_eq!(sizes(16, 40, 8), Ok(vec![16, 24, 32, 40]));
    assert_eq!(sizes(16, 39, 8), Ok(vec![16, 24, 32]));
    assert_eq!(sizes(16, 16, 1), Ok(vec![16]));
    assert_eq!(sizes(17, 16, 1), Err(NoSizes::Empty { from: 17, to: 16 }));
    assert_eq!(sizes(1, 16, 1), Err(NoSizes::OnePoint));
    assert_eq!(sizes(0, 16, 1), Err(NoSizes::OnePoint));
    assert_eq!(sizes(2, 16, 0), Err(NoSizes::NoStep));
    assert_eq!(sizes(usize::MAX, usize::MAX, 64), Ok(vec![usize::MAX]));
}
