use parking_lot::Mutex;

use super::*;
use crate::pfft::study::fixtures;
use crate::pfft::study::rows::{Conditions, GroupingTime, Methods as Row, Published};

/// Bench that counts measurements. (4, 1) is best up to N = 100, (2, 2) beyond, and by more.
#[derive(Default)]
struct Counting {
    alone: bool,
    ways: Vec<(String, usize)>,
    methods: Vec<(String, usize, usize)>,
    published: usize,
    transposes: Vec<usize>,
    efforts: Vec<(String, usize)>,
    lengths: usize,
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
        Ok(Row { version, groups, threads, ..fixtures::methods(&kernel.to_string(), n, [1.0; 7]) })
    }

    fn published(&mut self) -> Result<Published, BenchError> {
        self.published += 1;
        Ok(Published { n: 48, filled: 64, error: 0.9, bound: 1e-14 })
    }

    fn has_efforts(&self, kernel: &Kernel) -> Result<bool, BenchError> {
        Ok(*kernel != Kernel::RustFft)
    }

    fn efforts(&mut self, kernel: &Kernel, n: usize) -> Result<Efforts, BenchError> {
        self.efforts.push((kernel.to_string(), n));
        let (kernel, version) = (kernel.to_string(), self.version(kernel)?);
        Ok(Efforts { kernel, version, n, plans: Vec::new(), took: 0.0 })
    }

    fn lengths(&mut self, kernel: &Kernel) -> Result<Lengths, BenchError> {
        self.lengths += 1;
        let (kernel, version) = (kernel.to_string(), self.version(kernel)?);
        Ok(Lengths { kernel, version, points: Vec::new(), took: 0.0 })
    }

    fn transposes(&mut self, n: usize) -> Result<Transposes, BenchError> {
        self.transposes.push(n);
        Ok(Transposes { n, sides: Vec::new(), took: 0.0 })
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

/// Two kernels that need no library; [`Counting`] has a version for the second one.
const KERNELS: [Kernel; 2] = [Kernel::RustFft, Kernel::Earth];

fn studied(bench: &mut Counting, sizes: &[usize], journal: &mut Journal, until: &Until) -> Study {
    run(bench, Target { kernels: &KERNELS, sizes, steps_to: usize::MAX }, journal, until).unwrap()
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
        [kernel("rustfft", 16), kernel("earth", 16), kernel("rustfft", 32), kernel("earth", 32)]
    );
    let measured: Vec<_> = bench.methods.iter().map(|(name, n, p)| (name.as_str(), *n, *p)).collect();
    assert_eq!(measured, [("rustfft", 16, 4), ("earth", 16, 4), ("rustfft", 32, 4), ("earth", 32, 4)]);
    assert_eq!((study.left_out, study.kernels.len(), bench.published), (0, 2, 1));
    assert!(study.kernels.iter().all(|found| found.rows.len() == 2));
    assert_eq!(
        (progress.counts().work, progress.counts().done),
        ((2 * (3 + 17) + 6) * (256 + 1024), progress.counts().work)
    );
}

#[test]
fn finished_rows_are_not_measured_again() {
    let (mut bench, mut journal) = (Counting::default(), journal());
    let sizes = [16, 32, 48];
    let study = studied(&mut bench, &sizes, &mut journal, &Until::steps(4));
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len()), (11, 4, 0));
    // Not all groupings are measured yet, so there is no choice.
    assert!(study.kernels.iter().all(|found| found.grouping.is_none() && found.rows.is_empty()));
    let study = studied(&mut bench, &sizes, &mut journal, &Until::steps(3));
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len()), (8, 6, 1));
    let last = Until::steps(100);
    let study = studied(&mut bench, &sizes, &mut journal, &last);
    assert_eq!((study.left_out, bench.ways.len(), bench.methods.len(), bench.published), (0, 6, 6, 1));
    assert_eq!(
        (last.counts().work, last.counts().done),
        (17 * (256 + 2 * 1024 + 2 * 2304) + 6 * (256 + 1024 + 2304), last.counts().work),
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

/// Planners that measure come last, so that no other plan uses their results.
#[test]
fn further_experiments_come_last_and_once() {
    let conditions = Conditions { measure_to: 32, ..fixtures::conditions() };
    let mut journal = Journal::in_memory(conditions);
    let (mut bench, sizes) = (Counting::default(), [16, 32, 48]);
    let study = studied(&mut bench, &sizes, &mut journal, &Until::steps(100));
    assert_eq!(study.left_out, 0);
    assert_eq!((bench.transposes.clone(), bench.lengths), (vec![16, 32, 48], 0));
    assert_eq!(bench.efforts, [("earth".to_owned(), 16), ("earth".to_owned(), 32)]);
    let efforts = study.kernels.iter().map(|found| found.efforts.len()).collect::<Vec<_>>();
    assert_eq!((efforts, study.transposes.len()), (vec![0, 2], 3));
    studied(&mut bench, &sizes, &mut journal, &Until::steps(100));
    assert_eq!((bench.transposes.len(), bench.efforts.len()), (3, 2));
}
