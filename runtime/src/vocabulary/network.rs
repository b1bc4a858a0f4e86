//! The network of a simulated machine, as a trait that a crate outside implements.

/// A message that leaves a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The network reports the arrival by this number. Numbers of messages that arrived are used again.
    pub number: usize,
    /// The sender.
    pub from: usize,
    /// The receiver, another node.
    pub to: usize,
    /// Size of the message's blocks in bytes. A message of words has 0; its words and addresses come in
    /// addition.
    pub bytes: u64,
    /// Time at which the message leaves its node, in processor cycles.
    pub at: u64,
}

/// A message that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The [number](Departure::number) of its departure.
    pub number: usize,
    /// Time of the arrival, in processor cycles.
    pub at: u64,
}

/// The network of a simulated machine, which determines when each message arrives.
///
/// All times are processor cycles since the run began. A factory makes a network for each run:
/// [`Policies::network`](crate::policy::Policies::network).
///
/// ```
/// use earth::policy::{Departure, Network, Policies};
///
/// /// Every message takes as long as its nodes are apart.
/// struct Distance;
///
/// impl Network for Distance {
///     fn send(&mut self, departure: Departure) -> Option<u64> {
///         Some(departure.at + 100 * departure.from.abs_diff(departure.to) as u64)
///     }
/// }
///
/// let policies = Policies::new().network("distance", |_nodes| Distance);
/// ```
///
/// # Bounds
///
/// The machine keeps the order of messages from one node to another. A message that would overtake an earlier
/// one arrives at the same time as that one, and after it.
///
/// # Errors of the run
///
/// Each of these ends the run with [`Error::Policy`](crate::Error::Policy):
///
/// * an arrival before its departure, or before the event that reports it;
/// * an event before the last one, or 65,536 events at one time without an arrival;
/// * an arrival of a message that is not under way;
/// * a message that never arrives;
/// * a panic.
pub trait Network: Send {
    /// Takes a message. Departures come in order of time. Returns the arrival time, or `None` if it depends
    /// on later departures. A [`step`](Self::step) then reports it.
    ///
    /// A synchronization unit (DUAL) looks ahead at known arrivals when it decides whether to hand on a
    /// token. So in DUAL an arrival that is known early may give another run than one that an event reports.
    fn send(&mut self, departure: Departure) -> Option<u64>;

    /// Returns the time of the network's next event, or `u64::MAX` if no message is under way. An event
    /// precedes departures at the same time.
    fn next(&self) -> u64 {
        u64::MAX
    }

    /// Performs the next event. Adds the messages that arrive by it to `arrived`.
    fn step(&mut self, arrived: &mut Vec<Arrival>) {
        let _ = arrived;
    }
}
