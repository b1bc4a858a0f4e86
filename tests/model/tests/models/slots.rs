//! Counted slots with one owner: the guarantees of the queues that make plain counters sufficient.

use std::sync::Arc;

use earth_model::checked::event_queue::{EventReceiver, event_queue};
use earth_model::checked::shared_end::shared_end;
use earth_model::{explore, misused};
use loom::cell::UnsafeCell;
use loom::sync::mpsc::channel;
use loom::thread::{spawn, yield_now};

/// A slot of the SU that owns it: a plain counter.
struct Slot {
    count: usize,
    reset: usize,
}

impl Slot {
    /// Counts a signal. Returns whether the slot fires.
    fn signal(&mut self) -> bool {
        self.count -= 1;
        let fires = self.count == 0;
        if fires {
            self.count = self.reset;
        }
        fires
    }
}

/// Value of a signaler for the fiber. It is not atomic, so loom checks that the signal makes it visible.
#[derive(Clone)]
struct Inlet(Arc<UnsafeCell<usize>>);

// SAFETY: the signal passes the inlet to the SU, and the word to go on passes it back, which is the property
// under test.
unsafe impl Send for Inlet {}

impl Inlet {
    #[expect(clippy::arc_with_non_send_sync, reason = "the signal makes it safe")]
    fn new() -> Self {
        Self(Arc::new(UnsafeCell::new(0)))
    }

    fn put(&self, value: usize) {
        // SAFETY: loom checks that no other access is concurrent.
        self.0.with_mut(|place| unsafe { *place = value });
    }

    fn get(&self) -> usize {
        // SAFETY: loom checks that no write is concurrent.
        self.0.with(|place| unsafe { *place })
    }
}

fn next_event<T: Send>(receiver: &mut EventReceiver<T>) -> T {
    loop {
        match receiver.receive() {
            Some(event) => return event,
            None => yield_now(),
        }
    }
}

/// `signallers` senders put a value and signal once per round. The slot must fire once per round, and its
/// fiber must see all values. The last sender is the thread of the SU itself.
fn fires_once_a_round(signallers: usize, rounds: usize) {
    let (sender, mut receiver) = event_queue(signallers.next_power_of_two());
    let inlets: Vec<_> = (0..signallers).map(|_| Inlet::new()).collect();
    let (go_on, mut threads): (Vec<_>, Vec<_>) = (1..signallers)
        .map(|who| {
            let (sender, inlet) = (sender.clone(), inlets[who].clone());
            let (go_on, gone_on) = channel();
            let thread = spawn(move || {
                for round in 1..=rounds {
                    inlet.put(round);
                    assert!(sender.send(who).is_ok(), "there is room for a signal of each");
                    if round < rounds {
                        gone_on.recv().unwrap();
                    }
                }
            });
            (go_on, thread)
        })
        .unzip();

    let mut slot = Slot { count: signallers, reset: signallers };
    for round in 1..=rounds {
        inlets[0].put(round);
        assert!(sender.send(0).is_ok(), "there is room for a signal of each");
        if round == rounds {
            for thread in threads.drain(..) {
                thread.join().unwrap();
            }
        }
        let mut signalled = vec![false; signallers];
        loop {
            let who = next_event(&mut receiver);
            assert!(!signalled[who], "a signal came twice");
            signalled[who] = true;
            if slot.signal() {
                break;
            }
        }
        assert!(signalled.iter().all(|&signalled| signalled), "the slot fired early");
        assert!(inlets.iter().all(|inlet| inlet.get() == round), "a fiber saw an old value");
        if round < rounds {
            for go_on in &go_on {
                go_on.send(()).unwrap();
            }
        }
    }
    assert!(receiver.receive().is_none(), "a signal too many");
}

#[test]
fn two_signallers_two_rounds() {
    explore(|| fires_once_a_round(2, 2));
}

#[test]
fn two_signallers_three_rounds() {
    explore(|| fires_once_a_round(2, 3));
}

