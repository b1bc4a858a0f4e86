//! A barrier that opens round after round.
//!
//! 1. [`Barrier`] has an inlet for each member, its *seat*, and says where they are.
//! 2. A member arrives by putting the address of one of its slots to its seat.
//! 3. `open`, enabled when every seat is taken, signals all these slots. A member's next arrival may be to be
//!    told at another slot: a member of several phases has a fiber for each.
//! 4. A member that puts `None` leaves: it counts as arrived in this and in all later rounds, and hears
//!    nothing more. When all have left the barrier ends.
//!
//! It is central, not a tree: with the 64 nodes that a machine has at most, one node hears and sends what a
//! tree of frames would spread, in a sixth of a binary tree's depth and without setting one up.
//!
//! # Why seats, and not one slot that counts
//!
//! A bare signal is anonymous: a member that arrives twice would stand for one that is late, and the barrier
//! would open early. A second value for a full inlet is parked with its signal until the next round. So the
//! barrier opens when *each* member has arrived, whatever they do; an arrival that no round was left for is
//! an error at the end of the run.
//!
//! # Cost
//!
//! M puts and M signals a round, depth 2, one fiber and no frame. Once: a frame, an invoke, the seats.
//!
//! # When it loses
//!
//! Always, if the program could wait for what it needs instead: a slot that counts the values of
//! the two neighbours waits for two, not for all. A round takes as long as its slowest member
//! and then M signals more.

use crate::threaded_old;
use crate::vocabulary::address::{Replies, Reply, SlotRef};
use crate::vocabulary::name::Then;

/// The reply to which one member puts when it arrives: `Some` of the slot to be signalled when all have arrived, or
/// `None` when it leaves for good.
///
/// A member that has put `Some` waits for the signal before it puts again.
pub type Seat = Reply<Option<SlotRef>>;

/// The seats of all members.
pub type Seats = Replies<Option<SlotRef>>;

threaded_old! {
    /// A barrier for `members` members; it says where their seats are.
    ///
    /// ```
    /// use earth::collective::{Barrier, Everywhere, Group, Seat, Seats, everywhere};
    /// use earth::{Machine, Reply, Then, threaded_old};
    ///
    /// threaded_old! {
    ///     /// Three members in step, `rounds` times.
    ///     fn March(rounds: u64, out: Reply<u64>)
    ///     calls  { Barrier, Everywhere<Marcher> }
    ///     inlets { seats: Seats, marched: Vec<u64> }
    ///     slots  { built: 1 => begin, all: 1 => done }
    ///     fiber start(_this, eu) {
    ///         eu.invoke_old::<Barrier>(eu.node(), (3, eu.reply_to(Self::seats, Self::built)));
    ///         Then::Wait
    ///     }
    ///     fiber begin(this, eu) {
    ///         let seats = eu.take(Self::seats);
    ///         let given = (0..seats.len()).map(|member| (this.rounds, seats.at(member)));
    ///         everywhere::<Marcher>(eu, Group::all(eu), given, eu.reply_to(Self::marched, Self::all));
    ///         Then::Wait
    ///     }
    ///     fiber done(this, eu) {
    ///         let marched = eu.take(Self::marched).iter().sum();
    ///         eu.put(this.out, marched);
    ///         Then::End
    ///     }
    /// }
    ///
    /// threaded_old! {
    ///     fn Marcher(rounds: u64, seat: Seat, out: Reply<u64>)
    ///     state { steps: u64 = 0 }
    ///     slots { opened: 1, reset 1 => step }
    ///     fiber start(this, eu) {
    ///         eu.put(this.seat, Some(eu.slot_ref(Self::opened)));
    ///         Then::Wait
    ///     }
    ///     fiber step(this, eu) {
    ///         this.steps += 1;
    ///         if this.steps < this.rounds {
    ///             eu.put(this.seat, Some(eu.slot_ref(Self::opened)));
    ///             return Then::Wait;
    ///         }
    ///         eu.put(this.seat, None);
    ///         eu.put(this.out, this.steps);
    ///         Then::End
    ///     }
    /// }
    ///
    /// assert_eq!(Machine::threads(2).run_old::<March>(10)?.value, 30);
    /// # Ok::<(), earth::Error>(())
    /// ```
    pub fn Barrier(members: usize, seats: Reply<Seats>)
    state  { present: Vec<usize> = (0..members).collect() }
    inlets { seat[this.members]: Option<SlotRef> }
    slots  { all: (this.members), reset (this.members) => open }
    fiber start(this, eu) {
        eu.put(this.seats, eu.replies_to_one(Self::seat, Self::all));
        if this.members == 0 { Then::End } else { Then::Wait }
    }
    fiber open(this, eu) {
        this.present.retain(|&member| match eu.take(Self::seat.at(member)) {
            Some(slot) => {
                eu.rsync(slot);
                true
            }
            None => false,
        });
        if this.present.is_empty() {
            return Then::End;
        }
        // The slot counts all members in every round; those that left are signalled for.
        for _ in this.present.len()..this.members {
            eu.sync(Self::all);
        }
        Then::Wait
    }
}
