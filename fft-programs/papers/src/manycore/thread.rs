//! A thread of an FFT by stages: its butterflies of every stage.

use earth::{Eu, Published, Replies, Reply, Shared, SlotRefs, Then, Wire, threaded};
use earth_fft::dataflow::points::Points;
use earth_kernels::Real;
use num_complex::Complex;

use super::{Computed, RadixPlan};

/// The addresses of a thread.
#[derive(Debug, Wire)]
pub struct Addresses<T: Real> {
    /// Its inlet for the targets.
    pub(super) targets: Reply<Targets<T>>,
    /// Its inlets for blocks: R of each round.
    pub(super) blocks: Replies<Points<T>>,
    /// Its slots for rounds, which barriers signal.
    pub(super) combine: SlotRefs,
}

/// A thread's number and the addresses that it sends to, made when those of all threads are known.
#[derive(Debug, Wire)]
pub struct Targets<T: Real> {
    pub(super) thread: usize,
    /// Where its R blocks go after each stage but the last.
    pub(super) takers: Vec<Reply<Points<T>>>,
    /// And after the last one.
    pub(super) done: Reply<Computed<T>>,
    /// The slots of its part for barriers, by round.
    pub(super) arrived: SlotRefs,
    /// The factors that its node keeps near.
    pub(super) near: Option<Published<Complex<T>>>,
}

/// One thread of the transform.
pub struct Thread<T: Real> {
    plan: Shared<RadixPlan<T>>,
    /// Its own points, until it has its targets.
    own: Option<Points<T>>,
    targets: Option<Targets<T>>,
    /// The blocks that have come: R of each round.
    taken: Vec<Option<Points<T>>>,
}

#[threaded(rounds = plan.order().rounds() as usize, radix = plan.order().radix())]
impl<T: Real> Thread<T> {
    /// The thread that owns these points.
    pub fn start(
        own: Points<T>,
        plan: Shared<RadixPlan<T>>,
        addresses: Reply<Addresses<T>>,
        eu: &mut Eu<Self>,
    ) -> Self {
        let targets = eu.reply(Self::begin().targets);
        let (blocks, combine) = (eu.replies(Self::take(..).block), eu.slot_refs(Self::combine(..)));
        eu.put(addresses, Addresses { targets, blocks, combine });
        let taken = (0..rounds * radix).map(|_| None).collect();
        Self { plan, own: Some(own), targets: None, taken }
    }

    #[slot]
    fn begin(&mut self, targets: Targets<T>, eu: &mut Eu<Self>) -> Then {
        let Some(mut own) = self.own.take() else { unreachable!("a thread begins once") };
        let order = self.plan.order();
        eu.compute(&mut own, self.plan.work(order.own_stages()), |own| {
            self.plan.transform_own(own, near(&targets));
        });
        self.targets = Some(targets);
        self.send(0, own.split_cols_into(order.block()).collect(), eu)
    }

    #[slots(len = rounds * radix)]
    fn take(&mut self, index: usize, block: Points<T>, eu: &mut Eu<Self>) {
        self.taken[index] = Some(block);
        eu.sync(Self::combine(index / self.plan.order().radix()));
    }

    /// The signals are those of the blocks, and one of the stage before: the thread's own or the barrier's.
    #[slots(len = rounds, syncs = radix + 1)]
    fn combine(&mut self, round: usize, eu: &mut Eu<Self>) -> Then {
        let radix = self.plan.order().radix();
        let taken = &mut self.taken[round * radix..][..radix];
        let mut blocks: Vec<_> = taken.iter_mut().filter_map(Option::take).collect();
        let Some(targets) = &self.targets else { unreachable!("rounds come after `begin`") };
        eu.compute(&mut blocks[..], self.plan.work(1), |blocks| {
            self.plan.combine(round as u32 + 1, targets.thread, blocks, near(targets));
        });
        self.send(round + 1, blocks, eu)
    }
}

impl<T: Real> Thread<T> {
    /// Sends the blocks of a stage to those who take them, or home after the last one, which ends the thread.
    fn send(&self, round: usize, blocks: Vec<Points<T>>, eu: &mut Eu<Self>) -> Then {
        let Some(targets) = &self.targets else { unreachable!("targets come before blocks") };
        let (rounds, radix) = (self.plan.order().rounds() as usize, self.plan.order().radix());
        if round == rounds {
            let computed = eu.now();
            eu.put(targets.done, Computed { blocks, computed });
            return Then::End;
        }
        for (&taker, block) in targets.takers[round * radix..].iter().zip(blocks) {
            eu.put_block(taker, block);
        }
        if self.plan.barriers() > 0 {
            eu.rsync(targets.arrived.at(round));
        } else {
            eu.sync(Self::combine(round));
        }
        Then::Wait
    }
}

/// The factors that are near.
fn near<T: Real>(targets: &Targets<T>) -> &[Complex<T>] {
    targets.near.as_ref().map_or(&[], |near| near.row(0))
}