#[test]
fn three_signallers_one_round() {
    explore(|| fires_once_a_round(3, 1));
}

enum Event {
    Incr,
    Signal,
}

/// A slot of 1 waits for the EU's own signal. The EU raises it for a token's signal and then publishes the
/// token, or in the other order. The thief sends the token's signal, or the owner if it took the token back.
/// The SU reads at the end, because the queue keeps the order of the events.
macro_rules! incr_and_token {
    ($event_queue:path, $shared_end:path, $incr_first:expr) => {{
        let (sender, mut receiver) = $event_queue(4);
        let (mut publisher, stealer) = $shared_end(1);
        let thief_sender = sender.clone();
        let thief = spawn(move || {
            if let Some(()) = stealer.steal() {
                assert!(thief_sender.send(Event::Signal).is_ok());
            }
        });
        if $incr_first {
            assert!(sender.send(Event::Incr).is_ok());
            assert!(publisher.publish(()).is_ok());
        } else {
            assert!(publisher.publish(()).is_ok());
            assert!(sender.send(Event::Incr).is_ok());
        }
        if let Some(()) = publisher.take_back() {
            assert!(sender.send(Event::Signal).is_ok());
        }
        assert!(sender.send(Event::Signal).is_ok());
        thief.join().unwrap();
        let mut count = 1;
        let mut left = 3;
        while let Some(event) = receiver.receive() {
            left -= 1;
            match event {
                Event::Incr => count += 1,
                Event::Signal => count -= 1,
            }
            assert!(count > 0 || left == 0, "the slot fired early");
        }
        assert_eq!((count, left), (0, 0));
    }};
}

#[test]
fn an_incr_before_the_token_arrives_before_the_tokens_signal() {
    explore(|| incr_and_token!(event_queue, shared_end, true));
}

#[test]
#[should_panic(expected = "the slot fired early")]
fn an_incr_after_the_token_comes_too_late() {
    explore(|| incr_and_token!(misused::event_queue::event_queue, misused::shared_end::shared_end, false));
}

/// An SU with one frame, which is freed when its slot of 1 fires and then opened again.
struct Frame {
    generation: usize,
    stale: usize,
    fired_by: Vec<usize>,
}

impl Frame {
    /// Counts a signal to the address with this generation. `follows` decides whether the address is valid.
    fn signal(&mut self, generation: usize, follows: fn(usize, usize) -> bool) {
        if follows(generation, self.generation) {
            self.fired_by.push(generation);
            self.generation += 1;
        } else {
            self.stale += 1;
        }
    }
}

/// Two signals for generation 1, one more than its slot expects. The second of them finds the frame number
/// used again, by a frame that waits for its own signal.
macro_rules! reuse {
    ($event_queue:path, $follows:expr) => {{
        let (sender, mut receiver) = $event_queue(4);
        let late = sender.clone();
        let (address, addressed) = channel();
        let threads = [
            spawn(move || assert!(late.send(1).is_ok())),
            spawn(move || assert!(sender.send(addressed.recv().unwrap()).is_ok())),
        ];
        let mut frame = Frame { generation: 1, stale: 0, fired_by: Vec::new() };
        if let Some(generation) = receiver.receive() {
            frame.signal(generation, $follows);
        }
        frame.signal(1, $follows);
        address.send(2).unwrap();
        if let Some(generation) = receiver.receive() {
            frame.signal(generation, $follows);
        }
        for thread in threads {
            thread.join().unwrap();
        }
        while let Some(generation) = receiver.receive() {
            frame.signal(generation, $follows);
        }
        assert_eq!(frame.fired_by, [1, 2], "a late signal was counted for the new frame");
        assert_eq!(frame.stale, 1);
    }};
}

#[test]
fn a_late_signal_is_stale() {
    explore(|| reuse!(event_queue, |wanted, live| wanted == live));
}

#[test]
#[should_panic(expected = "a late signal was counted for the new frame")]
fn without_generations_a_late_signal_counts() {
    explore(|| reuse!(misused::event_queue::event_queue, |_, _| true));
}
