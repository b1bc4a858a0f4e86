//! The three queues on real threads: every value arrives once, in the promised order, and is dropped once.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use earth_signal::{
    EventReceiver, Full, Message, MessageReceiver, Publisher, Receiver, event_queue, message_ring, shared_end,
};

const VALUES: usize = 20_000;

/// Counts the drops of its values.
#[derive(Default)]
struct Drops(AtomicUsize);

struct Counted<'a>(&'a Drops);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drops {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Repeats `attempt` until it succeeds, letting others run in between.
fn until_sent<T>(mut value: T, mut attempt: impl FnMut(T) -> Result<(), Full<T>>) {
    while let Err(Full(unsent)) = attempt(value) {
        value = unsent;
        thread::yield_now();
    }
}

fn senders_keep_their_order(capacity: usize, senders: usize) {
    let (sender, mut receiver) = event_queue(capacity);
    thread::scope(|scope| {
        for who in 0..senders {
            let sender = sender.clone();
            // Boxed, so that a value received twice would be freed twice.
            scope.spawn(move || (0..VALUES).for_each(|n| until_sent(Box::new((who, n)), |v| sender.send(v))));
        }
        let mut next = vec![0; senders];
        while next.iter().any(|&n| n < VALUES) {
            match receiver.receive() {
                Some(value) => {
                    assert_eq!(value.1, next[value.0], "sender {}", value.0);
                    next[value.0] += 1;
                }
                None => thread::yield_now(),
            }
        }
    });
    assert!(receiver.is_empty());
}

#[test]
fn an_event_queue_keeps_the_order_of_each_sender() {
    senders_keep_their_order(64, 3);
}

#[test]
fn an_event_queue_of_one_cell_does_too() {
    senders_keep_their_order(1, 3);
}

#[test]
fn a_full_event_queue_gives_the_value_back() {
    for capacity in [1, 2, 8] {
        let (sender, mut receiver) = event_queue(capacity);
        for lap in 0..3 {
            for number in 0..capacity {
                sender.send((lap, number)).unwrap();
            }
            assert_eq!(sender.send((9, 9)).unwrap_err().0, (9, 9));
            for number in 0..capacity {
                assert_eq!(receiver.receive(), Some((lap, number)));
            }
            assert_eq!(receiver.receive(), None);
        }
    }
}

#[test]
fn an_event_queue_drops_what_is_left() {
    let drops = Drops::default();
    let (sender, mut receiver) = event_queue(4);
    for _ in 0..4 {
        sender.send(Counted(&drops)).unwrap();
    }
    drop(receiver.receive());
    assert_eq!(drops.count(), 1);
    // The cell is reused; one cell of the ring is then one lap ahead.
    sender.send(Counted(&drops)).unwrap();
    drop(receiver);
    assert_eq!(drops.count(), 1);
    drop(sender);
    assert_eq!(drops.count(), 5);
}

#[test]
#[should_panic(expected = "a capacity must be a power of two of at least 1, not 3")]
fn an_event_queue_needs_a_power_of_two() {
    let _ = event_queue::<u8>(3);
}

/// Receiver of a message ring that records the numbers it receives.
#[derive(Default)]
struct Recorder(Vec<usize>);

impl Receiver for Recorder {
    type Outcome = ();
}

struct Number(Box<usize>);

impl Message<Recorder> for Number {
    fn arrive(self, at: &mut Recorder) {
        at.0.push(*self.0);
    }
}

/// A message whose drop is counted.
impl Message<Recorder> for Counted<'static> {
    fn arrive(self, at: &mut Recorder) {
        at.0.push(0);
    }
}

impl Message<Recorder> for Bomb<'static> {
    fn arrive(self, _: &mut Recorder) {
        unreachable!("this message is never received");
    }
}

#[test]
#[should_panic(expected = "a capacity must be a power of two of at least 1, not 0")]
fn a_message_ring_needs_a_power_of_two() {
    let _ = message_ring::<Recorder>(0);
}

fn everything_arrives_in_order(capacity: usize) {
    let (mut sender, mut receiver) = message_ring(capacity);
    let mut heard = Recorder::default();
    thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..VALUES {
                until_sent(Number(Box::new(number)), |value| sender.send(value));
                if number % 3 == 0 {
                    sender.publish();
                }
            }
        });
        while heard.0.len() < VALUES {
            if receiver.receive(&mut heard).is_none() {
                thread::yield_now();
            }
        }
    });
    assert!(receiver.is_empty() && heard.0.into_iter().eq(0..VALUES));
}

