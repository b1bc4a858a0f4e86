//! All units stepped in the calling thread, in an order drawn from a seed.
//!
//! The units are the very same as on real cores. Each turn picks one at random and steps it once, or lets one
//! random event out of those under way arrive: between nodes nothing is ordered. Queues are tiny, so that
//! every path for a full one is walked. One seed, one run. When no turn finds anything to do and nothing is
//! under way, all is quiet: here that is seen directly, so the count of messages, which decides on real
//! cores, is checked against it.

use std::sync::Arc;

use earth_signal::{EventSender, Stealer, Verdict};
use parking_lot::Mutex;

use super::Program;
use super::cancel::CancelToken;
use super::crew::{Crew, discard};
use super::queues::{Bells, queues, units};
use super::settings::Settings;
use crate::counters::Counters;
use crate::error::Error;
use crate::unit::balance::Token;
use crate::unit::event::Event;
use crate::unit::separate::Step;
use crate::unit::transport::{Bell, Transport};
use crate::vocabulary::value::Value;

/// The stepper's units and the events under way between them.
pub(super) struct Stepper {
    settings: Settings,
    cancel: Option<CancelToken>,
    draw: Draw,
    world: Option<World>,
}

struct World {
    crew: Crew,
    air: Air,
    inboxes: Vec<EventSender<Event>>,
    /// Never declared: here it is seen directly that all is quiet.
    verdict: Arc<Verdict>,
}

/// Events under way, with the node each is for.
type Air = Arc<Mutex<Vec<(u32, Event)>>>;

impl Stepper {
    pub(super) fn build(settings: &Settings) -> Self {
        let draw = Draw { state: settings.seed };
        Stepper { settings: settings.clone(), cancel: settings.cancel.clone(), draw, world: None }
    }

    pub(super) fn run(&mut self, program: Program) -> Result<(Option<Value>, Counters), Error> {
        let Stepper { settings, cancel, draw, world } = self;
        // One seed, one run: also for the second run of a machine.
        draw.state = settings.seed;
        let World { crew, air, inboxes, verdict } = world.get_or_insert_with(|| World::build(settings));
        crew.begin(&Arc::new(program.functions), program.read_result);
        crew.start(program.main);
        let outcome =
            crew.guarded(|crew| step_until_quiet(crew, air, inboxes, draw, verdict, cancel.as_ref()));
        let outcome =
            outcome.map_err(|error| *error).and_then(|()| super::settle(std::slice::from_mut(crew)));
        if !matches!(outcome, Ok((Some(_), _))) {
            discard(world.take().map(|world| world.crew).into_iter().collect());
        }
        outcome
    }
}

fn step_until_quiet(
    crew: &mut Crew,
    air: &Air,
    inboxes: &[EventSender<Event>],
    draw: &mut Draw,
    verdict: &Verdict,
    cancel: Option<&CancelToken>,
) -> Result<(), Box<Error>> {
    // Which units have found nothing to do since anything last happened.
    let mut resting = vec![false; crew.units.len()];
    let mut awake = resting.len();
    loop {
        if cancel.is_some_and(CancelToken::is_cancelled) {
            return Err(Box::new(Error::Cancelled));
        }
        let turn = draw.below(crew.units.len() + 1);
        let happened = match resting.get(turn) {
            Some(_) => crew.steps(turn, 1, verdict)? != Step::Idle,
            None => arrive(air, inboxes, draw),
        };
        if happened {
            resting.fill(false);
            awake = resting.len();
        } else if let Some(resting) = resting.get_mut(turn)
            && !std::mem::replace(resting, true)
        {
            awake -= 1;
        }
        if awake == 0 && air.lock().is_empty() {
            let (sent, received) = crew.messages();
            assert_eq!(sent, received, "nothing is under way, so all that was sent was received");
            return Ok(());
        }
    }
}

/// Lets one event arrive, if there is one and its inbox has room.
fn arrive(air: &Air, inboxes: &[EventSender<Event>], draw: &mut Draw) -> bool {
    let mut air = air.lock();
    if air.is_empty() {
        return false;
    }
    let (node, event) = {
        let which = draw.below(air.len());
        air.swap_remove(which)
    };
    match inboxes[node as usize].send(event) {
        Ok(()) => true,
        Err(full) => {
            air.push((node, full.0));
            false
        }
    }
}

impl World {
    fn build(settings: &Settings) -> Self {
        let (air, verdict) = (Air::default(), Arc::new(Verdict::new()));
        let (own, ends) = queues(settings);
        let (mut all, mut nodes) = (Vec::new(), Vec::new());
        for (node, queues) in own.into_iter().enumerate() {
            let others =
                (1..settings.nodes).map(|k| ends.shared[(node + k) % settings.nodes].clone()).collect();
            let transport = Box::new(AirTransport { air: Arc::clone(&air), others });
            let bells = Bells { eu: Bell::silent(), su: Bell::silent() };
            let made = units(settings, node, queues, &ends.inboxes[node], transport, bells, &verdict);
            nodes.extend(made.iter().map(|_| node));
            all.extend(made);
        }
        World { crew: Crew::new(all, nodes), air, inboxes: ends.inboxes, verdict }
    }
}

/// The way between nodes that are stepped in turn.
struct AirTransport {
    air: Air,
    others: Vec<Stealer<Token>>,
}

impl Transport for AirTransport {
    fn send(&mut self, to: u32, event: Event) -> bool {
        self.air.lock().push((to, event));
        true
    }

    fn kept(&self) -> usize {
        0
    }

    fn flush(&mut self) -> usize {
        0
    }

    fn steal(&mut self) -> Option<Token> {
        self.others.iter().find_map(Stealer::steal)
    }

    fn can_steal(&self) -> bool {
        self.others.iter().any(|other| !other.is_empty())
    }

    fn shares(&mut self) {}
}

/// `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): a
/// stream that depends on its seed alone, on every platform and in every version, so that a seed in
/// a bug report stays good.
struct Draw {
    state: u64,
}

impl Draw {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of `0..bound`; the bias for bounds of a few hundred does not matter here.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
