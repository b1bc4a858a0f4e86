//! Row blocks of the 2-D FFT by tiles, of the matrix and of a second matrix, and their common plan.

use earth::{Arrived, Eu, Reply, Shared, Then, threaded};
use earth_fft::Norm;
use earth_fft::dataflow::Spent;
use earth_fft::dataflow::cut::Cut;
use earth_fft::dataflow::points::Points;
use earth_fft::kernel::RowOptions;
use earth_kernels::{Real, exchange_transposed, scale, transpose, transpose_into};

use super::{
    AcrossAddresses, AcrossTargets, Addresses, TO_ROWS, TO_TILES, TO_TILES_AGAIN, Targets, tiles_of,
};
use crate::error::Error;
use crate::groups::dealing::Dealing;
use crate::groups::pass::{PaddedRows, Pass};

/// Plan of a matrix transform, which all row blocks share.
#[derive(Debug)]
pub struct MatrixPlan<T: Real> {
    passes: [Pass<T>; 2],
    in_place: bool,
    /// Factor of the result.
    factor: T,
    barrier: bool,
}

impl<T: Real> MatrixPlan<T> {
    /// Plans both passes, over the rows of the matrix and of its transpose as `dealt`. Each kernel is planned
    /// once.
    ///
    /// The inverse is divided by the number of points. Without options the plan is for phantoms, and has no
    /// kernels.
    ///
    /// # Errors
    ///
    /// The errors of [`Pass::new`].
    pub fn new(dealt: &[Dealing; 2], options: Option<&RowOptions>) -> Result<Self, Error> {
        let ([along, across], mut made) = (dealt, Vec::new());
        let [along, across] = [Pass::of(along, options, &mut made)?, Pass::of(across, options, &mut made)?];
        let leading =
            |pass: &Pass<T>| pass.dealing.groups.iter().map(|group| group.leading).collect::<Vec<_>>();
        let in_place = along.cut == across.cut && leading(&along) == leading(&across);
        let plan = Self { passes: [along, across], in_place, factor: T::one(), barrier: false };
        Ok(plan.norm(Norm::default()))
    }

    /// Sets the normalization of the result.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        let [along, across] = &self.passes;
        let points = along.dealing.transformed as f64 * across.dealing.transformed as f64;
        let factor = T::of(norm.factor(across.direction, points));
        Self { factor, ..self }
    }

    /// Sets whether each of the four steps begins when the one before has ended everywhere, as in the paper's
    /// algorithms. Otherwise it begins as soon as its own data have arrived.
    #[must_use]
    pub fn barrier(self, barrier: bool) -> Self {
        Self { barrier, ..self }
    }

    /// Whether the transpose has the cut and the strides of the matrix, so that tiles can change places in
    /// its memory.
    pub fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Returns the pass over the rows of the matrix, 0, or over the rows of its transpose, 1.
    ///
    /// # Panics
    ///
    /// If `pass` is neither 0 nor 1.
    pub fn pass(&self, pass: usize) -> &Pass<T> {
        &self.passes[pass]
    }

    /// Returns the cut of the rows of the matrix, 0, or of the rows of its transpose, 1.
    pub(crate) fn cut(&self, pass: usize) -> &Cut {
        &self.passes[pass].cut
    }

    /// Whether each step begins when the one before has ended everywhere.
    pub(super) fn has_barrier(&self) -> bool {
        self.barrier
    }

    /// Returns `count`, the barriers of a function, or 0 if the plan has no barriers.
    pub(super) fn barriers(&self, count: usize) -> usize {
        if self.barrier { count } else { 0 }
    }

    /// Transforms the rows of a row block in pass 0 or 1. With `from`, the points are first copied from
    /// there. The second pass also applies the factor of the result.
    pub(super) fn transform(
        &self,
        pass: usize,
        block: usize,
        from: Option<&Points<T>>,
        rows: &mut Points<T>,
    ) {
        self.passes[pass].transform(block, from, rows, |row| {
            if pass == 1 && self.factor != T::one() {
                scale(row, self.factor);
            }
        });
    }

    /// Checks that this is the plan of a matrix of that many rows and columns.
    ///
    /// # Panics
    ///
    /// If it is not.
    #[track_caller]
    pub(super) fn check(&self, matrix: &Points<T>) {
        let [along, across] = &self.passes;
        let (found, planned) = ((matrix.rows(), matrix.cols()), (across.dealing.len, along.dealing.len));
        assert_eq!(found, planned, "a matrix of other rows and columns than the plan's");
        along.kernels.check(matrix);
    }
}