#[test]
fn a_message_ring_keeps_the_order() {
    everything_arrives_in_order(64);
}

#[test]
fn a_message_ring_of_one_cell_does_too() {
    everything_arrives_in_order(1);
}

/// Checked for all positions: cells are returned a quarter of a ring at a time, so the number of free cells
/// depends on them.
#[test]
fn an_empty_message_ring_whose_ends_begin_a_lap_is_as_new() {
    for used in 0..20 {
        let (mut sender, mut receiver) = message_ring(8);
        let mut heard = Recorder(Vec::new());
        for number in 0..used {
            sender.send(Number(Box::new(number))).ok().unwrap();
            sender.publish();
            assert!(receiver.receive(&mut heard).is_some());
        }
        sender.begin_lap();
        receiver.begin_lap();
        let free = (0..).take_while(|number| {
            let sent = sender.send(Number(Box::new(100 + number))).is_ok();
            sender.publish();
            sent
        });
        assert_eq!(free.count(), 8, "after {used} messages");
        assert_eq!(receiver.receive_some(&mut heard, 100, |()| true), 8);
        let expected: Vec<_> = (0..used).chain(100..108).collect();
        assert_eq!(heard.0, expected);
    }
}

/// A receiver with messages left keeps its position, and no message is lost.
#[test]
fn a_message_ring_that_is_not_empty_begins_no_lap() {
    let (mut sender, mut receiver) = message_ring(4);
    let mut heard = Recorder(Vec::new());
    sender.send(Number(Box::new(1))).ok().unwrap();
    sender.publish();
    receiver.begin_lap();
    assert_eq!(receiver.receive_some(&mut heard, 10, |()| true), 1);
    assert_eq!(heard.0, [1]);
}

#[test]
fn a_message_ring_drops_what_is_left() {
    static DROPS: Drops = Drops(AtomicUsize::new(0));
    let (mut sender, mut receiver) = message_ring(1);
    let mut heard = Recorder::default();
    // Fills one cell: a message and its handler are two words of fifteen.
    for lap in 1..=3 {
        for _ in 0..7 {
            sender.send(Counted(&DROPS)).unwrap();
        }
        // A message that was not sent belongs to the caller, which drops it.
        drop(sender.send(Counted(&DROPS)).unwrap_err());
        assert!(sender.room::<Counted<'static>>().is_none());
        assert_eq!(receiver.receive_some(&mut heard, 100, |()| true), 7);
        assert_eq!((DROPS.count(), heard.0.len()), (8 * lap, 7 * lap));
        assert!(receiver.is_empty());
    }
    for _ in 0..3 {
        sender.send(Counted(&DROPS)).unwrap();
    }
    drop(sender);
    assert!(receiver.receive(&mut heard).is_some());
    assert_eq!(DROPS.count(), 25);
    drop(receiver);
    assert_eq!(DROPS.count(), 27);
}

/// A token of the runtime's size.
type Token = [usize; 8];

/// Publishes `VALUES` tokens, keeps the tokens that do not fit in a list, oldest first, and takes some back.
fn publish_all(mut publisher: Publisher<Token>) -> Vec<usize> {
    let mut kept = VecDeque::new();
    let mut own = Vec::new();
    for number in 0..VALUES {
        kept.push_back([number; 8]);
        while publisher.has_room() {
            let Some(token) = kept.pop_front() else { break };
            publisher.publish(token).expect("there was room, and only we publish");
        }
        if number % 3 == 0 {
            own.extend(publisher.take_back().or_else(|| kept.pop_front()).map(|token| token[0]));
        }
    }
    while !(kept.is_empty() && publisher.is_empty()) {
        own.extend(publisher.take_back().or_else(|| kept.pop_front()).map(|token| token[0]));
    }
    own
}

fn each_token_is_taken_once(capacity: usize, thieves: usize) {
    let (publisher, stealer) = shared_end::<Token>(capacity);
    let taken = AtomicUsize::new(0);
    let count = |got: usize| taken.fetch_add(got, Ordering::Relaxed);
    let mut all: Vec<usize> = thread::scope(|scope| {
        let thieves: Vec<_> = (0..thieves)
            .map(|_| {
                let (stealer, count, taken) = (stealer.clone(), &count, &taken);
                scope.spawn(move || {
                    let mut got = Vec::new();
                    while taken.load(Ordering::Relaxed) < VALUES {
                        if let Some(token) = stealer.steal() {
                            assert!(token.iter().all(|&word| word == token[0]), "a torn token");
                            got.push(token[0]);
                            count(1);
                        } else {
                            thread::yield_now();
                        }
                    }
                    got
                })
            })
            .collect();
        let mut all = publish_all(publisher);
        count(all.len());
        for thief in thieves {
            all.extend(thief.join().unwrap());
        }
        all
    });
    all.sort_unstable();
    assert!(all.into_iter().eq(0..VALUES));
    assert!(stealer.is_empty());
}

#[test]
fn a_shared_end_gives_each_token_to_one() {
    each_token_is_taken_once(8, 3);
}

#[test]
fn a_shared_end_of_one_cell_does_too() {
    each_token_is_taken_once(1, 2);
}

#[test]
fn a_shared_end_gives_the_oldest_first_and_drops_what_is_left() {
    let drops = Drops::default();
    let (mut publisher, stealer) = shared_end(2);
    let token = |number| (number, Counted(&drops));
    assert!(publisher.has_room() && publisher.is_empty() && stealer.is_empty());
    publisher.publish(token(1)).unwrap();
    publisher.publish(token(2)).unwrap();
    assert!(!publisher.has_room());
    assert_eq!(publisher.publish(token(3)).unwrap_err().0.0, 3);
    assert_eq!(stealer.steal().unwrap().0, 1);
    publisher.publish(token(4)).unwrap();
    assert_eq!(publisher.take_back().unwrap().0, 2);
    assert_eq!(drops.count(), 3);
    drop(publisher);
    assert!(!stealer.is_empty());
    drop(stealer);
    assert_eq!(drops.count(), 4);
}

/// A value whose drop counts and may panic.
struct Bomb<'a> {
    _counted: Counted<'a>,
    says: Option<&'static str>,
}

