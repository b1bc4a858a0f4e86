//! Phantoms. Programs that compute on blocks run without their elements, with the same virtual time and the
//! same counts. On every machine phantoms move like blocks.

use crate::common::{fails, gives, on_every, on_every_of};
use allocation_counter::measure;
use earth::simulated::Profile;
use earth::{Arrived, Block, Config, Error, Eu, Machine, NodeId, Reply, Work, join_all_rows, threaded};

/// Returns work of one cycle per element.
fn work(block: &Block<u64>) -> Work {
    Work::Cycles(block.len() as u64)
}

/// Doubles the rows of a matrix on all nodes, a band each, and adds the same values from a second block.
struct Bands {
    out: Reply<Block<u64>>,
}

#[threaded]
impl Bands {
    fn start(matrix: Block<u64>, out: Reply<Block<u64>>, eu: &mut Eu<Self>) -> Self {
        let rows = matrix.rows().div_ceil(16);
        let bands = eu.replies(Self::join().bands);
        for (index, band) in matrix.split_rows_into(rows).enumerate() {
            eu.invoke(NodeId::new(index % eu.nodes()), Band::call(band, bands.at(index)));
        }
        Bands { out }
    }

    #[slot]
    fn join(self, #[inlets(16)] bands: Arrived<'_, Block<u64>>, eu: &mut Eu<Self>) {
        let whole = join_all_rows(bands).unwrap_or_else(|bands| {
            let mut whole = bands[0].zeroed_like(bands.iter().map(Block::rows).sum(), bands[0].cols());
            for band in &bands {
                // The first row of each band shows its position.
                let work = work(band);
                eu.compute((&mut whole, band), work, |(whole, band)| {
                    let first = (band.row(0)[0] / 4) as usize;
                    (0..band.rows()).for_each(|i| whole.row_mut(first + i).copy_from_slice(band.row(i)));
                });
            }
            whole
        });
        eu.put_block(self.out, whole);
    }
}

struct Band;

#[threaded]
impl Band {
    fn start(mut band: Block<u64>, back: Reply<Block<u64>>, eu: &mut Eu<Self>) {
        let mut copy = band.zeroed_like(band.rows(), band.cols());
        let work = work(&band);
        eu.compute((&mut copy, &band), work, |(copy, band)| copy.copy_from(band));
        let added = eu.compute((&mut band, &copy), work, |(band, copy)| {
            for (x, y) in band.iter_rows_mut().flatten().zip(copy.iter_rows().flatten()) {
                *x = 2 * *x + 2 * y;
            }
            copy.len()
        });
        assert_eq!(added, (!band.is_phantom()).then_some(band.len()));
        eu.put_block(back, band);
    }
}

/// Returns a matrix in which every element is the number of its row.
fn matrix(rows: usize, cols: usize) -> Block<u64> {
    Block::from_fn(rows, cols, |i, _| i as u64)
}

#[test]
fn a_phantom_moves_as_a_block_does_and_takes_the_same_virtual_time() {
    on_every(|case| {
        for (rows, cols) in [(16, 1), (32, 5), (160, 7)] {
            let real = gives(&mut case.machine(), |out| Bands::call(matrix(rows, cols), out));
            let phantom = Block::phantom(rows, cols).unwrap();
            let phantom = gives(&mut case.machine(), |out| Bands::call(phantom, out));
            let expected: Vec<u64> = matrix(rows, cols).into_vec().iter().map(|x| 4 * x).collect();
            assert_eq!(real.value.into_vec(), expected);
            assert!(phantom.value.is_phantom());
            assert_eq!((phantom.value.rows(), phantom.value.cols()), (rows, cols));
            assert_eq!(phantom.counters.block_moves, 17);
            if case.is_stepped() {
                assert_eq!((phantom.counters, phantom.cycles), (real.counters, real.cycles));
            } else {
                assert_eq!(phantom.counters.bytes_moved, real.counters.bytes_moved);
                assert_eq!(phantom.counters.signals, real.counters.signals);
            }
            if case.is_simulated() {
                // The nodes cannot share it better than evenly.
                let least = 2 * rows * cols / case.nodes;
                assert!(phantom.cycles >= Some(least as u64), "{:?} for {least}", phantom.cycles);
            }
        }
    });
}

#[test]
fn a_run_larger_than_memory_takes_little() {
    let profile = Profile::named("manna50").unwrap();
    for config in [Config::Spn, Config::Dual] {
        let mut machine = Machine::simulated(&profile).nodes(16).config(config);
        gives(&mut machine, |out| Bands::call(matrix(16, 1), out));
        let mut run = None;
        let counted = measure(|| {
            let phantom = Block::phantom(1 << 20, 1 << 25).unwrap();
            run = Some(gives(&mut machine, |out| Bands::call(phantom, out)));
        });
        let run = run.unwrap();
        assert!(counted.bytes_max < 100_000, "{counted:?}");
        assert_eq!((run.value.bytes(), run.counters.bytes_moved), (1 << 48, 3 << 48));
        let work = (1u64 << 46) as f64 / (profile.clock_mhz * 1e6);
        let busy = run.counters.eu_busy.as_secs_f64();
        assert!((work..1.01 * work).contains(&busy), "{busy} s for two passes of 2^45 elements, {work} s");
    }
}

struct Touch;

#[threaded]
impl Touch {
    fn start(what: u8, mut block: Block<u64>, out: Reply<u64>, eu: &mut Eu<Self>) {
        let here = Block::from_fn(block.rows(), block.cols(), |_, _| 1u64);
        match what {
            0 => block.row_mut(0)[0] = 1,
            1 => drop(eu.compute((&here, &mut block), Work::Flops(1), |(_, block)| block.row_mut(0)[0] = 1)),
            _ => drop(eu.compute(&here, Work::Flops(1), |here| block.copy_from(here))),
        }
        eu.put(out, block.row(0)[0]);
    }
}

#[test]
fn access_to_a_phantom_s_elements_ends_the_run_with_an_error() {
    on_every_of(2, |case| {
        for what in 0..3 {
            let run = gives(&mut case.machine(), |out| Touch::call(what, matrix(2, 2), out));
            assert_eq!(run.value, u64::from(what < 3));
            let phantom = Block::phantom(2, 2).unwrap();
            let error = fails(&mut case.machine(), |out| Touch::call(what, phantom, out));
            let Error::Panicked { at, message } = error else { panic!("{error}") };
            assert!(at.function.ends_with("Touch"), "{at:?}");
            let expected = if what == 1 {
                "a computation mixes phantoms and blocks with elements"
            } else {
                "a phantom block has no elements to read or write"
            };
            assert!(message.contains(expected), "{message}");
        }
    });
}