/// Row block of the matrix, which transforms its rows in place in both passes. They hold the result in the
/// end.
pub struct RowBlock<T: Real> {
    index: usize,
    plan: Shared<MatrixPlan<T>>,
    /// Whole rows, unless they are split.
    rows: Option<Points<T>>,
    /// Tiles, while the rows are split: the diagonal tile, then one of each owned pair, by the lender's
    /// distance.
    tiles: Vec<Points<T>>,
    padded: PaddedRows<T>,
    targets: Option<Targets<T>>,
    /// Whether the rows are transformed for the last time.
    last: bool,
    work: Spent,
}

#[threaded(
    owned = tiles_of(&plan, index)[0],
    borrows = tiles_of(&plan, index)[1],
    transposed = tiles_of(&plan, index)[2],
    barriers = if plan.is_in_place() { 3 } else { 1 }
)]
impl<T: Real> RowBlock<T> {
    /// Starts the `index`-th row block and sends its addresses to `addresses`.
    pub(super) fn start(
        index: usize,
        rows: Points<T>,
        plan: Shared<MatrixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let own = Addresses {
            targets: eu.reply(Self::scatter().targets),
            borrows: eu.replies(Self::exchange(..).theirs),
            returned: eu.replies(Self::gather().returned),
            released: plan.has_barrier().then(|| eu.slot_refs(Self::proceed(..))),
        };
        eu.put(addresses, own);
        let (mut padded, mut work) = (PaddedRows::default(), Spent::default());
        let pass = plan.pass(0);
        let mut rows = padded.enter(pass, index, rows);
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(0, index, from, rows);
        work.on_rows(eu, (padded.home(), &mut rows), pass.work(index), transform);
        eu.sync(Self::scatter());
        let (rows, last) = (Some(rows), !plan.is_in_place());
        RowBlock { index, plan, rows, tiles: Vec::new(), padded, targets: None, last, work }
    }

    #[slot(sync)]
    fn scatter(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) {
        self.targets = Some(targets);
        self.reached(TO_TILES, eu);
    }

    #[slots(len = plan.barriers(barriers), sync)]
    fn proceed(&mut self, step: usize, eu: &mut Eu<Self>) {
        self.go_on(step, eu);
    }

    #[slots(len = owned, sync, again)]
    fn exchange(&mut self, owned: usize, mut theirs: Points<T>, eu: &mut Eu<Self>) {
        let Some(targets) = &self.targets else { unreachable!("`scatter` took the targets") };
        let (mine, points) = (&mut self.tiles[1 + owned], 2 * theirs.len());
        self.work.on_tiles(eu, points, (mine, &mut theirs), |(mine, theirs)| {
            exchange_transposed(mine, theirs);
        });
        eu.put_block(targets.give_back[owned], theirs);
        eu.sync(Self::gather());
    }

    // Its diagonal tile and its tiles of owned pairs signal too, besides the tiles that come back.
    #[slot(syncs = transposed, again)]
    fn gather(&mut self, #[inlets(borrows)] returned: Arrived<'_, Points<T>>, eu: &mut Eu<Self>) -> Then {
        if self.plan.is_in_place() {
            // From the diagonal on round the circle, the lent tiles come last, and the nearest owner's is at
            // the end.
            self.tiles.extend(returned.rev());
            self.tiles.rotate_right(self.index);
        } else {
            self.tiles.extend(returned);
        }
        let tiles = self.tiles.drain(..);
        if !self.last {
            self.last = true;
            self.rows = Some(self.padded.whole(tiles));
            self.reached(TO_ROWS, eu);
            return Then::Wait;
        }
        let (rows, home) = self.padded.leave(tiles);
        let rows = self.work.on_return(eu, rows, home);
        if let Some(targets) = &self.targets {
            eu.put(targets.work, self.work);
            eu.put_block(targets.home, rows);
        }
        Then::End
    }
}

impl<T: Real> RowBlock<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, step: usize, eu: &mut Eu<Self>) {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.go_on(step, eu),
            Some(barrier) => barrier.reached(step, eu),
        }
    }

    fn go_on(&mut self, step: usize, eu: &mut Eu<Self>) {
        let Some(mut rows) = self.rows.take() else { unreachable!("rows are whole at the end of a step") };
        if step != TO_ROWS {
            return self.split(rows, eu);
        }
        let Self { index, plan, work, .. } = self;
        let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
        work.on_rows(eu, (None, &mut rows), plan.pass(1).work(*index), transform);
        self.rows = Some(rows);
        self.reached(TO_TILES_AGAIN, eu);
    }

    /// Splits transformed rows into tiles. Lends its tiles of pairs that others own, or all tiles for a
    /// second matrix, and keeps the rest. The diagonal tile is transposed last, so that others can already
    /// work on the lent tiles.
    fn split(&mut self, rows: Points<T>, eu: &mut Eu<Self>) {
        let Some(targets) = &self.targets else { unreachable!("`scatter` took the targets") };
        let points = self.padded.points(self.plan.pass(0), rows);
        let mut tiles = self.plan.cut(1).split_cols(points);
        if !self.plan.is_in_place() {
            return tiles.zip(&targets.lend).for_each(|(tile, &to)| eu.put_block(to, tile));
        }
        let owned = targets.give_back.len();
        self.tiles.extend(&mut tiles);
        self.tiles.rotate_left(self.index);
        for (tile, &to) in self.tiles.drain(1 + owned..).rev().zip(&targets.lend) {
            eu.put_block(to, tile);
        }
        for owned in 0..owned {
            eu.sync(Self::exchange(owned));
        }
        let diagonal = &mut self.tiles[0];
        self.work.on_tiles(eu, diagonal.len(), diagonal, transpose);
        eu.sync(Self::gather());
    }
}

