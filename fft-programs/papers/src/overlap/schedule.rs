//! In which order a rank works on its tiles, in the paper's program and in its variants.

use serde::{Deserialize, Serialize};

/// Variant of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// NEW: the exchange of up to W tiles goes on during the work on other tiles, before and after it.
    #[default]
    New,
    /// NEW-0: each tile waits for its exchange.
    New0,
    /// TH, after Hoefler: exchanges go on during transforms along y and packing. All tiles have arrived
    /// before the first one is unpacked.
    Th,
    /// TH-0: TH in which each tile waits for its exchange.
    Th0,
    /// Dataflow: a tile is unpacked as soon as it has arrived, and any number of tiles are exchanged at the
    /// same time. This variant is not in the paper.
    Dataflow,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::New, Self::New0, Self::Th, Self::Th0, Self::Dataflow];

    /// Returns the paper's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::New0 => "new-0",
            Self::Th => "th",
            Self::Th0 => "th-0",
            Self::Dataflow => "dataflow",
        }
    }

    /// Returns whether the program moves points element by element before the transforms along y, as TH does.
    pub(super) fn moves_singly(self) -> bool {
        matches!(self, Self::Th | Self::Th0)
    }
}

/// Step of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Transforms along y and packs a tile.
    Forward(usize),
    /// Begins the exchange of a tile.
    Exchange(usize),
    /// Waits until the blocks of a tile have arrived.
    Await(usize),
    /// Unpacks a tile and transforms along x.
    Backward(usize),
    /// Waits for any tile that has not been unpacked (dataflow).
    AwaitAny,
    /// Packs the output for its return. The exchange that follows has the number after the last tile.
    PackOutput,
    /// Unpacks the output after its return.
    UnpackOutput,
}

/// Steps of a rank, as they become due.
#[derive(Debug)]
pub struct Steps {
    variant: Variant,
    tiles: usize,
    window: usize,
    /// Number of steps that were returned.
    at: usize,
    /// Numbers of tiles that have begun, and that are unpacked (dataflow).
    begun: usize,
    ended: usize,
    /// Number of steps of the return that are left.
    returns: usize,
}

impl Steps {
    /// Makes the steps for `tiles` tiles. With `returns` the output goes back to the ranks of the input.
    pub fn new(variant: Variant, tiles: usize, window: usize, returns: bool) -> Self {
        Self { variant, tiles, window, at: 0, begun: 0, ended: 0, returns: if returns { 4 } else { 0 } }
    }

    /// Returns the next step, or `None` after the last one. `arrived` returns a tile that has arrived and was
    /// not unpacked.
    pub fn next(&mut self, arrived: impl FnOnce() -> Option<usize>) -> Option<Step> {
        if let Some(step) = self.next_of_tiles(arrived) {
            return Some(step);
        }
        self.returns = self.returns.checked_sub(1)?;
        let tile = self.tiles;
        Some([Step::UnpackOutput, Step::Await(tile), Step::Exchange(tile), Step::PackOutput][self.returns])
    }

    fn next_of_tiles(&mut self, arrived: impl FnOnce() -> Option<usize>) -> Option<Step> {
        match self.variant {
            Variant::Dataflow => self.ready(arrived),
            Variant::New => self.windowed(),
            Variant::New0 => self.in_turn(4),
            Variant::Th => self.late(),
            Variant::Th0 => {
                let begins = 3 * self.tiles;
                if self.at < begins { self.in_turn(3) } else { self.last(begins) }
            }
        }
    }

    /// Algorithm 1 of the paper: in turn `i` a tile begins, and tile `i - window` is awaited and unpacked.
    fn windowed(&mut self) -> Option<Step> {
        while self.at < 4 * (self.tiles + self.window) {
            let (turn, line) = (self.at / 4, self.at % 4);
            self.at += 1;
            let begins = Some(turn).filter(|&tile| tile < self.tiles);
            let ends = turn.checked_sub(self.window);
            let step = match line {
                0 => begins.map(Step::Forward),
                1 => ends.map(Step::Await),
                2 => begins.map(Step::Exchange),
                _ => ends.map(Step::Backward),
            };
            if step.is_some() {
                return step;
            }
        }
        None
    }

    /// As [`windowed`](Self::windowed), but all tiles are unpacked after the last one has arrived.
    fn late(&mut self) -> Option<Step> {
        let turns = 3 * (self.tiles + self.window);
        while self.at < turns {
            let (turn, line) = (self.at / 3, self.at % 3);
            self.at += 1;
            let begins = Some(turn).filter(|&tile| tile < self.tiles);
            let step = match line {
                0 => begins.map(Step::Forward),
                1 => turn.checked_sub(self.window).map(Step::Await),
                _ => begins.map(Step::Exchange),
            };
            if step.is_some() {
                return step;
            }
        }
        self.last(turns)
    }

