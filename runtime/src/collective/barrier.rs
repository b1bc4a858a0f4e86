//! A barrier that opens round after round.
//!
//! 1. [`Barrier`] has an inlet for each member, its *seat*, and puts the addresses of the seats to its reply.
//! 2. A member arrives by putting the address of one of its slots to its seat.
//! 3. `open`, enabled when every seat is taken, signals all these slots. A member may name another slot for
//!    each arrival: a member of several phases has a fiber for each.
//! 4. A member that puts `None` leaves. It counts as arrived in this and all later rounds, and receives no
//!    more signals. When all members have left, the barrier ends.
//!
//! It is central, not a tree: one node receives and sends what a tree of frames would distribute. With 64
//! nodes it has a sixth of a binary tree's depth, without setting one up. With 1,024 nodes the central node
//! dominates the time.
//!
//! # Why seats instead of one counting slot
//!
//! A bare signal is anonymous. A member that arrives twice would stand for a late member, and the barrier
//! would open early. A second value for a full inlet is parked with its signal until the next round. So the
//! barrier opens when *each* member has arrived, whatever the members do. An arrival without a round left for
//! it is an error at the end of the run.
//!
//! # Cost
//!
//! M puts and M signals per round, depth 2, one fiber and no frame. Once: a frame, an invoke, the seats.
//!
//! # When it loses
//!
//! Always, if the program can wait for its actual dependencies instead. A slot that counts the values of the
//! two neighbours waits for two members, not for all. A round takes as long as its slowest member, plus M
//! signals.

use crate::{Arrived, Eu, Replies, Reply, SlotRef, Start, Then, threaded};

/// The reply to which one member puts when it arrives: `Some` with the slot to signal when all have arrived,
/// or `None` to leave for good.
///
/// A member that has put `Some` waits for the signal before it puts again.
pub type Seat = Reply<Option<SlotRef>>;

/// The seats of all members.
pub type Seats = Replies<Option<SlotRef>>;

/// A barrier for repeated rounds.
///
/// ```
/// use earth::collective::{Barrier, Group, Seat, Seats, everywhere};
/// use earth::{Arrived, Eu, Machine, Reply, Then, threaded};
///
/// struct March {
///     rounds: u64,
///     out: Reply<u64>,
/// }
///
/// #[threaded]
/// impl March {
///     /// Three members in step, `rounds` times.
///     fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
///         eu.invoke(eu.node(), Barrier::call(3, eu.reply(Self::begin().seats)));
///         March { rounds, out }
///     }
///
///     #[slot]
///     fn begin(&mut self, seats: Seats, eu: &mut Eu<Self>) {
///         let given = (0..seats.len()).map(|member| (self.rounds, seats.at(member)));
///         everywhere::<Marcher>(eu, Group::all(eu), given, eu.reply(Self::done().marched));
///     }
///
///     #[slot]
///     fn done(self, marched: Vec<u64>, eu: &mut Eu<Self>) {
///         eu.put(self.out, marched.iter().sum());
///     }
/// }
///
/// struct Marcher {
///     rounds: u64,
///     steps: u64,
///     seat: Seat,
///     out: Reply<u64>,
/// }
///
/// #[threaded]
/// impl Marcher {
///     fn start(rounds: u64, seat: Seat, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
///         eu.put(seat, Some(eu.slot_ref(Self::step())));
///         Marcher { rounds, steps: 0, seat, out }
///     }
///
///     #[slot(sync, again)]
///     fn step(&mut self, eu: &mut Eu<Self>) -> Then {
///         self.steps += 1;
///         if self.steps < self.rounds {
///             eu.put(self.seat, Some(eu.slot_ref(Self::step())));
///             return Then::Wait;
///         }
///         eu.put(self.seat, None);
///         eu.put(self.out, self.steps);
///         Then::End
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run(|out| March::call(10, out))?.value, 30);
/// # Ok::<(), earth::Error>(())
/// ```
#[derive(Debug)]
pub struct Barrier(());

#[threaded]
impl Barrier {
    /// Starts a barrier for `members` members and puts the addresses of their seats to `seats`.
    pub fn start(members: usize, seats: Reply<Seats>, eu: &mut Eu<Self>) -> Start<Self> {
        eu.put(seats, eu.replies(Self::open().seat));
        if members == 0 { Start::End } else { Start::Wait(Barrier(())) }
    }

    #[slot(again)]
    fn open(&mut self, #[inlets(members)] seat: Arrived<'_, Option<SlotRef>>, eu: &mut Eu<Self>) -> Then {
        if seat.iter().all(Option::is_none) {
            return Then::End;
        }
        let seats = eu.replies(Self::open().seat);
        for (member, slot) in seat.enumerate() {
            match slot {
                Some(slot) => eu.rsync(slot),
                // A member that has left counts as arrived in the next round, too.
                None if seeded!(LeaverAwaited) => {}
                None => eu.put(seats.at(member), None),
            }
        }
        Then::Wait
    }
}
