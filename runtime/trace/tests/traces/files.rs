//! Files written from a trace: JSON with the fields that its readers need, and a well-formed picture.

use std::collections::HashSet;
use std::marker::PhantomData;

use earth::simulated::Profile;
use earth::{Config, Eu, Machine, NodeId, Reply, Run, SlotRef, Work, threaded};
use earth_trace::Trace;
use serde_json::Value;

/// Starts `n` halves, alternating between two nodes. Its type name has characters that XML escapes.
struct Wide<T> {
    n: usize,
    out: Reply<u64>,
    of: PhantomData<fn(T)>,
}

#[threaded]
impl<T: 'static> Wide<T> {
    fn start(n: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        for i in 0..n {
            let half = Half::<T>::call(i, eu.slot_ref(Self::end()));
            eu.invoke(NodeId::new(i % eu.nodes()), half);
        }
        Wide { n, out, of: PhantomData }
    }

    #[slot(syncs = n)]
    fn end(self, eu: &mut Eu<Self>) {
        eu.put(self.out, self.n as u64);
    }
}

struct Half<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: 'static> Half<T> {
    fn start(i: usize, done: SlotRef, eu: &mut Eu<Self>) {
        eu.work(Work::Cycles(50 + i as u64));
        eu.rsync(done);
    }
}

fn trace_of<R>(run: &Run<R>) -> Trace {
    Trace::of(run.records.as_ref().expect("tracing is on"))
}

fn traced(n: usize, config: Config) -> Trace {
    let profile = Profile::named("manna50").expect("it is built in");
    let mut machine = Machine::simulated(&profile).nodes(2).config(config).trace(true);
    let run = machine.run(|out| Wide::<f64>::call(n, out)).expect("it runs");
    trace_of(&run)
}

fn json(trace: &Trace) -> Value {
    let mut text = Vec::new();
    trace.write_chrome(&mut text).expect("memory takes all");
    serde_json::from_slice(&text).expect("it is JSON")
}

fn svg(trace: &Trace) -> String {
    let mut text = Vec::new();
    trace.write_svg(&mut text).expect("memory takes all");
    String::from_utf8(text).expect("it is text")
}

#[test]
fn chrome_finds_every_slice_arrow_and_queue() {
    for config in [Config::Spn, Config::Dual] {
        let trace = traced(20, config);
        let json = json(&trace);
        let events = json["traceEvents"].as_array().expect("a list of events");
        for event in events {
            for field in ["ph", "name", "pid", "tid", "ts"] {
                assert!(!event[field].is_null(), "{field} of {event}");
            }
        }
        let of = |ph: &'static str, cat: &'static str| {
            events.iter().filter(move |event| event["ph"] == ph && event["cat"] == cat)
        };
        assert_eq!(of("X", "fiber").count(), 22);
        assert_eq!(of("X", "service").count(), trace.services.len());
        assert_eq!(of("C", "queue").count(), trace.depths.len());
        assert_eq!(of("M", "__metadata").count(), 6, "names of two nodes and four units");
        assert!(of("X", "fiber").any(|event| event["name"] == "Half<f64>.start" && event["pid"] == 1));

        // A flow begins inside a fiber, and ends where a fiber begins.
        let ids = |ph| of(ph, "arrow").map(|event| event["id"].as_u64()).collect::<HashSet<_>>();
        assert_eq!((ids("s").len(), ids("s")), (40, ids("f")));
        let number = |event: &Value, field: &str| event[field].as_f64().expect("a number");
        for flow in of("s", "arrow") {
            let at = number(flow, "ts");
            assert!(of("X", "fiber").any(|fiber| {
                let begin = number(fiber, "ts");
                fiber["pid"] == flow["pid"] && begin <= at && at < begin + number(fiber, "dur")
            }));
        }
        for flow in of("f", "arrow") {
            assert!(of("X", "fiber").any(|f| f["pid"] == flow["pid"] && f["ts"] == flow["ts"]));
            assert_eq!(flow["bp"], "e");
        }
        let path = trace.critical_path();
        let span = json["otherData"]["span_us"].as_f64().expect("a number");
        assert!((span - path.span as f64 / 50.0).abs() < 1e-9);
    }
}

#[test]
fn the_picture_is_well_formed_and_shows_every_fiber() {
    let trace = traced(20, Config::Dual);
    let text = svg(&trace);
    let picture = roxmltree::Document::parse(&text).expect("it is XML");
    let titles: Vec<_> = picture
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    let fibers = titles.iter().filter(|title| title.starts_with("Half<f64>.start")).count();
    assert_eq!(fibers, 20);
    assert!(text.contains("node 1 EU") && text.contains(">SU<") && text.contains("critical path"));
    assert!(text.contains("prefers-color-scheme:dark"));
}

#[test]
fn the_picture_of_a_long_run_is_small() {
    let trace = traced(20_000, Config::Spn);
    let text = svg(&trace);
    roxmltree::Document::parse(&text).expect("it is XML");
    assert!(text.len() < 300_000, "{} bytes", text.len());
    assert!(text.contains("of 40000 arrows drawn"));
}

#[test]
fn a_trace_of_nothing_is_written_too() {
    let mut machine = Machine::threads(1).trace_limit(0);
    let run = machine.run(|out| Wide::<f64>::call(1, out)).expect("it runs");
    let trace = trace_of(&run);
    assert!(trace.slices.is_empty() && trace.dropped > 0);
    let path = trace.critical_path();
    assert_eq!((path.span, path.dropped), (0, trace.dropped));
    let json = json(&trace);
    assert!(json["traceEvents"].is_array());
    assert_eq!(json["otherData"]["summary"], path.to_string());
    let picture = svg(&trace);
    roxmltree::Document::parse(&picture).expect("it is XML");
    assert!(picture.contains(&format!("(without {} dropped records)", trace.dropped)));
}
