//! A soak test: 64 nodes run rounds of all kinds of traffic for a given time, and no message may be lost,
//! doubled or retained.
//!
//! ```text
//! cargo run --release -p earth-programs --bin soak -- --seconds 120     # default: 120
//! ```
//!
//! Half of the time runs in SPN, half in DUAL. Each round (see [`round`]) is checked separately and exactly:
//! signals sent and consumed, every token run exactly once, frames made and ended. Memory must also be flat:
//! from the first quarter of a configuration's time to its end the resident set may grow by 2 percent. Two
//! minutes on two cores are more than 10^8 signals and 10^7 tokens.
//!
//! The result goes to stdout, a line of progress to stderr if that is a terminal. The exit code is 1 if a
//! check failed, and 2 if the arguments are wrong.

#![forbid(unsafe_code)]

use std::io::{IsTerminal as _, stderr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use earth::{Config, Machine};
use earth_programs::soak::{Load, round};

const NODES: usize = 64;
const LOAD: Load = Load { bursts: 10, signals: 80, values: 2, tokens: 170, hops: 10 };

/// Largest growth of the resident set, in percent.
const FLAT: f64 = 2.0;

/// Totals over the rounds of one configuration.
#[derive(Default)]
struct Sums {
    rounds: u64,
    signals: u64,
    tokens: u64,
    stolen: u64,
    parked: u64,
    deferred: u64,
    messages: u64,
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let seconds = match args[..] {
        [] => Ok(120.0),
        ["--seconds", seconds] => seconds.parse::<f64>().map_err(|error| error.to_string()),
        _ => Err("the arguments are unknown; the only option is `--seconds NUMBER`".to_owned()),
    };
    let half = seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds / 2.0).map_err(|error| error.to_string()));
    let half = match half {
        Ok(half) => half,
        Err(error) => {
            eprintln!("soak: {error}");
            return ExitCode::from(2);
        }
    };
    for config in [Config::Spn, Config::Dual] {
        if let Err(violation) = soak(config, half) {
            println!("{config}: {violation}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs rounds for `time`, at least four of them, and prints their totals.
fn soak(config: Config, time: Duration) -> Result<(), String> {
    let mut machine = Machine::threads(NODES).config(config);
    let mut sums = Sums::default();
    let mut warm = None;
    let (started, mut told) = (Instant::now(), Instant::now());
    while started.elapsed() < time || sums.rounds < 4 {
        let counters = round(&mut machine, NODES, LOAD)
            .map_err(|violation| format!("round {}: {violation}", sums.rounds))?;
        sums.rounds += 1;
        sums.signals += counters.signals;
        sums.tokens += counters.tokens;
        sums.stolen += counters.tokens_stolen;
        sums.parked += counters.parked;
        sums.deferred += counters.deferred_reads;
        sums.messages += counters.events_sent;
        if warm.is_none() && started.elapsed() >= time / 4 {
            warm = Some(resident()?);
        }
        if stderr().is_terminal() && told.elapsed() >= Duration::from_secs(3) {
            told = Instant::now();
            eprintln!(
                "{config}: {:.0} of {:.0} s, {} rounds, {:.1e} signals, {:.1e} tokens",
                started.elapsed().as_secs_f64(),
                time.as_secs_f64(),
                sums.rounds,
                sums.signals as f64,
                sums.tokens as f64,
            );
        }
    }
    let (seconds, end) = (started.elapsed().as_secs_f64(), resident()?);
    let warm = warm.unwrap_or(end);
    let growth = (end as f64 / warm as f64 - 1.0) * 100.0;
    let Sums { rounds, signals, tokens, stolen, parked, deferred, messages } = sums;
    println!(
        "{config}: {rounds} rounds on {NODES} nodes in {seconds:.1} s: {signals} signals, {tokens} tokens ({stolen} stolen), \
         {messages} messages, {parked} values parked, {deferred} reads deferred; {:.1}e6 signals and {:.2}e6 tokens a second; \
         {:.1} MB resident, {growth:+.2} %",
        signals as f64 / seconds / 1e6,
        tokens as f64 / seconds / 1e6,
        end as f64 / 1e6,
    );
    if growth > FLAT {
        return Err(format!("the resident set went from {warm} to {end} bytes, more than {FLAT} %"));
    }
    Ok(())
}

/// Returns the resident memory of this process, in bytes, assuming pages of 4 KB.
fn resident() -> Result<u64, String> {
    let statm =
        std::fs::read_to_string("/proc/self/statm").map_err(|error| format!("/proc/self/statm: {error}"))?;
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    Ok(pages.ok_or("/proc/self/statm holds no resident set")? * 4096)
}