impl Drop for Bomb<'_> {
    fn drop(&mut self) {
        if let Some(says) = self.says {
            std::panic::panic_any(says);
        }
    }
}

/// Fills a queue of four with values, the second and third of which panic when they are dropped, and drops
/// the queue. All values must be dropped, and the first panic must propagate.
fn all_go_though_some_panic<'a, Q>(
    drops: &'a Drops,
    mut queue: Q,
    mut send: impl FnMut(&mut Q, Bomb<'a>) -> bool,
) {
    for says in [None, Some("the second"), Some("the third"), None] {
        assert!(send(&mut queue, Bomb { _counted: Counted(drops), says }));
    }
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(queue)));
    let payload = outcome.expect_err("two of the values panic");
    assert_eq!((payload.downcast_ref(), drops.count()), (Some(&"the second"), 4));
}

#[test]
fn a_value_that_panics_when_it_is_dropped_leaves_none_behind_it() {
    static DROPS: [Drops; 3] = [const { Drops(AtomicUsize::new(0)) }; 3];
    all_go_though_some_panic(&DROPS[0], event_queue(4), |(sender, _), value| sender.send(value).is_ok());
    all_go_though_some_panic(&DROPS[1], message_ring::<Recorder>(4), |(sender, _), value| {
        sender.send(value).is_ok()
    });
    all_go_though_some_panic(&DROPS[2], shared_end(4), |(owner, _), value| owner.publish(value).is_ok());
}

/// A cell is two lines. Before its value are 16 bytes: its word, and the mark of a note. So a note of 48
/// bytes ends with the first line, and a signal moves one line.
#[test]
fn cells_are_two_cache_lines_and_values_begin_behind_their_words() {
    assert_eq!((EventReceiver::<[u64; 14]>::CELL, EventReceiver::<[u64; 15]>::CELL), (128, 256));
    assert_eq!((EventReceiver::<u8, [u64; 6]>::CELL, EventReceiver::<[u64; 12], [u64; 6]>::CELL), (128, 128));
    assert_eq!(MessageReceiver::<Recorder>::CELL, 128);
}
