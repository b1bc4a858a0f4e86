//! Serialized forms, as JSON: counters, policies, profiles, records, schedules and recordings.

use std::collections::BTreeSet;
use std::time::Duration;

use earth::records::{Cause, Clock, FiberRef, Queue, Records};
use earth::simulated::{Profile, Recording, Schedule};
use earth::{Counters, Eu, FiberOrder, Machine, Policy, Reply, StealOrder, TokenOrder, threaded};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_str, from_value, json, to_value};

use crate::common::{cases, gives, on_every};
use earth_programs::fib::Fib;

/// Spawns a fiber, which computes a Fibonacci number.
struct Spawns {
    out: Reply<u64>,
}

#[threaded]
impl Spawns {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.spawn(Self::go());
        Spawns { out }
    }

    #[spawned]
    fn go(self, eu: &mut Eu<Self>) {
        eu.token(Fib::call(7, self.out));
    }
}

fn json_of(value: &impl Serialize) -> Value {
    to_value(value).expect("plain data")
}

/// Writes a value as text and reads it back.
fn read_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("plain data");
    from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Returns all counters by name.
fn named(counters: &Counters) -> Value {
    let c = counters;
    let nanoseconds = |time: Duration| time.as_secs() * 1_000_000_000 + u64::from(time.subsec_nanos());
    json!({
        "fibers": c.fibers,
        "tokens": c.tokens,
        "tokens_stolen": c.tokens_stolen,
        "invokes": c.invokes,
        "signals": c.signals,
        "block_moves": c.block_moves,
        "bytes_moved": c.bytes_moved,
        "events_sent": c.events_sent,
        "frames": c.frames,
        "frames_ended": c.frames_ended,
        "frames_high": c.frames_high,
        "tokens_high": c.tokens_high,
        "parked": c.parked,
        "parked_high": c.parked_high,
        "deferred_reads": c.deferred_reads,
        "eu_busy_ns": nanoseconds(c.eu_busy),
        "eu_idle_ns": nanoseconds(c.eu_idle),
        "su_busy_ns": nanoseconds(c.su_busy),
        "su_idle_ns": nanoseconds(c.su_idle),
    })
}

#[test]
fn counters_of_a_run_are_read_as_they_were_written() {
    on_every(|case| {
        let run = gives(&mut case.machine(), Spawns::call);
        assert!(run.counters.fibers > 0 && (run.counters.eu_busy > Duration::ZERO || !case.is_simulated()));
        for counters in run.by_node.iter().chain([&run.counters]) {
            assert_eq!((json_of(counters), read_back(counters)), (named(counters), *counters));
        }
    });
    let why = from_value::<Counters>(json!({"fibres": 1})).expect_err("an unknown key").to_string();
    assert!(why.contains("fibres"), "{why}");
}

#[test]
fn a_policy_has_the_keys_and_values_of_its_text() {
    let mut texts = BTreeSet::new();
    for (name, fibers) in Policy::NAMED {
        for tokens in [TokenOrder::NewestFirst, TokenOrder::OldestFirst] {
            for steal in [StealOrder::LastVictim, StealOrder::NextNode, StealOrder::Random] {
                let policy =
                    Policy { fibers, in_a_row: 1, tokens, token_every: 2, steal, feed: 3, batch: 4, spin: 0 };
                let (json, text) = (json_of(&policy), policy.to_string());
                assert_eq!((&json["fibers"], read_back(&policy)), (&json!(name), policy));
                for (key, value) in text.split(',').filter_map(|item| item.split_once('=')) {
                    let number = value.parse::<u32>().map(Value::from);
                    assert_eq!(json[key], number.unwrap_or_else(|_| value.into()), "{key} of {text}");
                }
                texts.insert(text);
            }
        }
    }
    assert_eq!(texts.len(), 18);
    let partly = from_value::<Policy>(json!({"fibers": "fibers-first", "feed": 1})).expect("a policy");
    assert_eq!(partly, Policy { fibers: FiberOrder::FibersFirst, feed: 1, ..Policy::default() });
    assert!(from_value::<Policy>(json!({"depth": 3})).is_err());
}

#[test]
fn a_profile_that_was_read_is_the_same_machine() {
    for name in Profile::names() {
        let profile = Profile::named(name).expect("it is built in");
        let read = read_back(&profile);
        let table: toml::Table = profile.to_toml().parse().expect("a file");
        assert_eq!((&read, json_of(&profile)), (&profile, json_of(&table)));
        let [cycles, again] = [&profile, &read]
            .map(|profile| gives(&mut Machine::simulated(profile).nodes(3), Spawns::call).cycles);
        assert!(cycles > Some(0) && cycles == again, "{name}: {cycles:?}, {again:?}");
    }
}