    /// One tile after the other, with the first `lines` of its steps.
    fn in_turn(&mut self, lines: usize) -> Option<Step> {
        let (tile, line) = (self.at / lines, self.at % lines);
        if tile == self.tiles {
            return None;
        }
        self.at += 1;
        Some([Step::Forward, Step::Exchange, Step::Await, Step::Backward][line](tile))
    }

    /// Unpacks the tiles, after `begins` other steps.
    fn last(&mut self, begins: usize) -> Option<Step> {
        let tile = self.at - begins;
        if tile == self.tiles {
            return None;
        }
        self.at += 1;
        Some(Step::Backward(tile))
    }

    /// Unpacks a tile that has arrived, or else begins one, or else waits.
    fn ready(&mut self, arrived: impl FnOnce() -> Option<usize>) -> Option<Step> {
        if self.at % 2 == 1 {
            self.at += 1;
            return Some(Step::Exchange(self.begun - 1));
        }
        if self.ended == self.tiles {
            return None;
        }
        if let Some(tile) = arrived() {
            self.ended += 1;
            return Some(Step::Backward(tile));
        }
        if self.begun == self.tiles {
            return Some(Step::AwaitAny);
        }
        self.begun += 1;
        self.at += 1;
        Some(Step::Forward(self.begun - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Step::{Await, Backward, Exchange, Forward};
    use super::*;

    fn steps(variant: Variant, tiles: usize, window: usize) -> Vec<Step> {
        let mut steps = Steps::new(variant, tiles, window, false);
        std::iter::from_fn(|| steps.next(|| None)).take(1000).collect()
    }

    #[test]
    fn the_window_is_that_of_algorithm_1() {
        assert_eq!(
            steps(Variant::New, 3, 2),
            [
                Forward(0),
                Exchange(0),
                Forward(1),
                Exchange(1),
                Forward(2),
                Await(0),
                Exchange(2),
                Backward(0),
                Await(1),
                Backward(1),
                Await(2),
                Backward(2),
            ]
        );
    }

    #[test]
    fn variants_without_overlap_wait_for_each_tile() {
        let new =
            [Forward(0), Exchange(0), Await(0), Backward(0), Forward(1), Exchange(1), Await(1), Backward(1)];
        assert_eq!(steps(Variant::New0, 2, 7), new);
        let th =
            [Forward(0), Exchange(0), Await(0), Forward(1), Exchange(1), Await(1), Backward(0), Backward(1)];
        assert_eq!(steps(Variant::Th0, 2, 7), th);
        assert_eq!(steps(Variant::New0, 0, 1), []);
    }

    #[test]
    fn th_unpacks_after_the_last_tile_has_arrived() {
        let th = steps(Variant::Th, 5, 2);
        let first = th.iter().position(|step| matches!(step, Backward(_))).unwrap();
        assert_eq!(th[first..], [0, 1, 2, 3, 4].map(Backward));
        assert_eq!(th[..first].iter().filter(|step| matches!(step, Await(_))).count(), 5);
    }

    /// Each tile has its four steps in their order, and no more than the window is exchanged at a time.
    #[test]
    fn every_tile_has_its_steps_in_their_order() {
        for variant in [Variant::New, Variant::New0, Variant::Th, Variant::Th0] {
            for (tiles, window) in [(1, 1), (4, 1), (4, 3), (4, 4), (3, 9), (16, 2)] {
                let steps = steps(variant, tiles, window);
                assert_eq!(steps.len(), 4 * tiles, "{variant:?}");
                let at = |step: Step| steps.iter().position(|other| *other == step).unwrap();
                for tile in 0..tiles {
                    let order = [Forward(tile), Exchange(tile), Await(tile), Backward(tile)].map(at);
                    assert!(order.is_sorted(), "{variant:?}, tile {tile}: {order:?}");
                }
                let mut open = 0_usize;
                for step in steps {
                    match step {
                        Exchange(_) => open += 1,
                        Await(_) => open -= 1,
                        _ => {}
                    }
                    assert!(open <= window, "{variant:?}: {open} exchanges at a time");
                }
            }
        }
    }

    #[test]
    fn dataflow_unpacks_what_has_arrived() {
        let mut steps = Steps::new(Variant::Dataflow, 2, 1, true);
        assert_eq!(steps.next(|| None), Some(Forward(0)));
        assert_eq!(steps.next(|| None), Some(Exchange(0)));
        assert_eq!(steps.next(|| Some(0)), Some(Backward(0)));
        assert_eq!(steps.next(|| None), Some(Forward(1)));
        assert_eq!(steps.next(|| None), Some(Exchange(1)));
        assert_eq!(steps.next(|| None), Some(Step::AwaitAny));
        assert_eq!(steps.next(|| Some(1)), Some(Backward(1)));
        let rest: Vec<_> = std::iter::from_fn(|| steps.next(|| None)).collect();
        assert_eq!(rest, [Step::PackOutput, Exchange(2), Await(2), Step::UnpackOutput]);
    }
}