/// Row block of the second matrix. In the second pass it transforms its rows, which are columns of the
/// matrix.
pub struct Across<T: Real> {
    index: usize,
    plan: Shared<MatrixPlan<T>>,
    /// Tiles that have arrived, by their row block of the matrix.
    tiles: Vec<Option<Points<T>>>,
    /// Transposed images of the tiles in the second matrix, until they are joined to whole rows.
    places: Vec<Points<T>>,
    /// Whole rows, unless they are split.
    rows: Option<Points<T>>,
    padded: PaddedRows<T>,
    targets: Option<AcrossTargets<T>>,
    work: Spent,
}

#[threaded(along = plan.cut(0).count())]
impl<T: Real> Across<T> {
    /// Starts the `index`-th row block of the transpose and sends its addresses to `addresses`.
    pub(super) fn start(
        index: usize,
        plan: Shared<MatrixPlan<T>>,
        addresses: Reply<AcrossAddresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let pass = plan.pass(1);
        let mut padded = PaddedRows::default();
        let points = padded.points(pass, pass.zeroed(index));
        let places: Vec<_> = plan.cut(0).split_cols(points).collect();
        let tiles = places.iter().map(|_| None).collect();
        let own = AcrossAddresses {
            targets: eu.reply(Self::join().targets),
            tiles: eu.replies(Self::transpose(..).tile),
            released: plan.has_barrier().then(|| eu.slot_refs(Self::proceed(..))),
        };
        eu.put(addresses, own);
        let work = Spent::default();
        Across { index, plan, tiles, places, rows: None, padded, targets: None, work }
    }

    #[slots(len = along)]
    fn transpose(&mut self, index: usize, tile: Points<T>, eu: &mut Eu<Self>) {
        let operands = (&tile, &mut self.places[index]);
        self.work.on_tiles(eu, tile.len(), operands, |(tile, place)| transpose_into(tile, place));
        self.tiles[index] = Some(tile);
        eu.sync(Self::join());
    }

    #[slot(syncs = along)]
    fn join(&mut self, targets: AcrossTargets<T>, eu: &mut Eu<Self>) -> Then {
        self.targets = Some(targets);
        self.rows = Some(self.padded.whole(self.places.drain(..)));
        self.reached(TO_ROWS, eu)
    }

    #[slots(len = plan.barriers(2), sync)]
    fn proceed(&mut self, step: usize, eu: &mut Eu<Self>) -> Then {
        self.go_on(TO_ROWS + step, eu)
    }
}

impl<T: Real> Across<T> {
    /// Goes on to the next step, or waits at the barrier until all row blocks have reached the end of `step`.
    fn reached(&mut self, step: usize, eu: &mut Eu<Self>) -> Then {
        match self.targets.as_ref().and_then(|targets| targets.barrier) {
            None => self.go_on(step, eu),
            Some(barrier) => {
                barrier.reached(step, eu);
                Then::Wait
            }
        }
    }

    fn go_on(&mut self, step: usize, eu: &mut Eu<Self>) -> Then {
        let Self { index, plan, padded, work, .. } = self;
        let (Some(mut rows), Some(targets)) = (self.rows.take(), &self.targets) else {
            unreachable!("`join` made the rows and took the targets")
        };
        if step == TO_ROWS {
            let transform = |from: Option<&_>, rows: &mut _| plan.transform(1, *index, from, rows);
            work.on_rows(eu, (None, &mut rows), plan.pass(1).work(*index), transform);
            self.rows = Some(rows);
            return self.reached(TO_TILES_AGAIN, eu);
        }
        let places = plan.cut(0).split_cols(padded.points(plan.pass(1), rows));
        for ((place, tile), &back) in places.zip(self.tiles.drain(..)).zip(&targets.tiles) {
            let Some(mut tile) = tile else { unreachable!("all tiles have been transposed") };
            let operands = (&place, &mut tile);
            work.on_tiles(eu, place.len(), operands, |(place, tile)| transpose_into(place, tile));
            eu.put_block(back, tile);
        }
        eu.put(targets.work, *work);
        Then::End
    }
}