/// Returns the documented form of records, from their methods.
fn documented(records: &Records) -> Value {
    let fiber = |fiber: Option<FiberRef>| {
        fiber.map_or(Value::Null, |fiber| json!({"node": fiber.node(), "number": fiber.number()}))
    };
    let cause = |cause| match cause {
        Cause::Started { by } => json!({"kind": "started", "by": fiber(by)}),
        Cause::Enabled { signal } => json!({"kind": "enabled", "signal": signal}),
        Cause::Spawned { by } => json!({"kind": "spawned", "by": fiber(by)}),
    };
    let nodes = records.nodes().map(|node| {
        let fibers = node.fibers().map(|ran| {
            json!({
                "begin_ticks": ran.begin,
                "end_ticks": ran.end,
                "fiber": {"function": ran.fiber.function(), "name": ran.fiber.name()},
                "index": ran.index,
                "cause": cause(ran.cause),
                "lengths": ran.lengths,
            })
        });
        let signals = node.signals().map(|signal| {
            let (frame, slot, enables) = (signal.frame, signal.slot, signal.enables);
            json!({"frame": frame, "slot": slot, "enables": enables, "sender": fiber(signal.sender)})
        });
        let services = node.services().map(|service| {
            json!({"begin_ticks": service.begin, "end_ticks": service.end, "lengths": service.lengths})
        });
        json!({
            "number": node.number(),
            "dropped": node.dropped(),
            "clock_error_ticks": node.clock_error(),
            "fibers": fibers.collect::<Vec<_>>(),
            "signals": signals.collect::<Vec<_>>(),
            "services": services.collect::<Vec<_>>(),
        })
    });
    let clock = match records.clock() {
        Clock::Host => json!({"kind": "host"}),
        Clock::Virtual { mhz } => json!({"kind": "virtual", "mhz": mhz}),
    };
    json!({"clock": clock, "nodes": nodes.collect::<Vec<_>>()})
}

#[test]
fn records_have_what_they_document() {
    let mut seen = BTreeSet::new();
    on_every(|case| {
        let run = gives(&mut case.traced(), Spawns::call);
        let records = run.records.expect("the machine traces");
        let json = json_of(&records);
        assert_eq!(json, documented(&records));
        let nodes = json["nodes"].as_array().expect("a list");
        let count =
            |of: &str| nodes.iter().map(|node| node[of].as_array().expect("a list").len() as u64).sum();
        // The value of the run is a signal without a slot.
        assert_eq!((count("fibers"), count("signals")), (run.counters.fibers, run.counters.signals - 1));
        for fiber in nodes.iter().flat_map(|node| node["fibers"].as_array().expect("a list")) {
            seen.insert([&fiber["cause"]["kind"], &fiber["fiber"]["name"]].map(Value::to_string));
        }
    });
    let expected = [["enabled", "add"], ["spawned", "go"], ["started", "start"]];
    assert!(seen.iter().eq(&expected.map(|pair| pair.map(|text| format!("\"{text}\"")))), "{seen:?}");
    assert_eq!(json_of(&Queue::ALL), json!(["ready", "tokens", "inbox"]));
}

#[test]
fn a_recording_is_its_text_and_replays_after_it_was_read() {
    for case in cases().filter(|case| case.is_stepped()) {
        let mut machine = case.machine().record(true);
        let value = gives(&mut machine, Spawns::call).value;
        let recording = machine.recording().expect("the machine records").clone();
        let text = recording.to_string();
        assert_eq!((json_of(&recording), &read_back(&recording)), (json!(text), &recording), "on {case}");
        let replay = Schedule::Replay(recording.clone());
        assert_eq!(json_of(&replay), json!({"replay": text}));
        let mut again = case.machine().record(true).schedule(read_back(&replay));
        assert_eq!(gives(&mut again, Spawns::call).value, value, "on {case}");
        assert_eq!(again.recording(), Some(&recording), "on {case}");
    }
    for (schedule, json) in [
        (Schedule::Time, json!("time")),
        (Schedule::Random, json!("random")),
        (Schedule::Pct { changes: 3, steps: 100 }, json!({"pct": {"changes": 3, "steps": 100}})),
    ] {
        assert_eq!((json_of(&schedule), read_back(&schedule)), (json, schedule));
    }
    let why = from_value::<Recording>(json!("untimed 0p*2 0x")).expect_err("a unit without a letter");
    assert!(why.to_string().contains("`0x`"), "{why}");
}
